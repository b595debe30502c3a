-- The entries of the inbox with their messages: the messageId as JSON, a line break, and an `InboxEntry` as
-- JSON. The entry of the message that made the task lacks it: it is the first one of the history, and not stored twice.

-- entry: without its message; message: as JSON
local function with_message(entry, message)
  local line = entry:find('\n', 1, true)
  return entry:sub(1, line) .. '{"message":' .. message .. (entry:sub(line + 2, line + 2) == '}' and '' or ',')
    .. entry:sub(line + 2)
end

-- The entry of the message that made the task; as it is if it or the history is damaged.
local function initial_entry_with_message(record, entry)
  local text, outside = unpack(redis.call('HMGET', record.key, 'h', '@h'))
  local size, bytes = outside and tonumber(redis.pcall('STRLEN', outside)) or 0, 65536
  text = text or ''
  -- Reads a longer and longer beginning of the history, until it has the first message.
  while not text:find(',\t', 3, true) and #text < size do
    text, bytes = redis.call('GETRANGE', outside, 0, bytes - 1), bytes * 4
  end
  local ids = ',"taskId":"' .. record.id .. '","contextId":"' .. record.context .. '"}'
  local message = text:sub(3, (text:find(',\t', 3, true) or 0) - 1)
  if #message <= #ids or not entry:find('\n', 1, true) then return entry end
  return with_message(entry, message:sub(1, -#ids - 1) .. '}')
end
