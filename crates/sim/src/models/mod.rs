// SPDX-License-Identifier: Apache-2.0
//! Verilated models, built when they are first asked for.
//!
//! A model is one top module with its parameters, compiled to a shared library and loaded. It is
//! kept in `build/sim/<core>-<fingerprint>/<name>.so` of the repository, where the fingerprint
//! covers the RTL of the core, the shims, Verilator, the compiler and the processor: debug, release
//! and test programs share it, and it is made again only when one of these changed.
//!
//! The repository is the one that this crate was compiled in.
//!
//! * `ROPEWALK_ROOT`: another checkout to take the RTL from and to build in.
//! * `VERILATOR`: the program to use instead of `.tools/verilator/bin/verilator`.
//! * `CXX`: the C++ compiler to use instead of `g++`.
//!
//! Traced models are separate: code for a trace that nobody asked for cost up to 3 % of the speed
//! at frame width 256 and 12 % at 512 when measured. They are compiled with less optimisation, as
//! writing the trace takes most of the time of a traced run.

mod build;
mod instance;
mod runtime;
mod tools;

use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::SimError;
pub(crate) use instance::{Instance, Ports, RawModel};
pub(crate) use runtime::{Context, Runtime, Trace};
use tools::Tools;

/// What a build is doing, told some ten times a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Building {
    /// Another thread or process builds the same model.
    Waiting,
    /// RTL to C++.
    Verilating,
    /// C++ to a shared library.
    Compiling,
}

/// A model to build.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Recipe {
    /// Name of the files and of the generated class: letters, digits, underscores.
    pub name: String,
    /// Folder in `cores` that holds the top module.
    pub core: &'static str,
    /// Top module.
    pub top: &'static str,
    /// Its parameters.
    pub parameters: Vec<(&'static str, u64)>,
    /// File in `crates/sim/cpp` that defines [`SYMBOL`] for a generated class.
    pub shim: &'static str,
    /// Received words, which the shim wants to know when it reads them combinationally.
    pub received: &'static str,
    /// With trace code.
    pub traced: bool,
    /// For runs that are shorter than the time to optimise for them.
    pub brief: bool,
}

/// The symbol that every library of a model exports: the table of its functions.
pub(crate) const SYMBOL: &str = "ropewalk_model";

/// Address of a table of functions, which stays loaded until the program ends.
#[derive(Debug, Clone, Copy)]
struct Loaded(*const c_void);

// SAFETY: the address of an immutable object in a library that is never unloaded.
unsafe impl Send for Loaded {}

type Cache = HashMap<Recipe, Loaded>;

fn cache() -> &'static Mutex<Cache> {
    static CACHE: OnceLock<Mutex<Cache>> = OnceLock::new();
    CACHE.get_or_init(Mutex::default)
}

/// The table of functions of a model, built and loaded if it has not been; valid until the program
/// ends.
///
/// `tell` is called while this builds or waits; when it unwinds, the build stops and leaves nothing
/// behind.
///
/// # Errors
/// The repository, Verilator or the compiler is missing, or one of them refuses the model.
fn table(recipe: &Recipe, tell: &mut dyn FnMut(Building)) -> Result<*const c_void, SimError> {
    let known = |cache: &Cache| cache.get(recipe).map(|loaded| loaded.0);
    if let Some(found) = known(&cache().lock()) {
        return Ok(found);
    }
    let tools = Tools::find()?;
    let path = build::library(tools, recipe, tell)?;
    let table = load(&path)?;
    let mut cache = cache().lock();
    Ok(cache.entry(recipe.clone()).or_insert(Loaded(table)).0)
}

/// The checkout whose RTL is simulated.
///
/// # Errors
/// There is none.
pub fn checkout() -> Result<PathBuf, SimError> {
    tools::root()
}

/// The RTL of a core and of everything that it depends on, in the order of compilation.
///
/// # Errors
/// The repository or a tool is missing, or there is no such core.
pub fn sources(core: &str) -> Result<Vec<PathBuf>, SimError> {
    let tools = Tools::find()?;
    let files = tools.rtl(core)?;
    Ok(files.iter().map(|file| tools.root.join(file)).collect())
}

fn load(path: &Path) -> Result<*const c_void, SimError> {
    let fail = |error: libloading::Error| {
        // The text of the system may have several lines.
        let text = error.to_string().replace('\n', " ");
        SimError::Build(format!("cannot load {}: {text}", path.display()))
    };
    // SAFETY: the library is one of ours; what its initialisers do is set up Verilator's run time.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(fail)?;
    // SAFETY: only the address is taken; the caller knows what stands there.
    let address = unsafe { library.get::<*const c_void>(SYMBOL) }
        .map_err(fail)?
        .as_raw_ptr();
    // Models keep pointers into it, and so does the C++ run time: it stays.
    std::mem::forget(library);
    Ok(address.cast_const())
}
