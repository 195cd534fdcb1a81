// SPDX-License-Identifier: Apache-2.0
//! The directory that a receiver writes to, and nothing outside of it: every part of a name is
//! opened by itself, and none may be a link.
//!
//! ```text
//!  NAME.part          what has come, each block at its place
//!  NAME.part.blocks   64 bytes: "Ropewalk", the digest of the entry (32), zeros; then the hash of each block that is on disk for sure
//! ```
//!
//! The table is on disk before there is data: a `NAME.part` without one is somebody else's, and
//! stays as it is. Where NAME is too long for these endings a hash of it stands in its place
//! ([`base_name`]).
//!
//! A block is noted in the table only after the data were synchronised, and counts after a restart
//! only if what is on disk still has its hash. The name itself appears when all blocks are there
//! and the hash of the whole file is right.

use super::head::{Hash, root};
use super::manifest::{BLOCK, Entry, PART, TABLE, What, base_name, new_name, shown};
use rustix::fs::{self, AtFlags, FlockOperation, Mode, OFlags, Timespec, Timestamps};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::Path;

const MAGIC: &[u8; 8] = b"Ropewalk";
const TABLE_HEAD: u64 = 64;
const NONE: Hash = [0; 32];
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// A directory that files are received in.
#[derive(Debug)]
pub struct Tree {
    root: OwnedFd,
}

/// Takes the number of further bytes that were read and hashed, and returns whether to go on.
pub type GoOn<'a> = &'a dyn Fn(u64) -> bool;

/// It was told not to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

pub(super) fn times(entry: &Entry) -> Timestamps {
    let time = Timespec {
        tv_sec: entry.time.0,
        tv_nsec: entry.time.1.into(),
    };
    Timestamps {
        last_access: time,
        last_modification: time,
    }
}

/// An ordinary file below an open directory.
fn open_file(at: &OwnedFd, name: &OsStr, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(fs::openat(at, name, flags, Mode::RUSR | Mode::WUSR)?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::other(
            "it is there already, and no ordinary file",
        ));
    }
    Ok(file)
}

/// Gives the owner of a file or a directory the permissions `bits`, as far as the system lets; a
/// link is not followed.
fn allow(at: &OwnedFd, name: &OsStr, bits: u32) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let there = File::from(fs::openat(at, name, flags, Mode::empty())?);
    let about = there.metadata()?;
    if about.is_symlink() || about.mode() & bits == bits {
        return Ok(());
    }
    let path = format!("/proc/self/fd/{}", there.as_raw_fd());
    std::fs::set_permissions(path, Permissions::from_mode(about.mode() & 0o7777 | bits))
}

fn exists(at: &OwnedFd, name: &OsStr) -> bool {
    fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
}

/// The name of an unfinished file, or of its table.
fn with(name: &OsStr, ending: &str) -> OsString {
    let mut longer = OsStr::from_bytes(&base_name(name.as_bytes())).to_owned();
    longer.push(ending);
    longer
}

/// Hash of a block of a file, if so much can be read.
fn hash_at(file: &File, place: u64, length: usize, buffer: &mut Vec<u8>) -> Option<Hash> {
    buffer.resize(length, 0);
    file.read_exact_at(buffer, place).ok()?;
    Some(*blake3::hash(buffer).as_bytes())
}

fn block_length(bytes: u64, index: u64) -> usize {
    (bytes - index * BLOCK).min(BLOCK) as usize
}

impl Tree {
    /// Opens a directory, and makes it if it is not there. Nobody else receives in it meanwhile.
    ///
    /// # Errors
    /// It cannot be opened, or another receiver has it.
    pub fn open(path: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(path)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = fs::open(path, flags, Mode::empty())?;
        fs::flock(&root, FlockOperation::NonBlockingLockExclusive).map_err(
            |error| match error {
                rustix::io::Errno::WOULDBLOCK => io::Error::other("another receiver writes there"),
                error => error.into(),
            },
        )?;
        Ok(Tree { root })
    }

    /// The directory itself.
    pub(super) fn root(&self) -> &OwnedFd {
        &self.root
    }

    /// Another handle of the same directory, for another thread.
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        let root = self.root.try_clone()?;
        Ok(Tree { root })
    }

    /// The way to one entry after the other.
    pub(super) fn walk(&self) -> Walk<'_> {
        Walk {
            tree: self,
            last: None,
        }
    }

    /// The directory that an entry lies in, and the last part of its name.
    fn parent<'a>(&self, name: &'a [u8]) -> io::Result<(OwnedFd, &'a OsStr)> {
        let (directory, last) = split(name);
        let mut at = self.root.try_clone()?;
        for part in directory.split(|&byte| byte == b'/') {
            if !directory.is_empty() {
                at = fs::openat(&at, OsStr::from_bytes(part), DIRECTORY, Mode::empty())?;
            }
        }
        Ok((at, last))
    }

    /// Makes a directory, and returns whether it was not there; one that is there can be written to
    /// until [`Tree::finish_directory`].
    ///
    /// # Errors
    /// It cannot be made, or something else has its name.
    pub fn make_directory(&self, entry: &Entry) -> io::Result<bool> {
        let (at, name) = self.parent(&entry.name)?;
        let made = fs::mkdirat(&at, name, Mode::RWXU);
        match made {
            Ok(()) => {}
            // What the system refuses is seen when something is to be written in it.
            Err(rustix::io::Errno::EXIST) => drop(allow(&at, name, 0o700)),
            Err(error) => return Err(error.into()),
        }
        fs::openat(&at, name, DIRECTORY, Mode::empty())?;
        Ok(made.is_ok())
    }

    /// Gives a directory its permissions and its time, when all is in it.
    ///
    /// # Errors
    /// The system refuses.
    pub fn finish_directory(&self, entry: &Entry) -> io::Result<OwnedFd> {
        let (at, name) = self.parent(&entry.name)?;
        let directory = fs::openat(&at, name, DIRECTORY, Mode::empty())?;
        fs::futimens(&directory, &times(entry))?;
        fs::fchmod(&directory, Mode::from_raw_mode(entry.mode.into()))?;
        Ok(directory)
    }

    /// The hash of a file that is there already, if its length and its time are those of the entry.
    ///
    /// # Errors
    /// Only [`Stopped`].
    pub fn whole(&self, entry: &Entry, go_on: GoOn<'_>) -> Result<Option<Hash>, Stopped> {
        let Some((file, bytes)) = self.same(entry) else {
            return Ok(None);
        };
        let (mut hashes, mut buffer) = (Vec::new(), Vec::new());
        for index in 0..entry.blocks() {
            let length = block_length(bytes, index);
            match hash_at(&file, index * BLOCK, length, &mut buffer) {
                Some(hash) => hashes.push(hash),
                None => return Ok(None),
            }
            if !go_on(length as u64) {
                return Err(Stopped);
            }
        }
        Ok(Some(root(bytes, hashes.iter())))
    }

    /// The file that has the name, the length and the time of an entry, and its length.
    fn same(&self, entry: &Entry) -> Option<(File, u64)> {
        let What::File(bytes) = entry.what else {
            return None;
        };
        let (at, name) = self.parent(&entry.name).ok()?;
        let file = open_file(&at, name, OFlags::RDONLY).ok()?;
        let about = file.metadata().ok()?;
        let time = (about.mtime(), about.mtime_nsec() as u32);
        (about.len() == bytes && time == entry.time).then_some((file, bytes))
    }

    /// Gives a file that was there already the permissions of its entry.
    ///
    /// # Errors
    /// The system refuses.
    pub fn finish_whole(&self, entry: &Entry) -> io::Result<()> {
        let Some((file, _)) = self.same(entry) else {
            return Err(io::Error::other("it was changed meanwhile"));
        };
        if file.metadata()?.mode() & 0o777 != u32::from(entry.mode) {
            fs::fchmod(&file, Mode::from_raw_mode(entry.mode.into()))?;
            file.sync_all()?;
        }
        Ok(())
    }

    /// Makes a file and removes it again: it can be written there. The bytes that are free there.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn check_writable(&self) -> io::Result<u64> {
        let name = new_name(OsStr::new(""));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        fs::openat(&self.root, &name, flags, Mode::RUSR | Mode::WUSR)?;
        fs::unlinkat(&self.root, &name, AtFlags::empty())?;
        let about = fs::fstatvfs(&self.root)?;
        Ok(about.f_bavail.saturating_mul(about.f_frsize))
    }

    /// Whether there is something of a file from an earlier time.
    #[must_use]
    pub fn has_part(&self, entry: &Entry) -> bool {
        self.parent(&entry.name)
            .is_ok_and(|(at, name)| exists(&at, &with(name, TABLE)))
    }

    /// The unfinished file of an entry, with what is there of it.
    ///
    /// # Errors
    /// It cannot be made or read, or it is there and no receiver has made it; `Interrupted` if it
    /// was stopped.
    pub fn part(&self, entry: &Entry, go_on: GoOn<'_>) -> io::Result<Part> {
        let (at, name) = self.parent(&entry.name)?;
        let (data, table) = (with(name, PART), with(name, TABLE));
        let has_data = exists(&at, &data);
        let refuse = |ending| {
            Err(io::Error::other(format!(
                "'{}{ending}' is there already, and no unfinished file of ropewalk; remove or rename it",
                shown(&entry.name)
            )))
        };
        if has_data && !exists(&at, &table) {
            return refuse(PART);
        }
        let table = open_file(&at, &table, OFlags::RDWR | OFlags::CREATE)?;
        let mut magic = [0; MAGIC.len()];
        let ours = table.read_exact_at(&mut magic, 0).is_ok() && magic == *MAGIC;
        if ours {
            // It may have been about to get its name, with permissions that forbid to write it.
            let _ = allow(&at, &data, 0o600);
        } else if has_data {
            return refuse(PART);
        } else if table.metadata()?.len() > 0 {
            // One that is empty was made just before an interruption.
            return refuse(TABLE);
        } else {
            write_head(&table, entry)?;
        }
        let mut part = Part {
            data: open_file(&at, &data, OFlags::RDWR | OFlags::CREATE)?,
            table,
            at,
            name: name.to_owned(),
            entry: entry.clone(),
            blocks: HashMap::new(),
            fresh: Vec::new(),
        };
        if !ours || !part.load(go_on)? {
            // The table first, so that it never tells of data that are gone.
            if ours {
                write_head(&part.table, entry)?;
            }
            part.data.set_len(0)?;
            if let What::File(bytes) = entry.what {
                part.data.set_len(bytes)?;
            }
            part.blocks.clear();
        }
        Ok(part)
    }
}

/// The directory of an entry, and the last part of its name.
fn split(name: &[u8]) -> (&[u8], &OsStr) {
    let slash = name.iter().rposition(|&byte| byte == b'/');
    let last = slash.map_or(0, |slash| slash + 1);
    (
        &name[..slash.unwrap_or(0)],
        OsStr::from_bytes(&name[last..]),
    )
}

/// The way to entries, which often lie in the directory of the one before: that stays open. It is
/// for a moment, as directories may be moved.
pub(super) struct Walk<'a> {
    tree: &'a Tree,
    last: Option<(Vec<u8>, OwnedFd)>,
}

impl Walk<'_> {
    /// The directory that an entry lies in, and the last part of its name.
    pub fn parent<'n>(&mut self, name: &'n [u8]) -> io::Result<(&OwnedFd, &'n OsStr)> {
        let (directory, last) = split(name);
        let kept = self.last.take().filter(|(known, _)| known == directory);
        let at = match kept {
            Some((_, at)) => at,
            None => self.tree.parent(name)?.0,
        };
        let (_, at) = self.last.insert((directory.to_vec(), at));
        Ok((at, last))
    }
}

/// Makes a table tell of an entry, and of no block.
fn write_head(table: &File, entry: &Entry) -> io::Result<()> {
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
    /// Takes over what an earlier time has left; false if that is of another file.
    fn load(&mut self, go_on: GoOn<'_>) -> io::Result<bool> {
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
            What::Directory | What::Link(_) => false,
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
    use std::fs;

    fn entry(name: &str, what: What, mode: u16) -> Entry {
        Entry {
            name: name.into(),
            what,
            mode,
            time: (1_000_000_000, 5),
        }
    }

    /// All blocks of a file, as a transfer that was interrupted leaves them.
    fn write_and_note(tree: &Tree, file: &Entry, bytes: &[u8]) {
        let mut part = tree.part(file, &|_| true).unwrap();
        for (place, block) in bytes.chunks(BLOCK as usize).enumerate() {
            let hash = *blake3::hash(block).as_bytes();
            part.write(place as u64 * BLOCK, block, hash).unwrap();
        }
        part.note().unwrap().unwrap().write().unwrap();
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn what_somebody_else_has_is_not_touched() {
        for (ending, other) in [(PART, TABLE), (TABLE, PART)] {
            let folder = tempfile::tempdir().unwrap();
            let foreign = folder.path().join(format!("a{ending}"));
            fs::write(&foreign, "of somebody else").unwrap();
            let tree = Tree::open(folder.path()).unwrap();
            let said = tree.part(&entry("a", What::File(3), 0o644), &|_| true);
            let said = said.unwrap_err();
            let text = format!("'a{ending}' is there already");
            assert!(said.to_string().contains(&text), "{said}");
            assert_eq!(fs::read(&foreign).unwrap(), b"of somebody else");
            assert!(!folder.path().join(format!("a{other}")).exists());
        }
    }

    #[test]
    fn interrupted_at_any_step_and_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::open(folder.path()).unwrap();
        let entry = entry("a", What::File(3), 0o400);
        let hash = *blake3::hash(b"abc").as_bytes();
        // The table has been made, and nothing is in it.
        fs::write(folder.path().join("a.part.blocks"), "").unwrap();
        let mut part = tree.part(&entry, &|_| true).unwrap();
        part.write(0, b"abc", hash).unwrap();
        part.note().unwrap().unwrap().write().unwrap();
        drop(part);
        // It has its permissions, but not its name.
        let data = folder.path().join("a.part");
        fs::set_permissions(&data, Permissions::from_mode(0o400)).unwrap();
        let part = tree.part(&entry, &|_| true).unwrap();
        assert_eq!(mode(&data), 0o600);
        assert_eq!(part.blocks().get(&0), Some(&hash));
        part.finish().unwrap();
        assert_eq!(mode(&folder.path().join("a")), 0o400);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// The data of one block have changed since it was noted: it is not there, the others are.
    #[test]
    fn a_noted_block_is_compared_with_its_hash() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::open(folder.path()).unwrap();
        let bytes = vec![1; 2 * BLOCK as usize + 5];
        let file = entry("a", What::File(bytes.len() as u64), 0o644);
        write_and_note(&tree, &file, &bytes);
        let data = File::options()
            .write(true)
            .open(folder.path().join("a.part"))
            .unwrap();
        data.write_all_at(&[2], 2 * BLOCK - 1).unwrap();
        let part = tree.part(&file, &|_| true).unwrap();
        let mut there: Vec<u32> = part.blocks().keys().copied().collect();
        there.sort_unstable();
        assert_eq!(there, [0, 2]);
    }

    /// Somebody else puts a link where a directory was: nothing is written behind it.
    #[test]
    fn links_on_the_way_are_not_followed() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let tree = Tree::open(folder.path()).unwrap();
        for name in ["d", "d/e"] {
            tree.make_directory(&entry(name, What::Directory, 0o755))
                .unwrap();
        }
        fs::create_dir(elsewhere.path().join("e")).unwrap();
        for (gone, link) in [("d/e", "e"), ("d", "")] {
            let path = folder.path().join(gone);
            fs::remove_file(&path)
                .or_else(|_| fs::remove_dir_all(&path))
                .unwrap();
            std::os::unix::fs::symlink(elsewhere.path().join(link), &path).unwrap();
            let file = entry("d/e/a", What::File(3), 0o644);
            assert!(tree.part(&file, &|_| true).is_err(), "{gone}");
            assert!(
                tree.make_directory(&entry("d/e/f", What::Directory, 0o755))
                    .is_err()
            );
        }
        assert_eq!(fs::read_dir(elsewhere.path().join("e")).unwrap().count(), 0);
    }

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

    /// What is there is read only as long as somebody wants it.
    #[test]
    fn comparing_can_be_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::open(folder.path()).unwrap();
        let bytes = vec![1; 3 * BLOCK as usize];
        let file = entry("a", What::File(bytes.len() as u64), 0o644);
        let stop = |limit: u64| {
            let seen = std::cell::Cell::new(0);
            move |bytes| {
                seen.set(seen.get() + bytes);
                assert!(seen.get() <= limit * BLOCK);
                seen.get() < limit * BLOCK
            }
        };
        write_and_note(&tree, &file, &bytes);
        let said = tree.part(&file, &stop(2)).unwrap_err();
        assert_eq!(said.kind(), io::ErrorKind::Interrupted);
        // What it has not read is not forgotten.
        let part = tree.part(&file, &stop(4)).unwrap();
        assert_eq!(part.blocks().len(), 3);
        part.finish().unwrap();
        assert_eq!(tree.whole(&file, &stop(2)), Err(Stopped));
        assert!(tree.whole(&file, &stop(4)).unwrap().is_some());
    }

    #[test]
    fn a_directory_that_forbids_writing_is_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o050)).unwrap();
        let tree = Tree::open(folder.path()).unwrap();
        let directory = entry("d", What::Directory, 0o555);
        tree.make_directory(&directory).unwrap();
        assert_eq!(mode(&path), 0o750);
        tree.finish_directory(&directory).unwrap();
        assert_eq!(mode(&path), 0o555);
    }
}
