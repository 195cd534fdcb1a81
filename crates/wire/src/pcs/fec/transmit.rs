// SPDX-License-Identifier: Apache-2.0
//! Rows to codewords.

use super::super::Row;
use super::{Bits, LONG_BITS, ROW_BITS, ROWS, map, put_all, transcode};
use crate::rsfec::bits::to_symbols;
use crate::rsfec::{Code, Codec, Symbol};
use alloc::vec;
use alloc::vec::Vec;

/// Rows in, codewords out.
#[derive(Debug, Clone)]
pub struct Transmitter {
    codec: Codec,
    period: usize,
    /// Rows since the last one of markers, which is 0.
    count: usize,
    odd: bool,
    /// Bits of the codeword that is being filled.
    message: Vec<u64>,
}

impl Transmitter {
    /// With this number of rows from markers to markers, those of markers among them; the first row
    /// is one.
    ///
    /// # Panics
    /// No multiple of eight, of which a word on the lanes needs one.
    #[must_use]
    pub fn new(period: usize) -> Self {
        assert!(
            period > 0 && period.is_multiple_of(8),
            "rows of a period: {period}"
        );
        Transmitter {
            codec: Codec::new(Code::KR4),
            period,
            count: 0,
            odd: false,
            message: vec![0; (ROWS * ROW_BITS).div_ceil(64)],
        }
    }

    /// Takes a row; a codeword that is complete is appended.
    pub fn row(&mut self, row: &Row, codewords: &mut Vec<Vec<Symbol>>) {
        let bits = if self.count == 0 {
            self.odd = !self.odd;
            map(row, !self.odd)
        } else {
            let mut bits = Bits::from([0; size_of::<Bits>() / 8]);
            for (j, blocks) in row.as_chunks().0.iter().enumerate() {
                put_all(&mut bits, j * LONG_BITS, &transcode(blocks), LONG_BITS);
            }
            bits
        };
        let at = self.count % ROWS * ROW_BITS;
        put_all(&mut self.message, at, &bits, ROW_BITS);
        self.count = (self.count + 1) % self.period;
        if self.count.is_multiple_of(ROWS) {
            let code = self.codec.code();
            let mut codeword = vec![0; code.n()];
            to_symbols(&self.message, &mut codeword[..code.k()]);
            self.codec.encode(&mut codeword);
            codewords.push(codeword);
            self.message.fill(0);
        }
    }
}
