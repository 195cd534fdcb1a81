# SPDX-License-Identifier: Apache-2.0
"""axis_width: bytes, beats, zero latency and cycle-exact throughput for many pairs of widths.

The reference is the contract itself on whole packets (cut the bytes into output beats), not a second
copy of the state machine.
"""

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge, Timer
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from stream import BeatSink, BeatSource, Port, Rules, beats_of
from tb_common import build_and_run, cycles, params, reset, rng, rtl, start_clock


def widths():
    return params()["InBytes"], params()["OutBytes"]


def random_length(random):
    """Lengths that matter: tiny, around multiples of either width, and anything."""
    a, b = widths()
    base = random.choice((0, a, b, a * b, a * random.randint(1, 9), b * random.randint(1, 9)))
    length = min(base, 40 * a) + random.choice((0, 0, 1, -1, random.randint(0, 3 * max(a, b))))
    return max(length, 0)


def random_packet(random):
    """(bytes, ended by a null beat). A packet without bytes is a null beat in any case."""
    payload = random.randbytes(random_length(random))
    return payload, len(payload) % widths()[0] == 0 and random.random() < 0.4


def expected(packet):
    """Output beats of a packet: an end that comes alone can only be sent alone if nothing is left."""
    payload, null_tail = packet
    out = widths()[1]
    return beats_of(payload, out, null_tail and len(payload) % out == 0)


class Bench:
    def __init__(self, dut, random):
        self.dut, self.clk, self.rst, self.random = dut, dut.clk_i, dut.rst_i, random
        dut.rst_i.value = 1
        start_clock(dut.clk_i, 1000)
        self.s, self.m = Port(dut, "s_axis"), Port(dut, "m_axis")
        self.source = BeatSource(self.clk, self.rst, self.s, random)
        self.sink = BeatSink(self.clk, self.m, random)
        self.s_rules = Rules(self.clk, self.rst, self.s, "s_axis", zeros=False)
        self.m_rules = Rules(self.clk, self.rst, self.m, "m_axis")

    def send(self, packets):
        for payload, null_tail in packets:
            self.source.queue += beats_of(payload, widths()[0], null_tail)

    async def finish(self, beats, limit=20000):
        for _ in range(limit):
            await RisingEdge(self.clk)
            if self.source.idle() and len(self.m_rules.beats) >= beats:
                break
        await cycles(self.clk, 3)


@cocotb.test()
async def frames(dut):
    """Frames through cocotbext-axi with pauses on both sides."""
    random = rng("frames")
    start_clock(dut.clk_i, 1000)
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk_i, dut.rst_i)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk_i, dut.rst_i)
    rules = Rules(dut.clk_i, dut.rst_i, Port(dut, "m_axis"), "m_axis")
    await reset(dut.clk_i, dut.rst_i)

    def pauses(rate):
        while True:
            yield random.random() < rate

    sent = []
    for source_pause, sink_pause in ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.3, 0.3)):
        source.set_pause_generator(pauses(source_pause))
        sink.set_pause_generator(pauses(sink_pause))
        for _ in range(6):
            payload = random.randbytes(max(random_length(random), 1))
            sent.append(payload)
            await source.send(AxiStreamFrame(payload))
        for payload in sent[-6:]:
            frame = await sink.recv()
            assert bytes(frame.tdata) == payload
    assert rules.packets() == sent


@cocotb.test()
async def beats(dut):
    """Random beats with null tails and junk outside TKEEP, in several moods of source and sink."""
    random = rng("beats")
    bench = Bench(dut, random)
    await reset(dut.clk_i, dut.rst_i)
    want = []
    moods = [
        (1.0, 1.0, 0),
        (0.5, 0.5, 0),
        (1.0, 0.3, 0),
        (0.3, 1.0, 0),
        (0.7, 0.7, 1),
        (1.0, 1.0, 1),
    ]
    for bench.source.rate, bench.sink.rate, bench.sink.patient in moods:
        packets = [random_packet(random) for _ in range(25)]
        bench.send(packets)
        want += [beat for packet in packets for beat in expected(packet)]
        await bench.finish(len(want))
        assert bench.m_rules.beats == want
    # The moods did what they are there for.
    assert bench.m_rules.stalled > 0
    assert bench.s_rules.stalled > 0


@cocotb.test()
async def throughput(dut):
    """Back to back with a ready sink: exactly max(ceil(n/In), ceil(n/Out)) cycles for each packet."""
    random = rng("throughput")
    inner, outer = widths()
    bench = Bench(dut, random)
    await reset(dut.clk_i, dut.rst_i)
    for kind in ("mixed", "short", "one byte"):
        lengths = {
            "mixed": [max(random_length(random), 1) for _ in range(30)],
            "short": [random.randint(1, inner) for _ in range(30)],
            "one byte": [1] * 10,
        }[kind]
        packets = [(random.randbytes(n), False) for n in lengths]
        bench.s_rules.taken_at.clear()
        bench.m_rules.taken_at.clear()
        before = len(bench.m_rules.beats)
        want = [beat for packet in packets for beat in expected(packet)]
        bench.send(packets)
        await bench.finish(before + len(want))
        assert bench.m_rules.beats[before:] == want
        ins, outs = bench.s_rules.taken_at, bench.m_rules.taken_at
        cost = sum(max(-(-n // inner), -(-n // outer)) for n in lengths)
        if inner <= outer:
            # A beat in every cycle; the last packet's rest may follow one cycle later.
            assert ins[-1] - ins[0] + 1 == cost == len(ins)
            assert outs[-1] - ins[-1] in (0, 1)
        else:
            # A beat out in every cycle, from the one in which the first beat came in.
            assert outs[0] == ins[0]
            assert outs[-1] - outs[0] + 1 == cost == len(outs)


@cocotb.test()
async def eager(dut):
    """Full output beats leave at once, without waiting for more input."""
    random = rng("eager")
    inner, outer = widths()
    bench = Bench(dut, random)
    await reset(dut.clk_i, dut.rst_i)
    payload, sent = b"", 0
    while sent < 12 * outer:
        more = random.randbytes(inner * random.randint(1, 3))
        bench.source.queue += [(data, keep, 0) for data, keep, _ in beats_of(more, inner)]
        payload += more
        sent += len(more)
        await cycles(dut.clk_i, 10 + 2 * len(more))
        want = beats_of(payload, outer)
        assert bench.m_rules.beats == [(d, k, 0) for d, k, _ in want[: len(payload) // outer]]
    bench.source.queue.append((0, 0, 1))
    await cycles(dut.clk_i, 10)
    assert bench.m_rules.beats == expected((payload, True))


@cocotb.test()
async def combinational(dut):
    """Zero latency, and only the paths between the two sides that the contract allows."""
    random = rng("combinational")
    inner, outer = widths()
    start_clock(dut.clk_i, 1000)
    s, m = Port(dut, "s_axis"), Port(dut, "m_axis")
    s.tvalid.value = 0
    m.tready.value = 0
    s.put((0, 0, 0))
    await reset(dut.clk_i, dut.rst_i)

    # A single-beat packet that fits one output beat is seen before any clock edge.
    await FallingEdge(dut.clk_i)
    payload = random.randbytes(min(inner, outer))
    beat = beats_of(payload, inner)[0]
    s.put(beat)
    s.tvalid.value = 1
    await Timer(100, "ps")
    assert m.tvalid.value == 1
    assert m.get() == beats_of(payload, outer)[0]
    m.tready.value = 1
    await RisingEdge(dut.clk_i)
    s.tvalid.value = 0

    # Random traffic; in the low half of each cycle one side is shaken and the other one watched.
    queue, offered, taken = [], None, 0
    for _ in range(300):
        await FallingEdge(dut.clk_i)
        m.tready.value = random.getrandbits(1)
        seen = set()
        for valid in (0, 1, 0, 1):
            s.tvalid.value = valid
            keep = (1 << random.randint(0, inner)) - 1
            s.put((random.getrandbits(8 * inner), keep, 1))
            await Timer(50, "ps")
            seen.add(int(s.tready.value))
        assert len(seen) == 1, "s_axis_tready depends on the input"
        if offered is None and random.random() < 0.8:
            queue = queue or beats_of(random.randbytes(random_length(random)), inner)
            offered = queue.pop(0)
        s.tvalid.value = int(offered is not None)
        s.put(offered or (0, 0, 0))
        seen = set()
        for ready in (0, 1, random.getrandbits(1)):
            m.tready.value = ready
            await Timer(50, "ps")
            seen.add(m.get() if m.tvalid.value == 1 else None)
        assert len(seen) == 1, "m_axis depends on m_axis_tready"
        if offered is not None and s.tready.value == 1:
            offered = None
            taken += 1
        await RisingEdge(dut.clk_i)
    assert taken > 15


@cocotb.test()
async def reset_in_flight(dut):
    """A reset at any moment: nothing is offered or taken under it, and nothing old comes after it."""
    random = rng("reset")
    bench = Bench(dut, random)
    for _ in range(25):
        bench.source.queue.clear()
        bench.m_rules.beats.clear()
        await reset(dut.clk_i, dut.rst_i, random.randint(1, 3))
        bench.source.rate, bench.sink.rate = random.choice(((1.0, 1.0), (1.0, 0.3), (0.6, 0.6)))
        packets = [random_packet(random) for _ in range(3)]
        want = [beat for packet in packets for beat in expected(packet)]
        bench.send(packets)
        await bench.finish(len(want))
        assert bench.m_rules.beats == want
        bench.send([random_packet(random) for _ in range(4)])
        await cycles(dut.clk_i, random.randint(1, 15))
        dut.rst_i.value = 1
        await ReadOnly()
        assert dut.m_axis_tvalid.value == 0
        assert dut.s_axis_tready.value == 0
        await RisingEdge(dut.clk_i)


PAIRS = [(1, 7), (5, 7), (7, 3), (5, 4), (4, 16), (16, 4), (8, 8)]
PAIRS += [(32, 30), (30, 32), (64, 62), (62, 64)]


@pytest.mark.parametrize("inner, outer", PAIRS, ids=[f"{a}to{b}" for a, b in PAIRS])
def test_axis_width(inner, outer):
    build_and_run("axis_width", rtl("axis"), {"InBytes": inner, "OutBytes": outer}, __name__)
