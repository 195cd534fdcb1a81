// SPDX-License-Identifier: Apache-2.0
//! What the receiver of files takes from a sender that lies.
//!
//! Input of [`recv`]: steps of a byte of options (bit 0: the head is left as it is, bit 1: the hash
//! of the body is) and a record, the chunk.

use crate::input::{Input, folder, record};
use ropewalk_chunk::transfer::attributes::Attributes;
use ropewalk_chunk::transfer::entries::Entries;
use ropewalk_chunk::transfer::head::{HEAD, Hash, Head, Kind, root};
use ropewalk_chunk::transfer::manifest::{BLOCK, Entry, What, encode};
use ropewalk_chunk::transfer::pack::front;
use ropewalk_chunk::transfer::recv::take_all;
use ropewalk_chunk::transfer::tree::Tree;
use std::fs;

/// A list of files.
///
/// # Panics
/// A name leads elsewhere, or the list is not the same when it is written again.
pub fn manifest(bytes: &[u8]) {
    let Ok(list) = Entries::decode(bytes.to_vec()) else {
        return;
    };
    let entries: Vec<Entry> = list.iter().collect();
    for entry in &entries {
        let parts = entry.name.split(|&byte| byte == b'/');
        let stays = |part: &[u8]| !matches!(part, b"" | b"." | b"..") && !part.contains(&0);
        assert!(parts.into_iter().all(stays), "{entry:?}");
    }
    let again = Entries::decode(encode(&entries)).expect("the same list");
    assert!(again.iter().eq(entries));
}

/// Makes the hash of the body and the check of a chunk right.
fn repair(chunk: &mut [u8], options: u8) {
    let Some((head, body)) = chunk.split_first_chunk_mut::<HEAD>() else {
        return;
    };
    head[12..16].copy_from_slice(&(body.len() as u32).to_be_bytes());
    // Ends of files and of lists, and blocks that are put together, have another hash there.
    if options & 2 == 0 && ![2, 14, 16].contains(&head[4]) {
        head[24..56].copy_from_slice(blake3::hash(body).as_bytes());
    }
    if options & 1 == 0 {
        let check = blake3::hash(&head[..60]);
        head[60..].copy_from_slice(&check.as_bytes()[..4]);
    }
}

/// Chunks into the receiver of a transfer, which writes to a directory.
///
/// # Panics
/// Something appears beside the directory, or outside of what was listed.
pub fn recv(bytes: &[u8]) {
    let mut input = Input(bytes);
    let mut chunks = Vec::new();
    while !input.is_empty() && chunks.len() < 64 {
        let options = input.byte();
        let mut chunk = input.record().to_vec();
        repair(&mut chunk, options);
        chunks.push(chunk);
    }
    let folder = folder();
    let tree = Tree::open(&folder.path().join("in")).expect("a directory");
    let _ = take_all(&tree, chunks.iter().map(Vec::as_slice));
    let names: Vec<_> = fs::read_dir(folder.path()).expect("read").collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

fn entries() -> Vec<Entry> {
    let entry = |name: &str, what| Entry {
        name: name.into(),
        what,
        mode: 0o700,
        time: (1_000_000_000, 5),
        attributes: Attributes::default(),
    };
    vec![
        entry("d", What::Directory),
        entry("d/f", What::File(10)),
        entry("empty", What::File(0)),
        entry("hole", What::File(BLOCK + 3)),
        entry("s", What::Stream),
    ]
}

/// Lists.
#[must_use]
pub fn manifest_seeds() -> Vec<Vec<u8>> {
    let entries = entries();
    let mut attributes = encode(&entries[..1]);
    attributes[0] |= 0x80;
    attributes.extend(b"\0\x06\x01a\0\x02xy");
    vec![
        encode(&entries),
        encode(&entries[..1]),
        attributes,
        Vec::new(),
    ]
}

fn hash(bytes: &[u8]) -> Hash {
    *blake3::hash(bytes).as_bytes()
}

/// The end of a file, by its blocks.
fn end(file: u32, bytes: u64, blocks: &[&[u8]]) -> Vec<u8> {
    let hashes: Vec<Hash> = blocks.iter().map(|block| hash(block)).collect();
    let head = Head {
        kind: Kind::End,
        file,
        place: bytes,
        hash: root(bytes, hashes.iter()),
    };
    head.chunk(&[])
}

/// Whole transfers, in order and not.
#[must_use]
pub fn recv_seeds() -> Vec<Vec<u8>> {
    let list = encode(&entries());
    let at = |kind, file, place| Head {
        file,
        place,
        ..Head::of(kind)
    };
    let zeros = vec![0; BLOCK as usize];
    let pack = [&front(2, Some(10))[..], b"0123456789", &front(3, Some(0))].concat();
    let question = Head {
        kind: Kind::Ask,
        file: 0,
        place: list.len() as u64,
        hash: root(list.len() as u64, [hash(&list)].iter()),
    };
    let chunks = [
        at(Kind::Block, 0, 0).chunk(&list),
        end(0, list.len() as u64, &[&list]),
        at(Kind::Block, 2, 0).chunk(b"0123456789"),
        end(2, 10, &[b"0123456789"]),
        end(3, 0, &[]),
        at(Kind::Hole, 4, 0).chunk(&(BLOCK as u32).to_be_bytes()),
        at(Kind::Block, 4, BLOCK).chunk(b"end"),
        end(4, BLOCK + 3, &[&zeros, b"end"]),
        at(Kind::Block, 5, 0).chunk(b"stream"),
        end(5, 6, &[b"stream"]),
        at(Kind::Last, 0, 11).chunk(&[]),
        at(Kind::Alive, 0, 0).chunk(&[]),
        at(Kind::Pack, 0, 0).chunk(&pack),
        at(Kind::Last, 0, 9).chunk(&[]),
        question.chunk(&7u64.to_be_bytes()),
        at(Kind::Delta, 2, 0).chunk(&[0, 0, 0, 1, 5, 0x80, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0]),
        at(Kind::Pieces, 2, 0).chunk(&[0; 20]),
    ];
    let input = |order: &[usize]| {
        let mut input = Vec::new();
        for &at in order {
            input.push(0);
            record(&mut input, &chunks[at]);
        }
        input
    };
    vec![
        input(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        input(&[11, 1, 0, 10, 9, 8, 7, 6, 5, 4, 3, 2]),
        input(&[0, 1, 3]),
        input(&[0, 1, 12, 5, 6, 7, 8, 9, 13]),
        input(&[14, 0, 11, 2]),
        input(&[0, 1, 15, 2]),
        input(&[0, 1, 16]),
    ]
}
