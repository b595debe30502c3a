-- tenantBytes: the bytes that a tenant had stored within the time that tasks are kept: of its messages, and of the
-- results of its tasks' steps. Needs outbox_key, retention_ms, max_bytes (0: they are not counted) and server.lua.
--
-- <outbox>:bytes:<tenant>  hash: eighth of the retention since 1970 → bytes that came in it

local tenant_bytes = {}
local EIGHTHS = 8
local sums, added = {}, {}

local function eighth() return math.floor(now_ms() * EIGHTHS / retention_ms) end

-- Whether a message of so many bytes is too many for the tenant.
function tenant_bytes.exceed(tenant, bytes)
  if max_bytes == 0 then return false end
  if not sums[tenant] then
    sums[tenant] = 0
    local counts = redis.call('HGETALL', outbox_key .. ':bytes:' .. tenant)
    for i = 1, #counts, 2 do
      if tonumber(counts[i]) >= eighth() - EIGHTHS then sums[tenant] = sums[tenant] + counts[i + 1] end
    end
  end
  return sums[tenant] + (added[tenant] or 0) + bytes > max_bytes
end

-- They count from now on, see write(). exceed() is asked before, where too many are refused.
function tenant_bytes.count(tenant, bytes)
  if max_bytes ~= 0 then added[tenant] = (added[tenant] or 0) + bytes end
end

-- Call it when they are written.
function tenant_bytes.write()
  for tenant, bytes in pairs(added) do
    local key = outbox_key .. ':bytes:' .. tenant
    -- The first of an eighth: the one of a retention ago counts no more.
    if redis.call('HINCRBY', key, eighth(), bytes) == bytes then
      for _, old in ipairs(redis.call('HKEYS', key)) do
        if tonumber(old) < eighth() - EIGHTHS then redis.call('HDEL', key, old) end
      end
    end
    redis.call('PEXPIRE', key, math.ceil(retention_ms * (EIGHTHS + 1) / EIGHTHS))
  end
end
