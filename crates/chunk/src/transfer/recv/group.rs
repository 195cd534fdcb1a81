// SPDX-License-Identifier: Apache-2.0
//! Small files become safe in groups, however many are in one.
//!
//! ```text
//!  this thread     put, put, put ...     put, put, put ...      put, put ...
//!                          group 1 |             group 2 |
//!  another one                     sync, name 1          sync, name 2      sync
//!                                                        1 is reported            2 is
//! ```
//!
//! A file gets its name when its data are safe, and counts when its name is. So after a power
//! failure each name stands for all of its file, of now or of before, and nothing that was reported
//! is missing; what was put, and not reported, may be there under either name, or not.

use super::super::entries::Entries;
use super::super::manifest::shown;
use super::super::small::Store;
use super::Fault;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, TrySendError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Files, bytes or time that are worth a group, when the one before is done.
const WORTH: (usize, u64, Duration) = (1 << 12, 1 << 25, Duration::from_millis(250));
/// Most files and bytes that wait for the group before.
const MOST: (usize, u64) = (1 << 14, 1 << 28);
/// How long names wait for the next group, to be made safe with its data.
const LINGER: Duration = Duration::from_millis(500);

/// Why a file is not there.
type Trouble = (Option<usize>, io::Error);

/// Files on their way to the disk.
pub(super) struct Groups<S> {
    store: Arc<S>,
    /// Those that were put, and are in no group yet.
    fresh: Vec<usize>,
    bytes: u64,
    since: Instant,
    /// To the other thread. It takes a group when it has nothing to do.
    give: Option<mpsc::SyncSender<Vec<usize>>>,
    thread: Option<JoinHandle<Result<Vec<usize>, Trouble>>>,
    safe: mpsc::Receiver<Vec<usize>>,
}

impl<S: Store> Groups<S> {
    pub fn new(store: Arc<S>) -> Self {
        let (give, groups) = mpsc::sync_channel(0);
        let (tell, safe) = mpsc::channel();
        let on_disk = Arc::clone(&store);
        let thread = std::thread::spawn(move || name_groups(&*on_disk, &groups, &tell));
        Groups {
            store,
            fresh: Vec::new(),
            bytes: 0,
            since: Instant::now(),
            give: Some(give),
            thread: Some(thread),
            safe,
        }
    }

    /// Where they are made.
    pub fn store(&self) -> &Arc<S> {
        &self.store
    }

    /// Makes files.
    pub fn put(&mut self, files: &[(usize, &[u8])]) -> Result<(), Trouble> {
        self.store
            .put(files)
            .map_err(|(file, error)| (Some(file), error))?;
        if self.fresh.is_empty() {
            self.since = Instant::now();
        }
        self.fresh.extend(files.iter().map(|(file, _)| file));
        self.bytes += files
            .iter()
            .map(|(_, bytes)| bytes.len() as u64)
            .sum::<u64>();
        self.close_if_due()
    }

    /// Begins to make safe what was put, if that is worth it and the group before is done.
    pub fn close_if_due(&mut self) -> Result<(), Trouble> {
        let (files, bytes) = (self.fresh.len(), self.bytes);
        if files >= MOST.0 || bytes >= MOST.1 {
            return self.close();
        }
        let worth = files >= WORTH.0 || bytes >= WORTH.1 || self.since.elapsed() >= WORTH.2;
        let Some(give) = self.give.as_ref().filter(|_| worth && files > 0) else {
            return Ok(());
        };
        match give.try_send(std::mem::take(&mut self.fresh)) {
            Ok(()) => self.bytes = 0,
            Err(TrySendError::Full(group)) => self.fresh = group,
            Err(TrySendError::Disconnected(_)) => drop(self.join()?),
        }
        Ok(())
    }

    /// The same, when the group before is done.
    fn close(&mut self) -> Result<(), Trouble> {
        self.bytes = 0;
        let group = std::mem::take(&mut self.fresh);
        if let Some(give) = self.give.as_ref().filter(|_| !group.is_empty())
            && give.send(group).is_err()
        {
            self.join()?;
        }
        Ok(())
    }

    /// Files that are safe, and were not returned before.
    pub fn safe(&self) -> impl Iterator<Item = usize> + '_ {
        self.safe.try_iter().flatten()
    }

    /// Ends the other thread; the files that have got their names last.
    fn join(&mut self) -> Result<Vec<usize>, Trouble> {
        self.give = None;
        let said = self.thread.take().map(JoinHandle::join);
        let panicked = || (None, io::Error::other("small files could not be named"));
        said.unwrap_or(Ok(Ok(Vec::new())))
            .unwrap_or_else(|_| Err(panicked()))
    }

    /// Gives all that was put its name, and makes it safe; `last` is done before that, and is safe
    /// then, too. Nothing can be put any more.
    pub fn finish(
        &mut self,
        last: impl FnOnce() -> Result<(), Trouble>,
    ) -> Result<Vec<usize>, Trouble> {
        self.close()?;
        let named = self.join()?;
        last()?;
        self.store.sync(&named).map_err(|error| (None, error))?;
        Ok(self.safe.try_iter().flatten().chain(named).collect())
    }
}

/// It has the directory open, which is free for another receiver then.
impl<S> Drop for Groups<S> {
    fn drop(&mut self) {
        self.give = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What the other thread does: makes group after group safe, and names them. The files of the last
/// one, whose names are not safe.
fn name_groups(
    store: &impl Store,
    groups: &mpsc::Receiver<Vec<usize>>,
    tell: &mpsc::Sender<Vec<usize>>,
) -> Result<Vec<usize>, Trouble> {
    let mut named = Vec::new();
    loop {
        let group = match groups.recv_timeout(LINGER) {
            Ok(group) => group,
            Err(RecvTimeoutError::Timeout) if named.is_empty() => continue,
            Err(RecvTimeoutError::Timeout) => Vec::new(),
            Err(RecvTimeoutError::Disconnected) => return Ok(named),
        };
        store.sync(&named).map_err(|error| (None, error))?;
        let _ = tell.send(std::mem::take(&mut named));
        store
            .name(&group)
            .map_err(|(file, error)| (Some(file), error))?;
        named = group;
    }
}

/// What a trouble is to the other end.
pub(super) fn fault(entries: &Entries, (file, error): Trouble) -> Fault {
    match file.and_then(|file| entries.get(file)) {
        Some(entry) => Fault::Failed(format!("cannot write '{}': {error}", shown(&entry.name))),
        None => Fault::Failed(format!("cannot write small files: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use std::collections::HashSet;

    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    enum Step {
        Put(usize),
        Name(usize),
    }

    /// What a disk has been asked for.
    #[derive(Default)]
    struct Record {
        /// All steps.
        steps: Vec<Step>,
        /// Those that a power failure cannot take back. Of the others it may leave any.
        safe: HashSet<Step>,
        syncs: usize,
    }

    /// A disk that records. It fails from one synchronisation on, or never.
    #[derive(Default)]
    struct Recorder(Mutex<Record>, Option<usize>);

    impl Store for Recorder {
        fn put(&self, files: &[(usize, &[u8])]) -> Result<(), (usize, io::Error)> {
            let steps = files.iter().map(|(file, _)| Step::Put(*file));
            self.0.lock().steps.extend(steps);
            Ok(())
        }

        fn name(&self, files: &[usize]) -> Result<(), (usize, io::Error)> {
            for &file in files {
                let mut record = self.0.lock();
                let is_safe = record.safe.contains(&Step::Put(file));
                assert!(is_safe, "file {file} is named before its data are safe");
                record.steps.push(Step::Name(file));
            }
            Ok(())
        }

        fn sync(&self, named: &[usize]) -> io::Result<()> {
            let mut record = self.0.lock();
            record.syncs += 1;
            if self.1.is_some_and(|last| record.syncs >= last) {
                return Err(io::Error::other("it fails"));
            }
            let steps: HashSet<Step> = record.steps.iter().copied().collect();
            assert!(named.iter().all(|file| steps.contains(&Step::Name(*file))));
            // What is asked for meanwhile is not safe then.
            let before = record.steps.clone();
            drop(record);
            std::thread::sleep(Duration::from_millis(2));
            self.0.lock().safe.extend(before);
            Ok(())
        }
    }

    /// Puts files in packs of many lengths; those that were reported safe, and how it ends.
    fn put_all(
        store: &Arc<Recorder>,
        count: usize,
        seed: u64,
    ) -> (HashSet<usize>, Result<(), Trouble>) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut groups = Groups::new(Arc::clone(store));
        let mut told = HashSet::new();
        let mut file = 0;
        let mut said = Ok(());
        while file < count && said.is_ok() {
            let next = count.min(file + 1 + random.next_u64() as usize % 2000);
            let pack: Vec<(usize, &[u8])> = (file..next).map(|file| (file, &b"abc"[..])).collect();
            said = groups.put(&pack);
            file = next;
            for file in groups.safe() {
                let is_safe = store.0.lock().safe.contains(&Step::Name(file));
                assert!(is_safe, "file {file} is reported before its name is safe");
                told.insert(file);
            }
        }
        let last = || {
            store.0.lock().steps.push(Step::Put(count));
            Ok(())
        };
        let finished = said.and_then(|()| groups.finish(last));
        let said = finished.map(|files| told.extend(files));
        (told, said)
    }

    /// A file gets its name only when its data are safe, and is reported only when its name is:
    /// whenever the power fails, no name stands for less than its file, and all that was reported
    /// is there. Few synchronisations are enough.
    #[test]
    fn data_are_safe_before_the_name_and_the_name_before_the_report() {
        for seed in 0..4 {
            let store = Arc::new(Recorder::default());
            let (told, said) = put_all(&store, 30_000, seed);
            assert!(said.is_ok(), "{said:?}");
            assert_eq!(told.len(), 30_000);
            let record = store.0.lock();
            assert!((0..30_000).all(|file| record.safe.contains(&Step::Name(file))));
            assert!(record.safe.contains(&Step::Put(30_000)), "what is last");
            assert!((2..=12).contains(&record.syncs), "{}", record.syncs);
        }
    }

    /// A disk that fails, at the first synchronisation or a later one: nothing is named that was
    /// put after the last good one, and what was reported is safe.
    #[test]
    fn a_failing_disk_ends_it_and_names_nothing() {
        // There are two groups at least, and what comes last.
        for fails in 1..=3 {
            let store = Arc::new(Recorder(Mutex::default(), Some(fails)));
            let (told, said) = put_all(&store, 30_000, 1);
            assert!(said.is_err());
            let record = store.0.lock();
            assert!(
                told.iter()
                    .all(|file| record.safe.contains(&Step::Name(*file)))
            );
            let named = record
                .steps
                .iter()
                .filter(|step| matches!(step, Step::Name(_)));
            // No group has all of them.
            assert!(named.count() < 30_000 || fails > 2);
            assert_eq!(fails == 1, record.safe.is_empty());
        }
    }
}
