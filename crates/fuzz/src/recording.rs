// SPDX-License-Identifier: Apache-2.0
//! Recorded lanes: text of words, and what is seen of the protocols in any bits.

use crate::input::Input;
use ropewalk_io::recording::{Recording, Text};
use ropewalk_wire::line::Lanes;
use ropewalk_wire::line::blocks::{self, Scrambler as Scrambler66};
use ropewalk_wire::line::code::Encoder;
use ropewalk_wire::line::stripe::LANES;
use ropewalk_wire::rdma::packed::{Joiner, WORD, Word};
use ropewalk_wire::rdma::{self, dissect as rdma_dissect};
use ropewalk_wire::rifl::dissect::{dissect, stretches};
use ropewalk_wire::rifl::frame::{Control, Frame};
use ropewalk_wire::rifl::scrambler::Scrambler;
use ropewalk_wire::rifl::{FrameWidth, IdWidth, LaneParams, Segment, code};
use ropewalk_wire::slink::dissect::{Bits, Coding, Ending, dissect as slink_dissect};
use ropewalk_wire::slink::frame::{COM, IDL};
use ropewalk_wire::slink::{Header, Kind, Packet, Request};

/// Reads text.
///
/// # Panics
/// What was read is not read again as the same, or its bits are not those of its words.
pub fn text(bytes: &[u8]) {
    let _ = Recording::bytes(bytes);
    let Ok(mut read) = Recording::text(bytes) else {
        return;
    };
    let bits = read.bits();
    assert!(
        bits.iter()
            .all(|lane| lane.len() as u64 * 64 >= read.length())
    );
    if read.width() <= 64 {
        let mut again = Text::new("again");
        for cycle in 0..read.lanes()[0].len() {
            again.cycle(read.lanes().iter().map(|lane| lane[cycle]), read.width());
        }
        let again = Recording::text(again.as_bytes()).expect("it was written by this");
        assert_eq!((again.lanes(), again.bits()), (read.lanes(), bits));
    }
    if read.width() == 12 && read.narrow(10).is_ok() {
        assert!(read.lanes().iter().flatten().all(|word| *word < 1024));
    }
}

/// Texts of several widths.
#[must_use]
pub fn text_seeds() -> Vec<Vec<u8>> {
    [
        "0123 4567\n89ab cdef\n",
        "# a comment\n0x0123456789abcdef, 0xfedcba9876543210 # two lanes\r\n\n0_1 0_2",
        "3ff;001\n200;155\n",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect()
}

fn words(bytes: &[u8]) -> Vec<u64> {
    let words = bytes.as_chunks().0;
    words.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

fn bytes(words: impl IntoIterator<Item = u64>) -> Vec<u8> {
    words.into_iter().flat_map(u64::to_le_bytes).collect()
}

/// A lane of RIFL. Input: a byte of options (bits 1..0: the width, 2: extended, 6..3: the id
/// width), the words.
///
/// # Panics
/// A frame lies outside of the recording, or out of order.
pub fn rifl(input: &[u8]) {
    let mut input = Input(input);
    let options = input.byte();
    let width = FrameWidth::new([128, 256, 512, 256][usize::from(options & 3)]);
    let id = IdWidth::new(6 + u32::from(options >> 3) % 7);
    let lane = LaneParams::new(width.expect("a width"), id.expect("a width"));
    let words = words(input.0);
    let found = stretches(&words, lane.frame());
    let bits = u64::from(lane.frame().bits());
    let mut next = 0;
    let taken = dissect(&words, lane, &found, options & 4 > 0, |bit, seen| {
        assert!(bit >= next && bit + bits <= 64 * words.len() as u64);
        next = bit + bits;
        let _ = (seen.kind, seen.plain.segment());
    });
    assert_eq!(taken.len(), found.len());
}

/// Frames of each kind.
///
/// # Panics
/// Not on these.
#[must_use]
pub fn rifl_seeds() -> Vec<Vec<u8>> {
    let width = FrameWidth::W256;
    let mut scrambler = Scrambler::default();
    let mut line = Vec::new();
    for place in 0..60_u16 {
        let mut frame = match place % 4 {
            0 => Frame::control(width, Control::Idle),
            1 => Frame::invalid(width),
            2 => Frame::control(width, Control::RetransmitRequest),
            _ => Frame::user(
                width,
                &Segment::new(width, b"bytes", true).expect("a segment"),
            ),
        };
        scrambler.frame(&mut frame);
        code::seal(&mut frame, place / 2 % 64);
        line.extend_from_slice(frame.words());
    }
    let frames = bytes(line);
    vec![[&[1][..], &frames].concat(), [&[5][..], &frames].concat()]
}

/// Lanes of SLink. Input: a byte (bit 7: in 64b/66b; else 1, 2 or 4 lanes); the words of the lanes
/// in turn.
///
/// # Panics
/// A packet that is whole has other data than its header says.
pub fn slink(input: &[u8]) {
    let mut input = Input(input);
    let options = input.byte();
    let coding = if options & 128 > 0 {
        Coding::Blocks
    } else {
        Coding::Symbols
    };
    let count = Lanes::ALL[usize::from(options & 127) % 3].count();
    let all = words(input.0);
    let lane = |number: usize| all.iter().skip(number).step_by(count).copied().collect();
    let lanes: Vec<Vec<u64>> = (0..count).map(lane).collect();
    let bits: Vec<Bits> = lanes.iter().map(|lane| Bits::new(lane, u64::MAX)).collect();
    let mut packets = 0;
    let counts = slink_dissect(&bits, coding, |found| {
        packets += 1;
        if let (Some(header), Ending::Whole { .. }) = (found.header, found.ending) {
            let length = if header.has_data() {
                8 * header.words
            } else {
                0
            };
            assert_eq!(found.data.len() as u64, u64::from(length));
        }
    });
    assert!(counts.map_or(packets == 0, |counts| packets <= 1 + counts.words));
}

/// Writes over one and two lanes.
#[must_use]
pub fn slink_seeds() -> Vec<Vec<u8>> {
    let seed = |lanes: Lanes| {
        let header = Header {
            request: Request::Write,
            kind: Kind::Request { address: 0x1000 },
            crc: true,
            lanes,
            words: 4,
            sequence: 1,
        };
        let data = (0..32).collect();
        let mut line = vec![[[COM, IDL]; LANES]; 3];
        line.extend(Packet { header, data }.words());
        line.extend([[[COM, IDL]; LANES]; 3]);
        let lane = |number: usize| -> Vec<u64> {
            let mut encoder = Encoder::default();
            let symbols = line.iter().flat_map(|word| word[number]);
            let bits: Vec<u64> = symbols
                .map(|character| u64::from(encoder.encode(character)))
                .flat_map(|symbol| (0..10).map(move |bit| symbol >> bit & 1))
                .collect();
            let pack = |bits: &[u64]| (0..).zip(bits).fold(0, |word, (at, bit)| word | bit << at);
            bits.chunks(64).map(pack).collect()
        };
        let lanes_of: Vec<Vec<u64>> = (0..lanes.count()).map(lane).collect();
        let turns = 0..lanes_of[0].len();
        let words = turns.flat_map(|at| lanes_of.iter().map(move |lane| lane[at]));
        [&[lanes as u8][..], &bytes(words)].concat()
    };
    let mut in_blocks = vec![128];
    let mut scrambler = Scrambler66::with_state(1);
    let mut line = Vec::new();
    for place in 0..100_u16 {
        let word = blocks::Word::Data(place);
        let idle = blocks::Word::Control((place % 9) as u8);
        let (header, payload) = blocks::encode([idle, word, idle, word]);
        line.extend((0..2).map(|bit| u64::from(header) >> bit & 1));
        let payload = scrambler.scramble(payload);
        line.extend((0..64).map(|bit| payload >> bit & 1));
    }
    let pack = |bits: &[u64]| (0..).zip(bits).fold(0, |word, (at, bit)| word | bit << at);
    in_blocks.extend(bytes(line.chunks(64).map(pack)));
    vec![seed(Lanes::X1), seed(Lanes::X2), in_blocks]
}

/// Words of a network.
///
/// # Panics
/// A packet is written as something else than it was read from, or begins behind the words.
pub fn rdma(input: &[u8]) {
    let words: Vec<Word> = input.as_chunks::<WORD>().0.to_vec();
    rdma_dissect::dissect(&words, |found| {
        assert!(found.word < words.len() && found.lane < 4);
        let Ok(packet) = found.packet else {
            return;
        };
        let written = rdma::words::encode(&packet).expect("as it was read");
        assert_eq!(rdma::words::decode(&written), Ok(packet));
    });
}

/// Packets in both framings.
///
/// # Panics
/// Not on these.
#[must_use]
pub fn rdma_seeds() -> Vec<Vec<u8>> {
    let packet = |length: u16| rdma::Packet {
        header: rdma::Header {
            address: 0x0001_0000_1000,
            kind: rdma::Kind::Data,
            tid: length,
            sequence: rdma::Sequence::new(3),
            epoch: 1,
            source: 2,
            domain: 5,
        },
        payload: vec![length as u8; length.into()],
        footer: rdma::Footer::default(),
    };
    let packets = [packet(0), packet(70), packet(9)];
    let in_words = packets
        .iter()
        .flat_map(|packet| rdma::words::encode(packet).expect("a packet"));
    let mut joiner = Joiner::default();
    for packet in &packets {
        joiner.push(&rdma::packed::encode(packet).expect("a packet"));
    }
    let packed = std::iter::from_fn(|| joiner.pop()).map(|word| word.0);
    vec![in_words.flatten().collect(), packed.flatten().collect()]
}
