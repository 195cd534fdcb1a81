# SPDX-License-Identifier: Apache-2.0
"""Helpers that run inside the simulator process.

Signals read right after `await RisingEdge(clk)` show the values from before the edge, i.e. what the
flip-flops sample; assignments made there take effect after the edge.
"""

import functools
import json
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event, RisingEdge, Timer

if cocotb.is_simulation:
    from tb_common import quick

    quick.install()


def params():
    """Parameters given to build_and_run, as a dict."""
    return json.loads(os.environ["TB_PARAMETERS"])


def rng(name=""):
    """Random generator that depends on SEED, the design, its parameters and `name` only."""
    key = [os.environ["SEED"], os.environ["TB_TOPLEVEL"], os.environ["TB_PARAMETERS"], name]
    return random.Random("|".join(key))


def start_clock(clk, period_ps, phase_ps=0):
    """Start a clock with rising edges at phase_ps + n * period_ps, n >= 1 (even period).

    The first edge is late enough for inputs set at the start (reset) to be there.
    """

    async def run():
        clk.value = 0
        await Timer(phase_ps + period_ps, "ps")
        await Clock(clk, period_ps, unit="ps").start(start_high=True)

    return cocotb.start_soon(run())


class StoppableClock:
    """A clock that stops, starts again, changes its period and jitters, all at run time and without a runt pulse.

    period     in ps, even, may be set at any time; holds from the next rising edge on
    jitter     the low phase is longer by up to this many ps, at random (needs `random`)
    running    not stopped; a stopped clock stands at 0 after its high phase has ended
    edges      rising edges so far
    divided    (clock, ratio) of each clock that rises together with every ratio-th edge of this one

    Costs a Python call for each edge: where nothing of this is needed, start_clock is faster.
    """

    def __init__(self, clk, period_ps, phase_ps=0, random=None, jitter_ps=0, divided=()):
        self.clk, self.period, self.random, self.jitter = clk, period_ps, random, jitter_ps
        # One for each time that is ever waited for; each is made once.
        self._timer = functools.cache(lambda time_ps: Timer(time_ps, "ps"))
        self.running, self.edges, self.divided = True, 0, divided
        self._started = Event()
        for each in (clk, *(slow for slow, _ in divided)):
            each.value = 0
        self.task = cocotb.start_soon(self._run(phase_ps))

    def stop(self):
        self.running = False

    def start(self):
        self.running = True
        self._started.set()

    async def falter(self, random, time_ps):
        """Stands still, or runs at an eighth, for this time."""
        period = self.period
        if random.randrange(2):
            self.stop()
        else:
            self.period = 8 * period
        await Timer(time_ps, "ps")
        self.period = period
        self.start()

    async def _run(self, phase_ps):
        await Timer(phase_ps + self.period, "ps")
        while True:
            while not self.running:
                self._started.clear()
                await self._started.wait()
                # The edge of starting is in no fixed relation to the order to start.
                await self._timer(self.period // 2)
            half = self.period // 2
            self.edges += 1
            rising = [self.clk, *(slow for slow, ratio in self.divided if self.edges % ratio == 0)]
            for each in rising:
                each.value = 1
            await self._timer(half)
            for each in rising:
                each.value = 0
            await self._timer(half + (self.random.randint(0, self.jitter) if self.jitter else 0))


async def cycles(clk, count):
    """Wait for `count` rising edges."""
    for _ in range(count):
        await RisingEdge(clk)


async def reset(clk, rst, count=4):
    """Hold an active-high synchronous reset for `count` cycles."""
    rst.value = 1
    await cycles(clk, count)
    rst.value = 0
    await RisingEdge(clk)


def stall(axi, random, share):
    """All five channels of an AXI memory or master of cocotbext-axi pause in this share of the cycles, each on its own; 0: none does."""
    write, read = axi.write_if, axi.read_if
    for channel in (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel):  # fmt: skip
        if share:
            channel.set_pause_generator(iter(lambda: random.random() < share, None))
        else:
            channel.clear_pause_generator()
            channel.pause = False


class Source:
    """Drives a valid/ready channel from a queue with random pauses.

    rate   probability of offering a word in a cycle in which none is pending (change at any time)
    sent   words accepted so far, in order
    """

    def __init__(self, clk, valid, ready, data, random_generator, rate=0.5):
        self.clk, self.valid, self.ready, self.data = clk, valid, ready, data
        self.random, self.rate = random_generator, rate
        self.queue, self.sent = [], []
        self.offered = None
        valid.value = 0
        data.value = 0
        self.task = cocotb.start_soon(self._run())

    def send(self, words):
        self.queue.extend(words)

    def idle(self):
        return not self.queue and self.offered is None

    def flush(self):
        """Forget everything not yet accepted (call it when reset is asserted)."""
        self.queue.clear()
        self.offered = None
        self.valid.value = 0

    async def _run(self):
        while True:
            await RisingEdge(self.clk)
            if self.offered is not None and self.ready.value == 1 and self.valid.value == 1:
                self.sent.append(self.offered)
                self.offered = None
            if self.offered is None:
                if self.queue and self.random.random() < self.rate:
                    self.offered = self.queue.pop(0)
                    self.data.value = self.offered
                    self.valid.value = 1
                else:
                    self.valid.value = 0
                    # Not a stale word: a design that stores without looking at valid is caught.
                    self.data.value = self.random.getrandbits(len(self.data))


class Sink:
    """Takes words from a valid/ready channel with random back-pressure.

    rate      probability of being ready in a cycle (change at any time)
    received  words taken so far, in order
    hold      check that an offered word stays unchanged until taken
    guard     signal (reset): while it is 1 nothing is taken nor checked; set to 1 at the start,
              because before the first reset the design may offer anything
    """

    def __init__(self, clk, valid, ready, data, random_generator, rate=0.5, hold=True, guard=None):
        self.clk, self.valid, self.ready, self.data = clk, valid, ready, data
        self.random, self.rate, self.hold, self.guard = random_generator, rate, hold, guard
        self.received = []
        self.pending = None
        ready.value = 0
        if guard is not None:
            guard.value = 1
        self.task = cocotb.start_soon(self._run())

    async def _run(self):
        while True:
            await RisingEdge(self.clk)
            if self.guard is not None and self.guard.value != 0:
                self.pending = None
            elif self.valid.value == 1:
                word = int(self.data.value)
                if self.hold and self.pending is not None:
                    assert word == self.pending, f"word changed: {self.pending:#x} to {word:#x}"
                if self.ready.value == 1:
                    self.received.append(word)
                    self.pending = None
                else:
                    self.pending = word
            else:
                assert not (self.hold and self.pending is not None), "valid fell before ready"
            self.ready.value = int(self.random.random() < self.rate)
