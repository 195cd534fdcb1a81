// SPDX-License-Identifier: Apache-2.0
//! What `--json` prints: one object, whose first keys are `schema` and `command`.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use crate::failure::Failure;

/// Version of what is printed: it grows when a key changes its meaning or goes, not when one is
/// added.
pub const SCHEMA: u32 = 1;

/// Whether an object was printed.
static WRITTEN: AtomicBool = AtomicBool::new(false);

#[derive(Serialize)]
struct Document<'a, T> {
    schema: u32,
    command: &'a str,
    #[serde(flatten)]
    value: &'a T,
}

/// What is printed in place of a result.
#[derive(Serialize)]
struct Refusal<'a> {
    ok: bool,
    error: &'a str,
    exit_status: u8,
}

/// Writes `value` as an object over several lines; `command` is the subcommand that it is of, such
/// as `sim rifl`.
///
/// # Errors
/// `out` cannot be written.
pub fn write(out: &mut impl Write, command: &str, value: &impl Serialize) -> Result<(), Failure> {
    let document = Document {
        schema: SCHEMA,
        command,
        value,
    };
    let json =
        serde_json::to_string_pretty(&document).map_err(|error| Failure::Stdout(error.into()))?;
    WRITTEN.store(true, Ordering::Relaxed);
    writeln!(out, "{json}")?;
    Ok(())
}

/// Writes why there is no result, unless one was written.
///
/// # Errors
/// `out` cannot be written.
pub fn write_failure(
    out: &mut impl Write,
    command: &str,
    error: &str,
    exit_status: u8,
) -> Result<(), Failure> {
    if WRITTEN.load(Ordering::Relaxed) {
        return Ok(());
    }
    let refusal = Refusal {
        ok: false,
        error,
        exit_status,
    };
    write(out, command, &refusal)
}
