-- recover: jobs whose locks have expired, because their process is gone, wait again.
--
-- KEYS  root      of the queue's keys, as in take-jobs.lua; and <root>checked (string): when this was last done
-- ARGV  lock_ms   how long the locks last
--       every_ms  between two checks, whichever processes make them
-- Returns  ids of these jobs
-- Invariant: a job whose lock has not expired stays with the process that runs it.
--
-- It writes what BullMQ's moveStalledJobsToWait writes (test/queue-scripts.test.ts), but it needs no set of jobs to
-- check next time.
--
-- If the last check is longer ago than a lock lasts, or lies in the future, Redis was away, or its clock was set: then
-- an expired lock proves nothing. Every running job gets a full lock, which its process renews if it is alive.

local root = unpack(KEYS)
local lock_ms, every_ms = unpack(ARGV)
lock_ms, every_ms = tonumber(lock_ms), tonumber(every_ms)

--- @include "../redis/server.lua"
--- @include "place-job.lua"

-- Forgets the tenants whose last tag is not above the highest tag that was taken: they are served like new ones.
local function forget_tenants()
  local taken = redis.call('ZSCORE', root .. 'tenants', ' ')
  if not taken or redis.call('ZCOUNT', root .. 'tenants', '-inf', taken) == 1 then return end
  redis.call('ZREMRANGEBYSCORE', root .. 'tenants', '-inf', taken)
  redis.call('ZADD', root .. 'tenants', taken, ' ')
end

local checked = tonumber(redis.call('GET', root .. 'checked') or 0)
local since_ms = now_ms() - checked
if since_ms >= 0 and since_ms < every_ms then return {} end
allow_out_of_memory(root .. 'checked')
redis.call('SET', root .. 'checked', ('%.0f'):format(now_ms()), 'PX', 2 * lock_ms)

local active = redis.call('LRANGE', root .. 'active', '0', '-1')
local not_ordinary = redis.call('ZCOUNT', root .. 'prioritized', '-inf', '(' .. ORDINARY * BAND)
if not_ordinary == 0 then redis.call('DEL', root .. 'pc') end
local has_placed = place_list(root)
if #active == 0 and redis.call('EXISTS', root .. 'prioritized') == 0 then redis.call('DEL', root .. 'tenants') end
forget_tenants()
if since_ms < 0 or since_ms > lock_ms then
  for _, id in ipairs(active) do
    local lock_key = root .. id .. ':lock'
    if redis.call('PEXPIRE', lock_key, lock_ms) == 0 then redis.call('SET', lock_key, '', 'PX', lock_ms) end
  end
  if since_ms < 0 then
    -- The clock was set back: the delays move with it.
    local delayed = redis.call('ZRANGE', root .. 'delayed', '0', '-1', 'WITHSCORES')
    for i = 1, #delayed, 2 do redis.call('ZADD', root .. 'delayed', delayed[i + 1] + since_ms * 4096, delayed[i]) end
  end
  return {}
end

local stalled = {}
for _, id in ipairs(active) do
  if redis.call('EXISTS', root .. id .. ':lock') == 0 then
    redis.call('LREM', root .. 'active', '1', id)
    redis.call('HINCRBY', root .. id, 'stc', '1')
    place_job(root, id, true)
    stalled[#stalled + 1] = id
  end
end
if #stalled > 0 or has_placed then wake_worker(root) end
return stalled
