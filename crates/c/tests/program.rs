// SPDX-License-Identifier: Apache-2.0
//! Programs in C, compiled against the headers and linked with the library. Without a C compiler,
//! or without a network of its own where one is needed, a test is skipped.

use ropewalk_io::htsp::{Backend, Settings};
use ropewalk_io::veth::{NAMES, Veth};
use ropewalk_testkit::needs;
use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Where Cargo puts the libraries, which are built with this test.
fn built() -> PathBuf {
    // The symbols that the programs need are of this library: it is built before this test.
    assert_eq!(ropewalk_c::common::rw_abi(), ropewalk_c::common::RW_ABI);
    let test = std::env::current_exe().expect("this program");
    test.parent().expect("a folder").to_owned()
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn succeeded(done: &Output) {
    let (out, said) = (&done.stdout, String::from_utf8_lossy(&done.stderr));
    let out = String::from_utf8_lossy(out);
    assert!(done.status.success(), "{:?} {out}{said}", done.status);
}

/// Compiles `tests/NAME.c` in a folder; false: there is no compiler.
fn compile(name: &str, program: &Path, flags: &[&str]) -> bool {
    let done = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o"])
        .arg(program)
        .arg(here().join(format!("tests/{name}.c")))
        .args(flags)
        .output();
    let Some(done) = needs("C compiler", done) else {
        return false;
    };
    succeeded(&done);
    true
}

/// Against the headers and the static library as they are built.
fn compile_static(name: &str, program: &Path) -> bool {
    let include = format!("-I{}", here().join("include").display());
    let library = built().join("libropewalk_c.a");
    let library = library.to_str().expect("a path");
    let system = ["-lpthread", "-ldl", "-lm"];
    compile(
        name,
        program,
        &[&[include.as_str(), library], &system[..]].concat(),
    )
}

#[test]
fn a_program_in_c() {
    let program = folder("htsp").join("program");
    if !compile_static("program", &program) {
        return;
    }
    let run = |args: &[&str]| Command::new(&program).args(args).spawn().expect("it runs");
    // All of it fits the receive ring and the 1000 frames that the kernel holds in front of it, so
    // that it does not matter when a program gets a processor.
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
    let program = folder("rdma").join("program");
    if compile_static("rdma", &program) {
        succeeded(&Command::new(&program).output().expect("it runs"));
    }
}

/// Sends a file from a program to itself.
fn transfer(folder: &Path, mut command: Command, how: &str) {
    let bytes: Vec<u8> = (0..5_000_007_u32)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let (file, out) = (folder.join("file"), folder.join(format!("{how}-out")));
    std::fs::write(&file, &bytes).expect("a file");
    command.arg(how).args([&file, &out, &out.join("file")]);
    let done = command.arg(bytes.len().to_string()).output();
    succeeded(&done.expect("it runs"));
}

/// Sends to somebody who never answers.
fn silent(folder: &Path, mut command: Command) {
    let nobody = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let address = nobody.local_addr().expect("its address").to_string();
    std::fs::write(folder.join("small"), "any").expect("a file");
    command.current_dir(folder).args(["silent", "small"]);
    succeeded(&command.arg(address).output().expect("it runs"));
}

#[test]
fn files_from_host_to_host() {
    let folder = folder("chunk");
    let program = folder.join("program");
    if compile_static("chunk", &program) {
        transfer(&folder, Command::new(&program), "pair");
        transfer(&folder, Command::new(&program), "trusted");
        silent(&folder, Command::new(&program));
    }
}

#[test]
fn no_memory_is_lost_or_touched_wrongly() {
    let version = Command::new("valgrind").arg("--version").output();
    if needs("valgrind", version).is_none() {
        return;
    }
    let folder = folder("valgrind");
    let checked = |program: &Path, flags: &[&str]| {
        let mut command = Command::new("valgrind");
        command
            .args(["-q", "--error-exitcode=9", "--leak-check=full"])
            .arg("--errors-for-leak-kinds=definite")
            .args(flags)
            .arg(program);
        command
    };
    let (rdma, chunk) = (folder.join("rdma"), folder.join("program"));
    if compile_static("rdma", &rdma) && compile_static("chunk", &chunk) {
        succeeded(&checked(&rdma, &[]).output().expect("it runs"));
        silent(&folder, checked(&chunk, &[]));
        transfer(&folder, checked(&chunk, &[]), "trusted");
        // The assembly of AES-GCM in `ring` computes with parts of registers that nobody has set,
        // and drops what comes of them: valgrind does not see that.
        let sealed = checked(&chunk, &["--undef-value-errors=no"]);
        transfer(&folder, sealed, "pair");
    }
}

/// As `make library` installs it, found by pkg-config.
#[test]
fn the_shared_library_as_it_is_installed() {
    let version = Command::new("pkg-config").arg("--version").output();
    if needs("pkg-config", version).is_none() {
        return;
    }
    let folder = folder("installed");
    let prefix = folder.join("prefix");
    let install = Command::new("sh")
        .arg(here().join("../../tools/library.sh"))
        .arg("--built")
        .args([&built(), &prefix])
        .output();
    succeeded(&install.expect("it runs"));
    let flags = Command::new("pkg-config")
        .args(["--cflags", "--libs", "ropewalk"])
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
        .output()
        .expect("it runs");
    succeeded(&flags);
    let flags = String::from_utf8(flags.stdout).expect("text");
    let flags: Vec<&str> = flags.split_whitespace().chain(["-lpthread"]).collect();
    let program = folder.join("program");
    if compile("chunk", &program, &flags) {
        let mut command = Command::new(&program);
        command.env("LD_LIBRARY_PATH", prefix.join("lib"));
        transfer(&folder, command, "pair");
    }
}

/// What stands in blocks of a language in the README.
fn blocks(language: &str) -> Vec<String> {
    let readme = std::fs::read_to_string(here().join("README.md")).expect("the README");
    let begin = format!("```{language}\n");
    let parts = readme.split(&begin).skip(1);
    let text = |part: &str| part.split("```\n").next().expect("an end").to_owned();
    parts.map(text).collect()
}

/// Its programs, built by its two commands.
#[test]
fn the_readme_as_it_stands() {
    for program in ["cc", "pkg-config"] {
        if needs(program, Command::new(program).arg("--version").output()).is_none() {
            return;
        }
    }
    let folder = folder("readme");
    let install = Command::new("sh")
        .arg(here().join("../../tools/library.sh"))
        .arg("--built")
        .args([&built(), &folder.join("prefix")])
        .output();
    succeeded(&install.expect("it runs"));
    let [commands] = &blocks("sh")[..] else {
        panic!("one block of commands");
    };
    let commands = commands.replace("PREFIX", "$PWD/prefix");
    let (export, compilers) = commands.split_once('\n').expect("lines");
    let [chunk, htsp] = &blocks("c")[..] else {
        panic!("two programs");
    };
    let build = |compiler: &str, program: &str| {
        std::fs::write(folder.join("program.c"), program).expect("a file");
        let strict = "cc -std=c11 -Wall -Wextra -Werror -pedantic ";
        let lines = format!("{export}\n{}", compiler.replacen("cc ", strict, 1));
        let mut shell = Command::new("sh");
        succeeded(&(shell.args(["-ec", &lines]).current_dir(&folder).output()).expect("it runs"));
        let mut command = Command::new("./program");
        command.current_dir(&folder);
        command
    };
    for compiler in compilers.lines() {
        receives_and_sends(&folder, || build(compiler, chunk));
    }
    if needs("network of its own", Veth::new(9000)).is_some() {
        for compiler in compilers.lines() {
            succeeded(&build(compiler, htsp).output().expect("it runs"));
        }
    }
}

/// The program of the README receives from itself what it sends.
fn receives_and_sends(folder: &Path, program: impl Fn() -> Command) {
    let bytes = vec![5; 3_000_000];
    std::fs::write(folder.join("file"), &bytes).expect("a file");
    let mut receiver = program();
    receiver
        .args(["store", "127.0.0.1:0"])
        .stdout(Stdio::piped());
    let mut receiver = receiver.spawn().expect("it runs");
    let mut said = BufReader::new(receiver.stdout.take().expect("its output"));
    let mut line = String::new();
    said.read_line(&mut line).expect("a line");
    let line = line.trim_start_matches("waiting at ").trim_end();
    let (address, code) = line.split_once(", code ").expect(line);
    let mut sender = Command::new("./program");
    sender.args(["file", address, code]).current_dir(folder);
    succeeded(&sender.output().expect("it runs"));
    std::io::copy(&mut said, &mut std::io::sink()).expect("the rest");
    assert!(receiver.wait().expect("it ends").success());
    let copy = std::fs::read(folder.join("store/file")).expect("a copy");
    assert!(copy == bytes, "{} bytes arrived", copy.len());
    std::fs::remove_dir_all(folder.join("store")).expect("it was made");
}

#[test]
fn the_header_is_one_of_cpp_too() {
    let done = Command::new("c++")
        .args(["-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic"])
        .args(["-fsyntax-only", "-x", "c++"])
        .arg(here().join("include/ropewalk.h"))
        .output();
    if let Some(done) = needs("C++ compiler", done) {
        succeeded(&done);
    }
}
