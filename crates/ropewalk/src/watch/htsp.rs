// SPDX-License-Identifier: Apache-2.0
//! One end of an HTSP link on its live page.

use ropewalk_console::failure::Failure;
use ropewalk_io::htsp::Stats;
use ropewalk_watch::{Channel, Interval, Lane, Reason, State};

use super::{Page, Troubles, state_of};
use crate::cli::HtspPort;

/// What may go wrong while the link is up: code, and words behind a number.
const TROUBLES: [(&str, &str); 6] = [
    ("frames_lost", "frames are missing"),
    ("frames_damaged", "frames were damaged"),
    ("frames_late", "frames came again or late"),
    (
        "ring_overflow",
        "frames were lost in this machine: the receive ring was full",
    ),
    (
        "buffer_overflow",
        "user frames did not fit the buffer of their channel",
    ),
    ("user_frames_cut", "user frames were cut at this end"),
];

fn counts(stats: &Stats) -> [u64; 6] {
    let rx = &stats.rx;
    [
        rx.lost,
        rx.damaged + rx.malformed + rx.checksum,
        rx.stale,
        stats.drops,
        stats.sum(|it| it.overflows),
        stats.sum(|it| it.tx.cut),
    ]
}

/// An end and its page.
pub(crate) struct Watched {
    page: Page,
    alive_ms: u128,
    troubles: Troubles<6>,
    before: Option<Stats>,
}

impl Watched {
    /// Opens the page, if there is to be one.
    ///
    /// # Errors
    /// Its address cannot be listened at.
    pub(crate) fn open(port: &HtspPort) -> Result<Option<Self>, Failure> {
        let Some(address) = port.watch else {
            return Ok(None);
        };
        let first = State {
            reasons: vec![Self::alone()],
            facts: vec![
                format!("bursts of {} bytes", port.burst),
                format!("EtherType {:#06x}", port.ethertype),
            ],
            ..State::new(format!("HTSP on {}", port.interface))
        };
        Ok(Some(Self {
            page: Page::open(address, port.quiet, first)?,
            alive_ms: port.alive.as_millis(),
            troubles: Troubles::new(TROUBLES),
            before: None,
        }))
    }

    fn alone() -> Reason {
        Reason::new("no_peer", "no good frame of a peer has come yet")
    }

    /// Shows these counters, if it is time.
    pub(crate) fn update(&mut self, stats: &Stats) {
        let time_s = self.page.time_s();
        let went = |count: fn(&Stats) -> u64| {
            self.before
                .as_ref()
                .is_some_and(|before| count(stats) > count(before))
        };
        let changed = self.before.as_ref().is_none_or(|before| {
            (before.link_up, before.peer_ready) != (stats.link_up, stats.peer_ready)
        });
        let reason = self.reason(stats, went(|it| it.gaps), went(|it| it.rx.downs_phy));
        self.page.follow(time_s, reason);
        let timeline = &mut self.page.timeline;
        self.troubles.look(time_s, counts(stats), timeline);
        self.before = Some(stats.clone());
        if changed || self.page.is_due() {
            let state = self.state(stats, time_s);
            self.page.publish(state);
        }
    }

    /// Why the link is not up. What has taken it down is seen once; then it stays the reason.
    fn reason(&self, stats: &Stats, gap: bool, phy: bool) -> Option<Reason> {
        if stats.link_up {
            return (!stats.peer_ready)
                .then(|| Reason::new("peer_not_ready", "the peer does not hear this end"));
        }
        if gap {
            let text = "the receive ring of this machine overflowed, and the link began anew";
            return Some(Reason::new("ring_overflow", text));
        }
        if phy {
            return Some(Reason::new("line_down", "the interface went down"));
        }
        let was_up = self.before.as_ref().is_some_and(|before| before.link_up);
        Some(match &self.page.down {
            Some((_, known)) if !was_up && known.code != "peer_not_ready" => known.clone(),
            _ if stats.rx.ups == 0 => Self::alone(),
            _ => {
                let text = format!("no good frame of the peer came for {} ms", self.alive_ms);
                Reason::new("peer_silent", text)
            }
        })
    }

    fn state(&self, stats: &Stats, time_s: f64) -> State {
        let mut state = self.page.state(time_s);
        state
            .facts
            .extend(stats.peer.map(|peer| format!("peer {peer}")));
        state.reasons.extend(self.troubles.recent(time_s));
        let [lost, damaged, ..] = counts(stats);
        let (seen, errors) = (stats.rx.good + damaged + lost, damaged + lost);
        let down = (!stats.link_up)
            .then(|| state.reasons.first().cloned())
            .flatten();
        state.lanes.push(Lane {
            name: "received".to_owned(),
            state: state_of(stats.link_up),
            reason: down,
            seen,
            errors,
            unit: "frames",
            error_rate: Interval::wilson(errors, seen),
            recoveries: 0,
        });
        for (vc, channel) in stats.channels.iter().enumerate() {
            let (tx, rx) = (&channel.tx, &channel.rx);
            if tx.bytes > 0 || tx.cut > 0 {
                let paused = stats.peer_pause >> vc & 1 != 0;
                state.channels.push(Channel {
                    name: format!("sent, channel {vc}"),
                    bytes: tx.bytes,
                    packets: tx.frames,
                    bad: 0,
                    aborted: tx.cut,
                    note: if paused { "the peer pauses it" } else { "" }.to_owned(),
                });
            }
            if rx.bytes > 0 || rx.errors > 0 {
                state.channels.push(Channel {
                    name: format!("received, channel {vc}"),
                    bytes: rx.bytes,
                    packets: rx.frames,
                    bad: rx.orphans + channel.overflows,
                    aborted: rx.errors,
                    note: String::new(),
                });
            }
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    /// An end on an interface that nobody opens.
    fn watched() -> Watched {
        #[derive(Parser)]
        struct Args {
            #[command(flatten)]
            port: HtspPort,
        }
        let words = ["x", "--if", "eth9", "--watch", "127.0.0.1:0", "--quiet"];
        let args = Args::try_parse_from(words).expect("sound");
        Watched::open(&args.port).expect("listens").expect("a page")
    }

    fn first(watched: &Watched, stats: &Stats) -> String {
        let reasons = watched.state(stats, watched.page.time_s()).reasons;
        reasons.first().map_or("", |it| &*it.code).to_owned()
    }

    #[test]
    fn every_reason_why_the_link_goes_down_is_named_and_kept() {
        let mut watched = watched();
        let mut stats = Stats::default();
        watched.update(&stats);
        assert_eq!(first(&watched, &stats), "no_peer");
        stats.link_up = true;
        stats.rx.ups = 1;
        watched.update(&stats);
        assert_eq!(first(&watched, &stats), "peer_not_ready");
        for (change, code) in [
            (
                (|stats| stats.rx.downs_silent += 1) as fn(&mut Stats),
                "peer_silent",
            ),
            (|stats| stats.gaps += 1, "ring_overflow"),
            (|stats| stats.rx.downs_phy += 1, "line_down"),
        ] {
            (stats.link_up, stats.peer_ready) = (true, true);
            watched.update(&stats);
            assert_eq!(first(&watched, &stats), "");
            (stats.link_up, stats.peer_ready) = (false, false);
            change(&mut stats);
            for _ in 0..3 {
                watched.update(&stats);
                assert_eq!(first(&watched, &stats), code);
            }
        }
    }

    #[test]
    fn what_is_lost_and_what_is_carried_is_shown() {
        let mut watched = watched();
        let mut stats = Stats {
            link_up: true,
            peer_ready: true,
            peer_pause: 1 << 3,
            channels: vec![Default::default(); 16],
            ..Stats::default()
        };
        stats.rx.good = 90;
        stats.channels[3].tx.bytes = 100;
        stats.channels[4].rx.bytes = 7;
        watched.update(&stats);
        stats.rx.lost = 10;
        watched.update(&stats);
        let state = watched.state(&stats, watched.page.time_s());
        assert!(
            state.up && state.reasons[0].code == "frames_lost",
            "{state:?}"
        );
        assert_eq!((state.lanes[0].seen, state.lanes[0].errors), (100, 10));
        let names: Vec<_> = state.channels.iter().map(|it| &it.name[..]).collect();
        assert_eq!(names, ["sent, channel 3", "received, channel 4"]);
        assert!(state.channels[0].note.contains("pauses"));
        let events = watched.page.timeline.events();
        assert!(
            events
                .iter()
                .any(|it| it.reason.text == "10 frames are missing"),
            "{events:?}"
        );
    }
}
