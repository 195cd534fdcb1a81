// SPDX-License-Identifier: Apache-2.0
//! One verilated `rifl_link` endpoint behind a safe interface.

use std::fmt;
use std::rc::Rc;

use super::ffi::{Instance, RawModel};
use super::model::Model;
use crate::SimError;
use crate::models::Context;

/// Which clocks of an endpoint rise together.
///
/// The frame clock rises only together with the transmit clock, every F/64 of its edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Edges {
    /// PHY transmit clock.
    pub tx: bool,
    /// Frame clock, which is the user's clock.
    pub frame: bool,
    /// PHY receive clock.
    pub rx: bool,
}

impl Edges {
    /// Both PHY clocks.
    pub const PHY: Self = Self {
        tx: true,
        frame: false,
        rx: true,
    };
    /// All three clocks.
    pub const ALL: Self = Self {
        tx: true,
        frame: true,
        rx: true,
    };
}

/// State of the transmitter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TxState {
    /// Fills the retransmission buffer.
    Init,
    /// Asks the peer to pause: the own receiver is not up.
    SendPause,
    /// The peer asked for a pause.
    Pause,
    /// Retransmits.
    Retrans,
    /// Asks the peer to retransmit.
    SendRetrans,
    /// Sends data.
    Normal,
    /// A code that the RTL never uses.
    Unknown,
}

impl From<u8> for TxState {
    fn from(code: u8) -> Self {
        match code {
            0 => Self::Init,
            1 => Self::SendPause,
            2 => Self::Pause,
            3 => Self::Retrans,
            4 => Self::SendRetrans,
            5 => Self::Normal,
            _ => Self::Unknown,
        }
    }
}

/// The status outputs of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // named as the ports of `rifl_link`, where they are described
pub struct Outputs {
    pub link_up: bool,
    pub tx_state: TxState,
    pub rx_aligned: bool,
    pub rx_up: bool,
    pub rx_error: bool,
    pub rx_pause_req: bool,
    pub rx_retrans_req: bool,
    pub local_fc: bool,
    pub remote_fc: bool,
    pub compensate: bool,
    pub rx_overflow: bool,
    pub rx_slip: u8,
}

/// One beat of a stream as it stands at a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beat<'a> {
    /// All lanes, byte 0 first.
    pub data: &'a [u8],
    /// One bit per lane: the byte is part of the packet.
    pub keep: u64,
    /// Last beat of the packet.
    pub last: bool,
}

impl<'a> Beat<'a> {
    /// The bytes of the packet, if TKEEP is legal: all ones, or on the last beat contiguous from byte 0.
    #[inline]
    pub fn bytes(&self) -> Option<&'a [u8]> {
        let count = self.keep.trailing_ones() as usize;
        let contiguous = count == 64 || self.keep >> count == 0;
        let complete = self.last || count == self.data.len();
        if contiguous && complete {
            self.data.get(..count)
        } else {
            None
        }
    }
}

/// One `rifl_link`, made of RTL, with its ports as methods.
///
/// Reading an output gives its value after the last [`Endpoint::step`]. An input takes effect at the next step
/// and keeps its value. The inputs of the user side belong to the frame clock: change them right after a step
/// with a frame edge.
pub struct Endpoint {
    instance: Instance,
    model: Model,
    /// An input other than the received word changed.
    settle: bool,
    /// Falling edges are left to [`Endpoint::fall`].
    keep_high: bool,
    /// Evaluate everything at every step.
    plain: bool,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("model", &self.model)
            .field("outputs", &self.outputs())
            .finish_non_exhaustive()
    }
}

impl Endpoint {
    /// An endpoint in reset (release it with [`Endpoint::set_reset`] after some steps), nothing offered by its
    /// source and its sink not ready.
    ///
    /// # Errors
    /// As [`Model::prepare`].
    pub fn new(model: Model) -> Result<Self, SimError> {
        model.validate()?;
        let raw = RawModel::load(&model, false, &mut |_| ())?;
        Self::in_context(&raw.context(), "rifl", model, raw, false)
    }

    /// The same in a given context, with or without trace code.
    pub(super) fn in_context(
        context: &Rc<Context>,
        name: &str,
        model: Model,
        raw: &'static RawModel,
        traced: bool,
    ) -> Result<Self, SimError> {
        let mut endpoint = Self {
            instance: Instance::new(context, name, raw)?,
            model,
            settle: true,
            keep_high: traced,
            plain: traced,
        };
        // The first evaluation sees low clocks and no reset, so that the reset is an edge.
        endpoint.instance.eval();
        endpoint.set_reset(true);
        endpoint.instance.eval();
        Ok(endpoint)
    }

    /// The parameters of this endpoint.
    pub fn model(&self) -> Model {
        self.model
    }

    /// Bytes of a beat.
    #[inline]
    pub fn beat_bytes(&self) -> usize {
        usize::from(self.model.frame_width) / 8
    }

    /// Evaluates the whole design at every step, without the shortcuts that make the simulation fast. The
    /// results are the same; tests compare them.
    pub fn set_plain_evaluation(&mut self, plain: bool) {
        self.plain = plain;
        self.settle = true;
    }

    /// Lets clocks rise (and fall again, except while traced) and everything that follows happen.
    #[inline]
    pub fn step(&mut self, edges: Edges) {
        let ports = &self.instance.ports;
        // SAFETY: the ports of a live instance; no reference to them is held.
        unsafe {
            *ports.phy_tx_clk = u8::from(edges.tx);
            *ports.frame_clk = u8::from(edges.frame);
            *ports.user_clk = u8::from(edges.frame);
            *ports.phy_rx_clk = u8::from(edges.rx);
        }
        if self.plain {
            self.instance.eval();
        } else {
            self.instance.edge(std::mem::take(&mut self.settle));
        }
        if !self.keep_high {
            self.fall();
        }
    }

    /// All clocks low.
    #[inline]
    pub(super) fn fall(&mut self) {
        let ports = &self.instance.ports;
        // SAFETY: as in `step`.
        unsafe {
            *ports.phy_tx_clk = 0;
            *ports.frame_clk = 0;
            *ports.user_clk = 0;
            *ports.phy_rx_clk = 0;
        }
        if self.plain {
            self.instance.eval();
        } else {
            self.instance.fall();
        }
    }

    /// Holds the endpoint in reset, or releases it. Asynchronous in the RTL.
    pub fn set_reset(&mut self, reset: bool) {
        // SAFETY: as in `step`.
        unsafe {
            *self.instance.ports.rst = u8::from(reset);
            *self.instance.ports.user_rst = u8::from(reset);
        }
        self.settle = true;
    }

    /// The word that the receiver takes at the next receive clock; bit 0 is first in time.
    #[inline]
    pub fn set_rx_data(&mut self, word: u64) {
        // SAFETY: as in `step`.
        unsafe { *self.instance.ports.phy_rx_data = word }
    }

    /// The word on the line.
    #[inline]
    pub fn tx_data(&self) -> u64 {
        // SAFETY: as in `step`.
        unsafe { *self.instance.ports.phy_tx_data }
    }

    /// Offers a beat: `bytes` from lane 0 on, at most [`Endpoint::beat_bytes`] of them. The other lanes keep what
    /// they had; TKEEP leaves them out.
    #[inline]
    pub fn offer(&mut self, bytes: &[u8], last: bool) {
        let lanes = self.beat_bytes();
        let count = bytes.len().min(lanes);
        let keep = if count == 64 {
            u64::MAX
        } else {
            (1 << count) - 1
        };
        let ports = &self.instance.ports;
        // SAFETY: TDATA has `lanes` bytes and TKEEP `lanes / 8`, both are little endian, and `count <= lanes`.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), ports.s_tdata, count);
            std::ptr::copy_nonoverlapping(keep.to_le_bytes().as_ptr(), ports.s_tkeep, lanes / 8);
            *ports.s_tlast = u8::from(last);
            *ports.s_tvalid = 1;
        }
        self.settle = true;
    }

    /// Offers nothing.
    #[inline]
    pub fn offer_nothing(&mut self) {
        // SAFETY: as in `step`.
        unsafe { *self.instance.ports.s_tvalid = 0 }
        self.settle = true;
    }

    /// The endpoint takes the beat that its source offers, if any, at the next frame clock.
    #[inline]
    pub fn source_ready(&self) -> bool {
        // SAFETY: as in `step`.
        unsafe { *self.instance.ports.s_tready != 0 }
    }

    /// A beat is offered to the endpoint.
    #[inline]
    pub fn source_valid(&self) -> bool {
        // SAFETY: as in `step`.
        unsafe { *self.instance.ports.s_tvalid != 0 }
    }

    /// The beat that is offered to the endpoint, if any.
    pub fn offered(&self) -> Option<Beat<'_>> {
        let ports = &self.instance.ports;
        // SAFETY: as in `delivered`; TDATA and TKEEP of the source are inputs, written only through `&mut self`.
        unsafe {
            self.beat(
                *ports.s_tvalid,
                ports.s_tdata,
                ports.s_tkeep,
                *ports.s_tlast,
            )
        }
    }

    /// Says whether the sink takes a beat at the next frame clock.
    #[inline]
    pub fn set_sink_ready(&mut self, ready: bool) {
        // SAFETY: as in `step`.
        unsafe {
            let port = self.instance.ports.m_tready;
            if *port != u8::from(ready) {
                *port = u8::from(ready);
                self.settle = true;
            }
        }
    }

    /// The sink takes a beat at the next frame clock, if there is one.
    #[inline]
    pub fn sink_ready(&self) -> bool {
        // SAFETY: as in `step`.
        unsafe { *self.instance.ports.m_tready != 0 }
    }

    /// The beat that stands at the sink, if any.
    #[inline]
    pub fn delivered(&self) -> Option<Beat<'_>> {
        let ports = &self.instance.ports;
        // SAFETY: TDATA has as many bytes as lanes and TKEEP an eighth of it; the beat borrows `self`, and the
        // model writes only through `&mut self`.
        unsafe {
            self.beat(
                *ports.m_tvalid,
                ports.m_tdata,
                ports.m_tkeep,
                *ports.m_tlast,
            )
        }
    }

    /// # Safety
    /// The pointers are those of one stream of this instance.
    #[inline]
    unsafe fn beat(
        &self,
        valid: u8,
        data: *const u8,
        keep: *const u8,
        last: u8,
    ) -> Option<Beat<'_>> {
        if valid == 0 {
            return None;
        }
        let lanes = self.beat_bytes();
        let mut kept = [0; 8];
        // SAFETY: see `delivered`.
        let data = unsafe {
            std::ptr::copy_nonoverlapping(keep, kept.as_mut_ptr(), lanes / 8);
            std::slice::from_raw_parts(data, lanes)
        };
        Some(Beat {
            data,
            keep: u64::from_le_bytes(kept),
            last: last != 0,
        })
    }

    /// Both ends are up and user data flows.
    #[inline]
    pub fn link_up(&self) -> bool {
        // SAFETY: as in `step`.
        unsafe { *self.instance.ports.link_up != 0 }
    }

    /// State of the transmitter.
    #[inline]
    pub fn tx_state(&self) -> TxState {
        // SAFETY: as in `step`.
        TxState::from(unsafe { *self.instance.ports.tx_state })
    }

    /// All status outputs.
    pub fn outputs(&self) -> Outputs {
        let ports = &self.instance.ports;
        // SAFETY: as in `step`.
        unsafe {
            Outputs {
                link_up: *ports.link_up != 0,
                tx_state: TxState::from(*ports.tx_state),
                rx_aligned: *ports.rx_aligned != 0,
                rx_up: *ports.rx_up != 0,
                rx_error: *ports.rx_error != 0,
                rx_pause_req: *ports.rx_pause_req != 0,
                rx_retrans_req: *ports.rx_retrans_req != 0,
                local_fc: *ports.local_fc != 0,
                remote_fc: *ports.remote_fc != 0,
                compensate: *ports.compensate != 0,
                rx_overflow: *ports.rx_overflow != 0,
                rx_slip: *ports.rx_slip,
            }
        }
    }
}
