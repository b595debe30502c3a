-- takeTurn: the next job of the agent's queue is taken together with its task's turn.
-- Sent twice, it answers with the job that it took before.
--
-- KEYS  1 root of the queue's keys, as in take-job.lua   2 what the keys of tasks begin with   3-5 as KEYS 4-6 in record.lua   6 dead
-- ARGV  1 ''   2-6 as in record.lua   7 lock token: one of its own for each job that is taken   8 ms the lock lasts   9-10 as in begin-turn.lua
--       11 runs of a job that died: from so many on, whoever runs it asks for its turn later
-- Returns  { 'none', when the next delayed one is due: ms, or 0 }
--       | { 'other' } (BullMQ's own script has to take the next one)
--       | { 'job', id, its values, how many others wait, '1' if none waits nor is delayed, what beginTurn returns, or 'later' alone }

local root, tasks_root, outbox_key, index_root, push_key, dead_key = unpack(KEYS)
local _, lease_ms, kept_events, replay_ms, retention_ms, inline_bytes, token, lock_ms = unpack(ARGV)

--- @include "../redis/lua/clock.lua"
--- @include "../queue/take-job.lua"

local id, job, others, is_last = take_job(root, token, lock_ms)
if not id then return job and { 'none', job } or { 'other' } end

local reply = { 'job', id, job, others, is_last and '1' or '', { 'later' } }
local task_id, number = id:match('^(.*)%.(%d+)$')
if not task_id or tonumber(job[STALLED] or 0) >= tonumber(ARGV[11]) then return reply end

local task_key = tasks_root .. task_id
local events_key, inbox_key = task_key .. ':e', task_key .. ':i'
local webhooks_key, steps_key, calls_key = task_key .. ':w', task_key .. ':s', task_key .. ':c'

--- @include "../redis/lua/fields.lua"
--- @include "../redis/lua/waiting.lua"
--- @include "begin.lua"

reply[6] = begin_turn(tonumber(number), tonumber(job[STARTS]), token, dead_key, unpack(ARGV, 9, 10))
return reply
