# SPDX-License-Identifier: Apache-2.0
"""Two ends that go over to 64b/66b: all operations in it, wrong bits, lanes that are lost, resets of one end."""

import pathlib

import cocotb
from slink_shell import LANES, Pair, both_ends
from tb_common import build_and_run, cycles, rtl

TIMEOUT, TRIES = 512, 4
DONE = 1
# More than any change takes that goes wrong, in polls of a register of some ten cycles.
POLLS = 16 * TRIES * TIMEOUT // 10


async def mode(end):
    """Speed, line code and lanes in use; whether no change is under way."""
    fields = [await end.registers.field("line", name) for name in ("speed", "coding", "lanes")]
    return tuple(fields), not await end.registers.field("line", "busy")


async def both_in(pair, coding):
    """Both ends are at rest in this line code, and know each other."""
    for end in pair.ends:
        for _ in range(POLLS):
            (_, now, _), rest = await mode(end)
            if rest and now == coding:
                break
        else:
            raise AssertionError(f"{end.name} is in {await mode(end)}")
    await pair.up()
    assert int(pair.dut.coding_o.value) == 3 * coding


async def go_over(pair, end, coding=1, lanes=4, speed=2):
    await end.registers.write("wanted", speed=speed, coding=coding, lanes=LANES[lanes])
    await both_in(pair, coding)
    assert await end.registers.field("line", "result") == DONE


async def started(dut, name):
    pair = Pair(dut, name)
    await pair.start()
    dut.able_coding_i.value = 3
    await go_over(pair, pair.random.choice(pair.ends))
    return pair


@cocotb.test()
async def operations(dut):
    """Reads and writes, with and without CRC, over any lanes, of one beat to three blocks; and the way back to 8b/10b."""
    pair = await started(dut, "operations")
    for coding in (1, 0):
        if not coding:
            await go_over(pair, pair.b, coding=0)
        for option in (0, 1):
            for crc in (0, 1):
                for lanes in (1, 2, 4):
                    end = pair.random.choice(pair.ends)
                    words = pair.random.choice([1, 2, 255, 256, 257, 600])
                    local, remote = (8 * pair.random.randrange(8192 - words) for _ in range(2))
                    status = await pair.operation(end, option, words, lanes, crc, local, remote)
                    assert status >> 8 & 255 == 0, hex(status)


@cocotb.test()
async def fewer_lanes(dut):
    """In 64b/66b over one lane and two, at both speeds."""
    pair = await started(dut, "fewer")
    for lanes in (1, 2):
        for speed in (1, 2):
            await go_over(pair, pair.random.choice(pair.ends), lanes=lanes, speed=speed)
            for end in pair.ends:
                await pair.operation(end, pair.random.randrange(2), 40, lanes, 1, 0, 8192)


@cocotb.test()
async def slow_memory(dut):
    """A memory slower than the lines: HLD works, nothing is sent again."""
    pair = await started(dut, "slow")
    a, b = pair.ends
    # What was on the lines when both ends were reset may have arrived damaged.
    await b.registers.write("events", damaged=1)
    b.stalls(0.8)
    for crc in (0, 1):
        status = await a.program(0, 900, 4, crc, 0, 4096)
        assert a.outcome(status) == "done" and status >> 8 & 255 == 0, hex(status)
        pair.expect(a, 0, 900, 0, 4096)
        await pair.all_written()
    assert await b.registers.field("events", "damaged") == 0


@cocotb.test()
async def noise(dut):
    """Wrong bits on all lanes, three times as many behind the descrambler: each operation is done, or its end is told."""
    pair = await started(dut, "noise")
    tasks = await pair.noise(2e-5)
    done = await both_ends(pair, 10, 100)
    for task in tasks:
        task.cancel()
    for end in pair.ends:
        end.flip.value = 0
    print(f"operations done: {done}")
    assert sum(done) > 0
    await pair.settle()
    await pair.up()


@cocotb.test()
async def lost_lock(dut):
    """All lanes dead for a while in the middle of an operation: the locks are lost and come back, the operation is done or its end is told."""
    pair = await started(dut, "lost")
    a, b = pair.ends
    for ways in (1, 2, 3):
        task = cocotb.start_soon(a.program(0, 600, 4, 1, 0, 8192))
        await cycles(a.clock, 300 + pair.random.randrange(200))
        dut.cut_i.value = sum(15 << 4 * way for way in range(2) if ways >> way & 1)
        await cycles(a.clock, 200)
        dut.cut_i.value = 0
        status = await task
        if a.outcome(status) == "done":
            pair.expect(a, 0, 600, 0, 8192)
        await pair.settle()
        b.wanted[8192:13000] = b.ram.read(8192, 13000 - 8192)
        await both_in(pair, 1)
        await pair.operation(a, 0, 600, 4, 1, 0, 8192)


@cocotb.test()
async def resets(dut):
    """One end is reset: it begins in 8b/10b, the other one comes there too, and both go over again."""
    pair = await started(dut, "resets")
    for end in pair.ends:
        await end.registers.write("control", run=0)
        await cycles(end.clock, 100)
        await end.registers.write("control", run=2)
        await both_in(pair, 0)
        await pair.operation(end, 0, 30, 4, 1, 0, 8192)
        await go_over(pair, end)
        await pair.operation(end, 1, 30, 4, 1, 0, 8192)


def test_slink_blocks():
    build_and_run(
        "slink_pair",
        [*rtl("prim", "line", "slink"), pathlib.Path(__file__).with_name("slink_pair.sv")],
        {"DataWidth": 64, "Timeout": TIMEOUT, "Tries": TRIES, "Switch": 1, "BSwitch": 1},
        __name__,
        testcase=["operations", "fewer_lanes", "slow_memory", "noise", "lost_lock", "resets"],
        sync_jitter=True,
    )
