-- events: what a script says. Numbered without a hole, kept in the stream, and published.

local written = {} -- seq, incarnation, mark, json of each event, one after the other

-- A mark tells what a reader must know without parsing: the state's letter, the number of the message whose caller need
-- not wait any more (if this event says so), and `m` if the outcome is a plain message.
local function say(record, json, incarnation, released, is_reply)
  record.seq = record.seq + 1
  local n = #written
  written[n + 1], written[n + 2] = record.seq, incarnation
  written[n + 3], written[n + 4] = record.state .. (released or '') .. (is_reply and 'm' or ''), json
end

-- All that a script says is one message of the channel: events are JSON, and hold no line break.
local function publish(record)
  local lines, webhooks, tip = {}, record.webhooks, was[TIP] or '0'
  for i = 1, #written, 4 do
    local seq, inc, mark, json = unpack(written, i, i + 3)
    inc = ('%d'):format(inc)
    --- @include "add-event.lua"
  end
  redis.call('PUBLISH', events_key, table.concat(lines, '\n'))
  if webhooks ~= '' then
    if written[1] == 2 then
      --- @include "release-deliveries.lua"
    end
    --- @include "wake-deliveries.lua"
  end
end
