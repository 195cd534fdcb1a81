// SPDX-License-Identifier: Apache-2.0
//! Error correction: sub-packets of which anything was changed, blocks of which anything is missing
//! or was never sent.

use crate::input::Input;
use ropewalk_wire::fec::erasure::{Decoder, Encoder};
use ropewalk_wire::fec::rs::{Code, LINE, MAX_T, Path};

/// Changes any bytes of a sub-packet.
///
/// # Panics
/// Up to t changed bytes of a codeword are not mended; or more are, into something that is no
/// codeword, or what cannot be mended is touched; or two paths differ.
pub fn mend(bytes: &[u8]) {
    let mut input = Input(bytes);
    let t = 1 + usize::from(input.byte()) % MAX_T;
    let lines = 1 + usize::from(input.byte()) % 20;
    let Ok(code) = Code::new(t, lines) else {
        return;
    };
    let head_bytes = usize::from(input.byte()) % (LINE + 1);
    let fill = input.byte();
    let head: Vec<u8> = (0..head_bytes).map(|at| fill ^ at as u8).collect();
    let data: Vec<u8> = (0..code.data_len())
        .map(|at| fill.wrapping_mul(at as u8 | 1))
        .collect();
    let mut parity = vec![0; code.parity_len()];
    code.encode(&head, &data, &mut parity);
    let right = [head, data, parity];
    let mut changed = right.clone();
    while !input.is_empty() {
        let (place, with) = (usize::from(input.half()), input.byte());
        let (which, at) = (place % 3, place / 3);
        let length = changed[which].len();
        if length > 0 {
            changed[which][at % length] ^= with;
        }
    }
    // Changed bytes of each codeword: those of a column.
    let most = (0..LINE).map(|column| {
        let in_column = |(right, changed): (&Vec<u8>, &Vec<u8>)| {
            let pairs = right.iter().zip(changed).enumerate();
            pairs
                .filter(|(at, (a, b))| at % LINE == column && a != b)
                .count()
        };
        right.iter().zip(&changed).map(in_column).sum::<usize>()
    });
    let most = most.max().unwrap_or(0);
    let mut first = None;
    for path in Path::ALL.into_iter().filter(|path| path.available()) {
        let code = Code::with_path(t, lines, path).expect("the same code");
        let mut mended = changed.clone();
        let [head, data, parity] = &mut mended;
        let said = code.correct(head, data, parity);
        match said {
            Err(_) => assert!(most > t && mended == changed),
            Ok(_) if most <= t => assert!(mended == right, "not mended"),
            Ok(_) => assert!(code.check(&mended[0], &mended[1], &mended[2])),
        }
        let other = first.get_or_insert_with(|| (said, mended.clone()));
        assert_eq!(*other, (said, mended), "{path:?}");
    }
}

/// Takes any of a block, and what is none of it.
///
/// # Panics
/// What was honest is not restored as it was.
pub fn restore(bytes: &[u8]) {
    let mut input = Input(bytes);
    let (data, parity) = (u16::from(input.byte()) % 40, u16::from(input.byte()) % 20);
    let payload = usize::from(input.byte()) * 2;
    let Ok(mut decoder) = Decoder::new(data, parity, payload) else {
        return;
    };
    let mut encoder = Encoder::new(data, parity, payload).expect("as the decoder");
    while !input.is_empty() {
        let members = u16::from(input.byte());
        if decoder.begin(members).is_err() {
            continue;
        }
        let fill = input.byte();
        let sub =
            |index: u16| vec![fill ^ index as u8; payload - usize::from(index) % (payload / 2)];
        let whole: Vec<Vec<u8>> = (0..members).map(sub).collect();
        let mut code = vec![0; payload * usize::from(parity)];
        let encoded = encoder.encode(whole.iter().map(Vec::as_slice), &mut code);
        encoded.expect("a block");
        let mut honest = true;
        for _ in 0..input.byte() {
            let (what, index) = (input.byte(), u16::from(input.byte()));
            match what & 3 {
                0 | 1 => {
                    let bytes = whole.get(usize::from(index));
                    decoder.data(index, bytes.map_or(&[], Vec::as_slice));
                }
                2 => {
                    let at = usize::from(index) * payload;
                    decoder.parity(index, code.get(at..at + payload).unwrap_or(&[]));
                }
                _ => {
                    let bytes = vec![what; input.half().into()];
                    let taken = if what & 4 > 0 {
                        decoder.data(index, &bytes)
                    } else {
                        decoder.parity(index, &bytes)
                    };
                    honest &= !taken;
                }
            }
        }
        let mut came = Vec::new();
        let said = decoder.restore(|index, bytes| came.push((index, bytes.to_vec())));
        for (index, bytes) in &came {
            assert!(*index < members && bytes.len() == payload && said.is_ok());
            let right = &whole[usize::from(*index)];
            assert!(!honest || bytes.starts_with(right), "sub-packet {index}");
        }
    }
}

/// Nothing, little and much is changed or missing.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let count = |from: u8, to: u8| (from..to).collect::<Vec<_>>();
    vec![
        vec![7, 18, 12, 5],
        [&[7, 18, 12, 5][..], &count(0, 30)].concat(),
        [&[15, 3, 64, 9][..], &count(0, 200)].concat(),
        [&[20, 6, 32, 20, 1, 40][..], &count(0, 80)].concat(),
        [
            &[5, 5, 16, 5, 2, 7, 0, 0, 0, 1, 0, 2, 0, 3, 2, 1, 2, 2, 0, 0][..],
            &[0; 4],
        ]
        .concat(),
    ]
}
