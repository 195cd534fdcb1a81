// SPDX-License-Identifier: Apache-2.0
//! Pictures of graphs: DOT for other programs, SVG for people.
//!
//! The layout of the SVG is layered. A box stands one layer to the right of the last of those that
//! feed it, where loops count once; within its layer it moves towards the middle of its neighbours.
//! Colours follow the light or dark of the reader's screen.

use std::collections::HashSet;
use std::fmt::Write;

/// A box.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape {
    /// Its name.
    pub name: String,
    /// Small text under the name.
    pub notes: Vec<String>,
    /// Boxes of a group have one colour: a thread, a core. None: without.
    pub group: Option<usize>,
}

/// An arrow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrow {
    /// Index of the box where it begins.
    pub from: usize,
    /// Index of the box to which it points.
    pub to: usize,
    /// Small text beside it.
    pub note: String,
}

/// A graph to be drawn. Arrows lead from box to box; one that names a box that is not there is left
/// out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drawing {
    /// What it shows.
    pub title: String,
    /// Boxes.
    pub shapes: Vec<Shape>,
    /// Arrows.
    pub arrows: Vec<Arrow>,
    /// Names of the groups; empty: none are told.
    pub groups: Vec<String>,
}

const LINE: f64 = 15.0;
const GAP_X: f64 = 86.0;
const GAP_Y: f64 = 18.0;
const MARGIN: f64 = 16.0;
/// Width of a character, more or less, of names and of notes.
const NAME: f64 = 7.4;
const NOTE: f64 = 6.2;
/// Rounds of straightening.
const ROUNDS: usize = 8;
/// Colours of groups: on light and on dark paper.
const COLOURS: [(&str, &str); 6] = [
    ("#1f5fd0", "#6ea8ff"),
    ("#b85c00", "#ffae57"),
    ("#0b7a4b", "#7fdca6"),
    ("#7a3fb8", "#c39bff"),
    ("#b3265e", "#ff8fb8"),
    ("#5b6877", "#98a5b3"),
];

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Where a box stands.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Place {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Drawing {
    fn sound(&self) -> impl Iterator<Item = &Arrow> {
        let count = self.shapes.len();
        self.arrows
            .iter()
            .filter(move |arrow| arrow.from < count && arrow.to < count)
    }

    /// In the language of Graphviz.
    #[must_use]
    pub fn dot(&self) -> String {
        let mut out = format!("digraph {} {{\n  rankdir=LR;\n", quote(&self.title));
        out += "  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n";
        // Writing to a string cannot fail.
        for (index, shape) in self.shapes.iter().enumerate() {
            let lines: Vec<&str> = std::iter::once(&shape.name)
                .chain(&shape.notes)
                .map(String::as_str)
                .collect();
            let label = quote(&lines.join("\n")).replace('\n', "\\n");
            let colour = shape.group.map_or(String::new(), |group| {
                format!(", color={}", quote(COLOURS[group % COLOURS.len()].0))
            });
            let _ = writeln!(out, "  n{index} [label={label}{colour}];");
        }
        for arrow in self.sound() {
            let (from, to, note) = (arrow.from, arrow.to, quote(&arrow.note));
            let _ = writeln!(out, "  n{from} -> n{to} [label={note}];");
        }
        out + "}\n"
    }

    /// As a picture that needs nothing else.
    #[must_use]
    pub fn svg(&self) -> String {
        let places = self.places();
        let width = extent(places.iter().map(|place| place.x + place.width));
        let below = extent(places.iter().map(|place| place.y + place.height));
        let legend = if self.groups.is_empty() { 0.0 } else { 26.0 };
        let height = below + legend;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             role=\"img\" aria-label=\"{}\">\n<!-- SPDX-License-Identifier: Apache-2.0 -->\n{}",
            escape(&self.title),
            style()
        );
        let mut told = HashSet::new();
        for arrow in self.sound() {
            let (from, to) = (&places[arrow.from], &places[arrow.to]);
            let (path, x, y) = curve(from, to, below);
            let _ = writeln!(out, "<path class=\"edge\" d=\"{path}\"/>");
            // The same from the same box is told once.
            if !arrow.note.is_empty() && told.insert((arrow.from, &arrow.note)) {
                let _ = writeln!(
                    out,
                    "<text class=\"note\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>",
                    escape(&arrow.note)
                );
            }
        }
        for (shape, place) in self.shapes.iter().zip(&places) {
            let Place {
                x,
                y,
                width,
                height,
            } = place;
            let class = group_class(shape.group);
            let _ = write!(
                out,
                "<rect class=\"box{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"6\"/>\
                 <text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                x + width / 2.0,
                y + 19.0,
                escape(&shape.name)
            );
            for (row, note) in shape.notes.iter().enumerate() {
                let _ = write!(
                    out,
                    "<text class=\"note\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                    x + width / 2.0,
                    y + 19.0 + LINE * (row + 1) as f64,
                    escape(note)
                );
            }
            out.push('\n');
        }
        let mut x = MARGIN;
        for (group, name) in self.groups.iter().enumerate() {
            let y = below + 4.0;
            let class = group_class(Some(group));
            let _ = writeln!(
                out,
                "<rect class=\"box{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"14\" height=\"10\" rx=\"2\"/>\
                 <text class=\"note\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                x + 20.0,
                y + 10.0,
                escape(name)
            );
            x += 40.0 + NOTE * name.chars().count() as f64;
        }
        out + "</svg>\n"
    }

    /// The layer of each box: its longest way from a box without predecessors, loops cut.
    fn layers(&self) -> Vec<usize> {
        let count = self.shapes.len();
        let mut next = vec![Vec::new(); count];
        self.sound()
            .for_each(|arrow| next[arrow.from].push(arrow.to));
        // Boxes in the order in which a walk leaves them, last first; an arrow against this order
        // closes a loop.
        let mut fed = vec![false; count];
        self.sound().for_each(|arrow| fed[arrow.to] = true);
        let roots = (0..count)
            .filter(|&i| !fed[i])
            .chain((0..count).filter(|&i| fed[i]));
        let mut seen = vec![false; count];
        let mut order = Vec::new();
        for root in roots {
            let mut stack = vec![(root, 0)];
            while let Some((index, step)) = stack.pop() {
                if step == 0 {
                    if seen[index] {
                        continue;
                    }
                    seen[index] = true;
                }
                match next[index].get(step) {
                    Some(&to) => stack.extend([(index, step + 1), (to, 0)]),
                    None => order.push(index),
                }
            }
        }
        order.reverse();
        let mut rank = vec![0; count];
        (0..).zip(&order).for_each(|(at, &index)| rank[index] = at);
        let mut layer = vec![0; count];
        for &index in &order {
            for &to in next[index].iter().filter(|&&to| rank[to] > rank[index]) {
                layer[to] = layer[to].max(layer[index] + 1);
            }
        }
        layer
    }

    fn places(&self) -> Vec<Place> {
        let layers = self.layers();
        let mut rows: Vec<Vec<usize>> = Vec::new();
        for (index, &layer) in layers.iter().enumerate() {
            rows.resize(rows.len().max(layer + 1), Vec::new());
            rows[layer].push(index);
        }
        let size = |index: usize| {
            let shape = &self.shapes[index];
            let widest = shape.notes.iter().map(|note| NOTE * chars(note));
            let name = NAME * chars(&shape.name);
            let width = widest.fold(name, f64::max).max(60.0) + 20.0;
            (width, 30.0 + LINE * shape.notes.len() as f64)
        };
        let mut neighbours = vec![Vec::new(); self.shapes.len()];
        for arrow in self.sound().filter(|arrow| arrow.from != arrow.to) {
            neighbours[arrow.from].push(arrow.to);
            neighbours[arrow.to].push(arrow.from);
        }
        // Heights of the middles, first one under the other.
        let mut middle = vec![0.0; self.shapes.len()];
        let stack = |row: &[usize], middle: &mut [f64], wish: &[f64]| {
            let mut y = 0.0;
            let mut shift = 0.0;
            for &index in row {
                let height = size(index).1;
                middle[index] = y + height / 2.0;
                shift += wish[index] - middle[index];
                y += height + GAP_Y;
            }
            let shift = shift / row.len().max(1) as f64;
            row.iter().for_each(|&index| middle[index] += shift);
        };
        let wish = vec![0.0; self.shapes.len()];
        rows.iter().for_each(|row| stack(row, &mut middle, &wish));
        for round in 0..ROUNDS {
            let steps: Vec<usize> = if round % 2 == 0 {
                (0..rows.len()).collect()
            } else {
                (0..rows.len()).rev().collect()
            };
            for step in steps {
                let mut wish = middle.clone();
                for &index in &rows[step] {
                    let near = &neighbours[index];
                    if !near.is_empty() {
                        let sum: f64 = near.iter().map(|&other| middle[other]).sum();
                        wish[index] = sum / near.len() as f64;
                    }
                }
                // Stable, so that equal wishes keep the order of the boxes.
                rows[step].sort_by(|&a, &b| wish[a].total_cmp(&wish[b]));
                stack(&rows[step], &mut middle, &wish);
            }
        }
        let top = (0..self.shapes.len()).map(|i| middle[i] - size(i).1 / 2.0);
        let top = top.fold(f64::INFINITY, f64::min);
        let mut places = vec![
            Place {
                x: 0.0,
                y: 0.0,
                width: 0.0,
                height: 0.0
            };
            self.shapes.len()
        ];
        let note = self.sound().map(|arrow| NOTE * chars(&arrow.note));
        let gap = note.fold(GAP_X, |gap, width| gap.max(width + 30.0));
        let mut x = MARGIN;
        for row in &rows {
            let widest = row.iter().map(|&i| size(i).0).fold(0.0, f64::max);
            for &index in row {
                let (width, height) = size(index);
                places[index] = Place {
                    x: x + (widest - width) / 2.0,
                    y: middle[index] - height / 2.0 - top + MARGIN,
                    width,
                    height,
                };
            }
            x += widest + gap;
        }
        places
    }
}

fn chars(text: &str) -> f64 {
    text.chars().count() as f64
}

fn extent(ends: impl Iterator<Item = f64>) -> f64 {
    ends.fold(0.0, f64::max) + MARGIN
}

fn group_class(group: Option<usize>) -> String {
    group.map_or(String::new(), |group| {
        format!(" g{}", group % COLOURS.len())
    })
}

/// An arrow from the right side of a box to the left side of another one, around below if that is
/// not further right; and where its note stands.
fn curve(from: &Place, to: &Place, below: f64) -> (String, f64, f64) {
    let (x0, y0) = (from.x + from.width, from.y + from.height / 2.0);
    let (x1, y1) = (to.x, to.y + to.height / 2.0);
    let tip = format!("M{:.1} {:.1}L{x1:.1} {y1:.1}l-7 4", x1 - 7.0, y1 - 4.0);
    if x1 > x0 {
        let bend = (x1 - x0) / 2.0;
        let path = format!(
            "M{x0:.1} {y0:.1}C{:.1} {y0:.1} {:.1} {y1:.1} {x1:.1} {y1:.1}{tip}",
            x0 + bend,
            x1 - bend
        );
        (path, f64::midpoint(x0, x1), f64::midpoint(y0, y1) - 5.0)
    } else {
        let low = below - 4.0;
        let path = format!(
            "M{x0:.1} {y0:.1}C{:.1} {low:.1} {:.1} {low:.1} {x1:.1} {y1:.1}{tip}",
            x0 + 60.0,
            x1 - 60.0
        );
        (path, f64::midpoint(x0, x1), low - 8.0)
    }
}

/// The style of all these pictures; it holds for nothing else on a page.
fn style() -> String {
    let mut light = String::new();
    let mut dark = String::new();
    for (group, (on_light, on_dark)) in COLOURS.iter().enumerate() {
        let _ = write!(light, " .graph .g{group}{{stroke:{on_light}}}");
        let _ = write!(dark, " .graph .g{group}{{stroke:{on_dark}}}");
    }
    format!(
        "<style>.graph text{{font:12.5px system-ui,\"DejaVu Sans\",sans-serif;fill:#5b6877}} .graph .name{{fill:#16202c}} \
         .graph .note{{font-size:11px}} .graph .box{{fill:#fff;stroke:#98a5b3;stroke-width:1.4}} \
         .graph .edge{{fill:none;stroke:#98a5b3;stroke-width:1.2}}{light} \
         @media(prefers-color-scheme:dark){{.graph text{{fill:#98a5b3}} .graph .name{{fill:#e6ebf1}} .graph .box{{fill:#171e26;stroke:#5b6877}} \
         .graph .edge{{stroke:#5b6877}}{dark}}}</style>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawing_of(names: &[&str], arrows: &[(usize, usize)]) -> Drawing {
        Drawing {
            title: "a \"b\" <c>".to_owned(),
            shapes: names
                .iter()
                .map(|name| Shape {
                    name: (*name).to_owned(),
                    notes: vec!["1 & 2".to_owned()],
                    group: Some(7),
                })
                .collect(),
            arrows: arrows
                .iter()
                .map(|&(from, to)| Arrow {
                    from,
                    to,
                    note: "items".to_owned(),
                })
                .collect(),
            groups: vec!["core 0".to_owned()],
        }
    }

    #[test]
    fn layers_follow_the_stream_and_loops_end() {
        let layers = |arrows: &[(usize, usize)]| drawing_of(&["a", "b", "c", "d"], arrows).layers();
        assert_eq!(layers(&[(0, 1), (1, 2), (0, 2), (2, 3)]), [0, 1, 2, 3]);
        assert_eq!(layers(&[(3, 2), (2, 1), (1, 0)]), [3, 2, 1, 0]);
        // d feeds back into b.
        assert_eq!(layers(&[(0, 1), (1, 2), (2, 3), (3, 1)]), [0, 1, 2, 3]);
        assert_eq!(layers(&[(0, 1), (1, 0), (2, 2)]), [0, 1, 0, 0]);
    }

    #[test]
    fn boxes_do_not_overlap() {
        let names: Vec<String> = (0..20).map(|i| format!("stage {i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let arrows: Vec<(usize, usize)> = (1..19).flat_map(|i| [(0, i), (i, 19)]).collect();
        let places = drawing_of(&names, &arrows).places();
        for (i, a) in places.iter().enumerate() {
            assert!(a.x >= 0.0 && a.y >= 0.0);
            for b in &places[..i] {
                let apart = a.x >= b.x + b.width
                    || b.x >= a.x + a.width
                    || a.y >= b.y + b.height
                    || b.y >= a.y + a.height;
                assert!(apart, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn text_is_text() {
        let drawing = drawing_of(&["<x>", "y"], &[(0, 1), (1, 0), (0, 9)]);
        let svg = drawing.svg();
        assert!(svg.contains("&lt;x&gt;") && svg.contains("1 &amp; 2") && !svg.contains("<x>"));
        assert_eq!(svg.matches("class=\"edge\"").count(), 2);
        let fork = drawing_of(&["a", "b", "c"], &[(0, 1), (0, 2), (1, 2)]).svg();
        assert_eq!(fork.matches(">items<").count(), 2);
        assert!(svg.contains("prefers-color-scheme:dark") && !svg.contains("NaN"));
        let dot = drawing.dot();
        assert!(dot.starts_with("digraph \"a \\\"b\\\" <c>\" {"), "{dot}");
        assert!(dot.contains("n0 -> n1 [label=\"items\"];") && !dot.contains("n9"));
        assert!(dot.contains("label=\"<x>\\n1 & 2\""), "{dot}");
        assert!(!Drawing::default().svg().contains("NaN"));
    }
}
