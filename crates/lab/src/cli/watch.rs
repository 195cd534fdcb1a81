// SPDX-License-Identifier: Apache-2.0
//! `ropewalk watch rifl`.

use std::net::SocketAddr;

use clap::Args;
use ropewalk_console::units::number;

use super::SimRifl;
use crate::units::{self, BurstSpec, Sizes};

/// What stands below the help of `ropewalk watch rifl`.
pub const WATCH_RIFL_AFTER: &str = "\
The page has buttons that flip bits, cut a lane, swap lanes, set bit errors and bursts, heat a clock, slip bits and reset an end. /metrics is the same \
as OpenMetrics, /state as JSON.

Exit status: 0 with --duration, everything was delivered once, in order, unchanged, or was cut by a session that ended; 1 it was not, or the link never \
came up; 2 the address cannot be listened at; 3 bad input; 130 interrupted.

Examples:
  ropewalk watch rifl --lanes 4
  ropewalk watch rifl --lanes 2 --ber 1e-7 --pace 200us
  ropewalk watch rifl --listen 127.0.0.1:0 --pace max --duration 5ms";

/// `--pace`: seconds of link time in a second, or as fast as it goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace(
    /// None: as fast as it goes.
    pub Option<f64>,
);

/// `--pace`.
fn pace(text: &str) -> Result<Pace, String> {
    let accepted = "accepted: link time in a second, 1us to 1s, such as 500us; or max";
    let text = text.trim();
    if text == "max" {
        return Ok(Pace(None));
    }
    let units = [("us", 1e-6), ("ms", 1e-3), ("s", 1.0)];
    let mut split = units
        .iter()
        .filter_map(|(unit, scale)| Some((text.strip_suffix(unit)?, scale)));
    let (digits, scale) = split.next().ok_or(accepted)?;
    let pace = number(digits, accepted).map_err(|_| accepted.to_owned())? * scale;
    match (1e-6..=1.0).contains(&pace) {
        true => Ok(Pace(Some(pace))),
        false => Err(accepted.to_owned()),
    }
}

/// `--duration` of a watched simulation, in seconds of link time.
fn link_seconds(text: &str) -> Result<f64, String> {
    pace(text)
        .ok()
        .and_then(|pace| pace.0)
        .ok_or_else(|| "accepted: link time, 1us to 1s, such as 10ms".to_owned())
}

/// `ropewalk watch rifl`.
#[derive(Debug, Clone, Args)]
pub struct WatchRifl {
    /// Address and port of the page; port 0 for one that is free. Whoever reaches it sees the page,
    /// and who sees the page can press its buttons
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7480", value_parser = units::page_address)]
    pub listen: SocketAddr,
    /// Link time that passes in a second, at most, such as 500us; or max
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = pace)]
    pub pace: Pace,
    /// End after this link time, such as 10ms [default: run until interrupted]
    #[arg(long, value_name = "TIME", value_parser = link_seconds)]
    pub duration: Option<f64>,
    /// Lanes of the link: 1, 2, 4 or 8
    #[arg(long, value_name = "N", default_value = "2", value_parser = units::lanes)]
    pub lanes: u8,
    /// Frame width in bits: 128, 256, 512, 1024 or 2048
    #[arg(long, alias = "frame", value_name = "BITS", default_value = "256", value_parser = units::frame_width)]
    pub frame_width: u16,
    /// Width of the user's streams in bits: frame width times 1, 2, 4 .. lanes, at least 64 per
    /// lane [default: the narrowest]
    #[arg(long, value_name = "BITS")]
    pub user_width: Option<u16>,
    /// Line rate of a lane, such as 28G or 10312.5M (bit/s)
    #[arg(long, value_name = "RATE", default_value = "28G", value_parser = units::lane_rate_gbps, allow_hyphen_values = true)]
    pub rate: f64,
    /// Length of the cable, such as 10m or 1.5km
    #[arg(long, value_name = "LENGTH", default_value = "10m", value_parser = units::metres, allow_hyphen_values = true)]
    pub cable: f64,
    /// Delay of the cable in ns per metre
    #[arg(long, value_name = "NS", default_value = "5.0", value_parser = units::ns_per_metre, allow_hyphen_values = true)]
    pub ns_per_metre: f64,
    /// Width of the frame id in bits, 6 to 12 [default: derived from cable and line rate]
    #[arg(long, value_name = "BITS", value_parser = units::id_width)]
    pub id_width: Option<u8>,
    /// Probability that a bit is flipped on the line at first, 0 or more and below 0.5
    #[arg(long, value_name = "RATE", default_value = "0", value_parser = units::ber, allow_hyphen_values = true)]
    pub ber: f64,
    /// Error bursts at first: RATE:LENGTH:DENSITY (bursts per bit, bits, share of flipped bits)
    #[arg(long, value_name = "SPEC", value_parser = units::burst)]
    pub burst: Option<BurstSpec>,
    /// How much faster B's clock is than A's at first, in parts per million, -300 to 300
    #[arg(long, value_name = "PPM", default_value = "0", value_parser = units::ppm, allow_hyphen_values = true)]
    pub ppm: f64,
    /// Lanes arrive up to WORDS words apart: each has a random part of it as further delay
    #[arg(long, value_name = "WORDS", default_value = "0", value_parser = units::skew, allow_hyphen_values = true)]
    pub skew: u32,
    /// Bytes of a packet: a size, or the range MIN..MAX with both ends included [default: 1..8192]
    #[arg(long, value_name = "BYTES", value_parser = units::sizes)]
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
    /// Print nothing but errors
    #[arg(long)]
    pub quiet: bool,
}

impl WatchRifl {
    /// The simulation that is watched, which has no end of its own.
    #[must_use]
    pub fn simulation(&self) -> SimRifl {
        SimRifl {
            lanes: self.lanes,
            frame_width: self.frame_width,
            user_width: self.user_width,
            compatible: false,
            extended: true,
            strong_code: false,
            rate: self.rate,
            line_rate: None,
            cable: self.cable,
            ns_per_metre: self.ns_per_metre,
            id_width: self.id_width,
            ber: self.ber,
            ppm: self.ppm,
            skew: self.skew,
            slip: None,
            burst: self.burst,
            cut: Vec::new(),
            reset: Vec::new(),
            input: None,
            output: None,
            out_back: None,
            csv: None,
            csv_out: None,
            packet_size: None,
            packets: Some(u64::MAX),
            size: self.size,
            one_way: self.one_way,
            stall: self.stall,
            seed: self.seed,
            json: false,
            report: None,
            trace: None,
            capture: None,
            quiet: self.quiet,
        }
    }
}
