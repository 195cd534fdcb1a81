// SPDX-License-Identifier: Apache-2.0
//! An HTSP end on a raw link: the state machines of `ropewalk_wire::htsp`, a clock, and what moves
//! the frames.
//!
//! | module | what |
//! |---|---|
//! | [`driver`] | one end that its caller turns; no threads |
//! | [`host`] | one end with a thread of its own, and blocking readers and writers for its channels |
//! | [`receiver`] | one end that only receives: batches, gaps, positions that outlive it |
//! | [`stream`] | the stream of a channel in batches |
//! | [`memory`] | memory of batches, which goes round |
//! | [`state`] | positions in a file |

pub mod driver;
pub mod host;
pub mod memory;
pub mod receiver;
pub mod state;
pub mod stream;
mod thread;

pub use driver::{Backend, Driver, Fault, Settings};
pub use host::{Closed, Host, OpCodes, Reader, SendError, Stats, Writer};
pub use receiver::{ReceiveError, Receiver};
pub use state::{State, StateError};
pub use stream::{Batch, Gap};
