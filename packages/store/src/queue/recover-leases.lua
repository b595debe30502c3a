-- Jobs of processes whose leases have run out wait again. A part of scripts; needs server.lua,
-- place-job.lua and end-hold.lua.
--
-- running: key of the leases, as in running.lua
-- lease_ms: how long a lease lasts
-- since_ms: ms since any process checked the leases of this shard. If that is longer than a lease lasts, or negative,
--   Redis was away, or its clock was set: then a lease that has run out proves nothing. Every process gets a full
--   lease, which it renews if it is alive.
-- Returns  number of jobs that wait again, ms until the next lease ends (-1: there is none; 0: call it again now)
--
-- A process that comes back finds what is left of its jobs, and may take those back that still wait.

-- Jobs that one script puts back: bounds its duration.
local MAX_RECOVERED = 200

local function put_back(root, id)
  if redis.call('EXISTS', root .. id) == 0 then return end
  place_job(root, id, true)
end

-- @return number of jobs of this process that wait again
local function recover_process(running, process, limit, woken)
  local held_key = running .. ':' .. process
  local held = redis.call('HRANDFIELD', held_key, limit, 'WITHVALUES')
  for at = 1, #held, 2 do
    local root, id = held[at + 1]:match('^(.*:)([^:]*)$')
    redis.call('HDEL', held_key, held[at])
    if root then
      count_running(running, root, '-1')
      if is_of_places(root) then
        count_place(root, id, -1)
      else
        -- A damaged job fails no other.
        pcall(put_back, root, id)
        woken[root] = true
      end
    end
  end
  if redis.call('EXISTS', held_key) == 0 then redis.call('ZREM', running, process) end
  return #held / 2
end

local function recover_leases(running, lease_ms, since_ms)
  local count = 0
  if since_ms < 0 or since_ms > lease_ms then
    for _, process in ipairs(redis.call('ZRANGE', running, '0', '-1')) do
      redis.call('ZADD', running, ('%.0f'):format(now_ms() + lease_ms), process)
    end
  else
    local woken = {}
    for _, process in ipairs(redis.call('ZRANGEBYSCORE', running, '-inf', now_ms(), 'LIMIT', '0', MAX_RECOVERED)) do
      if count < MAX_RECOVERED then
        count = count + recover_process(running, process, MAX_RECOVERED - count, woken)
      end
    end
    for root in pairs(woken) do wake_worker(root) end
  end
  local next = redis.call('ZRANGE', running, '0', '0', 'WITHSCORES')[2]
  return count, next and math.max(0, next - now_ms()) or -1
end
