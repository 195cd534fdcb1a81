# SPDX-License-Identifier: Apache-2.0
"""Two shells with registers and memories, and what may happen on the lanes between them."""

from pathlib import Path

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiBus, AxiRam
from slink_model import REQUEST, STP
from tb_common import cycles, params, registers, rng, stall, start_clock

REGISTERS = registers.description(Path(__file__).resolve().parents[1] / "regs/slink.rdl")
BYTES = 1 << 16  # of a memory, if nothing else is said
WAY = 8  # of slink_pair
PERIOD = 4000
LANES = {1: 0, 2: 1, 4: 2}
# The failures of status, and "done".
OUTCOMES = ("done", "exhausted", "silent", "refused", "reset")


class End:
    """One end: its registers, its memory."""

    def __init__(self, pair, name):
        dut = pair.dut
        self.clock, self.rst = getattr(dut, f"{name}_clk_i"), getattr(dut, f"{name}_rst_o")
        self.arst = getattr(dut, f"{name}_arst_i")
        self.flip, self.word = getattr(dut, f"{name}_flip_i"), getattr(dut, f"{name}_word_o")
        self.name, self.dut, self.random = name, dut, pair.random
        self.registers = registers.Registers(REGISTERS, dut, f"{name}_s_axil", self.clock, self.rst)
        self.ram = AxiRam(
            AxiBus.from_prefix(dut, f"{name}_m_axi"), self.clock, self.rst, size=pair.size
        )
        self.wanted = bytearray(self.random.randbytes(pair.size))
        self.ram.write(0, bytes(self.wanted))
        self.writes = []  # (address, beats) of every burst

    async def watch(self, channel):
        """What is offered stays; bursts have up to 16 beats and stay within 4 KB."""
        valid, ready, address, length, size = (
            getattr(self.dut, f"{self.name}_m_axi_{channel}{name}")
            for name in ("valid", "ready", "addr", "len", "size")
        )
        offered = None
        while self.rst.value != 0:
            await RisingEdge(self.clock)
        while True:
            if offered is None and valid.value == 0:
                await RisingEdge(valid)
            await RisingEdge(self.clock)
            if self.rst.value == 1:
                offered = None
                continue
            if valid.value == 0:
                assert offered is None
                continue
            now = int(address.value), int(length.value) + 1
            assert offered in (None, now)
            offered = None if ready.value == 1 else now
            first, last = now[0], now[0] + (now[1] << int(size.value)) - 1
            assert now[1] <= 16 and first // 4096 == last // 4096
            if offered is None and channel == "aw":
                self.writes.append(now)

    def stalls(self, rate):
        stall(self.ram, self.random, rate)

    async def program(self, option, words, lanes, crc, local, remote, *, new=0, gtps=1):
        """The published program, line by line; what its loop has read last."""
        pointer = self.registers
        if new:
            await pointer.write_word(0, 0)
        soft_resetn = 1
        start = 1 << 4
        xmode = LANES[lanes]
        await pointer.write_word(4, (option << 0) + (xmode << 5) + (crc << 4) + (words << 8))
        await pointer.write_word(8, remote)
        await pointer.write_word(12, local)
        await pointer.write_word(0, gtps + soft_resetn + start)
        polls = 0
        while (status := (await pointer.word(16))[0]) & 1:
            polls += 1
            assert polls < 40_000, hex(status)
        assert polls or self.outcome(status) == "refused", "it was busy at once"
        return status

    async def begin(self, option, words, lanes, crc, local, remote):
        """Starts one operation more, as soon as there is room; its number."""
        while await self.registers.field("queue", "full"):
            pass
        number = await self.registers.field("queue", "started")
        await self.registers.write("mode", read=option, crc=crc, lanes=LANES[lanes], length=words)
        await self.registers.write("remote_address", address=remote)
        await self.registers.write("local_address", address=local)
        await self.registers.write("control", run=2, start=1)
        return number

    async def ended(self):
        """Waits until no operation is under way."""
        while await self.registers.field("status", "busy"):
            pass

    def outcome(self, status):
        """The one way in which an operation has ended."""
        node = REGISTERS["status"]
        names = [name for name in OUTCOMES if status >> node.get_child_by_name(name).low & 1]
        assert len(names) == 1, hex(status)
        return names[0]

    def whole(self):
        return self.ram.read(0, len(self.wanted)) == bytes(self.wanted)


class Pair:
    def __init__(self, dut, name, size=BYTES):
        self.dut, self.random, self.size = dut, rng(name), size

    async def start(self, *, ratio=1.0, up=True, clocks=start_clock):
        dut = self.dut
        dut.a_flip_i.value = dut.b_flip_i.value = dut.fail_i.value = 0
        dut.cut_i.value = dut.slow_i.value = dut.able_coding_i.value = 0
        dut.able_fast_i.value = 3
        for end in "ab":
            for name in ("awvalid", "wvalid", "arvalid", "bready", "rready"):
                getattr(dut, f"{end}_s_axil_{name}").value = 0
            for name in ("awready", "wready", "bvalid", "arready", "rvalid"):
                getattr(dut, f"{end}_m_axi_{name}").value = 0
        dut.line_run_i.value = 3
        dut.a_arst_i.value = dut.b_arst_i.value = 1
        self.clocks = [
            clocks(dut.a_clk_i, PERIOD),
            clocks(dut.b_clk_i, 2 * round(PERIOD * ratio / 2)),
        ]
        await cycles(dut.a_clk_i, 8)
        # Not before: the memories would take what the first cycles offer, in which nothing is reset
        # yet.
        self.a, self.b = self.ends = End(self, "a"), End(self, "b")
        await cycles(dut.a_clk_i, 2)
        dut.a_arst_i.value = dut.b_arst_i.value = 0
        await cycles(dut.a_clk_i, 8)
        for end in self.ends:
            cocotb.start_soon(end.watch("aw"))
            cocotb.start_soon(end.watch("ar"))
        if up:
            for end in self.ends:
                await end.registers.write("control", run=2)
            await self.up()

    async def up(self):
        """Both ends hear each other: alignment and deskew take less than 500 words, a hello comes every Timeout."""
        for end in self.ends:
            for _ in range(200):
                if await end.registers.field("status", "up"):
                    break
                await cycles(end.clock, 20)
            else:
                raise AssertionError("the session does not come up")

    async def operation(self, end, option, words, lanes, crc, local, remote):
        """One that goes well: the memories are as they should be."""
        other = self.ends[end is self.a]
        status = await end.program(option, words, lanes, crc, local, remote)
        self.expect(end, option, words, local, remote)
        if not option and not crc:
            await self.settle()
        assert end.outcome(status) == "done"
        assert end.whole() and other.whole(), (option, words, lanes, crc, local, remote)
        return status

    def expect(self, end, option, words, local, remote):
        """What the memories have to hold behind it."""
        other = self.ends[end is self.a]
        size = 8 * (words or 65536)
        if option:
            end.wanted[local : local + size] = other.wanted[remote : remote + size]
        else:
            other.wanted[remote : remote + size] = end.wanted[local : local + size]

    async def settle(self):
        """What was sent has arrived, and is in the memory: no write for a while that a way takes."""
        count = -1
        while count != len(self.a.writes) + len(self.b.writes):
            count = len(self.a.writes) + len(self.b.writes)
            await cycles(self.dut.a_clk_i, 150)

    async def all_written(self):
        """Both memories hold what they have to, however slow they are: each takes a word in a hundred cycles, and has 8192."""
        for _ in range(8192 * 100 // 200):
            if self.a.whole() and self.b.whole():
                return
            await cycles(self.dut.a_clk_i, 200)
        raise AssertionError("a memory does not get what it has to hold")

    async def noise(self, rate, ends=None):
        """Flips raw bits with this probability, until it is cancelled."""
        ends = ends or self.ends

        async def one(end):
            while True:
                # The distance to the next wrong bit of 80 in a word.
                gap = int(self.random.expovariate(rate * 80))
                if gap:
                    await ClockCycles(end.clock, gap)
                end.flip.value = 1 << self.random.randrange(80)
                await RisingEdge(end.clock)
                end.flip.value = 0

        return [cocotb.start_soon(one(end)) for end in ends]

    def fault(self, end, which, word, mask=1 << 12, times=1):
        """Turns bits over in the given word of packets of one end: of the first `times` for whose header `which` is true."""
        return cocotb.start_soon(self._fault(end, which, word, mask, times))

    async def _fault(self, end, which, word, mask, times):
        at, due, header, lanes, left = 0, {}, 0, 0, 0
        start = 0
        while True:
            await RisingEdge(end.clock)
            at += 1
            # This assignment is for the word that was seen WAY edges ago.
            end.flip.value = due.pop(at, 0)
            flat = int(end.word.value)
            now = [flat >> 9 * i & 511 for i in range(8)]
            if now[1] == STP:
                lanes = 4 if now[7] == STP else 2 if now[3] == STP else 1
                start, left, header = at, 8, 0
            elif left:
                piece = [now[2 * lane + symbol] for symbol in range(2) for lane in range(lanes)]
                for character in piece:
                    header |= (character & 255) << 8 * (8 - left)
                    left -= 1
                if left == 0 and times and which(header):
                    times -= 1
                    due[start + word + WAY] = mask


def kind(header):
    return header >> 2 & 3


def is_request(header):
    return kind(header) == REQUEST


def width():
    return params()["DataWidth"]


def written(end):
    """Beats of the bus that were written to the memory of this end."""
    return sum(beats for _, beats in end.writes)


async def both_ends(pair, count, most):
    """Operations of both ends at once, with answers: each in its own half of the memories."""
    random = pair.random

    async def one(end, half):
        other = pair.ends[end is pair.a]
        done = 0
        for _ in range(count):
            option, words = random.randrange(2), random.randrange(1, most)
            local, remote = (8 * random.randrange(half, half + 4096 - words) for _ in range(2))
            status = await end.program(option, words, random.choice([1, 2, 4]), 1, local, remote)
            outcome = end.outcome(status)
            done += outcome == "done"
            size = 8 * words
            if outcome == "done":
                pair.expect(end, option, words, local, remote)
            else:
                # Told: in part, wholly or not at all.
                target, at = (end, local) if option else (other, remote)
                await pair.settle()
                target.wanted[at : at + size] = target.ram.read(at, size)
        return done

    tasks = [cocotb.start_soon(one(end, 4096 * (end is pair.b))) for end in pair.ends]
    done = [await task for task in tasks]
    assert pair.a.whole() and pair.b.whole()
    return done
