// SPDX-License-Identifier: Apache-2.0
//! How lanes come about: one end connects, the other one listens. Addresses are those of IP, also
//! where they are made up.

use super::tcp::{TcpLane, TcpListener};
use super::udp::{Options, Path, UdpLane, UdpListener};
use super::{Kind, Lane, LaneError};
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

    /// The same over a stream ([`Kind::Stream`]).
    ///
    /// # Errors
    /// What is wrong; most networks have no streams.
    fn connect_stream(
        &self,
        _local: Option<SocketAddr>,
        peer: SocketAddr,
    ) -> Result<Box<dyn Lane>, LaneError> {
        Err(LaneError::Unreachable {
            peer: peer.to_string(),
            source: io::ErrorKind::Unsupported.into(),
        })
    }

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

    /// What it could not have, and what follows from that; a line each.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
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

/// UDP and TCP, at the same port.
#[derive(Debug, Clone, Copy, Default)]
pub struct UdpAndTcp;

impl Network for UdpAndTcp {
    fn connect(
        &self,
        local: Option<SocketAddr>,
        peer: SocketAddr,
    ) -> Result<Box<dyn Lane>, LaneError> {
        Udp.connect(local, peer)
    }

    fn connect_stream(
        &self,
        local: Option<SocketAddr>,
        peer: SocketAddr,
    ) -> Result<Box<dyn Lane>, LaneError> {
        Ok(Box::new(TcpLane::connect(local, peer)?))
    }

    fn listen(&self, local: SocketAddr) -> Result<Box<dyn Listener>, LaneError> {
        let options = Options {
            local: Some(local),
            ..Options::default()
        };
        let mut tries = if local.port() == 0 { PORTS } else { 1 };
        loop {
            tries -= 1;
            let datagrams = UdpListener::bind(&options)?;
            let streams = TcpListener::bind(datagrams.local());
            if streams.is_ok() || tries == 0 {
                return Ok(Box::new(Both { datagrams, streams }));
            }
        }
    }
}

/// The same, with CUBIC as the congestion control of TCP, which takes loss for a full path: the
/// system's own choice may be another one. For tests and measurements.
#[derive(Debug, Clone, Copy, Default)]
pub struct UdpAndCubic;

impl Network for UdpAndCubic {
    fn connect(
        &self,
        local: Option<SocketAddr>,
        peer: SocketAddr,
    ) -> Result<Box<dyn Lane>, LaneError> {
        Udp.connect(local, peer)
    }

    fn connect_stream(
        &self,
        local: Option<SocketAddr>,
        peer: SocketAddr,
    ) -> Result<Box<dyn Lane>, LaneError> {
        let lane = TcpLane::connect(local, peer)?;
        lane.set_congestion("cubic")
            .map_err(|source| LaneError::System {
                what: "have CUBIC set the rate of TCP",
                source,
            })?;
        Ok(Box::new(lane))
    }

    fn listen(&self, local: SocketAddr) -> Result<Box<dyn Listener>, LaneError> {
        UdpAndTcp.listen(local)
    }
}

/// Ports that are tried, where any will do, until one is free for both.
const PORTS: u32 = 16;
/// Longest wait while there are connections that are no lanes yet: what they bring ends none.
const TURN: Duration = Duration::from_millis(2);

/// Datagrams and, where the port is free for them, streams.
struct Both {
    datagrams: UdpListener,
    streams: Result<TcpListener, LaneError>,
}

impl Listener for Both {
    fn local(&self) -> SocketAddr {
        self.datagrams.local()
    }

    fn receive(&mut self, take: &mut dyn FnMut(Path, &[u8])) -> io::Result<bool> {
        let came = (self.streams.as_mut()).is_ok_and(|streams| streams.receive_from(take));
        Ok(self.datagrams.receive_from(take)? || came)
    }

    fn send(&mut self, path: Path, bytes: &[u8]) -> io::Result<()> {
        match (path.kind, &mut self.streams) {
            (Kind::Stream, Ok(streams)) => streams.send_to(path, bytes),
            (Kind::Stream, Err(_)) => (),
            (Kind::Datagrams, _) => self.datagrams.send_to(path, bytes)?,
        }
        Ok(())
    }

    fn wait(&mut self, timeout: Duration) -> io::Result<()> {
        match &self.streams {
            Ok(streams) if streams.guests() > 0 => self.datagrams.wait(timeout.min(TURN)),
            Ok(streams) => self.datagrams.wait_also(timeout, Some(streams.fd())),
            Err(_) => self.datagrams.wait(timeout),
        }
    }

    fn lane(&mut self, path: Path) -> Result<Box<dyn Lane>, LaneError> {
        match (path.kind, &mut self.streams) {
            (Kind::Stream, Ok(streams)) => Ok(Box::new(streams.lane(path)?)),
            _ => Ok(Box::new(self.datagrams.lane(path)?)),
        }
    }

    fn notes(&self) -> Vec<String> {
        let error = self.streams.as_ref().err();
        let note = error.map(|error| format!("no lanes over TCP: {error}"));
        note.into_iter().collect()
    }
}
