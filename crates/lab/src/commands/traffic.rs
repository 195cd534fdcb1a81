// SPDX-License-Identifier: Apache-2.0
//! `ropewalk traffic`: CSV files played, recorded and compared in hardware.

use std::io::Write;
use std::time::{Duration, Instant};

use ropewalk_console::failure::Failure;
use ropewalk_console::format::{self, thousands};
use ropewalk_console::json;
use ropewalk_console::output::Staged;
use ropewalk_console::stop::{stop_on_signal, stopped};
use ropewalk_console::table::Style;
use ropewalk_io::registers::Registers;
use ropewalk_wire::traffic::regs::{self, observe};
use serde::Serialize;

use crate::cli::{TrafficEncode, TrafficRun};
use crate::traffic::core::{Bus, Core};
use crate::traffic::{self, Beat, Memory};

/// Between two looks at a core that has nothing new.
const LOOK: Duration = Duration::from_millis(1);

/// What the player has done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Played {
    loaded: u64,
    beats: u64,
    packets: u64,
    runs: u64,
    stalled_cycles: u64,
}

/// A beat, for the eye.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Shown {
    bytes: String,
    last: bool,
    aborted: bool,
}

impl From<&Beat> for Shown {
    fn from(beat: &Beat) -> Self {
        Self {
            bytes: format::hex(&beat.data),
            last: beat.last,
            aborted: beat.mark,
        }
    }
}

/// The first beat that is not the expected one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Difference {
    /// In all that has arrived, from 0 on.
    beat: u64,
    /// In what is expected; `None` if that was at its end.
    index: Option<u64>,
    run: u64,
    expected: Option<Shown>,
    arrived: Shown,
}

/// What the capture has seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Captured {
    beats: u64,
    packets: u64,
    stored: u64,
    missed: u64,
    /// Beats that should have come in all; `None` without an end.
    expected: Option<u64>,
    differences: Option<u64>,
    first_difference: Option<Difference>,
}

/// What `--json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Report {
    ok: bool,
    play: Option<Played>,
    capture: Option<Captured>,
}

/// What is to be done, with its files read.
struct Job<'a> {
    options: &'a TrafficRun,
    play: Option<Vec<Beat>>,
    expect: Option<Vec<Beat>>,
}

impl<'a> Job<'a> {
    /// Reads the files for a core.
    fn new<B: Bus>(options: &'a TrafficRun, core: &Core<B>) -> Result<Self, Failure> {
        let read = |path: &Option<std::path::PathBuf>, depth: usize, memory: &str| {
            let Some(path) = path else { return Ok(None) };
            let beats = traffic::read(path, core.width, options.direction as usize)?;
            if beats.len() > depth {
                return Err(Failure::BadInput(format!(
                    "{}: {} beats of {} bytes; accepted: up to {depth}, {memory}",
                    path.display(),
                    beats.len(),
                    core.width
                )));
            }
            Ok(Some(beats))
        };
        Ok(Self {
            options,
            play: read(&options.play, core.play_depth, "the memory of the player")?,
            // The last place is for what differs.
            expect: read(
                &options.expect,
                core.capture_depth.saturating_sub(1),
                "the memory of the capture less one",
            )?,
        })
    }

    /// Beats that have to arrive in all.
    fn expected(&self) -> Option<u64> {
        let beats = self.expect.as_ref()?.len() as u64;
        (self.options.runs > 0).then(|| beats * u64::from(self.options.runs))
    }

    fn captures(&self) -> bool {
        self.options.record.is_some() || self.options.expect.is_some()
    }

    /// Does it; also gives what was recorded, as CSV.
    fn run<B: Bus>(&self, core: &mut Core<B>) -> Result<(Report, Option<String>), Failure> {
        let begin = Instant::now();
        // Whatever an earlier program has left to run.
        core.order(&[
            (regs::PLAY.offset, regs::play::STOP.mask() as u32),
            (regs::CAPTURE.offset, regs::capture::STOP.mask() as u32),
        ])?;
        core.settle()?;
        while core.get(&observe::STATE) & observe::state::PLAYING.mask() != 0 {
            if begin.elapsed() > self.options.linger {
                return Err(Failure::network(
                    "the player is in a packet of an earlier run, and the sink does not take the rest of it",
                ));
            }
            std::thread::sleep(LOOK);
        }
        core.settle()?;
        core.forget_events();
        // The time of this run begins here.
        let begin = Instant::now();
        let over = || {
            stopped()
                || self
                    .options
                    .seconds
                    .is_some_and(|time| begin.elapsed() >= time)
        };

        if let Some(beats) = &self.expect {
            core.order(&traffic::load(Memory::Expect, beats, core.width))?;
            core.order(&traffic::start(Memory::Expect, self.options.runs))?;
        } else if self.options.record.is_some() {
            let block = u64::from(self.options.block) * regs::capture::BLOCK.mask();
            let record = regs::capture::RECORD.mask() | block;
            core.order(&[(regs::CAPTURE.offset, record as u32)])?;
        }
        core.fence()?;
        if let Some(beats) = &self.play {
            core.order(&traffic::load(Memory::Play, beats, core.width))?;
            core.order(&traffic::start(Memory::Play, self.options.runs))?;
            core.fence()?;
            self.until_played(core, over)?;
        }
        if self.captures() {
            self.until_arrived(core, over);
            core.order(&[(regs::CAPTURE.offset, regs::capture::STOP.mask() as u32)])?;
        }
        core.fence()?;
        let play = self.play.is_some().then(|| Played {
            loaded: core.get(&observe::PLAY_LOADED),
            beats: core.get(&observe::PLAY_BEATS),
            packets: core.get(&observe::PLAY_PACKETS),
            runs: core.get(&observe::PLAY_RUNS),
            stalled_cycles: core.get(&observe::PLAY_STALLED),
        });
        let capture = match self.captures() {
            true => Some(self.captured(core)?),
            false => None,
        };
        let whole = |found: &Captured| {
            found.missed == 0
                && found.differences.unwrap_or(0) == 0
                && found
                    .expected
                    .is_none_or(|count| core.counted(count, found.beats))
        };
        let ok = capture.as_ref().is_none_or(whole);
        let csv = match self.options.record {
            Some(_) => {
                let zero = match self.play {
                    Some(_) => core.get(&observe::PLAY_BEGAN),
                    None => core.get(&observe::CAPTURE_BEGAN),
                };
                Some(traffic::csv(&core.recorded()?, zero as u32))
            }
            None => None,
        };
        Ok((Report { ok, play, capture }, csv))
    }

    /// Until the player has come to its end, or was stopped behind a packet.
    fn until_played<B: Bus>(
        &self,
        core: &mut Core<B>,
        over: impl Fn() -> bool,
    ) -> Result<(), Failure> {
        let mut asked = None;
        while core.get(&regs::EVENTS) & regs::events::PLAY_DONE.mask() == 0 {
            if asked.is_none() && over() {
                core.order(&[(regs::PLAY.offset, regs::play::STOP.mask() as u32)])?;
                asked = Some(Instant::now());
            }
            if asked.is_some_and(|asked| asked.elapsed() > self.options.linger) {
                return Err(Failure::network(
                    "the player was stopped, and the sink does not take the rest of its packet",
                ));
            }
            core.fence()?;
            std::thread::sleep(LOOK);
        }
        Ok(())
    }

    /// Until everything that is awaited has arrived; behind a player for a while, without one until
    /// it is over.
    fn until_arrived<B: Bus>(&self, core: &mut Core<B>, over: impl Fn() -> bool) {
        let begin = Instant::now();
        loop {
            let beats = core.get(&observe::CAPTURE_BEATS);
            let full = core.get(&regs::EVENTS) & regs::events::CAPTURE_FULL.mask() != 0;
            let all = self
                .expected()
                .is_some_and(|count| core.counted(count, beats));
            let late = match self.play {
                Some(_) => begin.elapsed() >= self.options.linger,
                None => over(),
            };
            if all || full || late {
                return;
            }
            std::thread::sleep(LOOK);
        }
    }

    fn captured<B: Bus>(&self, core: &mut Core<B>) -> Result<Captured, Failure> {
        let state = core.get(&observe::STATE);
        let differs = observe::state::DIFFERS.get(state) != 0;
        let (mut differences, mut first_difference) = (None, None);
        if let Some(expect) = &self.expect {
            differences = Some(core.get(&observe::CAPTURE_DIFFERENCES));
            if differs {
                let beat = core.get(&observe::CAPTURE_FIRST);
                let (run, index) = (beat / expect.len() as u64, beat % expect.len() as u64);
                let beyond = self.expected().is_some_and(|count| beat >= count);
                first_difference = Some(Difference {
                    beat,
                    index: (!beyond).then_some(index),
                    run,
                    expected: (!beyond).then(|| Shown::from(&expect[index as usize])),
                    arrived: Shown::from(&core.shown(core.capture_depth - 1)?),
                });
            }
        }
        Ok(Captured {
            beats: core.get(&observe::CAPTURE_BEATS),
            packets: core.get(&observe::CAPTURE_PACKETS),
            stored: core.get(&observe::CAPTURE_STORED),
            missed: core.get(&observe::CAPTURE_MISSED),
            expected: self.expected(),
            differences,
            first_difference,
        })
    }
}

fn render(report: &Report, style: Style) -> String {
    let mut text = String::new();
    if let Some(play) = &report.play {
        text += &format!(
            "played    {} beats, {} packets, {} whole runs; {} cycles of back-pressure\n",
            thousands(play.beats),
            thousands(play.packets),
            thousands(play.runs),
            thousands(play.stalled_cycles)
        );
    }
    let Some(capture) = &report.capture else {
        return text;
    };
    let arrived = format!(
        "arrived   {} beats, {} packets",
        thousands(capture.beats),
        thousands(capture.packets)
    );
    let verdict = match (capture.differences, capture.missed) {
        (None, 0) => style.good("all of it is recorded"),
        (None, missed) => style.bad(&format!("{} beats missed", thousands(missed))),
        (Some(0), _) if report.ok => style.good("no difference"),
        (Some(0), _) => {
            let expected = capture.expected.unwrap_or(0);
            style.bad(&format!(
                "no difference, but {} were expected",
                thousands(expected)
            ))
        }
        (Some(count), _) => style.bad(&format!("{} beats differ", thousands(count))),
    };
    text += &format!("{arrived}: {verdict}\n");
    if let Some(first) = &capture.first_difference {
        let line = |beat: &Shown| {
            let last = if beat.last { ", last" } else { "" };
            let aborted = if beat.aborted { ", aborted" } else { "" };
            format!("{}{last}{aborted}", beat.bytes)
        };
        let place = match first.index {
            Some(index) => format!("beat {index} of run {}", first.run),
            None => "behind all that was expected".to_owned(),
        };
        let wanted = first.expected.as_ref().map_or("nothing".to_owned(), line);
        text += &format!(
            "first     beat {}: {place}\n  expected  {wanted}\n  arrived   {}\n",
            first.beat,
            line(&first.arrived)
        );
    }
    text
}

/// Runs `ropewalk traffic run`.
///
/// # Errors
/// There is no such core, a file is refused, or the streams stand still.
pub fn run(options: &TrafficRun) -> Result<u8, Failure> {
    stop_on_signal();
    let registers = Registers::open_writable(&options.file, options.base, regs::SIZE as usize)
        .map_err(|error| Failure::read(&options.file, error))?;
    let name = format!("{} at {:#x}", options.file.display(), options.base);
    let mut core = Core::new(registers, name)?;
    let job = Job::new(options, &core)?;
    let staged = options.record.as_deref().map(Staged::begin).transpose()?;
    let (report, csv) = job.run(&mut core)?;
    if let (Some(staged), Some(csv)) = (staged, csv) {
        staged.finish_with(csv.as_bytes())?;
    }
    let mut out = std::io::stdout().lock();
    if options.json {
        json::write(&mut out, "traffic run", &report)?;
    } else {
        let style = Style::new(format::colour_wanted(&std::io::stdout()));
        write!(out, "{}", render(&report, style))?;
    }
    out.flush()?;
    Ok(u8::from(!report.ok))
}

/// Runs `ropewalk traffic encode`.
///
/// # Errors
/// The file is refused.
pub fn encode(options: &TrafficEncode) -> Result<u8, Failure> {
    let width = usize::from(options.width);
    let beats = traffic::read(&options.file, width, options.direction as usize)?;
    let memory = match options.expect {
        true => Memory::Expect,
        false => Memory::Play,
    };
    let mut orders = traffic::load(memory, &beats, width);
    orders.extend(traffic::start(memory, options.runs));
    let mut out = std::io::stdout().lock();
    write!(out, "{}", traffic::text(&orders))?;
    out.flush()?;
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropewalk_sim::traffic::{DEPTH, Traffic};
    use std::path::Path;

    impl Bus for Traffic {
        fn read32(&mut self, address: u32) -> u32 {
            Traffic::read32(self, address).expect("a register")
        }

        fn write32(&mut self, address: u32, value: u32) {
            assert!(
                Traffic::write32(self, address, value),
                "{address:#x} takes no write"
            );
        }
    }

    const DELAY: u64 = 7;

    fn options(folder: &Path) -> TrafficRun {
        TrafficRun {
            file: folder.join("none"),
            base: 0,
            play: None,
            expect: None,
            record: None,
            block: false,
            direction: crate::cli::Direction::Ab,
            runs: 1,
            seconds: None,
            linger: Duration::from_secs(5),
            json: false,
        }
    }

    fn core(damaged: Option<u64>) -> Core<Traffic> {
        let traffic = Traffic::new(DELAY, damaged).unwrap();
        Core::new(traffic, "the simulator".to_owned()).unwrap()
    }

    fn file(folder: &Path, text: &str) -> std::path::PathBuf {
        let path = folder.join("traffic.csv");
        std::fs::write(&path, text).unwrap();
        path
    }

    /// 2 + 1 + 3 beats of 16 bytes.
    const TRAFFIC: &str = "bytes,wait,cycle,last\n32@1,,3,0\n5@2,4,,1\n48@3,,100,1\n";

    #[test]
    fn the_real_core_plays_and_compares() {
        let folder = tempfile::tempdir().unwrap();
        let mut options = options(folder.path());
        options.play = Some(file(folder.path(), TRAFFIC));
        options.expect.clone_from(&options.play);
        options.runs = 7;
        let mut core = core(None);
        let (report, csv) = Job::new(&options, &core).unwrap().run(&mut core).unwrap();
        assert!(report.ok && csv.is_none());
        let play = report.play.clone().unwrap();
        assert_eq!(
            (play.loaded, play.beats, play.packets, play.runs),
            (6, 42, 14, 7)
        );
        let capture = report.capture.clone().unwrap();
        assert_eq!((capture.beats, capture.packets), (42, 14));
        assert_eq!((capture.expected, capture.differences), (Some(42), Some(0)));
        let text = render(&report, Style::new(false));
        assert!(
            text.contains("42 beats, 14 packets: no difference"),
            "{text}"
        );
    }

    #[test]
    fn a_damaged_beat_is_found_at_its_index() {
        let folder = tempfile::tempdir().unwrap();
        let mut options = options(folder.path());
        options.play = Some(file(folder.path(), TRAFFIC));
        options.expect.clone_from(&options.play);
        options.runs = 3;
        let mut core = core(Some(8));
        let job = Job::new(&options, &core).unwrap();
        let report = job.run(&mut core).unwrap().0;
        assert!(!report.ok);
        let capture = report.capture.clone().unwrap();
        assert_eq!((capture.beats, capture.differences), (18, Some(1)));
        let first = capture.first_difference.unwrap();
        assert_eq!((first.beat, first.run, first.index), (8, 1, Some(2)));
        let expected = first.expected.unwrap();
        assert_eq!(expected, Shown::from(&job.expect.as_ref().unwrap()[2]));
        assert_ne!(expected.bytes[..2], first.arrived.bytes[..2]);
        assert_eq!(expected.bytes[2..], first.arrived.bytes[2..]);
        let text = render(&report, Style::new(false));
        assert!(
            text.contains("1 beats differ\nfirst     beat 8: beat 2 of run 1"),
            "{text}"
        );
    }

    #[test]
    fn what_is_recorded_is_what_was_played_and_when() {
        let folder = tempfile::tempdir().unwrap();
        let mut options = options(folder.path());
        options.play = Some(file(folder.path(), TRAFFIC));
        options.record = Some(folder.path().join("out.csv"));
        options.linger = Duration::from_millis(200);
        let mut core = core(None);
        let job = Job::new(&options, &core).unwrap();
        let (report, csv) = job.run(&mut core).unwrap();
        assert!(report.ok, "{report:?}");
        let path = folder.path().join("again.csv");
        std::fs::write(&path, csv.unwrap()).unwrap();
        let recorded = traffic::read(&path, 16, 0).unwrap();
        let of =
            |beats: &[Beat]| -> Vec<_> { beats.iter().map(|b| (b.data.clone(), b.last)).collect() };
        assert_eq!(of(&recorded), of(job.play.as_ref().unwrap()));
        let times: Vec<u32> = recorded.iter().map(|beat| beat.cycles).collect();
        // One for each beat, and the line.
        let played = [3, 4, 9, 100, 101, 102].map(|cycle| cycle + DELAY as u32);
        assert_eq!(times, played);
    }

    #[test]
    fn what_comes_too_much_is_missed_and_what_does_not_come_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let mut options = options(folder.path());
        options.play = Some(file(folder.path(), TRAFFIC));
        options.runs = 20;
        options.record = Some(folder.path().join("out.csv"));
        let mut core = core(None);
        let report = Job::new(&options, &core).unwrap().run(&mut core).unwrap().0;
        let capture = report.capture.unwrap();
        assert!(!report.ok && capture.stored == DEPTH as u64);
        assert_eq!(capture.missed, 120 - DEPTH as u64);
        // More than is played.
        let other = folder.path().join("other.csv");
        std::fs::write(&other, format!("{TRAFFIC}1@9,,,1\n")).unwrap();
        (options.record, options.expect, options.runs) = (None, Some(other), 1);
        options.linger = Duration::from_millis(100);
        let report = Job::new(&options, &core).unwrap().run(&mut core).unwrap().0;
        let capture = report.capture.clone().unwrap();
        assert_eq!(
            (report.ok, capture.differences, capture.beats),
            (false, Some(0), 6)
        );
        assert!(render(&report, Style::new(false)).contains("but 7 were expected"));
    }

    #[test]
    fn without_an_end_the_time_stops_it_between_packets() {
        let folder = tempfile::tempdir().unwrap();
        let mut options = options(folder.path());
        options.play = Some(file(folder.path(), TRAFFIC));
        options.expect.clone_from(&options.play);
        options.runs = 0;
        options.seconds = Some(Duration::from_millis(300));
        options.linger = Duration::from_secs(1);
        let mut core = core(None);
        let report = Job::new(&options, &core).unwrap().run(&mut core).unwrap().0;
        let (play, capture) = (report.play.unwrap(), report.capture.unwrap());
        assert!(
            report.ok && play.beats > 6 && play.beats % 6 % 3 == 0,
            "{play:?}"
        );
        assert_eq!((capture.beats, capture.packets), (play.beats, play.packets));
        assert_eq!(capture.expected, None);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut options = options(folder.path());
        options.play = Some(file(folder.path(), "bytes\n1025@1\n"));
        let mut core = core(None);
        let refused = |options: &TrafficRun, core: &Core<Traffic>| match Job::new(options, core) {
            Ok(_) => panic!("accepted"),
            Err(failure) => failure.to_string(),
        };
        let line = refused(&options, &core);
        assert!(
            line.contains("65 beats of 16 bytes; accepted: up to 64"),
            "{line}"
        );
        options.play = None;
        options.expect = Some(file(folder.path(), "bytes\n1024@1\n"));
        assert!(refused(&options, &core).contains("up to 63, the memory of the capture less one"));
        // An order that the core does not carry out is no success.
        core.order(&[(regs::PLAY.offset, regs::play::START.mask() as u32)])
            .unwrap();
        core.forget_events();
        core.order(&[(regs::PLAY.offset, regs::play::START.mask() as u32)])
            .unwrap();
        assert!(
            core.fence()
                .unwrap_err()
                .to_string()
                .contains("refused an order")
        );
    }
}
