# SPDX-License-Identifier: Apache-2.0
"""prim_sync_pulse, _notice, _count and _gray fed by one prim_clear: resets of either side, clocks that stop.

Nothing comes out that was not accepted since the last clear, and what was accepted since then does.
"""

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer
from tb_common import StoppableClock, build_and_run, params, rng, rtl

SOURCES = [*rtl("prim"), "cores/prim/tb/prim_crossings_bench.sv"]
CLOCKS = [(1000, 1006), (3000, 1000), (1000, 7014)]
KINDS = ("pulse", "notice", "count")


class Bench:
    """Counts since the last clear.

    given  accepted at side a since its last hold; seen: come out at side b since its own
    """

    def __init__(self, dut, periods, random):
        self.dut, self.random = dut, random
        self.periods = dict(zip("ab", periods, strict=True))
        self.clocks = {
            "a": StoppableClock(dut.a_clk_i, periods[0], random.randrange(1000)),
            "b": StoppableClock(dut.b_clk_i, periods[1]),
        }
        self.resets = {"a": dut.a_arst_i, "b": dut.b_arst_i}
        self.rate, self.checked = 0.0, False
        self.given, self.seen = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
        self.total = dict.fromkeys(KINDS, 0)
        for signal in (dut.a_arst_i, dut.b_arst_i, dut.pulse_i, dut.event_i, dut.inc_i):
            signal.value = 0
        self.tasks = [cocotb.start_soon(self._give()), cocotb.start_soon(self._see())]

    async def _give(self):
        dut, random, held = self.dut, self.random, False
        while True:
            await RisingEdge(dut.a_clk_i)
            held, was_held = dut.a_rst_o.value == 1, held
            if was_held and not held:
                # Not before: until side b is held, what was given before may come out, and no more.
                self.given = dict.fromkeys(KINDS, 0)
            if not (held and was_held):
                # In the first cycle of a hold what the logic gave in the one before is still there.
                self.given["pulse"] += int(dut.pulse_i.value == 1 and dut.busy_o.value == 0)
                self.given["notice"] += int(dut.event_i.value)
                self.given["count"] += int(dut.inc_i.value)
            for signal in (dut.pulse_i, dut.event_i, dut.inc_i):
                # The logic of the side is held.
                signal.value = int(not held and random.random() < self.rate)

    async def _see(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.b_clk_i)
            if dut.b_rst_o.value == 1:
                self.seen = dict.fromkeys(KINDS, 0)
                continue
            now = {
                "pulse": int(dut.pulse_o.value),
                "notice": int(dut.notice_o.value),
                "count": int(dut.inc_o.value),
            }
            for kind, count in now.items():
                self.seen[kind] += count
                self.total[kind] += count
            if self.checked:
                for kind in KINDS:
                    assert self.seen[kind] <= self.given[kind], f"a {kind} that was never given"

    async def pulse(self, side, length):
        self.resets[side].value = 1
        await Timer(length, "ps")
        self.resets[side].value = 0

    async def run_again(self):
        for side, clock in self.clocks.items():
            clock.period = self.periods[side]
            clock.start()
        self.rate = 0.0
        await Timer(60 * max(self.periods.values()), "ps")
        assert self.dut.a_rst_o.value == self.dut.b_rst_o.value == 0, "held for ever"
        assert self.dut.busy_o.value == 0, "busy for ever"
        assert self.seen["pulse"] == self.given["pulse"]
        # A count that b was held for too long to follow is right in its bits.
        assert (self.given["count"] - self.seen["count"]) % 2 ** params()["Width"] == 0
        assert bool(self.seen["notice"]) == bool(self.given["notice"])


@cocotb.test(timeout_time=1000, timeout_unit="ms")
@cocotb.parametrize(periods=CLOCKS)
async def anything_at_any_time(dut, periods):
    bench = Bench(dut, periods, rng(f"{periods}"))
    random = bench.random
    both = [cocotb.start_soon(bench.pulse(side, 20_000)) for side in "ab"]
    for each in both:
        await each
    await Timer(60 * max(periods), "ps")
    bench.checked = True
    for _ in range(100):
        bench.rate = random.choice([0.05, 0.5])
        pulses = []
        await Timer(random.randrange(1, 30 * max(periods)), "ps")
        for _ in range(random.randrange(2, 7)):
            side, what = (
                random.choice("ab"),
                random.choice(["stop", "start", "slow", "reset", "reset"]),
            )
            clock = bench.clocks[side]
            if what == "stop":
                clock.stop()
            elif what == "start":
                clock.start()
            elif what == "slow":
                clock.period = bench.periods[side] * random.choice([1, 8])
            elif not any(each == side and not task.done() for each, task in pulses):
                length = random.choice([1, random.randrange(1, 20_000)])
                pulses.append((side, cocotb.start_soon(bench.pulse(side, length))))
            await Timer(random.choice([1, random.randrange(1, 20_000)]), "ps")
            if random.random() < 0.3:
                bench.rate = 0.0
        for _, task in pulses:
            await task
        await bench.run_again()
    assert min(bench.total.values()) > 100, "hardly anything has crossed"
    for task in bench.tasks:
        task.cancel()


@pytest.mark.parametrize("jitter", [False, True])
def test_prim_crossings(jitter):
    build_and_run("prim_crossings_bench", SOURCES, {"Width": 8}, __name__, sync_jitter=jitter)
