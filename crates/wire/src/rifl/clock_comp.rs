// SPDX-License-Identifier: Apache-2.0
//! Clock compensation: a transmitter that is faster than its peer sends a frame without data now
//! and then, so that the peer's user side keeps up (paper, section 4.E and 5.B).
//!
//! Own frames and received frames are counted in four bits. Each time the own count gains one on
//! the largest lead so far, one control frame is asked for; the slower end asks for nothing. Two
//! steps of hysteresis keep clocks of one rate from asking, which sample each other and may run
//! ahead of each other by a frame.

/// Decides when to ask for a frame without data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClockComp {
    own: u8,
    peak: u8,
    wish: bool,
}

const COUNT_MASK: u8 = 0xf;

impl ClockComp {
    /// Whether the frame of this frame time should carry no data.
    #[inline]
    #[must_use]
    pub const fn compensate(&self) -> bool {
        self.wish
    }

    /// One frame time of the own clock. `received` counts the frame periods of the receiver (only
    /// its low four bits matter), `slack` says that the frame of this time carried no data,
    /// `enable` that the receiver is up.
    #[inline]
    pub fn tick(&mut self, received: u64, slack: bool, enable: bool) {
        let lead = self.own.wrapping_sub(received as u8) & COUNT_MASK;
        let above = lead.wrapping_sub(self.peak) & COUNT_MASK;
        if !enable {
            self.peak = lead;
            self.wish = false;
        } else {
            match above {
                1..=7 => {
                    self.peak = (self.peak + 1) & COUNT_MASK;
                    self.wish = true;
                }
                8..=13 => {
                    self.peak = self.peak.wrapping_sub(1) & COUNT_MASK;
                    self.wish &= !slack;
                }
                _ => self.wish &= !slack,
            }
        }
        self.own = (self.own + 1) & COUNT_MASK;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames asked for in `frames` own frame times against a peer that is `ppm` faster.
    fn asked(ppm: i64, frames: i64, phase: i64) -> i64 {
        let mut comp = ClockComp::default();
        let mut asked = 0;
        for n in 0..frames {
            let received = (n * (1_000_000 + ppm) + phase) / 1_000_000;
            let wish = comp.compensate();
            asked += i64::from(wish);
            comp.tick(received as u64, wish, n >= 20);
        }
        asked
    }

    #[test]
    fn only_the_faster_end_asks_once_per_frame_gained() {
        for phase in [0, 1, 499_999, 500_000, 999_999] {
            assert_eq!(asked(0, 1_000_000, phase), 0);
            assert!(asked(100, 1_000_000, phase) <= 1);
            assert!(
                (99..=101).contains(&asked(-100, 1_000_000, phase)),
                "{phase}"
            );
            assert!(
                (1999..=2001).contains(&asked(-1000, 2_000_000, phase)),
                "{phase}"
            );
        }
    }

    #[test]
    fn a_wish_is_kept_until_a_frame_without_data() {
        let mut comp = ClockComp::default();
        comp.tick(0, false, false);
        comp.tick(0, false, true);
        assert!(comp.compensate());
        for n in 1..20 {
            comp.tick(n, false, true);
            assert!(comp.compensate());
        }
        comp.tick(20, true, true);
        assert!(!comp.compensate());
    }

    #[test]
    fn jitter_of_two_frames_does_not_ask_for_ever() {
        for frames in 1..=2 {
            let mut comp = ClockComp::default();
            let mut asked = 0;
            for n in 0..10_000u64 {
                asked += u64::from(comp.compensate());
                comp.tick(n + n % (frames + 1), comp.compensate(), n > 4);
            }
            assert!(asked <= frames, "{asked}");
        }
    }
}
