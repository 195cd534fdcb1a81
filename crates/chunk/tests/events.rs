// SPDX-License-Identifier: Apache-2.0
//! What transfers and measurements say with events of `tracing`, on the threads that decide.

use ropewalk_channel::Settings as Channel;
use ropewalk_chunk::perf::{self, run};
use ropewalk_chunk::stages::Threads;
use ropewalk_chunk::transfer::listener::{Admission, Listener};
use ropewalk_chunk::transfer::recv::receive;
use ropewalk_chunk::transfer::send::{Settings, send};
use ropewalk_chunk::transfer::tree::Tree;
use ropewalk_chunk::transfer::{Arrangement, Via};
use ropewalk_io::lane::sim_network::SimNetwork;
use ropewalk_testkit::events;
use ropewalk_wire::chunk::handshake::Credentials;
use ropewalk_wire::chunk::{Fec, Pace, Params};
use std::thread;
use std::time::Duration;

/// The kinds among these lines, each once, in their order.
fn kinds<'a>(said: &[String], known: &[&'a str]) -> Vec<&'a str> {
    let mut kinds = Vec::new();
    for line in said {
        let kind = known.iter().find(|kind| line.contains(**kind));
        kinds.extend(kind.filter(|kind| !kinds.contains(*kind)));
    }
    kinds
}

/// Both ends of a file from host to host: who came, which threads there are, and how it ended.
#[test]
fn a_transfer() {
    let network = SimNetwork::new(|_, _| [(); 2].map(|()| Channel::default()), true);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), [7; 5000]).unwrap();
    let at = "10.0.0.2:7425".parse().unwrap();
    let mut listener = Listener::open(&network, at, Admission::Trusted).unwrap();
    let tree = Tree::open(&folder.path().join("out")).unwrap();
    let (sent, received) = thread::scope(|scope| {
        let receiving = scope
            .spawn(|| events(|| receive(&mut listener, &tree, &mut |_| (), &|| false).unwrap()));
        let settings = Settings {
            lanes: vec![(None, at)],
            via: Via::Udp,
            arrangement: Arrangement::Stable,
            fec: Fec::None,
            rate: None,
            timeout: Duration::from_secs(100),
            credentials: Credentials::Trusted,
            delta: true,
        };
        let what = folder.path().join("file");
        let (sent, said) =
            events(|| send(&network, &settings, &what.into(), &mut |_| (), &|| false));
        assert!(sent.is_ok());
        (said, receiving.join().unwrap().1)
    });
    let (threads, sender, receiver) = (
        "INFO placement: a thread for each pipeline pipelines=1",
        "INFO sender opened session=",
        "INFO receiver opened session=",
    );
    // The receiver says "begin" before the sender opens its pipelines.
    let ended = "INFO transfer ended end=Ok(())";
    let known = [threads, receiver, sender, ended];
    assert_eq!(kinds(&sent, &known), [receiver, threads, sender, ended]);
    let (admitted, ended) = (
        "INFO sender admitted session=",
        "INFO transfer ended fault=None",
    );
    let known = [admitted, threads, sender, receiver, ended];
    let expected = [admitted, sender, receiver, threads, ended];
    assert_eq!(kinds(&received, &known), expected);
}

/// Which threads a measurement runs on, as events.
#[test]
fn placements() {
    for (threads, expected) in [
        (
            None,
            &["INFO placement: a thread for each pipeline pipelines=1"][..],
        ),
        (Some(Threads::Stage), &["INFO placement: Spread"]),
        (
            Some(Threads::End),
            &[
                "INFO placement: a thread name=sender 0 core=None stages=[\"offer 0\", ",
                "INFO placement: a thread name=receiver 0 core=None stages=[\"acknowledge 0\", ",
            ],
        ),
    ] {
        let settings = perf::Settings {
            params: Params {
                per_chunk: 800,
                ..Params::PAPER
            },
            arrangement: perf::Arrangement::Stable,
            time: Duration::from_millis(1),
            drop: 0.0,
            pace: Pace::Found,
            threads,
        };
        let (figures, said) = events(|| run(&settings).unwrap());
        assert_eq!(figures.wrong, 0);
        assert_eq!(kinds(&said, expected), expected, "{said:?}");
    }
}
