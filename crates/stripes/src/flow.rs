// SPDX-License-Identifier: Apache-2.0
//! From a target rate to a placement: what each stage has to do, how many of it that takes, and
//! which core does what.
//!
//! ```text
//! rate at the sources -> requirement of each stage = sum over its inputs of
//!                        (rate of the stage before x items out per item in)
//! factor = ceil(requirement / capability), per pipeline, as pipelines share nothing
//! instances -> cores: those of a pipeline together while the sum of their utilisations stays
//!                     below a limit, else on another core
//! factor beyond the cores -> accelerator, if there is one
//! ```

use serde::{Deserialize, Serialize};

use crate::Thread;

/// Sums of utilisations differ from what was meant by less than this.
const ROUNDING: f64 = 1e-9;

/// A stage on paper.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowStage {
    /// Its name.
    pub name: String,
    /// What it takes, in plural.
    pub unit: String,
    /// Items per second that one of it can take; none: not known.
    pub capability: Option<f64>,
    /// Items per second that come from outside, over all pipelines.
    pub source: f64,
    /// A device: it is there or not, and takes no time of a core.
    pub device: bool,
    /// Items per second that an accelerator can take, if there is one.
    pub accelerator: Option<f64>,
}

impl FlowStage {
    /// A stage of software.
    #[must_use]
    pub fn new(name: &str, unit: &str, capability: Option<f64>) -> Self {
        Self {
            name: name.to_owned(),
            unit: unit.to_owned(),
            capability,
            source: 0.0,
            device: false,
            accelerator: None,
        }
    }
}

/// A stream on paper.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowEdge {
    /// Index of the stage that writes.
    pub from: usize,
    /// Index of the stage that reads.
    pub to: usize,
    /// Items out per item in of the stage that writes.
    pub factor: f64,
    /// What flows, in plural.
    pub unit: String,
}

/// A graph on paper.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Flow {
    /// The stages.
    pub stages: Vec<FlowStage>,
    /// The streams.
    pub edges: Vec<FlowEdge>,
}

/// What is wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    /// Rates cannot be derived around a loop.
    #[error("stage {0} feeds itself; accepted: streams without loops")]
    Loop(String),
    /// A capability that is no rate.
    #[error("capability {value} of stage {stage}; accepted: a number above 0")]
    Capability {
        /// The stage.
        stage: String,
        /// What was given.
        value: String,
    },
}

/// What a stage has to do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Requirement {
    /// The stage.
    pub stage: String,
    /// What it takes.
    pub unit: String,
    /// Items per second, over all pipelines.
    pub per_second: f64,
    /// Time for an item, if one instance did all; none if nothing comes.
    pub item_ns: Option<f64>,
    /// Items per second that one instance can take.
    pub capability: Option<f64>,
    /// Requirement over capability.
    pub ratio: Option<f64>,
    /// The least number of instances: the ratio, rounded up.
    pub minimum: Option<u64>,
    /// Instances in each pipeline; 1 where the capability is not known.
    pub per_pipeline: u64,
    /// Instances in all pipelines.
    pub deployed: u64,
    /// More than the cores can do: an accelerator takes it, or nobody can.
    pub beyond: bool,
    /// Accelerators in all, if they take it.
    pub accelerators: Option<u64>,
}

/// `ratio`, rounded up; a ratio that is whole but for rounding errors stays.
#[must_use]
pub fn whole(ratio: f64) -> u64 {
    (ratio * (1.0 - ROUNDING)).ceil().max(1.0) as u64
}

impl Flow {
    /// Items per second that each stage takes.
    ///
    /// # Errors
    /// There is a loop.
    pub fn rates(&self) -> Result<Vec<f64>, FlowError> {
        let mut rates: Vec<f64> = self.stages.iter().map(|stage| stage.source).collect();
        let mut waiting = vec![0; self.stages.len()];
        self.edges.iter().for_each(|edge| waiting[edge.to] += 1);
        let mut ready: Vec<usize> = (0..rates.len()).filter(|&i| waiting[i] == 0).collect();
        let mut done = 0;
        while let Some(stage) = ready.pop() {
            done += 1;
            for edge in self.edges.iter().filter(|edge| edge.from == stage) {
                rates[edge.to] += rates[stage] * edge.factor;
                waiting[edge.to] -= 1;
                if waiting[edge.to] == 0 {
                    ready.push(edge.to);
                }
            }
        }
        match waiting.iter().position(|&count| count > 0) {
            Some(stage) if done < rates.len() => {
                Err(FlowError::Loop(self.stages[stage].name.clone()))
            }
            _ => Ok(rates),
        }
    }

    /// What each stage has to do in `pipelines` equal pipelines on `cores` cores.
    ///
    /// # Errors
    /// There is a loop, or a capability is no rate.
    pub fn requirements(&self, pipelines: u64, cores: u64) -> Result<Vec<Requirement>, FlowError> {
        let rates = self.rates()?;
        let given = |stage: &FlowStage, value: Option<f64>| match value {
            Some(value) if !(value.is_finite() && value > 0.0) => Err(FlowError::Capability {
                stage: stage.name.clone(),
                value: value.to_string(),
            }),
            sound => Ok(sound),
        };
        self.stages
            .iter()
            .zip(rates)
            .map(|(stage, per_second)| {
                let capability = given(stage, stage.capability)?;
                let accelerator = given(stage, stage.accelerator)?;
                let ratio = capability.map(|capability| per_second / capability);
                let minimum = ratio.map(whole);
                let per_pipeline = ratio.map_or(1, |ratio| whole(ratio / pipelines as f64));
                let deployed = per_pipeline * pipelines;
                let beyond = !stage.device && minimum.is_some_and(|minimum| minimum > cores);
                let accelerators = accelerator
                    .filter(|_| beyond)
                    .map(|rate| whole(per_second / rate));
                Ok(Requirement {
                    stage: stage.name.clone(),
                    unit: stage.unit.clone(),
                    per_second,
                    item_ns: (per_second > 0.0).then(|| 1e9 / per_second),
                    capability,
                    ratio,
                    minimum,
                    per_pipeline,
                    deployed,
                    beyond,
                    accelerators,
                })
            })
            .collect()
    }

    /// Which core does what, for these requirements of this flow. `limit`: the most that a core is
    /// used, 0 to 1. Pipelines have cores of their own, unless that takes more than `available` and
    /// some of them can share.
    #[must_use]
    pub fn mapping(
        &self,
        requirements: &[Requirement],
        pipelines: u64,
        available: u64,
        limit: f64,
    ) -> Mapping {
        let mut cores: Vec<Core> = Vec::new();
        let fits = |core: &Core, share: f64| core.utilisation + share <= limit + ROUNDING;
        for pipeline in 0..pipelines {
            let mut own: Vec<Core> = Vec::new();
            for (stage, requirement) in self.stages.iter().zip(requirements) {
                if stage.device || requirement.beyond {
                    continue;
                }
                let share = requirement.ratio.unwrap_or(0.0) / requirement.deployed as f64;
                for instance in 0..requirement.per_pipeline {
                    let duty = Duty {
                        stage: stage.name.clone(),
                        pipeline,
                        instance,
                        utilisation: share,
                    };
                    // Behind its neighbours if there is room, else wherever there is.
                    match own.iter().rposition(|core| fits(core, share)) {
                        Some(place) => own[place].take(duty),
                        None => {
                            let mut core = Core::default();
                            core.take(duty);
                            own.push(core);
                        }
                    }
                }
            }
            cores.append(&mut own);
        }
        if cores.len() as u64 > available {
            let mut shared: Vec<Core> = Vec::new();
            for core in cores {
                match shared
                    .iter()
                    .position(|other| fits(other, core.utilisation))
                {
                    Some(place) => core.duties.into_iter().for_each(|d| shared[place].take(d)),
                    None => shared.push(core),
                }
            }
            cores = shared;
        }
        Mapping { cores }
    }
}

/// An instance of a stage on a core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Duty {
    /// The stage.
    pub stage: String,
    /// Its pipeline, from 0.
    pub pipeline: u64,
    /// Which one of the same stages of the pipeline, from 0.
    pub instance: u64,
    /// The share of a core that it takes.
    pub utilisation: f64,
}

/// A core.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Core {
    /// What it does.
    pub duties: Vec<Duty>,
    /// The share of its time that this takes.
    pub utilisation: f64,
}

impl Core {
    fn take(&mut self, duty: Duty) {
        self.utilisation += duty.utilisation;
        self.duties.push(duty);
    }
}

/// Which core does what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mapping {
    /// The cores that are needed.
    pub cores: Vec<Core>,
}

impl Mapping {
    /// A thread for each core that has something to do, which stays on it: core `n` of the mapping
    /// is `on[n]` of the machine, and from the first one again where there are not as many.
    /// `operators`: the stages of a graph that a duty stands for. `name`, with the number of the
    /// core behind it, is what the threads are called.
    #[must_use]
    pub fn threads(
        &self,
        name: &str,
        on: &[usize],
        mut operators: impl FnMut(&Duty) -> Vec<String>,
    ) -> Vec<Thread> {
        let cores = self.cores.iter().zip(on.iter().cycle()).enumerate();
        let threads = cores.map(|(number, (core, &place))| {
            let stages = core.duties.iter().flat_map(&mut operators);
            Thread::new(&format!("{name} {number}"), stages).on(place)
        });
        threads.filter(|thread| !thread.stages.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: usize, to: usize, factor: f64) -> FlowEdge {
        FlowEdge {
            from,
            to,
            factor,
            unit: "items".to_owned(),
        }
    }

    fn flow(stages: &[(&str, Option<f64>)], edges: Vec<FlowEdge>) -> Flow {
        let mut flow = Flow {
            stages: stages
                .iter()
                .map(|(name, rate)| FlowStage::new(name, "items", *rate))
                .collect(),
            edges,
        };
        flow.stages[0].source = 100.0;
        flow
    }

    #[test]
    fn rates_multiply_along_and_add_up() {
        let edges = vec![
            edge(0, 1, 8.0),
            edge(0, 2, 2.0),
            edge(1, 3, 0.5),
            edge(2, 3, 1.0),
        ];
        let flow = flow(&[("a", None), ("b", None), ("c", None), ("d", None)], edges);
        assert_eq!(flow.rates().unwrap(), [100.0, 800.0, 200.0, 600.0]);
    }

    #[test]
    fn loops_are_refused_by_name() {
        let flow = flow(
            &[("a", None), ("b", None), ("c", None)],
            vec![edge(0, 1, 1.0), edge(1, 2, 1.0), edge(2, 1, 1.0)],
        );
        assert_eq!(flow.rates().unwrap_err(), FlowError::Loop("b".to_owned()));
    }

    #[test]
    fn factors_are_rounded_up_once() {
        assert_eq!(
            [0.0, 0.3, 1.0, 1.01, 8.0, 8.0 + 1e-12].map(whole),
            [1, 1, 1, 2, 8, 8]
        );
        // 100 items per second at 30 each: 4 in one pipeline, 2 in each of two, 1 in each of four.
        let flow = flow(&[("a", Some(30.0))], vec![]);
        for (pipelines, per_pipeline, deployed) in [(1, 4, 4), (2, 2, 4), (4, 1, 4)] {
            let all = flow.requirements(pipelines, 8).unwrap();
            let one = &all[0];
            assert_eq!(one.minimum, Some(4));
            assert_eq!((one.per_pipeline, one.deployed), (per_pipeline, deployed));
            assert!(!one.beyond);
        }
        let nonsense = Flow {
            stages: vec![FlowStage::new("a", "items", Some(0.0))],
            edges: vec![],
        };
        let error = nonsense.requirements(1, 1).unwrap_err();
        assert!(error.to_string().contains("capability 0 of stage a"));
    }

    #[test]
    fn what_is_beyond_the_cores_goes_to_an_accelerator() {
        let mut flow = flow(
            &[("a", Some(1.0)), ("b", Some(1000.0))],
            vec![edge(0, 1, 1.0)],
        );
        flow.stages[0].accelerator = Some(40.0);
        let all = flow.requirements(1, 4).unwrap();
        assert!(all[0].beyond);
        assert_eq!((all[0].minimum, all[0].accelerators), (Some(100), Some(3)));
        let mapping = flow.mapping(&all, 1, 8, 0.8);
        assert_eq!(mapping.cores.len(), 1);
        assert_eq!(mapping.cores[0].duties[0].stage, "b");
        // With cores enough it stays.
        assert!(!flow.requirements(1, 100).unwrap()[0].beyond);
    }

    #[test]
    fn stages_of_a_pipeline_share_cores_as_long_as_there_is_room() {
        let flow = flow(
            &[
                ("a", Some(250.0)),
                ("b", Some(500.0)),
                ("c", Some(130.0)),
                ("d", None),
            ],
            vec![edge(0, 1, 1.0), edge(1, 2, 1.0), edge(2, 3, 1.0)],
        );
        // Utilisations 0.4, 0.2, 0.77 and nothing.
        let all = flow.requirements(1, 8).unwrap();
        let mapping = flow.mapping(&all, 1, 8, 0.8);
        let names = |core: &Core| -> String { core.duties.iter().map(|d| &*d.stage).collect() };
        let names: Vec<String> = mapping.cores.iter().map(names).collect();
        assert_eq!(names, ["ab", "cd"]);
        // Two pipelines have cores of their own.
        let all = flow.requirements(2, 8).unwrap();
        let mapping = flow.mapping(&all, 2, 8, 0.8);
        assert_eq!(mapping.cores.len(), 2);
        assert!(mapping.cores.iter().all(|core| core.utilisation <= 0.8));
        let pipelines: Vec<u64> = mapping
            .cores
            .iter()
            .map(|core| core.duties[0].pipeline)
            .collect();
        assert_eq!(pipelines, [0, 1]);
        // With less cores than that, they share as far as the limit allows.
        let packed = |limit| flow.mapping(&all, 2, 1, limit).cores;
        assert_eq!(packed(0.8).len(), 2);
        let one = &packed(1.5)[0];
        assert_eq!((packed(1.5).len(), one.duties.len()), (1, 8));
    }

    #[test]
    fn a_mapping_becomes_threads_on_cores() {
        let duty = |stage: &str| Duty {
            stage: stage.to_owned(),
            pipeline: 0,
            instance: 0,
            utilisation: 0.1,
        };
        let core = |stages: &[&str]| Core {
            duties: stages.iter().copied().map(duty).collect(),
            utilisation: 0.1,
        };
        let cores = vec![core(&["a", "b"]), core(&["device"]), core(&["c"])];
        let threads = Mapping { cores }.threads("end", &[4, 6], |duty| match &*duty.stage {
            "device" => Vec::new(),
            "c" => vec!["c 0".to_owned(), "c 1".to_owned()],
            other => vec![other.to_owned()],
        });
        assert_eq!(
            threads,
            [
                Thread::new("end 0", ["a", "b"]).on(4),
                Thread::new("end 2", ["c 0", "c 1"]).on(4)
            ]
        );
    }
}
