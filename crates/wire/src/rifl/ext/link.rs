// SPDX-License-Identifier: Apache-2.0
//! Two ends of N lanes, a hostile channel and a scoreboard, one step per frame time.
//!
//! Each direction of each lane has its own delay, which includes all pipelines, and may be flipped
//! bit by bit, cut with a pattern, lose or repeat frames, lose a word, be plugged into another
//! lane, or get another length. Loss of alignment is abstracted as in [`crate::rifl::link`]: the
//! headers are watched as in the aligner, and a receiver that lost the lock sees noise for a while.
//!
//! The scoreboard knows that what is under way when a session ends may be missing at the other user
//! (aborted), and nothing else, and that a user who was given the beginning of a packet is told
//! that there is no end.
//!
//! Deterministic: the same [`LinkConfig`], the same faults and the same calls give the same run.

use super::super::aligner::{HeaderWatch, legal_header};
use super::super::frame::Frame;
use super::super::link::{Direction, Random, Score, Traffic, mix};
use super::endpoint::{Delivery, EndParams, Endpoint};
use super::rx::Pair;
use super::session::Event;
use super::tx::LaneTick;
use alloc::collections::VecDeque;

/// What a link is built with.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkConfig {
    /// The two ends.
    pub ends: [EndParams; 2],
    /// Frame times from a transmitter's decision to the reaction of the peer, by direction and
    /// lane, 1 or more. Lanes without a number are as long as the last one with.
    pub delay: [Vec<u32>; 2],
    /// How much faster end 1 is than end 0, parts per million, -1000 to 1000.
    pub ppm: i32,
    /// How often the users offer a segment, of 256, by sending end.
    pub offer: [u16; 2],
    /// How often the users take a segment, of 256, by receiving end.
    pub accept: [u16; 2],
    /// Seed of traffic, session numbers and handshakes.
    pub seed: u64,
}

impl LinkConfig {
    /// Saturated traffic both ways between equal ends, over equal delays that make up `round_trip`.
    #[must_use]
    pub fn saturated(end: EndParams, round_trip: u32, seed: u64) -> Self {
        let there = round_trip.div_ceil(2);
        LinkConfig {
            ends: [end; 2],
            delay: [vec![there], vec![round_trip - there]],
            ppm: 0,
            offer: [256; 2],
            accept: [256; 2],
            seed,
        }
    }
}

/// What a broken cable delivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// Nothing but zeros.
    Zeros,
    /// Nothing but ones.
    Ones,
    /// 1010..., which has legal headers.
    Alternating,
    /// The last frame, again and again.
    Stuck,
    /// Random bits.
    Noise,
}

impl Pattern {
    /// All of them.
    pub const ALL: [Pattern; 5] = [
        Pattern::Zeros,
        Pattern::Ones,
        Pattern::Alternating,
        Pattern::Stuck,
        Pattern::Noise,
    ];
}

/// What a faulty clock crossing does to a lane, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slip {
    /// A data frame is gone. (A control frame that is gone leaves no trace in the ids, and spoils
    /// the beginning of the next frame unseen, because the descrambler is out of step. The format
    /// cannot help.)
    FrameLost,
    /// A frame comes twice.
    FrameRepeated,
    /// A word is gone: frame boundaries are wrong until the aligner has noticed.
    WordLost,
}

/// A frame on the line.
#[derive(Debug, Clone, Copy)]
struct OnLine {
    arrival: u64,
    frame: Frame,
    damaged: bool,
}

/// One direction of one cable.
#[derive(Debug, Clone)]
struct Cable {
    /// Lane at the receiving end.
    to: usize,
    delay: u64,
    line: VecDeque<OnLine>,
    cut: Option<(Pattern, u64)>,
    last: Frame,
    /// The frame before the next one is gone: the descrambler spoils its beginning.
    spoiled: bool,
}

/// Receiving side of a lane, below the endpoint.
#[derive(Debug, Clone)]
struct Front {
    watch: HeaderWatch,
    /// Frames of noise left before the search has come back to the right place.
    searching: u32,
    /// The last frame, while the boundary is one word off.
    shifted: Option<Frame>,
    random: Random,
}

/// What the scoreboard knows of one direction of one lane.
#[derive(Debug, Clone)]
struct Board {
    traffic: Traffic,
    /// Sessions of the sender in which it accepted something: the sessions, and the first segment.
    epochs: Vec<(Option<Pair>, u64)>,
    /// The receiving side has begun with the epoch of its present session.
    started: bool,
    /// The sender has begun an epoch in its present session.
    sending: bool,
    /// Within a packet at the receiving user.
    open: bool,
    /// Packets that began or ended where they must not.
    torn: u64,
}

/// Two ends and the cables between them.
#[derive(Debug, Clone)]
pub struct Link {
    config: LinkConfig,
    ends: [Endpoint; 2],
    /// By direction and sending lane.
    cables: [Vec<Cable>; 2],
    fronts: [Vec<Front>; 2],
    /// By direction and lane.
    boards: [Vec<Board>; 2],
    random: Random,
    /// Own time of the next tick of each end, and its frame time.
    time: [u64; 2],
    period: [u64; 2],
    offering: [bool; 2],
    stalled: [bool; 2],
    frames: u64,
    resets: u64,
    unseen: u64,
    unsafe_ids: u64,
    events: [Vec<(u64, Event)>; 2],
}

/// Length of a frame time of end 0 in units of link time.
const PERIOD: u64 = 1_000_000;
/// Most frames that a search may take in this model.
const LONGEST_SEARCH: u64 = 200;

/// Where the session numbers of an end start after `resets` resets: each reset skips 64, so that
/// none returns while frames of its session may still be on the line.
fn session_seed(seed: u64, end: usize, resets: u64) -> u16 {
    mix(seed)
        .wrapping_add((end as u64) << 15)
        .wrapping_add(resets << 6) as u16
}

impl Link {
    /// A link after reset of both ends. Delays below one frame count as one, offsets beyond 1000
    /// ppm as 1000.
    #[must_use]
    pub fn new(config: LinkConfig) -> Self {
        let lanes = config.ends[0].lanes().min(config.ends[1].lanes());
        let cable = |direction: usize, lane: usize| {
            let delays = &config.delay[direction];
            let delay = delays.get(lane).or(delays.last()).map_or(1, |&d| d.max(1));
            Cable {
                to: lane,
                delay: u64::from(delay),
                line: VecDeque::new(),
                cut: None,
                last: Frame::invalid(config.ends[direction].lane().frame()),
                spoiled: false,
            }
        };
        let front = |end: usize, lane: usize| Front {
            watch: HeaderWatch::default(),
            searching: 0,
            shifted: None,
            random: Random::new(mix(config.seed ^ 0x5eed) ^ (2 * lane + end) as u64),
        };
        let board = |direction: usize, lane: usize| Board {
            traffic: Traffic::new(
                config.ends[direction].lane(),
                config.seed.wrapping_add((2 * lane + direction + 1) as u64),
            ),
            epochs: Vec::new(),
            started: false,
            sending: false,
            open: false,
            torn: 0,
        };
        let ppm = config.ppm.clamp(-1000, 1000);
        Link {
            ends: [0, 1].map(|i| Endpoint::new(config.ends[i], session_seed(config.seed, i, 0))),
            cables: [0, 1].map(|d| (0..lanes).map(|lane| cable(d, lane)).collect()),
            fronts: [0, 1].map(|e| (0..lanes).map(|lane| front(e, lane)).collect()),
            boards: [0, 1].map(|d| (0..lanes).map(|lane| board(d, lane)).collect()),
            random: Random::new(mix(config.seed ^ 0xd1ce)),
            time: [0; 2],
            period: [PERIOD, PERIOD.saturating_add_signed(-i64::from(ppm))],
            offering: [true; 2],
            stalled: [false; 2],
            frames: 0,
            resets: 0,
            unseen: 0,
            unsafe_ids: 0,
            events: [Vec::new(), Vec::new()],
            config,
        }
    }

    /// An end, 0 or 1 (other numbers count as 1).
    #[must_use]
    pub fn end(&self, index: usize) -> &Endpoint {
        &self.ends[index.min(1)]
    }

    /// What happened to the session of an end, with the link time in frame times of end 0.
    #[must_use]
    pub fn events(&self, index: usize) -> &[(u64, Event)] {
        &self.events[index.min(1)]
    }

    /// Frames decided by both ends together, all lanes.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Damaged frames that passed by chance. A code of 12 bits misses one garbage frame in 2^12,
    /// and no protocol on top of it can help; a run in which this happened proves nothing.
    #[must_use]
    pub const fn unseen(&self) -> u64 {
        self.unseen
    }

    /// Times that a transmitter took a frame for delivered that was not. Never, or the protocol is
    /// broken.
    #[must_use]
    pub const fn unsafe_ids(&self) -> u64 {
        self.unsafe_ids
    }

    /// Counts of a direction, all lanes together.
    #[must_use]
    pub fn score(&self, direction: Direction) -> Score {
        let mut sum = Score::default();
        for board in &self.boards[direction.from()] {
            let score = board.traffic.score;
            sum.sent += score.sent;
            sum.delivered += score.delivered;
            sum.aborted += score.aborted;
            sum.lost += score.lost;
            sum.duplicated += score.duplicated;
            sum.reordered += score.reordered;
            sum.corrupted += score.corrupted + board.torn;
        }
        let receiver = &self.ends[1 - direction.from()];
        sum.overflowed = receiver.lanes().iter().map(|lane| lane.overflows()).sum();
        sum
    }

    /// Whether nothing went wrong so far in either direction.
    #[must_use]
    pub fn clean(&self) -> bool {
        self.unsafe_ids == 0
            && [Direction::AToB, Direction::BToA]
                .into_iter()
                .all(|direction| self.score(direction).clean())
    }

    /// Whether both ends take user data of the same session, or work in the compatible mode.
    #[must_use]
    pub fn link_up(&self) -> bool {
        let compatible = self.ends.iter().all(Endpoint::compatible);
        compatible || (self.ends.iter().all(Endpoint::ready) && self.agreed())
    }

    /// Whether both ends are in one session.
    fn agreed(&self) -> bool {
        match (self.ends[0].pair(), self.ends[1].pair()) {
            (Some(a), Some(b)) => a.own == b.peer && a.peer == b.own,
            _ => false,
        }
    }

    /// Stops or restarts the reading of the user at an end.
    pub fn stall(&mut self, end: usize, stalled: bool) {
        self.stalled[end.min(1)] = stalled;
    }

    /// Makes the user at an end offer data, or not.
    pub fn offer(&mut self, end: usize, offering: bool) {
        self.offering[end.min(1)] = offering;
    }

    /// Resets an end: it forgets everything, and its users begin with a new packet.
    pub fn reset(&mut self, end: usize) {
        self.exchange(end, self.config.ends[end.min(1)]);
    }

    /// Replaces an end by another one, fresh from reset.
    pub fn exchange(&mut self, end: usize, params: EndParams) {
        let end = end.min(1);
        self.resets += 1;
        self.config.ends[end] = params;
        let seed = session_seed(self.config.seed, end, self.resets);
        self.ends[end] = Endpoint::new(params, seed);
        for front in &mut self.fronts[end] {
            front.watch = HeaderWatch::default();
            front.shifted = None;
        }
        for board in &mut self.boards[1 - end] {
            board.started = false;
            board.open = false;
        }
        for board in &mut self.boards[end] {
            board.sending = false;
            // The rest of a packet that was begun is never offered again.
            let traffic = &mut board.traffic;
            traffic.offered = None;
            while traffic.score.sent > 0
                && traffic
                    .segment(traffic.score.sent - 1)
                    .is_some_and(|s| !s.end())
            {
                traffic.taken();
            }
        }
    }

    /// Cuts a lane of a direction for `ticks` frame times. A cut of no length ends one.
    pub fn cut(&mut self, direction: Direction, lane: usize, pattern: Pattern, ticks: u64) {
        let now = self.time[direction.from()];
        let period = self.period[direction.from()];
        if let Some(cable) = self.cables[direction.from()].get_mut(lane) {
            cable.cut = Some((pattern, now + ticks * period));
        }
    }

    /// Plugs a lane of a direction with another cable, into the same or another lane. What was in
    /// the old one is gone.
    pub fn plug(&mut self, direction: Direction, lane: usize, delay: u32, to: usize) {
        let from = direction.from();
        let (now, period) = (self.time[from], self.period[from]);
        let lanes = self.fronts[1 - from].len();
        let Some(cable) = self.cables[from].get_mut(lane) else {
            return;
        };
        cable.delay = u64::from(delay.max(1));
        cable.to = to.min(lanes - 1);
        cable.line.clear();
        // Until the light has passed the new cable the receiver sees what the pattern of a cut
        // says, or noise.
        let pattern = cable.cut.map_or(Pattern::Noise, |(pattern, _)| pattern);
        for i in 0..cable.delay {
            let mut frame = cable.last;
            garble(&mut frame, pattern, &mut self.random);
            cable.line.push_back(OnLine {
                arrival: now + i * period,
                frame,
                damaged: true,
            });
        }
    }

    /// Loses or repeats the next frame on a lane of a direction, or loses a word of it.
    pub fn slip(&mut self, direction: Direction, lane: usize, slip: Slip) {
        let Some(cable) = self.cables[direction.from()].get_mut(lane) else {
            return;
        };
        match (slip, cable.line.front().copied()) {
            (Slip::FrameLost, _) => {
                let data = cable.line.iter().position(|item| item.frame.is_data());
                if let Some(place) = data {
                    cable.line.remove(place);
                    match cable.line.get_mut(place) {
                        Some(next) => next.damaged = true,
                        None => cable.spoiled = true,
                    }
                }
            }
            (Slip::FrameRepeated, Some(mut item)) => {
                item.damaged = true;
                cable.line.insert(1, item);
            }
            (Slip::WordLost, Some(item)) => {
                self.fronts[1 - direction.from()][cable.to].shifted = Some(item.frame);
                cable.line.pop_front();
            }
            _ => {}
        }
    }

    /// One frame time of end 0 (and of end 1, but for the clock offset). `fault` may damage each
    /// frame as it enters the line; it is told the direction, the lane and the sender's decision.
    pub fn tick(&mut self, fault: &mut impl FnMut(Direction, usize, &LaneTick, &mut Frame)) {
        loop {
            let index = usize::from(self.time[1] < self.time[0]);
            self.tick_end(index, fault);
            if index == 0 {
                // End 1 follows within the same frame time unless its clock is ahead.
                while self.time[1] < self.time[0] {
                    self.tick_end(1, fault);
                }
                return;
            }
        }
    }

    fn tick_end(
        &mut self,
        index: usize,
        fault: &mut impl FnMut(Direction, usize, &LaneTick, &mut Frame),
    ) {
        let now = self.time[index];
        let (to_us, from_us) = (1 - index, index);
        for cable in 0..self.cables[to_us].len() {
            let lane = self.cables[to_us][cable].to;
            loop {
                let line = &mut self.cables[to_us][cable].line;
                let Some(item) = line.front().copied().filter(|item| item.arrival <= now) else {
                    break;
                };
                line.pop_front();
                self.receive(index, lane, item);
            }
        }
        if let Some(event) = self.ends[index].step() {
            self.events[index].push((now / PERIOD, event));
            for board in &mut self.boards[to_us] {
                board.started = false;
            }
            for board in &mut self.boards[from_us] {
                board.sending = false;
            }
        }
        for lane in 0..self.fronts[index].len() {
            self.users(index, lane, fault);
        }
        self.time[index] += self.period[index];
        if index == 1 {
            self.audit();
        }
    }

    /// The users of a lane of an end, and the frame that it sends.
    fn users(
        &mut self,
        index: usize,
        lane: usize,
        fault: &mut impl FnMut(Direction, usize, &LaneTick, &mut Frame),
    ) {
        let accept = !self.stalled[index] && chance(&mut self.random, self.config.accept[index]);
        let pair = self.ends[index].pair();
        if let Some(delivery) = self.ends[index].take(lane, accept) {
            self.boards[1 - index][lane].deliver(&delivery, pair);
        }
        let board = &mut self.boards[index][lane];
        if self.offering[index] && chance(&mut self.random, self.config.offer[index]) {
            board.traffic.offer();
        }
        let offered = board.traffic.offered;
        let Some(tick) = self.ends[index].send(lane, offered.as_ref()) else {
            return;
        };
        if tick.user_taken && !board.sending {
            board.epochs.push((pair, board.traffic.score.sent));
            board.sending = true;
        }
        if tick.user_taken || tick.user_thrown {
            board.traffic.taken();
        }
        self.frames += 1;
        let direction = [Direction::AToB, Direction::BToA][index];
        let mut frame = tick.frame;
        fault(direction, lane, &tick, &mut frame);
        let now = self.time[index];
        let cable = &mut self.cables[index][lane];
        if let Some((pattern, until)) = cable.cut {
            if now < until {
                if pattern == Pattern::Stuck {
                    frame = cable.last;
                } else {
                    garble(&mut frame, pattern, &mut self.random);
                }
            } else {
                cable.cut = None;
            }
        }
        cable.last = frame;
        cable.line.push_back(OnLine {
            arrival: now + cable.delay * PERIOD,
            frame,
            damaged: std::mem::take(&mut cable.spoiled) || frame != tick.frame,
        });
    }

    fn receive(&mut self, end: usize, lane: usize, item: OnLine) {
        let OnLine {
            mut frame,
            mut damaged,
            ..
        } = item;
        let Some(front) = self.fronts[end].get_mut(lane) else {
            return;
        };
        if front.searching > 0 {
            front.searching -= 1;
            damaged = true;
            garble(&mut frame, Pattern::Noise, &mut front.random);
        } else if let Some(before) = &mut front.shifted {
            damaged = true;
            let next = frame;
            let len = next.words().len();
            frame.words_mut()[..len - 1].copy_from_slice(&before.words()[1..]);
            frame.words_mut()[len - 1] = next.words()[0];
            *before = next;
        }
        let was_aligned = front.watch.aligned();
        front.watch.header(legal_header(frame.words()[0]));
        let aligned = front.watch.aligned();
        if was_aligned && !aligned {
            front.searching = front.random.below(LONGEST_SEARCH) as u32;
        }
        if !aligned {
            front.shifted = None;
        }
        let good = self.ends[end].receive(lane, &frame, aligned);
        self.unseen += u64::from(damaged && good);
    }

    /// Checks that no transmitter takes for delivered what is not.
    fn audit(&mut self) {
        if !self.agreed() {
            return;
        }
        for from in 0..2 {
            for (sender, receiver) in self.ends[from]
                .lanes()
                .iter()
                .zip(self.ends[1 - from].lanes())
            {
                let delivered = receiver.rx().delivered();
                let bounds = sender.tx().safe()..=sender.tx().accepted();
                self.unsafe_ids += u64::from(!bounds.contains(&delivered));
            }
        }
    }

    /// `ticks` frame times with faults.
    pub fn run(
        &mut self,
        ticks: u64,
        mut fault: impl FnMut(Direction, usize, &LaneTick, &mut Frame),
    ) {
        for _ in 0..ticks {
            self.tick(&mut fault);
        }
    }

    /// Runs without faults until both ends take user data; `false` if that takes more than `ticks`.
    pub fn bring_up(&mut self, ticks: u64) -> bool {
        for _ in 0..ticks {
            if self.link_up() {
                return true;
            }
            self.run(1, |_, _, _, _| {});
        }
        self.link_up()
    }

    /// Runs without faults, users reading at once, until new data have passed on every lane in both
    /// directions; then ends the traffic and waits until everything has been delivered and no
    /// incident is open. `false` if that takes more than `ticks`.
    pub fn settle(&mut self, ticks: u64) -> bool {
        let accept = core::mem::replace(&mut self.config.accept, [256; 2]);
        let offer = core::mem::replace(&mut self.config.offer, [256; 2]);
        let offering = core::mem::replace(&mut self.offering, [true; 2]);
        self.stalled = [false; 2];
        let mut left = ticks;
        let goal: Vec<u64> = self
            .boards
            .iter()
            .flatten()
            .map(|b| b.traffic.score.delivered + 200)
            .collect();
        let alive = |link: &Link| {
            let delivered = link
                .boards
                .iter()
                .flatten()
                .map(|b| b.traffic.score.delivered);
            link.link_up() && delivered.zip(&goal).all(|(now, &goal)| now >= goal)
        };
        while left > 0 && !alive(self) {
            self.run(1, |_, _, _, _| {});
            left -= 1;
        }
        self.offering = [false; 2];
        for board in self.boards.iter_mut().flatten() {
            board.traffic.offered = None;
        }
        // Quiet must last: what is still on the line could stir it up again.
        let longest = self.config.ends[0]
            .lane()
            .id()
            .frames()
            .max(self.config.ends[1].lane().id().frames());
        let patience = 4 * u64::from(longest);
        let mut quiet_for = 0;
        while left > 0 && quiet_for < patience {
            self.run(1, |_, _, _, _| {});
            left -= 1;
            quiet_for = if self.quiet() { quiet_for + 1 } else { 0 };
        }
        self.config.accept = accept;
        self.config.offer = offer;
        self.offering = offering;
        quiet_for >= patience
    }

    fn quiet(&self) -> bool {
        let waiting = |end: &Endpoint| {
            end.lanes()
                .iter()
                .any(|lane| lane.waiting() > 0 || lane.rx().error() && !end.compatible())
        };
        self.link_up()
            && !self.ends.iter().any(waiting)
            && self.boards.iter().flatten().all(|board| {
                let score = board.traffic.score;
                score.delivered + score.lost + score.aborted == score.sent
            })
    }
}

impl Board {
    /// The receiving user gets something in a session.
    fn deliver(&mut self, delivery: &Delivery, pair: Option<Pair>) {
        let Ok(segment) = delivery else {
            self.torn += u64::from(!self.open);
            self.open = false;
            return;
        };
        if !self.started {
            self.started = true;
            // A packet that was begun must have been aborted by now.
            self.torn += u64::from(self.open);
            self.open = false;
            let same = |epoch: &Option<Pair>| match (epoch, pair) {
                (Some(a), Some(b)) => a.own == b.peer && a.peer == b.own,
                _ => true,
            };
            if let Some(&(_, start)) = self.epochs.iter().rev().find(|(pair, _)| same(pair)) {
                self.traffic.abort_before(start);
            }
        }
        self.open = !segment.end();
        self.traffic.deliver(segment);
    }
}

fn chance(random: &mut Random, of_256: u16) -> bool {
    of_256 >= 256 || random.chance(of_256)
}

/// What a pattern does to a frame; a stuck line is the caller's business.
fn garble(frame: &mut Frame, pattern: Pattern, random: &mut Random) {
    for word in frame.words_mut() {
        match pattern {
            Pattern::Zeros => *word = 0,
            Pattern::Ones => *word = u64::MAX,
            Pattern::Alternating => *word = 0xaaaa_aaaa_aaaa_aaaa,
            Pattern::Stuck => {}
            Pattern::Noise => *word = random.bits(),
        }
    }
}

#[cfg(test)]
mod tests;
