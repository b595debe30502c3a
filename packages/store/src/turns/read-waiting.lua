-- readWaiting: reads the messages that wait behind a turn's own, for an agent that is given them while it works. They
-- stay in the inbox: the turn's outcome removes those that the agent was given, and the others run next.
--
-- KEYS  task
--       inbox
-- ARGV  fence   fencing token of the turn
--       after   how many of them the turn has already
-- Returns  { number of messages that the task ever accepted, entries of the inbox … } | { -1 } (the turn is lost)
-- Invariant: only the open turn is given messages, in the order in which they were accepted.

local task_key, inbox_key = unpack(KEYS)
local fence, after = unpack(ARGV)

local turn, accepted, inbox = unpack(redis.call('HMGET', task_key, 'turn', 'accepted', 'inbox'))
if turn ~= fence then return { -1 } end
-- The message that made the task is not in the list; see record.lua.
local first = inbox == accepted and 0 or 1
return { tonumber(accepted), unpack(redis.call('LRANGE', inbox_key, first + after, -1)) }
