// SPDX-License-Identifier: Apache-2.0
//! A state as OpenMetrics text (OpenMetrics 1.0, section "Text format").

use std::fmt::{Display, Write};

use crate::state::{LaneState, State};

/// Content type of the text.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// One family after the other, as the format wants it.
struct Text(String);

/// Labels of a sample: names and values.
type Labels<'a> = &'a [(&'a str, &'a str)];

impl Text {
    /// Begins a family. `unit` is the end of its name, or nothing.
    fn family(&mut self, name: &str, kind: &str, unit: &str, help: &str) {
        // Writing to a text cannot fail, here and below.
        let _ = writeln!(self.0, "# TYPE {name} {kind}");
        if !unit.is_empty() {
            let _ = writeln!(self.0, "# UNIT {name} {unit}");
        }
        let _ = writeln!(self.0, "# HELP {name} {help}");
    }

    fn sample(&mut self, name: &str, labels: Labels<'_>, value: impl Display) {
        self.0.push_str(name);
        for (place, (label, text)) in labels.iter().enumerate() {
            let open = if place == 0 { '{' } else { ',' };
            let _ = write!(self.0, "{open}{label}=\"{}\"", escaped(text));
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {value}");
    }
}

/// The value of a label.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

/// The text.
#[must_use]
pub fn openmetrics(state: &State) -> String {
    let mut text = Text(String::new());
    link(&mut text, state);
    lanes(&mut text, state);
    channels(&mut text, state);
    text.0.push_str("# EOF\n");
    text.0
}

fn link(text: &mut Text, state: &State) {
    text.family("ropewalk_link", "info", "", "What is watched.");
    text.sample("ropewalk_link_info", &[("title", &state.title)], 1);
    text.family(
        "ropewalk_link_up",
        "gauge",
        "",
        "1 while user data flow, else 0.",
    );
    text.sample("ropewalk_link_up", &[], u8::from(state.up));
    let name = "ropewalk_link_condition";
    text.family(
        name,
        "gauge",
        "",
        "1 for every reason why the link is down or not sound.",
    );
    let mut codes: Vec<&str> = state.reasons.iter().map(|it| it.code.as_ref()).collect();
    codes.sort_unstable();
    codes.dedup();
    for code in codes {
        text.sample(name, &[("reason", code)], 1);
    }
    let name = "ropewalk_link_time_seconds";
    let help = "Time on the link, or since it is watched.";
    text.family(name, "gauge", "seconds", help);
    text.sample(name, &[], state.time_s);
    for (name, help, value) in [
        (
            "ropewalk_link_ups",
            "Times the link has gone up.",
            Some(state.ups),
        ),
        (
            "ropewalk_link_downs",
            "Times the link has gone down.",
            Some(state.downs),
        ),
        (
            "ropewalk_link_sessions",
            "Sessions that have begun.",
            state.sessions,
        ),
    ] {
        if let Some(value) = value {
            text.family(name, "counter", "", help);
            text.sample(&format!("{name}_total"), &[], value);
        }
    }
    let name = "ropewalk_link_events";
    text.family(
        name,
        "counter",
        "",
        "What happened and is over, by its reason.",
    );
    for (kind, code, count) in &state.event_counts {
        let labels = [("kind", kind.name()), ("reason", code)];
        text.sample(&format!("{name}_total"), &labels, count);
    }
    if let Some(seconds) = state.round_trip_s {
        let name = "ropewalk_link_round_trip_seconds";
        text.family(name, "gauge", "seconds", "As the link measures it.");
        text.sample(name, &[], seconds);
    }
    if let Some(ppm) = state.clock_offset_ppm {
        let name = "ropewalk_link_clock_offset_ratio";
        let help = "How much faster the clock of the peer is than the own one.";
        text.family(name, "gauge", "ratio", help);
        text.sample(name, &[], ppm / 1e6);
    }
}

fn lanes(text: &mut Text, state: &State) {
    if state.lanes.is_empty() {
        return;
    }
    text.family(
        "ropewalk_lane_up",
        "gauge",
        "",
        "1 unless the lane carries nothing.",
    );
    for lane in &state.lanes {
        let up = u8::from(lane.state != LaneState::Down);
        text.sample("ropewalk_lane_up", &[("lane", &lane.name)], up);
    }
    for (name, help, value) in [
        (
            "ropewalk_lane_seen",
            "What was looked at, in the unit that the label names.",
            (|lane| lane.seen) as fn(&crate::Lane) -> u64,
        ),
        (
            "ropewalk_lane_errors",
            "What of that was damaged or missing.",
            |lane| lane.errors,
        ),
        (
            "ropewalk_lane_recoveries",
            "Retransmissions that the receiver has requested.",
            |lane| lane.recoveries,
        ),
    ] {
        text.family(name, "counter", "", help);
        for lane in &state.lanes {
            let labels = [("lane", &lane.name[..]), ("unit", lane.unit)];
            let labels = &labels[..if name.ends_with("recoveries") { 1 } else { 2 }];
            text.sample(&format!("{name}_total"), labels, value(lane));
        }
    }
    let name = "ropewalk_lane_error_ratio";
    let help = "Errors per unit, and the ends of the 95 % interval (Wilson).";
    text.family(name, "gauge", "ratio", help);
    for lane in &state.lanes {
        let rate = &lane.error_rate;
        for (which, value) in [
            ("estimate", rate.estimate),
            ("low", rate.low),
            ("high", rate.high),
        ] {
            text.sample(
                name,
                &[("lane", &lane.name), ("unit", lane.unit), ("value", which)],
                value,
            );
        }
    }
}

fn channels(text: &mut Text, state: &State) {
    if state.channels.is_empty() {
        return;
    }
    for (name, unit, help, value) in [
        (
            "ropewalk_channel_bytes",
            "bytes",
            "Bytes of the user that have been carried.",
            (|channel| channel.bytes) as fn(&crate::Channel) -> u64,
        ),
        (
            "ropewalk_channel_packets",
            "",
            "Packets of the user that have been carried.",
            |channel| channel.packets,
        ),
        (
            "ropewalk_channel_bad_packets",
            "",
            "Packets that were lost or damaged without notice.",
            |channel| channel.bad,
        ),
        (
            "ropewalk_channel_aborted_packets",
            "",
            "Packets that were aborted; the user was notified.",
            |channel| channel.aborted,
        ),
    ] {
        text.family(name, "counter", unit, help);
        for channel in &state.channels {
            let labels = [("channel", &channel.name[..])];
            text.sample(&format!("{name}_total"), &labels, value(channel));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Channel, Interval, Kind, Lane, Reason, Timeline};

    fn state() -> State {
        let mut timeline = Timeline::default();
        timeline.note(
            1.0,
            Kind::Recovery,
            Reason::new("bit_errors", "a damaged frame"),
        );
        let lane = Lane {
            name: "A to B, \"lane\\ 0\"\n".to_owned(),
            state: LaneState::Recovering,
            reason: None,
            seen: 1_000_000,
            errors: 3,
            unit: "bits",
            error_rate: Interval::wilson(3, 1_000_000),
            recoveries: 2,
        };
        State {
            time_s: 1.5,
            up: true,
            reasons: vec![
                Reason::new("bit_errors", "on lane 0"),
                Reason::new("bit_errors", "on lane 1"),
            ],
            sessions: Some(4),
            round_trip_s: Some(1.5e-7),
            clock_offset_ppm: Some(-100.0),
            lanes: vec![lane],
            channels: vec![Channel {
                name: "A to B".to_owned(),
                bytes: 5000,
                ..Channel::default()
            }],
            ..State::new("a link")
        }
        .with(&timeline)
    }

    /// The rules of the format that a reader relies on, over every line.
    fn check(text: &str) {
        let mut families = BTreeSet::new();
        let (mut family, mut kind) = ("", "");
        let mut samples = BTreeSet::new();
        let body = text.strip_suffix("# EOF\n").expect("ends with # EOF");
        for line in body.lines() {
            let words: Vec<&str> = line.splitn(4, ' ').collect();
            match words[..] {
                ["#", "TYPE", name, said] => {
                    assert!(families.insert(name), "{name} comes twice");
                    (family, kind) = (name, said);
                }
                ["#", "UNIT", name, unit] => {
                    assert_eq!(name, family);
                    assert!(name.ends_with(&format!("_{unit}")), "{line}");
                }
                ["#", "HELP", name, help] => {
                    assert_eq!(name, family);
                    assert!(help.ends_with('.'), "{line}");
                }
                _ => {
                    let (series, value) = line.rsplit_once(' ').expect("a value");
                    assert!(samples.insert(series.to_owned()), "{series} comes twice");
                    let name = series.split('{').next().expect("a name");
                    let suffix = match kind {
                        "counter" => "_total",
                        "info" => "_info",
                        _ => "",
                    };
                    assert_eq!(name, format!("{family}{suffix}"), "{line}");
                    let value: f64 = value.parse().expect("a number");
                    assert!(value.is_finite(), "{line}");
                    assert_eq!(series.contains('{'), series.ends_with('}'), "{line}");
                }
            }
        }
    }

    #[test]
    fn the_text_keeps_the_rules_of_the_format() {
        check(&openmetrics(&state()));
        check(&openmetrics(&State::new("nothing is known")));
    }

    #[test]
    fn values_and_labels_are_those_of_the_state() {
        let text = openmetrics(&state());
        for line in [
            "ropewalk_link_info{title=\"a link\"} 1",
            "ropewalk_link_up 1",
            "ropewalk_link_condition{reason=\"bit_errors\"} 1",
            "ropewalk_link_sessions_total 4",
            "ropewalk_link_round_trip_seconds 0.00000015",
            "ropewalk_link_clock_offset_ratio -0.0001",
            "ropewalk_link_events_total{kind=\"recovery\",reason=\"bit_errors\"} 1",
            "ropewalk_lane_errors_total{lane=\"A to B, \\\"lane\\\\ 0\\\"\\n\",unit=\"bits\"} 3",
            "ropewalk_lane_recoveries_total{lane=\"A to B, \\\"lane\\\\ 0\\\"\\n\"} 2",
            "# UNIT ropewalk_channel_bytes bytes",
            "ropewalk_channel_bytes_total{channel=\"A to B\"} 5000",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}\n{text}");
        }
    }
}
