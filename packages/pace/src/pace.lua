-- The fields of a name's hash, in ms of Redis' clock.

--- @include "@switchyard/redis/server.lua"

-- How long it is kept when nobody uses it; a reservation, how long its request may be answered.
local KEPT_MS = 7200000
local MS_PER_MINUTE = 60000

-- The time that an amount takes at a rate per minute; 0: the rate has no limit
local function ms_of(amount, per_minute)
  return per_minute > 0 and amount * MS_PER_MINUTE / per_minute or 0
end

local function ms_text(ms) return ('%.3f'):format(ms) end
