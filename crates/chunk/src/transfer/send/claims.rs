// SPDX-License-Identifier: Apache-2.0
//! What the receiver has already, as it says in messages that arrive in any order.

use super::super::HASHES;
use super::super::head::{Hash, Head, Kind};
use super::super::manifest::{BLOCK, MOST_BLOCKS, What};
use super::super::pack::take_whole;
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
}

/// What the receiver has, as it tells in messages that arrive in any order.
#[derive(Default)]
pub(super) struct Claims {
    claimed: Claimed,
    /// Messages that came.
    told: u64,
    /// All of them, when that is known.
    all: Option<u64>,
    /// Most there can be, when the list is known: each has the hashes of as many blocks as fit, or
    /// of a whole file.
    most: Option<u64>,
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
        let most = self.all.or(self.most).unwrap_or_else(|| {
            let files = (1..=source.entries.len()).map(|file| blocks(source, file as u32));
            files
                .flatten()
                .map(|blocks| blocks.div_ceil(HASHES as u64).max(1))
                .sum()
        });
        self.most.get_or_insert(most);
        let told = self.told;
        if head.kind == Kind::Go {
            if self.all.is_some() || !(told..=most).contains(&head.place) {
                let text = format!("Go with {} of {told} to {most} messages", head.place);
                return Err(SendError::Protocol(text));
            }
            self.all = Some(head.place);
        } else {
            if told >= most {
                let text = format!("{:?} after {told} messages, which were all", head.kind);
                return Err(SendError::Protocol(text));
            }
            self.note(source, head, body)?;
            self.told += 1;
        }
        Ok(self.all == Some(self.told))
    }

    /// Takes down what there is of a file: blocks, or all of it.
    fn note(&mut self, source: &Source, head: &Head, body: &[u8]) -> Result<(), SendError> {
        let wrong =
            || SendError::Protocol(format!("blocks of file {} from {}", head.file, head.place));
        if head.kind == Kind::Whole {
            return self.note_whole(source, body);
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

    #[test]
    fn messages_are_counted() {
        let source = source();
        let (part, whole) = (head(Kind::Part, 3, 0), head(Kind::Whole, 4, 0));
        let go = |count| head(Kind::Go, 0, count);
        for (messages, why) in [
            // More than there is to say, with and without "go".
            ([part, part, part], "after 2 messages"),
            ([go(1), whole, part], "after 1 messages"),
            ([go(0), go(0), whole], "Go with 0 of 0 to 0"),
            ([go(u64::MAX), part, whole], "of 0 to 2 messages"),
            // Fewer than came.
            ([part, whole, go(1)], "Go with 1 of 2 to 2"),
            ([go(2), part, go(2)], "Go with 2 of 1 to 2"),
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
