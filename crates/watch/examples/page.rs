// SPDX-License-Identifier: Apache-2.0
//! A page of a link that is made up: `cargo run -p ropewalk-watch --example page`.
//!
//! Every second a lane flips some bits; it ends after ten seconds, or after as many as the first
//! argument says.

use std::sync::Arc;
use std::time::Duration;

use ropewalk_watch::{Board, Interval, Kind, Lane, LaneState, Reason, Server, State, Timeline};

fn main() -> std::io::Result<()> {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let board = Arc::new(Board::new(State::new("A made-up link")));
    let server = Server::start(([127, 0, 0, 1], 0).into(), Arc::clone(&board))?;
    println!("http://{}/", server.address());
    let mut timeline = Timeline::default();
    for second in 1..=seconds.unwrap_or(10u32) {
        std::thread::sleep(Duration::from_secs(1));
        let why = Reason::new("bit_errors", "lane 0: a frame was damaged");
        let number = timeline.begin(f64::from(second) - 0.1, Kind::Recovery, why);
        timeline.end(number, f64::from(second));
        let (seen, errors) = (u64::from(second) * 1_000_000_000, u64::from(second));
        let lane = Lane {
            name: "lane 0".to_owned(),
            state: LaneState::Up,
            reason: None,
            seen,
            errors,
            unit: "bits",
            error_rate: Interval::wilson(errors, seen),
            recoveries: errors,
        };
        let state = State {
            time_s: f64::from(second),
            up: true,
            lanes: vec![lane],
            ..State::new("A made-up link")
        };
        board.publish(state.with(&timeline));
    }
    Ok(())
}
