-- Counts the bytes that a tenant stored within the retention of tasks: its messages, and the results of
-- its tasks' steps. Needs outbox_key, retention_ms, max_bytes (0: they are not counted) and server.lua.
--
-- <outbox>:bytes:<tenant>  hash: number of the eighth of a retention, since 1970 → bytes stored in it

local tenant_bytes = {}
local EIGHTHS = 8
local sums, added = {}, {}

local function eighth() return math.floor(now_ms() * EIGHTHS / retention_ms) end

-- Whether the tenant may not store this many more bytes.
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

-- Counts bytes, which write() stores. Call exceed() before, where too many bytes are refused.
function tenant_bytes.count(tenant, bytes)
  if max_bytes ~= 0 then added[tenant] = (added[tenant] or 0) + bytes end
end

-- Stores the counts. Call it when the bytes are written.
function tenant_bytes.write()
  for tenant, bytes in pairs(added) do
    local key = outbox_key .. ':bytes:' .. tenant
    -- The first bytes of an eighth: eighths before the retention no longer count.
    if redis.call('HINCRBY', key, eighth(), bytes) == bytes then
      for _, old in ipairs(redis.call('HKEYS', key)) do
        if tonumber(old) < eighth() - EIGHTHS then redis.call('HDEL', key, old) end
      end
    end
    redis.call('PEXPIRE', key, math.ceil(retention_ms * (EIGHTHS + 1) / EIGHTHS))
  end
end
