-- openLane: a run of a lane's job begins to deliver.
--
-- KEYS  task      hash
--       webhooks  hash, see lanes.lua
--       push      zset, channel; made from it: <push>:dead (zset)
-- ARGV  task_id
--       lane     its number
--       job      its number
--       token    of the run
-- Returns  { stale } (there is nothing for this job) | { idle } (all is told)
--       | { open, config id, config, place, attempts at the next delivery, ms since the first of them }
-- Invariant: only the run that opened last moves the lane.

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, lane, job, token = unpack(ARGV)

--- @include "../redis/lua/clock.lua"
--- @include "../redis/lua/lanes.lua"

local seq = redis.call('HGET', task_key, 'seq')
local place, its_job, id, sealed, failed, dead = unpack(redis.call('HMGET', webhooks_key,
  lane .. ':place', lane .. ':job', lane .. ':id', lane .. ':config', lane .. ':failed', lane .. ':dead'))
if not seq or not place or dead or its_job ~= job then return { 'stale' } end
if seq_of(place) == tonumber(seq) then
  rest_lane(lane)
  return { 'idle' }
end
redis.call('HSET', webhooks_key, lane .. ':run', token)
local attempts, since = (failed or '0 0'):match('^(%d+) (%d+)$')
return { 'open', id, sealed, place, tonumber(attempts), failed and now_ms() - since or 0 }
