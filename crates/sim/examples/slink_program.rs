// SPDX-License-Identifier: Apache-2.0
//! The published program on the registers of a chip: 4096 bytes to the memory of another one, and
//! back.
//!
//! `cargo run --release -p ropewalk-sim --example slink_program`

use ropewalk_sim::slink::{A, B, Operation, Outcome, Pair, PairConfig, Rate, program};
use ropewalk_wire::line::Lanes;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rate = Rate::Fast;
    let memories = [vec![0xa5; 65_536], vec![0; 65_536]];
    let config = PairConfig {
        speed: rate,
        ..PairConfig::default()
    };
    let mut pair = Pair::new(&config, memories)?;
    for (read, local) in [(false, 0), (true, 0x8000)] {
        let operation = Operation {
            read,
            words: 512,
            lanes: Lanes::X4,
            crc: true,
            speed: rate.run(),
            local,
            remote: 0x1000,
        };
        let begun = pair.time_fs();
        // The first one begins with a reset of this end, and waits until both know each other.
        let status = program::execute(&mut pair.registers(A), !read, &operation)?;
        let time = (pair.time_fs() - begun) as f64 * 1e-6;
        println!(
            "{}: {:?} after {time} ns, {} retries",
            if read { "read" } else { "write" },
            status.outcome(),
            status.retries()
        );
        assert_eq!(status.outcome(), Some(Outcome::Done));
    }
    assert!(
        pair.memory(B).bytes()[0x1000..0x2000]
            .iter()
            .all(|byte| *byte == 0xa5)
    );
    assert!(
        pair.memory(A).bytes()[0x8000..0x9000]
            .iter()
            .all(|byte| *byte == 0xa5)
    );
    Ok(())
}
