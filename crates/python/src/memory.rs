// SPDX-License-Identifier: Apache-2.0
//! Chunks of memory from host to host.

use crate::block::Block;
use crate::chunk::{Ends, failed, order, pair};
use crate::{bad, detached, seconds};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use ropewalk_chunk::transfer::job::{admit, own_address};
use ropewalk_chunk::transfer::memory::{self, Got, LONGEST};
use ropewalk_chunk::transfer::start::PORT;
use ropewalk_io::lane::network::Udp;

/// Sends chunks.
#[pyclass(frozen, module = "ropewalk._native")]
pub struct Outlet(memory::Outlet);

#[pymethods]
impl Outlet {
    #[new]
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (lanes, code, key, peer_key, trusted, mend, erasure, rate, patience))]
    fn new(
        lanes: Vec<(Option<String>, String)>,
        code: Option<&str>,
        key: Option<&str>,
        peer_key: Option<&str>,
        trusted: bool,
        mend: u8,
        erasure: (u16, u16),
        rate: Option<f64>,
        patience: f64,
    ) -> PyResult<Self> {
        let ends = Ends {
            code,
            key,
            peer_key,
            trusted,
        };
        let order = order(lanes, ends, false, (mend, erasure), rate, patience)?;
        memory::Outlet::open(Udp, order).map(Self).map_err(failed)
    }

    /// Whether the bytes, 4194304 at most, were taken within this time.
    fn send(&self, py: Python<'_>, bytes: PyBuffer<u8>, timeout: f64) -> PyResult<bool> {
        let timeout = seconds("timeout", timeout)?;
        let count = bytes.len_bytes();
        if count > LONGEST {
            return Err(bad(format!("{count} bytes: accepted are 0 to {LONGEST}")));
        }
        let bytes = bytes.to_vec(py)?;
        detached(py, || self.0.send(&bytes, timeout).map_err(failed))
    }

    /// Whether all has arrived within this time.
    fn finish(&self, py: Python<'_>, timeout: f64) -> PyResult<bool> {
        let timeout = seconds("timeout", timeout)?;
        detached(py, || self.0.finish(timeout).map_err(failed))
    }

    /// Ends it soon.
    fn cancel(&self) {
        self.0.cancel();
    }
}

/// Receives chunks of one sender.
#[pyclass(frozen, module = "ropewalk._native")]
pub struct Inlet(memory::Inlet);

#[pymethods]
impl Inlet {
    #[new]
    #[pyo3(signature = (listen, key, allow, trusted))]
    fn new(
        py: Python<'_>,
        listen: &str,
        key: Option<&str>,
        allow: Option<&str>,
        trusted: bool,
    ) -> PyResult<Self> {
        let keys = pair(key, allow, "key and allow")?;
        let admit = admit(keys, trusted).map_err(bad)?;
        let local = own_address(listen, PORT).map_err(bad)?;
        detached(py, || {
            let inlet = memory::Inlet::open(Udp, local, admit);
            inlet.map(Self).map_err(failed)
        })
    }

    /// Where it waits.
    fn address(&self) -> String {
        self.0.local().to_string()
    }

    /// The code that a sender has to know, if there is one within this time.
    fn code(&self, py: Python<'_>, timeout: f64) -> PyResult<Option<String>> {
        let timeout = seconds("timeout", timeout)?;
        let code = detached(py, || Ok(self.0.code(timeout)))?;
        Ok(code.map(|code| code.to_string()))
    }

    /// Whether there may be more, and the next chunk, if it arrives within this time.
    fn recv(&self, py: Python<'_>, timeout: f64) -> PyResult<(bool, Option<Block>)> {
        let timeout = seconds("timeout", timeout)?;
        detached(py, || match self.0.recv(timeout).map_err(failed)? {
            Got::Piece(piece) => {
                let (bytes, begin) = piece.into_parts();
                Ok((true, Some(Block::new(bytes, begin))))
            }
            Got::Nothing => Ok((true, None)),
            Got::End => Ok((false, None)),
        })
    }

    /// Ends it soon.
    fn cancel(&self) {
        self.0.cancel();
    }
}
