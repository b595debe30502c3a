-- checkIndex: compares some entries of open tasks in an agent's index with the tasks, and corrects them. Processes of
-- releases without this index end and delete tasks, but do not change their entries.
--
-- KEYS  index       see agent-index.lua
--       tasks_root  prefix of the keys of tasks
-- ARGV  after       the last entry that was checked; '' none
--       limit       number of entries to check
-- Returns  the last entry that was checked; '' if there are no more
-- Invariant: a checked entry agrees with the task's record, or is removed.

--- @include "../record/agent-index.lua"

local index, tasks_root = unpack(KEYS)
local after, limit = unpack(ARGV)
local ID_LENGTH = 36

-- The letters of tasks that have ended are capitals, which sort first.
local entries = redis.call('ZRANGEBYLEX', index, after == '' and '[a' or '(' .. after, '+', 'LIMIT', 0, limit)
for _, entry in ipairs(entries) do
  local task_id = entry:sub(-ID_LENGTH)
  -- The entry of a damaged task is removed.
  local fields = redis.pcall('HMGET', tasks_root .. task_id, 'state', 'listed')
  local state, listed = unpack(fields.err and {} or fields)
  local right = listed and (LISTED_AS[state] or state) .. listed .. task_id
  if right ~= entry then
    redis.call('ZREM', index, entry)
    if right then redis.call('ZADD', index, 0, right) end
  end
end
return #entries == tonumber(limit) and entries[#entries] or ''
