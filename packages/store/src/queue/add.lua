-- Adds a job again that its queue may have lost. Without effect while the queue has it.
--
-- KEYS  root           of the queue's keys, as in add-jobs.lua
-- ARGV  id             of the job
--       tenant         of its task's owner
--       name           of the job, for people who inspect the queue: turn | push
--       level          as in add-jobs.lua
--       is_awaited     '1' | ''
--       is_suspicious  '1': it was added several times without effect, so it may be in none of the queue's lists | ''
-- Returns  added | known
-- Invariant: a queue has each job once.

local root = unpack(KEYS)
local id, tenant, name, level, is_awaited, is_suspicious = unpack(ARGV)

--- @include "@switchyard/redis/server.lua"
--- @include "add-jobs.lua"
--- @include "who-runs.lua"

local function is_listed()
  return redis.call('ZSCORE', root .. 'prioritized', id) or redis.call('ZSCORE', root .. 'delayed', id)
    or run_of(root, id) or redis.call('LPOS', root .. 'wait', id)
end

if redis.call('EXISTS', root .. id) == 1 then
  if is_suspicious == '' or is_listed() then return 'known' end
  redis.call('DEL', root .. id)
end
add_jobs(root, { id, tenant }, level, is_awaited == '1')
redis.call('HSET', root .. id, 'name', name)
return 'added'
