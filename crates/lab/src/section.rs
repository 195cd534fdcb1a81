// SPDX-License-Identifier: Apache-2.0
//! Tables under a heading, as text or as a part of a page.

use std::fmt::Write;

use ropewalk_console::format::escape;
use ropewalk_console::table::{Style, Table};
use serde::{Deserialize, Serialize};

/// Tables under one heading.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// One or more.
    pub tables: Vec<Table>,
    /// What has to be known about them; empty: nothing.
    pub note: String,
    /// Which tables and figures of papers it shows: core and number ([`crate::papers`]).
    pub shows: Vec<(String, String)>,
}

impl Section {
    /// One table, without a note.
    pub fn new(title: &str, table: Table) -> Self {
        Self::of(title, vec![table])
    }

    /// Several tables, without a note.
    pub fn of(title: &str, tables: Vec<Table>) -> Self {
        Self {
            title: title.to_owned(),
            tables,
            note: String::new(),
            shows: Vec::new(),
        }
    }

    /// The same with a note.
    pub fn note(self, note: String) -> Self {
        Self { note, ..self }
    }

    /// The same, which shows these tables and figures of the paper of a core.
    pub fn shows(self, core: &str, exhibits: &[&str]) -> Self {
        let exhibits = exhibits.iter();
        Self {
            shows: exhibits
                .map(|&name| (core.to_owned(), name.to_owned()))
                .collect(),
            ..self
        }
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

/// The name of a section on a page.
pub fn anchor(title: &str) -> String {
    let words = title.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join("-").to_ascii_lowercase()
}

/// For a page.
pub fn html(sections: &[Section]) -> String {
    let mut out = String::new();
    for section in sections {
        let tables: String = section.tables.iter().map(Table::html).collect();
        let _ = write!(
            out,
            "<section class=\"card\" id=\"{}\">\n<h2>{}</h2>\n{tables}<p class=\"dim\">{}</p>\n</section>\n",
            anchor(&section.title),
            escape(&section.title),
            escape(&section.note)
        );
    }
    out
}
