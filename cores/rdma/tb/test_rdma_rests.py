# SPDX-License-Identifier: Apache-2.0
"""rdma_rests: who rests, and for how long, against a plain list, while the clock comes round."""

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge
from tb_common import build_and_run, params, rng, rtl, start_clock

SCRUB = 32  # cycles from one number that is looked at by itself to the next


class Bench:
    """Counts the cycles for the part, and knows when each rest is over."""

    def __init__(self, dut):
        self.dut, self.count = dut, params()["Count"]
        self.longest = (1 << params()["CostWidth"]) - 1
        self.round = 2 * (self.longest + 1)  # cycles until the clock is what it was
        self.now, self.over = 0, [0] * self.count
        start_clock(dut.clk_i, 1000)

    async def cycle(self, look=0, rests=None, clears=None):
        """One cycle: looks at a number, (number, cost) rests, a number is cleared."""
        dut, now = self.dut, self.now
        dut.now_i.value, dut.scrub_i.value = now % self.round, now % SCRUB == 0
        dut.look_number_i.value = look
        dut.rests_i.value, dut.clear_i.value = rests is not None, clears is not None
        dut.number_i.value, dut.cost_i.value = rests or (0, 0)
        dut.clear_number_i.value = clears or 0
        await RisingEdge(dut.clk_i)
        if now % SCRUB and clears is None:
            assert dut.due_o.value == (now >= self.over[look]), (now, look, self.over)
        if clears is not None:
            self.over[clears] = now
        elif rests is not None:
            self.over[rests[0]] = now + rests[1]
        self.now += 1
        await FallingEdge(dut.clk_i)

    async def start(self):
        """All numbers are cleared; nobody rests."""
        await FallingEdge(self.dut.clk_i)
        for number in range(self.count):
            await self.cycle(clears=number)
        for number in range(self.count):
            await self.cycle(number)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def each_by_itself(dut):
    """Every number rests for its cost and not a cycle more, from none to the longest; the others do
    not rest."""
    bench = Bench(dut)
    await bench.start()
    for cost in (0, 1, 2, SCRUB, bench.longest // 2, bench.longest - 1, bench.longest):
        for number in range(bench.count):
            await bench.cycle(rests=(number, cost))
            begun = bench.now
            while bench.now <= begun + cost:
                # The one that rests in most cycles, and in the last ones.
                other = bench.now % 3 == 0 and bench.now < begun + cost - 2
                await bench.cycle((number + other) % bench.count)
            assert bench.over[number] == begun - 1 + cost < bench.now


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def the_clock_comes_round(dut):
    """A rest that is over does not begin anew, however often the clock comes round, wherever in its
    round the rest was over."""
    bench, random = Bench(dut), rng("round")
    await bench.start()
    for turn in range(4):
        for number in range(bench.count):
            await bench.cycle(number, rests=(number, random.randrange(bench.longest + 1)))
            for _ in range(random.randrange(bench.round // 4)):
                await bench.cycle(random.randrange(bench.count))
        for _ in range(bench.round * (1 + turn % 2)):
            await bench.cycle(random.randrange(bench.count))


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def at_any_time(dut):
    """Numbers that rest, again before their rest is over, and are cleared, in any cycle, also in
    that in which they are looked at."""
    bench, random = Bench(dut), rng("any")
    await bench.start()
    for step in range(8000):
        look = rested = random.randrange(bench.count)
        if random.random() < 0.5:
            look = random.randrange(bench.count)
        often = (0.02, 0.3)[step // 1000 % 2]
        rests = (rested, random.randrange(bench.longest + 1) >> random.randrange(6))
        clears = random.randrange(bench.count)
        chance = random.random()
        await bench.cycle(
            look,
            rests if chance < often else None,
            clears if random.random() < often / 20 else None,
        )


@pytest.mark.parametrize(("count", "width"), [(2, 7), (8, 9)])
def test_rdma_rests(count, width):
    build_and_run("rdma_rests", rtl("prim", "rdma"), {"Count": count, "CostWidth": width}, __name__)
