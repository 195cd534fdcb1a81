// SPDX-License-Identifier: Apache-2.0
//! What a receiver has of the files of a list already, which it tells the sender before anything
//! comes; and whether there is room for the rest.

use super::super::HASHES;
use super::super::entries::Entries;
use super::super::head::{Hash, Head, Kind};
use super::super::inbound::Say;
use super::super::manifest::{BLOCK, Entry, What, split};
use super::super::pack::{MOST_WHOLE, WHOLE, put_whole};
use super::super::part::Part;
use super::super::pieces::SHORTEST;
use super::super::tree::{GoOn, There, Tree};
use super::Fault;
use super::older::Older;
use super::write::trouble;
use std::collections::{HashMap, HashSet};

/// What is known of a file.
pub(super) enum State {
    Open,
    /// Of many files few are begun.
    Part(Box<Part>),
    /// There is a file in its place, whose hash was reported.
    Whole,
    /// All of it was put, with other small files.
    Put,
    Done,
}

/// Looks what is there, and tells it.
pub(super) struct Recall<'a> {
    tree: &'a Tree,
    say: Say<'a>,
    go_on: GoOn<'a>,
    /// Nothing is changed.
    is_question: bool,
    /// Files that are whole, and were not told yet.
    wholes: Vec<u8>,
    /// Messages that were said.
    told: u64,
    /// What the files that are not there take, at least.
    need: u64,
    /// Files of which pieces would be of use, by their places in the list.
    wanted: Vec<usize>,
}

/// What there was.
pub(super) struct Recalled {
    /// Of each entry.
    pub states: Vec<State>,
    /// Directories that are not there, by their place in the list.
    pub missing: Vec<usize>,
    /// Messages that "go" counts.
    pub told: u64,
}

impl<'a> Recall<'a> {
    pub fn new(tree: &'a Tree, say: Say<'a>, go_on: GoOn<'a>, is_question: bool) -> Self {
        Recall {
            tree,
            say,
            go_on,
            is_question,
            wholes: Vec::new(),
            told: 0,
            need: 0,
            wanted: Vec::new(),
        }
    }

    /// Tells what there is of all entries. `holes`: bytes of them that need no room; `older`: where
    /// older files are looked for, if pieces of them are wanted.
    pub fn all(
        mut self,
        entries: &Entries,
        holes: u64,
        older: Option<&mut Older<'_>>,
    ) -> Result<Recalled, Fault> {
        let mut states = Vec::with_capacity(entries.len());
        let mut missing = Vec::new();
        let (mut new, mut elsewhere) = (HashSet::new(), HashSet::new());
        for (place, entry) in entries.iter().enumerate() {
            let name = entries.name(place);
            let (parent, _) = split(name);
            let is_new = parent.is_some_and(|parent| new.contains(parent));
            let is_elsewhere = parent.is_some_and(|parent| elsewhere.contains(parent));
            let before = self.need;
            let state = match entry.what {
                What::Directory => {
                    let there = match is_new {
                        true => Ok(There::No),
                        false => self.tree.enter_directory(&entry, !self.is_question),
                    };
                    let there = there.map_err(|error| trouble(&entry, &error))?;
                    if there == There::No {
                        new.insert(name);
                        missing.push(place);
                    }
                    if there == There::Elsewhere || there == There::No && is_elsewhere {
                        elsewhere.insert(name);
                    }
                    State::Done
                }
                What::Stream | What::Link(_) | What::Same(_) => State::Open,
                What::File(bytes) if is_new => {
                    self.need = self.need.saturating_add(bytes);
                    self.wanted.extend((bytes >= SHORTEST).then_some(place));
                    State::Open
                }
                What::File(bytes) => self.file(&entry, place as u32 + 1, bytes)?,
            };
            if is_elsewhere {
                self.need = before;
            }
            states.push(state);
        }
        self.tell_wholes();
        self.check_room(holes)?;
        if let Some(older) = older {
            let (wanted, go_on) = (std::mem::take(&mut self.wanted), self.go_on);
            let found = older.find(entries, &wanted, go_on, &mut |head, body| {
                self.tell(head, body);
            });
            found.map_err(|_| Fault::Stopped)?;
        }
        Ok(Recalled {
            states,
            missing,
            told: self.told,
        })
    }

    /// Whether there is room for what is not there, and it can be written.
    fn check_room(&self, holes: u64) -> Result<(), Fault> {
        let free = match self.is_question {
            true => self.tree.free(),
            false => self.tree.check_writable(),
        };
        let refuse = |why: String| {
            let path = self.tree.path().display();
            Err(Fault::Failed(format!("cannot write to {path}: {why}")))
        };
        let need = self.need.saturating_sub(holes);
        match free {
            Err(error) => refuse(error.to_string()),
            Ok(free) if free.is_less_than(need) => refuse(format!(
                "{need} bytes are needed, and {} are free there",
                free.bytes
            )),
            Ok(_) => Ok(()),
        }
    }

    /// Tells what there is of a file of this length.
    fn file(&mut self, entry: &Entry, number: u32, bytes: u64) -> Result<State, Fault> {
        let whole = self.tree.whole(entry, self.go_on);
        if let Some(hash) = whole.map_err(|_| Fault::Stopped)? {
            put_whole(&mut self.wholes, number, &hash);
            if self.wholes.len() >= MOST_WHOLE * WHOLE {
                self.tell_wholes();
            }
            return Ok(State::Whole);
        }
        self.need = self.need.saturating_add(bytes);
        self.wanted
            .extend((bytes >= SHORTEST).then_some(number as usize - 1));
        if !self.tree.has_part(entry) {
            return Ok(State::Open);
        }
        if self.is_question {
            let blocks = self.tree.peek(entry, self.go_on);
            let blocks = blocks.map_err(|error| trouble(entry, &error))?;
            self.tell_blocks(number, bytes, &blocks);
            return Ok(State::Open);
        }
        let part = self.tree.part(entry, self.go_on);
        let part = part.map_err(|error| trouble(entry, &error))?;
        self.tell_blocks(number, bytes, part.blocks());
        Ok(State::Part(Box::new(part)))
    }

    /// Tells blocks of a file of this length, which need no room.
    fn tell_blocks(&mut self, number: u32, bytes: u64, blocks: &HashMap<u32, Hash>) {
        let mut known: Vec<_> = blocks.iter().collect();
        known.sort_unstable();
        for (index, _) in &known {
            let rest = bytes - u64::from(**index) * BLOCK;
            self.need -= rest.min(BLOCK);
        }
        let mut known = known.into_iter().peekable();
        while let Some(&(&first, _)) = known.peek() {
            let mut body = Vec::new();
            while let Some((index, hash)) =
                known.next_if(|(index, _)| ((**index - first) as usize) < HASHES)
            {
                body.resize((*index - first) as usize * 32, 0);
                body.extend(hash);
            }
            let head = Head {
                file: number,
                place: first.into(),
                ..Head::of(Kind::Part)
            };
            self.tell(head, &body);
        }
    }

    /// Tells of files that are there, if there are any.
    fn tell_wholes(&mut self) {
        if !self.wholes.is_empty() {
            let wholes = std::mem::take(&mut self.wholes);
            self.tell(Head::of(Kind::Whole), &wholes);
        }
    }

    /// Says something of what it has, which "go" counts.
    fn tell(&mut self, head: Head, body: &[u8]) {
        self.told += 1;
        (self.say)(head, body);
    }
}
