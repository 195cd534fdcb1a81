// SPDX-License-Identifier: Apache-2.0
//! The mode of the line: speed, lanes in use, line code.

use super::regs::{Coding, Run, line, wanted};
use crate::line::Lanes;
use core::fmt;

/// Speed of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rate {
    /// 2.5 Gb/s.
    Slow,
    /// 5 Gb/s.
    Fast,
}

impl Rate {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Slow, Self::Fast];

    /// On the line.
    #[must_use]
    pub fn gbps(self) -> f64 {
        match self {
            Self::Slow => 2.5,
            Self::Fast => 5.0,
        }
    }

    /// As the control register has it.
    #[must_use]
    pub fn run(self) -> Run {
        match self {
            Self::Slow => Run::Slow,
            Self::Fast => Run::Fast,
        }
    }
}

/// The mode of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineMode {
    /// Speed of a lane.
    pub rate: Rate,
    /// Lanes in use.
    pub lanes: Lanes,
    /// Line code.
    pub coding: Coding,
}

impl LineMode {
    /// Raw bits of a lane and cycle.
    #[must_use]
    pub fn word_bits(self) -> u32 {
        match self.coding {
            Coding::Code8b10b => 20,
            Coding::Code64b66b => 16,
        }
    }

    /// Share of the line that is left for words.
    #[must_use]
    pub fn share(self) -> f64 {
        match self.coding {
            Coding::Code8b10b => 0.8,
            Coding::Code64b66b => 64.0 / 66.0,
        }
    }

    /// Length of a cycle.
    #[must_use]
    pub fn cycle_ns(self) -> f64 {
        f64::from(self.word_bits()) / self.rate.gbps()
    }

    /// The same in femtoseconds.
    #[must_use]
    pub fn cycle_fs(self) -> u64 {
        (self.cycle_ns() * 1e6).round() as u64
    }

    /// As messages about a change have it, below 64: speed in bits 1:0, lanes in 4:2, line code in
    /// bit 5.
    #[must_use]
    pub fn bits(self) -> u8 {
        self.rate.run() as u8 | (self.lanes as u8) << 2 | (self.coding as u8) << 5
    }

    /// The mode of such bits; none: there is no such speed or number of lanes.
    #[must_use]
    pub fn from_bits(bits: u8) -> Option<Self> {
        let lanes = Lanes::ALL.get(usize::from(bits >> 2 & 7))?;
        Self::new(bits & 3, *lanes, bits >> 5)
    }

    /// As the register `wanted` takes it.
    #[must_use]
    pub fn wanted(self) -> u32 {
        (self.rate.run() as u32) << wanted::SPEED.low
            | (self.coding as u32) << wanted::CODING.low
            | (self.lanes as u32) << wanted::LANES.low
    }

    /// As the register `line` has it; none: the core is off.
    #[must_use]
    pub fn of_register(value: u32) -> Option<Self> {
        let field = |field: crate::regs::Field| field.get(value.into());
        let lanes = Lanes::ALL.get(field(line::LANES) as usize)?;
        Self::new(field(line::SPEED) as u8, *lanes, field(line::CODING) as u8)
    }

    /// Of a speed and a line code as registers and messages have them.
    #[must_use]
    pub fn new(speed: u8, lanes: Lanes, coding: u8) -> Option<Self> {
        let mut rates = Rate::ALL.into_iter();
        Some(Self {
            rate: rates.find(|rate| rate.run() as u8 == speed)?,
            lanes,
            coding: Coding::from_bits(coding.into())?,
        })
    }
}

/// Name of a line code.
#[must_use]
pub fn coding_name(coding: Coding) -> &'static str {
    match coding {
        Coding::Code8b10b => "8b/10b",
        Coding::Code64b66b => "64b/66b",
    }
}

impl fmt::Display for LineMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lanes = self.lanes.count();
        let coding = coding_name(self.coding);
        write!(f, "{lanes} x {} Gb/s, {coding}", self.rate.gbps())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_registers_come_back() {
        let mut known = 0;
        for bits in 0..64 {
            let Some(mode) = LineMode::from_bits(bits) else {
                continue;
            };
            known += 1;
            assert_eq!(mode.bits(), bits);
            assert_eq!(LineMode::of_register(mode.wanted()), Some(mode));
        }
        assert_eq!(known, 2 * 3 * 2);
        // As slink_pkg has it: 5 Gb/s, two lanes, 64b/66b.
        let mode = LineMode::new(2, Lanes::X2, 1).expect("a mode");
        assert_eq!(mode.bits(), 0b10_0110);
    }
}
