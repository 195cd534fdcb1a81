// SPDX-License-Identifier: Apache-2.0
//! The arguments of `ropewalk watch`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::units;

/// What can be watched.
#[derive(Debug, Subcommand)]
pub enum WatchSource {
    /// A simulated RIFL link that runs without an end, with buttons that do it harm
    #[cfg(feature = "lab")]
    #[command(after_help = ropewalk_lab::cli::WATCH_RIFL_AFTER)]
    Rifl(Box<ropewalk_lab::cli::WatchRifl>),
    /// The end of a RIFL, HTSP or SLink link, a PCS, an RDMA engine, a switch, or a player with its
    /// capture in hardware, by its registers, which are only read
    #[command(after_help = WATCH_REGISTERS_AFTER)]
    Registers(WatchRegisters),
    /// A simulated RIFL link (not in this build)
    #[cfg(not(feature = "lab"))]
    #[command(hide = true, disable_help_flag = true)]
    Rifl(crate::absent::Anything),
}

const WATCH_REGISTERS_AFTER: &str = "\
FILE is a base address register of a PCI device, a map of UIO (map M of /dev/uioN begins at M times 4096), /dev/mem, or an ordinary file. The registers \
`observe` have room for one reader at a time: no other program may read them meanwhile.

Exit status: 2 the address of the page cannot be listened at; 3 bad input, such as a FILE that is no core which is watched; 130 interrupted.

Examples:
  ropewalk watch registers /sys/bus/pci/devices/0000:01:00.0/resource0 --base 0x10000
  ropewalk watch registers /dev/uio0 --line-rate 28G --listen 10.0.0.1:7480
  ropewalk watch registers /dev/uio1 --pcs 0x2000";

/// `ropewalk watch registers`.
#[derive(Debug, Clone, Args)]
pub struct WatchRegisters {
    /// File to map
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Where the registers of the core begin in it, such as 0x10000
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = units::file_offset)]
    pub base: u64,
    /// Where the registers of the PCS below an HTSP core begin in it: its lanes, and why they are
    /// not up, are shown, too. 0x2000 behind those of htsp_100g
    #[arg(long, value_name = "BYTES", value_parser = units::file_offset)]
    pub pcs: Option<u64>,
    /// Line rate of a lane of RIFL, such as 28G (bit/s): the round trip is shown in seconds then
    #[arg(long, value_name = "RATE", value_parser = units::bit_rate, allow_hyphen_values = true)]
    pub line_rate: Option<f64>,
    /// Address and port of the page; port 0 for one that is free
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7480", value_parser = units::page_address)]
    pub listen: SocketAddr,
}
