// SPDX-License-Identifier: Apache-2.0
//! Receiver of an extended lane: delivery in order, incidents, and what the peer says.
//!
//! While a session is up it keeps `T`, the id of the next data frame to deliver, an error flag, and
//! `n`, the number of the present or last incident:
//!
//! | frame | no error | error |
//! |---|---|---|
//! | data, verifies against `T` | deliver, `T` one on | ignored |
//! | control of the session, verifies against `T` | taken | taken; error over, if it answers incident `n` |
//! | control of the session, other id | taken, error | taken |
//! | anything else | error | ignored |
//!
//! "Of the session" is a control frame whose announcement carries both session numbers and the
//! number of this lane, and names the same data frame as its code: one flipped bit of the code
//! names another one. An error makes `n` one on (modulo 16), and so do 2^IdWidth frames in error,
//! when the answer must have been lost, and the return of a lost alignment.
//!
//! With delayed release a data frame is kept until the frame behind it has been found good as well,
//! data or control; if that one is an error, `T` goes back to the kept frame, which is thrown away.
//! So garbage that verifies by chance is not delivered if more garbage follows.
//!
//! Beside this, the receiver judges whether the frames of the peer arrive unbroken
//! ([`LaneReceiver::fresh`]): the peer's transmitter takes silence for consent, and so does this
//! end's.

use super::super::code;
use super::super::frame::{Control, Frame, Segment};
use super::super::params::LaneParams;
use super::super::scrambler::Descrambler;
use super::announcement::{Announcement, Capabilities, Detail, Phase, Unreadable};

/// Frames in a row that must follow each other, without an ask, before silence means consent. One
/// more than the period in which an unanswered ask is repeated: a damaged frame that passes by
/// chance for data, in place of an ask, is betrayed by the frame behind it.
pub const FRESH_RUN: u8 = super::tx::PERIOD + 1;

/// The two ends of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pair {
    /// Own number.
    pub own: u16,
    /// The peer's number.
    pub peer: u16,
}

/// A request of the peer to send again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ask {
    /// Number of the incident, modulo 16.
    pub n: u8,
    /// Id of the first frame to send again.
    pub wanted: u16,
}

/// What became of one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Received {
    /// The user segment of this frame, or with delayed release of the one before, if it is
    /// delivered now.
    pub segment: Option<Segment>,
    /// The frame is the next data frame in order.
    pub delivered: bool,
    /// The frame is a control frame of the session.
    pub taken: bool,
}

/// State of a receiver as its transmitter sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Report {
    /// Number of the peer's session as last received, 0 for none.
    pub echo: u16,
    /// Last ping received.
    pub ping: bool,
    /// Last pong in an announcement that echoed this end's session number; `None` before the first.
    pub pong: Option<bool>,
    /// The peer wants no new data.
    pub stop: bool,
    /// Last own stop that the peer has seen.
    pub stop_seen: bool,
    /// Frames arrive unbroken, and none of the last five asked.
    pub fresh: bool,
    /// An incident is open.
    pub error: bool,
    /// Number of the present or last incident.
    pub n: u8,
    /// `T`.
    pub wanted: u16,
    /// The peer has been seen in UP.
    pub peer_up: bool,
    /// The last ask.
    pub ask: Option<Ask>,
    /// The stream was broken since the last report.
    pub broken: bool,
}

/// Receiver of one lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneReceiver {
    params: LaneParams,
    /// Number of the lane.
    lane: u8,
    descrambler: Descrambler,
    aligned: bool,
    /// Own session number, up or not.
    own: u16,
    peer: Option<Announcement>,
    /// Session and ping of the last announcement, whatever became of the alignment since.
    echo: u16,
    ping: bool,
    capabilities: Option<Capabilities>,
    plain: u8,
    announced: u8,
    offences: u8,
    /// The session while it is up.
    pair: Option<Pair>,
    /// T.
    threshold: u16,
    /// Data frames are kept until the frame behind them is good.
    delayed: bool,
    /// Frame T-1, without its scrambling, while it is kept.
    kept: Option<Frame>,
    error: bool,
    n: u8,
    /// Frames in error since `n` last changed.
    waited: u16,
    /// Id that the next frame must carry to follow the last one.
    promised: Option<u16>,
    /// Frames in a row that follow and do not ask, up to `FRESH_RUN`.
    following: u8,
    pong: Option<bool>,
    stop: bool,
    stop_seen: bool,
    peer_up: bool,
    ask: Option<Ask>,
    broken: bool,
    /// Data frames delivered in this session, and incidents.
    delivered: u64,
    incidents: u64,
    pub(crate) rules: Rules,
}

/// Rules of the receiver, each of which a test can switch off to show what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules {
    /// An incident ends only with a control frame that answers this very incident.
    pub(crate) numbered: bool,
    /// An incident that is not answered gets a new number after 2^IdWidth frames.
    pub(crate) ask_again: bool,
    /// An incident gets a new number when a lost alignment is back.
    pub(crate) relock: bool,
    /// A pong counts only together with the own session number.
    pub(crate) pong_of_session: bool,
    /// Control frames must belong to the session.
    pub(crate) session: bool,
    /// Control frames must come from the lane of the same number.
    pub(crate) same_lane: bool,
    /// Silence counts only if no frame is missing.
    pub(crate) unbroken: bool,
    /// A control frame must name the same id in its code and in its announcement.
    pub(crate) named_twice: bool,
    /// An unanswered incident gets no new number while there is no alignment.
    pub(crate) patient: bool,
    /// Frames in a row that mean consent.
    pub(crate) fresh_run: u8,
}

const RULES: Rules = Rules {
    numbered: true,
    ask_again: true,
    relock: true,
    pong_of_session: true,
    session: true,
    same_lane: true,
    unbroken: true,
    named_twice: true,
    patient: true,
    fresh_run: FRESH_RUN,
};

impl LaneReceiver {
    /// The receiver of a lane after reset, for an end whose session has the number `own`.
    #[must_use]
    pub fn new(params: LaneParams, lane: u8, own: u16) -> Self {
        LaneReceiver {
            params,
            lane,
            descrambler: Descrambler::default(),
            aligned: false,
            own,
            peer: None,
            echo: 0,
            ping: false,
            capabilities: None,
            plain: 0,
            announced: 0,
            offences: 0,
            pair: None,
            threshold: 0,
            delayed: false,
            kept: None,
            error: false,
            n: 0,
            waited: 0,
            promised: None,
            following: 0,
            pong: None,
            stop: false,
            stop_seen: false,
            peer_up: false,
            ask: None,
            broken: false,
            delivered: 0,
            incidents: 0,
            rules: RULES,
        }
    }

    /// Ends the session: everything that belongs to it is forgotten, `own` is the new number. What
    /// the peer is, and the state of the line, stays known.
    pub fn restart(&mut self, own: u16) {
        *self = LaneReceiver {
            descrambler: self.descrambler,
            aligned: self.aligned,
            peer: self.peer,
            echo: self.echo,
            ping: self.ping,
            capabilities: self.capabilities,
            promised: self.promised,
            delayed: self.delayed,
            rules: self.rules,
            ..LaneReceiver::new(self.params, self.lane, own)
        };
    }

    /// The session is up: ids start at 0, without error.
    pub fn up(&mut self, pair: Pair) {
        self.pair = Some(pair);
        self.following = 0;
        self.ask = None;
        self.plain = 0;
        self.offences = 0;
    }

    /// Turns delayed release on or off, at any time.
    pub const fn set_delayed_release(&mut self, on: bool) {
        self.delayed = on;
    }

    /// Whether frame boundaries are known.
    #[must_use]
    pub const fn aligned(&self) -> bool {
        self.aligned
    }

    /// The last announcement since the lane was aligned.
    #[must_use]
    pub const fn peer(&self) -> Option<Announcement> {
        self.peer
    }

    /// What the peer's present session told of its lane.
    #[must_use]
    pub const fn capabilities(&self) -> Option<Capabilities> {
        self.capabilities
    }

    /// Control frames without announcement, announcements, and announcements that do not belong to
    /// the session, in a row each, saturating.
    #[must_use]
    pub const fn runs(&self) -> (u8, u8, u8) {
        (self.plain, self.announced, self.offences)
    }

    /// Id of the next data frame to deliver, `T`.
    #[must_use]
    pub const fn threshold(&self) -> u16 {
        self.threshold
    }

    /// Whether an incident is open.
    #[must_use]
    pub const fn error(&self) -> bool {
        self.error
    }

    /// Whether the peer has been seen in UP in this session.
    #[must_use]
    pub const fn peer_up(&self) -> bool {
        self.peer_up
    }

    /// Data frames delivered in this session; one that is kept has not been.
    #[must_use]
    pub const fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Incidents of this session; a new number for the same one counts as another.
    #[must_use]
    pub const fn incidents(&self) -> u64 {
        self.incidents
    }

    /// Whether silence of the peer means consent: the last five frames followed each other, none
    /// asked.
    #[must_use]
    pub const fn fresh(&self) -> bool {
        self.following >= self.rules.fresh_run
    }

    /// Makes the receiver believe that it has delivered one frame more than it has.
    #[cfg(test)]
    pub(crate) fn skip_one(&mut self) {
        self.threshold = (self.threshold + 1) & self.params.id().mask();
    }

    /// The state for the transmitter of this end. What happened since the last report is reported
    /// once.
    pub fn report(&mut self) -> Report {
        let report = Report {
            echo: self.pair.map_or(self.echo, |pair| pair.peer),
            ping: self.ping,
            pong: self.pong,
            stop: self.stop,
            stop_seen: self.stop_seen,
            fresh: self.fresh() || (!self.rules.unbroken && self.ask.is_none()),
            error: self.error,
            n: self.n,
            wanted: self.threshold,
            peer_up: self.peer_up,
            ask: self.ask,
            broken: self.broken,
        };
        self.ask = None;
        self.broken = false;
        report
    }

    fn incident(&mut self) {
        self.error = true;
        self.n = (self.n + 1) & 15;
        self.waited = 0;
        self.incidents += 1;
    }

    fn fail(&mut self) {
        if !self.error {
            if self.kept.take().is_some() {
                self.threshold = self.threshold.wrapping_sub(1) & self.params.id().mask();
            }
            self.incident();
        }
    }

    /// Delivers a frame to the user.
    fn deliver(&mut self, plain: &Frame, received: &mut Received) {
        self.delivered += 1;
        received.segment = plain.segment();
    }

    /// Takes a frame as it came from the line; `aligned` is the aligner's verdict on it, its own
    /// header included.
    ///
    /// A frame with another number of words than the lane's counts as damaged.
    pub fn frame(&mut self, frame: &Frame, aligned: bool) -> Received {
        let received = if aligned {
            if !self.aligned {
                self.locked();
            }
            self.wait();
            self.aligned_frame(frame)
        } else {
            if self.aligned {
                self.unlocked();
            }
            if !self.rules.patient {
                self.wait();
            }
            self.descrambler.skip(frame);
            Received::default()
        };
        self.aligned = aligned;
        received
    }

    /// Another frame in error. The last one that is waited for comes too late to be the answer.
    fn wait(&mut self) {
        if !self.error {
            return;
        }
        self.waited += 1;
        if self.waited >= self.params.id().frames() && self.rules.ask_again {
            self.incident();
        }
    }

    fn unlocked(&mut self) {
        self.peer = None;
        self.plain = 0;
        self.announced = 0;
        self.offences = 0;
        self.promised = None;
        self.following = 0;
        self.broken = true;
        if self.pair.is_some() {
            self.fail();
        }
    }

    fn locked(&mut self) {
        if self.pair.is_some() && self.rules.relock {
            self.incident();
        }
    }

    fn aligned_frame(&mut self, frame: &Frame) -> Received {
        let mut plain = *frame;
        let state = self.descrambler.state();
        let syndrome = code::syndrome_bound(frame, state);
        let strong = code::strong_fits(frame, state);
        self.descrambler.frame(&mut plain);
        let id = self.params.id();
        let whole = frame.words().len() == self.params.frame().words();
        let legal = frame.is_data() || frame.is_control();
        // The id in the code, if the code belongs to one. A control frame without the stronger code
        // may come from an end that has none: what that is built with is heard, to be refused.
        let fits = legal && whole && (strong || frame.is_control());
        let carried = Some(syndrome).filter(|&s| fits && s & !id.mask() == 0);
        let announcement = match carried {
            Some(named) if frame.is_control() => self.read(&plain, named, strong),
            _ => None,
        };
        let taken = announcement.is_some_and(|announcement| self.hear(&announcement)) && strong;
        let data = carried.is_some() && frame.is_data();

        let follows = carried.is_some() && self.promised == carried && (data || taken);
        let asks = matches!(announcement.map(|a| a.detail), Some(Detail::Sequence(s)) if s.ask);
        self.following = if !follows || asks {
            0
        } else {
            (self.following + 1).min(FRESH_RUN)
        };
        self.promised = carried.map(|carried| (carried + u16::from(data)) & id.mask());

        let mut received = Received {
            taken,
            ..Received::default()
        };
        let erred = self.error;
        if self.pair.is_some() {
            self.in_session(
                &plain,
                carried,
                data,
                announcement.filter(|_| taken),
                &mut received,
            );
        }
        // The answer that ends an incident jumps back by right.
        let over = erred && !self.error;
        self.broken |= !follows && !over;
        received
    }

    /// What a descrambled frame means to the session that is up: `carried` is the id in its code,
    /// `announcement` what it says if it is a control frame of the session.
    fn in_session(
        &mut self,
        plain: &Frame,
        carried: Option<u16>,
        data: bool,
        announcement: Option<Announcement>,
        received: &mut Received,
    ) {
        let id = self.params.id();
        let matches = carried == Some(self.threshold);
        if !self.error {
            if !matches || !(data || announcement.is_some()) {
                self.fail();
                return;
            }
            let kept = self.kept.take();
            if let Some(kept) = &kept {
                self.deliver(kept, received);
            }
            if data {
                self.threshold = (self.threshold + 1) & id.mask();
                received.delivered = true;
                // One frame at a time: what follows a kept one is kept, too, until a control frame
                // comes.
                if self.delayed || kept.is_some() {
                    self.kept = Some(*plain);
                } else {
                    self.deliver(plain, received);
                }
            }
        } else if matches
            && let Some(Detail::Sequence(sequence)) = announcement.map(|a| a.detail)
            && (sequence.answered == self.n || !self.rules.numbered)
        {
            self.error = false;
        }
    }

    /// The announcement of a descrambled control frame whose code names an id, and the runs of
    /// those with and without. `strong`: the stronger code fits, too.
    fn read(&mut self, plain: &Frame, named: u16, strong: bool) -> Option<Announcement> {
        let key = Control::from_key(plain.key())?;
        match Announcement::decode(key, plain.reserved()) {
            Ok(Announcement {
                detail: Detail::Sequence(sequence),
                ..
            }) if !strong || (sequence.next != named && self.rules.named_twice) => None,
            Ok(announcement) => {
                self.announced = self.announced.saturating_add(1);
                self.plain = 0;
                Some(announcement)
            }
            Err(Unreadable::Plain) => {
                self.plain = self.plain.saturating_add(1);
                self.announced = 0;
                None
            }
            Err(_) => None,
        }
    }

    /// Takes note of what the peer says; whether it belongs to the session that is up, if one is.
    fn hear(&mut self, announcement: &Announcement) -> bool {
        if self.echo != announcement.session {
            self.capabilities = None;
        }
        self.peer = Some(*announcement);
        self.echo = announcement.session;
        self.ping = announcement.ping;
        if let Detail::Capabilities(capabilities) = announcement.detail {
            self.capabilities = Some(capabilities);
        }
        let echoed = announcement.echo == self.own;
        if echoed || !self.rules.pong_of_session {
            self.pong = Some(announcement.pong);
        }
        let Some(pair) = self.pair else {
            return true;
        };
        let phase = matches!(announcement.phase, Phase::Ready | Phase::Up);
        let ours = phase && announcement.session == pair.peer && echoed;
        let same_lane = announcement.lane == self.lane || !self.rules.same_lane;
        if self.rules.session && !(ours && same_lane) {
            self.offences = self.offences.saturating_add(1);
            return false;
        }
        self.offences = 0;
        self.peer_up |= announcement.phase == Phase::Up;
        self.stop = announcement.stop;
        self.stop_seen = announcement.stop_seen;
        if let Detail::Sequence(sequence) = announcement.detail
            && sequence.ask
        {
            self.ask = Some(Ask {
                n: sequence.ask_n,
                wanted: sequence.wanted,
            });
        }
        true
    }
}
