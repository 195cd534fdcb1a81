// SPDX-License-Identifier: Apache-2.0
//! One verilated `rdma` with its memory, behind a safe interface: what its users ask for is carried
//! out in the cycles that follow.

use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;

use super::WORD;
use super::ffi::{Instance, RawModel};
use super::memory::{Memory, MemoryConfig};
use super::model::Model;
use super::moves::{self, Move};
use super::network::{Network, Word};
use crate::SimError;
use crate::models::Context;

/// What an access came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessError {
    /// The engine answered with SLVERR.
    Refused,
    /// The engine has not answered in [`AccessError::PATIENCE`] cycles. The port answers when the
    /// engine is enabled and ready.
    NoAnswer,
    /// No access of the port: accepted are reads of 8 or 16 bytes, not more than the port is wide,
    /// at multiples of their size, and writes of up to 4096 bytes at multiples of 8, or less than
    /// that inside a word of the port.
    Shape,
}

impl AccessError {
    /// Cycles until an access is given up.
    pub const PATIENCE: u64 = 20_000;
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused => "the engine refused the access",
            Self::NoAnswer => "the engine does not answer; is it enabled and ready?",
            Self::Shape => {
                "no access of this port; accepted are reads of 8 or 16 bytes at multiples of their size, and writes at multiples of 8 \
                 bytes or inside a word of the port"
            }
        })
    }
}

impl std::error::Error for AccessError {}

/// Number of an access to the port; reads and writes count together.
pub type Ticket = u64;

/// An access to the port that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    /// Which one.
    pub ticket: Ticket,
    /// What was read; 0 for a write.
    pub result: Result<u128, AccessError>,
    /// Cycle in which its address was taken.
    pub begun: u64,
}

/// A word of the users' port on its way in.
#[derive(Debug, Clone, Copy)]
struct Beat {
    data: [u8; 32],
    strobes: u32,
    last: bool,
}

/// An access that waits for its turn.
#[derive(Debug, Clone, Copy)]
struct Access {
    ticket: Ticket,
    address: u64,
    size: u8,
    words: u16,
}

/// An access to the registers.
#[derive(Debug, Clone, Copy)]
struct Register {
    address: u32,
    value: Option<u32>,
    address_taken: bool,
    value_taken: bool,
}

/// One engine and its memory.
pub struct Node {
    instance: Instance,
    model: Model,
    /// The memory.
    pub memory: Memory,
    tickets: Ticket,
    /// Addresses and words of writes that wait; writes and reads that are answered in order, with
    /// the cycle that took them.
    writes: VecDeque<Access>,
    beats: VecDeque<Beat>,
    written: VecDeque<(Ticket, u64)>,
    reads: VecDeque<Access>,
    read: VecDeque<(Access, u64)>,
    done: Vec<Done>,
    register: Option<Register>,
    register_done: Option<Result<u32, AccessError>>,
    /// It is being reset.
    down: bool,
    moves: Option<Vec<(u64, Move)>>,
    /// Words of the network that it has taken, if they are kept.
    words: Option<Vec<Word>>,
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node")
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// Puts the bytes of a number at a port.
///
/// # Safety
/// The port has `N` bytes.
unsafe fn put<const N: usize>(port: *mut u8, value: [u8; N]) {
    // SAFETY: as promised by the caller.
    unsafe { port.cast::<[u8; N]>().write(value) }
}

impl Node {
    pub(super) fn new(
        context: &Rc<Context>,
        name: &str,
        raw: RawModel,
        model: Model,
        memory: &MemoryConfig,
        seed: u64,
    ) -> Result<Self, SimError> {
        let mut node = Self {
            instance: Instance::new(context, name, raw)?,
            model,
            memory: Memory::new(memory, seed),
            tickets: 0,
            writes: VecDeque::new(),
            beats: VecDeque::new(),
            written: VecDeque::new(),
            reads: VecDeque::new(),
            read: VecDeque::new(),
            done: Vec::new(),
            register: None,
            register_done: None,
            down: true,
            moves: None,
            words: None,
        };
        let ports = node.instance.ports;
        // SAFETY: ports of a live instance.
        unsafe {
            *ports.bready = 1;
            *ports.rready = 1;
            *ports.awburst = 1;
            *ports.arburst = 1;
            *ports.reg_bready = 1;
            *ports.reg_rready = 1;
            *ports.reg_wstrb = 15;
        }
        node.set_reset(true);
        Ok(node)
    }

    /// Its parameters.
    #[must_use]
    pub fn model(&self) -> Model {
        self.model
    }

    /// Bytes of a word of the users' port.
    #[must_use]
    pub fn port_bytes(&self) -> usize {
        usize::from(self.model.port_bits) / 8
    }

    /// While it is reset nothing moves at any of its ports; accesses under way are over without an
    /// answer.
    pub(super) fn set_reset(&mut self, reset: bool) {
        if reset {
            self.memory.reset();
            self.writes.clear();
            self.beats.clear();
            self.written.clear();
            self.reads.clear();
            self.read.clear();
            self.done.clear();
            self.register = None;
        }
        self.down = reset;
        // SAFETY: a port of a live instance.
        unsafe { *self.instance.ports.rst = reset.into() }
        self.instance.eval();
    }

    /// From now on the words of the network that it takes are kept for [`Node::words`].
    pub(super) fn keep_words(&mut self) {
        self.words.get_or_insert_default();
    }

    /// Those that it has taken since then.
    pub(super) fn words(&mut self) -> Vec<Word> {
        self.words.take().unwrap_or_default()
    }

    /// From now on what moves at its pins is kept for [`Node::moves`].
    pub fn watch(&mut self) {
        self.moves.get_or_insert_default();
    }

    /// What has moved since this was asked the last time, and in which cycle.
    pub fn moves(&mut self) -> impl Iterator<Item = (u64, Move)> + '_ {
        self.moves.iter_mut().flat_map(|moves| moves.drain(..))
    }

    /// Whether it is being reset.
    #[must_use]
    pub fn is_down(&self) -> bool {
        self.down
    }

    /// Whether an enabled event is set.
    #[must_use]
    pub fn interrupt(&self) -> bool {
        // SAFETY: a port of a live instance.
        unsafe { *self.instance.ports.irq != 0 }
    }

    fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        self.tickets
    }

    /// Begins to write to the users' port: one burst.
    ///
    /// # Errors
    /// [`AccessError::Shape`].
    pub fn start_write(&mut self, address: u64, data: &[u8]) -> Result<Ticket, AccessError> {
        let width = self.port_bytes();
        let offset = (address % width as u64) as usize;
        let whole =
            |unit: usize| address.is_multiple_of(unit as u64) && data.len().is_multiple_of(unit);
        // Bytes of a beat.
        let unit = if data.is_empty() || address >= 1 << self.address_bits() {
            return Err(AccessError::Shape);
        } else if whole(width) {
            width
        } else if offset + data.len() <= width {
            data.len()
        } else if whole(8) {
            8
        } else {
            return Err(AccessError::Shape);
        };
        let words = data.len() / unit;
        if words > 256 || (address % 4096) as usize + data.len() > 4096 {
            return Err(AccessError::Shape);
        }
        for (i, part) in data.chunks(unit).enumerate() {
            let lane = (offset + i * unit) % width;
            let mut beat = Beat {
                data: [0; 32],
                strobes: (((1u64 << unit) - 1) << lane) as u32,
                last: i + 1 == words,
            };
            beat.data[lane..lane + unit].copy_from_slice(part);
            self.beats.push_back(beat);
        }
        // A beat that is no power of two, or not at a multiple of it, is a word of the port with
        // strobes.
        let size = if unit.is_power_of_two() && offset.is_multiple_of(unit) {
            unit
        } else {
            width
        };
        let ticket = self.ticket();
        self.writes.push_back(Access {
            ticket,
            address,
            size: size.trailing_zeros() as u8,
            words: words as u16,
        });
        Ok(ticket)
    }

    /// Begins to read 8 or 16 bytes from the users' port.
    ///
    /// # Errors
    /// [`AccessError::Shape`].
    pub fn start_read(&mut self, address: u64, bytes: usize) -> Result<Ticket, AccessError> {
        if ![8, 16].contains(&bytes)
            || bytes > self.port_bytes()
            || !address.is_multiple_of(bytes as u64)
            || address >= 1 << self.address_bits()
        {
            return Err(AccessError::Shape);
        }
        let ticket = self.ticket();
        self.reads.push_back(Access {
            ticket,
            address,
            size: bytes.trailing_zeros() as u8,
            words: 1,
        });
        Ok(ticket)
    }

    /// Accesses to the users' port that are over since this was asked the last time.
    pub fn done(&mut self) -> impl Iterator<Item = Done> + '_ {
        self.done.drain(..)
    }

    /// Writes that wait for the port to take their address.
    #[must_use]
    pub fn waiting_writes(&self) -> usize {
        self.writes.len()
    }

    /// Bits of an address of the users' port: two windows of 4096 bytes for each page.
    fn address_bits(&self) -> u32 {
        self.model.pages.trailing_zeros() + 13
    }

    pub(super) fn start_register(&mut self, address: u32, value: Option<u32>) {
        self.register = Some(Register {
            address,
            value,
            address_taken: false,
            value_taken: value.is_none(),
        });
        self.register_done = None;
    }

    pub(super) fn register_done(&mut self) -> Option<Result<u32, AccessError>> {
        self.register_done.take()
    }

    pub(super) fn forget_register(&mut self) {
        self.register = None;
    }

    /// Sets all inputs and lets what depends on them settle.
    #[inline]
    pub(super) fn drive(&mut self, now: u64, number: usize, network: &mut Network) {
        let ports = self.instance.ports;
        self.memory.drive(now, &ports);
        // SAFETY: ports of a live instance with these sizes (see `rdma`).
        unsafe {
            *ports.clk = 0;
            let address = |port: *mut u8, value: u64| {
                let bytes = value.to_le_bytes();
                // A port of up to 16 bits has two bytes.
                let size = if self.address_bits() <= 16 { 2 } else { 4 };
                bytes.as_ptr().copy_to_nonoverlapping(port, size);
            };
            *ports.awvalid = u8::from(!self.writes.is_empty());
            if let Some(write) = self.writes.front() {
                address(ports.awaddr, write.address);
                *ports.awlen = (write.words - 1) as u8;
                *ports.awsize = write.size;
            }
            *ports.wvalid = u8::from(!self.beats.is_empty());
            if let Some(beat) = self.beats.front() {
                let width = self.port_bytes();
                beat.data
                    .as_ptr()
                    .copy_to_nonoverlapping(ports.wdata, width);
                let strobes = beat.strobes.to_le_bytes();
                strobes
                    .as_ptr()
                    .copy_to_nonoverlapping(ports.wstrb, width / 8);
                *ports.wlast = beat.last.into();
            }
            *ports.arvalid = u8::from(!self.reads.is_empty());
            if let Some(read) = self.reads.front() {
                address(ports.araddr, read.address);
                *ports.arsize = read.size;
            }
            let (mut reading, mut writing, mut value) = (false, false, false);
            if let Some(register) = &self.register {
                let at = (register.address as u16).to_le_bytes();
                reading = register.value.is_none() && !register.address_taken;
                writing = register.value.is_some() && !register.address_taken;
                value = !register.value_taken;
                put(ports.reg_araddr, at);
                put(ports.reg_awaddr, at);
                put(ports.reg_wdata, register.value.unwrap_or(0).to_le_bytes());
            }
            *ports.reg_arvalid = reading.into();
            *ports.reg_awvalid = writing.into();
            *ports.reg_wvalid = value.into();
            *ports.net_room = network.room(number);
            *ports.net_tready = network.ready(number).into();
            let offered = if self.down {
                network.cut(now, number);
                None
            } else {
                network.offered(now, number)
            };
            *ports.net_rvalid = offered.is_some().into();
            if let Some((word, last)) = offered {
                put(ports.net_rdata, word);
                *ports.net_rlast = last.into();
            }
        }
        self.instance.eval();
    }

    /// Takes what moves with the next edge.
    #[inline]
    pub(super) fn sample(&mut self, now: u64, number: usize, network: &mut Network) {
        if self.down {
            return;
        }
        let ports = self.instance.ports;
        if let Some(moves) = &mut self.moves {
            moves.extend(moves::moves(&ports).map(|what| (now, what)));
        }
        self.memory.sample(now, &ports);
        // SAFETY: ports of a live instance with these sizes.
        unsafe {
            let both = |a: *const u8, b: *const u8| *a != 0 && *b != 0;
            if both(ports.net_tvalid, ports.net_tready) {
                let word = ports.net_tdata.cast::<[u8; WORD]>().read();
                network.send(now, number, word, *ports.net_tlast != 0);
            }
            if both(ports.net_rvalid, ports.net_rready) {
                network.taken(number);
                if let Some(words) = &mut self.words {
                    words.push(ports.net_rdata.cast::<Word>().read());
                }
            }
            if both(ports.bvalid, ports.bready)
                && let Some((ticket, begun)) = self.written.pop_front()
            {
                let result = answer(*ports.bresp).map(|()| 0);
                self.done.push(Done {
                    ticket,
                    result,
                    begun,
                });
            }
            if both(ports.rvalid, ports.rready)
                && let Some((access, begun)) = self.read.pop_front()
            {
                let lane = (access.address % self.port_bytes() as u64) as usize;
                let from = ports.rdata.add(lane);
                let value = match access.size {
                    3 => u128::from(from.cast::<u64>().read_unaligned()),
                    _ => from.cast::<u128>().read_unaligned(),
                };
                let result = answer(*ports.rresp).map(|()| value);
                let ticket = access.ticket;
                self.done.push(Done {
                    ticket,
                    result,
                    begun,
                });
            }
            if both(ports.awvalid, ports.awready)
                && let Some(write) = self.writes.pop_front()
            {
                self.written.push_back((write.ticket, now));
            }
            if both(ports.wvalid, ports.wready) {
                self.beats.pop_front();
            }
            if both(ports.arvalid, ports.arready)
                && let Some(read) = self.reads.pop_front()
            {
                self.read.push_back((read, now));
            }
            if let Some(register) = &mut self.register {
                register.address_taken |= both(ports.reg_arvalid, ports.reg_arready)
                    || both(ports.reg_awvalid, ports.reg_awready);
                register.value_taken |= both(ports.reg_wvalid, ports.reg_wready);
                let over = if register.value.is_some() {
                    (*ports.reg_bvalid != 0).then(|| answer(*ports.reg_bresp).map(|()| 0))
                } else {
                    let value = u32::from_le_bytes(ports.reg_rdata.cast::<[u8; 4]>().read());
                    (*ports.reg_rvalid != 0).then(|| answer(*ports.reg_rresp).map(|()| value))
                };
                if over.is_some() {
                    self.register = None;
                    self.register_done = over;
                }
            }
        }
    }

    /// Lets the clock rise.
    #[inline]
    pub(super) fn rise(&mut self) {
        // SAFETY: a port of a live instance.
        unsafe { *self.instance.ports.clk = 1 }
        self.instance.edge(false);
    }
}

fn answer(response: u8) -> Result<(), AccessError> {
    match response {
        0 => Ok(()),
        _ => Err(AccessError::Refused),
    }
}
