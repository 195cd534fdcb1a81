// SPDX-License-Identifier: Apache-2.0
//! As much of HTTP/1.1 (RFC 9112) as a page needs: requests with short heads and short bodies, one
//! for each connection.

use std::net::IpAddr;

/// Longest head of a request, in bytes.
pub(crate) const MOST_HEAD: usize = 8192;
/// Longest body of a request, in bytes.
pub(crate) const MOST_BODY: usize = 4096;
const MOST_HEADERS: usize = 64;

/// A request without its body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Head {
    pub(crate) method: String,
    /// Without a query.
    pub(crate) path: String,
    pub(crate) host: String,
    pub(crate) origin: Option<String>,
    pub(crate) token: Option<String>,
    /// Bytes of the body.
    pub(crate) length: usize,
    /// Bytes of the head.
    pub(crate) bytes: usize,
}

/// A status and a line for the user, for what is not answered otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused(pub(crate) u16, pub(crate) &'static str);

/// The head at the beginning of `bytes`; none: more of it has to come.
pub(crate) fn head(bytes: &[u8]) -> Result<Option<Head>, Refused> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let status = request.parse(bytes).map_err(|error| match error {
        httparse::Error::TooManyHeaders => Refused(431, "too many header fields"),
        _ => Refused(400, "not an HTTP request"),
    })?;
    let httparse::Status::Complete(length) = status else {
        return match bytes.len() >= MOST_HEAD {
            true => Err(Refused(431, "the head of the request is too long")),
            false => Ok(None),
        };
    };
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let target = text(request.path);
    let mut head = Head {
        method: text(request.method),
        path: target.split('?').next().unwrap_or_default().to_owned(),
        bytes: length,
        ..Head::default()
    };
    let mut seen = [false; 4];
    for header in request.headers.iter() {
        let once = |place: usize, seen: &mut [bool; 4]| {
            // What comes twice is read differently by different programs.
            match std::mem::replace(&mut seen[place], true) {
                true => Err(Refused(400, "a header field comes twice")),
                false => Ok(()),
            }
        };
        let value = std::str::from_utf8(header.value).map(str::trim);
        let value = value.map_err(|_| Refused(400, "a header field is not text"));
        match header.name.to_ascii_lowercase().as_str() {
            "host" => {
                once(0, &mut seen)?;
                head.host = value?.to_owned();
            }
            "content-length" => {
                once(1, &mut seen)?;
                let value = value?;
                let digits = !value.is_empty() && value.bytes().all(|it| it.is_ascii_digit());
                head.length = match value.parse() {
                    Ok(length) if digits && length <= MOST_BODY => length,
                    _ if digits => return Err(Refused(413, "the body is too long")),
                    _ => return Err(Refused(400, "Content-Length is not a number")),
                };
            }
            "origin" => {
                once(2, &mut seen)?;
                head.origin = Some(value?.to_owned());
            }
            "x-ropewalk-token" => {
                once(3, &mut seen)?;
                head.token = Some(value?.to_owned());
            }
            "transfer-encoding" => return Err(Refused(501, "Transfer-Encoding is not accepted")),
            _ => {}
        }
    }
    Ok(Some(head))
}

/// Whether the name that a browser has for this server is one that only we can have given: an
/// address in digits, `localhost`, or the name of this machine. A name of somebody else that leads
/// here (DNS rebinding) would make the pages of its owner ours.
pub(crate) fn host_is_ours(host: &str, own: &str) -> bool {
    let bare = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, port)) if is_port(port) => address,
            _ => return false,
        },
        None => match host.split_once(':') {
            Some((name, _)) if is_port(&host[name.len()..]) => name,
            Some(_) => return false,
            None => host,
        },
    };
    let named =
        bare.eq_ignore_ascii_case("localhost") || !own.is_empty() && bare.eq_ignore_ascii_case(own);
    named || bare.parse::<IpAddr>().is_ok()
}

/// `:` and digits, or nothing.
fn is_port(text: &str) -> bool {
    match text.strip_prefix(':') {
        None => text.is_empty(),
        Some(digits) => digits.parse::<u16>().is_ok(),
    }
}

/// What stands behind a status.
pub(crate) fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Content Too Large",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        _ => "Service Unavailable",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_head_is_read() {
        let text = b"POST /what-if?x=1 HTTP/1.1\r\nHost: 127.0.0.1:80\r\ncontent-length: 17\r\n\
                     ORIGIN: http://a\r\nX-Ropewalk-Token: abc\r\nOther: \xff\r\n\r\nbody";
        let head = head(text).expect("sound").expect("whole");
        assert_eq!((&head.method[..], &head.path[..]), ("POST", "/what-if"));
        assert_eq!(head.host, "127.0.0.1:80");
        assert_eq!(head.origin.as_deref(), Some("http://a"));
        assert_eq!(head.token.as_deref(), Some("abc"));
        assert_eq!((head.length, head.bytes), (17, text.len() - 4));
    }

    #[test]
    fn what_is_ambiguous_or_too_long_is_refused() {
        let status = |fields: &str| {
            head(format!("GET / HTTP/1.1\r\n{fields}\r\n\r\n").as_bytes())
                .expect_err(fields)
                .0
        };
        assert_eq!(status("Host: a\r\nHost: b"), 400);
        assert_eq!(status("Content-Length: 1\r\nContent-Length: 1"), 400);
        assert_eq!(status("Content-Length: -1"), 400);
        assert_eq!(status("Content-Length: +1"), 400);
        assert_eq!(status("Content-Length: 4097"), 413);
        assert_eq!(status("Content-Length: 99999999999999999999999999"), 413);
        assert_eq!(status("Transfer-Encoding: chunked"), 501);
        assert_eq!(status(&"A: b\r\n".repeat(100)), 431);
        let long = format!("GET /{} HTTP/1.1\r\n", "x".repeat(MOST_HEAD));
        assert_eq!(head(long.as_bytes()).expect_err("too long").0, 431);
        assert_eq!(head(b"GET / HTTP/1.1\r\nHost: a\r\n"), Ok(None));
    }

    #[test]
    fn only_names_that_are_ours_are_accepted() {
        for host in [
            "127.0.0.1",
            "127.0.0.1:8080",
            "[::1]:8080",
            "[::1]",
            "localhost:1",
            "LAB7",
        ] {
            assert!(host_is_ours(host, "lab7"), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "127.0.0.1.evil.example",
            "lab7.evil.example",
            "localhost.evil:80",
            "[::1",
            "[::1]x",
            "127.0.0.1:x",
            "127.0.0.1:99999",
            "a:b:c",
        ] {
            assert!(!host_is_ours(host, "lab7"), "{host}");
        }
        assert!(!host_is_ours("", ""));
    }

    proptest! {
        #[test]
        fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = head(&bytes);
        }

        #[test]
        fn no_head_does_harm(text in "(GET|POST|X) [ -~]{0,20} HTTP/1.[01]\r\n([A-Za-z-]{1,15}: [ -~]{0,20}\r\n){0,5}\r\n") {
            if let Ok(Some(head)) = head(text.as_bytes()) {
                prop_assert!(head.length <= MOST_BODY && head.bytes <= text.len());
                let _ = host_is_ours(&head.host, "own");
            }
        }

        #[test]
        fn a_head_that_has_not_come_whole_waits(cut in 0usize..60) {
            let text = b"POST /what-if HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\n";
            prop_assert_eq!(head(&text[..cut]), Ok(None));
        }
    }
}
