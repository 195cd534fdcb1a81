// SPDX-License-Identifier: Apache-2.0
//! Datagrams out of a stream ([`super`] has the format).

use super::{HEADER, LONGEST};
use std::io;

/// Takes the bytes of a stream as they come, and hands over the datagrams in them. It holds the
/// longest one, and what one call may bring; never more.
#[derive(Debug)]
pub struct Records {
    bytes: Vec<u8>,
    /// Bytes at the front that are part of a datagram which is not whole.
    held: usize,
}

impl Records {
    /// Of a stream that begins; each call may bring `gulp` bytes, and at least one.
    #[must_use]
    pub fn new(gulp: usize) -> Self {
        Self {
            bytes: vec![0; HEADER + LONGEST + gulp],
            held: 0,
        }
    }

    /// From now on each call may bring `gulp` bytes.
    pub(super) fn resize(&mut self, gulp: usize) {
        self.bytes.resize(HEADER + LONGEST + gulp, 0);
    }

    /// Where the next bytes of the stream belong; it is never empty.
    pub fn room(&mut self) -> &mut [u8] {
        &mut self.bytes[self.held..]
    }

    /// `count` bytes were put to the front of [`Records::room`]: hands over all datagrams that are
    /// whole, in their order, and says whether there were any.
    ///
    /// # Errors
    /// `InvalidData`: something else than a length stands where one belongs. Nothing that follows
    /// can be made sense of.
    pub fn came(&mut self, count: usize, take: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        let end = (self.held + count).min(self.bytes.len());
        let mut rest = &self.bytes[..end];
        let (mut any, mut wrong) = (false, None);
        while let Some((&head, behind)) = rest.split_first_chunk() {
            let length = usize::from(u16::from_be_bytes(head));
            if !(1..=LONGEST).contains(&length) {
                wrong = Some(length);
                break;
            }
            let Some((datagram, next)) = behind.split_at_checked(length) else {
                break;
            };
            take(datagram);
            (rest, any) = (next, true);
        }
        if let Some(length) = wrong {
            self.held = 0;
            let text = format!(
                "the peer sends a datagram of {length} bytes over TCP: accepted are 1 to {LONGEST}"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        self.held = rest.len();
        self.bytes.copy_within(end - self.held..end, 0);
        Ok(any)
    }

    /// What the end of the stream means here.
    pub(super) fn end(&self) -> io::Error {
        let text = match self.held {
            0 => "the peer has closed the TCP connection",
            _ => "the peer has closed the TCP connection in the middle of a datagram",
        };
        io::Error::new(io::ErrorKind::UnexpectedEof, text)
    }
}
