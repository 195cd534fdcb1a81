// SPDX-License-Identifier: Apache-2.0
//! Transports of others, measured as ours are: one direction, memory to memory, two threads, for
//! `--seconds` seconds. Over the loopback interface, or, with `--rate`, `--delay` or `--loss`,
//! between two networks with a channel between them (which needs privileges).
//!
//! Prints a line of JSON: `peer`, what was set, `seconds`, `bytes`, `gbps` and `cpu_s_per_gb`, of
//! both ends together and of the channel.

mod place;
mod quinn;
mod s2n;
mod tcp;

use anyhow::Context;
use clap::{Parser, ValueEnum};
use place::Place;
use ropewalk_channel::Settings;
use ropewalk_io::measure::{Figures, cpu};
use serde_json::json;
use std::time::{Duration, Instant};

/// A transport.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Peer {
    /// TCP of the kernel.
    Tcp,
    /// The library quinn (QUIC).
    Quinn,
    /// The library s2n-quic.
    S2n,
}

/// Measures the throughput of a transport and the processor time that it takes.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// What is measured.
    peer: Peer,
    /// Time of sending, seconds.
    #[arg(long, default_value_t = 5.0, value_parser = seconds)]
    seconds: f64,
    /// Congestion control: for TCP what the kernel has (cubic, bbr, reno), for the others cubic or
    /// bbr.
    #[arg(long, default_value = "cubic")]
    congestion: String,
    /// Longest packet of QUIC, bytes of UDP. Default: what the library is fastest with, 6500 for
    /// quinn, 8900 for s2n.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1200..=9000))]
    mtu: Option<u16>,
    /// Bytes of QUIC that may be under way.
    #[arg(long, default_value_t = 1_250_000)]
    window: u32,
    /// Rate of the channel, Gb/s.
    #[arg(long)]
    rate: Option<f64>,
    /// Delay of the channel in each direction, milliseconds.
    #[arg(long)]
    delay: Option<f64>,
    /// Probability of a packet to be lost on the way to the receiver.
    #[arg(long)]
    loss: Option<f64>,
}

/// A time that can be measured.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.1..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("accepted are 0.1 to 3600 seconds".into()),
    }
}

impl Options {
    /// Longest packet of QUIC. quinn hands ten packets at a time to the system, which takes 65 507
    /// bytes; if they are more, nearly all is lost.
    fn mtu(&self) -> u16 {
        self.mtu.unwrap_or(match self.peer {
            Peer::Quinn => QUINN_MTU,
            Peer::Tcp | Peer::S2n => 8900,
        })
    }

    /// Time of sending.
    fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// The channel to the receiver, and the one back; none without any of its options.
    fn channel(&self) -> anyhow::Result<Option<[Settings; 2]>> {
        if self.rate.is_none() && self.delay.is_none() && self.loss.is_none() {
            return Ok(None);
        }
        let delay = Duration::try_from_secs_f64(self.delay.unwrap_or(0.0) * 1e-3);
        let back = Settings {
            delay: delay.context("--delay: accepted are milliseconds, 0 or more")?,
            rate: self.rate.map(|rate| (rate * 1e9) as u64),
            queue: 1 << 24,
            ..Settings::default()
        };
        let there = Settings {
            loss: self.loss.unwrap_or(0.0),
            ..back.clone()
        };
        Ok(Some([there, back]))
    }
}

/// What the receiver counts.
struct Meter {
    begun: Option<(Instant, f64)>,
    figures: Figures,
}

impl Meter {
    fn new() -> Self {
        let figures = Figures {
            bytes: 0,
            sent: 0,
            seconds: 0.0,
            cpu_seconds: 0.0,
        };
        Self {
            begun: None,
            figures,
        }
    }

    /// Bytes have arrived.
    fn add(&mut self, bytes: usize) {
        self.begun.get_or_insert_with(|| (Instant::now(), cpu()));
        self.figures.bytes += bytes as u64;
    }

    /// From the first bytes to now.
    fn end(mut self) -> Figures {
        if let Some((at, used)) = self.begun {
            self.figures.seconds = at.elapsed().as_secs_f64();
            self.figures.cpu_seconds = cpu() - used;
        }
        self.figures
    }
}

/// Ten packets of quinn and no more fit into what the system takes at once.
const QUINN_MTU: u16 = 6500;
/// Bytes asked for as buffers of a socket; the system gives what it allows.
const BUFFER: usize = 1 << 26;
/// What is sent again and again.
const PART: usize = 1 << 20;

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    anyhow::ensure!(
        !matches!(options.peer, Peer::Quinn) || options.mtu() <= QUINN_MTU,
        "--mtu {}: quinn sends ten packets at a time, accepted are 1200 to {QUINN_MTU} bytes",
        options.mtu()
    );
    let place = Place::new(options.channel()?)?;
    let figures = match options.peer {
        Peer::Tcp => tcp::run(&place, &options)?,
        Peer::Quinn => quinn::run(&place, &options)?,
        Peer::S2n => s2n::run(&place, &options)?,
    };
    let line = json!({
        "peer": options.peer.to_possible_value().map(|peer| peer.get_name().to_owned()),
        "congestion": options.congestion,
        "mtu": options.mtu(),
        "window": options.window,
        "rate_gbps": options.rate,
        "delay_ms": options.delay,
        "loss": options.loss,
        "seconds": figures.seconds,
        "bytes": figures.bytes,
        "gbps": figures.gbps(),
        "cpu_s_per_gb": figures.cpu_s_per_gb(),
    });
    println!("{line}");
    Ok(())
}
