// SPDX-License-Identifier: Apache-2.0
//! User frames over an HTSP link, both ends in this process:
//! `cargo run -p ropewalk-io --example htsp`.
//!
//! With `settings.open("eth1")?` in place of `PipeLink` an end is on a network interface.

use ropewalk_io::PipeLink;
use ropewalk_io::htsp::{Host, Settings};
use ropewalk_wire::htsp::Last;
use std::error::Error;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(30);

/// Frames of 100 kB on channel 3, which may wait while the other end does not read.
pub fn carry(frames: u8) -> Result<usize, Box<dyn Error>> {
    // Frames on the way, and the longest one: an interface with an MTU of 9000.
    let [left, right] = PipeLink::pair(64, 9014);
    let settings = Settings::default();
    let mut left = Host::start(left, &settings, None)?;
    let mut right = Host::start(right, &settings, None)?;
    let mut writer = left.writer(3).ok_or("there are channels 0 to 15")?;
    let reader = right.reader(3).ok_or("there are channels 0 to 15")?;

    let sender = std::thread::spawn(move || {
        (0..frames).try_for_each(|number| writer.send(&[number; 100_000], Last::Yes))
    });
    let mut arrived = Vec::new();
    for number in 0..frames {
        let frame = arrived.len();
        loop {
            let piece = reader.recv(LONG)?.ok_or("nothing came for 30 s")?;
            arrived.extend_from_slice(&piece.bytes);
            if piece.end {
                break;
            }
        }
        assert_eq!(arrived[frame..], [number; 100_000]);
    }
    sender.join().map_err(|_| "the sender has panicked")??;
    assert_eq!(right.stats().rx.lost, 0);
    Ok(arrived.len())
}

#[allow(dead_code)]
fn main() -> Result<(), Box<dyn Error>> {
    println!("{} bytes arrived, in frames as they were sent", carry(100)?);
    Ok(())
}
