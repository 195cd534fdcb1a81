// SPDX-License-Identifier: Apache-2.0
//! One HTSP end on a raw link, turned by its caller: no threads, no locks.
//!
//! ```text
//! raw link --receive--> Endpoint --pop--> user
//! raw link <--send----- Endpoint <--push- user
//! ```
//!
//! * **Gap**: when the link says that its own buffer was full, the end takes the line for down and
//!   up again. So all unfinished user frames end in error here, and the peer learns from "link
//!   ready" that its own are cut. Numbers alone would not do: a gap of 256 frames shows no missing
//!   number.
//! * **Hold**: when a good part of the buffer below is full, because this process does not keep up,
//!   all channels are paused.
//! * **Time** in which this process did not run does not count: frames that came meanwhile are
//!   still there, so an alive time that seems to be over while nobody looked says nothing. A gap in
//!   them is told as above.

use crate::link::{Arrival, ETHERNET, OpenError, RawLink};
use crate::packet::{self, PacketLink};
use crate::xdp::{self, XdpLink};
use ropewalk_wire::htsp::frame::{BEAT, FOOTER, HEADER};
use ropewalk_wire::htsp::params::MAX_BURST;
use ropewalk_wire::htsp::{Endpoint, ParamError, Params};
use std::fmt;
use std::io;
use std::time::{Duration, Instant, SystemTime};
use thiserror::Error;

/// Frames that are made before they are handed to the link. All of them are sent even if the peer
/// pauses meanwhile.
const BATCH: usize = 32;
/// Calls of [`RawLink::receive`] and [`RawLink::send`] in a turn.
const ROUNDS: usize = 4;
/// Longest step of the clock.
const STEP: Duration = Duration::from_millis(10);
/// Time between looks at the state of the line.
const LOOK: Duration = Duration::from_millis(10);

/// Why an end stopped, or could not begin.
#[derive(Debug, Error)]
pub enum Fault {
    /// The interface could not be opened.
    #[error("{0}")]
    Open(#[from] OpenError),
    /// A parameter out of range.
    #[error("{0}")]
    Param(#[from] ParamError),
    /// The link is gone.
    #[error("the link has failed: {0}")]
    Link(#[from] io::Error),
}

/// How an end gets at an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Backend {
    /// By a packet socket, which every interface has.
    #[default]
    Packet,
    /// By an AF_XDP socket: less work for each frame, if the driver of the interface supports it.
    Xdp,
}

/// What an end is to be like.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// How it gets at its interface.
    pub backend: Backend,
    /// EtherType, as Ethernet reads it.
    pub ethertype: u16,
    /// Channels, 1 to 16.
    pub channels: u8,
    /// Longest payload of a frame; less if the MTU asks for it.
    pub burst: usize,
    /// Longest time without a good frame of the peer.
    pub alive: Duration,
    /// Time without a frame of the peer from which on it is sent nothing but headers until it is
    /// heard again, because it may not run just now: what it is sent in that time has to fit its
    /// ring. The age of what a packet socket hands over comes on top.
    pub silence: Duration,
    /// Bytes that a channel holds for its user.
    pub buffer: usize,
    /// Bytes from which on the peer is to pause. The rest of the buffer is for what comes until it
    /// does: several milliseconds, mostly those until the kernel hands a block over.
    pub pause_at: usize,
    /// Bytes that a channel queues for transmission.
    pub queue: usize,
    /// Most bits per second to send, preamble and FCS not counted.
    pub rate: Option<f64>,
    /// Bytes of the receive ring.
    pub ring: usize,
    /// Age at which a packet socket hands over what has arrived ([`packet::Options::age`]).
    pub age: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            backend: Backend::Packet,
            ethertype: 0x0111,
            channels: 16,
            burst: MAX_BURST,
            alive: Duration::from_millis(85),
            silence: Duration::from_millis(4),
            buffer: 1 << 25,
            pause_at: 1 << 21,
            queue: 1 << 18,
            rate: None,
            ring: 1 << 26,
            age: Duration::from_millis(1),
        }
    }
}

impl Settings {
    /// Opens an interface for an end of this kind.
    ///
    /// # Errors
    /// What is missing, and how to get it.
    pub fn open(&self, name: &str) -> Result<Box<dyn RawLink>, OpenError> {
        let link: Box<dyn RawLink> = match self.backend {
            Backend::Packet => Box::new(PacketLink::open(
                name,
                &packet::Options {
                    ethertype: Some(self.ethertype),
                    ring: self.ring,
                    age: self.age,
                    monitor: false,
                },
            )?),
            Backend::Xdp => Box::new(XdpLink::open(
                name,
                &xdp::Options {
                    ethertype: self.ethertype,
                    ring: self.ring,
                    generic: false,
                },
            )?),
        };
        let least = HEADER + BEAT + FOOTER;
        if link.limit() < least {
            return Err(OpenError::Mtu {
                name: name.to_owned(),
                mtu: link.limit() - ETHERNET,
                least: least - ETHERNET,
            });
        }
        Ok(link)
    }

    /// Longest burst on a link whose longest frame has `limit` bytes.
    #[must_use]
    pub fn burst_on(&self, limit: usize) -> usize {
        let room = limit.saturating_sub(HEADER + FOOTER);
        self.burst.min(room - room % BEAT)
    }

    /// The parameters of an end on a link.
    fn params(&self, link: &impl RawLink) -> Params {
        Params {
            ethertype: self.ethertype,
            channels: self.channels,
            burst: self.burst_on(link.limit()),
            alive: self.alive,
            silence: self.silence.saturating_add(self.age),
            queue: self.queue,
            buffer: self.buffer,
            pause_at: self.pause_at,
            tuser: true,
            ..Params::new(link.mac())
        }
    }
}

/// Is shown every frame that is sent or received, with its time since 1970.
pub type Watch = Box<dyn FnMut(Duration, &[u8]) + Send>;

/// One end on a raw link.
pub struct Driver<L: RawLink> {
    link: L,
    endpoint: Endpoint,
    /// Of the endpoint.
    now: Duration,
    looked: Instant,
    line: bool,
    line_at: Duration,
    /// Frames made, of which `sent` have been taken by the link.
    batch: Vec<Vec<u8>>,
    made: usize,
    sent: usize,
    /// Nanoseconds for a byte, and when the next frames may be sent.
    pace: f64,
    send_at: Duration,
    gaps: u64,
    /// All channels are paused.
    quiet: bool,
    watch: Option<Watch>,
}

impl<L: RawLink> fmt::Debug for Driver<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver")
            .field("now", &self.now)
            .field("line", &self.line)
            .field("gaps", &self.gaps)
            .finish_non_exhaustive()
    }
}

impl<L: RawLink> Driver<L> {
    /// An end after reset.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn new(link: L, settings: &Settings) -> Result<Self, ParamError> {
        Ok(Self {
            endpoint: Endpoint::new(settings.params(&link))?,
            link,
            now: Duration::ZERO,
            looked: Instant::now(),
            line: true,
            line_at: Duration::ZERO,
            batch: vec![Vec::new(); BATCH],
            made: 0,
            sent: 0,
            pace: settings.rate.map_or(0.0, |rate| 8e9 / rate.max(1.0)),
            send_at: Duration::ZERO,
            gaps: 0,
            quiet: false,
            watch: None,
        })
    }

    /// Shows every frame to `watch` from now on.
    pub fn watch(&mut self, watch: Watch) {
        self.watch = Some(watch);
    }

    /// Pauses all channels from now on: nobody is going to take what arrives.
    pub fn quiet(&mut self) {
        self.quiet = true;
    }

    /// The state machines: to push, to pop, to ask.
    pub fn endpoint(&mut self) -> &mut Endpoint {
        &mut self.endpoint
    }

    /// The link below.
    pub fn link(&self) -> &L {
        &self.link
    }

    /// Time of the state machines.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Times that the link below has told of frames that it has lost itself.
    #[must_use]
    pub fn gaps(&self) -> u64 {
        self.gaps
    }

    /// Whether every frame that was made is out of this process.
    #[must_use]
    pub fn is_flushed(&self) -> bool {
        self.is_taken() && self.link.is_sent()
    }

    /// Whether the link has taken every frame that was made.
    fn is_taken(&self) -> bool {
        self.sent == self.made
    }

    /// Takes some of what has arrived, and sends some of what there is to send. Whether there was
    /// anything.
    ///
    /// # Errors
    /// The link is gone.
    pub fn turn(&mut self) -> io::Result<bool> {
        let looked = Instant::now();
        self.now += (looked - self.looked).min(STEP);
        self.looked = looked;
        self.look_at_line();
        let mut moved = false;
        for _ in 0..ROUNDS {
            if !self.receive()? {
                break;
            }
            moved = true;
        }
        let hold = self.quiet || self.link.is_filling();
        self.endpoint.set_hold(self.now, hold);
        for _ in 0..ROUNDS {
            if !self.send()? {
                break;
            }
            moved = true;
        }
        Ok(moved)
    }

    /// Waits until [`Driver::turn`] has something to do, or for so long.
    ///
    /// # Errors
    /// The link is gone.
    pub fn wait(&mut self, longest: Duration) -> io::Result<()> {
        let mut until = self.endpoint.next_timeout();
        if self.pace > 0.0 {
            until = until.max(self.send_at);
        }
        let timeout = until.saturating_sub(self.now).min(longest).min(STEP);
        self.link.wait(timeout, !self.is_flushed())
    }

    /// Follows the state of the line.
    fn look_at_line(&mut self) {
        if self.now < self.line_at {
            return;
        }
        self.line_at = self.now + LOOK;
        let line = self.link.line_up();
        if line == self.line {
            return;
        }
        self.line = line;
        self.endpoint.set_phy(self.now, line);
        if !line {
            // They are lost, and the peer will see that the link was.
            (self.made, self.sent) = (0, 0);
        }
    }

    fn receive(&mut self) -> io::Result<bool> {
        let Self {
            link,
            endpoint,
            watch,
            gaps,
            line,
            now,
            batch,
            made,
            ..
        } = self;
        link.receive(&mut |arrival| match arrival {
            Arrival::Frame {
                bytes, whole, time, ..
            } => {
                if let Some(watch) = watch {
                    watch(time, bytes);
                }
                endpoint.receive(*now, bytes, !whole);
            }
            Arrival::Gap => {
                *gaps += 1;
                endpoint.overflow_below(*now);
                endpoint.set_phy(*now, *line);
                // The next frame may bring the link up again; before, a header has to say that it
                // was down.
                if *made == batch.len() {
                    batch.push(Vec::new());
                }
                *made += usize::from(endpoint.poll_transmit_into(*now, &mut batch[*made]));
            }
        })
    }

    fn send(&mut self) -> io::Result<bool> {
        if self.pace > 0.0 && self.now < self.send_at {
            return Ok(false);
        }
        if self.is_taken() {
            (self.made, self.sent) = (0, 0);
            // With a rate, frames go one by one, so that it holds over short times as well.
            let most = if self.pace > 0.0 { 1 } else { BATCH };
            while self.made < most.min(self.batch.len()) {
                let place = &mut self.batch[self.made];
                if !self.endpoint.poll_transmit_into(self.now, place) {
                    break;
                }
                self.made += 1;
            }
        }
        let frames = &self.batch[self.sent..self.made];
        if frames.is_empty() {
            return Ok(false);
        }
        let sent = self.link.send(frames)?;
        if let Some(watch) = &mut self.watch {
            let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            let time = time.unwrap_or_default();
            for frame in &frames[..sent] {
                watch(time, frame);
            }
        }
        if self.pace > 0.0 {
            let bytes: usize = frames[..sent].iter().map(Vec::len).sum();
            let cost = Duration::from_nanos((bytes as f64 * self.pace) as u64);
            self.send_at = self.send_at.max(self.now.saturating_sub(STEP)) + cost;
        }
        self.sent += sent;
        Ok(sent > 0)
    }
}
