// SPDX-License-Identifier: Apache-2.0
//! Stages connected by bounded streams, on threads as planned.
//!
//! A [`Stage`] has typed [`Input`]s and [`Output`]s and its own state, and knows nothing of its
//! neighbours or of threads. A [`Graph`] connects stages; a [`Placement`] says which of them share
//! a thread and which core it has. The same stages can so be arranged anew (operators in
//! [`operators`] move streams) without touching one of them.
//!
//! ```
//! use ropewalk_stripes::{Graph, Placement, Settings, operators::{Map, Sink, Source}};
//!
//! let mut graph = Graph::new("squares");
//! let (numbers, squares) = (graph.edge("numbers", 64), graph.edge("squares", 64));
//! graph.add("count", |ports| Source::new(ports.output(&numbers), 0..1000u64));
//! graph.add("square", |ports| Map::new(ports.input(&numbers), ports.output(&squares), |n| n * n));
//! let (sum, result) = std::sync::mpsc::channel();
//! graph.add("print", |ports| Sink::new(ports.input(&squares), move |n: u64| { let _ = sum.send(n); }));
//! let counts = graph.run(&Placement::Spread, Settings::default()).unwrap().join().unwrap();
//! assert_eq!(result.iter().sum::<u64>(), 332_833_500);
//! assert_eq!(counts.edge("squares").unwrap().popped, 1000);
//! ```
//!
//! * Streams are bounded and carry items once and in order ([`edge`]). What is full stops who fills
//!   it; nothing is dropped.
//! * A thread that has nothing to do spins for a while and then sleeps; its neighbours, [`Waker`]s,
//!   and the deadlines of its stages wake it. A stage may sleep in a socket instead ([`Sleeper`]).
//! * A stage that fails or panics stops the graph, and [`Running::join`] tells which one it was and
//!   why.
//! * Nothing is allocated while the graph runs, except by the stages themselves.
//! * What streams and stages do is counted, and read from outside while they do it ([`Observer`]).

mod bell;
pub mod edge;
pub mod flow;
mod graph;
mod marks;
pub mod measure;
pub mod meter;
pub mod operators;
mod placement;
mod ring;
mod run;
mod shared;
mod stage;
mod step;
mod sync;
mod thread;

pub use edge::{Edge, Input, Output, Refused};
pub use graph::{Graph, GraphError, Ports};
pub use meter::{Observer, Snapshot};
pub use placement::{Placement, Thread};
pub use run::{Cause, Failure, Running, Settings};
pub use shared::{Claim, Shared};
pub use stage::{Now, Sleeper, Stage, StageError, Turn, Waker};
pub use step::Stepping;
pub use thread::cores;
