// SPDX-License-Identifier: Apache-2.0
//! An HTSP link on its live page, as somebody sees it who takes no part in it.

use ropewalk_console::failure::Failure;
use ropewalk_watch::{Channel, Interval, Lane, Reason, State};

use super::{Page, Troubles, state_of};
use crate::cli::HtspStat;
use crate::commands::htsp::stat::Sender;

/// What may go wrong: code, and words behind a number.
const TROUBLES: [(&str, &str); 4] = [
    ("frames_lost", "frames are missing"),
    ("frames_damaged", "frames were damaged"),
    ("frames_late", "frames came again or late"),
    ("ring_overflow", "frames were missed by this machine alone"),
];
/// A sender says something more often than that, in seconds.
const PATIENCE_S: f64 = 1.0;

/// A sender that was heard.
struct Heard {
    mac: String,
    /// Its frames, and when the last one was new.
    frames: u64,
    at_s: f64,
}

/// A link and its page.
pub(crate) struct Watched {
    page: Page,
    troubles: Troubles<4>,
    heard: Vec<Heard>,
}

impl Watched {
    /// Opens the page, if there is to be one.
    ///
    /// # Errors
    /// Its address cannot be listened at.
    pub(crate) fn open(options: &HtspStat) -> Result<Option<Self>, Failure> {
        let Some(address) = options.watch else {
            return Ok(None);
        };
        let first = State {
            facts: vec![format!("EtherType {:#06x}", options.ethertype)],
            ..State::new(format!("HTSP on {}, overheard", options.interface))
        };
        Ok(Some(Self {
            page: Page::open(address, options.json, first)?,
            troubles: Troubles::new(TROUBLES),
            heard: Vec::new(),
        }))
    }

    /// Shows what was heard, if it is time.
    pub(crate) fn update<'a>(
        &mut self,
        senders: impl Iterator<Item = &'a Sender> + Clone,
        drops: u64,
    ) {
        if self.page.is_due() {
            let now = self.now(senders, drops);
            self.page.publish(now);
        }
    }

    fn now<'a>(&mut self, senders: impl Iterator<Item = &'a Sender> + Clone, drops: u64) -> State {
        let time_s = self.page.time_s();
        let sum = |count: fn(&Sender) -> u64| senders.clone().map(count).sum();
        let counts = [
            sum(|it| it.missing),
            sum(|it| it.bad),
            sum(|it| it.stale),
            drops,
        ];
        self.troubles.look(time_s, counts, &mut self.page.timeline);
        for sender in senders.clone() {
            let known = self.heard.iter_mut().find(|it| it.mac == sender.mac);
            let frames = sender.frames;
            match known {
                None => self.heard.push(Heard {
                    mac: sender.mac.clone(),
                    frames,
                    at_s: time_s,
                }),
                Some(heard) if heard.frames == frames => {}
                Some(heard) => (heard.frames, heard.at_s) = (frames, time_s),
            }
        }
        let why = |sender: &Sender| self.reason(sender, time_s);
        let reasons: Vec<Option<Reason>> = senders.clone().map(why).collect();
        let nobody = Reason::new("no_peer", "no frame has come yet");
        let first = reasons.iter().flatten().next().cloned();
        let first = first.or_else(|| reasons.is_empty().then_some(nobody));
        self.page.follow(time_s, first);
        let mut state = self.page.state(time_s);
        state.reasons.extend(self.troubles.recent(time_s));
        for (sender, reason) in senders.zip(reasons) {
            state.lanes.push(lane(sender, reason));
            state.channels.extend(channels(sender));
        }
        state
    }

    /// Why nothing can be sent to a sender, if that is so.
    fn reason(&self, sender: &Sender, time_s: f64) -> Option<Reason> {
        let heard = self.heard.iter().find(|it| it.mac == sender.mac)?;
        if sender.frames == 0 {
            let text = format!("{} has sent nothing but damaged frames", sender.mac);
            return Some(Reason::new("no_peer", text));
        }
        if time_s - heard.at_s > PATIENCE_S {
            let text = format!("no good frame of {} comes any more", sender.mac);
            return Some(Reason::new("peer_silent", text));
        }
        (!sender.link_ready).then(|| {
            let text = format!("{} does not hear its peer", sender.mac);
            Reason::new("peer_not_ready", text)
        })
    }
}

fn lane(sender: &Sender, reason: Option<Reason>) -> Lane {
    let errors = sender.missing + sender.bad;
    let seen = sender.frames + errors;
    Lane {
        name: format!("sent by {}", sender.mac),
        state: state_of(reason.is_none()),
        reason,
        seen,
        errors,
        unit: "frames",
        error_rate: Interval::wilson(errors, seen),
        recoveries: 0,
    }
}

/// What it has sent on each channel, and whether it wants any.
fn channels(sender: &Sender) -> impl Iterator<Item = Channel> {
    let any = sender.vc.iter().filter(|it| it.bursts > 0 || it.pauses);
    any.map(|it| Channel {
        name: format!("sent by {}, channel {}", sender.mac, it.vc),
        bytes: it.bytes,
        packets: it.frames,
        aborted: it.errored,
        note: if it.pauses {
            "it pauses its peer on it"
        } else {
            ""
        }
        .to_owned(),
        ..Channel::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn senders_are_shown_and_what_is_wrong_is_named() {
        #[derive(Parser)]
        struct Args {
            #[command(flatten)]
            stat: HtspStat,
        }
        let words = ["x", "--if", "eth9", "--watch", "127.0.0.1:0", "--json"];
        let options = Args::try_parse_from(words).expect("sound").stat;
        let mut watched = Watched::open(&options).expect("listens").expect("a page");
        let mut look = |senders: &[Sender], drops, code: &str| {
            let now = watched.now(senders.iter(), drops);
            assert!(code.is_empty() == now.reasons.is_empty(), "{code}: {now:?}");
            assert!(code.is_empty() || now.names(code), "{code}: {now:?}");
            now
        };
        assert!(!look(&[], 0, "no_peer").up);
        let mut senders = ["02:00:00:00:00:01", "02:00:00:00:00:02"].map(|mac| {
            let mut sender = Sender::new(mac.to_owned());
            (sender.frames, sender.link_ready) = (9, true);
            sender
        });
        senders[1].vc[3].bursts = 1;
        senders[1].vc[3].bytes = 100;
        senders[0].vc[3].pauses = true;
        let now = look(&senders, 0, "");
        assert!(now.up && now.lanes.len() == 2 && now.channels.len() == 2);
        assert_eq!(now.channels[0].note, "it pauses its peer on it");
        assert_eq!(now.channels[1].bytes, 100);
        senders[0].link_ready = false;
        let now = look(&senders, 0, "peer_not_ready");
        assert!(!now.up && now.lanes[0].reason.is_some() && now.lanes[1].reason.is_none());
        senders[0].link_ready = true;
        senders[0].missing = 1;
        let now = look(&senders, 0, "frames_lost");
        assert_eq!(
            (now.up, now.lanes[0].seen, now.lanes[0].errors),
            (true, 10, 1)
        );
        senders[1].bad = 1;
        look(&senders, 0, "frames_damaged");
        senders[1].stale = 1;
        look(&senders, 0, "frames_late");
        look(&senders, 5, "ring_overflow");
        watched.heard[0].at_s = -2.0 * PATIENCE_S;
        assert_eq!(
            watched.now(senders.iter(), 5).reasons[0].code,
            "peer_silent"
        );
    }
}
