// SPDX-License-Identifier: Apache-2.0
//! Every wire format and every state machine of Ropewalk as sans-IO code: bits and time go in, bits
//! come out. No sockets, no clock, no threads, no randomness, so that a model can stand beside the
//! RTL as its scoreboard and run billions of frames.
//!
//! | module | protocol | status |
//! |---|---|---|
//! | [`rifl`] | RIFL, one lane: frames, scrambler, code, transmitter, receiver, aligner | complete |
//! | [`htsp`] | HTSP, one end of a link: frames, transmitter, receiver, buffers | complete |
<<<<<<< HEAD
//! | [`fec`] | forward error correction of sub-packets | complete |
=======
//! | [`chunk`] | End2End100, the ends of a pipeline: sub-packets, frames, reports, rates | complete but for FEC and sealing |
>>>>>>> 93fc7ae (wire: End2End100, the ends of a pipeline)
//! | [`regs`] | registers and their fields, for every core | complete |
//!
//! One place asks the compiler for less than full memory safety: the vector instructions of [`fec`].
#![deny(unsafe_code)]

<<<<<<< HEAD
pub mod fec;
=======
pub mod chunk;
>>>>>>> 93fc7ae (wire: End2End100, the ends of a pipeline)
pub mod htsp;
pub mod regs;
pub mod rifl;
