-- Checks a task that was due in the outbox, because neither its job nor its turn has moved it for a while.
--
-- KEYS  <record>
--       root      of the keys of its agent's queue, as in take-jobs.lua
-- ARGV  <record>
--       claimed_ms  the score that the claim gave it in the outbox, see claim.lua
-- Returns  { verdict, job to add (0 none), owner, how often this job was swept since a turn began, '1' if a turn waits
--       for the job, '1' if the queue has the job, the skill whose queue it is ('' the agent's),
--          its level ('' normal) }
--       idle | add | canceled | missing (the outbox has the id of no task: removed)
-- Invariant: a task that has work to do has a job, or a place in the outbox, by which it gets one.

--- @include "../record/record.lua"
--- @include "../record/commit.lua"
--- @include "../record/rules.lua"
--- @include "../queue/who-runs.lua"

local root = unpack(KEYS, 5)
local claimed_ms = unpack(ARGV, 7)

local record = load_record(task_id, task_key)
if not record then
  redis.call('ZREM', outbox_key, task_id)
  return { 'missing', 0, '', 0, '', '', '', '' }
end
local due = redis.call('ZSCORE', outbox_key, task_id)
-- Its job or turn has moved it since, or another process has claimed it.
if not due or tonumber(due) ~= tonumber(claimed_ms) then return { 'idle', 0, '', 0, '', '', '', '' } end
-- A suspended turn has no job: see ../record/suspended.lua.
if record.waits ~= '' then
  record.changes.in_outbox = false
  commit(record)
  return { 'idle', 0, '', 0, '', '', '', '' }
end
root = queue_of(record, root)
-- The process that runs its job is alive: it renews its lease.
if (lease_end_of(root, task_id .. '.' .. record.job) or 0) > now_ms() then
  record.changes.in_outbox = true
  commit(record)
  return { 'idle', 0, '', 0, '', '', '', '' }
end
if record.cancel ~= '' then
  allow_out_of_memory(task_key)
  finish(record, 'X')
  commit(record)
  return { 'canceled', 0, record.owner, 0, '', '', '', '' }
end
-- The same job is added: that has no effect while the queue has it, so sweeps do not make a long queue longer.
-- `started` becomes 0: a job that is added again counts its starts from 1. Until it starts, an open turn may go on.
record.started, record.sweeps = 0, record.sweeps + 1
local has_job = redis.call('EXISTS', root .. task_id .. '.' .. record.job) == 1
-- A job that waits in a long queue is checked less and less often, down to once in eight times sweep_after_ms.
if has_job then record.changes.check_after_ms = sweep_after_ms * 2 ^ math.min(record.sweeps, 3) end
record.changes.in_outbox = true
commit(record)
local is_awaited = tonumber(redis.call('HGET', task_key, 'awaited')) == record.job
return { 'add', record.job, record.owner, record.sweeps, is_awaited and '1' or '', has_job and '1' or '',
  record.loaded[SKILL] or '', record.level }
