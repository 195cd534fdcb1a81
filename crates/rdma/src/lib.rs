// SPDX-License-Identifier: Apache-2.0
//! Remote memory with priorities: the user library of the RDMA engine in `cores/rdma`.
//!
//! ```text
//! Device ── Engine ── Page ── Window ── Buffer
//!                      └──── Transfer
//! ```
//!
//! | module | what |
//! |---|---|
//! | [`Device`] | how a program gets at an engine: [`mapped`] for one in hardware, [`software`] for a model in this process, `simulated` (feature `sim`) for the real RTL |
//! | [`Engine`] | registers: who it is, its limits, how classes share the line ([`Service`]); opens pages |
//! | [`Page`] | a protection domain with 64 channels and one owner: posts transfers, reads many states at once; how fast it may send ([`Rate`]) |
//! | [`Window`], [`Buffer`] | memory that the engine may reach |
//! | [`Transfer`] | what was posted: polled, waited for, or left alone |
//! | [`lent`] | buffers and transfers for languages without ownership |
//!
//! ```
//! use ropewalk_rdma::{Engine, Options, Rights, Start, software};
//! use std::{sync::Arc, time::Duration};
//!
//! # fn main() -> Result<(), ropewalk_rdma::Error> {
//! let second = Duration::from_secs(1);
//! let network = software::Network::new(2, 1 << 20);
//! let here = Engine::start(network.node(0), &Start::default(), second)?;
//! let there = Engine::start(network.node(1), &Start { node: 1, ..Start::default() }, second)?;
//!
//! let their_page = there.open(3, second)?;
//! let target = their_page.window(4096, Rights::WRITE)?.buffer(4096, 64)?;
//!
//! let page = here.open(3, second)?;
//! let mut source = page.window(4096, Rights::READ)?.buffer(12, 1)?;
//! source.write(0, b"twelve bytes")?;
//! let to = target.address(100)?;
//! let mut transfer = page.write(&Arc::new(source), 0..12, to, &Options::default())?;
//! transfer.wait(second)?;
//! assert_eq!(&target.to_vec()[100..112], b"twelve bytes");
//! # Ok(())
//! # }
//! ```
//!
//! # What cannot go wrong
//! * A buffer that a transfer sends is shared ([`std::sync::Arc`]), and can be written or freed by
//!   nobody until the end was seen; one that a read fills belongs to the engine, and comes back
//!   with the end. Dropping handles, pages or the engine changes nothing of that.
//! * A channel is used again only after its end was seen. A read that returns the ends of others
//!   keeps them for them.
//! * All rules of descriptors are checked before the first word is written. What the port refuses
//!   then is a mistake, or somebody else's.
//! * After an end that leaves open who still writes, memory is not used again before its window is
//!   gone.
//!
//! `unsafe` stands in [`mapped`], and around the copies of [`Buffer`].

mod channels;
mod device;
mod engine;
mod error;
pub mod lent;
pub mod mapped;
mod page;
mod ranges;
mod service;
#[cfg(feature = "sim")]
pub mod simulated;
pub mod software;
mod transfer;
mod wait;
mod window;

pub use channels::CHANNELS;
pub use device::{Device, DeviceError, PAGE, STATES};
pub use engine::{Engine, Start};
pub use error::{Error, NotPosted};
pub use page::{Notify, Options, Page, Remote};
pub use ropewalk_wire::rdma::{Class, DescriptorError, regs};
pub use service::{Congestion, Rate, Service, Weights};
pub use transfer::{Back, Transfer};
pub use window::{Buffer, Rights, Window};
