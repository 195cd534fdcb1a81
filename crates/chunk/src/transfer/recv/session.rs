// SPDX-License-Identifier: Apache-2.0
//! One sender of files, from the first word to it to its last.

use super::super::inbound::{Manners, Say, Shared, Threads, serve, silent};
use super::super::listener::Listener;
use super::super::start::{Link, StartError};
use super::super::tree::Tree;
use super::super::{PATIENCE, TURN};
use super::write::Writer;
use super::{Fault, Received};
use std::cell::{Cell, RefCell};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Time between two looks at all else than chunks.
const LOOK: Duration = Duration::from_millis(50);
/// Note about a sender that has not confirmed the end, and has left the place to another one.
const GONE: &str = "the sender went silent before it confirmed the end; another one has come";

/// Takes what a sender brings.
pub(super) fn session(
    listener: &mut Listener,
    tree: &Tree,
    link: Link,
    watch: &mut dyn FnMut(&Received),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Received, StartError> {
    let begun = Instant::now();
    let mut received = Received {
        notes: link.notes.clone(),
        ..Received::default()
    };
    let manners = Manners {
        replaceable: true,
        leave: PATIENCE,
    };
    let served = serve(link, listener, manners, |threads, shared, listener, say| {
        let watching = Watching::new(shared, watch, stop);
        write(threads, &watching, listener, (tree, say), &mut received)
    })?;
    let fault = served.fault;
    for pulled in served.pulled {
        received.drops += pulled.drops;
        received.mended.add(pulled.counters.mended);
        received.restored += pulled.counters.restored;
    }
    if served.is_replaced && fault.is_none() {
        received.notes.push(GONE.into());
    }
    if !matches!(fault, Some(Fault::Lost(_) | Fault::Left(_))) {
        listener.forget();
    }
    received.failure = fault;
    received.seconds = begun.elapsed().as_secs_f64();
    Ok(received)
}

/// Writes what comes until all is in place; else why it is not. What has come is noted then: it
/// is good for the next time.
fn write(
    threads: &Threads<'_>,
    watching: &Watching<'_>,
    listener: &mut Listener,
    (tree, say): (&Tree, Say),
    received: &mut Received,
) -> Result<(), Fault> {
    let go_on = |bytes| watching.go_on(bytes);
    let mut writer = Writer::new(tree, say, &go_on, received);
    let taken = take_chunks(threads, &mut writer, watching, listener);
    if taken.is_err() {
        let _ = writer.note();
    }
    taken.map_err(|fault| match fault {
        // It was the silence that has ended the comparison.
        Fault::Stopped if !(watching.stop)() => silent(),
        fault => fault,
    })
}

/// Gives the writer every chunk until all is in place.
fn take_chunks(
    threads: &Threads<'_>,
    writer: &mut Writer,
    watching: &Watching<'_>,
    listener: &mut Listener,
) -> Result<(), Fault> {
    let (shared, mut looked) = (watching.shared, Instant::now());
    loop {
        if let Ok((number, chunk)) = threads.chunks.recv_timeout(TURN) {
            let at = Instant::now();
            let is_done = writer.take(&chunk.memory[..chunk.bytes])?;
            let micros = at.elapsed().as_micros() as u64;
            shared.written.micros.fetch_add(micros, Ordering::Relaxed);
            shared
                .written
                .bytes
                .store(writer.received.bytes, Ordering::Relaxed);
            threads.returns[number].give_back(chunk.memory);
            if is_done {
                return Ok(());
            }
        }
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            threads.look(shared, listener)?;
            writer.note_if_due()?;
            if (watching.stop)() {
                return Err(Fault::Stopped);
            }
            watching.show_all(writer.received);
        }
    }
}

/// Whom it is shown how far it is, also while files that are there are read and hashed.
struct Watching<'a> {
    shared: &'a Shared,
    watch: RefCell<&'a mut dyn FnMut(&Received)>,
    stop: &'a dyn Fn() -> bool,
    /// Bytes that were hashed.
    compared: Cell<u64>,
    shown: Cell<Instant>,
}

impl<'a> Watching<'a> {
    fn new(
        shared: &'a Shared,
        watch: &'a mut dyn FnMut(&Received),
        stop: &'a dyn Fn() -> bool,
    ) -> Self {
        Watching {
            shared,
            watch: RefCell::new(watch),
            stop,
            compared: Cell::new(0),
            shown: Cell::new(Instant::now()),
        }
    }

    /// So many more bytes were hashed; whether to go on.
    fn go_on(&self, bytes: u64) -> bool {
        self.compared.set(self.compared.get() + bytes);
        if self.shown.get().elapsed() > LOOK {
            self.shown.set(Instant::now());
            self.show(&Received {
                compared: self.compared.get(),
                ..Received::default()
            });
        }
        !(self.stop)() && self.shared.liveness.silence() <= PATIENCE
    }

    /// All that is known.
    fn show_all(&self, received: &mut Received) {
        received.compared = self.compared.get();
        let lanes = self
            .shared
            .brought
            .iter()
            .flat_map(|lanes| lanes.lock().clone());
        received.lanes = lanes.collect();
        self.show(received);
    }

    fn show(&self, received: &Received) {
        (self.watch.borrow_mut())(received);
    }
}
