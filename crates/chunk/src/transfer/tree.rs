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
use super::manifest::{self, BLOCK, Entry, PART, TABLE, What, base_name, new_name, shown};
use super::part::{MAGIC, Part, block_length, hash_at, write_head};
use rustix::fs::{self, AtFlags, FlockOperation, Mode, OFlags, Timespec, Timestamps};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// File systems that may store less than the bytes of a file: Btrfs, ZFS, bcachefs.
const COMPRESSING: [i64; 3] = [0x9123_683e, 0x2fc1_2fc1, 0xca45_1a4e];
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// A directory that files are received in.
#[derive(Debug)]
pub struct Tree {
    root: OwnedFd,
    path: PathBuf,
}

/// Where a directory of the list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum There {
    /// It is not there.
    No,
    /// In the file system of the directory that files are received in.
    Here,
    /// In another one, which is mounted there.
    Elsewhere,
}

/// Room in a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Bytes that are free.
    pub bytes: u64,
    /// Files take their bytes there. They take less where they are compressed.
    pub is_plain: bool,
}

impl Room {
    /// Whether files of this length together cannot be stored.
    #[must_use]
    pub fn is_less_than(self, bytes: u64) -> bool {
        self.is_plain && self.bytes < bytes
    }
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
pub(super) fn with(name: &OsStr, ending: &str) -> OsString {
    let mut longer = OsStr::from_bytes(&base_name(name.as_bytes())).to_owned();
    longer.push(ending);
    longer
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
        let path = path.to_owned();
        Ok(Tree { root, path })
    }

    /// The directory itself.
    pub(super) fn root(&self) -> &OwnedFd {
        &self.root
    }

    /// Its path, as it was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Another handle of the same directory, for another thread.
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        let (root, path) = (self.root.try_clone()?, self.path.clone());
        Ok(Tree { root, path })
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

    /// Whether a directory is there, and where; with `change` it can be written to from now on.
    ///
    /// # Errors
    /// Something else has its name.
    pub fn enter_directory(&self, entry: &Entry, change: bool) -> io::Result<There> {
        let (at, name) = self.parent(&entry.name)?;
        if !exists(&at, name) {
            return Ok(There::No);
        }
        if change {
            // What the system refuses is seen when something is to be written in it.
            drop(allow(&at, name, 0o700));
        }
        let directory = match fs::openat(&at, name, DIRECTORY, Mode::empty()) {
            Err(rustix::io::Errno::ACCESS) if !change => return Ok(There::Here),
            opened => opened?,
        };
        let is_here = fs::fstat(&directory)?.st_dev == fs::fstat(&self.root)?.st_dev;
        Ok(if is_here {
            There::Here
        } else {
            There::Elsewhere
        })
    }

    /// Gives a directory its permissions and its time, when all is in it.
    ///
    /// # Errors
    /// The system refuses.
    pub fn finish_directory(&self, entry: &Entry) -> io::Result<OwnedFd> {
        let (at, name) = self.parent(&entry.name)?;
        let directory = fs::openat(&at, name, DIRECTORY, Mode::empty())?;
        entry.attributes.give(&directory)?;
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

    /// Opens an ordinary file that is there, to be read.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub(super) fn open_there(&self, name: &[u8]) -> io::Result<File> {
        let (at, name) = self.parent(name)?;
        open_file(&at, name, OFlags::RDONLY)
    }

    /// Opens a directory that is there; without a name the tree itself.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub(super) fn open_directory(&self, name: &[u8]) -> io::Result<OwnedFd> {
        if name.is_empty() {
            return Ok(fs::openat(&self.root, ".", DIRECTORY, Mode::empty())?);
        }
        let (at, name) = self.parent(name)?;
        Ok(fs::openat(&at, name, DIRECTORY, Mode::empty())?)
    }

    /// Whether that is the device of the tree itself.
    pub(super) fn is_same_device(&self, device: u64) -> bool {
        fs::fstat(&self.root).is_ok_and(|about| about.st_dev == device)
    }

    /// Gives a file that was there already the permissions and attributes of its entry.
    ///
    /// # Errors
    /// The system refuses.
    pub fn finish_whole(&self, entry: &Entry) -> io::Result<()> {
        let Some((file, _)) = self.same(entry) else {
            return Err(io::Error::other("it was changed meanwhile"));
        };
        let mut changed = file.metadata()?.mode() & 0o777 != u32::from(entry.mode);
        if !entry.attributes.are_those_of(&file) {
            fs::fchmod(&file, Mode::from_raw_mode(entry.mode.into()) | Mode::WUSR)?;
            entry.attributes.give(&file)?;
            changed = true;
        }
        if changed {
            fs::fchmod(&file, Mode::from_raw_mode(entry.mode.into()))?;
            file.sync_all()?;
        }
        Ok(())
    }

    /// Makes a file and removes it again: it can be written there. The room that is there.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn check_writable(&self) -> io::Result<Room> {
        let name = new_name(OsStr::new(""));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        fs::openat(&self.root, &name, flags, Mode::RUSR | Mode::WUSR)?;
        fs::unlinkat(&self.root, &name, AtFlags::empty())?;
        self.free()
    }

    /// The room that is there.
    ///
    /// # Errors
    /// The system refuses.
    pub fn free(&self) -> io::Result<Room> {
        let about = fs::fstatvfs(&self.root)?;
        let kind = fs::fstatfs(&self.root)?.f_type as i64;
        Ok(Room {
            bytes: about.f_bavail.saturating_mul(about.f_frsize),
            is_plain: !COMPRESSING.contains(&kind),
        })
    }

    /// Whether there is something of a file from an earlier time.
    #[must_use]
    pub fn has_part(&self, entry: &Entry) -> bool {
        self.parent(&entry.name)
            .is_ok_and(|(at, name)| exists(&at, &with(name, TABLE)))
    }

    /// The blocks that are there of an unfinished file; nothing is changed.
    ///
    /// # Errors
    /// `Interrupted` if it was stopped.
    pub fn peek(&self, entry: &Entry, go_on: GoOn<'_>) -> io::Result<HashMap<u32, Hash>> {
        let opened = || {
            let (at, name) = self.parent(&entry.name)?;
            let data = open_file(&at, &with(name, PART), OFlags::RDONLY)?;
            let table = open_file(&at, &with(name, TABLE), OFlags::RDONLY)?;
            Ok::<_, io::Error>(Part::new((at, name), entry, data, table))
        };
        // What cannot be read does not count.
        let Ok(mut part) = opened() else {
            return Ok(HashMap::new());
        };
        match part.load(go_on) {
            Ok(true) => Ok(part.into_blocks()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            _ => Ok(HashMap::new()),
        }
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
        let data = open_file(&at, &data, OFlags::RDWR | OFlags::CREATE)?;
        let mut part = Part::new((at, name), entry, data, table);
        if !ours || !part.load(go_on)? {
            part.begin(ours)?;
        }
        Ok(part)
    }
}

/// The directory of an entry, and the last part of its name.
fn split(name: &[u8]) -> (&[u8], &OsStr) {
    let (parent, last) = manifest::split(name);
    (parent.unwrap_or_default(), OsStr::from_bytes(last))
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

#[cfg(test)]
mod tests {
    use super::super::attributes::Attributes;
    use super::*;
    use std::fs;

    fn entry(name: &str, what: What, mode: u16) -> Entry {
        Entry {
            name: name.into(),
            what,
            mode,
            time: (1_000_000_000, 5),
            attributes: Attributes::default(),
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
