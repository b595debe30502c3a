-- events: what a script says. Numbered without a hole, kept in the stream, and published.

local written = {} -- seq, mark, json of each event, one after the other

-- A mark tells what a reader must know without parsing: the state's letter, the number of the message whose caller need
-- not wait any more (if this event says so), and `m` if the outcome is a plain message.
local function say(record, json, released, is_reply)
  record.seq = record.seq + 1
  local n = #written
  written[n + 1], written[n + 2], written[n + 3] = record.seq, record.state .. (released or '') .. (is_reply and 'm' or ''), json
end

-- All that a script says is one message of the channel: events are JSON, and hold no line break.
local function publish(record)
  local lines, lanes = {}, record.lanes
  for i = 1, #written, 3 do
    local seq, mark, json = written[i], written[i + 1], written[i + 2]
    --- @include "add-event.lua"
  end
  redis.call('PUBLISH', events_key, table.concat(lines, '\n'))
  if lanes ~= '' then
    --- @include "wake-lanes.lua"
  end
end
