// SPDX-License-Identifier: Apache-2.0
//! Datagrams on a TCP connection: a peer that writes anything, cut anywhere.
//!
//! Input: a byte, how much comes with each call; the bytes of the stream.

use ropewalk_io::lane::tcp::{LONGEST, Records};

/// The datagrams of a stream that comes in pieces of `step` bytes, and whether it is one to its
/// end.
fn datagrams(stream: &[u8], step: usize) -> (Vec<Vec<u8>>, bool) {
    let (mut records, mut came) = (Records::new(step), Vec::new());
    for piece in stream.chunks(step) {
        let room = records.room();
        assert!(room.len() >= piece.len());
        room[..piece.len()].copy_from_slice(piece);
        let said = records.came(piece.len(), &mut |datagram| came.push(datagram.to_vec()));
        if said.is_err() {
            return (came, false);
        }
    }
    (came, true)
}

/// However a stream is cut, the same comes out of it, and all of what it is made of.
///
/// # Panics
/// Something else comes out.
pub fn run(bytes: &[u8]) {
    let Some((&step, stream)) = bytes.split_first() else {
        return;
    };
    let (came, good) = datagrams(stream, usize::from(step) + 1);
    assert_eq!(datagrams(stream, stream.len().max(1)), (came.clone(), good));
    let mut rest = stream;
    for datagram in &came {
        assert!((1..=LONGEST).contains(&datagram.len()));
        let head = (datagram.len() as u16).to_be_bytes();
        rest = rest.strip_prefix(&head[..]).expect("its length");
        rest = rest.strip_prefix(&datagram[..]).expect("its bytes");
    }
    let next = rest
        .first_chunk()
        .map(|&head| usize::from(u16::from_be_bytes(head)));
    let is_wrong = next.is_some_and(|length| !(1..=LONGEST).contains(&length));
    assert_eq!(good, !is_wrong);
    assert!(is_wrong || next.is_none_or(|length| rest.len() < 2 + length));
}

/// Streams of a few datagrams.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let stream = [&[0, 3][..], b"abc", &[0, 1], b"d", &[1, 0], &[7; 256]].concat();
    [0, 6, 255]
        .map(|step| [&[step], &stream[..]].concat())
        .to_vec()
}
