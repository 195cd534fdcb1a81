# SPDX-License-Identifier: Apache-2.0
"""slink_phy, its own lanes turned back: settings whose bits arrive apart, and a line whose clock stands still."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer
from slink_model import IDL, LANES, SYMBOLS
from tb_common import build_and_run, cycles, rng, rtl, start_clock

PERIOD = 1000
ALL = (1 << LANES) - 1
IDLE = sum(IDL << 9 * at for at in range(LANES * SYMBOLS))


class Turned:
    """Words of data that tell their lane and number go out, and come back, each lane with its skew."""

    def __init__(self, dut, name):
        self.dut, self.random = dut, rng(name)
        self.number = 0  # of the words of data, modulo 128
        self.sending = False
        self.got = []  # (lanes with data, their numbers)

    async def start(self, use=ALL):
        dut = self.dut
        dut.rst_i.value, dut.coding_i.value, dut.use_i.value = 1, 0, use
        dut.s_data_i.value, dut.s_idle_i.value, dut.rx_data_i.value = IDLE, 1, 0
        self.rx_runs = True
        start_clock(dut.clk_i, PERIOD)
        cocotb.start_soon(self._rx_clock())
        cocotb.start_soon(self._send())
        cocotb.start_soon(self._receive())
        await cycles(dut.clk_i, 20)
        dut.rst_i.value = 0

    async def _rx_clock(self):
        """Between the edges of clk_i, as long as it runs."""
        dut = self.dut
        dut.rx_clk_i.value = 0
        skew = [self.random.randrange(8) for _ in range(LANES)]
        past = [0] * 8
        await Timer(PERIOD // 2 + 10, "ps")
        while True:
            if self.rx_runs:
                past = [int(dut.tx_data_o.value), *past[:-1]]
                lanes = (past[late] & 0xFFFFF << 20 * lane for lane, late in enumerate(skew))
                dut.rx_data_i.value = sum(lanes)
                dut.rx_clk_i.value = 1
            await Timer(PERIOD // 2, "ps")
            dut.rx_clk_i.value = 0
            await Timer(PERIOD // 2, "ps")

    async def _send(self):
        """Data in three of four words."""
        dut, at = self.dut, 0
        while True:
            await RisingEdge(dut.clk_i)
            at += 1
            if not self.sending or at % 4 == 0:
                dut.s_data_i.value, dut.s_idle_i.value = IDLE, 1
                continue
            self.number = (self.number + 1) % 128
            word = sum((lane << 6 | symbol << 5) << 9 * (2 * lane + symbol)
                       for lane in range(LANES) for symbol in range(SYMBOLS))  # fmt: skip
            low = sum((self.number >> 5 * symbol & 31) << 9 * (2 * lane + symbol)
                      for lane in range(LANES) for symbol in range(SYMBOLS))  # fmt: skip
            dut.s_data_i.value, dut.s_idle_i.value = word | low, 0

    async def _receive(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk_i)
            if dut.m_valid_o.value != 1:
                continue
            word, numbers = int(dut.m_data_o.value), {}
            for lane in range(LANES):
                first, second = (word >> 10 * (2 * lane + symbol) & 1023 for symbol in range(2))
                if (first, second) != (IDL, IDL):
                    assert first >> 5 == 2 * lane and second >> 5 == 2 * lane + 1, hex(word)
                    numbers[lane] = first & 31 | (second & 31) << 5
            self.got.append((sum(1 << lane for lane in numbers), set(numbers.values())))

    async def up(self, limit=600):
        for _ in range(limit):
            await RisingEdge(self.dut.clk_i)
            if self.dut.up_o.value == 1:
                return
        raise AssertionError("not up")


@cocotb.test()
async def bits_apart(dut):
    """The bits of use_i arrive one after the other, on both sides of an edge of the line's clock: never anything but whole values."""
    bench = Turned(dut, "bits apart")
    use = ALL
    await bench.start(use)
    bench.sending = True
    for _ in range(60):
        await bench.up()
        await cycles(dut.clk_i, 20)
        bench.got.clear()
        other = bench.random.choice([v for v in range(1, ALL + 1) if v != use])
        await RisingEdge(dut.clk_i)
        # All of them in the cycle that begins here: whoever samples by clk_i sees them at once.
        order = [lane for lane in range(LANES) if (use ^ other) >> lane & 1]
        bench.random.shuffle(order)
        times = sorted(bench.random.randrange(1, PERIOD - 1) for _ in order)
        now, at = use, 0
        for lane, time in zip(order, times, strict=True):
            if time > at:
                await Timer(time - at, "ps")
                at = time
            now ^= 1 << lane
            dut.use_i.value = now
        await cycles(dut.clk_i, 40)
        assert {lanes for lanes, _ in bench.got} <= {use, other}, (use, other, bench.got)
        assert all(len(numbers) == 1 for _, numbers in bench.got), "words of different times"
        use = other
        # It is another search: as long as that takes, nothing arrives.
        await bench.up()
        bench.got.clear()
        await cycles(dut.clk_i, 200)
        assert bench.got and {lanes for lanes, _ in bench.got} == {use}


@cocotb.test()
async def line_stands_still(dut):
    """The line's clock stands still while a reset comes and goes: nothing of before arrives, and it comes up again."""
    bench = Turned(dut, "stands still")
    await bench.start()
    for turn in range(40):
        bench.sending = True
        await bench.up()
        await cycles(dut.clk_i, 20 + bench.random.randrange(80))
        bench.rx_runs = False
        await cycles(dut.clk_i, bench.random.randrange(8))
        dut.rst_i.value = 1
        await cycles(dut.clk_i, 1 if turn < 10 else bench.random.randrange(1, 20))
        dut.rst_i.value = 0
        bench.sending = False
        last = bench.number
        bench.got.clear()
        # What the sender's pipeline and the way still hold may arrive; the numbers go on behind it.
        await cycles(dut.clk_i, bench.random.choice([0, 10, 100]))
        assert not bench.got, "the line stood still"
        bench.rx_runs = True
        await bench.up()
        await cycles(dut.clk_i, 40)
        assert not bench.got, (last, bench.got)
        bench.sending = True
        await cycles(dut.clk_i, 60)
        numbers = [next(iter(n)) for lanes, n in bench.got if lanes == ALL and len(n) == 1]
        assert len(numbers) == len(bench.got) >= 20
        assert numbers == [(last + 1 + at) % 128 for at in range(len(numbers))]


@pytest.mark.parametrize("blocks", [0, 1])
def test_slink_phy(blocks):
    build_and_run(
        "slink_phy",
        rtl("prim", "line", "slink"),
        {"Blocks": blocks},
        __name__,
        testcase=["bits_apart", "line_stands_still"],
        sync_jitter=True,
    )
