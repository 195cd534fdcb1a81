# SPDX-License-Identifier: Apache-2.0
"""prim_page_reader: both halves of a word belong to one moment, and the bus is answered when the page stands still."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from tb_common import build_and_run, cycles, rng, rtl, start_clock

LOST = 0xFFFFFFFF


class Bench:
    """A page whose words change in every cycle: which moment an answer shows can be told from both of its halves."""

    def __init__(self, dut, page_period):
        self.dut, self.random, self.period = dut, rng(f"page {page_period}"), page_period
        start_clock(dut.bus_clk_i, 1000)
        self.clock = Clock(dut.page_clk_i, page_period, unit="ps")
        self.clock.start()
        dut.bus_req_i.value = dut.page_ack_i.value = dut.bus_write_i.value = 0

    async def reset(self):
        self.dut.bus_rst_i.value = self.dut.page_rst_i.value = 1
        await Timer(4 * max(1000, self.period), "ps")
        await RisingEdge(self.dut.bus_clk_i)
        self.dut.bus_rst_i.value = 0
        await RisingEdge(self.dut.page_clk_i)
        self.dut.page_rst_i.value = 0
        cocotb.start_soon(self.serve())
        # What was asked for before the reset is answered first: until then requests are lost.
        while (await self.access(0))[1]:
            pass

    async def serve(self):
        dut, moment = self.dut, 0
        while True:
            await RisingEdge(dut.page_clk_i)
            moment += 1
            high = moment << 16 | int(dut.page_addr_o.value)
            dut.page_data_i.value = high << 32 | high ^ 0x5A5A0F0F
            asked = dut.page_req_o.value == 1 and dut.page_ack_i.value == 0
            dut.page_ack_i.value = int(asked and self.random.random() < 0.4)

    async def access(self, address, write=0):
        """(data, lost) of a read, None of a write."""
        dut = self.dut
        dut.bus_addr_i.value, dut.bus_write_i.value, dut.bus_req_i.value = address, write, 1
        await RisingEdge(dut.bus_clk_i)
        dut.bus_req_i.value = 0
        dut.bus_addr_i.value, dut.bus_write_i.value = self.random.getrandbits(11), 1 - write
        for _ in range(260):
            await RisingEdge(dut.bus_clk_i)
            read, written = dut.bus_rd_ack_o.value == 1, dut.bus_wr_ack_o.value == 1
            assert not (read and written)
            assert read or dut.bus_lost_o.value == 0, "lost without an answer"
            if read or written:
                assert written == bool(write)
                return None if write else (int(dut.bus_rd_data_o.value), int(dut.bus_lost_o.value))
        raise AssertionError("no answer")


@cocotb.test(timeout_time=1, timeout_unit="ms")
@cocotb.parametrize(page_period=[1000, 310, 7010])
async def halves(dut, page_period):
    bench = Bench(dut, page_period)
    await bench.reset()
    for _ in range(40):
        word = bench.random.getrandbits(8)
        low = await bench.access(8 * word)
        await cycles(dut.bus_clk_i, bench.random.randint(0, 20))
        if bench.random.random() < 0.3:
            assert await bench.access(bench.random.getrandbits(11), write=1) is None
        high = await bench.access(8 * word + 4)
        assert low[1] == high[1] == 0
        assert low[0] ^ 0x5A5A0F0F == high[0], "halves of two moments"
        assert high[0] & 0xFFFF == word


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def page_stands_still(dut):
    bench = Bench(dut, 1000)
    await bench.reset()
    assert (await bench.access(16))[1] == 0
    bench.clock.stop()
    for _ in range(3):
        assert await bench.access(8) == (LOST, 1)
        assert await bench.access(12) == (LOST, 0), "the high half of a lost word"
        assert await bench.access(8, write=1) is None
    bench.clock.start()
    await cycles(dut.bus_clk_i, 40)
    low, high = await bench.access(24), await bench.access(28)
    assert low[1] == 0 and high[0] & 0xFFFF == 3 and low[0] ^ 0x5A5A0F0F == high[0]


def test_prim_page_reader():
    build_and_run(
        toplevel="prim_page_reader",
        sources=rtl("prim"),
        parameters={"AddrWidth": 11, "Timeout": 256},
        test_module="test_prim_page_reader",
    )
