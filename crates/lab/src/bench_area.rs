// SPDX-License-Identifier: Apache-2.0
//! Area of the cores beside that of their papers, as `tools/area.py` of this checkout has it.

use std::process::Command;

use ropewalk_console::output;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The cores, and how the script calls the table of each.
const TABLES: [(&str, &str, &str); 4] = [
    ("rifl", "--paper", "table_4"),
    ("htsp", "--htsp", "table_5"),
    ("slink", "--slink", "table_3"),
    ("rdma", "--rdma", "rdma_thesis"),
];

/// Everything that was measured.
#[derive(Debug, Clone, Serialize)]
pub struct Bench {
    /// Every core stays within its limits.
    pub ok: bool,
    /// Modules of the cores.
    pub rows: Vec<Row>,
    /// Why there is no row of a core.
    pub left_out: Vec<LeftOut>,
}

/// A core that was not measured.
#[derive(Debug, Clone, Serialize)]
pub struct LeftOut {
    /// The core.
    pub core: &'static str,
    /// Why.
    pub why: String,
}

/// A module beside that of the paper.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// Its core.
    pub core: &'static str,
    /// Which of the core's links it is.
    pub of: String,
    /// Ours.
    pub ours: Area,
    /// That of the paper.
    pub paper: Area,
}

/// What a module takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Area {
    /// Lookup tables.
    pub lut: f64,
    /// Lookup tables that are memory; null: counted with the others.
    #[serde(default)]
    pub lut_memory: Option<f64>,
    /// Flip-flops.
    pub ff: f64,
    /// Block RAMs of 36 kbit; null: not given.
    #[serde(default)]
    pub bram36: Option<f64>,
}

/// Makes the measurements; `say` hears what is being measured.
#[must_use]
pub fn measure(say: &(dyn Fn(&str) + Sync)) -> Bench {
    let mut bench = Bench {
        ok: true,
        rows: Vec::new(),
        left_out: Vec::new(),
    };
    for (core, flag, table) in TABLES {
        say(&format!("synthesis of {core}"));
        output::stop_if_interrupted();
        match script(flag).and_then(|said| Ok((rows(core, &said, table)?, said))) {
            Ok((rows, said)) => {
                bench.ok &= said["ok"] != Value::Bool(false);
                bench.rows.extend(rows);
            }
            Err(why) => bench.left_out.push(LeftOut { core, why }),
        }
    }
    bench
}

/// What the script says.
fn script(flag: &str) -> Result<Value, String> {
    let root = ropewalk_sim::checkout().map_err(|error| error.to_string())?;
    let [python, script] = [".venv/bin/python", "tools/area.py"].map(|place| root.join(place));
    if !python.is_file() || !script.is_file() {
        return Err("needs a checkout with its tools: tools/setup.sh --dev".to_owned());
    }
    let said = Command::new(python)
        .arg(script)
        .args([flag, "--json"])
        .output();
    let said = said.map_err(|error| format!("tools/area.py {flag}: {error}"))?;
    // It ends with 1 where a limit is broken, which its object says too.
    serde_json::from_slice(&said.stdout).map_err(|_| {
        let text = String::from_utf8_lossy(&said.stderr);
        let last = text.lines().last().unwrap_or("no output").to_owned();
        format!("tools/area.py {flag}: {last}")
    })
}

/// The rows of a core.
fn rows(core: &'static str, said: &Value, table: &str) -> Result<Vec<Row>, String> {
    let row = |of: String, value: &Value| {
        let area = |value: &Value| serde_json::from_value(value.clone());
        let found = area(value).and_then(|ours| Ok((ours, area(&value["paper"])?)));
        let (ours, paper) = found.map_err(|error| format!("{table} of tools/area.py: {error}"))?;
        Ok(Row {
            core,
            of,
            ours,
            paper,
        })
    };
    match (&said[table], core) {
        (Value::Array(links), _) => {
            let name = |link: &Value| format!("4/{}/{}", link["user_width"], link["frame_width"]);
            links.iter().map(|link| row(name(link), link)).collect()
        }
        (Value::Object(links), "htsp") => {
            let mut links: Vec<_> = links.iter().collect();
            links.sort_by_key(|(channels, _)| channels.parse::<u8>().unwrap_or(u8::MAX));
            let name = |channels: &str| format!("{channels} channels");
            links
                .into_iter()
                .map(|(channels, link)| row(name(channels), link))
                .collect()
        }
        (module @ Value::Object(_), _) => Ok(vec![row("the engine alone".to_owned(), module)?]),
        _ => Err(format!("tools/area.py does not print {table}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_script_prints_is_understood() {
        let paper = json!({"lut": 19_300, "ff": 43_400});
        let link =
            json!({"lut": 3011, "lut_memory": 304, "ff": 3417, "bram36": 58, "paper": paper});
        let said = json!({"table_5": {"16": link, "1": link}, "ok": true});
        let found = rows("htsp", &said, "table_5").expect("rows");
        assert_eq!(found[0].of, "1 channels");
        assert_eq!(found[1].of, "16 channels");
        assert_eq!(found[0].ours.lut_memory, Some(304.0));
        assert_eq!(found[0].paper.bram36, None);
        let said = json!({"table_4": [{"user_width": 1024, "frame_width": 256, "lut": 1, "ff": 2, "paper": paper}]});
        assert_eq!(
            rows("rifl", &said, "table_4").expect("rows")[0].of,
            "4/1024/256"
        );
        assert!(rows("slink", &json!({}), "table_3").is_err());
        assert!(rows("slink", &json!({"table_3": {"lut": 1}}), "table_3").is_err());
    }
}
