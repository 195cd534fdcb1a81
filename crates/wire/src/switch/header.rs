// SPDX-License-Identifier: Apache-2.0
//! The header of the network: bytes 48 to 63 of the first word of a packet.
//!
//! | half | bits | field |
//! |---|---|---|
//! | 0 | 3:0 | kind: 1 data, 2 credits, 3 notice |
//! | | 5:4 | class |
//! | | 6 | mark: congestion was met |
//! | | 7 | spread: any allowed path, by load |
//! | | 8 | hello, in credit words |
//! | | 15:9 | words of the packet, 1 to 64 |
//! | | 31:16 | destination; of credits what was received: 27:16 the number behind that of the last packet that came whole, 31 whether one came since the reset |
//! | | 47:32 | source |
//! | | 59:48 | flow; of a hello 51:48 its own epoch, 1 to 15 |
//! | | 63:60 | hops left |
//! | 1 | 47:0 | limits of classes 3 to 0, 12 bits each |
//! | | 51:48 | epoch of the last hello that the sender has received, to which its limits belong; 0: none |
//! | | 63:52 | number of this packet, modulo 4096; of credits of the next one |
//!
//! Both halves are sent low byte first. A bit that has no meaning in a kind is sent as 0 and not
//! looked at.

use super::credit::MODULUS;
use super::{CLASSES, MAX_WORDS, WORD};
use thiserror::Error;

/// Bytes of the header.
pub const HEADER: usize = 16;
/// Where it begins in the first word.
pub const OFFSET: usize = WORD - HEADER;
/// Flows are below this.
pub const FLOWS: u16 = 1 << 12;
/// Epochs are below this.
pub const EPOCHS: u8 = 16;

const DATA: u64 = 1;
const CREDITS: u64 = 2;
const NOTICE: u64 = 3;

/// A virtual channel, 0 to 3. Class 0 is for answers, which a node takes without sending anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class(u8);

impl Class {
    /// All of them.
    pub const ALL: [Class; CLASSES] = [Class(0), Class(1), Class(2), Class(3)];
    /// Answers.
    pub const ANSWERS: Class = Class(0);

    /// The class of a number.
    ///
    /// # Errors
    /// Names a number above 3.
    pub const fn new(number: u8) -> Result<Self, HeaderError> {
        if number < CLASSES as u8 {
            Ok(Class(number))
        } else {
            Err(HeaderError::Class(number))
        }
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> usize {
        self.0 as usize
    }
}

/// What says where a packet goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Route {
    /// Virtual channel.
    pub class: Class,
    /// Congestion was met on the way.
    pub mark: bool,
    /// Any allowed path, by load; order is not kept.
    pub spread: bool,
    /// Words of the packet, 1 to 64.
    pub words: u8,
    /// Node to which it goes.
    pub destination: u16,
    /// Node from which it comes.
    pub source: u16,
    /// Flow, below [`FLOWS`].
    pub flow: u16,
    /// Switches that may still take it, 0 to 15.
    pub hops: u8,
}

/// What a word is the first one of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Body {
    /// A packet of a user.
    Data(Route),
    /// Credits alone; it ends at this link.
    Credits {
        /// The link begins: the sender's own epoch, 1 to 15.
        hello: Option<u8>,
        /// The number behind that of the last packet that came whole; none: none has come since
        /// the reset.
        received: Option<u16>,
    },
    /// Made by a switch for the source of what was lost.
    Notice(Route),
}

/// A header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Header {
    /// Kind and route.
    pub body: Body,
    /// Words that the receiver of this header may send in each class since its hello.
    pub limits: [u16; CLASSES],
    /// Of the last hello that the sender has received; 0: none.
    pub epoch: u8,
    /// Of this packet on this link; of credits the next one.
    pub number: u16,
}

/// Why bytes are no header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum HeaderError {
    /// There are three kinds.
    #[error("kind {0} in the header; accepted: 1 data, 2 credits, 3 notice")]
    Kind(u8),
    /// There are four classes.
    #[error("class {0}; accepted: 0 to 3")]
    Class(u8),
    /// A packet has words, and not too many.
    #[error("{0} words in the header; accepted: 1 to {MAX_WORDS}")]
    Words(u8),
    /// Credits are a word of their own.
    #[error("{0} words in the header of credits; accepted: 1")]
    CreditWords(u8),
    /// A hello has an epoch of its own.
    #[error("epoch 0 in a hello; accepted: 1 to 15")]
    HelloEpoch,
    /// The first word has no room for it.
    #[error("a first word of {0} bytes has no header; accepted: {WORD}")]
    Short(usize),
}

impl Route {
    fn bits(self) -> u64 {
        u64::from(self.class.0) << 4
            | u64::from(self.mark) << 6
            | u64::from(self.spread) << 7
            | u64::from(self.words & 127) << 9
            | u64::from(self.destination) << 16
            | u64::from(self.source) << 32
            | u64::from(self.flow % FLOWS) << 48
            | u64::from(self.hops & 15) << 60
    }

    fn from_bits(bits: u64) -> Result<Self, HeaderError> {
        let words = words(bits);
        if !(1..=MAX_WORDS).contains(&words) {
            return Err(HeaderError::Words(words));
        }
        Ok(Route {
            class: Class((bits >> 4 & 3) as u8),
            mark: bits >> 6 & 1 == 1,
            spread: bits >> 7 & 1 == 1,
            words,
            destination: (bits >> 16) as u16,
            source: (bits >> 32) as u16,
            flow: (bits >> 48) as u16 % FLOWS,
            hops: (bits >> 60) as u8,
        })
    }
}

const fn words(bits: u64) -> u8 {
    (bits >> 9 & 127) as u8
}

impl Header {
    /// The 16 bytes.
    #[must_use]
    pub fn encode(&self) -> [u8; HEADER] {
        let low = match self.body {
            Body::Data(route) => DATA | route.bits(),
            Body::Notice(route) => NOTICE | route.bits(),
            Body::Credits { hello, received } => {
                let own = hello.map_or(0, |own| 1 << 8 | u64::from(own % EPOCHS) << 48);
                let received = received.map_or(0, |it| 1 << 31 | u64::from(it % MODULUS) << 16);
                CREDITS | 1 << 9 | own | received
            }
        };
        let mut high = u64::from(self.epoch % EPOCHS) << 48;
        high |= u64::from(self.number % MODULUS) << 52;
        for (class, limit) in self.limits.iter().enumerate() {
            high |= u64::from(limit % MODULUS) << (12 * class);
        }
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&low.to_le_bytes());
        bytes[8..].copy_from_slice(&high.to_le_bytes());
        bytes
    }

    /// The header of 16 bytes.
    ///
    /// # Errors
    /// Names the field that has a value without a meaning.
    pub fn decode(bytes: &[u8; HEADER]) -> Result<Self, HeaderError> {
        let half = |at: usize| {
            let bytes = bytes[at..].iter().take(8).rev();
            bytes.fold(0, |bits, byte| bits << 8 | u64::from(*byte))
        };
        let (low, high) = (half(0), half(8));
        let body = match low & 15 {
            DATA => Body::Data(Route::from_bits(low)?),
            NOTICE => Body::Notice(Route::from_bits(low)?),
            CREDITS if words(low) != 1 => return Err(HeaderError::CreditWords(words(low))),
            CREDITS => {
                let own = (low >> 48 & 15) as u8;
                let hello = low >> 8 & 1 == 1;
                if hello && own == 0 {
                    return Err(HeaderError::HelloEpoch);
                }
                let known = low >> 31 & 1 == 1;
                Body::Credits {
                    hello: hello.then_some(own),
                    received: known.then_some((low >> 16) as u16 % MODULUS),
                }
            }
            kind => return Err(HeaderError::Kind(kind as u8)),
        };
        let mut limits = [0; CLASSES];
        for (class, limit) in limits.iter_mut().enumerate() {
            *limit = (high >> (12 * class)) as u16 % MODULUS;
        }
        Ok(Header {
            body,
            limits,
            epoch: (high >> 48 & 15) as u8,
            number: (high >> 52) as u16,
        })
    }

    /// Writes the header to the first word of a packet.
    pub fn write(&self, word: &mut [u8; WORD]) {
        word[OFFSET..].copy_from_slice(&self.encode());
    }

    /// The header in the first word of a packet.
    ///
    /// # Errors
    /// The word is not whole, or holds no header.
    pub fn read(word: &[u8]) -> Result<Self, HeaderError> {
        let bytes = word.get(OFFSET..WORD).and_then(<[u8]>::first_chunk);
        Self::decode(bytes.ok_or(HeaderError::Short(word.len()))?)
    }

    /// Words of the packet that begins with it.
    #[must_use]
    pub const fn words(&self) -> u8 {
        match self.body {
            Body::Data(route) | Body::Notice(route) => route.words,
            Body::Credits { .. } => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use proptest::prelude::*;

    fn route() -> Route {
        Route {
            class: Class(2),
            mark: true,
            spread: false,
            words: 18,
            destination: 0x1234,
            source: 0x0a0b,
            flow: 0x5c7,
            hops: 9,
        }
    }

    /// Bytes worked out by hand from the table.
    #[test]
    fn bytes_are_where_the_table_has_them() {
        let data = Header {
            body: Body::Data(route()),
            limits: [0x001, 0x203, 0x405, 0xfff],
            epoch: 0xd,
            number: 0x8a9,
        };
        // 3:0 = 1, 5:4 = 2, mark, 15:9 = 18: 0x2461.
        let low = [0x61, 0x24, 0x34, 0x12, 0x0b, 0x0a, 0xc7, 0x95];
        // 11:0 001, 23:12 203, 35:24 405, 47:36 fff, epoch d, number 8a9.
        let high = [0x01, 0x30, 0x20, 0x05, 0xf4, 0xff, 0x9d, 0x8a];
        assert_eq!(data.encode()[..8], low);
        assert_eq!(data.encode()[8..], high);
        let notice = Header {
            body: Body::Notice(Route {
                spread: true,
                mark: false,
                class: Class(0),
                words: 64,
                hops: 15,
                ..route()
            }),
            ..data
        };
        let low = [0x83, 0x80, 0x34, 0x12, 0x0b, 0x0a, 0xc7, 0xf5];
        assert_eq!(notice.encode()[..8], low);
        let hello = Header {
            body: Body::Credits {
                hello: Some(11),
                received: Some(0xeef),
            },
            limits: [0; 4],
            epoch: 1,
            number: 0,
        };
        let bytes = [2, 3, 0xef, 0x8e, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0, 1, 0];
        assert_eq!(hello.encode(), bytes);
        for header in [data, notice, hello] {
            assert_eq!(Header::decode(&header.encode()), Ok(header));
        }
    }

    #[test]
    fn refusals_name_the_value_and_what_is_accepted() {
        let mut bytes = [0; HEADER];
        for (low, said) in [
            (
                0x0200,
                "kind 0 in the header; accepted: 1 data, 2 credits, 3 notice",
            ),
            (
                0x0204,
                "kind 4 in the header; accepted: 1 data, 2 credits, 3 notice",
            ),
            (0x0001, "0 words in the header; accepted: 1 to 64"),
            (0x8203, "65 words in the header; accepted: 1 to 64"),
            (0x0402, "2 words in the header of credits; accepted: 1"),
        ] {
            bytes[..2].copy_from_slice(&u16::to_le_bytes(low));
            let error = Header::decode(&bytes).unwrap_err();
            assert_eq!(error.to_string(), said);
        }
        bytes[..2].copy_from_slice(&[2, 3]);
        let error = Header::decode(&bytes).unwrap_err().to_string();
        assert_eq!(error, "epoch 0 in a hello; accepted: 1 to 15");
        let error = Header::read(&[0; 63]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a first word of 63 bytes has no header; accepted: 64"
        );
        assert_eq!(
            Class::new(4).unwrap_err().to_string(),
            "class 4; accepted: 0 to 3"
        );
    }

    fn any_route() -> impl Strategy<Value = Route> {
        let where_to = (any::<u16>(), any::<u16>(), 0..FLOWS, 0u8..16);
        (0u8..4, any::<(bool, bool)>(), 1..=MAX_WORDS, where_to).prop_map(
            |(class, (mark, spread), words, (destination, source, flow, hops))| Route {
                class: Class(class),
                mark,
                spread,
                words,
                destination,
                source,
                flow,
                hops,
            },
        )
    }

    fn any_header() -> impl Strategy<Value = Header> {
        let body = prop_oneof![
            any_route().prop_map(Body::Data),
            any_route().prop_map(Body::Notice),
            (prop::option::of(1..EPOCHS), prop::option::of(0..MODULUS))
                .prop_map(|(hello, received)| Body::Credits { hello, received }),
        ];
        (
            body,
            [0..MODULUS, 0..MODULUS, 0..MODULUS, 0..MODULUS],
            0..EPOCHS,
            0..MODULUS,
        )
            .prop_map(|(body, limits, epoch, number)| Header {
                body,
                limits,
                epoch,
                number,
            })
    }

    proptest! {
        #[test]
        fn every_field_comes_back(header in any_header()) {
            let mut word = [0xa5; WORD];
            header.write(&mut word);
            prop_assert_eq!(Header::read(&word), Ok(header));
            prop_assert!(word[..OFFSET].iter().all(|byte| *byte == 0xa5));
        }

        /// Any bytes: a header that is encoded to bytes of the same meaning, or an error.
        #[test]
        fn any_bytes_are_a_header_or_refused(bytes: [u8; HEADER]) {
            if let Ok(header) = Header::decode(&bytes) {
                prop_assert_eq!(Header::decode(&header.encode()), Ok(header));
                prop_assert!((1..=MAX_WORDS).contains(&header.words()));
            }
        }
    }
}
