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
    /// No model was compiled for this frame width and id width.
    NoModel {
        /// Frame width that was asked for, in bits.
        frame_width: u16,
        /// Frame id width that was asked for, in bits.
        id_width: u8,
    },
    /// A parameter is outside its legal range.
    BadParameter {
        /// Name of the parameter, as in the configuration types.
        name: &'static str,
        /// The value given, and what is accepted.
        message: String,
    },
    /// A trace was asked for, but no traced model of this frame width and id width was compiled.
    NoTrace {
        /// Frame width that was asked for, in bits.
        frame_width: u16,
        /// Frame id width that was asked for, in bits.
        id_width: u8,
    },
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
            Self::NoModel {
                frame_width,
                id_width,
            } => {
                write!(
                    f,
                    "no model of frame width {frame_width} with id width {id_width} is compiled in; there are "
                )?;
                for (i, (frame, id)) in crate::rifl::models().iter().enumerate() {
                    write!(f, "{}{frame}x{id}", if i == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
            Self::BadParameter { name, message } => write!(f, "{name}: {message}"),
            Self::NoTrace {
                frame_width,
                id_width,
            } => {
                write!(
                    f,
                    "no traced model of frame width {frame_width} with id width {id_width} is compiled in"
                )
            }
            Self::TraceFile { path, message } => {
                write!(f, "cannot write the trace {}: {message}", path.display())
            }
        }
    }
}

impl std::error::Error for SimError {}
