// SPDX-License-Identifier: Apache-2.0
//! What the commands of Ropewalk share, those of the product (`crates/ropewalk`) and those of the
//! laboratory (`crates/lab`).
//!
//! | module | what |
//! |---|---|
//! | [`units`] | values of arguments that several commands take |
//! | [`usage`] | what is wrong with the arguments, in one line |
//! | [`settings`] | TOML files whose keys are the long names of options |
//! | [`failure`] | why a command ended without a result, and its exit status |
//! | [`json`] | what `--json` prints |
//! | [`table`], [`mod@format`] | tables and numbers for people |
//! | [`output`] | output files that are whole or untouched |
//! | [`stop`] | an interruption that a command waits for; notes on standard error |

pub mod failure;
pub mod format;
pub mod json;
pub mod output;
pub mod settings;
pub mod stop;
pub mod table;
pub mod units;
pub mod usage;
