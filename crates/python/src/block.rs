// SPDX-License-Identifier: Apache-2.0
//! Bytes that Rust has received, for Python without a copy.

use pyo3::ffi;
use pyo3::prelude::*;
use ropewalk_io::htsp::memory::{Memory, Pool};
use std::ffi::{c_int, c_void};

/// Bytes with the buffer protocol: `numpy.frombuffer` and `memoryview` take them as they are, and
/// may write to them unless they are read-only.
#[pyclass(frozen, module = "ropewalk._native")]
pub struct Block {
    bytes: *mut u8,
    length: usize,
    capacity: usize,
    /// The first one that Python sees.
    begin: usize,
    readonly: bool,
    /// Where the memory goes afterwards.
    back: Option<Pool>,
}

// SAFETY: it owns the memory, to which only users of the buffer protocol have access; these keep
// the rules of that protocol.
unsafe impl Send for Block {}
// SAFETY: as above; nothing here reads or writes the memory.
unsafe impl Sync for Block {}

impl Block {
    /// The bytes from `begin` on, which is not behind the last one.
    pub fn new(mut bytes: Vec<u8>, begin: usize) -> Self {
        let block = Block {
            bytes: bytes.as_mut_ptr(),
            length: bytes.len(),
            capacity: bytes.capacity(),
            begin: begin.min(bytes.len()),
            readonly: false,
            back: None,
        };
        std::mem::forget(bytes);
        block
    }

    /// Bytes that Python may not write to.
    pub fn read_only(bytes: Vec<u8>) -> Self {
        let mut block = Block::new(bytes, 0);
        block.readonly = true;
        block
    }

    /// Those of a batch.
    pub fn lent(memory: Memory) -> Self {
        let (bytes, back) = memory.into_parts();
        let mut block = Block::read_only(bytes);
        block.back = Some(back);
        block
    }
}

impl From<Vec<u8>> for Block {
    fn from(bytes: Vec<u8>) -> Self {
        Block::new(bytes, 0)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: these are the parts of a vector that was forgotten.
        let bytes = unsafe { Vec::from_raw_parts(self.bytes, self.length, self.capacity) };
        if let Some(pool) = &self.back {
            pool.give(bytes);
        }
    }
}

#[pymethods]
impl Block {
    fn __len__(&self) -> usize {
        self.length - self.begin
    }

    /// # Safety
    /// As the buffer protocol has it: a view to fill.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let block = slf.get();
        let length = (block.length - block.begin) as ffi::Py_ssize_t;
        // SAFETY: it begins in the memory, or right behind it.
        let bytes = unsafe { block.bytes.add(block.begin) }.cast::<c_void>();
        // SAFETY: the view is one to fill; it holds a reference of this object, which holds the
        // memory.
        let filled = unsafe {
            let readonly = c_int::from(block.readonly);
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), bytes, length, readonly, flags)
        };
        match filled {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}
