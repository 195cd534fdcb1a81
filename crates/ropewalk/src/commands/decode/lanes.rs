// SPDX-License-Identifier: Apache-2.0
//! Recorded lanes out of files, for the protocols that are decoded from the words of a line.

use std::path::PathBuf;

use ropewalk_console::failure::Failure;
use ropewalk_console::table::{Style, Table};
use ropewalk_io::recording::{Recording, RecordingError};
use serde::Serialize;

use crate::cli::LaneFiles;

/// A place in a lane.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Place {
    /// Word of the file, from 1.
    pub word: u64,
    /// Bit of it.
    pub bit: u64,
}

/// A lane as it was recorded.
#[derive(Debug)]
pub struct Lane {
    /// Bits of a word of its file.
    pub width: u32,
    /// Words of it.
    pub words: u64,
    /// Its bits in words of 64, bit 0 the first on the line.
    pub bits: Vec<u64>,
}

impl Lane {
    /// Where a bit is.
    pub fn place(&self, bit: u64) -> Place {
        let width = u64::from(self.width);
        Place {
            word: bit / width + 1,
            bit: bit % width,
        }
    }
}

/// The names of the files, as they were given.
pub fn names(files: &[PathBuf]) -> Vec<String> {
    files
        .iter()
        .map(|file| file.display().to_string())
        .collect()
}

/// The lanes of all files, in their order. `settle` says what words of a file mean that are not
/// those of the line as they are.
pub fn read(
    options: &LaneFiles,
    mut settle: impl FnMut(&mut Recording) -> Result<Option<Vec<Vec<u64>>>, RecordingError>,
) -> Result<Vec<Lane>, Failure> {
    let mut lanes = Vec::new();
    for file in &options.files {
        let bytes = std::fs::read(file).map_err(|error| Failure::read(file, error))?;
        let recording = if options.binary {
            Recording::bytes(&bytes)
        } else {
            Recording::text(&bytes)
        };
        let named = |error| Failure::BadInput(format!("{}: {error}", file.display()));
        let mut recording = recording.map_err(named)?;
        let bits = settle(&mut recording).map_err(named)?;
        let width = recording.width();
        let words = recording.length() / u64::from(width);
        let bits = bits.unwrap_or_else(|| recording.bits());
        lanes.extend(bits.into_iter().map(|bits| Lane { width, words, bits }));
    }
    Ok(lanes)
}

/// What is found in a lane, as a row of a table.
pub trait Row {
    /// Whether it says nothing beside the one before, and counts as that one again.
    fn repeats(&self, before: &Self) -> bool;
    /// The row, for `times` of it that follow each other.
    fn cells(&self, times: u64) -> Vec<String>;
}

/// A table of what is found, with a line behind it; nothing if there is nothing.
pub fn table<R: Row>(
    head: impl IntoIterator<Item = &'static str>,
    found: &[R],
    style: Style,
) -> String {
    if found.is_empty() {
        return String::new();
    }
    let mut table = Table::new(head).left();
    let mut rows = found.iter().peekable();
    while let Some(row) = rows.next() {
        let mut times = 1;
        while rows.next_if(|next| next.repeats(row)).is_some() {
            times += 1;
        }
        table.row(row.cells(times));
    }
    table.render(style) + "\n"
}
