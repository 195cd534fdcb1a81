// SPDX-License-Identifier: Apache-2.0
//! Writes the vector files of `crates/wire/vectors/slink`, for other implementations to be checked
//! against. Run with `cargo run -p ropewalk-wire --example slink_vectors`; a test demands that
//! nothing changes.
//!
//! * `packets.txt`: headers, and the words of the lanes that their packets become. Byte `i` of the
//!   data is `7 i + i / 256`, modulo 256.

#[path = "common/files.rs"]
pub mod store;

use ropewalk_wire::line::stripe::collect;
use ropewalk_wire::line::{Character, Lanes};
use ropewalk_wire::slink::{Greeting, Header, Kind, Matter, Message, Notice, Packet, Request};
use std::fmt::Write as _;
use store::{Error, LICENCE};

#[allow(
    dead_code,
    reason = "the test that includes this file has its own entry"
)]
fn main() -> Result<(), Error> {
    store::write("slink", files()?)
}

/// Names and contents of all files.
pub fn files() -> Result<Vec<(&'static str, String)>, Error> {
    Ok(vec![("packets.txt", packets()?)])
}

/// Kind and words of 8 bytes; in CRC mode the longest have more than a block.
fn cases() -> Vec<(Request, Kind, bool, u32)> {
    let address = 0x1234_5678;
    let write = Kind::Request { address };
    let read = Kind::Data { address };
    let hello = |echo, greeting| {
        Kind::Notice(Notice::Hello {
            own: 0xabc,
            echo,
            greeting,
        })
    };
    let change = |message, number, line| {
        Kind::Notice(Notice::Change {
            own: 0xabc,
            echo: 0x123,
            message,
            matter: Matter { number, line },
        })
    };
    vec![
        (Request::Write, write, false, 1),
        (Request::Write, write, true, 1),
        (Request::Write, write, false, 9),
        (Request::Write, write, true, 256),
        (Request::Write, write, true, 257),
        (Request::Read, write, true, 65_536),
        (Request::Read, read, false, 2),
        (Request::Read, read, true, 13),
        (Request::Write, Kind::Done, true, 1),
        (Request::Write, Kind::Notice(Notice::Damaged), true, 1),
        (Request::Read, Kind::Notice(Notice::Window), true, 1),
        (Request::Write, hello(0, Greeting::First), true, 1),
        (Request::Write, hello(0x123, Greeting::Heard), true, 1),
        (Request::Write, hello(0xfff, Greeting::Up), true, 1),
        (Request::Write, change(Message::Ask, 1, 0b01001), true, 1),
        (Request::Write, change(Message::Refuse, 15, 63), true, 1),
    ]
}

fn packets() -> Result<String, Error> {
    let mut text = LICENCE.to_owned();
    text += "# lanes in use, header, characters in the order of sending; data are two digits, control characters K and two\n";
    for lanes in Lanes::ALL {
        for (at, (request, kind, crc, words)) in cases().into_iter().enumerate() {
            let header = Header {
                request,
                kind,
                crc,
                lanes,
                words,
                sequence: (at as u8 * 5) % 16,
            };
            let bytes = if header.has_data() { 8 * words } else { 0 };
            let data = (0..bytes).map(|i| (7 * i + i / 256) as u8).collect();
            write!(text, "{} {:016x} ", lanes.count(), header.to_bits())?;
            for word in (Packet { header, data }).words() {
                collect(&word, lanes).for_each(|character| text += &name(character));
            }
            text.push('\n');
        }
    }
    Ok(text)
}

fn name(character: Character) -> String {
    let mark = if character.is_control() { "K" } else { "" };
    format!("{mark}{:02x}", character.byte())
}
