// SPDX-License-Identifier: Apache-2.0
//! `ropewalk perf --plan`: what `ropewalk plan chunk --json` has mapped, run as it is mapped.

use std::path::Path;

use ropewalk_chunk::perf::{self, Arrangement, Figures, PerfError, Settings};
use ropewalk_chunk::stages::{Ends, PLANNED};
use ropewalk_console::failure::Failure;
use ropewalk_console::format::significant;
use ropewalk_console::table::{Style, Table};
use ropewalk_stripes::cores;
use ropewalk_stripes::flow::Mapping;
use ropewalk_wire::chunk::{Pace, Params};
use serde::{Deserialize, Serialize};

use crate::cli::Arrange;

/// What of a plan is run.
#[derive(Debug, Deserialize)]
pub struct Plan {
    command: String,
    rate_gbps: f64,
    lanes: u8,
    /// How the lanes are used.
    pub arrange: Arrange,
    format: Format,
    net_gbps: Net,
    ends: [End; 2],
}

#[derive(Debug, Deserialize)]
struct Format {
    payload_bytes: u16,
    per_frame: u8,
    per_chunk: u16,
}

#[derive(Debug, Deserialize)]
struct Net {
    planned: f64,
}

#[derive(Debug, Deserialize)]
struct End {
    name: String,
    stages: Vec<Row>,
    mapping: Mapping,
}

#[derive(Debug, Deserialize)]
struct Row {
    stage: String,
    capability: Option<f64>,
}

/// What has run, beside the plan.
#[derive(Debug, Serialize)]
pub struct Ran {
    planned_gbps: f64,
    threads: Vec<Thread>,
    stages: Vec<Capability>,
    warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Thread {
    name: String,
    core: Option<usize>,
    stages: Vec<String>,
}

/// Items per second that one of a stage can take on a core.
#[derive(Debug, Serialize)]
struct Capability {
    stage: &'static str,
    planned: Option<f64>,
    measured: Option<f64>,
}

impl Plan {
    /// Reads what `plan chunk --json` printed.
    ///
    /// # Errors
    /// It cannot be read, or is something else.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let bad = |what: &dyn std::fmt::Display| {
            let accepted = "accepted: what 'ropewalk plan chunk --json' prints";
            Failure::BadInput(format!("plan {}: {what}; {accepted}", path.display()))
        };
        let text = std::fs::read_to_string(path).map_err(|error| bad(&error))?;
        let plan: Self = serde_json::from_str(&text).map_err(|error| bad(&error))?;
        let names = plan.ends.each_ref().map(|end| end.name.as_str());
        if plan.command != "plan chunk" || names != ["sender", "receiver"] {
            return Err(bad(&format!("command is {}", plan.command)));
        }
        Ok(plan)
    }

    /// Sizes and rate of the plan, in place of those of the command line.
    #[must_use]
    pub fn settings(&self, settings: Settings) -> Settings {
        let lane = 1e9 * self.rate_gbps / f64::from(self.lanes);
        Settings {
            params: Params {
                lanes: self.lanes,
                payload: self.format.payload_bytes,
                per_frame: self.format.per_frame,
                per_chunk: self.format.per_chunk,
                ..settings.params
            },
            arrangement: match self.arrange {
                Arrange::Stable => Arrangement::Stable,
                Arrange::LowLatency => Arrangement::LowLatency,
            },
            pace: Pace::Capped(lane as u64),
            ..settings
        }
    }

    /// Runs it on the cores of this machine.
    ///
    /// # Errors
    /// The plan cannot be run, or running it has failed.
    pub fn run(&self, settings: &Settings) -> Result<Figures, PerfError> {
        let [sender, receiver] = self.ends.each_ref().map(|end| &end.mapping);
        perf::run_mapped(settings, Ends { sender, receiver }, &cores())
    }

    /// What has run beside what was planned.
    #[must_use]
    pub fn beside(&self, figures: &Figures) -> Option<Ran> {
        let ran = figures.ran.as_ref()?;
        let stages = |thread| {
            let own = ran
                .stages
                .iter()
                .filter(move |stage| stage.thread == thread);
            own.map(|stage| stage.name.clone()).collect()
        };
        let threads = ran.threads.iter().enumerate();
        let threads = threads.map(|(number, thread)| Thread {
            name: thread.name.clone(),
            core: thread.core,
            stages: stages(number),
        });
        Some(Ran {
            planned_gbps: self.net_gbps.planned * f64::from(self.lanes),
            threads: threads.collect(),
            stages: self.capabilities(figures),
            warnings: ran.warnings.clone(),
        })
    }

    fn capabilities(&self, figures: &Figures) -> Vec<Capability> {
        let rows = self.ends.iter().flat_map(|end| &end.stages);
        let measured = PLANNED.iter().zip(figures.capabilities());
        let stages = measured.map(|(stage, measured)| {
            let row = rows.clone().find(|row| row.stage == stage.stage);
            Capability {
                stage: stage.stage,
                planned: row.and_then(|row| row.capability),
                measured,
            }
        });
        stages.collect()
    }
}

impl Ran {
    /// For people; `gbps`: what was measured.
    #[must_use]
    pub fn text(&self, gbps: f64, style: Style) -> String {
        let mut threads = Table::new(["thread", "core", "stages"]);
        for thread in &self.threads {
            let core = thread.core.map_or(String::new(), |core| core.to_string());
            threads.row([thread.name.clone(), core, thread.stages.join(", ")]);
        }
        let rate = |rate: Option<f64>| {
            rate.map_or_else(|| "not known".to_owned(), |rate| significant(rate, 4))
        };
        let mut stages = Table::new(["stage", "planned/s", "measured/s"]);
        for one in &self.stages {
            stages.row([one.stage.to_owned(), rate(one.planned), rate(one.measured)]);
        }
        let warnings: String = self
            .warnings
            .iter()
            .map(|text| format!("{text}\n"))
            .collect();
        format!(
            "planned {} Gb/s, measured {} Gb/s\n{}{}{warnings}",
            significant(self.planned_gbps, 4),
            significant(gbps, 4),
            threads.render(style),
            stages.render(style)
        )
    }
}
