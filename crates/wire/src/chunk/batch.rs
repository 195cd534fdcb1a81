// SPDX-License-Identifier: Apache-2.0
//! Frames ready to be sent, one after the other in one piece of memory.

/// Frames ready to be sent one after the other on one lane. All have [`Batch::segment`] bytes but
/// the last, which may have fewer.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    pub(crate) bytes: Vec<u8>,
    frames: usize,
    segment: usize,
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

    /// The frames.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Removes all frames; their memory is used again.
    pub fn clear(&mut self) {
        self.bytes.clear();
        (self.frames, self.segment) = (0, 0);
    }

    /// What was written are frames.
    pub(crate) fn end(&mut self, frames: usize, segment: usize) {
        (self.frames, self.segment) = (frames, segment);
    }
}
