// SPDX-License-Identifier: Apache-2.0
//! Bad input: status 3, one line that names the value and what is accepted, and nothing is touched.

use std::path::Path;

use super::{names, unprivileged};
use crate::common::{Run, run_in};

/// Each case runs in a folder with `file`, `old` (a copy that exists), `empty` and the folder
/// `dir`.
fn refused(args: &[&str], parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("file"), "content").unwrap();
    std::fs::write(at("old"), "old").unwrap();
    std::fs::write(at("empty"), "").unwrap();
    std::fs::create_dir(at("dir")).unwrap();
    let before = names(folder.path());

    let run = run_in(folder.path(), &[&["sim", "rifl"][..], args].concat());
    assert_eq!(run.status, Some(3), "{args:?}: {run:?}");
    assert_eq!(run.stdout, "", "{args:?}");
    assert_eq!(run.stderr.lines().count(), 1, "{args:?}: {run:?}");
    assert!(run.stderr.starts_with("ropewalk: "), "{args:?}: {run:?}");
    for part in parts {
        assert!(
            run.stderr.contains(part),
            "{args:?} gave '{}', which lacks '{part}'",
            run.stderr
        );
    }
    assert_eq!(names(folder.path()), before, "{args:?}");
    assert_eq!(std::fs::read(at("old")).unwrap(), b"old", "{args:?}");
    assert!(names(&at("dir")).is_empty(), "{args:?}");
}

#[test]
fn parameters() {
    refused(&["--frame-width", "100"], &["'100'", "1024 or 2048"]);
    refused(&["--frame-width", "384"], &["'384'", "1024 or 2048"]);
    refused(&["--lanes", "3"], &["'3'", "accepted: 1, 2, 4 or 8"]);
    refused(
        &["--user-width", "512"],
        &["--user-width 512", "accepted: 256"],
    );
    refused(
        &[
            "--lanes",
            "8",
            "--frame-width",
            "128",
            "--user-width",
            "256",
        ],
        &["--user-width 256", "lanes 8", "accepted: 512, 1024"],
    );
    refused(
        &["--reset", "a:100:3"],
        &["--reset 3 cycles are too short", "accepted: 32 or more"],
    );
    refused(
        &["--reset", "a:100:90", "--reset", "both:150:40"],
        &["--reset one begins at cycle 150", "ends at 191"],
    );
    refused(&["--reset", "c:1:1"], &["'c:1:1'", "END:START:LENGTH"]);
    refused(&["--skew", "3"], &["--skew 3", "--lanes 2, 4 or 8"]);
    refused(
        &["--lanes", "4", "--skew", "60000"],
        &["--cable 10 m", "12 bits"],
    );
    refused(
        &["--lanes", "2", "--cut", "ab.2:100:10:zero"],
        &["lane 2", "accepted: 0 to 1"],
    );
    refused(&["--ber", "-1e-6"], &["'-1e-6'", "0 or more and below 0.5"]);
    refused(&["--ber=-1e-6"], &["'-1e-6'", "0 or more and below 0.5"]);
    refused(&["--ber", "0.5"], &["'0.5'", "0 or more and below 0.5"]);
    refused(&["--ber", "lots"], &["'lots'", "0 or more and below 0.5"]);
    refused(&["--rate", "0"], &["'0'", "0.1G to 200G"]);
    refused(&["--rate", "28"], &["'28'", "is in bit/s", "0.1G to 200G"]);
    refused(&["--rate", "-1"], &["'-1'", "--rate", "0.1G to 200G"]);
    refused(&["--line-rate", "0"], &["'0'", "0.1G to 200G"]);
    refused(
        &["--line-rate", "28", "--rate", "28G"],
        &["--line-rate", "--rate"],
    );
    refused(&["--size", "0"], &["'0'", "1 to 1048576"]);
    refused(&["--size", "1..2000000"], &["'1..2000000'", "1 to 1048576"]);
    refused(&["--packets", "0"], &["'0'", "accepted: 1"]);
    refused(&["--slip", "64"], &["'64'", "0 to 63"]);
    refused(&["--ppm", "1000"], &["'1000'", "-300 to 300"]);
    refused(&["--stall", "100"], &["'100'", "0 to 99"]);
    refused(&["--burst", "1:2"], &["'1:2'", "RATE:LENGTH:DENSITY"]);
    refused(
        &["--cut", "ab:1:2"],
        &["'ab:1:2'", "DIRECTION:START:LENGTH:KIND"],
    );
    refused(
        &["--cut", "ab:1:5:one", "--cut", "ab:5:1:one"],
        &["overlap", "one after the other"],
    );
    refused(&["--wombat"], &["--wombat"]);
    refused(&["wombat"], &["wombat"]);
}

#[test]
fn cables() {
    refused(
        &["--cable", "300m", "--id-width", "6"],
        &["300 m", "--id-width 6", "accepted: 9 to 12"],
    );
    refused(&["--cable", "50km"], &["50 km", "12 bits", "3.7"]);
    refused(&["--cable", "-1m"], &["'-1m'", "in m or km"]);
    refused(&["--cable", "10 feet"], &["'10 feet'", "in m or km"]);
    refused(&["--id-width", "13"], &["'13'", "6 to 12"]);
    refused(&["--ns-per-metre", "1"], &["'1'", "3.3"]);
}

#[test]
fn input_files() {
    refused(&["--in", "none"], &["cannot read none", "no such file"]);
    refused(
        &["--in", "dir"],
        &["cannot read dir", "a directory", "accepted: a file"],
    );
    refused(&["--in", "empty"], &["empty", "at least one byte"]);
    refused(
        &["--in", "/dev/zero"],
        &["/dev/zero", "not an ordinary file"],
    );
    refused(&["--in", "file", "--packets", "5"], &["--in", "--packets"]);
    refused(
        &["--in", "file", "--packet-size", "0"],
        &["'0'", "1 to 1048576"],
    );
    refused(&["--out", "copy"], &["--in"]);
}

#[test]
fn output_files() {
    let with_file =
        |args: &[&str], parts: &[&str]| refused(&[&["--in", "file"][..], args].concat(), parts);
    with_file(
        &["--out", "none/copy"],
        &["cannot write none/copy", "no such file or directory"],
    );
    with_file(&["--out", "dir"], &["cannot write dir", "a directory"]);
    with_file(
        &["--out", "file/copy"],
        &["cannot write file/copy", "not a directory"],
    );
    with_file(&["--out", "file"], &["--out file", "the same file as --in"]);
    with_file(
        &["--out", "old", "--out-back", "old"],
        &["--out-back old", "the same file as --out"],
    );
    with_file(
        &["--out", "old", "--out-back", "none/copy"],
        &["cannot write none/copy"],
    );
    with_file(
        &["--out", "old", "--report", "file"],
        &["file", "not a directory"],
    );
    with_file(
        &["--out", "old", "--report", "file/deeper"],
        &["file", "not a directory"],
    );
    // The report would have made new folders; they go again.
    with_file(
        &[
            "--out",
            "new",
            "--report",
            "new/report/",
            "--trace",
            "none/x.fst",
        ],
        &["cannot write none/x.fst"],
    );
    with_file(
        &["--out", "old", "--trace", "dir"],
        &["cannot write dir", "a directory"],
    );
    with_file(&["--trace", "/dev/null"], &["/dev/null", "a device"]);
    with_file(
        &["--one-way", "--out-back", "old"],
        &["--one-way", "--out-back"],
    );
}

#[test]
fn folders_and_files_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("file"), "content").unwrap();
    std::fs::write(at("secret"), "content").unwrap();
    std::fs::create_dir(at("locked")).unwrap();
    let mode = |name: &str, mode| {
        std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(mode)).unwrap()
    };
    mode("secret", 0o000);
    mode("locked", 0o555);
    for (args, part) in [
        (
            &["--in", "secret"][..],
            "cannot read secret: permission denied",
        ),
        (
            &["--in", "file", "--out", "locked/copy"],
            "cannot write locked/copy: permission denied",
        ),
        (
            &["--in", "file", "--report", "locked/report"],
            "permission denied",
        ),
    ] {
        let mut command = unprivileged(folder.path());
        let run = command.args(["sim", "rifl"]).args(args).output();
        let run = Run::from(run.expect("it runs"));
        assert_eq!(run.status, Some(3), "{run:?}");
        assert!(
            run.stderr.contains(part) && run.stderr.lines().count() == 1,
            "{run:?}"
        );
    }
    mode("locked", 0o755);
    assert!(names(&at("locked")).is_empty());
}

#[test]
fn without_a_subcommand() {
    for verb in ["sim", "plan"] {
        let run = run_in(Path::new("."), &[verb]);
        assert_eq!(run.status, Some(3), "{run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        let said = format!("a subcommand of 'ropewalk {verb}' is missing; accepted: rifl, ");
        assert!(run.stderr.contains(&said), "{run:?}");
    }
}
