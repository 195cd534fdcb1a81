// SPDX-License-Identifier: Apache-2.0
//! The player and the capture of test traffic by their registers.

use ropewalk_console::failure::Failure;
use ropewalk_watch::{Channel, Interval, Lane, State};
use ropewalk_wire::regs::{Field, Register};
use ropewalk_wire::traffic::regs::{self, observe};

use super::super::state_of;
use super::super::{Page, Troubles};
use super::{Block, titled};
use crate::cli::WatchRegisters;

/// What may go wrong: code, and words behind a number.
const TROUBLES: [(&str, &str); 2] = [
    ("differences", "beats are not the expected ones"),
    (
        "beats_missed",
        "beats came while the memory of the capture was full, and are not recorded",
    ),
];

/// A core and its page.
pub(super) struct Watched {
    core: Block,
    page: Page,
    /// Bytes of a beat.
    bytes: u64,
    troubles: Troubles<2>,
}

impl Watched {
    pub fn open(core: Block, options: &WatchRegisters) -> Result<Self, Failure> {
        let bytes = regs::width::BYTES.get(core.get(&regs::WIDTH));
        let [play, capture] = [&regs::PLAY_DEPTH, &regs::CAPTURE_DEPTH].map(|it| core.get(it));
        let facts = vec![
            format!("beats of {bytes} bytes"),
            format!("room for {play} beats to play and {capture} to capture"),
        ];
        let first = titled("Traffic", options, facts);
        Ok(Self {
            page: Page::open(options.listen, false, first)?,
            core,
            bytes,
            troubles: Troubles::of_a_core(TROUBLES),
        })
    }

    /// What was played, and what has arrived. Bytes are those of whole beats.
    fn channels(&self, is: impl Fn(Field) -> bool) -> Vec<Channel> {
        use observe::state::{COMPARING, FULL, PLAYING, RECORDING, STOPPING};
        let get = |register: &Register| self.core.get(register);
        let (loaded, runs) = (get(&observe::PLAY_LOADED), get(&observe::PLAY_RUNS));
        let stalled = match get(&observe::PLAY_STALLED) {
            0 => String::new(),
            cycles => format!("; held up for {cycles} cycles"),
        };
        let doing = match (is(PLAYING), is(STOPPING)) {
            (true, true) => "stops behind its packet",
            (true, false) => "plays",
            (false, _) => "stands still",
        };
        let played = format!("{doing}; {loaded} beats loaded, {runs} runs{stalled}");
        let doing = match (is(RECORDING), is(COMPARING)) {
            (true, _) if is(FULL) => "records, and is full",
            (true, _) => "records",
            (false, true) => "compares",
            (false, false) => "stands still",
        };
        let stored = get(&observe::CAPTURE_STORED);
        let captured = format!("{doing}; {stored} beats stored");
        let channel = |name: &str, beats, packets, note: String| Channel {
            name: name.to_owned(),
            bytes: get(beats) * self.bytes,
            packets: get(packets),
            note: format!("in whole beats; {note}"),
            ..Channel::default()
        };
        use observe::{CAPTURE_BEATS, CAPTURE_PACKETS, PLAY_BEATS, PLAY_PACKETS};
        vec![
            channel("played", &PLAY_BEATS, &PLAY_PACKETS, played),
            channel("captured", &CAPTURE_BEATS, &CAPTURE_PACKETS, captured),
        ]
    }

    /// What is compared with what was expected.
    fn compared(&self, is: impl Fn(Field) -> bool) -> Option<Lane> {
        if !is(observe::state::COMPARING) && !is(observe::state::DIFFERS) {
            return None;
        }
        let seen = self.core.get(&observe::CAPTURE_BEATS);
        let errors = self.core.get(&observe::CAPTURE_DIFFERENCES);
        Some(Lane {
            name: "compared with what is expected".to_owned(),
            state: state_of(is(observe::state::COMPARING)),
            reason: None,
            seen,
            errors,
            unit: "beats",
            error_rate: Interval::wilson(errors, seen.max(errors)),
            recoveries: 0,
        })
    }
}

impl super::Watched for Watched {
    fn core(&self) -> (&Block, &'static Register) {
        (&self.core, &observe::NOW)
    }

    fn page(&mut self) -> &mut Page {
        &mut self.page
    }

    fn read(&mut self, time_s: f64) -> State {
        let counts = [&observe::CAPTURE_DIFFERENCES, &observe::CAPTURE_MISSED];
        let counts = counts.map(|it| self.core.get(it));
        self.troubles.look(time_s, counts, &mut self.page.timeline);
        self.page.follow(time_s, None);
        let mut state = self.page.state(time_s);
        state.reasons.extend(self.troubles.recent(time_s));
        let word = self.core.get(&observe::STATE);
        let is = |field: Field| field.get(word) != 0;
        if is(observe::state::DIFFERS) {
            let first = self.core.get(&observe::CAPTURE_FIRST);
            state
                .facts
                .push(format!("beat {first} was the first that differed"));
        }
        state.lanes = self.compared(is).into_iter().collect();
        state.channels = self.channels(is);
        state
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{BASE, Image, looked, options};
    use super::*;

    #[test]
    fn a_player_and_a_capture_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("resource0");
        let image = Image::new(&path, &regs::MAP);
        image.set(BASE, &regs::WIDTH, 32 | 48 << 16);
        image.set(BASE, &regs::PLAY_DEPTH, 512);
        image.set(BASE, &regs::CAPTURE_DEPTH, 256);
        let core = Block::open(&path, BASE).expect("mapped");
        let mut watched = Watched::open(core, &options(&path)).expect("opened");
        let mut look = |code: &str| looked(&mut watched, code);
        let now = look("");
        assert!(now.up && now.lanes.is_empty() && now.channels.len() == 2);
        assert!(
            now.facts
                .contains(&"room for 512 beats to play and 256 to capture".to_owned())
        );
        assert!(now.channels[0].note.contains("; stands still;"), "{now:?}");

        image.set(BASE, &observe::STATE, 1 | 4);
        image.set(BASE, &observe::PLAY_BEATS, 10);
        image.set(BASE, &observe::PLAY_PACKETS, 2);
        image.set(BASE, &observe::PLAY_STALLED, 7);
        image.set(BASE, &observe::CAPTURE_MISSED, 5);
        let now = look("beats_missed");
        assert_eq!((now.channels[0].bytes, now.channels[0].packets), (320, 2));
        assert!(now.channels[0].note.ends_with("held up for 7 cycles"));
        assert!(now.channels[1].note.contains("; records;"), "{now:?}");

        image.set(BASE, &observe::STATE, 8 | 32);
        image.set(BASE, &observe::CAPTURE_BEATS, 100);
        image.set(BASE, &observe::CAPTURE_DIFFERENCES, 3);
        image.set(BASE, &observe::CAPTURE_FIRST, 17);
        let now = look("differences");
        assert_eq!((now.lanes[0].seen, now.lanes[0].errors), (100, 3));
        assert!(
            now.facts
                .contains(&"beat 17 was the first that differed".to_owned())
        );
        image.set(BASE, &observe::NOW, u64::MAX);
        look("clock_stopped");
        image.set(BASE, &regs::MAGIC, 0);
        look("core_gone");
    }
}
