// SPDX-License-Identifier: Apache-2.0
//! Recorded lanes of SLink: packets are seen as they were sent, whatever the skew and wherever the
//! recording begins; damaged ones are seen as such, and noise as nothing.

mod common;

use common::{bytes, random};
use ropewalk_testkit::{Digest, expect_file};
use ropewalk_wire::line::Lanes;
use ropewalk_wire::line::blocks::{self, Scrambler};
use ropewalk_wire::line::code::Encoder;
use ropewalk_wire::line::stripe::{LANES, SYMBOLS, Word};
use ropewalk_wire::rifl::link::Random;
use ropewalk_wire::slink::dissect::{Bits, Coding, Counts, Ending, Found, dissect};
use ropewalk_wire::slink::frame::{BLOCK, COM, HLD, IDL};
use ropewalk_wire::slink::pairs;
use ropewalk_wire::slink::{
    Damage, Greeting, Header, Kind, Matter, Message, Notice, Packet, Request,
};

fn packet(random: &mut Random, lanes: Lanes) -> Packet {
    let address = (random.bits() as u32) & !7;
    let hello = Notice::Hello {
        own: random.below(1 << 12) as u16,
        echo: random.below(1 << 12) as u16,
        greeting: Greeting::Heard,
    };
    let change = Notice::Change {
        own: random.below(1 << 12) as u16,
        echo: random.below(1 << 12) as u16,
        message: Message::ALL[random.below(4) as usize],
        matter: Matter {
            number: random.below(16) as u8,
            line: random.below(64) as u8,
        },
    };
    let (request, kind) = match random.below(8) {
        0 | 1 => (Request::Write, Kind::Request { address }),
        2 => (Request::Read, Kind::Request { address }),
        3 => (Request::Read, Kind::Data { address }),
        4 => (Request::Write, Kind::Done),
        5 => (Request::Write, Kind::Notice(Notice::Damaged)),
        6 => (Request::Write, Kind::Notice(change)),
        _ => (Request::Write, Kind::Notice(hello)),
    };
    let most = if random.chance(30) { 700 } else { 20 };
    let words = match kind {
        Kind::Notice(Notice::Change { .. }) => 1,
        _ => 1 + random.below(most) as u32,
    };
    let header = Header {
        request,
        kind,
        crc: random.chance(128),
        lanes,
        words,
        sequence: random.below(16) as u8,
    };
    let length = if header.has_data() {
        8 * words as usize
    } else {
        0
    };
    Packet {
        header,
        data: bytes(random, length),
    }
}

/// Idle words: a comma in every 32nd.
fn idle(words: &mut Vec<Word>, count: usize) {
    for place in 0..count {
        let first = if place % 32 == 0 { COM } else { IDL };
        words.push([[first, IDL]; LANES]);
    }
}

/// The bits of lanes, each late by some, in words of 64; how many there are.
fn raw(words: &[Word], lanes: Lanes, skew: &[u64]) -> (Vec<Vec<u64>>, u64) {
    let mut all = Vec::new();
    let count = 20 * words.len() as u64 + 200;
    for (lane, &late) in (0..lanes.count()).zip(skew) {
        let mut encoder = Encoder::default();
        let mut bits: Vec<bool> = (0..late).map(|_| false).collect();
        for word in words {
            for character in word[lane] {
                let symbol = encoder.encode(character);
                bits.extend((0..10).map(|bit| symbol >> bit & 1 == 1));
            }
        }
        bits.resize(count as usize, false);
        let pack = |bits: &[bool]| {
            (0..)
                .zip(bits)
                .fold(0, |word, (at, &bit)| word | u64::from(bit) << at)
        };
        all.push(bits.chunks(64).map(pack).collect());
    }
    (
        all,
        20 * words.len() as u64 + skew.iter().copied().min().unwrap_or(0),
    )
}

/// The same in 64b/66b.
fn blocks(words: &[Word], lanes: Lanes, skew: &[u64], random: &mut Random) -> (Vec<Vec<u64>>, u64) {
    let mut all = Vec::new();
    let count = 66 * (words.len() as u64 / 4) + 200;
    for (lane, &late) in (0..lanes.count()).zip(skew) {
        let mut scrambler = Scrambler::with_state(random.bits());
        let mut bits: Vec<bool> = (0..late).map(|_| false).collect();
        for four in words.as_chunks::<4>().0 {
            let (header, payload) = blocks::encode(
                four.map(|word| pairs::encode(word[lane]).expect("one of the pairs")),
            );
            let payload = scrambler.scramble(payload);
            bits.extend((0..2).map(|bit| header >> bit & 1 == 1));
            bits.extend((0..64).map(|bit| payload >> bit & 1 == 1));
        }
        bits.resize(count as usize, false);
        let pack = |bits: &[bool]| {
            let bits = (0..).zip(bits);
            bits.fold(0, |word, (at, &bit)| word | u64::from(bit) << at)
        };
        all.push(bits.chunks(64).map(pack).collect());
    }
    (all, count - 200 + skew.iter().copied().min().unwrap_or(0))
}

#[test]
fn packets_in_blocks_are_seen_as_they_were_sent() {
    let mut random = random();
    for lanes in Lanes::ALL {
        for _ in 0..5 {
            let (mut words, mut sent) = (Vec::new(), Vec::new());
            idle(&mut words, 300);
            for _ in 0..40 {
                let packet = packet(&mut random, lanes);
                words.extend(packet.words_in_blocks());
                sent.push(packet);
                let gap = 1 + random.below(50) as usize;
                idle(&mut words, gap);
            }
            idle(&mut words, 40);
            let skew: Vec<u64> = (0..LANES).map(|_| random.below(130)).collect();
            let (raw, count) = blocks(&words, lanes, &skew, &mut random);
            let (found, counts) = coded_seen(&raw, count, Coding::Blocks);
            let counts = counts.expect("blocks");
            assert_eq!((counts.impossible, counts.slips), (0, 0));
            assert_eq!(found.len(), sent.len(), "{lanes:?}");
            for (found, sent) in found.iter().zip(&sent) {
                assert_eq!(found.header, Some(sent.header));
                assert_eq!(found.data, sent.data);
                assert_eq!(found.ending, Ending::Whole { clean: true });
            }
            // A wrong bit is in at most two packets, each of which has check codes or not.
            let mut wrong = raw.clone();
            let at = 8000 + random.below(count - 9000);
            wrong[0][(at / 64) as usize] ^= 1 << (at % 64);
            let (other, _) = coded_seen(&wrong, count, Coding::Blocks);
            let same = found.iter().filter(|found| other.contains(found)).count();
            assert!(same + 2 >= found.len(), "{same} of {}", found.len());
            let crc = |it: &&Found| it.header.is_some_and(|header| header.crc);
            let whole = |it: &&Found| it.ending == Ending::Whole { clean: true };
            for one in other.iter().filter(crc).filter(whole) {
                assert!(found.contains(one), "{one:?}");
            }
        }
    }
}

fn seen(lanes: &[Vec<u64>], count: u64) -> (Vec<Found>, Result<Counts, usize>) {
    coded_seen(lanes, count, Coding::Symbols)
}

fn coded_seen(
    lanes: &[Vec<u64>],
    count: u64,
    coding: Coding,
) -> (Vec<Found>, Result<Counts, usize>) {
    let bits: Vec<Bits> = lanes.iter().map(|lane| Bits::new(lane, count)).collect();
    let mut found = Vec::new();
    let counts = dissect(&bits, coding, |packet| found.push(packet));
    (found, counts)
}

/// Lanes, the words on them and the packets in these.
fn traffic(random: &mut Random, lanes: Lanes, packets: usize) -> (Vec<Word>, Vec<Packet>) {
    let (mut words, mut sent) = (Vec::new(), Vec::new());
    idle(&mut words, 70);
    for _ in 0..packets {
        let packet = packet(random, lanes);
        words.extend(packet.words());
        sent.push(packet);
        if random.chance(60) {
            words.push([[HLD; SYMBOLS]; LANES]);
        }
        let gap = 1 + random.below(50) as usize;
        idle(&mut words, gap);
    }
    idle(&mut words, 40);
    (words, sent)
}

#[test]
fn packets_are_seen_as_they_were_sent() {
    let mut random = random();
    for lanes in Lanes::ALL {
        for _ in 0..5 {
            let (words, sent) = traffic(&mut random, lanes, 40);
            let holds = words
                .iter()
                .filter(|word| word[0] == [HLD; SYMBOLS])
                .count();
            let skew: Vec<u64> = (0..LANES).map(|_| random.below(161)).collect();
            let (raw, count) = raw(&words, lanes, &skew);
            let (found, counts) = seen(&raw, count);
            let counts = counts.expect("commas");
            assert_eq!(counts.holds, holds as u64);
            assert_eq!((counts.impossible, counts.slips), (0, 0));
            assert_eq!(found.len(), sent.len(), "{lanes:?}");
            for (found, sent) in found.iter().zip(&sent) {
                assert_eq!(found.header, Some(sent.header));
                assert_eq!(found.data, sent.data);
                assert_eq!(found.ending, Ending::Whole { clean: true });
                assert_eq!((found.bit - skew[0]) % 20, 0);
            }
        }
    }
}

/// A bit of a packet is wrong: this packet is damaged or, without check codes and an impossible
/// symbol, has other data; the others are as they were.
#[test]
fn a_wrong_bit_damages_its_packet_alone() {
    let mut random = random();
    for lanes in Lanes::ALL {
        let (words, sent) = traffic(&mut random, lanes, 12);
        let skew = [7, 3, 11, 0];
        let (right, count) = raw(&words, lanes, &skew);
        let (whole, _) = seen(&right, count);
        for _ in 0..60 {
            let hit = random.below(sent.len() as u64) as usize;
            let length = ropewalk_wire::slink::frame::length(sent[hit].header);
            let lane = random.below(lanes.count() as u64) as usize;
            // Not the start, without which there is no packet, nor what may stand behind the end.
            let late = skew[lane] as i64 - skew[0] as i64;
            let at = whole[hit].bit as i64 + late + 20 + random.below(20 * (length - 2)) as i64;
            let mut wrong = right.clone();
            wrong[lane][(at / 64) as usize] ^= 1 << (at % 64);
            let (found, _) = seen(&wrong, count);
            let others = |all: &[Found]| {
                let bit = whole[hit].bit;
                all.iter()
                    .filter(|it| it.bit != bit)
                    .cloned()
                    .collect::<Vec<_>>()
            };
            assert_eq!(others(&found), others(&whole));
            let found = found.iter().find(|found| found.bit == whole[hit].bit);
            let found = found.expect("it has begun");
            if sent[hit].header.crc {
                let damaged = matches!(found.ending, Ending::Damaged(_));
                assert!(damaged || found.data == sent[hit].data, "{found:?}");
            } else {
                assert!(*found != whole[hit] || !sent[hit].header.has_data());
            }
        }
    }
}

#[test]
fn what_ends_too_early_is_open() {
    let mut random = random();
    let mut words = Vec::new();
    idle(&mut words, 70);
    let packet = Packet {
        header: Header {
            request: Request::Write,
            kind: Kind::Request { address: 0x1000 },
            crc: true,
            lanes: Lanes::X2,
            words: BLOCK as u32,
            sequence: 3,
        },
        data: bytes(&mut random, 8 * BLOCK),
    };
    words.extend(&packet.words()[..2000]);
    let (lanes, count) = raw(&words, Lanes::X2, &[5, 0]);
    let (found, _) = seen(&lanes, count);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].ending, Ending::Open);
    assert_eq!(found[0].header, Some(packet.header));
    assert!(packet.data.starts_with(&found[0].data));
    assert!(found[0].data.len() >= BLOCK);
    // Over fewer lanes than it was sent.
    let (found, _) = seen(&lanes[..1], count);
    assert!(
        found
            .iter()
            .all(|found| matches!(found.ending, Ending::Damaged(_)))
    );
    assert!(found.iter().any(|found| matches!(
        found.ending,
        Ending::Damaged(Damage::Header(_) | Damage::Lanes)
    )));
}

#[test]
fn a_slip_is_found() {
    let mut random = random();
    let (words, sent) = traffic(&mut random, Lanes::X1, 20);
    let (lanes, count) = raw(&words, Lanes::X1, &[0]);
    // Everything behind the first half is seven bits later.
    let (lane, middle) = (&lanes[0], lanes[0].len() / 2);
    let mut late = lane[..middle].to_vec();
    let mut rest = 0;
    for &word in &lane[middle..] {
        late.push(word << 7 | rest);
        rest = word >> 57;
    }
    let (found, counts) = seen(&[late], count);
    assert_eq!(counts.expect("commas").slips, 1);
    let good = found
        .iter()
        .filter(|found| found.ending == Ending::Whole { clean: true });
    assert!(
        good.count() + 4 >= sent.len(),
        "{} of {}",
        found.len(),
        sent.len()
    );
}

/// Packets on lanes of both codes, with wrong bits in them.
#[test]
fn lanes_and_packets_are_what_was_recorded() {
    let mut rows = String::new();
    for (seed, lanes) in (0..24).zip(Lanes::ALL.into_iter().cycle()) {
        let mut random = Random::new(seed);
        let (words, sent) = traffic(&mut random, lanes, 20);
        let skew: Vec<u64> = (0..LANES).map(|_| random.below(130)).collect();
        let coding = [Coding::Symbols, Coding::Blocks][usize::from(seed >= 12)];
        let (mut lines, count) = match coding {
            Coding::Symbols => raw(&words, lanes, &skew),
            Coding::Blocks => {
                let mut words = Vec::new();
                idle(&mut words, 300);
                for packet in &sent {
                    words.extend(packet.words_in_blocks());
                    idle(&mut words, 20);
                }
                blocks(&words, lanes, &skew, &mut random)
            }
        };
        for _ in 0..seed % 4 * 5 {
            let line = random.below(lines.len() as u64) as usize;
            let at = 8000 + random.below(count - 9000);
            lines[line][(at / 64) as usize] ^= 1 << (at % 64);
        }
        let (found, counts) = coded_seen(&lines, count, coding);
        let mut digest = Digest::default();
        digest.seen(&(&lines, &found));
        let (found, sent) = (found.len(), sent.len());
        rows += &format!("{seed} {lanes:?} {digest} {found} of {sent} packets, {counts:?}\n");
    }
    expect_file!["recorded/slink_dissect.txt"].assert_eq(&rows);
}

#[test]
fn noise_is_nothing() {
    let mut random = random();
    for length in [0, 1, 3, 4000] {
        let words: Vec<u64> = (0..length).map(|_| random.bits()).collect();
        let (found, _) = seen(
            &[words.clone(), words.clone(), words.clone(), words],
            u64::MAX,
        );
        assert!(
            found
                .iter()
                .all(|found| found.ending != Ending::Whole { clean: true })
        );
    }
    for length in [0, 1, 4000] {
        let words: Vec<u64> = (0..length).map(|_| random.bits()).collect();
        let lanes = [words.clone(), words];
        assert_eq!(
            coded_seen(&lanes, u64::MAX, Coding::Blocks),
            (Vec::new(), Err(0))
        );
    }
    let lanes = [vec![0; 100]];
    assert_eq!(seen(&lanes, u64::MAX), (Vec::new(), Err(0)));
}
