// SPDX-License-Identifier: Apache-2.0
//! Parity over the sub-packets of a chunk ([`crate::fec::erasure`]), which restores those that
//! never arrived: what makes it at the sender, and what keeps it at the receiver until it is
//! needed.
//!
//! ```text
//!  chunk of 8, blocks of 4 with 2 of parity      0 1 2 3 4 5 6 7 | 0 1 2 3      in the order in which they are sent
//!                                                a b a b a b a b | a b a b      their blocks
//! ```
//!
//! The sub-packets of a chunk are dealt out to its blocks, and so is the parity, which follows the
//! last of them. A burst takes little of each block, and so does a lane that is lost, as frames go
//! over all lanes in turn.
//!
//! What is restored has no check of its own: all that it was made of has passed its check, or is
//! under its tag.
//!
//! * The sender makes parity of a block whenever as large a share of the chunk has been sent, so
//!   that no frame waits for the parity of all of it.
//! * The receiver keeps what it has of the parity of a block until the block is there: at most all
//!   parity of the chunks that there is credit for.
//! * A sub-packet that is lost is sent again when all of its chunk, with the parity, is known to
//!   have arrived or to be lost ([`super::ack_processor`]), and parity never.

use super::bitmap::Bitmap;
use super::params::{Fec, Params};
use super::subpacket::{ParityHeader, SubHeader};
use crate::fec::erasure::{Decoder, Encoder, Layout, Place};
use std::fmt;
use std::sync::Arc;

/// Sizes that [`Params::check`] lets through.
const CHECKED: &str = "parameters that are in range";

/// The parity of a chunk.
#[derive(Debug)]
pub struct Made {
    layout: Layout,
    payload: usize,
    /// Of one block after the other.
    bytes: Vec<u8>,
}

impl Made {
    /// A sub-packet of it.
    ///
    /// # Panics
    /// The chunk has no such one.
    #[must_use]
    pub fn get(&self, number: u16) -> &[u8] {
        let place = self.layout.parity_place(number.into());
        let Place { block, index } = place.expect("parity of this chunk");
        let each = self.layout.parity() / u32::from(self.layout.blocks());
        let at = (usize::from(block) * each as usize + usize::from(index)) * self.payload;
        &self.bytes[at..at + self.payload]
    }
}

/// Makes the parity of one chunk after the other.
pub struct Maker {
    params: Params,
    encoder: Encoder,
    chunk: Option<u32>,
    /// Blocks of it that are done.
    done: u16,
    made: Arc<Made>,
    /// That of other chunks, which somebody may still read.
    others: Vec<Arc<Made>>,
}

impl fmt::Debug for Maker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Maker")
            .field("chunk", &self.chunk)
            .field("done", &self.done)
            .finish_non_exhaustive()
    }
}

impl Maker {
    /// None if the format has no parity over sub-packets. The parameters are in range.
    #[must_use]
    pub fn new(params: Params) -> Option<Self> {
        let Fec::Restore(data, parity) = params.fec else {
            return None;
        };
        let encoder = Encoder::new(data, parity, params.payload.into());
        Some(Maker {
            params,
            encoder: encoder.expect(CHECKED),
            chunk: None,
            done: 0,
            made: Arc::new(Made {
                layout: params.layout(params.per_chunk)?,
                payload: params.payload.into(),
                bytes: Vec::new(),
            }),
            others: Vec::new(),
        })
    }

    /// The first `sent` sub-packets of a chunk, which is `data`, have been sent: makes as much of
    /// its parity, and all of it if they are all. Parity of the chunk before is gone.
    pub fn advance(&mut self, chunk: u32, data: &[u8], sent: u16) {
        let count = self.params.sub_packets(data.len()) as u16;
        if self.chunk != Some(chunk) {
            self.begin(chunk, count);
        }
        let layout = self.made.layout;
        let payload = self.made.payload;
        while u32::from(self.done) * u32::from(count) < u32::from(sent) * u32::from(layout.blocks())
        {
            let block = self.done;
            let members = (0..layout.members(block)).map(|index| {
                let at = usize::from(layout.number(Place { block, index })) * payload;
                &data[at..data.len().min(at + payload)]
            });
            let each = self.made.bytes.len() / usize::from(layout.blocks());
            let made = Arc::get_mut(&mut self.made).expect("nobody has it before it is whole");
            let bytes = &mut made.bytes[usize::from(block) * each..][..each];
            self.encoder.encode(members, bytes).expect(CHECKED);
            self.done += 1;
        }
    }

    fn begin(&mut self, chunk: u32, count: u16) {
        (self.chunk, self.done) = (Some(chunk), 0);
        let layout = self.params.layout(count).expect(CHECKED);
        let payload = usize::from(self.params.payload);
        let free = self
            .others
            .iter()
            .position(|made| Arc::strong_count(made) == 1);
        if Arc::strong_count(&self.made) > 1 {
            let next = free.map(|index| self.others.swap_remove(index));
            let next = next.unwrap_or_else(|| {
                Arc::new(Made {
                    layout,
                    payload,
                    bytes: Vec::new(),
                })
            });
            self.others.push(std::mem::replace(&mut self.made, next));
        }
        let made = Arc::get_mut(&mut self.made).expect("nobody else has it");
        made.layout = layout;
        made.bytes.resize(layout.parity() as usize * payload, 0);
    }

    /// The parity of the chunk, once all of that has been sent.
    #[must_use]
    pub fn made(&self) -> &Arc<Made> {
        &self.made
    }
}

/// A block of which enough has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ready {
    /// Its chunk.
    pub chunk: u32,
    block: u16,
}

#[derive(Debug, Default)]
struct Block {
    /// Sub-packets that are not there; none: not known yet.
    missing: Option<u16>,
    kept: Vec<(u16, Vec<u8>)>,
}

impl Block {
    fn is_ready(&self) -> bool {
        self.missing
            .is_some_and(|missing| missing > 0 && self.kept.len() >= usize::from(missing))
    }

    fn drop_kept(&mut self, spare: &mut Vec<Vec<u8>>) {
        spare.extend(self.kept.drain(..).map(|(_, bytes)| bytes));
    }
}

#[derive(Debug)]
struct Chunk {
    /// All its parity says the same of it.
    header: ParityHeader,
    layout: Layout,
    blocks: Vec<Block>,
}

/// Keeps parity that has arrived, and restores what it can.
pub struct Restorer {
    params: Params,
    decoder: Decoder,
    /// Those that are not complete, and of which some parity has arrived.
    chunks: Vec<Chunk>,
    spare: Vec<Vec<u8>>,
    spare_blocks: Vec<Vec<Block>>,
}

impl fmt::Debug for Restorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Restorer")
            .field("kept", &self.kept())
            .finish_non_exhaustive()
    }
}

impl Restorer {
    /// None if the format has no parity over sub-packets. The parameters are in range.
    #[must_use]
    pub fn new(params: Params) -> Option<Self> {
        let Fec::Restore(data, parity) = params.fec else {
            return None;
        };
        let decoder = Decoder::new(data, parity, params.payload.into());
        Some(Restorer {
            params,
            decoder: decoder.expect(CHECKED),
            chunks: Vec::new(),
            spare: Vec::new(),
            spare_blocks: Vec::new(),
        })
    }

    /// Sub-packets of parity that are kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        let blocks = self.chunks.iter().flat_map(|chunk| &chunk.blocks);
        blocks.map(|block| block.kept.len()).sum()
    }

    fn find(&self, chunk: u32) -> Option<usize> {
        self.chunks
            .iter()
            .position(|known| known.header.chunk == chunk)
    }

    /// A sub-packet of a chunk has arrived that was not there. Says what can be restored with it.
    pub fn data(&mut self, chunk: u32, number: u16) -> Option<Ready> {
        let at = self.find(chunk)?;
        let known = &mut self.chunks[at];
        let block = known.layout.place(number)?.block;
        let here = &mut known.blocks[usize::from(block)];
        let missing = here.missing.as_mut()?;
        *missing = missing.saturating_sub(1);
        if *missing == 0 {
            here.drop_kept(&mut self.spare);
        }
        here.is_ready().then_some(Ready { chunk, block })
    }

    /// A sub-packet of parity has arrived, of a chunk of which `there` has arrived, and whose
    /// header is in range. Says what can be restored with it.
    ///
    /// # Errors
    /// It contradicts what has arrived before.
    pub fn parity(
        &mut self,
        header: &ParityHeader,
        payload: &[u8],
        there: &Bitmap,
    ) -> Result<Option<Ready>, Contradiction> {
        let chunk = header.chunk;
        let layout = self.params.layout(header.count).ok_or(Contradiction)?;
        let place = layout.parity_place(header.number.into());
        let Place { block, index } = place.ok_or(Contradiction)?;
        let at = self.find(chunk).unwrap_or_else(|| {
            let mut blocks = self.spare_blocks.pop().unwrap_or_default();
            blocks.resize_with(layout.blocks().into(), Block::default);
            self.chunks.push(Chunk {
                header: *header,
                layout,
                blocks,
            });
            self.chunks.len() - 1
        });
        let known = &mut self.chunks[at];
        let same = (known.header.count, known.header.last) == (header.count, header.last);
        let fits = payload.len() == usize::from(self.params.payload);
        if !same || !fits || header.last > self.params.payload {
            return Err(Contradiction);
        }
        let here = &mut known.blocks[usize::from(block)];
        let missing = *here.missing.get_or_insert_with(|| {
            let all = 0..layout.members(block);
            all.filter(|&index| !there.contains(layout.number(Place { block, index })))
                .count() as u16
        });
        if missing > 0 && here.kept.iter().all(|&(known, _)| known != index) {
            let mut copy = self.spare.pop().unwrap_or_default();
            copy.clear();
            copy.extend_from_slice(payload);
            here.kept.push((index, copy));
        }
        Ok(here.is_ready().then_some(Ready { chunk, block }))
    }

    /// Takes what is there of a block; `read` has the sub-packet of a number that is in `there`.
    /// False if that is not enough.
    pub fn gather<'a>(
        &mut self,
        ready: Ready,
        there: &Bitmap,
        mut read: impl FnMut(u16) -> Option<&'a [u8]>,
    ) -> bool {
        let Some(at) = self.find(ready.chunk) else {
            return false;
        };
        let (known, decoder) = (&self.chunks[at], &mut self.decoder);
        let block = ready.block;
        let members = known.layout.members(block);
        if decoder.begin(members).is_err() {
            return false;
        }
        for index in 0..members {
            let number = known.layout.number(Place { block, index });
            if there.contains(number)
                && let Some(bytes) = read(number)
                && let Some(bytes) = bytes.get(..length(&known.header, &self.params, number))
            {
                decoder.data(index, bytes);
            }
        }
        for (index, bytes) in &known.blocks[usize::from(block)].kept {
            decoder.parity(*index, bytes);
        }
        decoder.is_enough()
    }

    /// Hands over what is missing of the block that was gathered.
    pub fn restore(&mut self, ready: Ready, mut place: impl FnMut(&SubHeader, &[u8])) {
        let Ready { chunk, block } = ready;
        let params = self.params;
        let Some(at) = self.find(chunk) else {
            return;
        };
        let known = &mut self.chunks[at];
        let (header, layout) = (known.header, known.layout);
        let _ = self.decoder.restore(|index, bytes| {
            let number = layout.number(Place { block, index });
            let length = length(&header, &params, number);
            let sub = SubHeader {
                chunk,
                number,
                length: length as u16,
                last: number + 1 == header.count,
                round: 0,
            };
            place(&sub, &bytes[..length]);
        });
        let here = &mut known.blocks[usize::from(block)];
        here.missing = Some(0);
        here.drop_kept(&mut self.spare);
    }

    /// A chunk is complete.
    pub fn forget(&mut self, chunk: u32) {
        if let Some(at) = self.find(chunk) {
            let mut blocks = self.chunks.swap_remove(at).blocks;
            for mut block in blocks.drain(..) {
                block.drop_kept(&mut self.spare);
            }
            self.spare_blocks.push(blocks);
        }
    }
}

/// Bytes of a sub-packet of the chunk of this parity.
fn length(header: &ParityHeader, params: &Params, number: u16) -> usize {
    usize::from(if number + 1 == header.count {
        header.last
    } else {
        params.payload
    })
}

/// Parity that says something else of its chunk than what has arrived of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contradiction;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn params(data: u16, parity: u16) -> Params {
        Params {
            payload: 64,
            per_chunk: 200,
            fec: Fec::Restore(data, parity),
            ..Params::PAPER
        }
    }

    fn chunk(bytes: usize, salt: u8) -> Vec<u8> {
        (0..bytes)
            .map(|at| (at as u8).wrapping_mul(salt | 1) ^ (at >> 8) as u8)
            .collect()
    }

    /// A receiver of one chunk.
    struct Taker {
        restorer: Restorer,
        there: Bitmap,
        memory: Vec<u8>,
    }

    impl Taker {
        fn new(params: Params) -> Self {
            Taker {
                restorer: Restorer::new(params).unwrap(),
                there: Bitmap::new(params.per_chunk),
                memory: vec![0xee; params.chunk_bytes()],
            }
        }

        fn put(&mut self, number: u16, bytes: &[u8]) {
            assert!(self.there.insert(number), "{number} was there");
            let at = 64 * usize::from(number);
            self.memory[at..at + bytes.len()].copy_from_slice(bytes);
        }

        fn restore(&mut self, ready: Option<Ready>) {
            let Some(ready) = ready else {
                return;
            };
            let memory = self.memory.clone();
            let read = |number| {
                let at = 64 * usize::from(number);
                memory.get(at..at + 64)
            };
            assert!(self.restorer.gather(ready, &self.there, read));
            let mut restored = Vec::new();
            self.restorer
                .restore(ready, |sub, bytes| restored.push((*sub, bytes.to_vec())));
            for (sub, bytes) in restored {
                assert_eq!(usize::from(sub.length), bytes.len());
                self.put(sub.number, &bytes);
            }
        }
    }

    proptest! {
        /// Whatever arrives, in whatever order and however often: a block is there as soon as so
        /// much of it is, and not before.
        #[test]
        fn as_soon_as_there_is_enough(data in 1_u16..40, parity in 1_u16..12, bytes in 1_usize..=12_800, salt: u8, order in prop::collection::vec(any::<u16>(), 0..500)) {
            let params = params(data, parity);
            let sent = chunk(bytes, salt);
            let count = params.sub_packets(bytes) as u16;
            let layout = params.layout(count).unwrap();
            let mut maker = Maker::new(params).unwrap();
            for sent_until in (0..=count).step_by(7).chain([count]) {
                maker.advance(9, &sent, sent_until);
            }
            let last = (bytes - 64 * usize::from(count - 1)) as u16;
            let mut taker = Taker::new(params);
            let mut came = vec![std::collections::BTreeSet::new(); layout.blocks().into()];
            for number in order {
                let all = u32::from(count) + layout.parity();
                let number = (u32::from(number) % all) as u16;
                if number < count {
                    let place = layout.place(number).unwrap();
                    came[usize::from(place.block)].insert(number);
                    if !taker.there.contains(number) {
                        let at = 64 * usize::from(number);
                        taker.put(number, &sent[at..bytes.min(at + 64)]);
                        let ready = taker.restorer.data(9, number);
                        taker.restore(ready);
                    }
                } else {
                    let place = layout.parity_place(u32::from(number - count)).unwrap();
                    came[usize::from(place.block)].insert(number);
                    let header = ParityHeader { chunk: 9, number: number - count, count, last };
                    let made = maker.made().get(header.number);
                    let ready = taker.restorer.parity(&header, made, &taker.there).unwrap();
                    taker.restore(ready);
                }
                prop_assert!(taker.restorer.kept() <= layout.parity() as usize);
            }
            for block in 0..layout.blocks() {
                let members = layout.members(block);
                let enough = came[usize::from(block)].len() >= members.into();
                let there = (0..members).filter(|&index| taker.there.contains(layout.number(Place { block, index }))).count();
                prop_assert_eq!(there == usize::from(members), enough);
            }
            if taker.there.len() == u32::from(count) {
                prop_assert!(taker.memory[..bytes] == sent[..]);
                prop_assert!(taker.memory[bytes..].iter().all(|&byte| byte == 0xee));
                prop_assert_eq!(taker.restorer.kept(), 0);
            }
            taker.restorer.forget(9);
            prop_assert_eq!(taker.restorer.kept(), 0);
        }
    }

    #[test]
    fn what_contradicts_is_not_kept() {
        let params = params(8, 2);
        let mut restorer = Restorer::new(params).unwrap();
        let there = Bitmap::new(200);
        let header = ParityHeader {
            chunk: 1,
            number: 3,
            count: 20,
            last: 64,
        };
        let mut keep = |header, length: usize| restorer.parity(&header, &vec![0; length], &there);
        assert_eq!(keep(header, 64), Ok(None));
        for (wrong, length) in [
            (
                ParityHeader {
                    count: 21,
                    ..header
                },
                64,
            ),
            (ParityHeader { last: 63, ..header }, 64),
            (
                ParityHeader {
                    number: 6,
                    ..header
                },
                64,
            ),
            (ParityHeader { count: 0, ..header }, 64),
            (header, 63),
            (header, 0),
        ] {
            assert_eq!(keep(wrong, length), Err(Contradiction), "{wrong:?}");
        }
        assert_eq!(restorer.kept(), 1);
    }

    /// Somebody still sends the parity of a chunk while that of the next ones is made.
    #[test]
    fn parity_that_is_read_stays_as_it_is() {
        let mut maker = Maker::new(params(8, 2)).unwrap();
        let mut kept = Vec::new();
        for number in 0..5 {
            let data = chunk(1000 + 64 * number, number as u8);
            let count = data.len().div_ceil(64) as u16;
            maker.advance(number as u32, &data, count);
            kept.push((Arc::clone(maker.made()), maker.made().get(1).to_vec()));
        }
        for (made, first) in &kept {
            assert_eq!(made.get(1), &first[..]);
        }
        // Memory is used again.
        kept.clear();
        maker.advance(5, &[1; 64], 1);
        maker.advance(6, &[1; 64], 1);
        assert_eq!(maker.others.len(), 4);
    }
}
