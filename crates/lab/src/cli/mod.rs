// SPDX-License-Identifier: Apache-2.0
//! The arguments of the laboratory. What each one means is its help text; what is accepted is
//! checked by its parser.

mod bench;
mod network;
mod plan;
mod sim;
mod stack;
mod sweep;
mod traffic;
mod watch;

use clap::Subcommand;
pub use network::*;
pub use plan::*;
pub use sim::*;
pub use stack::*;
pub use sweep::*;
pub use traffic::*;
pub use watch::*;

pub use bench::*;

/// The subcommands of the laboratory.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the real RTL, cycle by cycle, through a channel that you describe
    Sim {
        /// Which core.
        #[command(subcommand)]
        core: SimCore,
    },
    /// Calculate a link before it is built: sizes, efficiency, goodput, latency, time between
    /// failures
    Plan {
        /// Which core.
        #[command(subcommand)]
        core: PlanCore,
    },
    /// Measure the cores and print their figures beside the published ones: without a core, every
    /// table and figure of the papers
    #[command(args_conflicts_with_subcommands = true)]
    Bench {
        /// Which core; none: all.
        #[command(subcommand)]
        core: Option<BenchCore>,
        /// What all have.
        #[command(flatten)]
        all: BenchAll,
    },
    /// Run many simulations, a grid of them, here or on a Dask cluster, and write a table
    #[command(after_help = SWEEP_AFTER)]
    Sweep(Sweep),
    /// Play traffic out of a CSV file in hardware, record what arrives, compare it
    Traffic {
        /// What to do.
        #[command(subcommand)]
        action: TrafficAction,
    },
}

/// Cores that can be simulated.
#[derive(Debug, Subcommand)]
pub enum SimCore {
    /// Two RIFL endpoints and the wire between them; both directions are loaded
    #[command(after_help = SIM_RIFL_AFTER)]
    Rifl(Box<SimRifl>),
    /// Two HTSP ends back to back; all channels of both directions are loaded
    #[command(after_help = SIM_HTSP_AFTER)]
    Htsp(SimHtsp),
    /// Two chips with memories, joined by an SLink; one of them writes to or reads from the memory
    /// of the other
    #[command(after_help = SIM_SLINK_AFTER)]
    Slink(SimSlink),
    /// Two RDMA engines with memories and the network between them; every byte of both memories is
    /// compared
    #[command(after_help = SIM_RDMA_AFTER)]
    Rdma(SimRdma),
    /// The stack joined: RDMA engines over RIFL links; carries a file beside traffic of all classes
    #[command(after_help = SIM_STACK_AFTER)]
    Stack(SimStack),
    /// Nodes, switches and lossless links between them, up to 1024 nodes: a model, packet by packet
    #[command(after_help = SIM_NETWORK_AFTER)]
    Network(Box<SimNetwork>),
}

/// Cores that can be planned.
#[derive(Debug, Subcommand)]
pub enum PlanCore {
    /// RIFL: one column per frame width, beside the published core and other protocols
    #[command(after_help = PLAN_RIFL_AFTER)]
    Rifl(PlanRifl),
    /// Bulk transfer in chunks: what each stage has to do, what it can do here, which core does
    /// what, and what losses cost
    #[command(after_help = PLAN_CHUNK_AFTER)]
    Chunk(PlanChunk),
    /// SLink: which lanes and speed reach a bandwidth and a latency, and what errors cost
    #[command(after_help = PLAN_SLINK_AFTER)]
    Slink(PlanSlink),
    /// HTSP: how many links a detector takes, and what the length of bursts means for bandwidth,
    /// buffers and latency
    #[command(after_help = PLAN_HTSP_AFTER)]
    Htsp(PlanHtsp),
    /// A network: hops, paths, bisection, the memory that the full rate takes, routing tables
    #[command(after_help = PLAN_STACK_AFTER)]
    Stack(PlanStack),
}

/// Cores that can be measured.
#[derive(Debug, Subcommand)]
pub enum BenchCore {
    /// RIFL: latency, efficiency, stall after an error, goodput against bit errors, link-up, speed
    Rifl(BenchRifl),
    /// HTSP: bandwidth, frame rate and latency for frames of 64 bytes to 1 MiB, channels, link-up,
    /// speed
    Htsp(BenchOptions),
    /// RDMA: message rate, time and throughput of transfers of 8 bytes to 1 MiB, one after the
    /// other and many at a time
    Rdma(BenchRdma),
    /// SLink: latency of all 24 modes against the formula, bandwidth by size, beside the paper and
    /// PCI Express
    Slink(BenchOptions),
    /// Bulk transfer: the paper's tables and figures in virtual time, transports on this machine
    /// (ours, and those of 'make peers'), codes
    Chunk(BenchOptions),
    /// Files from host to host, beside rsync and tar: many small ones, a large one, a second run
    Transfer(BenchTransfer),
    /// Networks in the model: scaling up to 1024 nodes, small messages beside bulk, and what
    /// losslessness buys
    Network(BenchOptions),
}

/// What an SLink operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum SlinkMode {
    /// From the other memory to the own one.
    Read,
    /// From the own memory to the other one.
    Write,
}

/// The command as far as the laboratory goes, for tests.
#[cfg(test)]
#[derive(Debug, clap::Parser)]
#[command(name = "ropewalk")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, Parser};
    use ropewalk_console::usage::one_line;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    fn refused(args: &str) -> String {
        let args = format!("ropewalk {args}");
        let error = Cli::try_parse_from(args.split_whitespace()).expect_err("must be refused");
        let line = one_line(&error, &Cli::command());
        assert!(!line.contains('\n'), "{line}");
        line
    }

    #[test]
    fn refusals_name_the_value_and_what_is_accepted() {
        for (args, parts) in [
            (
                "sim rifl --frame-width 100",
                &["'100'", "--frame-width", "128, 256, 512, 1024 or 2048"][..],
            ),
            ("sim", &["'ropewalk sim'", "accepted: rifl, "]),
            (
                "sim nothing",
                &["'nothing' of 'ropewalk sim'; accepted: rifl, "],
            ),
            (
                "nothing",
                &["'nothing' of 'ropewalk'; accepted: sim, plan, "],
            ),
            ("sim rfl", &["'rfl'", "'rifl'"]),
            ("sim rifl --ber -1e-6", &["'-1e-6'", "--ber", "below 0.5"]),
            ("sim rifl --ber 0.5", &["'0.5'", "--ber", "below 0.5"]),
            ("sim rifl --ber NaN", &["'NaN'", "--ber"]),
            ("sim rifl --ber", &["--ber"]),
            ("sim rifl --lanes 3", &["'3'", "--lanes", "1, 2, 4 or 8"]),
            ("sim rifl --skew -1", &["'-1'", "--skew", "0 to 65536"]),
            ("sim rifl --size 0", &["'0'", "--size", "1"]),
            ("sim rifl --size 9..3", &["'9..3'", "--size"]),
            ("sim rifl --size 1..99999999", &["99999999", "--size"]),
            ("sim rifl --packets 0", &["'0'", "--packets"]),
            ("sim rifl --cable -3m", &["'-3m'", "--cable"]),
            ("sim rifl --cable 3ft", &["'3ft'", "--cable", "m or km"]),
            ("sim rifl --line-rate 28X", &["'28X'", "--line-rate"]),
            ("sim rifl --slip 64", &["'64'", "--slip", "63"]),
            ("sim rifl --stall 100", &["'100'", "--stall", "99"]),
            ("sim rifl --cut ab:1", &["'ab:1'", "--cut"]),
            (
                "sim rifl --reset c:1:1",
                &["'c:1:1'", "--reset", "a, b or both"],
            ),
            ("sim rifl --burst 2:1:1", &["'2:1:1'", "--burst"]),
            ("sim rifl --id-width 5", &["'5'", "--id-width", "6 to 12"]),
            ("sim rifl --out x", &["--in"]),
            ("sim rifl --in x --packets 3", &["--in", "--packets"]),
            (
                "sim rifl --in x --one-way --out-back y",
                &["--one-way", "--out-back"],
            ),
            ("plan rifl --lanes 3", &["'3'", "--lanes", "1, 2, 4 or 8"]),
            (
                "plan rifl --frame-width 384",
                &["'384'", "--frame-width", "256, 512"],
            ),
            ("plan rifl --circuit-ns -1", &["'-1'", "--circuit-ns"]),
            ("plan rifl --packet 0", &["'0'", "--packet", "1 to"]),
            ("sim slink --lanes 3", &["'3'", "--lanes", "1, 2 or 4"]),
            (
                "sim slink --outstanding 3",
                &["'3'", "--outstanding", "1, 2 or 4"],
            ),
            ("sim slink --size 12", &["'12'", "--size", "multiple of 8"]),
            ("sim slink --rate 3G", &["'3G'", "--rate", "2.5G, 5G"]),
            (
                "sim slink --mode copy",
                &["'copy'", "--mode", "read, write"],
            ),
            ("sim slink --ber 0.5", &["'0.5'", "--ber", "below 0.5"]),
            ("sim slink --ops 0", &["'0'", "--ops"]),
            ("sim slink --delay 2", &["'2'", "--delay", "3 to 1500"]),
            ("sim slink --skew 161", &["'161'", "--skew", "0 to 160"]),
            ("sim rifl --wombat", &["--wombat"]),
            ("sim", &["subcommand"]),
            ("", &["subcommand"]),
            ("sim slang", &["slang"]),
        ] {
            let line = refused(args);
            for part in parts {
                assert!(
                    line.contains(part),
                    "'{args}' gave '{line}', which does not name {part}"
                );
            }
        }
    }
}
