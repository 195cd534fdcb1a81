# SPDX-License-Identifier: Apache-2.0
"""rifl_fec alone: what a codeword is, errors, how soon codewords are found, signals that go, resets, all settings."""

import itertools
import pathlib
import sys

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge, Timer
from tb_common import StoppableClock, build_and_run, params, rng, rtl

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "rsfec/tb"))
from rsfec_model import Code

WORDS, PAYLOAD, MARKER, T = 40, 38, 0x47, 6
OFF, ON, AUTO = range(3)
PLAIN, CODED, PEER_ONLY, OWN_ONLY, _ = range(5)
PERIOD = 2000  # ps
LOCK = 8  # codewords in which a lane is found
ABSENT = 32  # the bench's parameter
CODE = Code(256, 244)


def symbols(words):
    """Of 64-bit words, bit 0 first."""
    bits = sum(word << 64 * i for i, word in enumerate(words))
    return [bits >> 10 * i & 1023 for i in range(len(words) * 64 // 10)]


def words(symbols):
    bits = sum(symbol << 10 * i for i, symbol in enumerate(symbols))
    return [bits >> 64 * i & (1 << 64) - 1 for i in range(len(symbols) * 10 // 64)]


def both(a, b, width=1):
    return a | b << width


class Pair:
    def __init__(self, dut, name):
        self.dut, self.random = dut, rng(name)
        self.modes, self.errors = [OFF, OFF], [0, 0]
        self.reports = [[0, 0, 0], [0, 0, 0]]  # corrected, uncorrectable, symbols

    async def start(self, a=ON, b=ON, heard=True, cut=True):
        """Heard: waits for both ends; cut: words arrive cut anywhere, as a transceiver gives them."""
        dut = self.dut
        for name in ("mode_i", "error_i", "mute_i"):
            getattr(dut, name).value = 0
        dut.slip_i.value = self.random.getrandbits(12) if cut else 0
        dut.rx_run_i.value = 3
        dut.arst_i.value = 3
        self.clocks = StoppableClock(dut.a_clk_i, PERIOD), StoppableClock(dut.b_clk_i, PERIOD, 346)
        await Timer(20 * PERIOD, "ps")
        dut.arst_i.value = 0
        await Timer(10 * PERIOD, "ps")
        self.set(a, b)
        if heard:
            await self.wait_heard()
            await self.codewords(3)

    def set(self, a, b):
        self.modes = [a, b]
        self.dut.mode_i.value = both(a, b, 2)

    def count(self):
        """From now on, the reports of both ends."""

        async def end(e, clk):
            while True:
                await RisingEdge(clk)
                if int(self.dut.arst_i.value) >> e & 1:
                    continue
                for i, (name, width) in enumerate(
                    (("corrected_o", 1), ("uncorrectable_o", 1), ("errors_o", 4))
                ):
                    value = getattr(self.dut, name).value
                    if value.is_resolvable:
                        self.reports[e][i] += int(value) >> width * e & (1 << width) - 1

        cocotb.start_soon(end(0, self.dut.b_clk_i))
        cocotb.start_soon(end(1, self.dut.a_clk_i))

    async def codewords(self, count):
        await ClockCycles(self.dut.a_clk_i, WORDS * count)

    async def wait(self, condition, limit=LOCK):
        """Waits until a condition holds; how many line words that took, at most `limit` codewords."""
        for cycle in range(limit * WORDS):
            if condition():
                return cycle
            await RisingEdge(self.dut.a_clk_i)
        raise AssertionError(f"not within {limit} codewords")

    def heard(self):
        return int(self.dut.heard_o.value)

    async def wait_heard(self, wanted=3, limit=LOCK):
        return await self.wait(lambda: self.heard() == wanted, limit)

    def states(self):
        value = int(self.dut.state_o.value)
        return value & 7, value >> 3

    def counts(self, e):
        """Words that followed from the one before at end e, and that did not."""
        return tuple(
            int(getattr(self.dut, name).value) >> 32 * e & (1 << 32) - 1
            for name in ("right_o", "wrong_o")
        )

    async def carries(self, expected=(True, True), count=10):
        """Whether every word arrives in order, at each end."""
        before = [self.counts(e) for e in range(2)]
        await self.codewords(count)
        for e in range(2):
            right, wrong = (after - b for after, b in zip(self.counts(e), before[e], strict=True))
            assert (wrong == 0 and right > 0) == expected[e], (
                f"end {e}: {right} right, {wrong} wrong; modes {self.modes}"
            )

    async def line(self, count):
        """Words that A sends, one a cycle."""
        found = []
        for _ in range(count):
            await RisingEdge(self.dut.a_clk_i)
            found.append(int(self.dut.line_o.value) & (1 << 64) - 1)
        return found

    async def noise(self, patterns):
        """Codewords of A with these errors (symbols of each): what it sent of each, what B gave to its RIFL, and whether
        each of these words is bad."""
        dut = self.dut
        recorded = await self.line(2 * WORDS)
        at = [k for k in range(WORDS) if CODE.is_codeword(symbols(recorded[k : k + WORDS]))]
        assert len(at) == 1, "a codeword begins at one place"
        await self.line(at[0] + WORDS)
        sent = []
        task, given = self.receive()
        for pattern in patterns:
            for error in words(pattern):
                dut.error_i.value = error
                await RisingEdge(dut.a_clk_i)
                sent.append(int(dut.line_o.value) & (1 << 64) - 1)
        dut.error_i.value = 0
        await self.line(4 * WORDS)
        task.cancel()
        codewords = [sent[i : i + WORDS] for i in range(0, len(sent), WORDS)]
        first = [word for word, _ in given].index(codewords[0][0])
        given = given[first : first + PAYLOAD * len(codewords)]
        return codewords, [word for word, _ in given], [bad for _, bad in given]

    def receive(self):
        """From now on what B gives to its RIFL: each word, and whether it is bad."""
        given = []

        async def watch():
            while True:
                await RisingEdge(self.dut.a_clk_i)
                word = int(self.dut.received_o.value) >> 64, int(self.dut.bad_o.value) >> 1
                await Timer(PERIOD // 4, "ps")
                if int(self.dut.phy_rx_clk_o.value) >> 1:
                    given.append(word)

        return cocotb.start_soon(watch()), given

    def pattern(self, places):
        errors = [0] * CODE.n
        for place in places:
            errors[place] = self.random.randrange(1, 1024)
        return errors


def xor(a, b):
    return [x ^ y for x, y in zip(a, b, strict=True)]


@cocotb.test()
async def layout(dut):
    """38 words of RIFL, the marker, parity as the model divides it; plain words are those of RIFL as they are."""
    pair = Pair(dut, "layout")
    await pair.start(cut=False)
    sent, line, received = [], [], {}
    for _ in range(8 * WORDS):
        await RisingEdge(dut.a_clk_i)
        line.append(int(dut.line_o.value) & (1 << 64) - 1)
        value, arrived = (int(dut.sent_o.value) & (1 << 64) - 1, int(dut.received_o.value) >> 64)
        await Timer(PERIOD // 4, "ps")
        if int(dut.phy_tx_clk_o.value) & 1:
            sent.append((len(line), value))
        if int(dut.phy_rx_clk_o.value) >> 1:
            received[arrived] = len(line)
    at = [k for k in range(WORDS) if CODE.is_codeword(symbols(line[k : k + WORDS]))]
    assert len(at) == 1
    payload, start = [], at[0] + WORDS  # the words of the first one were taken before
    for k in range(start, len(line) - WORDS, WORDS):
        codeword = line[k : k + WORDS]
        assert CODE.is_codeword(symbols(codeword)), "codewords follow each other"
        assert codeword[PAYLOAD] & 0xFF == MARKER
        payload += codeword[:PAYLOAD]
    taken = [value for _, value in sent]
    begin = taken.index(payload[0])
    assert taken[begin : begin + len(payload)] == payload
    latency = start + 1 - sent[begin][0]
    # The bench's slip takes a cycle.
    arrives = received[payload[0]] - start - 2
    dut._log.info(f"latency of the transmitter: {latency} cycles, of the receiver {arrives}")
    steps, scan = (int(params()[name]) for name in ("Steps", "Scan"))
    assert latency == 8
    assert 0 <= arrives - (5 * (36 + 12 // steps + scan) / 4 + 3) <= 4
    pair.set(OFF, OFF)
    await pair.codewords(2)
    before = None
    for _ in range(WORDS):
        await RisingEdge(dut.a_clk_i)
        value = int(dut.line_o.value) & (1 << 64) - 1
        assert before in (None, value), "plain words one cycle later"
        before = int(dut.sent_o.value) & (1 << 64) - 1


@cocotb.test()
async def corrects(dut):
    """Up to six wrong symbols anywhere in a codeword, marker and parity among them; counted."""
    pair = Pair(dut, "corrects")
    await pair.start()
    random, n = pair.random, CODE.n
    places = [[], range(T), range(n - T, n), [243, 244], [243]]
    places += [range(at, at + T) for at in random.sample(range(n - T), 10)]
    places += [random.sample(range(n), random.randint(0, T)) for _ in range(40)]
    patterns = [pair.pattern(p) for p in places]
    pair.count()
    codewords, received, bad = await pair.noise(patterns)
    assert received == [word for codeword in codewords for word in codeword[:PAYLOAD]]
    assert not any(bad)
    wrong = [sum(map(bool, pattern)) for pattern in patterns]
    assert pair.reports[1] == [sum(map(bool, wrong)), 0, sum(wrong)]
    assert not pair.counts(1)[1] or pair.heard() == 3


@cocotb.test()
async def passes_what_it_cannot_correct(dut):
    """Seven symbols and more, three codewords in a row at most: as they came, counted; their words are bad, and no others;
    no word is lost."""
    pair = Pair(dut, "passes")
    await pair.start()
    random = pair.random
    patterns = [pair.pattern([])]
    while len(patterns) < 40:
        bad = random.randint(0, 3)
        patterns += [
            pair.pattern(random.sample(range(CODE.n), random.randint(T + 1, 60)))
            for _ in range(bad)
        ]
        patterns += [pair.pattern(random.sample(range(CODE.n), random.randint(0, T)))]
    pair.count()
    codewords, received, bad = await pair.noise(patterns)
    expected, marks = [], []
    for codeword, pattern in zip(codewords, patterns, strict=True):
        beyond = sum(map(bool, pattern)) > T
        marks += [beyond] * PAYLOAD
        expected += (xor(codeword, words(pattern)) if beyond else codeword)[:PAYLOAD]
    assert received == expected and bad == marks
    assert pair.reports[1][1] == sum(marks) // PAYLOAD > 0
    assert pair.heard() == 3


@cocotb.test()
async def first_word_behind_a_change(dut):
    """Between codewords and plain words no frame is whole: the first word behind is bad, and no other one."""
    pair = Pair(dut, "change")
    await pair.start()
    for mode in (OFF, ON, OFF, ON):
        task, given = pair.receive()
        pair.set(ON, mode)
        await pair.codewords(4)
        task.cancel()
        assert sum(bad for _, bad in given) == 1
    task, given = pair.receive()
    dut.mute_i.value = 1
    await pair.wait(lambda: not pair.heard() >> 1)
    await pair.codewords(1)
    task.cancel()
    # The codeword in which the signal went, zeros that are codewords, zeros that are plain words.
    assert sum(bad for _, bad in given) % PAYLOAD == 1


@cocotb.test()
async def bursts(dut):
    """51 bits in a row are corrected wherever they are; a longer one damages the codewords that it hits, and no more."""
    pair = Pair(dut, "bursts")
    await pair.start()
    right = pair.counts(1)
    for _ in range(60):
        await ClockCycles(dut.a_clk_i, 2 * WORDS + pair.random.randrange(WORDS))
        burst = (1 << 50 | pair.random.getrandbits(50) | 1) << pair.random.randrange(64)
        for word in range(2):
            dut.error_i.value = burst >> 64 * word & (1 << 64) - 1
            await RisingEdge(dut.a_clk_i)
        dut.error_i.value = 0
    await pair.codewords(3)
    assert pair.counts(1)[1] == right[1], "corrected"
    for _ in range(20):
        wrong = pair.counts(1)[1]
        for _ in range(pair.random.randint(20, 80)):
            dut.error_i.value = pair.random.getrandbits(64)
            await RisingEdge(dut.a_clk_i)
        dut.error_i.value = 0
        await pair.codewords(6)
        assert 0 < pair.counts(1)[1] - wrong <= 3 * PAYLOAD + 1
        assert pair.heard() == 3


@cocotb.test()
async def finds_every_place(dut):
    """A lane is found soon wherever words are cut, all 64 slips, after a slip of the line in mid-run."""
    pair = Pair(dut, "finds")
    await pair.start()
    times = []
    for slip in pair.random.sample(range(64), 64):
        was = int(dut.slip_i.value) >> 6
        await ClockCycles(dut.a_clk_i, pair.random.randint(1, 2 * WORDS))
        dut.slip_i.value = both(0, slip, 6)
        if slip != was:
            lost = await pair.wait(lambda: not pair.heard() >> 1, LOCK)
            times.append(lost + await pair.wait_heard())
        await pair.codewords(2)
        await pair.carries(count=2)
    dut._log.info(
        f"codewords from a slip to the lane that is heard again: {min(times) / WORDS:.1f} to {max(times) / WORDS:.1f}"
    )
    assert max(times) <= (LOCK + 4) * WORDS


@cocotb.test()
async def loss_and_return_of_the_signal(dut):
    """Silence and noise are no codewords; when the signal is back the lane is."""
    pair = Pair(dut, "signal")
    await pair.start()
    times = []
    for kind in ("zeros", "ones", "noise", "stop", "zeros", "noise"):
        dut.mute_i.value = 1
        dut.rx_run_i.value = 1 if kind == "stop" else 3
        for _ in range(pair.random.randint(12, 20) * WORDS):
            dut.error_i.value = {"noise": pair.random.getrandbits(64), "ones": 2**64 - 1}.get(
                kind, 0
            )
            await RisingEdge(dut.a_clk_i)
        assert kind == "stop" or pair.heard() == 1
        dut.error_i.value, dut.mute_i.value, dut.rx_run_i.value = 0, 0, 3
        # What a recovered clock that stood still knows is old.
        await pair.codewords(10 if kind == "stop" else 0)
        times.append(await pair.wait_heard(limit=LOCK))
        await pair.codewords(3)
        await pair.carries()
    dut._log.info(f"codewords from the signal to the lane: {max(times) / WORDS:.1f} at most")


@cocotb.test()
async def plain_words_are_no_codewords(dut):
    """Neither random words nor words that repeat themselves are ever heard."""
    pair = Pair(dut, "plain")
    await pair.start(OFF, AUTO, heard=False, cut=False)
    pair.count()
    await pair.codewords(20)
    for _ in range(40):
        repeated = [pair.random.getrandbits(64) for _ in range(pair.random.choice((1, 2, 4, 40)))]
        repeated[0] = repeated[0] & ~0xFF | MARKER
        dut.mute_i.value = pair.random.randrange(2)
        for word in itertools.islice(itertools.cycle(repeated), 20 * WORDS):
            dut.error_i.value = word
            await RisingEdge(dut.a_clk_i)
            assert not pair.heard() >> 1
        dut.error_i.value = dut.mute_i.value = 0
    assert pair.reports[1][1] == 0
    await pair.codewords(8)
    await pair.carries()


@cocotb.test()
async def resets_and_clocks_that_stop(dut):
    """Any reset, any clock that stands still, at any time: afterwards words arrive, and clocks have kept their ratio."""
    pair = Pair(dut, "resets")
    await pair.start()
    for _ in range(25):
        what = pair.random.choice(("reset", "reset", "stop", "rx", "both"))
        end = pair.random.randrange(2)
        if what == "reset":
            dut.arst_i.value = 1 << end
        elif what == "both":
            dut.arst_i.value = 3
        elif what == "stop":
            pair.clocks[end].stop()
        else:
            dut.rx_run_i.value = 1 << end
        await Timer(pair.random.randint(1, 200) * PERIOD // 2, "ps")
        dut.arst_i.value, dut.rx_run_i.value = 0, 3
        if what == "stop":
            pair.clocks[end].start()
        if pair.random.random() < 0.5:
            await pair.codewords(LOCK + 8)
            await pair.wait_heard(limit=LOCK)
            await pair.codewords(3)
            await pair.carries(count=4)


@cocotb.test()
async def clocks(dut):
    """Between two edges of the clock of frames, or of beats, are as many words as ever, whatever the setting does."""
    pair = Pair(dut, "clocks")
    await pair.start()
    counts = {"frame_clk_o": [], "user_clk_o": []}
    since = dict.fromkeys(counts)
    words = 0

    async def watch():
        nonlocal words
        while True:
            await RisingEdge(dut.a_clk_i)
            await Timer(PERIOD // 4, "ps")
            edge = {name: int(getattr(dut, name).value) & 1 for name in counts}
            moved = int(dut.phy_tx_clk_o.value) & 1
            assert moved or not any(edge.values()), "only edges of the clock of words"
            words += moved
            for name in counts:
                if edge[name]:
                    if since[name] is not None:
                        counts[name].append(words - since[name])
                    since[name] = words

    task = cocotb.start_soon(watch())
    for _ in range(20):
        pair.set(pair.random.choice((OFF, ON)), ON)
        await ClockCycles(dut.a_clk_i, pair.random.randint(1, 4 * WORDS))
        if pair.random.random() < 0.2:
            dut.arst_i.value = 1
            await ClockCycles(dut.a_clk_i, pair.random.randint(1, WORDS))
            dut.arst_i.value = 0
    task.cancel()
    assert set(counts["frame_clk_o"]) == {4} and set(counts["user_clk_o"]) == {2}
    pair.set(ON, ON)
    await pair.codewords(3)
    edges = 0
    for _ in range(10 * WORDS):
        await RisingEdge(dut.a_clk_i)
        await Timer(PERIOD // 4, "ps")
        edges += int(dut.phy_tx_clk_o.value) & 1
    assert edges == 10 * PAYLOAD


@cocotb.test()
async def settings(dut):
    """Every setting of the two ends after every other one, also changed while the lane is sought."""
    pair = Pair(dut, "settings")
    await pair.start(OFF, OFF, heard=False, cut=False)
    combinations = list(itertools.product((OFF, ON, AUTO), repeat=2))
    steps = list(itertools.permutations(combinations, 2))
    for step in pair.random.sample(steps, 12):
        for a, b in step:
            pair.set(a, b)
            if pair.random.random() < 0.3:
                await ClockCycles(dut.a_clk_i, pair.random.randint(1, 10 * WORDS))
        await pair.codewords(ABSENT + 2 * LOCK + 8)
        a, b = pair.modes
        coded = [mode == ON or (mode == AUTO and peer == ON) for mode, peer in ((a, b), (b, a))]
        if (a, b) == (AUTO, AUTO):
            # They stay with what they had.
            coded = [bool(int(dut.coded_o.value))] * 2
        assert int(dut.coded_o.value) == both(*coded)
        assert pair.heard() == both(coded[1], coded[0])
        names = {(0, 0): PLAIN, (0, 1): PEER_ONLY, (1, 0): OWN_ONLY, (1, 1): CODED}
        assert pair.states() == (names[coded[0], coded[1]], names[coded[1], coded[0]])
        # Codewords are of use unless the receiver is off.
        await pair.carries([not coded[1 - e] or pair.modes[e] != OFF for e in range(2)], 4)


@cocotb.test()
async def auto_follows(dut):
    """Codewords as soon as the peer's are heard, plain words when they have been absent for as long as is said."""
    pair = Pair(dut, "auto")
    await pair.start(AUTO, AUTO, heard=False, cut=False)
    await pair.codewords(20)
    assert pair.states() == (PLAIN, PLAIN) and not int(dut.coded_o.value)
    await pair.carries()
    pair.set(AUTO, ON)
    taken = await pair.wait_heard(limit=2 * LOCK + 2)
    dut._log.info(f"both directions coded after {taken / WORDS:.1f} codewords")
    pair.set(AUTO, AUTO)
    await pair.codewords(2 * ABSENT)
    assert pair.states() == (CODED, CODED), "they hold each other"
    # A loss of the signal for less than Absent changes nothing.
    dut.mute_i.value = 3
    await pair.codewords(ABSENT - 4)
    dut.mute_i.value = 0
    await pair.wait_heard()
    # For longer both are plain.
    dut.mute_i.value = 3
    await pair.codewords(ABSENT + 12)
    dut.mute_i.value = 0
    await pair.codewords(LOCK)
    assert pair.states() == (PLAIN, PLAIN)
    await pair.carries()
    pair.set(AUTO, ON)
    await pair.wait_heard(limit=2 * LOCK + 2)
    pair.set(AUTO, OFF)
    gone = await pair.wait(lambda: not int(dut.coded_o.value), ABSENT + 12)
    assert gone >= ABSENT * WORDS


@pytest.mark.parametrize(("steps", "scan"), [(1, 16), pytest.param(2, 8, marks=pytest.mark.long)])
def test_rifl_fec(steps, scan):
    sources = [
        *rtl("prim", "rsfec", "rifl_fec"),
        pathlib.Path(__file__).with_name("rifl_fec_pair.sv"),
    ]
    build_and_run(
        "rifl_fec_pair", sources, {"Steps": steps, "Scan": scan}, __name__, sync_jitter=True
    )
