# SPDX-License-Identifier: Apache-2.0
"""Player and capture over AXI4-Lite: times to the cycle, beats to the byte, refusals, resets and clocks that stop."""

from dataclasses import replace
from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer, with_timeout
from tb_common import build_and_run, cycles, rng, rtl
from traffic_bench import CLK, Beat, Bench, random_beats

TIMEOUT = {"timeout_time": 400, "timeout_unit": "us"}


async def begun(dut, name):
    bench = Bench(dut, rng(name))
    await bench.start()
    return bench


async def until_high(signal):
    """Until it rises; started before what makes it rise."""
    await RisingEdge(signal)


def differing(beats, at, **changes):
    """The same beats with one changed."""
    return [replace(b, **changes) if k == at else b for k, b in enumerate(beats)]


@cocotb.test(**TIMEOUT)
async def identity_and_settings(dut):
    """Reset values as described, what can be written, what is refused, and what reads as zero."""
    bench = await begun(dut, "identity")
    regs = bench.regs
    assert await regs.read("magic") == int.from_bytes(b"TRAF", "big")
    assert await regs.field("width", "bytes") == bench.width
    assert 1 << await regs.field("width", "counters") == bench.modulus
    assert await regs.field("play_depth", "beats") == bench.depth
    assert await regs.field("capture_depth", "beats") == bench.capture_depth
    assert await regs.field("status", "order_ready") == 1
    await regs.check_reset_values()
    await regs.check_writes(bench.random)
    await bench.fence()
    # Beats outside of a load were among the writes.
    assert await bench.events() == {"refused"}
    for address in (0x01C, 0x054, 0xFFC):
        assert not (await regs.word(address))[1], f"{address:#x} is no register"
        assert not await regs.write_word(address, 0)
    for address in (0x1018, 0x1130, 0x17F8, 0x1808, 0x1BF8, 0x1FF8):
        assert await regs.word(address) == (0, True)
        assert await regs.write_word(address, 0xFFFFFFFF)


@cocotb.test(**TIMEOUT)
async def scripts_are_played_to_the_cycle(dut):
    """Random beats with waits and cycles, some runs, a sink that is ready and ones that are not."""
    bench = await begun(dut, "scripts")
    random = bench.random
    for share in (0, 0, 0.3, 0.8, 0):
        beats = random_beats(random, bench.width, 40, bench.depth)
        times = random.choice([1, 2, 5])
        bench.hinder(bench.sink, share)
        await bench.load(beats)
        await bench.fence()
        assert await bench.count("play_loaded") == len(beats)
        # What was written last has its time.
        bench.m.forget()
        await bench.start_playing(times)
        await bench.played()
        bench.check_times(beats, times)
        assert await bench.count("play_runs") == times % bench.modulus


@cocotb.test(**TIMEOUT)
async def full_rate(dut):
    """A full memory without waits leaves beat by beat, run behind run, with no cycle between; cycle 0 is where `play_began` says."""
    bench = await begun(dut, "full rate")
    count = bench.depth
    beats = [
        Beat(bench.random.randbytes(bench.width), k % 4 == 3 or k == count - 1)
        for k in range(count)
    ]
    await bench.load(beats)
    await bench.fence()
    assert await bench.events() == set()
    bench.m.forget()
    # How far the clock of the core is ahead of that of the bench: by a beat that both see.
    await bench.regs.write("capture", record=1)
    await bench.fence()
    bench.send([Beat(b"a", True)])
    await bench.sent()
    await bench.regs.write("capture", stop=1)
    ahead = (await bench.shown(0)).cycles - bench.s.taken[0]
    await bench.start_playing(3)
    await bench.played()
    offered = bench.m.offered
    assert offered == list(range(offered[0], offered[0] + 3 * count))
    bench.check_times(beats, 3)
    assert await bench.count("play_began") == offered[0] + ahead


@cocotb.test(**TIMEOUT)
async def stops_between_packets(dut):
    """For ever until `stop`: the packet that was begun is finished with its waits, nothing is begun, and a start begins at the front."""
    bench = await begun(dut, "stops")
    random = bench.random
    beats = random_beats(random, bench.width, 30, bench.depth)
    await bench.load(beats)
    for share in (0, 0.5, 0.9, 0, 0):
        bench.hinder(bench.sink, share)
        bench.m.forget()
        await bench.start_playing(0)
        await cycles(dut.clk_i, random.randrange(30, 400))
        assert await bench.regs.field("observe.state", "playing")
        await bench.regs.write("play", stop=1)
        await bench.played()
        assert bench.m.beats and bench.m.beats[-1].last
        runs, rest = divmod(len(bench.m.beats), len(beats))
        assert await bench.count("play_runs") == runs % bench.modulus
        played = [b.seen() for b in bench.m.beats]
        assert played == [b.seen() for b in (beats * (runs + 1))[: runs * len(beats) + rest]]
    # A stop of what does not play is nothing.
    await bench.regs.write("play", stop=1)
    await bench.fence()
    assert await bench.events() == set()
    await bench.start_playing(1)
    await bench.until("play_done")


@cocotb.test(**TIMEOUT)
async def stops_before_the_first_beat(dut):
    """A stop while the first beat waits ends the run without a beat; one in the middle of a packet waits for its end."""
    bench = await begun(dut, "early stop")
    await bench.load([Beat(bytes(bench.width), False, 400), Beat(b"x", True, 300)])
    bench.m.forget()
    await bench.start_playing(2)
    await bench.regs.write("play", stop=1)
    await bench.until("play_done")
    assert not bench.m.offered
    await bench.start_playing(2)
    while not bench.m.offered:
        await RisingEdge(dut.clk_i)
    await bench.regs.write("play", stop=1)
    await bench.fence()
    assert await bench.regs.field("observe.state", "stopping")
    assert len(bench.m.offered) == 1
    await bench.played()
    assert [b.last for b in bench.m.beats] == [False, True]
    assert bench.m.offered[1] == bench.m.taken[0] + 301


@cocotb.test(**TIMEOUT)
async def refusals_of_the_player(dut):
    """What cannot be stored or started changes nothing and sets `refused`; a load while it plays does not disturb."""
    bench = await begun(dut, "refusals")
    regs, width = bench.regs, bench.width

    async def refused(coroutine):
        await coroutine
        await bench.fence()
        await cycles(dut.axil_clk_i, 8)
        assert await bench.events() == {"refused"}
        await regs.forget_events()

    good = Beat(bench.random.randbytes(width), True)
    await refused(regs.write("play", start=1))  # nothing loaded
    await refused(bench.order_beat("play_beat", good))  # no load
    await refused(regs.write("play", load=1, start=1))
    await bench.load([good])
    await refused(bench.order_beat("play_beat", good, width + 1))
    await refused(bench.order_beat("play_beat", good, 0xFFF))
    await refused(bench.order_beat("play_beat", replace(good, last=False), width - 1))
    assert await bench.count("play_loaded") == 1
    await bench.order_beat("play_beat", replace(good, last=False))
    await refused(regs.write("play", start=1))  # open packet
    while await bench.count("play_loaded") < bench.depth:
        await bench.order_beat("play_beat", good)
        await bench.fence()
    await refused(bench.order_beat("play_beat", good))  # full
    assert await bench.count("play_loaded") == bench.depth
    beats = [good, replace(good, last=False), *[good] * (bench.depth - 2)]
    bench.m.forget()
    await bench.start_playing(0)
    await refused(regs.write("play", start=1))
    await refused(regs.write("play", load=1))
    await refused(bench.order_beat("play_beat", replace(good, data=bytes(width))))
    await regs.write("play", stop=1)
    await bench.played()
    assert [b.seen() for b in bench.m.beats[: bench.depth]] == [b.seen() for b in beats]


@cocotb.test(**TIMEOUT)
async def hostile_accesses(dut):
    """Accesses to anything while it plays: no register, read-only ones, parts of words, beats and loads, reads of everything. Each is answered, and the stream does not notice."""
    bench = await begun(dut, "hostile")
    random, regs = bench.random, bench.regs
    beats = random_beats(random, bench.width, 30, bench.depth)
    await bench.load(beats)
    await bench.fence()
    bench.m.forget()
    times = 80
    await bench.start_playing(times)
    await regs.write("play", load=1)
    # All but what stops it, and `capture`, which is nobody's here.
    harmless = [address for address in range(0, 0x2000, 4) if address not in (0x20, 0x24, 0x4C)]
    while await regs.field("observe.state", "playing"):
        address = random.choice(harmless) if random.random() < 0.5 else random.randrange(0, 0x54, 4)
        if address not in harmless or random.random() < 0.5:
            await regs.word(address)
            continue
        value = random.getrandbits(32) & (~4 if address == 0x40 else ~0)
        size = random.choice((4, 4, 2, 1))
        if size == 4:
            await regs.write_word(address, value)
        else:
            at = address + random.randrange(0, 4, size)
            value = value >> 8 * (at - address) & (1 << 8 * size) - 1
            await regs.bus.write(at, value.to_bytes(size, "little"))
    bench.check_times(beats, times)
    assert await bench.count("play_loaded") == len(beats)
    assert await bench.events() >= {"play_done", "refused"}
    assert not await bench.events() & {"cleared", "order_lost", "observe_lost"}


@cocotb.test(**TIMEOUT)
async def the_clock_passes_its_lower_half(dut):
    """`now` counts on over 2^32, and recorded beats have its lower half."""
    bench = await begun(dut, "now")
    await bench.regs.write("capture", record=1)
    await bench.fence()
    beats = [Beat(b"a", True)] * 12
    bench.send(beats)
    await RisingEdge(dut.clk_i)
    dut.now_q.value = (1 << 32) - 8
    # The compared value of the cycle before belongs to what it was.
    await RisingEdge(dut.clk_i)
    await bench.sent()
    assert await bench.count("now") - (1 << 32) in range(10000)
    await bench.regs.write("capture", stop=1)
    stamps = [(await bench.shown(k)).cycles for k in range(12)]
    steps = [b - a for a, b in pairwise(bench.s.taken)]
    assert [b - a & 0xFFFFFFFF for a, b in pairwise(stamps)] == steps
    assert min(stamps) < 100 and max(stamps) > (1 << 32) - 100


@cocotb.test(**TIMEOUT)
async def recording(dut):
    """What arrives is recorded with the cycle in which it was taken; a full memory takes and counts, or closes the stream."""
    bench = await begun(dut, "recording")
    random, regs, depth = bench.random, bench.regs, bench.capture_depth
    for share, much, block in ((0, False, 0), (0.5, False, 0), (0, True, 0), (0.3, True, 1)):
        bench.hinder(bench.source, share)
        beats = random_beats(
            random, bench.width, 4 * depth if much else depth // 5, 2 * depth if much else depth
        )
        beats = [
            replace(b, data=b.data or b"e", mark=b.last and random.random() < 0.3) for b in beats
        ]
        # The library cannot send an empty last beat; `m_axis` of the player can, see the loopback.
        await regs.write("capture", record=1, block=block)
        await bench.fence()
        bench.s.forget()
        bench.send(beats)
        if block:
            await bench.until("capture_full")
            await cycles(dut.clk_i, 50)
            assert dut.s_axis_tready.value == 0 and len(bench.s.beats) == depth
            # `missed` stays 0, and the end of the recording opens the stream.
            assert await bench.count("capture_missed") == 0
            taken = list(bench.s.beats)
            await regs.write("capture", stop=1)
            await bench.sent()
        else:
            await bench.sent()
            taken = list(bench.s.beats)
            if much:
                await bench.until("capture_full")
            await regs.write("capture", stop=1)
            await bench.fence()
        assert len(bench.s.beats) == len(beats)
        assert [b.seen() for b in bench.s.beats] == [b.seen() for b in beats]
        stored = min(depth, len(beats))
        assert await bench.count("capture_stored") == stored
        assert await regs.field("observe.state", "full") == int(much)
        assert await bench.count("capture_beats") == len(taken) % bench.modulus
        assert await bench.count("capture_packets") == sum(b.last for b in taken) % bench.modulus
        assert await bench.count("capture_missed") == (len(taken) - stored) % bench.modulus
        began = await bench.count("capture_began")
        offset = None
        for k in sorted(random.sample(range(stored), min(stored, 12))):
            shown = await bench.shown(k)
            assert shown.seen() == beats[k].seen(), k
            offset = shown.cycles - bench.s.taken[k] if offset is None else offset
            assert shown.cycles - bench.s.taken[k] == offset
            assert shown.cycles > began
        assert (await bench.shown(depth)).seen() == (b"", False, False)
        assert await bench.events() == set()


@cocotb.test(**TIMEOUT)
async def comparing(dut):
    """What is as expected makes no difference, in every run; each kind of difference is found at its beat, once."""
    bench = await begun(dut, "comparing")
    random, regs, width = bench.random, bench.regs, bench.width
    # The last place is kept for what differs. One packet has every place for a difference.
    beats = [Beat(random.randbytes(width), False), Beat(random.randbytes(2), True)]
    beats += random_beats(random, width, 40, bench.capture_depth - 3)
    beats = [replace(b, data=b.data or b"e", mark=b.last and random.random() < 0.3) for b in beats]
    await bench.expect(beats)
    long = next(k for k, b in enumerate(beats) if not b.last)
    first = 1 + next(k for k, b in enumerate(beats) if b.last)
    ends = [k for k, b in enumerate(beats) if b.last and len(b.data) > 1]
    place, bit = random.randrange(len(beats)), random.randrange(8)
    byte = random.randrange(len(beats[place].data))
    spoilt = bytearray(beats[place].data)
    spoilt[byte] ^= 1 << bit
    at = random.choice(ends)
    for share in (0, 0.4):
        bench.hinder(bench.source, share)
        for where, changes, other in (
            (None, {}, 0),
            (place, {"data": bytes(spoilt)}, 0),
            (at, {"data": beats[at].data[:-1]}, 0),
            (at, {"mark": not beats[at].mark}, 0),
            (long, {"last": True}, 0),
            (None, {}, 3),
        ):
            times = random.choice([1, 2, 3])
            await regs.write("expect_runs", n=times)
            await regs.write("capture", compare=1)
            await bench.fence()
            bench.s.forget()
            turn = random.randrange(times)
            stream = []
            for k in range(times):
                stream += differing(beats, where if k == turn else None, **changes)
            # Not even what one run more would begin with.
            stream += beats[:first] * other
            bench.send(stream)
            await bench.sent()
            assert len(bench.s.beats) == len(stream)
            wanted = [
                k
                for k, b in enumerate(bench.s.beats)
                if k >= times * len(beats) or b.seen() != beats[k % len(beats)].seen()
            ]
            assert bool(wanted) == (where is not None or other > 0)
            assert await bench.count("capture_differences") == len(wanted) % bench.modulus
            assert await bench.count("capture_beats") == len(stream) % bench.modulus
            assert await bench.events() == ({"difference"} if wanted else set())
            assert await regs.field("observe.state", "differs") == bool(wanted)
            # While it compares the window is shut.
            assert (await bench.shown(0)).seen() == (b"", False, False)
            await regs.write("capture", stop=1)
            if wanted:
                await regs.forget_events()
                assert await bench.count("capture_first") == wanted[0] % bench.modulus
                found = await bench.shown(bench.capture_depth - 1)
                assert found.seen() == bench.s.beats[wanted[0]].seen()
            assert (await bench.shown(place)).seen() == beats[place].seen()


@cocotb.test(**TIMEOUT)
async def comparing_with_what_was_recorded(dut):
    """A recording is what the next comparison expects; a full memory has no place for a difference, and is refused."""
    bench = await begun(dut, "recorded")
    regs = bench.regs
    beats = [
        replace(b, data=b.data or b"e")
        for b in random_beats(bench.random, bench.width, 8, bench.capture_depth - 1)
    ]
    await regs.write("capture", record=1)
    await bench.fence()
    bench.send(beats)
    await bench.sent()
    await regs.write("capture", stop=1)
    await regs.write("expect_runs", n=0)
    await regs.write("capture", compare=1)
    await bench.fence()
    for _ in range(3):
        bench.send(beats)
    await bench.sent()
    assert await bench.count("capture_differences") == 0
    await regs.write("capture", stop=1)
    await regs.write("capture", record=1)
    await bench.fence()
    bench.send([Beat(b"a", True)] * bench.capture_depth)
    await bench.until("capture_full")
    await regs.write("capture", stop=1)
    await regs.write("capture", compare=1)
    await bench.until("refused")


@cocotb.test(**TIMEOUT)
async def refusals_of_the_capture(dut):
    """As those of the player."""
    bench = await begun(dut, "capture refusals")
    regs, width = bench.regs, bench.width

    async def refused(coroutine):
        await coroutine
        await bench.until("refused")

    good = Beat(bench.random.randbytes(width), True)
    await refused(regs.write("capture", compare=1))
    await refused(bench.order_beat("expected", good))
    await refused(regs.write("capture", record=1, stop=1))
    await bench.expect([good])
    await refused(bench.order_beat("expected", good, width + 1))
    await refused(bench.order_beat("expected", replace(good, last=False), width - 1))
    for _ in range(bench.capture_depth - 2):
        await bench.order_beat("expected", good)
    await bench.fence()
    assert await bench.events() == set()
    await refused(bench.order_beat("expected", good))
    assert await bench.count("capture_stored") == bench.capture_depth - 1
    await regs.write("capture", compare=1)
    for action in ("load", "record", "compare"):
        await refused(regs.write("capture", **{action: 1}))
    await refused(bench.order_beat("expected", good))
    await regs.write("capture", stop=1)
    await bench.fence()
    assert await bench.count("capture_stored") == bench.capture_depth - 1
    assert await bench.events() == set()


@cocotb.test(**TIMEOUT)
async def events_and_interrupt(dut):
    """An event raises the interrupt where it is enabled, once."""
    bench = await begun(dut, "events")
    regs = bench.regs
    await bench.load([Beat(b"a", True)])
    await regs.write("event_enable", play_done=1)
    await regs.write("play", load=1, stop=1)
    await bench.until("refused")
    assert dut.irq_o.value == 0
    # The end is not before the last beat was taken.
    bench.sink.pause = True
    await bench.start_playing(1)
    await cycles(dut.axil_clk_i, 60)
    assert dut.m_axis_tvalid.value == 1 and await bench.events() == set()
    assert await regs.field("observe.state", "playing")
    taken = cocotb.start_soon(until_high(dut.irq_o))
    bench.sink.pause = False
    await taken
    assert await bench.events() == {"play_done"}
    await regs.forget_events()
    assert dut.irq_o.value == 0
    await cycles(dut.axil_clk_i, 20)
    assert await bench.events() == set()


@cocotb.test(**TIMEOUT)
async def reset_of_the_streams(dut):
    """In the middle of a packet: announced by rst_o and `cleared`, the memories are empty, and a tail of a load is not taken for one."""
    bench = await begun(dut, "stream reset")
    random = bench.random
    for _ in range(4):
        beats = random_beats(random, bench.width, 30, bench.depth)
        await bench.expect(beats[:3])
        await bench.load(beats)
        await bench.start_playing(0)
        await cycles(dut.clk_i, random.randrange(40, 200))
        announced = cocotb.start_soon(until_high(dut.rst_o))
        dut.arst_i.value = 1
        await Timer(random.choice([1, 300, 5000]), "ps")
        dut.arst_i.value = 0
        await announced
        await cycles(dut.clk_i, 2)
        assert dut.m_axis_tvalid.value == 0
        await cycles(dut.axil_clk_i, 20)
        await bench.until("cleared")
        # What was ordered stays counted.
        assert await bench.regs.read("orders") == await bench.count("orders") > 0
        await bench.order_beat("play_beat", beats[-1])
        await bench.until("refused")
        await bench.regs.write("play", start=1)
        await bench.until("refused")
        for name in ("play_loaded", "capture_stored", "play_beats", "play_stalled"):
            assert await bench.count(name) == 0
        while not bench.sink.empty():
            bench.sink.recv_nowait()
    bench.m.forget()
    await bench.load(beats)
    await bench.start_playing(1)
    await bench.played()
    bench.check_times(beats, 1)


@cocotb.test(**TIMEOUT)
async def reset_of_the_bus(dut):
    """In the middle of a packet: everything is as after power-up."""
    bench = await begun(dut, "bus reset")
    random = bench.random
    beats = random_beats(random, bench.width, 30, bench.depth)
    for _ in range(3):
        await bench.load(beats)
        await bench.regs.write("event_enable", refused=1)
        await bench.start_playing(0)
        await cycles(dut.clk_i, random.randrange(40, 200))
        dut.axil_arst_i.value = 1
        await Timer(random.choice([1, 300, 50000]), "ps")
        dut.axil_arst_i.value = 0
        await cycles(dut.axil_clk_i, 30)
        assert dut.m_axis_tvalid.value == 0 and dut.rst_o.value == 0
        await bench.until("cleared")
        await bench.regs.check_reset_values()
        assert await bench.count("play_loaded") == 0
        assert await bench.regs.read("orders") == await bench.count("orders") == 0
        while not bench.sink.empty():
            bench.sink.recv_nowait()
    bench.m.forget()
    await bench.load(beats)
    await bench.start_playing(2)
    await bench.played()
    bench.check_times(beats, 2)


@cocotb.test(**TIMEOUT)
async def clock_of_the_streams_stops(dut):
    """The bus answers: orders are taken as long as there is room, the others and reads of `observe` are reported; what was taken has its effect later."""
    bench = await begun(dut, "stream clock")
    regs = bench.regs
    beats = [Beat(bytes([k + 1]), True, 2) for k in range(8)]
    await bench.load(beats)
    await bench.fence()
    bench.m.forget()
    await bench.start_playing(0)
    await cycles(dut.clk_i, 40)
    bench.clock.stop()
    await Timer(10 * CLK, "ps")
    before, taken = await regs.read("orders"), 0
    while await regs.field("status", "order_ready"):
        await regs.write("window", index=taken)
        taken += 1
        assert await bench.events() == set()
    assert taken == 16 and await regs.read("orders") == before + taken
    await regs.write("play", stop=1)
    assert await bench.events() == {"order_lost"}
    assert await regs.read("orders") == before + taken
    assert await bench.count("now") == (1 << 64) - 1
    assert await bench.events() == {"order_lost", "observe_lost"}
    bench.clock.start()
    await bench.fence()
    assert await regs.field("observe.state", "playing")
    await regs.forget_events()
    await regs.write("play", stop=1)
    await bench.played()
    n = len(bench.m.beats)
    assert [b.data for b in bench.m.beats] == [b.data for b in (beats * n)[:n]]
    # In every cycle that there was.
    assert all(b - a == 3 for a, b in pairwise(bench.m.offered))


@cocotb.test(**TIMEOUT)
async def clock_of_the_bus_stops(dut):
    """The streams do not notice."""
    bench = await begun(dut, "bus clock")
    beats = random_beats(bench.random, bench.width, 30, bench.depth)
    times = 9
    await bench.load(beats)
    await bench.fence()
    bench.m.forget()
    await bench.start_playing(times)
    await bench.fence()
    bench.axil_clock.stop()
    while len(bench.m.beats) < times * len(beats):
        await RisingEdge(dut.clk_i)
    bench.check_times(beats, times)
    bench.axil_clock.start()
    await bench.played()


@cocotb.test(**TIMEOUT)
async def any_clock_any_reset(dut):
    """Resets of either side while clocks stop and slow down: the rules of the streams hold, and afterwards everything works."""
    bench = await begun(dut, "any clock")
    random = bench.random
    for _ in range(25):
        beats = random_beats(random, bench.width, 6, bench.depth)
        await bench.load(beats)
        await bench.start_playing(0)
        await cycles(dut.clk_i, random.randrange(60))
        clock = random.choice([bench.clock, bench.axil_clock])
        faltering = cocotb.start_soon(clock.falter(random, random.randrange(1, 300 * CLK)))
        for _ in range(random.choice([1, 1, 2])):
            pin = getattr(dut, random.choice(["arst_i", "axil_arst_i"]))
            await Timer(random.randrange(1, 200 * CLK), "ps")
            pin.value = 1
            await Timer(random.choice([1, 200, random.randrange(1, 80 * CLK)]), "ps")
            pin.value = 0
        await with_timeout(faltering, 1, "ms")
        await cycles(dut.axil_clk_i, 40)
        await bench.until("cleared")
        assert await bench.count("play_loaded") == 0
        while not bench.sink.empty():
            bench.sink.recv_nowait()
        bench.m.forget()
        await bench.load(beats)
        await bench.start_playing(1)
        await bench.played()
        bench.check_times(beats, 1)


def run(width, play, capture, counters):
    build_and_run(
        "traffic",
        rtl("prim", "axis", "traffic"),
        parameters={
            "Bytes": width,
            "PlayDepth": play,
            "CaptureDepth": capture,
            "CounterWidth": counters,
        },
        test_module=__name__,
        sync_jitter=True,
    )


@pytest.mark.parametrize(
    ("width", "play", "capture", "counters"),
    [
        (8, 20, 19, 48),
        pytest.param(5, 150, 131, 8, marks=pytest.mark.long),
        (2, 16, 16, 64),
    ],
)
def test_traffic(width, play, capture, counters):
    run(width, play, capture, counters)
