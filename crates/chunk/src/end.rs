// SPDX-License-Identifier: Apache-2.0
//! The ends of a pipeline on lanes: what arrives goes in, what is due goes out. One thread moves an
//! end with all its lanes.

use crate::transfer::choice::Choice;
use ropewalk_io::lane::{Kind, Lane};
use ropewalk_wire::chunk::aggregator::Aggregator;
use ropewalk_wire::chunk::{Batch, Receiver, Sender};
use std::io::{self, IoSlice};
use std::time::{Duration, Instant};

/// Longest sleep, so that whoever moves an end can look at its own affairs.
const NAP: Duration = Duration::from_millis(20);
/// Longest sleep with several lanes: an arrival on the first one ends a sleep, one on another does
/// not.
const TURNS: Duration = Duration::from_micros(200);
/// A lane over which nothing has come for so long is looked at only once in [`TURNS`].
const QUIET: Duration = Duration::from_millis(5);
/// An end that has frames to send looks for reports only so often: most looks between two batches
/// find none.
pub(crate) const LOOK: Duration = Duration::from_micros(40);
/// Batches that a lane takes at once: one alone does not pay for what a turn costs.
const BATCHES: usize = 4;
/// How long an end looks for arrivals before it sleeps: waking up takes longer than the next
/// arrival does on a fast lane. Mostly it waits for the other end to do much more than that:
/// looking for longer costs more processor time than it saves.
const SPIN: Duration = Duration::from_micros(5);

/// Lanes of one end, with its clock.
struct Lanes {
    lanes: Vec<Box<dyn Lane>>,
    begun: Instant,
    idle_since: Option<Instant>,
    nap: Duration,
    /// While this end is at work it looks for arrivals on a lane only so often.
    look: Duration,
    /// Of each lane, when something has come over it, and when that was looked for.
    looks: Vec<[Duration; 2]>,
}

impl Lanes {
    fn new(lanes: Vec<Box<dyn Lane>>, look: Duration) -> Self {
        Lanes {
            look,
            nap: if lanes.len() > 1 { TURNS } else { NAP },
            looks: vec![[Duration::ZERO; 2]; lanes.len()],
            lanes,
            begun: Instant::now(),
            idle_since: None,
        }
    }

    fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Hands over what has arrived on a lane by now, and says whether there was any. It does not
    /// look each time while this end is at work, nor where nothing has come for a while, as on
    /// lanes that rest: that would cost what is sent, and the others, a call each time.
    fn receive(
        &mut self,
        now: Duration,
        index: usize,
        take: &mut dyn FnMut(&[u8]),
    ) -> io::Result<bool> {
        let [came, looked] = self.looks[index];
        if self.idle_since.is_none() && now < looked + self.look {
            return Ok(false);
        }
        if self.lanes.len() > 1 && now > came + QUIET && now < looked + TURNS {
            return Ok(false);
        }
        let any = self.lanes[index].receive(take)?;
        self.looks[index] = [if any { now } else { came }, now];
        Ok(any)
    }

    /// Waits for an arrival, or until `until`; `blocked`: or for room on the first lane.
    fn wait(&mut self, until: Option<Duration>, blocked: bool) -> io::Result<()> {
        let idle_since = *self.idle_since.get_or_insert_with(Instant::now);
        if idle_since.elapsed() < SPIN {
            std::hint::spin_loop();
            return Ok(());
        }
        let now = self.now();
        let left = until.map_or(self.nap, |until| until.saturating_sub(now).min(self.nap));
        if left.is_zero() {
            return Ok(());
        }
        self.lanes[0].wait(left, blocked)
    }

    fn moved(&mut self) {
        self.idle_since = None;
    }
}

/// The sending end.
pub struct SendEnd<B> {
    /// Its state machine.
    pub sender: Sender<B>,
    lanes: Lanes,
    batch: Batch,
    /// Batches that a lane had no room for.
    waiting: Vec<Batch>,
    /// The first lane has no room.
    blocked: bool,
    choice: Option<Choice>,
}

impl<B: AsRef<[u8]>> SendEnd<B> {
    /// A sender on its lanes.
    ///
    /// # Panics
    /// There are fewer or more lanes than the sender has.
    #[must_use]
    pub fn new(sender: Sender<B>, lanes: Vec<Box<dyn Lane>>) -> Self {
        assert!(
            sender.lane(lanes.len() as u8).is_none()
                && sender.lane(lanes.len() as u8 - 1).is_some(),
            "a lane for each of the sender's"
        );
        let waiting = lanes.iter().map(|_| Batch::new()).collect();
        SendEnd {
            sender,
            lanes: Lanes::new(lanes, LOOK),
            batch: Batch::new(),
            waiting,
            blocked: false,
            choice: None,
        }
    }

    /// It decides which lanes carry data.
    #[must_use]
    pub fn with_choice(mut self, choice: Choice) -> Self {
        choice.begin(&mut self.sender);
        self.choice = Some(choice);
        self
    }

    /// What carries the datagrams of a lane.
    #[must_use]
    pub fn kind(&self, lane: u8) -> Kind {
        let lane = self.lanes.lanes.get(usize::from(lane));
        lane.map_or(Kind::default(), |lane| lane.kind())
    }

    /// It may sleep so long, also with several lanes: nothing that it moves is urgent.
    #[must_use]
    pub fn with_nap(mut self, nap: Duration) -> Self {
        self.lanes.nap = nap;
        self
    }

    /// What of its lanes is not as it could be.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let chosen = self
            .choice
            .iter()
            .flat_map(|choice| choice.notes().to_vec());
        let lanes = self.lanes.lanes.iter();
        chosen.chain(lanes.flat_map(|lane| lane.notes())).collect()
    }

    /// The time of this end.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.lanes.now()
    }

    /// Takes what has arrived and sends what is due; says whether there was anything.
    ///
    /// # Errors
    /// A lane is gone for good, before the receiver had the farewell.
    pub fn turn(&mut self) -> io::Result<bool> {
        let moved = self.go_round();
        moved.or_else(|error| self.unless_left(error).map(|()| true))
    }

    /// What is wrong with a lane, unless the receiver has gone as it should.
    fn unless_left(&mut self, error: io::Error) -> io::Result<()> {
        if self.sender.leave() {
            Ok(())
        } else {
            Err(error)
        }
    }

    /// A turn, lane after lane.
    fn go_round(&mut self) -> io::Result<bool> {
        let mut moved = false;
        self.blocked = false;
        if let Some(choice) = &mut self.choice {
            choice.look(self.lanes.now(), &mut self.sender);
        }
        for index in 0..self.lanes.lanes.len() {
            let now = self.lanes.now();
            let sender = &mut self.sender;
            moved |= self
                .lanes
                .receive(now, index, &mut |datagram| sender.receive(now, datagram))?;
            if self.lanes.lanes[index].is_gone() {
                sender.fail(self.lanes.begun.elapsed(), index as u8);
                continue;
            }
            moved |= self.fill(index)?;
        }
        if moved {
            self.lanes.moved();
        }
        Ok(moved)
    }

    /// Sends what is due on a lane, and says whether there was anything.
    fn fill(&mut self, index: usize) -> io::Result<bool> {
        let (sender, begun, number) = (&mut self.sender, self.lanes.begun, index as u8);
        let lane = &mut *self.lanes.lanes[index];
        let mut moved = false;
        if self.waiting[index].frames() > 0 {
            if !transmit(lane, &self.waiting[index])? {
                sender.stuck(begun.elapsed(), number);
                self.blocked |= index == 0;
                return Ok(false);
            }
            self.waiting[index].clear();
            moved = true;
        }
        let frame = sender.lane(number).map(Aggregator::frame_bytes);
        let most = lane.batch(frame.unwrap_or(sender.frame_bytes()));
        for _ in 0..BATCHES {
            if !sender.poll_transmit(begun.elapsed(), number, most, &mut self.batch) {
                break;
            }
            moved = true;
            if !transmit(lane, &self.batch)? {
                sender.held(number);
                std::mem::swap(&mut self.waiting[index], &mut self.batch);
                self.blocked |= index == 0;
                break;
            }
        }
        if moved {
            sender.gone(begun.elapsed(), number);
        }
        Ok(moved)
    }

    /// Waits until there is something to do, a short while at most.
    ///
    /// # Errors
    /// As [`SendEnd::turn`].
    pub fn wait(&mut self) -> io::Result<()> {
        let full = |lane: u8| self.waiting[usize::from(lane)].frames() > 0;
        let until = self.sender.next_timeout_where(full);
        let waited = self.lanes.wait(until, self.blocked);
        waited.or_else(|error| self.unless_left(error))
    }
}

/// False if the lane has no room now.
fn transmit(lane: &mut dyn Lane, batch: &Batch) -> io::Result<bool> {
    lane.send(&[IoSlice::new(batch.bytes())], batch.segment())
}

/// The receiving end.
pub struct ReceiveEnd<B> {
    /// Its state machine.
    pub receiver: Receiver<B>,
    lanes: Lanes,
    report: Vec<u8>,
}

impl<B: AsMut<[u8]>> ReceiveEnd<B> {
    /// A receiver on its lanes.
    #[must_use]
    pub fn new(receiver: Receiver<B>, lanes: Vec<Box<dyn Lane>>) -> Self {
        ReceiveEnd {
            receiver,
            lanes: Lanes::new(lanes, Duration::ZERO),
            report: Vec::new(),
        }
    }

    /// It may sleep so long, also with several lanes: nothing that it moves is urgent.
    #[must_use]
    pub fn with_nap(mut self, nap: Duration) -> Self {
        self.lanes.nap = nap;
        self
    }

    /// The time of this end.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.lanes.now()
    }

    /// Takes what has arrived and sends what is due; says whether there was anything.
    ///
    /// # Errors
    /// A lane is gone for good.
    pub fn turn(&mut self) -> io::Result<bool> {
        let mut moved = false;
        let looked = self.lanes.now();
        for index in 0..self.lanes.lanes.len() {
            let now = self.lanes.now();
            let receiver = &mut self.receiver;
            moved |= self.lanes.receive(now, index, &mut |datagram| {
                receiver.receive(now, index as u8, datagram)
            })?;
        }
        let now = self.lanes.now();
        while let Some(lane) = (self.receiver).poll_transmit(now, looked, &mut self.report) {
            // A report that finds no room is lost; there will be others.
            let length = self.report.len();
            self.lanes.lanes[usize::from(lane)].send(&[IoSlice::new(&self.report)], length)?;
            self.report.clear();
        }
        if moved {
            self.lanes.moved();
        }
        Ok(moved)
    }

    /// Waits until there is something to do, a short while at most.
    ///
    /// # Errors
    /// A lane is gone for good.
    pub fn wait(&mut self) -> io::Result<()> {
        self.lanes.wait(self.receiver.next_timeout(), false)
    }

    /// Times that the system lost an arrival because the buffer of a lane was full.
    #[must_use]
    pub fn drops(&self) -> u64 {
        self.lanes.lanes.iter().map(|lane| lane.drops()).sum()
    }
}
