// SPDX-License-Identifier: Apache-2.0
//! What a sender sends: files and directories as they were listed, and where each of them is.

use super::attributes::Attributes;
use super::entries::Entries;
use super::filter::Filter;
use super::manifest::{BLOCK, Entry, ManifestError, What, shown};
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, Stat};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where an entry is, and which file that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its path.
    pub path: PathBuf,
    id: Id,
}

/// Device and number of a file.
type Id = (u64, u64);

fn id(about: &Stat) -> Id {
    (about.st_dev, about.st_ino)
}

/// Opens a file without waiting for anybody (as a pipe would), if it is the one with this number.
fn open_same(path: &Path, flags: OFlags, same: Id) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = fs::open(path, flags, Mode::empty())?;
    if id(&fs::fstat(&file)?) != same {
        return Err(io::Error::other("it is another one than was listed"));
    }
    Ok(file)
}

impl Place {
    /// What the link that was listed says.
    ///
    /// # Errors
    /// It cannot be read, or it is no link any more.
    pub fn link(&self) -> io::Result<Vec<u8>> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let link = fs::open(&self.path, flags, Mode::empty())?;
        if id(&fs::fstat(&link)?) != self.id {
            return Err(io::Error::other("it is another one than was listed"));
        }
        Ok(fs::readlinkat(&link, "", Vec::new())?.into_bytes())
    }

    /// Opens the file that was listed, whatever its name stands for now.
    ///
    /// # Errors
    /// It cannot be opened, or another one has its name.
    pub fn open(&self) -> io::Result<File> {
        Ok(File::from(open_same(&self.path, OFlags::empty(), self.id)?))
    }
}

/// What is to be sent, as somebody has named it.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Files and directories; `-` is standard input.
    pub paths: Vec<PathBuf>,
    /// What of the directories. What is named itself is always sent.
    pub filter: Filter,
    /// Files and directories keep their extended attributes.
    pub xattrs: bool,
}

impl Selection {
    /// Whether standard input is among it.
    #[must_use]
    pub fn has_stream(&self) -> bool {
        self.paths.iter().any(|path| path.as_os_str() == "-")
    }

    /// Whether each path is there, and none has the name of another one at the receiver.
    ///
    /// # Errors
    /// Which one is not, or two have the same.
    pub fn check(&self) -> Result<(), ManifestError> {
        self.tops().map(drop)
    }

    fn tops(&self) -> Result<Vec<Top<'_>>, ManifestError> {
        let tops = self.paths.iter().map(|path| Top::new(path));
        let tops = tops.collect::<Result<Vec<_>, _>>()?;
        let mut names = HashMap::new();
        for top in &tops {
            if let Some(one) = names.insert(&top.name[..], top.path) {
                return Err(ManifestError::SameName {
                    name: shown(&top.name),
                    one: one.to_owned(),
                    other: top.path.to_owned(),
                });
            }
        }
        drop(names);
        Ok(tops)
    }
}

impl From<PathBuf> for Selection {
    fn from(path: PathBuf) -> Self {
        Selection {
            paths: vec![path],
            ..Selection::default()
        }
    }
}

/// How much there is of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Files whose length is known.
    pub files: u64,
    /// Directories.
    pub directories: u64,
    /// Links, and other names of files.
    pub links: u64,
    /// Files as long as what comes.
    pub streams: u64,
    /// Bytes of the files.
    pub bytes: u64,
    /// Those of them that the file system does not store, as they are zeros.
    pub holes: u64,
    /// Names that the filter left out, without what is below them.
    pub excluded: u64,
}

/// What is to be sent: the list, and where each of its entries is. It has a million of them, so
/// what can be known otherwise is not kept.
#[derive(Debug, Default)]
pub struct Source {
    /// The list.
    pub entries: Entries,
    /// Which files they are, in the same order.
    pub(super) ids: Vec<Id>,
    /// Where the first part of their names is.
    pub(super) tops: HashMap<Vec<u8>, PathBuf>,
    /// What was left out, and why: it is neither file nor directory nor link.
    pub notes: Vec<String>,
    /// How much it is.
    pub tally: Tally,
}

/// One of the paths of a selection.
struct Top<'a> {
    path: &'a Path,
    name: Vec<u8>,
    /// Of standard input there is nothing to know.
    about: Option<About>,
}

impl<'a> Top<'a> {
    fn new(path: &'a Path) -> Result<Self, ManifestError> {
        if path.as_os_str() == "-" {
            let name = b"stdin".to_vec();
            let about = None;
            return Ok(Top { path, name, about });
        }
        let fail = |source| ManifestError::Read {
            path: path.to_owned(),
            source,
        };
        let about = fs::stat(path).map_err(|error| fail(error.into()))?;
        let about = About::from(about);
        let kind = about.kind();
        if kind != FileType::Directory && kind != FileType::RegularFile {
            let text = "it is neither a file nor a directory; accepted are those, and '-' for standard input";
            return Err(fail(io::Error::other(text)));
        }
        let whole = std::fs::canonicalize(path).map_err(fail)?;
        let name = whole.file_name().unwrap_or(OsStr::new("root"));
        Ok(Top {
            path,
            name: name.as_bytes().to_vec(),
            about: Some(about),
        })
    }
}

/// Takes the next block of the list while that is made; false: no more of it is wanted.
pub type Emit<'a> = &'a mut dyn FnMut(&[u8]) -> bool;

impl Source {
    /// Lists all that is selected.
    ///
    /// # Errors
    /// Something cannot be read, or not be sent; two paths end with the same name.
    pub fn new(selection: &Selection) -> Result<Self, ManifestError> {
        let listed = Self::list(selection, &mut |_| true)?;
        Ok(listed.unwrap_or_default())
    }

    /// The same, and gives away each block of the list as soon as it is full, the last one at the
    /// end. None if no more of it was wanted.
    ///
    /// # Errors
    /// As above.
    pub fn list(selection: &Selection, emit: Emit<'_>) -> Result<Option<Self>, ManifestError> {
        let mut listing = Listing {
            source: Source::default(),
            filter: &selection.filter,
            xattrs: selection.xattrs,
            emitted: 0,
            emit,
            linked: HashMap::new(),
        };
        for top in &selection.tops()? {
            let paths = &mut listing.source.tops;
            paths.insert(top.name.clone(), top.path.to_owned());
            let goes_on = match &top.about {
                Some(about) => listing.add(top.path, &top.name, about)?,
                None => listing.add_stream(&top.name)?,
            };
            if !goes_on {
                return Ok(None);
            }
        }
        let Listing {
            source, emitted, ..
        } = listing;
        let rest = &source.entries.bytes()[emitted..];
        if !rest.is_empty() && !emit(rest) {
            return Ok(None);
        }
        source.entries.check()?;
        Ok(Some(source))
    }

    /// Where an entry is; none is standard input.
    #[must_use]
    pub fn place(&self, place: usize) -> Option<Place> {
        if self.entries.what(place)? == What::Stream {
            return None;
        }
        let name = self.entries.name(place);
        let slash = name.iter().position(|&byte| byte == b'/');
        let (first, rest) = name.split_at(slash.unwrap_or(name.len()));
        let mut path = self.tops.get(first)?.clone();
        if let Some((_, rest)) = rest.split_first() {
            path.push(OsStr::from_bytes(rest));
        }
        let id = *self.ids.get(place)?;
        Some(Place { path, id })
    }
}

/// A source while it is made. What adds to it returns whether more is wanted.
struct Listing<'a> {
    source: Source,
    filter: &'a Filter,
    xattrs: bool,
    /// Bytes of the list that were given away.
    emitted: usize,
    emit: Emit<'a>,
    /// Numbers of the files that have several names.
    linked: HashMap<Id, u32>,
}

impl Listing<'_> {
    fn push(&mut self, entry: &Entry, id: Id) -> Result<bool, ManifestError> {
        let entries = &mut self.source.entries;
        entries.push(entry)?;
        self.source.ids.push(id);
        while entries.bytes().len() - self.emitted >= BLOCK as usize {
            let end = self.emitted + BLOCK as usize;
            if !(self.emit)(&entries.bytes()[self.emitted..end]) {
                return Ok(false);
            }
            self.emitted = end;
        }
        Ok(true)
    }

    fn add_stream(&mut self, name: &[u8]) -> Result<bool, ManifestError> {
        let entry = Entry {
            name: name.to_vec(),
            what: What::Stream,
            mode: 0o644,
            time: (0, 0),
            attributes: Attributes::default(),
        };
        self.source.tally.streams += 1;
        self.push(&entry, (0, 0))
    }

    /// Extended attributes, if they are wanted.
    fn attributes(&self, path: &Path, what: What, id: Id) -> Result<Attributes, ManifestError> {
        let flags = match what {
            What::File(_) => OFlags::empty(),
            What::Directory => OFlags::DIRECTORY,
            What::Stream | What::Link(_) | What::Same(_) => return Ok(Attributes::default()),
        };
        if !self.xattrs {
            return Ok(Attributes::default());
        }
        let read = open_same(path, flags, id).and_then(Attributes::of);
        read.map_err(|source| ManifestError::Read {
            path: path.to_owned(),
            source,
        })
    }

    fn add(&mut self, path: &Path, name: &[u8], about: &About) -> Result<bool, ManifestError> {
        let what = match about.kind() {
            FileType::Directory => What::Directory,
            FileType::RegularFile => match self.linked.get(&about.id) {
                Some(&number) => What::Same(number),
                None => What::File(about.bytes),
            },
            FileType::Symlink => What::Link(about.bytes),
            _ => {
                let text = "it is neither a file nor a directory nor a link";
                let text = format!("left out {}: {text}", path.display());
                self.source.notes.push(text);
                return Ok(true);
            }
        };
        self.source.tally.count(what, about);
        let entry = Entry {
            name: name.to_vec(),
            what,
            mode: (about.mode & 0o777) as u16,
            time: about.time,
            attributes: self.attributes(path, what, about.id)?,
        };
        if !self.push(&entry, about.id)? {
            return Ok(false);
        }
        if what != What::Directory {
            if about.has_more_names {
                let number = self.source.entries.len() as u32;
                self.linked.entry(about.id).or_insert(number);
            }
            return Ok(true);
        }
        // Patterns are about what is below the directory that was named.
        let top = name.iter().position(|&byte| byte == b'/');
        let top = top.unwrap_or(name.len()) + 1;
        for (entry, about) in listed(path, about.id)? {
            let name = [name, b"/", entry.as_bytes()].concat();
            if !self
                .filter
                .takes(&name[top..], about.kind() == FileType::Directory)
            {
                self.source.tally.excluded += 1;
            } else if !self.add(&path.join(entry), &name, &about)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What is to be known of a file.
#[derive(Debug, Clone, Copy)]
struct About {
    id: Id,
    mode: u32,
    bytes: u64,
    /// Bytes that the file system stores.
    stored: u64,
    time: (i64, u32),
    has_more_names: bool,
}

impl From<Stat> for About {
    fn from(about: Stat) -> Self {
        About {
            id: id(&about),
            mode: about.st_mode,
            bytes: about.st_size as u64,
            stored: (about.st_blocks as u64).saturating_mul(512),
            time: (about.st_mtime, about.st_mtime_nsec as u32),
            has_more_names: about.st_nlink > 1,
        }
    }
}

impl About {
    fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.mode)
    }
}

impl Tally {
    fn count(&mut self, what: What, about: &About) {
        match what {
            What::File(bytes) => {
                self.files += 1;
                self.bytes += bytes;
                let stored = about.stored;
                self.holes += bytes.saturating_sub(stored);
            }
            What::Directory => self.directories += 1,
            What::Link(_) | What::Same(_) => self.links += 1,
            What::Stream => self.streams += 1,
        }
    }
}

/// What is in a directory, in order. It is looked at by its handle, as its name may become a link
/// meanwhile; the handle is closed before the next directory is opened, however deep they lie.
fn listed(path: &Path, same: Id) -> Result<Vec<(OsString, About)>, ManifestError> {
    let fail = |path: &Path, source: io::Error| ManifestError::Read {
        path: path.to_owned(),
        source,
    };
    let directory = open_same(path, OFlags::DIRECTORY, same).map_err(|error| fail(path, error))?;
    let entries = fs::Dir::read_from(&directory).map_err(|error| fail(path, error.into()))?;
    let mut inside = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| fail(path, error.into()))?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes()).to_owned();
        if name != "." && name != ".." {
            let about = fs::statat(&directory, &name, AtFlags::SYMLINK_NOFOLLOW)
                .map_err(|error| fail(&path.join(&name), error.into()))?;
            inside.push((name, about.into()));
        }
    }
    inside.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    Ok(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another file has the name of one that was listed: it is not read, and a pipe is not waited
    /// for.
    #[test]
    fn only_what_was_listed_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let (root, file) = (folder.path().join("in"), folder.path().join("in/a"));
        std::fs::create_dir(&root).unwrap();
        std::fs::write(&file, "abc").unwrap();
        std::fs::write(folder.path().join("secret"), "xyz").unwrap();
        let source = Source::new(&root.clone().into()).unwrap();
        let place = source.place(1).unwrap();
        assert_eq!(io::read_to_string(place.open().unwrap()).unwrap(), "abc");
        std::fs::rename(&file, folder.path().join("kept")).unwrap();
        std::os::unix::fs::symlink("../secret", &file).unwrap();
        assert!(place.open().is_err());
        std::fs::remove_file(&file).unwrap();
        fs::mknodat(fs::CWD, &file, FileType::Fifo, Mode::RUSR, 0).unwrap();
        assert!(place.open().is_err());
        std::fs::remove_dir_all(&root).unwrap();
        std::os::unix::fs::symlink(".", &root).unwrap();
        std::fs::rename(folder.path().join("kept"), folder.path().join("a")).unwrap();
        // The same file by another way is the file that was listed.
        assert_eq!(io::read_to_string(place.open().unwrap()).unwrap(), "abc");
        let directory = source.place(0).unwrap();
        assert!(open_same(&directory.path, OFlags::DIRECTORY, directory.id).is_err());
    }

    fn names(source: &Source) -> Vec<String> {
        source
            .entries
            .iter()
            .map(|entry| shown(&entry.name))
            .collect()
    }

    /// What is named is sent whatever the patterns say; they are about what is below.
    #[test]
    fn patterns_are_about_what_is_in_a_directory() {
        use super::super::filter::{Pattern, Verdict};
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for directory in ["in/cache/deep", "in/d/cache"] {
            std::fs::create_dir_all(root.join(directory)).unwrap();
        }
        for file in [
            "in/a.log",
            "in/cache/deep/x",
            "in/d/keep.log",
            "in/d/b.log",
            "own.log",
        ] {
            std::fs::write(root.join(file), "abc").unwrap();
        }
        let rule = |verdict, text| (verdict, Pattern::new(text).unwrap());
        let selection = Selection {
            paths: vec![root.join("in"), root.join("own.log")],
            filter: Filter(vec![
                rule(Verdict::Include, "keep.*"),
                rule(Verdict::Exclude, "*.log"),
                rule(Verdict::Exclude, "/cache/"),
                rule(Verdict::Exclude, "in"),
            ]),
            ..Selection::default()
        };
        let source = Source::new(&selection).unwrap();
        let expected = ["in", "in/d", "in/d/cache", "in/d/keep.log", "own.log"];
        assert_eq!(names(&source), expected);
        let tally = Tally {
            files: 2,
            directories: 3,
            bytes: 6,
            excluded: 3,
            ..Tally::default()
        };
        assert_eq!(source.tally, tally);
    }

    /// They are refused by both of their names before anything is listed.
    #[test]
    fn two_sources_of_one_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["a/x", "b/x"] {
            std::fs::create_dir_all(path(name)).unwrap();
        }
        std::os::unix::fs::symlink("a/x", path("y")).unwrap();
        for (one, other) in [
            ("a/x", "b/x"),
            ("a/x", "a/x"),
            ("a/x", "y"),
            ("b/x", "b/./x/"),
        ] {
            let paths = vec![path(one), path(other)];
            let selection = Selection {
                paths,
                ..Selection::default()
            };
            let said = Source::new(&selection).unwrap_err().to_string();
            let text = format!(
                "{} and {} would both be",
                path(one).display(),
                path(other).display()
            );
            assert!(
                said.starts_with(&text) && said.contains("called 'x'"),
                "{said}"
            );
        }
    }

    /// A file of several names is listed once, and its other names as such.
    #[test]
    fn names_of_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("in");
        std::fs::create_dir_all(root.join("d")).unwrap();
        std::fs::write(root.join("a"), "abc").unwrap();
        std::fs::write(folder.path().join("own"), "x").unwrap();
        for (from, to) in [("in/a", "in/d/b"), ("own", "in/alone")] {
            std::fs::hard_link(folder.path().join(from), folder.path().join(to)).unwrap();
        }
        let source = Source::new(&root.into()).unwrap();
        let whats: Vec<What> = source.entries.iter().map(|entry| entry.what).collect();
        let expected = [
            What::Directory,
            What::File(3),
            What::File(1),
            What::Directory,
            What::Same(2),
        ];
        assert_eq!(whats, expected);
        assert_eq!((source.tally.files, source.tally.links), (2, 1));
    }

    #[test]
    fn holes_are_not_stored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        File::create(&path).unwrap().set_len(1 << 30).unwrap();
        let tally = Source::new(&path.into()).unwrap().tally;
        assert_eq!(
            (tally.bytes, tally.holes > 1 << 29),
            (1 << 30, true),
            "{tally:?}"
        );
    }

    /// The first block of the list leaves before the last file is listed; nothing more is listed
    /// when nobody wants it.
    #[test]
    fn a_list_leaves_while_it_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("in");
        let name = "n".repeat(200);
        let deep = (0..9).fold(root.join("a"), |path, _| path.join(&name));
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir(root.join("b")).unwrap();
        for number in 0..3000 {
            File::create(deep.join(format!("{number}"))).unwrap();
        }
        let (mut list, mut blocks) = (Vec::<u8>::new(), Vec::new());
        let listed = Source::list(&root.clone().into(), &mut |block| {
            blocks.push(block.len() as u64);
            list.extend(block);
            File::create(root.join("b/late")).unwrap();
            true
        });
        let source = listed.unwrap().unwrap();
        assert_eq!(list, source.entries.bytes());
        assert_eq!(names(&source).last().unwrap(), "in/b/late");
        let (last, full) = blocks.split_last().unwrap();
        assert_eq!(full, [BLOCK]);
        assert!((1..BLOCK).contains(last));
        let mut count = 0;
        let listed = Source::list(&root.into(), &mut |_| {
            count += 1;
            false
        });
        assert!(listed.unwrap().is_none() && count == 1);
    }
}
