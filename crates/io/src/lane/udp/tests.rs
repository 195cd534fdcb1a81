// SPDX-License-Identifier: Apache-2.0

use super::*;

/// A lane, and a socket of the standard library that is its peer.
fn lane(options: &Options) -> (UdpLane, std::net::UdpSocket) {
    let peer = std::net::UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    peer.set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let lane = UdpLane::connect(peer.local_addr().unwrap(), options).unwrap();
    (lane, peer)
}

/// Lengths of the next datagrams.
fn lengths(peer: &std::net::UdpSocket, count: usize) -> Vec<usize> {
    let mut bytes = vec![0; SLOT];
    (0..count).map(|_| peer.recv(&mut bytes).unwrap()).collect()
}

/// The kernel cuts no batches of sockets that have no checksums.
#[test]
fn batches_that_are_refused_are_cut_here() {
    let (mut lane, peer) = lane(&Options::default());
    let off: libc::c_int = 1;
    sys::set_option(&lane.port.fd, libc::SOL_SOCKET, libc::SO_NO_CHECK, &off).unwrap();
    for _ in 0..2 {
        assert!(lane.send(&[IoSlice::new(&[1; 2500])], 1000).unwrap());
        assert_eq!(lengths(&peer, 3), [1000, 1000, 500]);
        assert!(!lane.cuts);
    }
    let notes = lane.notes().concat();
    assert!(notes.contains("sent one by one"), "{notes}");
}

/// What is left of a batch goes first, also if nothing is sent any more.
#[test]
fn the_rest_of_a_batch() {
    let (mut lane, peer) = lane(&Options::default());
    let rest = |lane: &mut UdpLane| {
        lane.rest.bytes = vec![7; 250];
        lane.rest.segment = 100;
    };
    rest(&mut lane);
    assert!(!lane.receive(&mut |_| ()).unwrap());
    assert_eq!(lengths(&peer, 3), [100, 100, 50]);
    rest(&mut lane);
    lane.wait(Duration::ZERO, false).unwrap();
    assert_eq!(lengths(&peer, 3), [100, 100, 50]);
    rest(&mut lane);
    assert!(lane.send(&[IoSlice::new(&[1; 9])], 9).unwrap());
    let mut all = lengths(&peer, 4);
    all.sort_unstable();
    assert_eq!(all, [9, 50, 100, 100]);
}

#[test]
fn pieces_are_cut_where_datagrams_end() {
    let bytes: Vec<u8> = (0..100).collect();
    for segment in 1..40 {
        for length in 1..40 {
            let pieces: Vec<_> = bytes.chunks(length).map(IoSlice::new).collect();
            let (mut parts, mut ends) = (Vec::new(), Vec::new());
            split(&pieces, segment, &mut parts, &mut ends);
            let mut begin = 0;
            let mut expected = bytes.chunks(segment);
            for &end in &ends {
                let own: Vec<&[u8]> = parts[begin..end].iter().map(|part| &**part).collect();
                assert_eq!(own.concat(), expected.next().unwrap());
                begin = end;
            }
            assert_eq!((begin, expected.next()), (parts.len(), None));
        }
    }
}
