// SPDX-License-Identifier: Apache-2.0
//! How fast sub-packets of 1216 bytes are protected on one core. Run with
//! `cargo run --release -p ropewalk-wire --example fec`.

use ropewalk_wire::chunk::frame::{FRAME_HEADER, FrameHeader, FrameSeq, Kind};
use ropewalk_wire::chunk::seal::SessionKey;
use ropewalk_wire::chunk::subpacket::SubHeader;
use ropewalk_wire::chunk::{Params, Session};
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

/// Gb/s of writing sealed sub-packets, and of reading them.
fn sealed(clock: &dyn Fn() -> Duration) -> Result<(f64, f64), Box<dyn Error>> {
    const SUBS: u16 = 8;
    let params = Params {
        payload: LINES as u16 * 64,
        per_frame: SUBS as u8,
        sealed: true,
        ..Params::PAPER
    };
    let session = || Session::sealed(1, SessionKey::new(b"secret", b""));
    let (mut writer, _) = session().sender(&params)?.remove(0);
    let (_, mut reader) = session().receiver(&params)?.remove(0);
    let payload = vec![0; usize::from(params.payload)];
    let mut write = |seq, bytes: &mut Vec<u8>| {
        let header = FrameHeader {
            kind: Kind::Data,
            lane: 0,
            count: SUBS as u8,
            seq,
            session: 1,
            length: params.frame_bytes() as u16,
            time: 0,
        };
        bytes.clear();
        let begun = writer.frame(&header, bytes);
        for number in 0..SUBS {
            let sub = SubHeader {
                chunk: 0,
                number,
                length: params.payload,
                last: false,
                round: 0,
            };
            writer.sub_packet(&sub, &payload, bytes);
        }
        begun
    };
    let (frames, mut bytes) = (20_000, Vec::new());
    let bits = f64::from(frames) * f64::from(SUBS) * f64::from(params.payload) * 8.0;
    let start = clock();
    for frame in 0..frames {
        if !write(FrameSeq::new(frame), &mut bytes) {
            return Err("a frame number was used before".into());
        }
    }
    let seal = bits / (clock() - start).as_nanos() as f64;
    let (seq, header) = (FrameSeq::new(frames - 1), bytes.first_chunk());
    let start = clock();
    for _ in 0..frames {
        for (bytes, index) in bytes[FRAME_HEADER..].chunks(params.stride()).zip(0..) {
            let read = reader.sub_packet(header.map(|header| (seq, header)), index, bytes);
            read.ok_or("a sub-packet that cannot be read")?;
        }
    }
    Ok((seal, bits / (clock() - start).as_nanos() as f64))
}

/// Time that this process has been on a processor, so that other work on the machine does not count
/// (Linux).
fn busy() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}
