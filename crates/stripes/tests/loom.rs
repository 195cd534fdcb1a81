// SPDX-License-Identifier: Apache-2.0
//! The ring and the bell under a model checker: every order in which two threads can go, and every
//! value that the memory model allows a load to see.

mod sync {
    pub(crate) use loom::cell::UnsafeCell;
    pub(crate) use loom::sync::Arc;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, fence};
}
#[path = "../src/bell.rs"]
mod bell;
#[path = "../src/ring.rs"]
#[allow(dead_code, reason = "the model needs a part of it")]
mod ring;

use bell::Bell;
use loom::thread;
use std::sync::atomic::Ordering::SeqCst;

/// Two items through a ring of one, with a drop at the end that finds what is left.
#[test]
fn items_cross_once_and_in_order() {
    loom::model(|| {
        let (mut writer, mut reader) = ring::ring::<Box<u32>>(1);
        let other = thread::spawn(move || {
            let mut next = 0;
            for _ in 0..3 {
                if next < 2 && writer.room(1) > 0 {
                    writer.put(Box::new(next));
                    writer.publish();
                    next += 1;
                }
            }
            next
        });
        let mut seen = 0;
        for _ in 0..3 {
            if reader.available(1) > 0 {
                assert_eq!(*reader.take(), seen);
                reader.release();
                seen += 1;
            }
        }
        assert!(other.join().unwrap() >= seen);
    });
}

/// A batch is shown at once, and what was taken of it is free at once.
#[test]
fn batches_cross() {
    loom::model(|| {
        let (mut writer, mut reader) = ring::ring::<u32>(2);
        let other = thread::spawn(move || {
            assert_eq!(writer.room(2), 2);
            writer.put(7);
            writer.put(8);
            writer.publish();
            let room = writer.room(2);
            assert!(room == 0 || room == 2, "{room}");
        });
        let count = reader.available(2);
        assert!(count == 0 || count == 2, "{count}");
        for item in 0..count {
            assert_eq!(u64::from(reader.take()), 7 + item);
        }
        reader.release();
        other.join().unwrap();
    });
}

/// The reader sleeps for ever unless it is woken: the model checker calls a lost wake-up a
/// deadlock.
#[test]
fn a_sleeper_misses_no_item() {
    loom::model(|| {
        let (mut writer, mut reader) = ring::ring::<u32>(2);
        let bell = sync::Arc::new(Bell::new());
        let sleeper = {
            let bell = sync::Arc::clone(&bell);
            thread::spawn(move || {
                for item in 0..2 {
                    while reader.available(1) == 0 {
                        bell.announce();
                        if reader.available(1) > 0 {
                            bell.cancel();
                            break;
                        }
                        while bell.is_asleep() {
                            thread::park();
                        }
                    }
                    assert_eq!(reader.take(), item);
                    reader.release();
                }
            })
        };
        for item in 0..2 {
            writer.put(item);
            writer.publish();
            sync::fence(SeqCst);
            if bell.ring() {
                sleeper.thread().unpark();
            }
        }
        sleeper.join().unwrap();
    });
}
