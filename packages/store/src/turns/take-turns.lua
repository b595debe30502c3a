-- takeTurns: the next jobs of the agent's queue are taken, each together with its task's turn.
-- Sent twice, it answers with the jobs that it took before.
--
-- KEYS  root            of the queue's keys, as in take-jobs.lua
--       tasks_root      what the keys of tasks begin with
--       outbox          as in record.lua
--       index_root
--       push
--       dead            as in begin.lua
-- ARGV  sweep_after_ms  as in record.lua
--       kept_events
--       replay_ms
--       retention_ms
--       inline_bytes
--       lock_ms         as in take-jobs.lua
--       taker
--       number
--       count
--       kinds
--       run             as in begin.lua, of all of them
--       max_attempts
--       large_bytes
--       while_working
-- Returns  { rest, and of each job { …, what beginTurn returns, or 'not-begun' alone: it is a suspect, and not alone
--         yet } … }, as take-jobs.lua has them
-- Invariant: a turn that is open has an active job, locked for the process that was given it.
--
-- A job that turns out to be a suspect is set aside, and taken again by a process that can run it alone.

local root, tasks_root, outbox_key, index_root, push_key, dead_key = unpack(KEYS)
local sweep_after_ms, kept_events, replay_ms, retention_ms, inline_bytes = unpack(ARGV, 1, 5)
local lock_ms, taker, number, count, kinds, run, max_attempts, large_bytes, while_working = unpack(ARGV, 6)

--- @include "../redis/server.lua"
--- @include "../queue/place-job.lua"
--- @include "../queue/take-jobs.lua"

local jobs, rest = take_jobs(root, lock_ms, taker, number, count, kinds)
if #jobs == 0 then return { rest } end

local task_id, task_key, events_key, inbox_key, webhooks_key, steps_key, calls_key

--- @include "../record/fields.lua"
--- @include "begin.lua"

local reply = { rest }
for i = 1, #jobs do
  local id, token, starts, _, waited_ms = unpack(jobs[i])
  local begun, job_number = { 'not-begun' }
  task_id, job_number = id:match('^(.*)%.(%d+)$')
  if task_id and kinds ~= 'suspect' then
    task_key, others = tasks_root .. task_id, {}
    events_key, inbox_key = task_key .. ':e', task_key .. ':i'
    webhooks_key, steps_key, calls_key = task_key .. ':w', task_key .. ':s', task_key .. ':c'
    -- A record that is damaged fails its own job, which asks for its turn again and gets the error, and no other.
    local is_sound, answer = pcall(begin_turn,
      tonumber(job_number), starts, token, run, dead_key, max_attempts, large_bytes, while_working,
      waited_ms)
    if is_sound then begun = answer end
  end
  if begun[1] == 'suspect' then
    set_aside(root, id)
    rest[1], rest[2] = rest[1] + 1, '1'
  else
    jobs[i][6] = begun
    reply[#reply + 1] = jobs[i]
  end
end
if #due > 0 then redis.call('ZADD', outbox_key, unpack(due)) end
return reply
