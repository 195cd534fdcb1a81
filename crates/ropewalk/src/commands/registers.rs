// SPDX-License-Identifier: Apache-2.0
//! `ropewalk stat registers`: the registers of any core by their names, on a mapped bus.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::stop::{stop_on_signal, stopped};
use ropewalk_console::table::{Style, Table};
use ropewalk_io::registers::Registers;
use ropewalk_wire::regs::{Access, Field, Map, Register, Write};
use ropewalk_wire::{htsp, pcs, rdma, rifl, slink, switch, traffic};
use serde::Serialize;
use serde_json::Value;

use crate::cli::{Set, StatRegisters};

/// Every map that is known.
const MAPS: [&Map; 7] = [
    &htsp::regs::MAP,
    &pcs::regs::MAP,
    &rdma::regs::MAP,
    &rifl::regs::MAP,
    &slink::regs::MAP,
    &switch::regs::MAP,
    &traffic::regs::MAP,
];
/// Bytes in which every map says which one it is.
const HEAD: usize = 0x30;
/// Between two looks at the clock.
const LOOK: Duration = Duration::from_millis(20);

/// A core behind its registers.
struct Core {
    map: &'static Map,
    registers: Registers,
    /// Those that are shown, by name.
    shown: Vec<(String, Register)>,
}

/// The object that `--json` prints.
#[derive(Debug, Serialize)]
struct Summary {
    ok: bool,
    core: &'static str,
    base: u64,
    /// By register, then by field; null without an answer.
    registers: BTreeMap<String, Value>,
}

impl Core {
    fn open(options: &StatRegisters) -> Result<Self, Failure> {
        let (path, base) = (&options.file, options.base);
        let map = known(path, base)?;
        let open = match options.set.is_empty() {
            true => Registers::open,
            false => Registers::open_writable,
        };
        let registers =
            open(path, base, map.size as usize).map_err(|error| Failure::read(path, error))?;
        let wanted = |name: &str| {
            options.only.is_empty() || options.only.iter().any(|text| name.contains(text.as_str()))
        };
        let all = map.registers.iter().flat_map(Register::elements);
        let shown: Vec<_> = all
            .filter(|(name, register)| register.access != Access::WriteOnly && wanted(name))
            .collect();
        if shown.is_empty() {
            let text = options.only.join(", ");
            return Err(Failure::BadInput(format!(
                "--only {text}: no register of a {} core; accepted: parts of names such as {}",
                map.name,
                names(map.registers)
            )));
        }
        Ok(Self {
            map,
            registers,
            shown,
        })
    }

    /// What is shown now; none where nothing has answered.
    fn look(&self) -> Vec<Option<u64>> {
        let value = |register: &Register| {
            let value = read(&self.registers, register);
            (value != u64::MAX).then_some(value)
        };
        self.shown
            .iter()
            .map(|(_, register)| value(register))
            .collect()
    }

    fn set(&self, set: &Set) -> Result<(), Failure> {
        let refuse = |text: String| {
            Failure::BadInput(format!(
                "--set {}.{}={}: {text}",
                set.register, set.field, set.value
            ))
        };
        let all = self.map.registers.iter().flat_map(Register::elements);
        let all: Vec<_> = all.collect();
        let (_, register) = all
            .iter()
            .find(|(name, _)| *name == set.register)
            .ok_or_else(|| {
                let writable = self
                    .map
                    .registers
                    .iter()
                    .filter(|it| writable(it).next().is_some());
                let writable: Vec<Register> = writable.copied().collect();
                refuse(format!("no such register; accepted: {}", names(&writable)))
            })?;
        let field = writable(register).find(|field| field.name == set.field);
        let field = field.ok_or_else(|| {
            let accepted: Vec<_> = writable(register).map(|field| field.name).collect();
            refuse(match accepted.as_slice() {
                [] => "the register can only be read".to_owned(),
                names => format!("accepted fields: {}", names.join(", ")),
            })
        })?;
        let value = number(field, &set.value).map_err(refuse)?;
        let kept = match register.access {
            Access::WriteOnly => 0,
            _ => read(&self.registers, register),
        };
        let mask: u64 = (register.fields.iter())
            .filter(|field| field.write == Write::Kept)
            .map(Field::mask)
            .sum();
        let word = field
            .set(kept & mask, value)
            .map_err(|error| refuse(error.to_string()))?;
        for part in 0..register.width / 32 {
            self.registers
                .write32(register.offset + 4 * part, (word >> (32 * part)) as u32);
        }
        Ok(())
    }
}

/// The map of the core at this place.
pub fn known(path: &Path, base: u64) -> Result<&'static Map, Failure> {
    let head = Registers::open(path, base, HEAD).map_err(|error| Failure::read(path, error))?;
    let place = format!("{} at {base:#x}", path.display());
    let identity = |map: &Map, name| {
        let register = map.register(name).expect("every map has magic and version");
        (register, u64::from(head.read32(register.offset)))
    };
    let is_this = |map: &&Map| {
        let (register, magic) = identity(map, "magic");
        magic == register.reset()
    };
    let map = MAPS.into_iter().find(is_this).ok_or_else(|| {
        let accepted = MAPS.map(|map| map.name).join(", ");
        let word = head.read32(0);
        Failure::BadInput(format!(
            "{place}: no core that is known, its first word is {word:#x}; accepted: {accepted}"
        ))
    })?;
    let (register, version) = identity(map, "version");
    let major = register
        .fields
        .iter()
        .find(|field| field.name == "map_major");
    let major = major.expect("every map has its number");
    if major.get(version) != major.reset {
        return Err(Failure::BadInput(format!(
            "{place}: version {} of the registers of {}; accepted: {}",
            major.get(version),
            map.name,
            major.reset
        )));
    }
    Ok(map)
}

/// All of a register.
pub fn read(registers: &Registers, register: &Register) -> u64 {
    let word = |address| Ok::<u32, std::convert::Infallible>(registers.read32(address));
    register.read(word).unwrap_or_else(|never| match never {})
}

/// Fields that a write does something to.
fn writable(register: &Register) -> impl Iterator<Item = &'static Field> {
    register
        .fields
        .iter()
        .filter(|field| field.write != Write::Ignored)
}

/// Names of registers, for a message.
fn names(registers: &[Register]) -> String {
    let names: Vec<_> = registers.iter().map(|register| register.name).collect();
    names.join(", ")
}

/// A number, or the name of a value.
fn number(field: &Field, text: &str) -> Result<u64, String> {
    if let Some((value, _)) = field.names.iter().find(|(_, name)| *name == text) {
        return Ok(*value);
    }
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| {
        let named: Vec<_> = field.names.iter().map(|(_, name)| *name).collect();
        let named = match named.is_empty() {
            true => String::new(),
            false => format!(", {}", named.join(", ")),
        };
        format!("accepted: 0 to {}{named}", field.largest())
    })
}

/// Runs the subcommand.
///
/// # Errors
/// The file cannot be mapped or is no core that is known here; bad names or values.
pub fn execute(options: &StatRegisters) -> Result<u8, Failure> {
    let core = Core::open(options)?;
    for set in &options.set {
        core.set(set)?;
    }
    let now = core.look();
    let ok = now.iter().all(Option::is_some);
    if options.json {
        let by_name = core.shown.iter().zip(&now);
        let registers = by_name
            .map(|((name, register), value)| (name.clone(), as_json(register, *value)))
            .collect();
        let summary = Summary {
            ok,
            core: core.map.name,
            base: options.base,
            registers,
        };
        json::write(&mut std::io::stdout(), "stat registers", &summary)?;
        return Ok(u8::from(!ok));
    }
    let style = Style::new(format::colour_wanted(&std::io::stdout()));
    let place = format!("{:#x} of {}", options.base, options.file.display());
    let head = style.heading(&format!("{} core", core.map.name), &[place]);
    write!(
        std::io::stdout(),
        "{head}\n{}",
        whole(&core, &now).render(style)
    )?;
    match options.every {
        Some(every) => follow(&core, now, every, style),
        None => Ok(u8::from(!ok)),
    }
}

fn as_json(register: &Register, value: Option<u64>) -> Value {
    let Some(value) = value else {
        return Value::Null;
    };
    let of = |field: &Field| {
        let bits = field.get(value);
        let shown = field.name_of(bits).map_or_else(|| bits.into(), Value::from);
        (field.name.to_owned(), shown)
    };
    Value::Object(register.fields.iter().map(of).collect())
}

/// All fields.
fn whole(core: &Core, now: &[Option<u64>]) -> Table {
    let mut table = Table::new(["register", "field", "value", "hex"]);
    for ((name, register), value) in core.shown.iter().zip(now) {
        let Some(value) = value else {
            table.row([name, "", "no answer", ""]);
            continue;
        };
        for (at, field) in register.fields.iter().enumerate() {
            let bits = field.get(*value);
            let name = if at == 0 { name } else { "" };
            let shown = field
                .name_of(bits)
                .map_or_else(|| format::thousands(bits), str::to_owned);
            table.row([name, field.name, &shown, &format!("{bits:x}")]);
        }
    }
    table
}

/// Shows what changes, until interrupted.
fn follow(
    core: &Core,
    mut before: Vec<Option<u64>>,
    every: Duration,
    style: Style,
) -> Result<u8, Failure> {
    stop_on_signal();
    let mut shown = Instant::now();
    while !stopped() {
        std::thread::sleep(LOOK.min(every));
        let elapsed = shown.elapsed();
        if elapsed < every {
            continue;
        }
        (shown, before) = {
            let (at, now) = (Instant::now(), core.look());
            let text = changes(core, &before, &now, elapsed).render(style);
            write!(std::io::stdout(), "\n{text}")?;
            (at, now)
        };
    }
    Ok(0)
}

/// Fields that have changed, and how fast those of many bits grow.
fn changes(core: &Core, before: &[Option<u64>], now: &[Option<u64>], elapsed: Duration) -> Table {
    let mut table = Table::new(["register", "field", "value", "change", "a second"]);
    let text = |field: &Field, value: Option<u64>| {
        let bits = field.get(value?);
        Some(
            field
                .name_of(bits)
                .map_or_else(|| format::thousands(bits), str::to_owned),
        )
    };
    for (at, (name, register)) in core.shown.iter().enumerate() {
        let (old, new) = (before[at], now[at]);
        for field in register.fields {
            let value = text(field, new);
            if text(field, old) == value {
                continue;
            }
            let grown = match (old, new) {
                (Some(old), Some(new)) if field.width >= 16 => {
                    Some(field.get(new).wrapping_sub(field.get(old)) & field.largest())
                }
                _ => None,
            };
            let per_second = |count: u64| format::per_second(count as f64 / elapsed.as_secs_f64());
            table.row([
                name.clone(),
                field.name.to_owned(),
                value.unwrap_or_else(|| "no answer".to_owned()),
                grown.map(format::thousands).unwrap_or_default(),
                grown.map(per_second).unwrap_or_default(),
            ]);
        }
    }
    table
}
