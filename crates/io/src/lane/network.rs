// SPDX-License-Identifier: Apache-2.0
//! How lanes come about: one end connects, the other one listens. Addresses are those of IP, also
//! where they are made up.

use super::udp::{Options, Path, UdpLane, UdpListener};
use super::{Lane, LaneError};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

/// Something that lanes are opened on.
pub trait Network: Send + Sync {
    /// A lane to a peer, which need not be there yet; `local`: address of this end, if it matters.
    ///
    /// # Errors
    /// What is wrong, and what would be accepted.
    fn connect(
        &self,
        local: Option<SocketAddr>,
        peer: SocketAddr,
    ) -> Result<Box<dyn Lane>, LaneError>;

    /// Takes what anybody sends to an address.
    ///
    /// # Errors
    /// What is wrong, and what would be accepted.
    fn listen(&self, local: SocketAddr) -> Result<Box<dyn Listener>, LaneError>;
}

/// Takes datagrams of anybody, until each peer has a lane of its own.
pub trait Listener: Send {
    /// Its address, with the port that it has got.
    fn local(&self) -> SocketAddr;

    /// Hands over some of what has arrived from peers without a lane, datagram by datagram, and
    /// says whether there was any. Does not wait.
    ///
    /// # Errors
    /// It is gone for good.
    fn receive(&mut self, take: &mut dyn FnMut(Path, &[u8])) -> io::Result<bool>;

    /// Sends one datagram. It may be lost, also when there is no room for it now.
    ///
    /// # Errors
    /// It is gone for good.
    fn send(&mut self, path: Path, bytes: &[u8]) -> io::Result<()>;

    /// Waits for an arrival, or for so long. It may end earlier.
    ///
    /// # Errors
    /// It is gone for good.
    fn wait(&mut self, timeout: Duration) -> io::Result<()>;

    /// A lane to a peer: what that sends from now on arrives there, and no longer here.
    ///
    /// # Errors
    /// What is wrong, and what would be accepted.
    fn lane(&mut self, path: Path) -> Result<Box<dyn Lane>, LaneError>;
}

/// UDP.
#[derive(Debug, Clone, Copy, Default)]
pub struct Udp;

impl Network for Udp {
    fn connect(
        &self,
        local: Option<SocketAddr>,
        peer: SocketAddr,
    ) -> Result<Box<dyn Lane>, LaneError> {
        let options = Options {
            local,
            ..Options::default()
        };
        Ok(Box::new(UdpLane::connect(peer, &options)?))
    }

    fn listen(&self, local: SocketAddr) -> Result<Box<dyn Listener>, LaneError> {
        let options = Options {
            local: Some(local),
            ..Options::default()
        };
        Ok(Box::new(UdpListener::bind(&options)?))
    }
}

impl Listener for UdpListener {
    fn local(&self) -> SocketAddr {
        self.local()
    }

    fn receive(&mut self, take: &mut dyn FnMut(Path, &[u8])) -> io::Result<bool> {
        self.receive_from(take)
    }

    fn send(&mut self, path: Path, bytes: &[u8]) -> io::Result<()> {
        self.send_to(path, bytes)
    }

    fn wait(&mut self, timeout: Duration) -> io::Result<()> {
        self.wait(timeout)
    }

    fn lane(&mut self, path: Path) -> Result<Box<dyn Lane>, LaneError> {
        Ok(Box::new(self.lane(path)?))
    }
}
