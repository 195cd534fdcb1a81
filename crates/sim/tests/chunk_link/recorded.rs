// SPDX-License-Identifier: Apache-2.0
//! What passes over a few of the random links, as it was when it was recorded: when each datagram
//! goes, its bytes, and what the ends have counted. Whoever changes it on purpose records it anew,
//! with `UPDATE_EXPECT=1`, and says why.

use super::random::one;
use ropewalk_sim::chunk::Passing;
use ropewalk_testkit::{Digest, expect_file};
use std::cell::RefCell;
use std::rc::Rc;

/// Links.
const LINKS: u64 = 100;

fn row(seed: u64) -> String {
    let digest = Rc::new(RefCell::new(Digest::default()));
    let of_filter = Rc::clone(&digest);
    let filter = move |passing: Passing<'_>| {
        let Passing {
            now,
            forth,
            lane,
            bytes,
        } = passing;
        let mut digest = of_filter.borrow_mut();
        digest.words(&[now.as_nanos() as u64, forth.into(), lane.into()]);
        digest.bytes(bytes);
        true
    };
    let link = one(seed, Box::new(filter));
    let mut digest = digest.borrow_mut();
    digest.seen(&link.delivered);
    digest.seen(&link.events);
    let (now, sender, receiver) = (link.now, link.sender.counters(), link.receiver.counters());
    format!("{seed} {digest} {now:?}\n  {sender:?}\n  {receiver:?}\n")
}

#[test]
fn what_passes_is_what_was_recorded() {
    let rows: String = (0..LINKS).map(row).collect();
    expect_file!["recorded.txt"].assert_eq(&rows);
}
