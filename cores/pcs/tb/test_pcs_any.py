# SPDX-License-Identifier: Apache-2.0
"""pcs_any: two ends, each with FEC, without it, or as its peer: why a link is down, which mode the
ends agree on from any moment on, and that they stay with it."""

import os
import pathlib

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer, ValueChange, with_timeout
from cocotb.utils import get_sim_time
from pcs_link import State, packed
from pcs_words import IDLE, LOCAL_FAULT, slots, traffic, word
from tb_common import build_and_run, params, rng, rtl, start_clock

LANES, RAW, BLOCKS, CYCLE = 4, 80, 8, 1000  # ps
A, B = 0, 1
OFF, ON, AUTO = range(3)
SKEW = 700  # bits, of the bench and of both kinds of receiver
PAUSE = 128  # cycles of local fault behind a change


class Pair:
    """Two ends; words flow in `intact` alone, so that waiting costs little."""

    def __init__(self, dut, name):
        self.dut, self.random = dut, rng(name)
        self.period = params()["Period"] // 8 * 33
        self.patience = 2 * self.period + 4096  # of `pcs_follow`
        # Lanes lock within some periods, blocks within 2048 cycles.
        self.bring_up = 8 * self.period + 5000
        self.setting, self.signal = [AUTO, AUTO], [15, 15]
        self.changes = [0, 0]
        start_clock(dut.clk_i, CYCLE)
        dut.tx_data_i.value, dut.tx_ctrl_i.value = word([IDLE] * BLOCKS)

    def now(self):
        return int(get_sim_time("ps")) // CYCLE

    def set(self, end=None, setting=None):
        if end is not None:
            self.setting[end] = setting
        self.dut.setting_i.value = packed(self.setting, 2)

    def lit(self, line=None, signal=15):
        if line is not None:
            self.signal[line] = signal
        self.dut.signal_i.value = packed(self.signal, LANES)

    def shuffle(self):
        dut, random = self.dut, self.random
        origin = [random.sample(range(LANES), LANES) for _ in range(2)]
        dut.from_i.value = packed([lane for line in origin for lane in line], 2)
        dut.delay_i.value = packed([random.randrange(SKEW) for _ in range(2 * LANES)], 10)
        dut.invert_i.value = random.choice((0, 255, random.getrandbits(8)))

    async def reset(self, ends=3, span=4):
        self.dut.rst_i.value = ends
        await self.wait(span)
        self.dut.rst_i.value = 0
        await RisingEdge(self.dut.clk_i)

    async def start(self, *settings):
        self.setting = list(settings)
        self.set()
        self.lit()
        self.shuffle()
        await self.reset()
        await RisingEdge(self.dut.clk_i)
        cocotb.start_soon(self._count())

    async def _count(self):
        """Changes of either end."""
        before = self.coded()
        while True:
            await ValueChange(self.dut.coded_o)
            now = self.coded()
            self.changes = [c + (a != b) for c, a, b in zip(self.changes, before, now, strict=True)]
            before = now

    async def wait(self, count):
        await Timer(count * CYCLE, "ps")
        await RisingEdge(self.dut.clk_i)

    def coded(self):
        value = int(self.dut.coded_o.value)
        return value & 1, value >> 1

    def states(self):
        value = int(self.dut.state_o.value)
        return value & 15, value >> 4

    async def become(self, condition, limit):
        """Waits for what the states of both ends fulfil; the cycles that it took."""
        begin = self.now()
        while not condition(*self.states()):
            left = limit - (self.now() - begin)
            assert left > 0, f"states {self.states()}, coded {self.coded()} after {limit} cycles"
            await with_timeout(ValueChange(self.dut.state_o), left * CYCLE, "ps")
            await RisingEdge(self.dut.clk_i)
        return self.now() - begin

    async def up(self, limit=None):
        return await self.become(lambda a, b: a == b == State.UP, limit or self.bring_up)

    async def stays(self, span):
        """Both are up with what they have agreed on, and change nothing."""
        before = self.changes[:], self.coded()
        await self.wait(span)
        assert self.states() == (State.UP, State.UP)
        assert (self.changes, self.coded()) == before and len(set(self.coded())) == 1

    async def flow(self, sent, received):
        """Words from A to B; the source goes on where it was."""
        dut, source = self.dut, traffic(self.random)
        offered = [next(source) for _ in range(BLOCKS)]
        while True:
            dut.tx_data_i.value, dut.tx_ctrl_i.value = word(offered)
            await RisingEdge(dut.clk_i)
            if dut.tx_ready_o.value == 1:
                sent += offered
                offered = [next(source) for _ in range(BLOCKS)]
            if dut.rx_valid_o.value == 1:
                received += slots(int(dut.rx_data_o.value), int(dut.rx_ctrl_o.value), BLOCKS)

    async def intact(self):
        """What B receives is what A sends, slot for slot."""
        sent, received = [], []
        task = cocotb.start_soon(self.flow(sent, received))
        await self.wait(200)
        received.clear()
        await self.wait(200)
        task.cancel()
        first = next(i for i in range(len(sent)) if sent[i : i + 30] == received[:30])
        assert received == sent[first : first + len(received)] and len(received) > 700


@cocotb.test()
async def peer_mode(dut):
    """One end with FEC, its peer without: both say so within a marker period of the peer's
    signal; a lane without a signal is named first; and with equal modes the link is up."""
    pair = Pair(dut, "peer mode")
    await pair.start(ON, OFF)
    differ = lambda a, b: a == b == State.PEER_MODE  # noqa: E731
    for turn in range(6):
        settings = (ON, OFF) if turn % 2 else (OFF, ON)
        for end in (A, B):
            pair.set(end, settings[end])
        await pair.wait(PAUSE + 10)
        pair.shuffle()
        pair.lit(A, 0)
        pair.lit(B, 0)
        await pair.become(lambda a, b: a == b == State.NO_SIGNAL, 100)
        await pair.wait(pair.random.randrange(1, pair.period))
        pair.lit(A)
        pair.lit(B)
        # From the first word on, the words of the markers and two sweeps of the lanes.
        waited = await pair.become(differ, pair.period + 60)
        dut._log.info(f"peer's mode named after {waited} cycles, the period is {pair.period}")
        await pair.wait(pair.random.randrange(1, 2 * pair.period))
        assert pair.states() == (State.PEER_MODE, State.PEER_MODE)
        line, lane = pair.random.randrange(2), pair.random.randrange(LANES)
        pair.lit(line, 15 ^ 1 << lane)
        await pair.become(lambda *states: states[1 - line] == State.NO_SIGNAL, 200)  # noqa: B023
        pair.lit(line)
        await pair.become(differ, pair.period + 60)
    for setting in (ON, OFF):
        pair.set(A, setting)
        pair.set(B, setting)
        await pair.wait(PAUSE + 10)
        await pair.up()
        await pair.intact()


@cocotb.test()
async def modes_fixed(dut):
    """The same of ends that are built with one mode only, at random phases."""
    pair = Pair(dut, "modes fixed")
    await pair.start(ON, OFF)
    for _ in range(12):
        pair.shuffle()
        await pair.wait(pair.random.randrange(1, 2 * pair.period))
        await pair.reset()
        # The signal of a transmitter begins with zeros.
        await pair.become(lambda a, b: a == b == State.PEER_MODE, pair.period + 100)
        await pair.wait(4 * pair.period)
        assert pair.states() == (State.PEER_MODE, State.PEER_MODE)
        assert pair.coded() == (params()["FecA"], params()["FecB"])


@cocotb.test()
async def follows_fixed(dut):
    """An end with auto takes what its peer is built with, from any moment on."""
    pair = Pair(dut, "follows fixed")
    await pair.start(AUTO, AUTO)
    for _ in range(6):
        await pair.reset(pair.random.randrange(1, 4), pair.random.randrange(2, 300))
        await pair.wait(pair.patience + 2048)
        await pair.up()
        assert pair.coded() == (params()["FecB"],) * 2
        await pair.stays(pair.patience)
        await pair.intact()


@cocotb.test()
async def follows(dut):
    """One end is fixed, one has auto: they are up with what the first has, also when it changes at
    run time. The end that follows has local fault in between, and what it then gives is intact."""
    pair = Pair(dut, "follows")
    await pair.start(AUTO, AUTO)
    await pair.up()
    fixed = A
    for setting in (OFF, ON, OFF):
        pair.set(1 - fixed, AUTO)
        pair.set(fixed, setting)
        await pair.wait(5)
        while pair.coded() != (setting, setting):
            await with_timeout(ValueChange(dut.coded_o), (pair.patience + 2048) * CYCLE, "ps")
            await RisingEdge(dut.clk_i)
        # The receiver that is selected now may have been ready for long.
        for _ in range(PAUSE - 4):
            await RisingEdge(dut.clk_i)
            assert pair.states()[1 - fixed] == State.PEER_MODE
        if fixed == A:
            got = slots(int(dut.rx_data_o.value), int(dut.rx_ctrl_o.value), BLOCKS)
            assert dut.rx_valid_o.value == 1 and set(got) == {LOCAL_FAULT}
        await pair.up()
        await pair.intact()
        await pair.stays(pair.patience + 100)
        fixed = 1 - fixed


@cocotb.test()
async def autos(dut):
    """Two ends with auto and without FEC, one of which is reset: if its peer hears it in time
    both have FEC; if not, they agree all the same within three changes of an end, and stay."""
    pair = Pair(dut, "autos")
    await pair.start(AUTO, AUTO)
    await pair.up()
    assert pair.coded() == (1, 1)
    for episode in range(int(os.environ.get("EPISODES", "3"))):
        end = pair.random.randrange(2)
        # Both without FEC; then they have auto, and one of them is reset.
        pair.set(A, OFF)
        pair.set(B, OFF)
        await pair.wait(PAUSE)
        await pair.up()
        pair.set(A, AUTO)
        pair.set(B, AUTO)
        await pair.stays(pair.random.randrange(1, pair.patience))
        assert pair.coded() == (0, 0)
        pair.changes = [0, 0]
        await pair.reset(1 << end, pair.random.randrange(2, 300))
        # The end without FEC hears nothing for a while: about until its peer gives in.
        span = pair.random.uniform(0.9, 1.15) if episode % 3 else pair.random.uniform(0, 0.7)
        pair.lit(end, 0)
        await pair.wait(int(span * pair.patience) + 1)
        pair.lit(end)
        await pair.wait(4 * pair.patience)
        await pair.up()
        dut._log.info(f"deaf for {span:.2f}: coded {pair.coded()}, changes {pair.changes}")
        assert max(pair.changes) <= 3
        if span < 0.7:
            assert pair.coded() == (1, 1) and sum(pair.changes) == 2
        await pair.stays(pair.patience + 100)
        await pair.intact()


def simulate(tests, env=None, **parameters):
    sources = [
        *rtl("prim", "axis", "line", "eth", "rsfec", "pcs"),
        pathlib.Path(__file__).with_name("pcs_any_bench.sv"),
    ]
    build_and_run("pcs_any_bench", sources, parameters, __name__, testcase=tests, env=env)


def test_pcs_any():
    # Long enough a period for blocks to be found within it, too.
    simulate(["peer_mode", "follows", "autos"], Period=512)


@pytest.mark.long
def test_pcs_any_autos():
    simulate(["autos"], env={"EPISODES": "20"}, Period=512)


@pytest.mark.long
@pytest.mark.parametrize("fec", [0, 1])
def test_pcs_any_fixed(fec):
    simulate(["modes_fixed"], Period=512, FecA=fec, FecB=1 - fec)
    simulate(["follows_fixed"], Period=512, FecB=fec)
