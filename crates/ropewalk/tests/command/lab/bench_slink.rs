// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench slink`, and the figures that the RTL must reach.

#[test]
fn the_figures_are_reached() {
    // Formula and constant in all modes, within two cycles; every byte right.
    let (bench, _) = super::bench_all::core("slink");
    assert!(bench["spread_cycles"].as_f64().unwrap() <= 2.0);
    assert!(bench["last_spread_cycles"].as_f64().unwrap() <= 6.0);
    assert_eq!(bench["modes"].as_array().unwrap().len(), 24);
    let constant = bench["constant_cycles"].as_f64().unwrap();
    let blocks = |place: usize| bench["constant_blocks_cycles"][place].as_f64().unwrap();
    // What `plan slink` calculates with.
    assert!((constant - 21.0).abs() <= 0.5, "{constant}");
    assert!((blocks(0) - 33.25).abs() <= 1.0 && (blocks(1) - 57.75).abs() <= 1.0);
    let rows = bench["mode_sizes"].as_array().unwrap();
    // Two sizes; with one more each of both line codes and of one, two and four at a time.
    assert_eq!(rows.len(), 48 + 5 * 12);
    for row in rows {
        let read = row["mode"] == "read";
        let expected = match (row["coding"].as_str().unwrap(), read) {
            ("8b/10b", false) => constant,
            ("8b/10b", true) => 2.0 * constant,
            (_, read) => blocks(usize::from(read)),
        };
        let beside = row["beside_cycles"].as_f64().unwrap();
        assert!((beside - expected).abs() <= 2.0, "{row:#}");
    }
    // Two at a time take half the time or what the line takes, and never longer than one by one.
    let several = bench["several"].as_array().unwrap();
    assert_eq!(several.len(), 24);
    for rows in several.chunks(3) {
        let of = |row: usize, key: &str| rows[row][key].as_f64().unwrap();
        for (before, row) in [(0, 1), (1, 2)] {
            assert!(
                of(row, "cycles_each") <= of(before, "cycles_each") + 0.5,
                "{rows:#?}"
            );
            let line = of(row, "line_cycles_each");
            assert!(of(row, "cycles_each") >= line - 8.0, "{rows:#?}");
        }
        if rows[0]["bytes"] == 512 {
            assert!(
                of(2, "cycles_each") < 0.6 * of(0, "cycles_each"),
                "{rows:#?}"
            );
        }
    }
    for row in bench["sizes"].as_array().unwrap() {
        let number = |key: &str| {
            row[key]
                .as_f64()
                .unwrap_or_else(|| panic!("{key}: {row:#}"))
        };
        assert!(number("efficiency") <= number("formula"), "{row:#}");
        if row["bytes"] == 4096 && row["lanes"] == 1 {
            assert!(number("efficiency") >= 0.995, "{row:#}");
            assert!(
                number("efficiency") - number("efficiency_crc") < 0.01,
                "{row:#}"
            );
        }
        if row["bytes"] == 524_288 {
            // 250 MHz times 64 bits.
            assert!(number("efficiency") * 16.0 > 15.99, "{row:#}");
        }
    }
}
