// SPDX-License-Identifier: Apache-2.0
//! The player and the capture of streams (`cores/traffic`), the real RTL, behind their register
//! bus; what is played comes back to the capture over a line.

use std::collections::VecDeque;
use std::fmt;

use crate::SimError;
use crate::models::{self, Ports as _, Recipe};

/// Rising edges of the clock of the streams for one of the bus.
const RATIO: u64 = 3;
/// Edges of the bus within which an access is answered: a page of another clock takes longest.
const ANSWERED: u64 = 1000;
/// Edges of the bus in reset, and behind it.
const RESET: u64 = 40;

/// A compiled `traffic`.
type RawModel = models::RawModel<Ports>;

// SAFETY: mirrors `TrafficPorts`.
unsafe impl models::Ports for Ports {
    const SHIM: &'static str = "traffic_shim.inc";
}

/// Addresses of the ports of one model; mirrors `cpp/traffic_shim.h`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Ports {
    clk: *mut u8,
    axil_clk: *mut u8,
    arst: *mut u8,
    axil_arst: *mut u8,
    m_tready: *mut u8,
    s_tdata: *mut u8,
    s_tkeep: *mut u8,
    s_tlast: *mut u8,
    s_tvalid: *mut u8,
    awaddr: *mut u8,
    awvalid: *mut u8,
    wdata: *mut u8,
    wstrb: *mut u8,
    wvalid: *mut u8,
    bready: *mut u8,
    araddr: *mut u8,
    arvalid: *mut u8,
    rready: *mut u8,
    m_tdata: *const u8,
    m_tkeep: *const u8,
    m_tlast: *const u8,
    m_tvalid: *const u8,
    s_tready: *const u8,
    awready: *const u8,
    wready: *const u8,
    bresp: *const u8,
    bvalid: *const u8,
    arready: *const u8,
    rdata: *const u8,
    rresp: *const u8,
    rvalid: *const u8,
}

/// Bytes of a beat of the model: TDATA is four words of the simulator, TKEEP two bytes.
pub const WIDTH: usize = 16;
/// Beats of either memory.
pub const DEPTH: usize = 64;

/// A beat on the line.
#[derive(Debug, Clone, Copy)]
struct Beat {
    data: [u8; WIDTH],
    keep: [u8; WIDTH / 8],
    last: u8,
    /// The capture is offered it from this edge on.
    due: u64,
}

/// One core; its memories have [`DEPTH`] beats of [`WIDTH`] bytes.
pub struct Traffic {
    instance: models::Instance<Ports>,
    /// Rising edges of the clock of the streams so far.
    edges: u64,
    line: VecDeque<Beat>,
    /// Edges that the line takes.
    delay: u64,
    /// Beats that have entered the line.
    sent: u64,
    /// The beat of this number loses a bit on the line.
    damaged: Option<u64>,
}

impl fmt::Debug for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Traffic")
            .field("edges", &self.edges)
            .field("sent", &self.sent)
            .finish_non_exhaustive()
    }
}

impl Traffic {
    /// A core behind its resets. The line takes `delay` cycles; bit 0 of the beat of number
    /// `damaged` changes on it.
    ///
    /// # Errors
    /// The simulator cannot be built: see [`crate::rifl::Model::prepare`].
    pub fn new(delay: u64, damaged: Option<u64>) -> Result<Self, SimError> {
        let recipe = Recipe {
            name: format!("traffic_{WIDTH}_{DEPTH}"),
            core: "traffic",
            top: "traffic",
            parameters: vec![
                ("Bytes", WIDTH as u64),
                ("PlayDepth", DEPTH as u64),
                ("CaptureDepth", DEPTH as u64),
            ],
            shim: Ports::SHIM,
            // All inputs are settled before a clock rises: nothing is left to do for any.
            received: "clk_i",
            traced: false,
            brief: true,
        };
        let raw = RawModel::load(&recipe, &mut |_| ())?;
        let mut traffic = Self {
            instance: models::Instance::new(&raw.context(), "traffic", raw)?,
            edges: 0,
            line: VecDeque::new(),
            delay,
            sent: 0,
            damaged,
        };
        let ports = traffic.instance.ports;
        for input in [
            ports.clk,
            ports.axil_clk,
            ports.awvalid,
            ports.wvalid,
            ports.arvalid,
        ] {
            traffic.set(input, 0);
        }
        traffic.set(ports.s_tvalid, 0);
        for (input, value) in [(ports.m_tready, 1), (ports.bready, 1), (ports.rready, 1)] {
            traffic.set(input, value);
        }
        traffic.set(ports.wstrb, 0xf);
        for level in [1, 0] {
            traffic.set(ports.arst, level);
            traffic.set(ports.axil_arst, level);
            traffic.instance.eval();
            (0..RESET).for_each(|_| traffic.bus_edge());
        }
        Ok(traffic)
    }

    /// Sets a port of a byte.
    fn set(&mut self, port: *mut u8, value: u8) {
        // SAFETY: a port of the live instance, of a byte at least.
        unsafe { *port = value }
    }

    /// The lowest bit of a port.
    fn is(&self, port: *const u8) -> bool {
        // SAFETY: a port of the live instance.
        unsafe { *port & 1 != 0 }
    }

    /// The line, as it is offered in this cycle of the streams, and what enters it.
    fn stream_edge(&mut self, with_bus: bool) {
        let ports = self.instance.ports;
        let offered = self
            .line
            .front()
            .copied()
            .filter(|beat| beat.due <= self.edges);
        self.set(ports.s_tvalid, offered.is_some().into());
        if let Some(beat) = offered {
            self.set(ports.s_tlast, beat.last);
            // SAFETY: ports of the live instance of these sizes.
            unsafe {
                ports
                    .s_tdata
                    .cast::<[u8; WIDTH]>()
                    .write_unaligned(beat.data);
                ports
                    .s_tkeep
                    .cast::<[u8; WIDTH / 8]>()
                    .write_unaligned(beat.keep);
            }
        }
        self.instance.eval();
        if offered.is_some() && self.is(ports.s_tready) {
            self.line.pop_front();
        }
        if self.is(ports.m_tvalid) {
            // SAFETY: ports of the live instance of these sizes.
            let (mut data, keep, last) = unsafe {
                (
                    ports.m_tdata.cast::<[u8; WIDTH]>().read_unaligned(),
                    ports.m_tkeep.cast::<[u8; WIDTH / 8]>().read_unaligned(),
                    *ports.m_tlast,
                )
            };
            data[0] ^= u8::from(self.damaged == Some(self.sent));
            self.sent += 1;
            let due = self.edges + self.delay;
            self.line.push_back(Beat {
                data,
                keep,
                last,
                due,
            });
        }
        self.set(ports.clk, 1);
        self.set(ports.axil_clk, with_bus.into());
        self.instance.edge(true);
        self.set(ports.clk, 0);
        self.set(ports.axil_clk, 0);
        self.instance.fall();
        self.edges += 1;
    }

    /// One edge of the bus, and those of the streams before it.
    fn bus_edge(&mut self) {
        for edge in 1..=RATIO {
            self.stream_edge(edge == RATIO);
        }
    }

    /// Drops each of these requests with its acknowledge, (valid, ready), until `answer` stands
    /// before an edge.
    fn access(&mut self, requests: &[(*mut u8, *const u8)], answer: *const u8) {
        for (valid, _) in requests {
            self.set(*valid, 1);
        }
        for _ in 0..ANSWERED {
            self.instance.eval();
            let answered = self.is(answer);
            let taken: Vec<bool> = requests.iter().map(|(_, ready)| self.is(*ready)).collect();
            if answered {
                return;
            }
            self.bus_edge();
            for ((valid, _), taken) in requests.iter().zip(taken) {
                if taken {
                    self.set(*valid, 0);
                }
            }
        }
        panic!("the bus has not answered within {ANSWERED} cycles");
    }

    /// The word of 32 bits at a byte address of the bus; `None` if the core answers with an error.
    /// Time goes on meanwhile.
    ///
    /// # Panics
    /// The core does not answer, which is a fault of it.
    pub fn read32(&mut self, address: u32) -> Option<u32> {
        let ports = self.instance.ports;
        // SAFETY: `s_axil_araddr` has 13 bits, kept in two bytes.
        unsafe { ports.araddr.cast::<u16>().write_unaligned(address as u16) }
        self.access(&[(ports.arvalid, ports.arready)], ports.rvalid);
        // SAFETY: ports of the live instance, of 32 bits and of two.
        let (word, good) = unsafe {
            (
                ports.rdata.cast::<u32>().read_unaligned(),
                *ports.rresp & 3 == 0,
            )
        };
        self.bus_edge();
        good.then_some(word)
    }

    /// Writes the word of 32 bits at a byte address of the bus; whether the core answers without an
    /// error.
    ///
    /// # Panics
    /// As [`Traffic::read32`].
    pub fn write32(&mut self, address: u32, value: u32) -> bool {
        let ports = self.instance.ports;
        // SAFETY: `s_axil_awaddr` has 13 bits, kept in two bytes, `s_axil_wdata` 32.
        unsafe {
            ports.awaddr.cast::<u16>().write_unaligned(address as u16);
            ports.wdata.cast::<u32>().write_unaligned(value);
        }
        let requests = [(ports.awvalid, ports.awready), (ports.wvalid, ports.wready)];
        self.access(&requests, ports.bvalid);
        // SAFETY: a port of the live instance.
        let good = unsafe { *ports.bresp & 3 == 0 };
        self.bus_edge();
        good
    }
}
