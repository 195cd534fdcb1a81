# SPDX-License-Identifier: Apache-2.0
"""The transmitter of the compatible mode against its description, frame by frame: flags of the
receiver come, stand and go at any time."""

from dataclasses import dataclass

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge
from tb_common import build_and_run, cycles, rng, rtl, start_clock

ID_WIDTH = 6
FRAMES = 1 << ID_WIDTH
TAIL = FRAMES - 16
SETTLED = 16  # data frames that a published receiver may not deliver
STATES = ("init", "send pause", "pause", "retrans", "send retrans", "normal")
KINDS = ("pause", "idle", "request", "replay", "stop", "resume", "user")
FRAME = {
    "link_up": 1, "state": 3, "kind": 3, "slack": 1, "bound": 1, "user_ready": 1, "id": 12, "wr_en": 1, "wr_addr": 12,
    "rd_addr": 12,
}  # fmt: skip


def parsed(word):
    values = {}
    for name, width in reversed(FRAME.items()):
        values[name] = word & ((1 << width) - 1)
        word >>= width
    values["state"], values["kind"] = STATES[values["state"]], KINDS[values["kind"]]
    return values


@dataclass
class Flags:
    up: bool = True
    error: bool = False
    pause: bool = False
    retrans: bool = False
    stop: bool = False  # the own buffer wants the peer to stop
    stopped: bool = False  # the peer wants this end to stop
    compensate: bool = False


class Transmitter:
    """What it sends, of its flags and of what it has sent."""

    def __init__(self):
        self.cleared = self.sent = 0  # entries of the buffer; data frames, new ones
        self.id = 0
        self.replays = None  # frames of the resend that are left
        self.tail = None  # frames in which the peer may still ask
        self.idles = 0  # before user data
        self.request_last = False
        self.ends = 0  # Idle frames that still end own requests
        self.told = False  # stop, as the peer has heard it

    def full(self):
        return self.sent >= FRAMES

    def state(self, flags):
        if self.cleared < FRAMES:
            return "init"
        if not flags.up:
            return "send pause"
        if flags.pause:
            return "pause"
        if flags.retrans or self.replays is not None or self.tail is not None:
            return "retrans"
        return "send retrans" if flags.error else "normal"

    def frame(self, flags):
        state = self.state(flags)
        quiet = "request" if flags.error else "idle"
        kind, ready, counted = quiet, False, False
        if state in ("init", "send pause"):
            kind = "pause"
        elif state == "retrans" and self.replays is not None and not flags.compensate:
            # With an own error every other frame is a request; else Idles behind the last one.
            goes = self.request_last if flags.error else not self.ends
            kind = "replay" if goes else quiet
        elif state == "normal":
            if flags.compensate:
                kind = "idle"
            elif not self.full() and self.sent < SETTLED:
                kind = "user"
            elif flags.stop != self.told:
                kind = "stop" if flags.stop else "resume"
            elif flags.stopped or self.idles:
                kind, counted = "idle", True
            else:
                kind, ready = "user", self.full()
        seen = {
            "link_up": flags.up and self.full(), "state": state, "kind": kind, "bound": False, "user_ready": ready,
            "slack": kind not in ("user", "stop", "resume", "replay"), "id": self.id,
            "wr_en": state == "init" or kind in ("user", "stop", "resume"),
        }  # fmt: skip
        if seen["wr_en"]:
            seen["wr_addr"] = (FRAMES - self.cleared) % FRAMES if state == "init" else self.id
        self.advance(flags, state, kind, counted)
        seen["rd_addr"] = self.id
        return seen

    def advance(self, flags, state, kind, counted):
        if state == "init":
            self.cleared += 1
        if kind in ("user", "stop", "resume"):
            self.sent += 1
        if kind in ("user", "stop", "resume", "replay"):
            self.id = (self.id + 1) % FRAMES
        if state == "retrans":
            self.resend(flags, kind)
        if state in ("send pause", "pause") or (flags.error and state != "init"):
            self.idles = FRAMES
        elif counted and self.idles:
            self.idles -= 1
        if kind == "request":
            self.ends = 2
        elif kind == "idle":
            self.ends = max(self.ends - 1, 0)
        if kind in ("stop", "resume"):
            self.told = flags.stop

    def resend(self, flags, kind):
        """The oldest frame of a full buffer has the id of the next new one: it is never sent
        again."""
        if self.replays is None and self.tail is None:
            begins = True
        elif self.replays is not None:
            begins = False
            if kind == "replay":
                self.request_last = False
                self.replays -= 1
                if not self.replays:
                    self.replays, self.tail = None, TAIL
            elif flags.error and not flags.compensate:
                self.request_last = True
        else:
            begins = flags.retrans and not self.tail
            self.tail = self.tail - 1 if flags.retrans else None
        if begins:
            self.id = (self.id + self.full()) % FRAMES
            self.replays, self.tail = FRAMES - self.full(), None
            self.request_last = False


class Bench:
    def __init__(self, dut):
        self.dut, self.random = dut, rng("tx_ctrl")
        self.model = Transmitter()

    async def start(self):
        start_clock(self.dut.clk_i, 1000)
        self.drive(Flags(up=False))
        self.dut.rst_i.value = 1
        await cycles(self.dut.clk_i, 3)
        self.dut.rst_i.value = 0

    def drive(self, flags):
        dut = self.dut
        for pin, value in (
            ("rx_up", flags.up), ("rx_error", flags.error), ("pause_req", flags.pause), ("retrans_req", flags.retrans),
            ("local_fc", flags.stop), ("remote_fc", flags.stopped), ("compensate", flags.compensate),
        ):  # fmt: skip
            getattr(dut, f"{pin}_i").value = int(value)

    async def frame(self, flags):
        self.drive(flags)
        await FallingEdge(self.dut.clk_i)
        seen = parsed(int(self.dut.frame_o.value))
        wanted = self.model.frame(flags)
        different = {
            name: (seen[name], value) for name, value in wanted.items() if seen[name] != value
        }
        assert not different, f"seen, wanted: {different}, {flags}"
        await RisingEdge(self.dut.clk_i)
        return seen

    async def frames(self, count, **flags):
        return [await self.frame(Flags(**flags)) for _ in range(count)]


@cocotb.test()
async def every_frame_as_described(dut):
    """Each flag stands for a few frames, for a window, or for several."""
    bench = Bench(dut)
    await bench.start()
    random = bench.random
    left = dict.fromkeys(("up", "error", "pause", "retrans", "stop", "stopped"), 0)
    flags, kinds, states = Flags(up=False), set(), set()
    for _ in range(8000):
        for name in left:
            if left[name]:
                left[name] -= 1
                continue
            quiet = name == "up"
            setattr(flags, name, not getattr(flags, name))
            long = getattr(flags, name) == quiet
            left[name] = random.choice((200, 500, 900) if long else (1, 5, 20, 150))
        flags.compensate = random.random() < 0.02
        seen = await bench.frame(flags)
        kinds.add(seen["kind"])
        states.add(seen["state"])
    assert kinds == set(KINDS) and states == set(STATES), (kinds, states)


@cocotb.test()
async def windows_have_their_length(dut):
    """Of the start, of what comes before user data, and of a resend that the peer goes on asking
    for."""
    bench = Bench(dut)
    await bench.start()
    seen = await bench.frames(FRAMES + 5, up=False)
    assert {frame["kind"] for frame in seen} == {"pause"}
    seen = await bench.frames(3 * FRAMES)
    # Nothing of it was said before the receiver was up.
    kinds = [frame["kind"] for frame in seen]
    ready = [frame["user_ready"] for frame in seen]
    assert kinds == ["user"] * SETTLED + ["idle"] * FRAMES + ["user"] * (2 * FRAMES - SETTLED)
    assert ready.index(True) == 2 * FRAMES
    await bench.frames(1, error=True)
    seen = await bench.frames(FRAMES + 1)
    assert [frame["user_ready"] for frame in seen] == [False] * FRAMES + [True]
    seen = await bench.frames(1 + FRAMES - 1 + TAIL + 1 + 1, retrans=True)
    kinds = [frame["kind"] for frame in seen]
    assert kinds == ["idle"] + ["replay"] * (FRAMES - 1) + ["idle"] * (TAIL + 1) + ["replay"]


def test_rifl_tx_ctrl():
    build_and_run(
        toplevel="rifl_tx_ctrl",
        sources=rtl("prim", "axis", "line", "rifl"),
        parameters={"IdWidth": ID_WIDTH},
        test_module="test_rifl_tx_ctrl",
    )
