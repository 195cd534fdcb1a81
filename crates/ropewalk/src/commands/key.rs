// SPDX-License-Identifier: Apache-2.0
//! `ropewalk key`, and the files of keys that `send` and `recv` take.
//!
//! A key is a file of one line, 64 hexadecimal digits, that only its owner may read. Keys of others
//! are a line each, the public part, with a remark behind it if wanted; lines that begin with # are
//! remarks.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use ropewalk_console::failure::Failure;
use ropewalk_wire::chunk::handshake::auth::{from_hex, to_hex};
use ropewalk_wire::chunk::handshake::{KeyPair, PublicKey};

use crate::cli::Key;

/// Makes a key, or shows the public part of one that is there.
///
/// # Errors
/// The file cannot be written, or is none of a key.
pub fn execute(options: &Key) -> Result<u8, Failure> {
    let pair = match fs::symlink_metadata(&options.file) {
        Ok(_) => read(&options.file)?,
        Err(error) if error.kind() == ErrorKind::NotFound => make(&options.file)?,
        Err(error) => return Err(Failure::read(&options.file, error)),
    };
    writeln!(std::io::stdout(), "{}", pair.public)?;
    Ok(0)
}

fn make(path: &Path) -> Result<KeyPair, Failure> {
    let pair = KeyPair::random().map_err(|error| Failure::BadInput(error.to_string()))?;
    let text = format!("{}\n", to_hex(pair.private_bytes()));
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| Failure::write(path, error))?;
    Ok(pair)
}

/// Reads a key that only its owner may read.
///
/// # Errors
/// It is none, or others may read it.
pub(super) fn read(path: &Path) -> Result<KeyPair, Failure> {
    let fail = |error| Failure::read(path, error);
    let mode = fs::metadata(path).map_err(fail)?.permissions().mode() & 0o777;
    let name = path.display();
    if mode & 0o077 != 0 {
        return Err(Failure::BadInput(format!(
            "the key in {name} can be read by others (mode {mode:04o}); accepted: 0600, as after 'chmod 600 {name}'"
        )));
    }
    let text = fs::read_to_string(path).map_err(fail)?;
    let private = from_hex(text.trim())
        .map_err(|error| Failure::BadInput(format!("{name} is no key: {error}")))?;
    Ok(KeyPair::from_private(private))
}

/// Reads public keys.
///
/// # Errors
/// There is none, or something else.
pub(super) fn read_public(path: &Path) -> Result<Vec<PublicKey>, Failure> {
    let text = fs::read_to_string(path).map_err(|error| Failure::read(path, error))?;
    let name = path.display();
    let mut keys = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let key = line.split_whitespace().next().unwrap_or("#");
        if !key.starts_with('#') {
            let key = key.parse();
            keys.push(key.map_err(|error| {
                Failure::BadInput(format!("{name}, line {number}, is no public key: {error}"))
            })?);
        }
    }
    if keys.is_empty() {
        let text = format!("{name} names no key; accepted: lines as 'ropewalk key' prints them");
        return Err(Failure::BadInput(text));
    }
    Ok(keys)
}
