// SPDX-License-Identifier: Apache-2.0
//! What a piece of work says with events of `tracing`.

use parking_lot::Mutex;
use std::fmt::{Debug, Write};
use std::sync::Arc;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Does the work; a line for each event of this thread: its level, what it says, and its fields as
/// `name=value`.
pub fn events<R>(work: impl FnOnce() -> R) -> (R, Vec<String>) {
    let said = Arc::<Mutex<Vec<String>>>::default();
    let result = tracing::subscriber::with_default(Recorder(Arc::clone(&said)), work);
    let said = std::mem::take(&mut *said.lock());
    (result, said)
}

struct Recorder(Arc<Mutex<Vec<String>>>);

/// What is said, and the fields.
#[derive(Default)]
struct Line(String, String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.1, " {name}={value:?}"),
        };
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        let line = format!("{} {}{}", event.metadata().level(), line.0, line.1);
        self.0.lock().push(line);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
