// SPDX-License-Identifier: Apache-2.0
//! One module per subcommand.

mod addresses;
pub mod decode;
pub mod dry_run;
pub mod htsp;
pub mod key;
pub mod perf;
pub mod perf_plan;
pub mod recv;
pub mod registers;
pub mod send;
pub mod shell;
