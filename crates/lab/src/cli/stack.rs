// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim stack`.

use std::path::PathBuf;

use clap::Args;

use crate::units::{self, LinkTime, Sizes, link_time};

pub(super) const SIM_STACK_AFTER: &str = "\
Two nodes, a link of four lanes of 28 Gb/s between them, and a file: of --file, or 1 MiB that is drawn. Beside it users of both nodes write, read and \
send messages of all classes.

JSON keys: schema command ok core nodes transfers completed errors memory_identical file_identical file_bytes file_gbps cycles \
throughput_gbps retransmissions{engine rifl} latency_cycles{CLASS{min p50 p99 p999 max}} stages_cycles{out link in whole} links[{ends bit_errors \
replays replayed_frames words down_cycles sessions_ended}]. latency_cycles has the classes message, small, one_path, four_paths and read.

Exit status: 0 the file and every transfer arrived, all memories are identical to what they should be, at any time; 1 they are not; 3 bad input.

Examples:
  ropewalk sim stack --ber 1e-6 --report report
  ropewalk sim stack --file photo.jpg --out copy.jpg --ber 1e-6 --cut 2@50us+20us
  ropewalk sim stack --transfers 1000 --size 1..64K --json";

/// `ropewalk sim stack`.
#[derive(Debug, Clone, Args)]
pub struct SimStack {
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
    /// Probability that a bit is flipped on any lane, 0 or more and below 0.5
    #[arg(long, value_name = "RATE", default_value = "0", value_parser = units::ber, allow_hyphen_values = true)]
    pub ber: f64,
    /// Length of the cables, such as 10m or 1.5km
    #[arg(long, value_name = "LENGTH", default_value = "10m", value_parser = units::metres, allow_hyphen_values = true)]
    pub cable: f64,
    /// Cut a lane in both directions, and join it again: LANE@START+LENGTH, times with ns, us or
    /// ms, such as 2@50us+20us. May be repeated
    #[arg(long, value_name = "SPEC", value_parser = lane_cut)]
    pub cut: Vec<LaneCut>,
    /// Cycles from the last word of a block to its answer, after which it is sent again [default:
    /// 400000, so that only what was lost is]
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

/// A lane that is cut for a time, as given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LaneCut {
    /// Which lane.
    pub lane: u8,
    /// When, in nanoseconds.
    pub start_ns: f64,
    /// For how long, in nanoseconds.
    pub length_ns: f64,
}

/// A lane that is cut for a time, such as `2@50us+20us`.
///
/// # Errors
/// What would be accepted.
pub fn lane_cut(text: &str) -> Result<LaneCut, String> {
    let accepted = || {
        "accepted: LANE@START+LENGTH with lane 0 to 3 and times with ns, us or ms, such as 2@50us+20us"
            .to_owned()
    };
    let (lane, times) = text.split_once('@').ok_or_else(accepted)?;
    let (start, length) = times.split_once('+').ok_or_else(accepted)?;
    let time = |text| match link_time(text) {
        Some(LinkTime::Ns(ns)) if ns > 0.0 => Ok(ns),
        _ => Err(accepted()),
    };
    let lane = lane.parse().ok().filter(|lane| *lane < 4);
    Ok(LaneCut {
        lane: lane.ok_or_else(accepted)?,
        start_ns: time(start)?,
        length_ns: time(length)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lane_cuts() {
        let cut = lane_cut("2@50us+20us").unwrap();
        assert_eq!((cut.lane, cut.start_ns, cut.length_ns), (2, 50e3, 20e3));
        for bad in [
            "2",
            "4@1us+1us",
            "2@1us",
            "2@400+20us",
            "x@1us+1us",
            "2@1us+0us",
        ] {
            assert!(
                lane_cut(bad).unwrap_err().starts_with("accepted: LANE"),
                "{bad}"
            );
        }
    }
}
