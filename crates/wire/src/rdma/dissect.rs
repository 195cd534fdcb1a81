// SPDX-License-Identifier: Apache-2.0
//! Recorded words of a network as somebody sees them who has no part in the transfers: where
//! packets of an engine begin, in either framing, and what they say.
//!
//! Of a word there is no TLAST: a header says how long its packet is. Where no header stands, the
//! next word is looked at.

use super::packed::{self, LANE, Lane, PackedError, WORD, Word, lanes_of};
use super::packet::{MAX_PAYLOAD, Packet};
use super::words::{self, WordsError};
use alloc::vec::Vec;
use thiserror::Error;

/// How a packet lies in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// [`super::words`].
    Words,
    /// [`super::packed`].
    Packed,
}

/// Why words hold no packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Fault {
    /// Of framing in words.
    #[error(transparent)]
    Words(#[from] WordsError),
    /// Of packed framing.
    #[error(transparent)]
    Packed(#[from] PackedError),
    /// A word where a packet would begin has no header.
    #[error(
        "no header of a packet: mark and length are {0:#06x}, accepted are 0x8800 to 0x8c00 and 0x8000 to 0x8400"
    )]
    NoHeader(u16),
    /// The recording ends within it.
    #[error("the recording ends within it")]
    Open,
}

/// A packet, or a word that is of none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The word in which it begins, from 0.
    pub word: usize,
    /// The lane of 16 bytes of this word.
    pub lane: usize,
    /// None: it has no header.
    pub framing: Option<Framing>,
    /// What it is, or why it is none.
    pub packet: Result<Packet, Fault>,
}

/// Mark and length of what may be a header.
fn mark(lane: &[u8]) -> u16 {
    u16::from_le_bytes([lane[14], lane[15]])
}

/// Calls `take` with each packet of these words, and with each word that belongs to none. Words of
/// zeros between packets are left out.
pub fn dissect(words: &[Word], mut take: impl FnMut(Found)) {
    let mut index = 0;
    while let Some(first) = words.get(index) {
        if *first == [0; WORD] {
            index += 1;
            continue;
        }
        let (used, found) = match words::open(first) {
            Ok(length) => in_words(words, index, 2 + length.div_ceil(WORD)),
            Err(error) => {
                let lane = first.first_chunk().filter(|lane| lanes_of(lane).is_ok());
                if lane.is_some() {
                    index = packed(words, index, &mut take);
                    continue;
                }
                let fault = match error {
                    WordsError::NoHeader(_) => Fault::NoHeader(mark(first)),
                    damaged => damaged.into(),
                };
                let framing = (!matches!(fault, Fault::NoHeader(_))).then_some(Framing::Words);
                let used = framing.map_or(1, |_| damaged(words, index));
                (used, one(index, 0, framing, Err(fault)))
            }
        };
        take(found);
        index += used;
    }
}

fn one(word: usize, lane: usize, framing: Option<Framing>, packet: Result<Packet, Fault>) -> Found {
    Found {
        word,
        lane,
        framing,
        packet,
    }
}

/// Words of a packet whose first one is damaged: as many as it says if the next packet begins
/// there, else this one alone.
fn damaged(words: &[Word], index: usize) -> usize {
    let length = usize::from(mark(&words[index]) & 0x7ff);
    let count = 2 + length.min(MAX_PAYLOAD).div_ceil(WORD);
    let next = words.get(index + count);
    let fits = next.is_none_or(|next| *next == [0; WORD] || words::open(next).is_ok());
    if fits { count } else { 1 }
}

/// A packet in words, of which the first one says how many there are.
fn in_words(words: &[Word], index: usize, count: usize) -> (usize, Found) {
    let packet = match words.get(index..index + count) {
        Some(words) => words::decode(words).map_err(Fault::from),
        None => Err(Fault::Open),
    };
    (count, one(index, 0, Some(Framing::Words), packet))
}

/// Packets back to back from a word on; the word behind them.
fn packed(words: &[Word], index: usize, take: &mut impl FnMut(Found)) -> usize {
    let mut open: Vec<Lane> = Vec::new();
    let (mut wanted, mut begun) = (0, (index, 0));
    for (at, word) in words.iter().enumerate().skip(index) {
        let lanes = word.as_chunks::<LANE>().0;
        for (place, lane) in lanes.iter().enumerate() {
            if open.is_empty() {
                if place > 0 && lanes[place..].iter().all(|lane| *lane == [0; LANE]) {
                    return at + 1;
                }
                match lanes_of(lane) {
                    Ok(count) => wanted = count,
                    // In front of a word: perhaps one of the other framing.
                    Err(_) if place == 0 => return at,
                    Err(error) => {
                        take(one(at, place, Some(Framing::Packed), Err(error.into())));
                        return at + 1;
                    }
                }
                begun = (at, place);
            }
            open.push(*lane);
            if open.len() == wanted {
                let packet = packed::decode(&open);
                // Then the header may say anything.
                let elsewhere = matches!(packet, Err(PackedError::Lengths { .. }));
                open.clear();
                let packet = packet.map_err(Fault::from);
                take(one(begun.0, begun.1, Some(Framing::Packed), packet));
                if elsewhere {
                    return begun.0 + 1;
                }
            }
        }
    }
    if !open.is_empty() {
        take(one(
            begun.0,
            begun.1,
            Some(Framing::Packed),
            Err(Fault::Open),
        ));
    }
    words.len()
}
