// SPDX-License-Identifier: Apache-2.0
//! From the cable to the width of the frame id.
//!
//! The id width sets how many frames K = 2^id the sender keeps for resending. Two rules meet here,
//! both computed by [`Span`]:
//! * what the published core derives from cable length and line rate; both ends must agree, so this
//!   is the default;
//! * what the wire in front of us needs. A real cable is slower than light in vacuum, so this can
//!   be more.

use ropewalk_wire::rifl::IdWidth;
use ropewalk_wire::rifl::plan::{Mode, Span};

/// What a wire asks for and what was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dimension {
    /// Delay of the wire in bits, one way.
    pub delay_bits: u64,
    /// Round trip in frames, wire and pipelines.
    pub round_trip_frames: u64,
    /// Chosen width.
    pub id_width: IdWidth,
    /// What the published core would choose; may be more than there is.
    pub published_id_bits: u32,
    /// What this wire needs in its mode.
    pub needed_id_bits: u32,
    /// What it needs towards a published core.
    pub peer_id_bits: u32,
}

/// Chooses the id width, or checks the one that was asked for.
///
/// # Errors
/// One line that says which cable the width reaches.
pub fn settle(span: &Span, mode: Mode, asked: Option<u8>) -> Result<Dimension, String> {
    let (needed, published) = (span.needed_id_bits(mode), span.published_id_bits());
    let cable = length(span.cable_m());
    let (rate, frame) = (span.rate_gbps(), span.frame());
    let reach = |id| length(span.reach_m(id, mode).floor());
    let widest = IdWidth::MAX;
    if needed > u32::from(widest.bits()) {
        return Err(format!(
            "--cable {cable} is too long: at {rate} Gb/s and frame width {frame} the widest frame id, {widest} bits, \
             reaches {}",
            reach(widest),
        ));
    }
    // Published formula and need are 6 or more.
    let wanted = asked.map_or(
        needed.max(published).min(u32::from(widest.bits())),
        u32::from,
    );
    let id_width = IdWidth::new(wanted).map_err(|error| error.to_string())?;
    if u32::from(id_width.bits()) < needed {
        return Err(format!(
            "--cable {cable} is too long for --id-width {id_width}: at {rate} Gb/s and frame width {frame} it reaches \
             {}; accepted: {needed} to {widest}",
            reach(id_width),
        ));
    }
    Ok(Dimension {
        delay_bits: span.delay_bits(),
        round_trip_frames: span.round_trip_frames(),
        id_width,
        published_id_bits: published,
        needed_id_bits: needed,
        peer_id_bits: span.needed_id_bits(Mode::Published),
    })
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
    use ropewalk_wire::rifl::FrameWidth;

    fn wire(cable_m: f64) -> Span {
        Span::new(FrameWidth::W256, 28.0, cable_m, 5.0, 0.0).unwrap()
    }

    #[test]
    fn a_real_cable_may_need_more() {
        let chosen = settle(&wire(100.0), Mode::Extended, None).unwrap();
        assert_eq!((chosen.published_id_bits, chosen.needed_id_bits), (7, 8));
        assert_eq!(chosen.id_width.bits(), 8);
        let short = settle(&wire(10.0), Mode::Extended, None).unwrap();
        assert_eq!((short.id_width, short.needed_id_bits), (IdWidth::MIN, 6));
        // The modes differ in what a buffer covers.
        let needed = |mode| settle(&wire(30.0), mode, None).unwrap().needed_id_bits;
        assert_eq!([Mode::Extended, Mode::Compatible].map(needed), [6, 7]);
        let peer = settle(&wire(150.0), Mode::Compatible, None).unwrap();
        assert_eq!((peer.needed_id_bits, peer.peer_id_bits), (8, 9));
    }

    #[test]
    fn refusals_name_both_sides() {
        let line = settle(&wire(300.0), Mode::Extended, Some(6)).unwrap_err();
        assert!(
            line.contains("300 m") && line.contains("--id-width 6") && line.contains("9 to 12"),
            "{line}"
        );
        let line = settle(&wire(1e5), Mode::Extended, None).unwrap_err();
        assert!(
            line.contains("100 km") && line.contains("12 bits") && line.contains("3.7"),
            "{line}"
        );
    }

    #[test]
    fn an_asked_width_is_kept() {
        assert_eq!(
            settle(&wire(10.0), Mode::Extended, Some(12))
                .unwrap()
                .id_width,
            IdWidth::MAX
        );
    }
}
