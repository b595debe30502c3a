-- Reads tasks as pieces of JSON (see pieces.lua), unless the caller has their current version.
--
-- KEYS  tasks*       hashes, one for each task; and, named in them, the strings of their growing texts
-- ARGV  large_bytes  texts from this size on are not copied through Lua
--       max_bytes    of all pieces: after it, tasks are left out; 0 no limit
-- EACH  task_id
--       owner        '' for a worker, which holds the task's turn
--       version      that the caller has; '' none
--       history_length  '' all
--       parts        all | none (no artifacts) | position (no pieces at all)
-- Returns  for each task: nil (this owner has no such task) | state and answered in one text (same version)
--       | { state and answered, version, pieces … } | { } (left out)
--
-- A task of which the state or the time is damaged fails the script: its readers read the tasks one by one then.
-- Cost: the size of the pieces.

local large_bytes, max_bytes = unpack(ARGV, 1, 2)
max_bytes = tonumber(max_bytes)

local with_pieces
local function read(task_key, task_id, owner, have, length, parts)
  local its_owner, seq, messages, answered, state, time, incarnation, inbox_version = unpack(redis.call('HMGET',
    task_key, 'owner', 'seq', 'messages', 'answered', 'state', 'time', 'incarnation', 'inbox_version'))
  if not its_owner or (owner ~= '' and its_owner ~= owner) then return false end
  if not (state and time and state:find('^[CFMRXahisw]$') and time:find('^%w%w%w%w%w%w%w%w$')) then
    error(('the record has the state "%s" and the time "%s"'):format(state or '', time or ''), 0)
  end
  -- A message that waits behind a running turn enters the history without an event, so `messages` counts, too. The
  -- incarnations tell these numbers from the same numbers before a fail-over.
  local version = seq .. '-' .. (incarnation or '0') .. '-' .. messages
    .. (inbox_version and '-' .. inbox_version or '')
  local summary = state .. (answered or '0')
  if version == have then return summary end
  if parts == 'position' then return { summary, version } end
  if not with_pieces then
    --- @include "pieces.lua"
    with_pieces = put_pieces
  end
  local reply = { summary, version }
  local values = redis.call('HMGET', task_key, 'context', 'state', 'time', 'status', 'metadata', 'artifacts', 'h', '@h',
    'usage')
  -- What the task had used when it last ended a turn: see rules.lua.
  local metadata, usage = values[5], values[9]
  if usage then
    values[5] = (metadata and metadata ~= '{}' and metadata:sub(1, -2) .. ',' or '{') .. usage .. '}'
  end
  with_pieces(reply, task_id, task_key, values, length, parts, large_bytes)
  return reply
end

local replies, bytes = {}, 0
for i = 1, #KEYS do
  if max_bytes > 0 and bytes >= max_bytes then
    replies[i] = {}
  else
    replies[i] = read(KEYS[i], unpack(ARGV, 5 * i - 2, 5 * i + 2))
  end
  if max_bytes > 0 and type(replies[i]) == 'table' then
    local head = replies[i][3]
    bytes = bytes + (head and #head[1] + #head[4] or 0)
    for n = 4, #replies[i] do
      local piece = replies[i][n]
      bytes = bytes + (type(piece) == 'table' and piece[2] or #piece)
    end
  end
end
return replies
