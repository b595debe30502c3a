-- Jobs of processes whose leases have run out wait again; and it finds other work of the shard that waits,
-- for all queues, whichever agents a process has. Every process with a consumer asks once a second how long the key
-- `checked` lives (shard-checks.ts), and runs this if that is due; one of them at a time gets an answer.
--
-- KEYS  checked             string: its expiry says when this was last done
--       queues              zset: names of the queues that processes serve → ms when one last said so
--       outbox              zset
--       orphans             zset
--       scheduled_tasks     zset
--       interrupted         zset
--       suspended           zset
--       begin_by            zset
--       push                zset
--       running             as in running.lua
-- ARGV  every_ms            between two checks, whichever processes make them
--       lease_ms            how long a lease lasts
--       max_interrupted_ms  how long a task may wait for its client
--       names*              of queues that the process serves, now and then
-- Returns  { ms until the next lease ends (-1 none, 0: ask again now), ms until a scheduled task, a suspended turn or
--         the end of a message's time to live is due (-1 none),
--         { kinds of work that is due now }, { names of queues with jobs that wait } }
-- Invariant: a job whose process has a lease stays with it. A queue with a job that waits has a marker, unless
--       it is paused: a process that lost its marker with its life, or with its connection, delays the job by a second.
--
-- While nothing waits it runs five commands, whatever the number of queues.

local checked_key, queues_key, outbox_key, orphans_key, scheduled_tasks_key, interrupted_key, suspended_key,
  begin_by_key, push_key, running = unpack(KEYS)
local every_ms, lease_ms, max_interrupted_ms = unpack(ARGV, 1, 3)
lease_ms = tonumber(lease_ms)

-- The check before is as long ago as the key has lived. Its expiry needs no memory, and no TIME. Most processes end
-- when nothing waits: what is included below makes functions, which takes longer.
local kept_ms = 2 * lease_ms
local left_ms = redis.call('PTTL', checked_key)
local since_ms = left_ms < 0 and kept_ms + 1 or kept_ms - left_ms
if since_ms >= 0 and since_ms < tonumber(every_ms) then return { -1, -1, {}, {} } end
if redis.call('PEXPIRE', checked_key, kept_ms) == 0 then redis.call('SET', checked_key, '', 'PX', kept_ms) end

-- Queues of which no process has said for this long that it serves them: it is said every five minutes.
local FORGET_MS = 1800000
if #ARGV > 3 then
  local now, served = redis.call('TIME')[1] * 1000, {}
  for i = 4, #ARGV do served[#served + 1], served[#served + 2] = now, ARGV[i] end
  redis.call('ZADD', queues_key, unpack(served))
  redis.call('ZREMRANGEBYSCORE', queues_key, '-inf', now - FORGET_MS)
end

-- Keys of one command.
local MAX_KEYS = 1000
local names = redis.call('ZRANGE', queues_key, '0', '-1')
local is_idle = true
local keys = { running, running .. ':queues', outbox_key, orphans_key, scheduled_tasks_key, interrupted_key,
  suspended_key, begin_by_key, push_key, outbox_key .. ':open' }
for _, name in ipairs(names) do
  local root, n = queues_key .. ':' .. name .. ':', #keys
  keys[n + 1], keys[n + 2], keys[n + 3] = root .. 'wait', root .. 'prioritized', root .. 'delayed'
end
for from = 1, #keys, MAX_KEYS do
  if redis.call('EXISTS', unpack(keys, from, math.min(from + MAX_KEYS - 1, #keys))) > 0 then is_idle = false end
end
if is_idle then return { -1, -1, {}, {} } end

--- @include "@switchyard/redis/server.lua"
--- @include "place-job.lua"
--- @include "delayed.lua"
--- @include "end-hold.lua"
--- @include "recover-leases.lua"
--- @include "tidy-queues.lua"

if since_ms < 0 then move_delays(running, since_ms) end
tidy_queues(running)
forget_idle_tenants(outbox_key .. ':open')
local _, lease_in_ms = recover_leases(running, lease_ms, since_ms)

-- ms until the first member is due; nil if there is none. A key of another type does not hold up the others.
local function first_in_ms(key, delay_ms)
  local first = redis.pcall('ZRANGE', key, '0', '0', 'WITHSCORES')[2]
  return first and math.max(0, tonumber(first) + delay_ms - now_ms())
end

local due = {}
local function note(kind, key, delay_ms)
  if first_in_ms(key, delay_ms) == 0 then due[#due + 1] = kind end
end
note('outbox', outbox_key, 0)
note('interrupted', interrupted_key, tonumber(max_interrupted_ms))
-- Not every process does these: another one is woken, too.
for kind, key in pairs({ orphans = orphans_key, deliveries = push_key }) do
  if first_in_ms(key, 0) == 0 then
    due[#due + 1] = kind
    redis.call('ZADD', key .. ':marker', '0', '0')
  end
end

local function has_jobs(root)
  if redis.call('HEXISTS', root .. 'meta', 'paused') == 1 then return false end
  if redis.call('EXISTS', root .. 'wait', root .. 'prioritized') > 0 then return true end
  return (next_delay_ms(root) or 1) <= 0
end

local waiting = {}
for _, name in ipairs(names) do
  local root = queues_key .. ':' .. name .. ':'
  local is_sound, found = pcall(has_jobs, root)
  if is_sound and found then
    wake_worker(root)
    waiting[#waiting + 1] = name
  end
end
local scheduled_in_ms = math.min(first_in_ms(scheduled_tasks_key, 0) or math.huge,
  first_in_ms(suspended_key, 0) or math.huge, first_in_ms(begin_by_key, 0) or math.huge)
return { lease_in_ms, scheduled_in_ms < math.huge and scheduled_in_ms or -1, due, waiting }
