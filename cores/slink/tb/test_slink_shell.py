# SPDX-License-Identifier: Apache-2.0
"""Two ends joined by their lanes: the published program, all modes, latency, and every way in which an operation may go wrong."""

import pathlib

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from cocotb.utils import get_sim_time
from slink_model import DATA, DONE, STP, SYMBOLS
from slink_shell import Pair, both_ends, is_request, kind, written
from tb_common import build_and_run, cycles, params, rtl
from tb_common.waves import Waveform, level, shown

TIMEOUT = 1024
END = 0x1FD  # of a packet
RETRIES = 16


@cocotb.test()
async def modes(dut):
    """The published program in all 24 modes: right behind a reset, any addresses, memories that stall."""
    pair = Pair(dut, "modes")
    random = pair.random
    await pair.start(up=False)
    for gtps in (0, 1):
        new = 1
        for mode in range(12):
            option, crc, lanes = mode & 1, mode >> 1 & 1, (1, 2, 4)[mode >> 2]
            rate = random.choice([0, 0.1, 0.4])
            for end in pair.ends:
                end.stalls(rate)
            end, other = pair.ends if random.randrange(2) else pair.ends[::-1]
            words = random.choice([1, 2, 63, 64, random.randrange(1, 300)])
            local, remote = (8 * random.randrange(8192 - words) for _ in range(2))
            if new:
                # A speed is for both ends.
                await other.registers.write("control", run=0)
                await other.registers.write("control", run=1 + gtps)
            pair.expect(end, option, words, local, remote)
            status = await end.program(option, words, lanes, crc, local, remote, new=new, gtps=gtps)
            assert end.outcome(status) == "done", (mode, hex(status))
            await pair.settle()
            assert pair.a.whole() and pair.b.whole(), (gtps, mode, words, local, remote)
            # A session may take longer than one time-out.
            assert (new or status >> 8 & 255 == 0) and status >> 16 == words, hex(status)
            assert int(dut.speed_o.value) == 5 * (1 + gtps)
            new = 0


@cocotb.test()
async def every_register(dut):
    """Reset values; what can be written keeps it, and what cannot refuses; but for `run`."""
    pair = Pair(dut, "every register")
    await pair.start(up=False)
    for end in pair.ends:
        await end.registers.check_reset_values()
        await end.registers.check_writes(pair.random, but=["run"])


@cocotb.test()
async def sizes(dut):
    """From the shortest to the longest operation."""
    pair = Pair(dut, "sizes", 1 << 20)
    await pair.start()
    for words in (1, 2, 63, 64, 512, 65536):
        for option in (0, 1):
            for crc in (0, 1):
                place = (1 << 17) - words
                local, remote = (8 * pair.random.randrange(place) for _ in range(2))
                lanes = pair.random.choice([1, 2, 4]) if words < 65536 else 4
                status = await pair.operation(pair.a, option, words, lanes, crc, local, remote)
                assert status >> 8 & 255 == 0, hex(status)


@cocotb.test()
async def at_once(dut):
    """Both ends start operations at once, with clocks that differ and memories that stall."""
    pair = Pair(dut, "at once")
    await pair.start(ratio=1.0005)
    for end in pair.ends:
        end.stalls(0.1)
    assert await both_ends(pair, 12, 150) == [12, 12]


@cocotb.test()
async def noise(dut):
    """Wrong bits on all lanes: each operation is done, or its end is told."""
    pair = Pair(dut, "noise")
    await pair.start()
    await pair.noise(3e-5)
    await both_ends(pair, 15, 100)


@cocotb.test()
async def latency(dut):
    """From the memory of one end to that of the other: the time on the lanes and one constant, for reads another one."""
    pair = Pair(dut, "latency")
    await pair.start()
    a, b = pair.ends

    def names(end, *signals):
        return [getattr(dut, f"{end.name}_m_axi_{name}") for name in signals]

    async def edges(found):
        """Of this operation: the first beat read by A, its first word, the first beat written by anybody."""
        clock = 0
        (read,), writes = names(a, "rvalid"), names(a, "wvalid") + names(b, "wvalid")
        while "write" not in found:
            await RisingEdge(a.clock)
            clock += 1
            if read.value == 1:
                found.setdefault("read", clock)
            if int(a.word.value) >> 9 & 511 == STP:
                found.setdefault("word", clock)
            if any(write.value == 1 for write in writes):
                found["write"] = clock

    for option in (0, 1):
        constants = {}
        for crc in (0, 1):
            for lanes in (1, 2, 4):
                words, found = 64, {}
                task = cocotb.start_soon(edges(found))
                await pair.operation(a, option, words, lanes, crc, 0, 4096)
                await task
                whole = 1 + 8 + (8 * words + 2 if crc else 8)
                symbols = -(-whole // lanes) + option * -(-10 // lanes)
                took = found["write"] - found["word" if option else "read"]
                constants[crc, lanes] = took - symbols / 2
        print(f"latency of {'reads' if option else 'writes'}: symbols and cycles {constants}")
        assert max(constants.values()) - min(constants.values()) <= 2


@cocotb.test()
async def as_pictured(dut):
    """The picture of the book: four words go from the memory of A to that of B, over four lanes."""
    pair = Pair(dut, "pictured")
    await pair.start()

    def packets(end):
        """What an end has on its lanes, from STP to END."""
        inside = False

        def now():
            nonlocal inside
            word = int(end.word.value)
            symbols = [word >> 9 * place & 511 for place in range(4 * SYMBOLS)]
            said = "packet" if inside or STP in symbols else None
            inside = said is not None and END not in symbols
            return said

        return now

    def axi(name, *signals):
        """Handshakes, and the end of a burst while there is one."""
        bits = {signal: level(getattr(dut, f"{name}_m_axi_{signal}")) for signal in signals}
        return {
            f"{name.upper()}: m_axi_{signal}": shown(bits[f"{signal[0]}valid"], level)
            if signal.endswith("last")
            else level
            for signal, level in bits.items()
        }

    wave = Waveform(
        pair.a.clock,
        axi("a", "arvalid", "rvalid", "rlast")
        | {"line A to B": packets(pair.a)}
        | axi("b", "awvalid", "wvalid", "wlast", "bvalid")
        | {"line B to A": packets(pair.b), "A: irq": level(dut.irq_o)},
    )
    await pair.a.registers.write("event_enable", ended=1)

    async def record():
        await RisingEdge(dut.a_m_axi_arvalid)
        await wave.record(62)

    task = cocotb.start_soon(record())
    await pair.operation(pair.a, 0, 4, 4, 1, 0, 4096)
    await task
    wave.check("slink-write")


@cocotb.test()
async def efficiency(dut):
    """4 KB over one lane: what of the time on the line is data."""
    pair = Pair(dut, "efficiency")
    await pair.start()

    async def length(found):
        """Words of the packet: from STP to END, which is in the last one."""
        inside = False
        while True:
            await RisingEdge(pair.a.clock)
            first = int(pair.a.word.value)
            inside |= first >> 9 & 511 == STP
            if inside:
                found.append(first & 0x3FFFF)
                if END in (first & 511, first >> 9 & 511):
                    return

    for crc, least in ((0, 0.997), (1, 0.995)):
        found = []
        task = cocotb.start_soon(length(found))
        await pair.operation(pair.a, 0, 512, 1, crc, 0, 0)
        await task
        part = 4096 / (2 * len(found))
        print(f"efficiency of 4096 bytes over one lane, CRC {crc}: {part:.4f}")
        assert part >= least


@cocotb.test()
async def lost_words(dut):
    """Each word of a write and of its answer turned over in turn: it comes again, and is written once."""
    pair = Pair(dut, "lost words")
    await pair.start()
    a, b = pair.ends
    for lanes in (1, 2, 4):
        # Header, one beat, code and END; the answer has no beat.
        for end, count in ((a, 2 + 8 // lanes + (lanes == 1)), (b, 1 + 4 // lanes)):
            for word in range(count):
                before = written(b)
                # In the first word STP is the second symbol.
                bits = 1 << 12 if word == 0 else 1 << pair.random.randrange(10)
                task = pair.fault(
                    end, is_request if end is a else lambda h: kind(h) == DONE, word, bits
                )
                status = await pair.operation(a, 0, 1, lanes, 1, 8, 8 * (word + 1))
                # The answer to a copy that was not needed is not one to the next operation.
                await pair.settle()
                task.cancel()
                end.flip.value = 0
                # A lost END is told when the next packet starts, and asks for another one.
                assert 1 <= status >> 8 & 255 <= 2, (lanes, word, hex(status))
                assert written(b) == before + 1, (lanes, word)


@cocotb.test()
async def answers(dut):
    """An answer is lost: what the other end writes itself meanwhile stays. Answers lost too often: the user is told."""
    pair = Pair(dut, "answers")
    await pair.start()
    a, b = pair.ends
    pair.fault(b, lambda h: kind(h) == DONE, 0)
    task = cocotb.start_soon(a.program(0, 8, 1, 1, 0, 0))
    while not b.writes:
        await RisingEdge(a.clock)
    await cycles(a.clock, 50)
    b.wanted[:64] = pair.random.randbytes(64)
    b.ram.write(0, bytes(b.wanted[:64]))
    status = await task
    assert a.outcome(status) == "done" and status >> 8 & 255 == 1 and b.whole()


@cocotb.test()
async def damaged_blocks(dut):
    """A block of a long write is damaged: what is written already is not written again, and the rest comes."""
    pair = Pair(dut, "blocks")
    await pair.start()
    a, b = pair.ends
    for block in (0, 1, 2):
        pair.fault(a, is_request, 2 + 257 * block + 9)
        before = written(b)
        status = await pair.operation(a, 0, 600, 4, 1, 512, 8 * pair.random.randrange(7000))
        assert status >> 8 & 255 == 1 and status & 4, hex(status)
        assert written(b) == before + 600 * 8 // (params()["DataWidth"] // 8)


@cocotb.test()
async def reads(dut):
    """Read data that are damaged, and requests for them, come again; all of them, of one reading."""
    pair = Pair(dut, "reads")
    await pair.start()
    a, b = pair.ends
    for end, which, word in ((b, lambda h: kind(h) == DATA, 300), (a, is_request, 1)):
        pair.fault(end, which, word, times=2)
        status = await pair.operation(a, 1, 600, 4, 1, 512, 1024)
        assert status >> 8 & 255 == 2 and bool(status & 4) == (end is b), hex(status)
    # Without CRC a symbol that is impossible is known, and the data are no good: zero has two
    # forms, one for each disparity.
    b.wanted[:32] = bytes(32)
    b.ram.write(0, bytes(32))
    pair.fault(b, lambda h: kind(h) == DATA, 9, 0b1111111111)
    status = await a.program(1, 4, 1, 0, 0, 0)
    assert status & 0b11111110 & ~0x80 == 0b100, hex(status)
    a.wanted[:32] = a.ram.read(0, 32)
    await pair.operation(a, 1, 4, 1, 0, 0, 0)


@cocotb.test()
async def exhausted(dut):
    """Damaged again and again, or no answer at all: sixteen retries, the user is told, and the next operation goes well."""
    pair = Pair(dut, "exhausted")
    await pair.start()
    a, b = pair.ends
    task = pair.fault(a, is_request, 10, times=99)
    status = await a.program(0, 16, 1, 1, 0, 0)
    task.cancel()
    a.flip.value = 0
    assert a.outcome(status) == "exhausted" and status >> 8 & 255 == RETRIES and b.whole()
    await pair.operation(a, 0, 16, 1, 1, 0, 0)
    task = pair.fault(b, lambda h: kind(h) == DONE, 0, times=99)
    status = await a.program(0, 16, 1, 1, 0, 64)
    task.cancel()
    b.flip.value = 0
    assert a.outcome(status) == "silent" and status >> 8 & 255 == RETRIES
    # It was executed, once; the end that asked for it does not know.
    b.wanted[64:192] = a.wanted[:128]
    await pair.operation(a, 0, 16, 1, 1, 0, 256)


@cocotb.test()
async def headers(dut):
    """Without CRC, too, a damaged header writes nowhere."""
    pair = Pair(dut, "headers")
    await pair.start()
    a, b = pair.ends
    for word in (1, 2, 3, 4):
        await b.registers.write("events", damaged=1)
        pair.fault(a, is_request, word, 1 << pair.random.randrange(20))
        status = await a.program(0, 4, 1, 0, 0, 64 * word)
        assert a.outcome(status) == "done"
        await pair.settle()
        assert b.whole() and not b.writes
        assert await b.registers.field("events", "damaged") == 1


@cocotb.test()
async def window(dut):
    """Pages outside the window are neither read nor written, and the user is told where there is an answer."""
    pair = Pair(dut, "window")
    await pair.start()
    a, b = pair.ends
    await b.registers.write("window_first", page=2)
    await b.registers.write("window_last", page=5)
    inner, outer = (0x2000, 0x5FF0), (0, 0x1FF8, 0x5FF8, 0x6000, 0xFFFFFFF8)
    for option in (0, 1):
        for crc in (0, 1):
            for remote in outer:
                status = await a.program(option, 2, 4, crc, 0, remote)
                want = "refused" if option or crc else "done"
                assert a.outcome(status) == want, (option, crc, hex(remote), hex(status))
                await pair.settle()
                assert a.whole() and b.whole()
            for remote in inner:
                await pair.operation(a, option, 2, 4, crc, 0, remote)
    # The operation itself is none.
    for lanes, local, remote in ((3, 0, 0x2000), (0, 4, 0x2000), (0, 0, 0x2001)):
        await a.registers.write("mode", length=1, lanes=lanes, crc=1)
        await a.registers.write("remote_address", address=remote)
        await a.registers.write("local_address", address=local)
        await a.registers.write("control", run=2, start=1)
        assert a.outcome(await a.registers.read("status")) == "refused"


@cocotb.test()
async def memory_errors(dut):
    """A memory that answers with an error: the user is told at the end that wanted the data."""
    pair = Pair(dut, "memory")
    await pair.start()
    a = pair.a
    # Of the source, by bit of fail_i: data that are none never arrive whole. Of the destination:
    # refused.
    for fail, option, crc, want in (
        (1, 0, 0, "refused"),
        (1, 0, 1, "exhausted"),
        (2, 0, 1, "refused"),
        (2, 1, 1, "exhausted"),
        (1, 1, 1, "refused"),
    ):
        dut.fail_i.value = fail
        status = await a.program(option, 4, 4, crc, 0, 64)
        dut.fail_i.value = 0
        assert a.outcome(status) == want, (fail, option, crc, hex(status))
        await pair.settle()
        for end in pair.ends:
            end.wanted[:] = end.ram.read(0, len(end.wanted))
        await pair.operation(a, 0, 4, 4, 1, 0, 64)


@cocotb.test()
async def slow_memories(dut):
    """Memories slower than the lines: the other end waits; nothing is lost, sent again or late, with or without CRC."""
    pair = Pair(dut, "slow")
    await pair.start()
    a, b = pair.ends
    b.stalls(0.75)
    for option, crc, end in ((0, 1, a), (0, 0, a), (1, 1, b), (1, 0, b)):
        words = 700 + pair.random.randrange(300)
        status = await end.program(option, words, 4, crc, 0, 4096)
        assert end.outcome(status) == "done" and status >> 8 & 255 == 0, hex(status)
        pair.expect(end, option, words, 0, 4096)
        await pair.all_written()
    # Writes without an answer, as fast as they can be started, to a memory that takes an address
    # now and then.
    b.stalls(0.9)
    for _ in range(25):
        words = pair.random.choice([1, 2, 40])
        local, remote = (8 * pair.random.randrange(8192 - words) for _ in range(2))
        await a.program(0, words, 4, 0, local, remote)
        pair.expect(a, 0, words, local, remote)
    # What is sent next from there has to be there.
    await pair.all_written()
    # Both ends at once: HLD within the packets of the other direction.
    for end in pair.ends:
        end.stalls(0.7)
    tasks = [cocotb.start_soon(end.program(0, 600, 4, 0, 8192, 32768)) for end in pair.ends]
    for task, end in zip(tasks, pair.ends, strict=True):
        assert end.outcome(await task) == "done"
        pair.expect(end, 0, 600, 8192, 32768)
    await pair.all_written()
    for end in pair.ends:
        assert await end.registers.field("events", "damaged") == 0


@cocotb.test()
async def dead_memory(dut):
    """A memory that takes nothing any more is not waited for without an end: the user is told."""
    pair = Pair(dut, "dead")
    await pair.start()
    a, b = pair.ends
    b.ram.write_if.w_channel.pause = True
    status = await a.program(0, 600, 4, 1, 0, 0)
    assert a.outcome(status) in ("exhausted", "silent"), hex(status)
    b.ram.write_if.w_channel.pause = False
    await pair.up()
    await pair.settle()
    b.wanted[:4800] = b.ram.read(0, 4800)
    await pair.operation(a, 0, 600, 4, 1, 0, 0)


@cocotb.test()
async def resets(dut):
    """One end is reset while the other one is busy: that one is told, and both go on by themselves."""
    pair = Pair(dut, "resets")
    await pair.start()
    a, b = pair.ends
    for turn in range(4):
        task = cocotb.start_soon(b.program(turn & 1, 400, 1, 1, 0, 4096))
        await cycles(a.clock, 300 + pair.random.randrange(400))
        # The program of the other end, with another speed: it begins with a reset.
        status = await a.program(0, 16, 2, 1, 0, 32768, new=1, gtps=0)
        assert a.outcome(status) == "done"
        # A packet of data that is being sent goes out first: a read may have got them all.
        assert b.outcome(await task) in (("reset", "done") if turn & 1 else ("reset",))
        pair.expect(a, 0, 16, 0, 32768)
        await pair.settle()
        for end, at in ((a, 4096), (b, 0)):
            end.wanted[at : at + 3200] = end.ram.read(at, 3200)
        assert a.whole() and b.whole()
        await pair.operation(b, 0, 16, 1, 1, 0, 64)


@cocotb.test()
async def busy(dut):
    """While an operation is under way it cannot be changed, nor another one started; its end is an event."""
    pair = Pair(dut, "busy")
    await pair.start()
    a, b = pair.ends
    await a.registers.write("event_enable", ended=1)
    await b.registers.write("event_enable", served=1)
    assert dut.irq_o.value == 0
    await a.registers.write("mode", length=300, crc=1)
    await a.registers.write("local_address", address=64)
    await a.registers.write("remote_address", address=128)
    await a.registers.write("control", run=2, start=1)
    await a.registers.write("mode", length=1, read=1)
    await a.registers.write("local_address", address=8)
    await a.registers.write("remote_address", address=8)
    await a.registers.write("control", run=2, start=1)
    assert dut.irq_o.value == 0 and await a.registers.field("status", "busy") == 1
    while await a.registers.field("status", "busy"):
        pass
    pair.expect(a, 0, 300, 64, 128)
    await pair.settle()
    assert b.whole() and a.whole() and dut.irq_o.value == 3
    assert await a.registers.field("mode", "length") == 300
    for end, name in ((a, "ended"), (b, "served")):
        await end.registers.write("events", **{name: 1})
    await cycles(a.clock, 2)
    assert dut.irq_o.value == 0
    assert await a.registers.read("magic") == 0x534C4E4B
    assert await a.registers.field("version", "map_major") == 1


SOURCE, READ, WRITTEN = (
    0,
    8192,
    16384,
)  # of both memories: what is never written, what reads bring, what writes do


async def several_of(pair, end, count):
    """Starts operations without waiting for the ones before, and writes them all into one place; the words of the writes."""
    random, total = pair.random, 0
    for at in range(count):
        option, words = int(random.random() < 0.3), random.randrange(1, 60)
        source, target = (8 * random.randrange(128 - words) for _ in range(2))
        if option:
            local, remote = READ + 1024 * at, SOURCE + source
        else:
            local, remote = SOURCE + source, WRITTEN + target
            total += words
        lanes = random.choice([1, 2, 4])
        assert await end.begin(option, words, lanes, 1, local, remote) == at
        pair.expect(end, option, words, local, remote)
    await end.ended()
    for slot in range(params()["Outstanding"]):
        assert await end.registers.field("queue", f"outcome_{slot}") == 1
    return total


@cocotb.test()
async def several(dut):
    """Several operations of each end under way, packets damaged and lost: all are done, writes once each and in their order."""
    pair = Pair(dut, "several")
    await pair.start(ratio=1.0005)
    random = pair.random
    for end in pair.ends:
        end.stalls(random.choice([0, 0.3]))
        # Few enough for the limit of retries, whichever operation they hit.
        for which, word in ((is_request, 1), (is_request, 8), (lambda h: kind(h) == DONE, 1)):
            skip = random.randrange(4)

            def hits(header, which=which, left=[skip]):  # noqa: B006
                left[0] -= which(header)
                return which(header) and left[0] < 0

            pair.fault(end, hits, word)
    tasks = [cocotb.start_soon(several_of(pair, end, 8)) for end in pair.ends]
    words = [await task for task in tasks]
    await pair.settle()
    assert pair.a.whole() and pair.b.whole()
    for other, count in zip(pair.ends[::-1], words, strict=True):
        assert sum(beats for address, beats in other.writes if address >= WRITTEN) == count


@cocotb.test()
async def one_of_several(dut):
    """One operation is refused: it is told of by itself, and the ones behind it are done."""
    pair = Pair(dut, "one of several")
    await pair.start()
    a, b = pair.ends
    await b.registers.write("window_last", page=7)
    most = params()["Outstanding"]
    assert await a.registers.field("queue", "most") == most
    for bad in range(most):
        for at in range(most):
            remote = 0x8000 if at == bad else 64 * at
            await a.begin(0, 4, 4, 1, 256 * bad, remote)
            if at != bad:
                pair.expect(a, 0, 4, 256 * bad, remote)
        await a.ended()
        for at in range(most):
            got = await a.registers.field("queue", f"outcome_{at}")
            assert got == (2 if at == bad else 1)
        await pair.settle()
        assert a.whole() and b.whole()


@cocotb.test()
async def each_end_is_an_event(dut):
    """The end of each operation is an event of its own, while others are still under way."""
    pair = Pair(dut, "events")
    await pair.start()
    a = pair.a
    await a.registers.write("event_enable", ended=1)

    async def event():
        """Waits for one, and clears it; whether an operation is under way then."""
        for _ in range(20_000):
            await RisingEdge(a.clock)
            if int(dut.irq_o.value) & 1:
                break
        else:
            raise AssertionError("no event")
        busy = await a.registers.field("status", "busy")
        await a.registers.write("events", ended=1)
        return busy

    for _ in range(params()["Outstanding"] + 1):
        # The write is over long before the data of the read, 8000 words of the lane, have arrived.
        await a.begin(0, 8, 1, 1, 0, 8192)
        pair.expect(a, 0, 8, 0, 8192)
        await a.begin(1, 2000, 1, 1, 16384, 16384)
        pair.expect(a, 1, 2000, 16384, 16384)
        assert [await event(), await event()] == [1, 0]
    await pair.settle()
    assert pair.a.whole() and pair.b.whole()


@cocotb.test()
async def several_are_faster(dut):
    """Short operations: several under way take less than half the time of one after the other."""
    pair = Pair(dut, "faster")
    await pair.start()
    took = []
    for wait in (True, False):
        begin = get_sim_time("step")
        for _ in range(16):
            await pair.a.begin(1, 1, 4, 1, 0, 0)
            if wait:
                await pair.a.ended()
        await pair.a.ended()
        took.append(get_sim_time("step") - begin)
    print(f"several: {took[1] / took[0]:.2f} of the time of one after the other")
    assert 2 * took[1] < took[0]


CASES = {
    64: [
        "every_register",
        "modes",
        "at_once",
        "noise",
        "efficiency",
        "lost_words",
        "answers",
        "damaged_blocks",
        "reads",
        "exhausted",
        "headers",
        "window",
        "memory_errors",
        "slow_memories",
        "dead_memory",
        "resets",
        "busy",
    ],
    128: ["sizes", "modes", "at_once"],
}
SEVERAL = [
    "several",
    "one_of_several",
    "each_end_is_an_event",
    "several_are_faster",
    "noise",
    "damaged_blocks",
    "resets",
]


# Where a cycle more in the crossing counts, the synchronisers do not jitter.
@pytest.mark.parametrize(
    ("width", "exact"), [(64, 0), (64, 1), pytest.param(128, 0, marks=pytest.mark.long)]
)
def test_slink_shell(width, exact):
    build_and_run(
        "slink_pair",
        [*rtl("prim", "line", "slink"), pathlib.Path(__file__).with_name("slink_pair.sv")],
        {"DataWidth": width, "Timeout": TIMEOUT},
        __name__,
        testcase=["latency", "as_pictured"] if exact else CASES[width],
        sync_jitter=not exact,
    )


@pytest.mark.parametrize("outstanding", [pytest.param(2, marks=pytest.mark.long), 4])
def test_several(outstanding):
    build_and_run(
        "slink_pair",
        [*rtl("prim", "line", "slink"), pathlib.Path(__file__).with_name("slink_pair.sv")],
        {"DataWidth": 64, "Timeout": TIMEOUT, "Outstanding": outstanding},
        __name__,
        testcase=SEVERAL,
        sync_jitter=True,
    )
