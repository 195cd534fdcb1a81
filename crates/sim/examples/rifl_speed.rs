// SPDX-License-Identifier: Apache-2.0
//! Prints how fast two RIFL endpoints are simulated, both directions loaded.
//!
//! `cargo run --release -p ropewalk-sim --example rifl_speed [frame width] [id width] [GT cycles]
//! [BER] [lanes] [user width] [FST file]`

use ropewalk_sim::ChannelConfig;
use ropewalk_sim::rifl::{LinkConfig, Model, RunConfig, Traffic, run};

fn argument<T: std::str::FromStr>(index: usize, default: T) -> T {
    std::env::args()
        .nth(index)
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

fn main() -> Result<(), ropewalk_sim::SimError> {
    let ber = argument(4, 1e-6);
    let (frame_width, lanes) = (argument(1, 256), argument(5, 1));
    let wires = |seed: u64| {
        (0..lanes)
            .map(|lane| ChannelConfig {
                ber,
                seed: seed + 2 * u64::from(lane),
                ..ChannelConfig::default()
            })
            .collect()
    };
    let traffic = |seed| Traffic::Random {
        packets: u64::MAX,
        min: 1,
        max: 8192,
        seed,
    };
    let config = RunConfig {
        link: LinkConfig {
            model: Model {
                lanes,
                frame_width,
                user_width: argument(6, frame_width),
                id_width: argument(2, 6),
                extended: false,
                strong_code: false,
            },
            a_to_b: wires(1),
            b_to_a: wires(2),
            trace: std::env::args().nth(7).map(Into::into),
            ..LinkConfig::default()
        },
        traffic: [traffic(3), traffic(4)],
        max_cycles: Some(argument(3, 3_000_000)),
        ..RunConfig::default()
    };
    let result = run(config, &mut |_| ())?;
    println!(
        "{} GT cycles in {:.2} s: {:.2} M cycles/s; link up {:?} ns, errors {:?}, retransmissions {:?}",
        result.cycles,
        result.wall_s,
        result.sim_cycles_per_second * 1e-6,
        result.link_up_ns,
        result.bit_errors,
        result.retransmissions
    );
    for d in &result.directions {
        println!(
            "packets {} bytes {} lost {} duplicated {} corrupted {} efficiency {:.4} latency {}..{} cycles",
            d.packets_delivered,
            d.bytes_delivered,
            d.lost,
            d.duplicated,
            d.corrupted,
            d.efficiency,
            d.latency.min_cycles(),
            d.latency.max_cycles()
        );
    }
    Ok(())
}
