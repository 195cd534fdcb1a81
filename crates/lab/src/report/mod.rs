// SPDX-License-Identifier: Apache-2.0
//! The report: one page that needs no network, no fonts and no other file.

pub mod bench;
pub mod bench_all;
pub mod bench_chunk;
pub mod bench_htsp;
pub mod bench_network;
pub mod bench_rdma;
pub mod bench_rifl;
pub mod bench_slink;
pub mod bench_transfer;
mod chart;
pub mod drawing;
pub mod network;
pub mod plan;
pub mod plan_chunk;
pub mod run;
pub mod sim_htsp;
pub mod sim_rdma;
pub mod sim_slink;
pub mod sim_stack;

use std::fmt::Write;

use chart::{Axis, Chart, Kind, Marks, Rule, Scale, Series};
use ropewalk_console::format::{self, escape};
use ropewalk_sim::rifl::{RunResult, Sample};

use crate::dimension;
use crate::summary::Summary;

/// Name of the page in its folder.
pub const FILE_NAME: &str = "index.html";

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("page.js");
/// Classes of the two directions in the style sheet.
const CLASSES: [&str; 2] = ["a", "b"];
/// Points of a curve; more cannot be told apart.
const POINTS: usize = 480;

/// What the page shows.
#[derive(Debug)]
pub struct Page<'a> {
    /// The result.
    pub summary: &'a Summary,
    /// The time series and the histograms.
    pub result: &'a RunResult,
    /// The command line that gives this run again.
    pub command: String,
}

/// A time, with the sign that HTML has and a terminal may lack.
fn time(ns: f64) -> String {
    format::time(ns).replace(" us", " \u{b5}s")
}

/// A page around its content: no request leaves it, light and dark follow the reader.
fn document(title: &str, body: &str, script: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'; img-src data:\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title} - Ropewalk</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<main>\n{body}</main>\n{script}</body>\n</html>\n",
        title = escape(title),
    )
}

/// What a page is about, as markup.
fn facts<'a>(facts: impl IntoIterator<Item = &'a str>) -> String {
    let facts = facts.into_iter();
    facts
        .map(|fact| format!("<span>{}</span>", escape(fact)))
        .collect()
}

/// A plot with its heading, legend and caption; the last two are markup.
fn figure(id: &str, heading: &str, legend: &str, chart: &Chart, caption: &str) -> String {
    format!(
        "<figure id=\"{id}\">\n<div class=\"top\"><h2>{heading}</h2><p class=\"legend\">{legend}</p></div>\n\
         <output aria-live=\"off\">&nbsp;</output>\n{}\n<figcaption>{caption}</figcaption>\n</figure>\n",
        chart.svg()
    )
}

impl Page<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let summary = self.summary;
        let series = thin_out(&self.result.series, POINTS);
        let title = match &summary.file {
            Some(file) => format!("{} over a RIFL link", file.name),
            None => "Generated packets over a RIFL link".to_owned(),
        };
        let mut page = String::with_capacity(256 << 10);
        page += &self.header(&title);
        page += &self.tiles();
        if series.is_empty() {
            page += "<p class=\"empty\">The run ended before the first sample: there is nothing to plot.</p>\n";
        } else {
            page += &self.goodput(&series);
            page += &self.latency(&series);
        }
        page += &self.histogram();
        page += &self.table();
        page += &self.lanes();
        page += &self.parameters();
        let _ = writeln!(
            page,
            "<footer>Ropewalk {}. Cycle-accurate RTL, two endpoints; times are link time.</footer>",
            env!("CARGO_PKG_VERSION"),
        );
        let script = format!(
            "<script type=\"application/json\" id=\"samples\">{}</script>\n<script>\n{SCRIPT}</script>\n",
            samples_json(&series, summary.directions.len()),
        );
        document(&title, &page, &script)
    }

    fn header(&self, title: &str) -> String {
        let summary = self.summary;
        let complaints = summary.complaints();
        let (class, verdict, sentence) = if complaints.is_empty() {
            let sentence = match &summary.file {
                Some(_) if summary.directions.len() == 1 => "The copy is identical, byte for byte.",
                Some(_) => "Both copies are identical, byte for byte.",
                None => "Every packet was delivered once, in order, unchanged.",
            };
            ("good", "Lossless", sentence.to_owned())
        } else {
            ("bad", "Not lossless", format!("{}.", complaints.join("; ")))
        };
        let mut facts = vec![
            format::lanes(summary.lanes),
            format!("{} Gb/s", summary.line_rate_gbps),
            format!("frame width {}", summary.frame_width),
            format!("{} of cable", dimension::length(summary.cable_m)),
            format!("bit error rate {}", format::rate(summary.ber)),
        ];
        if let Some(file) = &summary.file {
            facts.push(format!("{} each way", format::bytes(file.bytes)));
        }
        format!(
            "<header>\n<p class=\"brand\">Ropewalk <span>simulation report</span></p>\n<h1>{}</h1>\n<p class=\"facts\">{}</p>\n\
             <p class=\"verdict {class}\" id=\"verdict\"><strong>{verdict}</strong> {}</p>\n</header>\n",
            escape(title),
            self::facts(facts.iter().map(String::as_str)),
            escape(&sentence),
        )
    }

    fn tiles(&self) -> String {
        let summary = self.summary;
        let mut tiles: Vec<(String, String, String)> = Vec::new();
        for direction in &summary.directions {
            tiles.push((
                format!("Goodput {} \u{2192} {}", direction.from, direction.to),
                format!(
                    "{} <small>Gb/s</small>",
                    format::significant(direction.goodput_gbps, 4)
                ),
                format!("{:.2} % of the line rate", 100.0 * direction.efficiency),
            ));
        }
        let extreme = |pick: fn(&crate::summary::Latency<f64>) -> Option<f64>, larger: bool| {
            let values = summary
                .directions
                .iter()
                .filter_map(|d| pick(&d.latency_ns));
            values.reduce(|a, b| if (a > b) == larger { a } else { b })
        };
        if let (Some(median), Some(max)) = (extreme(|l| l.p50, true), extreme(|l| l.max, true)) {
            tiles.push((
                "Median latency".to_owned(),
                format!("{median:.1} <small>ns</small>"),
                format!("largest {}", time(max)),
            ));
        }
        tiles.push((
            "Bit errors injected".to_owned(),
            format::thousands(summary.bit_errors),
            format!(
                "{} retransmissions",
                format::thousands(summary.retransmissions)
            ),
        ));
        tiles.push(match summary.link_up_ns {
            Some(ns) => {
                let text = time(ns);
                let (value, unit) = text.split_once(' ').unwrap_or((&text, ""));
                (
                    "Link up after".to_owned(),
                    format!("{value} <small>{unit}</small>"),
                    format!("{} simulated", time(summary.time_ns)),
                )
            }
            None => (
                "Link up after".to_owned(),
                "never".to_owned(),
                String::new(),
            ),
        });
        run::tiles(&tiles)
    }

    fn loaded(&self) -> usize {
        self.summary.directions.len()
    }

    fn legend(&self) -> String {
        self.summary
            .directions
            .iter()
            .zip(CLASSES)
            .map(|(d, class)| {
                format!(
                    "<span class=\"key {class}\">{} \u{2192} {}</span>",
                    d.from, d.to
                )
            })
            .collect()
    }

    /// Times of the errors of a direction, all lanes, ascending.
    fn error_times(&self, direction: usize) -> Vec<f64> {
        let lanes = &self.result.lanes[direction];
        let mut times: Vec<f64> = lanes
            .iter()
            .flat_map(|lane| lane.error_times_ns.iter().copied())
            .collect();
        times.sort_by(f64::total_cmp);
        times
    }

    fn error_marks(&self) -> Vec<Marks> {
        // Errors in the direction without traffic matter too: they carry the requests.
        let ends = crate::summary::ENDS;
        (0..2)
            .map(|i| Marks {
                class: CLASSES[i],
                label: format!("{}\u{2192}{}", ends[i].0, ends[i].1),
                at: self.error_times(i),
            })
            .collect()
    }

    fn marks_caption(&self) -> String {
        let kept = self.error_times(0).len() + self.error_times(1).len();
        let all = self.summary.bit_errors;
        match (kept as u64, all) {
            (_, 0) => "No bit error was injected.".to_owned(),
            (kept, all) if kept < all => format!(
                "Marks below the plot: injected bit errors ({} of {} are marked).",
                format::thousands(kept),
                format::thousands(all)
            ),
            (_, all) => format!(
                "Marks below the plot: all {} injected bit errors.",
                format::thousands(all)
            ),
        }
    }

    fn time_axis(&self, series: &[Sample]) -> (Axis, f64, &'static str) {
        let end = series.last().map_or(1.0, |sample| sample.time_ns);
        let (unit, name) = match end {
            e if e < 2e3 => (1.0, "ns"),
            e if e < 2e6 => (1e3, "\u{b5}s"),
            e if e < 2e9 => (1e6, "ms"),
            _ => (1e9, "s"),
        };
        (Axis::exact(0.0, end), unit, name)
    }

    fn link_up_rule(&self) -> Option<Rule> {
        self.summary.link_up_ns.map(|at| Rule {
            vertical: true,
            at,
            label: "link up".to_owned(),
        })
    }

    fn goodput(&self, series: &[Sample]) -> String {
        let (x, x_unit, unit) = self.time_axis(series);
        let limit = f64::from(self.summary.frame_width - 16) / f64::from(self.summary.frame_width)
            * self.summary.line_rate_gbps;
        let peak = series
            .iter()
            .flat_map(|s| s.goodput_gbps)
            .fold(limit, f64::max);
        let mut rules = vec![Rule {
            vertical: false,
            at: limit,
            label: format!("limit of the frame: {} Gb/s", format::significant(limit, 4)),
        }];
        rules.extend(self.link_up_rule());
        let chart = Chart {
            label: "Goodput of both directions over link time, with the injected bit errors"
                .to_owned(),
            x,
            y: Axis::from_zero(peak),
            x_title: format!("link time in {unit}"),
            y_title: "goodput in Gb/s".to_owned(),
            x_unit,
            series: (0..self.loaded())
                .map(|i| Series {
                    class: CLASSES[i],
                    kind: Kind::Line,
                    points: series
                        .iter()
                        .map(|s| (s.time_ns, s.goodput_gbps[i]))
                        .collect(),
                })
                .collect(),
            marks: self.error_marks(),
            rules,
        };
        figure(
            "goodput",
            "Goodput over link time",
            &self.legend(),
            &chart,
            &self.marks_caption(),
        )
    }

    fn latency(&self, series: &[Sample]) -> String {
        let (x, x_unit, unit) = self.time_axis(series);
        let values = || {
            series
                .iter()
                .flat_map(|s| s.latency_ns_max.into_iter().chain(s.latency_ns_mean))
                .filter(|ns| *ns > 0.0)
        };
        let max = values().fold(0.0, f64::max);
        let min = values().fold(max, f64::min);
        let positive = |ns: f64| if ns > 0.0 { ns } else { f64::NAN };
        let mut curves = Vec::new();
        for (i, class) in CLASSES.into_iter().enumerate().take(self.loaded()) {
            let of = |pick: fn(&Sample) -> [f64; 2]| {
                series
                    .iter()
                    .map(|s| (s.time_ns, positive(pick(s)[i])))
                    .collect()
            };
            curves.push(Series {
                class,
                kind: Kind::Thin,
                points: of(|s| s.latency_ns_mean),
            });
            curves.push(Series {
                class,
                kind: Kind::Line,
                points: of(|s| s.latency_ns_max),
            });
        }
        let chart = Chart {
            label: "Packet latency of both directions over link time, with the injected bit errors"
                .to_owned(),
            x,
            y: Axis::log(min, max),
            x_title: format!("link time in {unit}"),
            y_title: "latency in ns".to_owned(),
            x_unit,
            series: curves,
            marks: self.error_marks(),
            rules: self.link_up_rule().into_iter().collect(),
        };
        let caption = format!(
            "First beat in to first beat out. Strong line: largest of the interval; thin line: mean. {}",
            self.marks_caption()
        );
        figure(
            "latency",
            "Latency over link time",
            &self.legend(),
            &chart,
            &caption,
        )
    }

    fn histogram(&self) -> String {
        let bins = Bins::of(self.result, self.loaded());
        let Some(bins) = bins else {
            return String::new();
        };
        let most = bins.counts.iter().flatten().copied().max().unwrap_or(1);
        let chart = Chart {
            label: "Histogram of the packet latency of both directions".to_owned(),
            x: bins.axis,
            y: Axis {
                min: 0.7,
                ..Axis::log(1.0, most as f64)
            },
            x_title: "latency in ns".to_owned(),
            y_title: "packets".to_owned(),
            x_unit: 1.0,
            series: (0..self.loaded())
                .map(|i| Series {
                    class: CLASSES[i],
                    kind: Kind::Columns {
                        place: i,
                        of: self.loaded(),
                    },
                    points: bins
                        .edges
                        .iter()
                        .enumerate()
                        .map(|(n, &edge)| {
                            (edge, bins.counts[i].get(n).copied().unwrap_or(0) as f64)
                        })
                        .collect(),
                })
                .collect(),
            marks: Vec::new(),
            rules: Vec::new(),
        };
        figure(
            "histogram",
            "How long packets took",
            &self.legend(),
            &chart,
            "Packets by latency, first beat in to first beat out; both axes are chosen so that single packets are seen.",
        )
    }

    fn table(&self) -> String {
        let directions = &self.summary.directions;
        let mut out = "<section id=\"result\">\n<h2>Result</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th></th>".to_owned();
        for (direction, class) in directions.iter().zip(CLASSES) {
            let _ = write!(
                out,
                "<th scope=\"col\"><span class=\"key {class}\">{} \u{2192} {}</span></th>",
                direction.from, direction.to
            );
        }
        out += "</tr></thead>\n<tbody>\n";
        type Cell = fn(&crate::summary::DirectionSummary) -> String;
        let rows: [(&str, Cell, bool); 12] = [
            ("packets sent", |d| format::thousands(d.packets_sent), false),
            (
                "packets delivered",
                |d| format::thousands(d.packets_delivered),
                false,
            ),
            (
                "bytes delivered",
                |d| format::thousands(d.bytes_delivered),
                false,
            ),
            ("lost", |d| format::thousands(d.lost), true),
            ("duplicated", |d| format::thousands(d.duplicated), true),
            ("reordered", |d| format::thousands(d.reordered), true),
            ("corrupted", |d| format::thousands(d.corrupted), true),
            ("cut by a reset", |d| format::thousands(d.cut), true),
            (
                "goodput",
                |d| format!("{} Gb/s", format::significant(d.goodput_gbps, 4)),
                false,
            ),
            (
                "efficiency",
                |d| format!("{:.2} %", 100.0 * d.efficiency),
                false,
            ),
            (
                "bit errors injected",
                |d| format::thousands(d.bit_errors),
                false,
            ),
            (
                "retransmissions",
                |d| format::thousands(d.retransmissions),
                false,
            ),
        ];
        for (name, cell, must_be_zero) in rows {
            let _ = write!(out, "<tr><th scope=\"row\">{name}</th>");
            for direction in directions {
                let text = cell(direction);
                let class = if must_be_zero && text != "0" {
                    " class=\"bad\""
                } else {
                    ""
                };
                let _ = write!(out, "<td{class}>{text}</td>");
            }
            out += "</tr>\n";
        }
        for (i, name) in ["minimum", "median", "99 %", "99.9 %", "maximum"]
            .into_iter()
            .enumerate()
        {
            let _ = write!(out, "<tr><th scope=\"row\">latency, {name}</th>");
            for direction in directions {
                match (
                    direction.latency_ns.named()[i].1,
                    direction.latency_cycles.named()[i].1,
                ) {
                    (Some(ns), Some(cycles)) => {
                        let _ = write!(
                            out,
                            "<td>{ns:.1} ns <span class=\"dim\">{} cycles</span></td>",
                            format::thousands(cycles)
                        );
                    }
                    _ => out += "<td>-</td>",
                }
            }
            out += "</tr>\n";
        }
        out + "</tbody>\n</table></div>\n</section>\n"
    }

    /// What differs from lane to lane; nothing for one lane.
    fn lanes(&self) -> String {
        let summary = self.summary;
        if summary.lanes == 1 {
            return String::new();
        }
        let mut out = "<section>\n<h2>Lanes</h2>\n<div class=\"scroll\"><table id=\"lanes\">\n<thead><tr><th scope=\"col\"></th>\
                       <th scope=\"col\">delay</th><th scope=\"col\">bit slip</th><th scope=\"col\">bit errors</th>\
                       <th scope=\"col\">retransmissions</th></tr></thead>\n<tbody>\n"
            .to_owned();
        for direction in &summary.directions {
            for (lane, row) in direction.lanes.iter().enumerate() {
                let _ = writeln!(
                    out,
                    "<tr><th scope=\"row\">{} \u{2192} {}, lane {lane}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                    direction.from,
                    direction.to,
                    time(row.delay_bits as f64 / summary.line_rate_gbps),
                    row.slip_bits,
                    format::thousands(row.bit_errors),
                    format::thousands(row.retransmissions)
                );
            }
        }
        out + "</tbody>\n</table></div>\n</section>\n"
    }

    fn parameters(&self) -> String {
        let summary = self.summary;
        let cycle_ns = 64.0 / summary.line_rate_gbps;
        let delay_ns = summary.delay_bits as f64 / summary.line_rate_gbps;
        let mut rows = vec![
            ("frame width", format!("{} bits", summary.frame_width)),
            (
                "frame id width",
                format!(
                    "{} bits, {} frames",
                    summary.id_width,
                    1u32 << summary.id_width
                ),
            ),
            ("user width", format!("{} bits", summary.user_width)),
            (
                "line rate",
                format!(
                    "{} Gb/s, a cycle of 64 bits is {cycle_ns:.4} ns",
                    summary.line_rate_gbps
                ),
            ),
            (
                "cable",
                format!(
                    "{}, {} one way",
                    dimension::length(summary.cable_m),
                    time(delay_ns)
                ),
            ),
            ("bit error rate", format::rate(summary.ber)),
            ("clock offset", format!("{} ppm", summary.ppm)),
            if summary.lanes == 1 {
                (
                    "bit slip",
                    format!("{} and {} bits", summary.slip_bits[0], summary.slip_bits[1]),
                )
            } else {
                ("skew", format!("up to {} words", summary.skew_words))
            },
            (
                "sinks stalled",
                format!("{} % of the time", summary.stall_percent),
            ),
            ("seed", summary.seed.to_string()),
            ("cycles simulated", format::thousands(summary.cycles)),
            (
                "simulation speed",
                format!(
                    "{} cycles/s, {:.1} s in all",
                    format::per_second(summary.sim_cycles_per_second),
                    summary.wall_s
                ),
            ),
        ];
        if let Some(file) = &summary.file {
            rows.push((
                "file",
                format!("{}, {} bytes", file.name, format::thousands(file.bytes)),
            ));
            rows.push(("SHA-256", file.sha256.clone()));
        }
        let mut out = "<section id=\"parameters\">\n<h2>Parameters</h2>\n<dl>\n".to_owned();
        for (name, value) in rows {
            let _ = writeln!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", escape(&value));
        }
        let _ = write!(
            out,
            "</dl>\n<h2>The same run again</h2>\n<pre><code id=\"command\">{}</code></pre>\n</section>\n",
            escape(&self.command)
        );
        out
    }
}

/// Latency classes for the histogram.
struct Bins {
    axis: Axis,
    edges: Vec<f64>,
    counts: [Vec<u64>; 2],
}

impl Bins {
    fn of(result: &RunResult, loaded: usize) -> Option<Self> {
        let directions = &result.directions[..loaded];
        let filled = || directions.iter().filter(|d| d.latency.count() > 0);
        let cycle_ns = filled().next()?.latency.cycle_ns();
        let min = filled().map(|d| d.latency.min_cycles()).min()?;
        let max = filled().map(|d| d.latency.max_cycles()).max()?;
        // Edges in cycles, at least one apart. A wide range has classes of equal ratio.
        let mut edges = vec![min];
        if max > 8 * min.max(1) {
            let ratio = (max as f64 / min.max(1) as f64).powf(1.0 / 64.0);
            let mut edge = min.max(1) as f64;
            while edges[edges.len() - 1] <= max {
                edge *= ratio;
                edges.push((edge.ceil() as u64).max(edges[edges.len() - 1] + 1));
            }
        } else {
            let step = (max - min + 1).div_ceil(64);
            while edges[edges.len() - 1] <= max {
                edges.push(edges[edges.len() - 1] + step);
            }
        }
        let mut counts = [Vec::new(), Vec::new()];
        for (direction, counts) in directions.iter().zip(&mut counts) {
            *counts = vec![0; edges.len() - 1];
            for (cycles, n) in direction.latency.buckets() {
                counts[edges.partition_point(|&edge| edge <= cycles) - 1] += n;
            }
        }
        let ns: Vec<f64> = edges.iter().map(|&edge| edge as f64 * cycle_ns).collect();
        let (first, last) = (ns[0], ns[ns.len() - 1]);
        let axis = if max > 8 * min.max(1) {
            Axis {
                min: first.max(cycle_ns),
                max: last,
                scale: Scale::Log,
            }
        } else {
            let margin = (last - first) * 0.05;
            Axis::exact((first - margin).max(0.0), last + margin)
        };
        Some(Self {
            axis,
            edges: ns,
            counts,
        })
    }
}

/// At most `limit` samples: neighbours are merged, so that no peak disappears.
fn thin_out(series: &[Sample], limit: usize) -> Vec<Sample> {
    let merged = series.len().div_ceil(limit.max(1)).max(1);
    series
        .chunks(merged)
        .map(|chunk| {
            let mut out = chunk[chunk.len() - 1];
            for i in 0..2 {
                out.goodput_gbps[i] =
                    chunk.iter().map(|s| s.goodput_gbps[i]).sum::<f64>() / chunk.len() as f64;
                out.latency_ns_max[i] = chunk
                    .iter()
                    .map(|s| s.latency_ns_max[i])
                    .fold(0.0, f64::max);
                let means: Vec<f64> = chunk
                    .iter()
                    .map(|s| s.latency_ns_mean[i])
                    .filter(|ns| *ns > 0.0)
                    .collect();
                out.latency_ns_mean[i] = if means.is_empty() {
                    0.0
                } else {
                    means.iter().sum::<f64>() / means.len() as f64
                };
                out.bit_errors[i] = chunk.iter().map(|s| s.bit_errors[i]).sum();
            }
            out
        })
        .collect()
}

/// The samples for the read-out under the pointer, rounded to what can be seen.
fn samples_json(series: &[Sample], loaded: usize) -> String {
    let round = |value: f64, digits: i32| {
        let scale = 10f64.powi(digits);
        (value * scale).round() / scale
    };
    let column = |pick: &dyn Fn(&Sample) -> f64, digits| -> Vec<f64> {
        series
            .iter()
            .map(|sample| round(pick(sample), digits))
            .collect()
    };
    let all = |pick: &dyn Fn(&Sample, usize) -> f64, digits| -> Vec<Vec<f64>> {
        (0..loaded)
            .map(|i| column(&|sample| pick(sample, i), digits))
            .collect()
    };
    serde_json::json!({
        "time_ns": column(&|sample| sample.time_ns, 1),
        "goodput_gbps": all(&|sample, i| sample.goodput_gbps[i], 3),
        "latency_ns": all(&|sample, i| sample.latency_ns_max[i], 1),
        "bit_errors": (0..2).map(|i| column(&|sample| sample.bit_errors[i] as f64, 0)).collect::<Vec<_>>(),
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(time_ns: f64, goodput: f64, latency: f64) -> Sample {
        Sample {
            time_ns,
            goodput_gbps: [goodput; 2],
            latency_ns_max: [latency; 2],
            latency_ns_mean: [latency; 2],
            bit_errors: [1, 0],
        }
    }

    #[test]
    fn thinning_keeps_peaks_and_sums() {
        let series: Vec<Sample> = (0..1000)
            .map(|i| sample(f64::from(i), 2.0, if i == 777 { 9.0 } else { 1.0 }))
            .collect();
        let thin = thin_out(&series, 100);
        assert_eq!(thin.len(), 100);
        assert_eq!(thin.iter().map(|s| s.bit_errors[0]).sum::<u64>(), 1000);
        assert_eq!(
            thin.iter().map(|s| s.latency_ns_max[1]).fold(0.0, f64::max),
            9.0
        );
        assert!(thin.iter().all(|s| (s.goodput_gbps[0] - 2.0).abs() < 1e-12));
        assert_eq!(thin[99].time_ns, 999.0);
        assert!(thin_out(&[], 100).is_empty());
    }

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(
            escape("<a href=\"x\">&'\u{1b}"),
            "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\u{fffd}"
        );
    }
}
