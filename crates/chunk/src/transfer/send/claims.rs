// SPDX-License-Identifier: Apache-2.0
//! What the receiver has already, as it says in messages that arrive in any order.

use super::super::HASHES;
use super::super::head::{Hash, Head, Kind};
use super::super::manifest::{Entry, MOST_BLOCKS, What};
use super::super::pack::take_whole;
use super::super::source::Source;
use super::SendError;
use std::collections::HashMap;

/// What the receiver has of a file.
pub(super) enum Claim {
    Blocks(HashMap<u32, Hash>),
    Whole(Hash),
}

/// What the receiver has, as it tells in messages that arrive in any order.
pub(super) struct Claims<'a> {
    source: &'a Source,
    /// Of each file that it has something of.
    pub files: HashMap<u32, Claim>,
    /// Messages that came.
    told: u64,
    /// All of them, when that is known.
    all: Option<u64>,
    /// Most there can be: each has the hashes of as many blocks as fit, or of a whole file.
    most: u64,
}

impl<'a> Claims<'a> {
    pub fn new(source: &'a Source) -> Self {
        let files = (1..=source.entries.len()).filter_map(|file| file_entry(source, file as u32));
        let most = files.map(|entry| entry.blocks().div_ceil(HASHES as u64).max(1));
        Claims {
            source,
            files: HashMap::new(),
            told: 0,
            all: None,
            most: most.sum(),
        }
    }

    /// Takes a message; true if it is the last one to come.
    pub fn take(&mut self, head: &Head, body: &[u8]) -> Result<bool, SendError> {
        let (told, most) = (self.told, self.all.unwrap_or(self.most));
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
            self.note(head, body)?;
            self.told += 1;
        }
        Ok(self.all == Some(self.told))
    }

    /// Takes down what there is of a file: blocks, or all of it.
    fn note(&mut self, head: &Head, body: &[u8]) -> Result<(), SendError> {
        let wrong =
            || SendError::Protocol(format!("blocks of file {} from {}", head.file, head.place));
        if head.kind == Kind::Whole {
            return self.note_whole(body);
        }
        let entry = file_entry(self.source, head.file).ok_or_else(wrong)?;
        let claim = self
            .files
            .entry(head.file)
            .or_insert_with(|| Claim::Blocks(HashMap::new()));
        let Claim::Blocks(blocks) = claim else {
            return Err(wrong());
        };
        let hashes = body.chunks_exact(32);
        let end = head.place.saturating_add(hashes.len() as u64);
        if end > entry.blocks().min(MOST_BLOCKS) {
            return Err(wrong());
        }
        for (index, hash) in (head.place..end).zip(hashes) {
            if let Ok(hash) = Hash::try_from(hash)
                && hash != [0; 32]
            {
                blocks.insert(index as u32, hash);
            }
        }
        Ok(())
    }
}

impl Claims<'_> {
    /// Takes down files that are there.
    fn note_whole(&mut self, mut list: &[u8]) -> Result<(), SendError> {
        while !list.is_empty() {
            let file = take_whole(&mut list);
            let known = file.filter(|(file, _)| file_entry(self.source, *file).is_some());
            let Some((file, hash)) = known else {
                return Err(SendError::Protocol("a list of files that it has".into()));
            };
            self.files.insert(file, Claim::Whole(hash));
        }
        Ok(())
    }
}

/// The entry of a number, if it is a file whose blocks can be named.
fn file_entry(source: &Source, file: u32) -> Option<&Entry> {
    let entry = source.entries.get((file as usize).checked_sub(1)?)?;
    matches!(entry.what, What::File(_)).then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::super::super::manifest::BLOCK;
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
        Source {
            entries: vec![
                entry("d", What::Directory),
                entry("s", What::Stream),
                entry("f", What::File(2 * BLOCK)),
                entry("g", What::File(0)),
            ],
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
            let mut claims = Claims::new(&source);
            for file in [0, 1, 2, 5, u32::MAX] {
                let list = if kind == Kind::Whole {
                    whole(file)
                } else {
                    Vec::new()
                };
                let said = claims.take(&head(kind, file, 0), &list);
                assert!(matches!(said, Err(SendError::Protocol(_))), "{file}");
            }
            let list = if kind == Kind::Whole {
                whole(3)
            } else {
                Vec::new()
            };
            assert!(!claims.take(&head(kind, 3, 0), &list).unwrap());
            assert_eq!(claims.files.len(), 1);
        }
        for place in [1, 2, 3, u64::MAX] {
            let said = Claims::new(&source).take(&head(Kind::Part, 3, place), &[1; 64]);
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
            let mut claims = Claims::new(&source);
            let all = order.map(|at: usize| {
                let (head, body) = &messages[at];
                claims.take(head, body).unwrap()
            });
            assert_eq!(all, [false, false, true], "{order:?}");
            assert!(matches!(&claims.files[&3], Claim::Blocks(blocks) if blocks.len() == 2));
            assert!(matches!(&claims.files[&4], Claim::Whole(_)));
        }
        assert!(
            Claims::new(&source)
                .take(&head(Kind::Go, 0, 0), &[])
                .unwrap()
        );
    }

    /// A list that is cut off is none.
    #[test]
    fn lists_of_whole_files() {
        let source = source();
        let list = [whole(4), whole(3)].concat();
        for length in 0..=list.len() {
            let mut claims = Claims::new(&source);
            let said = claims.take(&head(Kind::Whole, 0, 0), &list[..length]);
            assert_eq!(said.is_ok(), length % 36 == 0, "{length}");
            assert_eq!(claims.files.len(), length / 36);
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
            let mut claims = Claims::new(&source);
            let said = messages
                .iter()
                .try_for_each(|head| claims.take(head, &[]).map(|_| ()));
            let said = said.unwrap_err().to_string();
            assert!(said.contains(why), "{said} instead of {why}");
        }
    }
}
