#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every random test with many fresh seeds, to find the failure that one seed does not show.

usage: seeds.py [TEXT ...] [--seeds N] [--short N] [--below SECONDS] [--jobs N] [--list]

A test is a test bench of cores/ (a node of pytest) or a test program of crates/ (a target of cargo). Each runs with N fresh
seeds; the short ones, whose first run with a built model took less than SECONDS, with more of them. Only those whose name
contains one of the TEXTs; all without any. Every failure is printed with its seed, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from common import BUILD, ROOT, fail, tool, tool_env
from seed import fresh


@dataclass
class Test:
    """One test: how it is called, and what came of it."""

    name: str
    command: list[str]
    folder: Path = ROOT
    # Seeds that one call takes: a test bench starts its simulator for each (tb_common/build.py).
    most: int = 1
    runs: int = 0
    failed: list[int] = field(default_factory=list)

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
    return [
        Test(node, [*python, node], most=10)
        for node in nodes
        if "_parameters.py" not in node
        and re.search("build_and_run|cocotb", (ROOT / node.split("::")[0]).read_text())
    ]


def programs() -> list[Test]:
    """The test programs of the workspace whose sources know of a seed."""
    command = [tool("cargo"), "test", "--profile", "checked", "--workspace"]
    command += ["--features", "ropewalk/lab", "--no-run"]
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
                found.append(Test(name, [message["executable"], "-q"], folder))
    return found


def hunt(test: Test, seeds: int, short: int, below: float) -> Test:
    """All runs of one test. The first one may have to build its model, and says nothing about its time."""
    test.run(fresh())
    count = short if test.run(fresh()) < below else seeds
    while test.runs < count:
        test.run(*(fresh() for _ in range(min(test.most, count - test.runs))))
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
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        done = list(pool.map(lambda t: hunt(t, args.seeds, args.short, args.below), tests))
    runs, failures = sum(t.runs for t in done), sum(len(t.failed) for t in done)
    print(f"{len(done)} tests, {runs} runs, {failures} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
