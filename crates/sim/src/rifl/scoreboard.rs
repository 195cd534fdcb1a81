// SPDX-License-Identifier: Apache-2.0
//! Compares what was delivered with what was sent, byte for byte, and names what is wrong.

use std::collections::VecDeque;

/// Delivered packets that are remembered, to recognise duplicates.
const HISTORY: usize = 1024;

/// So far ahead a delivered packet is looked for among the packets sent.
const LOOK_AHEAD: usize = 4096;

/// Packets that were passed over and may still come.
const MISSING: usize = 4096;

/// What a delivered packet turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The one that was due; with the time at which its first beat was accepted, in femtoseconds.
    InOrder(u64),
    /// A later one than was due; those before it are lost unless they still come.
    Early,
    /// One that was passed over before.
    Late,
    /// One that had been delivered already.
    Duplicate,
    /// None that was sent.
    Corrupt,
    /// The beginning of one that a reset cut, marked as such.
    Aborted,
}

#[derive(Debug)]
struct Sent {
    bytes: Vec<u8>,
    /// When the first beat was accepted.
    accepted: u64,
    /// All of it was accepted.
    complete: bool,
    /// A reset may have cut it: it need not come.
    excused: bool,
    /// Its receiver was told that it is cut.
    told: bool,
}

/// One direction.
#[derive(Debug, Default)]
pub(super) struct Scoreboard {
    /// Packets whose first beat was accepted and that are not delivered yet, oldest first. Only the
    /// last one may be incomplete.
    due: VecDeque<Sent>,
    missing: VecDeque<Sent>,
    history: VecDeque<Vec<u8>>,
    /// Buffers to use again.
    pool: Vec<Vec<u8>>,
    pub(super) duplicated: u64,
    pub(super) reordered: u64,
    pub(super) corrupted: u64,
    pub(super) aborted: u64,
    /// Lost for good: passed over so long ago that nobody waits for them.
    forgotten: u64,
    /// Passed over, and no wonder.
    cut: u64,
}

impl Scoreboard {
    /// A buffer for the next packet.
    pub(super) fn buffer(&mut self) -> Vec<u8> {
        self.pool.pop().unwrap_or_default()
    }

    /// The first beat of a packet was accepted; `excused`: while a reset is under way.
    pub(super) fn begin(&mut self, bytes: Vec<u8>, now: u64, excused: bool) {
        self.due.push_back(Sent {
            bytes,
            accepted: now,
            complete: false,
            excused,
            told: false,
        });
    }

    /// A reset may cut everything that is on its way.
    pub(super) fn excuse(&mut self) {
        for sent in self.due.iter_mut().chain(&mut self.missing) {
            sent.excused = true;
        }
    }

    /// The packet whose beats are being accepted.
    #[inline]
    pub(super) fn sending(&self) -> &[u8] {
        self.due.back().map_or(&[], |sent| &sent.bytes)
    }

    /// The last beat of the packet was accepted.
    pub(super) fn end(&mut self) {
        if let Some(sent) = self.due.back_mut() {
            sent.complete = true;
        }
    }

    /// Packets sent and not delivered: complete ones that no reset excuses.
    pub(super) fn outstanding(&self) -> u64 {
        self.due
            .iter()
            .filter(|sent| sent.complete && !sent.excused)
            .count() as u64
    }

    /// Nothing is on its way but what a reset may have cut.
    #[inline]
    pub(super) fn is_settled(&self) -> bool {
        self.due.iter().all(|sent| sent.excused)
    }

    /// Nothing is on its way.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.due.is_empty()
    }

    /// Packets that were passed over and have not come, without those that a reset excuses.
    pub(super) fn lost(&self) -> u64 {
        self.forgotten + self.missing.iter().filter(|sent| !sent.excused).count() as u64
    }

    /// Packets that have not come after a reset that may have cut them, begun ones included.
    pub(super) fn cut(&self) -> u64 {
        let excused = |list: &VecDeque<Sent>| list.iter().filter(|sent| sent.excused).count();
        self.cut + (excused(&self.due) + excused(&self.missing)) as u64
    }

    /// A packet was delivered.
    pub(super) fn deliver(&mut self, packet: &[u8]) -> Verdict {
        if let Some(first) = self.due.front()
            && first.complete
            && first.bytes == packet
        {
            let accepted = first.accepted;
            self.retire_first();
            return Verdict::InOrder(accepted);
        }
        self.judge(packet)
    }

    /// A packet of which this much was delivered ended with an error mark.
    pub(super) fn abort(&mut self, part: &[u8]) -> Verdict {
        let begins = |sent: &Sent| sent.excused && !sent.told && sent.bytes.starts_with(part);
        let Some(index) = self.due.iter().position(begins) else {
            self.corrupted += 1;
            return Verdict::Corrupt;
        };
        self.missing.extend(self.due.drain(..index));
        self.aborted += 1;
        // It stays among the packets that do not come: its rest may not even have been handed over.
        if let Some(sent) = self.due.front_mut() {
            sent.told = true;
        }
        Verdict::Aborted
    }

    #[cold]
    fn judge(&mut self, packet: &[u8]) -> Verdict {
        if let Some(index) = self
            .missing
            .iter()
            .position(|sent| sent.complete && sent.bytes == packet)
        {
            self.missing.remove(index);
            self.reordered += 1;
            return Verdict::Late;
        }
        let ahead = self
            .due
            .iter()
            .take(LOOK_AHEAD)
            .position(|sent| sent.complete && sent.bytes == packet);
        let behind = self.history.iter().rev().position(|p| p == packet);
        // Where packets repeat themselves both may be found: the nearer one is the likelier.
        let duplicate = match (ahead, behind) {
            (Some(ahead), Some(behind)) => behind < ahead,
            (None, behind) => behind.is_some(),
            _ => false,
        };
        if duplicate {
            self.duplicated += 1;
            return Verdict::Duplicate;
        }
        if let Some(index) = ahead {
            let excused = self.due.iter().take(index).all(|sent| sent.excused);
            let accepted = self.due.get(index).map_or(0, |sent| sent.accepted);
            self.missing.extend(self.due.drain(..index));
            while self.missing.len() > MISSING {
                match self.missing.pop_front() {
                    Some(sent) if sent.excused => self.cut += 1,
                    _ => self.forgotten += 1,
                }
            }
            self.retire_first();
            return if excused {
                Verdict::InOrder(accepted)
            } else {
                Verdict::Early
            };
        }
        self.corrupted += 1;
        // A damaged packet of the right length is the one that was due; of another length, it may
        // be anything.
        if self
            .due
            .front()
            .is_some_and(|sent| sent.complete && sent.bytes.len() == packet.len())
        {
            self.retire_first();
        }
        Verdict::Corrupt
    }

    fn retire_first(&mut self) {
        if let Some(sent) = self.due.pop_front() {
            self.history.push_back(sent.bytes);
            if self.history.len() > HISTORY {
                self.pool.extend(self.history.pop_front());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(packets: u8) -> Scoreboard {
        let mut board = Scoreboard::default();
        for n in 0..packets {
            board.begin(vec![n; 10], u64::from(n) * 100, false);
            board.end();
        }
        board
    }

    fn counts(board: &Scoreboard) -> [u64; 5] {
        [
            board.outstanding(),
            board.lost(),
            board.duplicated,
            board.reordered,
            board.corrupted,
        ]
    }

    #[test]
    fn in_order() {
        let mut board = board(3);
        for n in 0..3 {
            assert_eq!(
                board.deliver(&[n; 10]),
                Verdict::InOrder(u64::from(n) * 100)
            );
        }
        assert!(board.is_empty());
        assert_eq!(counts(&board), [0; 5]);
    }

    #[test]
    fn a_lost_packet() {
        let mut board = board(5);
        board.deliver(&[0; 10]);
        assert_eq!(board.deliver(&[3; 10]), Verdict::Early);
        assert_eq!(board.deliver(&[4; 10]), Verdict::InOrder(400));
        assert_eq!(counts(&board), [0, 2, 0, 0, 0]);
    }

    #[test]
    fn a_packet_that_comes_late() {
        let mut board = board(4);
        assert_eq!(board.deliver(&[1; 10]), Verdict::Early);
        assert_eq!(board.deliver(&[0; 10]), Verdict::Late);
        assert_eq!(board.deliver(&[2; 10]), Verdict::InOrder(200));
        assert_eq!(counts(&board), [1, 0, 0, 1, 0]);
    }

    #[test]
    fn a_duplicate() {
        let mut board = board(3);
        board.deliver(&[0; 10]);
        board.deliver(&[1; 10]);
        assert_eq!(board.deliver(&[0; 10]), Verdict::Duplicate);
        assert_eq!(board.deliver(&[1; 10]), Verdict::Duplicate);
        assert_eq!(board.deliver(&[2; 10]), Verdict::InOrder(200));
        assert_eq!(board.deliver(&[2; 10]), Verdict::Duplicate);
        assert_eq!(counts(&board), [0, 0, 3, 0, 0]);
    }

    #[test]
    fn repeated_content() {
        let mut board = board(8);
        for n in [0, 1, 2, 3, 0, 1, 2, 3] {
            board.begin(vec![n; 10], 0, false);
            board.end();
        }
        for n in 0..8 {
            board.deliver(&[n; 10]);
        }
        assert_eq!(
            board.deliver(&[1; 10]),
            Verdict::Early,
            "one ahead, seven behind"
        );
        assert_eq!(
            board.deliver(&[1; 10]),
            Verdict::Duplicate,
            "just delivered, four ahead"
        );
        assert_eq!(counts(&board), [6, 1, 1, 0, 0]);
    }

    #[test]
    fn damage() {
        let mut board = board(3);
        let mut damaged = [0; 10];
        damaged[9] = 0x80;
        assert_eq!(board.deliver(&damaged), Verdict::Corrupt);
        assert_eq!(board.deliver(&[1; 9]), Verdict::Corrupt, "truncated");
        assert_eq!(board.deliver(&[1; 10]), Verdict::InOrder(100));
        assert_eq!(counts(&board), [1, 0, 0, 0, 2]);
    }

    #[test]
    fn a_packet_is_not_due_before_all_of_it_was_accepted() {
        let mut board = Scoreboard::default();
        board.begin(vec![7; 10], 0, false);
        assert_eq!(board.deliver(&[7; 10]), Verdict::Corrupt);
        assert_eq!(board.outstanding(), 0);
    }

    #[test]
    fn a_reset_excuses_what_was_on_its_way() {
        let mut board = board(4);
        board.begin(vec![4; 10], 400, false);
        board.deliver(&[0; 10]);
        board.excuse();
        assert!(board.is_settled() && !board.is_empty());
        board.begin(vec![5; 10], 500, true);
        board.end();
        board.begin(vec![6; 10], 600, false);
        board.end();
        // One of them made it, the open one and the others did not.
        assert_eq!(board.deliver(&[2; 10]), Verdict::InOrder(200));
        assert_eq!(board.deliver(&[6; 10]), Verdict::InOrder(600));
        assert_eq!((board.cut(), counts(&board)), (4, [0; 5]));
        assert_eq!(
            board.deliver(&[1; 10]),
            Verdict::Late,
            "stale data after a reset"
        );
        assert_eq!((board.cut(), counts(&board)), (3, [0, 0, 0, 1, 0]));
        assert_eq!(board.deliver(&[2; 10]), Verdict::Duplicate);
    }

    #[test]
    fn an_abort_must_be_the_beginning_of_a_packet_that_was_cut() {
        let mut board = board(3);
        assert_eq!(board.abort(&[0; 4]), Verdict::Corrupt, "no reset");
        board.excuse();
        assert_eq!(board.abort(&[1; 4]), Verdict::Aborted);
        assert_eq!(board.abort(&[1; 4]), Verdict::Corrupt, "once is enough");
        assert_eq!(board.abort(&[7; 4]), Verdict::Corrupt, "never sent");
        assert_eq!((board.aborted, board.cut(), board.corrupted), (1, 3, 3));
        assert_eq!(board.deliver(&[2; 10]), Verdict::InOrder(200));
        assert_eq!((board.cut(), board.lost()), (2, 0));
    }

    #[test]
    fn many_lost_packets_are_counted_without_keeping_them() {
        let mut board = Scoreboard::default();
        for n in 0..20_000u32 {
            board.begin(n.to_le_bytes().to_vec(), 0, false);
            board.end();
        }
        for n in (4000..20_000u32).step_by(4000) {
            assert_eq!(board.deliver(&n.to_le_bytes()), Verdict::Early);
        }
        assert_eq!(board.lost(), 16_000 - 3);
        assert_eq!(board.outstanding(), 3999);
    }
}
