# SPDX-License-Identifier: Apache-2.0
"""line_aligner: every delay and word position, header errors, slips, constant lines, reset.

Two benches. line_aligner_bench: all bit delays at once, to measure and bound the search time.
line_aligner alone: scenarios, each compared with the model in every clock.
"""

import pathlib

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from line.tb.line_model import Aligner, FrameSource, Lane
from tb_common import build_and_run, params, reset, rng, rtl, start_clock

LOCK, BAD = 32, 4  # defaults of the design


# ---- line_aligner_bench
# ---------------------------------------------------------------------------


@cocotb.test()
async def sweep(dut):
    """From every start position the right place is found, in bounded time, and then kept."""
    random = rng("sweep")
    width, words = 64, params()["WordsPerFrame"]
    everything = (1 << width) - 1
    positions = width * words
    bound = LOCK + 3
    start_clock(dut.clk_i, 1000)
    times = []
    for kind in ("random", "scrambled"):
        source = FrameSource(random, width, words, kind)
        for offset in range(words):
            # The frame has reached word `offset` when the aligners come out of reset.
            dut.rst_i.value = 1
            for _ in range(2):
                await RisingEdge(dut.clk_i)
            dut.rst_i.value = 0
            locked = {}
            queue = source.frame()[offset:]
            index = offset
            clock, seen, extra = 0, 0, 3 * words
            while seen != everything or extra:
                if not queue:
                    queue, index = source.frame(), 0
                dut.word_i.value, dut.index_i.value = queue.pop(0), index
                index += 1
                await RisingEdge(dut.clk_i)
                aligned = int(dut.aligned_o.value)
                assert aligned & seen == seen, "alignment lost"
                assert dut.wrong_o.value == 0, f"offset {offset}: wrong {int(dut.wrong_o.value):#x}"
                for delay in range(width if aligned & ~seen else 0):
                    if (aligned & ~seen) >> delay & 1:
                        locked[delay] = clock
                seen |= aligned
                extra -= seen == everything
                clock += 1
                assert clock <= (bound + 4) * words, f"not aligned: {everything ^ seen:#x}"
            times += [t / words for t in locked.values()]
    assert len(times) == 2 * positions
    slowest = max(times)
    dut._log.info(
        "WordsPerFrame %d: %d starts, frames to align: least %.0f, mean %.0f, most %.0f, bound %d",
        *(words, len(times), min(times), sum(times) / len(times), slowest, bound),
    )
    assert min(times) >= LOCK
    assert slowest <= bound


# ---- line_aligner against the model
# ---------------------------------------------------------------


class Bench:
    """Feeds raw words; compares all outputs with the model in every clock."""

    def __init__(self, dut):
        p = params()
        self.dut = dut
        self.width, self.words = p["Width"], p["WordsPerFrame"]
        self.lock, self.bad = p.get("LockFrames", LOCK), p.get("BadLimit", BAD)
        self.model = Aligner(self.width, self.words, self.lock, self.bad)
        self.clocks = 0

    async def start(self):
        start_clock(self.dut.clk_i, 1000)
        self.dut.data_i.value = 0
        await reset(self.dut.clk_i, self.dut.rst_i, 2)
        self.model.clock(0)  # reset() leaves one clock without reset behind

    async def raw(self, word, rst=0):
        """One clock."""
        dut, model = self.dut, self.model
        dut.data_i.value, dut.rst_i.value = word, rst
        await RisingEdge(dut.clk_i)
        got = (
            int(dut.index_o.value),
            int(dut.first_o.value),
            int(dut.last_o.value),
            int(dut.aligned_o.value),
            int(dut.slip_o.value),
        )
        want = (model.index, model.first, model.last, model.aligned, model.slip)
        assert got == want, f"clock {self.clocks}: index/first/last/aligned/slip {got}, not {want}"
        if model.data is not None:
            data = int(dut.data_o.value)
            assert data == model.data, f"clock {self.clocks}: {data:#x}, not {model.data:#x}"
        model.clock(word, bool(rst))
        self.clocks += 1

    async def frames(self, lane, source, count, legal=True):
        """`count` frames; legal: a bool, or a function of the frame number."""
        for n in range(count):
            for word in source.frame(legal(n) if callable(legal) else legal):
                for raw in lane.send(word):
                    await self.raw(raw)

    async def until(self, lane, source, aligned, limit):
        """Frames until the model (and so the design) is aligned or not; how many it took."""
        for n in range(limit + 1):
            if self.model.aligned == aligned:
                return n
            await self.frames(lane, source, 1)
        raise AssertionError(f"aligned is not {aligned} after {limit} frames")

    def slowest(self):
        """Frames to align, at most; with short searches several may be needed."""
        return (self.lock + 3) * (2 if self.lock == LOCK else 60)

    async def ready(self, random, kind="random"):
        """A lane at a random place, aligned, at the beginning of a window."""
        await self.start()
        source = FrameSource(random, self.width, self.words, kind)
        lane = Lane(self.width, random.randrange(self.width), random)
        for _ in range(random.randrange(self.words)):
            await self.raw(random.getrandbits(self.width))
        await self.until(lane, source, True, self.slowest())
        return lane, source


@cocotb.test()
async def header_errors(dut):
    """1 .. BadLimit-1 illegal headers of a window are tolerated; the BadLimit-th loses lock."""
    random = rng("headers")
    bench = Bench(dut)
    lane, source = await bench.ready(random)
    lock, bad, slip = bench.lock, bench.bad, bench.model.slip

    async def to_window_start():
        while bench.model.checked:
            await bench.frames(lane, source, 1)

    for errors in list(range(1, bad)) * 2:
        await to_window_start()
        where = random.sample(range(lock), errors)
        await bench.frames(lane, source, lock, lambda n, where=where: n not in where)
        assert bench.model.aligned
    # Windows do not slide: BadLimit-1 at the end of one and BadLimit-1 at the start of the next.
    await to_window_start()
    await bench.frames(lane, source, 2 * lock, lambda n: not lock - bad < n < lock + bad - 1)
    assert bench.model.aligned
    # The last header of a window counts in that window, not in the next one.
    await to_window_start()
    where = set(random.sample(range(lock - 1), bad - 1)) | {lock - 1}
    await bench.frames(lane, source, lock + 1, lambda n: n not in where)
    assert not bench.model.aligned
    assert bench.model.slip == slip, "losing lock moves nothing"
    # The place was right, so the next search finds it again.
    await bench.until(lane, source, True, lock + 3)
    for _ in range(3):
        await to_window_start()
        where = random.sample(range(lock), bad)
        await bench.frames(lane, source, max(where) + 2, lambda n, where=where: n not in where)
        assert not bench.model.aligned and bench.model.slip == slip
        await bench.until(lane, source, True, lock + 3)
        assert bench.model.slip == slip


@cocotb.test()
async def one_illegal_header_spoils_a_search(dut):
    """In whichever pass it comes: the search ends without a hit and the next one finds the place."""
    random = rng("spoilt")
    bench = Bench(dut)
    lane, source = await bench.ready(random)
    lock, slip = bench.lock, bench.model.slip
    for turn in (0, lock - 1, *random.sample(range(lock), 3)):
        while bench.model.aligned:
            await bench.frames(lane, source, 1, False)
        while bench.model.turn != turn:
            await bench.frames(lane, source, 1)
            assert not bench.model.aligned
        # The check of this frame may fall into the pass that has begun or into the next one.
        await bench.frames(lane, source, 1, False)
        left = lock - turn
        if turn < lock - 1:
            await bench.frames(lane, source, left)
            assert not bench.model.aligned
        await bench.until(lane, source, True, lock + 3)
        assert bench.model.slip == slip


@cocotb.test()
async def bit_slip(dut):
    """Lost and added bits on the line: lock is lost soon and found at the new place."""
    random = rng("slip")
    bench = Bench(dut)
    lane, source = await bench.ready(random, "scrambled" if bench.width > 32 else "random")
    soon = []
    for _ in range(6):
        # Not a whole number of frames, and not one bit, where the sync bits can hide for a while.
        bits = random.randrange(1, bench.width * bench.words)
        slip = bench.model.slip
        if random.getrandbits(1) and lane.count:
            bits = random.randint(1, lane.count)
            lane.lose(bits)
            bits = -bits
        else:
            lane.add(bits)
        soon.append(await bench.until(lane, source, False, 40 * bench.bad))
        await bench.until(lane, source, True, bench.slowest())
        assert bench.model.slip == (slip + bits) % bench.width
    dut._log.info("frames from a slip to the loss of lock: %s", soon)


@cocotb.test()
async def constant_lines(dut):
    """A line that repeats itself every frame, whatever it carries, never aligns."""
    random = rng("constant")
    bench = Bench(dut)
    width, words = bench.width, bench.words
    ones = (1 << width) - 1
    every_second = sum(1 << i for i in range(0, width, 2))
    await bench.start()
    lines = [[0], [ones], [every_second], [ones ^ every_second], [1], [1 << width - 1]]
    lines += [[random.getrandbits(width)] for _ in range(3)]
    lines += [[random.getrandbits(width) for _ in range(words)] for _ in range(3)]
    lines += [FrameSource(random, width, words).frame() for _ in range(3)]
    for line in lines:
        await bench.raw(line[0], rst=1)
        for clock in range((2 * bench.lock + 4) * words):
            await bench.raw(line[clock % len(line)])
            assert not bench.model.aligned and bench.model.slip == width - 1, line


@cocotb.test()
async def reset_in_flight(dut):
    """Reset while searching and while aligned, then a normal start."""
    random = rng("reset")
    bench = Bench(dut)
    lane, source = await bench.ready(random)
    for n in range(6):
        if n % 2:
            await bench.until(lane, source, True, bench.slowest())
        else:
            await bench.frames(lane, source, random.randrange(3 * bench.lock))
        for _ in range(random.randrange(bench.words)):
            await bench.raw(random.getrandbits(bench.width))
        for _ in range(random.randrange(1, 4)):
            await bench.raw(random.getrandbits(bench.width), rst=1)
        assert not dut.aligned_o.value or not bench.model.aligned
        assert bench.model.slip == bench.width - 1
        await bench.raw(random.getrandbits(bench.width))
        assert not dut.first_o.value and not dut.last_o.value and not dut.aligned_o.value
    lane = Lane(bench.width, 0, random)
    await bench.until(lane, source, True, bench.slowest())


@cocotb.test()
async def noise(dut):
    """Random words, frames with many illegal headers, random resets: the model in every clock."""
    random = rng("noise")
    bench = Bench(dut)
    await bench.start()
    source = FrameSource(random, bench.width, bench.words)
    seen = {"aligned": 0, "lost": 0, "in vain": 0}
    while bench.clocks < 12000:
        lane = Lane(bench.width, random.randrange(bench.width), random)
        illegal = random.choice((0.0, 0.02, 0.1, 0.3))
        for _ in range(random.randrange(bench.lock * 4)):
            before = bench.model.aligned, bench.model.turn
            await bench.frames(lane, source, 1, random.random() >= illegal)
            seen["aligned"] += bench.model.aligned and not before[0]
            seen["lost"] += before[0] and not bench.model.aligned
            seen["in vain"] += bench.model.turn < before[1] == bench.lock and not before[0]
        for _ in range(random.randrange(3 * bench.words)):
            await bench.raw(random.getrandbits(bench.width), rst=random.random() < 0.02)
    dut._log.info("%d clocks, %s", bench.clocks, seen)
    if bench.width * bench.words <= 64:
        assert all(seen.values()), f"this run did not visit everything: {seen}"


LONG = pytest.mark.long


@pytest.mark.parametrize("words", [pytest.param(2, marks=LONG), 4, pytest.param(8, marks=LONG)])
def test_line_aligner_sweep(words):
    build_and_run(
        "line_aligner_bench",
        [*rtl("prim", "line"), pathlib.Path(__file__).with_name("line_aligner_bench.sv")],
        {"WordsPerFrame": words},
        __name__,
        testcase="sweep",
    )


# With a short lock time random data looks like sync bits now and then (about 2^-LockFrames for each
# position visited), so the small designs run only what does not rely on the contrary.
ANY = ["constant_lines", "reset_in_flight", "noise"]
DEFAULT_LOCK = ["header_errors", "one_illegal_header_spoils_a_search", "bit_slip"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"Width": 64, "WordsPerFrame": 4},
        {"Width": 64, "WordsPerFrame": 32},
        {"Width": 10, "WordsPerFrame": 3, "LockFrames": 8, "BadLimit": 3},
        {"Width": 7, "WordsPerFrame": 2, "LockFrames": 5, "BadLimit": 2},
    ],
    ids=lambda p: "-".join(str(v) for v in p.values()),
)
def test_line_aligner(parameters):
    names = ANY if "LockFrames" in parameters else DEFAULT_LOCK + ANY
    build_and_run("line_aligner", rtl("prim", "line"), parameters, __name__, testcase=names)
