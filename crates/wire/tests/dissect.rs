// SPDX-License-Identifier: Apache-2.0
//! A recorded lane of RIFL: what ends send is what is seen of it, wherever the recording begins;
//! what the published core sent is seen as it was decoded when it was recorded.

mod common;

use common::{bytes, random};
use ropewalk_testkit::golden::rifl;
use ropewalk_testkit::{Digest, expect_file};
use ropewalk_wire::rifl::dissect::{Check, Seen, Stretch, dissect, lane_params, stretches};
use ropewalk_wire::rifl::ext;
use ropewalk_wire::rifl::frame::{Control, Frame, Kind};
use ropewalk_wire::rifl::link::{Direction, Link, LinkConfig, Random};
use ropewalk_wire::rifl::{FrameWidth, IdWidth, LaneParams};

/// A frame as its sender knows it.
struct Sent {
    line: Frame,
    plain: Frame,
    id: u16,
    replay: bool,
    flipped: bool,
}

fn lane(width: u32, id: u32) -> LaneParams {
    let (width, id) = (FrameWidth::new(width), IdWidth::new(id));
    let lane = LaneParams::new(width.expect("a width"), id.expect("an id"));
    lane.with_up_frames(32).expect("a lane")
}

/// Chance of a frame that one of its bits is wrong where it arrives.
const FLIPS: u16 = 1;

/// Flips a bit now and then behind the first frames; whether it did.
fn flip(random: &mut Random, at: usize, frame: &mut Frame) -> bool {
    if at < 900 || !random.chance(FLIPS) {
        return false;
    }
    let bit = random.below(64 * frame.words().len() as u64);
    frame.words_mut()[(bit / 64) as usize] ^= 1 << (bit % 64);
    true
}

/// Damages a frame now and then, and notes those of end 0.
fn note(
    sent: &mut Vec<Sent>,
    random: &mut Random,
    direction: Direction,
    (plain, id, replay): (Frame, u16, bool),
    frame: &mut Frame,
) {
    let line = *frame;
    let flipped = flip(random, sent.len(), frame);
    if direction == Direction::AToB {
        sent.push(Sent {
            line,
            plain,
            id,
            replay,
            flipped,
        });
    }
}

/// What end 0 sends in compatible mode.
fn compatible(lane: LaneParams, random: &mut Random) -> Vec<Sent> {
    let mut link = Link::new(LinkConfig::saturated(lane, 8, random.bits())).expect("a link");
    let mut sent = Vec::new();
    link.run(4000, |direction, tick, frame| {
        let known = (tick.plain, tick.id, tick.replay);
        note(&mut sent, random, direction, known, frame);
    });
    assert!(link.link_up());
    sent
}

/// What end 0 sends on its lane in extended mode.
fn extended(lane: LaneParams, random: &mut Random) -> Vec<Sent> {
    let end = ext::EndParams::new(lane, 1).expect("an end");
    let mut link = ext::link::Link::new(ext::link::LinkConfig::saturated(end, 8, random.bits()));
    let mut sent = Vec::new();
    link.run(4000, |direction, _, tick, frame| {
        let known = (tick.plain, tick.id, tick.replay);
        note(&mut sent, random, direction, known, frame);
    });
    assert!(link.link_up());
    sent
}

/// The words of these frames, `late` bits behind the start of a recording that begins with noise.
fn record<'a>(frames: impl Iterator<Item = &'a Frame>, late: u64, random: &mut Random) -> Vec<u64> {
    let (noise, shift) = (late / 64, late % 64);
    let mut words: Vec<u64> = (0..noise).map(|_| random.bits()).collect();
    let mut rest = random.bits() & ((1 << shift) - 1);
    for word in frames.flat_map(|frame| frame.words().to_vec()) {
        words.push(rest | word << shift);
        rest = word.checked_shr(64 - shift as u32).unwrap_or(0);
    }
    words.push(rest);
    words
}

fn seen(words: &[u64], lane: LaneParams, extended: bool) -> (Vec<Stretch>, Vec<(u64, Seen)>) {
    let found = stretches(words, lane.frame());
    let mut all = Vec::new();
    dissect(words, lane, &found, extended, |bit, seen| {
        all.push((bit, seen))
    });
    (found, all)
}

fn check(sent: &[Sent], lane: LaneParams, is_extended: bool, late: u64, random: &mut Random) {
    let bits = u64::from(lane.frame().bits());
    let words = record(sent.iter().map(|sent| &sent.line), late, random);
    let (found, all) = seen(&words, lane, is_extended);
    // One stretch: noise in front of it may have legal headers by chance.
    assert_eq!(found.len(), 1, "{found:?}");
    let end = found[0].bit + found[0].frames * bits;
    assert_eq!(end, late + sent.len() as u64 * bits, "{found:?}");
    let width = FrameWidth::new(bits as u32).expect("a width");
    let params = |id| lane_params(&words, width, id, &found, is_extended);
    for found in [params(None), params(Some(lane.id()))] {
        let (frame, id) = (found.frame(), found.id());
        assert_eq!((frame, id), (lane.frame(), lane.id()));
    }
    let mut by_id = vec![None; usize::from(lane.id().frames())];
    let mut replayed = 0;
    let (mut missing, last) = (sent.len(), sent.len() - 1);
    for (bit, seen) in all.iter().filter(|(bit, _)| *bit >= late) {
        assert_eq!((bit - late) % bits, 0);
        let place = ((bit - late) / bits) as usize;
        let sent = &sent[place];
        missing -= 1;
        // Noise in front of the first one is no frame, and whether the last one begins a replay
        // only the next one would tell.
        if place < 2 || place == last {
            continue;
        }
        assert_eq!(seen.check, Check::Good, "frame {place}");
        assert_eq!(seen.id, Some(sent.id), "frame {place}");
        let mut plain = seen.plain;
        plain.set_code(0);
        if let (Some(last), true) = (plain.words_mut().last_mut(), lane.frame().strong_code()) {
            *last &= !0xfff_f000;
        }
        assert_eq!(plain, sent.plain, "frame {place}");
        assert_eq!(seen.kind, Some(sent.plain.kind()), "frame {place}");
        let user = matches!(sent.plain.kind(), Kind::User { .. });
        // Behind a replay of the published core a new frame may have the content of the one that
        // would come next in it: nothing tells them apart.
        let before = &mut by_id[usize::from(sent.id)];
        let is_same = user && before.replace(sent.plain) == Some(sent.plain);
        if (user || is_extended) && !(is_same && seen.replayed) {
            assert_eq!(seen.replayed, sent.replay, "frame {place}");
        }
        if let (Some(Kind::Control(key)), true) = (seen.kind, is_extended) {
            let said = seen.announcement.expect("looked at");
            assert_eq!(said.map_or(0, |said| said.bits(key)), sent.plain.reserved());
        }
        replayed += u64::from(seen.replayed);
    }
    assert!(missing <= 2, "{missing} are missing");
    let lost = sent.iter().any(|sent| sent.flipped);
    assert!(replayed > 0 || !lost, "no replay in {} frames", sent.len());
}

#[test]
fn what_is_sent_is_seen_from_any_bit_on() {
    let mut random = random();
    for (width, id) in [(128, 6), (256, 6), (256, 8), (512, 7), (1024, 6)] {
        let lane = lane(width, id);
        let late = random.below(2000);
        let sent = compatible(lane, &mut random);
        check(&sent, lane, false, late, &mut random);
        check(&sent, lane, true, late, &mut random);
        let sent = extended(lane, &mut random);
        check(&sent, lane, true, late, &mut random);
    }
}

#[test]
fn frames_with_the_stronger_code_are_known_by_it() {
    let mut random = random();
    for width in [1024, 2048] {
        let lane = lane(width, 7);
        let frame = lane.frame().with_strong_code().expect("wide enough");
        let strong = LaneParams::new(frame, lane.id());
        let sent = extended(strong, &mut random);
        check(&sent, strong, true, random.below(2000), &mut random);
    }
}

/// A recording that begins and ends within the traffic of a session.
#[test]
fn a_part_of_a_session() {
    let mut random = random();
    let lane = lane(256, 8);
    let sent = extended(lane, &mut random);
    let part = &sent[1000..];
    let words = record(part.iter().map(|sent| &sent.line), 37, &mut random);
    let (_, all) = seen(&words[..words.len() - 2], lane, true);
    let first = all.iter().position(|(_, seen)| seen.id.is_some());
    let good = |(_, seen): &&(u64, Seen)| seen.check == Check::Good;
    assert!(first.is_some_and(|first| first < 600), "{first:?}");
    let wrong = all.iter().skip(600).filter(|one| !good(one)).count();
    assert_eq!(wrong, 0);
    assert!(
        all.len() >= part.len() - 4,
        "{} of {}",
        all.len(),
        part.len()
    );
}

/// Every damaged frame is seen, and none beside it.
#[test]
fn damaged_frames_are_seen() {
    let mut random = random();
    for is_extended in [false, true] {
        let lane = lane(256, 6);
        let sent = if is_extended {
            extended(lane, &mut random)
        } else {
            compatible(lane, &mut random)
        };
        let mut hit = Vec::new();
        let damaged: Vec<Frame> = sent
            .iter()
            .enumerate()
            .map(|(place, sent)| {
                let mut frame = sent.line;
                if place % 50 == 49 {
                    // A bit of its own payload, and no header, so that frames are still counted.
                    frame.words_mut()[1 + place / 50 % 3] ^= 1 << (12 + random.below(20));
                    hit.push(place);
                }
                frame
            })
            .collect();
        let (_, all) = seen(&record(damaged.iter(), 0, &mut random), lane, is_extended);
        assert!(all.len() + 2 >= sent.len());
        let mut doubts = 0;
        for at in 2..all.len() {
            let (bit, seen) = &all[at];
            let place = (bit / 256) as usize;
            if hit.contains(&place) {
                assert_ne!(seen.check, Check::Good, "frame {place}");
                continue;
            }
            // A bound code begins with bits of the frame in front, and a replay with another id.
            if seen.check != Check::Good {
                let near = |hit: &usize| hit.abs_diff(place) <= 2;
                assert!(hit.iter().any(near), "frame {place}: {:?}", seen.check);
                doubts += 1;
                continue;
            }
            let behind = all[at - 1].1.check == Check::Damaged;
            assert_eq!(seen.doubtful, behind, "frame {place}");
        }
        assert!(doubts <= hit.len() / 3, "{doubts} of {}", hit.len());
    }
}

/// Behind a damaged frame a control frame cannot be read, and its code is good: what an end was
/// before it is then, and the data frames behind it are good.
#[test]
fn a_control_frame_behind_a_damaged_frame() {
    let mut random = random();
    let lane = lane(256, 6);
    let mut checked = 0;
    while checked < 10 {
        let mut sent = extended(lane, &mut random);
        let fits = |at: usize| {
            let three = &sent[at..at + 3];
            let kinds = [0, 1, 2].map(|i: usize| three[i].plain.is_control());
            kinds == [false, true, false] && three.iter().all(|it| !it.replay)
        };
        let mut places: Vec<usize> = Vec::new();
        for at in 1000..sent.len() - 3 {
            if fits(at) && places.last().is_none_or(|last| last + 20 < at) {
                places.push(at);
            }
        }
        for &at in &places {
            sent[at].line.words_mut()[3] ^= 1 << (12 + random.below(20));
        }
        let words = record(sent.iter().map(|sent| &sent.line), 0, &mut random);
        let (_, all) = seen(&words, lane, true);
        for at in places {
            let first = all.iter().position(|(bit, _)| *bit == 256 * at as u64);
            let three = &all[first.expect("a frame")..][..3];
            let checks = [0, 1, 2].map(|i: usize| three[i].1.check);
            assert_eq!(checks, [Check::Damaged, Check::Good, Check::Good], "{at}");
            checked += 1;
        }
    }
}

/// Words are missing: what is behind is found again.
#[test]
fn a_gap_ends_a_stretch_and_the_next_one_begins() {
    let mut random = random();
    let lane = lane(256, 6);
    let sent = compatible(lane, &mut random);
    let mut words = record(sent.iter().map(|sent| &sent.line), 0, &mut random);
    words.drain(6001..6004);
    let (found, all) = seen(&words, lane, false);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0].bit, 0);
    assert_eq!(found[1].bit % 256, 64);
    let wrong = all.iter().filter(|(_, seen)| seen.check != Check::Good);
    assert!(wrong.count() < 40);
}

/// Frames of both modes, with wrong bits, and words missing in half of the recordings.
#[test]
fn what_is_seen_is_what_was_recorded() {
    let mut rows = String::new();
    for seed in 0..24_u64 {
        let mut random = Random::new(seed);
        let (width, id) = (
            [128, 256, 512, 1024][seed as usize % 4],
            6 + seed as u32 % 2,
        );
        let (lane, is_extended) = (lane(width, id), seed % 3 == 0);
        let sent = match is_extended {
            true => extended(lane, &mut random),
            false => compatible(lane, &mut random),
        };
        let late = random.below(700);
        let mut words = record(sent.iter().map(|sent| &sent.line), late, &mut random);
        for _ in 0..seed % 2 * 3 {
            let at = random.below(words.len() as u64 - 10) as usize;
            words.drain(at..at + 1 + random.below(5) as usize);
        }
        let (found, all) = seen(&words, lane, is_extended);
        let guessed = lane_params(&words, lane.frame(), None, &found, is_extended);
        let mut digest = Digest::default();
        digest.seen(&all);
        let good = all.iter().filter(|(_, seen)| seen.check == Check::Good);
        let (good, all) = (good.count(), all.len());
        rows += &format!("{seed} {digest} {all} frames, {good} good, {guessed:?}\n  {found:?}\n");
    }
    expect_file!["recorded/rifl_dissect.txt"].assert_eq(&rows);
}

/// The name of a kind in the recording of the published core.
fn name(kind: Kind) -> String {
    match kind {
        Kind::Invalid => "INVALID".to_owned(),
        Kind::FlowStop => "FC_ON".to_owned(),
        Kind::FlowResume => "FC_OFF".to_owned(),
        Kind::Control(Control::Idle) => "IDLE".to_owned(),
        Kind::Control(Control::PauseRequest) => "PAUSE".to_owned(),
        Kind::Control(Control::RetransmitRequest) => "RETRANS".to_owned(),
        Kind::User { end: false, .. } => "DATA".to_owned(),
        Kind::User { bytes: 30, .. } => "DATA_EOP".to_owned(),
        Kind::User { bytes, .. } => format!("DATA_EOP_PART{bytes}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn the_session_of_the_published_core() {
    let lane = LaneParams::new(FrameWidth::W256, IdWidth::MIN);
    for (end, flips) in rifl::session().ends.iter().zip([1, 0]) {
        for extended in [false, true] {
            let (found, all) = seen(&end.received, lane, extended);
            // What comes before the first frame is a transceiver that is not yet up.
            let last = found.last().expect("a stretch");
            let params = lane_params(&end.received, lane.frame(), None, &[*last], extended);
            assert_eq!(params.id(), IdWidth::MIN);
            // Received 6 cycles and 11 bits late; cycle 1 is word 0.
            let place = |cycle: u64| 64 * (cycle - 1 + 6) + 11;
            let mut compared = 0;
            let mut damaged = 0;
            for sent in &end.frames {
                let Some((_, seen)) = all.iter().find(|(bit, _)| *bit == place(sent.cycle)) else {
                    continue;
                };
                if seen.check != Check::Good {
                    damaged += 1;
                    continue;
                }
                let (kind, id) = &sent.decoded;
                assert_eq!(seen.id, Some(*id));
                assert_eq!(seen.kind.map(name).as_ref(), Some(kind));
                assert!(seen.announcement.is_none_or(|said| said.is_err()));
                compared += 1;
            }
            assert_eq!(damaged, flips);
            assert!(compared > 2300, "{compared} of {}", end.frames.len());
        }
    }
}

/// A transmitter in reset sends something that has legal headers by chance, and is no frame.
#[test]
fn what_is_in_front_of_the_first_good_frame_is_left_out() {
    let mut random = random();
    let lane = lane(256, 6);
    let sent = compatible(lane, &mut random);
    let reset = Frame::from_words(&[0x4004_0c20_6101_0e18; 4]).expect("four words");
    let line = [reset; 5]
        .into_iter()
        .chain(sent.iter().map(|sent| sent.line));
    let line: Vec<Frame> = line.collect();
    let words = record(line.iter(), 0, &mut random);
    let (found, all) = seen(&words, lane, false);
    assert_eq!(found[0].bit, 0);
    let taken = dissect(&words, lane, &found, false, |_, _| {});
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].frames, all.len() as u64);
    assert!((5 * 256..=6 * 256).contains(&taken[0].bit), "{taken:?}");
    assert!(all.iter().all(|(_, seen)| seen.check == Check::Good));
}

/// Words of nothing are no lane, and no panic.
#[test]
fn noise_has_no_frames() {
    let mut random = random();
    for width in [128, 256, 512] {
        let lane = lane(width, 6);
        let noise = bytes(&mut random, 16_000);
        let words = noise.as_chunks().0.iter();
        let words: Vec<u64> = words.map(|word| u64::from_le_bytes(*word)).collect();
        for words in [&words[..], &[0; 500], &[u64::MAX; 500], &[], &words[..1]] {
            for extended in [false, true] {
                let (found, all) = seen(words, lane, extended);
                assert_eq!((found.len(), all.len()), (0, 0));
            }
        }
    }
}
