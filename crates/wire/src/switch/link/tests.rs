// SPDX-License-Identifier: Apache-2.0
//! Two ends and a line between them, which is cut in every place.

use super::*;
use crate::switch::header::Class;
use alloc::vec::Vec;
use proptest::prelude::*;

fn route(flow: u16, class: u8, words: u8) -> Route {
    Route {
        class: Class::new(class).unwrap(),
        mark: false,
        spread: false,
        words,
        destination: 1,
        source: 0,
        flow,
        hops: 15,
    }
}

/// Two ends and the line from each to the other one.
struct Pair {
    ends: [LinkEnd; 2],
    lines: [VecDeque<Header>; 2],
    arrived: [Vec<u16>; 2],
    lost: [Vec<u16>; 2],
    stored: [VecDeque<(usize, u8)>; 2],
    up: [bool; 2],
    now: u64,
}

impl Pair {
    fn new(settings: Settings) -> Self {
        Pair {
            ends: [(); 2].map(|()| LinkEnd::new(settings)),
            lines: Default::default(),
            arrived: Default::default(),
            lost: Default::default(),
            stored: Default::default(),
            up: [false; 2],
            now: 0,
        }
    }

    fn up(&mut self, end: usize) {
        self.ends[end].link_up(self.now);
        self.up[end] = true;
    }

    /// Both ends of a session see its end, and what is on the line is lost.
    fn down(&mut self) {
        for end in 0..2 {
            self.ends[end].link_down(self.now);
            self.lines[end].clear();
        }
        self.up = [false; 2];
        self.events();
    }

    fn events(&mut self) {
        for (end, lost) in self.ends.iter_mut().zip(&mut self.lost) {
            while let Some(event) = end.poll_event() {
                if let Event::Lost(route) = event {
                    lost.push(route.flow);
                }
            }
        }
    }

    /// A header from `end` arrives at the other end.
    fn step(&mut self, end: usize) {
        self.now += 1;
        if let Some(header) = self.ends[end].poll_transmit(self.now, true) {
            self.lines[end].push_back(header);
        }
        if self.up[1 - end]
            && let Some(header) = self.lines[end].pop_front()
        {
            self.ends[1 - end].receive(self.now, &header).unwrap();
            if let Body::Data(route) = header.body {
                self.arrived[1 - end].push(route.flow);
                self.stored[1 - end].push_back((route.class.number(), route.words));
            }
        }
        self.events();
    }

    fn settle(&mut self) {
        for _ in 0..40 {
            self.step(0);
            self.step(1);
        }
    }
}

#[test]
fn a_link_opens_whoever_is_first() {
    for first in 0..2 {
        let mut pair = Pair::new(Settings::default());
        pair.up(first);
        for _ in 0..3 {
            pair.step(first);
        }
        assert_eq!(pair.ends[first].state(), State::Hello);
        assert!(!pair.ends[first].can_send(1, 1));
        assert_eq!(pair.ends[first].send(route(0, 1, 1)), None);
        pair.up(1 - first);
        pair.settle();
        for end in &pair.ends {
            assert_eq!(end.state(), State::Open);
            assert!(end.can_send(3, 64));
        }
    }
}

#[test]
fn limits_of_a_former_session_are_not_used() {
    let own = |header: Header| match header.body {
        Body::Credits { hello, .. } => hello.unwrap(),
        _ => panic!("{header:?} is no hello"),
    };
    let mut end = LinkEnd::new(Settings::default());
    end.link_up(0);
    let first = end.poll_transmit(0, true).unwrap();
    end.link_down(1);
    end.link_up(2);
    let answer = Header {
        body: Body::Credits {
            hello: None,
            received: None,
        },
        limits: [100; CLASSES],
        epoch: own(first),
        number: 0,
    };
    end.receive(2, &answer).unwrap();
    assert_eq!(end.state(), State::Hello);
    let epoch = own(end.poll_transmit(2, true).unwrap());
    assert_ne!(epoch, own(first));
    end.receive(2, &Header { epoch, ..answer }).unwrap();
    assert_eq!(end.state(), State::Open);
    assert!(end.can_send(0, 64) && !end.can_send(0, 101));
}

/// The peer alone was reset: the end that was open begins again and tells what was lost.
#[test]
fn a_peer_that_was_reset_is_followed() {
    let mut pair = Pair::new(Settings::default());
    pair.up(0);
    pair.up(1);
    pair.settle();
    for flow in 0..3 {
        let header = pair.ends[0].send(route(flow, 2, 9)).unwrap();
        pair.lines[0].push_back(header);
    }
    pair.step(0);
    pair.step(1);
    pair.lines[0].clear();
    pair.lines[1].clear();
    pair.ends[1] = LinkEnd::new(Settings::default());
    pair.ends[1].link_up(pair.now);
    pair.settle();
    assert_eq!(pair.lost[0], [1, 2]);
    assert!(pair.ends.iter().all(|end| end.state() == State::Open));
    let header = pair.ends[0].send(route(3, 1, 64)).unwrap();
    pair.lines[0].push_back(header);
    pair.settle();
    assert_eq!(pair.arrived[1], [0, 3]);
}

#[test]
fn a_hello_is_repeated_until_it_is_answered() {
    let settings = Settings::default();
    let mut end = LinkEnd::new(settings);
    end.link_up(5);
    assert!(end.poll_transmit(5, true).is_some());
    assert!(end.poll_transmit(6, true).is_none());
    let again = end.next_timeout().unwrap();
    assert_eq!(again, 5 + settings.hello_cycles);
    assert!(end.poll_transmit(again, true).is_some());
}

#[test]
fn a_link_that_does_not_return_has_lost_what_was_not_counted() {
    let mut pair = Pair::new(Settings::default());
    pair.up(0);
    pair.up(1);
    pair.settle();
    for flow in 0..3 {
        let header = pair.ends[0].send(route(flow, 2, 9)).unwrap();
        pair.lines[0].push_back(header);
    }
    pair.step(0);
    pair.step(1);
    pair.down();
    assert!(pair.lost[0].is_empty());
    let at = pair.ends[0].next_timeout().unwrap();
    assert_eq!(pair.ends[0].poll_transmit(at, true), None);
    pair.events();
    assert_eq!(pair.lost[0], [1, 2]);
    assert_eq!(pair.ends[0].next_timeout(), None);
}

#[test]
fn a_peer_that_breaks_the_rules_is_refused() {
    let mut pair = Pair::new(Settings {
        memory: [64; CLASSES],
        ..Settings::default()
    });
    pair.up(0);
    pair.up(1);
    pair.settle();
    let header = pair.ends[0].send(route(0, 1, 60)).unwrap();
    pair.ends[1].receive(0, &header).unwrap();
    let refused = pair.ends[1].receive(0, &header).unwrap_err();
    assert_eq!(
        refused,
        Refused::Overrun {
            class: 1,
            words: 60
        }
    );
    let mut credits = pair.ends[1].poll_transmit(pair.now, true).unwrap();
    credits.body = Body::Credits {
        hello: None,
        received: Some(7),
    };
    // What was never sent cannot be received.
    pair.ends[0].receive(0, &credits).unwrap();
    assert_eq!(pair.ends[0].sent.len(), 1);
    pair.ends[1].link_down(0);
    assert_eq!(pair.ends[1].receive(0, &credits), Err(Refused::Down));
    pair.ends[1].link_up(0);
    assert_eq!(pair.ends[1].receive(0, &header), Err(Refused::NoHello));
}

proptest! {
    /// Cut anywhere, as often as it likes: each packet arrives once and in order, or is reported
    /// as lost, and never both.
    #[test]
    fn each_packet_arrives_or_is_reported(
        steps in prop::collection::vec((0u8..16, 0u8..4, 1u8..=64), 1..600),
    ) {
        let mut pair = Pair::new(Settings { dead_cycles: u64::MAX, ..Settings::default() });
        pair.up(0);
        pair.up(1);
        let mut sent = 0;
        for (what, class, words) in steps {
            match what {
                0..=5 => if let Some(header) = pair.ends[0].send(route(sent, class, words)) {
                    pair.lines[0].push_back(header);
                    sent += 1;
                },
                6..=10 => pair.step(0),
                11..=13 => pair.step(1),
                14 => if let Some((class, words)) = pair.stored[1].pop_front() {
                    pair.ends[1].release(class, words.into());
                },
                _ => {
                    pair.down();
                    let first = usize::from(words % 2);
                    pair.up(first);
                    for _ in 0..words % 5 {
                        pair.step(first);
                    }
                    pair.up(1 - first);
                }
            }
        }
        for _ in 0..10 {
            while let Some((class, words)) = pair.stored[1].pop_front() {
                pair.ends[1].release(class, words.into());
            }
            pair.settle();
        }
        let arrived = &pair.arrived[1];
        prop_assert!(arrived.is_sorted_by(|a, b| a < b));
        let mut all: Vec<u16> = arrived.iter().chain(&pair.lost[0]).copied().collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..sent).collect::<Vec<_>>());
        // All the memory may be used again.
        prop_assert!((0..CLASSES).all(|class| pair.ends[0].can_send(class, 64)));
    }
}
