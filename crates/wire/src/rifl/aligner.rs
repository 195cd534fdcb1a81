// SPDX-License-Identifier: Apache-2.0
//! Word aligner: finds the frame boundary in a raw lane by its two sync bits.
//!
//! Exact at word level: the same slips, the same frames and the same verdicts as `line_aligner` in
//! `cores/line`, word for word. The published core searches by other rules; the wire is the same.

use super::frame::Frame;
use super::params::{FrameWidth, MAX_WORDS};

/// Legal headers in a row that align, and length of the window in which illegal ones are counted.
pub const LOCK_FRAMES: u8 = 64;
/// Illegal headers in a window that lose the alignment.
pub const BAD_LIMIT: u8 = 4;

/// Verdict on alignment from one header per frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HeaderWatch {
    aligned: bool,
    /// Searching: legal headers in a row. Aligned: headers of the window so far.
    count: u8,
    /// Illegal headers of the window.
    bad: u8,
}

impl HeaderWatch {
    /// Whether the alignment is trusted.
    #[inline]
    #[must_use]
    pub const fn aligned(&self) -> bool {
        self.aligned
    }

    /// Takes the next header; `true` asks for a step to the next bit position.
    #[inline]
    pub fn header(&mut self, legal: bool) -> bool {
        if !self.aligned {
            self.count = if legal { self.count + 1 } else { 0 };
            if self.count == LOCK_FRAMES {
                *self = HeaderWatch {
                    aligned: true,
                    count: 0,
                    bad: 0,
                };
            }
            return !legal;
        }
        self.count += 1;
        self.bad += u8::from(!legal);
        if self.bad == BAD_LIMIT {
            *self = HeaderWatch::default();
        } else if self.count == LOCK_FRAMES {
            self.count = 0;
            self.bad = 0;
        }
        false
    }
}

/// Whether the two top bits of a frame's first word differ.
#[inline]
#[must_use]
pub const fn legal_header(first: u64) -> bool {
    matches!(first >> 62, 1 | 2)
}

/// Cuts a stream of raw words into frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aligner {
    /// Bit position, 0 to 63; 63 takes the words as they come.
    slip: u8,
    previous: u64,
    /// Place in the frame of the next aligned word.
    index: u8,
    words: u8,
    /// The last word was the first of a frame and its header is not checked yet.
    header_waits: bool,
    watch: HeaderWatch,
    frame: [u64; MAX_WORDS],
}

impl Aligner {
    /// An aligner after reset.
    #[must_use]
    pub fn new(width: FrameWidth) -> Self {
        Aligner {
            slip: 63,
            previous: 0,
            index: 0,
            words: width.words().min(MAX_WORDS) as u8,
            header_waits: false,
            watch: HeaderWatch::default(),
            frame: [0; MAX_WORDS],
        }
    }

    /// Bit position in use, 0 to 63.
    #[must_use]
    pub const fn slip(&self) -> u8 {
        self.slip
    }

    /// Whether the alignment is trusted.
    #[must_use]
    pub const fn aligned(&self) -> bool {
        self.watch.aligned
    }

    /// Takes the next raw word; gives the frame that it completes, with the verdict on it.
    ///
    /// The frames of a search are given as well (not aligned), because the receiver behind sees them.
    #[inline]
    pub fn word(&mut self, word: u64) -> Option<(Frame, bool)> {
        let window = u128::from(word) << 64 | u128::from(self.previous);
        let aligned_word = (window >> (self.slip + 1)) as u64;
        self.previous = word;
        let index = self.index;
        self.frame[usize::from(index)] = aligned_word;
        let last = index + 1 == self.words;
        self.index = if last { 0 } else { index + 1 };
        // The header is checked in the register behind the cut, so a step takes effect after this word.
        if self.header_waits {
            if self.check() {
                self.index = index;
            }
            self.header_waits = false;
        }
        if index == 0 {
            self.header_waits = true;
        }
        if last { self.frame() } else { None }
    }

    /// Checks the header of the current frame; `true` when the position has wrapped around, so that the
    /// frame boundary moves by one word.
    #[inline]
    fn check(&mut self) -> bool {
        if !self.watch.header(legal_header(self.frame[0])) {
            return false;
        }
        self.slip = (self.slip + 1) % 64;
        self.slip == 0
    }

    #[inline]
    fn frame(&self) -> Option<(Frame, bool)> {
        let frame = Frame::from_words(&self.frame[..usize::from(self.words)])?;
        Some((frame, self.watch.aligned))
    }
}

#[cfg(test)]
mod tests {
    use super::super::code;
    use super::super::scrambler::Scrambler;
    use super::*;
    use crate::rifl::link::Random;

    /// Words of `frames` scrambled frames, delayed by `slip` bits and `lead` whole words.
    fn line(
        random: &mut Random,
        frames: usize,
        width: FrameWidth,
        slip: u32,
        lead: usize,
    ) -> Vec<u64> {
        let mut scrambler = Scrambler::with_state(random.bits());
        let mut words: Vec<u64> = (0..lead).map(|_| random.bits()).collect();
        for id in 0..frames {
            let mut frame = Frame::invalid(width);
            scrambler.frame(&mut frame);
            code::seal(&mut frame, (id % 64) as u16);
            words.extend_from_slice(frame.words());
        }
        let mut before = 0;
        words
            .into_iter()
            .map(|word| {
                let out = if slip == 0 {
                    word
                } else {
                    word << slip | before >> (64 - slip)
                };
                before = word;
                out
            })
            .collect()
    }

    #[test]
    fn aligns_at_every_slip_and_place() {
        let mut random = Random::fresh("aligner");
        for width in [FrameWidth::W256, FrameWidth::W512] {
            for slip in 0..64 {
                let lead = random.below(8) as usize;
                let mut aligner = Aligner::new(width);
                let mut good = 0u32;
                let mut last_id = None;
                for word in line(&mut random, 4000, width, slip, lead) {
                    let Some((frame, aligned)) = aligner.word(word) else {
                        continue;
                    };
                    if !aligned {
                        assert_eq!(good, 0, "lost a clean line");
                        continue;
                    }
                    // Every frame behind the lock verifies, and none is skipped.
                    let id = code::syndrome(&frame);
                    assert!(id < 64 && last_id.is_none_or(|last| (last + 1) % 64 == id));
                    last_id = Some(id);
                    good += 1;
                }
                assert!(good > 1000, "width {width} slip {slip}: {good} frames");
                assert_eq!(u32::from(aligner.slip()), (slip + 63) % 64);
            }
        }
    }

    #[test]
    fn four_illegal_headers_in_a_window_lose_the_lock() {
        let mut watch = HeaderWatch::default();
        for _ in 0..63 {
            assert!(!watch.header(true) && !watch.aligned());
        }
        assert!(watch.header(false), "an illegal header asks for a step");
        for _ in 0..64 {
            assert!(!watch.aligned());
            watch.header(true);
        }
        assert!(watch.aligned());
        // Three in one window and three in the next are tolerated.
        for i in 0..128 {
            watch.header(!(61..67).contains(&i));
            assert!(watch.aligned());
        }
        for i in 0..4 {
            assert!(watch.aligned(), "lost before the fourth: {i}");
            assert!(!watch.header(false), "no step at the loss");
        }
        assert!(!watch.aligned());
    }

    #[test]
    fn a_cut_is_noticed_and_survived() {
        let mut random = Random::fresh("cut");
        let width = FrameWidth::W256;
        let mut words = line(&mut random, 3000, width, 17, 1);
        words.extend(std::iter::repeat_n(0, 64));
        words.extend(line(&mut random, 3000, width, 40, 2));
        let mut aligner = Aligner::new(width);
        let verdicts: Vec<bool> = words
            .into_iter()
            .filter_map(|word| aligner.word(word))
            .map(|(_, ok)| ok)
            .collect();
        let changes = verdicts
            .windows(2)
            .filter(|pair| pair[0] != pair[1])
            .count();
        assert_eq!(changes, 3, "locked, lost, locked");
        assert!(verdicts[verdicts.len() - 1]);
    }
}
