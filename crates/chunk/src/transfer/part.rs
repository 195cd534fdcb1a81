// SPDX-License-Identifier: Apache-2.0
//! A file that is not complete, and the table of its blocks that are on disk for sure
//! ([`tree`](super::tree) says what is in it).

use super::head::{Hash, root};
use super::manifest::{BLOCK, Entry, PART, TABLE, What};
use super::tree::{GoOn, times, with};
use rustix::fs::{self, AtFlags, Mode};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;

/// What a table begins with.
pub(super) const MAGIC: &[u8; 8] = b"Ropewalk";
const TABLE_HEAD: u64 = 64;
const NONE: Hash = [0; 32];

/// Hash of a block of a file, if so much can be read.
pub(super) fn hash_at(
    file: &File,
    place: u64,
    length: usize,
    buffer: &mut Vec<u8>,
) -> Option<Hash> {
    buffer.resize(length, 0);
    file.read_exact_at(buffer, place).ok()?;
    Some(*blake3::hash(buffer).as_bytes())
}

pub(super) fn block_length(bytes: u64, index: u64) -> usize {
    (bytes - index * BLOCK).min(BLOCK) as usize
}

/// Makes a table tell of an entry, and of no block.
pub(super) fn write_head(table: &File, entry: &Entry) -> io::Result<()> {
    let mut head = [0; TABLE_HEAD as usize];
    head[..8].copy_from_slice(MAGIC);
    head[8..40].copy_from_slice(&entry.digest());
    table.set_len(TABLE_HEAD)?;
    table.write_all_at(&head, 0)?;
    table.sync_all()
}

/// A file that is not complete.
#[derive(Debug)]
pub struct Part {
    at: OwnedFd,
    name: OsString,
    entry: Entry,
    data: File,
    table: File,
    blocks: HashMap<u32, Hash>,
    /// Blocks that are written but not noted.
    fresh: Vec<u32>,
}

impl Part {
    pub(super) fn new(
        (at, name): (OwnedFd, &OsStr),
        entry: &Entry,
        data: File,
        table: File,
    ) -> Self {
        Part {
            at,
            name: name.to_owned(),
            entry: entry.clone(),
            data,
            table,
            blocks: HashMap::new(),
            fresh: Vec::new(),
        }
    }

    /// Takes over what an earlier time has left; false if that is of another file.
    pub(super) fn load(&mut self, go_on: GoOn<'_>) -> io::Result<bool> {
        let What::File(bytes) = self.entry.what else {
            return Ok(false);
        };
        let mut head = [0; TABLE_HEAD as usize];
        if self.table.read_exact_at(&mut head, 0).is_err()
            || head[..8] != *MAGIC
            || head[8..40] != self.entry.digest()
            || self.data.metadata()?.len() != bytes
        {
            return Ok(false);
        }
        let noted = (self.table.metadata()?.len() - TABLE_HEAD) / 32;
        let mut buffer = Vec::new();
        for index in 0..noted.min(self.entry.blocks()) {
            let mut hash = NONE;
            self.table
                .read_exact_at(&mut hash, TABLE_HEAD + index * 32)?;
            let length = block_length(bytes, index);
            if hash != NONE && hash_at(&self.data, index * BLOCK, length, &mut buffer) == Some(hash)
            {
                self.blocks.insert(index as u32, hash);
            }
            if hash != NONE && !go_on(length as u64) {
                return Err(io::ErrorKind::Interrupted.into());
            }
        }
        Ok(true)
    }

    /// Begins anew. `is_known`: its table may tell of another file.
    pub(super) fn begin(&mut self, is_known: bool) -> io::Result<()> {
        // The table first, so that it never tells of data that are gone.
        if is_known {
            write_head(&self.table, &self.entry)?;
        }
        self.data.set_len(0)?;
        if let What::File(bytes) = self.entry.what {
            self.data.set_len(bytes)?;
        }
        self.blocks.clear();
        Ok(())
    }

    pub(super) fn into_blocks(self) -> HashMap<u32, Hash> {
        self.blocks
    }

    /// Hashes of the blocks that are there.
    #[must_use]
    pub fn blocks(&self) -> &HashMap<u32, Hash> {
        &self.blocks
    }

    /// The place of a block in the list, if it can be one of this file.
    fn index(&self, place: u64, length: usize) -> io::Result<u32> {
        let index = place / BLOCK;
        let fits = match self.entry.what {
            What::File(bytes) => place < bytes && length == block_length(bytes, index),
            What::Stream => {
                (1..=BLOCK as usize).contains(&length) && index < super::manifest::MOST_BLOCKS
            }
            What::Directory | What::Link(_) | What::Same(_) => false,
        };
        if !fits || !place.is_multiple_of(BLOCK) {
            let text = format!("a block of {length} bytes at {place} is none of this file");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        Ok(index as u32)
    }

    /// Writes a block.
    ///
    /// # Errors
    /// It is none of this file, or cannot be written.
    pub fn write(&mut self, place: u64, bytes: &[u8], hash: Hash) -> io::Result<()> {
        let index = self.index(place, bytes.len())?;
        self.data.write_all_at(bytes, place)?;
        self.blocks.insert(index, hash);
        self.fresh.push(index);
        Ok(())
    }

    /// A block of zeros: a hole, if the file system has such.
    ///
    /// # Errors
    /// It is none of this file, or cannot be written.
    pub fn hole(&mut self, place: u64, length: u32) -> io::Result<()> {
        let zeros = vec![0; (length as usize).min(BLOCK as usize)];
        let index = self.index(place, length as usize)?;
        let flags = fs::FallocateFlags::PUNCH_HOLE | fs::FallocateFlags::KEEP_SIZE;
        if fs::fallocate(&self.data, flags, place, length.into()).is_err() {
            self.data.write_all_at(&zeros, place)?;
        }
        let end = place + u64::from(length);
        if self.data.metadata()?.len() < end {
            self.data.set_len(end)?;
        }
        self.blocks.insert(index, *blake3::hash(&zeros).as_bytes());
        self.fresh.push(index);
        Ok(())
    }

    /// What is written and not noted yet, to be noted when it is on disk for sure; none if there is
    /// nothing.
    ///
    /// # Errors
    /// No more open files.
    pub fn note(&mut self) -> io::Result<Option<Note>> {
        if self.fresh.is_empty() || self.entry.what == What::Stream {
            return Ok(None);
        }
        let (data, table) = (self.data.try_clone()?, self.table.try_clone()?);
        let hash = |index| (index, self.blocks[&index]);
        Ok(Some(Note {
            data,
            table,
            blocks: self.fresh.drain(..).map(hash).collect(),
        }))
    }

    /// Whether all of the file is there, and has this hash.
    #[must_use]
    pub fn is_whole(&self, bytes: u64, hash: Hash) -> bool {
        let fits = match self.entry.what {
            What::File(length) => bytes == length,
            _ => self.data.metadata().is_ok_and(|about| about.len() == bytes),
        };
        let count = bytes.div_ceil(BLOCK);
        if !fits || self.blocks.len() as u64 != count {
            return false;
        }
        let list: Option<Vec<&Hash>> = (0..count as u32).map(|at| self.blocks.get(&at)).collect();
        list.is_some_and(|list| root(bytes, list.into_iter()) == hash)
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// The system refuses; nothing is lost.
    pub fn finish(self) -> io::Result<()> {
        // While a disk fails or is full the file can still be written.
        self.data.sync_all()?;
        self.entry.attributes.give(&self.data)?;
        if self.entry.what != What::Stream {
            fs::futimens(&self.data, &times(&self.entry))?;
        }
        fs::fchmod(&self.data, Mode::from_raw_mode(self.entry.mode.into()))?;
        self.data.sync_all()?;
        fs::renameat(&self.at, with(&self.name, PART), &self.at, &self.name)?;
        fs::unlinkat(&self.at, with(&self.name, TABLE), AtFlags::empty())?;
        fs::fsync(&self.at)?;
        Ok(())
    }

    /// Removes all of it.
    ///
    /// # Errors
    /// The system refuses.
    pub fn discard(self) -> io::Result<()> {
        // Data without a table would be somebody else's.
        fs::unlinkat(&self.at, with(&self.name, PART), AtFlags::empty())?;
        fs::unlinkat(&self.at, with(&self.name, TABLE), AtFlags::empty())?;
        Ok(())
    }
}

/// Blocks of a file that are to be noted. It must have been written before the file is finished: a
/// disk tells of a failure only once.
#[derive(Debug)]
pub struct Note {
    data: File,
    table: File,
    blocks: Vec<(u32, Hash)>,
}

impl Note {
    /// Synchronises the data, and then writes the note.
    ///
    /// # Errors
    /// The disk is full or fails; what was noted before stays good.
    pub fn write(self) -> io::Result<()> {
        write_note(&self.data, &self.table, &self.blocks)
    }
}

/// What a note needs of a file.
trait Disk {
    fn sync_data(&self) -> io::Result<()>;
    fn put(&self, bytes: &[u8], place: u64) -> io::Result<()>;
}

impl Disk for File {
    fn sync_data(&self) -> io::Result<()> {
        File::sync_data(self)
    }

    fn put(&self, bytes: &[u8], place: u64) -> io::Result<()> {
        self.write_all_at(bytes, place)
    }
}

/// The table says of a block that it is there only when that is so after a power failure, too.
fn write_note(data: &impl Disk, table: &impl Disk, blocks: &[(u32, Hash)]) -> io::Result<()> {
    data.sync_data()?;
    for (index, hash) in blocks {
        table.put(hash, TABLE_HEAD + u64::from(*index) * 32)?;
    }
    table.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_safe_before_the_table_says_so() {
        type Steps = std::rc::Rc<std::cell::RefCell<Vec<String>>>;
        struct Recorder(&'static str, Steps, bool);
        impl Disk for Recorder {
            fn sync_data(&self) -> io::Result<()> {
                self.1.borrow_mut().push(format!("sync {}", self.0));
                if self.2 {
                    return Err(io::Error::other("it fails"));
                }
                Ok(())
            }

            fn put(&self, bytes: &[u8], place: u64) -> io::Result<()> {
                let text = format!("write {} of {} at {place}", bytes.len(), self.0);
                self.1.borrow_mut().push(text);
                Ok(())
            }
        }
        for fails in [false, true] {
            let steps = Steps::default();
            let data = Recorder("data", steps.clone(), fails);
            let table = Recorder("table", steps.clone(), false);
            let said = write_note(&data, &table, &[(0, NONE), (7, NONE)]);
            assert_eq!(said.is_err(), fails);
            let (first, last) = (TABLE_HEAD, TABLE_HEAD + 7 * 32);
            let all = [
                "sync data".to_owned(),
                format!("write 32 of table at {first}"),
                format!("write 32 of table at {last}"),
                "sync table".to_owned(),
            ];
            assert_eq!(*steps.borrow(), all[..if fails { 1 } else { 4 }]);
        }
    }
}
