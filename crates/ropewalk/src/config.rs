// SPDX-License-Identifier: Apache-2.0
//! `--config` of `send` and `recv`: a TOML file with a section for each, whose keys are the long
//! names of the options.
//!
//! What the command line says wins: an option that is given there is not taken from the file, and
//! of the ways to prove who one is the file counts only where the command line names none.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, CommandFactory};
use ropewalk_console::failure::Failure;
use ropewalk_console::settings;
use ropewalk_console::stop::{detail, set_verbose};
use toml::Table;

use crate::cli::Cli;

/// Subcommands that take a file.
const SECTIONS: [&str; 2] = ["send", "recv"];
/// Options that say how an end proves who it is: they belong together.
const PROOF: [&str; 4] = ["code", "key", "allow", "trusted"];

/// The command line with what a file adds to it, behind the name of the subcommand.
///
/// # Errors
/// The file cannot be read, or holds something else than options.
pub fn expand(args: &[OsString]) -> Result<Vec<OsString>, Failure> {
    // What is wrong with the command line is told when it is parsed in earnest.
    let lenient = Cli::command().ignore_errors(true);
    let Ok(matches) = lenient.try_get_matches_from(args) else {
        return Ok(args.to_vec());
    };
    let Some((name, given)) = matches.subcommand().filter(|it| SECTIONS.contains(&it.0)) else {
        return Ok(args.to_vec());
    };
    let Some(path) = given.get_one::<PathBuf>("config") else {
        return Ok(args.to_vec());
    };
    set_verbose(given.get_count("verbose") > 0);
    let text = std::fs::read_to_string(path).map_err(|error| Failure::read(path, error))?;
    let added = options(&text, name, given)
        .map_err(|why| Failure::BadInput(format!("{}: {why}", path.display())))?;
    tell(path, &added);
    let at = args.iter().position(|arg| arg == name).unwrap_or(0) + 1;
    let mut all = args.to_vec();
    all.splice(at..at, added);
    Ok(all)
}

fn tell(path: &Path, added: &[OsString]) {
    for option in added {
        detail(|| format!("{} says {}", path.display(), option.to_string_lossy()));
    }
}

/// What a section of the file adds to what is given.
fn options(text: &str, name: &str, given: &ArgMatches) -> Result<Vec<OsString>, String> {
    let file: Table = settings::read(text)?;
    let command = Cli::command();
    let mut added = Vec::new();
    for (section, keys) in &file {
        let found = command.find_subcommand(section);
        let Some(found) = found.filter(|_| SECTIONS.contains(&section.as_str())) else {
            return Err(format!("unknown section '{section}'; accepted: send, recv"));
        };
        let keys = keys.as_table();
        let keys =
            keys.ok_or_else(|| format!("'{section}' is no section; accepted: [{section}]"))?;
        let accepted: Vec<&Arg> = found
            .get_arguments()
            .filter(|arg| !matches!(arg.get_long(), None | Some("config")))
            .collect();
        for (key, value) in keys {
            let arg = accepted.iter().find(|arg| {
                let others = arg.get_all_aliases().unwrap_or_default();
                arg.get_long() == Some(key) || others.contains(&key.as_str())
            });
            let Some(arg) = arg else {
                let names: Vec<&str> = accepted.iter().filter_map(|arg| arg.get_long()).collect();
                return Err(format!(
                    "unknown key '{key}' in [{section}]; accepted: {}",
                    names.join(", ")
                ));
            };
            let texts = settings::arguments(arg, value)
                .map_err(|why| format!("'{key}' in [{section}]: {why}"))?;
            if section == name && !is_given(given, arg.get_id().as_str()) {
                added.extend(texts);
            }
        }
    }
    Ok(added)
}

/// Whether the command line says it, or says how to prove who one is, if that is what it is about.
fn is_given(given: &ArgMatches, key: &str) -> bool {
    // Only names that are there may be asked for.
    let typed = |key: &str| {
        let mut there = given.ids();
        there.any(|id| id.as_str() == key)
            && given.value_source(key) == Some(ValueSource::CommandLine)
    };
    typed(&key.replace('-', "_")) || PROOF.contains(&key) && PROOF.into_iter().any(typed)
}
