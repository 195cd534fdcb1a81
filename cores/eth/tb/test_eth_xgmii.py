# SPDX-License-Identifier: Apache-2.0
"""eth_mac_tx and eth_mac_rx against an independent reader and writer of frames, slot by slot."""

import cocotb
import pytest
from cgmii import padded
from cocotb.triggers import RisingEdge
from cocotbext.eth import XgmiiFrame, XgmiiSink, XgmiiSource
from eth_bench import PacketMonitor, PacketSource
from tb_common import ROOT, build_and_run, cycles, params, reset, rng, rtl, start_clock


@cocotb.test()
async def against_another_implementation(dut):
    """Frames of any length arrive at its sink with a good FCS; what its source sends comes out."""
    random, size = rng("xgmii"), params()["Bytes"]
    dut.rst_i.value = 1
    source = PacketSource(dut, dut.clk_i, random, lambda r: r.choice((0, 0, 30)))
    out = PacketMonitor(dut, dut.clk_i, dut.rst_i)
    start_clock(dut.clk_i, 1000)
    peer = XgmiiSource(dut.rx_data_i, dut.rx_ctrl_i, dut.clk_i, dut.rst_i)
    peer.ifg = 0  # starts in lane 0 only, as close as can be
    await reset(dut.clk_i, dut.rst_i)
    # Not before: what registers hold at first may be a frame.
    sink = XgmiiSink(dut.tx_data_o, dut.tx_ctrl_o, dut.clk_i, dut.rst_i)
    packets = [random.randbytes(n) for n in [*range(1, 130), 1514, 9596]]
    source.send(*packets)
    for data in packets:
        peer.send_nowait(XgmiiFrame.from_payload(data))
    while not (source.idle() and peer.idle()):
        await RisingEdge(dut.clk_i)
    await cycles(dut.clk_i, 300 + 16 * size)
    for data in packets:
        frame = sink.recv_nowait()
        assert frame.check_fcs() and frame.get_payload() == padded(data)
    assert sink.empty()
    assert out.packets == [(padded(data), False) for data in packets]


@pytest.mark.parametrize("size", [32, 64])
def test_eth_xgmii(size):
    sources = rtl("prim", "axis", "eth") + [ROOT / "cores/eth/tb/eth_xgmii_bench.sv"]
    build_and_run("eth_xgmii_bench", sources, {"Bytes": size}, __name__)
