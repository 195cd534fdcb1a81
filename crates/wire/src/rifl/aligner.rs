// SPDX-License-Identifier: Apache-2.0
//! Word aligner: finds the frame boundary in a raw lane by its two sync bits.
//!
//! Exact at word level: the same slips, the same frames and the same verdicts as `line_aligner` in
//! `cores/line`, word for word. The published core searches by other rules; the wire is the same.

use super::frame::Frame;
use super::params::{FrameWidth, MAX_WORDS};

/// Frames of a search, and length of the window in which illegal headers are counted.
pub const LOCK_FRAMES: u8 = 32;
/// Illegal headers in a window that lose the alignment.
pub const BAD_LIMIT: u8 = 4;

/// Verdict on alignment from the headers at the right place, one per frame.
///
/// What the aligner says when the rest of the line looks random, at most two frames early: it does
/// not know where in a frame the search begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HeaderWatch {
    aligned: bool,
    /// Headers of the search or of the window so far.
    count: u8,
    /// Illegal ones among them.
    bad: u8,
}

impl HeaderWatch {
    /// Whether the alignment is trusted.
    #[inline]
    #[must_use]
    pub const fn aligned(&self) -> bool {
        self.aligned
    }

    /// Takes the next header.
    #[inline]
    pub fn header(&mut self, legal: bool) {
        self.count += 1;
        self.bad += u8::from(!legal);
        if self.aligned && self.bad == BAD_LIMIT {
            *self = HeaderWatch::default();
        } else if self.count == LOCK_FRAMES {
            *self = HeaderWatch {
                aligned: self.aligned || self.bad == 0,
                count: 0,
                bad: 0,
            };
        }
    }
}

/// Whether the two top bits of a frame's first word differ.
#[inline]
#[must_use]
pub const fn legal_header(first: u64) -> bool {
    matches!(first >> 62, 1 | 2)
}

/// Between two searches, for the pass.
const REST: u8 = LOCK_FRAMES;

/// The search: all bit positions of a frame, one word of them at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Search {
    /// Frames of the search so far, or [`REST`].
    pass: u8,
    /// For each word of the frame the positions that were legal in every pass so far.
    alive: [u64; MAX_WORDS],
    /// Positions that survived the last pass, and the place of the last one.
    hits: u32,
    slip: u8,
    index: u8,
    /// The place to lock to is known.
    found: bool,
}

impl Search {
    const fn new() -> Self {
        Search {
            pass: REST,
            alive: [0; MAX_WORDS],
            hits: 0,
            slip: 0,
            index: 0,
            found: false,
        }
    }

    /// Takes the next raw word; gives the slip when the search has succeeded.
    fn word(&mut self, word: u64, previous: u64, index: u8, words: u8) -> Option<u8> {
        if self.pass < REST {
            let legal = word ^ (word << 1 | previous >> 63);
            let alive = &mut self.alive[usize::from(index)];
            if self.pass == 0 {
                *alive = u64::MAX;
                self.hits = 0;
            }
            *alive &= legal;
            if self.pass == REST - 1 && *alive != 0 {
                self.hits += alive.count_ones();
                self.slip = alive.trailing_zeros() as u8;
                self.index = index;
            }
        } else if index == 1 && self.hits == 1 {
            self.hits = 0;
            self.found = true;
            return Some(self.slip);
        }
        if index + 1 == words {
            self.pass = if self.pass == REST { 0 } else { self.pass + 1 };
        }
        None
    }
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
    search: Search,
    width: FrameWidth,
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
            search: Search::new(),
            width,
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
    /// The frames of a search are given as well (not aligned), because the receiver behind sees
    /// them.
    #[inline]
    pub fn word(&mut self, word: u64) -> Option<(Frame, bool)> {
        let window = u128::from(word) << 64 | u128::from(self.previous);
        let aligned_word = (window >> (self.slip + 1)) as u64;
        let mut index = self.index;
        // The header is checked in the register behind the cut: the verdict comes after this word.
        if self.watch.aligned {
            if self.header_waits {
                self.watch.header(legal_header(self.frame[0]));
            }
        } else if self.search.found {
            if index == self.search.index {
                self.search.found = false;
                self.watch = HeaderWatch {
                    aligned: true,
                    count: 0,
                    bad: 0,
                };
                index = 0;
            }
        } else if let Some(slip) = self.search.word(word, self.previous, index, self.words) {
            self.slip = slip;
        }
        self.previous = word;
        self.header_waits = index == 0;
        self.frame[usize::from(index)] = aligned_word;
        let last = index + 1 == self.words;
        self.index = if last { 0 } else { index + 1 };
        if last { self.frame() } else { None }
    }

    #[inline]
    fn frame(&self) -> Option<(Frame, bool)> {
        let frame = Frame::of(self.width, &self.frame[..usize::from(self.words)])?;
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
        let lock = u32::from(LOCK_FRAMES);
        // One illegal header spoils a search, the next one succeeds.
        for i in 0..2 * lock {
            assert!(!watch.aligned());
            watch.header(i != 5);
        }
        assert!(watch.aligned());
        // Three in one window and three in the next are tolerated.
        for i in 0..2 * lock {
            watch.header(!(lock - 3..lock + 3).contains(&i));
            assert!(watch.aligned());
        }
        for i in 0..4 {
            assert!(watch.aligned(), "lost before the fourth: {i}");
            watch.header(false);
        }
        assert!(!watch.aligned());
    }

    #[test]
    fn a_line_that_repeats_itself_never_aligns() {
        let mut random = Random::fresh("repeated line");
        for width in [FrameWidth::W256, FrameWidth::W512] {
            let mut frame = line(&mut random, 1, width, 0, 0);
            let mut lines = vec![
                vec![0],
                vec![u64::MAX],
                vec![0xaaaa_aaaa_aaaa_aaaa],
                vec![1],
            ];
            lines.push(core::mem::take(&mut frame));
            for repeated in lines {
                let mut aligner = Aligner::new(width);
                for word in repeated.iter().cycle().take(1000) {
                    aligner.word(*word);
                    assert!(!aligner.aligned());
                }
            }
        }
    }

    #[test]
    fn a_cut_is_noticed_and_survived() {
        let mut random = Random::fresh("cut");
        let width = FrameWidth::W256;
        let mut words = line(&mut random, 3000, width, 17, 1);
        words.extend(core::iter::repeat_n(0, 64));
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
