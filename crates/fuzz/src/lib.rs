// SPDX-License-Identifier: Apache-2.0
//! Everything that reads bytes of strangers, fed with anything: what a fuzzer runs, and the tests
//! of this crate with the seeds that the fuzzer begins with.
//!
//! A target takes any bytes, makes of them what a stranger could send, and panics if an end does
//! what it must not. Where a check would stop nearly everything at the door, the target repairs it,
//! so that what stands behind it is reached; bytes of the input say where it is left as it is.
//!
//! | module | targets |
//! |---|---|
//! | [`pipeline`] | frames and sub-packets into a receiver, reports into a sender |
//! | [`start`] | a handshake with a peer that lies, lanes that join |
//! | [`files`] | the list of files, chunks into the receiver of a transfer |
//! | [`links`] | frames of HTSP and RIFL |
//! | [`network`] | headers of the network into the end of a link, topology files |
//! | [`capture`] | capture files, frames of chunks in them |
//! | [`codes`] | error correction |
//! | [`recording`] | recorded lanes and words: text, frames of RIFL, packets of SLink and RDMA |
//! | [`shared`] | a peer in shared memory |
//! | [`stream`] | datagrams on a TCP connection |
//!
//! `tools/fuzz.sh` runs them with libFuzzer, out of the folder `fuzz`, which is no part of the
//! workspace.

pub mod capture;
pub mod codes;
pub mod files;
pub mod input;
pub mod links;
pub mod network;
pub mod pipeline;
pub mod recording;
pub mod shared;
pub mod start;
pub mod stream;

/// Something to be fed.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// Feeds it; panics if it does what it must not.
    pub run: fn(&[u8]),
    /// What it is fed by honest peers.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

macro_rules! targets {
    ($($name:literal: $run:path, $seeds:path;)*) => {
        /// All of them.
        pub const TARGETS: &[Target] = &[$(Target { name: $name, run: $run, seeds: $seeds },)*];
    };
}

targets! {
    "chunk_receiver": pipeline::receiver, pipeline::receiver_seeds;
    "chunk_receiver_erasure": pipeline::receiver_erasure, pipeline::receiver_erasure_seeds;
    "chunk_receiver_sealed": pipeline::receiver_sealed, pipeline::receiver_erasure_seeds;
    "chunk_sender": pipeline::sender, pipeline::sender_seeds;
    "handshake_client": start::client, start::seeds;
    "handshake_server": start::server, start::seeds;
    "join": start::join, start::join_seeds;
    "manifest": files::manifest, files::manifest_seeds;
    "transfer_recv": files::recv, files::recv_seeds;
    "htsp": links::htsp, links::htsp_seeds;
    "rifl": links::rifl, links::rifl_seeds;
    "switch": network::switch, network::switch_seeds;
    "topology": network::topology, network::topology_seeds;
    "capture": capture::run, capture::seeds;
    "dissect": capture::dissect, capture::dissect_seeds;
    "recording": recording::text, recording::text_seeds;
    "rifl_lane": recording::rifl, recording::rifl_seeds;
    "slink_lanes": recording::slink, recording::slink_seeds;
    "rdma_words": recording::rdma, recording::rdma_seeds;
    "mend": codes::mend, codes::seeds;
    "restore": codes::restore, codes::seeds;
    "shared_memory": shared::run, shared::seeds;
    "tcp_records": stream::run, stream::seeds;
}

/// Feeds the target of a name.
///
/// # Panics
/// There is none, or the target does what it must not.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.expect("a target").run)(bytes);
}
