// SPDX-License-Identifier: Apache-2.0
//! What a shell and a manual reader want: completion scripts and manual pages.

use std::io::Write;
use std::path::Path;

use clap::CommandFactory;
use ropewalk_console::failure::Failure;

use crate::cli::Cli;

/// Prints the completion script of a shell.
///
/// # Errors
/// Standard output cannot be written.
pub fn completions(shell: clap_complete::Shell) -> Result<u8, Failure> {
    // Into memory first: the generator panics when its stream is closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "ropewalk", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(0)
}

/// Prints the manual page of a subcommand, or of the command where `path` is empty; or writes all
/// of them into `out`.
///
/// # Errors
/// There is no such subcommand, or a page cannot be written.
pub fn man(path: &[String], out: Option<&Path>) -> Result<u8, Failure> {
    let mut command = Cli::command();
    if let Some(folder) = out {
        std::fs::create_dir_all(folder).map_err(|error| Failure::write(folder, error))?;
        clap_mangen::generate_to(command, folder).map_err(|error| Failure::write(folder, error))?;
        return Ok(0);
    }
    command.build();
    let mut found = &command;
    for name in path {
        found = found.find_subcommand(name).ok_or_else(|| {
            let names = found.get_subcommands().filter(|it| !it.is_hide_set());
            let names: Vec<&str> = names.map(clap::Command::get_name).collect();
            let accepted = match names.join(", ") {
                names if names.is_empty() => "nothing behind it".to_owned(),
                names => names,
            };
            Failure::BadInput(format!("no subcommand '{name}'; accepted: {accepted}"))
        })?;
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(found.clone()).render(&mut page)?;
    std::io::stdout().lock().write_all(&page)?;
    Ok(0)
}
