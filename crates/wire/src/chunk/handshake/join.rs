// SPDX-License-Identifier: Apache-2.0
//! Lanes of a session: each one is announced with a token that only its ends can make, at every length of datagrams that may pass.
//! The answer has the length of the question, so the longest one that is answered passes both ways.

use super::client::Failure;
use super::message::{Message, SHORT};
use super::probe::Probe;
use super::{Agreed, SHORTEST, same};
use crate::chunk::seal::SessionKey;
use std::collections::VecDeque;
use std::time::Duration;

fn tokens(key: &SessionKey, lane: u8) -> ([u8; SHORT], [u8; SHORT]) {
    (*key.derive("join", &[lane]), *key.derive("joined", &[lane]))
}

/// The client's end of a lane that joins.
pub struct LaneJoin {
    session: u64,
    lane: u8,
    join: [u8; SHORT],
    joined: [u8; SHORT],
    probe: Probe,
    patience: Duration,
    deadline: Duration,
    out: VecDeque<Vec<u8>>,
    outcome: Option<Result<u16, Failure>>,
}

impl LaneJoin {
    /// Announces lane `lane`, with datagrams of `lengths` bytes to try.
    ///
    /// # Errors
    /// No length that can be used.
    pub fn new(
        now: Duration,
        agreed: &Agreed,
        lane: u8,
        lengths: &[u16],
        patience: Duration,
    ) -> Result<Self, Failure> {
        let lengths: Vec<_> = lengths.iter().copied().filter(|&l| l >= SHORTEST).collect();
        if lengths.is_empty() {
            return Err(Failure::Lengths);
        }
        let (join, joined) = tokens(&agreed.key, lane);
        Ok(LaneJoin {
            session: agreed.session,
            lane,
            join,
            joined,
            probe: Probe::new(now, lengths),
            patience,
            deadline: now + patience,
            out: VecDeque::new(),
            outcome: None,
        })
    }

    /// An answer takes about so long: a lost one is missed soon.
    #[must_use]
    pub fn with_rtt(mut self, now: Duration, rtt: Duration) -> Self {
        self.probe = Probe::known(now, self.probe.lengths, rtt);
        self
    }

    /// Takes a datagram.
    pub fn receive(&mut self, now: Duration, datagram: &[u8]) {
        if let Some((session, lane, Message::Joined(token, length))) = Message::parse(datagram)
            && session == self.session
            && lane == self.lane
            && usize::from(length) == datagram.len()
            && same(&token, &self.joined)
        {
            self.probe.answer(now, length);
        }
    }

    /// The next datagram to be sent, if any.
    pub fn poll_transmit(&mut self, now: Duration) -> Option<Vec<u8>> {
        if self.outcome.is_none() {
            if let Some(length) = self.probe.settled(now) {
                self.outcome = Some(Ok(length));
            } else if now >= self.deadline {
                self.outcome = Some(Err(Failure::Silence(self.patience)));
            } else if self.probe.retry.due(now) {
                let join = Message::Join(self.join);
                let all = self.probe.lengths.iter();
                self.out
                    .extend(all.map(|&length| join.datagram(self.session, self.lane, length)));
            }
        }
        self.out.pop_front()
    }

    /// The longest datagram that passes both ways, when that is known, or why there is none.
    #[must_use]
    pub fn outcome(&self) -> Option<Result<u16, Failure>> {
        self.outcome
    }

    /// When [`LaneJoin::poll_transmit`] has to be called, if nothing happens before; none when it is over.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Duration> {
        let waits = self.outcome.is_none();
        waits.then(|| self.probe.next_timeout().min(self.deadline))
    }
}

/// The server's ends of all lanes of a session.
#[derive(Debug)]
pub struct Joins {
    session: u64,
    lanes: Vec<Place>,
}

/// The server's end of a lane.
#[derive(Debug)]
struct Place {
    join: [u8; SHORT],
    joined: [u8; SHORT],
    /// The address from which it has joined.
    from: Option<Vec<u8>>,
}

impl Joins {
    /// No lane has joined.
    #[must_use]
    pub fn new(agreed: &Agreed) -> Self {
        let place = |lane| {
            let (join, joined) = tokens(&agreed.key, lane);
            let from = None;
            Place { join, joined, from }
        };
        Joins {
            session: agreed.session,
            lanes: (0..agreed.terms.params.lanes).map(place).collect(),
        }
    }

    /// Takes a datagram from an address (all of it, with the port): the answer, and the lane that has joined with it, if one has. A lane stays with the
    /// address from which it joined, so a copied token moves none.
    pub fn receive(&mut self, from: &[u8], datagram: &[u8]) -> Option<(Vec<u8>, Option<u8>)> {
        let (session, lane, message) = Message::parse(datagram)?;
        let Message::Join(token) = message else {
            return None;
        };
        let place = self.lanes.get_mut(usize::from(lane))?;
        if session != self.session || !same(&token, &place.join) {
            return None;
        }
        // No client asks so shortly, and no answer is longer than its question.
        let length = u16::try_from(datagram.len()).ok()?;
        if length < SHORTEST {
            return None;
        }
        let new = place.from.is_none();
        if place.from.get_or_insert_with(|| from.to_vec()) != from {
            return None;
        }
        let answer = Message::Joined(place.joined, length).datagram(session, lane, length);
        Some((answer, new.then_some(lane)))
    }
}
