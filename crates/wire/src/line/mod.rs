// SPDX-License-Identifier: Apache-2.0
//! What happens to the characters of a lane, the twin of `cores/line` for protocols with a line
//! code.
//!
//! | module | what | counterpart in `cores/line` |
//! |---|---|---|
//! | [`code`] | 8b/10b: characters and symbols | `line_8b10b_enc`, `line_8b10b_dec` |
//! | [`blocks`] | 64b/66b: words of 16 bits and blocks | `line_64b66b_tx`, `line_64b66b_rx` |
//! | [`stripe`] | which character goes to which of 1, 2 or 4 lanes | `line_stripe`, `line_unstripe` |
//!
//! The scrambler and the aligner of RIFL are with their protocol, in [`crate::rifl`].

pub mod blocks;
pub mod code;
pub mod stripe;

pub use blocks::{BlockDecoder, BlockEncoder};
pub use code::{Character, Disparity, Fault, Symbol};
pub use stripe::{Lanes, Word};
