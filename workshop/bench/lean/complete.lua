-- The least that completing a task may write: the fence, the status, the history, the event and its publication, expiry,
-- two indexes, the list of the sweeper.
-- ARGV  prefix, task id, ms, run, message, timestamp
local prefix, id, now, run, message, timestamp = unpack(ARGV)
local task_key = prefix .. 't:' .. id
local open_run, _, since, _, history =
  unpack(redis.call('HMGET', task_key, 'run', 'seq', 'time', 'owner', 'h', 'cancel', 'webhooks'))
if open_run ~= run then return 'fenced' end
redis.call('ZREM', prefix .. 'leases', id .. ' ' .. run)
local status = '{"state":"TASK_STATE_COMPLETED","timestamp":"' .. timestamp .. '","message":' .. message .. '}'
local event = '{"statusUpdate":{"taskId":"' .. id .. '","contextId":"' .. id .. '","status":' .. status .. '}}'
redis.call('HSET', task_key, 'state', 'C', 'seq', '2', 'time', now, 'status', status, 'h', history .. ',' .. message)
redis.call('HDEL', task_key, 'run', 'started', 'entry')
redis.call('XADD', task_key .. ':e', '2-1', 'C', event)
redis.call('PUBLISH', task_key .. ':e', event)
redis.call('PEXPIRE', task_key .. ':e', 60000)
redis.call('PEXPIRE', task_key, 60000)
redis.call('ZREM', prefix .. 'index', 's' .. since .. id)
redis.call('ZADD', prefix .. 'index', 0, 'C' .. now .. id)
redis.call('ZREM', prefix .. 'agent', 'o' .. since .. id)
redis.call('ZADD', prefix .. 'agent', 0, 'C' .. now .. id)
redis.call('ZREM', prefix .. 'due', id)
return 'completed'
