-- parked: jobs that wait for a place of their group, a tenant or a key (docs/adr/0152). A part of scripts.
--
-- They stay in <root>prioritized (zset), behind all others: their scores are higher by PARKED. So they count, are
-- removed and inspected as others are, and a process that knows no limits takes them last. Besides there are
--   <root>parked (zset): group, as in running.lua → when its first jobs were last found
--   <root>parked:<group> (zset): its jobs → their scores before; also jobs that are parked no more
-- Field of a job: `parked`, its group.

-- Jobs with these scores, as in take-jobs.lua, which are not parked.
local function in_bands(key, kinds, limit)
  local found = {}
  for _, band in ipairs(BANDS[kinds]) do
    local from, to = scores_of(band)
    local more = redis.call('ZRANGEBYSCORE', key, from, ('(%.0f'):format(math.min(to, PARKED)), 'WITHSCORES',
      'LIMIT', '0', limit - #found)
    for at = 1, #more, 2 do found[#found + 1] = { id = more[at], score = tonumber(more[at + 1]) } end
  end
  return found
end

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
  for _, job in ipairs(in_bands(key, kinds, limit)) do
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
