# SPDX-License-Identifier: Apache-2.0
"""prim_sync_setting: only whole values arrive, in order, the last one always, whatever clock stands still."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer
from tb_common import StoppableClock, build_and_run, cycles, params, rng, rtl

CLOCKS = [(1000, 1000, 430), (1000, 1006, 0), (8000, 1000, 0), (1000, 7010, 0)]
INIT = 0x5A


class Bench:
    def __init__(self, dut, clocks, random):
        self.dut, self.random = dut, random
        dut.src_value_i.value = 0
        dut.src_rst_i.value = 0
        self.src = StoppableClock(dut.src_clk_i, clocks[0], clocks[2])
        self.dst = StoppableClock(dut.dst_clk_i, clocks[1])
        self.given, self.taken = [], []  # values at src edges, values that came with dst_changed_o
        self.before = None

    async def _give(self):
        while True:
            await RisingEdge(self.dut.src_clk_i)
            self.given.append(int(self.dut.src_value_i.value))

    async def _take(self):
        at, before = 0, self.before
        while True:
            await RisingEdge(self.dut.dst_clk_i)
            value = int(self.dut.dst_value_o.value)
            assert self.dut.dst_valid_o.value == 1
            if self.dut.dst_changed_o.value == 1:
                at = self.given.index(value, at)  # in order, and nothing that was never there
                self.taken.append(value)
            else:
                assert value == before
            before = value

    async def begin(self):
        """What the test before has left goes over; from here on everything is checked."""
        await self.settled()
        self.before = int(self.dut.dst_value_o.value)
        cocotb.start_soon(self._give())
        cocotb.start_soon(self._take())

    async def settle(self):
        # A transfer under way, the answer to it, and one more.
        await Timer(12 * (self.src.period + self.dst.period), "ps")

    async def settled(self):
        await self.settle()
        assert int(self.dut.dst_value_o.value) == int(self.dut.src_value_i.value)
        assert self.dut.dst_valid_o.value == 1


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def the_first_value(dut):
    """Runs first: InitValue until the first value has come, which does even if it equals the register."""
    dut.dst_clk_i.value = 0
    dut.src_clk_i.value = 0
    await Timer(1, "ps")
    assert dut.dst_value_o.value == INIT and dut.dst_valid_o.value == 0
    bench = Bench(dut, (1000, 1006, 0), rng("first"))
    bench.src.stop()
    await cycles(dut.dst_clk_i, 20)
    bench.src.start()
    await bench.settled()


@cocotb.test(timeout_time=10, timeout_unit="ms")
@cocotb.parametrize(clocks=CLOCKS)
async def values_arrive_whole(dut, clocks):
    bench = Bench(dut, clocks, rng(f"{clocks}"))
    random, width = bench.random, params()["Width"]
    await bench.begin()
    for _ in range(150):
        dut.src_value_i.value = random.getrandbits(width)
        await cycles(dut.src_clk_i, random.choice([1, 2, 3, 20, 60]))
    await bench.settled()
    count = len(bench.taken)
    await cycles(dut.dst_clk_i, 20)
    assert len(bench.taken) == count > 40


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def nothing_leaves_in_reset(dut):
    """What the register shows while it is in reset is no value; what stands there behind it is."""
    bench = Bench(dut, (1000, 1006, 0), rng("reset"))
    random, width = bench.random, params()["Width"]
    await bench.begin()
    for _ in range(40):
        dut.src_rst_i.value = 1
        await bench.settle()
        before = int(dut.dst_value_o.value)
        for _ in range(random.randrange(1, 20)):
            dut.src_value_i.value = random.getrandbits(width)
            await RisingEdge(dut.src_clk_i)
            assert int(dut.dst_value_o.value) == before
        dut.src_rst_i.value = 0
        await bench.settled()


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def clocks_stand_still(dut):
    bench = Bench(dut, (1000, 1002, 0), rng("still"))
    random, width = bench.random, params()["Width"]
    await bench.begin()
    for _ in range(60):
        stopped = random.choice([bench.src, bench.dst])
        stopped.stop()
        for _ in range(random.randrange(1, 8)):
            dut.src_value_i.value = random.getrandbits(width)
            await Timer(2 * random.randrange(1, 4000) + 1, "ps")
        stopped.period = random.choice([1000, 1002, 8000])
        stopped.start()
        await bench.settled()


@pytest.mark.parametrize("jitter", [False, True])
def test_prim_sync_setting(jitter):
    parameters = {"Width": 24, "InitValue": f"24'd{INIT}"}
    build_and_run("prim_sync_setting", rtl("prim"), parameters, __name__, sync_jitter=jitter)
