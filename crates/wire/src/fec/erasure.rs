// SPDX-License-Identifier: Apache-2.0
//! Parity over sub-packets, which restores sub-packets that never arrived.
//!
//! The sub-packets of a chunk are dealt out to blocks of at most `data` each, one after the other:
//! with B blocks, sub-packet n is number n / B of block n mod B. To each block belong `parity`
//! further sub-packets of the same size, dealt out in the same way. Of the sub-packets of a block
//! and its parity, any as many as the block has restore the block. As neighbours lie in different
//! blocks, a burst of losses takes little from each: B `parity` sub-packets of a chunk in a row can
//! go.
//!
//! A sub-packet that is not full counts as if it ended with zeros; its length is not part of what
//! is restored.
//!
//! The code is that of the crate `reed-solomon-simd`, over 65 536 elements. Up to 32 lost
//! sub-packets of a block are restored by equations for them alone (`few.rs`), which takes much
//! less time.

use super::few::{Block, Few, MOST};
use reed_solomon_simd::{ReedSolomonDecoder, ReedSolomonEncoder};
use std::ops::RangeInclusive;
use thiserror::Error;

/// Sub-packets of a block.
pub const DATA: RangeInclusive<u16> = 1..=1024;
/// Sub-packets of parity of a block.
pub const PARITY: RangeInclusive<u16> = 1..=256;

/// A code that does not exist, or was not used as agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ErasureError {
    /// Sub-packets of a block.
    #[error("{0} sub-packets in a block: accepted are {first} to {last}", first = DATA.start(), last = DATA.end())]
    Data(u16),
    /// Sub-packets of parity.
    #[error("{0} sub-packets of parity in a block: accepted are {first} to {last}", first = PARITY.start(), last = PARITY.end())]
    Parity(u16),
    /// Size of a sub-packet.
    #[error("sub-packets of {0} bytes: accepted are multiples of 64 above 0")]
    Payload(usize),
    /// A chunk without sub-packets.
    #[error("no sub-packets in a chunk: accepted are 1 or more")]
    Empty,
    /// A block with another number of sub-packets than its code can have.
    #[error("{count} sub-packets for a block of at most {most}")]
    Count {
        /// How many there were.
        count: usize,
        /// How many there may be.
        most: u16,
    },
    /// Too little has arrived.
    #[error("{there} sub-packets of a block have arrived, {needed} are needed")]
    Missing {
        /// Sub-packets that arrived, parity included.
        there: u16,
        /// Sub-packets of the block.
        needed: u16,
    },
}

/// A block, or a place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Number of the block in its chunk.
    pub block: u16,
    /// Number in the block.
    pub index: u16,
}

/// How the sub-packets of a chunk are dealt out to blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    total: u16,
    blocks: u16,
    parity: u16,
}

impl Layout {
    /// A chunk of `total` sub-packets, at most `data` in a block, each block with `parity`
    /// sub-packets of parity.
    ///
    /// # Errors
    /// A number out of range.
    pub fn new(total: u16, data: u16, parity: u16) -> Result<Self, ErasureError> {
        check(data, parity)?;
        if total == 0 {
            return Err(ErasureError::Empty);
        }
        Ok(Layout {
            total,
            blocks: total.div_ceil(data),
            parity,
        })
    }

    /// Number of blocks.
    #[must_use]
    pub const fn blocks(&self) -> u16 {
        self.blocks
    }

    /// Sub-packets of one of the blocks, parity not counted.
    #[must_use]
    pub const fn members(&self, block: u16) -> u16 {
        (self.total - block).div_ceil(self.blocks)
    }

    /// Sub-packets of parity of the chunk.
    #[must_use]
    pub const fn parity(&self) -> u32 {
        self.blocks as u32 * self.parity as u32
    }

    /// Where a sub-packet of the chunk belongs; none if the chunk has no such sub-packet.
    #[must_use]
    pub fn place(&self, number: u16) -> Option<Place> {
        (number < self.total).then(|| Place {
            block: number % self.blocks,
            index: number / self.blocks,
        })
    }

    /// Where a sub-packet of parity belongs; none if the chunk has no such one.
    #[must_use]
    pub fn parity_place(&self, number: u32) -> Option<Place> {
        let blocks = u32::from(self.blocks);
        (number < self.parity()).then(|| Place {
            block: (number % blocks) as u16,
            index: (number / blocks) as u16,
        })
    }

    /// The sub-packet of the chunk at a place of this layout.
    #[must_use]
    pub const fn number(&self, place: Place) -> u16 {
        place.index * self.blocks + place.block
    }

    /// The sub-packet of parity at a place of this layout.
    #[must_use]
    pub const fn parity_number(&self, place: Place) -> u32 {
        place.index as u32 * self.blocks as u32 + place.block as u32
    }
}

/// Whether there are blocks of `data` sub-packets with `parity` of parity.
///
/// # Errors
/// The number that is out of range.
pub fn check(data: u16, parity: u16) -> Result<(), ErasureError> {
    if !DATA.contains(&data) {
        return Err(ErasureError::Data(data));
    }
    if !PARITY.contains(&parity) {
        return Err(ErasureError::Parity(parity));
    }
    Ok(())
}

fn check_payload(payload: usize) -> Result<(), ErasureError> {
    if payload == 0 || !payload.is_multiple_of(64) {
        return Err(ErasureError::Payload(payload));
    }
    Ok(())
}

/// What the library refuses has been refused before.
pub(super) const CHECKED: &str = "numbers and sizes are checked";

/// Writes the parity of blocks.
pub struct Encoder {
    inner: ReedSolomonEncoder,
    data: u16,
    parity: u16,
    padded: Vec<u8>,
}

impl Encoder {
    /// For blocks of at most `data` sub-packets of `payload` bytes.
    ///
    /// # Errors
    /// A number out of range.
    pub fn new(data: u16, parity: u16, payload: usize) -> Result<Self, ErasureError> {
        check(data, parity)?;
        check_payload(payload)?;
        let inner = ReedSolomonEncoder::new(data.into(), parity.into(), payload);
        Ok(Encoder {
            inner: inner.expect(CHECKED),
            data,
            parity,
            padded: vec![0; payload],
        })
    }

    /// Writes the parity of a block, one sub-packet after the other.
    ///
    /// # Errors
    /// A block without sub-packets, or with too many.
    ///
    /// # Panics
    /// A sub-packet that is too long, or another size of `parity` than all sub-packets of parity
    /// together.
    pub fn encode<'a>(
        &mut self,
        block: impl ExactSizeIterator<Item = &'a [u8]>,
        parity: &mut [u8],
    ) -> Result<(), ErasureError> {
        let payload = self.padded.len();
        let count = block.len();
        if !(1..=usize::from(self.data)).contains(&count) {
            let most = self.data;
            return Err(ErasureError::Count { count, most });
        }
        assert_eq!(
            parity.len(),
            usize::from(self.parity) * payload,
            "bytes of parity"
        );
        let inner = &mut self.inner;
        inner
            .reset(count, self.parity.into(), payload)
            .expect(CHECKED);
        for sub_packet in block {
            let whole = pad(sub_packet, &mut self.padded);
            inner.add_original_shard(whole).expect(CHECKED);
        }
        let result = inner.encode().expect(CHECKED);
        for (to, from) in parity.chunks_exact_mut(payload).zip(result.recovery_iter()) {
            to.copy_from_slice(from);
        }
        Ok(())
    }
}

/// The sub-packet with zeros behind it.
fn pad<'a>(sub_packet: &'a [u8], padded: &'a mut [u8]) -> &'a [u8] {
    if sub_packet.len() == padded.len() {
        return sub_packet;
    }
    let (bytes, zeros) = padded.split_at_mut(sub_packet.len());
    bytes.copy_from_slice(sub_packet);
    zeros.fill(0);
    padded
}

/// Restores blocks, one at a time.
pub struct Decoder {
    few: Few,
    /// For more than a few.
    inner: ReedSolomonDecoder,
    data: u16,
    parity: u16,
    payload: usize,
    members: u16,
    /// Sub-packets, with zeros for those that have not arrived, then parity.
    bytes: Vec<u8>,
    /// What has arrived: sub-packets, then parity.
    there: Vec<bool>,
    count: u16,
    data_count: u16,
}

impl Decoder {
    /// For blocks of at most `data` sub-packets of `payload` bytes.
    ///
    /// # Errors
    /// A number out of range.
    pub fn new(data: u16, parity: u16, payload: usize) -> Result<Self, ErasureError> {
        check(data, parity)?;
        check_payload(payload)?;
        let inner = ReedSolomonDecoder::new(data.into(), parity.into(), payload);
        let all = usize::from(data) + usize::from(parity);
        Ok(Decoder {
            few: Few::new(data, parity, payload),
            inner: inner.expect(CHECKED),
            data,
            parity,
            payload,
            members: data,
            bytes: vec![0; all * payload],
            there: vec![false; all],
            count: 0,
            data_count: 0,
        })
    }

    /// Begins with a block of `members` sub-packets, of which nothing is there yet.
    ///
    /// # Errors
    /// None, or too many; nothing has changed then.
    pub fn begin(&mut self, members: u16) -> Result<(), ErasureError> {
        if !(1..=self.data).contains(&members) {
            let (count, most) = (members.into(), self.data);
            return Err(ErasureError::Count { count, most });
        }
        self.members = members;
        self.there.fill(false);
        (self.count, self.data_count) = (0, 0);
        Ok(())
    }

    /// A sub-packet of the block has arrived. False if it is known, too long, or not of this block.
    pub fn data(&mut self, index: u16, sub_packet: &[u8]) -> bool {
        let at = usize::from(index);
        if index >= self.members || self.there[at] || sub_packet.len() > self.payload {
            return false;
        }
        let place = &mut self.bytes[at * self.payload..][..self.payload];
        let (bytes, zeros) = place.split_at_mut(sub_packet.len());
        bytes.copy_from_slice(sub_packet);
        zeros.fill(0);
        self.there[at] = true;
        self.count += 1;
        self.data_count += 1;
        true
    }

    /// A sub-packet of its parity has arrived. False if it is known, of another size, or not of
    /// this block.
    pub fn parity(&mut self, index: u16, sub_packet: &[u8]) -> bool {
        let at = usize::from(self.data) + usize::from(index);
        if index >= self.parity || self.there[at] || sub_packet.len() != self.payload {
            return false;
        }
        self.bytes[at * self.payload..][..self.payload].copy_from_slice(sub_packet);
        self.there[at] = true;
        self.count += 1;
        true
    }

    /// Whether what has arrived is enough.
    #[must_use]
    pub fn is_enough(&self) -> bool {
        self.count >= self.members
    }

    /// Hands over what has not arrived, and says how many sub-packets that were. Another block
    /// begins afterwards, with [`Decoder::begin`].
    ///
    /// # Errors
    /// Too little has arrived; more can be added.
    pub fn restore(&mut self, place: impl FnMut(u16, &[u8])) -> Result<u16, ErasureError> {
        let (there, needed) = (self.count, self.members);
        if there < needed {
            return Err(ErasureError::Missing { there, needed });
        }
        let lost = self.members - self.data_count;
        match usize::from(lost) {
            0 => (),
            1..=MOST => self.restore_few(place),
            _ => self.restore_many(place),
        }
        let members = self.members;
        self.begin(members)?;
        Ok(lost)
    }

    fn restore_few(&mut self, place: impl FnMut(u16, &[u8])) {
        let lost: Vec<_> = (0..self.members)
            .filter(|&index| !self.there[usize::from(index)])
            .collect();
        let (sub_packets, parity) = self
            .bytes
            .split_at_mut(usize::from(self.data) * self.payload);
        let sub_packets = &mut sub_packets[..usize::from(self.members) * self.payload];
        for &index in &lost {
            sub_packets[usize::from(index) * self.payload..][..self.payload].fill(0);
        }
        let parity: Vec<_> = (0..)
            .zip(parity.chunks_exact(self.payload))
            .zip(&self.there[usize::from(self.data)..])
            .filter_map(|(parity, &there)| there.then_some(parity))
            .take(lost.len())
            .collect();
        let block = Block {
            sub_packets,
            lost: &lost,
            parity: &parity,
        };
        self.few.restore(&block, place);
    }

    fn restore_many(&mut self, mut place: impl FnMut(u16, &[u8])) {
        let inner = &mut self.inner;
        inner
            .reset(self.members.into(), self.parity.into(), self.payload)
            .expect(CHECKED);
        for (at, bytes) in self.bytes.chunks_exact(self.payload).enumerate() {
            if self.there[at] {
                match at.checked_sub(self.data.into()) {
                    None => inner.add_original_shard(at, bytes),
                    Some(at) => inner.add_recovery_shard(at, bytes),
                }
                .expect("each has its place");
            }
        }
        let result = inner.decode().expect("enough has arrived");
        for (index, sub_packet) in result.restored_original_iter() {
            place(index as u16, sub_packet);
        }
    }
}
