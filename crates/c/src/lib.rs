// SPDX-License-Identifier: Apache-2.0
//! Ropewalk for programs in C: one library, `libropewalk`, and one header, `include/ropewalk.h`,
//! which cbindgen makes of these files. `README.md` says how to build, install and link it.
//!
//! | module | what |
//! |---|---|
//! | [`common`] | version, sizes, errors |
//! | [`chunk`] | files from host to host |
//! | [`htsp`] | ends of HTSP links |
//! | [`rdma`] | remote memory |
//!
//! What stands at a function here stands in the header: a C programmer reads it.

#![allow(non_camel_case_types)]

mod call;
pub mod chunk;
pub mod common;
pub mod htsp;
pub mod rdma;
