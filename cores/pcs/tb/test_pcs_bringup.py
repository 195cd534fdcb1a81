# SPDX-License-Identifier: Apache-2.0
"""pcs and pcs_fec: links that go down in every way and come up again over lanes in any order, skew
and polarity, each time with the reason that the registers would keep."""

import os
import pathlib

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer, ValueChange, with_timeout
from cocotb.utils import get_sim_time
from pcs_link import Link, State, packed
from pcs_words import IDLE, word
from tb_common import build_and_run, rtl
from test_pcs_fec import FecLink

CYCLE = 1000  # ps
LOOKED = 64  # cycles in which `pcs_csr` takes a better reason
DOWN, UP = 12000, 30000  # cycles, at most


class Bringup:
    """A link without traffic but in `intact`, and every state that its receiver has had."""

    def __init__(self, dut):
        self.fec = not hasattr(dut, "caui_i")
        self.link = (FecLink if self.fec else Link)(dut, "bring-up")
        self.dut, self.random = dut, self.link.random
        self.skew = 4640 if self.fec else 928  # bits: the standard's
        self.seen = []

    def now(self):
        return int(get_sim_time("ps")) // CYCLE

    async def wait(self, count):
        await Timer(count * CYCLE, "ps")
        await RisingEdge(self.dut.clk_i)

    async def watch(self):
        while True:
            await ValueChange(self.dut.status_o)
            self.seen.append((self.now(), *self.link.state()))

    async def become(self, good, limit):
        begin = self.now()
        while not good(State(self.link.state()[0])):
            left = limit - (self.now() - begin)
            assert left > 0, f"state {self.link.state()} after {limit} cycles"
            await with_timeout(ValueChange(self.dut.status_o), left * CYCLE, "ps")
            await RisingEdge(self.dut.clk_i)
        return self.now() - begin

    def reason(self):
        """The first of the states within the cycles behind the first one that is not up."""
        begin = next(at for at, state, _ in self.seen if state != State.UP)
        states = [(state, lane) for at, state, lane in self.seen if at < begin + LOOKED]
        return min(states, key=lambda each: each[0])

    def noise(self, lane):
        width = 80 if self.fec else 16
        self.dut.noise_i.value = self.random.getrandbits(width) << width * lane

    async def lost(self, lane):
        """A lane without a signal."""
        self.link.signal[lane] = 0
        self.link.channel()
        await self.wait(self.random.randrange(60, 1000))
        return State.NO_SIGNAL, lane

    async def slipped(self, lane):
        """By some bits, as a transceiver does that locks anew."""
        step = self.random.randrange(1, 60)
        self.link.delays[lane] += step if self.link.delays[lane] < 60 else -step
        self.link.channel()
        return (State.NO_CODEWORD, 0) if self.fec else (State.NO_BLOCK_LOCK, lane)

    async def dead(self, lane):
        """Noise, and it says that there is a signal."""
        task = cocotb.start_soon(self.hiss(lane))
        await self.become(lambda state: state != State.UP, DOWN)
        await self.wait(self.random.randrange(1, 1000))
        task.cancel()
        self.dut.noise_i.value = 0
        return (State.NO_CODEWORD, 0) if self.fec else (State.NO_BLOCK_LOCK, lane)

    async def hiss(self, lane):
        while True:
            self.noise(lane)
            await RisingEdge(self.dut.clk_i)

    async def intact(self):
        task = cocotb.start_soon(self.link._run())
        await self.link.intact(200)
        task.cancel()
        self.dut.tx_data_i.value, self.dut.tx_ctrl_i.value = word([IDLE] * self.link.count)


@cocotb.test()
async def bring_ups(dut):
    """A lane goes, slips, is noise; all of them then have another order, skew and polarity, and the
    link is up, each lane found as it is, with the reason of its going down."""
    it = Bringup(dut)
    link, random = it.link, it.random
    link.shuffle(it.skew)
    await link.begin()
    cocotb.start_soon(it.watch())
    await it.become(lambda state: state == State.UP, UP)
    longest, reasons = 0, {}
    for episode in range(int(os.environ.get("EPISODES", "8"))):
        await it.wait(random.randrange(50, 400))
        it.seen.clear()
        lane = random.randrange(link.lanes)
        wanted = await random.choice((it.lost, it.slipped, it.dead))(lane)
        await it.become(lambda state: state != State.UP, DOWN)
        await it.wait(LOOKED + 5)
        assert it.reason() == wanted, f"episode {episode}: {it.reason()}, not {wanted}: {it.seen}"
        reasons[wanted[0].name] = reasons.get(wanted[0].name, 0) + 1
        link.signal = [1] * link.lanes
        link.shuffle(it.skew)
        await it.become(lambda state: state != State.UP, 10)
        longest = max(longest, await it.become(lambda state: state == State.UP, UP))
        numbers, inverted = link.arrives()
        assert int(dut.number_o.value) == packed(numbers, (link.lanes - 1).bit_length())
        assert int(dut.inverted_o.value) == packed(inverted, 1)
        if episode % 50 == 0:
            await it.intact()
    dut._log.info(f"{reasons}; up again after {longest} cycles at most")


def simulate(bench, episodes):
    sources = [
        *rtl("prim", "axis", "line", "eth", "rsfec", "pcs"),
        pathlib.Path(__file__).with_name(f"{bench}.sv"),
    ]
    period, depth, window = (64, 64, 2000) if bench == "pcs_fec_bench" else (128, 32, 5000)
    parameters = {"Blocks": 8, "Period": period, "Depth": depth, "BerWindow": window}
    env = {"EPISODES": str(episodes)}
    build_and_run(bench, sources, parameters, __name__, env=env)


@pytest.mark.long
@pytest.mark.parametrize("bench", ["pcs_bench", "pcs_fec_bench"])
def test_pcs_bringup(bench):
    simulate(bench, int(os.environ.get("EPISODES", "1000")))
