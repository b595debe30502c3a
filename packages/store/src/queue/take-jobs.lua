-- Begins runs of the next jobs of a queue. Needs server.lua, place-job.lua and running.lua.
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

--- @include "delayed.lua"

local BANDS = {
  any = { AWAITED, ORDINARY },
  awaited = { AWAITED },
  ['all-awaited'] = { AWAITED, AWAITED_SUSPECT },
  suspect = { AWAITED_SUSPECT, SUSPECT },
}
-- Of each band the first score, and the one behind its last.
local ENDS = { [AWAITED] = 2 * BAND, [AWAITED_SUSPECT] = 3 * BAND, [SUSPECT] = BASE.high, [ORDINARY] = math.huge }
local function scores_of(band) return band == ORDINARY and BASE.high or band * BAND, ENDS[band] end

local SUSPECTS_FROM, SUSPECTS_TO = AWAITED_SUSPECT * BAND, BASE.high
-- Delayed jobs that one script moves: bounds its duration.
local MAX_DUE = 100

-- Delayed jobs that are due wait again. Returns ms until the next one is due (0: others are), -1 if none is delayed.
local function end_delays(root)
  local in_ms = next_delay_ms(root)
  if not in_ms then return -1 end
  if in_ms > 0 then return in_ms end
  local before = (now_ms() + 1) * SCORES_PER_MS - 1
  local due = redis.call('ZRANGEBYSCORE', root .. 'delayed', '-inf', before, 'LIMIT', '0', MAX_DUE)
  -- The first write needs no memory, as in take_jobs.
  if #due > 0 then redis.call('ZREM', root .. 'delayed', unpack(due)) end
  for _, id in ipairs(due) do
    redis.call('HSET', root .. id, 'delay', '0')
    place_job(root, id)
  end
  return #due == MAX_DUE and 0 or end_delays(root)
end

-- Returns  { id, token, starts, priority, ms that it has waited }, and its tag
local function job_of(root, id, token)
  local starts, priority, tag, since, timestamp =
    unpack(redis.call('HMGET', root .. id, 'ats', 'priority', 'tag', 'since', 'timestamp'))
  local waited_ms = math.max(0, now_ms() - (since or timestamp or now_ms()))
  return { id, token, tonumber(starts or 0), priority_of(priority), waited_ms }, tag
end

local function has_suspects(root)
  return redis.call('ZCOUNT', root .. 'prioritized', ('%.0f'):format(SUSPECTS_FROM), ('(%.0f'):format(SUSPECTS_TO)) > 0
end

-- The first jobs of these kinds, with their scores. below: the score from which on no job is meant
local function in_bands(key, kinds, count, below)
  local found = {}
  for _, band in ipairs(BANDS[kinds]) do
    local from, to = scores_of(band)
    local more = redis.call('ZRANGEBYSCORE', key, from, ('(%.0f'):format(math.min(to, below)), 'WITHSCORES',
      'LIMIT', '0', count - #found)
    for at = 1, #more, 2 do found[#found + 1] = { id = more[at], score = tonumber(more[at + 1]) } end
  end
  return found
end

-- The next jobs, in the order of their scores, which wait no more. Suspects are scored between awaited and ordinary
-- jobs.
-- Returns  their ids, nil if a suspect is among them: then they wait; whether suspects may wait behind them; how many
--          jobs wait behind them, nil if that is not known
local function pop_any(root, count)
  local found, ids, score = redis.call('ZPOPMIN', root .. 'prioritized', count), {}, 0
  for at = 1, #found, 2 do
    score = found[at + 1] + 0
    if score >= SUSPECTS_FROM and score < SUSPECTS_TO then
      for i = 1, #found, 2 do redis.call('ZADD', root .. 'prioritized', found[i + 1], found[i]) end
      return nil
    end
    ids[(at + 1) / 2] = found[at]
  end
  local are_all = #ids < count + 0
  return ids, not are_all and score < SUSPECTS_FROM, are_all and 0 or nil
end

-- The ids of the next jobs of these kinds, which still wait.
local function find(root, kinds, count)
  local ids = in_bands(root .. 'prioritized', kinds, count, math.huge)
  for i, job in ipairs(ids) do ids[i] = job.id end
  return ids
end

-- Of so many turns that begin, one is left to a lower level: in turn to the normal one and to the low one, if it waits.
local ONE_OF = 10

-- How many of the next jobs are left to each lower level. fetched: how many were taken before, the field `fetched` of
-- <root>meta, which counts while `levels` is set
local function left_to_lower(fetched, count)
  local counts = { normal = 0, low = 0 }
  for nth = math.floor(fetched / ONE_OF) + 1, math.floor((fetched + count) / ONE_OF) do
    local level = nth % 2 == 0 and 'low' or 'normal'
    counts[level] = counts[level] + 1
  end
  return counts
end

local function first_of_level(root, level, count)
  local from, below = ('%d'):format(BASE[level]), ('(%d'):format(level == 'normal' and BASE.low or PARKED)
  return redis.call('ZRANGEBYSCORE', root .. 'prioritized', from, below, 'LIMIT', '0', count)
end

-- The first jobs of lower levels take the places of the last of these, as often as is due: so none waits for ever.
local function leave_to_lower(root, ids, fetched)
  local counts = left_to_lower(fetched, #ids)
  if counts.normal + counts.low == 0 then return ids end
  -- A turn that another one waits for is not put off.
  local last = redis.call('ZSCORE', root .. 'prioritized', ids[#ids])
  if not last or tonumber(last) < BASE.high then return ids end
  local left, is_left = {}, {}
  for _, level in ipairs({ 'normal', 'low' }) do
    local first = counts[level] == 0 and {} or first_of_level(root, level, counts[level])
    for _, id in ipairs(first) do left[#left + 1], is_left[id] = id, true end
  end
  local chosen = {}
  for _, id in ipairs(ids) do
    if not is_left[id] and #chosen + #left < #ids then chosen[#chosen + 1] = id end
  end
  for _, id in ipairs(left) do chosen[#chosen + 1] = id end
  return chosen
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

-- @return those of the ids that still wait, and wait no more, and their tokens
local function remove_waiting(root, ids, tokens)
  local present, theirs = {}, {}
  for i, id in ipairs(ids) do
    if redis.call('ZREM', root .. 'prioritized', id) == 1 then
      present[#present + 1], theirs[#theirs + 1] = id, tokens[i]
    end
  end
  return present, theirs
end

local function take_jobs(root, lease_ms, taker, number, count, kinds, wanted)
  local due_in_ms, may_have_suspects = -1, true
  local is_paused, has_levels, fetched_before =
    unpack(redis.call('HMGET', root .. 'meta', 'paused', 'levels', 'fetched'))
  local others -- how many jobs wait besides; nil: not counted yet
  local function rest()
    others = others or redis.call('ZCARD', root .. 'prioritized')
    if others > 0 and not is_paused then redis.call('ZADD', root .. 'marker', '0', '0') end
    return { others, may_have_suspects and has_suspects(root) and '1' or '', due_in_ms }
  end

  count = wanted and #wanted or kinds == 'suspect' and '1' or count
  local running = running_key(root)
  local holder = holder_key(running, taker)
  -- Often the process runs nothing here, and no job is delayed: one command says both.
  local has_more = redis.call('EXISTS', holder, root .. 'delayed') > 0
  local jobs = has_more and taken_before(root, holder, taker, number, count) or {}
  if #jobs > 0 then
    begin_lease(running, holder, lease_ms)
    return jobs, rest()
  end
  if is_paused then return jobs, { 0, '', -1 } end
  if has_more then due_in_ms = end_delays(root) end
  local ids, are_popped = wanted, false
  local function find_next()
    if kinds == 'any' and not has_levels then
      ids, may_have_suspects, others = pop_any(root, count)
      are_popped = ids ~= nil
      if are_popped then return end
    end
    ids, may_have_suspects, others = find(root, kinds, count), true, nil
  end
  if not wanted then find_next() end
  if #ids == 0 and place_list(root) then find_next() end
  if #ids == 0 then return jobs, rest() end
  local fetched = tonumber(fetched_before or 0)
  if has_levels and kinds == 'any' and not wanted then ids = leave_to_lower(root, ids, fetched) end
  -- The first write needs no memory, so that a full Redis lets turns begin, and end: see allow_out_of_memory.
  local tokens = tokens_of(taker, number, #ids)
  if wanted then
    ids, tokens = remove_waiting(root, wanted, tokens)
    if #ids == 0 then return jobs, rest() end
  elseif not are_popped then
    redis.call('ZREM', root .. 'prioritized', unpack(ids))
  end
  if has_levels then redis.call('HSET', root .. 'meta', 'fetched', fetched + #ids) end
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
  return jobs, rest()
end

-- Puts back a suspect that was just taken: it waits for a process that can run it alone.
local function put_back_suspect(root, id, token)
  local priority = redis.call('HGET', root .. id, 'priority') == '1' and AWAITED_SUSPECT or SUSPECT
  end_hold(root, id, token)
  redis.call('HDEL', root .. id, 'token')
  redis.call('HSET', root .. id, 'priority', priority)
  place_job(root, id, true)
  wake_worker(root)
end
