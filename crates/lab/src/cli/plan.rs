// SPDX-License-Identifier: Apache-2.0
//! `ropewalk plan`.

use std::path::PathBuf;

use clap::Args;
use ropewalk_wire::rifl::FrameWidth;

use super::SlinkMode;
use crate::units;

pub(super) const PLAN_RIFL_AFTER: &str = "\
Exit status: 0; 3 bad input, or a cable that no id width reaches.

Examples:
  ropewalk plan rifl --lanes 4 --cable 100m --ber 1e-8
  ropewalk plan rifl --frame-width 256 --packet 64 --report report
  ropewalk plan rifl --rate 25.78125G --cable 500m --ns-per-metre 4.9 --json";

/// `ropewalk plan rifl`.
#[derive(Debug, Clone, Args)]
pub struct PlanRifl {
    /// Line rate of a lane, such as 28G or 10312.5M (bit/s)
    #[arg(long, value_name = "RATE", default_value = "28G", value_parser = units::lane_rate_gbps, allow_hyphen_values = true)]
    pub rate: f64,
    /// Lanes of the link: 1, 2, 4 or 8
    #[arg(long, value_name = "N", default_value = "1", value_parser = units::planned_lanes)]
    pub lanes: u32,
    /// Length of the cable, such as 10m or 1.5km
    #[arg(long, value_name = "LENGTH", default_value = "10m", value_parser = units::metres, allow_hyphen_values = true)]
    pub cable: f64,
    /// Delay of the cable in ns per metre
    #[arg(long, value_name = "NS", default_value = "5.0", value_parser = units::ns_per_metre, allow_hyphen_values = true)]
    pub ns_per_metre: f64,
    /// Delay one way of what is neither cable nor this core, in ns: both transceivers. The default
    /// is an allowance; ask the transceiver's manual
    #[arg(long, value_name = "NS", default_value = "40", value_parser = units::circuit_ns, allow_hyphen_values = true)]
    pub circuit_ns: f64,
    /// Probability that a bit is flipped on the line, 0 or more and below 0.5
    #[arg(long, value_name = "RATE", default_value = "1e-7", value_parser = units::ber, allow_hyphen_values = true)]
    pub ber: f64,
    /// How far the clocks of the two ends are apart, in parts per million
    #[arg(long, value_name = "PPM", default_value = "200", value_parser = units::ppm, allow_hyphen_values = true)]
    pub ppm: f64,
    /// Only this frame width in bits: 128, 256, 512, 1024 or 2048 [default: all]
    #[arg(long, value_name = "BITS", value_parser = units::planned_frame_width)]
    pub frame_width: Option<FrameWidth>,
    /// Both ends use the mode of the published core instead of the extended mode
    #[arg(long)]
    pub compatible: bool,
    /// The default; older scripts say so.
    #[arg(long, hide = true, conflicts_with = "compatible")]
    pub extended: bool,
    /// Width of the frame id in bits, 6 to 12 [default: what the link needs, or what the published
    /// core computes if that is more]
    #[arg(long, value_name = "BITS", value_parser = units::id_width)]
    pub id_width: Option<u8>,
    /// Width of the user's interface in bits: the frame width times 1, 2, 4, up to the lanes
    /// [default: the frame width, at least 64 bits per lane]
    #[arg(long, value_name = "BITS")]
    pub user_width: Option<u32>,
    /// Bytes of a packet
    #[arg(long, value_name = "BYTES", default_value = "1500", value_parser = units::packet_size)]
    pub packet: u32,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Write a page with plots to DIR/index.html
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
}

pub(super) const PLAN_CHUNK_AFTER: &str = "\
Stages: generator (chunks), aggregator, crc-fec, combiner, ack-generator (sub-packets), ack-processor (acks), interface (frames). What is \
not given is measured on this machine, which takes a second.

Exit status: 0; 3 bad input.

Examples:
  ropewalk plan chunk --rate 80G --lanes 8
  ropewalk plan chunk --rate 80G --lanes 8 --capability paper
  ropewalk plan chunk --rate 100G --lanes 4 --loss 1% --arrange low-latency --cores 16 --report report
  ropewalk plan chunk --capability crc-fec=80 --accelerator crc-fec=2M --json";

/// `ropewalk plan chunk`.
#[derive(Debug, Clone, Args)]
pub struct PlanChunk {
    /// Gross rate of all lanes, such as 80G (bit/s)
    #[arg(long, value_name = "RATE", default_value = "80G", value_parser = units::bit_rate, allow_hyphen_values = true)]
    pub rate: f64,
    /// Lanes: interfaces that share the rate, 1 to 32
    #[arg(long, value_name = "N", default_value = "8", value_parser = units::chunk_lanes)]
    pub lanes: u8,
    /// A pipeline for each lane, or one pipeline over all of them
    #[arg(long, value_name = "HOW", default_value = "stable")]
    pub arrange: Arrangement,
    /// Share of sub-packets that is lost, such as 1% or 0.01, below 0.5
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = units::loss, allow_hyphen_values = true)]
    pub loss: f64,
    /// What one instance of a stage can do, such as aggregator=650k (items per second), instead of
    /// measuring it; or paper, for all that the paper tells. May be repeated
    #[arg(long, value_name = "STAGE=RATE", value_parser = units::capability)]
    pub capability: Vec<units::CapabilitySpec>,
    /// What an accelerator for a stage can do (items per second); it takes the stage if that needs
    /// more cores than there are. May be repeated
    #[arg(long, value_name = "STAGE=RATE", value_parser = units::stage_rate)]
    pub accelerator: Vec<(String, f64)>,
    /// How rates are counted: exact, or as in the paper, which takes 1.56 % off the gross rate and
    /// rounds [default: exact; paper with --capability paper]
    #[arg(long, value_name = "HOW")]
    pub arithmetic: Option<Arithmetic>,
    /// Cores of each end [default: those of this machine; 72 with --capability paper]
    #[arg(long, value_name = "N", value_parser = units::cores)]
    pub cores: Option<u64>,
    /// The most that a core is used
    #[arg(long, value_name = "SHARE", default_value = "0.8", value_parser = units::core_limit)]
    pub limit: f64,
    /// Payload of a sub-packet in bytes: a multiple of 64, 64 to 8192
    #[arg(long, value_name = "BYTES", default_value = "1216")]
    pub payload: u16,
    /// Sub-packets of a frame, 1 to 52
    #[arg(long, value_name = "N", default_value = "8")]
    pub per_frame: u8,
    /// Sub-packets of a chunk: a multiple of 8, 8 to 65472
    #[arg(long, value_name = "N", default_value = "13800")]
    pub per_chunk: u16,
    /// Time from the end of a chunk to the start of the next one in us, where a chunk waits for the
    /// one before; the default is the paper's
    #[arg(long, value_name = "US", default_value = "42.5", value_parser = units::turn_around_us, allow_hyphen_values = true)]
    pub turn_around: f64,
    /// Print the mapped graph of both ends in the language of Graphviz and nothing else
    #[arg(long, conflicts_with = "json")]
    pub dot: bool,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Write a page with the mapped graphs to DIR/index.html
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
}

pub(super) const PLAN_SLINK_AFTER: &str = "\
The fewest lanes that are enough are chosen, at the lower speed if that is enough. A line with errors takes CRC. First word: from the first word \
that the source gives, or from the request of a read, to the first one in the memory. Last word: with CRC the words of a block go to the memory behind its code, \
one a cycle. With --blocks modes of 64b/66b follow those of 8b/10b, for both ends begin in that. With --outstanding the time to the last word is shared by as many \
operations, until the packets fill the line. --ppm gives the depth of the elastic buffer that the longest packet takes.

JSON keys: schema command core mode crc bytes ber block_bytes outstanding ppm store_depth elastic_depth chosen modes[{lanes rate_gbps coding first_ns last_ns \
bandwidth_gbps efficiency damaged failed enough}].

Exit status: 0; 3 bad input, or no mode does it.

Examples:
  ropewalk plan slink --bandwidth 10G --size 4096
  ropewalk plan slink --bandwidth 18G --size 4096 --blocks --outstanding 4 --ppm 200
  ropewalk plan slink --mode read --latency 500 --ber 1e-9 --json";

/// `ropewalk plan slink`.
#[derive(Debug, Clone, Args)]
pub struct PlanSlink {
    /// What the operations do to the memory of the other end
    #[arg(long, value_name = "MODE", default_value = "write")]
    pub mode: SlinkMode,
    /// Least data rate, such as 10G (bit/s)
    #[arg(long, value_name = "RATE", value_parser = units::bit_rate, allow_hyphen_values = true)]
    pub bandwidth: Option<f64>,
    /// Longest time to the first word in ns
    #[arg(long, value_name = "NS", value_parser = units::slink_ns, allow_hyphen_values = true)]
    pub latency: Option<f64>,
    /// Bytes of an operation: a multiple of 8, 8 to 524288
    #[arg(long, value_name = "BYTES", default_value = "4096", value_parser = units::slink_size)]
    pub size: u32,
    /// Probability that a bit is flipped on the line, 0 or more and below 0.5
    #[arg(long, value_name = "RATE", default_value = "0", value_parser = units::ber, allow_hyphen_values = true)]
    pub ber: f64,
    /// Check codes on a line without errors, too
    #[arg(long)]
    pub crc: bool,
    /// Modes in 64b/66b, too: for cores that are built with Switch and Blocks
    #[arg(long)]
    pub blocks: bool,
    /// Operations of an end that may be under way at a time: 1, 2 or 4
    #[arg(long, value_name = "N", default_value = "1", value_parser = units::slink_outstanding)]
    pub outstanding: u8,
    /// Most that the clocks of both ends differ, in parts per million, -300 to 300
    #[arg(long, value_name = "PPM", default_value = "0", value_parser = units::ppm, allow_hyphen_values = true)]
    pub ppm: f64,
    /// How long the memory that is written may take nothing, in ns, without a packet that has to
    /// wait
    #[arg(long, value_name = "NS", default_value = "0", value_parser = units::slink_stall, allow_hyphen_values = true)]
    pub stall: f64,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
}

pub(super) const PLAN_HTSP_AFTER: &str = "\
Headroom: the words that may still come when a channel is paused: a burst of each end and the round trip. The pause level is a quarter of RxDepth. \
First word: on an idle link, from user to user; behind the others: when every other channel has a burst in front of it.

Exit status: 0; 3 bad input, or a round trip that no buffer covers.

Examples:
  ropewalk plan htsp --bandwidth 202.8G --frame 5M --vcs 4
  ropewalk plan htsp --frame 2200000 --fps 25000 --cable 300m --lossy --json";

/// `ropewalk plan htsp`.
#[derive(Debug, Clone, Args)]
#[command(group(clap::ArgGroup::new("data").required(true).args(["bandwidth", "fps"])))]
pub struct PlanHtsp {
    /// Data of the whole detector, such as 202.8G (bit/s)
    #[arg(long, value_name = "RATE", value_parser = units::detector_rate, allow_hyphen_values = true)]
    pub bandwidth: Option<f64>,
    /// User frames per second of the whole detector, instead
    #[arg(long, value_name = "N", value_parser = units::frame_rate, allow_hyphen_values = true)]
    pub fps: Option<f64>,
    /// Bytes of a user frame; K, M and G are 1024, 1024^2 and 1024^3
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = units::frame_bytes)]
    pub frame: u64,
    /// Channels of a link, 1 to 16
    #[arg(long, value_name = "N", default_value = "4", value_parser = units::vcs)]
    pub vcs: u8,
    /// Longest burst in bytes: a multiple of 64, 64 to 8192
    #[arg(long, value_name = "BYTES", default_value = "8192", value_parser = units::htsp_burst)]
    pub burst: u16,
    /// Length of the fibre, such as 100m or 1.5km
    #[arg(long, value_name = "LENGTH", default_value = "100m", value_parser = units::metres, allow_hyphen_values = true)]
    pub cable: f64,
    /// Delay of the fibre in ns per metre
    #[arg(long, value_name = "NS", default_value = "5.0", value_parser = units::ns_per_metre, allow_hyphen_values = true)]
    pub ns_per_metre: f64,
    /// Delay one way of what is neither fibre nor core nor MAC, in ns: PCS, FEC, both transceivers.
    /// The default is an allowance; ask their manuals
    #[arg(long, value_name = "NS", default_value = "250", value_parser = units::circuit_ns, allow_hyphen_values = true)]
    pub circuit_ns: f64,
    /// Share of every link that is kept free, such as 10% or 0.1, below 0.5
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = units::loss, allow_hyphen_values = true)]
    pub spare: f64,
    /// A frame that carries a pause may be lost without an overflow
    #[arg(long)]
    pub lossy: bool,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
}

/// How stages of bulk transfer are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrangement {
    /// A pipeline for each lane.
    Stable,
    /// One pipeline over all lanes.
    LowLatency,
}

/// How rates of bulk transfer are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    /// As they are.
    Exact,
    /// As in the paper.
    Paper,
}
