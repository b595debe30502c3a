-- Which jobs of a queue are next, if not simply its first ones: of some kinds only, or of several levels. A part of the
-- scripts that take and find jobs. Needs server.lua.
--
-- root, kinds: as in take-jobs.lua

--- @include "place-job.lua"

local BANDS = {
  any = { AWAITED, ORDINARY },
  awaited = { AWAITED },
  ['all-awaited'] = { AWAITED, AWAITED_SUSPECT },
  suspect = { AWAITED_SUSPECT, SUSPECT },
}
-- Of each band the first score, and the one behind its last.
local ENDS = { [AWAITED] = 2 * BAND, [AWAITED_SUSPECT] = 3 * BAND, [SUSPECT] = BASE.high, [ORDINARY] = math.huge }
local function scores_of(band) return band == ORDINARY and BASE.high or band * BAND, ENDS[band] end

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

-- Takes jobs out of the queue, of these kinds or those that are wanted, as in take-jobs.lua.
-- tokens: of the wanted jobs; has_levels, fetched: fields of <root>meta
-- Returns  their ids, and the tokens of those that are wanted
local function choose_jobs(root, kinds, count, wanted, tokens, has_levels, fetched)
  local ids, theirs = {}, nil
  fetched = tonumber(fetched or 0)
  -- The first write needs no memory, as in take_jobs.
  if wanted then
    ids, theirs = remove_waiting(root, wanted, tokens)
  else
    ids = find(root, kinds, count)
    if #ids == 0 and place_list(root) then ids = find(root, kinds, count) end
    if has_levels and kinds == 'any' and #ids > 0 then ids = leave_to_lower(root, ids, fetched) end
    if #ids > 0 then redis.call('ZREM', root .. 'prioritized', unpack(ids)) end
  end
  if has_levels and #ids > 0 then redis.call('HSET', root .. 'meta', 'fetched', fetched + #ids) end
  return ids, theirs
end
