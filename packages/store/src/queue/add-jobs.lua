-- addJobs: jobs of tasks enter the agent's BullMQ queue in the step in which the tasks get them. Needs clock.lua.
--
-- root: of the queue's keys; made from it: <root>wait (list), <root>active (list), <root>meta (hash), <root>marker (zset),
--   <root>id (counter) and each job <root><id> (hash)
-- ids: <task id>.<number of the job in its task>
-- options: of each job, as JSON without its id and closing brace
-- is_awaited: a turn waits for them; they go before those that nobody has begun yet
--
-- It leaves there what BullMQ's own Queue.add leaves (packages/store/test/add-jobs.test.ts compares them), but for entries in the
-- queue's stream of events, which nobody reads. That one's script knows parents, delays, priorities and duplicates, which a job
-- with a new number never has: it takes 32 µs, and a message of its own (docs/adr/0021).

local function add_jobs(root, ids, options, is_awaited)
  local now = ('%.0f'):format(now_ms())
  redis.call('INCRBY', root .. 'id', #ids)
  for i = 1, #ids do
    redis.call('HSET', root .. ids[i], 'name', 'turn', 'data', '{}', 'opts', options .. ',"jobId":"' .. ids[i] .. '"}',
      'timestamp', now, 'delay', '0', 'priority', '0')
  end
  redis.call(is_awaited and 'RPUSH' or 'LPUSH', root .. 'wait', unpack(ids))
  local paused, most = unpack(redis.call('HMGET', root .. 'meta', 'paused', 'concurrency'))
  if paused or (most and redis.call('LLEN', root .. 'active') >= tonumber(most)) then return end
  redis.call('ZADD', root .. 'marker', '0', '0')
end
