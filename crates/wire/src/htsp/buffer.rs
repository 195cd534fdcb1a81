// SPDX-License-Identifier: Apache-2.0
//! What a channel has received and its user has not taken yet. From a threshold on, the peer is to
//! pause the channel; what it sends until it does has to fit above the threshold.
//!
//! If it does not, a user frame is ended in error behind what was stored of it, and the rest of it
//! is left out: nothing is stored in part, nothing blocks, and the next user frame is whole again
//! if there is room.

use super::event::Piece;
use alloc::collections::VecDeque;

/// Buffer of one channel.
#[derive(Debug, Clone)]
pub struct Buffer {
    size: usize,
    pause_at: usize,
    pieces: VecDeque<Piece>,
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
            pieces: VecDeque::new(),
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
        if self.skip {
            self.skip = !piece.end;
            return true;
        }
        if self.bytes + piece.bytes.len() > self.size {
            self.overflows += 1;
            self.skip = !piece.end;
            if !piece.start {
                self.pieces.push_back(Piece::cut(piece.channel));
            }
            return false;
        }
        self.bytes += piece.bytes.len();
        self.pieces.push_back(piece);
        true
    }

    /// The oldest piece.
    pub fn pop(&mut self) -> Option<Piece> {
        let piece = self.pieces.pop_front()?;
        self.bytes -= piece.bytes.len();
        Some(piece)
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
}
