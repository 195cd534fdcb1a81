// SPDX-License-Identifier: Apache-2.0
//! The topology file.
//!
//! ```toml
//! nodes = 3
//! switches = 2          # or a [[switch]] for each
//! ports = 4             # of each switch; not given: 16
//! delay = 20            # of each link in cycles, one way
//! ber = 0.0             # of each link
//!
//! [[link]]
//! a = "n0"
//! b = "s0.1"            # without a port: the first that is free
//!
//! [[link]]
//! a = "n1"
//! b = "s0"
//!
//! [[link]]
//! a = "s0"
//! b = "s1"
//! delay = 60
//! ber = 1e-9
//!
//! [[link]]
//! a = "s1.0"
//! b = "n2"
//! ```
//!
//! `[[switch]]` has `ports` and `level`, its distance from the top for up*/down*. In place of
//! switches and links `topology` may name a generator: `topology = "fat-tree:16"`.

use super::{End, MAX_PORTS, Problem, Switch, Topology, TopologyError, Wire, generate, within};
use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

type Value<'a> = Spanned<DeValue<'a>>;

/// The file, and where in it something stands.
struct Reader<'a> {
    text: &'a str,
}

/// The topology of a file.
///
/// # Errors
/// Names the line, what is wrong there, and what is accepted.
pub fn parse(text: &str) -> Result<Topology, TopologyError> {
    let reader = Reader { text };
    let table = DeTable::parse(text).map_err(|error| TopologyError {
        line: error.span().map(|span| reader.line(span.start)),
        problem: Problem::File(error.message().replace('\n', " ")),
    })?;
    reader.topology(table.get_ref())
}

impl<'a> Reader<'a> {
    fn line(&self, at: usize) -> usize {
        let before = self.text.as_bytes().iter().take(at);
        1 + before.filter(|byte| **byte == b'\n').count()
    }

    fn at(&self, place: usize, problem: Problem) -> TopologyError {
        TopologyError {
            line: Some(self.line(place)),
            problem,
        }
    }

    fn file(&self, place: usize, what: alloc::string::String) -> TopologyError {
        self.at(place, Problem::File(what))
    }

    /// Nothing but these keys.
    fn keys(&self, table: &DeTable<'a>, accepted: &[&str]) -> Result<(), TopologyError> {
        for key in table.keys() {
            let name: &str = key.get_ref();
            if !accepted.contains(&name) {
                let what = format!("unknown key '{name}'; accepted: {}", accepted.join(", "));
                return Err(self.file(key.span().start, what));
            }
        }
        Ok(())
    }

    fn whole(
        &self,
        table: &DeTable<'a>,
        key: &'static str,
        most: u64,
    ) -> Result<Option<u64>, TopologyError> {
        let Some(value) = table.get(key) else {
            return Ok(None);
        };
        let place = value.span().start;
        let number = value.get_ref().as_integer().and_then(|number| {
            let digits = number.as_str().replace('_', "");
            u64::from_str_radix(&digits, number.radix()).ok()
        });
        let Some(number) = number else {
            let what = format!(
                "{key} is {}; accepted: a whole number, 0 to {most}",
                self.source(value)
            );
            return Err(self.file(place, what));
        };
        within(key, number, 0, most).map_err(|problem| self.at(place, problem))?;
        Ok(Some(number))
    }

    fn source(&self, value: &Value<'a>) -> &str {
        let text = self.text.get(value.span()).unwrap_or("");
        text.lines().next().unwrap_or("")
    }

    fn wire(&self, table: &DeTable<'a>, usual: Wire) -> Result<Wire, TopologyError> {
        let delay = self.whole(table, "delay", super::MAX_DELAY.into())?;
        let mut wire = Wire {
            delay: delay.map_or(usual.delay, |delay| delay as u32),
            ..usual
        };
        if let Some(value) = table.get("ber") {
            let text = match value.get_ref() {
                DeValue::Float(number) => number.as_str(),
                DeValue::Integer(number) => number.as_str(),
                _ => "",
            };
            wire.ber = text.replace('_', "").parse().map_err(|_| {
                let what = format!(
                    "ber is {}; accepted: a number such as 1e-9",
                    self.source(value)
                );
                self.file(value.span().start, what)
            })?;
        }
        Ok(wire)
    }

    /// The tables of an array such as `[[link]]`, with where each begins.
    fn tables<'t>(
        &self,
        table: &'t DeTable<'a>,
        key: &str,
    ) -> Result<Vec<(usize, &'t DeTable<'a>)>, TopologyError> {
        let Some(value) = table.get(key) else {
            return Ok(Vec::new());
        };
        let wrong = |place| self.file(place, format!("'{key}' is no table; accepted: [[{key}]]"));
        let array = (value.get_ref().as_array()).ok_or_else(|| wrong(value.span().start))?;
        let tables = array.iter().map(|entry| {
            let place = entry.span().start;
            let table = entry.get_ref().as_table();
            table
                .map(|table| (place, table))
                .ok_or_else(|| wrong(place))
        });
        tables.collect()
    }

    fn topology(&self, table: &DeTable<'a>) -> Result<Topology, TopologyError> {
        self.keys(
            table,
            &[
                "topology", "nodes", "switches", "ports", "delay", "ber", "switch", "link",
            ],
        )?;
        let wire = self.wire(table, Wire::default())?;
        if let Some(value) = table.get("topology") {
            let place = value.span().start;
            let other = ["nodes", "switches", "ports", "switch", "link"];
            if let Some(key) = other.iter().find(|key| table.get(**key).is_some()) {
                let what = format!("'topology' beside '{key}'; accepted: one of them");
                return Err(self.file(place, what));
            }
            let name = value.get_ref().as_str().unwrap_or("");
            return generate::generate(name, wire).map_err(|problem| self.at(place, problem));
        }
        let nodes = self.whole(table, "nodes", super::MAX_NODES.into())?;
        let nodes = nodes.ok_or_else(|| {
            let what = "'nodes' is missing; accepted: nodes = 1 to 1024, or topology = \"..\"";
            self.file(0, what.to_string())
        })?;
        let switches = self.switches(table)?;
        let mut made = Topology::new("file", nodes as u16, &switches)
            .map_err(|problem| self.at(0, problem))?;
        self.links(table, &mut made, wire)?;
        made.complete()?;
        Ok(made)
    }

    fn switches(&self, table: &DeTable<'a>) -> Result<Vec<Switch>, TopologyError> {
        let usual = self.whole(table, "ports", MAX_PORTS.into())?;
        let usual = usual.map_or(MAX_PORTS, |ports| ports as u8);
        let plain = Switch {
            ports: usual,
            level: None,
        };
        let listed = self.tables(table, "switch")?;
        if let Some(count) = self.whole(table, "switches", super::MAX_SWITCHES.into())? {
            if !listed.is_empty() && listed.len() as u64 != count {
                let what = format!(
                    "switches is {count}, and there are {} [[switch]]",
                    listed.len()
                );
                return Err(self.file(listed[0].0, what));
            }
            if listed.is_empty() {
                return Ok(vec![plain; count as usize]);
            }
        }
        let one = |(place, table): (usize, &DeTable<'a>)| {
            self.keys(table, &["ports", "level"])?;
            let ports = self.whole(table, "ports", MAX_PORTS.into())?;
            let ports = ports.map_or(usual, |ports| ports as u8);
            within("ports of a switch", ports.into(), 2, MAX_PORTS.into())
                .map_err(|problem| self.at(place, problem))?;
            let level = self.whole(table, "level", u16::MAX.into())?;
            Ok(Switch {
                ports,
                level: level.map(|level| level as u16),
            })
        };
        listed.into_iter().map(one).collect()
    }

    /// An end as it is named: of a switch perhaps without a port.
    fn end(
        &self,
        table: &DeTable<'a>,
        place: usize,
        key: &str,
    ) -> Result<(usize, End, bool), TopologyError> {
        let value = table.get(key).ok_or_else(|| {
            let what = format!("a [[link]] without '{key}'; accepted: a and b, such as \"s0.1\"");
            self.file(place, what)
        })?;
        let place = value.span().start;
        let name = value.get_ref().as_str().unwrap_or("");
        let found = parse_end(name).ok_or_else(|| {
            let name = if name.is_empty() {
                self.source(value)
            } else {
                name
            };
            self.at(place, Problem::Name(name.to_string()))
        })?;
        Ok((place, found.0, found.1))
    }

    fn links(
        &self,
        table: &DeTable<'a>,
        made: &mut Topology,
        usual: Wire,
    ) -> Result<(), TopologyError> {
        let mut wanted = Vec::new();
        // Ports that are named: others do not get them.
        let mut named = vec![0u16; made.switches().len()];
        for (place, table) in self.tables(table, "link")? {
            self.keys(table, &["a", "b", "delay", "ber"])?;
            let ends = [self.end(table, place, "a")?, self.end(table, place, "b")?];
            for (_, end, given) in ends {
                if let (End::Switch { switch, port }, true) = (end, given)
                    && let Some(named) = named.get_mut(usize::from(switch))
                {
                    *named |= 1u16.checked_shl(port.into()).unwrap_or(0);
                }
            }
            wanted.push((place, ends, self.wire(table, usual)?));
        }
        for (place, ends, wire) in wanted {
            let mut settled = [End::Node(0); 2];
            for (at, (place, end, given)) in ends.into_iter().enumerate() {
                settled[at] = match end {
                    End::Switch { switch, .. } if !given => {
                        let used = named.get(usize::from(switch)).copied().unwrap_or(0);
                        let port =
                            free(made, switch, used).map_err(|problem| self.at(place, problem))?;
                        if let Some(named) = named.get_mut(usize::from(switch)) {
                            *named |= 1 << port;
                        }
                        End::Switch { switch, port }
                    }
                    end => end,
                };
            }
            let [a, b] = settled;
            made.connect(a, b, wire).map_err(|problem| {
                // The line of the end that it is about.
                let of = |end: &End| match &problem {
                    Problem::Taken(other) | Problem::Port { end: other, .. } => other == end,
                    Problem::Absent { name, .. } => *name == end.to_string(),
                    _ => false,
                };
                let place = settled.iter().position(of).map_or(place, |at| ends[at].0);
                self.at(place, problem)
            })?;
        }
        Ok(())
    }
}

/// `n3`, `s1` or `s1.2`, and whether a port is given.
fn parse_end(name: &str) -> Option<(End, bool)> {
    if let Some(node) = name.strip_prefix('n') {
        return Some((End::Node(node.parse().ok()?), false));
    }
    let rest = name.strip_prefix('s')?;
    let (switch, port) = match rest.split_once('.') {
        Some((switch, port)) => (switch, Some(port.parse().ok()?)),
        None => (rest, None),
    };
    let end = End::Switch {
        switch: switch.parse().ok()?,
        port: port.unwrap_or(0),
    };
    Some((end, port.is_some()))
}

/// The first port without a link that is not in `used`.
fn free(made: &Topology, switch: u16, used: u16) -> Result<u8, Problem> {
    let ports = made.switches().get(usize::from(switch));
    let Some(ports) = ports.map(|switch| switch.ports) else {
        return Ok(0);
    };
    let mut all = 0..ports;
    all.find(|port| used >> port & 1 == 0)
        .ok_or(Problem::Full(switch))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "\
nodes = 3
switches = 2
ports = 4
delay = 20

[[link]]
a = \"n0\"
b = \"s0.1\"

[[link]]
a = \"n1\"
b = \"s0\"

[[link]]
a = \"s0\"
b = \"s1\"
delay = 60
ber = 1e-9

[[link]]
a = \"s1.0\"
b = \"n2\"
";

    #[test]
    fn a_file_is_what_it_says() {
        let made = parse(SMALL).unwrap();
        let links: Vec<_> = made
            .links()
            .iter()
            .map(|link| (link.a, link.b, link.delay))
            .collect();
        let at = |switch, port| End::Switch { switch, port };
        assert_eq!(
            links,
            [
                (End::Node(0), at(0, 1), 20),
                (End::Node(1), at(0, 0), 20),
                (at(0, 2), at(1, 1), 60),
                (at(1, 0), End::Node(2), 20),
            ]
        );
        assert_eq!(made.links()[2].ber, 1e-9);
        assert_eq!(made.attachment(2), Some((1, 0)));
        let tree = parse("topology = \"fat-tree:16\"\nber = 1e-7\n").unwrap();
        assert_eq!((tree.nodes(), tree.switches().len()), (16, 20));
        assert!(tree.links().iter().all(|link| link.ber == 1e-7));
    }

    #[test]
    fn refusals_name_line_value_and_what_is_accepted() {
        let changed = |from: &str, to: &str| {
            let text = SMALL.replacen(from, to, 1);
            assert_ne!(text, SMALL, "{from}");
            parse(&text).unwrap_err().to_string()
        };
        for (from, to, said) in [
            (
                "nodes = 3",
                "nodes = 2000",
                "line 1: nodes 2000; accepted: 0 to 1024",
            ),
            (
                "nodes = 3",
                "nodes = -1",
                "line 1: nodes is -1; accepted: a whole number, 0 to 1024",
            ),
            (
                "nodes = 3",
                "nodes = 4",
                "node n3 has no link; accepted: one link for each node",
            ),
            (
                "nodes = 3\n",
                "",
                "line 1: 'nodes' is missing; accepted: nodes = 1 to 1024, or topology = \"..\"",
            ),
            (
                "ports = 4",
                "parts = 4",
                "line 3: unknown key 'parts'; accepted: topology, nodes, switches, ports, delay, ber, switch, link",
            ),
            (
                "delay = 20",
                "delay = 0",
                "line 6: delay 0; accepted: 1 to 100000",
            ),
            (
                "\"s0.1\"",
                "\"s0.4\"",
                "line 8: 's0.4': switch s0 has ports 0 to 3",
            ),
            (
                "\"s0.1\"",
                "\"s7.1\"",
                "line 8: 's7.1' is not there; accepted: s0 to s1",
            ),
            (
                "\"s0.1\"",
                "\"x\"",
                "line 8: 'x' is no end of a link; accepted: n0, n1, .. or s0, s0.1, ..",
            ),
            (
                "\"s0.1\"",
                "7",
                "line 8: '7' is no end of a link; accepted: n0, n1, .. or s0, s0.1, ..",
            ),
            (
                "\"n1\"",
                "\"n0\"",
                "line 11: 'n0' has a link already; accepted: one link for each node and port",
            ),
            (
                "a = \"n1\"\n",
                "",
                "line 10: a [[link]] without 'a'; accepted: a and b, such as \"s0.1\"",
            ),
            (
                "b = \"s1\"",
                "b = \"s0\"",
                "line 14: a link from 's0.2' to 's0.3', the same switch",
            ),
            (
                "1e-9",
                "0.5",
                "line 14: ber 0.5; accepted: 0 or more and below 0.01",
            ),
            (
                "1e-9",
                "true",
                "line 18: ber is true; accepted: a number such as 1e-9",
            ),
            (
                "\"n2\"",
                "\"n1\"",
                "line 22: 'n1' has a link already; accepted: one link for each node and port",
            ),
        ] {
            assert_eq!(changed(from, to), said);
        }
        assert!(changed("nodes = 3", "nodes = ").starts_with("line 1: "));
    }

    #[test]
    fn names_in_files_are_refused_with_their_line() {
        let error = parse("topology = \"star:99\"").unwrap_err().to_string();
        assert!(
            error.starts_with("line 1: 'star:99': nodes 99; accepted: 2 to 16"),
            "{error}"
        );
        let error = parse("topology = \"star:9\"\nports = 3\n")
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "line 1: 'topology' beside 'ports'; accepted: one of them"
        );
    }
}
