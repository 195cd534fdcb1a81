// SPDX-License-Identifier: Apache-2.0
//! What the tests of several crates share. It depends on none of them, so that all can use it.

mod digest;
mod events;
pub mod golden;
mod skip;

pub use digest::Digest;
pub use events::events;
pub use expect_test::expect_file;
pub use skip::{needs, skip};
