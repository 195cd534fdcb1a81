// SPDX-License-Identifier: Apache-2.0
//! Which RTL a result is of: simulators are made of the checkout as it is when they are needed, so
//! the program alone does not say it.

use parking_lot::Mutex;
use std::collections::BTreeMap;

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use sha2::{Digest, Sha256};

/// Cores that a simulation has; none: it is a model without RTL.
fn cores(simulation: &str) -> Vec<&str> {
    match simulation {
        "stack" => vec!["node", "switch", "rdma"],
        "network" => Vec::new(),
        core => vec![core],
    }
}

/// Digest of the RTL of a simulation and of all that it depends on, which is looked at once in the
/// life of the program.
///
/// # Errors
/// The checkout or a tool is missing, there is no such core, or a file cannot be read.
pub fn digest(core: &str) -> Result<String, Failure> {
    static KNOWN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock();
    if let Some(digest) = known.get(core) {
        return Ok(digest.clone());
    }
    let mut hasher = Sha256::new();
    for core in cores(core) {
        for path in ropewalk_sim::sources(core).map_err(Failure::refused)? {
            let text = std::fs::read(&path).map_err(|error| Failure::read(&path, error))?;
            hasher.update((text.len() as u64).to_le_bytes());
            hasher.update(text);
        }
    }
    let digest = format::hex(&hasher.finalize()[..8]);
    known.insert(core.to_owned(), digest.clone());
    Ok(digest)
}
