// SPDX-License-Identifier: Apache-2.0
//! Reed-Solomon forward error correction of lanes: the codes of 100G Ethernet and others over
//! GF(2^10).
//!
//! A codeword is a list of symbols of ten bits, the first one first on the line: `k` of message,
//! `n - k` of parity. It is a polynomial over the field, the first symbol the highest power, that
//! is a multiple of the generator polynomial with the roots x^0 to x^(n-k-1). The field polynomial
//! is x^10 + x^3 + 1, and bit i of a symbol is the coefficient of x^i. Up to
//! [`Code::correctable`] symbols that arrive wrong are corrected; of more, most are found out
//! ([`Code::miscorrection`]).
//!
//! [`Codec`] does what `cores/rsfec` does, and by other means: parity is calculated again for what
//! arrived, the remainder gives the syndromes, and the key equation is solved with division.

#[cfg(any(feature = "pcs", feature = "rifl"))]
pub(crate) mod bits;
mod correct;
mod field;

use alloc::vec;
use alloc::vec::Vec;
pub use correct::{Corrections, Uncorrectable};
use field::Field;
use thiserror::Error;

/// A symbol: ten bits.
pub type Symbol = u16;

/// Values of a symbol.
pub const VALUES: usize = 1 << field::WIDTH;

/// Most symbols of parity.
pub const MAX_PARITY: usize = 32;

/// A code that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "RS({n},{k}): accepted are 1 <= k < n <= {} with n - k even and at most {MAX_PARITY}",
    VALUES - 1
)]
pub struct CodeError {
    n: usize,
    k: usize,
}

/// Lengths of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    n: usize,
    k: usize,
}

impl Code {
    /// RS(528,514): 100GBASE-KR4, -CR4, -SR4, 25GBASE-R.
    pub const KR4: Code = Code { n: 528, k: 514 };
    /// RS(544,514): 100GBASE-KP4 and later.
    pub const KP4: Code = Code { n: 544, k: 514 };
    /// RS(272,258): as strong as RS(528,514) for each codeword, which is here in half the time.
    pub const LOW_LATENCY: Code = Code { n: 272, k: 258 };

    /// A code of other lengths.
    ///
    /// # Errors
    /// Lengths for which there is none.
    pub const fn new(n: usize, k: usize) -> Result<Self, CodeError> {
        if k < 1 || n <= k || n >= VALUES || !(n - k).is_multiple_of(2) || n - k > MAX_PARITY {
            return Err(CodeError { n, k });
        }
        Ok(Code { n, k })
    }

    /// Symbols of a codeword.
    #[must_use]
    pub const fn n(self) -> usize {
        self.n
    }

    /// Symbols of its message.
    #[must_use]
    pub const fn k(self) -> usize {
        self.k
    }

    /// Symbols of its parity.
    #[must_use]
    pub const fn parity(self) -> usize {
        self.n - self.k
    }

    /// Wrong symbols that are always corrected.
    #[must_use]
    pub const fn correctable(self) -> usize {
        self.parity() / 2
    }

    /// The probability that a codeword that was changed at random in more symbols than can be
    /// corrected is taken for another one: the share of all syndromes that few errors leave.
    #[must_use]
    pub fn miscorrection(self) -> f64 {
        let values = VALUES as f64;
        let (mut patterns, mut sum) = (1.0, 1.0);
        for errors in 1..=self.correctable() {
            patterns *= (self.n + 1 - errors) as f64 / errors as f64 * (values - 1.0);
            sum += patterns;
        }
        (0..self.parity()).fold(sum, |share, _| share / values)
    }
}

/// Parity, or what is left of a division: the highest power first, zeros behind.
type Remainder = [Symbol; MAX_PARITY];

/// Encoder and decoder of a code.
#[derive(Debug, Clone)]
pub struct Codec {
    code: Code,
    field: Field,
    /// By the symbol that leaves the register of division: what it leaves there.
    rows: Vec<Remainder>,
}

impl Codec {
    /// Tables for a code.
    #[must_use]
    pub fn new(code: Code) -> Self {
        let field = Field::new();
        let generator = generator(&field, code.parity());
        let mut rows = vec![[0; MAX_PARITY]; VALUES];
        for (value, row) in rows.iter_mut().enumerate() {
            for (symbol, &coefficient) in row.iter_mut().zip(&generator) {
                *symbol = field.mul(coefficient, value as Symbol);
            }
        }
        Codec { code, field, rows }
    }

    /// Its lengths.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code
    }

    /// The generator polynomial below its leading one, the highest power first.
    #[must_use]
    pub fn generator(&self) -> Vec<Symbol> {
        self.rows[1][..self.code.parity()].to_vec()
    }

    /// Puts the parity of a message behind it.
    ///
    /// # Panics
    /// A codeword of another length; a symbol of more than ten bits.
    pub fn encode(&self, codeword: &mut [Symbol]) {
        let (message, parity) = self.split(codeword);
        let remainder = self.divide(message);
        let place = codeword.len() - parity;
        codeword[place..].copy_from_slice(&remainder[..parity]);
    }

    /// Whether this is a codeword.
    ///
    /// # Panics
    /// As [`Codec::encode`].
    #[must_use]
    pub fn check(&self, codeword: &[Symbol]) -> bool {
        self.difference(codeword).iter().all(|&symbol| symbol == 0)
    }

    /// Corrects what arrived, and says what was wrong.
    ///
    /// # Errors
    /// More is wrong than can be corrected. Nothing is changed then.
    ///
    /// # Panics
    /// As [`Codec::encode`].
    pub fn correct(&self, codeword: &mut [Symbol]) -> Result<Corrections, Uncorrectable> {
        let difference = self.difference(codeword);
        if difference.iter().all(|&symbol| symbol == 0) {
            return Ok(Corrections::default());
        }
        let found = correct::find(&self.field, self.code, &difference[..self.code.parity()])?;
        for (place, error) in found.iter() {
            codeword[place] ^= error;
        }
        Ok(found)
    }

    fn split<'a>(&self, codeword: &'a [Symbol]) -> (&'a [Symbol], usize) {
        assert_eq!(codeword.len(), self.code.n, "symbols of a codeword");
        (&codeword[..self.code.k], self.code.parity())
    }

    /// Parity that arrived and parity of the message that arrived, added.
    fn difference(&self, codeword: &[Symbol]) -> Remainder {
        let (message, _) = self.split(codeword);
        let mut difference = self.divide(message);
        for (symbol, arrived) in difference.iter_mut().zip(&codeword[self.code.k..]) {
            *symbol ^= arrived;
        }
        difference
    }

    /// The remainder of a message times x^parity.
    fn divide(&self, message: &[Symbol]) -> Remainder {
        let mut register = [0; MAX_PARITY];
        for symbol in message {
            let row = &self.rows[usize::from(register[0] ^ symbol)];
            // Behind the parity are zeros, in the rows too.
            register.copy_within(1.., 0);
            register[MAX_PARITY - 1] = 0;
            for (sum, left) in register.iter_mut().zip(row) {
                *sum ^= left;
            }
        }
        register
    }
}

/// The product of (X + x^j) for j below `parity`, without the leading one, the highest power first.
fn generator(field: &Field, parity: usize) -> Vec<Symbol> {
    let mut product = vec![1];
    for j in 0..parity {
        let root = field.power(j);
        product.push(0);
        for i in (1..product.len()).rev() {
            product[i] ^= field.mul(product[i - 1], root);
        }
    }
    product.split_off(1)
}
