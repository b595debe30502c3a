-- takeJob: the next job of a queue, as BullMQ's own script takes it. Needs clock.lua.
--
-- root: of the queue's keys; made from it: <root>wait, <root>active (lists), <root>delayed, <root>marker (zsets), <root>meta
--   (hash), the job <root><id> (hash) and its lock <root><id>:lock (string), and <root>took:<token> (string): its id, so that
--   whoever asks again, for its reply was lost, gets no second one
-- Returns  the job's id, a table of its values, in the order of job_of, how many others wait, and whether none waits nor is delayed
--       | nil, when the next delayed one is due (ms; 0: none is delayed)
--       | nil, nil: something stands in the way that is left to BullMQ's script (a pause, a limit, a delayed job that is due)
--
-- It leaves in the queue what that script leaves (packages/store/test/take-turn.test.ts compares them), but for entries in the
-- queue's stream of events, which nobody reads, and a marker that wakes a worker although nothing waits any more.

-- What BullMQ's worker needs to know of a job: its values, in the order of the array that is returned.
local STARTS, STALLED = 2, 3
local function job_of(job_key)
  return redis.call('HMGET', job_key, 'opts', 'ats', 'stc', 'atm', 'defa', 'stacktrace', 'timestamp', 'processedOn')
end

local function take_job(root, token, lock_ms)
  local took_key = root .. 'took:' .. token
  local took = redis.call('GET', took_key)
  if took and redis.call('GET', root .. took .. ':lock') == token then return took, job_of(root .. took), 0, false end
  local paused, most, limit = unpack(redis.call('HMGET', root .. 'meta', 'paused', 'concurrency', 'max'))
  if paused or most or limit then return end
  local delayed = redis.call('ZRANGE', root .. 'delayed', 0, 0, 'WITHSCORES')
  -- BullMQ numbers the jobs that are due in the same millisecond by the lowest twelve bits.
  local due = delayed[2] and math.floor(tonumber(delayed[2]) / 4096) or 0
  if due > 0 and due <= now_ms() then return end
  local id = redis.call('RPOPLPUSH', root .. 'wait', root .. 'active')
  if not id then return nil, due end
  local job_key = root .. id
  local job = job_of(job_key)
  job[STARTS] = (job[STARTS] or 0) + 1
  redis.call('SET', took_key, id, 'PX', lock_ms)
  redis.call('SET', job_key .. ':lock', token, 'PX', lock_ms)
  redis.call('HSET', job_key, 'processedOn', now_ms(), 'ats', job[STARTS])
  local others = redis.call('LLEN', root .. 'wait')
  local is_last = due == 0 and others == 0
  if not is_last then redis.call('ZADD', root .. 'marker', 0, '0') end
  return id, job, others, is_last
end
