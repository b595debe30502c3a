-- Jobs that found no place of their group wait behind all others; and the keys of jobs are noted.
--
-- KEYS  root   of the queue's keys, as in take-jobs.lua
-- ARGV  (none)
-- EACH  id     of the job
--       key      of its turn, URI-encoded; '' none
--       group    for a place of which it waits, as in parked.lua; '': it is not parked
-- Returns  nothing
-- Invariant: a job that was taken or removed meanwhile is not parked.

local root = unpack(KEYS)

--- @include "@switchyard/redis/server.lua"
--- @include "../queue/choose-jobs.lua"
--- @include "parked.lua"

allow_out_of_memory(root)
for at = 1, #ARGV, 3 do
  local id, key, group = unpack(ARGV, at, at + 2)
  if redis.call('ZSCORE', root .. 'prioritized', id) then
    redis.call('HSET', root .. id, 'key', key)
    if group ~= '' then park(root, id, group) end
  end
end
