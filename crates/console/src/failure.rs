// SPDX-License-Identifier: Apache-2.0
//! Why a command ended without a result.

use std::error::Error;
use std::path::{Path, PathBuf};

/// Exit status: the work was done, and its result is bad.
pub const BAD: u8 = 1;
/// Exit status: the network has failed, or nobody is at its other end.
pub const NETWORK: u8 = 2;
/// Exit status: what was asked for cannot be done: arguments, files, or what it takes is missing.
pub const USAGE: u8 = 3;

/// What help texts say of the exit status.
pub const STATUS: &str = "\
Exit status: 0 done; 1 done, and the result is bad; 2 the network has failed, or nobody is at its other end; 3 what was asked for cannot be \
done; 130 interrupted.";

/// Every failure prints as one line that names the value and what would be accepted.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An argument, or a combination of arguments, that cannot be carried out.
    #[error("{0}")]
    BadInput(String),
    /// A file could not be read or written.
    #[error("cannot {action} {}: {}", path.display(), reason(source))]
    File {
        /// What was tried: `read`, `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// What the command stands on, such as a simulator, has refused or failed.
    #[error("{0}")]
    Refused(Box<dyn Error + Send + Sync>),
    /// The end of a link could not be opened, or has failed.
    #[error("{0}")]
    Network(Box<dyn Error + Send + Sync>),
    /// Standard output was closed by its reader (`ropewalk ... | head`); not worth a message.
    #[error("standard output was closed")]
    Closed,
    /// The process was told to stop, and has said so.
    #[error("interrupted")]
    Interrupted,
    /// Standard output could not be written.
    #[error("cannot write to standard output: {}", reason(.0))]
    Stdout(std::io::Error),
}

impl Failure {
    /// Exit status of the command.
    pub fn status(&self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::Interrupted => crate::output::INTERRUPTED,
            Self::Network(_) => NETWORK,
            _ => USAGE,
        }
    }

    /// What the command stands on has refused or failed.
    pub fn refused(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Refused(error.into())
    }

    /// The network, or an end of a link on it, has failed.
    pub fn network(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Network(error.into())
    }

    /// A file that could not be read.
    pub fn read(path: &Path, source: std::io::Error) -> Self {
        Self::File {
            action: "read",
            path: path.to_owned(),
            source,
        }
    }

    /// A file that could not be written.
    pub fn write(path: &Path, source: std::io::Error) -> Self {
        Self::File {
            action: "write",
            path: path.to_owned(),
            source,
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            Self::Closed
        } else {
            Self::Stdout(error)
        }
    }
}

/// The reason without the number and without the path that some libraries append.
fn reason(error: &std::io::Error) -> String {
    let text = match error.raw_os_error() {
        Some(code) => std::io::Error::from_raw_os_error(code).to_string(),
        None => error.to_string(),
    };
    let text = text.split(" (os error").next().unwrap_or(&text).to_owned();
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => "unknown reason".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_plain_line() {
        let error = Failure::read(Path::new("a/b"), std::io::Error::from_raw_os_error(2));
        assert_eq!(
            error.to_string(),
            "cannot read a/b: no such file or directory"
        );
        assert_eq!(error.status(), USAGE);
        assert_eq!(Failure::network("no route").status(), NETWORK);
    }

    #[test]
    fn a_closed_pipe_is_no_error() {
        let error = Failure::from(std::io::Error::from(std::io::ErrorKind::BrokenPipe));
        assert_eq!(error.status(), 0);
    }
}
