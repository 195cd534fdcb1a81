// SPDX-License-Identifier: Apache-2.0
//! Simulators that are built when they are first asked for: once, whole, and with one line when it
//! cannot be done.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::names;
use crate::common::{Run, ropewalk};

/// This checkout.
fn checkout_root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// A checkout with nothing built: the RTL with its file lists, the shim and the tools of this one.
fn checkout() -> tempfile::TempDir {
    let root = checkout_root();
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("crates/sim")).unwrap();
    for part in ["cores", "crates/sim/cpp", ".tools", ".venv", "tools"] {
        symlink(root.join(part), folder.path().join(part)).unwrap();
    }
    folder
}

/// A compiler that counts how often it is called, and is quick.
fn compiler(folder: &Path) -> PathBuf {
    let script = folder.join("cxx");
    let count = folder.join("count");
    std::fs::write(
        &script,
        format!(
            "#!/bin/sh\necho \"$*\" >> {}\nexec g++ \"$@\" -O0\n",
            count.display()
        ),
    )
    .unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    script
}

fn small_run(root: &Path) -> Command {
    let mut command = ropewalk();
    command
        .args(["sim", "rifl", "--packets", "2", "--quiet"])
        .env("ROPEWALK_ROOT", root)
        .env_remove("VERILATOR")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Every file under `build/sim` whose name does not end in `.lock`.
fn built(root: &Path) -> Vec<String> {
    let cache = root.join("build/sim");
    let mut files: Vec<String> = names(&cache)
        .iter()
        .flat_map(|folder| names(&cache.join(folder)))
        .filter(|name| !name.ends_with(".lock"))
        .collect();
    files.sort();
    files
}

#[test]
fn concurrent_runs_build_once_and_an_interruption_leaves_nothing() {
    let checkout = checkout();
    let root = checkout.path();
    let cxx = compiler(root);

    // Interrupted while the compiler runs.
    let mut child = small_run(root).env("CXX", &cxx).spawn().unwrap();
    let count = root.join("count");
    let begun = Instant::now();
    // Twice to find out about the compiler, then for the first object.
    while std::fs::read_to_string(&count).map_or(0, |text| text.lines().count()) < 3 {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "nothing is built"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(built(root).is_empty(), "{:?}", built(root));

    // Two at a time, each of which would build the same.
    std::fs::remove_file(&count).unwrap();
    let runs: Vec<_> = (0..2)
        .map(|_| small_run(root).env("CXX", &cxx).spawn().unwrap())
        .collect();
    for run in runs {
        let run = Run::from(run.wait_with_output().unwrap());
        assert_eq!(run.status, Some(0), "{run:?}");
    }
    assert_eq!(built(root), ["rifl_1_256_256_6_extended.so", "runtime.o"]);
    let calls = std::fs::read_to_string(&count).unwrap();
    let compilations = calls.lines().filter(|call| call.contains(" -o ")).count();
    assert_eq!(compilations, 2, "{calls}");
}

#[test]
fn what_is_missing_is_told_in_one_line() {
    let refused = |command: &mut Command, parts: &[&str]| {
        let run = Run::from(command.output().unwrap());
        assert_eq!(run.status, Some(3), "{run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        for part in parts {
            assert!(run.stderr.contains(part), "{part}: {run:?}");
        }
    };
    refused(
        &mut small_run(Path::new("/nonexistent")),
        &["no Ropewalk repository at /nonexistent", "ROPEWALK_ROOT"],
    );
    let checkout = checkout();
    let root = checkout.path();
    refused(
        small_run(root).env("VERILATOR", "/nonexistent/verilator"),
        &["/nonexistent/verilator does not run", "tools/setup.sh"],
    );
    refused(
        small_run(root).env("CXX", "/nonexistent/cxx"),
        &["/nonexistent/cxx does not run", "g++"],
    );
    std::fs::remove_file(root.join("tools")).unwrap();
    refused(
        &mut small_run(root),
        &["tools/filelist.py does not run", "tools/setup.sh"],
    );
    symlink(checkout_root().join("tools"), root.join("tools")).unwrap();
    let broken = compiler(root);
    std::fs::write(
        &broken,
        "#!/bin/sh\ncase \"$*\" in *' -o '*) echo 'x.h:1: error: broken' >&2; exit 1;; esac\nexec g++ \"$@\"\n",
    )
    .unwrap();
    refused(
        small_run(root).env("CXX", &broken),
        &["cannot build the simulator", "x.h:1: error: broken"],
    );
    assert!(built(root).is_empty(), "{:?}", built(root));
}
