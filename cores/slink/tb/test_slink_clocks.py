# SPDX-License-Identifier: Apache-2.0
"""Clocks that stop, slow down and start again while ends are reset at any time: nothing of before is written, and the link comes back."""

import os
import pathlib

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge, Timer
from slink_shell import LANES, PERIOD, Pair
from tb_common import StoppableClock, build_and_run, cycles, rtl

TIMEOUT = 512
# Cycles in which an operation ends whatever happens: all retries, and as many sessions to be found.
ENDS = 40 * TIMEOUT


class Operation:
    """One operation in CRC mode, each word of it new, in the half of both memories that belongs to its end."""

    def __init__(self, pair, end):
        self.end, self.random = end, pair.random
        half, other = 32768 * (end is pair.b), pair.ends[end is pair.a]
        self.words = self.random.randrange(1, 200)
        self.option = self.random.randrange(2)
        room = 32768 - 8 * self.words
        self.local, self.remote = (half + 8 * self.random.randrange(room // 8) for _ in range(2))
        source, at = (other, self.remote) if self.option else (end, self.local)
        self.data = self.random.randbytes(8 * self.words)
        source.wanted[at : at + len(self.data)] = self.data
        source.ram.write(at, self.data)
        self.target, self.at = (end, self.local) if self.option else (other, self.remote)
        self.before = bytes(self.target.wanted[self.at : self.at + len(self.data)])
        self.outcome = None
        self.lanes = self.random.choice([1, 2, 4])
        self.task = cocotb.start_soon(self._run())

    async def _run(self):
        registers = self.end.registers
        await registers.write(
            "mode", read=self.option, crc=1, lanes=LANES[self.lanes], length=self.words
        )
        await registers.write("remote_address", address=self.remote)
        await registers.write("local_address", address=self.local)
        await registers.write("control", run=2, start=1)
        for _ in range(ENDS // 4):
            status = (await registers.word(16))[0]
            if not status & 1:
                self.outcome = self.end.outcome(status)
                return
        raise AssertionError(f"an operation of {self.end.name} does not end: {status:#x}")

    def check(self):
        """What its target holds: all of it, or of each word the old one or the new one. A done one is whole."""
        size = len(self.data)
        now = self.target.ram.read(self.at, size)
        if self.outcome == "done":
            assert now == self.data, "done, and not there"
        for i in range(0, size, 8):
            word = now[i : i + 8]
            assert word in (self.data[i : i + 8], self.before[i : i + 8]), "torn"
        self.target.wanted[self.at : self.at + size] = now


class Episode:
    def __init__(self, pair):
        self.pair, self.random = pair, pair.random
        self.runs = [True, True]  # the clocks of the lines
        self.operations = [Operation(pair, end) for end in pair.ends if self.random.random() < 0.8]

    async def some(self, most):
        await Timer(self.random.randrange(1, most * PERIOD), "ps")

    def forget(self, end):
        """Its user is reset with it."""
        for operation in [o for o in self.operations if o.end is end and o.outcome is None]:
            operation.task.cancel()
            operation.outcome = "forgotten"

    async def pin(self, end):
        """A pulse on the asynchronous reset, as short as it likes, and the program that begins anew."""
        await self.some(600)
        self.forget(end)
        end.arst.value = 1
        await Timer(self.random.choice([1, 100, self.random.randrange(1, 60 * PERIOD)]), "ps")
        end.arst.value = 0
        if end.rst.value == 0:
            await RisingEdge(end.rst)
        await FallingEdge(end.rst)
        await cycles(end.clock, 4)
        await end.registers.write("control", run=2)

    async def program(self, end):
        """The reset that software gives."""
        await self.some(600)
        # Not in the middle of its start, which would end the reset.
        for operation in self.operations:
            if operation.end is end and operation.outcome is None:
                await cycles(end.clock, 80)
        self.forget(end)
        await end.registers.write("control", run=0)
        await cycles(end.clock, self.random.choice([1, 50]))
        await end.registers.write("control", run=2)

    async def clock(self, which):
        """The clock of an end stops, or runs at an eighth, for a while."""
        await self.some(500)
        clock = self.pair.clocks[which]
        await clock.falter(self.random, self.random.randrange(1, 1500 * PERIOD))

    async def line(self, which):
        """The clock of a line: stopped, or every eighth pulse comes through."""
        await self.some(500)
        slow = self.random.randrange(2)
        clock = self.pair.ends[1 - which].clock
        for turn in range(self.random.randrange(1, 800)):
            await FallingEdge(clock)
            self.let_run(which, slow and turn % 8 == 0)
        self.let_run(which, True)

    def let_run(self, which, runs):
        # What both lines write in one step cannot be read back in it.
        self.runs[which] = runs
        self.pair.dut.line_run_i.value = 2 * self.runs[1] + self.runs[0]

    async def run(self):
        random, ends = self.random, self.pair.ends
        first, second = random.sample(ends, 2)
        faults = [random.choice([self.pin, self.program])(first)]
        if random.random() < 0.3:
            faults.append(self.pin(second))
        for way in range(2):
            if random.random() < 0.5:
                faults.append(random.choice([self.clock, self.line])(way))
        for task in [cocotb.start_soon(fault) for fault in faults]:
            await task
        for operation in self.operations:
            if operation.outcome is None:
                await operation.task


@cocotb.test()
async def any_clock_any_reset(dut):
    """Episodes of resets while clocks stop and slow down: words are old or new, done is done, nothing is written when all is told."""
    pair = Pair(dut, "any clock")
    await pair.start(clocks=lambda clk, period: StoppableClock(clk, period))
    outcomes = {}
    for _ in range(int(os.environ["EPISODES"])):
        episode = Episode(pair)
        await episode.run()
        # A reset by software comes behind the packet that is being sent, of 800 words at most.
        await pair.up()
        await cycles(pair.a.clock, 1000)
        await pair.up()
        # What the line still held has arrived.
        await pair.settle()
        for operation in episode.operations:
            outcomes[operation.outcome] = outcomes.get(operation.outcome, 0) + 1
            operation.check()
        assert pair.a.whole() and pair.b.whole(), "something else was written"
        end = pair.random.choice(pair.ends)
        words = pair.random.randrange(1, 40)
        await pair.operation(end, pair.random.randrange(2), words, 4, 1, 0, 40000)
    print(f"episodes: {outcomes}")


@pytest.mark.parametrize("episodes", [30, pytest.param(1000, marks=pytest.mark.long)])
def test_slink_clocks(episodes):
    build_and_run(
        "slink_pair",
        [*rtl("prim", "line", "slink"), pathlib.Path(__file__).with_name("slink_pair.sv")],
        {"DataWidth": 64, "Timeout": TIMEOUT, "Tries": 4, "Switch": 1, "BSwitch": 1},
        __name__,
        sync_jitter=True,
        env={"EPISODES": str(episodes)},
    )
