// SPDX-License-Identifier: Apache-2.0
//! Sweeps: what `ropewalk.sweep` hands to the workers of a cluster, and what becomes of it. Cases
//! and outcomes are texts, JSON, so that any transport carries them unchanged.

use crate::{RopewalkError, bad, detached};
use parking_lot::Mutex;
use pyo3::prelude::*;
use ropewalk_console::json;
use ropewalk_lab::sweep::{self, Outcome, grid::Case};
use std::path::PathBuf;

fn failed(failure: impl ToString) -> PyErr {
    RopewalkError::new_err(failure.to_string())
}

fn text(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(failed)
}

/// Runs a case of a sweep; gives its outcome.
#[pyfunction]
pub fn run_case(py: Python<'_>, case: &str) -> PyResult<String> {
    let case: Case = serde_json::from_str(case).map_err(|error| bad(format!("case: {error}")))?;
    detached(py, move || text(&sweep::run(&case).map_err(failed)?))
}

/// A sweep under way: its grid, its journal, which is locked, and its table.
#[pyclass(frozen)]
pub struct Sweep(Mutex<Option<sweep::Sweep>>);

impl Sweep {
    fn with<T>(&self, work: impl FnOnce(&mut sweep::Sweep) -> PyResult<T>) -> PyResult<T> {
        let mut sweep = self.0.lock();
        let sweep = sweep.as_mut();
        work(sweep.ok_or_else(|| bad("the sweep is finished"))?)
    }
}

#[pymethods]
impl Sweep {
    #[new]
    #[pyo3(signature = (grid, out=None, fresh=false))]
    fn new(grid: PathBuf, out: Option<PathBuf>, fresh: bool) -> PyResult<Self> {
        let sweep = sweep::Sweep::begin(&grid, out.as_deref(), fresh).map_err(failed)?;
        Ok(Self(Mutex::new(Some(sweep))))
    }

    /// Cases that are not done yet.
    fn missing(&self) -> PyResult<Vec<String>> {
        self.with(|sweep| sweep.missing().iter().map(text).collect())
    }

    /// Takes note of the outcome of a case.
    fn add(&self, outcome: &str) -> PyResult<()> {
        let outcome: Outcome =
            serde_json::from_str(outcome).map_err(|error| bad(format!("outcome: {error}")))?;
        self.with(|sweep| sweep.add(outcome).map_err(failed))
    }

    /// Runs what is missing on `jobs` threads of this process. After an interrupt no case is begun.
    fn run_here(&self, py: Python<'_>, jobs: usize) -> PyResult<()> {
        detached(py, || {
            let mut interrupt = Ok(());
            let mut tell = |_, _| {
                if interrupt.is_ok() {
                    interrupt = Python::attach(|py| py.check_signals());
                }
                interrupt.is_ok()
            };
            let done = self.with(|sweep| sweep.run_here(jobs, &mut tell).map_err(failed));
            interrupt.and(done)
        })
    }

    /// Writes the table; says how it has ended, as `ropewalk sweep --json` does and in a line.
    fn finish(&self) -> PyResult<(String, String)> {
        let mut sweep = self.0.lock();
        let sweep = sweep.take().ok_or_else(|| bad("the sweep is finished"))?;
        let verdict = sweep.finish().map_err(failed)?;
        let mut document = Vec::new();
        json::write(&mut document, "sweep", &verdict).map_err(failed)?;
        let document = String::from_utf8(document).map_err(failed)?;
        Ok((document, verdict.to_string()))
    }
}
