# SPDX-License-Identifier: Apache-2.0
"""rdma_receive with cut-through writes: what a damaged, cut, stopped or forged packet does to memory while it arrives, and what it never does."""

from dataclasses import replace

import cocotb
from cocotb.triggers import RisingEdge
from packets import PAYLOAD, WORD, Packet
from receive_bench import DOMAIN, Peer
from tb_common import cycles, rng
from tb_common.waves import Waveform, level, shown
from test_rdma_receive import FIRST, LAST, begin
from units_bench import MEMORY, TICK, run

PATIENCE = 64  # cycles that a burst waits for the network
PLACE = 0x8000


class Bursts:
    """Write bursts at memory: how long each waits from its address to its last word, and words and words without strobes."""

    def __init__(self, dut):
        self.open, self.longest, self.words, self.empty = [], 0, 0, 0
        cocotb.start_soon(self.watch(dut))

    async def watch(self, dut):
        now, offered = 0, False
        while True:
            await RisingEdge(dut.clk_i)
            now += 1
            if dut.m_axi_awvalid.value == 1 and not offered:
                self.open.append(now)
            offered = dut.m_axi_awvalid.value == 1 and dut.m_axi_awready.value == 0
            if dut.m_axi_wvalid.value == 1 and dut.m_axi_wready.value == 1:
                self.words += 1
                self.empty += int(dut.m_axi_wstrb.value) == 0
                if dut.m_axi_wlast.value == 1:
                    self.longest = max(self.longest, now - self.open.pop(0))


async def start(dut):
    """A peer whose first packet has come: its epoch is known."""
    bench = await begin(dut)
    peer = Peer(bench)
    peer.send(peer.message(0x2000, b"known", 1000, 1))
    await peer.settle()
    assert peer.replies() == [(1000, 1, 0)]
    return bench, peer, Bursts(dut)


async def uncounted(bench, peer, at, size):
    """All is over; nothing was answered, and memory is what it was, but for the range of the packet."""
    await bench.quiet()
    found = bytes(bench.memory.read(0, MEMORY))
    assert found[:at] == bytes(peer.memory[:at]) and found[at + size :] == peer.memory[at + size :]
    assert peer.replies() == []
    peer.memory[at : at + size] = found[at : at + size]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def latency(dut):
    """The last word of a packet is written four cycles behind its footer, however long it is; without cut-through all of it behind the
    check."""
    _, peer, _ = await start(dut)
    times = {"footer": 0, "first": 0, "last": 0}

    async def watch():
        now = 0
        while True:
            await RisingEdge(dut.clk_i)
            now += 1
            if dut.s_axis_tvalid.value == 1 and dut.s_axis_tlast.value == 1:
                times["footer"] = now
            if dut.m_axi_wvalid.value == 1 and dut.m_axi_wready.value == 1:
                times["first"] = times["first"] or now
                times["last"] = now

    cocotb.start_soon(watch())
    for turn, words in enumerate((1, 2, 3, 8, 16) * 2):
        dut.cut_through_i.value = int(turn < 5)
        times["first"] = 0
        peer.send(*peer.block(PLACE, WORD * words, turn, 2))
        await peer.settle()
        assert peer.replies() == [(turn, 2, 0)]
        behind = times["first"] - times["footer"], times["last"] - times["footer"]
        assert behind == ((5 - words, 4) if turn < 5 else (6, 5 + words)), (words, behind)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def as_pictured(dut):
    """The picture of the book: a packet of six words is written while it arrives."""
    _, peer, _ = await start(dut)
    dut.cut_through_i.value = 1
    (packet,) = peer.block(PLACE, 6 * WORD, 5, 2)
    names = ["first", *"abcdef", "foot"]
    word = dict(zip(packet.words(), names, strict=True))
    data = {int.from_bytes(packet.payload[at : at + WORD], "little"): name
            for at, name in zip(range(0, 6 * WORD, WORD), "abcdef", strict=True)}  # fmt: skip

    def said(signal, of):
        return lambda: of.get(int(signal.value), "?")

    beat, write = level(dut.s_axis_tvalid), level(dut.m_axi_wvalid)
    wave = Waveform(
        dut.clk_i,
        {
            "s_axis_tvalid": beat,
            "s_axis_tdata": shown(beat, said(dut.s_axis_tdata, word)),
            "s_axis_tlast": shown(beat, level(dut.s_axis_tlast)),
            "m_axi_awvalid": level(dut.m_axi_awvalid),
            "m_axi_wvalid": write,
            "m_axi_wdata": shown(write, said(dut.m_axi_wdata, data)),
            "m_axi_wlast": shown(write, level(dut.m_axi_wlast)),
            "m_axi_bvalid": level(dut.m_axi_bvalid),
            "acknowledged": level(dut.made_valid_o),
        },
    )
    task = cocotb.start_soon(wave.record(18))
    peer.send(packet)
    await task
    wave.check("rdma-cut-through")
    await peer.settle()
    assert peer.replies() == [(5, 2, 0)]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def damaged_payload(dut):
    """A wrong bit in any word of the payload or in the footer: its bytes may be in memory at once, but the packet does not count; sent again, it
    does, and then memory is right. Without cut-through nothing of it is written."""
    bench, peer, _ = await start(dut)
    size = 2 * PAYLOAD - 100
    for turn in range(34):
        dut.cut_through_i.value = int(turn < 30)
        at = PLACE + turn % 3
        packets = peer.block(at, size, turn, 2)
        peer.send(packets[1])
        words = packets[0].words()
        words[1 + turn % 17] ^= 1 << (turn * 37 % 64)
        bench.deliver(words)
        await bench.quiet()
        before = bytes(peer.memory[at : at + PAYLOAD])
        await uncounted(bench, peer, at, PAYLOAD)
        # Cut-through would not be one if this was never written.
        assert (bytes(peer.memory[at : at + PAYLOAD]) != before) == (turn < 30)
        peer.send(packets[0])
        await peer.settle()
        assert peer.replies() == [(turn, 2, 0)]
    assert await bench.count("damaged") == 34


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def damaged_messages(dut):
    """Only data are written before their check: a message with a wrong bit in its payload or in its
    footer leaves memory as it was."""
    bench, peer, _ = await start(dut)
    for turn in range(64):
        words = peer.message(PLACE + 64 * turn, bytes([turn + 1] * 32), turn, 2).words()
        words[1 + turn % 2] ^= 1 << (turn * 37 % 64)
        bench.deliver(words)
        if turn % 4 == 3:
            await peer.settle()
    await peer.settle()
    assert peer.replies() == [] and await bench.count("damaged") == 64


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def damaged_front(dut):
    """A wrong bit anywhere in what the first word says: nothing is written and nothing answered; the next packet is well."""
    bench, peer, _ = await start(dut)
    words = peer.block(PLACE, 200, 5, 2)[0].words()
    for bit in range(224):
        bench.deliver([words[0] ^ 1 << bit, *words[1:]])
        if bit % 32 == 31:
            peer.send(peer.message(0x6000, bytes([bit] * 8), bit, 1))
            await peer.settle()
            assert peer.replies() == [(bit, 1, 0)]
    # A wrong mark is no packet of this framing: five bits of the 224.
    assert await bench.count("damaged") == 224 - 5 and await bench.count("stray") == 5


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def no_form_of_data(dut):
    """A first word whose check is right and whose form is that of no packet of data: however right
    the rest is, nothing is written and nothing answered."""
    bench, peer, _ = await start(dut)
    (good,) = peer.block(PLACE, PAYLOAD, 5, 2)
    longer = bytes(PAYLOAD + 1)
    shapes = [
        replace(good, payload=longer),
        replace(good, payload=longer, last=1),
        replace(good, payload=b""),
        replace(good, payload=good.payload[:-1], last=1),
        replace(good, index=1),
        replace(good, kind=15),
    ]
    for turn, shape in enumerate(shapes * 2):
        words = shape.words()
        # In the second half the footer lacks, for which what is written early does not wait.
        bench.deliver(words if turn < len(shapes) else [*words[:-1], words[-1] ^ 1])
        peer.send(peer.message(0x6000, bytes([turn] * 8), 100 + turn, 1))
        await peer.settle()
        assert peer.replies() == [(100 + turn, 1, 0)], shape
    assert await bench.count("bad_form") + await bench.count("damaged") == 2 * len(shapes)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def wrong_length(dut):
    """Cut by TLAST at every word, or longer than its first word says, up to more words than any packet has: its burst ends at once, nothing
    outside its range is written, and what follows is well."""
    bench, peer, bursts = await start(dut)
    packet = peer.block(PLACE + 5, 1000, 5, 2)[0]
    words = packet.words()
    shapes = [words[:count] for count in range(2, len(words))]
    shapes += [words[:-1] + words[1:2] * more + words[-1:] for more in (1, 2, 17, 60)]
    shapes += [words[:1] + words[-1:]]
    for turn, shape in enumerate(shapes):
        bench.deliver(shape)
        if turn % 2:
            await uncounted(bench, peer, PLACE + 5, 1000)
        peer.send(peer.message(0x6000, bytes([turn] * 8), 100 + turn, 1))
        await bench.quiet()
        assert peer.replies() == [(100 + turn, 1, 0)]
        await uncounted(bench, peer, PLACE + 5, 1000)
    assert await bench.count("damaged") == len(shapes)
    assert bursts.longest < 2 * PAYLOAD // WORD
    peer.send(packet)
    await peer.settle()
    assert peer.replies() == [(5, 2, 0)]


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def network_pauses(dut):
    """The network stops behind each word of a packet, for a short time or a long one: memory waits for a bounded time, the packet is written as a
    whole in the end, and counts once."""
    bench, peer, bursts = await start(dut)
    packet = peer.block(PLACE + 5, 1000, 0, 2)[0]
    stops = range(1, len(packet.words()))
    for pause in (PATIENCE // 2, 3 * PATIENCE):
        for stop in stops:
            packet = peer.block(PLACE + 5, 1000, stop, pause)[0]
            bursts.empty = 0
            peer.send(packet)
            rest, bench.feed[stop:] = bench.feed[stop:], []
            await bench.until(lambda: not bench.feed)
            await cycles(dut.clk_i, pause)
            # What has begun at memory is over, long before the rest comes.
            assert not bursts.open or pause < PATIENCE
            assert peer.replies() == []
            bench.feed += rest
            await peer.settle()
            assert peer.replies() == [(stop, pause, 0)]
            assert (bursts.empty > 0) == (pause > PATIENCE)
    assert PATIENCE // 2 < bursts.longest < PATIENCE + 2 * PAYLOAD // WORD
    assert await bench.count("damaged") == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def cut_after_a_pause(dut):
    """After a pause that was too long the packet ends too early, or is damaged: it does not count, its words are given back."""
    bench, peer, _ = await start(dut)
    words = peer.block(PLACE, 1000, 5, 2)[0].words()
    for turn in range(40):  # 40 packets of up to 16 words: more than the buffer has
        stop = 2 + turn % 13
        bench.deliver([*words[: 1 + stop], words[-1]] if turn % 2 else [*words[:-1], words[-1] ^ 1])
        rest, bench.feed[stop:] = bench.feed[stop:], []
        await bench.until(lambda: not bench.feed)
        await cycles(dut.clk_i, 2 * PATIENCE)
        bench.feed += rest
        await uncounted(bench, peer, PLACE, 1000)
    assert await bench.count("damaged") == 40
    peer.send(*peer.block(PLACE, 65536 // 4, 5, 2))
    await peer.settle()
    assert peer.replies() == [(5, 2, 0)]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def spliced(dut):
    """First word of one packet, payload and footer of another, of the same block or not: neither counts, and only the range of the first one may
    change. Of a packet that is there, or whose block is over, not even that."""
    bench, peer, _ = await start(dut)
    first, second = peer.block(PLACE, 2 * PAYLOAD, 5, 2)
    other = peer.block(0x4000, PAYLOAD, 6, 7)[0]
    for packet in (second, other):
        bench.deliver([first.words()[0], *packet.words()[1:]])
        await uncounted(bench, peer, PLACE, PAYLOAD)
    peer.send(first)
    bench.deliver([first.words()[0], *second.words()[1:]])
    await peer.settle()
    peer.send(second)
    for packet in (first, second):
        bench.deliver([packet.words()[0], *other.words()[1:]])
    await peer.settle()
    assert peer.replies() == [(5, 2, 0)]
    assert await bench.count("damaged") == 5


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def window_taken_away(dut):
    """While a packet arrives its window goes: that packet is written, as every one that was let in before; the next one of its block is
    refused."""
    bench, peer, _ = await start(dut)
    first, second = peer.block(PLACE, 2 * PAYLOAD, 5, 2)
    peer.send(first)
    rest, bench.feed[8:] = bench.feed[8:], []
    await bench.until(lambda: not bench.feed)
    await bench.window(DOMAIN, 1, FIRST, LAST, 0, 0)
    bench.feed += rest
    peer.send(second, written=False)
    await peer.settle()
    assert peer.replies() == [(5, 2, 1)]
    assert await bench.count("window") == 1


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def scanned_while_one_is_written(dut):
    """Packets arrive slowly, and are written, while what is known of other TIDs is looked at: it is
    neither lost nor taken for that of another one."""
    bench, peer, _ = await start(dut)
    tids = range(1, 1024, 8)
    known = [peer.message(0x6000 + 8 * tid, bytes([tid % 256] * 8), tid, 100) for tid in tids]
    peer.send(*known)
    await peer.settle()
    assert peer.replies() == [(tid, 100, 0) for tid in tids]
    # A context in two cycles: those of the other sender, then those of this one.
    dut.forget_i.value = 1
    begun = bench.now
    await bench.until(lambda: bench.now >= begun + TICK // 2)
    for turn in range(30):
        peer.send(*peer.block(PLACE, 1000, 0, turn))
        rest, bench.feed[8:] = bench.feed[8:], []
        await cycles(dut.clk_i, PATIENCE - 14)
        bench.feed += rest
        await bench.until(lambda: not bench.feed)
    dut.forget_i.value = 0
    assert bench.now < begun + TICK
    await peer.settle()
    assert peer.replies() == [(0, turn, 0) for turn in range(30)]
    peer.send(*[replace(packet, payload=b"repeated") for packet in known], written=False)
    await peer.settle()
    assert peer.replies() == [(tid, 100, 0) for tid in tids]
    assert await bench.count("repeated") == len(tids)


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def switched_at_any_time(dut):
    """Everything at once, while cut-through is switched on and off: packets in any order, doubled, damaged, with pauses, and a memory that
    stalls."""
    bench, peer, _ = await start(dut)
    random = rng("switched")
    bench.stall(0.2)
    packets: list[Packet] = []
    for n in range(40):
        size = random.choice([1, 64, 1024, random.randrange(1, 4000)])
        at = 0x1100 + 5000 * n + random.randrange(900)
        block = peer.block(at, size, random.randrange(16) * 64 + n, n)
        packets += block + [p for p in block if random.random() < 0.3]
    random.shuffle(packets)
    for packet in packets:
        if random.random() < 0.3:
            words = packet.words()
            at = random.randrange(len(words))
            words[at] ^= 1 << random.randrange(128 if at in (0, len(words) - 1) else 8)
            bench.deliver(words if random.random() < 0.7 else words[: at + 1])
        peer.send(packet)
    feed, bench.feed[:] = list(bench.feed), []
    while feed:
        count = random.randrange(1, 60)
        bench.feed += feed[:count]
        del feed[:count]
        await bench.until(lambda: not bench.feed)
        dut.cut_through_i.value = int(random.random() < 0.8)
        await cycles(dut.clk_i, random.choice([0, 1, 5, 30, 100]))
    await peer.settle(300)
    assert {(m[1], m[5]) for m in bench.made} == {(n, 0) for n in range(40)}


def test_rdma_cut_through():
    run(__name__)
