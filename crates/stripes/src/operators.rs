// SPDX-License-Identifier: Apache-2.0
//! Stages that only move streams, and those at their ends.
//!
//! All of them finish when their inputs have ended and all is passed on, and when nobody listens
//! any more.

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
        // Room is asked for when there is something to write, so that waiting for input does not
        // count as being blocked.
        if !self.input.is_empty() {
            let room = self.output.room().min(TURN);
            let mut made = self.input.drain(room).map(&mut self.make);
            self.output.extend(&mut made);
        }
        Ok(unless(self.input.is_finished() || self.output.is_closed()))
    }
}

/// Sends items to one output after the other; one that is full or closed is left out, so a slow one
/// delays no other.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::Edge;

    fn ports<T: Send + 'static>(capacity: usize) -> (Output<T>, Input<T>) {
        let edge = Edge::new(0, "e", capacity, None);
        (edge.output().unwrap(), edge.input().unwrap())
    }

    const NOW: Now = Now {
        time: std::time::Duration::ZERO,
        draining: false,
    };

    /// An output that is full or closed delays no other.
    #[test]
    fn round_robin_leaves_out_who_cannot_take() {
        let (mut feed, input) = ports(64);
        let (outputs, mut inputs): (Vec<_>, Vec<_>) = (0..3).map(|_| ports(4)).unzip();
        let mut robin = RoundRobin::new(input, outputs, 2);
        feed.extend(&mut (0..6));
        assert_eq!(robin.turn(NOW).unwrap(), Turn::Idle);
        let taken = |input: &mut Input<u32>| input.drain(9).collect::<Vec<_>>();
        assert_eq!(taken(&mut inputs[0]), [0, 1]);
        assert_eq!(taken(&mut inputs[1]), [2, 3]);
        // The third one is not emptied, then it is gone.
        feed.extend(&mut (6..18));
        robin.turn(NOW).unwrap();
        let (first, second) = (taken(&mut inputs[0]), taken(&mut inputs[1]));
        assert_eq!((first.len(), second.len(), inputs[2].len()), (4, 4, 4));
        inputs.pop();
        robin.turn(NOW).unwrap();
        assert_eq!(taken(&mut inputs[0]).len() + taken(&mut inputs[1]).len(), 2);
        inputs.clear();
        assert_eq!(robin.turn(NOW).unwrap(), Turn::Done);
    }
}
