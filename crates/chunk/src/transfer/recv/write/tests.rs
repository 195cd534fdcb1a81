// SPDX-License-Identifier: Apache-2.0
//! Chunks of senders, of honest ones and of others.

use super::super::super::attributes::Attributes;
use super::super::super::head::HEAD;
use super::super::super::manifest::{BLOCK, encode};
use super::super::super::pack::{SMALL, front};
use super::*;
use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

fn entry(name: &str, what: What) -> Entry {
    Entry {
        name: name.into(),
        what,
        mode: 0o644,
        time: (1_000_000_000, 5),
        attributes: Attributes::default(),
    }
}

fn block(file: u32, place: u64, body: &[u8]) -> Vec<u8> {
    let head = Head {
        file,
        place,
        ..Head::of(Kind::Block)
    };
    head.chunk(body)
}

fn end(file: u32, body: &[u8]) -> Vec<u8> {
    let hashes: Vec<Hash> = body
        .chunks(BLOCK as usize)
        .map(|block| *blake3::hash(block).as_bytes())
        .collect();
    let place = body.len() as u64;
    let hash = root(place, hashes.iter());
    Head {
        kind: Kind::End,
        file,
        place,
        hash,
    }
    .chunk(&[])
}

fn last(count: u64) -> Vec<u8> {
    let place = count;
    Head {
        place,
        ..Head::of(Kind::Last)
    }
    .chunk(&[])
}

fn list(entries: &[Entry]) -> [Vec<u8>; 2] {
    list_that_ends(entries, Kind::End, 0)
}

/// A list of files with this number of bytes in holes, or a question about them.
fn list_that_ends(entries: &[Entry], kind: Kind, holes: u64) -> [Vec<u8>; 2] {
    let bytes = encode(entries);
    let place = bytes.len() as u64;
    let head = Head {
        kind,
        file: 0,
        place,
        hash: root(place, [*blake3::hash(&bytes).as_bytes()].iter()),
    };
    [block(0, 0, &bytes), head.chunk(&holes.to_be_bytes())]
}

/// Gives chunks to a writer; how it ends, and what it has said.
fn take(folder: &Path, chunks: &[Vec<u8>]) -> (Result<bool, Fault>, Vec<Kind>) {
    let tree = Tree::open(folder).unwrap();
    let said = RefCell::new(Vec::new());
    let say = |head: Head, _: &[u8]| {
        let mut said = said.borrow_mut();
        if head.kind == Kind::Go {
            assert_eq!(head.place, said.len() as u64);
        }
        said.push(head.kind);
    };
    let mut received = Received::default();
    let mut writer = Writer::new(&tree, &say, &|_| true, &mut received);
    let mut result = Ok(false);
    for chunk in chunks {
        result = writer.take(chunk);
        if result.is_err() {
            break;
        }
    }
    let noted = writer.note();
    assert_eq!(noted, Ok(()));
    (result, said.take())
}

fn failed(folder: &Path, chunks: &[Vec<u8>], why: &str) {
    match take(folder, chunks).0 {
        Err(Fault::Failed(text)) => assert!(text.contains(why), "{text}"),
        other => panic!("{other:?} instead of {why}"),
    }
}

#[test]
fn in_any_order_and_from_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let body: Vec<u8> = (0..2 * BLOCK as usize + 3)
        .map(|at| ((at * 31) >> 7) as u8)
        .collect();
    let file = entry("a/b", What::File(body.len() as u64));
    let [first, second] = list(&[entry("a", What::Directory), file]);
    let size = BLOCK as usize;
    let part = |at: usize| {
        let end = body.len().min((at + 1) * size);
        block(2, (at * size) as u64, &body[at * size..end])
    };
    // Two of three blocks, and then nothing more.
    let chunks = [first.clone(), second.clone(), part(2), part(0)];
    let (done, said) = take(folder.path(), &chunks);
    assert_eq!((done, said), (Ok(false), vec![Kind::Go]));
    assert!(!folder.path().join("a/b").exists());
    // The third one, behind the end.
    let chunks = [second, first, last(5), end(2, &body), part(1)];
    let (done, said) = take(folder.path(), &chunks);
    assert_eq!((done, said), (Ok(true), vec![Kind::Part, Kind::Go]));
    assert_eq!(fs::read(folder.path().join("a/b")).unwrap(), body);
    assert_eq!(fs::read_dir(folder.path().join("a")).unwrap().count(), 1);
    // All of it is there. That the sender lives it may say at any time, which does not count.
    let file = entry("a/b", What::File(body.len() as u64));
    let [first, second] = list(&[entry("a", What::Directory), file]);
    let alive = || Head::of(Kind::Alive).chunk(&[]);
    let chunks = [
        alive(),
        first,
        alive(),
        second,
        pack(&[(2, None)]),
        alive(),
        last(4),
    ];
    let (done, said) = take(folder.path(), &chunks);
    assert_eq!((done, said), (Ok(true), vec![Kind::Whole, Kind::Go]));
}

fn pack(files: &[(u32, Option<&[u8]>)]) -> Vec<u8> {
    let item = |(number, bytes): &(u32, Option<&[u8]>)| {
        [
            &front(*number, bytes.map(<[u8]>::len)),
            bytes.unwrap_or_default(),
        ]
        .concat()
    };
    let body: Vec<u8> = files.iter().flat_map(item).collect();
    Head::of(Kind::Pack).chunk(&body)
}

/// Small files come whole, many in a chunk; also one of which something was left, and others
/// that were there already.
#[test]
fn small_files() {
    let folder = tempfile::tempdir().unwrap();
    let longest = format!("d/{}", "n".repeat(255));
    let entries = [
        entry("d", What::Directory),
        entry("d/a", What::File(3)),
        entry(&longest, What::File(2)),
        entry("d/empty", What::File(0)),
        entry("d/left", What::File(4)),
    ];
    fs::create_dir(folder.path().join("d")).unwrap();
    fs::write(folder.path().join("d/left.part.blocks"), "").unwrap();
    let [first, second] = list(&entries);
    let chunks = [
        pack(&[(2, Some(b"abc")), (4, Some(b""))]),
        pack(&[(5, Some(b"left")), (3, Some(b"de"))]),
    ];
    let [one, other] = chunks;
    let all = [first.clone(), last(5), second.clone(), one, other];
    let (done, said) = take(folder.path(), &all);
    assert_eq!((done, said), (Ok(true), vec![Kind::Go]));
    let is = |name: &str, bytes: &[u8]| {
        assert_eq!(fs::read(folder.path().join(name)).unwrap(), bytes, "{name}");
    };
    is("d/a", b"abc");
    is(&longest, b"de");
    is("d/empty", b"");
    is("d/left", b"left");
    assert_eq!(fs::read_dir(folder.path().join("d")).unwrap().count(), 4);
    let as_reported = pack(&[(2, None), (3, None), (4, None), (5, None)]);
    let (done, said) = take(folder.path(), &[first, second, as_reported, last(4)]);
    assert_eq!((done, said), (Ok(true), vec![Kind::Whole, Kind::Go]));
}

/// What was put before a sender is lost is there the next time.
#[test]
fn small_files_of_a_sender_that_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let entries = [entry("a", What::File(3)), entry("b", What::File(3))];
    let [first, second] = list(&entries);
    let chunks = [first.clone(), second.clone(), pack(&[(1, Some(b"abc"))])];
    assert_eq!(take(folder.path(), &chunks).0, Ok(false));
    assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"abc");
    let rest = pack(&[(1, None), (2, Some(b"def"))]);
    let (done, said) = take(folder.path(), &[first, second, rest, last(4)]);
    assert_eq!((done, said), (Ok(true), vec![Kind::Whole, Kind::Go]));
}

#[test]
fn hostile_packs() {
    let folder = tempfile::tempdir().unwrap();
    let entries = [
        entry("a", What::File(3)),
        entry("s", What::Stream),
        entry("d", What::Directory),
        entry("large", What::File(SMALL + 1)),
        entry("link", What::Link(3)),
    ];
    let with = |chunk: Vec<u8>| {
        let [first, second] = list(&entries);
        [first, second, chunk]
    };
    let large = vec![1; SMALL as usize + 1];
    let misfit = "comes whole, which does not fit";
    for (files, why) in [
        (&[(1, Some(&b"ab"[..]))][..], misfit),
        (&[(1, Some(b"abcd"))], misfit),
        (&[(1, Some(b"abc")), (1, Some(b"abc"))], misfit),
        (&[(1, None)], misfit),
        (&[(2, Some(b""))], misfit),
        (&[(3, Some(b""))], misfit),
        (&[(4, Some(&large))], misfit),
        (&[(5, Some(b"a\0c"))], misfit),
        (&[(5, Some(b"abcd"))], misfit),
        (&[(5, None)], misfit),
        (&[(0, Some(b""))], "is not in the list"),
        (&[(6, Some(b""))], "is not in the list"),
    ] {
        failed(folder.path(), &with(pack(files)), why);
    }
    failed(folder.path(), &with(block(5, 0, b"abc")), "or a link");
    failed(folder.path(), &with(end(5, b"")), "or a link");
    let broken = |body: &[u8]| with(Head::of(Kind::Pack).chunk(body));
    failed(folder.path(), &broken(&front(1, Some(3))), "is broken");
    failed(folder.path(), &broken(&[0; 5]), "is broken");
    failed(folder.path(), &[pack(&[])], "before the list");
    assert!(!folder.path().join("a").exists());
}

/// What a receiver in that directory has of a list, and why it refuses; nothing changes there.
fn asked(folder: &Path, entries: &[Entry]) -> (Result<bool, Fault>, Vec<Kind>) {
    let about = |folder: &Path| {
        let about = fs::metadata(folder).unwrap();
        (about.mtime(), about.mtime_nsec(), about.nlink())
    };
    let before = about(folder);
    let said = take(folder, &list_that_ends(entries, Kind::Ask, 0));
    assert_eq!(about(folder), before);
    said
}

/// A question is answered, and changes nothing; nothing may come behind it.
#[test]
fn what_is_there_can_be_asked() {
    let folder = tempfile::tempdir().unwrap();
    let part = entry("part", What::File(BLOCK + 3));
    let [first, second] = list(&[part.clone(), entry("whole", What::File(3))]);
    let body = block(1, BLOCK, b"abc");
    let chunks = [first, second, body, pack(&[(2, Some(b"abc"))])];
    assert_eq!(take(folder.path(), &chunks).0, Ok(false));
    let entries = [
        entry("d", What::Directory),
        entry("d/new", What::File(3)),
        part,
        entry("whole", What::File(3)),
    ];
    let (said, kinds) = asked(folder.path(), &entries);
    assert_eq!(
        (said, kinds),
        (Ok(false), vec![Kind::Part, Kind::Whole, Kind::Go])
    );
    let question = list_that_ends(&entries, Kind::Ask, 0);
    for more in [pack(&[]), block(2, 0, b"abc"), end(2, b"abc"), last(3)] {
        let chunks = [&question[..], &[more]].concat();
        failed(folder.path(), &chunks, "behind a question");
    }
    assert!(!folder.path().join("d").exists());
}

/// Less room than the files need: that is said with the path and both numbers, and nothing is
/// made. Holes need none.
#[test]
fn too_little_room() {
    const HUGE: u64 = 1 << 46;
    let folder = tempfile::tempdir().unwrap();
    let entries = [
        entry("d", What::Directory),
        entry("d/huge", What::File(HUGE)),
    ];
    let path = folder.path().display();
    let why = format!("cannot write to {path}: {HUGE} bytes are needed, and ");
    failed(folder.path(), &list(&entries), &why);
    let (said, _) = asked(folder.path(), &entries);
    assert!(
        matches!(&said, Err(Fault::Failed(text)) if text.contains(&why)),
        "{said:?}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let chunks = list_that_ends(&entries, Kind::End, HUGE);
    assert_eq!(take(folder.path(), &chunks).0, Ok(false));
    assert!(folder.path().join("d").is_dir());
}

/// The directory has gone: that is said before anything comes.
#[test]
fn a_directory_that_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gone");
    let tree = Tree::open(&path).unwrap();
    fs::remove_dir(&path).unwrap();
    let mut received = Received::default();
    let mut writer = Writer::new(&tree, &|_, _| {}, &|_| true, &mut received);
    let [first, second] = list(&[entry("a", What::File(1))]);
    assert_eq!(writer.take(&first), Ok(false));
    let said = writer.take(&second).unwrap_err().to_string();
    let why = format!("cannot write to {}: No such file", path.display());
    assert!(said.starts_with(&why), "{said}");
}

#[test]
fn what_differs_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = list(&[entry("a", What::File(3))]);
    let chunks = [first, second, block(1, 0, b"abc"), end(1, b"abd"), last(5)];
    failed(folder.path(), &chunks, "'a' differs from what was sent");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn hostile_senders() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in");
    for name in ["../x", "/x", "a/../../x", ".."] {
        failed(&path, &list(&[entry(name, What::File(1))]), "the name");
    }
    let with = |chunk: Vec<u8>| {
        let [first, second] = list(&[entry("a", What::File(3)), entry("s", What::Stream)]);
        [first, second, chunk]
    };
    failed(&path, &with(block(3, 0, b"abc")), "file 3 of 2");
    failed(&path, &with(block(1, 1, b"ab")), "is none of this file");
    failed(&path, &with(block(1, 0, b"abcd")), "is none of this file");
    failed(
        &path,
        &with(block(1, u64::MAX - 3, b"abc")),
        "is none of this file",
    );
    failed(
        &path,
        &with(block(2, 1 << 60, b"abc")),
        "is none of this file",
    );
    failed(&path, &with(last(3)), "did not come");
    failed(
        &path,
        &with(Head::of(Kind::Done).chunk(&[])),
        "not for a receiver",
    );
    failed(&path, &[block(0, 1 << 62, b"abc")], "a list of files");
    failed(&path, &[block(1, 0, b"abc")], "not in the list");
    let hole = |length: u32| {
        let head = Head {
            kind: Kind::Hole,
            file: 2,
            ..Head::of(Kind::Hole)
        };
        head.chunk(&length.to_be_bytes())
    };
    failed(&path, &with(hole(u32::MAX)), "is none of this file");
    let mut bad = block(1, 0, b"abc");
    bad[HEAD] ^= 1;
    failed(&path, &with(bad), "differ from their hash");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// The body of a block that is three bytes and then a run of an older file.
fn with_a_run(from: u64, bytes: u32) -> Vec<u8> {
    let run = (1 << 31 | bytes).to_be_bytes();
    [&3u32.to_be_bytes()[..], b"abc", &run, &from.to_be_bytes()].concat()
}

fn delta(file: u32, hash: Hash, body: &[u8]) -> Vec<u8> {
    let head = Head {
        file,
        hash,
        ..Head::of(Kind::Delta)
    };
    head.chunk(body)
}

/// A block that is put together of the file that has the name, and of one that was moved.
#[test]
fn older_files_are_of_use() {
    let old: Vec<u8> = (0..SMALL + 50).map(|at| ((at * at) >> 9) as u8).collect();
    let new = [b"abc", &old[7..]].concat();
    let length = new.len() as u64;
    for (older, shorter) in [("a", &old[..]), ("elsewhere/b", &new[..])] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(older);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, shorter).unwrap();
        let [first, second] = list(&[entry("a", What::File(length))]);
        let from = if older == "a" { 7 } else { 3 };
        let body = with_a_run(from, (length - 3) as u32);
        let hash = *blake3::hash(&new).as_bytes();
        let chunks = [first, second, delta(1, hash, &body), end(1, &new), last(5)];
        let (done, said) = take(folder.path(), &chunks);
        assert_eq!(
            (done, said),
            (Ok(true), vec![Kind::Pieces, Kind::Go]),
            "{older}"
        );
        assert!(fs::read(folder.path().join("a")).unwrap() == new);
    }
}

/// Whatever is wrong with a block that is put together, the older file stays as it is.
#[test]
fn blocks_of_older_files_that_are_not_right() {
    let folder = tempfile::tempdir().unwrap();
    let old = vec![5; SMALL as usize + 9];
    fs::write(folder.path().join("a"), &old).unwrap();
    let length = SMALL + 8;
    let whole = with_a_run(1, length as u32 - 3);
    let new = [b"abc", &old[..length as usize - 3]].concat();
    let hash = *blake3::hash(&new).as_bytes();
    let entries = [entry("a", What::File(length)), entry("s", What::Stream)];
    let beyond = with_a_run(10, length as u32 - 3);
    for (chunk, why) in [
        (
            delta(1, [1; 32], &whole),
            "an older file that 'a' was put together of has changed",
        ),
        (delta(1, hash, &beyond), "cannot write 'a': failed to fill"),
        (
            delta(1, hash, &whole[..9]),
            "'a': a block that is put together of an older file is broken",
        ),
        (delta(2, hash, &whole), "'s': it has no older file"),
        (delta(3, hash, &whole), "file 3 of 2 is not in the list"),
        (delta(0, hash, &whole), "file 0 of 2 is not in the list"),
    ] {
        let [first, second] = list(&entries);
        failed(folder.path(), &[first, second, chunk], why);
        assert!(fs::read(folder.path().join("a")).unwrap() == old);
    }
    // Who wants whole files gets no pieces.
    let bytes = encode(&entries);
    let head = Head {
        kind: Kind::End,
        file: 0,
        place: bytes.len() as u64,
        hash: root(
            bytes.len() as u64,
            [*blake3::hash(&bytes).as_bytes()].iter(),
        ),
    };
    let whole_only = [
        block(0, 0, &bytes),
        head.chunk(&[0, 0, 0, 0, 0, 0, 0, 0, 1]),
    ];
    assert_eq!(take(folder.path(), &whole_only).1, [Kind::Go]);
}
