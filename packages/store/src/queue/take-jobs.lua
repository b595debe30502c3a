-- takeJobs: the next jobs of a queue, as BullMQ's own script takes one. Needs clock.lua.
--
-- root: of the queue's keys; made from it: <root>wait, <root>active (lists), <root>delayed, <root>marker (zsets), <root>meta
--   (hash), the jobs <root><id> (hashes) and their locks <root><id>:lock (strings), and <root>took:<first token> (string): what was
--   taken, so that whoever asks again, for its reply was lost, gets the same
-- prefix, first, count: of the tokens of the locks: numbers from `first` on, behind the prefix. As many jobs may be taken
-- Returns  a list of { id, token, its values in the order of job_of }, how many others wait, when the next delayed one is due
--         (ms; 0: none is delayed)
--       | nil: something stands in the way that is left to BullMQ's script (a pause, a limit, a delayed job that is due)
--
-- It leaves in the queue what that script leaves (packages/store/test/take-turns.test.ts compares them), but for entries in the
-- queue's stream of events, which nobody reads, and a marker that wakes a worker although nothing waits any more.

-- What BullMQ's worker needs to know of a job: its values, in the order of the array that is returned.
local STARTS, STALLED = 2, 3
local function job_of(job_key)
  return redis.call('HMGET', job_key, 'opts', 'ats', 'stc', 'atm', 'defa', 'stacktrace', 'timestamp', 'processedOn')
end

local function take_jobs(root, lock_ms, prefix, first, count)
  local function answer(jobs, due) return jobs, redis.call('LLEN', root .. 'wait'), due end

  local delayed = redis.call('ZRANGE', root .. 'delayed', '0', '0', 'WITHSCORES')
  -- BullMQ numbers the jobs that are due in the same millisecond by the lowest twelve bits.
  local due = delayed[2] and math.floor(tonumber(delayed[2]) / 4096) or 0

  local jobs, took_key = {}, root .. 'took:' .. prefix .. first
  local took = redis.call('GET', took_key)
  if took then
    local number = first
    for id in took:gmatch('[^\n]+') do
      local token, job_key = prefix .. number, root .. id
      if redis.call('GET', job_key .. ':lock') == token then jobs[#jobs + 1] = { id, token, job_of(job_key) } end
      number = number + 1
    end
    if #jobs > 0 then return answer(jobs, due) end
  end

  local paused, most, limit = unpack(redis.call('HMGET', root .. 'meta', 'paused', 'concurrency', 'max'))
  if paused or most or limit or (due > 0 and due <= now_ms()) then return end
  local ids = redis.call('LRANGE', root .. 'wait', -count, '-1')
  count = #ids
  if count == 0 then return jobs, 0, due end

  -- The list's end is its front.
  for i = 1, count / 2 do ids[i], ids[count + 1 - i] = ids[count + 1 - i], ids[i] end
  redis.call('SET', took_key, table.concat(ids, '\n'), 'PX', lock_ms)
  redis.call('LTRIM', root .. 'wait', '0', -count - 1)
  redis.call('LPUSH', root .. 'active', unpack(ids))
  local now = ('%.0f'):format(now_ms())
  for i = 1, count do
    local token, job_key = prefix .. first + i - 1, root .. ids[i]
    local job = job_of(job_key)
    job[STARTS] = (job[STARTS] or 0) + 1
    redis.call('SET', job_key .. ':lock', token, 'PX', lock_ms)
    redis.call('HSET', job_key, 'processedOn', now, 'ats', job[STARTS])
    jobs[i] = { ids[i], token, job }
  end
  local _, others = answer(jobs, due)
  if others > 0 or due > 0 then redis.call('ZADD', root .. 'marker', '0', '0') end
  return jobs, others, due
end
