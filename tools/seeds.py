#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every random test with many fresh seeds, to find the failure that one seed does not show.

usage: seeds.py [TEXT ...] [--seeds N] [--short N] [--below SECONDS] [--jobs N] [--list]
                [--keep FILE] [--for MINUTES]

A test is a test bench of cores/ (a node of pytest) or a test program of crates/ (a target of cargo). Each runs with N fresh
seeds; the short ones, whose first run with a built model took less than SECONDS, with more of them. Only those whose name
contains one of the TEXTs; all without any. Every failure is printed with its seed, and the exit status is 1.

A hunt may be a long one in parts: with --keep it counts the runs of each test in FILE, and goes on from
there as long as nothing that the test is made of has changed. With --for no run begins after these MINUTES.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import math
import os
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from common import BUILD, ROOT, content_hash, fail, tool, tool_env
from filelist import files_for
from seed import fresh


@dataclass
class Test:
    """One test: how it is called, and what came of it."""

    name: str
    command: list[str]
    folder: Path = ROOT
    # Files that it is made of.
    files: list[str] = field(default_factory=list)
    # Seeds that one call takes: a test bench starts its simulator for each (tb_common/build.py).
    most: int = 1
    runs: int = 0
    failed: list[int] = field(default_factory=list)
    # Whether a first run with a built model took less than the limit.
    is_short: bool | None = None

    def run(self, *seeds: int) -> float:
        """One call; its time in seconds."""
        begin = time.monotonic()
        words = list(map(str, seeds))
        done = subprocess.run(
            self.command,
            cwd=self.folder,
            env={
                **tool_env(),
                "SEED": words[0],
                "SEEDS": " ".join(words),
                "PROPTEST_RNG_SEED": words[0],
            },
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.monotonic() - begin
        self.runs += len(seeds)
        if done.returncode != 0:
            text = done.stdout + done.stderr
            named = {int(word) for word in re.findall(r"tests failed, SEED=(\d+)", text)}
            bad = [seed for seed in seeds if seed in named] or list(seeds)
            self.failed += bad
            log = BUILD / "seeds" / f"{self.name.replace('/', '_')}.{bad[0]}.log"
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(text)
            for seed in bad:
                print(f"FAILED {self.name} SEED={seed} ({log.relative_to(ROOT)})", flush=True)
        return seconds


def benches() -> list[Test]:
    """The nodes of pytest that simulate: a test bench has a simulator that SEED reaches."""
    python = [sys.executable, "-m", "pytest", "-q"]
    done = subprocess.run(
        [*python, "--collect-only", "cores"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    nodes = [line for line in done.stdout.splitlines() if "::" in line]
    if not nodes:
        fail("pytest found no tests:\n" + done.stdout + done.stderr)
    texts: dict[str, list[str]] = {}

    def all_of(folder: str) -> list[str]:
        files = sorted((ROOT / folder).glob("*.*"))
        return [str(file.relative_to(ROOT)) for file in files if file.is_file()]

    def made_of(core: str) -> list[str]:
        """Its RTL with all that this depends on, and its test benches."""
        if core not in texts:
            benches = [*all_of(f"cores/{core}/tb"), *all_of("cores/tb_common")]
            texts[core] = [*map(str, files_for(core)), *benches]
        return texts[core]

    return [
        Test(node, [*python, node], files=made_of(node.split("/")[1]), most=10)
        for node in nodes
        if "_parameters.py" not in node
        and re.search("build_and_run|cocotb", (ROOT / node.split("::")[0]).read_text())
    ]


def programs() -> list[Test]:
    """The test programs of the workspace whose sources know of a seed."""
    command = [tool("cargo"), "test", "--profile", "checked", "--workspace"]
    # As tools/test.sh, so that nothing is compiled anew.
    command += ["--exclude", "ropewalk-python", "--features", "ropewalk/lab", "--no-run"]
    done = subprocess.run(
        [*command, "--message-format=json"],
        cwd=ROOT,
        env=tool_env(),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        fail("cargo could not build the tests")
    found = []
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["profile"]["test"]:
            source = Path(message["target"]["src_path"])
            folder = Path(message["manifest_path"]).parent
            scope = source.parent if source.name in ("lib.rs", "main.rs") else source
            texts = (
                [scope.read_text()] if scope.is_file() else map(Path.read_text, scope.rglob("*.rs"))
            )
            if any(re.search(r"SEED|seed\(|proptest!", text) for text in texts):
                name = f"{folder.relative_to(ROOT)}::{message['target']['name']}"
                program = message["executable"]
                found.append(Test(name, [program, "-q"], folder, [program]))
    return found


class Record:
    """What a hunt has come to so far, in a file that other parts of it go on from."""

    def __init__(self, path: Path | None):
        self.path = path
        self.lock = threading.Lock()
        self.all = {}
        if path and not path.parent.is_dir():
            fail(f"--keep {path}: no folder {path.parent}")
        if path and path.exists():
            try:
                self.all = json.loads(path.read_text())
            except ValueError as error:
                fail(f"--keep {path}: {error}; accepted: what a hunt has written there, or no file")

    def read(self, test: Test) -> str:
        """What is known of a test, if it is the same one. Gives what it is made of now."""
        made_of = content_hash(test.files)
        known = self.all.get(test.name, {})
        if known.get("made_of") == made_of:
            test.runs, test.failed = known["runs"], known["failed"]
            test.is_short = known["is_short"]
        return made_of

    def write(self, test: Test, made_of: str) -> None:
        """Takes note of a test; the file is whole at any time."""
        if not self.path:
            return
        known = {"runs": test.runs, "failed": test.failed, "is_short": test.is_short}
        with self.lock:
            self.all[test.name] = {"made_of": made_of, **known}
            part = self.path.with_name(f".{self.path.name}.part")
            part.write_text(json.dumps(self.all, indent=1, sort_keys=True) + "\n")
            part.replace(self.path)


def hunt(
    test: Test,
    seeds: int,
    short: int,
    below: float,
    record: Record | None = None,
    until: float = math.inf,
) -> Test:
    """All runs of one test. The first one may have to build its model, and says nothing about its time."""
    record = record or Record(None)
    made_of = record.read(test)
    built = test.is_short is not None
    while time.monotonic() < until and test.runs < (short if test.is_short else seeds):
        left = (short if test.is_short else seeds) - test.runs
        once = not built or test.is_short is None
        number = 1 if once else min(test.most, left)
        seconds = test.run(*(fresh() for _ in range(number)))
        if built and test.is_short is None:
            test.is_short = seconds < below
        built = True
        record.write(test, made_of)
    print(f"{test.name}: {test.runs} seeds, {len(test.failed)} failed", flush=True)
    return test


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", nargs="*", metavar="TEXT")
    parser.add_argument("--seeds", type=int, default=20, metavar="N")
    parser.add_argument("--short", type=int, default=100, metavar="N")
    parser.add_argument("--below", type=float, default=10.0, metavar="SECONDS")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--keep", type=Path, metavar="FILE")
    parser.add_argument("--for", type=float, dest="minutes", default=math.inf, metavar="MINUTES")
    parser.add_argument("--list", action="store_true", help="name the tests and stop")
    args = parser.parse_args()
    if min(args.seeds, args.short, args.jobs) < 1:
        fail("--seeds, --short and --jobs want a number from 1 on")
    # What only test benches are called is found without a build of the crates.
    only_benches = args.texts and all(text.startswith("cores/") for text in args.texts)
    tests = [
        test
        for kind in ((benches,) if only_benches else (benches, programs))
        for test in kind()
        if not args.texts or any(text in test.name for text in args.texts)
    ]
    if not tests:
        fail(f"no random test has {' or '.join(args.texts)} in its name")
    if args.list:
        print("\n".join(test.name for test in tests))
        return
    record, until = Record(args.keep), time.monotonic() + 60 * args.minutes
    wanted = (args.seeds, args.short, args.below, record, until)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        done = list(pool.map(lambda test: hunt(test, *wanted), tests))
    runs, failures = sum(t.runs for t in done), sum(len(t.failed) for t in done)
    missing = sum(t.runs < (args.short if t.is_short else args.seeds) for t in done)
    left = f"; {missing} tests have not had all of theirs" if missing else ""
    print(f"{len(done)} tests, {runs} runs, {failures} failed{left}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
