// SPDX-License-Identifier: Apache-2.0
//! The table of a sweep: a Parquet file with a row for each case.
//!
//! First the columns of the case: `core`, `seed`, and each of its values under its name; then
//! `ok`, and everything in the results under `result_`, what is nested joined by `_`:
//! `result_directions_0_goodput_gbps`. A column that a case does not have is null there. Columns of
//! the same kind are in the order of their names.

use std::collections::BTreeMap;
use std::sync::Arc;

use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use ropewalk_console::failure::Failure;
use serde_json::{Map, Value};

use super::Outcome;

/// Rows that are written at a time.
const GROUP: usize = 65_536;

type Row = BTreeMap<String, Value>;

/// What a column holds: the narrowest kind that takes all of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Unsigned,
    Signed,
    Float,
    Text,
}

impl Kind {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Null => None,
            Value::Bool(_) => Some(Self::Bool),
            Value::Number(number) if number.is_u64() => Some(Self::Unsigned),
            Value::Number(number) if number.is_i64() => Some(Self::Signed),
            Value::Number(_) => Some(Self::Float),
            _ => Some(Self::Text),
        }
    }

    /// What takes values of both.
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (a, b) if a == b => a,
            (Self::Unsigned, Self::Signed) | (Self::Signed, Self::Unsigned) => Self::Signed,
            (Self::Bool | Self::Text, _) | (_, Self::Bool | Self::Text) => Self::Text,
            _ => Self::Float,
        }
    }

    /// In the language of Parquet's schemas.
    fn declared(self, name: &str) -> String {
        match self {
            Self::Bool => format!("OPTIONAL BOOLEAN {name};"),
            Self::Unsigned => format!("OPTIONAL INT64 {name} (INTEGER(64,false));"),
            Self::Signed => format!("OPTIONAL INT64 {name};"),
            Self::Float => format!("OPTIONAL DOUBLE {name};"),
            Self::Text => format!("OPTIONAL BYTE_ARRAY {name} (STRING);"),
        }
    }
}

/// A column to be: order among columns, and name.
type Columns = BTreeMap<(u8, String), Kind>;

/// What is nested, laid out flat; an empty list is nothing.
fn flatten(name: &str, value: &Value, row: &mut Row) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                flatten(&format!("{name}_{field}"), value, row);
            }
        }
        Value::Array(values) => {
            for (place, value) in values.iter().enumerate() {
                flatten(&format!("{name}_{place}"), value, row);
            }
        }
        value => {
            row.insert(name.replace('-', "_"), value.clone());
        }
    }
}

/// The cells of a case, in the order of the kinds of columns.
fn cells(outcome: &Outcome) -> Result<[Row; 4], Failure> {
    let mut rows = [(); 4].map(|()| Row::new());
    rows[0].insert("core".to_owned(), outcome.case.core.clone().into());
    let values = serde_json::to_value(&outcome.case.values).map_err(Failure::refused)?;
    for (name, value) in values.as_object().unwrap_or(&Map::new()) {
        // A list is one value here, as the grid has it.
        let value = match value {
            Value::Array(_) => Value::String(value.to_string()),
            value => value.clone(),
        };
        rows[1].insert(name.replace('-', "_"), value);
    }
    rows[2].insert("seed".to_owned(), outcome.case.seed.into());
    rows[2].insert("ok".to_owned(), outcome.ok.into());
    for (name, value) in &outcome.result {
        flatten(&format!("result_{name}"), value, &mut rows[3]);
    }
    Ok(rows)
}

/// The file.
///
/// # Errors
/// The library refuses what it is given, which would be a mistake here.
pub(super) fn parquet(outcomes: &[&Outcome]) -> Result<Vec<u8>, Failure> {
    let mut columns = Columns::new();
    let mut table = Vec::with_capacity(outcomes.len());
    for outcome in outcomes {
        let mut row = BTreeMap::new();
        for (place, cells) in (0..).zip(cells(outcome)?) {
            for (name, value) in cells {
                let key = (place, name);
                if let Some(kind) = Kind::of(&value) {
                    let whole = columns.get(&key).map_or(kind, |known| known.with(kind));
                    columns.insert(key.clone(), whole);
                }
                row.insert(key, value);
            }
        }
        table.push(row);
    }
    write(&columns, &table).map_err(Failure::refused)
}

type Cells = BTreeMap<(u8, String), Value>;

fn write(columns: &Columns, table: &[Cells]) -> Result<Vec<u8>, ParquetError> {
    let declared: String = columns
        .iter()
        .map(|((_, name), kind)| kind.declared(name))
        .collect();
    let schema = parse_message_type(&format!("message sweep {{ {declared} }}"))?;
    let properties = WriterProperties::builder()
        .set_created_by(format!("ropewalk {}", env!("CARGO_PKG_VERSION")))
        .build();
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut file, Arc::new(schema), Arc::new(properties))?;
    for rows in table.chunks(GROUP) {
        let mut group = writer.next_row_group()?;
        for (key, kind) in columns {
            let values = rows.iter().map(|row| row.get(key).filter(|v| !v.is_null()));
            if let Some(column) = group.next_column()? {
                write_column(column, *kind, &values.collect::<Vec<_>>())?;
            }
        }
        group.close()?;
    }
    writer.close()?;
    Ok(file)
}

fn write_column(
    mut column: SerializedColumnWriter<'_>,
    kind: Kind,
    values: &[Option<&Value>],
) -> Result<(), ParquetError> {
    let levels: Vec<i16> = values.iter().map(|v| i16::from(v.is_some())).collect();
    let levels = Some(levels.as_slice());
    let there = values.iter().flatten();
    match kind {
        Kind::Bool => {
            let values: Vec<bool> = there.filter_map(|v| v.as_bool()).collect();
            column
                .typed::<BoolType>()
                .write_batch(&values, levels, None)?;
        }
        Kind::Unsigned | Kind::Signed => {
            // The bits of a number without a sign are kept as they are.
            let bits = |v: &&Value| v.as_i64().or_else(|| v.as_u64().map(|v| v as i64));
            let values: Vec<i64> = there.filter_map(bits).collect();
            column
                .typed::<Int64Type>()
                .write_batch(&values, levels, None)?;
        }
        Kind::Float => {
            let values: Vec<f64> = there.filter_map(|v| v.as_f64()).collect();
            column
                .typed::<DoubleType>()
                .write_batch(&values, levels, None)?;
        }
        Kind::Text => {
            let text = |v: &&Value| match v {
                Value::String(text) => ByteArray::from(text.as_str()),
                other => ByteArray::from(other.to_string().into_bytes()),
            };
            let values: Vec<ByteArray> = there.map(text).collect();
            column
                .typed::<ByteArrayType>()
                .write_batch(&values, levels, None)?;
        }
    }
    column.close()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::grid::Grid;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    use serde_json::json;
    use std::io::Write;

    fn outcomes() -> Vec<Outcome> {
        let text = "core = \"rifl\"\n[fixed]\nframe-width = 512\n[each]\nber = [0, 1e-6]\n";
        let results = [
            json!({"a": 1, "b": -1, "c": 1, "d": [{"e": "x"}, {"e": 3}], "big": u64::MAX}),
            json!({"a": null, "b": 2, "c": 0.5, "d": [{"e": null}], "big": 3}),
        ];
        let cases = Grid::parse(text).unwrap().cases.into_iter().zip(results);
        let outcome = |(case, result): (_, Value)| Outcome {
            case,
            rtl: String::new(),
            ok: result["c"] == 1,
            result: result.as_object().unwrap().clone(),
            wall_s: 1.0,
            process: 1,
        };
        cases.map(outcome).collect()
    }

    #[test]
    fn a_reader_finds_every_value_and_the_narrowest_kinds() {
        let outcomes = outcomes();
        let mut file = tempfile::tempfile().unwrap();
        let bytes = parquet(&outcomes.iter().collect::<Vec<_>>()).unwrap();
        file.write_all(&bytes).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let rows: Vec<Vec<(String, Field)>> = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| row.unwrap().into_columns())
            .collect();
        let text = |text: &str| Field::Str(text.to_owned());
        let expected = [
            ("core", text("rifl"), text("rifl")),
            ("ber", Field::Double(0.0), Field::Double(1e-6)),
            ("frame_width", Field::ULong(512), Field::ULong(512)),
            ("ok", Field::Bool(true), Field::Bool(false)),
            (
                "seed",
                Field::ULong(outcomes[0].case.seed),
                Field::ULong(outcomes[1].case.seed),
            ),
            ("result_a", Field::ULong(1), Field::Null),
            ("result_b", Field::Long(-1), Field::Long(2)),
            ("result_big", Field::ULong(u64::MAX), Field::ULong(3)),
            ("result_c", Field::Double(1.0), Field::Double(0.5)),
            ("result_d_0_e", text("x"), Field::Null),
            ("result_d_1_e", Field::ULong(3), Field::Null),
        ];
        for (place, row) in rows.iter().enumerate() {
            let found: Vec<_> = row
                .iter()
                .map(|(name, field)| (name.as_str(), field))
                .collect();
            let wanted: Vec<_> = expected
                .iter()
                .map(|(name, first, second)| (*name, [first, second][place]))
                .collect();
            assert_eq!(found, wanted);
        }
        assert_eq!(rows.len(), 2);
    }
}
