// SPDX-License-Identifier: Apache-2.0
//! The command without the laboratory, as it is installed.

use std::path::Path;

use crate::common::run_in;

#[test]
fn the_laboratory_is_absent_and_each_of_its_subcommands_says_how_to_get_it() {
    for args in [
        &["sim", "rifl", "--packets", "5"][..],
        &["plan", "chunk", "--json"],
        &["bench"],
        &["sweep", "grid.toml"],
        &["traffic", "run", "/dev/null"],
        &["sim", "--help"],
        &["watch", "rifl", "--lanes", "4"],
    ] {
        let run = run_in(Path::new("."), args);
        assert_eq!(run.status, Some(3), "{run:?}");
        if args.contains(&"--json") {
            assert!(run.stdout.contains("\"command\": \"plan\""), "{run:?}");
        } else {
            assert_eq!(run.stdout, "", "{run:?}");
        }
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        for part in [args[0], "make build", "--features lab"] {
            assert!(run.stderr.contains(part), "{run:?}");
        }
    }
    let help = run_in(Path::new("."), &["--help"]).stdout;
    assert!(
        help.contains("\n  send ") && !help.contains("\n  sim "),
        "{help}"
    );
    // What is watched without a simulator is there.
    let help = run_in(Path::new("."), &["watch", "--help"]).stdout;
    assert!(
        help.contains("\n  registers ") && !help.contains("\n  rifl "),
        "{help}"
    );
}
