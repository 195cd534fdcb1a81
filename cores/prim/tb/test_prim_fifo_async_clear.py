# SPDX-License-Identifier: Apache-2.0
"""prim_fifo_async_clear: resets of either side and clocks that stop, slow down and restart, at random.

No word accepted before a reset comes out after it; none comes twice, torn or out of order; and words flow again.
"""

import os

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer
from tb_common import StoppableClock, build_and_run, cycles, rng, rtl

SOURCES = [*rtl("prim"), "cores/prim/tb/prim_fifo_async_clear_bench.sv"]

# (s period, m_sync period, m_sync periods in one of m)
CLOCKS = [(1000, 1000, 1), (1000, 1006, 1), (3000, 1000, 1), (1000, 7014, 1), (1002, 1000, 4)]


def word(number):
    """Its number and a check that no mixture of two words passes."""
    return number << 12 | (number * 0x9E3779B1 >> 7) & 0xFFF


class Bench:
    """Both ends of the FIFO with a scoreboard that follows the resets.

    boundaries  numbers of the first word accepted after each hold of the s side (s_rst_o) so far
    holds       holds that have ended, by side
    """

    def __init__(self, dut, clocks, random):
        self.dut, self.random = dut, random
        s_period, sync_period, ratio = clocks
        self.periods = {"s": s_period, "m": sync_period}
        self.clocks = {
            "s": StoppableClock(dut.s_clk_i, s_period, random.randrange(s_period)),
            "m": StoppableClock(dut.m_sync_clk_i, sync_period, divided=[(dut.m_clk_i, ratio)]),
        }
        self.resets = {"s": dut.s_arst_i, "m": dut.m_arst_i}
        self.slowest = max(s_period, ratio * sync_period)
        self.rates = {"s": 0.5, "m": 0.5}
        self.accepted, self.delivered, self.last = 0, 0, -1
        self.boundaries, self.held, self.holds = [], {"s": False, "m": False}, {"s": 0, "m": 0}
        self.floor = None  # index of the boundary which the words after the last hold of m follow
        self.fresh = True
        for signal in (dut.s_arst_i, dut.m_arst_i, dut.s_valid_i, dut.m_ready_i, dut.s_data_i):
            signal.value = 0
        cocotb.start_soon(self._source())
        cocotb.start_soon(self._sink())

    def _follow(self, side, held):
        """Whether a hold has just begun; counts the ends."""
        begins = held and not self.held[side]
        self.holds[side] += int(self.held[side] and not held)
        self.held[side] = held
        return begins

    async def _source(self):
        dut, random = self.dut, self.random
        while True:
            await RisingEdge(dut.s_clk_i)
            held = dut.s_rst_o.value == 1
            if self._follow("s", held):
                self.boundaries.append(self.accepted)
            moved = dut.s_ready_o.value == 1 and dut.s_valid_i.value == 1
            assert not (held and dut.s_ready_o.value == 1), "accepts while it is held"
            self.accepted += int(moved)
            if moved or dut.s_valid_i.value == 0 or held:
                offer = random.random() < self.rates["s"]
                dut.s_valid_i.value = int(offer)
                dut.s_data_i.value = word(self.accepted) if offer else random.getrandbits(32)

    async def _sink(self):
        dut, random = self.dut, self.random
        while True:
            await RisingEdge(dut.m_clk_i)
            held = dut.m_rst_o.value == 1
            if self._follow("m", held):
                # The hold of the s side that overlaps with this one: the present or else the next.
                self.floor = len(self.boundaries) - int(self.held["s"])
                self.fresh = True
            assert not (held and dut.m_valid_o.value == 1), "offers while it is held"
            if dut.m_valid_o.value == 1 and dut.m_ready_i.value == 1:
                self._take(int(dut.m_data_o.value))
            dut.m_ready_i.value = int(random.random() < self.rates["m"])

    def _take(self, data):
        if self.floor is None:
            return  # before the first reset
        number = data >> 12
        assert word(number) == data, f"torn: {data:#x}"
        assert self.last < number < self.accepted, (
            f"word {number} after {self.last} of {self.accepted}"
        )
        if self.fresh:
            assert self.floor < len(self.boundaries), "only one side was held"
            assert number in self.boundaries[self.floor :], f"stale or lost before {number}"
            self.fresh = False
        else:
            assert number == self.last + 1, f"lost between {self.last} and {number}"
        self.last = number
        self.delivered += 1

    async def pulse(self, side, length):
        """A reset of one side; returns at its end. Both sides owe a hold that ends after it."""
        self.owed = {each: max(count + 1, self.owed[each]) for each, count in self.holds.items()}
        self.resets[side].value = 1
        await Timer(length, "ps")
        self.resets[side].value = 0

    owed = {"s": 0, "m": 0}

    async def begin(self):
        """What a test before has left inside goes."""
        pulses = [cocotb.start_soon(self.pulse(side, 4 * self.slowest)) for side in "sm"]
        for each in pulses:
            await each
        await self.run_again()

    async def run_again(self):
        """Everything runs at its own speed: both sides have been held since the last reset, and words flow."""
        for side, clock in self.clocks.items():
            clock.period = self.periods[side]
            clock.start()
        self.rates = {"s": 0.0, "m": 1.0}
        # The bound of prim_clear with what prim_sync_reset and a handshake under way may add.
        await Timer(60 * self.slowest, "ps")
        assert self.dut.s_rst_o.value == 0 and self.dut.m_rst_o.value == 0, "held for ever"
        assert all(self.holds[side] >= self.owed[side] for side in "sm"), "a reset without effect"
        start = self.boundaries[-1]
        assert self.accepted == start or self.last == self.accepted - 1, "words stay inside"
        before = self.accepted
        self.rates["s"] = 1.0
        while self.accepted < before + 20:
            await RisingEdge(self.dut.s_clk_i)
        self.rates["s"] = 0.0
        await Timer(20 * self.slowest, "ps")
        assert self.last == self.accepted - 1 and self.accepted >= before + 20, "words do not flow"


@cocotb.test(timeout_time=10, timeout_unit="ms")
@cocotb.parametrize(stopped=["s", "m"], pulsed=["s", "m", "sm"])
async def a_clock_stands_still_during_the_reset(dut, stopped, pulsed):
    """Words inside, one clock stopped, a reset of either or both sides that begins and ends meanwhile."""
    bench = Bench(dut, (1000, 1006, 1), rng(f"stopped {stopped} {pulsed}"))
    await bench.begin()
    for _ in range(20):
        bench.rates = {"s": 1.0, "m": 0.0}
        await cycles(dut.s_clk_i, bench.random.randrange(3, 16))
        bench.clocks[stopped].stop()
        await Timer(2000 + bench.random.randrange(2000), "ps")
        pulses = [cocotb.start_soon(bench.pulse(side, 20_000)) for side in pulsed]
        for each in pulses:
            await each
        bench.rates["m"] = 1.0
        await Timer(40_000, "ps")
        await bench.run_again()


@cocotb.test(timeout_time=1000, timeout_unit="ms")
@cocotb.parametrize(clocks=CLOCKS)
async def anything_at_any_time(dut, clocks):
    """Episodes of clocks that stop, restart and slow down by 8 and of resets, all at random."""
    bench = Bench(dut, clocks, rng(f"episodes {clocks}"))
    random = bench.random
    await bench.begin()
    for _ in range(int(os.environ["EPISODES"])):
        bench.rates = {side: random.choice([0.1, 0.5, 1.0]) for side in "sm"}
        pulses = []
        for _ in range(random.randrange(2, 7)):
            side, what = (
                random.choice("sm"),
                random.choice(["stop", "start", "slow", "reset", "reset"]),
            )
            clock = bench.clocks[side]
            if what == "stop":
                clock.stop()
            elif what == "start":
                clock.start()
            elif what == "slow":
                clock.period = bench.periods[side] * random.choice([1, 8])
            elif not any(other is side and not task.done() for other, task in pulses):
                length = random.choice([1, random.randrange(1, 1000), random.randrange(1, 20_000)])
                pulses.append((side, cocotb.start_soon(bench.pulse(side, length))))
            await Timer(random.choice([1, random.randrange(1, 20_000)]), "ps")
        for _, task in pulses:
            await task
        await bench.run_again()
    dropped = bench.accepted - bench.delivered
    assert dropped > 0, "no reset ever met a word"


EPISODES = 30


@pytest.mark.parametrize("jitter", [False, True])
def test_prim_fifo_async_clear(jitter):
    run(jitter, episodes=EPISODES)


@pytest.mark.long
def test_prim_fifo_async_clear_long():
    run(jitter=True, episodes=1000)


def run(jitter, episodes):
    env = {"EPISODES": str(episodes)}
    build_and_run(
        "prim_fifo_async_clear_bench",
        SOURCES,
        {},
        __name__,
        env=env,
        sync_jitter=jitter,
    )
