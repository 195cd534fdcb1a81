#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""g++ for simulators of Verilator: its run-time library is compiled once for all of them, and its headers are read once.

usage: make CXX="python3 tools/cxx_store.py" ...

An object of the run-time library is compiled by the first command that has these flags, and copied for
the later ones; every other source is compiled as the command says, with the headers precompiled. Both lie
in build/cxx, named by a hash of the command and of the library's sources.
"""

import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

STORE = pathlib.Path(__file__).resolve().parent.parent / "build" / "cxx"
# What every model includes that has delays.
HEADERS = ("verilated.h", "verilated_timing.h")
HEADER = "verilated_stored.h"


def key(include: pathlib.Path, flags: list[str]) -> str:
    """Hash of everything that decides what the compiler makes of the library."""
    h = hashlib.sha256("\0".join([shutil.which("g++") or "", *flags]).encode())
    for source in sorted(include.glob("verilated*.[ch]*")):
        if source.is_file():
            h.update(source.name.encode() + source.read_bytes())
    return h.hexdigest()[:16]


def stored(command: list[str], made: pathlib.Path) -> int:
    """Runs a compiler that writes `made`, unless that is there; its exit status.

    The file appears whole or not at all; who wants it too meanwhile waits for it.
    """
    if made.exists():
        return 0
    part = made.with_name(f".{made.name}")
    with made.with_name(f"{made.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if made.exists():
            return 0
        status = subprocess.run([*command, "-o", str(part)], check=False).returncode
        if status == 0:
            part.replace(made)
        return status


def main(words: list[str]) -> int:
    """Compiles what the words of a command say."""
    roots = [word[2:] for word in words if word.startswith("-I") and word.endswith("/include")]
    if len(roots) != 1 or "-c" not in words or "-o" not in words:
        return subprocess.run(["g++", *words], check=False).returncode
    include = pathlib.Path(roots[0])
    at = words.index("-o")
    source, target = words[-1], pathlib.Path(words[at + 1])
    rest = [*words[:at], *words[at + 2 : -1]]
    flags = [word for word in rest if word not in ("-c", "-MMD")]
    folder = STORE / key(include, flags)
    folder.mkdir(parents=True, exist_ok=True)
    if pathlib.Path(source).parent == include:
        made = folder / target.name
        status = stored(["g++", *flags, "-c", source], made)
        if status == 0:
            shutil.copyfile(made, target)
        return status
    header = folder / HEADER
    # The same text whoever writes it, in a file of the writer's own until it is whole.
    part = folder / f".{HEADER}.{os.getpid()}"
    if not header.exists():
        part.write_text("".join(f"#include <{name}>\n" for name in HEADERS))
        part.replace(header)
    making = ["g++", *flags, "-x", "c++-header", str(header)]
    if status := stored(making, folder / f"{HEADER}.gch"):
        return status
    command = ["g++", *rest, "-include", str(header), "-o", str(target), source]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
