// SPDX-License-Identifier: Apache-2.0
//! What the pages of all benchmarks have in common.

use ropewalk_console::table::Style;
use serde::{Deserialize, Serialize};

use super::run::RunPage;
use crate::section::{self, Section};

/// What a run of a core promises.
pub const ONCE: &str = "In every run every packet was delivered once, in order, unchanged.";
/// Footer of the cores.
pub const RTL: &str = "Cycle-accurate RTL, two endpoints; times are link time.";

/// What people see of a benchmark, on a terminal and as a page. It can be kept and read again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct View {
    /// Title and heading.
    pub title: String,
    /// Under what conditions the figures were taken.
    pub facts: Vec<String>,
    /// Nothing was lost, duplicated, reordered or corrupted in any run.
    pub ok: bool,
    /// What that says, in a sentence.
    pub promise: String,
    /// What is said if it is not so.
    pub wrong: String,
    /// The key figures, as markup ([`tiles`](super::run::tiles)).
    pub tiles: String,
    /// The plots, as markup.
    pub figures: String,
    /// All tables.
    pub sections: Vec<Section>,
    /// What the times are.
    pub footer: String,
}

impl View {
    /// For a terminal.
    pub fn text(&self, style: Style) -> String {
        let mut out = format!("{}\n{}\n", style.bold(&self.title), self.facts.join("\n"));
        out += &section::text(&self.sections, style);
        if !self.ok {
            out += &format!("\n{}\n", style.bad(&self.wrong));
        }
        out
    }

    /// As a page; `command` gives it again.
    pub fn html(&self, command: &str) -> String {
        let verdict = if self.ok {
            ("Lossless", &self.promise[..])
        } else {
            ("Not lossless", &self.wrong[..])
        };
        RunPage {
            kind: "benchmark",
            title: &self.title,
            facts: &self.facts,
            ok: self.ok,
            verdict,
            tiles: &self.tiles,
            figures: &self.figures,
            sections: &self.sections,
            command,
            footer: &self.footer,
        }
        .html()
    }
}
