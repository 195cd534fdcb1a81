// SPDX-License-Identifier: Apache-2.0
//! Slots and blocks, and which of them may follow which (figures 82-5, 82-16, 82-17).

use super::{Block, CONTROL, DATA, Slot};

const IDLE: u8 = 0x07;
const START: u8 = 0xfb;
const TERMINATE: u8 = 0xfd;
const ERROR: u8 = 0xfe;
/// Ordered sets and their codes.
const ORDERED: [(u8, u64); 2] = [(0x9c, 0x0), (0x5c, 0xf)];

const FIELD_CONTROL: u64 = 0x1e;
const FIELD_START: u64 = 0x78;
const FIELD_ORDERED: u64 = 0x4b;
/// By the place of the terminate character.
const FIELD_TERMINATE: [u64; 8] = [0x87, 0x99, 0xaa, 0xb4, 0xcc, 0xd2, 0xe1, 0xff];

const CODE_IDLE: u64 = 0x00;
const CODE_ERROR: u64 = 0x1e;

/// What a slot or a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Idle, or an ordered set.
    Control,
    /// A frame begins.
    Start,
    /// Eight bytes of a frame.
    Data,
    /// A frame ends.
    Terminate,
    /// Nothing that the standard has a block or a slot for.
    Error,
}

/// Where a stream of blocks is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Between frames.
    Outside,
    /// In a frame.
    Inside,
    /// The block is replaced: it may not stand where it does.
    Failed,
}

impl Place {
    /// Behind a block of this kind. A receiver calls a frame's end [`Kind::Error`] if neither a
    /// start nor a control block comes behind it.
    #[must_use]
    pub fn behind(self, kind: Kind) -> Place {
        match (self, kind) {
            (Place::Outside | Place::Failed, Kind::Control) => Place::Outside,
            (Place::Outside, Kind::Start) => Place::Inside,
            (Place::Inside | Place::Failed, Kind::Data) => Place::Inside,
            (Place::Inside | Place::Failed, Kind::Terminate) => Place::Outside,
            _ => Place::Failed,
        }
    }
}

/// The block of eight error characters.
pub(super) const ERROR_BLOCK: Block = {
    let (mut payload, mut at) = (FIELD_CONTROL, 8);
    while at < 64 {
        payload |= CODE_ERROR << at;
        at += 7;
    }
    (payload as u128) << 2 | CONTROL
};

/// The code of a control character that may stand in a row of them.
fn code(slot: Slot, at: usize) -> Option<u64> {
    match (slot.control >> at & 1, slot.data[at]) {
        (1, IDLE) => Some(CODE_IDLE),
        (1, ERROR) => Some(CODE_ERROR),
        _ => None,
    }
}

/// A slot as a block, not scrambled.
#[must_use]
pub fn encode(slot: Slot) -> (Kind, Block) {
    let data = u64::from_le_bytes(slot.data);
    let control = |kind, payload: u64| (kind, u128::from(payload) << 2 | CONTROL);
    if slot.control == 0 {
        return (Kind::Data, u128::from(data) << 2 | DATA);
    }
    if slot == Slot::IDLE {
        return control(Kind::Control, FIELD_CONTROL);
    }
    if slot.control == 1 {
        if slot.data[0] == START {
            return control(Kind::Start, data & !0xff | FIELD_START);
        }
        let set = ORDERED.iter().find(|(first, _)| *first == slot.data[0]);
        if let (Some((_, code)), 0) = (set, data >> 32) {
            return control(
                Kind::Control,
                data & 0xffff_ff00 | code << 32 | FIELD_ORDERED,
            );
        }
    }
    let at = slot.control.trailing_zeros() as usize;
    let codes = (at + 1..8).try_fold(0, |codes, i| Some(codes | code(slot, i)? << (8 + 7 * i)));
    match (slot.data[at], codes) {
        (TERMINATE, Some(codes)) => {
            let bytes = (data & ((1 << (8 * at)) - 1)) << 8;
            control(Kind::Terminate, codes | bytes | FIELD_TERMINATE[at])
        }
        _ => (Kind::Error, ERROR_BLOCK),
    }
}

/// A block, descrambled, as a slot; with [`Kind::Error`] one of error characters.
#[must_use]
pub fn decode(block: Block) -> (Kind, Slot) {
    let payload = (block >> 2) as u64;
    let bytes = payload.to_le_bytes();
    let none = (Kind::Error, Slot::ERROR);
    match block & 0b11 {
        DATA => {
            return (
                Kind::Data,
                Slot {
                    control: 0,
                    data: bytes,
                },
            );
        }
        CONTROL => {}
        _ => return none,
    }
    match payload & 0xff {
        FIELD_CONTROL if payload == FIELD_CONTROL => (Kind::Control, Slot::IDLE),
        FIELD_START => {
            let mut data = bytes;
            data[0] = START;
            (Kind::Start, Slot { control: 1, data })
        }
        FIELD_ORDERED => {
            let set = ORDERED.iter().find(|(_, code)| *code == payload >> 32);
            set.map_or(none, |&(first, _)| {
                let data = [first, bytes[1], bytes[2], bytes[3], 0, 0, 0, 0];
                (Kind::Control, Slot { control: 1, data })
            })
        }
        field => match FIELD_TERMINATE.iter().position(|&f| f == field) {
            Some(at) => terminate(payload, at).map_or(none, |slot| (Kind::Terminate, slot)),
            None => none,
        },
    }
}

/// The end of a frame at this character, if all behind it have a code.
fn terminate(payload: u64, at: usize) -> Option<Slot> {
    let mut data = [0; 8];
    data[..at].copy_from_slice(&payload.to_le_bytes()[1..=at]);
    data[at] = TERMINATE;
    for (i, character) in data.iter_mut().enumerate().skip(at + 1) {
        *character = match payload >> (8 + 7 * i) & 0x7f {
            CODE_IDLE => IDLE,
            CODE_ERROR => ERROR,
            _ => return None,
        };
    }
    let control = 0xff << at;
    Some(Slot { control, data })
}
