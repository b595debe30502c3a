-- read: a task as pieces of JSON that need only be joined.
--
-- KEYS  1 task (hash)   and, named in it, the strings of its growing texts
-- ARGV  1 task id   2 owner ('' a worker, which holds the task's turn)   3 version that the caller has ('' none)   4 historyLength ('' all)   5 artifacts: all | none
--       6 bytes from which parts of an artifact are not copied through Lua
-- Returns  nil (no such task for this owner) | version, seq, state, released | the same and then pieces …
--       the short form if the caller has that version. A piece is JSON, or { key, last }: fetch it with GETRANGE key 1 last.
--       These strings only grow, hence it is the text as of this read; shorter means that it was replaced meanwhile: read again.
--
-- Invariant: the joined pieces are the fold of the events 1 … seq and of the messages accepted until then.
-- Cost: the size of the pieces. Joining is left to the caller: here it would take three times as long, and Redis has one
-- thread for everyone.

local task_key = KEYS[1]
local task_id, owner, have, length, artifacts, large_bytes = unpack(ARGV)

local its_owner, seq, accepted, released, state, context, status, metadata, count, inside, outside = unpack(redis.call('HMGET', task_key,
  'owner', 'seq', 'accepted', 'released', 'state', 'context', 'status', 'metadata', 'artifacts', 'h', '@h'))
if not its_owner or (owner ~= '' and its_owner ~= owner) then return false end
-- A message that waits behind a running turn enters the history without an event: it counts, too.
local version = seq .. '-' .. accepted
local reply = { version, seq, state, released or '0' }
if version == have then return reply end

local function put(piece) reply[#reply + 1] = piece end

-- The n latest messages: in as much of the history's end as holds them. (A plain find; a pattern is ten times slower.)
local function latest(n)
  local bytes, size = 256 * n, inside and #inside or redis.call('STRLEN', outside)
  while true do
    local text = inside or redis.call('GETRANGE', outside, -bytes, -1)
    local starts, start = {}, text:find('\t', 1, true)
    while start do
      starts[#starts + 1] = start
      start = text:find('\t', start + 1, true)
    end
    if #starts >= n then return text:sub(starts[#starts - n + 1] + 1) end
    if #text >= size then return text:sub(3) end
    bytes = bytes * 4
  end
end

put('{"id":"' .. task_id .. '","contextId":"' .. context .. '","status":' .. status)

if artifacts == 'all' and count then
  for n = 1, tonumber(count) do
    local header, open, parts, key = unpack(redis.call('HMGET', task_key, 'a' .. n, 'o' .. n, 'p' .. n, '@p' .. n))
    put((n == 1 and ',"artifacts":[' or ',') .. header .. ',"parts":[')
    local size = key and redis.call('STRLEN', key) or 0
    if size >= tonumber(large_bytes) then put({ key, size - 1 })
    else put(parts and parts:sub(2) or key and redis.call('GETRANGE', key, 1, -1) or '') end
    put(open ~= '' and '"}]}' or ']}')
  end
  put(']')
end

if (inside or outside) and length ~= '0' then
  put(',"history":[')
  put(length ~= '' and latest(tonumber(length)) or inside and inside:sub(3) or redis.call('GETRANGE', outside, 2, -1))
  put(']')
end

put(metadata and ',"metadata":' .. metadata .. '}' or '}')
return reply
