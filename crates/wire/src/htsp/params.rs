// SPDX-License-Identifier: Apache-2.0
//! Parameters of an end of a link. Address, EtherType, version and number of channels have to fit
//! the peer's; the rest each end chooses by itself, within what the peer's timers and buffers
//! allow.

use super::frame::{BEAT, MAX_CHANNELS, Mac, VERSION};
use core::time::Duration;
use thiserror::Error;

/// Longest payload of a frame that an end sends: 9000 bytes are what jumbo frames carry.
pub const MAX_BURST: usize = 8192;

/// A parameter outside its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ParamError {
    /// Number of channels.
    #[error("{0} channels: accepted are 1 to {MAX_CHANNELS}")]
    Channels(u8),
    /// Burst limit.
    #[error("burst of {0} bytes: accepted are multiples of {BEAT} from {BEAT} to {MAX_BURST}")]
    Burst(usize),
    /// A timer that would fire at every moment.
    #[error("{0} of 0 s: accepted is any time above 0 s")]
    Zero(&'static str),
    /// Queue that a burst does not fit.
    #[error("queue of {queue} bytes: accepted is the burst of {burst} bytes or more")]
    Queue {
        /// Asked size, bytes.
        queue: usize,
        /// Burst limit, bytes.
        burst: usize,
    },
    /// Pause threshold outside the buffer.
    #[error("pause at {pause_at} bytes: accepted are 1 to {buffer} bytes, the size of the buffer")]
    PauseAt {
        /// Asked threshold, bytes.
        pause_at: usize,
        /// Size of the buffer, bytes.
        buffer: usize,
    },
}

/// Parameters of one end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    /// Own address: the source of all frames, and a destination that is taken.
    pub local: Mac,
    /// The other destination that is taken, and the one used while the peer is not ready.
    pub broadcast: Mac,
    /// EtherType, as Ethernet reads it. The published core's 0x0111 counts as a length in Ethernet
    /// equipment; through such use 0x0600 or more, at both ends.
    pub ethertype: u16,
    /// Version of the format.
    pub version: u8,
    /// Channels, 1 to 16.
    pub channels: u8,
    /// Longest payload of a frame that is sent: a multiple of 64, at most 8192.
    pub burst: usize,
    /// Longest time without a header: a frame of a header alone ends it.
    pub header_interval: Duration,
    /// Longest time without a good frame of the peer: the link is down then.
    pub alive: Duration,
    /// Time without a good frame of the peer from which on it is sent nothing but headers, until it
    /// is heard again. One that is not heard may not run just now, and what it is sent meanwhile
    /// has to fit its buffers.
    pub silence: Duration,
    /// Longest time that whole beats of an unfinished user frame wait for a full burst.
    pub stall: Duration,
    /// TUSER of user frames is carried, to and from a peer that takes it. The published core has
    /// none.
    pub tuser: bool,
    /// Bytes that a channel queues for transmission.
    pub queue: usize,
    /// Bytes that a channel holds for its user.
    pub buffer: usize,
    /// Bytes in the buffer from which on the peer is to pause.
    pub pause_at: usize,
}

impl Params {
    /// What the published core has: 16 channels, bursts of 8192 bytes, EtherType 0x0111, 85 ms
    /// without a frame. A header goes out every millisecond, as is enough for such a peer. Silence
    /// does not matter to it.
    #[must_use]
    pub const fn new(local: Mac) -> Self {
        Params {
            local,
            broadcast: Mac::BROADCAST,
            ethertype: 0x0111,
            version: VERSION,
            channels: MAX_CHANNELS,
            burst: MAX_BURST,
            header_interval: Duration::from_millis(1),
            alive: Duration::from_millis(85),
            silence: Duration::MAX,
            stall: Duration::from_micros(100),
            tuser: false,
            queue: 1 << 24,
            buffer: 1 << 22,
            pause_at: 1 << 20,
        }
    }

    /// Whether all of them are in range.
    ///
    /// # Errors
    /// The first one that is not.
    pub fn check(&self) -> Result<(), ParamError> {
        if !(1..=MAX_CHANNELS).contains(&self.channels) {
            return Err(ParamError::Channels(self.channels));
        }
        if !(BEAT..=MAX_BURST).contains(&self.burst) || !self.burst.is_multiple_of(BEAT) {
            return Err(ParamError::Burst(self.burst));
        }
        if self.header_interval.is_zero() {
            return Err(ParamError::Zero("header interval"));
        }
        if self.alive.is_zero() {
            return Err(ParamError::Zero("alive time"));
        }
        if self.silence.is_zero() {
            return Err(ParamError::Zero("silence"));
        }
        if self.queue < self.burst {
            let (queue, burst) = (self.queue, self.burst);
            return Err(ParamError::Queue { queue, burst });
        }
        if !(1..=self.buffer).contains(&self.pause_at) {
            let (pause_at, buffer) = (self.pause_at, self.buffer);
            return Err(ParamError::PauseAt { pause_at, buffer });
        }
        Ok(())
    }

    /// Bit mask of the channels that exist.
    pub(crate) const fn channel_mask(&self) -> u16 {
        u16::MAX >> (MAX_CHANNELS - self.channels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let good = Params::new(Mac([2, 0, 0, 0, 0, 1]));
        assert_eq!(good.check(), Ok(()));
        assert_eq!(good.channel_mask(), 0xffff);
        assert_eq!(
            Params {
                channels: 1,
                ..good
            }
            .channel_mask(),
            1
        );
        let told = |params: Params| params.check().unwrap_err().to_string();
        for channels in [0, 17, 255] {
            let text = told(Params { channels, ..good });
            assert_eq!(text, format!("{channels} channels: accepted are 1 to 16"));
        }
        for burst in [0, 63, 100, 8193, 8256] {
            let text = told(Params { burst, ..good });
            assert_eq!(
                text,
                format!("burst of {burst} bytes: accepted are multiples of 64 from 64 to 8192")
            );
        }
        for burst in [64, 192, 8192] {
            assert_eq!(Params { burst, ..good }.check(), Ok(()));
        }
        let header_interval = Duration::ZERO;
        let text = told(Params {
            header_interval,
            ..good
        });
        assert_eq!(
            text,
            "header interval of 0 s: accepted is any time above 0 s"
        );
        let alive = Duration::ZERO;
        assert!(told(Params { alive, ..good }).starts_with("alive time of 0 s"));
        assert!(
            told(Params {
                queue: 8191,
                ..good
            })
            .starts_with("queue of 8191 bytes")
        );
        for pause_at in [0, (1 << 22) + 1] {
            let text = told(Params { pause_at, ..good });
            assert!(text.ends_with("accepted are 1 to 4194304 bytes, the size of the buffer"));
        }
    }
}
