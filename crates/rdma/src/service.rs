// SPDX-License-Identifier: Apache-2.0
//! Quality of service: how classes share the line, how fast a page may send in each, and how marks
//! of the network act on the rate to a node; and how payload of other nodes gets to memory.

use crate::engine::Inner;
use crate::{Class, Engine, Error, Page};
use ropewalk_wire::rdma::regs;
use ropewalk_wire::regs::Field;

/// What an engine may lack, and the minor number of the first register map that has it.
const SERVICE: (&str, u8) = ("service and rates of pages", 4);
const CONGESTION: (&str, u8) = ("congestion", 6);
const CUT_THROUGH: (&str, u8) = ("cut-through writes", 7);
/// An interval of 1 is 1/16 cycle for each 64 bytes, so this many bits a cycle.
const BITS_OF_INTERVAL: u64 = 64 * 8 * 16;

/// Shares of the line, each 1 to 16: of classes that have something to send all the time each sends
/// its weight over the sum of theirs, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weights {
    /// Of [`Class::Small`], its messages apart: they go first in any case.
    pub small: u8,
    /// Of [`Class::OnePath`].
    pub one_path: u8,
    /// Of [`Class::FourPaths`].
    pub four_paths: u8,
}

/// How the classes of all pages of an engine share the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Service {
    /// A class sends only while those in front of it have nothing: small, one path, four paths. So
    /// it is after a reset of the core.
    #[default]
    Strict,
    /// Each class gets its weight.
    Weighted(Weights),
}

/// How fast the transfers of a page in a class may send, all together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rate(u16);

impl Rate {
    /// As fast as the line.
    pub const UNLIMITED: Self = Self(0);

    /// Sixteenths of a cycle for each 64 bytes, as the register has it; 0 is no limit.
    #[must_use]
    pub const fn of_interval(interval: u16) -> Self {
        Self(interval)
    }

    /// The fastest that is not above `bits` of payload per second, with an engine clock of `clock`
    /// Hz.
    ///
    /// # Errors
    /// Slower than the register can say, 8192 * `clock` / 65535 bits per second.
    pub fn of_bits_per_second(bits: u64, clock: u64) -> Result<Self, Error> {
        let most = clock.saturating_mul(BITS_OF_INTERVAL);
        let slowest = most.div_ceil(u16::MAX.into());
        let interval = most.checked_div(bits).map(|_| most.div_ceil(bits));
        let interval = interval.and_then(|it| u16::try_from(it).ok());
        interval
            .map(|it| Self(it.max(1)))
            .ok_or(Error::Rate { bits, slowest })
    }

    /// See [`Rate::of_interval`].
    #[must_use]
    pub const fn interval(self) -> u16 {
        self.0
    }

    /// In bits of payload per second, with an engine clock of `clock` Hz; `None` is no limit.
    #[must_use]
    pub fn bits_per_second(self, clock: u64) -> Option<u64> {
        clock
            .saturating_mul(BITS_OF_INTERVAL)
            .checked_div(self.0.into())
    }
}

/// How marks of the network act: an answer that tells of one lowers the rate of all flows to its
/// node, and time raises it again. The rate of a node is never zero and never above the line, of a
/// page or of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Congestion {
    /// A rate falls by 1 / 2^`fall` of it, once in a round trip; 1 to 7.
    pub fall: u8,
    /// The full rate falls to 1 / 2^`first` of it; 1 to 7.
    pub first: u8,
    /// What a rate rises by in 1024 cycles, in 32768ths of the full one; from 1 on.
    pub increase: u16,
}

impl Default for Congestion {
    /// As after a reset of the core.
    fn default() -> Self {
        let [fall, first, increase] = FIELDS.map(|(_, field, _)| field.reset as u16);
        Self {
            fall: fall as u8,
            first: first as u8,
            increase,
        }
    }
}

/// Of [`Congestion`]: name, field, the largest value.
const FIELDS: [(&str, &Field, u16); 3] = [
    ("fall", &regs::congestion::FALL, 7),
    ("first", &regs::congestion::FIRST, 7),
    ("increase", &regs::congestion::INCREASE, u16::MAX),
];

const WEIGHTS: [(&str, &Field); 3] = [
    ("small", &regs::service::WEIGHT_SMALL),
    ("one path", &regs::service::WEIGHT_ONE_PATH),
    ("four paths", &regs::service::WEIGHT_FOUR_PATHS),
];

impl Engine {
    /// How classes share the line.
    ///
    /// # Errors
    /// The engine was built without weighted service; the device has ended.
    pub fn service(&self) -> Result<Service, Error> {
        let engine = &self.0;
        engine.has(SERVICE)?;
        let word = engine.read(regs::SERVICE.offset)?;
        if regs::service::WEIGHTED.get(word) == 0 {
            return Ok(Service::Strict);
        }
        // A weight of 16 is a 0 there.
        let [small, one_path, four_paths] = WEIGHTS.map(|(_, field)| match field.get(word) as u8 {
            0 => 16,
            weight => weight,
        });
        Ok(Service::Weighted(Weights {
            small,
            one_path,
            four_paths,
        }))
    }

    /// Sets how classes share the line, for all pages, from the next block on.
    ///
    /// # Errors
    /// A weight is not 1 to 16, and then nothing has changed; the engine was built without weighted
    /// service; the device has ended.
    pub fn set_service(&self, service: Service) -> Result<(), Error> {
        let engine = &self.0;
        engine.has(SERVICE)?;
        let word = match service {
            Service::Strict => regs::SERVICE.reset(),
            Service::Weighted(it) => {
                let weights = [it.small, it.one_path, it.four_paths];
                let mut word = regs::service::WEIGHTED.mask();
                for ((class, field), weight) in WEIGHTS.into_iter().zip(weights) {
                    if !(1..=16).contains(&weight) {
                        return Err(Error::Weight { class, weight });
                    }
                    word = field.set(word, u64::from(weight % 16))?;
                }
                word
            }
        };
        let _alone = engine.slots.lock();
        Ok(engine
            .device
            .write_register(regs::SERVICE.offset, word as u32)?)
    }

    /// How marks of the network act; `None`: they do nothing.
    ///
    /// # Errors
    /// The engine was built without congestion; the device has ended.
    pub fn congestion(&self) -> Result<Option<Congestion>, Error> {
        self.0.has(CONGESTION)?;
        let word = self.0.read(regs::CONGESTION.offset)?;
        let [fall, first, increase] = FIELDS.map(|(_, field, _)| field.get(word) as u16);
        Ok((fall != 0).then_some(Congestion {
            fall: fall as u8,
            first: first as u8,
            increase,
        }))
    }

    /// Sets how marks of the network act, for all nodes, from the next answer on; `None`: they do
    /// nothing, and no rate is limited by them.
    ///
    /// # Errors
    /// A number is not accepted, and then nothing has changed; the engine was built without
    /// congestion; the device has ended.
    pub fn set_congestion(&self, congestion: Option<Congestion>) -> Result<(), Error> {
        let engine = &self.0;
        engine.has(CONGESTION)?;
        let mut word = 0;
        if let Some(it) = congestion {
            let values = [it.fall.into(), it.first.into(), it.increase];
            for ((what, field, most), value) in FIELDS.into_iter().zip(values) {
                if !(1..=most).contains(&value) {
                    return Err(Error::Congestion { what, value, most });
                }
                word = field.set(word, value.into())?;
            }
        }
        let _alone = engine.slots.lock();
        Ok(engine
            .device
            .write_register(regs::CONGESTION.offset, word as u32)?)
    }

    /// Whether cut-through writes are on; see [`Self::set_cut_through`].
    ///
    /// # Errors
    /// The engine is older than this setting; the device has ended.
    pub fn cut_through(&self) -> Result<bool, Error> {
        self.0.has(CUT_THROUGH)?;
        let word = self.0.read(regs::RECEIVE.offset)?;
        Ok(regs::receive::CUT_THROUGH.get(word) != 0)
    }

    /// Sets whether payload of other nodes is written as it arrives, once the header of its packet
    /// is checked, as after a reset of the core: a reader of the window may then see damaged bytes
    /// until the transfer has ended. Off, nothing is written before all of its packet is checked.
    /// An engine that was built without cut-through, or with packed framing, always does so.
    ///
    /// # Errors
    /// The engine is older than this setting; the device has ended.
    pub fn set_cut_through(&self, on: bool) -> Result<(), Error> {
        let engine = &self.0;
        engine.has(CUT_THROUGH)?;
        let word = regs::receive::CUT_THROUGH.set(0, on.into())?;
        let _alone = engine.slots.lock();
        Ok(engine
            .device
            .write_register(regs::RECEIVE.offset, word as u32)?)
    }
}

impl Page {
    /// How fast its transfers of a class may send; class small is never limited. It stays when the
    /// page is closed.
    ///
    /// # Errors
    /// The engine was built without rates of pages; the device has ended.
    pub fn rate(&self, class: Class) -> Result<Rate, Error> {
        self.engine.has(SERVICE)?;
        let Some(field) = rate_field(class) else {
            return Ok(Rate::UNLIMITED);
        };
        let word = self.engine.read(rate_offset(self.number))?;
        Ok(Rate(field.get(word) as u16))
    }

    /// Limits how fast its transfers of a class may send, all together, from the next block on. The
    /// flows of a page share the rate; a block of 64 KB goes at once, then the page rests.
    ///
    /// # Errors
    /// Class small, which has no flows; the engine was built without rates of pages; the device has
    /// ended.
    pub fn set_rate(&self, class: Class, rate: Rate) -> Result<(), Error> {
        self.engine.has(SERVICE)?;
        let field = rate_field(class).ok_or(Error::RateOfSmall)?;
        // Both classes are in one register.
        let _alone = self.engine.slots.lock();
        let offset = rate_offset(self.number);
        let word = self.engine.device.read_register(offset)?;
        let word = field.set(word.into(), rate.0.into())?;
        Ok(self.engine.device.write_register(offset, word as u32)?)
    }
}

fn rate_field(class: Class) -> Option<&'static Field> {
    match class {
        Class::Small => None,
        Class::OnePath => Some(&regs::page_rate::ONE_PATH),
        Class::FourPaths => Some(&regs::page_rate::FOUR_PATHS),
    }
}

fn rate_offset(page: u8) -> u32 {
    regs::PAGE_RATE.offset + 4 * u32::from(page)
}

impl Inner {
    fn has(&self, (what, least): (&'static str, u8)) -> Result<(), Error> {
        let minor = self.map_minor;
        if minor < least {
            return Err(Error::MapMinor { minor, least, what });
        }
        Ok(())
    }

    fn read(&self, offset: u32) -> Result<u64, Error> {
        let _alone = self.slots.lock();
        Ok(self.device.read_register(offset)?.into())
    }
}
