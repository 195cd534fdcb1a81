// SPDX-License-Identifier: Apache-2.0
//! What is wrong with the arguments.

/// What is wrong with the arguments, in one line.
pub fn one_line(error: &clap::Error) -> String {
    use clap::error::ErrorKind;
    let text = error.to_string();
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand
    ) {
        return "a subcommand is missing; see 'ropewalk --help'".to_owned();
    }
    // The paragraphs after the first are usage and hints, except that lists of arguments continue
    // indented.
    let first: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    let message = first.join(" ");
    let message = message
        .strip_prefix("error: ")
        .unwrap_or(&message)
        .to_owned();
    let tip = text
        .lines()
        .map(str::trim)
        .find_map(|line| line.strip_prefix("tip: "));
    match (error.kind(), tip) {
        (ErrorKind::ValueValidation, _) => message,
        (_, Some(tip)) => format!("{message}; {tip}"),
        _ => format!("{message}; see --help"),
    }
}
