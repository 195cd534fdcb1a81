// SPDX-License-Identifier: Apache-2.0
//! Stages that only move streams, and those at their ends.
//!
//! All of them finish when their inputs have ended and all is passed on, and when nobody listens any more.

use std::iter;
use std::time::Duration;

use crate::edge::{Input, Output};
use crate::stage::{Now, Stage, StageError, Turn};

/// Most items that an operator moves in a turn.
const TURN: usize = 64;

/// Whether a port's stream goes on, as a turn.
fn unless(finished: bool) -> Turn {
    if finished { Turn::Done } else { Turn::Idle }
}

/// Writes what an iterator gives, as fast as it is taken, until it ends or the graph is drained.
#[derive(Debug)]
pub struct Source<T, I> {
    output: Output<T>,
    items: I,
}

impl<T, I: Iterator<Item = T>> Source<T, I> {
    /// From this iterator, which must not wait.
    pub fn new(output: Output<T>, items: impl IntoIterator<IntoIter = I>) -> Self {
        let items = items.into_iter();
        Self { output, items }
    }
}

impl<T: Send, I: Iterator<Item = T> + Send> Stage for Source<T, I> {
    fn turn(&mut self, now: Now) -> Result<Turn, StageError> {
        let room = self.output.room().min(TURN);
        let count = self.output.extend(&mut self.items.by_ref().take(room));
        Ok(unless(
            now.draining || count < room || self.output.is_closed(),
        ))
    }
}

/// Hands every item to a function.
#[derive(Debug)]
pub struct Sink<T, F> {
    input: Input<T>,
    take: F,
}

impl<T, F: FnMut(T)> Sink<T, F> {
    /// To this function.
    pub fn new(input: Input<T>, take: F) -> Self {
        Self { input, take }
    }
}

impl<T: Send, F: FnMut(T) + Send> Stage for Sink<T, F> {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        self.input.drain(TURN).for_each(&mut self.take);
        Ok(unless(self.input.is_finished()))
    }
}

/// Makes one item of each.
#[derive(Debug)]
pub struct Map<T, U, F> {
    input: Input<T>,
    output: Output<U>,
    make: F,
}

impl<T, U, F: FnMut(T) -> U> Map<T, U, F> {
    /// By this function.
    pub fn new(input: Input<T>, output: Output<U>, make: F) -> Self {
        Self {
            input,
            output,
            make,
        }
    }
}

impl<T: Send, U: Send, F: FnMut(T) -> U + Send> Stage for Map<T, U, F> {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        // Room is asked for when there is something to write, so that waiting for input does not count as being blocked.
        if !self.input.is_empty() {
            let room = self.output.room().min(TURN);
            let mut made = self.input.drain(room).map(&mut self.make);
            self.output.extend(&mut made);
        }
        Ok(unless(self.input.is_finished() || self.output.is_closed()))
    }
}

/// Sends each item to the output that its key names. An output that is full stops all.
#[derive(Debug)]
pub struct Split<T, F> {
    input: Input<T>,
    outputs: Vec<Output<T>>,
    key: F,
}

/// A key names an output that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("key {key} of an item; accepted: below {outputs}, the number of outputs")]
pub struct NoOutput {
    /// The key.
    pub key: usize,
    /// How many outputs there are.
    pub outputs: usize,
}

impl<T, F: FnMut(&T) -> usize> Split<T, F> {
    /// `key` gives the index of an output.
    pub fn new(input: Input<T>, outputs: Vec<Output<T>>, key: F) -> Self {
        Self {
            input,
            outputs,
            key,
        }
    }
}

impl<T: Send, F: FnMut(&T) -> usize + Send> Stage for Split<T, F> {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        for _ in 0..TURN {
            let Some(item) = self.input.peek() else { break };
            let key = (self.key)(item);
            let outputs = self.outputs.len();
            let Some(output) = self.outputs.get_mut(key) else {
                return Err(Box::new(NoOutput { key, outputs }));
            };
            if output.is_closed() {
                self.input.pop();
            } else if output.room() > 0 {
                output.extend(&mut self.input.drain(1));
            } else {
                break;
            }
        }
        let nobody = self.outputs.iter().all(Output::is_closed);
        Ok(unless(nobody || self.input.is_finished()))
    }
}

/// Sends items to one output after the other; one that is full or closed is left out, so a slow one delays no other.
#[derive(Debug)]
pub struct RoundRobin<T> {
    input: Input<T>,
    outputs: Vec<Output<T>>,
    run: usize,
    next: usize,
}

impl<T> RoundRobin<T> {
    /// `run` items, at least one, go to an output before it is the next one's turn.
    pub fn new(input: Input<T>, outputs: Vec<Output<T>>, run: usize) -> Self {
        Self {
            input,
            outputs,
            run: run.max(1),
            next: 0,
        }
    }
}

impl<T: Send> Stage for RoundRobin<T> {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        let mut passed_over = 0;
        let mut left = TURN;
        while passed_over < self.outputs.len() && left > 0 && !self.input.is_empty() {
            let output = &mut self.outputs[self.next];
            let most = if output.is_closed() { 0 } else { self.run };
            let room = if most > 0 { output.room().min(most) } else { 0 };
            let count = output.extend(&mut self.input.drain(room));
            passed_over = if count == 0 { passed_over + 1 } else { 0 };
            left = left.saturating_sub(count);
            self.next = (self.next + 1) % self.outputs.len();
        }
        let nobody = self.outputs.iter().all(Output::is_closed);
        Ok(unless(nobody || self.input.is_finished()))
    }
}

/// Makes one stream of several. Items of one input stay in order; inputs take turns.
#[derive(Debug)]
pub struct Join<T> {
    inputs: Vec<Input<T>>,
    output: Output<T>,
    next: usize,
}

impl<T> Join<T> {
    /// Of these streams.
    pub fn new(inputs: Vec<Input<T>>, output: Output<T>) -> Self {
        Self {
            inputs,
            output,
            next: 0,
        }
    }
}

impl<T: Send> Stage for Join<T> {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        let count = self.inputs.len();
        for step in 0..count {
            let input = &mut self.inputs[(self.next + step) % count];
            if input.is_empty() {
                continue;
            }
            let room = self.output.room();
            if room == 0 {
                // This one is the first to get room.
                self.next = (self.next + step) % count;
                break;
            }
            self.output.extend(&mut input.drain(room.min(TURN)));
        }
        let ended = self.inputs.iter_mut().all(Input::is_finished);
        Ok(unless(ended || self.output.is_closed()))
    }
}

/// Sends a copy of each item to every output that is open. One that is full stops all.
#[derive(Debug)]
pub struct Broadcast<T> {
    input: Input<T>,
    outputs: Vec<Output<T>>,
}

impl<T> Broadcast<T> {
    /// To all of these.
    pub fn new(input: Input<T>, outputs: Vec<Output<T>>) -> Self {
        Self { input, outputs }
    }
}

impl<T: Send + Clone> Stage for Broadcast<T> {
    fn turn(&mut self, _: Now) -> Result<Turn, StageError> {
        self.outputs.retain(|output| !output.is_closed());
        if !self.input.is_empty() {
            let room = self.outputs.iter_mut().map(Output::room).min();
            for item in self.input.drain(room.unwrap_or(0).min(TURN)) {
                if let Some((last, others)) = self.outputs.split_last_mut() {
                    for output in others {
                        output.extend(&mut iter::once(item.clone()));
                    }
                    last.extend(&mut iter::once(item));
                }
            }
        }
        Ok(unless(self.outputs.is_empty() || self.input.is_finished()))
    }
}

/// Up to `N` items together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group<T, const N: usize> {
    items: [Option<T>; N],
    count: usize,
}

impl<T, const N: usize> Group<T, N> {
    fn new() -> Self {
        Self {
            items: [const { None }; N],
            count: 0,
        }
    }

    /// How many there are: `N`, or less at the end of a wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl<T, const N: usize> IntoIterator for Group<T, N> {
    type Item = T;
    type IntoIter = std::iter::Flatten<std::array::IntoIter<Option<T>, N>>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter().flatten()
    }
}

/// Makes groups of `N` items. A group that is not full is passed on when its first item has waited long enough.
#[derive(Debug)]
pub struct Batch<T, const N: usize> {
    input: Input<T>,
    output: Output<Group<T, N>>,
    group: Group<T, N>,
    wait: Duration,
    /// When the group has to go.
    due: Duration,
}

impl<T, const N: usize> Batch<T, N> {
    /// `wait`: how long an item waits for others.
    pub fn new(input: Input<T>, output: Output<Group<T, N>>, wait: Duration) -> Self {
        Self {
            input,
            output,
            group: Group::new(),
            wait,
            due: Duration::ZERO,
        }
    }
}

impl<T: Send, const N: usize> Stage for Batch<T, N> {
    fn turn(&mut self, now: Now) -> Result<Turn, StageError> {
        for _ in 0..TURN {
            while self.group.count < N
                && let Some(item) = self.input.pop()
            {
                if self.group.is_empty() {
                    self.due = now.time.saturating_add(self.wait);
                }
                self.group.items[self.group.count] = Some(item);
                self.group.count += 1;
            }
            let ended = self.input.is_finished();
            let waited = ended || now.draining || now.time >= self.due;
            let goes = self.group.count == N || (!self.group.is_empty() && waited);
            if !goes {
                return Ok(if ended || self.output.is_closed() {
                    Turn::Done
                } else if self.group.is_empty() {
                    Turn::Idle
                } else {
                    Turn::Until(self.due)
                });
            }
            if self.output.room() == 0 {
                break;
            }
            let group = std::mem::replace(&mut self.group, Group::new());
            self.output.extend(&mut iter::once(group));
        }
        Ok(unless(self.output.is_closed()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::{Edge, Refused};

    fn ports<T: Send + 'static>(capacity: usize) -> (Output<T>, Input<T>) {
        let edge = Edge::new(0, "e", capacity, None);
        (edge.output().unwrap(), edge.input().unwrap())
    }

    fn at(ms: u64) -> Now {
        Now {
            time: Duration::from_millis(ms),
            draining: false,
        }
    }

    /// Full groups go at once, others when their first item has waited, and the last one at the end.
    #[test]
    fn groups_go_when_they_are_full_or_late() {
        let ((mut feed, input), (output, mut groups)) = (ports(64), ports::<Group<u32, 4>>(2));
        let mut batch = Batch::new(input, output, Duration::from_millis(10));
        let mut sizes = || -> Vec<usize> { groups.drain(9).map(|group| group.len()).collect() };
        assert_eq!(batch.turn(at(0)).unwrap(), Turn::Idle);
        feed.extend(&mut (0..5));
        let until = Turn::Until(Duration::from_millis(15));
        assert_eq!(batch.turn(at(5)).unwrap(), until);
        assert_eq!(sizes(), [4]);
        feed.extend(&mut (0..1));
        assert_eq!(batch.turn(at(14)).unwrap(), until);
        assert_eq!(sizes(), []);
        assert_eq!(batch.turn(at(15)).unwrap(), Turn::Idle);
        assert_eq!(sizes(), [2]);
        // No room for the third and the rest: nothing is lost.
        feed.extend(&mut (0..15));
        drop(feed);
        assert_eq!(batch.turn(at(16)).unwrap(), Turn::Idle);
        assert_eq!(sizes(), [4, 4]);
        assert_eq!(batch.turn(at(16)).unwrap(), Turn::Done);
        assert_eq!(sizes(), [4, 3]);
    }

    /// An output that is full or closed delays no other.
    #[test]
    fn round_robin_leaves_out_who_cannot_take() {
        let (mut feed, input) = ports(64);
        let (outputs, mut inputs): (Vec<_>, Vec<_>) = (0..3).map(|_| ports(4)).unzip();
        let mut robin = RoundRobin::new(input, outputs, 2);
        feed.extend(&mut (0..6));
        assert_eq!(robin.turn(at(0)).unwrap(), Turn::Idle);
        let taken = |input: &mut Input<u32>| input.drain(9).collect::<Vec<_>>();
        assert_eq!(taken(&mut inputs[0]), [0, 1]);
        assert_eq!(taken(&mut inputs[1]), [2, 3]);
        // The third one is not emptied, then it is gone.
        feed.extend(&mut (6..18));
        robin.turn(at(0)).unwrap();
        let (first, second) = (taken(&mut inputs[0]), taken(&mut inputs[1]));
        assert_eq!((first.len(), second.len(), inputs[2].len()), (4, 4, 4));
        inputs.pop();
        robin.turn(at(0)).unwrap();
        assert_eq!(taken(&mut inputs[0]).len() + taken(&mut inputs[1]).len(), 2);
        inputs.clear();
        assert_eq!(robin.turn(at(0)).unwrap(), Turn::Done);
    }

    /// Every input gets its turn, though one alone could fill the output.
    #[test]
    fn a_join_starves_nobody() {
        let (mut feeds, inputs): (Vec<_>, Vec<_>) = (0..3).map(|_| ports(64)).unzip();
        let (output, mut joined) = ports(2);
        let mut join = Join::new(inputs, output);
        let mut counts = [0; 3];
        for _ in 0..30 {
            for (number, feed) in feeds.iter_mut().enumerate() {
                while feed.push(number) != Err(Refused::Full(number)) {}
            }
            join.turn(at(0)).unwrap();
            joined.drain(9).for_each(|number| counts[number] += 1);
        }
        assert!(counts.iter().all(|&count| count >= 18), "{counts:?}");
    }
}
