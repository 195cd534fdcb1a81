# SPDX-License-Identifier: Apache-2.0
"""eth_mac over pcs: frames come back, at the rate of the line; a link that goes and returns; wrong bits."""

import pathlib

import cocotb
from cocotb.triggers import RisingEdge
from pcs_link import State
from tb_common import build_and_run, cycles, params, reset, rng, rtl, start_clock

BYTES = 64
OVERHEAD = 8 + 4 + 12  # preamble, FCS, gap


class Mac:
    """Frames of random or one length into the MAC without a pause, and what comes."""

    def __init__(self, dut, name):
        self.dut, self.random, self.size = dut, rng(name), None
        self.sent, self.received, self.lost = [], [], 0
        self.noise = lambda: 0
        start_clock(dut.clk_i, 1000)

    async def start(self):
        dut = self.dut
        dut.s_axis_tvalid.value, dut.noise_i.value, dut.signal_i.value = 0, 0, 1
        await reset(dut.clk_i, dut.rst_i)
        for task in (self._send(), self._receive()):
            cocotb.start_soon(task)
        await self.up()

    async def up(self):
        for _ in range(20000):
            await RisingEdge(self.dut.clk_i)
            if int(self.dut.status_o.value) >> 5 == State.UP and self.dut.local_fault_o.value == 0:
                return
        raise AssertionError("no link")

    async def _send(self):
        dut = self.dut
        while True:
            size = self.size or self.random.randrange(60, 1515)
            frame = self.random.randbytes(size)
            self.sent.append(frame)
            for at in range(0, size, BYTES):
                part = frame[at : at + BYTES]
                dut.s_axis_tdata.value = int.from_bytes(part, "little")
                dut.s_axis_tkeep.value = (1 << len(part)) - 1
                dut.s_axis_tlast.value = int(at + BYTES >= size)
                dut.s_axis_tvalid.value = 1
                await RisingEdge(dut.clk_i)
                while dut.s_axis_tready.value != 1:
                    await RisingEdge(dut.clk_i)

    async def _receive(self):
        dut, frame = self.dut, b""
        while True:
            dut.noise_i.value = self.noise()
            await RisingEdge(dut.clk_i)
            self.lost += dut.lost_o.value == 1
            if dut.m_axis_tvalid.value == 1:
                count = int(dut.m_axis_tkeep.value).bit_count()
                frame += int(dut.m_axis_tdata.value).to_bytes(BYTES, "little")[:count]
                if dut.m_axis_tlast.value == 1:
                    self.received.append((frame, bool(dut.m_axis_tuser.value)))
                    frame = b""

    def good(self):
        """Frames without a mark; each is one that was sent, in order."""
        good, at = [frame for frame, bad in self.received if not bad], -1
        for frame in good:
            at = self.sent.index(frame, at + 1)
        return good


@cocotb.test()
async def line_rate(dut):
    """Frames of any length fill the line to what markers leave; none is wrong or lost."""
    mac = Mac(dut, "rate")
    await mac.start()
    for mac.size in (60, 1514, None):
        await cycles(dut.clk_i, 300)
        before, span = len(mac.received), 33 * params()["Period"]
        await cycles(dut.clk_i, span)
        arrived = mac.received[before:]
        assert len(mac.good()) == len(mac.received) and not mac.lost
        line = 160 * 8 * (params()["Period"] - 1)
        used = sum(len(frame) + OVERHEAD for frame, _ in arrived)
        dut._log.info(f"{used / line:.4f} of the line with frames of {mac.size or 'any'} bytes")
        assert abs(used - line) <= 2 * (1514 + OVERHEAD)


@cocotb.test()
async def link_goes_and_returns(dut):
    """Without signal a local fault, and nothing wrong passes; wrong bits cost frames, no more."""
    mac = Mac(dut, "returns")
    await mac.start()
    for _ in range(3):
        await cycles(dut.clk_i, mac.random.randrange(500, 900))
        dut.signal_i.value = 0
        await cycles(dut.clk_i, 100)
        assert dut.local_fault_o.value == 1
        dut.signal_i.value = 1
        await mac.up()
        mac.noise = lambda: 1 << mac.random.randrange(320) if mac.random.random() < 0.01 else 0
        await cycles(dut.clk_i, 3000)
        mac.noise = lambda: 0
        await cycles(dut.clk_i, 300)
        before = len(mac.received)
        await cycles(dut.clk_i, 500)
        assert len(mac.received) > before
        assert not any(bad for _, bad in mac.received[before + 1 :])
    assert 100 < len(mac.good()) < len(mac.received)


def test_pcs_mac():
    sources = [*rtl("prim", "axis", "line", "eth", "rsfec", "pcs")]
    sources.append(pathlib.Path(__file__).with_name("pcs_mac_bench.sv"))
    tests = ["line_rate", "link_goes_and_returns"]
    build_and_run("pcs_mac_bench", sources, {"Period": 128}, __name__, testcase=tests)
