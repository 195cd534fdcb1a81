// SPDX-License-Identifier: Apache-2.0
//! The area of the cores beside their papers: a part of `ropewalk bench --full`.

use ropewalk_console::format::thousands;
use ropewalk_console::table::Table;

use super::bench::Benchmark;
use crate::bench_area::{Area, Bench};
use crate::report::run::Tile;
use crate::section::Section;

/// The cores, and which tables of their papers these are.
const SHOWS: [(&str, &str, &[&str]); 4] = [
    ("rifl", "RIFL, four lanes", &["table 4"]),
    ("htsp", "HTSP", &["table 4", "table 5"]),
    ("slink", "SLink, the controller", &["table 3"]),
    (
        "rdma",
        "RDMA, the engine with quality of service",
        &["table 4.1"],
    ),
];

impl Benchmark for Bench {
    const COMMAND: &'static str = "bench area";
    const TITLE: &'static str = "Area, ours beside the papers";
    const WRONG: &'static str = "TOO LARGE: a core takes more than its limit";
    const PROMISE: &'static str = "Every core stays within its limits.";
    const FOOTER: &'static str = "Synthesis without placement.";

    fn ok(&self) -> bool {
        self.ok
    }

    fn heading(&self) -> Vec<String> {
        vec![
            "Ours by Yosys (synth_xilinx -family xcup), without placement; those of the papers by tools of vendors, with it: for comparison only"
                .to_owned(),
        ]
    }

    fn sections(&self) -> Vec<Section> {
        let measured = |core: &str| self.rows.iter().any(|row| row.core == core);
        let sections = SHOWS.into_iter().filter(|(core, ..)| measured(core));
        let mut sections: Vec<_> = sections
            .map(|(core, title, names)| of(self, core, title, names))
            .collect();
        if !self.left_out.is_empty() {
            let mut table = Table::new(["left out", "why"]);
            for core in &self.left_out {
                table.row([core.core, &core.why]);
            }
            sections.push(Section::new("Not measured", table));
        }
        sections
    }

    fn tiles(&self) -> Vec<Tile> {
        Vec::new()
    }

    fn figures(&self) -> String {
        String::new()
    }
}

fn of(bench: &Bench, core: &str, title: &str, shows: &[&str]) -> Section {
    let mut table = Table::new([
        "",
        "LUT",
        "as memory",
        "paper",
        "FF",
        "paper",
        "BRAM36",
        "paper",
    ]);
    let whole = |value: f64| thousands(value as u64);
    let perhaps = |value: Option<f64>| value.map_or("-".to_owned(), |it| it.to_string());
    for row in bench.rows.iter().filter(|row| row.core == core) {
        let Area {
            lut,
            lut_memory,
            ff,
            bram36,
        } = row.ours;
        table.row([
            row.of.clone(),
            whole(lut),
            lut_memory.map_or("-".to_owned(), whole),
            whole(row.paper.lut),
            whole(ff),
            whole(row.paper.ff),
            perhaps(bram36),
            perhaps(row.paper.bram36),
        ]);
    }
    Section::new(title, table).shows(core, shows)
}
