# SPDX-License-Identifier: Apache-2.0
"""prim_axil_split: each access reaches the slave that its address names, with the masters of a library; DECERR elsewhere; reset."""

import cocotb
import pytest
from cocotb.queue import Queue
from cocotb.triggers import RisingEdge, Timer
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp
from tb_common import build_and_run, cycles, params, reset, rng, rtl, start_clock


class Slave:
    """One of the slaves: takes and answers when it likes. Its words, and the accesses that it has seen."""

    def __init__(self, dut, index, random):
        self.dut, self.index, self.random, self.rate = dut, index, random, 0.5
        self.words, self.seen, self.answer = {}, [], AxiResp.OKAY
        self.given_aw, self.given_w = Queue(), Queue()
        for task in (self._all("aw", self.given_aw), self._all("w", self.given_w)):
            cocotb.start_soon(task)
        for task in (self._write(), self._read()):
            cocotb.start_soon(task)

    def bit(self, name):
        return int(getattr(self.dut, f"m_axil_{name}").value) >> self.index & 1

    def drive(self, name, value, width=1):
        """Its part of a vector; several slaves drive theirs in the same step."""
        drive = getattr(self.dut, f"m_axil_{name}")
        PINS[name] = PINS.get(name, 0) & ~((1 << width) - 1 << width * self.index)
        PINS[name] |= int(value) << width * self.index
        drive.value = PINS[name]

    async def taken(self, channel):
        """A handshake, ready in some cycles; what the payload was."""
        while True:
            self.drive(f"{channel}ready", self.random.random() < self.rate)
            await RisingEdge(self.dut.clk_i)
            if self.bit(f"{channel}valid") and PINS[f"{channel}ready"] >> self.index & 1:
                self.drive(f"{channel}ready", 0)
                names = ("wdata", "wstrb") if channel == "w" else (f"{channel}addr",)
                return [int(getattr(self.dut, f"m_axil_{name}").value) for name in names]

    async def given(self, channel):
        while self.random.random() > self.rate:
            await RisingEdge(self.dut.clk_i)
        self.drive(f"{channel}valid", 1)
        while True:
            await RisingEdge(self.dut.clk_i)
            if self.bit(f"{channel}ready"):
                break
        self.drive(f"{channel}valid", 0)

    async def _all(self, channel, queue):
        """Takes what comes, asked for or not."""
        while True:
            queue.put_nowait(await self.taken(channel))

    async def _write(self):
        while True:
            (address,), (data, strobe) = await self.given_aw.get(), await self.given_w.get()
            self.seen.append(("write", address))
            for byte in range(4):
                if strobe >> byte & 1:
                    self.words[address + byte] = data >> 8 * byte & 0xFF
            self.drive("bresp", self.answer, 2)
            await self.given("b")

    async def _read(self):
        while True:
            (address,) = await self.taken("ar")
            self.seen.append(("read", address))
            word = [self.words.get(address + byte, 0) << 8 * byte for byte in range(4)]
            self.drive("rdata", sum(word), 32)
            self.drive("rresp", self.answer, 2)
            await self.given("r")


PINS = {}


async def begun(dut, name):
    random = rng(name)
    PINS.clear()
    for signal in ("awready", "wready", "bvalid", "arready", "rvalid", "bresp", "rresp", "rdata"):
        getattr(dut, f"m_axil_{signal}").value = 0
    start_clock(dut.clk_i, 1000)
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk_i, dut.rst_i)
    await reset(dut.clk_i, dut.rst_i)
    # Only now: before the reset the valid signals are anything.
    slaves = [Slave(dut, index, random) for index in range(params()["Slaves"])]
    return random, master, slaves


@cocotb.test(timeout_time=400, timeout_unit="us")
async def every_slave(dut):
    """Random writes and reads, both at a time: each slave sees those of its addresses, and what it answers comes back."""
    random, master, slaves = await begun(dut, "every")
    width, words = params()["AddrWidth"], {}
    places = [
        (slave, address) for slave in range(len(slaves)) for address in range(0, 1 << width, 4)
    ]
    for master_channel in (master.write_if, master.read_if):
        for channel in ("aw_channel", "w_channel", "b_channel", "ar_channel", "r_channel"):
            if hasattr(master_channel, channel):
                pauses = (random.random() < 0.4 for _ in iter(int, 1))
                getattr(master_channel, channel).set_pause_generator(pauses)
    for _ in range(150):
        for slave in slaves:
            slave.rate = random.choice((0.1, 0.5, 1.0))
        writes = random.sample(places, 2)
        reads = [place for place in random.sample(places, 3) if place not in writes]
        data = {place: random.randbytes(4) for place in writes}
        tasks = [
            cocotb.start_soon(master.write(place[0] << width | place[1], data[place]))
            for place in writes
        ]
        readers = [
            cocotb.start_soon(master.read(place[0] << width | place[1], 4)) for place in reads
        ]
        for task in tasks:
            assert (await task).resp == AxiResp.OKAY
        for place, task in zip(reads, readers, strict=True):
            answer = await task
            assert answer.resp == AxiResp.OKAY and answer.data == words.get(place, bytes(4)), place
        words.update(data)
    for number, slave in enumerate(slaves):
        assert slave.words == {
            address + byte: value[byte]
            for (owner, address), value in words.items()
            if owner == number
            for byte in range(4)
        }


@cocotb.test(timeout_time=100, timeout_unit="us")
async def answers(dut):
    """Errors of a slave are passed on; an address without a slave gets DECERR, and no slave hears of it."""
    random, master, slaves = await begun(dut, "answers")
    width = params()["AddrWidth"]
    for number, slave in enumerate(slaves):
        slave.answer = AxiResp.SLVERR
        assert (await master.write(number << width, bytes(4))).resp == AxiResp.SLVERR
        assert (await master.read(number << width, 4)).resp == AxiResp.SLVERR
        assert slave.seen == [("write", 0), ("read", 0)]
        slave.seen.clear()
    for number in range(len(slaves), 1 << (len(slaves) - 1).bit_length()):
        address = number << width | 4 * random.randrange(1 << width - 2)
        assert (await master.write(address, bytes(4))).resp == AxiResp.DECERR
        assert (await master.read(address, 4)).resp == AxiResp.DECERR
    assert not any(slave.seen for slave in slaves)


@cocotb.test(timeout_time=100, timeout_unit="us")
async def alone_it_does_not_wait(dut):
    """A write whose data come before its address, and cycles of an access to a slave that is ready."""
    _, _, slaves = await begun(dut, "cycles")
    for slave in slaves:
        slave.rate = 1.0
    await cycles(dut.clk_i, 5)
    dut.s_axil_bready.value = dut.s_axil_rready.value = 1
    dut.s_axil_wdata.value, dut.s_axil_wstrb.value, dut.s_axil_wvalid.value = 0x12345678, 15, 1
    await RisingEdge(dut.clk_i)
    dut.s_axil_wvalid.value = 0
    await cycles(dut.clk_i, 20)
    assert not slaves[1].seen and dut.s_axil_bvalid.value == 0
    dut.s_axil_awaddr.value = 1 << params()["AddrWidth"] | 8
    dut.s_axil_awvalid.value = 1
    await RisingEdge(dut.clk_i)
    dut.s_axil_awvalid.value = 0
    waited = 0
    while dut.s_axil_bvalid.value == 0:
        await RisingEdge(dut.clk_i)
        await Timer(1, "ps")
        waited += 1
    assert slaves[1].seen == [("write", 8)] and slaves[1].words[8] == 0x78
    # One to the slave; the slave of this bench takes one for itself.
    assert waited <= 3


@pytest.mark.parametrize(("slaves", "width"), [(2, 6), (3, 5)])
def test_prim_axil_split(slaves, width):
    build_and_run("prim_axil_split", rtl("prim"), {"Slaves": slaves, "AddrWidth": width}, __name__)
