// SPDX-License-Identifier: Apache-2.0
//! `ropewalk plan stack`: a topology before it is built.

use std::ffi::OsString;
use std::io::Write;

use ropewalk_console::failure::Failure;
use ropewalk_console::format::{self, thousands};
use ropewalk_console::json;
use ropewalk_console::output::StagedIn;
use ropewalk_console::table::{Style, Table};
use ropewalk_sim::net::{CYCLE_NS, full_rate_words};
use ropewalk_wire::switch::routes::TableWrite;
use ropewalk_wire::switch::{Tables, Topology, regs};
use serde::Serialize;

use super::sim_network::topology;
use crate::cli::PlanStack;
use crate::report;
use crate::section::{self, Section};

/// Destinations that paths are counted to: all of a small network, some of a large one.
const COUNTED: usize = 64;

/// Least, mean and most.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Range {
    /// Least.
    pub min: u64,
    /// Mean.
    pub mean: f64,
    /// Most.
    pub max: u64,
}

impl Range {
    fn of(values: impl Iterator<Item = u64>) -> Self {
        let (mut range, mut count) = (
            Range {
                min: u64::MAX,
                mean: 0.0,
                max: 0,
            },
            0u64,
        );
        for value in values {
            range.min = range.min.min(value);
            range.max = range.max.max(value);
            range.mean += value as f64;
            count += 1;
        }
        range.mean /= count.max(1) as f64;
        range.min = range.min.min(range.max);
        range
    }
}

#[derive(Debug, Serialize)]
struct Entry {
    switch: u16,
    input: u8,
    ports: Vec<u16>,
}

/// The plan: the object that `--json` prints.
#[derive(Debug, Serialize)]
pub struct Plan {
    topology: String,
    nodes: u16,
    switches: usize,
    links: usize,
    rule: &'static str,
    hops: Range,
    paths: Range,
    bisection_links: usize,
    bisection_gbps: f64,
    delay_cycles: Range,
    packet_words: u8,
    memory_words: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    tables: Option<Vec<Entry>>,
}

impl Plan {
    fn new(options: &PlanStack, made: &Topology, tables: &Tables) -> Self {
        let nodes = made.nodes();
        let pairs = (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to)));
        let hops = pairs
            .filter_map(|(from, to)| tables.hops(from, to))
            .map(u64::from);
        let step = usize::from(nodes).div_ceil(COUNTED);
        let counted = (0..nodes).step_by(step);
        let paths = counted.flat_map(|to| {
            let paths = tables.paths(made, to).into_iter().zip(0..);
            paths
                .filter(move |(_, from)| *from != to)
                .map(|(paths, _)| paths)
        });
        let delays = made.links().iter().map(|link| u64::from(link.delay));
        let longest = delays.clone().max().unwrap_or(0) as u32;
        let bisection = made.bisection();
        Plan {
            topology: made.name.clone(),
            nodes,
            switches: made.switches().len(),
            links: made.links().len(),
            rule: if made.switches().is_empty() {
                "a link"
            } else {
                tables.how()
            },
            hops: Range::of(hops),
            paths: Range::of(paths),
            bisection_links: bisection,
            bisection_gbps: bisection as f64 * 512.0 / CYCLE_NS,
            delay_cycles: Range::of(delays),
            packet_words: options.packet,
            memory_words: full_rate_words(longest, options.packet),
            tables: options.tables.then(|| entries(made, tables)),
        }
    }

    /// All tables, for people.
    #[must_use]
    pub fn sections(&self) -> Vec<Section> {
        let mut table = Table::new(["", ""]);
        let range = |range: Range| match range.min == range.max {
            true => thousands(range.min),
            false => format!(
                "{} to {}, {:.2} on average",
                thousands(range.min),
                thousands(range.max),
                range.mean
            ),
        };
        for (name, value) in [
            ("nodes", thousands(self.nodes.into())),
            ("switches", thousands(self.switches as u64)),
            ("links", thousands(self.links as u64)),
            ("rule of the routing tables", self.rule.to_owned()),
            ("cycles of waits in the tables", "none".to_owned()),
            ("switches on a path", range(self.hops)),
            ("shortest legal paths of a pair", range(self.paths)),
            (
                "between the halves of the nodes",
                format!(
                    "{} links, {:.0} Gb/s each way",
                    thousands(self.bisection_links as u64),
                    self.bisection_gbps
                ),
            ),
            (
                "delay of a link",
                format!("{} cycles", range(self.delay_cycles)),
            ),
            (
                "memory of each class for the full rate",
                format!(
                    "{} words, with packets of {}",
                    thousands(self.memory_words.into()),
                    self.packet_words
                ),
            ),
        ] {
            table.row([name.to_owned(), value]);
        }
        let mut sections = vec![Section::new("The network", table)];
        if let Some(entries) = &self.tables {
            let mut table = Table::new(["switch", "input", "ports by destination, n0 first"]);
            for entry in entries {
                let ports: Vec<String> = entry.ports.iter().map(|it| format!("{it:x}")).collect();
                let name = format!("s{}", entry.switch);
                table.row([name, entry.input.to_string(), ports.join(" ")]);
            }
            let tables = Section::new("Routing tables", table);
            sections.push(tables.note("a bit for each port, as a hexadecimal number".to_owned()));
        }
        sections
    }
}

fn entries(made: &Topology, tables: &Tables) -> Vec<Entry> {
    let switches = made.switches().iter().zip(0u16..);
    let inputs =
        switches.flat_map(|(switch, number)| (0..switch.ports).map(move |it| (number, it)));
    inputs
        .filter(|(switch, input)| made.port_link(*switch, *input).is_some())
        .map(|(switch, input)| Entry {
            switch,
            input,
            ports: (0..made.nodes())
                .map(|to| tables.ports(switch, input, to))
                .collect(),
        })
        .collect()
}

/// What loads a switch: writes of registers, one a line, as numbers that any program can read.
fn registers(made: &Topology, tables: &Tables, number: u16) -> String {
    let hash = [(regs::HASH.offset, u32::from(number))];
    let writes = tables.writes(number);
    let routes = writes.iter().flat_map(TableWrite::registers);
    let mut text = format!(
        "# {}, switch s{number}: writes of registers, address and value\n",
        made.name
    );
    for (address, value) in hash.into_iter().chain(routes) {
        text += &format!("0x{address:03x} 0x{value:08x}\n");
    }
    text
}

/// Runs the subcommand; `args` is the command line, for the page.
///
/// # Errors
/// Bad input, no tables, or an output cannot be written.
pub fn execute(options: &PlanStack, args: &[OsString]) -> Result<u8, Failure> {
    let made = topology(&options.topology)?;
    let page = super::begin(None, options.report.as_deref())?;
    let tables =
        Tables::new(&made).map_err(|error| Failure::BadInput(format!("{}: {error}", made.name)))?;
    let plan = Plan::new(options, &made, &tables);
    if let Some(folder) = &options.registers {
        for number in 0..made.switches().len() as u16 {
            let file = StagedIn::begin(folder, &format!("s{number}.txt"))?;
            file.finish_with(registers(&made, &tables, number).as_bytes())?;
        }
    }
    if let Some(page) = page {
        let command = format::command_line(args);
        page.finish_with(report::network::plan_html(&made, &plan, &command).as_bytes())?;
    }
    let mut out = std::io::stdout().lock();
    if options.json {
        json::write(&mut out, "plan stack", &plan)?;
    } else {
        let style = Style::new(format::colour_wanted(&std::io::stdout()));
        writeln!(out, "{}", style.bold(&made.name))?;
        write!(out, "{}", section::text(&plan.sections(), style))?;
        if let Some(folder) = &options.registers {
            writeln!(out, "registers: {}", folder.display())?;
        }
        if let Some(folder) = &options.report {
            writeln!(out, "report: {}", folder.join(report::FILE_NAME).display())?;
        }
    }
    out.flush()?;
    Ok(0)
}
