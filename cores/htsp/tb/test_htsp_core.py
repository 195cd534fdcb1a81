# SPDX-License-Identifier: Apache-2.0
"""Two ends of HTSP over lines that lose and damage frames: traffic, latency, overhead, pause, losses, links that go down."""

import itertools
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from ends import WORD, Ends, payload
from packed import field
from tb_common import ROOT, build_and_run, cycles, params, rtl
from tb_common.waves import Waveform, level, shown

HERE = Path(__file__).resolve().parent
VECTORS = ROOT / "crates" / "wire" / "vectors" / "htsp"
SIZES = (1, 2, 63, 64, 65, 127, 128, 129, 1000, 8191, 8192, 8193)


# What a narrow stream changes.
NARROW = [
    "latency", "overhead", "random_traffic", "lost_fragments", "bad_keep", "pause_of_a_lone_channel", "stalled_source",
    "slow_line", "damaged_frames", "line_cut",
]  # fmt: skip


def one(ends, stream, size, **more):
    """Queues the next packet of a stream."""
    data = payload(stream, len(ends.sent[stream]), size)
    ends.send(stream, data, **more)
    return data


@cocotb.test()
async def link_up(dut):
    """The first headers bring the link up, without waiting for a timer."""
    ends = Ends(dut, "up")
    await ends.start(up=False)
    while not (dut.link_up_o.value == 3 and dut.remote_ready_o.value == 3):
        await RisingEdge(dut.clk_i)
        assert ends.cycle < 100
    dut._log.info("both ready after %d cycles", ends.cycle)
    assert ends.cycle <= 20
    first, second = ends.frames[0][:2]
    assert first[:6] == b"\xff" * 6 and second[21] == 1
    # Peer unknown, nothing paused, the receiver not ready.
    fields = b"\xff" * 6 + ends.macs[0] + ends.ethertype + b"\x01\0\0\0\xff" + bytes(11)
    assert first == fields + (0xFFFF - sum(fields)).to_bytes(2, "little") + bytes(32)


@cocotb.test()
async def idle_headers(dut):
    """Without traffic a header goes out every interval + 2 cycles."""
    ends = Ends(dut, "idle")
    await ends.start()
    await cycles(dut.clk_i, 1000)
    at = ends.frame_at[0][-5:]
    assert [b - a for a, b in itertools.pairwise(at)] == [129] * 4
    tids = [frame[15] for frame in ends.frames[0]]
    assert tids == list(range(len(tids)))


@cocotb.test()
async def latency(dut):
    """Eight cycles from the first word in to the first word out, two of them on the line, whatever the length.

    With n beats to a word each word waits for its beats where they are joined, and in front of the footer.
    """
    ends = Ends(dut, "latency")
    await ends.start()
    for size in SIZES:
        await cycles(dut.clk_i, 20)
        while dut.tx_null_o.value != 0 or ends.line[0]:
            await RisingEdge(dut.clk_i)
        words = len(ends.accepted_at[0]), len(ends.taken_at[ends.channels])
        one(ends, 0, size)
        await ends.idle()
        took = ends.taken_at[ends.channels][words[1]] - ends.accepted_at[0][words[0]]
        first, behind = min(-(-size // ends.beat), ends.slow), size > WORD
        least = 8 + (first - 1) + (2 + behind) * (ends.slow - 1)
        # Longer if a header alone was on its way.
        assert least <= took <= least + ends.slow, f"{size} bytes: {took} cycles"
    ends.check_clean()


@cocotb.test()
async def as_pictured(dut):
    """The picture of the book: a packet of three words on the line, in one burst."""
    ends = Ends(dut, "pictured")
    await ends.start()
    await cycles(dut.clk_i, 20)
    while dut.tx_null_o.value != 0 or ends.line[0]:
        await RisingEdge(dut.clk_i)
    data = payload(0, 0, 3 * WORD)
    names = {data[WORD * n : WORD * (n + 1)]: f"w{n}" for n in range(3)}
    place = 0  # in the frame

    def word(signal, index):
        bits = int(signal.value) >> 8 * WORD * index & (1 << 8 * WORD) - 1
        return names.get(bits.to_bytes(WORD, "little"))

    def on_line():
        nonlocal place
        if not int(dut.phy_tvalid.value) & 1:
            return None
        last = int(dut.phy_tlast.value) & 1
        said = "head" if place == 0 else "foot" if last else word(dut.phy_tdata, 0)
        place = 0 if last else place + 1
        return said

    source, sink = level(dut.s_axis_tvalid), level(dut.m_axis_tvalid, ends.channels)
    wave = Waveform(
        dut.clk_i,
        {
            "A: s_axis_tvalid": source,
            "A: s_axis_tready": level(dut.s_axis_tready),
            "A: s_axis_tdata": shown(source, lambda: word(dut.s_axis_tdata, 0)),
            "A: s_axis_tlast": shown(source, level(dut.s_axis_tlast)),
            "line A to B": on_line,
            "B: m_axis_tvalid": sink,
            "B: m_axis_tdata": shown(sink, lambda: word(dut.m_axis_tdata, ends.channels)),
            "B: m_axis_tlast": shown(sink, level(dut.m_axis_tlast, ends.channels)),
        },
    )
    task = cocotb.start_soon(wave.record(18))
    ends.send(0, data)
    await task
    await ends.idle()
    ends.check_clean()
    wave.check("htsp-packet")


@cocotb.test()
async def overhead(dut):
    """Two cycles for each burst: header and footer; with n beats to a word, n + 1."""
    ends = Ends(dut, "overhead")
    await ends.start()
    # A narrow end takes longer: fewer of them.
    for size in (1, 64, 256, 1024, 8192, 20000)[:: ends.slow]:
        await ends.idle()
        seen = len(ends.frame_at[0])
        for _ in range(12):
            one(ends, 0, size)
        await ends.idle()
        data = [
            at
            for at, frame in zip(ends.frame_at[0], ends.frames[0], strict=True)
            if frame[18] != 255
        ]
        at = data[-(len(ends.frame_at[0]) - seen) :]
        words = -(-size // WORD)
        bursts = -(-words // 128)
        starts = [t for t in at if t >= ends.frame_at[0][seen]]
        per = (starts[10 * bursts] - starts[2 * bursts]) / 8
        assert per == ends.slow * (words + bursts) + bursts, f"{size} bytes: {per} cycles a packet"
    ends.check_clean()


@cocotb.test()
async def burst_lengths(dut):
    """A channel that has more fills its burst, whatever length is set, and not a word more."""
    ends = Ends(dut, "lengths")
    await ends.start()
    for end, burst in itertools.product((0, 1), (1, 2, 3, 5, 8, 16, 33, 64, 100, 127)):
        await ends.idle()
        dut.burst_i.value = burst << 8 * end | 128 << 8 * (1 - end)
        seen = len(ends.frames[end])
        one(ends, end * ends.channels, (burst + 1) * WORD)
        await ends.idle()
        sizes = [len(frame) for frame in ends.frames[end][seen:] if frame[18] != 255]
        assert sizes == [WORD + words * WORD + 6 for words in (burst, 1)], burst
    ends.check_clean()


@cocotb.test()
async def random_traffic(dut):
    """Both ways, all channels, any sizes and rates: once, in order, unchanged, never an overflow."""
    ends = Ends(dut, "random")
    await ends.start(burst=8)
    for _ in range(6):
        for stream in range(ends.streams):
            ends.rate[stream] = ends.random.choice((0.2, 0.7, 1.0))
            ends.take[stream] = ends.random.choice((0.3, 0.8, 1.0))
            for _ in range(ends.random.randrange(8)):
                one(ends, stream, ends.random.randint(1, 1500), error=ends.random.random() < 0.1)
        await ends.idle()
    ends.check_clean()
    for name in (
        "rx_overflow",
        "rx_lost",
        "rx_orphan",
        "rx_damaged",
        "rx_footer_bad",
        "rx_cut",
        "tx_cut",
    ):
        assert ends.events[name, 0] == ends.events[name, 1] == 0, name
    await ends.check_counts()


@cocotb.test()
async def addresses(dut):
    """Each end knows the address of its peer from the headers, and sends to it as soon as it is ready."""
    ends = Ends(dut, "addresses")
    await ends.start()
    for turn in range(12):
        dut.rst_i.value = 3
        ends.address()
        await cycles(dut.clk_i, 4)
        dut.rst_i.value = 0
        await ends.wait_up()
        # A header that was made before the peer was ready may be on its way.
        await cycles(dut.clk_i, 10)
        ends.frames = [[], []]
        for stream in range(ends.streams):
            one(ends, stream, 200 + turn)
        await cycles(dut.clk_i, 300)
        for end in (0, 1):
            fields = ends.macs[1 - end] + ends.macs[end] + ends.ethertype
            assert {frame[:14] for frame in ends.frames[end]} == {fields}
            assert field(dut.remote_mac_o, end, 48).to_bytes(6, "little") == ends.macs[1 - end]


@cocotb.test()
async def any_wrong_bit_of_an_address(dut):
    """One wrong bit of the address or of the EtherType, untold: the frame is foreign. One of the version: of another version."""
    ends = Ends(dut, "foreign")
    await ends.start()
    for end, bit in itertools.product((0, 1), (*range(48), *range(96, 120))):
        stream, other = end * ends.channels, 1 - end
        await ends.fault(0, bit=bit, end=end)
        one(ends, stream, 64)
        whole = one(ends, stream, 65)
        await ends.idle(200)
        assert ends.events["rx_version" if bit >= 112 else "rx_foreign", other] == 1, bit
        assert (ends.events["rx_checksum", other], ends.events["rx_lost", other]) == (0, 1)
        assert ends.received[ends.peer(stream)].pop() == (whole, False)
        ends.events.clear()
    assert not any(ends.received)


@cocotb.test()
async def turns(dut):
    """Saturated channels take turns, one burst each."""
    ends = Ends(dut, "turns")
    await ends.start(burst=4)
    for stream in range(ends.channels):
        one(ends, stream, 64 * 40)
    await ends.idle()
    order = [frame[18] for frame in ends.frames[0] if frame[18] != 255]
    steady = order[ends.channels : 6 * ends.channels]
    assert steady == [steady[i % ends.channels] for i in range(len(steady))]
    assert sorted(set(steady)) == list(range(ends.channels))
    ends.check_clean()


@cocotb.test()
async def pause_of_a_lone_channel(dut):
    """A lone channel that always has words stops at the end of its burst; nothing overflows."""
    ends = Ends(dut, "lone")
    await ends.start(burst=8)
    to = ends.peer(0)
    ends.take[to] = 0.0
    for _ in range(10):
        one(ends, 0, 64 * 30)
    await cycles(dut.clk_i, 400)
    assert ends.received[to] == []
    words = sum((len(f) - 70) // 64 for f in ends.frames[0] if f[18] == 0)
    # Up to the threshold, and what was on its way: the news, a burst that had begun, the line.
    assert 16 <= words <= 16 + 2 * 8 + 8, words
    assert ends.events["tx_null", 0] > 1, "headers alone go on"
    ends.take[to] = 1.0
    await ends.idle()
    ends.check_clean()
    assert ends.events["rx_overflow", 1] == 0


@cocotb.test()
async def pause_leaves_the_others_alone(dut):
    """One channel paused for ever: the others lose at most one burst."""
    ends = Ends(dut, "others")
    await ends.start(burst=8)
    to = ends.peer(1)
    ends.take[to] = 0.0
    for stream in (0, 1):
        for _ in range(20):
            one(ends, stream, 64 * 16)
    await cycles(dut.clk_i, 100)
    start = len(ends.taken_at[ends.peer(0)])
    await cycles(dut.clk_i, 200)
    assert len(ends.taken_at[ends.peer(0)]) - start >= 200 * 8 // 10 - 8
    ends.take[to] = 1.0
    await ends.idle()
    ends.check_clean()


@cocotb.test()
async def pause_of_each_channel(dut):
    """A channel that nobody reads is paused, and no other one: both ends say the same, until it is read again."""
    ends = Ends(dut, "each")
    await ends.start(burst=8)
    for stream in range(ends.streams):
        to, bit = ends.peer(stream), 1 << stream % ends.channels
        end = to // ends.channels
        ends.take[to] = 0.0
        for _ in range(8):
            one(ends, stream, 64 * 8)
        await cycles(dut.clk_i, 200 * ends.slow)
        for state, paused in ((bit, False), (0, True)):
            assert field(dut.local_pause_o, end, ends.channels) == state, stream
            assert field(dut.remote_pause_o, 1 - end, 16) == state, stream
            assert field(dut.local_pause_o, 1 - end, ends.channels) == 0
            assert field(dut.remote_pause_o, end, 16) == 0
            if not paused:
                ends.take[to] = 1.0
                await ends.idle()
                await cycles(dut.clk_i, 20 * ends.slow)
    ends.check_clean()
    assert not any(ends.by_channel.values())


@cocotb.test()
async def stalled_source(dut):
    """A source that stops inside a packet holds up neither headers nor the other channels, and no frame has a gap."""
    ends = Ends(dut, "stall")
    await ends.start()
    one(ends, 0, 64 * 10, gap=(5 * ends.slow, 600))
    await cycles(dut.clk_i, 20)
    nulls = ends.events["tx_null", 0]
    one(ends, 1, 200)
    await cycles(dut.clk_i, 300)
    assert ends.received[ends.peer(1)] == ends.sent[1]
    assert ends.events["tx_null", 0] >= nulls + 2
    await ends.idle()
    ends.check_clean()


@cocotb.test()
async def stall_limit(dut):
    """With a limit the burst waits for its source that long."""
    ends = Ends(dut, "limit")
    await ends.start()
    ends.gapless = False
    for end, limit in itertools.product((0, 1), (1, 2, 4, 5, 8, 16, 32, 64, 128, 255)):
        dut.stall_limit_i.value = limit << 8 * end
        for gap, bursts in ((limit - 1, 1), (limit + 3, 2)):
            before = ends.events["tx_frame", end]
            one(ends, end * ends.channels, 64 * 10, gap=(5, gap))
            await cycles(dut.clk_i, gap)
            await ends.idle()
            assert ends.events["tx_frame", end] - before == bursts, f"{limit}, {gap}"
    ends.check_clean()


@cocotb.test()
async def slow_line(dut):
    """A line that does not take every word: nothing changes but the time."""
    ends = Ends(dut, "slow")
    await ends.start(burst=8)
    ends.interval = 0  # of headers as they leave the core; the line changes it

    async def hold():
        while True:
            dut.ready_i.value = ends.random.getrandbits(2)
            await RisingEdge(dut.clk_i)

    task = cocotb.start_soon(hold())
    for stream in range(ends.streams):
        for _ in range(6):
            one(ends, stream, ends.random.randint(1, 1000))
    await ends.idle()
    task.cancel()
    dut.ready_i.value = 3
    ends.take_words()
    ends.check_clean()
    await ends.check_counts()


@cocotb.test()
async def lost_fragments(dut):
    """First, middle and last burst of a packet lost: the packet is marked, those behind it arrive."""
    ends = Ends(dut, "lost")
    await ends.start(burst=4)
    for end, which in itertools.product((0, 1), range(3)):
        stream, other = end * ends.channels, 1 - end
        await ends.fault(which, drop=1, end=end)
        one(ends, stream, 64 * 12)
        whole = one(ends, stream, 500)
        await ends.idle()
        await cycles(dut.clk_i, 300)
        came = ends.received[ends.peer(stream)]
        # Without its first burst nothing was begun that could be marked: the count of lost frames
        # tells.
        assert [error for _, error in came] == ([False] if which == 0 else [True, False]), which
        assert came[-1][0] == whole
        assert ends.events["rx_lost", other] == 1
        # Bursts behind the lost one belong to nothing.
        assert ends.events["rx_orphan", other] == (2, 1, 0)[which]
        came.clear()
        ends.events.clear()


@cocotb.test()
async def damaged_frames(dut):
    """One wrong bit anywhere in a burst, told by the check sequence: nothing wrong comes out as good."""
    ends = Ends(dut, "damaged")
    await ends.start(burst=4)
    for word in range(6):
        for _ in range(6):
            bit = ends.random.randrange(48 if word == 5 else 512)
            end = ends.random.randrange(2)
            streams = [end * ends.channels + channel for channel in (0, 1)]
            await ends.fault(ends.random.randrange(6), told=1, word=word, bit=bit, end=end)
            for stream in streams:
                for size in (64 * 12, 300, 64 * 9):
                    one(ends, stream, size)
            await ends.idle()
            await cycles(dut.clk_i, 200)
            assert ends.events["rx_lost", 1 - end] == 1, (word, bit)
            # A wrong header is refused before the check sequence has come.
            assert ends.events["rx_damaged", 1 - end] == (word > 0), (word, bit)
            ends.events.clear()
            # A packet of one burst may vanish; the count of lost frames tells.
            ends.check_marked(streams, lost_whole=1)
            for stream in streams:
                ends.sent[stream].clear()
                ends.received[ends.peer(stream)].clear()


@cocotb.test()
async def damaged_header_untold(dut):
    """A wrong bit in a header, which nothing but the header's own sum tells: the frame is refused, not read on."""
    ends = Ends(dut, "header")
    await ends.start(burst=4)
    turns = 40
    for turn in range(turns):
        bit, end = ends.random.randrange(512), turn % 2
        await ends.fault(ends.random.randrange(6), bit=bit, end=end)
        for channel in (0, 1):
            one(ends, end * ends.channels + channel, 64 * 12)
        await ends.idle()
    # A loss of the last frame shows at the header alone that follows it.
    await cycles(dut.clk_i, 300)
    reasons = ("rx_foreign", "rx_version", "rx_checksum")
    for end in (0, 1):
        assert sum(ends.events[name, end] for name in reasons) == turns // 2
        # The first burst of a packet may be the one: its packet leaves no mark, only the count.
        streams = [end * ends.channels + channel for channel in (0, 1)]
        ends.check_marked(streams, lost_whole=turns // 2)
        assert ends.events["rx_lost", end] == turns // 2


@cocotb.test()
async def footer_untold(dut):
    """A wrong bit in a footer that changes what counts, told by nothing: the packet is marked, the link stays up."""
    ends = Ends(dut, "footer")
    await ends.start(burst=4)
    bits = (*range(7), *range(32, 48))
    for end, bit in itertools.product((0, 1), bits):
        await ends.fault(0, word=4, bit=bit, end=end)
        one(ends, end * ends.channels, 64 * 3)
        await ends.idle()
        assert ends.events["rx_footer_bad", 1 - end] == 1, bit
        ends.events.clear()
        assert dut.link_up_o.value == 3
    for end in (0, 1):
        marks = [error for _, error in ends.received[end * ends.channels]]
        assert marks == [True] * len(bits)


@cocotb.test()
async def line_cut(dut):
    """The line goes away at any word of a packet: the packet is marked, the next one is whole."""
    ends = Ends(dut, "cut")
    await ends.start(burst=4)
    for at in range(3, 40):
        for stream in range(ends.streams):
            one(ends, stream, 64 * 5)
            one(ends, stream, 100)
        await cycles(dut.clk_i, at)
        dut.cut_i.value = ends.random.choice((1, 2, 3))
        await cycles(dut.clk_i, ends.random.choice((1, 5, 50)))
        dut.cut_i.value = 0
        await ends.wait_up()
        await ends.idle()
        await cycles(dut.clk_i, 150)
    # Whole packets of one frame may have been on the line.
    ends.check_marked(range(ends.streams), lost_whole=6 * 37)
    for stream in range(ends.streams):
        good = [data for data, error in ends.received[ends.peer(stream)] if not error]
        assert good
    dut.cut_i.value = 0
    await ends.idle()
    seen = [len(r) for r in ends.received]
    for stream in range(ends.streams):
        one(ends, stream, 1000)
    await ends.idle()
    for stream in range(ends.streams):
        came = ends.received[ends.peer(stream)][seen[ends.peer(stream)] :]
        assert came == [ends.sent[stream][-1]], "the link is as good as new"


@cocotb.test()
async def silence(dut):
    """Frames that no longer come: the link goes down after the alive time, and both users are told."""
    ends = Ends(dut, "silence")
    await ends.start(burst=4)
    one(ends, 0, 64 * 30, gap=(10, 3000))
    await cycles(dut.clk_i, 60)
    dut.deaf_i.value = 1
    for _ in range(1300):
        await RisingEdge(dut.clk_i)
        if dut.link_up_o.value == 1:
            break
    else:
        raise AssertionError("B still has link")
    await cycles(dut.clk_i, 300)
    assert dut.remote_ready_o.value == 0, "A is told by the headers of B"
    assert ends.events["tx_cut", 0] == 1 and ends.events["rx_cut", 1] == 1
    dut.deaf_i.value = 0
    await ends.wait_up()
    one(ends, 0, 640)
    await ends.idle()
    assert [error for _, error in ends.received[ends.peer(0)]] == [True, False]
    assert ends.received[ends.peer(0)][1] == ends.sent[0][1]


@cocotb.test()
async def reset_of_one_end(dut):
    """One end starts anew at any moment: no stale word, no joined packets; what was cut is marked or was never begun."""
    ends = Ends(dut, "reset")
    await ends.start(burst=4)
    for at in range(3, 60, 3):
        # From end 1, which lives on: its sources and its sinks are the judges.
        for stream in range(ends.channels, ends.streams):
            one(ends, stream, 64 * 5)
            one(ends, stream, 64 * 5)
        await cycles(dut.clk_i, at)
        dut.rst_i.value = 1
        for stream in range(ends.channels):
            ends.part[stream] = b""  # a buffer that was reset
        await cycles(dut.clk_i, 3)
        dut.rst_i.value = 0
        await ends.wait_up()
        await ends.idle()
        seen = [len(r) for r in ends.received]
        for stream in range(ends.streams):
            one(ends, stream, 777)
        await ends.idle()
        await cycles(dut.clk_i, 150)
        for stream in range(ends.streams):
            came = ends.received[ends.peer(stream)][seen[ends.peer(stream)] :]
            assert came == [ends.sent[stream][-1]]


@cocotb.test()
async def overflow(dut):
    """A sender that ignores pause: what has no room is marked, nothing is shortened or joined in silence."""
    ends = Ends(dut, "overflow")
    await ends.start(burst=8)
    dut.ignore_remote_i.value = 1
    for stream in (0, 1):
        ends.take[ends.peer(stream)] = 0.15
        for _ in range(60):
            one(ends, stream, ends.random.choice((64, 100, 64 * 20)))
    await ends.idle(60000)
    for stream in (0, 1):
        ends.take[ends.peer(stream)] = 1.0
        one(ends, stream, 640)
    await ends.idle()
    assert ends.events["rx_overflow", 1] > 10
    for stream in (0, 1):
        came = ends.received[ends.peer(stream)]
        assert came[-1] == ends.sent[stream][-1]
        # A mark may stand for several packets, but there is one wherever packets are missing.
        at = 0
        for before, (data, error) in zip([(b"", False), *came], came, strict=False):
            if error:
                continue
            index = next(
                i for i, (sent, _) in enumerate(ends.sent[stream]) if i >= at and sent == data
            )
            assert index == at or before[1], "packets are missing without a mark"
            at = index + 1


@cocotb.test()
async def overflow_of_each_channel(dut):
    """A packet for which there is no room counts as an overflow of its channel, ends in error, and harms no other channel."""
    ends = Ends(dut, "no room")
    await ends.start(burst=8)
    dut.ignore_remote_i.value = 3
    for stream in range(ends.streams):
        to, packets = ends.peer(stream), 4
        ends.take[to] = 0.0
        for _ in range(12):
            one(ends, stream, 64 * 8)
        await cycles(dut.clk_i, 200 * ends.slow)
        for other in range(ends.streams):
            if other != stream:
                one(ends, other, 100)
        before = ends.by_channel["rx_overflow", to]
        for _ in range(packets):
            one(ends, stream, 64 * 3)
        await ends.idle()
        assert ends.by_channel["rx_overflow", to] - before == packets
        assert before == 12 - 64 // 8, "packets for which there was no room"
        ends.take[to] = 1.0
        await ends.idle()
        one(ends, stream, 64)
        await ends.idle()
        for other in range(ends.streams):
            came, sent = ends.received[ends.peer(other)], ends.sent[other]
            if other != stream:
                assert came == sent, f"{other} beside {stream}"
            else:
                assert came[:8] == sent[:8] and came[8][1] and came[9:] == sent[-1:]
            came.clear()
            sent.clear()
        ends.by_channel.clear()
    assert ends.events["rx_cut", 0] == ends.events["rx_cut", 1] == 0


@cocotb.test()
async def op_codes(dut):
    """Op-codes of both ends ride on headers, each once, in order; user data is the newest."""
    ends = Ends(dut, "op")
    await ends.start(burst=4)
    widths = {"s_opcode_tdata": 128, "s_opcode_tvalid": 1, "user_data_i": 128}
    pins = {name: [0, 0] for name in widths}

    def put(end, **values):
        for name, value in values.items():
            pins[name][end] = value
            getattr(dut, name).value = pins[name][1] << widths[name] | pins[name][0]

    async def says(end, codes):
        for i, code in enumerate(codes):
            if i == 10 and end == 0:
                for _ in range(20):
                    one(ends, 2, 64 * 12)
            put(end, s_opcode_tdata=code, s_opcode_tvalid=1, user_data_i=code ^ 1)
            await RisingEdge(dut.clk_i)
            while not int(dut.s_opcode_tready.value) >> end & 1:
                await RisingEdge(dut.clk_i)
            put(end, s_opcode_tvalid=0)
            await cycles(dut.clk_i, ends.random.choice((0, 0, 7, 40)))

    codes = [[ends.random.getrandbits(128) for _ in range(30)] for _ in range(2)]
    both = [cocotb.start_soon(says(end, codes[end])) for end in range(2)]
    for one_end in both:
        await one_end
    await ends.idle()
    await cycles(dut.clk_i, 200)
    for end in range(2):
        assert ends.op_codes[1 - end] == codes[end] and ends.events["tx_op_code", end] == 30
        seen = int(dut.remote_data_o.value) >> 128 * (1 - end) & (1 << 128) - 1
        assert seen == codes[end][-1] ^ 1
    ends.check_clean()


@cocotb.test()
async def bad_keep(dut):
    """A word of the user that breaks the rules of TKEEP ends its packet with a mark."""
    ends = Ends(dut, "keep")
    await ends.start()
    for _ in range(3):
        one(ends, 0, 64 * 3)
    words = list(ends.queue[0])
    words[1][1] = ends.beat - 4  # partial without TLAST
    words[-1][1] = 0  # nothing with TLAST
    await ends.idle()
    assert [error for _, error in ends.received[ends.peer(0)]] == [True, False, True]
    assert ends.received[ends.peer(0)][1] == ends.sent[0][1]
    assert ends.events["tx_bad", 0] == 2


@cocotb.test()
async def tuser(dut):
    """TUSER of the first and of the last beat goes with its packet between ends that carry it, whatever is lost on the
    line; towards an end that does not, footers are those of the published core."""
    ends = Ends(dut, "tuser")
    await ends.start(burst=3)
    carried = params()["Tuser"] == 3
    given = {}
    for number in range(120):
        for stream in range(ends.streams):
            size = ends.random.choice(
                (1, ends.beat, ends.beat + 1, ends.random.randrange(1, 64 * 7))
            )
            data = payload(stream, number, max(size, 5))
            marks = ends.random.getrandbits(8), ends.random.getrandbits(7)
            given[data] = marks if carried else (0, 0)
            ends.rate[stream], ends.take[stream] = ends.random.choice(((1, 1), (0.6, 1), (1, 0.6)))
            error = ends.random.random() < 0.1
            ends.send(stream, data, error=int(error), marks=marks)
        # Towards the end pauses are not kept to, and buffers overflow.
        dut.ignore_remote_i.value = 3 * (number > 40)
        if number > 40:
            ends.take = [0.001] * ends.streams
        if number % 8 == 5:
            await ends.fault(
                ends.random.randrange(4), drop=number // 8 % 2, told=1, end=number // 16 % 2
            )
        await cycles(dut.clk_i, 60)
    ends.take = [1.0] * ends.streams
    await ends.idle()
    assert ends.events["rx_overflow", 0] and ends.events["rx_overflow", 1]
    seen = 0
    for stream in range(ends.streams):
        came = zip(ends.received[stream], ends.marks[stream], strict=True)
        for (data, error), marks in came:
            if not error or data in given:
                assert marks == given[data], f"stream {stream}: {marks}, not {given[data]}"
                seen += any(marks)
            else:
                assert marks[1] == 0, "an end mark has no TUSER of a last beat"
                assert len(data) > 1 or not any(marks), "nor of a first one"
    assert bool(seen) == carried
    ends.check_order()
    for end in range(2):
        wild = [
            frame
            for frame in ends.frames[end]
            if len(frame) > WORD and (frame[-5] & 0xFC or frame[-6] > 64)
        ]
        assert bool(wild) == carried
        assert all(frame[-5] & 3 for frame in wild), "TUSER of a last beat that is none"
        assert all(frame[23] == params()["Tuser"] >> end & 1 for frame in ends.frames[end])


@cocotb.test()
async def tuser_vectors(dut):
    """Header and footer have TUSER where the model has it."""
    ends = Ends(dut, "vectors")
    await ends.start()
    takes = params()["Tuser"] >> 1  # the other end
    for row in (VECTORS / "tuser.txt").read_text().splitlines():
        if not row.startswith(f"packet {takes} "):
            continue
        channel, size, seed, first, last, error = map(int, row.split()[2:8])
        start, footer = map(bytes.fromhex, row.split()[8:])
        if not params()["Tuser"]:
            start = start[:3] + bytes(2)
        ends.frames[0].clear()
        data = bytes((seed + i + i // 256) & 255 for i in range(size))
        ends.send(channel, data, error=error, marks=(first, last))
        await ends.idle()
        bursts = [frame for frame in ends.frames[0] if len(frame) > WORD]
        assert bursts[0][19:24] == start, row
        assert bursts[-1][-6:-4] == footer, row
    ends.check_clean()


def run(channels, width, testcase=None, **more):
    sources = [
        *rtl("prim", "axis", "htsp"),
        *(HERE / f"htsp_{name}.sv" for name in ("wire", "end", "pair")),
    ]
    parameters = {"Channels": channels, "Bytes": width, **more}
    build_and_run("htsp_pair", sources, parameters, __name__, testcase=testcase)


# Links of four channels are simulated in crates/sim, too.
@pytest.mark.parametrize("channels", [pytest.param(4, marks=pytest.mark.long), 3])
def test_htsp_core(channels):
    run(channels, WORD, Tuser=0)


@pytest.mark.parametrize(("width", "cases"), [(32, NARROW[:5]), (16, NARROW)])
def test_htsp_narrow(width, cases):
    run(2, width, cases)


# One end alone carries TUSER, or both.
@pytest.mark.parametrize(
    ("width", "carried"), [(WORD, 1), (16, 3), pytest.param(WORD, 3, marks=pytest.mark.long)]
)
def test_htsp_tuser(width, carried):
    run(2, width, ["tuser", "tuser_vectors"], Tuser=carried)
