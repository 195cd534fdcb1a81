# SPDX-License-Identifier: Apache-2.0
"""eth_mac_rx: frames in every place of a word, whole and damaged in every way, against a list of what was sent."""

import itertools

import cocotb
import pytest
from cgmii import ERROR, IDLE, LOCAL, REMOTE, SEQUENCE, START, fcs, frame, idle, ordered_set, words
from cocotb.triggers import RisingEdge
from eth_bench import LineDriver, PacketMonitor, Pulses, always, apart, at_random
from tb_common import build_and_run, cycles, params, reset, rng, rtl, start_clock

REPORTS = ("frame", "cut", "too_long", "too_short", "bad_fcs", "fragment", "lost")
ERRORS = REPORTS[1:]


class Bench:
    def __init__(self, dut, name, valid=None):
        self.dut, self.random, self.size = dut, rng(name), params()["Bytes"]
        dut.rst_i.value = 1
        dut.max_bytes_i.value = 1518
        self.driver = LineDriver(dut, dut.clk_i, self.random, valid or always())
        self.out = PacketMonitor(dut, dut.clk_i, dut.rst_i)
        self.pulses = Pulses(dut, dut.clk_i, dut.rst_i, REPORTS)
        start_clock(dut.clk_i, 1000)

    async def start(self):
        await reset(self.dut.clk_i, self.dut.rst_i)
        return self

    def send(self, line):
        self.driver.queue += words(line, self.size)

    async def drain(self):
        while self.driver.queue:
            await RisingEdge(self.dut.clk_i)
        await cycles(self.dut.clk_i, 60)

    def stop(self):
        for part in (self.driver, self.out, self.pulses):
            part.task.cancel()

    def data(self, length):
        return self.random.randbytes(length)

    def check(self, packets, **reports):
        """These packets (data, marked), and these reports and no others."""
        assert self.out.packets == packets
        good = [data for data, marked in packets if not marked]
        reports = {"frame": len(good), "bytes": sum(len(d) + 4 for d in good), **reports}
        assert dict(self.pulses.count) == {k: v for k, v in reports.items() if v}


def delivered(length, size):
    """Whether anything comes out of a frame that ended after `length` bytes, FCS included."""
    return length > size or length >= 64


def aligned(line):
    """Idle up to the next slot, so that a frame may start."""
    return line + idle(-len(line) % 8)


@cocotb.test()
async def every_place(dut):
    """Every start slot with every place of the end, and the smallest gaps after it."""
    bench = await Bench(dut, "places", apart(rng("places pace"), 0.3)).start()
    line, packets = [], []
    for slot in range(bench.size // 8):
        for length in range(60, 60 + 2 * bench.size):
            packets.append((bench.data(length), False))
            line = aligned(line)
            line += idle((8 * slot - len(line)) % bench.size)
            line += frame(packets[-1][0])
    bench.send(line)
    await bench.drain()
    bench.check(packets)


@cocotb.test()
async def smallest_gaps(dut):
    """Frames as close as the slots allow, down to a gap of one byte; ends and starts share words."""
    for name, valid in (
        ("apart", apart(rng("gaps"), 0.0)),
        ("third", at_random(rng("third"), 0.35)),
    ):
        bench = await Bench(dut, name, valid).start()
        line, packets = [], []
        for _ in range(300):
            length = bench.random.choice((60, 67, bench.random.randint(60, 200)))
            packets.append((bench.data(length), False))
            line = aligned(line) + frame(packets[-1][0])
            if bench.random.random() < 0.2:
                line += idle(bench.random.randint(1, 40))
        bench.send(line)
        await bench.drain()
        bench.check(packets)
        bench.stop()


@cocotb.test()
async def idle_lets_words_catch_up(dut):
    """A word in every cycle: the second beats of words wait, and are made good in every longer gap."""
    bench = await Bench(dut, "catch up").start()
    line, packets = [], []
    for _ in range(60):
        for _ in range(4):
            # Few bytes in the last beat: more beats than words.
            whole = max(2 * bench.size, 64)
            packets.append((bench.data(whole + bench.random.randint(1, 8)), False))
            line = aligned(line) + frame(packets[-1][0])
        line += idle(8 * bench.size)
    bench.send(line)
    await bench.drain()
    bench.check(packets)


@cocotb.test()
async def latency(dut):
    """Four cycles from the word with the start to the first beat, at most as many from the end to TLAST."""
    bench = await Bench(dut, "latency").start()
    line, packets = [], []
    starts, ends = [], []
    for slot in range(bench.size // 8):
        for length in (60, 64, 65, 100, bench.size * 4, bench.size * 4 + 20):
            line += idle(-len(line) % bench.size + 5 * bench.size + 8 * slot)
            starts.append(len(line) // bench.size)
            packets.append((bench.data(length), False))
            line += frame(packets[-1][0])
            ends.append((len(line) - 1) // bench.size)
    bench.send(line)
    await bench.drain()
    bench.check(packets)
    given = bench.driver.given_at
    first = {at - given[word] for at, word in zip(bench.out.first_at, starts, strict=True)}
    last = {at - given[word] for at, word in zip(bench.out.last_at, ends, strict=True)}
    assert first == {4} and last <= {2, 3, 4}
    dut._log.info(
        f"Bytes {bench.size}: latency of the receiver {first} cycles from start to first beat, "
        f"{last} from terminate to TLAST"
    )


@cocotb.test()
async def single_bits(dut):
    """Every single wrong bit of a frame of 64 bytes is found."""
    bench = await Bench(dut, "bits", apart(rng("bits pace"), 0.0)).start()
    data = bench.data(60)
    body = int.from_bytes(data + fcs(data), "little")
    line, packets = [], []
    for bit in range(512):
        wrong = (body ^ 1 << bit).to_bytes(64, "little")
        line = aligned(line) + frame(wrong[:60], wrong[60:])
        packets.append((wrong[:60], True))
    bench.send(line)
    await bench.drain()
    bench.check(packets, bad_fcs=512)


@cocotb.test()
async def every_error(dut):
    """Each way in which a frame can be wrong, in any place, between good frames."""
    bench = await Bench(dut, "errors", apart(rng("errors pace"), 0.3)).start()
    random, size = bench.random, bench.size
    line, packets, wanted = [], [], dict.fromkeys(ERRORS, 0)
    fragments = set()  # words with starts that led to no frame

    def cut_by(characters):
        """A frame that ends with something else than terminate."""
        whole = bench.data(random.randint(60, 300))
        kept = random.randint(1, len(whole))
        damaged = frame(whole)[: 8 + kept]
        if characters is None:  # up to a slot, where another frame starts
            damaged = damaged[: len(damaged) // 8 * 8]
        got = bytes(b for b, _ in damaged[8:])
        return got, damaged + (characters or [])

    for _ in range(400):
        kind = random.choice(
            ("good", "fcs", "error", "idle", "sequence", "start", "short", "long", "fragment")
        )
        line = aligned(line)
        if kind == "good":
            packets.append((bench.data(random.randint(60, 400)), False))
            line += frame(packets[-1][0])
        elif kind == "fcs":
            body = bytearray(bench.data(random.randint(60, 300)))
            check = fcs(body)
            body[random.randrange(len(body))] ^= random.randint(1, 255)
            packets.append((bytes(body), True))
            line += frame(bytes(body), check)
            wanted["bad_fcs"] += 1
        elif kind in ("error", "idle", "sequence", "start"):
            stop = {
                "error": [(ERROR, 1)]
                + [(random.randrange(256), 0) for _ in range(random.randint(0, 90))],
                "idle": idle(random.randint(1, 20)),
                "sequence": [(SEQUENCE, 1), (0, 0), (0, 0), (random.choice((LOCAL, REMOTE)), 0)]
                + [(0, 0)] * 4,
                "start": None,
            }[kind]
            body, damaged = cut_by(stop)
            word = len(line) // size
            if word == (len(line) + 8 + len(body)) // size:
                fragments.add(word)
            else:
                wanted["cut"] += 1
                if delivered(len(body), size):
                    packets.append((body[:-4], True))
            line += damaged
            if kind == "start":
                packets.append((bench.data(random.randint(60, 200)), False))
                line += frame(packets[-1][0])
        elif kind == "short":
            data = bench.data(random.randint(0, 59))
            damaged = frame(data)
            if len(line) // size == (len(line) + len(damaged) - 1) // size:
                fragments.add(len(line) // size)
            else:
                wanted["too_short"] += 1
                if delivered(len(data) + 4, size):
                    packets.append((data, True))
            line += damaged
        elif kind == "long":
            data = bench.data(1518 - 4 + random.choice((1, 2, 3, 64, 65, random.randint(1, 300))))
            line += frame(data)
            wanted["too_long"] += 1
            packets.append((data, "long"))
        else:
            broken = frame(bench.data(random.randint(60, 300)))
            # The preamble has no end.
            fragments.add(len(line) // size)
            line += [*broken[:7], (0x54, 0), *broken[8:]]
    bench.send(line)
    await bench.drain()
    assert len(bench.out.packets) == len(packets)
    for (got, marked), (data, kind) in zip(bench.out.packets, packets, strict=True):
        if kind == "long":
            # Ended where the limit was passed, at most a word later.
            assert marked and data.startswith(got[:-4]) and 1400 < len(got) <= 1518 + 2 * size
        else:
            assert (got, marked) == (data, kind)
    got = {name: bench.pulses[name] for name in ERRORS}
    assert got == {**wanted, "fragment": len(fragments)}
    assert bench.pulses["frame"] == sum(kind is False for _, kind in packets)


@cocotb.test()
async def longest(dut):
    """The limit is the length of the frame with its FCS, to the byte."""
    bench = await Bench(dut, "longest", apart(rng("longest pace"), 0.3)).start()
    for limit in (64, 100, 64 + bench.size, 1000):
        dut.max_bytes_i.value = limit
        await cycles(dut.clk_i, 2)
        for slot in range(bench.size // 8):
            bench.out.packets.clear()
            bench.pulses.count.clear()
            good, long = bench.data(limit - 4), bench.data(limit - 3)
            bench.send(aligned(idle(8 * slot) + frame(good)) + frame(long))
            await bench.drain()
            assert bench.out.packets[0] == (good, False)
            assert bench.out.packets[1][1] and len(bench.out.packets) == 2
            assert (bench.pulses["frame"], bench.pulses["too_long"]) == (1, 1)


@cocotb.test()
async def no_room(dut):
    """More beats than cycles, for ever: a frame ends where a word of it was lost, and is reported as cut; the others come whole, unless their start was lost."""
    bench = await Bench(dut, "no room").start()
    size = bench.size
    # Few bytes in the last beat: where they are fewer than the gap the stream has more beats than
    # the line has words.
    whole = max(2 * size, 64)
    sent = [bench.data(whole + bench.random.randint(1, 3)) for _ in range(1200)]
    line, starts = [], []
    for data in sent:
        line = aligned(line)
        starts.append(len(line))
        line += frame(data)
    bench.send(line + idle(4 * size))  # the first of them may be lost, too
    await bench.drain()
    # The report of a word comes behind the edge that takes it.
    word_at = {cycle + 1: word for word, cycle in enumerate(bench.driver.given_at)}
    lost = {word_at[cycle] for cycle in bench.pulses.at["lost"]}
    packets, cut = [], 0
    for data, start in zip(sent, starts, strict=True):
        first, last = start // size, (start + 8 + len(data) + 4) // size
        if first in lost:
            continue
        gap = min((word for word in range(first, last + 1) if word in lost), default=None)
        if gap is None:
            packets.append((data, False))
            continue
        cut += 1
        came = gap * size - start - 8
        if delivered(came, size):
            packets.append(((data + fcs(data))[: came - 4], True))
    bench.check(packets, cut=cut, lost=len(lost))
    length = whole + 1
    dense = -(-length // size) * size > -(-(length + 13) // 8) * 8
    assert dense == (len(lost) > 0) == (cut > 0)
    # Once the line is quiet everything is as before.
    bench.out.packets.clear()
    after = [bench.data(n) for n in (60, 300, 61)]
    for data in after:
        bench.send(aligned(frame(data)) + idle(4 * size))
    await bench.drain()
    assert bench.out.packets == [(data, False) for data in after]


@cocotb.test()
async def noise(dut):
    """Any characters at all: the rules of the stream hold, nothing of it is good, and the next frames are."""
    bench = await Bench(dut, "noise", at_random(rng("noise pace"), 0.5)).start()
    random = bench.random
    controls = [IDLE, START, ERROR, SEQUENCE, 0xFD, 0xFD, 0x00]
    for _ in range(40):
        bench.out.packets.clear()
        bench.pulses.count.clear()
        line = []
        chance = random.choice((0.5, 0.1, 0.02, 0.005))
        for _ in range(random.randint(1, 1500)):
            if random.random() < chance:
                line.append((random.choice(controls), 1))
            else:
                line.append((random.choice((0x55, 0xD5, random.randrange(256))), 0))
            if len(line) % 8 == 1 and random.random() < 0.3:
                line[-1] = (START, 1)
            if len(line) % 8 == 0 and random.random() < 0.5:
                line[-1] = (0xD5, 0)
        data = bench.data(random.randint(60, 200))
        line = aligned(line) + frame(data)
        bench.send(line)
        await bench.drain()
        assert bench.out.packets[-1] == (data, False)
        assert all(marked for _, marked in bench.out.packets[:-1])
        assert bench.out.open == b"" and bench.pulses["frame"] == 1


@cocotb.test()
async def link_faults(dut):
    """Four sequences of a kind make a fault, 128 columns without any end it."""
    bench = await Bench(dut, "faults").start()
    size = bench.size

    def faults():
        return dut.local_fault_o.value == 1, dut.remote_fault_o.value == 1

    async def line(*parts):
        bench.driver.queue += words([c for part in parts for c in part], size)
        while bench.driver.queue:
            await RisingEdge(dut.clk_i)
        await cycles(dut.clk_i, 5)

    word = idle(size - 8)
    for kind, found in ((LOCAL, (True, False)), (REMOTE, (False, True))):
        other = LOCAL + REMOTE - kind
        assert faults() == (False, False)
        # Three are none; one of the other kind, or too long a silence, and the count begins anew.
        await line((ordered_set(kind) + word) * 3)
        assert faults() == (False, False)
        await line(ordered_set(other) + word, (ordered_set(kind) + word) * 3)
        assert faults() == (False, False)
        await line(idle(128 * 8), (ordered_set(kind) + word) * 3)
        assert faults() == (False, False)
        await line(ordered_set(kind) + word)
        assert faults() == found
        # A few of the other kind do not change it, and it stays while they come often enough.
        await line((ordered_set(other) + word) * 3)
        assert faults() == found
        await line((ordered_set(kind) + idle(119 * 8)) * 4 + ordered_set(kind) + word)
        assert faults() == found
        await line(idle(128 * 8))
        assert faults() == (False, False)
        # What differs in one bit from the ordered set is none, in any column.
        for column, bit in itertools.product(range(size // 8), range(32)):
            wrong = ordered_set(kind)
            byte, control = wrong[bit // 8]
            wrong[bit // 8] = (byte ^ 1 << bit % 8, control)
            await line((idle(8 * column) + wrong + idle(size - 8 * column - 8)) * 5)
            assert faults() == (False, False), (column, bit)
        for column, byte in itertools.product(range(size // 8), range(4)):
            wrong = ordered_set(kind)
            wrong[byte] = (wrong[byte][0], 1 - wrong[byte][1])
            await line((idle(8 * column) + wrong + idle(size - 8 * column - 8)) * 5)
            assert faults() == (False, False), (column, byte)
        await line(idle(128 * 8))
        # All of them at once.
        await line(ordered_set(kind) * max(4, size // 8))
        assert faults() == found
        await line(ordered_set(other) * max(4, size // 8))
        assert faults() == found[::-1]
        await line(idle(140 * 8))


@cocotb.test()
async def faults_in_any_columns(dut):
    """Any mixture of sequences in a word, word for word against the rule as it is written."""
    bench = await Bench(dut, "columns").start()
    random, size = bench.random, bench.size
    fault, kind, total, quiet, wanted = 0, 0, 0, 0, []
    chance = 0.5
    for number in range(4000):
        if number % 100 == 0:
            chance = random.choice((0.005, 0.05, 0.5))
        columns = [
            random.choice((LOCAL, REMOTE)) if random.random() < chance else 0
            for _ in range(size // 8)
        ]
        bench.send([c for k in columns for c in (ordered_set(k) if k else idle(8))])
        came = [k for k in columns if k]
        if came:
            # In a word with both kinds the later one counts.
            total = came.count(came[-1]) + (total if came[-1] == kind else 0)
            kind, quiet = came[-1], 0
            fault = kind if total >= 4 else fault
        else:
            quiet += size // 8
            if quiet >= 128:
                fault, total = 0, 0
        wanted.append(fault)
    found = []
    for _ in range(len(wanted) + 3):
        await RisingEdge(dut.clk_i)
        found.append(int(dut.local_fault_o.value) * LOCAL + int(dut.remote_fault_o.value) * REMOTE)
    # The first word is taken at the first edge here, and a fault shows 3 cycles later.
    assert not bench.driver.queue and found[3:] == wanted
    await bench.drain()


@cocotb.test()
async def reset_at_any_moment(dut):
    """After a reset nothing of an old frame comes, and the next ones are whole."""
    bench = await Bench(dut, "reset", at_random(rng("reset pace"), 0.6)).start()
    for _ in range(15):
        bench.send(frame(bench.data(800)))
        await cycles(dut.clk_i, bench.random.randint(1, 30))
        bench.driver.queue.clear()
        await reset(dut.clk_i, dut.rst_i)
        bench.out.packets.clear()
        packets = [(bench.data(bench.random.randint(60, 200)), False) for _ in range(3)]
        bench.send([c for data, _ in packets for c in aligned(frame(data))])
        await bench.drain()
        assert bench.out.packets == packets


@pytest.mark.parametrize("size", [16, 32, 64])
def test_eth_mac_rx(size):
    build_and_run("eth_mac_rx", rtl("prim", "axis", "eth"), {"Bytes": size}, __name__)
