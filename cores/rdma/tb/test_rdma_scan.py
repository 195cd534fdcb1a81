# SPDX-License-Identifier: Apache-2.0
"""rdma_scan: the order of the round, what waits, and where it goes on behind what could not be sent again."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge
from tb_common import build_and_run, reset, rng, rtl, start_clock

TIDS, READS, BETWEEN = 1024, 1024, 16
QUIET = {"step": 0, "wait": 0, "check": 0, "skip": 0, "again": 0}


class Scan:
    """Sets the inputs of a cycle, takes the edge, says what is looked at then."""

    def __init__(self, dut):
        self.dut = dut
        start_clock(dut.clk_i, 1000)

    async def start(self):
        self.put(**QUIET)
        await FallingEdge(self.dut.clk_i)
        await reset(self.dut.clk_i, self.dut.rst_i, 1)
        await FallingEdge(self.dut.clk_i)

    def put(self, **inputs):
        for name, value in inputs.items():
            getattr(self.dut, f"{name}_i").value = value

    async def cycle(self, **inputs):
        self.put(**(QUIET | inputs))
        await RisingEdge(self.dut.clk_i)
        await FallingEdge(self.dut.clk_i)

    def at(self):
        """What is looked at: ("read", transfer) or ("tid", number)."""
        dut = self.dut
        if dut.reads_o.value == 1:
            return "read", int(dut.transfer_o.value)
        return "tid", int(dut.tid_o.value)

    def state(self):
        return int(self.dut.waits_o.value), int(self.dut.passed_o.value)


def transfer(number):
    """Reads are of the lower channels of each page."""
    return number // 64 * 128 + number % 64


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def round_of_all(dut):
    """All TIDs in turn, a read behind every 16 of them, all reads in turn; a cycle without a step changes nothing."""
    random, scan = rng("round"), Scan(dut)
    await scan.start()
    reads = 0
    for number in range(TIDS + 100):
        assert scan.at() == ("tid", number % TIDS) and scan.state() == (0, 0)
        if random.random() < 0.1:
            await scan.cycle()
            assert scan.at() == ("tid", number % TIDS)
        await scan.cycle(check=1, step=1)
        if number % BETWEEN == BETWEEN - 1:
            assert scan.at() == ("read", transfer(reads % READS))
            # It is looked at twice, and the second time it is done.
            await scan.cycle(wait=1)
            assert scan.at() == ("read", transfer(reads % READS)) and scan.state() == (1, 0)
            await scan.cycle()
            assert scan.state() == (1, 0)
            await scan.cycle(step=1)
            assert scan.state() == (0, 0)
            reads += 1


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def passed_over(dut):
    """A TID that is to be sent again while another one waits is passed over, and so are others behind it; the scan comes back to the first of them
    when none waits, and not before."""
    random, scan = rng("passed"), Scan(dut)
    await scan.start()
    number = 0
    for _ in range(60):
        for _ in range(random.randrange(40)):
            kind, value = scan.at()
            assert kind == "read" or value == number % TIDS
            await scan.cycle(check=kind == "tid", step=1, again=random.randrange(2))
            number += kind == "tid"
        if scan.at()[0] == "read":
            await scan.cycle(step=1)
        first = number
        # It is due, but another one waits: the scan goes on without it.
        await scan.cycle(check=1, step=1, skip=1, again=1)
        assert scan.state() == (0, 1)
        number += 1
        for _ in range(random.randrange(40)):
            kind, value = scan.at()
            assert kind == "read" or value == number % TIDS
            skips = kind == "tid" and random.random() < 0.3
            await scan.cycle(check=kind == "tid", step=1, skip=skips, again=1)
            assert scan.state() == (0, 1)
            number += kind == "tid"
        if scan.at()[0] == "read":
            await scan.cycle(step=1)
        # None waits any more: back to the first, whatever this one is, and whether it waits.
        waits = random.randrange(2)
        await scan.cycle(check=1, step=not waits, wait=waits, skip=random.randrange(2))
        assert scan.state() == (0, 0)
        number = first
        if scan.at()[0] == "read":
            await scan.cycle(step=1)
        assert scan.at() == ("tid", first % TIDS)


def test_rdma_scan():
    build_and_run("rdma_scan", rtl("prim", "rdma"), {}, __name__)
