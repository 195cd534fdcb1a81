// SPDX-License-Identifier: Apache-2.0
//! A table for people, coloured on a terminal, and the same as JSON for machines:
//! `cargo run -p ropewalk-console --example table`.

use ropewalk_console::failure::Failure;
use ropewalk_console::format::{bytes, colour_wanted, rate};
use ropewalk_console::json;
use ropewalk_console::table::{Style, Table};
use serde::Serialize;

#[derive(Serialize)]
struct Report {
    lanes: [Lane; 2],
}

#[derive(Serialize)]
struct Lane {
    lane: u8,
    bytes: u64,
    bits_per_second: f64,
}

fn main() -> Result<(), Failure> {
    let lanes = [0, 1].map(|lane| Lane {
        lane,
        bytes: 1_250_000_000 - 17 * u64::from(lane),
        bits_per_second: 9.81e9,
    });
    let style = Style::new(colour_wanted(&std::io::stdout()));
    let mut table = Table::new(["lane", "carried", "rate"]);
    for lane in &lanes {
        let cells = [bytes(lane.bytes), rate(lane.bits_per_second)];
        table.row([lane.lane.to_string()].into_iter().chain(cells));
    }
    print!("{}", table.render(style));
    json::write(&mut std::io::stdout(), "example", &Report { lanes })
}
