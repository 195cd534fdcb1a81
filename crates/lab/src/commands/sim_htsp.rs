// SPDX-License-Identifier: Apache-2.0
//! `ropewalk sim htsp`: two ends of the real RTL back to back.

use std::ffi::OsString;
use std::io::Write;
use std::time::Instant;

use ropewalk_channel::seed;
use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::output;
use ropewalk_console::table::{Style, Table};
use ropewalk_sim::Burst;
use ropewalk_sim::htsp::{
    self, ALIVE, CLOCK_HZ, Coding, LineConfig, Model, NULL_INTERVAL, PhyConfig, RunConfig,
    RunResult,
};
use serde::Serialize;
use serde_json::Value;

use super::Simulation;
use crate::cli::{HtspLine, HtspPhy, SimHtsp};
use crate::progress;
use crate::report;
use crate::summary::Cycles;
use crate::units::htsp_widths;

/// A channel, both directions together.
#[derive(Debug, Serialize)]
pub struct Channel {
    /// Offered to the sender.
    pub frames_sent: u64,
    /// Out of the receiver, whole.
    pub frames_delivered: u64,
    /// Out with an error mark.
    pub errored: u64,
    /// Missing, without a mark in the channel.
    pub lost: u64,
    /// Delivered with other bytes.
    pub corrupted: u64,
}

/// What the lanes of both directions have seen.
#[derive(Debug, Serialize)]
pub struct Phy {
    /// Bits that were flipped.
    pub flipped: u64,
    /// Codewords that were corrected.
    pub corrected: u64,
    /// And that could not be.
    pub uncorrectable: u64,
    /// Wrong parities of PCS lanes, without FEC.
    pub parity_errors: u64,
    /// Times for which a lane had no signal.
    pub losses: u64,
    /// Times the link went down.
    pub downs: u64,
    /// Packets handed over shortly before that, or meanwhile.
    pub packets_cut_off: u64,
}

/// What has become of the op-codes of both directions.
#[derive(Debug, Serialize)]
pub struct OpCodes {
    /// Taken by the core.
    pub sent: u64,
    /// Once, in order, unchanged.
    pub arrived: u64,
    /// Not arrived.
    pub lost: u64,
    /// Others than were sent, or twice.
    pub corrupted: u64,
    /// Handed over shortly before the link went down, or meanwhile.
    pub cut_off: u64,
    /// From core to core.
    pub latency_cycles: Cycles,
}

/// The result: the object that `--json` prints.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// Everything that is missing or damaged was reported.
    pub ok: bool,
    /// The core.
    pub core: &'static str,
    /// Channels.
    pub vcs: u8,
    /// Of all streams.
    pub width_bits: u16,
    /// Longest burst.
    pub burst_bytes: u16,
    /// What lies between the ends.
    pub line: &'static str,
    /// Share of the frames of the line that is lost.
    pub drop: f64,
    /// Probability of a flipped bit.
    pub ber: f64,
    /// Of everything random.
    pub seed: u64,
    /// Of the run.
    pub cycles: u64,
    /// Until both ends were ready.
    pub link_up_cycles: u64,
    /// Share of the beats of the line.
    pub efficiency: f64,
    /// First word in to first word out.
    pub latency_cycles: Cycles,
    /// By the lines.
    pub line_frames_lost: u64,
    /// By the lines.
    pub line_frames_damaged: u64,
    /// Frames that the receivers found missing.
    pub frames_missing_told: u64,
    /// Words that had no room in a receive buffer.
    pub overflows: u64,
    /// Speed of the simulation.
    pub sim_cycles_per_second: f64,
    /// Of the lanes, if there were any.
    pub phy: Option<Phy>,
    /// If there were any.
    pub op_codes: Option<OpCodes>,
    /// By channel.
    pub vc: Vec<Channel>,
}

impl Summary {
    /// Payload of a direction that was loaded, Gb/s.
    pub fn gbps(&self) -> f64 {
        self.efficiency * f64::from(self.width_bits) * CLOCK_HZ / 1e9
    }
}

/// Runs the subcommand; `args` is the command line, for the page.
///
/// # Errors
/// Bad input, the simulator cannot be built, or an output cannot be written.
pub fn execute(options: &SimHtsp, args: &[OsString]) -> Result<u8, Failure> {
    let seed = options.seed.unwrap_or_else(seed::fresh);
    let config = settle(options, seed)?;
    let style = Style::new(format::colour_wanted(&std::io::stdout()));
    let (title, more) = heading(options, seed);
    let shown = !options.quiet && !options.json;
    let page = super::begin(
        shown.then(|| style.heading(&title, &more)),
        options.report.as_deref(),
    )?;
    progress::prepare(!options.quiet, core(options), |tell| {
        config.model.prepare(tell)
    })?;
    let begun = Instant::now();
    let result =
        htsp::run(&config, &mut |_| output::stop_if_interrupted()).map_err(Failure::refused)?;
    let speed = result.cycles as f64 / begun.elapsed().as_secs_f64().max(1e-9);
    let summary = summarise(options, seed, &result, speed);
    if let Some(page) = page {
        let facts: Vec<String> = [title].into_iter().chain(more).collect();
        let command = format::command_line(args);
        let html = report::sim_htsp::html(&result, &summary, &facts, &command);
        page.finish_with(html.as_bytes())?;
    }
    match print(options, &summary, style) {
        Ok(()) | Err(Failure::Closed) => Ok(u8::from(!summary.ok)),
        Err(failure) => Err(failure),
    }
}

impl Simulation for SimHtsp {
    fn check(&self) -> Result<(), Failure> {
        settle(self, 0).map(drop)
    }

    fn measure(&self) -> Result<Value, Failure> {
        let seed = self.seed.unwrap_or_else(seed::fresh);
        let config = settle(self, seed)?;
        let prepared = config.model.prepare(&mut super::unwatched);
        prepared.map_err(Failure::refused)?;
        let result = htsp::run(&config, &mut |_| output::stop_if_interrupted());
        let result = result.map_err(Failure::refused)?;
        // Nobody looks at the clock.
        super::plain(&summarise(self, seed, &result, 0.0))
    }
}

fn settle(options: &SimHtsp, seed: u64) -> Result<RunConfig, Failure> {
    let mut blocked = 0u16;
    for &channel in &options.block {
        if channel >= options.vcs {
            return Err(Failure::BadInput(format!(
                "--block {channel} of a link of {} channels; accepted: 0 to {}",
                options.vcs,
                options.vcs - 1
            )));
        }
        blocked |= 1 << channel;
    }
    let burst = options.burst / 64;
    // A quarter is full when the pause begins; then come the rest of a burst, another one if the
    // news has to wait for a burst of the own direction, and what is on both ways.
    let room = options.rx_depth - options.rx_depth / 4;
    let line = line(options)?;
    let phy = lanes(options);
    let delay = if phy.is_some() {
        LANES_DELAY
    } else {
        options.delay
    };
    let needed = 2 * u32::from(burst) + 2 * delay + 32;
    if room < needed {
        return Err(Failure::BadInput(format!(
            "--rx-depth {} leaves room for {room} words when it pauses the peer, and {needed} may follow with --burst {} and \
             {delay} cycles from end to end; accepted: {} or more",
            options.rx_depth,
            options.burst,
            (needed * 4).div_ceil(3) + 1,
        )));
    }
    Ok(RunConfig {
        model: model(options),
        null_interval: NULL_INTERVAL,
        alive: ALIVE + 2 * options.delay,
        burst: burst as u8,
        line: LineConfig {
            delay: options.delay,
            drop: options.loss,
            ber: options.ber,
            ..line
        },
        phy,
        packets: options.frames,
        sizes: (options.frame.min, options.frame.max),
        stall: options.stall / 100.0,
        blocked,
        one_way: options.one_way,
        op_codes: options.op_codes,
        seed,
    })
}

/// Cycles that MAC, PCS and FEC take at most from end to end, as the models have them.
const LANES_DELAY: u32 = 120;

/// The core of both ends.
pub(super) fn model(options: &SimHtsp) -> Model {
    Model {
        channels: options.vcs,
        rx_depth: options.rx_depth,
        bytes: (options.width / 8) as u8,
    }
}

/// The same in words.
pub(super) fn core(options: &SimHtsp) -> String {
    format!(
        "HTSP, {} channels, {} words, {} bits",
        options.vcs, options.rx_depth, options.width
    )
}

/// The line, which must not carry more than a beat in a cycle.
fn line(options: &SimHtsp) -> Result<LineConfig, Failure> {
    let gbps = match (options.phy, options.line) {
        (Some(_), _) | (None, HtspLine::Ethernet100) => 100.0,
        (None, HtspLine::Ethernet50) => 50.0,
        (None, HtspLine::Ethernet25) => 25.0,
        (None, HtspLine::Wires) => return Ok(LineConfig::WIRES),
    };
    let line = LineConfig::ethernet(gbps);
    let bits = 8.0 * line.bytes_per_cycle;
    if bits > f64::from(options.width) {
        let enough = htsp_widths().filter(|&it| f64::from(it) >= bits);
        let enough: Vec<String> = enough.map(|it| it.to_string()).collect();
        return Err(Failure::BadInput(format!(
            "--width {} with a line of {gbps} Gb/s, which carries {bits:.1} bits in a cycle; accepted: {}",
            options.width,
            enough.join(" or "),
        )));
    }
    Ok(line)
}

/// The lanes in place of the line, if there are any.
fn lanes(options: &SimHtsp) -> Option<PhyConfig> {
    let coding = match options.phy? {
        HtspPhy::Kr4 => Coding::Kr4,
        HtspPhy::Lr4 => Coding::Lr4,
        HtspPhy::Cgmii => return None,
    };
    Some(PhyConfig {
        skew: options.skew,
        ber: options.ber,
        burst: (options.bursts > 0.0).then_some(Burst {
            rate_per_bit: options.bursts,
            length_bits: 64,
            density: 0.5,
        }),
        losses: options.lane_losses,
        ..PhyConfig::new(coding)
    })
}

fn line_name(options: &SimHtsp) -> &'static str {
    match (options.phy, options.line) {
        (Some(HtspPhy::Kr4), _) => "100g-kr4",
        (Some(HtspPhy::Lr4), _) => "100g-lr4",
        (Some(HtspPhy::Cgmii), _) => "cgmii",
        (None, HtspLine::Wires) => "wires",
        (None, HtspLine::Ethernet100) => "100g",
        (None, HtspLine::Ethernet50) => "50g",
        (None, HtspLine::Ethernet25) => "25g",
    }
}

/// What is run: in short, and the rest.
fn heading(options: &SimHtsp, seed: u64) -> (String, Vec<String>) {
    let sizes = if options.frame.min == options.frame.max {
        format!("{}", options.frame.min)
    } else {
        format!("{} to {}", options.frame.min, options.frame.max)
    };
    let title = format!(
        "HTSP, {} channels of {} bits, frames of {sizes} bytes, bursts of {} bytes, line {}",
        options.vcs,
        options.width,
        options.burst,
        line_name(options)
    );
    let mut more = Vec::new();
    if options.loss > 0.0 {
        more.push(format!("{} of the frames lost", format::rate(options.loss)));
    }
    if options.ber > 0.0 {
        more.push(format!("BER {}", format::rate(options.ber)));
    }
    if options.bursts > 0.0 {
        more.push(format!("bursts {}", format::rate(options.bursts)));
    }
    if options.lane_losses > 0 {
        more.push(format!("{} losses of a lane", options.lane_losses));
    }
    if options.stall > 0.0 {
        more.push(format!("users refuse {} % of the time", options.stall));
    }
    if options.op_codes > 0 {
        more.push(format!("{} op-codes", options.op_codes));
    }
    more.push(format!("seed {seed}"));
    (title, more)
}

fn summarise(options: &SimHtsp, seed: u64, result: &RunResult, speed: f64) -> Summary {
    Summary {
        ok: result.ok(),
        core: "htsp",
        vcs: options.vcs,
        width_bits: options.width,
        burst_bytes: options.burst,
        line: line_name(options),
        drop: options.loss,
        ber: options.ber,
        seed,
        cycles: result.cycles,
        link_up_cycles: result.link_up_cycles,
        efficiency: result.efficiency(),
        latency_cycles: Cycles::of(&result.latency),
        line_frames_lost: result.frames_lost,
        line_frames_damaged: result.frames_damaged,
        frames_missing_told: result.told_lost,
        overflows: result.overflows,
        sim_cycles_per_second: speed,
        phy: result.phy.map(|counts| Phy {
            flipped: counts.flipped,
            corrected: counts.corrected,
            uncorrectable: counts.uncorrectable,
            parity_errors: counts.parity_errors,
            losses: counts.losses,
            downs: counts.downs,
            packets_cut_off: result.cut_off,
        }),
        op_codes: (options.op_codes > 0).then(|| OpCodes {
            sent: result.op_codes.sent,
            arrived: result.op_codes.arrived,
            lost: result.op_codes.lost,
            corrupted: result.op_codes.corrupted,
            cut_off: result.op_codes_cut_off,
            latency_cycles: Cycles::of(&result.op_code_latency),
        }),
        vc: (0..usize::from(options.vcs))
            .map(|channel| {
                let counts = result.channel(channel);
                Channel {
                    frames_sent: counts.frames_sent,
                    frames_delivered: counts.frames_delivered,
                    errored: counts.errored,
                    lost: counts.lost,
                    corrupted: counts.corrupted,
                }
            })
            .collect(),
    }
}

fn print(options: &SimHtsp, summary: &Summary, style: Style) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if options.json {
        json::write(&mut out, "sim htsp", summary)?;
    } else if !options.quiet {
        write!(out, "{}", text(summary, style))?;
        if let Some(folder) = &options.report {
            writeln!(out, "report: {}", folder.join(report::FILE_NAME).display())?;
        }
    } else if !summary.ok {
        let _ = writeln!(std::io::stderr(), "ropewalk: {}", verdict(summary));
    }
    out.flush()?;
    Ok(())
}

/// What the run has shown, in a line.
pub fn verdict(summary: &Summary) -> String {
    let sum = |count: fn(&Channel) -> u64| summary.vc.iter().map(count).sum::<u64>();
    let (sent, delivered) = (sum(|c| c.frames_sent), sum(|c| c.frames_delivered));
    let (errored, lost, corrupted) = (sum(|c| c.errored), sum(|c| c.lost), sum(|c| c.corrupted));
    let counts = format!(
        "{} of {} frames delivered",
        format::thousands(delivered),
        format::thousands(sent)
    );
    if summary.ok && delivered == sent && errored == 0 {
        return format!("{counts}, once, in order, unchanged");
    }
    let told = if summary.ok {
        "all told"
    } else {
        "NOT all told"
    };
    format!(
        "{counts}, {errored} ends marked as errors, {lost} missing without a mark ({} frames of the line missing by count), \
         {corrupted} corrupted, {} overflows: {told}",
        summary.frames_missing_told, summary.overflows
    )
}

/// What became of the frames of each channel.
pub fn channels(summary: &Summary) -> Table {
    let mut table = Table::new([
        "channel",
        "sent",
        "delivered",
        "errored",
        "lost",
        "corrupted",
    ]);
    for (channel, counts) in summary.vc.iter().enumerate() {
        table.row([
            format!("{channel}"),
            format::thousands(counts.frames_sent),
            format::thousands(counts.frames_delivered),
            format::thousands(counts.errored),
            format::thousands(counts.lost),
            format::thousands(counts.corrupted),
        ]);
    }
    table
}

fn text(summary: &Summary, style: Style) -> String {
    let table = channels(summary);
    let latency = &summary.latency_cycles;
    let cycles = |cycles: u64| format::time(cycles as f64 * 1e9 / CLOCK_HZ);
    let verdict = verdict(summary);
    let verdict = if summary.ok {
        style.good(&verdict)
    } else {
        style.bad(&verdict)
    };
    format!(
        "{}\nefficiency {:.2} % of the beats, {:.2} Gb/s at {:.2} MHz\nlatency {} / {} / {} / {} cycles (min / median / 99 % / max), \
         least {}\nlink up after {} cycles, {} cycles in all, {} cycles/s\n{}{}{verdict}\n",
        table.render(style),
        summary.efficiency * 100.0,
        summary.gbps(),
        CLOCK_HZ / 1e6,
        latency.min,
        latency.p50,
        latency.p99,
        latency.max,
        cycles(latency.min),
        summary.link_up_cycles,
        format::thousands(summary.cycles),
        format::per_second(summary.sim_cycles_per_second),
        summary.phy.as_ref().map(seen).unwrap_or_default(),
        summary.op_codes.as_ref().map(carried).unwrap_or_default(),
    )
}

/// What the lanes have seen, in a line.
fn seen(phy: &Phy) -> String {
    format!(
        "lanes: {} bits flipped, {} codewords corrected, {} uncorrectable, {} wrong parities, {} losses of a lane, {} times down \
         with {} frames under way\n",
        format::thousands(phy.flipped),
        format::thousands(phy.corrected),
        format::thousands(phy.uncorrectable),
        format::thousands(phy.parity_errors),
        phy.losses,
        phy.downs,
        phy.packets_cut_off,
    )
}

/// What has become of the op-codes, in a line.
fn carried(op_codes: &OpCodes) -> String {
    let latency = &op_codes.latency_cycles;
    format!(
        "op-codes: {} of {} arrived, once, in order, unchanged, after {} / {} / {} / {} cycles; {} lost, {} corrupted\n",
        format::thousands(op_codes.arrived),
        format::thousands(op_codes.sent),
        latency.min,
        latency.p50,
        latency.p99,
        latency.max,
        op_codes.lost,
        op_codes.corrupted,
    )
}
