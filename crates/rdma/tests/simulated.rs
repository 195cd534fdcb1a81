// SPDX-License-Identifier: Apache-2.0
//! The library on the real RTL: what it writes means to the engine what it is to mean, and the
//! engine ends transfers as the library expects.

use ropewalk_rdma::simulated::{MemoryConfig, Model, NetworkConfig, PairConfig, Simulated};
use ropewalk_rdma::{
    Class, Device, DeviceError, Engine, Error, Notify, Options, Page, Remote, Rights, Start, regs,
};
use std::sync::Arc;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(300);

/// Two engines, and what goes past the library to the first one.
fn engines(network: NetworkConfig) -> (Engine, Engine, Simulated) {
    engines_with(network, MemoryConfig::default())
}

fn engines_with(network: NetworkConfig, memory: MemoryConfig) -> (Engine, Engine, Simulated) {
    let config = PairConfig {
        model: Model::default(),
        memory,
        network,
        seed: 1,
    };
    let [a, b] = Simulated::pair(&config).unwrap();
    let start = |node| Start {
        node,
        epoch: 0,
        timeout: Some(3000),
        // Where packets are lost none is lost so often.
        retries: Some(if network.drop > 0.0 { 15 } else { 3 }),
        read_timeout: Some(100),
        // Descriptors are in the engine before a state is read.
        patience: Duration::ZERO,
    };
    let beside = a.clone();
    let a = Engine::start(a, &start(0), LONG).unwrap();
    (a, Engine::start(b, &start(1), LONG).unwrap(), beside)
}

fn pages(a: &Engine, b: &Engine) -> (Page, Page) {
    (a.open(1, LONG).unwrap(), b.open(1, LONG).unwrap())
}

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().unwrap())
}

#[test]
fn every_kind_of_transfer() {
    // Packets are lost: it is the engine that sends them again.
    let network = NetworkConfig {
        drop: 0.02,
        ..NetworkConfig::default()
    };
    let (a, b, _) = engines(network);
    let (page, far) = pages(&a, &b);
    assert_eq!((a.pages(), a.windows(), a.priorities()), (2, 4, 16));
    let target = far.window(8192, Rights::BOTH).unwrap();
    let target = target.buffer(8192, 64).unwrap();
    let window = page.window(1 << 16, Rights::BOTH).unwrap();
    let to = |at| target.address(at).unwrap();
    let told = |at, value| Options {
        notify: Some(Notify { at, value }),
        ..Options::default()
    };
    let bytes: Vec<u8> = (0..=255).cycle().take(5000).collect();
    let mut source = window.buffer(5000, 1).unwrap();
    source.write(0, &bytes).unwrap();
    let source = Arc::new(source);
    for (round, class) in [Class::Small, Class::OnePath, Class::FourPaths]
        .into_iter()
        .enumerate()
    {
        let options = Options {
            class,
            priority: 15,
            qos: 3,
            ..told(to(8000), Some(round as u64))
        };
        let from = 7 * round as u64;
        let mut transfer = page.write(&source, from..4900, to(3), &options).unwrap();
        transfer.wait(LONG).unwrap();
        let now = target.to_vec();
        assert_eq!(now[3..][..4900 - from as usize], bytes[from as usize..4900]);
        assert_eq!(word(&now[8000..8008]), round as u64);
    }
    for size in [1, 8, 9, 31, 32] {
        let mut transfer = page
            .inline(&bytes[size..2 * size], to(6000), &told(to(8008), None))
            .unwrap();
        let channel = u64::from(transfer.channel());
        transfer.wait(LONG).unwrap();
        let now = target.to_vec();
        assert_eq!(now[6000..6000 + size], bytes[size..2 * size]);
        assert_eq!(
            word(&now[8008..8016]),
            size as u64 | (1 << 7 | channel) << 32
        );
    }
    let into = window.buffer(3008, 8).unwrap();
    let note = told(into.address(3000).unwrap(), None);
    let mut transfer = page.read(to(30), 2000, into, 5, &note).unwrap();
    let into = transfer.wait(LONG).unwrap().to_vec();
    // What was written there last came from byte 14 on.
    assert_eq!(into[5..2005], bytes[41..2041]);
    assert_eq!(word(&into[3000..]) as u32, 2000);
    assert_eq!(a.register(&regs::observe::FAULTS), Ok(0));
    assert_eq!(a.register(&regs::observe::REFUSED.element(1, 8)), Ok(0));
}

#[test]
fn channels_and_collective_reads() {
    let (a, b, _) = engines(NetworkConfig::default());
    let (page, far) = pages(&a, &b);
    let target = far.window(4096, Rights::WRITE).unwrap();
    let target = target.buffer(4096, 64).unwrap();
    let to = |at| target.address(at).unwrap();
    let mut source = page
        .window(4096, Rights::READ)
        .unwrap()
        .buffer(4096, 1)
        .unwrap();
    source.write(0, &[9; 4096]).unwrap();
    let source = Arc::new(source);
    // All channels are in use until the port is read again, however quick the engine is.
    let post = || page.write(&source, 0..64, to(0), &Options::default());
    let mut all: Vec<_> = (0..64).map(|_| post().unwrap()).collect();
    page.wait_all(&all, LONG).unwrap();
    assert!(all.iter_mut().all(|it| it.take() == Ok(Some(()))));
    let long = |at: u64| page.inline(&[at as u8; 32], to(32 * at), &Options::default());
    let mut all: Vec<_> = (0..32).map(|at| long(at).unwrap()).collect();
    page.wait_all(&all, LONG).unwrap();
    assert!(all.iter_mut().all(|it| it.take() == Ok(Some(()))));
    let now = target.to_vec();
    assert!((0..1024).all(|at| now[at] == (at / 32) as u8));
    // Handles that are dropped leave their channels.
    for at in 0..200 {
        drop(long(at % 64).unwrap());
    }
    assert_eq!(a.register(&regs::observe::REFUSED.element(1, 8)), Ok(0));
    assert_eq!(a.register(&regs::observe::FAULTS), Ok(0));
}

#[test]
fn a_second_user_of_the_page() {
    let (a, b, beside) = engines(NetworkConfig::default());
    let (page, far) = pages(&a, &b);
    let target = far.window(64, Rights::WRITE).unwrap();
    let post = || page.inline(&[3; 8], target.address(), &Options::default());
    // Half a descriptor of somebody else: ours is refused, and the page works again.
    beside.write_descriptor(1, 32 * 63, &[1]).unwrap();
    let refused = post().unwrap_err();
    let Error::Refused { page: 1, channel } = refused else {
        panic!("{refused}");
    };
    assert_ne!(a.register(&regs::observe::REFUSED.element(1, 8)), Ok(0));
    // A state that somebody else has read.
    let mut lost = post().unwrap();
    assert_eq!(lost.channel(), channel);
    while beside.read_state(1, u16::from(channel) * 8).unwrap() < 2 {}
    assert_eq!(lost.wait(LONG), Err(Error::Lost { page: 1, channel }));
    let absent = beside.read_state(1, 0x410);
    assert!(matches!(
        absent,
        Err(DeviceError::Refused { offset: 0x410, .. })
    ));
    assert_eq!(a.register(&regs::observe::FAULTS), Ok(0));
}

#[test]
fn windows() {
    let (a, b, _) = engines(NetworkConfig::default());
    let (page, far) = pages(&a, &b);
    let target = far.window(128, Rights::WRITE).unwrap();
    let at = target.address();
    let window = page.window(4096, Rights::BOTH).unwrap();
    let message = |at: u64, to: Remote| {
        let to = Remote::new(to.node(), to.address() + at).unwrap();
        let mut posted = page.inline(&[1; 8], to, &Options::default()).unwrap();
        posted.wait(LONG)
    };
    assert_eq!(message(120, at), Ok(()));
    assert!(matches!(message(121, at), Err(Error::Failed { .. })));
    // It may be written, but not read: the buffer of such a read is gone until its window is.
    let into = window.buffer(4096, 1).unwrap();
    let mut read = page.read(at, 8, into, 0, &Options::default()).unwrap();
    assert!(matches!(read.wait(LONG), Err(Error::Failed { .. })));
    assert!(window.buffer(1, 1).is_err());
    drop(window);
    let again = page.window((1 << 20) - 64, Rights::BOTH).unwrap();
    // A window that is gone cannot be reached.
    drop(target);
    assert!(matches!(message(0, at), Err(Error::Failed { .. })));
    // Nor is its source sent.
    drop(again);
    let small: Vec<_> = (0..4)
        .map(|_| page.window(64, Rights::READ).unwrap())
        .collect();
    assert_eq!(
        page.window(64, Rights::READ).unwrap_err(),
        Error::Windows { limit: 4 }
    );
    drop(small);
    assert_eq!(a.register(&regs::observe::FAULTS), Ok(0));
}

#[test]
fn memory_that_is_used_again() {
    let memory = MemoryConfig {
        latency: 20,
        stall: 0.3,
        ..MemoryConfig::default()
    };
    let (a, b, _) = engines_with(NetworkConfig::default(), memory);
    let (page, far) = pages(&a, &b);
    const SIZE: u64 = 1 << 17;
    let mut source = page
        .window(SIZE, Rights::READ)
        .unwrap()
        .buffer(SIZE, 64)
        .unwrap();
    source.write(0, &[0xee; SIZE as usize]).unwrap();
    let source = Arc::new(source);
    for _ in 0..3 {
        // All of the other's memory is one window, in the middle of being written when it is taken
        // away.
        let whole = far.window(1 << 20, Rights::WRITE).unwrap();
        let to = |piece: u64| Remote::new(1, piece * SIZE).unwrap();
        let post = |piece| {
            page.write(&source, 0..SIZE, to(piece), &Options::default())
                .unwrap()
        };
        let mut sent: Vec<_> = (0..4).map(post).collect();
        let probe = whole.buffer(1 << 20, 1).unwrap();
        let mut last = [0];
        while last != [0xee] {
            assert_eq!(sent[0].poll(), Ok(None));
            probe.read(5000, &mut last).unwrap();
        }
        drop((whole, probe));
        // It is another's now, who wants it as it was written.
        let mut next = far
            .window(1 << 20, Rights::READ)
            .unwrap()
            .buffer(1 << 20, 1)
            .unwrap();
        let wanted: Vec<u8> = (0..1 << 20).map(|i: u32| (i >> 3) as u8).collect();
        next.write(0, &wanted).unwrap();
        for mut it in sent.drain(..) {
            assert!(matches!(it.wait(LONG), Err(Error::Failed { .. })));
        }
        assert!(next.to_vec() == wanted);
        next.write(0, &[0; 1 << 20]).unwrap();
    }
}

/// As a processor that is 64 bits wide does it, on a bus that exchanges the words of a line.
#[derive(Debug)]
struct Words(Simulated);

impl Device for Words {
    fn read_register(&self, offset: u32) -> Result<u32, DeviceError> {
        self.0.read_register(offset)
    }
    fn write_register(&self, offset: u32, value: u32) -> Result<(), DeviceError> {
        self.0.write_register(offset, value)
    }
    fn write_descriptor(&self, page: u8, offset: u16, words: &[u64]) -> Result<(), DeviceError> {
        for i in [2, 0, 3, 1] {
            self.0
                .write_descriptor(page, offset + 8 * i, &words[usize::from(i)..][..1])?;
        }
        Ok(())
    }
    fn forget(&self, page: u8) -> Result<(), DeviceError> {
        self.0.forget(page)
    }
    fn read_state(&self, page: u8, offset: u16) -> Result<u64, DeviceError> {
        self.0.read_state(page, offset)
    }
    fn memory(&self) -> std::ops::Range<u64> {
        self.0.memory()
    }
    unsafe fn read_memory(&self, address: u64, bytes: &mut [u8]) {
        // SAFETY: as promised by the caller.
        unsafe { self.0.read_memory(address, bytes) }
    }
    unsafe fn write_memory(&self, address: u64, bytes: &[u8]) {
        // SAFETY: as promised by the caller.
        unsafe { self.0.write_memory(address, bytes) }
    }
    fn relax(&self, round: u32) {
        self.0.relax(round);
    }
}

#[test]
fn joining_an_engine_that_runs() {
    let (a, b, beside) = engines(NetworkConfig::default());
    let (page, far) = pages(&a, &b);
    let target = far.window(1024, Rights::WRITE).unwrap();
    let target = target.buffer(1024, 64).unwrap();
    let window = page.window(1 << 19, Rights::BOTH).unwrap();
    // A program that was here before: a window, transfers that nobody asked about, half a
    // descriptor.
    let to = target.address(0).unwrap();
    for _ in 0..5 {
        std::mem::forget(page.inline(&[7; 9], to, &Options::default()).unwrap());
    }
    let theirs = window.address();
    std::mem::forget((page, window));
    beside.write_descriptor(1, 32 * 63, &[1, 2, 3]).unwrap();
    let start = Start {
        patience: Duration::ZERO,
        ..Start::default()
    };
    let a = Engine::start(Words(beside), &start, LONG).unwrap();
    let page = a.open(1, LONG).unwrap();
    let mut into_theirs = far.inline(&[1], theirs, &Options::default()).unwrap();
    assert!(matches!(into_theirs.wait(LONG), Err(Error::Failed { .. })));
    // Word by word, in any order; states by halves.
    let sizes: Vec<u64> = [8, 32].into_iter().cycle().take(32).collect();
    let post = |(i, &size): (usize, &u64)| {
        let to = Remote::new(1, to.address() + 32 * i as u64).unwrap();
        page.inline(&vec![i as u8; size as usize], to, &Options::default())
            .unwrap()
    };
    let mut all: Vec<_> = sizes.iter().enumerate().map(post).collect();
    page.wait_all(&all, LONG).unwrap();
    assert!(all.iter_mut().all(|it| it.take() == Ok(Some(()))));
    let now = target.to_vec();
    assert!(
        sizes
            .iter()
            .enumerate()
            .all(|(i, &size)| now[32 * i..][..size as usize] == vec![i as u8; size as usize])
    );
    assert_eq!(a.register(&regs::observe::REFUSED.element(1, 8)), Ok(0));
}
