-- clock: Redis' clock alone, so that order and leases do not depend on the machines around it.

local clock_ms
local function now_ms()
  if not clock_ms then
    local time = redis.call('TIME')
    clock_ms = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return clock_ms
end
