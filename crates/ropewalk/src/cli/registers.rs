// SPDX-License-Identifier: Apache-2.0
//! The command line of `stat registers`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::units;

/// What stands behind the options in its help.
pub const STAT_REGISTERS_AFTER: &str = "\
FILE is a base address register of a PCI device, a map of UIO (map M of /dev/uioN begins at M times 4096), /dev/mem, or an ordinary file. Which core it is \
the registers say themselves. `observe` has room for one reader at a time: no other program may read it meanwhile. What it shows reads as `no answer` while the \
clock of the core stands still.

--set writes before anything is shown, in the order given: of the register all fields that keep what is written stay as they are, and nothing else acts.

Exit status: 1 a register of `observe` has not answered; 3 bad input, such as a FILE that is none of these cores; 130 interrupted.

Examples:
  ropewalk stat registers /dev/uio0
  ropewalk stat registers /sys/bus/pci/devices/0000:01:00.0/resource0 --base 0x2000 --only observe.state --only symbols
  ropewalk stat registers /dev/uio0 --set control.mode=bypass_indication --set control.clear=1 --only control
  ropewalk stat registers /dev/uio0 --every 1s";

/// `ropewalk stat registers`.
#[derive(Debug, Clone, Args)]
pub struct StatRegisters {
    /// File to map
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Where the registers of the core begin in it, such as 0x10000
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = units::file_offset)]
    pub base: u64,
    /// Only registers whose name contains TEXT; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// Write a field first; VALUE is a number, such as 12 or 0xc, or the name of a value
    #[arg(long, value_name = "REGISTER.FIELD=VALUE", value_parser = set)]
    pub set: Vec<Set>,
    /// Show again and again what has changed, such as 1s, until interrupted
    #[arg(long, value_name = "TIME", value_parser = units::time_span, conflicts_with = "json")]
    pub every: Option<Duration>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A field and what it becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// The register, such as `port[1].settings`.
    pub register: String,
    /// The field.
    pub field: String,
    /// A number or a name.
    pub value: String,
}

fn set(text: &str) -> Result<Set, String> {
    let parts = || {
        let (place, value) = text.split_once('=')?;
        let (register, field) = place.rsplit_once('.')?;
        let parts = [register, field, value].map(str::to_owned);
        parts.iter().all(|part| !part.is_empty()).then_some(parts)
    };
    let [register, field, value] =
        parts().ok_or("accepted: REGISTER.FIELD=VALUE, such as control.clear=1")?;
    Ok(Set {
        register,
        field,
        value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_set_has_three_parts() {
        let found = set("port[1].settings.mode=on").unwrap();
        let [register, field, value] = ["port[1].settings", "mode", "on"].map(str::to_owned);
        let expected = Set {
            register,
            field,
            value,
        };
        assert_eq!(found, expected);
        for text in [
            "",
            "control=1",
            "control.mode",
            ".mode=1",
            "control.=1",
            "control.mode=",
        ] {
            assert!(
                set(text).unwrap_err().contains("REGISTER.FIELD=VALUE"),
                "{text}"
            );
        }
    }
}
