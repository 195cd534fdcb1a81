// SPDX-License-Identifier: Apache-2.0
//! GF(2^10) with x^10 + x^3 + 1, by logarithms to the base x.

use super::{Symbol, VALUES};

/// Bits of an element.
pub(super) const WIDTH: u32 = 10;

/// What x^10 is: x^3 + 1.
const POLYNOMIAL: Symbol = 0b1001;

/// Powers of x before they return to 1.
pub(super) const ORDER: usize = VALUES - 1;

/// Tables of powers and logarithms.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// Twice over, so that a sum of two logarithms is an index.
    powers: [Symbol; 2 * ORDER],
    logs: [u16; VALUES],
}

impl Field {
    pub(super) fn new() -> Self {
        let mut powers = [0; 2 * ORDER];
        let mut logs = [0; VALUES];
        let mut element: Symbol = 1;
        for i in 0..ORDER {
            powers[i] = element;
            powers[i + ORDER] = element;
            logs[usize::from(element)] = i as u16;
            let top = element >> (WIDTH - 1);
            element = (element << 1) & (VALUES as Symbol - 1) ^ (top * POLYNOMIAL);
        }
        Field { powers, logs }
    }

    /// x to a power.
    pub(super) fn power(&self, exponent: usize) -> Symbol {
        self.powers[exponent % ORDER]
    }

    /// The same, of an exponent below [`ORDER`].
    pub(super) fn power_below(&self, exponent: usize) -> Symbol {
        self.powers[exponent]
    }

    /// The power of x that this is; of zero there is none.
    pub(super) fn log(&self, a: Symbol) -> Option<usize> {
        (a != 0).then(|| usize::from(self.logs[usize::from(a)]))
    }

    pub(super) fn mul(&self, a: Symbol, b: Symbol) -> Symbol {
        match (self.log(a), self.log(b)) {
            (Some(a), Some(b)) => self.powers[a + b],
            _ => 0,
        }
    }

    /// `b` is not zero.
    pub(super) fn div(&self, a: Symbol, b: Symbol) -> Symbol {
        let down = usize::from(self.logs[usize::from(b)]);
        self.log(a).map_or(0, |a| self.powers[a + ORDER - down])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Product of polynomials, then the field polynomial taken off from the top.
    fn long_product(a: Symbol, b: Symbol) -> Symbol {
        let mut product = (0..WIDTH).fold(0, |sum, i| {
            sum ^ (u32::from(a >> i & 1) * u32::from(b)) << i
        });
        for i in (WIDTH..2 * WIDTH).rev() {
            if product >> i & 1 == 1 {
                product ^= (1 << WIDTH | u32::from(POLYNOMIAL)) << (i - WIDTH);
            }
        }
        product as Symbol
    }

    #[test]
    fn products_are_those_of_polynomials() {
        let field = Field::new();
        for a in 0..VALUES as Symbol {
            for b in 0..VALUES as Symbol {
                let product = field.mul(a, b);
                assert_eq!(product, long_product(a, b), "{a} * {b}");
                if b != 0 {
                    assert_eq!(field.div(product, b), a);
                }
            }
        }
    }
}
