// SPDX-License-Identifier: Apache-2.0
//! Forward error correction of sub-packets.
//!
//! | module | what |
//! |---|---|
//! | [`rs`] | mends changed bytes within a sub-packet |
//! | [`erasure`] | restores sub-packets that never arrived |
//! | [`mod@measure`] | how fast that is on one core |
//!
//! This is the one part of the crate with code that the compiler cannot check for memory safety:
//! vector instructions exist only as such. It is confined to the loads, stores and calls in the
//! modules of [`Path::Gfni`] and [`Path::Avx2`].

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2;
mod decode;
pub mod erasure;
mod few;
mod gf;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod gfni;
pub mod measure;
pub mod rs;
mod scalar;
mod transform;

pub use measure::measure;
pub use rs::{Code, CodeError, Path, Uncorrectable};
