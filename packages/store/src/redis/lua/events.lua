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
  local lines = {}
  for i = 1, #written, 3 do
    local seq, mark, json = written[i], written[i + 1], written[i + 2]
    if seq > tonumber(kept_events) then redis.call('XADD', events_key, 'MAXLEN', '~', kept_events, seq .. '-0', mark, json)
    else redis.call('XADD', events_key, seq .. '-0', mark, json) end
    lines[#lines + 1] = seq .. '|' .. mark .. '|' .. json
  end
  redis.call('PUBLISH', events_key, table.concat(lines, '\n'))
  if record.lanes == '' then return end
  -- The numbers of the webhooks that are to hear of it. One that is marked already is being served.
  local is_new = false
  for lane in record.lanes:gmatch('%d+') do
    if redis.call('ZADD', push_key, 'NX', now_ms(), task_id .. '.' .. lane) == 1 then is_new = true end
  end
  if is_new then redis.call('PUBLISH', push_key, '') end
end
