-- fairOrder: the order in which ordinary jobs wait: tenants take turns. A part of scripts that put jobs into queues.
--
-- Start-time fair queueing (docs/adr/0067): a job's tag is one more than the tag of its tenant's last job, or than the
-- highest tag that was served so far, whichever is higher. <root>prioritized (zset) scores ordinary jobs by their tags:
-- the jobs of a tenant keep their order, tenants are served one job each in turn, and a new tenant is next.
-- <root>tenants (zset): tenant → tag of its last job; ' ', which names no tenant → the highest tag that was served.

local BAND = 4294967296
local ORDINARY = 4

-- Adds ordinary jobs behind those of their tenants. Tags are kept as strings: Redis converts numbers slowly.
-- @param jobs for each its id and its tenant
-- @return their tags, each at the index of its job's id
local function line_up(root, jobs)
  local names, last = { ' ' }, {}
  for at = 2, #jobs, 2 do
    local tenant = jobs[at]
    if not last[tenant] then names[#names + 1], last[tenant] = tenant, 0 end
  end
  local known = redis.call('ZMSCORE', root .. 'tenants', unpack(names))
  local served = tonumber(known[1] or ORDINARY * BAND)
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
  redis.call('ZADD', root .. 'tenants', unpack(noted))
  return tags
end
