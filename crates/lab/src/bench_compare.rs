// SPDX-License-Identifier: Apache-2.0
//! What differs between two results of benchmarks: `ropewalk bench --compare`.

use serde::Serialize;
use serde_json::Value;

/// Keys of what depends on the speed of the machine; all below them does too.
const BY_MACHINE: [&str; 8] = [
    "cycles_per_second",
    "fec",
    "host",
    "of_ceiling",
    "of_quic",
    "speed",
    "transfer",
    "transports",
];
/// Keys that say what was measured.
const CONDITIONS: [&str; 3] = ["schema", "command", "seed"];
/// A figure that depends on the machine differs from this share on.
const NOISE: f64 = 0.1;

/// What differs.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// Nothing differs but what depends on the machine.
    pub ok: bool,
    /// Figures that are the same.
    pub same: usize,
    /// Figures that are not.
    pub differences: Vec<Difference>,
    /// Figures of the machine that differ by a tenth or more.
    pub by_machine: Vec<Difference>,
}

/// A figure that differs.
#[derive(Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Keys from the outside to the inside; a row of a table by its place, and by what it says of
    /// itself.
    pub figure: String,
    /// Before; null: there was none.
    pub old: Value,
    /// Now; null: there is none.
    pub new: Value,
}

impl Difference {
    /// By how much of the old value, where both are numbers.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let (old, new) = (self.old.as_f64()?, self.new.as_f64()?);
        (old != 0.0).then(|| new / old - 1.0)
    }
}

/// Compares two objects of the same command.
#[must_use]
pub fn compare(old: &Value, new: &Value) -> Comparison {
    let mut found = Comparison {
        ok: true,
        same: 0,
        differences: Vec::new(),
        by_machine: Vec::new(),
    };
    found.walk("", false, old, new);
    found.ok = found.differences.is_empty();
    found
}

impl Comparison {
    fn walk(&mut self, path: &str, by_machine: bool, old: &Value, new: &Value) {
        match (old, new) {
            (Value::Object(a), Value::Object(b)) => {
                let more = b.keys().filter(|key| !a.contains_key(*key));
                for key in a.keys().chain(more) {
                    if path.is_empty() && CONDITIONS.contains(&key.as_str()) {
                        continue;
                    }
                    let [a, b] = [a, b].map(|it| it.get(key).unwrap_or(&Value::Null));
                    let inside = by_machine || BY_MACHINE.contains(&key.as_str());
                    let dot = if path.is_empty() { "" } else { "." };
                    self.walk(&format!("{path}{dot}{key}"), inside, a, b);
                }
            }
            (Value::Array(a), Value::Array(b)) => {
                for i in 0..a.len().max(b.len()) {
                    let [a, b] = [a, b].map(|it| it.get(i).unwrap_or(&Value::Null));
                    let name = row_name(i, a, b);
                    self.walk(&format!("{path}[{name}]"), by_machine, a, b);
                }
            }
            (old, new) if equal(old, new) => self.same += 1,
            (old, new) => {
                let difference = Difference {
                    figure: path.to_owned(),
                    old: old.clone(),
                    new: new.clone(),
                };
                let share = difference.share();
                if !by_machine {
                    self.differences.push(difference);
                } else if share.is_some_and(|share| share.abs() < NOISE) {
                    self.same += 1;
                } else {
                    self.by_machine.push(difference);
                }
            }
        }
    }
}

/// Equal, whatever way the numbers are written.
fn equal(old: &Value, new: &Value) -> bool {
    match (old.as_f64(), new.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => old == new,
    }
}

/// The place of a row, and what its texts, truths and numbers without a fraction say, where both
/// have the same.
fn row_name(place: usize, old: &Value, new: &Value) -> String {
    let (Some(a), Some(b)) = (old.as_object(), new.as_object()) else {
        return place.to_string();
    };
    let says = |(key, value): (&String, &Value)| {
        let plain = value.is_string() || value.is_boolean() || value.is_u64();
        let said = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        (plain && b.get(key) == Some(value)).then(|| format!("{key} {said}"))
    };
    let said: Vec<String> = a.iter().filter_map(says).take(3).collect();
    if said.is_empty() {
        place.to_string()
    } else {
        format!("{place}: {}", said.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_differs_is_named() {
        let old = json!({"schema": 1, "seed": 1, "rows": [{"mode": "read", "cycles": 8, "gbps": 2.0}],
            "speed": [{"cycles_per_second": 100.0}, {"cycles_per_second": 100.0}], "gone": 1});
        let new = json!({"schema": 1, "seed": 2, "rows": [{"mode": "read", "cycles": 8.0, "gbps": 2.5}],
            "speed": [{"cycles_per_second": 95.0}, {"cycles_per_second": 80.0}], "more": [3]});
        let found = compare(&old, &new);
        assert!(!found.ok);
        let names: Vec<_> = found.differences.iter().map(|it| &it.figure[..]).collect();
        assert_eq!(names, ["gone", "rows[0: mode read].gbps", "more"]);
        assert_eq!(found.differences[1].share(), Some(0.25));
        assert_eq!(found.differences[0].new, Value::Null);
        let names: Vec<_> = found.by_machine.iter().map(|it| &it.figure[..]).collect();
        assert_eq!(names, ["speed[1].cycles_per_second"]);
        assert_eq!(found.same, 3);
    }

    #[test]
    fn rows_that_are_missing_differ() {
        let [old, new] = [json!({"rows": [1, 2]}), json!({"rows": [1]})];
        let found = compare(&old, &new);
        assert_eq!(found.differences[0].figure, "rows[1]");
        assert!(compare(&old, &old).ok);
    }
}
