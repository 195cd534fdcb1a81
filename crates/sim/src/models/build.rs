// SPDX-License-Identifier: Apache-2.0
//! From RTL to a shared library.
//!
//! Whoever builds a file holds the lock of that file (`<file>.lock`), builds in `<file>.work` and
//! renames the result: others wait and find it whole. A folder that an interrupted build left is
//! removed by the next one, and the operating system releases the lock of a program that died.

use std::fmt::Write as _;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::tools::{Tools, sorted_files};
use super::{Building, Recipe};
use crate::SimError;

const VERILATE: &[&str] = &[
    "--cc",
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "--noassert",
    "--no-timing",
    "-Wno-fatal",
    "--quiet-stats",
];

/// Flags of every compilation. Nothing but the table of functions is to be visible from outside, so
/// that two models in one program share nothing and calls inside a library are direct. A later
/// standard has more templates in its headers, which take a second of each compilation.
const FLAGS: &[&str] = &[
    "-std=gnu++14",
    "-w",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-gnu-unique",
    "-faligned-new",
    "-DVM_TRACE=1",
    "-DVM_TRACE_FST=1",
];
/// As the program that loads it: tests build many models and run each of them briefly; `-O1` takes
/// a third less of the compiler's time, and costs less than a tenth of the model's speed.
const FAST: &[&str] = if cfg!(debug_assertions) {
    &["-O1", "-march=native"]
} else {
    &["-O3", "-march=native"]
};
const TRACED: &[&str] = &["-O1"];
/// What runs once, at the start of a model, is half of the text of many: it is not optimised.
const COLD: &str = "#include \"verilated.h\"\n#undef VL_ATTR_COLD\n\
                    #define VL_ATTR_COLD __attribute__((cold, optimize(\"O0\")))\n";
const BRIEF: &[&str] = &["-O0"];

/// Parts of Verilator's run time that every library contains.
const RUNTIME: [&str; 3] = [
    "verilated.cpp",
    "verilated_threads.cpp",
    "verilated_fst_c.cpp",
];

/// Most folders of fingerprints that are kept, the current one included.
const KEEP: usize = 4;

/// Time between two looks at a child process or a lock.
const POLL: Duration = Duration::from_millis(50);

type Result<T> = std::result::Result<T, SimError>;

fn failed<T>(message: String) -> Result<T> {
    Err(SimError::Build(message))
}

/// The library of a model; builds it when there is none.
pub(super) fn library(
    tools: &Tools,
    recipe: &Recipe,
    tell: &mut dyn FnMut(Building),
) -> Result<PathBuf> {
    let fingerprint = tools.fingerprint(recipe)?;
    let folder = tools.root.join("build/sim").join(fingerprint);
    let target = folder.join(format!("{}.so", recipe.name));
    made(&target, tell, |work, tell| {
        let unit = verilate(tools, recipe, work, tell)?;
        let runtime = runtime(tools, tell)?;
        let library = work.join("library.so");
        let exports = work.join("exports");
        let table = super::SYMBOL;
        write(&exports, &format!("{{ global: {table}; local: *; }};\n"))?;
        let optimise = match (recipe.traced, recipe.brief) {
            (true, _) => TRACED,
            (false, true) => BRIEF,
            (false, false) => FAST,
        };
        let mut command = compiler(tools);
        command
            .args(optimise)
            .arg("-shared")
            .arg(format!("-Wl,--version-script={}", exports.display()))
            .arg("-o")
            .arg(&library)
            .arg(unit)
            .arg(runtime)
            .args(["-lz", "-llz4", "-lpthread"]);
        wait(command, work, Building::Compiling, tell)?;
        Ok(library)
    })?;
    Ok(target)
}

/// Verilator's run time and our part of it as one object file; compiled once for all models.
fn runtime(tools: &Tools, tell: &mut dyn FnMut(Building)) -> Result<PathBuf> {
    let folder = tools.root.join("build/sim").join(&tools.tools_fingerprint);
    let target = folder.join("runtime.o");
    made(&target, tell, |work, tell| {
        let mut unit = String::new();
        for file in RUNTIME {
            let _ = writeln!(unit, "#include \"{}\"", tools.include.join(file).display());
        }
        let ours = tools.root.join("crates/sim/cpp/runtime.cpp");
        let _ = writeln!(unit, "#include \"{}\"", ours.display());
        let source = work.join("runtime.cpp");
        write(&source, &unit)?;
        let object = work.join("runtime.o");
        let mut command = compiler(tools);
        command
            .args(FAST)
            .arg("-c")
            .arg(&source)
            .arg("-o")
            .arg(&object);
        wait(command, work, Building::Compiling, tell)?;
        Ok(object)
    })?;
    Ok(target)
}

/// Makes a file, unless it is there: `make` is given an empty folder and tells which file in it is
/// the result.
fn made(
    target: &Path,
    tell: &mut dyn FnMut(Building),
    make: impl FnOnce(&Path, &mut dyn FnMut(Building)) -> Result<PathBuf>,
) -> Result<()> {
    if target.is_file() {
        return Ok(());
    }
    let folder = target.parent().unwrap_or(Path::new("."));
    if let Err(e) = fs::create_dir_all(folder) {
        return failed(format!("cannot make {}: {e}", folder.display()));
    }
    let _lock = lock(&target.with_extension("lock"), tell)?;
    if target.is_file() {
        return Ok(());
    }
    let work = Work::new(target.with_extension("work"))?;
    let result = make(&work.0, tell)?;
    if let Err(e) = fs::rename(&result, target) {
        return failed(format!("cannot make {}: {e}", target.display()));
    }
    forget_old(folder);
    Ok(())
}

/// The folder of a build; removed in the end.
struct Work(PathBuf);

impl Work {
    fn new(path: PathBuf) -> Result<Self> {
        let _ = fs::remove_dir_all(&path);
        match fs::create_dir(&path) {
            Ok(()) => Ok(Self(path)),
            Err(e) => failed(format!("cannot make {}: {e}", path.display())),
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Waits for a lock, which is released when the file is closed.
fn lock(path: &Path, tell: &mut dyn FnMut(Building)) -> Result<File> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path);
    let file = match file {
        Ok(file) => file,
        Err(e) => return failed(format!("cannot write {}: {e}", path.display())),
    };
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {
                tell(Building::Waiting);
                sleep(POLL);
            }
            Err(TryLockError::Error(e)) => {
                return failed(format!("cannot lock {}: {e}", path.display()));
            }
        }
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    match fs::write(path, text) {
        Ok(()) => Ok(()),
        Err(e) => failed(format!("cannot write {}: {e}", path.display())),
    }
}

fn compiler(tools: &Tools) -> Command {
    let mut command = Command::new(&tools.compiler);
    command
        .args(FLAGS)
        .arg("-I")
        .arg(&tools.include)
        .arg("-I")
        .arg(tools.include.join("vltstd"))
        .arg("-I")
        .arg(tools.root.join("crates/sim/cpp"));
    command
}

/// A child process that does not outlive us.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a command to its end. What it says goes to a file in `work`; the first line with an error
/// is shown.
fn wait(
    mut command: Command,
    work: &Path,
    step: Building,
    tell: &mut dyn FnMut(Building),
) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let log = work.join("log");
    let open = || -> std::io::Result<(File, File)> {
        let file = File::create(&log)?;
        Ok((file.try_clone()?, file))
    };
    let (out, err) = match open() {
        Ok(files) => files,
        Err(e) => return failed(format!("cannot write {}: {e}", log.display())),
    };
    command.stdin(Stdio::null()).stdout(out).stderr(err);
    let mut child = match command.spawn() {
        Ok(child) => Running(child),
        Err(e) => return failed(format!("{program} does not run: {e}")),
    };
    let status = loop {
        tell(step);
        match child.0.try_wait() {
            Ok(None) => sleep(POLL),
            Ok(Some(status)) => break status,
            Err(e) => return failed(format!("{program} is lost: {e}")),
        }
    };
    if status.success() {
        return Ok(());
    }
    let said = fs::read_to_string(&log).unwrap_or_default();
    let lowered = |line: &&str| line.to_lowercase().contains("error");
    let line = said.lines().find(lowered).or(said.lines().next());
    failed(format!(
        "{program} ended with {status}: {}",
        line.unwrap_or("it said nothing").trim()
    ))
}

/// Verilates a model and writes the translation unit that holds it and its shim.
fn verilate(
    tools: &Tools,
    recipe: &Recipe,
    work: &Path,
    tell: &mut dyn FnMut(Building),
) -> Result<PathBuf> {
    let class = format!("V{}", recipe.name);
    let generated = work.join("generated");
    let mut command = Command::new(&tools.verilator);
    command
        .current_dir(&tools.root)
        .args(VERILATE)
        .args(["--top-module", recipe.top, "--prefix", &class, "--Mdir"])
        .arg(&generated);
    for (name, value) in &recipe.parameters {
        command.arg(format!("-G{name}={value}"));
    }
    if recipe.traced {
        command.arg("--trace-fst");
    }
    command.args(tools.files(recipe)?);
    wait(command, work, Building::Verilating, tell)?;

    // One unit: the compiler then sees the whole model.
    let mut code = String::new();
    let mut unit = COLD.to_owned();
    for file in sorted_files(&generated, "cpp")? {
        code += &match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(e) => return failed(format!("cannot read {}: {e}", file.display())),
        };
        let _ = writeln!(unit, "#include \"{}\"", file.display());
    }
    let split = !recipe.traced
        && ["ico", "act", "nba"]
            .iter()
            .all(|phase| code.contains(&format!("{class}___024root___eval_phase__{phase}(")));
    let slice = slice_on(&code, recipe.received);
    let _ = writeln!(unit, "#define MODEL {class}");
    let _ = writeln!(unit, "#define MODEL_TABLE {}", super::SYMBOL);
    let _ = writeln!(unit, "#define ROOT_FN(f) {class}___024root___##f");
    let _ = writeln!(unit, "#define SPLIT_EVAL {}", u8::from(split));
    let _ = writeln!(unit, "#define RX_SETTLES {}", u8::from(slice.is_none()));
    let _ = writeln!(
        unit,
        "static inline void settle_rx({class}___024root* vlSelf) {{\nauto& vlSelfRef = *vlSelf;\n(void)vlSelfRef;\n{}}}",
        slice.unwrap_or_default()
    );
    let _ = writeln!(unit, "#include \"{}\"", recipe.shim);
    let path = work.join("model.cpp");
    write(&path, &unit)?;
    Ok(path)
}

/// The statements of the input-combinational phase that depend on `port`, in their order: what has
/// to be evaluated again when nothing else has changed. Empty when there are none; `None` when one
/// of them is not a plain assignment to a signal, so that everything has to be evaluated.
fn slice_on(code: &str, port: &str) -> Option<String> {
    let mut slice = String::new();
    let mut changed = vec![port.to_owned()];
    let mut inside = false;
    let mut statement = String::new();
    for line in code.lines() {
        if line.starts_with('}') {
            inside = false;
        } else if line.contains("___ico_") && line.ends_with('{') {
            inside = true;
            statement.clear();
        } else if inside {
            statement += line;
            statement.push('\n');
            if !line.ends_with(';') && !line.ends_with('{') && !line.ends_with('}') {
                continue;
            }
            let text = std::mem::take(&mut statement);
            if !changed.iter().any(|name| mentions(&text, name)) {
                continue;
            }
            let target = text
                .trim_start()
                .strip_prefix("vlSelfRef.")
                .and_then(|rest| rest.split_once([' ', '\n']))
                .filter(|(name, rest)| is_name(name) && rest.trim_start().starts_with("= "));
            changed.push(target?.0.to_owned());
            slice += &text;
        }
    }
    Some(slice)
}

fn is_name(text: &str) -> bool {
    text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}

/// Whether a name occurs in a text, and not as a part of a longer one.
fn mentions(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let joins = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !text[..at].ends_with(joins) && !text[at + name.len()..].starts_with(joins)
    })
}

/// Removes the folders of all but the newest fingerprints, never `current`.
fn forget_old(current: &Path) {
    let Some(entries) = current.parent().and_then(|cache| fs::read_dir(cache).ok()) else {
        return;
    };
    // Folders of tools and of each core are of different kinds, each of which has its own newest.
    let kind = |path: &Path| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        name.rsplit_once('-').map(|(kind, _)| kind.to_owned())
    };
    let mut folders: Vec<_> = entries
        .flatten()
        .filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path())))
        .filter(|(_, path)| path != current && kind(path) == kind(current))
        .collect();
    folders.sort();
    let surplus = (folders.len() + 1).saturating_sub(KEEP);
    for (_, folder) in folders.into_iter().take(surplus) {
        let _ = fs::remove_dir_all(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_depends_on_a_port_is_found() {
        let code = "void V___ico_sequent__TOP__0(V* vlSelf) {\n    // Body\n    vlSelfRef.other = vlSelfRef.in_x;\n    \
                    vlSelfRef.a\n        = (1U & vlSelfRef.in);\n    vlSelfRef.c = vlSelfRef.other;\n    vlSelfRef.b = \
                    vlSelfRef.a;\n}\n";
        let slice = slice_on(code, "in").unwrap();
        assert_eq!(
            slice.split_whitespace().collect::<Vec<_>>().join(" "),
            "vlSelfRef.a = (1U & vlSelfRef.in); vlSelfRef.b = vlSelfRef.a;"
        );
        assert_eq!(slice_on(code, "absent").as_deref(), Some(""));
        // Something else than an assignment: all or nothing.
        let branch = code.replace(
            "    vlSelfRef.b",
            "    if (vlSelfRef.a) {\n    }\n    vlSelfRef.b",
        );
        assert_eq!(slice_on(&branch, "in"), None);
        assert_eq!(
            slice_on(&code.replace("vlSelfRef.b =", "__Vtemp_1 ="), "in"),
            None
        );
    }
}
