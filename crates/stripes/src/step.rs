// SPDX-License-Identifier: Apache-2.0
//! A graph that is moved by hand, in time that is told: its stages without threads, the same each
//! time.

use std::time::Duration;

use crate::edge::take_moved;
use crate::graph::{Graph, GraphError, Node};
use crate::stage::{Now, Stage, StageError, Turn};

/// A graph without threads.
pub struct Stepping(Vec<Node>);

impl Stepping {
    /// Nothing of it has moved.
    ///
    /// # Errors
    /// The graph is not what it has to be.
    pub fn new(graph: Graph) -> Result<Self, GraphError> {
        graph.check()?;
        Ok(Stepping(graph.nodes))
    }

    /// Gives its stages turns at this time until none has more to do; says when one has, if nothing
    /// happens outside.
    ///
    /// # Errors
    /// A stage cannot go on.
    pub fn step(&mut self, time: Duration) -> Result<Option<Duration>, StageError> {
        let now = Now {
            time,
            draining: false,
        };
        loop {
            let (mut worked, mut until) = (false, None::<Duration>);
            let mut index = 0;
            while let Some(node) = self.0.get_mut(index) {
                let turn = node.stage.turn(now)?;
                worked |= take_moved() || matches!(turn, Turn::Worked | Turn::Done);
                if let Turn::Until(at) = turn {
                    until = Some(until.map_or(at, |until| until.min(at)));
                }
                if turn == Turn::Done {
                    self.0.remove(index);
                } else {
                    index += 1;
                }
            }
            if !worked && until.is_none_or(|until| until > time) {
                return Ok(until);
            }
        }
    }

    /// Whether all stages have ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.0.is_empty()
    }
}
