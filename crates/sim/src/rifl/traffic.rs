// SPDX-License-Identifier: Apache-2.0
//! What a run carries.

use std::fmt;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::SimError;

/// Longest packet that [`Traffic::Random`] makes.
pub const MAX_PACKET: u32 = 1 << 24;

/// When a beat is offered, in cycles of the sending end's user clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// After this number of cycles without a beat behind the acceptance of the one before (or
    /// behind link-up).
    After(u64),
    /// Not before this cycle; cycle 0 is the first one behind the moment in which both ends are up.
    At(u64),
}

impl Due {
    /// As soon as possible, before link-up too.
    pub const NOW: Due = Due::After(0);
}

/// Gives the packets of one direction, one after the other.
pub trait PacketSource: fmt::Debug {
    /// Packets in all, if known; shown as the goal of the progress.
    fn total(&self) -> u64;
    /// Replaces the content of `packet` by the next packet; false when there is none.
    ///
    /// A packet left empty is skipped: the link carries packets of at least one byte.
    fn next_packet(&mut self, packet: &mut Vec<u8>) -> bool;
    /// When the beat that begins at this byte of the packet is offered; asked once for each beat.
    fn due(&mut self, offset: usize) -> Due {
        let _ = offset;
        Due::NOW
    }
}

/// What one end sends.
#[derive(Debug, Default)]
pub enum Traffic {
    /// Nothing.
    #[default]
    None,
    /// Packets of random content and of a length uniform in `min..=max` bytes.
    Random {
        /// How many.
        packets: u64,
        /// Shortest, at least 1.
        min: u32,
        /// Longest, at most `MAX_PACKET`.
        max: u32,
        /// Seed of content and lengths.
        seed: u64,
    },
    /// These packets.
    Packets(Vec<Vec<u8>>),
    /// Packets that are made while the run goes on.
    Source(Box<dyn PacketSource>),
}

impl Traffic {
    /// The source of this traffic.
    ///
    /// # Errors
    /// Lengths out of range, or an empty packet in the list.
    pub(super) fn into_source(self) -> Result<Box<dyn PacketSource>, SimError> {
        let bad = |message| {
            Err(SimError::BadParameter {
                name: "traffic",
                message,
            })
        };
        Ok(match self {
            Self::None => Box::new(List {
                packets: Vec::new().into_iter(),
                total: 0,
            }),
            Self::Random { min, max, .. } if min == 0 || min > max || max > MAX_PACKET => {
                return bad(format!(
                    "lengths {min}..{max} are not within 1..{MAX_PACKET}"
                ));
            }
            Self::Random {
                packets,
                min,
                max,
                seed,
            } => Box::new(Random {
                packets,
                left: packets,
                min,
                span: u64::from(max - min) + 1,
                rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            }),
            Self::Packets(packets) => {
                if let Some(index) = packets.iter().position(Vec::is_empty) {
                    return bad(format!(
                        "packet {index} is empty; the link carries packets of at least one byte"
                    ));
                }
                let total = packets.len() as u64;
                Box::new(List {
                    packets: packets.into_iter(),
                    total,
                })
            }
            Self::Source(source) => source,
        })
    }
}

/// A list of packets.
#[derive(Debug)]
struct List {
    packets: std::vec::IntoIter<Vec<u8>>,
    total: u64,
}

impl PacketSource for List {
    fn total(&self) -> u64 {
        self.total
    }

    fn next_packet(&mut self, packet: &mut Vec<u8>) -> bool {
        match self.packets.next() {
            Some(next) => {
                *packet = next;
                true
            }
            None => false,
        }
    }
}

/// Random packets.
#[derive(Debug)]
struct Random {
    packets: u64,
    left: u64,
    min: u32,
    span: u64,
    rng: Xoshiro256PlusPlus,
}

impl PacketSource for Random {
    fn total(&self) -> u64 {
        self.packets
    }

    fn next_packet(&mut self, packet: &mut Vec<u8>) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        // Multiply-shift instead of remainder: even to one part in 2^39 for the longest span.
        let length = u64::from(self.min)
            + ((u128::from(self.rng.next_u64()) * u128::from(self.span)) >> 64) as u64;
        packet.resize(length as usize, 0);
        self.rng.fill_bytes(packet);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_traffic_has_its_lengths_and_its_count() {
        let traffic = Traffic::Random {
            packets: 2000,
            min: 3,
            max: 10,
            seed: crate::testing::seed("lengths"),
        };
        let mut source = traffic.into_source().unwrap();
        assert_eq!(source.total(), 2000);
        let mut seen = [0; 11];
        let mut packet = Vec::new();
        while source.next_packet(&mut packet) {
            seen[packet.len()] += 1;
        }
        assert_eq!(seen.iter().sum::<i32>(), 2000);
        assert_eq!(seen[..3], [0; 3]);
        // 250 each, standard deviation 15.
        assert!(seen[3..].iter().all(|n| (150..350).contains(n)), "{seen:?}");
    }

    #[test]
    fn empty_packets_are_refused() {
        let random = |min, max| {
            Traffic::Random {
                packets: 1,
                min,
                max,
                seed: 1,
            }
            .into_source()
        };
        assert!(random(0, 5).is_err());
        assert!(random(6, 5).is_err());
        assert!(random(1, MAX_PACKET + 1).is_err());
        assert!(random(1, 1).is_ok());
        assert!(
            Traffic::Packets(vec![vec![1], vec![]])
                .into_source()
                .is_err()
        );
    }
}
