// SPDX-License-Identifier: Apache-2.0
//! Which of the allowed ports a packet takes, as the RTL chooses (`cores/switch/rtl/switch_route`).
//!
//! A tree over the ports: where both branches have a port that may be taken, a bit of the hash of
//! source, destination and flow decides, or for a packet with `spread` the shorter queue. Bit `k`
//! of the hash is the parity of the key under mask `k`.

use super::super::header::Route;
use super::super::topology::MAX_PORTS;

/// Most leaves of the tree.
const LEAVES: usize = MAX_PORTS as usize;
/// Bits of the key: source, destination, flow.
const KEY_BITS: u32 = 44;
/// Masks in front of those that are used: in them the salt reaches all bits.
const SKIPPED: usize = 8;

/// The chooser of a switch.
#[derive(Debug, Clone)]
pub struct Choice {
    leaves: usize,
    masks: [u64; LEAVES],
}

impl Choice {
    /// That of a switch with this number of ports, 2 to 16, and this salt: `hash` of its
    /// registers. Where all switches have the same one, those that a packet meets one after the
    /// other do not choose independently, and some ways are not used.
    #[must_use]
    pub fn new(ports: u8, salt: u16) -> Self {
        let leaves = usize::from(ports.clamp(2, MAX_PORTS)).next_power_of_two();
        let mut masks = [0; LEAVES];
        let mut state = 0x9e37_79b9_7f4a_7c15 ^ (u64::from(salt) << 40);
        for step in 0..SKIPPED + leaves {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            if let Some(mask) = step.checked_sub(SKIPPED) {
                masks[mask] = state & ((1 << KEY_BITS) - 1);
            }
        }
        Choice { leaves, masks }
    }

    /// The port for a packet; none if none is allowed. `load` is the queue of each port, which
    /// counts for packets with `spread`.
    #[must_use]
    pub fn port(&self, route: &Route, allowed: u16, load: impl Fn(u8) -> u8) -> Option<u8> {
        if allowed & (allowed.wrapping_sub(1)) == 0 {
            return (allowed != 0).then_some(allowed.trailing_zeros() as u8);
        }
        let key = u64::from(route.source) << 28
            | u64::from(route.destination) << 12
            | u64::from(route.flow);
        // (least queue, port) of each subtree.
        let mut best = [None; 2 * LEAVES];
        for port in (0..self.leaves).filter(|port| allowed >> port & 1 == 1) {
            best[self.leaves + port] = Some((load(port as u8), port as u8));
        }
        for at in (1..self.leaves).rev() {
            best[at] = match (best[2 * at], best[2 * at + 1]) {
                (Some(first), Some(second)) => {
                    let by_load = route.spread && first.0 != second.0;
                    let hash = (key & self.masks[at]).count_ones() & 1 == 1;
                    let take_second = if by_load { second.0 < first.0 } else { hash };
                    Some(if take_second { second } else { first })
                }
                (first, second) => first.or(second),
            };
        }
        best[1].map(|(_, port)| port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::switch::header::Class;

    fn route(source: u16, destination: u16, flow: u16) -> Route {
        Route {
            class: Class::ANSWERS,
            mark: false,
            spread: false,
            words: 1,
            destination,
            source,
            flow,
            hops: 0,
        }
    }

    #[test]
    fn flows_share_the_ports_and_keep_theirs() {
        for (ports, allowed) in [(16, 0xff00u16), (8, 0xf0), (5, 0b11000), (3, 0b110)] {
            let choice = Choice::new(ports, 0);
            let mut count = [0u32; 16];
            let all = (0..40).flat_map(|from| (0..40).map(move |to| (from, to)));
            for (from, to) in all.filter(|(from, to)| from != to) {
                let route = route(from, to, from ^ to);
                let port = choice.port(&route, allowed, |_| 0).unwrap();
                assert_eq!(choice.port(&route, allowed, |port| port), Some(port));
                count[usize::from(port)] += 1;
            }
            let share = 40 * 39 / allowed.count_ones();
            for (port, count) in count.into_iter().enumerate() {
                let wanted = if allowed >> port & 1 == 1 { share } else { 0 };
                assert!(
                    count.abs_diff(wanted) <= share / 3,
                    "{ports} {port}: {count}"
                );
            }
        }
    }

    /// Masks as `cores/switch/README.md` describes them, from a program of its own.
    #[test]
    fn masks_are_those_of_the_description() {
        for (salt, masks) in [
            (0, [0xe85_b0d6_e28b, 0x9d3_4942_8d8e]),
            (1, [0x989_c0d4_aa01, 0x46f_3515_a315]),
            (0xabcd, [0x747_55e9_289b, 0x3b6_fc0f_bc0a]),
        ] {
            assert_eq!(Choice::new(4, salt).masks[..2], masks);
        }
    }

    /// Of the flows that one switch sends one way, any other one sends about half each way.
    #[test]
    fn salts_choose_independently() {
        let choices: Vec<_> = (0..64).map(|salt| Choice::new(4, salt)).collect();
        let all = (0..16).flat_map(|from| (16..32).map(move |to| (from, to)));
        let routes: Vec<_> = all
            .map(|(from, to)| route(from, to, (from * 7) ^ (to * 5)))
            .collect();
        let ways = |choice: &Choice| -> Vec<_> {
            let way = |route| choice.port(route, 0b1100, |_| 0).unwrap();
            routes.iter().map(way).collect()
        };
        for (number, choice) in choices.iter().enumerate() {
            for other in &choices[..number] {
                let pairs = ways(choice).into_iter().zip(ways(other));
                let alike = pairs.filter(|(a, b)| a == b).count();
                assert!(
                    (96..=160).contains(&alike),
                    "{number}: {alike} of 256 alike"
                );
            }
        }
    }

    #[test]
    fn spread_takes_the_shortest_queue() {
        let choice = Choice::new(8, 0);
        let spread = Route {
            spread: true,
            ..route(1, 2, 3)
        };
        let load = |port| [9, 9, 4, 9, 9, 2, 9, 1][usize::from(port)];
        assert_eq!(choice.port(&spread, 0b0111_1111, load), Some(5));
        assert_eq!(choice.port(&spread, 0, load), None);
    }
}
