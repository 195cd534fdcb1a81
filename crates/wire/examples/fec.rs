// SPDX-License-Identifier: Apache-2.0
//! How fast sub-packets of 1216 bytes are protected on one core. Run with
//! `cargo run --release -p ropewalk-wire --example fec`.

use ropewalk_wire::chunk::frame::FrameSeq;
use ropewalk_wire::chunk::seal::{Direction, SessionKey};
use ropewalk_wire::fec::measure::erasure;
use ropewalk_wire::fec::{Code, Path, measure};
use std::error::Error;
use std::time::{Duration, Instant};

/// Lines of 64 bytes of a sub-packet.
const LINES: usize = 19;
/// Time for each figure.
const TIME: Duration = Duration::from_millis(300);

fn main() -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let clock = || busy().unwrap_or_else(|| start.elapsed());
    println!("Gb/s of payload, one core, {} bytes", LINES * 64);
    println!(
        "{:<14}{:<8}{:>8}{:>8}{:>16}",
        "code", "", "encode", "check", "1 byte mended"
    );
    for t in [1, 2, 4, 8, 16] {
        for path in Path::ALL.into_iter().filter(|path| path.available()) {
            let code = Code::with_path(t, LINES, path)?;
            let rates = measure(&code, TIME, &clock)?;
            println!(
                "{:<14}{:<8}{:>8.1}{:>8.1}{:>16.1}",
                format!("RS(255,{})", 255 - 2 * t),
                format!("{path:?}"),
                rates.encode,
                rates.check,
                rates.correct
            );
        }
    }
    for (data, parity) in [(32, 4), (128, 16)] {
        let rates = erasure(data, parity, 64 * LINES, TIME, &clock)?;
        println!(
            "{data:>3} + {parity:<16}{:>8.1}  all parity needed: {:.1}",
            rates.encode, rates.correct
        );
    }
    let (seal, open) = sealed(&clock)?;
    println!("AES-256-GCM           {seal:>8.1}  opened: {open:.1}");
    Ok(())
}

/// Gb/s of sealing sub-packets, and of opening them.
fn sealed(clock: &dyn Fn() -> Duration) -> Result<(f64, f64), Box<dyn Error>> {
    let key = SessionKey::new(b"secret", b"");
    let mut sealer = key.sealer(Direction::Forward, 0);
    let mut opener = key.opener(Direction::Forward, 0);
    let (header, mut payload) = ([0; 12], vec![0; LINES * 64]);
    let frames = 20_000;
    let bits = f64::from(frames) * 8.0 * payload.len() as f64 * 8.0;
    let start = clock();
    for frame in 0..frames {
        sealer.frame(FrameSeq::new(frame))?;
        for _ in 0..8 {
            sealer.seal(&header, &mut payload)?;
        }
    }
    let seal = bits / (clock() - start).as_nanos() as f64;
    let seq = FrameSeq::new(frames);
    sealer.frame(seq)?;
    let tag = sealer.seal(&header, &mut payload)?;
    let mut arrived = payload.clone();
    let start = clock();
    for _ in 0..frames * 8 {
        arrived.copy_from_slice(&payload);
        opener.open(seq, 0, &header, &tag, &mut arrived)?;
    }
    Ok((seal, bits / (clock() - start).as_nanos() as f64))
}

/// Time that this process has been on a processor, so that other work on the machine does not count (Linux).
fn busy() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}
