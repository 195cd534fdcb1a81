// SPDX-License-Identifier: Apache-2.0
//! Transfers of a node under way, by their channel.

use std::collections::BTreeMap;

use super::users::Wish;

/// Channels of a page that its users have.
pub(super) const CHANNELS: u64 = 64;
/// A page and one of its channels.
pub(super) type Channel = (u64, u64);

/// A transfer under way.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) wish: Wish,
    /// Where it is written to, and where its data come from.
    pub(super) target: usize,
    pub(super) giver: usize,
    pub(super) place: usize,
    pub(super) address: u64,
    /// Where its data come from, or they themselves.
    pub(super) source: u64,
    pub(super) data: Vec<u8>,
    /// What the notification writes.
    pub(super) note: Option<u64>,
    pub(super) posted: u64,
    pub(super) begun: u64,
}

/// Those of a node.
#[derive(Debug)]
pub(super) struct Jobs {
    jobs: BTreeMap<Channel, Job>,
    /// By page a bit for each channel that is taken: a descriptor of two lines takes two. An idle
    /// one is looked for in each cycle, so it must not take long.
    taken: Vec<u64>,
}

impl Jobs {
    pub(super) fn new(pages: u8) -> Self {
        Self {
            jobs: BTreeMap::new(),
            taken: vec![0; pages.into()],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether one of this page is under way.
    pub(super) fn any_of(&self, page: u64) -> bool {
        self.taken[page as usize] != 0
    }

    pub(super) fn get_mut(&mut self, channel: Channel) -> Option<&mut Job> {
        self.jobs.get_mut(&channel)
    }

    pub(super) fn insert(&mut self, channel: Channel, job: Job) {
        self.taken[channel.0 as usize] |= lines(channel, &job);
        self.jobs.insert(channel, job);
    }

    pub(super) fn remove(&mut self, channel: Channel) -> Option<Job> {
        let job = self.jobs.remove(&channel)?;
        self.taken[channel.0 as usize] &= !lines(channel, &job);
        Some(job)
    }

    /// All of them; none is left.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Job> + use<> {
        self.taken.fill(0);
        std::mem::take(&mut self.jobs).into_values()
    }

    /// The first idle channel from a number on, counted through the pages and round; of two lines
    /// the even one of two idle ones.
    pub(super) fn idle(&self, from: u64, long: bool) -> Option<Channel> {
        const EVEN: u64 = 0x5555_5555_5555_5555;
        let pages = self.taken.len() as u64;
        let (first, at) = (from / CHANNELS, from % CHANNELS);
        let behind = u64::MAX << at;
        let page_of = |i: u64| (first + i) % pages;
        (0..=pages).find_map(|i| {
            let idle = !self.taken[page_of(i) as usize];
            let fits = if long { idle & idle >> 1 & EVEN } else { idle };
            // The page where it begins comes twice: from there on, and in the end what is in front.
            let here = match i {
                0 => fits & behind,
                _ if i == pages => fits & !behind,
                _ => fits,
            };
            (here != 0).then(|| (page_of(i), here.trailing_zeros().into()))
        })
    }
}

/// The channels that its descriptor takes.
fn lines(channel: Channel, job: &Job) -> u64 {
    (if job.wish.is_long() { 3 } else { 1 }) << channel.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropewalk_wire::rdma::Class;

    fn job(long: bool) -> Job {
        let wish = Wish {
            size: 8,
            read: false,
            message: false,
            class: Class::Small,
            priority: 0,
            notify: long,
            value: long,
            local: false,
        };
        assert_eq!(wish.is_long(), long);
        Job {
            wish,
            target: 0,
            giver: 0,
            place: 0,
            address: 0,
            source: 0,
            data: Vec::new(),
            note: None,
            posted: 0,
            begun: 0,
        }
    }

    #[test]
    fn an_idle_channel_is_found_from_everywhere() {
        let mut jobs = Jobs::new(2);
        for channel in 0..CHANNELS {
            jobs.insert((0, channel), job(false));
        }
        jobs.insert((1, 4), job(true));
        assert_eq!(jobs.idle(0, false), Some((1, 0)));
        assert_eq!(jobs.idle(CHANNELS + 4, false), Some((1, 6)));
        assert_eq!(jobs.idle(CHANNELS + 4, true), Some((1, 6)));
        assert_eq!(jobs.idle(CHANNELS + 63, true), Some((1, 0)));
        assert!(jobs.remove((0, 9)).is_some() && jobs.remove((0, 9)).is_none());
        assert_eq!(jobs.idle(9, false), Some((0, 9)));
        assert_eq!(jobs.idle(10, false), Some((1, 0)));
        assert_eq!(jobs.idle(8, true), Some((1, 0)));
        assert!(jobs.remove((1, 4)).is_some());
        assert_eq!(jobs.idle(CHANNELS + 4, true), Some((1, 4)));
        for channel in (0..CHANNELS).step_by(2) {
            jobs.insert((1, channel), job(true));
        }
        assert_eq!(jobs.idle(10, false), Some((0, 9)));
        assert_eq!(jobs.idle(10, true), None);
        assert_eq!(jobs.take().count(), 63 + 32);
        assert!(jobs.len() == 0 && !jobs.any_of(0) && !jobs.any_of(1));
        assert_eq!(jobs.idle(7, true), Some((0, 8)));
    }
}
