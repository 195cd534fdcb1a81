// SPDX-License-Identifier: Apache-2.0
//! What becomes of the chunks of a sender: the list of files first, then their blocks, in any
//! order.

use super::super::entries::Entries;
use super::super::head::{Hash, Head, Kind, root};
use super::super::inbound::Say;
use super::super::manifest::{Entry, What, shown};
use super::super::pack::{fits, take_file};
use super::super::part::{Note, Part};
use super::super::small::OnDisk;
use super::super::tree::{GoOn, Tree};
use super::group::{self, Groups};
use super::list::List;
use super::older::Older;
use super::recall::{Recall, State};
use super::{Fault, Received};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Bytes after which what was written is synchronised and noted, while the next are written: so the
/// disk is never idle, and little is left for the end.
const NOTE_BYTES: u64 = 1 << 26;
/// Time after which it is.
const NOTE_TIME: Duration = Duration::from_secs(1);

/// Writes what comes.
pub(super) struct Writer<'a> {
    tree: &'a Tree,
    list: List,
    entries: Option<Arc<Entries>>,
    /// The sender only wants to know what is there.
    is_question: bool,
    groups: Option<Groups<OnDisk>>,
    states: Vec<State>,
    older: Older<'a>,
    /// Of files that do not come whole: their length, and their hash.
    ends: HashMap<usize, (u64, Hash)>,
    came: u64,
    last: Option<u64>,
    unnoted: u64,
    noted: Instant,
    noting: Option<JoinHandle<Result<(), Fault>>>,
    say: Say<'a>,
    go_on: GoOn<'a>,
    pub received: &'a mut Received,
}

impl<'a> Writer<'a> {
    pub fn new(tree: &'a Tree, say: Say<'a>, go_on: GoOn<'a>, received: &'a mut Received) -> Self {
        Writer {
            tree,
            list: List::default(),
            entries: None,
            is_question: false,
            groups: None,
            states: Vec::new(),
            older: Older::new(tree),
            ends: HashMap::new(),
            came: 0,
            last: None,
            unnoted: 0,
            noted: Instant::now(),
            noting: None,
            say,
            go_on,
            received,
        }
    }

    /// Takes a chunk; true if everything is in place.
    pub fn take(&mut self, chunk: &[u8]) -> Result<bool, Fault> {
        let (head, body) = Head::open(chunk).map_err(|error| Fault::failed(&error))?;
        match head.kind {
            Kind::Alive => return Ok(false),
            Kind::Failed => {
                let text = String::from_utf8_lossy(body).escape_debug().to_string();
                return Err(match head.place {
                    0 => Fault::GivenUp(text),
                    _ => Fault::Left(text),
                });
            }
            _ => {}
        }
        self.came += 1;
        match (head.kind, head.file) {
            (Kind::Block, 0) if self.entries.is_none() => self.list.add(&head, body)?,
            (Kind::End | Kind::Ask, 0) if self.entries.is_none() => self.list.end(&head, body),
            (kind, _) if self.is_question => {
                return Err(Fault::Failed(format!("{kind:?} behind a question")));
            }
            (Kind::Block | Kind::Hole, file) => self.block(file, &head, body)?,
            (Kind::Delta, file) => self.delta(file, &head, body)?,
            (Kind::Pack, _) => self.pack(body)?,
            (Kind::End, file) => {
                let file = self.number(file)?;
                self.ends.insert(file, (head.place, head.hash));
                if matches!(self.states[file], State::Open | State::Whole) && head.place == 0 {
                    self.part(file)?;
                }
                self.settle(file)?;
            }
            (Kind::Last, _) => self.last = Some(head.place),
            (kind, _) => return Err(Fault::Failed(format!("{kind:?} is not for a receiver"))),
        }
        if self.entries.is_none()
            && let Some(entries) = self.list.take()
        {
            self.begin(entries?)?;
        }
        self.note_if_due()?;
        self.is_done()
    }

    fn is_done(&mut self) -> Result<bool, Fault> {
        if self.last != Some(self.came) {
            return Ok(false);
        }
        let entries = self.entries.clone().unwrap_or_default();
        for (file, state) in self.states.iter_mut().enumerate() {
            let name = || shown(entries.name(file));
            match std::mem::replace(state, State::Done) {
                State::Done => {}
                State::Put => *state = State::Put,
                State::Open if matches!(entries.what(file), Some(What::Same(_))) => {
                    *state = State::Put;
                }
                // All has come, and it is not what was read: nothing of it counts.
                State::Part(part) if self.ends.contains_key(&file) => {
                    let _ = part.discard();
                    let text = format!("'{}' differs from what was sent; it is removed", name());
                    return Err(Fault::Failed(text));
                }
                _ => return Err(Fault::Failed(format!("'{}' did not come", name()))),
            }
        }
        self.finish(true)?;
        Ok(true)
    }

    /// Makes safe what was put, and then other names of files, and at last directories, which get
    /// their permissions and times.
    fn finish(&mut self, with_directories: bool) -> Result<(), Fault> {
        let (Some(mut groups), Some(entries)) = (self.groups.take(), self.entries.clone()) else {
            return Ok(());
        };
        let directories = entries.iter().enumerate().rev();
        let mut directories = directories
            .filter(|(_, entry)| with_directories && entry.what == What::Directory)
            .peekable();
        let is_put = self.states.iter().any(|state| matches!(state, State::Put));
        if !is_put && directories.peek().is_none() {
            return Ok(());
        }
        let same = |file| match entries.what(file) {
            Some(What::Same(number)) if with_directories => Some((file, number as usize - 1)),
            _ => None,
        };
        let names: Vec<(usize, usize)> = (0..entries.len()).filter_map(same).collect();
        let on_disk = Arc::clone(groups.store());
        let finished = groups.finish(|| {
            for &(file, of) in &names {
                let added = on_disk.add_name(file, of);
                added.map_err(|error| (Some(file), error))?;
            }
            directories.try_for_each(|(file, entry)| {
                let done = on_disk.finish_directory(&entry);
                done.map_err(|error| (Some(file), error))
            })
        });
        let finished = finished.map_err(|trouble| group::fault(&entries, trouble))?;
        let names = names.into_iter().map(|(file, _)| file);
        finished
            .into_iter()
            .chain(names)
            .for_each(|file| self.done(file));
        Ok(())
    }

    /// The list is there: tells what it has of files, and makes directories if there is room.
    fn begin(&mut self, entries: Entries) -> Result<(), Fault> {
        let list = std::mem::take(&mut self.list);
        let recall = Recall::new(self.tree, self.say, self.go_on, list.is_question);
        let are_wanted = !list.is_question && !list.is_whole_only;
        let older = are_wanted.then_some(&mut self.older);
        let recalled = recall.all(&entries, list.holes, older)?;
        self.is_question = list.is_question;
        let entries = Arc::new(entries);
        if !list.is_question {
            for &place in &recalled.missing {
                let entry = entries.at(place);
                let made = self.tree.make_directory(&entry);
                made.map_err(|error| trouble(&entry, &error))?;
            }
            let on_disk = OnDisk::new(self.tree, Arc::clone(&entries));
            let on_disk = on_disk.map_err(|error| Fault::failed(&error))?;
            self.groups = Some(Groups::new(Arc::new(on_disk)));
        }
        self.states = recalled.states;
        self.entries = Some(entries);
        // It may overtake what was said before.
        let place = recalled.told;
        (self.say)(
            Head {
                place,
                ..Head::of(Kind::Go)
            },
            &[],
        );
        Ok(())
    }

    /// Files, each of which is whole.
    fn pack(&mut self, mut body: &[u8]) -> Result<(), Fault> {
        let Some(entries) = self.entries.clone() else {
            return Err(Fault::Failed("files before the list".into()));
        };
        let mut files = Vec::new();
        while !body.is_empty() {
            let Some((number, bytes)) = take_file(&mut body) else {
                return Err(Fault::Failed("a pack of files is broken".into()));
            };
            let file = self.number(number)?;
            let what = entries.what(file).unwrap_or(What::Directory);
            match (&self.states[file], bytes) {
                (State::Whole, None) => {
                    let entry = entries.at(file);
                    let done = self.tree.finish_whole(&entry);
                    done.map_err(|error| trouble(&entry, &error))?;
                    self.done(file);
                }
                (State::Open | State::Whole, Some(bytes)) if fits(what, bytes) => {
                    self.states[file] = State::Put;
                    if what != What::Link(bytes.len() as u64) {
                        self.received.bytes += bytes.len() as u64;
                    }
                    files.push((file, bytes));
                }
                (State::Part(_), Some(bytes)) => self.pack_into_part(file, bytes)?,
                _ => {
                    let name = shown(entries.name(file));
                    let text = format!("'{name}' comes whole, which does not fit");
                    return Err(Fault::Failed(text));
                }
            }
        }
        let put = self.groups.as_mut().map(|groups| groups.put(&files));
        put.unwrap_or(Ok(()))
            .map_err(|trouble| group::fault(&entries, trouble))?;
        self.see_safe();
        Ok(())
    }

    /// All of a file of which something was left from an earlier time.
    fn pack_into_part(&mut self, file: usize, bytes: &[u8]) -> Result<(), Fault> {
        let (number, length) = (file as u32 + 1, bytes.len() as u64);
        let head = Head {
            hash: *blake3::hash(bytes).as_bytes(),
            ..Head::of(Kind::Block)
        };
        let hashes = (!bytes.is_empty()).then_some(&head.hash);
        let hash = root(length, hashes.into_iter());
        self.ends.insert(file, (length, hash));
        match hashes {
            Some(_) => self.block(number, &head, bytes),
            None => self.settle(file),
        }
    }

    /// Counts the files that have become safe.
    fn see_safe(&mut self) {
        let safe: Vec<usize> = self.groups.iter().flat_map(Groups::safe).collect();
        safe.into_iter().for_each(|file| self.done(file));
    }

    /// Where a file stands in the list.
    fn number(&self, file: u32) -> Result<usize, Fault> {
        let number = (file as usize).checked_sub(1);
        number
            .filter(|&number| number < self.states.len())
            .ok_or_else(|| {
                Fault::Failed(format!(
                    "file {file} of {} is not in the list",
                    self.states.len()
                ))
            })
    }

    fn part(&mut self, file: usize) -> Result<&mut Part, Fault> {
        let Some(entry) = self.entries.as_ref().and_then(|entries| entries.get(file)) else {
            return Err(Fault::Failed("blocks before the list".into()));
        };
        let is_link = matches!(entry.what, What::Link(_) | What::Same(_));
        if matches!(self.states[file], State::Open | State::Whole) && !is_link {
            let part = self
                .tree
                .part(&entry, self.go_on)
                .map_err(|error| trouble(&entry, &error))?;
            self.states[file] = State::Part(Box::new(part));
        }
        match &mut self.states[file] {
            State::Part(part) => Ok(part),
            _ => Err(Fault::Failed(format!(
                "blocks of '{}', which is complete or a link",
                shown(&entry.name)
            ))),
        }
    }

    fn block(&mut self, file: u32, head: &Head, body: &[u8]) -> Result<(), Fault> {
        let file = self.number(file)?;
        let part = self.part(file)?;
        let written = match <[u8; 4]>::try_from(body) {
            Ok(length) if head.kind == Kind::Hole => {
                let length = u32::from_be_bytes(length);
                part.hole(head.place, length).map(|()| length as usize)
            }
            _ => part.write(head.place, body, head.hash).map(|()| body.len()),
        };
        let count = written.map_err(|error| self.trouble(file, &error))? as u64;
        self.received.bytes += count;
        self.unnoted += count;
        self.settle(file)
    }

    /// A block that is put together of an older file.
    fn delta(&mut self, file: u32, head: &Head, body: &[u8]) -> Result<(), Fault> {
        let place = self.number(file)?;
        let block = self.older.block(place, body);
        let block = block.map_err(|error| self.trouble(place, &error))?;
        if *blake3::hash(&block).as_bytes() != head.hash {
            let name = shown(self.entries.as_deref().map_or(b"", |it| it.name(place)));
            let text = format!("an older file that '{name}' was put together of has changed");
            return Err(Fault::Failed(text));
        }
        self.block(file, head, &block)
    }

    /// Gives a file its name, if all of it is there.
    fn settle(&mut self, file: usize) -> Result<(), Fault> {
        let (Some(&(bytes, hash)), State::Part(part)) = (self.ends.get(&file), &self.states[file])
        else {
            return Ok(());
        };
        if !part.is_whole(bytes, hash) {
            return Ok(());
        }
        self.end_note()?;
        if let State::Part(part) = std::mem::replace(&mut self.states[file], State::Done) {
            let finished = part.finish();
            finished.map_err(|error| self.trouble(file, &error))?;
            self.ends.remove(&file);
            self.done(file);
        }
        Ok(())
    }

    /// What an error is that has to do with a file.
    fn trouble(&self, file: usize, error: &io::Error) -> Fault {
        let entry = self.entries.as_ref().and_then(|entries| entries.get(file));
        entry.map_or_else(|| Fault::failed(error), |entry| trouble(&entry, error))
    }

    fn done(&mut self, file: usize) {
        self.older.forget(file);
        self.states[file] = State::Done;
        self.received.files += 1;
    }

    /// Begins to synchronise and note what is written, if there is something, it is time, and what
    /// was begun before has ended.
    pub fn note_if_due(&mut self) -> Result<(), Fault> {
        let due = self.unnoted >= NOTE_BYTES || self.noted.elapsed() >= NOTE_TIME;
        if self.unnoted > 0 && due && self.noting.as_ref().is_none_or(JoinHandle::is_finished) {
            self.begin_note()?;
        }
        if let (Some(groups), Some(entries)) = (&mut self.groups, &self.entries) {
            let closed = groups.close_if_due();
            closed.map_err(|trouble| group::fault(entries, trouble))?;
            self.see_safe();
        }
        Ok(())
    }

    fn begin_note(&mut self) -> Result<(), Fault> {
        self.end_note()?;
        let mut notes = Vec::<(Note, Entry)>::new();
        let entries = self.entries.clone().unwrap_or_default();
        for (file, state) in self.states.iter_mut().enumerate() {
            if let State::Part(part) = state {
                let entry = entries.at(file);
                let note = part.note().map_err(|error| trouble(&entry, &error))?;
                notes.extend(note.map(|note| (note, entry)));
            }
        }
        (self.unnoted, self.noted) = (0, Instant::now());
        if !notes.is_empty() {
            self.noting = Some(std::thread::spawn(move || {
                notes.into_iter().try_for_each(|(note, entry)| {
                    note.write().map_err(|error| trouble(&entry, &error))
                })
            }));
        }
        Ok(())
    }

    /// Waits for what is being noted.
    fn end_note(&mut self) -> Result<(), Fault> {
        let said = self.noting.take().map(JoinHandle::join);
        said.unwrap_or(Ok(Ok(())))
            .unwrap_or_else(|_| Err(Fault::Failed("what came could not be noted".into())))
    }

    /// Synchronises and notes all that is written, before this ends.
    pub fn note(&mut self) -> Result<(), Fault> {
        self.begin_note()?;
        self.end_note()?;
        self.finish(false)
    }
}

pub(super) fn trouble(entry: &Entry, error: &io::Error) -> Fault {
    if error.kind() == io::ErrorKind::Interrupted {
        return Fault::Stopped;
    }
    Fault::Failed(format!("cannot write '{}': {error}", shown(&entry.name)))
}

#[cfg(test)]
mod tests;
