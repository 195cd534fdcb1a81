// SPDX-License-Identifier: Apache-2.0
//! Frames ready to be sent, as headers and places in the memory of chunks: payload is not copied on its way to the channel.

/// Part of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Bytes of the headers of the batch.
    Head {
        /// First byte.
        at: u32,
        /// Bytes.
        length: u32,
    },
    /// Bytes of a chunk.
    Data {
        /// The chunk.
        chunk: u32,
        /// First byte.
        at: u32,
        /// Bytes.
        length: u32,
    },
}

/// Frames ready to be sent one after the other on one lane. All have [`Batch::segment`] bytes but the last, which may have fewer.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    pub(crate) heads: Vec<u8>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) frames: usize,
    pub(crate) segment: usize,
    pub(crate) bytes: usize,
}

impl Batch {
    /// Nothing.
    #[must_use]
    pub fn new() -> Self {
        Batch::default()
    }

    /// Frames.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Bytes of all frames but the last.
    #[must_use]
    pub fn segment(&self) -> usize {
        self.segment
    }

    /// Bytes of all frames.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Parts; each is one piece of memory.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.pieces.len()
    }

    /// Removes all frames.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.pieces.clear();
        (self.frames, self.segment, self.bytes) = (0, 0, 0);
    }

    /// Adds header bytes, to the piece of headers before it if there is one.
    pub(crate) fn head(&mut self, bytes: &[u8]) {
        let (at, length) = (self.heads.len() as u32, bytes.len() as u32);
        self.heads.extend_from_slice(bytes);
        match self.pieces.last_mut() {
            Some(Piece::Head { length: before, .. }) => *before += length,
            _ => self.pieces.push(Piece::Head { at, length }),
        }
    }
}
