#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random mistakes in the crates: what share of them do the Rust tests see?

usage: mutate_crates.py [--count N] [--seed N] [--file PATTERN ...]

cargo-mutants lists the mutations of the files that crates/mutants.toml names, and N of them are
drawn. Each is tested in a copy of the tree with the suites of its file, one after the other. A
mutant is killed if a test fails on it, or does not end in time; one that does not compile does not
count. `.cargo/mutants.toml` lists what no test can see, with the reason. Whoever interrupts a run
has the result of what it has tried.

Prints the survivors and the share killed, and adds both to build/mutate/results.json. The exit
status is 1 if fewer than 90 % are killed.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from fnmatch import fnmatch

from common import ROOT, fail, tail, tool_env
from mutate import FOLDER, LEAST_S, TIMES, conclude
from seed import seed

VERSION = "27.1.0"
PROGRAM = ROOT / f".tools/cargo-mutants-{VERSION}"
PLACE = FOLDER / "crates"
TREE = PLACE / "tree"
# The longest compilation.
BUILD_S = 1800


def listed(patterns: list[str]) -> list[dict]:
    """All mutations of files, by cargo-mutants, which is compiled once."""
    program = PROGRAM / "bin/cargo-mutants"
    if not program.exists():
        print(f"mutate_crates: installing cargo-mutants {VERSION}", flush=True)
        words = ["cargo", "install", "--locked", "--version", VERSION, "--root", str(PROGRAM)]
        subprocess.run([*words, "cargo-mutants"], check=True, capture_output=True)
    words = [word for pattern in patterns for word in ("--file", pattern)]
    command = [str(program), "mutants", "--list", "--json", "--diff", *words]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        fail("cargo-mutants gives no list", 1)
    return json.loads(done.stdout)


def copy_tree() -> None:
    """The files of the repository, changes included, where a mistake harms nobody."""
    shutil.rmtree(TREE, ignore_errors=True)
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    for name in filter(None, names.stdout.split("\0")):
        source, target = ROOT / name, TREE / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            # As new: what the last run has compiled may be of a mutant.
            shutil.copy(source, target)
    # The simulator, with which the models are compared.
    (TREE / ".tools").symlink_to(ROOT / ".tools")


def changed(text: str, diff: str) -> str:
    """A text after its one change."""
    hunk = diff.split("\n@@", 1)[1].split("\n")[1:]
    hunk = [line for line in hunk if line and line[0] in " +-"]
    old = [line[1:] for line in hunk if line[0] != "+"]
    new = [line[1:] for line in hunk if line[0] != "-"]
    first = int(diff.split("\n@@ -", 1)[1].split(",", 1)[0]) - 1
    lines = text.split("\n")
    if lines[first : first + len(old)] != old:
        fail(f"a change that does not fit:\n{diff}", 1)
    return "\n".join(lines[:first] + new + lines[first + len(old) :])


@functools.cache
def own_seed() -> str:
    """That of `make test`: a mutant is not to be killed by a seed."""
    try:
        return str(seed())
    except ValueError as error:
        fail(str(error))


def cargo(words: list[str], timeout_s: float) -> subprocess.CompletedProcess[str] | None:
    """`cargo test` in the copy; none if it did not end in time."""
    number = own_seed()
    process = subprocess.Popen(
        ["cargo", "test", "--quiet", "--profile", "mutants", *words],
        cwd=TREE,
        env={
            **tool_env(),
            "CARGO_TARGET_DIR": str(PLACE / "target"),
            "RUSTFLAGS": "-Awarnings",
            "SEED": number,
            "PROPTEST_RNG_SEED": number,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        out, _ = process.communicate(timeout=timeout_s)
    except BaseException as error:
        # The tests that it has started as well.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            return None
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out)


class Suites:
    """Which tests look at which files."""

    def __init__(self) -> None:
        self.suites = tomllib.loads((ROOT / "crates/mutants.toml").read_text())["suites"]
        # How long each may take, when it has run once.
        self.limits: dict[str, float] = {}

    def files(self) -> list[str]:
        """All that they look at."""
        return [pattern for suite in self.suites for pattern in suite["files"]]

    def of(self, file: str) -> list[str]:
        """The arguments of the first suite whose pattern fits."""
        fits = (suite for suite in self.suites if any(fnmatch(file, it) for it in suite["files"]))
        return next(fits)["tests"]

    def limit(self, words: str) -> float:
        """For how long the tests may run; they have to pass without a mistake."""
        if words not in self.limits:
            cargo(["--no-run", *words.split()], BUILD_S)
            begun = time.monotonic()
            done = cargo(words.split(), BUILD_S)
            if done is None or done.returncode != 0:
                fail(f"cargo test {words}:\n{tail(done.stdout) if done else 'no end'}", 1)
            self.limits[words] = max(LEAST_S, TIMES * (time.monotonic() - begun))
        return self.limits[words]

    def attempt(self, mutant: dict) -> str:
        """killed, survived or unviable."""
        tests, path = self.of(mutant["file"]), TREE / mutant["file"]
        limits = [self.limit(words) for words in tests]
        text = path.read_text()
        path.write_text(changed(text, mutant["diff"]))
        try:
            for words, limit in zip(tests, limits, strict=True):
                built = cargo(["--no-run", *words.split()], BUILD_S)
                if built is None or built.returncode != 0:
                    return "unviable"
                done = cargo(words.split(), limit)
                if done is None or done.returncode != 0:
                    return "killed"
        finally:
            path.write_text(text)
        return "survived"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=150, metavar="N", help="mutants")
    parser.add_argument("--seed", type=int, default=None, metavar="N", help="of the sample")
    parser.add_argument("--file", action="append", default=[], metavar="PATTERN", help="these only")
    args = parser.parse_args()
    if args.count < 1:
        fail("--count wants a number from 1 on")
    drawn = random.SystemRandom().randrange(2**31) if args.seed is None else args.seed
    own_seed()  # A wrong one is said before anything is copied.
    suites = Suites()
    every = sorted(listed(suites.files()), key=lambda mutant: mutant["name"])
    if args.file:
        every = [it for it in every if any(fnmatch(it["file"], word) for word in args.file)]
    sample = random.Random(f"crates|{drawn}").sample(every, min(args.count, len(every)))
    copy_tree()
    # Before the first mistake, so that a suite that fails without one is known at once.
    for words in dict.fromkeys(words for it in sample for words in suites.of(it["file"])):
        suites.limit(words)
    said: list[str] = []
    try:
        for mutant in sample:
            said.append(suites.attempt(mutant))
            if said[-1] != "killed":
                print(f"  {said[-1]}: {mutant['name']}", flush=True)
            if len(said) % 10 == 0:
                print(f"  {len(said)} of {len(sample)}: {said.count('killed')} killed", flush=True)
    except KeyboardInterrupt:
        print(f"  interrupted after {len(said)} of {len(sample)}", flush=True)
    tried = zip(sample, said, strict=False)
    names = [mutant["name"] for mutant, it in tried if it == "survived"]
    compiled = len(said) - said.count("unviable")
    sys.exit(0 if conclude("crates", drawn, compiled, 0, names) else 1)


if __name__ == "__main__":
    main()
