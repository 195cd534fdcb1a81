// SPDX-License-Identifier: Apache-2.0
//! The network of switches: headers into the end of a link, topology files.

use crate::input::Input;
use ropewalk_wire::switch::header::HEADER;
use ropewalk_wire::switch::topology::file;
use ropewalk_wire::switch::{Body, CLASSES, Class, Event, Header, LinkEnd, Route, Settings, State};

/// Words of memory of each class.
const MEMORY: u16 = 96;

/// Headers into the end of a link. Input: steps of a byte of options (bit 0: the session ends, bit
/// 1: one begins, bit 2: what is stored leaves, bit 3: the epoch is made the own one, bit 4: a
/// packet is sent) and the 16 bytes of a header.
///
/// # Panics
/// More is stored than the memory holds, more is sent than the limits say, or a header says
/// something else when it is written again.
pub fn switch(bytes: &[u8]) {
    let mut input = Input(bytes);
    let mut end = LinkEnd::new(Settings {
        memory: [MEMORY; CLASSES],
        ..Settings::default()
    });
    let (mut stored, mut epoch, mut lost, mut sent, mut now) = ([0u16; CLASSES], 0, 0, 0, 0);
    while !input.is_empty() {
        let options = input.byte();
        now += u64::from(options) << 8;
        if options & 1 > 0 {
            end.link_down(now);
        }
        if options & 2 > 0 {
            end.link_up(now);
        }
        let bytes = input.array::<HEADER>();
        if let Ok(mut header) = Header::decode(&bytes) {
            assert_eq!(Header::decode(&header.encode()), Ok(header));
            if options & 8 > 0 {
                header.epoch = epoch;
            }
            let taken = end.receive(now, &header).is_ok();
            if let (true, Body::Data(route) | Body::Notice(route)) = (taken, header.body) {
                stored[route.class.number()] += u16::from(route.words);
            }
        }
        for (class, stored) in stored.iter_mut().enumerate() {
            assert!(
                *stored <= MEMORY,
                "{stored} words of class {class} are stored"
            );
            if options & 4 > 0 {
                end.release(class, std::mem::take(stored));
            }
        }
        let route = Route {
            class: Class::ANSWERS,
            mark: false,
            spread: false,
            words: 1 + options % 64,
            destination: 1,
            source: 0,
            flow: 0,
            hops: 15,
        };
        if options & 16 > 0 && end.send(route).is_some() {
            assert_eq!(end.state(), State::Open);
            sent += 1;
        }
        if let Some(header) = end.poll_transmit(now, options & 32 > 0)
            && let Body::Credits {
                hello: Some(own), ..
            } = header.body
        {
            epoch = own;
        }
        while let Some(event) = end.poll_event() {
            lost += u32::from(matches!(event, Event::Lost(_)));
        }
        assert!(lost <= sent, "{lost} of {sent} packets are lost");
    }
}

/// A link that opens and takes packets, and one that is reset.
#[must_use]
pub fn switch_seeds() -> Vec<Vec<u8>> {
    let route = Route {
        class: Class::ANSWERS,
        mark: false,
        spread: true,
        words: 18,
        destination: 0,
        source: 1,
        flow: 5,
        hops: 14,
    };
    let header = |body, epoch| Header {
        body,
        limits: [96; CLASSES],
        epoch,
        number: 0,
    };
    let hello = header(
        Body::Credits {
            hello: Some(3),
            received: None,
        },
        0,
    );
    let answer = Body::Credits {
        hello: None,
        received: Some(0),
    };
    let step = |options: u8, header: Header| [&[options][..], &header.encode()].concat();
    let open = [
        step(2, hello),
        step(8, header(answer, 1)),
        step(16, header(Body::Data(route), 1)),
        step(20, header(Body::Notice(route), 1)),
    ]
    .concat();
    let again = [&open[..], &step(3, hello), &open].concat();
    vec![open, again]
}

/// A topology file, or the name of a topology.
///
/// # Panics
/// A topology that was accepted has a node without a link, or its tables a ring.
pub fn topology(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(made) = file::parse(&text) else {
        return;
    };
    made.complete().expect("a topology that was accepted");
    // Large ones are right or wrong for the same reasons, and take longer.
    if made.nodes() <= 64
        && let Ok(tables) = ropewalk_wire::switch::Tables::new(&made)
    {
        tables.check(&made).expect("tables that were accepted");
    }
}

/// A file of each kind.
#[must_use]
pub fn topology_seeds() -> Vec<Vec<u8>> {
    let links = "nodes = 3\nswitches = 2\nports = 4\n[[link]]\na = \"n0\"\nb = \"s0.1\"\n\
         [[link]]\na = \"n1\"\nb = \"s0\"\n[[link]]\na = \"s0\"\nb = \"s1\"\ndelay = 60\n\
         ber = 1e-9\n[[link]]\na = \"s1.0\"\nb = \"n2\"\n";
    let levels = "nodes = 2\n[[switch]]\nports = 4\nlevel = 1\n[[link]]\na = \"n0\"\n\
         b = \"s0\"\n[[link]]\na = \"n1\"\nb = \"s0\"\n";
    let names = "topology = \"torus:4x4\"\ndelay = 30\n";
    [links, levels, names]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
}
