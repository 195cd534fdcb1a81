// SPDX-License-Identifier: Apache-2.0
//! An SLink between the RTL and the model of `ropewalk-wire`, bit by bit: changes of the line's
//! mode asked for by either end, with operations of both under way. What the ends say about them is
//! the same, bit for bit, whoever is RTL and whoever is the model.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_sim::slink::{
    Able, Change, Coding, LineMode, Made, Mixed, Operation, Outcome, Rate, START,
};
use ropewalk_sim::testing::seed;
use ropewalk_wire::line::Lanes;
use ropewalk_wire::slink::{Header, Kind, Message, Notice};

const BYTES: usize = 1 << 15;
const HALF: u32 = BYTES as u32 / 2;
const ALL: Able = Able {
    fast: true,
    blocks: true,
};
/// More edges than a change or an operation takes that goes well.
const PATIENCE: u64 = 60_000;
/// And one that does not: up to 40 periods of 4096 cycles, of two clocks.
const LONG: u64 = 400_000;

/// A link and what its memories have to be.
struct Link {
    mixed: Mixed,
    wanted: [Vec<u8>; 2],
    random: Xoshiro256PlusPlus,
    /// What is under way, and the writes that have ended since the last look.
    operations: [Option<Operation>; 2],
    written: [Vec<u32>; 2],
    done: u32,
}

impl Link {
    fn new(made: [Made; 2], able: [Able; 2], seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let wanted = [(); 2].map(|()| {
            let mut bytes = vec![0; BYTES];
            bytes.fill_with(|| random.next_u32() as u8);
            bytes
        });
        let mut link = Link {
            mixed: Mixed::new(made, able, wanted.clone()).unwrap(),
            wanted,
            random,
            operations: [None; 2],
            written: Default::default(),
            done: 0,
        };
        link.until("both up", PATIENCE, |link| {
            link.mixed.is_up(0) && link.mixed.is_up(1)
        });
        link
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.random.next_u32() % limit
    }

    /// Starts a random operation. Nobody writes to the lower half of a memory; to the third quarter
    /// the other end does, to the last one what this end reads.
    fn start(&mut self, end: usize, lanes: Lanes, words: u32) {
        let read = self.below(2) == 0;
        let from = 8 * self.below(HALF / 8 - words);
        let to = HALF + 8 * self.below(HALF / 16 - words);
        let (local, remote) = if read {
            (to + HALF / 2, from)
        } else {
            (from, to)
        };
        let operation = Operation {
            read,
            words,
            lanes,
            crc: true,
            speed: START.rate.run(),
            local,
            remote,
        };
        self.mixed.start(end, &operation);
        self.operations[end] = Some(operation);
    }

    fn step(&mut self) {
        self.mixed.step();
        for end in 0..2 {
            let Some(outcome) = self.mixed.outcome(end) else {
                continue;
            };
            let operation = self.operations[end].take().expect("an operation");
            assert_eq!(outcome, Outcome::Done, "{operation:?}");
            self.done += 1;
            let bytes = 8 * operation.words as usize;
            let (local, remote) = (operation.local as usize, operation.remote as usize);
            let [mine, other] = [end, 1 - end];
            if operation.read {
                let data = self.wanted[other][remote..][..bytes].to_vec();
                self.wanted[mine][local..][..bytes].copy_from_slice(&data);
            } else {
                let data = self.wanted[mine][local..][..bytes].to_vec();
                self.wanted[other][remote..][..bytes].copy_from_slice(&data);
                let words = (operation.remote..).step_by(8).take(bytes / 8);
                self.written[other].extend(words);
            }
        }
    }

    fn until(&mut self, what: &str, edges: u64, mut over: impl FnMut(&mut Self) -> bool) {
        for _ in 0..edges {
            if over(self) {
                return;
            }
            self.step();
        }
        panic!("{what}: not within {edges} edges, {:?}", self.mixed);
    }

    /// The result of a change that an end has asked for.
    fn result(&mut self, end: usize, edges: u64) -> Change {
        let mut result = None;
        self.until("result", edges, |link| {
            result = link.mixed.changed(end);
            result.is_some()
        });
        result.unwrap()
    }

    /// Both ends are in this mode, know each other, and have no operation under way; an operation
    /// of each goes well then, over all lanes, and every byte is as it should be.
    fn meet(&mut self, mode: LineMode) {
        let calm = |link: &mut Self| {
            let ends = [0, 1];
            ends.iter()
                .all(|&end| link.mixed.mode(end) == mode && link.mixed.is_up(end))
                && link.operations == [None; 2]
        };
        self.until("calm", PATIENCE, calm);
        for end in 0..2 {
            let words = 1 + self.below(60);
            self.start(end, mode.lanes, words);
            self.until("operation", PATIENCE, calm);
        }
        self.mixed.steps(2000);
        for end in 0..2 {
            assert!(self.mixed.bytes(end) == self.wanted[end], "end {end}");
            // Of a core, what it reads goes to its memory in the same way.
            let mut writes = self.mixed.take_writes(end);
            writes.retain(|&address| address < HALF / 2 * 3);
            let mut written = std::mem::take(&mut self.written[end]);
            writes.sort_unstable();
            written.sort_unstable();
            assert!(writes == written, "end {end}: not each word once");
        }
        self.pass_over_changes();
    }

    /// What the model sees of a change that the other end asked for is no result of this end's.
    fn pass_over_changes(&mut self) {
        for end in 0..2 {
            while self.mixed.changed(end).is_some() {}
        }
    }
}

fn notice(bits: u64) -> Notice {
    match Header::from_bits(bits).expect("a good header").kind {
        Kind::Notice(notice) => notice,
        other => panic!("{other:?}"),
    }
}

/// What both ends have said about changes, each message once, bit for bit, and the numbers of their
/// sessions. Whether a wait is said, and how often a hello, depends on cycles.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    messages: [Vec<u64>; 2],
    sessions: [Vec<u64>; 2],
}

fn said(link: &mut Link) -> Said {
    let mut all = Said::default();
    for end in 0..2 {
        for bits in link.mixed.take_headers(end) {
            let header = Header::from_bits(bits).expect("a good header");
            // The model knows every bit of the notices of the RTL. In "done", which has no address,
            // that leaves bits that mean nothing.
            if header.kind != Kind::Done {
                assert_eq!(header.to_bits(), bits, "{header:?}");
            }
            let (list, bits) = match header.kind {
                Kind::Notice(Notice::Change { message, .. }) if message != Message::Wait => {
                    (&mut all.messages[end], bits)
                }
                Kind::Notice(Notice::Hello { own, .. }) => (&mut all.sessions[end], own.into()),
                _ => continue,
            };
            if !list.contains(&bits) {
                list.push(bits);
            }
        }
    }
    all
}

/// Who is what; sessions of the models.
fn links(sessions: [u16; 2]) -> [[Made; 2]; 4] {
    let [a, b] = sessions.map(Made::Model);
    [
        [Made::Core, Made::Core],
        [Made::Core, b],
        [a, Made::Core],
        [a, b],
    ]
}

/// The sessions in which two cores begin.
fn sessions() -> [u16; 2] {
    let mut link = Link::new([Made::Core; 2], [ALL; 2], 1);
    [0, 1].map(|end| {
        let headers = link.mixed.take_headers(end);
        match notice(headers[0]) {
            Notice::Hello { own, .. } => own,
            other => panic!("{other:?}"),
        }
    })
}

/// Random changes over one of the links; what was said.
fn changes(made: [Made; 2], seed: u64, count: usize) -> Said {
    let mut link = Link::new(made, [ALL; 2], seed);
    let modes: Vec<_> = (0..64).filter_map(LineMode::from_bits).collect();
    let mut now = START;
    for _ in 0..count {
        let others: Vec<_> = modes.iter().filter(|mode| **mode != now).collect();
        let wanted = *others[link.below(others.len() as u32) as usize];
        let end = link.below(2) as usize;
        // Of some operations the other end has to be waited for.
        for each in 0..2 {
            let words = 1 + link.below(200);
            if link.below(3) > 0 {
                link.start(each, Lanes::X1, words);
            }
        }
        let before = link.below(400);
        (0..before).for_each(|_| link.step());
        link.mixed.ask(end, wanted);
        assert_eq!(
            link.result(end, PATIENCE),
            Change::Done,
            "{wanted} {made:?}"
        );
        link.meet(wanted);
        now = wanted;
    }
    println!("{made:?}: {} operations", link.done);
    said(&mut link)
}

#[test]
fn both_say_the_same_bits_whoever_is_rtl() {
    let seed = seed("mixed");
    let mut first: Option<Said> = None;
    for made in links(sessions()) {
        let said = changes(made, seed, 24);
        let count = said.messages.each_ref().map(Vec::len);
        // A question and an answer for each change.
        assert_eq!(count[0] + count[1], 48, "{made:?}");
        if let Some(first) = &first {
            assert_eq!(&said, first, "{made:?}");
        }
        first.get_or_insert(said);
    }
}

/// What goes wrong goes wrong alike: refused, both at once, nobody there any more.
#[test]
fn what_goes_wrong_is_said_alike() {
    let two = LineMode {
        lanes: Lanes::X2,
        ..START
    };
    let blocks = LineMode {
        coding: Coding::Code64b66b,
        ..two
    };
    let slow = LineMode {
        rate: Rate::Slow,
        ..START
    };
    let symbols = Able {
        blocks: false,
        ..ALL
    };
    let mut refusals: Option<Said> = None;
    for made in links(sessions()) {
        // The other end has no 64b/66b; this one has none.
        for end in 0..2 {
            let mut able = [ALL; 2];
            able[1 - end] = symbols;
            let mut link = Link::new(made, able, 3);
            for asks in [end, 1 - end] {
                link.mixed.ask(asks, blocks);
                assert_eq!(link.result(asks, PATIENCE), Change::Refused, "{made:?}");
                link.meet(START);
            }
            if end == 0 {
                let said = said(&mut link);
                assert_eq!(said.messages.each_ref().map(Vec::len), [1, 1]);
                let first = refusals.get_or_insert_with(Said::default);
                if *first == Said::default() {
                    *first = said;
                } else {
                    assert_eq!(*first, said, "{made:?}");
                }
            }
        }
    }
    // Both ask: the end with the greater session gets what it wants, of equal ones the one with the
    // greater mode.
    let [core, _] = sessions();
    for (a, b, greater) in [(core, core, slow), (7, 4000, two), (4000, 7, slow)] {
        for made in links([a, b]) {
            for late in [0, 3, 10, 30, 60] {
                let mut link = Link::new(made, [ALL; 2], 4);
                link.mixed.ask(0, slow);
                (0..late).for_each(|_| link.step());
                link.mixed.ask(1, two);
                let results = [link.result(0, PATIENCE), link.result(1, PATIENCE)];
                let mode = link.mixed.mode(0);
                assert!([slow, two].contains(&mode), "{made:?} {late}");
                for (wanted, result) in [slow, two].into_iter().zip(results) {
                    if wanted == mode {
                        assert_eq!(result, Change::Done, "{made:?} {late}");
                    } else {
                        assert!([Change::Overruled, Change::Done].contains(&result));
                    }
                }
                link.meet(mode);
                if late == 0 && matches!(made, [Made::Model(_), Made::Model(_)]) {
                    assert_eq!(mode, greater);
                }
            }
        }
    }
}

/// Cables that are pulled: no answer, no session in the new mode, none in one that was changed to.
#[test]
fn both_come_back_from_a_line_that_is_cut() {
    let one = LineMode {
        lanes: Lanes::X1,
        ..START
    };
    let two = LineMode {
        lanes: Lanes::X2,
        coding: Coding::Code64b66b,
        ..START
    };
    for made in links(sessions()) {
        let mut link = Link::new(made, [ALL; 2], 5);
        link.mixed.cut(1, 15);
        link.mixed.ask(0, two);
        assert_eq!(link.result(0, LONG), Change::Silent, "{made:?}");
        link.mixed.cut(1, 0);
        link.meet(START);
        for (end, way) in [(0, 0), (0, 1), (1, 0)] {
            link.mixed.ask(end, one);
            assert_eq!(link.result(end, LONG), Change::Done, "{made:?}");
            link.meet(one);
            link.mixed.cut(way, 2);
            link.mixed.ask(end, two);
            assert_eq!(link.result(end, LONG), Change::FellBack, "{made:?}");
            link.meet(one);
            assert_eq!(link.mixed.last_change(1 - end), Change::FellBack);
            link.mixed.cut(way, 0);
            link.mixed.ask(1 - end, two);
            assert_eq!(link.result(1 - end, LONG), Change::Done, "{made:?}");
            link.meet(two);
        }
        link.mixed.cut(0, 15);
        link.until("lost", LONG, |link| link.mixed.mode(1) == START);
        link.mixed.cut(0, 0);
        link.until("start", LONG, |link| link.mixed.mode(0) == START);
        link.meet(START);
        assert_eq!(
            [0, 1].map(|end| link.mixed.last_change(end)),
            [Change::Lost; 2]
        );
    }
}

/// In 64b/66b the lanes may begin again where their blocks would have gone on: the silence in front
/// has to be long enough that the other end loses them all the same. One in 33 changes of the
/// lanes alone does so.
#[test]
fn lanes_alone_change_wherever_their_blocks_begin() {
    let mode = |lanes| LineMode {
        lanes,
        coding: Coding::Code64b66b,
        ..START
    };
    for made in links(sessions()) {
        let mut link = Link::new(made, [ALL; 2], seed("blocks"));
        let mut now = START;
        for count in 0..100 {
            let end = link.below(2) as usize;
            let wanted = mode(if count % 2 == 0 { Lanes::X2 } else { Lanes::X4 });
            let before = u64::from(link.below(66));
            link.mixed.steps(before);
            link.mixed.ask(end, wanted);
            let what = format!("{made:?}, change {count} by end {end} from {now}");
            assert_eq!(link.result(end, LONG), Change::Done, "{what}");
            let both = |link: &mut Link| {
                (0..2).all(|end| link.mixed.mode(end) == wanted && link.mixed.is_up(end))
            };
            link.until(&what, PATIENCE, both);
            link.mixed.steps(500);
            link.pass_over_changes();
            now = wanted;
        }
    }
}

/// Longer runs of the same.
#[test]
#[ignore = "long: the same many times"]
fn both_say_the_same_bits_whoever_is_rtl_long() {
    let first = seed("mixed long");
    let sessions = sessions();
    for run in 0..10 {
        let [core, rest @ ..] = links(sessions).map(|made| changes(made, first + run, 60));
        rest.iter().for_each(|said| assert_eq!(*said, core));
    }
}
