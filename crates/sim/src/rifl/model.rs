// SPDX-License-Identifier: Apache-2.0
//! Which `rifl_link` is simulated.

use super::ffi::RawModel;
use crate::SimError;
use crate::models::{Building, Recipe};

/// Frame widths in bits that the core is made for.
pub const FRAME_WIDTHS: [u16; 5] = [128, 256, 512, 1024, 2048];
/// Frame id widths in bits that the core is made for.
pub const ID_WIDTHS: std::ops::RangeInclusive<u8> = 6..=12;

/// The parameters of a `rifl_link`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Model {
    /// Frame width F in bits, one of [`FRAME_WIDTHS`].
    pub frame_width: u16,
    /// Frame id width in bits, one of [`ID_WIDTHS`]. K = 2^id_width frames may be in flight.
    pub id_width: u8,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            frame_width: 256,
            id_width: 6,
        }
    }
}

impl Model {
    /// Checks every field.
    ///
    /// # Errors
    /// [`SimError::BadParameter`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SimError> {
        let bad = |name, message| Err(SimError::BadParameter { name, message });
        if !FRAME_WIDTHS.contains(&self.frame_width) {
            return bad(
                "frame_width",
                format!("{} is not 128, 256, 512, 1024 or 2048", self.frame_width),
            );
        }
        if !ID_WIDTHS.contains(&self.id_width) {
            return bad("id_width", format!("{} is not in 6 to 12", self.id_width));
        }
        Ok(())
    }

    /// Builds the simulator of this model, unless it has been built before; [`crate::rifl::run`] would do it
    /// otherwise. `tell` is told some ten times a second what is being done; when it unwinds, the build stops and
    /// leaves nothing behind.
    ///
    /// # Errors
    /// As [`Model::validate`]; or the repository, Verilator or the C++ compiler is missing or refuses.
    pub fn prepare(&self, traced: bool, tell: &mut dyn FnMut(Building)) -> Result<(), SimError> {
        self.validate()?;
        RawModel::load(self, traced, tell).map(|_| ())
    }

    pub(super) fn recipe(&self, traced: bool) -> Recipe {
        let Self {
            frame_width,
            id_width,
        } = *self;
        let suffix = if traced { "_traced" } else { "" };
        Recipe {
            name: format!("rifl_{frame_width}_{id_width}{suffix}"),
            core: "rifl",
            top: "rifl_link",
            parameters: vec![
                ("FrameWidth", frame_width.into()),
                ("IdWidth", id_width.into()),
                ("Extended", 0),
            ],
            shim: "rifl_shim.inc",
            received: "phy_rx_data_i",
            traced,
        }
    }
}
