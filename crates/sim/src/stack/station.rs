// SPDX-License-Identifier: Apache-2.0
//! One verilated `node_port`: what stands between an engine and its end of a link.

use std::fmt;
use std::rc::Rc;

use super::ffi::{Instance, Ports, RawModel};
use crate::SimError;
use crate::models::{Building, Context, Ports as _, Recipe};
use crate::rdma::{WORD, Word};
use crate::rifl::Endpoint;

/// Words of memory of each class at each end of a link.
pub(super) const VC_WORDS: u64 = 256;
/// Cycles in which a link is not open before it counts as dead.
pub(super) const DEAD_CYCLES: u64 = 1 << 20;

/// What a `node_port` has counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PortCounts {
    /// Packets that came whole.
    pub received: u64,
    /// Packets that ended early.
    pub aborted: u64,
    /// Packets refused: of no kind, class or length, beyond their limit, or before a hello.
    pub refused: u64,
    /// Packets that came with the mark of the network.
    pub marked: u64,
    /// Notices of what was lost.
    pub notices: u64,
    /// Packets that are on the link.
    pub sent: u64,
    /// Words of credits.
    pub credits: u64,
    /// Packets that were not sent whole, as the session ended, or were thrown away, as the link is
    /// dead.
    pub lost: u64,
}

/// One of them.
pub(super) struct Station {
    instance: Instance,
    pub counts: PortCounts,
}

impl fmt::Debug for Station {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Station")
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

fn recipe() -> Recipe {
    Recipe {
        name: format!("node_port_{VC_WORDS}"),
        core: "node",
        top: "node_port",
        parameters: vec![("VcWords", VC_WORDS), ("DeadCycles", DEAD_CYCLES)],
        shim: Ports::SHIM,
        // All inputs are settled before the clock rises: nothing is left to do for any.
        received: "clk_i",
        traced: false,
        brief: false,
    }
}

/// Builds the simulator, unless it has been built before.
pub(super) fn prepare(tell: &mut dyn FnMut(Building)) -> Result<RawModel, SimError> {
    RawModel::load(&recipe(), tell)
}

impl Station {
    /// In reset.
    pub(super) fn new(context: &Rc<Context>, name: &str, raw: RawModel) -> Result<Self, SimError> {
        let mut station = Self {
            instance: Instance::new(context, name, raw)?,
            counts: PortCounts::default(),
        };
        station.set_reset(true);
        Ok(station)
    }

    pub(super) fn set_reset(&mut self, reset: bool) {
        // SAFETY: a port of a live instance.
        unsafe { *self.instance.ports.rst = reset.into() }
    }

    /// Classes with room, a bit each.
    #[inline]
    pub(super) fn room(&self) -> u8 {
        // SAFETY: as in `set_reset`.
        unsafe { *self.instance.ports.room }
    }

    /// The word of the engine is taken.
    #[inline]
    pub(super) fn ready(&self) -> bool {
        // SAFETY: as in `set_reset`.
        unsafe { *self.instance.ports.s_tready != 0 }
    }

    /// Packets may leave.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        // SAFETY: as in `set_reset`.
        unsafe { *self.instance.ports.state == 2 }
    }

    /// The word that the engine is offered.
    #[inline]
    pub(super) fn offered(&self) -> Option<(Word, bool)> {
        let ports = &self.instance.ports;
        // SAFETY: TDATA has the bytes of a word.
        unsafe {
            (*ports.m_tvalid != 0)
                .then(|| (ports.m_tdata.cast::<Word>().read(), *ports.m_tlast != 0))
        }
    }

    /// The engine gives a word in this cycle.
    #[inline]
    pub(super) fn give(&mut self, word: &Word, last: bool) {
        let ports = &self.instance.ports;
        // SAFETY: TDATA has the bytes of a word.
        unsafe {
            ports.s_tdata.cast::<Word>().write(*word);
            *ports.s_tlast = last.into();
            *ports.s_tvalid = 1;
        }
    }

    /// The engine takes its word in this cycle.
    #[inline]
    pub(super) fn take(&mut self) {
        // SAFETY: as in `set_reset`.
        unsafe { *self.instance.ports.m_tready = 1 }
    }

    /// What the link has for it, and whether the link takes what it has.
    #[inline]
    pub(super) fn join(&mut self, end: &Endpoint) {
        let ports = &self.instance.ports;
        // SAFETY: TDATA has the bytes of a word, TKEEP an eighth of them.
        unsafe {
            *ports.link_up = end.session_open().into();
            *ports.tx_tready = end.source_ready().into();
            let beat = end.delivered();
            *ports.rx_tvalid = beat.is_some().into();
            if let Some(beat) = beat {
                beat.data
                    .as_ptr()
                    .copy_to_nonoverlapping(ports.rx_tdata, WORD);
                beat.keep
                    .as_ptr()
                    .copy_to_nonoverlapping(ports.rx_tkeep, WORD / 8);
                *ports.rx_tlast = beat.last.into();
                *ports.rx_tuser = beat.aborted.into();
            }
        }
    }

    /// The clock rises, and falls. Nothing is given or taken in the next cycle but what is said
    /// from now on.
    #[inline]
    pub(super) fn clock(&mut self) {
        let ports = self.instance.ports;
        // SAFETY: as in `set_reset`.
        unsafe { *ports.clk = 1 }
        self.instance.edge(true);
        // SAFETY: as in `set_reset`.
        let event = unsafe {
            *ports.clk = 0;
            *ports.s_tvalid = 0;
            *ports.m_tready = 0;
            *ports.event
        };
        self.instance.fall();
        if event != 0 {
            self.count(event);
        }
    }

    /// Adds `node_event_t`.
    fn count(&mut self, event: u16) {
        let bit = |bit: u16| u64::from(event >> bit & 1);
        let counts = &mut self.counts;
        counts.received += bit(11);
        counts.aborted += bit(10);
        counts.refused += bit(9) + bit(8) + bit(6);
        counts.marked += bit(5);
        counts.notices += bit(4);
        counts.sent += bit(3);
        counts.credits += bit(2);
        counts.lost += bit(1) + bit(0);
    }

    /// Offers to the link what it has for it.
    #[inline]
    pub(super) fn offer(&self, end: &mut Endpoint) {
        let ports = &self.instance.ports;
        // SAFETY: TDATA has the bytes of a word, TKEEP an eighth of them.
        unsafe {
            if *ports.tx_tvalid == 0 {
                end.offer_nothing();
                return;
            }
            let word = std::slice::from_raw_parts(ports.tx_tdata, WORD);
            // All bytes, or one of a packet that is void.
            let whole = *ports.tx_tkeep.add(1) != 0;
            end.offer(if whole { word } else { &word[..1] }, *ports.tx_tlast != 0);
        }
    }
}
