// SPDX-License-Identifier: Apache-2.0
//! The grid of a sweep: a TOML file, and the cases that it stands for.
//!
//! ```toml
//! core = "rifl"          # or a list of cores
//! seed = 7               # of the sweep; 1 if it is left out
//!
//! [fixed]                # the same in all cases
//! packets = 500
//!
//! [each]                 # every value with every other
//! ber = [1e-7, 1e-6]
//! lanes = [1, 4]
//!
//! [[cases]]              # one more case: the fixed values, and these
//! ber = 1e-5
//! ```
//!
//! The names are the long options of `ropewalk sim CORE`, whose parsers say what is accepted. A
//! case without a `seed` has one that follows from the seed of the sweep and from its own values,
//! not from its place: a grid that grows keeps its results.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, FromArgMatches, Subcommand};
use ropewalk_console::failure::Failure;
use ropewalk_console::{format, settings, usage};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use toml::{Spanned, Table, Value};

use crate::cli::SimCore;

/// Cores that a sweep can run, and what is made of several.
pub const CORES: [&str; 6] = ["rifl", "htsp", "slink", "rdma", "stack", "network"];
/// Most cases of a grid.
const MOST: usize = 1_000_000;
/// Options about files and the terminal, which have no place in a case: it runs anywhere.
const NOT_OF_A_CASE: [&str; 16] = [
    "capture",
    "csv",
    "csv-out",
    "file",
    "for",
    "help",
    "in",
    "json",
    "out",
    "out-back",
    "packet-size",
    "quiet",
    "report",
    "tap",
    "trace",
    "verbose",
];

/// One run of a core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The core: one of [`CORES`].
    pub core: String,
    /// Values by the long names of options, without the seed.
    pub values: Table,
    /// Seed of everything random.
    pub seed: u64,
}

impl Case {
    /// What tells it from all others of a sweep.
    #[must_use]
    pub fn key(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// As words after `ropewalk`, which give its run again.
    ///
    /// # Errors
    /// An option that the core does not have, or a value of a type that it does not take.
    pub fn words(&self) -> Result<Vec<OsString>, String> {
        let command = core(&self.core)?;
        let mut words: Vec<OsString> = vec!["sim".into(), self.core.clone().into()];
        for (name, value) in &self.values {
            let arguments = settings::arguments(option(&command, name)?, value);
            words.extend(arguments.map_err(|why| format!("'{name}': {why}"))?);
        }
        words.push(format!("--seed={}", self.seed).into());
        Ok(words)
    }

    /// As the options of the simulation.
    ///
    /// # Errors
    /// The option at fault, if it is one, and what is accepted.
    pub fn options(&self) -> Result<SimCore, (Option<String>, String)> {
        let words = self.words().map_err(|why| (None, why))?;
        let mut command = SimCore::augment_subcommands(Command::new("sim"));
        let parsed = command.try_get_matches_from_mut(&words);
        let parsed = parsed.and_then(|matches| SimCore::from_arg_matches(&matches));
        parsed.map_err(|error| (culprit(&error), usage::one_line(&error, &command)))
    }
}

/// The option that an error of the parser is about.
fn culprit(error: &clap::Error) -> Option<String> {
    let shown = match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(shown) => shown,
        ContextValue::Strings(all) => all.first()?,
        _ => return None,
    };
    let name = shown.strip_prefix("--")?;
    let end = name.find([' ', '=', '[']).unwrap_or(name.len());
    Some(name[..end].to_owned())
}

/// The definition of a core's options.
fn core(name: &str) -> Result<Command, String> {
    let sim = SimCore::augment_subcommands(Command::new("sim"));
    let found = sim.find_subcommand(name).cloned();
    found
        .filter(|_| CORES.contains(&name))
        .ok_or_else(|| format!("unknown core '{name}'; accepted: {}", CORES.join(", ")))
}

/// Options of a core that a case can set.
fn accepted(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| {
        let name = arg.get_long().unwrap_or("help");
        !arg.is_hide_set() && !NOT_OF_A_CASE.contains(&name)
    })
}

fn option<'a>(command: &'a Command, name: &str) -> Result<&'a Arg, String> {
    let found = accepted(command).find(|arg| arg.get_long() == Some(name));
    found.ok_or_else(|| {
        let names: Vec<&str> = accepted(command).filter_map(Arg::get_long).collect();
        format!(
            "unknown name '{name}' for core {}; accepted: {}",
            command.get_name(),
            names.join(", ")
        )
    })
}

/// One or several.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "accepted: the name of a core, or a list of names"
)]
enum Cores {
    One(String),
    Many(Vec<String>),
}

type Values = BTreeMap<Spanned<String>, Spanned<Value>>;

/// The file as it stands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    core: Spanned<Cores>,
    seed: Option<u64>,
    #[serde(default)]
    fixed: Values,
    #[serde(default)]
    each: BTreeMap<Spanned<String>, Spanned<Vec<Value>>>,
    #[serde(default)]
    cases: Vec<Spanned<Values>>,
}

/// Values of a case so far, each with the line that it stands in.
type Lined = BTreeMap<String, (Value, usize)>;

/// All cases of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Seed of the sweep.
    pub seed: u64,
    /// In the order of the table.
    pub cases: Vec<Case>,
}

impl Grid {
    /// Reads a file.
    ///
    /// # Errors
    /// The file, the line, the value, and what is accepted there.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::read(path, error))?;
        Self::parse(&text).map_err(|why| Failure::BadInput(format!("{}: {why}", path.display())))
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// The line, the value, and what is accepted there.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: File = settings::read(text)?;
        let line = |at: usize| settings::line(text, at);
        let core_line = line(file.core.span().start);
        let cores = match file.core.into_inner() {
            Cores::One(name) => vec![name],
            Cores::Many(names) => names,
        };
        if cores.is_empty() {
            return Err(format!(
                "line {core_line}: no core; accepted: {}",
                CORES.join(", ")
            ));
        }
        let seed = file.seed.unwrap_or(1);
        let lined = |values: Values| -> Lined {
            let one = |(name, value): (Spanned<String>, Spanned<Value>)| {
                let at = line(name.span().start);
                (name.into_inner(), (value.into_inner(), at))
            };
            values.into_iter().map(one).collect()
        };
        let fixed = lined(file.fixed);
        let mut each = Vec::new();
        for (name, list) in file.each {
            let at = line(name.span().start);
            let (name, list) = (name.into_inner(), list.into_inner());
            if list.is_empty() {
                return Err(format!(
                    "line {at}: '{name}' has no values; accepted: a list of one or more"
                ));
            }
            if let Some((_, first)) = fixed.get(&name) {
                return Err(format!(
                    "line {at}: '{name}' has a fixed value in line {first}; accepted: one of the two"
                ));
            }
            each.push((name, list, at));
        }
        let more: Vec<(Lined, usize)> = file
            .cases
            .into_iter()
            .map(|table| {
                let at = line(table.span().start);
                (lined(table.into_inner()), at)
            })
            .collect();
        let mut cases = Cases::default();
        for core in &cores {
            // Nothing to vary, and cases by themselves: only those are meant.
            if !each.is_empty() || more.is_empty() {
                cases.cross(core, core_line, seed, &fixed, &each)?;
            }
            for (own, at) in &more {
                let mut values = fixed.clone();
                values.extend(own.clone());
                cases.add(core, *at, seed, &values)?;
            }
        }
        Ok(Self {
            seed,
            cases: cases.list,
        })
    }
}

/// Cases so far.
#[derive(Default)]
struct Cases {
    list: Vec<Case>,
    keys: BTreeSet<String>,
}

impl Cases {
    /// Every value of each list with every other; the last name changes first.
    fn cross(
        &mut self,
        core: &str,
        core_line: usize,
        seed: u64,
        fixed: &Lined,
        each: &[(String, Vec<Value>, usize)],
    ) -> Result<(), String> {
        let mut places = vec![0; each.len()];
        loop {
            let mut values = fixed.clone();
            for ((name, list, at), place) in each.iter().zip(&places) {
                if let Some(value) = list.get(*place) {
                    values.insert(name.clone(), (value.clone(), *at));
                }
            }
            self.add(core, core_line, seed, &values)?;
            let turn = each.iter().zip(&mut places).rev();
            let mut done = true;
            for ((_, list, _), place) in turn {
                *place += 1;
                if *place < list.len() {
                    done = false;
                    break;
                }
                *place = 0;
            }
            if done {
                return Ok(());
            }
        }
    }

    fn add(&mut self, core: &str, at: usize, seed: u64, values: &Lined) -> Result<(), String> {
        let command = self::core(core).map_err(|why| format!("line {at}: {why}"))?;
        let mut case = Case {
            core: core.to_owned(),
            values: Table::new(),
            seed: 0,
        };
        let mut own_seed = None;
        for (name, (value, line)) in values {
            let known = option(&command, name).and_then(|arg| settings::arguments(arg, value));
            known.map_err(|why| format!("line {line}: '{name}': {why}"))?;
            if name == "seed" {
                let whole = value.as_integer().and_then(|seed| u64::try_from(seed).ok());
                own_seed = Some(whole.ok_or_else(|| {
                    let value = serde_json::to_string(value).unwrap_or_default();
                    format!("line {line}: seed {value}; accepted: a whole number, 0 or more")
                })?);
            } else {
                case.values.insert(name.clone(), value.clone());
            }
        }
        case.seed = own_seed.unwrap_or_else(|| derived(seed, &case));
        case.options().map_err(|(name, why)| {
            let line = name
                .and_then(|name| values.get(&name))
                .map_or(at, |it| it.1);
            format!("line {line}: {why}")
        })?;
        if !self.keys.insert(case.key()) {
            return Err(format!(
                "line {at}: the case {} is there twice; accepted: each case once",
                shown(&case)
            ));
        }
        if self.list.len() >= MOST {
            return Err(format!("more than {MOST} cases; accepted: 1 to {MOST}"));
        }
        self.list.push(case);
        Ok(())
    }
}

/// A case as a command, for messages.
#[must_use]
pub fn shown(case: &Case) -> String {
    let words = case.words().unwrap_or_default();
    let line: Vec<OsString> = [OsString::from("ropewalk")]
        .into_iter()
        .chain(words)
        .collect();
    format::command_line(&line)
}

/// The seed of a case that names none: 53 bits, so that it is exact in every reader of numbers.
fn derived(seed: u64, case: &Case) -> u64 {
    let unseeded = Case {
        seed,
        ..case.clone()
    };
    let hash = Sha256::digest(unseeded.key());
    let first = hash
        .iter()
        .take(8)
        .fold(0, |all, byte| all << 8 | u64::from(*byte));
    first >> 11
}

/// Where the table goes unless the command line says it.
#[must_use]
pub fn beside(grid: &Path) -> PathBuf {
    grid.with_extension("parquet")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: &str =
        "core = \"rifl\"\n[fixed]\npackets = 5\n[each]\nlanes = [1, 4]\nber = [1e-7, 1e-6]\n";

    #[test]
    fn every_value_meets_every_other_and_cases_come_last() {
        let text = format!("{GRID}[[cases]]\nber = 1e-5\npackets = 7\ncompatible = true\n");
        let grid = Grid::parse(&text).unwrap();
        let words: Vec<String> = grid.cases.iter().map(shown).collect();
        let without_seed: Vec<&str> = words
            .iter()
            .map(|line| line.split(" --seed").next().unwrap())
            .collect();
        assert_eq!(
            without_seed,
            [
                "ropewalk sim rifl --ber=0.0000001 --lanes=1 --packets=5",
                "ropewalk sim rifl --ber=0.0000001 --lanes=4 --packets=5",
                "ropewalk sim rifl --ber=0.000001 --lanes=1 --packets=5",
                "ropewalk sim rifl --ber=0.000001 --lanes=4 --packets=5",
                "ropewalk sim rifl --ber=0.00001 --compatible --packets=7",
            ]
        );
    }

    #[test]
    fn a_grid_that_grows_or_turns_keeps_its_seeds() {
        let small = Grid::parse(GRID).unwrap();
        let large = GRID.replace("[1, 4]", "[8, 4, 2, 1]");
        let large = Grid::parse(&large).unwrap();
        for case in &small.cases {
            assert!(large.cases.contains(case), "{}", shown(case));
        }
        let other = Grid::parse(&format!("seed = 2\n{GRID}")).unwrap();
        assert!(other.cases.iter().all(|case| !small.cases.contains(case)));
        // What has been measured stays what it is: seeds are for ever.
        assert_eq!(small.cases[0].seed, 7_385_457_270_532_389);
    }

    #[test]
    fn a_seed_of_its_own_is_taken() {
        let grid = Grid::parse("core = [\"slink\", \"rdma\"]\n[each]\nseed = [3, 4]\n").unwrap();
        let seeds: Vec<_> = grid
            .cases
            .iter()
            .map(|c| (c.core.as_str(), c.seed))
            .collect();
        assert_eq!(
            seeds,
            [("slink", 3), ("slink", 4), ("rdma", 3), ("rdma", 4)]
        );
    }

    #[test]
    fn a_case_is_the_same_behind_json() {
        for case in Grid::parse(GRID).unwrap().cases {
            let again: Case = serde_json::from_str(&case.key()).unwrap();
            assert_eq!(again, case);
        }
    }

    #[test]
    fn refusals_name_the_line_the_value_and_what_is_accepted() {
        for (text, parts) in [
            ("core = 3", &["line 1", "name of a core"][..]),
            ("seed = 3", &["core"]),
            (
                "core = \"wombat\"",
                &[
                    "line 1",
                    "'wombat'",
                    "rifl, htsp, slink, rdma, stack, network",
                ],
            ),
            ("core = []", &["line 1", "no core"]),
            (
                "core = \"rifl\"\nwombat = 3",
                &["line 2", "wombat", "fixed"],
            ),
            ("core = \"rifl\"\nseed = -3", &["line 2", "-3"]),
            (
                "core = \"rifl\"\n[fixed]\nwombat = 3",
                &["line 3", "'wombat'", "lanes, frame-width"],
            ),
            (
                "core = \"rifl\"\n[fixed]\nout = \"x\"",
                &["line 3", "'out'", "lanes"],
            ),
            (
                "core = \"rifl\"\n[fixed]\n\nlanes = 3",
                &["line 4", "'3'", "1, 2, 4 or 8"],
            ),
            (
                "core = \"rifl\"\n[fixed]\nber = true",
                &["line 3", "'ber'", "a number"],
            ),
            (
                "core = \"rifl\"\n[fixed]\ncompatible = 1",
                &["line 3", "true or false"],
            ),
            (
                "core = \"rifl\"\n[each]\nber = 1e-7",
                &["line 3", "sequence"],
            ),
            (
                "core = \"rifl\"\n[each]\nber = []",
                &["line 3", "'ber'", "one or more"],
            ),
            (
                "core = \"rifl\"\n[each]\nber = [1e-7, 0.5]",
                &["line 3", "'0.5'", "below 0.5"],
            ),
            (
                "core = \"rifl\"\n[each]\nber = [1e-7, 1e-7]",
                &["twice", "--ber=0.0000001"],
            ),
            (
                "core = \"rifl\"\n[fixed]\nber = 0\n[each]\nber = [1e-7]",
                &["line 5", "'ber'", "line 3"],
            ),
            (
                "core = \"rifl\"\n[[cases]]\nlanes = 1\n[[cases]]\nlanes = 7",
                &["line 5", "'7'"],
            ),
            (
                "core = \"rifl\"\n[fixed]\nseed = \"x\"",
                &["line 3", "seed"],
            ),
            ("core = \"rifl\n", &["line 1"]),
        ] {
            let line = Grid::parse(text).expect_err(text);
            assert!(!line.contains('\n'), "{line}");
            for part in parts {
                assert!(
                    line.contains(part),
                    "'{text}' gave '{line}', without {part}"
                );
            }
        }
    }
}
