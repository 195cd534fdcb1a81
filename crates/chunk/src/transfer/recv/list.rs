// SPDX-License-Identifier: Apache-2.0
//! The list of files, as it comes in any order.

use super::super::entries::Entries;
use super::super::head::{Hash, Head, Kind, root};
use super::super::manifest::{BLOCK, MOST_BYTES, ManifestError};
use super::Fault;
use std::collections::HashMap;

/// What has come of the list, until all of it is there.
#[derive(Default)]
pub(super) struct List {
    bytes: Vec<u8>,
    hashes: HashMap<u64, Hash>,
    end: Option<(u64, Hash)>,
    /// Bytes of the files that are zeros which the sender's disk does not store.
    pub holes: u64,
    /// The sender only wants to know what is there.
    pub is_question: bool,
    /// Pieces of older files are not wanted.
    pub is_whole_only: bool,
}

impl List {
    /// A block of it.
    pub fn add(&mut self, head: &Head, body: &[u8]) -> Result<(), Fault> {
        let end = head.place.saturating_add(body.len() as u64);
        if end > MOST_BYTES || !head.place.is_multiple_of(BLOCK) {
            return Err(Fault::failed(&ManifestError::Large(end)));
        }
        if self.bytes.len() < end as usize {
            self.bytes.resize(end as usize, 0);
        }
        self.bytes[head.place as usize..end as usize].copy_from_slice(body);
        self.hashes.insert(head.place / BLOCK, head.hash);
        Ok(())
    }

    /// How long it is, and what it is for.
    pub fn end(&mut self, head: &Head, body: &[u8]) {
        self.end = Some((head.place, head.hash));
        let (holes, rest) = body.split_first_chunk().unwrap_or((&[0; 8], &[]));
        self.holes = u64::from_be_bytes(*holes);
        self.is_whole_only = rest == [1];
        self.is_question = head.kind == Kind::Ask;
    }

    /// The list, if all of it is there.
    pub fn take(&mut self) -> Option<Result<Entries, Fault>> {
        let (bytes, hash) = self.end?;
        let count = bytes.div_ceil(BLOCK);
        if self.hashes.len() as u64 != count {
            return None;
        }
        let list: Option<Vec<&Hash>> = (0..count).map(|at| self.hashes.get(&at)).collect();
        let right = self.bytes.len() as u64 == bytes
            && list.is_some_and(|list| root(bytes, list.into_iter()) == hash);
        if !right {
            let text = "the list of files differs from its hash";
            return Some(Err(Fault::Failed(text.into())));
        }
        let entries = Entries::decode(std::mem::take(&mut self.bytes));
        Some(entries.map_err(|error| Fault::failed(&error)))
    }
}
