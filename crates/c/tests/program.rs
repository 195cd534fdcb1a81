// SPDX-License-Identifier: Apache-2.0
//! Programs in C, compiled against the headers and linked with the library. Without a C compiler, or without a network of its own where one
//! is needed, a test is skipped.

use ropewalk_io::htsp::{Backend, Settings};
use ropewalk_io::veth::{NAMES, Veth};
use ropewalk_testkit::needs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library, which is built with this test and lies beside it. Its name has a part that the compiler chooses: the newest is it.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("this program");
    let folder = test
        .parent()
        .expect("a folder")
        .read_dir()
        .expect("it can be read");
    let ours = folder.flatten().map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libropewalk_htsp") && name.ends_with(".a")
    });
    let age = |path: &PathBuf| path.metadata().and_then(|it| it.modified()).ok();
    ours.max_by_key(age).expect("a library")
}

fn compile(compiler: &str, source: &str, program: &Path) -> bool {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let done = Command::new(compiler)
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o"])
        .arg(program)
        .arg(here.join("tests").join(source))
        .arg("-I")
        .arg(here.join("include"))
        .arg(library())
        .args(["-lpthread", "-ldl", "-lm"])
        .output();
    let Some(done) = needs("C compiler", done) else {
        return false;
    };
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    true
}

#[test]
fn a_program_in_c() {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("program");
    if !compile("cc", "program.c", &program) {
        return;
    }
    let run = |args: &[&str]| Command::new(&program).args(args).spawn().expect("it runs");
    // All of it fits the receive ring and the 1000 frames that the kernel holds in front of it, so that it does not matter when a program gets a processor.
    if needs("network of its own", Veth::new(9000)).is_none() {
        return;
    }
    let both = |from: usize, bytes: &str, backend: &str| {
        let mut receiver = run(&["recv", NAMES[1 - from], bytes, backend]);
        let mut sender = run(&["send", NAMES[from], bytes, backend]);
        assert!(sender.wait().expect("it ends").success());
        assert!(receiver.wait().expect("it ends").success());
    };
    let mut alone = run(&["alone", NAMES[0], "0", "packet"]);
    assert!(alone.wait().expect("it ends").success());
    both(0, "6000000", "packet");
    both(1, "6000000", "packet");
    let xdp = Settings {
        backend: Backend::Xdp,
        ..Settings::default()
    };
    if needs("AF_XDP", xdp.open(NAMES[0]).map(drop)).is_some() {
        both(0, "600000", "xdp");
    }
    let mut wrong = run(&["recv", "rope7", "1", "packet"]);
    assert_eq!(wrong.wait().expect("it ends").code(), Some(1));
}

#[test]
fn remote_memory() {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rdma");
    if !compile("cc", "rdma.c", &program) {
        return;
    }
    let run = Command::new(&program).output().expect("it runs");
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{:?} {said}", run.status);
}

/// The header is kept by hand: it declares the functions that there are. The sizes of structures are in `tests/rdma.c`.
#[test]
fn header_and_library_agree() {
    use ropewalk_htsp::rdma;
    let names = |text: &str, before: &str| -> std::collections::BTreeSet<String> {
        let name = |rest: &str| rest.split('(').next().unwrap_or_default().to_owned();
        text.lines()
            .filter(|line| line.contains('('))
            .filter_map(|line| {
                line.find(before)
                    .map(|at| name(&line[at + before.len() - 8..]))
            })
            .filter(|name| name.starts_with("rw_rdma_"))
            .collect()
    };
    let header = include_str!("../include/ropewalk_rdma.h");
    let library = include_str!("../src/rdma.rs");
    let mut declared = names(header, "int rw_rdma_");
    declared.insert("rw_rdma_error".into());
    assert!(header.contains("const char *rw_rdma_error(void);"));
    assert_eq!(declared, names(library, "extern \"C\" fn rw_rdma_"));
    assert_eq!(size_of::<rdma::rw_rdma_area>(), 24);
    assert_eq!(size_of::<rdma::rw_rdma_layout>(), 96);
    assert_eq!(size_of::<rdma::rw_rdma_start>(), 12);
    assert_eq!(size_of::<rdma::rw_rdma_options>(), 24);
}
