// SPDX-License-Identifier: Apache-2.0
//! The library on engines in this process: what it posts, what it keeps, what it refuses, and what
//! a second user of the same page does to it.

use ropewalk_rdma::software::{Network, Software};
use ropewalk_rdma::{
    Buffer, Class, Congestion, Device, DeviceError, Engine, Error, Notify, Options, Page, Rate,
    Remote, Rights, Service, Start, Transfer, Weights, Window, regs,
};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Long enough for everything that comes at all.
const LONG: Duration = Duration::from_secs(60);

/// Words of a descriptor with page and offset, or none for a read of states.
type Access = Option<(u8, u16, Vec<u64>)>;

/// A device that tells what is done to it, and can be made to fail.
#[derive(Debug, Clone)]
struct Spy(Arc<Inside>);

#[derive(Debug)]
struct Inside {
    device: Software,
    seen: Mutex<Vec<Access>>,
    /// What states read as, if not zero.
    states: AtomicU64,
    /// Writes of descriptors end the device.
    ended: AtomicBool,
    /// The register map is 1.3.
    older: AtomicBool,
}

impl Spy {
    fn new(device: Software) -> Self {
        Self(Arc::new(Inside {
            device,
            seen: Mutex::default(),
            states: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            older: AtomicBool::new(false),
        }))
    }

    fn seen(&self) -> Vec<Access> {
        std::mem::take(&mut self.0.seen.lock().unwrap())
    }

    fn states(&self, word: u64) {
        self.0.states.store(word, Ordering::Relaxed);
    }
}

impl Device for Spy {
    fn read_register(&self, offset: u32) -> Result<u32, DeviceError> {
        let value = self.0.device.read_register(offset)?;
        let minor = &regs::version::MAP_MINOR;
        let older = offset == regs::VERSION.offset && self.0.older.load(Ordering::Relaxed);
        let newer = if older {
            minor.get(value.into()) as u32 - 3
        } else {
            0
        };
        Ok(value - (newer << minor.low))
    }
    fn write_register(&self, offset: u32, value: u32) -> Result<(), DeviceError> {
        self.0.device.write_register(offset, value)
    }
    fn write_descriptor(&self, page: u8, offset: u16, words: &[u64]) -> Result<(), DeviceError> {
        let entry = Some((page, offset, words.to_vec()));
        self.0.seen.lock().unwrap().push(entry);
        if self.0.ended.load(Ordering::Relaxed) {
            return Err(DeviceError::Ended("as told".into()));
        }
        self.0.device.write_descriptor(page, offset, words)
    }
    fn forget(&self, page: u8) -> Result<(), DeviceError> {
        self.0.device.forget(page)
    }
    fn read_state(&self, page: u8, offset: u16) -> Result<u64, DeviceError> {
        self.0.seen.lock().unwrap().push(None);
        match self.0.states.load(Ordering::Relaxed) {
            0 => self.0.device.read_state(page, offset),
            word => Ok(word),
        }
    }
    fn memory(&self) -> Range<u64> {
        self.0.device.memory()
    }
    unsafe fn read_memory(&self, address: u64, bytes: &mut [u8]) {
        // SAFETY: as promised by the caller.
        unsafe { self.0.device.read_memory(address, bytes) }
    }
    unsafe fn write_memory(&self, address: u64, bytes: &[u8]) {
        // SAFETY: as promised by the caller.
        unsafe { self.0.device.write_memory(address, bytes) }
    }
    fn relax(&self, round: u32) {
        self.0.device.relax(round);
    }
}

fn as_node(node: u16) -> Start {
    Start {
        node,
        ..Start::default()
    }
}

/// Two nodes, page 2 of each open, a window for others to write and read at the second.
struct Two {
    network: Network,
    spy: Spy,
    here: Engine,
    there: Engine,
    page: Page,
    _far: Page,
    target: Buffer,
}

impl Two {
    fn new() -> Self {
        let network = Network::new(2, 1 << 16);
        let spy = Spy::new(network.node(0));
        let here = Engine::start(spy.clone(), &as_node(0), LONG).unwrap();
        let there = Engine::start(network.node(1), &as_node(1), LONG).unwrap();
        let far = there.open(2, LONG).unwrap();
        let target = far.window(8192, Rights::BOTH).unwrap();
        let two = Self {
            page: here.open(2, LONG).unwrap(),
            target: target.buffer(8192, 64).unwrap(),
            network,
            here,
            there,
            spy,
            _far: far,
        };
        two.spy.seen();
        two
    }

    fn to(&self, at: u64) -> Remote {
        self.target.address(at).unwrap()
    }

    fn window(&self) -> Window {
        self.page.window(4096, Rights::BOTH).unwrap()
    }

    fn source(&self, bytes: &[u8]) -> Arc<Buffer> {
        let mut buffer = self.window().buffer(bytes.len() as u64, 1).unwrap();
        buffer.write(0, bytes).unwrap();
        Arc::new(buffer)
    }

    fn message(&self) -> Transfer {
        let posted = self.page.inline(&[7; 8], self.to(0), &Options::default());
        posted.unwrap()
    }

    fn wait<T: ropewalk_rdma::Back>(&self, mut transfer: Transfer<T>) -> T {
        transfer.wait(LONG).unwrap()
    }
}

fn told(at: Remote, value: Option<u64>) -> Options {
    let notify = Some(Notify { at, value });
    Options {
        notify,
        ..Options::default()
    }
}

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().unwrap())
}

/// No limit is too long to be added to a moment.
#[test]
fn for_ever() {
    let network = Network::new(2, 1 << 16);
    let engine = Engine::start(network.node(0), &as_node(0), Duration::MAX).unwrap();
    drop(engine.open(2, Duration::MAX).unwrap());
    let two = Two::new();
    two.message().wait(Duration::MAX).unwrap();
    let transfers = [two.message()];
    two.page.wait_all(&transfers, Duration::MAX).unwrap();
}

#[test]
fn handles_go_between_threads() {
    fn both<T: Send + Sync>() {}
    both::<Engine>();
    both::<Page>();
    both::<Window>();
    both::<Buffer>();
    both::<Transfer>();
    both::<Transfer<Buffer>>();
    both::<Error>();
}

#[test]
fn every_kind_of_transfer() {
    let two = Two::new();
    let bytes: Vec<u8> = (0..=255).cycle().take(3000).collect();
    let source = two.source(&bytes);
    let options = Options {
        class: Class::FourPaths,
        priority: 3,
        qos: 77,
        ..told(two.to(8000), Some(99))
    };
    let to = two.to(5);
    two.wait(two.page.write(&source, 10..2900, to, &options).unwrap());
    assert_eq!(two.target.to_vec()[5..2895], bytes[10..2900]);
    assert_eq!(word(&two.target.to_vec()[8000..8008]), 99);

    for size in 1..=32 {
        let data = &bytes[size..2 * size];
        let to = two.to(4000 + size as u64);
        let options = told(two.to(8008), None);
        let transfer = two.page.inline(data, to, &options).unwrap();
        let channel = u64::from(transfer.channel());
        two.wait(transfer);
        let now = two.target.to_vec();
        assert_eq!(now[4000 + size..4000 + 2 * size], *data);
        let value = size as u64 | (2 << 7 | channel) << 32;
        assert_eq!(word(&now[8008..8016]), value);
    }

    let into = two.window().buffer(1024, 8).unwrap();
    let options = told(into.address(1016).unwrap(), None);
    let transfer = two.page.read(two.to(6), 900, into, 100, &options).unwrap();
    let into = two.wait(transfer).to_vec();
    assert_eq!(into[100..1000], bytes[11..911]);
    assert_eq!(word(&into[1016..]) as u32, 900);
    assert_eq!(two.here.register(&ropewalk_rdma::regs::IDENTITY), Ok(0));
}

#[test]
fn two_lines_go_in_order_to_their_own_place() {
    let two = Two::new();
    let to = two.to(0);
    two.wait(two.page.inline(&[1; 8], to, &Options::default()).unwrap());
    let short = two.spy.seen();
    two.wait(two.page.inline(&[1; 9], to, &Options::default()).unwrap());
    let long = two.spy.seen();
    let written = |seen: Vec<Access>| -> Vec<_> { seen.into_iter().flatten().collect() };
    let header = |size: u64, more: u64| size | 1 << 38 | more << 40;
    let destination = 1 << 48 | to.address();
    let data = 0x0101_0101_0101_0101;
    assert_eq!(
        written(short),
        [(2, 0, vec![header(8, 0), destination, data, 0])]
    );
    assert_eq!(
        written(long),
        [
            (2, 0x800, vec![header(9, 1), destination, 0, 0]),
            (2, 0x820, vec![data, 1, 0, 0])
        ]
    );
}

#[test]
fn ends_of_others_are_kept() {
    let two = Two::new();
    let mut all: Vec<_> = (0..64).map(|_| two.message()).collect();
    let bits = all.iter().fold(0, |bits, it| bits | it.bit());
    assert_eq!(bits, u64::MAX, "64 channels");
    assert!(matches!(
        two.page.inline(&[1], two.to(0), &Options::default()),
        Err(Error::Full(2))
    ));
    // One waits for all; every other one has its end then, and no state is read any more.
    two.page.wait_all(&all, LONG).unwrap();
    two.spy.seen();
    assert!(all.iter_mut().all(|it| it.take() == Ok(Some(()))));
    assert_eq!(two.spy.seen(), []);
    assert!(all.iter_mut().all(|it| it.poll() == Err(Error::Taken)));
    // The channels are free again, though the old handles live.
    let again = two.message();
    assert_eq!(again.channel(), 0);
    drop(all);
    two.wait(again);
    // One that polls its own channel leaves the others alone.
    let (mut first, mut second) = (two.message(), two.message());
    first.wait(LONG).unwrap();
    assert_eq!(second.take(), Ok(None));
    second.wait(LONG).unwrap();
}

#[test]
fn many_threads_one_page() {
    let two = Two::new();
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            let two = &two;
            scope.spawn(move || {
                for round in 0..200u32 {
                    let at = u64::from(thread) * 32;
                    let data = [thread, round as u8, 3, 4, 5, 6, 7, 8, 9];
                    let to = two.to(at);
                    let transfer = two.page.inline(&data, to, &Options::default());
                    two.wait(transfer.unwrap());
                    let mut now = [0; 9];
                    two.target.read(at, &mut now).unwrap();
                    assert_eq!(now, data);
                }
            });
        }
    });
}

#[test]
fn what_a_transfer_uses_stays() {
    let two = Two::new();
    let mut source = two.source(&[5; 100]);
    two.network.hold(true);
    let transfer = two
        .page
        .write(&source, 0..100, two.to(0), &Options::default());
    let mut transfer = transfer.unwrap();
    assert_eq!(transfer.poll(), Ok(None));
    assert!(Arc::get_mut(&mut source).is_none(), "not written meanwhile");
    let waited = transfer.wait(Duration::ZERO);
    assert!(matches!(waited, Err(Error::Deadline { .. })));
    drop(transfer);
    assert!(
        Arc::get_mut(&mut source).is_none(),
        "nor when its handle is gone"
    );
    two.page.collect().unwrap();
    assert!(Arc::get_mut(&mut source).is_none());
    two.network.hold(false);
    while Arc::get_mut(&mut source).is_none() {
        assert_eq!(two.page.collect(), Ok(0), "nobody asks for it");
    }
    assert_eq!(two.message().channel(), 0);
}

#[test]
fn a_page_that_was_left() {
    let mut two = Two::new();
    let source = two.source(&[5; 100]);
    let weak = Arc::downgrade(&source);
    two.network.hold(true);
    let transfer = two
        .page
        .write(&source, 0..100, two.to(0), &Options::default());
    drop(source);
    assert_eq!(two.here.open(2, LONG).unwrap_err(), Error::PageTaken(2));
    // Another page in its place, so that the one with the transfer can be dropped.
    drop(std::mem::replace(
        &mut two.page,
        two.here.open(3, LONG).unwrap(),
    ));
    assert_eq!(two.here.open(2, LONG).unwrap_err(), Error::PageTaken(2));
    drop(transfer);
    assert!(weak.upgrade().is_some(), "the engine may read it still");
    let opened = two.here.open(2, Duration::ZERO).unwrap_err();
    assert!(matches!(opened, Error::Deadline { .. }));
    two.network.hold(false);
    two.page = two.here.open(2, LONG).unwrap();
    assert!(weak.upgrade().is_none());
    two.wait(two.message());
    let none = two.here.open(16, LONG).unwrap_err();
    assert_eq!(none, Error::Page { page: 16, last: 15 });
}

#[test]
fn a_read_that_failed_keeps_its_memory() {
    let two = Two::new();
    let window = two.window();
    let post = |buffer| {
        let posted = two.page.read(two.to(0), 64, buffer, 0, &Options::default());
        posted.unwrap()
    };
    two.network.fail(2);
    let failed = post(window.buffer(4096, 64).unwrap()).wait(LONG);
    assert!(matches!(
        failed,
        Err(Error::Failed {
            page: 2,
            channel: 0
        })
    ));
    let (asked, of, largest) = (1, "a window", 0);
    let none = Error::Memory { asked, of, largest };
    assert_eq!(window.buffer(1, 1).unwrap_err(), none);
    drop(window);
    // With its window it came back: 16 such windows are all that the memory has room for.
    for _ in 0..40 {
        two.window();
    }
    // One that was dropped and then failed is the same; one that is done is not.
    let window = two.window();
    drop(post(window.buffer(2048, 64).unwrap()));
    drop(post(window.buffer(2048, 64).unwrap()));
    while window.buffer(2048, 64).is_err() {
        two.page.collect().unwrap();
    }
    assert!(window.buffer(2049, 64).is_err());
    // A failed write is over on both sides, its source is as it was.
    two.network.fail(1);
    let mut source = two.source(&[1; 8]);
    let mut transfer = two
        .page
        .write(&source, 0..8, two.to(0), &Options::default())
        .unwrap();
    assert!(matches!(transfer.wait(LONG), Err(Error::Failed { .. })));
    assert!(Arc::get_mut(&mut source).is_some());
}

#[test]
fn windows() {
    let two = Two::new();
    let mut all: Vec<_> = (0..4).map(|_| two.window()).collect();
    let limit = two.here.windows();
    let fifth = two.page.window(1, Rights::READ).unwrap_err();
    assert_eq!((limit, fifth), (4, Error::Windows { limit }));
    let more = two.page.window(1 << 20, Rights::READ).unwrap_err();
    assert!(
        more.to_string().contains("accepted are 1 to 49152"),
        "{more}"
    );
    assert_eq!(Rights::new(false, false), Err(Error::NoRights));
    // A window lives as long as its buffers. Then others cannot reach it.
    let window = all.pop().unwrap();
    let at = window.address();
    let buffer = window.buffer(8, 8).unwrap();
    drop(window);
    let back = two.there.open(2, LONG);
    assert_eq!(back.unwrap_err(), Error::PageTaken(2));
    let send = || {
        let posted = two._far.inline(&[9; 8], at, &Options::default());
        posted.unwrap().wait(LONG)
    };
    assert_eq!(send(), Ok(()));
    assert_eq!(buffer.to_vec(), [9; 8]);
    drop(buffer);
    assert!(matches!(send(), Err(Error::Failed { .. })));
    two.window();
}

#[test]
fn rules_are_checked_before_anything_is_written() {
    let two = Two::new();
    let source = two.source(&[0; 64]);
    let other = two.here.open(5, LONG).unwrap();
    let theirs = other.window(64, Rights::READ).unwrap();
    let read_only = theirs.buffer(8, 8).unwrap();
    let foreign = Arc::new(theirs.buffer(8, 8).unwrap());
    two.spy.seen();
    let plain = Options::default();
    let to = two.to(0);
    let write = |range, options: &Options| two.page.write(&source, range, to, options).unwrap_err();
    let inline = |data: &[u8], options: &Options| two.page.inline(data, to, options).unwrap_err();
    let with = |priority, qos, class| Options {
        priority,
        qos,
        class,
        notify: None,
    };
    let end = Remote::new(1, (1 << 48) - 8).unwrap();
    let past = two.page.inline(&[0; 8], end, &plain).unwrap_err();
    let other_page = two.page.write(&foreign, 0..8, to, &plain).unwrap_err();
    let into = two.window().buffer(8, 8).unwrap();
    let outside = told(
        Remote::new(0, into.address(0).unwrap().address() + 1).unwrap(),
        None,
    );
    let note = two.page.read(to, 8, into, 0, &outside).unwrap_err();
    assert!(note.buffer.is_some(), "it comes back");
    let rights = other.read(to, 8, read_only, 0, &plain).unwrap_err();
    for (error, said) in [
        (write(0..0, &plain), "size 0: accepted are 1 to 4294967295"),
        (
            write(60..65, &plain),
            "5 bytes from byte 60 on of a buffer: accepted are places within its 64",
        ),
        (
            write(0..8, &with(4, 0, Class::Small)),
            "priority 4: accepted are 0 to 3",
        ),
        (
            write(0..8, &with(16, 0, Class::Small)),
            "priority 16: accepted are 0 to 15",
        ),
        (
            write(0..8, &with(0, 1 << 22, Class::Small)),
            "QoS 4194304: accepted are 0 to 4194303",
        ),
        (
            write(0..8, &told(two.to(4), None)),
            "accepted are multiples of 8",
        ),
        (inline(&[], &plain), "size 0"),
        (inline(&[0; 33], &plain), "33 bytes: accepted are 1 to 32"),
        (
            inline(&[0], &with(0, 0, Class::OnePath)),
            "class OnePath: accepted is Small",
        ),
        (inline(&[0], &told(two.to(8), Some(1))), "accepted is none"),
        (past, "accepted are ranges that end below 2^48"),
        (
            other_page,
            "window of page 5: accepted are buffers of page 2",
        ),
        (note.into(), "accepted are places in its buffer"),
        (rights.into(), "without the right to write"),
        (
            Remote::new(0, 1 << 48).unwrap_err(),
            "0x1000000000000: accepted are addresses below 2^48",
        ),
    ] {
        let text = error.to_string();
        assert!(text.contains(said), "{text}");
    }
    assert_eq!(two.spy.seen(), []);
}

#[test]
fn a_second_user_of_the_page() {
    let two = Two::new();
    let hostile = two.network.node(0);
    // Half a descriptor of somebody else: ours is refused, told, and the page works again.
    hostile.write_descriptor(2, 32 * 9, &[1]).unwrap();
    let posted = two.page.inline(&[1], two.to(0), &Options::default());
    let (page, channel) = (2, 0);
    assert_eq!(posted.unwrap_err(), Error::Refused { page, channel });
    two.wait(two.message());
    // A state that somebody else has read: told as lost, its channel is left alone until the page
    // is opened again.
    two.network.hold(true);
    let mut lost = two.message();
    assert_eq!(lost.poll(), Ok(None));
    two.network.hold(false);
    while hostile.read_state(2, 0x400).unwrap() & 3 == 1 {}
    assert_eq!(lost.wait(LONG), Err(Error::Lost { page, channel }));
    assert_eq!(two.message().channel(), 1);
    let here = two.here.clone();
    drop(two.page);
    assert_eq!(here.open(2, LONG).unwrap().collect(), Ok(0));
}

#[test]
fn a_device_that_is_gone() {
    let two = Two::new();
    let mut transfer = two.message();
    two.spy.states(u64::MAX);
    let (page, state) = (2, u64::MAX);
    assert_eq!(transfer.poll(), Err(Error::Gone { page, state }));
    assert_eq!(two.page.collect(), Err(Error::Gone { page, state }));
    two.spy.states(0);
    two.wait(transfer);
    // What ends in the middle of a descriptor may have it: buffer and channel are not used again.
    let into = two.window().buffer(64, 64).unwrap();
    two.spy.0.ended.store(true, Ordering::Relaxed);
    let posted = two.page.read(two.to(0), 8, into, 0, &Options::default());
    assert!(posted.unwrap_err().buffer.is_none());
    two.spy.0.ended.store(false, Ordering::Relaxed);
    assert_eq!(two.message().channel(), 1);
}

#[test]
fn starting() {
    let network = Network::new(2, 4096);
    let start = |start: &Start| Engine::start(network.node(1), start, LONG).map(drop);
    let wrong = Start {
        retries: Some(16),
        ..as_node(1)
    };
    let said = start(&wrong).unwrap_err().to_string();
    assert_eq!(said, "count: 16 was given, accepted are 0 to 15");
    start(&as_node(1)).unwrap();
    let (asked, found) = (0, 1);
    assert_eq!(start(&as_node(0)), Err(Error::Node { asked, found }));
    let engine = Engine::start(network.node(1), &as_node(1), LONG).unwrap();
    assert_eq!(
        (engine.node(), engine.pages(), engine.priorities()),
        (1, 16, 4)
    );
    engine.rate(128, 5).unwrap();
    assert!(engine.rate(127, 5).is_err());
}

#[test]
fn quality_of_service() {
    let network = Network::new(2, 4096);
    let start = || Engine::start(network.node(0), &as_node(0), LONG).unwrap();
    let engine = start();
    assert_eq!(engine.service(), Ok(Service::Strict));
    let weights = |small, one_path, four_paths| {
        Service::Weighted(Weights {
            small,
            one_path,
            four_paths,
        })
    };
    engine.set_service(weights(16, 1, 15)).unwrap();
    assert_eq!(engine.service(), Ok(weights(16, 1, 15)));
    for (wrong, said) in [
        (
            weights(0, 1, 1),
            "weight 0 of class small: accepted are 1 to 16",
        ),
        (
            weights(1, 17, 1),
            "weight 17 of class one path: accepted are 1 to 16",
        ),
        (
            weights(1, 1, 255),
            "weight 255 of class four paths: accepted are 1 to 16",
        ),
    ] {
        assert_eq!(engine.set_service(wrong).unwrap_err().to_string(), said);
    }
    // What was refused has changed nothing; another program sees the same.
    assert_eq!(start().service(), Ok(weights(16, 1, 15)));
    engine.set_service(Service::Strict).unwrap();
    assert_eq!(start().service(), Ok(Service::Strict));

    // Each class of each page has its own rate, which stays.
    let pages = [0, 7, 15].map(|page| engine.open(page, LONG).unwrap());
    for (i, page) in (1u16..).zip(&pages) {
        page.set_rate(Class::OnePath, Rate::of_interval(i)).unwrap();
        page.set_rate(Class::FourPaths, Rate::of_interval(0x8000 + i))
            .unwrap();
    }
    drop(pages);
    for (i, page) in (1u16..).zip([0, 7, 15]) {
        let page = engine.open(page, LONG).unwrap();
        let rates = [Class::Small, Class::OnePath, Class::FourPaths].map(|it| page.rate(it));
        assert_eq!(rates.map(|it| it.unwrap().interval()), [0, i, 0x8000 + i]);
        page.set_rate(Class::OnePath, Rate::UNLIMITED).unwrap();
        assert_eq!(page.rate(Class::OnePath), Ok(Rate::UNLIMITED));
        assert_eq!(
            page.rate(Class::FourPaths),
            Ok(Rate::of_interval(0x8000 + i))
        );
    }
    let page = engine.open(1, LONG).unwrap();
    let said = page
        .set_rate(Class::Small, Rate::UNLIMITED)
        .unwrap_err()
        .to_string();
    assert_eq!(
        said,
        "rate of class small: accepted are one path and four paths, which have flows"
    );
}

#[test]
fn congestion() {
    let network = Network::new(2, 4096);
    let start = || Engine::start(network.node(0), &as_node(0), LONG).unwrap();
    let engine = start();
    let (usual, other) = (
        Congestion::default(),
        Congestion {
            fall: 7,
            first: 1,
            increase: u16::MAX,
        },
    );
    assert_eq!(engine.congestion(), Ok(Some(usual)));
    for set in [Some(other), None, Some(usual), Some(other)] {
        engine.set_congestion(set).unwrap();
        assert_eq!(start().congestion(), Ok(set));
    }
    for (wrong, said) in [
        (Congestion { fall: 0, ..usual }, "fall 0"),
        (Congestion { fall: 8, ..usual }, "fall 8"),
        (Congestion { first: 0, ..usual }, "first 0"),
        (Congestion { first: 8, ..usual }, "first 8"),
    ] {
        let wanted = format!("{said} of congestion: accepted are 1 to 7");
        let found = engine.set_congestion(Some(wrong)).unwrap_err();
        assert_eq!(found.to_string(), wanted);
    }
    // A rate that never rises would stay at its least one.
    let never = Congestion {
        increase: 0,
        ..usual
    };
    assert_eq!(
        engine.set_congestion(Some(never)).unwrap_err().to_string(),
        "increase 0 of congestion: accepted are 1 to 65535"
    );
    assert_eq!(engine.congestion(), Ok(Some(other)));
}

#[test]
fn rates_in_bits_per_second() {
    const CLOCK: u64 = 150_000_000;
    let of = |bits| Rate::of_bits_per_second(bits, CLOCK);
    // 64 bytes in 2.5 cycles.
    let rate = Rate::of_interval(40);
    assert_eq!(rate.bits_per_second(CLOCK), Some(30_720_000_000));
    assert_eq!(of(30_720_000_000), Ok(rate));
    // Never faster than asked for.
    assert_eq!(of(30_719_999_999), Ok(Rate::of_interval(41)));
    assert_eq!(of(u64::MAX), Ok(Rate::of_interval(1)));
    assert_eq!(Rate::UNLIMITED.bits_per_second(CLOCK), None);
    let slowest = 18_750_287;
    assert_eq!(of(slowest), Ok(Rate::of_interval(u16::MAX)));
    for bits in [slowest - 1, 0] {
        let said = of(bits).unwrap_err().to_string();
        let wanted = "accepted are 18750287 and more with this clock, or no limit";
        assert_eq!(said, format!("{bits} bits per second: {wanted}"));
    }
}

#[test]
fn cut_through_writes() {
    let network = Network::new(2, 4096);
    let start = || Engine::start(network.node(0), &as_node(0), LONG).unwrap();
    let engine = start();
    assert_eq!(engine.cut_through(), Ok(true));
    for on in [false, true] {
        engine.set_cut_through(on).unwrap();
        assert_eq!(start().cut_through(), Ok(on));
    }
}

#[test]
fn an_engine_without_quality_of_service() {
    let network = Network::new(2, 4096);
    let engine = {
        let device = Spy::new(network.node(0));
        device.0.older.store(true, Ordering::Relaxed);
        Engine::start(device, &as_node(0), LONG).unwrap()
    };
    let page = engine.open(0, LONG).unwrap();
    let wanted = "register map 1.3: accepted is 1.4 or newer, for service and rates of pages";
    for said in [
        engine.service().map(drop),
        engine.set_service(Service::Strict),
        page.rate(Class::OnePath).map(drop),
        page.set_rate(Class::OnePath, Rate::UNLIMITED),
    ] {
        assert_eq!(said.unwrap_err().to_string(), wanted);
    }
    let wanted = "register map 1.3: accepted is 1.6 or newer, for congestion";
    for said in [engine.congestion().map(drop), engine.set_congestion(None)] {
        assert_eq!(said.unwrap_err().to_string(), wanted);
    }
    let wanted = "register map 1.3: accepted is 1.7 or newer, for cut-through writes";
    for said in [engine.cut_through().map(drop), engine.set_cut_through(true)] {
        assert_eq!(said.unwrap_err().to_string(), wanted);
    }
}
