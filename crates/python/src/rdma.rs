// SPDX-License-Identifier: Apache-2.0
//! Remote memory.

use crate::block::Block;
use crate::{RopewalkError, bad, detached, seconds};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTimeoutError;
use pyo3::prelude::*;
use ropewalk_rdma::lent::{Lent, LentError, Posted};
use ropewalk_rdma::mapped::{Area, Layout, Mapped, Shared};
use ropewalk_rdma::software::Network;
use ropewalk_rdma::{
    Class, Congestion, Engine, Error, Notify, Options, Page, Rate, Remote, Rights, Service, Start,
    Weights, Window,
};
use std::time::Duration;

fn failed(error: impl Into<LentError>) -> PyErr {
    let error = error.into();
    match error {
        LentError::Rdma(Error::Deadline { .. }) => PyTimeoutError::new_err(error.to_string()),
        error => RopewalkError::new_err(error.to_string()),
    }
}

/// Node in bits 63:48, byte in 47:0.
fn remote(address: u64) -> PyResult<Remote> {
    Remote::new((address >> 48) as u16, address & ((1 << 48) - 1)).map_err(failed)
}

fn number(remote: Remote) -> u64 {
    u64::from(remote.node()) << 48 | remote.address()
}

/// Class, priority, QoS; where a notification is written, and which 8 bytes.
type How = (u8, u8, u32, Option<(u64, Option<u64>)>);

fn class_of(number: u8) -> PyResult<Class> {
    match number {
        0 => Ok(Class::Small),
        1 => Ok(Class::OnePath),
        2 => Ok(Class::FourPaths),
        other => Err(bad(format!("class {other}: accepted are 0 to 2"))),
    }
}

fn options((class, priority, qos, notify): How) -> PyResult<Options> {
    let notify = notify.map(|(at, value)| remote(at).map(|at| Notify { at, value }));
    Ok(Options {
        class: class_of(class)?,
        priority,
        qos,
        notify: notify.transpose()?,
    })
}

/// A file to map, its first byte, and which map of a UIO device.
type File = (String, u64, Option<u8>);

fn area((path, offset, map): File) -> Area {
    match map {
        Some(map) => Area::uio(path, map, offset),
        None => Area::file(path, offset),
    }
}

/// An engine.
#[pyclass(frozen, module = "ropewalk._native")]
pub struct RdmaEngine(Engine);

#[pymethods]
impl RdmaEngine {
    /// Two models in this process, nodes 0 and 1.
    #[staticmethod]
    fn models(py: Python<'_>, memory: usize) -> PyResult<(Self, Self)> {
        detached(py, || {
            let network = Network::new(2, memory);
            let start = |node| {
                let start = Start {
                    node,
                    ..Start::default()
                };
                let engine = Engine::start(network.node(node), &start, Duration::ZERO);
                engine.map(Self).map_err(failed)
            };
            Ok((start(0)?, start(1)?))
        })
    }

    /// Maps and starts an engine.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (registers, port, pages, wide, memory, node, epoch, timeout))]
    fn map(
        py: Python<'_>,
        registers: File,
        port: File,
        pages: u8,
        wide: bool,
        memory: Option<(File, u64, u64, bool)>,
        node: u16,
        epoch: u8,
        timeout: f64,
    ) -> PyResult<Self> {
        let timeout = seconds("timeout", timeout)?;
        let layout = Layout {
            registers: area(registers),
            port: area(port),
            pages,
            wide,
            memory: memory.map(|(file, bytes, address, uncached)| Shared {
                area: area(file),
                bytes,
                address,
                uncached,
            }),
        };
        let start = Start {
            node,
            epoch,
            ..Start::default()
        };
        detached(py, || {
            let device =
                Mapped::open(&layout).map_err(|error| RopewalkError::new_err(error.to_string()))?;
            let engine = Engine::start(device, &start, timeout);
            engine.map(Self).map_err(failed)
        })
    }

    /// Number of this node.
    fn node(&self) -> u16 {
        self.0.node()
    }

    /// How many pages there are.
    fn pages(&self) -> u8 {
        self.0.pages()
    }

    /// Weights of the classes; None: strict priority.
    fn service(&self) -> PyResult<Option<(u8, u8, u8)>> {
        match self.0.service().map_err(failed)? {
            Service::Strict => Ok(None),
            Service::Weighted(it) => Ok(Some((it.small, it.one_path, it.four_paths))),
        }
    }

    /// Sets them.
    fn set_service(&self, weights: Option<(u8, u8, u8)>) -> PyResult<()> {
        let weighted = |(small, one_path, four_paths)| {
            Service::Weighted(Weights {
                small,
                one_path,
                four_paths,
            })
        };
        let service = weights.map_or(Service::Strict, weighted);
        self.0.set_service(service).map_err(failed)
    }

    /// How marks of the network act: fall, first, increase; None: they do nothing.
    fn congestion(&self) -> PyResult<Option<(u8, u8, u16)>> {
        let found = self.0.congestion().map_err(failed)?;
        Ok(found.map(|it| (it.fall, it.first, it.increase)))
    }

    /// Sets it.
    fn set_congestion(&self, congestion: Option<(u8, u8, u16)>) -> PyResult<()> {
        let congestion = congestion.map(|(fall, first, increase)| Congestion {
            fall,
            first,
            increase,
        });
        self.0.set_congestion(congestion).map_err(failed)
    }

    /// Whether payload of other nodes is written as it arrives.
    fn cut_through(&self) -> PyResult<bool> {
        self.0.cut_through().map_err(failed)
    }

    /// Sets it.
    fn set_cut_through(&self, on: bool) -> PyResult<()> {
        self.0.set_cut_through(on).map_err(failed)
    }

    /// Opens a page for this owner alone.
    fn page(&self, py: Python<'_>, number: u8, timeout: f64) -> PyResult<RdmaPage> {
        let timeout = seconds("timeout", timeout)?;
        detached(py, || {
            let page = self.0.open(number, timeout);
            page.map(RdmaPage).map_err(failed)
        })
    }
}

/// A page of an engine.
#[pyclass(frozen, module = "ropewalk._native")]
pub struct RdmaPage(Page);

#[pymethods]
impl RdmaPage {
    /// Registers memory.
    fn window(&self, bytes: u64, read: bool, write: bool) -> PyResult<RdmaWindow> {
        let rights = Rights::new(read, write).map_err(failed)?;
        let window = self.0.window(bytes, rights);
        window.map(RdmaWindow).map_err(failed)
    }

    /// Writes a part of a buffer to another node.
    fn write(
        &self,
        source: &RdmaBuffer,
        at: u64,
        size: u32,
        to: u64,
        how: How,
    ) -> PyResult<RdmaTransfer> {
        let (to, how) = (remote(to)?, options(how)?);
        let posted = Posted::write(&self.0, (&source.0, at), size, to, &how);
        posted.map(RdmaTransfer).map_err(failed)
    }

    /// Reads from another node into a buffer.
    fn read(
        &self,
        source: u64,
        size: u32,
        target: &RdmaBuffer,
        at: u64,
        how: How,
    ) -> PyResult<RdmaTransfer> {
        let (from, how) = (remote(source)?, options(how)?);
        let posted = Posted::read(&self.0, from, size, (&target.0, at), &how);
        posted.map(RdmaTransfer).map_err(failed)
    }

    /// Sends 1 to 32 bytes.
    fn inline(
        &self,
        py: Python<'_>,
        bytes: PyBuffer<u8>,
        to: u64,
        how: How,
    ) -> PyResult<RdmaTransfer> {
        let (to, how) = (remote(to)?, options(how)?);
        let sent = self.0.inline(&bytes.to_vec(py)?, to, &how);
        sent.map(|sent| RdmaTransfer(sent.into())).map_err(failed)
    }

    /// Sixteenths of a cycle for each 64 bytes that its transfers of a class may send; 0: no limit.
    fn rate(&self, flow: u8) -> PyResult<u16> {
        let rate = self.0.rate(class_of(flow)?).map_err(failed)?;
        Ok(rate.interval())
    }

    /// Sets it.
    fn set_rate(&self, flow: u8, interval: u16) -> PyResult<()> {
        let rate = Rate::of_interval(interval);
        self.0.set_rate(class_of(flow)?, rate).map_err(failed)
    }

    /// Reads the states of all channels: a bit for each that has ended and whose transfer has not
    /// said so.
    fn collect(&self) -> PyResult<u64> {
        self.0.collect().map_err(failed)
    }
}

/// Memory that is registered.
#[pyclass(frozen, module = "ropewalk._native")]
pub struct RdmaWindow(Window);

#[pymethods]
impl RdmaWindow {
    /// A part of it.
    fn buffer(&self, bytes: u64, align: u64) -> PyResult<RdmaBuffer> {
        if !align.is_power_of_two() {
            return Err(bad(format!("align {align}: accepted are powers of two")));
        }
        let buffer = self.0.buffer(bytes, align).map_err(failed)?;
        Ok(RdmaBuffer(buffer.into()))
    }
}

/// A part of a window.
#[pyclass(frozen, module = "ropewalk._native")]
pub struct RdmaBuffer(Lent);

#[pymethods]
impl RdmaBuffer {
    /// A byte of it as other nodes name it.
    fn address(&self, at: u64) -> PyResult<u64> {
        self.0.address(at).map(number).map_err(failed)
    }

    /// Copies into it.
    fn put(&self, py: Python<'_>, at: u64, bytes: PyBuffer<u8>) -> PyResult<()> {
        self.0.put(at, &bytes.to_vec(py)?).map_err(failed)
    }

    /// Copies out of it.
    fn get(&self, at: u64, count: u64) -> PyResult<Block> {
        self.0.get(at, count).map(Block::from).map_err(failed)
    }
}

/// A transfer under way, or over.
#[pyclass(frozen, module = "ropewalk._native")]
pub struct RdmaTransfer(Posted);

#[pymethods]
impl RdmaTransfer {
    /// Its channel.
    fn channel(&self) -> u8 {
        self.0.channel()
    }

    /// Whether it is done within this time.
    fn wait(&self, py: Python<'_>, timeout: f64) -> PyResult<bool> {
        let timeout = seconds("timeout", timeout)?;
        detached(py, || self.0.wait(timeout).map_err(failed))
    }
}
