# SPDX-License-Identifier: Apache-2.0
"""pcs_encode: every block of the standard's table, and what is none, by one character or one control bit."""

import cocotb
from cocotb.triggers import Timer
from tb_common import build_and_run, rng, rtl

CONTROL, DATA = 0b01, 0b10  # headers
IDLE, START, TERMINATE, ERROR, SEQUENCE, SIGNAL = 0x07, 0xFB, 0xFD, 0xFE, 0x9C, 0x5C
CODES = {IDLE: 0x00, ERROR: 0x1E}
ENDS = [0x87, 0x99, 0xAA, 0xB4, 0xCC, 0xD2, 0xE1, 0xFF]  # by the lane of the terminate character
OTHER, OPENS, ALL_DATA, CLOSES, NONE = range(5)  # as pcs_pkg counts them


def joined(*fields):
    """Values with their widths, the first in the low bits."""
    result = at = 0
    for value, width in fields:
        result |= value << at
        at += width
    return result


def block_of(slot):
    """Type and block of eight characters, (is control, code) each: figure 82-5 of IEEE Std 802.3."""
    characters = [code for _, code in slot]
    control = [at for at, (is_control, _) in enumerate(slot) if is_control]
    if not control:
        return ALL_DATA, joined((DATA, 2), *((code, 8) for code in characters))
    first, lead = control[0], characters[control[0]]
    alone, rest = control == [0], characters[first + 1 :]
    if lead == TERMINATE and len(control) == 8 - first and all(code in CODES for code in rest):
        data = [(code, 8) for code in characters[:first]]
        codes = [(CODES[code], 7) for code in rest]
        # What is left over of a block is zero, and behind the data.
        fill = (0, 7 - first)
        return CLOSES, joined((CONTROL, 2), (ENDS[first], 8), *data, fill, *codes)
    if len(control) == 8 and set(characters) == {IDLE}:
        return OTHER, joined((CONTROL, 2), (0x1E, 8), *[(0, 7)] * 8)
    if alone and lead == START:
        return OPENS, joined((CONTROL, 2), (0x78, 8), *((code, 8) for code in characters[1:]))
    if alone and lead in (SEQUENCE, SIGNAL) and not any(characters[4:]):
        kind = 0 if lead == SEQUENCE else 0xF
        data = [(code, 8) for code in characters[1:4]]
        return OTHER, joined((CONTROL, 2), (0x4B, 8), *data, (kind, 4))
    return NONE, joined((CONTROL, 2), (0x1E, 8), *[(0x1E, 7)] * 8)


def legal(random):
    """A slot that the table has."""
    data = [(False, random.randrange(256)) for _ in range(8)]
    kind = random.randrange(5)
    if kind == 0:
        return data
    if kind == 1:
        return [(True, IDLE)] * 8
    if kind == 2:
        return [(True, START), *data[1:]]
    if kind == 3:
        return [(True, random.choice((SEQUENCE, SIGNAL))), *data[1:4], *[(False, 0)] * 4]
    first = random.randrange(8)
    codes = [(True, random.choice((IDLE, IDLE, ERROR))) for _ in range(7 - first)]
    return [*data[:first], (True, TERMINATE), *codes]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def slots(dut):
    """Legal slots, and slots that differ from those in a bit, a character or what kind it is."""
    random, seen = rng("slots"), set()
    for _ in range(8000):
        slot, at = legal(random), random.randrange(8)
        is_control, code = slot[at]
        match random.randrange(6):
            case 0:
                slot[at] = not is_control, code
            case 1:
                slot[at] = is_control, code ^ 1 << random.randrange(8)
            case 2:
                known = IDLE, START, TERMINATE, ERROR, SEQUENCE, SIGNAL, 0
                slot[at] = random.random() < 0.7, random.choice(known)
        control = sum(is_control << at for at, (is_control, _) in enumerate(slot))
        dut.slot_i.value = control << 64 | int.from_bytes(bytes(c for _, c in slot), "little")
        await Timer(1, "ns")
        kind, block = block_of(slot)
        assert (dut.type_o.value, dut.block_o.value) == (kind, block), slot
        seen.add((kind, block >> 2 & 0xFF if kind != ALL_DATA else None))
    # Eight places of an end, a start, idle, an ordered set, data, none.
    assert len(seen) == 13


def test_pcs_encode():
    build_and_run("pcs_encode", rtl("line", "eth", "pcs", "prim", "axis", "rsfec"), {}, __name__)
