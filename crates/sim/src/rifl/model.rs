// SPDX-License-Identifier: Apache-2.0
//! Which `rifl_link` is simulated.

use super::ffi::{Ports, RawModel};
use crate::SimError;
use crate::models::{Building, Ports as _, Recipe};

/// Numbers of lanes that the core is made for.
pub const LANES: [u8; 4] = [1, 2, 4, 8];
/// Frame widths in bits that the core is made for.
pub const FRAME_WIDTHS: [u16; 5] = [128, 256, 512, 1024, 2048];
/// Frame id widths in bits that the core is made for.
pub const ID_WIDTHS: std::ops::RangeInclusive<u8> = 6..=12;

/// The parameters of a `rifl_link`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Model {
    /// Lanes, one of [`LANES`].
    pub lanes: u8,
    /// Frame width F in bits, one of [`FRAME_WIDTHS`].
    pub frame_width: u16,
    /// Width of the user's streams in bits, one of [`Model::user_widths`].
    /// `user_width / frame_width` frames side by side share a segment of a packet.
    pub user_width: u16,
    /// Frame id width in bits, one of [`ID_WIDTHS`]. K = 2^id_width frames may be in flight.
    pub id_width: u8,
    /// The extended mode is built in and used: sessions, which make the reset of one end safe.
    pub extended: bool,
    /// Frames have the stronger code: frame widths 1024 and 2048, extended mode.
    pub strong_code: bool,
}

impl Default for Model {
    /// One lane, frame width 256, K = 64, extended mode, like that of the RTL.
    fn default() -> Self {
        Self {
            extended: true,
            ..Self::one_lane(256, 6)
        }
    }
}

impl Model {
    /// A link of one lane in compatible mode.
    pub const fn one_lane(frame_width: u16, id_width: u8) -> Self {
        Self {
            lanes: 1,
            frame_width,
            user_width: frame_width,
            id_width,
            extended: false,
            strong_code: false,
        }
    }

    /// The user widths that go with these lanes and frames: frame width times 1, 2, 4 up to the
    /// number of lanes, and at least 64 bits per lane, because the user clock is not faster than
    /// that of the words on the line.
    pub fn user_widths(lanes: u8, frame_width: u16) -> impl Iterator<Item = u16> {
        LANES
            .into_iter()
            .filter(move |group| *group <= lanes)
            .map(move |group| frame_width * u16::from(group))
            .filter(move |width| *width >= 64 * u16::from(lanes))
    }

    /// GT cycles of a frame.
    pub fn frame_cycles(&self) -> u64 {
        u64::from(self.frame_width) / 64
    }

    /// GT cycles of a user clock.
    pub fn user_cycles(&self) -> u64 {
        u64::from(self.user_width) / (64 * u64::from(self.lanes))
    }

    /// Lanes that share a segment.
    pub fn group_lanes(&self) -> u8 {
        (self.user_width / self.frame_width) as u8
    }

    /// Payload bytes of a segment.
    pub fn segment_bytes(&self) -> u32 {
        u32::from(self.group_lanes())
            * (u32::from(self.frame_width) / 8 - if self.strong_code { 4 } else { 2 })
    }

    /// Frames that a packet occupies, all lanes together: segments are not shared, and a beat is at
    /// most one.
    pub fn packet_frames(&self, bytes: u32) -> u64 {
        let segments = bytes.div_ceil(self.segment_bytes());
        let beats = bytes.div_ceil(u32::from(self.user_width) / 8);
        u64::from(segments.max(beats)) * u64::from(self.group_lanes())
    }

    /// Checks every field.
    ///
    /// # Errors
    /// [`SimError::BadParameter`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SimError> {
        let bad = |name, message| Err(SimError::BadParameter { name, message });
        if !LANES.contains(&self.lanes) {
            return bad("lanes", format!("{} is not 1, 2, 4 or 8", self.lanes));
        }
        if !FRAME_WIDTHS.contains(&self.frame_width) {
            return bad(
                "frame_width",
                format!("{} is not 128, 256, 512, 1024 or 2048", self.frame_width),
            );
        }
        let widths: Vec<u16> = Self::user_widths(self.lanes, self.frame_width).collect();
        if !widths.contains(&self.user_width) {
            let widths: Vec<String> = widths.iter().map(u16::to_string).collect();
            return bad(
                "user_width",
                format!(
                    "{} does not go with frame width {} and lanes {}; accepted: {}",
                    self.user_width,
                    self.frame_width,
                    self.lanes,
                    widths.join(", ")
                ),
            );
        }
        if !ID_WIDTHS.contains(&self.id_width) {
            return bad("id_width", format!("{} is not in 6 to 12", self.id_width));
        }
        if self.strong_code && !(self.frame_width >= 1024 && self.extended) {
            return bad(
                "strong_code",
                "needs frame width 1024 or 2048 and the extended mode".to_owned(),
            );
        }
        Ok(())
    }

    /// Builds the simulator of this model, unless it has been built before; [`crate::rifl::run`]
    /// would do it otherwise. `tell` is told some ten times a second what is being done; when it
    /// unwinds, the build stops and leaves nothing behind.
    ///
    /// # Errors
    /// As [`Model::validate`]; or the repository, Verilator or the C++ compiler is missing or
    /// refuses.
    pub fn prepare(&self, traced: bool, tell: &mut dyn FnMut(Building)) -> Result<(), SimError> {
        self.validate()?;
        RawModel::load(&self.recipe(traced, false), tell).map(|_| ())
    }

    pub(super) fn recipe(&self, traced: bool, brief: bool) -> Recipe {
        let Self {
            lanes,
            frame_width,
            user_width,
            id_width,
            extended,
            strong_code,
        } = *self;
        let mode = match (extended, strong_code) {
            (_, true) => "_strong",
            (true, false) => "_extended",
            (false, false) => "",
        };
        let suffix = match (traced, brief) {
            (true, _) => "_traced",
            (false, true) => "_brief",
            (false, false) => "",
        };
        Recipe {
            name: format!("rifl_{lanes}_{user_width}_{frame_width}_{id_width}{mode}{suffix}"),
            core: "rifl",
            top: "rifl_link",
            parameters: vec![
                ("Lanes", lanes.into()),
                ("FrameWidth", frame_width.into()),
                ("UserWidth", user_width.into()),
                ("IdWidth", id_width.into()),
                ("Extended", extended.into()),
                ("StrongCode", strong_code.into()),
            ],
            shim: Ports::SHIM,
            received: "phy_rx_data_i",
            traced,
            brief,
        }
    }
}
