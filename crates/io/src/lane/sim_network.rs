// SPDX-License-Identifier: Apache-2.0
//! A network in memory: every lane that is connected has a channel of its own in each direction
//! ([`super::sim`]).

use super::network::{Listener, Network};
use super::sim::{Handle, SimLane, pair};
use super::udp::Path;
use super::{Kind, Lane, LaneError};
use parking_lot::{Mutex, MutexGuard};
use ropewalk_channel::Settings;
use std::io::{self, IoSlice};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// A port that is free is one of these.
const PORTS: u16 = 50_000;
/// A listener has many lanes and looks at all of them so often.
const LOOK: Duration = Duration::from_millis(1);

type Make = dyn Fn(usize, Path) -> [Settings; 2] + Send + Sync;

/// The far end of a lane for which nobody has asked yet.
struct Far {
    path: Path,
    lane: SimLane,
}

#[derive(Default)]
struct State {
    connected: Vec<(Path, Handle)>,
    far: Vec<Far>,
    listening: Vec<SocketAddr>,
}

/// A network in memory. Clones are the same network.
#[derive(Clone)]
pub struct SimNetwork {
    state: Arc<Mutex<State>>,
    make: Arc<Make>,
    paced: bool,
}

impl SimNetwork {
    /// A network whose `n`th lane that is connected, from 0, has the channels that `make` gives:
    /// from who connects, and back. `local` of the path is the end that connects. With `paced` a
    /// sender waits for room in its channel.
    #[must_use]
    pub fn new(
        make: impl Fn(usize, Path) -> [Settings; 2] + Send + Sync + 'static,
        paced: bool,
    ) -> Self {
        SimNetwork {
            state: Arc::default(),
            make: Arc::new(make),
            paced,
        }
    }

    /// All lanes that were ever connected, in that order, `local` being the end that has connected.
    #[must_use]
    pub fn lanes(&self) -> Vec<(Path, Handle)> {
        self.lock().connected.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

fn refuse(address: SocketAddr, why: impl ToString, remedy: &'static str) -> LaneError {
    LaneError::Address {
        address: address.to_string(),
        source: io::Error::other(why.to_string()),
        remedy,
    }
}

impl Network for SimNetwork {
    fn connect(
        &self,
        local: Option<SocketAddr>,
        peer: SocketAddr,
    ) -> Result<Box<dyn Lane>, LaneError> {
        let mut state = self.lock();
        let number = state.connected.len();
        let mut local = local.unwrap_or_else(|| (Ipv4Addr::new(10, 0, 0, 1), 0).into());
        if local.port() == 0 {
            local.set_port(1 + number as u16 % PORTS);
        }
        let kind = Kind::Datagrams;
        let path = Path { kind, local, peer };
        let [out, back] = (self.make)(number, path);
        let made = pair([&out, &back], self.paced);
        let ([near, far], handle) =
            made.map_err(|error| refuse(peer, error, "correct the channel"))?;
        state.connected.push((path, handle));
        state.far.push(Far { path, lane: far });
        Ok(Box::new(near))
    }

    fn listen(&self, mut local: SocketAddr) -> Result<Box<dyn Listener>, LaneError> {
        let mut state = self.lock();
        if local.port() == 0 {
            local.set_port(PORTS + state.listening.len() as u16 % 1000);
        }
        if state.listening.contains(&local) {
            return Err(refuse(
                local,
                "somebody listens there",
                "choose another one",
            ));
        }
        state.listening.push(local);
        let network = self.clone();
        Ok(Box::new(SimListener { network, local }))
    }
}

/// Listens in memory, at one address and port.
struct SimListener {
    network: SimNetwork,
    local: SocketAddr,
}

impl Drop for SimListener {
    fn drop(&mut self) {
        let local = self.local;
        self.network.lock().listening.retain(|&it| it != local);
    }
}

/// The path as it is seen from the other end.
fn turned(path: Path) -> Path {
    Path {
        local: path.peer,
        peer: path.local,
        ..path
    }
}

impl Listener for SimListener {
    fn local(&self) -> SocketAddr {
        self.local
    }

    fn receive(&mut self, take: &mut dyn FnMut(Path, &[u8])) -> io::Result<bool> {
        let mut state = self.network.lock();
        let mut came = Vec::new();
        for far in &mut state.far {
            if far.path.peer == self.local {
                let path = turned(far.path);
                far.lane
                    .receive(&mut |datagram| came.push((path, datagram.to_vec())))?;
            }
        }
        drop(state);
        came.iter()
            .for_each(|(path, datagram)| take(*path, datagram));
        Ok(!came.is_empty())
    }

    fn send(&mut self, path: Path, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.network.lock();
        let to = state.far.iter_mut().find(|far| turned(far.path) == path);
        if let Some(far) = to
            && bytes.len() <= far.lane.limit()
        {
            far.lane.send(&[IoSlice::new(bytes)], bytes.len().max(1))?;
        }
        Ok(())
    }

    fn wait(&mut self, timeout: Duration) -> io::Result<()> {
        std::thread::sleep(timeout.min(LOOK));
        Ok(())
    }

    fn lane(&mut self, path: Path) -> Result<Box<dyn Lane>, LaneError> {
        let mut state = self.network.lock();
        let at = state.far.iter().position(|far| turned(far.path) == path);
        let at = at.ok_or_else(|| LaneError::Unreachable {
            peer: path.peer.to_string(),
            source: io::Error::other("it has not connected, or has a lane already"),
        })?;
        Ok(Box::new(state.far.remove(at).lane))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_begin_at_a_listener() {
        let network = SimNetwork::new(|_, _| [Settings::default(), Settings::default()], false);
        let mut listener = network.listen("10.0.0.2:0".parse().unwrap()).unwrap();
        assert!(network.listen(listener.local()).is_err());
        let open = || network.connect(None, listener.local()).unwrap();
        let mut near = [open(), open()];
        let mut paths = Vec::new();
        for (number, lane) in (0..).zip(&mut near) {
            assert!(lane.send(&[IoSlice::new(&[number])], 1).unwrap());
            let came = listener.receive(&mut |path, bytes| {
                assert_eq!(bytes, [number]);
                paths.push(path);
            });
            assert!(came.unwrap());
        }
        assert_ne!(paths[0], paths[1]);
        listener.send(paths[1], b"answer").unwrap();
        let mut far = listener.lane(paths[1]).unwrap();
        assert!(listener.lane(paths[1]).is_err());
        assert!(
            near[1]
                .receive(&mut |bytes| assert_eq!(bytes, b"answer"))
                .unwrap()
        );
        assert!(near[1].send(&[IoSlice::new(b"more")], 4).unwrap());
        assert!(!listener.receive(&mut |_, _| ()).unwrap());
        assert!(
            far.receive(&mut |bytes| assert_eq!(bytes, b"more"))
                .unwrap()
        );
        let (path, handle) = &network.lanes()[1];
        assert_eq!((path.peer, path.local), (listener.local(), paths[1].peer));
        handle.set_alive(0, false);
        assert!(near[1].send(&[IoSlice::new(b"lost")], 4).unwrap());
        assert!(!far.receive(&mut |_| ()).unwrap());
    }
}
