// SPDX-License-Identifier: Apache-2.0
//! One end of an HTSP link.

use crate::block::Block;
use crate::{Closed, RopewalkError, bad, detached, seconds};
use parking_lot::Mutex;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ropewalk_io::htsp::{Backend, Host, Reader, SendError, Settings, Stats, Writer};
use ropewalk_wire::htsp::{Last, Tuser};

pub fn failed(error: impl ToString) -> PyErr {
    RopewalkError::new_err(error.to_string())
}

struct Open {
    host: Mutex<Host>,
    writers: Vec<Mutex<Writer>>,
    readers: Vec<Mutex<Reader>>,
}

/// One end on a network interface.
#[pyclass(frozen, module = "ropewalk._native")]
pub struct HtspEnd(parking_lot::RwLock<Option<Open>>);

fn lane<T>(lanes: &[Mutex<T>], channel: usize) -> PyResult<&Mutex<T>> {
    lanes.get(channel).ok_or_else(|| {
        let last = lanes.len() - 1;
        bad(format!("channel {channel}: accepted are 0 to {last}"))
    })
}

impl HtspEnd {
    /// Does it with what is open; who closes waits for it.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Open) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        detached(py, || {
            let open = self.0.read();
            work(open.as_ref().ok_or_else(closed)?)
        })
    }
}

/// State and counters for Python.
pub fn counters<'py>(py: Python<'py>, now: &Stats) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("link_up", now.link_up)?;
    dict.set_item("peer_ready", now.peer_ready)?;
    for (name, value) in [
        ("frames_sent", now.sum(|it| it.tx.frames)),
        ("frames_cut", now.sum(|it| it.tx.cut)),
        ("frames_good", now.sum(|it| it.rx.frames)),
        ("frames_bad", now.sum(|it| it.rx.errors)),
        ("lost", now.rx.lost),
        ("overflows", now.sum(|it| it.overflows)),
        ("ring_overflows", now.gaps),
    ] {
        dict.set_item(name, value)?;
    }
    Ok(dict)
}

pub fn closed() -> PyErr {
    Closed::new_err("the end of the link has stopped")
}

#[pymethods]
impl HtspEnd {
    #[new]
    #[pyo3(signature = (interface, ethertype, burst, alive, silence, xdp, rate))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        interface: String,
        ethertype: u16,
        burst: usize,
        alive: f64,
        silence: f64,
        xdp: bool,
        rate: Option<f64>,
    ) -> PyResult<Self> {
        let settings = Settings {
            backend: if xdp { Backend::Xdp } else { Backend::Packet },
            ethertype,
            burst,
            alive: seconds("alive", alive)?,
            silence: seconds("silence", silence)?,
            rate,
            ..Settings::default()
        };
        detached(py, || {
            let link = settings.open(&interface).map_err(failed)?;
            let mut host = Host::start(link, &settings, None).map_err(failed)?;
            let channels = 0..settings.channels;
            let writers = channels.clone().filter_map(|it| host.writer(it));
            let writers = writers.map(Mutex::new).collect();
            let readers = channels.filter_map(|it| host.reader(it));
            let readers = readers.map(Mutex::new).collect();
            let host = Mutex::new(host);
            let open = Open {
                host,
                writers,
                readers,
            };
            Ok(Self(Some(open).into()))
        })
    }

    /// How many bytes of a user frame were taken within this time. TUSER is of its first and last
    /// beat.
    fn send(
        &self,
        py: Python<'_>,
        channel: usize,
        bytes: PyBuffer<u8>,
        last: bool,
        tuser: (u8, u8),
        timeout: f64,
    ) -> PyResult<usize> {
        let tuser = Tuser {
            first: tuser.0,
            last: tuser.1,
        };
        let (timeout, bytes) = (seconds("timeout", timeout)?, bytes.to_vec(py)?);
        let last = if last { Last::Yes } else { Last::No };
        self.with(py, |open| {
            let mut writer = lane(&open.writers, channel)?.lock();
            let sent = writer.send_tuser(&bytes, last, tuser, timeout);
            sent.map_err(|error| match error {
                SendError::Closed => closed(),
                SendError::Empty => bad(error),
            })
        })
    }

    /// What has arrived next within this time: bytes, and whether they are the first, the last of
    /// their user frame, which ends in error; TUSER of its first and last beat.
    #[allow(clippy::type_complexity)]
    fn recv(
        &self,
        py: Python<'_>,
        channel: usize,
        timeout: f64,
    ) -> PyResult<Option<(Block, bool, bool, bool, u8, u8)>> {
        let timeout = seconds("timeout", timeout)?;
        self.with(py, |open| {
            let piece = lane(&open.readers, channel)?.lock().recv(timeout);
            let piece = piece.map_err(|_| closed())?;
            Ok(piece.map(|it| {
                let Tuser { first, last } = it.tuser;
                (it.bytes.into(), it.start, it.end, it.error, first, last)
            }))
        })
    }

    /// Whether all that was sent is on the line within this time.
    fn flush(&self, py: Python<'_>, timeout: f64) -> PyResult<bool> {
        let timeout = seconds("timeout", timeout)?;
        self.with(py, |open| {
            let flushing = open.host.lock().flushing();
            let flushed = flushing.wait(timeout);
            match flushed || open.host.lock().is_running() {
                true => Ok(flushed),
                false => Err(closed()),
            }
        })
    }

    /// State and counters.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let now = self.with(py, |open| Ok(open.host.lock().stats()))?;
        counters(py, &now)
    }

    /// Stops it.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || {
            let open = self.0.write().take();
            let Some(open) = open else {
                return Ok(());
            };
            open.host.into_inner().close().map(drop).map_err(failed)
        })
    }
}
