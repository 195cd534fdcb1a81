// SPDX-License-Identifier: Apache-2.0
//! End2End100 in virtual time: both ends of a pipeline, lanes of all kinds between them, and figures of what comes of it.

mod figures;
mod link;

pub use figures::{Carried, Line, chunk_latency};
pub use link::{Filter, Link, Passing, TAG};
