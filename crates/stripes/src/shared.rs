// SPDX-License-Identifier: Apache-2.0
//! Memory that several threads fill, each a piece at a time, without locks and without unsafe code
//! on their side.
//!
//! ```text
//! claim(i) -- mark of piece i set, by one thread only --> Claim: &mut to its bytes --commit--> written, for ever
//!                                                                '------drop-----> mark taken away, as if never claimed
//! ```
//!
//! A piece that is written is never given out again, so what is written can be read.

use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::marks::Marks;

struct Inner {
    memory: Box<[UnsafeCell<u8>]>,
    /// Bytes in use, bytes of a piece, number of pieces.
    bytes: usize,
    piece: usize,
    pieces: usize,
    marks: Marks,
}

// SAFETY: a byte is reached by one claim alone, or read by anybody after it was marked as written.
unsafe impl Sync for Inner {}

impl Inner {
    /// Bytes from `begin` on, inside of the memory. They may be written through it by the claim
    /// to which they belong.
    fn at(&self, begin: usize) -> *mut u8 {
        UnsafeCell::raw_get(self.memory[begin..].as_ptr())
    }
}

/// Memory in pieces. Clones are the same memory.
#[derive(Clone)]
pub struct Shared(Arc<Inner>);

impl Shared {
    /// Divides memory into pieces of `piece` bytes; the last one may be shorter. All of it is in
    /// use.
    ///
    /// # Panics
    /// A piece of no bytes.
    #[must_use]
    pub fn new(memory: Vec<u8>, piece: usize) -> Self {
        assert!(piece > 0, "a piece of 0 bytes; accepted: 1 or more");
        let (bytes, pieces) = (memory.len(), memory.len().div_ceil(piece));
        let raw = Box::into_raw(memory.into_boxed_slice());
        Self(Arc::new(Inner {
            // SAFETY: a cell has the layout of what it holds, and nobody else has the memory.
            memory: unsafe { Box::from_raw(raw as *mut [UnsafeCell<u8>]) },
            bytes,
            piece,
            pieces,
            marks: Marks::new(pieces),
        }))
    }

    /// Makes it anew for `bytes` bytes, nothing written; false, and nothing changed, if there are
    /// other clones of it, or if the memory is shorter. Allocates nothing.
    #[must_use]
    pub fn renew(&mut self, bytes: usize) -> bool {
        let Some(inner) = Arc::get_mut(&mut self.0) else {
            return false;
        };
        if bytes > inner.memory.len() {
            return false;
        }
        inner.bytes = bytes;
        inner.pieces = bytes.div_ceil(inner.piece);
        inner.marks.clear();
        true
    }

    /// A piece to write; none if somebody has it or has written it, or if there is no such piece.
    #[must_use]
    pub fn claim(&self, index: usize) -> Option<Claim<'_>> {
        // Made only if it is ours: one that is dropped takes the mark away.
        (index < self.0.pieces && self.0.marks.claim(index)).then(|| Claim {
            shared: &self.0,
            index,
        })
    }

    /// A piece, if it is written.
    #[must_use]
    pub fn piece(&self, index: usize) -> Option<&[u8]> {
        let begin = index.checked_mul(self.0.piece)?;
        let length = self.0.piece.min(self.0.bytes.checked_sub(begin)?);
        // SAFETY: inside of the memory; the piece is written, so nobody has a claim to it, nor will
        // have until `renew`, which needs `&mut self` and no clone. It was marked after it was
        // written.
        self.0
            .marks
            .is_written(index)
            .then(|| unsafe { std::slice::from_raw_parts(self.0.at(begin), length) })
    }

    /// The first `bytes` bytes, if all pieces that hold them are written.
    #[must_use]
    pub fn written_part(&self, bytes: usize) -> Option<&[u8]> {
        let whole = bytes <= self.0.bytes
            && (0..bytes.div_ceil(self.0.piece)).all(|index| self.0.marks.is_written(index));
        // SAFETY: these pieces are written, so nobody has a claim to one of them, nor will have
        // until `renew`, which needs `&mut self` and no clone. Each was marked after it was
        // written.
        whole.then(|| unsafe { std::slice::from_raw_parts(self.0.at(0), bytes) })
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shared({} pieces)", self.0.pieces)
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

    /// The piece is written.
    pub fn commit(self) {
        self.shared.marks.commit(self.index);
        // The claim stays for ever.
        std::mem::forget(self);
    }
}

impl Deref for Claim<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let (begin, length) = self.range();
        // SAFETY: inside of the memory; this piece belongs to this claim, and the mark keeps others
        // away.
        unsafe { std::slice::from_raw_parts(self.shared.at(begin), length) }
    }
}

impl DerefMut for Claim<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        let (begin, length) = self.range();
        // SAFETY: as above, and `&mut self` keeps other uses of this claim away.
        unsafe { std::slice::from_raw_parts_mut(self.shared.at(begin), length) }
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.shared.marks.release(self.index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(bytes: usize, piece: usize) -> Shared {
        Shared::new(vec![0; bytes], piece)
    }

    #[test]
    fn pieces_are_written_once() {
        let shared = shared(250, 100);
        let claim = shared.claim(1).unwrap();
        assert!(shared.claim(1).is_none());
        drop(claim);
        let mut claim = shared.claim(1).unwrap();
        claim.fill(7);
        assert!(shared.piece(1).is_none());
        claim.commit();
        assert!(shared.piece(1).is_some() && shared.claim(1).is_none());
        assert!(shared.claim(3).is_none() && shared.piece(3).is_none());
        assert!(shared.piece(9999).is_none() && shared.written_part(200).is_none());
        shared.claim(0).unwrap().commit();
        assert!(shared.written_part(200).is_some() && shared.written_part(201).is_none());
        let last = shared.claim(2).unwrap();
        assert_eq!(last.len(), 50);
        last.commit();
        let whole = shared.written_part(250).unwrap();
        assert_eq!(
            (whole.len(), whole[99], whole[100], whole[199]),
            (250, 0, 7, 7)
        );
        assert!(shared.written_part(251).is_none());
    }

    #[test]
    fn it_can_be_used_again() {
        let mut shared = shared(1000, 10);
        shared.claim(99).unwrap().commit();
        let mut other = shared.clone();
        assert!(!shared.renew(500));
        drop(shared);
        assert!(!other.renew(1001));
        assert!(other.renew(15));
        assert!(other.piece(0).is_none());
        assert_eq!(other.claim(1).unwrap().len(), 5);
        assert!(other.claim(2).is_none());
        assert!(other.renew(0) && other.written_part(0).is_some());
        assert!(other.renew(1000) && other.claim(99).is_some());
    }

    /// Four threads want every piece; each is written by one of them, whole.
    #[test]
    fn several_writers() {
        // Under Miri each step is some thousand times as slow.
        const PIECES: usize = if cfg!(miri) { 101 } else { 1001 };
        let piece = 61;
        let shared = shared(piece * (PIECES - 1) + 1, piece);
        let counts: Vec<usize> = std::thread::scope(|scope| {
            let workers: Vec<_> = (1..=4u8)
                .map(|number| {
                    let shared = shared.clone();
                    scope.spawn(move || {
                        let mut mine = 0;
                        for step in 0..PIECES {
                            // In another order for each.
                            let index = (step * 3 + usize::from(number) * 251) % PIECES;
                            if let Some(mut claim) = shared.claim(index) {
                                claim.fill(number);
                                mine += 1;
                                claim.commit();
                            }
                        }
                        mine
                    })
                })
                .collect();
            workers.into_iter().map(|w| w.join().unwrap()).collect()
        });
        assert_eq!(counts.iter().sum::<usize>(), PIECES);
        let whole = shared.written_part(piece * (PIECES - 1) + 1).unwrap();
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
