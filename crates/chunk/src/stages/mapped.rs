// SPDX-License-Identifier: Apache-2.0
//! What `plan chunk` maps, as threads: each core of the plan is one that runs the operators of its
//! stages.
//!
//! The interface is a device on paper. Here its work, that of the kernel, is done where frames
//! leave (`port`, which goes with the check of its lane) and where they arrive (`combine`).

use ropewalk_stripes::flow::{Duty, Mapping};
use ropewalk_stripes::{Placement, Snapshot};
use thiserror::Error;

/// A stage of a plan, and what it is on the runtime.
#[derive(Debug, Clone, Copy)]
pub struct Planned {
    /// Its name in the plan.
    pub stage: &'static str,
    /// There is one for each lane, not for each pipeline.
    pub of_lane: bool,
    /// What does its work.
    pub operator: &'static str,
    /// What goes with it.
    with: &'static [&'static str],
}

/// Every stage that has a core in a plan; the stages of the host go with the generator and with the
/// ack generator.
pub const PLANNED: [Planned; 6] = [
    planned("generator", false, "generate", &["spread"]),
    planned("aggregator", true, "aggregate", &[]),
    planned("crc-fec", true, "check", &["port"]),
    planned("ack-processor", false, "process", &[]),
    planned("combiner", true, "combine", &[]),
    planned("ack-generator", false, "acknowledge", &[]),
];
/// How many of them are the sender's.
const SENDER: usize = 4;

const fn planned(
    stage: &'static str,
    of_lane: bool,
    operator: &'static str,
    with: &'static [&'static str],
) -> Planned {
    Planned {
        stage,
        of_lane,
        operator,
        with,
    }
}

impl Planned {
    /// All that does its work.
    fn all(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.operator).chain(self.with.iter().copied())
    }

    /// For how long it was busy, all of it together, in a graph that has run.
    #[must_use]
    pub fn busy_ns(&self, ran: &Snapshot) -> u64 {
        let mine = |name: &str| {
            let what = name.split(' ').next();
            self.all().any(|own| what == Some(own))
        };
        let stages = ran.stages.iter().filter(|stage| mine(&stage.name));
        stages.map(|stage| stage.busy_ns).sum()
    }
}

/// A plan that cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unmapped {
    /// More of a stage than there is to do for.
    #[error("the plan has {count} of stage {stage} in a pipeline; accepted: 1 to {most}")]
    TooMany {
        /// The stage.
        stage: &'static str,
        /// How many.
        count: u64,
        /// As many as lanes, or 1.
        most: u8,
    },
    /// A stage that is on no core.
    #[error(
        "the plan has no core for stage {stage} of pipeline {pipeline}; accepted: a plan whose cores do all of it"
    )]
    Nowhere {
        /// The stage.
        stage: &'static str,
        /// The pipeline.
        pipeline: u8,
    },
    /// The system does not say which cores there are.
    #[error("the system does not say which cores there are")]
    NoCores,
}

/// The mappings of both ends.
#[derive(Debug, Clone, Copy)]
pub struct Ends<'a> {
    /// Of the sender.
    pub sender: &'a Mapping,
    /// Of the receiver.
    pub receiver: &'a Mapping,
}

/// The threads of pipelines of `lanes` lanes each as they are mapped, on these cores of the
/// machine: those of the receiver behind those of the sender. `near` and `far`: the stages of the
/// hosts.
///
/// Where a plan has fewer of a stage than lanes, each does the same share of the lanes.
///
/// # Errors
/// The plan cannot be run so.
pub fn mapped(
    ends: Ends<'_>,
    pipelines: u8,
    lanes: u8,
    on: &[usize],
    near: &str,
    far: &str,
) -> Result<Placement, Unmapped> {
    if on.is_empty() {
        return Err(Unmapped::NoCores);
    }
    let (sending, receiving) = PLANNED.split_at(SENDER);
    let mut behind = on.to_vec();
    behind.rotate_left(ends.sender.cores.len() % on.len());
    let mut threads = Vec::new();
    for (mapping, name, stages, on) in [
        (ends.sender, "sender", sending, on),
        (ends.receiver, "receiver", receiving, &behind),
    ] {
        for stage in stages {
            for pipeline in 0..pipelines {
                let count = instances(mapping, stage.stage, pipeline.into());
                let most = if stage.of_lane { lanes } else { 1 };
                let stage = stage.stage;
                if count == 0 {
                    return Err(Unmapped::Nowhere { stage, pipeline });
                }
                if count > most.into() {
                    return Err(Unmapped::TooMany { stage, count, most });
                }
            }
        }
        threads.extend(mapping.threads(name, on, |duty| {
            let Some(stage) = stages.iter().find(|stage| stage.stage == duty.stage) else {
                return Vec::new();
            };
            let count = instances(mapping, stage.stage, duty.pipeline);
            operators(stage, duty, count, lanes, near, far)
        }));
    }
    Ok(Placement::Threads(threads))
}

/// How many of a stage a pipeline has.
fn instances(mapping: &Mapping, stage: &str, pipeline: u64) -> u64 {
    let duties = mapping.cores.iter().flat_map(|core| &core.duties);
    duties
        .filter(|duty| duty.stage == stage && duty.pipeline == pipeline)
        .count() as u64
}

/// Names of what does a duty, one of `count`, in the order of what flows.
fn operators(
    stage: &Planned,
    duty: &Duty,
    count: u64,
    lanes: u8,
    near: &str,
    far: &str,
) -> Vec<String> {
    let pipeline = duty.pipeline;
    if stage.of_lane {
        let own = (0..lanes).filter(|&lane| u64::from(lane) % count == duty.instance);
        let each = |lane| {
            let all = stage.all();
            all.map(move |what| format!("{what} {pipeline}.{lane}"))
        };
        return own.flat_map(each).collect();
    }
    let mut all: Vec<&str> = stage.all().collect();
    match stage.operator {
        "generate" => all.insert(0, near),
        "acknowledge" => all.push(far),
        _ => {}
    }
    let all = all.into_iter();
    all.map(|what| format!("{what} {pipeline}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::Figures;
    use ropewalk_stripes::Thread;
    use ropewalk_stripes::flow::Core;
    use ropewalk_stripes::meter::StageCounts;
    use std::time::Duration;

    fn mapping(cores: &[&[(&str, u64)]]) -> Mapping {
        let duty = |&(stage, instance): &(&str, u64)| Duty {
            stage: stage.to_owned(),
            pipeline: 0,
            instance,
            utilisation: 0.2,
        };
        let core = |duties: &&[(&str, u64)]| Core {
            duties: duties.iter().map(duty).collect(),
            utilisation: 0.2,
        };
        Mapping {
            cores: cores.iter().map(core).collect(),
        }
    }

    fn sender() -> Mapping {
        mapping(&[
            &[("generator", 0), ("aggregator", 0), ("ack-processor", 0)],
            &[("crc-fec", 0)],
            &[("crc-fec", 1)],
        ])
    }

    fn receiver() -> Mapping {
        mapping(&[&[("combiner", 0), ("ack-generator", 0)]])
    }

    fn place(sender: &Mapping, receiver: &Mapping) -> Result<Placement, Unmapped> {
        mapped(Ends { sender, receiver }, 1, 2, &[3, 5], "offer", "take")
    }

    #[test]
    fn a_core_of_the_plan_is_a_thread_on_a_core() {
        let all = [
            "offer 0",
            "generate 0",
            "spread 0",
            "aggregate 0.0",
            "aggregate 0.1",
            "process 0",
        ];
        let last = ["combine 0.0", "combine 0.1", "acknowledge 0", "take 0"];
        assert_eq!(
            place(&sender(), &receiver()),
            Ok(Placement::Threads(vec![
                Thread::new("sender 0", all).on(3),
                Thread::new("sender 1", ["check 0.0", "port 0.0"]).on(5),
                Thread::new("sender 2", ["check 0.1", "port 0.1"]).on(3),
                Thread::new("receiver 0", last).on(5),
            ]))
        );
    }

    #[test]
    fn what_cannot_be_run_is_named() {
        let two = mapping(&[
            &[("combiner", 0), ("ack-generator", 0)],
            &[("ack-generator", 1)],
        ]);
        let none = mapping(&[&[("ack-generator", 0)]]);
        let refused = |receiver| place(&sender(), receiver).unwrap_err().to_string();
        assert_eq!(
            refused(&two),
            "the plan has 2 of stage ack-generator in a pipeline; accepted: 1 to 1"
        );
        assert!(
            refused(&none).starts_with("the plan has no core for stage combiner of pipeline 0")
        );
    }

    #[test]
    fn a_stage_is_busy_with_all_that_goes_with_it() {
        let stage = |name: &str, busy_ns| StageCounts {
            name: name.to_owned(),
            thread: 0,
            turns: 2,
            worked: 1,
            busy_ns,
            idle_ns: 7,
            done: false,
        };
        let ran = Snapshot {
            time_ns: 1000,
            stages: vec![
                stage("offer 0", 1),
                stage("generate 0", 10),
                stage("spread 0", 20),
                stage("check 0.0", 100),
                stage("port 0.0", 200),
                stage("check 0.1", 400),
                stage("port 0.1", 800),
                stage("combine 0.0", 4000),
            ],
            edges: Vec::new(),
            threads: Vec::new(),
            warnings: Vec::new(),
        };
        let busy = PLANNED.each_ref().map(|stage| stage.busy_ns(&ran));
        assert_eq!(busy, [30, 0, 1500, 0, 4000, 0]);
        let mut figures = Figures {
            latencies: vec![Duration::from_millis(1); 3],
            ran: Some(ran),
            ..Figures::default()
        };
        (figures.sender.sub_packets, figures.sender.resent) = (10, 2);
        // Chunks, sub-packets and sub-packets in a second of work.
        let rates = [Some(1e8), None, Some(8e6), None, Some(3e6), None];
        assert_eq!(figures.capabilities(), rates);
    }
}
