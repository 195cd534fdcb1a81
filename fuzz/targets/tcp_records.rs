// SPDX-License-Identifier: Apache-2.0
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ropewalk_fuzz::run("tcp_records", bytes));
