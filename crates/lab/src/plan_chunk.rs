// SPDX-License-Identifier: Apache-2.0
//! Bulk transfer on paper: what each stage has to do at a target rate, how many of each that takes,
//! which core does what, and what format, losses and turn-around cost.
//!
//! Source: Büchner, Lopacinski, Nolte, Kraemer, "100 Gbit/s End-to-End Communication", sections II
//! and IV. Two ways to count ([`Arithmetic`]): the paper takes the overhead, which is 1.56 % of the
//! payload, off the gross rate; of the gross rate it is 1.54 %.

use ropewalk_stripes::flow::{Flow, FlowEdge, FlowError, FlowStage, Mapping, Requirement};
use ropewalk_wire::chunk::Params;
use serde::Serialize;

use crate::chunk_stages::{self, Found};
use crate::cli::{Arithmetic, Arrangement, PlanChunk};
use crate::published_chunk;
use crate::report::drawing::{Arrow, Drawing, Shape};
use crate::units::CapabilitySpec;

/// Bytes of preamble and gap around an Ethernet frame.
const GAP: f64 = 20.0;
/// The same with a MAC header and a check sequence of its own.
const ENVELOPE: f64 = 38.0;
/// Losses of the table.
const LOSSES: [f64; 6] = [0.0, 0.001, 0.01, 0.05, 0.1, 0.2];
/// Cores of the paper's processor.
const PAPER_CORES: u64 = 72;
/// Interfaces of 10 Gb/s for each of the paper's FPGAs: eight for four.
const PAPER_LANES_PER_FPGA: f64 = 2.0;
/// Bits of the numbers that wrap.
const CHUNK_BITS: i32 = 32;
const FRAME_BITS: i32 = 24;
/// Bits of a sub-packet's check.
const CHECK_BITS: i32 = 32;
const YEAR: f64 = 365.25 * 86_400.0;

/// Where a capability comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Measured on this machine.
    Measured,
    /// Given on the command line.
    Given,
    /// Of the paper.
    Paper,
    /// The rate of the line.
    Line,
    /// Not known.
    Unknown,
}

/// The whole plan. The field names are the keys of the JSON.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    /// `chunk`.
    pub core: &'static str,
    /// Gross rate of all lanes.
    pub rate_gbps: f64,
    /// Lanes.
    pub lanes: u32,
    /// Arrangement.
    pub arrange: Arrangement,
    /// Pipelines.
    pub pipelines: u64,
    /// Share of sub-packets that is lost.
    pub loss: f64,
    /// How rates are counted.
    pub arithmetic: Arithmetic,
    /// Cores of each end.
    pub cores: u64,
    /// The most that a core is used.
    pub limit: f64,
    /// Sizes.
    pub format: Format,
    /// What is left of a lane.
    pub net_gbps: Net,
    /// What flows.
    pub streams: Streams,
    /// The two ends.
    pub ends: Vec<End>,
    /// What the runtime adds to each item, if it was measured.
    pub hand_over: Option<HandOver>,
    /// Time from one chunk to the next in the turn-around.
    pub turn_around_us: f64,
    /// Chunks over lanes without loss.
    pub latency: Vec<Latency>,
    /// What losses cost where a chunk is completed before the next one begins.
    pub losses: Vec<Loss>,
    /// Numbers that come again.
    pub wraps: Wraps,
}

/// Sizes in bytes.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Format {
    /// Payload of a sub-packet.
    pub payload_bytes: u32,
    /// Sub-packets of a frame.
    pub per_frame: u32,
    /// Sub-packets of a chunk.
    pub per_chunk: u32,
    /// A frame.
    pub frame_bytes: u64,
    /// Frames of a chunk.
    pub frames: u64,
    /// A chunk.
    pub chunk_bytes: u64,
    /// Headers of a chunk.
    pub overhead_bytes: u64,
    /// Headers over payload.
    pub of_payload: f64,
    /// Headers over all.
    pub of_gross: f64,
}

/// Payload of a lane in Gb/s.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Net {
    /// By the arithmetic of this plan.
    pub planned: f64,
    /// Of the bytes of frames.
    pub frames: f64,
    /// With preamble and gap.
    pub preamble: f64,
    /// With preamble, gap, MAC header and check sequence beside the header of the frame.
    pub envelope: f64,
}

/// Items per second over all lanes.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Streams {
    /// Chunks.
    pub chunks: f64,
    /// Sub-packets of these chunks.
    pub sub_packets: f64,
    /// Sub-packets sent again.
    pub resent: f64,
    /// Frames.
    pub frames: f64,
    /// Triggers: beginning and end of a chunk.
    pub triggers: f64,
    /// Acknowledgements.
    pub acks: f64,
}

/// A requirement, and where its capability comes from.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The requirement.
    #[serde(flatten)]
    pub requirement: Requirement,
    /// Where the capability comes from.
    pub origin: Origin,
}

/// One end.
#[derive(Debug, Clone, Serialize)]
pub struct End {
    /// `sender` or `receiver`.
    pub name: &'static str,
    /// Its stages.
    pub stages: Vec<Row>,
    /// Its cores.
    pub mapping: Mapping,
    /// The graph, to be drawn.
    #[serde(skip)]
    flow: Flow,
}

/// What the runtime costs.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct HandOver {
    /// An item through a stage that does nothing.
    pub item_ns: f64,
}

/// A chunk over `lanes` lanes.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Latency {
    /// Lanes.
    pub lanes: u32,
    /// One chunk over all of them.
    pub low_latency_ms: f64,
    /// Then all of them together.
    pub low_latency_gbps: f64,
    /// A chunk on each.
    pub stable_ms: f64,
    /// Then all of them together.
    pub stable_gbps: f64,
}

/// What losses cost.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Loss {
    /// Share of sub-packets.
    pub loss: f64,
    /// Times that a chunk is asked for again, on average.
    pub rounds: f64,
    /// Sub-packets of a chunk sent again, on average.
    pub resent: f64,
    /// A chunk on one lane.
    pub stable_ms: f64,
    /// All lanes, a chunk on each.
    pub stable_gbps: f64,
    /// One chunk on all lanes.
    pub low_latency_ms: f64,
    /// All lanes, one chunk on all.
    pub low_latency_gbps: f64,
    /// All lanes, nobody ever waits.
    pub ideal_gbps: f64,
}

/// When numbers come again, and when a check fails.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Wraps {
    /// Number of a chunk, 32 bits.
    pub chunk_days: f64,
    /// The same with 8 bits.
    pub chunk_8_bit_s: f64,
    /// The same with 16 bits.
    pub chunk_16_bit_s: f64,
    /// Number of a frame on its lane, 24 bits.
    pub frame_s: f64,
    /// If all that is lost is damaged: mean time until one passes its check; null without loss.
    pub unseen_years: Option<f64>,
    /// The same with a check of 16 bits, in seconds.
    pub unseen_16_bit_s: Option<f64>,
}

/// Rates of a plan.
#[derive(Debug, Clone, Copy)]
struct Rates {
    params: Params,
    gross: f64,
    lanes: f64,
    turn_around: f64,
}

impl Rates {
    fn chunk_bits(&self) -> f64 {
        8.0 * self.params.chunk_bytes() as f64
    }

    /// Seconds of a chunk on one lane of Ethernet.
    fn chunk_time(&self) -> f64 {
        let gaps = GAP * self.params.frames() as f64;
        let bytes = (self.params.chunk_bytes() + self.params.overhead()) as f64;
        8.0 * (bytes + gaps) / (self.gross / self.lanes)
    }

    /// Chunks per second over all lanes without loss.
    fn chunks(&self, arithmetic: Arithmetic) -> f64 {
        match arithmetic {
            Arithmetic::Exact => self.gross * self.params.efficiency() / self.chunk_bits(),
            Arithmetic::Paper => {
                let net = self.gross * (1.0 - paper_share(self.params));
                (100.0 * net / self.chunk_bits()).round() / 100.0
            }
        }
    }

    /// What flows with such a share of loss. What is sent again takes the room of what is new.
    fn streams(&self, arithmetic: Arithmetic, loss: f64) -> Streams {
        let per_chunk = f64::from(self.params.per_chunk);
        let chunks = self.chunks(arithmetic) * (1.0 - loss);
        let sub_packets = chunks * per_chunk;
        let resent = sub_packets * loss / (1.0 - loss);
        Streams {
            chunks,
            sub_packets,
            resent,
            frames: (sub_packets + resent) * (self.params.frames() as f64 / per_chunk),
            triggers: 2.0 * chunks,
            acks: chunks * (1.0 + rounds(per_chunk, loss)),
        }
    }

    fn latency(&self, lanes: f64, loss: f64) -> f64 {
        let rounds = 1.0 + rounds(f64::from(self.params.per_chunk), loss);
        self.chunk_time() / (1.0 - loss) / lanes + self.turn_around * rounds
    }

    fn loss(&self, loss: f64) -> Loss {
        let per_chunk = f64::from(self.params.per_chunk);
        let (stable, low) = (self.latency(1.0, loss), self.latency(self.lanes, loss));
        Loss {
            loss,
            rounds: rounds(per_chunk, loss),
            resent: per_chunk * loss / (1.0 - loss),
            stable_ms: 1e3 * stable,
            stable_gbps: 1e-9 * self.lanes * self.chunk_bits() / stable,
            low_latency_ms: 1e3 * low,
            low_latency_gbps: 1e-9 * self.chunk_bits() / low,
            ideal_gbps: 1e-9 * self.lanes * self.chunk_bits() / self.chunk_time() * (1.0 - loss),
        }
    }

    fn over(&self, lanes: u32) -> Latency {
        let (count, stable) = (f64::from(lanes), self.latency(1.0, 0.0));
        let low = self.latency(count, 0.0);
        Latency {
            lanes,
            low_latency_ms: 1e3 * low,
            low_latency_gbps: 1e-9 * self.chunk_bits() / low,
            stable_ms: 1e3 * stable,
            stable_gbps: 1e-9 * count * self.chunk_bits() / stable,
        }
    }
}

/// What losses cost with the paper's sizes and two phases on lanes of 10 Gb/s, by the turn-around
/// that its tables have.
#[must_use]
pub fn paper_loss(lanes: u8, loss: f64) -> Loss {
    let rates = Rates {
        params: Params::PAPER,
        gross: 10e9 * f64::from(lanes),
        lanes: f64::from(lanes),
        turn_around: 1e-6 * published_chunk::TURN_AROUND_US,
    };
    rates.loss(loss)
}

/// The overhead as the paper has it: of the payload, in hundredths of a percent.
fn paper_share(params: Params) -> f64 {
    (1e4 * params.overhead() as f64 / params.chunk_bytes() as f64).round() / 1e4
}

/// How often something of a chunk is still missing after a round, on average: the sum over k of the
/// probability that one of its sub-packets was lost k times.
fn rounds(per_chunk: f64, loss: f64) -> f64 {
    if loss <= 0.0 {
        return 0.0;
    }
    let left = |k: i32| -(per_chunk * (-loss.powi(k)).ln_1p()).exp_m1();
    (1..2000).map(left).take_while(|&p| p > 1e-12).sum()
}

/// What is known of the stages.
struct Known<'a> {
    paper: bool,
    given: Vec<(&'a str, f64)>,
    measured: Option<Found>,
    accelerators: &'a [(String, f64)],
}

impl Known<'_> {
    fn capability(&self, stage: &str, line: f64) -> (Option<f64>, Origin) {
        if let Some((_, rate)) = self.given.iter().find(|(name, _)| *name == stage) {
            return (Some(*rate), Origin::Given);
        }
        if stage == "interface" {
            return (Some(line), Origin::Line);
        }
        if self.paper {
            return match stage {
                "aggregator" => (Some(650_000.0), Origin::Paper),
                "crc-fec" => (Some(80.0), Origin::Paper),
                _ => (None, Origin::Unknown),
            };
        }
        let found = self.measured.as_ref().and_then(|found| found.rate(stage));
        match found {
            Some(rate) => (Some(rate), Origin::Measured),
            None => (None, Origin::Unknown),
        }
    }

    fn accelerator(&self, stage: &str, paper: f64) -> Option<f64> {
        let given = self.accelerators.iter().find(|(name, _)| name == stage);
        let paper = (self.paper && stage == "crc-fec").then_some(paper);
        given.map(|(_, rate)| *rate).or(paper)
    }
}

/// The sizes that were asked for.
///
/// # Errors
/// They do not fit the format.
pub fn params(options: &PlanChunk) -> Result<Params, String> {
    let params = Params {
        payload: options.payload,
        per_frame: options.per_frame,
        per_chunk: options.per_chunk,
        lanes: options.lanes,
        ..Params::PAPER
    };
    params.check().map(|()| params).map_err(|e| e.to_string())
}

/// The plan; measures the stages unless the paper's capabilities are asked for.
///
/// # Errors
/// One line: sizes that do not fit the format, or a stage that cannot be measured.
pub fn plan(options: &PlanChunk) -> Result<Plan, String> {
    let params = params(options)?;
    let paper = options.capability.contains(&CapabilitySpec::Paper);
    let given: Vec<(&str, f64)> = options
        .capability
        .iter()
        .filter_map(|spec| match spec {
            CapabilitySpec::Given(name, rate) => Some((name.as_str(), *rate)),
            CapabilitySpec::Paper => None,
        })
        .collect();
    let measured = if paper {
        None
    } else {
        let rate = options.rate / f64::from(options.lanes);
        Some(chunk_stages::measure(params, rate)?)
    };
    let known = Known {
        paper,
        given,
        measured,
        accelerators: &options.accelerator,
    };
    with(options, params, &known).map_err(|error| error.to_string())
}

/// The stages of both ends and what flows between them, on so many lanes of `line` frames per
/// second each.
fn flows(
    params: Params,
    known: &Known<'_>,
    streams: &Streams,
    (lanes, line): (f64, f64),
    loss: f64,
) -> [(&'static str, Flow); 2] {
    let per_chunk = f64::from(params.per_chunk);
    let frames_per_sub = params.frames() as f64 / per_chunk;
    let fpga = PAPER_LANES_PER_FPGA * (streams.sub_packets + streams.resent) / lanes;
    let stage = |name: &str, unit: &str, source: f64| FlowStage {
        source,
        device: name == "interface",
        accelerator: known.accelerator(name, fpga),
        ..FlowStage::new(name, unit, known.capability(name, line).0)
    };
    let edge = |from, to, factor, unit: &str| FlowEdge {
        from,
        to,
        factor,
        unit: unit.to_owned(),
    };
    let sender = Flow {
        stages: vec![
            stage("generator", "chunks", streams.chunks),
            stage("aggregator", "sub-packets", 0.0),
            stage("crc-fec", "sub-packets", 0.0),
            stage("interface", "frames", 0.0),
            stage("ack-processor", "acks", streams.acks),
        ],
        edges: vec![
            edge(0, 1, per_chunk, "sub-packets"),
            edge(4, 1, streams.resent / streams.acks, "sub-packets"),
            edge(1, 2, 1.0, "frames"),
            edge(2, 3, frames_per_sub, "frames"),
        ],
    };
    let receiver = Flow {
        stages: vec![
            stage("interface", "frames", streams.frames),
            stage("combiner", "sub-packets", 0.0),
            stage("ack-generator", "sub-packets", 0.0),
        ],
        edges: vec![
            edge(0, 1, 1.0 / frames_per_sub, "frames"),
            edge(1, 2, 1.0 - loss, "sub-packets"),
        ],
    };
    [("sender", sender), ("receiver", receiver)]
}

fn with(options: &PlanChunk, params: Params, known: &Known<'_>) -> Result<Plan, FlowError> {
    let default = if known.paper {
        Arithmetic::Paper
    } else {
        Arithmetic::Exact
    };
    let arithmetic = options.arithmetic.unwrap_or(default);
    let here = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let cores = options
        .cores
        .unwrap_or(if known.paper { PAPER_CORES } else { here });
    let lanes = u32::from(options.lanes);
    let pipelines = match options.arrange {
        Arrangement::Stable => u64::from(lanes),
        Arrangement::LowLatency => 1,
    };
    let rates = Rates {
        params,
        gross: options.rate,
        lanes: f64::from(lanes),
        turn_around: options.turn_around * 1e-6,
    };
    let loss = options.loss;
    let streams = rates.streams(arithmetic, loss);
    let mut mapped = Vec::new();
    let line = options.rate / f64::from(lanes) / (8.0 * params.frame_bytes() as f64);
    for (name, flow) in flows(params, known, &streams, (rates.lanes, line), loss) {
        let requirements = flow.requirements(pipelines, cores)?;
        let mapping = flow.mapping(&requirements, pipelines, cores, options.limit);
        let stages = requirements.into_iter().map(|requirement| Row {
            origin: known.capability(&requirement.stage, line).1,
            requirement,
        });
        mapped.push(End {
            name,
            stages: stages.collect(),
            mapping,
            flow,
        });
    }
    let lane = 1e-9 * options.rate / f64::from(lanes);
    let net = |more: f64| {
        let bytes = (params.chunk_bytes() + params.overhead()) as f64;
        lane * params.chunk_bytes() as f64 / (bytes + more * params.frames() as f64)
    };
    let wrap = |bits: i32, rate: f64| 2f64.powi(bits) / rate;
    let damaged = Some((streams.sub_packets + streams.resent) * loss).filter(|&rate| rate > 0.0);
    Ok(Plan {
        core: "chunk",
        rate_gbps: 1e-9 * options.rate,
        lanes,
        arrange: options.arrange,
        pipelines,
        loss,
        arithmetic,
        cores,
        limit: options.limit,
        format: Format {
            payload_bytes: u32::from(params.payload),
            per_frame: u32::from(params.per_frame),
            per_chunk: u32::from(params.per_chunk),
            frame_bytes: params.frame_bytes() as u64,
            frames: params.frames() as u64,
            chunk_bytes: params.chunk_bytes() as u64,
            overhead_bytes: params.overhead() as u64,
            of_payload: params.overhead() as f64 / params.chunk_bytes() as f64,
            of_gross: 1.0 - params.efficiency(),
        },
        net_gbps: Net {
            planned: match arithmetic {
                Arithmetic::Exact => net(0.0),
                Arithmetic::Paper => lane * (1.0 - paper_share(params)),
            },
            frames: net(0.0),
            preamble: net(GAP),
            envelope: net(ENVELOPE),
        },
        streams,
        ends: mapped,
        hand_over: known.measured.as_ref().map(|found| HandOver {
            item_ns: found.hand_over.item_ns(),
        }),
        turn_around_us: options.turn_around,
        latency: (1..=lanes).map(|lanes| rates.over(lanes)).collect(),
        losses: LOSSES.map(|loss| rates.loss(loss)).to_vec(),
        wraps: Wraps {
            chunk_days: wrap(CHUNK_BITS, streams.chunks) / 86_400.0,
            chunk_8_bit_s: wrap(8, streams.chunks),
            chunk_16_bit_s: wrap(16, streams.chunks),
            frame_s: wrap(FRAME_BITS, streams.frames / f64::from(lanes)),
            unseen_years: damaged.map(|rate| wrap(CHECK_BITS, rate) / YEAR),
            unseen_16_bit_s: damaged.map(|rate| wrap(16, rate)),
        },
    })
}

impl End {
    /// Every instance of every stage, coloured by its core.
    #[must_use]
    pub fn drawing(&self, pipelines: u64) -> Drawing {
        let mut drawing = Drawing {
            title: format!("The {}, stage by stage, on its cores", self.name),
            ..Drawing::default()
        };
        for pipeline in 0..pipelines {
            let mut places = Vec::new();
            for row in &self.stages {
                let requirement = &row.requirement;
                let count = if requirement.beyond {
                    1
                } else {
                    requirement.per_pipeline
                };
                let first = drawing.shapes.len();
                for instance in 0..count {
                    let shape = self.shape(requirement, pipeline, instance);
                    drawing.shapes.push(shape);
                }
                places.push((first, count as usize));
            }
            for edge in &self.flow.edges {
                let ((from, outs), (to, ins)) = (places[edge.from], places[edge.to]);
                let most = outs.max(ins);
                drawing.arrows.extend((0..most).map(|k| Arrow {
                    from: from + k * outs / most,
                    to: to + k * ins / most,
                    note: edge.unit.clone(),
                }));
            }
        }
        drawing
    }

    fn shape(&self, requirement: &Requirement, pipeline: u64, instance: u64) -> Shape {
        let own = |core: &ropewalk_stripes::flow::Core| {
            let mut duties = core.duties.iter();
            duties
                .find(|duty| {
                    (duty.stage.as_str(), duty.pipeline, duty.instance)
                        == (requirement.stage.as_str(), pipeline, instance)
                })
                .map(|duty| duty.utilisation)
        };
        let mut cores = self.mapping.cores.iter().enumerate();
        let found = cores.find_map(|(core, duties)| own(duties).map(|share| (core, share)));
        let note = match found {
            Some((core, share)) => format!("core {core}, {:.0} %", 100.0 * share),
            None if requirement.accelerators.is_some() => "accelerator".to_owned(),
            None if requirement.beyond => "beyond the cores".to_owned(),
            None => "device".to_owned(),
        };
        Shape {
            name: requirement.stage.clone(),
            notes: vec![note],
            group: found.map(|(core, _)| core),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command, PlanCore};
    use clap::Parser;

    fn options(args: &str) -> PlanChunk {
        let words = ["ropewalk", "plan", "chunk"].into_iter();
        match Cli::try_parse_from(words.chain(args.split_whitespace()))
            .expect("arguments of a test")
            .command
        {
            Command::Plan {
                core: PlanCore::Chunk(options),
            } => options,
            _ => unreachable!("the subcommand is plan chunk"),
        }
    }

    fn plan_of(args: &str) -> Plan {
        plan(&options(args)).unwrap()
    }

    fn row<'a>(plan: &'a Plan, name: &str) -> &'a Requirement {
        let rows = plan.ends.iter().flat_map(|end| &end.stages);
        let mut rows = rows.map(|row| &row.requirement);
        rows.find(|row| row.stage == name).unwrap()
    }

    fn near(value: f64, expected: f64, digits: i32) {
        let half = 0.5 * 10f64.powi(-digits) * 1.000_001;
        assert!((value - expected).abs() <= half, "{value} {expected}");
    }

    /// Section IV of the paper, and figure 6.
    #[test]
    fn the_numbers_of_the_paper() {
        let plan = plan_of("--rate 80G --lanes 8 --capability paper");
        assert_eq!(plan.format.overhead_bytes, 262_200);
        assert_eq!(plan.format.chunk_bytes, 16_780_800);
        assert_eq!(plan.format.frame_bytes, 9880);
        near(plan.net_gbps.planned, 9.844, 6);
        near(plan.streams.chunks, 586.62, 6);
        near(plan.streams.sub_packets, 8_095_356.0, 3);
        near(plan.streams.triggers, 1173.2, 1);
        near(plan.streams.acks, 586.62, 6);
        let aggregator = row(&plan, "aggregator");
        assert_eq!(aggregator.minimum, Some(13));
        // Two on each lane, as the paper deploys them.
        assert_eq!((aggregator.per_pipeline, aggregator.deployed), (2, 16));
        near(aggregator.item_ns.unwrap(), 123.5, 1);
        let interface = row(&plan, "interface");
        assert_eq!((interface.minimum, interface.deployed), (Some(8), 8));
        near(interface.per_second, 1_011_919.5, 3);
        let check = row(&plan, "crc-fec");
        near(check.ratio.unwrap(), 101_191.95, 4);
        assert!(check.beyond);
        assert_eq!(check.accelerators, Some(4));
        near(row(&plan, "generator").item_ns.unwrap(), 1_704_681.0, -1);
        // One pipeline over all lanes needs no more than the minimum.
        let low = plan_of("--rate 80G --lanes 8 --capability paper --arrange low-latency");
        let aggregator = row(&low, "aggregator");
        assert_eq!((aggregator.per_pipeline, aggregator.deployed), (13, 13));
        assert_eq!(row(&low, "interface").per_pipeline, 8);
    }

    /// The same of what is sent, not of the payload.
    #[test]
    fn the_numbers_as_they_are() {
        let plan = plan_of("--rate 80G --lanes 8 --capability paper --arithmetic exact");
        near(plan.net_gbps.planned, 9.846_154, 5);
        near(plan.net_gbps.preamble, 9.8263, 4);
        near(plan.net_gbps.envelope, 9.8084, 4);
        assert_eq!(row(&plan, "interface").minimum, Some(8));
        near(plan.streams.chunks, 586.7511, 3);
    }

    /// Latency and loss by formula, and the times after which numbers come again.
    #[test]
    fn latency_losses_and_wraps() {
        let plan = plan_of("--rate 80G --lanes 8 --capability paper --loss 1%");
        near(plan.latency[0].low_latency_ms, 13.7045, 3);
        near(plan.latency[7].low_latency_ms, 1.7503, 3);
        near(plan.latency[7].stable_gbps, 78.37, 2);
        // loss, rounds, resent, one lane ms and Gb/s, eight lanes ms and Gb/s, ideal
        for (line, expected) in plan.losses.iter().zip([
            [0.0, 0.0, 0.0, 13.705, 9.796, 1.750, 76.70, 78.61],
            [0.001, 1.01, 14.0, 13.761, 9.755, 1.795, 74.79, 78.53],
            [0.01, 1.76, 140.0, 13.918, 9.646, 1.842, 72.87, 77.82],
            [0.05, 2.91, 727.0, 14.547, 9.228, 1.964, 68.36, 74.68],
            [0.1, 3.89, 1532.0, 15.387, 8.725, 2.105, 63.77, 70.75],
            [0.2, 5.80, 3452.0, 17.369, 7.729, 2.424, 55.38, 62.89],
        ]) {
            let found = [
                line.loss,
                line.rounds,
                line.resent,
                line.stable_ms,
                line.stable_gbps / 8.0,
                line.low_latency_ms,
                line.low_latency_gbps,
                line.ideal_gbps,
            ];
            for (value, expected) in found.into_iter().zip(expected) {
                let apart = (value - expected).abs();
                // 0.1 %, but for counts that were simulated.
                assert!(
                    apart <= 1e-3 * expected.max(1.0) || apart <= 0.02 * expected,
                    "{line:?}"
                );
            }
        }
        let loss_free = plan_of("--rate 80G --lanes 8 --capability paper");
        near(loss_free.wraps.chunk_days, 84.74, 1);
        near(loss_free.wraps.chunk_8_bit_s, 0.436, 2);
        near(loss_free.wraps.chunk_16_bit_s, 111.7, 1);
        assert_eq!(loss_free.wraps.unseen_years, None);
        assert!(plan.wraps.unseen_years.unwrap() * YEAR > plan.wraps.unseen_16_bit_s.unwrap());
        // What is sent again takes the room of what is new: the aggregators have as much to do as
        // before.
        near(row(&plan, "aggregator").per_second, 8_095_356.0, 2);
        near(plan.streams.resent, 80_953.56, 2);
    }

    /// With the stages of this machine: all but the line are measured, and everything has its core.
    #[test]
    fn measured_here() {
        let plan = plan_of("--rate 10G --lanes 2 --cores 1000 --limit 1");
        for end in &plan.ends {
            for row in &end.stages {
                let line = row.requirement.stage == "interface";
                assert_eq!(
                    row.origin,
                    if line { Origin::Line } else { Origin::Measured }
                );
                assert!(row.requirement.capability.unwrap() > 0.0);
            }
            let duties: usize = end.mapping.cores.iter().map(|core| core.duties.len()).sum();
            let software = end.stages.iter().filter(|row| row.origin != Origin::Line);
            let deployed: u64 = software.map(|row| row.requirement.deployed).sum();
            assert_eq!(duties as u64, deployed);
            let drawing = end.drawing(plan.pipelines);
            assert_eq!(drawing.shapes.len() as u64, deployed + 2);
            assert!(drawing.svg().contains("class=\"box"));
        }
        assert!(plan.hand_over.unwrap().item_ns > 0.0);
    }
}
