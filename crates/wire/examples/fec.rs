// SPDX-License-Identifier: Apache-2.0
//! How fast sub-packets of 1216 bytes are protected on one core. Run with
//! `cargo run --release -p ropewalk-wire --example fec`.

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
    Ok(())
}

/// Time that this process has been on a processor, so that other work on the machine does not count (Linux).
fn busy() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}
