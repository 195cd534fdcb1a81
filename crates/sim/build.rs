// SPDX-License-Identifier: Apache-2.0
//! Verilates `rifl_link` for every frame width and id width, plain and with trace code, and compiles all of it.
//!
//! Traced models are separate: code for a trace that nobody asked for cost up to 3 % of the speed at frame width
//! 256 and 12 % at 512 when measured. They are compiled with less optimisation, as writing the trace takes most of
//! the time of a traced run.
//!
//! The result is kept in `build/sim/<hash>` of the workspace, where the hash covers the RTL, the shim, the
//! Verilator, the compiler and the processor: debug, release, test and lint builds share it, and it is made
//! again only when one of these changed.
//!
//! * `VERILATOR`: the program to use instead of `.tools/verilator/bin/verilator`.
//! * `ROPEWALK_MODELS`: comma-separated list such as `256x6,512x6`, to build fewer models while developing.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Libraries that `rifl_link` is built from; modules are found by file name.
const LIBRARIES: [&str; 4] = ["prim", "axis", "line", "rifl"];

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
    "--top-module",
    "rifl_link",
];

/// So many results of earlier builds are kept.
const KEEP: usize = 4;

type Result<T> = std::result::Result<T, String>;

fn main() {
    if let Err(message) = build() {
        eprintln!("ropewalk-sim: {message}");
        exit(1);
    }
}

fn build() -> Result<()> {
    let crate_dir =
        PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").ok_or("not run by cargo")?);
    let out_dir = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("not run by cargo")?);
    let root = crate_dir
        .join("../..")
        .canonicalize()
        .map_err(|e| format!("no workspace root: {e}"))?;
    println!("cargo:rerun-if-env-changed=VERILATOR");
    println!("cargo:rerun-if-env-changed=ROPEWALK_MODELS");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=cpp");
    for library in LIBRARIES {
        println!(
            "cargo:rerun-if-changed={}",
            root.join("cores").join(library).join("rtl").display()
        );
    }

    let verilator = match std::env::var_os("VERILATOR") {
        Some(path) => PathBuf::from(path),
        None => root.join(".tools/verilator/bin/verilator"),
    };
    println!("cargo:rerun-if-changed={}", verilator.display());
    let include = verilator_include(&verilator)?;
    let models = wanted_models()?;

    let cpp = crate_dir.join("cpp");
    let hash = fingerprint(&root, &crate_dir, &include, &models)?;
    let cache = root.join("build/sim");
    let kept = cache.join(&hash);
    if !kept.join("libropewalk_rtl.a").is_file() {
        fs::create_dir_all(&cache).map_err(|e| format!("cannot make {}: {e}", cache.display()))?;
        // Built aside and renamed: an interrupted or concurrent build never leaves half a library.
        let work = cache.join(format!("{hash}.{}", std::process::id()));
        let built = compile(&root, &verilator, &include, &cpp, &models, &work)
            .map(|()| leave_only_library(&work));
        let renamed = built.and_then(|()| match fs::rename(&work, &kept) {
            Err(e) if !kept.join("libropewalk_rtl.a").is_file() => {
                Err(format!("cannot rename {}: {e}", work.display()))
            }
            _ => Ok(()),
        });
        if work.exists() {
            let _ = fs::remove_dir_all(&work);
        }
        renamed?;
        forget_old(&cache);
    }

    fs::write(out_dir.join("models.rs"), table(&models))
        .map_err(|e| format!("cannot write models.rs: {e}"))?;
    // Run again when somebody removed the result. It is dated back, because Cargo would take a file that is younger
    // than the start of this program for a change.
    let library = kept.join("libropewalk_rtl.a");
    fs::File::options()
        .append(true)
        .open(&library)
        .and_then(|file| file.set_modified(std::time::SystemTime::UNIX_EPOCH))
        .map_err(|e| format!("cannot date {}: {e}", library.display()))?;
    println!("cargo:rerun-if-changed={}", library.display());
    println!("cargo:rustc-link-search=native={}", kept.display());
    println!("cargo:rustc-link-lib=static=ropewalk_rtl");
    for library in ["stdc++", "z", "lz4", "pthread"] {
        println!("cargo:rustc-link-lib={library}");
    }
    Ok(())
}

/// The models to build: the product of frame and id widths, or what `ROPEWALK_MODELS` lists.
fn wanted_models() -> Result<Vec<(u16, u8)>> {
    let all: Vec<(u16, u8)> = [256, 512]
        .into_iter()
        .flat_map(|f| (6..=12).map(move |i| (f, i)))
        .collect();
    let Ok(list) = std::env::var("ROPEWALK_MODELS") else {
        return Ok(all);
    };
    let mut models = Vec::new();
    for item in list.split(',').map(str::trim).filter(|s| !s.is_empty()) {
        let parsed = item
            .split_once('x')
            .and_then(|(f, i)| Some((f.parse().ok()?, i.parse().ok()?)));
        match parsed.filter(|m| all.contains(m)) {
            Some(model) => models.push(model),
            None => {
                return Err(format!(
                    "ROPEWALK_MODELS: \"{item}\" is not FRAMExID with 256 or 512 and 6 to 12"
                ));
            }
        }
    }
    models.sort_unstable();
    models.dedup();
    if models.is_empty() {
        Err("ROPEWALK_MODELS lists no model".into())
    } else {
        Ok(models)
    }
}

fn verilator_include(verilator: &Path) -> Result<PathBuf> {
    let absent = format!(
        "{} does not run; run `make build` or `tools/setup.sh` first",
        verilator.display()
    );
    let output = Command::new(verilator)
        .args(["--getenv", "VERILATOR_ROOT"])
        .output()
        .map_err(|_| absent.clone())?;
    if !output.status.success() {
        return Err(absent);
    }
    let include = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()).join("include");
    if include.join("verilated.cpp").is_file() {
        Ok(include)
    } else {
        Err(format!(
            "{} is not a Verilator include folder",
            include.display()
        ))
    }
}

fn sorted_files(dir: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir).map_err(|e| format!("cannot read {}: {e}", dir.display()))?;
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .collect();
    files.sort();
    Ok(files)
}

/// A name for everything that the result depends on.
fn fingerprint(
    root: &Path,
    crate_dir: &Path,
    include: &Path,
    models: &[(u16, u8)],
) -> Result<String> {
    let mut files = vec![
        crate_dir.join("build.rs"),
        include.join("verilated_config.h"),
        include.join("verilated.cpp"),
    ];
    for extension in ["h", "inc", "cpp"] {
        files.extend(sorted_files(&crate_dir.join("cpp"), extension)?);
    }
    for library in LIBRARIES {
        files.extend(sorted_files(
            &root.join("cores").join(library).join("rtl"),
            "sv",
        )?);
    }
    let mut hasher = DefaultHasher::new();
    models.hash(&mut hasher);
    for file in files {
        file.hash(&mut hasher);
        fs::read(&file)
            .map_err(|e| format!("cannot read {}: {e}", file.display()))?
            .hash(&mut hasher);
    }
    // The macros that the compiler predefines tell its version and the instructions of this processor.
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".into());
    for flags in [
        &["-march=native", "-dM", "-E", "-x", "c++", "/dev/null"][..],
        &["--version"],
    ] {
        let output = Command::new(&compiler)
            .args(flags)
            .output()
            .map_err(|e| format!("{compiler} does not run ({e}); install a C++ compiler"))?;
        output.stdout.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// Verilates and compiles all models into one library in `work`.
fn compile(
    root: &Path,
    verilator: &Path,
    include: &Path,
    cpp: &Path,
    models: &[(u16, u8)],
    work: &Path,
) -> Result<()> {
    let jobs: Vec<(u16, u8, bool)> = models
        .iter()
        .flat_map(|m| [(m.0, m.1, false), (m.0, m.1, true)])
        .collect();
    let next = AtomicUsize::new(0);
    let verilate_some = || -> Result<Vec<(bool, PathBuf)>> {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(&(frame, id, traced)) = jobs.get(index) else {
                return Ok(done);
            };
            done.push((
                traced,
                verilate(root, verilator, cpp, (frame, id), traced, work)?,
            ));
        }
    };
    let mut units = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(verilate_some)).collect();
        threads
            .into_iter()
            .try_fold(Vec::new(), |mut units, thread| {
                units.extend(
                    thread
                        .join()
                        .map_err(|_| "a build thread failed".to_string())??,
                );
                Ok::<_, String>(units)
            })
    })?;
    // The order decides where the linker puts the code.
    units.sort();

    let compiler = || {
        let mut cc = cc::Build::new();
        cc.cpp(true)
            .std("gnu++20")
            .debug(false)
            .warnings(false)
            .flag_if_supported("-faligned-new")
            .define("VM_TRACE", "1")
            .define("VM_TRACE_FST", "1")
            .include(include)
            .include(include.join("vltstd"))
            .include(cpp)
            .out_dir(work)
            .cargo_metadata(false);
        cc
    };
    let objects = |build: &mut cc::Build, traced: bool| -> Result<Vec<PathBuf>> {
        build.files(
            units
                .iter()
                .filter(|unit| unit.0 == traced)
                .map(|unit| &unit.1),
        );
        build.try_compile_intermediates().map_err(|_| {
            "the C++ compiler failed, see the warnings; needed: g++ with C++20, zlib1g-dev, liblz4-dev".into()
        })
    };
    let mut plain = compiler();
    plain.opt_level(3).flag_if_supported("-march=native");
    for file in [
        "verilated.cpp",
        "verilated_threads.cpp",
        "verilated_fst_c.cpp",
    ] {
        plain.file(include.join(file));
    }
    plain.file(cpp.join("runtime.cpp"));
    let mut all = objects(&mut plain, false)?;
    // Writing the trace takes most of the time of a traced run; the models need not be fast.
    let mut traced = compiler();
    traced.opt_level(1);
    all.extend(objects(&mut traced, true)?);
    let mut library = cc::Build::new();
    library.out_dir(work).cargo_metadata(false).objects(all);
    library
        .try_compile("ropewalk_rtl")
        .map_err(|e| format!("the archiver failed: {e}"))
}

fn name((frame, id): (u16, u8), traced: bool) -> String {
    format!("rifl_{frame}_{id}{}", if traced { "_traced" } else { "" })
}

/// Verilates one model and writes the translation unit that holds it and its shim.
fn verilate(
    root: &Path,
    verilator: &Path,
    cpp: &Path,
    model: (u16, u8),
    traced: bool,
    work: &Path,
) -> Result<PathBuf> {
    let name = name(model, traced);
    let class = format!("V{name}");
    let dir = work.join(&name);
    fs::create_dir_all(&dir).map_err(|e| format!("cannot make {}: {e}", dir.display()))?;
    let mut command = Command::new(verilator);
    command
        .current_dir(root)
        .args(VERILATE)
        .args(["--prefix", &class, "--Mdir"])
        .arg(&dir);
    command.args([
        format!("-GFrameWidth={}", model.0),
        format!("-GIdWidth={}", model.1),
    ]);
    if traced {
        command.arg("--trace-fst");
    }
    for library in LIBRARIES {
        command.arg("-y").arg(format!("cores/{library}/rtl"));
    }
    for package in sorted_files(&root.join("cores/rifl/rtl"), "sv")? {
        if package.to_string_lossy().ends_with("_pkg.sv") {
            command.arg(package.strip_prefix(root).unwrap_or(&package));
        }
    }
    command.arg("cores/rifl/rtl/rifl_link.sv");
    let output = command
        .output()
        .map_err(|e| format!("{} does not run: {e}", verilator.display()))?;
    if !output.status.success() {
        return Err(format!(
            "Verilator refused {name}:\n{}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }

    let mut generated = String::new();
    let mut unit = String::new();
    for file in sorted_files(&dir, "cpp")? {
        generated += &fs::read_to_string(&file)
            .map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        let _ = writeln!(unit, "#include \"{}\"", file.display());
    }
    let split = !traced
        && ["ico", "act", "nba"]
            .iter()
            .all(|phase| generated.contains(&format!("{class}___024root___eval_phase__{phase}(")));
    let _ = writeln!(unit, "#define MODEL {class}");
    let _ = writeln!(unit, "#define MODEL_NAME {name}");
    let _ = writeln!(unit, "#define ROOT_FN(f) {class}___024root___##f");
    let _ = writeln!(unit, "#define SPLIT_EVAL {}", u8::from(split));
    let _ = writeln!(
        unit,
        "#define RX_SETTLES {}",
        u8::from(settles_on_rx(&generated))
    );
    let _ = writeln!(unit, "#include \"{}\"", cpp.join("rifl_shim.inc").display());
    let path = work.join(format!("{name}.cpp"));
    fs::write(&path, unit).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    Ok(path)
}

/// True when a function of the input-combinational phase reads the received word.
fn settles_on_rx(generated: &str) -> bool {
    let mut inside = false;
    for line in generated.lines() {
        if line.starts_with('}') {
            inside = false;
        } else if line.contains("___ico_") && line.ends_with('{') {
            inside = true;
        } else if inside && line.contains("phy_rx_data_i") {
            return true;
        }
    }
    false
}

/// Rust code: the compiled models and their functions.
fn table(models: &[(u16, u8)]) -> String {
    let mut code = String::from("// Made by build.rs.\nunsafe extern \"C\" {\n");
    for model in models {
        for traced in [false, true] {
            let _ = writeln!(code, "    static {}: RawModel;", name(*model, traced));
        }
    }
    let _ = writeln!(
        code,
        "}}\nstatic NAMES: [(u16, u8); {}] = {models:?};",
        models.len()
    );
    let _ = writeln!(code, "static MODELS: [Compiled; {}] = [", models.len());
    for model in models {
        let _ = writeln!(
            code,
            "    Compiled {{ plain: &raw const {}, traced: &raw const {} }},",
            name(*model, false),
            name(*model, true)
        );
    }
    code += "];\n";
    code
}

/// Removes what the library was made of.
fn leave_only_library(work: &Path) {
    let Ok(entries) = fs::read_dir(work) else {
        return;
    };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            let _ = fs::remove_dir_all(path);
        } else if path.extension().is_none_or(|e| e != "a") {
            let _ = fs::remove_file(path);
        }
    }
}

/// Removes all but the newest results.
fn forget_old(cache: &Path) {
    let Ok(entries) = fs::read_dir(cache) else {
        return;
    };
    let mut dirs: Vec<_> = entries
        .flatten()
        .filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path())))
        .collect();
    dirs.sort();
    let surplus = dirs.len().saturating_sub(KEEP);
    for (_, dir) in dirs.into_iter().take(surplus) {
        let _ = fs::remove_dir_all(dir);
    }
}
