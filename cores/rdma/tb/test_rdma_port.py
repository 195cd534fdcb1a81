# SPDX-License-Identifier: Apache-2.0
"""rdma_port: descriptors word by word in any order, users that interleave, every refusal, states that are never lost."""

import itertools
import struct

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge
from cocotbext.axi import AxiBurstType, AxiBus, AxiMaster, AxiResp
from tb_common import ROOT, build_and_run, cycles, params, reset, rng, rtl, stall, start_clock

IDLE, ONGOING, DONE, ERROR = range(4)
PAGES = 4
STATE, COLLECTIVE = PAGES << 12, 0x400
MESSAGE, NOTIFY, LONG, READ = 1 << 38, 1 << 39, 1 << 40, 1 << 41


def number(data):
    return int.from_bytes(data, "little")


def header(size=100, priority=0, kind=0, flags=0, qos=0x15555):
    return size | priority << 32 | kind << 36 | flags | qos << 42


def line(first, destination=0x0002_0000_1234, source=0x0001_0000_5678, notification=0x4008):
    return struct.pack("<4Q", first, destination, source, notification)


def short(channel):
    """Where a descriptor of one line is written."""
    return 32 * channel


def long(channel):
    """Where one of two lines is written."""
    return 0x800 + 32 * channel


class Bench:
    """The bus, the Transfer Table as it is written, and the transfers that start."""

    def __init__(self, dut, random):
        self.dut, self.random = dut, random
        self.table, self.started, self.refusals = {}, [], []
        self.line_rate = 1.0
        start_clock(dut.clk_i, 1000)
        dut.finish_i.value = 0
        dut.line_ready_i.value = 0
        self.bus = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), dut.clk_i, dut.rst_i)

    async def start(self):
        await reset(self.dut.clk_i, self.dut.rst_i)
        cocotb.start_soon(self.watch())

    async def watch(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk_i)
            if dut.line_valid_o.value == 1 and dut.line_ready_i.value == 1:
                self.table[int(dut.line_index_o.value)] = int(dut.line_data_o.value)
            if dut.start_o.value == 1:
                where = int(dut.start_page_o.value), int(dut.start_channel_o.value)
                how = (
                    int(dut.start_packet_o.value),
                    int(dut.start_class_o.value),
                    int(dut.start_priority_o.value),
                )
                self.started.append((where, how))
            if dut.refused_o.value == 1:
                self.refusals.append(int(dut.refused_page_o.value))
            dut.line_ready_i.value = int(self.random.random() < self.line_rate)

    async def write(self, page, offset, data, **options):
        """Whether the write was taken."""
        answer = await self.bus.write(page << 12 | offset, data, **options)
        assert answer.resp in (AxiResp.OKAY, AxiResp.SLVERR)
        return answer.resp == AxiResp.OKAY

    async def post(self, page, offset, lines, order=None, size=8):
        """Writes lines in words of `size` bytes, in the given order of offsets; whether each was taken."""
        order = range(0, len(lines), size) if order is None else order
        return [await self.write(page, offset + at, lines[at : at + size]) for at in order]

    async def read(self, page, offset, length=8):
        # In one beat as narrow as the read, if the bus has it.
        narrow = length.bit_length() - 1 if 8 * length <= params()["DataWidth"] else None
        answer = await self.bus.read(STATE | page << 12 | offset, length, size=narrow)
        value = int.from_bytes(answer.data, "little")
        assert answer.resp in (AxiResp.OKAY, AxiResp.SLVERR)
        assert answer.resp == AxiResp.OKAY or value == 0
        return value if answer.resp == AxiResp.OKAY else None

    async def state(self, page, channel):
        return await self.read(page, 8 * channel)

    async def finish(self, page, channel, error=0):
        dut = self.dut
        await FallingEdge(dut.clk_i)
        dut.finish_page_i.value, dut.finish_channel_i.value = page, channel
        dut.finish_error_i.value = error
        dut.finish_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.finish_i.value = 0

    def take(self):
        """Starts since the last look."""
        found, self.started = self.started, []
        return found

    def line(self, page, channel):
        return self.table.get(page * 128 + channel)


async def begin(dut):
    bench = Bench(dut, rng("bench"))
    await bench.start()
    return bench


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def words_in_any_order(dut):
    """All 24 orders of the words of a line; nothing starts before the last of them."""
    bench = await begin(dut)
    for channel, order in enumerate(itertools.permutations((0, 8, 16, 24))):
        priority = channel % params()["Priorities"]
        data = line(header(1 + channel, priority, channel % 3))
        assert all(await bench.post(1, short(channel), data, order[:3]))
        assert bench.take() == [] and await bench.state(1, channel) == IDLE
        assert all(await bench.post(1, short(channel), data, order[3:]))
        assert bench.take() == [((1, channel), (0, channel % 3, priority))]
        assert bench.line(1, channel) == number(data)
        assert await bench.state(1, channel) == ONGOING


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def two_lines(dut):
    """The second line after the first, to an even channel and the one behind it; its words in any order too."""
    bench = await begin(dut)
    told = line(header(70000, 3, 2, NOTIFY | LONG)) + bytes(range(32))
    message = line(header(32, 0, 0, MESSAGE | LONG)) + bytes(range(32, 64))
    for channel, data, how in ((0, told, (0, 2, 3)), (62, message, (1, 0, 0))):
        order = [24, 0, 16, 8, 56, 40, 48, 32]
        assert all(await bench.post(2, long(channel), data, order[:7]))
        assert bench.take() == []
        assert all(await bench.post(2, long(channel), data, order[7:]))
        assert bench.take() == [((2, channel), how)]
        assert bench.line(2, channel) == number(data[:32])
        assert bench.line(2, channel + 1) == number(data[32:])
        assert await bench.state(2, channel) == ONGOING
        assert await bench.state(2, channel + 1) == IDLE
        # The channel behind it holds its second line: nothing else may be written there, until it
        # is over.
        assert await bench.post(2, short(channel + 1), line(header())) == [False] * 4
        await bench.finish(2, channel)
        assert await bench.post(2, short(channel + 1), line(header())) == [False] * 4
        assert await bench.state(2, channel) == DONE
        assert all(await bench.post(2, short(channel + 1), line(header())))
        # And the other way round: that channel is under way now.
        assert await bench.post(2, long(channel), data[:32]) == [False] * 4
        bench.take()
    # The second line first, also with the first line begun, and the first one again when the second
    # is awaited.
    assert await bench.post(3, long(4), told, [32, 56]) == [False, False]
    assert all(await bench.post(3, long(4), told, [0, 8]))
    assert await bench.post(3, long(4), told, [32]) == [False]
    assert all(await bench.post(3, long(4), told, [16, 24]))
    assert await bench.post(3, long(4), told, [0]) == [False]
    assert all(await bench.post(3, long(4), told, [32, 40, 48, 56]))
    assert bench.take() == [((3, 4), (0, 2, 3))]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def classes_of_two_lines(dut):
    """A descriptor of two lines is scheduled as its first line says, in every class and priority; the second says nothing."""
    bench = await begin(dut)
    order = [*range(0, 64, 8)]
    for kind, priority in itertools.product(range(3), range(params()["Priorities"])):
        first = line(header(70000, priority, kind, NOTIFY | LONG))
        second = bench.random.randbytes(32)
        channel = 2 * bench.random.randrange(32)
        assert all(await bench.post(2, long(channel), first + second, order))
        assert bench.take() == [((2, channel), (0, kind, priority))]
        await bench.finish(2, channel)
        assert await bench.state(2, channel) == DONE


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def every_pair_of_channels(dut):
    """Of all even channels some hold two lines and some one: those behind the former are not free,
    the others are, whatever they held before; and none is that is under way, or its second one."""
    bench = await begin(dut)
    both = line(header(32, 0, 0, MESSAGE | LONG)) + bytes(32)
    two = {channel: bench.random.random() < 0.5 for channel in range(0, 64, 2)}
    for _ in range(3):
        evens = bench.random.sample(range(0, 64, 2), 32)
        # Each holds two lines, and then one, or the other way round.
        two = {channel: not was for channel, was in two.items()}
        for channel in evens:
            where, data = (long, both) if two[channel] else (short, line(header()))
            assert await bench.write(2, where(channel), data)
        bench.random.shuffle(evens)
        for channel in evens:
            assert await bench.write(2, short(channel + 1), line(header())) == (not two[channel])
        # All are under way: nothing may be written to any of them.
        busy = len(bench.take())
        assert busy == 64 - sum(two.values())
        for channel in evens:
            for where in (short(channel), short(channel + 1)):
                assert not await bench.write(2, where, line(header()))
            assert not await bench.write(2, long(channel), both)
        for channel in evens:
            await bench.finish(2, channel)
        for half in (0, 8):
            await bench.read(2, COLLECTIVE + half)
        # The second of these is under way still.
        for channel in (channel for channel in evens if not two[channel]):
            assert not await bench.write(2, long(channel), both)
            await bench.finish(2, channel + 1)
        for half in (0, 8):
            await bench.read(2, COLLECTIVE + half)
        assert bench.take() == []


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def one_write(dut):
    """Bursts, and beats as wide as the bus; the message rate."""
    bench = await begin(dut)
    data = line(header(8, 0, 0, MESSAGE))
    assert await bench.write(0, short(5), data)
    assert bench.take() == [((0, 5), (1, 0, 0))] and bench.line(0, 5) == number(data)
    both = line(header(9, 0, 0, MESSAGE | LONG)) + bytes(range(32))
    assert await bench.write(0, long(6), both)
    assert bench.line(0, 7) == number(both[32:])
    # In narrow beats on a wider bus, and begun in the middle.
    assert await bench.write(0, long(8), both, size=3)
    assert await bench.write(0, short(10) + 8, data[8:])
    assert await bench.write(0, short(10), data[:8])
    assert [where for where, _ in bench.take()] == [(0, 6), (0, 8), (0, 10)]
    # One message in as many cycles as it has beats: those of 24 back to back.
    beats = max(256 // params()["DataWidth"], 1)
    starts = []

    async def watch():
        while True:
            await RisingEdge(dut.clk_i)
            if dut.start_o.value == 1:
                starts.append(cocotb.utils.get_sim_time("ps") // 1000)

    cocotb.start_soon(watch())
    events = [bench.bus.init_write(1 << 12 | short(c), data) for c in range(24)]
    for event in events:
        await event.wait()
    gaps = [b - a for a, b in itertools.pairwise(starts)]
    assert len(starts) == 24
    # The addresses need a head start at most: from the ninth message on they are there.
    assert gaps[8:] == [beats] * len(gaps[8:])


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def refusals(dut):
    """Each rule by itself: SLVERR, a count, nothing kept, and the neighbours unharmed."""
    bench = await begin(dut)
    top = (1 << 48) - 1
    good = [
        header(),
        header(2**32 - 1, params()["Priorities"] - 1, 2),
        header(8, flags=MESSAGE),
        header(1, flags=READ, kind=1),
    ]
    for first in good:
        assert all(await bench.post(0, short(1), line(first))), hex(first)
        await bench.finish(0, 1)
        assert await bench.state(0, 1) == DONE
    assert all(await bench.post(0, short(1), line(header(9), top - 9, top - 9)))
    starts = len(bench.take())
    assert starts == 5 and bench.refusals == []
    bad = [
        line(header(0)),
        line(header(kind=3)),
        line(header(9, flags=MESSAGE)),
        line(header(8, flags=MESSAGE, kind=1)),
        line(header(8, flags=MESSAGE | READ)),
        line(header(8, flags=MESSAGE | LONG)),
        line(header(flags=LONG)),
        line(header(flags=LONG | NOTIFY)),
        line(header(9), top - 8, 0),
        line(header(9), 0, top - 8),
        line(header(flags=NOTIFY), notification=4),
    ]
    if params()["Priorities"] < 16:
        bad.append(line(header(priority=params()["Priorities"])))
    for data in bad:
        assert await bench.post(0, short(2), data) == [True, True, True, False], data.hex()
    for first in (
        header(33, flags=MESSAGE | LONG),
        header(8, flags=MESSAGE | LONG),
        header(flags=LONG),
        header(flags=LONG | NOTIFY | READ),
        header(),
    ):
        assert (await bench.post(0, long(2), line(first)))[-1] is False, hex(first)
    assert len(bench.refusals) == len(bad) + 5
    # Half words, a channel under way, other lines than the one that is begun.
    assert not await bench.write(0, short(3), bytes(4))
    assert not await bench.write(0, short(3) + 4, bytes(8))
    assert not await bench.write(0, short(1), bytes(8))
    assert await bench.write(0, short(6), line(header())[:8])
    assert not await bench.write(0, long(6) + 8, bytes(8))
    assert await bench.write(PAGES | 0, 0, bytes(8))
    assert await bench.write(0, short(3), line(header())[:8])
    assert not await bench.write(0, short(4), bytes(8))
    assert not await bench.write(0, long(2), bytes(8))
    assert all(await bench.post(0, short(3), line(header()), [8, 16, 24]))
    # The other pages did not notice, nor does the state window take anything but the word to
    # forget.
    assert all(await bench.post(1, short(4), line(header())))
    assert not await bench.write(PAGES | 1, 8, bytes(8))
    assert not await bench.write(0, short(5), bytes(16), burst=AxiBurstType.FIXED, size=3)
    assert bench.take() == [((0, 3), (0, 0, 0)), ((1, 4), (0, 0, 0))]
    assert set(bench.refusals) == {0, 1}


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def bursts_and_single_reads(dut):
    """A refused beat that is not the last one, a burst that begins within a beat; a read of one channel leaves the others as they are."""
    bench = await begin(dut)
    good = line(header())
    assert not await bench.write(1, short(6), line(header(size=0)) + good)
    assert [where for where, _ in bench.take()] == [(1, 7)]
    assert await bench.write(1, short(8), good[:8])
    assert await bench.write(1, short(8) + 8, good[8:] + good)
    assert [where for where, _ in bench.take()] == [(1, 8), (1, 9)]
    for channel in (8, 9):
        await bench.finish(1, channel)
    # Descriptors cannot be read, and nothing is seen by trying.
    answer = await bench.bus.read(1 << 12 | COLLECTIVE, 8, size=3)
    assert answer.resp == AxiResp.SLVERR
    assert await bench.state(1, 8) == DONE and await bench.state(1, 8) == IDLE
    assert await bench.state(1, 9) == DONE


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def forgotten(dut):
    """A descriptor that nobody will finish is given up by a write to the state window."""
    bench = await begin(dut)
    data = line(header(9, 0, 0, MESSAGE | LONG)) + bytes(32)
    for begun in ([0], [0, 8, 16, 24], [0, 8, 16, 24, 48]):
        assert all(await bench.post(1, long(0), data, begun))
        assert not await bench.write(1, short(5), bytes(8))
        assert await bench.write(PAGES | 1, 0, bytes(8))
        assert await bench.post(1, long(0), data, [32]) == [False]
    assert all(await bench.post(1, short(5), line(header())))
    assert bench.take() == [((1, 5), (0, 0, 0))]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def collective_reads(dut):
    """32 or 64 channels in one read, which makes idle what it returns and nothing else."""
    bench = await begin(dut)
    wide = params()["DataWidth"] >= 128
    for channel in range(64):
        assert await bench.write(0, short(channel), line(header()))
    assert await bench.read(0, COLLECTIVE) == number(b"\x55" * 8)
    for channel in (0, 31, 32, 63):
        await bench.finish(0, channel, channel == 63)
    expected = 0x5555_5555_5555_5555 ^ 3 << 0 ^ 3 << 62
    assert await bench.read(0, COLLECTIVE) == expected
    assert await bench.read(0, COLLECTIVE) == 0x1555_5555_5555_5554
    # The other half was not touched by that.
    upper = 0xD555_5555_5555_5556
    if wide:
        both = upper << 64 | 0x1555_5555_5555_5554
        assert await bench.read(0, COLLECTIVE, 16) == both
        assert await bench.read(0, COLLECTIVE, 16) == 0x1555_5555_5555_5554_1555_5555_5555_5554
    else:
        assert await bench.read(0, COLLECTIVE, 16) is None
        assert await bench.read(0, COLLECTIVE + 8) == upper
    # What cannot be read is refused and changes nothing.
    await bench.finish(0, 7, 0)
    for page, offset, length in (
        (0, 0x200, 8),
        (0, 0x410, 8),
        (0, 0x404, 4),
        (0, 56, 4),
        (0, 56, 16),
        (0, 0, 512),
    ):
        assert await bench.read(page, offset, length) is None, hex(offset)
    answer = await bench.bus.read(56, 8)  # a descriptor is not told
    assert answer.resp == AxiResp.SLVERR and not any(answer.data)
    assert [await bench.state(0, 7), await bench.state(0, 7)] == [DONE, IDLE]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def every_channel_ends_by_itself(dut):
    """All channels of a page end in any order, each well or not: no other one's end changes how one
    has ended, and when that was read all are idle, however often they were used before."""
    bench = await begin(dut)

    async def states():
        return await bench.read(1, COLLECTIVE) | await bench.read(1, COLLECTIVE + 8) << 64

    for _ in range(2):
        channels = list(range(64))
        for channel in channels:
            assert await bench.write(1, short(channel), line(header()))
        assert await states() == number(bytes([0x55] * 16))
        bench.random.shuffle(channels)
        ends = {channel: bench.random.getrandbits(1) for channel in channels}
        for channel in channels:
            await bench.finish(1, channel, ends[channel])
        wanted = sum((ERROR if ends[channel] else DONE) << 2 * channel for channel in channels)
        assert await states() == wanted
        assert await states() == 0
        assert [await bench.state(1, channel) for channel in channels] == [IDLE] * 64


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def interleaved_users(dut):
    """One user for each page, all at once, with stalls everywhere: each sees its own transfers and nothing else."""
    random, bench = rng("users"), await begin(dut)
    bench.line_rate = 0.5
    stall(bench.bus, random, 0.3)
    ended = {}

    async def answers():
        """Ends what has started, in any order, well or not."""
        while True:
            await cycles(dut.clk_i, random.randrange(1, 20))
            for where, _ in random.sample(bench.started, min(3, len(bench.started))):
                if where not in ended:
                    ended[where] = random.getrandbits(1)
                    await bench.finish(*where, ended[where])

    async def user(page):
        draw = rng(f"user {page}")
        for channel in draw.sample(range(0, 64, 2), 10):
            size = draw.choice((8, params()["DataWidth"] // 8))
            if draw.random() < 0.5:
                data = line(header(draw.randrange(9, 33), flags=MESSAGE | LONG)) + draw.randbytes(
                    32
                )
                first = draw.sample(range(0, 32, size), 32 // size)
                order = first + draw.sample(range(32, 64, size), 32 // size)
                offset = long(channel)
            else:
                data = line(header(draw.randrange(1, 1 << 32), kind=draw.randrange(3)))
                order = draw.sample(range(0, 32, size), 32 // size)
                offset = short(channel)
            if page == 0 and draw.random() < 0.5:
                # A hostile one: nonsense in front, and it goes on all the same.
                assert not all(await bench.post(page, short(channel), line(header(0))))
            assert all(await bench.post(page, offset, data, order, size))
            for at in range(0, len(data), 32):
                assert bench.line(page, channel + at // 32) == number(data[at : at + 32])
            status = ONGOING
            while status == ONGOING:
                word = await bench.read(page, COLLECTIVE + 8 * (channel // 32))
                status = word >> 2 * (channel % 32) & 3
                assert word & ~(3 << 2 * (channel % 32)) == 0, (
                    "another channel of a page with one user"
                )
            assert status == DONE + ended[page, channel]

    cocotb.start_soon(answers())
    users = [cocotb.start_soon(user(page)) for page in range(PAGES)]
    for task in users:
        await task
    assert len(bench.started) == 10 * PAGES
    assert set(bench.refusals) <= {0}


@pytest.mark.parametrize(("width", "priorities"), [(64, 16), (128, 7), (256, 16)])
def test_rdma_port(width, priorities):
    sources = [*rtl("prim", "rdma"), ROOT / "cores/rdma/tb/rdma_port_bench.sv"]
    parameters = {"DataWidth": width, "Pages": PAGES, "Priorities": priorities}
    build_and_run("rdma_port_bench", sources, parameters, __name__)
