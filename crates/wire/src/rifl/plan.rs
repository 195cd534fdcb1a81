// SPDX-License-Identifier: Apache-2.0
//! The design calculator: what a link will need and what it will do, before it is built.
//!
//! Everything here is arithmetic on `f64`, without state. Units are those of the names: bits,
//! frames, ns, Gb/s (which is bits per ns), metres, years. Rates of errors are probabilities per
//! bit or per frame.
//!
//! | module | what |
//! |---|---|
//! | [`Span`] | the wire: round trip, id width, reach |
//! | [`paper`] | equations 1 to 26 of the paper, each named by its number |
//! | [`framing`] | efficiency at a packet size: RIFL, Aurora, Interlaken, 100G Ethernet |
//! | [`recovery`] | what a bit error costs: goodput and latency, this core and the published one |
//! | [`detection`] | bit errors that the code does not see |

pub mod detection;
pub mod framing;
pub mod paper;
pub mod recovery;

use super::params::{FrameWidth, IdWidth, ParamError, SPARE_FRAMES};

/// How the two ends of a link talk, which decides what round trip an id width covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Two ends of this core in extended mode.
    Extended,
    /// Two ends of this core in compatible mode.
    Compatible,
    /// One of the ends is a published core.
    Published,
}

impl Mode {
    /// The longest round trip in frames, pipelines of both ends included.
    #[must_use]
    pub const fn rtt_limit(self, id: IdWidth) -> u16 {
        match self {
            Mode::Extended => id.extended_rtt_limit(),
            Mode::Compatible => id.rtt_limit(),
            Mode::Published => id.published_rtt_limit(),
        }
    }

    /// The same turned round: as many ids as a round trip needs at least.
    fn ids(self, round_trip_frames: f64) -> f64 {
        match self {
            Mode::Extended => round_trip_frames + 11.0,
            Mode::Compatible => round_trip_frames + SPARE_FRAMES,
            Mode::Published => {
                (round_trip_frames + SPARE_FRAMES).max(2.0 * (round_trip_frames + 2.0))
            }
        }
    }
}

/// Frames in the pipelines of one direction of this core, rounded up: transmitter, serialiser,
/// aligner, code check, clock crossing.
pub const PIPELINE_FRAMES: f64 = 5.0;

/// The wire between two ends, for one lane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    frame: FrameWidth,
    rate_gbps: f64,
    cable_m: f64,
    ns_per_metre: f64,
    circuit_ns: f64,
}

impl Span {
    /// A wire of `cable_m` metres at `ns_per_metre`, with `circuit_ns` one way in transceivers and
    /// whatever else is neither cable nor this core.
    ///
    /// # Errors
    /// Names the value that is negative or not finite, and a rate of zero.
    pub fn new(
        frame: FrameWidth,
        rate_gbps: f64,
        cable_m: f64,
        ns_per_metre: f64,
        circuit_ns: f64,
    ) -> Result<Self, ParamError> {
        let sound = |value: f64| value.is_finite() && value >= 0.0;
        if !sound(cable_m) {
            return Err(ParamError::CableLength(cable_m));
        }
        if !(sound(rate_gbps) && rate_gbps > 0.0) {
            return Err(ParamError::LineRate(rate_gbps));
        }
        if let Some(&delay) = [ns_per_metre, circuit_ns].iter().find(|&&d| !sound(d)) {
            return Err(ParamError::Delay(delay));
        }
        Ok(Self {
            frame,
            rate_gbps,
            cable_m,
            ns_per_metre,
            circuit_ns,
        })
    }

    /// Frame width.
    #[must_use]
    pub fn frame(&self) -> FrameWidth {
        self.frame
    }

    /// Line rate of the lane.
    #[must_use]
    pub fn rate_gbps(&self) -> f64 {
        self.rate_gbps
    }

    /// Length of the cable.
    #[must_use]
    pub fn cable_m(&self) -> f64 {
        self.cable_m
    }

    /// Delay of cable and circuits in bits, one way.
    #[must_use]
    pub fn delay_bits(&self) -> u64 {
        (self.delay_ns() * self.rate_gbps).round() as u64
    }

    /// Delay of cable and circuits, one way (equations 3 and 4 without the core's own part).
    #[must_use]
    pub fn delay_ns(&self) -> f64 {
        self.circuit_ns + paper::cable_ns(self.cable_m, self.ns_per_metre)
    }

    /// Duration of a frame on the lane.
    #[must_use]
    pub fn frame_ns(&self) -> f64 {
        f64::from(self.frame.bits()) / self.rate_gbps
    }

    /// Round trip in frames, the pipelines of both ends included, rounded up (equation 2).
    #[must_use]
    pub fn round_trip_frames(&self) -> u64 {
        let one_way = self.delay_bits() as f64 / f64::from(self.frame.bits()) + PIPELINE_FRAMES;
        paper::round_trip_ns(0.0, one_way).ceil() as u64
    }

    /// Bits of the id that the published core computes for cable and rate ([`IdWidth::for_cable`]);
    /// may exceed 12.
    #[must_use]
    pub fn published_id_bits(&self) -> u32 {
        IdWidth::published_bits(self.cable_m, self.rate_gbps, self.frame)
    }

    /// Bits of the id that this wire needs in a mode ([`Mode::rtt_limit`]); may exceed 12.
    ///
    /// Equation 13 asks for 2^bits >= round trip only. In compatible mode sixteen frames of history
    /// must be in the buffer as well, and so must what is sent until eight requests that alternate
    /// with data have been seen.
    #[must_use]
    pub fn needed_id_bits(&self, mode: Mode) -> u32 {
        IdWidth::bits_for(mode.ids(self.round_trip_frames() as f64))
    }

    /// The longest cable in metres that an id width reaches in a mode, everything else being the
    /// same.
    #[must_use]
    pub fn reach_m(&self, id: IdWidth, mode: Mode) -> f64 {
        let frames = f64::from(mode.rtt_limit(id)) / 2.0 - PIPELINE_FRAMES;
        let ns = frames * self.frame_ns() - self.circuit_ns;
        (ns / self.ns_per_metre).max(0.0)
    }

    /// Whether the published core recovers from errors on this wire with the id width that it
    /// computes.
    #[must_use]
    pub fn published_reaches(&self) -> bool {
        (self.needed_id_bits(Mode::Published)..=u32::from(IdWidth::MAX.bits()))
            .contains(&self.published_id_bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [Mode; 3] = [Mode::Extended, Mode::Compatible, Mode::Published];

    fn span(frame: FrameWidth, cable_m: f64) -> Span {
        Span::new(frame, 28.0, cable_m, 5.0, 0.0).unwrap()
    }

    #[test]
    fn a_real_cable_may_need_more_than_the_published_formula_gives() {
        let far = span(FrameWidth::W256, 100.0);
        let needed = |span: &Span| MODES.map(|mode| span.needed_id_bits(mode));
        assert_eq!((far.published_id_bits(), needed(&far)), (7, [8, 8, 8]));
        assert_eq!(far.delay_bits(), 14_000);
        assert_eq!(
            (far.frame(), far.rate_gbps(), far.cable_m()),
            (FrameWidth::W256, 28.0, 100.0)
        );
        assert!(!far.published_reaches());
        let near = span(FrameWidth::W256, 10.0);
        assert_eq!((near.published_id_bits(), needed(&near)), (6, [6, 6, 6]));
        assert!(near.published_reaches());
        assert_eq!(needed(&span(FrameWidth::W256, 150.0)), [8, 8, 9]);
        assert!(
            needed(&span(FrameWidth::W256, 5000.0))
                .iter()
                .all(|&bits| bits > 12)
        );
    }

    #[test]
    fn reach_is_the_limit_exactly() {
        for bits in [128, 256, 512, 1024, 2048] {
            let frame = FrameWidth::new(bits).unwrap();
            for (id, mode) in (6..=12).flat_map(|id| MODES.map(|mode| (id, mode))) {
                let reach = span(frame, 0.0).reach_m(IdWidth::new(id).unwrap(), mode);
                assert!(span(frame, (reach - 0.1).max(0.0)).needed_id_bits(mode) <= id);
                assert!(span(frame, reach + 0.2).needed_id_bits(mode) > id);
            }
        }
    }

    #[test]
    fn circuits_count_like_cable() {
        let cable = Span::new(FrameWidth::W256, 28.0, 20.0, 5.0, 0.0).unwrap();
        let both = Span::new(FrameWidth::W256, 28.0, 10.0, 5.0, 50.0).unwrap();
        assert_eq!(cable.round_trip_frames(), both.round_trip_frames());
        assert!(
            (cable.reach_m(IdWidth::MAX, Mode::Extended)
                - both.reach_m(IdWidth::MAX, Mode::Extended)
                - 10.0)
                .abs()
                < 1e-9
        );
    }

    #[test]
    fn values_out_of_range_are_named() {
        let new = |rate, cable, ns, circuit| Span::new(FrameWidth::W256, rate, cable, ns, circuit);
        assert_eq!(new(0.0, 1.0, 5.0, 0.0), Err(ParamError::LineRate(0.0)));
        assert_eq!(
            new(28.0, -1.0, 5.0, 0.0),
            Err(ParamError::CableLength(-1.0))
        );
        assert_eq!(new(28.0, 1.0, -5.0, 0.0), Err(ParamError::Delay(-5.0)));
        assert_eq!(
            new(28.0, 1.0, 5.0, f64::INFINITY),
            Err(ParamError::Delay(f64::INFINITY))
        );
    }
}
