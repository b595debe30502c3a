-- Jobs that wait for a place of their group, a tenant or a key (docs/adr/0152). A part of scripts; it needs
-- choose-jobs.lua.
--
-- They stay in <root>prioritized (zset), behind all others: their scores are higher by PARKED. So they count, are
-- removed and inspected as others are, and a process that knows no limits takes them last. Besides there are
--   <root>parked (zset): group, as in running.lua → when its first jobs were last found
--   <root>parked:<group> (zset): its jobs → their scores before; also jobs that are parked no more
-- Field of a job: `parked`, its group.

local function park(root, id, group)
  local score = tonumber(redis.call('ZSCORE', root .. 'prioritized', id) or nil)
  if not score then return end
  if score >= PARKED then score = score - PARKED end
  redis.call('ZADD', root .. 'prioritized', ('%.0f'):format(score + PARKED), id)
  redis.call('ZADD', root .. 'parked:' .. group, ('%.0f'):format(score), id)
  redis.call('ZADD', root .. 'parked', 'NX', '0', group)
  redis.call('HSET', root .. id, 'parked', group)
end

-- The first jobs of a group, without those that are parked no more.
local function first_parked(root, group, kinds, limit)
  local key, jobs = root .. 'parked:' .. group, {}
  for _, job in ipairs(in_bands(key, kinds, limit, PARKED)) do
    local score = tonumber(redis.call('ZSCORE', root .. 'prioritized', job.id) or nil)
    if score and score >= PARKED and redis.call('HGET', root .. job.id, 'parked') == group then
      jobs[#jobs + 1] = job
    else
      redis.call('ZREM', key, job.id)
    end
  end
  if redis.call('EXISTS', key) == 0 then redis.call('ZREM', root .. 'parked', group) end
  return jobs
end
