// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench slink`, and the figures that the RTL must reach.

#[test]
fn the_figures_are_reached() {
    // Formula and one constant in all modes, within two cycles; every byte right.
    let (bench, _) = super::bench_all::core("slink");
    assert!(bench["spread_cycles"].as_f64().unwrap() <= 2.0);
    assert_eq!(bench["modes"].as_array().unwrap().len(), 24);
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
