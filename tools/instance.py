#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints an instance of a module with every parameter and port, to begin a design of one's own.

usage: instance.py MODULE [--unused PORT ...]

The parameters are constants with their defaults, and each port has a signal of its name, so that
the text stands in any module as it is: change what differs. Two would give the same names twice, so
each needs a module of its own. --unused names ports (irq_o) and groups of ports (s_axil is all that
begin with s_axil_) that have no signal: outputs are open, inputs 0, and 1 where they say ready.
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


def aligned(connections: dict[str, str]) -> str:
    """Connections by name."""
    width = max(map(len, connections))
    return ",\n".join(f"  .{name:{width}}({value})" for name, value in connections.items())


def tied(direction: str, name: str) -> str:
    """What a port is connected to that nobody uses."""
    return "" if direction == "output" else "'1" if name.endswith("ready") else "'0"


def instance(module: str, unused: tuple[str, ...] = ()) -> str:
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

    passed = {}
    for code, comment in lines_of(parameters or ""):
        found = PARAMETER.fullmatch(code)
        if not found:
            fail(f"{module}: no parameter: {code}")
        kind, type_name, name, value = found.groups()
        note = f"  // {comment}" if comment else ""
        out.append(f"localparam {type_name} {name} = {value};{note}")
        if kind == "parameter":
            passed[name] = name

    connected: dict[str, str] = {}
    used = set()
    for code, comment in lines_of(ports):
        found = PORT.fullmatch(code)
        if not found:
            fail(f"{module}: no port: {code}")
        direction, type_name, widths, name = found.groups()
        groups = {group for group in unused if f"{name}_".startswith(f"{group}_")}
        if groups:
            used |= groups
            connected[name] = tied(direction, name)
            continue
        sized = re.sub(r" +", "", widths)
        note = f"{direction}, {comment}" if comment else direction
        out.append(f"{type_name} {sized + ' ' if sized else ''}{name};  // {note}")
        connected[name] = name
    for group in unused:
        if group not in used:
            fail(
                f"{module}: no port is {group!r} or begins with '{group}_'; "
                f"accepted are {', '.join(connected)}, and their beginnings up to a '_'"
            )

    out.append("")
    if passed:
        out += [f"{module} #(", aligned(passed), f") u_{module} ("]
    else:
        out.append(f"{module} u_{module} (")
    out += [aligned(connected), ");"]
    if "" in connected.values():
        out.insert(out.index("") + 1, "// verilator lint_off PINCONNECTEMPTY")
        out.append("// verilator lint_on PINCONNECTEMPTY")
    return "\n".join(out)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module", metavar="MODULE", help="rifl, rifl_link, htsp, eth_mac, ...")
    parser.add_argument(
        "--unused",
        metavar="PORT",
        nargs="+",
        default=[],
        help="ports, or groups of them, without a signal: irq_o, s_axil (all s_axil_...), ...",
    )
    args = parser.parse_args()
    # Whoever reads it may stop reading.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    print(instance(args.module, tuple(args.unused)))


if __name__ == "__main__":
    main()
