// SPDX-License-Identifier: Apache-2.0
//! What protects frames on their way: a check or a seal, and parity. One writer for each lane and
//! direction puts it on, one reader takes it off; all that a pipeline sends passes through them.
//!
//! ```text
//!            fields 12 | CRC-32C 4  | payload             | parity (where the format mends)
//!  sealed:   fields 12 | tag    16  | payload, encrypted  | parity
//! ```
//!
//! * **Check**: begins with a secret of the session. It keeps out damage, and what another session
//!   has left in the network. Whoever has seen a frame can forge one.
//! * **Seal**: AES-256-GCM ([`super::seal`]). The tag covers the header of the frame, the fields
//!   and the payload, and its nonce the number of the frame and the place in it. So where the
//!   header of a sealed frame is damaged, all of it is lost; where there is a check, its
//!   sub-packets are used, as each tells by itself where it belongs.
//! * **Parity**: lines of 64 bytes over fields, check or tag, and payload ([`crate::fec::rs`]). It
//!   is put on last and comes off first: what was mended still has to pass the check or the tag, so
//!   nothing wrong is delivered, whatever the parity was mended to. A payload that is not full
//!   counts as if it ended with zeros, which are not sent.
//! * Frames without sub-packets and reports end with the check or the tag of all before, and are
//!   encrypted where they are sealed. They have no parity: what is lost of them is asked for again.
//!
//! A [`Session`] owns the secrets of one end of a pipeline, and is used up by the end that is made
//! of it. Beside it stand the replay window of each lane ([`super::window`]), the bounds of what a
//! peer reports ([`super::aggregator`]), the epochs of keys ([`super::seal`]), and the reasons for
//! which it closes ([`super::CloseReason`]).
//!
//! ```
//! # use ropewalk_wire::chunk::{
//! #     ParamError, Receiver, ReceiverSettings, Sender, SenderSettings, handshake::Agreed,
//! # };
//! # fn ends(agreed: Agreed, memory: Vec<Vec<u8>>) -> Result<(), ParamError> {
//! # let now = std::time::Duration::ZERO;
//! let params = agreed.terms.params;
//! // A pipeline each way.
//! let mut sessions = agreed.into_sessions(2);
//! let (ours, theirs) = (sessions.remove(0), sessions.remove(0));
//! let sender = Sender::<Vec<u8>>::new(params, ours, SenderSettings::default(), now)?;
//! let receiver = Receiver::new(params, theirs, ReceiverSettings::default(), memory)?;
//! # Ok(())
//! # }
//! ```

use super::ahead;
use super::frame::{FRAME_HEADER, FrameHeader, FrameSeq, control, control_body};
use super::params::{Fec, LINE, ParamError, Params};
use super::seal::{Direction, Opener, Sealer, SessionKey, TAG_BYTES};
use super::subpacket::{self, FIELDS, ParityHeader, SUB_HEADER, Sub, SubHeader, Tag};
use crate::fec::Code;
use std::fmt;

/// What protects the frames of one end of a pipeline. It is used up by the end that is made of it:
///
/// ```
/// use ropewalk_wire::chunk::{Session, Params, Tag};
/// let session = Session::checked(Tag { session: 1, secret: 2 });
/// let sender = session.sender(&Params::PAPER);
/// ```
///
/// Two ends on one session would use the nonces of AES-GCM twice:
///
/// ```compile_fail,E0382
/// use ropewalk_wire::chunk::{Session, Params, Tag};
/// let session = Session::checked(Tag { session: 1, secret: 2 });
/// let sender = session.sender(&Params::PAPER);
/// let second = session.sender(&Params::PAPER);
/// ```
/// ```compile_fail,E0382
/// use ropewalk_wire::chunk::{Session, Params, Sender, SenderSettings, Tag};
/// use std::time::Duration;
/// let session = Session::checked(Tag { session: 1, secret: 2 });
/// let settings = SenderSettings::default();
/// let sender = Sender::<Vec<u8>>::new(Params::PAPER, session, settings, Duration::ZERO);
/// let second = Sender::<Vec<u8>>::new(Params::PAPER, session, settings, Duration::ZERO);
/// ```
/// ```compile_fail,E0599
/// use ropewalk_wire::chunk::{Session, Tag};
/// let session = Session::checked(Tag { session: 1, secret: 2 });
/// let second = session.clone();
/// ```
#[derive(Debug)]
pub struct Session {
    number: u64,
    lock: Lock,
}

#[derive(Debug)]
enum Lock {
    Check(u32),
    Seal(SessionKey),
}

impl Session {
    /// Frames with checks.
    #[must_use]
    pub fn checked(tag: Tag) -> Self {
        Session {
            number: tag.session,
            lock: Lock::Check(tag.secret),
        }
    }

    /// Sealed frames. The key must belong to this pipeline and this end alone: of one secret and
    /// context ([`SessionKey::new`]) there may be one sender and one receiver, whatever the number
    /// of processes. [`super::handshake::Agreed::into_sessions`] sees to that by itself.
    #[must_use]
    pub fn sealed(number: u64, key: SessionKey) -> Self {
        Session {
            number,
            lock: Lock::Seal(key),
        }
    }

    /// What stands in the headers of its frames.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// For the end that sends chunks: of each lane what writes them, and what reads the reports.
    ///
    /// # Errors
    /// Sizes out of range, or those of frames that are protected otherwise.
    pub fn sender(self, params: &Params) -> Result<Vec<(LaneWriter, LaneReader)>, ParamError> {
        self.lanes(params, Direction::Forward, Direction::Back)
    }

    /// For the end that receives chunks: of each lane what writes the reports, and what reads the
    /// chunks.
    ///
    /// # Errors
    /// As [`Session::sender`].
    pub fn receiver(self, params: &Params) -> Result<Vec<(LaneWriter, LaneReader)>, ParamError> {
        self.lanes(params, Direction::Back, Direction::Forward)
    }

    fn lanes(
        self,
        params: &Params,
        out: Direction,
        into: Direction,
    ) -> Result<Vec<(LaneWriter, LaneReader)>, ParamError> {
        params.check()?;
        if params.sealed != matches!(self.lock, Lock::Seal(_)) {
            return Err(ParamError::Sealed(params.sealed));
        }
        let lane = |lane| {
            (
                self.writer(params, out, lane),
                self.reader(params, into, lane),
            )
        };
        Ok((0..params.lanes).map(lane).collect())
    }

    fn writer(&self, params: &Params, direction: Direction, lane: u8) -> LaneWriter {
        LaneWriter {
            session: self.number,
            lock: match &self.lock {
                Lock::Check(secret) => WriterLock::Check(*secret),
                Lock::Seal(key) => WriterLock::Seal(Box::new(key.sealer(direction, lane))),
            },
            payload: params.payload,
            frame: [0; FRAME_HEADER],
            code: code(params, direction),
            padded: Vec::new(),
        }
    }

    fn reader(&self, params: &Params, direction: Direction, lane: u8) -> LaneReader {
        LaneReader {
            session: self.number,
            lock: match &self.lock {
                Lock::Check(secret) => ReaderLock::Check(*secret),
                Lock::Seal(key) => ReaderLock::Open(Box::new(key.opener(direction, lane))),
            },
            header: params.sub_header(),
            code: code(params, direction),
            mended: Mended::default(),
            received: Vec::new(),
            opened: Vec::new(),
        }
    }
}

/// What mends sub-packets; reports have none.
fn code(params: &Params, direction: Direction) -> Option<Box<Code>> {
    let Fec::Mend(t) = params.fec else {
        return None;
    };
    let code = || Code::new(t.into(), usize::from(params.payload / LINE));
    (direction == Direction::Forward)
        .then(|| Box::new(code().expect("parameters that are in range")))
}

/// What a seal covers beside the payload.
fn covered(frame: &[u8; FRAME_HEADER], fields: &[u8; FIELDS]) -> [u8; FRAME_HEADER + FIELDS] {
    let mut bytes = [0; FRAME_HEADER + FIELDS];
    bytes[..FRAME_HEADER].copy_from_slice(frame);
    bytes[FRAME_HEADER..].copy_from_slice(fields);
    bytes
}

enum WriterLock {
    Check(u32),
    Seal(Box<Sealer>),
}

/// Writes what is sent on one lane in one direction.
pub struct LaneWriter {
    session: u64,
    lock: WriterLock,
    payload: u16,
    frame: [u8; FRAME_HEADER],
    code: Option<Box<Code>>,
    padded: Vec<u8>,
}

impl fmt::Debug for LaneWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaneWriter").finish_non_exhaustive()
    }
}

impl LaneWriter {
    /// What stands in the headers of its frames.
    #[must_use]
    pub fn session(&self) -> u64 {
        self.session
    }

    /// Bytes of a full payload.
    pub(crate) fn payload(&self) -> usize {
        self.payload.into()
    }

    /// Whether it has sealed as many frames as its keys may.
    pub(crate) fn is_exhausted(&self) -> bool {
        matches!(&self.lock, WriterLock::Seal(sealer) if sealer.is_exhausted())
    }

    /// As after all numbers that a sealed lane has.
    #[cfg(test)]
    pub(crate) fn use_up(&mut self) {
        if let WriterLock::Seal(sealer) = &mut self.lock {
            sealer.use_up();
        }
    }

    /// Begins a frame of sub-packets: adds its header. False, and nothing is added, if the frame
    /// cannot be sealed: its number is not behind that of the one before, or the lane has used up
    /// all that there are.
    #[must_use]
    pub fn frame(&mut self, header: &FrameHeader, bytes: &mut Vec<u8>) -> bool {
        if let WriterLock::Seal(sealer) = &mut self.lock
            && sealer.frame(header.seq).is_err()
        {
            return false;
        }
        self.frame = header.encode();
        bytes.extend_from_slice(&self.frame);
        true
    }

    /// Adds a sub-packet to the frame that was begun; the payload is copied, and protected while it
    /// is at hand.
    ///
    /// # Panics
    /// The payload is longer than agreed on, or no frame was begun.
    #[inline]
    pub fn sub_packet(&mut self, sub: &SubHeader, payload: &[u8], bytes: &mut Vec<u8>) {
        let fields = sub.fields(self.session);
        ahead::fetch(payload);
        // Most frames are like that: their headers stay in registers.
        if let (None, &WriterLock::Check(secret)) = (&self.code, &self.lock) {
            subpacket::write(&fields, secret, payload, bytes);
        } else {
            self.seal_or_code(fields, payload, bytes);
        }
    }

    /// Adds parity over sub-packets in the same way.
    ///
    /// # Panics
    /// As [`LaneWriter::sub_packet`].
    pub fn parity(&mut self, sub: &ParityHeader, payload: &[u8], bytes: &mut Vec<u8>) {
        self.seal_or_code(sub.fields(self.session), payload, bytes);
    }

    fn seal_or_code(&mut self, fields: [u8; FIELDS], payload: &[u8], bytes: &mut Vec<u8>) {
        let start = bytes.len();
        let header = match &mut self.lock {
            WriterLock::Check(secret) => {
                subpacket::write(&fields, *secret, payload, bytes);
                SUB_HEADER
            }
            WriterLock::Seal(sealer) => {
                bytes.extend_from_slice(&fields);
                bytes.extend_from_slice(&[0; TAG_BYTES]);
                let tag = sealer.seal(&covered(&self.frame, &fields), payload, bytes);
                let tag = tag.expect("a frame that was begun, of 52 sub-packets at most");
                bytes[start + FIELDS..][..TAG_BYTES].copy_from_slice(&tag);
                FIELDS + TAG_BYTES
            }
        };
        let Some(code) = &self.code else {
            return;
        };
        let end = bytes.len();
        bytes.resize(end + code.parity_len(), 0);
        let (before, parity) = bytes.split_at_mut(end);
        let (head, data) = before[start..].split_at(header);
        if data.len() == code.data_len() {
            code.encode(head, data, parity);
        } else {
            self.padded.clear();
            self.padded.extend_from_slice(data);
            self.padded.resize(code.data_len(), 0);
            code.encode(head, &self.padded, parity);
        }
    }

    /// Adds a frame without sub-packets, of which count and length are set. False, and nothing is
    /// added, as with [`LaneWriter::frame`].
    #[must_use]
    pub fn control(&mut self, header: &FrameHeader, body: &[u8], bytes: &mut Vec<u8>) -> bool {
        let sealer = match &mut self.lock {
            WriterLock::Check(secret) => {
                control(*secret, header, body, bytes);
                return true;
            }
            WriterLock::Seal(sealer) => sealer,
        };
        if sealer.frame(header.seq).is_err() {
            return false;
        }
        let header = header.of_control(body.len() + TAG_BYTES).encode();
        bytes.extend_from_slice(&header);
        let tag = sealer.seal(&header, body, bytes);
        bytes.extend_from_slice(&tag.expect("a frame that was begun"));
        true
    }
}

/// What was mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mended {
    /// Sub-packets that were whole after it.
    pub sub_packets: u64,
    /// Bytes of them that had changed.
    pub bytes: u64,
}

impl Mended {
    /// Adds those of another lane.
    pub fn add(&mut self, other: Mended) {
        self.sub_packets += other.sub_packets;
        self.bytes += other.bytes;
    }
}

enum ReaderLock {
    Check(u32),
    Open(Box<Opener>),
}

/// Reads what arrives on one lane in one direction.
pub struct LaneReader {
    session: u64,
    lock: ReaderLock,
    /// Bytes in front of a payload.
    header: usize,
    code: Option<Box<Code>>,
    mended: Mended,
    received: Vec<u8>,
    opened: Vec<u8>,
}

impl fmt::Debug for LaneReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mended = self.mended;
        f.debug_struct("LaneReader")
            .field("mended", &mended)
            .finish_non_exhaustive()
    }
}

impl LaneReader {
    /// The session whose frames it reads.
    #[must_use]
    pub fn session(&self) -> u64 {
        self.session
    }

    /// What sub-packets are read with ([`Sub::parse`]) where a check is all that protects them.
    #[must_use]
    pub fn plain(&self) -> Option<Tag> {
        match (&self.code, &self.lock) {
            (None, &ReaderLock::Check(secret)) => Some(Tag {
                session: self.session,
                secret,
            }),
            _ => None,
        }
    }

    /// Reads the sub-packet that these bytes are, the `index`th of its frame, if it is whole and of
    /// this session. `frame`: number and header of the frame, if the header is whole; without it
    /// nothing sealed can be read.
    pub fn sub_packet<'a>(
        &'a mut self,
        frame: Option<(FrameSeq, &[u8; FRAME_HEADER])>,
        index: u16,
        bytes: &'a [u8],
    ) -> Option<(Sub, &'a [u8])> {
        let (whole, mended) = match &self.code {
            None => (bytes, 0),
            Some(code) => mend(code, self.header, &mut self.received, bytes)?,
        };
        let session = self.session;
        let read = match &mut self.lock {
            ReaderLock::Check(secret) => {
                let secret = *secret;
                Sub::parse(Tag { session, secret }, whole)?
            }
            ReaderLock::Open(opener) => {
                let (seq, frame) = frame?;
                let (fields, rest) = whole.split_first_chunk()?;
                let (tag, payload) = rest.split_first_chunk()?;
                let sub = Sub::from_fields(session, fields)?;
                if sub.payload(payload).map(<[u8]>::len) != Some(payload.len()) {
                    return None;
                }
                let covered = covered(frame, fields);
                let opened = opener.open(seq, index, &covered, tag, payload, &mut self.opened);
                opened.ok()?;
                (sub, &self.opened[..])
            }
        };
        if mended > 0 {
            self.mended.sub_packets += 1;
            self.mended.bytes += mended as u64;
        }
        Some(read)
    }

    /// The body of a frame without sub-packets, if it is whole and of this session. `header` is
    /// that of the datagram.
    pub fn control<'a>(&'a mut self, header: &FrameHeader, datagram: &'a [u8]) -> Option<&'a [u8]> {
        if header.session != self.session || header.count != 0 {
            return None;
        }
        let opener = match &mut self.lock {
            ReaderLock::Check(secret) => return control_body(*secret, datagram),
            ReaderLock::Open(opener) => opener,
        };
        let (before, tag) = datagram.split_last_chunk()?;
        let (covered, body) = before.split_at_checked(FRAME_HEADER)?;
        let opened = opener.open(header.seq, 0, covered, tag, body, &mut self.opened);
        opened.ok()?;
        Some(&self.opened)
    }

    /// What was mended.
    #[must_use]
    pub fn mended(&self) -> Mended {
        self.mended
    }
}

/// The sub-packet without its parity, mended in `scratch` where something has changed, and the
/// number of bytes that had; none if it is more than can be mended.
fn mend<'a>(
    code: &Code,
    header: usize,
    scratch: &'a mut Vec<u8>,
    bytes: &'a [u8],
) -> Option<(&'a [u8], usize)> {
    let (full, parity) = (code.data_len(), code.parity_len());
    // How long it is follows from where it ends, as its own header may be what has changed.
    let length = bytes.len().checked_sub(header + parity)?;
    if length > full {
        return None;
    }
    if length == full {
        let (before, parity) = bytes.split_at(header + full);
        let (head, data) = before.split_at(header);
        if code.check(head, data, parity) {
            return Some((before, 0));
        }
    }
    let (before, parity) = bytes.split_at(header + length);
    scratch.clear();
    scratch.extend_from_slice(before);
    scratch.resize(header + full, 0);
    scratch.extend_from_slice(parity);
    let (head, rest) = scratch.split_at_mut(header);
    let (data, parity) = rest.split_at_mut(full);
    let mended = code.correct(head, data, parity).ok()?;
    // What was not sent has not changed.
    let sane = data[length..].iter().all(|&byte| byte == 0);
    sane.then_some((&scratch[..header + length], mended))
}

#[cfg(test)]
mod tests {
    use super::super::frame::Kind;
    use super::super::handshake::{Agreed, Arrangement, Peer, Terms};
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    const PARAMS: Params = Params {
        payload: 128,
        per_frame: 3,
        ..Params::PAPER
    };

    fn params(sealed: bool, t: u8) -> Params {
        let fec = if t == 0 { Fec::None } else { Fec::Mend(t) };
        Params {
            sealed,
            fec,
            ..PARAMS
        }
    }

    fn session(sealed: bool) -> Session {
        if sealed {
            Session::sealed(7, SessionKey::new(b"secret", b""))
        } else {
            let (session, secret) = (7, 9);
            Session::checked(Tag { session, secret })
        }
    }

    fn header(seq: u32, count: u8) -> FrameHeader {
        FrameHeader {
            kind: Kind::Data,
            lane: 0,
            count,
            seq: FrameSeq::new(seq),
            session: 7,
            length: 0,
            time: 5,
        }
    }

    fn sub(number: u16, length: u16) -> SubHeader {
        SubHeader {
            chunk: 3,
            number,
            length,
            last: false,
            round: 0,
        }
    }

    /// A frame of three sub-packets, the last one with `last` bytes.
    fn frame(params: &Params, last: u16) -> Vec<u8> {
        let mut writer = session(params.sealed).writer(params, Direction::Forward, 0);
        let mut bytes = Vec::new();
        assert!(writer.frame(&header(4, 3), &mut bytes));
        for (number, length) in [128, 128, last].into_iter().enumerate() {
            let payload = vec![number as u8; length.into()];
            writer.sub_packet(&sub(number as u16, length), &payload, &mut bytes);
        }
        let short = usize::from(params.payload - last);
        assert_eq!(bytes.len(), params.frame_bytes() - short);
        bytes
    }

    /// Which of the three are read; each of them with its bytes.
    fn read(reader: &mut LaneReader, params: &Params, bytes: &[u8]) -> Vec<u16> {
        let number = bytes.first_chunk().map(|bytes| (FrameSeq::new(4), bytes));
        let all = bytes[FRAME_HEADER..].chunks(params.stride()).zip(0..);
        let mut numbers = Vec::new();
        for (bytes, index) in all {
            if let Some((sub, payload)) = reader.sub_packet(number, index, bytes) {
                let Sub::Data(sub) = sub else {
                    panic!("nothing of this is parity: {sub:?}");
                };
                assert_eq!(sub.number, index);
                assert_eq!(payload.len(), usize::from(sub.length));
                assert!(payload.iter().all(|&byte| byte == index as u8));
                numbers.push(index);
            }
        }
        numbers
    }

    proptest! {
        /// A changed bit costs its sub-packet, or nothing where the format mends; nothing wrong is
        /// ever read.
        #[test]
        fn a_changed_bit(sealed: bool, t in 0_u8..3, last in 1_u16..=128, flip: usize) {
            let params = params(sealed, t);
            let mut bytes = frame(&params, last);
            let mut reader = session(sealed).reader(&params, Direction::Forward, 0);
            prop_assert_eq!(read(&mut reader, &params, &bytes), [0, 1, 2]);
            let at = flip % (8 * bytes.len());
            bytes[at / 8] ^= 1 << (at % 8);
            let hit = (at / 8).checked_sub(FRAME_HEADER).map(|at| (at / params.stride()) as u16);
            let expected: Vec<u16> = match hit {
                // The header of the frame: all that is sealed.
                None if sealed => vec![],
                Some(hit) if t == 0 => (0..3).filter(|&index| index != hit).collect(),
                _ => vec![0, 1, 2],
            };
            prop_assert_eq!(read(&mut reader, &params, &bytes), expected);
            let mended = u64::from(t > 0 && hit.is_some());
            prop_assert_eq!(reader.mended(), Mended { sub_packets: mended, bytes: mended });
        }

        /// Any damage at all, in any place, and any length: what is read is what was sent.
        #[test]
        fn any_damage(sealed: bool, t in 0_u8..3, last in 1_u16..=128, changes in prop::collection::vec((any::<usize>(), any::<u8>()), 0..200), cut in 0_usize..20) {
            let params = params(sealed, t);
            let mut bytes = frame(&params, last);
            for (at, value) in changes {
                let at = at % bytes.len();
                bytes[at] = value;
            }
            bytes.truncate(bytes.len() - cut);
            let mut reader = session(sealed).reader(&params, Direction::Forward, 0);
            read(&mut reader, &params, &bytes);
        }

        #[test]
        fn control_frames(sealed: bool, body in prop::collection::vec(any::<u8>(), 0..50), flip: usize) {
            let params = params(sealed, 1);
            let mut writer = session(sealed).writer(&params, Direction::Back, 1);
            let mut reader = session(sealed).reader(&params, Direction::Back, 1);
            let mut bytes = Vec::new();
            prop_assert!(writer.control(&header(0, 0), &body, &mut bytes));
            prop_assert_eq!(bytes.len(), FRAME_HEADER + body.len() + params.control_check());
            let (parsed, _) = FrameHeader::parse(&bytes).unwrap();
            prop_assert_eq!(reader.control(&parsed, &bytes), Some(&body[..]));
            let mut other = session(!sealed).reader(&params, Direction::Back, 1);
            prop_assert_eq!(other.control(&parsed, &bytes), None);
            let at = flip % (8 * bytes.len());
            bytes[at / 8] ^= 1 << (at % 8);
            prop_assert_eq!(reader.control(&parsed, &bytes), None);
        }
    }

    #[test]
    fn lanes_directions_and_keys_do_not_read_each_other() {
        let params = params(true, 0);
        let bytes = frame(&params, 128);
        let key = |context: &[u8]| Session::sealed(7, SessionKey::new(b"secret", context));
        let others = [
            session(true).reader(&params, Direction::Forward, 1),
            session(true).reader(&params, Direction::Back, 0),
            key(b"another").reader(&params, Direction::Forward, 0),
        ];
        for mut reader in others {
            assert!(read(&mut reader, &params, &bytes).is_empty());
        }
    }

    /// What one end of a handshake holds.
    fn agreed(params: Params) -> Agreed {
        Agreed {
            session: u64::MAX,
            terms: Terms {
                params,
                arrangement: Arrangement::Stable,
            },
            key: SessionKey::new(b"secret", b"context"),
            peer: [Peer::Unknown, Peer::Code][usize::from(params.sealed)],
        }
    }

    /// AES-GCM encrypts zeros to bytes that follow from key and nonce alone, so equal ones would
    /// show a nonce that was used twice.
    #[test]
    fn a_session_never_repeats_key_and_nonce() {
        const PIPELINES: u8 = 5;
        let lanes = 3;
        let params = Params {
            lanes,
            ..params(true, 0)
        };
        let (mut streams, mut count) = (HashSet::new(), 0);
        for end in [Session::sender, Session::receiver] {
            for session in agreed(params).into_sessions(PIPELINES) {
                for (mut writer, _) in end(session, &params).unwrap() {
                    for seq in [0, 2, 1 << 22] {
                        let mut bytes = Vec::new();
                        assert!(writer.control(&header(seq, 0), &[0; 128], &mut bytes));
                        streams.insert(bytes[FRAME_HEADER..][..128].to_vec());
                        bytes.clear();
                        assert!(writer.frame(&header(seq + 1, 3), &mut bytes));
                        for number in 0..3 {
                            writer.sub_packet(&sub(number, 128), &[0; 128], &mut bytes);
                        }
                        let subs = bytes[FRAME_HEADER..].chunks(params.stride());
                        streams.extend(subs.map(|sub| sub[params.sub_header()..].to_vec()));
                        count += 4;
                    }
                }
            }
        }
        assert_eq!(count, 2 * usize::from(PIPELINES * lanes) * 3 * 4);
        assert_eq!(streams.len(), count);
    }

    #[test]
    fn pipelines_of_a_session_reach_their_peers() {
        for sealed in [false, true] {
            let params = params(sealed, 0);
            let [ours, theirs] = [(); 2].map(|()| agreed(params).into_sessions(3));
            let mut sessions = Vec::new();
            for (ours, theirs) in ours.into_iter().zip(theirs) {
                sessions.push(ours.number());
                let (mut writer, _) = ours.sender(&params).unwrap().remove(0);
                let (_, mut reader) = theirs.receiver(&params).unwrap().remove(0);
                let session = writer.session();
                let header = FrameHeader {
                    session,
                    ..header(0, 0)
                };
                let mut bytes = Vec::new();
                assert!(writer.control(&header, b"body", &mut bytes));
                let (parsed, _) = FrameHeader::parse(&bytes).unwrap();
                assert_eq!(reader.control(&parsed, &bytes), Some(&b"body"[..]));
            }
            assert_eq!(sessions, [u64::MAX, 0, 1]);
        }
    }

    #[test]
    fn a_frame_that_cannot_be_sealed_is_not_written() {
        let params = params(true, 0);
        let mut writer = session(true).writer(&params, Direction::Forward, 0);
        let mut bytes = Vec::new();
        assert!(writer.frame(&header(4, 3), &mut bytes));
        let length = bytes.len();
        assert!(!writer.frame(&header(4, 3), &mut bytes));
        assert!(!writer.control(&header(3, 0), b"", &mut bytes));
        assert_eq!(bytes.len(), length);
        assert!(writer.control(&header(5, 0), b"", &mut bytes));
    }

    #[test]
    fn sizes_of_the_other_kind_are_refused() {
        for sealed in [false, true] {
            for end in [Session::sender, Session::receiver] {
                let refused = end(session(sealed), &params(!sealed, 0)).unwrap_err();
                assert_eq!(refused, ParamError::Sealed(!sealed));
            }
        }
        let text = ParamError::Sealed(true).to_string();
        assert!(text.ends_with("are sealed, for an end whose frames are not sealed"));
    }
}
