// SPDX-License-Identifier: Apache-2.0
//! Vector files: where they lie, and how they are written.

use std::path::{Path, PathBuf};

/// Anything that goes wrong.
pub type Error = Box<dyn std::error::Error>;

/// What every file begins with.
pub const LICENCE: &str = "# SPDX-License-Identifier: Apache-2.0\n";

/// The folder of the vectors of a protocol, by its name; with none, of RIFL.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("vectors")
        .join(name)
}

/// Writes files with these names and contents, and says where they are.
///
/// # Errors
/// A file cannot be written.
pub fn write<Name: AsRef<Path>>(name: &str, files: Vec<(Name, String)>) -> Result<(), Error> {
    for (file, text) in files {
        let path = folder(name).join(file);
        std::fs::write(&path, text)?;
        println!("{}", path.display());
    }
    Ok(())
}
