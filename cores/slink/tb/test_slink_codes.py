# SPDX-License-Identifier: Apache-2.0
"""The check codes behind the descrambler of 64b/66b: a wrong bit of the line, which is up to three of the packet, is seen.

README.md, "64b/66b". Where the three are depends on lanes and on the control words between them; so it is shown for any three.
"""

import pytest
from slink_model import crc

HEADER, BLOCK = 8, 2048  # bytes
CRC_8, CRC_16 = 0x107, 0x11021
SCRAMBLER = 1 << 58 | 1 << 39 | 1


def remainder(a, b):
    """Of polynomials over GF(2)."""
    while a.bit_length() >= b.bit_length():
        a ^= b << a.bit_length() - b.bit_length()
    return a


def syndromes(length, polynomial):
    """What a code says of each wrong bit, in `length` bytes and in itself, the last bit first."""
    value, found = 1, []
    for _ in range(8 * length + polynomial.bit_length() - 1):
        found.append(value)
        value = remainder(value << 1, polynomial)
    return found


def test_syndromes_are_those_of_the_model():
    for polynomial in (CRC_8, CRC_16):
        width = polynomial.bit_length() - 1
        low = polynomial ^ 1 << width
        for at in (0, 13, 63):
            wrong = bytearray(8)
            wrong[at // 8] = 0x80 >> at % 8
            difference = crc(bytes(wrong), width, low) ^ crc(bytes(8), width, low)
            assert difference == syndromes(8, polynomial)[::-1][at]


@pytest.mark.parametrize(("length", "polynomial"), [(HEADER - 1, CRC_8), (HEADER + BLOCK, CRC_16)])
def test_any_three_wrong_bits_are_seen(length, polynomial):
    # One and three: x + 1 is a factor. Two: no two bits have the same syndrome.
    assert remainder(polynomial, 0b11) == 0
    found = syndromes(length, polynomial)
    assert 0 not in found and len(set(found)) == len(found)


def test_no_common_factor():
    """What the descrambler makes of an error is a multiple of its polynomial: no factor of that is one of a code."""
    for code in (CRC_8, CRC_16):
        a, b = SCRAMBLER, code
        while b:
            a, b = b, remainder(a, b)
        assert a == 1
