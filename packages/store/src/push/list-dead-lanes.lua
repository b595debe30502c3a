-- listDeadLanes: webhooks of a shard that were given up, the earliest first.
--
-- KEYS  dead_push   zset
--       tasks_root  what the keys of tasks begin with; made from it: the webhooks of each task
-- ARGV  most        at most so many
-- Returns  { lane, ms, why as JSON, place } of each

local dead_push_key, tasks_root = unpack(KEYS)
local most = unpack(ARGV)
local dead = {}
local members = redis.call('ZRANGEBYSCORE', dead_push_key, '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, most)
for i = 1, #members, 2 do
  local task_id, n = members[i]:match('^(.*)%.(%d+)$')
  local why, place = unpack(redis.call('HMGET', tasks_root .. task_id .. ':w', n .. ':dead', n .. ':place'))
  -- Else its task has expired.
  if why then dead[#dead + 1] = { members[i], tonumber(members[i + 1]), why, place } end
end
return dead
