#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Logic levels between clocked cells of a mapped netlist, per clock.

usage: logic_levels.py NETLIST.json TOP [--paths N]

NETLIST.json is what `write_json` of Yosys gives after `synth_xilinx -flatten`. A level is one cell of logic (LUT, carry
or wide multiplexer) that a signal passes between two clocked cells; inverters are free, they fold into their load. An
asynchronous read of distributed RAM is a level too: the address goes in and the word comes out in the same cycle. End
points are the inputs of flip-flops (D, clock enable, set, reset), of shift registers and of both kinds of RAM.

This counts cells, it is no timing analysis: two designs mapped by the same tool can be compared by it.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

FREE = {"INV", "GND", "VCC", "BUF", "IBUF", "OBUF", "BUFG", "BUFGCTRL"}
RAM_PORT_B = re.compile(r"(ADDRB|ADDRENB|DINB|DINPB|ENB|REGCEB|RSTRAMB|RSTREGB|WEB)")
CLOCK_PINS = ("C", "CLK", "WCLK", "CLKARDCLK", "CLKBWRCLK", "G")


def is_flip_flop(kind: str) -> bool:
    """FDRE and its relatives."""
    return kind.startswith(("FD", "LD"))


def is_lut_ram(kind: str) -> bool:
    """Distributed RAM: written by a clock, read without one."""
    return kind.startswith("RAM") and not kind.startswith("RAMB")


def is_clocked(kind: str) -> bool:
    """Cells whose outputs start at a clock edge (apart from asynchronous reads, which `through` adds)."""
    return is_flip_flop(kind) or kind.startswith(("RAM", "SRL", "DSP", "URAM"))


def through(kind: str, pin_in: str, pin_out: str) -> bool:
    """Does a signal pass from this input to this output without a clock edge?"""
    if not is_clocked(kind):
        return True
    if kind.startswith("SRL"):
        return pin_in.startswith("A")
    if is_lut_ram(kind):
        if pin_in.startswith("ADDR"):  # RAM32M, RAM64M, ...: address A reads output A
            return pin_out.startswith("DO") and pin_in[4:5] == pin_out[2:3]
        if pin_in.startswith("DPRA"):  # dual-port single-bit forms
            return pin_out == "DPO"
        return pin_in.startswith("A") and pin_out in ("O", "SPO")
    return False


def is_end_point(kind: str, pin: str) -> bool:
    """Is this input sampled by a clock edge? Read addresses of distributed RAM are not, unless they also write."""
    if pin in CLOCK_PINS or not is_clocked(kind):
        return False
    if kind.startswith("SRL"):
        return not pin.startswith("A")
    if is_lut_ram(kind):
        if pin.startswith("ADDR"):
            return pin[4:5] == {"RAM32M16": "H", "RAM64M8": "H"}.get(kind, "D")
        return not pin.startswith("DPRA")
    return True


@dataclass
class Domain:
    """What was found in front of the cells of one clock."""

    end_points: int = 0
    levels: int = 0
    worst: list[tuple[int, str, tuple[int, str]]] = field(default_factory=list)


class Netlist:
    """A flattened netlist as a graph of bits."""

    def __init__(self, module: dict) -> None:
        """Index the drivers and choose a readable name for each bit."""
        self.cells: dict[str, dict] = module["cells"]
        self.driver: dict[int, tuple[str, str]] = {}
        for name, cell in self.cells.items():
            for pin, bits in cell["connections"].items():
                if cell["port_directions"].get(pin) == "output":
                    for bit in bits:
                        self.driver[bit] = (name, pin)
        self.ports: dict[str, dict] = module.get("ports", {})
        self.names: dict[int, str] = {}
        for name, net in module["netnames"].items():
            for index, bit in enumerate(net["bits"]):
                if isinstance(bit, int):
                    label = name if len(net["bits"]) == 1 else f"{name}[{index}]"
                    hidden = net.get("hide_name", 0)
                    old = self.names.get(bit)
                    if not hidden and (old is None or len(label) < len(old)):
                        self.names[bit] = label
        self.depth: dict[int, int] = {}
        self.back: dict[int, int | None] = {}

    def clock_of(self, bit: int) -> str:
        """The clock's name at its source, in front of any buffer."""
        seen = set()
        while bit in self.driver and bit not in seen:
            seen.add(bit)
            cell = self.cells[self.driver[bit][0]]
            if cell["type"] not in FREE:
                break
            inputs = [
                b
                for p, bits in cell["connections"].items()
                if cell["port_directions"].get(p) == "input"
                for b in bits
                if isinstance(b, int)
            ]
            if not inputs:
                break
            bit = inputs[0]
        return self.names.get(bit, f"net {bit}")

    def level(self, goal: int) -> int:
        """Levels in front of one bit, without recursion (carry chains are long)."""
        stack = [goal]
        open_bits: set[int] = set()
        while stack:
            bit = stack[-1]
            if bit in self.depth or bit not in self.driver:
                self.depth.setdefault(bit, 0)
                stack.pop()
                open_bits.discard(bit)
                continue
            cell_name, pin_out = self.driver[bit]
            cell = self.cells[cell_name]
            sources = [
                b
                for pin, bits in cell["connections"].items()
                if cell["port_directions"].get(pin) == "input"
                and through(cell["type"], pin, pin_out)
                for b in bits
                if isinstance(b, int)
            ]
            if bit not in open_bits:
                open_bits.add(bit)
                missing = [b for b in sources if b not in self.depth]
                loop = [b for b in missing if b in open_bits]
                if loop:
                    raise SystemExit(
                        f"combinational loop through {self.names.get(loop[0], loop[0])}"
                    )
                if missing:
                    stack.extend(missing)
                    continue
            step = 0 if cell["type"] in FREE else 1
            if not sources:
                self.depth[bit], self.back[bit] = (0, None)
            else:
                worst = max(sources, key=lambda b: self.depth[b])
                self.depth[bit] = self.depth[worst] + step
                self.back[bit] = worst
            open_bits.discard(bit)
            stack.pop()
        return self.depth[goal]

    def domains(self) -> dict[str, Domain]:
        """Every clock with the deepest logic in front of its cells; `(outputs)` for what leaves the module."""
        found: dict[str, Domain] = defaultdict(Domain)
        clocks: dict[int, str] = {}

        def note(clock: str, bit: int, where: str) -> None:
            domain = found[clock]
            levels = self.level(bit)
            domain.end_points += 1
            domain.levels = max(domain.levels, levels)
            domain.worst.append((levels, where, (bit, clock)))

        for name, cell in self.cells.items():
            kind = cell["type"]
            if not is_clocked(kind):
                continue
            pins = [p for p in CLOCK_PINS if p in cell["connections"]]
            for pin, bits in cell["connections"].items():
                if cell["port_directions"].get(pin) != "input" or not is_end_point(kind, pin):
                    continue
                # A block RAM has a clock for each of its two ports.
                side = [p for p in pins if ("BWR" in p) == bool(RAM_PORT_B.match(pin))]
                clock_bit = cell["connections"][(side or pins)[0]][0]
                if not isinstance(clock_bit, int):
                    continue
                if clock_bit not in clocks:
                    clocks[clock_bit] = self.clock_of(clock_bit)
                for bit in bits:
                    if isinstance(bit, int) and bit in self.driver:
                        note(clocks[clock_bit], bit, f"{name}.{pin}")
        for name, port in self.ports.items():
            if port["direction"] == "output":
                for bit in port["bits"]:
                    if isinstance(bit, int) and bit in self.driver:
                        note("(outputs)", bit, name)
        for domain in found.values():
            domain.worst.sort(key=lambda item: -item[0])
        return dict(found)

    def path(self, bit: int) -> list[str]:
        """The deepest path to a bit, from its start, as cell types with the named nets on the way."""
        steps: list[str] = []
        current: int | None = bit
        while current is not None:
            name = self.names.get(current, "")
            if current in self.driver:
                cell = self.cells[self.driver[current][0]]["type"]
                steps.append(f"{cell} {name}".strip())
            else:
                steps.append(f"input {name}".strip())
            current = self.back.get(current)
        return steps[::-1]


def load(netlist: Path, top: str) -> Netlist:
    """Read one module of a JSON netlist."""
    return Netlist(json.loads(netlist.read_text())["modules"][top])


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("netlist", type=Path)
    parser.add_argument("top")
    parser.add_argument(
        "--paths", type=int, default=0, metavar="N", help="print the N deepest paths of each clock"
    )
    args = parser.parse_args()
    graph = load(args.netlist, args.top)
    print_domains(graph, args.paths)


def print_domains(graph: Netlist, paths: int) -> None:
    """The table, and the deepest paths when asked for."""
    for clock, domain in sorted(graph.domains().items()):
        print(f"{clock:24} {domain.end_points:6} end points, at most {domain.levels} levels")
        for levels, where, (bit, _) in domain.worst[:paths]:
            print(f"    {levels} levels to {where}")
            for step in graph.path(bit):
                print(f"        {step}")


if __name__ == "__main__":
    main()
