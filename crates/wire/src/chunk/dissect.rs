// SPDX-License-Identifier: Apache-2.0
//! Frames as somebody sees them who has no part in the session: out of a capture, without secret
//! and keys. What they are laid out like follows from their lengths.

use super::frame::{FRAME_HEADER, FrameHeader};
use super::params::{Fec, MAX_PAYLOAD, Params};
use super::subpacket::{FIELDS, Sub};
use crate::fec::rs::MAX_T;

/// How sub-packets of a session are laid out, as far as it is known from their lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// Encrypted, with a tag in the place of the check.
    pub sealed: bool,
    /// Bytes of a codeword that are mended within a sub-packet.
    pub mends: usize,
    /// Bytes of payload of a full one.
    pub payload: usize,
}

impl Form {
    /// Bytes of a sub-packet in front of its payload and behind it.
    fn around(self) -> usize {
        let fec = match self.mends {
            0 => Fec::None,
            mends => Fec::Mend(mends as u8),
        };
        Params {
            sealed: self.sealed,
            fec,
            ..Params::PAPER
        }
        .sub_overhead()
    }

    /// Takes the sub-packets of a frame apart; none: they are not laid out like this.
    fn split(self, header: &FrameHeader, mut body: &[u8]) -> Option<Vec<Sub>> {
        let mut subs = Vec::with_capacity(header.count.into());
        for _ in 0..header.count {
            let sub = Sub::from_fields(header.session, body.first_chunk::<FIELDS>()?)?;
            let payload = match sub {
                Sub::Data(it) if usize::from(it.length) <= self.payload => it.length.into(),
                Sub::Data(_) => return None,
                Sub::Parity(_) => self.payload,
            };
            body = body.get(self.around() + payload..)?;
            subs.push(sub);
        }
        body.is_empty().then_some(subs)
    }

    /// The sub-packets of the first frame of a session that has any, and their form. The longest
    /// of them is taken for a full one; where there is but parity, all are.
    fn guess(header: &FrameHeader, body: &[u8]) -> Option<(Form, Vec<Sub>)> {
        let each = body.len().checked_div(header.count.into())?;
        let first = Sub::from_fields(header.session, body.first_chunk::<FIELDS>()?)?;
        for mends in 0..=MAX_T {
            for sealed in [false, true] {
                let mut form = Form {
                    sealed,
                    mends,
                    payload: MAX_PAYLOAD.into(),
                };
                if let Sub::Parity(_) = first {
                    form.payload = each.checked_sub(form.around())?;
                }
                if let Some(subs) = form.split(header, body) {
                    let lengths = subs.iter().filter_map(|sub| match sub {
                        Sub::Data(it) => Some(usize::from(it.length)),
                        Sub::Parity(_) => None,
                    });
                    form.payload = lengths.max().unwrap_or(form.payload);
                    return Some((form, subs));
                }
            }
        }
        None
    }

    /// The sub-packets of a frame of data, of which `body` is what is behind its header; `form` is
    /// what is known of its session, and becomes known by it. None: it has none, or they are not
    /// laid out like those before them.
    #[must_use]
    pub fn read(form: &mut Option<Form>, header: &FrameHeader, body: &[u8]) -> Option<Vec<Sub>> {
        if header.count == 0 {
            return None;
        }
        if let Some(subs) = form.and_then(|known| known.split(header, body)) {
            return Some(subs);
        }
        let (found, subs) = Form::guess(header, body)?;
        // The first frames of a session may have only short sub-packets.
        let fits = form.is_none_or(|known| {
            (known.sealed, known.mends) == (found.sealed, found.mends)
                && known.payload < found.payload
        });
        fits.then(|| {
            *form = Some(found);
            subs
        })
    }
}

/// A frame: its header, and what is behind that if all of it was captured.
pub type Frame<'a> = (FrameHeader, Option<&'a [u8]>);

/// The frames in the payload of a datagram: one, or as many as a sender has given to the network at
/// once, each as long as its header says. What is behind the last of them is no frame.
#[must_use]
pub fn frames(payload: &[u8]) -> (Vec<Frame<'_>>, &[u8]) {
    let (mut found, mut rest) = (Vec::new(), payload);
    while let Some(length) = rest.get(14..16) {
        let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
        let Some(whole) = rest.get(..length) else {
            // The header says whether it is one, if the rest were there.
            let mut padded = rest.to_vec();
            padded.resize(length, 0);
            if let Ok((header, _)) = FrameHeader::parse(&padded)
                && rest.len() >= FRAME_HEADER
            {
                found.push((header, None));
                rest = &[];
            }
            break;
        };
        let Ok((header, body)) = FrameHeader::parse(whole) else {
            break;
        };
        found.push((header, Some(body)));
        rest = &rest[length..];
    }
    (found, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::FrameSeq;
    use crate::chunk::frame::Kind;

    fn header(seq: u32) -> FrameHeader {
        FrameHeader {
            kind: Kind::Data,
            lane: 0,
            count: 0,
            seq: FrameSeq::new(seq),
            session: 7,
            length: 0,
            time: 0,
        }
    }

    #[test]
    fn several_frames_in_a_datagram() {
        let mut bytes = Vec::new();
        for seq in 0..3 {
            let header = FrameHeader {
                length: 30,
                ..header(seq)
            };
            bytes.extend(header.encode());
            bytes.extend([0; 6]);
        }
        assert_eq!(frames(&bytes).0.len(), 3);
        // Of the last one not all was captured.
        let (found, rest) = frames(&bytes[..86]);
        assert_eq!((found.len(), rest.len()), (3, 0));
        assert!(found[2].1.is_none() && found[1].1.is_some());
        // Not even its header.
        assert_eq!(frames(&bytes[..70]).0.len(), 2);
        bytes[61] ^= 1;
        let (found, rest) = frames(&bytes);
        assert_eq!((found.len(), rest.len()), (2, 30));
        // A length that is no frame's.
        assert!(frames(&[0; 100]).0.is_empty());
    }
}
