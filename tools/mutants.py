# SPDX-License-Identifier: Apache-2.0
"""Deliberate mistakes in RTL, to check that tests and proofs can fail: what all cores/*/mutants.py share.

Each mutant is one mistake in one RTL file. It is tried in a copy of the tree (build/mutants): every *demand* on it has to
refuse it, and a demand refuses it if one of its checks does. A check is a selection of tests, which refuses by running and
failing (a mutant that does not compile proves nothing), or a proof, which refuses by a bad verdict.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common import ANY_LENGTH, BUILD, ROOT, fail


@dataclass(frozen=True)
class Tree:
    """A copy of the repository to make mistakes in, and what the environment has besides there."""

    path: Path
    env: dict[str, str]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs Python with these arguments in the copy."""
        env = {**os.environ, "COCOTB_MAX_FAILURES": "1", **self.env}
        command = [sys.executable, *words]
        return subprocess.run(
            command, cwd=self.path, env=env, capture_output=True, text=True, check=False
        )


@dataclass(frozen=True)
class Test:
    """A selection of tests, as words for pytest; one that is chosen by its name may be a long one.

    `ran` stands in the output once they have been compiled and begun.
    """

    words: tuple[str, ...]
    ran: str = "TESTS="

    def refuses(self, tree: Tree) -> bool:
        """Exit status 1 is "tests ran and failed"."""
        long = ANY_LENGTH if "-k" in self.words else ()
        done = tree.run("-m", "pytest", "-q", "-x", *long, *self.words)
        return done.returncode == 1 and self.ran in done.stdout


@dataclass(frozen=True)
class Proof:
    """A proof, as core/name, and the verdicts that refuse."""

    name: str
    bad: tuple[str, ...] = ("FAIL", "UNKNOWN")

    def refuses(self, tree: Tree) -> bool:
        """No verdict at all is no refusal."""
        done = tree.run("tools/proof.py", "--json", "--only", self.name)
        return bool(done.stdout) and json.loads(done.stdout)["proofs"][0]["said"] in self.bad


@dataclass(frozen=True)
class Mutant:
    """RTL module, text in its file, what takes its place, and the demands: name and checks."""

    module: str
    old: str
    new: str
    demands: Sequence[tuple[str, Sequence[Test | Proof]]]


def mutate(source: str, mutant: Mutant) -> str | None:
    """The source with the mistake at the first place from the beginning of the module on; None: there is no such place.

    The formatter moves white space, so any or none matches between two letters.
    """
    start = max(source.find(f"module {mutant.module} "), 0)
    letters = (re.escape(letter) for letter in mutant.old if not letter.isspace())
    found = re.compile(r"\s*".join(letters)).search(source, start)
    return source[: found.start()] + mutant.new + source[found.end() :] if found else None


def mutated(core: str, mutant: Mutant, root: Path) -> tuple[Path, str]:
    """The file of a mutant, and what is to be written there."""
    path = root / "cores" / core / "rtl" / f"{mutant.module}.sv"
    text = mutate(path.read_text(), mutant)
    if text is None:
        fail(f"{mutant.module} does not contain {mutant.old!r}", 1)
    return path, text


def copy_tree(path: Path) -> None:
    """The parts of the repository that tests and proofs need."""
    shutil.rmtree(path, ignore_errors=True)
    for part in ("cores", "tools", "golden", "crates/wire/vectors"):
        shutil.copytree(ROOT / part, path / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "conftest.py"):
        shutil.copyfile(ROOT / file, path / file)
    for part in (".venv", ".tools"):
        (path / part).symlink_to(ROOT / part)


def attempt(core: str, mutant: Mutant, tree: Tree) -> bool:
    """Tries one mutant and prints a line; true: everything that should refuses it."""
    path, text = mutated(core, mutant, tree.path)
    source = path.read_text()
    path.write_text(text)
    try:
        verdicts = [
            (name, any(check.refuses(tree) for check in checks)) for name, checks in mutant.demands
        ]
    finally:
        path.write_text(source)
    what = ", ".join(f"{name} {'refuses' if good else 'ACCEPTS'}" for name, good in verdicts)
    print(f"{mutant.module}: {mutant.old!r} -> {mutant.new!r}: {what}", flush=True)
    return all(good for _, good in verdicts)


def main(core: str, doc: str, mutants: Sequence[Mutant], env: dict[str, str] | None = None) -> None:
    """Command line of cores/CORE/mutants.py, whose documentation is `doc`."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument(
        "text", nargs="?", default="", help="only mutants whose module or text contains this"
    )
    parser.add_argument(
        "--list", action="store_true", help="only check that each has a place, and list them"
    )
    args = parser.parse_args()
    chosen = [mutant for mutant in mutants if args.text in f"{mutant.module} {mutant.old}"]
    if args.list:
        for mutant in chosen:
            mutated(core, mutant, ROOT)
            names = ", ".join(name for name, _ in mutant.demands)
            print(f"{mutant.module}: {mutant.old!r} -> {mutant.new!r}: {names}")
        return
    tree = Tree(BUILD / "mutants" / f"{core}-{os.getpid()}", env or {})
    try:
        copy_tree(tree.path)
        survivors = sum(not attempt(core, mutant, tree) for mutant in chosen)
    finally:
        shutil.rmtree(tree.path, ignore_errors=True)
    print(f"{len(chosen)} mutants, {survivors} not refused by everything that should")
    sys.exit(1 if survivors or not chosen else 0)
