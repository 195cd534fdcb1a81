// SPDX-License-Identifier: Apache-2.0
//! One verilated `switch_core`.

use std::fmt;

use ropewalk_wire::switch::Tables;

use super::station::{DEAD_CYCLES, VC_WORDS};
use crate::SimError;
use crate::models::{self, Building, Ports as _, Recipe};
use crate::rdma::WORD;
use crate::rifl::Endpoint;

/// Destinations that a table of a switch has entries for: most nodes of a run.
pub const NODES: u16 = 64;
/// Cycles in which the tables are cleared, at most.
const CLEARED: u16 = 4 * NODES;
/// More words than a queue can have.
const NEVER: u16 = 0x7ff;
/// Bits of `port_status_t` and `port_event_t`.
const STATUS: usize = 3;
const EVENT: usize = 11;
/// `LinkOpen` of `link_e`.
const OPEN: u16 = 2;

/// A compiled `switch_core`.
type RawModel = models::RawModel<Ports>;

// SAFETY: mirrors `SwitchPorts`.
unsafe impl models::Ports for Ports {
    const SHIM: &'static str = "switch_shim.inc";
}

/// Addresses of the ports of one model; mirrors `cpp/switch_shim.h`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Ports {
    clk: *mut u8,
    rst: *mut u8,
    link_up: *mut u8,
    s_tdata: *mut u8,
    s_tkeep: *mut u8,
    s_tlast: *mut u8,
    s_tuser: *mut u8,
    s_tvalid: *mut u8,
    m_tready: *mut u8,
    table_write: *mut u8,
    table_addr: *mut u8,
    table_data: *mut u8,
    mark_words: *mut u8,
    hash_salt: *mut u8,
    m_tdata: *const u8,
    m_tkeep: *const u8,
    m_tlast: *const u8,
    m_tvalid: *const u8,
    table_ready: *const u8,
    status: *const u8,
    event: *const u8,
}

/// What a switch has counted, of all its ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SwitchCounts {
    /// Packets that came whole.
    pub received: u64,
    /// Packets that ended early, or with the session.
    pub aborted: u64,
    /// Packets refused: of no kind, class or length, beyond their limit, or before a hello.
    pub refused: u64,
    /// Packets without a way.
    pub dropped: u64,
    /// Notices that were made of what was lost.
    pub notices: u64,
    /// Losses of which no notice could be kept.
    pub untold: u64,
    /// Packets that have begun on a link.
    pub sent: u64,
    /// Words of credits.
    pub credits: u64,
}

/// One of them.
pub(super) struct Switch {
    instance: models::Instance<Ports>,
    ports: u8,
    /// Ports that have a link.
    linked: u16,
    pub counts: SwitchCounts,
}

impl fmt::Debug for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Switch")
            .field("ports", &self.ports)
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

fn recipe(ports: u8) -> Recipe {
    Recipe {
        name: format!("switch_core_{ports}_{VC_WORDS}"),
        core: "switch",
        top: "switch_core",
        parameters: vec![
            ("Ports", ports.into()),
            ("Nodes", NODES.into()),
            ("VcWords", VC_WORDS),
            ("DeadCycles", DEAD_CYCLES),
        ],
        shim: Ports::SHIM,
        // All inputs are settled before the clock rises: nothing is left to do for any.
        received: "clk_i",
        traced: false,
        brief: false,
    }
}

/// Builds the simulator of a switch with these ports, unless it has been built before.
pub(super) fn prepare(ports: u8, tell: &mut dyn FnMut(Building)) -> Result<(), SimError> {
    RawModel::load(&recipe(ports), tell).map(drop)
}

/// The bit `at` of a field.
///
/// # Safety
/// The field has it.
#[inline]
unsafe fn bit(field: *const u8, at: usize) -> bool {
    // SAFETY: as promised.
    unsafe { *field.add(at / 8) >> (at % 8) & 1 != 0 }
}

/// Sets it.
///
/// # Safety
/// The field has it.
#[inline]
unsafe fn set(field: *mut u8, at: usize, to: bool) {
    // SAFETY: as promised.
    let byte = unsafe { &mut *field.add(at / 8) };
    *byte = *byte & !(1 << (at % 8)) | u8::from(to) << (at % 8);
}

/// `count` bits of a field from `at` on.
///
/// # Safety
/// The field has them.
unsafe fn bits(field: *const u8, at: usize, count: usize) -> u16 {
    (0..count).fold(0, |all, i| {
        // SAFETY: as promised.
        let bit = unsafe { bit(field, at + i) };
        all | u16::from(bit) << i
    })
}

impl Switch {
    /// In reset. A packet is marked that leaves a queue with `mark` words.
    pub(super) fn new(number: u16, ports: u8, mark: Option<u16>) -> Result<Self, SimError> {
        let raw = RawModel::load(&recipe(ports), &mut |_| ())?;
        let mut switch = Self {
            instance: models::Instance::new(&raw.context(), &format!("s{number}"), raw)?,
            ports,
            linked: 0,
            counts: SwitchCounts::default(),
        };
        switch.set_reset(true);
        let mark = mark.unwrap_or(NEVER).to_le_bytes();
        let ports = &switch.instance.ports;
        // SAFETY: `mark_words_i` has eleven bits, whatever the number of ports, and `hash_salt_i`
        // sixteen.
        unsafe {
            ports.mark_words.cast::<[u8; 2]>().write(mark);
            ports
                .hash_salt
                .cast::<[u8; 2]>()
                .write(number.to_le_bytes());
        }
        Ok(switch)
    }

    pub(super) fn set_reset(&mut self, reset: bool) {
        // SAFETY: a port of a live instance.
        unsafe { *self.instance.ports.rst = reset.into() }
    }

    /// A port has a link.
    pub(super) fn link(&mut self, port: u8) {
        self.linked |= 1 << port;
    }

    /// Writes the tables of the switch with this number, whose links are still down.
    pub(super) fn load(&mut self, tables: &Tables, number: u16) -> Result<(), SimError> {
        let ports = self.instance.ports;
        // SAFETY: a port of a live instance.
        let clear = || unsafe { *ports.table_ready != 0 };
        for _ in 0..CLEARED {
            if clear() {
                break;
            }
            self.clock();
        }
        if !clear() {
            let message = format!("tables are not clear after {CLEARED} cycles");
            let name = "switch";
            return Err(SimError::BadParameter { name, message });
        }
        for write in tables.writes(number) {
            // SAFETY: ports of a live instance; masks have a bit for each port.
            unsafe {
                *ports.table_addr = write.destination as u8;
                for port in 0..usize::from(self.ports) {
                    set(ports.table_write, port, write.inputs >> port & 1 != 0);
                    set(ports.table_data, port, write.outputs >> port & 1 != 0);
                }
            }
            self.clock();
        }
        for port in 0..usize::from(self.ports) {
            // SAFETY: as above.
            unsafe { set(ports.table_write, port, false) };
        }
        self.counts = SwitchCounts::default();
        Ok(())
    }

    /// Packets may leave at every port that has a link.
    pub(super) fn is_open(&self) -> bool {
        let mut linked = (0..usize::from(self.ports)).filter(|port| self.linked >> port & 1 != 0);
        let status = self.instance.ports.status;
        linked.all(|port| {
            // SAFETY: the field has these bits for each port.
            let state = unsafe { bits(status, STATUS * port + 1, 2) };
            state == OPEN
        })
    }

    /// What the link of a port has for it, and whether it takes what the port has.
    #[inline]
    pub(super) fn join(&mut self, port: u8, end: &Endpoint) {
        let ports = &self.instance.ports;
        let port = usize::from(port);
        // SAFETY: each port has a bit, the bytes of a word of TDATA and an eighth of them of TKEEP.
        unsafe {
            set(ports.link_up, port, end.session_open());
            set(ports.m_tready, port, end.source_ready());
            let beat = end.delivered();
            set(ports.s_tvalid, port, beat.is_some());
            if let Some(beat) = beat {
                let data = ports.s_tdata.add(WORD * port);
                beat.data.as_ptr().copy_to_nonoverlapping(data, WORD);
                let keep = ports.s_tkeep.add(WORD / 8 * port);
                beat.keep.as_ptr().copy_to_nonoverlapping(keep, WORD / 8);
                set(ports.s_tlast, port, beat.last);
                set(ports.s_tuser, port, beat.aborted);
            }
        }
    }

    /// The clock rises, and falls.
    #[inline]
    pub(super) fn clock(&mut self) {
        let ports = self.instance.ports;
        // SAFETY: as in `set_reset`.
        unsafe { *ports.clk = 1 }
        self.instance.edge(true);
        // SAFETY: as in `set_reset`.
        unsafe { *ports.clk = 0 }
        self.instance.fall();
        for port in 0..usize::from(self.ports) {
            // SAFETY: the field has these bits for each port.
            let event = unsafe { bits(ports.event, EVENT * port, EVENT) };
            if event != 0 {
                self.count(event);
            }
        }
    }

    /// Adds `port_event_t`.
    fn count(&mut self, event: u16) {
        let bit = |bit: u16| u64::from(event >> bit & 1);
        let counts = &mut self.counts;
        counts.received += bit(10);
        counts.aborted += bit(9);
        counts.refused += bit(8) + bit(7) + bit(5);
        counts.dropped += bit(4);
        counts.notices += bit(3);
        counts.untold += bit(2);
        counts.sent += bit(1);
        counts.credits += bit(0);
    }

    /// Offers to the link of a port what the switch has for it.
    #[inline]
    pub(super) fn offer(&self, port: u8, end: &mut Endpoint) {
        let ports = &self.instance.ports;
        let port = usize::from(port);
        // SAFETY: as in `join`.
        unsafe {
            if !bit(ports.m_tvalid, port) {
                end.offer_nothing();
                return;
            }
            let word = std::slice::from_raw_parts(ports.m_tdata.add(WORD * port), WORD);
            // All bytes, or one of a packet that is void.
            let whole = *ports.m_tkeep.add(WORD / 8 * port + 1) != 0;
            end.offer(
                if whole { word } else { &word[..1] },
                bit(ports.m_tlast, port),
            );
        }
    }
}
