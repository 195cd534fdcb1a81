// SPDX-License-Identifier: Apache-2.0
//! The ends of pipelines, made of terms that were agreed, and what a receiver sends over its own.

use super::choice::Choice;
use super::head::{self, Head};
use super::pipe::{Liveness, closed, own};
use super::start::{Answers, Early};
use super::{ALIVE, NAP, PATIENCE, Via};
use crate::end::{ReceiveEnd, SendEnd};
use ropewalk_io::lane::{Kind, Lane};
use ropewalk_wire::chunk::{
    Pace, ParamError, Params, Receiver, ReceiverSettings, Sender, SenderEvent, SenderSettings,
    Session,
};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Lanes, each with what answers the handshakes that still come over it.
pub(super) type Lanes = Vec<(Box<dyn Lane>, Option<Answers>)>;

/// The end that sends data. `rate`: most bits per second on a lane, whatever its kind; `buffer`:
/// bytes that the receiver's end of a lane can hold.
pub(super) fn sending(
    (session, params): (Session, Params),
    (lanes, via): (Lanes, Via),
    rate: Option<u64>,
    buffer: usize,
) -> Result<SendEnd<Vec<u8>>, ParamError> {
    let settings = SenderSettings {
        pace: rate.map_or(Pace::Found, Pace::Capped),
        buffer,
        peer_timeout: Some(PATIENCE),
        ..SenderSettings::default()
    };
    let kinds: Vec<_> = lanes.iter().map(|(lane, _)| lane.kind()).collect();
    let limits: Vec<_> = lanes.iter().map(|(lane, _)| lane.limit()).collect();
    let lanes = own(lanes, session.number());
    let mut sender = Sender::new(params, session, settings, Duration::ZERO)?;
    for ((lane, &kind), &limit) in (0..).zip(&kinds).zip(&limits) {
        // What a stream takes is its rate already, and a second one would be in its way.
        if kind == Kind::Stream && rate.is_none() {
            sender.lengthen(lane, limit);
            sender.set_pace(lane, Pace::Free);
        }
    }
    Ok(SendEnd::new(sender, lanes).with_choice(Choice::new(via, kinds)))
}

/// The end that sends the chunks of a receiver.
pub(super) fn speaking(
    (session, params): (Session, Params),
    lanes: Lanes,
) -> Result<SendEnd<Vec<u8>>, ParamError> {
    let lanes = own(lanes, session.number());
    let sender = Sender::new(params, session, SenderSettings::default(), Duration::ZERO)?;
    Ok(SendEnd::new(sender, lanes).with_nap(NAP))
}

/// The end that receives them, of which some frames have come `early`.
pub(super) fn hearing(
    (session, params): (Session, Params),
    lanes: Lanes,
    early: Early,
) -> Result<ReceiveEnd<Vec<u8>>, ParamError> {
    let lanes = own(lanes, session.number());
    let mut receiver = receiver(session, params)?;
    for (lane, frame) in early {
        receiver.receive(Duration::ZERO, lane, &frame);
    }
    Ok(ReceiveEnd::new(receiver, lanes).with_nap(NAP))
}

/// A receiver with all of its memory.
pub(super) fn receiver(session: Session, params: Params) -> Result<Receiver<Vec<u8>>, ParamError> {
    let memory = (0..params.chunks).map(|_| vec![0; params.chunk_bytes()]);
    Receiver::new(
        params,
        session,
        ReceiverSettings::default(),
        memory.collect(),
    )
}

/// How much a receiver has written, as it tells its sender.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub bytes: AtomicU64,
    /// Microseconds that it took.
    pub micros: AtomicU64,
}

/// Sends what the writer says, and how far it is, until all has arrived or the session has ended.
pub(super) fn answer(
    mut end: SendEnd<Vec<u8>>,
    said: &mpsc::Receiver<Vec<u8>>,
    written: &Written,
    liveness: &Liveness,
    stop: &AtomicBool,
) -> io::Result<()> {
    let (mut alive, mut reports) = (Instant::now(), 0);
    while end.sender.close_reason().is_none() && !stop.load(Ordering::Relaxed) {
        while end.sender.wants_chunk() {
            match said.try_recv() {
                Ok(chunk) => {
                    let length = chunk.len();
                    end.sender.offer(chunk, length);
                }
                Err(mpsc::TryRecvError::Disconnected) => end.sender.finish(),
                Err(mpsc::TryRecvError::Empty) => {
                    if alive.elapsed() < ALIVE {
                        break;
                    }
                    alive = Instant::now();
                    let millis = written.micros.load(Ordering::Relaxed) / 1000;
                    let place = written.bytes.load(Ordering::Relaxed);
                    let head = Head {
                        place,
                        ..Head::of(head::Kind::Progress)
                    };
                    let chunk = head.chunk(&millis.to_be_bytes());
                    let length = chunk.len();
                    end.sender.offer(chunk, length);
                }
            }
        }
        let moved = end.turn()?;
        liveness.observe(end.sender.counters().reports, &mut reports);
        while let Some(event) = end.sender.poll_event() {
            let _: SenderEvent<Vec<u8>> = event;
        }
        if !moved {
            end.wait()?;
        }
    }
    closed(&end.sender)
}
