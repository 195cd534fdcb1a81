// SPDX-License-Identifier: Apache-2.0
//! The page of `ropewalk bench transfer`: all tables.

use super::run::Tile;
use crate::bench_transfer::{Bench, Way};

/// The key figures.
pub fn tiles(bench: &Bench) -> Vec<Tile> {
    let ours = bench.rows.iter().filter(|row| row.way == Way::Trusted);
    ours.filter_map(|row| {
        let seconds = row.median()?;
        let name = if row.files == 1 {
            "A file"
        } else {
            "Small files"
        };
        let value = format!("{seconds:.2} <small>s</small>");
        Some((name, value, format!("{} files, safe on disk", row.files)))
    })
    .collect()
}
