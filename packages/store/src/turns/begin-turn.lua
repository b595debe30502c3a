-- beginTurn: begins a turn of a task whose job is running. A job's first turn usually begins in take-turns.lua.
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
-- Returns  as begin.lua
-- Invariant: as begin.lua.

--- @include "../record/record.lua"

local due = {}

--- @include "begin.lua"

local dead_key = unpack(KEYS, 7)
local job, started, token, run, max_attempts, large_bytes, while_working = unpack(ARGV, 7)
local reply = begin_turn(
  tonumber(job), tonumber(started), token, run, dead_key, max_attempts, large_bytes, while_working)
if #due > 0 then redis.call('ZADD', outbox_key, unpack(due)) end
return reply
