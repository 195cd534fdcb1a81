// SPDX-License-Identifier: Apache-2.0
//! The page of `ropewalk bench transfer`: all tables.

use super::bench::BenchPage;
use crate::bench_transfer::{Bench, Way};
use crate::commands::bench::Benchmark;

/// The page.
pub fn html(bench: &Bench, command: &str) -> String {
    let ours = bench.rows.iter().filter(|row| row.way == Way::Trusted);
    let tiles: Vec<_> = ours
        .filter_map(|row| {
            let seconds = row.median()?;
            let name = if row.files == 1 {
                "A file"
            } else {
                "Small files"
            };
            let value = format!("{seconds:.2} <small>s</small>");
            Some((name, value, format!("{} files, safe on disk", row.files)))
        })
        .collect();
    BenchPage {
        title: Bench::TITLE,
        facts: &bench.heading(),
        ok: bench.ok,
        tiles: &tiles,
        figures: "",
        sections: &bench.sections(),
        command,
        footer: "Programs of this machine, over its loopback interface and its disk.",
        promise: "After every run the copy was what it was made of.",
    }
    .html()
}
