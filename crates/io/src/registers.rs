// SPDX-License-Identifier: Apache-2.0
//! Registers of a core that the processor reaches over its bus, read through a mapped file: a map
//! of UIO (`/dev/uioN`; map M begins at M times the size of a page), a base address register of a
//! PCI device (`/sys/bus/pci/devices/*/resourceN`), `/dev/mem`, or an ordinary file.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use memmap2::{MmapOptions, MmapRaw};

/// Registers that are read and never written.
#[derive(Debug)]
pub struct Registers {
    map: MmapRaw,
}

impl Registers {
    /// Maps `bytes` from byte `offset` of a file on.
    ///
    /// # Errors
    /// The offset is no multiple of 4, an ordinary file is too short, or the file cannot be opened
    /// or mapped.
    pub fn open(path: &Path, offset: u64, bytes: usize) -> io::Result<Self> {
        let refuse = |text: String| Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        if !offset.is_multiple_of(4) {
            return refuse(format!("offset {offset:#x}; accepted: multiples of 4"));
        }
        // For which `/dev/mem` and others map uncached.
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_SYNC)
            .open(path)?;
        let metadata = file.metadata()?;
        let size = metadata.len();
        if metadata.is_file() && offset.saturating_add(bytes as u64) > size {
            return refuse(format!(
                "{bytes} bytes from byte {offset:#x} on; accepted: ranges within its {size:#x} bytes"
            ));
        }
        let mut options = MmapOptions::new();
        let map = options.offset(offset).len(bytes).map_raw_read_only(&file)?;
        Ok(Self { map })
    }

    /// The word of 32 bits at a byte address, by one load.
    ///
    /// # Panics
    /// The address is no multiple of 4, or lies outside.
    #[must_use]
    pub fn read32(&self, address: u32) -> u32 {
        let place = address as usize;
        assert!(place.is_multiple_of(4) && place + 4 <= self.map.len());
        // SAFETY: the word lies within the map and is aligned: the map begins at a multiple of 4.
        // What is there changes at any time, hence the volatile load.
        unsafe { self.map.as_ptr().add(place).cast::<u32>().read_volatile() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn words_are_read_as_they_are_now_and_bad_places_are_refused() {
        let path = std::env::temp_dir().join(format!("ropewalk-registers-{}", std::process::id()));
        let words: Vec<u8> = (0..2048u32).flat_map(u32::to_le_bytes).collect();
        std::fs::write(&path, words).unwrap();
        let registers = Registers::open(&path, 4100, 64).unwrap();
        assert_eq!(registers.read32(0), u32::from_le(1025));
        assert_eq!(registers.read32(60), u32::from_le(1040));
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all_at(&7u32.to_ne_bytes(), 4104).unwrap();
        assert_eq!(registers.read32(4), 7);
        let refused = |offset| Registers::open(&path, offset, 64).unwrap_err().to_string();
        assert!(refused(2).contains("multiples of 4"));
        assert!(refused(8192).contains("within its 0x2000 bytes"));
        std::fs::remove_file(&path).unwrap();
        assert!(Registers::open(&path, 0, 64).is_err());
    }
}
