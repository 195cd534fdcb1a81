// SPDX-License-Identifier: Apache-2.0
//! `--include` and `--exclude`, whose order on the command line decides.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use ropewalk_chunk::transfer::filter::{Filter, Pattern, Verdict};

use crate::units;

/// The two options: name, what they do, help.
const OPTIONS: [(&str, Verdict, &str); 2] = [
    (
        "include",
        Verdict::Include,
        "Send what matches, although a later --exclude matches it, too. May be repeated",
    ),
    (
        "exclude",
        Verdict::Exclude,
        "Leave out what matches, of what is in the directories, with all that is below it. May be repeated; of all --include and --exclude \
         the first one that matches decides, and what none matches is sent",
    ),
];

/// Patterns, in the order in which they were given.
#[derive(Debug, Clone, Default)]
pub struct Patterns(pub Filter);

impl FromArgMatches for Patterns {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut rules = Vec::new();
        for (name, verdict, _) in OPTIONS {
            let places = matches.indices_of(name).into_iter().flatten();
            let patterns = matches.get_many::<Pattern>(name).into_iter().flatten();
            let rule = |(place, pattern): (usize, &Pattern)| (place, (verdict, pattern.clone()));
            rules.extend(places.zip(patterns).map(rule));
        }
        rules.sort_unstable_by_key(|(place, _)| *place);
        let rules = rules.into_iter().map(|(_, rule)| rule);
        Ok(Self(Filter(rules.collect())))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Patterns {
    fn augment_args(command: Command) -> Command {
        command.args(OPTIONS.map(|(name, _, help)| {
            Arg::new(name)
                .long(name)
                .value_name("PATTERN")
                .help(help)
                .action(ArgAction::Append)
                .value_parser(units::pattern)
                .allow_hyphen_values(true)
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
