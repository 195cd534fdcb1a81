// SPDX-License-Identifier: Apache-2.0
//! The sending end of a pipeline: generator, ack processor, and an aggregator for each lane, joined.

use super::ack_processor::AckProcessor;
use super::aggregator::{Aggregator, way};
use super::batch::Batch;
use super::frame::{FRAME_HEADER, FrameHeader, FrameSeq, Kind};
use super::generator::{Generator, Run, is_awaited};
use super::guard::{Guard, LaneReader, LaneWriter};
use super::params::{ParamError, Params};
use super::parity::Maker;
use super::rate::Pace;
use super::report::Report;
use super::subpacket::{ParityHeader, SubHeader};
use std::collections::VecDeque;
use std::time::Duration;

/// When what was lost is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phases {
    /// As soon as it is known, while later chunks are sent.
    #[default]
    Overlapped,
    /// As in the paper (section III): a chunk is sent whole, reports count from then on only, and the next chunk waits until it is complete.
    /// The receiver reports on its timer, and nothing asks it to.
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
    /// Number of the first chunk.
    pub first: u32,
    /// Number of the first frame of each lane. The receiver of a sealed lane expects the first one that reaches it within 2^23 of 0.
    pub first_frame: FrameSeq,
}

impl Default for SenderSettings {
    fn default() -> Self {
        SenderSettings {
            phases: Phases::Overlapped,
            pace: Pace::Found,
            buffer: 1 << 20,
            first: 0,
            first_frame: FrameSeq::default(),
        }
    }
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
    /// The receiver has everything, and knows that it is all.
    Finished,
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

#[derive(Debug)]
struct Memory<B> {
    memory: B,
    bytes: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Open,
    Asked,
    Told,
    Finished,
}

/// The sending end of a pipeline.
///
/// Offer it chunks, give it every datagram that arrives, let it fill batches for each lane that has room, and call
/// [`Sender::poll_transmit`] again at [`Sender::next_timeout`] at the latest.
#[derive(Debug)]
pub struct Sender<B> {
    params: Params,
    session: u64,
    settings: SenderSettings,
    generator: Generator,
    maker: Option<Maker>,
    acks: AckProcessor,
    lanes: Vec<Lane>,
    chunks: VecDeque<Memory<B>>,
    oldest: u32,
    serial: Option<u32>,
    duplicates: u32,
    end: End,
    /// The end of the stream was told, though not all was known to be there.
    told: bool,
    runs: Vec<Run>,
    body: Vec<u8>,
    events: VecDeque<SenderEvent<B>>,
    counters: SenderCounters,
}

#[derive(Debug)]
struct Lane {
    out: Aggregator,
    writer: LaneWriter,
    reader: LaneReader,
    failed: bool,
    /// Sub-packets sent again over it.
    resent: u64,
}

impl<B: AsRef<[u8]>> Sender<B> {
    /// An end of a session whose start both ends have agreed on.
    ///
    /// # Errors
    /// A parameter out of range, or frames that are protected otherwise.
    pub fn new(
        params: Params,
        guard: Guard,
        settings: SenderSettings,
        now: Duration,
    ) -> Result<Self, ParamError> {
        let session = guard.session();
        let lanes = guard.sender(&params)?.into_iter();
        let mut generator = Generator::new(settings.first);
        generator.set_credit(settings.first.wrapping_add(u32::from(params.chunks)));
        // Without reports while a chunk is sent there is no telling what is on its way.
        let buffer = (settings.phases == Phases::Overlapped).then_some(settings.buffer);
        let lane = |(writer, reader)| Lane {
            out: Aggregator::new(
                settings.pace,
                params.frame_bytes(),
                buffer,
                settings.first_frame,
                now,
            ),
            writer,
            reader,
            failed: false,
            resent: 0,
        };
        Ok(Sender {
            params,
            session,
            settings,
            generator,
            maker: Maker::new(params),
            acks: AckProcessor::new(settings.first, params.per_chunk),
            lanes: lanes.map(lane).collect(),
            chunks: VecDeque::new(),
            oldest: settings.first,
            serial: None,
            duplicates: 0,
            end: End::Open,
            told: false,
            runs: Vec::new(),
            body: Vec::new(),
            events: VecDeque::new(),
            counters: SenderCounters::default(),
        })
    }

    /// Whether another chunk would be sent now: more than those on their way and one that waits need not be in memory.
    #[must_use]
    pub fn wants_chunk(&self) -> bool {
        self.end == End::Open && self.chunks.len() <= usize::from(self.params.chunks)
    }

    /// Takes a chunk, which is the first `bytes` bytes of `memory`, and says its number. The memory comes back with
    /// [`SenderEvent::Complete`].
    ///
    /// # Panics
    /// The chunk is empty, longer than its memory or than a chunk can be, or the stream has ended.
    pub fn offer(&mut self, memory: B, bytes: usize) -> u32 {
        assert!(
            bytes > 0 && bytes <= self.params.chunk_bytes() && bytes <= memory.as_ref().len(),
            "chunk of {bytes} bytes"
        );
        assert!(self.end == End::Open, "the stream has ended");
        self.chunks.push_back(Memory { memory, bytes });
        let count = self.params.sub_packets(bytes) as u16;
        let parity = self.params.parity_of(count);
        self.acks.started(count, parity);
        self.generator.offer(count, parity)
    }

    /// No chunk will follow.
    pub fn finish(&mut self) {
        if self.end == End::Open {
            self.end = End::Asked;
        }
    }

    /// Whether the receiver has everything and knows that it is all.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.end == End::Finished
    }

    /// What the user has to know, oldest first.
    pub fn poll_event(&mut self) -> Option<SenderEvent<B>> {
        self.events.pop_front()
    }

    /// Bytes of a full frame.
    #[must_use]
    pub fn frame_bytes(&self) -> usize {
        self.params.frame_bytes()
    }

    /// What was counted.
    #[must_use]
    pub fn counters(&self) -> SenderCounters {
        self.counters
    }

    /// State of a lane.
    #[must_use]
    pub fn lane(&self, lane: u8) -> Option<&Aggregator> {
        self.lanes.get(usize::from(lane)).map(|lane| &lane.out)
    }

    /// Sub-packets that were sent again over a lane.
    #[must_use]
    pub fn resent(&self, lane: u8) -> u64 {
        self.lanes
            .get(usize::from(lane))
            .map_or(0, |lane| lane.resent)
    }

    /// Whether a new sub-packet may go out now.
    fn may_begin(&self) -> bool {
        self.generator.is_ready()
            && (self.settings.phases == Phases::Overlapped
                || self.generator.chunk() == Some(self.acks.base()))
    }

    /// In the transmission phase of the paper reports count for nothing.
    fn is_transmitting(&self) -> bool {
        self.settings.phases == Phases::Separate && self.may_begin()
    }

    fn next_run(&mut self, room: u16) -> Option<Run> {
        if let Some(run) = self.acks.next_run(room) {
            self.counters.resent += u64::from(run.count);
            return Some(run);
        }
        if !self.may_begin() {
            return None;
        }
        let run = self.generator.next_run(room)?;
        let counter = if run.parity {
            &mut self.counters.parity
        } else {
            &mut self.counters.sub_packets
        };
        *counter += u64::from(run.count);
        Some(run)
    }

    /// Fills a batch of at most `most` frames for a lane; false if there is nothing to be sent on it now. What is filled counts as
    /// sent.
    pub fn poll_transmit(
        &mut self,
        now: Duration,
        lane: u8,
        most: usize,
        batch: &mut Batch,
    ) -> bool {
        batch.clear();
        let index = usize::from(lane);
        if index >= self.lanes.len() {
            return false;
        }
        self.late(now, index);
        let all_failed = self.lanes.iter().all(|lane| lane.failed);
        if !self.lanes[index].failed || all_failed {
            self.fill(now, lane, most, batch);
        }
        if batch.frames() == 0 {
            self.control(now, lane, batch);
        }
        batch.frames() > 0
    }

    /// The channel of a lane has taken by now what was filled: an end that was busy in between may have been late. Where it is not said, what is filled
    /// goes out at once.
    pub fn gone(&mut self, now: Duration, lane: u8) {
        if let Some(lane) = self.lanes.get_mut(usize::from(lane)) {
            lane.out.gone(now);
        }
    }

    /// The channel of a lane takes nothing now: that is what the lane carries, and not that this end is late.
    pub fn held(&mut self, lane: u8) {
        if let Some(lane) = self.lanes.get_mut(usize::from(lane)) {
            lane.out.held();
        }
    }

    fn fill(&mut self, now: Duration, lane: u8, most: usize, batch: &mut Batch) {
        let index = usize::from(lane);
        let due = self.lanes[index].out.due(now, most);
        let full = usize::from(self.params.per_frame);
        while batch.frames() < due {
            self.runs.clear();
            let mut count = 0;
            let mut whole = true;
            while count < full && whole {
                let Some(run) = self.next_run((full - count) as u16) else {
                    break;
                };
                count += usize::from(run.count);
                if run.round > 0 {
                    self.lanes[index].resent += u64::from(run.count);
                }
                whole = self.length(&run, run.first + run.count - 1)
                    == usize::from(self.params.payload);
                self.runs.push(run);
            }
            if count == 0 {
                if self.end == End::Open {
                    self.lanes[index].out.starved();
                }
                break;
            }
            let last = !self.acks.has_resends() && !self.may_begin();
            let asks = self.settings.phases == Phases::Overlapped
                && (last || self.is_awaited() || self.lanes[index].out.must_ask());
            let kind = if asks { Kind::Ask } else { Kind::Data };
            let bytes = self.frame(now, lane, kind, count as u8, batch);
            // A frame that is not full can only be the last of a batch. One that cannot be sealed any more is as good as lost.
            if bytes != Some(self.params.frame_bytes()) {
                break;
            }
        }
    }

    /// Whether the receiver waits for the runs at hand.
    fn is_awaited(&self) -> bool {
        let bytes = |run: &Run| self.chunks[run.chunk.wrapping_sub(self.oldest) as usize].bytes;
        let runs = self.runs.iter().map(|run| (*run, bytes(run)));
        is_awaited(&self.params, runs, !self.acks.has_resends())
    }

    /// Bytes of the payload of a sub-packet of a run.
    fn length(&self, run: &Run, number: u16) -> usize {
        let payload = usize::from(self.params.payload);
        if run.parity {
            return payload;
        }
        let bytes = self.chunks[run.chunk.wrapping_sub(self.oldest) as usize].bytes;
        (bytes - usize::from(number) * payload).min(payload)
    }

    /// Adds a frame with the runs at hand; says its bytes, if it could be written.
    fn frame(
        &mut self,
        now: Duration,
        lane: u8,
        kind: Kind,
        count: u8,
        batch: &mut Batch,
    ) -> Option<usize> {
        let payload = usize::from(self.params.payload);
        let mut bytes = FRAME_HEADER;
        for run in &self.runs {
            for number in run.first..run.first + run.count {
                bytes += self.params.sub_overhead() + self.length(run, number);
            }
        }
        let seq =
            self.lanes[usize::from(lane)]
                .out
                .frame(now, bytes, &self.runs, kind == Kind::Ask);
        let header = self.header(now, lane, kind, count, seq, bytes);
        let writer = &mut self.lanes[usize::from(lane)].writer;
        if !writer.frame(&header, &mut batch.bytes) {
            return None;
        }
        for run in &self.runs {
            let chunk = &self.chunks[run.chunk.wrapping_sub(self.oldest) as usize];
            if run.parity {
                let count = self.params.sub_packets(chunk.bytes) as u16;
                let made = self.maker.as_ref().map(Maker::made);
                for number in run.first..run.first + run.count {
                    let header = ParityHeader {
                        chunk: run.chunk,
                        number,
                        count,
                        last: (chunk.bytes - usize::from(count - 1) * payload) as u16,
                    };
                    let data = made.map_or(&[][..], |made| made.get(number));
                    writer.parity(&header, data, &mut batch.bytes);
                }
                continue;
            }
            for number in run.first..run.first + run.count {
                let at = usize::from(number) * payload;
                let length = (chunk.bytes - at).min(payload);
                let header = SubHeader {
                    chunk: run.chunk,
                    number,
                    length: length as u16,
                    last: at + length == chunk.bytes,
                    round: run.round,
                };
                let data = &chunk.memory.as_ref()[at..at + length];
                writer.sub_packet(&header, data, &mut batch.bytes);
            }
            if let Some(maker) = self.maker.as_mut().filter(|_| run.round == 0) {
                let data = &chunk.memory.as_ref()[..chunk.bytes];
                maker.advance(run.chunk, data, run.first + run.count);
            }
        }
        self.count_frame(bytes, batch);
        Some(bytes)
    }

    fn header(
        &self,
        now: Duration,
        lane: u8,
        kind: Kind,
        count: u8,
        seq: FrameSeq,
        bytes: usize,
    ) -> FrameHeader {
        FrameHeader {
            kind,
            lane,
            count,
            seq,
            session: self.session,
            length: bytes as u16,
            time: now.as_micros() as u32,
        }
    }

    fn count_frame(&mut self, bytes: usize, batch: &mut Batch) {
        batch.end_frame();
        self.counters.frames += 1;
        self.counters.bytes += bytes as u64;
    }

    /// A frame without sub-packets, if one is due.
    fn control(&mut self, now: Duration, lane: u8, batch: &mut Batch) {
        let index = usize::from(lane);
        let out = &self.lanes[index].out;
        let due = out.next_ask(self.is_blocked()).is_some_and(|at| now >= at);
        let speaks = lane == self.speaker();
        let ended = self.chunks.is_empty() && speaks;
        let again = ended && (due || out.outstanding() == 0);
        let (kind, body): (Kind, &[u8]) = match self.end {
            End::Asked if again || speaks && !self.told && self.is_sent() => {
                self.told = true;
                (Kind::Fin, &self.generator.next().to_be_bytes())
            }
            End::Told if ended => {
                self.end = End::Finished;
                self.events.push_back(SenderEvent::Finished);
                (Kind::Bye, &[])
            }
            End::Finished => return,
            _ if due => (Kind::Ask, &[]),
            _ => return,
        };
        if due {
            self.lanes[index].out.missed(now);
            self.check_health(index);
        }
        let bytes = FRAME_HEADER + body.len() + self.params.control_check();
        let seq = self.lanes[index].out.frame(now, bytes, &[], true);
        let header = self.header(now, lane, kind, 0, seq, bytes);
        let writer = &mut self.lanes[index].writer;
        if writer.control(&header, body, &mut batch.bytes) {
            self.count_frame(bytes, batch);
        }
    }

    /// Whether there is nothing to send, new or again: the receiver shall know that no more will come. In phases as in the paper all has to be there
    /// first.
    fn is_sent(&self) -> bool {
        let sent = self.generator.chunk().is_none() && !self.acks.has_resends();
        self.chunks.is_empty() || sent && self.settings.phases == Phases::Overlapped
    }

    /// A chunk waits for credit, a report has to say more than the last one did, or which lanes are dead has to be known.
    fn is_blocked(&self) -> bool {
        let mut lanes = self.lanes.iter();
        self.acks.is_unclear()
            || self.generator.chunk().is_some() && !self.generator.is_ready()
            || lanes.any(|lane| lane.failed && lane.out.oldest().is_some())
    }

    /// The lane that speaks for all: the first that has not failed.
    fn speaker(&self) -> u8 {
        self.lanes.iter().position(|lane| !lane.failed).unwrap_or(0) as u8
    }

    fn check_health(&mut self, index: usize) {
        let lane = &mut self.lanes[index];
        if !lane.out.has_failed() {
            return;
        }
        if !lane.failed {
            lane.failed = true;
            self.events.push_back(SenderEvent::LaneFailed(index as u8));
        }
        self.abandon();
    }

    /// What is on lanes that have failed goes over those that answer. Where all are as silent, it waits for an answer, which tells what of it has
    /// arrived: it may be the receiver that was busy.
    fn abandon(&mut self) {
        for index in 0..self.lanes.len() {
            let lane = &self.lanes[index];
            let mut others = self.lanes.iter().filter(|other| !other.failed);
            if !lane.failed || !others.any(|other| other.out.outlives(&lane.out)) {
                continue;
            }
            for run in self.lanes[index].out.abandon() {
                self.counters.lost += u64::from(self.acks.lose(run));
            }
        }
    }

    /// What a lane has overtaken for too long counts as lost, as far as the last report spoke of it.
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
        // Taken out while it is read.
        let mut body = std::mem::take(&mut self.body);
        body.clear();
        if let Ok((header, _)) = FrameHeader::parse(datagram)
            && header.kind == Kind::Report
            && let Some(lane) = self.lanes.get_mut(usize::from(header.lane))
            && let Some(read) = lane.reader.control(&header, datagram)
        {
            body.extend_from_slice(read);
        }
        match Report::parse(&body) {
            Ok(report) => self.report(now, &report),
            Err(_) => self.counters.foreign += 1,
        }
        self.body = body;
    }

    fn report(&mut self, now: Duration, report: &Report<'_>) {
        let summary = report.summary;
        // Older than one that is known already.
        if !summary.is_news(self.serial) {
            return;
        }
        // Complete can only be what was sent: this is no report of ours.
        let sent = self.generator.sent();
        let base = self.acks.base();
        if summary.base.wrapping_sub(base) > sent.wrapping_sub(base) {
            self.counters.foreign += 1;
            return;
        }
        self.serial = Some(summary.serial);
        self.counters.reports += 1;
        let duplicates = summary.duplicates.wrapping_sub(self.duplicates);
        self.duplicates = summary.duplicates;
        self.counters.duplicates += u64::from(duplicates);
        // Credit for more chunks than there were to be is no credit.
        if summary.credit.wrapping_sub(summary.base) <= u32::from(self.params.chunks) {
            self.generator.set_credit(summary.credit);
        }
        let transmitting = self.is_transmitting();
        self.counters.lost += u64::from(self.acks.report(report, sent));
        let micros = now.as_micros() as u32;
        for (index, heard) in report.lanes().take(self.lanes.len()).enumerate() {
            let lane = &mut self.lanes[index];
            if !lane.out.report(now, micros, &heard) {
                continue;
            }
            // Where there is parity over sub-packets, some of what is sent again restores the rest before that comes.
            if duplicates > 0 && self.counters.resent > 0 && self.maker.is_none() {
                lane.out.was_reordered(now);
            }
            if lane.failed && !lane.out.has_failed() {
                lane.failed = false;
                self.events.push_back(SenderEvent::LaneBack(index as u8));
            }
        }
        self.abandon();
        if summary.idle && !transmitting {
            self.silence(now, report);
        }
        for index in 0..self.lanes.len() {
            self.late(now, index);
        }
        while let Some(chunk) = self.acks.poll_complete() {
            let Some(Memory { memory, .. }) = self.chunks.pop_front() else {
                break;
            };
            self.oldest = chunk.wrapping_add(1);
            self.generator.complete(chunk);
            self.events
                .push_back(SenderEvent::Complete { chunk, memory });
        }
        if self.end == End::Asked && summary.finished && self.chunks.is_empty() {
            self.end = End::Told;
        }
    }

    /// The receiver has waited in vain. When it said so is known by the clock of this end, but for the way there: a report may be read long after it
    /// has come.
    fn silence(&mut self, now: Duration, report: &Report<'_>) {
        let micros = now.as_micros() as u32;
        let ways = || report.lanes().map(|heard| way(micros, &heard));
        let rates = self.lanes.iter().map(|lane| &lane.out.rate);
        let rtts = rates.filter_map(|rate| Some((rate.rtt()?, rate.long_rtt()?)));
        let (Some(nearest), Some((rtt, long))) = (ways().flatten().min(), rtts.max()) else {
            return;
        };
        for (index, way) in (0..self.lanes.len()).zip(ways()) {
            // Frames may take longer than the one that was heard of, and how long those of a lane take of which none was is not known.
            let way = way.unwrap_or(nearest + rtt) + (long - rtt);
            self.lanes[index].out.silence(now, now.saturating_sub(way));
            self.check_health(index);
        }
    }

    /// When [`Sender::poll_transmit`] has something new for some lane, if nothing arrives before; none: never.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Duration> {
        if self.is_finished() {
            return None;
        }
        let pending = self.acks.has_resends() || self.may_begin();
        let blocked = self.is_blocked();
        let transmitting = self.is_transmitting();
        let times = self.lanes.iter().flat_map(|lane| {
            let paced = lane.out.ready().filter(|_| pending && !lane.failed);
            let late = lane.out.next_late().filter(|_| !transmitting);
            [lane.out.next_ask(blocked), late, paced]
        });
        let speaker = &self.lanes[usize::from(self.speaker())].out;
        let ends = self.end == End::Told
            || self.end == End::Asked
                && (!self.told && self.is_sent()
                    || self.chunks.is_empty() && speaker.outstanding() == 0);
        times
            .chain([ends.then_some(Duration::ZERO)])
            .flatten()
            .min()
    }
}

#[cfg(test)]
mod tests;
