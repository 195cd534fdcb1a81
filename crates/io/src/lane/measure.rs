// SPDX-License-Identifier: Apache-2.0
//! Throughput and processor time of a lane with nothing above it, or with what its caller does to
//! each batch and each datagram: one thread sends batches as long as there is room, another one
//! takes what arrives.
//!
//! The sender stays a window ahead of the receiver, as every protocol would make it do: what is
//! lost in a full buffer costs nearly as much as what arrives, and says nothing.

use super::Lane;
use crate::measure::{Figures, cpu};
use std::io::{self, IoSlice};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Most bytes that the sender is ahead.
const WINDOW: u64 = 1 << 21;
/// After so long without an arrival what is missing is taken for lost.
const PATIENCE: Duration = Duration::from_millis(20);
/// Pause in between when there is nothing to do.
const NAP: Duration = Duration::from_millis(1);

/// Sends datagrams of `segment` bytes from one lane to the other for so long.
///
/// # Errors
/// A lane is gone, or does not take datagrams of this size.
pub fn lanes(
    near: &mut dyn Lane,
    far: &mut dyn Lane,
    segment: usize,
    time: Duration,
) -> io::Result<Figures> {
    let length = near.batch(segment) * segment;
    let fill = move |batch: &mut Vec<u8>| batch.resize(length, 0x5a);
    lanes_with(near, far, segment, time, fill, &mut |_| ())
}

/// The same with batches that `fill` writes, of full datagrams, and [`Lane::batch`] of them at
/// most; the memory holds the batch before. `take` gets each datagram that arrives.
///
/// # Errors
/// As [`lanes`].
pub fn lanes_with(
    near: &mut dyn Lane,
    far: &mut dyn Lane,
    segment: usize,
    time: Duration,
    fill: impl FnMut(&mut Vec<u8>) + Send,
    take: &mut dyn FnMut(&[u8]),
) -> io::Result<Figures> {
    let window = WINDOW.min(far.buffer() as u64 / 4);
    let (stop, came) = (AtomicBool::new(false), AtomicU64::new(0));
    let waker = near.waker();
    std::thread::scope(|scope| {
        let sender = scope.spawn(|| {
            let sent = send(near, fill, segment, window, &came, &stop);
            stop.store(true, Ordering::Relaxed);
            sent
        });
        let (begun, used) = (Instant::now(), cpu());
        let mut bytes = 0;
        let done = (|| -> io::Result<()> {
            let mut told = 0;
            while begun.elapsed() < time && !stop.load(Ordering::Relaxed) {
                let more = far.receive(&mut |datagram| {
                    bytes += datagram.len() as u64;
                    take(datagram);
                })?;
                came.store(bytes, Ordering::Release);
                if bytes - told > window / 2 {
                    told = bytes;
                    waker();
                }
                if !more {
                    waker();
                    far.wait(NAP, false)?;
                }
            }
            Ok(())
        })();
        let (seconds, cpu_seconds) = (begun.elapsed().as_secs_f64(), cpu() - used);
        stop.store(true, Ordering::Relaxed);
        waker();
        let sent = sender
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        done.map(|()| Figures {
            bytes,
            sent,
            seconds,
            cpu_seconds,
        })
    })
}

/// The sending thread; says how many bytes it has sent.
fn send(
    lane: &mut dyn Lane,
    mut fill: impl FnMut(&mut Vec<u8>),
    segment: usize,
    window: u64,
    came: &AtomicU64,
    stop: &AtomicBool,
) -> io::Result<u64> {
    let (mut sent, mut lost) = (0, 0);
    let (mut last, mut moved) = (0, Instant::now());
    let (mut batch, mut blocked) = (Vec::new(), false);
    while !stop.load(Ordering::Relaxed) {
        // Nothing comes back, but a lane may have to be looked after.
        lane.receive(&mut |_| ())?;
        let now = came.load(Ordering::Acquire);
        if now != last {
            (last, moved) = (now, Instant::now());
        } else if moved.elapsed() > PATIENCE {
            (lost, moved) = (sent - now, Instant::now());
        }
        let ahead = |sent: u64| sent.saturating_sub(now + lost);
        while ahead(sent) < window {
            // What the lane had no room for goes first.
            if !blocked {
                fill(&mut batch);
            }
            blocked = !lane.send(&[IoSlice::new(&batch)], segment)?;
            if blocked {
                break;
            }
            sent += batch.len() as u64;
        }
        lane.wait(NAP, blocked)?;
    }
    Ok(sent)
}
