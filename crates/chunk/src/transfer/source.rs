// SPDX-License-Identifier: Apache-2.0
//! What a sender sends: files and directories as they were listed, and where each of them is.

use super::filter::Filter;
use super::manifest::{Entry, MOST_ENTRIES, ManifestError, What, check, shown};
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
}

impl Selection {
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
            filter: Filter::default(),
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
    /// Links.
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

/// What is to be sent: the list, and where each of its entries is.
#[derive(Debug, Default)]
pub struct Source {
    /// The list.
    pub entries: Vec<Entry>,
    /// Where they are, in the same order; none is standard input.
    pub places: Vec<Option<Place>>,
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
    about: Option<Stat>,
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
        let kind = FileType::from_raw_mode(about.st_mode);
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

impl Source {
    /// Lists all that is selected.
    ///
    /// # Errors
    /// Something cannot be read, or not be sent; two paths end with the same name.
    pub fn new(selection: &Selection) -> Result<Self, ManifestError> {
        let mut source = Source::default();
        for top in &selection.tops()? {
            match &top.about {
                Some(about) => source.add(top.path, &top.name, about, &selection.filter)?,
                None => source.add_stream(&top.name),
            }
        }
        check(&source.entries)?;
        Ok(source)
    }

    fn add_stream(&mut self, name: &[u8]) {
        self.entries.push(Entry {
            name: name.to_vec(),
            what: What::Stream,
            mode: 0o644,
            time: (0, 0),
        });
        self.places.push(None);
        self.tally.streams += 1;
    }

    fn add(
        &mut self,
        path: &Path,
        name: &[u8],
        about: &Stat,
        filter: &Filter,
    ) -> Result<(), ManifestError> {
        let what = match FileType::from_raw_mode(about.st_mode) {
            FileType::Directory => What::Directory,
            FileType::RegularFile => What::File(about.st_size as u64),
            FileType::Symlink => What::Link(about.st_size as u64),
            _ => {
                let text = "it is neither a file nor a directory nor a link";
                self.notes
                    .push(format!("left out {}: {text}", path.display()));
                return Ok(());
            }
        };
        if self.entries.len() == MOST_ENTRIES {
            return Err(ManifestError::Many(MOST_ENTRIES + 1));
        }
        self.tally.count(what, about);
        self.entries.push(Entry {
            name: name.to_vec(),
            what,
            mode: (about.st_mode & 0o777) as u16,
            time: (about.st_mtime, about.st_mtime_nsec as u32),
        });
        let place = Place {
            path: path.to_owned(),
            id: id(about),
        };
        self.places.push(Some(place));
        if what == What::Directory {
            // Patterns are about what is below the directory that was named.
            let top = name.iter().position(|&byte| byte == b'/');
            let top = top.unwrap_or(name.len()) + 1;
            for (entry, about) in listed(path, id(about))? {
                let name = [name, b"/", entry.as_bytes()].concat();
                let is_directory = FileType::from_raw_mode(about.st_mode) == FileType::Directory;
                if filter.takes(&name[top..], is_directory) {
                    self.add(&path.join(entry), &name, &about, filter)?;
                } else {
                    self.tally.excluded += 1;
                }
            }
        }
        Ok(())
    }
}

impl Tally {
    fn count(&mut self, what: What, about: &Stat) {
        match what {
            What::File(bytes) => {
                self.files += 1;
                self.bytes += bytes;
                let stored = (about.st_blocks as u64).saturating_mul(512);
                self.holes += bytes.saturating_sub(stored);
            }
            What::Directory => self.directories += 1,
            What::Link(_) => self.links += 1,
            What::Stream => self.streams += 1,
        }
    }
}

/// What is in a directory, in order. It is looked at by its handle, as its name may become a link
/// meanwhile; the handle is closed before the next directory is opened, however deep they lie.
fn listed(path: &Path, same: Id) -> Result<Vec<(OsString, Stat)>, ManifestError> {
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
            inside.push((name, about));
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
        let place = source.places[1].clone().unwrap();
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
        let directory = source.places[0].clone().unwrap();
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
            let filter = Filter::default();
            let said = Source::new(&Selection { paths, filter })
                .unwrap_err()
                .to_string();
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
}
