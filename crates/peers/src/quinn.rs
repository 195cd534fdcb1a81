// SPDX-License-Identifier: Apache-2.0
//! quinn: a stream of QUIC, each end in a thread with a runtime of its own.

use crate::place::{Place, both};
use crate::{BUFFER, Meter, Options, PART};
use anyhow::{Context, bail};
use bytes::Bytes;
use quinn::congestion::{BbrConfig, CubicConfig};
use quinn::{
    ClientConfig, Endpoint, EndpointConfig, MtuDiscoveryConfig, ServerConfig, TokioRuntime,
    TransportConfig, VarInt,
};
use ropewalk_io::measure::Figures;
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use socket2::SockRef;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Instant;

fn transport(options: &Options) -> anyhow::Result<Arc<TransportConfig>> {
    let mut discovery = MtuDiscoveryConfig::default();
    discovery.upper_bound(options.mtu());
    let mut transport = TransportConfig::default();
    transport
        .initial_mtu(options.mtu())
        .min_mtu(options.mtu())
        .mtu_discovery_config(Some(discovery))
        .stream_receive_window(VarInt::from_u32(options.window))
        .receive_window(VarInt::from_u32(options.window))
        .send_window(options.window.into());
    match options.congestion.as_str() {
        "cubic" => transport.congestion_controller_factory(Arc::new(CubicConfig::default())),
        "bbr" => transport.congestion_controller_factory(Arc::new(BbrConfig::default())),
        other => bail!("congestion control '{other}': quinn has cubic and bbr"),
    };
    Ok(Arc::new(transport))
}

/// A socket with large buffers, as the documentation of the library advises, and the end on it.
fn endpoint(
    address: IpAddr,
    server: Option<ServerConfig>,
    options: &Options,
) -> anyhow::Result<Endpoint> {
    let socket = UdpSocket::bind((address, 0))?;
    let set = SockRef::from(&socket);
    set.set_recv_buffer_size(BUFFER)?;
    set.set_send_buffer_size(BUFFER)?;
    let mut config = EndpointConfig::default();
    // It says how long packets it takes: 1472 bytes if it is not told.
    config.max_udp_payload_size(options.mtu())?;
    let runtime = Arc::new(TokioRuntime);
    Ok(Endpoint::new(config, server, socket, runtime)?)
}

pub fn run(place: &Place, options: &Options) -> anyhow::Result<Figures> {
    let runtime = || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().build()
    };
    let sender = |(address, certificate): (SocketAddr, CertificateDer<'static>)| {
        let mut roots = RootCertStore::empty();
        roots.add(certificate)?;
        let mut config = ClientConfig::with_root_certificates(Arc::new(roots))?;
        config.transport_config(transport(options)?);
        runtime()?.block_on(async {
            let endpoint = endpoint(place.address(0), None, options)?;
            let connection = endpoint.connect_with(config, address, "peer")?.await?;
            let mut stream = connection.open_uni().await?;
            let (part, begun) = (Bytes::from(vec![0x5a; PART]), Instant::now());
            while begun.elapsed() < options.time() {
                stream.write_chunk(part.clone()).await?;
            }
            stream.finish()?;
            // The receiver closes when it has everything.
            connection.closed().await;
            Ok(())
        })
    };
    both(place, sender, |tell| {
        let own = rcgen::generate_simple_self_signed(["peer".to_owned()])?;
        let certificate = CertificateDer::from(own.cert);
        let key = PrivatePkcs8KeyDer::from(own.signing_key.serialize_der());
        let mut config = ServerConfig::with_single_cert(vec![certificate.clone()], key.into())?;
        config.transport_config(transport(options)?);
        runtime()?.block_on(async {
            let endpoint = endpoint(place.address(1), Some(config), options)?;
            tell((endpoint.local_addr()?, certificate));
            let connection = endpoint.accept().await.context("no sender")?.await?;
            let mut stream = connection.accept_uni().await?;
            let mut meter = Meter::new();
            while let Some(chunk) = stream.read_chunk(PART, true).await? {
                meter.add(chunk.bytes.len());
            }
            let figures = meter.end();
            connection.close(VarInt::from_u32(0), b"");
            endpoint.wait_idle().await;
            Ok(figures)
        })
    })
}
