// SPDX-License-Identifier: Apache-2.0
//! Restores a few sub-packets of a block. The library restores any number of them in one way, whose
//! time hardly depends on how many there are, so that one costs as much as all.
//!
//! Parity is linear. What parity came as and what it would be with zeros for what is lost differ by
//! what the lost sub-packets alone bring to it; as many rows of parity as there are lost
//! sub-packets are as many equations for them. Their coefficients are the parity of blocks of a
//! single 1, many of which make one block: a sub-packet of 64 bytes has 32 elements, and each is
//! its own codeword.

use super::erasure::CHECKED;
use reed_solomon_simd::ReedSolomonEncoder;
use reed_solomon_simd::engine::tables::{self, ExpLog};
use reed_solomon_simd::engine::utils::xor;
use reed_solomon_simd::engine::{DefaultEngine, Engine, GF_MODULUS, GfElement};

/// Most sub-packets that are restored so.
pub(super) const MOST: usize = ELEMENTS;

/// Bytes that the library calculates with at once: the low bytes of [`ELEMENTS`] elements, then
/// their high bytes.
const CHUNK: usize = 64;
/// Elements of it.
const ELEMENTS: usize = CHUNK / 2;
/// No change, as a factor.
const ONE: GfElement = 1;

/// The left side, a factor for each lost sub-packet, and the right side, one for each sum.
type Equation = ([GfElement; MOST], [GfElement; MOST]);

/// A block without what is lost.
pub(super) struct Block<'a> {
    /// Sub-packets, with zeros for lost ones.
    pub sub_packets: &'a [u8],
    /// Numbers of those that are lost, at most [`MOST`].
    pub lost: &'a [u16],
    /// As many of parity, and their numbers.
    pub parity: &'a [(u16, &'a [u8])],
}

/// Restores blocks.
pub(super) struct Few {
    /// Parity of blocks of the payload.
    whole: ReedSolomonEncoder,
    /// Parity of blocks of 64 bytes.
    units: ReedSolomonEncoder,
    engine: DefaultEngine,
    fields: &'static ExpLog,
    payload: usize,
    /// Sub-packets of parity.
    count: usize,
    /// What the lost sub-packets bring to each row of parity.
    sums: Vec<[u8; CHUNK]>,
    product: Vec<[u8; CHUNK]>,
    restored: Vec<[u8; CHUNK]>,
}

impl Few {
    /// For blocks of at most `data` sub-packets of `payload` bytes with `parity` of parity, all in
    /// range.
    pub(super) fn new(data: u16, parity: u16, payload: usize) -> Self {
        let encoder = |bytes| ReedSolomonEncoder::new(data.into(), parity.into(), bytes);
        Few {
            whole: encoder(payload).expect(CHECKED),
            units: encoder(CHUNK).expect(CHECKED),
            engine: DefaultEngine::new(),
            fields: tables::get_exp_log(),
            payload,
            count: parity.into(),
            sums: Vec::new(),
            product: vec![[0; CHUNK]; payload / CHUNK],
            restored: vec![[0; CHUNK]; payload / CHUNK],
        }
    }

    /// Hands over what is lost.
    pub(super) fn restore(&mut self, block: &Block<'_>, mut place: impl FnMut(u16, &[u8])) {
        let members = block.sub_packets.len() / self.payload;
        let encoder = &mut self.whole;
        encoder
            .reset(members, self.count, self.payload)
            .expect(CHECKED);
        for sub_packet in block.sub_packets.chunks_exact(self.payload) {
            encoder.add_original_shard(sub_packet).expect(CHECKED);
        }
        let without = encoder.encode().expect(CHECKED);
        self.sums.clear();
        for &(row, bytes) in block.parity {
            let at = self.sums.len();
            self.sums.extend_from_slice(bytes.as_chunks().0);
            let without = without.recovery(row.into()).expect(CHECKED);
            xor(&mut self.sums[at..], without.as_chunks().0);
        }
        drop(without);
        let inverse = self.inverse(members, block);
        for (&index, factors) in block.lost.iter().zip(&inverse) {
            self.restored.fill([0; CHUNK]);
            for (sum, &factor) in self.sums.chunks_exact(self.product.len()).zip(factors) {
                if factor == 0 {
                    continue;
                }
                self.product.copy_from_slice(sum);
                let log = self.fields.log[usize::from(factor)];
                self.engine.mul(&mut self.product, log);
                xor(&mut self.restored, &self.product);
            }
            place(index, self.restored.as_flattened());
        }
    }

    /// For each lost sub-packet, the factors of the sums.
    fn inverse(&mut self, members: usize, block: &Block<'_>) -> Vec<[GfElement; MOST]> {
        let encoder = &mut self.units;
        encoder.reset(members, self.count, CHUNK).expect(CHECKED);
        for index in 0..members {
            let mut unit = [0; CHUNK];
            if let Some(at) = block.lost.iter().position(|&it| usize::from(it) == index) {
                unit[at] = ONE as u8;
            }
            encoder.add_original_shard(unit).expect(CHECKED);
        }
        let result = encoder.encode().expect(CHECKED);
        let equation = |(number, &(row, _)): (usize, &(u16, _))| {
            let bytes = result.recovery(row.into()).expect(CHECKED);
            let element = |at| GfElement::from_le_bytes([bytes[at], bytes[at + ELEMENTS]]);
            let mut right = [0; MOST];
            right[number] = ONE;
            (std::array::from_fn(element), right)
        };
        let mut rows: Vec<Equation> = block.parity.iter().enumerate().map(equation).collect();
        eliminate(self.fields, &mut rows);
        rows.into_iter().map(|(_, right)| right).collect()
    }
}

/// Gauss and Jordan: makes the left side that of the identity. Any as many rows of parity as
/// sub-packets are independent, so there is always a pivot.
fn eliminate(fields: &ExpLog, rows: &mut [Equation]) {
    let ExpLog { exp, log } = fields;
    for at in 0..rows.len() {
        let pivot = (at..rows.len()).find(|&row| rows[row].0[at] != 0);
        rows.swap(at, pivot.expect("independent rows"));
        let inverse = GF_MODULUS - log[usize::from(rows[at].0[at])];
        let (left, right) = &mut rows[at];
        for element in left.iter_mut().chain(right) {
            *element = tables::mul(*element, inverse, exp, log);
        }
        let pivot = rows[at];
        for (number, row) in rows.iter_mut().enumerate() {
            let factor = row.0[at];
            if number == at || factor == 0 {
                continue;
            }
            let factor = log[usize::from(factor)];
            let pivot = pivot.0.iter().chain(&pivot.1);
            for (element, &from) in row.0.iter_mut().chain(&mut row.1).zip(pivot) {
                *element ^= tables::mul(from, factor, exp, log);
            }
        }
    }
}
