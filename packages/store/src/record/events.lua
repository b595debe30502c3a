-- The events that a script emits. They are numbered without gaps, kept in the stream, and published.
-- Needs fields.lua, kept_events and push_key.
--
-- record.changes.events: seq, incarnation, header, json of each event, one after the other

--- @include "add-event.lua"

-- An event's header has what readers need without parsing the event: the state's letter, the number of the message
-- that it answers (if it does), and `m` if the outcome is a plain message, or `a` if the task is submitted
-- again without a new message.
local function emit(record, json, incarnation, answered, mark)
  record.seq = record.seq + 1
  local events = record.changes.events
  local n = #events
  events[n + 1], events[n + 2] = record.seq, incarnation
  events[n + 3], events[n + 4] = record.state .. (answered or '') .. (mark or ''), json
end

-- All events of a script are published in one message, one a line: JSON holds no line break.
local function publish(record)
  local events, webhooks = record.changes.events, record.webhooks
  local events_key, before, lines = record.key .. ':e', record.loaded[INCARNATION] or '0', {}
  for i = 1, #events, 4 do
    local seq, incarnation, header, json = unpack(events, i, i + 3)
    incarnation = ('%d'):format(incarnation)
    add_event(lines, events_key, before, seq, incarnation, header, json, seq > tonumber(kept_events))
    before = incarnation
  end
  redis.call('SPUBLISH', events_key, table.concat(lines, '\n'))
  if webhooks == '' then return end
  -- The task's webhooks were held back until this event, the agent's first (make-tasks.lua). Those that no worker has
  -- claimed yet leave `push`, and are marked again, as due now.
  if events[1] == 2 then
    for number in webhooks:gmatch('%d+') do
      local claims, run = unpack(redis.call('HMGET', record.key .. ':w', number .. ':claims', number .. ':run'))
      if not claims and not run then redis.call('ZREM', push_key, record.id .. '.' .. number) end
    end
  end
  --- @include "wake-deliveries.lua"
  wake_deliveries(record.id, webhooks)
end
