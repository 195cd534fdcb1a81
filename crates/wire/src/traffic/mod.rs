// SPDX-License-Identifier: Apache-2.0
//! The player and the capture of streams in hardware: their registers.
//!
//! The core is described in `cores/traffic/README.md`.

pub mod regs;
