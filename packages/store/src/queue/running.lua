-- Which jobs run, and where. A part of the scripts that take, end or give back jobs.
--
-- A process has one lease per shard, and runs all its jobs there under this lease (docs/adr/0135): to renew the lease
-- costs the same for one job and for a hundred thousand. Made from the root of a queue's keys, `<shard>q:<queue>:`:
--   <shard>running (zset): process → ms until which its lease lasts
--   <shard>running:<process> (hash): token → key of the job, for each job that the process runs
--   <shard>running:queues (hash): root of a queue's keys → number of its jobs that run
-- A token is `<process>:…`. The script that removes a token ends its run: no renewal brings the run back.
-- Field of a job: `token`, of its run; a job that waits has one only if the process of this run lost it.

local function running_key(root) return root:match('^.-{s%d+}:') .. 'running' end
local function holder_key(running, token) return running .. ':' .. token:match('^[^:]*') end
local function count_running(running, root, by) redis.call('HINCRBY', running .. ':queues', root, by) end

-- A place of an agent with limits is held as a job is, under a root of its own (places/take-places.lua).
local function is_of_places(root) return root:find(':q:@places~', 1, true) ~= nil end

-- Counts a place in the groups of its turn.
local function count_place(root, place, by)
  local tenant, key = place:match('^(%S*) (%S*) ')
  for _, group in ipairs({ 't:' .. tenant, 'k:' .. key }) do
    local count = group ~= 'k:' and redis.call('HINCRBY', root .. 'groups', group, by)
    if count and count <= 0 then redis.call('HDEL', root .. 'groups', group) end
  end
end

-- Whether the process of this run has the job, even if its lease has run out: nobody else has it then.
local function holds(running, root, id, token)
  return redis.call('HGET', holder_key(running, token), token) == root .. id
end

-- @return the token of the run that has the job, or nil
local function run_of(root, id)
  local token = redis.call('HGET', root .. id, 'token')
  return token and holds(running_key(root), root, id, token) and token or nil
end

-- When the lease of the process that runs the job ends, in ms: 0 if that process has none. nil: nobody runs the job
local function lease_end_of(root, id)
  local token = run_of(root, id)
  return token and tonumber(redis.call('ZSCORE', running_key(root), token:match('^[^:]*')) or 0)
end

-- Ends a run. @return whether it had the job
local function end_hold(root, id, token)
  local running = running_key(root)
  if redis.call('HDEL', holder_key(running, token), token) == 0 then
    -- The run lost its job: a check that was sent before must not take the job back.
    if redis.call('HGET', root .. id, 'token') == token then redis.call('HDEL', root .. id, 'token') end
    return false
  end
  count_running(running, root, '-1')
  if is_of_places(root) then count_place(root, id, -1) end
  return true
end
