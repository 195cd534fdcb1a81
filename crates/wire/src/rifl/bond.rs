// SPDX-License-Identifier: Apache-2.0
//! Bonded lanes: which lane carries which bytes of a packet, and how the other end puts them
//! together.
//!
//! A packet is cut into segments of C payloads, C being the lanes of a group; a packet always
//! starts a new segment. The groups take the segments in turn, and the turn goes on across packets
//! and idle time. Inside a group the highest lane takes the first bytes. Lanes behind the end of
//! the packet send nothing for this segment, and only the last lane in use says that the packet
//! ends.
//!
//! ```text
//! 4 lanes, user width = 2 frame widths: C = 2, group 0 = lanes 0 and 1, group 1 = lanes 2 and 3
//! segment     0        1        2
//! lane      1   0    3   2    1   0
//! ```
//!
//! The order follows the published core (the paper has the first bytes on the first lane).
//! Counterpart in `cores/`: `rifl_bond_tx`, `rifl_bond_rx`. Nothing here depends on time: lanes may
//! be skewed and recover on their own.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use thiserror::Error;

use super::frame::Segment;
use super::params::FrameWidth;

/// Lanes that can be bonded.
pub const LANES: [u8; 4] = [1, 2, 4, 8];

/// Lanes that cannot be bonded like this.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BondError {
    /// Number of lanes that the core is not made for.
    #[error("{0} lanes: accepted are 1, 2, 4 or 8")]
    Lanes(u8),
    /// Lanes of a group that do not divide the link.
    #[error(
        "{group} lanes in a group of a link of {lanes}: accepted are 1, 2, 4 or 8 up to the lanes of the link"
    )]
    Group {
        /// Lanes of the link.
        lanes: u8,
        /// Lanes of a group.
        group: u8,
    },
}

/// How the lanes of a link are bonded; both ends must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bond {
    lanes: u8,
    group: u8,
    frame: FrameWidth,
}

impl Bond {
    /// A link of `lanes` lanes, `group` of which share a segment: user width over frame width.
    ///
    /// # Errors
    /// [`BondError`] names what is not legal.
    pub fn new(lanes: u8, group: u8, frame: FrameWidth) -> Result<Self, BondError> {
        if !LANES.contains(&lanes) {
            return Err(BondError::Lanes(lanes));
        }
        if !LANES.contains(&group) || group > lanes {
            return Err(BondError::Group { lanes, group });
        }
        Ok(Bond {
            lanes,
            group,
            frame,
        })
    }

    /// Groups of the link, G.
    #[must_use]
    pub fn groups(&self) -> usize {
        usize::from(self.lanes / self.group)
    }

    /// Bytes of a full segment.
    #[must_use]
    pub fn segment_bytes(&self) -> usize {
        usize::from(self.group) * self.frame.payload_bytes()
    }

    /// Lanes of a group.
    fn lanes_of(&self, group: usize) -> Range<usize> {
        let size = usize::from(self.group);
        group * size..(group + 1) * size
    }
}

/// The sending end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distributor {
    bond: Bond,
    /// Group that takes the next segment.
    turn: usize,
}

impl Distributor {
    /// A sender after reset.
    #[must_use]
    pub fn new(bond: Bond) -> Self {
        Distributor { bond, turn: 0 }
    }

    /// Deals out a packet: what each lane is to send, as (lane, payload) in the order of the bytes.
    ///
    /// A packet without bytes is one null segment.
    pub fn packet(&mut self, packet: &[u8]) -> Vec<(usize, Segment)> {
        let full = self.bond.segment_bytes();
        let count = packet.len().div_ceil(full).max(1);
        let mut dealt = Vec::new();
        for i in 0..count {
            let ends = i + 1 == count;
            let upper = if ends { packet.len() } else { (i + 1) * full };
            self.segment(&packet[i * full..upper], ends, &mut dealt);
        }
        dealt
    }

    fn segment(&mut self, bytes: &[u8], ends: bool, dealt: &mut Vec<(usize, Segment)>) {
        let lanes = self.bond.lanes_of(self.turn);
        self.turn = (self.turn + 1) % self.bond.groups();
        let mut rest = bytes;
        for lane in lanes.rev() {
            let (payload, behind) = rest.split_at(rest.len().min(self.bond.frame.payload_bytes()));
            rest = behind;
            let last = ends && rest.is_empty();
            // A short payload is the end of a packet, so this cannot fail.
            dealt.extend(Segment::new(self.bond.frame, payload, last).map(|s| (lane, s)));
            if last {
                return;
            }
        }
    }
}

/// The receiving end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collector {
    bond: Bond,
    turn: usize,
    lanes: Vec<VecDeque<Segment>>,
    packet: Vec<u8>,
}

impl Collector {
    /// A receiver after reset.
    #[must_use]
    pub fn new(bond: Bond) -> Self {
        Collector {
            bond,
            turn: 0,
            lanes: vec![VecDeque::new(); usize::from(bond.lanes)],
            packet: Vec::new(),
        }
    }

    /// A lane delivered a payload. What is pushed to a lane that is not there is ignored.
    pub fn push(&mut self, lane: usize, payload: Segment) {
        if let Some(queue) = self.lanes.get_mut(lane) {
            queue.push_back(payload);
        }
    }

    /// The next packet that is complete.
    pub fn pop(&mut self) -> Option<Vec<u8>> {
        while self.group_is_ready() {
            for lane in self.bond.lanes_of(self.turn).rev() {
                let payload = self.lanes[lane].pop_front()?;
                self.packet.extend_from_slice(payload.bytes());
                if payload.end() {
                    self.advance();
                    return Some(core::mem::take(&mut self.packet));
                }
            }
            self.advance();
        }
        None
    }

    fn advance(&mut self) {
        self.turn = (self.turn + 1) % self.bond.groups();
    }

    /// All lanes of the group, down to the one that ends the packet, have a payload.
    fn group_is_ready(&self) -> bool {
        for lane in self.bond.lanes_of(self.turn).rev() {
            match self.lanes[lane].front() {
                None => return false,
                Some(payload) if payload.end() => return true,
                Some(_) => {}
            }
        }
        true
    }

    /// Payloads of a lane that wait for others.
    #[must_use]
    pub fn waiting(&self, lane: usize) -> usize {
        self.lanes.get(lane).map_or(0, VecDeque::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bond(lanes: u8, group: u8) -> Bond {
        Bond::new(lanes, group, FrameWidth::W256).unwrap()
    }

    /// Lanes in the order in which they carry a packet of `payloads` full payloads.
    fn order(lanes: u8, group: u8, payloads: usize) -> Vec<usize> {
        let packet = vec![0; 30 * payloads];
        Distributor::new(bond(lanes, group))
            .packet(&packet)
            .into_iter()
            .map(|(lane, _)| lane)
            .collect()
    }

    #[test]
    fn the_order_of_the_published_core() {
        assert_eq!(order(4, 1, 6), [0, 1, 2, 3, 0, 1]);
        assert_eq!(order(4, 4, 8), [3, 2, 1, 0, 3, 2, 1, 0]);
        assert_eq!(order(4, 2, 6), [1, 0, 3, 2, 1, 0]);
        assert_eq!(order(1, 1, 2), [0, 0]);
    }

    #[test]
    fn a_packet_starts_a_segment_and_the_turn_goes_on() {
        let mut sender = Distributor::new(bond(4, 2));
        // 31 bytes are two payloads of group 0; one byte is one payload on the highest lane of
        // group 1.
        let lanes = |dealt: Vec<(usize, Segment)>| -> Vec<(usize, usize, bool)> {
            dealt
                .iter()
                .map(|(lane, s)| (*lane, s.bytes().len(), s.end()))
                .collect()
        };
        assert_eq!(
            lanes(sender.packet(&[1; 31])),
            [(1, 30, false), (0, 1, true)]
        );
        assert_eq!(lanes(sender.packet(&[2; 1])), [(3, 1, true)]);
        assert_eq!(lanes(sender.packet(&[3; 30])), [(1, 30, true)]);
        assert_eq!(lanes(sender.packet(&[])), [(3, 0, true)]);
    }

    #[test]
    fn a_group_waits_for_the_lanes_it_needs_and_no_others() {
        let mut receiver = Collector::new(bond(4, 4));
        let mut sender = Distributor::new(bond(4, 4));
        let dealt = sender.packet(&[7; 45]);
        receiver.push(dealt[1].0, dealt[1].1);
        assert_eq!(receiver.pop(), None);
        assert_eq!(receiver.waiting(2), 1);
        receiver.push(dealt[0].0, dealt[0].1);
        assert_eq!(receiver.pop(), Some(vec![7; 45]));
    }

    #[test]
    fn what_is_not_legal_is_named() {
        let refused = |lanes, group, bits| {
            Bond::new(lanes, group, FrameWidth::new(bits).unwrap())
                .unwrap_err()
                .to_string()
        };
        assert!(refused(3, 1, 256).starts_with("3 lanes: accepted are 1, 2, 4 or 8"));
        assert!(refused(2, 4, 256).starts_with("4 lanes in a group of a link of 2"));
        assert!(refused(4, 3, 256).starts_with("3 lanes in a group"));
    }

    proptest! {
        /// Whatever the skew of the lanes, the packets come out whole and in order.
        #[test]
        fn packets_come_out_as_they_went_in(
            lanes in 0usize..4, group in 0usize..4, frame in prop::sample::select(&[128u32, 256, 512, 2048]),
            packets in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..600), 1..20),
            choices in prop::collection::vec(0usize..8, 1..100),
        ) {
            let (lanes, group) = (LANES[lanes], LANES[group.min(lanes)]);
            let bond = Bond::new(lanes, group, FrameWidth::new(frame).unwrap()).unwrap();
            let (mut sender, mut receiver) = (Distributor::new(bond), Collector::new(bond));
            let mut wires = vec![VecDeque::new(); usize::from(lanes)];
            for packet in &packets {
                for (lane, payload) in sender.packet(packet) {
                    wires[lane].push_back(payload);
                }
            }
            let mut got = Vec::new();
            let mut choices = choices.iter().cycle();
            while wires.iter().any(|wire| !wire.is_empty()) {
                // Some lane delivers next, chosen at random or else the first that has something.
                let wanted = choices.next().copied().unwrap_or(0) % usize::from(lanes);
                let lane = (0..usize::from(lanes))
                    .map(|i| (wanted + i) % usize::from(lanes))
                    .find(|lane| !wires[*lane].is_empty())
                    .unwrap();
                receiver.push(lane, wires[lane].pop_front().unwrap());
                got.extend(core::iter::from_fn(|| receiver.pop()));
            }
            prop_assert_eq!(got, packets);
        }
    }
}
