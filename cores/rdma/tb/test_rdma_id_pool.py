# SPDX-License-Identifier: Apache-2.0
"""rdma_id_pool: fills itself, gives numbers in the order in which they rest, takes none back that is not out."""

from collections import deque

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge
from tb_common import build_and_run, params, reset, rng, rtl, start_clock

# Count, First, Step: the TIDs of the engine, and a small one with steps.
POOLS = [(512, 0, 1), (3, 5, 2)]
ID_WIDTH = 10


class Bench:
    """Sets the inputs of a cycle, compares all outputs with a list, takes the edge."""

    def __init__(self, dut):
        p = params()
        self.dut = dut
        self.all = [p["First"] + i * p["Step"] for i in range(p["Count"])]
        self.free, self.out = deque(), set()
        start_clock(dut.clk_i, 1000)
        dut.take_ready_i.value = 0
        dut.put_valid_i.value = 0

    async def start(self):
        """Reset: nothing leaves for as many cycles as there are numbers."""
        dut = self.dut
        dut.take_ready_i.value = 1
        await FallingEdge(dut.clk_i)
        await reset(dut.clk_i, dut.rst_i, 1)
        for _ in self.all:
            assert dut.ready_o.value == 0 and dut.take_valid_o.value == 0
            await RisingEdge(dut.clk_i)
        assert dut.ready_o.value == 1
        dut.take_ready_i.value = 0
        self.free, self.out = deque(self.all), set()
        # The number that was ready at that edge has left.
        self.out.add(self.free.popleft())
        await FallingEdge(dut.clk_i)

    async def step(self, take=False, put=None):
        """Returns what was taken, and whether the number that was put was accepted."""
        dut, taken = self.dut, None
        dut.take_ready_i.value = take
        dut.put_valid_i.value = put is not None
        if put is not None:
            dut.put_id_i.value = put
        await RisingEdge(dut.clk_i)
        assert dut.ready_o.value == 1
        assert dut.free_o.value == len(self.free)
        assert dut.take_valid_o.value == int(bool(self.free))
        accepted = put is not None and put in self.out
        assert dut.refused_o.value == int(put is not None and not accepted)
        if self.free:
            assert dut.take_id_o.value == self.free[0]
            if take:
                taken = self.free.popleft()
                self.out.add(taken)
        if accepted:
            self.out.remove(put)
            self.free.append(put)
        await FallingEdge(dut.clk_i)
        return taken, accepted


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def all_out_and_back(dut):
    bench = Bench(dut)
    await bench.start()
    while bench.free:
        await bench.step(take=True)
    assert bench.out == set(bench.all)
    assert await bench.step(take=True) == (None, False)
    # Back in another order, each twice: the second time it is refused.
    order = bench.all[1::2] + bench.all[::2]
    for number in order:
        assert (await bench.step(put=number))[1]
        assert not (await bench.step(put=number))[1]
    # They leave in the order in which they came; one comes back in the cycle in which the next
    # leaves.
    before = None
    for number in order:
        taken, accepted = await bench.step(take=True, put=before)
        assert taken == number and accepted == (before is not None)
        before = number


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def nothing_foreign(dut):
    bench, p = Bench(dut), params()
    await bench.start()
    await bench.step(take=True)
    for number in range(1 << ID_WIDTH):
        if number not in bench.out:
            assert not (await bench.step(put=number))[1]
    # Not in the cycle in which it leaves either: it is not out yet.
    first = bench.free[0]
    assert await bench.step(take=True, put=first) == (first, False)
    assert len(bench.free) == p["Count"] - 3


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def random_traffic(dut):
    random, bench = rng("traffic"), Bench(dut)
    await bench.start()
    for step in range(3000):
        put = None
        if random.random() < (0.3, 0.9)[step // 500 % 2]:
            put = random.choice(
                sorted(bench.out) if bench.out and random.random() < 0.8 else bench.all
            )
        await bench.step(random.random() < (0.9, 0.3)[step // 500 % 2], put)
        if step == 1700:
            await bench.start()


@pytest.mark.parametrize(("count", "first", "step"), POOLS)
def test_rdma_id_pool(count, first, step):
    parameters = {"Count": count, "First": first, "Step": step, "IdWidth": ID_WIDTH}
    build_and_run("rdma_id_pool", rtl("prim", "rdma"), parameters, __name__)
