-- events: the events that a script emits. They are numbered without gaps, kept in the stream, and published.

local emitted = {} -- seq, incarnation, header, json of each event, one after the other

-- An event's header has what readers need without parsing the event: the state's letter, the number of the message
-- whose caller it releases (if it does), and `m` if the outcome is a plain message.
local function emit(record, json, incarnation, released, is_reply)
  record.seq = record.seq + 1
  local n = #emitted
  emitted[n + 1], emitted[n + 2] = record.seq, incarnation
  emitted[n + 3], emitted[n + 4] = record.state .. (released or '') .. (is_reply and 'm' or ''), json
end

-- All events of a script are published in one message, one a line: JSON holds no line break.
local function publish(record)
  local lines, webhooks, last_incarnation = {}, record.webhooks, loaded[TIP] or '0'
  for i = 1, #emitted, 4 do
    local seq, incarnation, header, json = unpack(emitted, i, i + 3)
    incarnation = ('%d'):format(incarnation)
    --- @include "add-event.lua"
  end
  redis.call('PUBLISH', events_key, table.concat(lines, '\n'))
  if webhooks == '' then return end
  -- The task's webhooks were held back until this event, the agent's first (make-tasks.lua). Those that no worker has
  -- claimed yet leave `push`, and are marked again, as due now.
  if emitted[1] == 2 then
    for number in webhooks:gmatch('%d+') do
      local claims, run = unpack(redis.call('HMGET', webhooks_key, number .. ':claims', number .. ':run'))
      if not claims and not run then redis.call('ZREM', push_key, task_id .. '.' .. number) end
    end
  end
  --- @include "wake-deliveries.lua"
end
