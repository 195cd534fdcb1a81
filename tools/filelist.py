#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which SystemVerilog files make up a library, and in which order: what cores/*/*.core say.

usage: filelist.py [--lib NAME] [--only] [--top MODULE] [--absolute]

The FuseSoC core files are the only lists of files; everything here reads them through this module. For a library this
prints the RTL files of everything that it depends on and its own, dependencies first and in the order of the core files,
without --lib those of all libraries. Paths are relative to the repository root (the Yosys slang front end refuses paths
with "..", so every tool is run from the root); `filelist.py --absolute --lib rifl > rifl.f` is for use elsewhere.
"""

from __future__ import annotations

import argparse
import functools
import re
import signal
from dataclasses import dataclass
from pathlib import Path

import yaml
from common import ROOT, fail

# What has to stand in a core file: all SystemVerilog in these folders of a core.
LISTED = ("rtl", "rules", "formal")


@dataclass(frozen=True)
class Core:
    """One core file: what the library depends on, its RTL, and every file that is named for whatever purpose."""

    name: str
    library: str
    path: Path
    depends: tuple[str, ...]
    rtl: tuple[Path, ...]
    named: tuple[Path, ...]


def read_core(path: Path) -> Core:
    """Reads one core file; the RTL is what the filesets of the target `default` have unconditionally."""
    try:
        content = yaml.safe_load(path.read_text())
        filesets = content["filesets"]
        default = content["targets"]["default"]["filesets"]
        library, name = content["name"].split(":")[1:3]
    except (yaml.YAMLError, OSError, KeyError, TypeError, IndexError) as error:
        fail(f"{path}: cannot be read as a core file: {' '.join(str(error).split())}")
    depends: list[str] = []
    rtl: list[Path] = []
    named: list[Path] = []
    for label, fileset in filesets.items():
        kind = fileset.get("file_type")
        for entry in fileset.get("files", []):
            # A file with attributes is a mapping of one key.
            file, attributes = next(iter(entry.items())) if isinstance(entry, dict) else (entry, {})
            named.append(path.parent / file)
            if label in default and attributes.get("file_type", kind) == "systemVerilogSource":
                rtl.append(path.parent / file)
        if label in default:
            depends += [vlnv.split(":")[2] for vlnv in fileset.get("depend", [])]
    return Core(name, library, path, tuple(depends), tuple(rtl), tuple(named))


@functools.cache
def read_cores(folder: Path = ROOT / "cores") -> dict[str, Core]:
    """Every core, dependencies first; what testbenches share is none."""
    files = map(read_core, sorted(folder.glob("*/*.core")))
    found = {core.name: core for core in files if core.library == "cores"}
    cores: dict[str, Core] = {}

    def add(name: str, users: tuple[str, ...]) -> None:
        if name in users:
            fail(f"{found[name].path}: depends on itself: {' -> '.join((*users, name))}")
        if name not in found:
            fail(f"{found[users[-1]].path}: depends on {name!r}, which no core file is for")
        for other in found[name].depends:
            add(other, (*users, name))
        cores[name] = found[name]

    for name in found:
        add(name, ())
    return cores


def complaints(folder: Path = ROOT / "cores") -> list[str]:
    """Where core files and files do not agree: a file that is missing, in no core file, or twice in one."""
    read_cores(folder)
    found = []
    listed: set[Path] = set()
    for core in map(read_core, sorted(folder.glob("*/*.core"))):
        file_of = core.path.relative_to(folder)
        for file in sorted(set(core.named)):
            name = file.relative_to(core.path.parent)
            if not file.is_file():
                found.append(f"{file_of} names {name}, which does not exist")
            if core.rtl.count(file) > 1:
                found.append(f"{file_of} names {name} twice")
        listed.update(core.named)
    for part in LISTED:
        for file in sorted(folder.glob(f"*/{part}/**/*.sv")):
            if file not in listed:
                found.append(f"{file.relative_to(folder)} stands in no core file")
    return found


def libraries() -> list[str]:
    """Every library, dependencies first."""
    return list(read_cores())


def library_files(lib: str) -> list[str]:
    """The RTL files of one library alone."""
    return [str(file.relative_to(ROOT)) for file in read_cores()[lib].rtl]


def closure(lib: str) -> list[str]:
    """The library and everything it depends on, dependencies first."""
    order: list[str] = []
    for name in (*(n for other in read_cores()[lib].depends for n in closure(other)), lib):
        if name not in order:
            order.append(name)
    return order


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
    """The library a module belongs to, by the prefix of its name (`rifl_link`, `axis_width`, ...);
    the longest one counts."""
    found = [name for name in libraries() if f"{top}_".startswith(f"{name}_")]
    if not found:
        names = ", ".join(libraries())
        fail(f"module {top}: its prefix {top.split('_')[0]!r} is none of the libraries {names}")
    return max(found, key=len)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lib", choices=libraries(), help="a library and its dependencies")
    parser.add_argument("--only", action="store_true", help="leave the dependencies out")
    parser.add_argument("--top", metavar="MODULE", help="only what this module is made of")
    parser.add_argument("--absolute", action="store_true", help="print absolute paths")
    args = parser.parse_args()
    lib = args.lib or (library_of(args.top) if args.top else None)
    names = libraries() if lib is None else [lib] if args.only else closure(lib)
    files = [file for name in names for file in library_files(name)]
    if args.top:
        if not any(Path(file).stem == args.top for file in files):
            fail(f"there is no module {args.top} in {', '.join(names)}")
        files = files_of(args.top, files)
    # Whoever reads the list may stop reading.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for file in files:
        print(ROOT / file if args.absolute else file)


if __name__ == "__main__":
    main()
