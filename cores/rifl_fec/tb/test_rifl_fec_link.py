# SPDX-License-Identifier: Apache-2.0
"""RIFL over rifl_fec: every byte compared, goodput over lanes with bit errors against that of the clean link without codewords."""

import math
import pathlib

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge, Timer
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from tb_common import build_and_run, params, rng, rtl, start_clock

HERE = pathlib.Path(__file__).parent
OFF, ON, AUTO = range(3)
PLAIN, CODED = 0, 1
PERIOD = 2000  # ps of a line word
WORDS, PAYLOAD, MARKER = 40, 38, 0x47  # of a codeword
# Errors in a word of a frame that its code does not see; nothing of them goes into the next frame,
# or to where the length of a packet is.
UNSEEN = 0x102F << 46
FRAME_BYTES = 30
# Least goodput by bit error rate, of that of the clean link: the rate of the code is .95.
LEAST = {0: 0.94, 1e-5: 0.94, 1e-4: 0.90}


class Pair:
    def __init__(self, dut, name):
        self.dut, self.random = dut, rng(name)
        self.lanes = params()["Lanes"]
        self.flips = 0
        self.source, self.sink = {}, {}

    async def start(self, mode=ON):
        dut = self.dut
        dut.known_i.value = 1
        for name in ("error_i", "a_s_axis_tvalid", "b_s_axis_tvalid"):
            getattr(dut, name).value = 0
        dut.slip_i.value = self.random.getrandbits(6 * self.lanes)
        dut.skew_i.value = self.random.getrandbits(4 * self.lanes)
        dut.arst_i.value = dut.fec_arst_i.value = 3
        self.set(mode, mode)
        dut.user_rst_i.value = 1
        if not self.source:
            start_clock(dut.a_clk_i, PERIOD)
            start_clock(dut.b_clk_i, PERIOD, 620)
            beat = PERIOD * params()["UserWidth"] // (64 * self.lanes)
            for end in "ab":
                clk = getattr(dut, f"{end}_user_clk_i")
                start_clock(clk, beat, self.random.randrange(beat))
                at = clk, dut.user_rst_i
                bus = AxiStreamBus.from_prefix
                self.source[end] = AxiStreamSource(bus(dut, f"{end}_s_axis"), *at)
                self.sink[end] = AxiStreamSink(bus(dut, f"{end}_m_axis"), *at)
        await ClockCycles(dut.a_clk_i, 40)
        dut.arst_i.value = dut.fec_arst_i.value = 0
        await ClockCycles(dut.a_clk_i, 200)
        dut.user_rst_i.value = 0
        await self.wait_up()

    def set(self, a, b):
        self.dut.mode_i.value = a | b << 2

    async def wait_up(self):
        for _ in range(400):
            await ClockCycles(self.dut.a_clk_i, 40)
            if int(self.dut.link_up_o.value) == 3:
                return
        raise AssertionError("the link does not come up")

    async def noise(self, ber):
        """Bits flipped at random, each with this probability."""
        bits = 2 * 64 * self.lanes
        at = word = mask = 0
        while True:
            # How many bits until the next wrong one.
            at += 1 + int(math.log(1 - self.random.random()) / math.log(1 - ber))
            if at // bits > word:
                if mask:
                    self.dut.error_i.value = mask
                    await Timer(PERIOD, "ps")
                    self.dut.error_i.value = mask = 0
                    word += 1
                if at // bits > word:
                    await Timer((at // bits - word) * PERIOD, "ps")
                word = at // bits
            mask |= 1 << at % bits
            self.flips += 1

    def packets(self, count, length):
        return [self.random.randbytes(self.random.randint(1, length)) for _ in range(count)]

    def bytes(self):
        value = int(self.dut.bytes_o.value)
        return (value & 0xFFFFFFFF) + (value >> 32)

    async def exchange(self, count, length, sent=None):
        """Packets both ways at once, every byte compared; the bytes that arrive in a line word, both directions together."""
        sent = sent or {end: self.packets(count, length) for end in "ab"}
        total = sum(len(packet) for packets in sent.values() for packet in packets)
        begin = self.bytes()
        marks = []

        async def watch():
            # Not the beginning, and not the end, when one direction is done.
            for share in (0.1, 0.8):
                while self.bytes() - begin < share * total:
                    await ClockCycles(self.dut.a_clk_i, 4)
                marks.append((get_sim_time("ps"), self.bytes()))

        task = cocotb.start_soon(watch())
        for end, packets in sent.items():
            for packet in packets:
                self.source[end].send_nowait(AxiStreamFrame(packet))
        for end, other in (("a", "b"), ("b", "a")):
            for index, packet in enumerate(sent[end]):
                got = await self.sink[other].recv()
                assert bytes(got.tdata) == packet, f"packet {index} of {end} differs"
        await task
        assert self.sink["a"].empty() and self.sink["b"].empty()
        assert not int(self.dut.overflow_o.value) and not int(self.dut.ended_o.value)
        (t0, b0), (t1, b1) = marks
        return (b1 - b0) / (t1 - t0) * PERIOD

    async def find_codewords(self):
        """The cycle of forty in which A sends the first word of a codeword on lane 0."""
        places = set(range(WORDS))
        while len(places) > 1:
            await RisingEdge(self.dut.a_clk_i)
            # What is read is the word of the cycle before.
            if int(self.dut.line_o.value) & 0xFF != MARKER:
                places.discard((self.cycle() - 1 - PAYLOAD) % WORDS)
        (self.first,) = places

    def cycle(self):
        return int(get_sim_time("ps")) // PERIOD % WORDS

    async def spoil(self, errors):
        """Makes a codeword of A on lane 0 one that cannot be corrected, by its parity alone; errors: of other words, by number."""
        parity = sum(self.random.randrange(1, 1024) << 8 + 10 * i for i in range(12))
        masks = {PAYLOAD: parity & (1 << 64) - 1, PAYLOAD + 1: parity >> 64, **errors}
        while self.cycle() != self.first:
            await RisingEdge(self.dut.a_clk_i)
        for word in range(WORDS):
            self.dut.error_i.value = masks.get(word, 0)
            await RisingEdge(self.dut.a_clk_i)
        self.dut.error_i.value = 0

    def uncorrectable(self):
        """Codewords of either end that could not be corrected."""
        value = int(self.dut.uncorrectable_o.value)
        return [value >> 32 * end & 0xFFFFFFFF for end in range(2)]

    def states(self):
        value = int(self.dut.state_o.value)
        return value & 7, value >> 3


@cocotb.test()
async def goodput(dut):
    """With codewords, the goodput over wrong lanes against that of the clean link without; what leaves RIFL alone of it."""
    pair = Pair(dut, "goodput")
    count = 40 * pair.lanes
    await pair.start(OFF)
    # The same packets every time: how they fill frames is a matter of their lengths.
    sent = {end: pair.packets(count, 1500) for end in "ab"}
    clean = await pair.exchange(count, 1500, sent)
    dut._log.info(f"clean link without codewords: goodput {clean:.3f} bytes in a word's time")
    await pair.start(ON)
    assert pair.states() == (CODED, CODED)
    before = int(dut.uncorrectable_o.value)  # before the reset reports mean nothing
    for ber, least in LEAST.items():
        task, flips = cocotb.start_soon(pair.noise(ber)) if ber else None, pair.flips
        share = await pair.exchange(count, 1500, sent) / clean
        if task:
            task.cancel()
        dut.error_i.value = 0
        flips = pair.flips - flips
        dut._log.info(f"goodput at a raw BER of {ber}: {share:.4f} of it, {flips} bits wrong")
        assert share >= least
        assert not ber or flips > 0
    assert int(dut.uncorrectable_o.value) == before


@cocotb.test()
async def beyond_the_code(dut):
    """Bursts that no codeword stands: RIFL sends again, every byte arrives, and the lanes stay."""
    pair = Pair(dut, "bursts")
    await pair.start(ON)
    bursts, before = 0, int(dut.uncorrectable_o.value)

    async def noise():
        nonlocal bursts
        while True:
            await ClockCycles(dut.a_clk_i, pair.random.randint(1000, 3000))
            for _ in range(pair.random.randint(3, 40)):
                lane = pair.random.randrange(2 * pair.lanes)
                dut.error_i.value = pair.random.getrandbits(64) << 64 * lane
                await RisingEdge(dut.a_clk_i)
            dut.error_i.value = 0
            bursts += 1

    task = cocotb.start_soon(noise())
    await pair.exchange(100 * pair.lanes, 900)
    task.cancel()
    assert bursts > 0 and int(dut.uncorrectable_o.value) > before
    assert pair.states() == (CODED, CODED)


@cocotb.test()
async def errors_that_no_code_sees(dut):
    """A codeword that cannot be corrected, with errors in one word that the code of RIFL does not see. RIFL delivers the
    frame, unless it knows: then every frame with a word of the codeword is sent again."""
    pair = Pair(dut, "unseen")
    await pair.start(ON)
    await pair.find_codewords()
    before = pair.uncorrectable()[1]
    numbers = [0, 1, 18, 19, 36, 37, *(pair.random.randrange(PAYLOAD) for _ in range(6))]
    wrong = {0: 0, 1: 0}
    for known in wrong:
        dut.known_i.value = known
        for number in numbers:
            sent = [pair.random.randbytes(FRAME_BYTES * 20) for _ in range(12)]
            for packet in sent:
                pair.source["a"].send_nowait(AxiStreamFrame(packet))
            await ClockCycles(dut.a_clk_i, pair.random.randint(6 * WORDS, 8 * WORDS))
            await pair.spoil({number: UNSEEN})
            got = [bytes((await pair.sink["b"].recv()).tdata) for _ in sent]
            wrong[known] += got != sent
    # A control frame is a few in a hundred.
    assert wrong[0] > len(numbers) // 2 and wrong[1] == 0, wrong
    assert pair.uncorrectable()[1] - before == 2 * len(numbers)


@cocotb.test()
async def undamaged_words_of_a_bad_codeword(dut):
    """They are requested again, too: RIFL cannot know which words are right."""
    pair = Pair(dut, "undamaged")
    await pair.start(ON)
    await pair.find_codewords()
    for known in (0, 1, 0, 1):
        dut.known_i.value = known
        await ClockCycles(dut.a_clk_i, 4 * WORDS)
        await pair.spoil({})
        recovers = 0
        for _ in range(8 * WORDS):
            await RisingEdge(dut.a_clk_i)
            recovers |= int(dut.recovers_o.value)
        assert recovers >> 1 == known
        await pair.exchange(4, 900)


@cocotb.test()
async def many_beyond_the_code(dut):
    """A raw bit error rate of 1e-3: two in a hundred codewords cannot be corrected, and every byte is right."""
    pair = Pair(dut, "many")
    await pair.start(ON)
    before = sum(pair.uncorrectable())
    task = cocotb.start_soon(pair.noise(1e-3))
    for _ in range(6):
        await pair.exchange(60 * pair.lanes, 900)
    task.cancel()
    dut.error_i.value = 0
    bad = sum(pair.uncorrectable()) - before
    dut._log.info(f"{bad} codewords that could not be corrected")
    assert bad >= 10


@cocotb.test()
async def changes_at_run_time(dut):
    """Settings and resets of rifl_fec while packets are under way: no byte is lost or wrong."""
    pair = Pair(dut, "changes")
    await pair.start(OFF)

    async def change():
        for a, b in ((ON, ON), (ON, AUTO), (OFF, AUTO), (AUTO, AUTO), (AUTO, ON), (OFF, OFF)):
            pair.set(a, b)
            await ClockCycles(dut.a_clk_i, pair.random.randint(3000, 6000))
            dut.fec_arst_i.value = pair.random.randrange(4)
            await ClockCycles(dut.a_clk_i, pair.random.randint(1, 100))
            dut.fec_arst_i.value = 0
            await ClockCycles(dut.a_clk_i, pair.random.randint(3000, 6000))

    task = cocotb.start_soon(change())
    while not task.done():
        await pair.exchange(30 * pair.lanes, 600)
    await pair.exchange(10, 600)


@cocotb.test()
async def latency(dut):
    """First beat in to first beat out, in line words, without codewords and with."""
    pair = Pair(dut, "latency")
    found = {}
    for mode in (OFF, ON):
        await pair.start(mode)
        times = []
        for _ in range(12):
            begin = get_sim_time("ps")
            await pair.source["a"].send(AxiStreamFrame(pair.random.randbytes(8)))
            await pair.sink["b"].recv()
            times.append((get_sim_time("ps") - begin) / PERIOD)
            await ClockCycles(dut.a_clk_i, pair.random.randint(1, 200))
        found[mode] = sum(times) / len(times)
    dut._log.info(
        f"latency of a packet: {found[OFF]:.0f} line words without codewords, {found[ON] - found[OFF]:.0f} more with"
    )
    assert found[ON] - found[OFF] < 110


# What changes and what bursts do is a matter of each lane.
CASES = [
    (1, 256, 1, None),
    (1, 256, 0, "goodput|errors|undamaged|changes"),
    pytest.param(1, 256, 0, None, marks=pytest.mark.long),
    pytest.param(4, 1024, 1, "goodput|latency|many", marks=pytest.mark.long),
]


@pytest.mark.parametrize(("lanes", "user_width", "extended", "tests"), CASES)
def test_rifl_fec_link(lanes, user_width, extended, tests):
    shared = HERE.parents[1] / "rifl/tb/rifl_ends.sv"
    build_and_run(
        "rifl_fec_link",
        [
            *rtl("prim", "axis", "line", "rsfec", "rifl", "rifl_fec"),
            shared,
            HERE / "rifl_fec_link.sv",
        ],
        {"Lanes": lanes, "UserWidth": user_width, "Extended": extended},
        __name__,
        test_filter=tests,
        sync_jitter=True,
    )
