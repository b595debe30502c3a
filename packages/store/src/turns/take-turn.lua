-- takeTurn: a run of a job ends, if one is named, and the next job of the agent's queue is taken together with its task's turn.
-- Sent twice, it answers with the job that it took before.
--
-- KEYS  1 root of the queue's keys, as in take-job.lua   2 what the keys of tasks begin with   3-5 as KEYS 4-6 in record.lua   6 dead
-- ARGV  1 '', or the id of the job that was taken with this token and is done   2-6 as in record.lua   7 lock token, of that job and of the next one
--       8 '1': take the next one   9 ms its lock lasts   10-11 as in begin-turn.lua
--       12 runs of a job that died: from so many on, whoever runs it asks for its turn later
-- Returns  { 'none', when the next delayed one is due: ms, or 0 }
--       | { 'other' } (BullMQ's own script has to take the next one) | { 'job', id, its values, '1' if there is no other, what beginTurn returns, or 'later' alone }

local root, tasks_root, outbox_key, index_root, push_key, dead_key = unpack(KEYS)
local done, lease_ms, kept_events, replay_ms, retention_ms, inline_bytes, token, is_taking, lock_ms = unpack(ARGV)

--- @include "../redis/lua/clock.lua"
--- @include "../queue/finish-job.lua"
--- @include "../queue/take-job.lua"

if done ~= '' then finish_job(root, done, token) end
if is_taking == '' then return { 'none', 0 } end
local id, job, is_last = take_job(root, done, token, lock_ms)
if not id then return job and { 'none', job } or { 'other' } end

local reply = { 'job', id, job, is_last and '1' or '', { 'later' } }
local task_id, number = id:match('^(.*)%.(%d+)$')
if not task_id or tonumber(job[STALLED] or 0) >= tonumber(ARGV[12]) then return reply end

local task_key = tasks_root .. task_id
local events_key, inbox_key = task_key .. ':e', task_key .. ':i'
local webhooks_key, steps_key, calls_key = task_key .. ':w', task_key .. ':s', task_key .. ':c'

--- @include "../redis/lua/fields.lua"
--- @include "../redis/lua/waiting.lua"
--- @include "begin.lua"

reply[5] = begin_turn(tonumber(number), tonumber(job[STARTS]), token, dead_key, unpack(ARGV, 10, 11))
return reply
