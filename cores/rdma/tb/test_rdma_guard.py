# SPDX-License-Identifier: Apache-2.0
"""rdma_guard: a block goes on or is refused as its windows say; no report of another is lost."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge
from tb_common import ROOT, build_and_run, reset, rng, rtl, start_clock

NODE, DOMAINS, WINDOWS = 3, 4, 4
READ, WRITE = 1, 2
SPACE = 1 << 48


class Bench:
    """One set of inputs a cycle; keeps what was taken and what came out."""

    def __init__(self, dut):
        self.dut, self.random, self.cycle = dut, rng("guard"), 0
        self.windows = []
        self.waiting, self.refused, self.passed = [], [], []
        self.taken_at, self.passed_at = [], []
        start_clock(dut.clk_i, 1000)
        for pin in (dut.window_valid_i, dut.s_valid_i, dut.m_ready_i, dut.sent_valid_i):
            pin.value = 0

    async def start(self):
        """Windows of any rights, some of which touch or end with the address space."""
        dut = self.dut
        await reset(dut.clk_i, dut.rst_i, 2)
        while dut.ready_o.value != 1:
            await FallingEdge(dut.clk_i)
        windows = []
        for domain in range(DOMAINS):
            at = self.random.randrange(1 << 40)
            for slot in range(WINDOWS):
                first = at + self.random.choice((0, 1, 4096, 1 << 24))
                last = first + self.random.randrange(1, 1 << 26)
                if slot == WINDOWS - 1:
                    first, last = SPACE - 70_000, SPACE - 1
                at = last + 1
                windows.append((slot, (domain, self.random.randrange(4), first, last)))
        await self.set(windows)

    async def set(self, windows):
        """Every slot of every domain: (slot, (domain, rights, first, last))."""
        dut = self.dut
        await FallingEdge(dut.clk_i)
        # In any order: what sets one leaves the others as they are.
        for slot, window in self.random.sample(windows, len(windows)):
            dut.window_valid_i.value, dut.window_slot_i.value = 1, slot
            dut.window_domain_i.value, dut.window_rights_i.value = window[:2]
            dut.window_first_i.value, dut.window_last_i.value = window[2:]
            await FallingEdge(dut.clk_i)
        self.windows = [window for _, window in windows]
        # Without valid the others say nothing.
        dut.window_valid_i.value = 0
        dut.window_rights_i.value = READ | WRITE
        dut.window_first_i.value, dut.window_last_i.value = 0, SPACE - 1

    def allows(self, domain, source, size, foreign):
        """Whether a block may be read: for a transfer of this node, or one that another requested."""
        mask, first = (READ if foreign else READ | WRITE), source % SPACE
        if source >> 48 != NODE or not size:
            return False
        return any(
            of == domain and rights & mask and low <= first and first + size - 1 <= high
            for of, rights, low, high in self.windows
        )

    def block(self):
        """A block at an edge of a window, or somewhere; one in six has no byte, and may not go."""
        random = self.random
        domain, _, first, last = random.choice(self.windows)
        size = random.choice(
            (0, 1, 64, 65536, random.randrange(1, 65537), random.randrange(1, 65537))
        )
        near = random.choice((first, last + 1 - size, first - 1, last + 2 - size))
        source = random.choice((near, near, near, random.randrange(SPACE))) % SPACE
        node = NODE if random.random() < 0.9 else random.randrange(1 << 16)
        domain = domain if random.random() < 0.9 else random.choice((0, 1, 2, 3, 4, 255))
        return domain, source | node << 48, size, random.random() < 0.5

    async def step(self, block=None, tid=0, ready=1, sent=None):
        """A cycle; true: the block was taken."""
        dut = self.dut
        await FallingEdge(dut.clk_i)
        dut.s_valid_i.value = int(block is not None)
        if block is not None:
            dut.s_domain_i.value, dut.s_source_i.value = block[:2]
            dut.s_size_i.value, dut.s_read_i.value = block[2], int(block[3])
            dut.s_tid_i.value = tid
        dut.m_ready_i.value = ready
        dut.sent_valid_i.value = int(sent is not None)
        dut.sent_i.value = sent or 0
        await RisingEdge(dut.clk_i)
        self.cycle += 1
        refused = dut.refused_o.value == 1
        assert dut.sent_valid_o.value == int(refused or sent is not None)
        if sent is not None:
            assert not refused and int(dut.sent_o.value) == sent
        if refused:
            self.refused.append(int(dut.sent_o.value) & 1023)
            assert int(dut.sent_o.value) >> 10 == 1
        if dut.m_valid_o.value == 1 and ready:
            self.passed.append((int(dut.m_tid_o.value), int(dut.m_source_o.value)))
            self.passed_at.append(self.cycle)
        taken = block is not None and dut.s_ready_o.value == 1
        if taken:
            self.taken_at.append(self.cycle)
        return taken


@cocotb.test()
async def every_block_is_judged(dut):
    """Random blocks, stops of what is behind, and reports of the send unit in between."""
    bench = Bench(dut)
    await bench.start()
    good, bad, tid = [], [], 0
    block = bench.block()
    # How many of them may go depends on the windows: as many cycles as it takes.
    while min(len(good), len(bad)) <= 500 or bench.cycle < 6000:
        assert bench.cycle < 60000, (len(good), len(bad))
        ready = int(bench.random.random() < 0.7)
        sent = bench.random.randrange(2048) if bench.random.random() < 0.5 else None
        if await bench.step(block, tid, ready, sent):
            (good if bench.allows(*block) else bad).append((tid, block[1]))
            tid, block = (tid + 1) % 1024, bench.block()
    for _ in range(40):
        await bench.step()
    assert bench.passed == good and bench.refused == [tid for tid, _ in bad]


@cocotb.test()
async def every_bit_of_an_edge(dut):
    """Windows anywhere in the address space, set anew again and again: their first and their last
    byte may go, and what is beside them may not, for each bit of an address."""
    bench = Bench(dut)
    await bench.start()
    random, good, bad, tid = bench.random, [], [], 0
    for _ in range(24):
        windows = []
        for domain in range(DOMAINS):
            for slot in range(WINDOWS):
                first = random.randrange(1, SPACE - 2)
                last = random.randrange(first, min(first + (2 << random.randrange(48)), SPACE - 1))
                windows.append((slot, (domain, random.randrange(1, 4), first, last)))
        await bench.set(windows)
        for domain, _, first, last in bench.windows:
            size = min(last - first + 1, random.randrange(1, 65537))
            edges = [(first, 1), (first, size), (last + 1 - size, size), (last, 1)]
            edges += [(first - 1, 1), (first - 1, 2), (last, 2), (last + 1, 1)]
            for at, length in edges:
                block = domain, NODE << 48 | at, length, random.random() < 0.5
                assert await bench.step(block, tid)
                (good if bench.allows(*block) else bad).append((tid, block[1]))
                tid = (tid + 1) % 1024
        for _ in range(5):
            await bench.step()
    assert bench.passed == good and bench.refused == [tid for tid, _ in bad]
    assert min(len(good), len(bad)) > 500


@cocotb.test()
async def a_block_a_cycle(dut):
    """Blocks that may go do so three cycles after they came, one in each cycle."""
    bench = Bench(dut)
    await bench.start()
    domain, _, first, _ = next(window for window in bench.windows if window[1] & READ)
    block = (domain, NODE << 48 | first, 1, True)
    for tid in range(100):
        assert await bench.step(block, tid)
    for _ in range(5):
        await bench.step()
    assert [tid for tid, _ in bench.passed] == list(range(100))
    assert bench.passed_at == [at + 3 for at in bench.taken_at]


def test_rdma_guard():
    sources = [*rtl("prim", "axis", "rdma"), ROOT / "cores/rdma/tb/rdma_guard_bench.sv"]
    build_and_run("rdma_guard_bench", sources, {}, __name__)
