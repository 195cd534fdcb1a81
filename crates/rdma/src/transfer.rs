// SPDX-License-Identifier: Apache-2.0
//! A transfer that was posted.

use crate::channels::{End, Hold};
use crate::engine::Inner;
use crate::wait::Wait;
use crate::{Buffer, Error};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

/// What a transfer gives back when it is done.
pub trait Back: Sized + sealed::Sealed {}

impl Back for () {}
impl Back for Buffer {}

mod sealed {
    use super::{Buffer, Hold};

    pub trait Sealed: Sized {
        /// Out of what the transfer used.
        fn out(hold: Hold) -> Option<Self>;
    }

    impl Sealed for () {
        fn out(_: Hold) -> Option<Self> {
            Some(())
        }
    }

    impl Sealed for Buffer {
        fn out(hold: Hold) -> Option<Self> {
            match hold {
                Hold::Target(buffer) => Some(buffer),
                _ => None,
            }
        }
    }
}

/// A transfer under way, or over: the only handle of its channel.
///
/// It may be dropped at any time: the transfer goes on, and its channel and what it uses come free
/// when its end is seen by any later read of the page.
#[derive(Debug)]
#[must_use = "dropping it leaves the transfer to itself: nobody will know how it ends"]
pub struct Transfer<T = ()> {
    engine: Arc<Inner>,
    page: u8,
    channel: u8,
    taken: bool,
    back: PhantomData<fn() -> T>,
}

impl<T> Transfer<T> {
    pub(crate) fn new(engine: Arc<Inner>, page: u8, channel: u8) -> Self {
        Self {
            engine,
            page,
            channel,
            taken: false,
            back: PhantomData,
        }
    }

    /// Its channel.
    #[must_use]
    pub fn channel(&self) -> u8 {
        self.channel
    }

    /// As a bit of what [`crate::Page::collect`] returns; none once its end was taken, as the
    /// channel may be another's.
    #[must_use]
    pub fn bit(&self) -> u64 {
        u64::from(!self.taken) << self.channel
    }

    pub(crate) fn is_of(&self, engine: &Arc<Inner>, page: u8) -> bool {
        Arc::ptr_eq(&self.engine, engine) && self.page == page
    }
}

impl<T: Back> Transfer<T> {
    /// The end, if a read of any handle has shown it; no access to the device.
    ///
    /// # Errors
    /// How it failed; or it was taken before.
    pub fn take(&mut self) -> Result<Option<T>, Error> {
        if self.taken {
            return Err(Error::Taken);
        }
        let (page, channel) = (self.page, self.channel);
        let end = self.engine.tables[usize::from(page)].lock().take(channel);
        self.taken = end.is_some();
        match end {
            None => Ok(None),
            Some(End::Done(hold)) => Ok(T::out(hold)),
            Some(End::Failed) => Err(Error::Failed { page, channel }),
            Some(End::Lost) => Err(Error::Lost { page, channel }),
        }
    }

    /// The end, if it is there: one read of its own channel, unless it is known.
    ///
    /// # Errors
    /// As [`Transfer::take`]; or the device has ended.
    pub fn poll(&mut self) -> Result<Option<T>, Error> {
        if self.taken {
            return Err(Error::Taken);
        }
        {
            let mut table = self.engine.tables[usize::from(self.page)].lock();
            if table.over() & self.bit() == 0 {
                let state = self.engine.state(self.page, self.channel)?;
                table.saw(self.channel, state, self.engine.patience);
            }
        }
        self.take()
    }

    /// Waits for the end: looks again and again, first at once, then giving the processor to others
    /// in between.
    ///
    /// # Errors
    /// As [`Transfer::poll`]; or it does not end within `time`, and then goes on.
    pub fn wait(&mut self, time: Duration) -> Result<T, Error> {
        let mut wait = Wait::new(time, "the transfer has not ended");
        loop {
            if let Some(back) = self.poll()? {
                return Ok(back);
            }
            wait.turn(&*self.engine.device)?;
        }
    }
}

impl<T> Drop for Transfer<T> {
    fn drop(&mut self) {
        if !self.taken {
            self.engine.tables[usize::from(self.page)]
                .lock()
                .abandon(self.channel);
        }
    }
}
