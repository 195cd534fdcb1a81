// SPDX-License-Identifier: Apache-2.0
//! What happens to the characters of a lane, the twin of `cores/line` for protocols with a line code.
//!
//! | module | what | counterpart in `cores/line` |
//! |---|---|---|
//! | [`code`] | 8b/10b: characters and symbols | `line_8b10b_enc`, `line_8b10b_dec` |
//!
//! The scrambler and the aligner of RIFL are with their protocol, in [`crate::rifl`].

pub mod code;

pub use code::{Character, Disparity, Fault, Symbol};
