// SPDX-License-Identifier: Apache-2.0
//! The ring, the bell and the marks of shared memory under a model checker: every order in which
//! threads can go, and every value that the memory model allows a load to see.

mod sync {
    pub(crate) use loom::cell::UnsafeCell;
    pub(crate) use loom::sync::Arc;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, fence};
}
#[path = "../src/bell.rs"]
mod bell;
#[path = "../src/marks.rs"]
#[allow(dead_code, reason = "the model needs a part of it")]
mod marks;
#[path = "../src/ring.rs"]
#[allow(dead_code, reason = "the model needs a part of it")]
mod ring;

use bell::Bell;
use loom::thread;
use marks::Marks;
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

/// Two threads want a piece, one of them gives it up first, and a third one reads it: no two reach
/// it at once, which the cell would tell, and what is read is what was written.
#[test]
fn a_piece_is_written_by_one_and_read_when_it_is() {
    loom::model(|| {
        let shared = sync::Arc::new((Marks::new(1), sync::UnsafeCell::new(0)));
        let writers = [true, false].map(|gives_up| {
            let shared = sync::Arc::clone(&shared);
            thread::spawn(move || {
                let (marks, cell) = &*shared;
                let mut mine = marks.claim(0);
                if mine && gives_up {
                    // SAFETY: the piece is this thread's.
                    cell.with_mut(|piece| unsafe { *piece = 9 });
                    marks.release(0);
                    mine = marks.claim(0);
                }
                if mine {
                    // SAFETY: as above.
                    cell.with_mut(|piece| unsafe { *piece = 7 });
                    marks.commit(0);
                }
                mine
            })
        });
        let (marks, cell) = &*shared;
        if marks.is_written(0) {
            // SAFETY: nobody writes it any more.
            assert_eq!(cell.with(|piece| unsafe { *piece }), 7);
        }
        let written = writers.map(|writer| writer.join().unwrap());
        assert!(written[0] != written[1] && marks.is_written(0));
    });
}
