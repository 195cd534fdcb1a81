// SPDX-License-Identifier: Apache-2.0
//! The sending end of a pipeline: generator, ack processor, and an aggregator for each lane,
//! joined.

use super::ack_processor::{AckProcessor, Reading};
use super::aggregator::{Aggregator, End, Supply, Terms};
use super::batch::Batch;
use super::cargo::Cargo;
use super::frame::FrameSeq;
use super::generator::{Generator, Load, Work};
use super::params::{ParamError, Params};
use super::rate::Pace;
use super::session::{LaneWriter, Session};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// When what was lost is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phases {
    /// As soon as it is known, while later chunks are sent.
    #[default]
    Overlapped,
    /// As in the paper (section III): a chunk is sent whole, reports count from then on only, and
    /// the next chunk waits until it is complete. The receiver reports on its timer, and nothing
    /// asks it to.
    Separate,
}

/// What a sender chooses by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SenderSettings {
    /// When what was lost is sent again.
    pub phases: Phases,
    /// How the rate of each lane is set.
    pub pace: Pace,
    /// Bytes that the receiver's end of a lane holds before its program looks at them.
    pub buffer: usize,
    /// The session closes when no lane has been answered for so long. None: never.
    pub peer_timeout: Option<Duration>,
    /// Number of the first chunk.
    pub first: u32,
    /// Number of the first frame of each lane. The receiver of a sealed lane expects the first one
    /// that reaches it within 2^23 of 0.
    pub first_frame: FrameSeq,
}

impl Default for SenderSettings {
    fn default() -> Self {
        SenderSettings {
            phases: Phases::Overlapped,
            pace: Pace::Found,
            buffer: 1 << 20,
            peer_timeout: None,
            first: 0,
            first_frame: FrameSeq::default(),
        }
    }
}

/// Why a session has closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CloseReason {
    /// The receiver has everything, and knows that it is all.
    #[error("all has arrived")]
    Complete,
    /// No lane was answered any more.
    #[error("no lane answers any more")]
    PeerTimeout,
    /// Every lane has sealed as many frames as its keys may.
    #[error("every lane has sealed as many frames as its keys may: a new session is needed")]
    Exhausted,
}

/// What a sender tells its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SenderEvent<B> {
    /// The receiver has all of the chunk; the memory comes back.
    Complete {
        /// Its number.
        chunk: u32,
        /// Its memory.
        memory: B,
    },
    /// A lane answers no longer: what was on it goes over the others.
    LaneFailed(u8),
    /// It answers again.
    LaneBack(u8),
    /// Nothing more is sent.
    Closed(CloseReason),
}

/// What a sender counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SenderCounters {
    /// Frames.
    pub frames: u64,
    /// Bytes of frames.
    pub bytes: u64,
    /// Sub-packets sent for the first time.
    pub sub_packets: u64,
    /// Sub-packets of parity.
    pub parity: u64,
    /// Sub-packets sent again.
    pub resent: u64,
    /// Sub-packets found to be lost, and not restored.
    pub lost: u64,
    /// Sub-packets that the receiver had already.
    pub duplicates: u64,
    /// Reports.
    pub reports: u64,
    /// Datagrams that were no report of this session.
    pub foreign: u64,
}

impl SenderCounters {
    /// Adds those of another pipeline.
    pub fn add(&mut self, other: &SenderCounters) {
        let SenderCounters {
            frames,
            bytes,
            sub_packets,
            parity,
            resent,
            lost,
            duplicates,
            reports,
            foreign,
        } = *other;
        self.frames += frames;
        self.bytes += bytes;
        self.sub_packets += sub_packets;
        self.parity += parity;
        self.resent += resent;
        self.lost += lost;
        self.duplicates += duplicates;
        self.reports += reports;
        self.foreign += foreign;
    }
}

/// How far the end of the stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Asked,
    /// The receiver knows that it has everything: each lane says that this is known. From the
    /// first that has, those whose channels take nothing have until then.
    Told(Option<Duration>),
    Closed(CloseReason),
}

/// The sending end of a pipeline.
///
/// Offer it chunks, give it every datagram that arrives, let it fill batches for each lane that has
/// room, and call [`Sender::poll_transmit`] again at [`Sender::next_timeout`] at the latest.
#[derive(Debug)]
pub struct Sender<B> {
    params: Params,
    phases: Phases,
    peer_timeout: Option<Duration>,
    generator: Generator<B>,
    acks: AckProcessor<B>,
    lanes: Vec<Lane>,
    /// No lane is answered.
    unanswered: Option<Duration>,
    state: State,
    cargo: Cargo<B>,
    events: VecDeque<SenderEvent<B>>,
    counters: SenderCounters,
}

#[derive(Debug)]
struct Lane {
    out: Aggregator,
    writer: LaneWriter,
    /// The user has been told that it answers no longer.
    failed: bool,
    /// It carries no sub-packets as long as another one does.
    rests: bool,
    /// It has said its last word.
    has_left: bool,
}

/// How long the last word of a lane may wait for its channel.
const LEAVE: Duration = Duration::from_millis(2);
/// [`Lane::rank`] of one that does not answer, and more.
const SILENT: u8 = 2;

impl Lane {
    /// How little it is to be used.
    fn rank(&self) -> u8 {
        u8::from(self.rests) + if self.out.has_failed() { SILENT } else { 0 }
    }
}

/// What lanes send: first what is to be sent again.
struct Source<'a, B> {
    generator: &'a mut Generator<B>,
    acks: &'a mut AckProcessor<B>,
    phases: Phases,
    counters: &'a mut SenderCounters,
}

/// Whether a new sub-packet may go out now.
fn may_begin<B: AsRef<[u8]>>(
    phases: Phases,
    generator: &Generator<B>,
    acks: &AckProcessor<B>,
) -> bool {
    generator.is_ready() && (phases == Phases::Overlapped || generator.chunk() == Some(acks.base()))
}

impl<B: AsRef<[u8]>> Supply<B> for Source<'_, B> {
    fn next(&mut self, room: u16) -> Option<Work<B>> {
        if let Some(work) = self.acks.next_work(room) {
            self.counters.resent += u64::from(work.run.count);
            return Some(work);
        }
        if !may_begin(self.phases, self.generator, self.acks) {
            return None;
        }
        let work = self.generator.next_work(room)?;
        let counter = if work.run.parity {
            &mut self.counters.parity
        } else {
            &mut self.counters.sub_packets
        };
        *counter += u64::from(work.run.count);
        Some(work)
    }

    fn has_again(&mut self) -> bool {
        self.acks.has_resends()
    }

    fn is_empty(&mut self) -> bool {
        !self.acks.has_resends() && !may_begin(self.phases, self.generator, self.acks)
    }
}

impl<B: AsRef<[u8]>> Sender<B> {
    /// An end of a session whose start both ends have agreed on.
    ///
    /// # Errors
    /// A parameter out of range, or frames that are protected otherwise.
    pub fn new(
        params: Params,
        session: Session,
        settings: SenderSettings,
        now: Duration,
    ) -> Result<Self, ParamError> {
        let number = session.number();
        let (writers, readers): (Vec<_>, Vec<_>) = session.sender(&params)?.into_iter().unzip();
        event!(
            INFO,
            session = number,
            lanes = params.lanes,
            sealed = params.sealed,
            "sender opened"
        );
        // Without reports while a chunk is sent there is no telling what is on its way.
        let buffer = (settings.phases == Phases::Overlapped).then_some(settings.buffer);
        let lane = |(lane, writer)| {
            let terms = Terms {
                params,
                session: number,
                lane,
                pace: settings.pace,
                buffer,
                first: settings.first_frame,
            };
            Lane {
                out: Aggregator::new(terms, now),
                writer,
                failed: false,
                rests: false,
                has_left: false,
            }
        };
        Ok(Sender {
            params,
            phases: settings.phases,
            peer_timeout: settings.peer_timeout,
            generator: Generator::new(params, settings.first),
            acks: AckProcessor::new(params, readers, settings.first),
            lanes: (0..).zip(writers).map(lane).collect(),
            unanswered: None,
            state: State::Open,
            cargo: Cargo::default(),
            events: VecDeque::new(),
            counters: SenderCounters::default(),
        })
    }

    /// Whether another chunk would be sent now: more than those on their way and one that waits
    /// need not be in memory.
    #[must_use]
    pub fn wants_chunk(&self) -> bool {
        self.state == State::Open && self.acks.open() <= usize::from(self.params.chunks)
    }

    /// Takes a chunk, which is the first `bytes` bytes of `memory`, and says its number. The memory
    /// comes back with [`SenderEvent::Complete`].
    ///
    /// # Panics
    /// The chunk is empty, longer than its memory or than a chunk can be, or the stream has ended.
    pub fn offer(&mut self, memory: B, bytes: usize) -> u32 {
        assert!(
            bytes > 0 && bytes <= self.params.chunk_bytes() && bytes <= memory.as_ref().len(),
            "chunk of {bytes} bytes"
        );
        assert!(self.state == State::Open, "the stream has ended");
        let load = Arc::new(Load { memory, bytes });
        self.acks.started(Arc::clone(&load));
        self.generator.offer(load)
    }

    /// No chunk will follow.
    pub fn finish(&mut self) {
        if self.state == State::Open {
            self.state = State::Asked;
        }
    }

    /// Whether the receiver has everything and knows that it is all.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.close_reason() == Some(CloseReason::Complete)
    }

    /// Why the session has closed, if it has.
    #[must_use]
    pub fn close_reason(&self) -> Option<CloseReason> {
        match self.state {
            State::Closed(reason) => Some(reason),
            _ => None,
        }
    }

    /// What stands in the headers of its frames.
    #[must_use]
    pub fn session(&self) -> u64 {
        self.lanes[0].writer.session()
    }

    fn close(&mut self, reason: CloseReason) {
        event!(INFO, session = self.session(), ?reason, "sender closed");
        self.state = State::Closed(reason);
        self.events.push_back(SenderEvent::Closed(reason));
    }

    /// What the user has to know, oldest first.
    pub fn poll_event(&mut self) -> Option<SenderEvent<B>> {
        self.events.pop_front()
    }

    /// Bytes of a full frame, as agreed on.
    #[must_use]
    pub fn frame_bytes(&self) -> usize {
        self.params.frame_bytes()
    }

    /// The frames of a lane carry as many sub-packets as fit `limit` bytes, if that is more than
    /// was agreed on; to be called before anything is sent. A frame says how many it carries, so
    /// every receiver takes them: what was agreed on is what passes as a datagram, and a stream
    /// carries longer ones, each of which costs as much as a short one.
    pub fn lengthen(&mut self, lane: u8, limit: usize) {
        if let Some(lane) = self.lanes.get_mut(usize::from(lane)) {
            lane.out.lengthen(limit);
        }
    }

    /// What was counted.
    #[must_use]
    pub fn counters(&self) -> SenderCounters {
        self.counters
    }

    /// The rate of a lane is set so from now on.
    pub fn set_pace(&mut self, lane: u8, pace: Pace) {
        if let Some(lane) = self.lanes.get_mut(usize::from(lane)) {
            lane.out.rate.set_pace(pace);
        }
    }

    /// Whether a lane rests from now on: it carries sub-packets only while all that do not rest
    /// have failed. What is on its way stays so.
    pub fn set_rest(&mut self, lane: u8, rests: bool) {
        if let Some(lane) = self.lanes.get_mut(usize::from(lane)) {
            lane.rests = rests;
        }
    }

    /// Whether a lane rests.
    #[must_use]
    pub fn rests(&self, lane: u8) -> bool {
        (self.lanes.get(usize::from(lane))).is_some_and(|lane| lane.rests)
    }

    /// Whether a lane may carry sub-packets: it answers and does not rest, or no lane is better. Of
    /// lanes that have all failed any may be the first that answers again.
    fn carries(&self, index: usize) -> bool {
        let best = self.lanes.iter().map(Lane::rank).min();
        best.is_some_and(|best| best >= SILENT || best == self.lanes[index].rank())
    }

    /// State of a lane.
    #[must_use]
    pub fn lane(&self, lane: u8) -> Option<&Aggregator> {
        self.lanes.get(usize::from(lane)).map(|lane| &lane.out)
    }

    fn may_begin(&self) -> bool {
        may_begin(self.phases, &self.generator, &self.acks)
    }

    /// In the transmission phase of the paper reports count for nothing.
    fn is_transmitting(&self) -> bool {
        self.phases == Phases::Separate && self.may_begin()
    }

    /// Fills a batch of at most `most` frames for a lane; false if there is nothing to be sent on
    /// it now. What is filled counts as sent.
    pub fn poll_transmit(
        &mut self,
        now: Duration,
        lane: u8,
        most: usize,
        batch: &mut Batch,
    ) -> bool {
        batch.clear();
        let index = usize::from(lane);
        if index >= self.lanes.len() || !self.is_open(now) {
            return false;
        }
        self.late(now, index);
        self.cargo.clear();
        std::mem::swap(&mut self.cargo.bytes, &mut batch.bytes);
        let carries = self.carries(index);
        let out = &mut self.lanes[index].out;
        if carries {
            let mut source = Source {
                generator: &mut self.generator,
                acks: &mut self.acks,
                phases: self.phases,
                counters: &mut self.counters,
            };
            let has_all = !out.fill(now, most, &mut source, &mut self.cargo);
            if has_all && self.state == State::Open {
                out.starved();
            }
        }
        if self.cargo.frames.is_empty() {
            self.control(now, index);
        }
        let frames = self.lanes[index].writer.write(&mut self.cargo);
        std::mem::swap(&mut self.cargo.bytes, &mut batch.bytes);
        batch.end(frames, self.cargo.segment);
        let mut lanes = self.lanes.iter();
        let is_over = matches!(self.state, State::Told(_));
        if !is_over
            && frames < self.cargo.frames.len()
            && lanes.all(|lane| lane.writer.is_exhausted())
        {
            self.close(CloseReason::Exhausted);
        }
        self.counters.frames += frames as u64;
        self.counters.bytes += batch.bytes().len() as u64;
        frames > 0
    }

    /// Whether the session has not closed, as it does now for want of an answer, or once its lanes
    /// have left.
    fn is_open(&mut self, now: Duration) -> bool {
        self.check_left(now);
        if self.close_reason().is_some() {
            return false;
        }
        if !self.lanes.iter().all(|lane| lane.out.has_failed()) {
            self.unanswered = None;
            return true;
        }
        if self.unanswered.is_none() {
            self.unanswered = Some(now);
            event!(WARN, session = self.session(), "peer silent");
        }
        let is_over = self.peer_deadline().is_some_and(|at| now >= at);
        if is_over {
            self.close(CloseReason::PeerTimeout);
        }
        !is_over
    }

    /// Closes once the lanes have left.
    fn check_left(&mut self, now: Duration) {
        let State::Told(until) = self.state else {
            return;
        };
        let mut lanes = self.lanes.iter();
        if until.is_some_and(|until| now >= until)
            || lanes.all(|lane| lane.has_left || lane.out.has_failed())
        {
            self.close(CloseReason::Complete);
        }
    }

    /// A channel is of no use any more: if the farewell has been said that is no fault, as the
    /// receiver leaves when it has one, and the session closes. True: so it was.
    pub fn leave(&mut self) -> bool {
        let has_left = matches!(self.state, State::Told(Some(_)));
        if has_left {
            self.close(CloseReason::Complete);
        }
        has_left || self.is_finished()
    }

    fn peer_deadline(&self) -> Option<Duration> {
        self.unanswered?.checked_add(self.peer_timeout?)
    }

    /// The channel of a lane has taken by now what was filled: an end that was busy in between may
    /// have been late. Where it is not said, what is filled goes out at once.
    pub fn gone(&mut self, now: Duration, lane: u8) {
        if let Some(lane) = self.lanes.get_mut(usize::from(lane)) {
            lane.out.gone(now);
        }
    }

    /// The channel of a lane takes nothing now: that is what the lane carries, and not that this
    /// end is late.
    pub fn held(&mut self, lane: u8) {
        if let Some(lane) = self.lanes.get_mut(usize::from(lane)) {
            lane.out.held();
        }
    }

    /// The same of a channel that may stand still for good, such as a connection whose other end is
    /// gone: the lane fails as one does that does not answer.
    pub fn stuck(&mut self, now: Duration, lane: u8) {
        self.held(lane);
        let index = usize::from(lane);
        if let Some(lane) = self.lanes.get_mut(index) {
            lane.out.unasked(now);
            self.check_health(index);
        }
    }

    /// The channel of a lane is gone: the lane has failed, and what is on its way is lost.
    pub fn fail(&mut self, now: Duration, lane: u8) {
        if self.leave() {
            return;
        }
        let index = usize::from(lane);
        if let Some(own) = self.lanes.get_mut(index)
            && !own.out.has_failed()
        {
            own.out.fail(now);
            self.abandon_lane(lane);
            self.check_health(index);
        }
    }

    /// A frame without sub-packets, if one is due. Every lane that answers tells the end: one of
    /// them may stand still, with what it or its answer has to say.
    fn control(&mut self, now: Duration, index: usize) {
        if self.lanes[index].has_left {
            return;
        }
        let (blocked, end) = (self.is_blocked(), self.end(&self.lanes[index]));
        let lane = &mut self.lanes[index];
        if end == End::Confirmed {
            lane.has_left = true;
            if self.state == State::Told(None) {
                self.state = State::Told(Some(now + LEAVE));
            }
        }
        lane.out.control(now, blocked, end, &mut self.cargo);
        self.check_health(index);
        self.check_left(now);
    }

    /// What a lane has to say of the end.
    fn end(&self, lane: &Lane) -> End {
        match self.state {
            State::Told(_) if !lane.has_left => End::Confirmed,
            State::Asked if lane.out.has_failed() => End::Open,
            State::Asked if self.acks.open() == 0 => End::Arrived(self.generator.next()),
            State::Asked if self.is_sent() => End::Sent(self.generator.next()),
            _ => End::Open,
        }
    }

    /// Whether it has to say that now.
    fn has_to_tell(&self, lane: &Lane) -> bool {
        let out = &lane.out;
        match self.end(lane) {
            End::Confirmed => true,
            End::Arrived(_) => !out.has_told() || out.outstanding() == 0,
            End::Sent(_) => !out.has_told(),
            End::Open => false,
        }
    }

    /// Whether there is nothing to send, new or again: the receiver shall know that no more will
    /// come. In phases as in the paper all has to be there first.
    fn is_sent(&self) -> bool {
        let sent = self.generator.chunk().is_none() && !self.acks.has_resends();
        self.acks.open() == 0 || sent && self.phases == Phases::Overlapped
    }

    /// A chunk waits for credit, a report has to say more than the last one did, or which lanes are
    /// dead has to be known.
    fn is_blocked(&self) -> bool {
        let mut lanes = self.lanes.iter();
        self.acks.is_unclear()
            || self.generator.chunk().is_some() && !self.generator.is_ready()
            || lanes.any(|lane| lane.out.has_failed() && lane.out.oldest().is_some())
    }

    fn check_health(&mut self, index: usize) {
        let lane = &mut self.lanes[index];
        if !lane.out.has_failed() {
            return;
        }
        if !lane.failed {
            lane.failed = true;
            event!(
                WARN,
                session = lane.writer.session(),
                lane = index,
                "lane down"
            );
            self.events.push_back(SenderEvent::LaneFailed(index as u8));
        }
        self.acks.silent(index, lane.out.first_wait());
        self.abandon();
    }

    /// What is on its way over a lane counts as lost, and goes over those that carry sub-packets:
    /// a channel that keeps the order may hold it for long. What arrives all the same comes twice.
    pub fn abandon_lane(&mut self, lane: u8) {
        if let Some(lane) = self.lanes.get_mut(usize::from(lane)) {
            for run in lane.out.abandon() {
                self.counters.lost += u64::from(self.acks.lose(run));
            }
        }
    }

    /// What is on lanes that others have outlived goes over those.
    fn abandon(&mut self) {
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            if self.acks.is_outlived(index) {
                for run in lane.out.abandon() {
                    self.counters.lost += u64::from(self.acks.lose(run));
                }
            }
        }
    }

    /// What a lane has overtaken for too long counts as lost, as far as the last report spoke of
    /// it.
    fn late(&mut self, now: Duration, index: usize) {
        if self.is_transmitting() {
            return;
        }
        let out = &mut self.lanes[index].out;
        while let Some(run) = out.settled(now) {
            self.counters.lost += u64::from(self.acks.settle(run));
            out.settle();
        }
    }

    /// Takes a datagram that has arrived.
    pub fn receive(&mut self, now: Duration, datagram: &[u8]) {
        let learned = match self.acks.receive(now, datagram, self.generator.sent()) {
            Reading::News(learned) => learned,
            Reading::Known => return,
            Reading::Foreign => {
                self.counters.foreign += 1;
                return;
            }
        };
        self.counters.reports += 1;
        self.counters.duplicates += u64::from(learned.duplicates);
        self.counters.lost += u64::from(learned.lost);
        if let Some(credit) = learned.credit {
            self.generator.set_credit(credit);
        }
        let transmitting = self.is_transmitting();
        let micros = now.as_micros() as u32;
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            if !lane.out.report(now, micros, &self.acks.heard(index)) {
                continue;
            }
            if learned.reordered {
                lane.out.was_reordered(now);
            }
            if lane.failed && !lane.out.has_failed() {
                lane.failed = false;
                event!(
                    INFO,
                    session = lane.writer.session(),
                    lane = index,
                    "lane up"
                );
                self.events.push_back(SenderEvent::LaneBack(index as u8));
            }
        }
        self.abandon();
        if learned.idle && !transmitting {
            for (index, until) in self.acks.settled_until(now).into_iter().enumerate() {
                self.lanes[index].out.silence(now, until);
                self.check_health(index);
            }
        }
        for index in 0..self.lanes.len() {
            self.late(now, index);
        }
        while let Some((chunk, load)) = self.acks.poll_complete() {
            self.generator.complete(chunk);
            let load = Arc::into_inner(load).expect("what was to be sent of it is written");
            let memory = load.memory;
            self.events
                .push_back(SenderEvent::Complete { chunk, memory });
        }
        if self.state == State::Asked && learned.finished && self.acks.open() == 0 {
            self.state = State::Told(None);
        }
    }

    /// When [`Sender::poll_transmit`] has something new for some lane, if nothing arrives before;
    /// none: never.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Duration> {
        self.next_timeout_where(|_| false)
    }

    /// The same where the channels of some lanes have no room, as `full` says: what these might
    /// send is no reason to come back.
    #[must_use]
    pub fn next_timeout_where(&self, full: impl Fn(u8) -> bool) -> Option<Duration> {
        if self.close_reason().is_some() {
            return None;
        }
        let pending = self.acks.has_resends() || self.may_begin();
        let blocked = self.is_blocked();
        let transmitting = self.is_transmitting();
        let times = self.lanes.iter().enumerate().flat_map(|(index, lane)| {
            let paced = lane.out.ready();
            let may = pending && !full(index as u8) && !lane.out.has_failed();
            let paced = paced.filter(|_| may && self.carries(index));
            let late = lane.out.next_late().filter(|_| !transmitting);
            [lane.out.next_ask(blocked), late, paced]
        });
        let mut able = (0..).zip(&self.lanes).filter(|&(index, _)| !full(index));
        let ends = able.any(|(_, lane)| self.has_to_tell(lane));
        let left = match self.state {
            State::Told(until) => until,
            _ => None,
        };
        times
            .chain([ends.then_some(Duration::ZERO), left, self.peer_deadline()])
            .flatten()
            .min()
    }
}

#[cfg(test)]
mod tests;
