// SPDX-License-Identifier: Apache-2.0
//! Everything that the registers of one end show, read once.
//!
//! [`Snapshot::read`] takes a function that reads a 32-bit word at a byte address, so that it works
//! over any bus. Counters are read one after the other: each is consistent in itself, two of them
//! are as far apart as the bus is slow. As text it is a table ([`core::fmt::Display`]), for
//! machines it is [`serde::Serialize`] with the names of the registers as keys.
//!
//! ```
//! use ropewalk_wire::rifl::snapshot::{Snapshot, SnapshotError};
//!
//! // A bus on which nothing answers like a RIFL core.
//! let error = Snapshot::read(|_address| Ok::<u32, std::io::Error>(0)).unwrap_err();
//! assert!(matches!(error, SnapshotError::NotRifl(0)));
//! ```

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;
use thiserror::Error;

use super::regs::{self, LinkReason, SessionReason, SessionState, TxState, observe};
use crate::regs::Register;

/// Major number of the register map that this library knows.
pub const MAP_MAJOR: u64 = 2;

/// Why there is no snapshot.
#[derive(Debug, Error)]
pub enum SnapshotError<E> {
    /// The bus failed.
    #[error("the bus failed: {0}")]
    Bus(E),
    /// Something else is at this address.
    #[error("no RIFL core here: the first word is {0:#010x}, expected is 0x5249464c")]
    NotRifl(u32),
    /// The registers lie elsewhere.
    #[error("register map version {0}: this program knows version {MAP_MAJOR}")]
    MapVersion(u64),
    /// The parameters are none that a core can be built with.
    #[error("the core says that it has {0} lanes, accepted are 1 to {max}", max = observe::lane::COUNT)]
    Lanes(u64),
    /// The counters do not answer.
    #[error("the user clock of the core stands still: counters cannot be read")]
    ClockStopped,
}

/// What the core was built with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// Version of the core: major, minor, patch.
    pub core_version: [u8; 3],
    /// Version of the map: major, minor.
    pub map_version: [u8; 2],
    /// Number of lanes.
    pub lanes: u8,
    /// Frame width in bits.
    pub frame_width: u16,
    /// User width in bits.
    pub user_width: u16,
    /// Frame-id width in bits.
    pub id_width: u8,
    /// Test traffic is built in.
    pub test_traffic: bool,
    /// The extended mode is built in.
    pub extended: bool,
    /// Logarithm to base 2 of the window in which the clock offset is measured, frames.
    pub offset_window: u8,
}

/// State of the session of the extended mode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Session {
    /// State; none if this library does not know the value.
    pub state: Option<SessionState>,
    /// Why it is not up; none if this library does not know the value.
    pub reason: Option<SessionReason>,
    /// The same as the peer has announced it.
    pub peer_reason: Option<SessionReason>,
    /// Number of the own session.
    pub own_number: u16,
    /// Number of the peer's session, 0 for none.
    pub peer_number: u16,
}

/// State of a lane.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LaneState {
    /// The aligner has found the frames.
    pub aligned: bool,
    /// The receiver is used.
    pub up: bool,
    /// The receiver waits for frames to be sent again.
    pub error: bool,
    /// The peer asks for a pause.
    pub pause_req: bool,
    /// The peer asks for a retransmission.
    pub retrans_req: bool,
    /// The peer is told to stop.
    pub local_fc: bool,
    /// The peer has said stop.
    pub remote_fc: bool,
    /// A received frame found no room.
    pub overflow: bool,
    /// State of the transmitter; none if this library does not know the value.
    pub tx_state: Option<TxState>,
    /// Where the aligner cuts, bits.
    pub slip: u8,
    /// Round trip in frames, 0 if it was not measured.
    pub round_trip: u16,
    /// How much faster the peer's clock is, parts per million.
    pub clock_offset_ppm: f64,
}

/// A set of 64-bit counters: a field for each, named as its register.
macro_rules! counters {
    ($(#[$doc:meta])* $name:ident, $registers:path: $($field:ident $register:ident,)*) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        pub struct $name {
            $(
                #[doc = concat!("[`", stringify!($register), "`](", stringify!($registers), "::", stringify!($register), ").")]
                pub $field: u64,
            )*
        }

        impl $name {
            /// Reads all of them with a function that reads a register.
            fn read<E>(mut read: impl FnMut(&Register) -> Result<u64, E>) -> Result<Self, E> {
                use $registers as registers;
                Ok(Self { $($field: read(&registers::$register)?,)* })
            }

            /// Names and values, in the order of the map.
            pub fn values(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($field), self.$field),)*]
            }
        }
    };
}

counters! {
    /// What is counted once for the whole link.
    LinkCounters, observe:
    sessions SESSIONS,
    link_ups LINK_UPS,
    cycles CYCLES,
    tx_packets TX_PACKETS,
    tx_bytes TX_BYTES,
    tx_stalled TX_STALLED,
    tx_aborts TX_ABORTS,
    rx_packets RX_PACKETS,
    rx_bytes RX_BYTES,
    rx_stalled RX_STALLED,
    rx_aborts RX_ABORTS,
    prbs_bytes PRBS_BYTES,
    prbs_skipped PRBS_SKIPPED,
    prbs_bit_errors PRBS_BIT_ERRORS,
    prbs_losses PRBS_LOSSES,
}

counters! {
    /// What every lane counts.
    LaneCounters, observe::lane:
    frames FRAMES,
    bad_frames BAD_FRAMES,
    errors ERRORS,
    resends RESENDS,
    alignment_losses ALIGNMENT_LOSSES,
    user_frames_sent USER_FRAMES_SENT,
    user_frames_received USER_FRAMES_RECEIVED,
    compensations COMPENSATIONS,
    stopped_frames STOPPED_FRAMES,
    stopping_frames STOPPING_FRAMES,
    injected_errors INJECTED_ERRORS,
}

/// One lane.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lane {
    /// State.
    pub state: LaneState,
    /// Counters.
    pub counters: LaneCounters,
    /// Damaged bits per bit received, from damaged frames; none before the first frame.
    pub bit_error_rate: Option<f64>,
}

/// Everything that the registers of one end show.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Snapshot {
    /// What the core was built with.
    pub identity: Identity,
    /// User data flow.
    pub up: bool,
    /// What keeps the link from being up; none if this library does not know the value.
    pub reason: Option<LinkReason>,
    /// The checker follows the test sequence.
    pub prbs_sync: bool,
    /// Session of the extended mode.
    pub session: Session,
    /// Counters of the link.
    pub counters: LinkCounters,
    /// The lanes, lane 0 first.
    pub lanes: Vec<Lane>,
}

impl Snapshot {
    /// Reads everything.
    ///
    /// # Errors
    /// What `read32` returns, or what the registers say that cannot be ([`SnapshotError`]).
    pub fn read<E>(
        mut read32: impl FnMut(u32) -> Result<u32, E>,
    ) -> Result<Self, SnapshotError<E>> {
        let mut read = |register: &Register| register.read(&mut read32).map_err(SnapshotError::Bus);

        let magic = read(&regs::MAGIC)?;
        if magic != regs::magic::VALUE.reset {
            return Err(SnapshotError::NotRifl(magic as u32));
        }
        let identity = identity(&mut read)?;

        // Words of the second page never have all bits set, except that nobody answers for them.
        let mut read = |register: &Register| match read(register)? {
            u64::MAX => Err(SnapshotError::ClockStopped),
            value => Ok(value),
        };
        let link = read(&observe::LINK)?;
        let session = read(&observe::SESSION)?;
        let counters = LinkCounters::read(&mut read)?;
        let lanes = (0..usize::from(identity.lanes))
            .map(|index| {
                lane(&identity, |register| {
                    read(&register.element(index, observe::lane::STRIDE))
                })
            })
            .collect::<Result<_, _>>()?;
        use observe::{link as l, session as s};
        Ok(Self {
            identity,
            up: l::UP.get(link) != 0,
            reason: LinkReason::from_bits(l::REASON.get(link)),
            prbs_sync: l::PRBS_SYNC.get(link) != 0,
            session: Session {
                state: SessionState::from_bits(s::STATE.get(session)),
                reason: SessionReason::from_bits(s::REASON.get(session)),
                peer_reason: SessionReason::from_bits(s::PEER_REASON.get(session)),
                own_number: s::OWN_NUMBER.get(session) as u16,
                peer_number: s::PEER_NUMBER.get(session) as u16,
            },
            counters,
            lanes,
        })
    }
}

/// What the core was built with.
fn identity<E>(
    mut read: impl FnMut(&Register) -> Result<u64, SnapshotError<E>>,
) -> Result<Identity, SnapshotError<E>> {
    use regs::{parameters as p, version as v};
    let version = read(&regs::VERSION)?;
    let major = v::MAP_MAJOR.get(version);
    if major != MAP_MAJOR {
        return Err(SnapshotError::MapVersion(major));
    }
    let parameters = read(&regs::PARAMETERS)?;
    let lanes = p::LANES.get(parameters);
    if lanes == 0 || lanes > observe::lane::COUNT as u64 {
        return Err(SnapshotError::Lanes(lanes));
    }
    Ok(Identity {
        core_version: [v::CORE_MAJOR, v::CORE_MINOR, v::CORE_PATCH].map(|f| f.get(version) as u8),
        map_version: [v::MAP_MAJOR, v::MAP_MINOR].map(|f| f.get(version) as u8),
        lanes: lanes as u8,
        frame_width: p::FRAME_WIDTH.get(parameters) as u16,
        user_width: regs::user::WIDTH.get(read(&regs::USER)?) as u16,
        id_width: p::ID_WIDTH.get(parameters) as u8,
        test_traffic: p::TEST_TRAFFIC.get(parameters) != 0,
        extended: p::EXTENDED.get(parameters) != 0,
        offset_window: p::OFFSET_WINDOW.get(parameters) as u8,
    })
}

/// One lane, read with a function that knows which one.
fn lane<E>(
    identity: &Identity,
    mut read: impl FnMut(&Register) -> Result<u64, E>,
) -> Result<Lane, E> {
    use observe::lane::status as s;
    let status = read(&observe::lane::STATUS)?;
    let flag = |field: crate::regs::Field| field.get(status) != 0;
    let counters = LaneCounters::read(&mut read)?;
    let bits = counters.frames as f64 * f64::from(identity.frame_width);
    let window = (1u64 << identity.offset_window) as f64;
    Ok(Lane {
        state: LaneState {
            aligned: flag(s::ALIGNED),
            up: flag(s::UP),
            error: flag(s::ERROR),
            pause_req: flag(s::PAUSE_REQ),
            retrans_req: flag(s::RETRANS_REQ),
            local_fc: flag(s::LOCAL_FC),
            remote_fc: flag(s::REMOTE_FC),
            overflow: flag(s::OVERFLOW),
            tx_state: TxState::from_bits(s::TX_STATE.get(status)),
            slip: s::SLIP.get(status) as u8,
            round_trip: s::ROUND_TRIP.get(status) as u16,
            clock_offset_ppm: s::CLOCK_OFFSET.get_signed(status) as f64 / window * 1e6,
        },
        bit_error_rate: (counters.frames > 0).then(|| counters.bad_frames as f64 / bits),
        counters,
    })
}

impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Identity {
            core_version: [major, minor, patch],
            lanes,
            frame_width,
            user_width,
            id_width,
            ..
        } = self.identity;
        writeln!(
            f,
            "RIFL core {major}.{minor}.{patch}: {lanes} lanes, frames of {frame_width} bits, user width {user_width}, id width {id_width}"
        )?;
        let reason = self.reason.map_or("unknown", LinkReason::name);
        let state = if self.up { "up" } else { "down" };
        writeln!(f, "link {state}, reason {reason}")?;
        let state = self.session.state.map_or("unknown", SessionState::name);
        let [reason, peer_reason] = [self.session.reason, self.session.peer_reason]
            .map(|reason| reason.map_or("unknown", SessionReason::name));
        writeln!(
            f,
            "session {state}, reason {reason}, peer's reason {peer_reason}"
        )?;
        for (name, value) in self.counters.values() {
            writeln!(f, "  {name:22} {value:>20}")?;
        }
        write!(f, "{:24}", "lane")?;
        for index in 0..self.lanes.len() {
            write!(f, " {index:>20}")?;
        }
        writeln!(f)?;
        let mut row = |name: &str, cell: &dyn Fn(&Lane) -> String| {
            write!(f, "  {name:22}")?;
            for lane in &self.lanes {
                write!(f, " {:>20}", cell(lane))?;
            }
            writeln!(f)
        };
        row("state", &|lane| {
            let state = lane.state.tx_state.map_or("unknown", TxState::name);
            match (lane.state.aligned, lane.state.up) {
                (false, _) => "not aligned".into(),
                (true, false) => "settling".into(),
                (true, true) => state.into(),
            }
        })?;
        row("clock offset", &|lane| {
            format!("{:.1} ppm", lane.state.clock_offset_ppm)
        })?;
        row("bit error rate", &|lane| {
            lane.bit_error_rate
                .map_or("none".into(), |rate| format!("{rate:.1e}"))
        })?;
        if let Some(first) = self.lanes.first() {
            for (index, (name, _)) in first.counters.values().into_iter().enumerate() {
                row(name, &|lane| lane.counters.values()[index].1.to_string())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    /// The registers of a core as words; every counter holds its own address, so that no two are
    /// equal.
    fn words() -> HashMap<u32, u32> {
        let mut words = HashMap::new();
        for register in regs::REGISTERS {
            let elements = if register.name.starts_with("observe.lane.") {
                observe::lane::COUNT
            } else {
                1
            };
            for index in 0..elements {
                let offset = register.element(index, observe::lane::STRIDE).offset;
                if register.width == 64 {
                    words.insert(offset, offset);
                    words.insert(offset + 4, 1);
                } else {
                    words.insert(offset, register.reset() as u32);
                }
            }
        }
        let parameters = 2 | 6 << 4 | 256 << 8 | 20 << 24;
        words.insert(regs::PARAMETERS.offset, parameters);
        words.insert(regs::USER.offset, 512);
        // Lane 1: aligned, up, replaying; its clock two units slower.
        let status = observe::lane::STATUS
            .element(1, observe::lane::STRIDE)
            .offset;
        words.insert(status, 0x3 | 3 << 8 | 17 << 16);
        // Refused for the line rate, by the peer for its id width.
        words.insert(observe::SESSION.offset, 3 | 8 << 4 | 4 << 8 | 0x1235 << 16);
        words.insert(observe::SESSION.offset + 4, 0x4321);
        words.insert(status + 4, 0xfffe_0000 | 44);
        words
    }

    fn read(words: &HashMap<u32, u32>) -> Result<Snapshot, SnapshotError<String>> {
        Snapshot::read(|a| words.get(&a).copied().ok_or(format!("address {a:#x}")))
    }

    #[test]
    fn every_counter_comes_from_its_own_address() {
        let snapshot = read(&words()).unwrap();
        assert_eq!(snapshot.lanes.len(), 2);
        let mut expected: HashMap<&str, u32> = HashMap::new();
        for register in regs::REGISTERS {
            expected.insert(register.name, register.offset);
        }
        let mut seen = HashSet::new();
        for (name, value) in snapshot.counters.values() {
            let offset = expected[format!("observe.{name}").as_str()];
            assert_eq!(value, u64::from(offset) | 1 << 32, "{name}");
            assert!(seen.insert(value));
        }
        for (index, lane) in snapshot.lanes.iter().enumerate() {
            for (name, value) in lane.counters.values() {
                let offset = expected[format!("observe.lane.{name}").as_str()]
                    + index as u32 * observe::lane::STRIDE;
                assert_eq!(value, u64::from(offset) | 1 << 32, "{name}");
                assert!(seen.insert(value));
            }
        }
        // Nothing that counts is left out.
        let counters = regs::REGISTERS
            .iter()
            .filter(|r| r.fields.len() == 1 && r.fields[0].width == 64);
        let lanes = snapshot.lanes[0].counters.values().len();
        assert_eq!(
            counters.count(),
            snapshot.counters.values().len() + lanes,
            "a counter of the map is not in the snapshot"
        );
    }

    #[test]
    fn state_and_derived_numbers() {
        let snapshot = read(&words()).unwrap();
        assert_eq!(
            (snapshot.identity.lanes, snapshot.identity.user_width),
            (2, 512)
        );
        assert_eq!(snapshot.identity.core_version, [0, 1, 0]);
        let lane = &snapshot.lanes[1];
        assert!(lane.state.aligned && lane.state.up && !lane.state.error);
        assert_eq!(lane.state.tx_state, Some(TxState::Retrans));
        assert_eq!((lane.state.slip, lane.state.round_trip), (17, 44));
        let session = Session {
            state: Some(SessionState::Refused),
            reason: Some(SessionReason::Rate),
            peer_reason: Some(SessionReason::IdWidth),
            own_number: 0x1235,
            peer_number: 0x4321,
        };
        assert_eq!(snapshot.session, session);
        assert!((lane.state.clock_offset_ppm + 2.0 / 1.048_576).abs() < 1e-9);
        let rate = lane.bit_error_rate.unwrap();
        let expected = lane.counters.bad_frames as f64 / (lane.counters.frames as f64 * 256.0);
        assert!((rate - expected).abs() < 1e-15);
    }

    #[test]
    fn what_cannot_be_is_said_in_one_line() {
        let good = words();
        let with = |offset: u32, value: u32| {
            let mut words = good.clone();
            words.insert(offset, value);
            read(&words).unwrap_err().to_string()
        };
        assert_eq!(
            with(0, 0xdead_beef),
            "no RIFL core here: the first word is 0xdeadbeef, expected is 0x5249464c"
        );
        assert_eq!(
            with(regs::VERSION.offset, 9 << 24),
            "register map version 9: this program knows version 2"
        );
        assert_eq!(
            with(regs::PARAMETERS.offset, 0),
            "the core says that it has 0 lanes, accepted are 1 to 8"
        );
        let mut stopped = good.clone();
        for address in 0x800..0x1000 {
            stopped.insert(address, u32::MAX);
        }
        assert!(
            read(&stopped)
                .unwrap_err()
                .to_string()
                .contains("stands still")
        );
        let mut absent = good.clone();
        absent.remove(&observe::CYCLES.offset);
        assert_eq!(
            read(&absent).unwrap_err().to_string(),
            "the bus failed: address 0x828"
        );
    }

    #[test]
    fn text_and_json_carry_the_same_names() {
        let snapshot = read(&words()).unwrap();
        let text = snapshot.to_string();
        let json: serde_json::Value = serde_json::to_value(&snapshot).unwrap();
        for (name, value) in snapshot.counters.values() {
            assert_eq!(json["counters"][name], value);
            let line = text
                .lines()
                .find(|l| l.split_whitespace().next() == Some(name))
                .unwrap();
            assert!(line.ends_with(&value.to_string()), "{line}");
        }
        for (name, _) in snapshot.lanes[0].counters.values() {
            assert!(text.contains(name));
            assert!(json["lanes"][1]["counters"][name].is_u64());
        }
        assert_eq!(json["lanes"][1]["state"]["tx_state"], "retrans");
        assert_eq!(json["session"]["reason"], "rate");
        assert!(text.contains("\nsession refused, reason rate, peer's reason id_width\n"));
        assert!(text.lines().all(|line| line.len() <= 120));
    }
}
