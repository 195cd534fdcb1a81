// SPDX-License-Identifier: Apache-2.0
//! Buffers that several hands hold: what the types of Rust promise elsewhere is checked.

use ropewalk_rdma::lent::{Lent, LentError, Posted};
use ropewalk_rdma::software::Network;
use ropewalk_rdma::{Engine, Error, Options, Page, Rights, Start};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(60);

/// Page 0 of both nodes of a network.
fn pages(network: &Network) -> [Page; 2] {
    [0, 1].map(|node| {
        let start = Start {
            node,
            ..Start::default()
        };
        let engine = Engine::start(network.node(node), &start, LONG).unwrap();
        engine.open(0, LONG).unwrap()
    })
}

fn buffer(page: &Page, bytes: u64) -> Lent {
    let window = page.window(bytes, Rights::new(true, true).unwrap());
    window.unwrap().buffer(bytes, 8).unwrap().into()
}

#[test]
fn a_buffer_is_lent_for_as_long_as_a_transfer_has_it() {
    let network = Network::new(2, 1 << 16);
    let [page, far] = pages(&network);
    let (mine, into, theirs) = (buffer(&page, 16), buffer(&page, 16), buffer(&far, 16));
    let (to, how) = (theirs.address(0).unwrap(), Options::default());
    mine.put(0, &[7; 16]).unwrap();
    network.hold(true);
    let write = Posted::write(&page, (&mine, 0), 16, to, &how).unwrap();
    assert_eq!(mine.put(0, &[1]), Err(LentError::Sent));
    assert_eq!(mine.get(0, 1), Ok(vec![7]));
    let refused = Posted::read(&page, to, 8, (&mine, 0), &how);
    assert_eq!(refused.err(), Some(LentError::Sent));
    let read = Posted::read(&page, to, 8, (&into, 0), &how).unwrap();
    assert_ne!(read.channel(), write.channel());
    assert_eq!(into.put(0, &[1]), Err(LentError::Filled));
    assert_eq!(into.get(0, 1), Err(LentError::Filled));
    assert_eq!(write.wait(Duration::ZERO), Ok(false));
    network.hold(false);
    for transfer in [&write, &read] {
        assert_eq!(transfer.wait(LONG), Ok(true));
        assert_eq!((transfer.poll(), transfer.take()), (Ok(true), Ok(true)));
    }
    assert_eq!(mine.put(0, &[1]), Ok(()));
    assert_eq!(theirs.get(0, 16), Ok(vec![7; 16]));
    assert_eq!(into.get(0, 8).map(|bytes| bytes.len()), Ok(8));
    let (count, size) = (17, 16);
    assert_eq!(into.get(0, 17), Err(LentError::Size { count, size }));
}

#[test]
fn what_is_refused_gives_the_buffer_back_and_what_fails_does_not() {
    let network = Network::new(2, 1 << 16);
    let [page, far] = pages(&network);
    let (into, theirs) = (buffer(&page, 16), buffer(&far, 16));
    let (from, how) = (theirs.address(0).unwrap(), Options::default());
    let refused = Posted::read(&page, from, 17, (&into, 0), &how);
    assert!(refused.is_err_and(|error| !error.is_end()));
    assert_eq!(into.get(0, 16), Ok(vec![0; 16]));
    drop(theirs);
    let read = Posted::read(&page, from, 16, (&into, 0), &how).unwrap();
    let failed = read.wait(LONG).unwrap_err();
    assert!(matches!(failed, LentError::Rdma(Error::Failed { .. })) && failed.is_end());
    assert_eq!(read.poll(), Err(failed));
    assert_eq!(into.get(0, 1), Err(LentError::Gone));
}
