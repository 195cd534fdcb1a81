# SPDX-License-Identifier: Apache-2.0
"""Two ends of a RIFL link in one simulation, driven by an AXI-Stream library that knows nothing of RIFL.

Long runs, error rates, delays and the comparison with the Rust model live in crates/sim; here an independent
testbench checks the user interface, the order of the lanes on the wire, latency, recovery, flow control, skew, clock
offset and a reset of both ends.
"""

from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge, Timer
from cocotbext.axi import AxiStreamFrame
from lane_order import deal, frames_of
from link_bench import HALF, UNSEEN, Pair
from tb_common import build_and_run, params, rtl
from tb_common.waves import Waveform, level, shown

HERE = Path(__file__).resolve().parent
NORMAL = 5


@cocotb.test()
async def carries_packets_both_ways(dut):
    pair = Pair(dut)
    await pair.start(crooked=True, phase_b=pair.rng.randrange(pair.words))
    await pair.exchange(80)


@cocotb.test()
async def every_length(dut):
    """All lengths up to three beats, back to back, with a sink that is ready half of the time."""
    pair = Pair(dut)
    await pair.start(crooked=True)
    sent = [pair.rng.randbytes(n) for n in range(1, min(3 * pair.link.beat_bytes, 280) + 2)]
    for end in "ab":
        pair.sink[end].set_pause_generator(iter(lambda: pair.rng.random() < 0.5, None))
        for packet in sent:
            await pair.source[end].send(AxiStreamFrame(packet))
    for end in "ba":
        for packet in sent:
            assert bytes((await pair.sink[end].recv()).tdata) == packet, len(packet)


@cocotb.test()
async def order_of_lanes_on_the_wire(dut):
    """Every lane carries, frame by frame, what the reference model deals out to it, without a gap."""
    pair = Pair(dut)
    await pair.start()
    words = []

    async def watch():
        # A frame registered at a frame clock stands on the line after the next word clocks.
        await RisingEdge(dut.a_frame_clk_i)
        await RisingEdge(dut.a_phy_clk_i)
        while True:
            await RisingEdge(dut.a_phy_clk_i)
            words.append(int(dut.a_word_o.value))

    cocotb.start_soon(watch())
    await Timer(8 * HALF * pair.words, "ps")
    # Twice, so that the turn is seen to go on over a pause.
    sent = [pair.packets(20), pair.packets(20)]
    for batch in sent:
        for packet in batch:
            pair.source["a"].send_nowait(AxiStreamFrame(packet))
        for packet in batch:
            assert bytes((await pair.sink["b"].recv()).tdata) == packet
        await Timer(pair.rng.randint(20, 30) * 2 * HALF * pair.words, "ps")

    link = pair.link
    lanes = [frames_of([word >> 64 * i & (1 << 64) - 1 for word in words], link.frame_width)
             for i in range(link.lanes)]  # fmt: skip
    before = [len(segments) for segments in deal(link, sent[0])]
    for group, segments in enumerate(deal(link, sent[0] + sent[1])):
        members = range(group * link.group_lanes, (group + 1) * link.group_lanes)
        frames = list(zip(*(lanes[i] for i in members), strict=True))
        busy = [i for i, frame in enumerate(frames) if any(frame)]
        assert [list(frames[i]) for i in busy] == segments, f"group {group}"
        for batch in (busy[: before[group]], busy[before[group] :]):
            assert batch[-1] - batch[0] == len(batch) - 1, f"a gap in group {group}"


@cocotb.test()
@cocotb.parametrize(phase=[0, 1, 2, 3])
async def latency_of_a_packet_in_one_segment(dut, phase):
    """First beat accepted to first beat delivered, in word clocks, for phases of the two frame clocks."""
    pair = Pair(dut)
    await pair.start(phase_b=phase)
    accepted, delivered, frames, users = [], [], [], []

    async def watch(clk, times, valid=None, ready=None):
        while True:
            await RisingEdge(clk)
            # Values just before the edge: the handshake that this edge completes.
            if valid is None or (valid.value == 1 and ready.value == 1):
                times.append(round(cocotb.utils.get_sim_time("ps")))

    beat = dut.a_s_axis_tvalid, dut.a_s_axis_tready
    cocotb.start_soon(watch(dut.a_user_clk_i, accepted, *beat))
    beat = dut.b_m_axis_tvalid, dut.b_m_axis_tready
    cocotb.start_soon(watch(dut.b_user_clk_i, delivered, *beat))
    cocotb.start_soon(watch(dut.a_frame_clk_i, frames))
    cocotb.start_soon(watch(dut.b_user_clk_i, users))
    for _ in range(12):
        await pair.source["a"].send(
            AxiStreamFrame(pair.rng.randbytes(pair.rng.randint(1, pair.link.segment_bytes)))
        )
        await pair.sink["b"].recv()
        await Timer(pair.rng.randint(1, 200) * HALF, "ps")
    assert len(accepted) == len(delivered) == 12

    # What the README's budget says, edge by edge.
    several = pair.link.groups > 1
    for start, end in zip(accepted, delivered, strict=True):
        framed = min(t for t in frames if (t > start if several else t >= start))
        readable = framed + (pair.words + 4) * 2 * HALF
        taken = min(t for t in users if t > readable)
        assert end == taken + (1 + several) * pair.user_words * 2 * HALF
    cycles = {(e - s) // (2 * HALF) for s, e in zip(accepted, delivered, strict=True)}
    dut._log.info("phase %d: latency %s word clocks", phase, sorted(cycles))
    limit = 2 * pair.words + 4 + pair.user_words * (1 + several) + (pair.words if several else 0)
    assert max(cycles) <= limit, f"latency {cycles}, at most {limit}"


@cocotb.test()
async def recovers_from_bit_errors(dut):
    pair = Pair(dut)
    await pair.start()
    await noisy_exchange(pair, lambda: (pair.rng.randrange(64), 1))


@cocotb.test()
async def words_known_to_be_wrong(dut):
    """Errors that no code sees, wherever words are cut: a frame with a bit of such a word is sent again."""
    pair = Pair(dut)
    await pair.start(crooked=True)
    dut.known_i.value = 1
    # Not in a sync header, nor in a code alone.
    await noisy_exchange(pair, lambda: (pair.rng.randrange(28, 34), UNSEEN))


async def noisy_exchange(pair, errors):
    """Packets both ways while errors hit words: bits from a place on, as `errors` draws them."""
    flips = 0
    # A resend takes about 2^IdWidth frames: errors come often enough to hit recoveries, not to stop
    # them.
    recovery = (1 << params()["IdWidth"]) * pair.words

    async def noise(end):
        nonlocal flips
        while True:
            await Timer(pair.rng.randint(1, 4 * recovery) * 2 * HALF, "ps")
            place, bits = errors()
            await pair.flip(end, 64 * pair.rng.randrange(pair.link.lanes) + place, bits)
            flips += 1

    tasks = [cocotb.start_soon(noise("a")), cocotb.start_soon(noise("b"))]
    # Identifiers wrap, and a resend is interrupted, several times.
    await pair.exchange(3 << params()["IdWidth"], 900)
    for task in tasks:
        task.cancel()
    assert flips > 0


@cocotb.test()
async def loses_one_lane_for_a_while(dut):
    """One lane sees noise until it is lost; nothing is lost with it. Only the compatible mode holds user data until it
    is found again."""
    pair = Pair(dut)
    await pair.start(crooked=True)
    lane = pair.rng.randrange(pair.link.lanes)

    async def outage():
        await Timer(200 * HALF, "ps")
        down = lost = 0
        for _ in range(60 * pair.words):
            dut.a_error_i.value = pair.rng.getrandbits(64) << 64 * lane
            await RisingEdge(dut.a_phy_clk_i)
            down += dut.b_link_up_o.value == 0
            lost += dut.b_rx_error_o.value != 0
        dut.a_error_i.value = 0
        assert lost, "nobody noticed"
        return down

    task = cocotb.start_soon(outage())
    await pair.exchange(60)
    went_down = await task > 0
    assert went_down != bool(params().get("Extended")), f"the link went down: {went_down}"


@cocotb.test()
@cocotb.parametrize(stalled=["a", "b"])
async def survives_a_stalled_consumer(dut, stalled):
    pair, peer = Pair(dut), "ba"["ab".index(stalled)]
    await pair.start()
    pair.sink[stalled].pause = True
    told, seen = getattr(dut, f"{peer}_remote_fc_o"), []

    async def watch():
        while True:
            await RisingEdge(getattr(dut, f"{peer}_frame_clk_i"))
            seen.append(int(told.value) != 0)

    task = cocotb.start_soon(watch())

    async def release():
        await Timer(2000 * HALF, "ps")
        await pair.flip(peer, 5)
        await Timer(3000 * HALF, "ps")
        pair.sink[stalled].pause = False

    cocotb.start_soon(release())
    await pair.exchange(pair.link.lanes << params()["IdWidth"] + 1, 900)
    task.cancel()
    assert True in seen, "the peer was never told to stop"


@cocotb.test()
async def follows_a_clock_offset(dut):
    """2000 ppm, ten times what crystals do, so that a short run sees many slips."""
    pair = Pair(dut)
    await pair.start(half_b=HALF + 2)
    asked = {"a": 0, "b": 0}

    async def count(end):
        while True:
            await RisingEdge(getattr(dut, f"{end}_frame_clk_i"))
            asked[end] += int(getattr(dut, f"{end}_compensate_o").value) != 0

    cocotb.start_soon(count("a"))
    cocotb.start_soon(count("b"))
    await pair.exchange(200 * pair.link.lanes, 900)
    assert asked["a"] > 0, "the faster end never made room"
    assert asked["b"] == 0, "the slower end made room"


@cocotb.test()
async def null_last_beat(dut):
    """A packet whose last beat carries no byte arrives with the same bytes and one TLAST."""
    pair = Pair(dut)
    await pair.start()
    width = pair.link.beat_bytes
    for end, other in (("a", "b"), ("b", "a")):
        data = pair.rng.randbytes(width)
        pair.source[end].pause = True
        clk = getattr(dut, f"{end}_user_clk_i")
        tdata, tkeep, tlast, tvalid, tready = (
            getattr(dut, f"{end}_s_axis_{name}")
            for name in ("tdata", "tkeep", "tlast", "tvalid", "tready")
        )
        await RisingEdge(clk)
        for keep, last in (((1 << width) - 1, 0), (0, 1)):
            tdata.value = int.from_bytes(data, "little") if keep else 0
            tkeep.value, tlast.value, tvalid.value = keep, last, 1
            while True:
                await ReadOnly()
                ready = tready.value == 1
                await RisingEdge(clk)
                if ready:
                    break
        tvalid.value = 0
        got = await pair.sink[other].recv()
        assert bytes(got.tdata) == data


@cocotb.test()
async def reset_of_both_ends(dut):
    """Nothing of the time before a common reset comes out after it."""
    pair = Pair(dut)
    await pair.start()
    for packet in pair.packets(30):
        await pair.source["a"].send(AxiStreamFrame(packet))
    await Timer(300 * HALF, "ps")
    pair.source["a"].clear()
    dut.rst_i.value = 1
    await Timer(40 * HALF * pair.words, "ps")
    dut.rst_i.value = 0
    pair.source["a"].clear()
    await pair.wait_up()
    pair.sink["b"].clear()
    await pair.exchange(20)


@cocotb.test()
async def as_pictured(dut):
    """The picture of the book: packets of one beat while a frame is damaged and sent again."""
    pair = Pair(dut)
    await pair.start()
    await Timer(400 * 2 * HALF * pair.words, "ps")
    damaged = 0
    told = [(dut.a_s_axis_tvalid, dut.a_s_axis_tready), (dut.b_m_axis_tvalid, dut.b_m_axis_tready)]
    moves = [
        lambda valid=valid, ready=ready: int(valid.value == 1 and ready.value == 1)
        for valid, ready in told
    ]
    states = ["start", "send pause", "pause", "resend", "request", "normal"]

    def number(signal):
        return lambda: str(int(signal.value) & 0xFF)

    wave = Waveform(
        dut.a_user_clk_i,
        {
            "A: s_axis moves": moves[0],
            "A: s_axis_tdata": shown(moves[0], number(dut.a_s_axis_tdata)),
            "A: sends": lambda: states[int(dut.a_tx_state_o.value)],
            "line: bit error": lambda: damaged,
            "B: frame is bad": level(dut.b_rx_error_o),
            "B: sends": lambda: states[int(dut.b_tx_state_o.value)],
            "B: m_axis moves": moves[1],
            "B: m_axis_tdata": shown(moves[1], number(dut.b_m_axis_tdata)),
        },
    )
    sent = [bytes([n, *bytes(pair.link.segment_bytes - 1)]) for n in range(10, 90)]
    for packet in sent:
        pair.source["a"].send_nowait(AxiStreamFrame(packet))
    task = cocotb.start_soon(wave.record(44))
    await Timer(10 * 2 * HALF * pair.words, "ps")
    await pair.flip("a", 5)
    damaged = 1
    await RisingEdge(dut.a_user_clk_i)
    damaged = 0
    await task
    for packet in sent:
        assert bytes((await pair.sink["b"].recv()).tdata) == packet
    wave.check("rifl-recovery")


# What depends on the widths. The widest frame takes long to find and to simulate: it only carries
# packets.
FEW = "carries_packets_both_ways|every_length|order_of_lanes|latency|known_to_be_wrong"
EXACT = "order_of_lanes|latency"
PICTURE = "as_pictured"
LONG = pytest.mark.long


@pytest.mark.parametrize(
    ("lanes", "frame_width", "user_width", "id_width", "testcase", "extended"),
    [
        (1, 128, 128, 7, None, 0),
        (1, 256, 256, 6, None, 0),
        pytest.param(1, 512, 512, 7, None, 0, marks=LONG),
        pytest.param(1, 2048, 2048, 6, "carries_packets_both_ways", 0, marks=LONG),
        pytest.param(2, 256, 256, 6, None, 0, marks=LONG),
        (2, 256, 512, 6, FEW, 0),
        pytest.param(4, 256, 256, 6, FEW, 0, marks=LONG),
        (4, 256, 512, 6, None, 0),
        pytest.param(4, 256, 1024, 6, FEW, 0, marks=LONG),
        pytest.param(8, 128, 512, 7, FEW, 0, marks=LONG),
        (1, 256, 256, 6, None, 1),
        # A control frame may stand before a packet here, so the exact latency is that of the
        # compatible mode.
        (4, 256, 512, 6, "carries|every|recovers|known|loses|survives|follows|null|reset", 1),
    ],
)
def test_rifl(lanes, frame_width, user_width, id_width, testcase, extended):
    # What counts clocks by itself, the rest with synchronisers that take one clock more at random.
    runs = [(f"^(?!.*({EXACT}|{PICTURE})).*({testcase or ''})", True)]
    if testcase is None or "latency" in testcase:
        runs.append((EXACT, False))
    for names, jitter in runs:
        run_rifl(lanes, frame_width, user_width, id_width, names, extended, jitter)


def test_rifl_waveform():
    run_rifl(1, 256, 256, 6, PICTURE, 1, False)


def run_rifl(lanes, frame_width, user_width, id_width, testcase, extended, jitter):
    build_and_run(
        toplevel="rifl_pair",
        sources=[
            *rtl("prim", "axis", "line", "rifl"),
            HERE / "rifl_ends.sv",
            HERE / "rifl_pair.sv",
        ],
        parameters={
            "Lanes": lanes,
            "FrameWidth": frame_width,
            "UserWidth": user_width,
            "IdWidth": id_width,
            "Extended": extended,
        },
        test_module="test_rifl",
        test_filter=testcase,
        sync_jitter=jitter,
    )
