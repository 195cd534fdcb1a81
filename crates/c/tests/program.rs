// SPDX-License-Identifier: Apache-2.0
//! A program in C, compiled against the header and linked with the library, sends to another one. Without a C compiler, or without a
//! network of its own, it says so and passes.

use ropewalk_io::htsp::{Backend, Settings};
use ropewalk_io::veth::{NAMES, Veth};
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

fn compile(compiler: &str, program: &Path) -> bool {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let done = Command::new(compiler)
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o"])
        .arg(program)
        .arg(here.join("tests/program.c"))
        .arg("-I")
        .arg(here.join("include"))
        .arg(library())
        .args(["-lpthread", "-ldl", "-lm"])
        .output();
    match done {
        Ok(done) => {
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{said}");
            true
        }
        Err(error) => {
            eprintln!("left out: no C compiler: {error}");
            false
        }
    }
}

#[test]
fn a_program_in_c() {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("program");
    if !compile("cc", &program) {
        return;
    }
    let run = |args: &[&str]| Command::new(&program).args(args).spawn().expect("it runs");
    // All of it fits the receive ring and the 1000 frames that the kernel holds in front of it, so that it does not matter when a program gets a processor.
    if let Err(error) = Veth::new(9000) {
        eprintln!("left out: no network of its own: {error}");
        return;
    }
    let both = |from: usize, bytes: &str, backend: &str| {
        let mut receiver = run(&["recv", NAMES[1 - from], bytes, backend]);
        let mut sender = run(&["send", NAMES[from], bytes, backend]);
        assert!(sender.wait().expect("it ends").success());
        assert!(receiver.wait().expect("it ends").success());
    };
    both(0, "6000000", "packet");
    both(1, "6000000", "packet");
    let xdp = Settings {
        backend: Backend::Xdp,
        ..Settings::default()
    };
    match xdp.open(NAMES[0]).map(drop) {
        Ok(()) => both(0, "600000", "xdp"),
        Err(error) => eprintln!("left out: {error}"),
    }
    let mut wrong = run(&["recv", "rope7", "1", "packet"]);
    assert_eq!(wrong.wait().expect("it ends").code(), Some(1));
}
