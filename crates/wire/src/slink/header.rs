// SPDX-License-Identifier: Apache-2.0
//! The header of every packet.
//!
//! | bits | field | note |
//! |---|---|---|
//! | 0 | request type | 0 write, 1 read |
//! | 1 | sequence number, bit 3 | reserved in the paper |
//! | 3:2 | packet type | 0 request, 1 read data, 2 done, 3 notice |
//! | 4 | CRC enable | |
//! | 7:5 | lanes | 0, 1, 2: x1, x2, x4 |
//! | 23:8 | length | in words of 8 bytes; 0 is 65 536 |
//! | 31:24 | CRC-8 of the other seven bytes | reserved in the paper |
//! | 34:32 | sequence number, bits 2:0 | zero in an aligned address |
//! | 63:35 | remote address, bits 31:3 | or what a notice says |
//!
//! It is sent low byte first.

use super::crc::crc8;
use crate::line::Lanes;

/// Most words of 8 bytes in a packet: 512 KB.
pub const MAX_WORDS: u32 = 1 << 16;
/// Sequence numbers are below this.
pub const SEQUENCES: u8 = 16;
/// Session numbers are below this.
pub const SESSIONS: u16 = 1 << 12;

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Request {
    /// Data to the remote memory.
    Write,
    /// Data from there.
    Read,
}

/// What a receiver has to tell beside "done".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Notice {
    /// The packet was damaged: send it again.
    Damaged,
    /// The address is outside the window that the end allows. It will not change its mind.
    Window,
    /// The start of a session: this end's number and the number of the other end, as far as it is
    /// known.
    Hello {
        /// Of the sender.
        own: u16,
        /// Of the other end. In front of [`Greeting::Heard`] it is zero or of the past.
        echo: u16,
        /// How far the sender is.
        greeting: Greeting,
    },
    /// About a change of the line's mode.
    Change {
        /// Session of the sender.
        own: u16,
        /// Session of the other end.
        echo: u16,
        /// What is said.
        message: Message,
        /// What it is about.
        matter: Matter,
    },
}

/// How far the sender of a hello is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Greeting {
    /// It has not heard the other end in its session.
    First,
    /// It has heard the other end.
    Heard,
    /// It has also heard its own number come back: it asks for no answer.
    Up,
}

/// What is said about a change of the line's mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Message {
    /// The sender wants the mode.
    Ask,
    /// Heard; operations of the sender are under way.
    Wait,
    /// The sender changes when its lanes fall silent.
    Agree,
    /// The sender has no such mode.
    Refuse,
}

impl Message {
    /// All of them, in the order of their codes.
    pub const ALL: [Self; 4] = [Self::Ask, Self::Wait, Self::Agree, Self::Refuse];
}

/// What a message about a change is about: it stands in the place of the length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Matter {
    /// Number of the question, below 16.
    pub number: u8,
    /// The mode, as [`super::LineMode::bits`] has it, below 64. Others than these are heard and
    /// refused.
    pub line: u8,
}

/// What kind of packet it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An operation begins; a write carries its data.
    Request {
        /// Remote address in bytes, a multiple of 8.
        address: u32,
    },
    /// What was read.
    Data {
        /// The address it was read from.
        address: u32,
    },
    /// The operation is complete, the data have been found good.
    Done,
    /// See [`Notice`].
    Notice(Notice),
}

/// A header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Header {
    /// Write or read, also in the answers to them.
    pub request: Request,
    /// Kind of packet.
    pub kind: Kind,
    /// Check codes behind the data, and an answer to them.
    pub crc: bool,
    /// Lanes of this packet.
    pub lanes: Lanes,
    /// Words of 8 bytes, 1 to [`MAX_WORDS`]; in packets without data those of the operation, in
    /// [`Notice::Change`] 1, and not sent.
    pub words: u32,
    /// Number of the operation, below [`SEQUENCES`].
    pub sequence: u8,
}

/// Why 64 bits are no header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum HeaderError {
    /// Some bits are wrong.
    #[error("the check code of header {0:016x} is wrong")]
    Code(u64),
    /// There are three numbers of lanes.
    #[error("the header's lanes field is {0}, must be 0, 1 or 2")]
    Lanes(u8),
    /// There are a few notices.
    #[error("the header's notice is {0}, must be 0, 1, 8 to 10 or 16 to 19")]
    Notice(u8),
}

const DAMAGED: u8 = 0;
const WINDOW: u8 = 1;
const HELLO: u8 = 8;
const HELLO_HEARD: u8 = 9;
const HELLO_UP: u8 = 10;
/// The first one of [`Message`].
const CHANGE: u8 = 16;
const LAST_CHANGE: u8 = CHANGE + 3;

impl Header {
    /// Whether data follow.
    #[must_use]
    pub const fn has_data(self) -> bool {
        match self.kind {
            Kind::Request { .. } => matches!(self.request, Request::Write),
            Kind::Data { .. } => true,
            Kind::Done | Kind::Notice(_) => false,
        }
    }

    /// Whether the operation has a number and is answered: all but writes without CRC.
    #[must_use]
    pub const fn is_numbered(self) -> bool {
        self.crc || matches!(self.request, Request::Read)
    }

    /// The 64 bits.
    #[must_use]
    pub fn to_bits(self) -> u64 {
        let (kind, high) = match self.kind {
            Kind::Request { address } => (0, address),
            Kind::Data { address } => (1, address),
            Kind::Done => (2, 0),
            Kind::Notice(notice) => {
                let (code, own, echo) = match notice {
                    Notice::Damaged => (DAMAGED, 0, 0),
                    Notice::Window => (WINDOW, 0, 0),
                    Notice::Hello {
                        own,
                        echo,
                        greeting,
                    } => (HELLO + greeting as u8, own, echo),
                    Notice::Change {
                        own, echo, message, ..
                    } => (CHANGE + message as u8, own, echo),
                };
                let session = |number: u16| u32::from(number % SESSIONS);
                (
                    3,
                    u32::from(code) << 3 | session(own) << 8 | session(echo) << 20,
                )
            }
        };
        let low = u32::from(matches!(self.request, Request::Read))
            | u32::from(self.sequence >> 3 & 1) << 1
            | kind << 2
            | u32::from(self.crc) << 4
            | (self.lanes as u32) << 5
            | self.length() << 8;
        let high = high & !7 | u32::from(self.sequence & 7);
        let bits = u64::from(high) << 32 | u64::from(low);
        bits | u64::from(code_of(bits)) << 24
    }

    /// The field of 16 bits.
    const fn length(self) -> u32 {
        match self.kind {
            Kind::Notice(Notice::Change { matter, .. }) => {
                (matter.line % 64) as u32 | ((matter.number % 16) as u32) << 12
            }
            _ => self.words % MAX_WORDS,
        }
    }

    /// The header of 64 bits.
    ///
    /// # Errors
    /// If the code is wrong, or a field has a value without a meaning.
    pub fn from_bits(bits: u64) -> Result<Self, HeaderError> {
        let [low, _, _, code, ..] = bits.to_le_bytes();
        if code != code_of(bits) {
            return Err(HeaderError::Code(bits));
        }
        let high = (bits >> 32) as u32;
        let address = high & !7;
        let length = (bits >> 8) as u16;
        let (own, echo) = (
            (high >> 8) as u16 % SESSIONS,
            (high >> 20) as u16 % SESSIONS,
        );
        let kind = match low >> 2 & 3 {
            0 => Kind::Request { address },
            1 => Kind::Data { address },
            2 => Kind::Done,
            _ => Kind::Notice(match (high >> 3 & 31) as u8 {
                DAMAGED => Notice::Damaged,
                WINDOW => Notice::Window,
                code @ (HELLO | HELLO_HEARD | HELLO_UP) => Notice::Hello {
                    own,
                    echo,
                    greeting: match code {
                        HELLO => Greeting::First,
                        HELLO_HEARD => Greeting::Heard,
                        _ => Greeting::Up,
                    },
                },
                code @ CHANGE..=LAST_CHANGE => Notice::Change {
                    own,
                    echo,
                    message: Message::ALL[usize::from(code - CHANGE)],
                    matter: Matter {
                        number: (length >> 12) as u8,
                        line: length as u8 % 64,
                    },
                },
                other => return Err(HeaderError::Notice(other)),
            }),
        };
        let lanes = match low >> 5 {
            0 => Lanes::X1,
            1 => Lanes::X2,
            2 => Lanes::X4,
            other => return Err(HeaderError::Lanes(other)),
        };
        Ok(Header {
            request: if low & 1 == 0 {
                Request::Write
            } else {
                Request::Read
            },
            kind,
            crc: low >> 4 & 1 == 1,
            lanes,
            words: match (kind, length) {
                (Kind::Notice(Notice::Change { .. }), _) => 1,
                (_, 0) => MAX_WORDS,
                (_, words) => u32::from(words),
            },
            sequence: (low >> 1 & 1) << 3 | (high & 7) as u8,
        })
    }
}

/// The code of the seven bytes around it.
fn code_of(bits: u64) -> u8 {
    let bytes = bits.to_le_bytes();
    crc8(
        bytes
            .into_iter()
            .enumerate()
            .filter(|&(i, _)| i != 3)
            .map(|(_, byte)| byte),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers() -> Vec<Header> {
        let hello = |echo, greeting| Notice::Hello {
            own: 0xabc,
            echo,
            greeting,
        };
        let kinds = [
            Kind::Request {
                address: 0xffff_fff8,
            },
            Kind::Data { address: 8 },
            Kind::Done,
            Kind::Notice(Notice::Damaged),
            Kind::Notice(Notice::Window),
            Kind::Notice(hello(0x321, Greeting::First)),
            Kind::Notice(hello(0x123, Greeting::Heard)),
            Kind::Notice(hello(0xfff, Greeting::Up)),
        ];
        let mut all = Vec::new();
        for kind in kinds {
            for (i, lanes) in Lanes::ALL.into_iter().enumerate() {
                all.push(Header {
                    request: if i == 1 {
                        Request::Read
                    } else {
                        Request::Write
                    },
                    kind,
                    crc: i != 1,
                    lanes,
                    words: [1, 65_535, MAX_WORDS][i],
                    sequence: [0, 9, 15][i],
                });
            }
        }
        all
    }

    #[test]
    fn every_field_comes_back() {
        for header in headers() {
            assert_eq!(Header::from_bits(header.to_bits()), Ok(header));
        }
    }

    #[test]
    fn fields_are_where_the_paper_has_them() {
        // A write of 64 words in CRC mode over four lanes, to 0x1234_5678, as the published program
        // writes it.
        let header = Header {
            request: Request::Write,
            kind: Kind::Request {
                address: 0x1234_5678,
            },
            crc: true,
            lanes: Lanes::X4,
            words: 64,
            sequence: 0,
        };
        let program = (2 << 5) + (1 << 4) + (64 << 8);
        assert_eq!(header.to_bits() & 0x00ff_ffff, program);
        assert_eq!(header.to_bits() >> 32, 0x1234_5678);
    }

    /// Bits as `slink_switch` puts them together: `beats` and `address` of `header_t`.
    #[test]
    fn messages_about_a_change_are_where_the_core_has_them() {
        for (code, message) in (16..).zip(Message::ALL) {
            for line in 0..64 {
                let number = (line % 16) ^ 5;
                let header = Header {
                    request: Request::Write,
                    kind: Kind::Notice(Notice::Change {
                        own: 0xabc,
                        echo: 0x123,
                        message,
                        matter: Matter { number, line },
                    }),
                    crc: true,
                    lanes: Lanes::X1,
                    words: 1,
                    sequence: 0,
                };
                let beats = u64::from(number) << 12 | u64::from(line);
                let address: u64 = 0x123 << 17 | 0xabc << 5 | code;
                let bits = address << 35 | beats << 8 | 1 << 4 | 3 << 2;
                assert_eq!(header.to_bits() & !(255 << 24), bits);
                assert_eq!(Header::from_bits(header.to_bits()), Ok(header));
            }
        }
        for code in [2, 7, 11, 15, 20, 31] {
            let bits = u64::from(code) << 35 | 1 << 8 | 3 << 2;
            let bits = bits | u64::from(code_of(bits)) << 24;
            assert_eq!(Header::from_bits(bits), Err(HeaderError::Notice(code)));
        }
    }

    #[test]
    fn one_two_or_three_wrong_bits_are_seen() {
        let bits = headers()[0].to_bits();
        let wrong = |mask: u64| matches!(Header::from_bits(bits ^ mask), Err(HeaderError::Code(_)));
        for a in 0..64 {
            assert!(wrong(1 << a));
            for b in 0..a {
                assert!(wrong(1 << a | 1 << b));
                for c in 0..b {
                    assert!(wrong(1 << a | 1 << b | 1 << c));
                }
            }
        }
    }
}
