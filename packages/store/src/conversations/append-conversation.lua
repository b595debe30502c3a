-- appendConversation: events of a conversation.
--
--- @include "../redis/lua/clock.lua"
--- @include "../redis/lua/timestamp.lua"
--- @include "../redis/lua/when-full.lua"
--
-- KEYS  1 task (hash) of the turn that holds the conversation   2 its calls (hash, see caller.lua)
--       3 conversation (hash)
--       4 events (stream: id `<seq>-0`, one field `e` → JSON; also the name of a channel that says the seq)
--       5 conversations of the context (zset)
-- ARGV  1 fencing token of the turn ('' its task has ended: who closes it)   2 id   3 ms it is kept after its end
--       4 number of the first event
--       5 turn that follows these events   6 '1': the last of them ends the conversation
--       7… events, as JSON without opening brace
-- Returns  written (also when asked again) | fenced | missing
-- Invariant: events are numbered 1, 2, …; one that is there stays as it is; nothing follows the end.

local fence, id, kept_ms, first, turn, is_end = unpack(ARGV, 1, 6)
first = tonumber(first)
if fence ~= '' and redis.call('HGET', KEYS[1], 'turn') ~= fence then return 'fenced' end
local seq, ended = unpack(redis.call('HMGET', KEYS[3], 'seq', 'ended'))
if not seq then return 'missing' end
if ended then return 'written' end
if is_end == '1' then go_on_when_full(KEYS[3]) end

seq = tonumber(seq)
for i = 7, #ARGV do
  local number = first + i - 7
  if number == seq + 1 then
    seq = number
    redis.call('XADD', KEYS[4], seq .. '-0', 'e',
      '{"seq":' .. seq .. ',"timestamp":"' .. timestamp(now_ms()) .. '",' .. ARGV[i])
  end
end
if seq < first then return 'missing' end -- a fail-over has lost what came before
redis.call('HSET', KEYS[3], 'seq', seq, 'turn', turn)

if is_end == '1' then
  redis.call('HSET', KEYS[3], 'ended', 1)
  redis.call('HDEL', KEYS[2], id)
  redis.call('PEXPIRE', KEYS[3], kept_ms)
  redis.call('PEXPIRE', KEYS[4], kept_ms)
  redis.call('ZADD', KEYS[5], now_ms(), id)
  redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', '(' .. now_ms() - kept_ms)
  if redis.call('ZCOUNT', KEYS[5], '+inf', '+inf') == 0 then redis.call('PEXPIRE', KEYS[5], kept_ms) end
end
redis.call('PUBLISH', KEYS[4], seq)
return 'written'
