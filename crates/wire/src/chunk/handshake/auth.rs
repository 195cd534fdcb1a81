// SPDX-License-Identifier: Apache-2.0
//! Proofs of who an end is, two messages each: SPAKE2 (crate `spake2`) over a code, or Noise IK
//! (crate `snow`) over keys. Both leave a secret that only the two ends have.

use super::message::Refusal;
use super::{NoRandom, Peer, random};
use crate::chunk::seal::SessionKey;
use snow::params::DHChoice;
use snow::resolvers::{CryptoResolver, DefaultResolver};
use snow::{Builder, HandshakeState};
use spake2::{Ed25519Group, Identity, Password, Spake2};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;
use zeroize::Zeroizing;

const NOISE: &str = "Noise_IK_25519_ChaChaPoly_SHA256";
/// Digits of a code.
const DIGITS: usize = 8;

/// A short code that the server shows and the client is told: eight digits from the system's random
/// numbers.
#[derive(Clone, PartialEq, Eq)]
pub struct Code(Zeroizing<[u8; DIGITS]>);

/// Text that is no code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a code has {DIGITS} digits, as in 1234-5678; there are {0}")]
pub struct CodeError(usize);

impl Code {
    /// A new code.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn random() -> Result<Self, NoRandom> {
        // Below the largest multiple of 10^8, so that all codes are equally likely.
        let count = 10_u64.pow(DIGITS as u32);
        let mut number = u64::MAX;
        while number >= u64::MAX / count * count {
            number = u64::from_be_bytes(random()?);
        }
        let text = Zeroizing::new(format!("{:08}", number % count));
        Ok(Code(std::array::from_fn(|i| text.as_bytes()[i]).into()))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, &digit) in self.0.iter().enumerate() {
            let dash = if i == DIGITS / 2 { "-" } else { "" };
            write!(f, "{dash}{}", char::from(digit))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code")
    }
}

impl FromStr for Code {
    type Err = CodeError;

    fn from_str(text: &str) -> Result<Self, CodeError> {
        let digits = text.bytes().filter(|byte| !matches!(byte, b'-' | b' '));
        let digits: Zeroizing<Vec<u8>> = digits.collect::<Vec<_>>().into();
        match <[u8; DIGITS]>::try_from(&digits[..]) {
            Ok(code) if code.iter().all(u8::is_ascii_digit) => Ok(Code(code.into())),
            _ => Err(CodeError(
                digits.iter().filter(|digit| digit.is_ascii_digit()).count(),
            )),
        }
    }
}

/// The public half of a key. As text: 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey(pub [u8; 32]);

/// Text that is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a key has 64 hexadecimal digits; there are {0} characters, or others")]
pub struct KeyError(usize);

/// The 32 bytes of 64 hexadecimal digits.
///
/// # Errors
/// Other text.
pub fn from_hex(text: &str) -> Result<[u8; 32], KeyError> {
    let wrong = KeyError(text.chars().count());
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(wrong);
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).map_err(|_| wrong)?;
    }
    Ok(bytes)
}

/// As hexadecimal digits.
#[must_use]
pub fn to_hex(bytes: &[u8; 32]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_hex(&self.0))
    }
}

impl FromStr for PublicKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        from_hex(text).map(PublicKey)
    }
}

/// A key of an end (X25519).
#[derive(Clone)]
pub struct KeyPair {
    private: Zeroizing<[u8; 32]>,
    /// What others know of it.
    pub public: PublicKey,
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeyPair").field(&self.public).finish()
    }
}

impl KeyPair {
    /// A new key.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn random() -> Result<Self, NoRandom> {
        let pair = builder().generate_keypair().map_err(|_| NoRandom)?;
        let private = Zeroizing::new(pair.private);
        match (private.as_slice().try_into(), pair.public.try_into()) {
            (Ok(private), Ok(public)) => Ok(KeyPair {
                private: Zeroizing::new(private),
                public: PublicKey(public),
            }),
            _ => Err(NoRandom),
        }
    }

    /// The key whose private half was kept.
    #[must_use]
    pub fn from_private(private: [u8; 32]) -> Self {
        let mut curve = DefaultResolver
            .resolve_dh(&DHChoice::Curve25519)
            .expect("it is built in");
        curve.set(&private);
        let mut public = [0; 32];
        public.copy_from_slice(curve.pubkey());
        KeyPair {
            private: Zeroizing::new(private),
            public: PublicKey(public),
        }
    }

    /// A key that only the ends of a session have, one for each label.
    #[must_use]
    pub fn of_session(key: &SessionKey, label: &str) -> Self {
        Self::from_private(*key.derive(label, &[]))
    }

    /// The private half, to be kept where nobody else reads it.
    #[must_use]
    pub fn private_bytes(&self) -> &[u8; 32] {
        &self.private
    }
}

/// How a client proves who it is, and whom it wants to meet.
#[derive(Debug, Clone)]
pub enum Credentials {
    /// The code that the server shows.
    Code(Code),
    /// Own key, and that of the server.
    Keys(KeyPair, PublicKey),
    /// No proof on either side.
    Trusted,
}

/// Which proofs a server takes.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// A code; it admits one client.
    pub code: Option<Code>,
    /// Own key, and those of the clients that are admitted.
    pub keys: Option<(KeyPair, Vec<PublicKey>)>,
    /// Clients without a proof are admitted.
    pub trusted: bool,
}

const BY_CODE: u8 = 1;
const BY_KEYS: u8 = 2;
const BY_TRUST: u8 = 3;

impl Credentials {
    /// Kind of proof, in Hello.
    pub(super) fn kind(&self) -> u8 {
        match self {
            Credentials::Code(_) => BY_CODE,
            Credentials::Keys(..) => BY_KEYS,
            Credentials::Trusted => BY_TRUST,
        }
    }

    /// Whom it meets.
    pub(super) fn peer(&self) -> Peer {
        match self {
            Credentials::Code(_) => Peer::Code,
            Credentials::Keys(_, peer) => Peer::Key(*peer),
            Credentials::Trusted => Peer::Unknown,
        }
    }
}

/// The client's side of a proof, between its two messages.
pub(super) enum Proof {
    Code(Box<Spake2<Ed25519Group>>),
    Keys(Box<HandshakeState>),
    Trusted,
}

/// The proof does not fit.
#[derive(Debug)]
pub(super) struct Wrong;

impl From<snow::Error> for Wrong {
    fn from(_: snow::Error) -> Self {
        Wrong
    }
}

fn builder<'a>() -> Builder<'a> {
    Builder::new(NOISE.parse().expect("the name of a protocol"))
}

fn code_parts(code: &Code) -> (Password, Identity, Identity) {
    let (client, server) = (Identity::new(b"sender"), Identity::new(b"receiver"));
    (Password::new(&code.0[..]), client, server)
}

/// What the two keys of a finished Noise handshake amount to.
fn noise_secret(state: &mut HandshakeState) -> Zeroizing<Vec<u8>> {
    let (first, second) = state.dangerously_get_raw_split();
    let (first, second) = (Zeroizing::new(first), Zeroizing::new(second));
    [&first[..], &second[..], state.get_handshake_hash()]
        .concat()
        .into()
}

impl Proof {
    /// First message of the client.
    pub(super) fn start(
        credentials: &Credentials,
        prologue: &[u8],
    ) -> Result<(Proof, Vec<u8>), Wrong> {
        match credentials {
            Credentials::Code(code) => {
                let (password, client, server) = code_parts(code);
                let (state, message) = Spake2::<Ed25519Group>::start_a(&password, &client, &server);
                Ok((Proof::Code(Box::new(state)), message))
            }
            Credentials::Keys(own, peer) => {
                let mut state = builder()
                    .prologue(prologue)?
                    .local_private_key(&own.private[..])?
                    .remote_public_key(&peer.0)?
                    .build_initiator()?;
                let mut message = [0; 128];
                let length = state.write_message(&[], &mut message)?;
                Ok((Proof::Keys(Box::new(state)), message[..length].to_vec()))
            }
            Credentials::Trusted => Ok((Proof::Trusted, Vec::new())),
        }
    }

    /// Message of the server: the secret.
    pub(super) fn finish(self, message: &[u8]) -> Result<Zeroizing<Vec<u8>>, Wrong> {
        match self {
            Proof::Code(state) => Ok(state.finish(message).map_err(|_| Wrong)?.into()),
            Proof::Keys(mut state) => {
                state.read_message(message, &mut [0; 128])?;
                Ok(noise_secret(&mut state))
            }
            Proof::Trusted => Ok(Zeroizing::default()),
        }
    }
}

/// What a server makes of the first message of a client.
#[derive(Debug)]
pub(super) struct Answer {
    pub secret: Zeroizing<Vec<u8>>,
    pub message: Vec<u8>,
    pub peer: Peer,
}

impl Policy {
    /// Answers the first message of a client.
    pub(super) fn answer(
        &self,
        kind: u8,
        prologue: &[u8],
        first: &[u8],
    ) -> Result<Answer, Refusal> {
        match kind {
            BY_CODE => {
                let code = self.code.as_ref().ok_or(Refusal::Proof)?;
                let (password, client, server) = code_parts(code);
                let (state, message) = Spake2::<Ed25519Group>::start_b(&password, &client, &server);
                Ok(Answer {
                    secret: state.finish(first).map_err(|_| Refusal::Code)?.into(),
                    message,
                    peer: Peer::Code,
                })
            }
            BY_KEYS => {
                let (own, admitted) = self.keys.as_ref().ok_or(Refusal::Proof)?;
                noise_answer(own, admitted, prologue, first).map_err(|Wrong| Refusal::Key)
            }
            BY_TRUST if self.trusted => Ok(Answer {
                secret: Zeroizing::default(),
                message: Vec::new(),
                peer: Peer::Unknown,
            }),
            _ => Err(Refusal::Proof),
        }
    }
}

fn noise_answer(
    own: &KeyPair,
    admitted: &[PublicKey],
    prologue: &[u8],
    first: &[u8],
) -> Result<Answer, Wrong> {
    let mut state = builder()
        .prologue(prologue)?
        .local_private_key(&own.private[..])?
        .build_responder()?;
    state.read_message(first, &mut [0; 128])?;
    let peer = state
        .get_remote_static()
        .and_then(|key| key.try_into().ok());
    let peer = PublicKey(peer.ok_or(Wrong)?);
    if !admitted.contains(&peer) {
        return Err(Wrong);
    }
    let mut message = [0; 128];
    let length = state.write_message(&[], &mut message)?;
    Ok(Answer {
        secret: noise_secret(&mut state),
        message: message[..length].to_vec(),
        peer: Peer::Key(peer),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_as_text() {
        let pair = KeyPair::random().unwrap();
        let text = pair.public.to_string();
        assert_eq!(text.parse(), Ok(pair.public));
        for wrong in [
            &text[1..],
            &format!("{text}0"),
            &text.replace(&text[..1], "g"),
            "",
        ] {
            assert!(wrong.parse::<PublicKey>().is_err());
        }
        let kept = KeyPair::from_private(from_hex(&to_hex(pair.private_bytes())).unwrap());
        assert_eq!(kept.public, pair.public);
    }

    #[test]
    fn keys_of_a_session() {
        let one = KeyPair::of_session(&SessionKey::new(b"secret", b""), "sender");
        let other =
            |secret: &[u8], label| KeyPair::of_session(&SessionKey::new(secret, b""), label).public;
        assert_eq!(one.public, other(b"secret", "sender"));
        assert_ne!(one.public, other(b"secret", "receiver"));
        assert_ne!(one.public, other(b"Secret", "sender"));
    }

    #[test]
    fn codes_as_text() {
        let code: Code = "1234-5678".parse().unwrap();
        assert_eq!(code, "12 345 678".parse().unwrap());
        assert_eq!(code.to_string(), "1234-5678");
        assert_eq!(format!("{code:?}"), "Code");
        for (text, count) in [("", 0), ("1234567", 7), ("123456789", 9), ("1234567x", 7)] {
            assert_eq!(text.parse::<Code>(), Err(CodeError(count)));
        }
        let code = Code::random().unwrap();
        assert_eq!(code.to_string().parse(), Ok(code));
    }
}
