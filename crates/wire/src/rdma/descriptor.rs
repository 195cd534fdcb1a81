// SPDX-License-Identifier: Apache-2.0
//! Transfer descriptors: what a user writes into a channel. One line of 32 bytes, or two; a line is
//! four words of 64 bits, low byte first.
//!
//! | word | bits | field |
//! |---|---|---|
//! | 0 | 31:0 | size in bytes, 1 to 2^32 - 1 |
//! | | 35:32 | intra-priority, 0 first |
//! | | 37:36 | class: 0 small, 1 one path, 2 four paths |
//! | | 38 | inline: the descriptor holds the data |
//! | | 39 | notify: tell the destination when all is there |
//! | | 40 | long: a second line follows |
//! | | 41 | read: the data come from the other node |
//! | | 63:42 | QoS, handed on to the network |
//! | 1 | 63:0 | destination |
//! | 2 | 63:0 | source; of an inline message of up to 8 bytes the data, byte 0 low |
//! | 3 | 63:0 | notification address, a multiple of 8, at the node of the destination |
//! | 4-7 | | inline: data of a message of 9 to 32 bytes. Others: word 4 is the notification value, the rest is not looked at |
//!
//! An address is a node (bits 63:48) and a byte there (47:0). A notification writes 8 bytes: the
//! value, or without a second line the size in bits 31:0, the transfer in 42:32 and the node of the
//! sender in 63:48.

use thiserror::Error;

/// Bytes of a line, the entry of a channel in the transfer table.
pub const LINE: usize = 32;
/// Bytes that a message of one line holds.
pub const SHORT_MESSAGE: usize = 8;
/// Bytes that a message of two lines holds.
pub const LONG_MESSAGE: usize = 32;
/// Intra-priorities that a descriptor can name.
pub const MAX_PRIORITIES: u8 = 16;
/// Bits of an address within a node.
pub const NODE_BITS: u32 = 48;
/// QoS values are below this.
pub const MAX_QOS: u32 = 1 << 22;

/// How a transfer is scheduled and which way it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// No flow: served before all others, any path.
    Small,
    /// One flow, so one path and one rate.
    OnePath,
    /// Four flows, on paths of their own.
    FourPaths,
}

/// What is to be moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// Own memory to the destination.
    Write {
        /// First byte here.
        source: u64,
        /// Bytes.
        size: u32,
    },
    /// Memory of another node to the destination, which is here.
    Read {
        /// First byte there.
        source: u64,
        /// Bytes.
        size: u32,
    },
    /// These bytes, 1 to 32, to the destination.
    Inline(Vec<u8>),
}

/// What the destination is told when everything has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notification {
    /// Where 8 bytes are written.
    pub address: u64,
    /// What is written; without it a value of the engine. An inline message has no room for it, nor
    /// has the request of a read.
    pub value: Option<u64>,
}

/// A transfer, as its user describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descriptor {
    /// What is moved.
    pub work: Work,
    /// First byte that is written.
    pub destination: u64,
    /// Class; inline messages are small.
    pub class: Class,
    /// Intra-priority, 0 to 15.
    pub priority: u8,
    /// For the network, below 2^22.
    pub qos: u32,
    /// Whether and how the destination is told.
    pub notification: Option<Notification>,
}

/// What is wrong with a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DescriptorError {
    /// Nothing to move.
    #[error("size 0: accepted are 1 to 4294967295 bytes")]
    Empty,
    /// More data than a descriptor holds.
    #[error("inline message of {0} bytes: accepted are 1 to {LONG_MESSAGE}")]
    Message(u32),
    /// The fourth class.
    #[error("class {0}: accepted are 0 (small), 1 (one path) and 2 (four paths)")]
    Class(u8),
    /// A message that is to have a flow.
    #[error("inline message of class {0:?}: accepted is Small")]
    MessageClass(Class),
    /// Priority that the format cannot hold.
    #[error("priority {0}: accepted are 0 to 15")]
    Priority(u8),
    /// QoS that the format cannot hold.
    #[error("QoS {0}: accepted are 0 to 4194303")]
    Qos(u32),
    /// Beyond the end of a node's memory.
    #[error(
        "{size} bytes from {address:#x} on: accepted are ranges that end below 2^48 in their node"
    )]
    Range {
        /// First byte.
        address: u64,
        /// Bytes.
        size: u32,
    },
    /// Notification at an odd place.
    #[error("notification address {0:#x}: accepted are multiples of 8")]
    NotificationAddress(u64),
    /// No room for a value.
    #[error("notification value with an inline message or a read: accepted is none")]
    NotificationValue,
    /// A read that has its data.
    #[error("inline message that is a read: accepted is one or the other")]
    InlineRead,
    /// A second line too many, or one too few.
    #[error("long is {found}: the rest of the descriptor wants {expected}")]
    Long {
        /// What the bit says.
        found: bool,
        /// What the other fields need.
        expected: bool,
    },
}

const CLASS_SHIFT: u32 = 36;
const INLINE: u64 = 1 << 38;
const NOTIFY: u64 = 1 << 39;
const LONG: u64 = 1 << 40;
const READ: u64 = 1 << 41;
const QOS_SHIFT: u32 = 42;

/// One line or two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// The first one.
    pub first: [u8; LINE],
    /// The second one.
    pub second: Option<[u8; LINE]>,
}

impl Descriptor {
    /// Bytes that the transfer moves.
    #[must_use]
    pub fn size(&self) -> u32 {
        match &self.work {
            Work::Write { size, .. } | Work::Read { size, .. } => *size,
            Work::Inline(data) => u32::try_from(data.len()).unwrap_or(u32::MAX),
        }
    }

    /// Whether the engine would take it.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check(&self) -> Result<(), DescriptorError> {
        let size = self.size();
        if size == 0 {
            return Err(DescriptorError::Empty);
        }
        if self.priority >= MAX_PRIORITIES {
            return Err(DescriptorError::Priority(self.priority));
        }
        if self.qos >= MAX_QOS {
            return Err(DescriptorError::Qos(self.qos));
        }
        in_node(self.destination, size)?;
        match &self.work {
            Work::Inline(_) => {
                if size as usize > LONG_MESSAGE {
                    return Err(DescriptorError::Message(size));
                }
                if self.class != Class::Small {
                    return Err(DescriptorError::MessageClass(self.class));
                }
            }
            Work::Write { source, .. } | Work::Read { source, .. } => in_node(*source, size)?,
        }
        let plain = matches!(self.work, Work::Write { .. });
        match self.notification {
            Some(n) if n.value.is_some() && !plain => Err(DescriptorError::NotificationValue),
            Some(n) if n.address % 8 != 0 => Err(DescriptorError::NotificationAddress(n.address)),
            _ => Ok(()),
        }
    }

    /// The lines to be written.
    ///
    /// # Errors
    /// As [`Descriptor::check`].
    pub fn encode(&self) -> Result<Lines, DescriptorError> {
        self.check()?;
        let size = self.size();
        let class = match self.class {
            Class::Small => 0,
            Class::OnePath => 1,
            Class::FourPaths => 2u64,
        };
        let mut second = None;
        let (flags, third) = match &self.work {
            Work::Write { source, .. } => (0, *source),
            Work::Read { source, .. } => (READ, *source),
            Work::Inline(data) if data.len() <= SHORT_MESSAGE => {
                let mut word = [0; 8];
                word[..data.len()].copy_from_slice(data);
                (INLINE, u64::from_le_bytes(word))
            }
            Work::Inline(data) => {
                let line = second.insert([0; LINE]);
                line[..data.len()].copy_from_slice(data);
                (INLINE, 0)
            }
        };
        if let Some(value) = self.notification.and_then(|n| n.value) {
            second.insert([0; LINE])[..8].copy_from_slice(&value.to_le_bytes());
        }
        let header = u64::from(size)
            | u64::from(self.priority) << 32
            | class << CLASS_SHIFT
            | flags
            | if self.notification.is_some() {
                NOTIFY
            } else {
                0
            }
            | if second.is_some() { LONG } else { 0 }
            | u64::from(self.qos) << QOS_SHIFT;
        let mut first = [0; LINE];
        let words = [
            header,
            self.destination,
            third,
            self.notification.map_or(0, |n| n.address),
        ];
        for (place, word) in first.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        Ok(Lines { first, second })
    }

    /// What lines mean to the engine.
    ///
    /// # Errors
    /// What the engine refuses them for.
    pub fn decode(lines: &Lines) -> Result<Self, DescriptorError> {
        let word = |i: usize| -> u64 {
            let bytes = core::array::from_fn(|j| lines.first[8 * i + j]);
            u64::from_le_bytes(bytes)
        };
        let header = word(0);
        let size = header as u32;
        let is = |bit: u64| header & bit != 0;
        let class = match header >> CLASS_SHIFT & 3 {
            0 => Class::Small,
            1 => Class::OnePath,
            2 => Class::FourPaths,
            other => return Err(DescriptorError::Class(other as u8)),
        };
        let inline = is(INLINE);
        if inline && is(READ) {
            return Err(DescriptorError::InlineRead);
        }
        if size == 0 {
            return Err(DescriptorError::Empty);
        }
        if inline && size as usize > LONG_MESSAGE {
            return Err(DescriptorError::Message(size));
        }
        // A transfer from memory has a second line only for the value of its notification.
        let expected = if inline {
            size as usize > SHORT_MESSAGE
        } else {
            is(NOTIFY) && is(LONG) && !is(READ)
        };
        let found = is(LONG);
        let second = match lines.second {
            _ if found != expected => return Err(DescriptorError::Long { found, expected }),
            None if found => {
                return Err(DescriptorError::Long {
                    found,
                    expected: false,
                });
            }
            second => second.unwrap_or([0; LINE]),
        };
        let work = if inline {
            let data = if found { second } else { word_bytes(word(2)) };
            Work::Inline(data[..size as usize].to_vec())
        } else if is(READ) {
            Work::Read {
                source: word(2),
                size,
            }
        } else {
            Work::Write {
                source: word(2),
                size,
            }
        };
        let value = u64::from_le_bytes(core::array::from_fn(|i| second[i]));
        let descriptor = Descriptor {
            work,
            destination: word(1),
            class,
            priority: (header >> 32 & 15) as u8,
            qos: (header >> QOS_SHIFT) as u32,
            notification: is(NOTIFY).then(|| Notification {
                address: word(3),
                value: (found && !inline).then_some(value),
            }),
        };
        descriptor.check()?;
        Ok(descriptor)
    }
}

fn in_node(address: u64, size: u32) -> Result<(), DescriptorError> {
    let offset = address & ((1 << NODE_BITS) - 1);
    if offset + u64::from(size) >= 1 << NODE_BITS {
        return Err(DescriptorError::Range { address, size });
    }
    Ok(())
}

fn word_bytes(word: u64) -> [u8; LINE] {
    let mut line = [0; LINE];
    line[..8].copy_from_slice(&word.to_le_bytes());
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn write() -> Descriptor {
        Descriptor {
            work: Work::Write {
                source: 0x0001_2345_6789_abcd,
                size: 0x0102_0304,
            },
            destination: 0x0002_0000_1111_2222,
            class: Class::FourPaths,
            priority: 5,
            qos: 0x2a_aaaa,
            notification: None,
        }
    }

    fn message(data: &[u8]) -> Descriptor {
        Descriptor {
            work: Work::Inline(data.to_vec()),
            class: Class::Small,
            ..write()
        }
    }

    fn told(value: Option<u64>) -> Option<Notification> {
        let address = 0x0002_0000_0000_4008;
        Some(Notification { address, value })
    }

    fn words(line: &[u8; LINE]) -> [u64; 4] {
        core::array::from_fn(|i| u64::from_le_bytes(core::array::from_fn(|j| line[8 * i + j])))
    }

    #[test]
    fn layout() {
        let lines = write().encode().unwrap();
        let header = 0x2a_aaaa << 42 | 2 << 36 | 5 << 32 | 0x0102_0304;
        assert_eq!(
            words(&lines.first),
            [header, 0x0002_0000_1111_2222, 0x0001_2345_6789_abcd, 0]
        );
        assert_eq!(lines.second, None);

        let short = message(&[1, 2, 3]).encode().unwrap();
        let header = 0x2a_aaaa << 42 | 1 << 38 | 5 << 32 | 3;
        assert_eq!(
            words(&short.first),
            [header, write().destination, 0x03_0201, 0]
        );
        assert_eq!(short.second, None);

        let long = message(&[7; 9]).encode().unwrap();
        assert_eq!(
            words(&long.first)[0],
            0x2a_aaaa << 42 | 1 << 40 | 1 << 38 | 5 << 32 | 9
        );
        let second = words(&long.second.unwrap());
        assert_eq!(second, [0x0707_0707_0707_0707, 7, 0, 0]);

        let told = Descriptor {
            notification: told(Some(99)),
            ..write()
        };
        let lines = told.encode().unwrap();
        assert_eq!(words(&lines.first)[0] >> 38 & 15, 0b0110);
        assert_eq!(words(&lines.first)[3], 0x0002_0000_0000_4008);
        assert_eq!(words(&lines.second.unwrap()), [99, 0, 0, 0]);
    }

    #[test]
    fn refusals_name_the_value() {
        use DescriptorError as E;
        let at = |destination| Descriptor {
            destination,
            ..write()
        };
        let top = (1 << 48) - 1 - 0x0102_0304;
        assert!(at(top).check().is_ok());
        let odd = Notification {
            address: 12,
            value: None,
        };
        let cases = [
            (message(&[]), E::Empty, "size 0"),
            (message(&[0; 33]), E::Message(33), "33"),
            (
                Descriptor {
                    class: Class::OnePath,
                    ..message(&[1])
                },
                E::MessageClass(Class::OnePath),
                "OnePath",
            ),
            (
                Descriptor {
                    priority: 16,
                    ..write()
                },
                E::Priority(16),
                "16",
            ),
            (
                Descriptor {
                    qos: MAX_QOS,
                    ..write()
                },
                E::Qos(MAX_QOS),
                "4194304",
            ),
            (
                at(top + 1),
                E::Range {
                    address: top + 1,
                    size: 0x0102_0304,
                },
                "0xfffffefdfcfc",
            ),
            (
                Descriptor {
                    notification: Some(odd),
                    ..write()
                },
                E::NotificationAddress(12),
                "0xc",
            ),
            (
                Descriptor {
                    work: Work::Read { source: 0, size: 1 },
                    notification: told(Some(1)),
                    ..write()
                },
                E::NotificationValue,
                "or a read",
            ),
            (
                Descriptor {
                    notification: told(Some(1)),
                    ..message(&[1])
                },
                E::NotificationValue,
                "value",
            ),
        ];
        for (descriptor, error, text) in cases {
            assert_eq!(descriptor.encode(), Err(error));
            assert!(error.to_string().contains(text), "{error}");
        }
    }

    #[test]
    fn lines_that_do_not_fit_together() {
        let flip = |descriptor: Descriptor, bit: u64| {
            let mut lines = descriptor.encode().unwrap();
            let header = words(&lines.first)[0] ^ bit;
            lines.first[..8].copy_from_slice(&header.to_le_bytes());
            Descriptor::decode(&lines)
        };
        use DescriptorError as E;
        assert_eq!(
            flip(write(), 3 << 36),
            Ok(Descriptor {
                class: Class::OnePath,
                ..write()
            })
        );
        assert_eq!(flip(write(), 1 << 36), Err(E::Class(3)));
        assert_eq!(flip(message(&[1]), READ), Err(E::InlineRead));
        let (found, expected) = (true, false);
        assert_eq!(flip(write(), LONG), Err(E::Long { found, expected }));
        assert_eq!(flip(message(&[1]), LONG), Err(E::Long { found, expected }));
        let (found, expected) = (false, true);
        assert_eq!(
            flip(message(&[1; 9]), LONG),
            Err(E::Long { found, expected })
        );
        let mut lines = message(&[1; 9]).encode().unwrap();
        lines.second = None;
        assert!(matches!(Descriptor::decode(&lines), Err(E::Long { .. })));
    }

    proptest! {
        #[test]
        fn there_and_back(
            inline: bool, read: bool, data in prop::collection::vec(any::<u8>(), 1..33), source: u64, destination: u64,
            size in 1u32.., class in 0..3, priority in 0..MAX_PRIORITIES, qos in 0..MAX_QOS, notify: Option<(u64, Option<u64>)>,
        ) {
            let class = [Class::Small, Class::OnePath, Class::FourPaths][class as usize];
            let work = match (inline, read) {
                (true, _) => Work::Inline(data),
                (_, true) => Work::Read { source, size },
                _ => Work::Write { source, size },
            };
            let class = if inline { Class::Small } else { class };
            let notification = notify.map(|(address, value)| Notification {
                address: address & !7,
                value: value.filter(|_| !inline && !read),
            });
            let descriptor = Descriptor { work, destination, class, priority, qos, notification };
            match descriptor.encode() {
                Ok(lines) => prop_assert_eq!(Descriptor::decode(&lines), Ok(descriptor)),
                Err(error) => prop_assert!(matches!(error, DescriptorError::Range { .. }), "{}", error),
            }
        }

        /// Arbitrary lines never panic, and what is taken is written the same way again but for
        /// what is not looked at.
        #[test]
        fn any_lines_are_survived(first: [u8; LINE], second: Option<[u8; LINE]>) {
            if let Ok(descriptor) = Descriptor::decode(&Lines { first, second }) {
                let again = descriptor.encode().unwrap();
                prop_assert_eq!(&again.first[..16], &first[..16]);
            }
        }
    }
}
