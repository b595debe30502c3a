-- Begins a turn of a task whose job is running. A job's first turn usually begins in take-turns.lua.
--
-- KEYS  <record>
--       dead          see begin.lua for this and for the arguments
-- ARGV  <record>
--       job
--       started
--       token
--       run
--       max_attempts
--       large_bytes
--       while_working
--       is_unreadable  '1': the record cannot be read: its message is given up | ''
-- Returns  as begin.lua
-- Invariant: as begin.lua.

--- @include "../record/record.lua"
--- @include "begin.lua"

local dead_key = unpack(KEYS, 5)
local job, started, token, run, max_attempts, large_bytes, while_working, is_unreadable = unpack(ARGV, 7)
local worker = { run = run, dead_key = dead_key, max_attempts = max_attempts, large_bytes = large_bytes,
  while_working = while_working, due = {} }
local reply = begin_turn({ task_id = task_id, task_key = task_key, job = tonumber(job), started = tonumber(started),
  token = token, is_unreadable = is_unreadable == '1' }, worker)
if #worker.due > 0 then redis.call('ZADD', outbox_key, unpack(worker.due)) end
return reply
