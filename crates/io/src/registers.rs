// SPDX-License-Identifier: Apache-2.0
//! Registers of a core that the processor reaches over its bus, through a mapped file: a map
//! of UIO (`/dev/uioN`; map M begins at M times the size of a page), a base address register of a
//! PCI device (`/sys/bus/pci/devices/*/resourceN`), `/dev/mem`, or an ordinary file.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use memmap2::{MmapOptions, MmapRaw};

/// Registers that are read, and written if they were opened for that.
#[derive(Debug)]
pub struct Registers {
    map: MmapRaw,
    writable: bool,
}

impl Registers {
    /// Maps `bytes` from byte `offset` of a file on, to be read only.
    ///
    /// # Errors
    /// The offset is no multiple of 4, an ordinary file is too short, or the file cannot be opened
    /// or mapped.
    pub fn open(path: &Path, offset: u64, bytes: usize) -> io::Result<Self> {
        Self::map(path, offset, bytes, false)
    }

    /// Maps `bytes` from byte `offset` of a file on, to be read and written.
    ///
    /// # Errors
    /// As [`Registers::open`].
    pub fn open_writable(path: &Path, offset: u64, bytes: usize) -> io::Result<Self> {
        Self::map(path, offset, bytes, true)
    }

    fn map(path: &Path, offset: u64, bytes: usize, writable: bool) -> io::Result<Self> {
        let refuse = |text: String| Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        if !offset.is_multiple_of(4) {
            return refuse(format!("offset {offset:#x}; accepted: multiples of 4"));
        }
        // For which `/dev/mem` and others map uncached.
        let file = OpenOptions::new()
            .read(true)
            .write(writable)
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
        options.offset(offset).len(bytes);
        let map = match writable {
            true => options.map_raw(&file)?,
            false => options.map_raw_read_only(&file)?,
        };
        Ok(Self { map, writable })
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

    /// Writes the word of 32 bits at a byte address, by one store.
    ///
    /// # Panics
    /// As [`Registers::read32`]; or they were opened to be read only.
    pub fn write32(&self, address: u32, value: u32) {
        let place = address as usize;
        assert!(self.writable, "registers that were opened to be read only");
        assert!(place.is_multiple_of(4) && place + 4 <= self.map.len());
        // SAFETY: as in `read32`; the map is writable.
        unsafe {
            let word = self.map.as_mut_ptr().add(place).cast::<u32>();
            word.write_volatile(value);
        }
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
        let writable = Registers::open_writable(&path, 4096, 64).unwrap();
        writable.write32(12, 0x1234_5678);
        assert_eq!(
            (writable.read32(12), registers.read32(8)),
            (0x1234_5678, 0x1234_5678)
        );
        let refused = |offset| Registers::open(&path, offset, 64).unwrap_err().to_string();
        assert!(refused(2).contains("multiples of 4"));
        assert!(refused(8192).contains("within its 0x2000 bytes"));
        std::fs::remove_file(&path).unwrap();
        assert!(Registers::open(&path, 0, 64).is_err());
    }
}
