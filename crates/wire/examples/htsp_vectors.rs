// SPDX-License-Identifier: Apache-2.0
//! Writes the vector files of `crates/wire/vectors/htsp`, for other implementations to be checked
//! against. Run with `cargo run -p ropewalk-wire --example htsp_vectors`; a test demands that
//! nothing changes.
//!
//! * `tx_*.txt`: one transmitter each from reset, what it is given and every frame that it sends.
//!   The sets that have the name of a published one give the frames of that set.
//! * `tuser.txt`: TUSER of user frames, and where header and footer have it.
//! * `rx.txt`: frames for a receiver, good and bad, and what it makes of them.

#[path = "common/files.rs"]
pub mod store;

use ropewalk_wire::htsp::frame::{self, Header, NULL_CHANNEL, Word};
use ropewalk_wire::htsp::{Down, Event, Last, Mac, Params, Peer, Receiver, Transmitter, Tuser};
use std::fmt::Write as _;
use std::time::Duration;
use store::{Error, LICENCE};

#[allow(
    dead_code,
    reason = "the test that includes this file has its own entry"
)]
fn main() -> Result<(), Error> {
    store::write("htsp", files()?)
}

/// Names and contents of all files.
pub fn files() -> Result<Vec<(String, String)>, Error> {
    let mut files = vec![
        ("rx.txt".to_owned(), receiver()?),
        ("tuser.txt".to_owned(), tuser()?),
    ];
    for set in sets() {
        files.push((format!("{}.txt", set.name), transmitter(&set)?));
    }
    Ok(files)
}

/// Payload byte `i` of a user frame.
pub fn pattern(seed: u8, i: usize) -> u8 {
    seed.wrapping_add(i as u8).wrapping_add((i / 256) as u8)
}

fn payload(seed: u8, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| pattern(seed, i)).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// One thing that is done to a transmitter.
#[derive(Clone, Copy)]
pub enum Step {
    /// A whole user frame: channel, bytes, seed.
    Push(u8, usize, u8),
    /// One that ends in error.
    PushError(u8, usize, u8),
    /// The first bytes of one, of which the rest comes in another step or never.
    PushPart(u8, usize, u8),
    /// The rest of one that has been cut meanwhile.
    PushRest(u8, usize, u8),
    /// Pause bits of the own receiver.
    Pause(u16),
    /// Whether the peer's receiver has a link, and its pause bits.
    Peer(bool, u16),
    /// Whether the own receiver has a link.
    Link(bool),
    /// An op-code: its lowest byte.
    OpCode(u8),
    /// User data: their lowest byte.
    User(u8),
    /// No payload.
    Disabled(bool),
    /// Payload whatever the peer says.
    IgnoreFlow(bool),
    /// This number of frames goes out at once.
    Send(usize),
    /// The header timer runs out this number of times.
    Timer(usize),
    /// The stall timer runs out.
    Stall,
}

/// One transmitter and what is done to it.
pub struct Set {
    /// Name of the file.
    pub name: &'static str,
    channels: u8,
    burst: usize,
    steps: Vec<Step>,
}

/// The sets.
pub fn sets() -> Vec<Set> {
    use Step::*;
    let set = |name, channels, burst, steps: &[Step]| Set {
        name,
        channels,
        burst,
        steps: steps.to_vec(),
    };
    // The line comes up with both receivers linked; the first header does not know it yet.
    let up = |steps: &[Step]| [&[Link(true), Timer(1), Peer(true, 0)], steps].concat();
    let one = |channel, bytes, seed| [Push(channel, bytes, seed), Send(1)];
    vec![
        set(
            "tx_null_unlinked",
            4,
            8192,
            &[
                Timer(1),
                User(0),
                Timer(1),
                Link(true),
                Send(1),
                OpCode(0xa6),
                Pause(5),
                Timer(1),
                Pause(0),
                Timer(3),
            ],
        ),
        set(
            "tx_null_linked",
            4,
            8192,
            &up(&[
                User(0),
                Timer(1),
                Pause(8),
                Send(1),
                Pause(0),
                Send(1),
                Pause(1),
                Send(1),
                Pause(3),
                Send(1),
                Pause(0),
                Send(1),
                Timer(3),
            ]),
        ),
        set("tx_small", 4, 8192, &up(&small())),
        set(
            "tx_8192",
            4,
            8192,
            &up(&[
                Push(1, 8191, 5),
                Send(1),
                Push(1, 8192, 9),
                Send(1),
                Timer(1),
                Push(1, 8193, 13),
                Send(2),
                Push(1, 16384, 21),
                Send(2),
                Timer(3),
            ]),
        ),
        set(
            "tx_interleave",
            4,
            8192,
            &up(&[
                Push(1, 20000, 7),
                Send(1),
                Push(2, 100, 33),
                Send(2),
                Push(2, 64, 55),
                Send(2),
                Timer(3),
            ]),
        ),
        set(
            "tx_opcode",
            4,
            8192,
            &up(&[
                User(0),
                OpCode(0xa6),
                Send(1),
                OpCode(0x26),
                Send(1),
                Push(0, 300, 1),
                Send(1),
                OpCode(0xa7),
                Send(1),
                User(2),
                OpCode(0x01),
                Send(1),
                Push(0, 64, 2),
                Send(1),
                Timer(2),
            ]),
        ),
        set(
            "tx_opcode_payload",
            4,
            8192,
            &up(&[
                OpCode(0xa6),
                Send(1),
                OpCode(0xa7),
                Push(2, 300, 1),
                Send(1),
            ]),
        ),
        set(
            "tx_pause",
            4,
            8192,
            &up(&[
                Push(0, 2000, 1),
                Send(1),
                Timer(1),
                Pause(1),
                Send(1),
                Pause(0),
                Peer(true, 1),
                Push(1, 500, 5),
                Push(0, 500, 2),
                Send(1),
                Peer(true, 0),
                Send(1),
                Push(0, 8192, 3),
                Send(1),
                Peer(true, 1),
                Push(0, 100, 4),
                Push(1, 200, 6),
                Send(1),
                Peer(true, 0),
                Send(1),
                Timer(3),
            ]),
        ),
        set(
            "tx_pause_burst",
            4,
            8192,
            &up(&[
                Push(0, 49152, 1),
                Send(1),
                Peer(true, 1),
                Push(1, 640, 9),
                Send(1),
                Timer(3),
                Peer(true, 0),
                Send(5),
            ]),
        ),
        set(
            "tx_pause_burst1",
            4,
            8192,
            &up(&[
                Push(0, 49152, 1),
                Send(1),
                Peer(true, 1),
                Timer(3),
                Peer(true, 0),
                Send(5),
            ]),
        ),
        set(
            "tx_eofe",
            4,
            8192,
            &up(&[
                PushError(0, 100, 1),
                Send(1),
                PushError(0, 64, 2),
                Send(1),
                PushError(2, 8192, 3),
                Send(1),
                Timer(2),
            ]),
        ),
        set(
            "tx_flowcntldis",
            4,
            8192,
            &[
                Timer(1),
                IgnoreFlow(true),
                Peer(false, 0xf),
                Push(0, 200, 1),
                Send(1),
                Push(1, 200, 2),
                Send(1),
                Timer(3),
            ],
        ),
        set(
            "tx_disable",
            4,
            8192,
            &up(&[
                Disabled(true),
                Push(0, 200, 1),
                Timer(1),
                Disabled(false),
                Send(1),
                Timer(2),
            ]),
        ),
        set(
            "tx_linkdrop_mid",
            4,
            8192,
            &up(&[
                Push(0, 2000, 1),
                Push(1, 300, 2),
                Send(1),
                Peer(false, 0),
                Timer(2),
                Peer(true, 0),
                Send(1),
                Timer(3),
            ]),
        ),
        set(
            "tx_linkdrop_sof",
            4,
            8192,
            &up(&[
                Push(0, 200, 1),
                Push(1, 300, 2),
                Send(1),
                Peer(false, 0),
                Timer(2),
                Peer(true, 0),
                Send(1),
                Timer(3),
            ]),
        ),
        set(
            "tx_linkdrop_sof_62",
            4,
            8192,
            &up(&[
                Peer(false, 0),
                Push(0, 200, 1),
                Timer(1),
                Peer(true, 0),
                Send(1),
            ]),
        ),
        set(
            "tx_linkdrop_sof_65",
            4,
            8192,
            &up(&[
                Peer(false, 0),
                Push(0, 200, 1),
                Timer(2),
                Peer(true, 0),
                Send(1),
            ]),
        ),
        set(
            "tx_phydrop_mid",
            4,
            8192,
            &up(&[Push(0, 2000, 1), Push(1, 300, 2), Send(2), Timer(3)]),
        ),
        set(
            "tx_null0",
            1,
            8192,
            &up(&[Timer(26), Push(0, 100, 1), Send(1), Timer(40)]),
        ),
        set(
            "tx_backpressure",
            4,
            8192,
            &up(&[
                Push(0, 1500, 1),
                Send(1),
                Push(1, 700, 2),
                Send(1),
                Pause(4),
                Send(1),
                Pause(0),
                Push(2, 65, 3),
                Send(1),
                Timer(3),
            ]),
        ),
        set(
            "tx_vc1_b2b",
            1,
            8192,
            &up(&[
                one(0, 64, 1),
                one(0, 128, 2),
                one(0, 192, 3),
                one(0, 256, 4),
                one(0, 64, 1),
                one(0, 64, 1),
            ]
            .concat()
            .into_iter()
            .chain([Timer(1)])
            .collect::<Vec<_>>()),
        ),
        set(
            "tx_vc1_stall",
            1,
            8192,
            &up(&[Push(0, 192, 1), Send(1), Timer(1)]),
        ),
        // Not among the published ones.
        set(
            "tx_release",
            4,
            8192,
            &up(&[
                Pause(0xf),
                Send(1),
                Pause(0xd),
                Send(1),
                Pause(0xd),
                Pause(0),
                Send(1),
            ]),
        ),
        set(
            "tx_stall",
            2,
            256,
            &up(&[
                PushPart(0, 128, 1),
                Stall,
                PushPart(0, 256, 64),
                Send(1),
                Push(1, 10, 5),
                Send(1),
                PushPart(0, 64, 200),
                Stall,
                Timer(1),
                Push(0, 1, 9),
                Send(1),
            ]),
        ),
        set(
            "tx_cut",
            2,
            192,
            &up(&[
                Push(0, 1000, 1),
                PushPart(1, 384, 2),
                Send(3),
                Peer(false, 0),
                Timer(1),
                PushRest(1, 100, 3),
                Push(1, 50, 4),
                Push(0, 60, 5),
                Peer(true, 0),
                Send(4),
            ]),
        ),
        set(
            "tx_burst_192",
            3,
            192,
            &up(&[Push(0, 385, 1), Push(1, 192, 2), Push(2, 193, 3), Send(6)]),
        ),
        set(
            "tx_turns",
            16,
            64,
            &up(&(0..16)
                .map(|channel| Push(channel, 130, channel))
                .chain([Send(48)])
                .collect::<Vec<_>>()),
        ),
    ]
}

/// User frames around one and two beats, on the first and the last channel.
fn small() -> Vec<Step> {
    let sizes = [1, 2, 63, 64, 65, 127, 128, 129];
    let seeds = |first: u8, step: u8| (0..8).map(move |i| first.wrapping_add(step * i));
    let channel = |channel, first, step| {
        let frames = sizes.into_iter().zip(seeds(first, step));
        frames.flat_map(move |(bytes, seed)| [Step::Push(channel, bytes, seed), Step::Send(1)])
    };
    channel(0, 1, 17)
        .chain([Step::Timer(1)])
        .chain(channel(3, 3, 29))
        .chain([Step::Timer(1)])
        .collect()
}

/// Addresses of the transmitter sets.
const LOCAL: Mac = Mac([0x00, 0x44, 0x56, 0x03, 0x02, 0x01]);
const REMOTE: Mac = Mac([0x11, 0x22, 0x33, 0x44, 0x55, 0x66]);

/// What is known of a peer that takes no TUSER.
fn peer(ready: bool, pause: u16) -> Peer {
    Peer {
        mac: Some(REMOTE),
        ready,
        pause,
        tuser: false,
    }
}

/// The file of TUSER: user frames, and what header and footer say of each.
fn tuser() -> Result<String, Error> {
    let mut text = format!(
        "{LICENCE}\
# User frames of an end that carries TUSER, to a peer that takes it (1) and to one that does not (0), in bursts of 192 bytes.
# packet TAKES CHANNEL BYTES SEED FIRST LAST ERROR START FOOTER: a user frame with its TUSER and whether it ends in error;
#   bytes 19 to 23 of the header of its first burst, bytes 0 and 1 of the footer of its last one. Content: as in tx_*.txt.
"
    );
    let params = Params {
        burst: 192,
        tuser: true,
        ..Params::new(LOCAL)
    };
    let values = [0x00, 0x01, 0x3f, 0x40, 0x55, 0x7f, 0x2a];
    for takes in [false, true] {
        let mut tx = Transmitter::new(params)?;
        tx.set_link(true);
        tx.poll_transmit(Duration::ZERO)
            .ok_or("a header is missing")?;
        tx.set_peer(
            Duration::ZERO,
            Peer {
                tuser: takes,
                ..peer(true, 0)
            },
        );
        for (number, bytes) in [1, 16, 17, 63, 64, 65, 192, 193, 700]
            .into_iter()
            .enumerate()
        {
            let (first, last) = (0xa5 ^ (number as u8) << 3, values[number % values.len()]);
            let (channel, error) = (number as u8 % 2, number % 4 == 3);
            let end = if error { Last::Error } else { Last::Yes };
            tx.push_tuser(channel, &payload(first, bytes), end, Tuser { first, last })?;
            let frames: Vec<_> = std::iter::from_fn(|| tx.poll_transmit(Duration::ZERO)).collect();
            let (Some(begin), Some(end)) = (frames.first(), frames.last()) else {
                return Err("a frame is missing".into());
            };
            let footer = &end[end.len() - frame::FOOTER..][..2];
            let _ = writeln!(
                text,
                "packet {} {channel} {bytes} {first} {first} {last} {} {} {}",
                u8::from(takes),
                u8::from(error),
                hex(&begin[19..24]),
                hex(footer),
            );
        }
    }
    Ok(text)
}

/// Sixteen bytes that go up from a first one.
fn word(first: u8) -> Word {
    std::array::from_fn(|i| first.wrapping_add(i as u8))
}

/// The file of a set.
fn transmitter(set: &Set) -> Result<String, Error> {
    let comments = "\
# One transmitter from reset: what is done to it, and every frame that it sends, in order. Rows without a frame between them
# are done at once.
# push CHANNEL BYTES SEED, push_error, push_part, push_rest: a user frame, one that ends in error, bytes of one whose rest comes
#   later, the rest of one that was cut. Byte i of what a row gives is (SEED + i + floor(i / 256)) modulo 256.
# pause BITS: of the own receiver. peer READY BITS: what the own receiver knows of the peer. link READY: own receiver.
# opcode BYTES, user BYTES, disabled FLAG, ignore_flow FLAG.
# timer, stall: no frame goes out before the header timer, or the stall timer, runs out.
# cut CHANNEL BYTES: BYTES bytes that the channel was given are left out.
# frame HEADER [CONTENT FOOTER]: a frame. Its payload is the next CONTENT bytes that the channel was given; or the byte 00, the
#   end of a user frame that was cut. Zeros up to a whole beat follow.
# HEADER, FOOTER, BYTES of an op-code and of user data: hexadecimal in the order of the wire. BITS: hexadecimal. The rest: decimal.
";
    let (rows, _) = run(set)?;
    Ok(format!(
        "{LICENCE}{comments}channels {}\nburst {}\nlocal {}\nremote {}\n{rows}",
        set.channels,
        set.burst,
        hex(&LOCAL.0),
        hex(&REMOTE.0),
    ))
}

/// What is done to a transmitter and what it sends, as rows.
struct Bench {
    tx: Transmitter,
    now: Duration,
    /// Bytes that each channel was given and has not sent.
    given: Vec<Vec<u8>>,
    rows: String,
    /// Every frame.
    frames: Vec<Vec<u8>>,
}

impl Bench {
    fn new(set: &Set) -> Result<Self, Error> {
        let params = Params {
            channels: set.channels,
            burst: set.burst,
            ..Params::new(LOCAL)
        };
        Ok(Bench {
            tx: Transmitter::new(params)?,
            now: Duration::ZERO,
            given: vec![Vec::new(); usize::from(set.channels)],
            rows: String::new(),
            frames: Vec::new(),
        })
    }

    fn row(&mut self, text: &str) {
        let _ = writeln!(self.rows, "{text}");
    }

    fn push(&mut self, what: &str, push: (u8, usize, u8), last: Last) -> Result<(), Error> {
        let (channel, bytes, seed) = push;
        self.row(&format!("{what} {channel} {bytes} {seed}"));
        let before = self.tx.queued(channel);
        let bytes = payload(seed, bytes);
        self.tx.push(channel, &bytes, last)?;
        if self.tx.queued(channel) > before {
            self.given[usize::from(channel)].extend(bytes);
        }
        Ok(())
    }

    /// What is known of the peer; what is lost with it.
    fn peer(&mut self, ready: bool, pause: u16) {
        self.row(&format!("peer {} {pause:04x}", u8::from(ready)));
        self.tx.set_peer(self.now, peer(ready, pause));
        while let Some(Event::Cut(channel)) = self.tx.poll_event() {
            let given = &mut self.given[usize::from(channel)];
            let left_out = given.len() - self.tx.queued(channel);
            given.drain(..left_out);
            self.row(&format!("cut {channel} {left_out}"));
        }
    }

    /// The frame that is sent now.
    fn frame(&mut self) -> Result<(), Error> {
        let bytes = self
            .tx
            .poll_transmit(self.now)
            .ok_or("a frame is missing")?;
        let frame = frame::Frame::decode(&bytes)?;
        let mut row = format!("frame {}", hex(&bytes[..frame::HEADER]));
        if let Some((payload, footer)) = frame.payload {
            let given = &mut self.given[usize::from(frame.header.channel)];
            let content = if given.starts_with(payload) {
                given.drain(..payload.len());
                payload.len().to_string()
            } else {
                hex(payload)
            };
            let _ = write!(row, " {content} {}", hex(&footer.encode()));
        }
        self.row(&row);
        self.frames.push(bytes);
        Ok(())
    }

    /// A frame that a timer causes; nothing goes out before.
    fn wait(&mut self, timer: &str) -> Result<(), Error> {
        // The first header needs no timer.
        if !self.frames.is_empty() && self.tx.poll_transmit(self.now).is_some() {
            return Err("a frame goes out before the timer".into());
        }
        self.row(timer);
        self.now = self.now.max(self.tx.next_timeout());
        self.frame()
    }

    fn step(&mut self, step: Step) -> Result<(), Error> {
        match step {
            Step::Push(channel, bytes, seed) => {
                self.push("push", (channel, bytes, seed), Last::Yes)?;
            }
            Step::PushError(channel, bytes, seed) => {
                self.push("push_error", (channel, bytes, seed), Last::Error)?;
            }
            Step::PushPart(channel, bytes, seed) => {
                self.push("push_part", (channel, bytes, seed), Last::No)?;
            }
            Step::PushRest(channel, bytes, seed) => {
                self.push("push_rest", (channel, bytes, seed), Last::Yes)?;
            }
            Step::Pause(bits) => {
                self.row(&format!("pause {bits:04x}"));
                self.tx.set_pause(bits);
            }
            Step::Peer(ready, pause) => self.peer(ready, pause),
            Step::Link(up) => {
                self.row(&format!("link {}", u8::from(up)));
                self.tx.set_link(up);
            }
            Step::OpCode(first) => {
                self.row(&format!("opcode {}", hex(&word(first))));
                self.tx.send_opcode(word(first))?;
            }
            Step::User(first) => {
                self.row(&format!("user {}", hex(&word(first))));
                self.tx.set_user_data(word(first));
            }
            Step::Disabled(flag) => {
                self.row(&format!("disabled {}", u8::from(flag)));
                self.tx.set_disabled(flag);
            }
            Step::IgnoreFlow(flag) => {
                self.row(&format!("ignore_flow {}", u8::from(flag)));
                self.tx.set_ignore_flow(flag);
            }
            Step::Send(frames) => (0..frames).try_for_each(|_| self.frame())?,
            Step::Timer(times) => (0..times).try_for_each(|_| self.wait("timer"))?,
            Step::Stall => self.wait("stall")?,
        }
        Ok(())
    }
}

/// Runs a set: its rows, and every frame.
pub fn run(set: &Set) -> Result<(String, Vec<Vec<u8>>), Error> {
    let mut bench = Bench::new(set)?;
    for (number, &step) in set.steps.iter().enumerate() {
        let told = |error| format!("{}, step {number}: {error}", set.name);
        bench.step(step).map_err(told)?;
    }
    if bench.tx.poll_transmit(bench.now).is_some() {
        return Err(format!("{}: a frame is left", set.name).into());
    }
    Ok((bench.rows, bench.frames))
}

/// Addresses of the receiver's file.
const HERE: Mac = Mac([0x02, 0, 0, 0, 0, 0x0b]);
const THERE: Mac = Mac([0x02, 0, 0, 0, 0, 0x0a]);
const OTHER: Mac = Mac([0x02, 0, 0, 0, 0, 0x0c]);
const RX_CHANNELS: u8 = 4;

/// A receiver, and a peer that can send it anything.
struct Line {
    rx: Receiver,
    now: Duration,
    tid: u8,
    rows: String,
}

/// What of a burst: its start, middle, end, or all of a user frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Start,
    Middle,
    End,
    Whole,
}

impl Line {
    /// A new receiver; the peer's first header says that it hears us.
    fn new() -> Result<Self, Error> {
        let params = Params {
            channels: RX_CHANNELS,
            ..Params::new(HERE)
        };
        Ok(Line {
            rx: Receiver::new(params)?,
            now: Duration::ZERO,
            tid: 0,
            rows: String::new(),
        })
    }

    /// The next header without payload; the number goes on.
    fn header(&mut self) -> Header {
        let tid = self.tid;
        self.tid = tid.wrapping_add(1);
        Header {
            destination: HERE,
            source: THERE,
            ethertype: 0x0111,
            version: frame::VERSION,
            tid,
            pause: 0,
            channel: NULL_CHANNEL,
            start: false,
            opcode_valid: false,
            link_ready: true,
            first_tuser: 0,
            takes_tuser: false,
            reserved: [0; 6],
            opcode: [0; 16],
            user_data: [0; 16],
        }
    }

    /// The next burst of a channel.
    fn burst(&mut self, channel: u8, bytes: usize, part: Part) -> Result<Vec<u8>, Error> {
        let mut header = self.header();
        header.channel = channel;
        header.start = matches!(part, Part::Start | Part::Whole);
        let end = matches!(part, Part::End | Part::Whole);
        let payload = payload(header.tid ^ 0x80, bytes);
        Ok(frame::encode(&header, &payload, end, false, 0)?)
    }

    /// Passes a frame to the receiver and notes what it says.
    fn receive(&mut self, bytes: &[u8], damaged: bool) {
        let _ = writeln!(self.rows, "rx {} {}", u8::from(damaged), hex(bytes));
        let before = self.rx.peer();
        self.rx.receive(self.now, bytes, damaged);
        self.events(before);
    }

    fn send(&mut self, header: Header) {
        self.receive(&header.encode(), false);
    }

    /// A good burst.
    fn data(&mut self, channel: u8, bytes: usize, part: Part) -> Result<(), Error> {
        let bytes = self.burst(channel, bytes, part)?;
        self.receive(&bytes, false);
        Ok(())
    }

    /// A header alone, of which nothing is to be seen but that no number is missing.
    fn null(&mut self) {
        let header = self.header();
        self.send(header);
    }

    /// A frame that never arrives.
    fn lose(&mut self) {
        self.tid = self.tid.wrapping_add(1);
    }

    fn phy(&mut self, up: bool) {
        let _ = writeln!(self.rows, "phy {}", u8::from(up));
        let before = self.rx.peer();
        self.rx.set_phy(up);
        self.events(before);
    }

    /// Time without a frame.
    fn wait(&mut self, time: Duration) {
        let _ = writeln!(self.rows, "wait {}", time.as_micros());
        self.now += time;
        let before = self.rx.peer();
        self.rx.tick(self.now);
        self.events(before);
    }

    fn events(&mut self, before: Peer) {
        let flag = u8::from;
        while let Some(event) = self.rx.poll_event() {
            let row = match event {
                Event::Data(piece) => {
                    let bytes = if piece.bytes.is_empty() {
                        "-".into()
                    } else {
                        hex(&piece.bytes)
                    };
                    let marks = [piece.start, piece.end, piece.error].map(flag);
                    let [start, end, error] = marks;
                    format!("data {} {start} {end} {error} {bytes}", piece.channel)
                }
                Event::LinkUp => "up".into(),
                Event::LinkDown(Down::Silent) => "down silent".into(),
                Event::LinkDown(Down::Phy) => "down phy".into(),
                Event::PeerReady(ready) => format!("ready {}", flag(ready)),
                Event::Lost(frames) => format!("lost {frames}"),
                Event::Stale(tid) => format!("stale {tid}"),
                Event::Orphan(channel) => format!("orphan {channel}"),
                Event::OpCode(word) => format!("opcode {}", hex(&word)),
                Event::UserData(word) => format!("user {}", hex(&word)),
                Event::Overflow(_) | Event::Cut(_) => continue,
            };
            let _ = writeln!(self.rows, "{row}");
        }
        let peer = self.rx.peer();
        if peer.pause != before.pause {
            let _ = writeln!(self.rows, "pause {:04x}", peer.pause);
        }
        if peer.mac != before.mac {
            let mac = peer.mac.map_or("-".into(), |mac| hex(&mac.0));
            let _ = writeln!(self.rows, "remote {mac}");
        }
    }

    /// The counters of the link that are not zero, then those of the channels.
    fn finish(mut self) -> String {
        let link = self.rx.counters();
        for (name, value) in [
            ("good", link.good),
            ("foreign", link.foreign),
            ("version", link.version),
            ("checksum", link.checksum),
            ("damaged", link.damaged),
            ("malformed", link.malformed),
            ("unknown_channel", link.unknown_channel),
            ("lost", link.lost),
            ("stale", link.stale),
            ("opcodes", link.opcodes),
            ("ups", link.ups),
            ("downs_silent", link.downs_silent),
            ("downs_phy", link.downs_phy),
        ] {
            if value > 0 {
                let _ = writeln!(self.rows, "count {name} {value}");
            }
        }
        for number in 0..RX_CHANNELS {
            let channel = self.rx.channel_counters(number);
            for (name, value) in [
                ("frames", channel.frames),
                ("bytes", channel.bytes),
                ("errors", channel.errors),
                ("orphans", channel.orphans),
            ] {
                if value > 0 {
                    let _ = writeln!(self.rows, "count {name}{number} {value}");
                }
            }
        }
        self.rows
    }
}

/// A frame with a byte changed, its checksum left as it was.
fn changed(mut bytes: Vec<u8>, place: usize, value: u8) -> Vec<u8> {
    bytes[place] = value;
    bytes
}

/// What a case does to a receiver.
type Case = fn(&mut Line) -> Result<(), Error>;

/// The cases of the receiver's file, by name. Each starts with a receiver that has just been reset.
const CASES: [(&str, Case); 41] = [
    ("link_up", |line| {
        let (source, header) = (THERE, line.header());
        let destination = Mac::BROADCAST;
        line.send(Header {
            destination,
            source,
            link_ready: false,
            pause: 0xf,
            ..header
        });
        let header = line.header();
        line.send(Header {
            pause: 0xa,
            user_data: word(0x30),
            ..header
        });
        let header = line.header();
        line.send(Header {
            user_data: word(0x30),
            ..header
        });
        Ok(())
    }),
    ("link_up_with_payload_and_any_number", |line| {
        line.tid = 200;
        line.data(2, 70, Part::Whole)
    }),
    ("sizes", |line| {
        for (channel, bytes) in [
            (0, 1),
            (1, 63),
            (2, 64),
            (3, 65),
            (0, 127),
            (0, 128),
            (0, 129),
        ] {
            line.data(channel, bytes, Part::Whole)?;
        }
        Ok(())
    }),
    ("longest_burst", |line| line.data(3, 8192, Part::Whole)),
    ("interleaved", |line| {
        line.data(1, 128, Part::Start)?;
        line.data(2, 100, Part::Whole)?;
        line.data(3, 64, Part::Start)?;
        line.data(1, 64, Part::Middle)?;
        line.data(3, 1, Part::End)?;
        line.data(1, 65, Part::End)
    }),
    ("numbers_wrap", |line| {
        line.tid = 254;
        line.data(0, 64, Part::Start)?;
        line.null();
        line.null();
        line.data(0, 10, Part::End)
    }),
    ("pause_of_the_footer_counts", |line| {
        line.null();
        let header = Header {
            channel: 3,
            start: true,
            pause: 1,
            ..line.header()
        };
        line.receive(&frame::encode(&header, &[7; 70], true, false, 5)?, false);
        line.null();
        Ok(())
    }),
    ("op_code", |line| {
        line.null();
        let header = line.header();
        line.send(Header {
            opcode_valid: true,
            opcode: word(0x50),
            ..header
        });
        let header = line.header();
        line.send(Header {
            opcode: word(0x60),
            ..header
        });
        let header = Header {
            opcode_valid: true,
            opcode: word(0x70),
            ..line.header()
        };
        let header = Header {
            channel: 1,
            start: true,
            ..header
        };
        line.receive(&frame::encode(&header, &[1], true, false, 0)?, false);
        Ok(())
    }),
    ("ends_in_error", |line| {
        for (end, error) in [(true, true), (false, true), (true, false)] {
            let header = Header {
                channel: 0,
                start: true,
                ..line.header()
            };
            line.receive(&frame::encode(&header, &[3; 66], end, error, 0)?, false);
        }
        Ok(())
    }),
    ("reserved_bytes", |line| {
        let header = line.header();
        line.send(Header {
            first_tuser: 1,
            takes_tuser: true,
            reserved: [3, 4, 5, 6, 7, 8],
            ..header
        });
        Ok(())
    }),
    ("other_address", |line| {
        line.null();
        // The first beat of the payload would do for a header to us.
        let inside = Header {
            pause: 0xf,
            channel: 2,
            start: true,
            tid: 1,
            ..line.header()
        };
        let header = Header {
            destination: OTHER,
            channel: 0,
            start: true,
            tid: 0,
            ..inside
        };
        let payload = [inside.encode(), [9; 64]].concat();
        line.receive(&frame::encode(&header, &payload, true, false, 0)?, false);
        line.tid = 1;
        line.null();
        Ok(())
    }),
    ("other_ethertype", |line| {
        line.null();
        let header = Header {
            ethertype: 0x0800,
            ..line.header()
        };
        line.send(header);
        line.null();
        Ok(())
    }),
    ("other_version", |line| {
        line.null();
        let header = Header {
            version: 2,
            ..line.header()
        };
        line.send(header);
        line.null();
        Ok(())
    }),
    ("short", |line| {
        line.null();
        let header = Header {
            tid: 1,
            ..line.header()
        };
        line.receive(&header.encode()[..60], false);
        line.tid = 1;
        line.null();
        Ok(())
    }),
    ("checksum", |line| {
        line.data(1, 64, Part::Start)?;
        let bytes = changed(line.burst(1, 64, Part::Middle)?, 40, 1);
        line.receive(&bytes, false);
        line.data(1, 64, Part::End)?;
        line.data(1, 64, Part::Whole)
    }),
    ("checksum_of_a_header_alone", |line| {
        line.data(1, 64, Part::Start)?;
        let header = Header {
            pause: 0xf,
            ..line.header()
        };
        line.receive(&changed(header.encode().to_vec(), 17, 1), false);
        line.null();
        Ok(())
    }),
    ("wrong_size", |line| {
        line.data(2, 64, Part::Start)?;
        let bytes = line.burst(0, 100, Part::Whole)?;
        let size = bytes.len() - 2;
        line.receive(&changed(bytes, size, 99), false);
        line.null();
        line.data(0, 100, Part::Whole)
    }),
    ("no_byte_in_the_last_beat", |line| {
        line.null();
        let bytes = line.burst(0, 64, Part::Whole)?;
        let bytes = changed(changed(bytes, 128, 0), 132, 0);
        line.receive(&bytes, false);
        line.null();
        Ok(())
    }),
    ("65_bytes_in_the_last_beat", |line| {
        line.null();
        let bytes = line.burst(0, 64, Part::Whole)?;
        let bytes = changed(changed(bytes, 128, 65), 132, 65);
        line.receive(&bytes, false);
        line.null();
        Ok(())
    }),
    ("beat_that_is_not_full_and_not_the_last", |line| {
        line.null();
        let bytes = line.burst(0, 100, Part::Whole)?;
        let flags = bytes.len() - 5;
        line.receive(&changed(bytes, flags, 0), false);
        line.data(0, 100, Part::Whole)
    }),
    ("gap_in_front_of_a_damaged_frame", |line| {
        line.null();
        for _ in 0..3 {
            line.header();
        }
        let bytes = line.burst(0, 100, Part::Whole)?;
        line.receive(&bytes, true);
        line.null();
        Ok(())
    }),
    ("footer_of_7_bytes", |line| {
        line.null();
        let mut bytes = line.burst(0, 100, Part::Whole)?;
        bytes.push(0);
        line.receive(&bytes, false);
        line.null();
        Ok(())
    }),
    ("no_footer", |line| {
        line.null();
        let bytes = line.burst(0, 100, Part::Whole)?;
        line.receive(&bytes[..192], false);
        line.null();
        Ok(())
    }),
    ("footer_alone", |line| {
        line.data(1, 64, Part::Start)?;
        let bytes = line.burst(1, 64, Part::End)?;
        line.receive(&[&bytes[..64], &bytes[128..]].concat(), false);
        line.null();
        Ok(())
    }),
    ("payload_behind_a_header_alone", |line| {
        line.data(1, 64, Part::Start)?;
        let header = Header {
            pause: 0xf,
            ..line.header()
        };
        line.receive(&frame::encode(&header, &[5; 64], true, false, 0xf)?, false);
        line.null();
        Ok(())
    }),
    ("header_alone_with_a_channel", |line| {
        line.null();
        let header = line.header();
        line.send(Header {
            channel: 0,
            start: true,
            pause: 2,
            ..header
        });
        line.data(0, 10, Part::Whole)
    }),
    ("unknown_channel", |line| {
        line.data(3, 64, Part::Start)?;
        line.data(4, 100, Part::Whole)?;
        line.data(0xfe, 100, Part::Whole)?;
        line.data(3, 64, Part::End)
    }),
    ("damaged_whole", |line| {
        line.null();
        let bytes = line.burst(1, 100, Part::Whole)?;
        line.receive(&bytes, true);
        line.null();
        line.data(1, 100, Part::Whole)
    }),
    ("damaged_middle", |line| {
        line.data(0, 64, Part::Start)?;
        line.data(1, 128, Part::Start)?;
        let bytes = line.burst(1, 128, Part::Middle)?;
        line.receive(&bytes, true);
        line.data(1, 128, Part::End)?;
        line.data(0, 64, Part::End)?;
        line.data(1, 10, Part::Whole)?;
        line.data(0, 10, Part::Whole)
    }),
    ("damaged_header_alone", |line| {
        line.null();
        let header = Header {
            pause: 0xf,
            opcode_valid: true,
            user_data: word(1),
            ..line.header()
        };
        line.receive(&header.encode(), true);
        line.null();
        Ok(())
    }),
    ("damage_that_the_checksum_does_not_see", |line| {
        line.data(1, 64, Part::Start)?;
        line.data(2, 64, Part::Start)?;
        // Channel 2 reads 1, and a reserved byte makes up for it.
        let bytes = line.burst(2, 64, Part::Middle)?;
        line.receive(&changed(changed(bytes, 18, 1), 22, 1), true);
        line.data(2, 64, Part::End)?;
        line.null();
        Ok(())
    }),
    ("cut_by_the_line", |line| {
        line.data(0, 64, Part::Start)?;
        let bytes = line.burst(1, 192, Part::Whole)?;
        line.receive(&bytes[..192], true);
        line.phy(false);
        line.null();
        line.phy(true);
        line.data(1, 128, Part::Whole)?;
        line.data(0, 64, Part::End)
    }),
    ("no_start", |line| {
        line.null();
        line.data(0, 192, Part::Middle)?;
        line.data(0, 10, Part::End)?;
        line.data(0, 10, Part::Whole)
    }),
    ("start_without_an_end_before", |line| {
        line.data(0, 64, Part::Start)?;
        line.data(0, 128, Part::Start)?;
        line.data(0, 1, Part::End)
    }),
    ("lost_start_middle_end", |line| {
        line.null();
        line.lose();
        line.data(0, 64, Part::Middle)?;
        line.data(0, 64, Part::End)?;
        line.data(1, 64, Part::Start)?;
        line.lose();
        line.data(1, 64, Part::End)?;
        line.data(2, 64, Part::Start)?;
        line.lose();
        line.data(2, 64, Part::Whole)
    }),
    ("lost_whole", |line| {
        line.data(0, 64, Part::Start)?;
        line.data(1, 64, Part::Whole)?;
        line.lose();
        line.data(1, 64, Part::Whole)?;
        line.data(0, 64, Part::End)
    }),
    ("lost_127", |line| {
        line.data(0, 64, Part::Start)?;
        line.tid = line.tid.wrapping_add(127);
        line.data(0, 64, Part::Whole)
    }),
    ("duplicates", |line| {
        line.data(0, 64, Part::Start)?;
        let bytes = line.burst(1, 100, Part::Whole)?;
        line.receive(&bytes, false);
        line.receive(&bytes, false);
        line.data(0, 64, Part::End)?;
        line.data(0, 64, Part::Whole)
    }),
    ("number_of_128_frames_ago", |line| {
        line.data(0, 64, Part::Start)?;
        let tid = line.tid;
        line.tid = tid.wrapping_add(128);
        line.data(1, 64, Part::Whole)?;
        line.tid = tid;
        line.data(1, 64, Part::Whole)
    }),
    ("silence", |line| {
        line.data(0, 64, Part::Start)?;
        line.wait(Duration::from_micros(84_999));
        line.null();
        line.wait(Duration::from_micros(84_999));
        line.wait(Duration::from_micros(1));
        // Whatever number comes now is the first one.
        line.tid = 3;
        line.data(0, 64, Part::End)?;
        line.data(0, 64, Part::Whole)
    }),
    ("repetition", |line| {
        line.data(0, 64, Part::Start)?;
        let bytes = line.burst(1, 100, Part::Whole)?;
        line.receive(&bytes, false);
        // A line that repeats a frame shows no life.
        line.wait(Duration::from_micros(50_000));
        line.receive(&bytes, false);
        line.wait(Duration::from_micros(36_000));
        line.null();
        line.data(0, 64, Part::Whole)
    }),
];

/// The receiver's file.
fn receiver() -> Result<String, Error> {
    let mut text = format!(
        "{LICENCE}\
# Receivers from reset, one for each case: frames, and what becomes of them, in order.
# rx DAMAGED BYTES: an Ethernet frame without its FCS, and whether the Ethernet MAC calls it damaged or has not seen its end.
# wait TIME: TIME microseconds without a frame; the alive time is 85000. phy UP: the line.
# data CHANNEL START END ERROR BYTES: bytes for the user, - for none. In a user frame that ends in error, only the marks are
#   specified.
# up, down silent, down phy: the link. ready FLAG: the peer's receiver has a link. pause BITS, remote ADDRESS: what is known of the
#   peer has changed. opcode BYTES, user BYTES: an op-code, new user data.
# lost FRAMES: FRAMES numbers are missing. stale NUMBER: a frame with an earlier number.
# orphan CHANNEL: bytes without a start.
# count NAME VALUE: counters at the end of the case that are not zero; those of a channel have its number behind the name.
channels {RX_CHANNELS}
local {}
",
        hex(&HERE.0)
    );
    for (name, case) in CASES {
        let mut line = Line::new()?;
        case(&mut line)?;
        let _ = write!(text, "case {name}\n{}", line.finish());
    }
    Ok(text)
}
