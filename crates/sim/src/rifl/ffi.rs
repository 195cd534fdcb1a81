// SPDX-License-Identifier: Apache-2.0
//! The verilated models as C++ shows them; mirrors `cpp/rifl_shim.h`.

use std::ffi::{CString, c_char, c_void};
use std::ptr::NonNull;
use std::rc::Rc;

use super::model::Model;
use crate::SimError;
use crate::models::{self, Building, Context, Runtime};

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
    pub user_rst: *mut u8,
    pub phy_rx_data: *mut u8,
    pub phy_tx_data: *const u8,
    pub s_tdata: *mut u8,
    pub s_tkeep: *mut u8,
    pub s_tlast: *mut u8,
    pub s_tvalid: *mut u8,
    pub s_tready: *const u8,
    pub m_tdata: *const u8,
    pub m_tkeep: *const u8,
    pub m_tlast: *const u8,
    pub m_tuser: *const u8,
    pub m_tvalid: *const u8,
    pub m_tready: *mut u8,
    pub extended: *mut u8,
    pub session_seed: *mut u8,
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

/// One compiled model.
#[repr(C)]
pub(super) struct RawModel {
    runtime: &'static Runtime,
    create: unsafe extern "C" fn(*mut c_void, *const c_char, *mut Ports) -> *mut c_void,
    destroy: unsafe extern "C" fn(*mut c_void),
    eval: unsafe extern "C" fn(*mut c_void),
    edge: unsafe extern "C" fn(*mut c_void, bool),
    fall: unsafe extern "C" fn(*mut c_void),
}

impl RawModel {
    /// The model, built and loaded if it has not been.
    pub(super) fn load(
        model: &Model,
        traced: bool,
        tell: &mut dyn FnMut(Building),
    ) -> Result<&'static Self, SimError> {
        let table = models::table(&model.recipe(traced), tell)?;
        // SAFETY: the shim of the recipe defines a `RiflModel` there, which this type mirrors and which is
        // immutable and stays loaded.
        Ok(unsafe { &*table.cast::<Self>() })
    }

    /// A context for instances of this model.
    pub(super) fn context(&self) -> Rc<Context> {
        Context::new(self.runtime)
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
    /// An instance in a context of the same model.
    pub(super) fn new(
        context: &Rc<Context>,
        name: &str,
        model: &'static RawModel,
    ) -> Result<Self, SimError> {
        let refused = || SimError::Build(format!("the simulator cannot make an instance {name}"));
        let c_name = CString::new(name).map_err(|_| refused())?;
        let mut ports = std::mem::MaybeUninit::<Ports>::uninit();
        // SAFETY: the context lives as long as the instance, which holds it; the name is copied by the model;
        // `create` fills all of `ports`.
        unsafe {
            let raw = (model.create)(context.as_ptr(), c_name.as_ptr(), ports.as_mut_ptr());
            Ok(Self {
                raw: NonNull::new(raw).ok_or_else(refused)?,
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
