-- give-up: ends a task as FAILED whose message has spent its attempts, and keeps that message as a dead letter: what is
-- needed to look into it and to send it again, for as long as its task. Included after rules.lua; the script commits.

-- reason: why, as JSON text; the client reads it, too. entry: the message's in the inbox. dead_key: dead letters (zset)
local function give_up(record, dead_key, entry, reason)
  local letter_key = task_key .. ':d'
  redis.call('HSET', letter_key, 'owner', record.owner, 'context', record.context, 'attempts', record.attempts,
    'entry', entry, 'reason', reason)
  redis.call('PEXPIRE', letter_key, retention_ms)
  redis.call('ZADD', dead_key, now_ms(), task_id)
  redis.call('ZREMRANGEBYSCORE', dead_key, '-inf', now_ms() - retention_ms)
  redis.call('PEXPIRE', dead_key, retention_ms)
  record.released = record.accepted - record.inbox + 1
  local message = '{"messageId":"' .. task_id .. '.given-up.' .. record.epoch .. '","role":"ROLE_AGENT","parts":[{"text":' .. reason .. '}]}'
  finish(record, 'F', { message = message, released = record.released })
  remember(message)
end
