// SPDX-License-Identifier: Apache-2.0
//! Tables for terminals and pages.

use serde::{Deserialize, Serialize};

use crate::format::escape;

/// Escape sequences, or nothing where they are not welcome.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    colour: bool,
}

impl Style {
    /// With or without escape sequences.
    pub fn new(colour: bool) -> Self {
        Self { colour }
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// Headings.
    pub fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// What matters less.
    pub fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    /// What was run, in a line: the title, and behind it, after a comma each, what `more` there is
    /// to say.
    pub fn heading(self, title: &str, more: &[String]) -> String {
        format!(
            "{}{}",
            self.bold(title),
            self.dim(&format!(", {}", more.join(", ")))
        )
    }

    /// Good news.
    pub fn good(self, text: &str) -> String {
        self.wrap("1;32", text)
    }

    /// Bad news.
    pub fn bad(self, text: &str) -> String {
        self.wrap("1;31", text)
    }
}

/// A table with a left-aligned first column and right-aligned others, unless all are
/// [`left`](Table::left); an empty row is a gap.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    left: bool,
}

impl Table {
    /// A table with these headings.
    pub fn new(head: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            head: head.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
            left: false,
        }
    }

    /// The same with all columns left-aligned on a terminal: texts rather than numbers.
    #[must_use]
    pub fn left(self) -> Self {
        Self { left: true, ..self }
    }

    /// Appends a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Appends a gap.
    pub fn gap(&mut self) {
        self.rows.push(Vec::new());
    }

    /// The same as an HTML table that scrolls by itself where it is too wide.
    pub fn html(&self) -> String {
        let row = |tag: &str, cells: &[String]| {
            let cells = cells.iter().enumerate().map(|(i, cell)| {
                let text = escape(cell.trim_start());
                if i == 0 || tag == "th" {
                    let scope = if tag == "th" { "col" } else { "row" };
                    format!("<th scope=\"{scope}\">{text}</th>")
                } else {
                    format!("<td>{text}</td>")
                }
            });
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        };
        let rows = self.rows.iter().filter(|cells| !cells.is_empty());
        format!(
            "<div class=\"scroll\"><table>\n<thead>{}</thead>\n<tbody>\n{}</tbody>\n</table></div>\n",
            row("th", &self.head),
            rows.map(|cells| row("td", cells)).collect::<String>()
        )
    }

    /// The lines, each with a line feed.
    pub fn render(&self, style: Style) -> String {
        let mut widths: Vec<usize> = Vec::new();
        for row in std::iter::once(&self.head).chain(&self.rows) {
            for (i, cell) in row.iter().enumerate() {
                if i == widths.len() {
                    widths.push(0);
                }
                widths[i] = widths[i].max(cell.chars().count());
            }
        }
        let line = |row: &[String]| {
            let mut out = String::new();
            for (i, cell) in row.iter().enumerate() {
                let pad = " ".repeat(widths[i] - cell.chars().count());
                match i {
                    0 => out += &format!("{cell}{pad}"),
                    _ if self.left => out += &format!("   {cell}{pad}"),
                    _ => out += &format!("   {pad}{cell}"),
                }
            }
            out.trim_end().to_owned()
        };
        let mut out = format!("{}\n", style.bold(&line(&self.head)));
        for row in &self.rows {
            out += &line(row);
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(["", "A", "B"]);
        table.row(["x", "1", "22"]);
        table.gap();
        table.row(["long name", "333", "4"]);
        let text = table.render(Style::new(false));
        assert_eq!(
            text,
            "              A    B\nx             1   22\n\nlong name   333    4\n"
        );
    }

    #[test]
    fn cells_are_text_in_html_too() {
        let mut table = Table::new(["", "A"]);
        table.row(["  <x>", "1"]);
        table.gap();
        let html = table.html();
        assert!(html.contains("<th scope=\"col\">A</th>"), "{html}");
        assert!(
            html.contains("<tr><th scope=\"row\">&lt;x&gt;</th><td>1</td></tr>"),
            "{html}"
        );
        assert_eq!(html.matches("<tr>").count(), 2, "{html}");
    }

    #[test]
    fn no_escape_sequences_unless_wanted() {
        assert_eq!(Style::new(false).good("x"), "x");
        assert_eq!(Style::new(true).good("x"), "\x1b[1;32mx\x1b[0m");
    }
}
