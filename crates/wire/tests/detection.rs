// SPDX-License-Identifier: Apache-2.0
//! What the verification code sees: every pattern of one, two and three flipped bits, at every
//! frame width.
//!
//! Patterns are searched by their syndromes, from a definition of the code that is written anew
//! here, bit by bit. That is as good as trying them on frames because the code is linear, which is
//! a test of its own, on random frames. The search must fail for wrong polynomials. Bits are
//! numbered as in the frame: 0 is the lowest of the code, F-1 and F-2 are the sync bits.

use std::hash::{BuildHasher, RandomState};

use ropewalk_wire::rifl::code;
use ropewalk_wire::rifl::frame::{Control, Frame};
use ropewalk_wire::rifl::link::Random;
use ropewalk_wire::rifl::params::WORD_BITS;
use ropewalk_wire::rifl::plan::detection::{Detection, unseen_patterns};
use ropewalk_wire::rifl::scrambler::Scrambler;
use ropewalk_wire::rifl::{FrameWidth, IdWidth, LaneParams, Receiver, Segment};

const WIDTHS: [usize; 5] = [128, 256, 512, 1024, 2048];

/// A fresh seed, printed; `SEED=` repeats it.
fn random(test: &str) -> Random {
    let given = std::env::var("SEED")
        .ok()
        .and_then(|text| text.parse().ok());
    let seed = given.unwrap_or_else(|| RandomState::new().hash_one(test));
    println!("{test}: SEED={seed}");
    Random::new(seed)
}

/// The syndrome by its definition: the frame runs through a register, top bit first, its code field
/// taken as zero, and what comes out is added to the code. `bit(i)` is bit i of the frame.
fn syndrome(width: usize, polynomial: u16, bit: impl Fn(usize) -> bool) -> u16 {
    let crc = (0..width).rev().fold(0u16, |crc, i| {
        let top = (crc >> 11 & 1 == 1) != (i >= 12 && bit(i));
        (crc << 1 & 0xfff) ^ if top { polynomial } else { 0 }
    });
    (0..12).fold(crc, |sum, i| sum ^ u16::from(bit(i)) << i)
}

/// What each bit adds to the syndrome.
fn effects(width: usize, polynomial: u16) -> Vec<u16> {
    (0..width)
        .map(|flipped| syndrome(width, polynomial, |i| i == flipped))
        .collect()
}

/// Patterns of one, two and three bits: (searched, unseen).
fn search(effects: &[u16]) -> [(u64, u64); 3] {
    let mut found = [(0, 0); 3];
    // How often each effect occurs above bit j.
    let mut above = vec![0u64; 4096];
    for (j, &effect) in effects.iter().enumerate().rev() {
        let bits_above = (effects.len() - 1 - j) as u64;
        let mut count = |bits: usize, searched, unseen| {
            found[bits - 1].0 += searched;
            found[bits - 1].1 += unseen;
        };
        count(1, 1, u64::from(effect == 0));
        count(2, bits_above, above[usize::from(effect)]);
        for &lower in &effects[..j] {
            count(3, bits_above, above[usize::from(lower ^ effect)]);
        }
        above[usize::from(effect)] += 1;
    }
    found
}

#[test]
fn every_pattern_of_up_to_three_bits() {
    // Patterns of two that go unseen at 2048 bits: the polynomial has order 2047, and the bits of
    // the code stand where the order comes round again.
    for (width, searched, unseen) in [
        (128, [128, 8_128, 341_376], [0, 0, 0]),
        (256, [256, 32_640, 2_763_520], [0, 0, 0]),
        (512, [512, 130_816, 22_238_720], [0, 0, 0]),
        (1024, [1024, 523_776, 178_433_024], [0, 0, 0]),
        (2048, [2048, 2_096_128, 1_429_559_296], [0, 12, 0]),
    ] {
        let found = search(&effects(width, code::POLYNOMIAL));
        assert_eq!(found.map(|f| f.0), searched, "{width}");
        assert_eq!(found.map(|f| f.1), unseen, "{width}");
    }
    let effects = effects(2048, code::POLYNOMIAL);
    let pairs: Vec<(usize, usize)> = (0..2048)
        .flat_map(|j| (0..j).map(move |i| (i, j)))
        .filter(|&(i, j)| effects[i] == effects[j])
        .collect();
    assert_eq!(pairs, (0..12).map(|i| (i, 2035 + i)).collect::<Vec<_>>());
    println!("unseen at 2048 bits: {pairs:?}, the last with a sync bit");
}

/// The search itself, against trying every pattern one by one.
#[test]
fn the_search_finds_what_there_is() {
    let mut random = random("search");
    for _ in 0..20 {
        // Few values, so that everything occurs: zeros, equal ones, sums.
        let effects: Vec<u16> = (0..40).map(|_| random.below(32) as u16).collect();
        let mut tried = [(0u64, 0u64); 3];
        for k in 0..effects.len() {
            let mut count = |bits: usize, sum: u16| {
                tried[bits - 1].0 += 1;
                tried[bits - 1].1 += u64::from(sum == 0);
            };
            count(1, effects[k]);
            for j in 0..k {
                count(2, effects[k] ^ effects[j]);
                for &effect in &effects[..j] {
                    count(3, effects[k] ^ effects[j] ^ effect);
                }
            }
        }
        assert_eq!(search(&effects), tried);
    }
}

#[test]
fn a_wrong_polynomial_is_found_out() {
    let unseen = |polynomial| search(&effects(256, polynomial)).map(|found| found.1);
    assert_eq!(unseen(code::POLYNOMIAL), [0; 3]);
    // Each with one term more or less than the right one, and the shortest possible.
    for polynomial in (0..12)
        .map(|bit| code::POLYNOMIAL ^ 1 << bit)
        .chain([0x001, 0x000])
    {
        assert_ne!(unseen(polynomial), [0; 3], "{polynomial:03x}");
        let real: Vec<u16> = (0..256).map(code::effect).collect();
        assert_ne!(effects(256, polynomial), real, "{polynomial:03x}");
    }
}

#[test]
fn syndromes_add() {
    let mut random = random("linear");
    for width in WIDTHS {
        let effects = effects(width, code::POLYNOMIAL);
        let real: Vec<u16> = (0..width as u16).map(code::effect).collect();
        assert_eq!(effects, real, "{width}");
        for _ in 0..200 {
            let words: Vec<u64> = (0..width / WORD_BITS).map(|_| random.bits()).collect();
            let flips: Vec<usize> = (0..1 + random.below(6))
                .map(|_| random.below(width as u64) as usize)
                .collect();
            let mut damaged = words.clone();
            for &bit in &flips {
                damaged[(width - 1 - bit) / WORD_BITS] ^= 1 << (bit % WORD_BITS);
            }
            let definition = |words: &[u64]| {
                syndrome(width, code::POLYNOMIAL, |bit| {
                    words[(width - 1 - bit) / WORD_BITS] >> (bit % WORD_BITS) & 1 == 1
                })
            };
            let sum = flips.iter().fold(0, |sum, &bit| sum ^ effects[bit]);
            assert_eq!(
                definition(&damaged) ^ definition(&words),
                sum,
                "{width}: {flips:?}"
            );
            let frame = |words: &[u64]| code::syndrome(&Frame::from_words(words).unwrap());
            assert_eq!(frame(&words), definition(&words), "{width}");
            assert_eq!(frame(&damaged), definition(&damaged), "{width}");
        }
    }
}

/// Both codes of a frame with the stronger one, by their definition. The stronger code is the
/// remainder of what stands above it; it and the code come after it, and it does not cover them.
fn strong_syndrome(width: usize, polynomial: u16, bit: impl Fn(usize) -> bool) -> u32 {
    let crc = (28..width).rev().fold(0u16, |crc, i| {
        let top = (crc >> 15 == 1) != bit(i);
        crc << 1 ^ if top { polynomial } else { 0 }
    });
    let strong = (0..16).fold(crc, |sum, i| sum ^ u16::from(bit(12 + i)) << i);
    u32::from(strong) << 12 | u32::from(syndrome(width, code::POLYNOMIAL, bit))
}

/// Whether four or fewer bits with these effects cancel.
fn four_cancel(effects: &[u32]) -> bool {
    let mut seen = vec![0u64; 1 << 22];
    let mut again = |sum: u32| {
        let (word, bit) = (sum as usize / 64, 1 << (sum % 64));
        let before = seen[word] & bit != 0;
        seen[word] |= bit;
        before
    };
    // Nothing and each bit alone may not meet a pair or each other, nor two pairs. (One bit and a
    // pair, two single bits: patterns of three and two.)
    let single = again(0) | effects.iter().any(|&effect| again(effect));
    single || (0..effects.len()).any(|j| (0..j).any(|i| again(effects[i] ^ effects[j])))
}

/// With the stronger code every pattern of up to five bits is seen: of up to four by search, of
/// five because the code sees all odd ones.
#[test]
fn every_pattern_of_up_to_five_bits_with_the_stronger_code() {
    let effects = |width, polynomial| -> Vec<u32> {
        (0..width)
            .map(|flipped| strong_syndrome(width, polynomial, |i| i == flipped))
            .collect()
    };
    for width in [1024, 2048] {
        let right = effects(width, code::STRONG_POLYNOMIAL);
        let real: Vec<u32> = (0..width as u16).map(code::strong_effect).collect();
        assert_eq!(right, real, "{width}");
        assert!(!four_cancel(&right), "{width}");
        assert!(
            (0..12).all(|bit| four_cancel(&effects(width, code::STRONG_POLYNOMIAL ^ 1 << bit))),
            "the search finds wrong polynomials out"
        );
    }
    let odd = (0..2048).all(|bit| code::effect(bit).count_ones() % 2 == 1);
    assert!(
        odd,
        "x + 1 divides the polynomial of the code: no odd number of effects cancels"
    );
}

/// What the model seals is what the definition says, bit for bit, and what it checks.
#[test]
fn the_stronger_code_of_frames() {
    let mut random = random("strong");
    for width in [1024usize, 2048] {
        let frame = FrameWidth::new(width as u32).unwrap();
        let strong = frame.with_strong_code().unwrap();
        for round in 0..200 {
            let mut words: Vec<u64> = (0..width / WORD_BITS).map(|_| random.bits()).collect();
            // A control frame, the codes of which start at zero.
            words[0] = words[0] & (u64::MAX >> 2) | 2 << 62;
            let mut sent = Frame::of(strong, &words).unwrap();
            code::seal_bound(&mut sent, 0, random.bits());
            let bit = |frame: &Frame, i: usize| {
                frame.words()[(width - 1 - i) / WORD_BITS] >> (i % WORD_BITS) & 1 == 1
            };
            let sum = strong_syndrome(width, code::STRONG_POLYNOMIAL, |i| bit(&sent, i));
            assert_eq!(sum, 0, "{width}, round {round}");
            let fits = |frame: &Frame| code::strong_fits(frame, 0);
            assert!(fits(&sent));
            for _ in 0..4 {
                let flipped = 12 + random.below(width as u64 - 12) as usize;
                let mut damaged = sent;
                damaged.words_mut()[(width - 1 - flipped) / WORD_BITS] ^= 1 << (flipped % 64);
                assert!(!fits(&damaged), "{width}: bit {flipped}");
            }
            // A data frame starts at the newest 16 scrambled bits in front of it.
            words[0] = words[0] & (u64::MAX >> 2) | 1 << 62;
            let mut sent = Frame::of(strong, &words).unwrap();
            let front = random.bits();
            code::seal_bound(&mut sent, 0, front);
            let started =
                |i: usize| bit(&sent, i) ^ (i + 16 >= width && front >> (i + 16 - width) & 1 == 1);
            let sum = strong_syndrome(width, code::STRONG_POLYNOMIAL, started);
            assert_eq!(sum >> 12, 0, "{width}, round {round}");
            assert!(code::strong_fits(&sent, front) && !code::strong_fits(&sent, front ^ 1 << 15));
        }
    }
}

/// Patterns of four bits that the code does not see.
fn unseen_fours(effects: &[u16]) -> Vec<[usize; 4]> {
    let mut by_sum: Vec<Vec<(usize, usize)>> = vec![Vec::new(); 4096];
    for j in 0..effects.len() {
        for i in 0..j {
            by_sum[usize::from(effects[i] ^ effects[j])].push((i, j));
        }
    }
    let mut found = Vec::new();
    for pairs in &by_sum {
        for (n, &(a, b)) in pairs.iter().enumerate() {
            // Each pattern falls into two pairs in three ways; this one has its lowest two bits
            // together.
            found.extend(pairs[n + 1..].iter().filter_map(|&(c, d)| {
                let mut bits = [a, b, c, d];
                bits.sort_unstable();
                ((bits[0], bits[1]) == (a, b) || (bits[0], bits[1]) == (c, d)).then_some(bits)
            }));
        }
    }
    found
}

#[test]
fn patterns_of_four_are_counted_right() {
    for width in [128, 256] {
        let effects = effects(width, code::POLYNOMIAL);
        let found = unseen_fours(&effects);
        let wide: Vec<u32> = effects.iter().map(|&effect| effect.into()).collect();
        assert_eq!(found.len() as u64, unseen_patterns(&wide)[4], "{width}");
        // The plan leaves those out that hit a sync bit.
        let delivered = found.iter().filter(|bits| bits[3] < width - 2).count() as u64;
        let frame = FrameWidth::new(width as u32).unwrap();
        assert_eq!(delivered, Detection::of(frame).unseen(4), "{width}");
        let all = (0..4).fold(1, |product, i| product * (width as u64 - i) / (i + 1));
        println!(
            "{width} bits: of {all} patterns of four, {} are not seen by the code (1 in {:.0}), and {delivered} of these \
             have legal sync bits",
            found.len(),
            all as f64 / found.len() as f64
        );
    }
}

const WIDTH: FrameWidth = FrameWidth::W256;

/// A receiver in the middle of a stream, and what comes next.
struct Bench {
    receiver: Receiver,
    next: [Frame; 2],
}

impl Bench {
    fn new() -> Self {
        let lane = LaneParams::new(WIDTH, IdWidth::MIN);
        let mut receiver = Receiver::new(lane.with_up_frames(1).unwrap());
        let mut scrambler = Scrambler::default();
        let mut frame = |plain: Frame, id| {
            let mut frame = plain;
            scrambler.frame(&mut frame);
            code::seal(&mut frame, id);
            frame
        };
        receiver.frame(&frame(Frame::control(WIDTH, Control::Idle), 0), true);
        let mut data = |id: u16| {
            let segment = Segment::new(WIDTH, &id.to_be_bytes(), true).unwrap();
            frame(Frame::user(WIDTH, &segment), id)
        };
        for id in 0..40 {
            assert!(receiver.frame(&data(id), true).delivered);
        }
        Self {
            receiver,
            next: [data(40), data(41)],
        }
    }

    /// Sends the next frame with these bits flipped; whether it was delivered, and whether the
    /// receiver knows of the error when the frame behind it has come.
    fn damaged(&self, bits: &[usize]) -> (bool, bool) {
        let mut receiver = self.receiver.clone();
        let [mut frame, behind] = self.next;
        for &bit in bits {
            frame.words_mut()[(255 - bit) / 64] ^= 1 << (bit % 64);
        }
        let first = receiver.frame(&frame, true);
        receiver.frame(&behind, true);
        (first.delivered, receiver.flags().error)
    }
}

/// The same through the receiver: nothing of it is delivered.
#[test]
fn the_receiver_refuses_what_the_code_sees() {
    let bench = Bench::new();
    assert_eq!(bench.damaged(&[]), (true, false));
    for bit in 0..256 {
        assert_eq!(bench.damaged(&[bit]), (false, true), "bit {bit}");
    }
    let mut random = random("receiver");
    for _ in 0..20_000 {
        let [a, b, c] = [(); 3].map(|()| random.below(256) as usize);
        for bits in [&[a, b][..], &[a, b, c]] {
            let distinct = (1..bits.len()).all(|i| !bits[..i].contains(&bits[i]));
            assert!(
                !distinct || bench.damaged(bits) == (false, true),
                "{bits:?}"
            );
        }
    }
}

/// Four flipped bits can cancel in the code. If one of them is a sync bit the frame is refused; if
/// both are, a data frame has become a control frame, nothing is delivered, and the next frame
/// tells that one is missing.
#[test]
fn patterns_that_hit_sync_bits_are_not_delivered() {
    let bench = Bench::new();
    let found = unseen_fours(&effects(256, code::POLYNOMIAL));
    let (mut one, mut both, mut none) = (0, 0, 0);
    for bits in &found {
        match (bits[2] >= 254, bits[3] >= 254) {
            (true, _) => both += 1,
            (false, true) => one += 1,
            // These are delivered: the code's share of errors that go unseen.
            (false, false) => {
                none += 1;
                if none <= 100 {
                    assert_eq!(bench.damaged(bits), (true, false), "{bits:?}");
                }
                continue;
            }
        }
        assert_eq!(bench.damaged(bits), (false, true), "{bits:?}");
    }
    assert!(
        one > 1000 && both > 0 && none > 50_000,
        "{one} {both} {none}"
    );
    println!(
        "unseen patterns of four at 256 bits: {one} hit one sync bit, {both} both, {none} none"
    );
}
