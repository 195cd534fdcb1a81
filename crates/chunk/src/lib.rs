// SPDX-License-Identifier: Apache-2.0
//! Bulk data over many lossy lanes: the ends of End2End100 on real channels.
//!
//! | module | what |
//! |---|---|
//! | [`ceiling`] | what a machine lets through at most, without the protocol |
//! | [`end`] | the ends of a pipeline, moved by time and arrivals |
//! | [`stages`] | the stages of the protocol on the runtime, and both arrangements |
//! | [`perf`] | memory to memory: how fast, at what cost |
//! | [`transfer`] | files from a host to another |

pub mod ceiling;
pub mod end;
pub mod perf;
pub mod stages;
pub mod transfer;
