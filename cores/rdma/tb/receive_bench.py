# SPDX-License-Identifier: Apache-2.0
"""A peer that sends to the receive unit and knows what memory has to be."""

from dataclasses import replace

from packets import (
    MESSAGE,
    Block,
    Packet,
)
from tb_common import rng
from units_bench import MEMORY

NODE, PEER, OTHER = 0, 1, 3
DOMAIN = 5
HERE = NODE << 48


class Peer:
    """Sends to the unit, and knows what memory has to be."""

    def __init__(self, bench):
        self.bench, self.random = bench, rng("peer")
        self.memory = bytearray(bench.content)

    def block(self, at, size, tid, sequence, tries=0, **fields):
        data = self.random.randbytes(size)
        block = Block(0, HERE | at, size, tid, sequence, tries, DOMAIN)
        return [replace(p, **fields) for p in block.packets(data, PEER, 3)]

    def message(self, at, data, tid, sequence, tries=0, **fields):
        packet = Packet(HERE | at, MESSAGE, tid, sequence, 3, PEER, DOMAIN, data, tries=tries)
        return replace(packet, **fields)

    def send(self, *packets, written=True):
        for packet in packets:
            self.bench.deliver(packet)
            if written:
                at = packet.address & (1 << 48) - 1
                self.memory[at : at + len(packet.payload)] = packet.payload

    async def settle(self, cycles=150):
        """Until everything that was sent is over; memory is what it has to be."""
        bench = self.bench
        await bench.quiet(cycles)
        found = bytes(bench.memory.read(0, MEMORY))
        wrong = [at for at in range(MEMORY) if found[at] != self.memory[at]]
        assert not wrong, (
            f"{len(wrong)} bytes from {wrong[0]:#x} to {wrong[-1]:#x} are not what they have to be"
        )

    def replies(self):
        """TID, number and NACK of the answers since the last look."""
        made, self.bench.made[:] = list(self.bench.made), []
        for _, _, epoch, domain, node, _ in made:
            assert (epoch, domain, node) == (3, DOMAIN, PEER)
        return [(tid, sequence, nack) for tid, sequence, _, _, _, nack in made]
