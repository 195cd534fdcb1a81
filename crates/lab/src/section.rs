// SPDX-License-Identifier: Apache-2.0
//! Tables under a heading, as text or as a part of a page.

use std::fmt::Write;

use ropewalk_console::format::escape;
use ropewalk_console::table::{Style, Table};

/// Tables under one heading.
#[derive(Debug)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// One or more.
    pub tables: Vec<Table>,
    /// What has to be known about them; empty: nothing.
    pub note: String,
}

impl Section {
    /// One table, without a note.
    pub fn new(title: &str, table: Table) -> Self {
        Self {
            title: title.to_owned(),
            tables: vec![table],
            note: String::new(),
        }
    }

    /// The same with a note.
    pub fn note(self, note: String) -> Self {
        Self { note, ..self }
    }
}

/// For a terminal.
pub fn text(sections: &[Section], style: Style) -> String {
    let mut out = String::new();
    for section in sections {
        let tables: Vec<String> = section.tables.iter().map(|t| t.render(style)).collect();
        let _ = write!(
            out,
            "\n{}\n{}",
            style.bold(&section.title),
            tables.join("\n")
        );
        if !section.note.is_empty() {
            out += &style.dim(&format!("{}\n", section.note));
        }
    }
    out
}

/// For a page.
pub fn html(sections: &[Section]) -> String {
    let mut out = String::new();
    for section in sections {
        let tables: String = section.tables.iter().map(Table::html).collect();
        let _ = write!(
            out,
            "<section class=\"card\">\n<h2>{}</h2>\n{tables}<p class=\"dim\">{}</p>\n</section>\n",
            escape(&section.title),
            escape(&section.note)
        );
    }
    out
}
