-- fairOrder: the order in which ordinary jobs wait: tenants take turns. A part of scripts that put jobs into queues.
--
-- Start-time fair queueing (docs/adr/0067): each job has a tag, one more than that of its tenant's last job or than the
-- highest one that was taken so far, whichever is higher. <root>prioritized (zset) has them at ORDINARY, by their tags:
-- those of a tenant in their order, and of several tenants one each in turn. Who is new is next.
-- <root>tenants (zset): tenant → tag of its last job; a blank, which no tenant is → the highest tag that was taken.

local BAND = 4294967296
local ORDINARY = 4

-- @param jobs of each its id and its tenant; they come last of their tenant's
local function line_up(root, jobs)
  local names, known, last = { ' ' }, {}, {}
  for at = 2, #jobs, 2 do
    local tenant = jobs[at]
    if not known[tenant] then names[#names + 1], known[tenant] = tenant, true end
  end
  local tags = redis.call('ZMSCORE', root .. 'tenants', unpack(names))
  local taken = tonumber(tags[1] or 0)
  for n = 2, #names do last[names[n]] = math.max(taken, tonumber(tags[n] or 0)) end

  local scored, noted = {}, {}
  for at = 1, #jobs, 2 do
    local id, tenant = jobs[at], jobs[at + 1]
    last[tenant] = last[tenant] + 1
    scored[at], scored[at + 1] = ORDINARY * BAND + last[tenant], id
  end
  for n = 2, #names do noted[2 * n - 3], noted[2 * n - 2] = last[names[n]], names[n] end
  redis.call('ZADD', root .. 'prioritized', unpack(scored))
  redis.call('ZADD', root .. 'tenants', unpack(noted))
end
