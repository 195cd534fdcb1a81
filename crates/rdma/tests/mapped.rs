// SPDX-License-Identifier: Apache-2.0
//! An engine that is mapped, with ordinary files in place of it: what is written arrives as whole
//! words at the right places, what is refused is told with the file.

use ropewalk_rdma::mapped::{Area, Layout, MapError, Mapped, Shared};
use ropewalk_rdma::{Device, DeviceError, Engine, Error, Options, Remote, Rights, Start, regs};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where things are in the file: as in a BAR that has more in it.
const REGISTERS: u64 = 0x3_0000;
const PORT: u64 = 0x1000;
const MEMORY: u64 = 0x8;
const SIZE: usize = 0x3_2000;

struct File(PathBuf);

impl File {
    /// A file that reads as an engine that is ready.
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&path, vec![0; SIZE]).unwrap();
        let file = Self(path);
        let parameters = 2 << regs::parameters::PAGES.low
            | 2 << regs::parameters::PRIORITIES.low
            | 2 << regs::parameters::WINDOWS.low;
        for (register, value) in [
            (regs::MAGIC, regs::MAGIC.reset()),
            (regs::VERSION, regs::VERSION.reset()),
            (regs::PARAMETERS, parameters),
            (regs::STATUS, 1),
        ] {
            file.set(
                REGISTERS as usize + register.offset as usize,
                &(value as u32).to_le_bytes(),
            );
        }
        file
    }

    /// Written through the file, as hardware would.
    fn set(&self, at: usize, bytes: &[u8]) {
        use std::os::unix::fs::FileExt;
        let file = fs::OpenOptions::new().write(true).open(&self.0).unwrap();
        file.write_all_at(bytes, at as u64).unwrap();
    }

    fn words(&self, at: usize, count: usize) -> Vec<u64> {
        let bytes = fs::read(&self.0).unwrap();
        let word = |chunk: &[u8]| u64::from_le_bytes(chunk.try_into().unwrap());
        bytes[at..at + 8 * count].chunks(8).map(word).collect()
    }

    fn layout(&self, wide: bool) -> Layout {
        let area = |offset| Area::file(&self.0, offset);
        Layout {
            registers: area(REGISTERS),
            port: area(PORT),
            pages: 2,
            wide,
            memory: Some(Shared {
                area: area(MEMORY),
                bytes: 0xff0,
                address: 0x7000_0000,
                uncached: wide,
            }),
        }
    }
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn everything_is_where_it_belongs() {
    for wide in [false, true] {
        let file = File::new(if wide { "wide" } else { "narrow" });
        let device = Mapped::open(&file.layout(wide)).unwrap();
        let start = Start {
            node: 3,
            epoch: 2,
            timeout: Some(5),
            ..Start::default()
        };
        let engine = Engine::start(device, &start, LONG).unwrap();
        let registers = file.words(REGISTERS as usize, 12);
        assert_eq!(registers[2] as u32, 1, "enabled");
        assert_eq!(registers[6], 5 << 32 | 2 << 16 | 3);

        let page = engine.open(1, LONG).unwrap();
        let window = page.window(256, Rights::WRITE).unwrap();
        let registers = file.words(REGISTERS as usize, 12);
        assert_eq!(registers[8], 2 << 16 | 1);
        assert_eq!(registers[9..11], [0x7000_0000, 0x7000_00ff]);
        assert_eq!((registers[2] >> 32) as u32, 2, "the command");
        let mut buffer = window.buffer(100, 1).unwrap();
        for from in 0..9 {
            let bytes: Vec<u8> = (from..90).collect();
            buffer.write(from.into(), &bytes).unwrap();
            let mut back = vec![0; bytes.len()];
            buffer.read(from.into(), &mut back).unwrap();
            assert_eq!(back, bytes);
        }
        assert_eq!(fs::read(&file.0).unwrap()[8..98], buffer.to_vec()[..90]);

        let to = Remote::new(1, 64).unwrap();
        let options = Options::default();
        let mut short = page.inline(&[1; 8], to, &options).unwrap();
        let mut long = page.inline(&[2; 32], to, &options).unwrap();
        let port = PORT as usize;
        let data = 0x0202_0202_0202_0202;
        assert_eq!(
            file.words(port + 0x1000, 4),
            [1 << 38 | 8, 1 << 48 | 64, 0x0101_0101_0101_0101, 0]
        );
        assert_eq!(
            file.words(port + 0x1840, 4),
            [5 << 38 | 32, 1 << 48 | 64, 0, 0]
        );
        assert_eq!(file.words(port + 0x1860, 4), [data; 4]);
        assert_eq!(file.words(port, 0x200), vec![0; 0x200], "nothing in page 0");

        // States: single, and all at once.
        assert_eq!(short.poll(), Ok(None));
        file.set(port + 0x3000 + 8 * usize::from(short.channel()), &[2]);
        assert_eq!(short.poll(), Ok(Some(())));
        file.set(port + 0x3400, &[3 << 4]);
        assert_eq!(page.collect(), Ok(1 << 2));
        let (page, channel) = (1, 2);
        assert_eq!(long.take(), Err(Error::Failed { page, channel }));
    }
}

#[test]
fn channels_of_both_halves() {
    for wide in [false, true] {
        let file = File::new(if wide { "wide_halves" } else { "halves" });
        let device = Mapped::open(&file.layout(wide)).unwrap();
        let states = PORT as usize + 0x2400;
        file.set(states, &0x1234_5678_9abc_def0_u64.to_le_bytes());
        file.set(states + 8, &0x0fed_cba9_8765_4321_u64.to_le_bytes());
        let both = [0x1234_5678_9abc_def0, 0x0fed_cba9_8765_4321];
        assert_eq!(device.read_states(0), Ok(both));
        assert_eq!(device.read_states(1), Ok([0; 2]));
        for (page, offset) in [(2, 0), (0, 0x1000), (0, 4)] {
            let refused = device.read_state(page, offset);
            assert!(matches!(refused, Err(DeviceError::Refused { .. })));
        }
        assert!(device.write_descriptor(1, 0xff8, &[1, 2]).is_err());
        assert!(device.read_register(8192).is_err() && device.write_register(2, 0).is_err());
    }
}

#[test]
fn a_device_that_does_not_answer() {
    let file = File::new("ones");
    let engine = Engine::start(
        Mapped::open(&file.layout(false)).unwrap(),
        &Start::default(),
        LONG,
    );
    let page = engine.unwrap().open(0, LONG).unwrap();
    file.set(PORT as usize + 0x2000, &[0xff; 0x1000]);
    assert!(matches!(page.collect(), Err(Error::Gone { page: 0, .. })));
}

#[test]
fn what_cannot_be_mapped() {
    let file = File::new("wrong");
    let open = |layout: Layout| Mapped::open(&layout).map(drop).unwrap_err();
    let right = file.layout(false);
    let name = file.0.display().to_string();
    let with = |change: &dyn Fn(&mut Layout)| {
        let mut layout = right.clone();
        change(&mut layout);
        open(layout).to_string()
    };
    let refusals = [
        (with(&|it| it.pages = 3), "3 pages: accepted are powers of two from 2 to 16".into()),
        (with(&|it| it.port.offset = 0x800), format!("{name}: offset 0x800, accepted are multiples of 4096")),
        (
            with(&|it| it.port.offset = 0x2f000),
            format!("{name}: 16384 bytes from byte 0x2f000 on, accepted are ranges within its 0x32000 bytes"),
        ),
        (
            with(&|it| it.registers.offset = u64::MAX - 3),
            format!("{name}: 8192 bytes from byte 0xfffffffffffffffc on, accepted are ranges within its 0x32000 bytes"),
        ),
        (
            with(&|it| it.memory.as_mut().unwrap().address = (1 << 48) - 1),
            "4080 bytes of memory at 0xffffffffffff: accepted are ranges below 2^48 and sizes of 1 and more".into(),
        ),
        (with(&|it| it.memory.as_mut().unwrap().bytes = 0), "0 bytes of memory at 0x70000000".into()),
        (with(&|it| it.registers.path.push("none")), "open it".into()),
        (with(&|it| it.registers.map = Some(0)), "/sys/class/uio/wrong/maps/map0/size: read it".into()),
    ];
    for (told, said) in refusals {
        assert!(told.contains(&said), "{told}");
    }
    let first = Mapped::open(&right).unwrap();
    assert!(matches!(open(right.clone()), MapError::Taken(_)));
    drop(first);
    let device = Mapped::open(&right).unwrap();
    file.set(REGISTERS as usize, &[0]);
    let magic = Engine::start(device, &Start::default(), LONG).unwrap_err();
    assert!(matches!(
        magic,
        Error::Magic {
            expected: 0x5244_4d41,
            ..
        }
    ));
}
