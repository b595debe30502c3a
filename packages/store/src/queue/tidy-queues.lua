-- What the queues of a shard need from time to time. A part of check-shard.lua. Needs delayed.lua.

-- Queues that one script looks after, in no order: bounds its duration.
local MAX_TIDIED = 8
-- Tenants, likewise.
local MAX_TENANTS = 100

-- Forgets the tenants whose last tag is not above the highest tag that was served: they are served like new ones.
local function forget_tenants(key)
  local served = redis.call('ZSCORE', key, ' ')
  if not served or redis.call('ZCOUNT', key, '-inf', served) == 1 then return end
  redis.call('ZREMRANGEBYSCORE', key, '-inf', served)
  redis.call('ZADD', key, served, ' ')
end

local function tidy_queue(running, root)
  local not_ordinary = redis.call('ZCOUNT', root .. 'prioritized', '-inf', '(' .. BASE.high)
  if not_ordinary == 0 then redis.call('DEL', root .. 'pc') end
  if place_list(root) then wake_worker(root) end
  local levels = redis.call('HEXISTS', root .. 'meta', 'levels') == 1 and { 'normal', 'high', 'low' } or { 'normal' }
  for _, level in ipairs(levels) do forget_tenants(tenants_key(root, level)) end
  if redis.call('HGET', running .. ':queues', root) ~= '0' then return end
  if redis.call('EXISTS', root .. 'prioritized') == 1 then return end
  for _, level in ipairs(levels) do redis.call('DEL', tenants_key(root, level)) end
  redis.call('DEL', root .. 'groups')
  if #levels > 1 then redis.call('HDEL', root .. 'meta', 'levels', 'fetched') end
  if redis.call('EXISTS', root .. 'delayed') == 0 then redis.call('HDEL', running .. ':queues', root) end
end

-- Tenants whose tasks have all ended leave a 0 in <outbox>:open, so that the next task of a single caller need not add
-- them again.
local function forget_idle_tenants(open_key)
  local counts = redis.pcall('HRANDFIELD', open_key, MAX_TENANTS, 'WITHVALUES')
  for at = 1, #counts, 2 do
    if counts[at + 1] == '0' then redis.call('HDEL', open_key, counts[at]) end
  end
end

local function tidy_queues(running)
  for _, root in ipairs(redis.call('HRANDFIELD', running .. ':queues', MAX_TIDIED)) do
    -- A damaged queue fails no other.
    pcall(tidy_queue, running, root)
  end
end

-- The clock of Redis was set back: the delays move with it.
local function move_delays(running, by_ms)
  for _, root in ipairs(redis.call('HKEYS', running .. ':queues')) do
    local delayed = redis.call('ZRANGE', root .. 'delayed', '0', '-1', 'WITHSCORES')
    for i = 1, #delayed, 2 do
      redis.call('ZADD', root .. 'delayed', delayed[i + 1] + by_ms * SCORES_PER_MS, delayed[i])
    end
  end
end
