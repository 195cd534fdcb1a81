// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench rdma`, and the figures that the RTL must reach.

use serde_json::Value;

#[test]
fn the_figures_are_reached() {
    let (bench, _) = super::bench(
        "rdma --stages --incast",
        crate::common::seed(),
        &["latency", "throughput"],
    );
    // A line of 32 bytes takes two words of the port.
    let message = &bench["messages"][0];
    assert_eq!(
        (&message["port_bits"], &message["cycles_each"]),
        (&128.into(), &2.0.into())
    );
    // 3 words in framing in words, and packed the 2 cycles of port, receiver and engine: what is
    // above is the latency of one, 36 to 42 cycles over 64.
    let messages = bench["messages"].as_array().unwrap();
    let (words, packed) = (&messages[0], messages.last().unwrap());
    for (row, line, each, to_end) in [(words, 3.0, 3.0, 3.7), (packed, 0.75, 2.0, 2.7)] {
        assert_eq!(row["packed"], line < 3.0);
        assert_eq!(row["line_cycles_each"], line);
        assert!(
            row["cycles_to_end_each"].as_f64().unwrap() < to_end,
            "{row:#}"
        );
        assert_eq!(row["cycles_each_further"], each, "{row:#}");
    }
    let sizes = bench["sizes"].as_array().unwrap();
    assert_eq!(sizes.len(), 11);
    for row in sizes {
        let share = row["of_line"].as_f64().unwrap();
        assert!(share > 0.0 && share <= 1.0, "{row:#}");
    }
    // 8 to 512 bytes, one after the other: from node to node, and within one.
    let cycles = |name: &str| -> Vec<_> {
        let small = sizes[..6].iter();
        small.map(|row| row[name].as_u64().unwrap()).collect()
    };
    assert_eq!(sizes[5]["bytes"], 512);
    assert_eq!(cycles("single_cycles"), [36, 42, 42, 42, 44, 48]);
    assert_eq!(cycles("intra_node_cycles"), [22, 30, 30, 30, 32, 38]);
    // With a processor it is a number of its accesses, 18 cycles each; the thesis has three.
    assert_eq!(bench["processor_trip_ns"], 120.0);
    let accesses = |name| cycles(name).iter().map(|n| n / 18).collect::<Vec<_>>();
    assert_eq!(accesses("processor_cycles"), [3, 4, 4, 4, 4, 4]);
    assert_eq!(accesses("intra_node_processor_cycles"), [3; 6]);
    // A packet leaves while it is read and is written while it comes: a word more costs a cycle.
    let single = |row: &Value| row["single_cycles"].as_u64().unwrap();
    assert_eq!(sizes[6]["bytes"], 1024);
    assert!(single(&sizes[6]) <= 40 + 16, "{:#}", sizes[6]);
    assert_eq!(sizes[3]["bytes"], 128);
    assert!(sizes[3]["outstanding_cycles"].as_f64().unwrap() < 4.7);
    for row in bench["framings"].as_array().unwrap() {
        let [found, limit] = ["efficiency", "limit"].map(|name| row[name].as_f64().unwrap());
        let gbps = row["gbps"].as_f64().unwrap();
        assert!(found <= limit, "{row:#}");
        // Of 1024 bytes, in words and packed, 18 and 16.5 words; packed it is written when it is
        // whole.
        let words = row["bytes"].as_f64().unwrap() / 64.0;
        let single = row["single_cycles"].as_f64().unwrap();
        let most = match row["packed"].as_bool() {
            Some(true) => 64.0 + 16.5 / 16.0 * words,
            _ => 44.0 + 18.0 / 16.0 * words,
        };
        assert!(single <= most, "{row:#}");
        if row["bytes"] == 128 && row["packed"] == true {
            assert!(gbps > 46.0, "{row:#}");
        }
        // Short ones end before the first has been answered, so the round trip counts.
        if row["bytes"].as_u64().unwrap() >= 16_384 {
            // Where nothing follows a packet, half a word is left empty.
            assert!(found > 0.999 * limit, "{row:#}");
            // Of 76.8 Gb/s of the line.
            assert!(gbps > 0.95 * limit * 76.8, "{row:#}");
        }
    }
    // Every channel of both pages: as fast as the line, but for 50 cycles until the last is done.
    let rows = bench["every_channel"].as_array().unwrap();
    assert_eq!(rows.len(), 8);
    for row in rows {
        let [each, line] =
            ["cycles_each", "line_cycles_each"].map(|name| row[name].as_f64().unwrap());
        // Port, receiver and engine take 2 cycles each, whatever the line takes.
        let least = line.max(2.0);
        assert!(least < each && each < least + 65.0 / 128.0, "{row:#}");
        assert_eq!(row["transfers"], 128);
    }
    let rows = bench["stages"].as_array().unwrap();
    assert_eq!(rows.len(), 10);
    for row in rows {
        let within = row["intra_node"].as_bool().unwrap();
        let size = sizes.iter().find(|size| size["bytes"] == row["bytes"]);
        let stages = row["stages"].as_array().unwrap();
        let steps: Vec<_> = stages
            .iter()
            .map(|s| s["cycles"].as_u64().unwrap())
            .collect();
        let end = stages.last().unwrap();
        assert_eq!(end["name"], "user reads that it is done");
        assert_eq!(end["at"], steps.iter().sum::<u64>());
        // The moment at which the user asks makes a difference of some cycles.
        let whole = if within {
            "intra_node_cycles"
        } else {
            "single_cycles"
        };
        let whole = size.unwrap()[whole].as_u64().unwrap();
        assert!(end["at"].as_u64().unwrap().abs_diff(whole) <= 4);
        // A message reads no memory, and what stays within a node is not seen at the network.
        let reads = if row["bytes"] == 8 { 0 } else { 3 };
        let network = if within { 0 } else { 5 };
        assert_eq!(stages.len(), 6 + reads + network);
    }
    let rows = bench["incast"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for (row, marks) in rows.iter().zip([true, false]) {
        assert_eq!(row["mark_words"] != 0, marks, "{row:#}");
        assert_eq!(row["marked"] != 0, marks, "{row:#}");
        assert_eq!(row["overflowed"] == 0, marks, "{row:#}");
        let share = row["of_line"].as_f64().unwrap();
        assert!(share > 0.9 && share <= 1.001, "{row:#}");
        assert_eq!(row["shares"].as_array().unwrap().len(), 7);
    }
    let from = bench["line_rate_from"].as_u64().unwrap();
    assert!(from <= 8192, "{from}");
}
