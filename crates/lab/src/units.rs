// SPDX-License-Identifier: Apache-2.0
//! Parsers of the values of arguments. Each error says what would be accepted.

use std::ops::RangeInclusive;

pub use ropewalk_console::units::{
    bit_rate, frame_bytes, htsp_burst, id_width, packets, page_address, share, time_span, vc,
};
use ropewalk_console::units::{bytes, number, rate_within, scaled, whole};
use ropewalk_sim::htsp::BEATS;
use ropewalk_sim::rifl::{FRAME_WIDTHS, LANES};
use ropewalk_sim::{Burst, CutKind};
use ropewalk_wire::line::Lanes;
use ropewalk_wire::rifl::FrameWidth;

use crate::chunk_stages::STAGES;

/// Longest packet that the generator makes.
pub const MAX_PACKET_BYTES: u32 = 1 << 20;
/// Largest skew that is accepted, in words of 64 bits; the id width must cover it like any other
/// delay.
pub const MAX_SKEW_WORDS: u32 = 1 << 16;
/// Line rates that are accepted, in Gb/s.
pub const LINE_RATES_GBPS: RangeInclusive<f64> = 0.1..=200.0;
/// Clock offsets that are accepted, in parts per million; oscillators of real links stay within 200
/// of each other.
pub const PPM: RangeInclusive<f64> = -300.0..=300.0;

/// Sizes of generated packets in bytes, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Shortest.
    pub min: u32,
    /// Longest.
    pub max: u32,
}

/// Bit slips of the two directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slips(
    /// A to B, B to A.
    pub [u8; 2],
);

/// Error bursts, as given.
pub type BurstSpec = Burst;

/// A time on the link, as given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LinkTime {
    /// In GT cycles (words of 64 bits).
    Cycles(u64),
    /// In nanoseconds.
    Ns(f64),
}

impl LinkTime {
    /// The same in GT cycles of `cycle_ns` nanoseconds.
    pub fn cycles(self, cycle_ns: f64) -> u64 {
        match self {
            Self::Cycles(cycles) => cycles,
            Self::Ns(ns) => (ns / cycle_ns).round() as u64,
        }
    }
}

/// A cut of the wire, as given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CutSpec {
    /// 0: A to B, 1: B to A.
    pub direction: usize,
    /// One lane; none: all of them.
    pub lane: Option<u8>,
    /// Beginning, from release of reset.
    pub start: LinkTime,
    /// Length.
    pub length: LinkTime,
    /// What the receiver sees.
    pub pattern: CutPattern,
}

/// What the receiver sees during a cut, as given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutPattern {
    /// The last frame before the cut, again and again.
    Frame,
    /// Something that does not depend on the frame width.
    Plain(CutKind),
}

impl CutPattern {
    /// The same for frames of `frame_width` bits.
    pub fn kind(self, frame_width: u16) -> CutKind {
        match self {
            Self::Frame => CutKind::Repeat((frame_width / 64) as u8),
            Self::Plain(kind) => kind,
        }
    }
}

/// A reset, as given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResetSpec {
    /// A, B: whether it is reset.
    pub ends: [bool; 2],
    /// Beginning, from release of the first reset: a time within these, both ends included.
    pub start: [LinkTime; 2],
    /// Length.
    pub length: LinkTime,
}

/// `--lanes`.
pub fn lanes(text: &str) -> Result<u8, String> {
    match text.parse() {
        Ok(lanes) if LANES.contains(&lanes) => Ok(lanes),
        _ => Err("accepted: 1, 2, 4 or 8".to_owned()),
    }
}

/// `--lanes` of a link that is planned.
pub fn planned_lanes(text: &str) -> Result<u32, String> {
    lanes(text).map(u32::from)
}

/// `--frame-width`.
pub fn frame_width(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(width) if FRAME_WIDTHS.contains(&width) => Ok(width),
        _ => Err("accepted: 128, 256, 512, 1024 or 2048".to_owned()),
    }
}

/// `--frame-width` of a link that is planned.
pub fn planned_frame_width(text: &str) -> Result<FrameWidth, String> {
    let accepted = || "accepted: 128, 256, 512, 1024 or 2048".to_owned();
    let bits: u32 = text.parse().map_err(|_| accepted())?;
    FrameWidth::new(bits)
        .ok()
        .filter(|_| bits.is_power_of_two())
        .ok_or_else(accepted)
}

/// `--circuit-ns`.
pub fn circuit_ns(text: &str) -> Result<f64, String> {
    let accepted = "0 to 1000000 ns";
    let value = number(text, accepted)?;
    if (0.0..=1e6).contains(&value) {
        Ok(value)
    } else {
        Err(format!("accepted: {accepted}"))
    }
}

/// `--skew`, in words.
pub fn skew(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(words) if words <= MAX_SKEW_WORDS => Ok(words),
        _ => Err(format!("accepted: 0 to {MAX_SKEW_WORDS} words")),
    }
}

const LINE_RATES: &str = "0.1G to 200G, such as 28G or 10312.5M";

/// `--rate` of a lane, given in bit/s; in Gb/s.
pub fn lane_rate_gbps(text: &str) -> Result<f64, String> {
    let (low, high) = (*LINE_RATES_GBPS.start(), *LINE_RATES_GBPS.end());
    rate_within(text, low * 1e9..=high * 1e9, LINE_RATES).map(|rate| rate / 1e9)
}

/// `--line-rate`, the older spelling, in Gb/s: a bare number is so, too.
pub fn line_rate_gbps(text: &str) -> Result<f64, String> {
    match number(text, LINE_RATES) {
        Ok(rate) if LINE_RATES_GBPS.contains(&rate) => Ok(rate),
        Ok(_) => Err(format!("accepted: {LINE_RATES}")),
        Err(_) => lane_rate_gbps(text),
    }
}

/// `--cable`, in metres.
pub fn metres(text: &str) -> Result<f64, String> {
    let accepted = "a length from 0m on, in m or km, such as 10m or 1.5km";
    let text = text.trim();
    let (digits, scale) = if let Some(digits) = text.strip_suffix("km") {
        (digits, 1000.0)
    } else if let Some(digits) = text.strip_suffix('m') {
        (digits, 1.0)
    } else {
        (text, 1.0)
    };
    let metres = number(digits, accepted)? * scale;
    // The upper bound only keeps the arithmetic sound; the id width sets the real one.
    if (0.0..=1e9).contains(&metres) {
        Ok(metres)
    } else {
        Err(format!("accepted: {accepted}"))
    }
}

/// `--ns-per-metre`.
pub fn ns_per_metre(text: &str) -> Result<f64, String> {
    let accepted = "3.3 (light in vacuum) to 10";
    let value = number(text, accepted)?;
    if (3.3..=10.0).contains(&value) {
        Ok(value)
    } else {
        Err(format!("accepted: {accepted}"))
    }
}

/// `--ber`.
pub fn ber(text: &str) -> Result<f64, String> {
    let accepted = "0 or more and below 0.5, such as 1e-6";
    let value = number(text, accepted)?;
    if (0.0..0.5).contains(&value) {
        Ok(value)
    } else {
        Err(format!("accepted: {accepted}"))
    }
}

/// `--ppm`.
pub fn ppm(text: &str) -> Result<f64, String> {
    let accepted = "-300 to 300";
    let value = number(text, accepted)?;
    if PPM.contains(&value) {
        Ok(value)
    } else {
        Err(format!("accepted: {accepted}"))
    }
}

/// `--slip`.
pub fn slips(text: &str) -> Result<Slips, String> {
    let accepted = "accepted: 0 to 63, or two of them as AB,BA";
    let one = |text: &str| match text.trim().parse::<u8>() {
        Ok(slip @ 0..=63) => Ok(slip),
        _ => Err(accepted.to_owned()),
    };
    match text.split_once(',') {
        Some((a_to_b, b_to_a)) => Ok(Slips([one(a_to_b)?, one(b_to_a)?])),
        None => one(text).map(|slip| Slips([slip, slip])),
    }
}

/// `--stall`, in percent.
pub fn stall_percent(text: &str) -> Result<f64, String> {
    let accepted = "0 to 99 (percent)";
    let value = number(text.trim_end_matches('%'), accepted)?;
    if (0.0..=99.0).contains(&value) {
        Ok(value)
    } else {
        Err(format!("accepted: {accepted}"))
    }
}

/// `--packet-size`, and each end of `--size`.
pub fn packet_size(text: &str) -> Result<u32, String> {
    const MOST: u64 = MAX_PACKET_BYTES as u64;
    match bytes(text) {
        Some(size @ 1..=MOST) => Ok(size as u32),
        _ => Err(format!("accepted: 1 to {MAX_PACKET_BYTES} bytes")),
    }
}

/// `--size`.
pub fn sizes(text: &str) -> Result<Sizes, String> {
    let accepted =
        || format!("accepted: 1 to {MAX_PACKET_BYTES} bytes, or a range of them such as 1..8192");
    let (min, max) = match text.split_once("..") {
        Some((min, max)) => (min, max.strip_prefix('=').unwrap_or(max)),
        None => (text, text),
    };
    let min = packet_size(min).map_err(|_| accepted())?;
    let max = packet_size(max).map_err(|_| accepted())?;
    if min <= max {
        Ok(Sizes { min, max })
    } else {
        Err(accepted())
    }
}

/// `--size` of RDMA.
pub fn transfer_sizes(text: &str) -> Result<Sizes, String> {
    let accepted = || {
        "accepted: 1 to 64M bytes, or a range of them such as 1..1M; K and M are 1024 and 1024^2"
            .to_owned()
    };
    let size = |text: &str| {
        let bytes = u32::try_from(bytes(text)?).ok()?;
        (1..=1 << 26).contains(&bytes).then_some(bytes)
    };
    let (min, max) = match text.split_once("..") {
        Some((min, max)) => (min, max.strip_prefix('=').unwrap_or(max)),
        None => (text, text),
    };
    match (size(min), size(max)) {
        (Some(min), Some(max)) if min <= max => Ok(Sizes { min, max }),
        _ => Err(accepted()),
    }
}

/// `--outstanding` of RDMA.
pub fn outstanding(text: &str) -> Result<u16, String> {
    whole(text, 1..=1024, " transfers")
}

/// `--pages` of RDMA.
pub fn pages(text: &str) -> Result<u8, String> {
    match text.parse() {
        Ok(pages @ (2 | 4 | 8 | 16)) => Ok(pages),
        _ => Err("accepted: 2, 4, 8 or 16 pages".into()),
    }
}

/// `--priorities` of RDMA.
pub fn priorities(text: &str) -> Result<u8, String> {
    whole(text, 1..=16, "")
}

/// `--paths` of RDMA.
pub fn paths(text: &str) -> Result<u8, String> {
    whole(text, 1..=64, "")
}

/// `--resets` of RDMA.
pub fn resets(text: &str) -> Result<u64, String> {
    whole(text, 0..=1000, "")
}

/// `--spare` of RDMA.
pub fn spare(text: &str) -> Result<u8, String> {
    whole(text, 0..=16, "")
}

/// `--retries` of RDMA.
pub fn retries(text: &str) -> Result<u8, String> {
    whole(text, 0..=15, "")
}

/// `--timeout` of RDMA.
pub fn timeout_cycles(text: &str) -> Result<u32, String> {
    whole(text, 100..=10_000_000, " cycles")
}

/// What a stage of bulk transfer can do, as given.
#[derive(Debug, Clone, PartialEq)]
pub enum CapabilitySpec {
    /// What the paper has.
    Paper,
    /// Stage and items per second.
    Given(String, f64),
}

/// `--capability` of bulk transfer.
pub fn capability(text: &str) -> Result<CapabilitySpec, String> {
    if text == "paper" {
        return Ok(CapabilitySpec::Paper);
    }
    stage_rate(text)
        .map(|(stage, rate)| CapabilitySpec::Given(stage, rate))
        .map_err(|accepted| format!("{accepted}; or paper"))
}

/// `--accelerator` of bulk transfer: a stage and its items per second.
pub fn stage_rate(text: &str) -> Result<(String, f64), String> {
    let accepted = || {
        let stages = STAGES.join(", ");
        format!(
            "accepted: STAGE=RATE with a rate above 0 in items per second, such as aggregator=650k, and one of the stages {stages}"
        )
    };
    let (stage, rate) = text.split_once('=').ok_or_else(accepted)?;
    let rate = scaled(rate, "").map_err(|_| accepted())?;
    if STAGES.contains(&stage) && rate > 0.0 && rate <= 1e15 {
        Ok((stage.to_owned(), rate))
    } else {
        Err(accepted())
    }
}

/// `--lanes` of bulk transfer.
pub fn chunk_lanes(text: &str) -> Result<u8, String> {
    whole(text, 1..=ropewalk_wire::chunk::params::MAX_LANES, " lanes")
}

/// `--loss`: a share, or percent.
pub fn loss(text: &str) -> Result<f64, String> {
    let accepted = "0 or more and below 0.5, such as 0.01 or 1%";
    let share = match text.trim().strip_suffix('%') {
        Some(percent) => number(percent, accepted)? / 100.0,
        None => number(text, accepted)?,
    };
    if (0.0..0.5).contains(&share) {
        Ok(share)
    } else {
        Err(format!("accepted: {accepted}"))
    }
}

/// `--loss` of the stack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PlainLoss {
    /// This share of the packets.
    Share(f64),
    /// What the bit errors of the links would damage.
    OfErrors,
}

/// `--loss` of the stack: a share, percent, or `ber`.
pub fn plain_loss(text: &str) -> Result<PlainLoss, String> {
    if text.trim() == "ber" {
        return Ok(PlainLoss::OfErrors);
    }
    let share = share(text).map_err(|said| format!("{said}; or ber"))?;
    Ok(PlainLoss::Share(share))
}

/// `--cores`.
pub fn cores(text: &str) -> Result<u64, String> {
    whole(text, 1..=65_536, " cores")
}

/// `--limit`: the share of a core.
pub fn core_limit(text: &str) -> Result<f64, String> {
    let accepted = "above 0 and up to 1, such as 0.8";
    let share = number(text, accepted)?;
    if share > 0.0 && share <= 1.0 {
        Ok(share)
    } else {
        Err(format!("accepted: {accepted}"))
    }
}

/// `--turn-around`, in us.
pub fn turn_around_us(text: &str) -> Result<f64, String> {
    let accepted = "0 to 1000000 us";
    let value = number(text, accepted)?;
    if (0.0..=1e6).contains(&value) {
        Ok(value)
    } else {
        Err(format!("accepted: {accepted}"))
    }
}

/// `--vcs` of HTSP.
pub fn vcs(text: &str) -> Result<u8, String> {
    whole(text, 1..=16, " channels")
}

/// `--bandwidth` of a detector.
pub fn detector_rate(text: &str) -> Result<f64, String> {
    rate_within(text, 1e6..=100e12, "1M to 100000G (bit/s)")
}

/// `--fps` of a detector.
pub fn frame_rate(text: &str) -> Result<f64, String> {
    let accepted = "above 0 and up to 1e9 frames per second";
    let value = number(text, accepted)?;
    if value > 0.0 && value <= 1e9 {
        Ok(value)
    } else {
        Err(format!("accepted: {accepted}"))
    }
}

/// Widths of the streams of HTSP, bits.
pub fn htsp_widths() -> impl Iterator<Item = u16> {
    BEATS.into_iter().map(|bytes| 8 * u16::from(bytes))
}

/// `--width` of HTSP.
pub fn htsp_width(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(width) if htsp_widths().any(|it| it == width) => Ok(width),
        _ => Err("accepted: 128, 256 or 512 bits".to_owned()),
    }
}

/// `--op-codes` of HTSP.
pub fn op_codes(text: &str) -> Result<u64, String> {
    whole(text, 0..=1_000_000, " op-codes")
}

/// `--rx-depth` of HTSP.
pub fn rx_depth(text: &str) -> Result<u32, String> {
    whole(text, 16..=65535, " words")
}

/// `--delay` of HTSP.
pub fn delay_cycles(text: &str) -> Result<u32, String> {
    whole(text, 1..=100_000, " cycles")
}

/// `--skew` of the lanes of HTSP.
pub fn lane_skew(text: &str) -> Result<u32, String> {
    whole(text, 0..=900, " bits")
}

/// `--lane-losses` of HTSP.
pub fn lane_losses(text: &str) -> Result<u32, String> {
    whole(text, 0..=1000, "")
}

/// `--lanes` of SLink.
pub fn slink_lanes(text: &str) -> Result<Lanes, String> {
    let lanes = Lanes::ALL.into_iter();
    let mut lanes = lanes.filter(|lanes| text.trim() == lanes.count().to_string());
    lanes.next().ok_or("accepted: 1, 2 or 4".to_owned())
}

/// `--outstanding` of SLink.
pub fn slink_outstanding(text: &str) -> Result<u8, String> {
    match text.trim().parse() {
        Ok(count @ (1 | 2 | 4)) => Ok(count),
        _ => Err("accepted: 1, 2 or 4".to_owned()),
    }
}

/// `--size` of SLink.
pub fn slink_size(text: &str) -> Result<u32, String> {
    match bytes(text) {
        Some(bytes @ 8..=524_288) if bytes.is_multiple_of(8) => Ok(bytes as u32),
        _ => Err("accepted: a multiple of 8 from 8 to 524288 bytes".to_owned()),
    }
}

/// `--delay` of SLink: the way back as well is shorter than the time-out of the core.
pub fn slink_delay(text: &str) -> Result<u32, String> {
    whole(text, 3..=1500, " cycles")
}

/// `--latency` of SLink.
pub fn slink_ns(text: &str) -> Result<f64, String> {
    let accepted = "a time in ns above 0";
    match number(text, accepted)? {
        ns if ns > 0.0 => Ok(ns),
        _ => Err(format!("accepted: {accepted}")),
    }
}

/// `--stall` of SLink.
pub fn slink_stall(text: &str) -> Result<f64, String> {
    let accepted = "0 ns or more";
    match number(text, accepted)? {
        ns if ns >= 0.0 => Ok(ns),
        _ => Err(format!("accepted: {accepted}")),
    }
}

/// `--skew` of SLink: what the core puts right.
pub fn slink_skew(text: &str) -> Result<u32, String> {
    whole(text, 0..=160, " bits")
}

/// `--burst`.
pub fn burst(text: &str) -> Result<BurstSpec, String> {
    let accepted = "accepted: RATE:LENGTH:DENSITY with a rate of 0 to 1 per bit, a length of 1 to 1000000 bits and a \
                    density above 0 up to 1, such as 1e-7:64:0.5";
    let parts: Vec<&str> = text.split(':').collect();
    let [rate, length, density] = parts[..] else {
        return Err(accepted.to_owned());
    };
    let bad = |_| accepted.to_owned();
    let rate_per_bit = number(rate, "").map_err(bad)?;
    let length_bits = length
        .trim()
        .parse::<u32>()
        .map_err(|_| accepted.to_owned())?;
    let density = number(density, "").map_err(bad)?;
    let sound = (0.0..=1.0).contains(&rate_per_bit)
        && (1..=1_000_000).contains(&length_bits)
        && density > 0.0
        && density <= 1.0;
    if sound {
        Ok(Burst {
            rate_per_bit,
            length_bits,
            density,
        })
    } else {
        Err(accepted.to_owned())
    }
}

pub(crate) fn link_time(text: &str) -> Option<LinkTime> {
    let text = text.trim();
    for (suffix, scale) in [("ns", 1.0), ("us", 1e3), ("ms", 1e6)] {
        if let Some(digits) = text.strip_suffix(suffix) {
            let ns = digits.trim().parse::<f64>().ok()? * scale;
            return (0.0..=1e12).contains(&ns).then_some(LinkTime::Ns(ns));
        }
    }
    text.parse::<u64>()
        .ok()
        .filter(|&cycles| cycles <= 1 << 50)
        .map(LinkTime::Cycles)
}

/// `--reset`.
pub fn reset(text: &str) -> Result<ResetSpec, String> {
    let accepted = || {
        "accepted: END:START:LENGTH with end a, b or both, start and length in GT cycles or with ns, us, ms, and a \
         range of starts such as 20us..40us for a random one, such as a:20us:100"
            .to_owned()
    };
    let parts: Vec<&str> = text.split(':').collect();
    let [end, start, length] = parts[..] else {
        return Err(accepted());
    };
    let ends = match end {
        "a" => [true, false],
        "b" => [false, true],
        "both" => [true, true],
        _ => return Err(accepted()),
    };
    let (first, last) = start.split_once("..").unwrap_or((start, start));
    let start = [
        link_time(first).ok_or_else(accepted)?,
        link_time(last).ok_or_else(accepted)?,
    ];
    let length = link_time(length).ok_or_else(accepted)?;
    Ok(ResetSpec {
        ends,
        start,
        length,
    })
}

/// `--cut`.
pub fn cut(text: &str) -> Result<CutSpec, String> {
    let accepted = || {
        "accepted: DIRECTION:START:LENGTH:KIND with direction ab or ba, of one lane as in ab.2, start and length in GT cycles or with ns, us, \
         ms, and kind zero, one, 1010, stuck, frame or noise, such as ab:20us:400:zero"
            .to_owned()
    };
    let parts: Vec<&str> = text.split(':').collect();
    let [direction, start, length, kind] = parts[..] else {
        return Err(accepted());
    };
    let (direction, lane) = match direction.split_once('.') {
        Some((direction, lane)) => (direction, Some(lane.parse().map_err(|_| accepted())?)),
        None => (direction, None),
    };
    let direction = match direction {
        "ab" => 0,
        "ba" => 1,
        _ => return Err(accepted()),
    };
    let pattern = match kind {
        "zero" => CutPattern::Plain(CutKind::Zero),
        "one" => CutPattern::Plain(CutKind::One),
        "1010" => CutPattern::Plain(CutKind::Alternating),
        "stuck" => CutPattern::Plain(CutKind::Stuck),
        "frame" => CutPattern::Frame,
        "noise" => CutPattern::Plain(CutKind::Noise),
        _ => return Err(accepted()),
    };
    let start = link_time(start).ok_or_else(accepted)?;
    let length = link_time(length).ok_or_else(accepted)?;
    if matches!(length, LinkTime::Cycles(0)) || matches!(length, LinkTime::Ns(ns) if ns <= 0.0) {
        return Err(accepted());
    }
    Ok(CutSpec {
        direction,
        lane,
        start,
        length,
        pattern,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_rates() {
        assert_eq!(lane_rate_gbps("28G"), Ok(28.0));
        assert_eq!(lane_rate_gbps("28000000000"), Ok(28.0));
        assert!(lane_rate_gbps("28").unwrap_err().contains("is in bit/s"));
        assert_eq!(line_rate_gbps("28G"), Ok(28.0));
        assert_eq!(line_rate_gbps("25.78125g"), Ok(25.78125));
        assert_eq!(line_rate_gbps("28"), Ok(28.0));
        assert!((line_rate_gbps("10312.5M").unwrap() - 10.3125).abs() < 1e-12);
        for bad in [
            "", "G", "0", "-28G", "28T", "1e400", "NaN", "infG", "0.05G", "201G", "28Gé", "é",
        ] {
            assert!(line_rate_gbps(bad).is_err(), "{bad}");
            assert!(lane_rate_gbps(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn lengths() {
        assert_eq!(metres("10m"), Ok(10.0));
        assert_eq!(metres("1.5km"), Ok(1500.0));
        assert_eq!(metres("0"), Ok(0.0));
        assert_eq!(metres(" 3 km"), Ok(3000.0));
        for bad in ["", "m", "km", "-1m", "10cm", "10 miles", "1e99km", "mé"] {
            assert!(metres(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn rates_and_shares() {
        assert_eq!(ber("1e-6"), Ok(1e-6));
        assert_eq!(ber("0"), Ok(0.0));
        for bad in ["-1e-9", "0.5", "1", "x", "", "inf"] {
            assert!(ber(bad).is_err(), "{bad}");
        }
        assert_eq!(ppm("-100"), Ok(-100.0));
        assert!(ppm("301").is_err());
        assert_eq!(stall_percent("30%"), Ok(30.0));
        assert!(stall_percent("99.5").is_err());
        assert!(ns_per_metre("3.0").is_err());
    }

    #[test]
    fn packet_sizes() {
        assert_eq!(sizes("1..8192"), Ok(Sizes { min: 1, max: 8192 }));
        assert_eq!(sizes("64"), Ok(Sizes { min: 64, max: 64 }));
        assert_eq!(sizes("1..8K"), Ok(Sizes { min: 1, max: 8192 }));
        assert_eq!(sizes("5..=6"), Ok(Sizes { min: 5, max: 6 }));
        for bad in ["0", "0..5", "6..5", "1..1048577", "..", "1..", "a..b", "-1"] {
            assert!(sizes(bad).is_err(), "{bad}");
        }
        assert_eq!(packets("1_000"), Ok(1000));
        assert!(packets("0").is_err());
    }

    #[test]
    fn slips_one_or_two() {
        assert_eq!(slips("7"), Ok(Slips([7, 7])));
        assert_eq!(slips("0,63"), Ok(Slips([0, 63])));
        for bad in ["64", "1,64", "1,2,3", "-1", ""] {
            assert!(slips(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn cuts() {
        let cut_at = cut("ba:20us:400:stuck").unwrap();
        assert_eq!(cut_at.direction, 1);
        assert_eq!(cut_at.start.cycles(64.0 / 28.0), 8750);
        assert_eq!(cut_at.length, LinkTime::Cycles(400));
        assert_eq!(cut_at.pattern.kind(512), CutKind::Stuck);
        let frames = cut("ba.3:1:2:frame").unwrap();
        assert_eq!((frames.direction, frames.lane), (1, Some(3)));
        assert_eq!(frames.pattern.kind(512), CutKind::Repeat(8));
        for bad in [
            "",
            "ab",
            "xy:1:1:zero",
            "ab:-1:1:zero",
            "ab:1:1:two",
            "ab:1:1:zero:",
            "ab:1s:1:zero",
            "ab:1:0:zero",
            "ab:1:0us:one",
        ] {
            assert!(cut(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn bursts() {
        assert_eq!(
            burst("1e-7:64:0.5"),
            Ok(Burst {
                rate_per_bit: 1e-7,
                length_bits: 64,
                density: 0.5
            })
        );
        for bad in [
            "",
            "1e-7",
            "2:64:0.5",
            "1e-7:0:0.5",
            "1e-7:64:0",
            "1e-7:64:1.1",
            "1e-7:64:0.5:1",
        ] {
            assert!(burst(bad).is_err(), "{bad}");
        }
    }
}
