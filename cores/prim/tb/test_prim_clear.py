# SPDX-License-Identifier: Apache-2.0
"""prim_clear: the order in which both sides are held and cleared, whatever resets and clocks do.

Every rule of the header is checked at each edge of either clock.
"""

import os

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge, Timer
from tb_common import StoppableClock, build_and_run, cycles, rng, rtl

CLOCKS = [(1000, 1000), (1000, 1006), (3000, 1000), (1000, 7014), (1000, 64_000)]
LATENCY = (11, 9)  # edges of the side that was reset, and of the other one, until its rst_o falls


class Bench:
    """The rules, with what each edge samples and what it makes.

    cleared  of each side that was reset: the sides whose clear had an edge since
    """

    def __init__(self, dut, periods, random):
        self.dut, self.random = dut, random
        self.periods = dict(zip("ab", periods, strict=True))
        self.clk = {"a": dut.a_clk_i, "b": dut.b_clk_i}
        self.reset = {"a": dut.a_rst_i, "b": dut.b_rst_i}
        self.out = {"a": (dut.a_rst_o, dut.a_clear_o), "b": (dut.b_rst_o, dut.b_clear_o)}
        for signal in self.reset.values():
            signal.value = 0
        self.clocks = {
            "a": StoppableClock(dut.a_clk_i, periods[0], random.randrange(1000)),
            "b": StoppableClock(dut.b_clk_i, periods[1]),
        }
        self.cleared = {"a": {"a", "b"}, "b": {"a", "b"}}
        self.used = {"a": True, "b": True}  # may have sent since its last clear
        self.holds = {"a": 0, "b": 0}
        # The hold of this side began before the last reset of the other one: it may end.
        self.stale = {"a": True, "b": True}
        for side in "ab":
            cocotb.start_soon(self._watch(side))

    def state(self, side):
        return tuple(int(signal.value) for signal in self.out[side])

    async def _watch(self, side):
        other = "b" if side == "a" else "a"
        while True:
            await RisingEdge(self.clk[side])
            held, clear = self.state(side)
            assert held or not clear, "cleared but not held"
            if clear:
                # This edge resets the registers which the other side sees.
                assert not self.used[side] or self.state(other)[0], (
                    "registers jump while the other side runs"
                )
                self.used[side] = False
                for sides in self.cleared.values():
                    sides.add(side)
            if not held:
                self.used[side] = True
            was_reset = self.reset[side].value == 1
            if was_reset:
                self.cleared[side] = set()
                self.stale[other] = bool(self.state(other)[0])
            await ReadOnly()
            after, _ = self.state(side)
            assert after or not was_reset, "not held one edge after the reset"
            if held and not after:
                self.holds[side] += 1
                assert self.cleared[side] == {"a", "b"}, "goes on before both are cleared"
                assert self.stale[side] or self.cleared[other] == {"a", "b"}, (
                    "before the other is cleared"
                )
                self.stale[side] = False

    async def pulse(self, side, count):
        await FallingEdge(self.clk[side])
        self.reset[side].value = 1
        for _ in range(count):
            await FallingEdge(self.clk[side])
        self.reset[side].value = 0

    async def settled(self):
        for side, clock in self.clocks.items():
            clock.period = self.periods[side]
            clock.start()
        await Timer(45 * sum(self.periods.values()), "ps")
        assert self.state("a") == self.state("b") == (0, 0), "held for ever"
        assert all(len(sides) == 2 for sides in self.cleared.values()), "a reset without effect"


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def clears_once_after_configuration(dut):
    """Runs first: nobody gives a reset."""
    bench = Bench(dut, (1000, 1006), rng("first"))
    bench.clocks["b"].stop()
    await cycles(dut.a_clk_i, 20)
    assert bench.state("a")[0] == 1, "a does not wait for b"
    await bench.settled()
    assert bench.holds == {"a": 1, "b": 1}
    await cycles(dut.a_clk_i, 100)
    assert bench.holds == {"a": 1, "b": 1}


@cocotb.test(timeout_time=100, timeout_unit="ms")
@cocotb.parametrize(side=["a", "b"], periods=CLOCKS)
async def the_other_side_follows(dut, side, periods):
    """A reset of one cycle or more, a side that is stopped meanwhile, and the time it all takes."""
    bench = Bench(dut, periods, rng(f"follow {side} {periods}"))
    other = "b" if side == "a" else "a"
    exact = os.environ["JITTER"] == "0"
    await bench.settled()
    for length in (1, 1, 2, 5, 30):
        before = dict(bench.holds)
        await bench.pulse(side, length)
        if exact:
            limit = LATENCY[0] * bench.periods[side] + LATENCY[1] * bench.periods[other]
            await Timer(limit - (length - 1) * bench.periods[side] * (length < 5), "ps")
            assert bench.state(side) == bench.state(other) == (0, 0), "takes too long"
        await bench.settled()
        assert bench.holds == {each: count + 1 for each, count in before.items()}
    for _ in range(3):
        bench.clocks[other].stop()
        await Timer(2 * bench.periods[other], "ps")
        await bench.pulse(side, 1)
        await Timer(30 * bench.periods[side], "ps")
        assert bench.state(side) == (1, 0), "goes on without the other side"
        await bench.settled()


@cocotb.test(timeout_time=1000, timeout_unit="ms")
@cocotb.parametrize(periods=CLOCKS[:4])
async def anything_at_any_time(dut, periods):
    bench = Bench(dut, periods, rng(f"any {periods}"))
    random = bench.random
    await bench.settled()
    for _ in range(int(os.environ["EPISODES"])):
        pulses = []
        for _ in range(random.randrange(2, 8)):
            side = random.choice("ab")
            clock = bench.clocks[side]
            what = random.choice(["stop", "start", "slow", "reset", "reset", "reset"])
            if what == "stop":
                clock.stop()
            elif what == "start":
                clock.start()
            elif what == "slow":
                clock.period = bench.periods[side] * random.choice([1, 8])
            elif not any(each == side and not task.done() for each, task in pulses):
                length = random.choice([1, 1, 2, random.randrange(1, 20)])
                pulses.append((side, cocotb.start_soon(bench.pulse(side, length))))
            await Timer(random.choice([1, random.randrange(1, 12 * min(periods))]), "ps")
        for clock in bench.clocks.values():
            clock.start()
        for _, task in pulses:
            await task
        await bench.settled()


@pytest.mark.parametrize("jitter", [False, True])
def test_prim_clear(jitter):
    run(jitter, episodes=100)


@pytest.mark.long
def test_prim_clear_long():
    run(jitter=True, episodes=1000)


def run(jitter, episodes):
    env = {"EPISODES": str(episodes), "JITTER": str(int(jitter))}
    build_and_run("prim_clear", rtl("prim"), {}, __name__, env=env, sync_jitter=jitter)
