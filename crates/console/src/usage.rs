// SPDX-License-Identifier: Apache-2.0
//! What is wrong with the arguments.

/// What is wrong with the arguments of a command, in one line.
pub fn one_line(error: &clap::Error, command: &clap::Command) -> String {
    use clap::error::ErrorKind;
    let text = error.to_string();
    let (path, accepted) = subcommands(&text, command);
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand
    ) {
        return format!("a subcommand of '{path}' is missing; accepted: {accepted}");
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
        (ErrorKind::InvalidSubcommand, None) => {
            format!("{message} of '{path}'; accepted: {accepted}")
        }
        _ => format!("{message}; see --help"),
    }
}

/// The subcommand that an error is about, by the usage in its text, and those that it has.
fn subcommands(text: &str, command: &clap::Command) -> (String, String) {
    let usage = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("Usage: "))
        .unwrap_or_default();
    let words = usage.split_whitespace();
    let path: Vec<&str> = words
        .take_while(|word| word.starts_with(char::is_alphanumeric))
        .collect();
    let inner = path
        .iter()
        .skip(1)
        .try_fold(command, |command, word| command.find_subcommand(word));
    let shown = inner.unwrap_or(command).get_subcommands();
    let names: Vec<&str> = shown
        .filter(|one| !one.is_hide_set())
        .map(clap::Command::get_name)
        .collect();
    (path.join(" "), names.join(", "))
}
