// SPDX-License-Identifier: Apache-2.0
//! A file as a sequence of packets.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use ropewalk_console::failure::Failure;
use ropewalk_sim::rifl::PacketSource;

/// Gives the bytes of a file in packets of one size; the last one may be shorter.
#[derive(Clone)]
pub struct FileSource {
    bytes: Arc<Vec<u8>>,
    packet_size: usize,
    position: usize,
}

impl FileSource {
    /// The packets of `bytes`.
    pub fn new(bytes: Arc<Vec<u8>>, packet_size: u32) -> Self {
        Self {
            bytes,
            packet_size: packet_size.max(1) as usize,
            position: 0,
        }
    }
}

impl fmt::Debug for FileSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "FileSource({} bytes in packets of {})",
            self.bytes.len(),
            self.packet_size
        )
    }
}

impl PacketSource for FileSource {
    fn total(&self) -> u64 {
        self.bytes.len().div_ceil(self.packet_size) as u64
    }

    fn next_packet(&mut self, packet: &mut Vec<u8>) -> bool {
        let end = self.bytes.len().min(self.position + self.packet_size);
        packet.clear();
        packet.extend_from_slice(&self.bytes[self.position..end]);
        self.position = end;
        !packet.is_empty()
    }
}

/// The bytes of an ordinary, readable, non-empty file.
///
/// # Errors
/// One line that names the file and what is wrong with it.
pub fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    let metadata = std::fs::metadata(path).map_err(|error| Failure::read(path, error))?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() {
            "a directory"
        } else {
            "not an ordinary file"
        };
        return Err(Failure::BadInput(format!(
            "cannot read {}: it is {what}; accepted: a file",
            path.display()
        )));
    }
    let bytes = std::fs::read(path).map_err(|error| Failure::read(path, error))?;
    if bytes.is_empty() {
        return Err(Failure::BadInput(format!(
            "{} is empty; accepted: a file of at least one byte",
            path.display()
        )));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_once_in_order() {
        for (length, size) in [(1, 1), (10, 3), (9, 3), (2, 100), (4096, 1500)] {
            let bytes: Vec<u8> = (0..length).map(|i| i as u8).collect();
            let mut source = FileSource::new(Arc::new(bytes.clone()), size);
            let total = source.total();
            let (mut seen, mut packets, mut packet) = (Vec::new(), 0, Vec::new());
            while source.next_packet(&mut packet) {
                assert!(!packet.is_empty() && packet.len() <= size as usize);
                seen.extend_from_slice(&packet);
                packets += 1;
            }
            assert_eq!((seen, packets), (bytes, total));
            assert!(!source.next_packet(&mut packet));
        }
    }

    #[test]
    fn only_ordinary_files_with_content() {
        let folder = tempfile::tempdir().unwrap();
        let empty = folder.path().join("empty");
        std::fs::write(&empty, []).unwrap();
        assert!(
            read_file(&empty)
                .unwrap_err()
                .to_string()
                .contains("is empty")
        );
        assert!(
            read_file(folder.path())
                .unwrap_err()
                .to_string()
                .contains("a directory")
        );
        assert!(
            read_file(&folder.path().join("none"))
                .unwrap_err()
                .to_string()
                .contains("no such file")
        );
        assert!(
            read_file(Path::new("/dev/zero"))
                .unwrap_err()
                .to_string()
                .contains("not an ordinary file")
        );
    }
}
