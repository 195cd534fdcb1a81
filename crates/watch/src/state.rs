// SPDX-License-Identifier: Apache-2.0
//! What is known of a link at one moment, whatever protocol it speaks.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::interval::Interval;
use crate::timeline::{Event, Kind, Timeline};

/// Why something is as it is: a code for programs, a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Lower case with underscores; it keeps its meaning.
    pub code: Cow<'static, str>,
    /// One line.
    pub text: String,
}

impl Reason {
    /// A reason.
    pub fn new(code: impl Into<Cow<'static, str>>, text: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            text: text.into(),
        }
    }
}

/// What the times of a state are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeBase {
    /// Seconds since the source began to watch.
    #[default]
    Clock,
    /// Seconds on a simulated link.
    Link,
}

/// State of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneState {
    /// It carries data.
    Up,
    /// Something was damaged; it waits for a retransmission.
    Recovering,
    /// It carries nothing.
    #[default]
    Down,
}

/// One lane in one direction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lane {
    /// Such as `A to B, lane 0`.
    pub name: String,
    /// State.
    pub state: LaneState,
    /// Why it is not up.
    pub reason: Option<Reason>,
    /// What was looked at, in `unit`.
    pub seen: u64,
    /// How many of these were bad.
    pub errors: u64,
    /// What is counted: `bits`, `frames` or `datagrams`.
    pub unit: &'static str,
    /// Errors per unit.
    pub error_rate: Interval,
    /// Retransmissions that its receiver has requested.
    pub recoveries: u64,
}

/// A flow of user data in one direction: a direction of a link, a channel or a class.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Channel {
    /// Such as `A to B` or `sent, channel 3`.
    pub name: String,
    /// Bytes of the user that have been carried.
    pub bytes: u64,
    /// Packets or frames of the user that have been carried.
    pub packets: u64,
    /// Packets that were lost or damaged, without anybody being notified.
    pub bad: u64,
    /// Packets that were aborted because a session ended; the user was notified.
    pub aborted: u64,
    /// Something to add, such as that the peer wants none.
    pub note: String,
}

/// A button of the page and what it takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Control {
    /// Name in an [`Order`].
    pub action: &'static str,
    /// On the button.
    pub label: &'static str,
    /// What it does, in a line.
    pub help: &'static str,
    /// What it takes.
    pub inputs: Vec<Input>,
}

/// A value that a button takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Input {
    /// Name in an [`Order`].
    pub name: &'static str,
    /// In front of it.
    pub label: &'static str,
    /// What is accepted.
    #[serde(flatten)]
    pub kind: InputKind,
}

/// What an input accepts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum InputKind {
    /// One of these; its index is the value.
    Choice {
        /// What can be chosen.
        options: Vec<String>,
    },
    /// A number.
    Number {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
        /// What stands there at first.
        value: f64,
        /// Unit, such as `ppm`.
        unit: &'static str,
    },
}

impl Control {
    /// Checks what an order gives: exactly the inputs, each in its range.
    ///
    /// # Errors
    /// One line that names the value and what is accepted.
    pub fn check(&self, order: &Order) -> Result<(), String> {
        for input in &self.inputs {
            let Some(&value) = order.values.get(input.name) else {
                return Err(format!("{}: {} is missing", self.action, input.name));
            };
            let accepted = match &input.kind {
                InputKind::Choice { options } => {
                    let last = options.len().saturating_sub(1);
                    if value.fract() == 0.0 && value >= 0.0 && value <= last as f64 {
                        continue;
                    }
                    format!("0 to {last}")
                }
                InputKind::Number { min, max, .. } => {
                    if (*min..=*max).contains(&value) {
                        continue;
                    }
                    format!("{min} to {max}")
                }
            };
            let Self { action, .. } = self;
            return Err(format!(
                "{action}: {} {value}; accepted: {accepted}",
                input.name
            ));
        }
        let known = |name: &String| self.inputs.iter().any(|input| input.name == name);
        match order.values.keys().find(|name| !known(name)) {
            None => Ok(()),
            Some(name) => Err(format!("{}: takes no {name:.40}", self.action)),
        }
    }
}

/// What somebody wants to be done to the link.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// Which [`Control`].
    pub action: String,
    /// Values of its inputs.
    #[serde(default)]
    pub values: BTreeMap<String, f64>,
}

impl Order {
    /// A value; zero if there is none, which [`Control::check`] has excluded.
    #[must_use]
    pub fn number(&self, name: &str) -> f64 {
        self.values.get(name).copied().unwrap_or_default()
    }

    /// The same where it is an index or a count.
    #[must_use]
    pub fn index(&self, name: &str) -> usize {
        self.number(name) as usize
    }
}

/// A link at one moment.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct State {
    /// What is watched.
    pub title: String,
    /// More of that: widths, rates, names.
    pub facts: Vec<String>,
    /// What times are.
    pub time_base: TimeBase,
    /// The moment.
    pub time_s: f64,
    /// User data flow.
    pub up: bool,
    /// Since when that is so.
    pub since_s: f64,
    /// Why it is down, or what is wrong while it is up; the first one matters most.
    pub reasons: Vec<Reason>,
    /// Sessions that have begun, where there are any.
    pub sessions: Option<u64>,
    /// Times the link has gone up.
    pub ups: u64,
    /// Times the link has gone down.
    pub downs: u64,
    /// Round trip as the link measures it.
    pub round_trip_s: Option<f64>,
    /// How much faster the clock of the peer is, in parts per million.
    pub clock_offset_ppm: Option<f64>,
    /// Lanes.
    pub lanes: Vec<Lane>,
    /// Flows of user data.
    pub channels: Vec<Channel>,
    /// What happened, the oldest first, at most [`crate::MOST_EVENTS`].
    pub events: Vec<Event>,
    /// How often, by kind and code.
    pub event_counts: Vec<(Kind, String, u64)>,
    /// What can be done to the link.
    pub what_if: Vec<Control>,
}

impl State {
    /// A link of which nothing is known yet.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// The same with what happened.
    #[must_use]
    pub fn with(mut self, timeline: &Timeline) -> Self {
        self.events = timeline.events();
        self.event_counts = timeline.counts();
        self
    }

    /// Retransmissions of all lanes.
    #[must_use]
    pub fn recoveries(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.recoveries).sum()
    }

    /// Whether a reason of the state, or of an event that it holds, has this code.
    #[must_use]
    pub fn names(&self, code: &str) -> bool {
        let events = self.events.iter().map(|event| &event.reason);
        let lanes = self.lanes.iter().filter_map(|lane| lane.reason.as_ref());
        let mut reasons = self.reasons.iter().chain(lanes).chain(events);
        reasons.any(|reason| reason.code == code)
    }
}
