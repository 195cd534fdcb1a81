# SPDX-License-Identifier: Apache-2.0
"""rdma_cutter: equal to a walk over the bytes of a transfer; first blocks pass stage 3 by; order under back-pressure."""

import itertools

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge
from tb_common import build_and_run, params, reset, rng, rtl, start_clock

ADDR_WIDTH, TAG_WIDTH = 48, 8


def walk(source, destination, size, block):
    """(source, destination, bytes, last) of each block, from boundary to boundary."""
    offset = 0
    while offset < size:
        here = min(block - (destination + offset) % block, size - offset)
        yield source + offset, destination + offset, here, offset + here == size
        offset += here


def by_bytes(source, destination, size, block):
    """The same, byte for byte."""
    places = itertools.groupby(range(size), lambda i: (destination + i) // block)
    for _, offsets in places:
        offsets = list(offsets)
        last = offsets[-1] == size - 1
        yield source + offsets[0], destination + offsets[0], len(offsets), last


class Bench:
    """Requests in, blocks out, compared in order; `rate` is how often the reader is ready."""

    def __init__(self, dut, random, rate=1.0):
        self.dut, self.random, self.rate = dut, random, rate
        self.expected, self.at_once, self.later = [], 0, 0
        start_clock(dut.clk_i, 1000)
        dut.s_valid_i.value = 0
        dut.m_ready_i.value = 0

    async def start(self):
        await reset(self.dut.clk_i, self.dut.rst_i)
        await FallingEdge(self.dut.clk_i)

    async def cycle(self):
        """One edge with what is set; true if the request moved."""
        dut = self.dut
        ready = self.random.random() < self.rate
        dut.m_ready_i.value = ready
        await RisingEdge(dut.clk_i)
        moved = dut.s_valid_i.value == 1 and dut.s_ready_o.value == 1
        if dut.m_valid_o.value == 1:
            block = [
                int(dut.m_source_o.value),
                int(dut.m_destination_o.value),
                int(dut.m_bytes_o.value),
                bool(dut.m_last_o.value),
                int(dut.m_tag_o.value),
            ]
            assert block == self.expected[0]
            if ready:
                self.expected.pop(0)
        await FallingEdge(dut.clk_i)
        return moved

    async def request(self, transfer, number, block, total):
        """One block of a transfer; `block` is what it has to be."""
        dut = self.dut
        source, destination, size = transfer
        tag = self.random.getrandbits(TAG_WIDTH)
        waiting = len(self.expected)
        self.expected.append([*block, tag])
        dut.s_valid_i.value = 1
        dut.s_source_i.value, dut.s_destination_i.value = source, destination
        dut.s_size_i.value, dut.s_number_i.value, dut.s_tag_i.value = size, number, tag
        first = True
        while True:
            moved = await self.cycle()
            assert dut.total_o.value == total and dut.last_o.value == block[3]
            if first and self.rate == 1.0:
                # With a reader that is always ready: at once, or a cycle later.
                self.at_once += len(self.expected) == 0 and waiting == 0
                self.later += len(self.expected) == 1
                assert moved
            first = False
            if moved:
                break
        dut.s_valid_i.value = 0

    async def transfer(self, source, destination, size, blocks=None):
        """All blocks of a transfer, or those with the given numbers."""
        limit = (1 << ADDR_WIDTH) - size
        source, destination = min(source, limit), min(destination, limit)
        reference = list(walk(source, destination, size, params()["BlockBytes"]))
        for number in blocks or range(len(reference)):
            number %= len(reference)
            await self.request(
                (source, destination, size), number, reference[number], len(reference)
            )

    async def drain(self):
        for _ in range(1000):
            if not self.expected:
                return
            await self.cycle()
        raise AssertionError("blocks are missing")


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def sizes(dut):
    """Sizes around the boundaries, at offsets 0, 1 and B - 1; the longest transfer has 65537 blocks."""
    block, random = params()["BlockBytes"], rng("sizes")
    bench = Bench(dut, random)
    await bench.start()
    for a in (0, 1, block - 1):
        room = block - a
        lengths = {1, room - 1, room, room + 1, 3 * block - a, 3 * block, 5 * block - a + 1} - {0}
        for size in sorted(lengths):
            await bench.transfer(random.getrandbits(47), 7 * block + a, size)
        if block > 1024:
            ends = (0, 1, 2, -3, -2, -1)
            await bench.transfer(random.getrandbits(47), a, 2**32 - 1, ends)
    # Every bit of a number is carried into both addresses, whatever the source borrows.
    longest = min(2**32 - 1, 65536 * block)
    numbers = [2**i + random.randrange(2**i) for i in range(16)]
    for below in (0, 1, block - 1):
        source = random.getrandbits(47) // block * block + below
        await bench.transfer(source, random.getrandbits(47), longest, [0, -1, *numbers])
    await bench.drain()
    assert list(by_bytes(9, 3, 40, 16)) == list(walk(9, 3, 40, 16))


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def latency(dut):
    """A first block leaves in the cycle in which it comes, later ones in the next; then the first of another behind it."""
    bench = Bench(dut, rng("latency"))
    block = params()["BlockBytes"]
    await bench.start()
    for _ in range(5):
        await bench.transfer(0, 1, 2)
    assert (bench.at_once, bench.later) == (5, 0)
    await bench.transfer(5, 0, 4 * block)
    assert (bench.at_once, bench.later) == (6, 3)
    # Stage 3 has a block: the next first one goes through it too, a block in every cycle.
    await bench.transfer(5, 0, 1)
    assert (bench.at_once, bench.later) == (6, 4)
    await bench.drain()
    await bench.transfer(5, 0, 1)
    assert (bench.at_once, bench.later) == (7, 4)


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def random_transfers(dut):
    block, random = params()["BlockBytes"], rng("random")
    bench = Bench(dut, random)
    await bench.start()
    for number in range(600):
        bench.rate = (1.0, 0.3, 0.7)[number // 50 % 3]
        size = random.choice((random.randrange(1, 2 * block), random.randrange(1, 6 * block)))
        source, destination = random.getrandbits(48), random.getrandbits(48)
        await bench.transfer(source, destination, size)
        while random.random() < 0.3:
            await bench.cycle()
    bench.rate = 1.0
    await bench.drain()


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def every_small_transfer(dut):
    """Every offset and every size up to three blocks."""
    block = params()["BlockBytes"]
    bench = Bench(dut, rng("small"))
    await bench.start()
    for destination in range(block):
        for size in range(1, 3 * block + 1):
            expected = list(by_bytes(1000, destination, size, block))
            for number, here in enumerate(expected):
                await bench.request((1000, destination, size), number, here, len(expected))
    await bench.drain()


@pytest.mark.parametrize("block", [8, 65536])
def test_rdma_cutter(block):
    parameters = {"BlockBytes": block, "AddrWidth": ADDR_WIDTH, "TagWidth": TAG_WIDTH}
    tests = ["sizes", "latency", "random_transfers"] + (
        ["every_small_transfer"] if block < 100 else []
    )
    build_and_run("rdma_cutter", rtl("prim", "rdma"), parameters, __name__, testcase=tests)
