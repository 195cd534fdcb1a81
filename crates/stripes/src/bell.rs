// SPDX-License-Identifier: Apache-2.0
//! How a thread that sleeps learns that there is something to do, without a wake-up that gets lost
//! and without a lock.
//!
//! ```text
//! sleeper                                   others
//!   announce: asleep = true, fence            publish an item (or room, or the end), fence
//!   look at everything once more              asleep? then take the mark away and wake the thread
//!   found something: cancel
//!   found nothing: sleep while asleep
//! ```
//!
//! Of the two fences one comes first. If it is the sleeper's, the other side sees `asleep`; if it
//! is the other side's, the sleeper sees the item when it looks once more. So one of them always
//! acts. While nobody sleeps, an item costs the others a fence and a load.

use super::sync::{AtomicBool, fence};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};

/// The mark of a sleeper.
#[derive(Debug)]
pub(crate) struct Bell {
    asleep: AtomicBool,
}

impl Bell {
    pub(crate) fn new() -> Self {
        Self {
            asleep: AtomicBool::new(false),
        }
    }

    /// The owner is about to sleep. It has to look at everything once more before it does.
    pub(crate) fn announce(&self) {
        // A swap, so that the mark comes behind whatever took the last one away.
        self.asleep.swap(true, AcqRel);
        fence(SeqCst);
    }

    /// The owner does not sleep after all, or has woken up.
    pub(crate) fn cancel(&self) {
        self.asleep.store(false, Relaxed);
    }

    /// Whether nobody has rung since [`Bell::announce`].
    pub(crate) fn is_asleep(&self) -> bool {
        self.asleep.load(Acquire)
    }

    /// To be called after what was published and a sequentially consistent fence: whether the owner
    /// has to be woken, which then is up to the caller alone.
    #[must_use]
    pub(crate) fn ring(&self) -> bool {
        self.asleep.load(Relaxed) && self.asleep.swap(false, AcqRel)
    }
}
