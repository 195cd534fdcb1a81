// SPDX-License-Identifier: Apache-2.0
//! Settings in TOML files, whose keys are the long names of options.

use std::ffi::OsString;

use clap::{Arg, ArgAction};
use serde::de::DeserializeOwned;
use toml::Value;

/// Reads a file's text.
///
/// # Errors
/// It is no TOML, or has something else in it than `T`: the line and what is wrong there.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        let message = error.message().replace('\n', " ");
        format!("line {}: {message}", line(text, at))
    })
}

/// The line of a byte of the text, from 1.
#[must_use]
pub fn line(text: &str, at: usize) -> usize {
    let before = text.as_bytes().iter().take(at);
    1 + before.filter(|byte| **byte == b'\n').count()
}

/// A key as arguments.
///
/// # Errors
/// What is accepted, if the value is of another type.
pub fn arguments(arg: &Arg, value: &Value) -> Result<Vec<OsString>, String> {
    let long = arg.get_long().unwrap_or_default();
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        return match value {
            Value::Boolean(true) => Ok(vec![format!("--{long}").into()]),
            Value::Boolean(false) => Ok(Vec::new()),
            _ => Err("accepted: true or false".to_owned()),
        };
    }
    let one = |value: &Value| match value {
        Value::String(text) => Ok(format!("--{long}={text}").into()),
        Value::Integer(number) => Ok(format!("--{long}={number}").into()),
        Value::Float(number) => Ok(format!("--{long}={number}").into()),
        _ => Err("accepted: a text or a number".to_owned()),
    };
    match value {
        Value::Array(values) if matches!(arg.get_action(), ArgAction::Append) => {
            values.iter().map(one).collect()
        }
        value => one(value).map(|text| vec![text]),
    }
}
