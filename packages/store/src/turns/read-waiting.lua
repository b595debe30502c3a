-- Reads the messages that wait behind a turn's own, for an agent that is given them while it works. They
-- stay in the inbox: the turn's outcome removes those that the agent was given, and the others run next. The field
-- `given` of the task has the fencing token of the turn, and the number of messages that the turn was given.
--
-- KEYS  task    hash, and its inbox
-- ARGV  fence   fencing token of the turn
--       after   how many of them the turn has already
-- Returns  { number of messages that the task ever accepted, entries of the inbox … } | { -1 } (the turn is lost)
-- Invariant: only the open turn is given messages, in the order in which they were accepted.

local task_key = unpack(KEYS)
local fence, after = unpack(ARGV)

local turn, messages, inbox = unpack(redis.call('HMGET', task_key, 'turn', 'messages', 'inbox'))
if turn ~= fence then return { -1 } end
-- The message that made the task is not in the list; see record.lua.
local first = inbox == messages and 0 or 1
local entries = redis.call('LRANGE', task_key .. ':i', first + after, -1)
-- They do not count as messages that wait; see add-message.lua.
if #entries > 0 then redis.call('HSET', task_key, 'given', fence .. ' ' .. after + #entries) end
return { tonumber(messages), unpack(entries) }
