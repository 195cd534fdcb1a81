// SPDX-License-Identifier: Apache-2.0
//! The server: a thread that accepts, and one for each connection, of which there are few.
//!
//! A client can take nothing from others but one of [`MOST_CONNECTIONS`] places, for as long as it
//! reads, or for [`PATIENCE`].

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::board::{Board, Refusal};
use crate::http::{self, Head, MOST_HEAD, Refused, phrase};
use crate::{metrics, page};

/// Connections at a time; more are sent away with 503.
pub const MOST_CONNECTIONS: usize = 32;
/// Streams of events among them, so that other requests are answered whoever listens.
const MOST_STREAMS: usize = 16;
/// For how long a request may take to come, and a client not to read.
const PATIENCE: Duration = Duration::from_secs(5);
/// Shortest time between two states of a stream.
const PACE: Duration = Duration::from_millis(100);
/// A stream says something at least so often, so that a client that has gone is noticed.
const HEARTBEAT: Duration = Duration::from_secs(2);

/// What all connections share.
#[derive(Debug)]
struct Site {
    board: Arc<Board>,
    /// What an order has to have.
    token: String,
    /// Name of this machine.
    own: String,
    stop: AtomicBool,
    connections: Arc<AtomicUsize>,
    streams: Arc<AtomicUsize>,
}

/// Counts a connection or a stream as long as it lives.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(count: &Arc<AtomicUsize>, most: usize) -> Option<Self> {
        let more = |now: usize| (now < most).then_some(now + 1);
        count
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, more)
            .ok()?;
        Some(Self(Arc::clone(count)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Shows a board as long as it lives.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    site: Arc<Site>,
    thread: Option<JoinHandle<()>>,
}

/// What an order has to know: 128 random bits.
fn fresh_token() -> io::Result<String> {
    let mut bytes = [0; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Server {
    /// Listens at this address; port 0 for one that is free.
    ///
    /// # Errors
    /// The address cannot be listened at.
    pub fn start(address: SocketAddr, board: Arc<Board>) -> io::Result<Self> {
        let listener = TcpListener::bind(address).map_err(|error| {
            io::Error::new(error.kind(), format!("cannot listen at {address}: {error}"))
        })?;
        let own = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let site = Arc::new(Site {
            board,
            token: fresh_token()?,
            own: own.trim().to_owned(),
            stop: AtomicBool::new(false),
            connections: Arc::default(),
            streams: Arc::default(),
        });
        let address = listener.local_addr()?;
        let shared = Arc::clone(&site);
        let thread = std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || accept(&listener, &shared))?;
        Ok(Self {
            address,
            site,
            thread: Some(thread),
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.site.stop.store(true, Ordering::Release);
        self.site.board.close();
        // Whoever waits for a connection gets one.
        let mut own = self.address;
        if own.ip().is_unspecified() {
            own.set_ip(match own.is_ipv4() {
                true => Ipv4Addr::LOCALHOST.into(),
                false => Ipv6Addr::LOCALHOST.into(),
            });
        }
        let woken = TcpStream::connect_timeout(&own, PATIENCE).is_ok();
        if let Some(thread) = self.thread.take()
            && woken
        {
            // It has not panicked: every connection has a thread of its own.
            let _ = thread.join();
        }
    }
}

fn accept(listener: &TcpListener, site: &Arc<Site>) {
    for stream in listener.incoming() {
        if site.stop.load(Ordering::Acquire) {
            return;
        }
        let Ok(stream) = stream else {
            // Such as no file left: it does not get better at once.
            std::thread::sleep(PACE);
            continue;
        };
        // Whoever is accepted first has the place, whichever thread runs first; and a crowd takes
        // no more threads than there are places.
        let Some(place) = Place::take(&site.connections, MOST_CONNECTIONS) else {
            // A client that does not take its answer is its own loss.
            let _ = send_away(stream);
            continue;
        };
        let shared = Arc::clone(site);
        // Where no thread is left, the connection closes.
        let _ = std::thread::Builder::new()
            .name("watch client".to_owned())
            .spawn(move || {
                let _place = place;
                // A client that does not behave is its own loss.
                let _ = serve(stream, &shared);
            });
    }
}

/// Answers without waiting for the client.
fn send_away(mut stream: TcpStream) -> io::Result<()> {
    stream.set_nonblocking(true)?;
    Answer::refused(&Refused(503, "too many connections")).write(&mut stream, true)?;
    stream.shutdown(Shutdown::Write)?;
    // A close with unread bytes would take the answer back.
    stream.read(&mut [0; MOST_HEAD]).map(|_| ())
}

/// What is answered.
struct Answer {
    status: u16,
    kind: &'static str,
    /// Further header lines.
    more: String,
    body: Vec<u8>,
}

const TEXT: &str = "text/plain; charset=utf-8";

impl Answer {
    fn new(status: u16, kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            kind,
            more: String::new(),
            body: body.into(),
        }
    }

    fn refused(refused: &Refused) -> Self {
        Self::new(refused.0, TEXT, format!("{}\n", refused.1))
    }

    fn write(&self, stream: &mut TcpStream, with_body: bool) -> io::Result<()> {
        let mut bytes = header(self.status, self.kind, &self.more);
        bytes += &format!("Content-Length: {}\r\n\r\n", self.body.len());
        let mut bytes = bytes.into_bytes();
        if with_body {
            bytes.extend_from_slice(&self.body);
        }
        stream.write_all(&bytes)
    }
}

fn header(status: u16, kind: &str, more: &str) -> String {
    format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {kind}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n{more}",
        phrase(status)
    )
}

/// Answers the one request of a connection.
fn serve(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let read = request(&mut stream)?;
    let (answer, with_body) = match &read {
        Err(refused) => (Answer::refused(refused), true),
        Ok((head, _)) if is_stream(head, site) => return events(stream, site),
        Ok((head, body)) => (answer(head, body, site), head.method != "HEAD"),
    };
    answer.write(&mut stream, with_body)?;
    stream.shutdown(Shutdown::Write)?;
    // A close with unread bytes would take the answer back: some of them are read and dropped.
    let until = Instant::now() + PACE;
    let mut rest = [0; 4096];
    for _ in 0..16 {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        stream.set_read_timeout(Some(left))?;
        if !matches!(stream.read(&mut rest), Ok(1..)) {
            break;
        }
    }
    Ok(())
}

/// Reads a request; the inner error is an answer to the client.
fn request(stream: &mut TcpStream) -> io::Result<Result<(Head, Vec<u8>), Refused>> {
    let until = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    let mut buffer = [0; 2048];
    let mut known: Option<Head> = None;
    loop {
        if known.is_none() {
            match http::head(&bytes) {
                Ok(head) => known = head,
                Err(refused) => return Ok(Err(refused)),
            }
        }
        if let Some(head) = &known
            && bytes.len() >= head.bytes + head.length
        {
            let body = bytes[head.bytes..head.bytes + head.length].to_vec();
            return Ok(Ok((head.clone(), body)));
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Err(Refused(408, "the request took too long")));
        }
        stream.set_read_timeout(Some(left))?;
        let room = (MOST_HEAD + http::MOST_BODY - bytes.len()).min(buffer.len());
        match stream.read(&mut buffer[..room]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether the request is for the stream of events, and may have it.
fn is_stream(head: &Head, site: &Site) -> bool {
    head.method == "GET" && head.path == "/events" && http::host_is_ours(&head.host, &site.own)
}

fn answer(head: &Head, body: &[u8], site: &Site) -> Answer {
    if !http::host_is_ours(&head.host, &site.own) {
        return Answer::refused(&Refused(
            421,
            "this name is not accepted; use the address in digits",
        ));
    }
    let board = &site.board;
    let reading = matches!(&head.method[..], "GET" | "HEAD");
    match (&head.path[..], &head.method[..]) {
        ("/", _) if reading => match fresh_token() {
            Ok(nonce) => {
                let mut answer = Answer::new(
                    200,
                    "text/html; charset=utf-8",
                    page::html(&site.token, &nonce),
                );
                answer.more = page::policy(&nonce);
                answer
            }
            Err(_) => Answer::refused(&Refused(503, "no random numbers")),
        },
        ("/state", _) if reading => Answer::new(200, "application/json", board.json().as_bytes()),
        ("/metrics", _) if reading => Answer::new(200, metrics::CONTENT_TYPE, board.metrics()),
        ("/what-if", "POST") => match order(head, body, site) {
            Ok(()) => Answer::new(202, TEXT, "accepted\n"),
            Err(answer) => answer,
        },
        ("/" | "/state" | "/metrics" | "/events", _) => not_allowed("GET, HEAD"),
        ("/what-if", _) => not_allowed("POST"),
        _ => Answer::refused(&Refused(404, "there is /, /state, /events and /metrics")),
    }
}

fn not_allowed(allowed: &str) -> Answer {
    let mut answer = Answer::new(405, TEXT, format!("accepted: {allowed}\n"));
    answer.more = format!("Allow: {allowed}\r\n");
    answer
}

/// Takes an order that comes from our own page: it alone knows the token, and no other page may
/// read it there.
fn order(head: &Head, body: &[u8], site: &Site) -> Result<(), Answer> {
    let own = format!("http://{}", head.host);
    let foreign = head.origin.as_ref().is_some_and(|origin| *origin != own);
    if foreign || head.token.as_ref() != Some(&site.token) {
        let why = "orders are taken from the page of this server alone";
        return Err(Answer::refused(&Refused(403, why)));
    }
    site.board.order(body).map_err(|refusal| match refusal {
        Refusal::Bad(why) => Answer::new(400, TEXT, format!("{why}\n")),
        Refusal::None => Answer::refused(&Refused(404, "nothing can be done to this link")),
        Refusal::Busy => Answer::refused(&Refused(503, "too many orders wait")),
    })
}

/// Sends states until the client has had enough, or the source.
fn events(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    let Some(_place) = Place::take(&site.streams, MOST_STREAMS) else {
        return Answer::refused(&Refused(503, "too many pages are open")).write(&mut stream, true);
    };
    let head = header(200, "text/event-stream", "") + "\r\nretry: 1000\n\n";
    stream.write_all(head.as_bytes())?;
    let mut number = 0;
    while let Some((next, text)) = site.board.wait(number, HEARTBEAT) {
        if next == number {
            stream.write_all(b": still here\n\n")?;
            continue;
        }
        number = next;
        stream.write_all(format!("data: {text}\n\n").as_bytes())?;
        std::thread::sleep(PACE);
    }
    stream.write_all(b"event: end\ndata: \n\n")
}
