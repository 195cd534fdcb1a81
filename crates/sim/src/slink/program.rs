// SPDX-License-Identifier: Apache-2.0
//! The published program (algorithm 1 of the paper), over any bus that reads and writes 32-bit
//! registers.

use ropewalk_wire::line::Lanes;
use ropewalk_wire::regs::{Field, Register};
use ropewalk_wire::slink::regs::{self, Run, control, mode, queue, status};

/// The registers of an end, as software sees them.
pub trait Registers {
    /// Why the bus cannot.
    type Error;

    /// Writes the register at a byte address.
    ///
    /// # Errors
    /// Of the bus.
    fn write(&mut self, address: u32, value: u32) -> Result<(), Self::Error>;

    /// Reads the register at a byte address.
    ///
    /// # Errors
    /// Of the bus.
    fn read(&mut self, address: u32) -> Result<u32, Self::Error>;
}

/// An operation on the memory of the other end: the arguments of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// Reads from the other end; else writes to it.
    pub read: bool,
    /// Words of 8 bytes, 1 to 65 536.
    pub words: u32,
    /// Lanes in use.
    pub lanes: Lanes,
    /// With check codes and repetition.
    pub crc: bool,
    /// Speed of a lane.
    pub speed: Run,
    /// In the memory of this end, a multiple of 8.
    pub local: u32,
    /// In the memory of the other end, a multiple of 8.
    pub remote: u32,
}

/// How an operation has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Well.
    Done,
    /// Damaged after all retries.
    Exhausted,
    /// No answer after all retries.
    Silent,
    /// The other end, or a memory, has refused it.
    Refused,
    /// The link was reset under it.
    Reset,
}

/// The status register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status(pub u32);

impl Status {
    /// As it stands behind a start.
    pub(super) const BUSY: Self = Self(1 << status::BUSY.low);

    fn field(self, field: Field) -> u32 {
        field.get(self.0.into()) as u32
    }

    /// An operation is under way.
    #[must_use]
    pub fn busy(self) -> bool {
        self.field(status::BUSY) != 0
    }

    /// Both ends know each other.
    #[must_use]
    pub fn up(self) -> bool {
        self.field(status::UP) != 0
    }

    /// How often the operation was sent again.
    #[must_use]
    pub fn retries(self) -> u32 {
        self.field(status::RETRIES)
    }

    /// How the last operation has ended; none: there was none, or it is under way.
    #[must_use]
    pub fn outcome(self) -> Option<Outcome> {
        [
            (status::DONE, Outcome::Done),
            (status::EXHAUSTED, Outcome::Exhausted),
            (status::SILENT, Outcome::Silent),
            (status::REFUSED, Outcome::Refused),
            (status::RESET, Outcome::Reset),
        ]
        .into_iter()
        .find(|(field, _)| self.field(*field) != 0)
        .map(|(_, outcome)| outcome)
    }
}

/// The register `queue`: what has become of the last operations where several may be under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queue(pub u32);

impl Queue {
    /// There is no room for another one.
    #[must_use]
    pub fn full(self) -> bool {
        queue::FULL.get(self.0.into()) != 0
    }

    /// How the operation with this number since the reset has ended; `None`: it is under way, or
    /// was not begun, as one whose start is kept while the line changes its mode. Another one takes
    /// its place later.
    #[must_use]
    pub fn outcome(self, number: u64) -> regs::Outcome {
        let most = queue::MOST.get(self.0.into()).max(1);
        let begun = queue::STARTED.get(self.0.into());
        // Until it is begun, what stands in its place is of the one before it.
        let behind = begun.wrapping_sub(number + 1) % (1 << queue::STARTED.width);
        if behind >= most {
            return regs::Outcome::None;
        }
        let fields = [
            queue::OUTCOME_0,
            queue::OUTCOME_1,
            queue::OUTCOME_2,
            queue::OUTCOME_3,
        ];
        let field = fields[(number % most) as usize % fields.len()];
        regs::Outcome::from_bits(field.get(self.0.into())).unwrap_or(regs::Outcome::None)
    }
}

/// Looks at the queue of an end.
///
/// # Errors
/// Of the bus.
pub fn queue<R: Registers>(registers: &mut R) -> Result<Queue, R::Error> {
    registers.read(regs::QUEUE.offset).map(Queue)
}

/// A register with some fields set; what does not fit is cut off, as the published sums do it.
fn value(fields: &[(Field, u32)]) -> u32 {
    let value = |(field, value): &(Field, u32)| u64::from(*value) << field.low & field.mask();
    fields.iter().map(value).fold(0, |all, one| all | one) as u32
}

/// Starts an operation: lines 11 to 19. `new`: another speed than before, so that the link begins
/// with a reset.
///
/// # Errors
/// Of the bus.
pub fn start<R: Registers>(
    registers: &mut R,
    new: bool,
    operation: &Operation,
) -> Result<(), R::Error> {
    let mut put = |register: Register, fields: &[(Field, u32)]| {
        registers.write(register.offset, value(fields))
    };
    if new {
        put(regs::CONTROL, &[(control::RUN, Run::Off as u32)])?;
    }
    put(
        regs::MODE,
        &[
            (mode::READ, operation.read.into()),
            (mode::LANES, operation.lanes as u32),
            (mode::CRC, operation.crc.into()),
            (mode::LENGTH, operation.words),
        ],
    )?;
    put(
        regs::REMOTE_ADDRESS,
        &[(regs::remote_address::ADDRESS, operation.remote)],
    )?;
    put(
        regs::LOCAL_ADDRESS,
        &[(regs::local_address::ADDRESS, operation.local)],
    )?;
    put(
        regs::CONTROL,
        &[(control::RUN, operation.speed as u32), (control::START, 1)],
    )
}

/// Looks at the operation: line 20.
///
/// # Errors
/// Of the bus.
pub fn poll<R: Registers>(registers: &mut R) -> Result<Status, R::Error> {
    registers.read(regs::STATUS.offset).map(Status)
}

/// The whole program: starts an operation, and waits for its end.
///
/// # Errors
/// Of the bus.
pub fn execute<R: Registers>(
    registers: &mut R,
    new: bool,
    operation: &Operation,
) -> Result<Status, R::Error> {
    start(registers, new, operation)?;
    loop {
        let status = poll(registers)?;
        if !status.busy() {
            return Ok(status);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_of_an_operation_that_has_begun() {
        let queue = |begun: u32| Queue(1 << 20 | 2 << 24 | begun << 8 | 4 << 4);
        // Operations 16 to 18 have begun: 15 is the last one of before.
        assert_eq!(queue(3).outcome(17), regs::Outcome::Done);
        assert_eq!(queue(3).outcome(18), regs::Outcome::Refused);
        assert_eq!(queue(3).outcome(21), regs::Outcome::None);
        assert_eq!(queue(6).outcome(21), regs::Outcome::Done);
        assert_eq!(queue(6).outcome(17), regs::Outcome::None);
    }

    /// Writes down what the program does; the status is busy twice.
    #[derive(Default)]
    struct Script(Vec<(u32, u32)>, u32);

    impl Registers for Script {
        type Error = ();
        fn write(&mut self, address: u32, value: u32) -> Result<(), ()> {
            self.0.push((address, value));
            Ok(())
        }
        fn read(&mut self, address: u32) -> Result<u32, ()> {
            assert_eq!(address, 16);
            self.1 += 1;
            Ok(if self.1 < 3 { 1 } else { 0x0003_0182 })
        }
    }

    #[test]
    fn registers_are_written_as_the_paper_prints_it() {
        let operation = Operation {
            read: true,
            words: 65_536,
            lanes: Lanes::X4,
            crc: true,
            speed: Run::Fast,
            local: 64,
            remote: 0x1000,
        };
        let mut script = Script::default();
        let status = execute(&mut script, true, &operation).unwrap();
        let sum = 1 + (2 << 5) + (1 << 4);
        // gtps, SOFT_RESETN and START.
        let go = 1 + 1 + (1 << 4);
        let want = [(0, 0), (4, sum), (8, 0x1000), (12, 64), (0, go)];
        assert_eq!(script.0, want);
        assert_eq!(status.outcome(), Some(Outcome::Done));
        assert_eq!((status.retries(), status.up()), (1, true));
        script.0.clear();
        start(&mut script, false, &operation).unwrap();
        assert_eq!(script.0, want[1..]);
    }
}
