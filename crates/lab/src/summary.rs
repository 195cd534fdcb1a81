// SPDX-License-Identifier: Apache-2.0
//! The result of a run as plain data: what `--json` prints, and what the table and the report show.
//!
//! The key names are stable; more keys may be added.

use ropewalk_sim::LatencyHistogram;
use ropewalk_sim::rifl::{Direction, LinkConfig, Reset, RunResult};
use serde::Serialize;

/// The result of `ropewalk sim rifl`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Everything was delivered once, in order, unchanged.
    pub ok: bool,
    /// `rifl`.
    pub core: &'static str,
    /// Lanes of the link.
    pub lanes: u8,
    /// Frame width in bits.
    pub frame_width: u16,
    /// User width in bits.
    pub user_width: u16,
    /// Frame id width in bits.
    pub id_width: u8,
    /// Line rate per lane in Gb/s.
    pub line_rate_gbps: f64,
    /// Length of the cable in metres.
    pub cable_m: f64,
    /// Delay of the wire in bits, one way; of the latest lane.
    pub delay_bits: u64,
    /// Probability that a bit is flipped.
    pub ber: f64,
    /// B's clock against A's.
    pub ppm: f64,
    /// Bit slip of lane 0, A to B and B to A.
    pub slip_bits: [u8; 2],
    /// Lanes were delayed by up to `skew_words` words against each other.
    pub skew_words: u32,
    /// The extended mode was used.
    pub extended: bool,
    /// Frames had the stronger code.
    pub strong_code: bool,
    /// Resets of one end while the other one ran.
    pub resets: Vec<ResetSummary>,
    /// Share of time in which the sinks refuse data, in percent.
    pub stall_percent: f64,
    /// Seed of everything random.
    pub seed: u64,
    /// GT cycles simulated, from release of reset.
    pub cycles: u64,
    /// The same as time on the link.
    pub time_ns: f64,
    /// Release of reset to the moment in which both ends are up; null: never.
    pub link_up_ns: Option<f64>,
    /// The run was given up because nothing arrived any more.
    pub stalled: bool,
    /// Bits flipped by the channel, both directions.
    pub bit_errors: u64,
    /// Times a transmitter entered its retransmission, both ends.
    pub retransmissions: u64,
    /// Wall clock time of the simulation.
    pub wall_s: f64,
    /// GT cycles per second of wall clock.
    pub sim_cycles_per_second: f64,
    /// The file that was carried, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileSummary>,
    /// The loaded directions: A to B, and B to A unless `--one-way`.
    pub directions: Vec<DirectionSummary>,
}

/// A reset of one end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ResetSummary {
    /// `A` or `B`.
    pub end: &'static str,
    /// Beginning in GT cycles.
    pub start_cycle: u64,
    /// Length in GT cycles.
    pub cycles: u64,
}

impl ResetSummary {
    /// A reset of the link.
    pub fn of(reset: &Reset) -> Self {
        Self {
            end: ENDS[reset.end & 1].0,
            start_cycle: reset.start_cycle,
            cycles: reset.cycles,
        }
    }
}

/// The file that was carried.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileSummary {
    /// Its name without the folder.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of what was sent.
    pub sha256: String,
    /// SHA-256 of what arrived, in the order of `directions`.
    pub received_sha256: Vec<String>,
    /// All copies are equal to the file, byte for byte.
    pub identical: bool,
}

/// One loaded direction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DirectionSummary {
    /// Sending end.
    pub from: &'static str,
    /// Receiving end.
    pub to: &'static str,
    /// Packets accepted from the source.
    pub packets_sent: u64,
    /// Packets that came out of the sink.
    pub packets_delivered: u64,
    /// Bytes accepted from the source.
    pub bytes_sent: u64,
    /// Bytes that came out of the sink.
    pub bytes_delivered: u64,
    /// Sent and never delivered.
    pub lost: u64,
    /// Delivered a second time.
    pub duplicated: u64,
    /// Delivered after a later one.
    pub reordered: u64,
    /// Delivered, but never sent like this.
    pub corrupted: u64,
    /// On their way, wholly or in part, when an end was reset, and not delivered.
    pub cut: u64,
    /// Those of them of which a part came out and ended with an error mark.
    pub aborted: u64,
    /// Payload bits per nanosecond from the first accepted to the last delivered beat.
    pub goodput_gbps: f64,
    /// Goodput over the line rate of all lanes.
    pub efficiency: f64,
    /// First beat in to first beat out, in nanoseconds; null when nothing was delivered.
    pub latency_ns: Latency<f64>,
    /// The same in GT cycles.
    pub latency_cycles: Latency<u64>,
    /// Longest time without a delivered beat, in GT cycles.
    pub longest_gap_cycles: u64,
    /// Bits flipped in this direction.
    pub bit_errors: u64,
    /// Times the sending end entered its retransmission.
    pub retransmissions: u64,
    /// The receiving end ever had to refuse a frame (never happens in a sound link).
    pub rx_overflow: bool,
    /// What happened on each lane.
    pub lanes: Vec<LaneSummary>,
}

/// One lane of a direction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LaneSummary {
    /// Delay of the wire in bits, without the slip.
    pub delay_bits: u64,
    /// Bit slip.
    pub slip_bits: u8,
    /// Bits flipped.
    pub bit_errors: u64,
    /// Times the sending end entered its retransmission.
    pub retransmissions: u64,
    /// The receiving end ever had to refuse a frame.
    pub rx_overflow: bool,
}

/// Order statistics of the packet latency.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Latency<T> {
    /// Smallest.
    pub min: Option<T>,
    /// Median.
    pub p50: Option<T>,
    /// 99th percentile.
    pub p99: Option<T>,
    /// 99.9th percentile.
    pub p999: Option<T>,
    /// Largest.
    pub max: Option<T>,
}

impl<T> Latency<T> {
    fn of(histogram: &LatencyHistogram, quantile: impl Fn(f64) -> T) -> Self {
        let at = |q| (histogram.count() > 0).then(|| quantile(q));
        Self {
            min: at(0.0),
            p50: at(0.5),
            p99: at(0.99),
            p999: at(0.999),
            max: at(1.0),
        }
    }

    /// The statistics with their names, in order.
    pub fn named(self) -> [(&'static str, Option<T>); 5] {
        [
            ("min", self.min),
            ("p50", self.p50),
            ("p99", self.p99),
            ("p99.9", self.p999),
            ("max", self.max),
        ]
    }
}

/// Order statistics of a latency in cycles; zeros if there is none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cycles {
    /// Smallest.
    pub min: u64,
    /// Median.
    pub p50: u64,
    /// 99th percentile.
    pub p99: u64,
    /// Largest.
    pub max: u64,
}

impl Cycles {
    /// Those of a histogram.
    pub fn of(histogram: &LatencyHistogram) -> Self {
        Self {
            min: histogram.min_cycles(),
            p50: histogram.p50_cycles(),
            p99: histogram.p99_cycles(),
            max: histogram.max_cycles(),
        }
    }
}

/// Names of the ends: sender and receiver of direction 0 and 1.
pub const ENDS: [(&str, &str); 2] = [("A", "B"), ("B", "A")];

impl DirectionSummary {
    /// What the simulator measured in direction `index`.
    pub fn of(result: &RunResult, link: &LinkConfig, index: usize) -> Self {
        let direction: &Direction = &result.directions[index];
        let (from, to) = ENDS[index];
        let wires = [&link.a_to_b, &link.b_to_a][index];
        Self {
            from,
            to,
            packets_sent: direction.packets_sent,
            packets_delivered: direction.packets_delivered,
            bytes_sent: direction.bytes_sent,
            bytes_delivered: direction.bytes_delivered,
            lost: direction.lost,
            duplicated: direction.duplicated,
            reordered: direction.reordered,
            corrupted: direction.corrupted,
            cut: direction.cut,
            aborted: direction.aborted,
            goodput_gbps: direction.goodput_gbps,
            efficiency: direction.efficiency,
            latency_ns: Latency::of(&direction.latency, |q| direction.latency.quantile_ns(q)),
            latency_cycles: Latency::of(&direction.latency, |q| {
                direction.latency.quantile_cycles(q)
            }),
            longest_gap_cycles: direction.longest_gap_cycles,
            bit_errors: result.bit_errors[index],
            retransmissions: result.retransmissions[index],
            // The receiver of A to B is B.
            rx_overflow: result.rx_overflow[1 - index],
            lanes: wires
                .iter()
                .zip(&result.lanes[index])
                .map(|(wire, lane)| LaneSummary {
                    delay_bits: wire.delay_bits,
                    slip_bits: wire.slip_bits,
                    bit_errors: lane.bit_errors,
                    retransmissions: lane.retransmissions,
                    rx_overflow: lane.rx_overflow,
                })
                .collect(),
        }
    }

    /// Whether every packet arrived once, in order, unchanged.
    pub fn is_lossless(&self) -> bool {
        self.lost == 0
            && self.duplicated == 0
            && self.reordered == 0
            && self.corrupted == 0
            && self.cut == 0
            && self.packets_delivered == self.packets_sent
            && self.bytes_delivered == self.bytes_sent
            && !self.rx_overflow
    }
}

impl Summary {
    /// What went wrong, in words; empty when nothing did.
    pub fn complaints(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        if self.link_up_ns.is_none() {
            complaints.push("the link never came up".to_owned());
        } else if self.stalled {
            complaints.push("the link stalled".to_owned());
        }
        for direction in &self.directions {
            let counts = [
                (direction.lost, "lost"),
                (direction.duplicated, "duplicated"),
                (direction.reordered, "reordered"),
                (direction.corrupted, "corrupted"),
                (direction.cut, "cut by a reset"),
            ];
            for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
                complaints.push(format!(
                    "{} to {}: {count} {what}",
                    direction.from, direction.to
                ));
            }
            if direction.rx_overflow {
                complaints.push(format!(
                    "{} to {}: a receive buffer overflowed",
                    direction.from, direction.to
                ));
            }
        }
        if self.file.as_ref().is_some_and(|file| !file.identical) {
            complaints.push("a copy differs from the file".to_owned());
        }
        if complaints.is_empty() && !self.ok {
            complaints.push("not everything was sent and delivered".to_owned());
        }
        complaints
    }
}
