-- addEvent: one event enters the stream, and the lines that are to be published. A fragment for the body of a loop:
-- reads the locals below, changes tip and lines.
-- seq   inc: incarnation of this event   tip: that of the one before   mark (see events.lua)   json   lines

local id = seq .. '-' .. inc
if seq > tonumber(kept_events) then redis.call('XADD', events_key, 'MAXLEN', '~', kept_events, id, mark, json)
else redis.call('XADD', events_key, id, mark, json) end
lines[#lines + 1] = (inc == tip and id or id .. '-' .. tip) .. '|' .. mark .. '|' .. json
tip = inc
