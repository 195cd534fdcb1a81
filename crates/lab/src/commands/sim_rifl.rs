// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim rifl`: carries a file or generated packets over a RIFL link.
//!
//! In order: everything that can be wrong is checked ([`Plan::settle`]) and every output is begun;
//! the RTL runs; copies are compared byte for byte; outputs are put in place; the result is
//! printed.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use ropewalk_channel::seed::{self, Seeds};
use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::output::{self, Staged, StagedIn};
use ropewalk_console::table::Style;
use ropewalk_io::recording::Text;
use ropewalk_sim::rifl::{self, LinkConfig, Model, Reset, RunConfig, RunResult, Traffic};
use ropewalk_sim::{ChannelConfig, Cut, SimError};
use ropewalk_wire::rifl::FrameWidth;
use ropewalk_wire::rifl::plan::Span;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Simulation;
use crate::cli::SimRifl;
use crate::dimension::{self, Dimension};
use crate::progress::{self, Meter};
use crate::report::{self, Page};
use crate::result;
use crate::script::{self, Script};
use crate::simulator::Simulator;
use crate::source::{self, FileSource};
use crate::summary::{DirectionSummary, FileSummary, ResetSummary, Summary};
use crate::{plan, units};

/// Bytes of a packet that carries a file, unless `--packet-size` says otherwise.
const FILE_PACKET_BYTES: u32 = 1500;
/// Packets that are generated, unless `--packets` says otherwise.
const PACKETS: u64 = 1000;
/// Sizes that are generated, unless `--size` says otherwise.
const SIZES: units::Sizes = units::Sizes { min: 1, max: 8192 };
/// Samples that a run without errors would give; the page merges them if there are many more.
const SAMPLES: u64 = 1200;

/// Everything that follows from the arguments, checked.
#[derive(Debug)]
pub struct Plan {
    /// The wire and the id width.
    pub dimension: Dimension,
    /// Seed of everything random.
    pub seed: u64,
    /// The file to carry.
    pub file: Option<Arc<Vec<u8>>>,
    /// Directions that carry something.
    loaded: &'static [usize],
    pub(super) link: LinkConfig,
    pub(super) traffic: [Traffic; 2],
    pub(super) run_seed: u64,
    sample_interval: u64,
    watchdog_cycles: u64,
}

/// What the wire asks for.
fn dimension_of(options: &SimRifl, cycle_ns: f64) -> Result<Dimension, String> {
    let frame = FrameWidth::new(u32::from(options.frame_width));
    let span = frame.and_then(|frame| {
        Span::new(
            frame,
            options.line_rate_gbps(),
            options.cable,
            options.ns_per_metre,
            f64::from(options.skew) * cycle_ns,
        )
    });
    let span = span.map_err(|error| error.to_string())?;
    dimension::settle(&span, plan::mode(options.compatible), options.id_width)
}

impl Plan {
    /// Checks the arguments against each other, and reads the file.
    ///
    /// # Errors
    /// One line that names the value and what would be accepted.
    pub fn settle(options: &SimRifl) -> Result<Self, Failure> {
        let cycle_ns = 64.0 / options.line_rate_gbps();
        let dimension = dimension_of(options, cycle_ns).map_err(Failure::BadInput)?;
        let model = model(options, dimension.id_width.bits())?;
        Self::check_lanes(options)?;
        Self::check_outputs(options)?;
        let file = options
            .input
            .as_deref()
            .map(source::read_file)
            .transpose()?
            .map(Arc::new);
        let user_bytes = usize::from(model.user_width) / 8;
        let scripts = options
            .csv
            .as_deref()
            .map(|path| script::read(path, user_bytes))
            .transpose()?;
        let silent = |scripts: &[Script; 2]| scripts[1].is_empty();
        let one_way = options.one_way || scripts.as_ref().is_some_and(silent);

        let seed = options.seed.unwrap_or_else(seed::fresh);
        let mut seeds = Seeds::new(seed);
        let directions = [0, 1].map(|_| Seeds::new(seeds.next_seed()));
        let [a_to_b, b_to_a] = [0, 1].map(|direction: usize| {
            let mut seeds = directions[direction].clone();
            (0..options.lanes)
                .map(|lane| wire(options, &dimension, direction, lane, &mut seeds))
                .collect::<Vec<_>>()
        });
        for (name, wires) in [("ab", &a_to_b), ("ba", &b_to_a)] {
            for wire in wires {
                check_cuts(&wire.cuts, name)?;
            }
        }
        let mut link = LinkConfig {
            model,
            line_rate_gbps: options.line_rate_gbps(),
            ppm: options.ppm,
            frame_phase: 0,
            a_to_b,
            b_to_a,
            ..LinkConfig::default()
        };
        let sizes = options.size.unwrap_or(SIZES);
        let packets = options.packets.unwrap_or(PACKETS);
        let traffic_seeds = [seeds.next_seed(), seeds.next_seed()];
        let traffic = [0, 1].map(|direction| match (&scripts, &file) {
            _ if direction == 1 && one_way => Traffic::None,
            (Some(scripts), _) => Traffic::Source(Box::new(scripts[direction].clone())),
            (None, Some(bytes)) => {
                let size = options.packet_size.unwrap_or(FILE_PACKET_BYTES);
                Traffic::Source(Box::new(FileSource::new(Arc::clone(bytes), size)))
            }
            (None, None) => Traffic::Random {
                packets,
                min: sizes.min,
                max: sizes.max,
                seed: traffic_seeds[direction],
            },
        });
        // User clock cycles in which a script waits.
        let idle = scripts.iter().flatten().map(Script::idle_cycles).max();
        let idle_cycles = idle.unwrap_or(0).saturating_mul(model.user_cycles());
        let expected_bytes = match (&scripts, &file) {
            (Some(scripts), _) => {
                let longest = scripts.iter().map(Script::bytes).max().unwrap_or(0);
                longest as f64 + 8.0 * f64::from(options.lanes) * idle_cycles as f64
            }
            (None, Some(bytes)) => bytes.len() as f64,
            (None, None) => packets as f64 * f64::from(sizes.min + sizes.max) / 2.0,
        };
        let run_seed = seeds.next_seed();
        link.resets = resets(options, &mut seeds);
        link.validate().map_err(named)?;
        let longest_cut = options
            .cut
            .iter()
            .map(|cut| cut.length.cycles(cycle_ns))
            .max()
            .unwrap_or(0);
        Ok(Self {
            sample_interval: (expected_bytes / 8.0 / f64::from(options.lanes) / SAMPLES as f64)
                .ceil()
                .max(64.0) as u64,
            watchdog_cycles: watchdog_cycles(options.frame_width, dimension.id_width.bits())
                .saturating_add(longest_cut),
            dimension,
            seed,
            file,
            loaded: if one_way { &[0] } else { &[0, 1] },
            link,
            traffic,
            run_seed,
        })
    }

    fn check_lanes(options: &SimRifl) -> Result<(), Failure> {
        if options.lanes == 1 && options.skew > 0 {
            return Err(Failure::BadInput(format!(
                "--skew {} with one lane, which has no other to be late against; accepted: 0, or --lanes 2, 4 or 8",
                options.skew
            )));
        }
        match options.cut.iter().filter_map(|cut| cut.lane).max() {
            Some(lane) if lane >= options.lanes => Err(Failure::BadInput(format!(
                "--cut of lane {lane} of a link of {} lanes; accepted: 0 to {}",
                options.lanes,
                options.lanes - 1
            ))),
            _ => Ok(()),
        }
    }

    fn check_outputs(options: &SimRifl) -> Result<(), Failure> {
        let named = [
            ("--in", &options.input),
            ("--out", &options.output),
            ("--out-back", &options.out_back),
            ("--csv", &options.csv),
            ("--csv-out", &options.csv_out),
            ("--trace", &options.trace),
            ("--capture", &options.capture),
        ];
        let resolved =
            |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        for (i, (name, path)) in named.iter().enumerate() {
            for (other_name, other) in &named[..i] {
                if let (Some(path), Some(other)) = (path, other) {
                    // Two outputs may both go to a device.
                    let ordinary =
                        std::fs::metadata(path).map_or(true, |metadata| metadata.is_file());
                    if ordinary && resolved(path) == resolved(other) {
                        return Err(Failure::BadInput(format!(
                            "{name} {} is the same file as {other_name}; accepted: another file",
                            path.display()
                        )));
                    }
                }
            }
        }
        Ok(())
    }
}

/// The line above the result: what is run. It comes first, so that the seed is known whatever
/// happens.
fn heading(options: &SimRifl, plan: &Plan, style: Style) -> String {
    let user_width = match plan.link.model {
        model if model.lanes == 1 => String::new(),
        model => format!(", user width {}", model.user_width),
    };
    let title = format!(
        "RIFL, {}, frame width {}{user_width}, id width {}, {} Gb/s, cable {}, BER {}",
        format::lanes(options.lanes),
        options.frame_width,
        plan.dimension.id_width,
        options.line_rate_gbps(),
        dimension::length(options.cable),
        format::rate(options.ber),
    );
    let mut more = Vec::new();
    let mode = if options.compatible {
        "compatible"
    } else {
        "extended"
    };
    more.push(format!("{mode} mode"));
    if options.skew > 0 {
        more.push(format!("skew up to {} words", options.skew));
    }
    if options.ppm != 0.0 {
        more.push(format!("{:+} ppm", options.ppm));
    }
    if options.stall > 0.0 {
        more.push(format!("sinks stalled {} % of the time", options.stall));
    }
    more.push(format!("seed {}", plan.seed));
    style.heading(&title, &more) + "\n"
}

/// GT cycles without any delivery after which the link is taken to hang: many times the longest
/// recovery.
fn watchdog_cycles(frame_width: u16, id_width: u8) -> u64 {
    let recovery = (u64::from(frame_width) / 64) << (id_width + 2);
    1_000_000.max(50 * recovery)
}

/// The link that was asked for.
fn model(options: &SimRifl, id_width: u8) -> Result<Model, Failure> {
    let SimRifl {
        lanes, frame_width, ..
    } = *options;
    let narrowest = Model::user_widths(lanes, frame_width).min();
    let model = Model {
        lanes,
        frame_width,
        user_width: options.user_width.or(narrowest).unwrap_or(frame_width),
        id_width,
        extended: !options.compatible,
        strong_code: options.strong_code,
    };
    model.validate().map_err(named)?;
    Ok(model)
}

/// A parameter of the simulator under the name of its option.
fn named(error: SimError) -> Failure {
    match error {
        SimError::BadParameter { name, message } => {
            Failure::BadInput(format!("--{} {message}", name.replace('_', "-")))
        }
        other => Failure::refused(other),
    }
}

/// The resets, ascending, each at its time.
fn resets(options: &SimRifl, seeds: &mut Seeds) -> Vec<Reset> {
    let cycle_ns = 64.0 / options.line_rate_gbps();
    let mut resets = Vec::new();
    for spec in &options.reset {
        let [first, last] = spec.start.map(|start| start.cycles(cycle_ns));
        let span = u128::from(last.saturating_sub(first)) + 1;
        let start_cycle = first + ((u128::from(seeds.next_seed()) * span) >> 64) as u64;
        for end in (0..2).filter(|end| spec.ends[*end]) {
            resets.push(Reset {
                end,
                start_cycle,
                cycles: spec.length.cycles(cycle_ns),
            });
        }
    }
    resets.sort_by_key(|reset| (reset.start_cycle, reset.end));
    resets
}

/// The wire of one lane in one direction.
fn wire(
    options: &SimRifl,
    dimension: &Dimension,
    direction: usize,
    lane: u8,
    seeds: &mut Seeds,
) -> ChannelConfig {
    let [slip, skew, seed] = [0; 3].map(|_| seeds.next_seed());
    let skew = (u128::from(skew) * (u128::from(options.skew) + 1)) >> 64;
    // The delay of the dimension is that of the latest lane.
    let latest = dimension.delay_bits;
    ChannelConfig {
        delay_bits: latest - 64 * (u64::from(options.skew) - skew as u64),
        slip_bits: options
            .slip
            .map_or((slip & 63) as u8, |slips| slips.0[direction]),
        ber: options.ber,
        burst: options.burst,
        cuts: cuts(options, direction, lane),
        seed,
    }
}

fn cuts(options: &SimRifl, direction: usize, lane: u8) -> Vec<Cut> {
    let cycle_ns = 64.0 / options.line_rate_gbps();
    let mut cuts: Vec<Cut> = options
        .cut
        .iter()
        .filter(|cut| cut.direction == direction && cut.lane.is_none_or(|cut| cut == lane))
        .map(|cut| Cut {
            start_word: cut.start.cycles(cycle_ns),
            words: cut.length.cycles(cycle_ns).max(1),
            kind: cut.pattern.kind(options.frame_width),
        })
        .collect();
    cuts.sort_by_key(|cut| cut.start_word);
    cuts
}

fn check_cuts(cuts: &[Cut], name: &str) -> Result<(), Failure> {
    for pair in cuts.windows(2) {
        if pair[0].start_word.saturating_add(pair[0].words) > pair[1].start_word {
            return Err(Failure::BadInput(format!(
                "two of the --cut {name} overlap: the one at cycle {} is {} cycles long and the next begins at cycle \
                 {}; accepted: cuts one after the other",
                pair[0].start_word, pair[0].words, pair[1].start_word
            )));
        }
    }
    Ok(())
}

/// The outputs that were asked for, begun.
struct Outputs {
    copies: [Option<Staged>; 2],
    report: Option<StagedIn>,
    trace: Option<Staged>,
    times: Option<Staged>,
    capture: Option<Staged>,
}

impl Outputs {
    fn begin(options: &SimRifl) -> Result<Self, Failure> {
        let begin = |path: &Option<_>| path.as_deref().map(Staged::begin).transpose();
        let trace = begin(&options.trace)?;
        if let (Some(path), Some(staged)) = (&options.trace, &trace)
            && staged.path().is_none()
        {
            return Err(Failure::BadInput(format!(
                "--trace {} is a device; accepted: a file",
                path.display()
            )));
        }
        Ok(Self {
            copies: [begin(&options.output)?, begin(&options.out_back)?],
            report: options
                .report
                .as_deref()
                .map(|folder| StagedIn::begin(folder, report::FILE_NAME))
                .transpose()?,
            trace,
            times: begin(&options.csv_out)?,
            capture: begin(&options.capture)?,
        })
    }
}

/// Runs the subcommand; `args` is the command line, for the report.
///
/// # Errors
/// Bad input, or an output that cannot be written; told before the simulation wherever it can be
/// known then.
pub fn execute(
    options: &SimRifl,
    args: &[OsString],
    simulator: &dyn Simulator,
) -> Result<u8, Failure> {
    let mut plan = Plan::settle(options)?;
    let outputs = Outputs::begin(options)?;
    plan.link.trace = outputs
        .trace
        .as_ref()
        .and_then(Staged::path)
        .map(Path::to_owned);
    if !options.quiet && !options.json {
        note_id_width(&plan.dimension, options);
        let mut out = std::io::stdout().lock();
        let line = heading(options, &plan, style());
        // A reader that went away is dealt with at the end.
        match write!(out, "{line}")
            .and_then(|()| out.flush())
            .map_err(Failure::from)
        {
            Ok(()) | Err(Failure::Closed) => {}
            Err(failure) => return Err(failure),
        }
    }

    progress::prepare(!options.quiet, progress::rifl(plan.link.model), |tell| {
        simulator.prepare(plan.link.model, plan.link.trace.is_some(), tell)
    })?;

    let mut meter = Meter::new(!options.quiet);
    let config = run_config(options, &mut plan);
    let result = simulator
        .run(config, &mut |progress| {
            output::stop_if_interrupted();
            meter.update(progress);
        })
        .map_err(Failure::refused)?;
    meter.finish();

    let summary = summarise(options, &plan, &result);
    put_in_place(outputs, options, args, &summary, &result)?;
    match print(options, &summary) {
        // The exit status tells the result even when nobody reads the rest of the table.
        Ok(()) | Err(Failure::Closed) => Ok(u8::from(!summary.ok)),
        Err(failure) => Err(failure),
    }
}

impl Simulation for SimRifl {
    fn check(&self) -> Result<(), Failure> {
        Plan::settle(self).map(drop)
    }

    fn measure(&self) -> Result<Value, Failure> {
        let mut plan = Plan::settle(self)?;
        let config = run_config(self, &mut plan);
        plan.link
            .model
            .prepare(false, &mut super::unwatched)
            .map_err(Failure::refused)?;
        let result = rifl::run(config, &mut |_| output::stop_if_interrupted());
        let result = result.map_err(Failure::refused)?;
        super::plain(&summarise(self, &plan, &result))
    }
}

/// What runs; takes the traffic out of the plan.
fn run_config(options: &SimRifl, plan: &mut Plan) -> RunConfig {
    RunConfig {
        link: plan.link.clone(),
        traffic: std::mem::take(&mut plan.traffic),
        source_gap: [0.0; 2],
        sink_stall: [options.stall / 100.0; 2],
        seed: plan.run_seed,
        max_cycles: None,
        watchdog_cycles: plan.watchdog_cycles,
        sample_interval: if options.report.is_some() {
            plan.sample_interval
        } else {
            0
        },
        progress_interval: 10_000,
        keep_payload: plan.file.is_some(),
        keep_times: options.csv_out.is_some(),
        keep_words: options.capture.is_some(),
    }
}

/// A line when a published core would need more, one when the cable asks for more than the
/// published formula gives.
fn note_id_width(dimension: &Dimension, options: &SimRifl) {
    if options.compatible && u32::from(dimension.id_width.bits()) < dimension.peer_id_bits {
        let _ = writeln!(
            std::io::stderr(),
            "ropewalk: id width {} is enough between two ends of this core; towards a published core this cable needs {}",
            dimension.id_width,
            dimension.peer_id_bits,
        );
    }
    if options.id_width.is_none()
        && u32::from(dimension.id_width.bits()) > dimension.published_id_bits
    {
        // A note is not worth a failure.
        let _ = writeln!(
            std::io::stderr(),
            "ropewalk: id width {} instead of {} of the published formula: at {} ns/m the round trip is {} frames",
            dimension.id_width,
            dimension.published_id_bits,
            options.ns_per_metre,
            dimension.round_trip_frames,
        );
    }
}

fn summarise(options: &SimRifl, plan: &Plan, result: &RunResult) -> Summary {
    let loaded = plan.loaded;
    let directions: Vec<DirectionSummary> = loaded
        .iter()
        .map(|&index| DirectionSummary::of(result, &plan.link, index))
        .collect();
    let file = plan.file.as_ref().map(|sent| {
        let received = |&index: &usize| {
            result.directions[index]
                .payload
                .as_deref()
                .unwrap_or_default()
        };
        FileSummary {
            name: options
                .input
                .as_deref()
                .and_then(Path::file_name)
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            bytes: sent.len() as u64,
            sha256: sha256(sent),
            received_sha256: loaded.iter().map(received).map(sha256).collect(),
            identical: loaded
                .iter()
                .map(received)
                .all(|copy| copy == sent.as_slice()),
        }
    });
    let ok = result.is_lossless()
        && !result.stalled
        && result.link_up_ns.is_some()
        && directions.iter().all(DirectionSummary::is_lossless)
        && file.as_ref().is_none_or(|file| file.identical);
    Summary {
        ok,
        core: "rifl",
        lanes: options.lanes,
        frame_width: options.frame_width,
        user_width: plan.link.model.user_width,
        id_width: plan.dimension.id_width.bits(),
        line_rate_gbps: options.line_rate_gbps(),
        cable_m: options.cable,
        delay_bits: plan.dimension.delay_bits,
        ber: options.ber,
        ppm: options.ppm,
        slip_bits: [&plan.link.a_to_b, &plan.link.b_to_a].map(|wires| wires[0].slip_bits),
        skew_words: options.skew,
        extended: !options.compatible,
        strong_code: options.strong_code,
        resets: plan.link.resets.iter().map(ResetSummary::of).collect(),
        stall_percent: options.stall,
        seed: plan.seed,
        cycles: result.cycles,
        time_ns: result.time_ns,
        link_up_ns: result.link_up_ns,
        stalled: result.stalled,
        bit_errors: result.bit_errors.iter().sum(),
        retransmissions: result.retransmissions.iter().sum(),
        wall_s: result.wall_s,
        sim_cycles_per_second: result.sim_cycles_per_second,
        file,
        directions,
    }
}

fn sha256(bytes: &[u8]) -> String {
    format::hex(&Sha256::digest(bytes))
}

/// Report, waveform and times are wanted all the more when something went wrong; a copy only when
/// it is one.
fn put_in_place(
    outputs: Outputs,
    options: &SimRifl,
    args: &[OsString],
    summary: &Summary,
    result: &RunResult,
) -> Result<(), Failure> {
    if let Some(report) = outputs.report {
        let page = Page {
            summary,
            result,
            command: command_line(args, summary.seed, options.seed.is_some()),
        };
        report.finish_with(page.html().as_bytes())?;
    }
    if let Some(trace) = outputs.trace {
        trace.finish()?;
    }
    if let Some(capture) = outputs.capture {
        capture.finish_with(recorded(options, summary, result).as_bytes())?;
    }
    if let (Some(path), Some(times)) = (&options.csv_out, outputs.times) {
        let text = script::times(result).map_err(|error| Failure::write(path, error))?;
        times.finish_with(&text)?;
    }
    if summary.ok {
        for (copy, direction) in outputs.copies.into_iter().zip(&result.directions) {
            if let (Some(copy), Some(payload)) = (copy, &direction.payload) {
                copy.finish_with(payload)?;
            }
        }
    }
    Ok(())
}

/// What B received, for `decode rifl`.
fn recorded(options: &SimRifl, summary: &Summary, result: &RunResult) -> Text {
    let comment = format!(
        "RIFL from A to B as it arrived: {}, frame width {}, id width {}, {} mode, seed {}; words of 64 bits, bit 0 first on the line",
        format::lanes(options.lanes),
        options.frame_width,
        summary.id_width,
        if options.compatible {
            "compatible"
        } else {
            "extended"
        },
        summary.seed,
    );
    let mut text = Text::new(&comment);
    let lanes = &result.lanes[0];
    for cycle in 0..lanes.iter().map(|lane| lane.words.len()).min().unwrap_or(0) {
        text.cycle(lanes.iter().map(|lane| lane.words[cycle]), u64::BITS);
    }
    text
}

/// The command line that gives this run again.
fn command_line(args: &[OsString], seed: u64, seed_was_given: bool) -> String {
    let line = format::command_line(args);
    if seed_was_given {
        line
    } else {
        format!("{line} --seed {seed}")
    }
}

/// For standard output.
fn style() -> Style {
    Style::new(format::colour_wanted(&std::io::stdout()))
}

fn print(options: &SimRifl, summary: &Summary) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if options.json {
        json::write(&mut out, "sim rifl", summary)?;
    } else if !options.quiet {
        write!(out, "{}", result::result(summary, style()))?;
        let written = [
            (
                "copy at B",
                summary.ok.then_some(options.output.as_ref()).flatten(),
            ),
            (
                "copy at A",
                summary.ok.then_some(options.out_back.as_ref()).flatten(),
            ),
            ("waveform", options.trace.as_ref()),
            ("times", options.csv_out.as_ref()),
            ("words of the lanes", options.capture.as_ref()),
        ];
        for (what, path) in written {
            if let Some(path) = path {
                writeln!(out, "{what}: {}", path.display())?;
            }
        }
        if let Some(folder) = &options.report {
            writeln!(out, "report: {}", folder.join(report::FILE_NAME).display())?;
        }
    } else if !summary.ok {
        let _ = writeln!(
            std::io::stderr(),
            "ropewalk: not lossless: {}",
            summary.complaints().join("; ")
        );
    }
    out.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests;
