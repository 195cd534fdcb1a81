// SPDX-License-Identifier: Apache-2.0
//! One run of an end: files to channels, channels to files, or both, each in a thread of its own.
//!
//! **The end of a run.** When all its files are on the line, an end says so in the user data of its
//! headers. So both ends know when nothing more will come, also when each has waited for the other.
//! A peer of another kind says nothing; then the run ends when it has gone, or when the requested
//! number of user frames has come.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::stop::stopped;
use ropewalk_io::htsp::{Host, OpCodes, Stats};
use ropewalk_wire::htsp::Event;
use ropewalk_wire::htsp::frame::Word;
use serde::Serialize;

use super::incoming::{self, Incoming};
use super::outgoing::{self, Outgoing};
use super::{LOOK, Live, Session, Shared, downs};
use crate::cli::HtspPort;

/// User data of an end that has nothing more to send.
const DONE: Word = *b"ropewalk: done\0\0";

/// Op-codes of the peer that are kept for the summary.
const MOST_OP_CODES: usize = 4096;

/// What is to be carried, and how much of it.
#[derive(Default)]
pub(super) struct Task {
    /// Files to channels.
    pub(super) outgoing: Vec<Outgoing>,
    /// Bytes of a user frame that is sent; none: a file is one.
    pub(super) frame: Option<u64>,
    /// Channels to files.
    pub(super) incoming: Vec<Incoming>,
    /// User frames to wait for on each channel.
    pub(super) frames: Option<u64>,
    /// Op-codes to send.
    pub(super) op_codes: Vec<Word>,
    /// Longest time.
    pub(super) duration: Option<Duration>,
}

/// What has been carried.
pub(super) struct Outcome {
    pub(super) sent: Vec<outgoing::Channel>,
    pub(super) received: Vec<incoming::Channel>,
    /// Nothing that was to be sent is still here.
    pub(super) flushed: bool,
    /// The peer was there.
    pub(super) came: bool,
    /// It went in between, or before the end.
    pub(super) went: bool,
    /// Since the peer came.
    pub(super) elapsed: Duration,
    pub(super) stats: Stats,
    pub(super) notes: Vec<String>,
    pub(super) words: Words,
}

/// What the headers of the peer said beside frames.
#[derive(Debug, Default, Serialize)]
pub(super) struct Words {
    /// Op-codes in their order, the first [`MOST_OP_CODES`], in hexadecimal.
    op_codes: Vec<String>,
    /// Op-codes beyond these.
    op_codes_more: u64,
    /// User data, in hexadecimal; not that it has nothing more to send.
    user_data: Option<String>,
}

impl Words {
    /// Takes what has come since, and shows it.
    fn take(&mut self, host: &Host, op_codes: &OpCodes, live: &Live) {
        while let Ok(Some(word)) = op_codes.recv(Duration::ZERO) {
            let text = format::hex(&word);
            live.note(&format!("op-code of the peer: {text}"));
            if self.op_codes.len() < MOST_OP_CODES {
                self.op_codes.push(text);
            } else {
                self.op_codes_more += 1;
            }
        }
        while let Some(event) = host.event() {
            if let Event::UserData(word) = event
                && word != DONE
            {
                live.note(&format!("user data of the peer: {}", format::hex(&word)));
                self.user_data = Some(format::hex(&word));
            }
        }
    }
}

impl Outcome {
    /// Nobody was at the other end.
    pub(super) fn is_alone(&self) -> bool {
        !self.came
    }

    /// Nobody was, or whoever was has gone before the end.
    pub(super) fn is_left(&self) -> bool {
        !self.came || self.went
    }
}

/// The peer of this run. One that closes, and so pauses all channels, is that of a run before; it
/// is not taken for the peer.
#[derive(Default)]
struct Peer {
    /// It has taken part.
    came: bool,
    /// Times that the link had gone down before.
    downs: u64,
}

impl Peer {
    fn look(&mut self, stats: &Stats) {
        let moved = stats.tx.data > 0 || stats.sum(|it| it.rx.bytes) > 0;
        if !self.came && !moved {
            self.downs = downs(stats);
        }
        self.came |= moved || stats.peer_ready && stats.peer_pause != u16::MAX;
    }

    /// It has gone, for now at least.
    fn went(&self, stats: &Stats) -> bool {
        self.came && downs(stats) > self.downs
    }

    /// It has said that nothing more will come.
    fn is_done(&self, stats: &Stats) -> bool {
        self.came && stats.link_up && stats.peer_user_data == DONE
    }
}

fn all_finished<T>(threads: &[ScopedJoinHandle<'_, T>]) -> bool {
    threads.iter().all(|it| it.is_finished())
}

fn join<T>(threads: Vec<ScopedJoinHandle<'_, Result<T, Failure>>>) -> Result<Vec<T>, Failure> {
    let joined = threads.into_iter().map(|it| {
        it.join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    // All of them, whatever the first one says.
    let joined: Vec<_> = joined.collect();
    joined.into_iter().collect()
}

/// Carries it all.
///
/// # Errors
/// A file cannot be read or written, or the link has failed.
pub(super) fn run(port: &HtspPort, session: Session, task: Task) -> Result<Outcome, Failure> {
    let Session {
        mut host,
        notes,
        begun,
        mut watched,
    } = session;
    let shared = Shared {
        empty: AtomicBool::new(false),
        now: AtomicBool::new(false),
        bytes: AtomicU64::new(0),
    };
    let (frame, frames) = (task.frame.unwrap_or(u64::MAX), task.frames);
    let senders = task.outgoing.into_iter();
    let senders: Vec<_> = senders.map(|it| (host.writer(it.file.vc), it)).collect();
    let receivers = task.incoming.into_iter();
    let receivers: Vec<_> = receivers.map(|it| (host.reader(it.file.vc), it)).collect();
    if let Some(data) = port.user_data {
        host.set_user_data(data);
    }
    for op_code in task.op_codes {
        host.send_opcode(op_code);
    }
    let op_codes = host.opcodes();
    let mut words = Words::default();
    let mut first = None;
    let mut flushed = false;
    let mut peer = Peer::default();
    let (sent, received, stats) = std::thread::scope(|scope| {
        let shared = &shared;
        let senders: Vec<_> = senders
            .into_iter()
            .map(|(writer, it)| scope.spawn(move || it.run(writer, frame, shared)))
            .collect();
        let receivers: Vec<_> = receivers
            .into_iter()
            .map(|(reader, it)| scope.spawn(move || it.run(reader, frames, shared)))
            .collect();
        let live = Live::new(port);
        loop {
            let sending = !flushed && !all_finished(&senders);
            if !flushed && !sending {
                flushed = host.flush(LOOK);
                if flushed {
                    host.set_user_data(DONE);
                }
            } else {
                std::thread::sleep(LOOK);
            }
            let stats = host.stats();
            if stats.link_up {
                first.get_or_insert_with(Instant::now);
            }
            let elapsed = first.map_or(Duration::ZERO, |it: Instant| it.elapsed());
            if let Some(op_codes) = &op_codes {
                words.take(&host, op_codes, &live);
            }
            live.update(&stats, shared.bytes.load(Ordering::Relaxed), elapsed);
            watched.iter_mut().for_each(|it| it.update(&stats));
            if stopped() || task.duration.is_some_and(|it| begun.elapsed() > it) {
                shared.now.store(true, Ordering::Relaxed);
            }
            peer.look(&stats);
            let alone = !peer.came && port.wait.is_some_and(|it| begun.elapsed() > it);
            let gone = peer.came && !stats.link_up;
            let come = peer.is_done(&stats) || all_finished(&receivers);
            let broken = shared.now.load(Ordering::Relaxed) || !host.is_running();
            if broken || alone || gone || flushed && come {
                break;
            }
        }
        settle(&host, &receivers, shared);
        let received = join(receivers);
        // Whoever still waits for room to send learns that there will be none.
        if let Some(op_codes) = &op_codes {
            words.take(&host, op_codes, &live);
        }
        let stats = host.close();
        (join(senders), received, stats)
    });
    let (stats, mut sent) = (stats.map_err(Failure::network)?, sent?);
    // A run may end before the loop sees that data have come.
    peer.look(&stats);
    for channel in &mut sent {
        // What is read from the file may not be on the line.
        channel.complete &= flushed;
    }
    Ok(Outcome {
        came: peer.came,
        went: peer.went(&stats),
        stats,
        sent,
        received: received?,
        flushed,
        elapsed: first.map_or(Duration::ZERO, |it| it.elapsed()),
        notes,
        words,
    })
}

/// Sees that what has arrived is written, as long as that takes.
fn settle<T>(host: &Host, receivers: &[ScopedJoinHandle<'_, T>], shared: &Shared) {
    while !shared.now.load(Ordering::Relaxed) && host.is_running() {
        shared.now.store(stopped(), Ordering::Relaxed);
        if all_finished(receivers) || host.settle(LOOK) {
            break;
        }
    }
    shared.empty.store(true, Ordering::Release);
}
