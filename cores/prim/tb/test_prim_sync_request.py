# SPDX-License-Identifier: Apache-2.0
"""prim_sync_request: each request gets its own answer, or is lost in time when the clock stands still."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from tb_common import build_and_run, cycles, params, rng, rtl, start_clock

CLOCKS = [(1000, 1000, 430), (1000, 1006, 0), (4000, 1000, 0), (1000, 7010, 0)]


def answer_to(address):
    """What the answering side makes of an address; differs for all of them."""
    return (address * 0x9E3779B97F4A7C15 + 1) % 2 ** params()["DataWidth"]


class Bench:
    def __init__(self, dut, clocks, random):
        self.dut, self.clocks, self.random = dut, clocks, random
        self.slowest = 6
        start_clock(dut.src_clk_i, clocks[0], clocks[2])
        self.clock = Clock(dut.dst_clk_i, clocks[1], unit="ps")
        self.clock.start()
        dut.src_req_i.value = dut.dst_ack_i.value = 0

    async def reset(self):
        self.dut.src_rst_i.value = self.dut.dst_rst_i.value = 1
        await Timer(4 * max(self.clocks), "ps")
        await RisingEdge(self.dut.src_clk_i)
        self.dut.src_rst_i.value = 0
        await RisingEdge(self.dut.dst_clk_i)
        self.dut.dst_rst_i.value = 0
        cocotb.start_soon(self.serve())

    async def serve(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.dst_clk_i)
            if dut.dst_req_o.value == 1:
                await cycles(dut.dst_clk_i, self.random.randint(0, self.slowest))
                dut.dst_data_i.value = answer_to(int(dut.dst_addr_o.value))
                dut.dst_ack_i.value = 1
                await RisingEdge(dut.dst_clk_i)
                dut.dst_ack_i.value = 0
                dut.dst_data_i.value = self.random.getrandbits(params()["DataWidth"])

    async def ask(self, address):
        """The answer, None if it was lost, and the cycles it took."""
        dut = self.dut
        dut.src_addr_i.value = address
        dut.src_req_i.value = 1
        await RisingEdge(dut.src_clk_i)
        dut.src_req_i.value = 0
        dut.src_addr_i.value = self.random.getrandbits(params()["AddrWidth"])
        for waited in range(1, params()["Timeout"] + 4):
            await RisingEdge(dut.src_clk_i)
            if dut.src_ack_o.value == 1:
                lost = dut.src_lost_o.value == 1
                return None if lost else int(dut.src_data_o.value), waited
        raise AssertionError("no acknowledge")


@cocotb.test(timeout_time=1, timeout_unit="ms")
@cocotb.parametrize(clocks=CLOCKS)
async def answers(dut, clocks):
    bench = Bench(dut, clocks, rng(f"{clocks}"))
    await bench.reset()
    for _ in range(80):
        address = bench.random.getrandbits(params()["AddrWidth"])
        got, _ = await bench.ask(address)
        assert got == answer_to(address)
        await cycles(dut.src_clk_i, bench.random.choice([0, 0, 1, 5]))


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def the_clock_stands_still(dut):
    bench = Bench(dut, (1000, 1002, 0), rng("still"))
    await bench.reset()
    for _ in range(6):
        assert (await bench.ask(3))[0] == answer_to(3)
        bench.clock.stop()
        dut.dst_clk_i.value = 0
        got, waited = await bench.ask(7)
        assert got is None
        assert params()["Timeout"] <= waited <= params()["Timeout"] + 2
        got, waited = await bench.ask(9)
        assert got is None and waited <= 2, "a second loss need not wait"
        bench.clock.start()
        # The late answer belongs to the request that was lost: no other one may get it.
        for address in (11, 13, 17, 19, 23, 29, 31):
            got, _ = await bench.ask(address)
            assert got in (None, answer_to(address))
        assert got is not None, "did not recover"


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def the_bus_waits_longer_than_the_answer(dut):
    """An answer slower than the limit is a loss, and the next request is served again."""
    bench = Bench(dut, (1000, 1002, 0), rng("slow"))
    bench.slowest = 3 * params()["Timeout"]
    await bench.reset()
    lost = served = 0
    for _ in range(40):
        address = bench.random.getrandbits(params()["AddrWidth"])
        got, _ = await bench.ask(address)
        assert got in (None, answer_to(address))
        lost += got is None
        served += got is not None
        await cycles(dut.src_clk_i, bench.random.randrange(2 * params()["Timeout"]))
    assert lost and served


def test_prim_sync_request():
    parameters = {"AddrWidth": 7, "DataWidth": 40, "Timeout": 128}
    build_and_run("prim_sync_request", rtl("prim"), parameters, __name__)
