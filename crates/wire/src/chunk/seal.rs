// SPDX-License-Identifier: Apache-2.0
//! Encrypts and authenticates sub-packets and reports: AES-256-GCM (module `aead`), keys by
//! HKDF-SHA-256 of the crate `ring`.
//!
//! A sealed sub-packet has 16 bytes of tag where its CRC was; what stands in front of the CRC is
//! readable and covered by the tag, the payload is encrypted. A sealed frame without sub-packets
//! has its body encrypted and covers its header.
//!
//! * Key and IV belong to a session, a direction, a lane and an *epoch*: 2^24 frames of the lane,
//!   after which the frame number on the wire begins anew. So no key ever seals more than some 2^36
//!   blocks, and the ends change it without a message.
//! * Nonce: IV, exclusive or (lane 1 byte, frame number 8 bytes, index in the frame 2 bytes). The
//!   frame number is the one on the wire with the epoch above it.
//! * A nonce is used once. `Sealer` takes frame numbers only upwards and counts the index by
//!   itself, and a retransmission goes in a new frame. A lane has one `Sealer`: only a
//!   [`super::Session`] makes them, and it is used up by that. After 2^40 frames a lane has ended.
//! * What is replayed opens again. It is harmless: sub-packets are known by their place, reports by
//!   their serial numbers.

pub use super::aead::{CIPHER, TAG_BYTES};
use super::aead::{KEY_BYTES, Key, NONCE_BYTES};
use super::frame::FrameSeq;
use ring::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use thiserror::Error;
use zeroize::Zeroizing;

/// Frames of an epoch.
const EPOCH_BITS: u32 = 24;
/// Frames of a lane.
const FRAMES: u64 = 1 << 40;

/// Which way a frame goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    /// Chunks.
    Forward,
    /// Reports.
    Back,
}

/// What cannot be sealed any more. The session has to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(super) enum SealError {
    /// A frame number that is not behind the last one.
    #[error("frame {frame} after frame {last}: a number is sealed once")]
    Again {
        /// Number on the wire.
        frame: u32,
        /// The last one on the wire.
        last: u32,
    },
    /// The lane has used up its numbers.
    #[error("all numbers of the lane are used: a new session is needed")]
    Exhausted,
}

/// Not sealed by the peer, or changed since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not sealed by the peer, or changed since")]
pub(super) struct OpenError;

/// What all keys of an end come from. The peer has the same and nobody else.
///
/// It cannot be copied, as two who seal with one key use a nonce twice:
///
/// ```compile_fail,E0599
/// use ropewalk_wire::chunk::seal::SessionKey;
/// let key = SessionKey::new(b"secret", b"context");
/// let second = key.clone();
/// ```
// The types of `ring` do not clear their bytes when they are dropped, and let nobody else do it:
// this pseudo-random key and the AES keys of lanes stay in memory until it is used again. What is
// derived from a key or leads to one is cleared.
pub struct SessionKey(Prk);

impl std::fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SessionKey")
    }
}

impl SessionKey {
    /// From a secret that both ends share; `context` is what else they have agreed on. The same two
    /// make the same key: of one secret and context an end makes one key only.
    #[must_use]
    pub fn new(secret: &[u8], context: &[u8]) -> Self {
        SessionKey(Salt::new(HKDF_SHA256, context).extract(secret))
    }

    /// Bytes for one purpose; at most 8160.
    pub(super) fn derive<const N: usize>(&self, label: &str, context: &[u8]) -> Zeroizing<[u8; N]> {
        struct Length(usize);
        impl KeyType for Length {
            fn len(&self) -> usize {
                self.0
            }
        }
        let mut bytes = Zeroizing::new([0; N]);
        // The length of the label in front separates it from the context.
        let parts = [&[label.len() as u8], label.as_bytes(), context];
        let expanded = self.0.expand(&parts, Length(N));
        expanded
            .and_then(|okm| okm.fill(&mut bytes[..]))
            .expect("at most 255 blocks");
        bytes
    }

    /// What every CRC of the session begins with, where it is not sealed.
    pub(super) fn crc_secret(&self) -> u32 {
        u32::from_be_bytes(*self.derive("crc", &[]))
    }

    /// The key of the session's pipeline with this number.
    pub(super) fn of_pipeline(&self, number: u8) -> SessionKey {
        SessionKey::new(&self.derive::<KEY_BYTES>("pipeline", &[number])[..], b"")
    }

    /// The key of what lanes of the session join with.
    pub(super) fn of_lanes(&self) -> SessionKey {
        SessionKey::new(&self.derive::<KEY_BYTES>("lanes", &[])[..], b"")
    }

    /// Seals one direction of a lane; `lane` is its number in the pipeline. One for each direction
    /// and lane: a second one would use its nonces again.
    pub(super) fn sealer(&self, direction: Direction, lane: u8) -> Sealer {
        Sealer {
            lane: LaneKeys::new(self, direction, lane),
            frame: None,
            index: 0,
        }
    }

    /// Opens what the peer has sealed.
    pub(super) fn opener(&self, direction: Direction, lane: u8) -> Opener {
        Opener {
            lane: LaneKeys::new(self, direction, lane),
            highest: 0,
        }
    }
}

/// Key and IV of an epoch.
#[derive(Debug)]
struct EpochKey {
    epoch: u64,
    key: Key,
    iv: [u8; NONCE_BYTES],
}

/// Keys of one direction of a lane: of two neighbouring epochs at a time.
#[derive(Debug)]
struct LaneKeys {
    session: SessionKey,
    direction: Direction,
    lane: u8,
    epochs: [Option<EpochKey>; 2],
}

impl LaneKeys {
    fn new(session: &SessionKey, direction: Direction, lane: u8) -> Self {
        LaneKeys {
            session: SessionKey(session.0.clone()),
            direction,
            lane,
            epochs: [None, None],
        }
    }

    fn derive(&self, epoch: u64) -> EpochKey {
        let mut context = [0; 10];
        context[0] = match self.direction {
            Direction::Forward => 0,
            Direction::Back => 1,
        };
        context[1] = self.lane;
        context[2..].copy_from_slice(&epoch.to_be_bytes());
        let bytes = self
            .session
            .derive::<{ KEY_BYTES + NONCE_BYTES }>("seal", &context);
        let (key, iv) = bytes.split_first_chunk().expect("more than a key");
        EpochKey {
            epoch,
            key: Key::new(key),
            iv: iv.try_into().expect("an IV of 12 bytes"),
        }
    }

    /// The key for a number, and its nonce.
    fn key(&mut self, frame: u64, index: u16) -> (&Key, [u8; NONCE_BYTES]) {
        let epoch = frame >> EPOCH_BITS;
        let slot = (epoch % 2) as usize;
        if self.epochs[slot]
            .as_ref()
            .is_none_or(|key| key.epoch != epoch)
        {
            self.epochs[slot] = Some(self.derive(epoch));
        }
        let key = self.epochs[slot].as_ref().expect("just made");
        let mut nonce = key.iv;
        let mut number = [0; NONCE_BYTES];
        number[1] = self.lane;
        number[2..10].copy_from_slice(&frame.to_be_bytes());
        number[10..].copy_from_slice(&index.to_be_bytes());
        for (byte, part) in nonce.iter_mut().zip(number) {
            *byte ^= part;
        }
        (&key.key, nonce)
    }
}

/// Seals what is sent on one lane.
#[derive(Debug)]
pub(super) struct Sealer {
    lane: LaneKeys,
    /// Number of the current frame, epoch included.
    frame: Option<u64>,
    /// What is sealed next in it.
    index: u32,
}

impl Sealer {
    /// As after all numbers that a lane has.
    #[cfg(test)]
    pub(super) fn use_up(&mut self) {
        self.frame = Some(FRAMES - 1);
    }

    /// Whether its numbers are used up.
    pub(super) fn is_exhausted(&self) -> bool {
        self.frame.is_some_and(|last| last + 1 >= FRAMES)
    }

    /// Begins a frame.
    ///
    /// # Errors
    /// Its number is not behind that of the last one, or the numbers of the lane are used up.
    /// Nothing may be sent then.
    pub(super) fn frame(&mut self, seq: FrameSeq) -> Result<(), SealError> {
        // The first number is 0 or not far behind it, as the other end takes it for one of the
        // first epoch.
        let (last, least) = self.frame.map_or((0, 0), |last| (last, 1));
        let last_seq = FrameSeq::new(last as u32);
        let ahead = seq.since(last_seq);
        if ahead < least {
            let (frame, last) = (seq.get(), last_seq.get());
            return Err(SealError::Again { frame, last });
        }
        let next = last + u64::from(ahead.unsigned_abs());
        if next >= FRAMES {
            return Err(SealError::Exhausted);
        }
        if next >> EPOCH_BITS > last >> EPOCH_BITS {
            event!(
                INFO,
                lane = self.lane.lane,
                epoch = next >> EPOCH_BITS,
                "key epoch sealed"
            );
        }
        self.frame = Some(next);
        self.index = 0;
        Ok(())
    }

    /// Encrypts the next part of the frame and adds it to `out`; returns the tag over what was
    /// added and its header.
    ///
    /// # Errors
    /// No frame was begun, or it has more than 65 536 parts.
    pub(super) fn seal(
        &mut self,
        header: &[u8],
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<[u8; TAG_BYTES], SealError> {
        let (Some(frame), Ok(index)) = (self.frame, u16::try_from(self.index)) else {
            return Err(SealError::Exhausted);
        };
        self.index += 1;
        let (key, nonce) = self.lane.key(frame, index);
        let tag = key.seal(nonce, header, payload, out);
        tag.ok_or(SealError::Exhausted)
    }
}

/// Opens what arrives on one lane.
#[derive(Debug)]
pub(super) struct Opener {
    lane: LaneKeys,
    /// Highest number of a frame of which something was opened, epoch included.
    highest: u64,
}

impl Opener {
    /// Decrypts a part of a frame, the `index`th of it, from 0, into `payload`, which is that alone
    /// then. A frame is expected within 2^23 of the highest one that was opened.
    ///
    /// # Errors
    /// It was not sealed like this; the payload is of no use then.
    pub(super) fn open(
        &mut self,
        seq: FrameSeq,
        index: u16,
        header: &[u8],
        tag: &[u8; TAG_BYTES],
        sealed: &[u8],
        payload: &mut Vec<u8>,
    ) -> Result<(), OpenError> {
        let ahead = seq.since(FrameSeq::new(self.highest as u32));
        let frame = self
            .highest
            .checked_add_signed(ahead.into())
            .ok_or(OpenError)?;
        let (key, nonce) = self.lane.key(frame, index);
        if !key.open(nonce, header, tag, sealed, payload) {
            return Err(OpenError);
        }
        if frame >> EPOCH_BITS > self.highest >> EPOCH_BITS {
            event!(
                INFO,
                lane = self.lane.lane,
                epoch = frame >> EPOCH_BITS,
                "key epoch opened"
            );
        }
        self.highest = self.highest.max(frame);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key() -> SessionKey {
        SessionKey::new(b"secret", b"context")
    }

    fn sealed(sealer: &mut Sealer, payload: &[u8]) -> (Vec<u8>, [u8; TAG_BYTES]) {
        let mut bytes = Vec::new();
        let tag = sealer.seal(b"header", payload, &mut bytes).unwrap();
        (bytes, tag)
    }

    proptest! {
        #[test]
        fn opens_again(payload in prop::collection::vec(any::<u8>(), 0..2000), seq: u32, parts in 1_u16..5) {
            let seq = FrameSeq::new(seq >> 9);
            let mut sealer = key().sealer(Direction::Forward, 3);
            let mut opener = key().opener(Direction::Forward, 3);
            sealer.frame(seq).unwrap();
            for index in 0..parts {
                let (bytes, tag) = sealed(&mut sealer, &payload);
                prop_assert!(payload.len() < 16 || bytes != payload);
                // As often as it arrives, whatever was opened before.
                let mut opened = vec![1; 900];
                for _ in 0..2 {
                    let said = opener.open(seq, index, b"header", &tag, &bytes, &mut opened);
                    prop_assert_eq!(said, Ok(()));
                    prop_assert_eq!(&opened, &payload);
                }
            }
        }

        #[test]
        fn nothing_else_opens(flip in 0_usize..8 * (6 + 16 + 64), seq in 1_u32..1000, lane in 0_u8..32) {
            let seq = FrameSeq::new(seq);
            let mut sealer = key().sealer(Direction::Forward, lane);
            sealer.frame(seq).unwrap();
            let (bytes, tag) = sealed(&mut sealer, &[0x5a; 64]);
            let mut all = [b"header", &tag[..], &bytes].concat();
            all[flip / 8] ^= 1 << (flip % 8);
            let (header, rest) = all.split_at(6);
            let (changed_tag, changed) = rest.split_first_chunk().unwrap();
            let mut opener = key().opener(Direction::Forward, lane);
            let said = opener.open(seq, 0, header, changed_tag, changed, &mut Vec::new());
            prop_assert_eq!(said, Err(OpenError));
            let open = |opener: &mut Opener, seq, index| {
                opener.open(seq, index, b"header", &tag, &bytes, &mut Vec::new())
            };
            prop_assert_eq!(open(&mut opener, seq.next(), 0), Err(OpenError));
            prop_assert_eq!(open(&mut opener, seq, 1), Err(OpenError));
            for (direction, lane) in [(Direction::Back, lane), (Direction::Forward, lane + 1)] {
                prop_assert_eq!(open(&mut key().opener(direction, lane), seq, 0), Err(OpenError));
            }
            for other in [SessionKey::new(b"Secret", b"context"), SessionKey::new(b"secret", b"Context")] {
                prop_assert_eq!(open(&mut other.opener(Direction::Forward, lane), seq, 0), Err(OpenError));
            }
            // None of that has harmed it.
            prop_assert_eq!(open(&mut opener, seq, 0), Ok(()));
        }
    }

    #[test]
    fn a_number_is_sealed_once() {
        let mut sealer = key().sealer(Direction::Forward, 0);
        assert_eq!(
            sealer.seal(b"", &[], &mut Vec::new()),
            Err(SealError::Exhausted)
        );
        sealer.frame(FrameSeq::new(7)).unwrap();
        for again in [7, 6, 0, 0xff_ffff, 7 + (1 << 23)] {
            let refused = sealer.frame(FrameSeq::new(again));
            let (frame, last) = (again, 7);
            assert_eq!(refused, Err(SealError::Again { frame, last }));
        }
        // Equal bytes in equal places look different in each part of each frame.
        let mut seen = std::collections::HashSet::new();
        for frame in 8..20 {
            sealer.frame(FrameSeq::new(frame)).unwrap();
            for _ in 0..8 {
                assert!(seen.insert(sealed(&mut sealer, &[0; 64])));
            }
        }
    }

    /// The numbers on the wire begin anew, the keys do not: frames around each turn, out of order,
    /// with frames lost in between.
    #[test]
    fn epochs_follow_each_other() {
        let mut sealer = key().sealer(Direction::Back, 1);
        let mut opener = key().opener(Direction::Back, 1);
        let mut seen = std::collections::HashSet::new();
        let step = (1 << 22) - 1;
        for pair in 0..20_u32 {
            let both = [2 * pair, 2 * pair + 1].map(|number| {
                let seq = FrameSeq::new(number.wrapping_mul(step));
                sealer.frame(seq).unwrap();
                let (bytes, tag) = sealed(&mut sealer, b"the same bytes every time");
                assert!(seen.insert(bytes.clone()), "key and nonce used again");
                (seq, bytes, tag)
            });
            // The later one arrives first.
            for (seq, bytes, tag) in both.iter().rev() {
                let mut opened = Vec::new();
                assert_eq!(
                    opener.open(*seq, 0, b"header", tag, bytes, &mut opened),
                    Ok(())
                );
                assert_eq!(opened, b"the same bytes every time");
            }
        }
    }

    #[test]
    fn a_lane_ends_when_its_numbers_do() {
        let mut sealer = key().sealer(Direction::Forward, 0);
        sealer.frame = Some(FRAMES - 2);
        let last = FrameSeq::new((FRAMES - 1) as u32);
        assert_eq!(sealer.frame(last), Ok(()));
        assert_eq!(sealer.frame(last.next()), Err(SealError::Exhausted));
        sealer.index = 1 << 16;
        assert_eq!(
            sealer.seal(b"", &[], &mut Vec::new()),
            Err(SealError::Exhausted)
        );
    }

    #[test]
    fn label_and_context_are_separate() {
        let key = key();
        assert_ne!(key.derive::<32>("ab", b"c"), key.derive("a", b"bc"));
        assert_eq!(format!("{key:?}"), "SessionKey");
    }
}
