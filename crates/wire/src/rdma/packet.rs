// SPDX-License-Identifier: Apache-2.0
//! Packets between two engines: a header of 16 bytes, up to 1024 bytes of payload, a footer of 16
//! bytes. Fields lie in 64-bit words with the low byte first.
//!
//! | header word | bits | field |
//! |---|---|---|
//! | 0 | 63:0 | address: where the payload goes; bits 63:48 are the node that the packet goes to |
//! | 1 | 3:0 | kind: 0 data, 1 message, 2 control, 3 ACK, 4 NACK, 5 read request |
//! | | 13:4 | transaction (TID) |
//! | | 27:14 | sequence number |
//! | | 31:28 | epoch of the sender: changes when it is reset |
//! | | 47:32 | node of the sender |
//! | | 63:48 | protection domain |
//!
//! | footer word | bits | field |
//! |---|---|---|
//! | 0 | 10:0 | bytes of payload |
//! | | 16:11 | packet of its block |
//! | | 22:17 | last packet of its block |
//! | | 23 | notify: the last block of a transfer, and a control packet follows |
//! | | 24 | managed: the block belongs to a flow, which is TID / 4 |
//! | | 28:25 | tries: how often the same was sent before, under the sequence numbers in front of this one |
//! | | 42:32 | transfer: the channel at the sender |
//! | | 43, 47:44 | data of a read: this bit, and the epoch of the node that asked |
//! | 1 | 21:0 | QoS |
//! | | 22 | marked: the network sets it where packets have to wait |
//! | | 23 | echo, in an ACK: a packet of what it answers was marked |
//! | | 63:32 | CRC-32C of everything before it, with 0 for bit 22 |
//!
//! All other bits are zero. How packets lie in words of the network is their framing, in words
//! ([`super::words`]) or packed ([`super::packed`]): both have the length and a mark of their own
//! where the header has the domain here, the domain in the footer, and the CRC of that. A block is
//! cut from its first byte on, so all packets but the last have 1024 bytes. An answer (ACK, NACK)
//! has the transaction, sequence number and epoch of what it answers.
//!
//! Payload of a control packet: word 0 is the value to be written at `address`; word 1 has the
//! transaction (9:0) and sequence number (23:10) of the block that must be there first, and bit 24
//! says that there is one. Bit 25: a read of the receiver is over, whose request had the
//! transaction, sequence number and epoch (42:39) here; its channel is 36:26, and 37 says that it
//! failed; bit 38: no value is written. Payload of a read request: the first line of the
//! descriptor.

use super::descriptor::MAX_QOS;
use super::flow::TIDS;
use super::sequence::Sequence;
use thiserror::Error;

/// Bytes of a header.
pub const HEADER: usize = 16;
/// Bytes of a footer.
pub const FOOTER: usize = 16;
/// Bytes of payload that a packet carries.
pub const MAX_PAYLOAD: usize = 1024;
/// Packets of a block.
pub const MAX_PACKETS: u8 = 64;
/// Channels of an engine: transfers.
pub const MAX_TRANSFERS: u16 = 2048;
/// Tries of a block.
pub const MAX_TRIES: u8 = 16;
/// Epochs of an engine.
pub const EPOCHS: u8 = 16;

/// What a packet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Part of a block.
    Data,
    /// A transfer whose data were in its descriptor.
    Message,
    /// Makes the notification of a transfer.
    Control,
    /// The block, message, control packet or request is taken.
    Ack,
    /// It is not, and will not be.
    Nack,
    /// Asks for a transfer to the sender.
    ReadRequest,
}

const KINDS: [Kind; 6] = [
    Kind::Data,
    Kind::Message,
    Kind::Control,
    Kind::Ack,
    Kind::Nack,
    Kind::ReadRequest,
];

/// The front of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Node and place that the payload goes to.
    pub address: u64,
    /// What the packet is.
    pub kind: Kind,
    /// Transaction, below 1024.
    pub tid: u16,
    /// Which use of the transaction.
    pub sequence: Sequence,
    /// Which life of the sender, below 16.
    pub epoch: u8,
    /// Who sends.
    pub source: u16,
    /// For whom: the domain that the memory must belong to.
    pub domain: u16,
}

/// The end of a packet, without its CRC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Footer {
    /// Packet of its block, below 64.
    pub index: u8,
    /// Last packet of its block, below 64.
    pub last: u8,
    /// Last block of a transfer with notification.
    pub notify: bool,
    /// The block belongs to a flow.
    pub managed: bool,
    /// How often the same was sent before, below 16.
    pub tries: u8,
    /// Channel at the sender, below 2048.
    pub transfer: u16,
    /// Data of a read: epoch of the node that asked, below 16.
    pub asked: Option<u8>,
    /// For the network, below 2^22.
    pub qos: u32,
    /// Set by the network: it had to wait. No CRC protects it.
    pub marked: bool,
    /// In an ACK: a packet of what it answers was marked.
    pub echo: bool,
}

/// A whole packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    /// Front.
    pub header: Header,
    /// 0 to 1024 bytes.
    pub payload: Vec<u8>,
    /// End.
    pub footer: Footer,
}

/// What is wrong with a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PacketError {
    /// No packet has this number of bytes.
    #[error("{0} bytes: a packet has 32 to 1056")]
    Length(usize),
    /// Damaged.
    #[error("CRC {found:#010x}: the bytes give {expected:#010x}")]
    Crc {
        /// What the footer says.
        found: u32,
        /// What it should say.
        expected: u32,
    },
    /// A number that does not fit its field or has no meaning.
    #[error("{what} {value}: accepted are 0 to {most}")]
    Value {
        /// Which field.
        what: &'static str,
        /// Its value.
        value: u64,
        /// Its greatest legal value.
        most: u64,
    },
    /// The payload is not as long as the footer says.
    #[error("payload size {found}: the packet holds {expected} bytes")]
    Size {
        /// What the footer says.
        found: usize,
        /// What is there.
        expected: usize,
    },
    /// Only data can be what a read asked for.
    #[error("data of a read in a packet of kind {0:?}: only Data has them")]
    AskedForOther(Kind),
    /// Only an ACK tells of marks.
    #[error("echo of a mark in a packet of kind {0:?}: only Ack has it")]
    EchoInOther(Kind),
    /// Bits that are zero in every packet.
    #[error("reserved bits {0:#x} in the footer: accepted is 0")]
    Reserved(u64),
}

const RESERVED: u64 = !0xff_ffff & !(0x1f << 24) & !(0x7ff << 32) & !(0x1f << 43);
const ASKED: u64 = 1 << 43;
const ASKED_EPOCH: u64 = 15 << 44;
const RESERVED_QOS: u64 = 0xff00_0000;
const MARKED: u32 = 1 << 22;
const ECHO: u32 = 1 << 23;

fn at_most(what: &'static str, value: u64, most: u64) -> Result<u64, PacketError> {
    if value > most {
        return Err(PacketError::Value { what, value, most });
    }
    Ok(value)
}

fn word(bytes: &[u8], index: usize) -> u64 {
    u64::from_le_bytes(core::array::from_fn(|i| bytes[8 * index + i]))
}

/// Byte of the footer that has the mark, and the mark in it.
const MARK: (usize, u8) = (10, (MARKED >> 16) as u8);

/// Marks a packet as a network does where packets have to wait. `footer` begins with the footer.
///
/// # Panics
/// It is shorter than that.
pub fn mark(footer: &mut [u8]) {
    let (byte, bit) = MARK;
    footer[byte] |= bit;
}

/// CRC of all of a packet but itself; the mark counts as 0.
fn crc_of(packet: &[u8]) -> u32 {
    let (front, end) = packet.split_at(packet.len() - FOOTER);
    let mut footer: [u8; FOOTER - 4] = core::array::from_fn(|i| end[i]);
    footer[MARK.0] &= !MARK.1;
    let mut digest = crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc32Iscsi);
    digest.update(front);
    digest.update(&footer);
    digest.finalize() as u32
}

/// Puts it into its place.
fn seal(packet: &mut [u8]) {
    let crc = crc_of(packet);
    let end = packet.len() - 4;
    packet[end..].copy_from_slice(&crc.to_le_bytes());
}

/// Where a framing has its mark and the length in a header, and the domain in a footer.
pub(super) const LENGTH: core::ops::Range<usize> = 14..16;
const DOMAIN: core::ops::Range<usize> = 6..8;

impl Header {
    fn words(&self) -> Result<[u64; 2], PacketError> {
        let kind = KINDS.iter().position(|&k| k == self.kind).unwrap_or(0) as u64;
        let tid = at_most("TID", self.tid.into(), u64::from(TIDS) - 1)?;
        let epoch = at_most("epoch", self.epoch.into(), u64::from(EPOCHS) - 1)?;
        let second = kind
            | tid << 4
            | u64::from(self.sequence.value()) << 14
            | epoch << 28
            | u64::from(self.source) << 32
            | u64::from(self.domain) << 48;
        Ok([self.address, second])
    }

    fn read(bytes: &[u8]) -> Result<Self, PacketError> {
        let second = word(bytes, 1);
        let kind = at_most("kind", second & 15, KINDS.len() as u64 - 1)?;
        Ok(Header {
            address: word(bytes, 0),
            kind: KINDS[kind as usize],
            tid: (second >> 4) as u16 & 0x3ff,
            sequence: Sequence::new((second >> 14) as u16),
            epoch: (second >> 28) as u8 & 15,
            source: (second >> 32) as u16,
            domain: (second >> 48) as u16,
        })
    }
}

impl Footer {
    fn words(&self, payload: usize) -> Result<[u64; 2], PacketError> {
        let most = u64::from(MAX_PACKETS) - 1;
        let first = at_most("payload size", payload as u64, MAX_PAYLOAD as u64)?
            | at_most("packet", self.index.into(), most)? << 11
            | at_most("last packet", self.last.into(), most)? << 17
            | u64::from(self.notify) << 23
            | u64::from(self.managed) << 24
            | at_most("tries", self.tries.into(), u64::from(MAX_TRIES) - 1)? << 25
            | at_most(
                "transfer",
                self.transfer.into(),
                u64::from(MAX_TRANSFERS) - 1,
            )? << 32
            | match self.asked {
                Some(epoch) => {
                    ASKED
                        | at_most("epoch of who asked", epoch.into(), u64::from(EPOCHS) - 1)? << 44
                }
                None => 0,
            };
        at_most("packet", self.index.into(), self.last.into())?;
        let qos = at_most("QoS", self.qos.into(), u64::from(MAX_QOS) - 1)?;
        let marks =
            (u64::from(MARKED) * u64::from(self.marked)) | (u64::from(ECHO) * u64::from(self.echo));
        Ok([first, qos | marks])
    }

    fn read(bytes: &[u8], payload: usize) -> Result<Self, PacketError> {
        let (first, second) = (word(bytes, 0), word(bytes, 1));
        let asked = (first & ASKED != 0).then_some((first >> 44) as u8 & 15);
        let mut reserved = first & RESERVED | second & RESERVED_QOS;
        if asked.is_none() {
            reserved |= first & ASKED_EPOCH;
        }
        if reserved != 0 {
            return Err(PacketError::Reserved(reserved));
        }
        let (found, expected) = (first as usize & 0x7ff, payload);
        if found != expected {
            return Err(PacketError::Size { found, expected });
        }
        let footer = Footer {
            index: (first >> 11) as u8 & 63,
            last: (first >> 17) as u8 & 63,
            notify: first >> 23 & 1 != 0,
            managed: first >> 24 & 1 != 0,
            tries: (first >> 25) as u8 & 15,
            transfer: (first >> 32) as u16 & 0x7ff,
            asked,
            qos: second as u32 & (MAX_QOS - 1),
            marked: second as u32 & MARKED != 0,
            echo: second as u32 & ECHO != 0,
        };
        at_most("packet", footer.index.into(), footer.last.into())?;
        Ok(footer)
    }
}

impl Packet {
    /// The bytes of the packet, one behind the other.
    ///
    /// # Errors
    /// A number that does not fit its field.
    pub fn encode(&self) -> Result<Vec<u8>, PacketError> {
        let header = self.header.words()?;
        let footer = self.footer.words(self.payload.len())?;
        self.check()?;
        let mut bytes = Vec::with_capacity(HEADER + self.payload.len() + FOOTER);
        header.iter().for_each(|w| bytes.extend(w.to_le_bytes()));
        bytes.extend(&self.payload);
        bytes.extend(footer[0].to_le_bytes());
        bytes.extend((footer[1] as u32).to_le_bytes());
        bytes.extend([0; 4]);
        seal(&mut bytes);
        Ok(bytes)
    }

    /// The packet that these bytes are.
    ///
    /// # Errors
    /// Why they are none.
    pub fn decode(bytes: &[u8]) -> Result<Self, PacketError> {
        let payload = bytes.len().checked_sub(HEADER + FOOTER);
        let Some(payload) = payload.filter(|&n| n <= MAX_PAYLOAD) else {
            return Err(PacketError::Length(bytes.len()));
        };
        let (front, footer) = bytes.split_at(HEADER + payload);
        let found = (word(footer, 1) >> 32) as u32;
        let expected = crc_of(bytes);
        if found != expected {
            return Err(PacketError::Crc { found, expected });
        }
        let packet = Packet {
            header: Header::read(front)?,
            payload: front[HEADER..].to_vec(),
            footer: Footer::read(footer, payload)?,
        };
        packet.check()?;
        Ok(packet)
    }

    /// The bytes as a framing has them.
    pub(super) fn encode_framed(&self, mark: u16) -> Result<Vec<u8>, PacketError> {
        let mut bytes = self.encode()?;
        let length = self.payload.len();
        bytes[LENGTH].copy_from_slice(&(mark | length as u16).to_le_bytes());
        bytes[HEADER + length..][DOMAIN].copy_from_slice(&self.header.domain.to_le_bytes());
        seal(&mut bytes);
        Ok(bytes)
    }

    /// The packet that such bytes are.
    pub(super) fn decode_framed(mut bytes: Vec<u8>) -> Result<Self, PacketError> {
        let at = bytes.len() - FOOTER;
        let found = (word(&bytes[at..], 1) >> 32) as u32;
        let expected = crc_of(&bytes);
        if found != expected {
            return Err(PacketError::Crc { found, expected });
        }
        bytes.copy_within(at + DOMAIN.start..at + DOMAIN.end, LENGTH.start);
        bytes[at..][DOMAIN].fill(0);
        seal(&mut bytes);
        Self::decode(&bytes)
    }

    fn check(&self) -> Result<(), PacketError> {
        if self.footer.asked.is_some() && self.header.kind != Kind::Data {
            return Err(PacketError::AskedForOther(self.header.kind));
        }
        if self.footer.echo && self.header.kind != Kind::Ack {
            return Err(PacketError::EchoInOther(self.header.kind));
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn crc(bytes: &[u8]) -> u32 {
        crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32Iscsi, bytes) as u32
    }

    /// A packet that carries data, as the tests of both framings take it.
    pub(in super::super) fn of_a_block(payload: Vec<u8>) -> Packet {
        Packet {
            header: Header {
                address: 0x0002_0000_1111_2222,
                kind: Kind::Data,
                tid: 0x2bc,
                sequence: Sequence::new(0x3001),
                epoch: 9,
                source: 0xcafe,
                domain: 0x1234,
            },
            payload,
            footer: Footer {
                index: 3,
                last: 3,
                tries: 5,
                transfer: 0x555,
                qos: 0x2a_aaaa,
                ..Footer::default()
            },
        }
    }

    fn packet() -> Packet {
        Packet {
            header: Header {
                address: 0x0002_0000_1111_2222,
                kind: Kind::Control,
                tid: 0x2bc,
                sequence: Sequence::new(0x3001),
                epoch: 9,
                source: 0xcafe,
                domain: 0x1234,
            },
            payload: (0..100).collect(),
            footer: Footer {
                index: 33,
                last: 63,
                notify: true,
                managed: true,
                tries: 5,
                transfer: 0x555,
                asked: None,
                qos: 0x2a_aaaa,
                marked: false,
                echo: false,
            },
        }
    }

    #[test]
    fn layout() {
        let bytes = packet().encode().unwrap();
        assert_eq!(bytes.len(), 132);
        assert_eq!(word(&bytes, 0), 0x0002_0000_1111_2222);
        let second = 0x1234 << 48 | 0xcafe << 32 | 9 << 28 | 0x3001 << 14 | 0x2bc << 4 | 2;
        assert_eq!(word(&bytes, 1), second);
        let footer = &bytes[116..];
        let flags = 5 << 25 | 1 << 24 | 1 << 23;
        assert_eq!(
            word(footer, 0),
            0x555 << 32 | flags | 63 << 17 | 33 << 11 | 100
        );
        assert_eq!(word(footer, 1) as u32, 0x2a_aaaa);
        let mut data = packet();
        data.header.kind = Kind::Data;
        data.footer.asked = Some(10);
        assert_eq!(word(&data.encode().unwrap()[116..], 0) >> 43, 10 << 1 | 1);
        assert_eq!(word(footer, 1) >> 32, u64::from(crc(&bytes[..128])));
        // The catalogue's check value of the code.
        assert_eq!(crc(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn numbers_that_do_not_fit() {
        let change = |f: &dyn Fn(&mut Packet)| {
            let mut packet = packet();
            f(&mut packet);
            packet.encode().unwrap_err()
        };
        let value = |what, value, most| PacketError::Value { what, value, most };
        assert_eq!(change(&|p| p.header.tid = 1024), value("TID", 1024, 1023));
        assert_eq!(change(&|p| p.header.epoch = 16), value("epoch", 16, 15));
        assert_eq!(
            change(&|p| p.footer.asked = Some(16)),
            value("epoch of who asked", 16, 15)
        );
        assert_eq!(
            change(&|p| p.footer.asked = Some(1)),
            PacketError::AskedForOther(Kind::Control)
        );
        assert_eq!(
            change(&|p| p.payload = vec![0; 1025]),
            value("payload size", 1025, 1024)
        );
        assert_eq!(
            change(&|p| p.footer.last = 64),
            value("last packet", 64, 63)
        );
        assert_eq!(change(&|p| p.footer.tries = 16), value("tries", 16, 15));
        assert_eq!(change(&|p| p.footer.index = 64), value("packet", 64, 63));
        assert_eq!(change(&|p| p.footer.last = 32), value("packet", 33, 32));
        assert_eq!(
            change(&|p| p.footer.transfer = 2048),
            value("transfer", 2048, 2047)
        );
        assert_eq!(
            change(&|p| p.footer.qos = MAX_QOS),
            value("QoS", 1 << 22, (1 << 22) - 1)
        );
    }

    #[test]
    fn damage_and_nonsense() {
        let good = packet().encode().unwrap();
        assert_eq!(Packet::decode(&good), Ok(packet()));
        // The mark of the network, of which the CRC knows nothing, and any other bit.
        let mut marked = good.clone();
        marked[126] ^= 1 << 6;
        let found = Packet::decode(&marked).unwrap();
        let mut wanted = packet();
        wanted.footer.marked = true;
        assert_eq!(found, wanted);
        assert_eq!(found.encode().unwrap(), marked);
        for i in 0..good.len() {
            let mut bad = good.clone();
            bad[i] ^= 1 << ((i + 1) % 8);
            assert!(
                matches!(Packet::decode(&bad), Err(PacketError::Crc { .. })),
                "byte {i}"
            );
        }
        for len in [0, 31, 1057] {
            assert_eq!(Packet::decode(&vec![0; len]), Err(PacketError::Length(len)));
        }
        let sealed = |at: usize, value: u8| {
            let mut bytes = good.clone();
            bytes[at] = value;
            seal(&mut bytes);
            Packet::decode(&bytes).unwrap_err()
        };
        let value = |what, value, most| PacketError::Value { what, value, most };
        assert_eq!(sealed(8, good[8] | 15), value("kind", 15, 5));
        let (found, expected) = (101, 100);
        assert_eq!(sealed(116, 101), PacketError::Size { found, expected });
        assert_eq!(sealed(123, 1), PacketError::Reserved(1 << 56));
        assert_eq!(sealed(127, 1), PacketError::Reserved(1 << 24));
        let echo = PacketError::EchoInOther(Kind::Control);
        assert_eq!(sealed(126, good[126] | 1 << 7), echo);
        assert_eq!(sealed(121, 0x15), PacketError::Reserved(1 << 44));
        let other = PacketError::AskedForOther(Kind::Control);
        assert_eq!(sealed(121, 0x0d), other);
        assert_eq!(sealed(118, 0b1000_0001), value("packet", 33, 0));
    }

    proptest! {
        #[test]
        fn there_and_back(
            address: u64, kind in 0..6usize, tid in 0..TIDS, sequence: u16, epoch in 0..EPOCHS, source: u16, domain: u16,
            payload in prop::collection::vec(any::<u8>(), 0..=MAX_PAYLOAD),
            index in 0..MAX_PACKETS, more in 0..MAX_PACKETS, transfer in 0..MAX_TRANSFERS, qos in 0..MAX_QOS,
            notify: bool, managed: bool, tries in 0..MAX_TRIES, asker in prop::option::of(0..EPOCHS), marked: bool,
            echo: bool,
        ) {
            let last = (index + more).min(MAX_PACKETS - 1);
            let sequence = Sequence::new(sequence);
            let header = Header { address, kind: KINDS[kind], tid, sequence, epoch, source, domain };
            let asked = asker.filter(|_| KINDS[kind] == Kind::Data);
            let echo = echo && KINDS[kind] == Kind::Ack;
            let footer = Footer { index, last, notify, managed, tries, transfer, asked, qos, marked, echo };
            let packet = Packet { header, payload, footer };
            prop_assert_eq!(Packet::decode(&packet.encode().unwrap()), Ok(packet));
        }

        #[test]
        fn any_bytes_are_survived(mut bytes in prop::collection::vec(any::<u8>(), 0..1100), sealed: bool) {
            if sealed && bytes.len() >= HEADER + FOOTER {
                seal(&mut bytes);
            }
            if let Ok(packet) = Packet::decode(&bytes) {
                prop_assert_eq!(packet.encode().unwrap(), bytes);
            }
        }
    }
}
