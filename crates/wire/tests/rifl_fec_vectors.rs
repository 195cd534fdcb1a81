// SPDX-License-Identifier: Apache-2.0
//! The committed vector files of codewords under RIFL are what the model prints today.

#[path = "../examples/rifl_fec_vectors.rs"]
mod vectors;

use std::path::Path;

#[test]
fn committed_files_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/rifl_fec");
    for (name, text) in vectors::files().expect("text") {
        let committed = std::fs::read_to_string(folder.join(name)).expect(name);
        assert!(
            committed == text,
            "{name} differs: cargo run -p ropewalk-wire --example rifl_fec_vectors"
        );
    }
}
