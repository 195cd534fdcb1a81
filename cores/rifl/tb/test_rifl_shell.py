# SPDX-License-Identifier: Apache-2.0
"""The shell around the link: every register and counter, read back over AXI4-Lite by a library that knows nothing of it.

Two complete ends; what a counter shows is compared with what the test bench saw or did. What can be different in the
extended mode and in the published protocol is tested in both. Sessions have their test in test_rifl_shell_session.
"""

from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer
from cocotbext.axi import AxiStreamFrame
from link_bench import HALF, clocks
from registers import REGISTERS
from shell_bench import AXIL, Ends, LineErrors
from tb_common import build_and_run, params, rtl

HERE = Path(__file__).resolve().parent


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def identity_and_settings(dut):
    """Reset values as described, what can be written, what is refused, and the transceiver's loopback."""
    ends = Ends(dut, "identity")
    await ends.start(up=False)
    a = ends.a
    assert await a.read("magic") == int.from_bytes(b"RIFL", "big")
    given = params()
    assert await a.field("parameters", "lanes") == given["Lanes"]
    assert await a.field("parameters", "frame_width") == given["FrameWidth"]
    assert await a.field("parameters", "id_width") == given["IdWidth"]
    assert await a.field("parameters", "offset_window") == given["OffsetWindow"]
    assert await a.field("parameters", "test_traffic") == 1
    assert await a.field("user", "width") == given["UserWidth"]

    await a.check_reset_values()
    await a.check_writes(ends.rng, but=["reset"])

    await a.write("control", loopback=2)
    assert dut.a_loopback_o.value == 2 and dut.b_loopback_o.value == 0
    known = {n.absolute_address for n in REGISTERS.values()}
    for address in (0x01C, 0x04C, 0x7FC):
        assert address not in known
        assert (await a.word(address))[1] is False
        assert not await a.write_word(address, 1)
    # Words without a register, and lanes that are not there.
    for address in (0x890, 0x9F8, 0xBF8, 0xC00 + 0x80 * ends.lanes, 0xFF8):
        assert await a.word(address) == (0, True), hex(address)
        assert await a.word(address + 4) == (0, True)
    assert await a.write_word(0x800, 0xFFFFFFFF), "a write to observe is ignored, not refused"


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def access_right_behind_a_reset(dut):
    """The registers' own reset outlasts the pin: what the bus asks for meanwhile waits, and is answered. What it has asked for
    before is gone."""
    ends = Ends(dut, "behind a reset")
    await ends.start(up=False)
    where = REGISTERS["event_enable"].absolute_address
    counter = REGISTERS["observe.cycles"].absolute_address
    for value in (1, 0) * 10:
        ends.a.bus.init_write(where, bytes(4))
        # The first takes its time, and the others wait.
        for at in (counter, where, counter):
            ends.b.bus.init_read(at, 4)
        await Timer(ends.rng.randint(1, 6 * AXIL), "ps")
        dut.axil_rst_i.value = 1
        await Timer(ends.rng.randint(8 * AXIL, 20 * AXIL), "ps")
        dut.axil_rst_i.value = 0
        await ends.a.write("event_enable", error=value)
        assert await ends.a.field("event_enable", "error") == value


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(extended=[1, 0])
async def traffic(dut, extended):
    """Packets, bytes, waits, frames, time: exact. A clear starts all of them anew."""
    ends = Ends(dut, "traffic", extended)
    await ends.start()
    await ends.settle()
    for end, regs in ends.regs.items():
        assert await regs.read("observe.link_ups") == 1, end
        assert await regs.field("status", "link_up") == 1
    await ends.clear()
    waits = {"a": [0, 0], "b": [0, 0]}

    async def watch(end):
        clk = getattr(dut, f"{end}_user_clk_i")
        streams = [
            (getattr(dut, f"{end}_{p}_axis_tvalid"), getattr(dut, f"{end}_{p}_axis_tready"))
            for p in "sm"
        ]
        while True:
            await RisingEdge(clk)
            for i, (valid, ready) in enumerate(streams):
                waits[end][i] += int(valid.value == 1 and ready.value == 0)

    for end in "ab":
        cocotb.start_soon(watch(end))
        ends.sink[end].set_pause_generator(iter(lambda: ends.rng.random() < 0.3, None))
    await ends.exchange(40)
    await ends.settle()
    for end, other in (("a", "b"), ("b", "a")):
        regs = ends.regs[end]
        assert await regs.read("observe.tx_packets") == 40
        assert await regs.read("observe.rx_packets") == 40
        assert await regs.read("observe.tx_bytes") == sum(map(len, ends.sent[end]))
        assert await regs.read("observe.rx_bytes") == sum(map(len, ends.sent[other]))
        assert await regs.read("observe.tx_stalled") == waits[end][0] > 0
        assert await regs.read("observe.rx_stalled") == waits[end][1] > 0
        payload = params()["FrameWidth"] // 8 - 2
        sent = await ends.lane_sum(regs, "user_frames_sent")
        assert sent >= sum(-(-len(p) // payload) for p in ends.sent[end])
        assert sent == await ends.lane_sum(ends.regs[other], "user_frames_received")
        for lane in range(ends.lanes):
            assert await regs.read(f"observe.lane[{lane}].user_frames_sent") > 0
            assert await regs.read(f"observe.lane[{lane}].errors") == 0
        status = await regs.read("observe.lane[0].status")
        assert status & 0xFF == 0b11, "aligned, up, nothing else"
        assert status >> 8 & 7 == 5, "transmitter in its normal state"
        # How the lanes were slipped against each other is what the aligners differ by.
        slips = [await regs.field(f"observe.lane[{i}].status", "slip") for i in range(ends.lanes)]
        line = [int(dut.slip_i.value) >> 6 * i & 63 for i in range(ends.lanes)]
        assert {(x - y) % 64 for x, y in zip(slips, line, strict=True)} == {
            (slips[0] - line[0]) % 64
        }
        assert await regs.field("observe.link", "up") == 1
        assert await regs.field("observe.link", "reason") == 0

    first, when = await ends.a.read("observe.cycles"), cocotb.utils.get_sim_time("ps")
    frames = await ends.a.read("observe.lane[0].frames")
    await Timer(2000 * HALF, "ps")
    later = await ends.a.read("observe.cycles")
    passed = (cocotb.utils.get_sim_time("ps") - when) / (2 * HALF * ends.user_words)
    assert abs(later - first - passed) < 2 * (32 + 16 * ends.lanes)
    ratio = ends.words / ends.user_words
    more = await ends.a.read("observe.lane[0].frames") - frames
    assert abs(more * ratio - passed) < 4 * (32 + 16 * ends.lanes)

    await ends.clear()
    for name in ("tx_packets", "tx_bytes", "tx_stalled", "rx_packets", "rx_bytes", "link_ups"):
        assert await ends.a.read(f"observe.{name}") == 0, name
    assert await ends.a.read("observe.cycles") < later
    assert await ends.lane_sum(ends.a, "user_frames_sent") == 0


@cocotb.test(timeout_time=40, timeout_unit="ms")
@cocotb.parametrize(extended=[1, 0])
async def injected_errors(dut, extended):
    """Errors at a programmed rate: counted exactly, repaired completely, and absent when switched off."""
    ends = Ends(dut, "errors", extended)
    await ends.start()
    await ends.clear()
    await ends.a.write("events", error=1)
    await ends.b.write("events", error=1)
    await ends.b.write("event_enable", error=1)
    seen = {"flips": 0, "words": 0, "on": 0}
    about = ends.words, params()["IdWidth"], extended
    lines = [LineErrors(*about) for _ in range(ends.lanes)]

    async def watch():
        while True:
            await RisingEdge(dut.a_phy_clk_i)
            sent, clean = int(dut.a_word_o.value), int(dut.a_clean_o.value)
            for lane, line in enumerate(lines):
                line.add(sent >> 64 * lane & 2**64 - 1, clean >> 64 * lane & 2**64 - 1)
            seen["flips"] += (sent ^ clean).bit_count()
            seen["words"] += ends.lanes * seen["on"]

    cocotb.start_soon(watch())
    # One word in 512: some twenty frames apart.
    await ends.a.write("inject_mantissa", mantissa=2**31)
    await ends.a.write("inject_shift", shift=8)
    await ends.a.write("inject_seed", seed=ends.rng.getrandbits(32))
    await ends.exchange(10)
    assert seen["flips"] == 0 and dut.b_irq_o.value == 0, "errors before they were asked for"
    await ends.control("a", inject=1)
    seen["on"] = 1
    await ends.exchange(40)
    while seen["words"] < 40_000:
        await Timer(1000 * HALF, "ps")
    await ends.control("a")
    seen["on"] = 0
    flips, expected = seen["flips"], seen["words"] / 512
    assert abs(flips - expected) < 6 * expected**0.5, (flips, expected)
    await ends.exchange(10)
    await ends.settle()
    assert seen["flips"] <= flips + 1, "an error after the end"
    assert await ends.lane_sum(ends.a, "injected_errors") == seen["flips"]
    assert await ends.lane_sum(ends.b, "injected_errors") == 0
    bad = await ends.lane_sum(ends.b, "bad_frames")
    errors = await ends.lane_sum(ends.b, "errors")
    counted = [sum(of_lane) for of_lane in zip(*(line.count() for line in lines), strict=True)]
    assert counted[0] == seen["flips"]
    assert bad == counted[2] > 0
    # Every error begins with a damaged frame, or with a damaged answer to the one before.
    assert 0 < errors <= counted[1]
    resends = await ends.lane_sum(ends.a, "resends")
    # The way back is undisturbed: in extended mode every ask arrives, and is answered once.
    assert resends == errors if extended else resends > 0
    assert await ends.lane_sum(ends.a, "errors") == 0
    assert await ends.lane_sum(ends.a, "bad_frames") == 0
    # The event stays until it is cleared, and comes once more for the next error only.
    assert dut.b_irq_o.value == 1 and dut.a_irq_o.value == 0
    assert await ends.b.field("events", "error") == 1
    assert await ends.a.field("events", "error") == 0
    await ends.b.write("events", link_up=1)
    assert dut.b_irq_o.value == 1, "cleared by another event's bit"
    await ends.b.write("events", error=1)
    assert dut.b_irq_o.value == 0 and await ends.b.field("events", "error") == 0


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(extended=[1, 0])
async def flow_control(dut, extended):
    """A user who takes nothing stops the peer; both ends count the time."""
    ends = Ends(dut, "flow", extended)
    await ends.start()
    await ends.clear()
    assert await ends.lane_sum(ends.a, "stopped_frames") == 0
    ends.sink["b"].pause = True
    sent = [ends.rng.randbytes(200) for _ in range(2 * ends.lanes << params()["IdWidth"])]
    for packet in sent:
        ends.source["a"].send_nowait(AxiStreamFrame(packet))
    while await ends.a.field("observe.lane[0].status", "remote_fc") == 0:
        pass
    assert await ends.b.field("observe.lane[0].status", "local_fc") == 1
    await Timer(500 * HALF, "ps")
    ends.sink["b"].pause = False
    for packet in sent:
        assert bytes((await ends.sink["b"].recv()).tdata) == packet
    await ends.settle()
    stopped = await ends.lane_sum(ends.a, "stopped_frames")
    stopping = await ends.lane_sum(ends.b, "stopping_frames")
    # Both edges of "stop" travel the same way.
    assert stopping > 50 and abs(stopped - stopping) < 8 * ends.lanes
    assert await ends.lane_sum(ends.b, "stopped_frames") == 0
    assert await ends.lane_sum(ends.a, "stopping_frames") == 0


@cocotb.test(timeout_time=20, timeout_unit="ms")
@cocotb.parametrize(extended=[1, 0])
async def clock_offset(dut, extended):
    """The slower end's clock is measured by both, and the faster one makes room."""
    ends = Ends(dut, "offset", extended)
    await ends.start(half_b=HALF + 20)  # 2 %: five units of a short window
    await ends.clear()
    window = 1 << params()["OffsetWindow"]
    await Timer(3 * window * ends.words * 2 * HALF, "ps")
    offsets = {}
    for end, regs in ends.regs.items():
        for lane in range(ends.lanes):
            raw = await regs.field(f"observe.lane[{lane}].status", "clock_offset")
            offsets[end] = raw - (raw >> 15 << 16)
            wanted = {"a": HALF / (HALF + 20) - 1, "b": (HALF + 20) / HALF - 1}[end] * window
            assert abs(offsets[end] - wanted) < 1.1, (end, offsets[end], wanted)
    assert offsets["a"] < 0 < offsets["b"]
    assert await ends.lane_sum(ends.a, "compensations") > 0
    assert await ends.lane_sum(ends.b, "compensations") == 0
    # The same from the two counters, over a time that makes up for not reading them at once.
    frames, cycles = [], []
    for _ in range(2):
        frames.append(await ends.a.read("observe.lane[0].frames"))
        cycles.append(await ends.a.read("observe.cycles"))
        await Timer(2000 * ends.words * 2 * HALF, "ps")
    own = (cycles[1] - cycles[0]) * ends.user_words / ends.words
    assert abs((frames[1] - frames[0]) / own - HALF / (HALF + 20)) < 0.005


@cocotb.test(timeout_time=40, timeout_unit="ms")
@cocotb.parametrize(extended=[1, 0])
async def broken_lane_and_resets(dut, extended):
    """Why the link is down has a name; losses and link-ups count; each end is reset by its register."""
    ends = Ends(dut, "broken", extended)
    await ends.start()
    await ends.clear()
    for regs in ends.regs.values():
        await regs.forget_events()
        assert await regs.read("events") == 0
    await ends.a.write("event_enable", link_down=1)
    last = ends.lanes - 1
    dut.break_i.value = 1 << last
    await Timer(400 * HALF * ends.words, "ps")
    for regs in ends.regs.values():
        assert await regs.field("observe.link", "up") == 0
        assert await regs.field("observe.link", "reason") == 2, "no alignment"
        assert await regs.read(f"observe.lane[{last}].alignment_losses") == 1
        assert await regs.field(f"observe.lane[{last}].status", "aligned") == 0
        assert await regs.field("events", "link_down") == 1
        assert await regs.field("events", "alignment_lost") == 1
        assert await regs.field("status", "link_up") == 0
        for lane in range(last):
            assert await regs.read(f"observe.lane[{lane}].alignment_losses") == 0
    assert dut.a_irq_o.value == 1
    await ends.a.write("events", link_down=1)
    assert dut.a_irq_o.value == 0

    # Both ends are reset while the lane is broken; a short reset lasts for long enough.
    for end in ends.regs:
        await ends.control(end, reset=1)
    await ends.settle()
    for end, regs in ends.regs.items():
        assert await regs.field("status", "reset_active") == 1
        assert await regs.field("observe.link", "reason") == 1, "in reset"
        await ends.control(end, reset=0)
        assert await regs.field("status", "reset_active") == 1
    dut.break_i.value = 0
    await Timer(1030 * AXIL, "ps")
    assert await ends.a.field("status", "reset_active") == 0
    reasons = set()
    while dut.a_link_up_o.value == 0 or dut.b_link_up_o.value == 0:
        reasons.add(await ends.a.field("observe.link", "reason"))
    await ends.settle()
    way = {2, 3, 4, 5, 6} if extended else {2, 3, 4, 5}
    assert reasons & way and reasons <= way | {0}, "was never seen on its way up"
    for regs in ends.regs.values():
        assert await regs.read("observe.link_ups") == 1
        assert await regs.field("events", "link_up") == 1
    await ends.exchange(10)
    # The pin resets the link, and leaves the counters alone.
    await ends.settle()
    packets = await ends.a.read("observe.tx_packets")
    assert packets == 10
    dut.rst_i.value = 1
    await Timer(40 * HALF * ends.words, "ps")
    assert await ends.a.field("status", "reset_active") == 1
    dut.rst_i.value = 0
    await ends.wait_up()
    assert await ends.a.read("observe.tx_packets") == packets


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def sequence_instead_of_users(dut):
    """Source and checker take the place of the user's streams, between packets, and find what is wrong."""
    ends = Ends(dut, "prbs")
    await ends.start()
    users = [ends.rng.randbytes(90) for _ in range(40)]
    for packet in users:
        ends.source["a"].send_nowait(AxiStreamFrame(packet))
    for packet in users[:6]:
        assert bytes((await ends.sink["b"].recv()).tdata) == packet
    # In the middle of the user's packets: those behind the switch wait until the source is off
    # again.
    await ends.a.write("prbs_length", shortest=1, longest=150)
    await ends.a.write("prbs_seed", seed=ends.rng.randint(1, 2**31 - 2))
    await ends.control("a", prbs_source=1)
    await ends.settle()
    await ends.control("a")
    rest, strange = users[6:], 0
    while rest:
        got = bytes((await ends.sink["b"].recv()).tdata)
        if got == rest[0]:
            del rest[0]
        else:
            assert got not in users, "a packet of the user's was lost or doubled"
            strange += 1
    assert strange > 10, "no test packets were seen"

    await ends.control("a", prbs_source=1)
    await ends.control("b", prbs_check=1)
    await ends.settle()
    ends.sink["b"].clear()
    await ends.clear()
    await ends.b.write("events", prbs=1)
    await Timer(3000 * HALF, "ps")
    b = ends.b
    assert await b.field("observe.link", "prbs_sync") == 1
    assert await b.read("observe.prbs_bytes") > 300
    assert await b.read("observe.rx_packets") > 3, "what the checker takes counts as received"
    for name in ("prbs_skipped", "prbs_bit_errors", "prbs_losses"):
        assert await b.read(f"observe.{name}") == 0, name
    assert await b.field("events", "prbs") == 0
    assert ends.sink["b"].empty(), "the user saw test packets"

    # A break in the sequence is a loss, wrong bits, and bytes skipped until the sequence is found
    # again.
    await ends.control("a")
    await ends.settle()
    await ends.a.write("prbs_seed", seed=ends.rng.randint(1, 2**31 - 2))
    await ends.control("a", prbs_source=1)
    await Timer(6000 * HALF, "ps")
    assert await b.read("observe.prbs_losses") == 1
    assert await b.read("observe.prbs_bit_errors") > 20
    assert 0 < await b.read("observe.prbs_skipped") < 400
    assert await b.field("observe.link", "prbs_sync") == 1
    assert await b.field("events", "prbs") == 1

    # Back to the users; nothing of theirs was touched.
    await ends.control("a")
    await ends.settle()
    await Timer(1000 * HALF, "ps")
    await ends.control("b")
    await ends.settle()
    ends.sent = {"a": [], "b": []}
    await ends.exchange(10)
    assert ends.sink["b"].empty()


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def registers_reset_under_test_traffic(dut):
    """A reset of the bus alone switches source and checker off, between packets: the users see whole ones."""
    ends = Ends(dut, "registers under test traffic")
    await ends.start()
    length = 333
    sent = []
    for _ in range(8):
        for end in "ab":
            await ends.regs[end].write("prbs_length", shortest=length, longest=length)
        await ends.control("a", prbs_source=1)
        await ends.control("b", prbs_check=1)
        await Timer(ends.rng.randint(200, 400) * 2 * HALF, "ps")
        dut.axil_rst_i.value = 1
        await Timer(ends.rng.randint(8 * AXIL, 20 * AXIL), "ps")
        dut.axil_rst_i.value = 0
        users = [ends.rng.randbytes(ends.rng.randint(1, 200)) for _ in range(6)]
        sent += users
        for packet in users:
            ends.source["a"].send_nowait(AxiStreamFrame(packet))
        await ends.settle()
    got = [bytes(ends.sink["b"].recv_nowait().tdata) for _ in range(ends.sink["b"].count())]
    # What the source had sent before, and the checker no longer took, is whole as well.
    assert {len(packet) for packet in got if packet not in sent} <= {length}
    assert [packet for packet in got if len(packet) != length] == sent


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def user_clock_stands_still(dut):
    """The bus answers all the same, says so, and goes on when the clock is back."""
    ends = Ends(dut, "still")
    await ends.start()
    await ends.a.write("events", observe_lost=1)
    ends.tasks["a"].cancel()
    assert await ends.a.read("observe.cycles") == 2**64 - 1
    assert await ends.a.field("events", "observe_lost") == 1
    assert await ends.a.read("magic") == int.from_bytes(b"RIFL", "big")
    assert await ends.a.read("observe.lane[0].frames") == 2**64 - 1
    dut_clocks = [getattr(dut, f"a_{n}_clk_i") for n in ("phy", "frame", "user")]
    slower = ((dut_clocks[1], ends.words), (dut_clocks[2], ends.user_words))
    cocotb.start_soon(clocks(dut_clocks[0], slower, HALF))
    await ends.settle()
    await ends.a.word(REGISTERS["observe.cycles"].absolute_address)
    await ends.settle()
    assert await ends.a.read("observe.cycles") < 2**40
    await ends.a.write("events", observe_lost=1)
    assert await ends.a.field("events", "observe_lost") == 0


@pytest.mark.parametrize(
    ("lanes", "frame_width", "user_width", "testcase"),
    [
        (2, 128, 128, None),
        pytest.param(
            *(1, 256, 256, "traffic|injected_errors|flow_control"), marks=pytest.mark.long
        ),
    ],
)
def test_rifl_shell(lanes, frame_width, user_width, testcase):
    # The offset is measured to a frame: not with synchronisers that take one clock more at random.
    runs = [(f"^(?!.*clock_offset).*({testcase or ''})", True)]
    if testcase is None or "clock_offset" in testcase:
        runs.append(("clock_offset", False))
    for names, jitter in runs:
        run_shell(lanes, frame_width, user_width, names, jitter)


def run_shell(lanes, frame_width, user_width, testcase, jitter):
    build_and_run(
        toplevel="rifl_shell_pair",
        sources=[*rtl("prim", "axis", "line", "rifl"), HERE / "rifl_shell_pair.sv"],
        parameters={
            "Lanes": lanes,
            "FrameWidth": frame_width,
            "UserWidth": user_width,
            "IdWidth": 6,
            "OffsetWindow": 8,
        },
        test_module="test_rifl_shell",
        test_filter=testcase,
        sync_jitter=jitter,
    )
