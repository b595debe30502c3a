-- A run of a delivery queue's job begins to deliver.
--
-- KEYS  <delivery-queues>
-- ARGV  task_id
--       number   of the delivery queue
--       job      its number
--       token    of the run
-- Returns  { stale } (this job has nothing to deliver) | { idle } (all events are delivered)
--       | { open, config id, config, cursor, attempts at the next delivery, ms since the first of them }
-- Invariant: only the run that opened a delivery queue last moves its cursor.

local task_key, webhooks_key, push_key = unpack(KEYS)
local task_id, number, job, token = unpack(ARGV)

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/store/record/delivery-queues.lua"

local seq, incarnation = unpack(redis.call('HMGET', task_key, 'seq', 'incarnation'))
local cursor, its_job, id, encrypted, failed, dead = unpack(redis.call('HMGET', webhooks_key,
  number .. ':cursor', number .. ':job', number .. ':id', number .. ':config', number .. ':failed', number .. ':dead'))
if not seq or not cursor or dead or its_job ~= job then return { 'stale' } end
if is_at(cursor, seq, incarnation) then
  mark_delivered(number)
  return { 'idle' }
end
redis.call('HSET', webhooks_key, number .. ':run', token)
local attempts, since = (failed or '0 0'):match('^(%d+) (%d+)$')
return { 'open', id, encrypted, cursor, tonumber(attempts), failed and now_ms() - since or 0 }
