// SPDX-License-Identifier: Apache-2.0
//! Datagrams through a bad way, there and back.

use ropewalk_channel::Settings;
use ropewalk_io::proxy::Proxy;
use std::collections::BTreeMap;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(60);
const MS: Duration = Duration::from_millis(1);

fn here() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

fn socket() -> UdpSocket {
    let socket = UdpSocket::bind(here()).unwrap();
    socket.set_read_timeout(Some(20 * MS)).unwrap();
    socket
}

/// Answers whatever comes, until it comes to "end".
fn echo(socket: &UdpSocket) {
    let mut bytes = [0; 2000];
    let begun = Instant::now();
    while begun.elapsed() < LONG {
        if let Ok((length, peer)) = socket.recv_from(&mut bytes) {
            socket.send_to(&bytes[..length], peer).unwrap();
            if &bytes[..length] == b"end" {
                return;
            }
        }
    }
    panic!("no end");
}

/// Asks until there is an answer; says how long that took.
fn ask(client: &UdpSocket, what: &[u8]) -> Duration {
    let (begun, mut bytes) = (Instant::now(), [0; 2000]);
    loop {
        let sent = Instant::now();
        client.send(what).unwrap();
        if let Ok(length) = client.recv(&mut bytes)
            && bytes[..length] == *what
        {
            return sent.elapsed();
        }
        assert!(begun.elapsed() < LONG, "no answer");
    }
}

#[test]
fn there_and_back_for_each_client() {
    let target = socket();
    let settings = Settings {
        delay: 5 * MS,
        ..Settings::default()
    };
    let to = target.local_addr().unwrap();
    let proxy = Proxy::new(here(), to, [&settings; 2]).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| echo(&target));
        let clients = [socket(), socket()];
        for (client, number) in clients.iter().zip(0u8..) {
            client.connect(proxy.local()).unwrap();
            assert!(ask(client, &[number; 100]) >= 10 * MS);
        }
        // Nothing comes through what is dead, and all of it afterwards.
        proxy.set_alive(0, false);
        clients[0].send(b"into the dark").unwrap();
        let begun = Instant::now();
        while proxy.counts(0).dead == 0 {
            assert!(begun.elapsed() < LONG);
            std::thread::sleep(MS);
        }
        proxy.set_alive(0, true);
        ask(&clients[1], b"end");
    });
}

/// What the channel counts is what happens.
#[test]
fn as_bad_as_its_channel() {
    let target = socket();
    let settings = Settings {
        loss: 0.1,
        duplicate: 0.1,
        mtu: 1000,
        ..Settings::default()
    };
    let to = target.local_addr().unwrap();
    let proxy = Proxy::new(here(), to, [&settings, &Settings::default()]).unwrap();
    let client = socket();
    client.connect(proxy.local()).unwrap();
    target.set_nonblocking(true).unwrap();
    let (mut came, mut bytes) = (BTreeMap::<u32, u64>::new(), [0; 2000]);
    // Read meanwhile, so that no buffer fills up.
    let mut read = || {
        while let Ok(length) = target.recv(&mut bytes) {
            assert_eq!(length, 1000);
            let number = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            *came.entry(number).or_default() += 1;
        }
        (came.len() as u64, came.values().sum::<u64>())
    };
    for number in 0..2000_u32 {
        let length = if number % 100 == 0 { 1001 } else { 1000 };
        let mut datagram = vec![0; length];
        datagram[..4].copy_from_slice(&number.to_be_bytes());
        client.send(&datagram).unwrap();
        let begun = Instant::now();
        while proxy.counts(0).sent <= u64::from(number) {
            assert!(begun.elapsed() < LONG);
            std::thread::yield_now();
        }
        read();
    }
    let counts = proxy.counts(0);
    assert_eq!((counts.sent, counts.too_long), (2000, 20));
    assert!(counts.lost > 0 && counts.copies > 0, "{counts:?}");
    let different = 2000 - 20 - counts.lost;
    let begun = Instant::now();
    while read() != (different, different + counts.copies) {
        assert!(begun.elapsed() < LONG, "{:?} of {counts:?}", read());
        std::thread::sleep(MS);
    }
}

#[test]
fn settings_that_nobody_can_keep() {
    let wrong = Settings {
        loss: 2.0,
        ..Settings::default()
    };
    let right = Settings::default();
    let said = Proxy::new(here(), here(), [&right, &wrong]).err().unwrap();
    assert!(said.to_string().contains("loss is 2"), "{said}");
}
