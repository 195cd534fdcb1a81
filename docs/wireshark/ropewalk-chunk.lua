-- SPDX-License-Identifier: Apache-2.0
-- Wireshark dissector of frames of chunks over UDP; the format is docs/src/chunk.md.
--
-- A frame is known by the check of its header, whatever the port. A datagram may hold several, which
-- the sender gave to the network at once. Of sealed sessions it shows where sub-packets belong;
-- whether one is sealed follows from the lengths.

local chunk = Proto("ropewalk", "Ropewalk chunks")
local HEADER, FIELDS, CHECK, SEAL, MENDED, MOST_MENDED = 24, 12, 4, 16, 128, 32
local KINDS = { [0] = "data", "data, ask", "report", "end of stream", "farewell", "start" }
local HANDSHAKE, REPORT, LAST_DATA = 5, 2, 1
local SAYS = {
  "asks for a session", "asks where the sender is", "agrees", "sender has the key", "receiver has the key", "refuses", "asks for a lane",
  "has the lane", "asks where the lane is",
}

local f = chunk.fields
f.version = ProtoField.uint8("ropewalk.version", "Version", base.DEC, nil, 0xf0)
f.kind = ProtoField.uint8("ropewalk.kind", "Kind", base.DEC, KINDS, 0x0f)
f.lane = ProtoField.uint8("ropewalk.lane", "Lane")
f.count = ProtoField.uint8("ropewalk.count", "Sub-packets")
f.sequence = ProtoField.uint24("ropewalk.sequence", "Number on the lane")
f.session = ProtoField.uint64("ropewalk.session", "Session", base.HEX)
f.length = ProtoField.uint16("ropewalk.length", "Bytes of the frame")
f.time = ProtoField.uint32("ropewalk.time", "Time of sending, us")
f.check = ProtoField.uint32("ropewalk.check", "Check of the header", base.HEX)
f.chunk = ProtoField.uint32("ropewalk.chunk", "Chunk")
f.number = ProtoField.uint16("ropewalk.number", "Number in the chunk")
f.payload_length = ProtoField.uint16("ropewalk.payload_length", "Bytes of payload")
f.last = ProtoField.bool("ropewalk.last", "Last of its chunk", 16, nil, 0x8000)
f.again = ProtoField.bool("ropewalk.again", "Sent again", 16, nil, 0x4000)
f.parity = ProtoField.bool("ropewalk.parity", "Parity", 16, nil, 0x2000)
f.round = ProtoField.uint16("ropewalk.round", "Sent before, times", base.DEC, nil, 0x0fff)
f.of = ProtoField.uint16("ropewalk.parity_of", "Sub-packets of the chunk")
f.protection = ProtoField.bytes("ropewalk.protection", "Check, or tag")
f.payload = ProtoField.bytes("ropewalk.payload", "Payload")
f.mends = ProtoField.bytes("ropewalk.mends", "Parity within the sub-packet")
f.body = ProtoField.bytes("ropewalk.body", "Body")
f.serial = ProtoField.uint32("ropewalk.report.serial", "Number of the report")
f.base = ProtoField.uint32("ropewalk.report.base", "Complete before chunk")
f.credit = ProtoField.uint32("ropewalk.report.credit", "Room before chunk")
f.duplicates = ProtoField.uint32("ropewalk.report.duplicates", "Sub-packets that came again")
f.says = ProtoField.uint8("ropewalk.start", "Message", base.DEC, SAYS)

local e = chunk.experts
e.form = ProtoExpert.new("ropewalk.form.bad", "Sub-packets do not fit the frame", expert.group.MALFORMED, expert.severity.ERROR)
e.again = ProtoExpert.new("ropewalk.sent_again", "Sent again", expert.group.SEQUENCE, expert.severity.NOTE)

-- ---- CRC-32C, four bits at a time; without a library for bits, which differs between versions ----
local XOR = {}
for a = 0, 15 do
  XOR[a] = {}
  for b = 0, 15 do
    local sum, place = 0, 1
    for _ = 1, 4 do
      if math.floor(a / place) % 2 ~= math.floor(b / place) % 2 then
        sum = sum + place
      end
      place = place * 2
    end
    XOR[a][b] = sum
  end
end

local function xor(a, b)
  local sum, place = 0, 1
  for _ = 1, 8 do
    sum = sum + XOR[a % 16][b % 16] * place
    a, b, place = math.floor(a / 16), math.floor(b / 16), place * 16
  end
  return sum
end

local TABLE = {}
for n = 0, 15 do
  local value = n
  for _ = 1, 4 do
    value = value % 2 == 1 and xor(math.floor(value / 2), 0x82f63b78) or math.floor(value / 2)
  end
  TABLE[n] = value
end

local function crc(buffer)
  local value = 0xffffffff
  for i = 0, buffer:len() - 1 do
    local byte = buffer(i, 1):uint()
    for _, half in ipairs({ byte % 16, math.floor(byte / 16) }) do
      value = xor(TABLE[XOR[value % 16][half]], math.floor(value / 16))
    end
  end
  return xor(value, 0xffffffff)
end

-- ---- How sub-packets are laid out: by session, where it is known ----
local forms = {}

function chunk.init()
  forms = {}
end

-- Places of the sub-packets of a frame in this form: where each begins, and its payload. None: it
-- is another form.
local function split(form, buffer, count)
  local places, at = {}, HEADER
  for _ = 1, count do
    if at + FIELDS > buffer:len() or buffer(at + 10, 2):uint() ~= buffer(12, 2):uint() then
      return nil
    end
    local parity = math.floor(buffer(at + 8, 2):uint() / 0x2000) % 2 == 1
    local length = parity and form.payload or buffer(at + 6, 2):uint()
    places[#places + 1] = { at = at, length = length, parity = parity }
    at = at + FIELDS + form.protection + length + MENDED * form.mends
  end
  return at == buffer:len() and places or nil
end

local function form_of(buffer, count)
  local key = tostring(buffer(6, 8))
  local known = forms[key]
  if known and split(known, buffer, count) then
    return known
  end
  local each = (buffer:len() - HEADER) / count
  for mends = 0, MOST_MENDED do
    for _, protection in ipairs({ CHECK, SEAL }) do
      -- A frame of nothing but parity has full ones.
      local form = { mends = mends, protection = protection, payload = each - FIELDS - protection - MENDED * mends }
      if form.payload > 0 and split(form, buffer, count) then
        forms[key] = known or form
        return form
      end
    end
  end
  return nil
end

local function sub_packet(buffer, place, form, tree)
  local at = place.at
  local bytes = FIELDS + form.protection + place.length + MENDED * form.mends
  local flags = buffer(at + 8, 2):uint()
  local number, of = buffer(at + 4, 2):uint(), buffer(at, 4):uint()
  local title = (place.parity and "Parity " or "Sub-packet ") .. number .. " of chunk " .. of
  local branch = tree:add(chunk, buffer(at, bytes), title)
  branch:add(f.chunk, buffer(at, 4))
  branch:add(f.number, buffer(at + 4, 2))
  branch:add(place.parity and f.of or f.payload_length, buffer(at + 6, 2))
  branch:add(f.parity, buffer(at + 8, 2))
  if not place.parity then
    branch:add(f.last, buffer(at + 8, 2))
    branch:add(f.again, buffer(at + 8, 2))
    branch:add(f.round, buffer(at + 8, 2))
    if math.floor(flags / 0x4000) % 2 == 1 then
      branch:add_proto_expert_info(e.again)
    end
  end
  at = at + FIELDS
  branch:add(f.protection, buffer(at, form.protection))
  branch:add(f.payload, buffer(at + form.protection, place.length))
  if form.mends > 0 then
    branch:add(f.mends, buffer(at + form.protection + place.length, MENDED * form.mends))
  end
  return of, number
end

local function sub_packets(buffer, count, tree)
  local form = form_of(buffer, count)
  if not form then
    tree:add_proto_expert_info(e.form)
    return ""
  end
  local text = {}
  for _, place in ipairs(split(form, buffer, count)) do
    local of, number = sub_packet(buffer, place, form, tree)
    text[#text + 1] = of .. ":" .. number .. (place.parity and " parity" or "")
  end
  local ends = #text > 1 and text[1] .. " to " .. text[#text] or text[1]
  return " " .. ends .. (form.protection == SEAL and ", sealed" or "")
end

local function header(buffer, tree)
  tree:add(f.version, buffer(0, 1))
  tree:add(f.kind, buffer(0, 1))
  tree:add(f.lane, buffer(1, 1))
  tree:add(f.count, buffer(2, 1))
  tree:add(f.sequence, buffer(3, 3))
  tree:add(f.session, buffer(6, 8))
  tree:add(f.length, buffer(14, 2))
  tree:add(f.time, buffer(16, 4))
  tree:add(f.check, buffer(20, 4))
end

-- A report shows its numbers if its session is known not to be sealed.
local function report(buffer, tree)
  local form = forms[tostring(buffer(6, 8))]
  if form and form.protection == CHECK and buffer:len() >= HEADER + 20 + CHECK then
    tree:add(f.serial, buffer(HEADER, 4))
    tree:add(f.base, buffer(HEADER + 4, 4))
    tree:add(f.credit, buffer(HEADER + 8, 4))
    tree:add(f.duplicates, buffer(HEADER + 12, 4))
    return " complete before " .. buffer(HEADER + 4, 4):uint()
  end
  return ""
end

local function frame(buffer, root)
  local tree = root:add(chunk, buffer())
  header(buffer, tree)
  local kind, count = buffer(0, 1):uint() % 16, buffer(2, 1):uint()
  local text = KINDS[kind] .. " " .. buffer(3, 3):uint() .. " of lane " .. buffer(1, 1):uint()
  if kind <= LAST_DATA and count > 0 then
    text = text .. ":" .. sub_packets(buffer, count, tree)
  elseif kind == HANDSHAKE and buffer:len() > HEADER then
    tree:add(f.says, buffer(HEADER, 1))
    text = "start: " .. (SAYS[buffer(HEADER, 1):uint()] or "unknown")
  else
    text = text .. (kind == REPORT and report(buffer, tree) or "")
    if buffer:len() > HEADER then
      tree:add(f.body, buffer(HEADER, buffer:len() - HEADER))
    end
  end
  return text
end

-- Bytes of the frame that the buffer begins with; none: it is no frame.
local function begins(buffer)
  if buffer:len() < HEADER then
    return nil
  end
  local first = buffer(0, 1):uint()
  if math.floor(first / 16) ~= 1 or not KINDS[first % 16] then
    return nil
  end
  local length = buffer(14, 2):uint()
  if length < HEADER or crc(buffer(0, 20)) ~= buffer(20, 4):uint() then
    return nil
  end
  return length
end

function chunk.dissector(buffer, packet, root)
  local at, texts = 0, {}
  while at < buffer:len() do
    local rest = buffer(at, buffer:len() - at)
    local length = begins(rest)
    if not length then
      break
    end
    texts[#texts + 1] = frame(rest(0, math.min(length, rest:len())), root)
    at = at + length
  end
  packet.cols.protocol = "Ropewalk"
  packet.cols.info = table.concat(texts, "; ")
  return math.min(at, buffer:len())
end

chunk:register_heuristic("udp", function(buffer, packet, root)
  if not begins(buffer()) then
    return false
  end
  chunk.dissector(buffer, packet, root)
  return true
end)
