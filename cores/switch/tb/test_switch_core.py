# SPDX-License-Identifier: Apache-2.0
"""switch_core among ends of links that are written from the description alone: what it promises to users."""

import cocotb
from switch_bench import Bench
from tb_common import build_and_run, rng, rtl


@cocotb.test()
async def latency(dut):
    """Head of a packet, s_axis to m_axis, idle: exactly 7 cycles for every pair of ports."""
    bench = Bench(dut, rng("latency"), delay=0)
    await bench.start()
    for i in range(bench.ports):
        for j in range(bench.ports):
            packet = bench.packet(i, j, cls=1 + (i + j) % 3, words=3)
            bench.send(packet)
            began = bench.now + 1  # the cycle in which the word is put at s_axis
            await bench.until(lambda key=packet.key: key in bench.got, 50)
            # The last word leaves 2 cycles behind the first one, and is taken at the end of its
            # cycle.
            took = bench.got[packet.key][0] - began - 2 - 1
            assert took == 7, f"{i} to {j}: {took} cycles"
            await bench.cycle(20)


def test_switch_core():
    build_and_run(
        "switch_core",
        rtl("prim", "switch"),
        parameters={
            "Ports": 4,
            "Nodes": 16,
            "VcWords": 28,
            "MaxWords": 8,
            "Notices": 4,
            "DeadCycles": 400,
        },
        test_module=__name__,
    )
