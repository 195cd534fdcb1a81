// SPDX-License-Identifier: Apache-2.0
//! The page of a plan for bulk transfer: the mapped graphs of both ends, and all tables.

use std::fmt::Write;

use ropewalk_console::format::escape;

use super::document;
use crate::commands::plan_chunk::{heading, sections};
use crate::plan_chunk::Plan;
use crate::section;

/// The page.
pub fn html(plan: &Plan, command: &str) -> String {
    let title = "Bulk transfer on paper";
    let facts = super::facts(heading(plan).split(", "));
    let mut body = format!(
        "<header>\n<p class=\"brand\">Ropewalk <span>design calculator</span></p>\n<h1>{title}</h1>\n\
         <p class=\"facts\">{facts}</p>\n</header>\n"
    );
    for end in &plan.ends {
        let drawing = end.drawing(plan.pipelines);
        let _ = writeln!(
            body,
            "<figure id=\"{}\">\n<div class=\"top\"><h2>{}</h2></div>\n<div class=\"scroll\">{}</div>\n</figure>",
            end.name,
            escape(&drawing.title),
            drawing.svg()
        );
    }
    body += &section::html(&sections(plan));
    let _ = write!(
        body,
        "<section id=\"parameters\">\n<h2>The same plan again</h2>\n<pre><code id=\"command\">{}</code></pre>\n</section>\n\
         <footer>Ropewalk {}.</footer>\n",
        escape(command),
        env!("CARGO_PKG_VERSION"),
    );
    document(title, &body, "")
}
