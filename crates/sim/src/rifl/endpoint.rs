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
/// The frame clock rises only together with the transmit clock, every F/64 of its edges; the user
/// clock every [`Model::user_cycles`] of them, and whenever the frame clock rises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Edges {
    /// PHY transmit clock.
    pub tx: bool,
    /// Frame clock.
    pub frame: bool,
    /// Clock of the user's streams.
    pub user: bool,
    /// PHY receive clocks of all lanes.
    pub rx: bool,
}

impl Edges {
    /// Both PHY clocks.
    pub const PHY: Self = Self {
        tx: true,
        frame: false,
        user: false,
        rx: true,
    };
    /// All clocks.
    pub const ALL: Self = Self {
        tx: true,
        frame: true,
        user: true,
        rx: true,
    };
}

/// Lowest bit of `round_trip` in `lane_status_t`.
const ROUND_TRIP: u32 = 16;

/// State of the transmitter of a lane.
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

/// What an endpoint says of its session (`link_status_t` of `rifl_ext_pkg`); codes as in the
/// register `session`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionStatus {
    /// HELLO, READY, UP, REFUSED.
    pub phase: u8,
    /// Why it is not up.
    pub reason: u8,
    /// The same as the peer says it.
    pub peer_reason: u8,
    /// Number of the own session.
    pub own: u16,
    /// Number of the peer's session; 0: none.
    pub peer: u16,
}

/// The status outputs of one lane of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // named as the fields of `lane_status_t` in `rifl_pkg`, where they are described
pub struct Outputs {
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
    /// In frames, with what the extended mode adds for the peer's reaction; 0: not measured.
    pub round_trip: u16,
}

/// One beat of a stream as it stands at a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beat<'a> {
    /// All bytes of TDATA, byte 0 first.
    pub data: &'a [u8],
    /// TKEEP: bit `i % 8` of byte `i / 8` says that byte `i` is part of the packet.
    pub keep: &'a [u8],
    /// Last beat of the packet.
    pub last: bool,
    /// TUSER with the last beat: the packet was cut, and this beat, which is not part of it, ends
    /// it.
    pub aborted: bool,
}

impl<'a> Beat<'a> {
    /// The bytes of the packet, if TKEEP is legal: all ones, or on the last beat contiguous from
    /// byte 0.
    #[inline]
    pub fn bytes(&self) -> Option<&'a [u8]> {
        let whole = self.keep.iter().take_while(|bits| **bits == 0xff).count();
        let (mut count, mut legal) = (8 * whole, true);
        if let Some((partial, rest)) = self.keep.get(whole..).and_then(<[u8]>::split_first) {
            let ones = partial.trailing_ones();
            count += ones as usize;
            legal = self.last && partial >> ones == 0 && rest.iter().all(|bits| *bits == 0);
        }
        if legal { self.data.get(..count) } else { None }
    }
}

/// One `rifl_link`, made of RTL, with its ports as methods.
///
/// Reading an output gives its value after the last [`Endpoint::step`]. An input takes effect at
/// the next step and keeps its value. The inputs of the user side belong to the user clock: change
/// them right after a step with an edge of it.
pub struct Endpoint {
    instance: Instance,
    model: Model,
    /// One bit per lane.
    all_lanes: u8,
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
            .field("link_up", &self.link_up())
            .field("lanes", &self.all_outputs())
            .finish_non_exhaustive()
    }
}

impl Endpoint {
    /// An endpoint in reset (release it with [`Endpoint::set_reset`] after some steps), nothing
    /// offered by its source and its sink not ready.
    ///
    /// # Errors
    /// As [`Model::prepare`].
    pub fn new(model: Model) -> Result<Self, SimError> {
        model.validate()?;
        let raw = RawModel::load(&model.recipe(false, false), &mut |_| ())?;
        Self::in_context(&raw.context(), "rifl", model, raw, false)
    }

    /// A context for endpoints of a model.
    pub(crate) fn context(model: Model) -> Result<Rc<Context>, SimError> {
        model.validate()?;
        Ok(RawModel::load(&model.recipe(false, false), &mut |_| ())?.context())
    }

    /// As [`Endpoint::new`], in a context of the same model.
    pub(crate) fn with(context: &Rc<Context>, name: &str, model: Model) -> Result<Self, SimError> {
        let raw = RawModel::load(&model.recipe(false, false), &mut |_| ())?;
        Self::in_context(context, name, model, raw, false)
    }

    /// The same in a given context, with or without trace code.
    pub(super) fn in_context(
        context: &Rc<Context>,
        name: &str,
        model: Model,
        raw: RawModel,
        traced: bool,
    ) -> Result<Self, SimError> {
        let mut endpoint = Self {
            instance: Instance::new(context, name, raw)?,
            model,
            all_lanes: (u16::MAX >> (16 - model.lanes)) as u8,
            settle: true,
            keep_high: traced,
            plain: traced,
        };
        // The first evaluation sees low clocks and no reset, so that the reset is an edge.
        endpoint.instance.eval();
        endpoint.set_reset(true);
        // SAFETY: as in `step`.
        unsafe { *endpoint.instance.ports.extended = u8::from(model.extended) }
        endpoint.instance.eval();
        Ok(endpoint)
    }

    /// The parameters of this endpoint.
    pub fn model(&self) -> Model {
        self.model
    }

    /// Lanes.
    #[inline]
    pub fn lanes(&self) -> usize {
        usize::from(self.model.lanes)
    }

    /// Bytes of a beat.
    #[inline]
    pub fn beat_bytes(&self) -> usize {
        usize::from(self.model.user_width) / 8
    }

    /// Evaluates the whole design at every step, without the shortcuts that make the simulation
    /// fast. The results are the same; tests compare them.
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
            *ports.user_clk = u8::from(edges.user);
            *ports.phy_rx_clk = if edges.rx { self.all_lanes } else { 0 };
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

    /// Holds the endpoint and its user's side in reset, or releases them. Asynchronous in the RTL.
    pub fn set_reset(&mut self, reset: bool) {
        self.set_link_reset(reset);
        // SAFETY: as in `step`.
        unsafe { *self.instance.ports.user_rst = u8::from(reset) }
    }

    /// The same while the user lives on: the packet that it is receiving ends with an error mark,
    /// and the rest of the one that it is sending is taken and thrown away. Extended mode only.
    pub fn set_link_reset(&mut self, reset: bool) {
        // SAFETY: as in `step`.
        unsafe { *self.instance.ports.rst = u8::from(reset) }
        self.settle = true;
    }

    /// Takes the extended mode away from an endpoint that has it built in. Before it leaves its
    /// first reset.
    pub(super) fn fall_back(&mut self) {
        self.model.extended = false;
        // SAFETY: as in `step`.
        unsafe { *self.instance.ports.extended = 0 }
        self.settle = true;
    }

    /// What the number of the next session is drawn from.
    pub fn set_session_seed(&mut self, seed: u16) {
        // SAFETY: the port has sixteen bits.
        unsafe { *self.instance.ports.session_seed.cast::<u16>() = seed }
        self.settle = true;
    }

    /// The word that the receiver of a lane takes at the next receive clock; bit 0 is first in
    /// time.
    ///
    /// # Panics
    /// There is no such lane.
    #[inline]
    pub fn set_rx_data(&mut self, lane: usize, word: u64) {
        assert!(lane < self.lanes());
        // SAFETY: as in `step`; the port has a word for every lane.
        unsafe {
            self.instance
                .ports
                .phy_rx_data
                .cast::<u64>()
                .add(lane)
                .write_unaligned(word);
        }
    }

    /// The word that a lane has on the line.
    ///
    /// # Panics
    /// There is no such lane.
    #[inline]
    pub fn tx_data(&self, lane: usize) -> u64 {
        assert!(lane < self.lanes());
        // SAFETY: as in `set_rx_data`.
        unsafe {
            self.instance
                .ports
                .phy_tx_data
                .cast::<u64>()
                .add(lane)
                .read_unaligned()
        }
    }

    /// Offers a beat: `bytes` from byte 0 on, at most [`Endpoint::beat_bytes`] of them. The others
    /// keep what they had; TKEEP leaves them out.
    #[inline]
    pub fn offer(&mut self, bytes: &[u8], last: bool) {
        let width = self.beat_bytes();
        let count = bytes.len().min(width);
        let ports = &self.instance.ports;
        // SAFETY: TDATA has `width` bytes and TKEEP `width / 8`, and `count <= width`.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), ports.s_tdata, count);
            let keep = std::slice::from_raw_parts_mut(ports.s_tkeep, width / 8);
            let (whole, rest) = keep.split_at_mut(count / 8);
            whole.fill(0xff);
            rest.fill(0);
            if let Some(partial) = rest.first_mut() {
                *partial = (1u8 << (count % 8)) - 1;
            }
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

    /// The endpoint takes the beat that its source offers, if any, at the next user clock.
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
        // SAFETY: as in `delivered`; TDATA and TKEEP of the source are inputs, written only through
        // `&mut self`.
        unsafe {
            self.beat(
                *ports.s_tvalid,
                ports.s_tdata,
                ports.s_tkeep,
                *ports.s_tlast,
                0,
            )
        }
    }

    /// Says whether the sink takes a beat at the next user clock.
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

    /// The sink takes a beat at the next user clock, if there is one.
    #[inline]
    pub fn sink_ready(&self) -> bool {
        // SAFETY: as in `step`.
        unsafe { *self.instance.ports.m_tready != 0 }
    }

    /// The beat that stands at the sink, if any.
    #[inline]
    pub fn delivered(&self) -> Option<Beat<'_>> {
        let ports = &self.instance.ports;
        // SAFETY: TDATA has the bytes of a beat and TKEEP an eighth of them; the beat borrows
        // `self`, and the model writes only through `&mut self`.
        unsafe {
            self.beat(
                *ports.m_tvalid,
                ports.m_tdata,
                ports.m_tkeep,
                *ports.m_tlast,
                *ports.m_tuser,
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
        user: u8,
    ) -> Option<Beat<'_>> {
        if valid == 0 {
            return None;
        }
        let width = self.beat_bytes();
        // SAFETY: see `delivered`.
        unsafe {
            Some(Beat {
                data: std::slice::from_raw_parts(data, width),
                keep: std::slice::from_raw_parts(keep, width / 8),
                last: last != 0,
                aborted: last != 0 && user != 0,
            })
        }
    }

    /// Both ends are up and user data flows.
    #[inline]
    pub fn link_up(&self) -> bool {
        // SAFETY: as in `step`.
        unsafe { *self.instance.ports.link_up != 0 }
    }

    /// A session is open in extended mode: what was sent in it arrives, also after a time in which
    /// a lane is cut.
    #[inline]
    pub fn session_open(&self) -> bool {
        // SAFETY: as in `step`; `link_status_t` has 77 bits, the phase highest.
        let high = unsafe { *self.instance.ports.link_status.add(2) };
        high >> 11 & 3 == 2
    }

    /// The session of the extended mode.
    pub fn session(&self) -> SessionStatus {
        // SAFETY: as in `step`; the port has 77 bits, so three words.
        let words = unsafe { *self.instance.ports.link_status.cast::<[u32; 3]>() };
        let low = u64::from(words[0]) | u64::from(words[1]) << 32;
        SessionStatus {
            phase: (words[2] >> 11 & 3) as u8,
            reason: (words[2] >> 7 & 15) as u8,
            peer_reason: (words[2] >> 3 & 15) as u8,
            own: (low >> 1) as u16,
            peer: (low >> 17) as u16,
        }
    }

    /// State of the transmitter of a lane.
    ///
    /// # Panics
    /// There is no such lane.
    #[inline]
    pub fn tx_state(&self, lane: usize) -> TxState {
        assert!(lane < self.lanes());
        TxState::from((self.lane_status(lane) >> 8) as u8 & 7)
    }

    /// States of all transmitters, three bits each: changes when one of them does.
    #[inline]
    pub(super) fn tx_states(&self) -> u64 {
        (0..self.lanes()).fold(0, |states, lane| {
            states | u64::from(self.lane_status(lane) >> 8 & 7) << (3 * lane)
        })
    }

    /// `lane_status_t` of a lane.
    #[inline]
    pub(crate) fn lane_status(&self, lane: usize) -> u32 {
        debug_assert!(lane < self.lanes());
        // SAFETY: as in `step`; the port has 32 bits for every lane and is aligned to them.
        unsafe { *self.instance.ports.lane_status.add(lane) }
    }

    /// The status outputs of a lane.
    ///
    /// # Panics
    /// There is no such lane.
    pub fn outputs(&self, lane: usize) -> Outputs {
        assert!(lane < self.lanes());
        let status = self.lane_status(lane);
        let flag = |bit: u32| status >> bit & 1 != 0;
        // SAFETY: as in `step`; the port has eight bits for every lane.
        let rx_status = unsafe { *self.instance.ports.rx_status.add(lane) };
        Outputs {
            tx_state: self.tx_state(lane),
            rx_aligned: flag(0),
            rx_up: flag(1),
            rx_error: flag(2),
            rx_pause_req: flag(3),
            rx_retrans_req: flag(4),
            local_fc: flag(5),
            remote_fc: flag(6),
            rx_overflow: flag(7),
            compensate: flag(11),
            rx_slip: rx_status & 63,
            round_trip: (status >> ROUND_TRIP) as u16,
        }
    }

    /// The status outputs of all lanes.
    pub fn all_outputs(&self) -> Vec<Outputs> {
        (0..self.lanes()).map(|lane| self.outputs(lane)).collect()
    }
}
