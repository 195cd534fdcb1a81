# SPDX-License-Identifier: Apache-2.0
"""The shell around the link: every register and counter, read back over AXI4-Lite by a library that knows nothing of it.

Two complete ends; what a counter shows is compared with what the test bench saw or did.
"""

from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer
from ends import WORD, payload
from htsp_registers import REGISTERS
from packed import field
from shell_ends import AXIL, CLK, ShellEnds
from tb_common import build_and_run, cycles, params, rtl

HERE = Path(__file__).resolve().parent
ADDRESS = bytes.fromhex("004456030201")  # of A; B has the next one, low byte first
COUNTERS = [n.removeprefix("observe.") for n, r in REGISTERS.items() if n.startswith("observe.")
            and [f.inst_name for f in r.fields()] == ["count"]]  # fmt: skip


def frame(tid, channel=0xFF, body=b"", first=1, flags=1, **change):
    """A frame for B with good checksum and footer, and what is wrong with it: version, checksum, to, size."""
    header = bytearray(64)
    header[0:6] = change.get("to", b"\xff" * 6)
    header[6:12] = ADDRESS
    header[12:14] = b"\x01\x11"
    header[14] = change.get("version", 1)
    header[15], header[18], header[19], header[21] = tid & 255, channel, first, 1
    if channel == 0xFF:
        header[19] = 0
    header[30:32] = (~sum(header) & 0xFFFF ^ change.get("checksum", 0)).to_bytes(2, "little")
    if channel == 0xFF:
        return bytes(header)
    padded = body + bytes(-len(body) % WORD)
    footer = bytes((len(body) - len(padded) + WORD, flags, 0, 0))
    return bytes(header) + padded + footer + (change.get("size", len(body))).to_bytes(2, "little")


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def identity_and_settings(dut):
    """Reset values as described, what can be written, what is refused, and what goes to the transceiver."""
    ends = ShellEnds(dut, "identity")
    await ends.start(up=False)
    a, given = ends.a, params()
    assert await a.read("magic") == int.from_bytes(b"HTSP", "big")
    assert await a.field("parameters", "channels") == given["Channels"]
    assert await a.field("parameters", "width") == given["Bytes"]
    assert await a.field("parameters", "test_traffic") == 1
    assert await a.read("buffers") == given["RxDepth"] << 16 | given["TxDepth"]
    assert await a.read("levels") == given["RxDepth"] // 8 << 16 | given["RxDepth"] // 4
    for regs, last in ((ends.a, 0), (ends.b, 1)):
        assert await regs.read("local_mac") == 0x010203564400 + last
    await a.check_reset_values(but=["events"])

    def seen(path, wanted):
        if path == "control":
            assert field(dut.loopback_o, 0, 3) == wanted["loopback"]
            assert field(dut.reset_rx_o, 0, 1) == wanted["reset_rx"]
            assert field(dut.rx_polarity_o, 0, 4) == wanted["rx_polarity"]
            assert field(dut.tx_polarity_o, 0, 4) == wanted["tx_polarity"]
        if path.startswith("lane_"):
            for name in ("diff", "pre", "post"):
                shown = field(getattr(dut, f"lane_{name}_o"), int(path[-1]), 5)
                assert shown == wanted[name], path

    await a.check_writes(ends.random, seen=seen)
    known = {n.absolute_address for n in REGISTERS.values()}
    for address in (0x01C, 0x064, 0x0A0, 0xFFC):
        assert address not in known
        assert (await a.word(address))[1] is False
        assert not await a.write_word(address, 1)
    # Words without a register, and channels that are not there.
    for address in (0x1158, 0x11F8, 0x1200, 0x17F8, 0x1878, 0x1800 + 0x80 * ends.channels, 0x1FF8):
        assert await a.word(address) == (0, True), hex(address)
        assert await a.word(address + 4) == (0, True)
    assert await a.write_word(0x1000, 0xFFFFFFFF), "a write to observe is ignored, not refused"
    # All of it is as it was: the link comes up.
    await ends.wait_up()


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def traffic(dut):
    """Packets, bytes, waits, frames, sizes, time: exact. A clear starts all of them anew."""
    ends = ShellEnds(dut, "traffic")
    await ends.start()
    for regs in ends.regs:
        await ends.expect(regs, link_ups=1, remote_readies=1)
        assert await regs.read("status") & 5 == 5
    await ends.clear()
    waits, frames, n = {}, [], ends.channels

    async def watch():
        seen = [len(ends.frames[0]), len(ends.frames[1])]
        while True:
            await RisingEdge(dut.clk_i)
            for name in ("s", "m"):
                stalled = int(getattr(dut, f"{name}_axis_tvalid").value) & ~int(
                    getattr(dut, f"{name}_axis_tready").value
                )
                for stream in range(2 * n):
                    waits[name, stream] = waits.get((name, stream), 0) + (stalled >> stream & 1)
            for end in (0, 1):
                frames.extend((end, f) for f in ends.frames[end][seen[end] :])
                seen[end] = len(ends.frames[end])

    cocotb.start_soon(watch())
    for stream in range(2 * n):
        ends.take[stream] = 0.7
    ends.queue_packets(range(2 * n), 25, errors=0.2)
    await ends.idle()
    ends.check_clean()
    # One packet that breaks the rules of TKEEP in its first beat.
    ends.send(0, bytes(130))
    ends.queue[0][0][1] = ends.beat - 1
    await ends.idle()
    await ends.settle()
    errors = 0
    for end, regs in enumerate(ends.regs):
        for channel in range(n):
            out, back = channel + n * end, channel + n * (1 - end)
            sent, came = ends.sent[out], ends.received[out]
            bad = int(out == 0)
            want = {
                "tx_packets": len(sent),
                "tx_bytes": sum(len(d) for d, _ in sent) - bad,
                "tx_stalled": waits["s", out],
                "tx_errors": sum(e for _, e in sent),
                "tx_bad_words": bad,
                "tx_cuts": 0,
                "rx_packets": len(ends.sent[back]),
                "rx_bytes": sum(len(d) for d, _ in came),
                "rx_stalled": waits["m", out],
                "rx_errors": sum(e for _, e in came),
                "rx_overflows": 0,
            }
            for name, value in want.items():
                got = await regs.read(f"observe.channel[{channel}].{name}")
                assert got == value, (end, channel, name, got, value)
            assert want["rx_stalled"] > 0
            errors += want["tx_errors"]
        full = [f for e, f in frames if e == end and f[18] != 255]
        sizes = [int.from_bytes(f[-2:], "little") for f in full]
        await ends.expect(regs, tx_frames=len(full), tx_bytes=sum(sizes))
        await ends.expect(ends.regs[1 - end], rx_frames=len(full), rx_bytes=sum(sizes))
        assert await regs.read("observe.tx_size") == max(sizes) << 16 | min(sizes)
        assert await ends.regs[1 - end].read("observe.rx_size") == max(sizes) << 16 | min(sizes)
        link = await regs.read("observe.link")
        assert link == 0b1111, f"{link:#x}"
        assert await regs.read("observe.remote_mac") == 0x010203564400 + 1 - end
    assert errors > 0
    alone = [sum(f[18] == 255 for e, f in frames if e == end) for end in (0, 1)]
    await ends.settle()
    for end, regs in enumerate(ends.regs):
        # Headers go on while registers are read.
        assert alone[end] <= await regs.read("observe.tx_headers") <= alone[end] + 200
        assert alone[1 - end] <= await regs.read("observe.rx_headers") <= alone[1 - end] + 200

    for name in ("cycles", "up_cycles"):
        first, when = await ends.a.read(f"observe.{name}"), ends.cycle
        await cycles(dut.clk_i, 2000)
        passed = await ends.a.read(f"observe.{name}") - first
        assert abs(passed - (ends.cycle - when)) < 4 * (80 + 16 * n)

    await ends.clear()
    moving = ("cycles", "up_cycles", "tx_headers", "rx_headers")
    for name in COUNTERS:
        value = await ends.a.read(f"observe.{name}")
        assert value == 0 or name in moving, name
    assert await ends.a.read("observe.tx_size") == await ends.a.read("observe.rx_size") == 0


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def op_codes_and_user_data(dut):
    """By register and by stream, both arrive; the last ones can be read at both ends; user data changes as a whole."""
    ends = ShellEnds(dut, "codes")
    await ends.start()
    await ends.clear()
    await ends.forget_events()
    await ends.b.write("event_enable", op_code=1)
    assert dut.irq_o.value == 0
    codes = [ends.random.getrandbits(128) for _ in range(6)]

    await ends.op_code(0, codes[0])
    await ends.settle()
    assert dut.irq_o.value == 2
    assert await ends.b.field("events", "op_code") == 1
    assert await ends.a.field("events", "op_code") == 0
    await ends.b.write("events", op_code=1)
    assert dut.irq_o.value == 0
    await RisingEdge(dut.clk_i)
    dut.s_opcode_tdata.value, dut.s_opcode_tvalid.value = codes[1], 1
    while not int(dut.s_opcode_tready.value) & 1:
        await RisingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
    dut.s_opcode_tvalid.value = 0
    await ends.settle()
    assert ends.op_codes[1] == codes[:2] and ends.op_codes[0] == []
    # While the line is lost five wait, and there is no room for a sixth.
    dut.cut_i.value = 3
    await cycles(dut.clk_i, 20)
    for code in codes[2:]:
        await ends.op_code(0, code)
    await ends.op_code(0, codes[0])
    await ends.settle()
    assert await ends.a.field("status", "op_code_ready") == 0
    dut.cut_i.value = 0
    await ends.wait_up()
    await ends.settle()
    assert ends.op_codes[1] == [*codes, codes[0]]
    await ends.expect(ends.a, tx_op_codes=7, rx_op_codes=0)
    await ends.expect(ends.b, tx_op_codes=0, rx_op_codes=7)
    for half, shift in (("low", 0), ("high", 64)):
        want = codes[0] >> shift & 2**64 - 1
        assert await ends.a.read(f"observe.tx_op_code_{half}") == want
        assert await ends.b.read(f"observe.rx_op_code_{half}") == want
        assert await ends.b.read(f"observe.tx_op_code_{half}") == 0

    data = ends.random.getrandbits(128)
    for i in range(4):
        await ends.b.write(f"user_data_{i}", bytes=data >> 32 * i & 0xFFFFFFFF)
    await ends.settle()
    assert field(dut.remote_data_o, 0, 128) == 0, "before the command"
    await ends.b.write("command", user_data=1)
    await ends.settle()
    assert field(dut.remote_data_o, 0, 128) == data
    assert await ends.a.read("observe.remote_data_low") == data & 2**64 - 1
    assert await ends.a.read("observe.remote_data_high") == data >> 64
    assert await ends.b.read("observe.remote_data_low") == 0


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def settings_act(dut):
    """Each setting changes what is on the line; none is seen half written; wrong ones count as the nearest."""
    ends = ShellEnds(dut, "settings")
    await ends.start()
    a, b = ends.a, ends.b

    async def bursts(words):
        await a.write("burst", words=words)
        await ends.settle()
        seen = len(ends.frames[0])
        ends.send(0, payload(0, len(ends.sent[0]), 300 * WORD))
        await ends.idle()
        return {len(f) // WORD - 1 for f in ends.frames[0][seen:] if f[18] != 255}

    assert max(await bursts(3)) == 3
    assert await bursts(0) == {1}
    assert max(await bursts(255)) == 128
    assert max(await bursts(128)) == 128
    # A stalled source ends its burst, or holds it.
    ends.gapless = False
    for limit, count in ((0, 2), (30, 1)):
        await a.write("burst", words=128, stall_limit=limit)
        await ends.settle()
        seen = len(ends.frames[0])
        ends.send(0, payload(0, len(ends.sent[0]), 40 * WORD), gap=(20, 20))
        await ends.idle()
        assert sum(f[18] != 255 for f in ends.frames[0][seen:]) == count, limit
    await a.write("burst", words=128)
    ends.gapless = True

    for interval in (20, 127):
        await a.write("null_interval", cycles=interval)
        await cycles(dut.clk_i, 600)
        at = ends.frame_at[0]
        assert at[-1] - at[-2] == interval + 2
    await a.write("control", tx_disable=1)
    await ends.settle()
    ends.queue_packets([0], 1)
    await cycles(dut.clk_i, 300)
    assert len(ends.received[ends.channels]) < len(ends.sent[0])
    await a.write("control")
    await ends.idle()
    ends.check_clean()

    # Levels. B's user stops: the buffer fills to the pause level, and what is under way.
    to = ends.channels
    for pause, resume in ((40, 5), (8, 8)):
        await b.write("levels", pause=pause, resume=resume)
        await a.write("burst", words=1)
        await ends.settle()
        await ends.clear()
        ends.take[to] = 0.0
        ends.send(0, payload(0, len(ends.sent[0]), 60 * WORD))
        await cycles(dut.clk_i, 500)
        link = await b.read("observe.link")
        assert link >> 16 & 0xFFFF == 1 and link >> 32 == 0, f"{link:#x}"
        assert await a.read("observe.link") >> 32 == 1
        got = len(ends.taken_at[to])
        ends.take[to] = 1.0
        held = 0
        while dut.local_pause_o.value != 0:
            await RisingEdge(dut.clk_i)
        held = len(ends.taken_at[to]) - got
        await ends.idle()
        await ends.settle()
        # The buffer held some more than the pause level, and was emptied below the resume level.
        assert pause - resume < held <= pause - resume + 16, (pause, resume, held)
        pausing = await b.read("observe.channel[0].rx_pausing")
        paused = await a.read("observe.channel[0].tx_paused")
        assert pausing > 200 and abs(pausing - paused) < 20
        assert await b.read("observe.channel[0].rx_pauses") == await a.read("observe.channel[0].tx_pauses") > 0  # fmt: skip
        for name in ("rx_pausing", "rx_pauses"):
            assert await a.read(f"observe.channel[0].{name}") == 0
            assert await b.read(f"observe.channel[1].{name}") == 0
    ends.check_clean()
    # No room above the level: an overflow is counted, told, and leaves an error mark.
    await b.write("levels", pause=0xFFFF, resume=0xFFFF)
    await ends.forget_events()
    await b.write("event_enable", overflow=1)
    await ends.settle()
    ends.take[to] = 0.0
    ends.send(0, payload(0, len(ends.sent[0]), 100 * WORD))
    await cycles(dut.clk_i, 500)
    ends.take[to] = 1.0
    await ends.idle()
    await ends.settle()
    assert dut.irq_o.value == 2 and await b.field("events", "overflow") == 1
    assert await a.field("events", "overflow") == 0
    assert await b.read("observe.channel[0].rx_overflows") > 0
    assert ends.received[to][-1][1], "no mark"
    await b.write("levels", pause=16, resume=8)

    # Addresses and EtherType, while both ends are held down.
    for regs in ends.regs:
        await regs.write("control", reset=1)
    for regs, own in ((a, 0x111213141516), (b, 0x212223242526)):
        await regs.write("local_mac", low=own & 0xFFFFFFFF, high=own >> 32)
        await regs.write("broadcast_mac", low=0x33343536, high=0x3132)
        await regs.write("ethertype", value=0xB588)
    seen = len(ends.frames[0])
    await ends.settle()
    assert len(ends.frames[0]) == seen, "a frame in reset"
    for regs in ends.regs:
        await regs.write("control")
    await Timer(300 * AXIL, "ps")
    await ends.wait_up()
    first, last = ends.frames[0][seen].hex(), None
    assert first.startswith("363534333231" + "161514131211" + "88b5")
    ends.queue_packets([0], 1)
    await ends.idle()
    last = [f for f in ends.frames[0] if f[18] != 255][-1].hex()
    assert last.startswith("262524232221" + "161514131211" + "88b5")
    assert await b.read("observe.remote_mac") == 0x111213141516

    # A peer that has lost the link is sent to all the same, if so wished. What it loses is counted.
    await ends.clear()
    await b.write("alive", cycles=0)
    await a.write("control", ignore_remote=1)
    await cycles(dut.clk_i, 400)
    frames = await a.read("observe.tx_frames")
    ends.queue_packets([0], 1)
    await cycles(dut.clk_i, 400)
    assert await a.read("observe.tx_frames") > frames
    assert await b.read("observe.downs_silent") > 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def access_across_a_reset(dut):
    """What the bus has asked for is gone with a reset; what it asks for right behind one waits, and is answered."""
    ends = ShellEnds(dut, "across a reset")
    await ends.start(up=False)
    where = REGISTERS["event_enable"].absolute_address
    counter = REGISTERS["observe.cycles"].absolute_address
    for value in (1, 0) * 10:
        ends.a.bus.init_write(where, bytes(4))
        # The first takes its time, and the others wait.
        for at in (counter, where, counter):
            ends.b.bus.init_read(at, 4)
        await Timer(ends.random.randint(1, 6 * AXIL), "ps")
        await ends.reset_bus(ends.random.randint(8 * AXIL, 20 * AXIL))
        await ends.a.write("event_enable", loss=value)
        assert await ends.a.field("event_enable", "loss") == value


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def refusals(dut):
    """Whatever is wrong with a frame is counted under its name, and told."""
    ends = ShellEnds(dut, "refusals")
    await ends.start(up=False, inject=1)
    b = ends.b
    await b.write("alive", cycles=1 << 31)
    await ends.settle()
    await ends.inject(frame(0))
    await ends.clear()
    await b.write("event_enable", loss=1)
    body = payload(0, 1, 100)
    names = ("foreign", "version", "checksum", "damaged", "footer_bad", "unknown_channel", "orphans", "stale", "lost")  # fmt: skip
    # What is injected, whether it is told as a loss, and what then counts.
    cases = [
        (frame(1, to=ADDRESS), 0, {"foreign"}, 0),
        (frame(1)[:60], 0, {"foreign"}, 0),
        (frame(1, version=2), 0, {"version"}, 0),
        (frame(1, checksum=1), 0, {"checksum"}, 1),
        (frame(1), 1, {"damaged"}, 1),
        (frame(1, 0, body), 1, {"damaged"}, 1),
        (frame(1, 0, body, size=99), 0, {"footer_bad"}, 1),
        (frame(1, ends.channels, body), 0, {"unknown_channel"}, 0),
        (frame(2, 0, body, first=0), 0, {"orphans"}, 1),
        (frame(4, 0, body), 0, {"lost"}, 1),
        (frame(4, 0, body), 0, {"stale"}, 1),
        (frame(5, 0, body), 0, set(), 0),
    ]
    total = dict.fromkeys(names, 0)
    for data, damaged, counts, told in cases:
        await ends.forget_events()
        assert dut.irq_o.value == 0
        await ends.inject(data, damaged)
        await ends.settle()
        for name in counts:
            total[name] += 1
        got = {name: await b.read(f"observe.{name}") for name in names}
        assert got == total, (counts, got)
        assert await b.field("events", "loss") == told, counts
        assert dut.irq_o.value == 2 * told
    await ends.inject(frame(48, 1, body))
    await ends.expect(b, lost=1 + 42)
    good = [d for d, e in ends.received[ends.channels] if not e]
    # Footers that are wrong and damaged frames end in error; all else was never begun.
    assert good == [body, body]
    for end, name in ((0, "fec_corrected"), (1, "fec_uncorrected")):
        signal = getattr(dut, f"{name}_i")
        await RisingEdge(dut.clk_i)
        signal.value = 1 << end
        await cycles(dut.clk_i, 5)
        signal.value = 0
        await ends.settle()
        for e, regs in enumerate(ends.regs):
            assert await regs.read(f"observe.{name}") == (5 if e == end else 0), name


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def downs_and_resets(dut):
    """Why the link went down has a name; packets under way end in error; what had not begun arrives."""
    ends = ShellEnds(dut, "downs")
    await ends.start()
    a, b, n = ends.a, ends.b, ends.channels
    assert await b.field("observe.link", "down_reason") == 0
    for regs in ends.regs:
        await regs.write("alive", cycles=700)
    await ends.clear()
    want = dict.fromkeys(("link_ups", "downs_silent", "downs_phy", "downs_reset"), 0)

    async def down(name, reason, begin, end):
        """The link of B goes down while A sends a long packet, and comes back."""
        await ends.forget_events()
        await b.write("event_enable", link_down=1)
        marks = [len(r) for r in ends.received]
        cuts = await a.read("observe.channel[0].tx_cuts")
        ends.send(0, payload(0, len(ends.sent[0]), 3000 * WORD))
        ends.queue_packets([0], 3)
        await cycles(dut.clk_i, 200)
        await begin()
        for _ in range(3000):
            if not int(dut.link_up_o.value) & 2:
                break
            await RisingEdge(dut.clk_i)
        await ends.settle()
        link = await b.read("observe.link")
        assert link & 1 == 0 and link >> 4 & 3 == reason, (name, f"{link:#x}")
        assert await b.field("status", "link_up") == 0
        assert dut.irq_o.value == 2 and await b.field("events", "link_up") == 0
        await end()
        await ends.wait_up()
        await ends.idle()
        want["link_ups"] += 1
        want[name] += 1
        await ends.expect(b, **want)
        assert await b.field("events", "link_up") == 1
        assert await a.field("events", "cut") == 1
        assert await a.read("observe.channel[0].tx_cuts") == cuts + 1
        assert await b.read("observe.channel[0].tx_cuts") == 0
        came = ends.received[n][marks[n] :]
        assert came[0][1] and len(came[0][0]) < 3000 * WORD, "the packet under way has no mark"
        assert came[-3:] == ends.sent[0][-3:], "packets that had not begun"

    def drive(signal, value):
        async def act():
            getattr(dut, signal).value = value

        return act

    def write(regs, **fields):
        async def act():
            await regs.write("control", **fields)

        return act

    await down("downs_silent", 1, drive("deaf_i", 1), drive("deaf_i", 0))
    await down("downs_phy", 2, drive("cut_i", 1), drive("cut_i", 0))
    await ends.expect(a, phy_tx_readies=1, phy_rx_readies=0)
    await ends.expect(b, phy_tx_readies=0, phy_rx_readies=1)
    assert await a.read("observe.remote_readies") > 0

    async def release():
        assert await b.field("status", "reset_active") == 1
        await b.write("control")
        assert await b.field("status", "reset_active") == 1, "too short"
        await Timer(270 * AXIL, "ps")
        assert await b.field("status", "reset_active") == 0

    await down("downs_reset", 3, write(b, reset=1), release)

    # The pin resets the link and its streams, and leaves registers and counters alone.
    await ends.clear()
    dut.arst_i.value = 2
    await cycles(dut.clk_i, 40)
    assert await b.field("status", "reset_active") == 1
    assert await b.field("alive", "cycles") == 700
    dut.arst_i.value = 0
    await ends.wait_up()
    await ends.expect(b, downs_reset=1, link_ups=1)
    assert await b.field("status", "reset_active") == 0
    ends.queue_packets(range(2 * n), 3)
    await ends.idle()
    for stream in range(2 * n):
        assert ends.received[ends.peer(stream)][-3:] == ends.sent[stream][-3:]


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def instead_of_users(dut):
    """Source and checker take a channel's streams, between packets, find what is wrong, and leave the others alone."""
    ends = ShellEnds(dut, "prbs")
    await ends.start()
    a, b, n = ends.a, ends.b, ends.channels
    for regs in ends.regs:
        await regs.write("prbs_length", shortest=1, longest=150)
        await regs.write("prbs_seed", seed=ends.random.randint(1, 2**31 - 2))
        await regs.write("prbs_gap", gap=2)
    for channel in (1, 0):
        for regs in ends.regs:
            await regs.write("test_channel", channel=channel)
        missing = [len(s) for s in ends.sent]
        for stream in range(2 * n):
            missing[stream] -= len(ends.received[ends.peer(stream)])
        # The users of all channels are sending, the test channel's in the middle of packets.
        ends.rate[channel] = 0.5
        ends.queue_packets(range(2 * n), 30, largest=600)
        await cycles(dut.clk_i, 50)
        await b.write("control", prbs_check=1)
        # What arrives of the user's from now on is the checker's: nothing of it is compared.
        await ends.settle()
        await a.write("control", prbs_source=1)
        await cycles(dut.clk_i, 2500)
        await ends.clear()
        await ends.forget_events()
        await cycles(dut.clk_i, 1500)
        seen = await b.read("observe.prbs_bytes")
        assert seen > 1000
        assert await b.field("observe.link", "prbs_sync") == 1
        for name in ("prbs_skipped", "prbs_bit_errors", "prbs_losses"):
            assert await b.read(f"observe.{name}") == 0, name
        assert await b.field("events", "prbs") == 0
        assert await a.read("observe.prbs_bytes") == 0
        assert await b.read(f"observe.channel[{channel}].rx_packets") > 10
        # One flipped bit that nobody tells of.
        await b.write("event_enable", prbs=1)
        await ends.fault(5, word=1, bit=3)
        await cycles(dut.clk_i, 800)
        await ends.settle()
        assert await b.read("observe.prbs_bit_errors") == 1
        assert await b.field("events", "prbs") == 1 and dut.irq_o.value == 2
        # A lost frame.
        await ends.fault(5, drop=1)
        await cycles(dut.clk_i, 2000)
        assert await b.read("observe.prbs_losses") == 1
        assert await b.read("observe.prbs_skipped") > 0
        assert await b.field("observe.link", "prbs_sync") == 1
        # Another channel is only taken when both are off.
        await a.write("test_channel", channel=1 - channel)
        await cycles(dut.clk_i, 200)
        assert await b.field("observe.link", "prbs_sync") == 1
        await a.write("control")
        await cycles(dut.clk_i, 600)
        await b.write("control")
        await ends.idle()
        # The users go on, in whole packets.
        ends.queue_packets(range(2 * n), 5)
        await ends.idle()
        for stream in range(2 * n):
            assert ends.received[ends.peer(stream)][-5:] == ends.sent[stream][-5:], stream
            if stream != channel:
                came = len(ends.received[ends.peer(stream)])
                assert len(ends.sent[stream]) - came == missing[stream], stream


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def link_reset_under_test_traffic(dut):
    """A reset of the link alone ends what source and checker had open: the first packet of a user behind it is its own."""
    ends = ShellEnds(dut, "reset under test traffic")
    ends.gapless = False  # a reset cuts frames
    await ends.start()
    for channel in (0, 1) * 4:
        for regs in ends.regs:
            await regs.write("prbs_length", shortest=400, longest=900)
            await regs.write("test_channel", channel=channel)
        await ends.b.write("control", prbs_check=1)
        await ends.a.write("control", prbs_source=1)
        await cycles(dut.clk_i, ends.random.randint(200, 300))
        before = int(await ends.b.read("observe.prbs_bytes"))
        assert before > 0
        dut.arst_i.value = 3
        for regs in ends.regs:
            await regs.write("control")
        await ends.settle()
        dut.arst_i.value = 0
        assert await ends.b.read("observe.prbs_bytes") >= before, (
            "the reset of the link cleared counters"
        )
        await ends.wait_up()
        ends.queue_packets([channel], 4)
        await ends.idle()
        assert ends.received[ends.peer(channel)] == ends.sent[channel]


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def rates(dut):
    """Bandwidth and frame rate of a channel, from two reads of its counters: all that header and footer leave."""
    ends = ShellEnds(dut, "rates")
    await ends.start()
    await ends.a.write("prbs_length", shortest=4 * WORD, longest=4 * WORD)
    await ends.b.write("control", prbs_check=1)
    await ends.a.write("control", prbs_source=1)
    await ends.settle()
    names = ("cycles", "channel[0].rx_packets", "channel[0].rx_bytes")
    begin = [await ends.b.read(f"observe.{name}") for name in names]
    await cycles(dut.clk_i, 10000)
    end = [await ends.b.read(f"observe.{name}") for name in names]
    time, packets, size = (b - a for a, b in zip(begin, end, strict=True))
    # Each value may be two rounds of the counters old, and a read takes a round and the way over
    # the bus.
    slack = 5 * (80 + 16 * ends.channels) / time
    assert abs(6 * packets / time - 1) < slack
    assert abs(6 * size / (4 * WORD * time) - 1) < slack


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def latency(dut):
    """One packet over and back on the same channel, as the test bench measures it."""
    ends = ShellEnds(dut, "latency")
    await ends.start()
    a, n = ends.a, ends.channels
    assert await a.read("observe.latency") == 0
    for channel in (1, 0):
        await a.write("test_channel", channel=channel)
        await ends.settle()
        await a.write("command", latency=1)
        await ends.settle()
        assert await a.field("observe.latency", "state") == 1
        before = len(ends.accepted_at[channel]), len(ends.taken_at[channel])
        ends.queue_packets([1 - channel, n + 1 - channel], 1)
        await ends.idle()
        assert await a.field("observe.latency", "state") == 1, "another channel"
        ends.queue_packets([channel], 1, largest=600)
        await cycles(dut.clk_i, 100)
        assert await a.field("observe.latency", "state") == 2
        ends.queue_packets([n + channel], 1)
        await ends.idle()
        ends.queue_packets([channel, n + channel], 2)
        await ends.idle()
        took = ends.taken_at[channel][before[1]] - ends.accepted_at[channel][before[0]]
        assert await a.field("observe.latency", "state") == 3
        assert await a.field("observe.latency", "cycles") == took


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def clock_stands_still(dut):
    """The bus answers all the same, says so, and goes on when the clock is back."""
    ends = ShellEnds(dut, "still")
    await ends.start()
    await ends.forget_events()
    await ends.a.write("event_enable", observe_lost=1)
    ends.clock.stop()
    assert await ends.a.read("observe.cycles") == 2**64 - 1
    assert await ends.a.field("events", "observe_lost") == 1
    assert dut.irq_o.value == 1
    assert await ends.a.read("magic") == int.from_bytes(b"HTSP", "big")
    assert await ends.a.read("observe.channel[0].rx_bytes") == 2**64 - 1
    # Settings written meanwhile hold when the clock is back.
    for interval in (50, 60, 70, 80, 90, 100, 33):
        await ends.a.write("null_interval", cycles=interval)
    ends.clock.start()
    await ends.settle()
    await ends.a.word(REGISTERS["observe.cycles"].absolute_address)
    await ends.settle()
    assert await ends.a.read("observe.cycles") < 2**40
    await ends.a.write("events", observe_lost=1)
    assert await ends.a.field("events", "observe_lost") == 0 and dut.irq_o.value == 0
    await cycles(dut.clk_i, 300)
    at = ends.frame_at[0]
    assert at[-1] - at[-2] == 35


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def reset_while_a_clock_stands_still(dut):
    """All is reset while one of both clocks stands still: no op-code of before comes again, none of behind is lost or doubled."""
    ends = ShellEnds(dut, "stands still")
    await ends.start()
    random, number = ends.random, 0
    for turn in range(12):
        want = []
        for _ in range(random.randrange(1, 8)):
            number += 1
            want.append(number)
            await ends.op_code(0, number)
        await ends.settle()
        assert ends.op_codes[1] == want
        ends.op_codes[1].clear()
        await ends.forget_events()
        stopped = ends.axil_clock if turn % 2 else ends.clock
        stopped.stop()
        await Timer(random.randrange(2 * AXIL, 5 * AXIL), "ps")
        await ends.reset_bus(random.choice([1, 500, random.randrange(20 * AXIL)]))
        await Timer(random.randrange(20 * AXIL, 40 * AXIL), "ps")
        want = []
        if stopped is ends.clock:
            # The registers answer. What they take now, they keep.
            for _ in range(8):
                if await ends.a.field("status", "op_code_ready"):
                    number += 1
                    want.append(number)
                    await ends.op_code(0, number)
        assert ends.op_codes == [[], []]
        stopped.start()
        await Timer(20 * AXIL, "ps")
        await ends.wait_up()
        await ends.settle()
        assert ends.op_codes == [[], want], "an op-code of before the reset"
        for regs, came in zip(ends.regs, (False, bool(want)), strict=True):
            for name in ("loss", "overflow", "cut", "op_code", "prbs"):
                assert await regs.field("events", name) == (came and name == "op_code"), name
        ends.op_codes[1].clear()


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def ready_at_any_time(dut):
    """The ready levels of the line change at any time of a cycle: no output does with them, and no packet is torn."""
    ends = ShellEnds(dut, "ready")
    await ends.start()
    random, n = ends.random, ends.channels
    outputs = [
        getattr(dut, name)
        for name in (
            "m_axis_tvalid", "m_axis_tlast", "m_axis_tuser", "m_axis_tdata", "s_axis_tready", "phy_tvalid",
            "phy_tlast", "phy_tdata", "m_opcode_tvalid", "link_up_o", "remote_ready_o", "local_pause_o",
        )
    ]  # fmt: skip
    for stream in range(2 * n):
        ends.take[stream] = 0.8

    async def change(name, value):
        """Anywhere between two edges; what the sources and sinks do at an edge is over by then."""
        await RisingEdge(dut.clk_i)
        await Timer(random.randrange(10, CLK - 10), "ps")
        before = [int(signal.value) for signal in outputs]
        getattr(dut, name).value = value
        await Timer(5, "ps")
        assert [int(signal.value) for signal in outputs] == before, (
            f"{name} in the middle of a cycle"
        )

    ready_at = 0  # since this cycle both lines are ready
    for _ in range(150):
        if len(ends.queue[0]) < 40:
            ends.queue_packets(range(2 * n), 4, largest=700)
        name = random.choice(["phy_tx_off_i", "phy_rx_off_i"])
        ends_off = random.randrange(1, 4)
        await change(name, ends_off)
        began, long = ends.cycle, random.randrange(2)
        if long and name == "phy_rx_off_i":
            was_up, falls = int(dut.link_up_o.value) & ends_off, 0
            while int(dut.link_up_o.value) & ends_off:
                await RisingEdge(dut.clk_i)
                falls += 1
            # Two or three edges for the synchroniser, one for the state, and the one that shows it;
            # fewer if what came just before is still on its way.
            least = 4 if began - ready_at > 5 else 0
            assert not was_up or least <= falls <= 5, falls
        await cycles(dut.clk_i, random.randrange(8, 30) if long else random.randrange(2))
        if long and name == "phy_rx_off_i":
            assert int(dut.link_up_o.value) & ends_off == 0, "the link is down without a line"
        await change(name, 0)
        ready_at = ends.cycle
        await cycles(dut.clk_i, random.choice([1, 5, 60]))
    await ends.wait_up()
    await ends.idle()
    # A packet of one burst may be lost without a mark; all else has one.
    ends.check_marked(range(2 * n), lost_whole=10**6)
    marks = [len(came) for came in ends.received]
    ends.queue_packets(range(2 * n), 5)
    await ends.idle()
    for stream in range(2 * n):
        came = ends.received[ends.peer(stream)]
        assert came[marks[ends.peer(stream)] :] == ends.sent[stream][-5:]


# Narrow ends: what depends on the width of a beat.
NARROW = ["identity_and_settings", "traffic", "instead_of_users", "latency", "ready_at_any_time"]


@pytest.mark.parametrize(
    ("width", "cases"),
    [
        (WORD, None),
        pytest.param(32, NARROW[:2], marks=pytest.mark.long),
        pytest.param(16, NARROW, marks=pytest.mark.long),
    ],
)
def test_htsp_shell(width, cases):
    build_and_run(
        toplevel="htsp_shell_pair",
        sources=[
            *rtl("prim", "axis", "htsp"),
            HERE / "htsp_wire.sv",
            HERE / "htsp_shell_pair.sv",
        ],
        parameters={"Channels": 2, "Bytes": width, "TxDepth": 8, "RxDepth": 64},
        test_module="test_htsp_shell",
        testcase=cases,
        sync_jitter=True,
    )
