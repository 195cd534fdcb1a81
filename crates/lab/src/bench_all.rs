// SPDX-License-Identifier: Apache-2.0
//! All benchmarks in one run, of which each is kept as soon as it is made: `ropewalk bench`.

use std::convert::Infallible;
use std::error::Error;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json::SCHEMA;
use ropewalk_console::output::StagedIn;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::bench::{self, Bencher};
use crate::commands::bench::Benchmark;
use crate::papers::{self, Shown};
use crate::report::bench::View;
use crate::rtl;
use crate::simulator::Simulator;
use crate::{
    bench_area, bench_chunk, bench_htsp, bench_network, bench_rdma, bench_slink, bench_transfer,
};

/// Processor trip of the thesis, as `bench rdma` has it by default.
const TRIP_NS: f64 = 120.0;

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Fewer packets.
    Quick,
    /// What the tables need.
    Tables,
    /// What the plots need too, files, and the area.
    Full,
}

/// A benchmark of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// `bench rifl`.
    Rifl,
    /// `bench htsp`.
    Htsp,
    /// `bench slink`.
    Slink,
    /// `bench rdma`.
    Rdma,
    /// `bench chunk`.
    Chunk,
    /// `bench network`.
    Network,
    /// `bench transfer`.
    Transfer,
    /// Area of the cores.
    Area,
}

/// In this order.
const PARTS: [Part; 8] = [
    Part::Rifl,
    Part::Htsp,
    Part::Slink,
    Part::Rdma,
    Part::Chunk,
    Part::Network,
    Part::Transfer,
    Part::Area,
];

impl Part {
    /// Those of a run.
    pub fn of(effort: Effort) -> impl Iterator<Item = Self> {
        let long = |part: &Part| matches!(part, Part::Transfer | Part::Area);
        PARTS
            .into_iter()
            .filter(move |part| effort == Effort::Full || !long(part))
    }

    /// Its name, as in `bench NAME`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rifl => "rifl",
            Self::Htsp => "htsp",
            Self::Slink => "slink",
            Self::Rdma => "rdma",
            Self::Chunk => "chunk",
            Self::Network => "network",
            Self::Transfer => "transfer",
            Self::Area => "area",
        }
    }

    /// Cores whose RTL it measures.
    fn cores(self) -> &'static [&'static str] {
        match self {
            Self::Rifl => &["rifl"],
            Self::Htsp => &["htsp"],
            Self::Slink => &["slink"],
            Self::Rdma => &["rdma"],
            Self::Chunk | Self::Network | Self::Transfer => &[],
            Self::Area => &["rifl", "htsp", "slink", "rdma"],
        }
    }

    /// Makes the measurements.
    fn measure(
        self,
        effort: Effort,
        seed: u64,
        simulator: &(dyn Simulator + Sync),
        say: &(dyn Fn(&str) + Sync),
    ) -> Result<Outcome, Failure> {
        let quick = effort == Effort::Quick;
        match self {
            Self::Rifl => {
                let effort = match effort {
                    Effort::Quick => bench::Effort::Quick,
                    Effort::Tables => bench::Effort::Tables,
                    Effort::Full => bench::Effort::Long,
                };
                Outcome::of(Bencher::all(simulator, seed, effort, true, say))
            }
            Self::Htsp => Outcome::of(bench_htsp::measure(quick, seed, say)),
            Self::Slink => Outcome::of(bench_slink::measure(quick, seed, say)),
            Self::Rdma => {
                let extent = bench_rdma::Extent {
                    quick,
                    stages: effort == Effort::Full,
                    incast: effort == Effort::Full,
                    trip_ns: TRIP_NS,
                    pages: if effort == Effort::Full { 16 } else { 2 },
                };
                Outcome::of(bench_rdma::measure(extent, seed, say))
            }
            Self::Chunk => Outcome::of(Ok::<_, Infallible>(bench_chunk::measure(quick, seed, say))),
            Self::Network => Outcome::of(bench_network::measure(quick, seed, say)),
            Self::Transfer => {
                let extent = bench_transfer::Extent::of(quick);
                Outcome::of(bench_transfer::measure(extent, seed, say))
            }
            Self::Area => Outcome::of(Ok::<_, Infallible>(bench_area::measure(say))),
        }
    }
}

/// What a benchmark gives.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outcome {
    /// What `bench NAME --json` prints of it.
    pub result: Value,
    /// What people see of it.
    pub view: View,
}

impl Outcome {
    fn of<B: Benchmark, E: Error + Send + Sync + 'static>(
        measured: Result<B, E>,
    ) -> Result<Self, Failure> {
        let bench = measured.map_err(Failure::refused)?;
        Ok(Self {
            result: serde_json::to_value(&bench).map_err(Failure::refused)?,
            view: bench.view(),
        })
    }
}

/// What a kept outcome is of. Another one is measured again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    schema: u32,
    /// The program: a digest of its file.
    build: String,
    /// Digests of the RTL that the part measures.
    rtl: Vec<String>,
    effort: Effort,
    seed: u64,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    stamp: Stamp,
    #[serde(flatten)]
    outcome: Outcome,
}

/// The folder in which outcomes are kept.
#[derive(Debug)]
pub struct Keep {
    folder: PathBuf,
    build: String,
    effort: Effort,
}

impl Keep {
    /// A folder, which need not exist.
    ///
    /// # Errors
    /// The program's own file cannot be read.
    pub fn new(folder: &Path, effort: Effort) -> Result<Self, Failure> {
        let own = std::env::current_exe().map_err(Failure::refused)?;
        let bytes = fs::read(&own).map_err(|error| Failure::read(&own, error))?;
        Ok(Self {
            folder: folder.to_owned(),
            build: format::hex(&Sha256::digest(&bytes)),
            effort,
        })
    }

    fn name(part: Part) -> String {
        format!("{}.json", part.name())
    }

    fn read(&self, part: Part) -> Option<Kept> {
        let text = fs::read(self.folder.join(Self::name(part))).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// The seed of outcomes of this program, RTL and effort, for a run that goes on.
    ///
    /// # Errors
    /// The RTL cannot be read.
    pub fn seed(&self) -> Result<Option<u64>, Failure> {
        for part in Part::of(self.effort) {
            if let Some(Kept { stamp, .. }) = self.read(part)
                && stamp == self.stamp(part, stamp.seed)?
            {
                return Ok(Some(stamp.seed));
            }
        }
        Ok(None)
    }

    fn stamp(&self, part: Part, seed: u64) -> Result<Stamp, Failure> {
        let rtl = part.cores().iter().map(|core| rtl::digest(core));
        Ok(Stamp {
            schema: SCHEMA,
            build: self.build.clone(),
            rtl: rtl.collect::<Result<_, _>>()?,
            effort: self.effort,
            seed,
        })
    }

    /// The outcome that is kept of this program, RTL, effort and seed.
    fn load(&self, part: Part, seed: u64) -> Result<Option<Outcome>, Failure> {
        let Some(kept) = self.read(part) else {
            return Ok(None);
        };
        let same = kept.stamp == self.stamp(part, seed)?;
        Ok(same.then_some(kept.outcome))
    }

    /// Removes what is kept.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn clear(&self) -> Result<(), Failure> {
        for part in PARTS {
            let path = self.folder.join(Self::name(part));
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(Failure::write(&path, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn store(&self, part: Part, seed: u64, outcome: &Outcome) -> Result<(), Failure> {
        let kept = Kept {
            stamp: self.stamp(part, seed)?,
            outcome: outcome.clone(),
        };
        let text = serde_json::to_string_pretty(&kept).map_err(Failure::refused)?;
        StagedIn::begin(&self.folder, &Self::name(part))?.finish_with(text.as_bytes())
    }
}

/// All benchmarks; serialised they are what `--json` prints.
#[derive(Debug, Serialize)]
pub struct Whole {
    /// Every benchmark is right, and every table and figure is shown or says why not.
    pub ok: bool,
    /// How much was measured.
    pub effort: Effort,
    /// Seed of everything random.
    pub seed: u64,
    /// The tables and figures of the papers.
    pub papers: Vec<Shown>,
    /// What each benchmark's `--json` prints, by its name.
    pub results: Map<String, Value>,
    /// What people see of each, in this order.
    #[serde(skip)]
    pub views: Vec<(Part, View)>,
}

/// Runs all benchmarks of this effort; what `keep` has of them is taken from there. `say` hears
/// what is being measured, `done` which one of how many is there, and whether it was kept.
///
/// # Errors
/// A benchmark cannot run, or an outcome cannot be kept.
pub fn run(
    effort: Effort,
    seed: u64,
    simulator: &(dyn Simulator + Sync),
    keep: Option<&Keep>,
    say: &(dyn Fn(&str) + Sync),
    done: &dyn Fn(usize, usize, &str, bool),
) -> Result<Whole, Failure> {
    let parts: Vec<Part> = Part::of(effort).collect();
    let mut results = Map::new();
    let mut views = Vec::new();
    for (i, &part) in parts.iter().enumerate() {
        let place = format!("{}/{} {}", i + 1, parts.len(), part.name());
        let loaded = keep
            .map(|keep| keep.load(part, seed))
            .transpose()?
            .flatten();
        let kept = loaded.is_some();
        let outcome = match loaded {
            Some(outcome) => outcome,
            None => {
                let say = |what: &str| say(&format!("{place}: {what}"));
                let outcome = part.measure(effort, seed, simulator, &say)?;
                if let Some(keep) = keep {
                    keep.store(part, seed, &outcome)?;
                }
                outcome
            }
        };
        done(i + 1, parts.len(), part.name(), kept);
        results.insert(part.name().to_owned(), outcome.result);
        views.push((part, outcome.view));
    }
    let sections = views.iter().flat_map(|(_, view)| &view.sections);
    let papers = papers::index(sections);
    let shown = papers.iter().flat_map(|paper| &paper.exhibits);
    Ok(Whole {
        ok: views.iter().all(|(_, view)| view.ok) && shown.into_iter().all(|it| it.ok()),
        effort,
        seed,
        papers,
        results,
        views,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(title: &str) -> Outcome {
        Outcome {
            result: serde_json::json!({"ok": true}),
            view: View {
                title: title.to_owned(),
                facts: Vec::new(),
                ok: true,
                promise: String::new(),
                wrong: String::new(),
                tiles: String::new(),
                figures: String::new(),
                sections: Vec::new(),
                footer: String::new(),
            },
        }
    }

    #[test]
    fn only_what_is_of_the_same_program_rtl_effort_and_seed_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let keep = |effort| Keep::new(&folder.path().join("kept"), effort).expect("it can be read");
        let quick = keep(Effort::Quick);
        let seed = |keep: &Keep| keep.seed().expect("it can be read");
        let load = |keep: &Keep, part, seed| keep.load(part, seed).expect("it can be read");
        assert_eq!(seed(&quick), None);
        quick
            .store(Part::Network, 7, &outcome("kept"))
            .expect("stored");
        assert_eq!(seed(&quick), Some(7));
        let loaded = load(&quick, Part::Network, 7);
        assert_eq!(loaded.map(|it| it.view.title), Some("kept".to_owned()));
        assert!(load(&quick, Part::Network, 8).is_none());
        assert!(load(&quick, Part::Chunk, 7).is_none());
        assert!(load(&keep(Effort::Full), Part::Network, 7).is_none());
        assert_eq!(seed(&keep(Effort::Full)), None);
        let other = Keep {
            build: "another".to_owned(),
            ..keep(Effort::Quick)
        };
        assert!(load(&other, Part::Network, 7).is_none());
        // Of other RTL.
        quick
            .store(Part::Slink, 7, &outcome("kept"))
            .expect("stored");
        assert!(load(&quick, Part::Slink, 7).is_some());
        let path = folder.path().join("kept/slink.json");
        let text = fs::read_to_string(&path).expect("read");
        let digest = rtl::digest("slink").expect("a checkout");
        assert!(text.contains(&digest), "{digest}");
        fs::write(&path, text.replace(&digest, "0123456789abcdef")).expect("written");
        assert!(load(&quick, Part::Slink, 7).is_none());
        quick.clear().expect("cleared");
        assert!(load(&quick, Part::Network, 7).is_none());
        quick.clear().expect("there is nothing, which is as good");
    }
}
