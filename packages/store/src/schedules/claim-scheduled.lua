-- claimScheduled: claims scheduled tasks that are due. The process that claims them begins them.
--
-- KEYS  scheduled_tasks  zset, as in ../record/scheduled-tasks.lua
--       tasks_root       prefix of the keys of tasks
-- ARGV  claim_ms         how long no other process can claim them
--       limit            number of tasks at most
-- Returns  { now in ms, ms until the next one (-1: there is none, or all are paused),
--         { task, owner, its schedule as JSON } … }
-- Invariant: while a claim lasts, one process has the task. If that process dies, the task is claimed again.

--- @include "../redis/server.lua"
--- @include "../record/scheduled-tasks.lua"

local scheduled_tasks_key, tasks_root = unpack(KEYS)
local claim_ms, limit = unpack(ARGV)

local reply = { now_ms(), -1 }
local claimed = redis.call('ZRANGEBYSCORE', scheduled_tasks_key, '-inf', now_ms(), 'LIMIT', 0, limit)
for _, member in ipairs(claimed) do
  redis.call('ZADD', scheduled_tasks_key, now_ms() + claim_ms, member)
  local task_id, owner = member:match('^(%S+) (%S+)$')
  -- A key of another type does not hold up other tasks.
  local schedule = redis.pcall('HGET', tasks_root .. task_id, 'schedule')
  reply[#reply + 1] = { task_id, owner, type(schedule) == 'string' and schedule or '' }
end
local next_one = redis.call('ZRANGE', scheduled_tasks_key, 0, 0, 'WITHSCORES')
if next_one[2] and tonumber(next_one[2]) < NEVER_MS then reply[2] = math.max(0, next_one[2] - now_ms()) end
return reply
