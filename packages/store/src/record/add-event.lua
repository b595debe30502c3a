-- Adds one event to the stream of a task, and its line to those that will be published. Needs kept_events.
--
-- before: the incarnation of the event before; trims: the stream may have more events than are
-- kept

local function add_event(lines, events_key, before, seq, incarnation, header, json, trims)
  local id = seq .. '-' .. incarnation
  if trims then redis.call('XADD', events_key, 'MAXLEN', '~', kept_events, id, header, json)
  else redis.call('XADD', events_key, id, header, json) end
  lines[#lines + 1] = (incarnation == before and id or id .. '-' .. before) .. '|' .. header .. '|' .. json
end
