// SPDX-License-Identifier: Apache-2.0
//! What all models share, as C++ shows it; mirrors `cpp/runtime.h`.

use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::rc::Rc;

use crate::SimError;

/// Simulation contexts and trace files.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Runtime {
    context_new: unsafe extern "C" fn() -> *mut c_void,
    context_delete: unsafe extern "C" fn(*mut c_void),
    trace_open: unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void,
    trace_dump: unsafe extern "C" fn(*mut c_void, u64),
    trace_close: unsafe extern "C" fn(*mut c_void),
}

/// What the instances of one simulation have in common. All of them are of the library that made
/// it.
#[derive(Debug)]
pub(crate) struct Context {
    raw: NonNull<c_void>,
    runtime: &'static Runtime,
}

impl Context {
    pub(crate) fn new(runtime: &'static Runtime) -> Rc<Self> {
        // SAFETY: no arguments; the result is owned by this value and deleted once, in `drop`.
        let raw = unsafe { (runtime.context_new)() };
        // C++ `new` throws rather than give null.
        let raw = NonNull::new(raw).expect("a context");
        Rc::new(Self { raw, runtime })
    }

    /// For the functions of a model.
    pub(crate) fn as_ptr(&self) -> *mut c_void {
        self.raw.as_ptr()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: made by `context_new`; instances hold an `Rc` of it, so none is left.
        unsafe { (self.runtime.context_delete)(self.raw.as_ptr()) }
    }
}

/// An open waveform file. Drop it before the instances that it shows.
#[derive(Debug)]
pub(crate) struct Trace {
    raw: NonNull<c_void>,
    runtime: &'static Runtime,
}

impl Trace {
    /// Opens a file that shows all instances made in the context.
    pub(crate) fn open(context: &Rc<Context>, path: &Path) -> Result<Self, SimError> {
        let fail = |message: String| SimError::TraceFile {
            path: path.to_path_buf(),
            message,
        };
        // The writer of the simulator does not say why it failed: ask the operating system first.
        std::fs::File::create(path).map_err(|e| fail(e.to_string()))?;
        let name =
            CString::new(path.as_os_str().as_encoded_bytes()).map_err(|e| fail(e.to_string()))?;
        // SAFETY: the context is live and the name a C string.
        let raw = unsafe { (context.runtime.trace_open)(context.as_ptr(), name.as_ptr()) };
        NonNull::new(raw)
            .map(|raw| Self {
                raw,
                runtime: context.runtime,
            })
            .ok_or_else(|| fail("the FST writer refused it".into()))
    }

    pub(crate) fn dump(&mut self, time_fs: u64) {
        // SAFETY: an open trace; the instances live, as `Link` drops the trace first.
        unsafe { (self.runtime.trace_dump)(self.raw.as_ptr(), time_fs) }
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        // SAFETY: opened by `trace_open`, closed once.
        unsafe { (self.runtime.trace_close)(self.raw.as_ptr()) }
    }
}
