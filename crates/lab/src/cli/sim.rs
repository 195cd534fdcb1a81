// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use ropewalk_sim::slink::Rate;
use ropewalk_wire::line::Lanes;

use super::SlinkMode;
use crate::slink_specs::{self, SwitchSpec};
use crate::units::{self, BurstSpec, CutSpec, ResetSpec, Sizes, Slips};

pub(super) const SIM_RIFL_AFTER: &str = "\
Exit status: 0 everything was delivered once, in order, unchanged; 1 it was not, or the link stalled or never \
came up; 3 bad input. Output files are written beside their place and renamed at the end: they are whole or untouched.

Examples:
  ropewalk sim rifl --packets 10000 --size 1..8192 --ber 1e-6
  ropewalk sim rifl --in photo.jpg --out copy.jpg --cable 100m --ber 1e-6 --report report
  ropewalk sim rifl --csv traffic.csv --csv-out times.csv --ber 1e-6
  ropewalk sim rifl --packets 20 --ber 1e-5 --capture lane.txt
  ropewalk sim rifl --lanes 4 --user-width 512 --skew 10 --ber 1e-6
  ropewalk sim rifl --reset a:20us..60us:200
  ropewalk sim rifl --cut ab:20us:400:zero --ppm 100 --stall 30 --seed 7 --json";

/// `ropewalk sim rifl`.
#[derive(Debug, Clone, Args)]
pub struct SimRifl {
    /// Lanes of the link: 1, 2, 4 or 8
    #[arg(long, value_name = "N", default_value = "1", value_parser = units::lanes)]
    pub lanes: u8,
    /// Frame width in bits: 128, 256, 512, 1024 or 2048
    #[arg(long, alias = "frame", value_name = "BITS", default_value = "256", value_parser = units::frame_width)]
    pub frame_width: u16,
    /// Width of the user's streams in bits: frame width times 1, 2, 4 .. lanes, at least 64 per
    /// lane [default: the narrowest]
    #[arg(long, value_name = "BITS")]
    pub user_width: Option<u16>,
    /// Use the mode of the published core instead of the extended mode, which makes the reset of
    /// one end safe and recovers faster
    #[arg(long)]
    pub compatible: bool,
    /// The default; older scripts say so.
    #[arg(long, hide = true, conflicts_with = "compatible")]
    pub extended: bool,
    /// Frames have the stronger code: frame widths 1024 and 2048, not with --compatible
    #[arg(long, conflicts_with = "compatible")]
    pub strong_code: bool,
    /// Line rate of a lane, such as 28G or 10312.5M (bit/s)
    #[arg(long, value_name = "RATE", default_value = "28G", value_parser = units::lane_rate_gbps, allow_hyphen_values = true)]
    pub rate: f64,
    /// The older spelling of --rate; a bare number is in Gb/s.
    #[arg(long, hide = true, value_parser = units::line_rate_gbps, allow_hyphen_values = true, conflicts_with = "rate")]
    pub line_rate: Option<f64>,
    /// Length of the cable, such as 10m or 1.5km
    #[arg(long, value_name = "LENGTH", default_value = "10m", value_parser = units::metres, allow_hyphen_values = true)]
    pub cable: f64,
    /// Delay of the cable in ns per metre
    #[arg(long, value_name = "NS", default_value = "5.0", value_parser = units::ns_per_metre, allow_hyphen_values = true)]
    pub ns_per_metre: f64,
    /// Width of the frame id in bits, 6 to 12 [default: derived from cable and line rate]
    #[arg(long, value_name = "BITS", value_parser = units::id_width)]
    pub id_width: Option<u8>,
    /// Probability that a bit is flipped on the line, 0 or more and below 0.5
    #[arg(long, value_name = "RATE", default_value = "0", value_parser = units::ber, allow_hyphen_values = true)]
    pub ber: f64,
    /// How much faster B's clock is than A's, in parts per million, -300 to 300
    #[arg(long, value_name = "PPM", default_value = "0", value_parser = units::ppm, allow_hyphen_values = true)]
    pub ppm: f64,
    /// Lanes arrive up to WORDS words apart: each has a random part of it as further delay
    #[arg(long, value_name = "WORDS", default_value = "0", value_parser = units::skew, allow_hyphen_values = true)]
    pub skew: u32,
    /// Bit slip at the receivers, 0 to 63: one for both directions or AB,BA [default: random for
    /// every lane]
    #[arg(long, value_name = "BITS", value_parser = units::slips)]
    pub slip: Option<Slips>,
    /// Error bursts: RATE:LENGTH:DENSITY (bursts per bit, bits, share of flipped bits), such as
    /// 1e-7:64:0.5
    #[arg(long, value_name = "SPEC", value_parser = units::burst)]
    pub burst: Option<BurstSpec>,
    /// Cut the wire: DIRECTION:START:LENGTH:KIND, such as ab:20us:400:zero. Direction ab or ba, of
    /// one lane as in ab.2; start and length in GT cycles from reset or with ns, us, ms; kind zero,
    /// one, 1010, stuck (last word), frame (last frame) or noise. May be repeated
    #[arg(long, value_name = "SPEC", value_parser = units::cut)]
    pub cut: Vec<CutSpec>,
    /// Reset an end while its peer runs: END:START:LENGTH, such as a:20us:100. End a, b or
    /// both; start and length as in --cut, or a range of starts such as 20us..40us for a random
    /// one. May be repeated
    #[arg(long, value_name = "SPEC", value_parser = units::reset)]
    pub reset: Vec<ResetSpec>,
    /// Carry this file, both ways
    #[arg(long = "in", value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// The copy that arrives at B
    #[arg(long = "out", value_name = "FILE", requires = "input")]
    pub output: Option<PathBuf>,
    /// The copy that arrives at A
    #[arg(
        long,
        value_name = "FILE",
        requires = "input",
        conflicts_with = "one_way"
    )]
    pub out_back: Option<PathBuf>,
    /// Play the traffic that this CSV file defines beat by beat, in both directions; the user guide
    /// has the columns
    #[arg(long, value_name = "FILE", conflicts_with_all = ["input", "packets", "size", "one_way"])]
    pub csv: Option<PathBuf>,
    /// Write a CSV file with the times of every delivered packet
    #[arg(long, value_name = "FILE")]
    pub csv_out: Option<PathBuf>,
    /// Bytes of a packet that carries the file
    #[arg(long, value_name = "BYTES", value_parser = units::packet_size, requires = "input")]
    pub packet_size: Option<u32>,
    /// Generated packets in each direction [default: 1000]
    #[arg(long, value_name = "N", value_parser = units::packets, conflicts_with = "input")]
    pub packets: Option<u64>,
    /// Bytes of a generated packet: a size, or the range MIN..MAX with both ends included [default:
    /// 1..8192]
    #[arg(long, value_name = "BYTES", value_parser = units::sizes, conflicts_with = "input")]
    pub size: Option<Sizes>,
    /// Load the direction from A to B only
    #[arg(long)]
    pub one_way: bool,
    /// Share of time in which the sinks refuse data, in percent, 0 to 99
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = units::stall_percent, allow_hyphen_values = true)]
    pub stall: f64,
    /// Seed of everything random [default: a fresh one, printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Write a page with plots to DIR/index.html
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Write a waveform of both ends (FST)
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Write the words of the line that B receives, a line for each cycle and on it a word for each
    /// lane: what 'ropewalk decode rifl' reads
    #[arg(long, value_name = "FILE")]
    pub capture: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
}

pub(super) const SIM_HTSP_AFTER: &str = "\
With --phy the MAC, the PCS and the FEC are the models that cores/pcs is tested against, with the markers of the standard; latencies are those of the \
models, which pass whole codewords. --ber is then that of the lanes, before correction.

An op-code goes once, in a header; it is lost with its frame, and the count of lost frames says so.

JSON keys: schema command ok core vcs width_bits burst_bytes line drop ber seed cycles link_up_cycles efficiency latency_cycles{min p50 p99 max} line_frames_lost \
line_frames_damaged frames_missing_told overflows sim_cycles_per_second phy{flipped corrected uncorrectable parity_errors losses downs packets_cut_off} (null \
without lanes) op_codes{sent arrived lost corrupted cut_off latency_cycles{min p50 p99 max}} (null without --op-codes) vc[{frames_sent frames_delivered errored \
lost corrupted}]. packets_cut_off, cut_off: handed over shortly before a link went down, or while it was.

Exit status: 0 whatever is missing or damaged was reported, by an error mark in its channel, by the count of lost frames or by the link that went down; 1 it \
was not, or a buffer overflowed, or the link hangs; 3 bad input.

Examples:
  ropewalk sim htsp --vcs 1 --frame 8192
  ropewalk sim htsp --vcs 16 --frame 64..20000 --frames 2000 --loss 1e-4 --ber 1e-8
  ropewalk sim htsp --vcs 4 --block 2 --line 100g --json
  ropewalk sim htsp --width 128 --line 25g --op-codes 1000 --loss 1%
  ropewalk sim htsp --phy 100g-kr4 --ber 1e-4 --frames 100
  ropewalk sim htsp --phy 100g-lr4 --ber 1e-7 --bursts 1e-8 --lane-losses 2
  ropewalk sim htsp --vcs 16 --tap rope0";

/// `ropewalk sim htsp`.
#[derive(Debug, Clone, Args)]
pub struct SimHtsp {
    /// Channels, 1 to 16
    #[arg(long, value_name = "N", default_value = "4", value_parser = units::vcs)]
    pub vcs: u8,
    /// Bytes of a frame of the users: a size, or the range MIN..MAX with both ends included
    #[arg(long, value_name = "BYTES", default_value = "8192", value_parser = units::sizes)]
    pub frame: Sizes,
    /// Frames of each channel in each direction
    #[arg(long, value_name = "N", default_value = "1000", value_parser = units::packets)]
    pub frames: u64,
    /// Longest burst in bytes: a multiple of 64, 64 to 8192
    #[arg(long, value_name = "BYTES", default_value = "8192", value_parser = units::htsp_burst)]
    pub burst: u16,
    /// Words of 64 bytes in the receive buffer of a channel, 16 to 65535; a quarter of them pauses
    /// the peer
    #[arg(long, value_name = "WORDS", default_value = "4096", value_parser = units::rx_depth)]
    pub rx_depth: u32,
    /// Width of all streams in bits: 128, 256 or 512
    #[arg(long, value_name = "BITS", default_value = "512", value_parser = units::htsp_width)]
    pub width: u16,
    /// What lies between the ends: wires, or the pace of Ethernet with its preambles and gaps. A
    /// cycle has to take what the line carries in it: 256 bits up to 50g, 128 up to 25g
    #[arg(long, value_name = "KIND", default_value = "wires")]
    pub line: HtspLine,
    /// 100G Ethernet in place of the line: MAC and PCS over four lanes in any order, polarity and
    /// skew, with RS-FEC (100g-kr4) or without (100g-lr4), or the MAC's side alone, as --line 100g
    /// (cgmii)
    #[arg(long, value_name = "KIND", conflicts_with_all = ["line", "loss", "delay"])]
    pub phy: Option<HtspPhy>,
    /// With --phy of lanes: most bits by which a lane is late, 0 to 900; drawn for each
    #[arg(long, value_name = "BITS", default_value = "400", requires = "phy", value_parser = units::lane_skew)]
    pub skew: u32,
    /// With --phy of lanes: probability that a burst of 64 bits, half of them wrong, begins at a
    /// bit of a lane, 0 or more and below 0.5
    #[arg(long, value_name = "RATE", default_value = "0", requires = "phy", value_parser = units::ber, allow_hyphen_values = true)]
    pub bursts: f64,
    /// With --phy of lanes: how many times a lane loses its signal, in each direction, 0 to 1000
    #[arg(long, value_name = "N", default_value = "0", requires = "phy", value_parser = units::lane_losses)]
    pub lane_losses: u32,
    /// Cycles from an end to the other, 1 to 100000
    #[arg(long, value_name = "CYCLES", default_value = "2", value_parser = units::delay_cycles)]
    pub delay: u32,
    /// Share of the frames of the line that is lost, such as 1% or 0.01, below 0.5
    #[arg(long, alias = "drop", value_name = "SHARE", default_value = "0", value_parser = units::loss, allow_hyphen_values = true)]
    pub loss: f64,
    /// Probability that a bit is flipped on the line, 0 or more and below 0.5
    #[arg(long, value_name = "RATE", default_value = "0", value_parser = units::ber, allow_hyphen_values = true)]
    pub ber: f64,
    /// Share of time in which the users refuse data, in percent, 0 to 99
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = units::stall_percent, allow_hyphen_values = true)]
    pub stall: f64,
    /// A channel whose users take nothing until all else is done. May be repeated
    #[arg(long, value_name = "VC", value_parser = units::vc)]
    pub block: Vec<u8>,
    /// Load the direction from A to B only
    #[arg(long)]
    pub one_way: bool,
    /// Op-codes in each direction that is loaded, random ones at random times, 0 to 1000000
    #[arg(long, value_name = "N", default_value = "0", value_parser = units::op_codes)]
    pub op_codes: u64,
    /// Seed of everything random [default: a fresh one, printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Attach one end to this network interface, and send back on each channel what it receives,
    /// until it is interrupted. The interface is made if there is none; the other end is whoever
    /// opens it
    #[arg(long, value_name = "NAME", conflicts_with_all = ["frame", "frames", "line", "phy", "delay", "loss", "ber", "stall", "block", "one_way", "op_codes", "seed"])]
    pub tap: Option<String>,
    /// With --tap: end after so long
    #[arg(long = "for", value_name = "TIME", requires = "tap", value_parser = units::time_span)]
    pub duration: Option<Duration>,
    /// Write a page with tables and plots to DIR/index.html
    #[arg(long, value_name = "DIR", conflicts_with = "tap")]
    pub report: Option<PathBuf>,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
}

pub(super) const SIM_SLINK_AFTER: &str = "\
Each operation is started by the published program: four registers, and a loop that reads the status. Its data are new and random, its addresses \
random, those at the other end within its address window. After it all bytes of both memories are compared, and every write is looked at.

With --outstanding 2 or 4, or --both, operations are under way side by side, each in places of its own; the program polls the register queue.

With --crc an operation is correct, or the program is told that it has failed. Without, wrong bits in data reach the memory; impossible \
symbols are told of reads only.

With --blocks both ends go over to 64b/66b before the first operation; a cycle then has 16 bits of a lane in place of 20. Each --switch lets one end ask \
for another mode in the midst of operations; an operation that is refused since fewer lanes are left is started again. A reset clears the registers of \
its end; its chip sets them again, the program asks again for the mode in which the link was, and an operation that the reset has cut counts as failed.

JSON keys: schema command ok core mode coding operations errors retries outstanding both bandwidth_gbps efficiency through_gbps latency_ns{first last} \
restarted resets switches[{end mode start_us took_us result}] not_reached. errors: operations that were reported \
as failed. bandwidth_gbps: of the data, while their packets are on the lanes; efficiency: the same over the rate after line coding, which is 0.8 of \
the line, in 64b/66b 64/66. restarted: operations that were refused for their lanes, and started again. resets: of ends. switches: changes of the line's \
mode that have ended, with the result as in the register line. not_reached: cuts, resets and changes that come behind the end of the run. latency_ns: medians, to the first and the last word in the memory, from the first word that the other memory gave; of a read from \
the start of its request on the lanes; of operations that went well at once, null if there are none. With --outstanding 2 or 4, or --both, retries is null, \
for the registers tell it of the last one only, and so are latencies; through_gbps, else null, is of all data from the first start to the last word.

Exit status: 0 every operation is correct or was told to have failed, no write was executed twice, and nothing was written elsewhere; 1 one of \
these does not hold, or the link did not come up or has hung; 3 bad input.

Examples:
  ropewalk sim slink --mode write --rate 5G --lanes 1 --size 4096
  ropewalk sim slink --mode read --crc --lanes 4 --size 524288 --ops 10 --ber 1e-7
  ropewalk sim slink --mode read --size 64 --outstanding 4 --both
  ropewalk sim slink --crc --ops 5 --ber 1e-5 --capture lanes.txt
  ropewalk sim slink --crc --blocks --ppm 100 --stall 30
  ropewalk sim slink --crc --ops 200 --switch a:100us:2:5G:64b66b --switch b:300us:4:5G:8b10b
  ropewalk sim slink --crc --cut ab:50us:2us:noise --reset b:100us:1us --json
  ropewalk sim slink --crc --ber 1e-5 --ops 1000 --seed 7 --json";

impl SimRifl {
    /// Line rate of a lane in Gb/s, in whichever spelling it was given.
    #[must_use]
    pub fn line_rate_gbps(&self) -> f64 {
        self.line_rate.unwrap_or(self.rate)
    }
}

/// `ropewalk sim slink`.
#[derive(Debug, Clone, Args)]
pub struct SimSlink {
    /// What the operations do to the memory of the other end
    #[arg(long, value_name = "MODE", default_value = "write")]
    pub mode: SlinkMode,
    /// Check codes; what arrives damaged is sent again
    #[arg(long)]
    pub crc: bool,
    /// Line rate of a lane
    #[arg(long, value_name = "RATE", default_value = "5G")]
    pub rate: SlinkRate,
    /// Lanes: 1, 2 or 4
    #[arg(long, value_name = "N", default_value = "4", value_parser = units::slink_lanes)]
    pub lanes: Lanes,
    /// Bytes of an operation: a multiple of 8, 8 to 524288
    #[arg(long, value_name = "BYTES", default_value = "4096", value_parser = units::slink_size)]
    pub size: u32,
    /// Operations of each end that starts some
    #[arg(long, value_name = "N", default_value = "100", value_parser = units::packets)]
    pub ops: u64,
    /// 64b/66b in place of 8b/10b
    #[arg(long)]
    pub blocks: bool,
    /// Operations of an end that may be under way at a time: 1, 2 or 4
    #[arg(long, value_name = "N", default_value = "1", value_parser = units::slink_outstanding)]
    pub outstanding: u8,
    /// Both ends start operations
    #[arg(long)]
    pub both: bool,
    /// Bits of the buses of both memories: 64 or 128
    #[arg(long, value_name = "BITS", default_value = "64", value_parser = slink_specs::slink_bus)]
    pub bus: u32,
    /// Cycles from an end to the other, 3 to 1500
    #[arg(long, value_name = "CYCLES", default_value = "8", value_parser = units::slink_delay)]
    pub delay: u32,
    /// Lanes arrive up to BITS bits apart: each has a random part of it as further delay, 0 to 160
    #[arg(long, value_name = "BITS", default_value = "0", value_parser = units::slink_skew)]
    pub skew: u32,
    /// Probability that a bit is flipped on the line, 0 or more and below 0.5
    #[arg(long, value_name = "RATE", default_value = "0", value_parser = units::ber, allow_hyphen_values = true)]
    pub ber: f64,
    /// How much faster B's clock is than A's, in parts per million, -300 to 300
    #[arg(long, value_name = "PPM", default_value = "0", value_parser = units::ppm, allow_hyphen_values = true)]
    pub ppm: f64,
    /// Share of time in which the memories pause, each channel of their buses by itself, in
    /// percent, 0 to 99
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = units::stall_percent, allow_hyphen_values = true)]
    pub stall: f64,
    /// Change the mode of the line: END:START:LANES:RATE:CODING, such as a:100us:2:2.5G:64b66b. End
    /// a or b asks; start in cycles or with ns, us, ms; no more lanes than --lanes; coding 8b10b or
    /// 64b66b. May be repeated
    #[arg(long, value_name = "SPEC", value_parser = slink_specs::slink_switch)]
    pub switch: Vec<SwitchSpec>,
    /// Cut the lanes: DIRECTION:START:LENGTH:KIND, such as ab:100us:2us:noise. Direction ab or ba,
    /// of one lane as in ab.2; start and length in cycles or with ns, us, ms; kind zero, one, 1010,
    /// stuck or noise. May be repeated
    #[arg(long, value_name = "SPEC", value_parser = slink_specs::slink_cut)]
    pub cut: Vec<CutSpec>,
    /// Reset an end while its peer runs: END:START:LENGTH, such as b:100us:1us. End a, b or
    /// both; start and length as in --cut, or a range of starts such as 100us..200us for a random
    /// one. May be repeated
    #[arg(long, value_name = "SPEC", value_parser = slink_specs::slink_reset)]
    pub reset: Vec<ResetSpec>,
    /// Seed of everything random [default: a fresh one, printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write a page with tables and plots to DIR/index.html
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Write the words of the line that B receives, a line for each cycle and on it a word for each
    /// lane: what 'ropewalk decode slink' reads; those in the line code of the run
    #[arg(long, value_name = "FILE")]
    pub capture: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
}

/// Line rate of an SLink lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum SlinkRate {
    /// 2.5 Gb/s.
    #[value(name = "2.5G")]
    Slow,
    /// 5 Gb/s.
    #[value(name = "5G")]
    Fast,
}

impl SlinkRate {
    /// For the simulation.
    #[must_use]
    pub fn rate(self) -> Rate {
        match self {
            Self::Slow => Rate::Slow,
            Self::Fast => Rate::Fast,
        }
    }
}

/// Lanes between two HTSP ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum HtspPhy {
    /// With RS(528,514).
    #[value(name = "100g-kr4")]
    Kr4,
    /// Without FEC.
    #[value(name = "100g-lr4")]
    Lr4,
    /// No lanes: the pace of 100 Gb/s.
    Cgmii,
}

/// What lies between two HTSP ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum HtspLine {
    /// Every beat, at once.
    Wires,
    /// 100 Gb/s with preamble, check sequence and gap of every frame.
    #[value(name = "100g")]
    Ethernet100,
    /// 50 Gb/s.
    #[value(name = "50g")]
    Ethernet50,
    /// 25 Gb/s.
    #[value(name = "25g")]
    Ethernet25,
}

pub(super) const SIM_RDMA_AFTER: &str = "\
A latency runs from the cycle in which the engine takes a descriptor to the one in which its user reads that it is done.

JSON keys: schema command ok core transfers completed errors cut memory_identical cycles retransmissions throughput_gbps latency_cycles{min p50 p99 max}.

Exit status: 0 every transfer is complete, or was cut short by a reset, and both memories are identical to what they should be, at any time; 1 they are not; 3 bad input.

Examples:
  ropewalk sim rdma --transfers 1000 --size 1..1M
  ropewalk sim rdma --loss 1% --dup 1% --reorder 1% --late 1% --paths 4 --json
  ropewalk sim rdma --transfers 1000 --size 1..20K --resets 5 --local 10%
  ropewalk sim rdma --pages 16 --outstanding 1024 --transfers 5000 --size 1..64K
  ropewalk sim rdma --size 64..1M --sizes elephants --priorities 4 --report report
  ropewalk sim rdma --transfers 20 --size 1..2K --loss 5% --capture words.txt";

/// `ropewalk sim rdma`.
#[derive(Debug, Clone, Args)]
pub struct SimRdma {
    /// Transfers, of both nodes together
    #[arg(long, value_name = "N", default_value = "300", value_parser = units::packets)]
    pub transfers: u64,
    /// Bytes of a transfer: a size, or the range MIN..MAX with both ends included; K and M are 1024
    /// and 1024^2
    #[arg(long, value_name = "BYTES", default_value = "1..1M", value_parser = units::transfer_sizes)]
    pub size: Sizes,
    /// How sizes are distributed
    #[arg(long, value_name = "KIND", default_value = "log")]
    pub sizes: RdmaSizes,
    /// Pages of each engine, 2, 4, 8 or 16; each has 64 channels for transfers
    #[arg(long, value_name = "N", default_value = "2", value_parser = units::pages)]
    pub pages: u8,
    /// Transfers of a node that are under way at a time, 1 to 64 for each of --pages
    #[arg(long, value_name = "N", default_value = "16", value_parser = units::outstanding)]
    pub outstanding: u16,
    /// Class of all transfers; messages are small in any case
    #[arg(long, value_name = "CLASS", default_value = "any")]
    pub class: RdmaClass,
    /// Priorities in use within a class, 1 to 16
    #[arg(long, value_name = "N", default_value = "2", value_parser = units::priorities)]
    pub priorities: u8,
    /// Share of transfers that are reads, such as 20%
    #[arg(long, value_name = "SHARE", default_value = "20%", value_parser = units::share)]
    pub reads: f64,
    /// Put the data of writes of up to 32 bytes into their descriptors: messages
    #[arg(long, value_name = "YES", default_value = "true", action = clap::ArgAction::Set, num_args = 0..=1, default_missing_value = "true")]
    pub inline: bool,
    /// Share of transfers that notify their destination
    #[arg(long, value_name = "SHARE", default_value = "20%", value_parser = units::share)]
    pub notify: f64,
    /// Only node A asks
    #[arg(long)]
    pub one_way: bool,
    /// Share of transfers within the node that asks for them
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = units::share)]
    pub local: f64,
    /// Resets of one of the nodes at random moments, 0 to 1000: its transfers are cut short, the
    /// other one's end all the same
    #[arg(long, value_name = "N", default_value = "0", value_parser = units::resets)]
    pub resets: u64,
    /// Packed framing: packets without gaps between them
    #[arg(long)]
    pub packed: bool,
    /// Cycles from node to node, 1 to 100000
    #[arg(long, value_name = "CYCLES", default_value = "20", value_parser = units::delay_cycles)]
    pub delay: u32,
    /// Paths through the network, 1 to 64; each takes half of --delay more than the one before
    #[arg(long, value_name = "N", default_value = "1", value_parser = units::paths)]
    pub paths: u8,
    /// Share of packets that are lost
    #[arg(long, alias = "drop", value_name = "SHARE", default_value = "0", value_parser = units::share, allow_hyphen_values = true)]
    pub loss: f64,
    /// Share of packets that come twice
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = units::share)]
    pub dup: f64,
    /// Share of packets that others overtake
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = units::share)]
    pub reorder: f64,
    /// Share of packets that come two time-outs late
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = units::share)]
    pub late: f64,
    /// Share of packets with a wrong bit
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = units::share)]
    pub damage: f64,
    /// The network does no harm to what was sent so often before, 0 to 16; 16: to nothing. With
    /// more than --retries a transfer may fail by bad luck
    #[arg(long, value_name = "TRIES", default_value = "8", value_parser = units::spare)]
    pub spare: u8,
    /// How often a block is sent again before its transfer fails, 0 to 15
    #[arg(long, value_name = "N", default_value = "15", value_parser = units::retries)]
    pub retries: u8,
    /// Cycles until a block is sent again, 100 to 10000000 [default: what a round trip may take]
    #[arg(long, value_name = "CYCLES", value_parser = units::timeout_cycles)]
    pub timeout: Option<u32>,
    /// Share of time in which memories and network pause, in percent, 0 to 99
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = units::stall_percent, allow_hyphen_values = true)]
    pub stall: f64,
    /// Seed of everything random [default: a fresh one, printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write a page with tables and plots to DIR/index.html
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Write the words of the network that arrive at each node as text, a column for each, for
    /// `ropewalk decode rdma`
    #[arg(long, value_name = "FILE")]
    pub capture: Option<PathBuf>,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
}

/// How sizes of RDMA transfers are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum RdmaSizes {
    /// Each power of two as often as the next one
    Log,
    /// Each size as often as the next one
    Uniform,
    /// Nine of ten have up to 1024 bytes, the others the largest size
    Elephants,
}

/// Class of RDMA transfers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum RdmaClass {
    /// Each as often as the others
    Any,
    /// No flow, served before all others
    Small,
    /// One path
    OnePath,
    /// Four paths
    FourPaths,
}
