# SPDX-License-Identifier: Apache-2.0
"""eth_mac_tx: what is on the line, read by a decoder written from the standard, and when."""

import cocotb
import pytest
from cgmii import LOCAL, REMOTE, decode, padded
from cocotb.triggers import RisingEdge
from eth_bench import LineMonitor, PacketSource, Pulses, always, apart, at_random
from tb_common import build_and_run, cycles, params, reset, rng, rtl, start_clock

REPORTS = ("frame", "abort", "late", "too_long", "fault")


class Bench:
    def __init__(self, dut, name, ready=None, pause=lambda random: 0):
        self.dut, self.random, self.size = dut, rng(name), params()["Bytes"]
        dut.rst_i.value = 1
        dut.max_bytes_i.value = 9600
        dut.local_fault_i.value = dut.remote_fault_i.value = 0
        self.source = PacketSource(dut, dut.clk_i, self.random, pause)
        self.line = LineMonitor(dut, dut.clk_i, dut.rst_i, ready or always())
        self.pulses = Pulses(dut, dut.clk_i, dut.rst_i, REPORTS)
        start_clock(dut.clk_i, 1000)

    async def start(self):
        await reset(self.dut.clk_i, self.dut.rst_i)
        return self

    async def drain(self, limit=200_000, settle=0):
        """Until everything that was sent is on the line."""
        for _ in range(limit):
            await RisingEdge(self.dut.clk_i)
            if self.source.idle():
                break
        else:
            raise AssertionError("the transmitter does not take its packets")
        await cycles(self.dut.clk_i, settle or 60 + 2048 // self.size)
        return decode(self.line.line())

    def packet(self, length):
        return self.random.randbytes(length)

    def check(self, frames, packets):
        """These packets, all good, in order; and the reports say the same."""
        assert [f.data for f in frames] == [padded(p) for p in packets]
        assert all(f.good for f in frames)
        assert self.pulses["frame"] == len(packets)
        assert self.pulses["bytes"] == sum(len(f.body) for f in frames)
        assert not any(self.pulses[name] for name in REPORTS[1:])


def needed(packet):
    """Bytes of the line that a packet takes on average."""
    return 8 + max(len(packet), 60) + 4 + 12


def excess(frames, packets):
    """How far each frame starts from where its predecessors' bytes end, in bytes of the line."""
    place, found = frames[0].start, []
    for frame, packet in zip(frames, packets, strict=True):
        found.append(frame.start - place)
        place += needed(packet)
    return found


@cocotb.test()
async def lengths(dut):
    """Every short length and the ends of whole beats, back to back; every slot has had a start."""
    bench = await Bench(dut, "lengths").start()
    sizes = list(range(201))
    sizes += [n * bench.size + k for n in (16, 37) for k in range(-5, 6)]
    sizes += [1514, 8262, 9596]
    packets = [bench.packet(n) for n in sizes]
    bench.source.send(*packets)
    frames, _ = await bench.drain()
    bench.check(frames, packets)
    slots = {f.start % bench.size for f in frames}
    assert slots == set(range(0, bench.size, 8))


@cocotb.test()
async def line_is_the_limit(dut):
    """With a clock that is fast enough the line is full to the byte, whatever the lengths."""
    random = rng("pace")
    for name, chance in (("steady", 0.0), ("loose", 0.4)):
        bench = await Bench(dut, name, apart(random, chance)).start()
        packets = [
            bench.packet(random.randint(1, random.choice((80, 200, 1500)))) for _ in range(150)
        ]
        packets += [bench.packet(random.choice((61, 65, 66))) for _ in range(50)]
        bench.source.send(*packets)
        frames, _ = await bench.drain()
        bench.check(frames, packets)
        # The first words may have waited for the stream; from then on nothing is lost.
        found = excess(frames[8:], packets[8:])
        assert max(found) - min(found) <= 7, found
        bench.source.task.cancel()
        bench.line.task.cancel()
        bench.pulses.task.cancel()


@cocotb.test()
async def idle_forgives(dut):
    """Bytes that a gap lacks are made up for by an idle line: the next gap is not longer for them."""
    bench = await Bench(dut, "idle", apart(rng("idle"), 0.0)).start()
    for left in range(1, 8):
        # The first frame leaves `left` bytes over, the second one what would make them a slot.
        packets = [bench.packet(n) for n in (64 + left, 72 - left, 60)]
        bench.source.send(packets[0])
        await bench.drain()
        bench.source.send(*packets[1:])
        frames, _ = await bench.drain()
        second, third = frames[-2:]
        assert third.start - second.start == needed(packets[1]) // 8 * 8, left


@cocotb.test()
async def full_rate(dut):
    """A word in every cycle: a length takes its bytes on the line or its beats, whichever is more."""
    bench = await Bench(dut, "rate").start()
    for length in (60, 64, 100, 104, 134, 326, 1094, 8262, bench.size * 20, bench.size * 20 + 1):
        before = len(bench.line.words)
        packets = [bench.packet(length) for _ in range(33)]
        bench.source.send(*packets)
        await bench.drain()
        frames, _ = decode(bench.line.line()[before * bench.size :])
        assert all(f.good for f in frames) and len(frames) == 33
        # 32 frames: any deficit has come round.
        took = frames[-1].start - frames[0].start
        beats = -(-length // bench.size) * bench.size
        assert abs(took - 32 * max(needed(packets[0]), beats)) <= 7, (length, took / 32)
        dut._log.info(
            f"Bytes {bench.size}: frame of {length} bytes takes {took / 32:.2f} bytes of the line, "
            f"{length / (took / 32):.4f} of it are the frame"
        )


@cocotb.test()
async def latency(dut):
    """Three cycles from the beat that is taken to the start on the line, whatever the length."""
    bench = Bench(dut, "latency", pause=lambda random: random.randint(40, 60))
    await bench.start()
    packets = [bench.packet(n) for n in (1, 60, 64, 65, 200, 1500)]
    bench.source.send(*packets)
    frames, _ = await bench.drain()
    bench.check(frames, packets)
    seen = [bench.line.taken_at[f.start // bench.size] for f in frames]
    found = {out - begun for out, begun in zip(seen, bench.source.begun, strict=True)}
    assert found == {3}
    dut._log.info(f"Bytes {bench.size}: latency of the transmitter {found.pop()} cycles")


@cocotb.test()
async def any_pace(dut):
    """Random lengths, pauses between packets, and a line that takes words when it likes."""
    random = rng("any")
    for chance in (0.3, 0.7, 0.95):
        pause = random.choice((0, 1, 6))
        bench = Bench(
            dut, f"any {chance}", at_random(random, chance), lambda r, p=pause: r.randint(0, p)
        )
        await bench.start()
        packets = [
            bench.packet(random.randint(0, random.choice((70, 150, 700)))) for _ in range(120)
        ]
        bench.source.send(*packets)
        frames, _ = await bench.drain()
        bench.check(frames, packets)
        bench.source.task.cancel()
        bench.line.task.cancel()
        bench.pulses.task.cancel()


@cocotb.test()
async def cut_short(dut):
    """Aborted, late and too long packets end visibly, once, and do no harm to their neighbours."""
    bench = Bench(dut, "cut", pause=lambda random: random.choice((0, 0, 0, 7)))
    await bench.start()
    random, limit = bench.random, 800
    dut.max_bytes_i.value = limit
    sent, wanted = [], {"abort": 0, "late": 0, "too_long": 0}
    for number in range(300):
        kind = random.choice(("good", "good", "abort", "late", "too_long", "longest"))
        length = random.randint(0, 300)
        if kind == "late":
            length = random.randint(bench.size + 1, 500)
            beats = -(-length // bench.size)
            # Longer than what may be waiting inside: two beats and two words.
            bench.source.holes[number] = random.randint(1, beats - 1), random.randint(8, 20)
        elif kind == "longest":
            length, kind = limit - 4, "good"
        elif kind == "too_long":
            length = limit - 4 + random.choice((1, 2, 63, 64, 65, random.randint(1, 400)))
        packet = bench.packet(length)
        bench.source.send((packet, kind == "abort"))
        sent.append((packet, kind))
        if kind != "good":
            wanted[kind] += 1
    frames, _ = await bench.drain()
    assert len(frames) == len(sent)
    for frame, (packet, kind) in zip(frames, sent, strict=True):
        if kind == "good":
            assert frame.good and frame.data == padded(packet)
            continue
        # Marked, wrong even for a receiver that takes the mark for a byte, and nothing but the
        # packet in it.
        assert frame.marked
        right = type(frame)(0)
        for byte in range(256):
            right.body = frame.body[:-4] + bytes([byte]) + frame.body[-3:]
            assert not right.good
        assert len(frame.body) <= limit
        if kind == "abort":
            assert frame.data == padded(packet)
        else:
            begun = frame.data.rstrip(b"\0")
            assert packet[: len(begun)] == begun
            assert len(frame.body) < max(len(packet) + 4, 65)
    assert {k: bench.pulses[k] for k in wanted} == wanted
    assert bench.pulses["frame"] == sum(kind == "good" for _, kind in sent)


@cocotb.test()
async def smallest_limit(dut):
    """A limit of 64 bytes: every packet of up to 60 is whole, and no longer one is."""
    bench = Bench(dut, "smallest")
    await bench.start()
    dut.max_bytes_i.value = 64
    packets = [bench.packet(length) for length in (*range(1, 130), 60, 61, 60)]
    bench.source.send(*packets)
    frames, _ = await bench.drain()
    assert [frame.good for frame in frames] == [len(packet) <= 60 for packet in packets]
    for frame, packet in zip(frames, packets, strict=True):
        assert len(frame.body) <= 64 and (not frame.good or frame.data == padded(packet))
    assert bench.pulses["too_long"] == sum(len(packet) > 60 for packet in packets)


@cocotb.test()
async def gaps_that_do_no_harm(dut):
    """While words wait for the line, a beat that comes late is in time."""
    random = rng("slow")
    bench = await Bench(dut, "slow", iter(([1] + [0] * 7) * 100_000)).start()
    await cycles(dut.clk_i, 40)
    packets = [bench.packet(random.randint(300, 600)) for _ in range(10)]
    for number in range(10):
        bench.source.holes[number] = random.randint(1, 4), 3
    bench.source.send(*packets)
    frames, _ = await bench.drain(settle=1000)
    bench.check(frames, packets)


@cocotb.test()
async def link_faults(dut):
    """A fault ends the frame on the line, holds back the others, and is answered."""
    bench = await Bench(dut, "faults", at_random(rng("fault pace"), 0.9)).start()
    random = bench.random
    packets = [bench.packet(random.randint(bench.size, 900)) for _ in range(60)]
    bench.source.send(*packets)
    spans = []
    for number in range(12):
        await cycles(dut.clk_i, random.randint(3, 40))
        local, remote = ((1, 0), (0, 1), (1, 1))[number % 3]
        dut.local_fault_i.value, dut.remote_fault_i.value = local, remote
        begin = len(bench.line.words)
        await cycles(dut.clk_i, random.randint(30, 60))
        spans.append((begin, len(bench.line.words), local))
        dut.local_fault_i.value = dut.remote_fault_i.value = 0
    frames, sets = await bench.drain()
    assert all(kind == REMOTE != LOCAL for _, kind in sets)
    for begin, end, local in spans:
        # Words on their way, then the end of the frame at hand and its gap.
        calm, end = (begin + 8) * bench.size, end * bench.size
        calm += 2 * 128
        assert not [f for f in frames if calm <= f.start < end]
        inside = [at for at, _ in sets if calm <= at < end]
        assert inside == (list(range(calm, end, 8)) if local else [])
    good = [f.data for f in frames if f.good]
    assert len(frames) == len(packets) and bench.pulses["fault"] == len(frames) - len(good)
    assert bench.pulses["fault"] > 0
    for frame, packet in zip(frames, packets, strict=True):
        if frame.good:
            assert frame.data == padded(packet)
        else:
            assert frame.marked


@cocotb.test()
async def reset_at_any_moment(dut):
    """After a reset nothing of an old frame comes, and the next ones are whole."""
    bench = Bench(dut, "reset")
    for _ in range(12):
        bench.source.task.cancel()
        bench.source = PacketSource(dut, dut.clk_i, bench.random)
        await bench.start()
        bench.line.words.clear()
        bench.pulses.count.clear()
        packets = [bench.packet(bench.random.randint(1, 300)) for _ in range(5)]
        bench.source.send(*packets)
        bench.check((await bench.drain())[0], packets)
        bench.source.send(*[bench.packet(500) for _ in range(5)])
        await cycles(dut.clk_i, bench.random.randint(1, 40))


@pytest.mark.parametrize("size", [16, 32, 64])
def test_eth_mac_tx(size):
    build_and_run("eth_mac_tx", rtl("prim", "axis", "eth"), {"Bytes": size}, __name__)
