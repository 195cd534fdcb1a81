// SPDX-License-Identifier: Apache-2.0
//! Which `htsp_end`: its parameters.

use super::ffi::{Ports, RawModel};
use crate::SimError;
use crate::models::{Building, Ports as _, Recipe};

/// Most channels of a link.
pub const MAX_CHANNELS: u8 = 16;
/// Bytes that a beat of the streams may have.
pub const BEATS: [u8; 3] = [16, 32, 64];

/// Parameters of both ends of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Model {
    /// Channels, 1 to 16.
    pub channels: u8,
    /// Words of 64 bytes in the receive buffer of a channel, 16 to 65535.
    pub rx_depth: u32,
    /// Bytes of a beat of all streams, one of [`BEATS`].
    pub bytes: u8,
}

impl Default for Model {
    /// Four channels of whole words, with the buffer of the published core: 256 KiB each.
    fn default() -> Self {
        Self {
            channels: 4,
            rx_depth: 4096,
            bytes: 64,
        }
    }
}

impl Model {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`SimError::BadParameter`] names the first field that is out of range.
    pub fn validate(&self) -> Result<(), SimError> {
        let bad = |name, message| Err(SimError::BadParameter { name, message });
        if !(1..=MAX_CHANNELS).contains(&self.channels) {
            return bad(
                "vcs",
                format!("{} is not in 1 to {MAX_CHANNELS}", self.channels),
            );
        }
        if !(16..=65535).contains(&self.rx_depth) {
            return bad(
                "rx_depth",
                format!("{} is not in 16 to 65535", self.rx_depth),
            );
        }
        if !BEATS.contains(&self.bytes) {
            return bad("bytes", format!("{} is not 16, 32 or 64", self.bytes));
        }
        Ok(())
    }

    /// Builds the simulator of this model, unless it has been built before; see
    /// [`crate::rifl::Model::prepare`].
    ///
    /// # Errors
    /// As [`Model::validate`]; or the repository, Verilator or the C++ compiler is missing or
    /// refuses.
    pub fn prepare(&self, tell: &mut dyn FnMut(Building)) -> Result<(), SimError> {
        self.validate()?;
        RawModel::load(&self.recipe(), tell).map(|_| ())
    }

    pub(super) fn recipe(&self) -> Recipe {
        let Self {
            channels,
            rx_depth,
            bytes,
        } = *self;
        Recipe {
            name: format!("htsp_{channels}_{rx_depth}_{bytes}"),
            core: "htsp",
            top: "htsp_end",
            parameters: vec![
                ("Channels", channels.into()),
                ("Bytes", bytes.into()),
                ("RxDepth", rx_depth.into()),
            ],
            shim: Ports::SHIM,
            received: "s_phy_axis_tdata",
            traced: false,
            brief: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert_eq!(Model::default().validate(), Ok(()));
        for (channels, rx_depth, bytes, said) in [
            (0, 64, 64, "vcs: 0 is not in 1 to 16"),
            (17, 64, 64, "vcs: 17 is not in 1 to 16"),
            (1, 15, 64, "rx_depth: 15 is not in 16 to 65535"),
            (1, 64, 8, "bytes: 8 is not 16, 32 or 64"),
        ] {
            let model = Model {
                channels,
                rx_depth,
                bytes,
            };
            let told = model.validate().unwrap_err();
            assert_eq!(told.to_string(), said);
        }
    }
}
