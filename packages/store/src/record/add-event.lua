-- addEvent: adds one event to the stream, and its line to those that will be published. A fragment for the body of a
-- loop: reads the locals below, changes last_incarnation and lines.
-- seq   incarnation: of this event   last_incarnation: of the event before   header (see events.lua)   json   lines

local id = seq .. '-' .. incarnation
if seq > tonumber(kept_events) then redis.call('XADD', events_key, 'MAXLEN', '~', kept_events, id, header, json)
else redis.call('XADD', events_key, id, header, json) end
local line_id = incarnation == last_incarnation and id or id .. '-' .. last_incarnation
lines[#lines + 1] = line_id .. '|' .. header .. '|' .. json
last_incarnation = incarnation
