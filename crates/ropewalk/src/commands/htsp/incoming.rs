// SPDX-License-Identifier: Apache-2.0
//! What arrives on channels, on its way to files.

use std::fs::File;
use std::io::Write;
use std::sync::atomic::Ordering;

use ropewalk_console::failure::Failure;
use ropewalk_io::htsp::Reader;
use serde::Serialize;

use super::{LOOK, Shared, is_dash};
use crate::units::ChannelFile;

/// What a channel has brought.
#[derive(Debug, Default, Serialize)]
pub(super) struct Channel {
    pub(super) vc: u8,
    pub(super) file: String,
    pub(super) bytes: u64,
    /// User frames that ended well.
    pub(super) frames: u64,
    /// User frames that ended in error.
    pub(super) errored: u64,
    /// Where in the file the first of them begins.
    pub(super) first_error_at: Option<u64>,
    /// It ended in the middle of a user frame.
    pub(super) unfinished: bool,
    /// Where in the file that one begins.
    pub(super) unfinished_at: Option<u64>,
}

/// A file on its way from a channel.
pub(super) struct Incoming {
    pub(super) file: ChannelFile,
    out: Box<dyn Write + Send>,
}

/// Writes what arrives on a channel.
fn drain(
    reader: &Reader,
    out: &mut dyn Write,
    limit: Option<u64>,
    shared: &Shared,
    channel: &mut Channel,
) -> std::io::Result<()> {
    let mut begin = 0;
    while !shared.now.load(Ordering::Relaxed) && limit != Some(channel.frames + channel.errored) {
        let ending = shared.empty.load(Ordering::Acquire);
        let piece = match reader.recv(LOOK) {
            Ok(Some(piece)) => piece,
            Ok(None) if ending => break,
            Ok(None) => {
                // Whoever looks at the file sees what there is.
                out.flush()?;
                continue;
            }
            Err(_) => break,
        };
        if piece.start {
            begin = channel.bytes;
        }
        out.write_all(&piece.bytes)?;
        channel.bytes += piece.bytes.len() as u64;
        let bytes = &shared.bytes;
        bytes.fetch_add(piece.bytes.len() as u64, Ordering::Relaxed);
        channel.unfinished = !piece.end;
        channel.unfinished_at = channel.unfinished.then_some(begin);
        channel.frames += u64::from(piece.end && !piece.error);
        if piece.error {
            channel.errored += 1;
            channel.first_error_at.get_or_insert(begin);
        }
    }
    out.flush()
}

impl Incoming {
    /// Makes the files.
    pub(super) fn open_all(files: &[ChannelFile]) -> Result<Vec<Self>, Failure> {
        files.iter().map(Self::open).collect()
    }

    fn open(file: &ChannelFile) -> Result<Self, Failure> {
        let file = file.clone();
        let out: Box<dyn Write + Send> = if is_dash(&file.file) {
            Box::new(std::io::stdout())
        } else {
            let made = File::create(&file.file);
            Box::new(made.map_err(|error| Failure::write(&file.file, error))?)
        };
        Ok(Self { file, out })
    }

    /// Writes all that arrives, until the run ends.
    pub(super) fn run(
        mut self,
        reader: Option<Reader>,
        limit: Option<u64>,
        shared: &Shared,
    ) -> Result<Channel, Failure> {
        let mut channel = Channel {
            vc: self.file.vc,
            file: self.file.file.display().to_string(),
            ..Channel::default()
        };
        let Some(reader) = reader else {
            return Ok(channel);
        };
        let done = drain(&reader, &mut *self.out, limit, shared, &mut channel);
        if done.is_err() {
            shared.now.store(true, Ordering::Relaxed);
        }
        match done {
            Ok(()) => Ok(channel),
            Err(error) if is_dash(&self.file.file) => Err(Failure::from(error)),
            Err(error) => Err(Failure::write(&self.file.file, error)),
        }
    }
}
