# SPDX-License-Identifier: Apache-2.0
"""The bench of the send and the receive unit: one node with its memory; what leaves can be brought back by the test."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge
from cocotbext.axi import AxiBus, AxiRam
from framing import Joiner, Splitter
from packets import Packet, unpack
from tb_common import ROOT, Source, build_and_run, params, reset, rng, rtl, stall, start_clock

EPOCH = 9
TICK = 4096
MEMORY = 1 << 18
EVENTS = [
    "damaged",
    "malformed",
    "duplicate",
    "repeated",
    "old",
    "epoch",
    "foreign",
    "window",
    "early",
]
EVENTS += ["refused_request", "memory_error", "lost_reply", "bad_form", "stray"]


class Bench:
    """Both units, the memory, the network and everything that comes out."""

    def __init__(self, dut, node):
        self.dut, self.random, self.node = dut, rng("bench"), node
        start_clock(dut.clk_i, 1000)
        self.content = bytes(self.random.randbytes(MEMORY))
        self.memory = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk_i, dut.rst_i, size=MEMORY)
        self.memory.write(0, self.content)

        def channel(name):
            valid, ready = getattr(dut, f"{name}_valid_i"), getattr(dut, f"{name}_ready_o")
            return Source(dut.clk_i, valid, ready, getattr(dut, f"{name}_i"), self.random, 1.0)

        self.blocks, self.creator, self.replies = (
            channel("block"),
            channel("packet"),
            channel("reply"),
        )
        dut.node_i.value, dut.epoch_i.value, dut.forget_i.value = node, EPOCH, 0
        for name in (
            "rate_valid_i",
            "page_rates_i",
            "weighted_i",
            "congestion_i",
            "answered_i",
            "window_valid_i",
            "count_req_i",
            "hold_i",
            "m_axis_tready",
            "s_axis_tvalid",
        ):
            getattr(dut, name).value = 0
        dut.cut_through_i.value, dut.room_i.value = 1, 0b1111
        dut.made_ready_i.value, dut.answer_ready_i.value, dut.answer_refused_i.value = 1, 1, 0
        self.rate = 1.0  # of the network, as it takes words
        self.feed_rate = 1.0  # as it gives them
        self.now = 0
        self.packed = bool(params()["Packed"])
        self.network = Joiner(self.packed)
        self.feed = self.network.parts  # what is to come
        self.fed = 0
        self.heard = lambda words: None
        self.replied = lambda packet: None
        self.sent, self.made, self.answers = [], [], []
        self.echoes = []  # of what was made, and of answers to the engine
        self.slowed = self.marked = 0  # times
        self.begins, self.lengths = [], []  # of packets that have left
        self.open = []  # when those began that are leaving
        self.words = []  # when each word left
        self.active = 0  # when something last went on at the receive unit

    async def start(self, receive=True):
        """Resets; waits for the receive unit too, which takes longer, if it is needed."""
        await reset(self.dut.clk_i, self.dut.rst_i)
        cocotb.start_soon(self.watch())
        cocotb.start_soon(self.drive())
        ready = (self.dut.send_ready_o, self.dut.receive_ready_o)
        await self.until(lambda: all(signal.value == 1 for signal in ready[: 1 + receive]))

    def deliver(self, packet, alone=False):
        """A packet, or its words, as it comes from the network."""
        words = packet.words(self.packed) if isinstance(packet, Packet) else packet
        self.network.put(words, alone)

    async def drive(self):
        dut, offered = self.dut, 0
        while True:
            await RisingEdge(dut.clk_i)
            if offered and dut.s_axis_tready.value == 1:
                del self.feed[:offered]
                self.fed += 1
                offered = 0
            if not offered:
                if self.feed and self.random.random() < self.feed_rate:
                    alone = self.feed_rate < 1 and self.random.random() < 0.2
                    word, last, offered = self.network.word(alone)
                    dut.s_axis_tdata.value, dut.s_axis_tlast.value = word, int(last)
                dut.s_axis_tvalid.value = int(offered > 0)

    async def watch(self):
        dut, splitter, offered = self.dut, Splitter(self.packed), None
        busy = (dut.s_axis_tvalid, dut.m_axi_awvalid, dut.m_axi_wvalid, dut.m_axi_bvalid)
        while True:
            await RisingEdge(dut.clk_i)
            self.now += 1
            valid, ready = dut.m_axis_tvalid.value == 1, dut.m_axis_tready.value == 1
            if valid:
                word = int(dut.m_axis_tdata.value), int(dut.m_axis_tlast.value)
                assert offered in (None, word), "an offered word changed"
                offered = None if ready else word
            else:
                assert offered is None, "an offered word vanished"
            if valid and ready:
                self.words.append(self.now)
                ended, begun = splitter.push(*word)
                self.open += [self.now] * begun
                for packet in ended:
                    self.begins.append(self.open.pop(0))
                    self.lengths.append(self.now - self.begins[-1] + 1)
                    self.heard(packet)
            if dut.sent_valid_o.value == 1:
                self.sent.append(tuple(unpack(int(dut.sent_o.value), [10, 1])))
            if dut.made_valid_o.value == 1 and dut.made_ready_i.value == 1:
                tid, sequence, epoch, domain, node, nack, echo = unpack(
                    int(dut.made_o.value), [10, 14, 4, 16, 16, 1, 1]
                )
                self.echoes.append(echo)
                self.active = self.now
                self.made.append((tid, sequence, epoch, domain, node, nack))
                self.replied(int(dut.made_o.value))
            if dut.answer_valid_o.value == 1 and dut.answer_ready_i.value == 1:
                widths = [256, 4, 10, 14, 4, 16, 16, 11, 1, 1]
                *answer, echo = unpack(int(dut.answer_o.value), widths)
                self.answers.append(tuple(answer))
                self.echoes.append(echo)
            self.slowed += dut.slowed_o.value == 1
            self.marked += dut.marked_o.value == 1
            if any(s.value == 1 for s in busy):
                self.active = self.now
            dut.m_axis_tready.value = int(self.random.random() < self.rate)

    async def window(self, domain, number, first, last, read=1, write=1):
        """Registers a window."""
        dut = self.dut
        await FallingEdge(dut.clk_i)
        dut.window_domain_i.value, dut.window_number_i.value = domain, number
        dut.window_first_i.value, dut.window_last_i.value = first, last
        dut.window_read_i.value, dut.window_write_i.value = read, write
        dut.window_valid_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.window_valid_i.value = 0

    async def count(self, name):
        """A counter of the receive unit."""
        dut = self.dut
        for _ in range(64):
            await RisingEdge(dut.clk_i)
        dut.count_addr_i.value, dut.count_req_i.value = EVENTS.index(name), 1
        while dut.count_ack_o.value != 1:
            await RisingEdge(dut.clk_i)
        dut.count_req_i.value = 0
        return int(dut.count_o.value)

    def stall(self, share):
        """Memory that pauses."""
        stall(self.memory, self.random, share)

    async def quiet(self, cycles=150):
        """Until the receive unit has had nothing to do for longer than a packet takes from end to end."""
        await self.until(lambda: not self.feed and self.now - self.active > cycles)

    async def until(self, condition, limit=60_000):
        for _ in range(limit):
            if condition():
                return
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"not after {limit} cycles")


def run(module, testcase=None, packed=False, lead=1, without=None):
    """Builds the bench and runs the tests of a module, or one of them, or all but one."""
    parameters = {"BurstWords": 16, "BufferWords": 512, "Senders": 2, "Tick": TICK}
    build_and_run(
        "rdma_units_bench",
        [*rtl("prim", "axis", "rdma"), ROOT / "cores/rdma/tb/rdma_units_bench.sv"],
        {**parameters, "Packed": int(packed), "LeadWords": lead},
        module,
        testcase=testcase,
        test_filter=rf"^(?!.*\b{without}$)" if without else None,
    )
