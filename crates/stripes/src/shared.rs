// SPDX-License-Identifier: Apache-2.0
//! A buffer that several threads fill, each a piece at a time, without locks and without unsafe code on their side.
//!
//! ```text
//! claim(i) -- mark of piece i set, by one thread only --> Claim: &mut to its bytes --commit--> written, for ever
//!                                                                '------drop-----> mark taken away, as if never claimed
//! ```
//!
//! A piece that is written is never given out again, so when all are written nobody can write any more, and the whole can be read.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::sync::atomic::{AtomicU64, AtomicUsize};

use crate::pool::Buffer;

struct Inner {
    buffer: Buffer,
    /// Bytes in use, bytes of a piece, number of pieces.
    bytes: usize,
    piece: usize,
    pieces: usize,
    claimed: Box<[AtomicU64]>,
    written: Box<[AtomicU64]>,
    count: AtomicUsize,
}

/// A buffer in pieces. Clones are the same buffer.
#[derive(Clone)]
pub struct Shared(Arc<Inner>);

fn bit(index: usize) -> (usize, u64) {
    (index / 64, 1 << (index % 64))
}

impl Shared {
    /// Divides the buffer into pieces of `piece` bytes; the last one may be shorter. All of it is
    /// in use.
    ///
    /// # Panics
    /// A piece of no bytes.
    #[must_use]
    pub fn new(buffer: Buffer, piece: usize) -> Self {
        assert!(piece > 0, "a piece of 0 bytes; accepted: 1 or more");
        let words = || {
            let count = buffer.len().div_ceil(piece).div_ceil(64);
            (0..count).map(|_| AtomicU64::new(0)).collect()
        };
        let (claimed, written) = (words(), words());
        let (bytes, pieces) = (buffer.len(), buffer.len().div_ceil(piece));
        Self(Arc::new(Inner {
            buffer,
            bytes,
            piece,
            pieces,
            claimed,
            written,
            count: AtomicUsize::new(0),
        }))
    }

    /// Makes it anew for `bytes` bytes, nothing written; false, and nothing changed, if there are other clones of it, or if the buffer
    /// is shorter. Allocates nothing.
    #[must_use]
    pub fn renew(&mut self, bytes: usize) -> bool {
        let Some(inner) = Arc::get_mut(&mut self.0) else {
            return false;
        };
        if bytes > inner.buffer.len() {
            return false;
        }
        inner.bytes = bytes;
        inner.pieces = bytes.div_ceil(inner.piece);
        *inner.count.get_mut() = 0;
        for word in inner.claimed.iter_mut().chain(&mut inner.written) {
            *word.get_mut() = 0;
        }
        true
    }

    /// A piece to write; none if somebody has it or has written it, or if there is no such piece.
    #[must_use]
    pub fn claim(&self, index: usize) -> Option<Claim<'_>> {
        if index >= self.0.pieces {
            return None;
        }
        let (word, mask) = bit(index);
        let before = self.0.claimed[word].fetch_or(mask, Acquire);
        // Made only if it is ours: one that is dropped takes the mark away.
        (before & mask == 0).then(|| Claim {
            shared: &self.0,
            index,
        })
    }

    /// Whether a piece is written.
    #[must_use]
    pub fn is_written(&self, index: usize) -> bool {
        let (word, mask) = bit(index);
        let written = self.0.written.get(word);
        written.is_some_and(|written| written.load(Acquire) & mask != 0)
    }

    /// 64 pieces at a time, lowest bit first: which of them are written.
    pub fn bitmap(&self) -> impl Iterator<Item = u64> + '_ {
        let used = self.0.pieces.div_ceil(64);
        self.0.written[..used].iter().map(|word| word.load(Acquire))
    }

    /// Pieces that are written.
    #[must_use]
    pub fn written(&self) -> usize {
        self.0.count.load(Acquire)
    }

    /// Pieces in all.
    #[must_use]
    pub fn pieces(&self) -> usize {
        self.0.pieces
    }

    /// The whole, once all pieces are written.
    #[must_use]
    pub fn complete(&self) -> Option<&[u8]> {
        // SAFETY: every piece is written, so there is no claim left and there will be none until `renew`, which needs `&mut self` and
        // no clone. The count was raised after each piece was written.
        (self.written() == self.0.pieces).then(|| unsafe {
            std::slice::from_raw_parts(self.0.buffer.data().as_ptr(), self.0.bytes)
        })
    }

    /// A piece, if it is written.
    #[must_use]
    pub fn piece(&self, index: usize) -> Option<&[u8]> {
        let begin = index.checked_mul(self.0.piece)?;
        let length = self.0.piece.min(self.0.bytes.checked_sub(begin)?);
        // SAFETY: inside of the buffer; the piece is written, so nobody has a claim to it, nor will have until `renew`, which needs `&mut self`
        // and no clone. It was marked after it was written.
        self.is_written(index).then(|| unsafe {
            std::slice::from_raw_parts(self.0.buffer.data().as_ptr().add(begin), length)
        })
    }

    /// The first `bytes` bytes, if all pieces that hold them are written.
    #[must_use]
    pub fn written_part(&self, bytes: usize) -> Option<&[u8]> {
        let whole = bytes <= self.0.bytes
            && (0..bytes.div_ceil(self.0.piece)).all(|index| self.is_written(index));
        // SAFETY: these pieces are written, so nobody has a claim to one of them, nor will have until `renew`, which needs `&mut self`
        // and no clone. Each was marked after it was written.
        whole.then(|| unsafe { std::slice::from_raw_parts(self.0.buffer.data().as_ptr(), bytes) })
    }

    /// The buffer, or all as it was if there are other clones.
    ///
    /// # Errors
    /// This, unchanged.
    pub fn into_buffer(self) -> Result<Buffer, Self> {
        Arc::try_unwrap(self.0)
            .map(|inner| inner.buffer)
            .map_err(Self)
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shared({} of {} pieces)", self.written(), self.pieces())
    }
}

/// A piece that nobody else can reach. Dropping it gives it up unwritten.
pub struct Claim<'a> {
    shared: &'a Inner,
    index: usize,
}

impl Claim<'_> {
    fn range(&self) -> (usize, usize) {
        let begin = self.index * self.shared.piece;
        (begin, self.shared.piece.min(self.shared.bytes - begin))
    }

    /// The piece is written; true for the one with which all are.
    pub fn commit(self) -> bool {
        let (word, mask) = bit(self.index);
        self.shared.written[word].fetch_or(mask, AcqRel);
        let before = self.shared.count.fetch_add(1, AcqRel);
        let last = before + 1 == self.shared.pieces;
        // The claim stays for ever.
        std::mem::forget(self);
        last
    }
}

impl Deref for Claim<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let (begin, length) = self.range();
        // SAFETY: inside of the buffer; this piece belongs to this claim, and the mark keeps others away.
        unsafe { std::slice::from_raw_parts(self.shared.buffer.data().as_ptr().add(begin), length) }
    }
}

impl DerefMut for Claim<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        let (begin, length) = self.range();
        // SAFETY: as above, and `&mut self` keeps other uses of this claim away.
        unsafe {
            std::slice::from_raw_parts_mut(self.shared.buffer.data().as_ptr().add(begin), length)
        }
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let (word, mask) = bit(self.index);
        // What this thread did to the bytes comes before what the next owner does.
        self.shared.claimed[word].fetch_and(!mask, Release);
    }
}

impl fmt::Debug for Claim<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Claim({})", self.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::{Pages, Pool};

    fn shared(bytes: usize, piece: usize) -> Shared {
        let pool = Pool::new(1, bytes, Pages::Small).unwrap();
        Shared::new(pool.try_take().unwrap(), piece)
    }

    #[test]
    fn a_piece_has_one_owner() {
        let shared = shared(250, 100);
        assert_eq!(shared.pieces(), 3);
        let claim = shared.claim(1).unwrap();
        assert!(shared.claim(1).is_none());
        drop(claim);
        let mut claim = shared.claim(1).unwrap();
        claim.fill(7);
        assert!(!shared.is_written(1) && shared.complete().is_none());
        assert!(!claim.commit());
        assert!(shared.is_written(1) && shared.claim(1).is_none());
        assert!(shared.claim(3).is_none() && !shared.is_written(3) && !shared.is_written(9999));
        assert_eq!(shared.bitmap().collect::<Vec<_>>(), [2]);
        let last = shared.claim(2).unwrap();
        assert_eq!(last.len(), 50);
        assert!(!last.commit());
        assert!(shared.claim(0).unwrap().commit());
        let whole = shared.complete().unwrap();
        assert_eq!((whole.len(), whole[100], whole[199]), (250, 7, 7));
    }

    #[test]
    fn it_can_be_used_again() {
        let mut shared = shared(1000, 10);
        shared.claim(99).unwrap().commit();
        let other = shared.clone();
        assert!(!shared.renew(500));
        let shared_again = shared.into_buffer().unwrap_err();
        drop(shared_again);
        let mut other = other;
        assert!(!other.renew(1001));
        assert!(other.renew(15));
        assert_eq!((other.pieces(), other.written()), (2, 0));
        assert_eq!(other.claim(1).unwrap().len(), 5);
        assert!(other.claim(2).is_none());
        assert!(other.renew(0) && other.complete().is_some());
        assert_eq!(other.into_buffer().unwrap().len(), 1000);
    }

    /// Four threads want every piece; each is written by one of them, whole, and one of them learns that it was the last.
    #[test]
    fn several_writers() {
        let piece = 61;
        let shared = shared(piece * 1000 + 1, piece);
        let results: Vec<(usize, usize)> = std::thread::scope(|scope| {
            let workers: Vec<_> = (1..=4u8)
                .map(|number| {
                    let shared = shared.clone();
                    scope.spawn(move || {
                        let (mut mine, mut last) = (0, 0);
                        for step in 0..shared.pieces() {
                            // In another order for each.
                            let index = (step * 3 + usize::from(number) * 251) % shared.pieces();
                            if let Some(mut claim) = shared.claim(index) {
                                claim.fill(number);
                                mine += 1;
                                last += usize::from(claim.commit());
                            }
                        }
                        (mine, last)
                    })
                })
                .collect();
            workers.into_iter().map(|w| w.join().unwrap()).collect()
        });
        assert_eq!(results.iter().map(|r| r.0).sum::<usize>(), 1001);
        assert_eq!(results.iter().map(|r| r.1).sum::<usize>(), 1);
        let whole = shared.complete().unwrap();
        for written in whole.chunks(piece) {
            assert!((1..=4).contains(&written[0]));
            assert!(written.iter().all(|&byte| byte == written[0]));
        }
    }

    #[test]
    #[should_panic(expected = "accepted: 1 or more")]
    fn pieces_have_bytes() {
        let _ = shared(10, 0);
    }
}
