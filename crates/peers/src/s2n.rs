// SPDX-License-Identifier: Apache-2.0
//! s2n-quic: a stream of QUIC, each end in a thread with a runtime of its own.

use crate::place::{Place, both};
use crate::{Meter, Options, PART};
use anyhow::{Context, bail};
use bytes::Bytes;
use ropewalk_io::measure::Figures;
use s2n_quic::client::Connect;
use s2n_quic::provider::{congestion_controller, io, limits::Limits};
use s2n_quic::{Client, Server};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn limits(options: &Options) -> anyhow::Result<Limits> {
    Ok(Limits::new()
        .with_data_window(options.window.into())?
        .with_unidirectional_data_window(options.window.into())?
        .with_max_send_buffer_size(options.window)?)
}

/// The socket of an end.
fn socket(address: SocketAddr, options: &Options) -> anyhow::Result<io::tokio::Provider> {
    let builder = io::tokio::Provider::builder()
        .with_receive_address(address)?
        .with_max_mtu(options.mtu() + 28)?
        .with_initial_mtu(options.mtu() + 28)?
        .with_base_mtu(options.mtu() + 28)?;
    Ok(builder.build()?)
}

async fn send(client: Client, options: &Options, address: SocketAddr) -> anyhow::Result<()> {
    let connect = Connect::new(address).with_server_name("peer");
    let mut connection = client.connect(connect).await?;
    let mut stream = connection.open_send_stream().await?;
    let begun = Instant::now();
    let part = Bytes::from(vec![0x5a; PART]);
    while begun.elapsed() < options.time() {
        stream.send(part.clone()).await?;
    }
    stream.close().await?;
    Ok(())
}

pub fn run(place: &Place, options: &Options) -> anyhow::Result<Figures> {
    let runtime = || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().build()
    };
    let bbr = match options.congestion.as_str() {
        "cubic" => false,
        "bbr" => true,
        other => bail!("congestion control '{other}': s2n-quic has cubic and bbr"),
    };
    // The receiver acknowledges as long as the sender waits for that.
    let done = AtomicBool::new(false);
    let sender = |(address, certificate): (SocketAddr, String)| {
        let sent = runtime()?.block_on(async {
            let builder = Client::builder()
                .with_tls(certificate.as_str())?
                .with_limits(limits(options)?)?
                .with_io(socket((place.address(0), 0).into(), options)?)?;
            let client = if bbr {
                let control = congestion_controller::Bbr::default();
                builder.with_congestion_controller(control)?.start()?
            } else {
                builder.start()?
            };
            send(client, options, address).await
        });
        done.store(true, Ordering::Release);
        sent
    };
    both(place, sender, |tell| {
        let own = rcgen::generate_simple_self_signed(["peer".to_owned()])?;
        let (certificate, key) = (own.cert.pem(), own.signing_key.serialize_pem());
        runtime()?.block_on(async {
            let mut server = Server::builder()
                .with_tls((certificate.as_str(), key.as_str()))?
                .with_limits(limits(options)?)?
                .with_io(socket((place.address(1), 0).into(), options)?)?
                .start()?;
            tell((server.local_addr()?, certificate));
            let mut connection = server.accept().await.context("no sender")?;
            let stream = connection.accept_receive_stream().await?;
            let mut stream = stream.context("no stream")?;
            let mut meter = Meter::new();
            while let Some(bytes) = stream.receive().await? {
                meter.add(bytes.len());
            }
            let figures = meter.end();
            while !done.load(Ordering::Acquire) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            Ok(figures)
        })
    })
}
