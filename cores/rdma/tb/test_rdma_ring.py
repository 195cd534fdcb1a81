# SPDX-License-Identifier: Apache-2.0
"""rdma_ring: the numbers of the thesis' example, every flow, wraps, and the map of what is under way."""

import cocotb
from cocotb.triggers import Timer
from tb_common import build_and_run, rng, rtl


async def issue(dut, four, flow, place, used):
    dut.issue_four_i.value, dut.issue_flow_i.value = four, flow
    dut.issue_place_i.value, dut.issue_map_i.value = place, used
    await Timer(1, "ns")
    assert dut.issue_free_o.value == int(not used >> place & 1)
    assert dut.issue_map_o.value == used | 1 << place
    return int(dut.issue_tid_o.value), int(dut.issue_next_o.value)


async def answer(dut, four, tid, used):
    dut.answer_four_i.value, dut.answer_step_i.value = four, tid & 15
    dut.answer_map_i.value = used
    await Timer(1, "ns")
    return int(dut.answer_map_o.value)


@cocotb.test
async def the_example(dut):
    """Sixteen blocks at flow 192, and the seventeenth has the number of the first."""
    place, tids = 0, []
    for _ in range(17):
        tid, place = await issue(dut, 1, 192, place, 0)
        tids.append(tid)
    assert tids[:6] == [768, 772, 776, 780, 769, 773]
    assert tids[15] == 783 and tids[16] == 768
    assert sorted(tids[:16]) == list(range(768, 784))
    tids = []
    place = 0
    for _ in range(6):
        tid, place = await issue(dut, 0, 128, place, 0)
        tids.append(tid)
    assert tids == [512, 513, 514, 515, 512, 513]


@cocotb.test
async def every_number_has_one_owner(dut):
    tids = []
    for flow in range(128, 192):
        tids += [(await issue(dut, 0, flow, place, 0))[0] for place in range(4)]
    for flow in range(192, 256, 4):
        tids += [(await issue(dut, 1, flow, place, 0))[0] for place in range(16)]
    assert sorted(tids) == list(range(512, 1024))


@cocotb.test
async def under_way(dut):
    """Answers in any order: a place is free again when its own block is answered, and not before."""
    random = rng("ring")
    for four in (0, 1):
        flow, ring = (252, 16) if four else (191, 4)
        place, used, out = 0, 0, []
        for _ in range(500):
            if random.random() < 0.6 and not used >> place & 1:
                tid, behind = await issue(dut, four, flow, place, used)
                assert tid not in out and behind == (place + 1) % ring
                out.append(tid)
                used |= 1 << place
                place = behind
            elif out:
                tid = out.pop(random.randrange(len(out)))
                after = await answer(dut, four, tid, used)
                assert (used ^ after).bit_count() == 1
                used = after
            assert used.bit_count() == len(out)
            # The ring is full, or the next place still waits: it says so.
            assert (await issue(dut, four, flow, place, used))[0] not in out or used >> place & 1


def test_rdma_ring():
    build_and_run("rdma_ring", rtl("prim", "rdma"), {}, __name__)
