// SPDX-License-Identifier: Apache-2.0
//! Extended attributes of the user (`user.*`), as they stand in the list of files. Those of other
//! name spaces give rights or belong to the system: they are neither sent nor taken.
//!
//! ```text
//!  per attribute   length of the name u8 | name, without its "user."
//!                  | length of the value u16 | value
//! ```

use super::manifest::shown;
use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
use rustix::io::Errno;
use std::ffi::CString;
use std::io;
use std::os::fd::AsFd;

/// The name space.
const USER: &[u8] = b"user.";
/// Longest name, bytes, and most bytes of a value or of all names: what the system takes.
const LONGEST: usize = 255 - USER.len();
const MOST: usize = 1 << 16;

/// Extended attributes of a file or a directory, each name once, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Attributes(Vec<u8>);

/// Takes the first attribute off a list.
fn take<'a>(left: &mut &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    let (&length, rest) = left.split_first()?;
    let (name, rest) = rest.split_at_checked(length.into())?;
    let (length, rest) = rest.split_first_chunk()?;
    let (value, rest) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
    *left = rest;
    Some((name, value))
}

/// The name as the system has it; none if it takes no such.
fn whole(name: &[u8]) -> Option<CString> {
    let fits = (1..=LONGEST).contains(&name.len());
    CString::new([USER, name].concat()).ok().filter(|_| fits)
}

impl Attributes {
    /// Reads a list of somebody else; none if it is not in order.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (mut left, mut last) = (bytes, &b""[..]);
        while !left.is_empty() {
            let (name, _) = take(&mut left)?;
            whole(name).filter(|_| last < name)?;
            last = name;
        }
        Some(Attributes(bytes.to_vec()))
    }

    /// As they stand in the list.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Those of an open file or directory; none where the file system has no such.
    ///
    /// # Errors
    /// They cannot be read, or are more than the list takes of one file: 65 535 bytes.
    pub fn of(file: impl AsFd) -> io::Result<Self> {
        let mut buffer = vec![0; MOST];
        let length = match flistxattr(&file, &mut buffer) {
            Err(Errno::OPNOTSUPP) => 0,
            listed => listed?,
        };
        let names = buffer[..length].split(|&byte| byte == 0);
        let names = names.filter_map(|name| name.strip_prefix(USER));
        let mut names: Vec<Vec<u8>> = names.map(<[u8]>::to_vec).collect();
        names.sort_unstable();
        let mut bytes = Vec::new();
        for name in &names {
            let Some(whole) = whole(name) else {
                continue;
            };
            let value = match fgetxattr(&file, &whole, &mut buffer) {
                // It is gone meanwhile.
                Err(Errno::NODATA) => continue,
                length => &buffer[..length?],
            };
            bytes.push(name.len() as u8);
            bytes.extend(name);
            bytes.extend((value.len() as u16).to_be_bytes());
            bytes.extend(value);
            if bytes.len() > usize::from(u16::MAX) {
                let text = "its extended attributes are too long; accepted are 65535 bytes with their names";
                return Err(io::Error::other(text));
            }
        }
        Ok(Attributes(bytes))
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an open file has all of them.
    pub(super) fn are_those_of(&self, file: impl AsFd) -> bool {
        let mut left = &self.0[..];
        let mut buffer = vec![0; if self.is_empty() { 0 } else { MOST }];
        std::iter::from_fn(|| take(&mut left)).all(|(name, value)| {
            let length = whole(name).map(|name| fgetxattr(&file, &name, &mut buffer));
            matches!(length, Some(Ok(length)) if buffer[..length] == *value)
        })
    }

    /// Gives them to an open file or directory, which may have others beside them.
    ///
    /// # Errors
    /// The file system has no such, or no room for them.
    pub(super) fn give(&self, file: impl AsFd) -> io::Result<()> {
        let mut left = &self.0[..];
        while let Some((name, value)) = take(&mut left) {
            let Some(whole) = whole(name) else {
                continue;
            };
            fsetxattr(&file, &whole, value, XattrFlags::empty()).map_err(|error| {
                let error = io::Error::from(error);
                let name = shown(name);
                let text = format!("the extended attribute user.{name}: {error}");
                io::Error::new(error.kind(), text)
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::fremovexattr;
    use std::fs::File;

    fn encoded(all: &[(&[u8], &[u8])]) -> Vec<u8> {
        let one = |(name, value): &(&[u8], &[u8])| {
            let length = (value.len() as u16).to_be_bytes();
            [&[name.len() as u8], *name, &length, value].concat()
        };
        all.iter().flat_map(one).collect()
    }

    /// What a file gets another one has, and only what is the user's.
    #[test]
    fn from_a_file_to_another() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        let [one, other] = [one, other].map(|path| File::create_new(path).unwrap());
        assert!(Attributes::of(&one).unwrap().is_empty());
        let long = vec![7; 3000];
        let list = encoded(&[(b"a", b""), (b"b.c", b"\0x"), (b"long", &long)]);
        let given = Attributes::decode(&list).unwrap();
        assert!(!given.are_those_of(&one));
        given.give(&one).unwrap();
        assert!(given.are_those_of(&one));
        let read = Attributes::of(&one).unwrap();
        assert_eq!(read, given);
        fsetxattr(&other, c"user.b.c", b"old", XattrFlags::empty()).unwrap();
        fsetxattr(&other, c"user.z", b"own", XattrFlags::empty()).unwrap();
        read.give(&other).unwrap();
        assert!(read.are_those_of(&other));
        fremovexattr(&other, c"user.z").unwrap();
        assert_eq!(Attributes::of(&other).unwrap(), given);
    }

    #[test]
    fn lists_that_are_not_in_order() {
        let long = [b'x'; LONGEST + 1];
        assert!(Attributes::decode(&encoded(&[(&long[1..], b"")])).is_some());
        for list in [
            &[(&b""[..], &b""[..])][..],
            &[(b"b", b""), (b"a", b"")],
            &[(b"a", b"1"), (b"a", b"2")],
            &[(b"a\0b", b"")],
            &[(&long, b"")],
        ] {
            assert!(Attributes::decode(&encoded(list)).is_none(), "{list:?}");
        }
        let list = encoded(&[(b"a", b"12")]);
        for length in 1..list.len() {
            assert!(Attributes::decode(&list[..length]).is_none());
        }
    }

    /// Where there are no such, the error names the first one.
    #[test]
    fn what_cannot_be_given() {
        let file = File::open("/proc/self/status").unwrap();
        assert!(Attributes::of(&file).unwrap().is_empty());
        let list = Attributes::decode(&encoded(&[(b"a", b"1")])).unwrap();
        let said = list.give(&file).unwrap_err().to_string();
        assert!(
            said.starts_with("the extended attribute user.a: "),
            "{said}"
        );
    }
}
