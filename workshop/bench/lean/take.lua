-- The least that giving a job to a worker may write: out of the queue, a lease, the open turn, the sweeper's time.
-- ARGV  prefix, ms, run
local prefix, now, run = unpack(ARGV)
local id = redis.call('ZPOPMIN', prefix .. 'waiting')[1]
if not id then return nil end
local task_key = prefix .. 't:' .. id
redis.call('ZADD', prefix .. 'leases', now + 3500, id .. ' ' .. run)
local record = redis.call('HMGET', task_key, 'state', 'seq', 'owner', 'context', 'entry', 'cancel', 'epoch', 'h')
local epoch = (record[7] or 0) + 1
redis.call('HSET', task_key, 'epoch', epoch, 'run', run, 'started', now)
redis.call('ZADD', prefix .. 'due', now + 15000, id)
return { id, epoch, record }
