// SPDX-License-Identifier: Apache-2.0
//! `ropewalk bench transfer`: each way that this machine has is measured, and copies rightly; one
//! that it does not have says which program is missing.

#[test]
fn files_beside_other_programs() {
    let (bench, html) = super::bench("transfer --many 2000", crate::common::seed(), &[]);
    let rows = bench["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 26);
    for row in &rows[24..] {
        assert_eq!(
            (&row["files"], &row["varied"]),
            (&2000.into(), &true.into())
        );
        for end in ["send", "recv"] {
            let bytes = row["peak_memory_bytes"][end].as_u64().unwrap();
            assert!((1 << 20..300_000_000).contains(&bytes), "{row:#}");
        }
    }
    let sent = |way: &str| {
        let row = rows.iter().find(|row| row["way"] == way).unwrap();
        row["sent_bytes"].as_u64().unwrap() * 100 / row["file_bytes"].as_u64().unwrap()
    };
    // Percent of the file.
    assert_eq!((sent("inserted"), sent("inserted_whole")), (0, 100));
    assert!(html.contains("2 000 files of up to 63 bytes"), "{html}");
    for row in rows {
        let way = row["way"].as_str().unwrap();
        let seconds = row["seconds"].as_array().unwrap();
        if ["trusted", "sealed", "again", "inserted", "inserted_whole"].contains(&way)
            || row["missing"].is_null()
        {
            assert_eq!(seconds.len(), 1, "{row:#}");
            assert!(seconds[0].as_f64().unwrap() > 0.0, "{row:#}");
        } else {
            let why = row["missing"].as_str().unwrap();
            assert!(why.ends_with(" is not installed"), "{row:#}");
            assert!(html.contains(why), "{why}");
        }
    }
}
