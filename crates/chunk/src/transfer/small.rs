// SPDX-License-Identifier: Apache-2.0
//! Small files on their way to the disk: each gets another name until its data are safe.
//!
//! ```text
//!  .ropewalk-HASH.new   all of a file, which may not be on disk yet; HASH is that of its name
//! ```
//!
//! One that an interruption has left is replaced when the file comes again. Where a file system
//! tells of errors when all of it is synchronised, that makes any number of files safe at once;
//! elsewhere each file is synchronised by itself, and each directory.

use super::entries::Entries;
use super::manifest::{Entry, What, new_name, split};
use super::tree::{Tree, Walk, times};
use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// File systems that tell of every error to who synchronises them: ext4 and those before it, XFS,
/// Btrfs, F2FS, and memory.
const TELLING: [i64; 5] = [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010, 0x0102_1994];
/// The first version of Linux in which that is so.
const SINCE: (u32, u32) = (5, 8);

/// Where small files are made, by their place in the list. Whoever calls keeps the order: what was
/// put gets its name after it was synchronised, and is reported after that was, too.
pub(super) trait Store: Send + Sync + 'static {
    /// Makes files of these bytes, under other names.
    ///
    /// # Errors
    /// The system refuses, and which one.
    fn put(&self, files: &[(usize, &[u8])]) -> Result<(), (usize, io::Error)>;

    /// Gives files their names.
    ///
    /// # Errors
    /// The system refuses, and which one.
    fn name(&self, files: &[usize]) -> Result<(), (usize, io::Error)>;

    /// All files that were put are safe then, and the names of these.
    ///
    /// # Errors
    /// The disk fails.
    fn sync(&self, named: &[usize]) -> io::Result<()>;
}

/// The directory of a receiver.
#[derive(Debug)]
pub(super) struct OnDisk {
    tree: Tree,
    entries: Arc<Entries>,
    device: u64,
    /// All of the file system can be synchronised at once.
    whole: bool,
    /// Some files lie where that is not so.
    elsewhere: AtomicBool,
}

impl OnDisk {
    pub fn new(tree: &Tree, entries: Arc<Entries>) -> io::Result<Self> {
        let tree = tree.try_clone()?;
        Ok(OnDisk {
            device: fs::fstat(tree.root())?.st_dev,
            whole: tells_of_errors(tree.root())?,
            tree,
            entries,
            elsewhere: AtomicBool::new(false),
        })
    }

    /// Whether the whole file system that something lies in is synchronised by [`Store::sync`].
    fn covers(&self, what: impl AsFd) -> io::Result<bool> {
        Ok(self.whole && fs::fstat(what)?.st_dev == self.device)
    }

    /// Gives a directory its permissions and its time, when all is in it.
    ///
    /// # Errors
    /// The system refuses.
    pub fn finish_directory(&self, entry: &Entry) -> io::Result<()> {
        let directory = self.tree.finish_directory(entry)?;
        if !self.covers(&directory)? {
            fs::fsync(&directory)?;
        }
        Ok(())
    }

    /// Makes a link; where it leads to is nothing to anybody here.
    fn link_at(&self, at: &OwnedFd, name: &OsStr, entry: &Entry, to: &[u8]) -> io::Result<()> {
        let (name, to) = (new_name(name), OsStr::from_bytes(to));
        match fs::symlinkat(to, at, &name) {
            // An interruption has left it.
            Err(Errno::EXIST) => {
                fs::unlinkat(at, &name, AtFlags::empty())?;
                fs::symlinkat(to, at, &name)?;
            }
            made => made?,
        }
        fs::utimensat(at, &name, &times(entry), AtFlags::SYMLINK_NOFOLLOW)?;
        if !self.covers(at)? {
            self.elsewhere.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Gives a file that is in place another name, both by their places in the list. Where the
    /// file system has no such it is a copy.
    ///
    /// # Errors
    /// The system refuses.
    pub fn add_name(&self, place: usize, of: usize) -> io::Result<()> {
        let (mut here, mut there) = (self.tree.walk(), self.tree.walk());
        let (at, name) = here.parent(self.entries.name(place))?;
        let (from, known) = there.parent(self.entries.name(of))?;
        let id = |at: &OwnedFd, name: &OsStr| {
            let about = fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok::<_, Errno>((about.st_dev, about.st_ino))
        };
        if id(at, name) == Ok(id(from, known)?) {
            return Ok(());
        }
        let new = new_name(name);
        match fs::unlinkat(at, &new, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        match fs::linkat(from, known, at, &new, AtFlags::empty()) {
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::MLINK | Errno::XDEV) => {
                let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let file = File::from(fs::openat(from, known, flags, Mode::empty())?);
                self.put_at(at, name, &self.entries.at(of), file)?
                    .sync_all()?;
            }
            linked => linked?,
        }
        fs::renameat(at, &new, at, name)?;
        if !self.covers(at)? {
            fs::fsync(at)?;
        }
        Ok(())
    }

    fn put_at(
        &self,
        at: &OwnedFd,
        name: &OsStr,
        entry: &Entry,
        mut bytes: impl Read,
    ) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(entry.mode.into());
        let (name, first) = (new_name(name), mode | Mode::WUSR);
        let opened = match fs::openat(at, &name, flags, first) {
            // An interruption has left it.
            Err(Errno::EXIST) => {
                fs::unlinkat(at, &name, AtFlags::empty())?;
                fs::openat(at, &name, flags, first)
            }
            opened => opened,
        };
        let mut file = File::from(opened?);
        io::copy(&mut bytes, &mut file)?;
        entry.attributes.give(&file)?;
        fs::fchmod(&file, mode)?;
        fs::futimens(&file, &times(entry))?;
        if !self.covers(&file)? {
            self.elsewhere.store(true, Ordering::Relaxed);
            file.sync_all()?;
        }
        Ok(file)
    }
}

impl Store for OnDisk {
    fn put(&self, files: &[(usize, &[u8])]) -> Result<(), (usize, io::Error)> {
        let mut walk = self.tree.walk();
        for &(file, bytes) in files {
            let entry = &self.entries.at(file);
            let parent = walk
                .parent(&entry.name)
                .and_then(|(at, name)| match entry.what {
                    What::Link(_) => self.link_at(at, name, entry, bytes),
                    _ => self.put_at(at, name, entry, bytes).map(drop),
                });
            parent.map_err(|error| (file, error))?;
        }
        Ok(())
    }

    fn name(&self, files: &[usize]) -> Result<(), (usize, io::Error)> {
        let mut walk = self.tree.walk();
        for &file in files {
            name_one(&mut walk, self.entries.name(file)).map_err(|error| (file, error))?;
        }
        Ok(())
    }

    fn sync(&self, named: &[usize]) -> io::Result<()> {
        match self.whole {
            true => fs::syncfs(self.tree.root())?,
            false => fs::fsync(self.tree.root())?,
        }
        if self.elsewhere.load(Ordering::Relaxed) {
            let mut walk = self.tree.walk();
            let mut last = None;
            for &file in named {
                let name = self.entries.name(file);
                let (parent, _) = split(name);
                if last != Some(parent) {
                    last = Some(parent);
                    fs::fsync(walk.parent(name)?.0)?;
                }
            }
        }
        Ok(())
    }
}

fn name_one(walk: &mut Walk<'_>, name: &[u8]) -> io::Result<()> {
    let (at, name) = walk.parent(name)?;
    Ok(fs::renameat(at, new_name(name), at, name)?)
}

/// Whether who synchronises all of a file system hears of every error in it.
fn tells_of_errors(root: &OwnedFd) -> io::Result<bool> {
    let release = rustix::system::uname();
    let kind = fs::fstatfs(root)?.f_type as i64;
    Ok(TELLING.contains(&kind) && version(release.release()) >= Some(SINCE))
}

/// The first two numbers of the version of a system.
fn version(release: &CStr) -> Option<(u32, u32)> {
    let mut numbers = release.to_str().ok()?.split(['.', '-', '+']);
    let mut number = || numbers.next()?.parse().ok();
    Some((number()?, number()?))
}

#[cfg(test)]
mod tests {
    use super::super::attributes::Attributes;
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::path::Path;

    fn entry(name: &str, bytes: u64, mode: u16) -> Entry {
        Entry {
            name: name.into(),
            what: What::File(bytes),
            mode,
            time: (1_000_000_000, 5),
            attributes: Attributes::default(),
        }
    }

    /// A file system in memory says its errors, so all of it is synchronised at once; what lies in
    /// another one is not.
    #[test]
    fn one_file_system_is_synchronised_at_once() {
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        let tree = Tree::open(folder.path()).unwrap();
        let entries = [entry("a", 3, 0o444)];
        let store = OnDisk::new(&tree, Arc::new(entries.iter().collect())).unwrap();
        assert!(store.covers(tree.root()).unwrap());
        store.put(&[(0, b"abc")]).unwrap();
        assert!(!store.elsewhere.load(Ordering::Relaxed));
        let other = std::fs::File::open("/proc/self/stat").unwrap();
        assert!(!store.covers(&other).unwrap());
    }

    /// Files are under other names until they get theirs, with permissions and times; what an
    /// interruption has left is replaced, and nothing that it is linked to.
    #[test]
    fn files_get_their_names_at_last() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &OsStr| folder.path().join(name);
        let tree = Tree::open(folder.path()).unwrap();
        let longest = "n".repeat(255);
        let entries = [entry("a", 3, 0o444), entry(&longest, 1, 0o640)];
        for round in 0..2 {
            std::fs::write(path(OsStr::new("other")), "of somebody else").unwrap();
            let left = path(&new_name(OsStr::new("a")));
            std::fs::hard_link(path(OsStr::new("other")), &left).unwrap();
            std::fs::set_permissions(&left, std::fs::Permissions::from_mode(0o400)).unwrap();
            let store = OnDisk::new(&tree, Arc::new(entries.iter().collect())).unwrap();
            store.put(&[(0, b"abc"), (1, b"d")]).unwrap();
            assert_eq!(path(OsStr::new("a")).exists(), round == 1);
            store.sync(&[]).unwrap();
            store.name(&[0, 1]).unwrap();
            store.sync(&[0, 1]).unwrap();
            for (entry, bytes) in entries.iter().zip(["abc", "d"]) {
                let file = path(OsStr::new(std::str::from_utf8(&entry.name).unwrap()));
                assert_eq!(std::fs::read_to_string(&file).unwrap(), bytes);
                let about = std::fs::metadata(&file).unwrap();
                assert_eq!(about.mode() & 0o777, u32::from(entry.mode));
                assert_eq!((about.mtime(), about.mtime_nsec()), (1_000_000_000, 5));
            }
            let other = std::fs::read_to_string(path(OsStr::new("other"))).unwrap();
            assert_eq!(other, "of somebody else");
            std::fs::remove_file(path(OsStr::new("other"))).unwrap();
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
        }
    }

    /// A link is one, whatever it leads to, and takes the place of one that is there.
    #[test]
    fn links() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::open(folder.path()).unwrap();
        let link = Entry {
            what: What::Link(9),
            ..entry("a", 0, 0o777)
        };
        for to in ["/nowhere1", "/nowhere2"] {
            let left = folder.path().join(new_name(OsStr::new("a")));
            std::os::unix::fs::symlink("left", left).unwrap();
            let store = OnDisk::new(&tree, Arc::new([&link].into_iter().collect())).unwrap();
            store.put(&[(0, to.as_bytes())]).unwrap();
            store.name(&[0]).unwrap();
            let path = folder.path().join("a");
            assert_eq!(std::fs::read_link(&path).unwrap(), Path::new(to));
            let about = std::fs::symlink_metadata(&path).unwrap();
            assert_eq!((about.mtime(), about.mtime_nsec()), (1_000_000_000, 5));
        }
    }

    /// Two names of a file stay so, whatever stands there, and where the file system does not let
    /// them each is a file of the same content.
    #[test]
    fn other_names_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let about = |name: &str| std::fs::metadata(path(name)).unwrap();
        let tree = Tree::open(folder.path()).unwrap();
        let same = Entry {
            what: What::Same(1),
            ..entry("b", 0, 0o640)
        };
        let entries = [entry("a", 3, 0o640), same];
        let store = OnDisk::new(&tree, Arc::new(entries.iter().collect())).unwrap();
        std::fs::write(path("a"), "abc").unwrap();
        for left in ["b", new_name(OsStr::new("b")).to_str().unwrap()] {
            std::fs::write(path(left), "left").unwrap();
        }
        for _ in 0..2 {
            store.add_name(1, 0).unwrap();
            assert_eq!(about("a").ino(), about("b").ino());
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
        }
        let (at, _) = (tree.root(), ());
        let file = File::open(path("a")).unwrap();
        store
            .put_at(at, OsStr::new("b"), &entries[0], file)
            .unwrap();
        store.name(&[1]).unwrap();
        assert_ne!(about("a").ino(), about("b").ino());
        assert_eq!(std::fs::read(path("b")).unwrap(), b"abc");
    }

    /// Where no file system can be asked for all of it, each file is safe by itself.
    #[test]
    fn where_nothing_tells_of_all_errors() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::open(folder.path()).unwrap();
        let entries = Arc::new([&entry("a", 3, 0o644)].into_iter().collect());
        let mut store = OnDisk::new(&tree, entries).unwrap();
        store.whole = false;
        store.put(&[(0, b"abc")]).unwrap();
        assert!(store.elsewhere.load(Ordering::Relaxed));
        store.sync(&[]).unwrap();
        store.name(&[0]).unwrap();
        store.sync(&[0]).unwrap();
        assert_eq!(std::fs::read(folder.path().join("a")).unwrap(), b"abc");
    }

    /// What cannot be synchronised is said: a directory of another file system has been removed.
    #[test]
    fn each_directory_elsewhere_is_synchronised() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::open(folder.path()).unwrap();
        let entries: Vec<_> = ["a", "gone/b"].map(|name| entry(name, 3, 0o644)).into();
        let store = OnDisk::new(&tree, Arc::new(entries.iter().collect())).unwrap();
        store.sync(&[0, 1]).unwrap();
        store.elsewhere.store(true, Ordering::Relaxed);
        store.sync(&[0]).unwrap();
        let error = store.sync(&[0, 1]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn versions_of_a_system() {
        assert!(version(c"5.8.0") == Some(SINCE));
        assert!(version(c"6.1-rc3") > Some(SINCE));
        assert!(version(c"5.10.0-28-amd64") > Some(SINCE));
        assert!(version(c"4.19.1") < Some(SINCE));
        assert!(version(c"unknown") < Some(SINCE));
    }
}
