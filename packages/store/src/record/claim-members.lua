-- Claims members of a sorted set that are due. The process that claims a member works on it.
--
-- KEYS  set         zset: member → ms when it is due. A member is the id of a task, and more after a blank
--       tasks_root  prefix of the keys of tasks
-- ARGV  claim_ms    how long no other process can claim them
--       limit       number of members at most
--       past_ms     a member is due so many ms after its score
--       field       of the task's record that is read for each member; '' none
-- Returns  now in ms, ms until the next member is due (-1: there is none), and for each member
--          { 'claimed', member, the field or '' } or { 'damaged', member, the error }
-- Invariant: while a claim lasts, one process has the member. If that process dies, the member is claimed again.

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/redis/claim.lua"

local set_key, tasks_root = unpack(KEYS)
local claim_ms, limit, past_ms, field = unpack(ARGV)

local members = claim(set_key, { due_ms = now_ms() - past_ms, claim_ms = claim_ms, limit = limit, makes_room = true })
local rows = rows_of(members, function(member)
  local value = field ~= '' and redis.call('HGET', tasks_root .. member:match('^%S+'), field)
  return { 'claimed', member, value or '' }
end)
local next_one = redis.call('ZRANGE', set_key, '0', '0', 'WITHSCORES')[2]
return { now_ms(), next_one and math.max(0, next_one + past_ms - now_ms()) or -1, unpack(rows) }
