// SPDX-License-Identifier: Apache-2.0
//! Ten thousand datagrams through a channel that loses some and delays all, in virtual time:
//! `cargo run -p ropewalk-channel --example lossy`.

use ropewalk_channel::{Channel, Settings};
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let settings = Settings {
        rate: Some(10_000_000_000),
        delay: Duration::from_millis(5),
        jitter: Duration::from_micros(200),
        loss: 0.01,
        ..Settings::default()
    };
    let mut channel = Channel::new(&settings)?;
    let mut now = Duration::ZERO;
    for number in 0..10_000u32 {
        now = channel.room_at(now, 1250);
        channel.push(now, &[number as u8; 1250]);
    }
    while let Some(next) = channel.next_timeout() {
        now = next;
        while channel.pop(now).is_some() {}
    }
    let counts = channel.counts();
    println!(
        "{} sent, {} lost, {} arrived within {now:?} of the time of the channel",
        counts.sent, counts.lost, counts.arrived
    );
    Ok(())
}
