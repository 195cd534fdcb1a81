// SPDX-License-Identifier: Apache-2.0
//! What the pages of all runs have in common, of benchmarks and of simulations.

use std::fmt::{Display, Write};

use ropewalk_console::format::escape;
use ropewalk_sim::LatencyHistogram;

use super::chart::{Axis, Chart, Kind, Series};
use super::{document, facts};
use crate::section::{self, Section};

/// A key figure: name, value as markup, what it is to be compared with.
pub type Tile = (&'static str, String, String);

/// The page of a run.
#[derive(Debug)]
pub struct RunPage<'a> {
    /// What kind of run: "benchmark" or "simulation".
    pub kind: &'a str,
    /// Title and heading.
    pub title: &'a str,
    /// What was run.
    pub facts: &'a [String],
    /// Whether everything went well.
    pub ok: bool,
    /// That in a word, and in a sentence.
    pub verdict: (&'a str, &'a str),
    /// The key figures, as [`tiles`] gives them.
    pub tiles: &'a str,
    /// The plots, as markup.
    pub figures: &'a str,
    /// All tables.
    pub sections: &'a [Section],
    /// The command line that gives this page again.
    pub command: &'a str,
    /// What the times are.
    pub footer: &'a str,
}

impl RunPage<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let class = if self.ok { "good" } else { "bad" };
        let (word, sentence) = self.verdict;
        let mut body = format!(
            "<header>\n<p class=\"brand\">Ropewalk <span>{}</span></p>\n<h1>{}</h1>\n<p class=\"facts\">{}</p>\n\
             <p class=\"verdict {class}\" id=\"verdict\"><strong>{word}</strong> {}</p>\n</header>\n",
            self.kind,
            escape(self.title),
            facts(self.facts.iter().map(String::as_str)),
            escape(sentence),
        );
        body += self.tiles;
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

/// Key figures, as markup.
pub fn tiles(tiles: &[(impl Display, String, String)]) -> String {
    let mut out = "<section class=\"tiles\" aria-label=\"Key figures\">\n".to_owned();
    for (name, value, note) in tiles {
        let _ = writeln!(
            out,
            "<div class=\"tile\"><p class=\"name\">{name}</p><p class=\"value\">{value}</p><p class=\"note\">{note}</p></div>"
        );
    }
    out + "</section>\n"
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

/// Cumulative share in percent, over the latency in cycles.
pub fn distribution(class: &'static str, latency: &LatencyHistogram) -> Series {
    let shares = (0..=100).map(|share| f64::from(share) / 100.0);
    let point = |share| (latency.quantile_cycles(share).max(1) as f64, share * 100.0);
    series(class, Kind::Line, shares.map(point).collect())
}

/// A logarithmic axis that has room for these values.
pub fn log(values: impl Iterator<Item = f64> + Clone) -> Axis {
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(0.0, f64::max);
    Axis::log(low.max(1e-3), high.max(2.0 * low).max(2e-3))
}

/// A plot of curves alone; an axis comes with its title.
pub fn chart(label: &str, x: (Axis, &str), y: (Axis, &str), series: Vec<Series>) -> Chart {
    Chart {
        label: label.to_owned(),
        x: x.0,
        y: y.0,
        x_title: x.1.to_owned(),
        y_title: y.1.to_owned(),
        x_unit: 1.0,
        series,
        marks: Vec::new(),
        rules: Vec::new(),
    }
}

/// The values of all curves on an axis: 0 the horizontal one, 1 the vertical one.
pub fn values(curves: &[Series], axis: usize) -> impl Iterator<Item = f64> + Clone {
    let points = curves.iter().flat_map(|curve| &curve.points);
    points.map(move |&(x, y)| [x, y][axis])
}
