// SPDX-License-Identifier: Apache-2.0
//! An interruption that a command ends in good order with, and what it says meanwhile.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::output::INTERRUPTED;

static STOP: AtomicBool = AtomicBool::new(false);
static VERBOSE: AtomicBool = AtomicBool::new(false);

/// Whether the user has had enough.
pub fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// From now on an interruption sets a flag, and a second one ends the process.
pub fn stop_on_signal() {
    // It fails only when a handler is there already, which is as good.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
}

/// Says something that is not an error on standard error.
pub fn note(quiet: bool, text: &str) {
    if !quiet {
        let _ = writeln!(std::io::stderr(), "ropewalk: note: {text}");
    }
}

/// From now on [`detail`] is heard, or not.
pub fn set_verbose(verbose: bool) {
    VERBOSE.store(verbose, Ordering::Relaxed);
}

/// Says on standard error what only those want to know who ask for it, with `-v`.
pub fn detail(text: impl FnOnce() -> String) {
    if VERBOSE.load(Ordering::Relaxed) {
        let _ = writeln!(std::io::stderr(), "ropewalk: {}", text());
    }
}
