// SPDX-License-Identifier: Apache-2.0
//! What the pages of all benchmarks have in common.

use super::run::{RunPage, Tile};
use crate::section::Section;

/// What a run of a core promises.
pub const ONCE: &str = "In every run every packet was delivered once, in order, unchanged.";
/// Footer of the cores.
pub const RTL: &str = "Cycle-accurate RTL, two endpoints; times are link time.";

/// The page of a benchmark.
#[derive(Debug)]
pub struct BenchPage<'a> {
    /// Title and heading.
    pub title: &'a str,
    /// Under what conditions the figures were taken.
    pub facts: &'a [String],
    /// Nothing was lost, duplicated, reordered or corrupted in any run.
    pub ok: bool,
    /// What that says, in a sentence.
    pub promise: &'a str,
    /// The key figures.
    pub tiles: &'a [Tile],
    /// The plots, as markup.
    pub figures: &'a str,
    /// All tables.
    pub sections: &'a [Section],
    /// The command line that gives this page again.
    pub command: &'a str,
    /// What the times are.
    pub footer: &'a str,
}

impl BenchPage<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let verdict = if self.ok {
            ("Lossless", self.promise)
        } else {
            (
                "Not lossless",
                "Something was lost, duplicated, reordered or corrupted.",
            )
        };
        RunPage {
            kind: "benchmark",
            title: self.title,
            facts: self.facts,
            ok: self.ok,
            verdict,
            tiles: self.tiles,
            figures: self.figures,
            sections: self.sections,
            command: self.command,
            footer: self.footer,
        }
        .html()
    }
}
