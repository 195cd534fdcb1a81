# SPDX-License-Identifier: Apache-2.0
"""prim_sync_request: each request gets its own answer, or is lost in time when the clock stands still."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer
from tb_common import StoppableClock, build_and_run, cycles, params, rng, rtl, start_clock

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
        # What the inputs were before they were driven may have been a request: the first ones are
        # lost until its answer has come.
        while (await self.ask(0))[0] is None:
            pass

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


class Sides:
    """Both sides as they are in a design: each forgets what it does when it is reset alone."""

    def __init__(self, dut, random):
        self.dut, self.random = dut, random
        self.src = StoppableClock(dut.src_clk_i, 1000)
        self.dst = StoppableClock(dut.dst_clk_i, 1006)
        self.open, self.answered, self.lost, self.forgotten = None, 0, 0, 0
        # As after power-up: registers hold anything until they are reset.
        dut.src_req_i.value = dut.dst_ack_i.value = 0
        dut.src_rst_i.value = dut.dst_rst_i.value = 1
        self.tasks = [cocotb.start_soon(self._ask()), cocotb.start_soon(self._serve())]

    async def _ask(self):
        dut, random = self.dut, self.random
        while True:
            await RisingEdge(dut.src_clk_i)
            held = dut.src_rst_i.value == 1
            if dut.src_ack_o.value == 1 and not held and self.open is not None:
                if dut.src_lost_o.value == 1:
                    self.lost += 1
                else:
                    assert int(dut.src_data_o.value) == answer_to(self.open), (
                        "the answer to another request"
                    )
                    self.answered += 1
                self.open = None
            if held:
                self.forgotten += int(self.open is not None)
                self.open = None
            ask = self.open is None and not held and random.random() < 0.2
            dut.src_req_i.value = int(ask)
            if ask:
                # Taken at the next edge, unless that one is in reset.
                self.open = random.getrandbits(params()["AddrWidth"])
                dut.src_addr_i.value = self.open

    async def _serve(self):
        dut, random = self.dut, self.random
        while True:
            await RisingEdge(dut.dst_clk_i)
            answer = dut.dst_req_o.value == 1 and dut.dst_ack_i.value == 0 and random.random() < 0.3
            # An acknowledge that comes from nowhere while the side is reset, or nothing is
            # requested.
            stray = dut.dst_rst_i.value == 1 and random.random() < 0.3
            dut.dst_ack_i.value = int(answer or stray)
            dut.dst_data_i.value = (
                answer_to(int(dut.dst_addr_o.value))
                if answer
                else random.getrandbits(params()["DataWidth"])
            )


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def either_side_is_reset_alone(dut):
    """Resets of one side, clocks that stop: each answer is that to its own request, and they come again."""
    sides = Sides(dut, rng("alone"))
    random = sides.random
    await Timer(10_000, "ps")
    dut.src_rst_i.value = dut.dst_rst_i.value = 0
    for _ in range(400):
        side, clock = random.choice([("src", sides.src), ("dst", sides.dst)])
        if random.random() < 0.4:
            clock.stop()
        await Timer(random.randrange(1, 40_000), "ps")
        reset = getattr(dut, f"{side}_rst_i")
        reset.value = 1
        await Timer(random.choice([1000, random.randrange(1, 9000)]), "ps")
        clock.start()
        await FallingEdge(getattr(dut, f"{side}_clk_i"))
        reset.value = 0
        if side == "dst":
            dut.dst_ack_i.value = 0  # a side that comes from a reset answers nothing
        await Timer(random.randrange(1, 20_000), "ps")
        if random.random() < 0.1:
            before = sides.answered
            await Timer(400_000, "ps")
            assert sides.answered > before, "does not answer again"
    assert sides.answered > 1000 and sides.forgotten > 20
    for task in sides.tasks:
        task.cancel()
    dut.src_req_i.value = dut.dst_ack_i.value = 0
    await Timer(200_000, "ps")


EXACT = "answers|the_clock_stands_still|the_bus_waits"
PARAMETERS = {"AddrWidth": 7, "DataWidth": 40, "Timeout": 128}


def test_prim_sync_request():
    build_and_run(
        "prim_sync_request", rtl("prim"), PARAMETERS, __name__, test_filter=EXACT, sync_jitter=False
    )


@pytest.mark.parametrize("jitter", [False, True])
def test_resets(jitter):
    alone = "either_side_is_reset_alone"
    build_and_run(
        "prim_sync_request",
        rtl("prim"),
        PARAMETERS,
        __name__,
        test_filter=alone,
        sync_jitter=jitter,
    )
