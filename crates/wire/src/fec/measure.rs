// SPDX-License-Identifier: Apache-2.0
//! How fast a code is on one core, on sub-packets that lie in its nearest caches.

use super::erasure::{Decoder, Encoder, ErasureError};
use super::rs::{Code, Uncorrectable};
use std::time::Duration;

/// Sub-packets that take turns.
const SUB_PACKETS: usize = 16;

/// Bytes of a header.
const HEAD: usize = 16;

/// Payload in Gb/s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Parity written.
    pub encode: f64,
    /// Undamaged sub-packets checked; 0 where there is nothing to check.
    pub check: f64,
    /// Sub-packets with one changed byte mended, or as many lost ones restored as there is parity.
    pub correct: f64,
}

/// Measures a code, each of its operations for so long by a clock of the caller.
///
/// # Errors
/// A changed byte was not mended; it never happens.
pub fn measure(
    code: &Code,
    time: Duration,
    clock: &dyn Fn() -> Duration,
) -> Result<Rates, Uncorrectable> {
    let mut all: Vec<_> = (0..SUB_PACKETS)
        .map(|number| {
            let head = [number as u8; HEAD];
            let data: Vec<_> = (0..code.data_len())
                .map(|i| (i * 7 + number) as u8)
                .collect();
            (head, data, vec![0; code.parity_len()])
        })
        .collect();
    let bits = (SUB_PACKETS * code.data_len() * 8) as f64;
    let encode = rate(bits, time, clock, &mut || {
        for (head, data, parity) in &mut all {
            code.encode(head, data, parity);
        }
        Ok(())
    })?;
    let check = rate(bits, time, clock, &mut || {
        let clean =
            |(head, data, parity): &([u8; HEAD], Vec<u8>, Vec<u8>)| code.check(head, data, parity);
        all.iter().all(clean).then_some(()).ok_or(Uncorrectable)
    })?;
    let correct = rate(bits, time, clock, &mut || {
        for (number, (head, data, parity)) in all.iter_mut().enumerate() {
            data[number * 3] ^= 0x55;
            code.correct(head, data, parity)?;
        }
        Ok(())
    })?;
    Ok(Rates {
        encode,
        check,
        correct,
    })
}

/// Measures parity over blocks of `data` sub-packets of `payload` bytes, as [`measure`] does.
///
/// # Errors
/// No such code.
pub fn erasure(
    data: u16,
    parity: u16,
    payload: usize,
    time: Duration,
    clock: &dyn Fn() -> Duration,
) -> Result<Rates, ErasureError> {
    let block: Vec<_> = (0..data).map(|n| vec![n as u8; payload]).collect();
    let mut all = vec![0; payload * usize::from(parity)];
    let mut encoder = Encoder::new(data, parity, payload)?;
    let mut decoder = Decoder::new(data, parity, payload)?;
    let bits = (usize::from(data) * payload * 8) as f64;
    let encode = rate(bits, time, clock, &mut || {
        encoder.encode(block.iter().map(Vec::as_slice), &mut all)
    })?;
    let correct = rate(bits, time, clock, &mut || {
        decoder.begin(data)?;
        for index in parity..data {
            decoder.data(index, &block[usize::from(index)]);
        }
        for (index, bytes) in all.chunks_exact(payload).enumerate() {
            decoder.parity(index as u16, bytes);
        }
        decoder.restore(|_, _| ()).map(|_| ())
    })?;
    Ok(Rates {
        encode,
        check: 0.0,
        correct,
    })
}

/// Does the same work of `bits` bits for at least `time`, and returns Gb/s.
fn rate<E>(
    bits: f64,
    time: Duration,
    clock: &dyn Fn() -> Duration,
    work: &mut dyn FnMut() -> Result<(), E>,
) -> Result<f64, E> {
    let start = clock();
    let mut rounds = 1_u32;
    loop {
        // Twice as many as so far each time, so that looking at the clock costs nothing.
        for _ in 0..rounds {
            work()?;
        }
        let done = f64::from(2 * rounds - 1);
        let spent = clock().saturating_sub(start);
        if spent >= time {
            return Ok(done * bits / spent.as_nanos().max(1) as f64);
        }
        rounds *= 2;
    }
}
