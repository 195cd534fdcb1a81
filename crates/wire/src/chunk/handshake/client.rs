// SPDX-License-Identifier: Apache-2.0
//! The end that asks for a session.

use super::auth::{Credentials, Proof};
use super::message::{
    Hello, LONG, Message, NEWEST, OLDEST, Refusal, Reply, SHORT, Terms, prologue, transcript,
};
use super::path_probe::Found;
use super::probe::{Probe, Retry};
use super::{Agreed, NoRandom, Peer, SHORTEST, random, same};
use crate::chunk::params::{ParamError, Params};
use crate::chunk::seal::SessionKey;
use ring::digest::{SHA256, digest};
use std::collections::VecDeque;
use std::time::Duration;
use thiserror::Error;
use zeroize::Zeroizing;

/// Time without an answer to questions of one length after which shorter ones are tried.
const TRIES: Duration = Duration::from_secs(3);

/// Why there is no session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Failure {
    /// Nobody answers.
    #[error("no answer for {} s: is the receiver running, and are its address and port right?", .0.as_secs())]
    NoAnswer(Duration),
    /// The receiver says no.
    #[error("{0}")]
    Refused(Refusal),
    /// Who answers is not the one who was meant.
    #[error("the peer cannot prove who it is")]
    Peer,
    /// Something else was agreed on than was offered.
    #[error("the peer agrees to something that was not offered")]
    Terms,
    /// No lengths to try.
    #[error(
        "no length of datagrams of {SHORTEST} bytes or more that a sub-packet fits: accepted is at least one"
    )]
    Lengths,
    /// Offered terms that nobody can keep.
    #[error("{0}")]
    Offer(#[from] ParamError),
    /// No random numbers.
    #[error("{0}")]
    NoRandom(#[from] NoRandom),
}

/// What has become of the attempt.
#[derive(Debug)]
pub enum ClientEvent {
    /// There is a session, and datagrams of this number of bytes pass both ways.
    Agreed(Box<Agreed>, u16),
    /// The server has the key of the session that was taken before ([`Client::take_proposed`]).
    Confirmed,
    /// There is none.
    Failed(Failure),
}

enum State {
    /// The cookie waits until the length is known: with a cookie a Hello carries its proof.
    Probing(Probe, [u8; SHORT]),
    Asking {
        hello: Hello,
        length: u16,
        proof: Proof,
        retry: Retry,
    },
    Confirming {
        length: u16,
        confirm: Zeroizing<[u8; LONG]>,
        done: Zeroizing<[u8; LONG]>,
        /// Until it is taken.
        agreed: Option<Box<Agreed>>,
        retry: Retry,
    },
    Over,
}

/// The end that asks for a session.
pub struct Client {
    credentials: Credentials,
    offer: Terms,
    lengths: Vec<u16>,
    patience: Duration,
    deadline: Duration,
    attempt: u64,
    hello: Hello,
    /// How long an answer takes, about.
    rtt: Duration,
    state: State,
    out: VecDeque<Vec<u8>>,
    event: Option<ClientEvent>,
}

impl Client {
    /// Offers `terms`, with frames as long as the path allows among `lengths` (bytes of a
    /// datagram), and gives up after `patience`.
    ///
    /// # Errors
    /// Terms out of range; no length that can be used; no random numbers.
    pub fn new(
        now: Duration,
        credentials: Credentials,
        terms: Terms,
        lengths: &[u16],
        patience: Duration,
    ) -> Result<Self, Failure> {
        let params = Params {
            sealed: credentials.peer() != Peer::Unknown,
            ..terms.params
        };
        params.check()?;
        let terms = Terms { params, ..terms };
        let fits = |length: &u16| *length >= SHORTEST && fit(&terms, *length).is_some();
        let lengths: Vec<_> = lengths.iter().copied().filter(fits).collect();
        if lengths.is_empty() {
            return Err(Failure::Lengths);
        }
        let hello = Hello {
            cookie: [0; SHORT],
            oldest: OLDEST,
            newest: NEWEST,
            proof_kind: credentials.kind(),
            nonce: [0; SHORT],
            offer: terms,
            proof: Vec::new(),
        };
        let mut client = Client {
            credentials,
            offer: terms,
            lengths,
            patience,
            deadline: now + patience,
            attempt: 0,
            hello,
            rtt: Duration::MAX,
            state: State::Over,
            out: VecDeque::new(),
            event: None,
        };
        client.begin(now)?;
        Ok(client)
    }

    /// Goes on from what a search on the same lane has found: the server takes its cookie. Where
    /// it is too old that costs a round trip, and where another client has begun with it some
    /// seconds.
    ///
    /// # Errors
    /// No length that can be used; no random numbers.
    pub fn after(mut self, now: Duration, found: &Found) -> Result<Self, Failure> {
        let passes = self.lengths.iter().filter(|&&it| it <= found.length);
        let length = *passes.max().ok_or(Failure::Lengths)?;
        self.attempt = found.attempt;
        self.hello.cookie = found.cookie;
        self.rtt = found.rtt;
        self.ask(now, length)?;
        Ok(self)
    }

    /// A new attempt with all lengths that are left.
    fn begin(&mut self, now: Duration) -> Result<(), NoRandom> {
        self.attempt = u64::from_be_bytes(random()?);
        self.hello.nonce = random()?;
        self.hello.cookie = [0; SHORT];
        self.hello.offer = self.offer;
        self.hello.proof.clear();
        self.state = State::Probing(Probe::new(now, self.lengths.clone()), [0; SHORT]);
        Ok(())
    }

    fn fail(&mut self, failure: Failure) {
        self.state = State::Over;
        self.event = Some(ClientEvent::Failed(failure));
    }

    /// Takes a datagram.
    pub fn receive(&mut self, now: Duration, datagram: &[u8]) {
        let Some((attempt, _, message)) = Message::parse(datagram) else {
            return;
        };
        if attempt != self.attempt {
            return;
        }
        match (&mut self.state, message) {
            (State::Over, _) => (),
            (_, Message::Refuse(refusal)) => self.fail(Failure::Refused(refusal)),
            (State::Probing(probe, known), Message::Retry(cookie, length)) => {
                *known = cookie;
                probe.answer(now, length);
            }
            // The one that it had is too old.
            (State::Asking { hello, retry, .. }, Message::Retry(cookie, _))
                if hello.cookie != cookie =>
            {
                hello.cookie = cookie;
                retry.hurry(now);
            }
            (State::Asking { .. }, Message::Reply(reply)) => {
                if let Err(failure) = self.reply(now, reply) {
                    self.fail(failure);
                }
            }
            (State::Confirming { done, .. }, Message::Done(proof)) if same(&done[..], &proof) => {
                let state = std::mem::replace(&mut self.state, State::Over);
                if let State::Confirming { agreed, length, .. } = state {
                    self.event = Some(match agreed {
                        Some(agreed) => ClientEvent::Agreed(agreed, length),
                        None => ClientEvent::Confirmed,
                    });
                }
            }
            _ => (),
        }
    }

    /// Asks for a session with datagrams of this length.
    fn ask(&mut self, now: Duration, length: u16) -> Result<(), Failure> {
        self.hello.offer = fit(&self.offer, length).ok_or(Failure::Lengths)?;
        let prologue = prologue(self.attempt, &self.hello);
        let (proof, message) =
            Proof::start(&self.credentials, &prologue).map_err(|_| Failure::Peer)?;
        self.hello.proof = message;
        self.state = State::Asking {
            hello: self.hello.clone(),
            length,
            proof,
            retry: Retry::known(now, self.rtt),
        };
        Ok(())
    }

    fn reply(&mut self, now: Duration, reply: Reply) -> Result<(), Failure> {
        let state = std::mem::replace(&mut self.state, State::Over);
        let State::Asking {
            hello,
            length,
            proof,
            ..
        } = state
        else {
            return Ok(());
        };
        let versions = hello.oldest..=hello.newest;
        if !versions.contains(&reply.version) || !reply.terms.are_within(&hello.offer) {
            return Err(Failure::Terms);
        }
        let secret = proof.finish(&reply.proof).map_err(|_| Failure::Peer)?;
        let key = session_key(&secret, self.attempt, &hello, &reply);
        self.state = State::Confirming {
            length,
            confirm: key.derive("confirm", &[]),
            done: key.derive("done", &[]),
            agreed: Some(Box::new(Agreed {
                session: reply.session,
                terms: reply.terms,
                key,
                peer: self.credentials.peer(),
            })),
            retry: Retry::known(now, self.rtt),
        };
        Ok(())
    }

    /// The next datagram to be sent, if any.
    pub fn poll_transmit(&mut self, now: Duration) -> Option<Vec<u8>> {
        if self.out.is_empty()
            && let Err(failure) = self.tick(now)
        {
            self.fail(failure);
        }
        self.out.pop_front()
    }

    fn tick(&mut self, now: Duration) -> Result<(), Failure> {
        if matches!(self.state, State::Over) {
            return Ok(());
        }
        if now >= self.deadline {
            return Err(Failure::NoAnswer(self.patience));
        }
        if let State::Probing(probe, cookie) = &self.state
            && let Some(length) = probe.settled(now)
        {
            self.hello.cookie = *cookie;
            self.rtt = probe.took();
            self.ask(now, length)?;
        }
        if let State::Asking { length, retry, .. } = &self.state
            && retry.waited(now) >= TRIES
            && self.lengths.iter().any(|shorter| shorter < length)
        {
            // Hello passes at this length, the answer does not.
            let length = *length;
            self.lengths.retain(|&shorter| shorter < length);
            self.begin(now)?;
        }
        let attempt = self.attempt;
        match &mut self.state {
            State::Probing(probe, _) => {
                if probe.retry.due(now) {
                    let hello = Message::Hello(self.hello.clone());
                    let all = probe.lengths.iter();
                    self.out
                        .extend(all.map(|&length| hello.datagram(attempt, 0, length)));
                }
            }
            State::Asking {
                hello,
                length,
                retry,
                ..
            } => {
                if retry.due(now) {
                    let hello = Message::Hello(hello.clone());
                    self.out.push_back(hello.datagram(attempt, 0, *length));
                }
            }
            State::Confirming { confirm, retry, .. } => {
                if retry.due(now) {
                    let confirm = Message::Confirm(**confirm);
                    self.out.push_back(confirm.datagram(attempt, 0, 0));
                }
            }
            State::Over => (),
        }
        Ok(())
    }

    /// When [`Client::poll_transmit`] has to be called, if nothing happens before; none when the
    /// attempt is over.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Duration> {
        let at = match &self.state {
            State::Probing(probe, _) => probe.next_timeout(),
            State::Asking { retry, .. } | State::Confirming { retry, .. } => retry.at(),
            State::Over => return None,
        };
        Some(at.min(self.deadline))
    }

    /// How long an answer has taken, about, when there was one.
    #[must_use]
    pub fn rtt(&self) -> Duration {
        self.rtt
    }

    /// The session that the server proposes, before it has proved that it has the key, and the
    /// length of datagrams that pass; once. Then the attempt ends with [`ClientEvent::Confirmed`].
    /// What is made of the key tells a server that guesses no more than the Confirm does.
    pub fn take_proposed(&mut self) -> Option<(Box<Agreed>, u16)> {
        match &mut self.state {
            State::Confirming { agreed, length, .. } => Some((agreed.take()?, *length)),
            _ => None,
        }
    }

    /// What has become of the attempt; once.
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.event.take()
    }
}

/// Terms with frames of at most `length` bytes.
fn fit(terms: &Terms, length: u16) -> Option<Terms> {
    let params = if terms.params.frame_bytes() <= usize::from(length) {
        terms.params
    } else {
        terms.params.for_frames(length.into())?
    };
    Some(Terms { params, ..*terms })
}

/// What both ends make of a secret and of what was said in public.
pub(super) fn session_key(secret: &[u8], attempt: u64, hello: &Hello, reply: &Reply) -> SessionKey {
    let said = digest(&SHA256, &transcript(attempt, hello, reply));
    SessionKey::new(secret, said.as_ref())
}
