-- Counts the messages that a turn was given besides its own while it ran; see read-waiting.lua. They
-- stay in the inbox until an outcome removes them.
-- ids: of these messages, as JSON, one a line, in their order
-- Returns their number; nil if they are not the next ones in the inbox, because a fail-over lost some

local function count_delivered(record, ids)
  local count, first = 0, record.inbox == record.messages and 0 or 1
  for _ in ids:gmatch('[^\n]+') do count = count + 1 end
  local entries = redis.call('LRANGE', record.key .. ':i', first, first + count - 1)
  for i, entry in ipairs(entries) do entries[i] = entry:match('^[^\n]*') end
  return table.concat(entries, '\n') == ids and count or nil
end
