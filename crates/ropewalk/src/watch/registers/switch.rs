// SPDX-License-Identifier: Apache-2.0
//! A switch by its registers: each of its ports is a lane.

use ropewalk_console::failure::Failure;
use ropewalk_watch::{Channel, Interval, Kind, Lane, Reason, State};
use ropewalk_wire::regs::Register;
use ropewalk_wire::switch::regs::{self, observe};

use super::super::state_of;
use super::super::{Page, Trouble, Troubles};
use super::{Block, titled};
use crate::cli::WatchRegisters;

/// What may go wrong at a port: code, and words behind a number.
const TROUBLES: [(&str, &str); 5] = [
    ("packets_dropped", "packets had no way"),
    ("losses_untold", "losses have no notice"),
    (
        "packets_aborted",
        "packets ended with their session, too early or too late",
    ),
    ("peer_faults", "times a peer broke the rules of the link"),
    ("ports_given_up", "times a port was given up"),
];
/// Bytes of a word of the ports.
const WORD: u64 = 64;

/// A port at one moment.
#[derive(Debug, Clone, Copy, Default)]
struct Port {
    open: bool,
    link_up: bool,
    dead: bool,
    opens: u64,
    rx_words: u64,
    rx_packets: u64,
    tx_words: u64,
    tx_packets: u64,
    troubles: [u64; TROUBLES.len()],
}

impl Port {
    /// Somebody is or was there.
    fn is_used(&self) -> bool {
        self.link_up || self.dead || self.opens > 0
    }

    /// Why no packets pass.
    fn reason(&self, number: usize) -> Option<Reason> {
        let [code, text] = if self.dead {
            ["port_given_up", "is given up: packets go around it"]
        } else if self.open {
            return None;
        } else if self.link_up {
            ["no_hello", "has a session, and no hello of its peer"]
        } else {
            ["port_down", "has no session"]
        };
        Some(Reason::new(code, format!("port {number} {text}")))
    }

    fn lane(&self, number: usize) -> Lane {
        let reason = self.reason(number);
        let [_, _, aborted, faults, _] = self.troubles;
        let (errors, seen) = (aborted + faults, self.rx_packets + aborted + faults);
        Lane {
            name: format!("received, port {number}"),
            state: state_of(reason.is_none()),
            reason,
            seen,
            errors,
            unit: "packets",
            error_rate: Interval::wilson(errors, seen),
            recoveries: 0,
        }
    }

    /// Words of the port, with headers and credits.
    fn channels(&self, number: usize) -> [Channel; 2] {
        let channel = |direction: &str, words: u64, packets: u64| Channel {
            name: format!("{direction}, port {number}"),
            bytes: words * WORD,
            packets,
            ..Channel::default()
        };
        [
            channel("sent", self.tx_words, self.tx_packets),
            channel("received", self.rx_words, self.rx_packets),
        ]
    }
}

/// Those at which somebody is or was, with their numbers.
fn used(ports: &[Port]) -> impl Iterator<Item = (usize, &Port)> {
    ports.iter().enumerate().filter(|(_, port)| port.is_used())
}

/// A port at the last look.
#[derive(Debug, Clone, Default)]
struct Seen {
    /// How often it has opened.
    opens: Trouble,
    /// Why it carried nothing.
    reason: Option<Reason>,
}

/// A core and its page.
pub(super) struct Watched {
    core: Block,
    page: Page,
    ports: usize,
    /// What is known of each port since the last look.
    seen: Vec<Seen>,
    troubles: Troubles<{ TROUBLES.len() }>,
}

impl Watched {
    pub fn open(core: Block, options: &WatchRegisters) -> Result<Self, Failure> {
        let parameters = core.get(&regs::PARAMETERS);
        let ports = regs::parameters::PORTS.get(parameters) as usize;
        let facts = vec![
            format!("{ports} ports"),
            format!("{} nodes", regs::parameters::NODES.get(parameters)),
        ];
        let page = Page::open(options.listen, false, titled("switch", options, facts))?;
        let ports = ports.min(observe::port::COUNT);
        Ok(Self {
            core,
            page,
            ports,
            seen: vec![Seen::default(); ports],
            troubles: Troubles::of_a_core(TROUBLES),
        })
    }

    fn ports(&self) -> Vec<Port> {
        use observe::port;
        let word = self.core.get(&observe::PORTS);
        let is =
            |field: ropewalk_wire::regs::Field, number: usize| field.get(word) >> number & 1 != 0;
        let port = |number: usize| {
            let get = |register: &Register| self.core.get(&register.element(number, port::STRIDE));
            let faults = [port::RX_MALFORMED, port::RX_OVERRUNS, port::RX_GAPS];
            Port {
                open: is(observe::ports::OPEN, number),
                link_up: is(observe::ports::LINK_UP, number),
                dead: is(observe::ports::DEAD, number),
                opens: get(&port::OPENS),
                rx_words: get(&port::RX_WORDS),
                rx_packets: get(&port::RX_PACKETS),
                tx_words: get(&port::TX_WORDS),
                tx_packets: get(&port::TX_PACKETS),
                troubles: [
                    get(&port::DROPPED),
                    get(&port::UNTOLD),
                    get(&port::RX_ABORTED),
                    faults.iter().map(get).sum(),
                    get(&port::DEATHS),
                ],
            }
        };
        (0..self.ports).map(port).collect()
    }

    /// Why no port carries packets.
    fn reason(&self, ports: &[Port]) -> Option<Reason> {
        if observe::tables::READY.get(self.core.get(&observe::TABLES)) == 0 {
            return Some(Reason::new("clearing", "the tables are being cleared"));
        }
        if ports.iter().any(|port| port.open) {
            return None;
        }
        let mut used = used(ports);
        let first = used.next().and_then(|(number, port)| port.reason(number));
        first.or_else(|| Some(Reason::new("no_peer", "no port has a peer yet")))
    }

    /// What counters say of the time since the last look.
    fn counters(&mut self, time_s: f64, ports: &[Port]) {
        let mut sums = [0; TROUBLES.len()];
        for port in ports {
            for (sum, count) in sums.iter_mut().zip(port.troubles) {
                *sum += count;
            }
        }
        let timeline = &mut self.page.timeline;
        self.troubles.look(time_s, sums, timeline);
        for (number, (port, seen)) in ports.iter().zip(&mut self.seen).enumerate() {
            let mut note = |why| timeline.note(time_s, Kind::Note, why);
            let reason = port.reason(number).filter(|_| port.is_used());
            if let Some(why) = reason.clone().filter(|_| reason != seen.reason) {
                note(why);
            }
            seen.reason = reason;
            let has_been = seen.opens.before.is_some_and(|before| before > 0);
            if seen.opens.look(time_s, port.opens).is_some() && has_been {
                let text = format!("port {number} has opened again");
                note(Reason::new("port_opened", text));
            }
        }
    }
}

impl super::Watched for Watched {
    fn core(&self) -> (&Block, &'static Register) {
        (&self.core, &observe::CYCLES)
    }

    fn page(&mut self) -> &mut Page {
        &mut self.page
    }

    fn read(&mut self, time_s: f64) -> State {
        let ports = self.ports();
        self.counters(time_s, &ports);
        self.page.follow(time_s, self.reason(&ports));
        let mut state = self.page.state(time_s);
        if state.up {
            let closed = used(&ports).filter_map(|(number, port)| port.reason(number));
            state.reasons.extend(closed);
        }
        state.reasons.extend(self.troubles.recent(time_s));
        for (number, port) in used(&ports) {
            state.lanes.push(port.lane(number));
            state.channels.extend(port.channels(number));
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{BASE, Image, looked, options};
    use super::*;
    use ropewalk_watch::LaneState;

    #[test]
    fn ports_are_read_and_every_change_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("resource0");
        let image = Image::new(&path, &regs::MAP);
        image.set(BASE, &regs::PARAMETERS, 4 | 64 << 15);
        let mut watched = Watched::open(Block::open(&path, BASE).expect("mapped"), &options(&path))
            .expect("opened");
        let of = |register: &Register, number| register.element(number, observe::port::STRIDE);
        assert_eq!(looked(&mut watched, "clearing").reasons[0].code, "clearing");
        image.set(BASE, &observe::TABLES, 1 << 32);
        assert_eq!(looked(&mut watched, "no_peer").reasons[0].code, "no_peer");
        image.set(BASE, &of(&observe::port::OPENS, 1), 1);
        image.set(BASE, &of(&observe::port::OPENS, 3), 1);
        let now = looked(&mut watched, "port_down");
        assert_eq!((now.up, now.lanes.len()), (false, 2));
        image.set(BASE, &observe::PORTS, 0b0010 | 0b1010 << 16);
        let now = looked(&mut watched, "no_hello");
        assert!(now.up && now.reasons[0].text.contains("port 3"));
        image.set(BASE, &observe::PORTS, 0b1010 | 0b1010 << 16);
        image.set(BASE, &of(&observe::port::RX_PACKETS, 3), 90);
        image.set(BASE, &of(&observe::port::RX_WORDS, 3), 500);
        let now = looked(&mut watched, "");
        assert!(now.up && now.reasons.is_empty());
        assert_eq!((now.lanes[1].seen, now.lanes[1].errors), (90, 0));
        assert_eq!(now.channels[3].name, "received, port 3");
        assert_eq!(
            (now.channels[3].bytes, now.channels[3].packets),
            (32_000, 90)
        );
        for (register, code) in [
            (&observe::port::DROPPED, "packets_dropped"),
            (&observe::port::UNTOLD, "losses_untold"),
            (&observe::port::RX_ABORTED, "packets_aborted"),
            (&observe::port::RX_MALFORMED, "peer_faults"),
            (&observe::port::RX_OVERRUNS, "peer_faults"),
            (&observe::port::RX_GAPS, "peer_faults"),
            (&observe::port::DEATHS, "ports_given_up"),
            (&observe::port::OPENS, "port_opened"),
        ] {
            image.set(BASE, &of(register, 3), 5);
            looked(&mut watched, code);
        }
        assert_eq!(looked(&mut watched, "").lanes[1].errors, 20);
        image.set(BASE, &observe::PORTS, 0b0010 | 0b0010 << 16 | 0b1000 << 32);
        let now = looked(&mut watched, "port_given_up");
        assert_eq!((now.up, now.lanes[1].state), (true, LaneState::Down));
        image.set(BASE, &observe::PORTS, 0b1000 << 32);
        let now = looked(&mut watched, "port_down");
        assert_eq!((now.up, &*now.reasons[0].code), (false, "port_down"));
        image.set(BASE, &observe::CYCLES, u64::MAX);
        looked(&mut watched, "clock_stopped");
    }
}
