// SPDX-License-Identifier: Apache-2.0
//! The ends of a pipeline, fed by a peer that knows the secret of the session.
//!
//! Input: steps of a byte of options (bits 1, 0 the lane, bit 2: checks are left as they are), a
//! byte of milliseconds, and a record, the datagram. What a receiver of sealed frames is fed is
//! written down as if they had checks, and sealed.

use crate::input::{Input, record};
use ropewalk_wire::chunk::frame::{CONTROL_CHECK, FRAME_HEADER, FrameHeader};
use ropewalk_wire::chunk::params::MAX_PER_FRAME;
use ropewalk_wire::chunk::seal::SessionKey;
use ropewalk_wire::chunk::subpacket::{SUB_HEADER, Sub};
use ropewalk_wire::chunk::{
    Batch, Fec, Params, Receiver, ReceiverSettings, Sender, SenderEvent, SenderSettings, Session,
    Tag,
};
use std::collections::BTreeSet;
use std::time::Duration;

const TAG: Tag = Tag {
    session: 0x5e55_1011,
    secret: 0x7ea5_ec4e,
};
const PARAMS: Params = Params {
    payload: 64,
    per_frame: 4,
    per_chunk: 16,
    chunks: 3,
    lanes: 2,
    ..Params::PAPER
};
/// The same with parity over sub-packets.
const RESTORES: Params = Params {
    fec: Fec::Restore(5, 3),
    ..PARAMS
};
/// The same sealed.
const SEALED: Params = Params {
    sealed: true,
    ..RESTORES
};
/// Chunks that a sender has to send.
const CHUNKS: usize = 6;
const AS_IT_IS: u8 = 4;

fn crc(before: u32, bytes: &[u8]) -> u32 {
    let algorithm = crc_fast::CrcAlgorithm::Crc32Iscsi;
    let mut digest = crc_fast::Digest::new_with_init_state(algorithm, u64::from(!before));
    digest.update(bytes);
    digest.finalize() as u32
}

/// Makes the checks of a frame right, and names its session and its length as they are.
fn repair(datagram: &mut [u8]) {
    let length = datagram.len();
    if length < FRAME_HEADER {
        return;
    }
    datagram[6..14].copy_from_slice(&TAG.session.to_be_bytes());
    datagram[14..16].copy_from_slice(&(length as u16).to_be_bytes());
    let check = crc(0, &datagram[..20]);
    datagram[20..24].copy_from_slice(&check.to_be_bytes());
    let (kind, count) = (datagram[0] & 15, datagram[2]);
    if kind < 2 && count > 0 {
        for sub in datagram[FRAME_HEADER..].chunks_mut(PARAMS.stride()) {
            let Some((header, payload)) = sub.split_first_chunk_mut::<SUB_HEADER>() else {
                return;
            };
            header[10..12].copy_from_slice(&(TAG.session as u16).to_be_bytes());
            let fields = header.first_chunk().expect("the front of a header");
            let sub = Sub::from_fields(TAG.session, fields);
            if let Some(payload) = sub.and_then(|sub| sub.payload(payload)) {
                let check = crc(crc(TAG.secret, &header[..12]), payload);
                header[12..].copy_from_slice(&check.to_be_bytes());
            }
        }
    } else if let Some(end) = length
        .checked_sub(CONTROL_CHECK)
        .filter(|&end| end >= FRAME_HEADER)
    {
        let check = crc(TAG.secret, &datagram[..end]);
        datagram[end..].copy_from_slice(&check.to_be_bytes());
    }
}

/// What protects the frames of one end. Each takes its own.
fn session(params: &Params) -> Session {
    if params.sealed {
        Session::sealed(TAG.session, SessionKey::new(b"secret", b"fuzz"))
    } else {
        Session::checked(TAG)
    }
}

/// The same frame, which has checks, sealed by a peer that uses nonces again; nothing if it is
/// none.
fn seal(datagram: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::new();
    let Ok((header, body)) = FrameHeader::parse(datagram) else {
        return sealed;
    };
    let mut lanes = session(&SEALED).sender(&SEALED).expect("sizes in range");
    // No end reads the frame if there is no such lane, whatever it is sealed with.
    let (mut writer, _) = lanes.swap_remove(usize::from(header.lane % SEALED.lanes));
    if header.count == 0 {
        let end = body.len().saturating_sub(CONTROL_CHECK);
        let _ = writer.control(&header, &body[..end], &mut sealed);
        return sealed;
    }
    let subs: Vec<_> = body
        .chunks(RESTORES.stride())
        .take(MAX_PER_FRAME.into())
        .filter_map(|sub| {
            let (head, payload) = sub.split_first_chunk::<SUB_HEADER>()?;
            Some((Sub::from_fields(TAG.session, head.first_chunk()?)?, payload))
        })
        .collect();
    let each = |(_, payload): &(Sub, &[u8])| SEALED.sub_header() + payload.len();
    let length = FRAME_HEADER + subs.iter().map(each).sum::<usize>();
    let header = FrameHeader {
        length: length as u16,
        ..header
    };
    if writer.frame(&header, &mut sealed) {
        for (sub, payload) in subs {
            match sub {
                Sub::Data(sub) => writer.sub_packet(&sub, payload, &mut sealed),
                Sub::Parity(sub) => writer.parity(&sub, payload, &mut sealed),
            }
        }
    }
    sealed
}

/// The next step: lane, time since the one before, datagram.
fn step(input: &mut Input<'_>) -> (u8, Duration, Vec<u8>) {
    let (options, later) = (input.byte(), input.byte());
    let mut datagram = input.record().to_vec();
    if options & AS_IT_IS == 0 {
        repair(&mut datagram);
    }
    (options & 3, Duration::from_millis(later.into()), datagram)
}

/// The datagrams of an input, with right checks where it asks for them.
pub(crate) fn datagrams(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut input = Input(bytes);
    let mut found = Vec::new();
    while !input.is_empty() {
        found.push(step(&mut input).2);
    }
    found
}

/// Into a receiver.
///
/// # Panics
/// A chunk comes twice, or is longer than it can be; more memory is used, or a report longer, than
/// agreed on.
pub fn receiver(bytes: &[u8]) {
    receive(PARAMS, bytes);
}

/// Into a receiver that restores what parity over sub-packets restores.
///
/// # Panics
/// As [`receiver`].
pub fn receiver_erasure(bytes: &[u8]) {
    receive(RESTORES, bytes);
}

/// Into the same of sealed frames.
///
/// # Panics
/// As [`receiver`].
pub fn receiver_sealed(bytes: &[u8]) {
    receive(SEALED, bytes);
}

fn receive(params: Params, bytes: &[u8]) {
    let mut input = Input(bytes);
    let memory = vec![vec![0; PARAMS.chunk_bytes()]; PARAMS.chunks.into()];
    let settings = ReceiverSettings::default();
    let mut receiver =
        Receiver::new(params, session(&params), settings, memory).expect("a receiver");
    let (mut now, mut report, mut chunks) = (Duration::ZERO, Vec::new(), BTreeSet::new());
    while !input.is_empty() {
        let (lane, later, mut datagram) = step(&mut input);
        if params.sealed {
            datagram = seal(&datagram);
        }
        now += later;
        receiver.receive(now, lane, &datagram);
        while let Some(done) = receiver.poll_chunk() {
            assert!(chunks.insert(done.chunk), "chunk {} twice", done.chunk);
            assert!((1..=PARAMS.chunk_bytes()).contains(&done.bytes));
            assert_eq!(done.memory.len(), PARAMS.chunk_bytes());
            receiver.give_back(done.memory);
        }
        for _ in 0..4 {
            report.clear();
            let Some(lane) = receiver.poll_transmit(now, now, &mut report) else {
                break;
            };
            assert!(lane < PARAMS.lanes && report.len() <= 1232);
        }
        let _ = (receiver.next_timeout(), receiver.may_go(now));
    }
    // What is complete beyond a gap lies within the window.
    let most = chunks.len() as u32 + u32::from(PARAMS.chunks);
    assert!(chunks.iter().all(|&chunk| chunk < most));
}

/// Into a sender.
///
/// # Panics
/// It takes chunks for complete that it has not sent, or out of order, or sends what is no frame.
pub fn sender(bytes: &[u8]) {
    let mut input = Input(bytes);
    let settings = SenderSettings::default();
    let mut sender =
        Sender::new(PARAMS, session(&PARAMS), settings, Duration::ZERO).expect("a sender");
    let (mut now, mut batch) = (Duration::ZERO, Batch::new());
    let (mut offered, mut complete) = (0, 0);
    while !input.is_empty() {
        let (_, later, datagram) = step(&mut input);
        now += later;
        offer(&mut sender, &mut offered);
        for lane in 0..PARAMS.lanes {
            if sender.poll_transmit(now, lane, 4, &mut batch) {
                assert!(batch.segment() <= PARAMS.frame_bytes());
                for frame in batch.bytes().chunks(batch.segment()) {
                    assert!(FrameHeader::parse(frame).is_ok());
                }
            }
        }
        sender.receive(now, &datagram);
        while let Some(event) = sender.poll_event() {
            if let SenderEvent::Complete { chunk, .. } = event {
                assert_eq!(chunk, complete, "out of order");
                complete += 1;
            }
        }
        assert!(complete as usize <= offered, "complete and not sent");
        let _ = (sender.next_timeout(), sender.is_finished());
    }
}

fn offer(sender: &mut Sender<Vec<u8>>, offered: &mut usize) {
    while *offered < CHUNKS && sender.wants_chunk() {
        sender.offer(
            vec![*offered as u8; PARAMS.chunk_bytes()],
            100 + 150 * *offered,
        );
        *offered += 1;
        if *offered == CHUNKS {
            sender.finish();
        }
    }
}

/// A step as the input has it.
fn write(input: &mut Vec<u8>, lane: u8, last: &mut Duration, now: Duration, datagram: &[u8]) {
    let later = (now - *last).as_millis().min(255) as u8;
    *last = now;
    input.extend([lane, later]);
    record(input, datagram);
}

/// What honest ends say to each other while some of it is lost: to the receiver, to the sender.
fn exchange(params: Params, lost: u64) -> [Vec<u8>; 2] {
    let settings = SenderSettings::default();
    let mut sender =
        Sender::new(params, session(&params), settings, Duration::ZERO).expect("a sender");
    let memory = vec![vec![0; PARAMS.chunk_bytes()]; PARAMS.chunks.into()];
    let settings = ReceiverSettings::default();
    let mut receiver =
        Receiver::new(params, session(&params), settings, memory).expect("a receiver");
    let (mut there, mut back) = (Vec::new(), Vec::new());
    let mut last = [Duration::ZERO; 2];
    let (mut batch, mut report, mut offered, mut number) = (Batch::new(), Vec::new(), 0, 0);
    for milliseconds in 0..2000 {
        let now = Duration::from_millis(milliseconds);
        offer(&mut sender, &mut offered);
        for lane in 0..PARAMS.lanes {
            if !sender.poll_transmit(now, lane, 4, &mut batch) {
                continue;
            }
            for datagram in batch.bytes().chunks(batch.segment()) {
                number += 1;
                if lost == 0 || number % lost > 0 {
                    write(&mut there, lane, &mut last[0], now, datagram);
                    receiver.receive(now, lane, datagram);
                }
            }
        }
        while let Some(done) = receiver.poll_chunk() {
            receiver.give_back(done.memory);
        }
        report.clear();
        if let Some(lane) = receiver.poll_transmit(now, now, &mut report) {
            write(&mut back, lane, &mut last[1], now, &report);
            sender.receive(now, &report);
        }
        if sender.is_finished() {
            break;
        }
    }
    assert!(sender.is_finished(), "honest ends come to an end");
    [there, back]
}

/// What honest ends say to a receiver.
#[must_use]
pub fn receiver_seeds() -> Vec<Vec<u8>> {
    [0, 3, 7]
        .map(|lost| exchange(PARAMS, lost)[0].clone())
        .into()
}

/// The same with parity over sub-packets.
#[must_use]
pub fn receiver_erasure_seeds() -> Vec<Vec<u8>> {
    [0, 3, 4, 7]
        .map(|lost| exchange(RESTORES, lost)[0].clone())
        .into()
}

/// What honest ends say to a sender.
#[must_use]
pub fn sender_seeds() -> Vec<Vec<u8>> {
    [0, 3, 7]
        .map(|lost| exchange(PARAMS, lost)[1].clone())
        .into()
}
