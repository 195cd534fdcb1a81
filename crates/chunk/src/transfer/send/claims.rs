// SPDX-License-Identifier: Apache-2.0
//! What the receiver has already, as it says in messages that arrive in any order.

use super::super::HASHES;
use super::super::head::{Hash, Head, Kind};
use super::super::manifest::{BLOCK, MOST_BLOCKS, What};
use super::super::pack::take_whole;
use super::super::pieces::{ITEM, MOST_ITEMS, MOST_PIECES, Older, SHORTEST};
use super::super::source::Source;
use super::SendError;
use std::collections::HashMap;

/// What the receiver has of a file.
pub(super) enum Claim {
    Blocks(HashMap<u32, Hash>),
    Whole(Hash),
}

/// What the receiver has of all files. There may be a million of them that are whole.
#[derive(Default)]
pub(super) struct Claimed {
    blocks: HashMap<u32, HashMap<u32, Hash>>,
    /// Of older files.
    pieces: HashMap<u32, Older>,
    /// By their numbers, when all have come.
    whole: Vec<(u32, Hash)>,
}

impl Claimed {
    /// What it has of a file. They are asked for in the order of their numbers.
    pub fn remove(&mut self, file: u32) -> Option<Claim> {
        // The last one is the first.
        if let Some((_, hash)) = self.whole.pop_if(|(number, _)| *number == file) {
            return Some(Claim::Whole(hash));
        }
        self.blocks.remove(&file).map(Claim::Blocks)
    }

    /// What an older file has for a file.
    pub fn older(&mut self, file: u32) -> Option<Older> {
        self.pieces.remove(&file)
    }
}

/// What the receiver has, as it tells in messages that arrive in any order.
#[derive(Default)]
pub(super) struct Claims {
    claimed: Claimed,
    /// Messages that came.
    told: u64,
    /// All of them, when that is known.
    all: Option<u64>,
    /// Most there can be, when the list is known.
    most: Option<Most>,
    /// Of these: what there is of blocks and whole files.
    claims: u64,
    /// Of these: pieces of older files; and pieces that came.
    pieces: (u64, u64),
}

/// Most messages about the files of a list.
#[derive(Clone, Copy)]
struct Most {
    /// Each has the hashes of as many blocks as fit, or of a whole file.
    claims: u64,
    /// Each has as many pieces as fit, or the last ones of a file.
    pieces: u64,
}

impl Most {
    fn of(source: &Source) -> Self {
        let files = (1..=source.entries.len()).filter_map(|file| blocks(source, file as u32));
        let claims = files.map(|blocks| blocks.div_ceil(HASHES as u64).max(1));
        let has_older =
            |place: &usize| matches!(source.entries.what(*place), Some(What::File(SHORTEST..)));
        let large = (0..source.entries.len()).filter(has_older).count() as u64;
        Most {
            claims: claims.sum(),
            pieces: match large {
                0 => 0,
                large => large + MOST_PIECES / MOST_ITEMS as u64,
            },
        }
    }
}

impl Claims {
    /// All that it has, when it has said so.
    pub fn all(&mut self) -> Claimed {
        let mut claimed = std::mem::take(&mut self.claimed);
        claimed.whole.sort_unstable_by(|one, other| other.cmp(one));
        claimed.whole.dedup_by_key(|(file, _)| *file);
        claimed
    }

    /// Takes a message about the files of a source, which is known before there is one; true if it
    /// is the last one to come.
    pub fn take(
        &mut self,
        source: Option<&Source>,
        head: &Head,
        body: &[u8],
    ) -> Result<bool, SendError> {
        let Some(source) = source else {
            let text = format!("{:?} before the list of files", head.kind);
            return Err(SendError::Protocol(text));
        };
        let Most { claims, pieces } = *self.most.get_or_insert_with(|| Most::of(source));
        let told = self.told;
        if head.kind == Kind::Go {
            let most = claims + pieces;
            if self.all.is_some() || !(told..=most).contains(&head.place) {
                let text = format!("Go with {} of {told} to {most} messages", head.place);
                return Err(SendError::Protocol(text));
            }
            self.all = Some(head.place);
        } else {
            let are_pieces = head.kind == Kind::Pieces;
            let (said, most) = match are_pieces {
                true => (self.pieces.0, pieces),
                false => (self.claims, claims),
            };
            if said >= most || self.all.is_some_and(|all| told >= all) {
                let text = format!("{:?} after {told} messages, which were all", head.kind);
                return Err(SendError::Protocol(text));
            }
            self.note(source, head, body)?;
            match are_pieces {
                true => self.pieces.0 += 1,
                false => self.claims += 1,
            }
            self.told += 1;
        }
        Ok(self.all == Some(self.told))
    }

    /// Takes down what there is of a file: blocks, or all of it.
    fn note(&mut self, source: &Source, head: &Head, body: &[u8]) -> Result<(), SendError> {
        let wrong =
            || SendError::Protocol(format!("blocks of file {} from {}", head.file, head.place));
        match head.kind {
            Kind::Whole => return self.note_whole(source, body),
            Kind::Pieces => return self.note_pieces(source, head, body),
            _ => {}
        }
        let count = blocks(source, head.file).ok_or_else(wrong)?;
        let known = self.claimed.blocks.entry(head.file).or_default();
        let hashes = body.chunks_exact(32);
        let end = head.place.saturating_add(hashes.len() as u64);
        if end > count.min(MOST_BLOCKS) {
            return Err(wrong());
        }
        for (index, hash) in (head.place..end).zip(hashes) {
            if let Ok(hash) = Hash::try_from(hash)
                && hash != [0; 32]
            {
                known.insert(index as u32, hash);
            }
        }
        Ok(())
    }

    /// Takes down pieces of the older file of a file.
    fn note_pieces(&mut self, source: &Source, head: &Head, body: &[u8]) -> Result<(), SendError> {
        let (file, at) = (head.file, head.place);
        let wrong = || SendError::Protocol(format!("pieces for file {file} from {at}"));
        self.pieces.1 += (body.len() / ITEM) as u64;
        if blocks(source, file).is_none() || self.pieces.1 > MOST_PIECES {
            return Err(wrong());
        }
        let older = self.claimed.pieces.entry(file).or_default();
        older.take(at, body).ok_or_else(wrong)
    }

    /// Takes down files that are there.
    fn note_whole(&mut self, source: &Source, mut list: &[u8]) -> Result<(), SendError> {
        while !list.is_empty() {
            let file = take_whole(&mut list);
            let known = file.filter(|(file, _)| blocks(source, *file).is_some());
            let Some(known) = known else {
                return Err(SendError::Protocol("a list of files that it has".into()));
            };
            // One that is named again and again takes no more memory than all files do.
            if self.claimed.whole.len() >= 2 * source.entries.len() {
                return Err(SendError::Protocol("more files than there are".into()));
            }
            self.claimed.whole.push(known);
        }
        Ok(())
    }
}

/// Blocks of the file of a number, if it is one whose blocks can be named.
fn blocks(source: &Source, file: u32) -> Option<u64> {
    match source.entries.what((file as usize).checked_sub(1)?)? {
        What::File(bytes) => Some(bytes.div_ceil(BLOCK)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::attributes::Attributes;
    use super::super::super::manifest::Entry;
    use super::super::super::pack::put_whole;
    use super::*;

    /// A list of one file that is there.
    fn whole(file: u32) -> Vec<u8> {
        let mut list = Vec::new();
        put_whole(&mut list, file, &[1; 32]);
        list
    }

    fn source() -> Source {
        let entry = |name: &str, what| Entry {
            name: name.into(),
            what,
            mode: 0o644,
            time: (0, 0),
            attributes: Attributes::default(),
        };
        let entries = [
            entry("d", What::Directory),
            entry("s", What::Stream),
            entry("f", What::File(2 * BLOCK)),
            entry("g", What::File(0)),
        ];
        Source {
            entries: entries.iter().collect(),
            ..Source::default()
        }
    }

    fn head(kind: Kind, file: u32, place: u64) -> Head {
        Head {
            file,
            place,
            ..Head::of(kind)
        }
    }

    #[test]
    fn only_files_of_the_list_can_be_there_already() {
        let source = source();
        for kind in [Kind::Part, Kind::Whole] {
            let mut claims = Claims::default();
            for file in [0, 1, 2, 5, u32::MAX] {
                let list = if kind == Kind::Whole {
                    whole(file)
                } else {
                    Vec::new()
                };
                let said = claims.take(Some(&source), &head(kind, file, 0), &list);
                assert!(matches!(said, Err(SendError::Protocol(_))), "{file}");
            }
            let list = if kind == Kind::Whole {
                whole(3)
            } else {
                Vec::new()
            };
            assert!(
                !claims
                    .take(Some(&source), &head(kind, 3, 0), &list)
                    .unwrap()
            );
            let claimed = claims.all();
            assert_eq!(claimed.blocks.len() + claimed.whole.len(), 1);
        }
        for place in [1, 2, 3, u64::MAX] {
            let said = Claims::default().take(Some(&source), &head(Kind::Part, 3, place), &[1; 64]);
            assert!(matches!(said, Err(SendError::Protocol(_))), "{place}");
        }
    }

    /// "Go" may overtake what was said before it: only when all has come the reader begins, and
    /// with all of it.
    #[test]
    fn what_the_receiver_has_comes_in_any_order() {
        let source = source();
        let messages = [
            (head(Kind::Part, 3, 0), vec![1; 64]),
            (head(Kind::Whole, 0, 0), whole(4)),
            (head(Kind::Go, 0, 2), vec![]),
        ];
        for order in [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ] {
            let mut claims = Claims::default();
            let all = order.map(|at: usize| {
                let (head, body) = &messages[at];
                claims.take(Some(&source), head, body).unwrap()
            });
            assert_eq!(all, [false, false, true], "{order:?}");
            let mut claimed = claims.all();
            assert!(claimed.remove(1).is_none() && claimed.remove(2).is_none());
            let part = claimed.remove(3);
            assert!(matches!(part, Some(Claim::Blocks(blocks)) if blocks.len() == 2));
            assert!(matches!(claimed.remove(4), Some(Claim::Whole(_))));
        }
        assert!(
            Claims::default()
                .take(Some(&source), &head(Kind::Go, 0, 0), &[])
                .unwrap()
        );
    }

    /// A list that is cut off is none.
    #[test]
    fn lists_of_whole_files() {
        let source = source();
        let list = [whole(4), whole(3)].concat();
        for length in 0..=list.len() {
            let mut claims = Claims::default();
            let said = claims.take(Some(&source), &head(Kind::Whole, 0, 0), &list[..length]);
            assert_eq!(said.is_ok(), length % 36 == 0, "{length}");
            let mut claimed = claims.all();
            // In their order, whatever that of the list is.
            let both = [3, 4].map(|file| claimed.remove(file).is_some());
            assert_eq!(both, [length == 72, length >= 36]);
        }
    }

    /// A receiver that says too much, or too early, takes no memory with it.
    #[test]
    fn claims_are_bounded() {
        let source = source();
        let list = [&whole(4)[..]; 9].concat();
        let said = Claims::default().take(Some(&source), &head(Kind::Whole, 0, 0), &list);
        assert!(said.is_err_and(|error| error.to_string().contains("more files than there are")));
        for kind in [Kind::Part, Kind::Whole, Kind::Go] {
            let said = Claims::default().take(None, &head(kind, 0, 0), &[]);
            let text = said.unwrap_err().to_string();
            assert!(text.contains("before the list of files"), "{text}");
        }
    }

    /// So does one that tells of older files, of which nobody asks how many there are.
    #[test]
    fn pieces_are_bounded() {
        let source = source();
        let (item, pieces) = (
            [[1; 4], [0; 4], [0; 4], [0; 4], [0; 4]].concat(),
            Kind::Pieces,
        );
        let said = |file, body: &[u8]| {
            let said = Claims::default().take(Some(&source), &head(pieces, file, 0), body);
            said.map_err(|error| error.to_string())
        };
        let one = [&[0, 0, 0, 5][..], &[1; 16]].concat();
        assert_eq!(said(3, &one), Ok(false));
        for (file, body) in [(3, &item[..]), (3, &one[..9]), (1, &one), (9, &one)] {
            let text = said(file, body).unwrap_err();
            assert!(text.contains("pieces for file"), "{text}");
        }
        let mut claims = Claims::default();
        let full = one.repeat(MOST_ITEMS);
        let all = (0..).find_map(|_| {
            let said = claims.take(Some(&source), &head(pieces, 3, 0), &full);
            said.err().map(|error| error.to_string())
        });
        assert!(all.unwrap().contains("pieces for file 3"));
        assert_eq!(claims.told, MOST_PIECES / MOST_ITEMS as u64);
    }

    #[test]
    fn messages_are_counted() {
        let source = source();
        let (part, whole) = (head(Kind::Part, 3, 0), head(Kind::Whole, 4, 0));
        let go = |count| head(Kind::Go, 0, count);
        for (messages, why) in [
            // More than there is to say, with and without "go".
            ([part, part, part], "after 2 messages"),
            ([go(1), whole, part], "after 1 messages"),
            ([go(0), go(0), whole], "Go with 0 of 0 to 643"),
            ([go(u64::MAX), part, whole], "of 0 to 643 messages"),
            // Fewer than came.
            ([part, whole, go(1)], "Go with 1 of 2 to 643"),
            ([go(2), part, go(2)], "Go with 2 of 1 to 643"),
        ] {
            let mut claims = Claims::default();
            let said = messages
                .iter()
                .try_for_each(|head| claims.take(Some(&source), head, &[]).map(|_| ()));
            let said = said.unwrap_err().to_string();
            assert!(said.contains(why), "{said} instead of {why}");
        }
    }
}
