// SPDX-License-Identifier: Apache-2.0
//! Files from host to host.

use crate::{Cancelled, RopewalkError, bad, detached, seconds};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ropewalk_chunk::transfer::Arrangement;
use ropewalk_chunk::transfer::job::{
    Job, JobError, Order, admit, credentials, own_address, parity,
};
use ropewalk_chunk::transfer::source::Selection;
use ropewalk_chunk::transfer::start::PORT;
use ropewalk_io::lane::network::Udp;
use ropewalk_wire::chunk::handshake::KeyPair;
use ropewalk_wire::chunk::handshake::auth::to_hex;
use std::path::PathBuf;

pub(crate) fn failed(error: JobError) -> PyErr {
    match error {
        JobError::Cancelled => Cancelled::new_err(error.to_string()),
        JobError::Failed(text) => RopewalkError::new_err(text),
    }
}

/// Both or none.
pub(crate) fn pair<'a>(
    key: Option<&'a str>,
    others: Option<&'a str>,
    names: &str,
) -> PyResult<Option<(&'a str, &'a str)>> {
    match (key, others) {
        (Some(key), Some(others)) => Ok(Some((key, others))),
        (None, None) => Ok(None),
        _ => Err(bad(format!("one of {names}: accepted are both or none"))),
    }
}

/// How the ends know each other.
pub(crate) struct Ends<'a> {
    pub(crate) code: Option<&'a str>,
    pub(crate) key: Option<&'a str>,
    pub(crate) peer_key: Option<&'a str>,
    pub(crate) trusted: bool,
}

/// The greatest rate that can be asked for, in bit/s.
const MOST_RATE: f64 = 1e15;

/// A rate in bit/s.
fn bits_per_second(rate: f64) -> PyResult<u64> {
    if (1.0..=MOST_RATE).contains(&rate) {
        return Ok(rate as u64);
    }
    Err(bad(format!(
        "rate {rate}: accepted are 1 to {MOST_RATE:e} bit/s"
    )))
}

/// How to send.
pub(crate) fn order(
    lanes: Vec<(Option<String>, String)>,
    ends: Ends<'_>,
    stable: bool,
    (mend, erasure): (u8, (u16, u16)),
    rate: Option<f64>,
    patience: f64,
) -> PyResult<Order> {
    let keys = pair(ends.key, ends.peer_key, "key and peer_key")?;
    let mut found = Vec::new();
    for (local, peer) in lanes {
        let local = local.map(|local| own_address(&local, 0));
        found.push((local.transpose().map_err(bad)?, peer));
    }
    if !(1..=16).contains(&found.len()) {
        return Err(bad(format!("{} lanes: accepted are 1 to 16", found.len())));
    }
    Ok(Order {
        lanes: found,
        arrangement: match stable {
            true => Arrangement::Stable,
            false => Arrangement::LowLatency,
        },
        fec: parity(mend, erasure).map_err(bad)?,
        rate: rate.map(bits_per_second).transpose()?,
        timeout: seconds("patience", patience)?,
        credentials: credentials(ends.code, keys, ends.trusted).map_err(bad)?,
        delta: true,
    })
}

/// A transfer of files, which runs by itself until it ends or is cancelled.
#[pyclass(frozen, module = "ropewalk._native")]
pub struct Transfer(Job);

#[pymethods]
impl Transfer {
    /// Starts to send a file or a directory.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (path, lanes, code, key, peer_key, trusted, stable, mend, erasure, rate, patience, delta, xattrs))]
    fn send(
        path: PathBuf,
        lanes: Vec<(Option<String>, String)>,
        code: Option<&str>,
        key: Option<&str>,
        peer_key: Option<&str>,
        trusted: bool,
        stable: bool,
        mend: u8,
        erasure: (u16, u16),
        rate: Option<f64>,
        patience: f64,
        delta: bool,
        xattrs: bool,
    ) -> PyResult<Self> {
        let ends = Ends {
            code,
            key,
            peer_key,
            trusted,
        };
        let mut order = order(lanes, ends, stable, (mend, erasure), rate, patience)?;
        order.delta = delta;
        let selection = Selection {
            paths: vec![path],
            xattrs,
            ..Selection::default()
        };
        Job::send(Udp, order, selection).map(Self).map_err(failed)
    }

    /// Starts to wait for a sender.
    #[staticmethod]
    #[pyo3(signature = (directory, listen, key, allow, trusted))]
    fn receive(
        py: Python<'_>,
        directory: PathBuf,
        listen: &str,
        key: Option<&str>,
        allow: Option<&str>,
        trusted: bool,
    ) -> PyResult<Self> {
        let keys = pair(key, allow, "key and allow")?;
        let admit = admit(keys, trusted).map_err(bad)?;
        let local = own_address(listen, PORT).map_err(bad)?;
        detached(py, || {
            let job = Job::receive(Udp, local, admit, directory);
            job.map(Self).map_err(failed)
        })
    }

    /// Whether it has ended well; false: it goes on after this time.
    fn wait(&self, py: Python<'_>, timeout: f64) -> PyResult<bool> {
        let timeout = seconds("timeout", timeout)?;
        detached(py, || match self.0.wait(timeout) {
            None => Ok(false),
            Some(Ok(())) => Ok(true),
            Some(Err(error)) => Err(failed(error)),
        })
    }

    /// The code that a receiver shows, if there is one within this time.
    fn code(&self, py: Python<'_>, timeout: f64) -> PyResult<Option<String>> {
        let timeout = seconds("timeout", timeout)?;
        let code = detached(py, || Ok(self.0.wait_code(timeout)))?;
        Ok(code.map(|code| code.to_string()))
    }

    /// Where a receiver waits.
    fn address(&self) -> Option<String> {
        self.0.status().local.map(|local| local.to_string())
    }

    /// How far it is.
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let now = self.0.status();
        let dict = PyDict::new(py);
        for (name, value) in [
            ("total", now.total),
            ("done", now.done),
            ("spared", now.spared),
            ("files", now.files),
            ("lost", now.lost),
            ("resent", now.resent),
            ("broken", now.broken),
        ] {
            dict.set_item(name, value)?;
        }
        dict.set_item("notes", now.notes)?;
        Ok(dict)
    }

    /// Ends it soon.
    fn cancel(&self) {
        self.0.cancel();
    }
}

/// A new key: its private and its public part.
#[pyfunction]
pub fn make_key() -> PyResult<(String, String)> {
    let pair = KeyPair::random().map_err(|error| RopewalkError::new_err(error.to_string()))?;
    Ok((to_hex(pair.private_bytes()), pair.public.to_string()))
}
