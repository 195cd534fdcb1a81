// SPDX-License-Identifier: Apache-2.0
//! The thread that reads what is to be sent, and feeds the pipelines with what the receiver does
//! not have.

use super::super::head::{HEAD, Hash, Head, Kind, root};
use super::super::manifest::{BLOCK, Entry, MOST_BLOCKS, ManifestError, What, shown};
use super::super::pack::SMALL;
use super::super::pieces::Delta;
use super::super::pipe::Feed;
use super::super::source::{Place, Selection, Source};
use super::claims::{Claim, Claimed};
use super::pack::Packing;
use super::{Aim, SendError};
use ropewalk_io::link::Waker;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

/// Bytes of a file that are read, and hashed, at a time: they are still in the cache then.
const PIECE: usize = 1 << 18;
/// How often what waits looks whether to stop.
pub(super) const LOOK: Duration = Duration::from_millis(50);

/// What the threads of an attempt share.
pub(super) struct Shared<'a> {
    pub selection: &'a Selection,
    /// What that is, when all of it is listed.
    pub source: OnceLock<Source>,
    pub aim: Aim,
    /// Older files of the receiver are of use.
    pub delta: bool,
    pub feed: Feed,
    pub stop: AtomicBool,
    /// Bytes of blocks that were sent, or need not be.
    pub done: AtomicU64,
    /// Bytes of blocks that need not be sent.
    pub spared: AtomicU64,
    /// Of these, bytes that are in older files of the receiver.
    pub reused: AtomicU64,
    /// Bytes of chunks.
    pub sent: AtomicU64,
    /// Files that the receiver has all of; counted when that is what is to be known.
    pub there: AtomicU64,
    /// Bytes that were hashed only to compare a file with the receiver's.
    pub compared: AtomicU64,
    /// Chunks but those that only tell that this end lives.
    chunks: AtomicU64,
}

impl<'a> Shared<'a> {
    /// `memories`: chunks that are under way at a time; `wakers`: those of the pipelines.
    pub fn new(
        (selection, aim): (&'a Selection, Aim),
        memories: usize,
        wakers: Vec<Waker>,
    ) -> Self {
        Shared {
            selection,
            source: OnceLock::new(),
            aim,
            delta: true,
            feed: Feed::new(memories, HEAD + BLOCK as usize, wakers),
            stop: AtomicBool::new(false),
            done: AtomicU64::new(0),
            spared: AtomicU64::new(0),
            reused: AtomicU64::new(0),
            sent: AtomicU64::new(0),
            there: AtomicU64::new(0),
            compared: AtomicU64::new(0),
            chunks: AtomicU64::new(0),
        }
    }

    fn has_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Memory for a chunk, when there is some; none if told to stop.
    pub fn memory(&self) -> Option<Vec<u8>> {
        while !self.has_stopped() {
            let memory = self.feed.memory(LOOK);
            if memory.is_some() {
                return memory;
            }
        }
        None
    }

    /// Feeds a chunk that is sealed.
    pub fn push(&self, memory: Vec<u8>, bytes: usize) {
        self.chunks.fetch_add(1, Ordering::Relaxed);
        self.sent.fetch_add(bytes as u64, Ordering::Relaxed);
        self.feed.push(memory, bytes);
    }

    fn say(&self, head: Head, body: &[u8]) {
        while !self.feed.has_room(LOOK) && !self.has_stopped() {}
        self.push(head.chunk(body), HEAD + body.len());
    }

    /// Sends the list of files while it is made; none if told to stop.
    fn list(&self) -> Result<Option<&Source>, SendError> {
        let mut hashes = Vec::new();
        let mut emit = |part: &[u8]| {
            let Some(mut memory) = self.memory() else {
                return false;
            };
            memory[HEAD..HEAD + part.len()].copy_from_slice(part);
            let head = Head {
                place: hashes.len() as u64 * BLOCK,
                ..Head::of(Kind::Block)
            };
            hashes.push(head.seal(&mut memory[..HEAD + part.len()]).hash);
            self.push(memory, HEAD + part.len());
            true
        };
        let Some(source) = Source::list(self.selection, &mut emit)? else {
            return Ok(None);
        };
        let bytes = source.entries.bytes().len() as u64;
        let head = Head {
            kind: match self.aim {
                Aim::Send => Kind::End,
                Aim::Ask => Kind::Ask,
            },
            file: 0,
            place: bytes,
            hash: root(bytes, hashes.iter()),
        };
        let holes = source.tally.holes;
        // The receiver answers when it has heard the end.
        let source = self.source.get_or_init(|| source);
        let body = [&holes.to_be_bytes()[..], &[u8::from(!self.delta)]].concat();
        self.say(head, &body);
        Ok(Some(source))
    }

    /// All of a file has been sent: its length, and its hash.
    fn end(&self, file: u32, place: u64, hash: Hash) {
        let head = Head {
            kind: Kind::End,
            file,
            place,
            hash,
        };
        self.say(head, &[]);
    }
}

/// Sends the list; when it is known what the receiver has (`go`), all else. It ends early if it is
/// told to stop.
pub(super) fn read(shared: &Shared, go: &mpsc::Receiver<Claimed>) -> Result<(), SendError> {
    let Some(source) = shared.list()? else {
        return Ok(());
    };
    let Ok(mut claims) = go.recv() else {
        return Ok(());
    };
    if shared.aim == Aim::Ask {
        return compare(shared, source, &mut claims);
    }
    let mut packing = Packing::new(shared);
    for item in Item::all(source) {
        let claim = claims.remove(item.number);
        let go_on = match (item.entry.what, claim) {
            (What::Directory | What::Same(_), _) => true,
            (What::Link(bytes), _) => packing.add_link(&item, bytes)?,
            (What::File(bytes), None) if bytes <= SMALL => packing.add(item, bytes)?,
            (_, claim) => {
                let older = claims.older(item.number);
                let mut reading = Reading::open(shared, item)?;
                reading.delta = older.map(|older| Delta::new(reading.limit, older));
                reading.send(claim, &mut packing)?
            }
        };
        if !go_on {
            return Ok(());
        }
    }
    packing.send();
    let head = Head {
        place: shared.chunks.load(Ordering::Relaxed) + 1,
        ..Head::of(Kind::Last)
    };
    shared.say(head, &[]);
    shared.feed.close();
    Ok(())
}

/// Counts what the receiver has already. It ends early when it is to stop.
fn compare(shared: &Shared, source: &Source, claims: &mut Claimed) -> Result<(), SendError> {
    for item in Item::all(source) {
        let Some(claim) = claims.remove(item.number) else {
            continue;
        };
        let mut reading = Reading::open(shared, item)?;
        let spared = match claim {
            Claim::Whole(hash) => match reading.hash()? {
                None => return Ok(()),
                Some(own) if own == hash => {
                    shared.there.fetch_add(1, Ordering::Relaxed);
                    reading.limit
                }
                Some(_) => 0,
            },
            Claim::Blocks(blocks) => reading.count_same(&blocks)?,
        };
        shared.spared.fetch_add(spared, Ordering::Relaxed);
    }
    Ok(())
}

/// Something of which one block after the other is read.
enum Input<'a> {
    File(File),
    /// Whoever writes it may let us wait for ever, so that is looked at first; and whether to stop.
    Stream(File, &'a AtomicBool),
}

impl Input<'_> {
    /// Fills a block, as far as there is something; `see` gets each piece of it, one after the
    /// other.
    fn block(
        &mut self,
        place: u64,
        block: &mut [u8],
        see: &mut dyn FnMut(&[u8]),
    ) -> io::Result<usize> {
        let mut filled = 0;
        while filled < block.len() {
            let end = block.len().min(filled + PIECE);
            let rest = &mut block[filled..end];
            let said = match self {
                Input::File(file) => file.read_at(rest, place + filled as u64),
                Input::Stream(input, stop) => match is_ready(input, LOOK) {
                    Ok(true) => input.read(rest),
                    Ok(false) if stop.load(Ordering::Relaxed) => break,
                    Ok(false) => continue,
                    Err(error) => Err(error),
                },
            };
            match said {
                Ok(0) => break,
                Ok(count) => {
                    see(&rest[..count]);
                    filled += count;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

/// Whether a read would not wait, after so long at most.
fn is_ready(file: &File, timeout: Duration) -> io::Result<bool> {
    let timeout = Timespec::try_from(timeout).map_err(io::Error::other)?;
    let mut polled = [PollFd::new(file, PollFlags::IN)];
    match poll(&mut polled, Some(&timeout)) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// What is sent, one after the other.
pub(super) struct Item {
    pub number: u32,
    pub entry: Entry,
    /// None: standard input.
    pub place: Option<Place>,
}

impl Item {
    fn all(source: &Source) -> impl Iterator<Item = Item> + '_ {
        source
            .entries
            .iter()
            .enumerate()
            .map(|(place, entry)| Item {
                number: place as u32 + 1,
                entry,
                place: source.place(place),
            })
    }
}

/// A file while it is read.
pub(super) struct Reading<'a> {
    shared: &'a Shared<'a>,
    item: Item,
    input: Input<'a>,
    /// Bytes it has, or may have at most.
    limit: u64,
    /// The receiver has an older file for it.
    delta: Option<Delta>,
}

impl<'a> Reading<'a> {
    pub fn open(shared: &'a Shared<'a>, item: Item) -> Result<Self, SendError> {
        let opened = match &item.place {
            Some(place) => place.open().map(Input::File),
            None => {
                let own = io::stdin().as_fd().try_clone_to_owned();
                own.map(|own| Input::Stream(own.into(), &shared.stop))
            }
        };
        Ok(Reading {
            shared,
            input: opened.map_err(|error| unreadable(item.place.as_ref(), error))?,
            limit: match item.entry.what {
                What::File(bytes) => bytes,
                _ => MOST_BLOCKS * BLOCK,
            },
            delta: None,
            item,
        })
    }

    /// Fills memory with what is at a place, as far as there is something.
    fn block(&mut self, at: u64, memory: &mut [u8]) -> Result<usize, SendError> {
        let read = self.input.block(at, memory, &mut |_| ());
        read.map_err(|error| unreadable(self.item.place.as_ref(), error))
    }

    /// The same, with the hash of it.
    fn hashed(&mut self, at: u64, memory: &mut [u8]) -> Result<(usize, Hash), SendError> {
        let mut hasher = blake3::Hasher::new();
        let mut see = |piece: &[u8]| {
            hasher.update(piece);
        };
        let read = self.input.block(at, memory, &mut see);
        let length = read.map_err(|error| unreadable(self.item.place.as_ref(), error))?;
        Ok((length, *hasher.finalize().as_bytes()))
    }

    /// Bytes of the block at a place, if the file has no end in it.
    fn want(&self, at: u64) -> usize {
        (self.limit - at).min(BLOCK) as usize
    }

    /// All of a file that fits into memory.
    pub fn all(&mut self, memory: &mut [u8]) -> Result<(), SendError> {
        if self.block(0, memory)? < memory.len() {
            return Err(SendError::Changed(shown(&self.item.entry.name)));
        }
        self.check_unchanged()
    }

    /// Sends what the receiver does not have; false if told to stop.
    fn send(mut self, claim: Option<Claim>, packing: &mut Packing<'a>) -> Result<bool, SendError> {
        let known = match claim {
            Some(Claim::Whole(hash)) => match self.hash()? {
                None => return Ok(false),
                Some(own) if own == hash => {
                    for counter in [&self.shared.done, &self.shared.spared] {
                        counter.fetch_add(self.limit, Ordering::Relaxed);
                    }
                    self.check_unchanged()?;
                    return Ok(packing.add_as_reported(self.item.number));
                }
                Some(_) if self.limit <= SMALL => {
                    let bytes = self.limit;
                    return packing.add(self.item, bytes);
                }
                Some(_) => HashMap::new(),
            },
            Some(Claim::Blocks(blocks)) => blocks,
            None => HashMap::new(),
        };
        let Some((bytes, hashes)) = self.blocks(&known)? else {
            return Ok(false);
        };
        let is_stream = self.item.entry.what == What::Stream;
        if is_stream && bytes == self.limit && self.block(bytes, &mut [0])? > 0 {
            let name = shown(&self.item.entry.name);
            let bytes = self.limit + 1;
            let most = self.limit;
            return Err(ManifestError::Long { name, bytes, most }.into());
        }
        self.check_unchanged()?;
        if !is_stream && bytes != self.limit {
            return Err(SendError::Changed(shown(&self.item.entry.name)));
        }
        let hash = root(bytes, hashes.iter());
        self.shared.end(self.item.number, bytes, hash);
        Ok(true)
    }

    /// Hash of all of it; none if told to stop.
    fn hash(&mut self) -> Result<Option<Hash>, SendError> {
        let (mut hashes, mut memory) = (Vec::new(), vec![0; self.want(0)]);
        for at in (0..self.limit).step_by(BLOCK as usize) {
            if self.shared.has_stopped() {
                return Ok(None);
            }
            let want = self.want(at);
            let (length, hash) = self.hashed(at, &mut memory[..want])?;
            hashes.push(hash);
            self.shared
                .compared
                .fetch_add(length as u64, Ordering::Relaxed);
        }
        Ok(Some(root(self.limit, hashes.iter())))
    }

    /// Bytes of the `known` blocks that are those of the file.
    fn count_same(&mut self, known: &HashMap<u32, Hash>) -> Result<u64, SendError> {
        let (mut same, mut memory) = (0, vec![0; self.want(0)]);
        for (&index, hash) in known {
            let at = u64::from(index) * BLOCK;
            let want = self.want(at);
            let (length, own) = self.hashed(at, &mut memory[..want])?;
            if own == *hash {
                same += length as u64;
            }
            self.shared
                .compared
                .fetch_add(length as u64, Ordering::Relaxed);
            if self.shared.has_stopped() {
                break;
            }
        }
        Ok(same)
    }

    /// Sends all blocks but the `known` ones. Bytes there are, and the hash of each block; none if
    /// told to stop.
    fn blocks(
        &mut self,
        known: &HashMap<u32, Hash>,
    ) -> Result<Option<(u64, Vec<Hash>)>, SendError> {
        let (mut at, mut hashes) = (0, Vec::new());
        while at < self.limit {
            let Some(mut memory) = self.shared.memory() else {
                return Ok(None);
            };
            let want = self.want(at);
            let (length, hash) = self.hashed(at, &mut memory[HEAD..HEAD + want])?;
            if self.shared.has_stopped() {
                return Ok(None);
            }
            if length == 0 {
                self.shared.feed.give_back(memory);
                break;
            }
            let is_known = known.get(&((at / BLOCK) as u32)) == Some(&hash);
            self.send_block(at, hash, is_known, memory, length)?;
            hashes.push(hash);
            at += length as u64;
            if length < want {
                break;
            }
        }
        Ok(Some((at, hashes)))
    }

    /// Sends a block which begins behind the space for the head; of zeros only that they are there,
    /// nothing of one that the receiver has, and what its older file does not have.
    fn send_block(
        &mut self,
        at: u64,
        hash: Hash,
        is_known: bool,
        mut memory: Vec<u8>,
        length: usize,
    ) -> Result<(), SendError> {
        let shared = self.shared;
        let head = |kind| Head {
            file: self.item.number,
            place: at,
            hash,
            ..Head::of(kind)
        };
        let is_hole = memory[HEAD..HEAD + length].iter().all(|&byte| byte == 0);
        if is_known || is_hole {
            shared.feed.give_back(memory);
            shared.spared.fetch_add(length as u64, Ordering::Relaxed);
            if !is_known {
                shared.say(head(Kind::Hole), &(length as u32).to_be_bytes());
            }
        } else {
            let (block, delta) = (head(Kind::Block), head(Kind::Delta));
            match self.delta(at, &memory[HEAD..HEAD + length])? {
                None => {
                    block.seal_hashed(&mut memory[..HEAD + length]);
                    shared.push(memory, HEAD + length);
                }
                Some(body) => {
                    memory[HEAD..HEAD + body.len()].copy_from_slice(&body);
                    delta.seal_hashed(&mut memory[..HEAD + body.len()]);
                    shared.push(memory, HEAD + body.len());
                }
            }
        }
        shared.done.fetch_add(length as u64, Ordering::Relaxed);
        Ok(())
    }

    /// What is to be sent of a block, if an older file of the receiver has some of it.
    fn delta(&mut self, at: u64, block: &[u8]) -> Result<Option<Vec<u8>>, SendError> {
        let Some(delta) = &mut self.delta else {
            return Ok(None);
        };
        let (input, place) = (&mut self.input, self.item.place.as_ref());
        let mut read = |at, memory: &mut [u8]| {
            let read = input.block(at, memory, &mut |_| ());
            read.map_err(|error| unreadable(place, error))
        };
        let Some((body, reused)) = delta.block(at, block, &mut read)? else {
            return Ok(None);
        };
        // The block and its pieces were read one after the other.
        self.check_unchanged()?;
        for counter in [&self.shared.spared, &self.shared.reused] {
            counter.fetch_add(reused, Ordering::Relaxed);
        }
        Ok(Some(body))
    }

    /// It is still the file of the list.
    fn check_unchanged(&self) -> Result<(), SendError> {
        let (Input::File(file), What::File(bytes)) = (&self.input, self.item.entry.what) else {
            return Ok(());
        };
        let same = file.metadata().is_ok_and(|about| {
            about.len() == bytes
                && (about.mtime(), about.mtime_nsec() as u32) == self.item.entry.time
        });
        if same {
            Ok(())
        } else {
            Err(SendError::Changed(shown(&self.item.entry.name)))
        }
    }
}

pub(super) fn unreadable(place: Option<&Place>, source: io::Error) -> SendError {
    let path = place.map_or("-".into(), |place| place.path.clone());
    ManifestError::Read { path, source }.into()
}
