// SPDX-License-Identifier: Apache-2.0
//! The program that an interface runs on every frame that arrives (XDP), by calls to the kernel
//! (`bpf`).
//!
//! Frames of one EtherType get a number in front, 8 bytes in the order of this machine, and go to a
//! socket; all others go on to the kernel as ever. Numbers follow each other without a hole, so
//! whoever reads the socket sees exactly where frames were lost on the way to it: there was no
//! room, or the interface has put them into a queue that nobody reads. The kernel itself only says
//! how many.
//!
//! ```text
//! frame --> EtherType is ours? --yes--> number it --> socket of the queue, if there is one; otherwise drop it
//!                    |no
//!                    +--> kernel
//! ```
//!
//! The program is 30 instructions, so they stand here by hand and no compiler for them is needed.
//! It stays on the interface as long as its [`Program`] lives, and no longer than the process.

use crate::sys;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Bytes in front of a frame: its number.
pub(crate) const NUMBER: usize = 8;

/// Where an interface runs the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In its driver.
    Driver,
    /// Behind its driver, which every interface can do, slowly.
    Generic,
}

// Commands, kinds and flags: `linux/bpf.h`, `linux/if_link.h`.
const MAP_CREATE: i32 = 0;
const MAP_UPDATE: i32 = 2;
const PROGRAM_LOAD: i32 = 5;
const LINK_CREATE: i32 = 28;
const MAP_ARRAY: u32 = 2;
const MAP_SOCKETS: u32 = 17;
const PROGRAM_XDP: u32 = 6;
const ATTACH_XDP: u32 = 37;
const HAS_FRAGMENTS: u32 = 1 << 5;
const GENERIC: u32 = 1 << 1;
const DRIVER: u32 = 1 << 2;

// What a program returns.
const DROP: i32 = 1;
const PASS: i32 = 2;

// Functions that it may call.
const ADJUST_HEAD: i32 = 44;
const REDIRECT: i32 = 51;

/// Makes a call whose words are `words`.
fn bpf(command: i32, words: &[u32]) -> io::Result<i32> {
    let size = size_of_val(words) as u32;
    // SAFETY: the kernel reads `size` bytes, and what they point to, which the caller keeps alive.
    let said = unsafe { libc::syscall(libc::SYS_bpf, command, words.as_ptr(), size) };
    sys::check(said as i32)
}

/// The same for a call that makes a descriptor.
fn descriptor(command: i32, words: &[u32]) -> io::Result<OwnedFd> {
    let fd = bpf(command, words)?;
    // SAFETY: a new descriptor, which nobody else has.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// The two words of a pointer, as they lie in memory.
fn pointer<T>(place: *const T) -> [u32; 2] {
    let bytes = (place as u64).to_ne_bytes();
    [0, 4].map(|at| u32::from_ne_bytes(std::array::from_fn(|i| bytes[at + i])))
}

/// An instruction: what, registers for the result and the source, distance, number.
#[derive(Debug, Clone, Copy)]
struct Op(u8, u8, u8, i16, i32);

impl Op {
    fn encode(self) -> u64 {
        let Self(code, result, source, distance, number) = self;
        let registers = if cfg!(target_endian = "little") {
            result | source << 4
        } else {
            source | result << 4
        };
        let [d0, d1] = distance.to_ne_bytes();
        let [n0, n1, n2, n3] = number.to_ne_bytes();
        u64::from_ne_bytes([code, registers, d0, d1, n0, n1, n2, n3])
    }
}

/// The program.
fn program(ethertype: u16, count: i32, sockets: i32) -> Vec<u64> {
    // Places to jump to, which are known at the end.
    const TO_PASS: i16 = -1;
    const TO_DROP: i16 = -2;
    let copy = |result, source| Op(0xbf, result, source, 0, 0);
    let set = |result, number| Op(0xb7, result, 0, 0, number);
    let add = |result, number| Op(0x07, result, 0, 0, number);
    let load_word = |result, source, at| Op(0x61, result, source, at, 0);
    let load_half = |result, source, at| Op(0x69, result, source, at, 0);
    let jump_above = |left, right, to| Op(0x2d, left, right, to, 0);
    let jump_unless = |left, number, to| Op(0x55, left, 0, to, number);
    let call = |number| Op(0x85, 0, 0, 0, number);
    let exit = Op(0x95, 0, 0, 0, 0);
    // Of the context: where the frame begins and ends, and its queue.
    let (begin, end, queue) = (0, 4, 16);
    let mut ops = vec![
        copy(6, 1),
        load_word(2, 6, begin),
        load_word(3, 6, end),
        copy(4, 2),
        add(4, 14),
        jump_above(4, 3, TO_PASS),
        load_half(4, 2, 12),
        jump_unless(4, ethertype.to_be().into(), TO_PASS),
        // r7 = the number, atomically counted up: different queues have different processors.
        Op(0x18, 1, 2, 0, count),
        Op(0, 0, 0, 0, 0),
        set(7, 1),
        Op(0xdb, 1, 7, 0, 0x01),
        // Room in front, and the number into it.
        copy(1, 6),
        set(2, -(NUMBER as i32)),
        call(ADJUST_HEAD),
        jump_unless(0, 0, TO_DROP),
        load_word(2, 6, begin),
        load_word(3, 6, end),
        copy(4, 2),
        add(4, NUMBER as i32),
        jump_above(4, 3, TO_DROP),
        Op(0x7b, 2, 7, 0, 0),
        // To the socket.
        Op(0x18, 1, 1, 0, sockets),
        Op(0, 0, 0, 0, 0),
        load_word(2, 6, queue),
        set(3, DROP),
        call(REDIRECT),
        exit,
    ];
    let pass = ops.len();
    ops.extend([set(0, PASS), exit]);
    let drop = ops.len();
    ops.extend([set(0, DROP), exit]);
    for (place, op) in ops.iter_mut().enumerate() {
        let target = match op.3 {
            TO_PASS => pass,
            TO_DROP => drop,
            _ => continue,
        };
        op.3 = (target - place - 1) as i16;
    }
    ops.into_iter().map(Op::encode).collect()
}

/// The program on an interface.
#[derive(Debug)]
pub(crate) struct Program {
    sockets: OwnedFd,
    program: OwnedFd,
    /// Takes the program off the interface when it is closed.
    link: Option<OwnedFd>,
}

impl Program {
    /// Loads it. `fragments`: frames may be too long for one piece of memory.
    ///
    /// # Errors
    /// What the kernel says.
    pub(crate) fn load(ethertype: u16, fragments: bool) -> io::Result<Self> {
        let (word, double) = (4, 8);
        let count = descriptor(MAP_CREATE, &[MAP_ARRAY, word, double, 1, 0])?;
        let sockets = descriptor(MAP_CREATE, &[MAP_SOCKETS, word, word, 1, 0])?;
        let ops = program(ethertype, count.as_raw_fd(), sockets.as_raw_fd());
        let license = c"Apache-2.0";
        let ([ops_0, ops_1], [license_0, license_1]) =
            (pointer(ops.as_ptr()), pointer(license.as_ptr()));
        let flags = if fragments { HAS_FRAGMENTS } else { 0 };
        let mut words = [0; 18];
        words[..6].copy_from_slice(&[
            PROGRAM_XDP,
            ops.len() as u32,
            ops_0,
            ops_1,
            license_0,
            license_1,
        ]);
        words[11] = flags;
        words[17] = ATTACH_XDP;
        // It holds what it uses.
        let program = descriptor(PROGRAM_LOAD, &words)?;
        Ok(Self {
            sockets,
            program,
            link: None,
        })
    }

    /// Puts it on an interface.
    ///
    /// # Errors
    /// What the kernel says.
    pub(crate) fn attach(&mut self, interface: i32, place: Place) -> io::Result<()> {
        let flags = match place {
            Place::Driver => DRIVER,
            Place::Generic => GENERIC,
        };
        let program = self.program.as_raw_fd() as u32;
        let words = [program, interface as u32, ATTACH_XDP, flags];
        self.link = Some(descriptor(LINK_CREATE, &words)?);
        Ok(())
    }

    /// From now on frames of queue 0 go to a socket.
    ///
    /// # Errors
    /// What the kernel says.
    pub(crate) fn connect(&self, socket: &OwnedFd) -> io::Result<()> {
        let (key, value) = (0u32, socket.as_raw_fd());
        let map = self.sockets.as_raw_fd() as u32;
        let ([key_0, key_1], [value_0, value_1]) = (pointer(&key), pointer(&value));
        bpf(MAP_UPDATE, &[map, 0, key_0, key_1, value_0, value_1, 0, 0])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the kernel's own assembler has them.
    #[test]
    fn instructions() {
        if cfg!(target_endian = "little") {
            assert_eq!(Op(0xbf, 6, 1, 0, 0).encode(), 0x16bf);
            assert_eq!(Op(0x69, 4, 2, 12, 0).encode(), 0x000c_2469);
            assert_eq!(Op(0x55, 4, 0, -1, 8).encode(), 0x0000_0008_ffff_0455);
        }
    }

    /// Every jump goes forward, to one of the two ends.
    #[test]
    fn jumps() {
        let ops = program(0x0111, 3, 4);
        let bytes: Vec<_> = ops.iter().map(|op| op.to_ne_bytes()).collect();
        let mut jumps = 0;
        for (place, op) in bytes.iter().enumerate() {
            if [0x2d, 0x55].contains(&op[0]) {
                let distance = i16::from_ne_bytes([op[2], op[3]]);
                let target = place + 1 + usize::try_from(distance).unwrap();
                assert!(target == ops.len() - 4 || target == ops.len() - 2);
                jumps += 1;
            }
        }
        assert_eq!(jumps, 4);
    }
}
