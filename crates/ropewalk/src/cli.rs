// SPDX-License-Identifier: Apache-2.0
//! The arguments. What each one means is its help text; what is accepted is checked by its parser.

mod decode;
mod htsp;
mod registers;
mod select;
mod watch;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use ropewalk_console::failure::{Failure, STATUS};
#[cfg(feature = "lab")]
use ropewalk_lab::cli::Command as Lab;
use ropewalk_wire::chunk::Fec;
use ropewalk_wire::chunk::handshake::Code;

#[cfg(not(feature = "lab"))]
use crate::absent::Lab;
use crate::units;
pub use decode::*;
pub use htsp::*;
pub use registers::*;
pub use select::Patterns;
pub use watch::*;

/// Lossless links, from the wire to the host.
#[derive(Debug, Parser)]
#[command(
    name = "ropewalk",
    version,
    propagate_version = true,
    max_term_width = 100,
    arg_required_else_help = false,
    after_help = STATUS
)]
pub struct Cli {
    /// Say more on standard error: which lanes, how long each phase took, where settings come from,
    /// and what becomes of sessions, lanes and keys; twice: also what was refused or dropped
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The laboratory.
    #[command(flatten)]
    Lab(Lab),
    /// Take captured frames apart, and say which are bad and how many are missing
    Decode {
        /// Which protocol.
        #[command(subcommand)]
        core: DecodeCore,
    },
    /// The older spelling of 'send htsp', 'recv htsp', 'link htsp' and 'stat htsp'
    #[command(hide = true)]
    Htsp {
        /// What to do.
        #[command(subcommand)]
        action: HtspAction,
    },
    /// Measure bulk transfer from memory to memory on this machine: chunks over UDP lanes on the
    /// loopback interface
    #[command(after_help = PERF_AFTER)]
    Perf(Perf),
    /// Send files, directories or standard input to a host where 'ropewalk recv' runs
    #[command(after_help = SEND_AFTER)]
    Send(SendWhat),
    /// Receive files of 'ropewalk send' in a directory
    #[command(after_help = RECV_AFTER)]
    Recv(RecvWhat),
    /// Send and receive at once
    Link {
        /// Which protocol.
        #[command(subcommand)]
        protocol: LinkProtocol,
    },
    /// Watch a link without taking part in it, or show the registers of a core
    Stat {
        /// Which protocol, or registers.
        #[command(subcommand)]
        protocol: StatProtocol,
    },
    /// Show a link on a live page, and as OpenMetrics
    Watch {
        /// Which link.
        #[command(subcommand)]
        source: WatchSource,
    },
    /// Make a key for 'send' and 'recv', or show the public part of one
    #[command(after_help = KEY_AFTER)]
    Key(Key),
    /// Print the completion script of a shell
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print a manual page (roff)
    #[command(after_help = MAN_AFTER)]
    Man {
        /// Subcommand whose page it is, such as 'send' or 'decode htsp' [default: the command
        /// itself]
        #[arg(value_name = "SUBCOMMAND")]
        path: Vec<String>,
        /// Write the pages of the command and of all subcommands into this directory
        #[arg(long, value_name = "DIR", conflicts_with = "path")]
        out: Option<PathBuf>,
    },
}

const MAN_AFTER: &str = "\
Examples:
  ropewalk man decode htsp | man -l -
  ropewalk man --out ~/.local/share/man/man1";

/// What `send` sends: files to `recv`, or frames of a protocol.
#[derive(Debug, Args)]
#[command(
    override_usage = "ropewalk send [OPTIONS] <FILE|DIR|->... <HOST[:PORT]>\n       ropewalk send <COMMAND>",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true
)]
pub struct SendWhat {
    /// Which protocol; without one, files.
    #[command(subcommand)]
    pub protocol: Option<SendProtocol>,
    /// Files.
    #[command(flatten)]
    pub files: Option<Send>,
    /// Which of them.
    #[command(flatten)]
    pub patterns: Patterns,
}

/// What `recv` receives: files of `send`, or frames of a protocol.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true
)]
pub struct RecvWhat {
    /// Which protocol; without one, files.
    #[command(subcommand)]
    pub protocol: Option<RecvProtocol>,
    /// Files.
    #[command(flatten)]
    pub files: Option<Recv>,
}

/// How the lanes of a bulk transfer are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
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

/// Lanes of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Socket {
    /// Datagrams
    Udp,
    /// Connections
    Tcp,
}

/// Lanes of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Via {
    /// UDP
    Udp,
    /// TCP as long as the connections live, and UDP after that or where there are none
    Tcp,
    /// TCP, UDP or both together: what brings most, as is measured at the start and while it runs
    Auto,
}

/// `perf`.
#[derive(Debug, Args)]
pub struct Perf {
    /// Lanes, each a socket at either end
    #[arg(long, default_value = "1", value_parser = units::bulk_lanes)]
    pub lanes: u8,
    /// What the sockets are
    #[arg(long, value_enum, default_value = "udp", conflicts_with_all = ["threads", "plan"])]
    pub via: Socket,
    /// How the lanes are used
    #[arg(long, value_enum, default_value = "stable")]
    pub arrange: Arrange,
    /// For how long chunks are offered
    #[arg(long, default_value = "5", value_parser = units::seconds)]
    pub seconds: Duration,
    /// Share of the sub-packets that the receiver takes for damaged, such as 1%
    #[arg(long, alias = "drop", value_name = "SHARE", default_value = "0", value_parser = units::share, allow_hyphen_values = true)]
    pub loss: f64,
    /// Most bits per second of a lane, such as 10G; without it as fast as frames arrive
    #[arg(long, value_parser = units::bit_rate, allow_hyphen_values = true)]
    pub rate: Option<f64>,
    /// Run the stages on the runtime, with a thread for each end, each lane or each stage; without
    /// it both ends are single state machines
    #[arg(long, value_enum)]
    pub threads: Option<Threads>,
    /// Run the mapping of a plan, which 'ropewalk plan chunk --json' has printed: its stages share
    /// threads, and threads stay on cores, as planned; lanes, sizes and rate are those of the plan
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["lanes", "arrange", "rate", "threads", "payload", "per_chunk"]
    )]
    pub plan: Option<PathBuf>,
    /// Chunks of a pipeline that are on their way at a time
    #[arg(long, default_value = "4", value_parser = units::chunks)]
    pub chunks: u16,
    /// Encrypt and authenticate every sub-packet (AES-256-GCM) in place of its check
    #[arg(long)]
    pub sealed: bool,
    /// Error correction: none; rs:T, parity that mends T bytes of each of the 64 codewords of a
    /// sub-packet; or erasure:K+M, M sub-packets of parity for K sub-packets, which restore as many
    /// that do not arrive
    #[arg(long, default_value = "none", value_parser = units::fec)]
    pub fec: Fec,
    /// Bytes of a sub-packet: a multiple of 64, 64 to 8192; frames have as many as fit 9728 bytes.
    /// The paper's have 1216; 'send' without a code takes 4864
    #[arg(long, value_name = "BYTES", default_value = "1216")]
    pub payload: u16,
    /// Sub-packets of a chunk: a multiple of 8, 8 to 65472; the paper's chunks have 13800
    #[arg(long, value_name = "N", default_value = "1024")]
    pub per_chunk: u16,
    /// One JSON object on standard output
    #[arg(long)]
    pub json: bool,
}

const PERF_AFTER: &str = "\
Frames have 8 sub-packets of 1216 bytes, as in the paper, unless told otherwise. Processor time is that of both ends and of the kernel: least where the memory of \
all chunks on their way, 1 245 184 bytes each unless told otherwise, stays in the caches.

JSON keys: schema command ok lanes via arrangement drop sealed fec chunk_bytes goodput_gbps cpu_s_per_gb chunk_latency_ms{p50 p99} chunks resent_subpackets \
lost_subpackets mended_subpackets mended_bytes restored_subpackets buffer_overflows wrong_chunks, with --plan also plan{planned_gbps threads[]{name core stages[]} stages[]{stage planned measured} \
warnings[]}: items per second that one of a stage can take on a core, in the plan and as measured while all of it ran.

Exit status: 0 all chunks arrived unchanged; 1 one differs; 2 a lane has failed; 3 bad input.";

const SEND_AFTER: &str = "\
A transfer that is interrupted, at either end, goes on where it was when both run again. Every block and every file is compared by hash. \
Links in a directory are copied as links; what is neither file nor directory nor link is left out, and the exit status is 1.

A PATTERN without '/' is compared with the last part of each name in the directories, at any depth; one with '/' in front or inside with the way from the directory that is named; one that ends with '/' matches only directories. '*' and '?' stand for characters other than '/', '**' for any directories, [a-z] for one of these characters, {a,b} for one of these patterns. What is named on the command line is always sent.

All that goes over the network is encrypted, and both ends know that the other one is who it should be: by the code that the receiver shows, which is asked for unless it is given, or by keys. Only --trusted does without.

Exit status: 0 all of it is in place at the receiver; 1 it is not, or the receiver has refused it, as where it has too little space or may not write; 2 nobody \
answers there, or the network has failed; 3 bad input, such as two sources of one name; 130 interrupted. With --dry-run: 0 all of it would be sent; 1 not all, \
or the receiver would refuse; 3 and 130 likewise.

Examples:
  ropewalk send run.bin store:7425
  ropewalk send run17/ store --code 1234-5678 --lane 10.0.0.1=10.0.0.2 --lane 10.0.1.1=10.0.1.2
  ropewalk send run17/ store --key own.key --allow store.pub
  ropewalk send notes.txt data/ store --exclude '*.tmp' --exclude cache/ --limit 200M
  ropewalk send run17/ store --via auto
  ropewalk send run17/ store --dry-run --code 1234-5678
  tar c run17 | ropewalk send - store --trusted --rate 5G
  ropewalk send run17/ store --config site.toml";

/// `ropewalk send`.
#[derive(Debug, Clone, Args)]
pub struct Send {
    /// Files and directories, each of another name; - for standard input, which becomes the file
    /// 'stdin'. The last word is the receiver, HOST or HOST:PORT; its port is 7425 unless another
    /// one is named
    // One argument, so that options may stand between the words.
    #[arg(value_name = "FILE|DIR|-", num_args = 1..)]
    pub words: Vec<OsString>,
    /// All of these words but the last one.
    #[arg(skip)]
    pub paths: Vec<PathBuf>,
    /// The last one.
    #[arg(skip = units::Host::NOWHERE)]
    pub host: units::Host,
    /// A lane: own address, and address of the receiver. May be repeated [default: one lane to
    /// HOST]
    #[arg(long, value_name = "LOCAL=REMOTE", value_parser = units::lane)]
    pub lane: Vec<units::Lane>,
    /// What carries the data. With tcp and auto each lane is one of either kind, and those of the
    /// kind that is not used stand by
    #[arg(long, value_enum, default_value_t = Via::Udp)]
    pub via: Via,
    /// How several lanes are used
    #[arg(long, value_enum, default_value_t = Arrange::LowLatency)]
    pub arrange: Arrange,
    /// Most bits per second of all lanes together, such as 5G or 200M [default: as fast as it goes]
    #[arg(long, visible_alias = "limit", value_name = "RATE", value_parser = units::bit_rate, allow_hyphen_values = true)]
    pub rate: Option<f64>,
    /// Which names in the directories are sent: those of [`SendWhat`].
    #[arg(skip)]
    pub patterns: Patterns,
    /// Send nothing: say how much it would be, and what the receiver has of it already, if
    /// --code, ROPEWALK_CODE, --key or --trusted is given and it answers within 5 s
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Send changed files whole, and look for no older ones at the receiver. By default only what
    /// these do not have is sent of a file above 1 MiB
    #[arg(long)]
    pub no_delta: bool,
    /// Send the extended attributes of the user (user.*) of files and directories along. The
    /// receiver's file system must take them
    #[arg(long)]
    pub xattrs: bool,
    /// Parity, for lanes that lose much: none; rs:T mends T bytes of each of the 64 codewords of a
    /// sub-packet; erasure:K+M restores M of K + M sub-packets that do not arrive, M being at most
    /// K
    #[arg(long, value_name = "CODE", default_value = "none", value_parser = units::fec)]
    pub fec: Fec,
    /// How long to try without success, such as 60s
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = units::time_span)]
    pub timeout: Duration,
    /// Code that the receiver shows [default: that of the environment variable ROPEWALK_CODE;
    /// without it, it is asked for]
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
    /// Everybody on the network between is trusted: nobody proves who he is, and nothing is
    /// encrypted
    #[arg(long)]
    pub trusted: bool,
    /// Show the transfer on a live page at this address, such as 127.0.0.1:7480; /metrics there is
    /// the same as OpenMetrics
    #[arg(long, value_name = "ADDR:PORT", value_parser = units::page_address)]
    pub watch: Option<SocketAddr>,
    /// Take what is not given here from section "send" of this TOML file; its keys are the long
    /// names of these options
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
}

const RECV_AFTER: &str = "\
What is not complete is called NAME.part, with a table of its blocks beside it, NAME.part.blocks; a file gets its name when all of it is there and its hash is \
right. A file of the same name is replaced then. Nothing is ever written outside of DIR.

It shows a code that a sender has to know: a new one for each transfer, and after wrong ones. A sender that was interrupted and goes on by itself needs none. With --key and --allow keys are used instead. Only --trusted does without.

Exit status, with --once: 0 everything is in place; 1 it is not; 2 the network has failed; 3 bad input. Without, it ends by an interrupt.

Examples:
  ropewalk recv incoming
  ropewalk recv incoming --key own.key --allow senders.pub
  ropewalk recv incoming --trusted --once --listen 10.0.0.2:7425 --json";

impl Send {
    /// Takes the words apart.
    ///
    /// # Errors
    /// There are too few, or the last one is no receiver.
    pub fn with_sources(mut self, patterns: Patterns) -> Result<Self, Failure> {
        let Some((host, sources @ [_, ..])) = self.words.split_last() else {
            return Err(Failure::BadInput(NO_HOST.to_owned()));
        };
        let host = host.to_string_lossy();
        self.host = units::host(&host).map_err(|why| {
            Failure::BadInput(format!("invalid value '{host}' for '<HOST[:PORT]>': {why}"))
        })?;
        self.paths = sources.iter().map(PathBuf::from).collect();
        self.patterns = patterns;
        Ok(self)
    }
}

/// What is said where words are missing.
pub const NO_HOST: &str = "no files and receiver are named; accepted: FILE|DIR|-... HOST[:PORT], or a protocol; see --help";

/// `ropewalk recv`.
#[derive(Debug, Clone, Args)]
pub struct Recv {
    /// Directory; it is made if it is not there
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Own address and port, an IPv6 address in brackets; port 0 for one that is free
    #[arg(long, value_name = "ADDR:PORT", default_value = "0.0.0.0:7425", value_parser = units::address)]
    pub listen: SocketAddr,
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
    /// Everybody on the network between is trusted: nobody proves who he is, and nothing is
    /// encrypted
    #[arg(long)]
    pub trusted: bool,
    /// Show the transfer on a live page at this address, such as 127.0.0.1:7480; /metrics there is
    /// the same as OpenMetrics
    #[arg(long, value_name = "ADDR:PORT", value_parser = units::page_address)]
    pub watch: Option<SocketAddr>,
    /// Take what is not given here from section "recv" of this TOML file; its keys are the long
    /// names of these options
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print one JSON object and nothing else on standard output, at the end
    #[arg(long, requires = "once")]
    pub json: bool,
}

const KEY_AFTER: &str = "\
What is printed is the public part: a line for the --allow of the other end. FILE is made if it is not there, for its owner alone to read.

Exit status: 0; 3 FILE cannot be written, or is there and no key.

Examples:
  ropewalk key own.key > own.pub";

/// `ropewalk key`.
#[derive(Debug, Clone, Args)]
pub struct Key {
    /// Where the key is kept
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}
