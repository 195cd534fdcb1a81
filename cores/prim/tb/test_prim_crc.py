# SPDX-License-Identifier: Apache-2.0
"""prim_crc against a bit-serial reference, the C library's CRCs and published check values."""

import binascii
import zlib

import cocotb
import pytest
from cocotb.triggers import Timer
from tb_common import build_and_run, params, rng, rtl

# width, polynomial, bits per step
CASES = [
    (12, 0x02F, 64),
    (12, 0x02F, 256),
    (12, 0x80F, 8),
    (32, 0x04C11DB7, 64),
    (16, 0x1021, 8),
    (64, 0x42F0E1EBA9EA3693, 24),
    (5, 0x05, 1),
]

TEXT = b"123456789"


def serial(width, poly, crc, data, bits):
    """One bit at a time, most significant first."""
    for k in reversed(range(bits)):
        feedback = (crc >> (width - 1) ^ data >> k) & 1
        crc = (crc << 1) & (2**width - 1)
        if feedback:
            crc ^= poly
    return crc


def reflect(value, bits):
    return int(f"{value:0{bits}b}"[::-1], 2)


async def step(dut, crc, data):
    dut.crc_i.value = crc
    dut.data_i.value = data
    await Timer(1, "ns")
    return int(dut.crc_o.value)


async def message(dut, crc, octets):
    """The CRC register after a whole message of a multiple of the step."""
    size = params()["DataWidth"] // 8
    assert len(octets) % size == 0
    for i in range(0, len(octets), size):
        crc = await step(dut, crc, int.from_bytes(octets[i : i + size], "big"))
    return crc


def case():
    p = params()
    return p["CrcWidth"], int(p["Poly"].split("h")[1], 16), p["DataWidth"]


@cocotb.test(timeout_time=100, timeout_unit="us")
async def against_serial(dut):
    random = rng()
    width, poly, bits = case()
    for _ in range(500):
        crc, data = random.getrandbits(width), random.getrandbits(bits)
        assert await step(dut, crc, data) == serial(width, poly, crc, data, bits)
    # Every single input bit, so that no column of the matrix goes untested.
    for i in range(bits):
        assert await step(dut, 0, 1 << i) == serial(width, poly, 0, 1 << i, bits)
    for i in range(width):
        assert await step(dut, 1 << i, 0) == serial(width, poly, 1 << i, 0, bits)


@cocotb.test(timeout_time=100, timeout_unit="us")
async def against_library(dut):
    """Independent implementations: zlib (CRC-32, reflected) and binascii (CRC-16, direct)."""
    random = rng("library")
    width, poly, bits = case()
    if bits % 8 or (width, poly) not in ((32, 0x04C11DB7), (16, 0x1021)):
        return
    for _ in range(50):
        octets = random.randbytes(bits // 8 * random.randrange(1, 20))
        if width == 32:
            # zlib shifts each octet least significant bit first; init and final XOR are all ones.
            direct = bytes(reflect(octet, 8) for octet in octets)
            crc = await message(dut, 0xFFFFFFFF, direct) ^ 0xFFFFFFFF
            assert reflect(crc, 32) == zlib.crc32(octets)
        else:
            init = random.getrandbits(16)
            assert await message(dut, init, octets) == binascii.crc_hqx(octets, init)


@cocotb.test(timeout_time=100, timeout_unit="us")
async def check_values(dut):
    """Catalogue check values of "123456789", where that text is a whole number of steps."""
    width, poly, bits = case()
    if bits % 8 or len(TEXT) % (bits // 8):
        return
    crc = await message(dut, 0, TEXT)
    if (width, poly) == (12, 0x80F):
        assert reflect(crc, 12) == 0xDAF  # CRC-12/UMTS: output reflected
    elif (width, poly) == (16, 0x1021):
        assert crc == 0x31C3  # CRC-16/XMODEM
    elif (width, poly) == (64, 0x42F0E1EBA9EA3693):
        assert crc == 0x6C40DF5F0B497347  # CRC-64/ECMA-182


@pytest.mark.parametrize("width,poly,bits", CASES)
def test_prim_crc(width, poly, bits):
    parameters = {"CrcWidth": width, "Poly": f"{width}'h{poly:x}", "DataWidth": bits}
    build_and_run("prim_crc", rtl("prim"), parameters, __name__)
