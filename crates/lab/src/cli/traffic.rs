// SPDX-License-Identifier: Apache-2.0
//! `ropewalk traffic`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use ropewalk_console::units::{file_offset, time_span, whole};

/// What can be done with traffic in hardware.
#[derive(Debug, Subcommand)]
pub enum TrafficAction {
    /// Play, record and compare with a core in hardware, by its registers
    #[command(after_help = RUN_AFTER)]
    Run(TrafficRun),
    /// Print the writes of registers that load and start a core, for a program that has none of
    /// this
    #[command(after_help = ENCODE_AFTER)]
    Encode(TrafficEncode),
}

const RUN_AFTER: &str = "\
FILE is a base address register of a PCI device, a map of UIO (map M of /dev/uioN begins at M times 4096), or /dev/mem. The CSV files are those of 'ropewalk sim \
rifl --csv'; what was recorded is such a file, too, and its cycles count from cycle 0 of what is played, or else from the begin of the recording.

An interruption stops the player behind its packet and shows what there is.

JSON keys: schema command ok play{loaded beats packets runs stalled_cycles} capture{beats packets stored missed expected differences first_difference{beat index run expected arrived}}; \
play, and capture, are null where they were not wanted, and so are expected, differences and first_difference.

Exit status: 0 done, no difference, nothing missed; 1 a difference, or beats that were missed or did not come; 2 the clock of the streams stands still, or they were reset; 3 bad input.

Examples:
  ropewalk traffic run /dev/uio0 --play traffic.csv --expect traffic.csv --runs 1000
  ropewalk traffic run /sys/bus/pci/devices/0000:01:00.0/resource0 --base 0x10000 --play traffic.csv --record arrived.csv
  ropewalk traffic run /dev/uio1 --record arrived.csv --seconds 5s";

const ENCODE_AFTER: &str = "\
A line is an address and a value, such as '0x040 0x00000002'. They are written in this order, each after bit 0 of the register 'status' (0x014) was 1.

Exit status: 0; 3 bad input.

Example:
  ropewalk traffic encode traffic.csv --width 32 --runs 10 > writes.txt";

/// Which rows of a CSV file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// Those of A to B
    Ab,
    /// Those of B to A
    Ba,
}

fn runs(text: &str) -> Result<u32, String> {
    whole(text, 0..=u32::MAX, "runs")
}

fn width(text: &str) -> Result<u16, String> {
    whole(text, 1..=1024, "bytes")
}

/// `ropewalk traffic run`.
#[derive(Debug, Clone, Args)]
pub struct TrafficRun {
    /// File to map
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Where the registers of the core begin in it, such as 0x10000
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = file_offset)]
    pub base: u64,
    /// CSV file to play
    #[arg(long, value_name = "CSV", required_unless_present_any = ["expect", "record"])]
    pub play: Option<PathBuf>,
    /// CSV file that has to arrive, beat by beat; its times do not matter
    #[arg(long, value_name = "CSV", conflicts_with = "record")]
    pub expect: Option<PathBuf>,
    /// Write what arrives to this CSV file
    #[arg(long, value_name = "CSV")]
    pub record: Option<PathBuf>,
    /// A full memory of the capture closes the stream, instead of missing what comes then
    #[arg(long, requires = "record")]
    pub block: bool,
    /// Which rows of the CSV files
    #[arg(long, value_enum, default_value = "ab")]
    pub direction: Direction,
    /// How many times what is played, and expected; 0: until --seconds or an interruption
    #[arg(long, value_name = "N", default_value = "1", value_parser = runs)]
    pub runs: u32,
    /// The player is stopped, and the capture without a player ends, after this time, such as 5s
    #[arg(long, value_name = "TIME", value_parser = time_span)]
    pub seconds: Option<Duration>,
    /// How long what was played may take to arrive
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = time_span)]
    pub linger: Duration,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
}

/// `ropewalk traffic encode`.
#[derive(Debug, Clone, Args)]
pub struct TrafficEncode {
    /// CSV file
    #[arg(value_name = "CSV")]
    pub file: PathBuf,
    /// Bytes of a beat of the core (parameter Bytes), 1 to 1024
    #[arg(long, value_name = "BYTES", value_parser = width)]
    pub width: u16,
    /// For the capture, to be expected, instead of for the player
    #[arg(long)]
    pub expect: bool,
    /// Which rows of the CSV file
    #[arg(long, value_enum, default_value = "ab")]
    pub direction: Direction,
    /// How many times; 0: without end
    #[arg(long, value_name = "N", default_value = "1", value_parser = runs)]
    pub runs: u32,
}
