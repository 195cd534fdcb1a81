// SPDX-License-Identifier: Apache-2.0
//! The examples do what they say: each compares what arrives.

#[path = "../examples/files.rs"]
mod files;
#[path = "../examples/memory.rs"]
mod memory;

#[test]
fn a_file_arrives() {
    files::main().expect("a file");
}

#[test]
fn pieces_of_memory_arrive() {
    memory::main().expect("memory");
}
