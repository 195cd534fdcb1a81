// SPDX-License-Identifier: Apache-2.0
//! One end of a link: a node's or a switch's.
//!
//! ```text
//!             link_up                   limits with own epoch
//!    DOWN ───────────────► HELLO ───────────────────────────► OPEN
//!      ▲                     │                                  │
//!      └─────────────────────┴── link_down, or a hello of a ◄───┘
//!                                peer that has heard nothing
//! ```
//!
//! Time is counted in cycles. Headers that arrive go in with [`LinkEnd::receive`], credit words
//! come out of [`LinkEnd::poll_transmit`], and a packet gets its credits and its number from
//! [`LinkEnd::send`]. An end in HELLO sends credit words alone.
//!
//! The end keeps what it has sent until the peer says that it was received. What it says first in a
//! session settles what of the former one was lost; if the link does not return in time, all of it
//! was. An end in OPEN that receives a hello of a peer that has heard nothing of it begins again.

use super::CLASSES;
use super::credit::{Allowance, MODULUS, Memory};
use super::header::{Body, EPOCHS, Header, Route};
use alloc::collections::VecDeque;
use thiserror::Error;

/// Packets that an end keeps the routes of.
pub const RING: usize = 256;

/// Sizes and times of an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Words of memory of each class.
    pub memory: [u16; CLASSES],
    /// Cycles after which a link that is down does not return.
    pub dead_cycles: u64,
    /// Cycles between hellos until the peer answers.
    pub hello_cycles: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            memory: [256; CLASSES],
            dead_cycles: 1 << 16,
            hello_cycles: 64,
        }
    }
}

/// State of an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// No session below.
    Down,
    /// Limits of the own epoch have not come.
    Hello,
    /// Packets may be sent.
    Open,
}

/// Something that the user has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Packets may be sent.
    Open,
    /// No longer; a packet in transfer is aborted.
    Down,
    /// A packet was sent and did not arrive.
    Lost(Route),
}

/// Why a header is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum Refused {
    /// There is no session.
    #[error("a header while the link is down")]
    Down,
    /// Nothing is sent before a hello.
    #[error("a packet before the peer's hello")]
    NoHello,
    /// A peer that does not keep its credits loses its own packets only.
    #[error("{words} words of class {class} beyond the limit")]
    Overrun {
        /// Of this class.
        class: u8,
        /// As many words.
        words: u8,
    },
}

/// One end of a link.
#[derive(Debug, Clone)]
pub struct LinkEnd {
    settings: Settings,
    state: State,
    epoch: u8,
    /// Epoch of the peer's hello of this session.
    peer: Option<u8>,
    allowance: [Allowance; CLASSES],
    memory: [Memory; CLASSES],
    advertised: [u16; CLASSES],
    /// A credit word is due whatever limits have moved.
    due: bool,
    hello_at: Option<u64>,
    dead_at: Option<u64>,
    number: u16,
    received: Option<u16>,
    advertised_received: Option<u16>,
    /// What the peer has received of the former session is not known.
    unsettled: bool,
    sent: VecDeque<Route>,
    events: VecDeque<Event>,
}

impl LinkEnd {
    /// An end after reset.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let memory = settings.memory.map(Memory::new);
        LinkEnd {
            settings,
            state: State::Down,
            epoch: 0,
            peer: None,
            allowance: [Allowance::default(); CLASSES],
            memory,
            advertised: memory.map(|memory| memory.limit()),
            due: false,
            hello_at: None,
            dead_at: None,
            number: 0,
            received: None,
            advertised_received: None,
            unsettled: false,
            sent: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// A session of the link below begins.
    pub fn link_up(&mut self, now: u64) {
        if self.state != State::Down {
            self.link_down(now);
        }
        self.expire(now);
        self.epoch = self.epoch % (EPOCHS - 1) + 1;
        self.state = State::Hello;
        self.peer = None;
        self.allowance = [Allowance::default(); CLASSES];
        self.unsettled = true;
        self.due = false;
        self.hello_at = Some(now);
        self.dead_at = None;
    }

    /// The session has ended.
    pub fn link_down(&mut self, now: u64) {
        if self.state == State::Open {
            self.events.push_back(Event::Down);
        }
        if self.state != State::Down {
            self.dead_at = Some(now.saturating_add(self.settings.dead_cycles));
        }
        self.state = State::Down;
        self.hello_at = None;
    }

    /// State now.
    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }

    /// Takes the header of a packet or credit word that arrived.
    ///
    /// # Errors
    /// The packet is to be dropped; its limits count all the same.
    pub fn receive(&mut self, now: u64, header: &Header) -> Result<(), Refused> {
        if self.state == State::Down {
            return Err(Refused::Down);
        }
        if let Body::Credits {
            hello: Some(own), ..
        } = header.body
        {
            if self.state == State::Open && header.epoch == 0 {
                self.link_up(now);
            }
            self.peer = Some(own);
            self.memory.iter_mut().for_each(Memory::restart);
            self.due = true;
        }
        let answered = header.epoch == self.epoch;
        if answered {
            for (allowance, limit) in self.allowance.iter_mut().zip(header.limits) {
                allowance.advertise(limit);
            }
            if self.state == State::Hello {
                self.state = State::Open;
                self.hello_at = None;
                self.events.push_back(Event::Open);
            }
        }
        match header.body {
            Body::Credits { received, .. } => {
                if answered {
                    self.acknowledge(received);
                }
                Ok(())
            }
            Body::Data(route) | Body::Notice(route) => self.arrive(header.number, &route),
        }
    }

    fn arrive(&mut self, number: u16, route: &Route) -> Result<(), Refused> {
        if self.peer.is_none() {
            return Err(Refused::NoHello);
        }
        if !self.memory[route.class.number()].store(route.words) {
            return Err(Refused::Overrun {
                class: route.class.number() as u8,
                words: route.words,
            });
        }
        self.received = Some((number + 1) % MODULUS);
        Ok(())
    }

    /// The peer has received all packets before a number. One that is not kept says nothing: after
    /// a loss the peer repeats the number from before until the next packet has come.
    fn acknowledge(&mut self, received: Option<u16>) {
        let kept = self.sent.len() as u16;
        let first = self.number.wrapping_sub(kept) % MODULUS;
        let more = received.map_or(0, |received| received.wrapping_sub(first) % MODULUS);
        if more <= kept {
            self.sent.drain(..usize::from(more));
        }
        if self.unsettled {
            // Of a peer that was reset nothing is known: what is kept counts as lost.
            self.unsettled = false;
            let lost = self.sent.drain(..).map(Event::Lost);
            self.events.extend(lost);
        }
    }

    /// Words of a class have left the memory.
    pub fn release(&mut self, class: usize, words: u16) {
        if let Some(memory) = self.memory.get_mut(class) {
            memory.release(words);
        }
    }

    /// Whether a packet may be sent now.
    #[must_use]
    pub fn can_send(&self, class: usize, words: u8) -> bool {
        // What is kept is of the former session until that is settled.
        self.state == State::Open
            && !self.unsettled
            && self.sent.len() < RING
            && (self.allowance.get(class)).is_some_and(|it| u16::from(words) <= it.room())
    }

    /// The header of a packet that is sent now; nothing if it may not be.
    pub fn send(&mut self, route: Route) -> Option<Header> {
        let class = route.class.number();
        if !self.can_send(class, route.words) || !self.allowance[class].take(route.words) {
            return None;
        }
        self.sent.push_back(route);
        let header = self.header(Body::Data(route));
        self.number = (self.number + 1) % MODULUS;
        Some(header)
    }

    fn header(&mut self, body: Body) -> Header {
        self.advertised = self.memory.map(|memory| memory.limit());
        Header {
            body,
            limits: self.advertised,
            epoch: self.peer.unwrap_or(0),
            number: self.number,
        }
    }

    /// A credit word, if one is to be sent: a hello, an answer to one, limits that have moved by a
    /// quarter of the memory, or, where nothing else is about to leave (`idle`), by anything.
    pub fn poll_transmit(&mut self, now: u64, idle: bool) -> Option<Header> {
        self.expire(now);
        if self.state == State::Down {
            return None;
        }
        if self.hello_at.is_some_and(|at| at <= now) {
            self.hello_at = Some(now.saturating_add(self.settings.hello_cycles));
            return Some(self.credits(Some(self.epoch)));
        }
        self.peer?;
        let moved = self
            .memory
            .iter()
            .zip(self.advertised)
            .any(|(memory, old)| {
                let by = memory.limit().wrapping_sub(old) % MODULUS;
                by > 0 && (idle || by >= memory.size().div_ceil(4))
            });
        let news = self.received != self.advertised_received;
        let unsaid = self.received.unwrap_or(0);
        let unsaid = unsaid.wrapping_sub(self.advertised_received.unwrap_or(0)) % MODULUS;
        let news = news && (idle || usize::from(unsaid) >= RING / 2);
        (self.due || moved || news).then(|| self.credits(None))
    }

    fn credits(&mut self, hello: Option<u8>) -> Header {
        let received = self.received;
        self.advertised_received = received;
        // A hello answers too, if one has come.
        self.due &= self.peer.is_none();
        self.header(Body::Credits { hello, received })
    }

    /// When to call [`LinkEnd::poll_transmit`] at the latest.
    #[must_use]
    pub fn next_timeout(&self) -> Option<u64> {
        self.hello_at.into_iter().chain(self.dead_at).min()
    }

    fn expire(&mut self, now: u64) {
        if self.dead_at.is_some_and(|at| at <= now) {
            self.dead_at = None;
            let lost = self.sent.drain(..).map(Event::Lost);
            self.events.extend(lost);
        }
    }

    /// The next thing that the user has to know.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }
}

#[cfg(test)]
#[path = "link/tests.rs"]
mod tests;
