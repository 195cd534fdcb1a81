// SPDX-License-Identifier: Apache-2.0
//! Two RDMA engines as a processor sees them: registers, descriptors, states, memory.

use ropewalk_sim::rdma::{
    AccessError, Engine, Limits, MemoryConfig, Model, NetworkConfig, PairConfig, Rights,
};
use ropewalk_sim::testing;
use ropewalk_wire::rdma::descriptor::Notification;
use ropewalk_wire::rdma::{Class, Descriptor, Work, regs};

const MEMORY: u64 = 1 << 20;
const LIMITS: Limits = Limits {
    timeout: 2500,
    retries: 15,
    read_timeout: 8,
};
/// States of a channel.
const IDLE: u128 = 0;
const ONGOING: u128 = 1;
const DONE: u128 = 2;

fn engines(network: NetworkConfig, stall: f64, seed: u64) -> [Engine; 2] {
    let config = PairConfig {
        model: Model::default(),
        memory: MemoryConfig {
            bytes: MEMORY as usize,
            stall,
            ..MemoryConfig::default()
        },
        network,
        seed,
    };
    let engines = Engine::pair(&config).unwrap();
    let rights = Rights {
        read: true,
        write: true,
    };
    for engine in &engines {
        let node = engine.number();
        engine.all().begin(node, &LIMITS).unwrap();
        for domain in 0..2 {
            let all = 0..=MEMORY - 1;
            engine.all().window(node, domain, 0, all, rights).unwrap();
        }
    }
    engines
}

/// Writes a descriptor into a channel of page 0.
fn post(engine: &Engine, channel: u64, descriptor: &Descriptor) -> Result<(), AccessError> {
    let lines = descriptor.encode().unwrap();
    match lines.second {
        None => engine.write_port(32 * channel, &lines.first),
        Some(second) => engine.write_port(0x800 + 32 * channel, &[lines.first, second].concat()),
    }
}

/// Waits for a channel of page 0; its state.
fn wait(engine: &Engine, channel: u64) -> u128 {
    loop {
        let state = engine.read_port(0x2000 + 8 * channel, 8).unwrap();
        if state != ONGOING {
            return state;
        }
    }
}

fn write(size: u32, source: u64, destination: u64) -> Descriptor {
    Descriptor {
        work: Work::Write { source, size },
        destination,
        class: Class::FourPaths,
        priority: 3,
        qos: 77,
        notification: None,
    }
}

#[test]
fn everything_that_a_user_does() {
    let [a, b] = engines(NetworkConfig::default(), 0.0, 1);
    assert_eq!(a.read_register(regs::MAGIC.offset), Ok(0x5244_4d41));
    assert_eq!(
        a.write_register(regs::MAGIC.offset, 0),
        Err(AccessError::Refused)
    );
    let to_b = 1u64 << 48;
    for (i, byte) in a.memory().bytes.iter_mut().enumerate() {
        *byte = (i * 7 + i / 256) as u8;
    }
    // A write of several blocks, with a notification that has a value.
    let mut large = write(200_001, 5, to_b | 300_003);
    large.notification = Some(Notification {
        address: to_b | 8,
        value: Some(0x1122_3344_5566_7788),
    });
    post(&a, 4, &large).unwrap();
    assert_eq!(
        post(&a, 4, &large),
        Err(AccessError::Refused),
        "a channel that is under way"
    );
    assert_eq!(wait(&a, 4), DONE);
    assert_eq!(wait(&a, 4), IDLE);
    let source = a.memory().bytes.clone();
    assert_eq!(b.memory().bytes[300_003..500_004], source[5..200_006]);
    assert_eq!(
        b.memory().bytes[8..16],
        0x1122_3344_5566_7788u64.to_le_bytes()
    );
    // A message, and a read by the other node.
    let message = Descriptor {
        work: Work::Inline(b"RDMA".to_vec()),
        class: Class::Small,
        ..write(4, 0, to_b | 100)
    };
    post(&a, 63, &message).unwrap();
    assert_eq!(wait(&a, 63), DONE);
    assert_eq!(&b.memory().bytes[100..104], b"RDMA");
    let read = Descriptor {
        work: Work::Read {
            source: 4096,
            size: 3000,
        },
        ..write(3000, 0, to_b | 700_000)
    };
    post(&b, 0, &read).unwrap();
    assert_eq!(wait(&b, 0), DONE);
    assert_eq!(b.memory().bytes[700_000..703_000], source[4096..7096]);
    // All states at once, and what is no access.
    assert_eq!(a.read_port(0x2400, 16), Ok(0));
    for (address, bytes) in [(0x2400, 32), (0x2404, 8), (1 << 14, 8)] {
        assert_eq!(a.read_port(address, bytes), Err(AccessError::Shape));
    }
    assert_eq!(a.write_port(4, &[0; 32]), Err(AccessError::Shape));
    assert_eq!(
        a.write_port(0, &[0; 4]),
        Err(AccessError::Refused),
        "half a word"
    );
    // Four words of the long descriptor, and that one, once the counters have gone round.
    a.step(200);
    assert_eq!(a.all().counter(0, regs::observe::REFUSED.offset), Ok(5));
}

/// A network as bad as can be, and memories that pause: all transfers end well, nothing is written
/// that is not in one of them.
#[test]
fn bad_network() {
    let network = NetworkConfig {
        delay: 30,
        paths: 4,
        drop: 0.05,
        duplicate: 0.05,
        reorder: 0.1,
        late: 0.02,
        late_by: 2 * LIMITS.timeout,
        damage: 0.02,
        spare: 6,
        stall: 0.2,
        ..NetworkConfig::default()
    };
    let [a, b] = engines(network, 0.2, testing::seed("bad_network"));
    b.memory().watch();
    let places = 20_000u64;
    for channel in 0..32 {
        let source = 9 * channel;
        post(
            &a,
            channel,
            &write(10_000, source, (1 << 48) + places * (channel + 1)),
        )
        .unwrap();
    }
    for channel in 0..32 {
        assert_eq!(wait(&a, channel), DONE);
    }
    for written in b.memory().written() {
        let end = written.address + 64 - u64::from(written.bytes.leading_zeros());
        let first = written.address + u64::from(written.bytes.trailing_zeros());
        let place = first / places * places;
        assert!(place > 0 && end <= place + 10_000, "{written:?}");
    }
    let counts = a.all().network();
    println!("{counts:?}");
    assert!(counts.sent > 32 * 10);
}

#[test]
fn before_it_is_enabled() {
    let config = PairConfig {
        model: Model::default(),
        memory: MemoryConfig::default(),
        network: NetworkConfig::default(),
        seed: 0,
    };
    let [a, _] = Engine::pair(&config).unwrap();
    assert_eq!(a.read_port(0x2000, 8), Err(AccessError::NoAnswer));
    let good = config.network;
    for (network, why) in [
        (
            NetworkConfig { paths: 0, ..good },
            "paths: 0 is not in 1 to 64",
        ),
        (
            NetworkConfig { nodes: 1, ..good },
            "nodes: 1 is not in 2 to 64",
        ),
        (
            NetworkConfig { nodes: 3, ..good },
            "nodes: 3 with engines for 2 senders",
        ),
        (
            NetworkConfig { mark: 1, ..good },
            "mark: 1 is more than the queue, 0",
        ),
        (
            NetworkConfig {
                wires: true,
                drop: 0.1,
                ..good
            },
            "wires: wires join two nodes, with a delay and nothing else of a network",
        ),
    ] {
        let bad = PairConfig { network, ..config };
        let told = Engine::pair(&bad).unwrap_err().to_string();
        assert_eq!(told, why);
    }
}
