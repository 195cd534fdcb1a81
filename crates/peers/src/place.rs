// SPDX-License-Identifier: Apache-2.0
//! Where the two ends are: both at the loopback interface, or each in a network of its own.

use anyhow::Context;
use ropewalk_channel::Settings;
use ropewalk_io::relay::Relay;
use std::net::{IpAddr, Ipv4Addr};

/// MTU of the interfaces in networks of their own.
const MTU: usize = 9000;

/// Where the two ends are.
pub struct Place(Option<Relay>);

impl Place {
    /// With a channel between them, or without.
    pub fn new(channel: Option<[Settings; 2]>) -> anyhow::Result<Self> {
        let relay = channel.map(|channel| Relay::new([&channel[0], &channel[1]], MTU));
        let relay = relay.transpose();
        Ok(Self(relay.context("cannot make two networks")?))
    }

    /// Moves the calling thread to where the sender (0) or the receiver (1) is.
    pub fn enter(&self, end: usize) -> anyhow::Result<()> {
        let network = self.0.as_ref().map(|relay| &relay.networks()[end]);
        network.map_or(Ok(()), |network| network.enter().context("cannot enter"))
    }

    /// Address of an end.
    pub fn address(&self, end: usize) -> IpAddr {
        let relay = self.0.as_ref();
        let own = relay.map(|relay| relay.networks()[end].address());
        own.unwrap_or(Ipv4Addr::LOCALHOST).into()
    }
}

/// Runs both ends, each in a thread; the receiver tells the sender its address.
pub fn both<A: Send, T: Send>(
    place: &Place,
    sender: impl FnOnce(A) -> anyhow::Result<()> + Send,
    receiver: impl FnOnce(&dyn Fn(A)) -> anyhow::Result<T> + Send,
) -> anyhow::Result<T> {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let far = scope.spawn(move || {
            place.enter(1)?;
            receiver(&move |address| {
                let _ = tell.send(address);
            })
        });
        let near = scope.spawn(move || {
            place.enter(0)?;
            sender(told.recv().context("the receiver has not begun")?)
        });
        let came = far.join().expect("the receiver")?;
        near.join().expect("the sender")?;
        Ok(came)
    })
}
