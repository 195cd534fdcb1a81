// SPDX-License-Identifier: Apache-2.0
//! The committed vector files are what the models print today: of every protocol whose writer needs
//! no more of a test.

#![allow(
    clippy::duplicate_mod,
    reason = "every writer is a program of its own, and has its own copy of what they share"
)]

macro_rules! current {
    ($($feature:literal $name:ident $writer:literal;)*) => {$(
        #[cfg(feature = $feature)]
        #[path = $writer]
        mod $name;

        #[cfg(feature = $feature)]
        #[test]
        fn $name() {
            let writer = concat!(stringify!($name), "_vectors");
            for (file, text) in $name::files().expect("text") {
                let committed = std::fs::read_to_string($name::store::folder(stringify!($name)).join(file)).expect(file);
                assert!(
                    committed == text,
                    "{file} differs: cargo run -p ropewalk-wire --example {writer}"
                );
            }
        }
    )*};
}

current! {
    "line" line "../examples/line_vectors.rs";
    "pcs" pcs "../examples/pcs_vectors.rs";
    "rifl" rifl_fec "../examples/rifl_fec_vectors.rs";
    "rsfec" rsfec "../examples/rsfec_vectors.rs";
    "slink" slink "../examples/slink_vectors.rs";
}
