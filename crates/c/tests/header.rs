// SPDX-License-Identifier: Apache-2.0
//! The header is what cbindgen makes of the library. `ROPEWALK_UPDATE=1 cargo test -p ropewalk-c --test
//! header` writes it anew.

use cbindgen::{Builder, Config, DocumentationStyle, Language, Style};
use ropewalk_c::common::SIZES;
use std::fmt::Write as _;
use std::path::Path;

const TOP: &str = "\
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ropewalk for programs in C: files from host to host (rw_chunk), ends of HTSP links (rw_htsp),
 * remote memory (rw_rdma).
 * Made by cbindgen of crates/c/src; crates/c/README.md says how to link.
 *
 * Functions that return int return 0 or more when all is well, and less otherwise; rw_error()
 * then says what was wrong, with the value, and what would be accepted. What waits has a limit,
 * `timeout_ms`, and a call that cancels it from another thread.
 */";

/// What cbindgen makes, and the sizes as Rust has them, which the compiler of C compares.
fn generated() -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let config = Config {
        language: Language::C,
        style: Style::Tag,
        header: Some(TOP.into()),
        include_guard: Some("ROPEWALK_H".into()),
        cpp_compat: true,
        no_includes: true,
        sys_includes: vec!["stddef.h".into(), "stdint.h".into()],
        usize_is_size_t: true,
        documentation_style: DocumentationStyle::C99,
        line_length: 100,
        ..Config::default()
    };
    let files = ["common.rs", "chunk.rs", "htsp.rs", "rdma/mod.rs"];
    let builder = files.iter().fold(Builder::new(), |builder, file| {
        builder.with_src(here.join(file))
    });
    let mut header = Vec::new();
    let bindings = builder.with_config(config).generate().expect("bindings");
    bindings.write(&mut header);
    let header = String::from_utf8(header).expect("text");
    // What a Rust programmer promises a C programmer does too.
    let header = header.replace("//\n// # Safety\n// ", "// Needed: ");
    let (body, end) = header.rsplit_once("#endif").expect("the guard");
    // What only stands behind pointers has a name of its own; structures share theirs with
    // functions.
    let name = |line: &str| match line.strip_prefix("struct ").map(|it| it.strip_suffix(";")) {
        Some(Some(name)) if !name.contains(' ') => format!("typedef struct {name} {name};\n"),
        _ => format!("{line}\n"),
    };
    let body: String = body.lines().map(name).collect();
    let mut sizes = String::from(
        "/* Sizes as the library has them, where pointers have 64 bits. */\n#if UINTPTR_MAX == UINT64_MAX\n",
    );
    for (keyword, when) in [
        ("static_assert", "if defined(__cplusplus)"),
        ("_Static_assert", "elif __STDC_VERSION__ >= 201112L"),
    ] {
        writeln!(sizes, "#{when}").expect("written");
        for (name, size) in SIZES {
            let check = format!("sizeof(struct {name}) == {size}");
            writeln!(sizes, "{keyword}({check}, \"{name}\");").expect("written");
        }
    }
    format!("{body}{sizes}#endif\n#endif\n\n#endif{end}")
}

#[test]
fn the_header_is_what_is_generated() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/ropewalk.h");
    let generated = generated();
    if std::env::var_os("ROPEWALK_UPDATE").is_some() {
        std::fs::write(&path, &generated).expect("written");
    }
    let kept = std::fs::read_to_string(&path).expect("the header");
    assert!(
        kept == generated,
        "include/ropewalk.h differs from src: ROPEWALK_UPDATE=1 cargo test -p ropewalk-c --test header"
    );
}

/// Every structure that stands in the header has its size there.
#[test]
fn every_structure_has_its_size() {
    let header = generated();
    let open = header
        .lines()
        .filter_map(|line| line.strip_prefix("struct ")?.strip_suffix(" {"));
    let open: Vec<&str> = open.collect();
    let sized: Vec<&str> = SIZES.iter().map(|(name, _)| *name).collect();
    assert_eq!(open, sized);
}
