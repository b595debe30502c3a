-- Appends events to a conversation.
--
-- KEYS  task          hash, of the turn that holds the conversation
--       calls         as in open-conversation.lua
--       conversation  as in open-conversation.lua
--       index         as in open-conversation.lua
--       all           as in open-conversation.lua
--       events        stream: id `<seq>-0`, one field `e` → JSON; also the name of a channel on which seq is published
-- ARGV  fence         fencing token of the turn; '' if its task has ended
--       id
--       kept_ms       ms that the conversation is kept after its end
--       first         number of the first event
--       turn          number of the turn that follows these events
--       is_end        '1': the last event ends the conversation
--       events*       as JSON without opening brace
-- Returns  written (also if the command is sent twice) | fenced | missing
-- Invariant: events are numbered 1, 2, …; an event is never changed; nothing follows the end.

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/redis/timestamps.lua"

local task_key, calls_key, conversation_key, index_key, all_key, events_key = unpack(KEYS)
local fence, id, kept_ms, first, turn, is_end = unpack(ARGV, 1, 6)
first = tonumber(first)
if fence ~= '' and redis.call('HGET', task_key, 'turn') ~= fence then return 'fenced' end
local seq, ended = unpack(redis.call('HMGET', conversation_key, 'seq', 'ended'))
if not seq then return 'missing' end
if ended then return 'written' end
if is_end == '1' then allow_out_of_memory(conversation_key) end

seq = tonumber(seq)
for i = 7, #ARGV do
  local number = first + i - 7
  if number == seq + 1 then
    seq = number
    redis.call('XADD', events_key, seq .. '-0', 'e',
      '{"seq":' .. seq .. ',"timestamp":"' .. timestamp(now_ms()) .. '",' .. ARGV[i])
  end
end
if seq < first then return 'missing' end -- a fail-over lost earlier events
redis.call('HSET', conversation_key, 'seq', seq, 'turn', turn)
redis.call('ZADD', all_key, now_ms(), id)

if is_end == '1' then
  redis.call('HSET', conversation_key, 'ended', 1)
  redis.call('HDEL', calls_key, id)
  redis.call('PEXPIRE', conversation_key, kept_ms)
  redis.call('PEXPIRE', events_key, kept_ms)
  redis.call('ZADD', index_key, now_ms(), id)
  redis.call('ZREMRANGEBYSCORE', index_key, '-inf', '(' .. now_ms() - kept_ms)
  redis.call('ZREMRANGEBYSCORE', all_key, '-inf', '(' .. now_ms() - kept_ms)
  redis.call('PEXPIRE', all_key, kept_ms)
  if redis.call('ZCOUNT', index_key, '+inf', '+inf') == 0 then redis.call('PEXPIRE', index_key, kept_ms) end
end
redis.call('SPUBLISH', events_key, seq)
return 'written'
