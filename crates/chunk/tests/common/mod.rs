// SPDX-License-Identifier: Apache-2.0
//! What tests of whole transfers share.

use ropewalk_chunk::transfer::listener::Listener;
use ropewalk_chunk::transfer::recv::{Received, receive};
use ropewalk_chunk::transfer::tree::Tree;
use ropewalk_wire::chunk::handshake::KeyPair;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The pair of keys of a number.
pub fn key(seed: u8) -> KeyPair {
    KeyPair::from_private([seed; 32])
}

/// Receives into `out` until a transfer comes to its end, or `ended`: what the last attempt says.
pub fn receive_whole(listener: &mut Listener, out: &Path, ended: &AtomicBool) -> Option<Received> {
    let tree = Tree::open(out).unwrap();
    let stop = || ended.load(Ordering::Relaxed);
    let mut last = None;
    while let Some(received) = receive(listener, &tree, &mut |_| (), &stop).unwrap() {
        let over = received.failure.is_none();
        last = Some(received);
        if over {
            break;
        }
    }
    last
}
