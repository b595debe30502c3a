-- makeTask: a message makes a task. A part of `accept`, and the way of most messages: what a record that begins comes to, in as
-- few commands as there can be, and before the functions of the rules are made (docs/adr/0019). Needs what accept.lua has read.
-- Nobody can follow a task that is not there: its first event is published to none but a webhook that comes with it.

--- @include "../redis/lua/clock.lua"
--- @include "../redis/lua/sortable.lua"
--- @include "../redis/lua/timestamp.lua"
--- @include "../queue/add-job.lua"

local task_key, events_key, inbox_key, outbox_key, index_root, push_key = unpack(KEYS, 1, 6)
local _, lease_ms, _, _, _, inline_bytes = unpack(ARGV, 1, 6)
local time, timestamp_now = sortable(now_ms()), timestamp(now_ms())
local ids = '"taskId":"' .. task_id .. '","contextId":"' .. context .. '"'
local status = '{"state":"TASK_STATE_SUBMITTED","timestamp":"' .. timestamp_now .. '"}'

redis.call('SET', KEYS[7], fingerprint .. ' ' .. task_id .. ' 1', 'PX', idempotency_ms)
redis.call('RPUSH', inbox_key, entry)

local history_name, history = 'h', ',\t' .. message .. ',' .. ids .. '}'
if #history > tonumber(inline_bytes) then
  redis.call('SET', task_key .. ':h:1', history)
  history_name, history = '@h', task_key .. ':h:1'
end
redis.call('HSET', task_key, 'state', 's', 'seq', '1', 'time', time, 'owner', owner, 'context', context,
  'scheduled', '1', 'jobs', '1', 'accepted', '1', 'status', status, history_name, history)
redis.call('XADD', events_key, '1-0', 's', '{"statusUpdate":{' .. ids .. ',"status":' .. status .. '}}')
redis.call('ZADD', outbox_key, now_ms() + lease_ms, task_id)
add_job(1, KEYS[8], ARGV[15], manner == 'w')

-- See move-in-indexes.lua: an index whose tasks have all ended would expire.
local index = index_root .. ':' .. owner
redis.call('ZADD', index, '0', 's' .. time .. task_id)
redis.call('PERSIST', index)
if context ~= task_id then
  index = index .. ':' .. context
  if redis.call('EXISTS', index) == 0 then
    --- @include "../redis/lua/opener.lua"
    local opener = opener_of(KEYS[1]:sub(1, -#task_id - 1), context, owner)
    if opener then redis.call('ZADD', index, '0', opener) end
  end
  redis.call('ZADD', index, '0', 's' .. time .. task_id)
  redis.call('PERSIST', index)
end

if caller_key then
  record_call(owner)
  if manner == 'w' then redis.call('HSET', task_key, 'awaited', '1') end
end

if config_id then
  local webhooks_key = task_key .. ':w'
  --- @include "../push/lanes.lua"
  local lane = add_webhook(config_id, sealed, 0)
  redis.call('HSET', task_key, 'lanes', ' ' .. lane)
  mark_lane(lane, now_ms())
end
return { 'scheduled', task_id, context, 1, 1, 1, timestamp_now }
