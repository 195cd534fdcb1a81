// SPDX-License-Identifier: Apache-2.0
//! The `ropewalk` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ropewalk::main(std::env::args_os())
}
