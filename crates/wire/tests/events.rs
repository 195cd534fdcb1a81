// SPDX-License-Identifier: Apache-2.0
//! What a session says with events of `tracing`, in virtual time.

use ropewalk_testkit::events;
use ropewalk_wire::chunk::frame::{FrameHeader, FrameSeq, Kind};
use ropewalk_wire::chunk::seal::SessionKey;
use ropewalk_wire::chunk::{
    Batch, Params, Receiver, ReceiverSettings, Sender, SenderSettings, Session,
};
use std::time::Duration;

const PARAMS: Params = Params {
    payload: 64,
    per_frame: 4,
    per_chunk: 8,
    lanes: 2,
    sealed: true,
    ..Params::PAPER
};

fn session() -> Session {
    Session::sealed(7, SessionKey::new(b"secret", b"context"))
}

fn sender(settings: SenderSettings) -> Sender<Vec<u8>> {
    Sender::new(PARAMS, session(), settings, Duration::ZERO).unwrap()
}

fn receiver() -> Receiver<Vec<u8>> {
    let memory = vec![vec![0; PARAMS.chunk_bytes()]; PARAMS.chunks.into()];
    Receiver::new(PARAMS, session(), ReceiverSettings::default(), memory).unwrap()
}

/// Lanes that carry everything at once, `copies` times, but for those that are dead.
struct Path {
    sender: Sender<Vec<u8>>,
    receiver: Receiver<Vec<u8>>,
    now: Duration,
}

impl Path {
    fn new(settings: SenderSettings) -> Self {
        let mut sender = sender(settings);
        sender.offer(vec![1; 512], 512);
        Path {
            sender,
            receiver: receiver(),
            now: Duration::ZERO,
        }
    }

    /// A turn of each end.
    fn turn(&mut self, copies: usize, is_dead: impl Fn(u8) -> bool) {
        let (mut batch, mut report) = (Batch::new(), Vec::new());
        for lane in 0..PARAMS.lanes {
            while self.sender.poll_transmit(self.now, lane, 1, &mut batch) {
                for _ in (0..copies).filter(|_| !is_dead(lane)) {
                    self.receiver.receive(self.now, lane, batch.bytes());
                }
            }
        }
        while let Some(lane) = self.receiver.poll_transmit(self.now, self.now, &mut report) {
            if !is_dead(lane) {
                self.sender.receive(self.now, &report);
            }
            report.clear();
        }
        self.now += Duration::from_millis(1);
    }
}

/// A session from its beginning to its end, on a path that doubles everything.
#[test]
fn a_session_opens_and_closes() {
    let ((), said) = events(|| {
        let mut path = Path::new(SenderSettings::default());
        path.sender.finish();
        while !path.sender.is_finished() {
            path.turn(2, |_| false);
        }
    });
    let replays = |line: &&String| line.starts_with("DEBUG replay dropped session=7 lane=0");
    assert!(said.iter().filter(replays).count() >= 2, "{said:?}");
    let others: Vec<_> = said
        .iter()
        .filter(|line| !line.starts_with("DEBUG"))
        .collect();
    assert_eq!(
        others,
        [
            "INFO sender opened session=7 lanes=2 sealed=true",
            "INFO receiver opened session=7 lanes=2 sealed=true",
            "INFO receiver closed session=7 reason=\"Complete\"",
            "INFO sender closed session=7 reason=Complete",
        ]
    );
}

/// A lane is cut and comes back; then both are, until the peer counts as gone.
#[test]
fn lanes_and_the_peer_go_silent() {
    let settings = SenderSettings {
        peer_timeout: Some(Duration::from_secs(1)),
        ..SenderSettings::default()
    };
    let ((), said) = events(|| {
        let mut path = Path::new(settings);
        for _ in 0..4000 {
            path.turn(1, |lane| lane == 0);
        }
        for _ in 0..4000 {
            path.turn(1, |_| false);
        }
        path.sender.offer(vec![2; 512], 512);
        for _ in 0..8000 {
            path.turn(1, |_| true);
        }
    });
    assert_eq!(
        said[2..],
        [
            "WARN lane down session=7 lane=0",
            "INFO lane up session=7 lane=0",
            "WARN lane down session=7 lane=0",
            "WARN lane down session=7 lane=1",
            "WARN peer silent session=7",
            "INFO sender closed session=7 reason=PeerTimeout",
        ]
    );
}

/// Each end says when the keys of a lane change, once.
#[test]
fn key_epochs_begin() {
    let ((), said) = events(|| {
        let (mut writer, _) = session().sender(&PARAMS).unwrap().remove(1);
        let (_, mut reader) = session().receiver(&PARAMS).unwrap().remove(1);
        for seq in [0, 0x7f_ffff, 0xff_fffe, 3, 4] {
            let header = FrameHeader {
                kind: Kind::Ask,
                lane: 1,
                count: 0,
                seq: FrameSeq::new(seq),
                session: 7,
                length: 0,
                time: 0,
            };
            let mut bytes = Vec::new();
            assert!(writer.control(&header, &[], &mut bytes));
            let (header, _) = FrameHeader::parse(&bytes).unwrap();
            assert!(reader.control(&header, &bytes).is_some());
        }
    });
    let epoch = |what| format!("INFO key epoch {what} lane=1 epoch=1");
    assert_eq!(said, [epoch("sealed"), epoch("opened")]);
}
