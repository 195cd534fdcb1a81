// SPDX-License-Identifier: Apache-2.0
//! The network of a stack: what stands between the engines, cycle by cycle. All of it is in one
//! clock, that of engines, frames and users; the words of the lanes have twice that.

use std::rc::Rc;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::record::{Event, Events, Follow, Series, Stage};
use super::station::{self, PortCounts, Station};
use super::topology::{LANES, LinkFaults, Place, Topology};
use crate::channel::{Channel, ChannelConfig};
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
};
/// Cycles of the lanes in which everything is reset.
const RESET: u32 = 64;
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
    /// End of the link of each station.
    end_of: Vec<usize>,
    /// A packet of its engine has begun; one is being given to it.
    inside: Vec<[bool; 2]>,
    /// Packets that engines have sent, less those they were given.
    under_way: i64,
    pub follow: Follow,
    pub events: Events,
}

/// Builds all simulators.
pub(super) fn prepare(tell: &mut dyn FnMut(Building)) -> Result<(), SimError> {
    station::prepare(tell)?;
    MODEL.prepare(false, tell)
}

fn cable(ends: [usize; 2], faults: &LinkFaults, seed: u64) -> Result<Cable, SimError> {
    let mut seeds = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut wires = || -> Result<Vec<Channel>, SimError> {
        (0..LANES)
            .map(|lane| {
                Channel::new(&ChannelConfig {
                    delay_bits: faults.delay_bits,
                    // Each lane has a place of its own for the boundaries of words.
                    slip_bits: (17 * lane as u8 + 5) % 64,
                    ber: faults.ber,
                    burst: None,
                    cuts: faults.cuts_of(lane),
                    seed: seeds.next_u64(),
                })
            })
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
    pub(super) fn new(topology: &Topology, seed: u64) -> Result<Self, SimError> {
        topology.validate()?;
        let raw = station::prepare(&mut |_| ())?;
        let context: Rc<Context> = raw.context();
        let nodes = usize::from(topology.nodes);
        let stations = (0..nodes)
            .map(|node| Station::new(&context, &format!("p{node}"), raw))
            .collect::<Result<Vec<_>, _>>()?;
        let mut ends = Vec::new();
        let mut end_of = vec![0; nodes];
        let mut cables = Vec::new();
        let link_context = Endpoint::context(MODEL)?;
        for (number, link) in topology.links.iter().enumerate() {
            for place in [link.a, link.b] {
                match place {
                    Place::Node(node) => end_of[usize::from(node)] = ends.len(),
                    Place::Switch(..) => {}
                }
                let name = format!("l{}", ends.len());
                ends.push(End {
                    endpoint: Endpoint::with(&link_context, &name, MODEL)?,
                    counts: EndCounts::default(),
                    first_out: true,
                    first_in: true,
                    open: false,
                    up: 0,
                });
            }
            let both = [ends.len() - 2, ends.len() - 1];
            cables.push(cable(both, &link.faults, seed ^ (number as u64 + 1) << 32)?);
        }
        let mut network = Self {
            now: 0,
            ends,
            cables,
            stations,
            end_of,
            inside: vec![[false; 2]; nodes],
            under_way: 0,
            follow: Follow::default(),
            events: Events::default(),
        };
        network.reset(seed);
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
    }

    /// All nodes may send.
    pub(super) fn is_open(&self) -> bool {
        self.stations.iter().all(Station::is_open)
    }

    pub(super) fn port_counts(&self) -> Vec<PortCounts> {
        self.stations.iter().map(|station| station.counts).collect()
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
                    self.follow.passed(now, beat.data, Stage::Out);
                }
                end.first_out = beat.last;
            }
            if let Some(beat) = endpoint.delivered() {
                if end.first_in {
                    self.follow.passed(now, beat.data, Stage::Link);
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
            }
            self.inside[receiver][1] = !last;
        }
        station.take();
    }

    fn end(&mut self) {
        self.observe();
        for (station, &end) in self.stations.iter_mut().zip(&self.end_of) {
            station.join(&self.ends[end].endpoint);
        }
        self.lanes();
        for end in &mut self.ends {
            end.endpoint.step(Edges::ALL);
        }
        self.stations.iter_mut().for_each(Station::clock);
        for (station, &end) in self.stations.iter().zip(&self.end_of) {
            station.offer(&mut self.ends[end].endpoint);
        }
        self.lanes();
        for end in &mut self.ends {
            end.endpoint.step(Edges::PHY);
        }
        self.now += 1;
    }

    fn is_empty(&self) -> bool {
        let lost: u64 = self
            .stations
            .iter()
            .map(|s| s.counts.lost + s.counts.refused)
            .sum();
        self.under_way <= lost as i64
    }
}
