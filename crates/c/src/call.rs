// SPDX-License-Identifier: Apache-2.0
//! What every function for C does: no panic gets out, what is wrong becomes a number and a text, no
//! wait is longer than its limit or goes on after it was cancelled.

use crate::common::{RW_CANCELLED, RW_ERROR};
use parking_lot::{Mutex, MutexGuard};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a call that waits looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(10);

thread_local! {
    static TEXT: RefCell<CString> = RefCell::default();
}

/// Why a call did not do what it was to do.
pub(crate) struct Refusal {
    code: c_int,
    text: String,
}

impl Refusal {
    /// Something is wrong.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self::with(RW_ERROR, text)
    }

    /// The number of a thing that has one of its own.
    pub(crate) fn with(code: c_int, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { code, text }
    }
}

impl<T: std::error::Error> From<T> for Refusal {
    fn from(error: T) -> Self {
        Self::new(error.to_string())
    }
}

pub(crate) fn error<T>(text: &str) -> Result<T, Refusal> {
    Err(Refusal::new(text))
}

/// Does it, and turns what went wrong into a number and a text. No panic gets out.
pub(crate) fn guarded(work: impl FnOnce() -> Result<c_int, Refusal>) -> c_int {
    let done = std::panic::catch_unwind(AssertUnwindSafe(work));
    let done = done.unwrap_or_else(|_| error("internal error, please report it"));
    done.unwrap_or_else(|Refusal { code, text }| {
        let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
        TEXT.with(|it| *it.borrow_mut() = text);
        code
    })
}

/// What was wrong last, in this thread.
pub(crate) fn last_error() -> *const c_char {
    TEXT.with(|it| it.borrow().as_ptr())
}

pub(crate) fn ms(time: u32) -> Duration {
    Duration::from_millis(time.into())
}

/// The time that a call may take, and whether it was cancelled.
pub(crate) struct Limit<'a> {
    begun: Instant,
    time: Duration,
    cancelled: &'a AtomicBool,
}

impl<'a> Limit<'a> {
    pub(crate) fn new(timeout_ms: u32, cancelled: &'a AtomicBool) -> Self {
        let (begun, time) = (Instant::now(), ms(timeout_ms));
        Self {
            begun,
            time,
            cancelled,
        }
    }

    /// Attempts it at least once, for as long as each attempt is told to take at most; none if the
    /// time is over.
    pub(crate) fn until<T>(
        &self,
        mut attempt: impl FnMut(Duration) -> Result<Option<T>, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        loop {
            if self.cancelled.load(Ordering::Relaxed) {
                return Err(Refusal::with(RW_CANCELLED, "cancelled"));
            }
            let left = self.time.saturating_sub(self.begun.elapsed());
            if let Some(done) = attempt(left.min(LOOK))? {
                return Ok(Some(done));
            }
            if left.is_zero() {
                return Ok(None);
            }
        }
    }

    /// What a mutex guards, once no other call has it.
    pub(crate) fn lock<'m, T>(
        &self,
        mutex: &'m Mutex<T>,
    ) -> Result<Option<MutexGuard<'m, T>>, Refusal> {
        self.until(|most| Ok(mutex.try_lock_for(most)))
    }
}

/// What stands behind a pointer.
///
/// # Safety
/// The pointer is null, or one that this library gave and that has not been closed.
pub(crate) unsafe fn behind<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Refusal> {
    // SAFETY: as promised by the caller.
    unsafe { pointer.as_ref() }.ok_or_else(|| Refusal::new(format!("{name} is NULL")))
}

/// Puts a thing where the caller wants it.
///
/// # Safety
/// The place is null or a place for a pointer.
pub(crate) unsafe fn give<T>(
    result: *mut *mut T,
    make: impl FnOnce() -> Result<T, Refusal>,
) -> Result<c_int, Refusal> {
    if result.is_null() {
        return error("result is NULL");
    }
    let made = Box::into_raw(Box::new(make()?));
    // SAFETY: as promised by the caller.
    unsafe { *result = made };
    Ok(0)
}

/// Drops what this library gave.
///
/// # Safety
/// As [`behind`]; nobody uses it any more.
pub(crate) unsafe fn close<T>(pointer: *mut T) -> c_int {
    guarded(|| {
        if !pointer.is_null() {
            // SAFETY: as promised by the caller; it came out of a box.
            drop(unsafe { Box::from_raw(pointer) });
        }
        Ok(0)
    })
}

/// A string; none if the pointer is null.
///
/// # Safety
/// The pointer is null, or one to a string of C that stays for as long as the result.
pub(crate) unsafe fn text<'a>(
    pointer: *const c_char,
    name: &str,
) -> Result<Option<&'a str>, Refusal> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: as promised by the caller.
    let text = unsafe { CStr::from_ptr(pointer) }.to_str();
    text.map(Some)
        .map_err(|_| Refusal::new(format!("{name} is no UTF-8")))
}

/// # Safety
/// `count` bytes are there.
pub(crate) unsafe fn slice<'a>(
    bytes: *const std::ffi::c_void,
    count: usize,
) -> Result<&'a [u8], Refusal> {
    if count == 0 {
        return Ok(&[]);
    }
    if bytes.is_null() {
        return error("bytes is NULL");
    }
    // SAFETY: as promised by the caller.
    Ok(unsafe { std::slice::from_raw_parts(bytes.cast(), count) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_stays_inside() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let said = guarded(|| panic!("of a test"));
        std::panic::set_hook(hook);
        assert_eq!(said, RW_ERROR);
        // SAFETY: it is a string of this thread.
        let text = unsafe { text(last_error(), "text") };
        assert!(matches!(text, Ok(Some(text)) if text.starts_with("internal error")));
    }

    /// However long the call before it takes: the lock is held for ever here.
    #[test]
    fn who_waits_for_another_call_waits_for_its_own_time_and_can_be_cancelled() {
        let (mutex, cancelled) = (Mutex::new(()), AtomicBool::new(false));
        let _held = mutex.lock();
        let limit = Limit::new(20, &cancelled);
        assert!(matches!(limit.lock(&mutex), Ok(None)));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let limit = Limit::new(u32::MAX, &cancelled);
                limit.lock(&mutex).err().map(|refusal| refusal.code)
            });
            cancelled.store(true, Ordering::Relaxed);
            assert_eq!(waiting.join().ok(), Some(Some(RW_CANCELLED)));
        });
    }
}
