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
        let recalled = recall.all(&entries, list.holes)?;
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
mod tests {
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
        // All of it is there.
        let file = entry("a/b", What::File(body.len() as u64));
        let [first, second] = list(&[entry("a", What::Directory), file]);
        let (done, said) = take(folder.path(), &[first, second, pack(&[(2, None)]), last(4)]);
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
}
