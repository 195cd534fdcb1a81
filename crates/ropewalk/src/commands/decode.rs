// SPDX-License-Identifier: Apache-2.0
//! `ropewalk decode`: what a capture file has of a protocol, and what is wrong with it.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use ropewalk_console::failure::Failure;
use ropewalk_console::table::Style;
use ropewalk_console::{format, json};
use ropewalk_io::capture::{self, Packet};
use serde::Serialize;

pub mod chunk;
pub mod htsp;
mod lanes;
pub mod rdma;
pub mod rifl;
pub mod slink;

/// Calls `take` with every Ethernet frame of a file.
fn read(file: &Path, take: impl FnMut(Packet)) -> Result<(), Failure> {
    let opened = File::open(file).map_err(|error| Failure::read(file, error))?;
    capture::read(opened, take)
        .map_err(|error| Failure::BadInput(format!("{}: {error}", file.display())))
}

/// Prints what was found, as one JSON object or as `text` has it; the exit status.
fn print(
    command: &str,
    json: bool,
    found: &impl Serialize,
    ok: bool,
    text: impl FnOnce(Style) -> String,
) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    if json {
        json::write(&mut out, command, found)?;
    } else {
        let style = Style::new(format::colour_wanted(&std::io::stdout()));
        write!(out, "{}", text(style))?;
    }
    out.flush()?;
    Ok(u8::from(!ok))
}

fn plural(count: u64, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {what}{s}", format::thousands(count))
}

/// The end of the text: how many were captured in part, and what is wrong by its name.
fn verdict(style: Style, partial: u64, faults: &[(u64, &str)]) -> String {
    let partly = if partial > 0 {
        format!(", {} captured in part", format::thousands(partial))
    } else {
        String::new()
    };
    let complaints: Vec<String> = faults
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", format::thousands(*count)))
        .collect();
    let said = if complaints.is_empty() {
        style.good("nothing wrong, no number missing")
    } else {
        style.bad(&complaints.join(", "))
    };
    format!("{partly}: {said}\n")
}
