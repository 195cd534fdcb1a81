// SPDX-License-Identifier: Apache-2.0
//! An RDMA engine by its registers.

use ropewalk_console::failure::Failure;
use ropewalk_watch::{Channel, Interval, Lane, Reason, State};
use ropewalk_wire::rdma::regs::{self, observe};
use ropewalk_wire::regs::Register;

use super::super::state_of;
use super::super::{Page, Troubles};
use super::{Block, titled};
use crate::cli::WatchRegisters;

/// What may go wrong while the engine runs: code, and words behind a number.
const TROUBLES: [(&str, &str); 9] = [
    (
        "transfers_failed",
        "transfers of this node ended with an error",
    ),
    (
        "given_up",
        "blocks were sent as often as allowed, and given up",
    ),
    ("sent_again", "blocks or packets were sent again"),
    ("damaged", "packets arrived damaged"),
    ("outside", "packets or sources lie outside the windows"),
    ("refused", "read requests were refused"),
    (
        "broken_format",
        "packets break the format, or are of the other framing",
    ),
    ("memory_errors", "writes were refused by memory"),
    ("faults", "times the engine accounted for something twice"),
];
/// Bytes of a word of the network.
const WORD: u64 = 64;

/// A core and its page.
pub(super) struct Watched {
    core: Block,
    page: Page,
    troubles: Troubles<{ TROUBLES.len() }>,
}

impl Watched {
    pub fn open(core: Block, options: &WatchRegisters) -> Result<Self, Failure> {
        use regs::parameters::{PAGES, SENDERS};
        let parameters = core.get(&regs::PARAMETERS);
        let facts = vec![
            format!("{} pages", PAGES.get(parameters)),
            format!("{} nodes may send to it", SENDERS.get(parameters)),
        ];
        let page = Page::open(options.listen, false, titled("RDMA", options, facts))?;
        Ok(Self {
            core,
            page,
            troubles: Troubles::of_a_core(TROUBLES),
        })
    }

    fn sum(&self, registers: &[&Register]) -> u64 {
        registers.iter().map(|it| self.core.get(it)).sum()
    }

    fn counts(&self) -> [u64; TROUBLES.len()] {
        use observe::{
            CONTRADICTING, DAMAGED, FAILED, FAULTS, GIVEN_UP, MALFORMED, MEMORY_ERRORS, OUTSIDE,
            REPEATED, REQUESTS_REFUSED, SOURCE_REFUSED, STRAYS,
        };
        [
            self.sum(&[&FAILED]),
            self.sum(&[&GIVEN_UP]),
            self.sum(&[&REPEATED]),
            self.sum(&[&DAMAGED]),
            self.sum(&[&OUTSIDE, &SOURCE_REFUSED]),
            self.sum(&[&REQUESTS_REFUSED]),
            self.sum(&[&CONTRADICTING, &MALFORMED, &STRAYS]),
            self.sum(&[&MEMORY_ERRORS]),
            self.sum(&[&FAULTS]),
        ]
    }

    /// Why descriptors, windows and packets are not taken.
    fn reason(&self) -> Option<Reason> {
        let status = self.core.get(&regs::STATUS);
        if regs::status::READY.get(status) != 0 {
            return None;
        }
        let enabled = regs::control::ENABLE.get(self.core.get(&regs::CONTROL)) != 0;
        let [code, text] = if enabled {
            ["clearing", "the engine is enabled and clears its memories"]
        } else if regs::status::DRAINED.get(status) != 0 {
            ["not_enabled", "the engine is not enabled"]
        } else {
            ["draining", "the engine ends what it has begun"]
        };
        Some(Reason::new(code, text))
    }

    fn state(&self, time_s: f64) -> State {
        use observe::{
            COMPLETED, DAMAGED, FAILED, MALFORMED, MARKED, PACKETS_RECEIVED, PACKETS_SENT,
            PACKETS_WITHIN, READS_SERVED, SLOWED, STRAYS, WORDS_RECEIVED, WORDS_SENT,
        };
        let mut state = self.page.state(time_s);
        let count = |register: &Register, what: &str| format!("{} {what}", self.core.get(register));
        state.facts.extend([
            format!(
                "node {}",
                regs::identity::NODE.get(self.core.get(&regs::IDENTITY))
            ),
            count(&COMPLETED, "transfers completed"),
            count(&FAILED, "failed"),
            count(&READS_SERVED, "reads served"),
            count(&PACKETS_WITHIN, "packets within this node"),
        ]);
        state.reasons.extend(self.troubles.recent(time_s));
        let (seen, errors) = (
            self.sum(&[&PACKETS_RECEIVED]),
            self.sum(&[&DAMAGED, &MALFORMED, &STRAYS]),
        );
        state.lanes.push(Lane {
            name: "received from the network".to_owned(),
            state: state_of(state.up),
            reason: state.reasons.first().filter(|_| !state.up).cloned(),
            seen,
            errors,
            unit: "packets",
            error_rate: Interval::wilson(errors, seen),
            recoveries: 0,
        });
        let channel =
            |name: &str, words: &Register, packets: &Register, note: &Register, what| Channel {
                name: name.to_owned(),
                bytes: self.core.get(words) * WORD,
                packets: self.core.get(packets),
                note: match self.core.get(note) {
                    0 => String::new(),
                    count => format!("{count} {what}"),
                },
                ..Channel::default()
            };
        let (sent, received) = ("sent to the network", "received from the network");
        state.channels = vec![
            channel(
                sent,
                &WORDS_SENT,
                &PACKETS_SENT,
                &SLOWED,
                "times a rate was lowered",
            ),
            channel(
                received,
                &WORDS_RECEIVED,
                &PACKETS_RECEIVED,
                &MARKED,
                "marked by the network",
            ),
        ];
        state
    }
}

impl super::Watched for Watched {
    fn core(&self) -> (&Block, &'static Register) {
        (&self.core, &observe::PACKETS_RECEIVED)
    }

    fn page(&mut self) -> &mut Page {
        &mut self.page
    }

    fn read(&mut self, time_s: f64) -> State {
        let counts = self.counts();
        self.troubles.look(time_s, counts, &mut self.page.timeline);
        self.page.follow(time_s, self.reason());
        self.state(time_s)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{BASE, Image, looked, options};
    use super::*;

    #[test]
    fn an_engine_is_read_and_every_change_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("resource0");
        let image = Image::new(&path, &regs::MAP);
        image.set(BASE, &regs::PARAMETERS, 16 | 8 << 16);
        image.set(BASE, &regs::IDENTITY, 5);
        image.set(BASE, &observe::FAILED, 3);
        let mut watched = Watched::open(Block::open(&path, BASE).expect("mapped"), &options(&path))
            .expect("opened");
        for (control, status, code) in [
            (0, 2, "not_enabled"),
            (0, 0, "draining"),
            (1, 0, "clearing"),
        ] {
            image.set(BASE, &regs::CONTROL, control);
            image.set(BASE, &regs::STATUS, status);
            let now = looked(&mut watched, code);
            assert_eq!((now.up, &*now.reasons[0].code), (false, code));
        }
        image.set(BASE, &regs::STATUS, 1);
        image.set(BASE, &observe::PACKETS_RECEIVED, 100);
        image.set(BASE, &observe::WORDS_SENT, 10);
        image.set(BASE, &observe::SLOWED, 2);
        let now = looked(&mut watched, "");
        assert!(now.up && now.reasons.is_empty(), "{now:?}");
        assert!(now.facts.contains(&"node 5".to_owned()));
        assert_eq!((now.lanes[0].seen, now.lanes[0].errors), (100, 0));
        assert!(now.facts.contains(&"3 failed".to_owned()));
        assert_eq!(now.channels[0].bytes, 640);
        assert_eq!(now.channels[0].note, "2 times a rate was lowered");
        for (register, code) in [
            (&observe::FAILED, "transfers_failed"),
            (&observe::GIVEN_UP, "given_up"),
            (&observe::REPEATED, "sent_again"),
            (&observe::DAMAGED, "damaged"),
            (&observe::OUTSIDE, "outside"),
            (&observe::SOURCE_REFUSED, "outside"),
            (&observe::REQUESTS_REFUSED, "refused"),
            (&observe::CONTRADICTING, "broken_format"),
            (&observe::MALFORMED, "broken_format"),
            (&observe::STRAYS, "broken_format"),
            (&observe::MEMORY_ERRORS, "memory_errors"),
            (&observe::FAULTS, "faults"),
        ] {
            image.set(BASE, register, 7);
            looked(&mut watched, code);
        }
        assert_eq!(looked(&mut watched, "").lanes[0].errors, 21);
        image.set(BASE, &regs::MAGIC, u64::MAX);
        looked(&mut watched, "core_gone");
    }
}
