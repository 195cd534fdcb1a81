// SPDX-License-Identifier: Apache-2.0

use super::super::frame::{FrameHeader, Kind};
use super::super::receiver::{Receiver, ReceiverSettings};
use super::super::seal::SessionKey;
use super::*;

const CHUNKS: u8 = 8;

/// Sends chunks over sealed lanes, of which the first has used up its numbers when some chunks are
/// there. Says how many arrive in a minute, why the sender closes, and which lanes it calls failed.
fn used_up(lanes: u8) -> (u8, Option<CloseReason>, Vec<u8>) {
    let params = Params {
        per_chunk: 64,
        lanes,
        sealed: true,
        ..Params::PAPER
    };
    let bytes = params.chunk_bytes();
    let session = || Session::sealed(7, SessionKey::new(b"secret", b"context"));
    let settings = SenderSettings::default();
    let mut sender = Sender::new(params, session(), settings, Duration::ZERO).unwrap();
    let memory = vec![vec![0; bytes]; params.chunks.into()];
    let mut receiver = Receiver::new(params, session(), ReceiverSettings::default(), memory);
    let receiver = receiver.as_mut().unwrap();
    let (mut batch, mut report) = (Batch::new(), Vec::new());
    let (mut offered, mut arrived, mut failed) = (0, 0, Vec::new());
    let mut now = Duration::ZERO;
    while sender.close_reason().is_none() && now < Duration::from_secs(60) {
        while offered < CHUNKS && sender.wants_chunk() {
            sender.offer(vec![offered; bytes], bytes);
            offered += 1;
        }
        if offered == CHUNKS {
            sender.finish();
        }
        for lane in 0..lanes {
            if sender.poll_transmit(now, lane, 4, &mut batch) {
                let frames = batch.bytes().chunks(batch.segment());
                frames.for_each(|frame| receiver.receive(now, lane, frame));
            }
        }
        while receiver.poll_transmit(now, now, &mut report).is_some() {
            sender.receive(now, &report);
            report.clear();
        }
        while let Some(complete) = receiver.poll_chunk() {
            assert!(
                complete
                    .memory
                    .iter()
                    .all(|&byte| u32::from(byte) == complete.chunk)
            );
            arrived += 1;
            receiver.give_back(complete.memory);
            if arrived == 3 {
                sender.lanes[0].writer.use_up();
            }
        }
        while let Some(event) = sender.poll_event() {
            if let SenderEvent::LaneFailed(lane) = event {
                failed.push(lane);
            }
        }
        now += Duration::from_micros(500);
    }
    (arrived, sender.close_reason(), failed)
}

/// It is told like a dead lane, and what was to go over it goes over the other.
#[test]
fn a_sealed_lane_that_has_used_up_its_numbers() {
    let complete = Some(CloseReason::Complete);
    assert_eq!(used_up(2), (CHUNKS, complete, vec![0]));
    let (arrived, reason, _) = used_up(1);
    assert!((3..CHUNKS).contains(&arrived));
    assert_eq!(reason, Some(CloseReason::Exhausted));
}

#[test]
fn counters_of_pipelines_are_added() {
    let one = SenderCounters {
        frames: 1,
        bytes: 2,
        sub_packets: 3,
        parity: 4,
        resent: 5,
        lost: 6,
        duplicates: 7,
        reports: 8,
        foreign: 9,
    };
    let mut sum = SenderCounters::default();
    sum.add(&one);
    assert_eq!(sum, one);
    sum.add(&one);
    assert_eq!((sum.frames, sum.bytes, sum.sub_packets), (2, 4, 6));
    assert_eq!((sum.parity, sum.resent, sum.lost), (8, 10, 12));
    assert_eq!((sum.duplicates, sum.reports, sum.foreign), (14, 16, 18));
}

/// Nobody is there: says when the session closes, if it does within an hour.
fn unanswered(lanes: u8, peer_timeout: Option<Duration>) -> Option<Duration> {
    let params = Params {
        lanes,
        ..Params::PAPER
    };
    let tag = super::super::Tag {
        session: 7,
        secret: 9,
    };
    let settings = SenderSettings {
        peer_timeout,
        ..SenderSettings::default()
    };
    let mut sender = Sender::new(params, Session::checked(tag), settings, Duration::ZERO).unwrap();
    sender.offer(vec![0; 1000], 1000);
    let (mut now, mut batch) = (Duration::ZERO, Batch::new());
    while now < Duration::from_secs(3600) {
        for lane in 0..lanes {
            while sender.poll_transmit(now, lane, 4, &mut batch) {}
        }
        if let Some(reason) = sender.close_reason() {
            assert_eq!(reason, CloseReason::PeerTimeout);
            let last = std::iter::from_fn(|| sender.poll_event()).last();
            assert_eq!(last, Some(SenderEvent::Closed(reason)));
            assert_eq!(sender.next_timeout(), None);
            return Some(now);
        }
        now = sender.next_timeout().expect("it asks again").max(now);
    }
    None
}

/// The timeout begins when the last lane has failed.
#[test]
fn a_session_that_is_not_answered_closes() {
    for lanes in [1, 3] {
        assert_eq!(unanswered(lanes, None), None);
        let [short, long] = [1, 100].map(Duration::from_secs);
        let [early, late] = [short, long].map(|it| unanswered(lanes, Some(it)).unwrap());
        assert_eq!(late - early, long - short);
        assert!(early > short && early < short + Duration::from_secs(4));
    }
}

fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

const TAG: super::super::Tag = super::super::Tag {
    session: 7,
    secret: 9,
};
/// Chunks of 16 sub-packets of 64 bytes, four in a frame, one chunk at a time.
const SMALL: Params = Params {
    payload: 64,
    per_frame: 4,
    per_chunk: 16,
    chunks: 1,
    ..Params::PAPER
};
const CHUNK: usize = 16 * 64;
const FRAME: u64 = 24 + 4 * 80;

/// Both ends of a pipeline, and what goes from one to the other when a test says so.
struct Pair {
    sender: Sender<Vec<u8>>,
    receiver: Receiver<Vec<u8>>,
}

impl Pair {
    fn new(params: Params, phases: Phases) -> Self {
        let settings = SenderSettings {
            phases,
            peer_timeout: Some(ms(10_000)),
            first: 5,
            ..SenderSettings::default()
        };
        let sender = Sender::new(params, Session::checked(TAG), settings, Duration::ZERO);
        let settings = ReceiverSettings {
            first: 5,
            ..ReceiverSettings::default()
        };
        let memory = vec![vec![0; params.chunk_bytes()]; params.chunks.into()];
        let receiver = Receiver::new(params, Session::checked(TAG), settings, memory);
        Pair {
            sender: sender.unwrap(),
            receiver: receiver.unwrap(),
        }
    }

    fn offer(&mut self) -> u32 {
        self.sender.offer(vec![3; CHUNK], CHUNK)
    }

    /// Kind and sub-packets of each frame that a lane sends now, and the frames.
    fn frames(&mut self, now: Duration, lane: u8) -> (Vec<(Kind, u8)>, Vec<Vec<u8>>) {
        let (mut batch, mut frames) = (Batch::new(), Vec::new());
        while self.sender.poll_transmit(now, lane, 2, &mut batch) {
            assert!((1..=2).contains(&batch.frames()));
            frames.extend(batch.bytes().chunks(batch.segment()).map(<[u8]>::to_vec));
        }
        let header = |frame: &Vec<u8>| FrameHeader::parse(frame).unwrap().0;
        let kinds = frames.iter().map(header).map(|it| (it.kind, it.count));
        (kinds.collect(), frames)
    }

    fn arrive(&mut self, now: Duration, lane: u8, frames: &[Vec<u8>]) {
        for frame in frames {
            self.receiver.receive(now, lane, frame);
        }
    }

    /// The report that is due.
    fn report(&mut self, now: Duration) -> Option<Vec<u8>> {
        let mut report = Vec::new();
        self.receiver.poll_transmit(now, now, &mut report)?;
        Some(report)
    }

    fn answer(&mut self, now: Duration) {
        while let Some(report) = self.report(now) {
            self.sender.receive(now, &report);
        }
    }

    fn events(&mut self) -> Vec<SenderEvent<Vec<u8>>> {
        std::iter::from_fn(|| self.sender.poll_event()).collect()
    }
}

/// A lane of longer frames beside one of those agreed on: every frame carries as much as it may,
/// and a receiver that knows only what was agreed on takes all of it, checked or sealed.
#[test]
fn longer_frames_on_a_lane() {
    for sealed in [false, true] {
        let params = Params {
            lanes: 2,
            sealed,
            chunks: 2,
            ..SMALL
        };
        let session = || match sealed {
            false => Session::checked(TAG),
            true => Session::sealed(7, SessionKey::new(b"secret", b"")),
        };
        let settings = SenderSettings::default();
        let sender = Sender::<Vec<u8>>::new(params, session(), settings, ms(0));
        let mut sender = sender.unwrap();
        let memory = vec![vec![0; CHUNK]; 2];
        let settings = ReceiverSettings::default();
        let mut receiver = Receiver::new(params, session(), settings, memory).unwrap();
        // Room for ten, and not quite for one more.
        let limit = 24 + 11 * params.stride() - 1;
        sender.lengthen(0, limit);
        sender.lengthen(1, 100);
        let frame_bytes = |lane| sender.lane(lane).unwrap().frame_bytes();
        let agreed = params.frame_bytes();
        assert_eq!(
            (frame_bytes(0), frame_bytes(1)),
            (limit + 1 - params.stride(), agreed)
        );
        for byte in [1, 2] {
            sender.offer((0..CHUNK).map(|at| byte ^ at as u8).collect(), CHUNK);
        }
        let (mut batch, mut counts) = (Batch::new(), Vec::new());
        for lane in [0, 1, 0] {
            assert!(sender.poll_transmit(ms(0), lane, 2, &mut batch));
            for frame in batch.bytes().chunks(batch.segment()) {
                counts.push((lane, FrameHeader::parse(frame).unwrap().0.count));
                receiver.receive(ms(0), lane, frame);
            }
        }
        assert_eq!(
            counts,
            [(0, 10), (0, 10), (1, 4), (1, 4), (0, 4)],
            "{sealed}"
        );
        for byte in [1, 2] {
            let whole = receiver.poll_chunk().expect("a whole chunk").memory;
            assert!(whole.iter().zip(0..).all(|(&it, at)| it == byte ^ at as u8));
        }
    }
    // As many as a frame can have, and as a datagram can.
    for (payload, per_frame) in [(64, 52), (8192, 7)] {
        let params = Params { payload, ..SMALL };
        let mut sender = Pair::new(params, Phases::Overlapped).sender;
        sender.lengthen(0, usize::MAX);
        let most = Params {
            per_frame,
            ..params
        };
        assert_eq!(sender.lane(0).unwrap().frame_bytes(), most.frame_bytes());
    }
}

/// A chunk of which a frame is lost, step by step: what is sent, what is counted, and when the
/// sender is to be called again.
#[test]
fn a_chunk_of_which_a_frame_is_lost() {
    let mut pair = Pair::new(SMALL, Phases::Overlapped);
    assert!(pair.sender.next_timeout().is_none() && pair.sender.wants_chunk());
    assert_eq!((pair.offer(), pair.sender.wants_chunk()), (5, true));
    assert_eq!((pair.offer(), pair.sender.wants_chunk()), (6, false));
    assert_eq!(pair.sender.next_timeout(), Some(ms(0)));
    assert_eq!(
        (pair.sender.frame_bytes(), pair.sender.session()),
        (FRAME as usize, 7)
    );
    // There is no other lane.
    assert_eq!(pair.frames(ms(0), 1).0, []);
    let (kinds, mut frames) = pair.frames(ms(0), 0);
    let (data, ask) = ((Kind::Data, 4), (Kind::Ask, 4));
    assert_eq!(kinds.len(), 4);
    assert_eq!((kinds[0], kinds[3]), (data, ask));
    let mut counters = SenderCounters {
        frames: 4,
        bytes: 4 * FRAME,
        sub_packets: 16,
        ..SenderCounters::default()
    };
    assert_eq!(pair.sender.counters(), counters);
    // A chunk waits for credit: the receiver is asked.
    assert_eq!(pair.sender.next_timeout(), Some(ms(100)));
    frames.remove(1);
    pair.arrive(ms(1), 0, &frames);
    let report = pair.report(ms(1)).unwrap();
    pair.sender.receive(ms(2), &report);
    pair.sender.receive(ms(2), &report);
    pair.sender.receive(ms(2), &report[1..]);
    (counters.reports, counters.lost, counters.foreign) = (1, 4, 1);
    assert_eq!(pair.sender.counters(), counters);
    assert_eq!(pair.sender.next_timeout(), Some(ms(0)));
    let (kinds, frames) = pair.frames(ms(2), 0);
    assert_eq!(kinds, [ask]);
    (counters.frames, counters.bytes, counters.resent) = (5, 5 * FRAME, 4);
    assert_eq!(pair.sender.counters(), counters);
    assert_eq!(pair.sender.lane(0).unwrap().resent(), 4);
    assert!(pair.sender.lane(1).is_none());
    pair.arrive(ms(3), 0, &frames);
    pair.answer(ms(3));
    let complete = SenderEvent::Complete {
        chunk: 5,
        memory: vec![3; CHUNK],
    };
    assert_eq!(pair.events(), [complete]);
    assert!(pair.sender.wants_chunk());
    // Its memory is not free yet. What comes once more is reported as well.
    assert_eq!(pair.frames(ms(4), 0).0, []);
    pair.arrive(ms(4), 0, &frames);
    let chunk = pair.receiver.poll_chunk().unwrap();
    pair.receiver.give_back(chunk.memory);
    pair.answer(ms(4));
    (counters.reports, counters.duplicates) = (3, pair.sender.counters().duplicates);
    assert_eq!(pair.sender.counters(), counters);
    assert_eq!(pair.frames(ms(4), 0).0.len(), 4);
}

/// What the receiver had already when it was sent again was not lost, but late.
#[test]
fn what_was_only_late_is_counted() {
    let mut pair = Pair::new(SMALL, Phases::Overlapped);
    pair.offer();
    let (_, frames) = pair.frames(ms(0), 0);
    pair.arrive(ms(1), 0, &frames[2..]);
    pair.answer(ms(1));
    assert_eq!(pair.sender.counters().lost, 8);
    let (_, again) = pair.frames(ms(2), 0);
    pair.arrive(ms(3), 0, &frames[..1]);
    pair.arrive(ms(3), 0, &again[..1]);
    pair.arrive(ms(3), 0, &again[1..]);
    pair.answer(ms(3));
    assert_eq!(pair.sender.counters().duplicates, 4);
    assert_eq!(pair.events().len(), 1);
}

/// The end, on every lane: what is sent is announced, then confirmed.
#[test]
fn the_end_of_a_stream() {
    let two = Params { lanes: 2, ..SMALL };
    let mut pair = Pair::new(two, Phases::Overlapped);
    pair.offer();
    let (_, frames) = pair.frames(ms(0), 0);
    pair.sender.finish();
    assert!(!pair.sender.wants_chunk());
    assert_eq!(pair.sender.next_timeout(), Some(ms(0)));
    assert_eq!(pair.frames(ms(0), 1).0, [(Kind::Fin, 0)]);
    assert_eq!(pair.sender.next_timeout(), Some(ms(0)));
    let (kinds, fin) = pair.frames(ms(0), 0);
    assert_eq!(kinds, [(Kind::Fin, 0)]);
    assert_eq!(pair.sender.next_timeout(), Some(ms(100)));
    pair.arrive(ms(1), 0, &frames);
    pair.answer(ms(1));
    assert_eq!(pair.events().len(), 1);
    assert!(!pair.receiver.is_finished());
    // It has missed that: all has arrived, and it is announced again when that is due.
    assert_eq!(pair.frames(ms(1), 0).0, []);
    let again = pair.sender.next_timeout().unwrap();
    assert!(again > ms(1));
    assert_eq!(pair.frames(again, 1).0, []);
    assert_eq!(pair.frames(again, 0).0, [(Kind::Fin, 0)]);
    pair.arrive(again, 0, &fin);
    pair.answer(again);
    assert!(pair.receiver.is_finished() && !pair.receiver.may_go(again));
    assert!(!pair.sender.is_finished());
    assert_eq!(pair.sender.next_timeout(), Some(ms(0)));
    assert_eq!(pair.frames(again, 1).0, [(Kind::Bye, 0)]);
    assert!(!pair.sender.is_finished());
    assert_eq!(pair.sender.next_timeout(), Some(ms(0)));
    let (kinds, bye) = pair.frames(again, 0);
    assert_eq!(kinds, [(Kind::Bye, 0)]);
    assert!(pair.sender.is_finished());
    assert_eq!(pair.events(), [SenderEvent::Closed(CloseReason::Complete)]);
    assert_eq!(pair.sender.next_timeout(), None);
    assert_eq!(pair.frames(ms(9000), 0).0, []);
    pair.sender.finish();
    assert!(pair.sender.is_finished());
    pair.arrive(again, 0, &bye);
    assert!(pair.receiver.may_go(again));
}

/// One lane alone has left with its farewell; of two, a channel that the receiver closes behind the
/// first one is no lane that fails.
#[test]
fn a_channel_that_is_closed_behind_the_farewell() {
    for lanes in [1, 2] {
        let mut pair = Pair::new(Params { lanes, ..SMALL }, Phases::Overlapped);
        let mut batch = Batch::new();
        assert!(!pair.sender.leave());
        pair.sender.finish();
        for now in [ms(0), ms(1)] {
            assert!(pair.sender.poll_transmit(now, 0, 1, &mut batch));
            pair.arrive(now, 0, &[batch.bytes().to_vec()]);
            pair.answer(now);
        }
        assert!(pair.receiver.may_go(ms(1)));
        assert_eq!(pair.sender.is_finished(), lanes == 1);
        pair.sender.fail(ms(1), 1);
        assert!(pair.sender.is_finished() && pair.sender.leave());
        assert_eq!(pair.events(), [SenderEvent::Closed(CloseReason::Complete)]);
    }
}

/// A lane that keeps what it has, as a connection that stands still does: the other lane says the
/// end as well, and the farewell, so that neither end waits.
#[test]
fn the_end_beside_a_lane_that_stands_still() {
    for answers in [false, true] {
        let mut pair = Pair::new(TWO, Phases::Overlapped);
        pair.offer();
        let (_, frames) = pair.frames(ms(0), 1);
        pair.arrive(ms(1), 1, &frames);
        pair.sender.finish();
        let (kinds, kept) = pair.frames(ms(1), 0);
        assert_eq!(kinds, [(Kind::Fin, 0)]);
        if answers {
            // What it carried has arrived, but not the answer.
            pair.arrive(ms(1), 0, &kept);
            assert!(pair.report(ms(1)).is_some());
        }
        let (mut now, mut turns) = (ms(1), 0);
        while !pair.receiver.may_go(now) {
            turns += 1;
            assert!(turns < 100, "it turns in circles at {now:?}");
            pair.finish_over(now, 1);
            now = pair
                .sender
                .next_timeout_where(|lane| lane == 0)
                .unwrap_or(now)
                .max(now);
            assert!(
                now < ms(150),
                "{:?}, finished {}",
                pair.sender,
                pair.receiver.is_finished()
            );
        }
        // It has its chance to leave as well.
        assert!(!pair.sender.is_finished());
        assert_eq!(pair.sender.next_timeout(), Some(ms(0)));
        let until = pair.sender.next_timeout_where(|lane| lane == 0);
        assert_eq!(until, Some(now));
        assert_eq!(pair.frames(now, 0).0, []);
        assert!(pair.sender.is_finished());
    }
}

/// In the paper's phases: the next chunk, and the end, wait until all of one is there; reports
/// before count for nothing, and nothing asks for them.
#[test]
fn one_chunk_after_the_other() {
    let params = Params { chunks: 2, ..SMALL };
    let mut pair = Pair::new(params, Phases::Separate);
    pair.offer();
    pair.offer();
    pair.sender.finish();
    let mut batch = Batch::new();
    assert!(pair.sender.poll_transmit(ms(0), 0, 3, &mut batch));
    let frames: Vec<_> = batch.bytes().chunks(batch.segment()).collect();
    assert_eq!(frames.len(), 3);
    pair.receiver.receive(ms(0), 0, frames[0]);
    pair.receiver.receive(ms(0), 0, frames[2]);
    pair.answer(ms(10));
    // One is missing, but the chunk is still being sent.
    assert_eq!(pair.sender.counters().reports, 1);
    assert!(pair.sender.poll_transmit(ms(11), 0, 3, &mut batch));
    assert_eq!((batch.frames(), pair.sender.counters().lost), (1, 0));
    pair.receiver.receive(ms(11), 0, batch.bytes());
    let (kinds, again) = pair.frames(ms(11), 0);
    assert_eq!(
        (kinds, pair.sender.counters().lost),
        (vec![(Kind::Data, 4)], 4)
    );
    pair.arrive(ms(41), 0, &again);
    pair.answer(ms(41));
    assert_eq!(pair.events().len(), 1);
    let (kinds, frames) = pair.frames(ms(42), 0);
    assert_eq!(kinds, [(Kind::Data, 4); 4]);
    pair.arrive(ms(43), 0, &frames);
    pair.answer(ms(43));
    assert_eq!(pair.frames(ms(43), 0).0, [(Kind::Fin, 0)]);
}

/// A lane that does not answer while another one does fails once, and what was on it goes over the
/// other; when it answers again it is used again.
#[test]
fn a_lane_fails_and_comes_back() {
    let two = Params {
        lanes: 2,
        chunks: 2,
        ..SMALL
    };
    let mut pair = Pair::new(two, Phases::Overlapped);
    pair.offer();
    let mut batch = Batch::new();
    assert!(pair.sender.poll_transmit(ms(0), 0, 2, &mut batch));
    let (_, frames) = pair.frames(ms(0), 1);
    assert_eq!(frames.len(), 2);
    pair.arrive(ms(1), 1, &frames);
    pair.answer(ms(1));
    let mut asked = Vec::new();
    let mut now = ms(0);
    while pair.events().is_empty() {
        now = pair.sender.next_timeout().unwrap().max(now);
        asked.extend(pair.frames(now, 0).1);
    }
    assert_eq!(asked.len(), 4);
    assert_eq!(now, ms(100 + 200 + 400 + 800));
    // The other one is asked whether it is the receiver that is busy; it speaks for both now.
    assert_eq!(pair.sender.counters().lost, 0);
    let (kinds, ask) = pair.frames(now, 1);
    assert_eq!(kinds, [(Kind::Ask, 0)]);
    pair.arrive(now, 1, &ask);
    pair.answer(now + ms(1));
    assert_eq!(pair.sender.counters().lost, 8);
    assert_eq!(pair.frames(now, 0).0, []);
    let (kinds, frames) = pair.frames(now + ms(1), 1);
    assert_eq!((kinds.len(), kinds[1]), (2, (Kind::Ask, 4)));
    pair.sender.finish();
    assert_eq!(pair.frames(now + ms(1), 0).0, []);
    assert_eq!(pair.frames(now + ms(1), 1).0, [(Kind::Fin, 0)]);
    pair.arrive(now + ms(2), 0, &asked[..1]);
    pair.arrive(now + ms(2), 1, &frames);
    pair.answer(now + ms(2));
    let (chunk, memory) = (5, vec![3; CHUNK]);
    let complete = SenderEvent::Complete { chunk, memory };
    assert_eq!(pair.events(), [SenderEvent::LaneBack(0), complete]);
}

/// A lane that had less to send than it could carry is no measure of the lane, before the end is
/// known.
#[test]
fn a_lane_that_is_starved() {
    for (finishes, held) in [(false, true), (true, false)] {
        let mut pair = Pair::new(SMALL, Phases::Overlapped);
        pair.offer();
        if finishes {
            pair.sender.finish();
        }
        let mut batch = Batch::new();
        assert!(pair.sender.poll_transmit(ms(0), 0, 4, &mut batch));
        assert!(!pair.sender.lane(0).unwrap().is_held());
        pair.sender.poll_transmit(ms(0), 0, 4, &mut batch);
        assert_eq!(pair.sender.lane(0).unwrap().is_held(), held);
    }
    let mut pair = Pair::new(SMALL, Phases::Overlapped);
    pair.sender.held(0);
    assert!(pair.sender.lane(0).unwrap().is_held());
    pair.offer();
    pair.frames(ms(0), 0);
    // The channel took them later than they were filled.
    pair.sender.gone(ms(30), 0);
    assert_eq!(pair.sender.next_timeout(), Some(ms(130)));
}

const TWO: Params = Params {
    lanes: 2,
    chunks: 2,
    ..SMALL
};

impl Pair {
    /// All that a lane has to send arrives, with its answers: until there is no more.
    fn finish_over(&mut self, now: Duration, lane: u8) {
        for _ in 0..8 {
            let (_, frames) = self.frames(now, lane);
            self.arrive(now, lane, &frames);
            self.answer(now);
        }
    }
}

/// What was on its way over a channel that is gone goes over another one at once, and it is
/// reported once.
#[test]
fn a_lane_that_is_gone() {
    let mut pair = Pair::new(TWO, Phases::Overlapped);
    pair.offer();
    let mut batch = Batch::new();
    assert!(pair.sender.poll_transmit(ms(0), 0, 2, &mut batch));
    pair.sender.fail(ms(1), 0);
    pair.sender.fail(ms(1), 0);
    assert_eq!(pair.sender.counters().lost, 8);
    assert_eq!(pair.frames(ms(1), 0).0, []);
    pair.sender.finish();
    pair.finish_over(ms(2), 1);
    let (chunk, memory) = (5, vec![3; CHUNK]);
    let complete = SenderEvent::Complete { chunk, memory };
    assert_eq!(pair.events()[..2], [SenderEvent::LaneFailed(0), complete]);
    assert_eq!(pair.sender.counters().resent, 8);
}

/// A channel that takes nothing for as long as four answers may take has failed, though nothing can
/// be asked over it; what was on its way has long come over the other.
#[test]
fn a_lane_that_stands_still() {
    let mut pair = Pair::new(TWO, Phases::Overlapped);
    pair.offer();
    let mut batch = Batch::new();
    assert!(pair.sender.poll_transmit(ms(0), 0, 2, &mut batch));
    let (mut now, mut events) = (ms(0), Vec::new());
    while !events.contains(&SenderEvent::LaneFailed(0)) {
        now += ms(10);
        assert!(now < ms(2000), "it does not fail: {events:?}");
        pair.sender.stuck(now, 0);
        pair.finish_over(now, 1);
        events.extend(pair.events());
    }
    assert_eq!(now, ms(100 + 200 + 400 + 800));
    let (chunk, memory) = (5, vec![3; CHUNK]);
    let complete = SenderEvent::Complete { chunk, memory };
    assert_eq!(events, [complete, SenderEvent::LaneFailed(0)]);
}

/// A lane has the rate that was set for it, and the other ones have theirs.
#[test]
fn the_pace_of_a_lane() {
    let mut pair = Pair::new(TWO, Phases::Overlapped);
    // A bit in a second: what a pace may save up, and no more.
    pair.sender.set_pace(0, Pace::Capped(1));
    pair.sender.set_pace(7, Pace::Free);
    pair.offer();
    let slow = pair.frames(ms(0), 0).0.len();
    assert!(slow < 4, "{slow}");
    assert_eq!(pair.frames(ms(0), 1).0.len(), 4 - slow);
}

/// A lane that rests carries nothing, until all others have failed.
#[test]
fn a_lane_that_rests() {
    let mut pair = Pair::new(TWO, Phases::Overlapped);
    pair.sender.set_rest(1, true);
    pair.sender.set_rest(2, true);
    assert!(!pair.sender.rests(0) && pair.sender.rests(1) && !pair.sender.rests(2));
    pair.offer();
    assert_eq!(pair.frames(ms(0), 1).0, []);
    assert_eq!(pair.frames(ms(0), 0).0.len(), 4);
    pair.sender.fail(ms(1), 0);
    let (kinds, _) = pair.frames(ms(1), 1);
    assert_eq!(kinds.iter().filter(|it| it.1 == 4).count(), 4);
}
