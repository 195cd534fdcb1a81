// SPDX-License-Identifier: Apache-2.0
//! What a channel has received and its user has not taken yet. From a threshold on, the peer is to
//! pause the channel; what it sends until it does has to fit above the threshold.
//!
//! If it does not, a user frame is ended in error behind what was stored of it, and the rest of it
//! is left out: nothing is stored in part, nothing blocks, and the next user frame is whole again
//! if there is room.
//!
//! Between the pieces stands what is missing, in its place. Marks of one reason that follow each
//! other are one, so they never outnumber the pieces by more than the number of reasons.

use super::event::{Arrived, Missing, Piece, Reason};
use alloc::collections::VecDeque;

/// Buffer of one channel.
#[derive(Debug, Clone)]
pub struct Buffer {
    size: usize,
    pause_at: usize,
    stream: VecDeque<Arrived>,
    bytes: usize,
    /// The rest of a user frame is left out.
    skip: bool,
    overflows: u64,
}

impl Buffer {
    /// An empty buffer of `size` bytes that pauses from `pause_at` bytes on.
    #[must_use]
    pub const fn new(size: usize, pause_at: usize) -> Self {
        Buffer {
            size,
            pause_at,
            stream: VecDeque::new(),
            bytes: 0,
            skip: false,
            overflows: 0,
        }
    }

    /// Stores a piece. `false` if it, and with it the user frame, did not fit; of the pieces behind
    /// it in the same frame nothing more is said.
    pub fn push(&mut self, piece: Piece) -> bool {
        if piece.start {
            self.skip = false;
        }
        let left_out = Missing {
            reason: Reason::BufferOverflow,
            bytes: Some(piece.bytes.len() as u64),
            frames: 0,
        };
        if self.skip {
            self.mark(left_out);
            self.skip = !piece.end;
            return true;
        }
        if self.bytes + piece.bytes.len() > self.size {
            self.overflows += 1;
            self.skip = !piece.end;
            self.mark(left_out);
            if !piece.start {
                let cut = Piece::cut(piece.channel);
                self.stream.push_back(Arrived::Piece(cut));
            }
            return false;
        }
        self.bytes += piece.bytes.len();
        self.stream.push_back(Arrived::Piece(piece));
        true
    }

    /// Something is missing behind what has been stored so far.
    pub fn mark(&mut self, missing: Missing) {
        let marks = self.stream.iter_mut().rev().map_while(|it| match it {
            Arrived::Missing(mark) => Some(mark),
            Arrived::Piece(_) => None,
        });
        for mark in marks {
            if mark.merge(missing) {
                return;
            }
        }
        self.stream.push_back(Arrived::Missing(missing));
    }

    /// The oldest piece, or what is missing in front of it.
    pub fn take(&mut self) -> Option<Arrived> {
        let arrived = self.stream.pop_front()?;
        if let Arrived::Piece(piece) = &arrived {
            self.bytes -= piece.bytes.len();
        }
        Some(arrived)
    }

    /// The oldest piece. What is missing in front of it is passed over.
    pub fn pop(&mut self) -> Option<Piece> {
        loop {
            if let Arrived::Piece(piece) = self.take()? {
                return Some(piece);
            }
        }
    }

    /// Whether the peer is to pause.
    #[must_use]
    pub const fn pause(&self) -> bool {
        self.bytes >= self.pause_at
    }

    /// User frames that did not fit.
    #[must_use]
    pub const fn overflows(&self) -> u64 {
        self.overflows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(bytes: usize, start: bool, end: bool) -> Piece {
        Piece {
            channel: 0,
            bytes: vec![1; bytes],
            start,
            end,
            error: false,
            tuser: super::super::frame::Tuser::default(),
        }
    }

    /// Length and marks of everything stored.
    fn stored(buffer: &mut Buffer) -> Vec<(usize, bool, bool)> {
        core::iter::from_fn(|| buffer.pop())
            .map(|piece| (piece.bytes.len(), piece.end, piece.error))
            .collect()
    }

    #[test]
    fn pauses_at_the_threshold() {
        let mut buffer = Buffer::new(100, 50);
        assert!(buffer.push(piece(49, true, true)) && !buffer.pause());
        assert!(buffer.push(piece(1, true, true)) && buffer.pause());
        assert_eq!(buffer.pop().map(|piece| piece.bytes.len()), Some(49));
        assert!(!buffer.pause());
    }

    #[test]
    fn what_does_not_fit_is_told_and_ends_in_error() {
        let mut buffer = Buffer::new(100, 50);
        assert!(buffer.push(piece(60, true, false)));
        assert!(!buffer.push(piece(41, false, false)));
        // The rest is left out although there is room, also for a mark of the receiver.
        assert!(buffer.push(piece(10, false, false)));
        assert!(buffer.push(Piece::cut(0)));
        // The next one fits exactly; then one fails as a whole, with its end and without.
        assert!(buffer.push(piece(40, true, true)));
        assert!(!buffer.push(piece(1, true, true)));
        assert!(!buffer.push(piece(1, true, false)));
        assert!(buffer.push(piece(1, false, true)));
        assert_eq!(buffer.overflows(), 3);
        let expected = [(60, false, false), (0, true, true), (40, true, false)];
        assert_eq!(stored(&mut buffer), expected);
        assert!(buffer.push(piece(100, true, true)));
        assert_eq!(stored(&mut buffer), [(100, true, false)]);
    }

    #[test]
    fn the_last_piece_of_a_frame_that_does_not_fit() {
        let mut buffer = Buffer::new(100, 50);
        assert!(buffer.push(piece(64, true, false)));
        assert!(!buffer.push(piece(64, false, true)));
        assert!(buffer.push(piece(3, true, true)));
        let expected = [(64, false, false), (0, true, true), (3, true, false)];
        assert_eq!(stored(&mut buffer), expected);
    }

    /// What does not fit is marked in its place, with its length, and so is what is missing for any
    /// other reason; marks of one reason are one.
    #[test]
    fn marks_stand_between_the_pieces() {
        let lost = |frames| Missing {
            frames,
            ..Missing::unknown(Reason::FramesLost)
        };
        let mut buffer = Buffer::new(100, 50);
        buffer.mark(lost(2));
        assert!(buffer.push(piece(60, true, false)));
        assert!(!buffer.push(piece(41, false, false)));
        assert!(buffer.push(piece(10, false, true)));
        buffer.mark(lost(1));
        buffer.mark(Missing::unknown(Reason::LineDown));
        buffer.mark(lost(3));
        assert!(buffer.push(piece(7, true, true)));
        let full = |bytes| Missing {
            bytes: Some(bytes),
            ..Missing::unknown(Reason::BufferOverflow)
        };
        let expected = [
            Arrived::Missing(lost(2)),
            Arrived::Piece(piece(60, true, false)),
            Arrived::Missing(full(41)),
            Arrived::Piece(Piece::cut(0)),
            Arrived::Missing(full(10)),
            Arrived::Missing(lost(4)),
            Arrived::Missing(Missing::unknown(Reason::LineDown)),
            Arrived::Piece(piece(7, true, true)),
        ];
        let found: Vec<Arrived> = core::iter::from_fn(|| buffer.take()).collect();
        assert_eq!(found, expected);
        assert!(buffer.push(piece(100, true, true)));
    }
}
