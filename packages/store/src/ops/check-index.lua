-- checkIndex: some entries of open tasks in the index of their agent are compared with the tasks. Processes of before
-- there was this index end and delete tasks, and leave their entries as they were.
--
-- KEYS  index       see agent-index.lua
--       tasks_root  what the keys of tasks begin with
-- ARGV  after       entry that was looked at last; '' none
--       most        entries that are looked at
-- Returns  the entry that was looked at last; '' there are no more
-- Invariant: an entry that is looked at is what the record says, or goes.

--- @include "../record/agent-index.lua"

local index, tasks_root = unpack(KEYS)
local after, most = unpack(ARGV)
local ID_LENGTH = 36

-- The letters of tasks that have ended are capitals, which come before.
local entries = redis.call('ZRANGEBYLEX', index, after == '' and '[a' or '(' .. after, '+', 'LIMIT', 0, most)
for _, entry in ipairs(entries) do
  local task_id = entry:sub(-ID_LENGTH)
  local state, listed = unpack(redis.call('HMGET', tasks_root .. task_id, 'state', 'listed'))
  local right = listed and (LISTED_AS[state] or state) .. listed .. task_id
  if right ~= entry then
    redis.call('ZREM', index, entry)
    if right then redis.call('ZADD', index, 0, right) end
  end
end
return #entries == tonumber(most) and entries[#entries] or ''
