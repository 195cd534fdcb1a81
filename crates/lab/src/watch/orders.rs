// SPDX-License-Identifier: Apache-2.0
//! What the page can do to a simulated link.

use ropewalk_sim::rifl::Link;
use ropewalk_sim::{Burst, ChannelConfig, CutKind, SimError};
use ropewalk_watch::{Control, Input, InputKind, Order};

use super::{DIRECTIONS, ENDS};

/// Rates that can be chosen.
const RATES: [f64; 8] = [0.0, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3];
/// Length and density of the bursts that can be chosen.
const BURST: (u32, f64) = (64, 0.5);
/// Names of the patterns of a cut.
const PATTERNS: [&str; 6] = ["zeros", "ones", "1010", "last word", "last frame", "noise"];
/// Longest cut, in microseconds.
const MOST_US: f64 = 1000.0;
/// Largest offset of the clocks.
const MOST_PPM: f64 = 1000.0;

fn choice(name: &'static str, label: &'static str, options: Vec<String>) -> Input {
    let kind = InputKind::Choice { options };
    Input { name, label, kind }
}

fn number(name: &'static str, label: &'static str, range: [f64; 3], unit: &'static str) -> Input {
    let [min, value, max] = range;
    let kind = InputKind::Number {
        min,
        max,
        value,
        unit,
    };
    Input { name, label, kind }
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The buttons for a link with this number of lanes.
#[must_use]
pub fn controls(lanes: usize) -> Vec<Control> {
    let direction = || choice("direction", "Direction", texts(&DIRECTIONS));
    let numbers = || {
        (0..lanes)
            .map(|lane| format!("lane {lane}"))
            .collect::<Vec<_>>()
    };
    let lane = || choice("lane", "Lane", numbers());
    let lane_or_all = || {
        let all = (lanes > 1).then(|| "all lanes".to_owned());
        choice("lane", "Lane", numbers().into_iter().chain(all).collect())
    };
    let rates = || {
        let named = RATES.map(|rate| match rate {
            0.0 => "none".to_owned(),
            rate => format!("{rate:e}"),
        });
        choice("rate", "Per bit", named.to_vec())
    };
    let control = |action, label, help, inputs| Control {
        action,
        label,
        help,
        inputs,
    };
    let mut controls = vec![
        control(
            "flip",
            "Flip bits",
            "Flip bits in a row, once.",
            vec![
                direction(),
                lane(),
                number("bits", "How many", [1.0, 1.0, 10_000.0], "bits"),
            ],
        ),
        control(
            "cut",
            "Cut",
            "The receiver sees something else for a while.",
            vec![
                direction(),
                lane_or_all(),
                choice("pattern", "It sees", texts(&PATTERNS)),
                number("time", "For", [0.01, 50.0, MOST_US], "µs"),
            ],
        ),
        control(
            "errors",
            "Set bit errors",
            "From now on each bit is flipped with this probability, on all lanes, both ways.",
            vec![rates()],
        ),
        control(
            "bursts",
            "Set bursts",
            "From now on bursts of 64 bits, half of them flipped, on all lanes, both ways.",
            vec![rates()],
        ),
        control(
            "heat",
            "Heat",
            "The clock of B drifts to this offset against that of A.",
            vec![number("ppm", "Offset", [-MOST_PPM, 250.0, MOST_PPM], "ppm")],
        ),
        control(
            "slip",
            "Slip",
            "The clock recovery of a lane slips by some bits.",
            vec![
                direction(),
                lane(),
                number("bits", "By", [1.0, 1.0, 63.0], "bits"),
            ],
        ),
        control(
            "reset",
            "Reset",
            "Reset one end; its peer runs on.",
            vec![choice("end", "End", texts(&ENDS))],
        ),
    ];
    if lanes > 1 {
        let swap = control(
            "swap",
            "Swap lanes",
            "Two lanes change their places; the same again puts them back.",
            vec![
                direction(),
                choice("lane", "Lane", numbers()),
                choice("other", "With", numbers().into_iter().rev().collect()),
            ],
        );
        controls.insert(2, swap);
    }
    controls
}

/// What errors are switched on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Errors {
    ber: f64,
    burst: Option<Burst>,
}

impl Errors {
    /// Those that a wire begins with.
    pub(super) fn of(wire: &ChannelConfig) -> Self {
        Self {
            ber: wire.ber,
            burst: wire.burst,
        }
    }

    fn set(&self, link: &mut Link) -> Result<(), SimError> {
        for direction in 0..2 {
            for channel in link.channels_mut(direction) {
                channel.set_errors(self.ber, self.burst)?;
            }
        }
        Ok(())
    }

    /// Carries out an order that [`controls`] allows; says what was done.
    pub(super) fn carry_out(
        &mut self,
        order: &Order,
        link: &mut Link,
        frame_words: u8,
    ) -> Result<String, SimError> {
        let lanes = link.endpoint(0).lanes();
        let direction = order.index("direction").min(1);
        let lane = order.index("lane");
        let at = match lane < lanes {
            true => format!("{} lane {lane}", DIRECTIONS[direction]),
            false => format!("{} all lanes", DIRECTIONS[direction]),
        };
        let rate = RATES.get(order.index("rate")).copied().unwrap_or(0.0);
        match &order.action[..] {
            "flip" => {
                let bits = order.index("bits");
                for channel in link.channels_mut(direction).iter_mut().skip(lane).take(1) {
                    channel.flip_run(0, bits as u64);
                }
                Ok(format!("{bits} bits in a row are flipped on {at}"))
            }
            "cut" => {
                let cycle_ns = link.cycle_ns();
                let words = (order.number("time") * 1e3 / cycle_ns).round().max(1.0) as u64;
                let pattern = order.index("pattern");
                let kind = match pattern {
                    0 => CutKind::Zero,
                    1 => CutKind::One,
                    2 => CutKind::Alternating,
                    3 => CutKind::Stuck,
                    4 => CutKind::Repeat(frame_words),
                    _ => CutKind::Noise,
                };
                let channels = link.channels_mut(direction).iter_mut().enumerate();
                for (_, channel) in channels.filter(|(number, _)| lane >= lanes || *number == lane)
                {
                    channel.cut_now(words, kind)?;
                }
                let name = PATTERNS.get(pattern).unwrap_or(&"noise");
                Ok(format!("{at} shows {name} for {} µs", order.number("time")))
            }
            "swap" => {
                // The second list runs backwards, so that it begins with another lane.
                let other = lanes - 1 - order.index("other").min(lanes - 1);
                link.swap_lanes(direction, lane.min(lanes - 1), other);
                Ok(format!("{at} and lane {other} change their places"))
            }
            "errors" => {
                self.ber = rate;
                self.set(link)?;
                Ok(format!("bit errors at {rate:e} per bit"))
            }
            "bursts" => {
                let (length_bits, density) = BURST;
                self.burst = (rate > 0.0).then_some(Burst {
                    rate_per_bit: rate,
                    length_bits,
                    density,
                });
                self.set(link)?;
                Ok(format!("bursts at {rate:e} per bit"))
            }
            "heat" => {
                let ppm = order.number("ppm");
                link.set_ppm(ppm)?;
                Ok(format!("the clock of B drifts to {ppm:+} ppm"))
            }
            "slip" => {
                let bits = order.index("bits");
                for channel in link.channels_mut(direction).iter_mut().skip(lane).take(1) {
                    channel.slip(bits as u8);
                }
                Ok(format!("{at} slips by {bits} bits"))
            }
            _ => {
                let end = order.index("end").min(1);
                link.reset_now(end, 0);
                Ok(format!("{} is reset", ENDS[end]))
            }
        }
    }
}
