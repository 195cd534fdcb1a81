// SPDX-License-Identifier: Apache-2.0
//! Which `rdma`: its parameters.

use super::ffi::{Ports, RawModel};
use crate::SimError;
use crate::models::{Building, Ports as _, Recipe};

/// Parameters of all engines. What is not here is as in the RTL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Model {
    /// Pages, which are the protection domains: 2, 4, 8 or 16.
    pub pages: u8,
    /// Priorities of a class, 1 to 16.
    pub priorities: u8,
    /// Bits of the users' port: 64, 128 or 256.
    pub port_bits: u16,
    /// Packed framing, else framing in words.
    pub packed: bool,
    /// Nodes that may send to an engine: 2, 4, 8, 16, 32 or 64.
    pub senders: u8,
}

impl Default for Model {
    /// Two pages, which are quickly compiled, and the port of the thesis.
    fn default() -> Self {
        Self {
            pages: 2,
            priorities: 16,
            port_bits: 128,
            packed: false,
            senders: 2,
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
        if ![2, 4, 8, 16].contains(&self.pages) {
            return bad("pages", format!("{} is not 2, 4, 8 or 16", self.pages));
        }
        if !(1..=16).contains(&self.priorities) {
            return bad(
                "priorities",
                format!("{} is not in 1 to 16", self.priorities),
            );
        }
        if ![64, 128, 256].contains(&self.port_bits) {
            return bad(
                "port_bits",
                format!("{} is not 64, 128 or 256", self.port_bits),
            );
        }
        if ![2, 4, 8, 16, 32, 64].contains(&self.senders) {
            return bad(
                "senders",
                format!("{} is not 2, 4, 8, 16, 32 or 64", self.senders),
            );
        }
        Ok(())
    }

    /// Senders of each engine in a network of these nodes: networks of up to eight are the same, so
    /// that one simulator serves most.
    #[must_use]
    pub fn senders_of(nodes: u16) -> u8 {
        u8::try_from(nodes.next_power_of_two().max(8)).unwrap_or(u8::MAX)
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
            pages,
            priorities,
            port_bits,
            packed,
            senders,
        } = *self;
        let framing = if packed { "_packed" } else { "" };
        Recipe {
            name: format!("rdma_{pages}_{priorities}_{port_bits}_{senders}{framing}"),
            core: "rdma",
            top: "rdma",
            parameters: vec![
                ("Pages", pages.into()),
                ("Priorities", priorities.into()),
                ("DataWidth", port_bits.into()),
                ("Senders", senders.into()),
                ("Packed", packed.into()),
            ],
            shim: Ports::SHIM,
            // All inputs are settled before the clock rises: nothing is left to do for any.
            received: "clk_i",
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
        let model = Model::default();
        assert_eq!(model.validate(), Ok(()));
        for (bad, said) in [
            (Model { pages: 3, ..model }, "pages: 3 is not 2, 4, 8 or 16"),
            (
                Model {
                    priorities: 17,
                    ..model
                },
                "priorities: 17 is not in 1 to 16",
            ),
            (
                Model {
                    port_bits: 32,
                    ..model
                },
                "port_bits: 32 is not 64, 128 or 256",
            ),
            (
                Model {
                    senders: 6,
                    ..model
                },
                "senders: 6 is not 2, 4, 8, 16, 32 or 64",
            ),
        ] {
            assert_eq!(bad.validate().unwrap_err().to_string(), said);
        }
    }
}
