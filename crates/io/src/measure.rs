// SPDX-License-Identifier: Apache-2.0
//! Throughput, processor time and memory: over a cable between two interfaces of one machine
//! ([`crate::veth`]): an HTSP end at each, or sockets alone with frames of the same length.

use crate::htsp::{Backend, Driver, Fault, Settings};
use crate::link::{Arrival, RawLink};
use crate::veth::NAMES;
use ropewalk_wire::htsp::frame::{self, FOOTER, HEADER, Header};
use ropewalk_wire::htsp::params::MAX_BURST;
use ropewalk_wire::htsp::{Last, Mac};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Longest pause of one of the ends after which a measurement ends.
const PATIENCE: Duration = Duration::from_secs(2);

/// Bytes of a user frame, about.
const FRAME: u64 = 1 << 20;

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// Bytes of users that arrived.
    pub bytes: u64,
    /// Bytes of users that were sent.
    pub sent: u64,
    /// From the first to the last of them.
    pub seconds: f64,
    /// Processor time of this process meanwhile, the kernel's included.
    pub cpu_seconds: f64,
}

impl Figures {
    /// Bits of users per second, in units of 1e9.
    #[must_use]
    pub fn gbps(&self) -> f64 {
        self.bytes as f64 * 8e-9 / self.seconds.max(1e-9)
    }

    /// Processor time for 1e9 bytes.
    #[must_use]
    pub fn cpu_s_per_gb(&self) -> f64 {
        self.cpu_seconds / (self.bytes as f64 * 1e-9).max(1e-9)
    }
}

/// From the first arrival to the last one so far.
struct Span {
    /// The first one, and the processor time at that moment.
    begun: Option<(Instant, f64)>,
    /// The last one; before any the beginning.
    moved: Instant,
    seconds: f64,
    cpu_seconds: f64,
}

impl Span {
    fn new() -> Self {
        Self {
            begun: None,
            moved: Instant::now(),
            seconds: 0.0,
            cpu_seconds: 0.0,
        }
    }

    fn arrived(&mut self) {
        self.moved = Instant::now();
        let used = cpu();
        let (at, before) = *self.begun.get_or_insert((self.moved, used));
        self.seconds = (self.moved - at).as_secs_f64();
        self.cpu_seconds = used - before;
    }
}

/// Processor time of the process so far, seconds, the kernel's for it included.
#[must_use]
pub fn cpu() -> f64 {
    cpu_of(libc::RUSAGE_SELF)
}

/// The same of this thread alone.
pub(crate) fn thread_cpu() -> f64 {
    cpu_of(libc::RUSAGE_THREAD)
}

fn cpu_of(who: libc::c_int) -> f64 {
    // SAFETY: a C structure of integers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills it in.
    unsafe { libc::getrusage(who, &mut usage) };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Most bytes of memory of this process that were resident, as the kernel says; none if it does
/// not.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Sends `bytes` in bursts of `burst` bytes over HTSP, on one channel, from the first interface of
/// a [`crate::veth::Veth`] to the second.
///
/// # Errors
/// The interfaces cannot be opened, or fail.
pub fn htsp(backend: Backend, bytes: u64, burst: usize) -> Result<Figures, Fault> {
    let settings = Settings {
        backend,
        burst,
        alive: Duration::from_secs(5),
        ring: 1 << 27,
        ..Settings::default()
    };
    let [near, far] = NAMES.map(|name| settings.open(name));
    let mut near = Driver::new(near?, &settings)?;
    let mut far = Driver::new(far?, &settings)?;
    let stop = AtomicBool::new(false);
    let part = vec![0x5a; burst];
    std::thread::scope(|scope| {
        let sender = scope.spawn(|| -> Result<u64, Fault> {
            let mut left = bytes;
            while !stop.load(Ordering::Relaxed) {
                while left > 0 {
                    let size = left.min(burst as u64);
                    let end = size == left || left % FRAME < size;
                    let last = if end { Last::Yes } else { Last::No };
                    if near
                        .endpoint()
                        .push(0, &part[..size as usize], last)
                        .is_err()
                    {
                        break;
                    }
                    left -= size;
                }
                if !near.turn()? {
                    near.wait(Duration::from_millis(1))?;
                }
            }
            Ok(bytes - left)
        });
        let mut figures = Figures {
            bytes: 0,
            sent: 0,
            seconds: 0.0,
            cpu_seconds: 0.0,
        };
        let (mut begun, mut moved) = (None, Instant::now());
        let done = (|| -> Result<(), Fault> {
            while figures.bytes < bytes && moved.elapsed() < PATIENCE {
                while let Some(piece) = far.endpoint().pop(0) {
                    let (at, used) = begun.get_or_insert_with(|| (Instant::now(), cpu()));
                    figures.bytes += piece.bytes.len() as u64;
                    moved = Instant::now();
                    figures.seconds = at.elapsed().as_secs_f64();
                    if piece.end {
                        figures.cpu_seconds = cpu() - *used;
                    }
                }
                if !far.turn()? {
                    far.wait(Duration::from_millis(1))?;
                }
            }
            Ok(())
        })();
        stop.store(true, Ordering::Relaxed);
        figures.sent = sender
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        done.map(|()| figures)
    })
}

/// Sends as many frames as [`htsp`] would, of the same length, by sockets and nothing else.
///
/// # Errors
/// The interfaces cannot be opened, or fail.
pub fn plain(backend: Backend, bytes: u64, burst: usize) -> Result<Figures, Fault> {
    let settings = Settings {
        backend,
        ethertype: 0x88b5,
        ring: 1 << 27,
        ..Settings::default()
    };
    let [near, far] = NAMES.map(|name| settings.open(name));
    let (mut near, mut far) = (near?, far?);
    let mut frame = vec![0x5a; HEADER + burst + FOOTER];
    frame[..6].fill(0xff);
    frame[12..14].copy_from_slice(&[0x88, 0xb5]);
    let frames = vec![frame; 32];
    let limit = near.limit();
    let stop = AtomicBool::new(false);
    let total = bytes.div_ceil(burst as u64);
    std::thread::scope(|scope| {
        let sender = scope.spawn(|| -> Result<u64, Fault> {
            let mut sent = 0;
            while sent < total && !stop.load(Ordering::Relaxed) {
                let now = frames.len().min((total - sent) as usize);
                sent += near.send(&frames[..now])? as u64;
            }
            Ok(sent * burst as u64)
        });
        let (mut came, mut span) = (0, Span::new());
        // What arrives has to leave the ring.
        let mut copy = vec![0; limit];
        let done = (|| -> Result<(), Fault> {
            while came < total && span.moved.elapsed() < PATIENCE {
                let before = came;
                let more = far.receive(&mut |arrival| {
                    if let Arrival::Frame { bytes, .. } = arrival {
                        copy[..bytes.len()].copy_from_slice(bytes);
                        came += 1;
                    }
                })?;
                if came > before {
                    span.arrived();
                }
                if !more {
                    far.wait(Duration::from_millis(1), false)?;
                }
            }
            Ok(())
        })();
        stop.store(true, Ordering::Relaxed);
        std::hint::black_box(&copy);
        let sent = sender
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        done.map(|()| Figures {
            bytes: came * burst as u64,
            sent,
            seconds: span.seconds,
            cpu_seconds: span.cpu_seconds,
        })
    })
}

/// Pause when a ring is empty. To be woken for each block would cost the sender more than the ring.
const NAP: Duration = Duration::from_micros(200);
/// Frames that [`Load`] sends with one call.
const AT_ONCE: usize = 32;

/// A sender of HTSP frames that were made before, so that what it spends on a frame is what the
/// kernel takes for it: a thread that sends user frames of one burst on channel 0, as fast as it
/// can, until it is dropped. It heeds a pause of its peer and keeps no other rule of an end.
#[derive(Debug)]
pub struct Load {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<u64, Fault>>>,
}

impl Load {
    /// Begins to send bursts of `burst` bytes, less if the MTU asks for it.
    ///
    /// # Errors
    /// The interface cannot be opened, or no thread can be had.
    pub fn start(interface: &str, burst: usize) -> Result<Self, Fault> {
        let settings = Settings {
            burst: burst.clamp(frame::BEAT, MAX_BURST),
            ring: 1 << 20,
            ..Settings::default()
        };
        let mut link = settings.open(interface)?;
        let burst = settings.burst_on(link.limit());
        let stop = Arc::<AtomicBool>::default();
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("htsp-load".to_owned());
        let thread = thread.spawn(move || send_load(&mut *link, burst, &stopped));
        Ok(Self {
            stop,
            thread: Some(thread.map_err(Fault::Link)?),
        })
    }

    /// Ends it. Bytes of payload that were sent.
    ///
    /// # Errors
    /// The link has failed.
    pub fn stop(mut self) -> Result<u64, Fault> {
        self.stop.store(true, Ordering::Relaxed);
        match self.thread.take().map(JoinHandle::join) {
            None => Ok(0),
            Some(Ok(sent)) => sent,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
        }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It has nobody left to report to.
            let _ = thread.join();
        }
    }
}

/// The frame with a number; no payload: a header alone.
fn numbered(source: Mac, tid: usize, payload: &[u8]) -> Vec<u8> {
    let header = Header {
        destination: Mac::BROADCAST,
        source,
        ethertype: Settings::default().ethertype,
        version: frame::VERSION,
        tid: tid as u8,
        pause: 0,
        channel: if payload.is_empty() {
            frame::NULL_CHANNEL
        } else {
            0
        },
        start: !payload.is_empty(),
        opcode_valid: false,
        link_ready: true,
        first_tuser: 0,
        takes_tuser: false,
        reserved: [0; 6],
        opcode: [0; 16],
        user_data: [0; 16],
    };
    if payload.is_empty() {
        return header.encode().to_vec();
    }
    // A payload of 64 bytes to the longest burst always fits a frame.
    frame::encode(&header, payload, true, false, 0).unwrap_or_default()
}

fn send_load(link: &mut dyn RawLink, burst: usize, stop: &AtomicBool) -> Result<u64, Fault> {
    let source = link.mac();
    let frames: Vec<Vec<u8>> = (0..256)
        .map(|tid| numbered(source, tid, &vec![0x5a; burst]))
        .collect();
    let (mut sent, mut number, mut paused) = (0, 0, false);
    let mut header_at = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        link.receive(&mut |arrival| {
            if let Arrival::Frame { bytes, .. } = arrival
                && let Some(header) = bytes.first_chunk()
            {
                paused = Header::decode(header).pause & 1 != 0;
            }
        })?;
        if !paused {
            // No call goes beyond the last number.
            let most = AT_ONCE.min(256 - number);
            let now = link.send(&frames[number..number + most])?;
            sent += now as u64;
            number = (number + now) % 256;
        } else if Instant::now() >= header_at {
            number = (number + link.send(&[numbered(source, number, &[])])?) % 256;
            header_at = Instant::now() + Duration::from_millis(1);
        } else {
            link.wait(Duration::from_micros(100), false)?;
        }
    }
    Ok(sent * burst as u64)
}

/// Takes frames out of the packet ring of an interface and drops them, until that many bytes of
/// payload have come, or none for as long as `patience`: what the ring does by itself.
///
/// # Errors
/// The interface cannot be opened, or fails.
pub fn ring(interface: &str, bytes: u64, patience: Duration) -> Result<Figures, Fault> {
    let mut link = Settings::default().open(interface)?;
    let (mut came, mut span) = (0, Span::new());
    while came < bytes && span.moved.elapsed() < patience {
        let before = came;
        let more = link.receive(&mut |arrival| {
            if let Arrival::Frame { bytes, .. } = arrival {
                came += bytes.len().saturating_sub(HEADER + FOOTER) as u64;
            }
        })?;
        if came > before {
            span.arrived();
        }
        if !more {
            std::thread::sleep(NAP);
        }
    }
    Ok(Figures {
        bytes: came,
        sent: came,
        seconds: span.seconds,
        cpu_seconds: span.cpu_seconds,
    })
}
