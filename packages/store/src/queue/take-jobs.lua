-- Begins runs of the next jobs of a queue. Needs server.lua and running.lua.
--
-- root: of the queue's keys; made from it: <root>prioritized, those of fair-order.lua, <root>delayed, <root>marker
--   (zsets), <root>meta (hash), the jobs <root><id> (hashes), and the keys of running.lua
-- lease_ms: how long the lease of the process lasts, which begins again
-- taker, number: the tokens of the runs are <taker>:<number>, <taker>:<number + 1> …; they name the process, and tell a
--   command that is sent twice, which takes once
-- count: of jobs to take at most
-- kinds: any | awaited | all-awaited | suspect (one job only, whatever the count), see agent-queue.ts
-- wanted: ids of the jobs to take, as find-jobs.lua found them, if they still wait: the n-th gets the n-th token; nil:
--   the next ones
-- Returns  jobs: { id, token, starts, priority, ms that it has waited } …
--          rest: how many others wait, '1' if there are suspects among them, ms until a delayed job is due (-1 none)
--
-- It does not write what BullMQ's own script writes besides: a list of active jobs and a lock per job, which say less
-- than running.lua, and cost more the more jobs run; when a job was taken; events in the queue's event stream, which
-- nobody reads; and the marker if no job waits any more. Numbers are text: Redis converts numbers slowly.
--
-- Most takes get the first jobs of the queue. What only others need is included where it is called: to make a function
-- costs Redis as much as a simple command (docs/adr/0019).

--- @include "priorities.lua"

-- Returns  { id, token, starts, priority, ms that it has waited }, and its tag
local function job_of(root, id, token)
  local starts, priority, tag, since, timestamp =
    unpack(redis.call('HMGET', root .. id, 'ats', 'priority', 'tag', 'since', 'timestamp'))
  local waited_ms = math.max(0, now_ms() - (since or timestamp or now_ms()))
  return { id, token, tonumber(starts or 0), priority_of(priority), waited_ms }, tag
end

-- The first jobs of the queue, which wait no more.
-- Returns  their ids, nil if a suspect is among them: then they wait; whether there are no others; whether suspects may
--          wait behind them
local function pop_first(root, count)
  local found, ids, score = redis.call('ZPOPMIN', root .. 'prioritized', count), {}, 0
  for at = 1, #found, 2 do
    score = found[at + 1] + 0
    if score >= SUSPECTS_FROM and score < SUSPECTS_TO then
      for i = 1, #found, 2 do redis.call('ZADD', root .. 'prioritized', found[i + 1], found[i]) end
      return nil
    end
    ids[(at + 1) / 2] = found[at]
  end
  return ids, #ids < count + 0, score < SUSPECTS_FROM
end

local function tokens_of(taker, number, count)
  local tokens = {}
  tokens[1] = taker .. ':' .. number
  for i = 2, count do tokens[i] = taker .. ':' .. ('%d'):format(number + i - 1) end
  return tokens
end

-- The jobs that this command took when it was sent before, without those whose run has ended since.
local function taken_before(root, holder, taker, number, count)
  local jobs = {}
  local tokens = tokens_of(taker, number, count)
  for i, job_key in ipairs(redis.call('HMGET', holder, unpack(tokens))) do
    if job_key then jobs[#jobs + 1] = (job_of(root, job_key:sub(#root + 1), tokens[i])) end
  end
  return jobs
end

-- The lease of the process begins again: it is alive.
local function begin_lease(running, holder, lease_ms)
  redis.call('ZADD', running, ('%d'):format(now_ms() + lease_ms), holder:sub(#running + 2))
end

-- What waits besides, for which a worker is woken.
local function rest_of(root, is_paused, may_have_suspects, due_in_ms)
  local others = redis.call('ZCARD', root .. 'prioritized')
  if others > 0 and not is_paused then redis.call('ZADD', root .. 'marker', '0', '0') end
  return { others, may_have_suspects and has_suspects(root) and '1' or '', due_in_ms }
end

local function take_jobs(root, lease_ms, taker, number, count, kinds, wanted)
  local is_paused, has_levels, fetched =
    unpack(redis.call('HMGET', root .. 'meta', 'paused', 'levels', 'fetched'))
  count = wanted and #wanted or kinds == 'suspect' and '1' or count
  local running = running_key(root)
  local holder = holder_key(running, taker)
  -- Often the process runs nothing here, and no job is delayed: one command says both.
  local has_more, due_in_ms = redis.call('EXISTS', holder, root .. 'delayed') > 0, -1
  local jobs = has_more and taken_before(root, holder, taker, number, count) or {}
  if #jobs > 0 then
    begin_lease(running, holder, lease_ms)
    return jobs, rest_of(root, is_paused, true, -1)
  end
  if is_paused then return jobs, { 0, '', -1 } end
  if has_more and redis.call('EXISTS', root .. 'delayed') == 1 then
    --- @include "end-delays.lua"
    due_in_ms = end_delays(root)
  end

  -- The first write needs no memory, so that a full Redis lets turns begin, and end: see allow_out_of_memory.
  local ids, tokens, are_all, may_have_suspects = nil, nil, false, true
  if kinds == 'any' and not has_levels and not wanted then
    ids, are_all, may_have_suspects = pop_first(root, count)
    -- BullMQ's own tools put jobs into a list.
    if ids and #ids == 0 and redis.call('EXISTS', root .. 'wait') == 1 then ids = nil end
  end
  if not ids then
    --- @include "choose-jobs.lua"
    tokens, are_all, may_have_suspects = wanted and tokens_of(taker, number, #wanted), false, true
    ids, tokens = choose_jobs(root, kinds, count, wanted, tokens, has_levels, fetched)
  end
  if #ids > 0 then
    tokens = tokens or tokens_of(taker, number, #ids)
    local held = {}
    for i, id in ipairs(ids) do held[2 * i - 1], held[2 * i] = tokens[i], root .. id end
    redis.call('HSET', holder, unpack(held))
    begin_lease(running, holder, lease_ms)
    count_running(running, root, #ids == 1 and '1' or #ids)
    local served = {}
    for i, id in ipairs(ids) do
      local job, tag = job_of(root, id, tokens[i])
      job[3] = job[3] + 1 -- this start
      redis.call('HSET', root .. id, 'ats', job[3] == 1 and '1' or job[3], 'token', tokens[i])
      jobs[i] = job
      if job[4] == ORDINARY and tag then served[level_of(tag)] = tag end
    end
    for level, tag in pairs(served) do redis.call('ZADD', tenants_key(root, level), 'GT', tag, ' ') end
  end
  return jobs, are_all and { 0, '', due_in_ms } or rest_of(root, false, may_have_suspects, due_in_ms)
end
