# SPDX-License-Identifier: Apache-2.0
"""pcs_fec: codewords and rows as the model's, links over FEC lanes with wrong symbols, modes, reasons, latency."""

import os
import pathlib

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from pcs_link import LANES, Link, State, packed
from pcs_vectors import codewords, corrected, period, transmitted
from pcs_words import ERROR, IDLE, LOCAL_FAULT, word
from tb_common import build_and_run, cycles, params, reset, rtl, start_clock

FEC_LANES, RAW, SYMBOLS, N = 4, 80, 32, 528
CORRECT, BYPASS_INDICATION, BYPASS_CORRECTION = range(3)
START, SKEW = 0xFB, 4640


class FecLink(Link):
    """With errors that are counted by codeword, as the transmitter begins them."""

    lanes = FEC_LANES

    def __init__(self, dut, name, mode=CORRECT):
        super().__init__(dut, name)
        self.wrong, self.plan, self.total = lambda: 0, {}, 0
        self.counts, self.corrected, self.uncorrectable = [0] * FEC_LANES, 0, 0
        self.noise = self.symbols
        dut.mode_i.value = mode

    def channel(self):
        dut = self.dut
        dut.from_i.value, dut.signal_i.value = packed(self.origin, 2), packed(self.signal, 1)
        dut.delay_words_i.value = packed([delay // RAW for delay in self.delays], 8)
        dut.delay_bits_i.value = packed([delay % RAW for delay in self.delays], 7)
        dut.invert_i.value = packed(self.inverted, 1)

    def symbols(self):
        """Errors of this cycle, at symbols of codewords that begin every N symbols; for lanes in step."""
        self.corrected += self.dut.corrected_o.value == 1
        self.uncorrectable += self.dut.uncorrectable_o.value == 1
        errors = int(self.dut.errors_o.value)
        for lane in range(FEC_LANES):
            self.counts[lane] += errors >> 4 * lane & 15
        if self.dut.lanes_o.value.is_resolvable and int(self.dut.lanes_o.value) == 0:
            self.symbol = -2 * SYMBOLS  # cycles of the bench
        noise = 0
        for at in range(SYMBOLS):
            if self.symbol % N == 0:
                count = self.wrong()
                self.total += count
                places = self.random.sample(range(N), count)
                self.plan = {self.symbol + p: self.random.randrange(1, 1024) for p in places}
            noise |= self.plan.pop(self.symbol, 0) << RAW * (at % 4) + 10 * (at // 4)
            self.symbol += 1
        return noise

    symbol = 0

    def frames(self, begin):
        """Compares frames that are whole with those that were sent; how many there are."""
        first, whole = None, 0
        for at, (control, characters) in enumerate(self.received):
            if control == 1 and characters & 0xFF == START:
                first = at
            elif control and (control, characters) != ERROR and first is not None:
                if 0xFD in characters.to_bytes(8, "little"):
                    sent = self.sent[begin + first + 1 : begin + at + 1]
                    assert self.received[first + 1 : at + 1] == sent
                    whole += 1
                first = None
            elif (control, characters) == ERROR:
                first = None
        return whole


def long_frames(random):
    """Frames of 64 bytes and more with their preamble: shorter ones need not be marked."""
    while True:
        yield 0x01, random.getrandbits(56) << 8 | START
        for _ in range(8 + random.randrange(12)):
            yield 0, random.getrandbits(64)
        yield 0xFF, 0x07070707070707FD
        for _ in range(random.choice((0, 0, 1, 2))):
            yield IDLE


def aligned(link):
    """Where in what was sent the first of what was received stands."""
    first = link.received[:100]
    for begin in range(len(link.sent) - 100):
        same = sum(a == b for a, b in zip(first, link.sent[begin : begin + 100], strict=True))
        if same > 50:
            return begin
    raise AssertionError("nothing that was sent")


@cocotb.test()
async def any_lanes(dut):
    """Order, polarity and skew up to the standard's 180 ns; what a down link says; numbers that were found."""
    link = FecLink(dut, "lanes")
    await link.start()
    for _ in range(int(os.environ.get("ROUNDS", "3"))):
        await link.lanes_anew(SKEW)
        link.blocks, link.parity = 0, [0] * LANES
        await link.intact(6 * params()["Period"])
        assert link.parity == [0] * LANES and not link.blocks
        assert not link.corrected and not link.uncorrectable


@cocotb.test()
async def rate(dut):
    """160 blocks in 33 cycles, less the rows of markers, with the FEC in between."""
    await FecLink(dut, "rate").rate()


@cocotb.test()
async def corrects(dut):
    """Up to seven wrong symbols of every codeword, markers among them: every slot as it was sent, all counted."""
    link = FecLink(dut, "corrects")
    await link.start()
    await link.up()
    link.wrong = lambda: link.random.randrange(8)
    await cycles(dut.clk_i, 1000)
    link.parity = [0] * LANES
    link.corrected, link.total, link.counts = 0, 0, [0] * FEC_LANES
    await link.intact(4000)
    assert link.parity == [0] * LANES
    assert link.corrected > 150 and not link.uncorrectable
    # What is under way is not counted yet.
    assert abs(sum(link.counts) - link.total) < 40 and min(link.counts) > 50
    dut._log.info(f"{link.corrected} codewords corrected, symbols {link.counts}")


@cocotb.test()
async def marks(dut):
    """More than seven wrong symbols: uncorrectable, and no frame that is whole differs from what was sent."""
    mode = int(os.environ.get("MODE", CORRECT))
    link = FecLink(dut, "marks", mode)
    link.source = long_frames(link.random)
    await link.start()
    await link.up()
    await cycles(dut.clk_i, 400)
    link.received, link.sent, link.uncorrectable, link.total = [], [], 0, 0
    await cycles(dut.clk_i, 100)
    link.received.clear()
    codeword = [0]

    def wrong():
        # Rarely enough for the share of illegal headers that a link may have.
        codeword[0] += 1
        return link.random.randrange(8, 60) if codeword[0] % 24 == 0 else 0

    link.wrong = wrong
    await cycles(dut.clk_i, 12000)
    assert link.state()[0] == State.UP
    whole = link.frames(aligned(link))
    bad = codeword[0] // 24
    assert abs(link.uncorrectable - bad) <= 2 and not link.corrected
    errors = link.received.count(ERROR)
    assert whole > 500 and errors >= 9 * (bad - 2)
    dut._log.info(f"{link.uncorrectable} codewords marked, {errors} error slots, {whole} frames")


@cocotb.test()
async def high_ser(dut):
    """Not marked, but too many wrong symbols: all is marked for a while."""
    link = FecLink(dut, "ser", BYPASS_INDICATION)
    link.source = long_frames(link.random)
    await link.start()
    await link.up()
    link.wrong = lambda: 1
    await cycles(dut.clk_i, 40 * 17 * 3)
    assert link.state()[0] == State.UP and link.corrected
    await link.intact(500)
    for wrong in (7, 20):
        link.wrong = lambda wrong=wrong: wrong
        await link.becomes(State.HIGH_SER, 60 * 17)
        await cycles(dut.clk_i, 100)
        link.received.clear()
        await cycles(dut.clk_i, 100)
        assert set(link.received) <= {ERROR, LOCAL_FAULT}
        link.wrong = lambda: 0
        waited = await link.up()
        dut._log.info(f"up again after {waited} cycles")
        await cycles(dut.clk_i, 3000)
        await link.intact(500)
    assert not link.uncorrectable


@cocotb.test()
async def reasons(dut):
    """Each reason by what makes it, with the lane; and the link comes back."""
    link = FecLink(dut, "reasons")
    period, random = params()["Period"] * 33 // 8, link.random
    link.shuffle(1000)
    await link.start()
    await link.up()
    lane = random.randrange(1, FEC_LANES)

    link.signal[lane] = 0
    link.channel()
    await link.becomes(State.NO_SIGNAL, 20, lane)
    await cycles(dut.clk_i, 50)
    link.received.clear()
    await cycles(dut.clk_i, 20)
    assert set(link.received) == {LOCAL_FAULT}
    link.signal[lane] = 1
    link.channel()
    await link.becomes(State.NO_MARKER, 20, lane)
    await link.up()

    # A lane that comes back is believed when two rows of markers have come, a period apart.
    for _ in range(4):
        link.signal[lane] = 0
        link.channel()
        await cycles(dut.clk_i, 20 + random.randrange(period))
        link.signal[lane] = 1
        link.channel()
        await link.becomes(State.NO_MARKER, 20, lane)
        assert await link.becomes(State.ALIGNING, 3 * period) > period
        await link.up()

    # Two lanes with one number: the second is named.
    first, second = sorted(random.sample(range(FEC_LANES), 2))
    kept = link.origin[second]
    link.origin[second] = link.origin[first]
    link.channel()
    await link.becomes(State.SAME_NUMBER, 20 * period, second)
    link.origin[second] = kept
    link.channel()
    await link.up()

    # More skew than there is room for: neither the markers of this period nor of the next are near.
    link.delays = [0 if at != lane else RAW * (period // 2) for at in range(FEC_LANES)]
    link.channel()
    await link.becomes(State.SKEW_EXCEEDED, 20 * period)
    link.delays[lane] = 300
    link.channel()
    await link.up()

    # Markers, and what is between them is not corrected.
    link.delays = [0] * FEC_LANES
    link.channel()
    await cycles(dut.clk_i, 12 * period)
    await link.up()
    link.wrong = lambda: 9
    await link.becomes(State.NO_CODEWORD, 20 * period)
    link.wrong = lambda: 0
    await link.up()
    await link.intact(500)

    # Codewords that are bad all the time, but not three in a row.
    count = [0]

    def two_of_three():
        count[0] += 1
        return 9 if count[0] % 3 else 0

    link.wrong = two_of_three
    await link.becomes(State.HIGH_BER, params()["BerWindow"])
    link.wrong = lambda: 0
    await link.up()
    await cycles(dut.clk_i, 2 * params()["BerWindow"])
    await link.intact(500)


@cocotb.test()
async def resets(dut):
    """Either end alone, at any time."""
    await FecLink(dut, "resets").resets(2000, 60)


MOST_LATENCY = {CORRECT: 68, BYPASS_INDICATION: 62, BYPASS_CORRECTION: 52}


@cocotb.test()
async def latency(dut):
    """Cycles from a word at the transmitter to the same word at the receiver, lanes in step, in each mode."""
    mode = int(os.environ["MODE"])
    await FecLink(dut, "latency", mode).latency(MOST_LATENCY[mode])


@cocotb.test()
async def codewords_as_the_model(dut):
    """The slots of crates/wire, illegal ones among them: the same codewords on the same lanes."""
    slots_in, _ = transmitted()
    wanted = codewords()
    count = params()["Blocks"]
    slots_in += [IDLE] * 10000
    start_clock(dut.clk_i, 1000)
    await reset(dut.clk_i, dut.rst_i)
    found, taken = [], 0
    while len(found) < N * len(wanted):
        dut.cgmii_data_i.value, dut.cgmii_ctrl_i.value = word(slots_in[taken : taken + count])
        await RisingEdge(dut.clk_i)
        if dut.cgmii_ready_o.value == 1:
            taken += count
        raw = int(dut.lanes_o.value)
        if raw or found:
            found += [raw >> RAW * (s % 4) + 10 * (s // 4) & 1023 for s in range(SYMBOLS)]
    for at, codeword in enumerate(wanted):
        assert found[N * at : N * (at + 1)] == codeword, f"codeword {at}"


@cocotb.test()
async def rows_as_the_model(dut):
    """Codewords that were corrected, or were not and are marked: the rows of crates/wire."""
    start_clock(dut.clk_i, 1000)
    arrived, wanted = corrected()
    sent = codewords()[: len(arrived)]
    stream, bad = [], []
    for damaged, intact in zip(arrived, sent, strict=True):
        wrong = sum(a != b for a, b in zip(damaged, intact, strict=True)) > 7
        stream += damaged if wrong else intact
        bad.append(wrong)
    assert any(bad) and not all(bad)
    dut.valid_i.value, dut.illegal_i.value = 0, 0
    await reset(dut.clk_i, dut.rst_i)
    found, words = [], len(stream) // SYMBOLS
    per_period = words // 2
    for at in range(2 * words + 4):
        symbols = stream[SYMBOLS * (at % words) :][:SYMBOLS]
        halves = [SYMBOLS * (at % words) // N, (SYMBOLS * (at % words) + SYMBOLS // 2) // N]
        dut.valid_i.value, dut.data_i.value = 1, packed(symbols, 10)
        dut.first_i.value = int(at % per_period == 0)
        dut.bad_i.value = packed([bad[h] for h in halves], 1)
        await RisingEdge(dut.clk_i)
        if dut.valid_o.value == 1:
            row = int(dut.row_o.value)
            blocks = [row >> 66 * lane & ((1 << 66) - 1) for lane in range(LANES)]
            found.append((dut.marker_o.value == 1, blocks))
    assert found[len(wanted) : 2 * len(wanted)] == wanted


SYSTEM = ["any_lanes", "rate", "corrects", "marks", "reasons", "resets"]
SOURCES = ("prim", "axis", "line", "eth", "rsfec", "pcs")


def simulate(parameters, tests, **more):
    sources = [*rtl(*SOURCES), pathlib.Path(__file__).with_name("pcs_fec_bench.sv")]
    parameters = {"Period": 64, "Depth": 64, "BerWindow": 2000, **parameters}
    build_and_run("pcs_fec_bench", sources, parameters, __name__, testcase=tests, **more)


@pytest.mark.parametrize("blocks", [pytest.param(5, marks=pytest.mark.long), 8])
def test_pcs_fec(blocks):
    simulate({"Blocks": blocks}, SYSTEM)


def test_pcs_fec_high_ser():
    simulate({"Blocks": 8}, ["high_ser"])


@pytest.mark.parametrize("mode", [CORRECT, BYPASS_INDICATION, BYPASS_CORRECTION])
def test_pcs_fec_modes(mode):
    # `marks` of the first mode is among those of `test_pcs_fec`.
    tests = ["latency", "marks"] if mode == BYPASS_CORRECTION else ["latency"]
    simulate({"Blocks": 8}, tests, env={"MODE": str(mode)})


@pytest.mark.parametrize("blocks", [pytest.param(5, marks=pytest.mark.long), 8])
def test_pcs_fec_codewords(blocks):
    parameters = {"Blocks": blocks, "Period": period()}
    build_and_run(
        "pcs_fec_tx", rtl(*SOURCES), parameters, __name__, testcase="codewords_as_the_model"
    )


def test_pcs_fec_rows():
    build_and_run("pcs_fec_rows", rtl(*SOURCES), {}, __name__, testcase="rows_as_the_model")


@pytest.mark.long
@pytest.mark.parametrize("blocks", [5, 8])
def test_pcs_fec_long(blocks):
    simulate({"Blocks": blocks}, ["any_lanes"], env={"ROUNDS": "200"})
