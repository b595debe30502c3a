-- lanes: the webhooks of a task. Each has a lane, a number that is never used again, so that what is still under way
-- for a webhook that was replaced or deleted finds nothing. Needs task_key, webhooks_key, push_key, task_id.
--
-- webhooks (hash): last = last lane given out   count = webhooks there are   id:<config id> = its lane; and of each:
--   <lane>:id       its config id        <lane>:config   as sealed
--   <lane>:place   where it is in the events: '<seq>' or '<seq> <what it owes, as JSON>'
--   <lane>:job      number of its job    <lane>:run      token of the run that delivers
--   <lane>:failed   '<attempts at the next delivery> <ms of the first>'      <lane>:silent   claims without progress
--   <lane>:dead     why it was given up, as JSON
-- lanes (field of the task): those that are not dead, each after a blank.
--
-- Invariant: place < seq of the task => dead, or in push.

local dead_key = push_key .. ':dead' -- zset: lanes that were given up -> when

local LANE_FIELDS = { 'id', 'config', 'place', 'job', 'run', 'failed', 'silent', 'dead' }

local function lane_field(lane, name) return redis.call('HGET', webhooks_key, lane .. ':' .. name) end
local function member(lane) return task_id .. '.' .. lane end
local function seq_of(place) return tonumber(place:match('^%d+')) end

local function without_lane(lanes, lane) return ((lanes .. ' '):gsub(' ' .. lane .. ' ', ' '):gsub(' $', '')) end

-- A task that has expired must not come back as a hash with nothing else in it.
local function store_lanes(lanes)
  if redis.call('EXISTS', task_key) == 0 then return end
  if lanes == '' then redis.call('HDEL', task_key, 'lanes') else redis.call('HSET', task_key, 'lanes', lanes, 'aside', '1') end
end

local function close_lane(lane)
  local fields = {}
  for i, name in ipairs(LANE_FIELDS) do fields[i] = lane .. ':' .. name end
  redis.call('HDEL', webhooks_key, unpack(fields))
  redis.call('ZREM', push_key, member(lane))
  redis.call('ZREM', dead_key, member(lane))
end

local function has_room(config_id, max)
  return redis.call('HEXISTS', webhooks_key, 'id:' .. config_id) == 1
    or tonumber(redis.call('HGET', webhooks_key, 'count') or 0) < tonumber(max)
end

-- A webhook that replaces another goes on where that one was. Returns the new lane, its place, the old lane.
local function add_webhook(config_id, sealed, seq)
  local old = redis.call('HGET', webhooks_key, 'id:' .. config_id)
  local place = old and lane_field(old, 'place') or tostring(seq)
  if old then close_lane(old) else redis.call('HINCRBY', webhooks_key, 'count', 1) end
  local lane = redis.call('HINCRBY', webhooks_key, 'last', 1)
  redis.call('HSET', webhooks_key, 'id:' .. config_id, lane,
    lane .. ':id', config_id, lane .. ':config', sealed, lane .. ':place', place, lane .. ':job', 1)
  return lane, place, old
end

local function remove_webhook(lane)
  redis.call('HDEL', webhooks_key, 'id:' .. lane_field(lane, 'id'))
  redis.call('HINCRBY', webhooks_key, 'count', -1)
  store_lanes(without_lane(redis.call('HGET', task_key, 'lanes') or '', lane))
  close_lane(lane)
end

-- Something is to be told: wakes whoever delivers, unless it is marked already. One that is held back is due later, or with
-- the agent's first event (events.lua).
local function mark_lane(lane, now, hold_ms)
  local is_new = redis.call('ZADD', push_key, 'NX', now + (hold_ms or 0), member(lane)) == 1
  if is_new and (hold_ms or 0) == 0 then redis.call('PUBLISH', push_key, '') end
end

-- Nothing is left to be told. What comes next is another job: an add under the number of one that is just completing
-- would be swallowed.
local function rest_lane(lane)
  redis.call('ZREM', push_key, member(lane))
  redis.call('HINCRBY', webhooks_key, lane .. ':job', 1)
end
