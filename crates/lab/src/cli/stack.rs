// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim stack`.

use std::path::PathBuf;

use clap::Args;
use ropewalk_console::units::whole;

use crate::units::{self, LinkTime, Sizes, link_time};

pub(super) const SIM_STACK_AFTER: &str = "\
RDMA engines, switches and links of four lanes of 28 Gb/s, all of it RTL: --topology says how they are joined, with the names of 'sim network'. Each switch has as many ports as it \
needs. A file, of --file, or 1 MiB that is drawn, goes from the first node to the last one; beside it users of all nodes write, read and send messages of all classes.

A link is named by one of its ends: n0, n1, .. or s0.0, s0.1, ..; without a name it is the first one of the topology.

JSON keys: schema command ok core topology nodes transfers completed errors memory_identical file_identical file_bytes file_gbps cycles \
throughput_gbps retransmissions{engine rifl} latency_cycles{CLASS{min p50 p99 p999 max}} stages_cycles{out link switch in whole} links[{ends bit_errors \
replays replayed_frames words down_cycles sessions_ended}] switches[{received sent aborted refused dropped notices untold}] lossy{loss ok completed file_gbps \
throughput_gbps retransmissions latency_cycles}. latency_cycles has the classes message, small, one_path, four_paths and read; lossy is there with --loss.

Exit status: 0 the file and every transfer arrived, all memories are identical to what they should be, at any time; 1 they are not; 3 bad input.

Examples:
  ropewalk sim stack --ber 1e-6 --report report
  ropewalk sim stack --file photo.jpg --out copy.jpg --ber 1e-6 --cut 2@50us+20us
  ropewalk sim stack --topology star:4 --ber 1e-6 --cut n3:all@20us+10us --swap n1@40us+5us
  ropewalk sim stack --topology star:4 --ber 1e-6 --loss 1%
  ropewalk sim stack --topology star:4 --ber 1e-6 --loss ber
  ropewalk sim stack --transfers 1000 --size 1..64K --json";

/// `ropewalk sim stack`.
#[derive(Debug, Clone, Args)]
pub struct SimStack {
    /// point-to-point, star:NODES, chain:SWITCHESxNODES, fat-tree:NODES, torus:AxB or a file .toml;
    /// 2 to 64 nodes. A switch of more ports takes longer to simulate
    #[arg(long, value_name = "TOPOLOGY", default_value = "point-to-point")]
    pub topology: String,
    /// Carry this file from the first node to the last one [default: 1 MiB that is drawn]
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The file as it arrives
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Transfers of the users beside the file, of all nodes together
    #[arg(long, value_name = "N", default_value = "200", value_parser = units::packets)]
    pub transfers: u64,
    /// Bytes of a transfer: a size, or the range MIN..MAX with both ends included; K and M are 1024
    /// and 1024^2
    #[arg(long, value_name = "BYTES", default_value = "1..64K", value_parser = units::transfer_sizes)]
    pub size: Sizes,
    /// Transfers of a node that are under way at a time, 1 to 128
    #[arg(long, value_name = "N", default_value = "8", value_parser = units::outstanding)]
    pub outstanding: u16,
    /// Share of transfers that are reads, such as 20%
    #[arg(long, value_name = "SHARE", default_value = "20%", value_parser = units::share)]
    pub reads: f64,
    /// Probability that a bit is flipped on any lane, 0 or more and below 0.01 [default: of the
    /// file, or 0]
    #[arg(long, value_name = "RATE", value_parser = units::ber, allow_hyphen_values = true)]
    pub ber: Option<f64>,
    /// Length of all cables, such as 10m or 1.5km [default: what makes the delay of the topology's
    /// links, 20 cycles if it says nothing]
    #[arg(long, value_name = "LENGTH", value_parser = units::metres, allow_hyphen_values = true)]
    pub cable: Option<f64>,
    /// Cut a lane, or all of them, in both directions, and join it again: LANE@START+LENGTH or
    /// LINK:LANE@START+LENGTH, times with ns, us or ms, such as 2@50us+20us or n1:all@50us+20us.
    /// May be repeated
    #[arg(long, value_name = "SPEC", value_parser = lane_cut)]
    pub cut: Vec<LaneCut>,
    /// Exchange lanes 0 and 1 for a time: LINK@START+LENGTH, such as n1@50us+20us. May be repeated
    #[arg(long, value_name = "SPEC", value_parser = lane_swap)]
    pub swap: Vec<LaneSwap>,
    /// Words of a queue in a switch from which on packets that leave it are marked, 1 to 1024, so
    /// that engines lower their rates [default: credits alone hold them back]
    #[arg(long, value_name = "WORDS", value_parser = mark)]
    pub mark: Option<u16>,
    /// Run the same once more over a plain network that loses this share of the packets, without
    /// RIFL and credits, such as 1%, and print both side by side; ber: the share that the bit
    /// errors would damage there
    #[arg(long, value_name = "SHARE", value_parser = units::plain_loss)]
    pub loss: Option<units::PlainLoss>,
    /// Cycles from the last word of a block to its answer, after which it is sent again [default:
    /// beyond what queues and faults of the links can take, so that only what was lost is]
    #[arg(long, value_name = "CYCLES", value_parser = units::timeout_cycles)]
    pub timeout: Option<u32>,
    /// Seed of everything random [default: a fresh one, printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write a page with the topology, load, latency and events to DIR/index.html
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
}

fn mark(text: &str) -> Result<u16, String> {
    whole(text, 1..=1024, " words")
}

/// When, and for how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Nanoseconds from the start.
    pub start_ns: f64,
    /// Nanoseconds.
    pub length_ns: f64,
}

/// A lane that is cut for a time, as given.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneCut {
    /// An end of the link; none: the first link.
    pub link: Option<String>,
    /// Which lane; none: all.
    pub lane: Option<u8>,
    /// When.
    pub span: Span,
}

/// A link whose lanes 0 and 1 are exchanged for a time, as given.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneSwap {
    /// An end of the link.
    pub link: String,
    /// When.
    pub span: Span,
}

/// What stands in front of the `@`, and the times behind it.
fn spec(text: &str) -> Option<(&str, Span)> {
    let (what, times) = text.split_once('@')?;
    let (start, length) = times.split_once('+')?;
    let time = |text| match link_time(text) {
        Some(LinkTime::Ns(ns)) if ns > 0.0 => Some(ns),
        _ => None,
    };
    let span = Span {
        start_ns: time(start)?,
        length_ns: time(length)?,
    };
    Some((what, span))
}

/// A lane that is cut for a time, such as `2@50us+20us` or `n1:all@50us+20us`.
///
/// # Errors
/// What would be accepted.
pub fn lane_cut(text: &str) -> Result<LaneCut, String> {
    let parse = || {
        let (what, span) = spec(text)?;
        let (link, lane) = match what.split_once(':') {
            Some((link, lane)) => (Some(link.to_owned()), lane),
            None => (None, what),
        };
        let lane = match lane {
            "all" => None,
            lane => Some(lane.parse().ok().filter(|lane| *lane < 4)?),
        };
        Some(LaneCut { link, lane, span })
    };
    parse().ok_or_else(|| {
        "accepted: [LINK:]LANE@START+LENGTH with lane 0 to 3 or all and times with ns, us or ms, such as 2@50us+20us \
         or n1:all@50us+20us"
            .to_owned()
    })
}

/// A link whose lanes are exchanged for a time, such as `n1@50us+20us`.
///
/// # Errors
/// What would be accepted.
pub fn lane_swap(text: &str) -> Result<LaneSwap, String> {
    let (link, span) = spec(text)
        .filter(|(link, _)| !link.is_empty())
        .ok_or("accepted: LINK@START+LENGTH with times with ns, us or ms, such as n1@50us+20us")?;
    let link = link.to_owned();
    Ok(LaneSwap { link, span })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lane_cuts() {
        let cut = lane_cut("2@50us+20us").unwrap();
        assert_eq!((cut.link, cut.lane), (None, Some(2)));
        assert_eq!((cut.span.start_ns, cut.span.length_ns), (50e3, 20e3));
        let cut = lane_cut("s0.1:all@1ms+1ns").unwrap();
        assert_eq!((cut.link.as_deref(), cut.lane), (Some("s0.1"), None));
        for bad in [
            "2",
            "4@1us+1us",
            "2@1us",
            "2@400+20us",
            "x@1us+1us",
            "2@1us+0us",
            "n1@1us+1us",
        ] {
            let said = lane_cut(bad).unwrap_err();
            assert!(said.starts_with("accepted: [LINK:]LANE"), "{bad}");
        }
    }

    #[test]
    fn lane_swaps() {
        let swap = lane_swap("n1@50us+20us").unwrap();
        assert_eq!((&*swap.link, swap.span.length_ns), ("n1", 20e3));
        for bad in ["n1", "@1us+1us", "n1@1us+0us", "n1@1us"] {
            let said = lane_swap(bad).unwrap_err();
            assert!(said.starts_with("accepted: LINK@"), "{bad}");
        }
    }
}
