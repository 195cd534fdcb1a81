// SPDX-License-Identifier: Apache-2.0
//! Parity over sub-packets: every loss that it can make good, and no other.

mod common;

use common::{Random, bytes, random};
use ropewalk_wire::fec::erasure::{Decoder, Encoder, ErasureError, Layout, Place};

/// A block with its parity.
fn block(
    random: &mut Random,
    data: u16,
    parity: u16,
    payload: usize,
) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let block: Vec<_> = (0..data).map(|_| bytes(random, payload)).collect();
    let mut all = vec![0; usize::from(parity) * payload];
    let mut encoder = Encoder::new(data, parity, payload).unwrap();
    encoder
        .encode(block.iter().map(Vec::as_slice), &mut all)
        .unwrap();
    let parity = all.chunks_exact(payload).map(<[u8]>::to_vec).collect();
    (block, parity)
}

/// Feeds what is in `there`, a bit for each sub-packet and then for each of parity, and compares
/// what comes out.
fn arrive(
    decoder: &mut Decoder,
    block: &[Vec<u8>],
    parity: &[Vec<u8>],
    there: impl Fn(usize) -> bool,
) -> Result<u16, ErasureError> {
    decoder.begin(block.len() as u16).unwrap();
    let mut restored: Vec<_> = block.iter().map(|_| None).collect();
    for (index, sub_packet) in block.iter().enumerate() {
        if there(index) {
            assert!(decoder.data(index as u16, sub_packet));
            restored[index] = Some(sub_packet.clone());
        }
    }
    for (index, sub_packet) in parity.iter().enumerate() {
        if there(block.len() + index) {
            assert!(decoder.parity(index as u16, sub_packet));
        }
    }
    let lost = decoder.restore(|index, sub_packet| {
        let place = &mut restored[usize::from(index)];
        assert!(place.is_none(), "{index} was there");
        *place = Some(sub_packet.to_vec());
    })?;
    assert!(
        restored
            .iter()
            .zip(block)
            .all(|(a, b)| a.as_ref() == Some(b))
    );
    Ok(lost)
}

#[test]
fn every_loss_of_small_blocks() {
    let mut random = random();
    for data in 1..=6 {
        for parity in 1..=4 {
            let (block, recovery) = block(&mut random, data, parity, 64);
            let mut decoder = Decoder::new(data, parity, 64).unwrap();
            for there in 0_u32..1 << (data + parity) {
                let lost = arrive(&mut decoder, &block, &recovery, |i| there >> i & 1 == 1);
                let count = there.count_ones() as u16;
                let of_data = (there & ((1 << data) - 1)).count_ones() as u16;
                let expected = if count >= data {
                    Ok(data - of_data)
                } else {
                    let (there, needed) = (count, data);
                    Err(ErasureError::Missing { there, needed })
                };
                assert_eq!(lost, expected, "{data} + {parity}: {there:b}");
            }
        }
    }
}

#[test]
fn any_16_of_144() {
    let mut random = random();
    let (block, parity) = block(&mut random, 128, 16, 1216);
    let mut decoder = Decoder::new(128, 16, 1216).unwrap();
    for losses in [0, 1, 15, 16, 16, 16, 17] {
        let mut there = [true; 144];
        let mut left = losses;
        while left > 0 {
            let lost = &mut there[random.below(144) as usize];
            left -= usize::from(std::mem::take(lost));
        }
        let of_data = there[..128].iter().filter(|there| !**there).count() as u16;
        let result = arrive(&mut decoder, &block, &parity, |i| there[i]);
        if losses <= 16 {
            assert_eq!(result, Ok(of_data));
        } else {
            assert!(result.is_err());
        }
    }
}

/// One loss, a few, as many as are restored by equations, and more; with any of the parity, and in
/// blocks that are not full.
#[test]
fn few_and_many() {
    let mut random = random();
    let (data, parity) = (100, 40);
    let mut decoder = Decoder::new(data, parity, 128).unwrap();
    for members in [data, data - 1, 64, 41, 3] {
        let block: Vec<_> = (0..members).map(|_| bytes(&mut random, 128)).collect();
        let mut all = vec![0; usize::from(parity) * 128];
        let mut encoder = Encoder::new(data, parity, 128).unwrap();
        encoder
            .encode(block.iter().map(Vec::as_slice), &mut all)
            .unwrap();
        let recovery: Vec<_> = all.chunks_exact(128).map(<[u8]>::to_vec).collect();
        for lost in [0, 1, 2, 3, 16, 31, 32, 33, 40] {
            let lost = members.min(lost);
            // Of the sub-packets `lost` are lost, and of parity as many as may be.
            let mut there = vec![true; usize::from(members + parity)];
            let (first, second) = there.split_at_mut(members.into());
            for (part, count) in [(first, lost), (second, parity - lost)] {
                let mut left = count;
                while left > 0 {
                    let at = random.below(part.len() as u64) as usize;
                    left -= u16::from(std::mem::take(&mut part[at]));
                }
            }
            let restored = arrive(&mut decoder, &block, &recovery, |i| there[i]);
            assert_eq!(restored, Ok(lost), "{members}: {there:?}");
        }
    }
}

/// A burst of losses over a whole chunk: as long as promised at every place, and the last
/// sub-packet is not full.
#[test]
fn a_burst_anywhere_in_a_chunk() {
    let mut random = random();
    let (total, data, parity) = (50_u16, 8, 3);
    let layout = Layout::new(total, data, parity).unwrap();
    let payload = 64;
    let mut chunk: Vec<_> = (0..total).map(|_| bytes(&mut random, payload)).collect();
    chunk.last_mut().unwrap().truncate(10);
    let mut encoder = Encoder::new(data, parity, payload).unwrap();
    let parities: Vec<_> = (0..layout.blocks())
        .map(|block| {
            let mut bytes = vec![0; usize::from(parity) * payload];
            let members: Vec<_> = (0..layout.members(block))
                .map(|index| &chunk[usize::from(layout.number(Place { block, index }))][..])
                .collect();
            encoder.encode(members.into_iter(), &mut bytes).unwrap();
            bytes
        })
        .collect();
    let burst = layout.blocks() * parity;
    let mut decoder = Decoder::new(data, parity, payload).unwrap();
    for first in 0..total - burst {
        for block in 0..layout.blocks() {
            decoder.begin(layout.members(block)).unwrap();
            for index in 0..layout.members(block) {
                let number = layout.number(Place { block, index });
                if !(first..first + burst).contains(&number) {
                    assert!(decoder.data(index, &chunk[usize::from(number)]));
                }
            }
            for (index, sub_packet) in parities[usize::from(block)]
                .chunks_exact(payload)
                .enumerate()
            {
                assert!(decoder.parity(index as u16, sub_packet));
            }
            assert!(decoder.is_enough());
            let lost = decoder.restore(|index, sub_packet| {
                let sent = &chunk[usize::from(layout.number(Place { block, index }))];
                assert_eq!(&sub_packet[..sent.len()], sent);
                assert!(sub_packet[sent.len()..].iter().all(|&byte| byte == 0));
            });
            assert_eq!(lost, Ok(parity));
        }
    }
}

#[test]
fn every_sub_packet_has_one_place() {
    for total in [1, 2, 7, 8, 9, 128, 129, 13_800, u16::MAX] {
        for data in [1, 8, 128, 1024] {
            let layout = Layout::new(total, data, 16).unwrap();
            let mut members = vec![0; layout.blocks().into()];
            for number in 0..total {
                let place = layout.place(number).unwrap();
                assert!(place.index < layout.members(place.block) && place.index < data);
                assert_eq!(layout.number(place), number);
                members[usize::from(place.block)] += 1;
            }
            assert!(
                (0..layout.blocks())
                    .zip(members)
                    .all(|(block, count)| layout.members(block) == count)
            );
            assert_eq!(layout.place(total), None);
            for number in [0, 1, layout.parity() - 1] {
                let place = layout.parity_place(number).unwrap();
                assert!(place.index < 16 && place.block < layout.blocks());
                assert_eq!(layout.parity_number(place), number);
            }
            assert_eq!(layout.parity_place(layout.parity()), None);
        }
    }
}

#[test]
fn what_does_not_belong_is_refused() {
    let mut random = random();
    let (block, parity) = block(&mut random, 4, 2, 64);
    let mut decoder = Decoder::new(4, 2, 64).unwrap();
    decoder.begin(4).unwrap();
    assert!(decoder.data(1, &block[1]) && !decoder.data(1, &block[1]));
    assert!(decoder.parity(1, &parity[1]) && !decoder.parity(1, &parity[1]));
    assert!(!decoder.data(4, &block[0]) && !decoder.parity(2, &parity[0]));
    assert!(!decoder.data(0, &[0; 65]));
    assert!(!decoder.parity(0, &[0; 63]) && !decoder.parity(0, &[0; 65]));
    assert!(!decoder.is_enough());
    let (there, needed) = (2, 4);
    let told = decoder.restore(|_, _| unreachable!());
    assert_eq!(told, Err(ErasureError::Missing { there, needed }));
    assert!(decoder.data(0, &block[0]) && decoder.data(3, &block[3]));
    assert_eq!(
        decoder.restore(|index, bytes| assert!(index == 2 && bytes == block[2])),
        Ok(1)
    );
    assert!(decoder.data(1, &block[1]), "a new block");
    for members in [0, 5] {
        let (count, most) = (members.into(), 4);
        assert_eq!(
            decoder.begin(members),
            Err(ErasureError::Count { count, most })
        );
    }
    let mut encoder = Encoder::new(4, 2, 64).unwrap();
    let five = [&[0_u8; 64][..]; 5];
    for block in [&five[..], &[]] {
        let told = encoder.encode(block.iter().copied(), &mut [0; 128]);
        let (count, most) = (block.len(), 4);
        assert_eq!(told, Err(ErasureError::Count { count, most }));
    }
}

#[test]
fn ranges() {
    let told = |data, parity, payload| {
        let told = Encoder::new(data, parity, payload).err().unwrap();
        assert_eq!(Decoder::new(data, parity, payload).err(), Some(told));
        told.to_string()
    };
    for data in [0, 1025] {
        let text = format!("{data} sub-packets in a block: accepted are 1 to 1024");
        assert_eq!(told(data, 1, 64), text);
        assert_eq!(Layout::new(9, data, 1).unwrap_err().to_string(), text);
    }
    for parity in [0, 257] {
        let text = format!("{parity} sub-packets of parity in a block: accepted are 1 to 256");
        assert_eq!(told(1, parity, 64), text);
    }
    for payload in [0, 65] {
        let text = format!("sub-packets of {payload} bytes: accepted are multiples of 64 above 0");
        assert_eq!(told(1, 1, payload), text);
    }
    assert_eq!(Layout::new(0, 8, 1), Err(ErasureError::Empty));
    for (data, parity) in [(1, 1), (1, 256), (1024, 1), (1024, 256)] {
        assert!(Encoder::new(data, parity, 64).is_ok() && Decoder::new(data, parity, 64).is_ok());
    }
}
