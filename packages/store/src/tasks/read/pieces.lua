-- A task as pieces of JSON that need only be joined.
--
-- A piece is JSON, or { key, last }: fetch it with GETRANGE key 1 last. These strings only grow, so the result is the
-- text as of this read; if it is shorter, it was replaced meanwhile: read the task again. { key, last, n } stands for
-- the n latest messages of that text. The first piece is { JSON before, state, time, JSON behind }: the caller makes
-- the status of the state's letter and of the time.
-- Joined, the pieces are the fold of the events 1 … seq and of the messages accepted until then. The caller joins them:
-- here it would take three times as long, and Redis has one thread for all clients.

-- The piece with the n latest messages. Reads a longer and longer end of the history until it has them, up to
-- large_bytes. (A plain find: a pattern is ten times slower.)
local function latest(n, inside, outside, large_bytes)
  local bytes, size = 256 * n, inside and #inside or redis.call('STRLEN', outside)
  while true do
    local text = inside or redis.call('GETRANGE', outside, -math.min(bytes, large_bytes), -1)
    local starts, start = {}, text:find('\t', 1, true)
    while start do
      starts[#starts + 1] = start
      start = text:find('\t', start + 1, true)
    end
    if #starts >= n then return text:sub(starts[#starts - n + 1] + 1) end
    if #text >= size then return text:sub(3) end
    if bytes >= large_bytes then return { outside, size - 1, n } end
    bytes = bytes * 4
  end
end

-- The message of the status, see emit_status in rules.lua; '' none. Only a task that is as make-tasks.lua has made it
-- has no such field. Another record without it is damaged, and fails here: an answer that is lost must not be read,
-- or copied, as none.
local function message_of(state, status, inside, outside)
  if status == '' or not status and (state == 's' or state == 'h') then return '' end
  if status:byte() == 123 then return status end -- {
  return inside and inside:sub(-status) or redis.call('GETRANGE', outside, -status, -1)
end

-- Adds the pieces of a task to a reply. values: of its context, state, time, status, metadata, artifacts, h and @h;
-- length: historyLength ('' all); artifacts: all | none; large_bytes: texts from this size on are not copied through
-- Lua
local function put_pieces(reply, task_id, task_key, values, length, artifacts, large_bytes)
  local context, state, time, status, metadata, count, inside, outside = unpack(values, 1, 8)
  large_bytes = tonumber(large_bytes)
  local function put(piece) reply[#reply + 1] = piece end
  local message = message_of(state, status, inside, outside)
  put({ '{"id":"' .. task_id .. '","contextId":"' .. context .. '","status":', state, time or '',
    message ~= '' and ',"message":' .. message .. '}' or '}' })
  if artifacts == 'all' and count then
    for n = 1, tonumber(count) do
      local header, open, parts, key = unpack(redis.call('HMGET', task_key, 'a' .. n, 'o' .. n, 'p' .. n, '@p' .. n))
      put((n == 1 and ',"artifacts":[' or ',') .. header .. ',"parts":[')
      local size = key and redis.call('STRLEN', key) or 0
      if size >= large_bytes then put({ key, size - 1 })
      else put(parts and parts:sub(2) or key and redis.call('GETRANGE', key, 1, -1) or '') end
      put(open ~= '' and '"}]}' or ']}')
    end
    put(']')
  end
  if (inside or outside) and length ~= '0' then
    put(',"history":[')
    local size = length == '' and outside and redis.call('STRLEN', outside) or 0
    -- The first message begins with a tab, which is white space.
    if size >= large_bytes then put({ outside, size - 1 })
    elseif length ~= '' then put(latest(tonumber(length), inside, outside, large_bytes))
    else put(inside and inside:sub(3) or redis.call('GETRANGE', outside, 2, -1)) end
    put(']')
  end
  put(metadata and ',"metadata":' .. metadata .. '}' or '}')
end
