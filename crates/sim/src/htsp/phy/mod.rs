// SPDX-License-Identifier: Apache-2.0
//! What lies between the streams of two cores over 100G Ethernet lanes, in one direction: MAC, PCS
//! and FEC as the models of `ropewalk-wire` have them, and four lanes that are late, in another
//! order, turned over, and wrong.
//!
//! Slots, rows and codewords go from part to part as they are complete; the latency is that of the
//! models, not that of `cores/htsp_100g`.

mod mac;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_wire::pcs::{self, LANES, PERIOD, Row, Slot, Slots, fec};

pub(super) use self::mac::Fault;
use super::CLOCK_HZ;
use super::end::Beat;
use crate::{Burst, Channel, ChannelConfig, SimError};

/// Physical lanes.
const PHY_LANES: usize = 4;
/// PCS lanes of a physical lane.
const SHARE: usize = LANES / PHY_LANES;
/// Slots of 8 bytes that 100 Gb/s carry in a cycle of the core.
const SLOTS_PER_CYCLE: f64 = 100e9 / 64.0 / CLOCK_HZ;

/// What codes the lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// RS(528,514), four FEC lanes.
    Kr4,
    /// No FEC, 20 PCS lanes, five on a lane.
    Lr4,
}

/// Four lanes in one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct PhyConfig {
    /// What codes them.
    pub coding: Coding,
    /// Rows from markers to markers.
    pub period: usize,
    /// Most bits by which a lane is late; drawn for each, as order and polarity are.
    pub skew: u32,
    /// Probability that a bit of a lane is flipped.
    pub ber: f64,
    /// Bursts of wrong bits, of each lane.
    pub burst: Option<Burst>,
    /// Times for which a lane has no signal, after the link is up.
    pub losses: u32,
}

impl PhyConfig {
    /// Lanes in any order and polarity, up to 400 bits late, without an error.
    #[must_use]
    pub fn new(coding: Coding) -> Self {
        Self {
            coding,
            period: PERIOD,
            skew: 400,
            ber: 0.0,
            burst: None,
            losses: 0,
        }
    }
}

/// What the lanes of one direction, or of both, have seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PhyCounts {
    /// Bits that were flipped.
    pub flipped: u64,
    /// Codewords with errors that were corrected.
    pub corrected: u64,
    /// And that were not.
    pub uncorrectable: u64,
    /// Parities of PCS lanes that were wrong, without FEC.
    pub parity_errors: u64,
    /// Times for which a lane had no signal.
    pub losses: u64,
    /// Times the link went down.
    pub downs: u64,
}

impl std::ops::AddAssign for PhyCounts {
    fn add_assign(&mut self, other: Self) {
        self.flipped += other.flipped;
        self.corrected += other.corrected;
        self.uncorrectable += other.uncorrectable;
        self.parity_errors += other.parity_errors;
        self.losses += other.losses;
        self.downs += other.downs;
    }
}

/// A physical lane.
#[derive(Debug)]
struct Lane {
    /// The one that sends what this one has.
    from: usize,
    inverted: bool,
    /// Bits that are no word of the channel yet, the first one in the lowest place.
    bits: u64,
    filled: u32,
    channel: Channel,
    /// Whose turn it is of the PCS lanes on it, in which order ever.
    turn: usize,
}

/// What receives.
#[derive(Debug)]
enum Decoder {
    Kr4(Box<fec::Receiver>, Slots),
    Lr4(Box<pcs::Receiver>),
}

/// One direction.
#[derive(Debug)]
pub(super) struct Phy {
    config: PhyConfig,
    random: Xoshiro256PlusPlus,
    mac: mac::Transmitter,
    coder: pcs::Transmitter,
    fec: Option<fec::Transmitter>,
    lanes: Vec<Lane>,
    decoder: Decoder,
    receiver: mac::Receiver,
    /// Slots that are due.
    credit: f64,
    /// Frames that were begun.
    sent: u64,
    first: bool,
    /// The lane without a signal, and the cycle in which it has one again.
    dead: Option<(usize, u64)>,
    next_loss: u64,
    counts: PhyCounts,
    rows: Vec<Row>,
    slots: Vec<Slot>,
}

impl Phy {
    pub(super) fn new(config: &PhyConfig, seed: u64) -> Result<Self, SimError> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        if !config.period.is_multiple_of(8) || config.period == 0 {
            return Err(SimError::BadParameter {
                name: "period",
                message: format!("{} rows are not a multiple of 8", config.period),
            });
        }
        let mut order: Vec<usize> = (0..PHY_LANES).collect();
        for i in (1..PHY_LANES).rev() {
            order.swap(i, (random.next_u64() % (i as u64 + 1)) as usize);
        }
        let lanes = order
            .into_iter()
            .map(|from| {
                let channel = Channel::new(&ChannelConfig {
                    delay_bits: random.next_u64() % (u64::from(config.skew) + 1),
                    ber: config.ber,
                    burst: config.burst,
                    seed: random.next_u64(),
                    ..ChannelConfig::default()
                })?;
                Ok(Lane {
                    from,
                    inverted: random.next_u64() & 1 != 0,
                    bits: 0,
                    filled: 0,
                    channel,
                    turn: 0,
                })
            })
            .collect::<Result<Vec<_>, SimError>>()?;
        Ok(Self {
            mac: mac::Transmitter::new(),
            coder: pcs::Transmitter::new(config.period),
            fec: (config.coding == Coding::Kr4).then(|| fec::Transmitter::new(config.period)),
            lanes,
            decoder: match config.coding {
                Coding::Kr4 => {
                    let limits = fec::Limits {
                        period: config.period,
                        ..fec::Limits::default()
                    };
                    let receiver = fec::Receiver::new(limits, fec::Mode::Correct);
                    Decoder::Kr4(Box::new(receiver), Slots::default())
                }
                Coding::Lr4 => {
                    let limits = pcs::Limits {
                        period: config.period,
                        ..pcs::Limits::default()
                    };
                    Decoder::Lr4(Box::new(pcs::Receiver::new(limits)))
                }
            },
            receiver: mac::Receiver::new(),
            credit: 0.0,
            sent: 0,
            first: true,
            dead: None,
            next_loss: u64::MAX,
            counts: PhyCounts::default(),
            rows: Vec::new(),
            slots: Vec::new(),
            config: config.clone(),
            random,
        })
    }

    /// Whether the transmitter takes a word in the next cycle.
    pub(super) fn ready(&self) -> bool {
        self.mac.ready()
    }

    /// What its receiver knows of faults.
    pub(super) fn fault(&self) -> Fault {
        self.receiver.fault()
    }

    /// Whether its receiver hears the transmitter.
    pub(super) fn hears(&self) -> bool {
        self.fault() != Fault::Local
    }

    /// Whether the end whose receiver this is may send: nothing is wrong either way.
    pub(super) fn whole(&self) -> bool {
        self.fault() == Fault::None
    }

    /// A cycle passes; `sent` is what the core has put on the line in it, `back` the other
    /// direction, whose receiver is at this end.
    pub(super) fn pass(&mut self, now: u64, sent: Option<&Beat>, back: Fault) {
        if let Some(beat) = sent {
            self.sent += u64::from(self.first);
            self.first = beat.last;
            self.mac.push(beat);
        }
        self.lose(now);
        let markers = 1.0 - 1.0 / self.config.period as f64;
        self.credit += SLOTS_PER_CYCLE * markers;
        while self.credit >= 1.0 {
            self.credit -= 1.0;
            let slot = self.mac.slot(back);
            self.coder.slot(slot, &mut self.rows);
        }
        for row in std::mem::take(&mut self.rows) {
            self.send(&row);
        }
        self.receive();
    }

    /// A row of blocks to the lanes.
    fn send(&mut self, row: &Row) {
        let Some(fec) = &mut self.fec else {
            for bit in 0..66 {
                for (lane, block) in row.iter().enumerate() {
                    self.bit(lane / SHARE, block >> bit & 1 != 0);
                }
            }
            return;
        };
        let mut codewords = Vec::new();
        fec.row(row, &mut codewords);
        for (at, symbol) in codewords.into_iter().flatten().enumerate() {
            for bit in 0..10 {
                self.bit(at % PHY_LANES, symbol >> bit & 1 != 0);
            }
        }
    }

    /// A bit of a lane of the transmitter, over the channel to the receiver.
    fn bit(&mut self, from: usize, bit: bool) {
        let Some(at) = self.lanes.iter().position(|lane| lane.from == from) else {
            return;
        };
        let lane = &mut self.lanes[at];
        lane.bits |= u64::from(bit) << lane.filled;
        lane.filled += 1;
        if lane.filled == u64::BITS {
            let word = lane.channel.transfer(std::mem::take(&mut lane.bits));
            lane.filled = 0;
            let turned = if lane.inverted { !word } else { word };
            let dead = self.dead.is_some_and(|(lane, _)| lane == at);
            self.hear(at, if dead { 0 } else { turned });
        }
    }

    /// A word of a physical lane arrives.
    fn hear(&mut self, at: usize, word: u64) {
        let lane = &mut self.lanes[at];
        match &mut self.decoder {
            Decoder::Kr4(receiver, slots) => {
                let mut rows = Vec::new();
                for bit in 0..u64::BITS {
                    receiver.bit(at, word >> bit & 1 != 0, &mut rows);
                }
                for (row, _) in rows.iter().filter(|(_, marker)| !marker) {
                    slots.row(row, false, &mut self.slots);
                }
            }
            Decoder::Lr4(receiver) => {
                for bit in 0..u64::BITS {
                    let place = SHARE * at + lane.turn;
                    receiver.bit(place, word >> bit & 1 != 0, &mut self.slots);
                    lane.turn = (lane.turn + 1) % SHARE;
                }
            }
        }
    }

    /// What has come goes to the MAC, or a fault in its place.
    fn receive(&mut self) {
        let up = match &self.decoder {
            Decoder::Kr4(receiver, _) => receiver.state() == fec::State::Up,
            Decoder::Lr4(receiver) => receiver.state() == pcs::State::Up,
        };
        let heard = self.hears();
        let slots = std::mem::take(&mut self.slots);
        if up {
            for &slot in &slots {
                self.receiver.slot(slot);
            }
        } else {
            self.receiver.slot(Slot::LOCAL_FAULT);
            if let Decoder::Kr4(_, slots) = &mut self.decoder {
                *slots = Slots::default();
            }
        }
        self.counts.downs += u64::from(heard && !self.hears());
    }

    /// The next word of the stream.
    pub(super) fn arrives(&mut self) -> Option<Beat> {
        self.receiver.pop()
    }

    /// Takes the signal of a lane away for a while, once the link has been up for a while.
    fn lose(&mut self, now: u64) {
        let period = self.config.period as u64 * LANES as u64 / 8;
        if let Some((lane, until)) = self.dead {
            if now >= until {
                self.dead = None;
                self.signal(lane, true);
            }
        } else if self.counts.losses < u64::from(self.config.losses) && self.whole() {
            if self.next_loss == u64::MAX {
                self.next_loss = now + self.random.next_u64() % (4 * period) + 100;
            }
            if now >= self.next_loss {
                let lane = (self.random.next_u64() % PHY_LANES as u64) as usize;
                self.dead = Some((lane, now + 50 + self.random.next_u64() % 1000));
                self.signal(lane, false);
                self.counts.losses += 1;
                self.next_loss = u64::MAX;
            }
        }
    }

    fn signal(&mut self, lane: usize, there: bool) {
        match &mut self.decoder {
            Decoder::Kr4(receiver, _) => receiver.signal(lane, there),
            Decoder::Lr4(receiver) => {
                for place in SHARE * lane..SHARE * (lane + 1) {
                    receiver.signal(place, there);
                }
            }
        }
    }

    /// Frames that did not arrive whole: lost, and damaged.
    pub(super) fn missing(&self) -> (u64, u64) {
        let (good, damaged) = (self.receiver.good, self.receiver.damaged);
        (self.sent.saturating_sub(good + damaged), damaged)
    }

    pub(super) fn counts(&self) -> PhyCounts {
        let mut counts = self.counts;
        counts.flipped = self.lanes.iter().map(|lane| lane.channel.errors()).sum();
        match &self.decoder {
            Decoder::Kr4(receiver, _) => {
                counts.corrected = receiver.counts().corrected;
                counts.uncorrectable = receiver.counts().uncorrectable;
            }
            Decoder::Lr4(receiver) => {
                counts.parity_errors = (0..LANES).map(|lane| receiver.parity_errors(lane)).sum();
            }
        }
        counts
    }
}
