// SPDX-License-Identifier: Apache-2.0
//! What the stages of bulk transfer can do on this machine: all of them at work on the runtime, on
//! a lane over the loopback interface, at the rate that is planned.
//!
//! A stage that is measured alone has its data in the caches and the core to itself, and takes
//! several times as much; so does one at full rate, which finds more to do each time it looks.
//! What the runtime and the kernel take is in the figures.

use std::fmt::Display;
use std::time::Duration;

use ropewalk_chunk::perf::{Arrangement, Settings, run};
use ropewalk_chunk::stages::{PLANNED, Threads};
use ropewalk_stripes::measure::{Capability, Effort, measure as alone};
use ropewalk_stripes::operators::Map;
use ropewalk_wire::chunk::{Pace, Params};

/// Runs, of which the median counts, and the time of each.
const RUNS: usize = 3;
/// See [`RUNS`].
const TIME: Duration = Duration::from_millis(200);

/// Names of the stages, as on the command line.
pub const STAGES: [&str; 7] = [
    "generator",
    "aggregator",
    "crc-fec",
    "interface",
    "ack-processor",
    "combiner",
    "ack-generator",
];

/// What was measured.
#[derive(Debug, Clone)]
pub struct Found {
    /// In the order of [`PLANNED`].
    rates: [f64; PLANNED.len()],
    /// A stage that does nothing: what the runtime adds to an item.
    pub hand_over: Capability,
}

impl Found {
    /// Items per second of a stage, in the unit of its requirement.
    #[must_use]
    pub fn rate(&self, stage: &str) -> Option<f64> {
        let at = PLANNED.iter().position(|planned| planned.stage == stage)?;
        Some(self.rates[at])
    }
}

/// One line: why nothing was measured.
fn unmeasured(error: impl Display) -> String {
    format!("the stages cannot be measured: {error}; --capability paper goes without that")
}

/// Measures all stages on a lane of `rate` bits per second; where a chunk would take longer than a
/// run, of as much as it then takes.
///
/// # Errors
/// There is no loopback interface, or a stage fails.
pub fn measure(params: Params, rate: f64) -> Result<Found, String> {
    let hand_over = alone(
        "empty",
        Effort::default(),
        || 0u64..,
        |ports, before, behind| Map::new(ports.input(before), ports.output(behind), |n| n),
    )
    .map_err(unmeasured)?;
    let least = 8.0 * params.chunk_bytes() as f64 / TIME.as_secs_f64();
    let settings = Settings {
        params: Params { lanes: 1, ..params },
        arrangement: Arrangement::Stable,
        time: TIME,
        drop: 0.0,
        pace: Pace::Capped(rate.max(least) as u64),
        // As a plan has them where a core does all of an end.
        threads: Some(Threads::End),
    };
    let mut runs: [Vec<f64>; PLANNED.len()] = Default::default();
    for _ in 0..RUNS {
        let figures = run(&settings).map_err(unmeasured)?;
        for (rates, rate) in runs.iter_mut().zip(figures.capabilities()) {
            rates.push(rate.ok_or_else(|| unmeasured("one of them has done nothing"))?);
        }
    }
    let rates = runs.map(|rates| Capability::of(rates).per_second);
    Ok(Found { rates, hand_over })
}
