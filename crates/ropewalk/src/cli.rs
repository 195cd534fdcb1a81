// SPDX-License-Identifier: Apache-2.0
//! The arguments. What each one means is its help text; what is accepted is checked by its parser.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use ropewalk_sim::slink::Rate;
use ropewalk_wire::chunk::Fec;
use ropewalk_wire::chunk::handshake::Code;
use ropewalk_wire::line::Lanes;
use ropewalk_wire::rifl::FrameWidth;

use crate::units::{self, BurstSpec, CutSpec, ResetSpec, Sizes, Slips};

/// Lossless links, from the wire to the host.
#[derive(Debug, Parser)]
#[command(
    name = "ropewalk",
    version,
    propagate_version = true,
    max_term_width = 100,
    arg_required_else_help = false
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the real RTL, cycle by cycle, through a channel that you describe
    Sim {
        /// Which core.
        #[command(subcommand)]
        core: SimCore,
    },
    /// Calculate a link before it is built: sizes, efficiency, goodput, latency, time between failures
    Plan {
        /// Which core.
        #[command(subcommand)]
        core: PlanCore,
    },
    /// Measure a core and print its figures beside the published ones
    Bench {
        /// Which core.
        #[command(subcommand)]
        core: BenchCore,
    },
    /// Take captured frames apart, and say which are bad and how many are missing
    Decode {
        /// Which protocol.
        #[command(subcommand)]
        core: DecodeCore,
    },
    /// Be one end of an HTSP link on a network interface
    Htsp {
        /// What to do.
        #[command(subcommand)]
        action: HtspAction,
    },
    /// Measure bulk transfer from memory to memory on this machine: chunks over UDP lanes on the loopback interface
    #[command(after_help = PERF_AFTER)]
    Perf(Perf),
    /// Send a file, a directory or standard input to a host where 'ropewalk recv' runs
    #[command(after_help = SEND_AFTER)]
    Send(Send),
    /// Receive files of 'ropewalk send' in a directory
    #[command(after_help = RECV_AFTER)]
    Recv(Recv),
    /// Make a key for 'send' and 'recv', or show the public part of one
    #[command(after_help = KEY_AFTER)]
    Key(Key),
    /// Print the completion script of a shell
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page (roff)
    Man,
}

/// How the lanes of a bulk transfer are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Arrange {
    /// A pipeline for each lane, each with chunks of its own: throughput
    Stable,
    /// One pipeline that spreads every chunk over all lanes: latency
    LowLatency,
}

/// What of a bulk transfer shares a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Threads {
    /// All stages of an end
    End,
    /// The stages of a lane at an end
    Lane,
    /// Nothing: a thread for each stage
    Stage,
}

/// `perf`.
#[derive(Debug, Args)]
pub struct Perf {
    /// Lanes, each a UDP socket at either end
    #[arg(long, default_value = "1", value_parser = units::bulk_lanes)]
    pub lanes: u8,
    /// How the lanes are used
    #[arg(long, value_enum, default_value = "stable")]
    pub arrange: Arrange,
    /// For how long chunks are offered
    #[arg(long, default_value = "5", value_parser = units::seconds)]
    pub seconds: Duration,
    /// Share of the sub-packets that the receiver takes for damaged, such as 1%
    #[arg(long, default_value = "0", value_parser = units::share)]
    pub drop: f64,
    /// Most bits per second of a lane, such as 10G; without it as fast as frames arrive
    #[arg(long, value_parser = units::bit_rate)]
    pub rate: Option<f64>,
    /// Run the stages on the runtime, with a thread for each end, each lane or each stage; without it both ends are single state machines
    #[arg(long, value_enum)]
    pub threads: Option<Threads>,
    /// Chunks of a pipeline that are on their way at a time
    #[arg(long, default_value = "4", value_parser = units::chunks)]
    pub chunks: u16,
    /// Encrypt and authenticate every sub-packet (AES-256-GCM) in place of its check
    #[arg(long)]
    pub sealed: bool,
    /// Error correction: none; rs:T, parity that mends T bytes of each of the 64 codewords of a sub-packet; or erasure:K+M, M sub-packets of
    /// parity for K sub-packets, which restore as many that do not arrive
    #[arg(long, default_value = "none", value_parser = units::fec)]
    pub fec: Fec,
    /// Sub-packets of a chunk: a multiple of 8, 8 to 65472; the paper's chunks have 13800
    #[arg(long, value_name = "N", default_value = "1024")]
    pub per_chunk: u16,
    /// One JSON object on standard output
    #[arg(long)]
    pub json: bool,
}

const PERF_AFTER: &str = "\
Frames have 8 sub-packets of 1216 bytes, as in the paper. Processor time is that of both ends and of the kernel: least where the memory of \
all chunks on their way, 1 245 184 bytes each unless told otherwise, stays in the caches.

JSON keys: ok lanes arrangement drop sealed fec chunk_bytes goodput_gbps cpu_s_per_gb chunk_latency_ms{p50 p99} chunks resent_subpackets \
lost_subpackets mended_subpackets mended_bytes restored_subpackets buffer_overflows wrong_chunks.

Exit status: 0 all chunks arrived unchanged; 1 one differs; 2 it could not be measured.";

/// Cores that can be simulated.
#[derive(Debug, Subcommand)]
pub enum SimCore {
    /// Two RIFL endpoints and the wire between them; both directions are loaded
    #[command(after_help = SIM_RIFL_AFTER)]
    Rifl(Box<SimRifl>),
    /// Two HTSP ends back to back; all channels of both directions are loaded
    #[command(after_help = SIM_HTSP_AFTER)]
    Htsp(SimHtsp),
    /// Two chips with memories, joined by an SLink; one of them writes to or reads from the memory of the other
    #[command(after_help = SIM_SLINK_AFTER)]
    Slink(SimSlink),
    /// Two RDMA engines with memories and the network between them; every byte of both memories is compared
    #[command(after_help = SIM_RDMA_AFTER)]
    Rdma(SimRdma),
}

/// Cores that can be planned.
#[derive(Debug, Subcommand)]
pub enum PlanCore {
    /// RIFL: one column per frame width, beside the published core and other protocols
    #[command(after_help = PLAN_RIFL_AFTER)]
    Rifl(PlanRifl),
    /// Bulk transfer in chunks: what each stage has to do, what it can do here, which core does what, and what losses cost
    #[command(after_help = PLAN_CHUNK_AFTER)]
    Chunk(PlanChunk),
    /// SLink: which lanes and speed reach a bandwidth and a latency, and what errors cost
    #[command(after_help = PLAN_SLINK_AFTER)]
    Slink(PlanSlink),
}

/// Cores that can be measured.
#[derive(Debug, Subcommand)]
pub enum BenchCore {
    /// RIFL: latency, efficiency, stall after an error, goodput against bit errors, link-up, speed
    Rifl(BenchRifl),
    /// HTSP: bandwidth, frame rate and latency for frames of 64 bytes to 1 MiB, channels, link-up, speed
    Htsp(BenchOptions),
    /// RDMA: message rate, time and throughput of transfers of 8 bytes to 1 MiB, one after the other and many at a time
    Rdma(BenchOptions),
    /// SLink: latency of all 24 modes against the formula, bandwidth by size, beside the paper and PCI Express
    Slink(BenchOptions),
    /// Bulk transfer: the paper's tables and figures in virtual time, transports on this machine (ours, and those of 'make peers'), codes
    Chunk(BenchOptions),
}

/// Protocols whose frames can be taken apart.
#[derive(Debug, Subcommand)]
pub enum DecodeCore {
    /// HTSP: every frame of a pcap or pcapng file that has the EtherType
    #[command(after_help = DECODE_HTSP_AFTER)]
    Htsp(DecodeHtsp),
}

const SIM_RIFL_AFTER: &str = "\
Exit status: 0 everything was delivered once, in order, unchanged; 1 it was not, or the link stalled or never \
came up; 2 bad input. Output files are written beside their place and renamed at the end: they are whole or untouched.

Examples:
  ropewalk sim rifl --packets 10000 --size 1..8192 --ber 1e-6
  ropewalk sim rifl --in photo.jpg --out copy.jpg --cable 100m --ber 1e-6 --report report
  ropewalk sim rifl --csv traffic.csv --csv-out times.csv --ber 1e-6
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
    /// Width of the user's streams in bits: frame width times 1, 2, 4 .. lanes, at least 64 per lane [default: the
    /// narrowest]
    #[arg(long, value_name = "BITS")]
    pub user_width: Option<u16>,
    /// Use the mode of the published core instead of the extended mode, which makes the reset of one end safe and recovers
    /// faster
    #[arg(long)]
    pub compatible: bool,
    /// The default; older scripts say so.
    #[arg(long, hide = true, conflicts_with = "compatible")]
    pub extended: bool,
    /// Line rate of a lane, such as 28G or 10312.5M (bit/s)
    #[arg(long, value_name = "RATE", default_value = "28G", value_parser = units::line_rate_gbps, allow_hyphen_values = true)]
    pub line_rate: f64,
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
    /// Bit slip at the receivers, 0 to 63: one for both directions or AB,BA [default: random for every lane]
    #[arg(long, value_name = "BITS", value_parser = units::slips)]
    pub slip: Option<Slips>,
    /// Error bursts: RATE:LENGTH:DENSITY (bursts per bit, bits, share of flipped bits), such as 1e-7:64:0.5
    #[arg(long, value_name = "SPEC", value_parser = units::burst)]
    pub burst: Option<BurstSpec>,
    /// Cut the wire: DIRECTION:START:LENGTH:KIND, such as ab:20us:400:zero. Direction ab or ba, of one
    /// lane as in ab.2; start and length in GT cycles from reset or with ns, us, ms; kind zero, one, 1010, stuck (last
    /// word), frame (last frame) or noise.
    /// May be repeated
    #[arg(long, value_name = "SPEC", value_parser = units::cut)]
    pub cut: Vec<CutSpec>,
    /// Reset an end while the other one runs: END:START:LENGTH, such as a:20us:100. End a, b or both; start and length
    /// as in --cut, or a range of starts such as 20us..40us for a random one. May be repeated
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
    /// Play the traffic that this CSV file defines beat by beat, in both directions; the user guide has the columns
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
    /// Bytes of a generated packet: a size, or the range MIN..MAX with both ends included [default: 1..8192]
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
    /// Print nothing but errors
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
}

const SIM_HTSP_AFTER: &str = "\
Exit status: 0 whatever is missing or damaged was told, by an error mark in its channel or by the count of lost frames; 1 it \
was not, or a buffer overflowed, or the link hangs; 2 bad input.

Examples:
  ropewalk sim htsp --vcs 1 --frame 8192
  ropewalk sim htsp --vcs 16 --frame 64..20000 --frames 2000 --drop 1e-4 --ber 1e-8
  ropewalk sim htsp --vcs 4 --block 2 --line 100g --json
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
    /// Words of 64 bytes in the receive buffer of a channel, 16 to 65535; a quarter of them pauses the peer
    #[arg(long, value_name = "WORDS", default_value = "4096", value_parser = units::rx_depth)]
    pub rx_depth: u32,
    /// What lies between the ends: wires, or the pace of 100g Ethernet with its preambles and gaps
    #[arg(long, value_name = "KIND", default_value = "wires")]
    pub line: HtspLine,
    /// Cycles from an end to the other, 1 to 100000
    #[arg(long, value_name = "CYCLES", default_value = "2", value_parser = units::delay_cycles)]
    pub delay: u32,
    /// Probability that a frame of the line is lost, 0 or more and below 0.5
    #[arg(long, value_name = "RATE", default_value = "0", value_parser = units::ber, allow_hyphen_values = true)]
    pub drop: f64,
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
    /// Seed of everything random [default: a fresh one, printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Attach one end to this network interface, and send back on each channel what it receives, until it is interrupted. The interface
    /// is made if there is none; the other end is whoever opens it
    #[arg(long, value_name = "NAME", conflicts_with_all = ["frame", "frames", "line", "delay", "drop", "ber", "stall", "block", "one_way", "seed"])]
    pub tap: Option<String>,
    /// With --tap: end after so long
    #[arg(long = "for", value_name = "TIME", requires = "tap", value_parser = units::time_span)]
    pub duration: Option<Duration>,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
}

const SIM_SLINK_AFTER: &str = "\
Each operation is started by the published program: four registers, and a loop that reads the status. Its data are new and random, its addresses \
random, those at the other end within its address window. After it all bytes of both memories are compared, and every write is looked at.

With --crc an operation is correct, or the program is told that it has failed. Without, wrong bits in data reach the memory; impossible \
symbols are told of reads only.

JSON keys: ok core mode operations errors retries bandwidth_gbps efficiency latency_ns{first last}. errors: operations that the program was told \
to have failed. bandwidth_gbps: of the data, while their packets are on the lanes; efficiency: the same over the rate after line coding, which is 0.8 of \
the line. latency_ns: medians, to the first and the last word in the memory, from the first word that the other memory gave; of a read from \
the start of its request on the lanes; of operations that went well at once, null if there are none.

Exit status: 0 every operation is correct or was told to have failed, no write was executed twice, and nothing was written elsewhere; 1 one of \
these does not hold, or the link did not come up or has hung; 2 bad input.

Examples:
  ropewalk sim slink --mode write --rate 5G --lanes 1 --size 4096
  ropewalk sim slink --mode read --crc --lanes 4 --size 524288 --ops 10 --ber 1e-7
  ropewalk sim slink --crc --ber 1e-5 --ops 1000 --seed 7 --json";

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
    /// Operations, one after the other
    #[arg(long, value_name = "N", default_value = "100", value_parser = units::packets)]
    pub ops: u64,
    /// Cycles from an end to the other, 3 to 1500
    #[arg(long, value_name = "CYCLES", default_value = "8", value_parser = units::slink_delay)]
    pub delay: u32,
    /// Lanes arrive up to BITS bits apart: each has a random part of it as further delay, 0 to 160
    #[arg(long, value_name = "BITS", default_value = "0", value_parser = units::slink_skew)]
    pub skew: u32,
    /// Probability that a bit is flipped on the line, 0 or more and below 0.5
    #[arg(long, value_name = "RATE", default_value = "0", value_parser = units::ber, allow_hyphen_values = true)]
    pub ber: f64,
    /// Seed of everything random [default: a fresh one, printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write a page with tables and plots to DIR/index.html
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
}

/// What an SLink operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum SlinkMode {
    /// From the other memory to the own one.
    Read,
    /// From the own memory to the other one.
    Write,
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

/// What lies between two HTSP ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum HtspLine {
    /// Every word, at once.
    Wires,
    /// 100 Gb/s with preamble, check sequence and gap of every frame.
    #[value(name = "100g")]
    Ethernet,
}

const SIM_RDMA_AFTER: &str = "\
A latency runs from the cycle in which the engine takes a descriptor to the one in which its user reads that it is done.

JSON keys: ok core transfers completed errors cut memory_identical cycles retransmissions throughput_gbps latency_cycles{min p50 p99 max}.

Exit status: 0 every transfer is complete, or was cut short by a reset, and both memories are identical to what they should be, at any time; 1 they are not; 2 bad input.

Examples:
  ropewalk sim rdma --transfers 1000 --size 1..1M
  ropewalk sim rdma --drop 1% --dup 1% --reorder 1% --late 1% --paths 4 --json
  ropewalk sim rdma --transfers 1000 --size 1..20K --resets 5 --local 10%
  ropewalk sim rdma --size 64..1M --sizes elephants --priorities 4 --report report";

/// `ropewalk sim rdma`.
#[derive(Debug, Clone, Args)]
pub struct SimRdma {
    /// Transfers, of both nodes together
    #[arg(long, value_name = "N", default_value = "300", value_parser = units::packets)]
    pub transfers: u64,
    /// Bytes of a transfer: a size, or the range MIN..MAX with both ends included; K and M are 1024 and 1024^2
    #[arg(long, value_name = "BYTES", default_value = "1..1M", value_parser = units::transfer_sizes)]
    pub size: Sizes,
    /// How sizes are distributed
    #[arg(long, value_name = "KIND", default_value = "log")]
    pub sizes: RdmaSizes,
    /// Transfers of a node that are under way at a time, 1 to 64
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
    /// Resets of one of the nodes at random moments, 0 to 1000: its transfers are cut short, the other one's end all the same
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
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = units::share)]
    pub drop: f64,
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
    /// The network does no harm to what was sent so often before, 0 to 16; 16: to nothing. With more than --retries a transfer may fail by bad luck
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

/// What an HTSP end on a network interface can do.
#[derive(Debug, Subcommand)]
pub enum HtspAction {
    /// Write what arrives on channels to files
    #[command(after_help = HTSP_RECV_AFTER)]
    Recv(HtspRecv),
    /// Send files on channels
    #[command(after_help = HTSP_SEND_AFTER)]
    Send(HtspSend),
    /// Send files on channels, and write what arrives on channels to files
    #[command(after_help = HTSP_LINK_AFTER)]
    Link(HtspLink),
    /// Watch a link without taking part in it: what goes over it by sender and channel
    #[command(after_help = HTSP_STAT_AFTER)]
    Stat(HtspStat),
}

/// How an HTSP end gets at its interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum HtspBackend {
    /// Packet sockets, which every interface has.
    Packet,
    /// AF_XDP, past the network stack of the kernel.
    Xdp,
}

/// One end of a link on a network interface.
#[derive(Debug, Clone, Args)]
pub struct HtspPort {
    /// Network interface
    #[arg(long = "if", value_name = "NAME")]
    pub interface: String,
    /// How to get at it
    #[arg(long, value_enum, default_value_t = HtspBackend::Packet)]
    pub backend: HtspBackend,
    /// EtherType of the frames, as Ethernet reads it; through switches use 0x0600 or more, such as 0x88b5, at both ends
    #[arg(long, value_name = "TYPE", default_value = "0x0111", value_parser = units::ethertype)]
    pub ethertype: u16,
    /// Longest burst in bytes: a multiple of 64, 64 to 8192; less if the MTU is too small for it
    #[arg(long, value_name = "BYTES", default_value = "8192", value_parser = units::htsp_burst)]
    pub burst: u16,
    /// Longest time without a good frame of the peer, such as 85ms or 5s
    #[arg(long, value_name = "TIME", default_value = "85ms", value_parser = units::time_span)]
    pub alive: Duration,
    /// Send nothing but headers to a peer that has not been heard for so long: it may not run, and has a buffer for so long
    #[arg(long, value_name = "TIME", default_value = "4ms", value_parser = units::time_span)]
    pub silence: Duration,
    /// Longest time to wait for the peer [default: for ever]
    #[arg(long, value_name = "TIME", value_parser = units::time_span)]
    pub wait: Option<Duration>,
    /// Write all frames of both directions to a capture file (pcap)
    #[arg(long, value_name = "FILE")]
    pub pcap: Option<PathBuf>,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
}

const HTSP_RECV_AFTER: &str = "\
Ends when the peer has gone after it was there, or has said that nothing more will come; with --frames or --for; or by an interrupt, which \
is no error unless it is in the middle of a user frame. A user frame that ends in error is written as far as it came, counted, and its place in the file is told. Other channels than those named are \
paused when their buffers are full.

Exit status: 0 nothing was missing or damaged; 1 something was, or the peer never came, or --frames were not reached; 2 bad input.

Examples:
  ropewalk htsp recv --if eth1 --vc 0=run.bin --vc 3=-
  ropewalk htsp recv --if eth1 --vc 0=run.bin --frames 100 --json";

/// `ropewalk htsp recv`.
#[derive(Debug, Clone, Args)]
pub struct HtspRecv {
    /// The end.
    #[command(flatten)]
    pub port: HtspPort,
    /// Channel and file; - for standard output. May be repeated
    #[arg(long, value_name = "VC=FILE", required = true, value_parser = units::channel_file)]
    pub vc: Vec<units::ChannelFile>,
    /// End when every channel has brought N user frames
    #[arg(long, value_name = "N", value_parser = units::packets)]
    pub frames: Option<u64>,
    /// End after so long
    #[arg(long = "for", value_name = "TIME", value_parser = units::time_span)]
    pub duration: Option<Duration>,
}

const HTSP_SEND_AFTER: &str = "\
Ends when all files are on the line. HTSP acknowledges nothing: only the peer knows whether they have arrived.

Exit status: 0 all of it was sent to a peer that was there; 1 the peer never came or went in between; 2 bad input.

Examples:
  ropewalk htsp send --if eth0 --vc 0=run.bin
  ropewalk htsp send --if eth0 --vc 0=run.bin --vc 3=- --frame 1048576 --rate 10G";

/// `ropewalk htsp send`.
#[derive(Debug, Clone, Args)]
pub struct HtspSend {
    /// The end.
    #[command(flatten)]
    pub port: HtspPort,
    /// Channel and file; - for standard input. May be repeated
    #[arg(long, value_name = "VC=FILE", required = true, value_parser = units::channel_file)]
    pub vc: Vec<units::ChannelFile>,
    /// Bytes of a user frame [default: a file is one]
    #[arg(long, value_name = "BYTES", value_parser = units::packets)]
    pub frame: Option<u64>,
    /// Most bits per second, such as 10G or 200M [default: as fast as it goes]
    #[arg(long, value_name = "RATE", value_parser = units::bit_rate)]
    pub rate: Option<f64>,
}

const HTSP_LINK_AFTER: &str = "\
Ends when all files are on the line and the peer, if it is of this kind, has said the same of its own; when --frames have come; when the \
peer has gone after it was there; with --for; or by an interrupt.

Exit status: 0 all of it was sent, and of what was received nothing was missing or damaged; 1 otherwise; 2 bad input.

Examples:
  ropewalk htsp link --if eth0 --send 0=question.bin --recv 0=answer.bin
  ropewalk htsp link --if eth0 --send 0=- --recv 1=- --quiet";

/// `ropewalk htsp link`.
#[derive(Debug, Clone, Args)]
#[command(group(clap::ArgGroup::new("files").required(true).multiple(true).args(["send", "recv"])))]
pub struct HtspLink {
    /// The end.
    #[command(flatten)]
    pub port: HtspPort,
    /// Channel and file to send; - for standard input. May be repeated
    #[arg(long, value_name = "VC=FILE", value_parser = units::channel_file)]
    pub send: Vec<units::ChannelFile>,
    /// Channel and file to write to; - for standard output. May be repeated
    #[arg(long, value_name = "VC=FILE", value_parser = units::channel_file)]
    pub recv: Vec<units::ChannelFile>,
    /// Bytes of a user frame that is sent [default: a file is one]
    #[arg(long, value_name = "BYTES", value_parser = units::packets)]
    pub frame: Option<u64>,
    /// Most bits per second to send, such as 10G or 200M [default: as fast as it goes]
    #[arg(long, value_name = "RATE", value_parser = units::bit_rate)]
    pub rate: Option<f64>,
    /// Receive N user frames on every channel, no more and no fewer
    #[arg(long, value_name = "N", value_parser = units::packets)]
    pub frames: Option<u64>,
    /// End after so long
    #[arg(long = "for", value_name = "TIME", value_parser = units::time_span)]
    pub duration: Option<Duration>,
}

const HTSP_STAT_AFTER: &str = "\
Exit status: 0 all frames seen were good and none was missing; 1 some were not; 2 bad input.

Examples:
  ropewalk htsp stat --if eth1
  ropewalk htsp stat --if eth1 --for 10s --json";

/// `ropewalk htsp stat`.
#[derive(Debug, Clone, Args)]
pub struct HtspStat {
    /// Network interface
    #[arg(long = "if", value_name = "NAME")]
    pub interface: String,
    /// EtherType of the frames, as Ethernet reads it
    #[arg(long, value_name = "TYPE", default_value = "0x0111", value_parser = units::ethertype)]
    pub ethertype: u16,
    /// Time between two tables
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = units::time_span)]
    pub every: Duration,
    /// End after so long [default: with an interrupt; with --json after 1s]
    #[arg(long = "for", value_name = "TIME", value_parser = units::time_span)]
    pub duration: Option<Duration>,
    /// Print one JSON object and nothing else on standard output, at the end
    #[arg(long)]
    pub json: bool,
}

const SEND_AFTER: &str = "\
A transfer that is interrupted, at either end, goes on where it was when both run again. Every block and every file is compared by hash. \
Links and special files in a directory are left out, and told.

All that goes over the network is encrypted, and both ends know that the other one is who it should be: by the code that the receiver shows, which is asked for unless it is given, or by keys. Only --trusted does without.

Exit status: 0 all of it is in place at the receiver; 1 it is not; 2 bad input; 130 interrupted.

Examples:
  ropewalk send run.bin store:7425
  ropewalk send run17/ store --code 1234-5678 --lane 10.0.0.1=10.0.0.2 --lane 10.0.1.1=10.0.1.2
  ropewalk send run17/ store --key own.key --allow store.pub
  tar c run17 | ropewalk send - store --trusted --rate 5G";

/// `ropewalk send`.
#[derive(Debug, Clone, Args)]
pub struct Send {
    /// File or directory; - for standard input, which becomes the file 'stdin'
    #[arg(value_name = "FILE|DIR|-")]
    pub path: PathBuf,
    /// Receiver; its port is 7425 unless another one is named
    #[arg(value_name = "HOST[:PORT]", value_parser = units::host)]
    pub host: units::Host,
    /// A lane: own address, and address of the receiver. May be repeated [default: one lane to HOST]
    #[arg(long, value_name = "LOCAL=REMOTE", value_parser = units::lane)]
    pub lane: Vec<units::Lane>,
    /// How several lanes are used
    #[arg(long, value_enum, default_value_t = Arrange::LowLatency)]
    pub arrange: Arrange,
    /// Most bits per second of all lanes together, such as 5G or 200M [default: as fast as it goes]
    #[arg(long, value_name = "RATE", value_parser = units::bit_rate)]
    pub rate: Option<f64>,
    /// Parity, for lanes that lose much: none; rs:T mends T bytes of each of the 64 codewords of a sub-packet; erasure:K+M restores M of K + M sub-packets
    /// that do not arrive, M being at most K
    #[arg(long, value_name = "CODE", default_value = "none", value_parser = units::fec)]
    pub fec: Fec,
    /// How long to try without success, such as 60s
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = units::time_span)]
    pub timeout: Duration,
    /// Code that the receiver shows [default: it is asked for]
    #[arg(long, value_name = "CODE", value_parser = units::code, conflicts_with_all = ["key", "trusted"])]
    pub code: Option<Code>,
    /// Own key, made by 'ropewalk key'
    #[arg(
        long,
        value_name = "FILE",
        requires = "allow",
        conflicts_with = "trusted"
    )]
    pub key: Option<PathBuf>,
    /// The public key of the receiver
    #[arg(long, value_name = "FILE", requires = "key")]
    pub allow: Option<PathBuf>,
    /// Everybody on the network between is trusted: nobody proves who he is, and nothing is encrypted
    #[arg(long)]
    pub trusted: bool,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
}

const RECV_AFTER: &str = "\
What is not complete is called NAME.part, with a table of its blocks beside it, NAME.part.blocks; a file gets its name when all of it is there and its hash is \
right. A file of the same name is replaced then. Nothing is ever written outside of DIR.

It shows a code that a sender has to know: a new one for each transfer, and after wrong ones. A sender that was interrupted and goes on by itself needs none. With --key and --allow keys are used instead. Only --trusted does without.

Exit status, with --once: 0 everything is in place; 1 it is not; 2 bad input. Without, it ends by an interrupt.

Examples:
  ropewalk recv incoming
  ropewalk recv incoming --key own.key --allow senders.pub
  ropewalk recv incoming --trusted --once --listen 10.0.0.2:7425 --json";

/// `ropewalk recv`.
#[derive(Debug, Clone, Args)]
pub struct Recv {
    /// Directory; it is made if it is not there
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Own address and port; [::]:7425 for IPv6, port 0 for one that is free
    #[arg(long, value_name = "ADDR:PORT", default_value = "0.0.0.0:7425", value_parser = units::address)]
    pub listen: std::net::SocketAddr,
    /// End after one transfer
    #[arg(long)]
    pub once: bool,
    /// Own key, made by 'ropewalk key'
    #[arg(
        long,
        value_name = "FILE",
        requires = "allow",
        conflicts_with = "trusted"
    )]
    pub key: Option<PathBuf>,
    /// Public keys of the senders that are admitted, a line each
    #[arg(long, value_name = "FILE", requires = "key")]
    pub allow: Option<PathBuf>,
    /// Everybody on the network between is trusted: nobody proves who he is, and nothing is encrypted
    #[arg(long)]
    pub trusted: bool,
    /// Print one JSON object and nothing else on standard output, at the end
    #[arg(long, requires = "once")]
    pub json: bool,
}

const KEY_AFTER: &str = "\
What is printed is the public part: a line for the --allow of the other end. FILE is made if it is not there, for its owner alone to read.

Exit status: 0; 2 FILE cannot be written, or is there and no key.

Examples:
  ropewalk key own.key > own.pub";

/// `ropewalk key`.
#[derive(Debug, Clone, Args)]
pub struct Key {
    /// Where the key is kept
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

const PLAN_RIFL_AFTER: &str = "\
Exit status: 0; 2 bad input, or a cable that no id width reaches.

Examples:
  ropewalk plan rifl --lanes 4 --cable 100m --ber 1e-8
  ropewalk plan rifl --frame-width 256 --packet 64 --report report
  ropewalk plan rifl --rate 25.78125G --cable 500m --ns-per-metre 4.9 --json";

/// `ropewalk plan rifl`.
#[derive(Debug, Clone, Args)]
pub struct PlanRifl {
    /// Line rate of a lane, such as 28G or 10312.5M (bit/s)
    #[arg(long, value_name = "RATE", default_value = "28G", value_parser = units::line_rate_gbps, allow_hyphen_values = true)]
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
    /// Delay one way of what is neither cable nor this core, in ns: both transceivers. The default is an allowance;
    /// ask the transceiver's manual
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
    /// Width of the frame id in bits, 6 to 12 [default: what the link needs, or what the published core computes if
    /// that is more]
    #[arg(long, value_name = "BITS", value_parser = units::id_width)]
    pub id_width: Option<u8>,
    /// Width of the user's interface in bits: the frame width times 1, 2, 4, up to the lanes [default: the frame
    /// width, at least 64 bits per lane]
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

const PLAN_CHUNK_AFTER: &str = "\
Stages: generator (chunks), aggregator, crc-fec, combiner, ack-generator (sub-packets), ack-processor (acks), interface (frames). What is \
not given is measured on this machine, which takes a second.

Exit status: 0; 2 bad input.

Examples:
  ropewalk plan chunk --rate 80G --lanes 8
  ropewalk plan chunk --rate 80G --lanes 8 --capability paper
  ropewalk plan chunk --rate 100G --lanes 4 --loss 1% --arrange low-latency --cores 16 --report report
  ropewalk plan chunk --capability crc-fec=80 --accelerator crc-fec=2M --json";

/// `ropewalk plan chunk`.
#[derive(Debug, Clone, Args)]
pub struct PlanChunk {
    /// Gross rate of all lanes, such as 80G (bit/s)
    #[arg(long, value_name = "RATE", default_value = "80G", value_parser = units::bit_rate)]
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
    /// What one instance of a stage can do, such as aggregator=650k (items per second), instead of measuring it; or paper, for all that
    /// the paper tells. May be repeated
    #[arg(long, value_name = "STAGE=RATE", value_parser = units::capability)]
    pub capability: Vec<units::CapabilitySpec>,
    /// What an accelerator for a stage can do (items per second); it takes the stage if that needs more cores than there are. May be repeated
    #[arg(long, value_name = "STAGE=RATE", value_parser = units::stage_rate)]
    pub accelerator: Vec<(String, f64)>,
    /// How rates are counted: exact, or as in the paper, which takes 1.56 % off the gross rate and rounds [default: exact; paper
    /// with --capability paper]
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
    /// Time from the end of a chunk to the start of the next one in us, where a chunk waits for the one before; the default is the paper's
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

const PLAN_SLINK_AFTER: &str = "\
The fewest lanes that are enough are chosen, at the lower speed if that is enough. A line with errors takes CRC. First word: from the first word \
that the source gives, or from the request of a read, to the first one in the memory.

Exit status: 0; 2 bad input, or no mode does it.

Examples:
  ropewalk plan slink --bandwidth 10G --size 4096
  ropewalk plan slink --mode read --latency 500 --ber 1e-9 --json";

/// `ropewalk plan slink`.
#[derive(Debug, Clone, Args)]
pub struct PlanSlink {
    /// What the operations do to the memory of the other end
    #[arg(long, value_name = "MODE", default_value = "write")]
    pub mode: SlinkMode,
    /// Least data rate, such as 10G (bit/s)
    #[arg(long, value_name = "RATE", value_parser = units::bit_rate)]
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
    /// How long the memory that is written may take nothing, in ns, without a packet that has to wait
    #[arg(long, value_name = "NS", default_value = "0", value_parser = units::slink_stall, allow_hyphen_values = true)]
    pub stall: f64,
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

/// `ropewalk bench rifl`.
#[derive(Debug, Clone, Args)]
pub struct BenchRifl {
    /// More packet sizes and bit error rates, for finer plots: some minutes more
    #[arg(long, conflicts_with = "quick")]
    pub long: bool,
    /// What every benchmark has.
    #[command(flatten)]
    pub common: BenchOptions,
}

/// Options of every benchmark.
#[derive(Debug, Clone, Args)]
pub struct BenchOptions {
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Fewer packets: seconds instead of minutes
    #[arg(long)]
    pub quick: bool,
    /// Seed of everything random [default: a fresh one, printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write a page with tables and plots to DIR/index.html
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
}

const DECODE_HTSP_AFTER: &str = "\
Exit status: 0 all frames are good and none is missing; 1 some are bad, missing, again or late; 2 bad input. \
Frames have to be captured without FCS, as is usual.

Examples:
  ropewalk decode htsp link.pcap
  ropewalk decode htsp link.pcapng --ethertype 0x88b5 --json";

/// `ropewalk decode htsp`.
#[derive(Debug, Clone, Args)]
pub struct DecodeHtsp {
    /// The capture
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// EtherType of the frames, as Ethernet reads it
    #[arg(long, value_name = "TYPE", default_value = "0x0111", value_parser = units::ethertype)]
    pub ethertype: u16,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
}

/// What is wrong with the arguments, in one line.
pub fn one_line(error: &clap::Error) -> String {
    use clap::error::ErrorKind;
    let text = error.to_string();
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand
    ) {
        return "a subcommand is missing; see 'ropewalk --help'".to_owned();
    }
    // The paragraphs after the first are usage and hints, except that lists of arguments continue indented.
    let first: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    let message = first.join(" ");
    let message = message
        .strip_prefix("error: ")
        .unwrap_or(&message)
        .to_owned();
    let tip = text
        .lines()
        .map(str::trim)
        .find_map(|line| line.strip_prefix("tip: "));
    match (error.kind(), tip) {
        (ErrorKind::ValueValidation, _) => message,
        (_, Some(tip)) => format!("{message}; {tip}"),
        _ => format!("{message}; see --help"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    fn refused(args: &str) -> String {
        let args = format!("ropewalk {args}");
        let error = Cli::try_parse_from(args.split_whitespace()).expect_err("must be refused");
        let line = one_line(&error);
        assert!(!line.contains('\n'), "{line}");
        line
    }

    #[test]
    fn refusals_name_the_value_and_what_is_accepted() {
        for (args, parts) in [
            (
                "sim rifl --frame-width 100",
                &["'100'", "--frame-width", "128, 256, 512, 1024 or 2048"][..],
            ),
            ("sim rifl --ber -1e-6", &["'-1e-6'", "--ber", "below 0.5"]),
            ("sim rifl --ber 0.5", &["'0.5'", "--ber", "below 0.5"]),
            ("sim rifl --ber NaN", &["'NaN'", "--ber"]),
            ("sim rifl --ber", &["--ber"]),
            ("sim rifl --lanes 3", &["'3'", "--lanes", "1, 2, 4 or 8"]),
            ("sim rifl --skew -1", &["'-1'", "--skew", "0 to 65536"]),
            ("sim rifl --size 0", &["'0'", "--size", "1"]),
            ("sim rifl --size 9..3", &["'9..3'", "--size"]),
            ("sim rifl --size 1..99999999", &["99999999", "--size"]),
            ("sim rifl --packets 0", &["'0'", "--packets"]),
            ("sim rifl --cable -3m", &["'-3m'", "--cable"]),
            ("sim rifl --cable 3ft", &["'3ft'", "--cable", "m or km"]),
            ("sim rifl --line-rate 28X", &["'28X'", "--line-rate"]),
            ("sim rifl --slip 64", &["'64'", "--slip", "63"]),
            ("sim rifl --stall 100", &["'100'", "--stall", "99"]),
            ("sim rifl --cut ab:1", &["'ab:1'", "--cut"]),
            (
                "sim rifl --reset c:1:1",
                &["'c:1:1'", "--reset", "a, b or both"],
            ),
            ("sim rifl --burst 2:1:1", &["'2:1:1'", "--burst"]),
            ("sim rifl --id-width 5", &["'5'", "--id-width", "6 to 12"]),
            ("sim rifl --out x", &["--in"]),
            ("sim rifl --in x --packets 3", &["--in", "--packets"]),
            (
                "sim rifl --in x --one-way --out-back y",
                &["--one-way", "--out-back"],
            ),
            ("plan rifl --lanes 3", &["'3'", "--lanes", "1, 2, 4 or 8"]),
            (
                "plan rifl --frame-width 384",
                &["'384'", "--frame-width", "256, 512"],
            ),
            ("plan rifl --circuit-ns -1", &["'-1'", "--circuit-ns"]),
            ("plan rifl --packet 0", &["'0'", "--packet", "1 to"]),
            ("sim slink --lanes 3", &["'3'", "--lanes", "1, 2 or 4"]),
            ("sim slink --size 12", &["'12'", "--size", "multiple of 8"]),
            ("sim slink --rate 3G", &["'3G'", "--rate", "2.5G, 5G"]),
            (
                "sim slink --mode copy",
                &["'copy'", "--mode", "read, write"],
            ),
            ("sim slink --ber 0.5", &["'0.5'", "--ber", "below 0.5"]),
            ("sim slink --ops 0", &["'0'", "--ops"]),
            ("sim slink --delay 2", &["'2'", "--delay", "3 to 1500"]),
            ("sim slink --skew 161", &["'161'", "--skew", "0 to 160"]),
            ("sim rifl --wombat", &["--wombat"]),
            ("sim", &["subcommand"]),
            ("", &["subcommand"]),
            ("sim slang", &["slang"]),
        ] {
            let line = refused(args);
            for part in parts {
                assert!(
                    line.contains(part),
                    "'{args}' gave '{line}', which does not name {part}"
                );
            }
        }
    }
}
