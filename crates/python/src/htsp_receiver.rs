// SPDX-License-Identifier: Apache-2.0
//! The receiver of an HTSP link for data takers.

use crate::block::Block;
use crate::htsp::{closed, counters, failed};
use crate::{RopewalkError, bad, detached, seconds};
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ropewalk_io::htsp::receiver::{Options, ReceiveError, Receiver};
use ropewalk_io::htsp::{Backend, Gap, Settings, State};
use ropewalk_io::measure::Load;
use std::path::PathBuf;
use std::time::Duration;

/// Largest batch, bytes.
const BATCH: usize = 1 << 30;

/// Channel, position, length if it is known, reason, frames of the link.
type Row = (u8, u64, Option<u64>, &'static str, u64);

fn row(gap: &Gap) -> Row {
    let missing = gap.missing;
    let reason = missing.reason.word();
    (
        gap.channel,
        gap.offset,
        missing.bytes,
        reason,
        missing.frames,
    )
}

fn stopped(error: ReceiveError) -> PyErr {
    match error {
        ReceiveError::Stopped => closed(),
        error => failed(error),
    }
}

/// A receiver on a network interface.
#[pyclass(frozen, module = "ropewalk._native")]
pub struct HtspReceiver(Mutex<Option<Receiver>>);

impl HtspReceiver {
    /// Does it with what is open.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Receiver) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        detached(py, || work(self.0.lock().as_mut().ok_or_else(closed)?))
    }
}

#[pymethods]
impl HtspReceiver {
    #[new]
    #[pyo3(signature = (interface, channels, batch, delay, ethertype, alive, silence, xdp, state, sync))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        interface: String,
        channels: Vec<i64>,
        batch: usize,
        delay: f64,
        ethertype: u16,
        alive: f64,
        silence: f64,
        xdp: bool,
        state: Option<PathBuf>,
        sync: bool,
    ) -> PyResult<Self> {
        let settings = Settings {
            backend: if xdp { Backend::Xdp } else { Backend::Packet },
            ethertype,
            alive: seconds("alive", alive)?,
            silence: seconds("silence", silence)?,
            ..Settings::default()
        };
        if !(1..=BATCH).contains(&batch) {
            return Err(bad(format!(
                "batch {batch}: accepted are 1 to {BATCH} bytes"
            )));
        }
        let last = i64::from(settings.channels) - 1;
        let mut taken = Vec::new();
        for channel in channels {
            match u8::try_from(channel) {
                Ok(it) if channel <= last && !taken.contains(&it) => taken.push(it),
                _ => {
                    return Err(bad(format!(
                        "channel {channel}: accepted are 0 to {last}, each once"
                    )));
                }
            }
        }
        if taken.is_empty() {
            return Err(bad("0 channels: accepted is 1 channel or more"));
        }
        let options = Options {
            channels: taken,
            batch,
            delay: seconds("delay", delay)?,
            ..Options::default()
        };
        detached(py, || {
            let state = state.map(|path| State::open(&path, sync));
            let state = state.transpose().map_err(failed)?;
            let link = settings.open(&interface).map_err(failed)?;
            let receiver = Receiver::start(link, &settings, &options, state).map_err(failed)?;
            Ok(Self(Some(receiver).into()))
        })
    }

    /// The next batch within this time: channel, position, bytes, whether they begin a user frame,
    /// behind which of them one ended (64 bits each, in the order of this machine), TUSER of each
    /// of those (first, last), what is missing in front.
    #[allow(clippy::type_complexity)]
    fn recv(
        &self,
        py: Python<'_>,
        timeout: f64,
    ) -> PyResult<Option<(u8, u64, Block, bool, Block, Block, Vec<Row>)>> {
        let timeout = seconds("timeout", timeout)?;
        self.with(py, |receiver| {
            let batch = receiver.recv(timeout).map_err(stopped)?;
            Ok(batch.map(|it| {
                let ends = it.ends.iter().flat_map(|end| end.to_ne_bytes()).collect();
                let ends = Block::read_only(ends);
                let tusers = it
                    .tusers
                    .iter()
                    .flat_map(|it| [it.first, it.last])
                    .collect();
                let tusers = Block::read_only(tusers);
                let missing = it.missing.iter().map(row).collect();
                let data = Block::lent(it.bytes);
                (
                    it.channel, it.offset, data, it.begins, ends, tusers, missing,
                )
            }))
        })
    }

    /// All that was handed over is taken.
    fn commit(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |receiver| receiver.commit().map_err(stopped))
    }

    /// What was missing in all batches so far, and how many places are no longer among them.
    fn missing(&self, py: Python<'_>) -> PyResult<(Vec<Row>, u64)> {
        self.with(py, |receiver| {
            let rows = receiver.missing().map(row).collect();
            Ok((rows, receiver.forgotten()))
        })
    }

    /// Which run this is by its state.
    fn run(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |receiver| Ok(receiver.run()))
    }

    /// State and counters.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let now = self.with(py, |receiver| Ok(receiver.stats()))?;
        counters(py, &now)
    }

    /// Stops it.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || {
            let receiver = self.0.lock().take();
            let done = receiver.map(Receiver::close).transpose();
            done.map(drop).map_err(failed)
        })
    }
}

/// A sender that does as little for each frame as can be done, for measurements.
#[pyclass(frozen, module = "ropewalk._native")]
pub struct HtspLoad(Mutex<Option<Load>>);

#[pymethods]
impl HtspLoad {
    #[new]
    fn new(py: Python<'_>, interface: String, burst: usize) -> PyResult<Self> {
        detached(py, || {
            let load = Load::start(&interface, burst).map_err(failed)?;
            Ok(Self(Some(load).into()))
        })
    }

    /// Ends it. Bytes that were sent.
    fn stop(&self, py: Python<'_>) -> PyResult<u64> {
        detached(py, || match self.0.lock().take() {
            Some(load) => load.stop().map_err(failed),
            None => Ok(0),
        })
    }
}

/// What the packet ring of an interface does alone: bytes of payload, seconds and processor time
/// until so many bytes have come out of it, or nothing more comes.
#[pyfunction]
pub fn measure_ring(py: Python<'_>, interface: String, bytes: u64) -> PyResult<(u64, f64, f64)> {
    detached(py, || {
        let patience = Duration::from_secs(2);
        let figures = ropewalk_io::measure::ring(&interface, bytes, patience);
        let figures = figures.map_err(|error| RopewalkError::new_err(error.to_string()))?;
        Ok((figures.bytes, figures.seconds, figures.cpu_seconds))
    })
}
