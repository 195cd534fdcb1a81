// SPDX-License-Identifier: Apache-2.0
//! What stands at the front of every chunk of a transfer, so that chunks may arrive in any order.
//!
//! ```text
//!  byte  0 ..  4  "Rope"
//!        4        kind
//!        5        version of all this, [`VERSION`]
//!        6 ..  8  zero
//!        8 .. 12  file, big endian as all of it; 0 is the list of files
//!       12 .. 16  bytes behind this head
//!       16 .. 24  place in the file, or what the kind says
//!       24 .. 56  BLAKE3 of the bytes behind this head, or what the kind says
//!       56 .. 60  zero
//!       60 .. 64  the first four bytes of the BLAKE3 of the 60 bytes before
//! ```

use thiserror::Error;

/// Bytes of the head of a chunk.
pub const HEAD: usize = 64;
const MAGIC: [u8; 4] = *b"Rope";
/// What chunks mean; no other is taken. 1: [`Kind::Go`] counts the messages before it. 2:
/// [`Kind::Pack`], and [`Kind::Whole`] tells of many files. 3: [`Kind::Ask`], the end of the list
/// of files says how much of them is holes, and that names files that have several names. 4:
/// [`Kind::Pieces`], [`Kind::Delta`], and the end of the list says whether they are wanted.
pub const VERSION: u8 = 5;

/// A hash of BLAKE3.
pub type Hash = [u8; 32];

/// What a chunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A block of a file; place: where it begins.
    Block,
    /// A block of zeros that is not sent: the body is its length, four bytes.
    Hole,
    /// The file ends; place: its bytes; hash: that of the file. Of the list of files the body is a
    /// number of eight bytes: those of the files that the sender's disk does not store; and then a
    /// byte, 1 if no [`Kind::Pieces`] are wanted.
    End,
    /// All of it has been sent.
    Last,
    /// Nothing, so that the other end hears something.
    Alive,
    /// From the receiver: bytes of its buffer in the place, notes in the body, a line each.
    Begin,
    /// From the receiver: it has blocks of this file, from the block on that the place tells; the
    /// body is a list of hashes, zero for none.
    Part,
    /// From the receiver: it has the whole of some files, which the body names with their hashes.
    Whole,
    /// From the receiver: this is all that it has; place: the messages that say so, which may
    /// arrive later than this.
    Go,
    /// From the receiver: bytes that it has written in the place, and in the body the time that
    /// took, ms, eight bytes.
    Progress,
    /// From the receiver: everything is in place.
    Done,
    /// From either end: it cannot go on; the body says why. Place: 1 if it was only interrupted. A
    /// receiver that has heard it says so too.
    Failed,
    /// A piece of memory, of no file; place: its number.
    Memory,
    /// Small files, each whole: the body is a list of them.
    Pack,
    /// The list of files ends, as with [`Kind::End`], and nothing more comes: the sender wants to
    /// know what the receiver has.
    Ask,
    /// From the receiver: the [pieces](super::pieces) of an older file that are of use for this
    /// one, from the place on in the older file.
    Pieces,
    /// A block of a file, put together of its older file; hash: of all of the block.
    Delta,
}

const KINDS: [Kind; 17] = [
    Kind::Block,
    Kind::Hole,
    Kind::End,
    Kind::Last,
    Kind::Alive,
    Kind::Begin,
    Kind::Part,
    Kind::Whole,
    Kind::Go,
    Kind::Progress,
    Kind::Done,
    Kind::Failed,
    Kind::Memory,
    Kind::Pack,
    Kind::Ask,
    Kind::Pieces,
    Kind::Delta,
];

/// Head of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// What it is.
    pub kind: Kind,
    /// File.
    pub file: u32,
    /// Place in the file, bytes, or what the kind says.
    pub place: u64,
    /// Of the body, or what the kind says.
    pub hash: Hash,
}

/// Why a chunk is none of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum HeadError {
    /// Too short.
    #[error("a chunk of {0} bytes: accepted are {HEAD} or more")]
    Short(usize),
    /// No head of ours.
    #[error("a chunk without a head")]
    Check,
    /// Unknown kind.
    #[error("a chunk of kind {0}: accepted are 0 to {last}", last = KINDS.len() - 1)]
    Kind(u8),
    /// Of another version.
    #[error(
        "it speaks version {0} of transfers, this end {VERSION}: accepted is the same one at both ends"
    )]
    Version(u8),
    /// The head tells another length.
    #[error("a chunk of {actual} bytes whose head tells of {told}")]
    Length {
        /// Bytes behind the head.
        actual: usize,
        /// Bytes that it names.
        told: u32,
    },
    /// The body is not what its hash says.
    #[error("the data of file {file} at {place} differ from their hash")]
    Body {
        /// File.
        file: u32,
        /// Place in it.
        place: u64,
    },
}

impl Head {
    /// A head of nothing but its kind.
    #[must_use]
    pub const fn of(kind: Kind) -> Self {
        Head {
            kind,
            file: 0,
            place: 0,
            hash: [0; 32],
        }
    }

    /// Whether the hash is that of the body.
    fn hashes_body(self) -> bool {
        !matches!(self.kind, Kind::End | Kind::Ask | Kind::Delta)
    }

    /// Writes it in front of a body that stands behind it already, and hashes the body.
    ///
    /// # Panics
    /// There is no room for a head.
    pub fn seal(mut self, chunk: &mut [u8]) -> Head {
        let (_, body) = chunk.split_at(HEAD);
        if self.hashes_body() {
            self.hash = *blake3::hash(body).as_bytes();
        }
        self.seal_hashed(chunk);
        self
    }

    /// The same, where its hash is that of the body already.
    ///
    /// # Panics
    /// There is no room for a head.
    pub fn seal_hashed(self, chunk: &mut [u8]) {
        let (head, body) = chunk.split_at_mut(HEAD);
        head.fill(0);
        head[..4].copy_from_slice(&MAGIC);
        head[5] = VERSION;
        head[4] = KINDS
            .iter()
            .position(|&kind| kind == self.kind)
            .unwrap_or(0) as u8;
        head[8..12].copy_from_slice(&self.file.to_be_bytes());
        head[12..16].copy_from_slice(&(body.len() as u32).to_be_bytes());
        head[16..24].copy_from_slice(&self.place.to_be_bytes());
        head[24..56].copy_from_slice(&self.hash);
        let check = blake3::hash(&head[..60]);
        head[60..].copy_from_slice(&check.as_bytes()[..4]);
    }

    /// A chunk of this head and a body.
    #[must_use]
    pub fn chunk(self, body: &[u8]) -> Vec<u8> {
        let mut chunk = vec![0; HEAD + body.len()];
        chunk[HEAD..].copy_from_slice(body);
        self.seal(&mut chunk);
        chunk
    }

    /// Takes a chunk apart.
    ///
    /// # Errors
    /// It is damaged, or no chunk of a transfer.
    pub fn open(chunk: &[u8]) -> Result<(Head, &[u8]), HeadError> {
        let Some((head, body)) = chunk.split_first_chunk::<HEAD>() else {
            return Err(HeadError::Short(chunk.len()));
        };
        if head[..4] != MAGIC || blake3::hash(&head[..60]).as_bytes()[..4] != head[60..] {
            return Err(HeadError::Check);
        }
        if head[5] != VERSION {
            return Err(HeadError::Version(head[5]));
        }
        let kind = *KINDS
            .get(usize::from(head[4]))
            .ok_or(HeadError::Kind(head[4]))?;
        let told = word(head, 12);
        if told as usize != body.len() {
            return Err(HeadError::Length {
                actual: body.len(),
                told,
            });
        }
        let mut hash = [0; 32];
        hash.copy_from_slice(&head[24..56]);
        let place = u64::from(word(head, 16)) << 32 | u64::from(word(head, 20));
        let head = Head {
            kind,
            file: word(head, 8),
            place,
            hash,
        };
        if head.hashes_body() && *blake3::hash(body).as_bytes() != hash {
            let Head { file, place, .. } = head;
            return Err(HeadError::Body { file, place });
        }
        Ok((head, body))
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Hash of a file: that of the list of the hashes of its blocks, with its length.
#[must_use]
pub fn root<'a>(bytes: u64, blocks: impl Iterator<Item = &'a Hash>) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&bytes.to_be_bytes());
    for block in blocks {
        hasher.update(block);
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_again_and_every_changed_bit_is_found() {
        for (code, kind) in KINDS.into_iter().enumerate() {
            let head = Head {
                kind,
                file: 7,
                place: 1 << 40 | 5,
                hash: [9; 32],
            };
            let chunk = head.chunk(b"some bytes");
            assert_eq!(usize::from(chunk[4]), code);
            let (read, body) = Head::open(&chunk).unwrap();
            assert_eq!(
                (read.kind, read.file, read.place, body),
                (kind, 7, 1 << 40 | 5, &b"some bytes"[..])
            );
            let bits = if head.hashes_body() {
                chunk.len()
            } else {
                HEAD
            } * 8;
            for bit in 0..bits {
                let mut chunk = chunk.clone();
                chunk[bit / 8] ^= 1 << (bit % 8);
                assert!(Head::open(&chunk).is_err(), "{kind:?}, bit {bit}");
            }
        }
        assert_eq!(Head::open(&[0; 63]), Err(HeadError::Short(63)));
        let mut longer = Head::of(Kind::Go).chunk(b"");
        longer.push(0);
        assert_eq!(
            Head::open(&longer),
            Err(HeadError::Length { actual: 1, told: 0 })
        );
    }

    /// One that is whole, and of another version, is told from a damaged one.
    #[test]
    fn another_version_is_refused() {
        let mut chunk = Head::of(Kind::Go).chunk(b"");
        for version in [0, VERSION + 1] {
            chunk[5] = version;
            let check = blake3::hash(&chunk[..60]);
            chunk[60..64].copy_from_slice(&check.as_bytes()[..4]);
            let said = Head::open(&chunk).unwrap_err();
            assert_eq!(said, HeadError::Version(version));
            let text = format!("it speaks version {version} of transfers, this end {VERSION}");
            assert!(said.to_string().starts_with(&text), "{said}");
        }
    }

    #[test]
    fn the_hash_of_a_file_tells_its_length() {
        assert_ne!(root(1, [[1; 32]].iter()), root(2, [[1; 32]].iter()));
        assert_ne!(root(1, [[1; 32]].iter()), root(1, [[2; 32]].iter()));
    }
}
