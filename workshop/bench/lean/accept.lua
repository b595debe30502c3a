-- The least that accepting a message may write: its messageId, the task, the first event, two indexes, the queue, the
-- list of the sweeper. Keys are made from the prefix.
-- ARGV  prefix, task id, messageId, owner, ms, entry of the inbox, message, timestamp
local prefix, id, message_id, owner, now, entry, message, timestamp = unpack(ARGV)
local task_key = prefix .. 't:' .. id
if not redis.call('SET', prefix .. 'm:' .. owner .. ':' .. message_id, 'print ' .. id .. ' 1', 'PX', 60000, 'NX') then
  return 'duplicate'
end
redis.call('ZCARD', prefix .. 'waiting') -- is the queue full?
local status = '{"state":"TASK_STATE_SUBMITTED","timestamp":"' .. timestamp .. '"}'
redis.call('HSET', task_key, 'state', 's', 'seq', '1', 'time', now, 'owner', owner, 'context', id, 'entry', entry,
  'status', status, 'h', message)
redis.call('XADD', task_key .. ':e', '1-0', 's',
  '{"statusUpdate":{"taskId":"' .. id .. '","contextId":"' .. id .. '","status":' .. status .. '}}')
redis.call('ZADD', prefix .. 'index', 0, 's' .. now .. id)
redis.call('ZADD', prefix .. 'agent', 0, 'o' .. now .. id)
redis.call('ZADD', prefix .. 'waiting', now, id)
redis.call('ZADD', prefix .. 'due', now + 15000, id)
return id
