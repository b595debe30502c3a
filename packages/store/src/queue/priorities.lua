-- BullMQ's priorities of jobs, as the scores of <root>prioritized begin with them. A part of scripts that take jobs and
-- give them back.
--
-- Priority 1: a turn waits for this job. 2 and 3: a suspect (see isolation.ts), which must run alone, 2 if a turn waits
-- for it. 4: all others, see fair-order.lua, which also has their levels.

--- @include "fair-order.lua"

local AWAITED, AWAITED_SUSPECT, SUSPECT = 1, 2, 3
-- The scores of suspects are between those of awaited and of ordinary jobs.
local SUSPECTS_FROM, SUSPECTS_TO = AWAITED_SUSPECT * BAND, BASE.high

-- BullMQ's own tools add jobs without a priority and a tenant.
local function priority_of(priority) return priority and priority ~= '0' and tonumber(priority) or ORDINARY end

local function has_suspects(root)
  return redis.call('ZCOUNT', root .. 'prioritized', ('%.0f'):format(SUSPECTS_FROM), ('(%.0f'):format(SUSPECTS_TO)) > 0
end
