// SPDX-License-Identifier: Apache-2.0
//! Lanes of a session. Each one is announced with a token that only its ends can make, and the
//! server asks first whether it is where it says: who copies what he sees, and is faster, takes no
//! lane.
//!
//! ```text
//!  client                                    server
//!    Join, at each length it would use   ->    binds nobody
//!                                        <-  Check: cookie of the address; shorter than any Join
//!    Join with this cookie, as before    ->    the lane stays with this address
//!                                        <-  Joined, as long as the Join
//! ```
//!
//! The longest Join that is answered with Joined passes both ways. All tokens come from the key of
//! the session, so nobody else can make a cookie, or have the client answer one that the server did
//! not send. Somebody who hands on everything, in both directions and faster than the network, is
//! on the path, wherever he stands.

use super::client::Failure;
use super::message::{Message, SHORT};
use super::probe::Probe;
use super::{Agreed, SHORTEST, same};
use crate::chunk::seal::SessionKey;
use std::collections::VecDeque;
use std::time::Duration;

/// What stands in place of a cookie before there is one.
const NO_COOKIE: [u8; SHORT] = [0; SHORT];

/// What only the ends of a session can make for a lane; `about`: what it depends on beside that.
fn token(key: &SessionKey, label: &str, lane: u8, about: &[u8]) -> [u8; SHORT] {
    *key.derive(label, &[&[lane], about].concat())
}

/// The client's end of a lane that joins.
pub struct LaneJoin {
    session: u64,
    lane: u8,
    /// What tokens come from.
    key: SessionKey,
    /// The server's last cookie for this lane.
    cookie: [u8; SHORT],
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
        Ok(LaneJoin {
            session: agreed.session,
            lane,
            key: agreed.key.of_lanes(),
            cookie: NO_COOKIE,
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
        let Some((session, lane, message)) = Message::parse(datagram) else {
            return;
        };
        if (session, lane) != (self.session, self.lane) {
            return;
        }
        let token = |label, about: &[u8]| token(&self.key, label, lane, about);
        match message {
            Message::Check(cookie, theirs)
                if cookie != self.cookie && same(&theirs, &token("check", &cookie)) =>
            {
                self.cookie = cookie;
                self.out.clear();
                self.ask();
            }
            Message::Joined(theirs, length)
                if usize::from(length) == datagram.len()
                    && same(&theirs, &token("joined", &[])) =>
            {
                self.probe.answer(now, length);
            }
            _ => {}
        }
    }

    /// Whether the server has shown that it has the key of the session.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.cookie != NO_COOKIE || self.probe.is_answered()
    }

    /// The server has the session by now: a lane that it has not answered is announced anew.
    pub fn hurry(&mut self, now: Duration) {
        if !self.is_answered() {
            self.probe.retry.hurry(now);
            self.deadline = now + self.patience;
            self.outcome = None;
        }
    }

    /// Announces the lane at every length.
    fn ask(&mut self) {
        let token = token(&self.key, "join", self.lane, &self.cookie);
        let join = Message::Join(self.cookie, token);
        let all = self.probe.lengths.iter();
        self.out
            .extend(all.map(|&length| join.datagram(self.session, self.lane, length)));
    }

    /// The next datagram to be sent, if any.
    pub fn poll_transmit(&mut self, now: Duration) -> Option<Vec<u8>> {
        if self.outcome.is_none() {
            if let Some(length) = self.probe.settled(now) {
                self.outcome = Some(Ok(length));
            } else if now >= self.deadline {
                self.outcome = Some(Err(Failure::NoAnswer(self.patience)));
            } else if self.probe.retry.due(now) {
                self.ask();
            }
        }
        self.out.pop_front()
    }

    /// The longest datagram that passes both ways, when that is known, or why there is none.
    #[must_use]
    pub fn outcome(&self) -> Option<Result<u16, Failure>> {
        self.outcome
    }

    /// When [`LaneJoin::poll_transmit`] has to be called, if nothing happens before; none when it
    /// is over.
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
    /// What tokens and cookies come from.
    key: SessionKey,
    /// Of each lane the address from which it has joined.
    from: Vec<Option<Vec<u8>>>,
}

impl Joins {
    /// No lane has joined.
    #[must_use]
    pub fn new(agreed: &Agreed) -> Self {
        Joins {
            session: agreed.session,
            key: agreed.key.of_lanes(),
            from: vec![None; agreed.terms.params.lanes.into()],
        }
    }

    /// Takes a datagram from an address (all of it, with the port): the answer, and the lane that
    /// has joined with it, if one has. A lane goes to the address that was asked and has answered,
    /// and stays with it.
    pub fn receive(&mut self, from: &[u8], datagram: &[u8]) -> Option<(Vec<u8>, Option<u8>)> {
        let (session, lane, message) = Message::parse(datagram)?;
        let Message::Join(shown, theirs) = message else {
            return None;
        };
        let token = |label, about: &[u8]| token(&self.key, label, lane, about);
        let place = self.from.get(usize::from(lane))?;
        if session != self.session || !same(&theirs, &token("join", &shown)) {
            return None;
        }
        // No client asks so shortly, and no answer is longer than its question.
        let length = u16::try_from(datagram.len()).ok()?;
        if length < SHORTEST {
            return None;
        }
        let joined = match place {
            Some(place) if place == from => None,
            Some(_) => return None,
            None => {
                let cookie = token("cookie", from);
                if !same(&shown, &cookie) {
                    let check = Message::Check(cookie, token("check", &cookie));
                    return Some((check.datagram(session, lane, 0), None));
                }
                Some(lane)
            }
        };
        let answer = Message::Joined(token("joined", &[]), length);
        if joined.is_some() {
            self.from[usize::from(lane)] = Some(from.to_vec());
        }
        Some((answer.datagram(session, lane, length), joined))
    }
}
