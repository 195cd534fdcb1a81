// SPDX-License-Identifier: Apache-2.0
//! A simulated RIFL link.

use crate::{RopewalkError, bad, detached};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ropewalk_sim::rifl::{LinkConfig, Model, RunConfig, RunResult, Traffic, Verdict, run};
use ropewalk_sim::{ChannelConfig, SimError};
use std::panic::resume_unwind;

/// What a run ends with that is interrupted.
struct Interrupted(PyErr);

fn failed(error: SimError) -> PyErr {
    match error {
        SimError::BadParameter { .. } => bad(error),
        error => RopewalkError::new_err(error.to_string()),
    }
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::InOrder(_) => "in order",
        Verdict::Early => "early",
        Verdict::Late => "late",
        Verdict::Duplicate => "duplicate",
        Verdict::Corrupt => "corrupt",
        Verdict::Aborted => "aborted",
    }
}

/// Columns of all packets that came out, columns of the time series, and single numbers.
#[allow(clippy::too_many_arguments)]
#[pyfunction]
#[pyo3(signature = (packets, min_bytes, max_bytes, ber, lanes, frame_width, line_rate_gbps, delay_ns, seed, sample_ns))]
pub fn simulate_rifl<'py>(
    py: Python<'py>,
    packets: u64,
    min_bytes: u32,
    max_bytes: u32,
    ber: f64,
    lanes: u8,
    frame_width: u16,
    line_rate_gbps: f64,
    delay_ns: f64,
    seed: u64,
    sample_ns: f64,
) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>)> {
    let delay_bits = (delay_ns * line_rate_gbps).round();
    if !(0.0..1e12).contains(&delay_bits) || !(0.0..1e12).contains(&sample_ns) {
        return Err(bad(format!(
            "delay_ns {delay_ns}, sample_ns {sample_ns}: accepted are 0 or more, below 1e12"
        )));
    }
    let config = move || {
        let wires = |first: u64| {
            let wire = |lane: u8| ChannelConfig {
                delay_bits: delay_bits as u64,
                ber,
                seed: seed
                    .wrapping_mul(1000)
                    .wrapping_add(first + 2 * u64::from(lane)),
                ..ChannelConfig::default()
            };
            (0..lanes).map(wire).collect()
        };
        let traffic = |direction| Traffic::Random {
            packets,
            min: min_bytes,
            max: max_bytes,
            seed: seed.wrapping_add(direction),
        };
        let link = LinkConfig {
            model: Model {
                lanes,
                user_width: frame_width.max(64 * u16::from(lanes)),
                frame_width,
                ..Model::default()
            },
            line_rate_gbps,
            a_to_b: wires(1),
            b_to_a: wires(2),
            brief: true,
            ..LinkConfig::default()
        };
        RunConfig {
            sample_interval: (sample_ns / link.cycle_ns()).round() as u64,
            link,
            traffic: [traffic(0), traffic(1)],
            seed,
            keep_times: true,
            ..RunConfig::default()
        }
    };
    let work = move || {
        let mut look = |_: &_| {
            // The run ends when this unwinds.
            if let Err(error) = Python::attach(|py| py.check_signals()) {
                resume_unwind(Box::new(Interrupted(error)));
            }
        };
        let ran =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(config(), &mut look)));
        match ran {
            Ok(result) => result.map_err(failed),
            Err(panic) => match panic.downcast::<Interrupted>() {
                Ok(interrupted) => Err(interrupted.0),
                Err(panic) => resume_unwind(panic),
            },
        }
    };
    columns(py, &detached(py, work)?)
}

fn columns<'py>(
    py: Python<'py>,
    result: &RunResult,
) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>)> {
    // No bytes: Python has those for one value.
    let directions = || (0_u32..).zip(&result.directions);
    let all = || {
        directions().flat_map(|(number, direction)| {
            let came = direction.deliveries.iter().flatten();
            came.map(move |it| (number, it))
        })
    };
    let packets = PyDict::new(py);
    let ns = |fs: u64| fs as f64 * 1e-6;
    let numbers: Vec<u32> = all().map(|(number, _)| number).collect();
    packets.set_item("direction", numbers)?;
    let bytes: Vec<u64> = all().map(|(_, it)| it.bytes).collect();
    packets.set_item("bytes", bytes)?;
    let sent: Vec<f64> = all()
        .map(|(_, it)| match it.verdict {
            Verdict::InOrder(since) => ns(since),
            _ => f64::NAN,
        })
        .collect();
    packets.set_item("sent_ns", sent)?;
    let first: Vec<f64> = all().map(|(_, it)| ns(it.first_fs)).collect();
    packets.set_item("first_ns", first)?;
    let last: Vec<f64> = all().map(|(_, it)| ns(it.last_fs)).collect();
    packets.set_item("last_ns", last)?;
    let verdicts: Vec<&str> = all().map(|(_, it)| verdict(it.verdict)).collect();
    packets.set_item("verdict", verdicts)?;

    let series = PyDict::new(py);
    let times: Vec<f64> = result.series.iter().map(|it| it.time_ns).collect();
    series.set_item("time_ns", times)?;
    for (number, name) in ["a_to_b", "b_to_a"].into_iter().enumerate() {
        let of = |value: fn(&ropewalk_sim::rifl::Sample, usize) -> f64| -> Vec<f64> {
            result.series.iter().map(|it| value(it, number)).collect()
        };
        series.set_item(
            format!("{name}_gbps"),
            of(|it, number| it.goodput_gbps[number]),
        )?;
        series.set_item(
            format!("{name}_latency_max_ns"),
            of(|it, number| it.latency_ns_max[number]),
        )?;
        series.set_item(
            format!("{name}_bit_errors"),
            of(|it, number| it.bit_errors[number] as f64),
        )?;
    }

    let summary = PyDict::new(py);
    summary.set_item("lossless", result.is_lossless())?;
    summary.set_item("cycles", result.cycles)?;
    summary.set_item("time_ns", result.time_ns)?;
    summary.set_item("link_up_ns", result.link_up_ns)?;
    summary.set_item("bit_errors", result.bit_errors.to_vec())?;
    summary.set_item("retransmissions", result.retransmissions.to_vec())?;
    let of = |value: fn(&ropewalk_sim::rifl::Direction) -> f64| -> Vec<f64> {
        result.directions.iter().map(value).collect()
    };
    summary.set_item("goodput_gbps", of(|it| it.goodput_gbps))?;
    summary.set_item("efficiency", of(|it| it.efficiency))?;
    Ok((packets, series, summary))
}
