// SPDX-License-Identifier: Apache-2.0
//! An engine in hardware: its registers, its port and memory that it shares, as files that are
//! mapped.
//!
//! The files are those of UIO (`/dev/uioN`, several maps each), base address registers of PCI
//! devices (`/sys/bus/pci/devices/*/resourceN`), drivers for memory that devices may reach
//! (`/dev/udmabufN`, or a BAR with memory of the card), or ordinary ones.
//!
//! * **Accesses.** Registers are 32 bits, words of the port 64 bits, each by one volatile load or
//!   store: no strobes of half a word, nothing twice. Words of a line are written in rising order;
//!   the bus may exchange them, which the port allows.
//! * **Order.** A barrier for memory and device stands in front of each line, so that the second
//!   line comes after the first one and both after what was written to memory, also if the port is
//!   mapped write-combining; and behind each read of states, so that memory is read after it.
//! * **Coherence** is the platform's: the engine has to see what the processor wrote and the other
//!   way round. If it does not, map the memory uncached ([`Shared::uncached`]).
//! * **Refusals.** The answer to a store is nobody's: PCI has none, and of AXI many processors
//!   report it as a system error long after. So the library does not rely on it: a channel that is
//!   idle without an end is [`crate::Error::Lost`]. A load that nobody answers reads as ones on
//!   PCI, which is [`crate::Error::Gone`]; on others it is SIGBUS.
//! * **One program.** The file of the port is locked (`flock`) while it is mapped.

use crate::device::{Device, DeviceError, PAGE, STATES};
use memmap2::{MmapOptions, MmapRaw};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{Ordering, fence};
use thiserror::Error;

#[cfg(not(target_pointer_width = "64"))]
compile_error!(
    "the port takes words of 64 bits: a processor of 32 bits cannot write them in one go"
);

/// Bytes of the registers.
const REGISTERS: usize = 8192;

/// Why files could not be mapped.
#[derive(Debug, Error)]
pub enum MapError {
    /// A call to the kernel failed.
    #[error("{path}: {what}: {source}")]
    System {
        /// The file.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
    /// The file ends before.
    #[error(
        "{path}: {bytes} bytes from byte {offset:#x} on, accepted are ranges within its {size:#x} bytes"
    )]
    Short {
        /// The file.
        path: PathBuf,
        /// First byte.
        offset: u64,
        /// How many.
        bytes: u64,
        /// What it has.
        size: u64,
    },
    /// Not where such an area can begin.
    #[error("{path}: offset {offset:#x}, accepted are multiples of {align}")]
    Offset {
        /// The file.
        path: PathBuf,
        /// First byte.
        offset: u64,
        /// Of what it has to be a multiple.
        align: u64,
    },
    /// Another program has it.
    #[error("{0}: another program has this engine")]
    Taken(PathBuf),
    /// A number of pages that no engine has.
    #[error("{0} pages: accepted are powers of two from 2 to 16")]
    Pages(u8),
    /// Memory that the engine cannot address.
    #[error(
        "{bytes} bytes of memory at {address:#x}: accepted are ranges below 2^48 and sizes of 1 and more"
    )]
    Memory {
        /// First byte, as the engine sees it.
        address: u64,
        /// How many.
        bytes: u64,
    },
}

/// A place in a file that can be mapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Area {
    /// The file.
    pub path: PathBuf,
    /// Which map of a UIO device; none for all other files.
    pub map: Option<u8>,
    /// First byte, in the file or in the map.
    pub offset: u64,
}

impl Area {
    /// A place in an ordinary file or a BAR.
    pub fn file(path: impl Into<PathBuf>, offset: u64) -> Self {
        Self {
            path: path.into(),
            map: None,
            offset,
        }
    }

    /// A place in a map of a UIO device.
    pub fn uio(path: impl Into<PathBuf>, map: u8, offset: u64) -> Self {
        Self {
            path: path.into(),
            map: Some(map),
            offset,
        }
    }
}

/// Memory that the engine shares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// Where it can be mapped.
    pub area: Area,
    /// How many bytes.
    pub bytes: u64,
    /// Its first byte, as the engine sees it: the physical address, or what an IOMMU makes of it.
    pub address: u64,
    /// Open it with `O_SYNC`, for which drivers such as u-dma-buf and `/dev/mem` map it uncached:
    /// where the engine does not see the caches.
    pub uncached: bool,
}

/// Where an engine is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Its registers, 8192 bytes.
    pub registers: Area,
    /// Its port, 8192 bytes for each page.
    pub port: Area,
    /// Pages that it was built with.
    pub pages: u8,
    /// The port has 128 bits or more, and processor and bus carry a load of 16 bytes as one. Used
    /// on x86-64; others read 8 bytes twice.
    pub wide: bool,
    /// Memory, if transfers need any.
    pub memory: Option<Shared>,
}

/// An engine that is mapped.
#[derive(Debug)]
pub struct Mapped {
    registers: Map,
    port: Map,
    memory: Option<(Map, u64)>,
    pages: u8,
    wide: bool,
    /// Holds the lock.
    _port_file: File,
}

impl Mapped {
    /// Maps an engine, and nothing more: no register is touched.
    ///
    /// # Errors
    /// A file cannot be opened or mapped, or is too short; another program has the engine.
    pub fn open(layout: &Layout) -> Result<Self, MapError> {
        let pages = layout.pages;
        if !(2..=16).contains(&pages) || !pages.is_power_of_two() {
            return Err(MapError::Pages(pages));
        }
        let port_file = open(&layout.port.path, true)?;
        match port_file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(MapError::Taken(layout.port.path.clone()));
            }
            Err(TryLockError::Error(source)) => {
                return Err(system(&layout.port.path, "lock it", source));
            }
        }
        let bytes = 2 * PAGE * usize::from(pages);
        let port = Map::new(&port_file, &layout.port, bytes, PAGE as u64)?;
        let file = open(&layout.registers.path, true)?;
        let registers = Map::new(&file, &layout.registers, REGISTERS, 4)?;
        let shared = |it: &Shared| {
            let (address, bytes) = (it.address, it.bytes);
            let end = address.checked_add(bytes);
            let length = usize::try_from(bytes).ok().filter(|&length| length > 0);
            let (Some(length), true) = (length, end.is_some_and(|end| end <= 1 << 48)) else {
                return Err(MapError::Memory { address, bytes });
            };
            let map = Map::new(&open(&it.area.path, it.uncached)?, &it.area, length, 8)?;
            Ok((map, address))
        };
        Ok(Self {
            registers,
            port,
            memory: layout.memory.as_ref().map(shared).transpose()?,
            pages,
            wide: layout.wide,
            _port_file: port_file,
        })
    }

    fn states(&self, page: u8) -> usize {
        (usize::from(self.pages) + usize::from(page)) * PAGE
    }

    fn page(&self, page: u8, offset: u16, bytes: usize) -> Result<(), DeviceError> {
        let inside = usize::from(offset) + bytes <= PAGE;
        if page >= self.pages || !offset.is_multiple_of(8) || !inside {
            let offset = u32::from(page) << 16 | u32::from(offset);
            let what = "place of the port";
            return Err(DeviceError::Refused { what, offset });
        }
        Ok(())
    }

    fn register(&self, offset: u32) -> Result<*mut u32, DeviceError> {
        if !offset.is_multiple_of(4) || offset as usize >= REGISTERS {
            let what = "register";
            return Err(DeviceError::Refused { what, offset });
        }
        Ok(self.registers.at(offset as usize).cast())
    }
}

impl Device for Mapped {
    fn read_register(&self, offset: u32) -> Result<u32, DeviceError> {
        let place = self.register(offset)?;
        // SAFETY: a whole word inside the mapping, aligned.
        Ok(u32::from_le(unsafe { place.read_volatile() }))
    }

    fn write_register(&self, offset: u32, value: u32) -> Result<(), DeviceError> {
        let place = self.register(offset)?;
        // SAFETY: as in `read_register`.
        unsafe { place.write_volatile(value.to_le()) };
        Ok(())
    }

    fn write_descriptor(&self, page: u8, offset: u16, words: &[u64]) -> Result<(), DeviceError> {
        self.page(page, offset, 8 * words.len())?;
        let first = usize::from(page) * PAGE + usize::from(offset);
        barrier();
        for (i, word) in words.iter().enumerate() {
            let place = self.port.at(first + 8 * i).cast::<u64>();
            // SAFETY: a whole word inside the mapping, aligned.
            unsafe { place.write_volatile(word.to_le()) };
        }
        // Out of a buffer that combines writes, before a state is read.
        barrier();
        Ok(())
    }

    fn forget(&self, page: u8) -> Result<(), DeviceError> {
        self.page(page, 0, 8)?;
        barrier();
        let place = self.port.at(self.states(page)).cast::<u64>();
        // SAFETY: a whole word inside the mapping, aligned.
        unsafe { place.write_volatile(0) };
        barrier();
        Ok(())
    }

    fn read_state(&self, page: u8, offset: u16) -> Result<u64, DeviceError> {
        self.page(page, offset, 8)?;
        let place = self.port.at(self.states(page) + usize::from(offset));
        // SAFETY: a whole word inside the mapping, aligned.
        let state = unsafe { place.cast::<u64>().read_volatile() };
        barrier();
        Ok(u64::from_le(state))
    }

    fn read_states(&self, page: u8) -> Result<[u64; 2], DeviceError> {
        self.page(page, STATES, 16)?;
        let place = self.port.at(self.states(page) + usize::from(STATES));
        let states = match self.wide {
            // SAFETY: 16 bytes inside the mapping, aligned to 16: a page begins at a multiple of
            // it.
            true => unsafe { load_16(place) },
            false => {
                let place = place.cast::<u64>();
                // SAFETY: two whole words inside the mapping, aligned.
                unsafe { [place.read_volatile(), place.add(1).read_volatile()] }
            }
        };
        barrier();
        Ok(states.map(u64::from_le))
    }

    fn memory(&self) -> Range<u64> {
        let range = |(map, address): &(Map, u64)| *address..address + map.bytes as u64;
        self.memory.as_ref().map_or(0..0, range)
    }

    unsafe fn read_memory(&self, address: u64, bytes: &mut [u8]) {
        let Some((map, first)) = &self.memory else {
            return;
        };
        let from = map.at((address - first) as usize);
        // SAFETY: inside the mapping, as promised by the caller.
        unsafe { copy(from, bytes.as_mut_ptr(), bytes.len()) };
    }

    unsafe fn write_memory(&self, address: u64, bytes: &[u8]) {
        let Some((map, first)) = &self.memory else {
            return;
        };
        let to = map.at((address - first) as usize);
        // SAFETY: inside the mapping, as promised by the caller.
        unsafe { copy(bytes.as_ptr(), to, bytes.len()) };
    }
}

/// Copies in words where it can. Every access is made, and made once, as one of both sides may
/// change at any time.
///
/// # Safety
/// Both ranges are there, and do not overlap.
unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    let mut at = 0;
    let aligned = (from as usize ^ to as usize).is_multiple_of(8);
    while at < bytes {
        // SAFETY: below `bytes`; words only where both sides are aligned and have one left.
        unsafe {
            let (source, target) = (from.add(at), to.add(at));
            if aligned && bytes - at >= 8 && (source as usize).is_multiple_of(8) {
                let word = source.cast::<u64>().read_volatile();
                target.cast::<u64>().write_volatile(word);
                at += 8;
            } else {
                target.write_volatile(source.read_volatile());
                at += 1;
            }
        }
    }
}

/// 16 bytes by one load, where the processor has one.
///
/// # Safety
/// They are there, at a multiple of 16.
#[inline]
unsafe fn load_16(place: *const u8) -> [u64; 2] {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::{asm, x86_64::__m128i};
        let both: __m128i;
        // SAFETY: as promised by the caller; it writes nothing but the register.
        unsafe {
            asm!("movdqa {}, [{}]", out(xmm_reg) both, in(reg) place, options(nostack, preserves_flags))
        };
        // SAFETY: two types of 16 bytes, of which every value is one.
        unsafe { std::mem::transmute(both) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let place = place.cast::<u64>();
        // SAFETY: as promised by the caller.
        unsafe { [place.read_volatile(), place.add(1).read_volatile()] }
    }
}

/// What was accessed before, memory or device, comes before what is accessed after.
fn barrier() {
    #[cfg(target_arch = "aarch64")]
    // SAFETY: changes nothing but the order.
    unsafe {
        std::arch::asm!("dsb sy", options(nostack, preserves_flags));
    }
    #[cfg(target_arch = "riscv64")]
    // SAFETY: changes nothing but the order.
    unsafe {
        std::arch::asm!("fence iorw, iorw", options(nostack, preserves_flags));
    }
    // On x86-64 a full fence, which also empties the buffers that combine writes.
    fence(Ordering::SeqCst);
}

/// A part of a file, mapped. All accesses go through pointers, word by word: words of registers and
/// port are accessed as a whole, and of memory the callers promise who has it.
#[derive(Debug)]
struct Map {
    memory: MmapRaw,
    /// Where the area begins in it.
    begin: usize,
    bytes: usize,
}

impl Map {
    fn new(file: &File, area: &Area, bytes: usize, align: u64) -> Result<Self, MapError> {
        let Area { path, map, offset } = area;
        if offset % align != 0 {
            return Err(MapError::Offset {
                path: path.clone(),
                offset: *offset,
                align,
            });
        }
        let size = size(file, area)?;
        let end = offset.checked_add(bytes as u64);
        if let Some(size) = size
            && end.is_none_or(|end| end > size)
        {
            return Err(MapError::Short {
                path: path.clone(),
                offset: *offset,
                bytes: bytes as u64,
                size,
            });
        }
        // A UIO device has its maps at one page of the machine each, however long they are, and
        // from their beginning only.
        let (place, begin) = match map {
            Some(map) => (u64::from(*map) * page(), *offset),
            None => (*offset, 0),
        };
        let begin = begin as usize;
        let mut options = MmapOptions::new();
        options.len(begin + bytes).offset(place);
        let memory = options
            .map_raw(file)
            .map_err(|source| system(path, "map it", source))?;
        Ok(Self {
            memory,
            begin,
            bytes,
        })
    }

    /// A byte of the area.
    fn at(&self, place: usize) -> *mut u8 {
        assert!(place < self.bytes, "byte {place} of {}", self.bytes);
        // SAFETY: inside the mapping.
        unsafe { self.memory.as_mut_ptr().add(self.begin + place) }
    }
}

/// Bytes of a page of the machine.
fn page() -> u64 {
    // SAFETY: asks for a number.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(4096) as u64
}

fn system(path: &Path, what: &'static str, source: io::Error) -> MapError {
    MapError::System {
        path: path.to_owned(),
        what,
        source,
    }
}

fn open(path: &Path, uncached: bool) -> Result<File, MapError> {
    let mut options = OpenOptions::new();
    if uncached {
        options.custom_flags(libc::O_SYNC);
    }
    let opened = options.read(true).write(true).open(path);
    opened.map_err(|source| system(path, "open it", source))
}

/// How long a file or a map of a UIO device is. Other devices do not say: then the kernel refuses a
/// mapping that is too long.
fn size(file: &File, area: &Area) -> Result<Option<u64>, MapError> {
    let Area { path, map, .. } = area;
    if let Some(map) = map {
        let name = path.file_name().unwrap_or_default();
        let told = Path::new("/sys/class/uio")
            .join(name)
            .join(format!("maps/map{map}/size"));
        let text = std::fs::read_to_string(&told);
        let text = text.map_err(|source| system(&told, "read it", source))?;
        let digits = text.trim().trim_start_matches("0x");
        let parsed = u64::from_str_radix(digits, 16);
        let odd = |_| system(&told, "read a number", io::ErrorKind::InvalidData.into());
        return parsed.map(Some).map_err(odd);
    }
    let metadata = file.metadata();
    let metadata = metadata.map_err(|source| system(path, "ask for its size", source))?;
    Ok((!metadata.file_type().is_char_device()).then_some(metadata.len()))
}
