// SPDX-License-Identifier: Apache-2.0
//! Tables 2, 3 and 5 of the paper, its printed values beside what its equations give and what this
//! core has. Table 4, the area, needs a synthesis: `tools/area.py --paper`.

use ropewalk_wire::rifl::plan::detection::Detection;
use ropewalk_wire::rifl::plan::paper;
use ropewalk_wire::rifl::plan::recovery::Recovery;
use ropewalk_wire::rifl::{FrameWidth, IdWidth};
use serde::Serialize;

/// Table 2: line rate in Gb/s, round trip in ns, bit error rate.
pub const TABLE_2: (f64, f64, f64) = (100.0, 500.0, 1e-7);
/// Table 2 as printed: frame width, bits of id and of checksum, years.
const PRINTED_2: [(u32, u32, u32, f64); 5] = [
    (128, 9, 8, 9.7e4),
    (256, 8, 9, 2.4e4),
    (512, 7, 10, 5.9e3),
    (1024, 6, 11, 1.5e3),
    (2048, 5, 12, 3.6e2),
];
/// Table 3 as printed, in the order of table 2.
const PRINTED_3: [f64; 5] = [87.5, 93.25, 96.87, 98.43, 99.22];
/// Table 5 as printed: bit error rate, years.
const PRINTED_5: [(f64, f64); 4] = [
    (1e-11, 1.81e23),
    (1e-9, 1.81e15),
    (1e-7, 1.88e8),
    (1e-5, 6.33),
];
/// The link of table 5: lanes, line rate of each in Gb/s, id width, round trip in frames.
pub const TABLE_5: (u32, f64, u8, f64) = (4, 28.0, 8, 24.0);
/// What a round trip leaves of the ids: compatible mode, extended mode.
const SPARE: [f64; 2] = [32.0, 11.0];
/// Bits of the verification code, in every frame width.
const CODE_BITS: u32 = 12;

/// The tables.
#[derive(Debug, Clone, Serialize)]
pub struct PaperTables {
    /// Widths of id and checksum.
    pub table_2: Vec<Table2>,
    /// Efficiency of the framing.
    pub table_3: Vec<Table3>,
    /// Time between failures over the bit error rate.
    pub table_5: Vec<Table5>,
}

/// Table 2, a frame width.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Table2 {
    /// Frame width in bits.
    pub frame_width: u32,
    /// Printed bits of the id, which equation 13 gives.
    pub paper_id_bits: u32,
    /// Printed bits of the checksum.
    pub paper_checksum_bits: u32,
    /// Printed years.
    pub paper_years: f64,
    /// The same by equations 14 to 16.
    pub equation_years: f64,
    /// Bits of the id that this core needs, in compatible mode.
    pub id_bits: u32,
    /// In extended mode.
    pub extended_id_bits: u32,
    /// Bits of the code of this core.
    pub code_bits: u32,
    /// Years until an error goes unseen in one of a hundred links, from counted patterns.
    pub years: f64,
}

/// Table 3, a frame width.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Table3 {
    /// Frame width in bits.
    pub frame_width: u32,
    /// Printed percent.
    pub paper_percent: f64,
    /// Percent by equation 11, which is what this core has.
    pub percent: f64,
}

/// Table 5, a bit error rate.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Table5 {
    /// Bit error rate.
    pub ber: f64,
    /// Printed years.
    pub paper_years: f64,
    /// Mean time by equations 15 and 16 at the rate of new frames of this core.
    pub equation_mean_years: f64,
    /// Mean time of this core, from counted patterns.
    pub mean_years: f64,
    /// When one of a hundred links has seen such an error, which is the definition in the paper's
    /// text.
    pub survival_years: f64,
}

impl PaperTables {
    /// Calculates them.
    #[allow(clippy::new_without_default)] // there is nothing default about it
    pub fn new() -> Self {
        let widths = || {
            PRINTED_2
                .into_iter()
                .filter_map(|row| Some((FrameWidth::new(row.0).ok()?, row)))
        };
        Self {
            table_2: widths().map(|(frame, row)| table_2(frame, row)).collect(),
            table_3: widths()
                .zip(PRINTED_3)
                .map(|((frame, row), paper_percent)| Table3 {
                    frame_width: row.0,
                    paper_percent,
                    percent: 100.0 * frame.efficiency(),
                })
                .collect(),
            table_5: PRINTED_5.into_iter().map(table_5).collect(),
        }
    }
}

fn table_2(frame: FrameWidth, printed: (u32, u32, u32, f64)) -> Table2 {
    let (frame_width, paper_id_bits, paper_checksum_bits, paper_years) = printed;
    let (rate_gbps, round_trip_ns, ber) = TABLE_2;
    let frames = paper::retransmission_bits(rate_gbps, round_trip_ns) / f64::from(frame_width);
    let [id_bits, extended_id_bits] = SPARE.map(|spare| IdWidth::bits_for(frames + spare));
    let years = |failures| paper::survival_years(frame_width, rate_gbps, failures);
    Table2 {
        frame_width,
        paper_id_bits,
        paper_checksum_bits,
        paper_years,
        equation_years: years(paper::frame_failure_ratio(
            frame_width,
            paper_checksum_bits,
            4,
            ber,
        )),
        id_bits,
        extended_id_bits,
        code_bits: CODE_BITS,
        years: years(Detection::of(frame).failure_ratio(ber)),
    }
}

fn table_5((ber, paper_years): (f64, f64)) -> Table5 {
    let (lanes, rate_gbps, id_width, round_trip) = TABLE_5;
    let frame = FrameWidth::W256;
    let bits = u32::from(frame.bits());
    let errors = paper::frame_error_ratio(bits, ber);
    let share = IdWidth::new(u32::from(id_width)).map_or(f64::NAN, |id| {
        Recovery::compatible(id, round_trip).goodput_ratio(lanes, errors)
    });
    let new_gbps = f64::from(lanes) * rate_gbps * frame.efficiency() * share;
    let unseen = Detection::of(frame).failure_ratio(ber);
    Table5 {
        ber,
        paper_years,
        equation_mean_years: paper::mean_years(
            bits,
            new_gbps,
            paper::frame_failure_ratio(bits, CODE_BITS, 4, ber),
        ),
        mean_years: paper::mean_years(bits, new_gbps, unseen),
        survival_years: paper::survival_years(bits, new_gbps, unseen),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_equations_give_what_is_printed() {
        let tables = PaperTables::new();
        let close = |a: f64, b: f64, share: f64| (a / b - 1.0).abs() < share;
        for row in &tables.table_2 {
            assert!(close(row.equation_years, row.paper_years, 0.025), "{row:?}");
            assert!(row.id_bits >= row.extended_id_bits, "{row:?}");
            assert!(row.extended_id_bits >= row.paper_id_bits, "{row:?}");
        }
        let needed: Vec<u32> = tables.table_2.iter().map(|row| row.id_bits).collect();
        assert_eq!(needed, [9, 8, 8, 7, 6]);
        for row in &tables.table_3 {
            // 93.25 is a misprint for 93.75.
            let misprint = row.frame_width == 256;
            assert_eq!((row.percent - row.paper_percent).abs() > 0.01, misprint);
        }
        // The 1.88e8 of 1e-7 is a misprint for 1.88e7; at 1e-5 this core keeps another share of its
        // goodput.
        for row in &tables.table_5[..2] {
            assert!(
                close(row.equation_mean_years, row.paper_years, 0.01),
                "{row:?}"
            );
        }
        assert!(close(tables.table_5[2].equation_mean_years, 1.88e7, 0.05));
        for row in &tables.table_5 {
            assert!(close(row.mean_years / row.survival_years, 99.5, 0.01));
        }
    }
}
