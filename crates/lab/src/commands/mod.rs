// SPDX-License-Identifier: Apache-2.0
//! One module per subcommand.

pub mod attach_htsp;
pub mod bench;
pub mod bench_chunk;
pub mod bench_htsp;
pub mod bench_rdma;
pub mod bench_rifl;
pub mod bench_slink;
pub mod plan_chunk;
pub mod plan_rifl;
pub mod plan_slink;
pub mod sim_htsp;
pub mod sim_rdma;
pub mod sim_rifl;
pub mod sim_slink;
