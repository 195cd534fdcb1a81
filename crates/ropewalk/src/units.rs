// SPDX-License-Identifier: Apache-2.0
//! Parsers of the values of arguments. Each error says what would be accepted.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use ropewalk_chunk::transfer::filter::Pattern;
use ropewalk_chunk::transfer::start::PORT;
pub use ropewalk_console::units::{
    bit_rate, file_offset, frame_bytes, htsp_burst, id_width, packets, page_address, share,
    time_span, vc,
};
use ropewalk_console::units::{number, whole};
use ropewalk_wire::chunk::Fec;
use ropewalk_wire::chunk::handshake::Code;
use ropewalk_wire::chunk::handshake::auth::CodeError;
use ropewalk_wire::chunk::params::MAX_LANES;
use ropewalk_wire::fec::erasure::{self, DATA, PARITY};
use ropewalk_wire::fec::rs::MAX_T;
use ropewalk_wire::htsp::frame::Word;
use ropewalk_wire::rifl::FrameWidth;

/// Widths of frames of RIFL that can be decoded.
pub const DECODED_WIDTHS: [u16; 5] = [128, 256, 512, 1024, 2048];

/// `--ethertype`.
pub fn ethertype(text: &str) -> Result<u16, String> {
    let value = match text.strip_prefix("0x") {
        Some(digits) => u16::from_str_radix(digits, 16),
        None => text.parse(),
    };
    value.map_err(|_| "accepted: 0 to 65535 or 0x0 to 0xffff".to_owned())
}

/// `--frame-width` of a lane that is decoded: those that the core is made for.
pub fn decoded_frame_width(text: &str) -> Result<FrameWidth, String> {
    let width = text
        .parse()
        .ok()
        .and_then(|bits| FrameWidth::new(bits).ok());
    let carried = width.filter(|width| DECODED_WIDTHS.contains(&width.bits()));
    carried.ok_or_else(|| "accepted: 128, 256, 512, 1024 or 2048".to_owned())
}

/// `--fec`.
pub fn fec(text: &str) -> Result<Fec, String> {
    let wrong = || {
        format!(
            "accepted: none; rs:T with T from 1 to {MAX_T}, such as rs:8; or erasure:K+M with K from {} to {} and M from {} to {}, such as erasure:128+16",
            DATA.start(),
            DATA.end(),
            PARITY.start(),
            PARITY.end()
        )
    };
    if text == "none" {
        return Ok(Fec::None);
    }
    if let Some(strength) = text.strip_prefix("rs:") {
        let strength = strength.parse().ok();
        let strength = strength.filter(|&t: &u8| (1..=MAX_T).contains(&t.into()));
        return strength.map(Fec::Mend).ok_or_else(wrong);
    }
    let block = text.strip_prefix("erasure:").and_then(|block| {
        let (data, parity) = block.split_once('+')?;
        Some((data.parse().ok()?, parity.parse().ok()?))
    });
    match block {
        Some((data, parity)) if erasure::check(data, parity).is_ok() => {
            Ok(Fec::Restore(data, parity))
        }
        _ => Err(wrong()),
    }
}

/// `--seconds`.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let accepted = "0.1 to 3600 (s)";
    let seconds = number(text.trim().trim_end_matches('s'), accepted)?;
    if (0.1..=3600.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(format!("accepted: {accepted}"))
    }
}

/// `--lanes` of a bulk transfer.
pub fn bulk_lanes(text: &str) -> Result<u8, String> {
    whole(text, 1..=MAX_LANES, "")
}

/// `--chunks`: chunks that a receiver holds.
pub fn chunks(text: &str) -> Result<u16, String> {
    whole(text, 1..=64, "")
}

/// A receiver of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Host(pub SocketAddr);

impl Host {
    /// None yet.
    pub const NOWHERE: Self = Host(SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0));
}

/// The address of a receiver, by name or number.
pub fn host(text: &str) -> Result<Host, String> {
    let accepted =
        "accepted: HOST or HOST:PORT, such as store, 10.0.0.2:7425 or [fe80::1%eth0]:7425";
    let plain = text.trim_matches(['[', ']']);
    let port = text.rsplit_once(':').map_or("", |(_, port)| port);
    let is_number = !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit());
    if is_number && plain.parse::<IpAddr>().is_err() && port.parse::<u16>().is_err() {
        return Err(format!("there is no port {port}; {accepted}"));
    }
    let found = if let Ok(address) = plain.parse::<IpAddr>() {
        Some(SocketAddr::new(address, PORT))
    } else if let Ok(found) = text.to_socket_addrs() {
        found.into_iter().next()
    } else {
        let named = (text, PORT).to_socket_addrs();
        let named = named.map_err(|error| format!("{error}; {accepted}"))?;
        named.into_iter().next()
    };
    found.map(Host).ok_or_else(|| accepted.to_owned())
}

/// A lane of `send`: own address, and that of the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lane {
    /// Own address.
    pub local: SocketAddr,
    /// Of the receiver.
    pub remote: SocketAddr,
}

/// `--lane` of `send`.
pub fn lane(text: &str) -> Result<Lane, String> {
    let accepted = "accepted: LOCAL=REMOTE, two addresses such as 10.0.0.1=10.0.0.2 or 10.0.0.1:5000=10.0.0.2:7425";
    let (local, remote) = text.split_once('=').ok_or(accepted)?;
    let own = local.parse().map(|address| SocketAddr::new(address, 0));
    let local = own.or_else(|_| local.parse()).map_err(|_| accepted)?;
    let Host(remote) = host(remote)?;
    if local.is_ipv4() != remote.is_ipv4() {
        return Err(format!("one is of IPv4 and one of IPv6; {accepted}"));
    }
    Ok(Lane { local, remote })
}

/// `--code` of `send`.
pub fn code(text: &str) -> Result<Code, String> {
    text.parse().map_err(|error: CodeError| {
        format!("{error}; accepted: the eight digits that 'ropewalk recv' shows")
    })
}

/// `--include` and `--exclude`.
pub fn pattern(text: &str) -> Result<Pattern, String> {
    Pattern::new(text).map_err(|error| error.to_string())
}

/// `--listen` of `recv`.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let whole = text.parse().map(|address| SocketAddr::new(address, PORT));
    whole
        .or_else(|_| text.parse())
        .map_err(|_| "accepted: ADDR or ADDR:PORT, such as 0.0.0.0:7425 or [::]:7425".to_owned())
}

/// A channel of HTSP and its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelFile {
    /// Channel.
    pub vc: u8,
    /// File; `-` for standard input or output.
    pub file: PathBuf,
}

/// `--op-code` and `--user-data` of HTSP.
pub fn htsp_word(text: &str) -> Result<Word, String> {
    let accepted =
        "accepted: 1 to 16 bytes as pairs of hexadecimal digits, such as 0001 or 4f50454e";
    let digits: Option<Vec<u32>> = text.chars().map(|it| it.to_digit(16)).collect();
    let mut word = Word::default();
    match digits {
        Some(digits) if (1..=16).contains(&(digits.len() / 2)) && digits.len() % 2 == 0 => {
            for (byte, pair) in word.iter_mut().zip(digits.chunks(2)) {
                *byte = (pair[0] << 4 | pair[1]) as u8;
            }
            Ok(word)
        }
        _ => Err(accepted.to_owned()),
    }
}

/// `--vc` of HTSP.
pub fn channel_file(text: &str) -> Result<ChannelFile, String> {
    let accepted = "accepted: VC=FILE with a channel of 0 to 15, such as 3=run.bin, or 3=- for standard input or output";
    match text.split_once('=') {
        Some((channel, file)) if !file.is_empty() => Ok(ChannelFile {
            vc: vc(channel).map_err(|_| accepted.to_owned())?,
            file: file.into(),
        }),
        _ => Err(accepted.to_owned()),
    }
}
