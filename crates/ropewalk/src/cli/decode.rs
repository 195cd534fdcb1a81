// SPDX-License-Identifier: Apache-2.0
//! The arguments of `ropewalk decode`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use ropewalk_wire::rifl::FrameWidth;

use crate::units;

/// Protocols whose frames can be taken apart.
#[derive(Debug, Subcommand)]
pub enum DecodeCore {
    /// Chunks: the sessions of a pcap or pcapng file, lane by lane
    #[command(after_help = DECODE_CHUNK_AFTER)]
    Chunk(DecodeChunk),
    /// HTSP: every frame of a pcap or pcapng file that has the EtherType
    #[command(after_help = DECODE_HTSP_AFTER)]
    Htsp(DecodeHtsp),
    /// RDMA: every packet in recorded words of a network, of 64 bytes as text
    #[command(after_help = DECODE_RDMA_AFTER)]
    Rdma(LaneFiles),
    /// RIFL: every frame of recorded lanes, words of the line as text
    #[command(after_help = DECODE_RIFL_AFTER)]
    Rifl(DecodeRifl),
    /// SLink: every packet of recorded lanes, words of the lanes as text
    #[command(after_help = DECODE_SLINK_AFTER)]
    Slink(DecodeSlink),
}

const DECODE_CHUNK_AFTER: &str = "\
A frame of chunks is known by its check, whatever the port of its datagram. Sealed frames show where their sub-packets belong, and nothing else. \
Numbers are missing that the network lost, or whoever captured.

Exit status: 0 all frames are good and none is missing; 1 some are bad, missing, late or came again; 3 bad input.

Examples:
  tcpdump -i eth0 -w lanes.pcap udp port 7425
  ropewalk decode chunk lanes.pcap
  ropewalk decode chunk lanes.pcap --frames --json";

/// `ropewalk decode chunk`.
#[derive(Debug, Clone, Args)]
pub struct DecodeChunk {
    /// The capture
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// List every frame
    #[arg(long)]
    pub frames: bool,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
}

const DECODE_HTSP_AFTER: &str = "\
Exit status: 0 all frames are good and none is missing; 1 some are bad, missing, again or late; 3 bad input. \
Frames have to be captured without FCS, as is usual.

Examples:
  ropewalk decode htsp link.pcap
  ropewalk decode htsp link.pcapng --ethertype 0x88b5 --json";

/// `ropewalk decode htsp`.
#[derive(Debug, Clone, Args)]
pub struct DecodeHtsp {
    /// The capture
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// EtherType of the frames, as Ethernet reads it
    #[arg(long, value_name = "TYPE", default_value = "0x0111", value_parser = units::ethertype)]
    pub ethertype: u16,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
}

/// Recorded lanes.
#[derive(Debug, Clone, Args)]
pub struct LaneFiles {
    /// Recorded lanes: on each line a word for each lane, hexadecimal digits with leading zeros,
    /// between blanks or commas; # begins a comment. Several files are lanes behind each other
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    pub files: Vec<PathBuf>,
    /// Each file is one lane of bytes, bit 0 of each the first on the line
    #[arg(long)]
    pub binary: bool,
    /// Print one JSON object and nothing else on standard output
    #[arg(long)]
    pub json: bool,
}

const DECODE_RIFL_AFTER: &str = "\
A word has 4 to 64 bits, of which bit 0 was the first on the line, as at the parallel port of a transceiver; or it is a whole frame of 128, 256, 512, 1024 or 2048 bits, \
the sync bits on top. Frames are found at any bit. What is not known of the first frame is the bits in front of it, with which it was scrambled.

The code of a frame names its id and nothing else is needed to follow them; a frame is BAD whose code names none that may come. Ends in extended mode say \
in their control frames which mode they use: --compatible is only needed where none was recorded. A replay in compatible mode is known by its content. \
Compensation of clocks sends idle frames as any others.

JSON keys: schema command ok files frame_width extended lanes[]{lane words id_width strong_code stretches[]{word bit frames} frames data empty flow idle pause_requests \
retransmit_requests damaged jumps requests replays replayed sessions[] bytes packets} frames[]{lane word bit kind id good replayed end payload announcement \
problem}.

Exit status: 0 all frames are good; 1 some are damaged or missing, or a lane has none; 3 bad input.

Examples:
  ropewalk sim rifl --packets 20 --ber 1e-5 --capture lane.txt
  ropewalk decode rifl lane.txt
  ropewalk decode rifl lane0.txt lane1.txt --frame-width 512 --json
  ropewalk decode rifl lane.bin --binary --compatible --id-width 8";

/// `ropewalk decode rifl`.
#[derive(Debug, Clone, Args)]
pub struct DecodeRifl {
    /// The files.
    #[command(flatten)]
    pub lanes: LaneFiles,
    /// Frame width in bits: 128, 256, 512, 1024 or 2048 [default: that of the words if they are
    /// frames, else 256]
    #[arg(long, value_name = "BITS", value_parser = units::decoded_frame_width)]
    pub frame_width: Option<FrameWidth>,
    /// Width of the frame id in bits, 6 to 12 [default: that with which the fewest frames are bad]
    #[arg(long, value_name = "BITS", value_parser = units::id_width)]
    pub id_width: Option<u8>,
    /// No frame is of the extended mode
    #[arg(long)]
    pub compatible: bool,
}

/// `ropewalk decode slink`.
#[derive(Debug, Clone, Args)]
pub struct DecodeSlink {
    /// The files.
    #[command(flatten)]
    pub lanes: LaneFiles,
    /// The lanes are in 64b/66b, not in 8b/10b
    #[arg(long)]
    pub blocks: bool,
}

const DECODE_SLINK_AFTER: &str = "\
Columns, or files, are lanes 0, 1 .. of an end: 1, 2 or 4. A word has 3 digits, a symbol of 10 bits, or 5 digits, the 20 bits of a cycle, or any others: bit 0 was \
the first on the line. Symbols and words are found by the commas between packets, which also say how late a lane is against the first one; in 64b/66b blocks are found \
by their headers, 64 legal ones in a row.

The check codes of header and data are looked at; 'none' stands for a packet without check codes behind its data.

JSON keys: schema command ok files lanes words packets write_requests read_requests read_data done notices damaged holds impossible_symbols slips \
frames[]{word bit kind address bytes lanes crc sequence session{own echo up} good problem data}.

Exit status: 0 nothing is wrong; 1 a packet is damaged, a symbol impossible, or a lane has slipped; 3 bad input.

Examples:
  ropewalk sim slink --crc --ops 5 --ber 1e-5 --capture lanes.txt
  ropewalk decode slink lanes.txt
  ropewalk decode slink lane0.txt lane1.txt --json
  ropewalk decode slink blocks.txt --blocks";

const DECODE_RDMA_AFTER: &str = "\
A line has a word of 64 bytes as a number of 128 digits, byte 0 in the last two, as a logic analyser shows TDATA; columns, or files, are buses. Both framings are \
known by their marks; words of zeros between packets are left out, and so need not be recorded. With --binary the bytes of a file are those of its words, \
byte 0 first. In a network of switches words of credits and notices are named.

JSON keys: schema command ok files words packets data messages controls acks nacks read_requests retries damaged credits notices payload_bytes frames[]{bus \
word lane kind framing good packet{source destination address tid sequence epoch domain index last notify managed tries transfer asked qos marked echo payload} \
problem}.

Exit status: 0 every packet is good; 1 some are damaged; 3 bad input.

Examples:
  ropewalk decode rdma words.txt
  ropewalk decode rdma words.bin --binary --json";
