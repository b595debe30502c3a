-- takeTurns: the next jobs of the agent's queue are taken, each together with its task's turn.
-- Sent twice, it answers with the jobs that it took before.
--
-- KEYS  1 root of the queue's keys, as in take-jobs.lua   2 what the keys of tasks begin with   3-5 as KEYS 4-6 in record.lua   6 dead
-- ARGV  1 ''   2-6 as in record.lua   7 ms the locks last   8-10 prefix of their tokens, the first one's number, and how many jobs may be taken
--       11 id of the runs   12-13 as 11-12 in begin-turn.lua   14 runs of a job that died: from so many on, whoever runs it asks for its turn later
-- Returns  { 'other' } (BullMQ's own script has to take the next one)
--       | { 'jobs', how many others wait, when the next delayed one is due: ms, or 0,
--           and of each job { id, token, its values, what beginTurn returns, or 'later' alone } … }

local root, tasks_root, outbox_key, index_root, push_key, dead_key = unpack(KEYS)
local _, lease_ms, kept_events, replay_ms, retention_ms, inline_bytes, lock_ms, prefix, first, count = unpack(ARGV, 1, 10)
local run, max_attempts, large_bytes, suspicious = unpack(ARGV, 11)

--- @include "../redis/lua/clock.lua"
--- @include "../queue/take-jobs.lua"

local jobs, rest, due = take_jobs(root, lock_ms, prefix, tonumber(first), tonumber(count))
if not jobs then return { 'other' } end
local reply = { 'jobs', rest, due }
if #jobs == 0 then return reply end

local task_id, task_key, events_key, inbox_key, webhooks_key, steps_key, calls_key

--- @include "../redis/lua/fields.lua"
--- @include "../redis/lua/waiting.lua"
--- @include "begin.lua"

for i = 1, #jobs do
  local id, token, job = unpack(jobs[i])
  local number
  task_id, number = id:match('^(.*)%.(%d+)$')
  if not task_id or tonumber(job[STALLED] or 0) >= tonumber(suspicious) then
    jobs[i][4] = { 'later' }
  else
    task_key, others = tasks_root .. task_id, {}
    events_key, inbox_key = task_key .. ':e', task_key .. ':i'
    webhooks_key, steps_key, calls_key = task_key .. ':w', task_key .. ':s', task_key .. ':c'
    jobs[i][4] = begin_turn(tonumber(number), tonumber(job[STARTS]), token, run, dead_key, max_attempts, large_bytes)
  end
  reply[i + 3] = jobs[i]
end
if #due > 0 then redis.call('ZADD', outbox_key, unpack(due)) end
return reply
