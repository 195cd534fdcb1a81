// SPDX-License-Identifier: Apache-2.0
//! The addresses of this host, as the kernel lists them.

use std::fs::read_to_string;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Scopes of addresses of IPv6 that others cannot use: of this host, of a link.
const NEAR: [&str; 2] = ["10", "20"];

/// The addresses at which a program is found that waits at one: that, or all of the host if it is
/// the unspecified one; those by which the host finds itself only if there are no others.
pub fn of(waiting: IpAddr) -> Vec<IpAddr> {
    if !waiting.is_unspecified() {
        return vec![waiting];
    }
    let mut all: Vec<IpAddr> = ipv4(&read_to_string("/proc/net/fib_trie").unwrap_or_default());
    if waiting.is_ipv6() {
        all.extend(ipv6(
            &read_to_string("/proc/net/if_inet6").unwrap_or_default(),
        ));
    }
    let far = all.iter().any(|address| !address.is_loopback());
    all.retain(|address| !(far && address.is_loopback()));
    all
}

/// From the table of routes: addresses whose next line says that they are of this host.
fn ipv4(trie: &str) -> Vec<IpAddr> {
    let mut found = Vec::new();
    let mut last = None;
    for line in trie.lines() {
        let words = line.trim_start_matches([' ', '|', '+', '-']);
        if let Ok(address) = words.parse::<Ipv4Addr>() {
            last = Some(IpAddr::from(address));
        } else if words.starts_with("/32 host LOCAL")
            && let Some(address) = last.filter(|address| !found.contains(address))
        {
            found.push(address);
        }
    }
    found
}

/// From the table of addresses: 32 digits, then number, prefix, scope, flags and name of the
/// interface.
fn ipv6(table: &str) -> Vec<IpAddr> {
    let address = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let scope = words.get(3)?;
        let bits = u128::from_str_radix(words[0], 16).ok()?;
        (!NEAR.contains(scope)).then(|| IpAddr::from(Ipv6Addr::from_bits(bits)))
    };
    table.lines().filter_map(address).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_host() {
        let trie = "\
Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 10.0.0.0/24 2 0 2
        |-- 10.0.0.0
           /24 link UNICAST
        |-- 10.0.0.7
           /32 host LOCAL
        |-- 10.0.0.255
           /32 link BROADCAST
     |-- 127.0.0.1
        /32 host LOCAL
Local:
     |-- 10.0.0.7
        /32 host LOCAL
";
        let own: [IpAddr; 2] =
            ["10.0.0.7", "127.0.0.1"].map(|text| text.parse().expect("an address"));
        assert_eq!(ipv4(trie), own);
        let table = "\
00000000000000000000000000000001 01 80 10 80       lo
fe800000000000000000000000000001 02 40 20 80     eth0
20010db8000000000000000000000007 02 40 00 80     eth0
broken
";
        let own: IpAddr = "2001:db8::7".parse().expect("an address");
        assert_eq!(ipv6(table), [own]);
    }

    #[test]
    fn one_that_is_named_is_the_only_one() {
        let one: IpAddr = "192.0.2.1".parse().expect("an address");
        assert_eq!(of(one), [one]);
        assert!(!of(Ipv4Addr::UNSPECIFIED.into()).is_empty());
    }
}
