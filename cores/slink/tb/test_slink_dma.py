# SPDX-License-Identifier: Apache-2.0
"""slink_store, slink_dma_write, slink_dma_read at a memory: bursts, addresses, stalls, beats that are dropped."""

import pathlib

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiBus, AxiRam
from tb_common import build_and_run, params, reset, rng, rtl, stall, start_clock

BYTES = 1 << 14
DEPTH = 64


class Bench:
    def __init__(self, dut, random):
        self.dut, self.random = dut, random
        self.width = params()["DataWidth"] // 8
        self.lengths = []  # of all bursts, in beats of the bus
        self.wanted = bytearray()
        self.above = 0  # what the memory, which comes again and again, does not see of an address

    def anywhere(self):
        """Somewhere in the 4 GB: often across a power of two."""
        end = (1 << 32) // BYTES - 2
        power = (1 << self.random.randrange(1, 18)) - 1
        self.above = BYTES * min(end, self.random.choice((power, self.random.randrange(end))))

    async def start(self):
        dut = self.dut
        for name in (
            "set_i",
            "s_valid_i",
            "good_i",
            "drop_i",
            "job_valid_i",
            "m_ready_i",
            "fail_i",
        ):
            getattr(dut, name).value = 0
        start_clock(dut.clk_i, 1000)
        self.ram = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk_i, dut.rst_i, size=BYTES)
        self.wanted = bytearray(self.random.randbytes(BYTES))
        self.ram.write(0, bytes(self.wanted))
        await reset(dut.clk_i, dut.rst_i)
        cocotb.start_soon(self._watch("aw"))
        cocotb.start_soon(self._watch("ar"))
        cocotb.start_soon(self._count())

    async def _watch(self, channel):
        """What is offered stays; bursts have up to 16 beats and stay within 4 KB."""
        signal = {
            name: getattr(self.dut, f"m_axi_{channel}{name}")
            for name in ("valid", "ready", "addr", "len", "size", "burst")
        }
        offered = None
        while True:
            await RisingEdge(self.dut.clk_i)
            now = tuple(int(signal[name].value) for name in ("valid", "addr", "len"))
            assert offered is None or now == offered
            offered = None
            if now[0]:
                first, beats = now[1], now[2] + 1
                assert first % self.width == 0 and beats <= 16
                assert self.above <= first < self.above + 2 * BYTES
                assert first // 4096 == (first + beats * self.width - 1) // 4096
                assert 1 << int(signal["size"].value) == self.width
                assert int(signal["burst"].value) == 1
                if signal["ready"].value == 1:
                    self.lengths.append(beats)
                else:
                    offered = now

    async def _count(self):
        """When all is written, all bursts have been answered; 15 are open at most."""
        dut, begun = self.dut, 0
        while True:
            await RisingEdge(dut.clk_i)
            assert 0 <= begun <= 15 and (begun == 0 or dut.empty_o.value == 0)
            begun += int(dut.m_axi_awvalid.value & dut.m_axi_awready.value)
            begun -= int(dut.m_axi_bvalid.value & dut.m_axi_bready.value)

    async def beat(self, data=None, good=False, drop=False):
        self.dut.s_valid_i.value = data is not None
        self.dut.s_data_i.value = int.from_bytes(data or b"", "little")
        self.dut.good_i.value, self.dut.drop_i.value = good, drop
        await RisingEdge(self.dut.clk_i)

    async def packet(self, address, pieces, room):
        """Pieces of beats, each with whether it is found good, to an address; room: the next one when all is written."""
        self.dut.set_i.value = 1
        self.dut.address_i.value = (self.above + address) // 8
        await RisingEdge(self.dut.clk_i)
        self.dut.set_i.value = 0
        for data, good in pieces:
            for at in range(0, len(data), 8):
                await self.beat(data[at : at + 8], good and at + 8 == len(data))
                assert self.dut.overflow_o.value == 0
            if not good:
                await self.beat(drop=True)
            if good:
                for at, byte in enumerate(data, address):
                    self.wanted[at % BYTES] = byte
                address += len(data)
            await self.beat()
            if room:
                await self.empty()
        await self.beat()
        await self.empty()
        for _ in range(3):
            assert self.dut.free_o.value == 1 and self.dut.empty_o.value == 1
            await self.beat()
        assert self.ram.read(0, BYTES) == bytes(self.wanted)

    async def empty(self):
        # A good beat is counted in the clock behind it.
        await self.beat()
        await self.beat()
        while self.dut.empty_o.value == 0:
            await RisingEdge(self.dut.clk_i)


@cocotb.test()
async def writes(dut):
    """Any address and length, pieces that are dropped, a memory that stalls: nothing else is written."""
    random = rng("writes")
    bench = Bench(dut, random)
    await bench.start()
    for turn in range(40):
        stall(bench.ram, bench.random, random.choice([0, 0.3, 0.8]) if turn else 0)
        pieces = [
            (random.randbytes(8 * random.randrange(1, DEPTH // 2)), random.random() < 0.7)
            for _ in range(random.randrange(1, 6))
        ]
        bench.anywhere()
        await bench.packet(8 * random.randrange(BYTES // 8), pieces, room=True)


@cocotb.test()
async def writes_at_full_rate(dut):
    """A beat in every cycle finds room, each good at once, and bursts grow."""
    random = rng("rate")
    bench = Bench(dut, random)
    await bench.start()
    pieces = [(random.randbytes(8), True) for _ in range(1)]
    await bench.packet(8 * random.randrange(500), pieces, room=False)
    assert bench.lengths == [1]
    address = 8 * random.randrange(500)
    data = random.randbytes(8 * 1000)
    dut.set_i.value = 1
    dut.address_i.value = address // 8
    await RisingEdge(dut.clk_i)
    dut.set_i.value = 0
    for at in range(0, len(data), 8):
        await bench.beat(data[at : at + 8], True)
        assert dut.overflow_o.value == 0
    await bench.empty()
    bench.wanted[address : address + len(data)] = data
    assert bench.ram.read(0, BYTES) == bytes(bench.wanted)


@cocotb.test()
async def overflows(dut):
    """Each beat without room is reported, and changes nothing, wherever the memory begins."""
    random = rng("overflow")
    bench = Bench(dut, random)
    await bench.start()
    for start in range(8):
        data = [random.randbytes(8) for _ in range(DEPTH + 5)]
        dut.set_i.value = 1
        dut.address_i.value = 3
        await RisingEdge(dut.clk_i)
        dut.set_i.value = 0
        lost = 0
        for at, beat in enumerate(data):
            await bench.beat(beat)
            lost += int(dut.overflow_o.value)
            assert dut.overflow_o.value == 0 or at >= DEPTH, start
        await bench.beat(drop=True)
        await bench.beat(data[0], good=True)
        assert lost == len(data) - DEPTH
        await bench.empty()
        bench.wanted[24:32] = data[0]
        assert bench.ram.read(0, BYTES) == bytes(bench.wanted)


@cocotb.test()
async def reads(dut):
    """Any address and length, a reader that waits, a memory that stalls."""
    random = rng("reads")
    bench = Bench(dut, random)
    await bench.start()
    for turn in range(40):
        stall(bench.ram, bench.random, random.choice([0, 0.3, 0.8]) if turn else 0)
        rate = random.choice([0.3, 1.0])
        count = random.choice([1, 2, 3, 16, 17, random.randrange(1, 200)])
        address = random.randrange(BYTES // 8)
        bench.anywhere()
        dut.job_valid_i.value = 1
        dut.job_address_i.value = bench.above // 8 + address
        dut.job_beats_i.value = count
        await RisingEdge(dut.clk_i)
        while dut.job_ready_o.value == 0:
            await RisingEdge(dut.clk_i)
        dut.job_valid_i.value = 0
        found = b""
        while len(found) < 8 * count:
            dut.m_ready_i.value = random.random() < rate
            await RisingEdge(dut.clk_i)
            assert dut.read_error_o.value == 0
            if dut.m_valid_o.value == 1 and dut.m_ready_i.value == 1:
                found += int(dut.m_data_o.value).to_bytes(8, "little")
        wanted = bench.wanted[8 * address :] + bench.wanted[: 8 * address]
        assert found == bytes(wanted[: 8 * count])
        dut.m_ready_i.value = random.randrange(2)
        await RisingEdge(dut.clk_i)
        for _ in range(3):
            await RisingEdge(dut.clk_i)
            assert (dut.m_valid_o.value, dut.job_ready_o.value) == (0, 1)


@cocotb.test()
async def reads_at_full_rate(dut):
    """A beat in every cycle behind the first one, but for the memory's own gaps between bursts."""
    random = rng("read rate")
    bench = Bench(dut, random)
    await bench.start()
    dut.job_valid_i.value = dut.m_ready_i.value = 1
    dut.job_address_i.value, dut.job_beats_i.value = 0, 512
    await RisingEdge(dut.clk_i)
    dut.job_valid_i.value = 0
    clocks = 0
    while not (dut.job_ready_o.value == 1 and clocks > 5):
        await RisingEdge(dut.clk_i)
        clocks += 1
    # The memory of the bench takes some clocks for each burst.
    assert clocks <= 512 + 8 * len(bench.lengths)


@cocotb.test()
async def errors(dut):
    """Answers that are errors are told."""
    bench = Bench(dut, rng("errors"))
    await bench.start()
    dut.fail_i.value = 1
    told = []

    async def watch():
        while True:
            await RisingEdge(dut.clk_i)
            told.append((int(dut.write_error_o.value), int(dut.read_error_o.value)))

    cocotb.start_soon(watch())
    await bench.packet(64, [(bytes(range(8)), True)], room=False)
    assert (1, 0) in told and (0, 1) not in told
    dut.job_valid_i.value = dut.m_ready_i.value = 1
    dut.job_address_i.value, dut.job_beats_i.value = 0, 2
    await RisingEdge(dut.clk_i)
    dut.job_valid_i.value = 0
    while (0, 1) not in told:
        await RisingEdge(dut.clk_i)


@pytest.mark.parametrize("width", [64, 128])
def test_slink_dma(width):
    build_and_run(
        "slink_dma_bench",
        [*rtl("prim", "line", "slink"), pathlib.Path(__file__).with_name("slink_dma_bench.sv")],
        {"DataWidth": width, "Depth": DEPTH},
        __name__,
    )
