// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench transfer`: files from host to host, beside programs of others.

use std::ffi::OsString;

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::table::Table;

use super::bench::Benchmark;
use crate::bench_paths::PathRow;
use crate::bench_transfer::{self, Bench, Extent, Row, Way, median};
use crate::cli::BenchTransfer;
use crate::report;
use crate::report::run::Tile;
use crate::section::Section;

/// Runs the subcommand; `args` is the command line, for the page.
///
/// # Errors
/// Files cannot be made, or an output cannot be written.
pub fn execute(options: &BenchTransfer, args: &[OsString]) -> Result<u8, Failure> {
    let extent = Extent {
        many: options.many,
        tcp: options.tcp,
        paths: options.paths,
        runs: options.runs,
        ..Extent::of(options.common.quick)
    };
    super::bench::execute(&options.common, args, |seed, say| {
        bench_transfer::measure(extent, seed, say)
    })
}

impl Benchmark for Bench {
    const COMMAND: &'static str = "bench transfer";
    const TITLE: &'static str = "Files from host to host, beside rsync and tar";
    const WRONG: &'static str = "NOT RIGHT: a copy is not what it was made of";
    const PROMISE: &'static str = "After every run the copy was what it was made of.";
    const FOOTER: &'static str =
        "Programs of this machine, over its loopback interface and its disk.";

    fn ok(&self) -> bool {
        self.ok
    }

    fn heading(&self) -> Vec<String> {
        vec![format!(
            "Both ends on this machine, one after the other in each of {} runs, the disk synchronised before each; what is safe on disk at \
             its end says so; seed {}{}",
            self.runs,
            self.seed,
            if self.quick { ", quick" } else { "" }
        )]
    }

    fn sections(&self) -> Vec<Section> {
        let mut loads: Vec<(usize, usize)> = Vec::new();
        for row in &self.rows {
            if loads.last() != Some(&(row.files, row.file_bytes)) {
                loads.push((row.files, row.file_bytes));
            }
        }
        let section = |load| {
            let rows = self.rows.iter();
            section(rows.filter(|row| (row.files, row.file_bytes) == load))
        };
        let sections = loads.into_iter().map(section);
        let paths = (!self.paths.is_empty()).then(|| paths(&self.paths));
        sections.chain(paths).collect()
    }

    fn tiles(&self) -> Vec<Tile> {
        report::bench_transfer::tiles(self)
    }

    fn figures(&self) -> String {
        String::new()
    }
}

/// The table of a load.
fn section<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Section {
    let mut table = Table::new([
        "way",
        "median, s",
        "least, s",
        "most, s",
        "Gb/s",
        "times local rsync",
        "of plain TCP",
        "of TCP into memory",
        "processor of send, recv, s/GB",
        "most memory of send, recv, MB",
        "sent, MB",
    ]);
    let share = |share: Option<f64>| share.map_or_else(String::new, |it| format!("{it:.2}"));
    let base = rows.clone().find(|row| row.way == Way::Rsync);
    let base = base.and_then(Row::median);
    let mut title = String::new();
    for row in rows {
        title = format!(
            "{} {} of {}{}",
            format::thousands(row.files as u64),
            if row.files == 1 { "file" } else { "files" },
            if row.varied { "up to " } else { "" },
            format::bytes(row.file_bytes as u64)
        );
        let Some(median) = row.median() else {
            let why = row.missing.clone().unwrap_or_default();
            table.row([row.way.name(), &why, "", "", "", "", "", "", "", "", ""]);
            continue;
        };
        let all = row.seconds.iter().copied();
        let (least, most) = (
            all.clone().fold(f64::INFINITY, f64::min),
            all.fold(0.0, f64::max),
        );
        table.row([
            row.way.name().to_owned(),
            format!("{median:.3}"),
            format!("{least:.3}"),
            format!("{most:.3}"),
            row.gbps()
                .map_or_else(String::new, |rate| format!("{rate:.2}")),
            base.map_or_else(String::new, |base| format!("{:.2}", median / base)),
            share(row.of_plain_tcp),
            share(row.of_memory_tcp),
            row.cpu_s_per_gb().map_or_else(String::new, |cpu| {
                format!("{:.2}, {:.2}", cpu.send, cpu.recv)
            }),
            row.peak_memory_bytes.map_or_else(String::new, |memory| {
                let [send, recv] = [memory.send, memory.recv].map(|bytes| bytes as f64 / 1e6);
                format!("{send:.0}, {recv:.0}")
            }),
            row.sent_bytes.map_or_else(String::new, |bytes| {
                format::significant(bytes as f64 / 1e6, 4)
            }),
        ]);
    }
    Section::new(&title, table)
}

/// The table of the paths.
fn paths(rows: &[PathRow]) -> Section {
    let mut table = Table::new([
        "round trip",
        "lost",
        "TCP, s",
        "UDP, s",
        "auto, s",
        "auto of the better",
    ]);
    for row in rows {
        let from = if row.begins_halfway {
            ", from the middle on"
        } else {
            ""
        };
        let seconds = row.seconds().map(|all| {
            let middle = median(all.iter().copied());
            middle.map_or_else(String::new, |it| format!("{it:.2}"))
        });
        let [tcp, udp, auto] = seconds;
        table.row([
            format!("{} ms", row.round_trip_ms),
            format!("{} %{from}", row.loss * 100.0),
            tcp,
            udp,
            auto,
            row.of_the_better
                .map_or_else(String::new, |it| format!("{it:.2}")),
        ]);
    }
    let first = rows.first();
    let (bytes, gbps) = first.map_or((0, 0.0), |row| (row.file_bytes, row.rate_gbps));
    let title = format!(
        "A file of {} over paths of {:.0} Mb/s",
        format::bytes(bytes as u64),
        gbps * 1e3
    );
    Section::new(&title, table).note(
        "medians; TCP with CUBIC; where losses begin in the middle, the better is that of a clean path for one half and of a lossy one for the other".to_owned(),
    )
}
