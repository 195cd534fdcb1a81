#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints an instance of a module with every parameter and port, to begin a design of one's own.

usage: instance.py MODULE

The parameters are constants with their defaults, and each port has a signal of its name, so that
the text stands in any module as it is: change what differs, leave out outputs that nobody reads.
"""

from __future__ import annotations

import argparse
import re
import signal
from pathlib import Path

from common import ROOT, fail

PARAMETER = re.compile(r"(parameter|localparam) +(.+?) +(\w+) += (.+)")
PORT = re.compile(r"(input|output) +([\w:]+(?: signed)?) *((?:\[[^\]]*\] *)*)(\w+)")


def source_of(module: str) -> Path:
    """The file of a module."""
    found = sorted((ROOT / "cores").glob(f"*/rtl/{module}.sv"))
    if not found:
        fail(f"there is no module {module!r}; one of cores/*/rtl is accepted, as rifl or eth_mac")
    return found[0]


def lines_of(text: str) -> list[tuple[str, str]]:
    """What is declared, one piece a line without its comma, and the comment behind it."""
    parts = []
    for raw in text.splitlines():
        code, _, comment = raw.partition("//")
        if code.strip():
            parts.append((code.strip().rstrip(","), comment.strip()))
    return parts


def aligned(names: list[str]) -> list[str]:
    """Connections by name."""
    width = max(map(len, names))
    return [f"  .{name:{width}}({name})" for name in names]


def instance(module: str) -> str:
    """The text."""
    head = re.search(
        rf"^module {module}\b(.*?)(?:#\(\n(.*?)\n\)\s*)?\(\n(.*?)\n\);$",
        source_of(module).read_text(),
        re.MULTILINE | re.DOTALL,
    )
    if not head:
        fail(f"{module}: its head is not written as those of the other modules")
    imports, parameters, ports = head.groups()
    out = [f"import {package}::*;" for package in re.findall(r"import (\w+)::", imports)]

    passed = []
    for code, comment in lines_of(parameters or ""):
        found = PARAMETER.fullmatch(code)
        if not found:
            fail(f"{module}: no parameter: {code}")
        kind, type_name, name, value = found.groups()
        note = f"  // {comment}" if comment else ""
        out.append(f"localparam {type_name} {name} = {value};{note}")
        if kind == "parameter":
            passed.append(name)

    signals = []
    for code, comment in lines_of(ports):
        found = PORT.fullmatch(code)
        if not found:
            fail(f"{module}: no port: {code}")
        direction, type_name, widths, name = found.groups()
        sized = re.sub(r" +", "", widths)
        note = f"{direction}, {comment}" if comment else direction
        out.append(f"{type_name} {sized + ' ' if sized else ''}{name};  // {note}")
        signals.append(name)

    out.append("")
    if passed:
        out += [f"{module} #(", ",\n".join(aligned(passed)), f") u_{module} ("]
    else:
        out.append(f"{module} u_{module} (")
    return "\n".join([*out, ",\n".join(aligned(signals)), ");"])


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module", metavar="MODULE", help="rifl, rifl_link, htsp, eth_mac, ...")
    # Whoever reads it may stop reading.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    print(instance(parser.parse_args().module))


if __name__ == "__main__":
    main()
