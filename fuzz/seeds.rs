// SPDX-License-Identifier: Apache-2.0
//! Writes the seeds of all targets: below the folder that is named, one for each target.

use std::path::Path;

// The runtime of the instrumentation is in the library of the fuzzer.
use libfuzzer_sys as _;

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os().nth(1).expect("usage: seeds FOLDER");
    for target in ropewalk_fuzz::TARGETS {
        let folder = Path::new(&folder).join(target.name);
        std::fs::create_dir_all(&folder)?;
        for (number, seed) in (target.seeds)().into_iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{number}")), seed)?;
        }
        println!("{}", target.name);
    }
    Ok(())
}
