-- listDeadLanes: webhooks of a shard that were given up, the earliest first.
--
-- KEYS  1 dead push (zset)   and, made from ARGV[1], the webhooks of each task
-- ARGV  1 what the keys of tasks begin with   2 at most so many
-- Returns  { lane, ms, why as JSON, place } of each

local dead = {}
local members = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
for i = 1, #members, 2 do
  local task_id, n = members[i]:match('^(.*)%.(%d+)$')
  local why, place = unpack(redis.call('HMGET', ARGV[1] .. task_id .. ':w', n .. ':dead', n .. ':place'))
  -- Else its task has expired.
  if why then dead[#dead + 1] = { members[i], tonumber(members[i + 1]), why, place } end
end
return dead
