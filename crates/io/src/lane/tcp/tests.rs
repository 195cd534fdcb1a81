// SPDX-License-Identifier: Apache-2.0
use super::listener::GUESTS;
use super::*;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, TcpStream};
use std::time::Instant;

const LONG: Duration = Duration::from_secs(30);

fn here() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, 0).into()
}

/// Looks until there is something.
fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < LONG, "nothing comes");
        std::thread::sleep(Duration::from_micros(100));
    }
}

fn record(datagram: &[u8]) -> Vec<u8> {
    [&(datagram.len() as u16).to_be_bytes(), datagram].concat()
}

/// A lane whose peer is a plain connection.
fn plain() -> (TcpLane, TcpStream) {
    let listener = std::net::TcpListener::bind(here()).unwrap();
    let lane = TcpLane::connect(None, listener.local_addr().unwrap()).unwrap();
    (lane, listener.accept().unwrap().0)
}

/// Two lanes to each other; the far one has "hello" already.
fn pair_at(local: SocketAddr) -> [TcpLane; 2] {
    let mut listener = TcpListener::bind(local).unwrap();
    let mut near = TcpLane::connect(None, listener.local()).unwrap();
    until(|| {
        near.send(&[IoSlice::new(b"hello")], 5)
            .unwrap()
            .then_some(())
    });
    let path = until(|| {
        let mut found = None;
        listener.receive_from(&mut |path, bytes| {
            assert_eq!(bytes, b"hello");
            found = Some(path);
        });
        found
    });
    let far = listener.lane(path).unwrap();
    assert_eq!(listener.guests(), 0);
    [near, far]
}

/// What arrives until the lane ends, and what it ends with.
fn all_of(lane: &mut TcpLane) -> (Vec<Vec<u8>>, io::Error) {
    let mut came = Vec::new();
    let end = until(|| lane.receive(&mut |bytes| came.push(bytes.to_vec())).err());
    (came, end)
}

/// Datagrams of all lengths at the edges, whatever cuts the stream: at every byte, and a byte at a
/// time.
#[test]
fn every_cut_of_a_stream() {
    let datagrams: Vec<Vec<u8>> = [1, 2, 255, 256, 257, 3]
        .iter()
        .enumerate()
        .map(|(number, &length)| vec![number as u8; length])
        .collect();
    let stream: Vec<u8> = datagrams.iter().flat_map(|it| record(it)).collect();
    let feed = |records: &mut Records, bytes: &[u8], came: &mut Vec<Vec<u8>>| {
        for piece in bytes.chunks(records.room().len()) {
            records.room()[..piece.len()].copy_from_slice(piece);
            let before = came.len();
            let any = records.came(piece.len(), &mut |bytes| came.push(bytes.to_vec()));
            assert_eq!(any.unwrap(), came.len() > before);
        }
    };
    for cut in 0..=stream.len() {
        let (mut records, mut came) = (Records::new(1), Vec::new());
        feed(&mut records, &stream[..cut], &mut came);
        feed(&mut records, &stream[cut..], &mut came);
        assert_eq!(came, datagrams, "cut at {cut}");
    }
    let (mut records, mut came) = (Records::new(1), Vec::new());
    stream
        .iter()
        .for_each(|byte| feed(&mut records, &[*byte], &mut came));
    assert_eq!(came, datagrams);
    assert!(!records.end().to_string().contains("middle"));
    // The longest, in memory that holds just one.
    let longest = vec![7; LONGEST];
    let (mut records, mut came) = (Records::new(1), Vec::new());
    feed(&mut records, &record(&longest), &mut came);
    assert_eq!(came, [longest]);
}

#[test]
fn another_congestion_control() {
    let [mut near, mut far] = pair_at(here());
    for wrong in ["", "none of this name", "a name that is longer than any"] {
        near.set_congestion(wrong).unwrap_err();
    }
    // Every kernel has it.
    near.set_congestion("reno").unwrap();
    assert!(near.send(&[IoSlice::new(b"x")], 1).unwrap());
    until(|| far.receive(&mut |_| ()).unwrap().then_some(()));
}

/// The kernel knows it as soon as the connection is there.
#[test]
fn the_round_trip() {
    let [near, far] = pair_at(here());
    for lane in [near, far] {
        let rtt = lane.rtt().expect("a round trip");
        assert!(rtt > Duration::ZERO && rtt < LONG, "{rtt:?}");
    }
}

#[test]
fn lengths_that_none_has() {
    for length in [0, LONGEST + 1, 65_535] {
        let (mut records, mut came) = (Records::new(100), Vec::new());
        let stream = [&record(b"good")[..], &(length as u16).to_be_bytes()].concat();
        records.room()[..stream.len()].copy_from_slice(&stream);
        let said = records.came(stream.len(), &mut |bytes| came.push(bytes.to_vec()));
        let said = said.unwrap_err();
        assert_eq!(
            (said.kind(), came),
            (ErrorKind::InvalidData, vec![b"good".to_vec()])
        );
        assert!(
            said.to_string().contains(&format!("of {length} bytes")),
            "{said}"
        );
        let (mut lane, mut peer) = plain();
        peer.write_all(&stream).unwrap();
        let (came, said) = all_of(&mut lane);
        assert_eq!(
            (came, said.kind()),
            (vec![b"good".to_vec()], ErrorKind::InvalidData)
        );
    }
}

/// The peer goes at every byte of a stream: what was whole has come, and the end says what was not.
#[test]
fn a_peer_that_goes_in_the_middle() {
    let stream = [record(b"one"), record(b"three")].concat();
    for cut in 0..=stream.len() {
        let (mut lane, mut peer) = plain();
        peer.write_all(&stream[..cut]).unwrap();
        drop(peer);
        let (came, said) = all_of(&mut lane);
        let whole = usize::from(cut >= 5) + usize::from(cut >= 12);
        assert_eq!(
            (came.len(), said.kind()),
            (whole, ErrorKind::UnexpectedEof),
            "cut at {cut}"
        );
        let between = [0, 5, 12].contains(&cut);
        assert_eq!(
            said.to_string().contains("middle"),
            !between,
            "cut at {cut}"
        );
    }
}

/// Pieces are cut where a datagram ends, as on every lane, and stand behind their lengths.
#[test]
fn what_is_on_the_stream() {
    let (mut lane, mut peer) = plain();
    let pieces = [&b"abc"[..], b"", b"defgh", b"i"].map(IoSlice::new);
    until(|| lane.send(&pieces, 4).unwrap().then_some(()));
    assert!(lane.send(&[], 4).unwrap() && lane.send(&[IoSlice::new(b"jk")], 9).unwrap());
    let expected = [
        record(b"abcd"),
        record(b"efgh"),
        record(b"i"),
        record(b"jk"),
    ]
    .concat();
    let mut came = vec![0; expected.len()];
    peer.read_exact(&mut came).unwrap();
    assert_eq!(came, expected);
    let long = vec![0; LONGEST + 1];
    let said = lane.send(&[IoSlice::new(&long)], LONGEST + 1).unwrap_err();
    assert_eq!(said.kind(), ErrorKind::InvalidInput);
    assert!(
        lane.send(&[IoSlice::new(b"l")], 1).unwrap(),
        "it is none the worse for it"
    );
}

/// More parts than the kernel takes with a call.
#[test]
fn many_pieces() {
    let [mut near, mut far] = pair_at(here());
    let bytes: Vec<u8> = (0..1024).map(|at| at as u8).collect();
    let pieces: Vec<_> = bytes.chunks(1).map(IoSlice::new).collect();
    assert!(near.send(&pieces, 100).unwrap());
    let mut came = Vec::new();
    until(|| {
        near.receive(&mut |_| ()).unwrap();
        far.receive(&mut |it| came.push(it.to_vec())).unwrap();
        (came.len() == 11).then_some(())
    });
    assert_eq!((came[0].len(), came[10].len()), (100, 24));
    assert_eq!(came.concat(), bytes);
}

/// A reader that stops: nothing is taken and nothing grows, until it reads again.
#[test]
fn a_reader_that_stops() {
    let [mut near, mut far] = pair_at(here());
    let (mut number, mut refused) = (0u32, 0);
    let datagram = |number: u32| {
        let mut bytes = vec![number as u8; 8000];
        bytes[..4].copy_from_slice(&number.to_be_bytes());
        bytes
    };
    let batch = |first: u32| (first..first + 8).flat_map(datagram).collect::<Vec<u8>>();
    while refused < 100 {
        let taken = near.send(&[IoSlice::new(&batch(number))], 8000).unwrap();
        assert!(near.rest.len() <= 8 * (8000 + HEADER));
        (number, refused) = if taken {
            (number + 8, 0)
        } else {
            near.wait(Duration::from_millis(1), true).unwrap();
            (number, refused + 1)
        };
        assert!(number < 100_000, "no end of room");
    }
    let (mut next, begun) = (0, Instant::now());
    while next < number && begun.elapsed() < LONG {
        near.receive(&mut |_| ()).unwrap();
        let came = far.receive(&mut |bytes| {
            assert_eq!(bytes, datagram(next));
            next += 1;
        });
        if !came.unwrap() {
            far.wait(Duration::from_millis(1), false).unwrap();
        }
    }
    assert_eq!(next, number);
    assert!(near.send(&[IoSlice::new(&batch(0))], 8000).unwrap());
}

/// Both directions at once, each end on a thread of its own, lengths of all sizes: every byte is
/// there, once and in order.
#[test]
fn every_byte_both_ways() {
    const COUNT: u32 = 3000;
    let datagram = |number: u32| {
        let length = 4 + (number as usize).wrapping_mul(7919) % 20_000;
        let bytes = (0..length).map(|at| (at as u32 ^ number.wrapping_mul(31)) as u8);
        let mut bytes: Vec<u8> = bytes.collect();
        bytes[..4].copy_from_slice(&number.to_be_bytes());
        bytes
    };
    let work = |mut lane: TcpLane| {
        let (mut sent, mut came, begun) = (0, 0, Instant::now());
        while (sent < COUNT || came < COUNT || lane.done < lane.rest.len())
            && begun.elapsed() < 4 * LONG
        {
            let mut blocked = false;
            if sent < COUNT {
                let bytes = datagram(sent);
                let cut = bytes.len() / 2;
                let pieces = [&bytes[..cut], &bytes[cut..]].map(IoSlice::new);
                blocked = !lane.send(&pieces, bytes.len()).unwrap();
                sent += u32::from(!blocked);
            }
            let more = lane.receive(&mut |bytes| {
                assert!(bytes == datagram(came), "datagram {came}");
                came += 1;
            });
            if !more.unwrap() && (blocked || sent == COUNT) {
                lane.wait(Duration::from_millis(5), blocked).unwrap();
            }
        }
        assert_eq!((sent, came), (COUNT, COUNT));
        lane
    };
    for local in [here(), (Ipv6Addr::LOCALHOST, 0).into()] {
        let ends: Vec<_> = (0..3).flat_map(|_| pair_at(local)).collect();
        std::thread::scope(|scope| {
            let threads: Vec<_> = ends
                .into_iter()
                .map(|end| scope.spawn(|| work(end)))
                .collect();
            // Neither end is closed before the other has all.
            let ends = threads.into_iter().map(|thread| thread.join().unwrap());
            assert_eq!(ends.collect::<Vec<_>>().len(), 6);
        });
    }
}

#[test]
fn a_waker_ends_a_wait() {
    let [mut near, far] = pair_at(here());
    let waker = near.waker();
    waker();
    let begun = Instant::now();
    near.wait(LONG, false).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            near.waker()();
        });
        let mut far = far;
        far.waker()();
        far.wait(LONG, false).unwrap();
    });
    near.wait(LONG, false).unwrap();
    // There is room.
    near.wait(LONG, true).unwrap();
    assert!(begun.elapsed() < LONG);
}

/// While there is no connection, here as its listener has no room, a lane takes one batch, which
/// goes out when there is one.
#[test]
fn what_is_said_before_there_is_a_connection() {
    let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    listener.bind(&here().into()).unwrap();
    listener.listen(0).unwrap();
    let at = listener.local_addr().unwrap().as_socket().unwrap();
    let first = TcpStream::connect(at).unwrap();
    let mut lane = TcpLane::connect(None, at).unwrap();
    assert!(lane.send(&[IoSlice::new(b"hello")], 5).unwrap());
    assert!(!lane.send(&[IoSlice::new(b"again")], 5).unwrap());
    assert!(!lane.receive(&mut |_| ()).unwrap());
    drop((listener.accept().unwrap(), first));
    until(|| {
        lane.wait(Duration::from_millis(10), false).unwrap();
        lane.receive(&mut |_| ()).unwrap();
        lane.rtt()
    });
    let mut far = TcpStream::from(listener.accept().unwrap().0);
    assert!(lane.send(&[IoSlice::new(b"more")], 4).unwrap());
    let mut came = [0; 13];
    far.read_exact(&mut came).unwrap();
    assert_eq!(came.to_vec(), [record(b"hello"), record(b"more")].concat());
}

/// Nobody listens; then somebody who closes.
#[test]
fn a_lane_that_is_gone() {
    let taken = std::net::TcpListener::bind(here()).unwrap();
    let nobody = taken.local_addr().unwrap();
    drop(taken);
    let gone = match TcpLane::connect(None, nobody) {
        Ok(mut lane) => until(|| lane.send(&[IoSlice::new(b"x")], 1).err()).kind(),
        Err(LaneError::Unreachable { source, .. }) => source.kind(),
        Err(other) => panic!("{other}"),
    };
    assert_eq!(gone, ErrorKind::ConnectionRefused);
    let [mut near, far] = pair_at(here());
    drop(far);
    // An end that is gone is found in either direction, and stays so.
    for _ in 0..2 {
        until(|| near.send(&[IoSlice::new(b"x")], 1).err());
        until(|| near.receive(&mut |_| ()).err());
    }
    let begun = Instant::now();
    let _ = near.wait(LONG, false);
    assert!(begun.elapsed() < LONG);
}

/// Connections of strangers are bounded in number and time, and those that bring something else are
/// closed.
#[test]
fn strangers() {
    let patience = Duration::from_millis(300);
    let mut listener = TcpListener::bind(here()).unwrap().with_patience(patience);
    let local = listener.local();
    let mut honest = TcpStream::connect(local).unwrap();
    honest.write_all(&record(b"honest")).unwrap();
    let path = until(|| {
        let mut found = None;
        listener.receive_from(&mut |path, _| found = Some(path));
        found
    });
    let mut most = 0;
    let mut crowd = Vec::new();
    for _ in 0..100 {
        crowd.push(TcpStream::connect(local).unwrap());
        listener.receive_from(&mut |_, _| ());
        most = most.max(listener.guests());
    }
    let mut foul = TcpStream::connect(local).unwrap();
    foul.write_all(b"\0\0").unwrap();
    until(|| {
        listener.receive_from(&mut |_, bytes| panic!("{bytes:?}"));
        most = most.max(listener.guests());
        (listener.guests() == 0).then_some(())
    });
    assert_eq!(most, GUESTS);
    let mut late = listener.lane(path).unwrap();
    assert!(
        late.receive(&mut |_| ()).is_err(),
        "its time was over as well"
    );
    assert!(late.send(&[IoSlice::new(b"x")], 1).is_err());
    for mut stranger in crowd.into_iter().chain([foul, honest]) {
        stranger.set_read_timeout(Some(LONG)).unwrap();
        let said = stranger.read(&mut [0; 9]);
        let reset = said
            .as_ref()
            .is_err_and(|it| it.kind() == ErrorKind::ConnectionReset);
        assert!(reset || matches!(said, Ok(0)), "{said:?}");
    }
}

/// One that is answered lives on, and what it brings next goes to its lane.
#[test]
fn a_guest_that_is_answered() {
    let patience = Duration::from_millis(400);
    let mut listener = TcpListener::bind(here()).unwrap().with_patience(patience);
    let mut peer = TcpStream::connect(listener.local()).unwrap();
    let begun = Instant::now();
    let (mut path, mut asked) = (None, 0);
    while begun.elapsed() < 3 * patience {
        peer.write_all(&record(b"?")).unwrap();
        asked += 1;
        listener.receive_from(&mut |from, _| path = Some(from));
        if let Some(path) = path {
            listener.send_to(path, b"answer");
        }
        std::thread::sleep(patience / 8);
    }
    assert!(asked > 3 && listener.guests() == 1);
    let mut said = [0; 8];
    peer.read_exact(&mut said).unwrap();
    assert_eq!(said[..], record(b"answer"));
    let mut lane = listener.lane(path.unwrap()).unwrap();
    peer.write_all(&record(&[9; 60_000])).unwrap();
    let mut longest = 0;
    until(|| {
        lane.receive(&mut |bytes| longest = longest.max(bytes.len()))
            .unwrap();
        (longest == 60_000).then_some(())
    });
}
