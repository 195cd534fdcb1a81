// SPDX-License-Identifier: Apache-2.0
//! Our endpoint against an endpoint that behaves like the published core: other lengths of a
//! retransmission, interleaved resends, no repair. Written from the description of its behaviour,
//! on its own state machines; shared with ours are only the layout, the scrambler and the code,
//! which the golden vectors check.

use ropewalk_wire::rifl::code;
use ropewalk_wire::rifl::frame::{Control, Frame, Kind};
use ropewalk_wire::rifl::link::{Faults, Random};
use ropewalk_wire::rifl::scrambler::{Descrambler, Scrambler};
use ropewalk_wire::rifl::{
    FrameWidth, IdWidth, LaneParams, Receiver, Segment, Transmitter, TxInputs,
};
use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};

const WIDTH: FrameWidth = FrameWidth::W256;
const UP_FRAMES: u64 = 64;

/// An endpoint: takes the frame of this frame time, gives the next one.
trait Endpoint {
    /// `offered` is the user's next segment; returns whether it was taken.
    fn tick(&mut self, received: &Frame, aligned: bool, offered: &Segment) -> (Frame, bool);
    /// Segments delivered in the last tick.
    fn delivered(&mut self) -> Option<Segment>;
    fn quiet(&self) -> bool;
}

struct Ours {
    tx: Transmitter,
    rx: Receiver,
    delivered: Option<Segment>,
    /// Damages the header of the first Idle frame behind requests: it looks like no control frame.
    spoils: bool,
    /// The last control frame was a request.
    asked: bool,
}

impl Ours {
    fn new(lane: LaneParams) -> Self {
        Ours {
            tx: Transmitter::new(lane),
            rx: Receiver::new(lane),
            delivered: None,
            spoils: false,
            asked: false,
        }
    }
}

impl Endpoint for Ours {
    fn tick(&mut self, received: &Frame, aligned: bool, offered: &Segment) -> (Frame, bool) {
        self.delivered = self.rx.frame(received, aligned).segment;
        let flags = self.rx.flags();
        let mut tick = self.tx.tick(&TxInputs {
            rx_up: flags.up,
            rx_error: flags.error,
            pause_req: flags.pause_req,
            retrans_req: flags.retrans_req,
            local_fc: false,
            remote_fc: flags.remote_fc,
            compensate: false,
            user: Some(offered),
        });
        if let Kind::Control(control) = tick.plain.kind() {
            let asks = control == Control::RetransmitRequest;
            let ends = self.asked && !asks;
            tick.frame.words_mut()[0] ^= u64::from(ends && self.spoils) << 62;
            self.asked = asks;
        }
        (tick.frame, tick.user_taken)
    }

    fn delivered(&mut self) -> Option<Segment> {
        self.delivered.take()
    }

    fn quiet(&self) -> bool {
        let flags = self.rx.flags();
        flags.up && !flags.error && !flags.retrans_req && !flags.pause_req
    }
}

/// An endpoint with the behaviour of the published core.
struct Published {
    k: u64,
    // Transmitter.
    scrambler: Scrambler,
    id: u16,
    /// Shift register of the last K data frames, oldest first.
    buffer: VecDeque<Frame>,
    init: u64,
    /// Place in a retransmission, `None` outside.
    procedure: Option<u64>,
    rollback_window: u64,
    resume_window: u64,
    /// Data frames sent, up to 16, and whether there were user data among them.
    first_frames: u64,
    early: bool,
    // Receiver.
    descrambler: Descrambler,
    up_count: u64,
    expected: u16,
    threshold: u16,
    error: bool,
    pause: u8,
    retransmit: u8,
    pause_flag: bool,
    retransmit_flag: bool,
    regular: u8,
    remote_fc: bool,
    delivered: Option<Segment>,
}

impl Published {
    fn new(id: IdWidth) -> Self {
        Published {
            k: u64::from(id.frames()),
            scrambler: Scrambler::default(),
            id: 0,
            buffer: VecDeque::new(),
            init: 0,
            procedure: None,
            rollback_window: 0,
            resume_window: 0,
            first_frames: 0,
            early: false,
            descrambler: Descrambler::default(),
            up_count: 0,
            expected: 0,
            threshold: 16,
            error: false,
            pause: 0,
            retransmit: 0,
            pause_flag: false,
            retransmit_flag: false,
            regular: 0,
            remote_fc: false,
            delivered: None,
        }
    }

    fn mask(&self) -> u16 {
        (self.k - 1) as u16
    }

    fn receive(&mut self, frame: &Frame, aligned: bool) {
        let mut plain = *frame;
        self.descrambler.frame(&mut plain);
        if !aligned {
            (self.up_count, self.pause, self.retransmit, self.regular) = (0, 0, 0, 0);
            (self.pause_flag, self.retransmit_flag) = (false, false);
            return;
        }
        // Control events: by the leading bits alone.
        if plain.is_control() {
            let idle = plain.key() == Control::Idle.key();
            let event = |key: Control, count: u8, flag: bool| {
                if plain.key() != key.key() {
                    return (0, false);
                }
                let count = (count + 1).min(8);
                (count, flag || count == 8)
            };
            (self.pause, self.pause_flag) =
                event(Control::PauseRequest, self.pause, self.pause_flag);
            (self.retransmit, self.retransmit_flag) = event(
                Control::RetransmitRequest,
                self.retransmit,
                self.retransmit_flag,
            );
            self.regular = if idle { (self.regular + 1).min(16) } else { 0 };
        } else {
            if self.regular == 16 {
                (self.pause, self.retransmit) = (0, 0);
                (self.pause_flag, self.retransmit_flag) = (false, false);
            }
            self.regular = (self.regular + 1).min(16);
        }
        self.up_count += 1;
        if self.up_count <= UP_FRAMES {
            return;
        }
        let mask = self.mask();
        let legal = frame.is_data() || frame.is_control();
        if !legal || code::syndrome(frame) != self.expected {
            self.expected = self.threshold.wrapping_sub(16) & mask;
            self.error = true;
            return;
        }
        if self.expected == self.threshold.wrapping_sub(1) & mask {
            self.error = false;
        }
        if frame.is_data() {
            if self.expected == self.threshold {
                self.threshold = (self.threshold + 1) & mask;
                self.delivered = plain.segment();
                match plain.kind() {
                    Kind::FlowStop => self.remote_fc = true,
                    Kind::FlowResume => self.remote_fc = false,
                    _ => {}
                }
            }
            self.expected = (self.expected + 1) & mask;
        }
    }

    /// The next data frame, old or new: into the buffer, with the next id.
    fn data(&mut self, plain: Frame) -> Frame {
        self.buffer.push_back(plain);
        plain
    }

    fn decide(&mut self, offered: &Segment) -> (Frame, bool) {
        let control = |control| Frame::control(WIDTH, control);
        let request = if self.error {
            Control::RetransmitRequest
        } else {
            Control::Idle
        };
        if self.error {
            self.resume_window = self.k;
        }
        if self.init < self.k {
            self.init += 1;
            self.buffer.push_back(Frame::invalid(WIDTH));
            return (control(Control::PauseRequest), false);
        }
        if self.up_count < UP_FRAMES {
            return (control(Control::PauseRequest), false);
        }
        if self.pause_flag {
            return (control(Control::Idle), false);
        }
        if self.retransmit_flag || self.procedure.is_some() {
            let place = self.procedure.unwrap_or(0);
            let last = 2 * self.k + self.k / 2;
            self.procedure = if place == last { None } else { Some(place + 1) };
            if place < 2 * self.k && place.is_multiple_of(2) {
                let Some(oldest) = self.buffer.pop_front() else {
                    return (control(request), false);
                };
                return (self.data(oldest), false);
            }
            return (control(request), false);
        }
        if self.error {
            return (control(Control::RetransmitRequest), false);
        }
        // Counts the Idle frames of the resume window, too.
        let rollback = self.rollback_window < self.k;
        self.rollback_window += u64::from(rollback);
        if self.remote_fc || self.resume_window > 0 {
            self.resume_window = self.resume_window.saturating_sub(1);
            return (control(Control::Idle), false);
        }
        self.buffer.pop_front();
        self.early |= !rollback && self.first_frames < 16;
        self.first_frames = (self.first_frames + 1).min(16);
        if rollback {
            return (self.data(Frame::invalid(WIDTH)), false);
        }
        (self.data(Frame::user(WIDTH, offered)), true)
    }
}

impl Endpoint for Published {
    fn tick(&mut self, received: &Frame, aligned: bool, offered: &Segment) -> (Frame, bool) {
        self.delivered = None;
        self.receive(received, aligned);
        let (mut frame, taken) = self.decide(offered);
        let data = frame.is_data();
        self.scrambler.frame(&mut frame);
        code::seal(&mut frame, self.id);
        self.id = (self.id + u16::from(data)) & self.mask();
        (frame, taken)
    }

    fn delivered(&mut self) -> Option<Segment> {
        self.delivered.take()
    }

    fn quiet(&self) -> bool {
        !self.error && !self.retransmit_flag && !self.pause_flag && self.procedure.is_none()
    }
}

fn segment(seed: u64, n: u64) -> Segment {
    let mut random = Random::new(seed ^ n.wrapping_mul(0x9e37_79b9));
    let end = random.chance(60);
    let len = if end {
        8 + random.below(23) as usize
    } else {
        30
    };
    let bytes: Vec<u8> = (0..len).map(|_| random.bits() as u8).collect();
    Segment::new(WIDTH, &bytes, end).expect("a legal segment")
}

/// Runs two endpoints; panics if a segment is not the next one. `fault` may damage the frames that
/// an end sends before `ticks`. Returns what was delivered each way.
fn run(
    ends: &mut [&mut dyn Endpoint; 2],
    delays: [usize; 2],
    mut fault: impl FnMut(u64, usize, &mut Frame),
    ticks: u64,
    what: &str,
) -> [u64; 2] {
    let idle = Frame::from_words(&[0; 4]).expect("four words");
    let mut line: [VecDeque<(Frame, bool)>; 2] =
        [0, 1].map(|i| vec![(idle, false); delays[i]].into());
    let mut sent = [0, 0];
    let mut delivered = [0, 0];
    let mut quiet = 0;
    let mut now = 0;
    while quiet < 400 {
        for i in 0..2 {
            let peer = 1 - i;
            let (received, aligned) = line[peer].pop_front().expect("a frame on the line");
            let offered = segment(i as u64, sent[i]);
            let (mut frame, taken) = ends[i].tick(&received, aligned, &offered);
            sent[i] += u64::from(taken);
            if now < ticks {
                fault(now, i, &mut frame);
            }
            line[i].push_back((frame, true));
            if let Some(got) = ends[i].delivered() {
                assert!(delivered[peer] < sent[peer], "{what}: never sent");
                let expected = segment(peer as u64, delivered[peer]);
                assert_eq!(got, expected, "{what}: end {i} segment {}", delivered[peer]);
                delivered[peer] += 1;
            }
        }
        now += 1;
        // Behind the faults everything must come back to life and stay so.
        let alive = now > ticks && ends.iter().all(|end| end.quiet());
        quiet = if alive { quiet + 1 } else { 0 };
        assert!(now < ticks + 50_000, "{what}: does not recover");
    }
    for i in 0..2 {
        assert!(
            sent[i] - delivered[i] <= 2 * delays[i] as u64 + 2,
            "{what}: frames missing"
        );
    }
    delivered
}

#[test]
fn our_endpoint_and_a_published_one_lose_nothing() {
    let seed = match std::env::var("SEED") {
        Ok(text) => text.parse().expect("SEED is a number"),
        Err(_) => RandomState::new().hash_one("published"),
    };
    println!("published: SEED={seed}");
    let mut random = Random::new(seed);
    let runs = 400;
    let mut total = [0, 0];
    for _ in 0..runs {
        let id = IdWidth::new(6 + random.below(3) as u32).expect("a legal width");
        let k = u64::from(id.frames());
        // The fixed tail of the published core allows round trips of K/2 - 2 only.
        let limit = (k / 2 - 2).min(k - 32);
        let round_trip = 2 + random.below(limit - 1) as usize;
        let delays = [round_trip.div_ceil(2), round_trip / 2];
        let lane = LaneParams::new(WIDTH, id).with_up_frames(64);
        let lane = lane.expect("legal parameters");
        let mut ours = Ours::new(lane);
        let mut published = Published::new(id);
        let ber = [0.0, 1e-6, 1e-5, 1e-4][random.below(4) as usize];
        let mut faults = [
            Faults::bits(random.bits(), ber),
            Faults::bits(random.bits(), ber),
        ];
        let what = format!("round trip {round_trip}, K {k}, bit error rate {ber}");
        let ends: &mut [&mut dyn Endpoint; 2] = &mut [&mut ours, &mut published];
        let fault = |_: u64, end: usize, frame: &mut Frame| faults[end].apply(frame);
        let delivered = run(ends, delays, fault, 12_000, &what);
        (0..2).for_each(|i| total[i] += delivered[i]);
    }
    assert!(total.iter().all(|&n| n > runs * 2000), "{total:?}");
    println!("{runs} links, {total:?} segments, nothing lost");
}

/// An error towards the published end while it comes up makes it send user data among its first
/// frames; a second one, towards ours, makes it send them again.
#[test]
fn user_data_among_the_first_frames_of_a_published_core_arrives() {
    let id = IdWidth::MIN;
    let lane = LaneParams::new(WIDTH, id).with_up_frames(64);
    let lane = lane.expect("legal parameters");
    let mut early = 0;
    for round_trip in [2, 13, 30] {
        let delays = [round_trip - round_trip / 2, round_trip / 2];
        for (first, second) in (60..240).flat_map(|first| [(first, 0), (first, first + first % 90)])
        {
            let (mut ours, mut published) = (Ours::new(lane), Published::new(id));
            let what = format!("round trip {round_trip}, errors at {first} and {second}");
            let ends: &mut [&mut dyn Endpoint; 2] = &mut [&mut ours, &mut published];
            let fault = |now: u64, end: usize, frame: &mut Frame| {
                if now == [first, second][end] {
                    frame.words_mut()[1] ^= 1;
                }
            };
            run(ends, delays, fault, 2000, &what);
            early += u32::from(published.early);
        }
    }
    assert!(early > 100, "user data early in {early} runs");
}

/// The first frame behind our requests does not look like a control frame, each time: the published
/// end must not take it that the requests go on, and replay what it has replayed.
#[test]
fn the_end_of_requests_is_heard_though_a_frame_is_damaged() {
    let id = IdWidth::MIN;
    let lane = LaneParams::new(WIDTH, id).with_up_frames(64);
    let lane = lane.expect("legal parameters");
    for round_trip in [2, 16, 23, 29, 30] {
        let delays = [round_trip - round_trip / 2, round_trip / 2];
        // The published end is quiet behind an error of its own when one of ours follows; then it
        // asks again, so that data of ours follow the end of our requests.
        let quiets = (40..180).step_by(10);
        for (quiet, again) in quiets.flat_map(|it| (16..150).step_by(6).map(move |n| (it, n))) {
            let (mut ours, mut published) = (Ours::new(lane), Published::new(id));
            ours.spoils = true;
            let what = format!("round trip {round_trip}, errors after {quiet} and {again}");
            let ends: &mut [&mut dyn Endpoint; 2] = &mut [&mut ours, &mut published];
            let errors = [(600, 0), (600 + quiet, 1), (600 + quiet + again, 0)];
            let fault = |now: u64, end: usize, frame: &mut Frame| {
                frame.words_mut()[1] ^= u64::from(errors.contains(&(now, end)));
            };
            run(ends, delays, fault, 1200, &what);
        }
    }
}
