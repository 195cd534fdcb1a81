# SPDX-License-Identifier: Apache-2.0
"""rifl_observe: what the link itself rarely or never does here: sessions, cut packets, overflow, every status bit."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from registers import REGISTERS
from tb_common import build_and_run, cycles, params, rng, rtl

PERIOD = 1000
WORDS = {p.removeprefix("observe."): n.absolute_address - 0x800 >> 3 for p, n in REGISTERS.items() if p.startswith("observe.")}  # fmt: skip
EVENTS = [f.inst_name for f in sorted(REGISTERS["events"].fields(), key=lambda f: f.low)]


class Bench:
    def __init__(self, dut):
        self.dut, self.lanes = dut, params()["Lanes"]
        self.random = rng("observe")
        self.events = dict.fromkeys(EVENTS[:8], 0)

    async def start(self):
        dut = self.dut
        for handle in dut:
            if handle._name.endswith("_i") and "clk" not in handle._name:
                handle.value = 0
        dut.session_state_i.value = 7
        for name in ("user_clk_i", "frame_clk_i", "phy_tx_clk_i"):
            Clock(getattr(dut, name), PERIOD, unit="ps").start()
        cocotb.start_soon(self.receive_clocks())
        dut.rst_i.value = 1
        await cycles(dut.user_clk_i, 5)
        dut.rst_i.value = 0
        cocotb.start_soon(self.watch())
        await self.settle()

    async def receive_clocks(self):
        while True:
            self.dut.phy_rx_clk_i.value = (1 << self.lanes) - 1
            await Timer(PERIOD // 2, "ps")
            self.dut.phy_rx_clk_i.value = 0
            await Timer(PERIOD // 2, "ps")

    async def watch(self):
        while True:
            await RisingEdge(self.dut.user_clk_i)
            for i, name in enumerate(EVENTS[:8]):
                self.events[name] += int(self.dut.event_o.value) >> i & 1

    async def settle(self):
        await cycles(self.dut.user_clk_i, 3 * (40 + 16 * self.lanes))

    async def pulse(self, handle, value=1, length=1):
        handle.value = value
        await cycles(self.dut.user_clk_i, length)
        handle.value = 0
        await cycles(self.dut.user_clk_i, 2)

    async def read(self, path):
        dut = self.dut
        dut.rd_addr_i.value = WORDS[path]
        dut.rd_req_i.value = 1
        for _ in range(40 + 16 * self.lanes):
            await RisingEdge(dut.user_clk_i)
            if dut.rd_ack_o.value == 1:
                dut.rd_req_i.value = 0
                return int(dut.rd_data_o.value)
        raise AssertionError(f"{path} was not answered in time")

    async def field(self, path, name):
        node = REGISTERS[f"observe.{path}"].get_child_by_name(name)
        return await self.read(path) >> node.low & (1 << node.width) - 1


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def sessions_and_cut_packets(dut):
    bench = Bench(dut)
    await bench.start()
    assert await bench.field("session", "state") == 7
    for state in (0, 1, 2, 0, 1, 2, 3):
        dut.session_state_i.value = state
        await cycles(dut.user_clk_i, 3)
        assert await bench.field("session", "state") == state
    fields = {"reason": "session_reason_i", "peer_reason": "peer_reason_i", "own_number": "own_session_i", "peer_number": "peer_session_i"}  # fmt: skip
    wanted = {}
    for name, port in fields.items():
        wanted[name] = bench.random.getrandbits(len(getattr(dut, port)))
        getattr(dut, port).value = wanted[name]
    dut.peer_i.value = peer = bench.random.getrandbits(64)
    for name, value in wanted.items():
        assert await bench.field("session", name) == value
    assert await bench.read("peer") == peer
    for _ in range(3):
        await bench.pulse(dut.tx_abort_i)
    await bench.pulse(dut.rx_abort_i, length=2)
    await bench.settle()
    assert await bench.read("sessions") == 2
    assert await bench.read("tx_aborts") == 3
    assert await bench.read("rx_aborts") == 2
    assert bench.events["session"] == 7 and bench.events["abort"] == 5


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def every_status_bit_and_edge(dut):
    """One lane at a time: its bits show in its word alone, and each rise or fall counts once, on that lane."""
    bench = Bench(dut)
    await bench.start()
    flags = {"aligned": "rx_aligned_i", "up": "rx_up_i", "error": "rx_error_i", "pause_req": "rx_pause_req_i",
             "retrans_req": "rx_retrans_req_i", "local_fc": "local_fc_i", "remote_fc": "remote_fc_i", "overflow": "rx_overflow_i"}  # fmt: skip
    for lane in range(bench.lanes):
        for name, port in flags.items():
            getattr(dut, port).value = 1 << lane
            await cycles(dut.user_clk_i, 6)
            assert bench.events["alignment_lost"] == lane + (name != "aligned"), (
                "counts the wrong edge"
            )
            for other in range(bench.lanes):
                for bit in flags:
                    shown = await bench.field(f"lane[{other}].status", bit)
                    assert shown == (other == lane and bit == name), (lane, other, name, bit)
            getattr(dut, port).value = 0
            await cycles(dut.user_clk_i, 2)
    lane, times = bench.lanes - 1, bench.random.randint(2, 5)
    before = {n: await bench.read(f"lane[{lane}].{n}") for n in ("errors", "alignment_losses", "resends", "compensations")}  # fmt: skip
    assert before["errors"] == before["alignment_losses"] == 1
    for _ in range(times):
        for port in (dut.rx_error_i, dut.rx_aligned_i, dut.compensate_i):
            await bench.pulse(port, 1 << lane, bench.random.randint(1, 4))
        await bench.pulse(dut.tx_state_i, 3 << 3 * lane)
    await bench.settle()
    for name, value in before.items():
        assert await bench.read(f"lane[{lane}].{name}") == value + times, name
    assert await bench.read("lane[0].errors") == 1
    assert bench.events["error"] == bench.events["alignment_lost"] == bench.lanes + times
    assert bench.events["overflow"] == bench.lanes
    # In extended mode asks are told by pulses; what the transmitter does to answer says nothing.
    dut.session_state_i.value = 2
    for _ in range(times):
        for port in (dut.rx_error_i, dut.incident_i, dut.served_i):
            await bench.pulse(port, 1 << lane)
        await bench.pulse(dut.tx_state_i, 3 << 3 * lane)
    await bench.pulse(dut.incident_i, 1 << lane, 2)
    await bench.settle()
    dut.session_state_i.value = 4
    for port in (dut.incident_i, dut.served_i):
        await bench.pulse(port, 1 << lane)
    await bench.settle()
    assert await bench.read(f"lane[{lane}].errors") == before["errors"] + 2 * times + 2
    assert await bench.read(f"lane[{lane}].resends") == before["resends"] + 2 * times
    dut.round_trip_i.value = 0x1234 << 16 * lane
    dut.rx_slip_i.value = 0x2A << 6 * lane
    dut.tx_state_i.value = 5 << 3 * lane
    await cycles(dut.user_clk_i, 4)
    for name, value in (("round_trip", 0x1234), ("slip", 0x2A), ("tx_state", 5)):
        assert await bench.field(f"lane[{lane}].status", name) == value
        assert await bench.field("lane[0].status", name) == 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def why_the_link_is_down(dut):
    """The first reason that applies."""
    bench = Bench(dut)
    await bench.start()
    everywhere = (1 << bench.lanes) - 1
    steps = [
        (dut.link_rst_i, 1, 1), (dut.link_rst_i, 0, 2), (dut.rx_aligned_i, everywhere >> 1, 2), (dut.rx_aligned_i, everywhere, 3),
        (dut.rx_pause_req_i, 1, 3), (dut.rx_up_i, everywhere >> 1, 3), (dut.rx_up_i, everywhere, 4), (dut.session_state_i, 3, 6), (dut.session_state_i, 2, 4),
        (dut.rx_pause_req_i, 0, 5), (dut.session_state_i, 0, 6), (dut.session_state_i, 4, 5), (dut.link_up_i, 1, 0), (dut.rx_aligned_i, 1, 2), (dut.link_rst_i, 1, 1),
    ]  # fmt: skip
    for port, value, reason in steps:
        port.value = value
        await cycles(dut.user_clk_i, 4)
        assert await bench.field("link", "reason") == reason, (port._name, value)
    dut.prbs_sync_i.value = 1
    assert await bench.field("link", "prbs_sync") == 1
    assert await bench.field("link", "up") == 1
    assert bench.events["link_up"] == 1 and bench.events["link_down"] == 0


def test_rifl_observe():
    parameters = {"Lanes": 2, "FrameWidth": 128, "UserWidth": 128, "OffsetWindow": 8}
    build_and_run("rifl_observe", rtl("prim", "axis", "line", "rifl"), parameters, __name__)
