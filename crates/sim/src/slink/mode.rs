// SPDX-License-Identifier: Apache-2.0
//! The mode of the line: speed, lanes in use, line code.

use std::fmt;

use ropewalk_wire::line::Lanes;
use ropewalk_wire::slink::regs::{Coding, Run, line, wanted};

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

    /// As the register `wanted` takes it.
    pub(super) fn value(self) -> u32 {
        (self.rate.run() as u32) << wanted::SPEED.low
            | (self.coding as u32) << wanted::CODING.low
            | (self.lanes as u32) << wanted::LANES.low
    }

    /// As the register `line` has it; none: the core is off.
    pub(super) fn of_register(value: u32) -> Option<Self> {
        let field = |field: ropewalk_wire::regs::Field| field.get(value.into());
        let lanes = Lanes::ALL.get(field(line::LANES) as usize)?;
        Self::new(field(line::SPEED) as u8, *lanes, field(line::CODING) as u8)
    }

    /// As the ports say it, with the lanes in use as a mask.
    pub(super) fn of_ports(speed: u8, lanes: u8, coding: u8) -> Option<Self> {
        let lanes = Lanes::ALL
            .into_iter()
            .find(|each| each.count() as u32 == lanes.count_ones())?;
        Self::new(speed, lanes, coding)
    }

    fn new(speed: u8, lanes: Lanes, coding: u8) -> Option<Self> {
        Some(Self {
            rate: Rate::ALL
                .into_iter()
                .find(|rate| rate.run() as u8 == speed)?,
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
