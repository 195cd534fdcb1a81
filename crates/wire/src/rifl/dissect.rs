// SPDX-License-Identifier: Apache-2.0
//! A recorded lane as somebody sees it who has no part in the link: where its frames begin, which
//! ids they have, which are damaged and which are replayed.
//!
//! A receiver knows from the start of the link which frame it awaits. A recording begins anywhere,
//! so ids are followed instead: the code of an undamaged frame names its id, and the next frame has
//! to go on from there. The boundary is that of [`Aligner`], with which a recording is searched as
//! a whole: what lies in front of the place where the aligner is sure is taken as well.

use super::aligner::{Aligner, legal_header};
use super::code;
use super::ext::{Announcement, Detail, Phase, Unreadable};
use super::frame::{Control, Frame, Kind};
use super::params::{FrameWidth, IdWidth, LaneParams, MAX_WORDS, WORD_BITS};
use super::scrambler::Descrambler;
use alloc::vec::Vec;

/// Bytes of user data that two frames do not share by chance.
const TELLING: u8 = 8;

/// Frames without a gap between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// Where the first one begins, in bits from the start of the recording.
    pub bit: u64,
    /// How many.
    pub frames: u64,
}

/// The word of 64 bits that begins at a bit of a recording; zeros behind its end.
fn word_at(words: &[u64], bit: u64) -> u64 {
    let (index, shift) = ((bit / WORD_BITS as u64) as usize, bit % WORD_BITS as u64);
    let word = |index: usize| words.get(index).copied().unwrap_or(0);
    let both = u128::from(word(index + 1)) << WORD_BITS | u128::from(word(index));
    (both >> shift) as u64
}

/// The frame that begins at a bit of a recording: words of 64 bits, of which bit 0 is the first on
/// the line. None: it is wider than the models' frames.
#[must_use]
pub fn frame_at(words: &[u64], width: FrameWidth, bit: u64) -> Option<Frame> {
    let mut frame = [0; MAX_WORDS];
    let frame = frame.get_mut(..width.words())?;
    for (place, word) in frame.iter_mut().enumerate() {
        *word = word_at(words, bit + (place * WORD_BITS) as u64);
    }
    Frame::of(width, frame)
}

/// Where the frames of a recording are: words of 64 bits, of which bit 0 is the first on the line.
/// Bits that belong to no stretch had no boundary that the aligner trusted.
#[must_use]
pub fn stretches(words: &[u64], width: FrameWidth) -> Vec<Stretch> {
    let mut found: Vec<Stretch> = Vec::new();
    let mut aligner = Aligner::new(width);
    let bits = u64::from(width.bits());
    // Bits in front of it belong to the last stretch.
    let mut free = 0;
    let mut open = false;
    for (index, &word) in words.iter().enumerate() {
        let Some((_, aligned)) = aligner.word(word) else {
            continue;
        };
        if !aligned {
            open = false;
            continue;
        }
        let end = index as u64 * WORD_BITS as u64 + u64::from(aligner.slip()) + 1;
        let begin = end.saturating_sub(bits);
        match found.last_mut() {
            Some(last) if open => last.frames += 1,
            _ => {
                let legal = |bit: u64| legal_header(word_at(words, bit));
                let mut bit = begin;
                while bit >= free + bits && legal(bit - bits) {
                    bit -= bits;
                }
                let frames = (begin - bit) / bits + 1;
                found.push(Stretch { bit, frames });
            }
        }
        free = end;
        open = true;
    }
    found
}

/// What the code of a frame says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Check {
    /// It names the id that is next.
    Good,
    /// It names another one, and the frame behind goes on from there: frames are missing, or ids
    /// have begun anew.
    Jump,
    /// It names no id that may come.
    Damaged,
    /// The first frame of a stretch, with nothing to compare it with.
    Unknown,
}

/// What is known of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// As it was sent, but for its scrambling.
    pub plain: Frame,
    /// What it says; none: it is damaged, or it is the first one of a stretch, of which the bits in
    /// front are not known with which it was scrambled.
    pub kind: Option<Kind>,
    /// The frame in front is damaged, so its own first 33 bits may be wrong.
    pub doubtful: bool,
    /// What its code says.
    pub check: Check,
    /// Its id, of a control frame that of the next data frame; none: it is not known.
    pub id: Option<u16>,
    /// Announcement of a control frame of the extended mode, or why there is none.
    pub announcement: Option<Result<Announcement, Unreadable>>,
    /// A data frame that was sent before.
    pub replayed: bool,
}

/// What is known of the bits in front of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Front {
    Unknown,
    Damaged,
    Good,
}

/// Frames that are sent again, until the id of the first one that never was.
#[derive(Debug, Clone, Copy)]
struct Replay {
    head: u16,
    left: u16,
}

/// Follows the frames of a lane in one direction.
#[derive(Debug, Clone)]
pub struct Dissector {
    id: IdWidth,
    extended: bool,
    descrambler: Descrambler,
    front: Front,
    /// Data frames have bound codes, as far as the last control frame says.
    bound: bool,
    /// Id of the next data frame.
    expected: Option<u16>,
    /// Frames since the last good one, each of which may have been a data frame.
    damaged: u16,
    /// What the next frame names if the last one, which did not fit, is undamaged.
    instead: Option<u16>,
    /// That one, as if it were undamaged.
    held: Option<Seen>,
    /// Known by its ids.
    replay: Option<Replay>,
    /// The last good frame was a control frame.
    behind_control: bool,
    /// The last 2^IdWidth data frames by their ids, without bound codes.
    sent: Vec<Option<Frame>>,
    last_data: Option<Frame>,
    repeats: bool,
}

impl Dissector {
    /// For a lane of these widths. `extended`: control frames may have announcements, and where
    /// these say that the session is up, data frames have bound codes; else none has.
    #[must_use]
    pub fn new(lane: LaneParams, extended: bool) -> Self {
        Dissector {
            id: lane.id(),
            extended,
            descrambler: Descrambler::default(),
            front: Front::Unknown,
            bound: extended,
            expected: None,
            damaged: 0,
            instead: None,
            held: None,
            replay: None,
            behind_control: false,
            sent: alloc::vec![None; usize::from(lane.id().frames())],
            last_data: None,
            repeats: false,
        }
    }

    /// Frames are missing in front of the next one. Gives the last one, if it was kept.
    pub fn gap(&mut self) -> Option<Seen> {
        let kept = self.refuse();
        self.front = Front::Unknown;
        self.expected = None;
        self.damaged = 0;
        self.instead = None;
        self.replay = None;
        kept
    }

    /// The frame that was kept, which nothing goes on from.
    fn refuse(&mut self) -> Option<Seen> {
        let mut kept = self.held.take()?;
        if kept.check != Check::Unknown {
            kept.check = Check::Damaged;
        }
        (kept.id, kept.kind, kept.announcement) = (None, None, None);
        Some(kept)
    }

    /// The frame that was kept, from which the next one goes on.
    fn undamaged(&mut self) -> Option<Seen> {
        self.replay = None;
        let mut kept = self.held.take()?;
        // What follows goes on from it, not from what was expected.
        let expected = self.expected.take();
        let id = kept.id?;
        // Damaged frames may lie between; this one is counted as well.
        let skips = |expected: u16| {
            let ahead = id.wrapping_sub(expected) & self.id.mask();
            (1..=self.damaged).contains(&ahead)
        };
        match expected {
            None => kept.check = Check::Good,
            // A replay in compatible mode, behind a control frame, leaves out the oldest frame.
            Some(head) if skips(head) && !self.bound && self.behind_control => {
                kept.check = Check::Good;
                let left = self.id.mask();
                self.replay = Some(Replay { head, left });
                self.follow(&mut kept);
            }
            Some(_) => {}
        }
        Some(kept)
    }

    /// Takes the next frame; calls `found` with it, or with one that was kept until it was there,
    /// or with both. The last one may be kept: [`Dissector::gap`] gives it.
    pub fn frame(&mut self, frame: &Frame, mut found: impl FnMut(Seen)) {
        let mask = self.id.mask();
        let state = self.descrambler.state();
        let (data, control) = (frame.is_data(), frame.is_control());
        let mut plain = *frame;
        self.descrambler.frame(&mut plain);
        let named = if self.bound {
            code::syndrome_bound(frame, state)
        } else {
            code::syndrome(frame)
        };
        let first = self.front == Front::Unknown;
        // The bits in front of the first frame are not known, with which a bound code begins.
        let readable = (data || control) && !(first && data && self.bound);
        let readable = readable && code::strong_fits(frame, state);
        let named = Some(named).filter(|id| id & !mask == 0 && readable);
        let behind = |id: u16| (id + u16::from(data)) & mask;
        let announcement = (control && self.extended && !first && named.is_some())
            .then(|| Control::from_key(plain.key()))
            .flatten()
            .map(|key| Announcement::decode(key, plain.reserved()));
        let check = if first {
            Check::Unknown
        } else {
            self.check(named, announcement)
        };
        let mut seen = Seen {
            plain,
            kind: (!first).then(|| plain.kind()),
            doubtful: self.front == Front::Damaged,
            check,
            id: named,
            announcement,
            replayed: false,
        };
        if matches!(check, Check::Good | Check::Jump) {
            let kept = if check == Check::Jump {
                // The frame in front was undamaged: this one goes on from it.
                seen.check = Check::Good;
                seen.doubtful = false;
                self.undamaged()
            } else {
                self.refuse()
            };
            kept.into_iter().for_each(&mut found);
            self.follow(&mut seen);
            self.behind_control = control;
            self.expected = named.map(behind);
            self.damaged = 0;
            self.instead = None;
            self.front = Front::Good;
            found(seen);
        } else {
            self.refuse().into_iter().for_each(&mut found);
            self.damaged = self.damaged.saturating_add(1).min(self.id.frames() / 4);
            self.instead = named.map(behind);
            if !first {
                // What it is if the next frame goes on from it.
                seen.check = if self.expected.is_some() {
                    Check::Jump
                } else {
                    Check::Good
                };
            }
            self.front = Front::Damaged;
            self.held = Some(seen);
        }
    }

    /// Whether the id that a frame names is one that may come.
    fn check(
        &self,
        named: Option<u16>,
        announcement: Option<Result<Announcement, Unreadable>>,
    ) -> Check {
        let Some(named) = named else {
            return Check::Damaged;
        };
        // An announcement names it once more, under a check of its own.
        if let Some(Ok(said)) = announcement
            && let Detail::Sequence(sequence) = said.detail
            && sequence.next == named
        {
            return Check::Good;
        }
        let next = |expected: u16| named.wrapping_sub(expected) & self.id.mask() <= self.damaged;
        // Behind a damaged frame the two agree only by chance.
        if self.instead == Some(named) {
            Check::Jump
        } else if self.expected.is_some_and(next) {
            Check::Good
        } else {
            Check::Damaged
        }
    }

    /// What follows of a good frame.
    fn follow(&mut self, seen: &mut Seen) {
        match seen.announcement {
            Some(Ok(said)) => self.bound = said.phase == Phase::Up,
            Some(Err(Unreadable::Plain)) => self.bound = false,
            // Its first bits may be wrong, behind a damaged frame.
            Some(Err(Unreadable::Check { .. } | Unreadable::Version(_))) | None => {}
        }
        let Some(id) = seen.id else {
            return;
        };
        // What damaged frames held is not known.
        let mut lost = self.expected.unwrap_or(id);
        for _ in 0..self.damaged {
            if lost != id {
                self.sent[usize::from(lost)] = None;
                lost = (lost + 1) & self.id.mask();
            }
        }
        if seen.plain.is_data() {
            let repeats = !self.bound && self.repeats(&seen.plain, id);
            seen.replayed = self.is_behind(id) || repeats;
        } else if self.bound {
            self.jump_back(id);
        }
    }

    /// A control frame of a session names the next data frame: one that was sent, if it is not the
    /// expected one.
    fn jump_back(&mut self, id: u16) {
        let Some(expected) = self.expected.filter(|&expected| expected != id) else {
            return;
        };
        if self.damaged == 0 {
            let head = self.replay.map_or(expected, |replay| replay.head);
            let left = head.wrapping_sub(id) & self.id.mask();
            self.replay = Some(Replay { head, left });
        }
    }

    /// Whether the id of a data frame says that it was sent before.
    fn is_behind(&mut self, id: u16) -> bool {
        let Some(replay) = &mut self.replay else {
            return false;
        };
        let left = replay.head.wrapping_sub(id) & self.id.mask();
        let behind = left > 0 && left <= replay.left;
        replay.left = left;
        if !behind {
            self.replay = None;
        }
        behind
    }

    /// Whether the content of a data frame in compatible mode says that it was sent before. A
    /// replay of the published core repeats the buffer under ids that go on, between control
    /// frames: a frame has the id of the one 2^IdWidth before. The replay begins behind a control
    /// frame with user data that are those of that frame and not those of the last one. It ends
    /// with a frame that differs.
    fn repeats(&mut self, plain: &Frame, id: u16) -> bool {
        let mut frame = *plain;
        frame.set_code(0);
        let before = self.sent[usize::from(id)].replace(frame);
        let last = self.last_data.replace(frame);
        let long = matches!(
            frame.kind(),
            Kind::User {
                bytes: TELLING..,
                ..
            }
        );
        let tells = long && self.behind_control && last != Some(frame);
        self.repeats = match before {
            Some(before) => before == frame && (self.repeats || tells),
            None => self.repeats,
        };
        self.repeats
    }
}

/// The lane with which most frames of a recording are good: with and without the [stronger
/// code](crate::rifl::code#the-stronger-code) where the width has one, and with this width of the
/// id or any. Of equals the one with the stronger code, then the narrowest id: frames with that
/// code are good without it, too.
#[must_use]
pub fn lane_params(
    words: &[u64],
    width: FrameWidth,
    id: Option<IdWidth>,
    found: &[Stretch],
    extended: bool,
) -> LaneParams {
    let strong = width.with_strong_code().ok().filter(|_| extended);
    let ids = (IdWidth::MIN.bits()..=IdWidth::MAX.bits())
        .filter_map(|bits| IdWidth::new(bits.into()).ok())
        .filter(|&it| id.is_none_or(|id| it == id));
    let mut best = LaneParams::new(width, id.unwrap_or(IdWidth::MIN));
    let mut most = 0;
    for width in strong.into_iter().chain([width]) {
        for id in ids.clone() {
            let lane = LaneParams::new(width, id);
            let mut good = 0;
            dissect(words, lane, found, extended, |_, seen| {
                good += u64::from(seen.check == Check::Good);
            });
            if good > most {
                (best, most) = (lane, good);
            }
        }
    }
    best
}

/// Calls `take` with the bit at which each frame of these stretches begins, and what is known of
/// it. Gives the stretches from their first good frame on: in front of it there is something else,
/// such as a transmitter in reset, that has legal headers by chance. A stretch without a good frame
/// is given whole.
pub fn dissect(
    words: &[u64],
    lane: LaneParams,
    found: &[Stretch],
    extended: bool,
    mut take: impl FnMut(u64, Seen),
) -> Vec<Stretch> {
    let mut dissector = Dissector::new(lane, extended);
    let bits = u64::from(lane.frame().bits());
    let mut taken = Vec::new();
    for stretch in found {
        let mut front = Vec::new();
        let mut any = false;
        let mut bit = stretch.bit;
        let mut given = |seen: Seen| {
            any |= seen.check == Check::Good;
            if any {
                take(bit, seen);
            } else {
                front.push((bit, seen));
            }
            bit += bits;
        };
        for place in 0..stretch.frames {
            if let Some(frame) = frame_at(words, lane.frame(), stretch.bit + place * bits) {
                dissector.frame(&frame, &mut given);
            }
        }
        dissector.gap().into_iter().for_each(given);
        let left_out = if any { front.len() as u64 } else { 0 };
        if !any {
            front.into_iter().for_each(|(bit, seen)| take(bit, seen));
        }
        taken.push(Stretch {
            bit: stretch.bit + left_out * bits,
            frames: stretch.frames - left_out,
        });
    }
    taken
}
