// SPDX-License-Identifier: Apache-2.0
//! Engines of the real RTL, cycle by cycle (`ropewalk-sim`): two of them with their memories and a
//! network that may lose packets, or those of all nodes of a network of RIFL links and switches.
//!
//! The simulation runs in a thread of its own. Its time passes while an engine is accessed, and in
//! loops that wait, for all engines.

use crate::device::{Device, DeviceError, PAGE, STATES};
use ropewalk_sim::SimError;
use ropewalk_sim::rdma::{AccessError, Engine};
use ropewalk_sim::stack::Stack;
use std::ops::Range;
use std::sync::mpsc::{self, Sender};

pub use ropewalk_sim::rdma::{MemoryConfig, Model, NetworkConfig, PairConfig};
pub use ropewalk_sim::stack::{LinkFaults, LinkResult, StackConfig};

/// Cycles of a round of a loop that waits.
const ROUND: u64 = 32;

/// What is simulated.
enum World {
    Pair([Engine; 2]),
    Stack(Stack),
}

impl World {
    fn engines(&self) -> &[Engine] {
        match self {
            Self::Pair(engines) => engines,
            Self::Stack(stack) => stack.engines(),
        }
    }
}

/// What the thread is to do with it.
type Request = Box<dyn FnOnce(&World) + Send>;

/// The engine of one node.
#[derive(Debug, Clone)]
pub struct Simulated {
    node: usize,
    pages: u8,
    wide: bool,
    memory: u64,
    requests: Sender<Request>,
}

impl Simulated {
    /// Two engines after their reset. Their simulator is built if it has not been.
    ///
    /// # Errors
    /// A parameter is out of range, or the simulator cannot be built.
    pub fn pair(config: &PairConfig) -> Result<[Self; 2], SimError> {
        let config = *config;
        let first = Self::begin(&config.model, &config.memory, move || {
            Engine::pair(&config).map(World::Pair)
        })?;
        Ok([0, 1].map(|node| first.of(node)))
    }

    /// The engines of all nodes of a network after their reset, with all links open. Its simulators
    /// are built if they have not been.
    ///
    /// # Errors
    /// A parameter is out of range, or a simulator cannot be built.
    pub fn stack(config: &StackConfig, memory: MemoryConfig) -> Result<Vec<Self>, SimError> {
        let (model, nodes) = (config.model(), usize::from(config.topology.nodes()));
        let config = config.clone();
        let first = Self::begin(&model, &memory, move || {
            Stack::new(config, memory).map(World::Stack)
        })?;
        Ok((0..nodes).map(|node| first.of(node)).collect())
    }

    /// The thread, and its first engine.
    fn begin(
        model: &Model,
        memory: &MemoryConfig,
        build: impl FnOnce() -> Result<World, SimError> + Send + 'static,
    ) -> Result<Self, SimError> {
        let (requests, todo) = mpsc::channel::<Request>();
        let (told, begun) = mpsc::channel();
        std::thread::spawn(move || match build() {
            Ok(world) => {
                let _ = told.send(Ok(()));
                // Until all handles are gone.
                todo.iter().for_each(|request| request(&world));
            }
            Err(error) => {
                let _ = told.send(Err(error));
            }
        });
        let ended = |_| Err(SimError::Build("the simulation has ended at once".into()));
        begun.recv().unwrap_or_else(ended)?;
        Ok(Self {
            node: 0,
            pages: model.pages,
            wide: model.port_bits >= 128,
            memory: memory.bytes as u64,
            requests,
        })
    }

    fn of(&self, node: usize) -> Self {
        Self {
            node,
            ..self.clone()
        }
    }

    /// Cycles so far.
    ///
    /// # Errors
    /// The simulation has ended.
    pub fn now(&self) -> Result<u64, DeviceError> {
        self.ask(Engine::now)
    }

    /// What each link of the network has sent and seen so far; none of a pair.
    ///
    /// # Errors
    /// The simulation has ended.
    pub fn links(&self) -> Result<Vec<LinkResult>, DeviceError> {
        self.ask_world(|world| match world {
            World::Pair(_) => Vec::new(),
            World::Stack(stack) => stack.links(),
        })
    }

    fn ask<T: Send + 'static>(
        &self,
        what: impl FnOnce(&Engine) -> T + Send + 'static,
    ) -> Result<T, DeviceError> {
        let node = self.node;
        self.ask_world(move |world| what(&world.engines()[node]))
    }

    fn ask_world<T: Send + 'static>(
        &self,
        what: impl FnOnce(&World) -> T + Send + 'static,
    ) -> Result<T, DeviceError> {
        let (answer, answers) = mpsc::channel();
        let request = move |world: &World| {
            let _ = answer.send(what(world));
        };
        let _ = self.requests.send(Box::new(request));
        let ended = |_| DeviceError::Ended("its thread has stopped".into());
        answers.recv().map_err(ended)
    }

    fn access<T: Send + 'static>(
        &self,
        (place, offset): (&'static str, u32),
        what: impl FnOnce(&Engine) -> Result<T, AccessError> + Send + 'static,
    ) -> Result<T, DeviceError> {
        self.ask(what)?.map_err(|error| match error {
            AccessError::Refused => DeviceError::Refused {
                what: place,
                offset,
            },
            other => DeviceError::Ended(format!("{place} {offset:#x}: {other}")),
        })
    }

    /// Byte of the port.
    fn place(&self, page: u8, offset: u16, state: bool) -> u64 {
        let page = u64::from(page) + if state { u64::from(self.pages) } else { 0 };
        page * PAGE as u64 + u64::from(offset)
    }

    fn read(&self, page: u8, offset: u16, bytes: usize) -> Result<u128, DeviceError> {
        let place = self.place(page, offset, true);
        self.access(("state", offset.into()), move |engine| {
            engine.read_port(place, bytes)
        })
    }

    fn write(&self, place: u64, words: &[u64]) -> Result<(), DeviceError> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.access(("place of the port", place as u32), move |engine| {
            engine.write_port(place, &bytes)
        })
    }
}

impl Device for Simulated {
    fn read_register(&self, offset: u32) -> Result<u32, DeviceError> {
        self.access(("register", offset), move |engine| {
            engine.read_register(offset)
        })
    }

    fn write_register(&self, offset: u32, value: u32) -> Result<(), DeviceError> {
        self.access(("register", offset), move |engine| {
            engine.write_register(offset, value)
        })
    }

    fn write_descriptor(&self, page: u8, offset: u16, words: &[u64]) -> Result<(), DeviceError> {
        self.write(self.place(page, offset, false), words)
    }

    fn forget(&self, page: u8) -> Result<(), DeviceError> {
        self.write(self.place(page, 0, true), &[0])
    }

    fn read_state(&self, page: u8, offset: u16) -> Result<u64, DeviceError> {
        Ok(self.read(page, offset, 8)? as u64)
    }

    fn read_states(&self, page: u8) -> Result<[u64; 2], DeviceError> {
        if self.wide {
            let both = self.read(page, STATES, 16)?;
            return Ok([both as u64, (both >> 64) as u64]);
        }
        Ok([
            self.read_state(page, STATES)?,
            self.read_state(page, STATES + 8)?,
        ])
    }

    fn memory(&self) -> Range<u64> {
        0..self.memory
    }

    unsafe fn read_memory(&self, address: u64, bytes: &mut [u8]) {
        let (first, count) = (address as usize, bytes.len());
        let copy = move |engine: &Engine| engine.memory().bytes[first..first + count].to_vec();
        if let Ok(copied) = self.ask(copy) {
            bytes.copy_from_slice(&copied);
        }
    }

    unsafe fn write_memory(&self, address: u64, bytes: &[u8]) {
        let (first, bytes) = (address as usize, bytes.to_vec());
        let copy = move |engine: &Engine| {
            engine.memory().bytes[first..first + bytes.len()].copy_from_slice(&bytes);
        };
        let _ = self.ask(copy);
    }

    fn relax(&self, _: u32) {
        let _ = self.ask(|engine| engine.step(ROUND));
    }
}
