// SPDX-License-Identifier: Apache-2.0
//! Files on their way to channels.

use std::fs::File;
use std::io::Read;
use std::sync::atomic::Ordering;

use ropewalk_console::failure::Failure;
use ropewalk_io::htsp::{SendError, Writer};
use ropewalk_wire::htsp::Last;
use serde::Serialize;

use super::{Shared, is_dash};
use crate::units::ChannelFile;

/// Bytes that are read at once.
const CHUNK: u64 = 1 << 16;

/// What was sent on a channel.
#[derive(Debug, Default, Serialize)]
pub(super) struct Channel {
    pub(super) vc: u8,
    pub(super) file: String,
    pub(super) bytes: u64,
    /// User frames.
    pub(super) frames: u64,
    /// All of the file.
    pub(super) complete: bool,
}

/// A file on its way to a channel.
pub(super) struct Outgoing {
    pub(super) file: ChannelFile,
    input: Box<dyn Read + Send>,
}

/// The next bytes of a file, at most `limit`; fewer at its end only.
fn chunk(input: &mut dyn Read, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(limit as usize);
    input.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Sends a file in user frames of `frame` bytes. The channel says how far it came.
fn feed(
    input: &mut dyn Read,
    writer: &mut Writer,
    frame: u64,
    shared: &Shared,
    channel: &mut Channel,
) -> std::io::Result<()> {
    let mut current = chunk(input, frame.min(CHUNK))?;
    let mut in_frame = 0;
    while !current.is_empty() {
        in_frame += current.len() as u64;
        let full = in_frame == frame;
        let room = if full { frame } else { frame - in_frame };
        // Only what follows tells whether this is the end.
        let next = chunk(input, room.min(CHUNK))?;
        let end = full || next.is_empty();
        let last = if end { Last::Yes } else { Last::No };
        match writer.send(&current, last) {
            Err(SendError::Closed) => return Ok(()),
            Err(SendError::Empty) | Ok(()) => {}
        }
        channel.bytes += current.len() as u64;
        let bytes = &shared.bytes;
        bytes.fetch_add(current.len() as u64, Ordering::Relaxed);
        if end {
            channel.frames += 1;
            in_frame = 0;
        }
        current = next;
    }
    channel.complete = true;
    Ok(())
}

impl Outgoing {
    /// Opens the files.
    pub(super) fn open_all(files: &[ChannelFile]) -> Result<Vec<Self>, Failure> {
        files.iter().map(Self::open).collect()
    }

    fn open(file: &ChannelFile) -> Result<Self, Failure> {
        let file = file.clone();
        if is_dash(&file.file) {
            let input = Box::new(std::io::stdin());
            return Ok(Self { file, input });
        }
        let fail = |error| Failure::read(&file.file, error);
        let opened = File::open(&file.file).map_err(fail)?;
        let about = opened.metadata().map_err(fail)?;
        if about.is_dir() || about.is_file() && about.len() == 0 {
            let what = if about.is_dir() {
                "a directory"
            } else {
                "empty"
            };
            return Err(Failure::BadInput(format!(
                "cannot send {}: it is {what}; accepted: a file of at least one byte",
                file.file.display()
            )));
        }
        let input = Box::new(opened);
        Ok(Self { file, input })
    }

    /// Sends it all, or as much as the link takes before it ends.
    pub(super) fn run(
        mut self,
        writer: Option<Writer>,
        frame: u64,
        shared: &Shared,
    ) -> Result<Channel, Failure> {
        let mut channel = Channel {
            vc: self.file.vc,
            file: self.file.file.display().to_string(),
            ..Channel::default()
        };
        if let Some(mut writer) = writer {
            let done = feed(&mut *self.input, &mut writer, frame, shared, &mut channel);
            done.map_err(|error| Failure::read(&self.file.file, error))?;
        }
        Ok(channel)
    }
}
