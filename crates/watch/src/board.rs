// SPDX-License-Identifier: Apache-2.0
//! Where a source and the server meet.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::metrics::openmetrics;
use crate::state::{Order, State};

/// Orders that may wait for the source.
const MOST_ORDERS: usize = 64;

/// Why an order was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It is not one, or names something that is not accepted.
    Bad(String),
    /// The source takes no orders.
    None,
    /// Too many wait.
    Busy,
}

#[derive(Debug)]
struct Inner {
    state: State,
    /// The same as JSON.
    text: Arc<str>,
    /// States so far.
    number: u64,
    orders: VecDeque<Order>,
    closed: bool,
}

/// The present state of a link, and what is to be done to it. Source and server share one.
#[derive(Debug)]
pub struct Board {
    inner: Mutex<Inner>,
    changed: Condvar,
}

fn json(state: &State) -> Arc<str> {
    // A state has nothing that has no JSON: no maps with keys other than text, no foreign types.
    serde_json::to_string(state).unwrap_or_default().into()
}

impl Board {
    /// A board with its first state.
    #[must_use]
    pub fn new(state: State) -> Self {
        Self {
            inner: Mutex::new(Inner {
                text: json(&state),
                state,
                number: 1,
                orders: VecDeque::new(),
                closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// A thread that has panicked while it held the lock has left nothing half done.
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }

    /// Replaces the state.
    pub fn publish(&self, state: State) {
        let text = json(&state);
        let mut inner = self.inner();
        inner.state = state;
        inner.text = text;
        inner.number += 1;
        drop(inner);
        self.changed.notify_all();
    }

    /// Nothing more will be published: who listens is sent away.
    pub fn close(&self) {
        self.inner().closed = true;
        self.changed.notify_all();
    }

    /// The present state as JSON.
    #[must_use]
    pub fn json(&self) -> Arc<str> {
        Arc::clone(&self.inner().text)
    }

    /// The present state as OpenMetrics text.
    #[must_use]
    pub fn metrics(&self) -> String {
        let state = self.inner().state.clone();
        openmetrics(&state)
    }

    /// Waits at most `patience` for a state newer than the one of this number; gives number and
    /// JSON of the present one. None: the board is closed.
    #[must_use]
    pub fn wait(&self, number: u64, patience: Duration) -> Option<(u64, Arc<str>)> {
        let until = Instant::now() + patience;
        let mut inner = self.inner();
        while inner.number <= number && !inner.closed {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            self.changed.wait_for(&mut inner, left);
        }
        (!inner.closed).then(|| (inner.number, Arc::clone(&inner.text)))
    }

    /// Takes an order for the source, if it is one.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn order(&self, body: &[u8]) -> Result<(), Refusal> {
        let mut inner = self.inner();
        if inner.state.what_if.is_empty() {
            return Err(Refusal::None);
        }
        let order: Order = serde_json::from_slice(body)
            .map_err(|error| Refusal::Bad(format!("not an order: {error}")))?;
        let controls = &inner.state.what_if;
        let Some(control) = controls.iter().find(|it| it.action == order.action) else {
            let accepted: Vec<_> = controls.iter().map(|it| it.action).collect();
            return Err(Refusal::Bad(format!(
                "action '{:.40}'; accepted: {}",
                order.action,
                accepted.join(", ")
            )));
        };
        control.check(&order).map_err(Refusal::Bad)?;
        if inner.orders.len() == MOST_ORDERS {
            return Err(Refusal::Busy);
        }
        inner.orders.push_back(order);
        Ok(())
    }

    /// What is to be done, in its order; nothing of it is given twice.
    #[must_use]
    pub fn take_orders(&self) -> Vec<Order> {
        self.inner().orders.drain(..).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Control, Input, InputKind};

    fn board() -> Board {
        let lane = InputKind::Choice {
            options: vec!["0".to_owned(), "1".to_owned()],
        };
        let number = InputKind::Number {
            min: -5.0,
            max: 5.0,
            value: 0.0,
            unit: "ppm",
        };
        let input = |name, kind| Input {
            name,
            label: name,
            kind,
        };
        Board::new(State {
            what_if: vec![Control {
                action: "heat",
                label: "Heat",
                help: "",
                inputs: vec![input("lane", lane), input("ppm", number)],
            }],
            ..State::new("a link")
        })
    }

    #[test]
    fn orders_are_checked_and_given_once() {
        let board = board();
        let order = |text: &str| board.order(text.as_bytes());
        assert_eq!(
            order(r#"{"action":"heat","values":{"lane":1,"ppm":-2.5}}"#),
            Ok(())
        );
        for (text, part) in [
            ("", "not an order"),
            ("[]", "not an order"),
            (r#"{"action":"heat","more":1}"#, "not an order"),
            (r#"{"action":"burn"}"#, "accepted: heat"),
            (r#"{"action":"heat","values":{"lane":1}}"#, "ppm is missing"),
            (
                r#"{"action":"heat","values":{"lane":2,"ppm":0}}"#,
                "lane 2; accepted: 0 to 1",
            ),
            (
                r#"{"action":"heat","values":{"lane":0.5,"ppm":0}}"#,
                "lane 0.5",
            ),
            (
                r#"{"action":"heat","values":{"lane":0,"ppm":5.5}}"#,
                "accepted: -5 to 5",
            ),
            (
                r#"{"action":"heat","values":{"lane":0,"ppm":1,"x":1}}"#,
                "takes no x",
            ),
        ] {
            match order(text) {
                Err(Refusal::Bad(why)) => assert!(why.contains(part), "{text}: {why}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        let taken = board.take_orders();
        assert_eq!(taken.len(), 1);
        assert_eq!((taken[0].index("lane"), taken[0].number("ppm")), (1, -2.5));
        assert!(board.take_orders().is_empty());
    }

    #[test]
    fn a_source_that_is_busy_is_not_buried_and_one_without_controls_takes_nothing() {
        let board = board();
        let text = br#"{"action":"heat","values":{"lane":1,"ppm":0}}"#;
        for _ in 0..MOST_ORDERS {
            assert_eq!(board.order(text), Ok(()));
        }
        assert_eq!(board.order(text), Err(Refusal::Busy));
        let still = Board::new(State::new("no simulation"));
        assert_eq!(still.order(text), Err(Refusal::None));
    }

    #[test]
    fn who_waits_sees_the_next_state_and_the_end() {
        let board = Arc::new(board());
        let (number, _) = board.wait(0, Duration::ZERO).expect("open");
        let (same, _) = board.wait(number, Duration::from_millis(1)).expect("open");
        assert_eq!(same, number);
        let other = Arc::clone(&board);
        let waiting = std::thread::spawn(move || other.wait(number, Duration::from_secs(60)));
        board.publish(State::new("the next one"));
        let (next, text) = waiting.join().expect("no panic").expect("open");
        assert_eq!(next, number + 1);
        assert!(text.contains("the next one"), "{text}");
        board.close();
        assert_eq!(board.wait(next, Duration::from_secs(60)), None);
    }
}
