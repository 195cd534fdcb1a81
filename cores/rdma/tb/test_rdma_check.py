# SPDX-License-Identifier: Apache-2.0
"""rdma_check: the rules of a descriptor's first line, as the README has them, for lines that keep them all but for one."""

import cocotb
import pytest
from cocotb.triggers import Timer
from tb_common import build_and_run, params, rng, rtl

NODE_BYTES = 1 << 48


def leaves_node(address, size):
    """Whether a range reaches the end of its node; the high bits of an address are a node's number."""
    return address % NODE_BYTES + size >= NODE_BYTES


def is_good(line, came_long):
    """The rules one by one."""
    size, priority, cls = line["size"], line["priority"], line["cls"]
    if size == 0 or priority >= params()["Priorities"] or line["long"] != came_long:
        return False
    if leaves_node(line["destination"], size):
        return False
    if line["notify"] and line["notification"] % 8:
        return False
    if line["inline"]:
        fits = 8 < size <= 32 if line["long"] else size <= 8
        return not line["read"] and cls == 0 and fits
    if line["long"] and (not line["notify"] or line["read"]):
        return False
    return cls != 3 and not leaves_node(line["source"], size)


def packed(line):
    first = line["size"] | line["priority"] << 32 | line["cls"] << 36 | line["inline"] << 38
    first |= line["notify"] << 39 | line["long"] << 40 | line["read"] << 41 | line["qos"] << 42
    return first | line["destination"] << 64 | line["source"] << 128 | line["notification"] << 192


def address(random, size):
    """Anywhere, or so near the end of a node that a byte decides."""
    if random.random() < 0.5:
        return random.getrandbits(64)
    node = random.getrandbits(16) << 48
    near = NODE_BYTES - size + random.choice((-1, -1, 0, 1, -size, random.randrange(-64, 64)))
    return node | near % NODE_BYTES


def anything(random):
    """A line that keeps the rules about as often as not."""
    flag = random.getrandbits
    inline, is_long = flag(1), flag(1)
    width = random.randrange(1, 33)
    size = random.choice((random.getrandbits(width), 1 << width - 1, (1 << width) - 1))
    if inline and random.random() < 0.8:
        size = random.randrange(9, 33) if is_long else random.randrange(1, 9)
    return {
        "size": size,
        "priority": random.randrange(16),
        "cls": random.choice((0, 0, 1, 2, 3)),
        "inline": inline,
        "notify": int(random.random() < (0.8 if is_long else 0.5)),
        "long": is_long,
        "read": int(random.random() < 0.2),
        "qos": random.getrandbits(22),
        "destination": address(random, size),
        "source": address(random, size),
        "notification": random.getrandbits(64) & ~(0 if random.random() < 0.3 else 7),
    }


@cocotb.test()
async def rules(dut):
    """Every rule decides in some lines; how a line is scheduled stands in it."""
    random, good = rng("rules"), 0
    for _ in range(20_000):
        line = anything(random)
        came_long = line["long"] ^ int(random.random() < 0.1)
        dut.line_i.value, dut.long_i.value = packed(line), came_long
        await Timer(1, "ns")
        wanted = is_good(line, came_long)
        assert dut.good_o.value == wanted, line
        packet = line["inline"] | line["read"]
        schedule = packet << 6 | line["cls"] << 4 | line["priority"]
        assert dut.schedule_o.value == schedule, line
        good += wanted
    assert 1000 < good < 19_000


@pytest.mark.parametrize("priorities", [5, 16])
def test_rdma_check(priorities):
    build_and_run("rdma_check", rtl("prim", "rdma"), {"Priorities": priorities}, __name__)
