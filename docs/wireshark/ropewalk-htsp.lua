-- SPDX-License-Identifier: Apache-2.0
-- Wireshark dissector of HTSP frames; the format is docs/src/htsp-wire.md.
--
-- The EtherType 0x0111 is a length for Ethernet, so the dissector looks at whole Ethernet frames before anybody else does, and
-- takes those that have an EtherType of its list, version 1 and a header. Further EtherTypes: Preferences, Protocols, HTSP.

local htsp = Proto("htsp", "High Throughput Serial Protocol")
local HEADER, BEAT, FOOTER, NULL_CHANNEL = 64, 64, 6, 0xff

htsp.prefs.ethertypes = Pref.string("EtherTypes", "0x0111 0x88b5", "EtherTypes of HTSP frames, hexadecimal")

local f = htsp.fields
f.destination = ProtoField.ether("htsp.destination", "Destination")
f.source = ProtoField.ether("htsp.source", "Source")
f.ethertype = ProtoField.uint16("htsp.ethertype", "EtherType", base.HEX)
f.version = ProtoField.uint8("htsp.version", "Version")
f.tid = ProtoField.uint8("htsp.tid", "Number")
f.pause = ProtoField.uint16("htsp.pause", "Pause", base.HEX)
f.channel = ProtoField.uint8("htsp.channel", "Channel")
f.start = ProtoField.bool("htsp.start", "Start of a user frame", 8, nil, 1)
f.opcode_valid = ProtoField.bool("htsp.opcode_valid", "Op-code valid", 8, nil, 1)
f.link_ready = ProtoField.bool("htsp.link_ready", "Link ready", 8, nil, 1)
f.first_tuser = ProtoField.uint8("htsp.first_tuser", "TUSER of the first beat", base.HEX)
f.takes_tuser = ProtoField.bool("htsp.takes_tuser", "Takes TUSER of the last beat", 8, nil, 1)
f.reserved = ProtoField.bytes("htsp.reserved", "Reserved")
f.checksum = ProtoField.uint16("htsp.checksum", "Checksum", base.HEX)
f.opcode = ProtoField.bytes("htsp.opcode", "Op-code")
f.user_data = ProtoField.bytes("htsp.user_data", "User data")
f.payload = ProtoField.bytes("htsp.payload", "Payload")
f.last_beat = ProtoField.uint8("htsp.last_beat", "Bytes of the last beat")
f.finish = ProtoField.bool("htsp.end", "End of the user frame", 8, nil, 1)
f.error = ProtoField.bool("htsp.error", "End in error", 8, nil, 2)
f.last_tuser = ProtoField.uint8("htsp.last_tuser", "TUSER of the last beat", base.HEX)
f.footer_pause = ProtoField.uint16("htsp.footer_pause", "Pause since the header", base.HEX)
f.size = ProtoField.uint16("htsp.size", "Payload size")

local e = htsp.experts
e.checksum = ProtoExpert.new("htsp.checksum.bad", "Checksum does not fit the header", expert.group.CHECKSUM, expert.severity.ERROR)
e.length = ProtoExpert.new("htsp.length.bad", "No whole beats and a footer", expert.group.MALFORMED, expert.severity.ERROR)
e.null = ProtoExpert.new("htsp.null.payload", "Payload behind a header of channel 255", expert.group.MALFORMED, expert.severity.ERROR)
e.last_beat = ProtoExpert.new("htsp.last_beat.bad", "Not 1 to 64", expert.group.MALFORMED, expert.severity.ERROR)
e.size = ProtoExpert.new("htsp.size.bad", "Does not fit the beats", expert.group.MALFORMED, expert.severity.ERROR)

-- The inverted sum of the bytes of a header other than those of the checksum.
local function checksum(buffer)
  local sum = 0
  for i = 0, HEADER - 1 do
    if i ~= 30 and i ~= 31 then
      sum = sum + buffer(i, 1):uint()
    end
  end
  return 0xffff - sum
end

local function header(buffer, tree)
  local branch = tree:add(buffer(0, HEADER), "Header")
  branch:add(f.destination, buffer(0, 6))
  branch:add(f.source, buffer(6, 6))
  branch:add(f.ethertype, buffer(12, 2))
  branch:add(f.version, buffer(14, 1))
  branch:add(f.tid, buffer(15, 1))
  branch:add_le(f.pause, buffer(16, 2))
  branch:add(f.channel, buffer(18, 1))
  branch:add(f.start, buffer(19, 1))
  branch:add(f.opcode_valid, buffer(20, 1))
  branch:add(f.link_ready, buffer(21, 1))
  branch:add(f.first_tuser, buffer(22, 1))
  branch:add(f.takes_tuser, buffer(23, 1))
  branch:add(f.reserved, buffer(24, 6))
  local item = branch:add_le(f.checksum, buffer(30, 2))
  if buffer(30, 2):le_uint() ~= checksum(buffer) then
    item:add_proto_expert_info(e.checksum)
  end
  branch:add(f.opcode, buffer(32, 16))
  branch:add(f.user_data, buffer(48, 16))
end

-- Payload and footer; what of it is said in the list of packets.
local function body(buffer, tree)
  local behind = buffer:reported_len() - HEADER
  local beats = behind - FOOTER
  if beats < BEAT or beats % BEAT ~= 0 then
    tree:add_proto_expert_info(e.length)
    return "bad length"
  end
  if buffer:len() < buffer:reported_len() then
    return "captured in part"
  end
  local at = HEADER + beats
  local count, flags, size = buffer(at, 1):uint(), buffer(at + 1, 1):uint(), buffer(at + 4, 2):le_uint()
  local last = count % 128
  local fits = last >= 1 and last <= BEAT and size == beats - BEAT + last
  tree:add(f.payload, buffer(HEADER, fits and size or beats))
  local branch = tree:add(buffer(at, FOOTER), "Footer")
  local item = branch:add(f.last_beat, buffer(at, 1), last)
  if last < 1 or last > BEAT then
    item:add_proto_expert_info(e.last_beat)
  end
  branch:add(f.finish, buffer(at + 1, 1))
  branch:add(f.error, buffer(at + 1, 1))
  branch:add(f.last_tuser, buffer(at, 2), (count - last) / 2 + (flags - flags % 4) / 4)
  branch:add_le(f.footer_pause, buffer(at + 2, 2))
  item = branch:add_le(f.size, buffer(at + 4, 2))
  if not fits then
    item:add_proto_expert_info(e.size)
  end
  local marks = { [0] = "", " end", " end in error", " end in error" }
  return size .. " bytes" .. (buffer(19, 1):uint() % 2 == 1 and " start" or "") .. marks[flags % 4]
end

local function ours(ethertype)
  for text in htsp.prefs.ethertypes:gmatch("%S+") do
    if tonumber(text, 16) == ethertype or tonumber(text) == ethertype then
      return true
    end
  end
  return false
end

function htsp.dissector(buffer, packet, root)
  packet.cols.protocol = "HTSP"
  packet.cols.src = tostring(buffer(6, 6):ether())
  packet.cols.dst = tostring(buffer(0, 6):ether())
  local tree = root:add(htsp, buffer())
  header(buffer, tree)
  local channel, text = buffer(18, 1):uint(), "header"
  if buffer:reported_len() > HEADER then
    if channel == NULL_CHANNEL then
      tree:add_proto_expert_info(e.null)
    end
    text = "channel " .. channel .. ": " .. body(buffer, tree)
  end
  if buffer(20, 1):uint() % 2 == 1 then
    text = text .. ", op-code"
  end
  packet.cols.info = "number " .. buffer(15, 1):uint() .. ", " .. text
  return buffer:len()
end

htsp:register_heuristic("eth", function(buffer, packet, root)
  if buffer:len() < HEADER or buffer(14, 1):uint() ~= 1 or not ours(buffer(12, 2):uint()) then
    return false
  end
  htsp.dissector(buffer, packet, root)
  return true
end)
