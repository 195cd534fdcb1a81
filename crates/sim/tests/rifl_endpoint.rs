// SPDX-License-Identifier: Apache-2.0
//! One endpoint: the recorded session of the published core, and the shortcuts of the evaluation.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ropewalk_sim::ChannelConfig;
use ropewalk_sim::rifl::{Edges, Endpoint, Link, LinkConfig, Model, Now, Outputs, Users};
use ropewalk_sim::testing::seed;
use ropewalk_testkit::golden::rifl;
use ropewalk_wire::rifl::frame::{Control, Frame};
use ropewalk_wire::rifl::scrambler::Scrambler;
use ropewalk_wire::rifl::{FrameWidth, Segment, code};

/// The words that one end of the recorded session received, fed to our receiver, give exactly the
/// packets that the other end sent, in spite of the recorded bit error.
#[test]
fn recorded_session_gives_exactly_its_packets() {
    let session = rifl::session();
    let [a, b] = &session.ends;
    for (sender, phase, hurt) in [(a, 0, true), (a, 2, true), (b, 0, false), (b, 3, false)] {
        assert_eq!(sender.packets.len(), 20);
        let mut endpoint = Endpoint::new(Model::default()).unwrap();
        endpoint.set_sink_ready(true);
        let (mut got, mut packet) = (Vec::new(), Vec::new());
        let mut errors = 0;
        for (cycle, &word) in sender.received.iter().enumerate() {
            endpoint.set_reset(cycle < session.reset as usize);
            endpoint.set_rx_data(0, word);
            let frame = cycle % 4 == phase;
            if frame {
                if let Some(beat) = endpoint.delivered() {
                    packet.extend_from_slice(beat.bytes().expect("legal TKEEP"));
                    if beat.last {
                        got.push(std::mem::take(&mut packet));
                    }
                }
                errors += u32::from(endpoint.outputs(0).rx_error);
            }
            endpoint.step(Edges {
                tx: true,
                frame,
                user: frame,
                rx: true,
            });
        }
        assert!(got == sender.packets, "{} packets differ", got.len());
        assert!(packet.is_empty());
        assert_eq!(errors > 0, hurt, "the bit error is on the way from a to b");
        assert!(endpoint.outputs(0).rx_up && !endpoint.outputs(0).rx_overflow);
    }
}

/// Frames of one lane for our receiver: a scrambler, and the words in the order of the line.
struct Sender {
    scrambler: Scrambler,
    words: Vec<u64>,
}

impl Sender {
    fn send(&mut self, plain: &Frame, id: u16) {
        let mut frame = *plain;
        self.scrambler.frame(&mut frame);
        code::seal(&mut frame, id);
        self.words.extend(frame.words());
    }

    /// A packet of one frame, which begins with its number.
    fn packet(&mut self, number: u16) {
        let bytes = [number.to_be_bytes(), [0x5a; 2]].concat();
        let segment = Segment::new(FrameWidth::W256, &bytes, true).expect("a legal segment");
        self.send(&Frame::user(FrameWidth::W256, &segment), number % 64);
    }

    /// A frame whose code belongs to no id.
    fn damaged(&mut self) {
        self.send(&Frame::invalid(FrameWidth::W256), 0xfff);
    }
}

/// In the compatible mode everything is delivered from id 0 on, even when the first frames arrive
/// only with the second sending of the peer's buffer, and nothing before: what comes without its
/// predecessors is not taken.
#[test]
fn everything_from_id_0_on_is_delivered() {
    for damaged in [0, 1, 16, 40] {
        let mut sender = Sender {
            scrambler: Scrambler::default(),
            words: Vec::new(),
        };
        for _ in 0..300 {
            sender.send(&Frame::control(FrameWidth::W256, Control::Idle), 0);
        }
        for number in 0..48 {
            if number < damaged {
                sender.damaged();
            } else {
                sender.packet(number);
            }
        }
        if damaged > 0 {
            // The buffer again: the frames that it was cleared with, then those that were sent.
            for id in 48..64 {
                sender.send(&Frame::invalid(FrameWidth::W256), id);
            }
            (0..48).for_each(|number| sender.packet(number));
        }
        (48..100).for_each(|number| sender.packet(number));
        sender.words.extend([0; 64]);

        let mut endpoint = Endpoint::new(Model::default()).unwrap();
        endpoint.set_sink_ready(true);
        let mut got = Vec::new();
        for (cycle, &word) in sender.words.iter().enumerate() {
            endpoint.set_reset(cycle < 16);
            endpoint.set_rx_data(0, word);
            let frame = cycle % 4 == 0;
            if frame && let Some(beat) = endpoint.delivered() {
                let bytes = beat.bytes().expect("legal TKEEP");
                assert!(beat.last && bytes.len() == 4, "{bytes:x?}");
                got.push(u16::from_be_bytes([bytes[0], bytes[1]]));
            }
            endpoint.step(Edges {
                tx: true,
                frame,
                user: frame,
                rx: true,
            });
        }
        assert_eq!(
            got,
            (0..100).collect::<Vec<_>>(),
            "{damaged} damaged frames"
        );
    }
}

/// Everything that stands at the ports of an end before a frame clock.
#[derive(Debug, PartialEq)]
struct Shown {
    end: usize,
    link_up: bool,
    outputs: Vec<Outputs>,
    source_ready: bool,
    /// TDATA, TKEEP and TLAST.
    delivered: Option<(Vec<u8>, Vec<u8>, bool)>,
}

/// Makes random inputs and keeps what the ends make of them.
struct Recorder {
    rng: Xoshiro256PlusPlus,
    log: Vec<Shown>,
    words: Vec<u64>,
}

impl Users for Recorder {
    fn before_clock(&mut self, _now: Now, end: usize, endpoint: &Endpoint) {
        let delivered = endpoint
            .delivered()
            .map(|b| (b.data.to_vec(), b.keep.to_vec(), b.last));
        let (outputs, source_ready) = (endpoint.all_outputs(), endpoint.source_ready());
        self.log.push(Shown {
            end,
            link_up: endpoint.link_up(),
            outputs,
            source_ready,
            delivered,
        });
    }

    fn after_clock(&mut self, _now: Now, _end: usize, endpoint: &mut Endpoint) {
        // Not a lawful AXI-Stream source: beats come and go. The RTL must do the same in both
        // evaluations.
        let random = self.rng.next_u64();
        let mut beat = [0; 128];
        self.rng.fill_bytes(&mut beat);
        let full = endpoint.beat_bytes();
        match random % 4 {
            0 => endpoint.offer_nothing(),
            1 => endpoint.offer(&beat[..1 + (random >> 8) as usize % full], true),
            _ => endpoint.offer(&beat[..full], random & 16 == 0),
        }
        endpoint.set_sink_ready(random & 96 != 0);
    }

    fn word(&mut self, _now: Now, _end: usize, _lane: usize, sent: u64, _received: u64) {
        self.words.push(sent);
    }
}

#[test]
fn shortcuts_of_the_evaluation_change_nothing() {
    let seed = seed("evaluation");
    let four_lanes = |user_width| Model {
        lanes: 4,
        user_width,
        ..Model::default()
    };
    let models = [
        Model::default(),
        Model::one_lane(512, 6),
        Model::one_lane(128, 12),
        four_lanes(256),
        four_lanes(512),
    ];
    for (i, model) in models.into_iter().enumerate() {
        for ppm in [0.0, 100.0] {
            let wires = |seed| {
                (0..model.lanes)
                    .map(|lane| ChannelConfig {
                        ber: 1e-6,
                        slip_bits: 3,
                        delay_bits: u64::from(lane) * 100,
                        seed: seed + 2 * u64::from(lane),
                        ..ChannelConfig::default()
                    })
                    .collect()
            };
            let config = LinkConfig {
                model,
                ppm,
                frame_phase: (i % 2) as u8,
                a_to_b: wires(seed),
                b_to_a: wires(seed + 1),
                ..LinkConfig::default()
            };
            let record = |plain: bool| {
                let mut link = Link::new(&config).unwrap();
                for end in 0..2 {
                    link.endpoint_mut(end).set_plain_evaluation(plain);
                }
                let mut users = Recorder {
                    rng: Xoshiro256PlusPlus::seed_from_u64(seed),
                    log: Vec::new(),
                    words: Vec::new(),
                };
                // Long enough for the narrower ids to come up; the wider ones are alike.
                let cycles = 20_000 + 8 * (model.frame_cycles() << model.id_width.min(8));
                let reset = cycles - 6000;
                for cycle in 0..cycles {
                    if cycle == reset - 2000 {
                        link.channels_mut(0)[0].flip(77);
                    }
                    // A reset in full flight.
                    if cycle == reset || cycle == reset + 30 {
                        link.endpoint_mut(0).set_reset(cycle == reset);
                        link.endpoint_mut(1).set_reset(cycle == reset);
                    }
                    link.tick(&mut users);
                }
                users
            };
            let (fast, plain) = (record(false), record(true));
            assert!(fast.words == plain.words, "{model:?}: words differ");
            let difference = fast.log.iter().zip(&plain.log).position(|(a, b)| a != b);
            assert_eq!(difference, None, "{model:?}: ports differ at a frame clock");
            if model.id_width < 9 {
                assert!(
                    fast.log.iter().any(|shown| shown.delivered.is_some()),
                    "{model:?}: nothing was delivered"
                );
            }
        }
    }
}
