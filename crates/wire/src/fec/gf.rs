// SPDX-License-Identifier: Apache-2.0
//! The field of 256 elements in which the code calculates: polynomials over one bit modulo
//! x^8 + x^4 + x^3 + x^2 + 1 (0x11d). Addition is exclusive or; 2 generates all elements but 0.

/// The polynomial of the field without its leading term.
const POLYNOMIAL: u8 = 0x1d;

/// Elements other than 0: the powers of 2 repeat with this period.
pub(crate) const ORDER: usize = 255;

/// `EXP[i]` = 2^i, over two periods so that a sum of two logarithms is an index.
static EXP: [u8; 2 * ORDER] = powers();

/// `LOG[2^i]` = i; `LOG[0]` has no meaning.
static LOG: [u8; 256] = logarithms();

const fn times_two(value: u8) -> u8 {
    (value << 1) ^ if value >> 7 == 1 { POLYNOMIAL } else { 0 }
}

const fn powers() -> [u8; 2 * ORDER] {
    let mut table = [0; 2 * ORDER];
    let mut value = 1;
    let mut i = 0;
    while i < table.len() {
        table[i] = value;
        value = times_two(value);
        i += 1;
    }
    table
}

const fn logarithms() -> [u8; 256] {
    let powers = powers();
    let mut table = [0; 256];
    let mut i = 0;
    while i < ORDER {
        table[powers[i] as usize] = i as u8;
        i += 1;
    }
    table
}

/// All elements in the order of Cantor's basis: number n is the sum of the elements b_i of the
/// basis for which n has bit i; b_0 = 1, and b_i is the smaller one of the two with b_i^2 + b_i =
/// b_(i - 1).
pub(crate) static POINTS: [u8; 256] = points();

const fn points() -> [u8; 256] {
    let mut table = [0; 256];
    let mut basis = 1;
    let mut count = 1;
    while count < table.len() {
        let mut i = 0;
        while i < count {
            table[count + i] = table[i] ^ basis;
            i += 1;
        }
        count *= 2;
        // Behind the last one there is no other.
        let (below, mut candidate) = (basis, 2);
        while count < table.len() && product(candidate, candidate) ^ candidate != below {
            candidate += 1;
        }
        basis = candidate;
    }
    table
}

/// a * b by the definition, shift and add, for tables.
pub(crate) const fn product(a: u8, b: u8) -> u8 {
    let mut shifted = a;
    let mut sum = 0;
    let mut bit = 0;
    while bit < 8 {
        if b >> bit & 1 == 1 {
            sum ^= shifted;
        }
        shifted = times_two(shifted);
        bit += 1;
    }
    sum
}

/// a * b.
pub(crate) fn times(a: u8, b: u8) -> u8 {
    if a == 0 || b == 0 {
        return 0;
    }
    EXP[usize::from(LOG[usize::from(a)]) + usize::from(LOG[usize::from(b)])]
}

/// a / b for b other than 0.
pub(crate) fn over(a: u8, b: u8) -> u8 {
    debug_assert_ne!(b, 0);
    if a == 0 {
        return 0;
    }
    EXP[usize::from(LOG[usize::from(a)]) + ORDER - usize::from(LOG[usize::from(b)])]
}

/// Value of a polynomial at `x`, its coefficients from the lowest degree up.
pub(crate) fn value(coefficients: &[u8], x: u8) -> u8 {
    coefficients.iter().rfold(0, |sum, &c| times(sum, x) ^ c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_follow_the_definition() {
        for a in 0..=255 {
            for b in 0..=255 {
                assert_eq!(times(a, b), product(a, b), "{a} * {b}");
                if b != 0 {
                    assert_eq!(times(over(a, b), b), a, "{a} / {b}");
                }
            }
        }
        assert!((1..ORDER).all(|n| EXP[n] != 1) && EXP[ORDER] == 1);
        assert_eq!(
            value(&[1, 2, 3], 5),
            1 ^ times(2, 5) ^ times(3, times(5, 5))
        );
    }

    #[test]
    fn points_are_all_elements_and_follow_the_basis() {
        let mut there = [false; 256];
        for point in POINTS {
            assert!(!std::mem::replace(&mut there[usize::from(point)], true));
        }
        for (n, &point) in POINTS.iter().enumerate() {
            assert_eq!(times(point, point) ^ point, POINTS[n / 2], "{n}");
        }
    }
}
