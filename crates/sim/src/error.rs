// SPDX-License-Identifier: Apache-2.0
//! The one error type of this crate.

use std::fmt;
use std::path::PathBuf;

/// Why a simulation could not be set up or carried out.
///
/// Each variant prints as one line that names the value and what would be accepted.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SimError {
    /// A parameter is outside its legal range.
    BadParameter {
        /// Name of the parameter, as in the configuration types.
        name: &'static str,
        /// The value given, and what is accepted.
        message: String,
    },
    /// The repository, Verilator or the C++ compiler is not there.
    Toolchain(String),
    /// The simulator of a model could not be built or loaded.
    Build(String),
    /// The core answered an access to a register with an error.
    Register {
        /// Its byte address.
        address: u32,
    },
    /// A reset of the core has cut an access to a register.
    Cut,
    /// The trace file cannot be written.
    TraceFile {
        /// The file.
        path: PathBuf,
        /// The reason given by the operating system.
        message: String,
    },
}

impl fmt::Display for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadParameter { name, message } => write!(f, "{name}: {message}"),
            Self::Toolchain(message) => write!(f, "{message}"),
            Self::Build(message) => write!(f, "cannot build the simulator: {message}"),
            Self::Register { address } => {
                write!(f, "the core has no register at {address:#x} for that")
            }
            Self::Cut => write!(f, "a reset of the core has cut an access to a register"),
            Self::TraceFile { path, message } => {
                write!(f, "cannot write the trace {}: {message}", path.display())
            }
        }
    }
}

/// None: a reset has cut it.
pub(crate) fn uncut<T>(result: Result<T, SimError>) -> Result<Option<T>, SimError> {
    match result {
        Err(SimError::Cut) => Ok(None),
        other => other.map(Some),
    }
}

impl std::error::Error for SimError {}
