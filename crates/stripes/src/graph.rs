// SPDX-License-Identifier: Apache-2.0
//! Stages and the streams between them, before they run.

use std::collections::HashSet;
use std::sync::Arc;

use crate::edge::{Edge, Input, Output, State};
use crate::placement::Placement;
use crate::run::{Running, Settings};
use crate::stage::Stage;

/// What is wrong with a graph or with its placement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// A name that says nothing.
    #[error("two stages are called {0}; accepted: a name of its own for each")]
    SameStage(String),
    /// A name that says nothing.
    #[error("two streams are called {0}; accepted: a name of its own for each")]
    SameEdge(String),
    /// Nobody writes it.
    #[error("nobody writes the stream {0}; accepted: one writer")]
    NoWriter(String),
    /// Nobody reads it.
    #[error("nobody reads the stream {0}; accepted: one reader")]
    NoReader(String),
    /// Two stages write it.
    #[error("a second stage, {stage}, writes the stream {edge}; accepted: one writer, or a join")]
    SecondWriter {
        /// The stream.
        edge: String,
        /// The second stage.
        stage: String,
    },
    /// Two stages read it.
    #[error("a second stage, {stage}, reads the stream {edge}; accepted: one reader, or a split")]
    SecondReader {
        /// The stream.
        edge: String,
        /// The second stage.
        stage: String,
    },
    /// The stream was made by another graph.
    #[error(
        "the stream {edge} of stage {stage} belongs to another graph; accepted: one of this graph"
    )]
    Foreign {
        /// The stream.
        edge: String,
        /// The stage.
        stage: String,
    },
    /// A placement names a stage that is not there.
    #[error("there is no stage {0} to be placed; accepted: names of stages of the graph")]
    NoSuchStage(String),
    /// A placement names a stage twice.
    #[error("stage {0} is placed twice; accepted: one thread for each stage")]
    PlacedTwice(String),
    /// A placement leaves a stage out.
    #[error("stage {0} has no thread; accepted: one thread for each stage")]
    NotPlaced(String),
    /// The graph is empty.
    #[error("there are no stages; accepted: one or more")]
    Empty,
}

pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) stage: Box<dyn Stage>,
    /// Streams that it reads and writes, as indices.
    pub(crate) reads: Vec<usize>,
    pub(crate) writes: Vec<usize>,
}

/// Stages and the streams between them, before they run.
#[derive(Default)]
pub struct Graph {
    name: String,
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Arc<State>>,
    faults: Vec<GraphError>,
}

/// What a stage can be connected to while it is made.
pub struct Ports<'a> {
    stage: &'a str,
    edges: &'a [Arc<State>],
    faults: &'a mut Vec<GraphError>,
    reads: Vec<usize>,
    writes: Vec<usize>,
}

impl Graph {
    /// No stages yet.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A new stream that holds `capacity` items, at least one.
    pub fn edge<T: Send + 'static>(&mut self, name: &str, capacity: usize) -> Edge<T> {
        self.make(name, capacity, None)
    }

    /// The same; `weigh` tells the bytes of an item, which are counted.
    pub fn weighed_edge<T: Send + 'static>(
        &mut self,
        name: &str,
        capacity: usize,
        weigh: fn(&T) -> u64,
    ) -> Edge<T> {
        self.make(name, capacity, Some(weigh))
    }

    fn make<T: Send + 'static>(
        &mut self,
        name: &str,
        capacity: usize,
        weigh: Option<fn(&T) -> u64>,
    ) -> Edge<T> {
        let edge = Edge::new(self.edges.len(), name, capacity, weigh);
        self.edges.push(Arc::clone(&edge.state));
        edge
    }

    /// Adds a stage; `make` connects it.
    pub fn add<S: Stage + 'static>(&mut self, name: &str, make: impl FnOnce(&mut Ports<'_>) -> S) {
        let mut ports = Ports {
            stage: name,
            edges: &self.edges,
            faults: &mut self.faults,
            reads: Vec::new(),
            writes: Vec::new(),
        };
        let stage = Box::new(make(&mut ports));
        let (reads, writes) = (ports.reads, ports.writes);
        self.nodes.push(Node {
            name: name.to_owned(),
            stage,
            reads,
            writes,
        });
    }

    /// Whether every stream has one writer and one reader, and every name one owner.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), GraphError> {
        if let Some(fault) = self.faults.first() {
            return Err(fault.clone());
        }
        if self.nodes.is_empty() {
            return Err(GraphError::Empty);
        }
        let mut names = HashSet::new();
        if let Some(node) = self.nodes.iter().find(|node| !names.insert(&node.name)) {
            return Err(GraphError::SameStage(node.name.clone()));
        }
        names.clear();
        for (index, edge) in self.edges.iter().enumerate() {
            if !names.insert(&edge.name) {
                return Err(GraphError::SameEdge(edge.name.clone()));
            }
            if !self.nodes.iter().any(|node| node.writes.contains(&index)) {
                return Err(GraphError::NoWriter(edge.name.clone()));
            }
            if !self.nodes.iter().any(|node| node.reads.contains(&index)) {
                return Err(GraphError::NoReader(edge.name.clone()));
            }
        }
        Ok(())
    }

    fn names(&self) -> Vec<&str> {
        self.nodes.iter().map(|node| node.name.as_str()).collect()
    }

    /// Starts the graph.
    ///
    /// # Errors
    /// The graph or the placement is not what it has to be; nothing was started then.
    pub fn run(self, placement: &Placement, settings: Settings) -> Result<Running, GraphError> {
        self.check()?;
        let threads = placement.resolve(&self.names())?;
        Ok(Running::start(self, threads, settings))
    }
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.nodes.iter().map(|node| &node.name).collect();
        f.debug_struct("Graph")
            .field("name", &self.name)
            .field("stages", &names)
            .field("edges", &self.edges)
            .finish()
    }
}

impl Ports<'_> {
    /// The end of a stream that the stage reads from. A stream that cannot be had is a fault of the
    /// graph, told when it is checked; the stage gets one that leads nowhere.
    pub fn input<T: Send + 'static>(&mut self, edge: &Edge<T>) -> Input<T> {
        if self.is_own(edge)
            && let Some(input) = edge.input()
        {
            self.reads.push(edge.index);
            return input;
        }
        self.fault(edge, |edge, stage| GraphError::SecondReader { edge, stage });
        nowhere().1
    }

    /// The end of a stream that the stage writes to; see [`Ports::input`].
    pub fn output<T: Send + 'static>(&mut self, edge: &Edge<T>) -> Output<T> {
        if self.is_own(edge)
            && let Some(output) = edge.output()
        {
            self.writes.push(edge.index);
            return output;
        }
        self.fault(edge, |edge, stage| GraphError::SecondWriter { edge, stage });
        nowhere().0
    }

    fn is_own<T>(&self, edge: &Edge<T>) -> bool {
        let own = self.edges.get(edge.index);
        own.is_some_and(|own| Arc::ptr_eq(own, &edge.state))
    }

    fn fault<T>(&mut self, edge: &Edge<T>, taken: fn(String, String) -> GraphError) {
        let (edge_name, stage) = (edge.state.name.clone(), self.stage.to_owned());
        self.faults.push(if self.is_own(edge) {
            taken(edge_name, stage)
        } else {
            GraphError::Foreign {
                edge: edge_name,
                stage,
            }
        });
    }
}

/// Two ends of a stream that belongs to no graph.
fn nowhere<T: Send + 'static>() -> (Output<T>, Input<T>) {
    let edge = Edge::new(usize::MAX, "", 1, None);
    match (edge.output(), edge.input()) {
        (Some(output), Some(input)) => (output, input),
        _ => unreachable!("both ends of a new stream are free"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operators::{Sink, Source};

    fn fault(build: impl FnOnce(&mut Graph)) -> GraphError {
        let mut graph = Graph::new("test");
        build(&mut graph);
        graph.check().unwrap_err()
    }

    #[test]
    fn faults_are_named() {
        let source = |graph: &mut Graph, name: &str, edge: &Edge<u32>| {
            graph.add(name, |ports| Source::new(ports.output(edge), 0..3));
        };
        let sink = |graph: &mut Graph, name: &str, edge: &Edge<u32>| {
            graph.add(name, |ports| Sink::new(ports.input(edge), |_| {}));
        };
        assert_eq!(fault(|_| ()), GraphError::Empty);
        let found = fault(|graph| {
            let edge = graph.edge("e", 1);
            source(graph, "a", &edge);
        });
        assert_eq!(found, GraphError::NoReader("e".into()));
        let found = fault(|graph| {
            let edge = graph.edge("e", 1);
            sink(graph, "b", &edge);
        });
        assert_eq!(found, GraphError::NoWriter("e".into()));
        let found = fault(|graph| {
            let edge = graph.edge("e", 1);
            source(graph, "a", &edge);
            source(graph, "c", &edge);
            sink(graph, "b", &edge);
        });
        let (edge, stage) = ("e".to_owned(), "c".to_owned());
        assert_eq!(found, GraphError::SecondWriter { edge, stage });
        let found = fault(|graph| {
            let edge = graph.edge("e", 1);
            source(graph, "a", &edge);
            sink(graph, "b", &edge);
            sink(graph, "c", &edge);
        });
        assert!(
            matches!(found, GraphError::SecondReader { stage, .. } if stage == "c"),
            "the reader"
        );
        let found = fault(|graph| {
            let edge = graph.edge("e", 1);
            source(graph, "a", &edge);
            sink(graph, "a", &edge);
        });
        assert_eq!(found, GraphError::SameStage("a".into()));
        let found = fault(|graph| {
            for name in ["a", "b"] {
                let edge = graph.edge("e", 1);
                source(graph, name, &edge);
                sink(graph, &format!("{name}2"), &edge);
            }
        });
        assert_eq!(found, GraphError::SameEdge("e".into()));
        let found = fault(|graph| {
            let edge = Graph::new("other").edge("e", 1);
            graph.edge::<u32>("f", 1);
            source(graph, "a", &edge);
        });
        assert!(found.to_string().contains("belongs to another graph"));
    }
}
