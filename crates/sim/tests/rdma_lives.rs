// SPDX-License-Identifier: Apache-2.0
//! Every order of events in a read while the node that serves it is reset: a model of the rules of
//! `cores/rdma/README.md`, searched as a whole.
//!
//! One read: the request, its answer, data, the end. The network loses, doubles, delays and
//! exchanges: a packet may arrive at any time, any number of times, until its life is over. What
//! has no answer may be sent again at any time. The node that serves may be reset at any time, a
//! few times; it forgets everything, takes no packet until its reset is over, and then has another
//! epoch. Once the read is done, or its notification is there, its memory belongs to the user
//! again: whatever is written then is a stray write.

use std::collections::HashSet;

/// Steps of time that a packet is in the network at most.
const LIFE: u8 = 2;
/// The request is sent so often under one number more each time.
const TRIES: usize = 4;
/// Lives of the node that serves.
const LIVES: usize = 3;

/// When the end of a read counts.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    /// It is noted; the read is done when its request has been answered too.
    Noted,
    /// It is refused until the request has been answered, but its notification is written before
    /// the engine is asked.
    RefusedLate,
    /// It is refused until the request has been answered, and nothing is written for it.
    Refused,
}

/// How long each packet may still arrive; 0: not under way.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Network {
    request: [u8; TRIES],
    answer: [u8; TRIES],
    data: [u8; LIVES],
    data_answer: [u8; LIVES],
    end: [u8; LIVES],
}

impl Network {
    fn tick(&mut self) {
        let all = self.request.iter_mut().chain(&mut self.answer);
        let all = all.chain(&mut self.data).chain(&mut self.data_answer);
        for left in all.chain(&mut self.end) {
            *left = left.saturating_sub(1);
        }
    }
}

/// What the node that serves is doing for the read.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
enum Serves {
    #[default]
    Nothing,
    Data,
    End,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct State {
    network: Network,
    /// Of the node that asks: the last number of its request, and whether that was answered.
    tries: u8,
    answered: bool,
    over: bool,
    notified: bool,
    /// The newest life of the other node that it has heard of, and what is complete of that.
    known: u8,
    has_data: bool,
    has_end: bool,
    /// Of the node that serves: its life, how long its reset still lasts, the number under which
    /// the request is complete.
    life: u8,
    down: u8,
    complete: Option<u8>,
    serves: Serves,
    /// Something was written that belongs to the user again.
    stray: bool,
}

impl State {
    fn first() -> Self {
        let mut state = Self::default();
        state.network.request[0] = LIFE;
        state
    }

    fn done(&self) -> bool {
        self.answered && self.over
    }

    /// Bytes are written at the node that asks.
    fn write(&mut self) {
        self.stray |= self.done() || self.notified;
    }

    /// A packet of a life of the other node arrives: whether it is late, and what a new life
    /// forgets.
    fn hears(&mut self, life: usize) -> bool {
        if life > usize::from(self.known) {
            self.known = life as u8;
            self.has_data = false;
            self.has_end = false;
        }
        life == usize::from(self.known)
    }

    fn request_arrives(&mut self, number: usize) {
        if self.down > 0 || self.complete.is_some_and(|at| number < usize::from(at)) {
            return;
        }
        if self.complete.is_none() {
            self.serves = Serves::Data;
        }
        self.complete = Some(number as u8);
        self.network.answer[number] = LIFE;
    }

    fn data_arrive(&mut self, life: usize) {
        if !self.hears(life) {
            return;
        }
        if !self.has_data {
            self.write();
            self.has_data = true;
        }
        self.network.data_answer[life] = LIFE;
    }

    fn end_arrives(&mut self, life: usize, rule: Rule) {
        // It is sent when all data are acknowledged.
        if !self.hears(life) || self.has_end {
            return;
        }
        if self.done() {
            self.has_end = true;
            return;
        }
        let taken = rule == Rule::Noted || self.answered;
        if taken || rule == Rule::RefusedLate {
            self.write();
            self.notified = true;
        }
        self.over |= taken;
        self.has_end = taken;
    }

    /// All states that may follow.
    fn next(&self, rule: Rule, reset: u8) -> Vec<Self> {
        let mut all = Vec::new();
        let mut may = |change: &dyn Fn(&mut Self)| {
            let mut state = *self;
            change(&mut state);
            all.push(state);
        };
        may(&|s| {
            s.network.tick();
            s.down = s.down.saturating_sub(1);
        });
        if !self.answered && usize::from(self.tries) + 1 < TRIES {
            may(&|s| {
                s.tries += 1;
                s.network.request[usize::from(s.tries)] = LIFE;
            });
        }
        if self.down == 0 {
            match self.serves {
                Serves::Nothing => (),
                Serves::Data => may(&|s| s.network.data[usize::from(s.life)] = LIFE),
                Serves::End => may(&|s| s.network.end[usize::from(s.life)] = LIFE),
            }
            if usize::from(self.life) + 1 < LIVES {
                may(&|s| {
                    s.life += 1;
                    s.down = reset;
                    s.complete = None;
                    s.serves = Serves::Nothing;
                });
            }
        }
        let at = |packets: &[u8], n: usize| packets[n] > 0;
        for n in 0..TRIES {
            if at(&self.network.request, n) {
                may(&|s| s.request_arrives(n));
            }
            if at(&self.network.answer, n) && usize::from(self.tries) == n {
                may(&|s| s.answered = true);
            }
        }
        for life in 0..LIVES {
            if at(&self.network.data, life) {
                may(&|s| s.data_arrive(life));
            }
            let asked = self.down == 0 && usize::from(self.life) == life;
            if at(&self.network.data_answer, life) && asked && self.serves == Serves::Data {
                may(&|s| s.serves = Serves::End);
            }
            if at(&self.network.end, life) {
                may(&|s| s.end_arrives(life, rule));
            }
        }
        all
    }
}

/// All states that can be reached with resets of such a length: how many, whether there is a stray
/// write among them, and whether the read is ever done.
fn search(rule: Rule, reset: u8) -> (usize, bool, bool) {
    let mut seen = HashSet::from([State::first()]);
    let mut todo = vec![State::first()];
    let mut done = false;
    while let Some(state) = todo.pop() {
        done |= state.done();
        if state.stray {
            return (seen.len(), true, done);
        }
        for next in state.next(rule, reset) {
            if seen.insert(next) {
                todo.push(next);
            }
        }
    }
    (seen.len(), false, done)
}

#[test]
fn nothing_is_written_after_a_read_is_over() {
    let (states, stray, done) = search(Rule::Refused, 2 * LIFE);
    println!("{states} states");
    assert!(done && !stray);
}

/// The model finds what the rule is for, however long a reset is; and that a notification counts as
/// an end for its user.
#[test]
fn an_end_that_is_noted_early_is_found() {
    for reset in [2 * LIFE, 4 * LIFE] {
        assert!(search(Rule::Noted, reset).1);
        assert!(search(Rule::RefusedLate, reset).1);
    }
}

/// A reset has to outlast what is in the network.
#[test]
fn a_short_reset_is_found() {
    for reset in 0..LIFE {
        assert!(search(Rule::Refused, reset).1);
    }
}
