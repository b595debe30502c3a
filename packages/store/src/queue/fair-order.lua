-- The order in which ordinary jobs wait: by their levels, and within a level tenants take turns. A part of
-- scripts that put jobs into queues.
--
-- Start-time fair queueing (docs/adr/0067): a job's tag is one more than the tag of its tenant's last job, or than the
-- highest tag that was served so far, whichever is higher. <root>prioritized (zset) scores ordinary jobs by their tags:
-- the jobs of a tenant keep their order, tenants are served one job each in turn, and a new tenant is next.
-- <root>tenants (zset): tenant → tag of its last job; ' ', which names no tenant → the highest tag that was served.
--
-- Jobs of the levels `high` and `low` (the priority of a message, docs/adr/0067) have such tags of their own, which are
-- lower and higher than those of others, and <root>tenants:high and <root>tenants:low. The field `levels` of <root>meta
-- says that there may be such jobs: see choose-jobs.lua.
--
-- priority    of a message: high | normal | low; a client names it
-- level       of a job: the priority of its task's message, unless a turn waits for the job
-- band        the scores of one BullMQ priority: from BAND * priority on
-- tag, score  the place of an ordinary job within its level; its score in <root>prioritized is its tag
-- `priority`  field of a job, BullMQ's: 1 a turn waits for it, 4 ordinary

local BAND = 4294967296
local ORDINARY = 4
-- From which the tags of each level begin: those of a BullMQ priority of 3.5, 4 and 64.
local BASE = { high = 3.5 * BAND, normal = ORDINARY * BAND, low = 64 * BAND }
-- Higher than any score of a job that is not parked: see ../places/parked.lua.
local PARKED = 1099511627776

local function level_of(tag)
  tag = tonumber(tag)
  return tag < BASE.normal and 'high' or tag < BASE.low and 'normal' or 'low'
end

local function tenants_key(root, level) return root .. (level == 'normal' and 'tenants' or 'tenants:' .. level) end

-- Adds ordinary jobs behind those of their tenants. Tags are kept as strings: Redis converts numbers slowly.
-- @param jobs for each its id and its tenant
-- @param level of these jobs: high | normal | low
-- @return their tags, each at the index of its job's id
local function line_up(root, jobs, level)
  local names, last = { ' ' }, {}
  for at = 2, #jobs, 2 do
    local tenant = jobs[at]
    if not last[tenant] then names[#names + 1], last[tenant] = tenant, 0 end
  end
  local tenants = tenants_key(root, level)
  local known = redis.call('ZMSCORE', tenants, unpack(names))
  local served = tonumber(known[1] or BASE[level])
  for n = 2, #names do last[names[n]] = math.max(served, tonumber(known[n] or 0)) end

  local tags, scored, noted = {}, {}, {}
  for at = 1, #jobs, 2 do
    local tenant = jobs[at + 1]
    last[tenant] = last[tenant] + 1
    tags[at] = ('%d'):format(last[tenant])
    scored[at], scored[at + 1] = tags[at], jobs[at]
  end
  for n = 2, #names do noted[2 * n - 3], noted[2 * n - 2] = ('%d'):format(last[names[n]]), names[n] end
  redis.call('ZADD', root .. 'prioritized', unpack(scored))
  redis.call('ZADD', tenants, unpack(noted))
  if level ~= 'normal' then redis.call('HSET', root .. 'meta', 'levels', '1') end
  return tags
end
