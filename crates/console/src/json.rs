// SPDX-License-Identifier: Apache-2.0
//! What `--json` prints.

use std::io::Write;

use serde::Serialize;

use crate::failure::Failure;

/// Writes `value` as an object over several lines.
///
/// # Errors
/// `out` cannot be written.
pub fn write(out: &mut impl Write, value: &impl Serialize) -> Result<(), Failure> {
    let json =
        serde_json::to_string_pretty(value).map_err(|error| Failure::Stdout(error.into()))?;
    writeln!(out, "{json}")?;
    Ok(())
}
