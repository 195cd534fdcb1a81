// SPDX-License-Identifier: Apache-2.0
//! The subcommands of HTSP.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use ropewalk_wire::htsp::frame::Word;

use crate::units;

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

/// Protocols that `send` knows.
#[derive(Debug, Subcommand)]
pub enum SendProtocol {
    /// HTSP: files on channels of a link on a network interface; a file of that name is ./htsp
    #[command(after_help = HTSP_SEND_AFTER)]
    Htsp(HtspSend),
}

/// Protocols that `recv` knows.
#[derive(Debug, Subcommand)]
pub enum RecvProtocol {
    /// HTSP: what arrives on channels of a link on a network interface to files; a directory of
    /// that name is ./htsp
    #[command(after_help = HTSP_RECV_AFTER)]
    Htsp(HtspRecv),
}

/// Protocols that `link` knows.
#[derive(Debug, Subcommand)]
pub enum LinkProtocol {
    /// HTSP: files on channels, and what arrives on channels to files
    #[command(after_help = HTSP_LINK_AFTER)]
    Htsp(HtspLink),
}

/// What `stat` knows.
#[derive(Debug, Subcommand)]
pub enum StatProtocol {
    /// HTSP: what goes over a link by sender and channel
    #[command(after_help = HTSP_STAT_AFTER)]
    Htsp(HtspStat),
    /// The registers of any core by their names, through a mapped file; and settings
    #[command(after_help = super::STAT_REGISTERS_AFTER)]
    Registers(super::StatRegisters),
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
    /// EtherType of the frames, as Ethernet reads it; through switches use 0x0600 or more, such as
    /// 0x88b5, at both ends
    #[arg(long, value_name = "TYPE", default_value = "0x0111", value_parser = units::ethertype)]
    pub ethertype: u16,
    /// Longest burst in bytes: a multiple of 64, 64 to 8192; less if the MTU is too small for it
    #[arg(long, value_name = "BYTES", default_value = "8192", value_parser = units::htsp_burst)]
    pub burst: u16,
    /// Longest time without a good frame of the peer, such as 85ms or 5s
    #[arg(long, value_name = "TIME", default_value = "85ms", value_parser = units::time_span)]
    pub alive: Duration,
    /// Send nothing but headers to a peer that has not been heard for so long: it may not run, and
    /// has a buffer for so long
    #[arg(long, value_name = "TIME", default_value = "4ms", value_parser = units::time_span)]
    pub silence: Duration,
    /// Longest time to wait for the peer [default: for ever]
    #[arg(long, value_name = "TIME", value_parser = units::time_span)]
    pub wait: Option<Duration>,
    /// User data in every header until all is sent: up to 16 bytes in hexadecimal, zeros behind
    #[arg(long, value_name = "HEX", value_parser = units::htsp_word)]
    pub user_data: Option<Word>,
    /// Show this end on a live page at this address, such as 127.0.0.1:7480; /metrics there is the
    /// same as OpenMetrics
    #[arg(long, value_name = "ADDR:PORT", value_parser = units::page_address)]
    pub watch: Option<SocketAddr>,
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

Exit status: 0 nothing was missing or damaged; 1 something was, or --frames were not reached; 2 the peer never came, or the interface has failed; 3 bad input.

Examples:
  ropewalk recv htsp --if eth1 --vc 0=run.bin --vc 3=-
  ropewalk recv htsp --if eth1 --vc 0=run.bin --frames 100 --json";

/// `ropewalk recv htsp`.
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

Exit status: 0 all of it was sent to a peer that was there; 1 not all of it; 2 the peer never came or went in between, or the interface has failed; 3 bad input.

Examples:
  ropewalk send htsp --if eth0 --vc 0=run.bin
  ropewalk send htsp --if eth0 --vc 0=run.bin --vc 3=- --frame 1048576 --rate 10G";

/// `ropewalk send htsp`.
#[derive(Debug, Clone, Args)]
pub struct HtspSend {
    /// The end.
    #[command(flatten)]
    pub port: HtspPort,
    /// Channel and file; - for standard input. May be repeated
    #[arg(long, value_name = "VC=FILE", required = true, value_parser = units::channel_file)]
    pub vc: Vec<units::ChannelFile>,
    /// Bytes of a user frame [default: a file is one]
    #[arg(long, value_name = "BYTES", value_parser = units::frame_bytes)]
    pub frame: Option<u64>,
    /// Op-code to send: up to 16 bytes in hexadecimal, zeros behind. May be repeated; they go in
    /// order, each once, with the first headers to the peer
    #[arg(long, value_name = "HEX", value_parser = units::htsp_word)]
    pub op_code: Vec<Word>,
    /// Most bits per second, such as 10G or 200M [default: as fast as it goes]
    #[arg(long, value_name = "RATE", value_parser = units::bit_rate, allow_hyphen_values = true)]
    pub rate: Option<f64>,
}

const HTSP_LINK_AFTER: &str = "\
Ends when all files are on the line and the peer, if it is of this kind, has said the same of its own; when --frames have come; when the \
peer has gone after it was there; with --for; or by an interrupt.

Exit status: 0 all of it was sent, and of what was received nothing was missing or damaged; 1 otherwise; 2 the peer never came or went in between, or the interface has failed; 3 bad input.

Examples:
  ropewalk link htsp --if eth0 --send 0=question.bin --recv 0=answer.bin
  ropewalk link htsp --if eth0 --send 0=- --recv 1=- --quiet";

/// `ropewalk link htsp`.
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
    #[arg(long, value_name = "BYTES", value_parser = units::frame_bytes)]
    pub frame: Option<u64>,
    /// Op-code to send: up to 16 bytes in hexadecimal, zeros behind. May be repeated; they go in
    /// order, each once, with the first headers to the peer
    #[arg(long, value_name = "HEX", value_parser = units::htsp_word)]
    pub op_code: Vec<Word>,
    /// Most bits per second to send, such as 10G or 200M [default: as fast as it goes]
    #[arg(long, value_name = "RATE", value_parser = units::bit_rate, allow_hyphen_values = true)]
    pub rate: Option<f64>,
    /// Receive N user frames on every channel, no more and no fewer
    #[arg(long, value_name = "N", value_parser = units::packets)]
    pub frames: Option<u64>,
    /// End after so long
    #[arg(long = "for", value_name = "TIME", value_parser = units::time_span)]
    pub duration: Option<Duration>,
}

const HTSP_STAT_AFTER: &str = "\
Exit status: 0 all frames seen were good and none was missing; 1 some were not; 2 the interface has failed; 3 bad input.

Examples:
  ropewalk stat htsp --if eth1
  ropewalk stat htsp --if eth1 --for 10s --json
  ropewalk stat htsp --if eth1 --watch 127.0.0.1:7480";

/// `ropewalk stat htsp`.
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
    /// End after so long [default: with an interrupt; with --json and without --watch after 1s]
    #[arg(long = "for", value_name = "TIME", value_parser = units::time_span)]
    pub duration: Option<Duration>,
    /// Show the link on a live page at this address, such as 127.0.0.1:7480; /metrics there is the
    /// same as OpenMetrics
    #[arg(long, value_name = "ADDR:PORT", value_parser = units::page_address)]
    pub watch: Option<SocketAddr>,
    /// Print one JSON object and nothing else on standard output, at the end
    #[arg(long)]
    pub json: bool,
}
