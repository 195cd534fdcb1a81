# SPDX-License-Identifier: Apache-2.0
"""Shorter ways through cocotb for what every test bench does in every cycle.

Most of the time of a simulation is Python, and most of that reading a signal, comparing it with a
number and writing one. cocotb makes objects and looks at types each time. Here the usual cases (a
signal of two states, a number that fits it) are done at once; everything else goes the way that
cocotb has for it, errors as well. Nothing that a test can see is different.

It needs COCOTB_TRUST_INERTIAL_WRITES=1, with which cocotb hands a write to the simulator instead of
keeping it until the simulator asks (build.py sets it).
"""

import functools
import gc
import logging
import os

from cocotb import _gpi_triggers, handle
from cocotb.triggers import ReadOnly
from cocotb.types import Logic, LogicArray, Range

DEPOSIT = handle._GPISetAction.DEPOSIT.value
STATES = {text: Logic(text) for text in "UX01ZWLH-"}
CODES = {number: Logic(number)._repr for number in (0, 1)}


def child(self, name, general=handle.HierarchyObject.__getattr__):
    """dut.name: found once, an attribute from then on."""
    found = general(self, name)
    self.__dict__[name] = found
    return found


def read_bit(self):
    """Of a signal of one bit."""
    return STATES[self._handle.get_signal_val_binstr()]


def bit_equals(self, other, general=Logic.__eq__):
    """Compares without making a bit of the number."""
    if isinstance(other, int):
        return self._repr == CODES.get(other)
    return general(self, other)


@functools.cache
def down_to_0(width):
    """Ranges are many and alike."""
    return Range(width - 1, "downto", 0)


def read_array(self):
    """Of a signal of several bits."""
    bits = LogicArray.__new__(LogicArray)
    text = self._handle.get_signal_val_binstr()
    bits._value_as_array = bits._value_as_int = None
    bits._value_as_str = text
    bits._range = down_to_0(len(text))
    bits._warn_indexing = False
    return bits


def number_of(self, general=LogicArray._get_int):
    """Of an array; that of one with other states than 0 and 1 is the general way's business."""
    if self._value_as_int is None:
        try:
            self._value_as_int = int(self._get_str(), 2)
        except ValueError:
            return general(self)
    return self._value_as_int


def to_unsigned(self, general=LogicArray.to_unsigned):
    """An array without a bit has no number."""
    return self._get_int() if self._range else general(self)


def may_write(signal):
    """Whether it is no constant, and signals may be written now."""
    return not (isinstance(_gpi_triggers._current_gpi_trigger, ReadOnly) or signal.is_const)


def write_bit(self, value, general=handle.LogicObject.value.fset):
    """To a signal of one bit."""
    if isinstance(value, int) and 0 <= value <= 1 and may_write(self):
        self._handle.set_signal_val_int(DEPOSIT, value)
    else:
        general(self, value)


def write_array(self, value, general=handle.LogicArrayObject.value.fset):
    """To a signal of several bits."""
    if isinstance(value, int) and 0 <= value <= self._max_val and may_write(self):
        width = self._width
        if width <= 32:
            self._handle.set_signal_val_int(DEPOSIT, value)
        else:
            self._handle.set_signal_val_binstr(DEPOSIT, f"{value:0{width}b}")
    else:
        general(self, value)


class Quiet(logging.getLoggerClass()):
    """A logger that, for a bus of the design, drops what is said of each access and each frame."""

    def __init__(self, name):
        super().__init__(name)
        if name.startswith("cocotb.") and name.count(".") > 1:
            self.setLevel(logging.WARNING)


def install():
    """Puts them in place, in the process of a simulation."""
    if not handle._trust_inertial:
        raise RuntimeError("COCOTB_TRUST_INERTIAL_WRITES is not set: build_and_run() does it")
    # What was imported stays; cycles of what comes and goes are rare.
    gc.freeze()
    gc.set_threshold(20_000)
    if not os.environ.get("TB_BUS_LOG"):
        logging.setLoggerClass(Quiet)
    handle.HierarchyObject.__getattr__ = child
    bit, array = handle.LogicObject, handle._LogicArrayObjectBase
    bit.get, array.get = read_bit, read_array
    bit.value = property(read_bit, write_bit)
    array.value = property(read_array, write_array)
    array._width = functools.cached_property(len)
    array._width.__set_name__(array, "_width")
    Logic.__eq__ = bit_equals
    LogicArray._get_int = number_of
    LogicArray.to_unsigned = LogicArray.__int__ = to_unsigned
