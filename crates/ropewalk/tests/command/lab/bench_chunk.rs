// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench chunk`, and the figures of the paper that must be reached.

use serde_json::Value;

/// Virtual time is exact, so the seed is fixed; of real time is asked only that something arrives.
#[test]
fn the_figures_are_reached() {
    let (bench, _) = super::bench("chunk", 1, &["throughput", "latency", "loss"]);
    assert_eq!(bench["core"], "chunk");
    assert_eq!(bench["overhead_bytes"], 262_200.0);

    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value}"));
    let rows = bench["lanes"].as_array().unwrap();
    assert_eq!(rows.len(), 9);
    for row in rows {
        let (loss, lanes) = (number(&row["loss"]), number(&row["lanes"]));
        let near = |ours: f64, theirs: f64, share: f64| {
            assert!(
                (ours / theirs - 1.0).abs() < share,
                "{ours} of {theirs}: {row:#}"
            );
        };
        let of = |what: &str, key: &str| number(&row[what][key]);
        let one = rows
            .iter()
            .find(|one| one["lanes"] == 1 && one["loss"] == row["loss"]);
        let one = number(&one.unwrap()["stable"]["gbps"]);
        near(of("stable", "gbps"), lanes * one, 0.01);
        for arrangement in ["stable", "low_latency"] {
            let model = format!("{arrangement}_model");
            let overlapped = format!("{arrangement}_overlapped");
            near(of(arrangement, "chunk_ms"), of(&model, "chunk_ms"), 0.05);
            assert!(of(&overlapped, "gbps") > of(arrangement, "gbps"), "{row:#}");
            if loss == 0.0 {
                // Less than the paper's turn-around, more than none.
                near(
                    of(arrangement, "gbps"),
                    of(&format!("paper_{arrangement}"), "gbps"),
                    0.015,
                );
                near(
                    of(&overlapped, "chunk_ms"),
                    of(arrangement, "chunk_ms"),
                    0.02,
                );
            }
        }
    }
    let fit = &bench["fit"];
    assert!((number(&fit["line_ms"]) / number(&fit["line_expected_ms"]) - 1.0).abs() < 1e-3);
    assert!((10.0..45.0).contains(&number(&fit["turn_us"])), "{fit}");
    assert!(number(&fit["apart_us"]) < 10.0, "{fit}");

    for row in bench["windows"].as_array().unwrap() {
        let flight = row["overlapped"].as_array().unwrap();
        let most = number(&flight[flight.len() - 1]["gbps"]);
        assert!(most > 0.99 * number(&row["ideal_gbps"]), "{row:#}");
        assert!(most > number(&row["two_phases_gbps"]), "{row:#}");
    }
    // Without loss two phases wait for what accelerators add once a chunk, and overlapped ones do
    // not.
    let rows = bench["accelerators"].as_array().unwrap();
    assert_eq!(rows.len(), 12);
    for loss in rows.chunks(4) {
        let ms = |row: &Value, phases: &str| number(&row[phases]["chunk_ms"]);
        for row in loss {
            let more = ms(row, "two_phases") - ms(&loss[0], "two_phases");
            let added = number(&row["added_us"]) / 1e3;
            if row["loss"] == 0.0 {
                assert!((more - added).abs() < 0.02, "{row:#}");
                let more = ms(row, "overlapped") - ms(&loss[0], "overlapped");
                assert!(more.abs() < 0.02, "{row:#}");
            }
        }
        let slowest = loss.last().unwrap();
        assert!(
            ms(slowest, "two_phases") > ms(slowest, "overlapped") + 0.9,
            "{slowest:#}"
        );
    }
    for row in bench["transports"].as_array().unwrap() {
        let measured = row["gbps"]["median"].as_f64().is_some_and(|it| it > 0.0);
        let told = row["left_out"].is_string();
        assert!(
            measured != told && (row["of"] == "peer" || measured),
            "{row:#}"
        );
    }
    for of in ["gbps", "cpu"] {
        assert!(number(&bench["of_ceiling"][of]["median"]) > 0.0);
    }
    for row in bench["fec"].as_array().unwrap() {
        assert!(
            number(&row["encode_gbps"]) > 0.0 && number(&row["mend_gbps"]) > 0.0,
            "{row:#}"
        );
    }

    // Every key is told.
    let mut found = Vec::new();
    keys(&bench, &mut found);
    let guide = include_str!("../../../../../docs/src/user-guide.md");
    let section = guide
        .split("`target/release/ropewalk bench chunk`")
        .nth(1)
        .unwrap();
    let section = section.split("\n## ").next().unwrap();
    for key in found {
        let told = [format!("`{key}`"), format!("`{key}[]`")];
        assert!(
            told.iter().any(|key| section.contains(key)),
            "{key} is not in the user guide"
        );
    }
}

/// All keys; a list stands for its first entry.
fn keys(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                found.push(key.clone());
                keys(value, found);
            }
        }
        Value::Array(list) => list.first().into_iter().for_each(|v| keys(v, found)),
        _ => {}
    }
}
