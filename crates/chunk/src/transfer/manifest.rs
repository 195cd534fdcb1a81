// SPDX-License-Identifier: Apache-2.0
//! The list of what is sent: names, sizes, permissions, times, extended attributes. A sender makes
//! it of a file or a directory; a receiver believes none of it.
//!
//! ```text
//!  per entry   kind u8 (0 file, 1 directory, 2 stream, 3 link, 4 another name of a file;
//!              128 more if extended attributes follow)
//!              | permissions u16 | time of change, s i64, ns u32 | bytes u64
//!              | length of the name u16 | name, relative, with '/' between its parts
//!              [| length of the attributes u16 | attributes]
//! ```

use super::attributes::Attributes;
use super::head::Hash;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use thiserror::Error;

/// Bytes of a block, the unit in which files are sent, hashed and resumed.
pub const BLOCK: u64 = 1 << 22;
/// Most files and directories of a transfer.
pub const MOST_ENTRIES: usize = 1 << 20;
/// Most bytes of the list: as many entries as there may be, with names of 103 bytes.
pub const MOST_BYTES: u64 = 1 << 27;
/// Added to the kind of an entry that has extended attributes.
const HAS_ATTRIBUTES: u8 = 0x80;
/// Bytes of an entry in front of its name.
const FIXED: usize = 25;
/// Most blocks of a file.
pub const MOST_BLOCKS: u64 = 1 << 24;
/// Longest name, bytes.
pub const LONGEST_NAME: usize = 4000;
/// Longest part of a name, bytes: what a file system takes.
pub const LONGEST_PART: usize = 255;
/// Ending of a file that is not complete.
pub const PART: &str = ".part";
/// Ending of the table of its blocks.
pub const TABLE: &str = ".part.blocks";
/// Ending of a small file that is complete, and may not be on disk yet.
const NEW: &str = ".new";
/// Beginning of names that stand for others.
const OWN: &str = ".ropewalk-";

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A file, and its length in bytes.
    File(u64),
    /// A directory.
    Directory,
    /// A file that is as long as what comes.
    Stream,
    /// A symbolic link, and the length of what it says in bytes.
    Link(u64),
    /// Another name of a file that stands before it in the list; its number, from 1 on.
    Same(u32),
}

/// A file or a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Relative, with '/' between its parts.
    pub name: Vec<u8>,
    /// What it is.
    pub what: What,
    /// Permissions, the low nine bits of a mode.
    pub mode: u16,
    /// Time of change: seconds and nanoseconds since 1970.
    pub time: (i64, u32),
    /// Extended attributes, of a file or a directory.
    pub attributes: Attributes,
}

/// What cannot be sent, or is not taken.
#[derive(Debug, Error)]
pub enum ManifestError {
    /// A name that leads elsewhere, or nowhere.
    #[error("the name '{name}': {why}")]
    Name {
        /// As it was given.
        name: String,
        /// Why not.
        why: &'static str,
    },
    /// Two files want the same place.
    #[error(
        "two entries want the name '{0}'; accepted: each name, also with {PART} and {TABLE} behind it, once"
    )]
    Twice(String),
    /// Two sources would have the same name.
    #[error(
        "{} and {} would both be called '{name}' at the receiver; accepted: sources whose last names differ, or a directory that has both",
        one.display(),
        other.display()
    )]
    SameName {
        /// The name.
        name: String,
        /// The first one.
        one: PathBuf,
        /// The second one.
        other: PathBuf,
    },
    /// A name below one that is no directory.
    #[error("'{0}' lies in a directory that was not named before it")]
    Orphan(String),
    /// Too many files.
    #[error("{0} files and directories: accepted are at most {MOST_ENTRIES}")]
    Many(usize),
    /// Too long a list.
    #[error("a list of files of {0} bytes: accepted are at most {MOST_BYTES}")]
    Large(u64),
    /// Too long a file.
    #[error("'{name}' of {bytes} bytes: accepted are files of at most {most}")]
    Long {
        /// Name.
        name: String,
        /// Bytes.
        bytes: u64,
        /// Most that are accepted.
        most: u64,
    },
    /// Another name of something that is no file before it.
    #[error(
        "'{name}' is said to be the same as entry {number}; accepted: a file that stands before it"
    )]
    Same {
        /// The name.
        name: String,
        /// Of what.
        number: u32,
    },
    /// A list that does not fit its own layout.
    #[error("the list of files is broken at byte {0}")]
    Broken(usize),
    /// A file cannot be looked at.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// What stands in place of a name: a hash of it.
fn own_name(name: &[u8]) -> String {
    let hash = blake3::derive_key("ropewalk 2026 name of an unfinished file", name);
    let digits = hash[..16].iter().map(|byte| format!("{byte:02x}"));
    digits.fold(OWN.to_owned(), |name, digits| name + &digits)
}

/// What [`PART`] and [`TABLE`] are put behind: the name of the file, or its hash if there is no
/// room for them.
#[must_use]
pub fn base_name(name: &[u8]) -> Cow<'_, [u8]> {
    match name.len() + TABLE.len() <= LONGEST_PART {
        true => name.into(),
        false => own_name(name).into_bytes().into(),
    }
}

/// The name of a small file while its data are not safe.
#[must_use]
pub fn new_name(name: &OsStr) -> OsString {
    (own_name(name.as_bytes()) + NEW).into()
}

/// A name as text.
#[must_use]
pub fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).escape_debug().to_string()
}

/// Whether a name stays below the directory that it is taken relative to.
pub(super) fn check_name(name: &[u8]) -> Result<(), ManifestError> {
    let wrong = |why| {
        let name = shown(&name[..name.len().min(200)]);
        Err(ManifestError::Name { name, why })
    };
    if name.is_empty() || name.len() > LONGEST_NAME {
        return wrong("accepted are 1 to 4000 bytes");
    }
    for part in name.split(|&byte| byte == b'/') {
        match part {
            b"" => return wrong("it is absolute, or has an empty part"),
            b"." | b".." => return wrong("parts '.' and '..' are not accepted"),
            _ if part.contains(&0) => return wrong("it contains a zero byte"),
            _ if part.len() > LONGEST_PART => {
                return wrong("accepted are parts of at most 255 bytes");
            }
            _ => {}
        }
    }
    Ok(())
}

impl Entry {
    /// Blocks of a file whose length is known.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        match self.what {
            What::File(bytes) => bytes.div_ceil(BLOCK),
            What::Directory | What::Stream | What::Link(_) | What::Same(_) => 0,
        }
    }

    /// What a table of blocks belongs to: another name, length, time or permissions is another
    /// file.
    #[must_use]
    pub fn digest(&self) -> Hash {
        let mut bytes = Vec::new();
        self.encode(&mut bytes);
        *blake3::hash(&bytes).as_bytes()
    }

    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
        let (kind, length) = match self.what {
            What::File(length) => (0, length),
            What::Directory => (1, 0),
            What::Stream => (2, 0),
            What::Link(length) => (3, length),
            What::Same(number) => (4, number.into()),
        };
        let attributes = self.attributes.bytes();
        let more = if attributes.is_empty() {
            0
        } else {
            HAS_ATTRIBUTES
        };
        bytes.push(kind | more);
        bytes.extend(self.mode.to_be_bytes());
        bytes.extend(self.time.0.to_be_bytes());
        bytes.extend(self.time.1.to_be_bytes());
        bytes.extend(u64::to_be_bytes(length));
        bytes.extend((self.name.len() as u16).to_be_bytes());
        bytes.extend(&self.name);
        if more != 0 {
            bytes.extend((attributes.len() as u16).to_be_bytes());
            bytes.extend(attributes);
        }
    }

    /// The entry that begins there.
    pub(super) fn decode(bytes: &[u8]) -> Option<Entry> {
        let fixed = bytes.first_chunk::<FIXED>()?;
        let nanoseconds = u32::from_be_bytes([fixed[11], fixed[12], fixed[13], fixed[14]]);
        Some(Entry {
            name: Self::name_of(bytes)?.to_vec(),
            what: Self::what_of(bytes)?,
            mode: u16::from_be_bytes([fixed[1], fixed[2]]) & 0o777,
            time: (long(fixed, 3) as i64, nanoseconds.min(999_999_999)),
            attributes: Self::attributes_of(bytes)?.0,
        })
    }

    /// Its name alone.
    pub(super) fn name_of(bytes: &[u8]) -> Option<&[u8]> {
        let (fixed, rest) = bytes.split_first_chunk::<FIXED>()?;
        rest.get(..usize::from(u16::from_be_bytes([fixed[23], fixed[24]])))
    }

    /// What it is alone.
    pub(super) fn what_of(bytes: &[u8]) -> Option<What> {
        let fixed = bytes.first_chunk::<FIXED>()?;
        match fixed[0] & !HAS_ATTRIBUTES {
            0 => Some(What::File(long(fixed, 15))),
            1 => Some(What::Directory),
            2 => Some(What::Stream),
            3 => Some(What::Link(long(fixed, 15))),
            4 => Some(What::Same(long(fixed, 15).try_into().ok()?)),
            _ => None,
        }
    }

    /// Its extended attributes, and what stands behind it.
    fn attributes_of(bytes: &[u8]) -> Option<(Attributes, &[u8])> {
        let rest = &bytes[FIXED + Self::name_of(bytes)?.len()..];
        if bytes[0] & HAS_ATTRIBUTES == 0 {
            return Some((Attributes::default(), rest));
        }
        let (length, rest) = rest.split_first_chunk()?;
        let (attributes, rest) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
        let attributes = Attributes::decode(attributes).filter(|it| !it.is_empty())?;
        let what = Self::what_of(bytes)?;
        let may_have = matches!(what, What::File(_) | What::Directory);
        may_have.then_some((attributes, rest))
    }

    /// What stands behind it; none if it is no entry.
    pub(super) fn skip(bytes: &[u8]) -> Option<&[u8]> {
        Self::what_of(bytes)?;
        Some(Self::attributes_of(bytes)?.1)
    }

    /// Whether a receiver could have made this name.
    pub(super) fn is_own_name(name: &[u8]) -> bool {
        split(name).1.starts_with(OWN.as_bytes())
    }
}

fn long(fixed: &[u8; FIXED], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&fixed[at..at + 8]);
    u64::from_be_bytes(word)
}

/// Writes a list.
#[must_use]
pub fn encode(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    entries.iter().for_each(|entry| entry.encode(&mut bytes));
    bytes
}

/// The directory that a name lies in, none if that has no name, and the last part of the name.
pub(super) fn split(name: &[u8]) -> (Option<&[u8]>, &[u8]) {
    match name.iter().rposition(|&byte| byte == b'/') {
        Some(slash) => (Some(&name[..slash]), &name[slash + 1..]),
        None => (None, name),
    }
}

/// The names of files of which this one could be an unfinished part.
pub(super) fn names_of_others(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    let endings = [PART, TABLE].into_iter();
    endings.filter_map(|ending| name.strip_suffix(ending.as_bytes()))
}

/// The names that a receiver may give to the entry of this one before it is complete.
pub(super) fn own_names(name: &[u8]) -> [Vec<u8>; 3] {
    let (_, last) = split(name);
    let front = &name[..name.len() - last.len()];
    let stand_in = own_name(last).into_bytes();
    [NEW, PART, TABLE].map(|ending| [front, &stand_in, ending.as_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use super::super::entries::Entries;
    use super::*;

    fn decode(bytes: &[u8]) -> Result<Entries, ManifestError> {
        Entries::decode(bytes.to_vec())
    }

    fn check(entries: &[Entry]) -> Result<(), ManifestError> {
        decode(&encode(entries)).map(drop)
    }

    fn entry(name: &str, what: What) -> Entry {
        Entry {
            name: name.into(),
            what,
            mode: 0o640,
            time: (-5, 7),
            attributes: Attributes::default(),
        }
    }

    #[test]
    fn whole_again() {
        let entries = [
            entry("a", What::Directory),
            entry("a/b", What::File(MOST_BLOCKS * BLOCK)),
            entry("c", What::Stream),
        ];
        let bytes = encode(&entries);
        let again: Vec<Entry> = decode(&bytes).unwrap().iter().collect();
        assert_eq!(again, entries);
        assert_eq!(entries.iter().collect::<Entries>().bytes(), bytes);
        let mut ends = 0;
        for length in 0..bytes.len() {
            ends += usize::from(decode(&bytes[..length]).is_ok());
        }
        assert_eq!(ends, 3, "nothing, one entry, two");
    }

    /// Only files and directories have them, and who has none does not say so.
    #[test]
    fn extended_attributes() {
        let attributes = Attributes::decode(b"\x01a\0\x02xy").unwrap();
        let has = |what| Entry {
            attributes: attributes.clone(),
            ..entry("a", what)
        };
        let list = [has(What::File(3)), entry("b", What::File(4))];
        let bytes = encode(&list);
        assert_eq!(decode(&bytes).unwrap().iter().collect::<Vec<_>>(), list);
        let mut ends = 0;
        for length in 0..bytes.len() {
            ends += usize::from(decode(&bytes[..length]).is_ok());
        }
        assert_eq!(ends, 2, "nothing, one entry");
        assert!(check(&[has(What::Directory)]).is_ok());
        for what in [What::Stream, What::Link(3), What::Same(1)] {
            let said = check(&[entry("f", What::File(1)), has(what)]);
            assert!(matches!(said, Err(ManifestError::Broken(26))), "{said:?}");
        }
        let mut none = encode(&[entry("a", What::File(3))]);
        none[0] |= HAS_ATTRIBUTES;
        none.extend([0, 0]);
        assert!(matches!(decode(&none), Err(ManifestError::Broken(0))));
        assert_ne!(list[0].digest(), entry("a", What::File(3)).digest());
    }

    #[test]
    fn hostile_names() {
        let long = "x".repeat(256);
        let deep = "x/".repeat(2001);
        for name in [
            "",
            "/etc/passwd",
            "..",
            "../x",
            "a/../../x",
            "a//b",
            "a/",
            ".",
            "a/./b",
            "a\0b",
            &long,
            &deep,
        ] {
            let bytes = encode(&[entry("a", What::Directory), entry(name, What::File(1))]);
            let said = decode(&bytes).unwrap_err();
            assert!(matches!(said, ManifestError::Name { .. }), "{name}: {said}");
        }
    }

    #[test]
    fn what_does_not_fit_together() {
        let said = |entries: &[Entry]| decode(&encode(entries)).unwrap_err().to_string();
        let file = |name| entry(name, What::File(1));
        assert!(said(&[file("a"), file("a")]).contains("two entries"));
        assert!(said(&[file("a"), file("a.part")]).contains("two entries"));
        assert!(said(&[file("a.part.blocks"), file("a")]).contains("two entries"));
        assert!(said(&[file("a.part"), file("a")]).contains("two entries"));
        let directory = |name| entry(name, What::Directory);
        assert!(said(&[directory("a"), file("a")]).contains("two entries"));
        assert!(said(&[directory("a.part"), file("a")]).contains("two entries"));
        assert!(check(&[directory("a"), file("a.part"), directory("a.part.blocks")]).is_ok());
        assert!(said(&[file("a"), file("a/b")]).contains("was not named before"));
        assert!(said(&[file("a/b"), entry("a", What::Directory)]).contains("was not named before"));
        assert!(
            said(&[entry("a", What::File(u64::MAX))]).contains("accepted are files of at most")
        );
        let same = |number| entry("same", What::Same(number));
        assert!(check(&[file("a"), same(1)]).is_ok());
        for number in [0, 2, 3, 4, 5, u32::MAX] {
            let list = [
                file("a"),
                directory("d"),
                entry("link", What::Link(1)),
                same(number),
                file("z"),
            ];
            let text = format!("to be the same as entry {number}; accepted: a file");
            assert!(said(&list).contains(&text));
        }
        let long = "x/".repeat(LONGEST_NAME / 2);
        let many = vec![directory(&long); MOST_BYTES as usize / LONGEST_NAME];
        assert!(matches!(check(&many), Err(ManifestError::Large(_))));
    }
    /// No entry takes the place of another one that is not complete.
    #[test]
    fn names_of_unfinished_files() {
        let stand_in = own_name(b"a");
        for ending in [NEW, PART, TABLE] {
            let (own, below) = (
                format!("{stand_in}{ending}"),
                format!("d/{stand_in}{ending}"),
            );
            let [own, below] = [own, below].map(|name| entry(&name, What::File(1)));
            let file = |name| entry(name, What::File(1));
            let directory = entry("d", What::Directory);
            let said = check(&[file("a"), own]);
            assert!(matches!(said, Err(ManifestError::Twice(_))));
            let said = check(&[directory.clone(), file("d/a"), below.clone()]);
            assert!(matches!(said, Err(ManifestError::Twice(_))));
            assert!(check(&[directory, file("a"), below]).is_ok());
        }
        let name = "n".repeat(LONGEST_PART - TABLE.len());
        assert_eq!(base_name(name.as_bytes()), name.as_bytes());
        let longer = name + "n";
        assert_eq!(
            base_name(longer.as_bytes()),
            own_name(longer.as_bytes()).as_bytes()
        );
    }
}
