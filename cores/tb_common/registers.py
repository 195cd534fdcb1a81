# SPDX-License-Identifier: Apache-2.0
"""A register map as its description says it, and access to it over AXI4-Lite."""

from copy import copy

from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp
from systemrdl import RDLCompiler
from systemrdl.node import RegNode


def description(source):
    """Every register of a SystemRDL file by its path below the map, all elements of arrays included."""
    compiler = RDLCompiler()
    # A property that only the generator of the RTL knows is not needed here.
    compiler.compile_file(str(source))
    top = compiler.elaborate().top
    found = {}
    for node in top.descendants(unroll=True):
        if isinstance(node, RegNode):
            found[node.get_path().split(".", 1)[1]] = node
    return found


class Registers:
    """The registers of one end, by the paths of their description."""

    base = 0  # of the map on the bus

    def __init__(self, nodes, dut, prefix, clock, reset):
        self.nodes = nodes
        self.bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, prefix), clock, reset)

    def beside(self, nodes, base):
        """Another map on the same bus."""
        other = copy(self)
        other.nodes, other.base = nodes, base
        return other

    async def word(self, address):
        """A 32-bit read: value, and whether it was answered with OKAY."""
        answer = await self.bus.read(self.base + address, 4)
        return int.from_bytes(answer.data, "little"), answer.resp == AxiResp.OKAY

    async def read(self, path):
        """The whole register."""
        node = self.nodes[path]
        value = 0
        for part in range(node.get_property("regwidth") // 32):
            word, okay = await self.word(node.absolute_address + 4 * part)
            assert okay, path
            value |= word << 32 * part
        return value

    async def field(self, path, name):
        """One field."""
        node = self.nodes[path].get_child_by_name(name)
        return (await self.read(path)) >> node.low & (1 << node.width) - 1

    async def write_word(self, address, value):
        """A 32-bit write; whether it was answered with OKAY."""
        answer = await self.bus.write(self.base + address, value.to_bytes(4, "little"))
        return answer.resp == AxiResp.OKAY

    async def write(self, path, **fields):
        """Writes the whole register: the fields named, zero in all others."""
        register, value = self.nodes[path], 0
        for name, content in fields.items():
            node = register.get_child_by_name(name)
            assert content >> node.width == 0, (path, name)
            value |= content << node.low
        for part in range(register.get_property("regwidth") // 32):
            word = value >> 32 * part & 0xFFFFFFFF
            assert await self.write_word(register.absolute_address + 4 * part, word), path

    def own(self):
        """All that can be read, by their paths, outside of `observe`, which belongs to the core."""
        return {
            path: node
            for path, node in self.nodes.items()
            if node.has_sw_readable and not path.startswith("observe")
        }

    async def check_reset_values(self, but=()):
        """Every field has its reset value, except in the registers `but`."""
        for path, node in self.own().items():
            value = await self.read(path)
            for field in node.fields():
                reset = field.get_property("reset")
                if isinstance(reset, int) and path not in but:
                    found = value >> field.low & (1 << field.width) - 1
                    assert found == reset, field.get_path()

    async def check_writes(self, random, but=(), seen=lambda path, wanted: None):
        """What can be written keeps what is written; the rest refuses. Afterwards all is as before.

        but    names of fields that are left alone
        seen   called with each path and what its fields have, by name

        One-clears and single pulses have tests of their own.
        """
        writable = {node.absolute_address for node in self.nodes.values() if node.has_sw_writable}
        for path, node in self.own().items():
            plain = [
                field
                for field in node.fields()
                if field.is_sw_writable
                and not field.get_property("singlepulse")
                and not field.get_property("woclr")
                and field.inst_name not in but
            ]
            if plain:
                before = await self.read(path)
                wanted = {field.inst_name: random.getrandbits(field.width) for field in plain}
                await self.write(path, **wanted)
                for name, content in wanted.items():
                    assert await self.field(path, name) == content, f"{path}.{name}"
                seen(path, wanted)
                kept = {f.inst_name: before >> f.low & (1 << f.width) - 1 for f in plain}
                await self.write(path, **kept)
            elif node.absolute_address not in writable:
                assert not await self.write_word(node.absolute_address, 0), f"{path} took a write"

    async def forget_events(self):
        """No event is set, until the next one."""
        ones = {field.inst_name: 1 for field in self.nodes["events"].fields()}
        await self.write("events", **ones)
