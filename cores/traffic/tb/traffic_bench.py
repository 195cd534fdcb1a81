# SPDX-License-Identifier: Apache-2.0
"""The player and the capture behind their registers, with sources and sinks of a library, and a model of when each beat is due."""

from dataclasses import dataclass
from pathlib import Path

import cocotb
from cocotb.triggers import RisingEdge, Timer
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from tb_common import StoppableClock, cycles, params, registers

REGISTERS = registers.description(Path(__file__).resolve().parents[1] / "regs/traffic.rdl")
EVENT_NAMES = [f.inst_name for f in REGISTERS["events"].fields()]
CLK, AXIL = 1000, 3400  # ps


@dataclass(frozen=True)
class Beat:
    """A beat to play (`at` or a wait) or to expect (`mark`); `cycles` is also when one was taken."""

    data: bytes
    last: bool
    cycles: int = 0
    at: bool = False
    mark: bool = False

    def seen(self):
        """What of it can be seen on a stream."""
        return self.data, self.last, self.mark


def packets_of(beats):
    """The bytes of every finished packet."""
    done, part = [], b""
    for beat in beats:
        part += beat.data
        if beat.last:
            done.append(part)
            part = b""
    return done


def random_beats(random, width, packets, most, far=12):
    """Some packets of some beats, at most `most` beats in all, with waits and cycles."""
    beats = []
    for _ in range(packets):
        length = random.randint(1, 4)
        if len(beats) + length > most:
            break
        for k in range(length):
            last = k == length - 1
            size = random.randint(0 if k else 1, width) if last else width
            at = random.random() < 0.3
            cycles_ = random.choice([0, 0, 1, 2, random.randrange(far)])
            cycles_ += len(beats) * random.randrange(3) if at else 0
            beats.append(Beat(random.randbytes(size), last, cycles_, at))
    return beats


class Monitor:
    """Every beat of a stream: when it was offered, and when it was taken, in cycles of the bench."""

    def __init__(self, bench, prefix):
        self.bench, self.prefix = bench, prefix
        self.beats, self.offered, self.taken, self.stalled = [], [], [], 0
        cocotb.start_soon(self.run())

    async def run(self):
        dut, pending = self.bench.dut, False
        signal = {
            n: getattr(dut, f"{self.prefix}_t{n}")
            for n in ("valid", "ready", "data", "keep", "last")
        }
        user = getattr(dut, f"{self.prefix}_tuser", None)
        while True:
            await RisingEdge(dut.clk_i)
            self.bench.now += self.prefix == "m_axis"
            if dut.rst_o.value != 0 or signal["valid"].value != 1:
                pending = False
                continue
            if not pending:
                self.offered.append(self.bench.now)
            pending = signal["ready"].value != 1
            if pending:
                self.stalled += 1
                continue
            size = int(signal["keep"].value).bit_count()
            data = int(signal["data"].value).to_bytes(self.bench.width, "little")[:size]
            last = signal["last"].value == 1
            mark = last and user is not None and user.value == 1
            self.beats.append(Beat(data, last, mark=mark))
            self.taken.append(self.bench.now)

    def forget(self):
        self.beats, self.offered, self.taken, self.stalled = [], [], [], 0


class Orders:
    """One core by its registers, `regs`."""

    def __init__(self, dut, random, width):
        self.dut, self.random, self.width = dut, random, width

    async def events(self):
        value = await self.regs.read("events")
        return {name for bit, name in enumerate(EVENT_NAMES) if value >> bit & 1}

    async def count(self, name):
        return await self.regs.read(f"observe.{name}")

    async def fence(self):
        """Everything ordered has had its effect."""
        given = await self.regs.read("orders")
        while await self.count("orders") != given:
            pass

    async def order_beat(self, register, beat, size=None):
        """One beat into the memory behind a register; `size` is what is said of its length."""
        padded = beat.data.ljust((self.width + 3) // 4 * 4, b"\0")
        for k in range(0, len(padded), 4):
            await self.regs.write("word", data=int.from_bytes(padded[k : k + 4], "little"))
        await self.regs.write("cycles", cycles=beat.cycles)
        flag = {"at": int(beat.at)} if register == "play_beat" else {"mark": int(beat.mark)}
        size = len(beat.data) if size is None else size
        await self.regs.write(register, bytes=size, last=int(beat.last), **flag)

    async def load(self, beats):
        await self.regs.write("play", load=1)
        for beat in beats:
            await self.order_beat("play_beat", beat)

    async def expect(self, beats):
        await self.regs.write("capture", load=1)
        for beat in beats:
            await self.order_beat("expected", beat)

    async def start_playing(self, times=1):
        await self.regs.write("play_runs", n=times)
        await self.regs.write("play", start=1)

    async def until(self, event):
        """Waits for an event; it and no other one is set."""
        while not (found := await self.events()):
            pass
        assert found == {event}, found
        await self.regs.forget_events()

    async def shown(self, index):
        """One beat of the memory of the capture."""
        await self.regs.write("window", index=index)
        await self.fence()
        head = await self.regs.read("observe.window.beat")
        data = b""
        for k in range((self.width + 7) // 8):
            data += (await self.regs.read(f"observe.window.data[{k}]")).to_bytes(8, "little")
        size = head >> 32 & 0xFFF
        assert data[size:].strip(b"\0") == b""
        return Beat(data[:size], bool(head >> 44 & 1), head & 0xFFFFFFFF, mark=bool(head >> 45 & 1))


class Bench(Orders):
    """One core: `m` and `s` see its streams, `sink` and `source` are at their other ends."""

    def __init__(self, dut, random):
        given = params()
        super().__init__(dut, random, given["Bytes"])
        self.now, self.depth = 0, given["PlayDepth"]
        self.capture_depth, self.modulus = given["CaptureDepth"], 1 << given["CounterWidth"]
        for name in ("awvalid", "wvalid", "arvalid", "bready", "rready"):
            getattr(dut, f"s_axil_{name}").value = 0
        dut.arst_i.value = dut.axil_arst_i.value = 0
        dut.s_axis_tvalid.value = dut.m_axis_tready.value = 0

    async def start(self):
        """Clocks, both resets, registers that answer; what the reset has reported is forgotten."""
        dut = self.dut
        await Timer(CLK, "ps")
        dut.arst_i.value = dut.axil_arst_i.value = 1
        await Timer(CLK, "ps")
        self.clock, self.axil_clock = (
            StoppableClock(dut.clk_i, CLK),
            StoppableClock(dut.axil_clk_i, AXIL),
        )
        await Timer(12 * AXIL, "ps")
        self.m, self.s = Monitor(self, "m_axis"), Monitor(self, "s_axis")
        at = dut.clk_i, dut.rst_o
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), *at)
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), *at)
        self.regs = registers.Registers(REGISTERS, dut, "s_axil", dut.axil_clk_i, dut.axil_arst_i)
        dut.axil_arst_i.value = dut.arst_i.value = 0
        await cycles(dut.axil_clk_i, 40)
        assert await self.events() == {"cleared"}
        await self.regs.forget_events()

    def hinder(self, stream, share):
        """Its end pauses in this share of the cycles."""
        if share:
            stream.set_pause_generator(iter(lambda: self.random.random() < share, None))
        else:
            stream.clear_pause_generator()
            stream.pause = False

    async def played(self):
        """Waits for the end; what was played, counted, taken by the library."""
        await self.until("play_done")
        m = self.m
        assert await self.count("play_beats") == len(m.beats) % self.modulus
        assert await self.count("play_packets") == sum(b.last for b in m.beats) % self.modulus
        assert await self.count("play_stalled") == m.stalled % self.modulus
        assert not await self.regs.field("observe.state", "playing")
        wanted = packets_of(m.beats)
        for packet in wanted:
            assert self.sink.recv_nowait().tdata == packet
        assert self.sink.empty()

    def check_times(self, beats, times):
        """Every beat of every run was offered in the cycle in which it was due, and carried what was loaded."""
        m = self.m
        # The first beat is due in, or some cycles behind, cycle 0; from there on all follows.
        zero = m.offered[0] - beats[0].cycles
        taken = begin = zero - 1
        for k, beat in enumerate(b for _ in range(times) for b in beats):
            if k % len(beats) == 0:
                begin = taken
            due = taken + 1 + beat.cycles
            if beat.at:
                due = max(taken, begin + beat.cycles) + 1
            assert m.offered[k] == due, (k, beat.cycles, beat.at, m.offered[k] - zero, due - zero)
            assert m.beats[k].seen() == beat.seen(), k
            taken = m.taken[k]
        assert len(m.beats) == times * len(beats)

    def send(self, beats):
        """Offers packets at s_axis; a packet may be empty."""
        part = b""
        for beat in beats:
            part += beat.data
            if beat.last:
                user = [0] * len(part)
                frame = AxiStreamFrame(part, tuser=[*user[1:], int(beat.mark)] if part else None)
                self.source.send_nowait(frame)
                part = b""

    async def sent(self):
        await self.source.wait()
        await cycles(self.dut.clk_i, 4)
