// SPDX-License-Identifier: Apache-2.0
//! What a line looks like while its receiver finds nothing on it.

use ropewalk_sim::MAX_REPEAT;
use ropewalk_watch::Reason;

/// Words that are kept: enough to see the longest frame twice.
const WORDS: usize = 2 * MAX_REPEAT as usize;

/// The last words of a lane.
#[derive(Debug, Clone)]
pub(super) struct Line {
    words: [u64; WORDS],
    next: usize,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            words: std::array::from_fn(|place| place as u64),
            next: 0,
        }
    }
}

impl Line {
    #[inline]
    pub(super) fn push(&mut self, word: u64) {
        self.words[self.next] = word;
        self.next = (self.next + 1) % WORDS;
    }

    /// After how many words the line repeats itself, if all that is kept does so.
    fn period(&self) -> Option<usize> {
        (1..=WORDS / 2).find(|&period| {
            let same = |place: usize| self.words[place] == self.words[(place + period) % WORDS];
            // Across the place where the oldest word meets the newest one nothing has to fit.
            (0..WORDS - period).all(|age| same((self.next + age) % WORDS))
        })
    }

    /// What is wrong with it; none: it changes, as data and noise do. `name` names the lane.
    pub(super) fn reason(&self, name: &str) -> Option<Reason> {
        let (code, what) = match (self.period()?, self.words[0]) {
            (1, 0) => (
                "line_zero",
                "sees nothing but zeros: the line is cut or silent".to_owned(),
            ),
            (1, u64::MAX) => (
                "line_one",
                "sees nothing but ones: the line is stuck".to_owned(),
            ),
            (1, 0x5555_5555_5555_5555 | 0xaaaa_aaaa_aaaa_aaaa) => (
                "line_alternating",
                "sees 1010 alone: a clock without data".to_owned(),
            ),
            (1, _) => ("line_stuck", "sees one word again and again".to_owned()),
            (period, _) => (
                "line_repeats",
                format!("sees the same {period} words again and again"),
            ),
        };
        Some(Reason::new(code, format!("{name} {what}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(words: impl Iterator<Item = u64>) -> Option<String> {
        let mut line = Line::default();
        words.for_each(|word| line.push(word));
        line.reason("lane").map(|reason| reason.code.to_string())
    }

    #[test]
    fn every_pattern_has_its_name_and_data_have_none() {
        let seen = |word: u64| code(std::iter::repeat_n(word, 70));
        assert_eq!(seen(0).as_deref(), Some("line_zero"));
        assert_eq!(seen(u64::MAX).as_deref(), Some("line_one"));
        assert_eq!(
            seen(0x5555_5555_5555_5555).as_deref(),
            Some("line_alternating")
        );
        assert_eq!(seen(7).as_deref(), Some("line_stuck"));
        for period in [2, 4, 31, 32] {
            let text = code((0..100).map(|word| word % period));
            assert_eq!(text.as_deref(), Some("line_repeats"), "{period}");
        }
        assert_eq!(code((0..100).map(|word| word % 33)), None);
        assert_eq!(code(std::iter::empty()), None);
        // Not before all of the older words are gone.
        assert_eq!(code((0..70).chain(std::iter::repeat_n(0, 63))), None);
    }
}
