// SPDX-License-Identifier: Apache-2.0
//! The RS-FEC sublayer of 100GBASE-R (IEEE 802.3 clause 91): rows of a PCS become codewords of
//! RS(528,514) on four FEC lanes, and back.
//!
//! Four blocks become one of 257 bits, a [`Long`]; a row has five of them, a codeword four rows and
//! parity. A row of markers is mapped so that each FEC lane begins with a marker of its own.
//! Symbol i of a codeword goes over FEC lane i mod 4.
//!
//! [`Transmitter`] and [`Receiver`] do what `cores/pcs` does with `pcs_fec`, the receiver bit by
//! bit. What both make of the same input is in `crates/wire/vectors/pcs`.

mod markers;
mod receive;
mod transcode;
mod transmit;

pub use markers::{map, unmap};
pub use receive::{Counts, Limits, Mode, Receiver, State};
pub use transcode::{Untranscoder, transcode};
pub use transmit::Transmitter;

use crate::rsfec::bits::{get, put};

/// FEC lanes.
pub const FEC_LANES: usize = 4;

/// Rows of a codeword.
pub const ROWS: usize = 4;

/// Bits of a row.
pub(crate) const ROW_BITS: usize = 5 * LONG_BITS;

/// Bits of a block of four.
pub(crate) const LONG_BITS: usize = 257;

/// Four blocks as 257 bits, the first one in the lowest place.
pub type Long = [u64; LONG_BITS.div_ceil(64)];

/// A row as 1285 bits, the first one in the lowest place.
pub type Bits = [u64; ROW_BITS.div_ceil(64)];

/// Adds many bits at a place.
fn put_all(bits: &mut [u64], at: usize, from: &[u64], count: usize) {
    for begin in (0..count).step_by(64) {
        let some = (count - begin).min(64);
        put(bits, at + begin, some, get(from, begin, some));
    }
}

/// Many bits from a place on.
fn get_all<const WORDS: usize>(bits: &[u64], at: usize, count: usize) -> [u64; WORDS] {
    let mut found = [0; WORDS];
    for begin in (0..count).step_by(64) {
        let some = (count - begin).min(64);
        put(&mut found, begin, some, get(bits, at + begin, some));
    }
    found
}
