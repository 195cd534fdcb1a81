// SPDX-License-Identifier: Apache-2.0
//! How many frames a second the models run on one core. Run with
//! `cargo run --release -p ropewalk-wire --example speed`.

use ropewalk_wire::rifl::code;
use ropewalk_wire::rifl::frame::Frame;
use ropewalk_wire::rifl::link::{Link, LinkConfig, Random};
use ropewalk_wire::rifl::scrambler::Scrambler;
use ropewalk_wire::rifl::{
    FrameWidth, IdWidth, LaneParams, ParamError, Receiver, Segment, Transmitter, TxInputs,
};
use std::hint::black_box;
use std::time::Instant;

fn main() -> Result<(), ParamError> {
    for width in [FrameWidth::W256, FrameWidth::W512] {
        let lane = LaneParams::new(width, IdWidth::MIN).with_up_frames(1)?;
        path(lane);
        parts(lane);
        link(lane)?;
    }
    Ok(())
}

/// Time spent on the processor, so that other work on the machine does not count; wall time where
/// the system does not tell.
struct Stopwatch {
    wall: Instant,
    busy: Option<f64>,
}

impl Stopwatch {
    fn start() -> Self {
        Stopwatch {
            wall: Instant::now(),
            busy: busy(),
        }
    }

    fn seconds(&self) -> f64 {
        match (self.busy, busy()) {
            (Some(before), Some(now)) => now - before,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// Seconds that this process has been on a processor (Linux).
fn busy() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

fn report(lane: LaneParams, what: &str, frames: u64, start: &Stopwatch) {
    let seconds = start.seconds();
    println!(
        "{} bits  {what:<42} {:>6.1} M frames/s  {:>5.1} ns",
        lane.frame(),
        frames as f64 / seconds / 1e6,
        seconds / frames as f64 * 1e9
    );
}

/// Decision, encoding, scrambling and code of one transmitter, code check, descrambling and
/// delivery of one receiver, user data in every frame.
fn path(lane: LaneParams) {
    const FRAMES: u64 = 20_000_000;
    let mut transmitter = Transmitter::new(lane);
    let mut receiver = Receiver::new(lane);
    let bytes: Vec<u8> = (0..lane.frame().payload_bytes() as u8).collect();
    let Some(segment) = Segment::new(lane.frame(), &bytes, false) else {
        return;
    };
    let inputs = TxInputs {
        rx_up: true,
        user: Some(&segment),
        ..TxInputs::default()
    };
    let start = Stopwatch::start();
    let mut delivered = 0u64;
    for _ in 0..FRAMES {
        let tick = transmitter.tick(black_box(&inputs));
        let received = receiver.frame(&tick.frame, true);
        delivered += u64::from(black_box(received.segment).is_some());
    }
    report(lane, "transmit, check and deliver", FRAMES, &start);
    assert!(delivered > FRAMES - 1000, "delivered {delivered}");
}

fn parts(lane: LaneParams) {
    const FRAMES: u64 = 50_000_000;
    let mut frame = Frame::invalid(lane.frame());
    let mut scrambler = Scrambler::with_state(1);
    let start = Stopwatch::start();
    for _ in 0..FRAMES {
        scrambler.frame(black_box(&mut frame));
    }
    report(lane, "scramble only", FRAMES, &start);
    let start = Stopwatch::start();
    let mut sum = 0;
    for _ in 0..FRAMES {
        sum ^= code::crc(black_box(&frame));
    }
    black_box(sum);
    report(lane, "code only", FRAMES, &start);
}

/// Two endpoints with traffic both ways, scoreboard included.
fn link(lane: LaneParams) -> Result<(), ParamError> {
    let mut link = Link::new(LinkConfig::saturated(lane, 20, Random::new(1).bits()))?;
    let start = Stopwatch::start();
    link.run(5_000_000, |_, _, _| {});
    report(
        lane,
        "two endpoints with traffic and scoreboard",
        link.frames(),
        &start,
    );
    assert!(link.clean());
    Ok(())
}
