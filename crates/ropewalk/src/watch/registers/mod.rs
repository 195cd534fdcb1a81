// SPDX-License-Identifier: Apache-2.0
//! `ropewalk watch registers`: the end of a link, its PCS, an RDMA engine, a switch, or a player
//! with its capture, by the registers of the core, on a live page.
//!
//! Between two looks much can happen; what counters say of it becomes an event.

mod htsp;
mod pcs;
mod rdma;
mod rifl;
mod slink;
mod switch;
mod traffic;

use std::path::Path;

use ropewalk_console::failure::Failure;
use ropewalk_console::stop::{stop_on_signal, stopped};
use ropewalk_io::registers::Registers;
use ropewalk_watch::{Reason, State};
use ropewalk_wire::regs::{Map, Register};

use super::{EVERY, Page};
use crate::cli::WatchRegisters;
use crate::commands::registers::{known, read};

/// A core behind its registers.
struct Block {
    registers: Registers,
    map: &'static Map,
}

impl Block {
    fn open(path: &Path, base: u64) -> Result<Self, Failure> {
        let map = known(path, base)?;
        let registers = Registers::open(path, base, map.size as usize)
            .map_err(|error| Failure::read(path, error))?;
        Ok(Self { registers, map })
    }

    fn get(&self, register: &Register) -> u64 {
        read(&self.registers, register)
    }

    /// Why the core says nothing, if it does not: `observed` is never all ones while it answers.
    fn no_answer(&self, observed: &Register) -> Option<Reason> {
        let magic = self.map.register("magic");
        if magic.is_some_and(|magic| self.get(magic) != magic.reset()) {
            let text = "the core does not answer any more: it is gone, or without power";
            return Some(Reason::new("core_gone", text));
        }
        (self.get(observed) == u64::MAX).then(|| {
            let name = self.map.name;
            let text = format!(
                "the clock of the {name} core stands still, and its counters cannot be read"
            );
            Reason::new("clock_stopped", text)
        })
    }
}

/// A core and its page.
trait Watched {
    /// The core, and a register of it that is never all ones while its clock runs.
    fn core(&self) -> (&Block, &'static Register);

    fn page(&mut self) -> &mut Page;

    /// Reads everything, and gives the state of that moment.
    fn read(&mut self, time_s: f64) -> State;

    /// The state of this moment.
    fn now(&mut self) -> State {
        let time_s = self.page().time_s();
        let (core, observed) = self.core();
        match core.no_answer(observed) {
            Some(reason) => {
                self.page().follow(time_s, Some(reason));
                self.page().state(time_s)
            }
            None => self.read(time_s),
        }
    }
}

/// What a page shows first.
fn titled(core: &str, options: &WatchRegisters, facts: Vec<String>) -> State {
    let place = format!("{:#x} of {}", options.base, options.file.display());
    State {
        facts,
        ..State::new(format!("{core} core at {place}"))
    }
}

fn open(options: &WatchRegisters) -> Result<Box<dyn Watched>, Failure> {
    let core = Block::open(&options.file, options.base)?;
    let alone = |flag: &str, of: &str| {
        Failure::BadInput(format!(
            "{flag}: the core at {:#x} is of {}; accepted with a core of {of}",
            options.base, core.map.name
        ))
    };
    match core.map.name {
        name if name != "htsp" && options.pcs.is_some() => Err(alone("--pcs", "htsp")),
        name if name != "rifl" && options.line_rate.is_some() => Err(alone("--line-rate", "rifl")),
        "rifl" => Ok(Box::new(rifl::Watched::open(core, options)?)),
        "htsp" => Ok(Box::new(htsp::Watched::open(core, options)?)),
        "slink" => Ok(Box::new(slink::Watched::open(core, options)?)),
        "rdma" => Ok(Box::new(rdma::Watched::open(core, options)?)),
        "switch" => Ok(Box::new(switch::Watched::open(core, options)?)),
        "pcs" => Ok(Box::new(pcs::Watched::open(core, options)?)),
        "traffic" => Ok(Box::new(traffic::Watched::open(core, options)?)),
        name => Err(Failure::BadInput(format!(
            "{} at {:#x}: a {name} core has no page; `ropewalk stat registers` shows it",
            options.file.display(),
            options.base
        ))),
    }
}

/// Runs the subcommand until it is interrupted.
///
/// # Errors
/// The file cannot be mapped or is no core that is watched, or the address cannot be listened at.
pub(crate) fn execute(options: &WatchRegisters) -> Result<u8, Failure> {
    stop_on_signal();
    let mut watched = open(options)?;
    while !stopped() {
        let now = watched.now();
        watched.page().publish(now);
        std::thread::sleep(EVERY);
    }
    Err(Failure::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropewalk_wire::{htsp, rifl};
    use std::fs::File;
    use std::os::unix::fs::FileExt;

    /// Where cores begin in an image, and their PCS.
    pub const BASE: u64 = 0x100;
    pub const PCS: u64 = 0x2100;

    /// Registers of a core in an ordinary file.
    pub struct Image(pub File);

    impl Image {
        pub fn new(path: &Path, map: &Map) -> Self {
            let image = Self(File::create(path).expect("made"));
            image.0.set_len(0x4000).expect("set");
            image.head(BASE, map);
            image
        }

        /// What says which core it is.
        pub fn head(&self, base: u64, map: &Map) {
            for name in ["magic", "version"] {
                let register = map.register(name).expect("it has them");
                self.set(base, register, register.reset());
            }
        }

        pub fn set(&self, base: u64, register: &Register, value: u64) {
            let bytes = value.to_le_bytes();
            let bytes = &bytes[..register.width as usize / 8];
            let place = base + u64::from(register.offset);
            self.0.write_all_at(bytes, place).expect("written");
        }
    }

    pub fn options(path: &Path) -> WatchRegisters {
        WatchRegisters {
            file: path.to_owned(),
            base: BASE,
            pcs: None,
            line_rate: None,
            listen: ([127, 0, 0, 1], 0).into(),
        }
    }

    /// The state of a moment with what happened, which has to name a reason by its code, if one is
    /// given.
    pub fn looked(watched: &mut impl Watched, code: &str) -> State {
        let now = watched.now().with(&watched.page().timeline);
        assert!(code.is_empty() || now.names(code), "{code}: {now:?}");
        now
    }

    #[test]
    fn what_is_no_core_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("resource0");
        let refused = |options: &WatchRegisters| match open(options) {
            Ok(_) => panic!("accepted"),
            Err(failure) => failure.to_string(),
        };
        assert!(refused(&options(&path)).contains("no such file"));
        let image = Image::new(&path, &rifl::regs::MAP);
        let with = |pcs, line_rate| WatchRegisters {
            pcs,
            line_rate,
            ..options(&path)
        };
        assert!(refused(&with(Some(PCS), None)).contains("accepted with a core of htsp"));
        image.set(BASE, &rifl::regs::VERSION, 3 << 24);
        assert!(refused(&options(&path)).contains("version 3 of the registers of rifl"));
        image.head(BASE, &htsp::regs::MAP);
        assert!(refused(&with(None, Some(1e9))).contains("accepted with a core of rifl"));
        let no_pcs = refused(&with(Some(PCS), None));
        assert!(
            no_pcs.contains("at 0x2100: no core that is known"),
            "{no_pcs}"
        );
        image.head(PCS, &rifl::regs::MAP);
        let no_pcs = refused(&with(Some(PCS), None));
        assert!(no_pcs.contains("a rifl core; accepted: a pcs"), "{no_pcs}");
        image.set(BASE, &rifl::regs::MAGIC, 5);
        assert!(refused(&options(&path)).contains("its first word is 0x5"));
        let beyond = WatchRegisters {
            base: 0x3fe0,
            ..options(&path)
        };
        assert!(
            refused(&beyond).contains("within its"),
            "{}",
            refused(&beyond)
        );
    }
}
