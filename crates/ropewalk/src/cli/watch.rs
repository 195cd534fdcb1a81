// SPDX-License-Identifier: Apache-2.0
//! The arguments of `ropewalk watch`.

use clap::Subcommand;

/// What can be watched.
#[derive(Debug, Subcommand)]
pub enum WatchSource {
    /// A simulated RIFL link that runs without an end, with buttons that do it harm
    #[cfg(feature = "lab")]
    #[command(after_help = ropewalk_lab::cli::WATCH_RIFL_AFTER)]
    Rifl(Box<ropewalk_lab::cli::WatchRifl>),
    /// A simulated RIFL link (not in this build)
    #[cfg(not(feature = "lab"))]
    #[command(hide = true, disable_help_flag = true)]
    Rifl(crate::absent::Anything),
}
