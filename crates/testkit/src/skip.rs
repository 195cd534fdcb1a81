// SPDX-License-Identifier: Apache-2.0
//! Tests that cannot run everywhere.

use std::fmt::Display;
use std::io::Write as _;
use std::panic::Location;
use std::path::{Path, PathBuf};

/// Where skips are counted: `tools/test.sh` empties this file at its start, and shows it in its
/// summary.
fn list() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/test/skipped")
}

/// Counts a test, or a part of it, that cannot run here, and prints why. The caller returns, or
/// goes on without that part.
///
/// # Panics
/// When the environment variable `CI` is `true`: what could not be checked there has failed. Or
/// when the list cannot be written.
#[track_caller]
pub fn skip(why: impl Display) {
    // The harness gives each test a thread with its name.
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a thread");
    let line = format!("{}: {test}: {why}", Location::caller().file());
    println!("skipped: {line}");
    count(
        &line,
        std::env::var("CI").is_ok_and(|value| value == "true"),
        &list(),
    );
}

fn count(line: &str, ci: bool, list: &Path) {
    assert!(!ci, "skipped where CI=true: {line}");
    let folder = list.parent().expect("a folder");
    std::fs::create_dir_all(folder).expect("the folder of the list");
    let mut file = std::fs::File::options()
        .create(true)
        .append(true)
        .open(list)
        .expect("the list");
    // One write, so that lines of tests that run at once do not mix.
    file.write_all(format!("{line}\n").as_bytes())
        .expect("written");
}

/// What a test needs, or a skip that says what it was and why there is none.
///
/// # Panics
/// As [`skip`] does.
#[track_caller]
pub fn needs<T, E: Display>(what: &str, found: Result<T, E>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(error) => {
            skip(format_args!("no {what}: {error}"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skip_is_counted_and_in_ci_it_fails() {
        let folder = std::env::temp_dir().join(format!("ropewalk-skip-{}", std::process::id()));
        let list = folder.join("deep/skipped");
        count("one", false, &list);
        count("two", false, &list);
        let failed = std::panic::catch_unwind(|| count("three", true, &list));
        let text = std::fs::read_to_string(&list);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(text.unwrap(), "one\ntwo\n");
        let said = *failed.unwrap_err().downcast::<String>().unwrap();
        assert_eq!(said, "skipped where CI=true: three");
    }

    #[test]
    fn what_is_there_is_not_skipped() {
        assert_eq!(needs("number", "7".parse::<u8>()), Some(7));
    }
}
