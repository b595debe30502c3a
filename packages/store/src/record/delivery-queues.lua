-- The webhooks of a task. Each has a delivery queue, whose number is never used again: a run for a
-- webhook that was replaced or deleted finds nothing. Needs task_key, webhooks_key, push_key, task_id.
--
-- KEYS  task      hash; its field `webhooks`: numbers of the webhooks that are not dead, each after a blank
--       webhooks  hash: last = last number given out   count = number of webhooks   id:<config id> = its number
--                 and for each webhook:
--                 <number>:id      its config id       <number>:config  its encrypted configuration
--                 <number>:cursor  the last event that was delivered, '<seq>-<incarnation>' ('<seq>': any
--                                  incarnation), then a blank and the pending artifacts as JSON
--                 <number>:job     number of its job   <number>:run     token of the run that delivers
--                 <number>:failed  '<attempts at the next delivery> <ms of the first>'
--                 <number>:claims  claims since its last progress
--                 <number>:dead    why deliveries were given up, as JSON
--                 <number>:last    the last attempt that failed, as JSON: time, status, reason, begin of the response
--       push      zset; made from it: <push>:dead (zset), and <push>:marker (zset), which wakes one process
--
-- Invariant: a webhook whose cursor is not at the last event of the task is dead, or in `push`.

local dead_key = push_key .. ':dead' -- zset: `<task>.<number>` -> when deliveries were given up

local QUEUE_FIELDS = { 'id', 'config', 'cursor', 'job', 'run', 'failed', 'claims', 'dead', 'last' }

local function queue_field(number, name) return redis.call('HGET', webhooks_key, number .. ':' .. name) end
local function member(number) return task_id .. '.' .. number end

local function cursor_at(seq, incarnation)
  return (tonumber(incarnation) or 0) == 0 and tostring(seq) or seq .. '-' .. incarnation
end

-- Whether the cursor is at the last event. Its number alone does not tell: after a fail-over another event may have it.
local function is_at(cursor, seq, incarnation)
  local its_seq, its_incarnation = cursor:match('^(%d+)%-?(%d*)')
  return tonumber(its_seq) == tonumber(seq)
    and (its_incarnation == '' or tonumber(its_incarnation) == tonumber(incarnation or 0))
end

local function without(webhooks, number) return ((webhooks .. ' '):gsub(' ' .. number .. ' ', ' '):gsub(' $', '')) end

-- An expired task must not come back as a hash that has only these fields.
local function store_webhooks(webhooks)
  if redis.call('EXISTS', task_key) == 0 then return end
  if webhooks == '' then redis.call('HDEL', task_key, 'webhooks')
  else redis.call('HSET', task_key, 'webhooks', webhooks, 'has_other_keys', '1') end
end

local function close_queue(number)
  local fields = {}
  for i, name in ipairs(QUEUE_FIELDS) do fields[i] = number .. ':' .. name end
  redis.call('HDEL', webhooks_key, unpack(fields))
  redis.call('ZREM', push_key, member(number))
  redis.call('ZREM', dead_key, member(number))
end

local function has_room(config_id, max)
  return redis.call('HEXISTS', webhooks_key, 'id:' .. config_id) == 1
    or tonumber(redis.call('HGET', webhooks_key, 'count') or 0) < tonumber(max)
end

-- A webhook that replaces another continues at its cursor. Returns the new number, the cursor, the old number.
-- at: cursor of a webhook that replaces none
local function add_webhook(config_id, encrypted, at)
  local old = redis.call('HGET', webhooks_key, 'id:' .. config_id)
  local cursor = old and queue_field(old, 'cursor') or at
  if old then close_queue(old) else redis.call('HINCRBY', webhooks_key, 'count', 1) end
  local number = redis.call('HINCRBY', webhooks_key, 'last', 1)
  redis.call('HSET', webhooks_key, 'id:' .. config_id, number,
    number .. ':id', config_id, number .. ':config', encrypted, number .. ':cursor', cursor, number .. ':job', 1)
  return number, cursor, old
end

local function remove_webhook(number)
  redis.call('HDEL', webhooks_key, 'id:' .. queue_field(number, 'id'))
  redis.call('HINCRBY', webhooks_key, 'count', -1)
  store_webhooks(without(redis.call('HGET', task_key, 'webhooks') or '', number))
  close_queue(number)
end

-- Marks a delivery queue as due and wakes a worker, unless it is marked already. If it is held back, it is due
-- later, or with the agent's first event (events.lua).
local function mark_due(number, now, hold_ms)
  local is_new = redis.call('ZADD', push_key, 'NX', now + (hold_ms or 0), member(number)) == 1
  if is_new and (hold_ms or 0) == 0 then redis.call('ZADD', push_key .. ':marker', '0', '0') end
end

-- Everything is delivered. The next delivery gets a job with a new number: an add under the number of a job that is
-- just completing would be lost.
local function mark_delivered(number)
  redis.call('ZREM', push_key, member(number))
  redis.call('HINCRBY', webhooks_key, number .. ':job', 1)
end
