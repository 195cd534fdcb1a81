# SPDX-License-Identifier: Apache-2.0
"""Frames on the wire, bit by bit: an own reading of the published line code."""


def scramble(bits, width, state):
    """1 + x^13 + x^33, most significant bit first; bit 0 of the state is the newest."""
    out = 0
    for i in reversed(range(width)):
        bit = (bits >> i ^ state >> 12 ^ state >> 32) & 1
        state = (state << 1 | bit) & ((1 << 33) - 1)
        out = out << 1 | bit
    return out


def crc12(bits, width, crc=0):
    """x^12 + x^5 + x^3 + x^2 + x + 1, direct form, from 0 or any other register."""
    for i in reversed(range(width)):
        feedback = (crc >> 11 ^ bits >> i) & 1
        crc = (crc << 1 & 0xFFF) ^ (0x02F if feedback else 0)
    return crc


def strong16(bits, width, start, polynomial):
    """The stronger code: the remainder of all bits above it, the register starting at `start`."""
    crc = start
    for i in reversed(range(28, width)):
        feedback = (crc >> 15 ^ bits >> i) & 1
        crc = (crc << 1 & 0xFFFF) ^ (polynomial if feedback else 0)
    return crc


def encode(control, body, frame_id, width, state, start=0, strong=None):
    """One frame as it has to stand on the wire; its CRC starts from `start`. `strong`: start and polynomial of the stronger
    code."""
    codes = 12 if strong is None else 28
    scrambled = scramble(body, width - 2 - codes, state) << codes
    frame = (2 if control else 1) << (width - 2) | scrambled
    if strong is not None:
        frame |= strong16(frame, width, *strong) << 12
    return frame | crc12(frame, width, start) ^ frame_id


def state_behind(frame):
    """The scrambler state behind a frame: the last 33 scrambled bits on the line."""
    return frame >> 12 & ((1 << 33) - 1)
