// SPDX-License-Identifier: Apache-2.0
//! Ropewalk for programs in C.
//!
//! | module | header | what |
//! |---|---|---|
//! | [`htsp`] | `include/ropewalk_htsp.h` | ends of HTSP links |
//! | [`rdma`] | `include/ropewalk_rdma.h` | remote memory |

#![allow(non_camel_case_types)]

mod call;
pub mod htsp;
pub mod rdma;
