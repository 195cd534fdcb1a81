// SPDX-License-Identifier: Apache-2.0
//! Reed-Solomon code RS(255, 255 - 2t) over the lines of a sub-packet, which mends what a channel
//! has changed.
//!
//! A *line* is 64 bytes. Byte j of all lines is codeword j: 64 codewords lie side by side, so that
//! whole lines are added and multiplied and nothing is transposed. A codeword has places 0 to 254.
//! In front are the `2t` lines of parity; the next places, up to a power of two, are not sent if
//! there are any; the lines of the payload follow, then one that holds what stands in front of the
//! payload (the header, with the tag of a sealed sub-packet), padded with zeros that are not sent.
//! The places behind count as zeros.
//!
//! * Field: x^8 + x^4 + x^3 + x^2 + 1. Place n belongs to the element `POINTS[n]` + `POINTS[255]`:
//!   all elements but 0, ordered so that parity is a short transform (`transform.rs`). Of the
//!   codewords of RS(255, 255 - 2t) with the roots 2^0 to 2^(2t - 1), where the byte of the element
//!   2^i stands for x^i, this has the bytes in another order. Where 2t is no power of two, it is
//!   that code for the next one, without the parity that is not sent: it mends t bytes all the
//!   same.
//! * Up to t bytes of each codeword are mended wherever they are, in header, payload or parity: up
//!   to 64 t bytes of a sub-packet, and any burst of 64 t bytes.
//! * More are reported, or very rarely mended to something else: [`Code::miscorrection`]. The check
//!   (or the tag) of the sub-packet has the last word, so it is verified after mending.
//!
//! Parity is calculated in one of three ways, which give the same bytes: [`Path`]. To check is to
//! calculate parity again; from what differs, the few columns that are not clean are mended one by
//! one.

use super::decode::{self, Patch};
use super::scalar;
use super::transform;
#[cfg(target_arch = "x86_64")]
use super::{avx2, gfni};
use thiserror::Error;

/// Bytes of a line: a cache line, and the codewords side by side.
pub const LINE: usize = 64;

/// A line.
pub type Line = [u8; LINE];

/// Most bytes of a codeword that can be mended.
pub const MAX_T: usize = 16;

/// Length of a codeword that is not shortened.
const LENGTH: usize = 255;

/// Instructions with which parity is calculated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// Nothing but shifts and sums of bytes, on every processor.
    Scalar,
    /// Byte shuffles of AVX2.
    Avx2,
    /// Galois-field products on words of AVX-512.
    Gfni,
}

impl Path {
    /// From the slowest to the fastest.
    pub const ALL: [Path; 3] = [Path::Scalar, Path::Avx2, Path::Gfni];

    /// Whether this processor has the instructions.
    #[must_use]
    pub fn available(self) -> bool {
        Unit::new(self).is_some()
    }

    /// The fastest one that this processor has.
    #[must_use]
    pub fn best() -> Path {
        let [slow, medium, fast] = Path::ALL;
        if fast.available() {
            fast
        } else if medium.available() {
            medium
        } else {
            slow
        }
    }
}

/// A code that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CodeError {
    /// Strength out of range.
    #[error("{0} bytes to mend in a codeword: accepted are 1 to {MAX_T}")]
    Strength(usize),
    /// Too many lines, or none.
    #[error("{lines} lines of 64 bytes: accepted are 1 to {most} beside {parity} lines of parity")]
    Lines {
        /// Asked number.
        lines: usize,
        /// Largest accepted number.
        most: usize,
        /// Lines of parity.
        parity: usize,
    },
    /// Instructions that this processor lacks.
    #[error("{0:?} instructions: this processor has none")]
    Path(Path),
}

/// More was changed than the code can mend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("more bytes changed than the code can mend")]
pub struct Uncorrectable;

/// What calculates.
#[derive(Debug, Clone, Copy)]
enum Unit {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Unit),
    #[cfg(target_arch = "x86_64")]
    Gfni(gfni::Unit),
}

impl Unit {
    /// None on a processor without the instructions.
    fn new(path: Path) -> Option<Self> {
        match path {
            Path::Scalar => Some(Unit::Scalar),
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => avx2::Unit::new().map(Unit::Avx2),
            #[cfg(target_arch = "x86_64")]
            Path::Gfni => gfni::Unit::new().map(Unit::Gfni),
            #[cfg(not(target_arch = "x86_64"))]
            _ => None,
        }
    }
}

/// A code for sub-packets of one size.
#[derive(Debug, Clone)]
pub struct Code {
    t: usize,
    lines: usize,
    path: Path,
    unit: Unit,
}

impl Code {
    /// Mends `t` bytes of a codeword; `lines` lines of payload.
    ///
    /// # Errors
    /// A number out of range.
    pub fn new(t: usize, lines: usize) -> Result<Self, CodeError> {
        Self::with_path(t, lines, Path::best())
    }

    /// The same, calculated with given instructions: to compare them.
    ///
    /// # Errors
    /// A number out of range; instructions that this processor lacks.
    pub fn with_path(t: usize, lines: usize, path: Path) -> Result<Self, CodeError> {
        check(t, lines)?;
        let unit = Unit::new(path).ok_or(CodeError::Path(path))?;
        Ok(Code {
            t,
            lines,
            path,
            unit,
        })
    }

    /// Instructions with which parity is calculated.
    #[must_use]
    pub fn path(&self) -> Path {
        self.path
    }

    /// Bytes of payload.
    #[must_use]
    pub fn data_len(&self) -> usize {
        self.lines * LINE
    }

    /// Bytes of parity.
    #[must_use]
    pub fn parity_len(&self) -> usize {
        2 * self.t * LINE
    }

    /// The probability that [`Code::correct`] takes a codeword that was changed at random in more
    /// than `t` places for another one: the share of all remainders that t changes or fewer can
    /// leave. The bytes that it changes then are at most `t`.
    #[must_use]
    pub fn miscorrection(&self) -> f64 {
        let length = (self.lines + 1 + 2 * self.t) as f64;
        let mut patterns = 1.0;
        let mut sum = 1.0;
        for errors in 1..=self.t {
            patterns *= (length - errors as f64 + 1.0) / errors as f64 * LENGTH as f64;
            sum += patterns;
        }
        sum / 256_f64.powi(2 * self.t as i32)
    }

    /// Writes the parity of a header of at most 64 bytes and a payload.
    ///
    /// # Panics
    /// A length that is not that of this code.
    pub fn encode(&self, head: &[u8], data: &[u8], parity: &mut [u8]) {
        assert_eq!(parity.len(), self.parity_len(), "bytes of parity");
        let (rows, _) = parity.as_chunks_mut();
        self.parity(head, data, Rows::Write(rows));
    }

    /// Whether nothing was changed.
    ///
    /// # Panics
    /// A length that is not that of this code.
    #[must_use]
    pub fn check(&self, head: &[u8], data: &[u8], parity: &[u8]) -> bool {
        assert_eq!(parity.len(), self.parity_len(), "bytes of parity");
        let (rows, _) = parity.as_chunks();
        self.parity(head, data, Rows::Compare(rows))
    }

    /// Mends what was changed, and returns the number of bytes mended; 0 if all was well.
    ///
    /// # Errors
    /// There is a codeword with more than `t` changed bytes. Nothing is mended then, in the other
    /// codewords neither.
    ///
    /// # Panics
    /// A length that is not that of this code.
    pub fn correct(
        &self,
        head: &mut [u8],
        data: &mut [u8],
        parity: &mut [u8],
    ) -> Result<usize, Uncorrectable> {
        if self.check(head, data, parity) {
            return Ok(0);
        }
        // Parity received and parity of what was received, added: the remainder of each codeword.
        let mut remainder = [[0; LINE]; 2 * MAX_T];
        let remainder = &mut remainder[..2 * self.t];
        self.parity(head, data, Rows::Write(remainder));
        for (calculated, received) in remainder.as_flattened_mut().iter_mut().zip(&*parity) {
            *calculated ^= received;
        }
        let rows = remainder.len();
        let lines = self.lines + 1;
        // Found first and written then, so that nothing is written where one of the columns fails.
        let mut patches = [(0, Patch::default()); LINE * MAX_T];
        let mut found = 0;
        for column in 0..LINE {
            let mut bytes = [0; 2 * MAX_T];
            for (byte, row) in bytes.iter_mut().zip(&*remainder) {
                *byte = row[column];
            }
            let bytes = &bytes[..remainder.len()];
            if bytes.iter().all(|&byte| byte == 0) {
                continue;
            }
            for patch in decode::column(bytes, lines)?.iter() {
                if usize::from(patch.place) == rows + self.lines && column >= head.len() {
                    return Err(Uncorrectable);
                }
                patches[found] = (column as u8, patch);
                found += 1;
            }
        }
        for &(column, Patch { place, change }) in &patches[..found] {
            let (column, place) = (usize::from(column), usize::from(place));
            let byte = match place.checked_sub(rows) {
                None => &mut parity[place * LINE + column],
                Some(line) if line < self.lines => &mut data[line * LINE + column],
                Some(_) => &mut head[column],
            };
            *byte ^= change;
        }
        Ok(found)
    }

    fn parity(&self, head: &[u8], data: &[u8], rows: Rows<'_>) -> bool {
        assert_eq!(data.len(), self.data_len(), "bytes of payload");
        assert!(head.len() <= LINE, "header of {} bytes", head.len());
        let (data, _) = data.as_chunks();
        match self.unit {
            Unit::Scalar => scalar::parity(head, data, rows),
            #[cfg(target_arch = "x86_64")]
            Unit::Avx2(unit) => unit.parity(head, data, rows),
            #[cfg(target_arch = "x86_64")]
            Unit::Gfni(unit) => unit.parity(head, data, rows),
        }
    }
}

/// Whether there is a code that mends `t` bytes of a codeword beside `lines` lines of payload.
///
/// # Errors
/// The number that is out of range.
pub fn check(t: usize, lines: usize) -> Result<(), CodeError> {
    if !(1..=MAX_T).contains(&t) {
        return Err(CodeError::Strength(t));
    }
    let parity = 2 * t;
    let most = LENGTH - transform::block(parity) - 1;
    if !(1..=most).contains(&lines) {
        return Err(CodeError::Lines {
            lines,
            most,
            parity,
        });
    }
    Ok(())
}

/// What to do with rows of parity.
#[derive(Debug)]
pub(super) enum Rows<'a> {
    /// They are written.
    Write(&'a mut [Line]),
    /// They are compared.
    Compare(&'a [Line]),
}

impl Rows<'_> {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        match self {
            Rows::Write(rows) => rows.len(),
            Rows::Compare(rows) => rows.len(),
        }
    }
}
