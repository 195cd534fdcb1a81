// SPDX-License-Identifier: Apache-2.0
//! What of a directory is sent: patterns, of which the first one that matches decides.
//!
//! | pattern | matches |
//! |---|---|
//! | `*.log` | that name, at any depth |
//! | `/build` | that name in the directory that is sent, and not deeper |
//! | `src/*.o`, `a/**/b` | as with `/` in front: the way from that directory |
//! | `cache/` | only a directory |
//!
//! `*` and `?` stand for characters other than `/`, `**` for any number of directories, `[a-z]`
//! for one of these characters, `{a,b}` for one of these patterns; `\` takes the meaning from the
//! next character.

use super::manifest::split;
use globset::{GlobBuilder, GlobMatcher};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use thiserror::Error;

/// What is no pattern.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PatternError {
    /// It names nothing.
    #[error("it matches no name; accepted: such as *.log, /build, src/**/*.o or cache/")]
    Empty,
    /// Something in it cannot be read.
    #[error("{0}; accepted: such as *.log, /build, src/**/*.o or cache/")]
    Glob(String),
}

/// A pattern of names.
#[derive(Debug, Clone)]
pub struct Pattern {
    matcher: GlobMatcher,
    /// It is compared with all of a name, not only with the last part of it.
    is_whole: bool,
    only_directories: bool,
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// It is none.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let (text, only_directories) = match text.strip_suffix('/') {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (name, is_anchored) = match text.strip_prefix('/') {
            Some(name) => (name, true),
            None => (text, text.contains('/')),
        };
        if name.is_empty() {
            return Err(PatternError::Empty);
        }
        let glob = GlobBuilder::new(name)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| PatternError::Glob(error.kind().to_string()))?;
        Ok(Pattern {
            matcher: glob.compile_matcher(),
            is_whole: is_anchored,
            only_directories,
        })
    }

    fn matches(&self, name: &[u8], is_directory: bool) -> bool {
        let name = match self.is_whole {
            true => name,
            false => split(name).1,
        };
        let path = Path::new(OsStr::from_bytes(name));
        (is_directory || !self.only_directories) && self.matcher.is_match(path)
    }
}

/// What is done with names that match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// They are sent.
    Include,
    /// They are not, nor is what lies below them.
    Exclude,
}

/// Patterns, in their order.
#[derive(Debug, Clone, Default)]
pub struct Filter(pub Vec<(Verdict, Pattern)>);

impl Filter {
    /// Whether something in a directory is sent; its name is relative to that. What no pattern
    /// matches is sent.
    #[must_use]
    pub fn takes(&self, name: &[u8], is_directory: bool) -> bool {
        let mut rules = self.0.iter();
        let first = rules.find(|(_, pattern)| pattern.matches(name, is_directory));
        first.is_none_or(|(verdict, _)| *verdict == Verdict::Include)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: &str, is_directory: bool) -> bool {
        let pattern = Pattern::new(pattern).unwrap();
        pattern.matches(name.as_bytes(), is_directory)
    }

    /// Every line of the table above, and of what it says of special characters.
    #[test]
    fn patterns() {
        for (pattern, name, is_match) in [
            ("*.log", "a.log", true),
            ("*.log", "d/e/a.log", true),
            ("*.log", "d.log/a", false),
            ("/build", "build", true),
            ("/build", "d/build", false),
            ("src/*.o", "src/a.o", true),
            ("src/*.o", "src/d/a.o", false),
            ("src/*.o", "d/src/a.o", false),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/c/d/b", true),
            ("**/b", "b", true),
            ("?", "a", true),
            ("?", "ab", false),
            ("[a-c]x", "bx", true),
            ("[a-c]x", "dx", false),
            ("{a,b}x", "bx", true),
            (r"\*", "*", true),
            (r"\*", "a", false),
            ("A", "a", false),
        ] {
            assert_eq!(matches(pattern, name, false), is_match, "{pattern} {name}");
        }
        assert!(matches("cache/", "d/cache", true));
        assert!(!matches("cache/", "d/cache", false));
        let bytes = Pattern::new("*.log").unwrap();
        assert!(bytes.matches(b"\xff.log", false), "a name is bytes");
    }

    #[test]
    fn what_is_no_pattern() {
        for text in ["", "/", "//"] {
            assert_eq!(Pattern::new(text).unwrap_err(), PatternError::Empty);
        }
        for text in ["[a", "{a", "a["] {
            let said = Pattern::new(text).unwrap_err().to_string();
            assert!(said.contains("accepted: such as *.log"), "{said}");
        }
    }

    /// The order decides.
    #[test]
    fn the_first_pattern_that_matches() {
        let rule = |verdict, text| (verdict, Pattern::new(text).unwrap());
        let (keep, drop) = (
            rule(Verdict::Include, "a.*"),
            rule(Verdict::Exclude, "*.log"),
        );
        let one = Filter(vec![keep.clone(), drop.clone()]);
        assert!(one.takes(b"d/a.log", false) && !one.takes(b"b.log", false));
        assert!(one.takes(b"b.txt", false), "what none matches");
        let other = Filter(vec![drop, keep]);
        assert!(!other.takes(b"d/a.log", false));
        assert!(Filter::default().takes(b"a", false));
    }
}
