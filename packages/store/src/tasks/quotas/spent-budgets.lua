-- The budgets of tenants and principals, in micro-USD. record-usage.lua counts what is spent of them in
-- <usage>:spent:<day> and <usage>:spent:<month> (hashes): tenant, and tenant/subject → micro-USD. Needs server.lua and
-- timestamps.lua.

-- The day or month (UTC), and the ms at which it ends.
local function period(name)
  local now = now_ms()
  local day = timestamp(now):sub(1, 10)
  local ends = (math.floor(now / 86400000) + 1) * 86400000
  if name == 'day' then return day, ends end
  local month = day:sub(1, 7)
  -- The first day of another month is at most 31 days ahead. timestamp() remembers one time only.
  for _ = 1, 31 do
    if timestamp(ends):sub(1, 7) ~= month then break end
    ends = ends + 86400000
  end
  return month, ends
end

-- principal: tenant/subject. limits: by whose and period, `tenant_day`; 0: none
-- Returns  whose budget is spent (tenant | principal; nil: none), what was spent, the budget, ms until it renews
local function spent_budget(usage_root, principal, limits)
  for _, name in ipairs({ 'tenant_month', 'tenant_day', 'principal_month', 'principal_day' }) do
    local limit = tonumber(limits[name])
    if limit > 0 then
      local whose, length = name:match('^(%l+)_(%l+)$')
      local of, ends = period(length)
      local field = whose == 'tenant' and principal:match('^[^/]*') or principal
      local spent = tonumber(redis.call('HGET', usage_root .. ':spent:' .. of, field) or 0)
      if spent >= limit then return whose, spent, limit, ends end
    end
  end
end
