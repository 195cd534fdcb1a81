# SPDX-License-Identifier: Apache-2.0
"""A word-level netlist as a graph of bits: registers, memories, ports, and the logic between them.

Reads what Yosys writes with `write_json` after `read_slang; proc; memory_collect`. Nothing is mapped, so a register has
the name that it has in the source, and a cell says the line it was made from.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

FLIP_FLOPS = {
    "$dff", "$dffe", "$adff", "$adffe", "$sdff", "$sdffe", "$sdffce", "$aldff", "$aldffe", "$dffsr", "$dffsre",
}  # fmt: skip
ASYNCHRONOUS_PINS = ("ARST", "ALOAD", "SET", "CLR")
# Output bit i depends on bit i of these inputs, and on all of S.
BITWISE = {
    "$and",
    "$or",
    "$xor",
    "$xnor",
    "$not",
    "$pos",
    "$buf",
    "$mux",
    "$pmux",
    "$bmux",
    "$bwmux",
}
BITWISE_ALL = "S"
# The one cell that makes a clock: its latch counts as a register of the clock that it gates.
GATE = "prim_clock_gate"
# State that is no register of a clock.
UNCLOCKED = {"$dlatch", "$adlatch", "$dlatchsr", "$sr", "$ff", "$anyinit", "$tribuf"}


@dataclass
class Register:
    """A register or a memory: what starts a path and what ends one."""

    path: str  # instance names, then the name of the register
    module: str  # the module that declares it
    place: str  # file and line
    clock: int | str  # the bit of the net that clocks it
    memory: bool = False
    bits: list[int | str] = field(default_factory=list)  # what it drives
    ends: list[tuple[str, int, int | str]] = field(default_factory=list)  # pin, index, bit
    asynchronous: list[tuple[str, int | str]] = field(default_factory=list)  # pin, bit


class Netlist:
    """One module without instances."""

    def __init__(self, module: dict):
        self.ports: dict[str, dict] = module["ports"]
        self.registers: list[Register] = []
        self.at: dict[int, tuple[Register, int]] = {}  # register bit -> register and index
        self.inputs: dict[int, tuple[str, int]] = {}  # port bit -> port and index
        self.strange: list[str] = []  # cells that this graph knows nothing of
        self._deps: dict[int, tuple] = {}  # bit -> the bits it depends on
        self._place: dict[int, str] = {}  # bit made by logic -> cell and line
        self._or: dict[int, list] = {}  # bit that is the or of others -> those
        self._virtual = 0
        self._gated: dict[int, int] = {}  # what a clock gate passes -> the clock
        self._mux: dict[int, tuple] = {}  # bit made by a multiplexer -> its inputs and its select
        for name, port in self.ports.items():
            if port["direction"] != "output":
                for index, bit in enumerate(port["bits"]):
                    self.inputs[bit] = (name, index)
        latches = []
        for name, cell in module["cells"].items():
            kind = cell["type"]
            if kind == "$dlatch" and Path(place_of(cell).split(":")[0]).stem == GATE:
                latches.append((name, cell))
                continue
            if kind in FLIP_FLOPS:
                self._flip_flop(name, cell)
            elif kind == "$mem_v2":
                self._memory(name, cell)
            elif kind == "$scopeinfo" or kind == "$check" or kind == "$print":
                continue
            elif kind in UNCLOCKED or not kind.startswith("$"):
                self.strange.append(f"{kind} {name} at {place_of(cell)}")
            else:
                self._logic(cell)

        for name, cell in latches:
            self._clock_gate(name, cell)

    def _clock_gate(self, name: str, cell: dict) -> None:
        """A gate is its latch: what opens it is the clock, and what it lets through is that clock."""
        pins = cell["connections"]
        (held,) = pins["Q"]
        (clock,) = self._made_of(pins["EN"][0])
        register = self._register(name.removeprefix("$driver$"), cell, clock)
        register.bits = [held]
        self.at[held] = (register, 0)
        enables = [b for b in self._made_of(pins["D"][0]) if b not in (held, clock)]
        register.ends = [("D", 0, bit) for bit in enables]
        near = {b for b, inputs in self._deps.items() if held in inputs}
        near |= {b for b, inputs in self._deps.items() if near.intersection(inputs)}
        for out in near:
            if self._made_of(out) == {held, clock}:
                self._gated[out] = clock
        self._deps.update((out, (held,)) for out in near if out in self._gated)

    def _made_of(self, bit: int | str) -> set[int]:
        """The bits behind the logic that makes a bit."""
        inputs = self._deps.get(bit)
        return {bit} if inputs is None else set().union(*map(self._made_of, inputs))

    def ungated(self, bit: int | str) -> int | str:
        """The clock that gates pass edges of; of another bit itself."""
        while bit in self._gated:
            bit = self._gated[bit]
        return bit

    def deps(self, bit: int | str) -> tuple:
        """The bits of the inputs of the cell that makes this bit; none for what starts a path."""
        return self._deps.get(bit, ())

    def place(self, bit: int | str) -> str:
        """File and line of the logic that makes a bit."""
        return self._place.get(bit, "")

    def is_logic(self, bit: int | str) -> bool:
        """Whether a cell makes this bit, and no register, port or constant."""
        return bit in self._deps

    def _register(self, path: str, cell: dict, clock: int | str, memory: bool = False) -> Register:
        place = place_of(cell)
        register = Register(path, Path(place.split(":")[0]).stem, place, clock, memory)
        self.registers.append(register)
        return register

    def _flip_flop(self, name: str, cell: dict) -> None:
        pins = cell["connections"]
        path = name.removeprefix("$driver$")
        register = self._register(path, cell, pins["CLK"][0])
        register.bits = pins["Q"]
        for index, bit in enumerate(pins["Q"]):
            self.at[bit] = (register, index)
        for pin in ("D", "EN", "SRST", "AD"):
            register.ends += [(pin, i, bit) for i, bit in enumerate(pins.get(pin, []))]
        for pin in ASYNCHRONOUS_PINS:
            register.asynchronous += [(pin, bit) for bit in pins.get(pin, [])]

    def _memory(self, name: str, cell: dict) -> None:
        """Each clock that writes makes a register of its own; a read without a clock is logic behind it."""
        pins, params = cell["connections"], cell["parameters"]
        width, abits = int(params["WIDTH"], 2), int(params["ABITS"], 2)
        contents: dict[int | str, tuple[Register, int]] = {}
        for port in range(int(params["WR_PORTS"], 2)):
            clock = pins["WR_CLK"][port]
            if clock not in contents:
                self._virtual -= 1
                register = self._register(name, cell, clock, memory=True)
                register.bits = [self._virtual]
                self.at[self._virtual] = (register, 0)
                contents[clock] = (register, self._virtual)
            ends = contents[clock][0].ends
            for pin, size in (("WR_ADDR", abits), ("WR_DATA", width), ("WR_EN", width)):
                bits = pins[pin][port * size : (port + 1) * size]
                ends += [(pin, i, bit) for i, bit in enumerate(bits)]
        stored = [bit for _, bit in contents.values()]
        clocked = params["RD_CLK_ENABLE"][::-1]
        for port in range(int(params["RD_PORTS"], 2)):
            address = pins["RD_ADDR"][port * abits : (port + 1) * abits]
            data = pins["RD_DATA"][port * width : (port + 1) * width]
            if clocked[port] == "1":
                register = self._register(f"{name}(read {port})", cell, pins["RD_CLK"][port])
                register.bits = data
                for index, bit in enumerate(data):
                    self.at[bit] = (register, index)
                control = [pins["RD_EN"][port], pins["RD_SRST"][port]]
                register.ends += [("RD", i, b) for i, b in enumerate([*address, *control, *stored])]
                register.asynchronous = [("RD_ARST", pins["RD_ARST"][port])]
            else:
                self._all_of([*address, *stored], data, place_of(cell))

    def _all_of(self, inputs: list, outputs: list, place: str) -> None:
        """Every output depends on every input, by way of a bit that stands for all of them."""
        self._virtual -= 1
        self._deps[self._virtual] = tuple(dict.fromkeys(b for b in inputs if isinstance(b, int)))
        self._place[self._virtual] = place
        for bit in outputs:
            self._deps[bit] = (self._virtual,)
            self._place[bit] = place

    def _logic(self, cell: dict) -> None:
        kind, pins = cell["type"], cell["connections"]
        place = place_of(cell)
        outputs = [
            b for p, bits in pins.items() if cell["port_directions"][p] == "output" for b in bits
        ]
        given = {p: bits for p, bits in pins.items() if cell["port_directions"][p] == "input"}
        if kind in ("$logic_or", "$reduce_or", "$reduce_bool") or (
            kind == "$or" and len(outputs) == 1
        ):
            self._or[outputs[0]] = [b for bits in given.values() for b in bits]
        if kind not in BITWISE:
            self._all_of([b for bits in given.values() for b in bits], outputs, place)
            return
        width = len(outputs)
        for index, out in enumerate(outputs):
            bits: list = []
            for pin, wires in given.items():
                if pin == BITWISE_ALL and kind != "$bwmux":
                    bits += wires
                elif (pin == "B" and kind == "$pmux") or (pin == "A" and kind == "$bmux"):
                    bits += wires[index::width]
                elif index < len(wires):
                    bits.append(wires[index])
                elif int(cell["parameters"].get(f"{pin}_SIGNED", "0"), 2):
                    bits.append(wires[-1])
            self._deps[out] = tuple(dict.fromkeys(b for b in bits if isinstance(b, int)))
            self._place[out] = place
            if kind == "$mux":
                # For whoever wants to look through the multiplexer of a synchronous reset.
                self._mux[out] = (pins["A"][index], pins["B"][index], pins["S"][0])

    def alternatives(self, bit: int | str) -> list[int | str]:
        """The bits whose or this one is; itself if it is none."""
        return [one for b in self._or.get(bit, ()) for one in self.alternatives(b)] or [bit]

    def without_reset(self, bit: int | str) -> tuple[int | str, list]:
        """What a flip-flop is loaded with outside its synchronous reset, and the resets passed on the way."""
        resets = []
        while bit in self._mux:
            a, b, select = self._mux[bit]
            if isinstance(b, str):
                bit = a
            elif isinstance(a, str):
                bit = b
            else:
                break
            resets.append(select)
        return bit, resets


def place_of(cell: dict) -> str:
    """File and line of a cell."""
    first = cell["attributes"].get("src", "").split("|")[0]
    return re.sub(r"(:\d+)\.\d.*", r"\1", first)


def load(path: Path, top: str) -> Netlist:
    """Read one module of a JSON netlist."""
    return Netlist(json.loads(path.read_text())["modules"][top])
