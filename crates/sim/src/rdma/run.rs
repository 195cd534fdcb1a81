// SPDX-License-Identifier: Apache-2.0
//! Users of two engines or more, and what has become of every byte of all memories.
//!
//! Memory of a node: sources, which nobody writes to, then places for what is written there, each
//! for one transfer at a time. A destination is compared as soon as its user is told that it is
//! complete, and filled with something else at once; a write to a place that nothing under way is
//! for is seen in its cycle. At the end all of all memories is compared. Behind the places of a
//! node is room for a file, which goes from the first node to the last one in one transfer.
//!
//! A node that is reset, of two, forgets its transfers, and nothing of its reads may be written
//! any more. The other one's transfers with it end all the same: well, and then they are compared
//! like all others, or with an error. Its reads that the former life has answered would wait for
//! their time-out, which is longer than anything that goes well; so as long as nobody is there to
//! serve any the time-out is short.

use std::collections::VecDeque;

use ropewalk_wire::rdma::descriptor::Notification;
use ropewalk_wire::rdma::{Class, Descriptor, Work, regs};

use super::WORD;
use super::jobs::{CHANNELS, Channel, Job, Jobs};
use super::layout::Layout;
use super::network::{Network, SharedFabric, WINDOW};
use super::node::{AccessError, Ticket};
use super::pair::{Limits, Pair, PairConfig, Rights};
use super::result::{RunResult, Service};
use super::users::{Draw, Wish, Workload};
use crate::SimError;

/// States of a channel.
const DONE: u128 = 2;
const ERROR: u128 = 3;
/// Cycles of a read time-out, see `docs/src/rdma-registers.md`.
const READ_TICK: u64 = 16384;
/// Read time-outs: the longest, and the shortest; with that all reads have ended after `READS_END`
/// cycles.
const LONGEST: u32 = (1 << 18) - 1;
const SHORTEST: u32 = 2;
const READS_END: u64 = 6 * READ_TICK;
/// Cycles in which nothing comes any more after the network has become empty.
const SETTLE: u64 = 2000;

/// A run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunConfig {
    /// Engines, memories and network; the size of the memories is what the run needs.
    pub pair: PairConfig,
    /// What users ask for.
    pub workload: Workload,
    /// Time-out of both engines in cycles; `None`: what a round trip can take.
    pub timeout: Option<u32>,
    /// Read time-out in 16384 cycles; `None`: reads end, however long they take.
    pub read_timeout: Option<u32>,
    /// How often a block is sent again, up to 15.
    pub retries: u8,
    /// How often one of the nodes is reset, at random moments of the run.
    pub resets: u64,
    /// Keep the words of the network that arrive at each node.
    pub keep_words: bool,
}

/// From where to where.
#[derive(Debug, Clone, Copy)]
struct Route {
    target: usize,
    giver: usize,
    place: usize,
    address: u64,
    source: u64,
}

/// A node, its users and what its memory should be.
#[derive(Debug)]
struct Side {
    expected: Vec<u8>,
    /// What may be written in each place: the data, and the notification.
    open: Vec<Option<(u64, u64)>>,
    free: VecDeque<usize>,
    /// Transfers that failed, and when their places can be used again.
    resting: VecDeque<(u64, Job)>,
    jobs: Jobs,
    /// Descriptors on their way to the port.
    posting: VecDeque<(Ticket, Channel)>,
    /// The read of states that is under way, and its page.
    poll: Option<(Ticket, u64)>,
    page: u64,
    /// When its last reset ends or ended.
    up_at: u64,
}

struct Run<'a> {
    config: &'a RunConfig,
    layout: Layout,
    pair: Pair,
    sides: Vec<Side>,
    /// The file has been posted.
    file_posted: bool,
    draw: Draw,
    limits: Limits,
    /// How many transfers are to be over at each reset that is still to come.
    resets: VecDeque<u64>,
    posted: u64,
    over: u64,
    first_at: u64,
    moved_at: u64,
    /// Cycles after which nothing of a transfer that failed can come any more.
    rest: u64,
    /// Cycles that a packet can be on its way.
    life: u64,
    result: RunResult,
}

fn refused(error: AccessError) -> SimError {
    SimError::BadParameter {
        name: "registers",
        message: error.to_string(),
    }
}

/// Channels for transfers of an engine with `pages` pages; a long descriptor takes two of them.
#[must_use]
pub fn channels(pages: u8) -> u16 {
    u16::from(pages) * CHANNELS as u16
}

/// Bytes of memory that a run takes on this machine, about.
#[must_use]
pub fn memory_needed(workload: &Workload) -> u64 {
    4 * Layout::new(workload, 0).bytes()
}

/// Share of cycles in which network and memories do not pause.
fn goes(config: &RunConfig) -> f64 {
    1.0 - config.pair.network.stall.max(config.pair.memory.stall)
}

/// Cycles that a packet can be on its way, if it is not late.
fn way(config: &RunConfig) -> u32 {
    let network = &config.pair.network;
    // What may be in front of it: packets of 18 words.
    let queued = f64::from(WINDOW + network.longest() / 2) * 20.0 / goes(config);
    network.longest() + network.held() + queued as u32
}

/// Cycles that a round trip can take.
fn round_trip(config: &RunConfig) -> u32 {
    2 * way(config) + 2 * config.pair.memory.latency + 1000
}

/// Runs it. `tell` has now and then how many transfers are over; when it unwinds, the run stops.
///
/// # Errors
/// A parameter is out of range, or the simulator cannot be built.
pub fn run(config: &RunConfig, tell: &mut dyn FnMut(u64)) -> Result<RunResult, SimError> {
    let network = config.pair.network;
    network.validate()?;
    run_over(config, None, Vec::new(), tell)
}

/// The same over a network that is a design of its own, and with a file, if it is not empty.
pub(crate) fn run_over(
    config: &RunConfig,
    fabric: Option<SharedFabric>,
    file: Vec<u8>,
    tell: &mut dyn FnMut(u64),
) -> Result<RunResult, SimError> {
    let mut run = Run::new(config, fabric, file)?;
    while run.cycle()? {
        if run.pair.now().is_multiple_of(1024) {
            tell(run.over);
        }
    }
    run.finish()
}

/// The memory that a run needs, and its bytes.
fn layout(config: &RunConfig, file: u64) -> Result<(Layout, usize), SimError> {
    let bad = |name, message| Err(SimError::BadParameter { name, message });
    let workload = &config.workload;
    let model = config.pair.model;
    if workload.transfers == 0 && file == 0
        || workload.sizes.0 == 0
        || workload.sizes.0 > workload.sizes.1
    {
        return bad(
            "transfers",
            "accepted: one or more, of one byte or more".into(),
        );
    }
    if !(1..=model.priorities).contains(&workload.priorities) {
        let message = format!(
            "{} is not in 1 to {}",
            workload.priorities, model.priorities
        );
        return bad("priorities", message);
    }
    let most = channels(model.pages);
    if !(1..=most).contains(&workload.outstanding) {
        let message = format!("{} is not in 1 to {most}", workload.outstanding);
        return bad("outstanding", message);
    }
    if config.resets > 0 && config.pair.network.nodes != 2 {
        return bad("resets", "accepted with two nodes only".to_owned());
    }
    if config.retries > 15 {
        return bad("retries", format!("{} is not in 0 to 15", config.retries));
    }
    let layout = Layout::new(workload, file);
    if file > u64::from(u32::MAX) {
        return bad(
            "file",
            format!("{file} bytes are too many; accepted: below 4 GiB"),
        );
    }
    let Ok(bytes) = usize::try_from(layout.bytes()) else {
        return bad("sizes", format!("{} is too large", workload.sizes.1));
    };
    Ok((layout, bytes))
}

impl<'a> Run<'a> {
    fn new(
        config: &'a RunConfig,
        fabric: Option<SharedFabric>,
        file: Vec<u8>,
    ) -> Result<Self, SimError> {
        let workload = &config.workload;
        let (layout, bytes) = layout(config, file.len() as u64)?;
        let mut pair_config = config.pair;
        pair_config.memory.bytes = bytes;
        pair_config.network.validate()?;
        let timeout = config.timeout.unwrap_or_else(|| round_trip(config));
        if pair_config.network.late_by == 0 {
            pair_config.network.late_by = 2 * timeout;
        }
        let mut pair = match fabric {
            None => Pair::new(&pair_config)?,
            Some(fabric) => Pair::over(&pair_config, Network::Fabric(fabric))?,
        };
        let mut draw = Draw::new(config.pair.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut limits = Limits {
            timeout,
            retries: config.retries,
            read_timeout: config.read_timeout.unwrap_or(LONGEST),
        };
        // Longer than all tries of a block, and what waits in front of it.
        let rest = limits.tries();
        if config.resets > 0 && config.read_timeout.is_none() && workload.is_partly_local() {
            // Its own reads go on when the other node is reset, so a node keeps its time-out: as
            // long as everything that may be under way takes four times.
            let bytes = f64::from(workload.outstanding) * f64::from(workload.sizes.1);
            let cycles = 8.0 * bytes / WORD as f64 / goes(config);
            let ticks = (rest + cycles as u64) / READ_TICK + 2;
            limits.read_timeout = ticks.min(LONGEST.into()) as u32;
        }
        let mut side = |node: usize| -> Result<Side, SimError> {
            let mut expected = vec![0; bytes];
            draw.fill(&mut expected);
            if node == 0 {
                expected[..file.len()].copy_from_slice(&file);
            }
            let memory = &mut pair.node(node).memory;
            memory.bytes.copy_from_slice(&expected);
            memory.watch();
            Ok(Side {
                expected,
                open: vec![None; layout.places + 1],
                free: (0..layout.places).collect(),
                resting: VecDeque::new(),
                jobs: Jobs::new(config.pair.model.pages),
                posting: VecDeque::new(),
                poll: None,
                page: 0,
                up_at: 0,
            })
        };
        let nodes = usize::from(config.pair.network.nodes);
        let sides = (0..nodes).map(&mut side).collect::<Result<Vec<_>, _>>()?;
        let mut resets: Vec<_> = (0..config.resets)
            .map(|_| draw.below(workload.transfers))
            .collect();
        resets.sort_unstable();
        let mut run = Self {
            config,
            layout,
            sides,
            file_posted: file.is_empty(),
            draw,
            limits,
            resets: resets.into(),
            posted: 0,
            over: 0,
            first_at: 0,
            moved_at: 0,
            rest,
            life: u64::from(way(config)) + u64::from(pair_config.network.late_by),
            result: RunResult {
                transfers: workload.transfers + u64::from(!file.is_empty()),
                directions: if workload.one_way && workload.reads == 0.0 {
                    1
                } else {
                    config.pair.network.nodes
                },
                timeout,
                ..RunResult::default()
            },
            pair,
        };
        for node in 0..nodes {
            run.begin(node)?;
            if config.keep_words {
                run.pair.node(node).keep_words();
            }
        }
        run.first_at = run.pair.now();
        run.moved_at = run.first_at;
        Ok(run)
    }

    /// Has an engine begin a life: all domains may read the sources and write to the places.
    fn begin(&mut self, node: usize) -> Result<(), SimError> {
        self.pair.begin(node, &self.limits).map_err(refused)?;
        let (sources, last) = (self.layout.sources, self.layout.bytes() - 1);
        for domain in 0..self.config.pair.model.pages {
            for (slot, range) in [(0, 0..=sources - 1), (1, sources..=last)] {
                let rights = Rights {
                    read: slot == 0,
                    write: slot == 1,
                };
                self.pair
                    .window(node, domain, slot, range, rights)
                    .map_err(refused)?;
            }
        }
        Ok(())
    }

    /// Begins and ends resets that are due.
    fn reset(&mut self) -> Result<(), SimError> {
        let now = self.pair.now();
        if let Some(node) = (0..2).find(|&node| self.pair.node(node).is_down()) {
            if now >= self.sides[node].up_at {
                self.pair.end_reset(node);
                self.begin(node)?;
                if !self.config.workload.is_partly_local() {
                    self.read_timeout(1 - node, self.limits.read_timeout)?;
                }
                self.sides[node].up_at = self.pair.now();
                self.moved_at = self.pair.now();
            }
            return Ok(());
        }
        if self.resets.front().is_none_or(|&at| self.over < at) {
            return Ok(());
        }
        self.resets.pop_front();
        let node = self.draw.below(2) as usize;
        self.count(node)?;
        // What it has written meanwhile, it has written before its reset.
        self.check_writes(node);
        let more = self.draw.below(2 * u64::from(self.limits.timeout));
        self.pair.begin_reset(node);
        self.result.resets += 1;
        let mut down = 2 * self.life;
        if !self.config.workload.is_partly_local() {
            self.read_timeout(1 - node, SHORTEST)?;
            down = down.max(READS_END);
        }
        let side = &mut self.sides[node];
        side.up_at = now + down + more;
        side.posting.clear();
        side.poll = None;
        for job in side.jobs.take() {
            self.over += 1;
            self.result.cut += 1;
            if job.target == node {
                // Nobody may write there any more.
                self.renew(&job);
            } else {
                self.let_rest(job);
            }
        }
        self.moved_at = now;
        Ok(())
    }

    /// Sets the read time-out of a node.
    fn read_timeout(&mut self, node: usize, ticks: u32) -> Result<(), SimError> {
        let register = regs::READ_TIMEOUT.offset;
        self.pair
            .write_register(node, register, ticks)
            .map_err(refused)
    }

    /// The place of a transfer is filled with something else, and free.
    fn renew(&mut self, job: &Job) {
        let places = self.layout.places;
        let side = &mut self.sides[job.target];
        let memory = &mut self.pair.node(job.target).memory.bytes;
        let first = self.layout.place(job.place) as usize;
        let data = job.address as usize;
        for range in [data..data + job.wish.size as usize, first..first + 8] {
            self.draw.fill(&mut side.expected[range.clone()]);
            memory[range.clone()].copy_from_slice(&side.expected[range]);
        }
        side.open[job.place] = None;
        if job.place < places {
            side.free.push_back(job.place);
        }
    }

    /// Nobody knows what is in the place of a transfer, and what is on its way may still come.
    fn let_rest(&mut self, job: Job) {
        let until = self.pair.now() + self.rest;
        self.sides[job.target].resting.push_back((until, job));
    }

    /// Adds up what an engine has counted in its life.
    fn count(&mut self, node: usize) -> Result<(), SimError> {
        let mut counter = |register: ropewalk_wire::regs::Register| {
            self.pair.counter(node, register.offset).map_err(refused)
        };
        self.result.retransmissions += counter(regs::observe::REPEATED)?;
        self.result.faults += counter(regs::observe::FAULTS)?;
        Ok(())
    }

    /// A cycle. False: the run is over.
    fn cycle(&mut self) -> Result<bool, SimError> {
        if self.config.resets > 0 {
            self.reset()?;
        }
        for node in 0..self.sides.len() {
            self.post(node);
            self.poll(node);
        }
        self.pair.step();
        let now = self.pair.now();
        for node in 0..self.sides.len() {
            self.check_writes(node);
            self.answers(node);
        }
        let down = self.config.resets > 0 && (0..2).any(|node| self.pair.node(node).is_down());
        if self.over == self.result.transfers && self.resets.is_empty() && !down {
            self.result.ended = true;
            return Ok(false);
        }
        // A transfer takes at most its tries, behind everything else that is under way.
        let under_way =
            u64::from(self.config.workload.outstanding) * self.layout.stride + self.layout.file;
        Ok(now - self.moved_at < 2 * self.rest + under_way + 1_000_000)
    }

    /// Has the next transfer written into a channel.
    fn post(&mut self, node: usize) {
        let workload = &self.config.workload;
        let now = self.pair.now();
        for target in 0..self.sides.len() {
            let resting = &mut self.sides[target].resting;
            if resting.front().is_some_and(|rest| rest.0 <= now)
                && let Some((_, job)) = resting.pop_front()
            {
                self.renew(&job);
            }
        }
        if self.posted == workload.transfers && self.file_posted
            || self.pair.node(node).is_down()
            || node != 0 && workload.one_way
            || self.sides[node].jobs.len() >= usize::from(workload.outstanding)
            || self.pair.node(node).waiting_writes() > 1
            || self.sides.iter().any(|side| side.free.is_empty())
        {
            return;
        }
        if node == 0 && !self.file_posted {
            return self.post_file();
        }
        if self.posted == workload.transfers {
            return;
        }
        let wish = self.draw.wish(workload);
        let Some(channel) = self.channel(node, wish.is_long()) else {
            return;
        };
        let far = if wish.local { node } else { self.far(node) };
        let (target, giver) = if wish.read { (node, far) } else { (far, node) };
        let Some(place) = self.sides[target].free.pop_front() else {
            return;
        };
        let size = u64::from(wish.size);
        let route = Route {
            target,
            giver,
            place,
            address: self.layout.place(place) + WORD as u64 + self.draw.below(WORD as u64),
            source: self.draw.below(self.layout.sources - size + 1),
        };
        self.posted += 1;
        self.launch(node, channel, wish, route);
    }

    /// Has the file written, from the first node to the last one.
    fn post_file(&mut self) {
        let Some(channel) = self.channel(0, false) else {
            return;
        };
        let place = self.layout.places;
        let wish = Wish {
            size: self.layout.file as u32,
            read: false,
            message: false,
            class: Class::FourPaths,
            priority: 0,
            notify: false,
            value: false,
            local: false,
        };
        let route = Route {
            target: self.sides.len() - 1,
            giver: 0,
            place,
            address: self.layout.place(place) + WORD as u64,
            source: 0,
        };
        self.file_posted = true;
        self.launch(0, channel, wish, route);
    }

    /// Another node.
    fn far(&mut self, node: usize) -> usize {
        let nodes = self.sides.len();
        if nodes == 2 {
            return 1 - node;
        }
        let other = self.draw.below(nodes as u64 - 1) as usize;
        other + usize::from(other >= node)
    }

    /// Has a descriptor written.
    fn launch(&mut self, node: usize, channel: Channel, wish: Wish, route: Route) {
        let now = self.pair.now();
        let Route {
            target,
            giver,
            place,
            address,
            source,
        } = route;
        let size = u64::from(wish.size);
        let first = self.layout.place(place);
        let from = source as usize..(source + size) as usize;
        let mut data = Vec::new();
        if wish.message {
            data = self.sides[giver].expected[from].to_vec();
        }
        let index = channel.0 << 7 | channel.1;
        let value = wish.value.then(|| self.draw.word());
        let at = |node: usize, address: u64| (node as u64) << 48 | address;
        let descriptor = Descriptor {
            work: match wish {
                Wish { message: true, .. } => Work::Inline(data.clone()),
                Wish { read: true, .. } => Work::Read {
                    source: at(giver, source),
                    size: wish.size,
                },
                _ => Work::Write {
                    source: at(giver, source),
                    size: wish.size,
                },
            },
            destination: at(target, address),
            class: wish.class,
            priority: wish.priority,
            qos: self.draw.below(1 << 22) as u32,
            notification: wish.notify.then(|| Notification {
                address: at(target, first),
                value,
            }),
        };
        let own_value = size | index << 32 | (node as u64) << 48;
        let lines = descriptor
            .encode()
            .expect("a descriptor that keeps the rules");
        let base = channel.0 * 4096 + 32 * channel.1;
        let user = self.pair.node(node);
        let ticket = match lines.second {
            None => user.start_write(base, &lines.first),
            Some(second) => user.start_write(base + 0x800, &[lines.first, second].concat()),
        };
        let ticket = ticket.expect("lines of 32 bytes");
        self.sides[target].open[place] = Some((address, size));
        self.sides[node].posting.push_back((ticket, channel));
        self.sides[node].jobs.insert(
            channel,
            Job {
                wish,
                target,
                giver,
                place,
                address,
                source,
                data,
                note: wish.notify.then(|| value.unwrap_or(own_value)),
                posted: now,
                begun: now,
            },
        );
    }

    /// An idle channel; of two lines the even one of two idle ones.
    fn channel(&mut self, node: usize, long: bool) -> Option<Channel> {
        let pages = u64::from(self.config.pair.model.pages);
        let from = self.draw.below(pages * CHANNELS);
        self.sides[node].jobs.idle(from, long)
    }

    /// Has the states of a page read, if none is being read: one page after the other.
    fn poll(&mut self, node: usize) {
        let pages = u64::from(self.config.pair.model.pages);
        let side = &mut self.sides[node];
        if side.poll.is_some() || side.jobs.len() == 0 {
            return;
        }
        for _ in 0..pages {
            side.page = (side.page + 1) % pages;
            let page = side.page;
            if side.jobs.any_of(page) {
                let address = (pages + page) * 4096 + 0x400;
                let ticket = self.pair.node(node).start_read(address, 16);
                side.poll = Some((ticket.expect("16 bytes"), page));
                return;
            }
        }
    }

    /// Responses of the port.
    fn answers(&mut self, node: usize) {
        let done: Vec<_> = self.pair.node(node).done().collect();
        for done in done {
            let side = &mut self.sides[node];
            if let Some(&(ticket, channel)) = side.posting.front()
                && ticket == done.ticket
            {
                side.posting.pop_front();
                match done.result {
                    Ok(_) => {
                        if let Some(job) = side.jobs.get_mut(channel) {
                            job.begun = done.begun;
                        }
                    }
                    Err(_) => self.end(node, channel, ERROR),
                }
                continue;
            }
            let page = side.poll.take().map_or(0, |poll| poll.1);
            let states = done.result.unwrap_or(0);
            // Two bits a channel; of an end the higher one is set.
            let mut ends = states & 0xaaaa_aaaa_aaaa_aaaa_aaaa_aaaa_aaaa_aaaa;
            while ends != 0 {
                let bit = ends.trailing_zeros();
                ends &= ends - 1;
                self.end(node, (page, u64::from(bit / 2)), states >> (bit - 1) & 3);
            }
        }
    }

    /// A transfer is over.
    fn end(&mut self, node: usize, channel: Channel, state: u128) {
        let Some(job) = self.sides[node].jobs.remove(channel) else {
            // Nobody has asked for it.
            self.result.mismatches += 1;
            return;
        };
        let now = self.pair.now();
        self.over += 1;
        self.moved_at = now;
        self.result.cycles = now - self.first_at;
        if state != DONE {
            // While it was under way the other node was reset.
            let far = job.target + job.giver - node;
            if !job.wish.local && self.sides[far].up_at >= job.posted {
                self.result.cut += 1;
            } else {
                self.result.errors += 1;
                if job.wish.read {
                    // Whoever serves it may still write, nobody knows for how long: its place is
                    // not used again.
                    return;
                }
            }
            self.let_rest(job);
            return;
        }
        let size = job.wish.size as usize;
        let at = job.address as usize;
        let range = at..at + size;
        let memory = &self.pair.node(job.target).memory.bytes;
        let source = job.source as usize;
        let right = if job.wish.message {
            memory[range] == job.data
        } else {
            memory[range] == self.sides[job.giver].expected[source..source + size]
        };
        let note = self.layout.place(job.place) as usize;
        let told = job
            .note
            .is_none_or(|value| memory[note..note + 8] == value.to_le_bytes());
        self.result.mismatches += u64::from(!right) + u64::from(!told);
        if job.place == self.layout.places {
            self.result.file = memory[at..at + size].to_vec();
            self.result.file_cycles = now - job.begun;
        }
        self.renew(&job);
        self.result.completed += 1;
        let latency = now - job.begun;
        let (wish, result) = (job.wish, &mut self.result);
        let service = match wish {
            Wish { read: true, .. } => (Service::Read, 0),
            Wish { message: true, .. } => (Service::Message, 0),
            Wish {
                class, priority, ..
            } => match class {
                Class::Small => (Service::Small, 0),
                Class::OnePath => (Service::OnePath, priority),
                Class::FourPaths => (Service::FourPaths, priority),
            },
        };
        let bucket = wish.size.ilog2();
        for group in [
            &mut result.total,
            result.services.entry(service).or_default(),
            result.sizes.entry(bucket).or_default(),
        ] {
            group.add(wish.size, latency);
        }
    }

    /// Nothing may be written but data and notifications of what is under way.
    fn check_writes(&mut self, node: usize) {
        let side = &self.sides[node];
        let layout = self.layout;
        for written in self.pair.node(node).memory.written() {
            if written.bytes == 0 {
                continue;
            }
            let first = written.address + u64::from(written.bytes.trailing_zeros());
            let end = written.address + 64 - u64::from(written.bytes.leading_zeros());
            let wanted = written
                .address
                .checked_sub(layout.sources)
                .is_some_and(|offset| {
                    let place = ((offset / layout.stride) as usize).min(layout.places);
                    let note = layout.place(place);
                    side.open[place].is_some_and(|(address, size)| {
                        first >= address && end <= address + size
                            || first >= note && end <= note + 8
                    })
                });
            self.result.stray_writes += u64::from(!wanted);
        }
    }

    /// When everything has had its effect: both memories, and what the engines have counted.
    fn finish(mut self) -> Result<RunResult, SimError> {
        let begun = self.pair.now();
        let mut empty_at = begun;
        while self.pair.now() < empty_at + SETTLE && self.pair.now() < begun + 2 * self.rest {
            self.pair.step();
            for node in 0..self.sides.len() {
                self.check_writes(node);
            }
            if !self.pair.network_is_empty() {
                empty_at = self.pair.now();
            }
        }
        for node in 0..self.sides.len() {
            let side = &mut self.sides[node];
            let found = &self.pair.node(node).memory.bytes;
            // Places of transfers that failed, or hang, are not what anybody knows.
            for (place, open) in side.open.iter().enumerate() {
                if open.is_some() {
                    let range =
                        self.layout.place(place) as usize..self.layout.place(place + 1) as usize;
                    side.expected[range.clone()].copy_from_slice(&found[range]);
                }
            }
            if *found != side.expected {
                let differ = found.iter().zip(&side.expected).filter(|(a, b)| a != b);
                self.result.mismatches += differ.count() as u64;
            }
            self.count(node)?;
            self.result.words.push(self.pair.node(node).words());
        }
        self.result.network = self.pair.network();
        Ok(self.result)
    }
}
