// SPDX-License-Identifier: Apache-2.0
//! Every target with its seeds, with what has once gone wrong, and with a few thousand changes of
//! them. `SEED=n` repeats a run.

use ropewalk_channel::seed::{Seeds, fresh};
use ropewalk_fuzz::TARGETS;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time of each target with changes.
const TIME: Duration = Duration::from_millis(300);

/// Changes an input: bytes, or their number.
fn change(bytes: &mut Vec<u8>, seeds: &mut Seeds) {
    for _ in 0..=seeds.next_seed() % 4 {
        let at = seeds.next_seed() as usize % (bytes.len() + 1);
        match seeds.next_seed() % 4 {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, seeds.next_seed() as u8),
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = seeds.next_seed() as u8;
                }
            }
        }
    }
}

#[test]
fn seeds_and_changes_of_them() {
    let seed = std::env::var("SEED")
        .ok()
        .and_then(|text| text.parse().ok());
    let seed = seed.unwrap_or_else(fresh);
    println!("SEED={seed}");
    let mut seeds = Seeds::new(seed);
    for target in TARGETS {
        let corpus = (target.seeds)();
        assert!(!corpus.is_empty(), "{}", target.name);
        corpus.iter().for_each(|bytes| (target.run)(bytes));
        (target.run)(&[]);
        let begun = Instant::now();
        let mut runs = 0;
        while begun.elapsed() < TIME {
            let mut bytes = corpus[seeds.next_seed() as usize % corpus.len()].clone();
            change(&mut bytes, &mut seeds);
            (target.run)(&bytes);
            runs += 1;
        }
        println!("{}: {runs} changed inputs", target.name);
    }
}

#[test]
fn what_has_once_gone_wrong() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/found");
    for target in TARGETS {
        let Ok(files) = folder.join(target.name).read_dir() else {
            continue;
        };
        for file in files {
            let path = file.expect("an entry").path();
            println!("{}", path.display());
            (target.run)(&std::fs::read(path).expect("read"));
        }
    }
}
