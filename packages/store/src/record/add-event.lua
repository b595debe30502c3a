-- addEvent: adds one event to a stream, and its line to those that will be published. Needs kept_events.
--
-- stream: key; last_incarnation: of the event before; lines

local function add_event(stream, seq, incarnation, header, json)
  local id = seq .. '-' .. incarnation
  if seq > tonumber(kept_events) then
    redis.call('XADD', stream.key, 'MAXLEN', '~', kept_events, id, header, json)
  else redis.call('XADD', stream.key, id, header, json) end
  local line_id = incarnation == stream.last_incarnation and id or id .. '-' .. stream.last_incarnation
  local lines = stream.lines
  lines[#lines + 1] = line_id .. '|' .. header .. '|' .. json
  stream.last_incarnation = incarnation
end
