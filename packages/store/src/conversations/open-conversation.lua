-- openConversation: an agent begins to talk to another one, in a turn of its own.
--
-- KEYS  1 task (hash) of that turn   2 its calls (hash, see caller.lua)   3 conversation (hash: `owner`, `context`,
--       `head` what does not change, as JSON without closing brace, `seq` number of its events, `turn` the next turn's
--       number, `ended` '1')
--       4 conversations of the context (zset: id → ms of its end, +inf before)
-- ARGV  1 fencing token of the turn   2 id   3 owner   4 context (JSON text)   5 head
-- Returns  opened (also when asked again) | fenced
-- Invariant: a conversation that has not ended is named among the calls of its task, so that it ends with it.

local fence, id, owner, context, head = unpack(ARGV)
if redis.call('HGET', KEYS[1], 'turn') ~= fence then return 'fenced' end
if redis.call('EXISTS', KEYS[3]) == 1 then return 'opened' end
redis.call('HSET', KEYS[1], 'aside', 1)
redis.call('HSET', KEYS[2], id, 'v')
redis.call('HSET', KEYS[3], 'owner', owner, 'context', context, 'head', head, 'seq', 0, 'turn', 0)
redis.call('ZADD', KEYS[4], '+inf', id)
redis.call('PERSIST', KEYS[4])
return 'opened'
