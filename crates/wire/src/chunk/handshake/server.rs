// SPDX-License-Identifier: Apache-2.0
//! The end that admits clients.
//!
//! It answers each datagram with one that is not longer, or not at all, and keeps nothing of a
//! client that has not shown, by a cookie, that it receives at its address. After that it keeps a
//! bounded number of attempts for a bounded time.

use super::auth::{Code, KeyPair, Policy, PublicKey};
use super::client::session_key;
use super::message::{Hello, LONG, Message, NEWEST, OLDEST, Refusal, Reply, SHORT, Terms};
use super::{Agreed, NoRandom, Peer, SHORTEST, random, same};
use crate::chunk::params::{Fec, Params};
use ring::hmac;
use std::collections::VecDeque;
use std::time::Duration;
use zeroize::Zeroizing;

/// Wrong codes after which none is taken any more.
pub const MAX_WRONG: u32 = 5;
/// Most attempts at a time.
const MAX_ATTEMPTS: usize = 64;
/// Most attempts at a time from one address.
const MAX_PER_ADDRESS: usize = 8;
/// How long an attempt is kept.
const ATTEMPT_TIME: Duration = Duration::from_secs(30);
/// How long the end of a good one is kept, in case the client has not heard of it.
const LINGER: Duration = Duration::from_secs(30);
/// How long a cookie is good at least; at most twice as long.
const COOKIE_TIME: u64 = 30;

/// What a server can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest frame, bytes.
    pub frame: u16,
    /// Chunks at a time.
    pub chunks: u16,
    /// Lanes.
    pub lanes: u8,
    /// Sub-packets of parity for 100 sub-packets.
    pub parity: u16,
}

struct Attempt {
    from: Vec<u8>,
    number: u64,
    hello: Hello,
    reply: Message,
    confirm: Zeroizing<[u8; LONG]>,
    done: Zeroizing<[u8; LONG]>,
    /// Taken when the client has confirmed.
    agreed: Option<Agreed>,
    peer: Peer,
    until: Duration,
}

/// The end that admits clients.
pub struct Server {
    policy: Policy,
    limits: Limits,
    cookie_key: hmac::Key,
    attempts: Vec<Attempt>,
    wrong: u32,
    spent: bool,
    agreed: VecDeque<Agreed>,
}

impl Server {
    /// Admits whom the policy admits.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new(policy: Policy, limits: Limits) -> Result<Self, NoRandom> {
        let secret = Zeroizing::new(random::<32>()?);
        Ok(Server {
            policy,
            limits,
            cookie_key: hmac::Key::new(hmac::HMAC_SHA256, &secret[..]),
            attempts: Vec::new(),
            wrong: 0,
            spent: false,
            agreed: VecDeque::new(),
        })
    }

    /// Takes a datagram, and gives the answer to be sent to where it came from. `from` is the part
    /// of that address that a client cannot choose at will: of UDP the IP address without the port.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn receive(
        &mut self,
        now: Duration,
        from: &[u8],
        datagram: &[u8],
    ) -> Result<Option<Vec<u8>>, NoRandom> {
        let Some((number, _, message)) = Message::parse(datagram) else {
            return Ok(None);
        };
        let length = datagram.len() as u16;
        let answer = match message {
            Message::Hello(hello) if length >= SHORTEST => {
                self.hello(now, from, number, length, hello)?
            }
            Message::Confirm(proof) => self.confirm(now, from, number, &proof),
            _ => None,
        };
        Ok(answer.map(|answer| {
            // What proves that the path carries this length goes back at this length; nothing else
            // is padded.
            let padded = matches!(answer, Message::Reply(_));
            answer.datagram(number, 0, if padded { length } else { 0 })
        }))
    }

    /// Whether a code is taken: there is one that was neither used nor guessed wrong too often.
    #[must_use]
    pub fn takes_code(&self) -> bool {
        self.policy.code.is_some()
    }

    /// From now on this code is taken, as often wrong as any other, and no other one.
    pub fn set_code(&mut self, code: Code) {
        self.spend();
        (self.wrong, self.spent) = (0, false);
        self.policy.code = Some(code);
    }

    /// From now on this key is shown, and those are admitted.
    pub fn set_keys(&mut self, keys: Option<(KeyPair, Vec<PublicKey>)>) {
        self.policy.keys = keys;
    }

    /// A session that has come about.
    pub fn poll_agreed(&mut self) -> Option<Agreed> {
        self.agreed.pop_front()
    }

    /// Attempts that are kept.
    #[must_use]
    pub fn attempts(&self) -> usize {
        self.attempts.len()
    }

    fn cookie(&self, period: u64, from: &[u8], number: u64) -> [u8; SHORT] {
        let mut context = hmac::Context::with_key(&self.cookie_key);
        context.update(&period.to_be_bytes());
        context.update(&number.to_be_bytes());
        context.update(from);
        let mut cookie = [0; SHORT];
        cookie.copy_from_slice(&context.sign().as_ref()[..SHORT]);
        cookie
    }

    fn hello(
        &mut self,
        now: Duration,
        from: &[u8],
        number: u64,
        length: u16,
        hello: Hello,
    ) -> Result<Option<Message>, NoRandom> {
        let period = now.as_secs() / COOKIE_TIME;
        let cookie = self.cookie(period, from, number);
        let before = self.cookie(period.wrapping_sub(1), from, number);
        if !same(&cookie, &hello.cookie) && !same(&before, &hello.cookie) {
            return Ok(Some(Message::Retry(cookie, length)));
        }
        self.attempts.retain(|attempt| now < attempt.until);
        if let Some(known) = self.find(from, number) {
            // Not the same: not from the same client.
            let again = Hello {
                cookie: known.hello.cookie,
                ..hello
            };
            return Ok((again == known.hello).then(|| known.reply.clone()));
        }
        let same_address = self.attempts.iter().filter(|known| known.from == from);
        if self.attempts.len() >= MAX_ATTEMPTS || same_address.count() >= MAX_PER_ADDRESS {
            return Ok(Some(Message::Refuse(Refusal::Busy)));
        }
        let (nonce, session) = (random()?, u64::from_be_bytes(random()?));
        Ok(Some(
            match self.begin(now, from, number, hello, nonce, session) {
                Ok(attempt) => {
                    let reply = attempt.reply.clone();
                    self.attempts.push(attempt);
                    reply
                }
                Err(refusal) => Message::Refuse(refusal),
            },
        ))
    }

    fn find(&mut self, from: &[u8], number: u64) -> Option<&mut Attempt> {
        let mut attempts = self.attempts.iter_mut();
        attempts.find(|attempt| attempt.number == number && attempt.from == from)
    }

    fn begin(
        &self,
        now: Duration,
        from: &[u8],
        number: u64,
        hello: Hello,
        nonce: [u8; SHORT],
        session: u64,
    ) -> Result<Attempt, Refusal> {
        if hello.newest < OLDEST || hello.oldest > NEWEST {
            return Err(Refusal::Version(OLDEST, NEWEST));
        }
        let params = hello.offer.params;
        if params.frame_bytes() > usize::from(self.limits.frame) {
            return Err(Refusal::Frame(self.limits.frame));
        }
        if let Fec::Restore(data, parity) = params.fec
            && u32::from(parity) * 100 > u32::from(data) * u32::from(self.limits.parity)
        {
            return Err(Refusal::Parity(self.limits.parity));
        }
        let terms = Terms {
            params: Params {
                chunks: params.chunks.min(self.limits.chunks),
                lanes: params.lanes.min(self.limits.lanes),
                ..params
            },
            ..hello.offer
        };
        let prologue = super::message::prologue(number, &hello);
        let answer = self
            .policy
            .answer(hello.proof_kind, &prologue, &hello.proof)
            .map_err(|refusal| match refusal {
                Refusal::Proof if self.spent => Refusal::Spent,
                other => other,
            })?;
        // Whoever has proved who it is seals what it sends.
        if params.sealed == (answer.peer == Peer::Unknown) {
            return Err(Refusal::Proof);
        }
        let reply = Reply {
            version: hello.newest.min(NEWEST),
            nonce,
            session,
            terms,
            proof: answer.message,
        };
        let key = session_key(&answer.secret, number, &hello, &reply);
        Ok(Attempt {
            from: from.to_vec(),
            number,
            hello,
            reply: Message::Reply(reply),
            confirm: key.derive("confirm", &[]),
            done: key.derive("done", &[]),
            agreed: Some(Agreed {
                session,
                terms,
                key,
                peer: answer.peer,
            }),
            peer: answer.peer,
            until: now + ATTEMPT_TIME,
        })
    }

    fn confirm(
        &mut self,
        now: Duration,
        from: &[u8],
        number: u64,
        proof: &[u8; LONG],
    ) -> Option<Message> {
        self.attempts.retain(|attempt| now < attempt.until);
        let attempt = self.find(from, number)?;
        let (peer, right) = (attempt.peer, same(&attempt.confirm[..], proof));
        if right {
            let done = Message::Done(*attempt.done);
            if let Some(agreed) = attempt.agreed.take() {
                attempt.until = now + LINGER;
                self.agreed.push_back(agreed);
                if peer == Peer::Code {
                    self.spend();
                }
            }
            return Some(done);
        }
        // A good one stays.
        attempt.agreed.as_ref()?;
        self.attempts
            .retain(|attempt| attempt.number != number || attempt.from != from);
        match peer {
            Peer::Code => {
                self.wrong += 1;
                if self.wrong >= MAX_WRONG {
                    self.spend();
                }
                Some(Message::Refuse(Refusal::Code))
            }
            Peer::Key(_) => Some(Message::Refuse(Refusal::Key)),
            Peer::Unknown => None,
        }
    }

    /// No code is taken any more, not even where one was asked for already.
    fn spend(&mut self) {
        self.policy.code = None;
        self.spent = true;
        self.attempts
            .retain(|attempt| attempt.peer != Peer::Code || attempt.agreed.is_none());
    }
}
