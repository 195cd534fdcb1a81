// SPDX-License-Identifier: Apache-2.0
//! Writes the vector files of `crates/wire/vectors`, for other implementations to be checked
//! against. Run with `cargo run -p ropewalk-wire --example vectors`; a test demands that nothing
//! changes.
//!
//! * `frames_fw*.txt`: every kind of frame, encoded. The columns from `kind` on are those of the
//!   vectors taken from the published core.
//! * `transmitter_fw256_id6.txt`: one transmitter from reset through all states, with its inputs.
//! * `receiver_fw256_id6.txt`: one receiver under damage, with its verdicts and flags.

#[path = "common/files.rs"]
pub mod store;

use ropewalk_wire::rifl::code;
use ropewalk_wire::rifl::frame::{Control, Frame, Kind, Segment};
use ropewalk_wire::rifl::link::Random;
use ropewalk_wire::rifl::scrambler::Scrambler;
use ropewalk_wire::rifl::{
    FrameWidth, IdWidth, LaneParams, ParamError, Receiver, Transmitter, TxInputs,
};
use std::fmt::Write as _;
use store::{Error, LICENCE};

#[allow(
    dead_code,
    reason = "the test that includes this file has its own entry"
)]
fn main() -> Result<(), Error> {
    store::write("", files()?)
}

/// Names and contents of all files.
pub fn files() -> Result<Vec<(&'static str, String)>, ParamError> {
    Ok(vec![
        ("frames_fw256.txt", frames(FrameWidth::W256)),
        ("frames_fw512.txt", frames(FrameWidth::W512)),
        ("transmitter_fw256_id6.txt", transmitter()?),
        ("receiver_fw256_id6.txt", receiver()?),
    ])
}

/// Name of a kind as in the published vectors.
pub fn kind_name(plain: &Frame, width: FrameWidth) -> String {
    match plain.kind() {
        Kind::Invalid => "INVALID".into(),
        Kind::FlowStop => "FC_ON".into(),
        Kind::FlowResume => "FC_OFF".into(),
        Kind::User { end: false, .. } => "DATA".into(),
        Kind::User { bytes, .. } if usize::from(bytes) == width.payload_bytes() => {
            "DATA_EOP".into()
        }
        Kind::User { bytes, .. } => format!("DATA_EOP_PART{bytes}"),
        Kind::Control(Control::Idle) => "IDLE".into(),
        Kind::Control(Control::PauseRequest) => "PAUSE".into(),
        Kind::Control(Control::RetransmitRequest) => "RETRANS".into(),
        Kind::Reserved(_) | Kind::UnknownControl(_) | Kind::IllegalSync => "OTHER".into(),
    }
}

/// The columns kind, frame_id, sync, meta, format, body, scrambler state, unscrambled frame, wire
/// frame and code of an unscrambled frame that is sent with an id behind a scrambler state.
pub fn columns(plain: &Frame, id: u16, state: u64, width: FrameWidth) -> String {
    let mut line = *plain;
    Scrambler::with_state(state).frame(&mut line);
    code::seal(&mut line, id);
    let meta = if plain.is_data() { plain.meta() } else { 0 };
    let format = match plain.kind() {
        Kind::Control(_) => "-".into(),
        Kind::User { bytes, .. } if usize::from(bytes) == width.payload_bytes() => "-".into(),
        _ => format!("{:02x}", plain.last_byte()),
    };
    // The body without sync bits and code, right-aligned in whole digits.
    let mut body = *plain;
    body.words_mut()[0] &= u64::MAX >> 2;
    let digits = format!("{body:x}");
    format!(
        "{} {id:03x} {} {meta} {format} {} {state:09x} {plain:x} {line:x} {:03x}",
        kind_name(plain, width),
        plain.sync(),
        &digits[..digits.len() - 3],
        line.code(),
    )
}

fn random_segment(
    random: &mut Random,
    width: FrameWidth,
    len: usize,
    end: bool,
) -> Option<Segment> {
    let bytes: Vec<u8> = (0..len).map(|_| random.bits() as u8).collect();
    Segment::new(width, &bytes, end)
}

fn frames(width: FrameWidth) -> String {
    let mut random = Random::new(u64::from(width.bits()));
    let full = width.payload_bytes();
    let mut plain = vec![
        Frame::invalid(width),
        Frame::flow(width, true),
        Frame::flow(width, false),
        Frame::control(width, Control::Idle),
        Frame::control(width, Control::PauseRequest),
        Frame::control(width, Control::RetransmitRequest),
    ];
    for (len, end) in [(full, false), (full, true)]
        .into_iter()
        .chain((0..full).map(|n| (n, true)))
    {
        plain.extend(random_segment(&mut random, width, len, end).map(|s| Frame::user(width, &s)));
    }
    let mut text = format!(
        "{LICENCE}# Frames of {width} bits: row kind frame_id sync meta format body scrambler_state \
         unscrambled wire code\n# Padding is zero. Numbers are hexadecimal but for row, sync and meta.\n"
    );
    for (row, plain) in plain.iter().enumerate() {
        let (id, state) = (random.below(4096) as u16, random.below(1 << 33));
        let _ = writeln!(text, "{row} {}", columns(plain, id, state, width));
    }
    text
}

/// Inputs of the scripted transmitter in frame time `t`.
fn script(t: usize) -> TxInputs<'static> {
    let within = |from: usize, to: usize| (from..to).contains(&t);
    TxInputs {
        rx_up: t >= 70,
        pause_req: within(60, 74) || within(300, 304) || within(430, 433),
        retrans_req: within(150, 230)
            || within(290, 300)
            || within(304, 420)
            || within(440, 600)
            || within(860, 930),
        rx_error: within(135, 142)
            || within(200, 215)
            || within(320, 340)
            || within(429, 436)
            || within(890, 901),
        local_fc: within(80, 120) || within(146, 260),
        remote_fc: within(125, 130) || within(640, 645),
        compensate: t % 37 == 20,
        user: None,
    }
}

fn transmitter() -> Result<String, ParamError> {
    let width = FrameWidth::W256;
    let lane = LaneParams::new(width, IdWidth::MIN);
    let mut transmitter = Transmitter::new(lane);
    let mut random = Random::new(6);
    let mut user = random_segment(&mut random, width, 30, false);
    let mut text = format!(
        "{LICENCE}# One transmitter from reset, id width 6, one row per frame time:\n\
         # tick inputs state kind frame_id taken link_up wire\n\
         # inputs: bits rx_up rx_error pause_req retrans_req local_fc remote_fc compensate\n\
         # state: 0 INIT 1 SEND_PAUSE 2 PAUSE 3 RETRANS 4 SEND_RETRANS 5 NORMAL. User data is always\n\
         # offered; taken = the segment that is in the frame, byte 0 first, then . in the middle of a\n\
         # packet or ! at its end, - if none. Numbers are hexadecimal but for tick.\n"
    );
    for t in 0..1000 {
        let inputs = script(t);
        let tick = transmitter.tick(&TxInputs {
            user: user.as_ref(),
            ..inputs
        });
        let mut taken = "-".to_owned();
        if let (true, Some(segment)) = (tick.user_taken, user) {
            taken = segment
                .bytes()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            taken.push(if segment.end() { '!' } else { '.' });
            let end = random.chance(100);
            let len = if end {
                random.below(36).min(30) as usize
            } else {
                30
            };
            user = random_segment(&mut random, width, len, end);
        }
        let bits: String = [
            inputs.rx_up,
            inputs.rx_error,
            inputs.pause_req,
            inputs.retrans_req,
            inputs.local_fc,
            inputs.remote_fc,
            inputs.compensate,
        ]
        .map(|bit| if bit { '1' } else { '0' })
        .iter()
        .collect();
        let _ = writeln!(
            text,
            "{t} {bits} {} {} {:02x} {taken} {} {:x}",
            tick.state as u8,
            kind_name(&tick.plain, width),
            tick.id,
            u8::from(tick.link_up),
            tick.frame
        );
    }
    Ok(text)
}

fn receiver() -> Result<String, ParamError> {
    let width = FrameWidth::W256;
    let lane = LaneParams::new(width, IdWidth::MIN).with_up_frames(8)?;
    let mut transmitter = Transmitter::new(lane);
    let mut receiver = Receiver::new(lane);
    let mut random = Random::new(7);
    let mut user = random_segment(&mut random, width, 30, false);
    let mut text = format!(
        "{LICENCE}# One receiver from reset, id width 6, up after 8 aligned frames, one row per frame:\n\
         # row wire aligned good plausible delivered E T flags segment\n\
         # flags behind the frame: bits aligned up error pause_req retrans_req remote_fc. E and T behind\n\
         # the frame. segment as in the transmitter's file, - if none. E, T, wire and segment are\n\
         # hexadecimal.\n"
    );
    for row in 0..560usize {
        let within = |from: usize, to: usize| (from..to).contains(&row);
        let inputs = TxInputs {
            rx_up: row >= 70,
            rx_error: within(175, 190),
            retrans_req: within(210, 280) || within(330, 400),
            local_fc: within(160, 172),
            user: user.as_ref(),
            ..TxInputs::default()
        };
        let tick = transmitter.tick(&inputs);
        if tick.user_taken {
            let end = random.chance(100);
            let len = if end {
                random.below(36).min(30) as usize
            } else {
                30
            };
            user = random_segment(&mut random, width, len, end);
        }
        let mut frame = tick.frame;
        match row {
            // Single bits: data, control, code, sync; then noise, and a loss of alignment.
            100 | 200 | 268 | 290 | 295 => {
                let words = frame.words_mut();
                words[random.below(4) as usize] ^= 1 << random.below(64);
            }
            180 => frame.words_mut()[3] ^= 1 << 13,
            305 => frame.words_mut()[0] ^= 1 << 62,
            310..318 => frame
                .words_mut()
                .iter_mut()
                .for_each(|word| *word = random.bits()),
            _ => {}
        }
        let aligned = row >= 3 && !within(316, 319);
        let received = receiver.frame(&frame, aligned);
        let flags = receiver.flags();
        let bits: String = [
            flags.aligned,
            flags.up,
            flags.error,
            flags.pause_req,
            flags.retrans_req,
            flags.remote_fc,
        ]
        .map(|bit| if bit { '1' } else { '0' })
        .iter()
        .collect();
        let segment = received.segment.map_or("-".to_owned(), |segment| {
            let bytes: String = segment
                .bytes()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            bytes + if segment.end() { "!" } else { "." }
        });
        let _ = writeln!(
            text,
            "{row} {frame:x} {} {} {} {} {:02x} {:02x} {bits} {segment}",
            u8::from(aligned),
            u8::from(received.good),
            u8::from(received.plausible),
            u8::from(received.delivered),
            receiver.expected(),
            receiver.threshold(),
        );
    }
    Ok(text)
}
