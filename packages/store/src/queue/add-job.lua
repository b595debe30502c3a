-- addJob: a task's job enters the agent's BullMQ queue in the step in which the task gets it. Needs task_id, and clock.lua.
--
-- root: of the queue's keys; made from it: <root>wait (list), <root>active (list), <root>meta (hash), <root>marker (zset),
--   <root>id (counter) and the job <root><task id>.<number> (hash)
-- options: of the job, as JSON without its id and closing brace
-- is_awaited: a turn waits for it; it goes before those that nobody has begun yet
--
-- It leaves there what BullMQ's own Queue.add leaves (packages/store/test/add-job.test.ts compares them), but for entries in the
-- queue's stream of events, which nobody reads. That one's script knows parents, delays, priorities and duplicates, which a job
-- with a new number never has: it takes 32 µs, and a message of its own (docs/adr/0021).

local function add_job(number, root, options, is_awaited)
  local id = task_id .. '.' .. number
  redis.call('INCR', root .. 'id')
  redis.call('HSET', root .. id, 'name', 'turn', 'data', '{}', 'opts', options .. ',"jobId":"' .. id .. '"}',
    'timestamp', now_ms(), 'delay', '0', 'priority', '0')
  redis.call(is_awaited and 'RPUSH' or 'LPUSH', root .. 'wait', id)
  local paused, most = unpack(redis.call('HMGET', root .. 'meta', 'paused', 'concurrency'))
  if paused or (most and redis.call('LLEN', root .. 'active') >= tonumber(most)) then return end
  redis.call('ZADD', root .. 'marker', '0', '0')
end
