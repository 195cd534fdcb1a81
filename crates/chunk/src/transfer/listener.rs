// SPDX-License-Identifier: Apache-2.0
//! The receiver's start: answers whoever knocks, admits whom it should, and hands over a session
//! when all its lanes are there.
//!
//! A stranger costs it an answer that is shorter than his question. What it keeps of those who have
//! shown that they receive at their address is bounded
//! ([`ropewalk_wire::chunk::handshake::server`]), and so are sessions whose lanes do not come.

use super::PATIENCE;
use super::connect::{RECEIVER, SENDER};
use super::start::{Agreed, Answers, CHUNKS, Early, Link, MOST_LANES, PARITY, StartError, whole};
use parking_lot::Mutex;
use ropewalk_io::lane::network::{self, Network};
use ropewalk_io::lane::udp::Path;
use ropewalk_wire::chunk::handshake::message::Message;
use ropewalk_wire::chunk::handshake::{
    self, Code, Joins, KeyPair, Limits, Policy, PublicKey, Refusal, Server,
};
use ropewalk_wire::chunk::params::MAX_FRAME;
use ropewalk_wire::event;
use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Most sessions whose lanes are waited for.
const MOST_COMING: usize = 8;
/// Longest wait for a new code after wrong ones: so long after many, less after few.
const LONGEST_PAUSE: Duration = Duration::from_secs(64);

/// Who is told a code, and where it is good.
pub type Show = Box<dyn FnMut(&Code, SocketAddr) + Send>;

/// Whom a receiver admits.
pub enum Admission {
    /// Who knows the code of the day: it is told to this. There is a new one for each transfer, and
    /// after wrong ones.
    Code(Show),
    /// Own key; the owners of these.
    Keys(KeyPair, Vec<PublicKey>),
    /// Anybody.
    Trusted,
}

/// What a receiver has to do already.
#[derive(Debug, Clone, Copy)]
pub struct Busy {
    /// Its sender has not been heard for a while.
    pub quiet: bool,
}

/// Where a receiver waits for senders.
pub struct Listener {
    socket: Box<dyn network::Listener>,
    server: Server,
    show: Option<Show>,
    begun: Instant,
    coming: VecDeque<Coming>,
    /// Codes that were guessed wrong too often, one after the other.
    burnt: u32,
    /// When there is the next code, if it is known already.
    next_code: Option<Duration>,
    /// The last code was used, or there was none.
    used: bool,
}

/// A session of which not all lanes are there.
struct Coming {
    agreed: Agreed,
    joins: Joins,
    paths: Vec<Option<Path>>,
    until: Duration,
}

impl Coming {
    fn is_complete(&self) -> bool {
        self.paths.iter().all(Option::is_some)
    }
}

/// The part of an address that nobody chooses at will.
fn host(path: Path) -> Vec<u8> {
    match path.peer.ip() {
        IpAddr::V4(address) => address.octets().to_vec(),
        // A host has a whole subnet.
        IpAddr::V6(address) => address.octets()[..8].to_vec(),
    }
}

impl Listener {
    /// Listens at an address.
    ///
    /// # Errors
    /// The address cannot be had, or there are no random numbers.
    pub fn open(
        network: &dyn Network,
        local: SocketAddr,
        admission: Admission,
    ) -> Result<Self, StartError> {
        let (mut policy, mut show) = (Policy::default(), None);
        match admission {
            Admission::Code(tell) => show = Some(tell),
            Admission::Keys(own, others) => policy.keys = Some((own, others)),
            Admission::Trusted => policy.trusted = true,
        }
        let limits = Limits {
            frame: MAX_FRAME as u16,
            chunks: CHUNKS,
            lanes: 2 * MOST_LANES as u8,
            parity: PARITY,
        };
        Ok(Listener {
            socket: network.listen(local)?,
            server: Server::new(policy, limits)?,
            show,
            begun: Instant::now(),
            coming: VecDeque::new(),
            burnt: 0,
            next_code: None,
            used: true,
        })
    }

    /// Its address, with the port that it has got.
    #[must_use]
    pub fn local(&self) -> SocketAddr {
        self.socket.local()
    }

    /// What it could not have, and what follows from that; a line each.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.socket.notes()
    }

    /// Whether another sender is ready to begin.
    #[must_use]
    pub fn has_visitor(&self) -> bool {
        self.coming.iter().any(Coming::is_complete)
    }

    /// The sender that was admitted by a code is not to come again.
    pub fn forget(&mut self) {
        if self.show.is_some() {
            self.server.set_keys(None);
        }
    }

    /// Answers whoever knocks, for so long at most; a session whose lanes are all there comes in.
    /// While `busy`, others are told so, but for one that is `quiet`: who proves to be admitted may
    /// take its place.
    ///
    /// # Errors
    /// The port is gone for good, or there are no random numbers.
    pub fn poll(&mut self, busy: Option<Busy>, wait: Duration) -> Result<Option<Link>, StartError> {
        if busy.is_none() {
            self.renew_code()?;
        }
        let mut came = Vec::new();
        let moved = self.socket.receive(&mut |path, datagram| {
            came.push((path, datagram.to_vec()));
        })?;
        for (path, datagram) in came {
            if let Some(answer) = self.answer(path, &datagram, busy)? {
                self.socket.send(path, &answer)?;
            }
            while let Some(agreed) = self.server.poll_agreed() {
                self.expect(agreed);
            }
        }
        let now = self.begun.elapsed();
        self.coming.retain(|it| now < it.until);
        if busy.is_none()
            && let Some(at) = self.coming.iter().position(Coming::is_complete)
            && let Some(coming) = self.coming.remove(at)
        {
            return self.admit(coming).map(Some);
        }
        if !moved {
            self.socket.wait(wait)?;
        }
        Ok(None)
    }

    fn answer(
        &mut self,
        path: Path,
        datagram: &[u8],
        busy: Option<Busy>,
    ) -> Result<Option<Vec<u8>>, StartError> {
        let Some((number, _, message)) = Message::parse(datagram) else {
            return Ok(None);
        };
        match message {
            Message::Join(..) => {
                let from = whole(path);
                for coming in &mut self.coming {
                    if let Some((answer, joined)) = coming.joins.receive(&from, datagram) {
                        if let Some(lane) = joined {
                            coming.paths[usize::from(lane)] = Some(path);
                        }
                        return Ok(Some(answer));
                    }
                }
                Ok(None)
            }
            Message::Hello(_) | Message::Confirm(_) if busy.is_some_and(|by| !by.quiet) => {
                event!(DEBUG, session = number, "sender refused: busy");
                let refuse = Message::Refuse(Refusal::Busy).datagram(number, 0, 0);
                Ok((datagram.len() >= refuse.len()).then_some(refuse))
            }
            _ => {
                let now = self.begun.elapsed();
                Ok(self.server.receive(now, &host(path), datagram)?)
            }
        }
    }

    /// Somebody has proved to be admitted: now the lanes.
    fn expect(&mut self, agreed: handshake::Agreed) {
        if self.show.is_some() {
            // A code is used once; the same sender may come again after an interruption.
            let own = KeyPair::of_session(&agreed.key, RECEIVER);
            let other = KeyPair::of_session(&agreed.key, SENDER).public;
            self.server.set_keys(Some((own, vec![other])));
            (self.burnt, self.used) = (0, true);
        }
        event!(INFO, session = agreed.session, "sender admitted");
        let joins = Joins::new(&agreed);
        let Some(agreed) = Agreed::new(agreed) else {
            return;
        };
        if self.coming.len() == MOST_COMING {
            self.coming.pop_front();
        }
        self.coming.push_back(Coming {
            paths: vec![None; 2 * usize::from(agreed.lanes())],
            agreed,
            joins,
            until: self.begun.elapsed() + PATIENCE,
        });
    }

    /// Sees to it that there is a code, if that is how senders are admitted.
    fn renew_code(&mut self) -> Result<(), StartError> {
        let Some(show) = &mut self.show else {
            return Ok(());
        };
        if self.server.takes_code() || !self.coming.is_empty() {
            return Ok(());
        }
        let now = self.begun.elapsed();
        let at = *self.next_code.get_or_insert_with(|| {
            if self.used {
                return now;
            }
            self.burnt += 1;
            now + LONGEST_PAUSE.min(Duration::from_secs(1 << self.burnt.min(16)) / 2)
        });
        if now >= at {
            let code = Code::random()?;
            show(&code, self.socket.local());
            self.server.set_code(code);
            (self.next_code, self.used) = (None, false);
        }
        Ok(())
    }

    fn admit(&mut self, coming: Coming) -> Result<Link, StartError> {
        let joins = Arc::new(Mutex::new(coming.joins));
        let mut lanes = Vec::new();
        for path in coming.paths.into_iter().flatten() {
            let answers = Answers {
                joins: Arc::clone(&joins),
                from: whole(path),
            };
            lanes.push((self.socket.lane(path)?, Some(answers)));
        }
        let back = lanes.split_off(lanes.len() / 2);
        let mut notes: Vec<String> = lanes.iter().flat_map(|(lane, _)| lane.notes()).collect();
        notes.extend(self.socket.notes());
        notes.sort();
        notes.dedup();
        Ok(Link {
            agreed: coming.agreed,
            lanes,
            back,
            early: Early::new(),
            notes,
        })
    }
}
