// SPDX-License-Identifier: Apache-2.0
//! Ropewalk for Python: the part of the package that is no Python, `ropewalk._native`. What users
//! call stands in `ropewalk/`, which waits in short steps, so that an interrupt of the keyboard is
//! seen; its types are in `ropewalk/_native.pyi`.

mod block;
mod chunk;
mod htsp;
mod htsp_receiver;
mod memory;
mod rdma;
mod rifl;
mod sweep;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

create_exception!(
    ropewalk,
    RopewalkError,
    PyException,
    "What a link, a transfer or a simulation has failed with."
);
create_exception!(ropewalk, Cancelled, RopewalkError, "It was cancelled.");
create_exception!(
    ropewalk,
    Closed,
    RopewalkError,
    "The end of a link has stopped."
);

/// Does it without the lock of the interpreter. No panic gets out.
fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    py.detach(|| {
        let done = catch_unwind(AssertUnwindSafe(work));
        done.unwrap_or_else(|_| {
            let text = "internal error, please report it";
            Err(RopewalkError::new_err(text))
        })
    })
}

fn bad(what: impl ToString) -> PyErr {
    PyValueError::new_err(what.to_string())
}

/// A time in seconds; any number is one, infinity too.
fn seconds(name: &str, time: f64) -> PyResult<Duration> {
    if time.is_nan() || time < 0.0 {
        return Err(bad(format!(
            "{name} {time}: accepted are 0 seconds or more"
        )));
    }
    Ok(Duration::try_from_secs_f64(time).unwrap_or(Duration::MAX))
}

#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::block::Block;
    #[pymodule_export]
    use super::chunk::{Transfer, make_key};
    #[pymodule_export]
    use super::htsp::HtspEnd;
    #[pymodule_export]
    use super::htsp_receiver::{HtspLoad, HtspReceiver, measure_ring};
    #[pymodule_export]
    use super::memory::{Inlet, Outlet};
    #[pymodule_export]
    use super::rdma::{RdmaBuffer, RdmaEngine, RdmaPage, RdmaTransfer, RdmaWindow};
    #[pymodule_export]
    use super::rifl::simulate_rifl;
    #[pymodule_export]
    use super::sweep::{Sweep, run_case};
    #[pymodule_export]
    use super::{Cancelled, Closed, RopewalkError};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
