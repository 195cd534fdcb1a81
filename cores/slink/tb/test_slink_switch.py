# SPDX-License-Identifier: Apache-2.0
"""Both ends change the mode of the line: from one end, at any time, and whatever goes wrong meanwhile."""

import pathlib

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from slink_model import NOTICE
from slink_shell import LANES, Pair, kind
from tb_common import build_and_run, cycles, rtl

TIMEOUT = 512  # of an answer; the period of questions and hellos
TRIES = 4
DONE, REFUSED, SILENT, FELL_BACK, OVERRULED, LOST = range(1, 7)
ASK, WAIT, AGREE, REFUSE = range(16, 20)
START = (2, 4)  # of both ends
MODES = [(speed, lanes) for speed in (1, 2) for lanes in (1, 2, 4)]
# Cycles behind the start of a change: from the question to the first hello in the new mode, and
# behind it.
MOMENTS = [5, 20, 40, 60, 80, 120, 400, 1200]
# More than any change takes that goes wrong, in polls of a register of some ten cycles.
POLLS = 16 * TRIES * TIMEOUT // 10


def says(*codes):
    """Headers of messages about a change."""
    return lambda header: kind(header) == NOTICE and header >> 35 & 31 in codes


def beats(end, first=0, last=1 << 32):
    """Written to the memory of this end, from here to there."""
    return sum(count for address, count in end.writes if first <= address < last)


async def ask(end, mode):
    speed, lanes = mode
    await end.registers.write("wanted", speed=speed, lanes=LANES[lanes])


async def line(end):
    """The mode in use, and the result of the last change."""
    registers = end.registers
    value, _ = await registers.word(0x34)
    assert value >> 2 & 1 == 0
    mode = value & 3, 1 << (value >> 4 & 7)
    return mode, value >> 8 & 7, value >> 7 & 1


async def ended(end):
    """Waits for the end of a change: mode and result."""
    for _ in range(POLLS):
        mode, result, busy = await line(end)
        if not busy:
            return mode, result
    raise AssertionError("the change does not end")


async def change(end, mode):
    await ask(end, mode)
    return await ended(end)


async def both_in(pair, mode):
    """Both ends are in this mode, and operations of both go well in it."""
    for end in pair.ends:
        for _ in range(POLLS):
            now, _, busy = await line(end)
            if now == mode and not busy:
                break
        else:
            raise AssertionError(f"{end.name} is in {now} instead of {mode}")
    await pair.up()
    for i, end in enumerate(pair.ends):
        assert int(pair.dut.speed_o.value) >> 2 * i & 3 == mode[0]
        assert int(pair.dut.lanes_o.value) >> 4 * i & 15 == (1 << mode[1]) - 1
        words = pair.random.randrange(1, 60)
        local, remote = (8 * pair.random.randrange(8192 - words) for _ in range(2))
        option = pair.random.randrange(2)
        await operation(pair, end, option, words, mode[1], local, remote)


async def meet(pair):
    """Waits until both ends know each other, in the same mode, and go on; which."""
    for _ in range(POLLS):
        states = [await line(end) for end in pair.ends]
        ups = [await end.registers.field("status", "up") for end in pair.ends]
        (mode, _, busy), (other, _, other_busy) = states
        if mode == other and all(ups) and not busy and not other_busy:
            await both_in(pair, mode)
            return mode
    raise AssertionError(f"they do not meet: {states}")


async def back_to_start(pair, end):
    """Both ends meet, and are in the mode of the start, or go there when this one asks."""
    if await meet(pair) != START:
        assert await change(end, START) == (START, DONE)
        await both_in(pair, START)


async def operation(pair, end, option, words, lanes, local, remote, crc=1):
    """The published program, in the speed of the start: it goes well."""
    status = await end.program(option, words, lanes, crc, local, remote)
    pair.expect(end, option, words, local, remote)
    assert end.outcome(status) == "done", hex(status)
    await pair.settle()
    assert pair.a.whole() and pair.b.whole()
    return status


def cut(pair, ways=3, lanes=15):
    """Cuts lanes of ways: bit 0 from A, bit 1 from B."""
    pair.dut.cut_i.value = sum(lanes << 4 * way for way in range(2) if ways >> way & 1)


@cocotb.test()
async def all_modes(dut):
    """From any mode to any other one, asked for by either end; the other one is told, too."""
    pair = Pair(dut, "all modes")
    await pair.start()
    now = START
    for _ in range(12):
        mode = pair.random.choice([mode for mode in MODES if mode != now])
        end, other = pair.ends[:: pair.random.choice([1, -1])]
        for each in pair.ends:
            await each.registers.write("events", changed=1)
        assert await change(end, mode) == (mode, DONE)
        await both_in(pair, mode)
        assert await ended(other) == (mode, DONE)
        for each in pair.ends:
            assert await each.registers.field("events", "changed") == 1
        now = mode


@cocotb.test()
async def interrupt(dut):
    """The end of a change raises the interrupt of both ends, if they want it."""
    pair = Pair(dut, "interrupt")
    await pair.start()
    for end in pair.ends:
        await end.registers.write("event_enable", changed=1)
    assert dut.irq_o.value == 0
    assert await change(pair.a, (1, 2)) == ((1, 2), DONE)
    assert await ended(pair.b) == ((1, 2), DONE)
    await cycles(pair.a.clock, 4)
    assert dut.irq_o.value == 3
    await both_in(pair, (1, 2))


@cocotb.test()
async def operations_under_way(dut):
    """Operations of both ends under way end first; those that are started meanwhile wait, and all are done, once."""
    pair = Pair(dut, "under way")
    await pair.start()
    a = pair.a
    for mode in ((1, 2), (2, 4), (2, 1)):
        before = [beats(end) for end in pair.ends]
        tasks = [
            cocotb.start_soon(end.program(0, 700, 1, 1, 0, 8 * 1024 * (1 + i)))
            for i, end in enumerate(pair.ends)
        ]
        await cycles(a.clock, 200 + pair.random.randrange(400))
        await ask(a, mode)
        now, _, busy = await line(a)
        assert busy and now != mode
        for task, end in zip(tasks, pair.ends, strict=True):
            assert end.outcome(status := await task) == "done" and status >> 8 & 255 == 0
        for i, end in enumerate(pair.ends):
            pair.expect(end, 0, 700, 0, 8 * 1024 * (1 + i))
            assert beats(end) == before[i] + 700
        # Each of both waits behind the change.
        tasks = [cocotb.start_soon(end.program(1, 50, 1, 1, 0, 8 * 1024 * 4)) for end in pair.ends]
        assert (await line(a))[2]
        for task, end in zip(tasks, pair.ends, strict=True):
            assert end.outcome(await task) == "done"
            pair.expect(end, 1, 50, 0, 8 * 1024 * 4)
        assert await ended(a) == (mode, DONE)
        await both_in(pair, mode)


@cocotb.test()
async def refused(dut):
    """What this end or the other one cannot is refused, and nothing changes."""
    pair = Pair(dut, "refused")
    await pair.start()
    a, b = pair.ends
    assert await change(a, (1, 4)) == ((1, 4), DONE)
    for able in (1, 2, 0):
        dut.able_fast_i.value = able
        assert await change(a, (2, 4)) == ((1, 4), REFUSED)
        await both_in(pair, (1, 4))
    dut.able_fast_i.value = 3
    for speed, lanes, coding in ((0, 2, 0), (3, 2, 0), (1, 3, 0), (1, 7, 0), (1, 2, 1)):
        await a.registers.write("wanted", speed=speed, lanes=lanes, coding=coding)
        assert await ended(a) == ((1, 4), REFUSED), (speed, lanes, coding)
    await both_in(pair, (1, 4))
    # In it already: nothing to do.
    assert await change(a, (1, 4)) == ((1, 4), DONE)
    # More lanes than the mode has.
    assert await change(b, (1, 2)) == ((1, 2), DONE)
    assert a.outcome(await a.program(0, 4, 4, 1, 0, 0)) == "refused"
    await both_in(pair, (1, 2))


@cocotb.test()
async def coding(dut):
    """The line code is carried through, when both physical layers have it."""
    pair = Pair(dut, "coding")
    await pair.start()
    a = pair.a
    dut.able_coding_i.value = 1
    await a.registers.write("wanted", speed=2, lanes=2, coding=1)
    assert await ended(a) == (START, REFUSED)
    dut.able_coding_i.value = 3
    await a.registers.write("wanted", speed=2, lanes=2, coding=1)
    await RisingEdge(dut.coding_o[0])
    for end in pair.ends:
        while await end.registers.field("line", "busy"):
            pass
        assert await end.registers.read("line") == 2 | 1 << 2 | 2 << 4 | DONE << 8
    assert int(dut.coding_o.value) == 3


@cocotb.test()
async def does_not_come_up(dut):
    """Lanes that are cut, in one direction or both, and transceivers that do not run: back in the mode before."""
    pair = Pair(dut, "not up")
    await pair.start()
    assert await change(pair.a, (1, 1)) == ((1, 1), DONE)
    now = (1, 1)
    for ways in (1, 2, 3):
        for end in pair.ends:
            cut(pair, ways, 0b1010)
            assert await change(end, (1, 2)) == (now, FELL_BACK)
            await both_in(pair, now)
            cut(pair, 0)
            dut.slow_i.value = ways
            assert await change(end, (2, 1)) == (now, FELL_BACK)
            await both_in(pair, now)
            dut.slow_i.value = 0
    assert await change(pair.b, (2, 4)) == ((2, 4), DONE)
    await both_in(pair, (2, 4))


@cocotb.test()
async def lost_messages(dut):
    """Questions and answers lost: asked again. All of them lost: silent, and nothing changes."""
    pair = Pair(dut, "lost")
    await pair.start()
    a, b = pair.ends
    now = START
    waits = []
    pair.fault(a, lambda header: says(WAIT)(header) and waits.append(header), 0)
    for mode, end, code in (
        ((1, 4), a, ASK),
        ((1, 1), b, AGREE),
        ((2, 2), a, ASK),
        ((2, 4), b, AGREE),
    ):
        task = pair.fault(end, says(code), 2, times=pair.random.randrange(1, 3))
        assert await change(a, mode) == (mode, DONE)
        await both_in(pair, mode)
        task.cancel()
        now = mode
    for end, code in ((a, ASK), (b, AGREE)):
        task = pair.fault(end, says(code), 2, times=99)
        assert await change(a, (1, 2)) == (now, SILENT)
        await both_in(pair, now)
        task.cancel()
        end.flip.value = 0
    # Refusals lost.
    dut.able_fast_i.value = 1
    assert await change(a, (1, 1)) == ((1, 1), DONE)
    task = pair.fault(b, says(REFUSE), 2, times=2)
    assert await change(a, (2, 1)) == ((1, 1), REFUSED)
    task.cancel()
    await both_in(pair, (1, 1))
    # Nobody has asked A.
    assert not waits


@cocotb.test()
async def busy_other_end(dut):
    """An operation of the other end takes longer than the time-out of questions: it says so, and is waited for."""
    pair = Pair(dut, "busy")
    await pair.start()
    a, b = pair.ends
    assert await change(a, (2, 1)) == ((2, 1), DONE)
    words = 2 * TRIES * TIMEOUT  # four words of a lane for each
    assert words < 8192
    task = cocotb.start_soon(b.program(0, words, 1, 1, 0, 0))
    await cycles(a.clock, 100)
    await ask(a, (1, 4))
    assert b.outcome(await task) == "done"
    pair.expect(b, 0, words, 0, 0)
    assert await ended(a) == ((1, 4), DONE)
    await both_in(pair, (1, 4))


@cocotb.test()
async def at_once(dut):
    """Both ask at once, or one soon behind the other: one mode wins, both ends are in it, and each is told."""
    pair = Pair(dut, "at once")
    await pair.start()
    a, b = pair.ends
    now = START
    for turn in range(10):
        wanted = [pair.random.choice([m for m in MODES if m != now]) for _ in range(2)]
        tasks = [cocotb.start_soon(change(a, wanted[0]))]
        await cycles(a.clock, 0 if turn < 3 else pair.random.randrange(1, 120))
        tasks.append(cocotb.start_soon(change(b, wanted[1])))
        (mode, first), (_, second) = [await task for task in tasks]
        assert mode in wanted, (mode, wanted)
        results = first, second
        for want, result in zip(wanted, results, strict=True):
            # A write that comes while the other end's change is under way has no effect.
            good = (DONE,) if want == mode else (OVERRULED, DONE)
            assert result in good, (wanted, mode, results)
        await both_in(pair, mode)
        now = mode


@cocotb.test()
async def resets(dut):
    """One end is reset at any time of a change: both come together, in the mode of the start, or the other one has asked again."""
    pair = Pair(dut, "resets")
    await pair.start()
    for turn in range(10):
        wanted = pair.random.choice([m for m in MODES if m != START])
        end = pair.ends[turn & 1]
        task = cocotb.start_soon(change(pair.a, wanted))
        await cycles(pair.a.clock, pair.random.choice(MOMENTS))
        await end.registers.write("control", run=0)
        await cycles(end.clock, 40)
        await end.registers.write("control", run=START[0])
        await task
        await back_to_start(pair, end)


@cocotb.test()
async def pulled(dut):
    """The cable is pulled at any time of a change, and plugged in again sooner or later: both ends meet again."""
    pair = Pair(dut, "pulled")
    await pair.start()
    for turn in range(10):
        wanted = pair.random.choice([m for m in MODES if m != START])
        end, other = pair.ends[:: pair.random.choice([1, -1])]
        task = cocotb.start_soon(change(end, wanted))
        await cycles(end.clock, pair.random.choice(MOMENTS))
        cut(pair, 3 if turn % 3 else pair.random.choice([1, 2]))
        await cycles(end.clock, pair.random.choice([30, 300, TRIES * TIMEOUT, 5 * TRIES * TIMEOUT]))
        cut(pair, 0)
        await task
        await back_to_start(pair, other)


@cocotb.test()
async def lost_link(dut):
    """No session any more in a mode that was changed to: back in that of the start, each end by itself."""
    pair = Pair(dut, "lost link")
    await pair.start()
    assert await change(pair.a, (1, 1)) == ((1, 1), DONE)
    await both_in(pair, (1, 1))
    cut(pair)
    for end in pair.ends:
        for _ in range(POLLS):
            mode, result, busy = await line(end)
            if mode == START and not busy:
                break
        assert (mode, result) == (START, LOST)
    cut(pair, 0)
    await both_in(pair, START)


@cocotb.test()
async def waits_for_a_session(dut):
    """An operation waits for a session that does not come in this mode: the end that asks for a
    change goes back all the same, and both are done or fail."""
    pair = Pair(dut, "waits")
    await pair.start()
    a, b = pair.ends
    # Lanes and speed in which A hears B, which is in the mode of the start, but not the other way.
    assert await change(a, (2, 2)) == ((2, 2), DONE)
    await both_in(pair, (2, 2))
    await b.registers.write("control", run=0)
    await cycles(b.clock, 40)
    await b.registers.write("control", run=START[0])
    while await a.registers.field("status", "up"):
        pass
    task = cocotb.start_soon(a.program(0, 40, 1, 1, 0, 8192))
    await cycles(a.clock, 400)
    assert await change(a, (1, 2)) == (START, LOST)
    assert a.outcome(await task) == "done"
    pair.expect(a, 0, 40, 0, 8192)
    await both_in(pair, START)


@cocotb.test()
async def one_way_lost(dut):
    """One end hears nothing for long and goes back to the start; the other end hears it all the time, in a mode with fewer lanes, and follows."""
    pair = Pair(dut, "one way")
    await pair.start()
    for turn in range(4):
        way, mode = turn & 1, [(2, 2), (2, 1)][turn >> 1]
        assert await change(pair.a, mode) == (mode, DONE)
        await both_in(pair, mode)
        cut(pair, 1 << way)
        deaf, other = pair.ends[:: -1 if way == 0 else 1]
        for _ in range(POLLS):
            now, result, busy = await line(deaf)
            if now == START and not busy:
                break
        assert (now, result) == (START, LOST)
        cut(pair, 0)
        await both_in(pair, START)
        assert (await line(other))[1] == LOST


@cocotb.test()
async def a_short_loss(dut):
    """All lanes are lost for a moment in a mode that was changed to: both ends stay in it, and what is under way is done."""
    pair = Pair(dut, "short loss")
    await pair.start()
    mode = (2, 2)
    assert await change(pair.a, mode) == (mode, DONE)
    await both_in(pair, mode)
    for ways in (1, 2, 3):
        end = pair.random.choice(pair.ends)
        task = cocotb.start_soon(end.program(0, 500, 2, 1, 0, 8192))
        await cycles(end.clock, 200 + pair.random.randrange(200))
        cut(pair, ways)
        await cycles(end.clock, 40)
        cut(pair, 0)
        assert end.outcome(await task) == "done"
        pair.expect(end, 0, 500, 0, 8192)
        # Longer than it would take to go back.
        await cycles(end.clock, 3 * TRIES * TIMEOUT)
        await both_in(pair, mode)


@cocotb.test()
async def random_changes(dut):
    """Changes by both ends at random among operations, on lanes with wrong bits: each operation is done, once, or its end is told."""
    pair = Pair(dut, "changes")
    await pair.start(ratio=1.0003)
    random = pair.random
    noise = await pair.noise(5e-6)
    over, count = [], [0, 0]
    written = {(end, done): 0 for end in pair.ends for done in (True, False)}

    async def changes(end):
        while not over:
            await cycles(end.clock, random.randrange(200, 4000))
            _, result = await change(end, random.choice(MODES))
            count[result == DONE] += 1

    async def operations(end, half):
        other = pair.ends[end is pair.a]
        for _ in range(25):
            words = random.randrange(1, 150)
            option = random.randrange(2)
            local, remote = (8 * random.randrange(half, half + 4096 - words) for _ in range(2))
            lanes = random.choice([1, 1, 1, 2, 4])
            if not option:
                # New data, so that a second execution would show.
                data = random.randbytes(8 * words)
                end.wanted[local : local + 8 * words] = data
                end.ram.write(local, data)
            status = await end.program(option, words, lanes, 1, local, remote)
            outcome = end.outcome(status)
            target, at = (end, local) if option else (other, remote)
            written[end, outcome == "done"] += 0 if option else words
            if outcome == "done":
                pair.expect(end, option, words, local, remote)
            else:
                assert outcome != "refused" or lanes > 1
                await cycles(end.clock, 2000)
                target.wanted[at : at + 8 * words] = target.ram.read(at, 8 * words)

    tasks = [cocotb.start_soon(operations(end, 4096 * i)) for i, end in enumerate(pair.ends)]
    changers = [cocotb.start_soon(changes(end)) for end in pair.ends]
    for task in tasks:
        await task
    over.append(True)
    for task in changers:
        await task
    for task in noise:
        task.cancel()
    for end in pair.ends:
        end.flip.value = 0
    print(f"changes: {count[1]} done, {count[0]} not")
    assert count[1] >= 4
    await pair.settle()
    assert pair.a.whole() and pair.b.whole()
    # Each end writes to its own half of the other memory: once.
    for i, (end, other) in enumerate(zip(pair.ends, pair.ends[::-1], strict=True)):
        once = beats(other, 32768 * i, 32768 * (i + 1)) - written[end, True]
        assert 0 <= once <= written[end, False]
    await meet(pair)


@cocotb.test()
async def unknown(dut):
    """An end that has no changes does not know the question: silent, and operations go on."""
    pair = Pair(dut, "unknown")
    await pair.start()
    a, b = pair.ends
    assert await change(a, (1, 2)) == (START, SILENT)
    for end in pair.ends:
        await pair.operation(end, 0, 20, 4, 1, 0, 1024)
    assert await b.registers.read("line") == 0
    await b.registers.write("wanted", speed=1, lanes=0)
    await pair.operation(b, 1, 20, 4, 1, 0, 1024)


@cocotb.test()
async def unknown_beside_data(dut):
    """Such an end that never stops sending: the change ends as well, and operations go on."""
    pair = Pair(dut, "unknown_beside_data")
    await pair.start()
    a, b = pair.ends
    over = False

    async def send():
        while not over:
            await pair.operation(b, 0, 500, 4, 0, 0, 1024)

    sending = cocotb.start_soon(send())
    await ask(a, (1, 2))
    await cycles(dut.a_clk_i, 4 * TRIES * TIMEOUT)
    assert (await line(a))[2] == 1  # data may keep an answer waiting
    for _ in range(40):
        await cycles(dut.a_clk_i, TRIES * TIMEOUT)
        mode, result, busy = await line(a)
        if not busy:
            break
    assert (mode, result, busy) == (START, SILENT, 0)
    over = True
    await sending
    for end in pair.ends:
        await pair.operation(end, 0, 20, 4, 1, 0, 1024)


CASES = [
    "all_modes",
    "interrupt",
    "operations_under_way",
    "refused",
    "coding",
    "does_not_come_up",
    "lost_messages",
    "busy_other_end",
    "at_once",
    "resets",
    "pulled",
    "lost_link",
    "waits_for_a_session",
    "one_way_lost",
    "a_short_loss",
    "random_changes",
]


@pytest.mark.parametrize("peer", [1, pytest.param(0, marks=pytest.mark.long)])
def test_slink_switch(peer):
    build_and_run(
        "slink_pair",
        [*rtl("prim", "line", "slink"), pathlib.Path(__file__).with_name("slink_pair.sv")],
        {"DataWidth": 64, "Timeout": TIMEOUT, "Tries": TRIES, "Switch": 1, "BSwitch": peer},
        __name__,
        testcase=CASES if peer else ["unknown", "unknown_beside_data"],
        sync_jitter=True,
    )
