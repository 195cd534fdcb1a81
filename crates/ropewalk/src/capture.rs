// SPDX-License-Identifier: Apache-2.0
//! Ethernet frames out of capture files, pcap and pcapng.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use pcap_parser::traits::PcapNGPacketBlock;
use pcap_parser::{Block, Linktype, PcapBlockOwned, PcapError, create_reader};

use crate::failure::Failure;

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

/// What a pcapng file says of an interface.
struct Interface {
    ethernet: bool,
    /// Ticks per second.
    resolution: u64,
}

/// What a pcapng file begins with, in either order of bytes.
const SECTION: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

/// Whether these are no length of a block, in either order of bytes: shorter than what every block has, or of the other order and longer than
/// [`BLOCK`]. The parser takes that of some blocks as it comes.
fn is_impossible(length: &[u8]) -> bool {
    let length = length.try_into().expect("four bytes");
    u32::from_le_bytes(length).min(u32::from_be_bytes(length)) < 12
}

/// Calls `take` with every Ethernet frame of a file, in order. Packets of other links count, and are left out.
///
/// # Errors
/// The file cannot be read, or is not a capture, or ends in the middle of a block.
pub fn read(path: &Path, take: impl FnMut(Packet)) -> Result<(), Failure> {
    let file = File::open(path).map_err(|error| Failure::read(path, error))?;
    read_from(file, path, take)
}

/// The same of anything that can be read; `path` is what messages call it.
///
/// # Errors
/// As [`read`].
pub fn read_from(
    file: impl Read + Send,
    path: &Path,
    mut take: impl FnMut(Packet),
) -> Result<(), Failure> {
    let mut interfaces = Vec::new();
    let mut nanoseconds = false;
    let mut number = 0;
    let refused = |what: &str| Failure::BadInput(format!("{}: {what}", path.display()));
    let no_capture = || refused("is not a capture; accepted are pcap and pcapng files");
    let mut reader = create_reader(BLOCK, file).map_err(|_| no_capture())?;
    let blocks = reader.data().starts_with(&SECTION);
    loop {
        if blocks && reader.data().get(4..8).is_some_and(is_impossible) {
            return Err(refused(&format!("is damaged behind packet {number}")));
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
                reader
                    .refill()
                    .map_err(|_| refused("cannot be read to its end"))?;
                continue;
            }
            Err(PcapError::UnexpectedEof) => {
                return Err(refused(&format!(
                    "ends in the middle of a block, behind packet {number}"
                )));
            }
            Err(PcapError::BufferTooSmall) => {
                return Err(refused(&format!(
                    "a block behind packet {number} is longer than the {BLOCK} bytes that are accepted"
                )));
            }
            Err(_) => return Err(refused(&format!("is damaged behind packet {number}"))),
        };
        reader.consume(used);
    }
}
