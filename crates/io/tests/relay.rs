// SPDX-License-Identifier: Apache-2.0
//! What the kernel sends through a bad channel. Where networks of their own are not permitted, the
//! tests are skipped.

use ropewalk_channel::Settings;
use ropewalk_io::relay::Relay;
use ropewalk_testkit::needs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(30);
const MS: Duration = Duration::from_millis(1);

fn relay(settings: &Settings) -> Option<Relay> {
    needs("networks of their own", Relay::new([settings; 2], 1500))
}

/// A question and an answer take both delays, and whatever the kernel adds.
#[test]
fn delay_and_death() {
    let settings = Settings {
        delay: 5 * MS,
        ..Settings::default()
    };
    let Some(relay) = relay(&settings) else {
        return;
    };
    let [near, far] = relay.networks();
    std::thread::scope(|scope| {
        let socket = |network: &ropewalk_io::relay::Network| {
            network.enter().unwrap();
            UdpSocket::bind((network.address(), 7000)).unwrap()
        };
        scope.spawn(move || {
            let socket = socket(far);
            socket.set_read_timeout(Some(LONG)).unwrap();
            let mut bytes = [0; 2000];
            while let Ok((length, peer)) = socket.recv_from(&mut bytes) {
                socket.send_to(&bytes[..length], peer).unwrap();
                if bytes[0] == b'E' {
                    break;
                }
            }
        });
        let relay = &relay;
        scope.spawn(move || {
            let socket = socket(near);
            socket.connect((far.address(), 7000)).unwrap();
            socket.set_read_timeout(Some(500 * MS)).unwrap();
            // Asks until there is an answer, as the far end may not listen yet; each time something
            // else, so that no answer counts for a later question.
            let ask = |what: &str| {
                (0..1000).find_map(|number| {
                    let question = format!("{what}{number}");
                    let sent = Instant::now();
                    let _ = socket.send(question.as_bytes());
                    let mut bytes = [0; 2000];
                    while let Ok(length) = socket.recv(&mut bytes) {
                        if bytes[..length] == *question.as_bytes() {
                            return Some(sent.elapsed());
                        }
                    }
                    None
                })
            };
            let time = ask("hello").expect("an answer");
            assert!(time >= 10 * MS, "{time:?}");
            relay.set_alive(1, false);
            let (before, end) = (relay.counts(1).dead, Instant::now() + LONG);
            while relay.counts(1).dead == before {
                socket.send(b"into the dark").unwrap();
                std::thread::sleep(MS);
                assert!(Instant::now() < end);
            }
            relay.set_alive(1, true);
            ask("End").expect("an answer");
        });
    });
}

/// TCP of the kernel through losses, errors, copies and another order.
#[test]
fn tcp_through_a_bad_channel() {
    let settings = Settings {
        delay: MS,
        loss: 0.01,
        duplicate: 0.01,
        reorder: 0.01,
        ..Settings::default()
    };
    let Some(relay) = relay(&settings) else {
        return;
    };
    let [near, far] = relay.networks();
    let bytes: Vec<u8> = (0..1_000_000u32).map(|i| (i ^ (i >> 8)) as u8).collect();
    std::thread::scope(|scope| {
        let receiver = scope.spawn(|| {
            far.enter().unwrap();
            let listener = TcpListener::bind((far.address(), 7000)).unwrap();
            let mut came = Vec::new();
            let mut stream = listener.accept().unwrap().0;
            stream.set_read_timeout(Some(LONG)).unwrap();
            stream.read_to_end(&mut came).unwrap();
            came
        });
        scope.spawn(|| {
            near.enter().unwrap();
            let end = Instant::now() + LONG;
            let mut stream = loop {
                match TcpStream::connect((far.address(), 7000)) {
                    Ok(stream) => break stream,
                    Err(error) => assert!(Instant::now() < end, "{error}"),
                }
            };
            stream.write_all(&bytes).unwrap();
        });
        assert!(receiver.join().unwrap() == bytes);
    });
    let counts = relay.counts(0);
    assert!(
        counts.lost > 0 && counts.copies > 0 && counts.held > 0,
        "{counts:?}"
    );
}
