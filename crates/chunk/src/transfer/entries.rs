// SPDX-License-Identifier: Apache-2.0
//! The list of files as it is kept: its bytes, as they are sent, and where each entry begins. A
//! million entries take their bytes and four more each.

use super::manifest::{BLOCK, LONGEST_NAME};
use super::manifest::{
    Entry, MOST_BLOCKS, MOST_BYTES, MOST_ENTRIES, ManifestError, What, check_name, names_of_others,
    own_names, shown, split,
};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

/// The list of files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entries {
    bytes: Vec<u8>,
    starts: Vec<u32>,
}

impl Entries {
    /// Reads a list, and takes it only if all of it is in order.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn decode(bytes: Vec<u8>) -> Result<Self, ManifestError> {
        if bytes.len() as u64 > MOST_BYTES {
            return Err(ManifestError::Large(bytes.len() as u64));
        }
        let mut starts = Vec::new();
        let mut left = &bytes[..];
        while !left.is_empty() {
            let start = bytes.len() - left.len();
            if starts.len() == MOST_ENTRIES {
                return Err(ManifestError::Many(MOST_ENTRIES + 1));
            }
            starts.push(start as u32);
            left = Entry::skip(left).ok_or(ManifestError::Broken(start))?;
        }
        let entries = Entries { bytes, starts };
        entries.check()?;
        Ok(entries)
    }

    /// Adds an entry, which nobody has checked.
    ///
    /// # Errors
    /// The list is full.
    pub fn push(&mut self, entry: &Entry) -> Result<(), ManifestError> {
        if self.starts.len() == MOST_ENTRIES {
            return Err(ManifestError::Many(MOST_ENTRIES + 1));
        }
        let start = self.bytes.len();
        entry.encode(&mut self.bytes);
        if self.bytes.len() as u64 > MOST_BYTES {
            return Err(ManifestError::Large(self.bytes.len() as u64));
        }
        self.starts.push(start as u32);
        Ok(())
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// As it is sent.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// An entry by its place.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<Entry> {
        Entry::decode(self.from(place)?)
    }

    /// The same, of a place that is in the list.
    ///
    /// # Panics
    /// It is not.
    #[must_use]
    pub fn at(&self, place: usize) -> Entry {
        self.get(place).unwrap_or_else(|| {
            let all = self.len();
            panic!("entry {place} of {all}")
        })
    }

    /// The name of an entry.
    #[must_use]
    pub fn name(&self, place: usize) -> &[u8] {
        self.from(place)
            .and_then(Entry::name_of)
            .unwrap_or_default()
    }

    /// What an entry is.
    #[must_use]
    pub fn what(&self, place: usize) -> Option<What> {
        self.from(place).and_then(Entry::what_of)
    }

    /// All of them, in their order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Entry> + ExactSizeIterator + '_ {
        (0..self.len()).map(|place| self.at(place))
    }

    /// The bytes from an entry on.
    fn from(&self, place: usize) -> Option<&[u8]> {
        let start = *self.starts.get(place)?;
        Some(&self.bytes[start as usize..])
    }

    /// Whether it may be sent, and be written below a directory. It copies no name: a list of a
    /// peer may be long.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), ManifestError> {
        let mut names = Names::new(self);
        for place in 0..self.len() {
            let name = self.name(place);
            check_name(name)?;
            if let (Some(parent), _) = split(name)
                && names.find(parent).and_then(|at| self.what(at)) != Some(What::Directory)
            {
                return Err(ManifestError::Orphan(shown(name)));
            }
            if let Some(What::Same(number)) = self.what(place) {
                let of = (number as usize).checked_sub(1).filter(|&of| of < place);
                if !matches!(of.and_then(|of| self.what(of)), Some(What::File(_))) {
                    let name = shown(name);
                    return Err(ManifestError::Same { name, number });
                }
            }
            let (bytes, most) = match self.what(place) {
                Some(What::File(bytes)) => (bytes, MOST_BLOCKS * BLOCK),
                Some(What::Link(bytes)) => (bytes, LONGEST_NAME as u64),
                _ => (0, 0),
            };
            if bytes > most {
                let name = shown(name);
                return Err(ManifestError::Long { name, bytes, most });
            }
            if !names.insert(place) {
                return Err(ManifestError::Twice(shown(name)));
            }
        }
        for place in 0..self.len() {
            let name = self.name(place);
            for other in names_of_others(name) {
                let what = names.find(other).and_then(|at| self.what(at));
                if what.is_some_and(|what| what != What::Directory) {
                    return Err(ManifestError::Twice(shown(name)));
                }
            }
        }
        self.check_own_names()
    }

    /// No entry has a name that a receiver gives to another one before it is complete.
    fn check_own_names(&self) -> Result<(), ManifestError> {
        let all = (0..self.len()).map(|place| self.name(place));
        let own: HashSet<&[u8]> = all.filter(|name| Entry::is_own_name(name)).collect();
        if own.is_empty() {
            return Ok(());
        }
        for place in 0..self.len() {
            if self.what(place) != Some(What::Directory) {
                let mut stand_ins = own_names(self.name(place)).into_iter();
                if let Some(name) = stand_ins.find(|name| own.contains(&name[..])) {
                    return Err(ManifestError::Twice(shown(&name)));
                }
            }
        }
        Ok(())
    }
}

impl<'a> FromIterator<&'a Entry> for Entries {
    /// # Panics
    /// There are too many.
    fn from_iter<T: IntoIterator<Item = &'a Entry>>(all: T) -> Self {
        let mut entries = Entries::default();
        for entry in all {
            entries
                .push(entry)
                .unwrap_or_else(|error| panic!("{error}"));
        }
        entries
    }
}

/// Where the entry of a name is, of those that were put in: twelve bytes for each.
struct Names<'a> {
    entries: &'a Entries,
    /// By their hash, or the next number that is free.
    places: HashMap<u64, u32>,
    hasher: RandomState,
}

impl<'a> Names<'a> {
    fn new(entries: &'a Entries) -> Self {
        Names {
            entries,
            places: HashMap::with_capacity(entries.len()),
            hasher: RandomState::new(),
        }
    }

    /// The number of a name, and its place if it is there.
    fn look(&self, name: &[u8]) -> (u64, Option<usize>) {
        let mut number = self.hasher.hash_one(name);
        loop {
            match self.places.get(&number) {
                None => return (number, None),
                Some(&at) if self.entries.name(at as usize) == name => {
                    return (number, Some(at as usize));
                }
                Some(_) => number = number.wrapping_add(1),
            }
        }
    }

    fn find(&self, name: &[u8]) -> Option<usize> {
        self.look(name).1
    }

    /// Puts an entry in; false if its name is there.
    fn insert(&mut self, place: usize) -> bool {
        let (number, there) = self.look(self.entries.name(place));
        self.places.entry(number).or_insert(place as u32);
        there.is_none()
    }
}
