// SPDX-License-Identifier: Apache-2.0
//! The command as users run it. Everything is one program, which is linked once.

mod common;

#[cfg(not(feature = "lab"))]
mod absent;
mod bad_channel;
mod contract;
mod decode_chunk;
mod decode_htsp;
mod decode_lanes;
mod hostile_peers;
mod long_way;
mod manners;
mod perf;
mod registers;
mod small_files;
mod terminal;
mod transfer;
mod watch;

#[cfg(feature = "lab")]
mod lab;
