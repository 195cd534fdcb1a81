// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench rdma`, and the figures that the RTL must reach.

#[test]
fn the_figures_are_reached() {
    let (bench, _) = super::bench("rdma", crate::common::seed(), &["latency", "throughput"]);
    // A line of 32 bytes takes two words of the port.
    let message = &bench["messages"][0];
    assert_eq!(
        (&message["port_bits"], &message["cycles_each"]),
        (&128.into(), &2.0.into())
    );
    let sizes = bench["sizes"].as_array().unwrap();
    assert_eq!(sizes.len(), 11);
    for row in sizes {
        let share = row["of_line"].as_f64().unwrap();
        assert!(share > 0.0 && share <= 1.0, "{row:#}");
    }
    // A single message; blocks of two words, one packet each, which the receiver takes every 4 cycles.
    assert!(sizes[0]["single_cycles"].as_u64().unwrap() <= 48);
    assert_eq!(sizes[3]["bytes"], 128);
    assert!(sizes[3]["outstanding_cycles"].as_f64().unwrap() < 5.5);
    for row in bench["framings"].as_array().unwrap() {
        let [found, limit] = ["efficiency", "limit"].map(|name| row[name].as_f64().unwrap());
        let gbps = row["gbps"].as_f64().unwrap();
        // Where nothing follows a packet, half a word is left empty.
        assert!(found <= limit && found > 0.999 * limit, "{row:#}");
        // Of 76.8 Gb/s of the line.
        assert!(gbps > 0.95 * limit * 76.8, "{row:#}");
    }
    let from = bench["line_rate_from"].as_u64().unwrap();
    assert!(from <= 8192, "{from}");
}
