// SPDX-License-Identifier: Apache-2.0
//! A RIFL link on paper: the arithmetic of [`ropewalk_wire::rifl::plan`] put together for one set
//! of requirements.

use ropewalk_wire::rifl::plan::detection::Detection;
use ropewalk_wire::rifl::plan::recovery::{self, Recovery};
use ropewalk_wire::rifl::plan::{Mode, Span, framing, paper};
use ropewalk_wire::rifl::{FrameWidth, IdWidth};
use serde::Serialize;

use crate::cli::PlanRifl;
use crate::dimension::{self, Dimension};

/// Frame widths that the paper and the core offer.
pub const FRAME_WIDTHS: [u32; 5] = [128, 256, 512, 1024, 2048];
/// Bits of the verification code.
const CODE_BITS: u32 = 12;

/// The whole plan. The field names are the keys of the JSON.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    /// `rifl`.
    pub core: &'static str,
    /// `extended` or `compatible`: the mode of both ends.
    pub mode: &'static str,
    /// Lanes.
    pub lanes: u32,
    /// Line rate of a lane.
    pub line_rate_gbps: f64,
    /// Length of the cable.
    pub cable_m: f64,
    /// Its delay.
    pub ns_per_metre: f64,
    /// Delay of the transceivers, one way.
    pub circuit_ns: f64,
    /// Bit error rate.
    pub ber: f64,
    /// How far the clocks are apart.
    pub ppm: f64,
    /// Bytes of a packet.
    pub packet_bytes: u32,
    /// One for each frame width that can do it.
    pub frames: Vec<FramePlan>,
    /// Frame widths that cannot, and why.
    pub excluded: Vec<Excluded>,
    /// Other protocols on the same line, without errors.
    pub others: Vec<Other>,
}

/// A frame width that cannot do what was asked.
#[derive(Debug, Clone, Serialize)]
pub struct Excluded {
    /// Frame width in bits.
    pub frame_width: u16,
    /// One line.
    pub reason: String,
}

/// Another protocol.
#[derive(Debug, Clone, Serialize)]
pub struct Other {
    /// Its name.
    pub name: &'static str,
    /// Payload bits per line bit; none if it does not carry such packets.
    pub efficiency: Option<f64>,
    /// The same times the line rate of all lanes.
    pub goodput_gbps: Option<f64>,
}

/// A buffer of one lane.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Buffer {
    /// Entries.
    pub frames: u32,
    /// Bits in all: meta code and payload of every entry.
    pub bits: u64,
}

/// Payload bits per line bit.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Efficiency {
    /// Limit of the framing, equation 11.
    pub bound: f64,
    /// At the packet size.
    pub packet: f64,
    /// The same, less the Idle frames of clock compensation.
    pub compensated: f64,
}

/// Latency, first beat accepted to first beat delivered, in ns.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct LatencyNs {
    /// At the best phase of the two frame clocks.
    pub least: f64,
    /// At the worst; the percentiles count from here.
    pub most: f64,
    /// Median at the bit error rate; none, like the others, where more than half of the goodput is
    /// lost.
    pub p50: Option<f64>,
    /// 99 %.
    pub p99: Option<f64>,
    /// 99.9 %.
    pub p999: Option<f64>,
    /// 99.99 %.
    pub p9999: Option<f64>,
    /// The most after one error.
    pub after_one_error: f64,
}

/// Errors that the code does not see.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Undetected {
    /// Fewest flipped bits that can go unseen.
    pub distance: usize,
    /// Patterns of two flipped bits that go unseen, counted.
    pub two_bit_patterns: u64,
    /// Patterns of four flipped bits that go unseen, counted.
    pub four_bit_patterns: u64,
    /// Probability per frame, from the counted patterns.
    pub per_frame: f64,
    /// Probability per frame, equation 15.
    pub paper_per_frame: f64,
}

/// What the stronger code makes of it.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct StrongCode {
    /// Limit of the framing.
    pub efficiency_bound: f64,
    /// Fewest flipped bits that can go unseen.
    pub distance: usize,
    /// Patterns of six flipped bits that go unseen, counted.
    pub six_bit_patterns: u64,
    /// Probability per frame, from the counted patterns.
    pub per_frame: f64,
    /// Mean time until an error goes unseen; none: never.
    pub mtbf_mean_years: Option<f64>,
}

/// Years until an error goes unseen; none: never, because there are no errors.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct MtbfYears {
    /// Mean time.
    pub mean: Option<f64>,
    /// 99 % of links have seen none, equation 26.
    pub survival_99: Option<f64>,
    /// Mean time with the paper's model, equation 15.
    pub paper_mean: Option<f64>,
    /// Equation 26 with the paper's model.
    pub paper_survival_99: Option<f64>,
}

/// The published core on the same wire.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Published {
    /// Bits of the frame id with which a link to a published core recovers from errors.
    pub peer_id_width: u32,
    /// Bits of the frame id that it computes; may exceed 12.
    pub id_width: u32,
    /// Whether it recovers from errors on this wire.
    pub reaches: bool,
    /// Goodput over goodput without errors; none if its id would exceed 12 bits.
    pub goodput_ratio: Option<f64>,
    /// How much later than usual a packet can be after one error, in ns.
    pub late_after_one_error_ns: Option<f64>,
}

/// What a frame width gives.
#[derive(Debug, Clone, Serialize)]
pub struct FramePlan {
    /// Frame width in bits.
    pub frame_width: u16,
    /// Width of the user's interface in bits.
    pub user_width: u32,
    /// Duration of a frame.
    pub frame_ns: f64,
    /// Round trip, pipelines included.
    pub round_trip_frames: u64,
    /// Bits of the frame id that the round trip needs.
    pub needed_id_width: u32,
    /// Bits of the frame id that the rest is calculated with.
    pub id_width: u8,
    /// The longest cable for that id width.
    pub reach_m: f64,
    /// Retransmission buffer of a lane.
    pub retransmission_buffer: Buffer,
    /// Flow-control buffer of a lane.
    pub flow_buffer: Buffer,
    /// Efficiency without errors.
    pub efficiency: Efficiency,
    /// Probability that a frame is damaged, equation 9.
    pub frame_error_rate: f64,
    /// Goodput over goodput without errors.
    pub goodput_ratio: f64,
    /// Payload of all lanes, per direction, at the packet size, with clock compensation and errors.
    pub goodput_gbps: f64,
    /// Latency.
    pub latency_ns: LatencyNs,
    /// Errors that go unseen.
    pub undetected: Undetected,
    /// How long until one does.
    pub mtbf_years: MtbfYears,
    /// With the stronger code; none where there is none: below 1024 bits, and in compatible mode.
    pub strong_code: Option<StrongCode>,
    /// The published core.
    pub published: Published,
}

/// One frame width on one wire, to be asked at any bit error rate.
#[derive(Debug, Clone, Copy)]
pub struct Design {
    span: Span,
    mode: Mode,
    lanes: u32,
    user_width: u32,
    dimension: Dimension,
    ours: Recovery,
    published: Option<Recovery>,
}

impl Design {
    /// What the requirements give with this frame width.
    ///
    /// # Errors
    /// One line that says why this frame width cannot do it and what would be accepted.
    pub fn new(options: &PlanRifl, frame: FrameWidth) -> Result<Self, String> {
        let user_width = user_width(options.user_width, frame, options.lanes)?;
        let PlanRifl {
            rate,
            cable,
            ns_per_metre,
            circuit_ns,
            ..
        } = *options;
        let span = Span::new(frame, rate, cable, ns_per_metre, circuit_ns)
            .map_err(|error| error.to_string())?;
        let mode = mode(options.compatible);
        let dimension = dimension::settle(&span, mode, options.id_width)?;
        let round_trip = dimension.round_trip_frames as f64;
        Ok(Self {
            span,
            mode,
            lanes: options.lanes,
            user_width,
            dimension,
            ours: match mode {
                Mode::Extended => Recovery::extended(round_trip),
                _ => Recovery::compatible(dimension.id_width, round_trip),
            },
            published: IdWidth::new(dimension.published_id_bits)
                .ok()
                .map(|id| Recovery::published(id, round_trip)),
        })
    }

    /// Frame width.
    pub fn frame(&self) -> FrameWidth {
        self.span.frame()
    }

    fn frame_errors(&self, ber: f64) -> f64 {
        paper::frame_error_ratio(u32::from(self.frame().bits()), ber)
    }

    /// Goodput over goodput without errors.
    pub fn goodput_ratio(&self, ber: f64) -> f64 {
        self.ours.goodput_ratio(self.lanes, self.frame_errors(ber))
    }

    /// The same for the published core, if it can be built for this wire.
    pub fn published_goodput_ratio(&self, ber: f64) -> Option<f64> {
        self.published
            .map(|published| published.goodput_ratio(self.lanes, self.frame_errors(ber)))
    }

    /// Payload bits per line bit at a packet size, without errors.
    pub fn efficiency(&self, packet_bytes: u32) -> f64 {
        framing::rifl(self.frame(), self.user_width, packet_bytes)
    }

    /// Latency of the undisturbed link in ns, at the best and at the worst phase of the clocks.
    fn undisturbed_ns(&self, packet_bytes: u32) -> (f64, f64) {
        let words = recovery::pipeline(self.frame(), self.lanes, self.user_width, packet_bytes);
        let ns =
            |words: u32| f64::from(words) * 64.0 / self.span.rate_gbps() + self.span.delay_ns();
        (ns(words.least), ns(words.most))
    }

    /// Latency of this share of frames at most, in ns; none where more than half of the goodput is
    /// lost.
    pub fn latency_at(&self, share: f64, ber: f64, packet_bytes: u32) -> Option<f64> {
        let late = self
            .ours
            .late_at(share, self.lanes, self.frame_errors(ber))?;
        Some(self.undisturbed_ns(packet_bytes).1 + late * self.span.frame_ns())
    }

    /// Everything at one packet size, bit error rate and clock offset.
    pub fn figures(&self, packet_bytes: u32, ber: f64, ppm: f64) -> FramePlan {
        let frame = self.frame();
        let (bits, id) = (u32::from(frame.bits()), self.dimension.id_width);
        let buffer = |frames: u16| Buffer {
            frames: u32::from(frames),
            bits: u64::from(frames) * u64::from(bits - CODE_BITS - 2),
        };
        let packet = self.efficiency(packet_bytes);
        let compensation = 1.0 - ppm.abs() * 1e-6;
        let ratio = self.goodput_ratio(ber);
        let line_gbps = self.span.rate_gbps() * f64::from(self.lanes);
        let (least, most) = self.undisturbed_ns(packet_bytes);
        let at = |share| self.latency_at(share, ber, packet_bytes);
        let detection = Detection::of(frame);
        let per_frame = detection.failure_ratio(ber);
        let paper_per_frame = paper::frame_failure_ratio(bits, CODE_BITS, 4, ber);
        // Equation 26: only new frames can go wrong, those sent again pass sixteen checks.
        let new_gbps = line_gbps * frame.efficiency() * compensation * ratio;
        let years = |of: fn(u32, f64, f64) -> f64, failures: f64| {
            (failures > 0.0)
                .then(|| of(bits, new_gbps, failures))
                .filter(|years| years.is_finite())
        };
        let extended = self.mode == Mode::Extended;
        let strong = frame.with_strong_code().ok().filter(|_| extended);
        let strong_code = strong.map(|strong| {
            let detection = Detection::of(strong);
            let per_frame = detection.failure_ratio(ber);
            StrongCode {
                efficiency_bound: strong.efficiency(),
                distance: detection.distance(),
                six_bit_patterns: detection.unseen(6),
                per_frame,
                mtbf_mean_years: years(paper::mean_years, per_frame),
            }
        });
        FramePlan {
            frame_width: frame.bits(),
            user_width: self.user_width,
            frame_ns: self.span.frame_ns(),
            round_trip_frames: self.dimension.round_trip_frames,
            needed_id_width: self.dimension.needed_id_bits,
            id_width: id.bits(),
            reach_m: self.span.reach_m(id, self.mode),
            retransmission_buffer: buffer(id.frames()),
            flow_buffer: buffer(id.flow_buffer()),
            efficiency: Efficiency {
                bound: frame.efficiency(),
                packet,
                compensated: packet * compensation,
            },
            frame_error_rate: self.frame_errors(ber),
            goodput_ratio: ratio,
            goodput_gbps: line_gbps * packet * compensation * ratio,
            latency_ns: LatencyNs {
                least,
                most,
                p50: at(0.5),
                p99: at(0.99),
                p999: at(0.999),
                p9999: at(0.9999),
                after_one_error: most + self.ours.latest * self.span.frame_ns(),
            },
            undetected: Undetected {
                distance: detection.distance(),
                two_bit_patterns: detection.unseen(2),
                four_bit_patterns: detection.unseen(4),
                per_frame,
                paper_per_frame,
            },
            mtbf_years: MtbfYears {
                mean: years(paper::mean_years, per_frame),
                survival_99: years(paper::survival_years, per_frame),
                paper_mean: years(paper::mean_years, paper_per_frame),
                paper_survival_99: years(paper::survival_years, paper_per_frame),
            },
            strong_code,
            published: Published {
                peer_id_width: self.dimension.peer_id_bits,
                id_width: self.dimension.published_id_bits,
                reaches: self.span.published_reaches(),
                goodput_ratio: self.published_goodput_ratio(ber),
                late_after_one_error_ns: self
                    .published
                    .map(|published| published.latest * self.span.frame_ns()),
            },
        }
    }
}

/// The mode of both ends.
pub fn mode(compatible: bool) -> Mode {
    if compatible {
        Mode::Compatible
    } else {
        Mode::Extended
    }
}

/// The width of the user's interface: asked for or the narrowest that there is.
fn user_width(asked: Option<u32>, frame: FrameWidth, lanes: u32) -> Result<u32, String> {
    let bits = u32::from(frame.bits());
    let accepted: Vec<u32> = (0..=lanes.ilog2())
        .map(|step| bits << step)
        .filter(|&width| width >= 64 * lanes)
        .collect();
    match (asked, accepted.first()) {
        (Some(asked), _) if accepted.contains(&asked) => Ok(asked),
        (None, Some(&narrowest)) => Ok(narrowest),
        (asked, _) => Err(format!(
            "--user-width {} with frame width {bits} and {lanes} lanes; accepted: {}",
            asked.map_or("of none".to_owned(), |asked| asked.to_string()),
            accepted
                .iter()
                .map(u32::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        )),
    }
}

/// The designs for all frame widths that were asked for, and those that cannot be.
///
/// # Errors
/// One line if none can be: the reason of the only one, or of the widest, which reaches farthest.
pub fn designs(options: &PlanRifl) -> Result<(Vec<Design>, Vec<Excluded>), String> {
    let widths: Vec<FrameWidth> = match options.frame_width {
        Some(width) => vec![width],
        None => FRAME_WIDTHS
            .iter()
            .filter_map(|&bits| FrameWidth::new(bits).ok())
            .collect(),
    };
    let (mut designs, mut excluded) = (Vec::new(), Vec::new());
    for frame in widths {
        match Design::new(options, frame) {
            Ok(design) => designs.push(design),
            Err(reason) => excluded.push(Excluded {
                frame_width: frame.bits(),
                reason,
            }),
        }
    }
    match excluded.pop() {
        Some(last) if designs.is_empty() => Err(last.reason),
        last => {
            excluded.extend(last);
            Ok((designs, excluded))
        }
    }
}

/// Other protocols at a packet size: name and payload bits per line bit.
pub fn others(lanes: u32, packet_bytes: u32) -> [(&'static str, Option<f64>); 3] {
    [
        ("Aurora 64B/66B", Some(framing::aurora(lanes, packet_bytes))),
        ("Interlaken", Some(framing::interlaken(packet_bytes))),
        ("100G Ethernet", framing::ethernet(packet_bytes)),
    ]
}

/// The plan of these designs.
pub fn plan(options: &PlanRifl, designs: &[Design], excluded: Vec<Excluded>) -> Plan {
    let line_gbps = options.rate * f64::from(options.lanes);
    Plan {
        core: "rifl",
        mode: match mode(options.compatible) {
            Mode::Extended => "extended",
            _ => "compatible",
        },
        lanes: options.lanes,
        line_rate_gbps: options.rate,
        cable_m: options.cable,
        ns_per_metre: options.ns_per_metre,
        circuit_ns: options.circuit_ns,
        ber: options.ber,
        ppm: options.ppm.abs(),
        packet_bytes: options.packet,
        frames: designs
            .iter()
            .map(|design| design.figures(options.packet, options.ber, options.ppm))
            .collect(),
        excluded,
        others: others(options.lanes, options.packet)
            .into_iter()
            .map(|(name, efficiency)| Other {
                name,
                efficiency,
                goodput_gbps: efficiency.map(|share| share * line_gbps),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command, PlanCore};
    use clap::Parser;

    fn options(args: &str) -> PlanRifl {
        let words = ["ropewalk", "plan", "rifl"].into_iter();
        match Cli::try_parse_from(words.chain(args.split_whitespace()))
            .expect("arguments of a test")
            .command
        {
            Command::Plan {
                core: PlanCore::Rifl(options),
            } => options,
            _ => unreachable!("the subcommand is plan rifl"),
        }
    }

    fn plan_of(args: &str) -> Plan {
        let options = options(args);
        let (designs, excluded) = designs(&options).unwrap();
        plan(&options, &designs, excluded)
    }

    #[test]
    fn the_usual_link() {
        let plan = plan_of("--circuit-ns 0");
        assert_eq!(plan.frames.len(), 5);
        let frame = &plan.frames[1];
        assert_eq!((frame.frame_width, frame.user_width), (256, 256));
        assert_eq!((frame.id_width, frame.published.id_width), (6, 6));
        assert_eq!(frame.retransmission_buffer.bits, 64 * 242);
        assert_eq!(frame.flow_buffer.frames, 128);
        assert_eq!(
            (frame.undetected.distance, frame.undetected.two_bit_patterns),
            (4, 0)
        );
        // 2 x 4 + 5 words of line time and a frame more for a long packet, and 50 ns of cable.
        assert!((frame.latency_ns.least - (17.0 * 64.0 / 28.0 + 50.0)).abs() < 1e-9);
        assert!(frame.goodput_ratio > frame.published.goodput_ratio.unwrap());
        let mtbf = frame.mtbf_years;
        let definitions = mtbf.mean.unwrap() / mtbf.survival_99.unwrap();
        assert!((definitions - 99.5).abs() < 0.1);
        let json = serde_json::to_value(&plan).unwrap();
        assert_eq!(json["frames"][1]["efficiency"]["bound"], 0.9375);
    }

    #[test]
    fn the_id_width_is_the_simulator_s() {
        for cable in [0.0, 10.0, 55.0, 100.0, 300.0, 1000.0] {
            for bits in [256, 512] {
                let args = format!("--circuit-ns 0 --cable {cable} --frame-width {bits}");
                let frame = FrameWidth::new(bits).unwrap();
                let span = Span::new(frame, 28.0, cable, 5.0, 0.0).unwrap();
                let chosen = dimension::settle(&span, Mode::Extended, None).unwrap();
                assert_eq!(plan_of(&args).frames[0].id_width, chosen.id_width.bits());
            }
        }
    }

    /// Frame width 2048 at a bit error rate of 1e-7: days without the stronger code, and with it
    /// more than the 1e5 years that were asked for.
    #[test]
    fn the_stronger_code_is_planned_for_the_widths_that_have_it() {
        let plan = plan_of("--ber 1e-7");
        let strong = |frame: &FramePlan| frame.strong_code.map(|s| (s.distance, s.mtbf_mean_years));
        let [narrow @ .., _, wide] = &plan.frames[..] else {
            panic!("five frame widths")
        };
        assert!(narrow.iter().all(|frame| strong(frame).is_none()));
        assert!(wide.mtbf_years.mean.unwrap() < 0.1);
        let (distance, years) = strong(wide).unwrap();
        assert!(distance == 6 && years.unwrap() > 1e5);
        assert!(
            plan_of("--compatible")
                .frames
                .iter()
                .all(|f| f.strong_code.is_none())
        );
    }

    #[test]
    fn without_errors_nothing_fails() {
        let plan = plan_of("--ber 0");
        for frame in &plan.frames {
            assert_eq!(frame.goodput_ratio, 1.0);
            assert_eq!(frame.mtbf_years.mean, None);
            assert!(
                frame
                    .strong_code
                    .is_none_or(|s| s.mtbf_mean_years.is_none())
            );
            assert_eq!(frame.latency_ns.p9999, Some(frame.latency_ns.most));
        }
        let json = serde_json::to_string(&plan).unwrap();
        assert!(json.contains("\"mean\":null"));
    }

    #[test]
    fn every_number_is_finite_at_the_ends_of_the_ranges() {
        for args in [
            "--ber 0.4999 --lanes 8 --rate 200G --packet 1",
            "--ber 1e-300 --rate 0.1G --cable 0 --circuit-ns 0 --packet 1048576",
            "--id-width 12 --ppm -300 --ns-per-metre 10",
        ] {
            let plan = plan_of(args);
            let mut numbers = vec![serde_json::to_value(&plan.frames).unwrap()];
            let mut seen = 0;
            while let Some(value) = numbers.pop() {
                match value {
                    serde_json::Value::Array(list) => numbers.extend(list),
                    serde_json::Value::Object(map) => {
                        numbers.extend(map.into_iter().map(|(_, v)| v))
                    }
                    serde_json::Value::Number(number) => {
                        assert!(number.as_f64().unwrap() >= 0.0, "{args}: {number}");
                        seen += 1;
                    }
                    _ => {}
                }
            }
            assert!(seen > 100, "{args}: {seen}");
            for frame in &plan.frames {
                assert!(frame.latency_ns.after_one_error.is_finite());
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_left_out_or_refused() {
        // One frame width is too narrow for the cable.
        let plan = plan_of("--cable 3km");
        assert_eq!(plan.excluded.len(), 1);
        assert_eq!(plan.excluded[0].frame_width, 128);
        let refused = |args: &str| designs(&options(args)).unwrap_err();
        assert!(refused("--cable 3km --frame-width 128").contains("3 km is too long"));
        assert!(refused("--cable 1000km").contains("frame width 2048"));
        let line = refused("--user-width 4096 --frame-width 256 --lanes 4");
        assert!(
            line.contains("--user-width 4096") && line.ends_with("256, 512, 1024"),
            "{line}"
        );
        let line = refused("--user-width 128 --frame-width 128 --lanes 4");
        assert!(line.ends_with("256, 512"), "{line}");
        assert_eq!(
            plan_of("--lanes 8 --frame-width 128").frames[0].user_width,
            512
        );
        // The widest interface fits the widest frames only.
        let plan = plan_of("--lanes 2 --user-width 4096");
        assert_eq!(plan.frames.len(), 1);
        assert_eq!(plan.frames[0].frame_width, 2048);
    }
}
