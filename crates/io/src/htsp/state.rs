// SPDX-License-Identifier: Apache-2.0
//! Positions of a receiver in a file, so that the next receiver goes on where this one ended.
//!
//! The file has two records, which are written in turn. Each has a number and a checksum, so that
//! a torn one is recognised, and the whole one holds then.
//!
//! ```text
//! byte 0     record: "RWHTSPRX", number, run, 16 x (taken, offered), CRC-32C   (64 bits each, low
//! byte 4096  record                                                             byte first; CRC 32)
//! ```
//!
//! A write to a file outlives the process, however that ends. To outlive the machine it has to
//! reach the disk as well ([`State::open`]).

use ropewalk_wire::htsp::frame::MAX_CHANNELS;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use thiserror::Error;

const MAGIC: &[u8; 8] = b"RWHTSPRX";
const CHANNELS: usize = MAX_CHANNELS as usize;
/// Bytes of a record, checksum included.
const RECORD: usize = 8 * (3 + 2 * CHANNELS) + 4;
/// From one record to the other: no sector of a disk holds parts of both.
const APART: u64 = 4096;

/// Why a file cannot be used for positions.
#[derive(Debug, Error)]
pub enum StateError {
    /// Another receiver has it.
    #[error("{0}: another receiver writes to it; accepted: one at a time")]
    Taken(PathBuf),
    /// It holds something else, or both records are damaged.
    #[error("{0} holds no positions of a receiver; accepted: a file that one has written, or none")]
    Foreign(PathBuf),
    /// It cannot be opened, read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// How far a channel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Bytes that were handed over, and whose user has gone on to what followed.
    pub taken: u64,
    /// Bytes that were handed over. Nobody knows what became of those that were not taken.
    pub offered: u64,
}

/// Positions in a file, which no other receiver has meanwhile.
#[derive(Debug)]
pub struct State {
    path: PathBuf,
    file: File,
    sync: bool,
    number: u64,
    run: u64,
    places: [Place; CHANNELS],
    /// Something was handed over in this run, and with it the report on the run before.
    begun: [bool; CHANNELS],
}

fn encode(number: u64, run: u64, places: &[Place; CHANNELS]) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    let places = places.iter().flat_map(|it| [it.taken, it.offered]);
    let words = [u64::from_le_bytes(*MAGIC), number, run].into_iter();
    for (field, word) in record.chunks_exact_mut(8).zip(words.chain(places)) {
        field.copy_from_slice(&word.to_le_bytes());
    }
    let (body, sum) = record.split_at_mut(RECORD - 4);
    sum.copy_from_slice(&checksum(body));
    record
}

fn checksum(body: &[u8]) -> [u8; 4] {
    let sum = crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32Iscsi, body);
    (sum as u32).to_le_bytes()
}

/// Number, run and places of a record, if it is whole.
fn decode(record: &[u8]) -> Option<(u64, u64, [Place; CHANNELS])> {
    let record = record.get(..RECORD)?;
    let (body, sum) = record.split_at(RECORD - 4);
    let word = |index: usize| {
        let bytes = body[8 * index..].first_chunk();
        u64::from_le_bytes(bytes.copied().unwrap_or_default())
    };
    (sum == checksum(body) && word(0).to_le_bytes() == *MAGIC).then(|| {
        let places = std::array::from_fn(|channel| Place {
            taken: word(3 + 2 * channel),
            offered: word(4 + 2 * channel),
        });
        (word(1), word(2), places)
    })
}

impl State {
    /// Opens a file, or makes one, for a new run. With `sync` every change reaches the disk before
    /// it counts, so that positions outlive a crash of the machine: milliseconds for each batch.
    /// Without, they outlive that of the process.
    ///
    /// # Errors
    /// Another receiver has it, it is that of something else, or the system refuses.
    pub fn open(path: &Path, sync: bool) -> Result<Self, StateError> {
        let fail = |source| StateError::File {
            path: path.to_owned(),
            source,
        };
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(fail)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StateError::Taken(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        }
        let records = [0, APART].map(|at| {
            let mut record = [0; RECORD];
            match file.read_exact_at(&mut record, at) {
                Ok(()) => Ok(decode(&record)),
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
                Err(error) => Err(error),
            }
        });
        let [first, second] = records;
        let whole = [first.map_err(fail)?, second.map_err(fail)?];
        let found = whole.into_iter().flatten().max_by_key(|record| record.0);
        if found.is_none() && file.metadata().map_err(fail)?.len() > 0 {
            return Err(StateError::Foreign(path.to_owned()));
        }
        let (number, run, places) = found.unwrap_or_default();
        let mut state = State {
            path: path.to_owned(),
            file,
            sync,
            number,
            run: run + 1,
            places,
            begun: [false; CHANNELS],
        };
        state.write(places)?;
        Ok(state)
    }

    /// Which run of a receiver this is: 1 is the first one with this file.
    #[must_use]
    pub fn run(&self) -> u64 {
        self.run
    }

    /// How far a channel is.
    #[must_use]
    pub fn place(&self, channel: u8) -> Place {
        let place = self.places.get(usize::from(channel));
        place.copied().unwrap_or_default()
    }

    /// Notes that a channel is handed over up to a position. To be called before that is done.
    ///
    /// # Errors
    /// It could not be written; nothing has changed then.
    pub fn offer(&mut self, channel: u8, end: u64) -> Result<(), StateError> {
        let mut places = self.places;
        if let Some(place) = places.get_mut(usize::from(channel)) {
            place.offered = place.offered.max(end);
        }
        self.write(places)?;
        if let Some(begun) = self.begun.get_mut(usize::from(channel)) {
            *begun = true;
        }
        Ok(())
    }

    /// Notes that all that was handed over in this run is taken. A channel of which nothing was
    /// stays as the run before left it: its user has not heard yet what is in doubt.
    ///
    /// # Errors
    /// It could not be written; nothing has changed then.
    pub fn take(&mut self) -> Result<(), StateError> {
        let mut places = self.places;
        for (place, _) in places.iter_mut().zip(self.begun).filter(|it| it.1) {
            place.taken = place.offered;
        }
        self.write(places)
    }

    fn write(&mut self, places: [Place; CHANNELS]) -> Result<(), StateError> {
        let number = self.number + 1;
        let record = encode(number, self.run, &places);
        let written = self.file.write_all_at(&record, number % 2 * APART);
        let written = written.and_then(|()| match self.sync {
            true => self.file.sync_data(),
            false => Ok(()),
        });
        written.map_err(|source| StateError::File {
            path: self.path.clone(),
            source,
        })?;
        (self.number, self.places) = (number, places);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of this name that is not there yet.
    fn path(name: &str) -> PathBuf {
        let name = format!("ropewalk-state-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_file(&path);
        path
    }

    #[test]
    fn positions_last() {
        for sync in [false, true] {
            let path = path("lasts");
            let mut state = State::open(&path, sync).unwrap();
            assert_eq!((state.run(), state.place(3)), (1, Place::default()));
            state.offer(3, 100).unwrap();
            state.take().unwrap();
            state.offer(3, 250).unwrap();
            state.offer(3, 200).unwrap();
            state.offer(15, 7).unwrap();
            let told = State::open(&path, sync).unwrap_err();
            assert!(matches!(told, StateError::Taken(_)), "{told}");
            drop(state);
            let state = State::open(&path, sync).unwrap();
            let place = |taken, offered| Place { taken, offered };
            assert_eq!((state.run(), state.place(3)), (2, place(100, 250)));
            assert_eq!(state.place(15), place(0, 7));
            // What the run before may have handed over is doubted until the next batch says so.
            let mut state = state;
            state.offer(15, 9).unwrap();
            state.take().unwrap();
            assert_eq!(state.place(15), place(9, 9));
            assert_eq!(state.place(3), place(100, 250));
            state.offer(3, 300).unwrap();
            state.take().unwrap();
            assert_eq!(state.place(3), place(300, 300));
            std::fs::remove_file(&path).unwrap();
        }
    }

    /// Whatever byte of the record that was written last is damaged, or where it ends: what it
    /// replaced holds, and nothing else is ever read.
    #[test]
    fn a_record_that_was_torn() {
        let path = path("torn");
        let mut state = State::open(&path, false).unwrap();
        state.offer(0, 1000).unwrap();
        state.take().unwrap();
        state.offer(0, 2000).unwrap();
        // Number 4, in the first half of the file.
        drop(state);
        let whole = std::fs::read(&path).unwrap();
        for at in 0..RECORD {
            let mut torn = whole.clone();
            torn[at] ^= 0x10;
            std::fs::write(&path, &torn).unwrap();
            let state = State::open(&path, false).unwrap();
            let (taken, offered) = (1000, 1000);
            assert_eq!(state.place(0), Place { taken, offered }, "{at}");
        }
        // Both damaged, or something else.
        let mut torn = whole.clone();
        torn[9] ^= 1;
        torn[APART as usize + 9] ^= 1;
        for other in [&torn[..], &whole[..RECORD - 1], b"anything"] {
            std::fs::write(&path, other).unwrap();
            let told = State::open(&path, false).unwrap_err().to_string();
            assert!(told.contains("holds no positions of a receiver"), "{told}");
            assert_eq!(std::fs::read(&path).unwrap(), other, "it is left as it was");
        }
        std::fs::write(&path, b"").unwrap();
        assert_eq!(State::open(&path, false).unwrap().run(), 1);
        std::fs::remove_file(&path).unwrap();
        let told = State::open(Path::new("/"), false).unwrap_err().to_string();
        assert!(told.starts_with("/: "), "{told}");
    }

    /// What cannot be written has not happened.
    #[test]
    fn a_disk_that_is_full() {
        let mut state = State {
            path: "/dev/full".into(),
            file: OpenOptions::new().write(true).open("/dev/full").unwrap(),
            sync: false,
            number: 1,
            run: 1,
            places: [Place::default(); CHANNELS],
            begun: [false; CHANNELS],
        };
        let told = state.offer(1, 5).unwrap_err().to_string();
        assert!(told.starts_with("/dev/full: "), "{told}");
        assert_eq!(state.place(1), Place::default());
    }
}
