-- events: what a script emits. Numbered without a hole, kept in the stream, and published.

local emitted = {} -- seq, incarnation, header, json of each event, one after the other

-- A header is what a reader must know without parsing: the state's letter, the number of the message whose caller need
-- not wait any more (if this event says so), and `m` if the outcome is a plain message.
local function emit(record, json, incarnation, released, is_reply)
  record.seq = record.seq + 1
  local n = #emitted
  emitted[n + 1], emitted[n + 2] = record.seq, incarnation
  emitted[n + 3], emitted[n + 4] = record.state .. (released or '') .. (is_reply and 'm' or ''), json
end

-- All events of a script are one message of the channel: they are JSON, and hold no line break.
local function publish(record)
  local lines, webhooks, last_incarnation = {}, record.webhooks, was[TIP] or '0'
  for i = 1, #emitted, 4 do
    local seq, incarnation, header, json = unpack(emitted, i, i + 3)
    incarnation = ('%d'):format(incarnation)
    --- @include "add-event.lua"
  end
  redis.call('PUBLISH', events_key, table.concat(lines, '\n'))
  if webhooks == '' then return end
  -- The agent's first event, for which the task's webhooks were held back (make-tasks.lua): those that nobody has
  -- claimed yet leave `push`, and are marked anew, as due.
  if emitted[1] == 2 then
    for number in webhooks:gmatch('%d+') do
      local claims, run = unpack(redis.call('HMGET', webhooks_key, number .. ':claims', number .. ':run'))
      if not claims and not run then redis.call('ZREM', push_key, task_id .. '.' .. number) end
    end
  end
  --- @include "wake-deliveries.lua"
end
