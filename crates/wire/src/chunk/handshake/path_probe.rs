// SPDX-License-Identifier: Apache-2.0
//! Whether a server answers at the other end of a lane, and how long a datagram may be on the way
//! there: a Hello without a cookie, which costs the server nothing and binds nobody.

use super::client::Failure;
use super::message::{Hello, Message, NEWEST, OLDEST, Refusal, SHORT, Terms};
use super::probe::Probe;
use super::{SHORTEST, random};
use std::collections::VecDeque;
use std::time::Duration;

/// What a server has answered to a search: a client may go on from there, without a round trip for
/// another cookie ([`super::Client::after`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The longest datagram that arrives, bytes.
    pub length: u16,
    pub(super) attempt: u64,
    pub(super) cookie: [u8; SHORT],
    /// How long an answer takes, about.
    pub(super) rtt: Duration,
}

/// The search on one lane. It asks again until it is dropped.
pub struct PathProbe {
    attempt: u64,
    hello: Message,
    probe: Probe,
    cookie: [u8; SHORT],
    out: VecDeque<Vec<u8>>,
    refusal: Option<Refusal>,
}

impl PathProbe {
    /// Tries datagrams of `lengths` bytes; `terms` are in range, and mean nothing yet.
    ///
    /// # Errors
    /// No length that can be used; no random numbers.
    pub fn new(now: Duration, terms: Terms, lengths: &[u16]) -> Result<Self, Failure> {
        let lengths: Vec<_> = lengths.iter().copied().filter(|&l| l >= SHORTEST).collect();
        if lengths.is_empty() {
            return Err(Failure::Lengths);
        }
        let attempt = u64::from_be_bytes(random()?);
        let hello = Message::Hello(Hello {
            cookie: [0; SHORT],
            oldest: OLDEST,
            newest: NEWEST,
            proof_kind: 0,
            nonce: random()?,
            offer: terms,
            proof: Vec::new(),
        });
        Ok(PathProbe {
            attempt,
            hello,
            probe: Probe::new(now, lengths),
            cookie: [0; SHORT],
            out: VecDeque::new(),
            refusal: None,
        })
    }

    /// Takes a datagram.
    pub fn receive(&mut self, now: Duration, datagram: &[u8]) {
        match Message::parse(datagram) {
            Some((attempt, _, message)) if attempt == self.attempt => match message {
                Message::Retry(cookie, length) => {
                    self.cookie = cookie;
                    self.probe.answer(now, length);
                }
                Message::Refuse(refusal) => self.refusal = Some(refusal),
                _ => {}
            },
            _ => {}
        }
    }

    /// The next datagram to be sent, if any.
    pub fn poll_transmit(&mut self, now: Duration) -> Option<Vec<u8>> {
        if self.probe.settled(now).is_none() && self.probe.retry.due(now) {
            let all = self.probe.lengths.iter();
            self.out
                .extend(all.map(|&length| self.hello.datagram(self.attempt, 0, length)));
        }
        self.out.pop_front()
    }

    /// What was found, when no longer datagram is to be expected.
    #[must_use]
    pub fn found(&self, now: Duration) -> Option<Found> {
        Some(Found {
            length: self.probe.settled(now)?,
            attempt: self.attempt,
            cookie: self.cookie,
            rtt: self.probe.took(),
        })
    }

    /// What the server said instead, if it said so since this was asked last.
    pub fn refusal(&mut self) -> Option<Refusal> {
        self.refusal.take()
    }

    /// When [`PathProbe::poll_transmit`] has to be called, if nothing happens before.
    #[must_use]
    pub fn next_timeout(&self) -> Duration {
        self.probe.next_timeout()
    }
}
