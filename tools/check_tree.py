#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules that every file of the repository keeps, whatever its language.

usage: check_tree.py

Sources carry the licence identifier at their top; text ends with a newline and has no trailing blanks; no file names a
path of one machine or a package registry's host; RTL carries no lint waiver and no file of it is long; no file and no
function of the crates is long, tests and what is generated aside; comments have 100 columns; nothing
big is tracked; .gitignore hides no source.
Outside a git checkout (an unpacked archive) there is nothing to list, and nothing is checked.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from common import ROOT

SOURCES = {
    ".sv",
    ".svh",
    ".rs",
    ".py",
    ".sh",
    ".toml",
    ".c",
    ".cpp",
    ".h",
    ".js",
    ".css",
    ".html",
    ".svg",
    ".core",
    ".mk",
    ".rdl",
    ".tcl",
    ".sdc",
}
NAMED_SOURCES = {"Makefile", "run", ".gitignore", ".gitattributes", "proofs.txt", "verible.rules"}
MARK = "SPDX-License-Identifier: Apache-2.0"
LARGEST = 1_000_000
COLUMNS = 100  # of a comment
RTL_LINES = 400
RUST_LINES = 800
FUNCTION_LINES = 100
FUNCTION = re.compile(r'(\s*)(pub(\([^)]*\))? )?(const |unsafe |async |extern "C" )*fn (\w+)')
# Sources of the crates that nobody wrote, and tests beside them.
NOT_MEASURED = {"regs.rs", "tests.rs"}
COMMENT = re.compile(r"\s*(//|#)")
# Outside of the cores: text of scripts in strings begins with a number sign, too.
COMMENTS = dict.fromkeys((".sv", ".svh", ".rs"), re.compile(r"\s*//"))
COMMENTS |= dict.fromkeys((".py", ".sh"), re.compile(r"\s*# "))
# Tables and drawings.
DRAWN = re.compile(r"\||\S {2,}\S|[-─]{2}")

# Written in pieces, so that this file does not break its own rule.
FORBIDDEN = {
    "a path of one machine": re.compile(
        r"(^|[^A-Za-z0-9_.])/(wor" r"k|far" r"m|roo" r"t|hom" r"e/[a-z])(/|\b)"
    ),
    "a temporary path": re.compile(r"/tm" r"p/[a-z]"),
    "a registry host": re.compile(
        r"(pypi\.or" r"g|pythonhosted\.or" r"g|index\.crates\.i" r"o|registry\.npmjs)"
    ),
}
# The lock file names the registry by Cargo's own convention.
GENERATED = ("_regs", "_regs_pkg")
EXEMPT = {"Cargo.lock", "LICENSE"}


def git_files(*options: str) -> list[Path]:
    """Files that git lists; none outside a checkout."""
    done = subprocess.run(
        ["git", "ls-files", "-z", *options], cwd=ROOT, capture_output=True, check=False
    )
    if done.returncode != 0:
        return []
    names = {n.decode() for n in done.stdout.split(b"\0") if n}
    return [Path(n) for n in sorted(names) if (ROOT / n).is_file()]


def tracked() -> list[Path]:
    """What git tracks or would track."""
    return git_files("--cached", "--others", "--exclude-standard")


def ignored_sources() -> list[Path]:
    """Sources that a pattern of .gitignore hides by accident."""
    hidden = git_files(
        "--others", "--ignored", "--exclude-standard", "--", "cores", "crates", "docs", "tools"
    )
    return [path for path in hidden if path.suffix in SOURCES or path.suffix == ".md"]


def check_file(path: Path) -> list[str]:
    """What is wrong with one file."""
    data = (ROOT / path).read_bytes()
    found = []
    if len(data) > LARGEST:
        found.append(f"{len(data)} bytes, more than {LARGEST}")
    if b"\0" in data or path.name in EXEMPT:
        return found
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return [*found, "is neither UTF-8 text nor binary"]
    is_source = path.suffix in SOURCES or path.name in NAMED_SOURCES
    if is_source and MARK not in "\n".join(text.splitlines()[:4]):
        found.append(f"no {MARK} at the top")
    if text and not text.endswith("\n"):
        found.append("no newline at the end")
    for number, line in enumerate(text.splitlines(), 1):
        if line != line.rstrip() and path.suffix != ".md":
            found.append(f"line {number}: trailing blanks")
        for what, pattern in FORBIDDEN.items():
            if pattern.search(line):
                found.append(f"line {number}: {what}: {line.strip()[:80]}")
        if "rtl" in path.parts and "lint_off" in line:
            found.append(f"line {number}: lint waiver in RTL")
    lines = text.splitlines()
    if path.parts[0] == "cores":
        found += [] if path.stem.endswith(GENERATED) else check_core(path, lines)
    elif path.suffix in COMMENTS:
        prose = (line for line in enumerate(lines, 1) if not DRAWN.search(line[1]))
        found += check_comments(prose, COMMENTS[path.suffix])
    if path.suffix == ".rs" and path.parts[0] == "crates" and path.parts[2] == "src":
        found += check_rust(path, text.splitlines())
    return found


def check_comments(lines: Iterable[tuple[int, str]], comment: re.Pattern) -> list[str]:
    """Comments among numbered lines that are too long."""
    return [
        f"line {number}: a comment of {len(line)} columns, {COLUMNS} at most"
        for number, line in lines
        if len(line) > COLUMNS and comment.match(line)
    ]


def check_core(path: Path, lines: list[str]) -> list[str]:
    """What is wrong with a file of a core that somebody wrote."""
    found = []
    if "rtl" in path.parts and len(lines) > RTL_LINES:
        found.append(f"{len(lines)} lines: RTL has {RTL_LINES} at most, cut it by function")
    if path.suffix != ".md":
        found += check_comments(enumerate(lines, 1), COMMENT)
    return found


def check_rust(path: Path, lines: list[str]) -> list[str]:
    """What is too long in a source of a crate."""
    if path.name in NOT_MEASURED:
        return []
    found = []
    if len(lines) > RUST_LINES:
        found.append(f"{len(lines)} lines: {RUST_LINES} at most, split it by meaning")
    for first, line in enumerate(lines):
        if not (match := FUNCTION.match(line)):
            continue
        # Its signature ends with a brace, unless it has no body.
        body = next((n for n in range(first, len(lines)) if lines[n].endswith(("{", ";", "}"))), 0)
        end = match.group(1) + "}"
        if lines[body].endswith("{") and end in lines[body:]:
            count = lines.index(end, body) - first + 1
            if count > FUNCTION_LINES:
                name = match.group(5)
                found.append(
                    f"line {first + 1}: {name} has {count} lines, {FUNCTION_LINES} at most"
                )
    return found


def main() -> int:
    """Command line."""
    bad = 0
    for path in ignored_sources():
        print(f"{path}: hidden by .gitignore")
        bad += 1
    for path in tracked():
        for complaint in check_file(path):
            print(f"{path}: {complaint}")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
