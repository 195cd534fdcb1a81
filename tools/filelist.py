#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The one place that knows which SystemVerilog files make up a library, and in which order.

usage: filelist.py [--lib NAME] [--only]

Libraries depend on each other in one direction (prim <- axis, line <- eth, rifl, htsp, rdma, slink). For a library this prints the RTL
files of everything it may use, dependencies first and packages first inside a library, as paths relative to the
repository root (the Yosys slang front end refuses paths with "..", so every tool is run from the root).
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from common import ROOT, fail

# A library may use those named here, and (through them) what those use.
DEPENDS: dict[str, tuple[str, ...]] = {
    "prim": (),
    "axis": ("prim",),
    "line": ("prim",),
    "eth": ("prim", "axis"),
    "rifl": ("prim", "axis", "line"),
    "htsp": ("prim", "axis"),
    "rdma": ("prim", "axis"),
    "slink": ("prim", "axis", "line"),
}


def libraries() -> list[str]:
    """Every library, dependencies first."""
    return list(DEPENDS)


def library_files(lib: str) -> list[str]:
    """The RTL files of one library alone, packages first."""
    rtl = ROOT / "cores" / lib / "rtl"
    files = sorted(rtl.glob("*.sv"), key=lambda p: (not p.stem.endswith("_pkg"), p.name))
    return [str(p.relative_to(ROOT)) for p in files]


def closure(lib: str) -> list[str]:
    """The library and everything it may use, dependencies first."""
    needed: set[str] = set()
    todo = [lib]
    while todo:
        name = todo.pop()
        if name not in needed:
            needed.add(name)
            todo.extend(DEPENDS[name])
    return [name for name in DEPENDS if name in needed]


def files_for(lib: str) -> list[str]:
    """The files to read for any top module of the library."""
    return [f for name in closure(lib) for f in library_files(name)]


def files_of(top: str, files: list[str]) -> list[str]:
    """Those of the files that a top module is made of, in the same order.

    So that a package which it has nothing to do with is not called unused.
    """
    text = {Path(f).stem: (ROOT / f).read_text() for f in files}
    needed, todo = set(), [top]
    while todo:
        name = todo.pop()
        if name not in needed:
            needed.add(name)
            words = set(re.findall(r"\w+", re.sub(r"//.*", "", text[name])))
            todo += [other for other in text if other in words]
    return [f for f in files if Path(f).stem in needed]


def library_of(top: str) -> str:
    """The library a module belongs to, by the prefix of its name (`rifl_link`, `axis_width`, ...)."""
    prefix = top.split("_")[0]
    if prefix not in DEPENDS:
        fail(f"module {top}: its prefix {prefix!r} is none of the libraries {', '.join(DEPENDS)}")
    return prefix


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lib", choices=libraries(), default=libraries()[-1])
    parser.add_argument("--only", action="store_true", help="leave the dependencies out")
    args = parser.parse_args()
    for name in library_files(args.lib) if args.only else files_for(args.lib):
        print(name)


if __name__ == "__main__":
    main()
