// SPDX-License-Identifier: Apache-2.0
//! Recorded words of RDMA: packets of both framings are seen as they were sent, one that is damaged
//! is seen as such and hides none behind it, and no words are a panic.

mod common;

use common::{bytes, random};
use ropewalk_testkit::{Digest, expect_file};
use ropewalk_wire::rdma::dissect::{Fault, Found, Framing, dissect};
use ropewalk_wire::rdma::packed::{self, Joiner, WORD, Word};
use ropewalk_wire::rdma::{Footer, Header, Kind, Packet, Sequence, words};
use ropewalk_wire::rifl::link::Random;

const KINDS: [Kind; 6] = [
    Kind::Data,
    Kind::Message,
    Kind::Control,
    Kind::Ack,
    Kind::Nack,
    Kind::ReadRequest,
];

fn packet(random: &mut Random) -> Packet {
    let kind = KINDS[random.below(6) as usize];
    let length = match random.below(4) {
        0 => 1024,
        1 => 0,
        _ => random.below(1025),
    };
    let last = random.below(64) as u8;
    Packet {
        header: Header {
            address: random.bits(),
            kind,
            tid: random.below(1024) as u16,
            sequence: Sequence::new(random.bits() as u16),
            epoch: random.below(16) as u8,
            source: random.bits() as u16,
            domain: random.bits() as u16,
        },
        payload: bytes(random, length as usize),
        footer: Footer {
            index: random.below(u64::from(last) + 1) as u8,
            last,
            notify: random.chance(128),
            managed: random.chance(128),
            tries: random.below(16) as u8,
            transfer: random.below(2048) as u16,
            asked: (kind == Kind::Data && random.chance(128)).then(|| random.below(16) as u8),
            qos: random.below(1 << 22) as u32,
            marked: random.chance(128),
            echo: kind == Kind::Ack && random.chance(128),
        },
    }
}

/// Words with packets in them, in each of the two framings, and where each begins.
fn traffic(random: &mut Random) -> (Vec<Word>, Vec<(Packet, Framing, usize)>) {
    let (mut line, mut sent) = (Vec::new(), Vec::new());
    for _ in 0..6 {
        for _ in 0..10 {
            let packet = packet(random);
            sent.push((packet.clone(), Framing::Words, line.len()));
            line.extend(words::encode(&packet).expect("a packet"));
            line.resize(line.len() + random.below(3) as usize, [0; WORD]);
        }
        let mut joiner = Joiner::default();
        let mut lanes = 0;
        for _ in 0..10 {
            let packet = packet(random);
            let encoded = packed::encode(&packet).expect("a packet");
            sent.push((packet, Framing::Packed, line.len() + lanes / 4));
            lanes += encoded.len();
            joiner.push(&encoded);
        }
        line.extend(std::iter::from_fn(|| joiner.pop()).map(|word| word.0));
    }
    (line, sent)
}

fn seen(words: &[Word]) -> Vec<Found> {
    let mut found = Vec::new();
    dissect(words, |one| found.push(one));
    found
}

#[test]
fn packets_are_seen_as_they_were_sent() {
    let mut random = random();
    for _ in 0..20 {
        let (line, sent) = traffic(&mut random);
        let found = seen(&line);
        assert_eq!(found.len(), sent.len());
        for (found, (packet, framing, word)) in found.iter().zip(&sent) {
            assert_eq!(found.packet.as_ref(), Ok(packet));
            assert_eq!((found.framing, found.word), (Some(*framing), *word));
        }
    }
}

#[test]
fn a_damaged_packet_hides_no_other_one() {
    let mut random = random();
    let (mut line, mut sent) = (Vec::new(), Vec::new());
    for _ in 0..30 {
        let packet = packet(&mut random);
        sent.push(line.len());
        line.extend(words::encode(&packet).expect("a packet"));
    }
    let whole = seen(&line);
    for _ in 0..300 {
        let hit = random.below(sent.len() as u64) as usize;
        let end = sent.get(hit + 1).copied().unwrap_or(line.len());
        let at = sent[hit] + random.below((end - sent[hit]) as u64) as usize;
        let mut wrong = line.clone();
        // Header, payload or footer: what lies behind may be anything. Not the mark: it says how
        // the packets behind are laid out.
        let place = random.below(if at == sent[hit] { 14 } else { 16 });
        wrong[at][place as usize] ^= 1 << random.below(8);
        let found = seen(&wrong);
        for (place, right) in whole.iter().enumerate() {
            let same = found.iter().find(|found| found.word == right.word);
            let same = same.expect("something is said of it");
            let ok = same == right;
            // A mark of the network has no check, and payload may end before these bytes.
            let allowed = place == hit;
            assert!(ok || allowed, "packet {place} of {hit}: {same:?}");
        }
    }
}

#[test]
fn what_ends_too_early_is_open() {
    let mut random = random();
    let mut long = packet(&mut random);
    long.payload = bytes(&mut random, 1000);
    let line = words::encode(&long).expect("a packet");
    let found = seen(&line[..10]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].packet, Err(Fault::Open));
    let mut joiner = Joiner::default();
    joiner.push(&packed::encode(&long).expect("a packet"));
    let line: Vec<Word> = std::iter::from_fn(|| joiner.pop())
        .map(|word| word.0)
        .collect();
    let found = seen(&line[..10]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].packet, Err(Fault::Open));
    assert_eq!(found[0].framing, Some(Framing::Packed));
}

/// Packets on the line, some of them damaged or cut off.
#[test]
fn words_and_packets_are_what_was_recorded() {
    let mut rows = String::new();
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let (mut line, sent) = traffic(&mut random);
        let (mut sums, mut done) = (Digest::default(), Digest::default());
        line.iter().for_each(|word| sums.bytes(word));
        for _ in 0..random.below(12) {
            let at = random.below(line.len() as u64) as usize;
            match random.below(3) {
                0 => drop(line.remove(at)),
                _ => line[at][random.below(16) as usize] ^= 1 << random.below(8),
            }
        }
        let found = seen(&line);
        let good = found.iter().filter(|it| it.packet.is_ok()).count();
        done.seen(&found);
        let (words, found, sent) = (line.len(), found.len(), sent.len());
        rows += &format!(
            "{seed} {sums} {done} {words} words, {found} of {sent} packets, {good} good\n"
        );
    }
    expect_file!["recorded/rdma.txt"].assert_eq(&rows);
}

#[test]
fn noise_is_no_packet() {
    let mut random = random();
    for _ in 0..200 {
        let noise = bytes(&mut random, 50 * WORD);
        let mut line: Vec<Word> = noise.as_chunks().0.to_vec();
        for word in &mut line {
            if random.chance(100) {
                // What looks like a header.
                word[15] = 0x80 | (random.below(12) as u8);
            }
        }
        assert!(seen(&line).iter().all(|found| found.packet.is_err()));
    }
    assert_eq!(seen(&[]), []);
    assert_eq!(seen(&[[0; WORD]; 5]), []);
}
