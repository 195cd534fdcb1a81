// SPDX-License-Identifier: Apache-2.0
//! Ethernet frames between two ends in memory, kept as a capture file that Wireshark opens:
//! `cargo run -p ropewalk-io --example capture -- frames.pcap`.
//!
//! With `PacketLink`, `XdpLink` or `TapLink` in place of `PipeLink` they cross a network interface.

use ropewalk_io::{Arrival, PipeLink, RawLink, pcap};
use std::fs::File;
use std::io::BufWriter;
use std::time::Duration;

fn main() -> std::io::Result<()> {
    let path = std::env::args().nth(1);
    let path = path.unwrap_or_else(|| "frames.pcap".to_owned());
    let [mut left, mut right] = PipeLink::pair(16, 1514);

    // Addresses, an EtherType that is free for experiments, and what the frame carries.
    let header = [&right.mac().0[..], &left.mac().0, &[0x88, 0xb5]].concat();
    let frames: Vec<Vec<u8>> = (0..16u8)
        .map(|number| [&header[..], &[number; 46]].concat())
        .collect();
    let taken = left.send(&frames)?;

    let mut capture = pcap::Writer::new(BufWriter::new(File::create(&path)?))?;
    let mut written = Ok(());
    let mut count = 0;
    let mut keep = |arrival: Arrival<'_>| {
        if let Arrival::Frame { bytes, .. } = arrival {
            written = capture.frame(Duration::from_micros(count), bytes);
            count += 1;
        }
    };
    while right.receive(&mut keep)? {}
    written?;
    capture.flush()?;
    println!("{taken} frames sent, {count} in {path}");
    Ok(())
}
