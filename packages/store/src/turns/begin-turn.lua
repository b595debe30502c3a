-- beginTurn: begins a turn of a task whose job runs already. The first one has begun as the job was taken (take-turn.lua), as a rule.
--
--- @include "../redis/lua/look.lua"
--- @include "begin.lua"
--
-- KEYS  1-6 as in record.lua   7 dead
-- ARGV  1-6 as in record.lua   7 number of the job   8 how often the queue has started it   9 lock token of the run
--       10 id of the run, drawn for this begin   11 attempts that a message gets   12 bytes of large parts
-- The last keys and arguments, and what it returns, are those of begin.lua.

local reply = begin_turn(tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9], ARGV[10], KEYS[7], unpack(ARGV, 11, 12))
if #due > 0 then redis.call('ZADD', outbox_key, unpack(due)) end
return reply
