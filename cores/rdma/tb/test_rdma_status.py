# SPDX-License-Identifier: Apache-2.0
"""rdma_status: three parties at once, of the same channel above all; a result is returned once and never lost."""

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge
from tb_common import build_and_run, params, reset, rng, rtl, start_clock

IDLE, ONGOING, DONE, ERROR = range(4)


class Bench:
    """Sets the inputs of a cycle, compares all outputs with a state for each channel, takes the edge."""

    def __init__(self, dut):
        self.dut = dut
        self.pages, self.channels = params()["Pages"], params()["Channels"]
        self.all = (1 << self.channels) - 1
        self.state = {}
        self.ended = self.told = 0
        start_clock(dut.clk_i, 1000)
        for party in (dut.start_i, dut.finish_i, dut.read_i):
            party.value = 0

    async def start(self):
        dut = self.dut
        await reset(dut.clk_i, dut.rst_i, 1)
        for _ in range(self.pages):
            # Nothing counts before it is ready.
            await FallingEdge(dut.clk_i)
            for party in (dut.start_i, dut.finish_i, dut.read_i):
                party.value = int(dut.ready_o.value == 0)
            dut.start_page_i.value = dut.start_channel_i.value = 0
            dut.finish_page_i.value = dut.finish_channel_i.value = 0
        assert dut.ready_o.value == 1
        self.state = {(p, c): IDLE for p in range(self.pages) for c in range(self.channels)}

    async def step(self, start=None, finish=None, read=None):
        """start: (page, channel). finish: (page, channel, error). read: (page, mask); returns its status."""
        dut, state = self.dut, self.state
        dut.start_i.value = start is not None
        if start is not None:
            dut.start_page_i.value, dut.start_channel_i.value = start
        dut.finish_i.value = finish is not None
        if finish is not None:
            dut.finish_page_i.value, dut.finish_channel_i.value, dut.finish_error_i.value = finish
        dut.read_i.value = read is not None
        if read is not None:
            dut.read_page_i.value, dut.read_mask_i.value = read
        await RisingEdge(dut.clk_i)
        after, status = dict(state), None
        if start is not None:
            idle = int(dut.start_idle_o.value)
            for c in range(self.channels):
                assert idle >> c & 1 == int(state[start[0], c] == IDLE)
            if state[start] == IDLE:
                after[start] = ONGOING
        if finish is not None:
            place = finish[:2]
            assert dut.finish_refused_o.value == int(state[place] != ONGOING)
            if state[place] == ONGOING:
                after[place] = ERROR if finish[2] else DONE
                self.ended += 1
        else:
            assert dut.finish_refused_o.value == 0
        if read is not None:
            page, mask = read
            word = int(dut.read_status_o.value)
            status = [word >> 2 * c & 3 for c in range(self.channels)]
            assert status == [state[page, c] for c in range(self.channels)]
            for c in range(self.channels):
                if mask >> c & 1 and status[c] in (DONE, ERROR):
                    after[page, c] = IDLE
                    self.told += 1
        self.state = after
        await FallingEdge(dut.clk_i)
        return status


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_life(dut):
    bench = Bench(dut)
    await bench.start()
    place, mask = (1, 1), 0b10
    assert (await bench.step(read=(1, mask)))[1] == IDLE
    for error in (0, 1, 0):
        await bench.step(finish=(*place, 0))  # nothing is under way
        await bench.step(start=place)
        await bench.step(start=place)  # it is not idle
        assert (await bench.step(read=(1, mask)))[1] == ONGOING
        await bench.step(finish=(*place, error))
        await bench.step(finish=(*place, 1 - error))  # a second answer changes nothing
        await bench.step(start=place)  # nobody has read it
        # Read with the others, read without it, read alone.
        assert (await bench.step(read=(1, bench.all ^ mask)))[1] == DONE + error
        assert (await bench.step(read=(0, bench.all)))[1] == IDLE
        assert (await bench.step(read=(1, mask)))[1] == DONE + error
        assert (await bench.step(read=(1, mask)))[1] == IDLE


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def races(dut):
    """Each pair of parties in the same cycle, of the same channel."""
    bench = Bench(dut)
    await bench.start()
    place, read = (0, 1), (0, bench.all)
    await bench.step(start=place)
    # It ends while it is read: this read says ongoing, the next one done.
    assert (await bench.step(finish=(*place, 0), read=read))[1] == ONGOING
    # It is read and started: not idle yet, so it is not started.
    assert (await bench.step(start=place, read=read))[1] == DONE
    assert (await bench.step(start=place, read=read))[1] == IDLE
    # It is started again while it ends.
    await bench.step(start=place, finish=(*place, 1))
    # A late answer while it is read, and all three.
    assert (await bench.step(finish=(*place, 0), read=read))[1] == ERROR
    assert (await bench.step(start=place, finish=(*place, 0), read=read))[1] == IDLE
    assert (await bench.step(start=place, finish=(*place, 0), read=read))[1] == ONGOING
    # A neighbour ends while the others are read.
    await bench.step(start=(0, 0))
    assert (await bench.step(finish=(0, 0, 1), read=read))[:2] == [ONGOING, DONE]
    assert (await bench.step(read=read))[:2] == [ERROR, IDLE]
    assert (await bench.step(read=read))[:2] == [IDLE, IDLE]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def random_traffic(dut):
    random, bench = rng("traffic"), Bench(dut)
    await bench.start()
    for step in range(4000):
        # Few channels in every other stretch, so that the parties meet.
        pages, channels = (2, 2) if step // 500 % 2 else (bench.pages, bench.channels)
        at = lambda: (random.randrange(pages), random.randrange(channels))  # noqa: B023, E731
        start = at() if random.random() < 0.6 else None
        finish = (*at(), random.getrandbits(1)) if random.random() < 0.6 else None
        mask = random.choice(
            (bench.all, 1 << random.randrange(channels), random.getrandbits(bench.channels))
        )
        read = (random.randrange(pages), mask) if random.random() < 0.2 else None
        await bench.step(start, finish, read)
        if step == 2300:
            await bench.start()
            bench.ended = bench.told = 0
    for page in range(bench.pages):
        for channel in range(bench.channels):
            await bench.step(finish=(page, channel, 0))
        await bench.step(read=(page, bench.all))
    assert bench.ended == bench.told > 0
    assert set(bench.state.values()) == {IDLE}


@pytest.mark.parametrize(("pages", "channels"), [(2, 2), (16, 64)])
def test_rdma_status(pages, channels):
    parameters = {"Pages": pages, "Channels": channels}
    build_and_run("rdma_status", rtl("prim", "rdma"), parameters, __name__)
