// SPDX-License-Identifier: Apache-2.0
//! A broadcast: one buffer is written to 64 places by 64 channels, whose states are polled
//! collectively; node 1 is told of each.
//!
//! ```text
//! broadcast                                           two engines of the real RTL, simulated
//! broadcast software                                  two models in this process
//! broadcast mapped REGISTERS PORT PAGES MEMORY BYTES ADDRESS NODE TARGET
//!                                                     one in hardware
//! ```
//!
//! REGISTERS, PORT and MEMORY are `FILE@OFFSET`, or `/dev/uioN:MAP@OFFSET`; ADDRESS is MEMORY as
//! the engine sees it. There, 256 KiB at byte TARGET of NODE belong to a window of page 0 that may
//! be written.

use ropewalk_rdma::mapped::{Area, Layout, Mapped, Shared};
use ropewalk_rdma::simulated::{MemoryConfig, Model, NetworkConfig, PairConfig, Simulated};
use ropewalk_rdma::software::Network;
use ropewalk_rdma::{Class, Device, Engine, Options, Page, Remote, Rights, Start};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of each copy.
const SIZE: u64 = 4096;
/// One for each channel.
const COPIES: u64 = 64;
const TIME: Duration = Duration::from_secs(60);

/// What is the same on every engine.
fn broadcast(page: &Page, to: Remote) -> Result<Vec<u8>, Box<dyn Error>> {
    let data: Vec<u8> = (0..SIZE).map(|i| ((i * 31) >> 3) as u8).collect();
    let mut source = page.window(SIZE, Rights::READ)?.buffer(SIZE, 64)?;
    source.write(0, &data)?;
    let source = Arc::new(source);
    let begin = Instant::now();
    let post = |copy: u64| {
        let options = Options {
            class: Class::OnePath,
            ..Options::default()
        };
        let to = Remote::new(to.node(), to.address() + copy * SIZE)?;
        page.write(&source, 0..SIZE, to, &options)
    };
    let mut transfers = (0..COPIES).map(post).collect::<Result<Vec<_>, _>>()?;
    // Each read shows all channels, and is kept for those it belongs to.
    let mut reads = 0;
    let mut left = COPIES;
    while left > 0 {
        page.collect()?;
        reads += 1;
        for transfer in &mut transfers {
            if transfer.bit() != 0 && transfer.take()?.is_some() {
                left -= 1;
            }
        }
        if begin.elapsed() > TIME {
            return Err(format!("{left} of {COPIES} have not ended after {TIME:?}").into());
        }
    }
    println!("{COPIES} copies of {SIZE} bytes, {reads} collective reads");
    Ok(data)
}

/// From node 0 to node 1 of this process, with a look at what has arrived.
fn both(here: impl Device + 'static, there: impl Device + 'static) -> Result<(), Box<dyn Error>> {
    let here = Engine::start(here, &Start::default(), TIME)?;
    let start = Start {
        node: 1,
        ..Start::default()
    };
    let there = Engine::start(there, &start, TIME)?;
    let far = there.open(0, TIME)?;
    let target = far.window(COPIES * SIZE, Rights::WRITE)?;
    let target = target.buffer(COPIES * SIZE, 64)?;
    let data = broadcast(&here.open(0, TIME)?, target.address(0)?)?;
    let same = target.to_vec().chunks(data.len()).all(|copy| copy == data);
    if !same {
        return Err("the copies differ".into());
    }
    println!("all are the same at node 1");
    Ok(())
}

/// The real RTL.
pub(crate) fn simulated() -> Result<(), Box<dyn Error>> {
    let [here, there] = Simulated::pair(&PairConfig {
        model: Model::default(),
        memory: MemoryConfig::default(),
        network: NetworkConfig::default(),
        seed: 1,
    })?;
    let clock = here.clone();
    both(here, there)?;
    println!("{} cycles", clock.now()?);
    Ok(())
}

/// Models of it.
pub(crate) fn software() -> Result<(), Box<dyn Error>> {
    let network = Network::new(2, 1 << 20);
    both(network.node(0), network.node(1))
}

/// `FILE@OFFSET` or `FILE:MAP@OFFSET`.
fn area(text: &str) -> Result<Area, Box<dyn Error>> {
    let wrong = || format!("{text}: accepted are FILE@OFFSET and /dev/uioN:MAP@OFFSET");
    let (file, offset) = text.rsplit_once('@').ok_or_else(wrong)?;
    let offset = number(offset)?;
    Ok(match file.rsplit_once(':') {
        Some((device, map)) if file.starts_with("/dev/uio") => {
            Area::uio(device, map.parse().map_err(|_| wrong())?, offset)
        }
        _ => Area::file(file, offset),
    })
}

fn number(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed
        .map_err(|_| format!("{text}: accepted are numbers, or with 0x in front hexadecimal ones"))
}

/// One in hardware, whose places are the arguments.
pub(crate) fn mapped(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let [registers, port, pages, memory, bytes, address, node, target] = arguments else {
        return Err("mapped: accepted are 8 arguments, see the head of this program".into());
    };
    let layout = Layout {
        registers: area(registers)?,
        port: area(port)?,
        pages: number(pages)?.try_into()?,
        wide: false,
        memory: Some(Shared {
            area: area(memory)?,
            bytes: number(bytes)?,
            address: number(address)?,
            uncached: true,
        }),
    };
    let start = Start {
        patience: TIME,
        ..Start::default()
    };
    let engine = Engine::start(Mapped::open(&layout)?, &start, TIME)?;
    let to = Remote::new(number(node)?.try_into()?, number(target)?)?;
    broadcast(&engine.open(0, TIME)?, to)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        None | Some("simulated") => simulated(),
        Some("software") => software(),
        Some("mapped") => mapped(&arguments[1..]),
        Some(other) => Err(format!("{other}: accepted are simulated, software and mapped").into()),
    }
}
