# SPDX-License-Identifier: Apache-2.0
"""rifl_rx_monitor against its description, frame by frame: runs of requests, what ends them, what is not believed."""

import cocotb
from cocotb.triggers import RisingEdge
from tb_common import build_and_run, cycles, reset, rng, rtl, start_clock

IDLE, PAUSE, RETRANS = 0x0001, 0x0010, 0x1000
RUN, QUIET = 8, 16
FLAGS = {PAUSE: (1, 0), RETRANS: (0, 1), None: (0, 0)}


class Reference:
    """What stands in the header of the module, over the list of the frames so far."""

    def __init__(self):
        self.raised = None  # the request whose flag is up
        self.run = []  # equal requests that were believed
        self.quiet = 0  # frames in a row that were data or Idle

    def frame(self, key, plausible, trusted):
        """key: None for data. The flags behind the frame."""
        believed = key is not None and plausible and trusted
        if (key is None and self.quiet >= QUIET) or (believed and key not in (PAUSE, RETRANS)):
            self.raised, self.run = None, []
        elif believed:
            self.run = [*self.run, key] if key in self.run else [key]
            if len(self.run) >= RUN:
                self.raised = key
        self.quiet = self.quiet + 1 if key is None or (believed and key == IDLE) else 0
        return FLAGS[self.raised]


class Bench:
    def __init__(self, dut):
        self.dut, self.reference = dut, Reference()
        self.random = rng("monitor")
        self.trusted = True

    async def start(self):
        dut = self.dut
        start_clock(dut.clk_i, 1000)
        for name in ("frame_i", "control_i", "is_data_i", "plausible_i", "trusted_i", "key_i"):
            getattr(dut, name).value = 0
        dut.enable_i.value = 1
        await reset(dut.clk_i, dut.rst_i)

    def flags(self):
        return int(self.dut.pause_o.value), int(self.dut.retrans_o.value)

    async def frame(self, key=None, plausible=True):
        """One frame, with clocks between frames in which anything may stand at the inputs."""
        dut, random = self.dut, self.random
        dut.frame_i.value = 0
        for _ in range(random.choice((0, 0, 1, 3))):
            for name in ("control_i", "is_data_i", "plausible_i", "trusted_i"):
                getattr(dut, name).value = random.getrandbits(1)
            dut.key_i.value = random.choice((IDLE, PAUSE, RETRANS))
            await RisingEdge(dut.clk_i)
        dut.frame_i.value = 1
        dut.control_i.value = int(key is not None)
        dut.is_data_i.value = int(key is None)
        dut.plausible_i.value, dut.trusted_i.value = int(plausible), int(self.trusted)
        dut.key_i.value = random.getrandbits(16) if key is None else key
        await RisingEdge(dut.clk_i)
        if key is not None:
            assert dut.key_known_o.value == int(key in (IDLE, PAUSE, RETRANS))
        dut.frame_i.value = 0
        wanted = self.reference.frame(key, plausible, self.trusted)
        self.trusted = plausible
        await RisingEdge(dut.clk_i)
        assert self.flags() == wanted
        return wanted


@cocotb.test()
@cocotb.parametrize(key=[PAUSE, RETRANS])
async def the_eighth_request_raises_its_flag(dut, key):
    bench = Bench(dut)
    await bench.start()
    for turn in range(3):
        for number in range(1, RUN + 3):
            assert await bench.frame(key) == (FLAGS[key] if number >= RUN else (0, 0))
            if turn == 1:  # data in between neither count nor clear
                await bench.frame()
        # Only a complete run of the other request takes over.
        other = PAUSE + RETRANS - key
        for number in range(1, RUN + 1):
            assert await bench.frame(other) == FLAGS[other if number >= RUN else key]
        # What is no request clears, and a run begins afresh.
        last = (IDLE, 0x0100, IDLE)[turn]
        assert await bench.frame(last) == (0, 0)


@cocotb.test()
@cocotb.parametrize(key=[PAUSE, RETRANS], length=[1, RUN - 1, RUN], quiet=[False, True])
async def a_run_begins_afresh_behind_what_clears(dut, key, length, quiet):
    """Also one of the same kind: eight requests again, however long the run before was."""
    bench = Bench(dut)
    await bench.start()
    for _ in range(length):
        await bench.frame(key)
    for _ in range(QUIET + 1 if quiet else 1):
        flags = await bench.frame(None if quiet else IDLE)
    assert flags == (0, 0)
    for number in range(1, RUN + 1):
        assert await bench.frame(key) == (FLAGS[key] if number == RUN else (0, 0))


@cocotb.test()
async def data_clear_after_sixteen_quiet_frames(dut):
    bench = Bench(dut)
    await bench.start()
    for _ in range(RUN):
        await bench.frame(PAUSE)
    for _ in range(QUIET):
        assert await bench.frame() == (1, 0)
    assert await bench.frame() == (0, 0)
    # A request in between: counted from there.
    for _ in range(RUN):
        await bench.frame(RETRANS)
    for _ in range(QUIET - 1):
        await bench.frame()
    await bench.frame(RETRANS)
    for _ in range(QUIET):
        assert await bench.frame() == (0, 1)
    assert await bench.frame() == (0, 0)


@cocotb.test()
async def a_damaged_key_is_not_believed(dut):
    """Nor the frame behind a damaged one: it neither raises nor clears."""
    bench = Bench(dut)
    await bench.start()
    for _ in range(RUN - 1):
        await bench.frame(PAUSE)
    await bench.frame(PAUSE, plausible=False)
    assert await bench.frame(PAUSE) == (0, 0)  # behind a damaged one
    assert await bench.frame(PAUSE) == (1, 0)
    await bench.frame(IDLE, plausible=False)
    assert await bench.frame(IDLE) == (1, 0)
    assert await bench.frame(IDLE) == (0, 0)


@cocotb.test()
async def random_frames(dut):
    """With resets and losses of alignment, which clear everything."""
    bench = Bench(dut)
    await bench.start()
    seen = set()
    for _ in range(300):
        key = bench.random.choice((PAUSE, PAUSE, RETRANS, RETRANS, None, IDLE, 0x8000))
        other = bench.random.choice((PAUSE, RETRANS, None, None, IDLE, 0x8000))
        for _ in range(bench.random.randint(1, 20)):
            kind = key if bench.random.random() < 0.85 else other
            seen.add(await bench.frame(kind, bench.random.random() < 0.97))
        if bench.random.random() < 0.1:
            signal, level = bench.random.choice(((dut.enable_i, 0), (dut.rst_i, 1)))
            signal.value = level
            await cycles(dut.clk_i, 1)
            signal.value = 1 - level
            await cycles(dut.clk_i, 1)
            assert bench.flags() == (0, 0)
            bench.reference = Reference()
    assert seen == set(FLAGS.values())


def test_rifl_rx_monitor():
    build_and_run("rifl_rx_monitor", rtl("prim", "axis", "line", "rifl"), {}, __name__)
