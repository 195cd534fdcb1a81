// SPDX-License-Identifier: Apache-2.0
//! Memory from one end to another over UDP, sealed by a code that the receiver shows:
//! `cargo run --release -p ropewalk-chunk --example memory`.
//!
//! Both ends stand in this process; on two hosts each does its half.

use ropewalk_chunk::transfer::Arrangement;
use ropewalk_chunk::transfer::job::{Admit, JobError, Order};
use ropewalk_chunk::transfer::memory::{Got, Inlet, Outlet};
use ropewalk_io::lane::network::Udp;
use ropewalk_wire::chunk::Fec;
use ropewalk_wire::chunk::handshake::Credentials;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(30);

/// Sends pieces, and counts what arrives.
///
/// # Errors
/// Whatever an end says, or that it says nothing in time.
pub fn main() -> Result<(), JobError> {
    let any = "127.0.0.1:0".parse().map_err(JobError::failed)?;
    let inlet = Inlet::open(Udp, any, Admit::Code)?;
    let code = inlet.code(LONG);
    let code = code.ok_or_else(|| JobError::failed("the receiver shows no code"))?;

    let outlet = Outlet::open(
        Udp,
        Order {
            lanes: vec![(None, inlet.local().to_string())],
            arrangement: Arrangement::LowLatency,
            fec: Fec::None,
            rate: None,
            timeout: LONG,
            credentials: Credentials::Code(code),
            delta: true,
        },
    )?;
    std::thread::scope(|scope| {
        let sending = scope.spawn(|| {
            for number in 0..8u8 {
                if !outlet.send(&vec![number; 1_000_000], LONG)? {
                    return Err(JobError::failed("the receiver takes nothing"));
                }
            }
            outlet.finish(LONG).map(drop)
        });
        let mut bytes = 0;
        while let Got::Piece(piece) = inlet.recv(LONG)? {
            bytes += piece.as_ref().len();
        }
        assert_eq!(bytes, 8_000_000);
        println!("{bytes} bytes arrived in order");
        sending.join().map_err(|_| JobError::failed("panicked"))?
    })
}
