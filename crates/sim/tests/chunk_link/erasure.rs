// SPDX-License-Identifier: Apache-2.0
//! Parity over sub-packets: what is lost is restored, and sent again only where that cannot be.
//! Every seed is fixed.

use ropewalk_channel::Settings;
use ropewalk_sim::chunk::{Link, Passing};
use ropewalk_wire::chunk::frame::FRAME_HEADER;
use ropewalk_wire::chunk::subpacket::SUB_HEADER;
use ropewalk_wire::chunk::{Fec, Pace, Params, Phases, ReceiverSettings, SenderSettings};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
/// 400 sub-packets in 4 blocks of 100, each with 16 of parity: 58 frames, of which 8 are parity.
const PARAMS: Params = Params {
    per_chunk: 400,
    chunks: 8,
    fec: Fec::Restore(128, 16),
    ..Params::PAPER
};
/// Bits per second of a lane.
const RATE: u64 = 1_000_000_000;

/// A lane so far away.
fn lane(delay: Duration) -> Settings {
    Settings {
        rate: Some(RATE),
        queue: 2 * 9880,
        delay,
        ..Settings::default()
    }
}

fn send() -> SenderSettings {
    SenderSettings {
        pace: Pace::Free,
        buffer: 4 << 20,
        ..SenderSettings::default()
    }
}

fn link(params: Params, lane: &Settings) -> Link {
    Link::new(params, send(), ReceiverSettings::default(), lane, 1)
}

/// Sends one chunk after the other, each when the one before has arrived; the longest time from
/// offer to delivery.
fn one_by_one(link: &mut Link, count: usize, bytes: usize) -> Duration {
    let mut longest = Duration::ZERO;
    for _ in 0..count {
        let done = link.delivered.len();
        let begun = link.now;
        link.offer(bytes);
        link.run(60 * SECOND, |link| link.delivered.len() > done);
        longest = longest.max(link.now - begun);
    }
    longest
}

fn end(link: &mut Link) {
    link.sender.finish();
    link.run(60 * SECOND, |link| link.sender.is_finished());
    link.check_end();
}

/// Drops frames with sub-packets, by their number from now on.
fn drop_frames(link: &mut Link, which: impl Fn(usize) -> bool + 'static) -> Rc<Cell<usize>> {
    let seen = Rc::new(Cell::new(0));
    let number = seen.clone();
    link.filter = Box::new(move |passing: Passing<'_>| {
        if !passing.forth || passing.bytes.len() <= FRAME_HEADER + SUB_HEADER {
            return true;
        }
        number.set(number.get() + 1);
        !which(number.get() - 1)
    });
    seen
}

#[test]
fn no_round_trip_for_what_is_lost() {
    let far = lane(5 * MS);
    for (sealed, loss) in [(false, 0.01), (true, 0.01), (false, 0.05)] {
        let mut times = Vec::new();
        for fec in [Fec::None, PARAMS.fec] {
            let params = Params {
                sealed,
                fec,
                ..PARAMS
            };
            let mut link = link(params, &far);
            // The window opens.
            one_by_one(&mut link, 3, params.chunk_bytes());
            link.receiver.discard(loss, 7);
            let before = link.sender.counters().resent;
            times.push(one_by_one(&mut link, 40, params.chunk_bytes()));
            let resent = link.sender.counters().resent - before;
            let (damaged, restored) = (
                link.receiver.counters().damaged,
                link.receiver.counters().restored,
            );
            println!(
                "{fec:?} {loss}: {times:?}, {damaged} damaged, {restored} restored, {resent} sent again"
            );
            // 40 chunks.
            assert!(damaged as f64 > 0.8 * loss * 40.0 * 400.0);
            if fec == Fec::None {
                assert_eq!((resent, restored), (damaged, 0));
            } else {
                // A block of 116 loses more than 16 in one of some 10 000 at 5 %.
                assert_eq!(resent, 0);
                assert!(restored > 0 && restored < damaged);
                let line = params.frames() as u64
                    * params.frame_bytes() as u64
                    * 8
                    * SECOND.as_nanos() as u64
                    / RATE;
                let frame = Duration::from_micros(100);
                assert!(times[1] < Duration::from_nanos(line) + 5 * MS + frame);
                assert!(times[1] + 9 * MS < times[0]);
            }
            end(&mut link);
        }
    }
}

#[test]
fn loss_beyond_the_code_is_sent_again() {
    for phases in [Phases::Overlapped, Phases::Separate] {
        for (sealed, loss) in [(false, 0.15), (true, 0.3), (false, 0.6)] {
            let params = Params { sealed, ..PARAMS };
            let send = SenderSettings { phases, ..send() };
            let receive = ReceiverSettings::default();
            let mut link = Link::new(params, send, receive, &lane(MS), 3);
            link.receiver.discard(loss, 5);
            link.transfer(10, params.chunk_bytes(), 60 * SECOND);
            let counters = link.sender.counters();
            let receiver = link.receiver.counters();
            println!("{phases:?} {loss}: {counters:?} {receiver:?}");
            assert!(counters.resent > 0);
            assert_eq!(counters.sub_packets, 4000);
            assert_eq!(receiver.sub_packets + receiver.restored, 4000);
            // Once for each loss and round.
            assert!(counters.resent <= receiver.damaged);
        }
    }
}

#[test]
fn a_burst_as_long_as_the_parity_of_all_blocks() {
    for first in (0..58).step_by(5).chain([48, 49, 57]) {
        // 8 frames are 64 sub-packets: 16 of each block.
        for (long, resends) in [(8, false), (9, true)] {
            let mut link = link(PARAMS, &lane(MS));
            one_by_one(&mut link, 2, PARAMS.chunk_bytes());
            drop_frames(&mut link, move |frame| {
                (first..first + long).contains(&frame)
            });
            one_by_one(&mut link, 1, PARAMS.chunk_bytes());
            let resent = link.sender.counters().resent;
            // Parity itself is not sent again, and at the end only some of the burst hits this
            // chunk.
            let data = first < 50;
            let within = first + long <= 58;
            assert_eq!(
                resent > 0,
                resends && data && within,
                "{first} {long}: {resent}"
            );
            end(&mut link);
        }
    }
}

/// The last sub-packet tells how many there are; so does parity.
#[test]
fn chunks_of_any_size_without_their_end() {
    let payload = usize::from(PARAMS.payload);
    for sub_packets in [1, 2, 7, 8, 9, 127, 128, 129, 399, 400] {
        for last in [1, 63, 64, payload - 1, payload] {
            let bytes = (sub_packets - 1) * payload + last;
            let mut link = link(PARAMS, &lane(MS));
            one_by_one(&mut link, 2, PARAMS.chunk_bytes());
            let frame = (sub_packets - 1) / 8;
            drop_frames(&mut link, move |number| number == frame);
            one_by_one(&mut link, 1, bytes);
            let (sent, received) = (link.sender.counters(), link.receiver.counters());
            assert_eq!(sent.resent, 0, "{bytes} bytes");
            // Where the last frame holds parity as well, that is lost too.
            let lost = sub_packets - 8 * frame;
            assert_eq!(received.restored as usize, lost, "{bytes} bytes");
            end(&mut link);
        }
    }
}

/// Everything twice, late, out of order and changed: parity that comes again, after its block, or
/// after its chunk, changes nothing.
#[test]
fn parity_twice_late_and_changed() {
    for seed in 0..8 {
        let params = Params {
            sealed: seed % 2 > 0,
            ..PARAMS
        };
        let bad = Settings {
            loss: 0.01,
            duplicate: 0.5,
            reorder: 0.05,
            held: 3 * MS,
            ber: 1e-6,
            ..lane(MS)
        };
        let (send, receive) = (SenderSettings::default(), ReceiverSettings::default());
        let mut link = Link::new(params, send, receive, &bad, seed);
        link.transfer(30, params.chunk_bytes() - 777, 60 * SECOND);
        let received = link.receiver.counters();
        assert_eq!(received.sub_packets + received.restored, 30 * 400);
        assert!(received.restored > 0);
        assert_eq!(received.wrong, 0);
    }
}

/// Frames go over all lanes in turn, and so do the pieces of each block: a lane that dies takes its
/// share of it, and the rest is enough.
#[test]
fn a_lane_dies_and_nobody_waits_for_it() {
    let params = Params {
        lanes: 4,
        fec: Fec::Restore(16, 8),
        ..PARAMS
    };
    let mut link = link(params, &lane(5 * MS));
    let alive = one_by_one(&mut link, 5, params.chunk_bytes());
    link.forth[2].set_alive(false);
    let begun = link.now;
    one_by_one(&mut link, 1, params.chunk_bytes());
    let took = link.now - begun;
    println!(
        "{alive:?}, without a lane {took:?}, {:?}",
        link.sender.counters()
    );
    assert!(took < alive + MS);
    assert_eq!(link.sender.counters().resent, 0);
    one_by_one(&mut link, 20, params.chunk_bytes());
    end(&mut link);
}

#[test]
fn overhead_is_what_is_counted() {
    for (per_chunk, sealed) in [(400, false), (1000, true)] {
        let params = Params {
            per_chunk,
            sealed,
            ..PARAMS
        };
        let mut link = link(params, &lane(5 * MS));
        let bytes = Rc::new(Cell::new(0));
        let count = bytes.clone();
        link.filter = Box::new(move |passing| {
            if passing.forth && passing.bytes.len() > FRAME_HEADER + SUB_HEADER {
                count.set(count.get() + passing.bytes.len());
            }
            true
        });
        one_by_one(&mut link, 1, params.chunk_bytes());
        assert_eq!(bytes.get(), params.chunk_bytes() + params.overhead());
        assert_eq!(
            link.sender.counters().parity,
            params.parity_of(per_chunk).into()
        );
        end(&mut link);
    }
}
