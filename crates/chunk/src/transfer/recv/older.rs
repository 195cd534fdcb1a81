// SPDX-License-Identifier: Apache-2.0
//! Older files of a receiver that have some of what is to come: the one that has the name of a file
//! already, or for a new name one of the same length which is not in the list, as a file that was
//! renamed or moved has.

use super::super::entries::Entries;
use super::super::head::{Head, Kind};
use super::super::manifest::{Entry, PART, TABLE, What};
use super::super::pieces::{Cutter, ITEM, MOST_ITEMS, MOST_PIECES, decode, put};
use super::super::tree::{GoOn, Stopped, Tree};
use rustix::fs::{AtFlags, Dir, FileType, statat};
use std::collections::hash_map::Entry as Slot;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Names that are looked through for files that were moved.
const MOST_NAMES: usize = 1 << 17;

/// The older files of a transfer.
pub(super) struct Older<'a> {
    tree: &'a Tree,
    /// By the place of the entry that they are for.
    names: HashMap<usize, Vec<u8>>,
    /// Those in use.
    files: HashMap<usize, File>,
    pieces: u64,
}

impl<'a> Older<'a> {
    pub fn new(tree: &'a Tree) -> Self {
        Older {
            tree,
            names: HashMap::new(),
            files: HashMap::new(),
            pieces: 0,
        }
    }

    /// Looks for older files for these entries, and tells their pieces.
    pub fn find(
        &mut self,
        entries: &Entries,
        wanted: &[usize],
        go_on: GoOn<'_>,
        tell: &mut dyn FnMut(Head, &[u8]),
    ) -> Result<(), Stopped> {
        let (mut lacking, mut moved) = (Vec::new(), None);
        for &place in wanted {
            let entry = entries.at(place);
            let same = self.tree.open_there(&entry.name);
            match same {
                Ok(file) => self.tell(place, &entry, (entry.name.clone(), &file), go_on, tell)?,
                Err(_) => lacking.push(place),
            }
        }
        for place in lacking {
            let entry = entries.at(place);
            let What::File(bytes) = entry.what else {
                continue;
            };
            let moved = moved.get_or_insert_with(|| Moved::new(self.tree, entries, wanted));
            let Some(name) = moved.of_length(bytes) else {
                continue;
            };
            if let Ok(file) = self.tree.open_there(&name) {
                self.tell(place, &entry, (name, &file), go_on, tell)?;
            }
        }
        Ok(())
    }

    /// Tells the pieces of an older file.
    fn tell(
        &mut self,
        place: usize,
        entry: &Entry,
        (name, file): (Vec<u8>, &File),
        go_on: GoOn<'_>,
        tell: &mut dyn FnMut(Head, &[u8]),
    ) -> Result<(), Stopped> {
        let What::File(bytes) = entry.what else {
            return Ok(());
        };
        let mut cutter = Cutter::new(bytes);
        let mut read = |at, memory: &mut [u8]| {
            let count = read_all(file, at, memory);
            go_on(count as u64).then_some(count).ok_or(Stopped)
        };
        let mut head = Head {
            file: place as u32 + 1,
            ..Head::of(Kind::Pieces)
        };
        let mut body = Vec::new();
        let mut end = 0;
        while self.pieces < MOST_PIECES
            && let Some(piece) = cutter.next(&mut read)?
        {
            put(&mut body, &piece);
            self.pieces += 1;
            end = piece.at + u64::from(piece.length);
            if body.len() == MOST_ITEMS * ITEM {
                tell(head, &body);
                head.place = end;
                body.clear();
            }
        }
        if !body.is_empty() {
            tell(head, &body);
        }
        if end > 0 {
            self.names.insert(place, name);
        }
        Ok(())
    }

    /// The block of an entry that is put together so.
    ///
    /// # Errors
    /// There is no older file, it cannot be read, or what came is not of it.
    pub fn block(&mut self, place: usize, body: &[u8]) -> io::Result<Vec<u8>> {
        let Some(name) = self.names.get(&place) else {
            return Err(io::Error::other("it has no older file"));
        };
        let file = match self.files.entry(place) {
            Slot::Occupied(open) => open.into_mut(),
            Slot::Vacant(new) => new.insert(self.tree.open_there(name)?),
        };
        decode(body, &mut |at, memory| file.read_exact_at(memory, at))
    }

    /// An entry is complete.
    pub fn forget(&mut self, place: usize) {
        self.names.remove(&place);
        self.files.remove(&place);
    }
}

/// Fills memory with what is at a place; where it cannot be read the file ends.
fn read_all(file: &File, at: u64, memory: &mut [u8]) -> usize {
    let mut filled = 0;
    while filled < memory.len() {
        match file.read_at(&mut memory[filled..], at + filled as u64) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => break,
            Ok(count) => filled += count,
        }
    }
    filled
}

/// Files that are in no list, by their lengths.
struct Moved(HashMap<u64, Vec<u8>>);

impl Moved {
    /// Those that are as long as entries that are wanted.
    fn new(tree: &Tree, entries: &Entries, wanted: &[usize]) -> Self {
        let lengths = wanted
            .iter()
            .filter_map(|&place| match entries.what(place) {
                Some(What::File(bytes)) => Some(bytes),
                _ => None,
            });
        let lengths: HashSet<u64> = lengths.collect();
        let mut there = HashMap::new();
        let (mut directories, mut seen) = (vec![Vec::new()], 0);
        while let Some(directory) = directories.pop()
            && seen < MOST_NAMES
        {
            look(tree, &directory, &mut |name, length| {
                seen += 1;
                match length {
                    None => directories.push(name),
                    Some(length) if lengths.contains(&length) => {
                        there.insert(name, length);
                    }
                    Some(_) => {}
                }
                seen < MOST_NAMES
            });
        }
        (0..entries.len()).for_each(|place| {
            there.remove(entries.name(place));
        });
        Moved(
            there
                .into_iter()
                .map(|(name, length)| (length, name))
                .collect(),
        )
    }

    fn of_length(&self, bytes: u64) -> Option<Vec<u8>> {
        self.0.get(&bytes).cloned()
    }
}

/// Looks at what is in a directory of the tree and in the same file system: `see` takes the names
/// of directories, and those of files with their lengths, and returns whether to go on. What cannot
/// be read is left out.
fn look(tree: &Tree, directory: &[u8], see: &mut dyn FnMut(Vec<u8>, Option<u64>) -> bool) {
    let Ok(at) = tree.open_directory(directory) else {
        return;
    };
    let Ok(names) = Dir::read_from(&at) else {
        return;
    };
    for name in names.flatten() {
        let last = name.file_name().to_bytes();
        let is_ours = last.ends_with(PART.as_bytes())
            || last.ends_with(TABLE.as_bytes())
            || last.starts_with(b".ropewalk-");
        if is_ours || matches!(last, b"." | b"..") {
            continue;
        }
        let Ok(about) = statat(&at, name.file_name(), AtFlags::SYMLINK_NOFOLLOW) else {
            continue;
        };
        let separator: &[u8] = if directory.is_empty() { b"" } else { b"/" };
        let whole = [directory, separator, last].concat();
        let go_on = match FileType::from_raw_mode(about.st_mode) {
            FileType::Directory if tree.is_same_device(about.st_dev) => see(whole, None),
            FileType::RegularFile => see(whole, Some(about.st_size as u64)),
            _ => true,
        };
        if !go_on {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn all_names_but_our_own_are_seen_until_it_is_enough() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        for (name, length) in [("a", 3), ("b", 5), ("a.part", 7), ("a.part.blocks", 1)] {
            fs::write(folder.path().join(name), vec![0; length]).unwrap();
        }
        fs::write(folder.path().join(".ropewalk-1234.new"), "").unwrap();
        fs::write(folder.path().join("sub/c"), "c").unwrap();
        let tree = Tree::open(folder.path()).unwrap();
        let seen = |directory: &[u8], most: usize| {
            let mut seen = Vec::new();
            look(&tree, directory, &mut |name, length| {
                seen.push((String::from_utf8(name).unwrap(), length));
                seen.len() < most
            });
            seen.sort();
            seen
        };
        let name = |name: &str, length| (name.to_owned(), length);
        let all = [name("a", Some(3)), name("b", Some(5)), name("sub", None)];
        assert_eq!(seen(b"", 10), all);
        assert_eq!(seen(b"", 2).len(), 2);
        assert_eq!(seen(b"sub", 10), [name("sub/c", Some(1))]);
        assert_eq!(seen(b"nothing", 10), []);
    }
}
