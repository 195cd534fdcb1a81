// SPDX-License-Identifier: Apache-2.0
//! What every function for C does: no panic gets out, what is wrong becomes a number and a text.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int};
use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Something is wrong, and there is a text.
pub(crate) const ERROR: c_int = -1;

thread_local! {
    static TEXT: RefCell<CString> = RefCell::default();
}

/// Why a call did not do what it was to do.
pub(crate) struct Refusal {
    code: c_int,
    text: Option<String>,
}

impl Refusal {
    /// Something is wrong.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self::with(ERROR, text)
    }

    /// The number of a thing that has one of its own.
    pub(crate) fn with(code: c_int, text: impl Into<String>) -> Self {
        let text = Some(text.into());
        Self { code, text }
    }

    /// A number that says it all.
    pub(crate) fn silent(code: c_int) -> Self {
        Self { code, text: None }
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
        if let Some(text) = text {
            let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
            TEXT.with(|it| *it.borrow_mut() = text);
        }
        code
    })
}

/// What was wrong last, in this thread.
pub(crate) fn last_error() -> *const c_char {
    TEXT.with(|it| it.borrow().as_ptr())
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
