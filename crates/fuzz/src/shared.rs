// SPDX-License-Identifier: Apache-2.0
//! A lane in shared memory whose peer writes anything anywhere.
//!
//! Input: steps of a byte. Its low two bits: 0 a word of the first page is written, 1 bytes of a
//! ring, 2 this end sends, 3 it receives and waits.

use crate::input::{Input, folder};
use ropewalk_io::lane::shm::{SIZES, ShmListener};
use ropewalk_io::lane::{BATCH, Lane};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use std::fs::File;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Where the rings begin, and the places of a step in the first page.
const HEAD: u64 = 4096;
const LINE: u64 = 128;

/// The memory that a listener hands over.
fn take_over(bell: &UnixStream) -> File {
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = RecvAncillaryBuffer::new(&mut room);
    let mut byte = [0];
    let parts = &mut [IoSliceMut::new(&mut byte)];
    recvmsg(bell, parts, &mut beside, RecvFlags::CMSG_CLOEXEC).expect("a message");
    let rights = beside.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut rights) => rights.next(),
        _ => None,
    });
    File::from(rights.expect("a descriptor"))
}

/// Lets a lane live with such a peer.
///
/// # Panics
/// A datagram arrives that cannot be, or the system has no memory.
pub fn run(bytes: &[u8]) {
    let mut input = Input(bytes);
    let folder = folder();
    let path = folder.path().join("lane");
    let size = *SIZES.start();
    let listener = ShmListener::bind(&path, size).expect("a listener");
    let bell = UnixStream::connect(&path).expect("a peer");
    let lane = listener.accept(Duration::from_secs(5)).expect("a lane");
    let mut lane = lane.expect("in time");
    let memory = take_over(&bell);
    let write = |bytes: &[u8], at: u64| {
        let _ = memory.write_all_at(bytes, at);
    };
    while !input.is_empty() {
        let step = input.byte();
        let said = match step & 3 {
            0 => {
                // Mostly one of the words that mean something.
                let at = if step & 4 > 0 {
                    u64::from(input.half()) % HEAD
                } else {
                    LINE * u64::from(step >> 3 & 15)
                };
                write(&input.array::<8>(), at);
                Ok(())
            }
            1 => {
                let at = HEAD + size as u64 * u64::from(step >> 2 & 1) + u64::from(input.half());
                write(input.record(), at);
                Ok(())
            }
            2 => {
                let length = 1 + usize::from(input.half()) % BATCH;
                let bytes = vec![step; length];
                let segment = length.div_ceil(1 + usize::from(step >> 2));
                lane.send(&[IoSlice::new(&bytes)], segment).map(|_| ())
            }
            _ => {
                let mut take = |bytes: &[u8]| assert!((1..=BATCH).contains(&bytes.len()));
                let came = lane.receive(&mut take);
                came.and_then(|_| lane.wait(Duration::ZERO, step & 4 > 0))
            }
        };
        if said.is_err() {
            return;
        }
    }
}

/// A peer that keeps to the layout: datagrams of 16 bytes, one after the other.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let mut input = Vec::new();
    for number in 0..5_u16 {
        // Ring of end 1: length and datagram, then the position of writing.
        input.push(1 | 4);
        input.extend((24 * number).to_le_bytes());
        crate::input::record(&mut input, &[&16_u64.to_le_bytes()[..], &[9; 16]].concat());
        input.push(9 << 3);
        input.extend(u64::from(24 * (number + 1)).to_le_bytes());
        input.extend([3, 2 | 5 << 2, 100, 0, 7]);
    }
    vec![input]
}
