// SPDX-License-Identifier: Apache-2.0
//! Transfers of files on their live page.

use std::net::SocketAddr;

use ropewalk_chunk::transfer::recv::{Fault, Received};
use ropewalk_chunk::transfer::send::Progress;
use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_watch::{Channel, Interval, Kind, Lane, LaneState, Reason, State};

use super::{Page, Trouble};
use crate::cli::{Recv, Send};
use crate::commands::send::there;

fn lane(number: usize, seen: u64, errors: u64, alive: bool, recoveries: u64) -> Lane {
    let silent = || Reason::new("lane_silent", format!("lane {number} is silent"));
    Lane {
        name: format!("lane {number}"),
        state: if alive {
            LaneState::Up
        } else {
            LaneState::Down
        },
        reason: (!alive).then(silent),
        seen,
        errors,
        unit: "frames",
        error_rate: Interval::wilson(errors, seen),
        recoveries,
    }
}

/// A sender and its page.
pub(crate) struct Sending {
    page: Page,
    /// Attempts that ended early, sub-packets that were lost.
    troubles: [Trouble; 2],
    /// Notes that are on the timeline.
    noted: usize,
    /// Events of lanes that are silent.
    silent: Vec<Option<u64>>,
}

impl Sending {
    /// Opens the page, if there is to be one.
    ///
    /// # Errors
    /// Its address cannot be listened at.
    pub(crate) fn open(options: &Send) -> Result<Option<Self>, Failure> {
        let Some(address) = options.watch else {
            return Ok(None);
        };
        let first = State {
            reasons: vec![Self::looking()],
            ..State::new(format!("Files to {}", options.host.0))
        };
        Ok(Some(Self {
            page: Page::open(address, false, first)?,
            troubles: [Trouble::from_zero(); 2],
            noted: 0,
            silent: Vec::new(),
        }))
    }

    fn looking() -> Reason {
        Reason::new("no_peer", "the receiver has not answered yet")
    }

    /// Shows how far it is, if it is time.
    pub(crate) fn update(&mut self, progress: &Progress) {
        if !self.page.is_due() {
            return;
        }
        let time_s = self.page.time_s();
        self.lanes(progress, time_s);
        let broken = self.troubles[0].look(time_s, progress.broken.into());
        let up = broken.is_none() && progress.lanes.iter().any(|lane| lane.alive);
        let why = (!up).then(|| match (progress.broken, progress.lanes.len()) {
            (0, 0) => Self::looking(),
            (0, _) => Reason::new("lane_silent", "all lanes are silent"),
            (times, _) => {
                let text = format!("{times} attempts ended early; another one begins");
                Reason::new("attempt_broken", text)
            }
        });
        self.page.follow(time_s, why);
        if let Some(lost) = self.troubles[1].look(time_s, progress.counters.lost) {
            self.page
                .timeline
                .note(time_s, Kind::Recovery, Self::loss(lost));
        }
        for note in progress.notes.iter().skip(self.noted) {
            let reason = Reason::new("note", note.clone());
            self.page.timeline.note(time_s, Kind::Note, reason);
        }
        self.noted = self.noted.max(progress.notes.len());
        let state = self.state(progress, time_s);
        self.page.publish(state);
    }

    fn loss(lost: u64) -> Reason {
        let lost = format::thousands(lost);
        Reason::new(
            "loss",
            format!("{lost} sub-packets were lost and are sent again"),
        )
    }

    fn lanes(&mut self, progress: &Progress, time_s: f64) {
        self.silent
            .resize(self.silent.len().max(progress.lanes.len()), None);
        for (number, (event, lane)) in (1..).zip(self.silent.iter_mut().zip(&progress.lanes)) {
            match (lane.alive, *event) {
                (false, None) => {
                    let reason = Reason::new("lane_silent", format!("lane {number} is silent"));
                    *event = Some(self.page.timeline.begin(time_s, Kind::Lane, reason));
                }
                (true, Some(number)) => {
                    self.page.timeline.end(number, time_s);
                    *event = None;
                }
                _ => {}
            }
        }
    }

    fn state(&self, progress: &Progress, time_s: f64) -> State {
        let mut state = self.page.state(time_s);
        let lanes = (1..).zip(&progress.lanes);
        state.lanes = lanes
            .map(|(number, it)| lane(number, it.known, it.missing, it.alive, it.resent))
            .collect();
        let silent = state.lanes.iter().filter_map(|lane| lane.reason.clone());
        state.reasons.extend(silent);
        let recent = self.troubles[1].is_recent(time_s);
        state.reasons.extend(recent.map(Self::loss));
        let shortest = progress.lanes.iter().filter(|lane| lane.alive);
        let shortest = shortest
            .map(|lane| lane.rtt)
            .filter(|rtt| !rtt.is_zero())
            .min();
        state.round_trip_s = shortest.map(|rtt| rtt.as_secs_f64());
        state.facts.push(format!(
            "{} of {}",
            format::bytes(there(progress)),
            format::bytes(progress.total)
        ));
        state.channels = vec![
            Channel {
                name: "files".to_owned(),
                bytes: there(progress),
                packets: progress.counters.sub_packets,
                note: format!("{} were there", format::bytes(progress.spared)),
                ..Channel::default()
            },
            Channel {
                name: "on the lanes".to_owned(),
                bytes: progress.counters.bytes,
                packets: progress.counters.frames,
                ..Channel::default()
            },
        ];
        state
    }
}

/// A receiver and its page.
pub(crate) struct Receiving {
    page: Page,
    /// Frames that are missing, sub-packets that were damaged, arrivals that the system lost.
    troubles: [Trouble; 3],
}

impl Receiving {
    /// Opens the page, if there is to be one.
    ///
    /// # Errors
    /// Its address cannot be listened at.
    pub(crate) fn open(options: &Recv, local: SocketAddr) -> Result<Option<Self>, Failure> {
        let Some(address) = options.watch else {
            return Ok(None);
        };
        let first = State {
            facts: vec![format!("into {}", options.directory.display())],
            ..State::new(format!("Files that come to {local}"))
        };
        let mut receiving = Self {
            page: Page::open(address, false, first)?,
            troubles: [Trouble::from_zero(); 3],
        };
        let waiting = Reason::new("no_peer", "no sender has come yet");
        receiving.down(waiting, &Received::default());
        Ok(Some(receiving))
    }

    fn down(&mut self, why: Reason, received: &Received) {
        let time_s = self.page.time_s();
        self.page.follow(time_s, Some(why));
        let state = self.state(received, time_s);
        self.page.publish(state);
    }

    /// Shows how far it is, if it is time.
    pub(crate) fn update(&mut self, received: &Received) {
        if !self.page.is_due() {
            return;
        }
        let time_s = self.page.time_s();
        self.page.follow(time_s, None);
        let counts = Self::counts(received);
        for (place, (trouble, count)) in self.troubles.iter_mut().zip(counts).enumerate() {
            if let Some(grown) = trouble.look(time_s, count) {
                let reason = Self::reason(place, grown);
                self.page.timeline.note(time_s, Kind::Recovery, reason);
            }
        }
        let state = self.state(received, time_s);
        self.page.publish(state);
    }

    /// A transfer has ended; another one may come.
    pub(crate) fn end(&mut self, received: &Received) {
        let why = match &received.failure {
            None => Reason::new(
                "finished",
                "all files are in place; another sender may come",
            ),
            Some(Fault::Lost(why)) => {
                Reason::new("peer_lost", format!("the sender has gone: {why}"))
            }
            Some(Fault::Stopped) => Reason::new("interrupted", "interrupted"),
            Some(fault @ (Fault::Left(_) | Fault::GivenUp(_))) => {
                Reason::new("peer_left", fault.to_string())
            }
            Some(fault) => Reason::new("failed", fault.to_string()),
        };
        self.down(why, received);
    }

    fn counts(received: &Received) -> [u64; 3] {
        let sum = |of: fn(&ropewalk_chunk::transfer::arrivals::Arrivals) -> u64| {
            received.lanes.iter().map(of).sum()
        };
        [
            sum(|lane| lane.missing),
            sum(|lane| lane.damaged),
            received.drops,
        ]
    }

    fn reason(place: usize, count: u64) -> Reason {
        let (code, what) = [
            (
                "loss",
                "frames have not arrived, what was in them comes again",
            ),
            ("damage", "sub-packets were damaged and come again"),
            (
                "drops",
                "arrivals were lost in this machine because a buffer was full",
            ),
        ][place];
        Reason::new(code, format!("{} {what}", format::thousands(count)))
    }

    fn state(&self, received: &Received, time_s: f64) -> State {
        let mut state = self.page.state(time_s);
        state.lanes = (1..)
            .zip(&received.lanes)
            .map(|(number, it)| lane(number, it.known, it.missing, true, 0))
            .collect();
        let recent = self.troubles.iter().enumerate();
        state.reasons.extend(
            recent.filter_map(|(place, trouble)| {
                Some(Self::reason(place, trouble.is_recent(time_s)?))
            }),
        );
        state.channels = vec![Channel {
            name: "files".to_owned(),
            bytes: received.bytes,
            packets: received.files,
            note: "packets are files in place".to_owned(),
            ..Channel::default()
        }];
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    use clap::Parser;
    use ropewalk_chunk::transfer::Loss;
    use ropewalk_chunk::transfer::arrivals::Arrivals;
    use ropewalk_chunk::transfer::pipe::LaneShown;

    #[derive(Parser)]
    struct Args<T: clap::Args> {
        #[command(flatten)]
        options: T,
    }

    fn parsed<T: clap::Args>(words: &[&str]) -> T {
        let watch = ["x", "--watch", "127.0.0.1:0", "--trusted"];
        let words = watch.iter().chain(words);
        Args::<T>::try_parse_from(words).expect("sound").options
    }

    /// The next look is due at once.
    fn hurry(page: &mut Page) {
        page.published = Instant::now().checked_sub(Duration::from_secs(1));
    }

    fn codes(state: &State) -> Vec<&str> {
        state.reasons.iter().map(|it| &*it.code).collect()
    }

    #[test]
    fn a_sender_names_silence_loss_and_broken_attempts() {
        let options: Send = parsed(&["file", "127.0.0.1"]);
        let mut sending = Sending::open(&options).expect("listens").expect("a page");
        let mut progress = Progress::default();
        let mut look = |progress: &Progress| {
            hurry(&mut sending.page);
            sending.update(progress);
            sending.state(progress, sending.page.time_s())
        };
        assert_eq!(codes(&look(&progress)), ["no_peer"]);
        let alive = LaneShown {
            alive: true,
            known: 100,
            missing: 5,
            rtt: Duration::from_millis(3),
            ..LaneShown::default()
        };
        progress.lanes = vec![alive; 2];
        let state = look(&progress);
        assert!(state.up && state.reasons.is_empty(), "{state:?}");
        assert_eq!(state.round_trip_s, Some(0.003));
        assert_eq!((state.lanes[1].seen, state.lanes[1].errors), (100, 5));
        progress.lanes[1].alive = false;
        progress.counters.lost = 7;
        assert_eq!(codes(&look(&progress)), ["lane_silent", "loss"]);
        progress.lanes[0].alive = false;
        let state = look(&progress);
        assert!(!state.up && state.names("lane_silent"), "{state:?}");
        progress.broken = 1;
        assert_eq!(look(&progress).reasons[0].code, "attempt_broken");
        progress.lanes = vec![alive; 2];
        assert!(look(&progress).up);
    }

    #[test]
    fn a_receiver_names_who_has_gone_and_what_is_missing() {
        let options: Recv = parsed(&["folder"]);
        let at = ([127, 0, 0, 1], 7425).into();
        let mut receiving = Receiving::open(&options, at)
            .expect("listens")
            .expect("a page");
        let mut received = Received::default();
        let state = |it: &Receiving, received: &Received| it.state(received, it.page.time_s());
        assert_eq!(codes(&state(&receiving, &received)), ["no_peer"]);
        received.lanes = vec![Arrivals {
            known: 10,
            missing: 1,
            ..Arrivals::default()
        }];
        hurry(&mut receiving.page);
        receiving.update(&received);
        let now = state(&receiving, &received);
        assert!(now.up && codes(&now) == ["loss"], "{now:?}");
        received.failure = Some(Fault::Lost(Loss::Silent));
        receiving.end(&received);
        let now = state(&receiving, &received);
        assert_eq!(now.reasons[0].code, "peer_lost");
        assert!(now.reasons[0].text.contains("silent for 10 s"), "{now:?}");
    }
}
