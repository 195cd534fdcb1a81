// SPDX-License-Identifier: Apache-2.0
//! From the cable to the width of the frame id.
//!
//! The id width sets how many frames K = 2^id the sender keeps for resending. Two rules meet here:
//! * the published core computes it from cable length and line rate with light in vacuum, 80 ns of circuits each
//!   way and 32 frames to spare ([`published_id_width`]); both ends must agree, so this is the default;
//! * what the wire in front of us needs: everything that is under way in one round trip, our pipelines included,
//!   plus 32 frames (16 of history before a frame is accepted, 16 to get eight requests through) must be
//!   buffered ([`needed_id_width`]). A real cable is slower than light in vacuum, so this can be more.

/// Frame id widths that the core is built for.
pub const ID_WIDTHS: std::ops::RangeInclusive<u8> = 6..=12;
/// Frames in the pipelines of one direction: transmitter, serialiser, aligner, code check, clock crossing, rounded up.
pub const PIPELINE_FRAMES: f64 = 5.0;
/// Frames to spare beyond the round trip.
pub const SPARE_FRAMES: f64 = 32.0;

/// What a wire asks for and what was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dimension {
    /// Delay of the wire in bits, one way.
    pub delay_bits: u64,
    /// Round trip in frames, wire and pipelines.
    pub round_trip_frames: u64,
    /// Chosen width.
    pub id_width: u8,
    /// What the published core would choose.
    pub published_id_width: u8,
    /// What this wire needs.
    pub needed_id_width: u8,
}

/// The wire that an id width is chosen for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wire {
    /// Frame width in bits.
    pub frame_width: u16,
    /// Line rate in Gb/s.
    pub line_rate_gbps: f64,
    /// Length in metres.
    pub cable_m: f64,
    /// Delay per metre.
    pub ns_per_metre: f64,
}

fn clog2(value: f64) -> u8 {
    let mut width = 0;
    while (1u64 << width) as f64 + 0.5 <= value && width < 62 {
        width += 1;
    }
    width
}

impl Wire {
    /// Delay of the wire in bits, one way.
    pub fn delay_bits(&self) -> u64 {
        (self.cable_m * self.ns_per_metre * self.line_rate_gbps).round() as u64
    }

    /// Round trip in frames, wire and pipelines, rounded up.
    pub fn round_trip_frames(&self) -> u64 {
        (2.0 * (self.delay_bits() as f64 / f64::from(self.frame_width) + PIPELINE_FRAMES)).ceil()
            as u64
    }

    /// What the published core would choose: clog2(32 + round(RTT * rate / F)), RTT = 2 (80 ns + 3.34 ns/m L).
    pub fn published_id_width(&self) -> u8 {
        let round_trip_ns = 2.0 * (80.0 + 3.34 * self.cable_m);
        clog2(
            SPARE_FRAMES
                + (round_trip_ns * self.line_rate_gbps / f64::from(self.frame_width)).round(),
        )
    }

    /// The smallest width with round trip + 32 <= 2^id; may be beyond what the core is built for.
    pub fn needed_id_width(&self) -> u8 {
        clog2(self.round_trip_frames() as f64 + SPARE_FRAMES).max(*ID_WIDTHS.start())
    }

    /// The longest cable in metres that an id width reaches.
    pub fn reach_m(&self, id_width: u8) -> f64 {
        let frames = ((1u64 << id_width) as f64 - SPARE_FRAMES) / 2.0 - PIPELINE_FRAMES;
        (frames * f64::from(self.frame_width) / (self.line_rate_gbps * self.ns_per_metre)).max(0.0)
    }

    /// Chooses the id width, or checks the one that was asked for.
    ///
    /// # Errors
    /// One line that says which cable the width reaches.
    pub fn settle(&self, asked: Option<u8>) -> Result<Dimension, String> {
        let needed = self.needed_id_width();
        let published = self.published_id_width();
        let widest = *ID_WIDTHS.end();
        let Self {
            frame_width,
            line_rate_gbps,
            cable_m,
            ..
        } = self;
        if needed > widest {
            return Err(format!(
                "--cable {} is too long: at {line_rate_gbps} Gb/s and frame width {frame_width} the widest frame id, \
                 {widest} bits, reaches {}",
                length(*cable_m),
                length(self.reach_m(widest).floor()),
            ));
        }
        if let Some(asked) = asked.filter(|&asked| asked < needed) {
            return Err(format!(
                "--cable {} is too long for --id-width {asked}: at {line_rate_gbps} Gb/s and frame width \
                 {frame_width} it reaches {}; accepted: {needed} to {widest}",
                length(*cable_m),
                length(self.reach_m(asked).floor()),
            ));
        }
        Ok(Dimension {
            delay_bits: self.delay_bits(),
            round_trip_frames: self.round_trip_frames(),
            id_width: asked.unwrap_or_else(|| needed.max(published.min(widest))),
            published_id_width: published,
            needed_id_width: needed,
        })
    }
}

/// A length as people write it.
pub fn length(metres: f64) -> String {
    if metres >= 1000.0 {
        format!("{} km", metres / 1000.0)
    } else {
        format!("{metres} m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(frame_width: u16, cable_m: f64) -> Wire {
        Wire {
            frame_width,
            line_rate_gbps: 28.0,
            cable_m,
            ns_per_metre: 5.0,
        }
    }

    #[test]
    fn clog2_is_the_ceiling_of_the_logarithm() {
        for (value, width) in [
            (1, 0),
            (2, 1),
            (3, 2),
            (32, 5),
            (33, 6),
            (64, 6),
            (65, 7),
            (4096, 12),
            (4097, 13),
        ] {
            assert_eq!(clog2(f64::from(value)), width, "{value}");
        }
    }

    #[test]
    fn the_published_widths() {
        // The three that were seen in simulations of the published core, and frame width 512.
        assert_eq!(wire(256, 10.0).published_id_width(), 6);
        assert_eq!(wire(256, 100.0).published_id_width(), 7);
        assert_eq!(wire(256, 300.0).published_id_width(), 9);
        assert_eq!(wire(512, 10.0).published_id_width(), 6);
    }

    #[test]
    fn a_real_cable_may_need_more() {
        let chosen = wire(256, 100.0).settle(None).unwrap();
        assert_eq!(
            (
                chosen.published_id_width,
                chosen.needed_id_width,
                chosen.id_width
            ),
            (7, 8, 8)
        );
        assert_eq!(chosen.delay_bits, 14_000);
        let short = wire(256, 10.0).settle(None).unwrap();
        assert_eq!((short.id_width, short.needed_id_width), (6, 6));
    }

    #[test]
    fn reach_is_the_limit_exactly() {
        for frame_width in [256, 512] {
            for id_width in ID_WIDTHS {
                let reach = wire(frame_width, 0.0).reach_m(id_width);
                assert!(wire(frame_width, reach - 0.1).needed_id_width() <= id_width);
                assert!(wire(frame_width, reach + 0.2).needed_id_width() > id_width);
            }
        }
    }

    #[test]
    fn refusals_name_both_sides() {
        let line = wire(256, 300.0).settle(Some(6)).unwrap_err();
        assert!(
            line.contains("300 m") && line.contains("--id-width 6") && line.contains("9 to 12"),
            "{line}"
        );
        let line = wire(256, 1e5).settle(None).unwrap_err();
        assert!(
            line.contains("100 km") && line.contains("12 bits") && line.contains("3.7"),
            "{line}"
        );
    }

    #[test]
    fn an_asked_width_is_kept() {
        assert_eq!(wire(256, 10.0).settle(Some(12)).unwrap().id_width, 12);
    }
}
