// SPDX-License-Identifier: Apache-2.0
//! Ethernet frames out of capture files, pcap and pcapng, and the UDP datagrams in them.

use std::io::Read;
use std::net::{IpAddr, SocketAddr};

use etherparse::{LaxNetSlice, LaxSlicedPacket, TransportSlice};
use pcap_parser::traits::PcapNGPacketBlock;
use pcap_parser::{Block, Linktype, PcapBlockOwned, PcapError, create_reader};
use thiserror::Error;

/// Room for the longest block of a file.
const BLOCK: usize = 1 << 20;

/// A frame as it was captured.
#[derive(Debug, Clone, Copy)]
pub struct Packet<'a> {
    /// Its place in the file, from 1.
    pub number: u64,
    /// Its time, if the file has one.
    pub time_ns: Option<u64>,
    /// From the destination address on, as much as was captured.
    pub bytes: &'a [u8],
    /// Length on the line, without preamble.
    pub length: usize,
}

/// A UDP datagram as it was captured.
#[derive(Debug, Clone, Copy)]
pub struct Datagram<'a> {
    /// Where it comes from.
    pub source: SocketAddr,
    /// Where it goes.
    pub destination: SocketAddr,
    /// As much of what it carries as was captured.
    pub payload: &'a [u8],
}

impl<'a> Packet<'a> {
    /// The UDP datagram that it is, over IPv4 or IPv6, with tags of VLANs or without. A fragment is
    /// none.
    #[must_use]
    pub fn datagram(&self) -> Option<Datagram<'a>> {
        let sliced = LaxSlicedPacket::from_ethernet(self.bytes).ok()?;
        let (from, to): (IpAddr, IpAddr) = match sliced.net? {
            LaxNetSlice::Ipv4(it) => {
                let header = it.header();
                (
                    header.source_addr().into(),
                    header.destination_addr().into(),
                )
            }
            LaxNetSlice::Ipv6(it) => {
                let header = it.header();
                (
                    header.source_addr().into(),
                    header.destination_addr().into(),
                )
            }
            LaxNetSlice::Arp(_) => return None,
        };
        let TransportSlice::Udp(udp) = sliced.transport? else {
            return None;
        };
        Some(Datagram {
            source: SocketAddr::new(from, udp.source_port()),
            destination: SocketAddr::new(to, udp.destination_port()),
            payload: udp.payload(),
        })
    }
}

/// What a pcapng file says of an interface.
struct Interface {
    ethernet: bool,
    /// Ticks per second.
    resolution: u64,
}

/// What a pcapng file begins with, in either order of bytes.
const SECTION: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

/// Whether these are no length of a block, in either order of bytes: shorter than what every block
/// has, or of the other order and longer than [`BLOCK`]. The parser takes that of some blocks as it
/// comes.
fn is_impossible(length: &[u8]) -> bool {
    let length = length.try_into().expect("four bytes");
    u32::from_le_bytes(length).min(u32::from_be_bytes(length)) < 12
}

/// What is wrong with a capture. Packets are counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// It begins as neither kind of file does.
    #[error("is not a capture; accepted are pcap and pcapng files")]
    NoCapture,
    /// Something behind a packet is no block.
    #[error("is damaged behind packet {0}")]
    Damaged(u64),
    /// It ends too early.
    #[error("ends in the middle of a block, behind packet {0}")]
    Short(u64),
    /// A block does not fit the memory for it.
    #[error("a block behind packet {0} is longer than the {BLOCK} bytes that are accepted")]
    Long(u64),
    /// Reading failed.
    #[error("cannot be read to its end")]
    Read,
}

/// Calls `take` with every Ethernet frame of a capture file, in order. Packets of other links
/// count, and are left out.
///
/// # Errors
/// The file cannot be read, or is not a capture, or ends in the middle of a block.
pub fn read(file: impl Read + Send, mut take: impl FnMut(Packet)) -> Result<(), CaptureError> {
    let mut interfaces = Vec::new();
    let mut nanoseconds = false;
    let mut number = 0;
    let mut reader = create_reader(BLOCK, file).map_err(|_| CaptureError::NoCapture)?;
    let blocks = reader.data().starts_with(&SECTION);
    loop {
        if blocks && reader.data().get(4..8).is_some_and(is_impossible) {
            return Err(CaptureError::Damaged(number));
        }
        let used = match reader.next() {
            Ok((used, block)) => {
                match block {
                    PcapBlockOwned::LegacyHeader(header) => {
                        nanoseconds = header.is_nanosecond_precision();
                        interfaces = vec![Interface {
                            ethernet: header.network == Linktype::ETHERNET,
                            resolution: 0,
                        }];
                    }
                    PcapBlockOwned::Legacy(packet) => {
                        number += 1;
                        let fraction = u64::from(packet.ts_usec);
                        let fraction = if nanoseconds {
                            fraction
                        } else {
                            1000 * fraction
                        };
                        if interfaces.first().is_some_and(|it| it.ethernet) {
                            take(Packet {
                                number,
                                time_ns: Some(u64::from(packet.ts_sec) * 1_000_000_000 + fraction),
                                bytes: packet.data,
                                length: packet.origlen as usize,
                            });
                        }
                    }
                    PcapBlockOwned::NG(Block::SectionHeader(_)) => interfaces.clear(),
                    PcapBlockOwned::NG(Block::InterfaceDescription(it)) => {
                        interfaces.push(Interface {
                            ethernet: it.linktype == Linktype::ETHERNET,
                            resolution: it.ts_resolution().unwrap_or(0),
                        });
                    }
                    PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
                        number += 1;
                        let it = interfaces.get(packet.if_id as usize);
                        if let Some(it) = it.filter(|it| it.ethernet) {
                            let ticks =
                                u128::from(packet.ts_high) << 32 | u128::from(packet.ts_low);
                            let ns = (ticks * 1_000_000_000).checked_div(u128::from(it.resolution));
                            take(Packet {
                                number,
                                time_ns: ns.and_then(|ns| u64::try_from(ns).ok()),
                                bytes: packet.packet_data(),
                                length: packet.origlen as usize,
                            });
                        }
                    }
                    PcapBlockOwned::NG(Block::SimplePacket(packet)) => {
                        number += 1;
                        if interfaces.first().is_some_and(|it| it.ethernet) {
                            take(Packet {
                                number,
                                time_ns: None,
                                bytes: packet.packet_data(),
                                length: packet.origlen as usize,
                            });
                        }
                    }
                    PcapBlockOwned::NG(_) => {}
                }
                used
            }
            Err(PcapError::Eof) => return Ok(()),
            Err(PcapError::Incomplete(_)) => {
                reader.refill().map_err(|_| CaptureError::Read)?;
                continue;
            }
            Err(PcapError::UnexpectedEof) => {
                return Err(CaptureError::Short(number));
            }
            Err(PcapError::BufferTooSmall) => {
                return Err(CaptureError::Long(number));
            }
            Err(_) => return Err(CaptureError::Damaged(number)),
        };
        reader.consume(used);
    }
}
