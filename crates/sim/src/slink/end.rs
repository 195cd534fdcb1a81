// SPDX-License-Identifier: Apache-2.0
//! One verilated `slink` behind a safe interface, with its memory and the master of its registers.

use std::fmt;
use std::rc::Rc;

use ropewalk_wire::line::Lanes;
use ropewalk_wire::line::stripe::LANES;
use ropewalk_wire::slink::mode::LineMode;

use super::ffi::{Instance, RawModel};
use super::line::PORT_BITS;
use super::memory::{MOST, Memory};
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
    /// The reset pin.
    pin: bool,
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
        memory: Memory,
    ) -> Result<Self, SimError> {
        let mut end = Self {
            instance: Instance::new(context, name, raw)?,
            memory,
            access: Access::None,
            pin: true,
        };
        end.set_able(true, true);
        set!(end.s_wstrb = 0xf);
        set!(end.s_bready = 1);
        set!(end.s_rready = 1);
        end.set_reset(true);
        Ok(end)
    }

    /// What its transceivers are able to do.
    pub(super) fn set_able(&mut self, fast: bool, blocks: bool) {
        set!(self.able_fast = u8::from(fast));
        set!(self.able_coding = u8::from(blocks));
    }

    /// Reset of this end, of what is on its buses, too: an access that is under way is cut.
    pub(super) fn set_reset(&mut self, reset: bool) {
        set!(self.rst = u8::from(reset));
        self.pin = reset;
        self.access = Access::None;
        self.instance.eval();
    }

    /// What is on its buses is in reset.
    pub(super) fn in_reset(&self) -> bool {
        // Behind the pin it takes an edge.
        get!(self.rst_out) != 0 || self.pin
    }

    /// The mode that its transceivers are in, and the lanes in use as a mask; no mode: off.
    #[inline]
    pub(super) fn mode_ports(&self) -> [u8; 3] {
        [get!(self.speed), get!(self.lanes), get!(self.coding)]
    }

    /// The same for reading.
    pub(super) fn mode(&self) -> Option<LineMode> {
        let [speed, mask, coding] = self.mode_ports();
        let mut lanes = Lanes::ALL.into_iter();
        let lanes = lanes.find(|lanes| lanes.count() as u32 == mask.count_ones())?;
        LineMode::new(speed, lanes, coding)
    }

    /// The words that it sends in this cycle.
    pub(super) fn sent(&self) -> Words {
        let mut bits = 0u128;
        for word in 0..3 {
            // SAFETY: a port of three words of a live instance.
            bits |= u128::from(unsafe { *self.instance.ports.tx_data.add(word) }) << (32 * word);
        }
        std::array::from_fn(|lane| {
            (bits >> (PORT_BITS as usize * lane)) as u32 & ((1 << PORT_BITS) - 1)
        })
    }

    /// The words that arrive in this cycle.
    pub(super) fn receive(&mut self, words: &Words) {
        let mut bits = 0u128;
        for (lane, &word) in words.iter().enumerate() {
            bits |= u128::from(word) << (PORT_BITS as usize * lane);
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

    /// An access to a register is under way, or its answer was not fetched.
    pub(super) fn accessed(&self) -> bool {
        self.access != Access::None
    }

    /// Lets the clocks rise and fall, its own one and that of the line, or one of them: what stands
    /// at the ports in this cycle moves with them.
    #[inline]
    pub(super) fn step(&mut self, now: u64, own: bool, line: bool) {
        if own {
            self.drive();
            // Some outputs follow the inputs at once.
            self.instance.eval();
            if self.in_reset() {
                self.memory.reset();
            } else {
                self.sample(now);
            }
        }
        set!(self.clk = u8::from(own));
        set!(self.rx_clk = u8::from(line));
        self.instance.edge(false);
        set!(self.clk = 0);
        set!(self.rx_clk = 0);
        self.instance.fall();
    }

    fn drive(&mut self) {
        self.memory.turn();
        let offer = self.memory.offer();
        set!(self.m_arready = u8::from(offer.takes_read));
        set!(self.m_awready = u8::from(offer.takes_write));
        set!(self.m_wready = u8::from(offer.takes_data));
        set!(self.m_rvalid = u8::from(offer.data.is_some()));
        if let Some((data, answer, last)) = offer.data {
            let port = self.instance.ports.m_rdata;
            // SAFETY: a port of a live instance with as many bytes as a beat has.
            unsafe { port.copy_from_nonoverlapping(data.as_ptr(), self.memory.beat()) };
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
        if offer.answer.is_some() {
            self.memory.answered(on(get!(self.m_bready)));
        }
        if offer.takes_data && on(get!(self.m_wvalid)) {
            let (mut data, mut strobe) = ([0; MOST], [0; 2]);
            let (beat, ports) = (self.memory.beat(), &self.instance.ports);
            // SAFETY: ports of a live instance with as many bytes, and a bit for each of them.
            unsafe {
                ports
                    .m_wdata
                    .copy_to_nonoverlapping(data.as_mut_ptr(), beat);
                ports
                    .m_wstrb
                    .copy_to_nonoverlapping(strobe.as_mut_ptr(), beat / 8);
            }
            let last = on(get!(self.m_wlast));
            self.memory
                .write(now, &data, u16::from_le_bytes(strobe), last);
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
