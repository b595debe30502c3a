-- steered: the messages that wait behind the one of a turn, for an agent that gets them while it works. They stay in
-- the inbox: the turn's outcome takes those that the agent got, and the others run next.
--
-- KEYS  task
--       inbox
-- ARGV  fence   fencing token of the turn
--       after   so many of them the turn has
-- Returns  { number of messages that the task ever accepted, entries of the inbox … } | { -1 } (the turn is lost)
-- Invariant: only the open turn is given messages, in the order in which they were accepted.

local task_key, inbox_key = unpack(KEYS)
local fence, after = unpack(ARGV)

local turn, accepted, inbox = unpack(redis.call('HMGET', task_key, 'turn', 'accepted', 'inbox'))
if turn ~= fence then return { -1 } end
-- The message that made the task is not in the list; see record.lua.
local first = inbox == accepted and 0 or 1
return { tonumber(accepted), unpack(redis.call('LRANGE', inbox_key, first + after, -1)) }
