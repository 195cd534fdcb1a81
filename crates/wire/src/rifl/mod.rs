// SPDX-License-Identifier: Apache-2.0
//! One RIFL lane at frame granularity: what the RTL in `cores/rifl` does, as sans-IO state
//! machines.
//!
//! RIFL carries AXI-Stream packets over a raw serial lane in frames of fixed length. Each frame has
//! a 12-bit code that covers its bits and its sequence id; a receiver that meets a damaged or
//! missing frame asks for a retransmission, and nothing is ever acknowledged otherwise.
//!
//! | module | what | counterpart in `cores/` |
//! |---|---|---|
//! | [`params`] | widths, buffer sizes, thresholds, round-trip limit | parameters of `rifl` |
//! | [`frame`] | layout of the bits, kinds of frames | `rifl_pkg`, `rifl_meta_enc`, `rifl_meta_dec` |
//! | [`scrambler`] | 1 + x^13 + x^33, self-synchronising | `line_scrambler`, `line_descrambler` |
//! | [`code`] | CRC-12 combined with the frame id | `prim_crc`, `rifl_tx_serial` |
//! | [`segment`] | user beats to segments and back | `axis_width` |
//! | [`bond`] | bonded lanes: which one carries which bytes | `rifl_bond_tx`, `rifl_bond_rx` |
//! | [`tx`] | the six transmitter states, retransmission | `rifl_tx_ctrl`, `rifl_tx` |
//! | [`rx`] | verification, delivery, flow-control frames | `rifl_rx`, `rifl_rx_check` |
//! | [`monitor`] | runs of Pause and Retransmit requests | `rifl_rx_monitor` |
//! | [`aligner`] | frame boundaries in a word stream | `line_aligner` |
//! | [`fc`] | flow-control buffer and its thresholds | `rifl_rx_buffer` |
//! | [`fec`] | codewords under a lane: places, corrections, words that are bad | `rifl_fec_tx`, `rifl_fec_rx` |
//! | [`clock_comp`] | when a faster transmitter sends an Idle frame | `rifl_clock_comp` |
//! | [`regs`] | register map, made from its description | `rifl_regs` |
//! | [`snapshot`] | everything that the registers of an end show | `rifl_observe` |
//! | [`plan`] | sizes, efficiency, latency and reliability of a link that is yet to be built | `ropewalk plan rifl` |
//! | [`link`] | two endpoints, a faulty channel, a scoreboard | the tests |
//! | [`dissect`] | a recorded lane, without an end of its own | `ropewalk decode rifl` |
//! | [`ext`] | the extended mode: sessions, measured round trip, short resends | `docs/src/rifl-extended.md` |
//!
//! Bit numbering follows the frame: bit `F-1` is the first in frame order and the top bit of
//! word 0. Words of 64 bits are sent word 0 first, and bit 0 of a word is first in line time.
//!
//! A frame of the published protocol, from user bytes to the words of the line and back, without
//! the state machines that decide which one comes next:
//!
//! ```
//! use ropewalk_wire::rifl::scrambler::{Descrambler, Scrambler};
//! use ropewalk_wire::rifl::{Frame, FrameWidth, Segment, code};
//!
//! let width = FrameWidth::new(256)?;
//! let segment = Segment::new(width, b"the end of a packet", true).expect("it fits");
//! let mut sent = Frame::user(width, &segment);
//! Scrambler::with_state(0).frame(&mut sent);
//! code::seal(&mut sent, 17);
//!
//! let mut received = Frame::from_words(sent.words()).expect("256 bits");
//! assert_eq!(code::syndrome(&received), 17);
//! Descrambler::with_state(0).frame(&mut received);
//! let segment = received.segment().expect("user data");
//! assert_eq!(segment.bytes(), b"the end of a packet");
//! # Ok::<(), ropewalk_wire::rifl::ParamError>(())
//! ```
//!
//! Sources: "RIFL: A Reliable Link Layer Network Protocol for Data Center Communication" (the
//! paper), and the behaviour of the authors' published core where the paper is silent or differs.
//! Where this lane behaves better than the published core without changing the wire format, the
//! item says "repair" and why.

pub mod aligner;
pub mod bond;
pub mod clock_comp;
pub mod code;
pub mod dissect;
pub mod ext;
pub mod fc;
pub mod fec;
pub mod frame;
#[cfg(feature = "std")]
pub mod link;
pub mod monitor;
pub mod params;
#[cfg(feature = "std")]
pub mod plan;
pub mod regs;
pub mod rx;
pub mod scrambler;
pub mod segment;
pub mod snapshot;
pub mod tx;

pub use frame::{Control, Frame, Kind, Segment};
pub use params::{FrameWidth, IdWidth, LaneParams, ParamError};
pub use rx::{Received, Receiver, RxFlags};
pub use tx::{Transmitter, TxInputs, TxState, TxTick};
