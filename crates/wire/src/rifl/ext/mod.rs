// SPDX-License-Identifier: Apache-2.0
//! Extended mode of RIFL: sessions, a measured round trip, and resends that begin at the damaged
//! frame.
//!
//! The published format cannot tell a peer that was reset, does not know its round trip, and
//! repeats its whole buffer after each error. The extended mode says what is missing in reserved
//! bits of the control frames, which a published core does not look at; with such a peer it works
//! in the compatible mode. Specified in `docs/src/rifl-extended.md`.
//!
//! | module | what |
//! |---|---|
//! | [`announcement`] | the 96 bits that every control frame of an extended end carries |
//! | [`session`] | one state machine for all lanes of an end |
//! | [`rx`] | receiver of a lane: delivery, incidents, what the peer says |
//! | [`tx`] | transmitter of a lane: window, resends, round trip |
//! | [`endpoint`] | an end of N lanes, with receive buffers, up to the user |
//! | [`link`] | two ends, a hostile channel, a scoreboard |

pub mod announcement;
pub mod endpoint;
#[cfg(feature = "std")]
pub mod link;
pub mod rx;
pub mod session;
pub mod tx;

pub use announcement::{Announcement, Capabilities, Detail, Phase, Reason, Sequence, Unreadable};
pub use endpoint::{Aborted, Delivery, EndParams, Endpoint};
pub use rx::LaneReceiver;
pub use session::{Event, Session};
pub use tx::LaneTransmitter;
