// SPDX-License-Identifier: Apache-2.0
//! The RTL held against the sans-IO model of `ropewalk-wire`, frame for frame.
//!
//! The model transmitter of each end is given, once per frame clock, what the RTL shows at its
//! ports in this frame: the flags that its transmitter acts on, and the beat that its source
//! offers. It must take the same beats, be in the same state and put the same words on the wire.
//! The model aligner and receiver are given every word that the RTL receives. They must find the
//! same bit position, deliver the same packets and, when both ends have one clock, raise the same
//! flags at the same frame.
//!
//! So every frame that either end sends is compared bit for bit, and every frame that either end
//! receives is judged twice, whatever the channel does to it.

use std::collections::VecDeque;
use std::fmt::Write as _;

use ropewalk_wire::rifl::aligner::Aligner;
use ropewalk_wire::rifl::scrambler::Scrambler;
use ropewalk_wire::rifl::segment::{Beat, Converter, Reassembler};
use ropewalk_wire::rifl::{
    FrameWidth, IdWidth, LaneParams, ParamError, Receiver, RxFlags, Segment, Transmitter, TxInputs,
    TxState as ModelState,
};

use crate::SimError;
use crate::rifl::{Endpoint, LinkConfig, Now, Observer, Outputs, TxState};

/// Frame clocks from the release of reset to the first frame that the transmitter decides: the
/// stages of the reset synchroniser.
const RESET_FRAMES: u64 = 3;
/// The same for words of the receiver.
const RESET_WORDS: u64 = 3;
/// Transmit edges from the frame clock that decides a frame to the one at which its first word is
/// seen.
const SEND_LATENCY: u64 = 2;
/// Receive edges from the last word of a frame to the edge at which a synchronised flag can be
/// taken over by the frame clock.
const FLAG_LATENCY: u64 = 4;

/// Power of two that covers the words and flags still needed.
const RING: usize = 64;

/// What one end showed before a frame clock.
#[derive(Debug, Clone)]
struct Shown {
    now: Now,
    /// Number of the transmit edge that goes with this frame clock.
    edge: u64,
    outputs: Outputs,
    link_up: bool,
    offered: Option<Beat>,
    source_ready: bool,
}

/// Models of one end.
#[derive(Debug)]
struct End {
    params: LaneParams,
    transmitter: Transmitter,
    to_segments: Converter,
    shown: VecDeque<Shown>,
    sent: [u64; RING],
    sent_count: u64,
    frame_clocks: u64,
    synchronised: bool,

    aligner: Aligner,
    receiver: Receiver,
    reassembler: Reassembler,
    received_count: u64,
    /// Flags after each word.
    flags: [RxFlags; RING],
    /// Packets that the model delivered and the RTL has not.
    due: VecDeque<Vec<u8>>,
    packet: Vec<u8>,
}

impl End {
    fn new(params: LaneParams) -> Option<Self> {
        Some(Self {
            params,
            transmitter: Transmitter::new(params),
            to_segments: Converter::to_segments(params.frame())?,
            shown: VecDeque::new(),
            sent: [0; RING],
            sent_count: 0,
            frame_clocks: 0,
            synchronised: false,
            aligner: Aligner::new(params.frame()),
            receiver: Receiver::new(params),
            reassembler: Reassembler::default(),
            received_count: 0,
            flags: [RxFlags::default(); RING],
            due: VecDeque::new(),
            packet: Vec::new(),
        })
    }

    fn words(&self) -> u64 {
        self.params.frame().words() as u64
    }

    fn sent_at(&self, edge: u64) -> u64 {
        self.sent[edge as usize % RING]
    }

    /// A word was sent.
    fn send(&mut self, word: u64) {
        self.sent[self.sent_count as usize % RING] = word;
        self.sent_count += 1;
    }

    /// A word is received.
    fn receive(&mut self, word: u64) {
        let index = self.received_count;
        self.received_count += 1;
        if index >= RESET_WORDS
            && let Some((frame, aligned)) = self.aligner.word(word)
        {
            let received = self.receiver.frame(&frame, aligned);
            if let Some(segment) = received.segment {
                self.due.extend(self.reassembler.segment(&segment));
            }
        }
        let mut flags = self.receiver.flags();
        // The aligner's verdict clears these in the RTL at once, in the model with the frame.
        flags.aligned = self.aligner.aligned();
        flags.up &= flags.aligned;
        flags.pause_req &= flags.aligned;
        flags.retrans_req &= flags.aligned;
        self.flags[index as usize % RING] = flags;
    }

    /// Compares one frame time of the transmitter, all words of which have been seen.
    fn compare(&mut self, shown: &Shown) -> Result<(), String> {
        let outputs = &shown.outputs;
        let first = shown.edge + SEND_LATENCY;
        let input = shown.offered.as_ref();
        let segment = self
            .to_segments
            .output(input)
            .and_then(|beat| Segment::new(self.params.frame(), beat.bytes(), beat.last()));
        let tick = self.transmitter.tick(&TxInputs {
            rx_up: outputs.rx_up,
            rx_error: outputs.rx_error,
            pause_req: outputs.rx_pause_req,
            retrans_req: outputs.rx_retrans_req,
            local_fc: outputs.local_fc,
            remote_fc: outputs.remote_fc,
            compensate: outputs.compensate,
            user: segment.as_ref(),
        });
        let ready = self.to_segments.ready(tick.user_ready);
        self.to_segments.clock(input, tick.user_ready);

        let words: Vec<u64> = (0..self.words()).map(|i| self.sent_at(first + i)).collect();
        // The scrambler of the RTL runs on through reset, so the first frame begins with an unknown
        // state. From then on it is what stands before the code of the last frame.
        let followed = std::mem::replace(&mut self.synchronised, true);
        if !followed {
            self.transmitter.set_scrambler(Scrambler::with_state(
                self.sent_at(first + self.words() - 1) >> 12,
            ));
        }
        let mut differences = String::new();
        let mut check =
            |what: &str, rtl: &dyn std::fmt::Debug, model: &dyn std::fmt::Debug, same: bool| {
                if !same {
                    let _ = write!(differences, "\n  {what}: RTL {rtl:x?}, model {model:x?}");
                }
            };
        check(
            "state",
            &outputs.tx_state,
            &tick.state,
            same_state(outputs.tx_state, tick.state),
        );
        check(
            "link up",
            &shown.link_up,
            &tick.link_up,
            shown.link_up == tick.link_up,
        );
        check(
            "source ready",
            &shown.source_ready,
            &ready,
            shown.source_ready == ready,
        );
        check(
            "words",
            &words,
            &tick.frame.words(),
            !followed || words == tick.frame.words(),
        );
        if differences.is_empty() {
            Ok(())
        } else {
            Err(format!(
                "transmitter, cycle {}: {shown:x?}\n  {tick:x?}{differences}",
                shown.now.cycle
            ))
        }
    }

    /// Compares the flags that a frame clock took over one frame ago, both ends having one clock.
    fn compare_flags(&self, now: Now, outputs: &Outputs) -> Result<(), String> {
        // The last word before this edge is number `received_count - 1`, taken at this very edge.
        let Some(taken) = (self.received_count - 1).checked_sub(self.words()) else {
            return Ok(());
        };
        let Some(index) = taken.checked_sub(FLAG_LATENCY) else {
            return Ok(());
        };
        let mut model = self.flags[index as usize % RING];
        // This one is a register of the aligner, not of what follows it.
        model.aligned = self.flags[(index + 1) as usize % RING].aligned;
        let rtl = RxFlags {
            aligned: outputs.rx_aligned,
            up: outputs.rx_up,
            error: outputs.rx_error,
            pause_req: outputs.rx_pause_req,
            retrans_req: outputs.rx_retrans_req,
            remote_fc: outputs.remote_fc,
        };
        if rtl == model {
            Ok(())
        } else {
            Err(format!(
                "receiver flags, cycle {}:\n  RTL   {rtl:?}\n  model {model:?}",
                now.cycle
            ))
        }
    }

    /// Compares what the RTL delivers.
    fn deliver(&mut self, now: Now, beat: &crate::rifl::Beat<'_>) -> Result<(), String> {
        let Some(bytes) = beat.bytes() else {
            return Err(format!(
                "receiver, cycle {}: illegal TKEEP in {beat:x?}",
                now.cycle
            ));
        };
        self.packet.extend_from_slice(bytes);
        if !beat.last {
            return Ok(());
        }
        let expected = self.due.pop_front();
        if expected.as_ref() == Some(&self.packet) {
            self.packet.clear();
            return Ok(());
        }
        Err(format!(
            "receiver, cycle {}:\n  RTL   {:x?}\n  model {expected:x?}",
            now.cycle, self.packet
        ))
    }
}

fn same_state(rtl: TxState, model: ModelState) -> bool {
    matches!(
        (rtl, model),
        (TxState::Init, ModelState::Init)
            | (TxState::SendPause, ModelState::SendPause)
            | (TxState::Pause, ModelState::Pause)
            | (TxState::Retrans, ModelState::Retrans)
            | (TxState::SendRetrans, ModelState::SendRetrans)
            | (TxState::Normal, ModelState::Normal)
    )
}

/// Models of both ends; give it to [`crate::rifl::run_observed`].
#[derive(Debug)]
pub struct Lockstep {
    ends: [End; 2],
    compare_flags: bool,
    frames: u64,
    packets: u64,
    mismatch: Option<String>,
}

impl Lockstep {
    /// Models for a link.
    ///
    /// # Errors
    /// The model cannot be built with these parameters.
    pub fn new(link: &LinkConfig) -> Result<Self, SimError> {
        let bad = |message: String| SimError::BadParameter {
            name: "link",
            message,
        };
        if link.model.lanes != 1 || link.model.extended {
            return Err(bad(format!(
                "{:?} cannot be compared with the model of one lane in the mode of the published core",
                link.model
            )));
        }
        let params = || -> Result<LaneParams, ParamError> {
            let frame = FrameWidth::new(u32::from(link.model.frame_width))?;
            let id = IdWidth::new(u32::from(link.model.id_width))?;
            Ok(LaneParams::new(frame, id))
        };
        let params = params().map_err(|e| bad(e.to_string()))?;
        let end = || {
            End::new(params).ok_or_else(|| bad("no width converter for this frame width".into()))
        };
        Ok(Self {
            ends: [end()?, end()?],
            compare_flags: link.ppm == 0.0,
            frames: 0,
            packets: 0,
            mismatch: None,
        })
    }

    /// Frames compared so far, both ends together.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Packets compared so far, both ends together.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// The first difference, if there was one.
    pub fn mismatch(&self) -> Option<&str> {
        self.mismatch.as_deref()
    }

    fn frame(&mut self, now: Now, end: usize, endpoint: &Endpoint) -> Result<(), String> {
        let model = &mut self.ends[end];
        let outputs = endpoint.outputs(0);
        if self.compare_flags {
            model.compare_flags(now, &outputs)?;
        }
        if let (Some(beat), true) = (endpoint.delivered(), endpoint.sink_ready()) {
            model.deliver(now, &beat)?;
            self.packets += u64::from(beat.last);
        }
        let edge = model.sent_count - 1;
        model.frame_clocks += 1;
        if model.frame_clocks > RESET_FRAMES {
            let offered = endpoint.offered().map(|beat| {
                let bytes = beat.bytes().unwrap_or(&[]);
                Beat::new(endpoint.beat_bytes(), bytes, beat.last)
                    .ok_or("the source offers an illegal beat")
            });
            let offered = offered.transpose()?;
            model.shown.push_back(Shown {
                now,
                edge,
                outputs,
                link_up: endpoint.link_up(),
                offered,
                source_ready: endpoint.source_ready(),
            });
        }
        while let Some(shown) = model.shown.front() {
            if shown.edge + SEND_LATENCY + model.words() > edge {
                break;
            }
            if let Some(shown) = model.shown.pop_front() {
                model.compare(&shown)?;
                self.frames += 1;
            }
        }
        Ok(())
    }
}

impl Observer for Lockstep {
    fn before_clock(&mut self, now: Now, end: usize, endpoint: &Endpoint) {
        if self.mismatch.is_none()
            && let Err(text) = self.frame(now, end, endpoint)
        {
            self.mismatch = Some(format!("end {}, {text}", ["A", "B"][end]));
        }
    }

    fn word(&mut self, _now: Now, end: usize, _lane: usize, sent: u64, received: u64) {
        self.ends[end].send(sent);
        self.ends[1 - end].receive(received);
    }

    fn enough(&self) -> bool {
        self.mismatch.is_some()
    }
}
