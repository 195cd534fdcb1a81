# SPDX-License-Identifier: Apache-2.0
"""The stronger code: what the twelve bits do not see is sent again, and a peer without it is refused."""

from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiStreamFrame
from link_bench import HALF, UNSEEN
from tb_common import build_and_run, params, rtl
from test_rifl_session import HELLO, REFUSED, STRONG_CODE, Ends

HERE = Path(__file__).resolve().parent
# Pairs of flipped bits that the twelve bits do not see: bit j of the code with bit 2035 + j of the
# frame, but for the one whose second bit is a sync bit (docs/src/limits.md).
PAIRS = range(11)


class Line(Ends):
    """Packets of one frame each from A to B; what comes out is kept, right or wrong."""

    def __init__(self, dut):
        super().__init__(dut)
        self.got = []

    async def judge(self):
        while True:
            frame = await self.sink.recv()
            self.got.append(bytes(frame.tdata))

    async def find_frames(self):
        """The clock of a frame in which its first word is on the line: always a legal sync header."""
        places = set(range(self.words))
        while len(places) > 1:
            await self.word()
            if int(self.dut.a_word_o.value) >> 62 not in (1, 2):
                places.discard(self.place())
        (self.first,) = places

    async def word(self):
        await RisingEdge(self.dut.phy_clk_i)

    def place(self):
        """Clocks since some frame began."""
        return int(get_sim_time("ps")) // (2 * HALF) % self.words

    async def flip(self, masks):
        """Flips bits of the next frame, and of those behind it, until one was a data frame; masks by the number of the word."""
        hit = False
        while not hit:
            # The clock before: what is set now is taken together with the first word.
            while (self.place() + 1) % self.words != self.first:
                await self.word()
            for word in range(self.words):
                self.dut.flip_i.value = masks.get(word, 0)
                await self.word()
                hit |= word == 0 and int(self.dut.a_word_o.value) >> 62 == 1
            self.dut.flip_i.value = 0

    async def arrives(self, masks):
        """Whether packets are delivered right while `flip` hits one of them."""
        self.got.clear()
        sent = [self.rng.randbytes(self.rng.randint(200, 250)) for _ in range(30)]
        for packet in sent:
            self.source.send_nowait(AxiStreamFrame(packet))
        await self.frames(self.rng.randint(8, 16))
        await self.flip(masks)
        await self.frames(120)
        return self.got == sent


@cocotb.test()
async def unseen_pairs(dut):
    """Each of the pairs delivers damage with twelve bits. With the stronger code the frame is sent again, and every byte is
    right."""
    ends = Line(dut)
    await ends.start()
    await ends.find_frames()
    right = [await ends.arrives({0: 1 << (2035 + pair - 64 * 31), 31: 1 << pair}) for pair in PAIRS]
    strong = params()["StrongCodeA"] == 1
    assert right == [strong] * len(PAIRS), right
    assert ends.ended == {"a": 0, "b": 0}


@cocotb.test()
async def words_known_to_be_wrong(dut):
    """Errors that neither code sees deliver damage. If the receiver knows which word they are in, the frame is sent
    again."""
    ends = Line(dut)
    await ends.start()
    await ends.find_frames()
    for known in (0, 1) * 6:
        dut.known_i.value = known
        # In the bytes of every packet.
        right = await ends.arrives({ends.rng.randint(1, 20): UNSEEN << ends.rng.randint(28, 33)})
        assert right == bool(known)
    assert ends.ended == {"a": 0, "b": 0}


@cocotb.test()
async def errors_of_every_kind(dut):
    """Random bits flipped, in every place of a frame, codes included: nothing is lost, and nothing wrong is delivered."""
    ends = Ends(dut)
    await ends.start()
    for _ in range(30):
        ends.send(8, 700)
        for _ in range(ends.rng.randint(1, 6 * ends.words)):
            await RisingEdge(dut.phy_clk_i)
        dut.flip_i.value = 1 << ends.rng.randint(0, 63) | 1 << ends.rng.randint(0, 63)
        await RisingEdge(dut.phy_clk_i)
        dut.flip_i.value = 0
    await ends.drain()
    assert ends.ended == {"a": 0, "b": 0} and ends.whole()


@cocotb.test()
@cocotb.parametrize(published=["a", "b"])
async def no_compatible_mode(dut, published):
    """A peer that announces nothing is refused, and so is the published protocol at the own end."""
    ends = Ends(dut)
    await ends.start(up=False, **{f"{published}_extended_i": 0})
    await ends.frames(1500)
    other = "ab".replace(published, "")
    reasons = dict(zip("ab", ends.reasons(), strict=True))
    phases = {end: int(getattr(dut, f"{end}_phase_o").value) for end in "ab"}
    assert reasons[other] == STRONG_CODE and phases[other] == REFUSED, (reasons, phases)
    assert reasons[published] == STRONG_CODE and phases[published] == HELLO, (reasons, phases)
    assert dut.a_link_up_o.value == 0 and dut.b_link_up_o.value == 0


@pytest.mark.parametrize(
    ("width", "strong", "tests"),
    [
        (2048, 1, "unseen_pairs|known|errors_of|no_compatible"),
        pytest.param(2048, 0, "unseen_pairs", marks=pytest.mark.long),
        pytest.param(1024, 1, "errors_of", marks=pytest.mark.long),
    ],
)
def test_rifl_strong_code(width, strong, tests):
    build_and_run(
        toplevel="rifl_session_pair",
        sources=[
            *rtl("prim", "axis", "line", "rifl"),
            HERE / "rifl_ends.sv",
            HERE / "rifl_session_pair.sv",
        ],
        parameters={
            "Lanes": 1,
            "FrameWidth": width,
            "UserWidthA": width,
            "UserWidthB": width,
            "StrongCodeA": strong,
            "StrongCodeB": strong,
        },
        test_module="test_rifl_strong_code",
        test_filter=tests,
        sync_jitter=True,
    )
