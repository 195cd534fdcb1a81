// SPDX-License-Identifier: Apache-2.0
//! Codewords under a lane of RIFL: found at any place, corrected, marked, given up and found again.

mod common;

use common::{Random, random};
use ropewalk_wire::rifl::fec::{
    CODE, Counts, Limits, MARKER, PAYLOAD, Received, Receiver, State, Transmitter, WORDS,
};

/// Codewords in which a lane is found, with those in which it is believed.
const LOCK: usize = 8;

/// A lane: random words of RIFL, errors, a slip in bits that may change.
struct Lane {
    random: Random,
    transmitter: Transmitter,
    receiver: Receiver,
    sent: Vec<u64>,
    slip: u32,
    before: u64,
    got: Vec<Received>,
    /// How often the lane was heard and then not.
    losses: usize,
}

impl Lane {
    fn new(limits: Limits) -> Self {
        let mut random = random();
        Lane {
            slip: random.below(64) as u32,
            before: random.bits(),
            random,
            transmitter: Transmitter::new(),
            receiver: Receiver::new(limits),
            sent: Vec::new(),
            got: Vec::new(),
            losses: 0,
        }
    }

    /// A word of the line arrives.
    fn line(&mut self, word: u64) {
        let both = u128::from(word) << 64 | u128::from(self.before);
        let cut = (both >> (64 - self.slip)) as u64;
        self.before = word;
        let heard = self.receiver.state() == State::Heard;
        self.got.extend(self.receiver.word(cut));
        self.losses += usize::from(heard && self.receiver.state() != State::Heard);
    }

    /// A codeword goes over the line, with this error in each of its words.
    fn codeword(&mut self, errors: [u64; WORDS]) {
        let mut line = Vec::new();
        for _ in 0..PAYLOAD {
            let word = self.random.bits();
            self.sent.push(word);
            self.transmitter.word(word, &mut line);
        }
        for (word, error) in line.into_iter().zip(errors) {
            self.line(word ^ error);
        }
    }

    fn clean(&mut self, count: usize) {
        for _ in 0..count {
            self.codeword([0; WORDS]);
        }
    }

    /// Words that are none of codewords.
    fn noise(&mut self, count: usize) {
        for _ in 0..count * WORDS {
            let word = self.random.bits();
            self.line(word);
        }
    }

    /// Errors in this number of symbols, spread or in a row.
    fn errors(&mut self, count: usize) -> [u64; WORDS] {
        let n = CODE.n() as u64;
        let (burst, first) = (
            self.random.chance(64),
            self.random.below(n + 1 - count as u64),
        );
        let mut places: Vec<u64> = Vec::new();
        while places.len() < count {
            let place = if burst {
                first + places.len() as u64
            } else {
                self.random.below(n)
            };
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let mut errors = [0; WORDS];
        for place in places {
            let error = 1 + self.random.below(1023);
            for bit in (0..10).filter(|bit| error >> bit & 1 == 1) {
                let at = place as usize * 10 + bit;
                errors[at / 64] |= 1 << (at % 64);
            }
        }
        errors
    }

    /// Clean codewords until the lane is heard; how many.
    fn found(&mut self) -> usize {
        (0..2 * LOCK)
            .find(|_| {
                self.clean(1);
                self.receiver.state() == State::Heard
            })
            .expect("heard")
            + 1
    }

    /// All words that were given, none of them bad, are those that were sent, `from` one on, in
    /// order; how many.
    fn in_order(&self, from: usize) -> usize {
        let first = self.got.iter().position(|got| !got.bad).expect("a word");
        let word = self.got[first].word;
        let at = from
            + self.sent[from..]
                .iter()
                .position(|&sent| sent == word)
                .expect("what was sent");
        for (got, sent) in self.got[first..].iter().zip(&self.sent[at..]) {
            assert_eq!((got.word, got.bad), (*sent, false));
        }
        self.got.len() - first
    }
}

fn limits(random: &mut Random) -> Limits {
    let steps = [1, 2, 3, 4, 6, 12][random.below(6) as usize];
    let scan = [4, 8, 16, 32][random.below(4) as usize];
    let lose = 1 + random.below(6) as usize;
    Limits { lose, steps, scan }
}

#[test]
fn found_wherever_words_are_cut() {
    let mut choices = random();
    for slip in 0..64 {
        let mut lane = Lane::new(limits(&mut choices));
        lane.slip = slip;
        for _ in 0..lane.random.below(WORDS as u64) {
            let word = lane.random.bits();
            lane.line(word);
        }
        let before = lane.got.len();
        assert!(lane.found() <= LOCK);
        assert!(lane.got[..before].iter().all(|got| !got.bad));
        // A codeword is believed before its words leave; those of earlier ones came as they were.
        let changes = lane.got.iter().filter(|got| got.bad).count();
        lane.got.clear();
        lane.clean(6);
        assert_eq!(lane.got.len(), 6 * PAYLOAD);
        let later = lane.got.iter().filter(|got| got.bad).count();
        assert_eq!(changes + later, 1, "the first word of codewords");
    }
}

#[test]
fn six_symbols_are_corrected_wherever_they_are() {
    let mut choices = random();
    for _ in 0..6 {
        let mut lane = Lane::new(Limits {
            lose: 2,
            ..limits(&mut choices)
        });
        lane.found();
        lane.clean(3);
        lane.got.clear();
        let (from, mut expected) = (lane.sent.len() - 6 * PAYLOAD, Counts::default());
        for _ in 0..100 {
            let count = lane.random.below(7) as usize;
            // Two markers in a row that are missing would lose the place.
            let errors = lane.errors(count);
            let missing = errors[PAYLOAD] & 0xff != 0;
            lane.codeword(errors);
            expected.corrected += u64::from(count > 0);
            expected.symbols += count as u64;
            if missing {
                lane.clean(1);
            }
        }
        lane.clean(3);
        assert!(lane.in_order(from) > 100 * PAYLOAD);
        assert_eq!(lane.receiver.counts(), expected);
        assert_eq!(lane.receiver.state(), State::Heard);
    }
}

/// As they came, and marked, every word of them; none of the codewords beside them.
#[test]
fn more_are_marked() {
    let mut choices = random();
    for _ in 0..6 {
        let mut lane = Lane::new(Limits {
            lose: 4,
            ..limits(&mut choices)
        });
        lane.found();
        lane.clean(4);
        lane.got.clear();
        let mut expected = Vec::new();
        let mut bad_in_a_row = 0;
        for _ in 0..120 {
            let mut count = lane.random.below(14) as usize;
            if bad_in_a_row == 3 {
                count = 0;
            }
            bad_in_a_row = if count > 6 { bad_in_a_row + 1 } else { 0 };
            let mut errors = lane.errors(count);
            errors[PAYLOAD] &= !0xff; // the marker stays
            let symbols = wrong(&errors);
            lane.codeword(errors);
            let sent = &lane.sent[lane.sent.len() - PAYLOAD..];
            let bad = symbols > 6;
            bad_in_a_row = if bad { bad_in_a_row } else { 0 };
            expected.extend(sent.iter().zip(errors).map(|(word, error)| Received {
                word: if bad { word ^ error } else { *word },
                bad,
            }));
        }
        lane.clean(4);
        let begin = lane
            .got
            .iter()
            .position(|&got| got == expected[0])
            .expect("the first word");
        assert!(begin <= 4 * PAYLOAD);
        let got = &lane.got[begin..begin + expected.len()];
        assert!(got == expected);
        let bad = expected.iter().filter(|word| word.bad).count() / PAYLOAD;
        assert!(bad > 20);
        assert_eq!(lane.receiver.counts().uncorrectable, bad as u64);
    }
}

/// Symbols of a codeword that are touched.
fn wrong(errors: &[u64; WORDS]) -> usize {
    let bit = |at: usize| errors[at / 64] >> (at % 64) & 1 == 1;
    (0..CODE.n())
        .filter(|symbol| (0..10).any(|at| bit(10 * symbol + at)))
        .count()
}

/// Codewords that cannot be corrected lose a place, and so do markers alone, though all is
/// corrected; one fewer does not.
#[test]
fn places_are_given_up() {
    for lose in 1..6 {
        for markers in [false, true] {
            let mut lane = Lane::new(Limits {
                lose,
                ..Limits::default()
            });
            lane.found();
            lane.clean(3);
            for (count, losses) in [(lose - 1, 0), (lose, 1)] {
                for _ in 0..count {
                    let mut errors = [0; WORDS];
                    if markers {
                        errors[PAYLOAD] = 1 << lane.random.below(8);
                    } else {
                        // Each symbol of the first word.
                        errors[0] = 0x1004_0100_4010_0401;
                    }
                    lane.codeword(errors);
                }
                lane.clean(4);
                assert_eq!(lane.losses, losses, "{count} of {lose}, markers: {markers}");
            }
            assert!(lane.found() <= LOCK);
        }
    }
}

/// After a slip the lane is found at its new place; what is given meanwhile and not bad was sent.
#[test]
fn slips() {
    let mut choices = random();
    for _ in 0..20 {
        let mut lane = Lane::new(limits(&mut choices));
        lane.found();
        lane.clean(4);
        let was = lane.slip;
        lane.slip = (was + 1 + lane.random.below(63) as u32) % 64;
        let mut lost = 0;
        while lane.receiver.state() == State::Heard {
            lane.clean(1);
            lost += 1;
            assert!(lost <= LOCK);
        }
        assert!(lane.found() <= LOCK);
        lane.clean(4);
        lane.got.clear();
        let from = lane.sent.len() - PAYLOAD * 4;
        lane.clean(8);
        lane.in_order(from);
    }
}

/// Neither random words nor words that repeat themselves are ever heard; all pass as they come.
#[test]
fn plain_words_are_no_codewords() {
    let mut lane = Lane::new(Limits::default());
    lane.noise(400);
    assert!(lane.got.iter().all(|got| !got.bad));
    for period in [1, 2, 4, 5, 8, 10, 20, 40] {
        let mut repeated: Vec<u64> = (0..period).map(|_| lane.random.bits()).collect();
        repeated[0] = repeated[0] & !0xff | MARKER;
        for word in repeated.iter().cycle().take(30 * WORDS) {
            lane.line(*word);
            assert_ne!(lane.receiver.state(), State::Heard);
        }
    }
    assert_eq!(lane.receiver.counts(), Counts::default());
}

/// Codewords that nobody wants are not touched, and are heard.
#[test]
fn codewords_are_taken_when_they_are_wanted() {
    let mut lane = Lane::new(Limits::default());
    lane.receiver.want(false);
    lane.slip = 0;
    lane.found();
    lane.got.clear();
    lane.clean(6);
    assert_eq!(lane.got.len(), 6 * WORDS);
    assert!(lane.got.iter().all(|got| !got.bad));
    lane.receiver.want(true);
    lane.clean(2);
    lane.got.clear();
    lane.clean(6);
    assert_eq!(lane.got.len(), 6 * PAYLOAD);
    lane.receiver.want(false);
    lane.clean(2);
    lane.got.clear();
    lane.clean(6);
    assert_eq!(lane.got.len(), 6 * WORDS);
}
