// SPDX-License-Identifier: Apache-2.0
//! The announcement: 96 bits below the key of every control frame of an extended end.
//!
//! | bits | field | |
//! |---|---|---|
//! | 95..92 | version | 3 |
//! | 91..90 | phase | 0 HELLO, 1 READY, 2 UP, 3 REFUSED |
//! | 89..74 | session | number of the sender, never 0 |
//! | 73..58 | echo | number of the peer as last received, 0 for none |
//! | 57..55 | lane | number of the sending lane |
//! | 54, 53 | ping, pong | measure the round trip |
//! | 52, 51 | stop, stop seen | flow control |
//! | 50 | sequence | what `detail` holds |
//! | 49..16 | detail | [`Capabilities`] or [`Sequence`] |
//! | 15..0 | check | CRC-16 over the key and bits 95..16 |
//!
//! CRC-16: x^16 + x^12 + x^5 + 1, top bit first, start value 0xffff. Unused bits are sent as zero
//! and not looked at. A published core leaves all 96 bits zero.

use super::super::frame::Control;
use thiserror::Error;

/// The version that this model speaks.
pub const VERSION: u8 = 3;

/// Why 96 reserved bits are no announcement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unreadable {
    /// All bits zero, as from a published core.
    #[error("no announcement: all 96 bits are zero")]
    Plain,
    /// The CRC-16 does not fit.
    #[error("check {found:#06x} does not fit: {expected:#06x} would")]
    Check {
        /// The check as received.
        found: u16,
        /// The check of what was received.
        expected: u16,
    },
    /// Undamaged, but of another version.
    #[error("version {0}: this model speaks version {VERSION}")]
    Version(u8),
}

/// State of the sender's session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Phase {
    /// Looking for the peer's number.
    Hello = 0,
    /// Both numbers known, capabilities fit.
    Ready = 1,
    /// Data may flow.
    Up = 2,
    /// The two ends do not fit each other.
    Refused = 3,
}

impl Phase {
    const ALL: [Phase; 4] = [Phase::Hello, Phase::Ready, Phase::Up, Phase::Refused];
}

/// Why a link is not up, as told to the peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Reason {
    /// Nothing to complain about.
    #[default]
    None,
    /// A lane is not aligned.
    NoSignal,
    /// No announcement has come yet.
    NoPeer,
    /// Different frame widths.
    FrameWidth,
    /// Different id widths.
    IdWidth,
    /// The ends have different numbers of lanes.
    Lanes,
    /// A cable leads to another lane.
    LaneOrder,
    /// Different user widths, that is, numbers of lane groups.
    UserWidth,
    /// Different line rates.
    Rate,
    /// The round trip is longer than the ids cover.
    RoundTrip,
    /// The lanes lead to different peers.
    Peers,
    /// The peer refuses.
    Refused,
    /// The peer is a published core.
    Published,
    /// One end has the stronger code, its peer has not.
    StrongCode,
    /// A code that this model does not know, 14 and 15.
    Other(u8),
}

impl Reason {
    const KNOWN: [Reason; 14] = [
        Reason::None,
        Reason::NoSignal,
        Reason::NoPeer,
        Reason::FrameWidth,
        Reason::IdWidth,
        Reason::Lanes,
        Reason::LaneOrder,
        Reason::UserWidth,
        Reason::Rate,
        Reason::RoundTrip,
        Reason::Peers,
        Reason::Refused,
        Reason::Published,
        Reason::StrongCode,
    ];

    /// The four bits of the field.
    #[must_use]
    pub fn code(self) -> u8 {
        match (self, Self::KNOWN.iter().position(|&known| known == self)) {
            (Reason::Other(code), _) => code & 15,
            (_, place) => place.unwrap_or(0) as u8,
        }
    }

    /// The reason of a code, upper four bits ignored.
    #[must_use]
    pub fn from_code(code: u8) -> Self {
        let code = code & 15;
        let known = Self::KNOWN.get(usize::from(code));
        known.copied().unwrap_or(Reason::Other(code))
    }
}

/// What an end is built with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Capabilities {
    /// Logarithm of the number of lanes, 0 to 3.
    pub lanes: u8,
    /// Logarithm of the frame width over 128, 0 to 4.
    pub frame_width: u8,
    /// Logarithm of the number of lane groups (frame width times lanes over user width), 0 to 3.
    pub groups: u8,
    /// Bits of the id, 6 to 12.
    pub id_width: u8,
    /// Line rate in units of 10 Mb/s, 0 for "not told".
    pub rate: u16,
    /// Why this end refuses.
    pub reason: Reason,
    /// Frames have the stronger code.
    pub strong_code: bool,
}

impl Capabilities {
    /// Why two ends do not fit; [`Reason::None`] if they do.
    #[must_use]
    pub fn misfit(&self, peer: &Capabilities) -> Reason {
        let rates_differ = self.rate != 0 && peer.rate != 0 && self.rate != peer.rate;
        if self.frame_width != peer.frame_width {
            Reason::FrameWidth
        } else if self.strong_code != peer.strong_code {
            Reason::StrongCode
        } else if self.id_width != peer.id_width {
            Reason::IdWidth
        } else if self.lanes != peer.lanes {
            Reason::Lanes
        } else if self.groups != peer.groups {
            Reason::UserWidth
        } else if rates_differ {
            Reason::Rate
        } else {
            Reason::None
        }
    }
}

/// Where the sender's lane stands in the sequence of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Sequence {
    /// The receiver of this lane misses frames.
    pub ask: bool,
    /// Number of the incident that is asked about, modulo 16.
    pub ask_n: u8,
    /// Id of the first frame that is missing.
    pub wanted: u16,
    /// Number of the peer's incident that was answered last, modulo 16; 0 before the first.
    pub answered: u8,
    /// Id of the next data frame, as the code of this frame names it.
    pub next: u16,
}

/// The field that depends on the state of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Before UP.
    Capabilities(Capabilities),
    /// In UP.
    Sequence(Sequence),
}

/// Everything that a control frame says beside its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Announcement {
    /// State of the sender's session.
    pub phase: Phase,
    /// Number of the sender's session, never 0.
    pub session: u16,
    /// Number of the peer's session as last received on this lane, 0 for none.
    pub echo: u16,
    /// Number of the sending lane, 0 to 7: lanes of one session may carry equal ids.
    pub lane: u8,
    /// The sender waits for `pong` to become equal.
    pub ping: bool,
    /// Last `ping` received.
    pub pong: bool,
    /// The sender's receive buffer is filling up: send no new data.
    pub stop: bool,
    /// Last `stop` received.
    pub stop_seen: bool,
    /// Capabilities or sequence.
    pub detail: Detail,
}

/// Takes fields off the top of a word, or puts them there.
struct Fields(u128);

impl Fields {
    fn put(&mut self, bits: u32, value: u16) {
        self.0 = self.0 << bits | u128::from(value) & ((1 << bits) - 1);
    }

    fn zeros(&mut self, bits: u32) {
        self.0 <<= bits;
    }

    fn flag(&mut self, value: bool) {
        self.put(1, u16::from(value));
    }

    /// The field of `bits` bits that ends above bit `low`.
    const fn get(&self, low: u32, bits: u32) -> u16 {
        (self.0 >> low) as u16 & (((1u32 << bits) - 1) as u16)
    }

    const fn is(&self, bit: u32) -> bool {
        self.0 >> bit & 1 == 1
    }
}

impl Announcement {
    /// The 96 bits for a control frame with this key.
    #[must_use]
    pub fn bits(&self, key: Control) -> u128 {
        let mut fields = Fields(0);
        fields.put(4, u16::from(VERSION));
        fields.put(2, self.phase as u16);
        fields.put(16, self.session);
        fields.put(16, self.echo);
        fields.put(3, u16::from(self.lane));
        for flag in [
            self.ping,
            self.pong,
            self.stop,
            self.stop_seen,
            matches!(self.detail, Detail::Sequence(_)),
        ] {
            fields.flag(flag);
        }
        match self.detail {
            Detail::Capabilities(caps) => {
                fields.put(2, u16::from(caps.lanes));
                fields.put(3, u16::from(caps.frame_width));
                fields.put(2, u16::from(caps.groups));
                fields.put(4, u16::from(caps.id_width));
                fields.put(16, caps.rate);
                fields.put(4, u16::from(caps.reason.code()));
                fields.flag(caps.strong_code);
                fields.zeros(2);
            }
            Detail::Sequence(sequence) => {
                fields.flag(sequence.ask);
                fields.put(4, u16::from(sequence.ask_n));
                fields.put(12, sequence.wanted);
                fields.put(4, u16::from(sequence.answered));
                fields.put(12, sequence.next);
                fields.zeros(1);
            }
        }
        let body = fields.0;
        body << 16 | u128::from(check(key.key(), body))
    }

    /// Reads the 96 reserved bits of a control frame with this key (upper bits of `bits` are
    /// ignored).
    ///
    /// # Errors
    /// Says why there is no announcement.
    pub fn decode(key: Control, bits: u128) -> Result<Self, Unreadable> {
        let fields = Fields(bits & ((1 << 96) - 1));
        if fields.0 == 0 {
            return Err(Unreadable::Plain);
        }
        let (found, expected) = (fields.get(0, 16), check(key.key(), fields.0 >> 16));
        if found != expected {
            return Err(Unreadable::Check { found, expected });
        }
        let version = fields.get(92, 4) as u8;
        if version != VERSION {
            return Err(Unreadable::Version(version));
        }
        let detail = if fields.is(50) {
            Detail::Sequence(Sequence {
                ask: fields.is(49),
                ask_n: fields.get(45, 4) as u8,
                wanted: fields.get(33, 12),
                answered: fields.get(29, 4) as u8,
                next: fields.get(17, 12),
            })
        } else {
            Detail::Capabilities(Capabilities {
                lanes: fields.get(48, 2) as u8,
                frame_width: fields.get(45, 3) as u8,
                groups: fields.get(43, 2) as u8,
                id_width: fields.get(39, 4) as u8,
                rate: fields.get(23, 16),
                reason: Reason::from_code(fields.get(19, 4) as u8),
                strong_code: fields.is(18),
            })
        };
        Ok(Announcement {
            phase: Phase::ALL[usize::from(fields.get(90, 2))],
            session: fields.get(74, 16),
            echo: fields.get(58, 16),
            lane: fields.get(55, 3) as u8,
            ping: fields.is(54),
            pong: fields.is(53),
            stop: fields.is(52),
            stop_seen: fields.is(51),
            detail,
        })
    }
}

/// CRC-16 over a key and bits 95..16 of an announcement (80 bits at the low end of `body`).
#[must_use]
pub fn check(key: u16, body: u128) -> u16 {
    let bytes = (u128::from(key) << 80 | body).to_be_bytes();
    // Twelve bytes: the key and the ten of the body.
    bytes[4..].iter().fold(0xffff, |crc, &byte| {
        crc << 8 ^ TABLE[usize::from((crc >> 8) as u8 ^ byte)]
    })
}

static TABLE: [u16; 256] = table();

const fn table() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = (byte as u16) << 8;
        let mut step = 0;
        while step < 8 {
            crc = if crc >> 15 == 1 {
                crc << 1 ^ 0x1021
            } else {
                crc << 1
            };
            step += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::super::frame::Frame;
    use super::super::super::params::FrameWidth;
    use super::*;
    use proptest::prelude::*;

    const KEYS: [Control; 3] = [
        Control::Idle,
        Control::PauseRequest,
        Control::RetransmitRequest,
    ];

    fn details() -> impl Strategy<Value = Detail> {
        let widths = (0..4u8, 0..8u8, 0..4u8, 0..16u8);
        let capabilities = (widths, any::<u16>(), 0..16u8, any::<bool>()).prop_map(
            |((lanes, frame_width, groups, id_width), rate, reason, strong_code)| {
                Detail::Capabilities(Capabilities {
                    lanes,
                    frame_width,
                    groups,
                    id_width,
                    rate,
                    reason: Reason::from_code(reason),
                    strong_code,
                })
            },
        );
        let sequence = (any::<bool>(), 0..16u8, 0..4096u16, 0..16u8, 0..4096u16).prop_map(
            |(ask, ask_n, wanted, answered, next)| {
                Detail::Sequence(Sequence {
                    ask,
                    ask_n,
                    wanted,
                    answered,
                    next,
                })
            },
        );
        prop_oneof![capabilities, sequence]
    }

    fn announcements() -> impl Strategy<Value = Announcement> {
        let numbers = (0..4usize, any::<u16>(), any::<u16>(), 0..8u8);
        (numbers, any::<[bool; 4]>(), details()).prop_map(
            |((phase, session, echo, lane), [ping, pong, stop, stop_seen], detail)| Announcement {
                phase: Phase::ALL[phase],
                session,
                echo,
                lane,
                ping,
                pong,
                stop,
                stop_seen,
                detail,
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_put_comes_out(announcement in announcements(), key in 0..3usize) {
            let bits = announcement.bits(KEYS[key]);
            prop_assert_eq!(bits >> 96, 0);
            prop_assert_eq!(Announcement::decode(KEYS[key], bits), Ok(announcement));
        }

        #[test]
        fn the_check_covers_key_and_bits(
            announcement in announcements(), key in 0..3usize, other in 0..3usize, bit in 0..96u32, second in 0..96u32,
        ) {
            let bits = announcement.bits(KEYS[key]);
            if other != key {
                prop_assert!(Announcement::decode(KEYS[other], bits).is_err());
            }
            prop_assert!(Announcement::decode(KEYS[key], bits ^ 1 << bit).is_err());
            if second != bit {
                prop_assert!(Announcement::decode(KEYS[key], bits ^ 1 << bit ^ 1 << second).is_err());
            }
        }

        #[test]
        fn any_bits_are_read_without_panic(bits in any::<u128>(), key in 0..3usize) {
            // Garbage never passes but by chance; whatever passes comes back as it was, unused bits
            // aside.
            let fixed = bits & !0xffff & ((1 << 96) - 1);
            for bits in [bits, fixed | u128::from(check(KEYS[key].key(), fixed >> 16))] {
                if let Ok(announcement) = Announcement::decode(KEYS[key], bits) {
                    let again = announcement.bits(KEYS[key]);
                    prop_assert_eq!(Announcement::decode(KEYS[key], again), Ok(announcement));
                }
            }
        }

        #[test]
        fn a_frame_carries_it_in_every_width(announcement in announcements(), words in 1..5usize, key in 0..3usize) {
            let width = FrameWidth::new(128 * words as u32).unwrap();
            let mut frame = Frame::control(width, KEYS[key]);
            prop_assert_eq!(frame.reserved(), 0);
            frame.set_code(0xabc);
            let bits = announcement.bits(KEYS[key]);
            frame.set_reserved(bits);
            prop_assert_eq!(frame.reserved(), bits);
            prop_assert_eq!((frame.key(), frame.code(), frame.sync()), (KEYS[key].key(), 0xabc, 2));
            frame.set_reserved(0);
            frame.set_code(0);
            prop_assert_eq!(frame, Frame::control(width, KEYS[key]));
        }
    }

    /// The field positions, from the table on top, and a check that was computed bit by bit.
    #[test]
    fn positions_of_the_fields() {
        let announcement = Announcement {
            phase: Phase::Refused,
            session: 0x1234,
            echo: 0xabcd,
            lane: 5,
            ping: true,
            pong: false,
            stop: true,
            stop_seen: false,
            detail: Detail::Sequence(Sequence {
                ask: true,
                ask_n: 5,
                wanted: 0x9a3,
                answered: 12,
                next: 0x65c,
            }),
        };
        let bits = announcement.bits(Control::Idle);
        assert_eq!(bits >> 92, 3);
        assert_eq!(bits >> 90 & 3, 3);
        assert_eq!(bits >> 74 & 0xffff, 0x1234);
        assert_eq!(bits >> 58 & 0xffff, 0xabcd);
        assert_eq!(bits >> 55 & 7, 5);
        assert_eq!(bits >> 50 & 0x1f, 0b10101);
        assert_eq!(bits >> 49 & 1, 1);
        assert_eq!(bits >> 45 & 15, 5);
        assert_eq!(bits >> 33 & 0xfff, 0x9a3);
        assert_eq!(bits >> 29 & 15, 12);
        assert_eq!(bits >> 17 & 0xfff, 0x65c);
        assert_eq!(bits >> 16 & 1, 0);
        let told = Announcement {
            detail: Detail::Capabilities(Capabilities {
                lanes: 2,
                frame_width: 4,
                groups: 1,
                id_width: 9,
                rate: 2578,
                reason: Reason::RoundTrip,
                strong_code: true,
            }),
            ..announcement
        };
        let told = told.bits(Control::Idle);
        assert_eq!(told >> 50 & 1, 0);
        assert_eq!(told >> 39 & 0x7ff, 0b101_0001_1001);
        assert_eq!(told >> 23 & 0xffff, 2578);
        assert_eq!(told >> 16 & 0x7f, 9 << 3 | 4);
        let mut crc = 0xffff_u16;
        for bit in (0..96).rev() {
            let body = u128::from(Control::Idle.key()) << 80 | bits >> 16;
            let top = crc >> 15 ^ (body >> bit & 1) as u16;
            crc = crc << 1 ^ if top == 1 { 0x1021 } else { 0 };
        }
        assert_eq!(bits as u16, crc);
        let zeros = Announcement::decode(Control::Idle, 0);
        assert_eq!(zeros, Err(Unreadable::Plain));
        for old in [1, 2] {
            let body = bits >> 16 & !(15 << 76) | u128::from(old) << 76;
            let version = body << 16 | u128::from(check(Control::Idle.key(), body));
            let version = Announcement::decode(Control::Idle, version);
            assert_eq!(version, Err(Unreadable::Version(old)));
        }
    }

    #[test]
    fn misfits_have_names() {
        let own = Capabilities {
            lanes: 2,
            frame_width: 1,
            id_width: 6,
            rate: 2800,
            ..Capabilities::default()
        };
        assert_eq!(own.misfit(&own), Reason::None);
        let untold = Capabilities { rate: 0, ..own };
        assert_eq!(own.misfit(&untold), Reason::None);
        let change = |reason, change: fn(&mut Capabilities)| {
            let mut peer = own;
            change(&mut peer);
            assert_eq!(own.misfit(&peer), reason);
            assert_eq!(peer.misfit(&own), reason);
        };
        change(Reason::Lanes, |c| c.lanes = 1);
        change(Reason::FrameWidth, |c| c.frame_width = 2);
        change(Reason::StrongCode, |c| c.strong_code = true);
        change(Reason::UserWidth, |c| c.groups = 1);
        change(Reason::IdWidth, |c| c.id_width = 7);
        change(Reason::Rate, |c| c.rate = 2578);
        for code in 0..16 {
            assert_eq!(Reason::from_code(code).code(), code);
        }
    }
}
