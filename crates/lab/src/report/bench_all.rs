// SPDX-License-Identifier: Apache-2.0
//! The page of `ropewalk bench`: the tables and figures of the papers by number, and all that was
//! measured.

use ropewalk_console::format::escape;

use super::run::RunPage;
use crate::bench_all::{Part, Whole};
use crate::papers::{Shown, ShownExhibit};
use crate::section;

/// The page; `facts` says under what conditions it was measured, `command` gives it again.
pub fn html(whole: &Whole, facts: &[String], command: &str) -> String {
    let mut body = contents(whole);
    body.extend(whole.papers.iter().map(index));
    for (part, view) in &whole.views {
        let facts = super::facts(view.facts.iter().map(String::as_str));
        let class = if view.ok { "good" } else { "bad" };
        let sentence = if view.ok { &view.promise } else { &view.wrong };
        body += &format!(
            "<header id=\"{name}\">\n<h1>{}</h1>\n<p class=\"facts\">{facts}</p>\n<p class=\"verdict {class}\">{}</p>\n</header>\n{}{}{}",
            escape(&view.title),
            escape(sentence),
            view.tiles,
            own(*part, &view.figures),
            section::html(&view.sections),
            name = part.name(),
        );
    }
    RunPage {
        kind: "benchmark",
        title: "Ropewalk beside the five papers",
        facts,
        ok: whole.ok,
        verdict: if whole.ok {
            (
                "Complete",
                "Every table and figure is here, or says why not, and every benchmark is right.",
            )
        } else {
            (
                "Not right",
                "A benchmark is wrong, or a table or figure is missing.",
            )
        },
        tiles: "",
        figures: &body,
        sections: &[],
        command,
        footer: "",
    }
    .html()
}

/// The tables and figures of a paper, with links to what shows them.
fn index(paper: &Shown) -> String {
    let link = |title: &String| {
        format!(
            "<a href=\"#{}\">{}</a>",
            section::anchor(title),
            escape(title)
        )
    };
    let here = |exhibit: &ShownExhibit| match &exhibit.instead {
        Some(instead) => escape(instead),
        None if exhibit.ok() => exhibit
            .shown_by
            .iter()
            .map(link)
            .collect::<Vec<_>>()
            .join("<br>"),
        None => "<strong>missing</strong>".to_owned(),
    };
    let row = |exhibit: &ShownExhibit| {
        format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n",
            exhibit.name,
            escape(exhibit.what),
            here(exhibit)
        )
    };
    format!(
        "<section class=\"card\">\n<h2>Tables and figures of {}</h2>\n<div class=\"scroll\"><table class=\"left\">\n<thead><tr>\
         <th scope=\"col\"></th><th scope=\"col\">what</th><th scope=\"col\">here</th></tr></thead>\n<tbody>\n{}</tbody>\n</table></div>\n</section>\n",
        escape(paper.title),
        paper.exhibits.iter().map(row).collect::<String>()
    )
}

/// Links to the parts.
fn contents(whole: &Whole) -> String {
    let links = whole.views.iter().map(|(part, view)| {
        format!(
            "<li><a href=\"#{}\">{}</a></li>\n",
            part.name(),
            escape(&view.title)
        )
    });
    format!(
        "<nav class=\"card\" aria-label=\"Benchmarks\">\n<ul>\n{}</ul>\n</nav>\n",
        links.collect::<String>()
    )
}

/// Plots whose names no other part has.
fn own(part: Part, figures: &str) -> String {
    figures.replace("<figure id=\"", &format!("<figure id=\"{}-", part.name()))
}
