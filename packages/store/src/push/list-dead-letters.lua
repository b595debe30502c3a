-- listDeadLetters: webhooks of a shard to which deliveries were given up, the earliest first.
--
-- KEYS  dead_push   zset
--       tasks_root  what the keys of tasks begin with; made from it: the webhooks of each task
-- ARGV  most        at most so many
-- Returns  of each { `<task>.<number>`, when in ms, reason as JSON, cursor }

local dead_push_key, tasks_root = unpack(KEYS)
local most = unpack(ARGV)
local dead = {}
local members = redis.call('ZRANGEBYSCORE', dead_push_key, '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, most)
for i = 1, #members, 2 do
  local task_id, number = members[i]:match('^(.*)%.(%d+)$')
  local webhooks_key = tasks_root .. task_id .. ':w'
  local reason, cursor = unpack(redis.call('HMGET', webhooks_key, number .. ':dead', number .. ':cursor'))
  -- Else its task has expired.
  if reason then dead[#dead + 1] = { members[i], tonumber(members[i + 1]), reason, cursor } end
end
return dead
