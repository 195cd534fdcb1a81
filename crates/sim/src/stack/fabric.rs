// SPDX-License-Identifier: Apache-2.0
//! The network of a stack: what stands between the engines, cycle by cycle. All of it is in one
//! clock, that of engines, frames and users; the words of the lanes have twice that.

use std::rc::Rc;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_wire::switch::{Body, End as Place, Header, Link, Tables, Topology};

use super::faults::{LANES, LinkFaults};
use super::record::{Event, Events, Follow, Series, Stage};
use super::run::StackConfig;
use super::station::{self, PortCounts, Station};
use super::switch::{self, Switch, SwitchCounts};
use crate::channel::Channel;
use crate::models::{Building, Context};
use crate::rdma::{Fabric, Word};
use crate::rifl::{Edges, Endpoint, Model};
use crate::{Cut, SimError};

/// The links: four lanes, 512 bits to the user.
pub(super) const MODEL: Model = Model {
    lanes: LANES as u8,
    frame_width: 128,
    user_width: 512,
    id_width: 8,
    extended: true,
    strong_code: false,
};
/// Cycles of the lanes in which everything is reset.
const RESET: u32 = 64;
/// Cycles in which a session comes back and a packet passes all queues.
const PATIENCE: u64 = 10_000;
/// Bits of `lane_status_t`: the receiver is up; a request of the peer is answered.
const UP: u32 = 1 << 1;
const SERVED: u32 = 1 << 14;
/// Its transmitter retransmits.
const RETRANS: u32 = 3;

/// What one end of a link has sent and seen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EndCounts {
    /// Words of packets and credits that the link has taken.
    pub words: u64,
    /// Packets that have begun on it, credits included.
    pub packets: u64,
    /// Requests of the peer for retransmission that were answered, of all lanes.
    pub replays: u64,
    /// Frames that were sent once more for them.
    pub replayed_frames: u64,
    /// Sessions that have ended.
    pub sessions_ended: u64,
    /// Cycles in which a receiver of a lane was not up, since the first session.
    pub down_cycles: u64,
    /// Words over time.
    pub load: Series,
}

/// One end of a link.
struct End {
    /// What it serves.
    at: Place,
    endpoint: Endpoint,
    counts: EndCounts,
    /// The next word that it sends, or has for its user, is the first one of a packet.
    first_out: bool,
    first_in: bool,
    open: bool,
    up: u32,
}

/// A link: its two ends and the lanes between them.
struct Cable {
    ends: [usize; 2],
    /// From the first end to the second one, and back; one per lane.
    channels: [Vec<Channel>; 2],
    swaps: Vec<(u64, u64)>,
    cuts: Vec<(usize, Cut)>,
}

/// Everything between the engines.
pub(super) struct Network {
    now: u64,
    ends: Vec<End>,
    cables: Vec<Cable>,
    stations: Vec<Station>,
    switches: Vec<Switch>,
    /// A packet of its engine has begun; one is being given to it.
    inside: Vec<[bool; 2]>,
    /// Packets that engines have sent, less those they were given: those that sessions took with
    /// them stay here.
    under_way: i64,
    /// When a packet was last seen to begin anywhere, and how long nothing moves at most while one
    /// is on its way.
    moved_at: u64,
    patience: u64,
    pub follow: Follow,
    pub events: Events,
}

/// Builds all simulators.
pub(super) fn prepare(topology: &Topology, tell: &mut dyn FnMut(Building)) -> Result<(), SimError> {
    station::prepare(tell)?;
    for found in topology.switches() {
        switch::prepare(found.ports, tell)?;
    }
    MODEL.prepare(false, tell)
}

/// A first word is that of a packet, not of credits.
fn is_packet(word: &[u8]) -> bool {
    Header::read(word).is_ok_and(|header| !matches!(header.body, Body::Credits { .. }))
}

fn cable(ends: [usize; 2], link: &Link, faults: &LinkFaults, seed: u64) -> Result<Cable, SimError> {
    let mut seeds = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut wires = || -> Result<Vec<Channel>, SimError> {
        (0..LANES)
            .map(|lane| Channel::new(&faults.channel(link, lane, seeds.next_u64())))
            .collect()
    };
    Ok(Cable {
        ends,
        channels: [wires()?, wires()?],
        swaps: faults.swaps.clone(),
        cuts: faults.cuts.clone(),
    })
}

impl Network {
    /// Everything between the engines, behind its reset, with these tables.
    pub(super) fn new(config: &StackConfig, tables: &Tables) -> Result<Self, SimError> {
        let StackConfig {
            topology,
            faults,
            seed,
            ..
        } = config;
        let seed = *seed;
        let raw = station::prepare(&mut |_| ())?;
        let context: Rc<Context> = raw.context();
        let nodes = usize::from(topology.nodes());
        let stations = (0..nodes)
            .map(|node| Station::new(&context, &format!("p{node}"), raw))
            .collect::<Result<Vec<_>, _>>()?;
        let mut switches = (topology.switches().iter().zip(0..))
            .map(|(found, number)| Switch::new(number, found.ports, config.mark))
            .collect::<Result<Vec<_>, _>>()?;
        let mut ends = Vec::new();
        let mut cables = Vec::new();
        let link_context = Endpoint::context(MODEL)?;
        let spared = LinkFaults::default();
        for (number, link) in topology.links().iter().enumerate() {
            for at in [link.a, link.b] {
                if let Place::Switch { switch, port } = at {
                    switches[usize::from(switch)].link(port);
                }
                let name = format!("l{}", ends.len());
                ends.push(End {
                    at,
                    endpoint: Endpoint::with(&link_context, &name, MODEL)?,
                    counts: EndCounts::default(),
                    first_out: true,
                    first_in: true,
                    open: false,
                    up: 0,
                });
            }
            let both = [ends.len() - 2, ends.len() - 1];
            let seed = seed ^ (number as u64 + 1) << 32;
            let faults = faults.get(number).unwrap_or(&spared);
            cables.push(cable(both, link, faults, seed)?);
        }
        let mut network = Self {
            now: 0,
            ends,
            cables,
            stations,
            switches,
            inside: vec![[false; 2]; nodes],
            under_way: 0,
            moved_at: 0,
            patience: PATIENCE + faults.iter().map(LinkFaults::longest).max().unwrap_or(0),
            follow: Follow::default(),
            events: Events::default(),
        };
        network.reset(seed);
        for (switch, number) in network.switches.iter_mut().zip(0..) {
            switch.load(tables, number)?;
        }
        Ok(network)
    }

    /// Runs the clocks with everything in reset.
    fn reset(&mut self, seed: u64) {
        let mut seeds = Xoshiro256PlusPlus::seed_from_u64(seed);
        for _ in 0..RESET / 2 {
            for end in &mut self.ends {
                end.endpoint.step(Edges::ALL);
                end.endpoint.step(Edges::PHY);
            }
            self.stations.iter_mut().for_each(Station::clock);
            self.switches.iter_mut().for_each(Switch::clock);
        }
        for end in &mut self.ends {
            end.endpoint.set_session_seed(seeds.next_u64() as u16);
            end.endpoint.set_reset(false);
            end.endpoint.set_sink_ready(true);
        }
        for station in &mut self.stations {
            station.counts = PortCounts::default();
            station.set_reset(false);
        }
        for switch in &mut self.switches {
            switch.set_reset(false);
        }
    }

    /// All nodes may send, and all switches.
    pub(super) fn is_open(&self) -> bool {
        self.stations.iter().all(Station::is_open) && self.switches.iter().all(Switch::is_open)
    }

    pub(super) fn port_counts(&self) -> Vec<PortCounts> {
        self.stations.iter().map(|station| station.counts).collect()
    }

    pub(super) fn switch_counts(&self) -> Vec<SwitchCounts> {
        self.switches.iter().map(|switch| switch.counts).collect()
    }

    /// Of both ends of a link.
    pub(super) fn counts(&self, link: usize) -> [EndCounts; 2] {
        self.cables[link]
            .ends
            .map(|end| self.ends[end].counts.clone())
    }

    /// Bits that were flipped on a link, in each direction.
    pub(super) fn bit_errors(&self, link: usize) -> [u64; 2] {
        let channels = &self.cables[link].channels;
        [0, 1].map(|way: usize| channels[way].iter().map(Channel::errors).sum())
    }

    /// The words on the lanes go on by one.
    fn lanes(&mut self) {
        for cable in &mut self.cables {
            let word = cable.channels[0][0].words();
            let swapped = (cable.swaps.iter()).any(|&(from, until)| (from..until).contains(&word));
            for way in 0..2 {
                let (from, to) = (cable.ends[way], cable.ends[1 - way]);
                for lane in 0..LANES {
                    let sent = self.ends[from].endpoint.tx_data(lane);
                    let seen = cable.channels[way][lane].transfer(sent);
                    let lane = if swapped && lane < 2 { 1 - lane } else { lane };
                    self.ends[to].endpoint.set_rx_data(lane, seen);
                }
            }
        }
    }

    /// What moves between links and their users in this cycle.
    fn observe(&mut self) {
        let now = self.now;
        for (number, end) in self.ends.iter_mut().enumerate() {
            let endpoint = &end.endpoint;
            if endpoint.source_ready()
                && let Some(beat) = endpoint.offered()
            {
                end.counts.words += 1;
                end.counts.load.add(now);
                if end.first_out {
                    end.counts.packets += 1;
                    let stage = match end.at {
                        Place::Node(_) => Stage::Out,
                        Place::Switch { .. } => Stage::Switch,
                    };
                    self.follow.passed(now, beat.data, stage);
                    if is_packet(beat.data) {
                        self.moved_at = now;
                    }
                }
                end.first_out = beat.last;
            }
            if let Some(beat) = endpoint.delivered() {
                if end.first_in {
                    self.follow.passed(now, beat.data, Stage::Link);
                    if is_packet(beat.data) {
                        self.moved_at = now;
                    }
                }
                end.first_in = beat.last;
            }
            let (link, side) = (number / 2, number % 2);
            let mut up = 0;
            for lane in 0..LANES {
                let status = endpoint.lane_status(lane);
                up |= u32::from(status & UP != 0) << lane;
                end.counts.replays += u64::from(status & SERVED != 0);
                end.counts.replayed_frames += u64::from(status >> 8 & 7 == RETRANS);
            }
            if up != end.up {
                for lane in 0..LANES as u8 {
                    match (end.up >> lane & 1, up >> lane & 1) {
                        (0, 1) => self.events.add(now, link, side, Event::LaneUp(lane)),
                        (1, 0) => self.events.add(now, link, side, Event::LaneDown(lane)),
                        _ => {}
                    }
                }
                end.up = up;
            }
            let open = endpoint.session_open();
            if open != end.open {
                end.open = open;
                let what = if open {
                    Event::SessionOpen
                } else {
                    end.counts.sessions_ended += 1;
                    Event::SessionEnded
                };
                self.events.add(now, link, side, what);
            }
            let began = end.open || end.counts.sessions_ended > 0;
            end.counts.down_cycles += u64::from(began && up != (1 << LANES) - 1);
        }
        for (link, cable) in self.cables.iter().enumerate() {
            let word = cable.channels[0][0].words();
            for (lane, cut) in &cable.cuts {
                let lane = *lane as u8;
                if cut.start_word / 2 == word / 2 {
                    self.events.add(now, link, 0, Event::Cut(lane));
                }
                if (cut.start_word + cut.words) / 2 == word / 2 {
                    self.events.add(now, link, 0, Event::Rejoined(lane));
                }
            }
        }
    }
}

impl Fabric for Network {
    fn begin(&mut self) {}

    fn room(&self, sender: usize) -> u8 {
        self.stations[sender].room()
    }

    fn ready(&self, sender: usize) -> bool {
        self.stations[sender].ready()
    }

    fn offered(&self, receiver: usize) -> Option<(Word, bool)> {
        self.stations[receiver].offered()
    }

    fn send(&mut self, sender: usize, word: &Word, last: bool) {
        if !self.inside[sender][0] {
            self.follow.begin(self.now, word);
            self.under_way += 1;
            self.moved_at = self.now;
        }
        self.inside[sender][0] = !last;
        self.stations[sender].give(word, last);
    }

    fn taken(&mut self, receiver: usize) {
        let station = &mut self.stations[receiver];
        if let Some((word, last)) = station.offered() {
            if !self.inside[receiver][1] {
                self.follow.passed(self.now, &word, Stage::In);
                self.under_way -= 1;
                self.moved_at = self.now;
            }
            self.inside[receiver][1] = !last;
        }
        station.take();
    }

    fn end(&mut self) {
        self.observe();
        for end in &self.ends {
            match end.at {
                Place::Node(node) => self.stations[usize::from(node)].join(&end.endpoint),
                Place::Switch { switch, port } => {
                    self.switches[usize::from(switch)].join(port, &end.endpoint);
                }
            }
        }
        self.lanes();
        for end in &mut self.ends {
            end.endpoint.step(Edges::ALL);
        }
        self.stations.iter_mut().for_each(Station::clock);
        self.switches.iter_mut().for_each(Switch::clock);
        for end in &mut self.ends {
            match end.at {
                Place::Node(node) => self.stations[usize::from(node)].offer(&mut end.endpoint),
                Place::Switch { switch, port } => {
                    self.switches[usize::from(switch)].offer(port, &mut end.endpoint);
                }
            }
        }
        self.lanes();
        for end in &mut self.ends {
            end.endpoint.step(Edges::PHY);
        }
        self.now += 1;
    }

    fn is_empty(&self) -> bool {
        self.under_way == 0 || self.now - self.moved_at > self.patience
    }
}
