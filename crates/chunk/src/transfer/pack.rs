// SPDX-License-Identifier: Apache-2.0
//! Many small files in one chunk, the body of [`Kind::Pack`](super::head::Kind::Pack), whose hash
//! covers all of them.
//!
//! ```text
//!  per file    its number u32 | its bytes u32 | all of it
//!              its number u32 | 2^32 - 1                    it has the hash that the receiver has reported
//! ```
//!
//! And the list of files that a receiver has, the body of
//! [`Kind::Whole`](super::head::Kind::Whole).
//!
//! ```text
//!  per file    its number u32 | its hash (32)
//! ```

use super::MESSAGE;
use super::head::{HEAD, Hash};
use super::manifest::What;

/// Bytes in front of those of a file.
pub const ITEM: usize = 8;
/// Length of a file: it is as the receiver has reported.
const AS_REPORTED: u32 = u32::MAX;
/// Longest file that comes in a pack.
pub const SMALL: u64 = 1 << 20;
/// Bytes from which on a pack is sent: so the receiver has something to do while the next is read.
pub const PACK: usize = 1 << 18;
/// Files in the longest list of those that a receiver has.
pub const MOST_WHOLE: usize = (MESSAGE - HEAD) / WHOLE;
/// Bytes of each of them.
pub const WHOLE: usize = 36;
const _: () = assert!(HEAD + MOST_WHOLE * WHOLE <= MESSAGE);

/// What stands in front of a file: its number, and its bytes, or that it is as the receiver has
/// reported.
#[must_use]
pub fn front(number: u32, bytes: Option<usize>) -> [u8; ITEM] {
    let bytes = bytes.map_or(AS_REPORTED, |bytes| bytes as u32);
    let mut front = [0; ITEM];
    front[..4].copy_from_slice(&number.to_be_bytes());
    front[4..].copy_from_slice(&bytes.to_be_bytes());
    front
}

/// Takes the first file off a pack: its number and all of it, or nothing if it is as the receiver
/// has it. None: the pack is no such list.
pub fn take_file<'a>(left: &mut &'a [u8]) -> Option<(u32, Option<&'a [u8]>)> {
    let number = take_word(left)?;
    let bytes = take_word(left)?;
    if bytes == AS_REPORTED {
        return Some((number, None));
    }
    let (file, rest) = left.split_at_checked(bytes as usize)?;
    *left = rest;
    Some((number, Some(file)))
}

/// Adds a file to a list of those that are there.
pub fn put_whole(list: &mut Vec<u8>, number: u32, hash: &Hash) {
    list.extend(number.to_be_bytes());
    list.extend(hash);
}

/// Takes the first file off such a list: its number, and its hash. None: it is no such list.
pub fn take_whole(left: &mut &[u8]) -> Option<(u32, Hash)> {
    let number = take_word(left)?;
    let (hash, rest) = left.split_first_chunk()?;
    *left = rest;
    Some((number, *hash))
}

/// Whether these are all bytes of something that comes whole.
#[must_use]
pub fn fits(what: What, bytes: &[u8]) -> bool {
    let length = bytes.len() as u64;
    match what {
        What::File(expected) => length == expected && length <= SMALL,
        What::Link(expected) => length == expected && length > 0 && !bytes.contains(&0),
        What::Directory | What::Stream | What::Same(_) => false,
    }
}

fn take_word(left: &mut &[u8]) -> Option<u32> {
    let (word, rest) = left.split_first_chunk()?;
    *left = rest;
    Some(u32::from_be_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is cut off, no file is read beyond the end.
    #[test]
    fn packs_and_their_beginnings() {
        let pack = [&front(7, Some(3))[..], b"abc", &front(8, None)].concat();
        for length in 0..=pack.len() {
            let mut left = &pack[..length];
            let first = take_file(&mut left);
            let second = take_file(&mut left);
            assert_eq!(first, (length >= 11).then_some((7, Some(&b"abc"[..]))));
            assert_eq!(second, (length >= 19).then_some((8, None)), "{length}");
        }
        let mut list = Vec::new();
        put_whole(&mut list, 9, &[5; 32]);
        for length in 0..=list.len() {
            let said = take_whole(&mut &list[..length]);
            assert_eq!(said, (length == list.len()).then_some((9, [5; 32])));
        }
        assert_eq!(list.len(), WHOLE);
    }
}
