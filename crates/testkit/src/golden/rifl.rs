// SPDX-License-Identifier: Apache-2.0
//! RIFL: frames of 256 bits and a session of two ends.

use super::{bytes, decimal, hex, rows, words};

/// Words of a frame, the first on the line first.
pub type Words = [u64; 4];

/// A frame as the published sender made it.
#[derive(Debug, Clone)]
pub struct Row {
    /// Name of its kind.
    pub kind: String,
    /// Id in its code; with a control frame that of the next data frame.
    pub id: u16,
    /// The 33 scrambled bits before it, the newest in bit 0.
    pub state: u64,
    /// Before the scrambler, its code zero.
    pub plain: Words,
    /// As sent.
    pub line: Words,
}

fn frame(digits: &str) -> Words {
    words(digits).try_into().expect("four words")
}

/// All frames of the sender whose ids have 6 or 8 bits.
///
/// # Panics
/// As the module says.
pub fn frames(id_width: u8) -> Vec<Row> {
    let row = |row: &Vec<String>| {
        let [kind, id, state, body, line] = &row[..] else {
            panic!("{row:?}")
        };
        let line = frame(line);
        // Two zero bits and 242 of the body are 61 digits; 12 bits of code follow. The sync bits
        // are not scrambled.
        let mut plain = frame(&format!("{body:0<64}"));
        plain[0] |= line[0] >> 62 << 62;
        Row {
            kind: kind.clone(),
            id: hex(id) as u16,
            state: hex(state),
            plain,
            line,
        }
    };
    rows(&format!("rifl/frames_id{id_width}.txt"))
        .iter()
        .map(row)
        .collect()
}

/// A frame of a session.
#[derive(Debug, Clone)]
pub struct Sent {
    /// Cycle of its first word.
    pub cycle: u64,
    /// Name of its kind, and its id.
    pub decoded: (String, u16),
    /// As sent.
    pub line: Words,
}

/// One end of the session. Word `n` of a stream belongs to cycle `n + 1`.
#[derive(Debug, Clone, Default)]
pub struct End {
    /// Words that it sent.
    pub sent: Vec<u64>,
    /// The same with the bits that are wrong on the line.
    pub on_line: Vec<u64>,
    /// Words that the other end received of it.
    pub received: Vec<u64>,
    /// Frames that it sent once the recording could be decoded.
    pub frames: Vec<Sent>,
    /// Packets that its user gave it.
    pub packets: Vec<Vec<u8>>,
}

/// Two ends of the published core, from their reset on.
#[derive(Debug, Clone, Default)]
pub struct Session {
    /// `a` and `b`.
    pub ends: [End; 2],
    /// The last cycle of the reset.
    pub reset: u64,
}

/// What the line makes of words: 6 cycles and 11 bits later.
fn received(sent: &[u64]) -> Vec<u64> {
    let at = |n: usize, delay: usize| n.checked_sub(delay).map_or(0, |n| sent[n]);
    (0..sent.len())
        .map(|n| at(n, 6) << 11 | at(n, 7) >> 53)
        .collect()
}

/// The session.
///
/// # Panics
/// As the module says.
pub fn session() -> Session {
    let mut session = Session::default();
    let mut flips = Vec::new();
    let end = |name: char| "ab".find(name).expect("the name of an end");
    let ends = |names: &str| -> Vec<usize> { names.chars().map(end).collect() };
    for row in rows("rifl/session.txt") {
        let row: Vec<&str> = row.iter().map(String::as_str).collect();
        match row[..] {
            [cycle, "flip", name, bit] => {
                flips.extend(
                    ends(name)
                        .into_iter()
                        .map(|end| (end, cycle.to_owned(), decimal(bit))),
                );
            }
            [cycle, "status", ..] => {
                if row.contains(&"rst=0") {
                    session.reset = decimal(cycle) - 1;
                }
            }
            [cycle, names, kind, id, line] => {
                let cycle = decimal(cycle);
                for end in ends(names) {
                    let end = &mut session.ends[end];
                    // Words without a row are zero.
                    end.sent.resize(cycle as usize - 1, 0);
                    end.sent.extend(words(line));
                    if kind != "-" {
                        let (decoded, line) = ((kind.to_owned(), hex(id) as u16), frame(line));
                        end.frames.push(Sent {
                            cycle,
                            decoded,
                            line,
                        });
                    }
                }
            }
            _ => panic!("{row:?}"),
        }
    }
    for row in rows("rifl/session_packets.txt") {
        let [name, digits] = &row[..] else {
            panic!("{row:?}")
        };
        for end in ends(name) {
            session.ends[end].packets.push(bytes(digits));
        }
    }
    for (place, end) in session.ends.iter_mut().enumerate() {
        end.on_line.clone_from(&end.sent);
        for (_, cycle, bit) in flips.iter().filter(|flip| flip.0 == place) {
            end.on_line[decimal(cycle) as usize - 1] ^= 1 << bit;
        }
        end.received = received(&end.on_line);
    }
    session
}
