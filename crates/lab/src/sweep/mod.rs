// SPDX-License-Identifier: Apache-2.0
//! Many simulations: a grid of cases, a journal of those that are done, and a table of all.
//!
//! The table depends on the grid and on the RTL alone. Whoever runs a case, a thread here or a
//! process elsewhere, gives an [`Outcome`], which the journal keeps as a line of text; the table is
//! made of these lines, in the order of the grid. What depends on the machine, such as the time
//! that a case took, is in the journal and not in the table.

pub mod grid;
mod journal;
mod local;
mod table;

use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};
use std::path::{Path, PathBuf};
use std::time::Instant;

use ropewalk_console::failure::Failure;
use ropewalk_console::format::thousands;
use ropewalk_console::output::Staged;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::cli::SimCore;
use crate::commands::Simulation;
use crate::rtl;
use grid::{Case, Grid};
use journal::Journal;

/// Keys of results that tell of the machine.
const OF_THE_MACHINE: [&str; 2] = ["sim_cycles_per_second", "wall_s"];

/// What a case has come to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// What was run.
    pub case: Case,
    /// Digest of the RTL that ran.
    pub rtl: String,
    /// The result is good.
    pub ok: bool,
    /// What `ropewalk sim CORE --json` prints, but for what depends on the machine.
    pub result: Map<String, Value>,
    /// Time that it took, in seconds.
    pub wall_s: f64,
    /// Process that ran it.
    pub process: u32,
}

/// The simulation of a case.
fn simulation(case: &Case) -> Result<Box<dyn Simulation>, Failure> {
    let options = case.options().map_err(|(_, why)| Failure::BadInput(why))?;
    Ok(match options {
        SimCore::Rifl(options) => options,
        SimCore::Htsp(options) => Box::new(options),
        SimCore::Slink(options) => Box::new(options),
        SimCore::Rdma(options) => Box::new(options),
        SimCore::Stack(options) => Box::new(options),
        SimCore::Network(options) => options,
    })
}

/// A failure of a case, with its name.
fn of(case: &Case, failure: Failure) -> Failure {
    match failure {
        Failure::Closed | Failure::Interrupted => failure,
        other => Failure::BadInput(format!("{}: {other}", grid::shown(case))),
    }
}

/// Runs a case.
///
/// # Errors
/// It cannot be run; the message names it.
pub fn run(case: &Case) -> Result<Outcome, Failure> {
    let begun = Instant::now();
    let measure = || -> Result<_, Failure> {
        let rtl = rtl::digest(&case.core)?;
        Ok((rtl, simulation(case)?.measure()?))
    };
    let (rtl, result) = measure().map_err(|failure| of(case, failure))?;
    let mut result = match result {
        Value::Object(result) => result,
        other => Map::from_iter([("value".to_owned(), other)]),
    };
    for key in OF_THE_MACHINE {
        result.remove(key);
    }
    Ok(Outcome {
        case: case.clone(),
        rtl,
        ok: result.remove("ok") == Some(Value::Bool(true)),
        result,
        wall_s: begun.elapsed().as_secs_f64(),
        process: std::process::id(),
    })
}

/// How a sweep has ended: what `--json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Every case has a good result.
    pub ok: bool,
    /// Rows of the table.
    pub cases: usize,
    /// Cases that the journal had already.
    pub resumed: usize,
    /// Cases with a bad result.
    pub bad: usize,
    /// The table.
    pub out: PathBuf,
}

impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let count = |count: usize| thousands(count as u64);
        write!(f, "{}: {} cases", self.out.display(), count(self.cases))?;
        if self.resumed > 0 {
            write!(f, ", {} of them from the journal", count(self.resumed))?;
        }
        match self.bad {
            0 => write!(f, ", every result is good"),
            bad => write!(f, ", BAD results: {}, where ok is false", count(bad)),
        }
    }
}

/// A sweep under way.
#[derive(Debug)]
pub struct Sweep {
    grid: Grid,
    journal: Journal,
    out: PathBuf,
    resumed: usize,
}

impl Sweep {
    /// Begins a sweep, or goes on with one that was cut short.
    ///
    /// # Errors
    /// A grid that is none, a table that cannot be written, or a journal of something else.
    pub fn begin(grid: &Path, out: Option<&Path>, fresh: bool) -> Result<Self, Failure> {
        let out = out.map_or_else(|| grid::beside(grid), Path::to_owned);
        let grid = Grid::read(grid)?;
        for case in &grid.cases {
            let checked = simulation(case).and_then(|it| it.check());
            checked.map_err(|failure| of(case, failure))?;
        }
        // A place that cannot be written to is known before hours of work.
        drop(Staged::begin(&out)?);
        let mut name = out.clone().into_os_string();
        name.push(".journal");
        let mut digests = BTreeMap::new();
        for case in &grid.cases {
            if !digests.contains_key(&case.core) {
                digests.insert(case.core.clone(), rtl::digest(&case.core)?);
            }
        }
        let journal = Journal::open(Path::new(&name), &grid, digests, fresh)?;
        Ok(Self {
            resumed: journal.done(),
            grid,
            journal,
            out,
        })
    }

    /// Cases that are not done yet, in the order of the grid.
    #[must_use]
    pub fn missing(&self) -> Vec<Case> {
        let missing = |case: &&Case| !self.journal.has(case);
        self.grid.cases.iter().filter(missing).cloned().collect()
    }

    /// Takes note of a case that is done; from now on it is not run again.
    ///
    /// # Errors
    /// The journal cannot be written, or the case is not of this sweep, or other RTL has run.
    pub fn add(&mut self, outcome: Outcome) -> Result<(), Failure> {
        self.journal.add(outcome)
    }

    /// Runs what is missing on threads of this process; `tell` hears ten times a second how many
    /// are done, of how many, and says whether to go on. A case that cannot be run ends the sweep
    /// too; in either case what is under way comes to its end, and counts.
    ///
    /// # Errors
    /// As [`run`] and [`Sweep::add`]; interrupted.
    pub fn run_here(
        &mut self,
        jobs: usize,
        tell: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<(), Failure> {
        local::run(self, jobs, tell)
    }

    /// Writes the table.
    ///
    /// # Errors
    /// A case is missing, or the table cannot be written.
    pub fn finish(self) -> Result<Verdict, Failure> {
        let mut outcomes = Vec::with_capacity(self.grid.cases.len());
        for case in &self.grid.cases {
            let outcome = self
                .journal
                .get(case)
                .ok_or_else(|| Failure::BadInput(format!("{} was not run", grid::shown(case))))?;
            outcomes.push(outcome);
        }
        let staged = Staged::begin(&self.out)?;
        staged.finish_with(&table::parquet(&outcomes)?)?;
        let bad = outcomes.iter().filter(|outcome| !outcome.ok).count();
        Ok(Verdict {
            ok: bad == 0,
            cases: outcomes.len(),
            resumed: self.resumed,
            bad,
            out: self.out,
        })
    }
}
