// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench`: every table and figure of the papers, and what differs between two runs.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use ropewalk_channel::seed;
use ropewalk_console::failure::Failure;
use ropewalk_console::output::StagedIn;
use ropewalk_console::table::{Style, Table};
use ropewalk_console::{format, json};
use serde_json::Value;

use crate::bench_all::{self, Effort, Keep, Whole};
use crate::bench_compare::{self, Comparison, Difference};
use crate::cli::BenchAll;
use crate::papers::Shown;
use crate::progress::Spinner;
use crate::report;
use crate::section::{self, Section};
use crate::simulator::Simulator;

/// The subcommand.
const COMMAND: &str = "bench";
/// What `--keep` writes beside the page.
const RESULT: &str = "bench.json";

/// Runs the subcommand; `args` is the command line, for the page.
///
/// # Errors
/// A benchmark cannot run, a file cannot be read, or an output cannot be written.
pub fn execute(
    options: &BenchAll,
    args: &[OsString],
    simulator: &(dyn Simulator + Sync),
) -> Result<u8, Failure> {
    if let Some([old, new]) = options.compare.as_deref() {
        return compare(old, new, options.json);
    }
    let effort = match options {
        BenchAll { quick: true, .. } => Effort::Quick,
        BenchAll { full: true, .. } => Effort::Full,
        _ => Effort::Tables,
    };
    let keep = options.keep.as_deref();
    let keep = keep.map(|folder| Keep::new(folder, effort)).transpose()?;
    // Begun now: a folder that cannot be written is known before anything is measured.
    let page = options.keep.as_deref();
    let page = page.map(|folder| StagedIn::begin(folder, report::FILE_NAME));
    let page = page.transpose()?;
    if let (Some(keep), true) = (&keep, options.fresh) {
        keep.clear()?;
    }
    let kept_seed = keep.as_ref().map(Keep::seed).transpose()?.flatten();
    let seed = options.seed.or(kept_seed).unwrap_or_else(seed::fresh);
    let whole = measure(effort, seed, simulator, keep.as_ref())?;
    if let (Some(page), Some(folder)) = (page, &options.keep) {
        let mut text = Vec::new();
        json::write(&mut text, COMMAND, &whole)?;
        StagedIn::begin(folder, RESULT)?.finish_with(&text)?;
        let html = report::bench_all::html(&whole, &facts(&whole), &format::command_line(args));
        page.finish_with(html.as_bytes())?;
    }
    let mut out = std::io::stdout().lock();
    if options.json {
        json::write(&mut out, COMMAND, &whole)?;
    } else {
        let style = Style::new(format::colour_wanted(&std::io::stdout()));
        write!(out, "{}", render(&whole, style))?;
        if let Some(folder) = &options.keep {
            writeln!(out, "\npage: {}", folder.join(report::FILE_NAME).display())?;
        }
    }
    out.flush()?;
    Ok(u8::from(!whole.ok))
}

/// Runs all, and says on standard error how far it is.
fn measure(
    effort: Effort,
    seed: u64,
    simulator: &(dyn Simulator + Sync),
    keep: Option<&Keep>,
) -> Result<Whole, Failure> {
    let spinner = Spinner::new();
    let begun = Instant::now();
    let done = |count: usize, of: usize, name: &str, kept: bool| {
        let how = if kept { "kept" } else { "measured" };
        let after = format::time(begun.elapsed().as_secs_f64() * 1e9);
        spinner.line(&format!("{count}/{of} {name} {how}, {after}"));
    };
    let say = |what: &str| spinner.say(what);
    bench_all::run(effort, seed, simulator, keep, &say, &done)
}

/// Under what conditions it was measured.
fn facts(whole: &Whole) -> Vec<String> {
    let effort = match whole.effort {
        Effort::Quick => "quick",
        Effort::Tables => "what the tables need",
        Effort::Full => "full",
    };
    vec![effort.to_owned(), format!("seed {}", whole.seed)]
}

/// The tables and figures of the papers, one section for each paper.
fn index(papers: &[Shown]) -> Vec<Section> {
    let section = |paper: &Shown| {
        let mut table = Table::new(["", "what", "here"]);
        for exhibit in &paper.exhibits {
            let here = match &exhibit.instead {
                _ if !exhibit.ok() => "MISSING".to_owned(),
                Some(instead) => instead.clone(),
                None => exhibit.shown_by.join("; "),
            };
            table.row([exhibit.name, exhibit.what, &here]);
        }
        Section::new(
            &format!("Tables and figures of {}", paper.title),
            table.left(),
        )
    };
    papers.iter().map(section).collect()
}

fn render(whole: &Whole, style: Style) -> String {
    let mut out = style.heading("Ropewalk beside the five papers", &facts(whole));
    out.push('\n');
    out += &section::text(&index(&whole.papers), style);
    for (_, view) in &whole.views {
        out += &format!("\n\n{}", view.text(style));
    }
    out
}

/// The object in a file.
fn read(path: &Path) -> Result<Value, Failure> {
    let text = fs::read(path).map_err(|error| Failure::read(path, error))?;
    let refuse = |why: &str| {
        Failure::BadInput(format!(
            "cannot compare {}: {why}; accepted: what 'bench ... --json' prints",
            path.display()
        ))
    };
    let value: Value = serde_json::from_slice(&text).map_err(|error| refuse(&error.to_string()))?;
    match value["command"].as_str() {
        Some(command) if command == COMMAND || command.starts_with("bench ") => Ok(value),
        Some(command) => Err(refuse(&format!("it is of '{command}'"))),
        None => Err(refuse("it has no command")),
    }
}

fn compare(old: &Path, new: &Path, json: bool) -> Result<u8, Failure> {
    let [before, now] = [read(old)?, read(new)?];
    for key in ["schema", "command", "effort", "quick"] {
        if before[key] != now[key] {
            return Err(Failure::BadInput(format!(
                "cannot compare {} with {}: their {key} is {} and {}; accepted: two runs of the same command and length",
                old.display(),
                new.display(),
                before[key],
                now[key]
            )));
        }
    }
    let found = bench_compare::compare(&before, &now);
    let mut out = std::io::stdout().lock();
    if json {
        json::write(&mut out, "bench --compare", &found)?;
    } else {
        let style = Style::new(format::colour_wanted(&std::io::stdout()));
        write!(out, "{}", render_comparison(&found, style))?;
        if before["seed"] != now["seed"] {
            let [old, new] = [&before["seed"], &now["seed"]];
            writeln!(out, "\nseeds {old} and {new}: what is random may differ")?;
        }
    }
    out.flush()?;
    Ok(u8::from(!found.ok))
}

fn render_comparison(found: &Comparison, style: Style) -> String {
    let table = |rows: &[Difference]| {
        let mut table = Table::new(["figure", "old", "new", "change"]);
        let said = |value: &Value| match value {
            Value::Null => "-".to_owned(),
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        for row in rows {
            let share = row.share();
            let change = share.map_or("-".to_owned(), |it| format!("{:+.2} %", 100.0 * it));
            table.row([row.figure.clone(), said(&row.old), said(&row.new), change]);
        }
        table
    };
    let mut sections = Vec::new();
    if !found.differences.is_empty() {
        sections.push(Section::new("Different", table(&found.differences)));
    }
    if !found.by_machine.is_empty() {
        let title = "A tenth or more apart, by the speed of the machine";
        sections.push(Section::new(title, table(&found.by_machine)));
    }
    let counts = format!(
        "{} figures are the same, {} differ; {} differ by the speed of the machine",
        format::thousands(found.same as u64),
        format::thousands(found.differences.len() as u64),
        format::thousands(found.by_machine.len() as u64)
    );
    format!(
        "{}\n{}",
        style.bold(&counts),
        section::text(&sections, style)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_result_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.json");
        for (text, part) in [
            ("", "EOF"),
            ("{}", "no command"),
            (r#"{"command": "sim rifl"}"#, "it is of 'sim rifl'"),
        ] {
            fs::write(&path, text).expect("written");
            let line = read(&path).expect_err("must be refused").to_string();
            assert!(line.contains(part) && line.contains("accepted"), "{line}");
        }
    }
}
