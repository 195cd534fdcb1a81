// SPDX-License-Identifier: Apache-2.0
//! One verilated `slink` behind a safe interface, with its memory and the master of its registers.

use std::fmt;
use std::rc::Rc;

use ropewalk_wire::line::stripe::LANES;

use super::ffi::{Instance, RawModel};
use super::line::WORD_BITS;
use super::memory::Memory;
use crate::SimError;
use crate::models::Context;

/// A word of every lane.
pub(super) type Words = [u32; LANES];

/// An access to a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    None,
    /// Address and data that are still to be taken.
    Write {
        address: bool,
        data: bool,
    },
    Read {
        address: bool,
    },
    /// The answer: data of a read, and whether it was one without error.
    Done(u32, bool),
}

/// One end.
pub(super) struct End {
    instance: Instance,
    pub memory: Memory,
    access: Access,
}

impl fmt::Debug for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("End")
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

/// Sets an input.
macro_rules! set {
    ($end:ident.$port:ident = $value:expr) => {
        // SAFETY: a port of a live instance, of the type that `cpp/slink_shim.h` gives.
        unsafe { *$end.instance.ports.$port = $value }
    };
}

/// The value of an output.
macro_rules! get {
    ($end:ident.$port:ident) => {
        // SAFETY: as above.
        unsafe { *$end.instance.ports.$port }
    };
}

impl End {
    /// An end in reset.
    pub(super) fn new(
        context: &Rc<Context>,
        name: &str,
        raw: RawModel,
        memory: Vec<u8>,
    ) -> Result<Self, SimError> {
        let mut end = Self {
            instance: Instance::new(context, name, raw)?,
            memory: Memory::new(memory),
            access: Access::None,
        };
        set!(end.s_wstrb = 0xf);
        set!(end.s_bready = 1);
        set!(end.s_rready = 1);
        end.set_reset(true);
        Ok(end)
    }

    /// Reset of this end.
    pub(super) fn set_reset(&mut self, reset: bool) {
        set!(self.rst = u8::from(reset));
        self.instance.eval();
    }

    /// The words that it sends in this cycle.
    pub(super) fn sent(&self) -> Words {
        let mut bits = 0u128;
        for word in 0..3 {
            // SAFETY: a port of three words of a live instance.
            bits |= u128::from(unsafe { *self.instance.ports.tx_data.add(word) }) << (32 * word);
        }
        std::array::from_fn(|lane| {
            (bits >> (WORD_BITS as usize * lane)) as u32 & ((1 << WORD_BITS) - 1)
        })
    }

    /// The words that arrive in this cycle.
    pub(super) fn receive(&mut self, words: &Words) {
        let mut bits = 0u128;
        for (lane, &word) in words.iter().enumerate() {
            bits |= u128::from(word) << (WORD_BITS as usize * lane);
        }
        for word in 0..3 {
            // SAFETY: as above.
            unsafe { *self.instance.ports.rx_data.add(word) = (bits >> (32 * word)) as u32 }
        }
    }

    /// Begins to write a register.
    pub(super) fn begin_write(&mut self, address: u32, value: u32) {
        set!(self.s_awaddr = address as u8);
        set!(self.s_wdata = value);
        self.access = Access::Write {
            address: true,
            data: true,
        };
    }

    /// Begins to read a register.
    pub(super) fn begin_read(&mut self, address: u32) {
        set!(self.s_araddr = address as u8);
        self.access = Access::Read { address: true };
    }

    /// What the access has given, once it is over: data, and whether the register is there.
    pub(super) fn finished(&mut self) -> Option<(u32, bool)> {
        match self.access {
            Access::Done(value, good) => {
                self.access = Access::None;
                Some((value, good))
            }
            _ => None,
        }
    }

    /// Lets the clock rise and fall: what stands at the ports in this cycle moves with it.
    #[inline]
    pub(super) fn step(&mut self, now: u64) {
        self.drive();
        // Some outputs follow the inputs at once.
        self.instance.eval();
        self.sample(now);
        set!(self.clk = 1);
        set!(self.rx_clk = 1);
        self.instance.edge(false);
        set!(self.clk = 0);
        set!(self.rx_clk = 0);
        self.instance.fall();
    }

    fn drive(&mut self) {
        let offer = self.memory.offer();
        set!(self.m_arready = u8::from(offer.takes_read));
        set!(self.m_awready = u8::from(offer.takes_write));
        set!(self.m_wready = u8::from(offer.takes_data));
        set!(self.m_rvalid = u8::from(offer.data.is_some()));
        if let Some((data, answer, last)) = offer.data {
            set!(self.m_rdata = data);
            set!(self.m_rresp = answer);
            set!(self.m_rlast = u8::from(last));
        }
        set!(self.m_bvalid = u8::from(offer.answer.is_some()));
        set!(self.m_bresp = offer.answer.unwrap_or(0));
        let (aw, w, ar) = match self.access {
            Access::Write { address, data } => (address, data, false),
            Access::Read { address } => (false, false, address),
            _ => (false, false, false),
        };
        set!(self.s_awvalid = u8::from(aw));
        set!(self.s_wvalid = u8::from(w));
        set!(self.s_arvalid = u8::from(ar));
    }

    fn sample(&mut self, now: u64) {
        let offer = self.memory.offer();
        let on = |port: u8| port != 0;
        // In the order of a memory that answers in the next cycle: what is asked for now is offered
        // then.
        if offer.data.is_some() {
            self.memory.offered(now);
            if on(get!(self.m_rready)) {
                self.memory.taken();
            }
        }
        if offer.takes_read && on(get!(self.m_arvalid)) {
            self.memory.ask(get!(self.m_araddr), get!(self.m_arlen));
        }
        if offer.answer.is_some() && on(get!(self.m_bready)) {
            self.memory.answered();
        }
        if offer.takes_data && on(get!(self.m_wvalid)) {
            let (data, strobe, last) = (
                get!(self.m_wdata),
                get!(self.m_wstrb),
                on(get!(self.m_wlast)),
            );
            self.memory.write(now, data, strobe, last);
        }
        if offer.takes_write && on(get!(self.m_awvalid)) {
            self.memory
                .announce(get!(self.m_awaddr), get!(self.m_awlen));
        }
        self.access = match self.access {
            Access::Write { address, data } => {
                if !address && !data && on(get!(self.s_bvalid)) {
                    Access::Done(0, get!(self.s_bresp) == 0)
                } else {
                    Access::Write {
                        address: address && !on(get!(self.s_awready)),
                        data: data && !on(get!(self.s_wready)),
                    }
                }
            }
            Access::Read { address } => {
                if !address && on(get!(self.s_rvalid)) {
                    Access::Done(get!(self.s_rdata), get!(self.s_rresp) == 0)
                } else {
                    Access::Read {
                        address: address && !on(get!(self.s_arready)),
                    }
                }
            }
            other => other,
        };
    }
}
