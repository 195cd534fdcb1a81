// SPDX-License-Identifier: Apache-2.0
//! Every table and figure of the five papers, by its number, and what stands for it here.
//!
//! A section of a benchmark says which of them it shows ([`Section::shows`]); [`index`] puts both
//! together. One that is measured and that no section shows has to say why.

use serde::Serialize;

use crate::section::Section;

/// A paper.
#[derive(Debug)]
pub struct Paper {
    /// What its core is called here.
    pub core: &'static str,
    /// What it is.
    pub title: &'static str,
    /// Its tables and figures.
    pub exhibits: &'static [Exhibit],
}

/// A table or a figure of a paper.
#[derive(Debug)]
pub struct Exhibit {
    /// Its number, such as `table 2`.
    pub name: &'static str,
    /// What it is about.
    pub what: &'static str,
    /// What stands for it here.
    pub here: Here,
}

/// What stands for a table or a figure here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Here {
    /// Sections of a benchmark.
    Measured,
    /// Sections of a benchmark that not every run makes: why it is not in this one.
    Long(&'static str),
    /// Nothing is measured in it. Where ours stands.
    Drawn(&'static str),
    /// It cannot be had here: why.
    Absent(&'static str),
}

const fn of(name: &'static str, what: &'static str, here: Here) -> Exhibit {
    Exhibit { name, what, here }
}

const SYNTHESIS: Here = Here::Long("a synthesis of minutes: bench --full");
const RIFL_CORE: Here = Here::Drawn("cores/rifl/README.md");
const HTSP_WIRE: Here = Here::Drawn("docs/src/htsp-wire.md");
const SLINK_CORE: Here = Here::Drawn("cores/slink/README.md");
const RDMA_CORE: Here = Here::Drawn("cores/rdma/README.md");
const RDMA_BENCH: Here = Here::Drawn("docs/src/test-plan.md");
const CHUNK: Here = Here::Drawn("docs/src/chunk.md");
const PLAN_CHUNK: Here = Here::Drawn("ropewalk plan chunk");

/// All papers.
pub const PAPERS: [Paper; 5] = [
    Paper {
        core: "rifl",
        title: "RIFL",
        exhibits: &[
            of(
                "figure 1",
                "hop by hop and end to end",
                Here::Drawn("docs/src/network.md"),
            ),
            of("table 1", "meta code", Here::Drawn("docs/src/rifl-wire.md")),
            of(
                "table 2",
                "bits of id and checksum by frame width",
                Here::Measured,
            ),
            of("table 3", "efficiency by frame width", Here::Measured),
            of(
                "figure 2",
                "data frame",
                Here::Drawn("docs/src/rifl-wire.md"),
            ),
            of(
                "figure 3",
                "control frame",
                Here::Drawn("docs/src/rifl-wire.md"),
            ),
            of(
                "figure 4",
                "states of the transmitter",
                Here::Drawn("docs/src/rifl.md"),
            ),
            of("figure 5", "the core", RIFL_CORE),
            of("figure 6", "a lane", RIFL_CORE),
            of(
                "figure 7",
                "what was measured how",
                Here::Drawn("docs/src/rifl.md"),
            ),
            of(
                "figure 8",
                "bandwidth and latency by packet size",
                Here::Measured,
            ),
            of(
                "figure 9",
                "bandwidth and latency by bit error rate",
                Here::Measured,
            ),
            of("table 4", "area", SYNTHESIS),
            of(
                "table 5",
                "time between failures by bit error rate",
                Here::Measured,
            ),
        ],
    },
    Paper {
        core: "htsp",
        title: "HTSP",
        exhibits: &[
            of("table 1", "data rates of detectors", Here::Measured),
            of("figure 1", "a detector", Here::Absent("a photograph")),
            of("figure 2", "the core", Here::Drawn("cores/htsp/README.md")),
            of("table 2", "header", HTSP_WIRE),
            of("table 3", "footer", HTSP_WIRE),
            of("figure 3", "the board", Here::Absent("a photograph")),
            of(
                "figure 4",
                "what was measured how",
                Here::Drawn("docs/src/htsp-host.md"),
            ),
            of("figure 5", "bandwidth by frame size", Here::Measured),
            of("figure 6", "frame rate by frame size", Here::Measured),
            of("figure 7", "latency by frame size", Here::Measured),
            of("table 4", "area, one channel", SYNTHESIS),
            of("table 5", "area by channels", SYNTHESIS),
        ],
    },
    Paper {
        core: "slink",
        title: "SLink",
        exhibits: &[
            of("figure 1", "layers", SLINK_CORE),
            of("figure 2", "packets", SLINK_CORE),
            of("table 1", "control characters", SLINK_CORE),
            of("figure 3", "header", SLINK_CORE),
            of(
                "figure 4",
                "how it is programmed",
                Here::Drawn("docs/src/slink.md"),
            ),
            of(
                "figure 5",
                "what was measured how",
                Here::Drawn("docs/src/slink.md"),
            ),
            of("figure 6", "latency beside PCI Express", Here::Measured),
            of("figure 7", "bandwidth beside PCI Express", Here::Measured),
            of(
                "figure 8",
                "the same on two boards",
                Here::Absent("needs two boards; figures 6 and 7 have the same quantities"),
            ),
            of(
                "table 2",
                "clock rate and area of a chip of 40 nm",
                Here::Absent("needs the cell library; 'make board' gives clock rates of an ECP5"),
            ),
            of("table 3", "area in an FPGA", SYNTHESIS),
        ],
    },
    Paper {
        core: "rdma",
        title: "RDMA with quality of service",
        exhibits: &[
            of(
                "figure 1.1",
                "a transfer without a copy",
                Here::Drawn("docs/src/rdma-host.md"),
            ),
            of("figure 2.1", "layers", RDMA_CORE),
            of("figure 2.2", "the engine", RDMA_CORE),
            of("figure 2.3", "descriptor", RDMA_CORE),
            of("figure 2.4", "priorities", RDMA_CORE),
            of("figure 3.1", "descriptors in the table", RDMA_CORE),
            of("figure 3.2", "states of a transfer", RDMA_CORE),
            of("figure 3.3", "addresses of writes", RDMA_CORE),
            of(
                "figure 3.4",
                "order of the words of a descriptor",
                RDMA_CORE,
            ),
            of("figure 3.5", "channels of writes", RDMA_CORE),
            of("figure 3.6", "addresses of reads", RDMA_CORE),
            of("figure 3.7", "queues in one memory", RDMA_CORE),
            of("figure 3.8", "a queue", RDMA_CORE),
            of("figure 3.9", "pipeline of the segmenter", RDMA_CORE),
            of("figure 3.10", "sizes of blocks", RDMA_CORE),
            of("figure 3.11", "number of blocks", RDMA_CORE),
            of("figure 3.12", "states of the maker of packets", RDMA_CORE),
            of("figure 3.13", "states of the handler", RDMA_CORE),
            of("figure 3.14", "states of an arbiter", RDMA_CORE),
            of("table 4.1", "area of the engine", SYNTHESIS),
            of("figure 4.1", "test bench of the engine", RDMA_BENCH),
            of("figure 4.2", "test bench with the send unit", RDMA_BENCH),
            of("figure 4.3", "rate of messages", Here::Measured),
            of("figure 4.4", "time by size", Here::Measured),
            of("figure 4.5", "throughput by size", Here::Measured),
            of("figure 4.6", "throughput of small sizes", Here::Measured),
        ],
    },
    Paper {
        core: "chunk",
        title: "End2End100",
        exhibits: &[
            of(
                "figure 1",
                "from a protocol to stages",
                Here::Drawn("docs/src/stripes.md"),
            ),
            of("figure 2", "frame and sub-packet", CHUNK),
            of("figure 3", "graph of the protocol", CHUNK),
            of("figure 4", "the two arrangements", CHUNK),
            of(
                "figure 5",
                "the processor",
                Here::Absent("a processor of its own; ours is the host"),
            ),
            of("figure 6", "the sender with its requirements", PLAN_CHUNK),
            of("figure 7", "lanes of the two arrangements", CHUNK),
            of("figure 8", "mapping, stable throughput", PLAN_CHUNK),
            of("figure 9", "mapping, low latency", PLAN_CHUNK),
            of("figure 10", "throughput by lanes and loss", Here::Measured),
            of("table I", "stable throughput without loss", Here::Measured),
            of("table II", "low latency without loss", Here::Measured),
            of("figure 11", "latency by lanes and loss", Here::Measured),
            of(
                "figure 12",
                "the whole system, one lane, by loss",
                Here::Measured,
            ),
        ],
    },
];

/// A paper, and what shows its tables and figures.
#[derive(Debug, Serialize)]
pub struct Shown {
    /// Its core.
    pub core: &'static str,
    /// What it is.
    pub title: &'static str,
    /// Its tables and figures, in its order.
    pub exhibits: Vec<ShownExhibit>,
}

/// A table or figure, and what shows it.
#[derive(Debug, Serialize)]
pub struct ShownExhibit {
    /// Its number.
    pub name: &'static str,
    /// What it is about.
    pub what: &'static str,
    /// The titles of sections that show it.
    pub shown_by: Vec<String>,
    /// What there is in their place, or why there is nothing.
    pub instead: Option<String>,
}

impl ShownExhibit {
    /// Something shows it, or it says why nothing does.
    #[must_use]
    pub fn ok(&self) -> bool {
        !self.shown_by.is_empty() || self.instead.is_some()
    }
}

/// All tables and figures; `sections` are those that a run has.
#[must_use]
pub fn index<'a>(sections: impl Iterator<Item = &'a Section> + Clone) -> Vec<Shown> {
    let shown = |paper: &'static Paper| Shown {
        core: paper.core,
        title: paper.title,
        exhibits: paper
            .exhibits
            .iter()
            .map(|exhibit| {
                let here = sections.clone().filter(|section| {
                    let mut shows = section.shows.iter();
                    shows.any(|(core, name)| core == paper.core && name == exhibit.name)
                });
                let shown_by: Vec<String> = here.map(|it| it.title.clone()).collect();
                let instead = match exhibit.here {
                    Here::Drawn(place) => Some(format!("a drawing; ours: {place}")),
                    Here::Absent(why) => Some(why.to_owned()),
                    Here::Long(why) => shown_by.is_empty().then(|| why.to_owned()),
                    Here::Measured => None,
                };
                ShownExhibit {
                    name: exhibit.name,
                    what: exhibit.what,
                    shown_by,
                    instead,
                }
            })
            .collect(),
    };
    PAPERS.iter().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ropewalk_console::table::Table;

    use super::*;

    #[test]
    fn no_number_stands_twice_and_every_place_exists() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for paper in &PAPERS {
            for (i, exhibit) in paper.exhibits.iter().enumerate() {
                let before = &paper.exhibits[..i];
                assert!(
                    before.iter().all(|it| it.name != exhibit.name),
                    "{exhibit:?}"
                );
                if let Here::Drawn(place) = exhibit.here
                    && !place.starts_with("ropewalk ")
                {
                    assert!(root.join(place).is_file(), "{exhibit:?}");
                }
            }
        }
    }

    #[test]
    fn what_nothing_shows_is_seen() {
        let section = Section::new("Efficiency", Table::new([""])).shows("rifl", &["table 3"]);
        let found = index([&section].into_iter());
        let of = |core: &str, name: &str| {
            let paper = found.iter().find(|paper| paper.core == core);
            let exhibit = paper.and_then(|it| it.exhibits.iter().find(|it| it.name == name));
            exhibit.map(|it| (it.shown_by.clone(), it.instead.is_some(), it.ok()))
        };
        let here = vec!["Efficiency".to_owned()];
        assert_eq!(of("rifl", "table 3"), Some((here, false, true)));
        assert_eq!(of("rifl", "table 2"), Some((vec![], false, false)));
        assert_eq!(of("htsp", "table 3"), Some((vec![], true, true)));
        assert_eq!(of("rifl", "table 4"), Some((vec![], true, true)));
    }
}
