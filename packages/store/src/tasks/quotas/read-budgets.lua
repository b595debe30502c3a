-- Whether the budget of a principal or its tenant is spent.
--
-- KEYS  usage_root  as in record-usage.lua
-- ARGV  principal   tenant/subject, as in keys.ts
--       tenant_day  budgets in micro-USD; 0: none
--       tenant_month
--       principal_day
--       principal_month
-- Returns  { free | tenant | principal, spent, budget, ms at which it renews }

local usage_root = unpack(KEYS)
local principal, tenant_day, tenant_month, principal_day, principal_month = unpack(ARGV)

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/redis/timestamps.lua"
--- @include "spent-budgets.lua"

local whose, spent, budget, ends = spent_budget(usage_root, principal,
  { tenant_day = tenant_day, tenant_month = tenant_month, principal_day = principal_day,
    principal_month = principal_month })
return { whose or 'free', spent or 0, budget or 0, ends or 0 }
