# SPDX-License-Identifier: Apache-2.0
"""Two ends of HTSP over two MACs: wrong bits, lost words and lost signal on the CGMII, every byte scored.

The receiver hears of a wrong FCS with the last beat of a frame; here that verdict comes from the MAC, not from the bench.
"""

from pathlib import Path

import cocotb
from cocotb.triggers import RisingEdge
from ends import WORD, Ends, payload
from tb_common import build_and_run, cycles, rtl

HERE = Path(__file__).resolve().parent
START, TERMINATE, ERROR, IDLE = 0xFB, 0xFD, 0xFE, 0x07  # control characters
INTERVAL = 127  # cycles from one header alone to the next


class Joined(Ends):
    """Drives and watches htsp_mac_pair. pace, flip, blank, noise: chances in each cycle, of both lines."""

    seen = (
        "tx_null", "rx_null", "rx_frame", "rx_damaged", "rx_footer_bad", "rx_lost", "rx_overflow", "tx_abort",
        "tx_late", "word_lost",
    )  # fmt: skip
    sizes = ()
    controls = ("flip_i", "blank_i", "noise_i", "cut_i")

    def __init__(self, dut, name):
        super().__init__(dut, name)
        self.pace, self.flip, self.blank, self.noise = 1.0, 0.0, 0.0, 0.0

    def address(self):
        """The ends have addresses of their own."""

    def take_words(self):
        self.dut.pace_i.value = 3

    def taken(self):
        return int(self.dut.phy_tvalid.value) & int(self.dut.phy_tready.value)

    async def begin(self, burst=4):
        await self.start(burst=burst)
        cocotb.start_soon(self._lines())

    async def _lines(self):
        """A line without words for some cycles now and then, or with noise; single wrong bits, words that the PHY does not take."""
        dut, random, quiet, loud = self.dut, self.random, [0, 0], [0, 0]
        while True:
            await RisingEdge(dut.clk_i)
            flips, blanks, noises, paces = 0, 0, 0, 0
            for line in (0, 1):
                if random.random() < self.flip:
                    flips |= 1 << random.randrange(8 * self.beat) + 8 * self.beat * line
                if random.random() < self.blank:
                    quiet[line] = random.randint(1, 12)
                blanks |= (quiet[line] > 0) << line
                quiet[line] -= quiet[line] > 0
                if random.random() < self.noise:
                    loud[line] = random.randint(1, 4)
                noises |= (loud[line] > 0) << line
                loud[line] -= loud[line] > 0
                paces |= (random.random() < self.pace) << line
            dut.flip_i.value, dut.blank_i.value, dut.pace_i.value = flips, blanks, paces
            dut.noise_i.value = noises
            if noises:
                dut.noise_data_i.value, dut.noise_ctrl_i.value = self.word_of_noise()

    def word_of_noise(self):
        """Anything: data, starts, ends and other control characters where they belong and where they do not."""
        random, size = self.random, self.beat
        data, control = bytearray(random.randbytes(size)), 0
        for _ in range(random.choice((0, 1, 1, 2, 8))):
            lane = random.randrange(size)
            data[lane] = random.choice((START, TERMINATE, ERROR, IDLE, random.randrange(256)))
            control |= 1 << lane
        if random.random() < 0.5:
            slot = random.randrange(0, size, 8)
            data[slot : slot + 8] = bytes((START, *[0x55] * 6, 0xD5))
            control = control & ~(0xFF << slot) | 1 << slot
        return int.from_bytes(data, "little"), control

    def packets(self, stream, count, longest=1000):
        for _ in range(count):
            size = self.random.choice((1, 63, 64, 65, self.random.randint(1, longest)))
            self.send(stream, payload(stream, len(self.sent[stream]), size))

    async def quiet(self):
        """Undisturbed until both ends have heard headers alone that show what was lost before."""
        self.flip = self.blank = self.noise = 0.0
        await self.idle()
        before = [self.events["rx_null", end] for end in (0, 1)]
        while any(self.events["rx_null", end] < before[end] + 2 for end in (0, 1)):
            await RisingEdge(self.dut.clk_i)
        await cycles(self.dut.clk_i, 10)
        for name in ("tx_abort", "tx_late", "word_lost", "rx_overflow", "rx_footer_bad"):
            assert self.events[name, 0] == self.events[name, 1] == 0, name

    async def as_good_as_new(self):
        seen = [len(came) for came in self.received]
        for stream in range(self.streams):
            self.packets(stream, 3)
        await self.idle()
        for stream in range(self.streams):
            to = self.peer(stream)
            assert self.received[to][seen[to] :] == self.sent[stream][-3:]


@cocotb.test()
async def clean(dut):
    """Both ways, all channels, a line as fast as the clock and slower ones: all of it, and the frames on the line are the same."""
    ends = Joined(dut, "clean")
    await ends.begin(burst=8)
    for ends.pace in (1.0, 0.9, 0.5):
        for stream in range(ends.streams):
            ends.rate[stream] = ends.random.choice((0.4, 1.0))
            ends.take[stream] = ends.random.choice((0.5, 1.0))
            ends.packets(stream, 12, 1500)
        await ends.idle()
    await ends.quiet()
    ends.check_clean()
    for end in (0, 1):
        assert ends.events["rx_lost", end] == ends.events["rx_damaged", end] == 0
        assert ends.events["rx_frame", end] == sum(
            frame[18] != 255 for frame in ends.frames[1 - end]
        )


@cocotb.test()
async def latency(dut):
    """From the first beat in to the first beat out, whatever the length."""
    ends = Joined(dut, "latency")
    await ends.begin(burst=128)
    took = set()
    for size in (1, 64, 1000, 8192):
        while dut.tx_null_o.value == 0:  # the next one is INTERVAL cycles away
            await RisingEdge(dut.clk_i)
        await cycles(dut.clk_i, 20)
        words = len(ends.accepted_at[0]), len(ends.taken_at[ends.channels])
        ends.send(0, payload(0, len(ends.sent[0]), size))
        await ends.idle()
        took.add(ends.taken_at[ends.channels][words[1]] - ends.accepted_at[0][words[0]])
    dut._log.info("first beat to first beat: %s cycles", sorted(took))
    # 6 of the core, 3 and 4 of the MACs
    assert took == {13}
    ends.check_clean()


@cocotb.test()
async def wrong_bits_and_lost_words(dut):
    """What comes out unmarked was sent, once and in order; what is missing without a mark was in a frame that is counted."""
    ends = Joined(dut, "harm")
    await ends.begin()
    for ends.flip, ends.blank, event in (
        (0.005, 0, "rx_damaged"),
        (0, 0.004, "rx_lost"),
        (0.003, 0.003, "rx_lost"),
    ):
        before = [ends.events[event, end] for end in (0, 1)]
        while any(ends.events[event, end] < before[end] + 3 for end in (0, 1)):
            for stream in range(ends.streams):
                ends.packets(stream, 30)
            await ends.idle()
    await ends.quiet()
    lost = sum(ends.events["rx_lost", end] for end in (0, 1))
    assert dut.link_up_o.value == 3
    ends.check_marked(range(ends.streams), lost_whole=lost)
    await ends.as_good_as_new()


@cocotb.test()
async def noise(dut):
    """Words of the line that nobody sent, with any characters: nothing of them comes out, and then all is well again."""
    ends = Joined(dut, "noise")
    await ends.begin()
    ends.noise = 0.01
    while any(ends.events["rx_lost", end] < 20 for end in (0, 1)):
        for stream in range(ends.streams):
            ends.packets(stream, 20)
        await ends.idle()
    await ends.quiet()
    assert dut.link_up_o.value == 3
    lost = sum(ends.events["rx_lost", end] for end in (0, 1))
    ends.check_marked(range(ends.streams), lost_whole=lost)
    await ends.as_good_as_new()


@cocotb.test()
async def lost_signal(dut):
    """A cable pulled at any word, one line or both: packets under way are marked, and the link comes back by itself."""
    ends = Joined(dut, "signal")
    await ends.begin()
    whole = 0
    for at in range(3, 60, 4):
        for stream in range(ends.streams):
            ends.send(stream, payload(stream, len(ends.sent[stream]), WORD * 7))
            ends.packets(stream, 2, 200)
        await cycles(dut.clk_i, at)
        sent = sum(map(len, ends.frame_at))
        dut.cut_i.value = ends.random.choice((1, 2, 3))
        await cycles(dut.clk_i, ends.random.choice((20, 60)))
        dut.cut_i.value = 0
        await ends.wait_up()
        # A packet without a mark was in a frame that was sent meanwhile, or shortly before: within
        # the 30 cycles that both MACs and the receiver take there are at most 10 frames of 3 beats
        # in each direction.
        whole += sum(map(len, ends.frame_at)) - sent + 20
        await ends.idle()
    await ends.quiet()
    ends.check_marked(range(ends.streams), lost_whole=whole)
    assert any(error for came in ends.received for _, error in came)
    await ends.as_good_as_new()


def test_htsp_mac():
    sources = [
        *rtl("prim", "axis", "eth", "htsp"),
        HERE / "htsp_end.sv",
        HERE / "htsp_mac_pair.sv",
    ]
    parameters = {"Channels": 2, "Bytes": 64}
    build_and_run("htsp_mac_pair", sources, parameters, __name__)
