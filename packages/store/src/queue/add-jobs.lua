-- Adds jobs to the agent's BullMQ queue, in the same step that writes them to their tasks. Needs server.lua.
--
-- root: of the queue's keys; made from it: <root>prioritized, those of fair-order.lua, <root>marker (zset), <root>meta
--   (hash), <root>id, <root>pc (counters) and each job <root><id> (hash)
-- jobs: for each its id, <task id>.<number of the job in its task>, and the tenant of its task's owner
-- level: of the jobs, unless a turn waits for them: high | normal | low
-- is_awaited: a turn waits for them: they go before the others
-- is_begun: their turns have begun before: they go before the others of their tenants, as a job that was given back
--
-- It writes what BullMQ's own Queue.add writes (packages/store/test/add-jobs.test.ts compares them), except events in
-- the queue's event stream, which nobody reads, and the order of ordinary jobs (fair-order.lua). BullMQ's script also
-- handles parents, delays and duplicates, which a job with a new number never has: it takes 32 µs, and a message of
-- its own (docs/adr/0021).

--- @include "fair-order.lua"

-- BullMQ's options of every job, without the priority. `attempts` is not used: begin.lua counts those at a message.
local OPTIONS = '{"removeOnComplete":true,"removeOnFail":true,"attempts":0,"priority":'

local function line_up_awaited(root, jobs)
  local tags = {}
  for at = 1, #jobs, 2 do
    tags[at] = ('%d'):format(BAND + redis.call('INCR', root .. 'pc'))
    redis.call('ZADD', root .. 'prioritized', tags[at], jobs[at])
  end
  return tags
end

local function line_up_begun(root, jobs, level)
  local served, tags = redis.call('ZSCORE', tenants_key(root, level), ' ') or ('%d'):format(BASE[level]), {}
  for at = 1, #jobs, 2 do
    tags[at] = served
    redis.call('ZADD', root .. 'prioritized', served, jobs[at])
    redis.call('HSET', root .. jobs[at], 'begun', '1')
  end
  if level ~= 'normal' then redis.call('HSET', root .. 'meta', 'levels', '1') end
  return tags
end

local function add_jobs(root, jobs, level, is_awaited, is_begun)
  local now, priority = ('%d'):format(now_ms()), is_awaited and '1' or '4'
  local options = OPTIONS .. priority .. '}'
  redis.call('INCRBY', root .. 'id', #jobs == 2 and '1' or #jobs / 2) -- counted by load.lua
  local tags = is_awaited and line_up_awaited(root, jobs) or is_begun and line_up_begun(root, jobs, level)
    or line_up(root, jobs, level)
  for at = 1, #jobs, 2 do
    local id = jobs[at]
    redis.call('HSET', root .. id, 'name', 'turn', 'data', '{}', 'opts', options, 'timestamp', now, 'delay', '0',
      'priority', priority, 'tenant', jobs[at + 1], 'tag', tags[at])
  end
  if redis.call('HEXISTS', root .. 'meta', 'paused') == 0 then redis.call('ZADD', root .. 'marker', '0', '0') end
end
