// SPDX-License-Identifier: Apache-2.0
//! The repository, Verilator and the C++ compiler that models are built with.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::Recipe;
use crate::SimError;

/// Everything that a build needs, and its fingerprints.
#[derive(Debug)]
pub(super) struct Tools {
    pub root: PathBuf,
    pub verilator: PathBuf,
    /// Verilator's C++ headers and run time.
    pub include: PathBuf,
    pub compiler: OsString,
    /// Tells compilers and processor apart.
    pub tools_fingerprint: String,
    /// The same with the shims.
    shims: DefaultHasher,
}

type Result<T> = std::result::Result<T, SimError>;

fn missing<T>(message: String) -> Result<T> {
    Err(SimError::Toolchain(message))
}

impl Tools {
    /// Looks for everything, once in the life of the program unless something is missing.
    pub(super) fn find() -> Result<&'static Self> {
        static TOOLS: OnceLock<Tools> = OnceLock::new();
        if let Some(tools) = TOOLS.get() {
            return Ok(tools);
        }
        let tools = Self::look()?;
        Ok(TOOLS.get_or_init(|| tools))
    }

    fn look() -> Result<Self> {
        let root = root()?;
        let verilator = match std::env::var_os("VERILATOR") {
            Some(program) => PathBuf::from(program),
            None => root.join(".tools/verilator/bin/verilator"),
        };
        let include = include(&verilator)?;
        let compiler = std::env::var_os("CXX").unwrap_or_else(|| "g++".into());
        let mut hasher = DefaultHasher::new();
        hash_compiler(&compiler, &mut hasher)?;
        let cpp = root.join("crates/sim/cpp");
        for file in [
            include.join("verilated_config.h"),
            include.join("verilated.cpp"),
            cpp.join("runtime.cpp"),
            cpp.join("runtime.h"),
        ] {
            hash_file(&file, &mut hasher)?;
        }
        // How it is built is part of what is built.
        include_str!("build.rs").hash(&mut hasher);
        cfg!(debug_assertions).hash(&mut hasher);
        let tools_fingerprint = format!("tools-{:016x}", hasher.finish());
        for extension in ["h", "inc"] {
            hash_folder(&cpp, extension, &mut hasher)?;
        }
        Ok(Self {
            shims: hasher,
            tools_fingerprint,
            root,
            verilator,
            include,
            compiler,
        })
    }

    /// Tells tools, shims and the RTL of a core apart.
    pub(super) fn fingerprint(&self, recipe: &Recipe) -> Result<String> {
        let mut hasher = self.shims.clone();
        for file in self.files(recipe)? {
            hash_file(&self.root.join(file), &mut hasher)?;
        }
        Ok(format!("{}-{:016x}", recipe.core, hasher.finish()))
    }

    /// The RTL of a core and of everything that it depends on, relative to the repository, as the
    /// core files list it; and the top module, where that is one of the core's testbenches.
    pub(super) fn files(&self, recipe: &Recipe) -> Result<Vec<String>> {
        let bench = format!("cores/{}/tb/{}.sv", recipe.core, recipe.top);
        let bench = self.root.join(&bench).is_file().then_some(bench);
        Ok(self.rtl(recipe.core)?.into_iter().chain(bench).collect())
    }

    /// The same of a core alone.
    pub(super) fn rtl(&self, core: &str) -> Result<Vec<String>> {
        // The Python of tools/setup.sh, or the one on PATH.
        let python = self.root.join(".venv/bin/python");
        let python = if python.is_file() {
            python
        } else {
            "python3".into()
        };
        let script = self.root.join("tools/filelist.py");
        let output = Command::new(&python)
            .arg(&script)
            .args(["--lib", core])
            .output();
        match output {
            Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout)
                .lines()
                .map(str::to_owned)
                .collect()),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                let reason = said.lines().last().unwrap_or("it said nothing");
                missing(format!(
                    "{} does not run: {reason}; run tools/setup.sh in the repository",
                    script.display()
                ))
            }
            Err(e) => missing(format!(
                "{} does not run: {e}; run tools/setup.sh in the repository",
                python.display()
            )),
        }
    }
}

/// The repository.
pub(super) fn root() -> Result<PathBuf> {
    let (root, hint) = match std::env::var_os("ROPEWALK_ROOT") {
        Some(root) => (PathBuf::from(root), "ROPEWALK_ROOT must name a checkout"),
        None => (
            PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")),
            "set ROPEWALK_ROOT to a checkout",
        ),
    };
    match root.canonicalize() {
        Ok(found) if found.join("cores/rifl/rtl").is_dir() => Ok(found),
        _ => missing(format!(
            "no Ropewalk repository at {}, whose RTL is to be simulated; {hint}",
            root.display()
        )),
    }
}

fn include(verilator: &Path) -> Result<PathBuf> {
    let said = Command::new(verilator)
        .args(["--getenv", "VERILATOR_ROOT"])
        .output()
        .ok()
        .filter(|output| output.status.success());
    let Some(said) = said else {
        return missing(format!(
            "{} does not run; run tools/setup.sh in the repository, or set VERILATOR",
            verilator.display()
        ));
    };
    let include = PathBuf::from(String::from_utf8_lossy(&said.stdout).trim()).join("include");
    if include.join("verilated.cpp").is_file() {
        Ok(include)
    } else {
        missing(format!(
            "{} has no {}; run tools/setup.sh in the repository",
            verilator.display(),
            include.join("verilated.cpp").display()
        ))
    }
}

/// The macros that the compiler predefines tell its version and the instructions of this processor.
fn hash_compiler(compiler: &OsString, hasher: &mut DefaultHasher) -> Result<()> {
    for flags in [
        &["-march=native", "-dM", "-E", "-x", "c++", "/dev/null"][..],
        &["--version"],
    ] {
        match Command::new(compiler).args(flags).output() {
            Ok(output) if output.status.success() => output.stdout.hash(hasher),
            _ => {
                return missing(format!(
                    "the C++ compiler {} does not run; install g++ or set CXX",
                    Path::new(compiler).display()
                ));
            }
        }
    }
    Ok(())
}

fn hash_file(file: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    file.hash(hasher);
    match fs::read(file) {
        Ok(bytes) => bytes.hash(hasher),
        Err(e) => return missing(format!("cannot read {}: {e}", file.display())),
    }
    Ok(())
}

fn hash_folder(folder: &Path, extension: &str, hasher: &mut DefaultHasher) -> Result<()> {
    for file in sorted_files(folder, extension)? {
        hash_file(&file, hasher)?;
    }
    Ok(())
}

/// The files of a folder with one extension.
pub(super) fn sorted_files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) => return missing(format!("cannot read {}: {e}", folder.display())),
    };
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    Ok(files)
}
