# SPDX-License-Identifier: Apache-2.0
"""The registers of HTSP."""

from pathlib import Path

from tb_common import registers

REGISTERS = registers.description(Path(__file__).resolve().parents[1] / "regs/htsp.rdl")


class Registers(registers.Registers):
    """The registers of one end."""

    def __init__(self, dut, prefix, clock, reset):
        super().__init__(REGISTERS, dut, prefix, clock, reset)
