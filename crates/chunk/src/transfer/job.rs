// SPDX-License-Identifier: Apache-2.0
//! A transfer on a thread of its own, which others look at, wait for within a limit, and cancel:
//! what programs in other languages build on.

use super::listener::{Admission, Listener};
use super::recv::{Fault, Received, receive};
use super::send::{Progress, SendError, Settings, send};
use super::source::Selection;
use super::start::{PORT, StartError};
use super::task::Task;
use super::tree::Tree;
use super::{Arrangement, Via};
use ropewalk_io::lane::network::Network;
use ropewalk_wire::chunk::Fec;
use ropewalk_wire::chunk::handshake::{Code, Credentials, KeyPair, PublicKey, auth};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// Whom a receiver admits.
#[derive(Debug, Clone)]
pub enum Admit {
    /// Who knows the code of the day, which [`Status::code`] has.
    Code,
    /// Own key; the owners of these.
    Keys(KeyPair, Vec<PublicKey>),
    /// Anybody.
    Trusted,
}

impl Admit {
    /// The same for a listener; `show` gets the codes.
    pub(super) fn admission(self, show: impl Fn(Code) + Send + 'static) -> Admission {
        match self {
            Admit::Keys(own, others) => Admission::Keys(own, others),
            Admit::Trusted => Admission::Trusted,
            Admit::Code => Admission::Code(Box::new(move |code, _| show(code.clone()))),
        }
    }
}

/// How far a transfer is. What the other side of it counts is 0.
#[derive(Debug, Clone, Default)]
pub struct Status {
    /// Where a receiver waits, with the port that it has got.
    pub local: Option<SocketAddr>,
    /// What a receiver shows, and its sender has to know.
    pub code: Option<Code>,
    /// Bytes of all files; known to the sender.
    pub total: u64,
    /// Bytes that were sent or need not be; of a receiver: that were written.
    pub done: u64,
    /// Of these, bytes that the receiver had already, or zeros; known to the sender.
    pub spared: u64,
    /// Files that are in place; known to the receiver.
    pub files: u64,
    /// Sub-packets that were lost on their way; known to the sender.
    pub lost: u64,
    /// Sub-packets that were sent again; known to the sender.
    pub resent: u64,
    /// Attempts that ended early.
    pub broken: u64,
    /// What is not as it could be.
    pub notes: Vec<String>,
}

/// Why a transfer did not end well.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JobError {
    /// As asked for.
    #[error("cancelled; what has arrived is kept for the next time")]
    Cancelled,
    /// Something that does not fit, or the network, or the other end.
    #[error("{0}")]
    Failed(String),
}

impl JobError {
    /// With a text.
    pub fn failed(what: impl ToString) -> Self {
        Self::Failed(what.to_string())
    }
}

/// How to send: [`Settings`] with names, which the thread of the transfer resolves.
#[derive(Debug, Clone)]
pub struct Order {
    /// Own address, if it matters, and `HOST` or `HOST:PORT` of the receiver, of each lane.
    pub lanes: Vec<(Option<SocketAddr>, String)>,
    /// See [`Settings::arrangement`].
    pub arrangement: Arrangement,
    /// See [`Settings::fec`].
    pub fec: Fec,
    /// See [`Settings::rate`].
    pub rate: Option<u64>,
    /// See [`Settings::timeout`].
    pub timeout: Duration,
    /// See [`Settings::credentials`].
    pub credentials: Credentials,
    /// See [`Settings::delta`].
    pub delta: bool,
}

impl Order {
    pub(super) fn resolve(self) -> Result<Settings, JobError> {
        let lanes = self.lanes.into_iter();
        let lanes = lanes.map(|(local, peer)| address(&peer).map(|peer| (local, peer)));
        Ok(Settings {
            lanes: lanes.collect::<Result<_, _>>()?,
            via: Via::default(),
            arrangement: self.arrangement,
            fec: self.fec,
            rate: self.rate,
            timeout: self.timeout,
            credentials: self.credentials,
            delta: self.delta,
        })
    }
}

/// A transfer. Dropping it cancels it, and does not wait for its end.
pub struct Job(Arc<Task<Status>>);

impl Job {
    /// Starts to send a file or a directory.
    ///
    /// # Errors
    /// There is no thread.
    pub fn send(
        network: impl Network + 'static,
        order: Order,
        selection: impl Into<Selection>,
    ) -> Result<Self, JobError> {
        let selection = selection.into();
        Self::start(Task::new(Status::default()), move |shared| {
            let settings = order.resolve()?;
            let mut watch = |progress: &Progress| shared.update(|status| status.sent(progress));
            let stop = || shared.stopped();
            match send(&network, &settings, &selection, &mut watch, &stop) {
                Ok(progress) => {
                    watch(&progress);
                    Ok(())
                }
                Err(SendError::Stopped | SendError::Start(StartError::Stopped)) => {
                    Err(JobError::Cancelled)
                }
                Err(error) => Err(JobError::failed(error)),
            }
        })
    }

    /// Starts to wait for a sender at an address, and puts what it sends into a directory. It ends
    /// with one transfer; a sender that goes may come again.
    ///
    /// # Errors
    /// The address or the directory cannot be had.
    pub fn receive(
        network: impl Network + 'static,
        local: SocketAddr,
        admit: Admit,
        directory: PathBuf,
    ) -> Result<Self, JobError> {
        let shared = Task::new(Status::default());
        let show = Arc::clone(&shared);
        let admission = admit.admission(move |code| show.update(|status| status.code = Some(code)));
        let tree = Tree::open(&directory)
            .map_err(|error| JobError::Failed(format!("{}: {error}", directory.display())))?;
        let mut listener = Listener::open(&network, local, admission).map_err(JobError::failed)?;
        shared.update(|status| status.local = Some(listener.local()));
        Self::start(shared, move |shared| {
            loop {
                let mut watch = |now: &Received| shared.update(|status| status.received(now));
                let received = receive(&mut listener, &tree, &mut watch, &|| shared.stopped());
                let Some(received) = received.map_err(JobError::failed)? else {
                    return Err(JobError::Cancelled);
                };
                watch(&received);
                match received.failure {
                    None => return Ok(()),
                    Some(Fault::Stopped) => return Err(JobError::Cancelled),
                    Some(fault @ (Fault::Lost(_) | Fault::Left(_))) => shared.update(|status| {
                        status.broken += 1;
                        status.notes.push(fault.to_string());
                    }),
                    Some(fault) => return Err(JobError::failed(fault)),
                }
            }
        })
    }

    fn start(
        shared: Arc<Task<Status>>,
        work: impl FnOnce(&Task<Status>) -> Result<(), JobError> + Send + 'static,
    ) -> Result<Self, JobError> {
        shared.start("transfer", work)?;
        Ok(Job(shared))
    }

    /// How far it is.
    #[must_use]
    pub fn status(&self) -> Status {
        self.0.look(Status::clone)
    }

    /// How it has ended; none if it does not within `timeout`.
    #[must_use]
    pub fn wait(&self, timeout: Duration) -> Option<Result<(), JobError>> {
        self.0.wait(timeout, |_| None::<()>).err().flatten()
    }

    /// The code that a receiver shows; none if there is none within `timeout`, or the transfer has
    /// ended.
    #[must_use]
    pub fn wait_code(&self, timeout: Duration) -> Option<Code> {
        let found = self.0.wait(timeout, |status| status.code.clone());
        found.unwrap_or_default()
    }

    /// Ends it soon, from any thread. The other end is told.
    pub fn cancel(&self) {
        self.0.cancel();
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl Status {
    fn sent(&mut self, progress: &Progress) {
        self.total = progress.total;
        self.done = progress.done;
        self.spared = progress.spared;
        self.lost = progress.counters.lost;
        self.resent = progress.counters.resent;
        self.broken = progress.broken.into();
        self.notes.clone_from(&progress.notes);
    }

    fn received(&mut self, received: &Received) {
        self.done = received.bytes;
        self.files = received.files;
    }
}

fn numeric(text: &str, port: u16) -> Option<SocketAddr> {
    let alone = || text.trim_matches(['[', ']']).parse::<IpAddr>().ok();
    let found = text.parse().ok();
    found.or_else(|| alone().map(|host| (host, port).into()))
}

/// An address of this host: `ADDRESS` or `ADDRESS:PORT`, as numbers.
///
/// # Errors
/// It is something else.
pub fn own_address(text: &str, port: u16) -> Result<SocketAddr, JobError> {
    numeric(text, port).ok_or_else(|| {
        JobError::Failed(format!(
            "'{text}': accepted are ADDRESS and ADDRESS:PORT, as numbers"
        ))
    })
}

/// Parity by numbers, 0 for none: bytes that each codeword mends, or sub-packets of data
/// and of parity.
///
/// # Errors
/// Both, or only a part of one.
pub fn parity(mend: u8, (data, parity): (u16, u16)) -> Result<Fec, JobError> {
    match (mend, data, parity) {
        (0, 0, 0) => Ok(Fec::None),
        (mend, 0, 0) => Ok(Fec::Mend(mend)),
        (0, 1.., 1..) => Ok(Fec::Restore(data, parity)),
        _ => Err(JobError::Failed(format!(
            "mend {mend}, erasure {data} + {parity}: accepted is one of them, erasure with both numbers"
        ))),
    }
}

/// The address of `HOST` or `HOST:PORT`; the port is [`PORT`] unless it is named. It may ask a
/// server of names, and wait for it.
///
/// # Errors
/// There is no such host, or it is no address.
pub fn address(text: &str) -> Result<SocketAddr, JobError> {
    if let Some(address) = numeric(text, PORT) {
        return Ok(address);
    }
    let found = match text.contains(':') {
        true => text.to_socket_addrs(),
        false => (text, PORT).to_socket_addrs(),
    };
    let wrong = |why: &dyn std::fmt::Display| {
        JobError::Failed(format!("'{text}': accepted are HOST and HOST:PORT ({why})"))
    };
    let first = found.map_err(|error| wrong(&error))?.next();
    first.ok_or_else(|| wrong(&"the host has no address"))
}

fn one_of(count: usize) -> Result<(), JobError> {
    match count {
        1 => Ok(()),
        count => Err(JobError::Failed(format!(
            "{count} ways to know the other end: accepted is one, a code, keys, or trusted"
        ))),
    }
}

fn keys(key: &str, others: &str) -> Result<(KeyPair, Vec<PublicKey>), JobError> {
    let private = auth::from_hex(key.trim()).map_err(JobError::failed)?;
    let others = others.split_whitespace().map(str::parse);
    let others = others
        .collect::<Result<Vec<_>, _>>()
        .map_err(JobError::failed)?;
    Ok((KeyPair::from_private(private), others))
}

/// How a sender proves who it is: by the code that the receiver shows, by its own key and the
/// public one of the receiver as 64 hexadecimal digits each, or not at all.
///
/// # Errors
/// None or several of these, or none that is one.
pub fn credentials(
    code: Option<&str>,
    key: Option<(&str, &str)>,
    trusted: bool,
) -> Result<Credentials, JobError> {
    one_of(usize::from(code.is_some()) + usize::from(key.is_some()) + usize::from(trusted))?;
    if let Some(code) = code {
        return code
            .parse()
            .map(Credentials::Code)
            .map_err(JobError::failed);
    }
    let Some((key, peer)) = key else {
        return Ok(Credentials::Trusted);
    };
    match keys(key, peer)? {
        (own, peers) if peers.len() == 1 => Ok(Credentials::Keys(own, peers[0])),
        (_, peers) => Err(JobError::Failed(format!(
            "{} keys of the receiver: accepted is 1",
            peers.len()
        ))),
    }
}

/// Whom a receiver admits: the owners of some public keys, with its own key; anybody; or, without
/// these, who knows its code.
///
/// # Errors
/// Both of these, or what is no key.
pub fn admit(key: Option<(&str, &str)>, trusted: bool) -> Result<Admit, JobError> {
    match (key, trusted) {
        (None, false) => Ok(Admit::Code),
        (None, true) => Ok(Admit::Trusted),
        (Some(_), true) => one_of(2).map(|()| Admit::Trusted),
        (Some((key, allow)), false) => match keys(key, allow)? {
            (_, others) if others.is_empty() => Err(JobError::failed(
                "0 keys of senders: accepted are 1 or more",
            )),
            (own, others) => Ok(Admit::Keys(own, others)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let is = |text: &str, known: &str| assert_eq!(address(text), Ok(known.parse().unwrap()));
        is("10.0.0.1", "10.0.0.1:7425");
        is("10.0.0.1:80", "10.0.0.1:80");
        is("::1", "[::1]:7425");
        is("[::1]", "[::1]:7425");
        is("[::1]:80", "[::1]:80");
        for wrong in ["", ":", "10.0.0.1:99999", "a b", "10.0.0.1:x"] {
            let said = address(wrong).unwrap_err().to_string();
            let start = format!("'{wrong}': accepted are HOST and HOST:PORT");
            assert!(said.starts_with(&start), "{said}");
        }
    }

    #[test]
    fn own_addresses_are_numbers() {
        assert_eq!(own_address("::1", 5), Ok("[::1]:5".parse().unwrap()));
        let said = own_address("localhost", 5).unwrap_err().to_string();
        assert!(said.starts_with("'localhost': accepted are ADDRESS"));
    }

    #[test]
    fn one_kind_of_parity() {
        assert_eq!(parity(0, (0, 0)), Ok(Fec::None));
        assert_eq!(parity(3, (0, 0)), Ok(Fec::Mend(3)));
        assert_eq!(parity(0, (16, 4)), Ok(Fec::Restore(16, 4)));
        for (mend, erasure) in [(1, (1, 1)), (0, (1, 0)), (0, (0, 1)), (1, (0, 1))] {
            assert!(parity(mend, erasure).is_err());
        }
    }

    #[test]
    fn one_way_to_know_the_other_end() {
        let (key, peer) = ("11".repeat(32), "22".repeat(32));
        let both = format!("{peer}\n {key}");
        let pair = Some((key.as_str(), peer.as_str()));
        let two = Some((key.as_str(), both.as_str()));
        assert!(matches!(
            credentials(Some("1234-5678"), None, false),
            Ok(Credentials::Code(_))
        ));
        assert!(matches!(
            credentials(None, pair, false),
            Ok(Credentials::Keys(..))
        ));
        assert!(matches!(
            credentials(None, None, true),
            Ok(Credentials::Trusted)
        ));
        assert!(credentials(None, None, false).is_err());
        assert!(credentials(Some("1234-5678"), None, true).is_err());
        assert!(credentials(Some("123"), None, false).is_err());
        assert!(credentials(None, two, false).is_err());
        assert!(matches!(admit(None, false), Ok(Admit::Code)));
        assert!(matches!(admit(None, true), Ok(Admit::Trusted)));
        assert!(matches!(admit(two, false), Ok(Admit::Keys(_, keys)) if keys.len() == 2));
        assert!(admit(pair, true).is_err());
        assert!(admit(Some((&key, "")), false).is_err());
        assert!(admit(Some(("1", &peer)), false).is_err());
    }
}
