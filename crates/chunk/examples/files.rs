// SPDX-License-Identifier: Apache-2.0
//! A file from one end to the other over UDP, sealed by a code that the receiver shows:
//! `cargo run --release -p ropewalk-chunk --example files`.
//!
//! Both ends stand in this process; on two hosts each does its half, and either one may be
//! `ropewalk send` or `ropewalk recv`.

use ropewalk_chunk::transfer::Arrangement;
use ropewalk_chunk::transfer::job::{Admit, Job, JobError, Order};
use ropewalk_io::lane::network::Udp;
use ropewalk_wire::chunk::Fec;
use ropewalk_wire::chunk::handshake::Credentials;
use std::fs;
use std::time::Duration;

/// How long is waited for anything.
const LONG: Duration = Duration::from_secs(30);

/// Sends a file, and compares what arrives.
///
/// # Errors
/// Whatever an end says, or that it says nothing in time.
pub fn main() -> Result<(), JobError> {
    let folder = std::env::temp_dir().join(format!("ropewalk-files-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(JobError::failed)?;
    let carried = carry(&folder);
    fs::remove_dir_all(&folder).map_err(JobError::failed)?;
    carried
}

fn carry(folder: &std::path::Path) -> Result<(), JobError> {
    let (file, store) = (folder.join("run.bin"), folder.join("store"));
    let bytes: Vec<u8> = (0..5_000_000u32)
        .map(|n| (n.wrapping_mul(n) >> 8) as u8)
        .collect();
    fs::write(&file, &bytes).map_err(JobError::failed)?;

    let any = "127.0.0.1:0".parse().map_err(JobError::failed)?;
    let receiver = Job::receive(Udp, any, Admit::Code, store.clone())?;
    let code = receiver.wait_code(LONG);
    let (Some(code), Some(address)) = (code, receiver.status().local) else {
        return Err(JobError::failed("the receiver shows no code"));
    };

    let sender = Job::send(
        Udp,
        Order {
            lanes: vec![(None, address.to_string())],
            arrangement: Arrangement::LowLatency,
            fec: Fec::None,
            rate: None,
            // Without progress for that long it fails.
            timeout: LONG,
            credentials: Credentials::Code(code),
            delta: true,
        },
        file,
    )?;
    for end in [&sender, &receiver] {
        while end.wait(Duration::from_millis(200)).transpose()?.is_none() {
            println!("{} bytes so far", end.status().done);
        }
    }
    let copy = fs::read(store.join("run.bin")).map_err(JobError::failed)?;
    if copy != bytes {
        return Err(JobError::failed("the copy differs"));
    }
    println!("{} bytes are in place, the same", copy.len());
    Ok(())
}
