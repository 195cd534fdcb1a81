// SPDX-License-Identifier: Apache-2.0
//! What the pages of all benchmarks have in common.

use std::fmt::Write;

use super::chart::{Kind, Series};
use super::{document, escape};
use crate::section::{self, Section};

/// What a run of a core promises.
pub const ONCE: &str = "In every run every packet was delivered once, in order, unchanged.";
/// Footer of the cores.
pub const RTL: &str = "Cycle-accurate RTL, two endpoints; times are link time.";

/// A key figure: name, value as markup, what it is to be compared with.
pub type Tile = (&'static str, String, String);

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
        let facts = self.facts.iter();
        let facts = facts.map(|line| format!("<span>{}</span>", escape(line)));
        let (class, verdict) = if self.ok {
            ("good", format!("Lossless</strong> {}", self.promise))
        } else {
            (
                "bad",
                "Not lossless</strong> Something was lost, duplicated, reordered or corrupted."
                    .to_owned(),
            )
        };
        let mut body = format!(
            "<header>\n<p class=\"brand\">Ropewalk <span>benchmark</span></p>\n<h1>{}</h1>\n<p class=\"facts\">{}</p>\n\
             <p class=\"verdict {class}\" id=\"verdict\"><strong>{verdict}</p>\n</header>\n\
             <section class=\"tiles\" aria-label=\"Key figures\">\n",
            escape(self.title),
            facts.collect::<String>(),
        );
        for (name, value, note) in self.tiles {
            let _ = writeln!(
                body,
                "<div class=\"tile\"><p class=\"name\">{name}</p><p class=\"value\">{value}</p><p class=\"note\">{note}</p></div>"
            );
        }
        body += "</section>\n";
        body += self.figures;
        body += &section::html(self.sections);
        let _ = write!(
            body,
            "<section id=\"parameters\">\n<h2>The same again</h2>\n<pre><code id=\"command\">{}</code></pre>\n</section>\n\
             <footer>Ropewalk {}. {}</footer>\n",
            escape(self.command),
            env!("CARGO_PKG_VERSION"),
            self.footer,
        );
        document(self.title, &body, "")
    }
}

/// An entry of a legend.
pub fn key(class: &str, text: &str) -> String {
    format!("<span class=\"key {class}\">{}</span>", escape(text))
}

/// A curve.
pub fn series(class: &'static str, kind: Kind, points: Vec<(f64, f64)>) -> Series {
    Series {
        class,
        kind,
        points,
    }
}
