-- Claims tasks of the outbox that are due, and looks whether they need anything: usually their job waits in
-- its queue, or runs, and this script does for 200 tasks what sweep.lua would do for each.
--
-- KEYS  outbox          as in record.lua
--       tasks_root      prefix of the keys of tasks
--       queues          prefix of the keys of the shard's queues
-- ARGV  sweep_after_ms  as in record.lua; how long no other process can claim them
--       limit           number of tasks at most
--       latest_ms       tasks that are due later than in this many ms are due now: Redis' clock was set back since they
--                       were written
-- Returns  now in ms, number of tasks that need nothing, how many of them have a job that waits, and for each of the
--          others { 'claimed', id, owner ('' if there is no such task) } or { 'damaged', id, the error }
-- Invariant: while a claim lasts, one process has the task. A task needs nothing only if its job waits in a list of its
--       queue, or the process that runs the job is alive.

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/redis/claim.lua"
--- @include "../queue/queue-root.lua"
--- @include "../queue/who-runs.lua"

local outbox_key, tasks_root, queues = unpack(KEYS)
local sweep_after_ms, limit, latest_ms = unpack(ARGV)

-- A job that waits in a long queue is checked less and less often, down to once in eight times sweep_after_ms, as in
-- sweep.lua.
local MAX_DOUBLINGS = 3

local function waits(root, id)
  return redis.call('EXISTS', root .. id) == 1
    and (redis.call('ZSCORE', root .. 'prioritized', id) or redis.call('ZSCORE', root .. 'delayed', id))
end

local late = redis.call('ZRANGEBYSCORE', outbox_key, now_ms() + latest_ms, '+inf', 'LIMIT', '0', limit)
if #late > 0 then allow_out_of_memory(outbox_key) end
for _, task_id in ipairs(late) do redis.call('ZADD', outbox_key, now_ms(), task_id) end

local done, waiting = 0, 0
local ids = claim(outbox_key, { due_ms = now_ms(), claim_ms = sweep_after_ms, limit = limit, makes_room = true })
local rows = rows_of(ids, function(task_id)
  local task_key = tasks_root .. task_id
  local owner, job, skill, cancel = unpack(redis.call('HMGET', task_key, 'owner', 'job', 'skill', 'cancel'))
  if not owner or not job then return { 'claimed', task_id, owner or '' } end
  local root, id = root_of_skill(root_of_agent(queues, owner), skill), task_id .. '.' .. job
  if (lease_end_of(root, id) or 0) > now_ms() then
    done = done + 1
    return nil
  end
  if cancel or not waits(root, id) then return { 'claimed', task_id, owner } end
  local doublings = math.min(redis.call('HINCRBY', task_key, 'sweeps', '1'), MAX_DOUBLINGS)
  redis.call('ZADD', outbox_key, ('%.0f'):format(now_ms() + sweep_after_ms * 2 ^ doublings), task_id)
  done, waiting = done + 1, waiting + 1
end)
return { now_ms(), done, waiting, unpack(rows) }
