// SPDX-License-Identifier: Apache-2.0
//! Pieces of a file whose ends its content decides (FastCDC), so that bytes that were inserted move
//! the pieces behind them and change none; and blocks that are written as what an older file has of
//! them and what it has not.
//!
//! The receiver sends the pieces of its older file in the bodies of
//! [`Kind::Pieces`](super::head::Kind::Pieces). Their hashes are only a hint: a block counts if its
//! own hash is right.
//!
//! ```text
//!  per piece   its bytes u32 | first 16 bytes of its BLAKE3
//! ```
//!
//! The sender sends a block as the body of [`Kind::Delta`](super::head::Kind::Delta).
//!
//! ```text
//!  per run     2^31 + its bytes u32 | where it begins in the older file u64
//!              its bytes u32 | all of them
//! ```

use super::MESSAGE;
use super::head::HEAD;
use super::manifest::BLOCK;
use fastcdc::v2020::FastCDC;
use std::collections::HashMap;
use std::io;

/// Shortest file of which pieces are of use: a shorter one comes in a pack.
pub const SHORTEST: u64 = super::pack::SMALL + 1;
/// Most pieces in a transfer: what either end has to remember has a bound.
pub const MOST_PIECES: u64 = 1 << 20;
/// Bytes of a piece in a message.
pub const ITEM: usize = 20;
/// Pieces in the longest message.
pub const MOST_ITEMS: usize = (MESSAGE - HEAD) / ITEM;
/// A run of the older file.
const COPY: u32 = 1 << 31;
/// Pieces that a file has, about, while they are no shorter or longer than the next two say.
const PIECES: u64 = 1 << 14;
const SHORTEST_MEAN: u64 = 1 << 13;
const LONGEST_MEAN: u64 = 1 << 18;
/// Bytes that are read at a time.
const READ: usize = 1 << 20;

/// What a piece is known by.
pub type Name = [u8; 16];

/// Fills memory with what is at a place of a file, as far as there is something.
pub type Read<'a, E> = &'a mut dyn FnMut(u64, &mut [u8]) -> Result<usize, E>;

/// A piece of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Where it begins.
    pub at: u64,
    /// Bytes.
    pub length: u32,
    /// What it is known by.
    pub name: Name,
}

impl Piece {
    fn end(&self) -> u64 {
        self.at + u64::from(self.length)
    }
}

/// Cuts a file into pieces, from its first byte on. Both ends cut alike: how long pieces are
/// follows from the length of the file that is sent.
pub struct Cutter {
    mean: usize,
    /// What was read and not cut, from `at` on.
    window: Vec<u8>,
    at: u64,
    /// The piece in front begins here in the window.
    first: usize,
    ended: bool,
}

impl Cutter {
    /// Of a file, or of one that is older than a file, of so many bytes.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        let mean = (bytes / PIECES).next_power_of_two();
        Cutter {
            mean: mean.clamp(SHORTEST_MEAN, LONGEST_MEAN) as usize,
            window: Vec::new(),
            at: 0,
            first: 0,
            ended: false,
        }
    }

    /// The next piece; none at the end.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn next<E>(&mut self, read: Read<'_, E>) -> Result<Option<Piece>, E> {
        let longest = 4 * self.mean;
        while !self.ended && self.window.len() - self.first < longest {
            self.window.drain(..self.first);
            self.at += self.first as u64;
            self.first = 0;
            let kept = self.window.len();
            self.window.resize(kept + READ.max(longest), 0);
            let count = read(self.at + kept as u64, &mut self.window[kept..])?;
            self.ended = kept + count < self.window.len();
            self.window.truncate(kept + count);
        }
        let left = self.window.len() - self.first;
        if left == 0 {
            return Ok(None);
        }
        let cdc = FastCDC::new(&self.window, self.mean / 4, self.mean, longest);
        let (_, end) = cdc.cut(self.first, left);
        let bytes = &self.window[self.first..end];
        let piece = Piece {
            at: self.at + self.first as u64,
            length: bytes.len() as u32,
            name: name_of(bytes),
        };
        self.first = end;
        Ok(Some(piece))
    }
}

fn name_of(bytes: &[u8]) -> Name {
    let mut name = Name::default();
    name.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    name
}

/// Adds a piece to a message.
pub fn put(body: &mut Vec<u8>, piece: &Piece) {
    body.extend(piece.length.to_be_bytes());
    body.extend(piece.name);
}

/// Pieces of an older file that the receiver has.
#[derive(Debug, Default)]
pub struct Older(HashMap<Name, u64>);

impl Older {
    /// Takes those of a message, which begin at a place; none if they can be no pieces.
    pub fn take(&mut self, mut at: u64, body: &[u8]) -> Option<()> {
        let items = body.chunks_exact(ITEM);
        if !items.remainder().is_empty() || items.len() > MOST_ITEMS {
            return None;
        }
        for item in items {
            let (length, name) = item.split_first_chunk()?;
            let length = u32::from_be_bytes(*length);
            self.0.insert(name.try_into().ok()?, at);
            at = at.checked_add(length.into())?;
            if u64::from(length) > 4 * LONGEST_MEAN || at >= 1 << 63 {
                return None;
            }
        }
        Some(())
    }
}

/// Writes the blocks of a file, one after the other, as what an older one has of them.
pub struct Delta {
    older: Older,
    cutter: Cutter,
    /// The piece that was cut last.
    last: Option<Piece>,
}

/// A run of bytes of a block.
enum Run {
    /// Of the older file, from there on.
    Copy(u64, u32),
    /// Of the block, from there on.
    Own(usize, u32),
}

impl Delta {
    /// Of a file of so many bytes.
    #[must_use]
    pub fn new(bytes: u64, older: Older) -> Self {
        Delta {
            older,
            cutter: Cutter::new(bytes),
            last: None,
        }
    }

    /// The block at a place as runs, and the bytes that are those of the older file; none if that
    /// would not be shorter. Blocks come in the order of their places; some may be left out.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn block<E>(
        &mut self,
        at: u64,
        block: &[u8],
        read: Read<'_, E>,
    ) -> Result<Option<(Vec<u8>, u64)>, E> {
        let (mut runs, mut place, end) = (Vec::new(), at, at + block.len() as u64);
        while place < end {
            let known = self.last.filter(|piece| piece.end() > place);
            let Some(piece) = known.map_or_else(|| self.cutter.next(read), |it| Ok(Some(it)))?
            else {
                // The file has become shorter.
                return Ok(None);
            };
            self.last = Some(piece);
            if piece.end() <= place {
                continue;
            }
            let length = (piece.end().min(end) - place) as u32;
            let older = self.older.0.get(&piece.name);
            add(
                &mut runs,
                (place - at) as usize,
                length,
                older.map(|older| older + place - piece.at),
            );
            place += u64::from(length);
        }
        Ok(encode(&runs, block))
    }
}

/// Adds a run, or makes the last one longer.
fn add(runs: &mut Vec<Run>, place: usize, length: u32, older: Option<u64>) {
    match (runs.last_mut(), older) {
        (Some(Run::Copy(from, bytes)), Some(older)) if *from + u64::from(*bytes) == older => {
            *bytes += length;
        }
        (Some(Run::Own(_, bytes)), None) => *bytes += length,
        (_, Some(older)) => runs.push(Run::Copy(older, length)),
        (_, None) => runs.push(Run::Own(place, length)),
    }
}

fn encode(runs: &[Run], block: &[u8]) -> Option<(Vec<u8>, u64)> {
    let cost = |run: &Run| match run {
        Run::Copy(..) => 12,
        Run::Own(_, bytes) => 4 + *bytes as usize,
    };
    if runs.iter().map(cost).sum::<usize>() >= block.len() {
        return None;
    }
    let (mut body, mut spared) = (Vec::new(), 0);
    for run in runs {
        match *run {
            Run::Copy(from, bytes) => {
                body.extend((COPY | bytes).to_be_bytes());
                body.extend(from.to_be_bytes());
                spared += u64::from(bytes);
            }
            Run::Own(from, bytes) => {
                body.extend(bytes.to_be_bytes());
                body.extend(&block[from..from + bytes as usize]);
            }
        }
    }
    Some((body, spared))
}

/// Puts a block together. `older` fills memory with what the older file has at a place.
///
/// # Errors
/// The runs are none, are longer than a block, or lead out of the older file; it cannot be read.
pub fn decode(
    mut body: &[u8],
    older: &mut dyn FnMut(u64, &mut [u8]) -> io::Result<()>,
) -> io::Result<Vec<u8>> {
    let broken = || {
        let text = "a block that is put together of an older file is broken";
        io::Error::new(io::ErrorKind::InvalidData, text)
    };
    let mut block = Vec::new();
    while !body.is_empty() {
        let run = split(&mut body).ok_or_else(broken)?;
        let bytes = match run {
            Ok((_, bytes)) => bytes as usize,
            Err(own) => own.len(),
        };
        let begun = block.len();
        if bytes == 0 || begun + bytes > BLOCK as usize {
            return Err(broken());
        }
        match run {
            Ok((from, _)) => {
                block.resize(begun + bytes, 0);
                older(from, &mut block[begun..])?;
            }
            Err(own) => block.extend(own),
        }
    }
    Ok(block)
}

/// Takes the first run off: where it is in the older file, and its bytes; or those themselves.
fn split<'a>(body: &mut &'a [u8]) -> Option<Result<(u64, u32), &'a [u8]>> {
    let (word, rest) = body.split_first_chunk()?;
    let word = u32::from_be_bytes(*word);
    if word & COPY == 0 {
        let (own, rest) = rest.split_at_checked(word as usize)?;
        *body = rest;
        return Some(Err(own));
    }
    let (from, rest) = rest.split_first_chunk()?;
    *body = rest;
    Some(Ok((u64::from_be_bytes(*from), word & !COPY)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use std::convert::Infallible;

    fn noise(length: usize, seed: u64) -> Vec<u8> {
        let mut bytes = vec![0; length];
        Xoshiro256PlusPlus::seed_from_u64(seed).fill_bytes(&mut bytes);
        bytes
    }

    fn reading(file: &[u8]) -> impl FnMut(u64, &mut [u8]) -> Result<usize, Infallible> + '_ {
        |at, memory| {
            let rest = &file[(at as usize).min(file.len())..];
            let count = rest.len().min(memory.len());
            memory[..count].copy_from_slice(&rest[..count]);
            Ok(count)
        }
    }

    fn pieces(file: &[u8], bytes: usize) -> Vec<Piece> {
        let mut cutter = Cutter::new(bytes as u64);
        let mut read = reading(file);
        std::iter::from_fn(|| cutter.next(&mut read).unwrap()).collect()
    }

    /// The messages that tell of an older file.
    fn older(file: &[u8], bytes: usize) -> Older {
        let mut older = Older::default();
        for some in pieces(file, bytes).chunks(MOST_ITEMS) {
            let mut body = Vec::new();
            some.iter().for_each(|piece| put(&mut body, piece));
            older.take(some[0].at, &body).unwrap();
        }
        older
    }

    /// Sends a file of which an older one is there: the bytes of all bodies. Blocks of `skip` are
    /// left out.
    fn send(file: &[u8], old: &[u8], skip: impl Fn(usize) -> bool) -> usize {
        let mut delta = Delta::new(file.len() as u64, older(old, file.len()));
        let mut sent = 0;
        for (index, block) in file.chunks(BLOCK as usize).enumerate() {
            if skip(index) {
                continue;
            }
            let at = index as u64 * BLOCK;
            let said = delta.block(at, block, &mut reading(file)).unwrap();
            let Some((body, spared)) = said else {
                sent += block.len();
                continue;
            };
            sent += body.len();
            let mut from = |place: u64, memory: &mut [u8]| {
                let place = place as usize;
                memory.copy_from_slice(&old[place..place + memory.len()]);
                Ok(())
            };
            assert!(decode(&body, &mut from).unwrap() == block, "block {index}");
            assert!(body.len() as u64 + spared >= block.len() as u64);
        }
        sent
    }

    #[test]
    fn pieces_lie_end_to_end() {
        for length in [0, 1, 100_000, (1 << 20) + 1, 5 << 20] {
            let file = noise(length, 1);
            let mut at = 0;
            for piece in pieces(&file, length) {
                assert_eq!(piece.at, at);
                assert!(piece.length > 0 && u64::from(piece.length) <= 4 * SHORTEST_MEAN);
                at = piece.end();
            }
            assert_eq!(at, length as u64);
        }
    }

    #[test]
    fn what_is_inserted_removed_or_moved_costs_little() {
        let old = noise(13 << 20, 2);
        let all = old.len();
        assert!(send(&old, &old, |_| false) < 100);
        let mut file = old.clone();
        let place = 6_000_000;
        file.splice(place..place, *b"seventeen bytes!!");
        assert!(send(&file, &old, |_| false) < all / 200);
        assert!(send(&file, &old, |index| index == 1) < all / 200);
        let shorter = &old[777..];
        assert!(send(shorter, &old, |_| false) < all / 200);
        let (front, back) = old.split_at(5_000_001);
        let turned = [back, front].concat();
        assert!(send(&turned, &old, |_| false) < all / 100);
        // Nothing in common: as much as there is.
        let other = noise(all, 3);
        assert_eq!(send(&other, &old, |_| false), all);
        assert_eq!(send(&other, &[], |_| false), all);
    }

    /// A peer that lies makes no more than an error.
    #[test]
    fn what_is_broken_is_refused() {
        let read = |body: &[u8]| {
            let mut nothing = |_, _: &mut [u8]| Err(io::Error::other("nothing there"));
            decode(body, &mut nothing).map_err(|error| error.to_string())
        };
        let copy = [&(COPY | 5).to_be_bytes()[..], &7u64.to_be_bytes()].concat();
        assert_eq!(read(&copy).unwrap_err(), "nothing there");
        let own = [&3u32.to_be_bytes()[..], b"abc"].concat();
        assert_eq!(read(&own).unwrap(), b"abc");
        let long = (COPY | (BLOCK as u32 + 1)).to_be_bytes();
        let long = [&long[..], &0u64.to_be_bytes()].concat();
        let empty = COPY.to_be_bytes();
        let empty = [&empty[..], &0u64.to_be_bytes()].concat();
        for body in [&copy[..11], &own[..6], &own[..2], &long, &empty, &[0; 4]] {
            assert!(read(body).unwrap_err().contains("broken"));
        }
        let item = |length: u32| [&length.to_be_bytes()[..], &[1; 16]].concat();
        let mut older = Older::default();
        assert!(older.take(0, &item(5)).is_some());
        assert!(older.take(0, &item(5)[..19]).is_none());
        assert!(older.take(0, &item(u32::MAX)).is_none());
        assert!(older.take(u64::MAX, &item(5)).is_none());
        assert!(older.take(0, &item(5).repeat(MOST_ITEMS + 1)).is_none());
    }
}
