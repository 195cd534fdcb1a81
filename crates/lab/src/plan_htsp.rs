// SPDX-License-Identifier: Apache-2.0
//! The calculation of `ropewalk plan htsp`: how many links a detector takes, and for every length
//! of a burst what a link carries, how much memory a channel needs, and how long a word is under
//! way.

use ropewalk_sim::htsp::{CLOCK_HZ, NULL_INTERVAL};
use serde::Serialize;

use crate::cli::PlanHtsp;
use crate::published_htsp::{DETECTORS, paper_bandwidth};

/// Bytes of a word.
const WORD: u64 = 64;
/// Cycles of a burst that are not payload: header and footer.
const BURST_CYCLES: u64 = 2;
/// Bytes of an Ethernet frame that are not payload: preamble, header, footer, check sequence, gap.
const FRAME_BYTES: u64 = 94;
/// The line.
const LINE_GBPS: f64 = 100.0;
/// Cycles from user to user with both MACs, without the line.
const CORE_CYCLES: f64 = 13.0;
/// Depths of a receive buffer, in words.
const DEPTHS: std::ops::RangeInclusive<u64> = 16..=65_535;
/// Lengths of a burst that are shown beside the one that is planned, in bytes.
const BURSTS: [u16; 6] = [256, 512, 1024, 2048, 4096, 8192];

/// A plan.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    /// `htsp`.
    pub core: &'static str,
    /// Bytes of a user frame.
    pub frame_bytes: u64,
    /// What the detector gives.
    pub bandwidth_gbps: f64,
    /// User frames per second of the whole detector.
    pub frame_rate: f64,
    /// Channels of a link.
    pub channels: u8,
    /// Links that carry it.
    pub links: u64,
    /// Share of what these links can carry.
    pub load: f64,
    /// From end to end and back, with both transceivers.
    pub round_trip_ns: f64,
    /// Place of the planned length in `bursts`.
    pub chosen: usize,
    /// The shortest first.
    pub bursts: Vec<Burst>,
    /// The detectors of the paper's table 1, with user frames of a burst.
    pub detectors: Vec<Detector>,
}

/// A length of a burst, and what it brings and costs.
#[derive(Debug, Clone, Serialize)]
pub struct Burst {
    /// Bytes.
    pub burst_bytes: u16,
    /// Payload that a link carries.
    pub link_gbps: f64,
    /// Parameter `Headroom`: words that may come after a pause.
    pub headroom_words: u64,
    /// Parameter `RxDepth`: the smallest power of two whose upper three quarters hold them.
    pub rx_depth_words: u64,
    /// Memory of all channels of a link.
    pub buffer_bytes: u64,
    /// The first word, from user to user, on an idle link.
    pub latency_ns: f64,
    /// What it waits for at most where all channels have a burst in front of it.
    pub wait_ns: f64,
}

/// A detector of the paper.
#[derive(Debug, Clone, Serialize)]
pub struct Detector {
    /// Its class.
    pub name: &'static str,
    /// Its data.
    pub bandwidth_gbps: f64,
    /// Links of this core.
    pub links: u64,
    /// Links by the paper's formula.
    pub links_paper: u64,
}

/// Payload of a line of 100 Gb/s, in Gb/s.
pub(crate) fn line_gbps(frame: u64, burst: u64) -> f64 {
    let bytes = frame.div_ceil(WORD) * WORD + FRAME_BYTES * frame.div_ceil(burst);
    LINE_GBPS * frame as f64 / bytes as f64
}

/// Payload of a link in Gb/s: of a word a cycle, or of the line, whichever is less.
fn link_gbps(frame: u64, burst: u64) -> f64 {
    let cycles = frame.div_ceil(WORD) + BURST_CYCLES * frame.div_ceil(burst);
    let core = 8e-9 * CLOCK_HZ * frame as f64 / cycles as f64;
    core.min(line_gbps(frame, burst))
}

fn links(bandwidth_gbps: f64, link_gbps: f64, spare: f64) -> u64 {
    (bandwidth_gbps / (link_gbps * (1.0 - spare))).ceil() as u64
}

fn burst(options: &PlanHtsp, bytes: u16, round_trip_ns: f64) -> Burst {
    let words = u64::from(bytes) / WORD;
    let cycle_ns = 1e9 / CLOCK_HZ;
    let lost = if options.lossy {
        words + u64::from(NULL_INTERVAL)
    } else {
        0
    };
    let headroom_words = 2 * words + (round_trip_ns / cycle_ns).ceil() as u64 + lost;
    let rx_depth_words = (4 * headroom_words).div_ceil(3).next_power_of_two();
    let channels = u64::from(options.vcs);
    let wait = (channels - 1) * (words + BURST_CYCLES);
    Burst {
        burst_bytes: bytes,
        link_gbps: link_gbps(options.frame, bytes.into()),
        headroom_words,
        rx_depth_words,
        buffer_bytes: rx_depth_words * WORD * channels,
        latency_ns: round_trip_ns / 2.0,
        wait_ns: wait as f64 * cycle_ns,
    }
}

/// The plan.
///
/// # Errors
/// A round trip that no buffer covers.
pub fn plan(options: &PlanHtsp) -> Result<Plan, String> {
    let frame = options.frame;
    let bits = 8.0 * frame as f64;
    let bandwidth = options
        .bandwidth
        .unwrap_or_else(|| bits * options.fps.unwrap_or_default());
    let one_way_ns =
        CORE_CYCLES * 1e9 / CLOCK_HZ + options.circuit_ns + options.cable * options.ns_per_metre;
    let round_trip_ns = 2.0 * one_way_ns;
    let mut lengths = BURSTS.to_vec();
    lengths.push(options.burst);
    lengths.sort_unstable();
    lengths.dedup();
    let bursts: Vec<Burst> = lengths
        .iter()
        .map(|&bytes| burst(options, bytes, round_trip_ns))
        .collect();
    let chosen = lengths.partition_point(|&bytes| bytes < options.burst);
    let planned = &bursts[chosen];
    if !DEPTHS.contains(&planned.rx_depth_words) {
        return Err(format!(
            "a round trip of {round_trip_ns:.0} ns and bursts of {} bytes take a buffer of {} words a channel; accepted: what {} words cover",
            options.burst,
            planned.rx_depth_words,
            DEPTHS.end()
        ));
    }
    let count = links(bandwidth / 1e9, planned.link_gbps, options.spare);
    Ok(Plan {
        core: "htsp",
        frame_bytes: frame,
        bandwidth_gbps: bandwidth / 1e9,
        frame_rate: bandwidth / bits,
        channels: options.vcs,
        links: count,
        load: bandwidth / 1e9 / (count as f64 * planned.link_gbps),
        round_trip_ns,
        chosen,
        detectors: detectors(options.burst, options.spare),
        bursts,
    })
}

/// The paper's table 1, in whole bursts of these bytes; `spare` of every link is kept free.
#[must_use]
pub fn detectors(bytes: u16, spare: f64) -> Vec<Detector> {
    DETECTORS
        .iter()
        .map(|&(name, bandwidth_gbps)| Detector {
            name,
            bandwidth_gbps,
            links: links(bandwidth_gbps, link_gbps(bytes.into(), bytes.into()), spare),
            links_paper: links(bandwidth_gbps, paper_bandwidth(bytes.into()), spare),
        })
        .collect()
}
