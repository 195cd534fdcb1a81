// SPDX-License-Identifier: Apache-2.0
//! Registers and fields as plain values, without a bus: an address to read, bits to take out of a
//! word.
//!
//! The maps themselves are made from `cores/*/regs/*.rdl` by `tools/regs.py`; [`crate::rifl::regs`]
//! is one.

use alloc::{borrow::ToOwned, format, string::String, vec, vec::Vec};

use thiserror::Error;

/// What software may do with a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Writing has no effect.
    ReadOnly,
    /// Reading gives zero.
    WriteOnly,
    /// Both.
    ReadWrite,
}

/// A value that a field cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{field}: {value} was given, accepted are 0 to {largest}")]
pub struct FieldError {
    /// Name of the field.
    pub field: &'static str,
    /// The value given.
    pub value: u64,
    /// The largest one that fits.
    pub largest: u64,
}

/// What a write does to a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    /// Nothing.
    Ignored,
    /// It keeps what is written.
    Kept,
    /// One acts; it reads as zero again.
    Acts,
    /// One clears the bit.
    Clears,
}

/// Some adjacent bits of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Name as in the description.
    pub name: &'static str,
    /// Lowest bit.
    pub low: u32,
    /// Number of bits, 1 to 64.
    pub width: u32,
    /// Value after reset; 0 where the hardware decides.
    pub reset: u64,
    /// What a write does.
    pub write: Write,
    /// Values that have a name.
    pub names: &'static [(u64, &'static str)],
}

impl Field {
    /// A field of `width` bits from bit `low` upwards, without names of values.
    pub const fn new(name: &'static str, low: u32, width: u32, reset: u64, write: Write) -> Self {
        assert!(width >= 1 && low + width <= 64);
        Self {
            name,
            low,
            width,
            reset,
            write,
            names: &[],
        }
    }

    /// The same field with names of values.
    pub const fn named(self, names: &'static [(u64, &'static str)]) -> Self {
        Self { names, ..self }
    }

    /// The name of a value.
    #[must_use]
    pub fn name_of(&self, value: u64) -> Option<&'static str> {
        let found = self.names.iter().find(|(number, _)| *number == value);
        found.map(|(_, name)| *name)
    }

    /// The largest value that fits.
    pub const fn largest(&self) -> u64 {
        u64::MAX >> (64 - self.width)
    }

    /// The bits of a register that belong to the field.
    pub const fn mask(&self) -> u64 {
        self.largest() << self.low
    }

    /// The field's value in a register's value.
    pub const fn get(&self, register: u64) -> u64 {
        (register >> self.low) & self.largest()
    }

    /// The field's value read as two's complement.
    pub const fn get_signed(&self, register: u64) -> i64 {
        let unused = 64 - self.width;
        ((self.get(register) << unused) as i64) >> unused
    }

    /// The register's value with this field replaced.
    pub const fn set(&self, register: u64, value: u64) -> Result<u64, FieldError> {
        if value > self.largest() {
            return Err(FieldError {
                field: self.name,
                value,
                largest: self.largest(),
            });
        }
        Ok((register & !self.mask()) | (value << self.low))
    }
}

/// An array that a register is in, or is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Array {
    /// Which part of the name has the index, from 0 on.
    pub part: usize,
    /// Elements.
    pub count: u32,
    /// Bytes from one to the next.
    pub stride: u32,
}

/// One register of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Register {
    /// Name with the names of the blocks it is in, joined by dots.
    pub name: &'static str,
    /// Byte address; in arrays that of the first element.
    pub offset: u32,
    /// Bits: 32 or 64. Of 64 bits the low word is at `offset` and the high word behind it.
    pub width: u32,
    /// What software may do.
    pub access: Access,
    /// Its fields, lowest first.
    pub fields: &'static [Field],
    /// The arrays, outer one first.
    pub arrays: &'static [Array],
}

impl Register {
    /// The same register in element `index` of its array of blocks, `stride` bytes apart.
    pub const fn element(&self, index: usize, stride: u32) -> Self {
        Self {
            offset: self.offset + index as u32 * stride,
            ..*self
        }
    }

    /// Reads all of it: of 64 bits first the low word, which holds the high one for the next read.
    ///
    /// # Errors
    /// What `read32`, which reads the word at a byte address, returns.
    pub fn read<E>(&self, mut read32: impl FnMut(u32) -> Result<u32, E>) -> Result<u64, E> {
        let low = u64::from(read32(self.offset)?);
        if self.width == 32 {
            return Ok(low);
        }
        Ok(low | u64::from(read32(self.offset + 4)?) << 32)
    }

    /// Every element of its arrays, in the order of the addresses, with a name such as
    /// `observe.lane[2].status`; without an array itself.
    #[must_use]
    pub fn elements(&self) -> Vec<(String, Register)> {
        let mut found = vec![(Vec::new(), self.offset)];
        for array in self.arrays {
            found = found
                .into_iter()
                .flat_map(|(indices, offset)| {
                    (0..array.count).map(move |index| {
                        let mut indices: Vec<u32> = indices.clone();
                        indices.push(index);
                        (indices, offset + index * array.stride)
                    })
                })
                .collect();
        }
        let name = |indices: &[u32]| {
            let parts = self.name.split('.').enumerate().map(|(part, text)| {
                let mut of_part = self.arrays.iter().zip(indices);
                match of_part.find(|(array, _)| array.part == part) {
                    Some((_, index)) => format!("{text}[{index}]"),
                    None => text.to_owned(),
                }
            });
            parts.collect::<Vec<_>>().join(".")
        };
        let element = |(indices, offset): (Vec<u32>, u32)| {
            let register = Self { offset, ..*self };
            (name(&indices), register)
        };
        found.into_iter().map(element).collect()
    }

    /// The value after reset.
    pub fn reset(&self) -> u64 {
        self.fields.iter().map(|f| f.reset << f.low).sum()
    }
}

/// All registers of a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Map {
    /// Name of the core.
    pub name: &'static str,
    /// Bytes that the map takes up.
    pub size: u32,
    /// Every register; in arrays the first element.
    pub registers: &'static [Register],
}

impl Map {
    /// The register of this name, with no index.
    #[must_use]
    pub fn register(&self, name: &str) -> Option<&'static Register> {
        self.registers.iter().find(|register| register.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIDDLE: Field = Field::new("middle", 8, 4, 0x5, Write::Kept).named(&[(3, "three")]);
    const WHOLE: Field = Field::new("whole", 0, 64, 0, Write::Ignored);

    #[test]
    fn fields_are_cut_out_and_put_in() {
        assert_eq!(MIDDLE.get(0xabcd), 0xb);
        assert_eq!(MIDDLE.set(0xabcd, 0x3), Ok(0xa3cd));
        assert_eq!(WHOLE.get(u64::MAX), u64::MAX);
        assert_eq!(WHOLE.set(1, u64::MAX), Ok(u64::MAX));
        let error = MIDDLE.set(0, 16).unwrap_err();
        assert_eq!(
            error.to_string(),
            "middle: 16 was given, accepted are 0 to 15"
        );
    }

    #[test]
    fn what_a_field_holds() {
        assert_eq!((MIDDLE.largest(), MIDDLE.mask()), (15, 0xf00));
        assert_eq!((WHOLE.largest(), WHOLE.mask()), (u64::MAX, u64::MAX));
        assert_eq!([3, 2].map(|it| MIDDLE.name_of(it)), [Some("three"), None]);
        // Its other bits are cleared first.
        assert_eq!(MIDDLE.set(0xfff, 0), Ok(0x0ff));
    }

    #[test]
    fn elements_of_arrays_have_names_and_places() {
        let register = Register {
            name: "observe.port.lane.count",
            offset: 0x10,
            width: 64,
            access: Access::ReadOnly,
            fields: &[WHOLE],
            arrays: &[
                Array {
                    part: 1,
                    count: 2,
                    stride: 0x100,
                },
                Array {
                    part: 2,
                    count: 2,
                    stride: 8,
                },
            ],
        };
        let found = register.elements();
        let found: Vec<_> = found.iter().map(|(n, r)| (n.as_str(), r.offset)).collect();
        let expected = [
            ("observe.port[0].lane[0].count", 0x10),
            ("observe.port[0].lane[1].count", 0x18),
            ("observe.port[1].lane[0].count", 0x110),
            ("observe.port[1].lane[1].count", 0x118),
        ];
        assert_eq!(found, expected);
        assert_eq!(
            (MIDDLE.name_of(3), MIDDLE.name_of(4)),
            (Some("three"), None)
        );
    }

    #[test]
    fn signed_fields_keep_their_sign() {
        assert_eq!(MIDDLE.get_signed(0x0700), 7);
        assert_eq!(MIDDLE.get_signed(0x0f00), -1);
        assert_eq!(MIDDLE.get_signed(0x0800), -8);
        assert_eq!(WHOLE.get_signed(u64::MAX), -1);
    }

    #[test]
    fn wide_registers_are_read_low_word_first() {
        let register = Register {
            name: "wide",
            offset: 0x10,
            width: 64,
            access: Access::ReadOnly,
            fields: &[WHOLE],
            arrays: &[],
        };
        let mut order = Vec::new();
        let value = register.element(2, 0x80).read(|address| {
            order.push(address);
            Ok::<u32, ()>(address)
        });
        assert_eq!(order, [0x110, 0x114]);
        assert_eq!(value, Ok(0x114_0000_0110));
        assert_eq!(register.read(|_| Err("bus")), Err("bus"));
    }
}
