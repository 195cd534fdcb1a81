// SPDX-License-Identifier: Apache-2.0
//! Which `slink`: its parameters.

use super::ffi::{Ports, RawModel};
use crate::SimError;
use crate::models::{Building, Ports as _, Recipe};

/// Parameters of both ends. The memory's bus has 64 bits, as in the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Model {
    /// Beats of 8 bytes that may wait for the memory: a power of two, 512 to 65536.
    pub store_depth: u32,
    /// Cycles without an answer until an operation is tried again, 64 to 2^20.
    pub timeout: u32,
    /// Operations of an end that may be under way: 1, 2 or 4.
    pub outstanding: u8,
}

impl Default for Model {
    /// The parameters of the core.
    fn default() -> Self {
        Self {
            store_depth: 512,
            timeout: 4096,
            outstanding: 1,
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
        if !(512..=65536).contains(&self.store_depth) || !self.store_depth.is_power_of_two() {
            return bad(
                "store_depth",
                format!("{} is not a power of two in 512 to 65536", self.store_depth),
            );
        }
        if !(64..=1 << 20).contains(&self.timeout) {
            return bad("timeout", format!("{} is not in 64 to 2^20", self.timeout));
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
            store_depth,
            timeout,
            outstanding,
        } = *self;
        Recipe {
            name: format!("slink_{store_depth}_{timeout}_{outstanding}"),
            core: "slink",
            top: "slink",
            parameters: vec![
                ("DataWidth", 64),
                ("StoreDepth", store_depth.into()),
                ("Outstanding", outstanding.into()),
                ("Timeout", timeout.into()),
                ("Period", timeout.into()),
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
                Model { timeout: 1, ..good },
                "timeout: 1 is not in 64 to 2^20",
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
