// SPDX-License-Identifier: Apache-2.0
//! Which `slink`: its parameters.

use ropewalk_wire::slink::endpoint::GAP;

use super::ffi::{Ports, RawModel};
use crate::SimError;
use crate::models::{Building, Ports as _, Recipe};

/// Parameters of both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Model {
    /// Bits of the memory's bus: 64, as in the paper, or 128.
    pub bus_bits: u32,
    /// Beats of 8 bytes that may wait for the memory: a power of two, 512 to 65536.
    pub store_depth: u32,
    /// Cycles without an answer until an operation is tried again, 64 to 2^20.
    pub timeout: u32,
    /// Operations of an end that may be under way: 1, 2 or 4.
    pub outstanding: u8,
    /// Changes of the line's mode, and 64b/66b.
    pub switch: bool,
}

impl Default for Model {
    /// All that the core can be built with, so that one simulator serves every run: what a run
    /// does not use takes no cycle of it (`tests/slink_link.rs`).
    fn default() -> Self {
        Self {
            bus_bits: 64,
            store_depth: 512,
            timeout: 4096,
            outstanding: 4,
            switch: true,
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
        if ![64, 128].contains(&self.bus_bits) {
            return bad("bus_bits", format!("{} is not 64 or 128", self.bus_bits));
        }
        if !(512..=65536).contains(&self.store_depth) || !self.store_depth.is_power_of_two() {
            return bad(
                "store_depth",
                format!("{} is not a power of two in 512 to 65536", self.store_depth),
            );
        }
        // A change of the mode is silent for so long.
        let least = if self.switch { GAP as u32 } else { 64 };
        if !(least..=1 << 20).contains(&self.timeout) {
            let timeout = self.timeout;
            return bad("timeout", format!("{timeout} is not in {least} to 2^20"));
        }
        if ![1, 2, 4].contains(&self.outstanding) {
            return bad(
                "outstanding",
                format!("{} is not 1, 2 or 4", self.outstanding),
            );
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
            bus_bits,
            store_depth,
            timeout,
            outstanding,
            switch,
        } = *self;
        let switch = u64::from(switch);
        Recipe {
            name: format!("slink_{bus_bits}_{store_depth}_{timeout}_{outstanding}_{switch}"),
            core: "slink",
            top: "slink",
            parameters: vec![
                ("DataWidth", bus_bits.into()),
                ("StoreDepth", store_depth.into()),
                ("Outstanding", outstanding.into()),
                ("Timeout", timeout.into()),
                ("Period", timeout.into()),
                ("Switch", switch),
                ("Blocks", switch),
            ],
            shim: Ports::SHIM,
            received: "rx_data_i",
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
        let good = Model::default();
        assert_eq!(good.validate(), Ok(()));
        for (model, said) in [
            (
                Model {
                    store_depth: 600,
                    ..good
                },
                "store_depth: 600 is not a power of two in 512 to 65536",
            ),
            (
                Model {
                    bus_bits: 32,
                    ..good
                },
                "bus_bits: 32 is not 64 or 128",
            ),
            (
                Model {
                    timeout: 511,
                    ..good
                },
                "timeout: 511 is not in 512 to 2^20",
            ),
            (
                Model {
                    timeout: 63,
                    switch: false,
                    ..good
                },
                "timeout: 63 is not in 64 to 2^20",
            ),
            (
                Model {
                    outstanding: 3,
                    ..good
                },
                "outstanding: 3 is not 1, 2 or 4",
            ),
        ] {
            assert_eq!(model.validate().unwrap_err().to_string(), said);
        }
    }
}
