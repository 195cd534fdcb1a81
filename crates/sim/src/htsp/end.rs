// SPDX-License-Identifier: Apache-2.0
//! One verilated `htsp_end` behind a safe interface.

use std::fmt;
use std::rc::Rc;

use super::ffi::{Instance, RawModel};
use super::model::Model;
use crate::SimError;
use crate::models::Context;

/// Bytes of a word: what a frame is made of, and the most that a beat has.
pub const WORD: usize = 64;
/// Cycles of a reset.
pub(super) const RESET: u32 = 4;

/// A beat of a stream: a word, or less of it where the streams are narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beat {
    /// Its bytes.
    pub data: [u8; WORD],
    /// How many of them count, from byte 0 on.
    pub bytes: u8,
    /// The last one of its packet or frame.
    pub last: bool,
    /// With `last`: the packet is damaged, or the MAC says so of the frame.
    pub error: bool,
}

impl Beat {
    /// The bytes that count.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        &self.data[..usize::from(self.bytes)]
    }
}

/// Settings of an end. They may be changed in reset only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Own address, first byte of the wire first.
    pub mac: [u8; 6],
    /// Cycles without a frame until a header alone is sent.
    pub null_interval: u32,
    /// Cycles without a good frame until the link is down.
    pub alive: u32,
    /// Words in a burst, 1 to 128.
    pub burst: u8,
    /// Words in the receive buffer of a channel at which the peer is to pause.
    pub pause_level: u16,
    /// Words below which it goes on.
    pub resume_level: u16,
}

/// What an end counted in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Events {
    /// Channels, one bit each: a word had no room.
    pub overflow: u16,
    /// A good frame with payload.
    pub frame: bool,
    /// A good header alone.
    pub null: bool,
    /// A frame for another address or of another EtherType, or too short.
    pub foreign: bool,
    /// A frame of another version.
    pub version: bool,
    /// A frame with a wrong checksum in its header.
    pub checksum: bool,
    /// A frame that the MAC calls damaged.
    pub damaged: bool,
    /// A frame whose footer and payload do not fit.
    pub footer_bad: bool,
    /// Payload for a channel that is not there.
    pub channel: bool,
    /// Payload that goes on with a packet that is not open.
    pub orphan: bool,
    /// A frame with the number of an earlier one.
    pub stale: bool,
    /// Frames missing before the one that came.
    pub lost: u8,
}

/// One end. Inputs take effect with the next [`End::step`], outputs are those after the last one.
pub struct End {
    instance: Instance,
    model: Model,
}

impl fmt::Debug for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("End")
            .field("model", &self.model)
            .field("link_up", &self.link_up())
            .finish_non_exhaustive()
    }
}

/// Bit `index` of packed bits.
///
/// # Safety
/// The port has that bit.
unsafe fn bit(port: *const u8, index: usize) -> bool {
    // SAFETY: as promised by the caller; any alignment is fine for bytes.
    unsafe { *port.add(index / 8) >> (index % 8) & 1 != 0 }
}

/// Sets bit `index` of packed bits.
///
/// # Safety
/// The port has that bit.
unsafe fn set_bit(port: *mut u8, index: usize, value: bool) {
    // SAFETY: as promised by the caller.
    unsafe {
        let byte = port.add(index / 8);
        *byte = *byte & !(1 << (index % 8)) | u8::from(value) << (index % 8);
    }
}

/// TKEEP of a beat, which is contiguous from byte 0.
const fn mask(bytes: u8) -> [u8; 8] {
    let keep = if bytes as usize >= WORD {
        u64::MAX
    } else {
        (1 << bytes) - 1
    };
    keep.to_le_bytes()
}

impl End {
    /// An end that has no other one, after its reset.
    ///
    /// # Errors
    /// A parameter is out of range, or the simulator cannot be built.
    pub fn alone(name: &str, model: Model, settings: &Settings) -> Result<Self, SimError> {
        model.validate()?;
        let raw = RawModel::load(&model.recipe(), &mut |_| ())?;
        let mut end = Self::new(&raw.context(), name, raw, model, settings)?;
        for _ in 0..RESET {
            end.step();
        }
        end.set_reset(false);
        Ok(end)
    }

    /// An end in reset, of a context of the same model.
    pub(super) fn new(
        context: &Rc<Context>,
        name: &str,
        raw: RawModel,
        model: Model,
        settings: &Settings,
    ) -> Result<Self, SimError> {
        let mut end = Self {
            instance: Instance::new(context, name, raw)?,
            model,
        };
        end.instance.eval();
        let put = |port: *mut u8, value: &[u8]| {
            // SAFETY: the ports of a live instance have these sizes (see `htsp_end`).
            unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), port, value.len()) }
        };
        let ports = end.instance.ports;
        put(ports.local_mac, &settings.mac);
        put(ports.broadcast_mac, &[0xff; 6]);
        put(ports.ethertype, &[0x01, 0x11]);
        put(ports.null_interval, &settings.null_interval.to_le_bytes());
        put(ports.alive, &settings.alive.to_le_bytes());
        put(ports.burst, &[settings.burst]);
        let level = |port, value: u16| {
            let bytes = value.to_le_bytes();
            // A port of up to eight bits is a single byte.
            put(
                port,
                if model.rx_depth < 256 {
                    &bytes[..1]
                } else {
                    &bytes
                },
            );
        };
        level(ports.pause_level, settings.pause_level);
        level(ports.resume_level, settings.resume_level);
        put(ports.phy_tx_ready, &[1]);
        put(ports.phy_rx_ready, &[1]);
        put(ports.phy_tx_tready, &[1]);
        end.set_reset(true);
        Ok(end)
    }

    /// Reset of this end.
    pub fn set_reset(&mut self, reset: bool) {
        // SAFETY: as above.
        unsafe { *self.instance.ports.rst = u8::from(reset) }
        // Some outputs follow the reset at once.
        self.instance.eval();
    }

    /// Lets the clock rise and fall.
    #[inline]
    pub fn step(&mut self) {
        // SAFETY: as above.
        unsafe { *self.instance.ports.clk = 1 }
        self.instance.edge(true);
        // SAFETY: as above.
        unsafe { *self.instance.ports.clk = 0 }
        self.instance.fall();
    }

    fn check(&self, channel: u8) -> usize {
        assert!(channel < self.model.channels, "channel {channel}");
        usize::from(channel)
    }

    /// Bytes of a beat.
    fn width(&self) -> usize {
        usize::from(self.model.bytes)
    }

    /// Offers a beat of a channel's user, or none.
    pub fn offer(&mut self, channel: u8, beat: Option<&Beat>) {
        let c = self.check(channel);
        let (ports, width) = (self.instance.ports, self.width());
        // SAFETY: the channel exists, so the ports have room for it.
        unsafe {
            set_bit(ports.s_tvalid, c, beat.is_some());
            if let Some(beat) = beat {
                put_beat(
                    beat,
                    ports.s_tdata.add(width * c),
                    ports.s_tkeep.add(width / 8 * c),
                    width,
                );
                set_bit(ports.s_tlast, c, beat.last);
                set_bit(ports.s_tuser, c, beat.error);
            }
        }
    }

    /// Whether the core takes what this channel's user offers.
    #[must_use]
    pub fn takes(&self, channel: u8) -> bool {
        let c = self.check(channel);
        // SAFETY: the channel exists.
        unsafe { bit(self.instance.ports.s_tready, c) }
    }

    /// Whether this channel's user takes a beat.
    pub fn set_ready(&mut self, channel: u8, ready: bool) {
        let c = self.check(channel);
        // SAFETY: the channel exists.
        unsafe { set_bit(self.instance.ports.m_tready, c, ready) }
    }

    /// The beat that is offered to this channel's user.
    #[must_use]
    pub fn offered(&self, channel: u8) -> Option<Beat> {
        let c = self.check(channel);
        let (ports, width) = (self.instance.ports, self.width());
        // SAFETY: the channel exists.
        unsafe {
            bit(ports.m_tvalid, c).then(|| {
                beat(
                    ports.m_tdata.add(width * c),
                    ports.m_tkeep.add(width / 8 * c),
                    width,
                    bit(ports.m_tlast, c),
                    bit(ports.m_tuser, c),
                )
            })
        }
    }

    /// Whether the line takes a beat.
    pub fn set_line_ready(&mut self, ready: bool) {
        // SAFETY: a port of a live instance.
        unsafe { *self.instance.ports.phy_tx_tready = u8::from(ready) }
    }

    /// The beat that is offered to the line.
    #[must_use]
    pub fn sent(&self) -> Option<Beat> {
        let (ports, width) = (self.instance.ports, self.width());
        // SAFETY: ports of a live instance.
        unsafe {
            (*ports.phy_tx_tvalid != 0).then(|| {
                let last = *ports.phy_tx_tlast != 0;
                beat(ports.phy_tx_tdata, ports.phy_tx_tkeep, width, last, false)
            })
        }
    }

    /// Whether the line that this end hears is up.
    pub fn set_hearing(&mut self, up: bool) {
        // SAFETY: a port of a live instance.
        unsafe { *self.instance.ports.phy_rx_ready = u8::from(up) }
    }

    /// A beat from the line, or none.
    pub fn receive(&mut self, beat: Option<&Beat>) {
        let (ports, width) = (self.instance.ports, self.width());
        // SAFETY: ports of a live instance.
        unsafe {
            *ports.phy_rx_tvalid = u8::from(beat.is_some());
            if let Some(beat) = beat {
                put_beat(beat, ports.phy_rx_tdata, ports.phy_rx_tkeep, width);
                *ports.phy_rx_tlast = u8::from(beat.last);
                *ports.phy_rx_tuser = u8::from(beat.error);
            }
        }
    }

    /// Whether good frames come.
    #[must_use]
    pub fn link_up(&self) -> bool {
        // SAFETY: a port of a live instance.
        unsafe { *self.instance.ports.link_up != 0 }
    }

    /// Whether the peer takes packets.
    #[must_use]
    pub fn remote_ready(&self) -> bool {
        // SAFETY: a port of a live instance.
        unsafe { *self.instance.ports.remote_ready != 0 }
    }

    /// Address of the peer, from its last good frame.
    #[must_use]
    pub fn remote_mac(&self) -> [u8; 6] {
        // SAFETY: a port of a live instance of this size.
        unsafe { self.instance.ports.remote_mac.cast::<[u8; 6]>().read() }
    }

    /// Channels that the peer wants paused, one bit each.
    #[must_use]
    pub fn remote_pause(&self) -> u16 {
        // SAFETY: a port of a live instance of this size.
        u16::from_le_bytes(unsafe { self.instance.ports.remote_pause.cast::<[u8; 2]>().read() })
    }

    /// User data of the peer, from its last good frame.
    #[must_use]
    pub fn remote_data(&self) -> [u8; 16] {
        // SAFETY: a port of a live instance of this size.
        unsafe { self.instance.ports.remote_data.cast::<[u8; 16]>().read() }
    }

    /// Offers an op-code to be sent, or none.
    pub fn offer_op_code(&mut self, op_code: Option<&[u8; 16]>) {
        let ports = self.instance.ports;
        // SAFETY: ports of a live instance of this size.
        unsafe {
            *ports.s_op_code_valid = u8::from(op_code.is_some());
            if let Some(op_code) = op_code {
                op_code
                    .as_ptr()
                    .copy_to_nonoverlapping(ports.s_op_code, op_code.len());
            }
        }
    }

    /// Whether the core takes an op-code: the one before is in a header.
    #[must_use]
    pub fn takes_op_code(&self) -> bool {
        // SAFETY: a port of a live instance.
        unsafe { *self.instance.ports.s_op_code_ready != 0 }
    }

    /// The op-code that arrived in the last cycle.
    #[must_use]
    pub fn op_code(&self) -> Option<[u8; 16]> {
        let ports = self.instance.ports;
        // SAFETY: ports of a live instance of this size.
        unsafe { (*ports.op_code_valid != 0).then(|| ports.op_code.cast::<[u8; 16]>().read()) }
    }

    /// What happened in the last cycle.
    #[must_use]
    pub fn events(&self) -> Events {
        let ports = self.instance.ports;
        // SAFETY: ports of a live instance; those with a bit a channel have two bytes with more
        // than eight.
        unsafe {
            let channels = |port: *const u8| {
                let high = if self.model.channels > 8 {
                    *port.add(1)
                } else {
                    0
                };
                u16::from_le_bytes([*port, high])
            };
            Events {
                overflow: channels(ports.rx_overflow),
                frame: *ports.rx_frame != 0,
                null: *ports.rx_null != 0,
                foreign: *ports.rx_foreign != 0,
                version: *ports.rx_version != 0,
                checksum: *ports.rx_checksum != 0,
                damaged: *ports.rx_damaged != 0,
                footer_bad: *ports.rx_footer_bad != 0,
                channel: *ports.rx_channel != 0,
                orphan: *ports.rx_orphan != 0,
                stale: *ports.rx_stale != 0,
                lost: *ports.rx_lost,
            }
        }
    }
}

/// Puts a beat on a stream of `width` bytes.
///
/// # Safety
/// The pointers are those of a beat and its TKEEP.
unsafe fn put_beat(beat: &Beat, data: *mut u8, keep: *mut u8, width: usize) {
    debug_assert!(
        usize::from(beat.bytes) <= width,
        "{} of {width} bytes",
        beat.bytes
    );
    let kept = mask(beat.bytes);
    // SAFETY: as promised by the caller.
    unsafe {
        beat.data.as_ptr().copy_to_nonoverlapping(data, width);
        kept.as_ptr().copy_to_nonoverlapping(keep, width / 8);
    }
}

/// The beat on a stream of `width` bytes.
///
/// # Safety
/// The pointers are those of a beat and its TKEEP.
unsafe fn beat(data: *const u8, keep: *const u8, width: usize, last: bool, error: bool) -> Beat {
    let mut word = [0; WORD];
    let mut kept = [0; 8];
    // SAFETY: as promised by the caller.
    unsafe {
        word.as_mut_ptr().copy_from_nonoverlapping(data, width);
        kept.as_mut_ptr().copy_from_nonoverlapping(keep, width / 8);
    }
    Beat {
        data: word,
        bytes: u64::from_le_bytes(kept).count_ones() as u8,
        last,
        error,
    }
}
