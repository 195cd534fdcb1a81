// SPDX-License-Identifier: Apache-2.0
//! What all subcommands of `ropewalk bench` have in common: progress, tables, JSON, page.

use std::error::Error;
use std::ffi::OsString;
use std::io::Write;

use ropewalk_channel::seed;
use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::output::StagedIn;
use ropewalk_console::table::Style;
use serde::Serialize;

use crate::cli::BenchOptions;
use crate::progress::Spinner;
use crate::report;
use crate::report::bench::View;
use crate::report::run::{self, Tile};
use crate::section::Section;

/// The figures of a core; serialised they are what `--json` prints.
pub trait Benchmark: Serialize {
    /// The subcommand.
    const COMMAND: &'static str;
    /// What stands beside what.
    const TITLE: &'static str;
    /// What is said if it is not [`ok`](Benchmark::ok).
    const WRONG: &'static str;
    /// What it promises, in a sentence that is true if it is [`ok`](Benchmark::ok).
    const PROMISE: &'static str;
    /// What the times of its page are.
    const FOOTER: &'static str;
    /// Nothing was lost, duplicated, reordered or corrupted in any run.
    fn ok(&self) -> bool;
    /// What was run, in a line or two.
    fn heading(&self) -> Vec<String>;
    /// Everything, table by table.
    fn sections(&self) -> Vec<Section>;
    /// The key figures.
    fn tiles(&self) -> Vec<Tile>;
    /// The plots, as markup.
    fn figures(&self) -> String;
    /// All that people see of it.
    fn view(&self) -> View {
        View {
            title: Self::TITLE.to_owned(),
            facts: self.heading(),
            ok: self.ok(),
            promise: Self::PROMISE.to_owned(),
            wrong: Self::WRONG.to_owned(),
            tiles: run::tiles(&self.tiles()),
            figures: self.figures(),
            sections: self.sections(),
            footer: Self::FOOTER.to_owned(),
        }
    }
}

/// Measures and prints; `measure` is given the seed and whom to tell what is being measured, `args`
/// is the command line, for the page.
///
/// # Errors
/// A simulator cannot be built, or an output cannot be written.
pub fn execute<B: Benchmark, E: Error + Send + Sync + 'static>(
    options: &BenchOptions,
    args: &[OsString],
    measure: impl FnOnce(u64, &(dyn Fn(&str) + Sync)) -> Result<B, E>,
) -> Result<u8, Failure> {
    let seed = options.seed.unwrap_or_else(seed::fresh);
    let report = options
        .report
        .as_deref()
        .map(|folder| StagedIn::begin(folder, report::FILE_NAME))
        .transpose()?;
    let spinner = Spinner::new();
    let bench = measure(seed, &|what| spinner.say(what)).map_err(Failure::refused)?;
    drop(spinner);
    let view = bench.view();
    if let Some(report) = report {
        let page = view.html(&format::command_line(args));
        report.finish_with(page.as_bytes())?;
    }
    let mut out = std::io::stdout().lock();
    if options.json {
        json::write(&mut out, B::COMMAND, &bench)?;
    } else {
        let style = Style::new(format::colour_wanted(&std::io::stdout()));
        write!(out, "{}", view.text(style))?;
        if let Some(folder) = &options.report {
            writeln!(out, "report: {}", folder.join(report::FILE_NAME).display())?;
        }
    }
    out.flush()?;
    Ok(u8::from(!bench.ok()))
}
