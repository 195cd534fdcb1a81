// SPDX-License-Identifier: Apache-2.0
//! Progress bars: on a terminal, on standard error, for what takes longer than a second.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ropewalk_console::failure::Failure;
use ropewalk_console::{format, output};
use ropewalk_sim::rifl::{Model, Progress};
use ropewalk_sim::{Building, SimError};

const PATIENCE: Duration = Duration::from_secs(1);

/// Shows how far a run is.
#[derive(Debug)]
pub struct Meter {
    wanted: bool,
    begun: Instant,
    bar: Option<ProgressBar>,
}

impl Meter {
    /// A meter that stays silent unless `wanted` and on a terminal.
    pub fn new(wanted: bool) -> Self {
        Self {
            wanted: wanted && std::io::stderr().is_terminal(),
            begun: Instant::now(),
            bar: None,
        }
    }

    /// Takes note of how far the run is.
    pub fn update(&mut self, progress: &Progress) {
        if !self.wanted || self.begun.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar =
                ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr_with_hz(10));
            // The template is a constant; were it wrong, the default style would do.
            if let Ok(style) = ProgressStyle::with_template("{bar:20} {percent:>3}%  {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        bar.set_position((1000.0 * share(progress)) as u64);
        bar.set_message(message(progress, self.begun.elapsed()));
    }

    /// Takes the bar away.
    pub fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Shows how many cases of a sweep are done.
#[derive(Debug)]
pub struct CaseMeter {
    wanted: bool,
    begun: Instant,
    bar: Option<ProgressBar>,
}

impl CaseMeter {
    /// A meter that stays silent unless `wanted` and on a terminal.
    pub fn new(wanted: bool) -> Self {
        Self {
            wanted: wanted && std::io::stderr().is_terminal(),
            begun: Instant::now(),
            bar: None,
        }
    }

    /// Takes note of how many are done, of how many.
    pub fn update(&mut self, done: usize, total: usize) {
        if !self.wanted || self.begun.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let target = ProgressDrawTarget::stderr_with_hz(10);
            let bar = ProgressBar::with_draw_target(Some(total as u64), target);
            let template = "{bar:20} {pos} of {len} cases, {elapsed}, about {eta} to go";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        bar.set_position(done as u64);
    }
}

impl Drop for CaseMeter {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// A bar that says what is being done.
fn spinning(bar: ProgressBar) -> ProgressBar {
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

/// Says what is being done, on a terminal.
#[derive(Debug)]
pub struct Spinner(Option<ProgressBar>);

impl Spinner {
    /// One that says nothing yet.
    #[allow(clippy::new_without_default)] // what it does depends on the terminal
    pub fn new() -> Self {
        let wanted = std::io::stderr().is_terminal();
        Self(wanted.then(|| spinning(ProgressBar::new_spinner())))
    }

    /// What is being done from now on.
    pub fn say(&self, what: &str) {
        if let Some(bar) = &self.0 {
            bar.set_message(what.to_owned());
            bar.tick();
        }
    }

    /// A line that stays, also where there is no terminal.
    pub fn line(&self, line: &str) {
        match &self.0 {
            Some(bar) => bar.println(line),
            None => eprintln!("{line}"),
        }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// Shows that the simulator of a model is being built, which happens once.
#[derive(Debug)]
pub struct BuildMeter {
    wanted: bool,
    begun: Instant,
    what: String,
    bar: Option<ProgressBar>,
}

impl BuildMeter {
    /// A meter that stays silent unless `wanted` and on a terminal.
    ///
    /// `what` names the model.
    pub fn new(wanted: bool, what: String) -> Self {
        Self {
            wanted: wanted && std::io::stderr().is_terminal(),
            begun: Instant::now(),
            what,
            bar: None,
        }
    }

    /// Takes note of what is being done.
    pub fn update(&mut self, step: Building) {
        if !self.wanted || self.begun.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let target = ProgressDrawTarget::stderr_with_hz(10);
            spinning(ProgressBar::with_draw_target(None, target))
        });
        bar.set_message(format!(
            "{}, {} s",
            building(&self.what, step),
            self.begun.elapsed().as_secs()
        ));
        bar.tick();
    }
}

impl Drop for BuildMeter {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// Has `build` build the simulator of a model that `what` names; a meter shows that if it is
/// `wanted`.
///
/// # Errors
/// What `build` says.
pub fn prepare(
    wanted: bool,
    what: String,
    build: impl FnOnce(&mut dyn FnMut(Building)) -> Result<(), SimError>,
) -> Result<(), Failure> {
    let mut meter = BuildMeter::new(wanted, what);
    build(&mut |step| {
        output::stop_if_interrupted();
        meter.update(step);
    })
    .map_err(Failure::refused)
}

/// A RIFL model in words.
pub fn rifl(model: Model) -> String {
    format!(
        "{}, frame width {}, user width {}, id width {}",
        format::lanes(model.lanes),
        model.frame_width,
        model.user_width,
        model.id_width
    )
}

/// What is being built and how far that is.
pub fn building(what: &str, step: Building) -> String {
    let step = match step {
        Building::Waiting => "waiting for another run that builds it",
        Building::Verilating => "verilating",
        Building::Compiling => "compiling",
    };
    format!("building the simulator for {what}, once: {step}")
}

/// How much of the traffic has arrived, 0 to 1.
fn share(progress: &Progress) -> f64 {
    let total: u64 = progress.total.iter().sum();
    let packets: u64 = progress.packets.iter().sum();
    if total == 0 {
        0.0
    } else {
        (packets as f64 / total as f64).min(1.0)
    }
}

fn message(progress: &Progress, elapsed: Duration) -> String {
    let speed = progress.cycles as f64 / elapsed.as_secs_f64().max(1e-9);
    let state = match progress.link_up_ns {
        None => "waiting for link-up".to_owned(),
        Some(_) => {
            let errors = progress.bit_errors.iter().sum();
            format!("{} bit errors", format::thousands(errors))
        }
    };
    format!(
        "link time {}, {state}, {} cycles/s",
        format::time(progress.time_ns),
        format::per_second(speed)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_tells_link_time() {
        let mut progress = Progress {
            cycles: 1_000_000,
            time_ns: 2_285_714.0,
            link_up_ns: None,
            packets: [10, 20],
            total: [40, 20],
            bit_errors: [3, 4],
        };
        let second = Duration::from_secs(1);
        assert_eq!(
            message(&progress, second),
            "link time 2.286 ms, waiting for link-up, 1.00 M cycles/s"
        );
        progress.link_up_ns = Some(1.0);
        assert_eq!(
            message(&progress, second),
            "link time 2.286 ms, 7 bit errors, 1.00 M cycles/s"
        );
        assert_eq!(share(&progress), 0.5);
    }
}
