-- Deletes a key of an owner, besides its tasks, when its tenant is deleted.
--
-- KEYS  tasks  index of the owner's tasks in this shard, see record.lua; of conversations: as owned
--       owned  index of a context's tasks | memory | accepted message | conversations of a context
-- Returns  1 | 0 (it belongs to a task or conversation that is kept)
-- Invariant: a key that belongs to a task that is kept is kept, too.

local tasks_key, owned_key = unpack(KEYS)
local is_more
if tasks_key == owned_key then
  is_more = redis.call('ZCOUNT', owned_key, '+inf', '+inf') > 0
else
  is_more = redis.call('EXISTS', tasks_key) == 1
end
if is_more then return 0 end
redis.call('UNLINK', owned_key)
return 1
