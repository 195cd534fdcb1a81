// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench htsp`, and the figures that the RTL must reach.

use ropewalk_testkit::skip;
use serde_json::Value;

#[test]
fn the_figures_are_reached() {
    let (bench, _) = super::bench_all::core("htsp");

    let sizes = bench["sizes"].as_array().unwrap();
    assert_eq!(sizes.len(), 15);
    for row in sizes {
        let number = |key: &str| {
            row[key]
                .as_f64()
                .unwrap_or_else(|| panic!("{key}: {row:#}"))
        };
        // A run of 16384 words takes six cycles more than the rule: for the way of the first word.
        let bytes = number("bytes");
        let words = (16384.0 / (bytes / 64.0).ceil()).floor() * bytes / 64.0;
        let cycles = words / number("efficiency") - words / number("rule");
        assert!((cycles - 6.0).abs() < 1e-6, "{cycles} {row:#}");
        assert!(
            number("bandwidth_gbps") > number("paper_bandwidth_gbps"),
            "{row:#}"
        );
        assert!(
            number("bandwidth_gbps") < number("line_limit_gbps"),
            "{row:#}"
        );
        // Cut-through: the size of a frame does not matter.
        assert_eq!(row["latency_min"], 8, "{row:#}");
        assert_eq!(row["latency_max"], 8, "{row:#}");
        if row["bytes"] == 8192 {
            // The clock and the line leave two cycles a burst, less 24 bytes: 98.61 Gb/s.
            assert!(number("bandwidth_gbps") > 98.5, "{row:#}");
        }
    }
    let ethernet = bench["ethernet"].as_array().unwrap();
    assert_eq!(ethernet.len(), 2);
    for row in ethernet {
        let number = |key: &str| row[key].as_f64().unwrap();
        // The clock of the core leaves less than the line takes, as without lanes.
        assert!(number("bandwidth_gbps") > 98.4, "{row:#}");
        assert!(number("bandwidth_gbps") < number("limit_gbps"), "{row:#}");
        assert!(number("latency_cycles") > 8.0, "{row:#}");
    }
    // Codewords of FEC are passed as a whole.
    let cycles = |row: &Value| row["latency_cycles"].as_u64();
    assert!(cycles(&ethernet[0]) < cycles(&ethernet[1]), "{ethernet:#?}");
    // Speed is that of the machine; but something has to arrive, and no more than was sent.
    let host = bench["host"].as_array().unwrap();
    match &bench["host_left_out"] {
        Value::Null => assert_eq!(host.len(), 8),
        why => {
            assert!([0, 4].contains(&host.len()) && why.is_string(), "{why}");
            skip(format_args!("host ends: {why}"));
        }
    }
    for row in host {
        let bytes = |key: &str| row[key].as_u64().unwrap();
        assert!(
            0 < bytes("arrived") && bytes("arrived") <= bytes("sent"),
            "{row:#}"
        );
    }
    let channels = bench["channels"].as_array().unwrap();
    assert_eq!(channels.len(), 2);
    for row in channels {
        // As one channel alone has, whatever their number.
        let bandwidth = row["bandwidth_gbps"].as_f64().unwrap();
        assert!((bandwidth - 98.60117).abs() < 1e-5, "{row:#}");
        assert_eq!(row["link_up_cycles"], 14, "{row:#}");
        assert!(row["cycles_per_second"].as_f64().unwrap() > 0.0, "{row:#}");
    }
}
