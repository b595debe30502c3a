-- addEvent: one event enters the stream, and the lines that are to be published. A part of scripts that say something.
-- seq   mark (see events.lua)   json   lines: 1, 2, … of this script

if seq > tonumber(kept_events) then redis.call('XADD', events_key, 'MAXLEN', '~', kept_events, seq .. '-0', mark, json)
else redis.call('XADD', events_key, seq .. '-0', mark, json) end
lines[#lines + 1] = seq .. '|' .. mark .. '|' .. json
