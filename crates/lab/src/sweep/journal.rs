// SPDX-License-Identifier: Apache-2.0
//! The journal of a sweep: a line of JSON for each case that is done, after one that says what it
//! is the journal of.
//!
//! A line counts when it is whole. What a program that was killed has left of its last line is
//! taken away by the next one. Only one program at a time has a journal: it is locked.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ropewalk_console::failure::Failure;
use serde::{Deserialize, Serialize};

use super::Outcome;
use super::grid::{self, Case, Grid};

/// The first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Head {
    /// Version of the program.
    ropewalk: String,
    /// Seed of the sweep.
    seed: u64,
    /// Digests of the RTL by core.
    rtl: BTreeMap<String, String>,
}

/// A journal, locked.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    head: Head,
    /// Keys of all cases of the grid.
    cases: BTreeSet<String>,
    outcomes: BTreeMap<String, Outcome>,
}

impl Journal {
    /// Opens the journal of a grid, or begins one; `fresh`: anew.
    ///
    /// # Errors
    /// Another program has it, it cannot be read or written, or it is that of something else.
    pub(super) fn open(
        path: &Path,
        grid: &Grid,
        rtl: BTreeMap<String, String>,
        fresh: bool,
    ) -> Result<Self, Failure> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let fail = |error| Failure::write(path, error);
        let mut file = options.open(path).map_err(fail)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::BadInput(format!(
                    "{}: another sweep is writing to it; accepted: one at a time, or another --out",
                    path.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        }
        let mut text = Vec::new();
        if !fresh {
            let read = file.read_to_end(&mut text);
            read.map_err(|error| Failure::read(path, error))?;
        }
        // Behind the last whole line.
        let end = text
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        text.truncate(end);
        let mut journal = Self {
            path: path.to_owned(),
            file,
            head: Head {
                ropewalk: env!("CARGO_PKG_VERSION").to_owned(),
                seed: grid.seed,
                rtl,
            },
            cases: grid.cases.iter().map(Case::key).collect(),
            outcomes: BTreeMap::new(),
        };
        journal.take(&text)?;
        journal.file.set_len(end as u64).map_err(fail)?;
        journal.file.seek(SeekFrom::End(0)).map_err(fail)?;
        if end == 0 {
            let head = journal.head.clone();
            journal.write(&head)?;
        }
        Ok(journal)
    }

    /// Takes what stands there.
    fn take(&mut self, text: &[u8]) -> Result<(), Failure> {
        let path = self.path.display().to_string();
        let foreign = |what: String| {
            let accepted = "accepted: the journal of this grid, also of a part of it, or --fresh, which begins anew";
            Failure::BadInput(format!("{path} {what}; {accepted}"))
        };
        for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            if number == 0 {
                let head: Head = serde_json::from_slice(line)
                    .map_err(|_| foreign("is no journal of a sweep".to_owned()))?;
                let known = |(core, rtl): (&String, &String)| {
                    self.head.rtl.get(core).is_none_or(|own| own == rtl)
                };
                if head.ropewalk != self.head.ropewalk || !head.rtl.iter().all(known) {
                    let what = "was begun with another version of Ropewalk or of its RTL";
                    return Err(foreign(what.to_owned()));
                }
                if head.seed != self.head.seed {
                    let what = format!("is of seed {}, not {}", head.seed, self.head.seed);
                    return Err(foreign(what));
                }
                continue;
            }
            let outcome: Outcome = serde_json::from_slice(line).map_err(|error| {
                let error = error.to_string().replace('\n', " ");
                foreign(format!("is damaged in line {}: {error}", number + 1))
            })?;
            let key = outcome.case.key();
            if !self.cases.contains(&key) {
                let case = grid::shown(&outcome.case);
                return Err(foreign(format!("has a case that the grid lacks, {case}")));
            }
            self.outcomes.insert(key, outcome);
        }
        Ok(())
    }

    /// Adds a line and has it reach the disk.
    fn write(&mut self, what: &impl Serialize) -> Result<(), Failure> {
        let mut line = serde_json::to_vec(what).map_err(Failure::refused)?;
        line.push(b'\n');
        let written = self
            .file
            .write_all(&line)
            .and_then(|()| self.file.sync_data());
        written.map_err(|error| Failure::write(&self.path, error))
    }

    pub(super) fn add(&mut self, outcome: Outcome) -> Result<(), Failure> {
        let key = outcome.case.key();
        let case = grid::shown(&outcome.case);
        if !self.cases.contains(&key) {
            return Err(Failure::BadInput(format!("{case} is no case of this grid")));
        }
        if self.head.rtl.get(&outcome.case.core) != Some(&outcome.rtl) {
            return Err(Failure::BadInput(format!(
                "{case} ran with other RTL ({}) than there is here; accepted: the same checkout everywhere",
                outcome.rtl
            )));
        }
        // Somebody may have run it twice: the first one stands.
        if !self.outcomes.contains_key(&key) {
            self.write(&outcome)?;
            self.outcomes.insert(key, outcome);
        }
        Ok(())
    }

    pub(super) fn has(&self, case: &Case) -> bool {
        self.outcomes.contains_key(&case.key())
    }

    pub(super) fn get(&self, case: &Case) -> Option<&Outcome> {
        self.outcomes.get(&case.key())
    }

    /// Cases that are done.
    pub(super) fn done(&self) -> usize {
        self.outcomes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    const TEXT: &str = "core = \"rifl\"\n[each]\nber = [1e-7, 1e-6, 1e-5]\n";

    fn grid(text: &str) -> Grid {
        Grid::parse(text).unwrap()
    }

    fn rtl() -> BTreeMap<String, String> {
        BTreeMap::from([("rifl".to_owned(), "1".to_owned())])
    }

    fn outcome(case: &Case) -> Outcome {
        Outcome {
            case: case.clone(),
            rtl: "1".to_owned(),
            ok: true,
            // Numbers that a reader that rounds would change.
            result: Map::from_iter([("x".to_owned(), (0.1f64 + 0.2).into())]),
            wall_s: 0.1,
            process: 1,
        }
    }

    fn refused(journal: Result<Journal, Failure>, part: &str) {
        let line = journal.unwrap_err().to_string();
        assert!(line.contains(part) && !line.contains('\n'), "{line}");
    }

    #[test]
    fn what_is_whole_counts_wherever_the_program_was_killed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let grid = grid(TEXT);
        let mut journal = Journal::open(&path, &grid, rtl(), false).unwrap();
        for case in &grid.cases {
            journal.add(outcome(case)).unwrap();
        }
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        let ends: Vec<usize> = (1..=whole.len())
            .filter(|at| whole[at - 1] == b'\n')
            .collect();
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let mut journal = Journal::open(&path, &grid, rtl(), false).unwrap();
            let lines = ends.iter().filter(|end| **end <= length).count();
            assert_eq!(journal.done(), lines.saturating_sub(1), "{length}");
            for case in &grid.cases {
                journal.add(outcome(case)).unwrap();
                assert_eq!(journal.get(case), Some(&outcome(case)));
            }
            drop(journal);
            assert_eq!(std::fs::read(&path).unwrap(), whole, "{length}");
        }
    }

    #[test]
    fn only_its_own_grid_or_a_larger_one_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let first = grid(TEXT);
        let mut journal = Journal::open(&path, &first, rtl(), false).unwrap();
        journal.add(outcome(&first.cases[0])).unwrap();
        refused(Journal::open(&path, &first, rtl(), false), "another sweep");
        drop(journal);
        let larger = grid(&TEXT.replace("1e-5]", "1e-5, 1e-8]"));
        let journal = Journal::open(&path, &larger, rtl(), false).unwrap();
        assert_eq!((journal.done(), journal.has(&first.cases[0])), (1, true));
        drop(journal);
        let other = grid(&TEXT.replace("1e-7, ", ""));
        refused(Journal::open(&path, &other, rtl(), false), "lacks");
        let seeded = grid(&format!("seed = 9\n{TEXT}"));
        refused(Journal::open(&path, &seeded, rtl(), false), "seed 1, not 9");
        let newer = BTreeMap::from([("rifl".to_owned(), "2".to_owned())]);
        refused(
            Journal::open(&path, &first, newer, false),
            "another version",
        );
        let journal = Journal::open(&path, &seeded, rtl(), true).unwrap();
        assert_eq!(journal.done(), 0);
        drop(journal);
        std::fs::write(&path, "x = 1\n").unwrap();
        refused(Journal::open(&path, &first, rtl(), false), "no journal");
        assert_eq!(std::fs::read(&path).unwrap(), b"x = 1\n");
    }

    #[test]
    fn what_is_not_of_the_sweep_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let grid = grid(TEXT);
        let mut journal = Journal::open(&path, &grid, rtl(), false).unwrap();
        let mut wrong = outcome(&grid.cases[0]);
        wrong.rtl = "2".to_owned();
        let line = journal.add(wrong.clone()).unwrap_err().to_string();
        assert!(line.contains("other RTL"), "{line}");
        wrong.case.seed += 1;
        let line = journal.add(wrong).unwrap_err().to_string();
        assert!(line.contains("no case"), "{line}");
        assert_eq!(journal.done(), 0);
    }
}
