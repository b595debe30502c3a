-- takeJobs: the next jobs of a queue become active, each with a lock. Needs server.lua and place-job.lua.
--
-- root: of the queue's keys; made from it: <root>wait, <root>active (lists), <root>prioritized, <root>delayed,
--   <root>marker (zsets), <root>meta (hash), the jobs <root><id> (hashes) and their locks <root><id>:lock (strings),
--   and <root>took:<taker> (string):
--   what the taker took last, so that a command that is sent twice takes once
-- lock_ms: that the locks last
-- taker, number, count: tokens of the locks are <taker>:<number> and so on, one for each job; as many may be taken
-- kinds: any | awaited | awaited+suspects | suspect (one job alone, however many may be taken)
-- Returns  jobs: { id, token, starts, priority } …
--          rest: how many others wait, '1' if there are suspects among them, ms until a delayed job is due (-1 none)
--
-- It leaves what BullMQ's own script leaves that takes one job (packages/store/test/take-turns.test.ts compares them),
-- but for entries in the queue's stream of events, which nobody reads, and its marker if nothing waits any more.

local LOWEST = { any = AWAITED, awaited = AWAITED, ['awaited+suspects'] = AWAITED, suspect = AWAITED_SUSPECT }
local HIGHEST = { any = AWAITED, awaited = AWAITED, ['awaited+suspects'] = AWAITED_SUSPECT, suspect = SUSPECT }
-- Delayed jobs that come back in one step: bounds it.
local MOST_DUE = 100

-- Jobs that are due wait again. Returns ms until the next one is due.
local function end_delays(root)
  local next = redis.call('ZRANGE', root .. 'delayed', '0', '0', 'WITHSCORES')[2]
  if not next then return -1 end
  -- BullMQ numbers the jobs that are due in the same millisecond by the lowest twelve bits.
  local in_ms = math.floor(tonumber(next) / 4096) - now_ms()
  if in_ms > 0 then return in_ms end
  local due = redis.call('ZRANGEBYSCORE', root .. 'delayed', '-inf', (now_ms() + 1) * 4096 - 1, 'LIMIT', '0', MOST_DUE)
  for _, id in ipairs(due) do
    redis.call('HSET', root .. id, 'delay', '0')
    place_job(root, id, tonumber(redis.call('HGET', root .. id, 'priority')) or 0)
  end
  redis.call('ZREM', root .. 'delayed', unpack(due))
  return end_delays(root)
end

local function job_of(root, id, token)
  local starts, priority = unpack(redis.call('HMGET', root .. id, 'ats', 'priority'))
  return { id, token, tonumber(starts or 0), tonumber(priority or 0) }
end

-- The ids of the next ones, and how many of them have a priority.
local function find(root, kinds, count, has_priorities)
  local ids = {}
  if has_priorities then
    local from, to = LOWEST[kinds] * BAND, '(' .. ('%.0f'):format((HIGHEST[kinds] + 1) * BAND)
    ids = redis.call('ZRANGEBYSCORE', root .. 'prioritized', from, to, 'LIMIT', '0', count)
  end
  local prioritized = #ids
  if kinds ~= 'any' or prioritized >= count then return ids, prioritized end
  local others = redis.call('LRANGE', root .. 'wait', prioritized - count, '-1')
  -- The list's end is its front.
  for i = #others, 1, -1 do ids[#ids + 1] = others[i] end
  return ids, prioritized
end

-- What this command took when it was sent before, but for what has been run since.
local function taken_before(root, lock_ms, taker, number)
  local jobs, took = {}, redis.call('GET', root .. 'took:' .. taker)
  if not took or took:sub(1, #number + 1) ~= number .. '\n' then return jobs end
  local n = tonumber(number)
  for id in took:sub(#number + 2):gmatch('[^\n]+') do
    local token, lock_key = taker .. ':' .. ('%.0f'):format(n), root .. id .. ':lock'
    local lock = redis.call('GET', lock_key) or ''
    if lock == token or (lock == '' and redis.call('LPOS', root .. 'active', id)) then
      redis.call('SET', lock_key, token, 'PX', lock_ms)
      jobs[#jobs + 1] = job_of(root, id, token)
    end
    n = n + 1
  end
  return jobs
end

local function take_jobs(root, lock_ms, taker, number, count, kinds)
  local due_in_ms = -1
  local last = redis.call('ZRANGE', root .. 'prioritized', '-1', '-1', 'WITHSCORES')[2]
  local function rest()
    if last then last = redis.call('ZRANGE', root .. 'prioritized', '-1', '-1', 'WITHSCORES')[2] end
    local has_suspects = last and tonumber(last) >= AWAITED_SUSPECT * BAND
    local others = redis.call('LLEN', root .. 'wait') + (last and redis.call('ZCARD', root .. 'prioritized') or 0)
    if others > 0 then wake_worker(root) end
    return { others, has_suspects and '1' or '', due_in_ms }
  end

  local jobs = taken_before(root, lock_ms, taker, number)
  if #jobs > 0 then return jobs, rest() end
  if redis.call('HEXISTS', root .. 'meta', 'paused') == 1 then return jobs, { 0, '', -1 } end
  due_in_ms = end_delays(root)
  local ids, prioritized = find(root, kinds, kinds == 'suspect' and 1 or tonumber(count), last)
  if #ids == 0 then return jobs, rest() end
  redis.call('SET', root .. 'took:' .. taker, number .. '\n' .. table.concat(ids, '\n'), 'PX', 2 * lock_ms)
  if prioritized > 0 then redis.call('ZREM', root .. 'prioritized', unpack(ids, 1, prioritized)) end
  if #ids > prioritized then redis.call('LTRIM', root .. 'wait', '0', prioritized - #ids - 1) end
  redis.call('LPUSH', root .. 'active', unpack(ids))
  local now = ('%.0f'):format(now_ms())
  for i, id in ipairs(ids) do
    local job = job_of(root, id, taker .. ':' .. ('%.0f'):format(number + i - 1))
    job[3] = job[3] + 1
    redis.call('SET', root .. id .. ':lock', job[2], 'PX', lock_ms)
    redis.call('HSET', root .. id, 'processedOn', now, 'ats', job[3])
    jobs[i] = job
  end
  return jobs, rest()
end

-- A job that was just taken waits again, for a process that can run it alone.
local function set_aside(root, id)
  local priority = redis.call('HGET', root .. id, 'priority') == '1' and AWAITED_SUSPECT or SUSPECT
  redis.call('DEL', root .. id .. ':lock')
  redis.call('LREM', root .. 'active', '1', id)
  redis.call('HSET', root .. id, 'priority', priority)
  place_job(root, id, priority, true)
  wake_worker(root)
end
