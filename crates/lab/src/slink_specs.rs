// SPDX-License-Identifier: Apache-2.0
//! What happens on an SLink in the midst of a run, as options give it.

use ropewalk_sim::slink::{Coding, LineMode, Rate};

use crate::units::{CutPattern, CutSpec, LinkTime, ResetSpec, cut, link_time, reset, slink_lanes};

/// Longest cut and reset of SLink.
const SLINK_LONGEST: f64 = 1e6;

/// Whether a cut or a reset is as long as SLink takes it; cycles are of 8 ns at most.
fn length(length: LinkTime) -> bool {
    match length {
        LinkTime::Cycles(cycles) => (1..=(SLINK_LONGEST / 8.0) as u64).contains(&cycles),
        LinkTime::Ns(ns) => ns > 0.0 && ns <= SLINK_LONGEST,
    }
}

/// `--cut` of SLink.
pub fn slink_cut(text: &str) -> Result<CutSpec, String> {
    let good = |spec: &CutSpec| {
        let lane = spec.lane.is_none_or(|lane| lane < 4);
        lane && spec.pattern != CutPattern::Frame && length(spec.length)
    };
    cut(text).ok().filter(good).ok_or_else(|| {
        "accepted: DIRECTION:START:LENGTH:KIND with direction ab or ba, of one lane as in ab.2, start and length in cycles or with ns, us, ms, \
         length up to 1ms or 125000, and kind zero, one, 1010, stuck or noise, such as ab:100us:2us:noise"
            .to_owned()
    })
}

/// `--reset` of SLink.
pub fn slink_reset(text: &str) -> Result<ResetSpec, String> {
    let good = |spec: &ResetSpec| length(spec.length);
    reset(text).ok().filter(good).ok_or_else(|| {
        "accepted: END:START:LENGTH with end a, b or both, start and length in cycles or with ns, us, ms, length up to 1ms or 125000, and a \
         range of starts such as 100us..200us for a random one, such as b:100us:1us"
            .to_owned()
    })
}

/// A change of the line's mode of SLink, as given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SwitchSpec {
    /// 0: A asks, 1: B.
    pub end: usize,
    /// When.
    pub start: LinkTime,
    /// For what.
    pub mode: LineMode,
}

/// `--switch` of SLink.
pub fn slink_switch(text: &str) -> Result<SwitchSpec, String> {
    let spec = || {
        let parts: Vec<&str> = text.split(':').collect();
        let [end, start, lanes, rate, coding] = parts[..] else {
            return None;
        };
        Some(SwitchSpec {
            end: ["a", "b"].iter().position(|name| *name == end)?,
            start: link_time(start)?,
            mode: LineMode {
                lanes: slink_lanes(lanes).ok()?,
                rate: match rate {
                    "2.5G" => Rate::Slow,
                    "5G" => Rate::Fast,
                    _ => return None,
                },
                coding: match coding {
                    "8b10b" => Coding::Code8b10b,
                    "64b66b" => Coding::Code64b66b,
                    _ => return None,
                },
            },
        })
    };
    spec().ok_or_else(|| {
        "accepted: END:START:LANES:RATE:CODING with end a or b, start in cycles or with ns, us, ms, lanes 1, 2 or 4, rate 2.5G or 5G, and \
         coding 8b10b or 64b66b, such as a:100us:2:2.5G:64b66b"
            .to_owned()
    })
}

/// `--bus` of SLink.
pub fn slink_bus(text: &str) -> Result<u32, String> {
    match text.trim().parse() {
        Ok(bits @ (64 | 128)) => Ok(bits),
        _ => Err("accepted: 64 or 128".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_and_resets() {
        let cut = slink_cut("ba.2:100us:2us:stuck").unwrap();
        assert_eq!((cut.direction, cut.lane), (1, Some(2)));
        assert_eq!(cut.length, LinkTime::Ns(2000.0));
        for bad in [
            "ab:1us:1us:frame",
            "ab.4:1us:1us:zero",
            "ab:1us:2ms:zero",
            "ab:1:125001:one",
        ] {
            assert!(slink_cut(bad).unwrap_err().contains("accepted"), "{bad}");
        }
        assert_eq!(slink_reset("both:5:125000").unwrap().ends, [true, true]);
        for bad in ["a:1us:0", "a:1us:0ns", "c:1us:1us", "a:1us:1.1ms", "a:1us"] {
            assert!(slink_reset(bad).unwrap_err().contains("accepted"), "{bad}");
        }
    }

    #[test]
    fn switches() {
        let switch = slink_switch("b:40us:2:2.5G:64b66b").unwrap();
        assert_eq!((switch.end, switch.start), (1, LinkTime::Ns(40_000.0)));
        assert_eq!(switch.mode.to_string(), "2 x 2.5 Gb/s, 64b/66b");
        for bad in [
            "b:40us:2:2.5G",
            "c:40us:2:5G:8b10b",
            "a:x:2:5G:8b10b",
            "a:1us:3:5G:8b10b",
            "a:1us:2:4G:8b10b",
            "a:1us:2:5G:8b",
            "a:1us:2:5G:8b10b:x",
        ] {
            assert!(slink_switch(bad).unwrap_err().contains("accepted"), "{bad}");
        }
    }
}
