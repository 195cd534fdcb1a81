// SPDX-License-Identifier: Apache-2.0
//! Where things are in the memory of a node of a run.

use super::WORD;
use super::users::Workload;

/// Places of a node beyond those of transfers under way: for those that rest after an error.
const SPARE_PLACES: usize = 8;

/// Where things are in the memory of a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub sources: u64,
    pub stride: u64,
    pub places: usize,
    /// Bytes of the file, which has a place behind the others and its source in front.
    pub file: u64,
}

impl Layout {
    pub(super) fn new(workload: &Workload, file: u64) -> Self {
        let most = u64::from(workload.sizes.1);
        Self {
            sources: (2 * most).max(file).next_multiple_of(65536),
            // Notification, then data at any offset within a word.
            stride: (most + 2 * WORD as u64).next_multiple_of(WORD as u64),
            places: 2 * usize::from(workload.outstanding) + SPARE_PLACES,
            file,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.place(self.places) + (self.file + 2 * WORD as u64).next_multiple_of(WORD as u64)
    }

    /// First byte of a place.
    pub(super) fn place(&self, place: usize) -> u64 {
        self.sources + self.stride * place as u64
    }
}
