# SPDX-License-Identifier: Apache-2.0
"""htsp_100g_fifo: frames across two clocks of any ratio, whole and without a gap, or with a mark;
resets of either side at any time."""

import itertools
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer
from tb_common import StoppableClock, build_and_run, cycles, params, rng, rtl

HERE = Path(__file__).resolve().parent
FAST = 3102  # ps
# Cycles of 33 in which a PCS takes a word of 8 blocks from its MAC.
LINE = [c % 8 in (1, 2, 3, 6, 7) and c < 32 for c in range(33)]


class Fifo:
    """Numbered frames in, frames out. No frame is joined, torn or comes twice; what is missing was
    in a reset or is counted."""

    def __init__(self, dut, name, user=FAST, line=FAST):
        self.dut, self.random = dut, rng(name)
        self.bytes = params()["Bytes"]
        self.s_clock, self.m_clock = (
            StoppableClock(dut.s_clk_i, user),
            StoppableClock(dut.m_clk_i, line),
        )
        self.sent, self.received, self.part = [], [], []
        self.gaps = self.lost = self.words = 0
        self.longest, self.rate, self.take, self.resting = 20, 1.0, 1.0, False
        self.open = False
        self.pattern = lambda: self.random.random() < self.take

    async def start(self):
        dut = self.dut
        dut.s_axis_tvalid.value, dut.m_axis_tready.value = 0, 0
        dut.s_rst_i.value = dut.m_rst_i.value = 1
        await Timer(8 * 2 * max(self.s_clock.period, self.m_clock.period), "ps")
        dut.s_rst_i.value = dut.m_rst_i.value = 0
        cocotb.start_soon(self._send())
        cocotb.start_soon(self._receive())

    def frame(self):
        """Words that say frame and place; the last one may have a mark of its own."""
        number, size = len(self.sent) & 0xFFFF, self.random.randint(1, self.longest)
        self.sent.append(([number << 8 | at for at in range(size)], self.random.random() < 0.1))
        return self.sent[-1]

    async def _send(self):
        dut, offered = self.dut, []
        while True:
            await RisingEdge(dut.s_clk_i)
            if dut.s_rst_i.value == 1:
                offered = []
                dut.s_axis_tvalid.value = 0
                continue
            self.lost += dut.s_lost_o.value == 1
            valid = dut.s_axis_tvalid.value == 1
            if valid and dut.s_axis_tready.value == 1:
                offered.pop(0)
                self.words += 1
                valid = False
            if valid:
                continue
            if not offered and not self.resting:
                words, marked = self.frame()
                offered = [(word, False, False) for word in words]
                offered[-1] = (words[-1], True, marked)
            # A source that must not leave gaps in a frame may leave them between two.
            begins = offered and offered[0][0] & 0xFF == 0
            if offered and (self.random.random() < self.rate or not begins):
                word, last, marked = offered[0]
                dut.s_axis_tdata.value, dut.s_axis_tlast.value = word, last
                dut.s_axis_tkeep.value, dut.s_axis_tuser.value = (1 << self.bytes) - 1, marked
                dut.s_axis_tvalid.value = 1
            else:
                dut.s_axis_tvalid.value = 0

    async def _receive(self):
        dut, held = self.dut, None
        while True:
            await RisingEdge(dut.m_clk_i)
            if dut.m_rst_i.value == 1:
                self.part, self.open, held = [], False, None
                continue
            names = ("tdata", "tkeep", "tlast", "tuser")
            word = tuple(int(getattr(dut, f"m_axis_{name}").value) for name in names)
            valid, ready = dut.m_axis_tvalid.value == 1, dut.m_axis_tready.value == 1
            assert held is None or (valid and held == word), "an offered word changed"
            held = word if valid and not ready else None
            self.gaps += self.open and not valid
            if valid and ready:
                self.part.append(word[0])
                self.open = not word[2]
                if word[2]:
                    self.received.append((self.part, bool(word[3])))
                    self.part = []
            dut.m_axis_tready.value = int(self.pattern())

    async def rest(self):
        """Until nothing moves any more; then every good frame is one that was sent, in order, once,
        and the last ones came."""
        self.resting, self.rate, self.take = True, 1.0, 1.0
        before = None
        while before != (self.words, len(self.received), len(self.part)):
            before = self.words, len(self.received), len(self.part)
            await Timer(60 * max(self.s_clock.period, self.m_clock.period), "ps")
        assert not self.part, "the end of a frame does not come"
        at, good, torn = 0, 0, 0
        numbers = {words[0]: i for i, (words, _) in enumerate(self.sent)}
        for words, marked in self.received:
            if words[0] == 0 and marked and len(words) == 1 and numbers.get(0, -1) < at:
                continue  # a mark alone
            index = numbers[words[0]]
            assert index >= at, "again, or out of order"
            at = index + 1
            whole = words == self.sent[index][0]
            if not marked:
                assert whole and not self.sent[index][1], f"frame {index}: joined or torn"
                good += 1
            else:
                assert whole or words[:-1] == self.sent[index][0][: len(words) - 1]
                torn += not (whole and self.sent[index][1])
        self.resting = False
        return good, torn

    def forget(self):
        self.received.clear()
        self.sent.clear()


@cocotb.test()
async def gapless(dut):
    """Clocks of any ratio: a source as fast as the line leaves no gap in a frame, whatever waits;
    all of it comes."""
    fifo = Fifo(dut, "gapless")
    await fifo.start()
    line = itertools.cycle(LINE)
    fifo.pattern = lambda: next(line)
    for user in (2400, FAST, 4000, 5000, 5116):
        fifo.s_clock.period = user
        fifo.forget()
        fifo.rate = fifo.random.choice((0.2, 1.0))
        await cycles(dut.m_clk_i, 3000)
        good, torn = await fifo.rest()
        assert good and not torn and not fifo.lost and not fifo.gaps
        assert good == sum(not marked for _, marked in fifo.sent) and len(fifo.received) == len(
            fifo.sent
        )
        fifo.forget()


@cocotb.test()
async def full(dut):
    """A source that cannot be held and is too fast: what finds no room is counted and marked, and
    nothing else."""
    fifo = Fifo(dut, "full", line=3 * FAST)
    await fifo.start()
    for fifo.longest in (3, 60):
        await cycles(dut.s_clk_i, 6000)
        # Of long frames few find room for all of their words.
        while sum(not marked for _, marked in fifo.received) <= 20:
            await cycles(dut.s_clk_i, 1000)
        good, torn = await fifo.rest()
        assert good > 20 and fifo.lost > 20
        sent = sum(not marked for _, marked in fifo.sent)
        # A frame of which nothing has come leaves no mark.
        assert good < sent and (torn > 10 or fifo.longest == 3)
        assert len(fifo.sent) - fifo.lost == good + sum(
            marked and words == dict_of(fifo)[words[0]] for words, marked in fifo.received
        )
        fifo.forget()
        fifo.lost = 0


def dict_of(fifo):
    return {words[0]: words for words, _ in fifo.sent}


@cocotb.test()
async def resets(dut):
    """A reset of either side at any time, clocks that stop meanwhile: nothing joined, stale or
    open, and frames come again."""
    fifo, torn, held = Fifo(dut, "resets"), 0, params()["Held"]
    await fifo.start()
    for _ in range(60):
        random = fifo.random
        fifo.s_clock.period = random.choice((FAST, 4000, 5000))
        fifo.rate = random.choice((0.3, 1.0))
        fifo.take = random.choice((0.4, 1.0)) if held else 1.0
        await Timer(random.randrange(50 * FAST, 150 * FAST), "ps")
        for _ in range(random.randint(1, 2)):
            side = random.choice("sm")
            clock = getattr(dut, f"{side}_clk_i")
            await RisingEdge(clock)
            getattr(dut, f"{side}_rst_i").value = 1
            other = fifo.m_clock if side == "s" else fifo.s_clock
            if random.random() < 0.3:
                other.stop()
            await cycles(clock, random.choice((1, 2, 20)))
            getattr(dut, f"{side}_rst_i").value = 0
            await Timer(random.randrange(1, 30 * FAST), "ps")
            other.start()
        await Timer(60 * FAST, "ps")
        good, more = await fifo.rest()
        torn += more
        fifo.forget()
        await Timer(80 * FAST, "ps")
        good, more = await fifo.rest()
        assert good and not more
        fifo.forget()
    assert torn > 5


@pytest.mark.parametrize("held", [1, 0])
def test_htsp_100g_fifo(held):
    sources = [
        *rtl("prim"),
        HERE.parent / "rtl/htsp_100g_fifo.sv",
        HERE / "htsp_100g_fifo_bench.sv",
    ]
    parameters = {"Held": held, "StartWords": 6 if held else 1}
    parameters = {"Bytes": 4, "Depth": 16, **parameters}
    tests = ["gapless", "resets"] if held else ["full", "resets"]
    build_and_run(
        "htsp_100g_fifo_bench", sources, parameters, __name__, testcase=tests, sync_jitter=True
    )
