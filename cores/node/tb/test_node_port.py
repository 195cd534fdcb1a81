# SPDX-License-Identifier: Apache-2.0
"""node_port between packets of the engine and an end of a link that is written from the description: headers, classes, credits, marks, notices,
sessions that end, a link that stays dead."""

import itertools
import sys
from pathlib import Path

import cocotb
from cocotb.triggers import RisingEdge
from tb_common import build_and_run, cycles, params, reset, rng, rtl, start_clock

CORES = Path(__file__).resolve().parents[2]
sys.path += [str(CORES / "rdma/tb"), str(CORES / "switch/tb")]

from packets import ACK, CONTROL, DATA, MARK, MESSAGE, NACK, REQUEST, Packet  # noqa: E402
from peer import BODY_MASK, NOTICE, Beat, End, Header, Link  # noqa: E402
from peer import Packet as Sent  # noqa: E402

NODE, FAR = 3, 9
CLASS_OF = {ACK: 0, NACK: 0, MESSAGE: 1, CONTROL: 1, REQUEST: 1}


class Bench:
    """Engine on one side, a link with its peer on the other."""

    def __init__(self, dut, memory=64):
        self.dut, self.random, self.now = dut, rng("port"), 0
        self.end = End(self.random, self.deliver, memory, "peer")
        self.link = Link(self.random, self.end, delay=5)
        self.queue, self.packets = [], itertools.count()
        self.arrived = []  # at the peer: header of the network and words
        self.received, self.words = [], []  # by the engine
        self.engine_rate = 1.0
        self.notices, self.events = [], {"dropped": 0, "lost": 0}
        start_clock(dut.clk_i, 1000)
        for name in (
            "link_up_i",
            "s_axis_tvalid",
            "m_axis_tready",
            "tx_axis_tready",
            "rx_axis_tvalid",
        ):
            getattr(dut, name).value = 0

    def deliver(self, header, words):
        self.arrived.append((header, words))

    def packet(self, kind, tid, size, far=FAR):
        """A packet of the engine, as words."""
        number = next(self.packets)
        payload = self.random.randbytes(size)
        packet = Packet(far << 48 | number, kind, tid, number, 1, NODE, 7, payload)
        return packet.words()

    def send(self, words):
        self.queue.append(words)

    async def run(self):
        dut, offered = self.dut, []
        while True:
            await RisingEdge(dut.clk_i)
            self.now += 1
            if offered and dut.s_axis_tready.value == 1:
                offered.pop(0)
            if dut.m_axis_tvalid.value == 1 and dut.m_axis_tready.value == 1:
                self.words.append(int(dut.m_axis_tdata.value))
                if dut.m_axis_tlast.value == 1:
                    self.received.append(self.words)
                    self.words = []
            if dut.tx_axis_tvalid.value == 1 and dut.tx_axis_tready.value == 1:
                keep, last = int(dut.tx_axis_tkeep.value), dut.tx_axis_tlast.value == 1
                self.link.take(self.now, Beat(int(dut.tx_axis_tdata.value), keep, last))
            if dut.notice_valid_o.value == 1:
                self.notices.append(Header.unpack(int(dut.notice_o.value)))
            event = int(dut.event_o.value)
            self.events["dropped"] += event & 1
            self.events["lost"] += event >> 1 & 1
            self.link.tick(self.now)
            room = int(dut.room_o.value)
            if not offered:
                # As rdma_frame: what has room first.
                for words in self.queue:
                    if room >> self.class_of(words) & 1:
                        self.queue.remove(words)
                        offered = list(words)
                        break
            dut.s_axis_tvalid.value = bool(offered)
            if offered:
                dut.s_axis_tdata.value, dut.s_axis_tlast.value = offered[0], len(offered) == 1
            dut.m_axis_tready.value = self.random.random() < self.engine_rate
            dut.link_up_i.value = self.link.up_switch
            dut.tx_axis_tready.value = self.link.ready()
            beat = self.link.give(self.now)
            dut.rx_axis_tvalid.value = beat is not None
            if beat:
                dut.rx_axis_tdata.value, dut.rx_axis_tkeep.value = beat.data, beat.keep
                dut.rx_axis_tlast.value, dut.rx_axis_tuser.value = beat.last, beat.user

    @staticmethod
    def class_of(words):
        kind, tid = words[0] >> 64 & 15, words[0] >> 68 & 1023
        return CLASS_OF.get(kind, 1) if kind != DATA or tid < 512 else 2 + (tid >> 8 & 1)

    async def until(self, what, limit=20_000):
        for _ in range(limit):
            if what():
                return
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"not after {limit} cycles")

    def bring(self, words, cls, mark=0, kind=1):
        """A packet from the network."""
        header = Header(kind, cls, mark, 0, 0, len(words), NODE, FAR, 5, 4)
        self.end.queue[cls].append(Sent(header, list(words)))


async def begin(dut, up=True, **options):
    bench = Bench(dut, **options)
    await reset(dut.clk_i, dut.rst_i)
    cocotb.start_soon(bench.run())
    if up:
        bench.link.start(bench.now, switch_late=3, end_late=30)
        await bench.until(lambda: bench.end.state == "open" and dut.state_o.value == 2)
        await cycles(dut.clk_i, 10)
    return bench


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def headers(dut):
    """Each kind and size of a packet has the class, the words, the nodes and the flow that it should, and its other bytes as they were."""
    bench = await begin(dut)
    kinds = [
        (ACK, 3, 0),
        (NACK, 600, 0),
        (MESSAGE, 4, 1),
        (MESSAGE, 5, 32),
        (CONTROL, 6, 16),
        (REQUEST, 7, 32),
    ]
    sizes = [1, 63, 64, 65, 1023, 1024]
    kinds += [(DATA, tid, size) for tid in (0, 511, 512, 767, 768, 1023) for size in sizes]
    sent = []
    for kind, tid, size in kinds:
        words = bench.packet(kind, tid, size)
        sent.append(words)
        bench.send(words)
    await bench.until(lambda: len(bench.arrived) == len(sent))
    by_number = {words[0] & 0xFFFF: words for words in sent}
    for header, words in bench.arrived:
        expected = by_number.pop(words[0] & 0xFFFF)
        kind, tid = expected[0] >> 64 & 15, expected[0] >> 68 & 1023
        assert header.cls == bench.class_of(expected), (kind, tid)
        assert (header.words, header.destination, header.source) == (len(expected), FAR, NODE)
        assert header.flow == (tid >> 2 if tid >= 512 else tid) and header.hops == 15
        assert [words[0] & BODY_MASK, *words[1:]] == expected
    assert not by_number


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def a_class_that_is_blocked(dut):
    """The peer frees nothing of a class: packets of all others go on arriving, and no word is sent beyond its memory."""
    bench = await begin(dut)
    for blocked, tid in ((1, 5), (2, 520), (3, 800)):
        bench.end.blocked = {blocked}
        for _ in range(8):
            bench.send(bench.packet(DATA, tid, 1024))
        await cycles(dut.clk_i, 300)
        assert bench.queue, "they wait at the engine"
        before = len(bench.arrived)
        others = ((ACK, 1, 0), (MESSAGE, 2, 8), (DATA, 600, 640), (DATA, 900, 640))
        others = [bench.packet(*p) for p in others]
        others = [words for words in others if bench.class_of(words) != blocked]
        for words in others:
            bench.send(words)
        await bench.until(lambda: len(bench.arrived) >= before + len(others))  # noqa: B023
        bench.end.blocked = set()
        await bench.until(lambda: not bench.queue)
        await cycles(dut.clk_i, 200)


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def both_ways(dut):
    """Everything arrives once, in order within a class, both ways, with an engine that pauses; marks are in the last word and nowhere else."""
    bench, random = await begin(dut), rng("both ways")
    bench.engine_rate = 0.6
    bench.end.free_rate = 0.8
    brought = {c: [] for c in range(4)}
    kinds = [(ACK, 1), (MESSAGE, 2), (DATA, 3), (DATA, 600), (DATA, 1000)]
    sent = []
    for _ in range(150):
        kind, tid = random.choice(kinds)
        words = bench.packet(kind, tid, {ACK: 0, MESSAGE: 9}.get(kind, random.randrange(1, 1025)))
        sent.append(words)
        bench.send(words)
        kind, tid = random.choice(kinds)
        words = bench.packet(kind, tid, {ACK: 0, MESSAGE: 9}.get(kind, random.randrange(1, 1025)))
        mark = random.getrandbits(1)
        bench.bring(words, bench.class_of(words), mark)
        brought[bench.class_of(words)].append([*words[:-1], words[-1] | mark * MARK])
        await cycles(dut.clk_i, random.randrange(20))
    total = sum(map(len, brought.values()))
    await bench.until(lambda: len(bench.arrived) == len(sent) and len(bench.received) == total)
    for cls, expected in brought.items():
        assert [words for words in bench.received if bench.class_of(words) == cls] == expected
    for cls in range(4):
        found = [[w[0] & BODY_MASK, *w[1:]] for h, w in bench.arrived if h.cls == cls]
        assert found == [words for words in sent if bench.class_of(words) == cls]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def notices(dut):
    """A notice is told and does not reach the engine; what is around it does."""
    bench = await begin(dut)
    around = [bench.packet(MESSAGE, 1, 8), bench.packet(MESSAGE, 2, 8)]
    bench.bring(around[0], 1)
    bench.bring([0x0101], 1, kind=NOTICE)
    bench.bring(around[1], 1)
    await bench.until(lambda: len(bench.received) == 2)
    await cycles(dut.clk_i, 50)
    assert bench.received == around
    assert [(n.kind, n.flow, n.source) for n in bench.notices] == [(NOTICE, 5, FAR)]


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def sessions_that_end(dut):
    """A session ends in the middle of packets, again and again: what arrives is whole, or ends early and cannot pass for a packet; then all goes on."""
    bench, random = await begin(dut), rng("sessions")
    for _ in range(12):
        for _ in range(10):
            bench.send(bench.packet(DATA, random.choice([5, 600, 900]), random.randrange(1, 1025)))
            words = bench.packet(DATA, random.choice([5, 600, 900]), random.randrange(1, 1025))
            bench.bring(words, bench.class_of(words))
        await cycles(dut.clk_i, random.randrange(20, 250))
        bench.link.cut()
        await cycles(dut.clk_i, random.randrange(1, 60))
        late = random.randrange(1, 80)
        bench.link.start(bench.now, switch_late=random.randrange(1, 80), end_late=late)
        await bench.until(lambda: bench.end.state == "open" and dut.state_o.value == 2)
    await bench.until(lambda: not bench.queue and bench.end.idle())
    await cycles(dut.clk_i, 100)
    short = 0
    for words in bench.received:
        size = words[0] >> 112 & 0x7FF
        short += len(words) != 2 + (size + 63) // 64
    assert short <= 12
    # After all that: each class still has its memory.
    bench.received.clear()
    fresh = [bench.packet(DATA, tid, 1024) for tid in (5, 600, 900) for _ in range(20)]
    for words in fresh:
        bench.bring(words, bench.class_of(words))
    await bench.until(lambda: len(bench.received) == len(fresh))


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def a_link_that_stays_dead(dut):
    """After DeadCycles without a link packets are taken and thrown away, so that the engine can drain; when it comes nothing of them is left."""
    bench = await begin(dut, up=False)
    words = bench.packet(DATA, 5, 1024)
    bench.send(words)
    await cycles(dut.clk_i, params()["DeadCycles"] - 50)
    assert bench.queue == [words], "there may be a link soon"
    await bench.until(lambda: bench.events["dropped"] == 1)
    bench.send(bench.packet(ACK, 5, 0))
    await bench.until(lambda: bench.events["dropped"] == 2)
    bench.link.start(bench.now)
    await bench.until(lambda: dut.state_o.value == 2)
    bench.send(words)
    await bench.until(lambda: bench.arrived)
    assert len(bench.arrived) == 1 and bench.arrived[0][1][1:] == words[1:]


def test_node_port():
    build_and_run(
        "node_port",
        rtl("prim", "axis", "rdma", "rifl", "switch", "node"),
        {"VcWords": 64, "DeadCycles": 1000},
        __name__,
    )
