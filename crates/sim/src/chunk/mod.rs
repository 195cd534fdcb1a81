// SPDX-License-Identifier: Apache-2.0
//! End2End100 in virtual time: both ends of a pipeline, lanes of all kinds between them, and
//! figures of what comes of it.

mod figures;
mod link;
pub mod paper;

pub use figures::{Carried, Line};
pub use link::{Filter, Link, Passing, TAG, session};
