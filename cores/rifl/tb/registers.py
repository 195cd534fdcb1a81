# SPDX-License-Identifier: Apache-2.0
"""The register map as its description says it, and access to it over AXI4-Lite."""

from pathlib import Path

from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp
from systemrdl import RDLCompiler
from systemrdl.node import RegNode

DESCRIPTION = Path(__file__).resolve().parents[1] / "regs/rifl.rdl"


def description():
    """Every register by its path below the map, all elements of arrays included."""
    compiler = RDLCompiler()
    # A property that only the generator of the RTL knows is not needed here.
    compiler.compile_file(str(DESCRIPTION))
    top = compiler.elaborate().top
    found = {}
    for node in top.descendants(unroll=True):
        if isinstance(node, RegNode):
            found[node.get_path().split(".", 1)[1]] = node
    return found


REGISTERS = description()


class Registers:
    """The registers of one end."""

    def __init__(self, dut, prefix, clock, reset):
        self.bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, prefix), clock, reset)

    async def word(self, address):
        """A 32-bit read: value, and whether it was answered with OKAY."""
        answer = await self.bus.read(address, 4)
        return int.from_bytes(answer.data, "little"), answer.resp == AxiResp.OKAY

    async def read(self, path):
        """The whole register."""
        node = REGISTERS[path]
        value = 0
        for part in range(node.get_property("regwidth") // 32):
            word, okay = await self.word(node.absolute_address + 4 * part)
            assert okay, path
            value |= word << 32 * part
        return value

    async def field(self, path, name):
        """One field."""
        node = REGISTERS[path].get_child_by_name(name)
        return (await self.read(path)) >> node.low & (1 << node.width) - 1

    async def write_word(self, address, value):
        """A 32-bit write; whether it was answered with OKAY."""
        answer = await self.bus.write(address, value.to_bytes(4, "little"))
        return answer.resp == AxiResp.OKAY

    async def write(self, path, **fields):
        """Writes the whole register: the fields named, zero in all others."""
        value = 0
        for name, content in fields.items():
            node = REGISTERS[path].get_child_by_name(name)
            assert content >> node.width == 0, (path, name)
            value |= content << node.low
        assert await self.write_word(REGISTERS[path].absolute_address, value), path
