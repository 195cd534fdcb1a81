// SPDX-License-Identifier: Apache-2.0
//! What a shell and a manual reader want: completion scripts and the manual page.

use std::io::Write;

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

/// Prints the manual page: the command and every subcommand.
///
/// # Errors
/// Standard output cannot be written.
pub fn man() -> Result<u8, Failure> {
    let mut page = Vec::new();
    let mut command = Cli::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for path in [
        &["sim", "rifl"][..],
        &["plan", "rifl"],
        &["bench", "rifl"],
        &["decode", "htsp"],
    ] {
        let mut sub = &command;
        for name in path {
            match sub.find_subcommand(name) {
                Some(found) => sub = found,
                None => return Ok(0),
            }
        }
        let man = clap_mangen::Man::new(sub.clone());
        writeln!(page, ".SH \"ROPEWALK {}\"", path.join(" ").to_uppercase())?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    std::io::stdout().lock().write_all(&page)?;
    Ok(0)
}
