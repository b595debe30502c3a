-- addJobs: jobs of tasks enter the agent's BullMQ queue in the step in which the tasks get them. Needs server.lua.
--
-- root: of the queue's keys; made from it: <root>wait (list), <root>prioritized, <root>marker (zsets), <root>meta
--   (hash), <root>id, <root>pc (counters) and each job <root><id> (hash)
-- jobs: of each its id, <task id>.<number of the job in its task>, and the owner of its task
-- options: of each job, as JSON without its id and closing brace
-- is_awaited: a turn waits for them; as jobs with a priority they go before those that have none
--
-- It leaves there what BullMQ's own Queue.add leaves (packages/store/test/add-jobs.test.ts compares them), but for
-- entries in the queue's stream of events, which nobody reads. That one's script knows parents, delays and duplicates,
-- which a job with a new number never has: it takes 32 µs, and a message of its own (docs/adr/0021).

local function add_jobs(root, jobs, options, is_awaited)
  local now, priority, ids = ('%.0f'):format(now_ms()), is_awaited and '1' or '0', {}
  for at = 1, #jobs, 2 do ids[#ids + 1] = jobs[at] end
  redis.call('INCRBY', root .. 'id', #ids)
  for i = 1, #ids do
    redis.call('HSET', root .. ids[i], 'name', 'turn', 'data', '{}', 'opts', options .. ',"jobId":"' .. ids[i] .. '"}',
      'timestamp', now, 'delay', '0', 'priority', priority)
    if is_awaited then
      redis.call('ZADD', root .. 'prioritized', 4294967296 + redis.call('INCR', root .. 'pc'), ids[i])
    end
  end
  if not is_awaited then redis.call('LPUSH', root .. 'wait', unpack(ids)) end
  if redis.call('HEXISTS', root .. 'meta', 'paused') == 0 then redis.call('ZADD', root .. 'marker', '0', '0') end
end
