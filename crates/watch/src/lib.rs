// SPDX-License-Identifier: Apache-2.0
//! A live page and an OpenMetrics endpoint for a link.
//!
//! A source (a simulation, the end of a link, registers) fills in a [`State`] now and then and
//! publishes it on a [`Board`]. A [`Server`] shows the board to browsers and to monitoring systems,
//! and puts the orders of the page ([`Order`]) on it, which the source takes. No type of these
//! knows which protocol the link speaks; [`rifl`] says in words what the state of a RIFL end means.
//!
//! ```
//! use std::sync::Arc;
//! use ropewalk_watch::{Board, Server, State};
//!
//! let board = Arc::new(Board::new(State::new("a link")));
//! let server = Server::start(([127, 0, 0, 1], 0).into(), Arc::clone(&board))?;
//! println!("http://{}/", server.address());
//! board.publish(State { up: true, ..State::new("a link") });
//! # Ok::<(), std::io::Error>(())
//! ```

mod board;
mod http;
mod interval;
mod metrics;
mod page;
pub mod rifl;
mod server;
mod state;
mod timeline;

pub use board::{Board, Refusal};
pub use interval::Interval;
pub use metrics::{CONTENT_TYPE, openmetrics};
pub use server::{MOST_CONNECTIONS, Server};
pub use state::{
    Channel, Control, Input, InputKind, Lane, LaneState, Order, Reason, State, TimeBase,
};
pub use timeline::{Event, Kind, MOST_EVENTS, Timeline};
