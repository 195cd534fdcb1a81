// SPDX-License-Identifier: Apache-2.0
//! Compiled models and their instances as C++ shows them; mirrors `RopewalkModel` of
//! `cpp/runtime.h`.

use std::ffi::{CString, c_char, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::rc::Rc;

use super::{Building, Context, Recipe, Runtime, table};
use crate::SimError;

#[cfg(target_endian = "big")]
compile_error!("the wide ports of the models are read as bytes in little-endian order");

/// The addresses of the ports of a model.
///
/// # Safety
/// A type that the shim [`Ports::SHIM`] fills: `repr(C)` and with the fields of the C++ struct.
pub(crate) unsafe trait Ports: Copy {
    /// File in `crates/sim/cpp`.
    const SHIM: &'static str;
}

/// The table that a library exports.
#[repr(C)]
struct Table {
    runtime: &'static Runtime,
    create: unsafe extern "C" fn(*mut c_void, *const c_char, *mut c_void) -> *mut c_void,
    destroy: unsafe extern "C" fn(*mut c_void),
    eval: unsafe extern "C" fn(*mut c_void),
    edge: unsafe extern "C" fn(*mut c_void, bool),
    fall: unsafe extern "C" fn(*mut c_void),
}

/// One compiled model with ports `P`.
pub(crate) struct RawModel<P> {
    table: &'static Table,
    ports: PhantomData<P>,
}

impl<P> Clone for RawModel<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for RawModel<P> {}

impl<P: Ports> RawModel<P> {
    /// The model, built and loaded if it has not been.
    pub(crate) fn load(recipe: &Recipe, tell: &mut dyn FnMut(Building)) -> Result<Self, SimError> {
        assert_eq!(recipe.shim, P::SHIM, "ports of another shim");
        let table = table(recipe, tell)?;
        Ok(Self {
            // SAFETY: every library exports such a table there, which is immutable and stays
            // loaded; its shim fills `P`.
            table: unsafe { &*table.cast::<Table>() },
            ports: PhantomData,
        })
    }

    /// A context for instances of this model.
    pub(crate) fn context(self) -> Rc<Context> {
        Context::new(self.table.runtime)
    }
}

/// One instance of a model.
pub(crate) struct Instance<P> {
    raw: NonNull<c_void>,
    table: &'static Table,
    pub(crate) ports: P,
    /// Deleted after the instance: fields drop after `drop` has run.
    _context: Rc<Context>,
}

impl<P> fmt::Debug for Instance<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance").finish_non_exhaustive()
    }
}

impl<P: Ports> Instance<P> {
    /// An instance in a context of the same model.
    pub(crate) fn new(
        context: &Rc<Context>,
        name: &str,
        model: RawModel<P>,
    ) -> Result<Self, SimError> {
        let refused = || SimError::Build(format!("the simulator cannot make an instance {name}"));
        let c_name = CString::new(name).map_err(|_| refused())?;
        let mut ports = MaybeUninit::<P>::uninit();
        let table = model.table;
        // SAFETY: the context lives as long as the instance, which holds it; the name is copied by
        // the model; `create` fills all of `ports`.
        unsafe {
            let ports_at = ports.as_mut_ptr().cast();
            let raw = (table.create)(context.as_ptr(), c_name.as_ptr(), ports_at);
            Ok(Self {
                raw: NonNull::new(raw).ok_or_else(refused)?,
                table,
                ports: ports.assume_init(),
                _context: Rc::clone(context),
            })
        }
    }
}

impl<P> Instance<P> {
    /// Evaluates everything.
    #[inline]
    pub(crate) fn eval(&mut self) {
        // SAFETY: `raw` is a live instance of the table's model; this value is not shared between
        // threads.
        unsafe { (self.table.eval)(self.raw.as_ptr()) }
    }

    /// Evaluates after rising clocks.
    #[inline]
    pub(crate) fn edge(&mut self, settle: bool) {
        // SAFETY: as `eval`.
        unsafe { (self.table.edge)(self.raw.as_ptr(), settle) }
    }

    /// Takes note of low clocks.
    #[inline]
    pub(crate) fn fall(&mut self) {
        // SAFETY: as `eval`.
        unsafe { (self.table.fall)(self.raw.as_ptr()) }
    }
}

impl<P> Drop for Instance<P> {
    fn drop(&mut self) {
        // SAFETY: made by `create` of the same table, destroyed once.
        unsafe { (self.table.destroy)(self.raw.as_ptr()) }
    }
}
