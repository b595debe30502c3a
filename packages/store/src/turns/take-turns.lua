-- Takes the next jobs of an agent's queue, and begins a turn of each job's task.
-- A command that is sent twice returns the jobs that it took before.
--
-- KEYS  root            of the queue's keys, as in take-jobs.lua
--       tasks_root      prefix of the keys of tasks
--       outbox          as in record.lua
--       index_root
--       push
--       dead            as in begin.lua
-- ARGV  sweep_after_ms  as in record.lua
--       kept_events
--       replay_ms
--       retention_ms
--       inline_bytes
--       lease_ms        as in take-jobs.lua
--       taker
--       number
--       count
--       kinds
--       run             as in begin.lua, the same for all turns
--       max_attempts
--       large_bytes
--       while_working
--       wanted*         as in take-jobs.lua; none: the next jobs
-- Returns  { rest, and for each job { …, the reply of begin.lua } … }, rest and job as in take-jobs.lua. The reply is
--         { 'not-begun' } if the job's run must begin the turn: it is a suspect, or its record is damaged
-- Invariant: an open turn has a running job, of the process that took it.
--
-- A job that turns out to be a suspect is put back, and taken again by a process that can run it alone.

local root, tasks_root, outbox_key, index_root, push_key, dead_key = unpack(KEYS)
local sweep_after_ms, kept_events, replay_ms, retention_ms, inline_bytes = unpack(ARGV, 1, 5)
local lease_ms, taker, number, count, kinds, run, max_attempts, large_bytes, while_working = unpack(ARGV, 6, 14)

--- @include "@switchyard/redis/server.lua"
--- @include "../queue/running.lua"
--- @include "../queue/take-jobs.lua"

local jobs, rest = take_jobs(root, lease_ms, taker, number, count, kinds,
  #ARGV > 14 and { unpack(ARGV, 15) } or nil)
if #jobs == 0 then return { rest } end

--- @include "begin-first.lua"

local begin_any
-- A turn that is not the first one of its task.
local function begin_again(...)
  if not begin_any then
    --- @include "../record/fields.lua"
    --- @include "begin.lua"
    begin_any = begin_turn
  end
  return begin_any(...)
end

local worker = { run = run, dead_key = dead_key, max_attempts = max_attempts, large_bytes = large_bytes,
  while_working = while_working, due = {} }
local reply = { rest }
for i = 1, #jobs do
  local id, token, starts, _, waited_ms = unpack(jobs[i])
  local begun
  local task_id, job_number = id:match('^(.*)%.(%d+)$')
  if task_id and kinds ~= 'suspect' then
    local start = { task_id = task_id, task_key = tasks_root .. task_id, job = tonumber(job_number), started = starts,
      token = token, waited_ms = waited_ms }
    -- A damaged record fails no other job: the run of its own asks for the turn again, and gets the error.
    local is_sound, answer = pcall(begin_first, start, worker)
    if is_sound and not answer then is_sound, answer = pcall(begin_again, start, worker) end
    if is_sound then begun = answer end
  end
  if begun and begun[1] == 'suspect' then
    --- @include "../queue/put-back-suspect.lua"
    put_back_suspect(root, id, token)
    rest[1], rest[2] = rest[1] + 1, '1'
  else
    jobs[i][6] = begun or { 'not-begun' }
    reply[#reply + 1] = jobs[i]
  end
end
if #worker.due > 0 then redis.call('ZADD', outbox_key, unpack(worker.due)) end
return reply
