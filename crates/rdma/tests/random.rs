// SPDX-License-Identifier: Apache-2.0
//! Transfers of all kinds in any order, polled in any way, handles dropped: each ends once, memory
//! is what it says, and at the end nothing is in use. `SEED=n` repeats a run.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_rdma::software::Network;
use ropewalk_rdma::{Buffer, Class, Engine, Error, Options, Rights, Start, Transfer};
use std::sync::Arc;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(60);
/// Bytes of a place that one transfer writes to at a time.
const PLACE: u64 = 512;
const PLACES: u64 = 80;

enum Handle {
    Sent(Transfer),
    Read(Transfer<Buffer>),
}

struct Open {
    handle: Handle,
    place: u64,
    data: Vec<u8>,
}

#[test]
fn any_order() {
    let seed = std::env::var("SEED").ok().and_then(|it| it.parse().ok());
    let seed = seed.unwrap_or_else(|| {
        u64::from(std::process::id()) << 20
            ^ u64::from(
                std::time::UNIX_EPOCH
                    .elapsed()
                    .map_or(0, |it| it.subsec_nanos()),
            )
    });
    println!("SEED={seed}");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = move |limit: u64| random.next_u64() % limit;

    let network = Network::new(2, 1 << 20);
    let start = |node| Start {
        node,
        ..Start::default()
    };
    let here = Engine::start(network.node(0), &start(0), LONG).unwrap();
    let there = Engine::start(network.node(1), &start(1), LONG).unwrap();
    let far = there.open(0, LONG).unwrap();
    let far = far.window(PLACES * PLACE, Rights::BOTH).unwrap();
    let mut target = far.buffer(PLACES * PLACE, 64).unwrap();
    let page = here.open(0, LONG).unwrap();
    let near = page.window(1 << 18, Rights::BOTH).unwrap();

    let mut places: Vec<u64> = (0..PLACES).collect();
    let mut open: Vec<Open> = Vec::new();
    let (mut posted, mut ended, mut full) = (0, 0, 0);
    let mut left_alone = 0;
    while posted < 4000 || !open.is_empty() {
        if posted < 4000 && below(3) > 0 && !places.is_empty() {
            let place = places.swap_remove(below(places.len() as u64) as usize);
            let to = target.address(place * PLACE).unwrap();
            let options = Options {
                class: [Class::Small, Class::OnePath, Class::FourPaths][below(3) as usize],
                priority: below(4) as u8,
                ..Options::default()
            };
            let size = 1 + below(PLACE);
            let mut bytes =
                |size: u64| -> Vec<u8> { (0..size).map(|_| below(256) as u8).collect() };
            let (handle, data) = match (size + place) % 3 {
                0 => {
                    let data = bytes(1 + size % 32);
                    let options = Options {
                        class: Class::Small,
                        ..options
                    };
                    (page.inline(&data, to, &options).map(Handle::Sent), data)
                }
                1 => {
                    let data = bytes(size);
                    let mut source = near.buffer(size, 1).unwrap();
                    source.write(0, &data).unwrap();
                    let sent = page.write(&Arc::new(source), 0..size, to, &options);
                    (sent.map(Handle::Sent), data)
                }
                _ => {
                    let data = bytes(size);
                    target.write(place * PLACE, &data).unwrap();
                    let into = near.buffer(PLACE, 1).unwrap();
                    let read = page.read(to, size as u32, into, 0, &options);
                    (read.map(Handle::Read).map_err(Error::from), data)
                }
            };
            match handle {
                Ok(handle) => {
                    posted += 1;
                    open.push(Open {
                        handle,
                        place,
                        data,
                    });
                }
                Err(Error::Full(_)) => {
                    full += 1;
                    places.push(place);
                }
                Err(error) => panic!("{error}"),
            }
            continue;
        }
        if open.is_empty() {
            // All places belong to transfers that were left alone: they have ended when the page is
            // idle.
            while page.collect().unwrap() != 0 {}
        }
        let how = below(20);
        if how < 3 {
            page.collect().unwrap();
        }
        if open.is_empty() {
            continue;
        }
        let which = below(open.len() as u64) as usize;
        if how == 19 && left_alone < 8 {
            // Left alone; its place is not looked at any more.
            drop(open.swap_remove(which));
            left_alone += 1;
            ended += 1;
            continue;
        }
        let it = &mut open[which];
        let data = match &mut it.handle {
            Handle::Sent(transfer) => {
                let over = match how {
                    0..8 => transfer.take(),
                    8..16 => transfer.poll(),
                    _ => transfer.wait(LONG).map(Some),
                };
                over.unwrap().map(|()| {
                    let mut now = vec![0; it.data.len()];
                    target.read(it.place * PLACE, &mut now).unwrap();
                    now
                })
            }
            Handle::Read(transfer) => {
                let over = match how {
                    0..8 => transfer.take(),
                    8..16 => transfer.poll(),
                    _ => transfer.wait(LONG).map(Some),
                };
                over.unwrap()
                    .map(|buffer| buffer.to_vec()[..it.data.len()].to_vec())
            }
        };
        if let Some(data) = data {
            assert!(data == it.data, "place {}", it.place);
            places.push(open.swap_remove(which).place);
            ended += 1;
        }
    }
    println!("{posted} posted, {full} times no channel");
    assert_eq!(posted, ended);
    // What was left alone ends too: all channels and all memory come back.
    drop(page);
    let page = here.open(0, LONG).unwrap();
    let again = || page.inline(&[1], target.address(0).unwrap(), &Options::default());
    let all: Vec<_> = (0..64).map(|_| again().unwrap()).collect();
    page.wait_all(&all, LONG).unwrap();
    near.buffer(near.size(), 1).unwrap();
}
