// SPDX-License-Identifier: Apache-2.0
//! The end of an SLink by its registers. It has no counters: what is known is the session, the mode
//! of the line and how the last operations ended.

use ropewalk_console::failure::Failure;
use ropewalk_watch::{Channel, Kind, Reason, State};
use ropewalk_wire::regs::{Field, Register};
use ropewalk_wire::slink::regs::{self, Change, Coding, Outcome, Run};

use super::super::Page;
use super::{Block, titled};
use crate::cli::WatchRegisters;

const OUTCOMES: [Field; 4] = [
    regs::queue::OUTCOME_0,
    regs::queue::OUTCOME_1,
    regs::queue::OUTCOME_2,
    regs::queue::OUTCOME_3,
];

/// The mode of the line in words.
fn mode(line: u64) -> String {
    use regs::line::{CODING, LANES, SPEED};
    let rate = match Run::from_bits(SPEED.get(line)) {
        Some(Run::Slow) => "2.5 Gb/s a lane",
        Some(Run::Fast) => "5 Gb/s a lane",
        _ => return "the mode of the line is fixed".to_owned(),
    };
    let code = match Coding::from_bits(CODING.get(line)) {
        Some(Coding::Code64b66b) => "64b/66b",
        _ => "8b/10b",
    };
    format!("{} lanes, {rate}, {code}", 1 << LANES.get(line))
}

/// A core and its page.
pub(super) struct Watched {
    core: Block,
    page: Page,
    /// The last words of queue and line.
    before: Option<[u64; 2]>,
}

impl Watched {
    pub fn open(core: Block, options: &WatchRegisters) -> Result<Self, Failure> {
        let most = regs::queue::MOST.get(core.get(&regs::QUEUE));
        let facts = vec![format!("up to {most} operations at a time")];
        let page = Page::open(options.listen, false, titled("SLink", options, facts))?;
        Ok(Self {
            core,
            page,
            before: None,
        })
    }

    /// Why there is no session.
    fn reason(&self) -> Option<Reason> {
        if regs::status::UP.get(self.core.get(&regs::STATUS)) != 0 {
            return None;
        }
        let run = Run::from_bits(regs::control::RUN.get(self.core.get(&regs::CONTROL)));
        let [code, text] = match run {
            Some(Run::Off) => ["in_reset", "this end is held in reset"],
            _ => ["no_session", "the ends have not agreed on a session"],
        };
        Some(Reason::new(code, text))
    }

    /// What operations and changes of the line have come to since the last look.
    fn ended(&mut self, time_s: f64) {
        let now = [self.core.get(&regs::QUEUE), self.core.get(&regs::LINE)];
        let Some(before) = self.before.replace(now) else {
            return;
        };
        let timeline = &mut self.page.timeline;
        let mut note = |code: &'static str, text: String| {
            timeline.note(time_s, Kind::Note, Reason::new(code, text));
        };
        use regs::queue::{MOST, STARTED};
        let (started, most) = (STARTED.get(now[0]), MOST.get(now[0]).max(1));
        let new = started.wrapping_sub(STARTED.get(before[0])) % 16;
        for (slot, field) in OUTCOMES.iter().enumerate() {
            let outcome = Outcome::from_bits(field.get(now[0]));
            // Operation n is in place n modulo `most`, which divides 16.
            let begun = (1..=new).any(|back| (started + 16 - back) % most == slot as u64);
            if !begun && field.get(now[0]) == field.get(before[0]) {
                continue;
            }
            let why = match outcome {
                Some(Outcome::Refused) => "was refused",
                Some(Outcome::Damaged) => "brought damaged data",
                Some(Outcome::Silent) => "got no answer",
                Some(Outcome::Exhausted) => "was damaged after all retries",
                Some(Outcome::Reset) => "was cut by a reset",
                Some(Outcome::None | Outcome::Done) | None => continue,
            };
            note(
                "operation_failed",
                format!("the operation of place {slot} {why}"),
            );
        }
        let result = regs::line::RESULT;
        if result.get(now[1]) != result.get(before[1]) {
            let why = match Change::from_bits(result.get(now[1])) {
                Some(Change::Done) => return note("line_changed", mode(now[1])),
                Some(Change::Refused) => "was refused by one of both ends",
                Some(Change::Silent) => "got no answer",
                Some(Change::FellBack) => "did not come up: back in the mode before",
                Some(Change::Overruled) => "was overruled by one of the other end",
                Some(Change::Lost) => "was lost with the link: back in the mode of the start",
                Some(Change::None) | None => return,
            };
            note(
                "line_not_changed",
                format!("a change of the line's mode {why}"),
            );
        }
    }
}

impl super::Watched for Watched {
    fn core(&self) -> (&Block, &'static Register) {
        (&self.core, &regs::STATUS)
    }

    fn page(&mut self) -> &mut Page {
        &mut self.page
    }

    fn read(&mut self, time_s: f64) -> State {
        self.ended(time_s);
        self.page.follow(time_s, self.reason());
        let mut state = self.page.state(time_s);
        state.facts.push(mode(self.core.get(&regs::LINE)));
        let status = self.core.get(&regs::STATUS);
        use regs::status::{BUSY, PROGRESS, RETRIES};
        let busy = BUSY.get(status) != 0;
        state.channels = vec![Channel {
            name: "the operation that was started last".to_owned(),
            bytes: PROGRESS.get(status) * 8,
            note: match (busy, RETRIES.get(status)) {
                (true, 0) => "under way".to_owned(),
                (true, retries) => format!("under way, sent again {retries} times"),
                (false, 0) => String::new(),
                (false, retries) => format!("sent again {retries} times"),
            },
            ..Channel::default()
        }];
        state
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{BASE, Image, looked, options};
    use super::*;

    #[test]
    fn an_end_is_read_and_every_change_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("resource0");
        let image = Image::new(&path, &regs::MAP);
        image.set(BASE, &regs::QUEUE, 4 << 4);
        let mut watched = Watched::open(Block::open(&path, BASE).expect("mapped"), &options(&path))
            .expect("opened");
        assert_eq!(looked(&mut watched, "in_reset").reasons[0].code, "in_reset");
        image.set(BASE, &regs::CONTROL, 2);
        assert_eq!(
            looked(&mut watched, "no_session").reasons[0].code,
            "no_session"
        );
        image.set(BASE, &regs::STATUS, 1 | 1 << 7 | 3 << 8 | 10 << 16);
        image.set(BASE, &regs::LINE, 2 | 1 << 2 | 2 << 4);
        let now = looked(&mut watched, "");
        assert!(now.up && now.reasons.is_empty() && now.channels[0].bytes == 80);
        assert_eq!(now.channels[0].note, "under way, sent again 3 times");
        assert!(
            now.facts
                .contains(&"4 lanes, 5 Gb/s a lane, 64b/66b".to_owned())
        );
        for outcome in 2..7_u64 {
            image.set(BASE, &regs::QUEUE, 4 << 4 | 1 << 16 | outcome << 20);
            let events = looked(&mut watched, "operation_failed").events;
            let text = &events.last().expect("one").reason.text;
            assert!(text.starts_with("the operation of place 1 "), "{text}");
        }
        // The same once more, of the operation after the next.
        let known = looked(&mut watched, "").events.len();
        image.set(BASE, &regs::QUEUE, 4 << 4 | 2 << 8 | 1 << 16 | 6 << 20);
        assert_eq!(looked(&mut watched, "").events.len(), known + 1);
        for change in [2, 3, 4, 5, 6, 1_u64] {
            image.set(BASE, &regs::LINE, 2 | 2 << 4 | change << 8);
            let events = looked(&mut watched, "line_not_changed").events;
            let last = &events.last().expect("one").reason.code;
            let named = if change == 1 {
                "line_changed"
            } else {
                "line_not_changed"
            };
            assert_eq!(last, named);
        }
        image.set(BASE, &regs::MAGIC, 0);
        looked(&mut watched, "core_gone");
    }
}
