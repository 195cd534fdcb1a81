// SPDX-License-Identifier: Apache-2.0
//! `ropewalk perf`: bulk transfer from memory to memory.

use std::io::Write;

use ropewalk_chunk::perf::{self, Arrangement, Figures, PerfError, Settings};
use ropewalk_chunk::stages::Threads;
use ropewalk_console::failure::Failure;
use ropewalk_console::format;
use ropewalk_console::json;
use ropewalk_console::table::Style;
use ropewalk_wire::chunk::params::{LINE, MAX_PER_FRAME};
use ropewalk_wire::chunk::{Fec, Pace, Params};
use serde::Serialize;

use super::perf_plan::{Plan, Ran};
use crate::cli::{self, Arrange, Perf, Socket};

#[derive(Debug, Serialize)]
struct Latency {
    p50: f64,
    p99: f64,
}

#[derive(Debug, Serialize)]
struct Summary {
    ok: bool,
    lanes: u8,
    via: &'static str,
    arrangement: &'static str,
    drop: f64,
    sealed: bool,
    fec: String,
    chunk_bytes: usize,
    goodput_gbps: f64,
    cpu_s_per_gb: f64,
    chunk_latency_ms: Latency,
    chunks: usize,
    resent_subpackets: u64,
    lost_subpackets: u64,
    mended_subpackets: u64,
    mended_bytes: u64,
    restored_subpackets: u64,
    buffer_overflows: u64,
    wrong_chunks: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Ran>,
}

/// Sub-packets of a frame: as many as there are bytes of payload in one of the paper.
fn per_frame(payload: u16) -> u8 {
    let bytes = u16::from(Params::PAPER.per_frame) * Params::PAPER.payload;
    (bytes / payload.max(LINE)).clamp(1, MAX_PER_FRAME.into()) as u8
}

/// Runs the subcommand.
///
/// # Errors
/// It could not be measured.
pub fn execute(options: &Perf) -> Result<u8, Failure> {
    let plan = options.plan.as_deref().map(Plan::read).transpose()?;
    let arrange = plan.as_ref().map_or(options.arrange, |plan| plan.arrange);
    let (arrangement, name) = match arrange {
        Arrange::Stable => (Arrangement::Stable, "stable"),
        Arrange::LowLatency => (Arrangement::LowLatency, "low-latency"),
    };
    let threads = options.threads.map(|threads| match threads {
        cli::Threads::End => Threads::End,
        cli::Threads::Lane => Threads::Lane,
        cli::Threads::Stage => Threads::Stage,
    });
    let mut settings = Settings {
        params: Params {
            lanes: options.lanes,
            chunks: options.chunks,
            sealed: options.sealed,
            fec: options.fec,
            payload: options.payload,
            per_frame: per_frame(options.payload),
            per_chunk: options.per_chunk,
        },
        arrangement,
        time: options.seconds,
        drop: options.loss,
        pace: options
            .rate
            .map_or(Pace::Found, |rate| Pace::Capped(rate as u64)),
        threads,
    };
    let figures = match &plan {
        Some(plan) => {
            settings = plan.settings(settings);
            plan.run(&settings)
        }
        None => match options.via {
            Socket::Udp => perf::run(&settings),
            Socket::Tcp => perf::run_over(&settings, &mut perf::pair_tcp),
        },
    };
    let figures = figures.map_err(|error| match error {
        PerfError::Params(error) => Failure::BadInput(error.to_string()),
        PerfError::Plan(error) => Failure::BadInput(error.to_string()),
        error => Failure::network(error),
    })?;
    let ran = plan.and_then(|plan| plan.beside(&figures));
    let summary = summary(options, name, settings.params, &figures, ran);
    let mut out = std::io::stdout().lock();
    if options.json {
        json::write(&mut out, "perf", &summary)?;
    } else {
        write!(
            out,
            "{}",
            text(
                options,
                &summary,
                Style::new(format::colour_wanted(&std::io::stdout()))
            )
        )?;
    }
    out.flush()?;
    Ok(u8::from(!summary.ok))
}

fn summary(
    options: &Perf,
    arrangement: &'static str,
    params: Params,
    figures: &Figures,
    plan: Option<Ran>,
) -> Summary {
    let milliseconds = |percent| figures.latency(percent).as_secs_f64() * 1e3;
    Summary {
        ok: figures.wrong == 0,
        lanes: params.lanes,
        via: match options.via {
            Socket::Udp => "udp",
            Socket::Tcp => "tcp",
        },
        arrangement,
        drop: options.loss,
        sealed: options.sealed,
        fec: options.fec.to_string(),
        chunk_bytes: params.chunk_bytes(),
        goodput_gbps: figures.gbps(),
        cpu_s_per_gb: figures.cpu_s_per_gb(),
        chunk_latency_ms: Latency {
            p50: milliseconds(50),
            p99: milliseconds(99),
        },
        chunks: figures.latencies.len(),
        resent_subpackets: figures.sender.resent,
        lost_subpackets: figures.sender.lost,
        mended_subpackets: figures.mended.sub_packets,
        mended_bytes: figures.mended.bytes,
        restored_subpackets: figures.restored,
        buffer_overflows: figures.drops,
        wrong_chunks: figures.wrong,
        plan,
    }
}

fn text(options: &Perf, summary: &Summary, style: Style) -> String {
    let lanes = format::lanes(summary.lanes);
    let via = match options.via {
        Socket::Udp => "",
        Socket::Tcp => " over TCP",
    };
    let sealed = if summary.sealed { ", sealed" } else { "" };
    let fec = match summary.fec.as_str() {
        "none" => String::new(),
        fec => format!(", {fec}"),
    };
    let repaired = match options.fec {
        Fec::None => String::new(),
        Fec::Mend(_) => format!(
            "{} sub-packets mended, {} bytes of them\n",
            format::thousands(summary.mended_subpackets),
            format::thousands(summary.mended_bytes)
        ),
        Fec::Restore(..) => format!(
            "{} sub-packets restored that did not arrive\n",
            format::thousands(summary.restored_subpackets)
        ),
    };
    let verdict = if summary.ok {
        style.good(&format!(
            "{} chunks arrived, each once and unchanged",
            summary.chunks
        ))
    } else {
        style.bad(&format!(
            "{} of {} chunks differ",
            summary.wrong_chunks, summary.chunks
        ))
    };
    let plan = summary.plan.as_ref();
    let plan = plan.map_or(String::new(), |plan| plan.text(summary.goodput_gbps, style));
    format!(
        "{lanes}{via}, {}{sealed}{fec}: {} Gb/s, {:.3} s of processor for each GB\nchunks take {:.3} ms (median), {:.3} ms (99 %)\n{} sub-packets lost, \
         {} sent again, {} overflows of buffers\n{repaired}{plan}{verdict}\n",
        summary.arrangement,
        style.bold(&format!("{:.2}", summary.goodput_gbps)),
        summary.cpu_s_per_gb,
        summary.chunk_latency_ms.p50,
        summary.chunk_latency_ms.p99,
        format::thousands(summary.lost_subpackets),
        format::thousands(summary.resent_subpackets),
        format::thousands(summary.buffer_overflows),
    )
}
