# SPDX-License-Identifier: Apache-2.0
"""rdma_receive: what is written, answered, handed on or dropped, rule by rule; memory that stalls and fails; damaged packets."""

import itertools
import struct
from dataclasses import replace

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from framing import Joiner
from packets import (
    ACK,
    CONTROL,
    DATA,
    LANE,
    MARK,
    MESSAGE,
    NACK,
    PAYLOAD,
    REQUEST,
    WORD,
    Packet,
    crc32c,
    front,
    moved,
)
from receive_bench import DOMAIN, HERE, NODE, OTHER, PEER, Peer
from tb_common import cycles, rng
from units_bench import EPOCH, MEMORY, TICK, Bench, run

FIRST, LAST = 0x1003, 0x3F000  # the window


async def begin(dut):
    bench = Bench(dut, NODE)
    await bench.start()
    await bench.window(DOMAIN, 1, FIRST, LAST)
    return bench


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def corners(dut):
    """Destinations at every kind of byte, sizes around words, packets and pages: exactly these bytes, one answer for each."""
    bench = await begin(dut)
    peer, asked = Peer(bench), []
    for at in (0x2000, 0x2001, 0x203F, 0x2FFF, 0x2FC0, 0x2FE1):
        for size in (1, 63, 64, 65, 128, 1023, 1024, 1025, 2100):
            asked.append((len(asked), 7, 0))
            peer.send(*peer.block(at, size, len(asked) - 1, 7))
    peer.send(peer.message(FIRST, b"a", 600, 1), peer.message(LAST - 31, bytes(range(32)), 601, 1))
    asked += [(600, 1, 0), (601, 1, 0)]
    await peer.settle()
    assert peer.replies() == asked


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def full_rate(dut):
    """Packets of 1024 bytes, one in 18 cycles for as long as it goes, or packed one in 16.5, to odd addresses 17; memory that stops stops the
    stream."""
    bench = await begin(dut)
    peer = Peer(bench)
    places = ((0x5001, 17), (0x5040, 16.5)) if bench.packed else ((0x5001, 18), (0x5040, 18))
    for sequence, (at, each) in enumerate(places, 1):
        peer.send(*peer.block(at, 65536, 3, sequence))
        start = bench.now
        await bench.until(lambda: not bench.feed)
        assert bench.now - start <= 64 * each + 4
        # Nor does the buffer fill up meanwhile: the answer is there soon.
        await bench.until(lambda: bench.made)
        assert bench.now - start <= 64 * each + 60
        await peer.settle()
        assert peer.replies() == [(3, sequence, 0)]
    stopped = bench.memory.write_if.w_channel
    # Behind a short packet the last word that has room is one within a packet, not its last.
    for sequence, in_front in ((3, []), (4, [(0x2001, 320, 4)])):
        stopped.pause = True
        blocks = [*in_front, (0x5001, 65536, 3)]
        peer.send(*(p for at, size, tid in blocks for p in peer.block(at, size, tid, sequence)))
        await cycles(dut.clk_i, 1500)
        before = len(bench.feed)
        await cycles(dut.clk_i, 100)
        assert len(bench.feed) == before > 20 * 18, "the stream did not stop"
        stopped.pause = False
        await bench.until(lambda: not bench.feed)
        await peer.settle()
        assert peer.replies() == [(tid, sequence, 0) for _, _, tid in blocks]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def small_packets(dut):
    """Messages and answers back to back, each in a fixed number of cycles, also during the scan."""
    bench = await begin(dut)
    peer = Peer(bench)
    times = []

    async def watch():
        while True:
            await RisingEdge(dut.clk_i)
            if dut.answer_valid_o.value == 1 or dut.made_valid_o.value == 1:
                times.append(bench.now)

    task = cocotb.start_soon(watch())

    def gaps():
        return [b - a for a, b in itertools.pairwise(times)]

    # A scan that is due in every second cycle has one of each packet.
    for number, forget in ((1, 0), (2, 1)):
        dut.forget_i.value = forget
        peer.send(*[peer.message(0x6000 + 8 * n, bytes([n] * 8), n, number) for n in range(100)])
        await peer.settle()
        assert peer.replies() == [(n, number, 0) for n in range(100)]
        if forget:
            assert set(gaps()) == {4}
        else:
            # Until some wait, one is not looked up while another one is decided.
            assert set(gaps()) <= {2, 3, 4}
            assert sum(gaps()) <= 99 * (2 if bench.packed else 3) + 8
        times.clear()
    ack = Packet(HERE, ACK, 0, 12, 7, OTHER, DOMAIN)
    peer.send(*[replace(ack, tid=n) for n in range(100)], written=False)
    await peer.settle()
    assert [answer[2] for answer in bench.answers] == list(range(100))
    assert set(gaps()) == {2}
    task.cancel()


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def one_behind_the_other(dut):
    """Messages of a few TIDs without a gap, new, repeated, older: each is decided by what those in
    front of it leave."""
    bench = await begin(dut)
    peer = Peer(bench)
    # With the next one, the one behind that, and the third one of the same TID.
    for tids in ((5,), (5, 6), (5, 6, 7), (5, 6, 7, 8)):
        answers = []
        for n in range(1, 21):
            number = 100 * len(tids) + n
            for tid in tids:
                at = 0x6000 + 0x1000 * (tid - 5) + 64 * n
                peer.send(peer.message(at, bytes([tid, n] * 4), tid, number))
                answers.append((tid, number, 0))
            for tid in tids:
                peer.send(peer.message(0x6000, b"repeated", tid, number), written=False)
                answers.append((tid, number, 0))
            for tid in tids:
                peer.send(peer.message(0x6000, b"older", tid, number - 1), written=False)
        await peer.settle()
        assert peer.replies() == answers


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def memory_behind_small_packets(dut):
    """Messages and notifications without a gap, and memory takes no data for a while, or only now
    and then: none is lost, each is answered once."""
    bench = await begin(dut)
    peer = Peer(bench)
    memory = bench.memory.write_if.w_channel
    memory.set_pause_generator(itertools.cycle([1] * 300 + [0, 0, 1, 0, 1, 1, 1, 0, 1] * 100))
    for number in range(1, 7):
        for n in range(100):
            data = bytes([number, n] * 4)
            if number < 4 or n % 3:
                peer.send(peer.message(0x6000 + 8 * n, data, n, number))
            else:
                at = 0x7000 + 16 * n
                note = Packet(HERE | at, CONTROL, n, number, 3, PEER, DOMAIN, data + bytes(8))
                peer.send(note, written=False)
                peer.memory[at : at + 8] = data
        await peer.settle(400)
        assert peer.replies() == [(n, number, 0) for n in range(100)]
    memory.clear_pause_generator()


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def another_life_behind_others(dut):
    """Packets wait, and among them are some of the next life of their sender: what was known is
    forgotten in front of the first of these."""
    bench = await begin(dut)
    peer = Peer(bench)
    for epoch in (3, 4, 5):
        peer.send(
            *[
                peer.message(0x6000 + 8 * n, bytes([epoch, n] * 4), n, 9 - epoch, epoch=epoch)
                for n in range(20)
            ]
        )
    await peer.settle(2000)
    answers = [made[:3] for made in bench.made]
    assert answers == [(n, 9 - epoch, epoch) for epoch in (3, 4, 5) for n in range(20)]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def numbers(dut):
    """The table of the README: older, same, newer, tries; through the wrap of the numbers."""
    bench = await begin(dut)
    peer = Peer(bench)
    for number in (100, (1 << 14) - 1):
        peer.random.seed(number)
        behind = (number + 1) % (1 << 14)
        two = peer.block(0x8000, 2000, number % 1000, number)
        tid = two[0].tid
        # Halves in the wrong order, one of them twice.
        peer.send(two[1])
        peer.send(replace(two[1], payload=bytes(976)), written=False)
        await peer.settle()
        assert peer.replies() == []
        peer.send(two[0])
        await peer.settle()
        assert peer.replies() == [(tid, number, 0)]
        # Complete: answered again, not written.
        for packet in peer.block(0x8000, 2000, tid, number):
            peer.send(packet, written=False)
        await peer.settle()
        assert peer.replies() == [(tid, number, 0)] * 2
        # The same block under the next number, and the one behind that.
        peer.send(*peer.block(0x8000, 2000, tid, behind, 1)[:1], written=False)
        peer.send(*peer.block(0x8000, 2000, tid, behind + 1, 2)[1:], written=False)
        await peer.settle()
        assert peer.replies() == [(tid, behind, 0), (tid, behind + 1, 0)]
        # Older ones are nothing.
        peer.send(*two, *peer.block(0x8000, 2000, tid, behind), written=False)
        await peer.settle()
        assert peer.replies() == []
        # A new block, half of it; then the same again under a newer number, as a whole.
        new = peer.block(0x9000, 2000, tid, behind + 2)
        peer.send(new[0])
        again = [replace(p, sequence=behind + 3, tries=1) for p in new]
        peer.send(*again)
        peer.send(*[replace(p, payload=bytes(len(p.payload))) for p in new], written=False)
        await peer.settle()
        assert peer.replies() == [(tid, behind + 3, 0)]
        # Tries that reach back to a block that is complete, and one that does not.
        peer.send(*peer.block(0x9000, 2000, tid, behind + 6, 3), written=False)
        peer.send(*peer.block(0x9000, 2000, tid, behind + 9, 2))
        await peer.settle()
        assert peer.replies() == [(tid, behind + 6, 0)] * 2 + [(tid, behind + 9, 0)]
    assert await bench.count("old") == 2 * 6 and await bench.count("repeated") == 2 * 6
    assert await bench.count("duplicate") == 2


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def epochs(dut):
    """A sender that was reset begins anew; what is late of its earlier life is nothing."""
    bench = await begin(dut)
    peer = Peer(bench)
    peer.send(*peer.block(0x4000, 1500, 9, 500))
    await peer.settle()
    assert peer.replies() == [(9, 500, 0)]
    for epoch in (4, 11):
        late = peer.block(0x4000, 1500, 9, 501)
        fresh = [replace(p, epoch=epoch) for p in peer.block(0x4000, 1500, 9, 0)]
        peer.send(*fresh)
        peer.send(*late, written=False)
        await peer.settle(1200)  # all that was known of the sender is cleared
        assert [(m[0], m[1], m[2], m[5]) for m in bench.made] == [(9, 0, epoch, 0)]
        bench.made.clear()
    assert await bench.count("epoch") == 4


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def damage_is_not_remembered(dut):
    """What a damaged packet says is looked up before it is known to be damaged: nothing of it stays, and the packets around it are well."""
    bench = await begin(dut)
    peer = Peer(bench)

    def damaged(packet):
        words = packet.words(bench.packed)
        words[-1] ^= 1 << 96  # of the CRC
        bench.deliver(words)

    first = peer.message(0x6000, b"first", 9, 500)
    # Of the first packet of a sender its epoch, and that of a later life.
    damaged(replace(first, epoch=4))
    peer.send(first)
    damaged(replace(first, epoch=4))
    damaged(replace(first, sequence=501, payload=b"FIRST"))
    peer.send(replace(first, payload=b"again"), written=False)
    damaged(Packet(HERE, ACK, 7, 12, 7, OTHER, DOMAIN))
    peer.send(Packet(HERE, ACK, 8, 12, 7, OTHER, DOMAIN), written=False)
    await peer.settle(1200)
    assert peer.replies() == [(9, 500, 0)] * 2
    assert [answer[2] for answer in bench.answers] == [8]
    assert await bench.count("damaged") == 4 and await bench.count("epoch") == 0
    # At random, as fast as they come.
    random, asked = rng("judged"), []
    for n in range(200):
        packet = peer.message(0x6000 + 16 * n, random.randbytes(16), random.randrange(40), 600 + n)
        if random.random() < 0.4:
            damaged(replace(packet, epoch=random.randrange(16), sequence=random.getrandbits(14)))
        elif random.random() < 0.2:
            tid = 900 + n % 100
            peer.send(Packet(HERE, ACK, tid, 12, 7, OTHER, DOMAIN), written=False)
            asked.append(tid)
        else:
            peer.send(packet)
    bench.answers.clear()
    await peer.settle(1200)
    assert [answer[2] for answer in bench.answers] == asked
    assert {nack for _, _, nack in peer.replies()} == {0}
    assert await bench.count("epoch") == await bench.count("old") == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def former_life(dut):
    """Data of a read come to who has asked; those for which an earlier life of this node has asked are refused, and nothing is remembered."""
    bench = await begin(dut)
    peer = Peer(bench)
    peer.send(*peer.block(0x4000, 1500, 9, 500, asked=EPOCH))
    for epoch in range(16):
        if epoch != EPOCH:
            early = peer.block(0x4000, 1500, 10, 1 + epoch, asked=epoch)[:1]
            peer.send(*early, written=False)
    await peer.settle()
    assert peer.replies() == [(9, 500, 0)] + [(10, 1 + e, 1) for e in range(16) if e != EPOCH]
    assert await bench.count("epoch") == 15
    peer.send(*peer.block(0x4000, 1500, 10, 1, asked=EPOCH))
    await peer.settle()
    assert peer.replies() == [(10, 1, 0)]


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def forgetting(dut):
    """A TID that was used 8192 times and more towards others meanwhile: what is known of it is forgotten after a time, and not before."""
    bench = await begin(dut)
    peer = Peer(bench)
    dut.forget_i.value = 1
    tids = range(5, 1024, 73)
    behind = 100 + (1 << 13) + 1  # looks older than 100

    async def at(time):
        await bench.until(lambda: bench.now >= time)

    def note(tid, sequence, data=None, **fields):
        data = data or peer.random.randbytes(8)
        return peer.message(0x6000 + 8 * (tid // 73), data, tid, sequence, **fields)

    async def refused():
        """An old packet of each TID changes nothing; late tries of what is complete are only answered."""
        for tid in tids:
            peer.send(note(tid, behind), written=False)
        await peer.settle(60)
        assert peer.replies() == []

    # The first round of the scan finds them fresh, wherever it was.
    started = bench.now
    for tid in tids:
        peer.send(note(tid, 100))
    await peer.settle(60)
    assert peer.replies() == [(tid, 100, 0) for tid in tids]
    await at(started + TICK // 2)
    await refused()
    await at(started + TICK - 400)
    await refused()
    # Heard of again: a try whose answer was lost. It counts from there.
    heard = bench.now
    for tid in tids:
        peer.send(note(tid, 101, tries=1), written=False)
    await peer.settle(60)
    assert peer.replies() == [(tid, 101, 0) for tid in tids]
    await at(heard + TICK - 400)
    for tid in tids:
        peer.send(note(tid, 100), written=False)
    await refused()
    # Packets that are refused as old do not hold it up.
    done = bench.now
    while bench.now < done + TICK + 900:
        peer.send(note(tids[3], behind, b"at last!"))
        await cycles(dut.clk_i, 200)
    await peer.settle(60)
    assert set(peer.replies()) == {(tids[3], behind, 0)}
    others = [tid for tid in tids if tid != tids[3]]
    for tid in others:
        peer.send(note(tid, behind))
    await peer.settle(60)
    assert peer.replies() == [(tid, behind, 0) for tid in others]
    # Never, if told so.
    dut.forget_i.value = 0
    await cycles(dut.clk_i, 3 * TICK)
    for tid in others:
        peer.send(note(tid, behind - 1), written=False)
    await peer.settle(60)
    assert peer.replies() == []


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def forgetting_beside_packets(dut):
    """The scan meets packets of the very TID that it looks at, for some rounds: nothing is lost, written twice or forgotten."""
    bench = await begin(dut)
    peer = Peer(bench)
    dut.forget_i.value = 1
    sequence, expected = 1, []
    while bench.now < 3 * TICK:
        # A new one, the same again, half a block with its rest behind it, an old one.
        data = peer.message(0x6000, peer.random.randbytes(8), 44, sequence)
        peer.send(data)
        peer.send(replace(data, payload=bytes(8)), written=False)
        two = peer.block(0x7000, 1025, 44, sequence + 1)
        peer.send(*two)
        peer.send(replace(data, payload=bytes(8)), written=False)
        expected += [(44, sequence, 0)] * 2 + [(44, sequence + 1, 0)]
        sequence += 2
        await bench.until(lambda: len(bench.feed) < 20)
    await peer.settle()
    assert peer.replies() == expected


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def protection(dut):
    """Only what lies in a window of the domain, with the right; else a NACK, and memory as it was."""
    bench = await begin(dut)
    peer = Peer(bench)
    await bench.window(DOMAIN, 0, 0x100, 0x1FF, read=1, write=0)
    await bench.window(DOMAIN + 1, 1, 0, MEMORY - 1)
    good = peer.message(FIRST, b"12345678", 1, 1)
    bad = [
        replace(good, address=good.address - 1),
        replace(good, address=HERE | LAST - 6),
        replace(good, address=HERE | 0x100),
        replace(good, address=HERE | (1 << 48) - 4),
        replace(good, address=HERE | 1 << 40 | FIRST),
        replace(good, domain=DOMAIN - 1),
        replace(good, domain=DOMAIN + 16),
        replace(good, address=OTHER << 48 | FIRST),
        replace(good, node=2),
        replace(good, node=PEER + 8),
    ]
    for packet in bad:
        peer.send(packet, written=False)
    await peer.settle()
    made = [(m[0], m[1], m[3], m[4], m[5]) for m in bench.made]
    assert made == [(1, 1, p.domain, p.node, 1) for p in bad]
    bench.made.clear()
    assert await bench.count("window") == 7 and await bench.count("foreign") == 3
    # None of that is remembered.
    peer.send(good)
    peer.send(peer.message(LAST - 7, b"abcdefgh", 2, 1))
    await peer.settle()
    assert peer.replies() == [(1, 1, 0), (2, 1, 0)]
    # A window that is taken away.
    await bench.window(DOMAIN, 1, 0, 0, 0, 0)
    peer.send(peer.message(FIRST, b"12345678", 1, 2), written=False)
    peer.send(replace(good, payload=b"........"), written=False)
    await peer.settle()
    # What was complete before is answered as such: its sender missed the answer.
    assert peer.replies() == [(1, 2, 1), (1, 1, 0)]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def windows_everywhere(dut):
    """Windows that end at, before and behind every power of two up to the address width: a range that crosses it is taken up to the last byte of
    the window, and refused with one byte more. Read requests, which touch no memory."""
    bench = Bench(dut, NODE)
    await bench.start()
    peer, width = Peer(bench), len(dut.window_first_i)
    asked = []

    async def ask(first, size, last, taken):
        await bench.window(DOMAIN, 2, 0, last)
        line = struct.pack("<4Q", size, PEER << 48 | 5, HERE | first, 0)
        tid = len(asked)
        peer.send(Packet(HERE, REQUEST, tid, 1, 3, PEER, DOMAIN, line), written=False)
        asked.append((tid, 1, int(not taken)))
        await bench.until(lambda: len(bench.made) == len(asked), 500)

    for bit in range(1, width + 1):
        edge = 1 << bit
        most = min(edge, (1 << 31) - 1)
        for before, behind in (
            (1, 1),
            (bench.random.randint(1, most), bench.random.randint(1, most)),
        ):
            first, last = edge - before, edge + behind - 1
            if bit < width:
                await ask(first, before + behind, last, True)
                await ask(first, before + behind, last - 1, False)
            else:
                await ask(first, before + behind, edge - 1, False)
                await ask(first, before, edge - 1, True)
                await ask(first, before, edge - 2, False)
    await peer.settle()
    assert peer.replies() == asked
    taken = [answer[2] for answer in bench.answers]
    assert taken == [tid for tid, _, nack in asked if not nack]


def well_formed(packet):
    """Whether a packet breaks no rule of the format, of those that hold for all senders."""
    size = len(packet.payload)
    if packet.kind == DATA:
        ends = packet.index == packet.last
        return size > 0 and (ends or (size == PAYLOAD and packet.index < packet.last))
    sizes = {MESSAGE: range(1, 33), CONTROL: [16], REQUEST: [32], ACK: [0], NACK: [0]}
    one = packet.last == packet.index == 0 and packet.asked is None
    return one and size in sizes.get(packet.kind, [])


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def forms(dut):
    """Every kind in every length that a bit makes of another one, and every place in a block: what
    breaks a rule is counted, and all else goes on, here to where it counts as another node's."""
    bench = await begin(dut)
    peer = Peer(bench)
    bits = [1 << bit for bit in range(11)]
    sizes = {one ^ bit for one in (0, 16, 32, 33, PAYLOAD) for bit in (0, *bits)}
    sizes = sorted(size for size in sizes if size <= PAYLOAD)
    steps = (0, *bits[:6], 63)
    places = [{"index": index, "last": last} for index in steps for last in steps]
    least = {DATA: 8, MESSAGE: 8, CONTROL: 16, REQUEST: 32, ACK: 0, NACK: 0}
    cases = [(kind, size, {}) for kind in range(16) for size in sizes]
    cases += [(DATA, size, place) for place in places for size in (1, PAYLOAD - 1, PAYLOAD)]
    cases += [(kind, size, place) for place in places for kind, size in least.items()]
    cases += [(kind, size, {"asked": 3}) for kind, size in least.items()]
    away = peer.message(0x6000, b"", 1, 1, address=OTHER << 48)
    packets = [replace(away, kind=kind, payload=bytes(size), **more) for kind, size, more in cases]
    peer.random.shuffle(packets)
    peer.send(*packets, written=False)
    await peer.settle()
    good = [packet for packet in packets if well_formed(packet)]
    assert await bench.count("bad_form") == len(packets) - len(good)
    assert await bench.count("foreign") == len(good)
    asks = [packet for packet in good if packet.kind not in (ACK, NACK)]
    assert peer.replies() == [(1, 1, 1)] * len(asks)
    assert await bench.count("damaged") == 0 and bench.answers == []


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def other_lengths(dut):
    """More words of payload than the length says, or fewer, with a check over just these: damage."""
    bench = await begin(dut)
    peer = Peer(bench)
    dut.cut_through_i.value = 0
    step = LANE if bench.packed else WORD
    cases = [(8, 1), (8, 2), (step, 1), (32, 1), (3 * step, -1), (3 * step, 1), (3 * step - 1, -1)]
    for number, (size, more) in enumerate(cases):
        (good,) = peer.block(0x6000, size, number, 1)
        data = good.encode(bench.packed)
        header, footer = data[:16], data[-16:-4]
        # Whole words, and as many bytes in the last one as the length says.
        words = -(-size // step) + more
        payload = peer.random.randbytes(words * step - -size % step)
        check = crc32c(header + payload + footer).to_bytes(4, "little")
        first = header if bench.packed else front(header + footer[:8])
        parts = [payload[at : at + step] for at in range(0, len(payload), step)]
        bench.deliver([int.from_bytes(part, "little") for part in (first, *parts, footer + check)])
    await peer.settle()
    assert peer.replies() == []
    if not bench.packed:
        assert await bench.count("damaged") == len(cases)
    peer.send(*peer.block(0x6000, 1000, 100, 1))
    await peer.settle()
    assert peer.replies() == [(100, 1, 0)]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def every_bit_of_the_check(dut):
    """A CRC that is wrong in one bit, or such that one bit of the register behind the payload would have been another: damage."""
    bench = await begin(dut)
    peer = Peer(bench)
    (good,) = peer.block(0x6000, WORD, 0, 1)
    for bit in range(32):
        for zeros in (0, 12):
            # One bit of the register, moved on by the bytes of the footer, or none.
            wrong = moved(1 << bit, zeros)
            words = replace(good, tid=bit).words(bench.packed)
            bench.deliver([*words[:-1], words[-1] ^ wrong << 96], alone=True)
    peer.send(replace(good, tid=100))
    await peer.settle()
    assert peer.replies() == [(100, 1, 0)]
    assert await bench.count("damaged") == 64


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def damage(dut):
    """One bit anywhere but the mark, words lost, doubled or too many, fields that mean nothing: dropped, counted, and the next one is well."""
    bench, random = await begin(dut), rng("damage")
    peer = Peer(bench)
    for turn in range(40):
        packet = peer.message(0x6000, random.randbytes(random.randrange(1, 33)), turn, 5)
        if turn % 2:
            packet = peer.block(0x6000, random.randrange(1, PAYLOAD + 1), turn, 5)[0]
        words = packet.words(bench.packed)
        step = LANE if bench.packed else WORD
        bits = [128] + [8 * step] * (len(words) - 2) + [128]
        if len(packet.payload) % step:
            bits[-2] = len(packet.payload) % step * 8
        kind = turn % 5
        if kind < 2:
            at = random.randrange(len(words))
            flip = 1 << random.randrange(bits[at])
            # The mark of the network is no damage.
            words[at] ^= MARK << 1 if at == len(words) - 1 and flip == MARK else flip
        elif kind == 2:
            words.pop(random.randrange(len(words) - 1))
        elif kind == 3:
            words.insert(1, words[1])
        else:
            words = words[:1] if turn % 2 else words[:1] + words[1:-1] * 20 + words[-1:]
        bench.deliver(words, alone=True)
        peer.send(replace(packet, tid=100 + turn))
    await peer.settle()
    assert peer.replies() == [(100 + turn, 5, 0) for turn in range(40)]
    damaged, strays = await bench.count("damaged"), await bench.count("stray")
    if bench.packed:
        # What is behind a wrong length may count once more.
        assert damaged + strays >= 40
    else:
        # The mark of the other framing is one of the bits.
        assert damaged + strays == 40
    # Bytes that no field uses are not looked at.
    words = peer.message(0x6000, b"1234", 900, 1).words(bench.packed)
    peer.memory[0x6000:0x6004] = b"1234"
    words[1] |= 7 << 100
    if not bench.packed:
        words = [words[0] | 1 << 300, words[1] | 7 << 400, words[2] | 1 << 511]
    bench.deliver(words)
    await peer.settle()
    assert peer.replies() == [(900, 1, 0)]
    good = peer.message(0x6000, b"12345678", 901, 1)
    wrong = [
        replace(good, kind=6),
        replace(good, kind=15),
        replace(good, payload=b""),
        replace(good, payload=bytes(33)),
        replace(good, last=1),
        replace(good, kind=DATA, last=1),
        replace(good, kind=DATA, index=2, last=1),
        replace(good, kind=CONTROL),
        replace(good, kind=REQUEST),
        replace(good, kind=ACK),
    ]
    peer.send(*wrong, written=False)
    # Bits that are reserved; a length in the header that is not the footer's; and, in words, a
    # first word that says something else than the footer.
    footers = [1 << bit for bit in (*range(29, 32), *range(43, 48), *range(87, 96))]
    changes = [(0, bit, 0) for bit in footers] + [(1 << 112, 0, 0), (24 << 112, 0, 0)]
    changes += [] if bench.packed else [(0, 0, 1 << 11), (0, 0, 1 << 32)]
    for header, footer, other in changes:
        data = bytearray(good.encode(bench.packed))
        data[:16] = (int.from_bytes(data[:16], "little") ^ header).to_bytes(16, "little")
        data[-16:-4] = (int.from_bytes(data[-16:-4], "little") | footer).to_bytes(12, "little")
        data[-4:] = crc32c(data[:-4]).to_bytes(4, "little")
        said = int.from_bytes(data[-16:-8], "little") ^ other
        first = data[:16] if bench.packed else front(data[:16] + said.to_bytes(8, "little"))
        bench.deliver(
            [int.from_bytes(part, "little") for part in (first, data[16:-16], data[-16:])]
        )
    await peer.settle()
    assert peer.replies() == [] and await bench.count("bad_form") == len(wrong) + len(changes)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def cut_at_every_lane(dut):
    """A packet that TLAST ends after each number of its lanes, begun in each lane of a word: it is dropped, and what follows is well. (As it
    arrives: test_rdma_cut_through.)"""
    bench = await begin(dut)
    peer, asked, turns = Peer(bench), [], 0
    dut.cut_through_i.value = 0
    for before in range(4 if bench.packed else 1):
        for lanes in range(1, 10):
            # Packets of two and three lanes in front of it: it begins in lane 0, 3, 2 and 1.
            for n in range(before):
                peer.send(peer.message(0x6000, bytes([n] * 16), len(asked), 1))
                asked.append((len(asked), 1, 0))
            words = peer.block(0x7000, PAYLOAD, 900, 1)[0].words(bench.packed)
            bench.deliver(words[:lanes], alone=True)
            peer.send(peer.message(0x6000, b"what follows", len(asked), 1))
            asked.append((len(asked), 1, 0))
            turns += 1
            await peer.settle()
    assert peer.replies() == asked
    assert await bench.count("damaged") == turns
    assert await bench.count("stray") == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def other_framing(dut):
    """What an end with the other framing sends is no packet: nothing is written or answered, it is counted, and the next packet is well."""
    bench = await begin(dut)
    peer, strays = Peer(bench), 0
    packets = [
        replace(peer.message(0x6000, bytes(8), 1, 1), domain=0),
        *peer.block(0x6000, 2100, 2, 1),
        Packet(HERE, ACK, 3, 1, EPOCH, PEER, DOMAIN),
    ]
    for turn in range(4):
        packed = Joiner(True)
        for packet in packets[turn:] + packets[:turn]:
            if bench.packed:
                lanes = [
                    word >> at & (1 << 128) - 1
                    for word in packet.words()
                    for at in range(0, 512, 128)
                ]
                bench.deliver(lanes, alone=True)
                strays += 1
            else:
                packed.put(packet.words(True))
        strays += not bench.packed
        if bench.packed and turn == 0:
            # A lane behind a packet that is neither zero nor a header.
            peer.send(peer.message(0x6000, b"good", 9, 1), written=False)
            bench.network.parts[-1] = (bench.network.parts[-1][0], 0)
            bench.deliver([1], alone=True)
            peer.memory[0x6000:0x6004] = b"good"
            strays += 1
        while packed.parts:
            word, last, parts = packed.word()
            bench.feed.append((word, int(last)))
            strays += last and len(packed.parts) > parts
            del packed.parts[:parts]
        peer.send(peer.message(0x6000, b"well", 10 + turn, 1))
        await peer.settle()
        replies = peer.replies()
        assert replies == [(9, 1, 0)] * (bench.packed and turn == 0) + [(10 + turn, 1, 0)]
        assert bench.answers == []
    assert await bench.count("stray") == strays
    assert await bench.count("damaged") == await bench.count("bad_form") == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def memory_that_fails(dut):
    """A write that memory refuses: its block is answered with NACK, then and when asked again; the next one is well."""
    bench = await begin(dut)
    peer, bad = Peer(bench), set()
    write = bench.memory.write_if._write

    async def failing(address, data):
        if address // 4096 in bad:
            raise RuntimeError("bad page")
        await write(address, data)

    bench.memory.write_if._write = failing
    bad.add(0x9)
    first = peer.block(0x8000 + 3000, 4096, 8, 1)
    peer.send(first[0])
    for packet in first[1:]:  # the second one crosses into the bad page
        at = packet.address & 0xFFFF
        peer.bench.deliver(packet)
        part = max(0, min(len(packet.payload), 0x9000 - at))
        peer.memory[at : at + part] = packet.payload[:part]
    peer.send(peer.message(0x4000, b"other", 9, 1))
    await peer.settle()
    assert peer.replies() == [(8, 1, 1), (9, 1, 0)]
    assert await bench.count("memory_error") >= 1
    # The same number, and later ones for the same block: nothing else can be said.
    peer.send(first[0], *[replace(p, sequence=2, tries=1) for p in first], written=False)
    await peer.settle()
    assert set(peer.replies()) == {(8, 1, 1), (8, 2, 1)}
    # All of a block in one packet: its own answer says it.
    peer.send(peer.message(0x9100, b"alone", 10, 1), written=False)
    await peer.settle()
    assert peer.replies() == [(10, 1, 1)]
    # The end of a read, its value written before the engine hears of it: both ends are told that it
    # failed.
    over = struct.pack("<QQ", 1, 1 << 25 | 0x2AB << 26 | 55 | 66 << 10 | EPOCH << 39)
    end = Packet(HERE | 0x9008, CONTROL, 11, 1, 3, PEER, DOMAIN, over)
    peer.send(end, written=False)
    await peer.settle()
    assert peer.replies() == [(11, 1, 1)]
    assert [answer[1:] for answer in bench.answers] == [
        (CONTROL, 55, 66, EPOCH, PEER, DOMAIN, 0x2AB, 1)
    ]
    bench.answers.clear()
    bad.clear()
    # The next one is well again.
    peer.send(replace(end, sequence=2), written=False)
    peer.memory[0x9008:0x9010] = struct.pack("<Q", 1)
    await peer.settle()
    assert peer.replies() == [(11, 2, 0)] and [answer[-1] for answer in bench.answers] == [0]
    peer.send(*peer.block(0x8000 + 3000, 4096, 8, 3), peer.message(0x9100, b"alone", 10, 2))
    await peer.settle()
    assert peer.replies() == [(8, 3, 0), (10, 2, 0)]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def control(dut):
    """Notifications, once and not early; what is for the engine: ends of reads, requests, answers."""
    bench = await begin(dut)
    peer = Peer(bench)

    def note(tid, sequence, word1=0, at=0x7008, value=0x1122334455667788, **fields):
        payload = struct.pack("<QQ", value, word1)
        return Packet(HERE | at, CONTROL, tid, sequence, 3, PEER, DOMAIN, payload, **fields)

    def told(value=0x1122334455667788):
        peer.memory[0x7008:0x7010] = struct.pack("<Q", value)

    peer.send(note(20, 1), written=False)
    told()
    await peer.settle()
    assert peer.replies() == [(20, 1, 0)]
    # Again, as its answer was lost: not written again.
    peer.send(note(20, 1, value=5), note(20, 2, value=6, tries=1), written=False)
    await peer.settle()
    assert peer.replies() == [(20, 1, 0), (20, 2, 0)]
    # In the last 8 bytes of the window.
    end = LAST // 8 * 8 - 8
    peer.send(note(19, 1, at=end), note(18, 1, at=end + 8), written=False)
    peer.memory[end : end + 8] = struct.pack("<Q", 0x1122334455667788)
    await peer.settle()
    assert peer.replies() == [(19, 1, 0), (18, 1, 1)]
    # One that names a block: nothing, until that is there.
    named = 1 << 24 | 3 << 10 | 21
    block = peer.block(0xA000, 2000, 21, 3)
    peer.send(note(22, 1, named, value=7), written=False)
    peer.send(block[0])
    peer.send(note(22, 1, named, value=7), written=False)
    await peer.settle()
    assert peer.replies() == [] and await bench.count("early") == 2
    peer.send(block[1])
    peer.send(note(22, 2, named, value=7, tries=1), written=False)
    told(7)
    await peer.settle()
    assert peer.replies() == [(21, 3, 0), (22, 2, 0)]
    # Not a multiple of 8, and bits that mean nothing.
    peer.send(note(23, 1, at=0x7001), note(24, 1, 1 << 43), written=False)
    await peer.settle()
    assert peer.replies() == [(23, 1, 1), (24, 1, 1)]
    assert bench.answers == []
    # The end of a read, with and without something to write, and again.
    over = 1 << 25 | 0x2AB << 26 | 55 | 66 << 10 | EPOCH << 39
    dut.answer_ready_i.value = 0
    peer.send(note(25, 1, over, value=8), note(25, 1, over, value=9), written=False)
    peer.send(note(26, 1, over | 1 << 37 | 1 << 38, at=0), written=False)
    told(8)
    await peer.settle()
    # When the engine hears of it, so that the user may, nothing is written any more.
    assert peer.replies() == bench.answers == []
    dut.answer_ready_i.value = 1
    await bench.until(lambda: len(bench.made) == 3)
    await peer.settle()
    assert peer.replies() == [(25, 1, 0), (25, 1, 0), (26, 1, 0)]
    assert [answer[1:] for answer in bench.answers] == [
        (CONTROL, 55, 66, EPOCH, PEER, DOMAIN, 0x2AB, failed) for failed in (0, 1)
    ]
    bench.answers.clear()
    # One that the engine does not take yet: nothing is written, answered or remembered, and it
    # comes again.
    dut.answer_refused_i.value = 1
    peer.send(note(28, 1, over, value=10), note(29, 1, over | 1 << 38, at=0), written=False)
    await peer.settle()
    assert peer.replies() == bench.answers == [] and await bench.count("early") == 4
    dut.answer_refused_i.value = 0
    peer.send(note(28, 2, over, value=10, tries=1), written=False)
    peer.send(note(29, 2, over | 1 << 38, at=0, tries=1), written=False)
    told(10)
    await peer.settle()
    assert peer.replies() == [(28, 2, 0), (29, 2, 0)] and len(bench.answers) == 2
    assert await bench.count("refused_request") == 0
    bench.answers.clear()
    # That of a read for which an earlier life has asked.
    for sequence, epoch in enumerate((EPOCH ^ 8, EPOCH + 1)):
        early = over ^ (EPOCH ^ epoch) << 39
        peer.send(note(27, sequence, early, value=9), written=False)
        peer.send(note(27, 4 + sequence, early | 1 << 38, at=0), written=False)
    await peer.settle()
    assert peer.replies() == [(27, 0, 1), (27, 4, 1), (27, 1, 1), (27, 5, 1)]
    assert bench.answers == [] and await bench.count("epoch") == 4

    # Requests: in a window that may be read, taken once.
    def ask(tid, source, size, **fields):
        line = struct.pack("<4Q", size, PEER << 48 | 5, source, 0)
        return Packet(HERE, REQUEST, tid, 1, 3, PEER, DOMAIN, line, transfer=77, **fields)

    wanted = ask(30, HERE | FIRST, 4000)
    dut.answer_refused_i.value = 1
    peer.send(wanted, written=False)
    await peer.settle()
    assert peer.replies() == [] and await bench.count("refused_request") == 1
    dut.answer_refused_i.value = 0
    bench.answers.clear()
    peer.send(
        replace(wanted, sequence=2, tries=1), replace(wanted, sequence=2, tries=1), written=False
    )
    bad = (ask(31, HERE | FIRST - 1, 10), ask(31, HERE | LAST, 2), ask(31, PEER << 48 | FIRST, 10))
    peer.send(*bad, ask(31, HERE | FIRST, 0), written=False)
    await peer.settle()
    assert peer.replies() == [(30, 2, 0)] * 2 + [(31, 1, 1)] * 4
    line = int.from_bytes(wanted.payload, "little")
    assert bench.answers == [(line, REQUEST, 30, 2, 3, PEER, DOMAIN, 77, 0)]
    bench.answers.clear()
    # Answers are handed on as they are, each of them.
    for kind in (ACK, NACK):
        peer.send(Packet(HERE, kind, 40, 12, 7, OTHER, DOMAIN), written=False)
    peer.send(Packet(PEER << 48, ACK, 40, 13, 7, OTHER, DOMAIN), written=False)
    await peer.settle()
    assert [a[1:] for a in bench.answers] == [
        (k, 40, 12, 7, OTHER, DOMAIN, 0, 0) for k in (ACK, NACK)
    ]
    assert peer.replies() == []


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def replies_that_do_not_leave(dut):
    """A network that takes no answers does not hold up what comes: answers are lost, and given when asked again."""
    bench = await begin(dut)
    peer = Peer(bench)
    dut.made_ready_i.value = 0
    peer.send(*[peer.message(0x6000 + 8 * n, bytes([n] * 8), n, 1) for n in range(100)])
    await peer.settle()
    assert await bench.count("lost_reply") == 36
    dut.made_ready_i.value = 1
    await cycles(dut.clk_i, 80)
    assert peer.replies() == [(n, 1, 0) for n in range(64)]
    peer.send(*[peer.message(0, bytes(8), n, 1) for n in range(64, 100)], written=False)
    await peer.settle()
    assert peer.replies() == [(n, 1, 0) for n in range(64, 100)]


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def anything(dut):
    """Many blocks at once, their packets in any order, doubled and damaged, with stalls everywhere."""
    bench, random = await begin(dut), rng("any")
    peer = Peer(bench)
    bench.stall(0.3)
    bench.feed_rate = 0.8
    packets = []
    for n in range(30):
        size = random.choice([1, 64, 1024, random.randrange(1, 4000)])
        block = peer.block(
            0x1100 + 8192 * n + random.randrange(4000), size, random.randrange(32) * 32 + n, n
        )
        packets += block + [p for p in block if random.random() < 0.3]
    random.shuffle(packets)
    for packet in packets:
        if random.random() < 0.2:
            words = packet.words(bench.packed)
            words[-1] ^= 1 << random.randrange(128)
            bench.deliver(words)
        peer.send(packet)
    await peer.settle()
    await bench.until(lambda: len({m[1] for m in bench.made}) == 30)
    assert {m[5] for m in bench.made} == {0}


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def marks(dut):
    """A mark of the network on any packet of a block is told with its answer and with no other; answers bring what they tell to the engine."""
    bench = await begin(dut)
    peer = Peer(bench)

    def echoes():
        found, bench.echoes[:] = list(bench.echoes), []
        return found

    sequence = 10
    for marked in ((), (0,), (1,), (2,), (), (0, 1, 2)):
        sequence += 1
        packets = peer.block(0x8000, 2500, 7, sequence)
        random = [replace(p, marked=int(p.index in marked)) for p in packets]
        bench.random.shuffle(random)
        peer.send(*random)
        await peer.settle()
        assert peer.replies() == [(7, sequence, 0)] and echoes() == [int(bool(marked))]
    # Complete, and answered again; nothing is left of a block that another one has followed.
    peer.send(packets[1], written=False)
    peer.send(replace(peer.block(0x8000, 2500, 7, sequence + 1)[0], marked=1))
    await peer.settle()
    assert peer.replies() == [(7, sequence, 0)] and echoes() == [1]
    peer.send(*peer.block(0x8000, 2500, 7, sequence + 2, 1))
    await peer.settle()
    assert peer.replies() == [(7, sequence + 2, 0)] and echoes() == [0]
    assert bench.marked == 7
    # A mark on a damaged packet is none. Nor is one on an answer what that tells.
    words = peer.message(0x6000, bytes(8), 1, 1, marked=1).words(bench.packed)
    bench.deliver([words[0] ^ 1, *words[1:]])
    ack = Packet(HERE, ACK, 600, 12, 7, OTHER, DOMAIN)
    for marked, echo in ((0, 0), (1, 0), (0, 1), (1, 1)):
        peer.send(replace(ack, marked=marked, echo=echo), written=False)
    await peer.settle()
    assert echoes() == [0, 0, 1, 1] and bench.marked == 9
    # Only an ACK tells of one; what breaks the format has none.
    before = await bench.count("bad_form")
    for packet in (peer.message(0x6000, bytes(8), 2, 1), replace(ack, kind=NACK)):
        peer.send(replace(packet, echo=1, marked=1), written=False)
    await peer.settle()
    assert echoes() == [] and await bench.count("bad_form") == before + 2
    assert bench.marked == 9


@pytest.mark.parametrize("packed", [False, True])
def test_rdma_receive(packed):
    run(__name__, packed=packed)
