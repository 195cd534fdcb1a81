// SPDX-License-Identifier: Apache-2.0
//! How fast sub-packets of 1216 bytes are protected on one core. Run with
//! `cargo run --release -p ropewalk-wire --example fec`. Last come bounds of the Galois-field path: what it would reach if nothing but its products
//! took time, if its products and sums did not wait for each other, and how fast the same bytes are read.

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
    #[cfg(target_arch = "x86_64")]
    if Path::Gfni.available() {
        bounds::print(&clock);
    }
    Ok(())
}

/// What bounds the Galois-field path with T = 8: for two lines 16 products and 17 sums of words of 64 bytes.
#[cfg(target_arch = "x86_64")]
mod bounds {
    use super::LINES;
    use std::arch::x86_64::{
        __m512i, _mm512_gf2p8affine_epi64_epi8, _mm512_loadu_si512, _mm512_set1_epi8,
        _mm512_set1_epi64, _mm512_setzero_si512, _mm512_ternarylogic_epi64, _mm512_xor_si512,
    };
    use std::hint::black_box;
    use std::time::Duration;

    /// Exclusive or of three.
    const XOR3: i32 = 0x96;
    /// Products of two lines.
    const PRODUCTS: usize = 16;
    /// Pairs of lines: header and payload.
    const PAIRS: usize = LINES.div_ceil(2);
    /// Sub-packets of each measurement.
    const ROUNDS: u32 = 1_000_000;

    type Lines = [[u8; 64]; 2 * PAIRS];

    pub fn print(clock: &dyn Fn() -> Duration) {
        let lines = black_box([[0x5a; 64]; 2 * PAIRS]);
        let gbps = |work: unsafe fn(&Lines)| {
            let start = clock();
            for _ in 0..ROUNDS {
                // SAFETY: called where the processor has the instructions.
                unsafe { work(black_box(&lines)) };
            }
            f64::from(ROUNDS) * (LINES * 64 * 8) as f64 / (clock() - start).as_nanos() as f64
        };
        let (products, both, read) = (gbps(products), gbps(both), gbps(read));
        println!("RS(255,239), Gfni: bounds");
        println!("products alone        {products:>8.1}");
        println!("products and sums     {both:>8.1}");
        println!("reading               {read:>8.1}");
    }

    #[inline]
    #[target_feature(enable = "gfni,avx512f")]
    fn times(line: __m512i, matrix: __m512i) -> __m512i {
        _mm512_gf2p8affine_epi64_epi8::<0>(line, matrix)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn line(lines: &Lines, number: usize) -> __m512i {
        // SAFETY: 64 bytes are read from a reference to 64 bytes; the instruction asks for no alignment.
        unsafe { _mm512_loadu_si512(lines[number].as_ptr().cast()) }
    }

    #[target_feature(enable = "gfni,avx512f")]
    fn products(lines: &Lines) {
        let matrix = black_box(_mm512_set1_epi64(1));
        // Opaque, so that they are not found to be the same.
        let mut words = black_box([line(lines, 0); PRODUCTS]);
        for _ in 0..PAIRS {
            for word in &mut words {
                *word = times(*word, matrix);
            }
        }
        black_box(words);
    }

    /// The same instructions as the code, but no line waits for the one before.
    #[target_feature(enable = "gfni,avx512f")]
    fn both(lines: &Lines) {
        let matrices = black_box([_mm512_set1_epi64(1); PRODUCTS / 2]);
        let mut sums = [_mm512_setzero_si512(); PRODUCTS];
        let mut last = _mm512_set1_epi8(0);
        for pair in 0..PAIRS {
            let (first, second) = (line(lines, 2 * pair), line(lines, 2 * pair + 1));
            for (sums, matrix) in sums.chunks_exact_mut(2).zip(matrices) {
                let (a, b) = (times(first, matrix), times(second, matrix));
                sums[0] = _mm512_ternarylogic_epi64::<XOR3>(sums[0], a, b);
                sums[1] = _mm512_ternarylogic_epi64::<XOR3>(sums[1], a, last);
                last = b;
            }
            sums[0] = _mm512_xor_si512(sums[0], first);
        }
        black_box(sums);
    }

    #[target_feature(enable = "avx512f")]
    fn read(lines: &Lines) {
        let mut sum = _mm512_setzero_si512();
        for number in 0..2 * PAIRS {
            sum = _mm512_xor_si512(sum, line(lines, number));
        }
        black_box(sum);
    }
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
