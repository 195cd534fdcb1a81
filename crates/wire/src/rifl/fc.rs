// SPDX-License-Identifier: Apache-2.0
//! Flow-control buffer of the receiver: its level decides when the peer is told to stop and to go
//! on (paper, section 4.D, equations 20 to 25, with twice the headroom).
//!
//! Only the level matters here; the segments lie wherever the user of this type keeps them.

use super::params::IdWidth;

/// Level and thresholds of a flow-control buffer, one step per frame time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowBuffer {
    level: u16,
    capacity: u16,
    stop_above: u16,
    resume_below: u16,
    stop: bool,
    overflows: u64,
    high_water: u16,
}

impl FlowBuffer {
    /// An empty buffer of 2K segments.
    #[must_use]
    pub fn new(id: IdWidth) -> Self {
        FlowBuffer {
            level: 0,
            capacity: id.flow_buffer(),
            stop_above: id.stop_above(),
            resume_below: id.resume_below(),
            stop: false,
            overflows: 0,
            high_water: 0,
        }
    }

    /// One frame time: segments stored and taken. Returns how many of the pushed ones fitted.
    ///
    /// The stop signal of the next frame time follows from the level before this one (in the RTL
    /// the level is a register and so is the signal). More taken than there are empties the buffer.
    #[inline]
    pub fn tick(&mut self, pushed: u16, taken: u16) -> u16 {
        if self.level > self.stop_above {
            self.stop = true;
        } else if self.level < self.resume_below {
            self.stop = false;
        }
        let wanted = u32::from(self.level) + u32::from(pushed);
        let after = wanted.saturating_sub(u32::from(taken));
        let refused = after.saturating_sub(u32::from(self.capacity));
        self.overflows += u64::from(refused);
        self.level = (after - refused) as u16;
        self.high_water = self.high_water.max(self.level);
        pushed - (refused as u16).min(pushed)
    }

    /// Segments stored.
    #[must_use]
    pub const fn level(&self) -> u16 {
        self.level
    }

    /// Whether the peer must stop (`local_fc`).
    #[inline]
    #[must_use]
    pub const fn stop(&self) -> bool {
        self.stop
    }

    /// Segments refused since the start; never within the round-trip limit.
    #[must_use]
    pub const fn overflows(&self) -> u64 {
        self.overflows
    }

    /// The highest level so far.
    #[must_use]
    pub const fn high_water(&self) -> u16 {
        self.high_water
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_those_of_the_format() {
        let mut buffer = FlowBuffer::new(IdWidth::MIN);
        let mut stopped_at = None;
        for _ in 0..128 {
            assert_eq!(buffer.tick(1, 0), 1);
            if buffer.stop() && stopped_at.is_none() {
                stopped_at = Some(buffer.level());
            }
        }
        // 65 stored: seen one frame time later, when the 66th arrives.
        assert_eq!(stopped_at, Some(66));
        assert_eq!((buffer.level(), buffer.overflows()), (128, 0));
        assert_eq!(buffer.tick(1, 0), 0);
        assert_eq!(buffer.tick(1, 1), 1);
        assert_eq!((buffer.overflows(), buffer.high_water()), (1, 128));
        while buffer.stop() {
            buffer.tick(0, 1);
        }
        assert_eq!(buffer.level(), 40);
        for _ in 0..100 {
            buffer.tick(0, 1);
        }
        assert_eq!((buffer.level(), buffer.stop()), (0, false));
    }
}
