// SPDX-License-Identifier: Apache-2.0
//! The longest list of files that a receiver takes, and what it costs. Alone in this program, which
//! is what its memory is measured of.

use ropewalk_chunk::transfer::attributes::Attributes;
use ropewalk_chunk::transfer::entries::Entries;
use ropewalk_chunk::transfer::manifest::{Entry, MOST_BYTES, MOST_ENTRIES, What, encode};
use ropewalk_io::measure::peak_memory;

#[test]
fn the_longest_list_is_taken_without_copies() {
    let mut list = Vec::with_capacity(MOST_BYTES as usize);
    let fixed = MOST_BYTES as usize / MOST_ENTRIES;
    let length = fixed - encode(&[entry(String::new())]).len();
    for number in 0..MOST_ENTRIES {
        list.extend(encode(&[entry(format!("{number:0length$}"))]));
    }
    assert_eq!(list.len() as u64, MOST_BYTES);
    let before = peak_memory().unwrap();
    let entries = Entries::decode(list).unwrap();
    let cost = peak_memory().unwrap() - before;
    assert_eq!(entries.len(), MOST_ENTRIES);
    // For each entry where it begins, and while it is checked a place in a table of names: 40 bytes
    // or so.
    let each = cost / MOST_ENTRIES as u64;
    println!("{each} bytes for each entry, beside {fixed} of the list");
    assert!(each < 60, "{each}");
}

fn entry(name: String) -> Entry {
    Entry {
        name: name.into(),
        what: What::File(1),
        mode: 0o644,
        time: (0, 0),
        attributes: Attributes::default(),
    }
}
