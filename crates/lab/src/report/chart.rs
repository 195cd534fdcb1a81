// SPDX-License-Identifier: Apache-2.0
//! Plots as inline SVG.
//!
//! A plot is drawn with classes instead of colours, so that the style sheet of the page decides
//! about light and dark, and in a wide and a narrow version, so that its text is readable on a
//! phone. Both versions carry the geometry of their plot area in `data-*` attributes for the
//! read-out under the pointer.

use std::fmt::Write;

use ropewalk_console::format;
use ropewalk_console::format::escape;

/// How values are laid out along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps are equal distances.
    Linear,
    /// Equal ratios are equal distances; all values are positive.
    Log,
}

/// One axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// Value at the beginning.
    pub min: f64,
    /// Value at the end.
    pub max: f64,
    /// Layout.
    pub scale: Scale,
}

impl Axis {
    /// A linear axis from zero to a round value not below `max`.
    pub fn from_zero(max: f64) -> Self {
        let max = if max.is_finite() && max > 0.0 {
            max
        } else {
            1.0
        };
        let step = nice_step(max / 5.0);
        Self {
            min: 0.0,
            max: (max / step - 1e-9).ceil() * step,
            scale: Scale::Linear,
        }
    }

    /// A linear axis that ends where the data ends.
    pub fn exact(min: f64, max: f64) -> Self {
        Self {
            min,
            max: if max > min { max } else { min + 1.0 },
            scale: Scale::Linear,
        }
    }

    /// A logarithmic axis that holds `min` and `max`, ending at 1, 2 or 5 times a power of ten.
    pub fn log(min: f64, max: f64) -> Self {
        let min = if min.is_finite() && min > 0.0 {
            min
        } else {
            1.0
        };
        let max = if max.is_finite() && max > min {
            max
        } else {
            min
        };
        let (low, mut high) = (round_down(min), round_up(max));
        if high <= low {
            high = low * 10.0;
        }
        Self {
            min: low,
            max: high,
            scale: Scale::Log,
        }
    }

    /// Where a value lies, 0 to 1.
    pub fn place(&self, value: f64) -> f64 {
        let at = match self.scale {
            Scale::Linear => (value - self.min) / (self.max - self.min),
            Scale::Log => (value.max(self.min) / self.min).ln() / (self.max / self.min).ln(),
        };
        at.clamp(0.0, 1.0)
    }

    /// Values worth a label, about `wanted` of them.
    pub fn ticks(&self, wanted: usize) -> Vec<f64> {
        match self.scale {
            Scale::Linear => {
                let step = nice_step((self.max - self.min) / wanted.max(1) as f64);
                let first = (self.min / step - 1e-9).ceil() as i64;
                let last = (self.max / step + 1e-9).floor() as i64;
                (first..=last).map(|i| i as f64 * step).collect()
            }
            Scale::Log => {
                let decades = (self.max / self.min).log10();
                let steps: &[f64] = if decades * 3.0 <= wanted as f64 {
                    &[1.0, 2.0, 5.0]
                } else {
                    &[1.0]
                };
                let every = if steps.len() == 1 {
                    (decades / wanted.max(1) as f64).ceil().max(1.0) as i32
                } else {
                    1
                };
                let mut ticks = Vec::new();
                let first = self.min.log10().floor() as i32;
                let last = self.max.log10().ceil() as i32;
                for exponent in
                    (first..=last).filter(|e| (e - first) % every == 0 || steps.len() > 1)
                {
                    for step in steps {
                        // Dividing rounds a small tick to the number that its label says.
                        let tick = if exponent < 0 {
                            step / 10f64.powi(-exponent)
                        } else {
                            step * 10f64.powi(exponent)
                        };
                        if tick >= self.min * (1.0 - 1e-9) && tick <= self.max * (1.0 + 1e-9) {
                            ticks.push(tick);
                        }
                    }
                }
                ticks
            }
        }
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `at_least`.
fn nice_step(at_least: f64) -> f64 {
    round_up(if at_least.is_finite() && at_least > 0.0 {
        at_least
    } else {
        1.0
    })
}

fn round_up(value: f64) -> f64 {
    let decade = 10f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|step| step * decade)
        .find(|&step| step >= value * (1.0 - 1e-9))
        .unwrap_or(10.0 * decade)
}

fn round_down(value: f64) -> f64 {
    let decade = 10f64.powf(value.log10().floor());
    [5.0, 2.0, 1.0]
        .into_iter()
        .map(|step| step * decade)
        .find(|&step| step <= value * (1.0 + 1e-9))
        .unwrap_or(decade)
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A line through the points; a value that is not a number interrupts it.
    Line,
    /// A thin line.
    Thin,
    /// What the points, one after the other, enclose, filled; each is a number.
    Area,
    /// A dot at each point.
    Dots,
    /// A ring around each point.
    Rings,
    /// Filled columns: each point is the left edge of a class that reaches to the next point; the
    /// columns of several series stand side by side.
    Columns {
        /// Which of them this is, from 0.
        place: usize,
        /// How many share a class.
        of: usize,
    },
}

/// One series.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Class of the style sheet: the direction.
    pub class: &'static str,
    /// How it is drawn.
    pub kind: Kind,
    /// The points, ascending in x, but for those of an area.
    pub points: Vec<(f64, f64)>,
}

/// A row of marks under the plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Marks {
    /// Class of the style sheet: the direction.
    pub class: &'static str,
    /// Label at the left.
    pub label: String,
    /// Where, on the x axis.
    pub at: Vec<f64>,
}

/// A straight line with a label.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Vertical at this x, or horizontal at this y.
    pub vertical: bool,
    /// Where.
    pub at: f64,
    /// Its label.
    pub label: String,
}

/// A plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What it shows, for those who cannot see it.
    pub label: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Title of the horizontal axis.
    pub x_title: String,
    /// Title of the vertical axis.
    pub y_title: String,
    /// What a unit of the x axis is divided by for its labels (1e3 shows ns as us).
    pub x_unit: f64,
    /// The series.
    pub series: Vec<Series>,
    /// Rows of marks under the plot.
    pub marks: Vec<Marks>,
    /// Straight lines.
    pub rules: Vec<Rule>,
}

/// A version of a plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// For screens.
    Wide,
    /// For phones.
    Narrow,
}

const MARK_ROW: f64 = 16.0;

impl Chart {
    /// Both versions; the style sheet shows one.
    pub fn svg(&self) -> String {
        self.version(Version::Wide) + &self.version(Version::Narrow)
    }

    fn version(&self, version: Version) -> String {
        let (class, width, plot_height, left, right, x_ticks) = match version {
            Version::Wide => ("wide", 960.0, 250.0, 64.0, 16.0, 9),
            Version::Narrow => ("narrow", 360.0, 210.0, 48.0, 8.0, 4),
        };
        let top = 26.0;
        let bottom = top + plot_height;
        let marks_height = if self.marks.is_empty() {
            0.0
        } else {
            8.0 + MARK_ROW * self.marks.len() as f64
        };
        let axis_y = bottom + marks_height;
        let height = axis_y + 42.0;
        let frame = Frame {
            chart: self,
            width,
            left,
            right,
            top,
            bottom,
            axis_y,
            x_ticks,
        };

        let mut out = String::new();
        let label = escape(&self.label);
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "<svg class=\"chart {class}\" viewBox=\"0 0 {width} {height:.0}\" role=\"img\" aria-label=\"{label}\" \
             data-left=\"{left}\" data-right=\"{}\" data-min=\"{}\" data-max=\"{}\">",
            width - right,
            self.x.min,
            self.x.max
        );
        let _ = write!(
            out,
            "<text class=\"title\" x=\"0\" y=\"12\">{}</text>",
            escape(&self.y_title)
        );
        frame.grid(&mut out);
        let _ = write!(
            out,
            "<text class=\"title\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            width - right,
            axis_y + 37.0,
            escape(&self.x_title)
        );
        frame.rules(&mut out);
        frame.curves(&mut out);
        let _ = write!(
            out,
            "<path class=\"axis\" d=\"M{left} {bottom}H{:.1}\"/>",
            width - right
        );
        frame.marks(&mut out);
        let _ = write!(
            out,
            "<path class=\"cursor\" d=\"M0 {top}V{axis_y:.1}\" visibility=\"hidden\"/></svg>"
        );
        out
    }
}

/// Where things are in one version of a chart, in pixels.
struct Frame<'a> {
    chart: &'a Chart,
    width: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    axis_y: f64,
    x_ticks: usize,
}

impl Frame<'_> {
    fn px(&self, x: f64) -> f64 {
        self.left + (self.width - self.left - self.right) * self.chart.x.place(x)
    }

    fn py(&self, y: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * self.chart.y.place(y)
    }

    /// The grid and what stands at it.
    fn grid(&self, out: &mut String) {
        let Frame {
            chart,
            width,
            left,
            right,
            axis_y,
            x_ticks,
            ..
        } = *self;
        let y_ticks = if chart.y.scale == Scale::Log { 9 } else { 5 };
        for tick in chart.y.ticks(y_ticks) {
            let y = self.py(tick);
            let _ = write!(
                out,
                "<path class=\"grid\" d=\"M{left} {y:.1}H{:.1}\"/>",
                width - right
            );
            let _ = write!(
                out,
                "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 8.0,
                y + 4.0,
                tick_label(tick)
            );
        }
        for tick in chart.x.ticks(x_ticks) {
            let x = self.px(tick);
            let _ = write!(out, "<path class=\"grid\" d=\"M{x:.1} {axis_y:.1}v5\"/>");
            // A label at the very end would be cut off.
            let anchor = if x > width - right - 14.0 {
                "end"
            } else {
                "middle"
            };
            let _ = write!(
                out,
                "<text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                axis_y + 19.0,
                tick_label(tick / chart.x_unit)
            );
        }
    }

    /// Limits and their names.
    fn rules(&self, out: &mut String) {
        let Frame {
            chart,
            width,
            left,
            right,
            top,
            bottom,
            ..
        } = *self;
        for rule in &chart.rules {
            let text = escape(&rule.label);
            if rule.vertical {
                let x = self.px(rule.at);
                let (anchor, dx) = if x > width * 0.6 {
                    ("end", -6.0)
                } else {
                    ("start", 6.0)
                };
                let _ = write!(
                    out,
                    "<path class=\"rule\" d=\"M{x:.1} {top}V{bottom}\"/><text class=\"note\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{text}</text>",
                    x + dx,
                    top + 12.0
                );
            } else {
                let y = self.py(rule.at);
                let _ = write!(
                    out,
                    "<path class=\"rule\" d=\"M{left} {y:.1}H{:.1}\"/><text class=\"note\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                    width - right,
                    width - right,
                    y - 5.0
                );
            }
        }
    }

    /// The curves.
    fn curves(&self, out: &mut String) {
        let (px, py) = (|x| self.px(x), |y| self.py(y));
        let Frame { chart, bottom, .. } = *self;
        for series in &chart.series {
            let path = match series.kind {
                Kind::Line | Kind::Thin => line_path(&series.points, px, py),
                Kind::Area => line_path(&series.points, px, py) + "Z",
                Kind::Dots => marker_path(&series.points, px, py, "h0"),
                // Two half circles.
                Kind::Rings => marker_path(
                    &series.points,
                    px,
                    py,
                    "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0",
                ),
                Kind::Columns { place, of } => {
                    column_path(&series.points, (place, of), px, py, bottom)
                }
            };
            let kind = match series.kind {
                Kind::Line => "line",
                Kind::Thin => "thin",
                Kind::Area => "area",
                Kind::Dots => "dots",
                Kind::Rings => "rings",
                Kind::Columns { .. } => "columns",
            };
            let _ = write!(
                out,
                "<path class=\"{kind} {}\" d=\"{path}\"/>",
                series.class
            );
        }
    }

    /// Single events below the curves, a row for each kind.
    fn marks(&self, out: &mut String) {
        let Frame {
            chart,
            left,
            bottom,
            ..
        } = *self;
        for (row, marks) in chart.marks.iter().enumerate() {
            let y = bottom + 8.0 + MARK_ROW * row as f64;
            let _ = write!(
                out,
                "<text class=\"tick {}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                marks.class,
                left - 8.0,
                y + 10.0,
                escape(&marks.label)
            );
            // One mark per pixel is all that can be seen.
            let mut columns: Vec<i64> = marks
                .at
                .iter()
                .filter(|at| **at >= chart.x.min && **at <= chart.x.max)
                .map(|&at| (self.px(at) * 2.0).round() as i64)
                .collect();
            columns.sort_unstable();
            columns.dedup();
            let mut path = String::new();
            for column in columns {
                let _ = write!(path, "M{} {y:.0}v11", column as f64 / 2.0);
            }
            let _ = write!(out, "<path class=\"mark {}\" d=\"{path}\"/>", marks.class);
        }
    }
}

fn line_path(points: &[(f64, f64)], px: impl Fn(f64) -> f64, py: impl Fn(f64) -> f64) -> String {
    let mut path = String::new();
    let mut pen_down = false;
    for (i, &(x, y)) in points.iter().enumerate() {
        if !y.is_finite() {
            pen_down = false;
            continue;
        }
        let _ = write!(
            path,
            "{}{:.1} {:.1}",
            if pen_down { 'L' } else { 'M' },
            px(x),
            py(y)
        );
        // A single point between two gaps still leaves a dot.
        if !pen_down && points.get(i + 1).is_none_or(|next| !next.1.is_finite()) {
            path.push_str("h0");
        }
        pen_down = true;
    }
    path
}

/// The same marker at each point that is a number.
fn marker_path(
    points: &[(f64, f64)],
    px: impl Fn(f64) -> f64,
    py: impl Fn(f64) -> f64,
    marker: &str,
) -> String {
    let mut path = String::new();
    for &(x, y) in points.iter().filter(|point| point.1.is_finite()) {
        let _ = write!(path, "M{:.1} {:.1}{marker}", px(x), py(y));
    }
    path
}

fn column_path(
    points: &[(f64, f64)],
    (place, of): (usize, usize),
    px: impl Fn(f64) -> f64,
    py: impl Fn(f64) -> f64,
    bottom: f64,
) -> String {
    let mut path = String::new();
    for pair in points.windows(2) {
        if pair[0].1 > 0.0 {
            let (x0, x1) = (px(pair[0].0), px(pair[1].0));
            let width = (x1 - x0) / of as f64;
            let left = x0 + width * place as f64;
            // At least a pixel, so that a lone packet is seen.
            let right = left + (width - 0.5).max(1.0);
            let _ = write!(
                path,
                "M{left:.1} {bottom}V{:.1}H{right:.1}V{bottom}Z",
                py(pair[0].1)
            );
        }
    }
    path
}

fn tick_label(value: f64) -> String {
    if value != 0.0 && (value.abs() >= 1e7 || value.abs() < 1e-3) {
        return format!("{value:e}");
    }
    if value.abs() >= 1000.0 {
        return format::thousands(value.round() as u64);
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_stands_at_every_number() {
        let points = [(1.0, 2.0), (2.0, f64::NAN), (3.0, 4.0)];
        let path = marker_path(&points, |x| x, |y| y, "h0");
        assert_eq!(path, "M1.0 2.0h0M3.0 4.0h0");
    }

    #[test]
    fn axes_end_at_round_values_and_hold_the_data() {
        assert_eq!(Axis::from_zero(26.2).max, 30.0);
        assert_eq!(Axis::from_zero(0.0).max, 1.0);
        let axis = Axis::log(36.6, 2400.0);
        assert_eq!((axis.min, axis.max), (20.0, 5000.0));
        assert_eq!(Axis::log(1e-6, 1e-5).ticks(5), [1e-6, 2e-6, 5e-6, 1e-5]);
        assert_eq!(Axis::log(50.0, 50.0).ticks(5), [50.0, 100.0, 200.0, 500.0]);
        for value in [1e-9, 0.3, 1.0, 9.99, 10.0, 12_345.0] {
            let axis = Axis::log(value, value * 3.0);
            assert!(
                axis.min <= value * 1.0001 && axis.max >= value * 2.9999,
                "{value}: {axis:?}"
            );
            assert!(round_up(value) >= value * 0.9999 && round_down(value) <= value * 1.0001);
        }
    }

    #[test]
    fn ticks_are_few_and_inside() {
        for axis in [
            Axis::from_zero(26.2),
            Axis::exact(0.0, 123_456.0),
            Axis::log(1.0, 1e9),
            Axis::log(30.0, 80.0),
        ] {
            let ticks = axis.ticks(5);
            assert!((2..=12).contains(&ticks.len()), "{axis:?}: {ticks:?}");
            assert!(
                ticks
                    .iter()
                    .all(|&t| t >= axis.min * 0.999 && t <= axis.max * 1.001)
            );
        }
    }

    #[test]
    fn gaps_interrupt_a_line() {
        let points = [
            (0.0, 1.0),
            (1.0, 2.0),
            (2.0, f64::NAN),
            (3.0, 1.0),
            (4.0, f64::NAN),
        ];
        assert_eq!(
            line_path(&points, |x| x, |y| y),
            "M0.0 1.0L1.0 2.0M3.0 1.0h0"
        );
    }

    #[test]
    fn columns_stand_side_by_side() {
        let points = [(0.0, 3.0), (10.0, 0.0), (20.0, 1.0), (30.0, 0.0)];
        let path = |place| column_path(&points, (place, 2), |x| x, |y| 9.0 - y, 9.0);
        assert_eq!(path(0), "M0.0 9V6.0H4.5V9ZM20.0 9V8.0H24.5V9Z");
        assert_eq!(path(1), "M5.0 9V6.0H9.5V9ZM25.0 9V8.0H29.5V9Z");
    }

    #[test]
    fn labels_are_short() {
        for (value, label) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (25.0, "25"),
            (2000.0, "2 000"),
            (1e9, "1e9"),
            (1e-6, "1e-6"),
        ] {
            assert_eq!(tick_label(value), label);
        }
    }

    #[test]
    fn marks_are_merged_per_pixel() {
        let marks = Marks {
            class: "a",
            label: "x".into(),
            at: (0..100_000).map(|i| f64::from(i) / 1000.0).collect(),
        };
        let chart = Chart {
            label: "l".into(),
            x: Axis::exact(0.0, 100.0),
            y: Axis::from_zero(1.0),
            x_title: String::new(),
            y_title: String::new(),
            x_unit: 1.0,
            series: vec![],
            marks: vec![marks],
            rules: vec![],
        };
        let svg = chart.svg();
        assert!(svg.matches("v11").count() < 3000 && svg.matches("v11").count() > 1000);
    }
}
