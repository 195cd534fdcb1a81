// SPDX-License-Identifier: Apache-2.0
//! Raw Ethernet, on anything that carries whole frames ([`RawLink`]): packet sockets, AF_XDP, an
//! interface of the kernel.
//!
//! ```text
//! destination 6 | source 6 | EtherType 2 | datagram | (FCS 4, by the interface)
//! ```
//!
//! A frame is a datagram, and nothing stands between them. Ethernet has no frames with less than
//! [`SHORTEST`] bytes behind the EtherType and does not tell how many of them are meant, so **a
//! shorter datagram arrives with zeros behind it**, up to that length, on every link.

use super::{BATCH, Lane, LaneError, check};
use crate::link::{Arrival, ETHERNET, RawLink, Waker};
use ropewalk_wire::htsp::Mac;
use std::io::{self, IoSlice};
use std::time::Duration;

/// EtherType of lanes: the second of the two that IEEE 802 leaves to experiments. The first one is
/// what HTSP takes through switches.
pub const ETHERTYPE: u16 = 0x88b6;
/// Fewest bytes that a datagram arrives with.
pub const SHORTEST: usize = 46;
/// Fewest bytes that a lane needs of a link; any Ethernet has them.
const LEAST: usize = 548;

/// A lane of raw Ethernet.
pub struct RawLane<L> {
    link: L,
    ethertype: [u8; 2],
    peer: Option<Mac>,
    source: Option<Mac>,
    buffer: usize,
    /// Frames, of which those from `next` to `end` have not been taken; their memory is used again.
    frames: Vec<Vec<u8>>,
    next: usize,
    end: usize,
}

impl<L: RawLink> RawLane<L> {
    /// A lane on a link that hands over frames of this EtherType, and maybe others. `buffer` is
    /// what the link holds of arrivals, bytes. With no peer, everything is sent to all, and all are
    /// heard.
    ///
    /// # Errors
    /// The link is too short, or the EtherType is a length.
    pub fn new(
        link: L,
        ethertype: u16,
        peer: Option<Mac>,
        buffer: usize,
    ) -> Result<Self, LaneError> {
        let wrong = |text: String| LaneError::System {
            what: "make a lane of raw Ethernet",
            source: io::Error::new(io::ErrorKind::InvalidInput, text),
        };
        if ethertype < 0x600 {
            let text = format!(
                "EtherType {ethertype:#06x} is a length: accepted are 0x0600 or more, such as {ETHERTYPE:#06x}"
            );
            return Err(wrong(text));
        }
        if link.limit() < ETHERNET + LEAST {
            let text = format!(
                "frames of {} bytes: {} are needed",
                link.limit(),
                ETHERNET + LEAST
            );
            return Err(wrong(text));
        }
        Ok(Self {
            link,
            ethertype: ethertype.to_be_bytes(),
            peer,
            source: None,
            buffer,
            frames: Vec::new(),
            next: 0,
            end: 0,
        })
    }

    /// From now on only this peer is spoken to and heard.
    pub fn set_peer(&mut self, peer: Mac) {
        self.peer = Some(peer);
    }

    /// Who has sent the datagram that was handed over last, or is being handed over.
    #[must_use]
    pub fn source(&self) -> Option<Mac> {
        self.source
    }

    /// The link.
    #[must_use]
    pub fn link(&self) -> &L {
        &self.link
    }

    /// Offers what is left. False if there is still some.
    fn flush(&mut self) -> io::Result<bool> {
        while self.next < self.end {
            let taken = self.link.send(&self.frames[self.next..self.end])?;
            self.next += taken;
            if taken == 0 && self.link.line_up() {
                return Ok(false);
            }
            if taken == 0 {
                // Into a line that is down.
                self.next = self.end;
            }
        }
        Ok(true)
    }
}

impl<L: RawLink> Lane for RawLane<L> {
    fn send(&mut self, pieces: &[IoSlice<'_>], segment: usize) -> io::Result<bool> {
        let length = check(pieces, segment, self.limit(), self.batch(segment))?;
        if !self.flush()? {
            return Ok(false);
        }
        (self.next, self.end) = (0, 0);
        let own = self.link.mac();
        let to = self.peer.unwrap_or(Mac([0xff; 6]));
        let (mut left, mut missing) = (length, 0);
        for piece in pieces {
            let mut bytes: &[u8] = piece;
            while !bytes.is_empty() {
                if missing == 0 {
                    missing = segment.min(left);
                    if self.frames.len() == self.end {
                        self.frames.push(Vec::new());
                    }
                    let frame = &mut self.frames[self.end];
                    frame.clear();
                    for part in [&to.0[..], &own.0, &self.ethertype] {
                        frame.extend_from_slice(part);
                    }
                    self.end += 1;
                }
                let now = bytes.len().min(missing);
                let frame = &mut self.frames[self.end - 1];
                frame.extend_from_slice(&bytes[..now]);
                (missing, left, bytes) = (missing - now, left - now, &bytes[now..]);
                if missing == 0 && frame.len() < ETHERNET + SHORTEST {
                    frame.resize(ETHERNET + SHORTEST, 0);
                }
            }
        }
        self.flush()?;
        Ok(true)
    }

    fn receive(&mut self, take: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        self.flush()?;
        let own = self.link.mac();
        let (peer, ethertype, source) = (self.peer, self.ethertype, &mut self.source);
        self.link.receive(&mut |arrival| {
            let Arrival::Frame {
                bytes,
                whole: true,
                outgoing: false,
                ..
            } = arrival
            else {
                return;
            };
            let Some((header, datagram)) = bytes.split_at_checked(ETHERNET) else {
                return;
            };
            let address = |at: usize| Mac(std::array::from_fn(|i| header[at + i]));
            let (to, from) = (address(0), address(6));
            let for_us = to == own || to == Mac([0xff; 6]);
            let of_peer = peer.is_none_or(|peer| peer == from);
            if for_us && of_peer && header[12..] == ethertype && !datagram.is_empty() {
                *source = Some(from);
                take(datagram);
            }
        })
    }

    fn wait(&mut self, timeout: Duration, blocked: bool) -> io::Result<()> {
        let flushed = self.flush()?;
        self.link.wait(timeout, blocked || !flushed)
    }

    fn waker(&self) -> Waker {
        self.link.waker()
    }

    fn limit(&self) -> usize {
        (self.link.limit() - ETHERNET).min(BATCH)
    }

    fn buffer(&self) -> usize {
        self.buffer
    }

    fn drops(&self) -> u64 {
        self.link.drops()
    }

    fn notes(&self) -> Vec<String> {
        self.link.notes().to_vec()
    }
}
