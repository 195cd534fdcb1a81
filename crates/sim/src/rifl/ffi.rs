// SPDX-License-Identifier: Apache-2.0
//! The verilated models as C++ shows them; mirrors `cpp/rifl_shim.h`.

use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::rc::Rc;

use crate::SimError;

#[cfg(target_endian = "big")]
compile_error!("the wide ports of the models are read as bytes in little-endian order");

/// Addresses of the ports of one model.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Ports {
    pub phy_tx_clk: *mut u8,
    pub frame_clk: *mut u8,
    pub user_clk: *mut u8,
    pub phy_rx_clk: *mut u8,
    pub rst: *mut u8,
    pub phy_rx_data: *mut u64,
    pub phy_tx_data: *const u64,
    pub s_tdata: *mut u8,
    pub s_tkeep: *mut u8,
    pub s_tlast: *mut u8,
    pub s_tvalid: *mut u8,
    pub s_tready: *const u8,
    pub m_tdata: *const u8,
    pub m_tkeep: *const u8,
    pub m_tlast: *const u8,
    pub m_tvalid: *const u8,
    pub m_tready: *mut u8,
    pub link_up: *const u8,
    pub tx_state: *const u8,
    pub rx_aligned: *const u8,
    pub rx_up: *const u8,
    pub rx_error: *const u8,
    pub rx_pause_req: *const u8,
    pub rx_retrans_req: *const u8,
    pub local_fc: *const u8,
    pub remote_fc: *const u8,
    pub compensate: *const u8,
    pub rx_overflow: *const u8,
    pub rx_slip: *const u8,
}

#[repr(C)]
pub(super) struct RawModel {
    create: unsafe extern "C" fn(*mut c_void, *const c_char, *mut Ports) -> *mut c_void,
    destroy: unsafe extern "C" fn(*mut c_void),
    eval: unsafe extern "C" fn(*mut c_void),
    edge: unsafe extern "C" fn(*mut c_void, bool),
    fall: unsafe extern "C" fn(*mut c_void),
}

/// One frame width and id width, without and with trace code.
struct Compiled {
    plain: *const RawModel,
    traced: *const RawModel,
}

// SAFETY: the pointers are to immutable statics of the C++ part.
unsafe impl Sync for Compiled {}

include!(concat!(env!("OUT_DIR"), "/models.rs"));

unsafe extern "C" {
    fn ropewalk_context_new() -> *mut c_void;
    fn ropewalk_context_delete(context: *mut c_void);
    fn ropewalk_trace_open(context: *mut c_void, path: *const c_char) -> *mut c_void;
    fn ropewalk_trace_dump(trace: *mut c_void, time: u64);
    fn ropewalk_trace_close(trace: *mut c_void);
}

/// The models that were compiled in.
pub(super) fn names() -> &'static [(u16, u8)] {
    &NAMES
}

/// What the instances of one link have in common for the simulator.
#[derive(Debug)]
pub(super) struct Context(NonNull<c_void>);

impl Context {
    pub(super) fn new() -> Rc<Self> {
        // SAFETY: no arguments; the result is owned by this value and deleted once, in `drop`.
        let raw = unsafe { ropewalk_context_new() };
        // C++ `new` throws rather than give null.
        Rc::new(Self(NonNull::new(raw).expect("a context")))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: made by ropewalk_context_new; instances hold an `Rc` of it, so none is left.
        unsafe { ropewalk_context_delete(self.0.as_ptr()) }
    }
}

/// One instance of a model.
pub(super) struct Instance {
    raw: NonNull<c_void>,
    model: &'static RawModel,
    pub(super) ports: Ports,
    /// Deleted after the instance: fields drop after `drop` has run.
    _context: Rc<Context>,
}

impl Instance {
    /// `None` when there is no such model.
    pub(super) fn new(
        context: &Rc<Context>,
        name: &str,
        model: (u16, u8),
        traced: bool,
    ) -> Option<Self> {
        let index = NAMES.iter().position(|m| *m == model)?;
        let compiled = MODELS.get(index)?;
        let raw_model = if traced {
            compiled.traced
        } else {
            compiled.plain
        };
        let name = CString::new(name).ok()?;
        let mut ports = std::mem::MaybeUninit::<Ports>::uninit();
        // SAFETY: `raw_model` is the address of an immutable static; the context lives as long as the instance,
        // which holds it; the name is copied by the model; `create` fills all of `ports`.
        unsafe {
            let model = &*raw_model;
            let raw = (model.create)(context.0.as_ptr(), name.as_ptr(), ports.as_mut_ptr());
            Some(Self {
                raw: NonNull::new(raw)?,
                model,
                ports: ports.assume_init(),
                _context: Rc::clone(context),
            })
        }
    }

    /// Evaluates everything.
    #[inline]
    pub(super) fn eval(&mut self) {
        // SAFETY: `raw` is a live instance of `model`; this value is not shared between threads.
        unsafe { (self.model.eval)(self.raw.as_ptr()) }
    }

    /// Evaluates after rising clocks.
    #[inline]
    pub(super) fn edge(&mut self, settle: bool) {
        // SAFETY: as `eval`.
        unsafe { (self.model.edge)(self.raw.as_ptr(), settle) }
    }

    /// Takes note of low clocks.
    #[inline]
    pub(super) fn fall(&mut self) {
        // SAFETY: as `eval`.
        unsafe { (self.model.fall)(self.raw.as_ptr()) }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: made by `create` of the same model, destroyed once.
        unsafe { (self.model.destroy)(self.raw.as_ptr()) }
    }
}

/// An open waveform file. Drop it before the instances that it shows.
#[derive(Debug)]
pub(super) struct Trace(NonNull<c_void>);

impl Trace {
    /// Opens a file that shows all instances made in the context.
    pub(super) fn open(context: &Rc<Context>, path: &Path) -> Result<Self, SimError> {
        let fail = |message: String| SimError::TraceFile {
            path: path.to_path_buf(),
            message,
        };
        // The writer of the simulator does not say why it failed: ask the operating system first.
        std::fs::File::create(path).map_err(|e| fail(e.to_string()))?;
        let name =
            CString::new(path.as_os_str().as_encoded_bytes()).map_err(|e| fail(e.to_string()))?;
        // SAFETY: the context is live and the name a C string.
        let raw = unsafe { ropewalk_trace_open(context.0.as_ptr(), name.as_ptr()) };
        NonNull::new(raw)
            .map(Self)
            .ok_or_else(|| fail("the FST writer refused it".into()))
    }

    pub(super) fn dump(&mut self, time_fs: u64) {
        // SAFETY: an open trace; the instances live, as `Link` drops the trace first.
        unsafe { ropewalk_trace_dump(self.0.as_ptr(), time_fs) }
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        // SAFETY: opened by ropewalk_trace_open, closed once.
        unsafe { ropewalk_trace_close(self.0.as_ptr()) }
    }
}
