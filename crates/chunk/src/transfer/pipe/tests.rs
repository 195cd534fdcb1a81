// SPDX-License-Identifier: Apache-2.0
use super::*;
use crate::end::LOOK;
use ropewalk_io::lane::network::{Network, UdpAndTcp};
use ropewalk_wire::chunk::frame::{FrameSeq, Kind, control};
use ropewalk_wire::chunk::{
    Batch, Params, Receiver, ReceiverSettings, SenderSettings, Session, Tag,
};

/// Chunks without memory of the feed, such as holes, wait for the pipelines too.
#[test]
fn a_feed_is_bounded() {
    let mut feed = &Feed::new(0, 100, Vec::new());
    let mut pushed = 0;
    while feed.has_room(Duration::ZERO) {
        feed.push(vec![0; 8], 8);
        pushed += 1;
        assert!(pushed <= QUEUE);
    }
    assert_eq!(feed.take(), Ok((vec![0; 8], 8)));
    assert!(feed.has_room(Duration::ZERO));
    feed.leave(vec![1]);
    feed.push(vec![2], 1);
    assert_eq!(feed.take(), Ok((vec![1], 1)));
    assert_eq!(feed.take(), Err(true));
}

fn frame(kind: Kind, session: u64) -> Vec<u8> {
    let header = FrameHeader {
        kind,
        lane: 0,
        count: 0,
        seq: FrameSeq::default(),
        session,
        length: 0,
        time: 0,
    };
    let mut bytes = Vec::new();
    control(0, &header, &[], &mut bytes);
    bytes
}

#[test]
fn only_frames_of_the_session_go_to_its_pipeline() {
    let own = frame(Kind::Ask, 7);
    assert!(is_frame_of(7, &own));
    assert!(!is_frame_of(7, &frame(Kind::Ask, 8)));
    assert!(!is_frame_of(7, &frame(Kind::Handshake, 7)));
    assert!(!is_frame_of(7, &own[..own.len() - 1]));
    assert!(!is_frame_of(7, b"anything"));
}

/// A stream that brings what is no frame ends, for both ends, though its lengths are right; from
/// then on it is not read. Over datagrams that counts for nothing.
#[test]
fn a_stream_that_is_out_of_step() {
    let begun = Instant::now();
    let again = || assert!(begun.elapsed() < Duration::from_secs(30), "nothing comes");
    for (kind, ends) in [(LaneKind::Stream, true), (LaneKind::Datagrams, false)] {
        let mut listener = UdpAndTcp.listen(([127, 0, 0, 1], 0).into()).unwrap();
        let near = match kind {
            LaneKind::Stream => UdpAndTcp.connect_stream(None, listener.local()),
            LaneKind::Datagrams => UdpAndTcp.connect(None, listener.local()),
        };
        let mut near = near.unwrap();
        let send = |near: &mut Box<dyn Lane>, bytes: &[u8]| {
            while !near.send(&[IoSlice::new(bytes)], bytes.len()).unwrap() {
                again();
            }
        };
        let own = frame(Kind::Ask, 7);
        send(&mut near, &own);
        let mut path = None;
        while path.is_none() {
            listener.wait(Duration::from_millis(1)).unwrap();
            listener.receive(&mut |from, _| path = Some(from)).unwrap();
            again();
        }
        let lane = listener.lane(path.unwrap()).unwrap();
        let mut far = Spare {
            session: Some((7, None)),
            ..Spare::new(lane, true)
        };
        let others = [frame(Kind::Ask, 8), frame(Kind::Handshake, 7)];
        for bytes in [&others[0], &others[1], &own, &b"anything"[..], &own] {
            send(&mut near, bytes);
        }
        let mut came = 0;
        while if ends {
            near.receive(&mut |_| ()).is_ok()
        } else {
            came < 2
        } {
            far.receive(&mut |bytes| came += usize::from(bytes == own))
                .unwrap();
            again();
        }
        // What came behind it may have been in the same piece of the stream.
        assert!(came > 0);
        assert_eq!(far.is_gone(), ends, "{kind:?}");
        assert_eq!(far.notes().concat().contains("no frame over TCP"), ends);
    }
}

/// A lane that does what a test says.
struct Played<S, R, W> {
    send: S,
    receive: R,
    wait: W,
}

impl<S, R, W> Lane for Played<S, R, W>
where
    S: FnMut(&[IoSlice<'_>], usize) -> io::Result<bool> + Send,
    R: FnMut(&mut dyn FnMut(&[u8])) -> io::Result<bool> + Send,
    W: FnMut() -> io::Result<()> + Send,
{
    fn send(&mut self, parts: &[IoSlice<'_>], segment: usize) -> io::Result<bool> {
        (self.send)(parts, segment)
    }

    fn receive(&mut self, take: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        (self.receive)(take)
    }

    fn wait(&mut self, _: Duration, _: bool) -> io::Result<()> {
        (self.wait)()
    }

    fn waker(&self) -> Waker {
        Arc::new(|| ())
    }

    fn limit(&self) -> usize {
        ropewalk_io::lane::BATCH
    }

    fn batch(&self, _: usize) -> usize {
        1
    }

    fn buffer(&self) -> usize {
        1 << 20
    }

    fn drops(&self) -> u64 {
        0
    }
}

fn params(lanes: u8) -> Params {
    Params {
        chunks: 2,
        lanes,
        ..Params::PAPER
    }
}

fn session() -> Session {
    Session::checked(Tag {
        session: 7,
        secret: 9,
    })
}

fn sender(lanes: u8) -> Sender<Vec<u8>> {
    let settings = SenderSettings::default();
    Sender::new(params(lanes), session(), settings, Duration::ZERO).unwrap()
}

fn receiver(lanes: u8) -> Receiver<Vec<u8>> {
    let memory = vec![vec![0; params(lanes).chunk_bytes()]; 2];
    let settings = ReceiverSettings::default();
    Receiver::new(params(lanes), session(), settings, memory).unwrap()
}

/// Brings frames at once, and is gone when something is sent.
fn leaving(mut frames: Vec<Vec<u8>>) -> Box<dyn Lane> {
    Box::new(Played {
        send: |_: &[IoSlice<'_>], _| Err(io::ErrorKind::BrokenPipe.into()),
        receive: move |take: &mut dyn FnMut(&[u8])| {
            frames.iter().for_each(|frame| take(frame));
            Ok(!std::mem::take(&mut frames).is_empty())
        },
        wait: || Ok(()),
    })
}

/// A sender that knows that all has arrived closes its connection: what this end would still
/// say is no reason to have failed. Before that it is.
#[test]
fn a_sender_that_has_what_it_wants_may_go() {
    for has_ended in [true, false] {
        let mut sender = sender(1);
        sender.offer(vec![3; 100], 100);
        if has_ended {
            sender.finish();
        }
        let (mut batch, mut frames) = (Batch::new(), Vec::new());
        while sender.poll_transmit(Duration::ZERO, 0, 1, &mut batch) {
            frames.push(batch.bytes().to_vec());
        }
        let end = ReceiveEnd::new(receiver(1), vec![leaving(frames)]);
        let mut came = Vec::new();
        let pulled = pull(
            end,
            &mut |complete| {
                came.push(complete.memory[..complete.bytes].to_vec());
                true
            },
            &mpsc::channel().1,
            &mut |_| (),
            &Liveness::new(),
            &AtomicBool::new(false),
        );
        assert_eq!(came, [vec![3; 100]]);
        assert_eq!(
            pulled.map(|it| it.counters.chunks).ok(),
            has_ended.then_some(1)
        );
    }
}

/// A lane to a receiver that closes all of its connections as soon as it may go.
fn closing(number: u8, receiver: &Arc<Mutex<Receiver<Vec<u8>>>>) -> Box<dyn Lane> {
    let [to, from, at] = [(); 3].map(|()| Arc::clone(receiver));
    Box::new(Played {
        send: move |parts: &[IoSlice<'_>], segment: usize| {
            let mut far = still_there(&to)?;
            for frame in parts.iter().flat_map(|part| part.chunks(segment)) {
                far.receive(Duration::ZERO, number, frame);
            }
            Ok(true)
        },
        receive: move |take: &mut dyn FnMut(&[u8])| {
            let (mut far, mut report) = (still_there(&from)?, Vec::new());
            let lane = far.poll_transmit(Duration::ZERO, Duration::ZERO, &mut report);
            if lane.is_some() {
                take(&report);
            }
            Ok(lane.is_some())
        },
        wait: move || still_there(&at).map(drop),
    })
}

/// The receiver, if it may not go yet.
fn still_there(far: &Mutex<Receiver<Vec<u8>>>) -> io::Result<MutexGuard<'_, Receiver<Vec<u8>>>> {
    let far = far.lock();
    if far.may_go(Duration::ZERO) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(far)
}

/// A receiver that has a farewell closes its connections: that is no lane that has failed, also
/// while this end has not yet said farewell on all of them.
#[test]
fn a_receiver_that_has_the_farewell_may_go() {
    for lanes in [1, 2] {
        let far = Arc::new(Mutex::new(receiver(lanes)));
        let end = SendEnd::new(
            sender(lanes),
            (0..lanes).map(|lane| closing(lane, &far)).collect(),
        );
        let feed = Feed::new(0, 100, Vec::new());
        feed.leave(vec![3; 100]);
        let (stop, shown) = (AtomicBool::new(false), Mutex::default());
        let pushed = push(end, &feed, &Liveness::new(), &stop, &shown);
        assert!(pushed.is_ok(), "{lanes} lanes: {pushed:?}");
        let complete = far.lock().poll_chunk();
        assert_eq!(complete.map(|it| it.bytes), Some(100));
        assert!(shown.lock().lanes.iter().all(|lane| lane.alive));
    }
}

/// An end that has something to send does not look for reports in each turn; one that has nothing
/// does.
#[test]
fn an_end_at_work_seldom_looks() {
    let params = Params {
        payload: 64,
        ..params(1)
    };
    let settings = SenderSettings::default();
    let mut sender = Sender::new(params, session(), settings, Duration::ZERO).unwrap();
    let bytes = params.chunk_bytes();
    sender.offer(vec![3; bytes], bytes);
    let looks = Arc::new(Mutex::new(0));
    let looked = Arc::clone(&looks);
    let lane = Played {
        send: |_: &[IoSlice<'_>], _| Ok(true),
        receive: move |_: &mut dyn FnMut(&[u8])| {
            *looked.lock() += 1;
            Ok(false)
        },
        wait: || Ok(()),
    };
    let mut end = SendEnd::new(sender, vec![Box::new(lane)]);
    let (begun, mut turns) = (Instant::now(), 0);
    while end.turn().unwrap() {
        turns += 1;
    }
    let most = 1 + begun.elapsed().as_nanos() / LOOK.as_nanos();
    assert!(turns > 2 && *looks.lock() <= most, "{looks:?} {turns}");
    for _ in 0..3 {
        end.wait().unwrap();
        *looks.lock() = 0;
        assert!(!end.turn().unwrap());
        assert_eq!(*looks.lock(), 1);
    }
}
