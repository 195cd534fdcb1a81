# SPDX-License-Identifier: Apache-2.0
"""pcs: rows as the model's, links over lanes in any order, skew and polarity, every reason for being down, latency."""

import os
import pathlib

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from pcs_link import LANES, Link, State, packed
from pcs_vectors import period, received, transmitted
from pcs_words import ERROR, IDLE, LOCAL_FAULT, Blocks
from tb_common import build_and_run, cycles, params, reset, rng, rtl, start_clock

RAW = 16


@cocotb.test()
async def any_lanes(dut):
    """Order, polarity and skew up to the standard's 928 bits; what a down link says; numbers that were found."""
    link = Link(dut, "lanes")
    await link.start()
    for _ in range(int(os.environ.get("ROUNDS", "3"))):
        await link.lanes_anew(928)
        link.blocks = 0
        await link.intact(6 * params()["Period"])
        assert link.parity == [0] * LANES and not link.blocks


class Multiplexed(Link):
    """Places of the peer are multiplexed bit by bit on physical lanes, which come late by bits of theirs."""

    def shuffle(self, skew):
        """Any lane at any place; some of the skew is that of places, some that of physical lanes."""
        random = self.random
        self.each = {1: 2, 2: 5}[self.caui]
        super().shuffle(skew - 16)
        self.shifts = [random.randrange(16 * self.each) for _ in range(LANES)]
        self.channel()

    def arrives(self):
        places = range(LANES)
        on = [p // self.each for p in places]
        # Bits that come one later are taken for those of the next place.
        turned = [(p - self.shifts[on[p]]) % self.each + on[p] * self.each for p in places]
        return [self.origin[p] for p in turned], [self.inverted[p] for p in on]


@cocotb.test()
async def multiplexed(dut):
    """4 and 10 physical lanes, at a peer that puts any PCS lanes together: up, each of them found where it is, and intact."""
    link = Multiplexed(dut, "multiplexed")
    await link.start()
    for turn in range(int(os.environ.get("ROUNDS", "2"))):
        link.caui = 1 + turn % 2
        await link.lanes_anew(928)
        link.blocks, link.parity = 0, [0] * LANES
        await link.intact(3 * params()["Period"])
        assert link.parity == [0] * LANES and not link.blocks
        # A physical lane without a signal: the first PCS lane on it is named.
        lane = link.random.randrange(LANES // link.each)
        link.signal[lane] = 0
        link.channel()
        await link.becomes(State.NO_SIGNAL, 60, lane * link.each)
        link.signal[lane] = 1


@cocotb.test()
async def rate(dut):
    """160 blocks in 33 cycles, less the rows of markers; the words that come are as many."""
    await Link(dut, "rate").rate()


@cocotb.test()
async def idle_left_out(dut):
    """A source that is not held, at the rate of the line with markers in it: idle makes room for them."""
    link = Link(dut, "own rate")
    await link.start()
    await link.up()
    await cycles(dut.clk_i, 400)
    period, link.sent, link.received, link.lost = params()["Period"], [], [], 0
    await cycles(dut.clk_i, 10 * 33 * period // 8)
    left_out = len(link.sent) - len(link.received)
    assert abs(left_out - 10 * LANES) < 3 * LANES and not link.lost
    dut._log.info(f"{left_out} slots left out in 10 periods")
    sent, received = ([s for s in slots if s != IDLE] for slots in (link.sent, link.received))
    first = next(i for i in range(len(received)) if received[i : i + 30] == sent[:30])
    assert received[first:] == sent[: len(received) - first]


@cocotb.test()
async def latency(dut):
    """Cycles from a word at the transmitter to the same word at the receiver, lanes in step and without a channel."""
    await Link(dut, "latency").latency(MOST_LATENCY)


MOST_LATENCY = 32


@cocotb.test()
async def reasons(dut):
    """Each reason by what makes it, with the lane; and the link comes back."""
    link = Link(dut, "reasons")
    period, random = params()["Period"], link.random
    link.shuffle(300)
    await link.start()
    await link.up()
    lane = random.randrange(1, LANES)

    link.signal[lane] = 0
    link.channel()
    await link.becomes(State.NO_SIGNAL, 60, lane)
    await cycles(dut.clk_i, 50)
    link.received.clear()
    await cycles(dut.clk_i, 20)
    assert set(link.received) == {LOCAL_FAULT}
    link.signal[lane] = 1
    link.channel()
    await link.becomes(State.NO_MARKER, 60, lane)
    await link.up()

    # A dead lane that says it has a signal.
    dead = packed([0xFFFF if p == lane else 0 for p in range(LANES)], RAW)
    link.noise = lambda: dead & random.getrandbits(RAW * LANES)
    await link.becomes(State.NO_BLOCK_LOCK, 4000, lane)
    link.noise = lambda: 0
    await link.up()

    # Two lanes with one number: the second is named.
    first, second = sorted(random.sample(range(LANES), 2))
    kept = link.origin[second]
    link.origin[second] = link.origin[first]
    link.channel()
    await link.becomes(State.SAME_NUMBER, 40 * period, second)
    link.origin[second] = kept
    link.channel()
    await link.up()

    # More skew than there is room for, from a slip at run time.
    kept = link.delays[lane]
    link.delays[lane] = 300 + 66 * 33
    link.channel()
    await link.becomes(State.SKEW_EXCEEDED, 60 * period)
    link.delays[lane] = kept
    link.channel()
    await link.up()

    # Lanes that change places, all in step: nothing but the markers tells.
    a, b = random.sample(range(LANES), 2)
    link.delays[a] = link.delays[b]
    link.channel()
    await cycles(dut.clk_i, 8 * period)
    await link.up()
    link.origin[a], link.origin[b] = link.origin[b], link.origin[a]
    link.channel()
    await link.becomes(State.NO_MARKER, 6 * 5 * period, min(a, b))
    await link.up()
    await link.intact(500)


@cocotb.test()
async def high_ber(dut):
    """Noise on all lanes: too many illegal headers; the link is back a window after the noise has gone."""
    link = Link(dut, "ber")
    await link.start()
    await link.up()
    window, random = params()["BerWindow"], link.random
    link.noise = lambda: random.getrandbits(RAW * LANES) & random.getrandbits(RAW * LANES)
    await link.becomes(State.HIGH_BER, window)
    link.noise = lambda: 0
    waited = await link.becomes(State.UP, 60 * params()["Period"] + 2 * window)
    dut._log.info(f"up again after {waited} cycles")
    await link.intact(500)


@cocotb.test()
async def parity(dut):
    """One wrong bit of a lane is one parity error of that lane, and error blocks where a frame was."""
    link = Link(dut, "parity")
    await link.start()
    link.shuffle(100)
    await link.up()
    await link.intact(400)
    link.parity = [0] * LANES
    wanted = [0] * LANES
    for _ in range(12):
        lane, bit = link.random.randrange(LANES), link.random.randrange(RAW)
        hit = [1 << RAW * lane + bit]
        link.noise = lambda hit=hit: hit.pop() if hit else 0
        await cycles(dut.clk_i, 5 * params()["Period"])
        wanted[lane] += 1
    # A marker whose number is hit has no parity to compare.
    assert all(0 <= w - f <= 1 for w, f in zip(wanted, link.parity, strict=True))
    assert sum(link.parity) >= 9
    await link.up()
    await link.intact(400)


@cocotb.test()
async def resets(dut):
    """Either end alone, at any time, also while a lane is away."""
    await Link(dut, "resets").resets(500, 40)


@cocotb.test()
async def rows_as_the_model(dut):
    """The slots of crates/wire, illegal ones among them: the same rows, with markers and parity."""
    slots_in, rows = transmitted()
    link = Link(dut, "model")
    link.source = iter([*slots_in, *[IDLE] * 10000])
    lanes = [Blocks() for _ in range(LANES)]
    await link.start()
    # The first block begins with the first word that is not zero in all lanes: markers have ones.
    begun = False
    while len(lanes[0].blocks) < len(rows):
        await RisingEdge(dut.clk_i)
        raw = int(dut.lanes_o.value)
        begun = begun or raw != 0
        for lane in range(LANES):
            if begun:
                lanes[lane].word(raw >> RAW * lane & 0xFFFF)
    for at, row in enumerate(rows):
        assert [lane.blocks[at] for lane in lanes] == row, f"row {at}"


@cocotb.test()
async def slots_as_the_model(dut):
    """Scrambled blocks of crates/wire, damaged ones among them, in words with gaps: the same slots."""
    start_clock(dut.clk_i, 1000)
    random, count = rng("receive"), params()["Blocks"]
    vectors = received()
    # A word that is left out fills the descrambler: its state is that of the file's start.
    filler = [((1 << 66) - 1) ^ 1] * count
    blocks = filler + [block for block, _ in vectors]
    wanted = [slot for _, slot in vectors]
    blocks += [0] * (-len(blocks) % count + count)
    dut.valid_i.value, dut.up_i.value = 0, 0
    await reset(dut.clk_i, dut.rst_i)
    dut.up_i.value = 1
    found, at = [], 0
    await cycles(dut.clk_i, 3)
    while len(found) < len(wanted) - count:
        valid = random.random() < 0.7 and at < len(blocks)
        dut.valid_i.value = int(valid)
        if valid:
            dut.block_i.value = packed(blocks[at : at + count], 66)
            at += count
        await RisingEdge(dut.clk_i)
        if dut.valid_o.value == 1:
            value = int(dut.slot_o.value)
            got = [value >> 72 * b & ((1 << 72) - 1) for b in range(count)]
            replaced = [(slot >> 64, slot & ((1 << 64) - 1)) for slot in got]
            assert (dut.error_o.value == 1) <= (ERROR in replaced)
            found += replaced
    # A frame that ends with the last block has no next one in the file.
    last = len(wanted) - count
    assert found[:last] == wanted[:last]


SYSTEM = ["any_lanes", "multiplexed", "rate", "latency", "reasons", "high_ber", "parity", "resets"]


def simulate(parameters, tests, **more):
    sources = [
        *rtl("prim", "axis", "line", "eth", "rsfec", "pcs"),
        pathlib.Path(__file__).with_name("pcs_bench.sv"),
    ]
    parameters = {"Period": 128, "Depth": 32, "BerWindow": 5000, **parameters}
    build_and_run("pcs_bench", sources, parameters, __name__, testcase=tests, **more)


@pytest.mark.parametrize("blocks", [pytest.param(5, marks=pytest.mark.long), 8])
def test_pcs(blocks):
    simulate({"Blocks": blocks}, SYSTEM)


@pytest.mark.parametrize("blocks", [pytest.param(5, marks=pytest.mark.long), 8])
def test_pcs_idle_left_out(blocks):
    simulate({"Blocks": blocks, "Hold": 0}, ["idle_left_out"])


@pytest.mark.parametrize("blocks", [5, pytest.param(8, marks=pytest.mark.long)])
def test_pcs_rows(blocks):
    simulate({"Blocks": blocks, "Period": period(), "Depth": 8}, ["rows_as_the_model"])


@pytest.mark.parametrize("blocks", [5, 8])
def test_pcs_receive(blocks):
    sources = rtl("prim", "axis", "line", "eth", "rsfec", "pcs")
    build_and_run(
        "pcs_receive", sources, {"Blocks": blocks}, __name__, testcase="slots_as_the_model"
    )


@pytest.mark.long
@pytest.mark.parametrize("blocks", [5, 8])
def test_pcs_long(blocks):
    simulate({"Blocks": blocks}, ["any_lanes", "multiplexed"], env={"ROUNDS": "200"})
