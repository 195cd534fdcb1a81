// SPDX-License-Identifier: Apache-2.0
//! TCP of the kernel.

use crate::place::{Place, both};
use crate::{Meter, Options, PART};
use anyhow::Context;
use ropewalk_io::measure::Figures;
use socket2::SockRef;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Instant;

pub fn run(place: &Place, options: &Options) -> anyhow::Result<Figures> {
    let sender = |address: SocketAddr| {
        let mut stream = TcpStream::connect(address)?;
        let control = options.congestion.as_bytes();
        let set = SockRef::from(&stream).set_tcp_congestion(control);
        set.with_context(|| {
            let name = &options.congestion;
            format!("congestion control '{name}': 'sysctl net.ipv4.tcp_available_congestion_control' lists what there is")
        })?;
        let (part, begun) = (vec![0x5a; PART], Instant::now());
        while begun.elapsed() < options.time() {
            stream.write_all(&part)?;
        }
        Ok(())
    };
    both(place, sender, |tell| {
        let listener = TcpListener::bind((place.address(1), 0))?;
        tell(listener.local_addr()?);
        let mut stream = listener.accept()?.0;
        let (mut meter, mut part) = (Meter::new(), vec![0; PART]);
        loop {
            match stream.read(&mut part)? {
                0 => break,
                bytes => meter.add(bytes),
            }
        }
        Ok(meter.end())
    })
}
