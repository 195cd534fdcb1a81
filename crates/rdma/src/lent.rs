// SPDX-License-Identifier: Apache-2.0
//! Buffers and transfers that several hands hold, for languages in which nothing can be given away:
//! what the types of Rust promise elsewhere is checked here when it is done.

use crate::{Back, Buffer, Error, Options, Page, Remote, Transfer};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error as ThisError;

/// Why something is not done, or how a transfer has ended.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum LentError {
    /// A transfer sends the buffer.
    #[error("a transfer sends this buffer: accepted is after its end")]
    Sent,
    /// A read fills the buffer.
    #[error("a read fills this buffer: accepted is after its end")]
    Filled,
    /// A read of the buffer has failed.
    #[error(
        "the read into this buffer has failed, and may be written still: accepted is another buffer"
    )]
    Gone,
    /// More bytes than there are.
    #[error("{count} bytes: accepted are 0 to {size}")]
    Size {
        /// Asked for.
        count: u64,
        /// There are.
        size: u64,
    },
    /// As without this module.
    #[error(transparent)]
    Rdma(#[from] Error),
}

impl LentError {
    /// Whether it is the end of a transfer.
    #[must_use]
    pub fn is_end(&self) -> bool {
        matches!(
            self,
            LentError::Rdma(Error::Failed { .. } | Error::Lost { .. })
        )
    }
}

#[derive(Debug)]
enum Place {
    Here(Arc<Buffer>),
    /// A read fills it.
    Away,
    /// Its read has failed.
    Gone,
}

impl Place {
    fn here(&mut self) -> Result<&mut Arc<Buffer>, LentError> {
        match self {
            Self::Here(buffer) => Ok(buffer),
            Self::Away => Err(LentError::Filled),
            Self::Gone => Err(LentError::Gone),
        }
    }
}

/// A buffer; copies are the same one. A read has it meanwhile, and what a transfer sends cannot be
/// written.
#[derive(Debug, Clone)]
pub struct Lent(Arc<Mutex<Place>>);

impl From<Buffer> for Lent {
    fn from(buffer: Buffer) -> Self {
        Lent(Arc::new(Mutex::new(Place::Here(Arc::new(buffer)))))
    }
}

impl Lent {
    /// A byte of it, as other nodes name it.
    ///
    /// # Errors
    /// It is not here; there is no such byte.
    pub fn address(&self, at: u64) -> Result<Remote, LentError> {
        Ok(self.0.lock().here()?.address(at)?)
    }

    /// Copies into it.
    ///
    /// # Errors
    /// A transfer uses it; it is shorter.
    pub fn put(&self, at: u64, bytes: &[u8]) -> Result<(), LentError> {
        let mut place = self.0.lock();
        let buffer = Arc::get_mut(place.here()?).ok_or(LentError::Sent)?;
        Ok(buffer.write(at, bytes)?)
    }

    /// Copies out of it.
    ///
    /// # Errors
    /// It is not here; it is shorter.
    pub fn get(&self, at: u64, count: u64) -> Result<Vec<u8>, LentError> {
        let mut place = self.0.lock();
        let buffer = place.here()?;
        let size = buffer.size();
        if count > size {
            return Err(LentError::Size { count, size });
        }
        let mut copy = vec![0; count as usize];
        buffer.read(at, &mut copy)?;
        Ok(copy)
    }
}

#[derive(Debug)]
enum Handle {
    Sent(Transfer),
    Read(Transfer<Buffer>, Lent),
    Done,
    Failed(LentError),
}

/// A transfer whose end stays known once it was seen. Dropping it leaves one under way to itself;
/// the buffer of a read is lost with it.
#[derive(Debug)]
pub struct Posted {
    handle: Mutex<Handle>,
    channel: u8,
}

impl From<Transfer> for Posted {
    fn from(transfer: Transfer) -> Self {
        Posted {
            channel: transfer.channel(),
            handle: Mutex::new(Handle::Sent(transfer)),
        }
    }
}

impl Posted {
    /// Writes `size` bytes of a buffer to another node.
    ///
    /// # Errors
    /// The buffer is not here; as [`Page::write`].
    pub fn write(
        page: &Page,
        (source, at): (&Lent, u64),
        size: u32,
        to: Remote,
        options: &Options,
    ) -> Result<Self, LentError> {
        let range = at..at.saturating_add(size.into());
        let mut place = source.0.lock();
        Ok(page.write(place.here()?, range, to, options)?.into())
    }

    /// Reads from another node into a buffer.
    ///
    /// # Errors
    /// A transfer uses the buffer; as [`Page::read`].
    pub fn read(
        page: &Page,
        from: Remote,
        size: u32,
        (target, at): (&Lent, u64),
        options: &Options,
    ) -> Result<Self, LentError> {
        let mut place = target.0.lock();
        Arc::get_mut(place.here()?).ok_or(LentError::Sent)?;
        let Place::Here(shared) = std::mem::replace(&mut *place, Place::Away) else {
            return Err(LentError::Filled);
        };
        let buffer = Arc::try_unwrap(shared).map_err(|shared| {
            *place = Place::Here(shared);
            LentError::Sent
        })?;
        match page.read(from, size, buffer, at, options) {
            Ok(read) => Ok(Posted {
                channel: read.channel(),
                handle: Mutex::new(Handle::Read(read, target.clone())),
            }),
            Err(refused) => {
                *place = match refused.buffer {
                    Some(buffer) => Place::Here(Arc::new(buffer)),
                    None => Place::Gone,
                };
                Err(refused.error.into())
            }
        }
    }

    /// Its channel.
    #[must_use]
    pub fn channel(&self) -> u8 {
        self.channel
    }

    /// Whether it is done, as far as was read until now.
    ///
    /// # Errors
    /// How it has failed.
    pub fn take(&self) -> Result<bool, LentError> {
        self.look(Look::Take)
    }

    /// Whether it is done: one read of its channel.
    ///
    /// # Errors
    /// As [`Posted::take`]; the device has ended.
    pub fn poll(&self) -> Result<bool, LentError> {
        self.look(Look::Poll)
    }

    /// Whether it is done within `time`. Others that look at it wait meanwhile.
    ///
    /// # Errors
    /// As [`Posted::poll`].
    pub fn wait(&self, time: Duration) -> Result<bool, LentError> {
        self.look(Look::Wait(time))
    }

    fn look(&self, how: Look) -> Result<bool, LentError> {
        let mut handle = self.handle.lock();
        let end = match &mut *handle {
            Handle::Sent(sent) => how.at(sent).map(|end| end.is_some()),
            Handle::Read(read, lent) => match how.at(read) {
                Ok(Some(buffer)) => {
                    *lent.0.lock() = Place::Here(Arc::new(buffer));
                    Ok(true)
                }
                Ok(None) => Ok(false),
                Err(error) => {
                    if LentError::from(error.clone()).is_end() {
                        *lent.0.lock() = Place::Gone;
                    }
                    Err(error)
                }
            },
            Handle::Done => Ok(true),
            Handle::Failed(error) => return Err(error.clone()),
        };
        let end = end.map_err(LentError::from);
        match &end {
            Ok(true) => *handle = Handle::Done,
            Err(error) if error.is_end() => *handle = Handle::Failed(error.clone()),
            _ => {}
        }
        end
    }
}

/// How the end of a transfer is looked for.
#[derive(Clone, Copy)]
enum Look {
    Take,
    Poll,
    Wait(Duration),
}

impl Look {
    fn at<T: Back>(self, transfer: &mut Transfer<T>) -> Result<Option<T>, Error> {
        match self {
            Self::Take => transfer.take(),
            Self::Poll => transfer.poll(),
            Self::Wait(time) => match transfer.wait(time) {
                Err(Error::Deadline { .. }) => Ok(None),
                other => other.map(Some),
            },
        }
    }
}
